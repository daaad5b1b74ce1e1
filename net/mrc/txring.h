/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slots of the packets that are queued and not yet acknowledged: an array
 * indexed by PSN, in page-sized chunks that come and go with the window.
 */
#ifndef _NET_MRC_TXRING_H
#define _NET_MRC_TXRING_H

#include <linux/build_bug.h>
#include <linux/mm_types.h>
#include <linux/types.h>

/* Flags of a slot. */
#define MRC_TX_SENT	0x01	/* sent at least once */
#define MRC_TX_FLIGHT	0x02	/* in flight: counted, in its plane's list */
#define MRC_TX_ACKED	0x04	/* acknowledged, cumulatively or by a bit */
#define MRC_TX_LOST	0x08	/* lost, to be sent again */
#define MRC_TX_FIRST	0x10	/* first packet of its message */
#define MRC_TX_LAST	0x20	/* last packet of its message */
#define MRC_TX_EOR	0x40	/* immediate carries EOR */
#define MRC_TX_FIN	0x80	/* end of stream */

struct mrc_zc;

/**
 * struct mrc_slot - one packet
 * @page: holds the payload (one reference), NULL without payload
 * @zc: the same if @by_zc: pages that are not ours
 * @va: offset in the stream
 * @sent_at: when it was sent last, ns
 * @off: payload's offset in @page; the hole for its headers is before it. In @zc
 *	there is none
 * @ev: entropy value it took last
 * @path_seq: number among the packets of its path
 * @next: neighbours in its plane's list, low 32 bits of PSNs
 * @prev: see @next
 * @dma_len: length of its message, bytes; of a packet of a stream what its place
 *	in the page holds, which is charged
 * @len: payload bytes
 * @path: path index it took last
 * @lost_path: path index it was lost on last
 * @msn: number of its message
 * @plane: plane it took last
 * @gen: low bits of the path table's generation
 * @flags: MRC_TX_*
 * @tx: times sent, up to MRC_TX_MAX
 * @since: how long before @sent_at it was sent first, ns, saturates
 * @by_order: lost last by the path rule
 * @by_zc: its payload was not copied (zc.c)
 */
struct mrc_slot {
	union {
		struct page	*page;
		struct mrc_zc	*zc;
	};
	u64		va;
	u64		sent_at;
	u32		off;
	u32		ev;
	u32		path_seq;
	u32		next;
	u32		prev;
	u32		dma_len;
	u16		len;
	u16		path;
	u16		lost_path;
	u16		msn;
	u8		plane;
	u8		gen;
	u8		flags;
	u8		tx:6;
	u8		by_order:1;
	u8		by_zc:1;
	u32		since;
};

#define MRC_TX_MAX	63

#define MRC_SLOTS	64	/* per chunk, one bit each in mrc_tx_chunk.lost */

static_assert(sizeof(struct mrc_slot) == 64);

/**
 * struct mrc_tx_chunk - MRC_SLOTS slots
 * @slot: a page of them
 * @lost: bit i: slot i is MRC_TX_LOST
 */
struct mrc_tx_chunk {
	struct mrc_slot	*slot;
	u64		lost;
};

/**
 * struct mrc_txring - the array
 * @chunk: directory, @n_chunks entries (a power of two), NULL when idle
 * @n_chunks: its size
 * @spare: one chunk kept for the next need
 */
struct mrc_txring {
	struct mrc_tx_chunk	*chunk;
	u32			n_chunks;
	struct mrc_slot		*spare;
};

struct sock;

static inline struct mrc_tx_chunk *mrc_txring_chunk(const struct mrc_txring *r,
						    u64 psn)
{
	return &r->chunk[(psn / MRC_SLOTS) & (r->n_chunks - 1)];
}

/* The slot of @psn, which must be in [una, end) of the requester. */
static inline struct mrc_slot *mrc_slot(const struct mrc_txring *r, u64 psn)
{
	return &mrc_txring_chunk(r, psn)->slot[psn % MRC_SLOTS];
}

/* The slot of @psn, given that of the one before. */
static inline struct mrc_slot *mrc_slot_next(const struct mrc_txring *r,
					     const struct mrc_slot *before,
					     u64 psn)
{
	return psn % MRC_SLOTS ? (struct mrc_slot *)before + 1 :
				 mrc_slot(r, psn);
}

int mrc_txring_add(struct mrc_txring *r, struct sock *sk, u64 una, u64 psn);

/* Makes room for the slot of @psn = the present end, lowest live PSN @una.
 * The chunk is charged to @sk. Return: 0, -ENOMEM.
 */
static inline int mrc_txring_grow(struct mrc_txring *r, struct sock *sk,
				  u64 una, u64 psn)
{
	/* it is in the chunk of the one before */
	if (psn != una && psn % MRC_SLOTS)
		return 0;
	return mrc_txring_add(r, sk, una, psn);
}

/* The lowest live PSN has moved from @from to @to (end of live ones @end):
 * chunks below are freed; if nothing is live, all goes but a spare.
 */
void mrc_txring_shrink(struct mrc_txring *r, struct sock *sk, u64 from, u64 to,
		       u64 end);
/* Frees all chunks (not the pages of slots). */
void mrc_txring_free(struct mrc_txring *r, struct sock *sk);

void mrc_txring_set_lost(struct mrc_txring *r, u64 psn);
void mrc_txring_clear_lost(struct mrc_txring *r, u64 psn);
/* Lowest lost PSN in [from, end), MRC_PSN_NONE if none. */
u64 mrc_txring_next_lost(const struct mrc_txring *r, u64 from, u64 end);

#endif
