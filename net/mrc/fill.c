// SPDX-License-Identifier: GPL-2.0
/*
 * From the user's bytes to slots: what sendmsg() hands over is copied once
 * into page fragments, each packet's payload behind a hole for its headers,
 * so that consecutive packets can leave as one GSO skb without another copy
 * (the contiguous layout, see burst.c).
 */
#include <linux/uio.h>

#include "transport.h"
#include "zc.h"

/* Bytes that a packet with @hdr bytes of headers and @len of payload takes
 * in its page, and that later packets must not touch.
 */
static unsigned int mrc_fill_room(const struct mrc_qp *qp, unsigned int hdr,
				  unsigned int len)
{
	return hdr + ALIGN(len, 4) + (qp->p.icrc ? MRC_LEN_ICRC : 0);
}

void mrc_fill_charge(struct sock *sk, unsigned int n)
{
	sk_wmem_queued_add(sk, n);
	sk_mem_charge(sk, n);
}

/* An empty slot at @psn with its flags and place in the stream. */
struct mrc_slot *mrc_fill_slot(struct mrc_qp *qp, u64 psn, u64 va, u8 flags)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_slot *slot;

	if (mrc_txring_grow(&req->ring, qp->sk, req->una, psn))
		return NULL;
	slot = mrc_slot(&req->ring, psn);
	*slot = (struct mrc_slot) {
		.va	   = va,
		.flags	   = flags,
		.path	   = MRC_PATH_NONE,
		.lost_path = MRC_PATH_NONE,
		.msn	   = req->msn,
	};
	return slot;
}

static bool mrc_fill_fits(const struct page_frag *pfrag, unsigned int bytes)
{
	return pfrag->page && pfrag->offset + bytes <= pfrag->size;
}

/* Makes room for @bytes in @pfrag, whose pages have addresses: in a page that
 * was full once, or a new one. Where memory is in pieces that is a single one,
 * and a packet with its headers needs two.
 */
static bool mrc_fill_page(struct mrc_qp *qp, struct page_frag *pfrag,
			  unsigned int bytes)
{
	struct sock *sk = qp->sk;

	if (mrc_fill_fits(pfrag, bytes))
		return true;
	if (pfrag->page && page_ref_count(pfrag->page) > 1)
		mrc_txpage_turn(&qp->req.pages, sk, pfrag);
	if (!skb_page_frag_refill(bytes, pfrag, sk->sk_allocation))
		return false;
	if (mrc_fill_fits(pfrag, bytes))
		return true;
	put_page(pfrag->page);
	pfrag->page = alloc_pages(sk->sk_allocation | __GFP_COMP,
				  get_order(bytes));
	if (!pfrag->page)
		return false;
	pfrag->offset = 0;
	pfrag->size = page_size(pfrag->page);
	return true;
}

/* The same as copy_page_from_iter(), which would go page by page. */
static size_t mrc_fill_from(struct page *page, unsigned int off, size_t len,
			    struct iov_iter *from)
{
	return _copy_from_iter(page_address(page) + off, len, from);
}

/* A packet is to be in @pfrag's page, as far as that is filled. */
static void mrc_fill_place(struct mrc_slot *slot, const struct page_frag *pfrag,
			   unsigned int hdr)
{
	slot->page = pfrag->page;
	slot->off = pfrag->offset + hdr;
	get_page(slot->page);
}

/* Copies up to @len bytes behind a fresh hole. Return: bytes, -EFAULT,
 * -ENOMEM.
 */
static int mrc_fill_copy(struct mrc_qp *qp, struct mrc_slot *slot,
			 struct iov_iter *from, size_t len)
{
	unsigned int hdr = mrc_slot_hdr(slot, qp->p.seqpacket);
	struct page_frag *pfrag = sk_page_frag(qp->sk);
	unsigned int room = mrc_fill_room(qp, hdr, len);
	size_t n;

	if (!sk_wmem_schedule(qp->sk, hdr + len))
		return -ENOMEM;
	if (!mrc_fill_page(qp, pfrag, room))
		return -ENOMEM;
	n = mrc_fill_from(pfrag->page, pfrag->offset + hdr, len, from);
	if (!n && len)
		return -EFAULT;
	mrc_fill_place(slot, pfrag, hdr);
	slot->len = n;
	slot->dma_len = n;
	pfrag->offset += mrc_fill_room(qp, hdr, n);
	mrc_fill_charge(qp->sk, hdr + n);
	return n;
}

/* Makes the place of the packet at the end of @pfrag larger, if it is there and
 * the page is.
 */
static bool mrc_fill_stretch(struct mrc_qp *qp, struct page_frag *pfrag,
			     struct mrc_slot *slot, unsigned int len)
{
	unsigned int end = slot->off + mrc_fill_room(qp, 0, slot->dma_len);
	unsigned int to = slot->off + mrc_fill_room(qp, 0, len);

	if (slot->page != pfrag->page || end != pfrag->offset ||
	    to > pfrag->size)
		return false;
	pfrag->offset = to;
	mrc_fill_charge(qp->sk, len - slot->dma_len);
	slot->dma_len = len;
	return true;
}

/* Something else follows it, of another socket maybe: the packet moves to where
 * there is room for a full one, so that it does so once at most.
 */
static bool mrc_fill_move(struct mrc_qp *qp, struct page_frag *pfrag,
			  struct mrc_slot *slot)
{
	unsigned int hdr = mrc_slot_hdr(slot, false), full = qp->p.payload;
	unsigned int room = mrc_fill_room(qp, hdr, full);
	struct page *page = slot->page;
	unsigned int off = slot->off;

	if (!mrc_fill_page(qp, pfrag, room))
		return false;
	mrc_fill_place(slot, pfrag, hdr);
	memcpy(page_address(slot->page) + slot->off, page_address(page) + off,
	       slot->len);
	put_page(page);
	pfrag->offset += room;
	mrc_fill_charge(qp->sk, full - slot->dma_len);
	slot->dma_len = full;
	return true;
}

/* Adds to the last packet of a stream if it was not sent yet. Return: bytes, 0,
 * -EFAULT, -ENOMEM.
 */
static int mrc_fill_tail(struct mrc_qp *qp, struct iov_iter *from, size_t len)
{
	struct page_frag *pfrag = sk_page_frag(qp->sk);
	struct mrc_requester *req = &qp->req;
	struct mrc_slot *slot;
	size_t n;

	if (req->end == req->nxt)
		return 0;
	slot = mrc_slot(&req->ring, req->end - 1);
	len = min_t(size_t, len, qp->p.payload - slot->len);
	if (!len || !slot->page || slot->by_zc)
		return 0;
	if (!sk_wmem_schedule(qp->sk, qp->p.payload - slot->dma_len))
		return -ENOMEM;
	if (slot->len + len > slot->dma_len &&
	    !mrc_fill_stretch(qp, pfrag, slot, slot->len + len) &&
	    !mrc_fill_move(qp, pfrag, slot))
		return -ENOMEM;
	n = mrc_fill_from(slot->page, slot->off + slot->len, len, from);
	if (!n)
		return -EFAULT;
	slot->len += n;
	return n;
}

/* A new packet of a stream. Return as above. */
static int mrc_fill_packet(struct mrc_qp *qp, struct iov_iter *from,
			   size_t len)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_slot *slot;
	int n;

	slot = mrc_fill_slot(qp, req->end, req->va_end,
			     MRC_TX_FIRST | MRC_TX_LAST);
	if (!slot)
		return -ENOMEM;
	n = mrc_fill_copy(qp, slot, from, min_t(size_t, len, qp->p.payload));
	if (n < 0)
		return n;
	req->msn++;
	req->end++;
	return n;
}

size_t mrc_req_chunk(const struct mrc_qp *qp)
{
	return 2 * MRC_BURST_PKTS * qp->p.payload;
}

int mrc_req_fill(struct mrc_qp *qp, struct iov_iter *from, size_t len)
{
	size_t done = 0;
	int n = 0;

	/* At once what the packets would ask for one by one; if this is too
	 * much, they still do.
	 */
	sk_wmem_schedule(qp->sk, len);
	n = mrc_fill_tail(qp, from, len);
	while (n >= 0) {
		done += n;
		qp->req.va_end += n;
		if (done == len)
			break;
		n = -EAGAIN;
		if (sk_stream_memory_free(qp->sk))
			n = mrc_fill_packet(qp, from, len - done);
	}
	return done ?: n;
}

/* Takes back the packets of an unfinished message. */
static void mrc_fill_undo(struct mrc_qp *qp, u64 end)
{
	mrc_req_release(qp, qp->req.end, end - qp->req.end);
}

int mrc_req_message(struct mrc_qp *qp, struct iov_iter *from, size_t len,
		    bool eor)
{
	struct mrc_requester *req = &qp->req;
	u64 psn = req->end, va = req->va_end;
	size_t left = len, part;
	struct mrc_slot *slot;
	u8 flags = MRC_TX_FIRST;
	int n;

	if (len > qp->p.tx_max_msg)
		return -EMSGSIZE;
	do {
		part = min_t(size_t, left, qp->p.payload);
		if (part == left)
			flags |= MRC_TX_LAST | (eor ? MRC_TX_EOR : 0);
		slot = mrc_fill_slot(qp, psn, va, flags);
		n = slot ? mrc_fill_copy(qp, slot, from, part) : -ENOMEM;
		if (n < 0) {
			mrc_fill_undo(qp, psn);
			return n;
		}
		slot->dma_len = len;
		psn++;
		if (n != part) {
			mrc_fill_undo(qp, psn);
			return -EFAULT;
		}
		left -= part;
		va += part;
		flags = 0;
	} while (left);
	req->msn++;
	req->end = psn;
	req->va_end = va;
	return 0;
}

int mrc_req_fin(struct mrc_qp *qp)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_slot *slot;

	slot = mrc_fill_slot(qp, req->end, req->va_end,
			     MRC_TX_FIRST | MRC_TX_LAST | MRC_TX_FIN);
	if (!slot)
		return -ENOMEM;
	req->fin_queued = true;
	req->fin_psn = req->end++;
	return 0;
}

/* Gives up the payload of @n slots from @psn on: acknowledged, or never to be
 * sent. References to the same page go together. Return: bytes to be uncharged,
 * of many slots at once, for that costs more than the rest.
 */
unsigned int mrc_req_put(struct mrc_qp *qp, u64 psn, u32 n)
{
	unsigned int room = 0, refs = 0;
	struct mrc_slot *slot = NULL;
	struct page *page = NULL;

	for (; n; n--, psn++) {
		slot = slot ? mrc_slot_next(&qp->req.ring, slot, psn) :
			      mrc_slot(&qp->req.ring, psn);
		if (slot->by_zc && slot->zc) {
			room += mrc_slot_hdr(slot, false) + slot->dma_len;
			mrc_zc_put(slot->zc);
			slot->zc = NULL;
		}
		if (slot->page != page) {
			if (page)
				folio_put_refs(page_folio(page), refs);
			page = slot->page;
			refs = 0;
		}
		if (!page)
			continue;
		refs++;
		slot->page = NULL;
		room += mrc_slot_hdr(slot, qp->p.seqpacket) +
			(qp->p.seqpacket ? slot->len : slot->dma_len);
	}
	if (page)
		folio_put_refs(page_folio(page), refs);
	return room;
}

void mrc_req_uncharge(struct mrc_qp *qp, unsigned int n)
{
	if (!n)
		return;
	sk_wmem_queued_add(qp->sk, -n);
	sk_mem_uncharge(qp->sk, n);
}

void mrc_req_release(struct mrc_qp *qp, u64 psn, u32 n)
{
	mrc_req_uncharge(qp, mrc_req_put(qp, psn, n));
}
