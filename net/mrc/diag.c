// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets for an administrator: walk and abort. Every socket has an index in
 * an array of its namespace from its creation to its end, so a dump goes on
 * where it stopped without a walk over what it has shown.
 */
#include <linux/sock_diag.h>

#include "cm.h"
#include "diag.h"

/* The first socket at or after *@id, with a reference; *@id is its index. Not
 * by RCU: a socket leaves the array in mrc_destruct(), when its grace period is
 * over, and is freed at once. The lock holds that up.
 */
static struct mrc_sock *mrc_diag_next(struct mrc_cm_net *cm, unsigned long *id)
{
	struct mrc_sock *msk;

	xa_lock_bh(&cm->socks);
	msk = xa_find(&cm->socks, id, ULONG_MAX, XA_PRESENT);
	while (msk && !refcount_inc_not_zero(&msk->sk.sk_refcnt))
		msk = xa_find_after(&cm->socks, id, ULONG_MAX, XA_PRESENT);
	xa_unlock_bh(&cm->socks);
	return msk;
}

static void mrc_diag_fill(struct mrc_sock *msk, struct mrc_diag *d)
{
	struct sock *sk = &msk->sk;

	memset(d, 0, sizeof(*d));
	d->local = msk->t.local;
	d->remote = msk->t.remote;
	d->lport = msk->t.lport;
	d->rport = msk->t.rport;
	d->type = sk->sk_type;
	d->shutdown = sk->sk_shutdown;
	sock_diag_save_cookie(sk, d->cookie);
	d->uid = READ_ONCE(sk->sk_uid);
	d->inode = sock_i_ino(sk);
	d->err = READ_ONCE(sk->sk_err);
	d->why = msk->why;
	if (sk->sk_state == TCP_LISTEN) {
		d->sndq = READ_ONCE(sk->sk_max_ack_backlog);
		d->rcvq = READ_ONCE(sk->sk_ack_backlog);
	} else if (msk->qp.state != MRC_QP_IDLE) {
		d->sndq = mrc_req_outq(&msk->qp);
		d->rcvq = msk->qp.rsp.readable;
		mrc_qp_info(&msk->qp, &d->info);
		strscpy(d->congestion, mrc_qp_congestion(&msk->qp));
	}
	d->info.mrc_info_state = mrc_state_of(sk->sk_state);
}

/* Fresh sockets, and ended ones of which nothing can be told, are left out. */
static bool mrc_diag_shows(const struct mrc_sock *msk)
{
	return msk->sk.sk_state != TCP_CLOSE || msk->bind || msk->why;
}

int mrc_diag_walk(struct mrc_net *mnet, unsigned long *pos,
		  int (*cb)(const struct mrc_diag *d, void *arg), void *arg)
{
	struct mrc_cm_net *cm = mrc_cm_net(mnet->net);
	struct mrc_sock *msk;
	struct mrc_diag d;
	bool shows;
	int err;

	while ((msk = mrc_diag_next(cm, pos))) {
		lock_sock(&msk->sk);
		shows = mrc_diag_shows(msk);
		if (shows)
			mrc_diag_fill(msk, &d);
		release_sock(&msk->sk);
		sock_put(&msk->sk);
		err = shows ? cb(&d, arg) : 0;
		if (err)
			return err;
		(*pos)++;
		cond_resched();
	}
	return 0;
}

/* Aborts what @msk is now; drops its reference. */
static int mrc_diag_kill(struct mrc_sock *msk, const char *why)
{
	struct sock *sk = &msk->sk;
	int err = -ENOENT;

	lock_sock(sk);
	if (sk->sk_state != TCP_CLOSE && sk->sk_state != TCP_LISTEN) {
		mrc_conn_abort(msk, ECONNABORTED, MRC_CM_R_ADMIN, why);
		err = 0;
	}
	release_sock(sk);
	sock_put(sk);
	return err;
}

static const char mrc_diag_why[] = "aborted by an administrator";

int mrc_diag_abort_qpn(struct mrc_net *mnet, u32 qpn)
{
	struct mrc_sock *msk = NULL;
	struct mrc_qpn *e;

	rcu_read_lock();
	e = mrc_qpn_lookup(mnet, qpn);
	if (e && READ_ONCE(e->kind) == MRC_QPN_QP)
		msk = mrc_qp_sock(container_of(e, struct mrc_qp, qpn));
	if (msk && !refcount_inc_not_zero(&msk->sk.sk_refcnt))
		msk = NULL;
	rcu_read_unlock();
	return msk ? mrc_diag_kill(msk, mrc_diag_why) : -ENOENT;
}

int mrc_diag_abort(struct mrc_net *mnet, const struct in6_addr *local,
		   u16 lport, const struct in6_addr *remote, u16 rport)
{
	struct mrc_cm_net *cm = mrc_cm_net(mnet->net);
	struct mrc_tuple t = { .lport = lport, .rport = rport };
	struct mrc_sock *msk;
	unsigned long id = 0;

	t.local = *local;
	t.remote = *remote;
	while ((msk = mrc_diag_next(cm, &id))) {
		if (memcmp(&msk->t, &t, sizeof(t)))
			sock_put(&msk->sk);
		else if (!mrc_diag_kill(msk, mrc_diag_why))
			return 0;
		id++;
		cond_resched();
	}
	return -ENOENT;
}

void mrc_diag_abort_node(struct mrc_net *mnet, const struct in6_addr *addr)
{
	struct mrc_cm_net *cm = mrc_cm_net(mnet->net);
	struct mrc_sock *msk;
	unsigned long id = 0;

	while ((msk = mrc_diag_next(cm, &id))) {
		if (ipv6_addr_equal(&msk->t.local, addr))
			mrc_diag_kill(msk, "its node address was taken away");
		else
			sock_put(&msk->sk);
		id++;
		cond_resched();
	}
}
