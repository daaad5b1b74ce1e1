/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PSN arithmetic and the receive bitmap. Pure: no skb, no sock, no time.
 *
 * On the wire a PSN has 24 bits and wraps, at 8 x 100G within a second.
 * Inside, requester and responder count PSNs in 64 bits, which never wrap; a
 * PSN from the wire is expanded against a nearby 64-bit counter. Counters
 * start at mrc_psn_start(), one lap up, so that nothing ever goes below 0.
 */
#ifndef _MRC_PSN_H
#define _MRC_PSN_H

#include <linux/types.h>

#define MRC_PSN_BITS		24
#define MRC_PSN_MASK		0xffffffU
#define MRC_PSN_LAP		0x1000000ULL

/* Bounds of the receive bitmap, in PSNs; both are powers of two. */
#define MRC_BITMAP_MIN		64
#define MRC_BITMAP_MAX		65536
#define MRC_BITMAP_WORDS(bits)	((bits) / 64)

/* "No such PSN", for functions that look for one. */
#define MRC_PSN_NONE		(~0ULL)

/**
 * mrc_psn_add - add a signed number to a 24-bit PSN
 * @psn: 24-bit PSN
 * @n: how many PSNs to go up (down if negative)
 *
 * Context: Any.
 * Return: 24-bit PSN.
 */
static inline u32 mrc_psn_add(u32 psn, s32 n)
{
	return (psn + (u32)n) & MRC_PSN_MASK;
}

/**
 * mrc_psn_sub - signed distance between two 24-bit PSNs
 * @a: 24-bit PSN
 * @b: 24-bit PSN
 *
 * Context: Any.
 * Return: @a - @b the shorter way round, -2^23 .. 2^23 - 1.
 */
static inline s32 mrc_psn_sub(u32 a, u32 b)
{
	return (s32)((a - b) << (32 - MRC_PSN_BITS)) >> (32 - MRC_PSN_BITS);
}

/**
 * mrc_psn_before - is one 24-bit PSN before another?
 * @a: 24-bit PSN
 * @b: 24-bit PSN
 *
 * Context: Any.
 * Return: true if @a is less than half a lap before @b.
 */
static inline bool mrc_psn_before(u32 a, u32 b)
{
	return mrc_psn_sub(a, b) < 0;
}

/**
 * mrc_psn_after - is one 24-bit PSN after another?
 * @a: 24-bit PSN
 * @b: 24-bit PSN
 *
 * Context: Any.
 * Return: true if @a is at most half a lap after @b.
 */
static inline bool mrc_psn_after(u32 a, u32 b)
{
	return mrc_psn_sub(b, a) < 0;
}

/**
 * mrc_psn_in_window - is a 24-bit PSN in [base, base + len)?
 * @psn: 24-bit PSN
 * @base: lowest 24-bit PSN of the window
 * @len: length of the window, 0 .. 2^24
 *
 * Context: Any.
 * Return: true if so.
 */
static inline bool mrc_psn_in_window(u32 psn, u32 base, u32 len)
{
	return ((psn - base) & MRC_PSN_MASK) < len;
}

/**
 * mrc_psn_start - the 64-bit counter for an initial 24-bit PSN
 * @psn: 24-bit PSN agreed at set-up
 *
 * Context: Any.
 * Return: 64-bit PSN, one lap up, so that "one before" still exists.
 */
static inline u64 mrc_psn_start(u32 psn)
{
	return MRC_PSN_LAP + (psn & MRC_PSN_MASK);
}

/**
 * mrc_psn_expand - the 64-bit PSN nearest to a reference
 * @ref: 64-bit PSN known to be less than half a lap away
 * @psn: 24-bit PSN from the wire
 *
 * Context: Any.
 * Return: the 64-bit PSN with the low bits @psn that is nearest to @ref.
 */
static inline u64 mrc_psn_expand(u64 ref, u32 psn)
{
	return ref + (s64)mrc_psn_sub(psn, (u32)ref & MRC_PSN_MASK);
}

/**
 * mrc_psn_wire - the 24 bits of a PSN that go on the wire
 * @psn: 64-bit PSN
 *
 * Context: Any.
 * Return: 24-bit PSN.
 */
static inline u32 mrc_psn_wire(u64 psn)
{
	return (u32)psn & MRC_PSN_MASK;
}

/**
 * struct mrc_bitmap - which PSNs of a sliding window have arrived
 * @words: storage, one bit per PSN, indexed by PSN modulo @size
 * @size: PSNs in the window, a power of two, MRC_BITMAP_MIN .. MRC_BITMAP_MAX
 * @ooo: PSNs received above @base, that is, out of order
 * @base: the first gap: everything below has arrived (cack_psn + 1)
 * @high: one above the highest PSN received; equals @base without a gap
 *
 * Bits outside [@base, @high) are 0 in storage. The owner serialises access
 * (the socket lock, for the responder).
 */
struct mrc_bitmap {
	u64	*words;
	u32	size;
	u32	ooo;
	u64	base;
	u64	high;
};

void mrc_bitmap_init(struct mrc_bitmap *bm, u64 *words, u32 size, u64 base);
void mrc_bitmap_set_run(struct mrc_bitmap *bm, u64 psn, u32 n);
void mrc_bitmap_step(struct mrc_bitmap *bm, u32 n);
bool mrc_bitmap_test(const struct mrc_bitmap *bm, u64 psn);
u64 mrc_bitmap_advance(struct mrc_bitmap *bm);
u64 mrc_bitmap_extract(const struct mrc_bitmap *bm, u64 from);
u64 mrc_bitmap_next_word(const struct mrc_bitmap *bm, u64 from);

/**
 * mrc_bitmap_has_gap - is something missing below the highest arrival?
 * @bm: bitmap, after mrc_bitmap_advance()
 *
 * Context: Any, serialised by the owner of @bm.
 * Return: true if so.
 */
static inline bool mrc_bitmap_has_gap(const struct mrc_bitmap *bm)
{
	return bm->high != bm->base;
}

#endif /* _MRC_PSN_H */
