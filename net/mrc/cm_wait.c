// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of connections that are over.
 *
 * Time-wait: when both ends of stream are done, neither side knows whether
 * its last SACK arrived. A small entry takes over the QPN, holds neither a
 * socket nor the module, and acknowledges again what is sent again.
 *
 * GONE: a packet for a QPN that is nobody's, because the host was restarted,
 * say. The answer echoes what the packet carried and is believed only if that
 * is outstanding; so the other side needs a table of its connections by
 * address and QPN of their far end.
 */
#include <linux/slab.h>

#include "cm.h"
#include "input.h"

/* Long enough for a peer in deep back-off after a path died. After a longer
 * outage it gets a GONE, which mrc_conn_gone_in() understands if nothing but
 * its end of stream is outstanding.
 */
#define MRC_WAIT_TIME		(6 * HZ)
#define MRC_WAIT_MAX		16384	/* entries of a namespace, ~2.5 MB */

/**
 * struct mrc_wait - a time-wait entry
 * @qpn: in the QPN table
 * @lru: in mrc_waits.lru; empty once it is out
 * @local: our node address
 * @remote: the peer's
 * @next_va: of the SACK
 * @max_va: of the SACK
 * @expires: jiffies
 * @dqpn: the peer's QPN
 * @cack: last PSN of the peer, its end of stream
 * @tx_key: control key the SACK carries
 * @rx_key: what a PROBE must carry
 * @rx_rkey: what a data packet must carry
 * @serial: of the next SACK; atomic
 * @rcvd: rcvd_bytes of the SACK, as on the wire
 * @mpr: as on the wire
 * @icrc: negotiated
 * @rcu: frees it
 */
struct mrc_wait {
	struct mrc_qpn		qpn;
	struct list_head	lru;
	struct in6_addr		local;
	struct in6_addr		remote;
	u64			next_va;
	u64			max_va;
	unsigned long		expires;
	u32			dqpn;
	u32			cack;
	u32			tx_key;
	u32			rx_key;
	u32			rx_rkey;
	atomic_t		serial;
	u32			rcvd;
	u8			mpr;
	bool			icrc;
	struct rcu_head		rcu;
};

/* ---- time-wait ----------------------------------------------------------- */

static void mrc_wait_drop(struct mrc_cm_net *cm, struct mrc_wait *w)
{
	lockdep_assert_held(&cm->waits.lock);
	list_del(&w->lru);
	cm->waits.n--;
	mrc_qpn_remove(cm->mnet, &w->qpn);
	MRC_INC(cm->mnet, TIME_WAIT_FREED);
	kfree_rcu(w, rcu);
}

static struct mrc_wait *mrc_wait_alloc(struct mrc_sock *msk)
{
	struct mrc_qp *qp = &msk->qp;
	struct mrc_wait *w;

	w = kzalloc(sizeof(*w), GFP_ATOMIC | __GFP_NOWARN);
	if (!w)
		return NULL;
	w->local = msk->t.local;
	w->remote = msk->t.remote;
	w->next_va = qp->rsp.va_next;
	w->max_va = qp->rsp.va_max;
	w->expires = jiffies + MRC_WAIT_TIME;
	w->dqpn = qp->p.dqpn;
	w->cack = mrc_psn_wire(qp->rsp.bm.base - 1);
	w->tx_key = qp->p.tx_key;
	w->rx_key = qp->p.rx_key;
	w->rx_rkey = qp->p.rx_rkey;
	atomic_set(&w->serial, qp->rsp.serial);
	w->rcvd = mrc_wire_rcvd(qp->rsp.rcvd);
	w->mpr = qp->p.rx_mpr >> MRC_MPR_SHIFT;
	w->icrc = qp->p.icrc;
	return w;
}

void mrc_wait_enter(struct mrc_sock *msk)
{
	struct mrc_cm_net *cm = mrc_cm_net(sock_net(&msk->sk));
	struct mrc_waits *waits = &cm->waits;
	struct mrc_wait *w = mrc_wait_alloc(msk);

	/* Without an entry a peer that sends again gets a GONE instead. */
	if (!w)
		return;
	spin_lock_bh(&waits->lock);
	if (mrc_qpn_replace(cm->mnet, &msk->qp.qpn, &w->qpn,
			    MRC_QPN_TIME_WAIT)) {
		spin_unlock_bh(&waits->lock);
		kfree(w);
		return;
	}
	list_add_tail(&w->lru, &waits->lru);
	MRC_INC(cm->mnet, TIME_WAIT);
	if (++waits->n > MRC_WAIT_MAX)
		mrc_wait_drop(cm, list_first_entry(&waits->lru,
						   struct mrc_wait, lru));
	if (!timer_pending(&waits->timer))
		mod_timer(&waits->timer, w->expires);
	spin_unlock_bh(&waits->lock);
}

static void mrc_wait_timer(struct timer_list *t)
{
	struct mrc_cm_net *cm = container_of(t, struct mrc_cm_net,
					     waits.timer);
	struct mrc_wait *w;

	spin_lock_bh(&cm->waits.lock);
	while (!list_empty(&cm->waits.lru)) {
		w = list_first_entry(&cm->waits.lru, struct mrc_wait, lru);
		if (time_before(jiffies, w->expires)) {
			mod_timer(&cm->waits.timer, w->expires);
			break;
		}
		mrc_wait_drop(cm, w);
	}
	spin_unlock_bh(&cm->waits.lock);
}

/* Acknowledges everything; @trigger is the PSN that asks, or @probe. */
static void mrc_wait_sack(struct mrc_net *mnet, struct mrc_wait *w,
			  const struct mrc_rx *rx, u32 trigger,
			  const struct mrc_probe *probe)
{
	struct mrc_sack s = {
		.dqpn		= w->dqpn,
		.cack		= w->cack,
		.ev		= rx->ev,
		.ack_off	= mrc_psn_sub(trigger, w->cack),
		.sack_off	= 1,
		.spdcid		= mrc_wire_pdcid(w->qpn.qpn),
		.dpdcid		= mrc_wire_pdcid(w->dqpn),
		.rcvd		= w->rcvd,
		.mpr		= w->mpr,
		.has_prof	= true,
		.prof		= {
			.next_va	= w->next_va,
			.max_va		= w->max_va,
			.key		= w->tx_key,
			.serial		= atomic_fetch_inc(&w->serial),
			.base		= mrc_psn_add(w->cack, 1),
		},
	};
	struct mrc_out out = { .segs = 1, .class = MRC_CLASS_CTL,
			       .icrc = w->icrc };
	struct mrc_pick pick;
	struct sk_buff *skb;

	if (probe) {
		s.probe = true;
		s.probe_id = probe->probe_id;
		s.ts = probe->ts;
	}
	if (mrc_route_pick(mnet, &w->remote, rx->plane, get_random_u32(),
			   &pick)) {
		MRC_INC(mnet, NO_RETURN);
		return;
	}
	skb = mrc_output_alloc(MRC_LEN_SACK_PROF + MRC_LEN_ICRC,
			       GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return;
	skb_put(skb, mrc_wire_build_sack(skb->data, &s));
	if (w->icrc)
		skb_put_zero(skb, MRC_LEN_ICRC);
	out.seg = skb->len;
	MRC_INC(mnet, SACK_OUT);
	mrc_output(mnet, &w->local, &w->remote, &pick, skb, &out);
}

/* A packet, or the first of a burst, for an entry. */
static int mrc_wait_in(struct mrc_net *mnet, struct mrc_wait *w,
		       struct sk_buff *skb)
{
	const struct mrc_rx *rx = MRC_RX(skb);
	unsigned int len = min(rx->seg, skb->len);
	u8 buf[MRC_LEN_CTRL_MAX], *p;
	struct mrc_probe probe;
	struct mrc_data data;
	struct mrc_bth bth;
	unsigned int hlen;
	int err;

	if (!ipv6_addr_equal(&ipv6_hdr(skb)->saddr, &w->remote) ||
	    !ipv6_addr_equal(&ipv6_hdr(skb)->daddr, &w->local))
		return -MRC_DROP_ADDR;
	if (w->icrc && !mrc_input_icrc_ok(skb, 0, len))
		return -MRC_DROP_ICRC;
	hlen = min_t(unsigned int, len, sizeof(buf));
	p = skb_header_pointer(skb, 0, hlen, buf);
	err = p ? mrc_wire_classify(p, len, &bth) : -MRC_DROP_SHORT;
	if (err == MRC_KIND_DATA) {
		err = mrc_wire_parse_data(p, hlen, len, w->icrc, &data);
		if (err)
			return err;
		if (data.rkey != w->rx_rkey)
			return -MRC_DROP_RKEY;
		mrc_wait_sack(mnet, w, rx, bth.psn, NULL);
		return -MRC_DROP_DUP;
	}
	if (err == MRC_KIND_PROBE) {
		err = mrc_wire_parse_probe(p, hlen, &probe);
		if (err)
			return err;
		if (!probe.has_key || probe.key != w->rx_key)
			return -MRC_DROP_KEY;
		mrc_wait_sack(mnet, w, rx, w->cack, &probe);
		return 0;
	}
	return err < 0 ? err : -MRC_DROP_CLOSED;
}

void mrc_wait_packet(struct mrc_net *mnet, struct mrc_qpn *e,
		     struct sk_buff *skb)
{
	int err = mrc_wait_in(mnet, container_of(e, struct mrc_wait, qpn),
			      skb);

	if (err)
		mrc_cm_drop(mnet, skb, err);
	else
		consume_skb(skb);
}

int mrc_waits_init(struct mrc_cm_net *cm)
{
	spin_lock_init(&cm->waits.lock);
	INIT_LIST_HEAD(&cm->waits.lru);
	timer_setup(&cm->waits.timer, mrc_wait_timer, 0);
	return 0;
}

void mrc_waits_exit(struct mrc_cm_net *cm)
{
	struct mrc_wait *w, *next;

	timer_shutdown_sync(&cm->waits.timer);
	spin_lock_bh(&cm->waits.lock);
	list_for_each_entry_safe(w, next, &cm->waits.lru, lru)
		mrc_wait_drop(cm, w);
	spin_unlock_bh(&cm->waits.lock);
}

/* ---- GONE ---------------------------------------------------------------- */

static const struct rhashtable_params mrc_far_params = {
	.key_len		= sizeof(struct mrc_far),
	.key_offset		= offsetof(struct mrc_sock, far),
	.head_offset		= offsetof(struct mrc_sock, far_node),
	.automatic_shrinking	= true,
};

int mrc_far_init(struct mrc_cm_net *cm)
{
	return rhltable_init(&cm->far, &mrc_far_params);
}

/* Context: no socket is left, so the table is empty. */
void mrc_far_exit(struct mrc_cm_net *cm)
{
	rhltable_destroy(&cm->far);
}

int mrc_far_enter(struct mrc_sock *msk)
{
	struct mrc_cm_net *cm = mrc_cm_net(sock_net(&msk->sk));

	if (rhltable_insert(&cm->far, &msk->far_node, mrc_far_params))
		return -ENOMEM;
	msk->in_far = true;
	return 0;
}

void mrc_far_leave(struct mrc_sock *msk)
{
	struct mrc_cm_net *cm = mrc_cm_net(sock_net(&msk->sk));

	if (!msk->in_far)
		return;
	rhltable_remove(&cm->far, &msk->far_node, mrc_far_params);
	msk->in_far = false;
}

/* What a GONE about this packet echoes. Return: 0 or -MRC_DROP_*. */
static int mrc_gone_echo(struct sk_buff *skb, struct mrc_cm_echo *echo)
{
	unsigned int len = min(MRC_RX(skb)->seg, skb->len);
	u8 buf[MRC_LEN_CTRL_MAX], *p;
	struct mrc_probe probe;
	struct mrc_data data;
	struct mrc_bth bth;
	unsigned int hlen;
	int err;

	hlen = min_t(unsigned int, len, sizeof(buf));
	p = skb_header_pointer(skb, 0, hlen, buf);
	err = p ? mrc_wire_classify(p, len, &bth) : -MRC_DROP_SHORT;
	if (err < 0)
		return err;
	echo->kind = err;
	echo->qpn = bth.dqpn;
	if (err == MRC_KIND_DATA) {
		/* With an ICRC or without: whoever knew is gone. */
		err = mrc_wire_parse_data(p, hlen, len, false, &data);
		if (err)
			err = mrc_wire_parse_data(p, hlen, len, true, &data);
		echo->psn = bth.psn;
		echo->key = data.rkey;
		return err;
	}
	if (err != MRC_KIND_PROBE)
		return -MRC_DROP_QP;
	err = mrc_wire_parse_probe(p, hlen, &probe);
	echo->psn = probe.probe_id;
	echo->key = probe.key;
	return err ?: probe.has_key ? 0 : -MRC_DROP_KEY;
}

void mrc_wait_unknown(struct mrc_net *mnet, struct sk_buff *skb, u32 qpn)
{
	struct mrc_cm_msg gone = {
		.type		= MRC_CM_GONE,
		.present	= BIT(MRC_TLV_ECHO),
	};
	int err = mrc_gone_echo(skb, &gone.echo);

	if (!err && mrc_cm_meter(mrc_cm_net(mnet->net)) &&
	    !mrc_cm_spray(mnet, &ipv6_hdr(skb)->daddr, &ipv6_hdr(skb)->saddr,
			  MRC_RX(skb)->plane, 1, &gone))
		MRC_INC(mnet, NO_RETURN);
	mrc_cm_drop(mnet, skb, err ?: MRC_DROP_QP);
}

void mrc_wait_gone(struct mrc_cm_in *in)
{
	struct mrc_cm_net *cm = mrc_cm_net(in->mnet->net);
	struct mrc_far key = { .dqpn = in->msg.echo.qpn };
	struct rhlist_head *list, *pos;
	struct mrc_sock *msk;
	struct sk_buff *skb;

	key.remote = *in->remote;
	list = rhltable_lookup(&cm->far, &key, mrc_far_params);
	if (!list) {
		mrc_cm_drop(in->mnet, in->skb, MRC_DROP_GONE);
		return;
	}
	/* A host that was restarted may have used a QPN twice. */
	rhl_for_each_entry_rcu(msk, pos, list, far_node) {
		if (!refcount_inc_not_zero(&msk->sk.sk_refcnt))
			continue;
		skb = skb_clone(in->skb, GFP_ATOMIC | __GFP_NOWARN);
		if (skb)
			mrc_qp_queue(&msk->qp, skb);
		sock_put(&msk->sk);
	}
	consume_skb(in->skb);
}
