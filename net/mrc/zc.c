// SPDX-License-Identifier: GPL-2.0
/*
 * Payload that is not copied: the user's own pages (MSG_ZEROCOPY), or pages of
 * a file or a pipe (MSG_SPLICE_PAGES). Their packets have no hole for headers
 * before the payload and leave in the frags layout (burst.c).
 *
 * A chunk is some pages that one sendmsg() gave, for a few packets in a row. It
 * holds on to the pages until the last of these packets has been acknowledged;
 * each skb that carries a part of it holds them as well. The sender is charged
 * for whole pages, by the first of the packets. The user is told when both are
 * over (struct ubuf_info). Who takes the skb in on this host, another
 * namespace or the user himself, gets a copy: skb_orphan_frags().
 */
#include <linux/bvec.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "compat.h"
#include "transport.h"
#include "zc.h"

/**
 * struct mrc_zc - a chunk
 * @uarg: whom to tell, with a reference; NULL = nobody
 * @refs: packets, and who makes it; protected by the socket lock
 * @n: pieces
 * @piece: each within a page, with a reference to that
 */
struct mrc_zc {
	struct ubuf_info	*uarg;
	u32			refs;
	u32			n;
	struct bio_vec		piece[MRC_ZC_PIECES];
};

/* Any packet of a chunk fits an skb: its headers, and what follows the
 * payload, are frags too.
 */
static_assert(MRC_ZC_PIECES + 2 <= MAX_SKB_FRAGS);

static struct mrc_zc *mrc_zc_new(gfp_t gfp, struct ubuf_info *uarg)
{
	struct mrc_zc *zc = kmalloc(sizeof(*zc), gfp | __GFP_NOWARN);

	if (!zc)
		return NULL;
	zc->uarg = uarg;
	zc->refs = 1;
	zc->n = 0;
	if (uarg)
		net_zcopy_get(uarg);
	return zc;
}

void mrc_zc_put(struct mrc_zc *zc)
{
	u32 i;

	if (--zc->refs)
		return;
	for (i = 0; i < zc->n; i++)
		put_page(zc->piece[i].bv_page);
	net_zcopy_put(zc->uarg);
	kfree(zc);
}

/* Pages of @from, up to @len bytes. Those that the user has mapped come with a
 * reference, others get one, if they may have one. Return: bytes, or a negative
 * errno: -EOPNOTSUPP they must be copied.
 */
static ssize_t mrc_zc_take(struct mrc_zc *zc, struct iov_iter *from, size_t len)
{
	struct page *page[MRC_ZC_PIECES], **pages = page;
	unsigned int i, room = MRC_ZC_PIECES - zc->n;
	size_t off, part, left;
	ssize_t n;

	if (user_backed_iter(from))
		n = iov_iter_get_pages2(from, page, len, room, &off);
	else if (iov_iter_is_bvec(from))
		n = iov_iter_extract_pages(from, &pages, len, room, 0, &off);
	else
		return -EOPNOTSUPP;
	if (n <= 0)
		return n ?: -EFAULT;
	left = n;
	for (i = 0; left; i++, left -= part, off = 0) {
		part = min(left, PAGE_SIZE - off);
		if (!user_backed_iter(from)) {
			if (!sendpage_ok(page[i]))
				break;
			get_page(page[i]);
		}
		bvec_set_page(&zc->piece[zc->n++], page[i], part, off);
	}
	iov_iter_revert(from, left);
	return n - left ?: -EOPNOTSUPP;
}

/* As many pages as the chunk takes. Return as above. */
static ssize_t mrc_zc_fill(struct mrc_zc *zc, struct iov_iter *from, size_t len)
{
	size_t done = 0;
	ssize_t n = 0;

	while (done < len && zc->n < MRC_ZC_PIECES) {
		n = mrc_zc_take(zc, from, len - done);
		if (n < 0)
			break;
		done += n;
	}
	return done ?: n;
}

/* What a chunk with @bytes of payload costs besides these: the rest of its
 * pages, which nobody else can have meanwhile, and itself.
 */
static size_t mrc_zc_rest(const struct mrc_zc *zc, size_t bytes)
{
	return zc->n * PAGE_SIZE - bytes + sizeof(*zc);
}

/* A packet of a stream whose payload is at @off of the chunk; it is charged for
 * @room bytes.
 */
static bool mrc_zc_packet(struct mrc_qp *qp, struct mrc_zc *zc, size_t off,
			  size_t len, size_t room)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_slot *slot;

	if (!sk_wmem_schedule(qp->sk, MRC_HDR_STREAM + room))
		return false;
	slot = mrc_fill_slot(qp, req->end, req->va_end,
			     MRC_TX_FIRST | MRC_TX_LAST);
	if (!slot)
		return false;
	slot->by_zc = true;
	slot->zc = zc;
	slot->off = off;
	slot->len = len;
	slot->dma_len = room;
	zc->refs++;
	mrc_fill_charge(qp->sk, MRC_HDR_STREAM + room);
	req->msn++;
	req->end++;
	req->va_end += len;
	return true;
}

/* One chunk: whole packets, but for the last of @len bytes. Return as
 * mrc_req_fill_zc().
 */
static ssize_t mrc_zc_chunk(struct mrc_qp *qp, struct iov_iter *from, size_t len,
			    struct ubuf_info *uarg)
{
	struct mrc_zc *zc = mrc_zc_new(qp->sk->sk_allocation, uarg);
	size_t off = 0, part, cut = 0, rest = 0;
	ssize_t n;

	if (!zc)
		return -ENOMEM;
	n = mrc_zc_fill(zc, from,
			min_t(size_t, len, MRC_ZC_PIECES * qp->p.payload));
	if (n > qp->p.payload && n < len)
		cut = n % qp->p.payload;
	if (n > 0)
		rest = mrc_zc_rest(zc, n - cut);
	while (n > 0 && off < n - cut) {
		part = min_t(size_t, n - cut - off, qp->p.payload);
		if (!mrc_zc_packet(qp, zc, off, part, part + rest))
			break;
		rest = 0;
		off += part;
	}
	if (n > 0)
		iov_iter_revert(from, n - off);
	mrc_zc_put(zc);
	if (n < 0)
		return n;
	return off ?: -ENOMEM;
}

ssize_t mrc_req_fill_zc(struct mrc_qp *qp, struct iov_iter *from, size_t len,
			struct ubuf_info *uarg)
{
	size_t done = 0;
	ssize_t n = 0;

	while (done < len) {
		n = -EAGAIN;
		if (sk_stream_memory_free(qp->sk))
			n = mrc_zc_chunk(qp, from, len - done, uarg);
		if (n < 0)
			break;
		done += n;
	}
	return done ?: n;
}

/* The piece with the byte *@off; *@off becomes its place there. */
static const struct bio_vec *mrc_zc_piece(const struct mrc_zc *zc, u32 *off)
{
	const struct bio_vec *piece = zc->piece;

	for (; *off >= piece->bv_len; piece++)
		*off -= piece->bv_len;
	return piece;
}

/**
 * mrc_zc_pieces() - frags that the payload of a packet will be
 * @slot: the packet
 *
 * Context: socket lock held.
 * Return: 1 to MRC_ZC_PIECES.
 */
unsigned int mrc_zc_pieces(const struct mrc_slot *slot)
{
	const struct bio_vec *piece;
	u32 off = slot->off, n = 1;

	piece = mrc_zc_piece(slot->zc, &off);
	for (off += slot->len; off > piece->bv_len; n++)
		off -= piece++->bv_len;
	return n;
}

/**
 * mrc_zc_same() - may two packets be in one skb, as far as it is about pages?
 * @a: a packet
 * @b: another
 *
 * An skb has one user to tell.
 *
 * Context: socket lock held.
 * Return: true if so.
 */
bool mrc_zc_same(const struct mrc_slot *a, const struct mrc_slot *b)
{
	if (!a->by_zc || !b->by_zc)
		return a->by_zc == b->by_zc;
	return a->zc->uarg == b->zc->uarg;
}

/**
 * mrc_zc_add() - append the payload of a packet
 * @skb: to this
 * @slot: the packet
 * @add: appends a piece of a page
 *
 * Context: socket lock held.
 */
void mrc_zc_add(struct sk_buff *skb, const struct mrc_slot *slot,
		void (*add)(struct sk_buff *skb, struct page *page,
			    unsigned int off, unsigned int len))
{
	const struct bio_vec *piece;
	u32 off = slot->off, left, n;

	piece = mrc_zc_piece(slot->zc, &off);
	for (left = slot->len; left; left -= n, off = 0, piece++) {
		n = min(left, piece->bv_len - off);
		add(skb, piece->bv_page, piece->bv_offset + off, n);
	}
	if (slot->zc->uarg)
		skb_zcopy_set(skb, slot->zc->uarg, NULL);
	else
		skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
}

struct ubuf_info *mrc_zc_begin(struct sock *sk, size_t len)
{
	return mrc_zerocopy_alloc(sk, len);
}
