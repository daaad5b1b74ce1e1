// SPDX-License-Identifier: GPL-2.0
/*
 * Path templates and the SRv6 addresses they stand for. Pure: numbers in,
 * addresses out.
 */
#include <asm/byteorder.h>
#include <linux/errno.h>
#include <linux/in.h>
#include <linux/math.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "srv6.h"

/* EVs have 15 bits for the path, and the last value is not used. */
#define PATHS_MAX	32767

#define SEG_BITS	16

/* Routing header, RFC 8754 */
#define SRH_TYPE	4
#define ADDR_BITS	128

/* What is wrong with one segment, NULL if nothing. */
static const char *seg_check(const struct mrc_srv6_seg *s)
{
	switch (s->kind) {
	case MRC_SEG_CONST:
		/* uSID 0 ends the list (RFC 9800, end of carrier) */
		return s->lo ? NULL : "segment 0 would end the path";
	case MRC_SEG_RANGE:
		if (!s->lo)
			return "segment 0 would end the path";
		if (s->lo > s->hi)
			return "range ends before it begins";
		return NULL;
	case MRC_SEG_DST:
		if (!s->nbits || s->nbits > SEG_BITS)
			return "a segment takes 1 to 16 bits";
		if (s->bit + s->nbits > ADDR_BITS)
			return "bits beyond the end of the address";
		if (s->lo + (1U << s->nbits) - 1 > 0xffff)
			return "base plus bits do not fit in 16 bits";
		return NULL;
	default:
		return "unknown kind of segment";
	}
}

/* Is no address of the block unicast and routable? */
static bool block_is_bad(u32 block)
{
	return block >> 24 == 0xff ||		/* multicast */
	       block >> 22 == 0xfe80 >> 6 ||	/* link-local */
	       !block;				/* ::, ::1, v4-mapped */
}

/**
 * mrc_srv6_check - is this a template that packets can be sent with?
 * @t: template
 *
 * Context: Any.
 * Return: NULL if so, else what is wrong, a constant string.
 */
const char *mrc_srv6_check(const struct mrc_srv6_tmpl *t)
{
	const char *msg;
	unsigned int i;

	if (t->srh && (!t->n || t->n > MRC_SRV6_SEGS_MAX))
		return "a path with an SRH has 1 to 12 segments";
	if (!t->srh && (!t->n || t->n > MRC_SRV6_CARRIER_SEGS))
		return "a path without an SRH has 1 to 6 segments";
	if (block_is_bad(t->block))
		return "locator block is not a unicast prefix";

	for (i = 0; i < t->n; i++) {
		msg = seg_check(&t->seg[i]);
		if (msg)
			return msg;
	}
	return mrc_srv6_paths(t) ? NULL : "more than 32767 paths";
}

/* Values that path numbers choose from in one segment. */
static u32 seg_choices(const struct mrc_srv6_seg *s)
{
	return s->kind == MRC_SEG_RANGE ? s->hi - s->lo + 1 : 1;
}

/**
 * mrc_srv6_paths - how many paths does a template stand for?
 * @t: template that mrc_srv6_check() takes, but for their number
 *
 * Context: Any.
 * Return: 1 .. 32767; 0 if there are more.
 */
u32 mrc_srv6_paths(const struct mrc_srv6_tmpl *t)
{
	unsigned int i;
	u32 n = 1;

	for (i = 0; i < t->n; i++) {
		/* at most 32767 * 65536 */
		n *= seg_choices(&t->seg[i]);
		if (n > PATHS_MAX)
			return 0;
	}
	return n;
}

/* Bits [@bit, @bit + @nbits) of @addr; bit 0 is the most significant. */
static u16 addr_bits(const struct in6_addr *addr, unsigned int bit,
		     unsigned int nbits)
{
	u32 v = 0;

	for (; nbits; bit++, nbits--)
		v = v << 1 | (addr->s6_addr[bit / 8] >> (7 - bit % 8) & 1);
	return v;
}

/**
 * mrc_srv6_carriers - how many addresses hold the segments of a path?
 * @t: template
 *
 * Context: Any.
 * Return: 1 or 2.
 */
unsigned int mrc_srv6_carriers(const struct mrc_srv6_tmpl *t)
{
	return DIV_ROUND_UP(t->n, MRC_SRV6_CARRIER_SEGS);
}

/**
 * mrc_srv6_encap - what the headers around the inner packet take
 * @t: template
 *
 * Context: Any.
 * Return: bytes.
 */
unsigned int mrc_srv6_encap(const struct mrc_srv6_tmpl *t)
{
	unsigned int srh = MRC_SRV6_SRH_LEN(mrc_srv6_carriers(t));

	return 40 + (t->srh ? srh : 0);
}

/**
 * mrc_srv6_addr - the carriers of a path
 * @t: template that mrc_srv6_check() takes
 * @k: number of the path, below mrc_srv6_paths(@t)
 * @dst: node address at its end
 * @out: filled with MRC_SRV6_CARRIERS_MAX addresses: the outer destination, and
 *	what follows it when its last segment has been reached, or ::
 *
 * Context: Any.
 */
void mrc_srv6_addr(const struct mrc_srv6_tmpl *t, u32 k,
		   const struct in6_addr *dst, struct in6_addr *out)
{
	const struct mrc_srv6_seg *s;
	unsigned int i, n;
	u16 v;

	memset(out, 0, MRC_SRV6_CARRIERS_MAX * sizeof(*out));
	for (i = 0; i < mrc_srv6_carriers(t); i++)
		out[i].s6_addr32[0] = cpu_to_be32(t->block);

	/* from the last segment: the last range varies fastest */
	for (i = t->n; i--; ) {
		s = &t->seg[i];
		n = seg_choices(s);
		v = s->lo + k % n;
		k /= n;
		if (s->kind == MRC_SEG_DST)
			v += addr_bits(dst, s->bit, s->nbits);
		out[i / MRC_SRV6_CARRIER_SEGS]
			.s6_addr16[2 + i % MRC_SRV6_CARRIER_SEGS] =
			cpu_to_be16(v);
	}
}

/**
 * mrc_srv6_srh_build - write the segment routing header of a packet
 * @srh: MRC_SRV6_SRH_LEN(@n) bytes
 * @carrier: as mrc_srv6_addr() fills them
 * @n: how many, at least 1
 *
 * The list begins with the last one (RFC 8754, section 2); it is kept whole,
 * though the first one is in the destination address, so that whoever looks at
 * a packet sees where it was meant to go.
 *
 * Context: Any.
 */
void mrc_srv6_srh_build(u8 *srh, const struct in6_addr *carrier,
			unsigned int n)
{
	unsigned int i;

	memset(srh, 0, MRC_SRV6_SRH_FIXED);
	srh[0] = IPPROTO_IPV6;
	srh[1] = 2 * n;		/* in units of 8 bytes, without the first 8 */
	srh[2] = SRH_TYPE;
	srh[3] = n - 1;		/* segments left */
	srh[4] = n - 1;		/* last entry */
	for (i = 0; i < n; i++)
		memcpy(srh + MRC_SRV6_SRH_FIXED + 16 * i, &carrier[n - 1 - i],
		       16);
}

/**
 * mrc_srv6_srh_len - is this header the end of a source route?
 * @srh: its first MRC_SRV6_SRH_FIXED bytes
 *
 * Context: Any.
 * Return: its length in bytes; 0 if it is not for us: another kind, not at its
 * end, no IPv6 inside, or options behind the list, which are the kernel's
 * business; -EINVAL if its list is longer than itself.
 */
int mrc_srv6_srh_len(const u8 *srh)
{
	unsigned int list = 2 * (srh[4] + 1);

	if (srh[0] != IPPROTO_IPV6 || srh[2] != SRH_TYPE || srh[3])
		return 0;
	if (list > srh[1])
		return -EINVAL;
	return list == srh[1] ? 8 * (srh[1] + 1) : 0;
}

/**
 * mrc_srv6_find - which path of a template has these carriers?
 * @t: template that mrc_srv6_check() takes
 * @dst: node address at its end
 * @carrier: MRC_SRV6_CARRIERS_MAX addresses, as mrc_srv6_addr() fills them
 * @k: filled with the number of the path
 *
 * The way back from mrc_srv6_addr().
 *
 * Context: Any.
 * Return: true if there is one.
 */
bool mrc_srv6_find(const struct mrc_srv6_tmpl *t, const struct in6_addr *dst,
		   const struct in6_addr *carrier, u32 *k)
{
	struct in6_addr addr[MRC_SRV6_CARRIERS_MAX];
	const struct mrc_srv6_seg *s;
	unsigned int i;
	u16 v;

	*k = 0;
	for (i = 0; i < t->n; i++) {
		s = &t->seg[i];
		if (s->kind != MRC_SEG_RANGE)
			continue;
		v = be16_to_cpu(carrier[i / MRC_SRV6_CARRIER_SEGS]
				.s6_addr16[2 + i % MRC_SRV6_CARRIER_SEGS]);
		if (v < s->lo || v > s->hi)
			return false;
		*k = *k * seg_choices(s) + v - s->lo;
	}
	mrc_srv6_addr(t, *k, dst, addr);
	return !memcmp(addr, carrier, sizeof(addr));
}
