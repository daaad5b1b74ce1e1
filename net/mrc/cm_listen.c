// SPDX-License-Identifier: GPL-2.0
/*
 * The listening side. A REQ makes one small entry, in the QPN table from the
 * start, and no more: peer, socket and QP are made when an RTU, or data or a
 * probe with the right keys, proves that the initiator is who it says. When
 * half the allowed entries are taken, a REQ must first come back with a
 * cookie that costs us nothing.
 *
 * An entry stays for a while after its connection was made: a REQ that took a
 * slow plane must not look like a second one.
 */
#include <linux/siphash.h>
#include <linux/slab.h>

#include "cm.h"
#include "input.h"
#include "profile.h"

/* Longer than an initiator tries, so that its last REQ finds its first; and
 * how long a REQ may be late on a slow plane.
 */
#define MRC_REQ_TIME		(15 * HZ)
#define MRC_REQ_DONE_TIME	(2 * HZ)

/* A cookie is good for one to two of these. */
#define MRC_COOKIE_TIME		(16 * HZ)
#define MRC_COOKIE_LEN		8

enum mrc_req_state {
	MRC_REQ_OPEN,		/* waits for its proof */
	MRC_REQ_DONE,		/* a connection was made of it */
	MRC_REQ_DEAD,		/* out of the tables */
};

/**
 * struct mrc_req_key - what makes two REQs the same
 * @token: of the initiator
 * @remote: its address
 */
struct mrc_req_key {
	u64		token;
	struct in6_addr	remote;
};

/**
 * struct mrc_request - a half-open request
 * @qpn: in the QPN table while MRC_REQ_OPEN
 * @node: in mrc_reqs.hash
 * @key: see above
 * @local: address that was asked
 * @lru: in mrc_reqs.open or .done
 * @token: ours
 * @expires: jiffies
 * @p: the connection's parameters
 * @lport: our port, host order
 * @rport: the initiator's
 * @state: enum mrc_req_state, under mrc_reqs.lock
 * @ev_layout: our EVs have our layout
 * @rcu: frees it
 */
struct mrc_request {
	struct mrc_qpn		qpn;
	struct rhash_head	node;
	struct mrc_req_key	key;
	struct in6_addr		local;
	struct list_head	lru;
	u64			token;
	unsigned long		expires;
	struct mrc_qp_params	p;
	u16			lport;
	u16			rport;
	u8			state;
	bool			ev_layout;
	struct rcu_head		rcu;
};

static_assert(sizeof(struct mrc_request) <= 256);

static const struct rhashtable_params mrc_req_params = {
	.key_len		= sizeof(struct mrc_req_key),
	.key_offset		= offsetof(struct mrc_request, key),
	.head_offset		= offsetof(struct mrc_request, node),
	.automatic_shrinking	= true,
};

/* ---- entries ------------------------------------------------------------- */

static void mrc_request_drop(struct mrc_cm_net *cm, struct mrc_request *req)
{
	lockdep_assert_held(&cm->reqs.lock);
	list_del(&req->lru);
	if (req->state == MRC_REQ_OPEN) {
		cm->reqs.n_open--;
		mrc_qpn_remove(cm->mnet, &req->qpn);
	} else {
		cm->reqs.n_done--;
	}
	rhashtable_remove_fast(&cm->reqs.hash, &req->node, mrc_req_params);
	req->state = MRC_REQ_DEAD;
	kfree_rcu(req, rcu);
}

/* It was used: it lives as long again. */
static void mrc_request_touch(struct mrc_cm_net *cm, struct mrc_request *req)
{
	req->expires = jiffies + MRC_REQ_TIME;
	list_move_tail(&req->lru, &cm->reqs.open);
}

static void mrc_request_done(struct mrc_cm_net *cm, struct mrc_request *req)
{
	struct mrc_reqs *reqs = &cm->reqs;

	req->state = MRC_REQ_DONE;
	req->expires = jiffies + MRC_REQ_DONE_TIME;
	list_move_tail(&req->lru, &reqs->done);
	reqs->n_open--;
	reqs->n_done++;
	if (!timer_pending(&reqs->timer) ||
	    time_after(reqs->timer.expires, req->expires))
		mod_timer(&reqs->timer, req->expires);
}

static struct mrc_request *mrc_request_find(struct mrc_cm_net *cm,
					    const struct mrc_cm_in *in)
{
	struct mrc_req_key key = { .token = in->msg.own_token };

	key.remote = *in->remote;
	return rhashtable_lookup_fast(&cm->reqs.hash, &key, mrc_req_params);
}

static struct mrc_request *mrc_request_first(struct list_head *list)
{
	return list_first_entry_or_null(list, struct mrc_request, lru);
}

/* Makes room for one more: what is done goes first, then the oldest. */
static void mrc_request_evict(struct mrc_cm_net *cm)
{
	struct mrc_reqs *reqs = &cm->reqs;
	struct mrc_request *req;

	if (reqs->n_open + reqs->n_done < READ_ONCE(cm->mnet->conf.reqs_max))
		return;
	req = mrc_request_first(&reqs->done);
	if (!req) {
		req = mrc_request_first(&reqs->open);
		MRC_INC(cm->mnet, CM_REQ_EVICTED);
	}
	if (req)
		mrc_request_drop(cm, req);
}

/* Puts @req into all tables; the oldest makes room. Return: 0, -ENOMEM,
 * -ENOSPC.
 */
static int mrc_request_add(struct mrc_cm_net *cm, struct mrc_request *req)
{
	struct mrc_reqs *reqs = &cm->reqs;
	int err;

	lockdep_assert_held(&reqs->lock);
	mrc_request_evict(cm);
	err = mrc_qpn_insert(cm->mnet, &req->qpn, MRC_QPN_REQUEST);
	if (err)
		return err;
	req->token = mrc_cm_token(req->qpn.qpn);
	err = rhashtable_insert_fast(&reqs->hash, &req->node, mrc_req_params);
	if (err) {
		mrc_qpn_remove(cm->mnet, &req->qpn);
		return err;
	}
	req->expires = jiffies + MRC_REQ_TIME;
	list_add_tail(&req->lru, &reqs->open);
	reqs->n_open++;
	if (!timer_pending(&reqs->timer))
		mod_timer(&reqs->timer, req->expires);
	return 0;
}

/* Ends what is due in @list. Return: jiffies of the next, 0 = none. */
static unsigned long mrc_request_expire(struct mrc_cm_net *cm,
					struct list_head *list)
{
	struct mrc_request *req;

	while ((req = mrc_request_first(list))) {
		if (time_before(jiffies, req->expires))
			return req->expires ?: 1;
		if (req->state == MRC_REQ_OPEN)
			MRC_INC(cm->mnet, CM_REQ_TIMEOUT);
		mrc_request_drop(cm, req);
	}
	return 0;
}

static void mrc_request_timer(struct timer_list *t)
{
	struct mrc_cm_net *cm = container_of(t, struct mrc_cm_net,
					     reqs.timer);
	unsigned long open, done;

	spin_lock_bh(&cm->reqs.lock);
	open = mrc_request_expire(cm, &cm->reqs.open);
	done = mrc_request_expire(cm, &cm->reqs.done);
	if (!open || (done && time_before(done, open)))
		open = done;
	if (open)
		mod_timer(&cm->reqs.timer, open);
	spin_unlock_bh(&cm->reqs.lock);
}

int mrc_reqs_init(struct mrc_cm_net *cm)
{
	struct mrc_reqs *reqs = &cm->reqs;

	spin_lock_init(&reqs->lock);
	INIT_LIST_HEAD(&reqs->open);
	INIT_LIST_HEAD(&reqs->done);
	timer_setup(&reqs->timer, mrc_request_timer, 0);
	get_random_bytes(&reqs->key, sizeof(reqs->key));
	return rhashtable_init(&reqs->hash, &mrc_req_params);
}

void mrc_reqs_exit(struct mrc_cm_net *cm)
{
	struct mrc_reqs *reqs = &cm->reqs;
	struct mrc_request *req;

	timer_shutdown_sync(&reqs->timer);
	spin_lock_bh(&reqs->lock);
	while ((req = mrc_request_first(&reqs->open)) ||
	       (req = mrc_request_first(&reqs->done)))
		mrc_request_drop(cm, req);
	spin_unlock_bh(&reqs->lock);
	rhashtable_destroy(&reqs->hash);
}

/* ---- cookies ------------------------------------------------------------- */

static u64 mrc_cookie(const struct mrc_cm_net *cm, const struct mrc_cm_in *in,
		      u32 epoch)
{
	struct {
		struct in6_addr	local, remote;
		u64		token;
		u32		epoch;
		u16		sport, dport;
	} __aligned(SIPHASH_ALIGNMENT) d = {
		.local	= *in->local,
		.remote	= *in->remote,
		.token	= in->msg.own_token,
		.epoch	= epoch,
		.sport	= in->msg.sport,
		.dport	= in->msg.dport,
	};

	BUILD_BUG_ON(sizeof(d) != 48);
	return siphash(&d, sizeof(d), &cm->reqs.key);
}

static u32 mrc_cookie_epoch(void)
{
	return (u32)(get_jiffies_64() / MRC_COOKIE_TIME);
}

/* Return: 0 go on; 1 answered with a cookie; -MRC_DROP_CM_COOKIE. */
static int mrc_cookie_check(struct mrc_cm_net *cm, const struct mrc_cm_in *in)
{
	struct mrc_cm_msg rej = {
		.type		= MRC_CM_REJ,
		.present	= BIT(MRC_TLV_REASON) | BIT(MRC_TLV_COOKIE),
		.token		= in->msg.own_token,
		.reason		= MRC_CM_R_COOKIE,
		.cookie_len	= MRC_COOKIE_LEN,
	};
	u32 epoch = mrc_cookie_epoch();
	u64 cookie;

	if (READ_ONCE(cm->reqs.n_open) < READ_ONCE(cm->mnet->conf.reqs_max) / 2)
		return 0;
	if (!(in->msg.present & BIT(MRC_TLV_COOKIE))) {
		cookie = mrc_cookie(cm, in, epoch);
		memcpy(rej.cookie, &cookie, sizeof(cookie));
		MRC_INC(cm->mnet, CM_COOKIE_OUT);
		mrc_cm_answer(in, 1, &rej);
		return 1;
	}
	if (in->msg.cookie_len != MRC_COOKIE_LEN)
		return -MRC_DROP_CM_COOKIE;
	memcpy(&cookie, in->msg.cookie, sizeof(cookie));
	if (cookie != mrc_cookie(cm, in, epoch) &&
	    cookie != mrc_cookie(cm, in, epoch - 1))
		return -MRC_DROP_CM_COOKIE;
	MRC_INC(cm->mnet, CM_COOKIE_OK);
	return 0;
}

/* ---- REQ in, REP out ----------------------------------------------------- */

static void mrc_request_rep(const struct mrc_cm_in *in,
			    const struct mrc_request *req, unsigned int n)
{
	struct mrc_cm_msg rep = {
		.type	= MRC_CM_REP,
		.token	= req->key.token,
	};
	u32 caps = MRC_CAP_DYN_MPR;

	if (req->p.icrc)
		caps |= MRC_CAP_ICRC;
	if (req->p.ev_layout && req->ev_layout)
		caps |= MRC_CAP_EV_LAYOUT;
	if (in->msg.present & BIT(MRC_TLV_CAPS))
		caps &= in->msg.caps;
	else
		caps = 0;
	mrc_cm_put_side(&rep, &req->p, req->qpn.qpn, req->token, caps);
	mrc_cm_answer(in, n, &rep);
}

/* UDP payload that @plane carries towards @remote, bytes, 0 = unknown. */
static unsigned int mrc_listen_dgram(struct mrc_net *mnet,
				     const struct in6_addr *remote, u8 plane)
{
	unsigned int mtu, hdr = sizeof(struct ipv6hdr) + sizeof(struct udphdr);
	const struct mrc_route *route;
	struct mrc_plane *pl;
	struct mrc_pick pick;

	if (!mrc_route_pick(mnet, remote, plane, 0, &pick))
		return mrc_pick_dgram_max(&pick);
	/* Down right now, but it will be of use when it comes back. */
	pl = mrc_plane_get_rcu(mnet, plane);
	route = mrc_route_lookup(mnet, remote, plane);
	if (!pl || !route)
		return 0;
	if (route->cfg.mode != MRC_ROUTE_PLAIN)
		hdr += mrc_srv6_encap(&route->cfg.tmpl);
	mtu = mrc_plane_mtu(pl);
	return mtu > hdr ? mtu - hdr : 0;
}

static u32 mrc_listen_payload(struct mrc_net *mnet,
			      const struct in6_addr *remote, u8 plane,
			      const struct mrc_qp_params *p)
{
	return mrc_cm_payload(mrc_listen_dgram(mnet, remote, plane),
			      p->seqpacket, p->icrc);
}

/* The planes both have and the largest packet they all carry. Return: 0 or a
 * reason for REJ.
 */
static u16 mrc_listen_planes(const struct mrc_cm_in *in,
			     struct mrc_qp_params *p)
{
	u32 mask, payload;
	u8 plane;

	p->payload = in->msg.pkt_size;
	if (mrc_node_is_ours(in->mnet, in->remote)) {
		payload = mrc_listen_payload(in->mnet, in->remote, 0, p);
		p->payload = min(p->payload, payload);
		return p->payload < MRC_PAYLOAD_MIN || in->msg.planes ?
		       MRC_CM_R_NO_PLANE : 0;
	}
	mask = mrc_route_planes(in->mnet, in->remote) & in->msg.planes;
	for (; mask; mask &= mask - 1) {
		plane = __ffs(mask) + 1;
		payload = mrc_listen_payload(in->mnet, in->remote, plane, p);
		if (!payload)
			continue;
		p->planes |= BIT(plane - 1);
		p->payload = min(p->payload, payload);
	}
	return !p->planes || p->payload < MRC_PAYLOAD_MIN ?
	       MRC_CM_R_NO_PLANE : 0;
}

static struct mrc_request *mrc_request_new(const struct mrc_cm_in *in,
					   const struct mrc_sock *msk,
					   u16 *reason)
{
	const struct mrc_cm_msg *msg = &in->msg;
	u32 caps = msg->present & BIT(MRC_TLV_CAPS) ? msg->caps : 0;
	struct mrc_request *req;

	*reason = 0;
	req = kzalloc(sizeof(*req), GFP_ATOMIC | __GFP_NOWARN);
	if (!req)
		return NULL;
	req->key.token = msg->own_token;
	req->key.remote = *in->remote;
	req->local = *in->local;
	req->lport = msg->dport;
	req->rport = msg->sport;
	req->p.seqpacket = msg->sock_type == MRC_CM_SEQPACKET;
	req->p.icrc = caps & MRC_CAP_ICRC &&
		      READ_ONCE(in->mnet->conf.icrc);
	req->p.ev_layout = caps & MRC_CAP_EV_LAYOUT;
	req->ev_layout = !msk->profile &&
			 mrc_route_ev_layout(in->mnet, in->remote);
	mrc_cm_own_side(&req->p, READ_ONCE(msk->sk.sk_rcvbuf));
	mrc_cm_get_side(&req->p, msg);
	*reason = mrc_listen_planes(in, &req->p);
	if (!*reason)
		return req;
	kfree(req);
	return NULL;
}

/* Nobody listens: is somebody at that port connecting to the sender itself? */
static u16 mrc_listen_nobody(struct mrc_cm_net *cm, const struct mrc_cm_in *in)
{
	struct mrc_tuple t = {
		.local	= *in->local,
		.remote	= *in->remote,
		.lport	= in->msg.dport,
		.rport	= in->msg.sport,
	};
	struct mrc_sock *msk = mrc_port_tuple(&cm->ports, &t);

	return msk && READ_ONCE(msk->sk.sk_state) == TCP_SYN_SENT ?
	       MRC_CM_R_SIMULTANEOUS : MRC_CM_R_REFUSED;
}

/* The same REQ on another plane, or again because our REP was lost. The entry
 * is good until the RCU read section ends.
 */
static struct mrc_request *mrc_listen_again(struct mrc_cm_net *cm,
					    const struct mrc_cm_in *in)
{
	struct mrc_request *req;

	spin_lock(&cm->reqs.lock);
	req = mrc_request_find(cm, in);
	spin_unlock(&cm->reqs.lock);
	if (!req)
		return NULL;
	MRC_INC(cm->mnet, CM_REQ_DUP);
	if (READ_ONCE(req->state) == MRC_REQ_OPEN)
		mrc_request_rep(in, req, 1);
	return req;
}

/* Who listens for this REQ? Return: 0 or a reason for REJ. */
static u16 mrc_listen_lookup(struct mrc_cm_net *cm, const struct mrc_cm_in *in,
			     struct mrc_sock **msk)
{
	bool seqpacket = in->msg.sock_type == MRC_CM_SEQPACKET;

	*msk = mrc_port_listener(&cm->ports, in->local, in->msg.dport);
	if (!*msk)
		return mrc_listen_nobody(cm, in);
	if (((*msk)->sk.sk_type == SOCK_SEQPACKET) != seqpacket)
		return MRC_CM_R_SOCK_TYPE;
	return 0;
}

/* Enters a new request and answers it. Return: 0 or -MRC_DROP_*. */
static int mrc_listen_grant(struct mrc_cm_net *cm, const struct mrc_cm_in *in,
			    struct mrc_request *req)
{
	int err = 0;

	spin_lock(&cm->reqs.lock);
	/* Another CPU may have been faster with the same REQ. */
	if (mrc_request_find(cm, in))
		err = -MRC_DROP_CM_STATE;
	else if (mrc_request_add(cm, req))
		err = -MRC_DROP_NOMEM;
	spin_unlock(&cm->reqs.lock);
	if (err)
		kfree(req);
	else
		mrc_request_rep(in, req, MRC_CM_ANSWERS);
	return err;
}

int mrc_listen_req(struct mrc_cm_in *in)
{
	struct mrc_cm_net *cm = mrc_cm_net(in->mnet->net);
	struct mrc_request *req;
	struct mrc_sock *msk;
	u16 reason;
	int err;

	if (in->len < MRC_CM_REQ_LEN)
		return -MRC_DROP_CM_PAD;
	if (mrc_listen_again(cm, in))
		return 0;
	reason = mrc_listen_lookup(cm, in, &msk);
	if (reason)
		goto rej;
	/* As TCP does with a SYN: the initiator asks again. */
	if (sk_acceptq_is_full(&msk->sk))
		return -MRC_DROP_BACKLOG;
	err = mrc_cookie_check(cm, in);
	if (err)
		return min(err, 0);
	req = mrc_request_new(in, msk, &reason);
	if (reason)
		goto rej;
	if (!req)
		return -MRC_DROP_NOMEM;
	return mrc_listen_grant(cm, in, req);

rej:
	mrc_cm_answer_rej(in, reason);
	return 0;
}

/* ---- children ------------------------------------------------------------ */

/* What a clone must not share with its listener. */
static void mrc_child_reset(struct sock *sk, const struct mrc_request *req,
			    struct mrc_net *mnet)
{
	struct mrc_sock *msk = mrc_sk(sk);

	memset((void *)msk + offsetof(struct mrc_sock, qp), 0,
	       sizeof(*msk) - offsetof(struct mrc_sock, qp));
	mrc_qp_init(&msk->qp, sk, mnet);
	msk->t.local = req->local;
	msk->t.remote = req->key.remote;
	msk->t.lport = req->lport;
	msk->t.rport = req->rport;
	msk->token = req->token;
	msk->peer_token = req->key.token;
	sk->sk_max_ack_backlog = 0;
	sk->sk_ack_backlog = 0;
	sk->sk_state = TCP_CLOSE;
	WRITE_ONCE(sk->sk_shutdown, 0);
}

/* A child that cannot live. Its lock is held; both references go. */
static void mrc_child_kill(struct sock *sk)
	__releases(&sk->sk_lock.slock)
{
	mrc_set_state(sk, TCP_CLOSE);
	sock_set_flag(sk, SOCK_DEAD);
	bh_unlock_sock(sk);
	sock_put(sk);
	sock_put(sk);
}

/* Into the queue of @parent, if it still listens. */
static int mrc_child_enqueue(struct mrc_sock *parent, struct mrc_sock *child)
{
	int err = -ENOENT;

	spin_lock(&parent->accept_lock);
	if (parent->sk.sk_state == TCP_LISTEN) {
		list_add_tail(&child->accept_node, &parent->accept_q);
		sk_acceptq_added(&parent->sk);
		err = 0;
	}
	spin_unlock(&parent->accept_lock);
	return err;
}

/* The QP and all that depends on it. The child's lock is held. */
static int mrc_child_start(struct mrc_cm_net *cm, struct mrc_sock *parent,
			   struct mrc_sock *child, struct mrc_request *req)
{
	struct mrc_peer *peer;
	int err;

	err = mrc_port_inherit(child, parent);
	if (err)
		return err;
	/* its own: it keeps to it when the listener is gone */
	child->profile = parent->profile;
	mrc_profile_get(child->profile);
	child->qp.cc_profile = parent->qp.cc_profile;
	mrc_cc_profile_hold(child->qp.cc_profile);
	peer = mrc_peer_get(cm->mnet, &req->local, &req->key.remote,
			    child->profile ? child->profile->id : 0,
			    GFP_ATOMIC);
	if (IS_ERR(peer))
		return PTR_ERR(peer);
	err = mrc_qpn_replace(cm->mnet, &req->qpn, &child->qp.qpn,
			      MRC_QPN_QP);
	if (err)
		goto err_peer;
	err = mrc_conn_start(child, peer, &req->p);
	if (err)
		goto err_qpn;
	mrc_set_state(&child->sk, TCP_ESTABLISHED);
	err = mrc_child_enqueue(parent, child);
	if (err) {
		mrc_qp_stop(&child->qp);
		return err;
	}
	mrc_request_done(cm, req);
	return 0;

err_qpn:
	mrc_qpn_replace(cm->mnet, &child->qp.qpn, &req->qpn, MRC_QPN_REQUEST);
err_peer:
	mrc_peer_put(peer);
	return err;
}

/* Makes the connection of a request. Return: 0, the drop reason for the
 * packet that brought the proof, or -ENOENT: nobody listens any more.
 */
static int mrc_child_make(struct mrc_cm_net *cm, struct mrc_sock *parent,
			  struct mrc_request *req)
{
	struct sock *sk;
	int err;

	lockdep_assert_held(&cm->reqs.lock);
	if (sk_acceptq_is_full(&parent->sk)) {
		mrc_request_touch(cm, req);
		return -MRC_DROP_BACKLOG;
	}
	sk = sk_clone_lock(&parent->sk, GFP_ATOMIC);
	if (!sk)
		return -MRC_DROP_NOMEM;
	__acquire(&sk->sk_lock.slock);	/* for sparse: it came locked */
	mrc_child_reset(sk, req, cm->mnet);
	err = mrc_sock_setup(sk, cm->mnet, GFP_ATOMIC);
	mrc_sk(sk)->user_timeout = parent->user_timeout;
	mrc_sk(sk)->qp.nodelay = parent->qp.nodelay;
	mrc_sk(sk)->tag = parent->tag;
	if (!err)
		err = mrc_child_start(cm, parent, mrc_sk(sk), req);
	if (err) {
		mrc_child_kill(sk);
		if (err == -ENOENT)
			return err;
		if (err == -ENOMEM)
			return -MRC_DROP_NOMEM;
		/* The route back went in the meantime. */
		MRC_INC(cm->mnet, NO_RETURN);
		return -MRC_DROP_CM_STATE;
	}
	MRC_INC(cm->mnet, PASSIVE_OPEN);
	bh_unlock_sock(sk);
	sock_put(sk);
	return 0;
}

static struct mrc_sock *mrc_request_listener(struct mrc_cm_net *cm,
					     const struct mrc_request *req)
{
	struct mrc_sock *msk;

	msk = mrc_port_listener(&cm->ports, &req->local, req->lport);
	if (!msk || !refcount_inc_not_zero(&msk->sk.sk_refcnt))
		return NULL;
	if (msk->sk.sk_type == (req->p.seqpacket ? SOCK_SEQPACKET : SOCK_STREAM))
		return msk;
	sock_put(&msk->sk);
	return NULL;
}

/* Tells an initiator that believes to be connected. */
static void mrc_request_abort(struct mrc_net *mnet,
			      const struct mrc_request *req, u8 plane)
{
	struct mrc_cm_msg msg = {
		.type		= MRC_CM_ABORT,
		.present	= BIT(MRC_TLV_REASON) | BIT(MRC_TLV_KEY),
		.token		= req->key.token,
		.key		= req->p.tx_key,
		.reason		= MRC_CM_R_REFUSED,
	};

	mrc_cm_spray(mnet, &req->local, &req->key.remote, plane, 1, &msg);
}

/*
 * @skb proves a request. Makes the connection, unless another CPU was
 * faster, and gives it the packet. Takes @skb.
 */
static void mrc_request_proved(struct mrc_net *mnet, struct mrc_request *req,
			       struct sk_buff *skb)
{
	struct mrc_cm_net *cm = mrc_cm_net(mnet->net);
	u32 qpn = req->token & MRC_QPN_MASK;
	const struct mrc_peer *peer;
	struct mrc_sock *parent;
	struct mrc_qpn *e;
	bool made = false;
	struct mrc_qp *qp;
	int err = 0;

	parent = mrc_request_listener(cm, req);
	spin_lock(&cm->reqs.lock);
	if (req->state == MRC_REQ_DEAD) {
		err = -MRC_DROP_CM_STATE;
	} else if (req->state == MRC_REQ_OPEN) {
		err = parent ? mrc_child_make(cm, parent, req) : -ENOENT;
		made = !err;
		if (made)
			parent->sk.sk_data_ready(&parent->sk);
		else if (err == -ENOENT)
			mrc_request_drop(cm, req);
	}
	spin_unlock(&cm->reqs.lock);
	if (parent)
		sock_put(&parent->sk);
	if (err == -ENOENT) {
		mrc_request_abort(mnet, req, MRC_RX(skb)->plane);
		err = -MRC_DROP_CLOSED;
	}
	if (err) {
		mrc_cm_drop(mnet, skb, err);
		return;
	}
	e = mrc_qpn_lookup(mnet, qpn);
	qp = e && e->kind == MRC_QPN_QP ?
	     container_of(e, struct mrc_qp, qpn) : NULL;
	if (!qp || !refcount_inc_not_zero(&qp->sk->sk_refcnt)) {
		mrc_cm_drop(mnet, skb, MRC_DROP_CLOSED);
		return;
	}
	/* who has accepted it may be closing it already */
	peer = READ_ONCE(qp->peer);
	if (made && peer)
		mrc_peer_warm(peer);
	mrc_qp_queue(qp, skb);
	sock_put(qp->sk);
}

static bool mrc_request_from(const struct mrc_request *req,
			     const struct in6_addr *local,
			     const struct in6_addr *remote)
{
	return ipv6_addr_equal(local, &req->local) &&
	       ipv6_addr_equal(remote, &req->key.remote);
}

static int mrc_listen_check(const struct mrc_cm_in *in,
			    const struct mrc_request *req)
{
	if (in->msg.token != req->token)
		return -MRC_DROP_CM_TOKEN;
	if (!mrc_request_from(req, in->local, in->remote))
		return -MRC_DROP_ADDR;
	if (in->msg.type != MRC_CM_RTU && in->msg.type != MRC_CM_ABORT)
		return -MRC_DROP_CM_STATE;
	if (!(in->msg.present & BIT(MRC_TLV_KEY)) ||
	    in->msg.key != req->p.rx_key)
		return -MRC_DROP_KEY;
	return 0;
}

void mrc_listen_msg(struct mrc_cm_in *in, struct mrc_qpn *e)
{
	struct mrc_request *req = container_of(e, struct mrc_request, qpn);
	struct mrc_cm_net *cm = mrc_cm_net(in->mnet->net);
	int err = mrc_listen_check(in, req);

	if (err) {
		mrc_cm_drop(in->mnet, in->skb, err);
		return;
	}
	if (in->msg.type == MRC_CM_RTU) {
		mrc_request_proved(in->mnet, req, in->skb);
		return;
	}
	MRC_INC(in->mnet, CM_ABORT_IN);
	spin_lock(&cm->reqs.lock);
	if (req->state == MRC_REQ_OPEN)
		mrc_request_drop(cm, req);
	spin_unlock(&cm->reqs.lock);
	consume_skb(in->skb);
}

/* Does a packet other than CM prove the request? Return: 0 or -MRC_DROP_*. */
static int mrc_listen_proof(const struct mrc_request *req, struct sk_buff *skb)
{
	unsigned int len = min(MRC_RX(skb)->seg, skb->len);
	u8 buf[MRC_LEN_CTRL_MAX], *p;
	struct mrc_probe probe;
	struct mrc_data data;
	struct mrc_bth bth;
	unsigned int hlen;
	int err;

	if (!mrc_request_from(req, &ipv6_hdr(skb)->daddr,
			      &ipv6_hdr(skb)->saddr))
		return -MRC_DROP_ADDR;
	if (req->p.icrc && !mrc_input_icrc_ok(skb, 0, len))
		return -MRC_DROP_ICRC;
	hlen = min_t(unsigned int, len, sizeof(buf));
	p = skb_header_pointer(skb, 0, hlen, buf);
	err = p ? mrc_wire_classify(p, len, &bth) : -MRC_DROP_SHORT;
	if (err < 0)
		return err;
	if (err == MRC_KIND_PROBE) {
		err = mrc_wire_parse_probe(p, hlen, &probe);
		if (err)
			return err;
		return probe.has_key && probe.key == req->p.rx_key ?
		       0 : -MRC_DROP_KEY;
	}
	if (err != MRC_KIND_DATA)
		return -MRC_DROP_QP;
	err = mrc_wire_parse_data(p, hlen, len, req->p.icrc, &data);
	if (err)
		return err;
	if (data.rkey != req->p.rx_rkey)
		return -MRC_DROP_RKEY;
	if (!mrc_psn_in_window(bth.psn, req->p.rx_psn, req->p.rx_mpr))
		return -MRC_DROP_PSN_ABOVE;
	if (data.va > req->p.rx_window ||
	    data.len > req->p.rx_window - data.va)
		return -MRC_DROP_VA_WINDOW;
	return 0;
}

void mrc_listen_packet(struct mrc_net *mnet, struct mrc_qpn *e,
		       struct sk_buff *skb)
{
	struct mrc_request *req = container_of(e, struct mrc_request, qpn);
	int err = mrc_listen_proof(req, skb);

	if (err)
		mrc_cm_drop(mnet, skb, err);
	else
		mrc_request_proved(mnet, req, skb);
}

/* ---- listen(2), accept(2) ------------------------------------------------ */

int mrc_listen_start(struct sock *sk, int backlog)
{
	struct mrc_sock *msk = mrc_sk(sk);
	int err;

	WRITE_ONCE(sk->sk_max_ack_backlog, backlog);
	if (sk->sk_state == TCP_LISTEN)
		return 0;
	sk->sk_ack_backlog = 0;
	if (!msk->bind) {
		err = mrc_port_bind(msk, &msk->t.local, 0);
		if (err)
			return err;
	}
	mrc_set_state(sk, TCP_LISTEN);
	err = mrc_port_listen(msk);
	if (err)
		mrc_set_state(sk, TCP_CLOSE);
	return err;
}

/* Takes the whole queue; nothing enters it any more. */
static void mrc_listen_end(struct sock *sk, struct list_head *left)
{
	struct mrc_sock *msk = mrc_sk(sk);

	mrc_port_unlisten(msk);
	spin_lock_bh(&msk->accept_lock);
	mrc_set_state(sk, TCP_CLOSE);
	list_splice_init(&msk->accept_q, left);
	sk->sk_ack_backlog = 0;
	spin_unlock_bh(&msk->accept_lock);
}

void mrc_listen_stop(struct sock *sk)
{
	struct mrc_sock *child, *next;
	LIST_HEAD(left);

	mrc_listen_end(sk, &left);
	list_for_each_entry_safe(child, next, &left, accept_node) {
		list_del_init(&child->accept_node);
		lock_sock_nested(&child->sk, SINGLE_DEPTH_NESTING);
		sock_orphan(&child->sk);
		mrc_conn_abort(child, ECONNRESET, MRC_CM_R_CLOSED, NULL);
		mrc_port_put(child);	/* if it had ended before */
		release_sock(&child->sk);
		sock_put(&child->sk);
		cond_resched();
	}
}

struct sock *mrc_listen_next(struct sock *sk)
{
	struct mrc_sock *msk = mrc_sk(sk), *child;

	spin_lock_bh(&msk->accept_lock);
	child = list_first_entry_or_null(&msk->accept_q, struct mrc_sock,
					 accept_node);
	if (child) {
		list_del_init(&child->accept_node);
		sk_acceptq_removed(sk);
	}
	spin_unlock_bh(&msk->accept_lock);
	return child ? &child->sk : NULL;
}

bool mrc_listen_ready(const struct sock *sk)
{
	return !list_empty_careful(&mrc_sk(sk)->accept_q);
}
