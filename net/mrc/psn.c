// SPDX-License-Identifier: GPL-2.0
/*
 * The receive bitmap: which PSNs of a sliding window have arrived.
 *
 * A ring of 64-bit words indexed by PSN, so nothing is ever shifted. The word
 * in which the window begins may also hold its end, one lap later; every
 * reader therefore masks a word to [base, high) first. Cost: one word per
 * PSN set or tested, otherwise the words that are looked at.
 */
#include <linux/bitops.h>
#include <linux/string.h>

#include "psn.h"

/* Bits lo .. 63. @lo is 0 .. 63. */
static u64 bits_from(unsigned int lo)
{
	return ~0ULL << lo;
}

static u64 *bm_slot(const struct mrc_bitmap *bm, u64 psn)
{
	return &bm->words[(psn & (bm->size - 1)) >> 6];
}

/* The 64 PSNs from @psn, a multiple of 64, without what the ring holds of
 * other laps: 0 outside [base, high).
 */
static u64 bm_word(const struct mrc_bitmap *bm, u64 psn)
{
	u64 word;

	if (psn + 64 <= bm->base || psn >= bm->high)
		return 0;

	word = *bm_slot(bm, psn);
	if (psn < bm->base)
		word &= bits_from(bm->base - psn);
	if (bm->high - psn < 64)
		word &= ~bits_from(bm->high - psn);
	return word;
}

/* The same with what lies below the window, which has all arrived. */
static u64 bm_seen(const struct mrc_bitmap *bm, u64 psn)
{
	if (psn + 64 <= bm->base)
		return ~0ULL;
	if (psn < bm->base)
		return bm_word(bm, psn) | ~bits_from(bm->base - psn);
	return bm_word(bm, psn);
}

/**
 * mrc_bitmap_init - start an empty window
 * @bm: bitmap
 * @words: storage, MRC_BITMAP_WORDS(@size) words, cleared here
 * @size: PSNs, a power of two, MRC_BITMAP_MIN .. MRC_BITMAP_MAX
 * @base: the first PSN expected, 64 bits, see mrc_psn_start()
 *
 * Context: Any, serialised by the owner of @bm.
 */
void mrc_bitmap_init(struct mrc_bitmap *bm, u64 *words, u32 size, u64 base)
{
	memset(words, 0, MRC_BITMAP_WORDS(size) * sizeof(*words));
	bm->words = words;
	bm->size = size;
	bm->ooo = 0;
	bm->base = base;
	bm->high = base;
}

/**
 * mrc_bitmap_set_run - record the arrival of several PSNs
 * @bm: bitmap
 * @psn: the first of them, 64 bits
 * @n: how many, 1 .. 64, all in the window and all of them new:
 *	mrc_bitmap_test() says of none that it has arrived
 *
 * The window moves only in mrc_bitmap_advance().
 *
 * Context: Any, serialised by the owner of @bm.
 */
void mrc_bitmap_set_run(struct mrc_bitmap *bm, u64 psn, u32 n)
{
	u64 bits = ~0ULL >> (64 - n);
	unsigned int lo = psn & 63;

	*bm_slot(bm, psn) |= bits << lo;
	if (lo + n > 64)
		*bm_slot(bm, psn + 64) |= bits >> (64 - lo);
	bm->ooo += n;
	if (psn + n > bm->high)
		bm->high = psn + n;
}

/**
 * mrc_bitmap_step - record the arrival of PSNs from the gap on
 * @bm: bitmap, with nothing in it: mrc_bitmap_has_gap() says no
 * @n: how many
 *
 * The same as to set it and advance, at a fraction of the cost.
 *
 * Context: Any, serialised by the owner of @bm.
 */
void mrc_bitmap_step(struct mrc_bitmap *bm, u32 n)
{
	bm->base += n;
	bm->high += n;
}

/**
 * mrc_bitmap_test - has a PSN arrived?
 * @bm: bitmap
 * @psn: 64-bit PSN, may lie outside the window
 *
 * Context: Any, serialised by the owner of @bm.
 * Return: true if so; what lies below the window has.
 */
bool mrc_bitmap_test(const struct mrc_bitmap *bm, u64 psn)
{
	return bm_seen(bm, psn & ~63ULL) >> (psn & 63) & 1;
}

/**
 * mrc_bitmap_advance - move the window up to the first gap
 * @bm: bitmap
 *
 * Context: Any, serialised by the owner of @bm.
 * Return: by how many PSNs it moved.
 */
u64 mrc_bitmap_advance(struct mrc_bitmap *bm)
{
	u64 start = bm->base;

	while (bm->base < bm->high) {
		unsigned int lo = bm->base & 63;
		u64 *slot = bm_slot(bm, bm->base);
		u64 gaps = ~*slot & bits_from(lo);

		if (gaps) {
			unsigned int gap = __ffs64(gaps);

			/* The bits between lo and the gap leave the window. */
			*slot &= bits_from(gap) | ~bits_from(lo);
			bm->base += gap - lo;
			break;
		}
		*slot &= ~bits_from(lo);
		bm->base += 64 - lo;
	}

	bm->ooo -= bm->base - start;
	return bm->base - start;
}

/**
 * mrc_bitmap_extract - 64 bits from any PSN, as a SACK carries them
 * @bm: bitmap
 * @from: 64-bit PSN of bit 0, may lie outside the window
 *
 * Context: Any, serialised by the owner of @bm.
 * Return: bit i set: @from + i has arrived; what lies below the window has.
 */
u64 mrc_bitmap_extract(const struct mrc_bitmap *bm, u64 from)
{
	unsigned int lo = from & 63;
	u64 psn = from & ~63ULL;

	if (!lo)
		return bm_seen(bm, psn);
	return bm_seen(bm, psn) >> lo | bm_seen(bm, psn + 64) << (64 - lo);
}

/**
 * mrc_bitmap_next_word - find 64 PSNs of which some may have arrived
 * @bm: bitmap
 * @from: 64-bit PSN, where to begin: the search starts with its word
 *
 * Words are aligned to multiples of 64 PSNs. Full words count too: a sender
 * that missed what was said of them would hear of them no more until the
 * window has passed them.
 *
 * Context: Any, serialised by the owner of @bm.
 * Return: 64-bit PSN of the word's first bit, MRC_PSN_NONE if nothing has
 * arrived from there on.
 */
u64 mrc_bitmap_next_word(const struct mrc_bitmap *bm, u64 from)
{
	u64 psn = (from > bm->base ? from : bm->base) & ~63ULL;

	return psn < bm->high ? psn : MRC_PSN_NONE;
}
