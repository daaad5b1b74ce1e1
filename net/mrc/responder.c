// SPDX-License-Identifier: GPL-2.0
/*
 * The responder: data packets in. A packet of a received skb is parsed,
 * checked (R_Key, PSN window, VA window, shape), recorded in the bitmap, and
 * either appended to what the user can read (reader.c) or, ahead of a gap,
 * kept in a ring indexed by PSN until the gap closes. Packets that follow it
 * in the skb and go on where it ends share its fate: they are a run, which is
 * treated as one.
 *
 * Invariant: PSN order is stream order, VA(n + 1) = VA(n) + len(n). A packet
 * that breaks it when its turn comes ends the connection (UNEXP_EVENT).
 */
#include <linux/slab.h>

#include "cursor.h"
#include "input.h"
#include "netlink.h"
#include "transport.h"

/* Packets ahead of a gap: the fields of struct mrc_seg, packed, in the slot of
 * the first of them. Holds an skb reference.
 */
struct mrc_rx_slot {
	struct sk_buff	*skb;
	u64		va;
	u32		off;
	u32		dma_len;
	u32		stride:24;
	u32		n:8;
	u16		len;
	u8		hdr;
	u8		flags;
};

static_assert(sizeof(struct mrc_rx_slot) == 32);

/**
 * struct mrc_rsp_skb - the skb being taken apart
 * @skb: it
 * @used: a unit has taken the skb itself; further ones take clones
 * @hdr: headers of the unit's packets
 * @rtx: the packet being looked at was sent again
 * @ask: it asks for an acknowledgment
 * @next: PSN that would continue the unit, 0 = none (0 is no 64-bit PSN)
 * @now: ns
 * @cur: where headers are
 */
struct mrc_rsp_skb {
	struct sk_buff		*skb;
	bool			used;
	bool			rtx;
	bool			ask;
	u8			hdr;
	u64			next;
	u64			now;
	struct mrc_cursor	cur;
};

/* Packets in a run at most: a SACK's own bitmap covers them. */
#define MRC_RSP_RUN	64

#define MRC_RX_SLOTS	(PAGE_SIZE / sizeof(struct mrc_rx_slot))

/* The PSN window covers this many chunks, and one more when it is not
 * aligned.
 */
static u32 mrc_rx_chunks(u32 mpr)
{
	return roundup_pow_of_two(DIV_ROUND_UP(mpr, MRC_RX_SLOTS) + 1);
}

int mrc_rsp_init(struct mrc_qp *qp, gfp_t gfp)
{
	u32 size = roundup_pow_of_two(max_t(u32, qp->p.rx_mpr,
					    MRC_BITMAP_MIN));
	struct mrc_responder *rsp = &qp->rsp;
	u64 *words;

	words = kcalloc(MRC_BITMAP_WORDS(size), sizeof(*words), gfp);
	if (!words)
		return -ENOMEM;
	mrc_bitmap_init(&rsp->bm, words, size, mrc_psn_start(qp->p.rx_psn));
	rsp->mpr = qp->p.rx_mpr;
	rsp->va_max = qp->p.rx_window;
	rsp->cursor = rsp->bm.base;
	return 0;
}

static struct mrc_rx_slot *mrc_rx_slot(struct mrc_responder *rsp, u64 psn)
{
	struct mrc_rx_slot *chunk;

	chunk = rsp->ooo.chunk[(psn / MRC_RX_SLOTS) &
			       (rsp->ooo.n_chunks - 1)];
	return chunk ? &chunk[psn % MRC_RX_SLOTS] : NULL;
}

/* The slot of @psn, made if need be; charged to the socket. */
static struct mrc_rx_slot *mrc_rx_slot_make(struct mrc_qp *qp, u64 psn)
{
	struct mrc_responder *rsp = &qp->rsp;
	struct mrc_rx_slot **chunk;
	u32 n;

	if (!rsp->ooo.chunk) {
		n = mrc_rx_chunks(qp->p.rx_mpr);
		rsp->ooo.chunk = kcalloc(n, sizeof(*rsp->ooo.chunk),
					 GFP_ATOMIC | __GFP_NOWARN);
		if (!rsp->ooo.chunk)
			return NULL;
		rsp->ooo.n_chunks = n;
	}
	chunk = &rsp->ooo.chunk[(psn / MRC_RX_SLOTS) &
				(rsp->ooo.n_chunks - 1)];
	if (!*chunk) {
		if (!sk_wmem_schedule(qp->sk, PAGE_SIZE))
			return NULL;
		*chunk = (void *)get_zeroed_page(GFP_ATOMIC | __GFP_NOWARN);
		if (!*chunk)
			return NULL;
		sk_mem_charge(qp->sk, PAGE_SIZE);
	}
	return &(*chunk)[psn % MRC_RX_SLOTS];
}

static void mrc_rx_chunk_free(struct mrc_qp *qp, struct mrc_rx_slot **chunk)
{
	if (!*chunk)
		return;
	free_page((unsigned long)*chunk);
	*chunk = NULL;
	sk_mem_uncharge(qp->sk, PAGE_SIZE);
}

/* The gap moved from @from to @to: chunks wholly below it go; all go when
 * nothing is ahead of it.
 */
static void mrc_rx_shrink(struct mrc_qp *qp, u64 from, u64 to)
{
	struct mrc_responder *rsp = &qp->rsp;
	u64 c, end = to / MRC_RX_SLOTS;

	if (!rsp->ooo.chunk)
		return;
	if (!mrc_bitmap_has_gap(&rsp->bm))
		end++;
	for (c = from / MRC_RX_SLOTS; c < end; c++)
		mrc_rx_chunk_free(qp, &rsp->ooo.chunk[c &
						(rsp->ooo.n_chunks - 1)]);
}

/* Frees what is ahead of a gap; what is in order stays readable. */
void mrc_rsp_purge(struct mrc_qp *qp)
{
	struct mrc_responder *rsp = &qp->rsp;
	struct mrc_rx_slot *slot;
	u64 psn;
	u32 i;

	for (psn = rsp->bm.base; rsp->ooo.chunk && psn < rsp->bm.high; psn++) {
		slot = mrc_rx_slot(rsp, psn);
		if (slot && slot->skb)
			kfree_skb(slot->skb);
	}
	for (i = 0; i < rsp->ooo.n_chunks; i++)
		mrc_rx_chunk_free(qp, &rsp->ooo.chunk[i]);
	kfree(rsp->ooo.chunk);
	rsp->ooo.chunk = NULL;
	rsp->ooo.n_chunks = 0;
	kfree(rsp->bm.words);
	rsp->bm.words = NULL;
	kfree(rsp->suspects);
	rsp->suspects = NULL;
	rsp->bm.high = rsp->bm.base;
}

/* The peer broke the rules: tell it, and end. */
static void mrc_rsp_violation(struct mrc_qp *qp, u64 psn,
			      const struct mrc_rx *rx, int reason)
{
	mrc_mib_drop(qp->mnet, reason);
	mrc_rsp_send_nack(qp, MRC_NACK_UNEXP_EVENT, psn, rx, false);
	mrc_qp_fail(qp, EPROTO, false);
}

/* Is the packet's opcode one of this socket type? Fills @seg's flags. */
static int mrc_rsp_shape(const struct mrc_qp *qp, const struct mrc_data *d,
			 struct mrc_seg *seg)
{
	u8 op = d->bth.opcode;
	int err = mrc_wire_check_imm(d);

	if (err)
		return err;
	seg->flags = 0;
	if (mrc_op_has_imm(op) && (d->imm & MRC_IMM_FIN)) {
		seg->flags = MRC_TX_FIN;
		return d->len || !mrc_op_is_only(op) ? -MRC_DROP_FIN : 0;
	}
	if (!qp->p.seqpacket)
		return op == MRC_OP_WRITE_ONLY && d->len ? 0
							 : -MRC_DROP_OP_TYPE;
	if (op == MRC_OP_WRITE_ONLY || op == MRC_OP_WRITE_LAST)
		return -MRC_DROP_OP_TYPE;
	if (d->dma_len > qp->p.rx_max_msg)
		return -MRC_DROP_MSG;
	if (mrc_op_is_only(op) || op == MRC_OP_WRITE_FIRST)
		seg->flags |= MRC_TX_FIRST;
	if (mrc_op_is_last(op))
		seg->flags |= MRC_TX_LAST;
	if (d->imm & MRC_IMM_EOR)
		seg->flags |= MRC_TX_EOR;
	return 0;
}

/* Does the packet whose turn it is continue the message as it should? */
static int mrc_rsp_message(struct mrc_qp *qp, const struct mrc_seg *seg)
{
	struct mrc_responder *rsp = &qp->rsp;
	u64 have;

	if (!!(seg->flags & MRC_TX_FIRST) == rsp->in_msg)
		return -MRC_DROP_MSG;
	if (seg->flags & MRC_TX_FIRST) {
		rsp->in_msg = true;
		rsp->msg_va = seg->va;
		rsp->msg_len = seg->dma_len;
	}
	have = seg->va + seg->len - rsp->msg_va;
	if (seg->dma_len != rsp->msg_len || have > rsp->msg_len)
		return -MRC_DROP_MSG;
	if (!(seg->flags & MRC_TX_LAST))
		return 0;
	if (have != rsp->msg_len)
		return -MRC_DROP_MSG;
	rsp->in_msg = false;
	rsp->messages++;
	return 0;
}

/* The packets at the gap have come. Return: 0, or -MRC_DROP_*: a violation. */
static int mrc_rsp_in_order(struct mrc_qp *qp, const struct mrc_seg *seg)
{
	struct mrc_responder *rsp = &qp->rsp;

	if (rsp->fin)
		return -MRC_DROP_FIN;
	if (seg->va != rsp->va_next)
		return -MRC_DROP_VA_ORDER;
	if (seg->flags & MRC_TX_FIN) {
		if (rsp->in_msg)
			return -MRC_DROP_FIN;
		rsp->fin = true;
		rsp->va_fin = seg->va;
		return 0;
	}
	mrc_reader_add(qp, seg);
	rsp->va_next += seg->n * seg->len;
	rsp->readable += seg->n * seg->len;
	return qp->p.seqpacket ? mrc_rsp_message(qp, seg) : 0;
}

/* @n packets closed the gap: what waited behind it is in order now. Return as
 * above.
 */
static int mrc_rsp_drain(struct mrc_qp *qp, u32 n)
{
	struct mrc_responder *rsp = &qp->rsp;
	u64 from = rsp->bm.base;
	u64 to = from + mrc_bitmap_advance(&rsp->bm), psn;
	struct mrc_rx_slot *slot;
	struct mrc_seg seg;
	int err = 0;

	for (psn = from + n; psn < to; psn += seg.n) {
		slot = mrc_rx_slot(rsp, psn);
		seg = (struct mrc_seg) {
			.skb = slot->skb, .va = slot->va, .off = slot->off,
			.dma_len = slot->dma_len, .stride = slot->stride,
			.len = slot->len, .n = slot->n, .hdr = slot->hdr,
			.flags = slot->flags,
		};
		slot->skb = NULL;
		if (!err)
			err = mrc_rsp_in_order(qp, &seg);
		kfree_skb(seg.skb);
	}
	mrc_rx_shrink(qp, from, to);
	return err;
}

/* Keeps packets ahead of the gap. */
static int mrc_rsp_keep(struct mrc_qp *qp, u64 psn, const struct mrc_seg *seg)
{
	struct mrc_rx_slot *slot = mrc_rx_slot_make(qp, psn);

	if (!slot)
		return -ENOMEM;
	slot->skb = skb_get(seg->skb);
	slot->va = seg->va;
	slot->off = seg->off;
	slot->dma_len = seg->dma_len;
	slot->stride = seg->stride;
	slot->len = seg->len;
	slot->n = seg->n;
	slot->hdr = seg->hdr;
	slot->flags = seg->flags;
	qp->stats.ooo += seg->n;
	MRC_ADD(qp->mnet, OOO_IN, seg->n);
	return 0;
}

/* VA of a run's first packet against the window, as far as it can be known
 * before its turn comes: each PSN between it and the gap is at most one packet
 * long.
 */
int mrc_rsp_va(const struct mrc_qp *qp, u64 psn, const struct mrc_seg *seg)
{
	const struct mrc_responder *rsp = &qp->rsp;
	u64 most = (psn - rsp->bm.base) * qp->p.payload;

	if (seg->va < rsp->va_next || seg->va - rsp->va_next > most)
		return -MRC_DROP_VA_WINDOW;
	if (seg->va + seg->len > rsp->va_max && !(seg->flags & MRC_TX_FIN))
		return -MRC_DROP_VA_WINDOW;
	return 0;
}

/* Places packets that are new. Return: 0, -ENOMEM, -MRC_DROP_*. */
static int mrc_rsp_place(struct mrc_qp *qp, u64 psn, const struct mrc_seg *seg)
{
	struct mrc_responder *rsp = &qp->rsp;
	int err;

	if (psn != rsp->bm.base) {
		err = mrc_rsp_keep(qp, psn, seg);
		if (err)
			return err;
		mrc_bitmap_set_run(&rsp->bm, psn, seg->n);
		return 0;
	}
	err = mrc_rsp_in_order(qp, seg);
	if (err)
		return err;
	if (!mrc_bitmap_has_gap(&rsp->bm)) {
		mrc_bitmap_step(&rsp->bm, seg->n);
		return 0;
	}
	mrc_bitmap_set_run(&rsp->bm, psn, seg->n);
	return mrc_rsp_drain(qp, seg->n);
}

static void mrc_rsp_count(struct mrc_qp *qp, const struct mrc_seg *seg)
{
	struct mrc_responder *rsp = &qp->rsp;
	u32 bytes = seg->n * seg->len;

	rsp->rcvd += bytes;
	rsp->pending += seg->n * max_t(u32, seg->len, MRC_SACK_MIN_CHARGE);
	qp->stats.rcvd += seg->n;
	qp->stats.rcvd_bytes += bytes;
	MRC_ADD(qp->mnet, DATA_IN, seg->n);
	MRC_ADD(qp->mnet, DATA_IN_BYTES, bytes);
}

/* Adds @n packets from @psn on to the run that the next SACK covers; a SACK's
 * own bitmap has 64 bits, so a wider run is acknowledged first.
 */
static void mrc_run_add(struct mrc_qp *qp, struct mrc_run *run, u64 psn, u32 n,
			const struct mrc_rx *rx)
{
	u64 end = psn + n - 1;
	u64 first = run->n ? min(run->first, psn) : psn;
	u64 last = run->n ? max(run->last, end) : end;

	if (last - first >= 64) {
		mrc_rsp_send_sack(qp, run, rx, NULL);
		run->n = 0;
		first = psn;
		last = end;
	}
	run->first = first;
	run->last = last;
	run->trigger = end;
	run->n += n;
}

/*
 * Packets that do not continue the unit before them begin a new one; a new
 * unit in the same skb needs a clone, since it lives in skb->cb. The clone
 * is charged only for itself: it holds on to the skb, which pays for the data
 * that they share.
 */
static int mrc_rsp_new_unit(struct mrc_qp *qp, struct mrc_rsp_skb *in,
			    struct mrc_seg *seg)
{
	struct sk_buff *clone;

	if (!in->used) {
		in->used = true;
		return 0;
	}
	clone = skb_clone(in->skb, GFP_ATOMIC | __GFP_NOWARN);
	if (!clone)
		return -ENOMEM;
	clone->truesize = SKB_TRUESIZE(0);
	if (!sk_rmem_schedule(qp->sk, clone, clone->truesize)) {
		kfree_skb(clone);
		return -ENOMEM;
	}
	skb_set_owner_r(clone, qp->sk);
	mrc_reader_new_clone(clone, in->skb);
	if (seg->skb != in->skb)
		kfree_skb(seg->skb);
	seg->skb = clone;
	return 0;
}

/* Puts new packets, in a unit, to their place. Return as mrc_rsp_place(). */
static int mrc_rsp_take(struct mrc_qp *qp, struct mrc_rsp_skb *in, u64 psn,
			struct mrc_seg *seg)
{
	unsigned int trail = qp->p.icrc ? MRC_LEN_ICRC : 0;
	bool starts = psn != in->next;
	int err;

	if (starts) {
		err = mrc_rsp_new_unit(qp, in, seg);
		if (err)
			return err;
		in->hdr = seg->hdr;
	}
	err = mrc_rsp_place(qp, psn, seg);
	if (err)
		return err;
	in->next = 0;
	if (seg->len + seg->hdr + trail == seg->stride &&
	    seg->hdr == in->hdr &&
	    !(seg->flags & (MRC_TX_LAST | MRC_TX_FIN)))
		in->next = psn + seg->n;
	return 0;
}

/* Packets for which there is no memory; each is answered, as it is ours that
 * lacks and not their path that fails.
 */
static void mrc_rsp_no_memory(struct mrc_qp *qp, struct mrc_rsp_skb *in,
			      u64 psn, u32 n, const struct mrc_rx *rx)
{
	in->next = 0;
	for (; n; n--, psn++) {
		mrc_mib_drop(qp->mnet, MRC_DROP_NOMEM);
		mrc_rsp_send_nack(qp, MRC_NACK_NO_RESOURCE, psn, rx, false);
	}
}

/* Packets that are all that they should be. */
static void mrc_rsp_accept(struct mrc_qp *qp, struct mrc_rsp_skb *in, u64 psn,
			   struct mrc_seg *seg, const struct mrc_rx *rx,
			   struct mrc_run *run)
{
	struct mrc_responder *rsp = &qp->rsp;
	bool ahead = psn != rsp->bm.base;
	int err;

	err = mrc_rsp_take(qp, in, psn, seg);
	if (err == -ENOMEM) {
		mrc_rsp_no_memory(qp, in, psn, seg->n, rx);
		return;
	}
	if (err) {
		mrc_rsp_violation(qp, psn, rx, err);
		return;
	}
	if (rx->ce)
		MRC_ADD(qp->mnet, CE_IN, seg->n);
	mrc_rsp_saw(qp, psn, seg->n, in->rtx, ahead, rx);
	mrc_rsp_count(qp, seg);
	mrc_run_add(qp, run, psn, seg->n, rx);
	if (in->ask)
		rsp->asked = max(rsp->asked, psn + 1);
}

/* So many packets from @psn on can be taken in one go, if each of them is like
 * the first, @seg, which has been looked at: nothing about them would be new.
 */
static u32 mrc_rsp_run_max(const struct mrc_qp *qp,
			   const struct mrc_rsp_skb *in,
			   const struct mrc_seg *seg, u64 psn)
{
	unsigned int trail = qp->p.icrc ? MRC_LEN_ICRC : 0;
	const struct mrc_responder *rsp = &qp->rsp;
	u64 room = rsp->va_max - seg->va, seen = 0;
	u32 n = MRC_RSP_RUN;

	if (qp->p.seqpacket || in->rtx || in->ask ||
	    seg->hdr != MRC_HDR_STREAM || seg->len > qp->p.payload ||
	    seg->hdr + seg->len + trail != seg->stride)
		return 1;
	n = min(n, (in->skb->len - seg->off) / seg->stride);
	n = min_t(u64, n, rsp->bm.base + qp->p.rx_mpr - psn);
	if (n * seg->len > room)
		n = div_u64(room, seg->len);
	if (psn < rsp->bm.high)
		seen = mrc_bitmap_extract(&rsp->bm, psn);
	return seen ? min_t(u32, n, __ffs64(seen)) : n;
}

/* How many packets are a run: that with the headers @first, which has been
 * looked at, and those which follow it in the skb and in every other respect.
 */
static u32 mrc_rsp_run(const struct mrc_qp *qp, struct mrc_rsp_skb *in,
		       const struct mrc_seg *seg, u64 psn, const void *first)
{
	u32 n, max = mrc_rsp_run_max(qp, in, seg, psn);
	unsigned int off = seg->off;
	u8 buf[MRC_HDR_STREAM];
	const void *p;

	for (n = 1; n < max; n++) {
		off += seg->stride;
		p = mrc_cursor_at(&in->cur, off, sizeof(buf), buf);
		if (!p || !mrc_wire_follows(p, first, n, seg->len))
			break;
		if (qp->p.icrc && !mrc_input_icrc_ok(in->skb, off, seg->stride))
			break;
	}
	return n;
}

/*
 * A packet is looked at in full. Return: as mrc_rsp_packet(), or 1 if it is to
 * be taken, *@psn.
 */
static int mrc_rsp_look(struct mrc_qp *qp, struct mrc_rsp_skb *in,
			struct mrc_seg *seg, unsigned int seg_len,
			const void *p, const struct mrc_rx *rx,
			struct mrc_run *run, u64 *psn)
{
	unsigned int hlen = min_t(unsigned int, seg_len, MRC_HDR_DATA_MAX);
	struct mrc_responder *rsp = &qp->rsp;
	struct mrc_data d;
	int err;

	err = mrc_wire_parse_data(p, hlen, seg_len, qp->p.icrc, &d);
	if (err)
		return err;
	if (d.bth.dqpn != qp->qpn.qpn)
		return -MRC_DROP_QP;
	if (d.rkey != qp->p.rx_rkey)
		return -MRC_DROP_RKEY;
	qp->heard_at = in->now;
	*psn = mrc_psn_expand(rsp->bm.base, d.bth.psn);
	if (*psn >= rsp->bm.base + qp->p.rx_mpr) {
		if (mrc_rsp_may_answer(qp))
			mrc_rsp_send_nack(qp, MRC_NACK_PSN_OOR_WINDOW, *psn,
					  rx, false);
		return -MRC_DROP_PSN_ABOVE;
	}
	in->rtx = d.bth.rtx;
	in->ask = d.bth.ack_req;
	run->now |= in->ask || in->rtx || rx->ce;
	run->again |= in->rtx;
	if (in->rtx)
		MRC_INC(qp->mnet, RTX_IN);
	if (mrc_bitmap_test(&rsp->bm, *psn)) {
		/* Acknowledge again, never write again. */
		qp->stats.dup++;
		run->now = true;
		run->again = true;
		mrc_run_add(qp, run, *psn, 1, rx);
		return -MRC_DROP_DUP;
	}
	seg->va = d.va;
	seg->len = d.len;
	seg->hdr = d.off;
	seg->dma_len = d.dma_len;
	err = mrc_rsp_shape(qp, &d, seg);
	if (err) {
		mrc_rsp_violation(qp, *psn, rx, err);
		return 0;
	}
	err = mrc_rsp_va(qp, *psn, seg);
	return err ?: 1;
}

/*
 * The packet at @seg->off of the skb, and those that make a run with it: then
 * @seg->n is not 1. Return: 0 went well or was answered; -MRC_DROP_* to be
 * counted; the QP may be dead afterwards.
 */
static int mrc_rsp_packet(struct mrc_qp *qp, struct mrc_rsp_skb *in,
			  struct mrc_seg *seg, unsigned int seg_len,
			  const struct mrc_rx *rx, struct mrc_run *run)
{
	unsigned int hlen = min_t(unsigned int, seg_len, MRC_HDR_DATA_MAX);
	u8 buf[MRC_HDR_DATA_MAX];
	const void *p;
	u64 psn;
	int err;

	seg->n = 1;
	p = mrc_cursor_at(&in->cur, seg->off, hlen, buf);
	if (!p)
		return -MRC_DROP_SHORT;
	err = mrc_rsp_look(qp, in, seg, seg_len, p, rx, run, &psn);
	if (err <= 0)
		return err;
	seg->n = mrc_rsp_run(qp, in, seg, psn, p);
	mrc_rsp_accept(qp, in, psn, seg, rx, run);
	return 0;
}

/*
 * Is a SACK due? One that was asked for while packets sent before were still
 * on their way is answered once more when they are here: they may have come
 * by a slower plane, and nothing that follows would trigger another.
 */
static bool mrc_rsp_sack_due(struct mrc_responder *rsp,
			     const struct mrc_run *run)
{
	u32 bytes = mrc_bitmap_has_gap(&rsp->bm) ? MRC_SACK_BYTES :
						   MRC_SACK_BYTES_WHOLE;
	bool done = rsp->asked && rsp->bm.base >= rsp->asked;

	if (done)
		rsp->asked = 0;
	return done || run->now || rsp->pending >= bytes;
}

/*
 * What is beyond the gap has taken all memory and the reader has nothing to
 * read: only the packet at the gap helps, and must be taken, or nothing would
 * ever change again. Within limits, for a message may need many such.
 */
static bool mrc_rsp_unblocks(const struct mrc_qp *qp, struct sk_buff *skb)
{
	const struct mrc_responder *rsp = &qp->rsp;
	u8 buf[MRC_LEN_BTH], *p;
	struct mrc_bth bth;

	if (qp->p.seqpacket ? rsp->messages : rsp->readable)
		return false;
	if (atomic_read(&qp->sk->sk_rmem_alloc) > 2 * mrc_rsp_limit(qp))
		return false;
	p = skb_header_pointer(skb, 0, sizeof(buf), buf);
	return p && mrc_wire_classify(p, skb->len, &bth) == MRC_KIND_DATA &&
	       bth.psn == mrc_psn_wire(rsp->bm.base);
}

/*
 * Is there memory for the skb? The window promises bytes, and half of the
 * buffer, so that only small packets can get here; each gets its NACK, for
 * the loss is ours and not their path's.
 */
static bool mrc_rsp_charge(struct mrc_qp *qp, struct sk_buff *skb,
			   const struct mrc_rx *rx)
{
	struct sock *sk = qp->sk;
	u32 cost;

	if (atomic_read(&sk->sk_rmem_alloc) + skb->truesize >
	    mrc_rsp_limit(qp) && !mrc_rsp_unblocks(qp, skb))
		return false;
	if (!sk_rmem_schedule(sk, skb, skb->truesize))
		return false;
	skb_set_owner_r(skb, sk);
	cost = skb->truesize / DIV_ROUND_UP(skb->len, rx->seg);
	qp->rsp.cost = qp->rsp.cost ? (7 * qp->rsp.cost + cost) / 8 : cost;
	return true;
}

static void mrc_rsp_refuse(struct mrc_qp *qp, struct sk_buff *skb,
			   const struct mrc_rx *rx)
{
	u8 buf[MRC_LEN_BTH], *p;
	struct mrc_bth bth;
	unsigned int off;

	for (off = 0; off < skb->len; off += rx->seg) {
		mrc_mib_drop(qp->mnet, MRC_DROP_RCVBUF);
		p = skb_header_pointer(skb, off, sizeof(buf), buf);
		if (!p || mrc_wire_classify(p, skb->len - off, &bth) !=
			  MRC_KIND_DATA)
			continue;
		mrc_rsp_send_nack(qp, MRC_NACK_NO_PKT_BUFFER,
				  mrc_psn_expand(qp->rsp.bm.base, bth.psn),
				  rx, false);
	}
}

/* Numbering or cabling is wrong somewhere: say so, but take the data. */
static void mrc_rsp_miscabled(struct mrc_qp *qp, const struct mrc_rx *rx)
{
	MRC_INC(qp->mnet, PLANE_MISCABLED);
	mrc_nl_miscabled(qp->mnet, &qp->local, &qp->remote, rx->plane,
			 mrc_ev_plane(rx->ev));
}

void mrc_rsp_data(struct mrc_qp *qp, struct sk_buff *skb)
{
	struct mrc_responder *rsp = &qp->rsp;
	struct mrc_rx rx = *MRC_RX(skb);
	struct mrc_seg seg = { .skb = skb, .stride = rx.seg, .n = 1 };
	u64 next = rsp->va_next, messages = rsp->messages;
	struct mrc_rsp_skb in = { .skb = skb, .now = mrc_now() };
	struct mrc_run run = {};
	unsigned int seg_len;
	bool fin = rsp->fin;
	int err;

	mrc_reader_new_skb(skb);
	MRC_INC(qp->mnet, BURST_IN);
	if (!mrc_rsp_charge(qp, skb, &rx)) {
		mrc_rsp_refuse(qp, skb, &rx);
		kfree_skb(skb);
		return;
	}
	mrc_cursor_init(&in.cur, skb);
	for (seg.off = 0; seg.off < skb->len; seg.off += seg.n * rx.seg) {
		seg_len = min(rx.seg, skb->len - seg.off);
		if (qp->p.icrc && !mrc_input_icrc_ok(skb, seg.off, seg_len)) {
			mrc_rsp_damaged(qp, skb, seg.off, seg_len, &rx);
			seg.n = 1;
			err = -MRC_DROP_ICRC;
		} else {
			err = mrc_rsp_packet(qp, &in, &seg, seg_len, &rx,
					     &run);
		}
		if (qp->state != MRC_QP_READY)
			goto out;
		if (!err)
			continue;
		/* What was dropped lies between its neighbours in the skb: the
		 * next PSN, too, is not at the stride from the last one.
		 */
		in.next = 0;
		mrc_mib_drop(qp->mnet, err);
	}
	if (qp->p.ev_layout && mrc_ev_plane(rx.ev) != rx.plane)
		mrc_rsp_miscabled(qp, &rx);
	if (run.n) {
		mrc_peer_heard(qp->peer, rx.ev, rx.plane, run.n,
			       qp->heard_at);
		if (mrc_rsp_sack_due(rsp, &run) || mrc_rsp_suspects(qp, &rx))
			mrc_rsp_send_sack(qp, &run, &rx, NULL);
	}
	if (qp->p.seqpacket ? rsp->messages != messages : rsp->va_next != next)
		qp->sk->sk_data_ready(qp->sk);
	if (rsp->fin && !fin)
		mrc_qp_ops.peer_fin(qp);
out:
	if (seg.skb != skb)
		kfree_skb(seg.skb);
	kfree_skb(skb);
}

int mrc_rsp_probe(struct mrc_qp *qp, const struct mrc_probe *probe,
		  const struct mrc_rx *rx)
{
	struct mrc_run run = {};

	if (!probe->has_key || probe->key != qp->p.rx_key)
		return -MRC_DROP_KEY;
	MRC_INC(qp->mnet, PROBE_IN);
	qp->heard_at = mrc_now();
	mrc_peer_heard(qp->peer, rx->ev, rx->plane, 1, qp->heard_at);
	mrc_rsp_send_sack(qp, &run, rx, probe);
	return 0;
}
