// SPDX-License-Identifier: GPL-2.0
/*
 * From source routes to addresses: what the kernel does with a template, and
 * the way to a switch and back.
 */
#include <string.h>

#include "mrcctl.h"

#define BLOCK_BYTES	4	/* format F3216 */
#define CARRIER_SEGS	6	/* segments of an address */

static bool in_prefix(const struct in6_addr *addr, const struct prefix *p)
{
	unsigned int bytes = p->len / 8, bits = p->len % 8;

	if (memcmp(addr, &p->addr, bytes))
		return false;
	return !bits || !((addr->s6_addr[bytes] ^ p->addr.s6_addr[bytes]) >>
			  (8 - bits));
}

/**
 * route_match() - the route to an address over a plane
 * @routes: all routes
 * @n: how many
 * @addr: the address
 * @plane: the plane
 *
 * Return: the one of the longest prefix, NULL if there is none
 */
const struct route *route_match(const struct route *routes, size_t n,
				const struct in6_addr *addr, uint32_t plane)
{
	const struct route *r, *best = NULL;

	for (r = routes; r < routes + n; r++)
		if (r->plane == plane && in_prefix(addr, &r->dst) &&
		    (!best || r->dst.len > best->dst.len))
			best = r;
	return best;
}

static uint32_t choices(const struct segment *s)
{
	return s->type == MRC_SEGMENT_TYPE_RANGE ? s->last - s->value + 1 : 1;
}

/**
 * route_paths() - how many paths does a uSID route have?
 * @r: the route
 *
 * Return: the number
 */
uint32_t route_paths(const struct route *r)
{
	uint32_t n = 1;
	unsigned int i;

	for (i = 0; i < r->nsegs; i++)
		n *= choices(&r->segs[i]);
	return n;
}

static uint16_t addr_bits(const struct in6_addr *addr, unsigned int bit,
			  unsigned int n)
{
	uint32_t v = 0;

	for (; n; bit++, n--)
		v = v << 1 | (addr->s6_addr[bit / 8] >> (7 - bit % 8) & 1);
	return v;
}

/**
 * route_usids() - the segments of a path
 * @r: a uSID route
 * @k: number of the path
 * @dst: where it leads
 * @usids: filled, r->nsegs of them
 */
void route_usids(const struct route *r, uint32_t k,
		 const struct in6_addr *dst, uint16_t *usids)
{
	const struct segment *s;
	unsigned int i;

	/* the last range varies fastest */
	for (i = r->nsegs; i--; ) {
		s = &r->segs[i];
		usids[i] = s->value + k % choices(s);
		k /= choices(s);
		if (s->type == MRC_SEGMENT_TYPE_DST)
			usids[i] += addr_bits(dst, s->offset, s->bits);
	}
}

/**
 * sid_usids() - the segments by which routes end here
 * @p: the plane with our SID
 * @r: a route of that fabric, for its block
 * @usids: filled, room for MRC_SEGMENTS_MAX
 *
 * Return: how many, 0 if there is no SID or it is not of the route's block
 */
unsigned int sid_usids(const struct plane *p, const struct route *r,
		       uint16_t *usids)
{
	const uint8_t *b = p->sid.s6_addr;
	unsigned int i, n = 0;

	if (memcmp(b, &r->block.addr, BLOCK_BYTES))
		return 0;
	for (i = 0; i < CARRIER_SEGS; i++) {
		usids[i] = b[BLOCK_BYTES + 2 * i] << 8 |
			   b[BLOCK_BYTES + 2 * i + 1];
		if (usids[i])
			n = i + 1;
	}
	return n;
}

/**
 * loop_addr() - the address of a way to a switch and back
 * @r: the route that leads there, for its block
 * @there: segments of the way there, the last is the switch
 * @n: how many, at least one
 * @own: segments of our own SID
 * @n_own: how many
 * @addr: filled
 *
 * Return: false if that is too long for an address
 */
bool loop_addr(const struct route *r, const uint16_t *there, unsigned int n,
	       const uint16_t *own, unsigned int n_own, struct in6_addr *addr)
{
	uint16_t all[3 * MRC_SEGMENTS_MAX];
	unsigned int i, len = 0;

	for (i = 0; i < n; i++)
		all[len++] = there[i];
	for (i = n - 1; i--; )
		all[len++] = there[i];
	for (i = 0; i < n_own; i++)
		all[len++] = own[i];
	if (len > CARRIER_SEGS)
		return false;
	memset(addr, 0, sizeof(*addr));
	memcpy(addr, &r->block.addr, BLOCK_BYTES);
	for (i = 0; i < len; i++) {
		addr->s6_addr[BLOCK_BYTES + 2 * i] = all[i] >> 8;
		addr->s6_addr[BLOCK_BYTES + 2 * i + 1] = all[i];
	}
	return true;
}
