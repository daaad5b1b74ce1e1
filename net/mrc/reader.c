// SPDX-License-Identifier: GPL-2.0
/*
 * The reader: what is in order, and its way to the user.
 *
 * sk_receive_queue holds units. A unit is a received skb, or a clone of it,
 * with consecutive packets in it; the payload of each lies behind
 * its headers, at a fixed stride, and is copied once, to the user. Small
 * packets of a stream are copied together into a compact unit instead, so
 * that one-byte writes do not eat the receive buffer.
 */
#include <linux/uio.h>

#include "cursor.h"
#include "transport.h"

#define MRC_COMPACT_MAX		512	/* payload bytes of a small packet */
#define MRC_COMPACT_SIZE	SKB_MAX_HEAD(0)	/* bytes of a compact unit */

/**
 * struct mrc_unit - readable packets, in skb->cb
 * @whole: skb that this one is a clone of, and holds; NULL if it is none
 * @off: offset in the skb of the first packet's headers
 * @stride: from one packet to the next
 * @bytes: payload in all
 * @done: of this, read
 * @msg_len: length of the message it belongs to (SEQPACKET)
 * @n: packets
 * @full: payload of each packet but the last
 * @hdr: headers of each packet but the last
 * @hdr_last: headers of the last packet
 * @flags: MRC_TX_LAST, MRC_TX_EOR of the last packet
 * @compact: small packets copied together
 */
struct mrc_unit {
	struct sk_buff	*whole;
	u32		off;
	u32		stride;
	u32		bytes;
	u32		done;
	u32		msg_len;
	u16		n;
	u16		full;
	u8		hdr;
	u8		hdr_last;
	u8		flags;
	bool		compact;
};

static struct mrc_unit *mrc_unit(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct mrc_unit) > sizeof(skb->cb));
	return (struct mrc_unit *)skb->cb;
}

void mrc_reader_new_skb(struct sk_buff *skb)
{
	memset(mrc_unit(skb), 0, sizeof(struct mrc_unit));
}

static void mrc_clone_free(struct sk_buff *skb)
{
	struct sk_buff *whole = mrc_unit(skb)->whole;

	sock_rfree(skb);
	consume_skb(whole);
}

void mrc_reader_new_clone(struct sk_buff *clone, struct sk_buff *whole)
{
	mrc_reader_new_skb(clone);
	mrc_unit(clone)->whole = skb_get(whole);
	clone->destructor = mrc_clone_free;
}

/* The unit grows by the packets that follow in the same skb. */
static void mrc_unit_extend(struct mrc_unit *u, const struct mrc_seg *seg)
{
	u->bytes += seg->n * seg->len;
	u->n += seg->n;
	u->hdr_last = seg->hdr;
	u->flags = seg->flags;
}

static void mrc_unit_start(struct mrc_unit *u, const struct mrc_seg *seg)
{
	*u = (struct mrc_unit) {
		.whole	  = u->whole,
		.off	  = seg->off,
		.stride	  = seg->stride,
		.bytes	  = seg->n * seg->len,
		.msg_len  = seg->dma_len,
		.n	  = seg->n,
		.full	  = seg->len,
		.hdr	  = seg->hdr,
		.hdr_last = seg->hdr,
		.flags	  = seg->flags,
	};
}

/* A compact unit with room for @len at the end of the queue, or NULL: then
 * the packet is queued as it is.
 */
static struct sk_buff *mrc_compact_tail(struct sock *sk, unsigned int len)
{
	struct sk_buff *skb = skb_peek_tail(&sk->sk_receive_queue);

	if (!skb)
		return NULL;
	if (mrc_unit(skb)->compact && skb_tailroom(skb) >= len)
		return skb;
	skb = alloc_skb(MRC_COMPACT_SIZE, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	if (!sk_rmem_schedule(sk, skb, skb->truesize)) {
		kfree_skb(skb);
		return NULL;
	}
	skb_set_owner_r(skb, sk);
	mrc_reader_new_skb(skb);
	mrc_unit(skb)->compact = true;
	mrc_unit(skb)->n = 1;
	__skb_queue_tail(&sk->sk_receive_queue, skb);
	return skb;
}

/* Copies the first small packet of a run to the compact unit at the end. */
static bool mrc_compact_add(struct mrc_qp *qp, const struct mrc_seg *seg)
{
	struct sk_buff *skb = mrc_compact_tail(qp->sk, seg->len);
	void *to;

	if (!skb)
		return false;
	to = skb_put(skb, seg->len);
	if (WARN_ON_ONCE(skb_copy_bits(seg->skb, seg->off + seg->hdr, to,
				       seg->len)))
		memset(to, 0, seg->len);
	mrc_unit(skb)->bytes += seg->len;
	mrc_unit(skb)->full = mrc_unit(skb)->bytes;
	skb->tstamp = seg->skb->tstamp;
	MRC_INC(qp->mnet, COALESCED);
	return true;
}

/* Copies small packets of a stream together, as far as there is memory. Those
 * that are left are in @seg. Return: false if there are any.
 */
static bool mrc_reader_compact(struct mrc_qp *qp, struct mrc_seg *seg)
{
	if (qp->p.seqpacket || seg->len > MRC_COMPACT_MAX)
		return false;
	while (mrc_compact_add(qp, seg)) {
		if (!--seg->n)
			return true;
		seg->va += seg->len;
		seg->off += seg->stride;
	}
	return false;
}

/**
 * mrc_reader_add - append in-order packets to what the user can read
 * @qp: QP
 * @seg: the packets; those with the same skb are a unit (responder.c)
 *
 * Context: socket lock held.
 */
void mrc_reader_add(struct mrc_qp *qp, const struct mrc_seg *seg)
{
	struct sk_buff_head *queue = &qp->sk->sk_receive_queue;
	struct mrc_seg left = *seg;
	struct sk_buff *skb = seg->skb;

	if (skb_peek_tail(queue) == skb) {
		mrc_unit_extend(mrc_unit(skb), seg);
		return;
	}
	if (mrc_reader_compact(qp, &left))
		return;
	mrc_unit_start(mrc_unit(skb), &left);
	__skb_queue_tail(queue, skb_get(skb));
}

u64 mrc_reader_ready(const struct mrc_qp *qp)
{
	return qp->p.seqpacket ? qp->rsp.messages > 0 : qp->rsp.readable;
}

u64 mrc_reader_inq(struct mrc_qp *qp)
{
	if (!qp->p.seqpacket)
		return qp->rsp.readable;
	if (!qp->rsp.messages)
		return 0;
	return mrc_unit(skb_peek(&qp->sk->sk_receive_queue))->msg_len;
}

bool mrc_reader_at_end(const struct mrc_qp *qp)
{
	return qp->rsp.fin && !qp->rsp.readable && !qp->rsp.messages;
}

bool mrc_reader_unread(const struct mrc_qp *qp)
{
	return qp->rsp.readable || qp->rsp.messages;
}

/* One packet's payload. Return: 0, -EFAULT and nothing of it was copied. */
static int mrc_unit_copy_packet(struct sk_buff *skb, struct mrc_cursor *c,
				u32 off, struct msghdr *msg, u32 len)
{
	const void *p = mrc_cursor_peek(c, off, len);
	u32 done;

	if (!p)
		return skb_copy_datagram_msg(skb, off, msg, len);
	/* the cursor knows how long the piece is: not checked once more */
	done = _copy_to_iter(p, len, &msg->msg_iter);
	if (done == len)
		return 0;
	iov_iter_revert(&msg->msg_iter, done);
	return -EFAULT;
}

/* Copies @len bytes of a unit's payload from byte @at on. */
static int mrc_unit_copy(struct sk_buff *skb, const struct mrc_unit *u, u32 at,
			 struct msghdr *msg, u32 len)
{
	u32 i, in, n, hdr, off;
	struct mrc_cursor c;
	int err;

	if (u->compact)
		return skb_copy_datagram_msg(skb, at, msg, len);
	/* a message may be empty, and then u->full is 0 */
	if (!len)
		return 0;
	mrc_cursor_init(&c, skb);
	i = min_t(u32, at / u->full, u->n - 1);
	in = at - i * u->full;
	off = u->off + i * u->stride;
	for (; len; i++, off += u->stride, in = 0) {
		n = len;
		hdr = u->hdr_last;
		if (i < u->n - 1) {
			n = min_t(u32, len, u->full - in);
			hdr = u->hdr;
		}
		err = mrc_unit_copy_packet(skb, &c, off + hdr + in, msg, n);
		if (err)
			return err;
		len -= n;
	}
	return 0;
}

static void mrc_reader_consume(struct mrc_qp *qp, u32 n)
{
	qp->rsp.va_read += n;
	qp->rsp.readable -= n;
}

static void mrc_reader_drop(struct mrc_qp *qp, struct sk_buff *skb)
{
	__skb_unlink(skb, &qp->sk->sk_receive_queue);
	consume_skb(skb);
}

/* *@last is @skb from now on, if it is asked for. */
static void mrc_reader_last(struct sk_buff **last, struct sk_buff *skb)
{
	if (!last)
		return;
	consume_skb(*last);
	*last = skb_get(skb);
}

int mrc_reader_stream(struct mrc_qp *qp, struct msghdr *msg, size_t len,
		      int flags, u64 skip, struct sk_buff **last)
{
	struct sk_buff_head *queue = &qp->sk->sk_receive_queue;
	struct sk_buff *skb, *next;
	struct mrc_unit *u;
	size_t done = 0;
	u32 left, n;
	int err = 0;

	skb_queue_walk_safe(queue, skb, next) {
		u = mrc_unit(skb);
		left = u->bytes - u->done;
		if (done == len)
			break;
		if (skip >= left) {
			skip -= left;
			continue;
		}
		n = min_t(size_t, len - done, left - skip);
		if (!(flags & MSG_TRUNC))
			err = mrc_unit_copy(skb, u, u->done + skip, msg, n);
		if (err)
			break;
		skip = 0;
		done += n;
		mrc_reader_last(last, skb);
		if (flags & MSG_PEEK)
			continue;
		u->done += n;
		mrc_reader_consume(qp, n);
		if (u->done == u->bytes)
			mrc_reader_drop(qp, skb);
	}
	return done ? done : err;
}

int mrc_reader_message(struct mrc_qp *qp, struct msghdr *msg, size_t len,
		       int flags, size_t *copied, struct sk_buff **last)
{
	struct sk_buff_head *queue = &qp->sk->sk_receive_queue;
	struct sk_buff *skb, *next;
	size_t left, done = 0;
	struct mrc_unit *u;
	u32 total, n;
	u8 flag;
	int err;

	if (!qp->rsp.messages)
		return -EAGAIN;
	total = mrc_unit(skb_peek(queue))->msg_len;
	left = min_t(size_t, len, total);
	skb_queue_walk(queue, skb) {
		u = mrc_unit(skb);
		n = min_t(size_t, left - done, u->bytes);
		err = mrc_unit_copy(skb, u, 0, msg, n);
		if (err)
			return -EFAULT;
		done += n;
		if (u->flags & MRC_TX_LAST)
			break;
	}
	mrc_reader_last(last, skb);
	*copied = done;
	if (u->flags & MRC_TX_EOR)
		msg->msg_flags |= MSG_EOR;
	if (len < total)
		msg->msg_flags |= MSG_TRUNC;
	if (flags & MSG_PEEK)
		return total;
	skb_queue_walk_safe(queue, skb, next) {
		flag = mrc_unit(skb)->flags & MRC_TX_LAST;
		mrc_reader_drop(qp, skb);
		if (flag)
			break;
	}
	qp->rsp.messages--;
	mrc_reader_consume(qp, total);
	return total;
}
