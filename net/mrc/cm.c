// SPDX-License-Identifier: GPL-2.0
/*
 * Connection management: messages of QP 1 in and out, and what the sockets
 * floor keeps per namespace.
 */
#include <linux/random.h>
#include <net/netns/generic.h>

#include "cm.h"
#include "netlink.h"

/* Answers to packets of strangers that cannot be understood or belong to no
 * QP, per second and namespace; a rebooted host's peers need one each.
 */
#define MRC_METER_RATE		2000
#define MRC_METER_BURST		500

/* The receive window may not grow beyond what the tables can count. */
#define MRC_TX_WINDOW_MAX	BIT_ULL(40)

static unsigned int mrc_cm_net_id __read_mostly;

struct mrc_cm_net *mrc_cm_net(const struct net *net)
{
	return net_generic(net, mrc_cm_net_id);
}

void mrc_cm_drop(struct mrc_net *mnet, struct sk_buff *skb, int reason)
{
	mrc_mib_drop(mnet, reason);
	kfree_skb(skb);
}

bool mrc_cm_meter(struct mrc_cm_net *cm)
{
	struct mrc_meter *m = &cm->meter;
	u64 now = ktime_get_ns(), gain;
	bool ok;

	spin_lock(&m->lock);
	gain = (now - m->at) / (NSEC_PER_SEC / MRC_METER_RATE);
	if (gain) {
		m->tokens = min_t(u64, m->tokens + gain, MRC_METER_BURST);
		m->at = now;
	}
	ok = m->tokens;
	if (ok)
		m->tokens--;
	spin_unlock(&m->lock);
	if (!ok)
		mrc_mib_drop(cm->mnet, MRC_DROP_RATE);
	return ok;
}

/* ---- out ----------------------------------------------------------------- */

static void mrc_cm_count(struct mrc_net *mnet, u8 type)
{
	switch (type) {
	case MRC_CM_REQ:
		MRC_INC(mnet, CM_REQ_OUT);
		break;
	case MRC_CM_REP:
		MRC_INC(mnet, CM_REP_OUT);
		break;
	case MRC_CM_RTU:
		MRC_INC(mnet, CM_RTU_OUT);
		break;
	case MRC_CM_REJ:
		MRC_INC(mnet, CM_REJ_OUT);
		break;
	case MRC_CM_ABORT:
		MRC_INC(mnet, CM_ABORT_OUT);
		break;
	case MRC_CM_GONE:
		MRC_INC(mnet, CM_GONE_OUT);
		break;
	}
}

/* The packet, with room for its ICRC. A REQ is padded to its full length. */
static struct sk_buff *mrc_cm_skb(const struct mrc_cm_msg *msg)
{
	unsigned int len = MRC_CM_MSG_MAX;
	struct sk_buff *skb;

	if (msg->type == MRC_CM_REQ)
		len = MRC_CM_REQ_LEN;
	skb = mrc_output_alloc(len + MRC_LEN_ICRC, GFP_ATOMIC);
	if (!skb)
		return NULL;
	skb_put_zero(skb, len + MRC_LEN_ICRC);
	len = mrc_cm_build(skb->data, msg);
	if (msg->type != MRC_CM_REQ) {
		skb_trim(skb, len + MRC_LEN_ICRC);
		memset(skb->data + len, 0, MRC_LEN_ICRC);
	}
	return skb;
}

int mrc_cm_send(struct mrc_net *mnet, struct mrc_peer *peer,
		const struct in6_addr *local, const struct in6_addr *remote,
		u8 plane, const struct mrc_cm_msg *msg)
{
	struct mrc_out out = {
		.segs	= 1,
		.class	= MRC_CLASS_CTL,
		.icrc	= true,
	};
	struct mrc_pick pick;
	struct sk_buff *skb;
	int err;

	local_bh_disable();
	rcu_read_lock();
	err = peer ? mrc_peer_pick_plane(peer, plane, &pick) :
		     mrc_route_pick(mnet, remote, plane, get_random_u32(),
				    &pick);
	if (err)
		goto out;
	err = -ENOMEM;
	skb = mrc_cm_skb(msg);
	if (!skb)
		goto out;
	out.seg = skb->len;
	mrc_cm_count(mnet, msg->type);
	err = mrc_output(mnet, local, remote, &pick, skb, &out);
out:
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

u8 mrc_cm_any_plane(u32 mask)
{
	unsigned int turn = get_random_u32_below(32);

	return (__ffs(ror32(mask, turn)) + turn) % 32 + 1;
}

int mrc_cm_spray(struct mrc_net *mnet, const struct in6_addr *local,
		 const struct in6_addr *remote, u8 first, unsigned int n,
		 const struct mrc_cm_msg *msg)
{
	u8 plane = first;
	int sent = 0;
	u32 mask;

	rcu_read_lock();
	if (mrc_node_is_ours(mnet, remote)) {
		rcu_read_unlock();
		return !mrc_cm_send(mnet, NULL, local, remote, 0, msg);
	}
	mask = mrc_route_planes(mnet, remote);
	rcu_read_unlock();
	while (mask && sent < n) {
		if (!plane || !(mask & BIT(plane - 1)))
			plane = mrc_cm_any_plane(mask);
		mask &= ~BIT(plane - 1);
		if (!mrc_cm_send(mnet, NULL, local, remote, plane, msg))
			sent++;
		plane = 0;
	}
	return sent;
}

void mrc_cm_answer(const struct mrc_cm_in *in, unsigned int n,
		   const struct mrc_cm_msg *msg)
{
	if (mrc_cm_spray(in->mnet, in->local, in->remote, in->plane, n, msg))
		return;
	MRC_INC(in->mnet, NO_RETURN);
	mrc_nl_no_return_route(in->mnet, in->local, in->remote, in->plane);
}

void mrc_cm_answer_rej(const struct mrc_cm_in *in, u16 reason)
{
	struct mrc_cm_msg rej = {
		.type		= MRC_CM_REJ,
		.present	= BIT(MRC_TLV_REASON),
		.token		= in->msg.own_token,
		.reason		= reason,
	};

	mrc_cm_answer(in, 1, &rej);
}

/* ---- what both sides announce -------------------------------------------- */

u32 mrc_cm_payload(unsigned int dgram, bool seqpacket, bool icrc)
{
	unsigned int hdr = MRC_HDR_STREAM;
	u32 payload;

	if (seqpacket)
		hdr += MRC_LEN_IMM;
	if (icrc)
		hdr += MRC_LEN_ICRC;
	if (dgram < hdr + MRC_PAYLOAD_MIN)
		return 0;
	payload = min_t(u32, dgram - hdr, MRC_PAYLOAD_MAX);
	return ALIGN_DOWN(payload, 4);
}

u64 mrc_cm_token(u32 qpn)
{
	return (get_random_u64() & ~(u64)MRC_QPN_MASK) | qpn;
}

void mrc_cm_own_side(struct mrc_qp_params *p, int rcvbuf)
{
	p->tx_psn = get_random_u32() & MRC_PSN_MASK;
	p->rx_rkey = get_random_u32();
	p->rx_key = get_random_u32();
	p->rx_mpr = MRC_MPR_DEFAULT;
	p->rx_window = mrc_rsp_window_of(rcvbuf);
	p->rx_max_msg = min_t(u64, p->rx_window / 2, U32_MAX);
}

void mrc_cm_put_side(struct mrc_cm_msg *msg, const struct mrc_qp_params *p,
		     u32 qpn, u64 token, u32 caps)
{
	msg->present |= BIT(MRC_TLV_TOKEN) | BIT(MRC_TLV_QPN) |
			BIT(MRC_TLV_PSN) | BIT(MRC_TLV_RKEY) |
			BIT(MRC_TLV_KEY) | BIT(MRC_TLV_MPR) |
			BIT(MRC_TLV_PKT_SIZE) | BIT(MRC_TLV_WINDOW) |
			BIT(MRC_TLV_MAX_MSG) | BIT(MRC_TLV_MAX_WIMM) |
			BIT(MRC_TLV_PLANES) | BIT(MRC_TLV_CAPS);
	msg->own_token = token;
	msg->qpn = qpn;
	msg->psn = p->tx_psn;
	msg->rkey = p->rx_rkey;
	msg->key = p->rx_key;
	msg->mpr = p->rx_mpr;
	msg->pkt_size = p->payload;
	msg->window = p->rx_window;
	msg->max_msg = p->rx_max_msg;
	/* Each takes a PSN: the PSN range bounds them too. */
	msg->max_wimm = p->rx_mpr;
	msg->planes = p->planes;
	msg->caps = caps;
}

void mrc_cm_get_side(struct mrc_qp_params *p, const struct mrc_cm_msg *msg)
{
	p->dqpn = msg->qpn;
	p->rx_psn = msg->psn;
	p->tx_rkey = msg->rkey;
	p->tx_key = msg->key;
	p->tx_mpr = min_t(u32, msg->mpr, MRC_MPR_MAX);
	/* Every message ends in an immediate, and may be one packet. */
	if (p->seqpacket)
		p->tx_mpr = min(p->tx_mpr, max(msg->max_wimm, 1U));
	p->tx_window = min(msg->window, MRC_TX_WINDOW_MAX);
	p->tx_max_msg = msg->max_msg;
}

/* ---- in ------------------------------------------------------------------ */

/* Reads a message; mrc_cm_in.mnet and .skb are filled in. */
static int mrc_cm_read(struct mrc_cm_in *in)
{
	u8 buf[MRC_CM_BUF];
	unsigned int len;
	void *p;

	in->len = in->skb->len;
	in->local = &ipv6_hdr(in->skb)->daddr;
	in->remote = &ipv6_hdr(in->skb)->saddr;
	in->plane = MRC_RX(in->skb)->plane;
	len = min_t(unsigned int, in->len, sizeof(buf));
	p = skb_header_pointer(in->skb, 0, len, buf);
	if (!p)
		return -MRC_DROP_SHORT;
	return mrc_cm_parse(p, len, &in->msg);
}

/* A message for a QP or a request: whoever owns the token. Takes the skb. */
static void mrc_cm_deliver(struct mrc_cm_in *in)
{
	u64 token = in->msg.token;
	struct mrc_qpn *e;
	struct mrc_qp *qp;

	e = mrc_qpn_lookup(in->mnet, token & MRC_QPN_MASK);
	if (!e) {
		/* A listener that grants what nobody wants any more. */
		if (in->msg.type == MRC_CM_REP &&
		    mrc_cm_meter(mrc_cm_net(in->mnet->net)))
			mrc_active_refuse(in, MRC_CM_R_CLOSED);
		mrc_cm_drop(in->mnet, in->skb, MRC_DROP_CM_TOKEN);
		return;
	}
	switch (READ_ONCE(e->kind)) {
	case MRC_QPN_QP:
		qp = container_of(e, struct mrc_qp, qpn);
		if (!refcount_inc_not_zero(&qp->sk->sk_refcnt)) {
			mrc_cm_drop(in->mnet, in->skb, MRC_DROP_CM_TOKEN);
			break;
		}
		mrc_qp_queue(qp, in->skb);
		sock_put(qp->sk);
		break;
	case MRC_QPN_REQUEST:
		mrc_listen_msg(in, e);
		break;
	default:
		mrc_cm_drop(in->mnet, in->skb, MRC_DROP_CLOSED);
	}
}

/* Takes the skb. */
static void mrc_cm_one(struct mrc_net *mnet, struct sk_buff *skb)
{
	struct mrc_cm_in in = { .mnet = mnet, .skb = skb };
	int err = mrc_cm_read(&in);

	if (err) {
		/* Whoever asks for a connection learns that we cannot read it,
		 * if we can tell whom.
		 */
		if (in.msg.type == MRC_CM_REQ && in.msg.own_token &&
		    in.len >= MRC_CM_REQ_LEN &&
		    mrc_cm_meter(mrc_cm_net(mnet->net)))
			mrc_cm_answer_rej(&in, MRC_CM_R_MALFORMED);
		mrc_cm_drop(mnet, skb, err);
		return;
	}
	switch (in.msg.type) {
	case MRC_CM_REQ:
		MRC_INC(mnet, CM_REQ_IN);
		err = mrc_listen_req(&in);
		if (err)
			mrc_cm_drop(mnet, skb, err);
		else
			consume_skb(skb);
		break;
	case MRC_CM_GONE:
		mrc_wait_gone(&in);
		break;
	default:
		mrc_cm_deliver(&in);
	}
}

/* The namespace is going, and the tables below with it. */
static bool mrc_cm_closed(struct mrc_net *mnet)
{
	return READ_ONCE(mrc_cm_net(mnet->net)->closed);
}

/* A packet for QP 1 (mrc_upcall.cm_input): one message, its ICRC checked and
 * cut off.
 */
static void mrc_cm_input(struct mrc_net *mnet, struct sk_buff *skb)
{
	if (mrc_cm_closed(mnet))
		kfree_skb(skb);
	else
		mrc_cm_one(mnet, skb);
}

static int mrc_cm_sock_msg(struct mrc_sock *msk, const struct mrc_cm_in *in)
{
	if (!ipv6_addr_equal(in->remote, &msk->t.remote) ||
	    !ipv6_addr_equal(in->local, &msk->t.local))
		return -MRC_DROP_ADDR;
	if (in->msg.type == MRC_CM_GONE)
		return mrc_conn_gone_in(msk, in);
	if (!msk->token || in->msg.token != msk->token)
		return -MRC_DROP_CM_TOKEN;
	switch (in->msg.type) {
	case MRC_CM_REP:
		MRC_INC(in->mnet, CM_REP_IN);
		return mrc_active_rep(msk, in);
	case MRC_CM_REJ:
		MRC_INC(in->mnet, CM_REJ_IN);
		return mrc_active_rej(msk, in);
	case MRC_CM_ABORT:
		return mrc_conn_abort_in(msk, in);
	case MRC_CM_RTU:
		/* The connection exists: another proof came first. */
		MRC_INC(in->mnet, CM_RTU_IN);
		return 0;
	default:
		return -MRC_DROP_CM_STATE;
	}
}

/* A message that was queued to a socket (mrc_qp_ops.cm_input). */
static void mrc_cm_sock_input(struct mrc_qp *qp, struct sk_buff *skb)
{
	struct mrc_cm_in in = { .mnet = qp->mnet, .skb = skb };
	int err = mrc_cm_read(&in);

	if (!err)
		err = mrc_cm_sock_msg(mrc_qp_sock(qp), &in);
	if (err)
		mrc_cm_drop(qp->mnet, skb, err);
	else
		consume_skb(skb);
}

/* A packet for a QPN that is no connection (mrc_qp_ops.other_qpn). */
static void mrc_cm_other_qpn(struct mrc_net *mnet, struct mrc_qpn *e,
			     struct sk_buff *skb)
{
	if (mrc_cm_closed(mnet))
		kfree_skb(skb);
	else if (e->kind == MRC_QPN_REQUEST)
		mrc_listen_packet(mnet, e, skb);
	else
		mrc_wait_packet(mnet, e, skb);
}

/* A packet for a QPN that is nobody's (mrc_qp_ops.unknown_qpn). */
static void mrc_cm_unknown_qpn(struct mrc_net *mnet, struct sk_buff *skb,
			       u32 qpn)
{
	if (mrc_cm_closed(mnet))
		kfree_skb(skb);
	else
		mrc_wait_unknown(mnet, skb, qpn);
}

/* After the module's last socket: what arrives goes nowhere. */
static void mrc_cm_input_off(struct mrc_net *mnet, struct sk_buff *skb)
{
	kfree_skb(skb);
}

static void mrc_cm_other_off(struct mrc_net *mnet, struct mrc_qpn *e,
			     struct sk_buff *skb)
{
	kfree_skb(skb);
}

static void mrc_cm_unknown_off(struct mrc_net *mnet, struct sk_buff *skb,
			       u32 qpn)
{
	kfree_skb(skb);
}

/* ---- namespaces ---------------------------------------------------------- */

static int __net_init mrc_cm_net_init(struct net *net)
{
	struct mrc_cm_net *cm = mrc_cm_net(net);
	int err;

	cm->mnet = mrc_net(net);
	spin_lock_init(&cm->meter.lock);
	cm->meter.tokens = MRC_METER_BURST;
	cm->meter.at = ktime_get_ns();
	xa_init_flags(&cm->socks, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_BH);
	err = mrc_ports_init(&cm->ports);
	if (err)
		return err;
	err = mrc_far_init(cm);
	if (err)
		goto err_ports;
	err = mrc_waits_init(cm);
	if (err)
		goto err_far;
	err = mrc_reqs_init(cm);
	if (err)
		goto err_waits;
	return 0;

err_waits:
	mrc_waits_exit(cm);
err_far:
	mrc_far_exit(cm);
err_ports:
	mrc_ports_exit(&cm->ports);
	return err;
}

/* Every socket, orphans too, holds the namespace: none is left. Requests and
 * time-wait entries hold nothing and go now.
 */
static void __net_exit mrc_cm_net_exit(struct net *net)
{
	struct mrc_cm_net *cm = mrc_cm_net(net);

	mrc_reqs_exit(cm);
	mrc_waits_exit(cm);
	mrc_far_exit(cm);
	mrc_ports_exit(&cm->ports);
	WARN_ON_ONCE(!xa_empty(&cm->socks));
	xa_destroy(&cm->socks);
}

/* A grace period follows, so the tables see no packet when they go. */
static void __net_exit mrc_cm_net_pre_exit(struct net *net)
{
	WRITE_ONCE(mrc_cm_net(net)->closed, true);
}

static struct pernet_operations mrc_cm_net_ops = {
	.init	= mrc_cm_net_init,
	.pre_exit = mrc_cm_net_pre_exit,
	.exit	= mrc_cm_net_exit,
	.id	= &mrc_cm_net_id,
	.size	= sizeof(struct mrc_cm_net),
};

/* Context: after the floors below, before anything can arrive. */
int mrc_cm_init(void)
{
	int err = register_pernet_subsys(&mrc_cm_net_ops);

	if (err)
		return err;
	mrc_close_init();
	mrc_qp_ops.cm_input = mrc_cm_sock_input;
	mrc_qp_ops.other_qpn = mrc_cm_other_qpn;
	mrc_qp_ops.unknown_qpn = mrc_cm_unknown_qpn;
	mrc_upcall.cm_input = mrc_cm_input;
	return 0;
}

void mrc_cm_exit(void)
{
	/* Planes still deliver: the floors below go later. */
	WRITE_ONCE(mrc_upcall.cm_input, mrc_cm_input_off);
	WRITE_ONCE(mrc_qp_ops.other_qpn, mrc_cm_other_off);
	WRITE_ONCE(mrc_qp_ops.unknown_qpn, mrc_cm_unknown_off);
	synchronize_net();
	unregister_pernet_subsys(&mrc_cm_net_ops);
}
