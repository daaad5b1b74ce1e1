// SPDX-License-Identifier: GPL-2.0
/*
 * Slots of queued and unacknowledged packets: memory only. See txring.h.
 */
#include <linux/gfp.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "psn.h"
#include "txring.h"

#define MRC_TXRING_MIN	2	/* chunks; 128 packets */

static struct mrc_slot *mrc_chunk_alloc(struct mrc_txring *r, struct sock *sk)
{
	struct mrc_slot *slot = r->spare;

	if (slot) {
		r->spare = NULL;
		return slot;
	}
	if (!sk_wmem_schedule(sk, PAGE_SIZE))
		return NULL;
	slot = (struct mrc_slot *)__get_free_page(GFP_ATOMIC | __GFP_NOWARN);
	if (slot)
		sk_mem_charge(sk, PAGE_SIZE);
	return slot;
}

static void mrc_chunk_free(struct mrc_txring *r, struct sock *sk,
			   struct mrc_slot *slot)
{
	if (!r->spare) {
		r->spare = slot;
		return;
	}
	free_page((unsigned long)slot);
	sk_mem_uncharge(sk, PAGE_SIZE);
}

/* Doubles the directory; chunks keep their contents. */
static int mrc_txring_double(struct mrc_txring *r, u64 una, u64 psn)
{
	u32 n = r->n_chunks ? 2 * r->n_chunks : MRC_TXRING_MIN;
	struct mrc_tx_chunk *dir;
	u64 c;

	dir = kcalloc(n, sizeof(*dir), GFP_ATOMIC | __GFP_NOWARN);
	if (!dir)
		return -ENOMEM;
	if (r->n_chunks)
		for (c = una / MRC_SLOTS; c < psn / MRC_SLOTS; c++)
			dir[c & (n - 1)] = r->chunk[c & (r->n_chunks - 1)];
	kfree(r->chunk);
	r->chunk = dir;
	r->n_chunks = n;
	return 0;
}

/**
 * mrc_txring_add - make room for one more slot, maybe the first of a chunk
 * @r: ring
 * @sk: pays for a chunk
 * @una: lowest live PSN
 * @psn: PSN of the new slot, one above the highest live one
 *
 * Context: socket lock held.
 * Return: 0, or -ENOMEM and nothing has changed.
 */
int mrc_txring_add(struct mrc_txring *r, struct sock *sk, u64 una, u64 psn)
{
	struct mrc_tx_chunk *chunk;
	int err;

	while (psn / MRC_SLOTS - una / MRC_SLOTS >= r->n_chunks) {
		/* The directory is full only when a new chunk begins. */
		err = mrc_txring_double(r, una, psn);
		if (err)
			return err;
	}
	chunk = mrc_txring_chunk(r, psn);
	if (chunk->slot)
		return 0;
	chunk->slot = mrc_chunk_alloc(r, sk);
	return chunk->slot ? 0 : -ENOMEM;
}

static void mrc_txring_drop(struct mrc_txring *r, struct sock *sk, u64 c)
{
	struct mrc_tx_chunk *chunk = &r->chunk[c & (r->n_chunks - 1)];

	if (chunk->slot)
		mrc_chunk_free(r, sk, chunk->slot);
	chunk->slot = NULL;
	chunk->lost = 0;
}

/**
 * mrc_txring_shrink - the lowest live PSN has moved up
 * @r: ring
 * @sk: was charged
 * @from: where it was
 * @to: where it is
 * @end: one above the highest live PSN; @to == @end: nothing is live
 *
 * Whole chunks below @to go; one is kept for the next need. With nothing
 * live all goes, so that an idle connection holds no page.
 *
 * Context: socket lock held.
 */
void mrc_txring_shrink(struct mrc_txring *r, struct sock *sk, u64 from, u64 to,
		       u64 end)
{
	u64 c;

	if (!r->n_chunks)
		return;
	for (c = from / MRC_SLOTS; c < to / MRC_SLOTS; c++)
		mrc_txring_drop(r, sk, c);
	if (to != end)
		return;
	mrc_txring_drop(r, sk, to / MRC_SLOTS);
	if (r->spare) {
		free_page((unsigned long)r->spare);
		sk_mem_uncharge(sk, PAGE_SIZE);
		r->spare = NULL;
	}
}

/**
 * mrc_txring_free - free all chunks and the directory
 * @r: ring
 * @sk: was charged
 *
 * Context: socket lock held, or nobody else has the socket.
 */
void mrc_txring_free(struct mrc_txring *r, struct sock *sk)
{
	u32 i;

	for (i = 0; i < r->n_chunks; i++) {
		if (!r->chunk[i].slot)
			continue;
		free_page((unsigned long)r->chunk[i].slot);
		sk_mem_uncharge(sk, PAGE_SIZE);
	}
	if (r->spare) {
		free_page((unsigned long)r->spare);
		sk_mem_uncharge(sk, PAGE_SIZE);
	}
	kfree(r->chunk);
	memset(r, 0, sizeof(*r));
}

/* Marks @psn as lost, for mrc_txring_next_lost(). */
void mrc_txring_set_lost(struct mrc_txring *r, u64 psn)
{
	mrc_txring_chunk(r, psn)->lost |= BIT_ULL(psn % MRC_SLOTS);
}

/* Takes that back. */
void mrc_txring_clear_lost(struct mrc_txring *r, u64 psn)
{
	mrc_txring_chunk(r, psn)->lost &= ~BIT_ULL(psn % MRC_SLOTS);
}

/**
 * mrc_txring_next_lost - the oldest lost packet
 * @r: ring
 * @from: search from here
 * @end: and below this
 *
 * Context: socket lock held.
 * Return: its PSN, MRC_PSN_NONE if there is none.
 */
u64 mrc_txring_next_lost(const struct mrc_txring *r, u64 from, u64 end)
{
	u64 word, psn = from;

	while (psn < end) {
		word = mrc_txring_chunk(r, psn)->lost >> (psn % MRC_SLOTS);
		if (word) {
			psn += __ffs64(word);
			return psn < end ? psn : MRC_PSN_NONE;
		}
		psn = (psn / MRC_SLOTS + 1) * MRC_SLOTS;
	}
	return MRC_PSN_NONE;
}
