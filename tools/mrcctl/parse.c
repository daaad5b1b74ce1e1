// SPDX-License-Identifier: GPL-2.0
/*
 * Words into values and back: addresses, prefixes, numbers, lists of planes
 * and source routes. The parsers print what is wrong and return an exit code.
 *
 * A source route is a list of uSIDs separated by commas, all hexadecimal:
 *
 *	101		the constant 0x101
 *	1-20		each of 0x1 .. 0x20, a path of its own
 *	dst[112:16]	16 bits of the destination from bit 112 on
 *	dst[120:8]+d00	8 bits from bit 120 on, added to 0xd00
 *
 * Offset and length of destination bits are decimal, as prefix lengths are;
 * bit 0 is the leftmost.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

/* EVs have 15 bits for the path within its plane, one value means none. */
#define PATHS_MAX	32767

/* Locator block of the format F3216, bits */
#define BLOCK_LEN	32

/* Segments of one address; a segment routing header holds two of them */
#define CARRIER_SEGS	6

bool addr_any(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_UNSPECIFIED(addr);
}

bool addr_eq(const struct in6_addr *a, const struct in6_addr *b)
{
	return IN6_ARE_ADDR_EQUAL(a, b);
}

const char *addr_str(const struct in6_addr *addr, char *buf)
{
	return inet_ntop(AF_INET6, addr, buf, ADDR_LEN);
}

const char *prefix_str(const struct prefix *p, char *buf)
{
	char addr[ADDR_LEN];

	snprintf(buf, PREFIX_LEN, "%s/%u", addr_str(&p->addr, addr), p->len);
	return buf;
}

int parse_addr(const char *s, struct in6_addr *addr)
{
	if (inet_pton(AF_INET6, s, addr) != 1)
		return err_usage("\"%s\" is not an IPv6 address", s);
	return EX_DONE;
}

/**
 * parse_prefix() - read ADDR or ADDR/LEN
 * @s: the word; without a length it is 128
 * @p: the result
 *
 * Bits behind the length must be zero, or a typing error would go unnoticed.
 *
 * Return: an exit code
 */
int parse_prefix(const char *s, struct prefix *p)
{
	char addr[ADDR_LEN];
	const char *slash = strchr(s, '/');
	size_t len = slash ? (size_t)(slash - s) : strlen(s);
	unsigned int bit;
	uint32_t plen;

	if (len >= sizeof(addr))
		return err_usage("\"%s\" is not an IPv6 prefix", s);
	memcpy(addr, s, len);
	addr[len] = '\0';
	if (inet_pton(AF_INET6, addr, &p->addr) != 1)
		return err_usage("\"%s\" is not an IPv6 prefix", s);
	p->len = 128;
	if (slash) {
		if (parse_u32(slash + 1, 0, 128, &plen))
			return EX_USAGE_ERR;
		p->len = plen;
	}
	for (bit = p->len; bit < 128; bit++)
		if (p->addr.s6_addr[bit / 8] & (0x80 >> (bit % 8)))
			return err_usage("\"%s\" has bits set behind /%u", s,
					 p->len);
	return EX_DONE;
}

/* Reads all of s, digits only and no 0x. Return: 0 or -1, no message */
static int read_num(const char *s, int base, unsigned long *val)
{
	char *end;

	if (base == 10 ? !isdigit((unsigned char)*s) :
			 !isxdigit((unsigned char)*s))
		return -1;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return -1;
	errno = 0;
	*val = strtoul(s, &end, base);
	return errno || *end ? -1 : 0;
}

/**
 * parse_u32() - read a decimal number, or a hexadecimal one after 0x
 * @s: the word
 * @min: smallest value allowed
 * @max: largest value allowed
 * @val: the result
 *
 * Return: an exit code
 */
int parse_u32(const char *s, uint32_t min, uint32_t max, uint32_t *val)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	unsigned long v;

	if (read_num(hex ? s + 2 : s, hex ? 16 : 10, &v))
		return err_usage("\"%s\" is not a number", s);
	if (v < min || v > max)
		return err_usage("%s is not in %u-%u", s, min, max);
	*val = v;
	return EX_DONE;
}

/**
 * parse_endpoint() - read [ADDR]:PORT
 * @s: the word
 * @addr: the address
 * @port: the port
 *
 * Return: an exit code
 */
int parse_endpoint(const char *s, struct in6_addr *addr, uint32_t *port)
{
	const char *end = strchr(s, ']');
	char buf[ADDR_LEN];
	size_t len;

	if (s[0] != '[' || !end || end[1] != ':')
		return err_usage("\"%s\" is not [ADDRESS]:PORT", s);
	len = end - s - 1;
	if (len >= sizeof(buf))
		return err_usage("\"%s\" is not [ADDRESS]:PORT", s);
	memcpy(buf, s + 1, len);
	buf[len] = '\0';
	if (parse_addr(buf, addr))
		return EX_USAGE_ERR;
	return parse_u32(end + 2, 0, UINT16_MAX, port);
}

int parse_enum(const char *s, const char *const *names, size_t n,
	       uint32_t *val)
{
	char all[128] = "";
	size_t i, len = 0;

	for (i = 0; i < n; i++) {
		if (!strcmp(s, names[i])) {
			*val = i;
			return EX_DONE;
		}
		len += snprintf(all + len, sizeof(all) - len, "%s%s",
				i ? ", " : "", names[i]);
	}
	return err_usage("\"%s\" is none of %s", s, all);
}

/**
 * parse_planes() - read a list of planes such as 1-4,7
 * @s: the word
 * @mask: the result, bit n - 1 is plane n
 *
 * Return: an exit code
 */
int parse_planes(const char *s, uint32_t *mask)
{
	unsigned long first, last;
	const char *p = s;
	char *end;

	*mask = 0;
	do {
		if (!isdigit((unsigned char)*p))
			goto err;
		first = strtoul(p, &end, 10);
		last = first;
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				goto err;
			last = strtoul(end + 1, &end, 10);
		}
		if (first < 1 || last < first || last > MRC_PLANE_MAX)
			goto err;
		for (; first <= last; first++)
			*mask |= 1U << (first - 1);
		p = end + 1;
	} while (*end == ',');
	if (!*end)
		return EX_DONE;
err:
	return err_usage("\"%s\" is not a plane (1-%u) or a list of planes", s,
			 MRC_PLANE_MAX);
}

/* dst[OFFSET:BITS] or dst[OFFSET:BITS]+BASE. Return: 0 or -1 */
static int parse_dst_bits(const char *s, struct segment *seg)
{
	unsigned long offset, bits, base = 0;
	char *end;

	if (strncmp(s, "dst[", 4) || !isdigit((unsigned char)s[4]))
		return -1;
	offset = strtoul(s + 4, &end, 10);
	if (*end != ':' || !isdigit((unsigned char)end[1]))
		return -1;
	bits = strtoul(end + 1, &end, 10);
	if (*end != ']')
		return -1;
	if (end[1] == '+') {
		if (read_num(end + 2, 16, &base))
			return -1;
	} else if (end[1]) {
		return -1;
	}
	if (bits < 1 || bits > 16 || offset > 128 - bits ||
	    base + (1UL << bits) - 1 > UINT16_MAX)
		return -1;
	seg->type = MRC_SEGMENT_TYPE_DST;
	seg->offset = offset;
	seg->bits = bits;
	seg->value = base;
	return 0;
}

/* Return: 0 or -1 */
static int parse_segment(char *s, struct segment *seg)
{
	char *dash = strchr(s, '-');
	unsigned long value, last;

	memset(seg, 0, sizeof(*seg));
	if (*s == 'd' && s[1] == 's')
		return parse_dst_bits(s, seg);
	if (dash)
		*dash = '\0';
	if (read_num(s, 16, &value) || value > UINT16_MAX)
		return -1;
	seg->type = MRC_SEGMENT_TYPE_CONST;
	seg->value = value;
	if (!dash)
		return 0;
	if (read_num(dash + 1, 16, &last) || last > UINT16_MAX ||
	    last < value)
		return -1;
	if (last > value) {
		seg->type = MRC_SEGMENT_TYPE_RANGE;
		seg->last = last;
	}
	return 0;
}

/**
 * parse_path() - read the uSIDs of a source route
 * @s: the word, see the head of this file
 * @segs: the result, room for MRC_SEGMENTS_MAX
 * @nsegs: how many
 *
 * Return: an exit code
 */
int parse_path(const char *s, struct segment *segs, unsigned int *nsegs)
{
	char *copy = xstrdup(s), *next = copy, *word;
	int ret = EX_DONE;

	*nsegs = 0;
	while ((word = strsep(&next, ","))) {
		char shown[32];

		snprintf(shown, sizeof(shown), "%s", word);
		if (*nsegs == MRC_SEGMENTS_MAX) {
			ret = err_usage("\"%s\" has more than %u segments", s,
					MRC_SEGMENTS_MAX);
			break;
		}
		if (parse_segment(word, &segs[*nsegs])) {
			ret = err_usage("\"%s\" is no segment: HEX, HEX-HEX, dst[BIT:LEN][+HEX]",
					shown);
			break;
		}
		(*nsegs)++;
	}
	free(copy);
	return ret;
}

/**
 * path_str() - write a source route as parse_path() reads it
 * @segs: the segments
 * @nsegs: how many
 * @buf: PATH_LEN bytes
 *
 * Return: @buf
 */
const char *path_str(const struct segment *segs, unsigned int nsegs,
		     char *buf)
{
	unsigned int i;
	size_t len = 0;

	buf[0] = '\0';
	for (i = 0; i < nsegs; i++) {
		const struct segment *s = &segs[i];
		const char *comma = i ? "," : "";

		switch (s->type) {
		case MRC_SEGMENT_TYPE_CONST:
			len += sprintf(buf + len, "%s%x", comma,
				       s->value & UINT16_MAX);
			break;
		case MRC_SEGMENT_TYPE_RANGE:
			len += sprintf(buf + len, "%s%x-%x", comma,
				       s->value & UINT16_MAX,
				       s->last & UINT16_MAX);
			break;
		case MRC_SEGMENT_TYPE_DST:
			len += sprintf(buf + len, "%sdst[%u:%u]", comma,
				       s->offset & 127, s->bits & 31);
			if (s->value)
				len += sprintf(buf + len, "+%x",
					       s->value & UINT16_MAX);
			break;
		default:
			len += sprintf(buf + len, "%s?", comma);
		}
	}
	return buf;
}

int check_node(const struct in6_addr *addr)
{
	char buf[ADDR_LEN];

	if (addr_any(addr) || IN6_IS_ADDR_MULTICAST(addr) ||
	    IN6_IS_ADDR_LINKLOCAL(addr) || IN6_IS_ADDR_LOOPBACK(addr) ||
	    IN6_IS_ADDR_V4MAPPED(addr))
		return err_usage("%s cannot be a node address",
				 addr_str(addr, buf));
	return EX_DONE;
}

/**
 * check_route() - find contradictions in a route before the kernel does
 * @r: the route
 *
 * Return: an exit code
 */
int check_route(const struct route *r)
{
	uint64_t paths = 1;
	unsigned int i;

	if (r->mode == MRC_ROUTE_MODE_PLAIN) {
		if (r->nsegs || r->block.len)
			return err_usage("a plain route has neither block nor path");
		return EX_DONE;
	}
	if (r->ecmp)
		return err_usage("ecmp is for plain routes only");
	if (!r->nsegs)
		return err_usage("a uSID route needs a path");
	if (r->block.len != BLOCK_LEN)
		return err_usage("the uSID block is %u bits long, not %u",
				 BLOCK_LEN, r->block.len);
	if (r->mode == MRC_ROUTE_MODE_USID && r->nsegs > CARRIER_SEGS)
		return err_usage("%u segments need \"srh\", without it there are %u at most",
				 r->nsegs, CARRIER_SEGS);
	for (i = 0; i < r->nsegs && paths <= PATHS_MAX; i++)
		if (r->segs[i].type == MRC_SEGMENT_TYPE_RANGE)
			paths *= r->segs[i].last - r->segs[i].value + 1;
	if (paths > PATHS_MAX)
		return err_usage("%llu paths are more than %u",
				 (unsigned long long)paths, PATHS_MAX);
	return EX_DONE;
}

/**
 * subst_plane() - write the plane's number for each {p}
 * @s: the word
 * @plane: the number
 * @decimal: decimal, as in names of devices, and not hexadecimal, as in
 *	addresses and segments
 *
 * Return: the new word, for free()
 */
char *subst_plane(const char *s, uint32_t plane, bool decimal)
{
	char num[12], *res, *to;
	size_t n = 0;
	const char *p;

	snprintf(num, sizeof(num), decimal ? "%u" : "%x", plane);
	for (p = s; (p = strstr(p, "{p}")); p += 3)
		n++;
	res = xrealloc(NULL, strlen(s) + n * strlen(num) + 1, 1);
	for (to = res; *s; ) {
		if (!strncmp(s, "{p}", 3)) {
			to = stpcpy(to, num);
			s += 3;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
	return res;
}
