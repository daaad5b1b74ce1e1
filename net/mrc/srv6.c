// SPDX-License-Identifier: GPL-2.0
/*
 * Path templates and the SRv6 addresses they stand for. Pure: numbers in,
 * addresses out.
 */
#include <asm/byteorder.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "srv6.h"

/* EVs have 15 bits for the path, and the last value is not used. */
#define PATHS_MAX	32767

#define SEG_BITS	16
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

	if (!t->n || t->n > MRC_SRV6_SEGS_MAX)
		return "a path has 1 to 6 segments";
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
 * mrc_srv6_addr - outer destination address of a path
 * @t: template that mrc_srv6_check() takes
 * @k: number of the path, below mrc_srv6_paths(@t)
 * @dst: node address at its end
 * @out: filled with the address
 *
 * Context: Any.
 */
void mrc_srv6_addr(const struct mrc_srv6_tmpl *t, u32 k,
		   const struct in6_addr *dst, struct in6_addr *out)
{
	const struct mrc_srv6_seg *s;
	unsigned int i, n;
	u16 v;

	memset(out, 0, sizeof(*out));
	out->s6_addr32[0] = cpu_to_be32(t->block);

	/* from the last segment: the last range varies fastest */
	for (i = t->n; i--; ) {
		s = &t->seg[i];
		n = seg_choices(s);
		v = s->lo + k % n;
		k /= n;
		if (s->kind == MRC_SEG_DST)
			v += addr_bits(dst, s->bit, s->nbits);
		out->s6_addr16[2 + i] = cpu_to_be16(v);
	}
}
