// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that packets were filled into, kept until they can be filled again.
 *
 * To allocate memory and have it zeroed costs half as much as to copy data into
 * it and out. A page that is full waits here until its packets have been
 * acknowledged and have left the host: then nobody else has a reference to it.
 * Pages become free in the order in which they were filled, as a rule, so that
 * only the oldest is looked at. No more are kept than the send buffer holds, and
 * none when the connection has been idle for a while (timer.c).
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/proto_memory.h>
#include <net/sock.h>

#include "txpage.h"

/* What skb_page_frag_refill() gets unless memory is short; others are not kept.
 */
#define MRC_TXPAGE_SIZE	32768U

#define MRC_TXPAGES	256U

/**
 * struct mrc_txpages - a ring of pages
 * @page: a reference to each, charged to the socket
 * @first: the oldest, not wrapped
 * @end: after the latest
 */
struct mrc_txpages {
	struct page	*page[MRC_TXPAGES];
	u32		first;
	u32		end;
};

static u32 mrc_txpage_count(const struct mrc_txpages *p)
{
	return p->end - p->first;
}

static void mrc_txpage_in(struct mrc_txpages *p, struct page *page)
{
	p->page[p->end++ % MRC_TXPAGES] = page;
}

static struct page *mrc_txpage_out(struct mrc_txpages *p)
{
	return p->page[p->first++ % MRC_TXPAGES];
}

static bool mrc_txpage_has_free(const struct mrc_txpages *p)
{
	return mrc_txpage_count(p) &&
	       page_ref_count(p->page[p->first % MRC_TXPAGES]) == 1;
}

static void mrc_txpage_drop(struct mrc_txpages *p, struct sock *sk)
{
	put_page(mrc_txpage_out(p));
	sk_mem_uncharge(sk, MRC_TXPAGE_SIZE);
}

/* May one more be kept? Then it is charged. */
static bool mrc_txpage_may_grow(struct mrc_txpages *p, struct sock *sk)
{
	u32 most = min(READ_ONCE(sk->sk_sndbuf) / MRC_TXPAGE_SIZE, MRC_TXPAGES);

	while (mrc_txpage_count(p) && mrc_txpage_count(p) >= most)
		mrc_txpage_drop(p, sk);
	if (!most || sk_under_memory_pressure(sk) ||
	    !sk_wmem_schedule(sk, MRC_TXPAGE_SIZE))
		return false;
	sk_mem_charge(sk, MRC_TXPAGE_SIZE);
	return true;
}

/**
 * mrc_txpage_turn() - a full page for an empty one
 * @pages: where pages are kept, *@pages is made if need be
 * @sk: pays for what is kept
 * @pfrag: its page is full and in use. It is kept, and @pfrag gets the oldest
 *	one if that is free, or none; or nothing changes
 *
 * Context: Process, socket lock held.
 */
void mrc_txpage_turn(struct mrc_txpages **pages, struct sock *sk,
		     struct page_frag *pfrag)
{
	struct mrc_txpages *p = *pages;
	struct page *page = NULL;

	if (pfrag->size != MRC_TXPAGE_SIZE || page_is_pfmemalloc(pfrag->page))
		return;
	if (!p)
		p = kzalloc(sizeof(*p), sk->sk_allocation | __GFP_NOWARN);
	if (!p)
		return;
	*pages = p;
	if (mrc_txpage_has_free(p))
		page = mrc_txpage_out(p);
	else if (!mrc_txpage_may_grow(p, sk))
		return;
	mrc_txpage_in(p, pfrag->page);
	pfrag->page = page;
	pfrag->offset = 0;
}

/**
 * mrc_txpage_free() - give up all pages that are kept
 * @pages: where
 * @sk: was charged
 *
 * Context: socket lock held, or nobody else has the socket.
 */
void mrc_txpage_free(struct mrc_txpages **pages, struct sock *sk)
{
	struct mrc_txpages *p = *pages;

	if (!p)
		return;
	while (mrc_txpage_count(p))
		mrc_txpage_drop(p, sk);
	kfree(p);
	*pages = NULL;
}
