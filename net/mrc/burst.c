// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts: up to 15 packets of one EV as one GSO skb.
 *
 * New data uses the contiguous layout: headers are written into the holes
 * that fill.c left before each payload, so that packets which lie one after
 * the other in their page are one frag:
 *
 *	[hdr|payload|pad|(icrc)] [hdr|payload|pad|(icrc)] ...
 *
 * A hole is written once: the page may still be in flight when a packet is
 * sent again. Retransmissions, and what a dead plane or a full qdisc threw
 * back, use the frags layout: fresh headers (and ICRC trailers) in a buffer
 * of their own, alternating with the payloads:
 *
 *	[hdr] [payload|pad] [(icrc) hdr] [payload|pad] ... [(icrc)]
 *
 * Only the last packet of a burst may be shorter than the first.
 */
#include <trace/events/mrc.h>

#include "transport.h"
#include "zc.h"

#define MRC_BURST_HDR_ROOM	(MRC_HDR_DATA_MAX + MRC_LEN_ICRC)

static u8 mrc_burst_opcode(const struct mrc_qp *qp,
			   const struct mrc_slot *slot)
{
	bool first = slot->flags & MRC_TX_FIRST;
	bool last = slot->flags & MRC_TX_LAST;

	if (slot->flags & MRC_TX_FIN)
		return MRC_OP_WRITE_ONLY_IMM;
	if (!qp->p.seqpacket)
		return MRC_OP_WRITE_ONLY;
	if (last)
		return first ? MRC_OP_WRITE_ONLY_IMM : MRC_OP_WRITE_LAST_IMM;
	return first ? MRC_OP_WRITE_FIRST : MRC_OP_WRITE_MIDDLE;
}

/* Number of the last Write-with-Immediate: each message of a SEQPACKET socket
 * is one, and of a stream only its end.
 */
static u16 mrc_burst_rqmsn(const struct mrc_qp *qp,
			   const struct mrc_slot *slot)
{
	if (qp->p.seqpacket)
		return slot->msn + 1;
	return slot->flags & MRC_TX_FIN ? 1 : 0;
}

/* Writes a packet's headers to @buf. Return: their length. */
static unsigned int mrc_burst_headers(const struct mrc_qp *qp, u64 psn,
				      const struct mrc_slot *slot,
				      bool ack_req, void *buf)
{
	struct mrc_data d = {
		.bth = {
			.dqpn	 = qp->p.dqpn,
			.psn	 = mrc_psn_wire(psn),
			.opcode	 = mrc_burst_opcode(qp, slot),
			.pad	 = mrc_wire_pad(slot->len),
			.ack_req = ack_req,
			.rtx	 = slot->tx > 0,
		},
		.va	 = slot->va,
		.rkey	 = qp->p.tx_rkey,
		.dma_len = qp->p.seqpacket ? slot->dma_len : slot->len,
		.msn	 = slot->msn,
		.rqmsn	 = mrc_burst_rqmsn(qp, slot),
	};

	if (slot->flags & MRC_TX_EOR)
		d.imm |= MRC_IMM_EOR;
	if (slot->flags & MRC_TX_FIN)
		d.imm |= MRC_IMM_FIN;
	return mrc_wire_build_data(buf, &d);
}

/* Packets with pages that are not ours are few in an skb: what of them is frags
 * must fit. *@frags counts. May the packet @next follow @first?
 */
static bool mrc_burst_joins(const struct mrc_slot *first,
			    const struct mrc_slot *next, unsigned int *frags)
{
	if (!mrc_zc_same(first, next))
		return false;
	*frags += 1 + (next->by_zc ? mrc_zc_pieces(next) : 1);
	/* one for what follows the last payload */
	return *frags + 1 <= MAX_SKB_FRAGS;
}

/**
 * mrc_burst_len - how many new packets fit one burst
 * @qp: QP
 * @psn: the first
 * @max: at most
 *
 * A burst ends with the first packet shorter than its first one, with a
 * message, at the end of what may be sent, and before a packet without payload.
 *
 * Context: socket lock held.
 * Return: packets, 1 to @max.
 */
unsigned int mrc_burst_len(const struct mrc_qp *qp, u64 psn, unsigned int max)
{
	const struct mrc_requester *req = &qp->req;
	const struct mrc_slot *slot = mrc_slot(&req->ring, psn);
	unsigned int n = 1, next, seg = mrc_slot_seg(qp, slot);
	const struct mrc_slot *first = slot;
	unsigned int bytes = seg, frags = 0;

	if (first->by_zc) {
		max = min_t(unsigned int, max, MRC_RTX_BURST);
		mrc_burst_joins(first, first, &frags);
	}
	while (n < max && psn + n < req->limit) {
		if (qp->p.seqpacket && (slot->flags & MRC_TX_LAST))
			break;
		slot = mrc_slot_next(&req->ring, slot, psn + n);
		next = mrc_slot_seg(qp, slot);
		if (!slot->page || next > seg || bytes + next > MRC_BURST_BYTES)
			break;
		if (slot->by_zc != first->by_zc ||
		    (slot->by_zc && !mrc_burst_joins(first, slot, &frags)))
			break;
		bytes += next;
		n++;
		if (next < seg)
			break;
	}
	return n;
}

/* Adds bytes of a page to @skb; merges them with the last frag if they follow
 * it, else takes a page reference.
 */
static void mrc_burst_add(struct sk_buff *skb, struct page *page,
			  unsigned int off, unsigned int len)
{
	int n = skb_shinfo(skb)->nr_frags;

	if (!len)
		return;
	if (skb_can_coalesce(skb, n, page, off)) {
		skb_frag_size_add(&skb_shinfo(skb)->frags[n - 1], len);
	} else {
		get_page(page);
		skb_fill_page_desc(skb, n, page, off, len);
	}
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
}

static struct sk_buff *mrc_burst_skb(struct mrc_qp *qp)
{
	struct sk_buff *skb = alloc_skb(MRC_HEADROOM,
					GFP_ATOMIC | __GFP_NOWARN);

	if (skb)
		skb_reserve(skb, MRC_HEADROOM);
	return skb;
}

/* Hands the skb down. */
static int mrc_burst_out(struct mrc_qp *qp, struct sk_buff *skb, u64 psn,
			 unsigned int n, const struct mrc_pick *pick)
{
	const struct mrc_slot *first = mrc_slot(&qp->req.ring, psn);
	struct mrc_out out = {
		.seg	  = mrc_slot_seg(qp, first),
		.segs	  = n,
		.class	  = first->tx ? MRC_CLASS_RTX : MRC_CLASS_DATA,
		.icrc	  = qp->p.icrc,
		.mark	  = READ_ONCE(qp->sk->sk_mark),
		.priority = READ_ONCE(qp->sk->sk_priority),
	};
	u8 plane = pick->plane->id;
	int err;

	mrc_rotor_charge(&qp->req.rotor, n);
	MRC_INC(qp->mnet, BURST_OUT);
	err = mrc_output(qp->mnet, &qp->local, &qp->remote, pick, skb, &out);
	trace_mrc_send(qp->qpn.qpn, mrc_psn_wire(psn), n, pick->ev, plane,
		       first->tx, err);
	return err;
}

/* A burst was not sent: its packets wait for another path. */
static void mrc_burst_failed(struct mrc_qp *qp, const u64 *psns, unsigned int n,
			     u8 plane)
{
	struct mrc_slot *slot;
	unsigned int i;

	for (i = 0; i < n; i++) {
		slot = mrc_slot(&qp->req.ring, psns[i]);
		slot->plane = plane;
		mrc_req_slot_lost(qp, psns[i], slot);
		MRC_INC(qp->mnet, RTX_LOCAL);
	}
}

/* Counts what was sent, and how often. */
static void mrc_burst_count(struct mrc_qp *qp, const u64 *psns, unsigned int n)
{
	unsigned int i, fresh = 0, bytes = 0, again = 0;
	const struct mrc_slot *slot;

	for (i = 0; i < n; i++) {
		slot = mrc_slot(&qp->req.ring, psns[i]);
		if (!slot->tx) {
			fresh++;
			bytes += slot->len;
		} else if (slot->tx > 1) {
			again++;
		}
	}
	qp->stats.sent += fresh;
	qp->stats.sent_bytes += bytes;
	qp->stats.rtx += n - fresh;
	MRC_ADD(qp->mnet, DATA_OUT, fresh);
	MRC_ADD(qp->mnet, DATA_OUT_BYTES, bytes);
	MRC_ADD(qp->mnet, RTX_OUT, n - fresh);
	MRC_ADD(qp->mnet, RTX_AGAIN, again);
}

/* Bookkeeping after mrc_output() returned @err. */
static void mrc_burst_sent(struct mrc_qp *qp, const u64 *psns, unsigned int n,
			   const struct mrc_pick *pick, int err, u64 now)
{
	const struct mrc_used used = {
		.ev	= pick->ev,
		.gen	= pick->gen,
		.path	= pick->path,
		.plane	= pick->plane->id,
	};

	if (err) {
		mrc_burst_failed(qp, psns, n, used.plane);
		return;
	}
	mrc_burst_count(qp, psns, n);
	mrc_req_sent(qp, psns, n, &used, now);
	mrc_peer_sent(qp->peer, &used, n);
}

/* May the headers of the packet after @slot be made of its own? */
static bool mrc_burst_uniform(const struct mrc_qp *qp,
			      const struct mrc_slot *slot,
			      const struct mrc_slot *next)
{
	return !qp->p.seqpacket && slot->len == next->len && !next->tx &&
	       !(next->flags & MRC_TX_FIN);
}

/* Builds the contiguous layout and advances nxt. Return as mrc_output(), or
 * -ENOMEM and nothing has changed.
 */
static int mrc_burst_contig(struct mrc_qp *qp, u64 psn, unsigned int n,
			    bool ack_req, const struct mrc_pick *pick)
{
	struct mrc_slot *slot, *prev = NULL;
	u64 psns[MRC_BURST_PKTS];
	unsigned int i, hdr, pad;
	struct sk_buff *skb;
	u64 now = mrc_now();
	u8 *at, *prev_at;
	bool last;
	int err;

	skb = mrc_burst_skb(qp);
	if (!skb)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		psns[i] = psn + i;
		slot = mrc_slot(&qp->req.ring, psn + i);
		hdr = mrc_slot_hdr(slot, qp->p.seqpacket);
		pad = mrc_wire_pad(slot->len);
		at = page_address(slot->page) + slot->off;
		last = i == n - 1;
		if (prev && mrc_burst_uniform(qp, prev, slot) &&
		    !(last && ack_req))
			mrc_wire_build_next(at - hdr, prev_at - hdr, slot->len);
		else
			mrc_burst_headers(qp, psn + i, slot, last && ack_req,
					  at - hdr);
		prev = slot;
		prev_at = at;
		if (pad)
			memset(at + slot->len, 0, pad);
		mrc_burst_add(skb, slot->page, slot->off - hdr,
			      mrc_slot_seg(qp, slot));
	}
	err = mrc_burst_out(qp, skb, psn, n, pick);
	qp->req.nxt = psn + n;
	mrc_hold_sent(qp, psn + n - 1, now);
	mrc_burst_sent(qp, psns, n, pick, err, now);
	return err;
}

/**
 * struct mrc_hdrs - buffer of the frags layout
 * @page: page of the buffer
 * @start: its address
 * @off: offset of @start in @page
 * @used: bytes written
 * @frag: where the frag being written began
 */
struct mrc_hdrs {
	struct page	*page;
	u8		*start;
	unsigned int	off;
	unsigned int	used;
	unsigned int	frag;
};

static bool mrc_hdrs_alloc(struct mrc_hdrs *h, unsigned int n)
{
	h->start = netdev_alloc_frag(n * MRC_BURST_HDR_ROOM);
	if (!h->start)
		return false;
	h->page = virt_to_head_page(h->start);
	h->off = h->start - (u8 *)page_address(h->page);
	h->used = 0;
	h->frag = 0;
	return true;
}

/* What was written since the last call becomes a frag. */
static void mrc_hdrs_flush(struct mrc_hdrs *h, struct sk_buff *skb)
{
	mrc_burst_add(skb, h->page, h->off + h->frag, h->used - h->frag);
	h->frag = h->used;
}

/* Lost packets from @psn that fit one burst of @max over @ev: their PSNs. None
 * of them was lost on that EV, but the first if there is no other.
 */
static unsigned int mrc_burst_gather(struct mrc_qp *qp, u64 psn,
				     unsigned int max, u32 ev, u64 *psns)
{
	struct mrc_requester *req = &qp->req;
	const struct mrc_slot *slot, *first = mrc_slot(&req->ring, psn);
	unsigned int n = 0, next, seg = 0, frags = 0;
	bool joins;

	while (n < max && psn != MRC_PSN_NONE) {
		slot = mrc_slot(&req->ring, psn);
		next = mrc_slot_seg(qp, slot);
		joins = mrc_burst_joins(first, slot, &frags);
		if (n && (next > seg || slot->ev == ev || !joins))
			break;
		psns[n++] = psn;
		if (n > 1 && next < seg)
			break;
		seg = next;
		psn = mrc_txring_next_lost(&req->ring, psn + 1, req->nxt);
	}
	return n;
}

static void mrc_burst_frags_add(struct mrc_qp *qp, struct sk_buff *skb,
				struct mrc_hdrs *h, u64 psn,
				struct mrc_slot *slot, bool ack_req)
{
	h->used += mrc_burst_headers(qp, psn, slot, ack_req,
				     h->start + h->used);
	mrc_hdrs_flush(h, skb);
	if (slot->by_zc) {
		mrc_zc_add(skb, slot, mrc_burst_add);
		/* instead of an immediate: there is room */
		memset(h->start + h->used, 0, mrc_wire_pad(slot->len));
		h->used += mrc_wire_pad(slot->len);
	} else if (slot->page) {
		mrc_burst_add(skb, slot->page, slot->off,
			      ALIGN(slot->len, 4));
	}
	if (qp->p.icrc)
		h->used += MRC_LEN_ICRC;
}

/* Builds and sends the frags layout. Return as mrc_burst_contig(). */
static int mrc_burst_frags(struct mrc_qp *qp, const u64 *psns, unsigned int n,
			   bool ack_req, const struct mrc_pick *pick)
{
	struct mrc_slot *slot;
	struct sk_buff *skb;
	struct mrc_hdrs h;
	u64 now = mrc_now();
	unsigned int i;
	int err;

	skb = mrc_burst_skb(qp);
	if (!skb)
		return -ENOMEM;
	if (!mrc_hdrs_alloc(&h, n)) {
		kfree_skb(skb);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		mrc_burst_frags_add(qp, skb, &h, psns[i],
				    mrc_slot(&qp->req.ring, psns[i]),
				    ack_req && i == n - 1);
	mrc_hdrs_flush(&h, skb);
	put_page(h.page);

	err = mrc_burst_out(qp, skb, psns[0], n, pick);
	for (i = 0; i < n; i++) {
		slot = mrc_slot(&qp->req.ring, psns[i]);
		if (!(slot->flags & MRC_TX_LOST))
			continue;
		slot->flags &= ~MRC_TX_LOST;
		mrc_txring_clear_lost(&qp->req.ring, psns[i]);
		qp->req.n_lost--;
	}
	mrc_burst_sent(qp, psns, n, pick, err, now);
	return err;
}

/**
 * mrc_burst_rtx - send a burst of lost packets
 * @qp: QP
 * @psn: the first, it is lost
 * @max: packets at most, up to MRC_RTX_BURST
 * @pick: path
 *
 * Each asks for an acknowledgment (its RTX bit is a SACK trigger).
 *
 * Context: socket lock held, BH off, RCU read side.
 * Return: 0; -ENOMEM and nothing has changed; or an error of mrc_output(),
 * and the packets are still lost.
 */
int mrc_burst_rtx(struct mrc_qp *qp, u64 psn, unsigned int max,
		  const struct mrc_pick *pick)
{
	u64 psns[MRC_RTX_BURST];
	unsigned int n;

	n = mrc_burst_gather(qp, psn, max, pick->ev, psns);
	return mrc_burst_frags(qp, psns, n, true, pick);
}

/**
 * mrc_burst_new - send a burst of new packets
 * @qp: QP
 * @psn: the first, equal to nxt
 * @n: packets, as mrc_burst_len() counts them
 * @ack_req: the last asks for an acknowledgment
 * @pick: path
 *
 * Context and return as mrc_burst_rtx(); nxt has advanced unless -ENOMEM.
 */
int mrc_burst_new(struct mrc_qp *qp, u64 psn, unsigned int n, bool ack_req,
		  const struct mrc_pick *pick)
{
	const struct mrc_slot *slot = mrc_slot(&qp->req.ring, psn);
	u64 psns[MRC_RTX_BURST];
	unsigned int i;
	int err;

	if (slot->page && !slot->by_zc)
		return mrc_burst_contig(qp, psn, n, ack_req, pick);
	/* Pages that are not ours have no holes, and the end of stream has no
	 * page.
	 */
	for (i = 0; i < n; i++)
		psns[i] = psn + i;
	err = mrc_burst_frags(qp, psns, n, ack_req, pick);
	if (err == -ENOMEM)
		return err;
	qp->req.nxt = psn + n;
	mrc_hold_sent(qp, psn + n - 1, mrc_now());
	return err;
}
