// SPDX-License-Identifier: GPL-2.0
/*
 * From the first packet of a connection to its end: end of stream both ways,
 * failure, ABORT, and sockets that go on without their user.
 *
 *   ESTABLISHED --FIN out--> FIN_WAIT1 --acked--> FIN_WAIT2 --FIN in--> over
 *       |                        | FIN in
 *       |                        v
 *       |                     CLOSING --acked--> over
 *       | FIN in
 *       v
 *   CLOSE_WAIT --FIN out--> LAST_ACK --acked--> over
 *
 * "over": an entry of cm_wait.c answers late packets, the QP stops and the
 * socket is TCP_CLOSE; what was received can still be read.
 */
#include "cm.h"
#include "netlink.h"

/* ---- begin --------------------------------------------------------------- */

int mrc_conn_start(struct mrc_sock *msk, struct mrc_peer *peer,
		   const struct mrc_qp_params *p)
{
	int err;

	msk->far.remote = msk->t.remote;
	msk->far.dqpn = p->dqpn;
	err = mrc_far_enter(msk);
	if (err)
		return err;
	err = mrc_qp_start(&msk->qp, peer, &msk->t.local, &msk->t.remote, p,
			   GFP_ATOMIC);
	if (err) {
		mrc_far_leave(msk);
		return err;
	}
	mrc_apply_user_timeout(msk);
	return 0;
}

/* ---- failure ------------------------------------------------------------- */

/**
 * struct mrc_end - what a reason for an end means to people
 * @reason: MRC_CM_R_*
 * @err: errno with which we would have given it
 * @here: we say it
 * @there: the peer says it
 */
struct mrc_end {
	u16		reason;
	int		err;
	const char	*here;
	const char	*there;
};

static const struct mrc_end mrc_ends[] = {
	{ MRC_CM_R_TIMEOUT, ETIMEDOUT, "no progress within the user timeout",
	  "the peer saw no progress within its timeout" },
	{ MRC_CM_R_PROTOCOL, EPROTO, "protocol violated",
	  "the peer says that we broke the protocol" },
	{ MRC_CM_R_ADMIN, ECONNABORTED, "aborted by an administrator",
	  "aborted by the peer's administrator" },
	{ MRC_CM_R_RESOURCE, ENOBUFS, "out of memory",
	  "the peer is out of memory" },
	{ MRC_CM_R_CLOSED, 0, "closed",
	  "closed by the peer, which had not read everything" },
	{ MRC_CM_R_REFUSED, 0, "nobody listens any more",
	  "the listener has gone" },
	{ MRC_CM_R_NONE, ECONNRESET, "connection reset",
	  "aborted by the peer" },
};

/* By @reason, or if that is 0 by @err; the last entry is for all others. */
static const struct mrc_end *mrc_end_of(u16 reason, int err)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mrc_ends); i++)
		if (reason ? mrc_ends[i].reason == reason :
			     mrc_ends[i].err == err)
			return &mrc_ends[i];
	return &mrc_ends[ARRAY_SIZE(mrc_ends) - 1];
}

static void mrc_conn_send_abort(struct mrc_sock *msk, u16 reason)
{
	struct mrc_cm_msg msg = {
		.type		= MRC_CM_ABORT,
		.present	= BIT(MRC_TLV_REASON) | BIT(MRC_TLV_KEY),
		.token		= msk->peer_token,
		.key		= msk->qp.p.tx_key,
		.reason		= reason,
	};
	u32 good = mrc_peer_planes_good(msk->qp.peer) & msk->qp.p.planes;

	mrc_cm_spray(msk->qp.mnet, &msk->t.local, &msk->t.remote,
		     good ? mrc_cm_any_plane(good) : 0, MRC_CM_ANSWERS, &msg);
}

/* The reference of an orphan goes; the caller has another. */
static void mrc_orphan_end(struct mrc_sock *msk)
{
	if (!msk->orphan)
		return;
	msk->orphan = false;
	atomic_dec(&mrc_cm_net(sock_net(&msk->sk))->orphans);
	mrc_sock_timer_stop(msk);
	sock_put(&msk->sk);
}

/* The connection is no more: whoever waits for anything wakes up. */
static void mrc_conn_end(struct mrc_sock *msk, int err)
{
	struct sock *sk = &msk->sk;

	if (err)
		WRITE_ONCE(sk->sk_err, err);
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	mrc_set_state(sk, TCP_CLOSE);
	if (!sock_flag(sk, SOCK_DEAD)) {
		if (err)
			sk_error_report(sk);
		sk->sk_state_change(sk);
	}
	mrc_orphan_end(msk);
}

/* The QP is dead (mrc_qp_ops.failed). */
static void mrc_conn_failed(struct mrc_qp *qp, int err, bool tell)
{
	struct mrc_sock *msk = mrc_qp_sock(qp);
	const struct mrc_end *end = mrc_end_of(msk->reason, err);
	struct sock *sk = &msk->sk;

	if (tell)
		mrc_conn_send_abort(msk, end->reason);
	if (!msk->why)
		msk->why = end->here;
	/* A user's own abort is no failure. */
	if (msk->reason != MRC_CM_R_CLOSED)
		mrc_nl_conn_failed(qp->mnet, &msk->t.local, &msk->t.remote,
				   msk->t.lport, msk->t.rport, qp->qpn.qpn,
				   err, msk->why);
	/* As TCP: who has read the end of stream gets EPIPE for a reset. */
	if (err == ECONNRESET && sk->sk_state == TCP_CLOSE_WAIT)
		err = EPIPE;
	mrc_conn_end(msk, err);
}

void mrc_conn_abort(struct mrc_sock *msk, int err, u16 reason,
		    const char *why)
{
	if (msk->conn) {
		mrc_active_fail(msk, err, why);
		return;
	}
	local_bh_disable();
	rcu_read_lock();
	msk->reason = reason;
	msk->why = why;
	mrc_qp_fail(&msk->qp, err, true);
	rcu_read_unlock();
	local_bh_enable();
}

/* ---- end of stream ------------------------------------------------------- */

/* Both directions are done: an entry answers late packets in our place. */
static void mrc_conn_finish(struct mrc_sock *msk)
{
	mrc_wait_enter(msk);
	mrc_qp_stop(&msk->qp);
	mrc_conn_end(msk, 0);
}

/* The peer's end of stream came in order (mrc_qp_ops.peer_fin). */
static void mrc_conn_peer_fin(struct mrc_qp *qp)
{
	struct mrc_sock *msk = mrc_qp_sock(qp);
	struct sock *sk = &msk->sk;

	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | RCV_SHUTDOWN);
	sock_set_flag(sk, SOCK_DONE);
	switch (sk->sk_state) {
	case TCP_ESTABLISHED:
		mrc_set_state(sk, TCP_CLOSE_WAIT);
		break;
	case TCP_FIN_WAIT1:
		mrc_set_state(sk, TCP_CLOSING);
		break;
	case TCP_FIN_WAIT2:
		mrc_conn_finish(msk);
		return;
	}
	if (sock_flag(sk, SOCK_DEAD))
		return;
	sk->sk_state_change(sk);
	sk_wake_async(sk, SOCK_WAKE_WAITD, POLL_IN);
}

/* All we wrote and our end of stream arrived (mrc_qp_ops.fin_acked). */
static void mrc_conn_fin_acked(struct mrc_qp *qp)
{
	struct mrc_sock *msk = mrc_qp_sock(qp);
	struct sock *sk = &msk->sk;

	switch (sk->sk_state) {
	case TCP_FIN_WAIT1:
		mrc_set_state(sk, TCP_FIN_WAIT2);
		/* A close() that lingers waits for this. */
		if (!sock_flag(sk, SOCK_DEAD))
			sk->sk_state_change(sk);
		break;
	case TCP_CLOSING:
	case TCP_LAST_ACK:
		mrc_conn_finish(msk);
		break;
	}
}

int mrc_conn_fin(struct mrc_sock *msk)
{
	struct sock *sk = &msk->sk;
	int err, next;

	if (sk->sk_state == TCP_ESTABLISHED)
		next = TCP_FIN_WAIT1;
	else if (sk->sk_state == TCP_CLOSE_WAIT)
		next = TCP_LAST_ACK;
	else
		return 0;
	err = mrc_req_fin(&msk->qp);
	if (err)
		return err;
	mrc_set_state(sk, next);
	mrc_req_push(&msk->qp);
	return 0;
}

/* ---- close(2) ------------------------------------------------------------ */

/* Something came for a socket that nobody will read: the peer must know. Not
 * here, in the middle of the responder's work, but from the timer.
 */
static void mrc_orphan_data_ready(struct sock *sk)
{
	if (mrc_reader_unread(&mrc_sk(sk)->qp))
		mrc_sock_timer_arm(mrc_sk(sk), 0);
}

static bool mrc_conn_closing(const struct sock *sk)
{
	return (1 << READ_ONCE(sk->sk_state)) &
	       (TCPF_FIN_WAIT1 | TCPF_CLOSING | TCPF_LAST_ACK);
}

/* SO_LINGER: until our end of stream is acknowledged, or @timeout jiffies. */
static void mrc_conn_linger(struct sock *sk, long timeout)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(sk_sleep(sk), &wait);
	while (timeout && mrc_conn_closing(sk) && !signal_pending(current))
		sk_wait_event(sk, &timeout, !mrc_conn_closing(sk), &wait);
	remove_wait_queue(sk_sleep(sk), &wait);
}

/* Lets the socket go on alone, if there may be another such. */
static void mrc_orphan_begin(struct mrc_sock *msk)
{
	struct mrc_cm_net *cm = mrc_cm_net(sock_net(&msk->sk));
	struct mrc_net *mnet = cm->mnet;

	if (atomic_inc_return(&cm->orphans) >
	    READ_ONCE(mnet->conf.orphans_max)) {
		atomic_dec(&cm->orphans);
		mrc_conn_abort(msk, ECONNRESET, MRC_CM_R_RESOURCE,
			       "too many orphans");
		return;
	}
	sock_hold(&msk->sk);
	msk->orphan = true;
	msk->sk.sk_data_ready = mrc_orphan_data_ready;
	MRC_INC(mnet, ORPHANS);
	mrc_sock_timer_arm(msk, (u64)READ_ONCE(mnet->conf.orphan_ms) *
				NSEC_PER_MSEC);
}

void mrc_conn_timer(struct mrc_sock *msk)
{
	if (!msk->orphan)
		return;
	if (mrc_reader_unread(&msk->qp))
		mrc_conn_abort(msk, ECONNRESET, MRC_CM_R_CLOSED,
			       "data came after close");
	else
		mrc_conn_abort(msk, ETIMEDOUT, MRC_CM_R_TIMEOUT,
			       "orphan took too long");
}

static bool mrc_conn_must_abort(const struct sock *sk)
{
	return mrc_reader_unread(&mrc_sk(sk)->qp) ||
	       (sock_flag(sk, SOCK_LINGER) && !sk->sk_lingertime);
}

void mrc_conn_close(struct sock *sk, long timeout)
{
	struct mrc_sock *msk = mrc_sk(sk);

	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	switch (sk->sk_state) {
	case TCP_CLOSE:
		break;
	case TCP_LISTEN:
		mrc_listen_stop(sk);
		break;
	case TCP_SYN_SENT:
		mrc_active_stop(msk);
		mrc_set_state(sk, TCP_CLOSE);
		break;
	default:
		if (mrc_conn_must_abort(sk))
			mrc_conn_abort(msk, ECONNRESET, MRC_CM_R_CLOSED, NULL);
		else if (mrc_conn_fin(msk))
			mrc_conn_abort(msk, ENOBUFS, MRC_CM_R_RESOURCE, NULL);
		mrc_conn_linger(sk, timeout);
	}
	sock_orphan(sk);
	if (sk->sk_state != TCP_CLOSE)
		mrc_orphan_begin(msk);
	else	/* its end may have left a user the port he asked for */
		mrc_port_put(msk);
}

void mrc_conn_disconnect(struct sock *sk)
{
	struct mrc_sock *msk = mrc_sk(sk);
	int err = 0;

	switch (sk->sk_state) {
	case TCP_CLOSE:
		break;
	case TCP_LISTEN:
		mrc_listen_stop(sk);
		break;
	case TCP_SYN_SENT:
		mrc_active_stop(msk);
		err = ECONNRESET;
		break;
	default:
		mrc_conn_abort(msk, ECONNRESET, MRC_CM_R_CLOSED, NULL);
		err = ECONNRESET;
	}
	mrc_set_state(sk, TCP_CLOSE);
	mrc_sock_timer_stop(msk);
	mrc_qp_reset(&msk->qp);
	if (!(sk->sk_userlocks & SOCK_BINDADDR_LOCK))
		msk->t.local = in6addr_any;
	if (!msk->bind)
		msk->t.lport = 0;
	msk->t.remote = in6addr_any;
	msk->t.rport = 0;
	msk->token = 0;
	msk->peer_token = 0;
	msk->why = NULL;
	WRITE_ONCE(sk->sk_shutdown, 0);
	sock_reset_flag(sk, SOCK_DONE);
	if (err) {
		WRITE_ONCE(sk->sk_err, err);
		sk_error_report(sk);
	}
	/* Other threads may sleep in accept() or connect(). */
	sk->sk_state_change(sk);
}

/* ---- what the peer says -------------------------------------------------- */

int mrc_conn_abort_in(struct mrc_sock *msk, const struct mrc_cm_in *in)
{
	const struct mrc_end *end = mrc_end_of(in->msg.reason, ECONNRESET);

	if (msk->qp.state != MRC_QP_READY)
		return -MRC_DROP_CM_STATE;
	if (!(in->msg.present & BIT(MRC_TLV_KEY)) ||
	    in->msg.key != msk->qp.p.rx_key)
		return -MRC_DROP_KEY;
	MRC_INC(in->mnet, CM_ABORT_IN);
	msk->why = end->there;
	mrc_qp_fail(&msk->qp, ECONNRESET, false);
	return 0;
}

/* Nothing is outstanding but our end of stream, and the peer's has come: a
 * peer that does not know us any more has had everything.
 */
static bool mrc_conn_only_fin_left(const struct mrc_sock *msk)
{
	const struct mrc_requester *req = &msk->qp.req;

	return (msk->sk.sk_state == TCP_CLOSING ||
		msk->sk.sk_state == TCP_LAST_ACK) &&
	       req->fin_queued && req->una == req->fin_psn;
}

int mrc_conn_gone_in(struct mrc_sock *msk, const struct mrc_cm_in *in)
{
	const struct mrc_cm_echo *echo = &in->msg.echo;
	bool believed;

	if (echo->qpn != msk->qp.p.dqpn)
		return -MRC_DROP_GONE;
	if (echo->kind == MRC_KIND_PROBE)
		believed = mrc_qp_gone_probe(&msk->qp, echo->psn, echo->key);
	else
		believed = mrc_qp_gone_data(&msk->qp, echo->psn, echo->key);
	if (!believed)
		return -MRC_DROP_GONE;
	MRC_INC(in->mnet, CM_GONE_IN);
	if (mrc_conn_only_fin_left(msk)) {
		mrc_conn_finish(msk);
		return 0;
	}
	msk->why = "the peer does not know this connection any more";
	mrc_qp_fail(&msk->qp, ECONNRESET, false);
	return 0;
}

void mrc_close_init(void)
{
	mrc_qp_ops.failed = mrc_conn_failed;
	mrc_qp_ops.peer_fin = mrc_conn_peer_fin;
	mrc_qp_ops.fin_acked = mrc_conn_fin_acked;
}
