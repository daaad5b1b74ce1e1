/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a template and a path number to an SRv6 destination address (pure).
 *
 * Format F3216: a 32-bit locator block, then up to six 16-bit uSIDs, together
 * a carrier. With a segment routing header (RFC 8754) a second carrier may
 * follow the first, and the header keeps a copy of both. Path k of a template
 * picks, mixed radix, one value of each range segment, the last range varying
 * fastest.
 */
#ifndef _NET_MRC_SRV6_H
#define _NET_MRC_SRV6_H

#include <linux/in6.h>
#include <linux/types.h>

#define MRC_SRV6_CARRIER_SEGS	6
#define MRC_SRV6_CARRIERS_MAX	2
#define MRC_SRV6_SEGS_MAX	(MRC_SRV6_CARRIERS_MAX * MRC_SRV6_CARRIER_SEGS)

/* Bytes: a segment routing header with @n segments, and what is read of it */
#define MRC_SRV6_SRH_LEN(n)	(8 + 16 * (n))
#define MRC_SRV6_SRH_FIXED	8

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
 * @n: number of segments, 1-6, with @srh 1-12
 * @seg: the segments, in the order they are visited
 * @srh: packets carry a segment routing header
 */
struct mrc_srv6_tmpl {
	u32			block;
	u8			n;
	struct mrc_srv6_seg	seg[MRC_SRV6_SEGS_MAX];
	bool			srh;
};

/* Checks a template. Return: NULL if it is good, else what is wrong with it
 * (a constant string for extack).
 */
const char *mrc_srv6_check(const struct mrc_srv6_tmpl *t);
/* Number of paths of a template, 1-32767; 0 if it has more. */
u32 mrc_srv6_paths(const struct mrc_srv6_tmpl *t);
/* Carriers that a path takes, 1 or 2, and bytes of the headers around the inner
 * packet.
 */
unsigned int mrc_srv6_carriers(const struct mrc_srv6_tmpl *t);
unsigned int mrc_srv6_encap(const struct mrc_srv6_tmpl *t);
/* Carriers of path @k towards @dst, in the order they are visited: the first is
 * the outer destination address. @out has room for MRC_SRV6_CARRIERS_MAX, what
 * is not used is zeroed. @k < mrc_srv6_paths().
 */
void mrc_srv6_addr(const struct mrc_srv6_tmpl *t, u32 k,
		   const struct in6_addr *dst, struct in6_addr *out);
/* The path of these carriers, if there is one. */
bool mrc_srv6_find(const struct mrc_srv6_tmpl *t, const struct in6_addr *dst,
		   const struct in6_addr *carrier, u32 *k);

void mrc_srv6_srh_build(u8 *srh, const struct in6_addr *carrier,
			unsigned int n);
int mrc_srv6_srh_len(const u8 *srh);

#endif
