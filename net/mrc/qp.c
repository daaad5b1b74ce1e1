// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs: the namespace's QPN table, set-up and end of a QP, and the way
 * of packets and news to the side of the QP they are for.
 *
 * A packet is put on the QP's lockless list; whoever puts the first one takes
 * the socket lock and drains the list, so that N planes may deliver on N CPUs
 * and no one waits in vain. If a user owns the socket, release_cb drains.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <net/netns/generic.h>

#include <uapi/linux/mrc.h>

#include "input.h"
#include "transport.h"

/* Truesize that may wait for a busy socket, beyond its receive buffer. */
#define MRC_INPUT_EXTRA		(1024 * 1024)
#define MRC_QPN_TRIES		64

struct mrc_qp_ops mrc_qp_ops;

static unsigned int mrc_qpn_net_id;

/* Per namespace: all QPNs in use. */
struct mrc_qpn_net {
	struct rhashtable	table;
};

static const struct rhashtable_params mrc_qpn_params = {
	.head_offset	= offsetof(struct mrc_qpn, node),
	.key_offset	= offsetof(struct mrc_qpn, qpn),
	.key_len	= sizeof(u32),
	.automatic_shrinking = true,
};

static struct rhashtable *mrc_qpn_table(const struct mrc_net *mnet)
{
	struct mrc_qpn_net *qn = net_generic(mnet->net, mrc_qpn_net_id);

	return &qn->table;
}

int mrc_qpn_insert(struct mrc_net *mnet, struct mrc_qpn *e, u8 kind)
{
	unsigned int i;
	int err;

	e->kind = kind;
	for (i = 0; i < MRC_QPN_TRIES; i++) {
		e->qpn = get_random_u32_inclusive(MRC_QPN_MIN, MRC_QPN_MASK);
		err = rhashtable_lookup_insert_fast(mrc_qpn_table(mnet),
						    &e->node, mrc_qpn_params);
		if (err != -EEXIST)
			break;
	}
	if (!err)
		return 0;
	e->qpn = 0;
	return err == -EEXIST ? -ENOSPC : err;
}

int mrc_qpn_replace(struct mrc_net *mnet, struct mrc_qpn *old,
		    struct mrc_qpn *new, u8 kind)
{
	new->qpn = old->qpn;
	new->kind = kind;
	return rhashtable_replace_fast(mrc_qpn_table(mnet), &old->node,
				       &new->node, mrc_qpn_params);
}

void mrc_qpn_remove(struct mrc_net *mnet, struct mrc_qpn *e)
{
	if (!e->qpn)
		return;
	rhashtable_remove_fast(mrc_qpn_table(mnet), &e->node, mrc_qpn_params);
	e->qpn = 0;
}

struct mrc_qpn *mrc_qpn_lookup(struct mrc_net *mnet, u32 qpn)
{
	return rhashtable_lookup(mrc_qpn_table(mnet), &qpn, mrc_qpn_params);
}

/*
 * Life
 */

void mrc_qp_init(struct mrc_qp *qp, struct sock *sk, struct mrc_net *mnet)
{
	memset(qp, 0, sizeof(*qp));
	qp->sk = sk;
	qp->mnet = mnet;
	qp->user_timeout = MRC_USER_TIMEOUT_NS;
	INIT_LIST_HEAD(&qp->user.peer_node);
	init_llist_head(&qp->input);
	mrc_timer_init(qp);
}

int mrc_qp_start(struct mrc_qp *qp, struct mrc_peer *peer,
		 const struct in6_addr *local, const struct in6_addr *remote,
		 const struct mrc_qp_params *p, gfp_t gfp)
{
	int err;

	qp->p = *p;
	qp->hdr = MRC_HDR_STREAM;
	err = mrc_req_init(qp, gfp);
	if (err)
		return err;
	err = mrc_rsp_init(qp, gfp);
	if (err) {
		mrc_req_purge(qp);
		return err;
	}
	qp->peer = peer;
	qp->local = *local;
	qp->remote = *remote;
	qp->state = MRC_QP_READY;
	qp->last_plane = p->planes ? ffs(p->planes) : 0;
	qp->heard_at = mrc_now();
	qp->progress_at = qp->heard_at;
	mrc_peer_attach(peer, &qp->user);
	mrc_qp_keepalive(qp, sock_flag(qp->sk, SOCK_KEEPOPEN));
	return 0;
}

void mrc_qp_stop(struct mrc_qp *qp)
{
	bool was_ready = qp->state == MRC_QP_READY;

	qp->state = MRC_QP_DEAD;
	mrc_timer_stop(qp);
	mrc_qpn_remove(qp->mnet, &qp->qpn);
	if (!qp->peer)
		return;
	if (was_ready)
		mrc_peer_detach(qp->peer, &qp->user);
	mrc_req_purge(qp);
	mrc_rsp_purge(qp);
	mrc_peer_put(qp->peer);
	qp->peer = NULL;
}

/* Lists, timer and lock stay as they are: others may still hold on to them. */
void mrc_qp_reset(struct mrc_qp *qp)
{
	mrc_qp_stop(qp);
	__skb_queue_purge(&qp->sk->sk_receive_queue);
	memset(&qp->p, 0, sizeof(qp->p));
	memset(&qp->req, 0, sizeof(qp->req));
	memset(&qp->rsp, 0, sizeof(qp->rsp));
	memset(&qp->stats, 0, sizeof(qp->stats));
	qp->busy = false;
	qp->backoff = 0;
	qp->backoff_at = 0;
	qp->rtt_plane = 0;
	memset(qp->asked, 0, sizeof(qp->asked));
	qp->probe_at = 0;
	qp->probe_n = 0;
	qp->probe_wanted = false;
	qp->sent_at = 0;
	qp->state = MRC_QP_IDLE;
}

void mrc_qp_destroy(struct mrc_qp *qp)
{
	struct llist_node *node = llist_del_all(&qp->input);
	struct sk_buff *skb, *next;

	hrtimer_cancel(&qp->timer);
	llist_for_each_entry_safe(skb, next, node, ll_node)
		kfree_skb(skb);
	WARN_ON_ONCE(qp->peer);
	mrc_cc_profile_put(qp->cc_profile);
}

void mrc_qp_fail(struct mrc_qp *qp, int err, bool tell)
{
	if (qp->state != MRC_QP_READY)
		return;
	MRC_INC(qp->mnet, CONN_ABORTED);
	mrc_qp_ops.failed(qp, err, tell);
	mrc_qp_stop(qp);
}

void mrc_qp_probe(struct mrc_qp *qp)
{
	if (qp->state != MRC_QP_READY)
		return;
	qp->probe_wanted = true;
	mrc_timer_arm(qp, mrc_now());
}

void mrc_qp_keepalive(struct mrc_qp *qp, bool on)
{
	if (on)
		mrc_timer_arm(qp, mrc_now() + MRC_KEEPALIVE_NS);
	else if (!qp->probe_wanted)
		qp->probe_n = 0;
}

bool mrc_qp_gone_data(const struct mrc_qp *qp, u32 psn, u32 rkey)
{
	u64 psn64 = mrc_psn_expand(qp->req.una, psn);

	return qp->state == MRC_QP_READY && rkey == qp->p.tx_rkey &&
	       psn64 >= qp->req.una && psn64 < qp->req.nxt;
}

int mrc_qp_find_probe(const struct mrc_qp *qp, u16 id)
{
	int i;

	for (i = 0; i < MRC_QP_PROBES; i++)
		if (id && qp->asked[i].id == id)
			return i;
	return -1;
}

bool mrc_qp_gone_probe(const struct mrc_qp *qp, u16 probe_id, u32 key)
{
	return qp->state == MRC_QP_READY && key == qp->p.tx_key &&
	       mrc_qp_find_probe(qp, probe_id) >= 0;
}

/*
 * Packets
 */

/* Parses a control packet, which is small and whole, from a copy. Return: its
 * length without ICRC, 0 if it is too long to be one.
 */
static unsigned int mrc_qp_ctl_copy(struct mrc_qp *qp, struct sk_buff *skb,
				    u8 *buf)
{
	unsigned int len = skb->len;

	if (qp->p.icrc) {
		if (len < MRC_LEN_BTH + MRC_LEN_ICRC ||
		    !mrc_input_icrc_ok(skb, 0, len))
			return 0;
		len -= MRC_LEN_ICRC;
	}
	/* A PROBE may be padded: its headers are what counts. */
	len = min_t(unsigned int, len, MRC_LEN_CTRL_MAX);
	return skb_copy_bits(skb, 0, buf, len) ? 0 : len;
}

static int mrc_qp_ctl(struct mrc_qp *qp, struct sk_buff *skb,
		      const struct mrc_bth *bth)
{
	union {
		struct mrc_sack	 sack;
		struct mrc_nack	 nack;
		struct mrc_probe probe;
		struct mrc_nak	 nak;
	} u;
	struct mrc_rx rx = *MRC_RX(skb);
	u8 buf[MRC_LEN_CTRL_MAX];
	unsigned int len;
	int err;

	if (rx.seg != skb->len)
		return -MRC_DROP_LEN;
	len = mrc_qp_ctl_copy(qp, skb, buf);
	if (!len)
		return -MRC_DROP_ICRC;
	switch (bth->opcode) {
	case MRC_OP_SACK:
		err = mrc_wire_parse_sack(buf, len, &u.sack);
		return err ?: mrc_req_sack(qp, &u.sack, mrc_now());
	case MRC_OP_NACK:
		err = mrc_wire_parse_nack(buf, len, &u.nack);
		return err ?: mrc_req_nack(qp, &u.nack, mrc_now());
	case MRC_OP_PROBE:
		err = mrc_wire_parse_probe(buf, len, &u.probe);
		return err ?: mrc_rsp_probe(qp, &u.probe, &rx);
	case MRC_OP_ACK:
		err = mrc_wire_parse_nak(buf, len, &u.nak);
		if (err)
			return err;
		if (!u.nak.has_key || u.nak.key != qp->p.rx_key)
			return -MRC_DROP_KEY;
		if (!mrc_aeth_is_nak(u.nak.syndrome))
			return -MRC_DROP_SYNDROME;
		MRC_INC(qp->mnet, NAK_IN);
		mrc_qp_fail(qp, EPROTO, false);
		return 0;
	}
	return -MRC_DROP_OPCODE;
}

/* One packet, or burst, of this QP. Takes @skb. */
static void mrc_qp_packet(struct mrc_qp *qp, struct sk_buff *skb)
{
	u8 hdr[MRC_LEN_BTH], *p;
	struct mrc_bth bth;
	int err;

	p = skb_header_pointer(skb, 0, sizeof(hdr), hdr);
	err = p ? mrc_wire_classify(p, skb->len, &bth) : -MRC_DROP_SHORT;
	if (err == MRC_KIND_CM) {
		mrc_qp_ops.cm_input(qp, skb);
		return;
	}
	if (err > 0 && qp->state != MRC_QP_READY)
		err = -MRC_DROP_CLOSED;
	if (err > 0 && (!ipv6_addr_equal(&ipv6_hdr(skb)->saddr, &qp->remote) ||
			!ipv6_addr_equal(&ipv6_hdr(skb)->daddr, &qp->local)))
		err = -MRC_DROP_ADDR;
	if (err == MRC_KIND_DATA && !MRC_RX(skb)->trim) {
		mrc_rsp_data(qp, skb);
		return;
	}
	if (err == MRC_KIND_DATA)
		err = mrc_rsp_trimmed(qp, skb);
	else if (err > 0)
		err = mrc_qp_ctl(qp, skb, &bth);
	if (err)
		mrc_mib_drop(qp->mnet, err);
	kfree_skb(skb);
}

static void mrc_qp_drain(struct mrc_qp *qp)
{
	struct llist_node *node = llist_del_all(&qp->input);
	struct sk_buff *skb, *next;

	node = llist_reverse_order(node);
	llist_for_each_entry_safe(skb, next, node, ll_node) {
		skb_mark_not_on_list(skb);
		atomic_sub(skb->truesize, &qp->input_bytes);
		mrc_qp_packet(qp, skb);
	}
}

/* News of paths, room and the timer. */
static void mrc_qp_news(struct mrc_qp *qp)
{
	unsigned long news = xchg(&qp->user.pending, 0);
	u64 sent = qp->stats.sent + qp->stats.rtx;
	u8 i, n_plane = qp->req.n_plane;
	struct mrc_plane *plane;

	if (!news || qp->state != MRC_QP_READY)
		return;
	if (news & BIT(MRC_NEWS_PLANE_DOWN))
		mrc_req_planes_down(qp);
	if (news & (BIT(MRC_NEWS_PATH_GOOD) | BIT(MRC_NEWS_PATHS)))
		mrc_req_resume(qp);
	if (news & BIT(MRC_NEWS_TIMER))
		mrc_timer_run(qp);
	mrc_req_push(qp);
	if (!(news & BIT(MRC_NEWS_ROOM)) ||
	    sent != qp->stats.sent + qp->stats.rtx)
		return;
	/* Woken for room that we did not need, or died of the rest of the
	 * news: the next one may.
	 */
	for (i = 0; i < n_plane; i++) {
		plane = mrc_plane_get_rcu(qp->mnet, i);
		if (plane)
			mrc_plane_pass_room(plane);
	}
}

/**
 * mrc_qp_settle - what a batch of packets or news has brought about
 * @qp: QP
 *
 * Sends what windows now allow, wakes the writer. (The reader is woken by
 * responder.c, once per skb.)
 *
 * Context: socket lock held, BH off.
 */
void mrc_qp_settle(struct mrc_qp *qp)
{
	mrc_req_push(qp);
	qp->sk->sk_write_space(qp->sk);
}

void mrc_qp_queue(struct mrc_qp *qp, struct sk_buff *skb)
{
	struct sock *sk = qp->sk;
	int limit = READ_ONCE(sk->sk_rcvbuf) + MRC_INPUT_EXTRA;

	if (atomic_add_return(skb->truesize, &qp->input_bytes) > limit) {
		atomic_sub(skb->truesize, &qp->input_bytes);
		mrc_mib_drop(qp->mnet, MRC_DROP_QUEUE);
		kfree_skb(skb);
		return;
	}
	/* Only who finds the list empty needs the lock: it has not drained
	 * yet, and will find ours too.
	 */
	if (!llist_add(&skb->ll_node, &qp->input))
		return;
	bh_lock_sock(sk);
	if (sock_owned_by_user(sk)) {
		qp->deferred = true;
	} else {
		mrc_qp_drain(qp);
		mrc_qp_settle(qp);
	}
	bh_unlock_sock(sk);
}

void mrc_qp_release(struct mrc_qp *qp)
{
	if (!qp->deferred)
		return;
	qp->deferred = false;
	rcu_read_lock();
	mrc_qp_drain(qp);
	mrc_qp_news(qp);
	mrc_qp_settle(qp);
	rcu_read_unlock();
}

/*
 * From the paths floor
 */

/* For @e, which is no connection, or for nothing that we have. */
static void mrc_up_no_qp(struct mrc_net *mnet, struct mrc_qpn *e,
			 struct sk_buff *skb, u32 qpn)
{
	if (MRC_RX(skb)->trim) {
		/* proves nothing, and there is nothing to be sent again */
		mrc_mib_drop(mnet, MRC_DROP_QP);
		kfree_skb(skb);
	} else if (e) {
		mrc_qp_ops.other_qpn(mnet, e, skb);
	} else {
		mrc_qp_ops.unknown_qpn(mnet, skb, qpn);
	}
}

static void mrc_up_qp_input(struct mrc_net *mnet, struct sk_buff *skb, u32 qpn)
{
	struct mrc_qpn *e = mrc_qpn_lookup(mnet, qpn);
	struct mrc_qp *qp;

	if (e && READ_ONCE(e->kind) != MRC_QPN_QP) {
		mrc_up_no_qp(mnet, e, skb, qpn);
		return;
	}
	qp = e ? container_of(e, struct mrc_qp, qpn) : NULL;
	if (!qp || !refcount_inc_not_zero(&qp->sk->sk_refcnt)) {
		mrc_up_no_qp(mnet, NULL, skb, qpn);
		return;
	}
	mrc_qp_queue(qp, skb);
	sock_put(qp->sk);
}

static void mrc_up_news(struct mrc_user *user)
{
	struct mrc_qp *qp = mrc_user_qp(user);
	struct sock *sk = qp->sk;

	bh_lock_sock(sk);
	if (sock_owned_by_user(sk))
		qp->deferred = true;
	else
		mrc_qp_news(qp);
	bh_unlock_sock(sk);
}

static bool mrc_up_hold(struct mrc_user *user)
{
	return refcount_inc_not_zero(&mrc_user_qp(user)->sk->sk_refcnt);
}

static void mrc_up_put(struct mrc_user *user)
{
	sock_put(mrc_user_qp(user)->sk);
}

const char *mrc_qp_congestion(const struct mrc_qp *qp)
{
	if (qp->cc_profile)
		return qp->cc_profile->name;
	return qp->req.cc.ops ? qp->req.cc.ops->name : MRC_CC_AUTO;
}

void mrc_qp_info(struct mrc_qp *qp, struct mrc_info *info)
{
	const struct mrc_requester *req = &qp->req;
	const struct mrc_responder *rsp = &qp->rsp;

	info->mrc_info_qpn = qp->qpn.qpn;
	info->mrc_info_dqpn = qp->p.dqpn;
	info->mrc_info_packet_size = qp->p.payload;
	info->mrc_info_planes = qp->p.planes;
	info->mrc_info_snd_una = mrc_psn_wire(req->una);
	info->mrc_info_snd_nxt = mrc_psn_wire(req->nxt);
	info->mrc_info_rcv_nxt = mrc_psn_wire(rsp->bm.base);
	info->mrc_info_mpr = req->mpr;
	info->mrc_info_cwnd = req->cc.cwnd;
	info->mrc_info_inflight = req->inflight;
	info->mrc_info_max_msg = qp->p.tx_max_msg;
	if (qp->p.icrc)
		info->mrc_info_flags |= MRC_INFO_F_ICRC;
	if (qp->p.seqpacket)
		info->mrc_info_flags |= MRC_INFO_F_SEQPACKET;
	info->mrc_info_sent = qp->stats.sent;
	info->mrc_info_sent_bytes = qp->stats.sent_bytes;
	info->mrc_info_rtx = qp->stats.rtx;
	info->mrc_info_rtx_undo = qp->stats.rtx_undo;
	info->mrc_info_timeouts = qp->stats.timeouts;
	info->mrc_info_rcvd = qp->stats.rcvd;
	info->mrc_info_rcvd_bytes = qp->stats.rcvd_bytes;
	info->mrc_info_dup = qp->stats.dup;
	info->mrc_info_ooo = qp->stats.ooo;
	info->mrc_info_sacks_out = qp->stats.sacks_out;
	info->mrc_info_sacks_in = qp->stats.sacks_in;
	if (qp->state != MRC_QP_READY)
		return;
	info->mrc_info_cc_state = req->cc.ops->state(&req->cc);
	info->mrc_info_cc_penalty = req->pen;
	info->mrc_info_snd_wnd = req->va_max - req->va_una;
	info->mrc_info_rcv_wnd = rsp->va_max - rsp->va_next;
	rcu_read_lock();
	info->mrc_info_planes_good = mrc_peer_planes_good(qp->peer) &
				     qp->p.planes;
	info->mrc_info_srtt = mrc_peer_rtt(qp->peer, qp->last_plane)->srtt;
	info->mrc_info_rtt_min = mrc_peer_rtt(qp->peer, qp->last_plane)->base;
	rcu_read_unlock();
}

/*
 * Init
 */

static int __net_init mrc_qpn_net_init(struct net *net)
{
	struct mrc_qpn_net *qn = net_generic(net, mrc_qpn_net_id);

	return rhashtable_init(&qn->table, &mrc_qpn_params);
}

static void __net_exit mrc_qpn_net_exit(struct net *net)
{
	struct mrc_qpn_net *qn = net_generic(net, mrc_qpn_net_id);

	WARN_ON_ONCE(atomic_read(&qn->table.nelems));
	rhashtable_destroy(&qn->table);
}

static struct pernet_operations mrc_qpn_net_ops = {
	.init	= mrc_qpn_net_init,
	.exit	= mrc_qpn_net_exit,
	.id	= &mrc_qpn_net_id,
	.size	= sizeof(struct mrc_qpn_net),
};

int mrc_transport_init(void)
{
	int err;

	mrc_upcall.qp_input = mrc_up_qp_input;
	mrc_upcall.news = mrc_up_news;
	mrc_upcall.user_hold = mrc_up_hold;
	mrc_upcall.user_put = mrc_up_put;
	err = mrc_cc_conf_init();
	if (err)
		return err;
	err = register_pernet_subsys(&mrc_qpn_net_ops);
	if (err)
		mrc_cc_conf_exit();
	return err;
}

void mrc_transport_exit(void)
{
	unregister_pernet_subsys(&mrc_qpn_net_ops);
	mrc_cc_conf_exit();
}
