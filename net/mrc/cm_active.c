// SPDX-License-Identifier: GPL-2.0
/*
 * The connecting side. REQs go out in rounds: the first on up to four planes
 * at once, paths known to work first, later ones on those not yet asked and
 * then on all again, 1, 2, 4 ... ms apart. All carry the same token, so the
 * listener sees one request, and a dead plane or two cost nothing.
 */
#include <linux/slab.h>

#include "cm.h"
#include "netlink.h"
#include "profile.h"
#include "route.h"

#define MRC_ROUND_NS		(1 * NSEC_PER_MSEC)	/* before the second */
#define MRC_ROUND_MAX_NS	(1 * NSEC_PER_SEC)

/* A listener answers with the same cookie for half a minute; more different
 * ones than this in one attempt mean that somebody plays with us.
 */
#define MRC_COOKIES_MAX		3

#define MRC_CAPS		(MRC_CAP_EV_LAYOUT | MRC_CAP_DYN_MPR)

/**
 * struct mrc_connect - state of a connection attempt
 * @peer: the destination
 * @p: our side, to become the connection's parameters
 * @caps: offered
 * @deadline: when the attempt fails, ns
 * @interval: until the next round, ns
 * @left: planes not asked yet in this lap
 * @cookies: how many we were given
 * @cookie_len: bytes of the latest
 * @cookie: the latest
 */
struct mrc_connect {
	struct mrc_peer		*peer;
	struct mrc_qp_params	p;
	u32			caps;
	u64			deadline;
	u64			interval;
	u32			left;
	u8			cookies;
	u8			cookie_len;
	u8			cookie[MRC_CM_COOKIE_MAX];
};

/* The planes that carry packets of the least size, and the largest packet
 * that all of them carry. Return: 0, -ENETUNREACH if there is none.
 */
static int mrc_active_planes(struct mrc_connect *c, bool seqpacket)
{
	bool icrc = c->caps & MRC_CAP_ICRC;
	u32 mask, payload;
	u8 plane;

	if (mrc_peer_is_loopback(c->peer)) {
		c->p.payload = mrc_cm_payload(mrc_peer_dgram_max(c->peer, 0),
					      seqpacket, icrc);
		return c->p.payload ? 0 : -ENETUNREACH;
	}
	c->p.payload = MRC_PAYLOAD_MAX;
	for (mask = mrc_peer_planes(c->peer); mask; mask &= mask - 1) {
		plane = __ffs(mask) + 1;
		payload = mrc_cm_payload(mrc_peer_dgram_max(c->peer,
							    BIT(plane - 1)),
					 seqpacket, icrc);
		if (!payload)
			continue;
		c->p.planes |= BIT(plane - 1);
		c->p.payload = min(c->p.payload, payload);
	}
	return c->p.planes ? 0 : -ENETUNREACH;
}

static void mrc_active_free(struct mrc_connect *c)
{
	if (c->peer)
		mrc_peer_put(c->peer);
	kfree(c);
}

static struct mrc_connect *mrc_active_alloc(struct mrc_sock *msk)
{
	struct mrc_net *mnet = msk->qp.mnet;
	struct mrc_connect *c;
	int err;

	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return ERR_PTR(-ENOMEM);
	c->peer = mrc_peer_get(mnet, &msk->t.local, &msk->t.remote,
			       msk->profile ? msk->profile->id : 0,
			       GFP_KERNEL);
	if (IS_ERR(c->peer)) {
		err = PTR_ERR(c->peer);
		c->peer = NULL;
		goto err_free;
	}
	c->caps = MRC_CAPS;
	rcu_read_lock();
	if (msk->profile || !mrc_route_ev_layout(mnet, &msk->t.remote))
		c->caps &= ~MRC_CAP_EV_LAYOUT;
	rcu_read_unlock();
	if (READ_ONCE(mnet->conf.icrc))
		c->caps |= MRC_CAP_ICRC;
	c->p.seqpacket = msk->sk.sk_type == SOCK_SEQPACKET;
	mrc_cm_own_side(&c->p, READ_ONCE(msk->sk.sk_rcvbuf));
	err = mrc_active_planes(c, c->p.seqpacket);
	if (err)
		goto err_free;
	return c;

err_free:
	mrc_active_free(c);
	return ERR_PTR(err);
}

static void mrc_active_build_req(const struct mrc_sock *msk,
				 struct mrc_cm_msg *msg)
{
	const struct mrc_connect *c = msk->conn;

	memset(msg, 0, sizeof(*msg));
	msg->type = MRC_CM_REQ;
	msg->present = BIT(MRC_TLV_PORTS) | BIT(MRC_TLV_SOCK_TYPE);
	msg->sport = msk->t.lport;
	msg->dport = msk->t.rport;
	msg->sock_type = c->p.seqpacket ? MRC_CM_SEQPACKET : MRC_CM_STREAM;
	mrc_cm_put_side(msg, &c->p, msk->qp.qpn.qpn, msk->token, c->caps);
	if (c->cookie_len) {
		msg->present |= BIT(MRC_TLV_COOKIE);
		msg->cookie_len = c->cookie_len;
		memcpy(msg->cookie, c->cookie, c->cookie_len);
	}
}

/* The next plane to ask: one not asked yet, known to work if possible. */
static u8 mrc_active_next_plane(struct mrc_connect *c)
{
	u32 good = c->left & mrc_peer_planes_good(c->peer);
	u8 plane = mrc_cm_any_plane(good ?: c->left);

	c->left &= ~BIT(plane - 1);
	return plane;
}

static void mrc_active_round(struct mrc_sock *msk)
{
	struct mrc_net *mnet = msk->qp.mnet;
	struct mrc_connect *c = msk->conn;
	struct mrc_cm_msg msg;
	u32 asked = 0;
	int sent = 0;
	u8 plane;

	MRC_INC(mnet, CM_REQ_ROUNDS);
	mrc_active_build_req(msk, &msg);
	if (!c->p.planes) {
		mrc_cm_send(mnet, c->peer, &msk->t.local, &msk->t.remote, 0,
			    &msg);
		return;
	}
	while (sent < MRC_CM_PLANES && asked != c->p.planes) {
		if (!c->left)
			c->left = c->p.planes & ~asked;
		plane = mrc_active_next_plane(c);
		asked |= BIT(plane - 1);
		if (!mrc_cm_send(mnet, c->peer, &msk->t.local, &msk->t.remote,
				 plane, &msg))
			sent++;
	}
}

int mrc_active_start(struct mrc_sock *msk)
{
	struct mrc_connect *c = mrc_active_alloc(msk);
	int err;

	if (IS_ERR(c))
		return PTR_ERR(c);
	msk->t.local = c->peer->local;
	err = mrc_port_connect(msk);
	if (err)
		goto err_free;
	err = mrc_qpn_insert(msk->qp.mnet, &msk->qp.qpn, MRC_QPN_QP);
	if (err) {
		err = -ENOBUFS;
		goto err_port;
	}
	msk->token = mrc_cm_token(msk->qp.qpn.qpn);
	msk->peer_token = 0;
	msk->why = NULL;
	msk->reason = 0;
	c->deadline = ktime_get_ns() + MRC_CONNECT_NS;
	c->interval = MRC_ROUND_NS;
	c->left = c->p.planes;
	msk->conn = c;
	mrc_set_state(&msk->sk, TCP_SYN_SENT);
	MRC_INC(msk->qp.mnet, ACTIVE_OPEN);
	mrc_active_round(msk);
	mrc_sock_timer_arm(msk, c->interval);
	return 0;

err_port:
	mrc_port_disconnect(msk);
	if (!(msk->sk.sk_userlocks & SOCK_BINDPORT_LOCK))
		mrc_port_put(msk);
err_free:
	mrc_active_free(c);
	return err;
}

void mrc_active_stop(struct mrc_sock *msk)
{
	struct mrc_connect *c = msk->conn;

	if (!c)
		return;
	msk->conn = NULL;
	msk->token = 0;
	mrc_sock_timer_stop(msk);
	mrc_qpn_remove(msk->qp.mnet, &msk->qp.qpn);
	mrc_active_free(c);
}

void mrc_active_fail(struct mrc_sock *msk, int err, const char *why)
{
	struct sock *sk = &msk->sk;

	MRC_INC(msk->qp.mnet, CONN_FAILED);
	mrc_nl_conn_failed(msk->qp.mnet, &msk->t.local, &msk->t.remote,
			   msk->t.lport, msk->t.rport, msk->qp.qpn.qpn, err,
			   why);
	mrc_active_stop(msk);
	msk->why = why;
	WRITE_ONCE(sk->sk_err, err);
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	mrc_set_state(sk, TCP_CLOSE);
	sk_error_report(sk);
	sk->sk_state_change(sk);
}

void mrc_active_timer(struct mrc_sock *msk)
{
	struct mrc_connect *c = msk->conn;
	u64 now = ktime_get_ns();

	if (!c)
		return;
	if (now >= c->deadline) {
		mrc_active_fail(msk, ETIMEDOUT, "no answer to any request");
		return;
	}
	mrc_active_round(msk);
	c->interval = min_t(u64, c->interval * 2, MRC_ROUND_MAX_NS);
	mrc_sock_timer_arm(msk, min(c->interval, c->deadline - now));
}

/* RTU: the listener may be sure that we heard its REP. */
static void mrc_active_rtu(struct mrc_sock *msk, u8 plane)
{
	struct mrc_cm_msg rtu = {
		.type		= MRC_CM_RTU,
		.present	= BIT(MRC_TLV_KEY),
		.token		= msk->peer_token,
		.key		= msk->qp.p.tx_key,
	};

	mrc_cm_spray(msk->qp.mnet, &msk->t.local, &msk->t.remote, plane,
		     MRC_CM_ANSWERS, &rtu);
}

/* Is the answer one that our question allows? Then our side and the peer's
 * together are the connection's parameters.
 */
static bool mrc_active_agree(const struct mrc_connect *c,
			     const struct mrc_cm_msg *rep,
			     struct mrc_qp_params *p)
{
	u32 caps = rep->present & BIT(MRC_TLV_CAPS) ? rep->caps : 0;

	*p = c->p;
	if (rep->planes & ~p->planes || !rep->planes != !p->planes)
		return false;
	if (rep->pkt_size > p->payload || rep->pkt_size < MRC_PAYLOAD_MIN)
		return false;
	if (caps & ~c->caps)
		return false;
	p->planes = rep->planes;
	p->payload = rep->pkt_size;
	p->icrc = caps & MRC_CAP_ICRC;
	p->ev_layout = caps & MRC_CAP_EV_LAYOUT;
	mrc_cm_get_side(p, rep);
	return true;
}

void mrc_active_refuse(const struct mrc_cm_in *in, u16 reason)
{
	struct mrc_cm_msg msg = {
		.type		= MRC_CM_ABORT,
		.present	= BIT(MRC_TLV_REASON) | BIT(MRC_TLV_KEY),
		.token		= in->msg.own_token,
		.key		= in->msg.key,
		.reason		= reason,
	};

	mrc_cm_answer(in, 1, &msg);
}

static void mrc_active_established(struct mrc_sock *msk, u8 plane)
{
	struct sock *sk = &msk->sk;

	mrc_set_state(sk, TCP_ESTABLISHED);
	mrc_active_rtu(msk, plane);
	mrc_qp_probe(&msk->qp);
	sk->sk_state_change(sk);
	sk_wake_async(sk, SOCK_WAKE_IO, POLL_OUT);
}

/* Not a word from the peer since the connection began, and that was not just
 * now: the REPs to the REQs of one round come together.
 */
static bool mrc_active_unheard(const struct mrc_sock *msk)
{
	const struct mrc_qp *qp = &msk->qp;

	return !qp->stats.sacks_in && !qp->stats.rcvd &&
	       ktime_get_ns() - qp->heard_at >= MRC_ROUND_NS;
}

int mrc_active_rep(struct mrc_sock *msk, const struct mrc_cm_in *in)
{
	const struct mrc_cm_msg *rep = &in->msg;
	struct mrc_connect *c = msk->conn;
	struct mrc_qp_params p;
	int err;

	if (!c) {
		/* Said again, because a REQ arrived twice or our RTU never. */
		if (!msk->peer_token || rep->own_token != msk->peer_token)
			return -MRC_DROP_CM_STATE;
		if (mrc_active_unheard(msk))
			mrc_active_rtu(msk, in->plane);
		return 0;
	}
	if (!mrc_active_agree(c, rep, &p)) {
		mrc_active_refuse(in, MRC_CM_R_MALFORMED);
		mrc_active_fail(msk, EPROTO,
				"the listener's answer makes no sense");
		return -MRC_DROP_CM_TLV_VALUE;
	}
	err = mrc_conn_start(msk, c->peer, &p);
	if (err) {
		mrc_active_refuse(in, MRC_CM_R_RESOURCE);
		mrc_active_fail(msk, ENOBUFS, "out of memory");
		return -MRC_DROP_NOMEM;
	}
	c->peer = NULL;
	mrc_sock_timer_stop(msk);
	msk->conn = NULL;
	mrc_active_free(c);
	msk->peer_token = rep->own_token;
	mrc_active_established(msk, in->plane);
	return 0;
}

/**
 * struct mrc_rej - what a REJ means to the user
 * @err: errno
 * @why: one line for people
 */
struct mrc_rej {
	int		err;
	const char	*why;
};

static const struct mrc_rej mrc_rejs[] = {
	[MRC_CM_R_REFUSED]	= { ECONNREFUSED, "nobody listens there" },
	[MRC_CM_R_BACKLOG]	= { ECONNREFUSED, "listener's queue is full" },
	[MRC_CM_R_SOCK_TYPE]	= { EPROTOTYPE,
				    "the listener has another socket type" },
	[MRC_CM_R_NO_PLANE]	= { EHOSTUNREACH, "no plane in common" },
	[MRC_CM_R_MALFORMED]	= { EPROTO,
				    "the listener cannot read our request" },
	[MRC_CM_R_VERSION]	= { EPROTO,
				    "the listener speaks another version" },
	[MRC_CM_R_RESOURCE]	= { ECONNREFUSED,
				    "the listener is out of memory" },
	[MRC_CM_R_SIMULTANEOUS]	= { ECONNREFUSED,
				    "both sides connect, nobody listens" },
	[MRC_CM_R_NO_RETURN]	= { EHOSTUNREACH, "no route back" },
};

/* "Come back with this cookie." Once per cookie: a round of four REQs brings
 * up to four.
 */
static int mrc_active_cookie(struct mrc_sock *msk,
			     const struct mrc_cm_msg *rej)
{
	struct mrc_connect *c = msk->conn;

	if (rej->cookie_len == c->cookie_len &&
	    !memcmp(rej->cookie, c->cookie, c->cookie_len))
		return 0;
	if (c->cookies == MRC_COOKIES_MAX)
		return -MRC_DROP_CM_COOKIE;
	c->cookies++;
	c->cookie_len = rej->cookie_len;
	memcpy(c->cookie, rej->cookie, rej->cookie_len);
	c->left = c->p.planes;
	mrc_active_round(msk);
	return 0;
}

int mrc_active_rej(struct mrc_sock *msk, const struct mrc_cm_in *in)
{
	static const struct mrc_rej other = { ECONNREFUSED, "refused" };
	const struct mrc_rej *rej = &other;
	u16 reason = in->msg.reason;

	if (!msk->conn)
		return -MRC_DROP_CM_STATE;
	if (reason == MRC_CM_R_COOKIE)
		return mrc_active_cookie(msk, &in->msg);
	if (reason < ARRAY_SIZE(mrc_rejs) && mrc_rejs[reason].err)
		rej = &mrc_rejs[reason];
	mrc_active_fail(msk, rej->err, rej->why);
	return 0;
}
