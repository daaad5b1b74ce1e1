/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a template and a path number to an SRv6 destination address (pure).
 *
 * Format F3216: a 32-bit locator block, then up to six 16-bit uSIDs. Path k
 * of a template picks, mixed radix, one value of each range segment, the last
 * range varying fastest.
 */
#ifndef _NET_MRC_SRV6_H
#define _NET_MRC_SRV6_H

#include <linux/in6.h>
#include <linux/types.h>

#define MRC_SRV6_SEGS_MAX	6

enum mrc_seg_kind {
	MRC_SEG_CONST,	/* @lo */
	MRC_SEG_RANGE,	/* @lo .. @hi, a choice of path */
	MRC_SEG_DST,	/* @lo + bits [@bit, @bit + @nbits) of the destination */
};

/**
 * struct mrc_srv6_seg - one uSID of a template
 * @kind: how its value is made
 * @lo: constant, lowest value, or base to which the bits are added
 * @hi: highest value of a range
 * @bit: first bit of the destination address, 0 = most significant
 * @nbits: 1-16
 */
struct mrc_srv6_seg {
	u8	kind;
	u8	bit;
	u8	nbits;
	u16	lo;
	u16	hi;
};

/**
 * struct mrc_srv6_tmpl - a path template
 * @block: locator block, host order
 * @n: number of segments, 1-6
 * @seg: the segments, in the order they are visited
 */
struct mrc_srv6_tmpl {
	u32			block;
	u8			n;
	struct mrc_srv6_seg	seg[MRC_SRV6_SEGS_MAX];
};

/* Checks a template. Return: NULL if it is good, else what is wrong with it
 * (a constant string for extack).
 */
const char *mrc_srv6_check(const struct mrc_srv6_tmpl *t);
/* Number of paths of a template, 1-32767; 0 if it has more. */
u32 mrc_srv6_paths(const struct mrc_srv6_tmpl *t);
/* Outer destination address of path @k towards @dst. @k < mrc_srv6_paths(). */
void mrc_srv6_addr(const struct mrc_srv6_tmpl *t, u32 k,
		   const struct in6_addr *dst, struct in6_addr *out);

#endif
