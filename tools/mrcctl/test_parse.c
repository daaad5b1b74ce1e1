// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of mrcctl's parsers, without a kernel. TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mrcctl.h"

struct options opt;
/* No segment has a longer text. */
#define LONGEST	"dst[112:12]+d000"

static int test_no;
static int failed;

/* test_parse has no command line of its own */
int run_command(struct args *args)
{
	return EX_USAGE_ERR;
}

int run_verb(const char *object, const struct verb *table, struct args *args)
{
	return EX_USAGE_ERR;
}

int usage(const char *text)
{
	return EX_DONE;
}

static void ok(bool good, const char *what, const char *arg)
{
	test_no++;
	if (!good)
		failed++;
	printf("%sok %d - %s %s\n", good ? "" : "not ", test_no, what, arg);
}

/* Good paths come back as they were, or as @shown if that is another form. */
static void path_good(const char *s, const char *shown, unsigned int n)
{
	struct segment segs[MRC_SEGMENTS_MAX];
	unsigned int nsegs;
	char buf[PATH_LEN];
	bool good;

	good = !parse_path(s, segs, &nsegs) && nsegs == n &&
	       !strcmp(path_str(segs, nsegs, buf), shown);
	ok(good, "path", s);
}

static void path_bad(const char *s)
{
	struct segment segs[MRC_SEGMENTS_MAX];
	unsigned int nsegs;

	ok(parse_path(s, segs, &nsegs) == EX_USAGE_ERR, "bad path", s);
}

static void path_values(void)
{
	struct segment s[MRC_SEGMENTS_MAX];
	unsigned int n;

	ok(!parse_path("101,1-20,dst[112:16],dst[120:8]+d00", s, &n) &&
	   n == 4 && s[0].type == MRC_SEGMENT_TYPE_CONST &&
	   s[0].value == 0x101 && s[1].type == MRC_SEGMENT_TYPE_RANGE &&
	   s[1].value == 1 && s[1].last == 0x20 &&
	   s[2].type == MRC_SEGMENT_TYPE_DST && s[2].offset == 112 &&
	   s[2].bits == 16 && s[2].value == 0 &&
	   s[3].type == MRC_SEGMENT_TYPE_DST && s[3].offset == 120 &&
	   s[3].bits == 8 && s[3].value == 0xd00,
	   "segments are hexadecimal, bits decimal", "");
}

static void paths(void)
{
	static const char *const bad[] = {
		"", ",", "101,", ",101", "10000", "g", "1-", "-1", "2-1",
		"1-10000", "0x101", " 1", "1 ", "+1", "dst",
		"1,2,3,4,5,6,7,8,9,a,b,c,d",
		"dst[", "dst[112]", "dst[112:]", "dst[:16]", "dst[112:0]",
		"dst[112:17]", "dst[113:16]", "dst[128:1]", "dst[112:16",
		"dst[112:16]+", "dst[112:16]+1", "dst[112:15]+8001",
		"dst[112:8]d00", "dst[-1:8]", "dst[112:8]+10000", "ds",
		"d0{p}",
	};
	size_t i;

	path_good("0", "0", 1);
	path_good("101", "101", 1);
	path_good("FFFF", "ffff", 1);
	path_good("101,1-20,202,d02", "101,1-20,202,d02", 4);
	path_good("1-1", "1", 1);
	path_good("1,2,3,4,5,6", "1,2,3,4,5,6", 6);
	path_good("dst[0:1]", "dst[0:1]", 1);
	path_good("dst[112:16]", "dst[112:16]", 1);
	path_good("dst[112:16]+0", "dst[112:16]", 1);
	path_good("dst[127:1]+fffe", "dst[127:1]+fffe", 1);
	path_good("dst[112:15]+8000", "dst[112:15]+8000", 1);
	path_good(LONGEST "," LONGEST "," LONGEST "," LONGEST "," LONGEST ","
		  LONGEST, LONGEST "," LONGEST "," LONGEST "," LONGEST ","
		  LONGEST "," LONGEST, 6);
	path_values();
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		path_bad(bad[i]);
}

static void prefix_is(const char *s, const char *shown)
{
	struct prefix p;
	char buf[PREFIX_LEN];
	int ret = parse_prefix(s, &p);

	if (shown)
		ok(!ret && !strcmp(prefix_str(&p, buf), shown), "prefix", s);
	else
		ok(ret == EX_USAGE_ERR, "bad prefix", s);
}

static void prefixes(void)
{
	prefix_is("fd00:6d::2", "fd00:6d::2/128");
	prefix_is("fd00:6d::/64", "fd00:6d::/64");
	prefix_is("::/0", "::/0");
	prefix_is("5f00::/32", "5f00::/32");
	prefix_is("fd00::1/64", NULL);
	prefix_is("8000::/0", NULL);
	prefix_is("fd00::/129", NULL);
	prefix_is("fd00::/", NULL);
	prefix_is("fd00::/x", NULL);
	prefix_is("10.0.0.1", NULL);
	prefix_is("", NULL);
	prefix_is("1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb/64",
		  NULL);
}

static void plane_list_is(const char *s, uint32_t want)
{
	uint32_t mask;
	int ret = parse_planes(s, &mask);

	if (want)
		ok(!ret && mask == want, "planes", s);
	else
		ok(ret == EX_USAGE_ERR, "bad planes", s);
}

static void planes(void)
{
	plane_list_is("1", 1);
	plane_list_is("32", 1U << 31);
	plane_list_is("1-4", 0xf);
	plane_list_is("1-2,4,7-8", 0xcb);
	plane_list_is("1-32", UINT32_MAX);
	plane_list_is("3,3", 4);
	plane_list_is("", 0);
	plane_list_is("0", 0);
	plane_list_is("33", 0);
	plane_list_is("4-1", 0);
	plane_list_is("1,", 0);
	plane_list_is("1-", 0);
	plane_list_is("-1", 0);
	plane_list_is("1-4x", 0);
	plane_list_is("99999999999999999999", 0);
}

static void number(const char *s, uint32_t max, bool good, uint32_t want)
{
	uint32_t val = 0;
	int ret = parse_u32(s, 1, max, &val);

	ok(good ? !ret && val == want : ret == EX_USAGE_ERR,
	   good ? "number" : "bad number", s);
}

static void numbers(void)
{
	number("1", 32, true, 1);
	number("0x10", 32, true, 16);
	number("4294967295", UINT32_MAX, true, UINT32_MAX);
	number("4294967296", UINT32_MAX, false, 0);
	number("18446744073709551617", UINT32_MAX, false, 0);
	number("0", 32, false, 0);
	number("33", 32, false, 0);
	number("-1", UINT32_MAX, false, 0);
	number("", 32, false, 0);
	number("0x", 32, false, 0);
	number("1 ", 32, false, 0);
	number(" 1", 32, false, 0);
	number("1k", 32, false, 0);
}

static void endpoint(const char *s, bool good)
{
	struct in6_addr addr;
	uint32_t port = 0;
	int ret = parse_endpoint(s, &addr, &port);

	ok(good ? !ret && port == 5000 : ret == EX_USAGE_ERR,
	   good ? "end" : "bad end", s);
}

static void endpoints(void)
{
	endpoint("[fd00:6d::1]:5000", true);
	endpoint("fd00:6d::1:5000", false);
	endpoint("[fd00:6d::1]", false);
	endpoint("[fd00:6d::1]5000", false);
	endpoint("[fd00:6d::1]:65536", false);
	endpoint("[fd00:6d::1:5000", false);
	endpoint("[]:5000", false);
}

static void substitution(const char *s, uint32_t plane, bool decimal,
			 const char *want)
{
	char *res = subst_plane(s, plane, decimal);

	ok(!strcmp(res, want), "substitute", s);
	free(res);
}

static void substitutions(void)
{
	substitution("eth{p}", 10, true, "eth10");
	substitution("fe80::{p}", 10, false, "fe80::a");
	substitution("10{p},1-20,20{p},d0{p}", 3, false, "103,1-20,203,d03");
	substitution("{p}{p}", 32, false, "2020");
	substitution("{q}", 1, false, "{q}");
	substitution("", 1, false, "");
}

static void route_is(const char *block, const char *path, bool ecmp,
		     uint32_t mode, bool good, const char *what)
{
	struct route r = { .mode = mode, .ecmp = ecmp };
	int ret = EX_DONE;

	if (block)
		ret = parse_prefix(block, &r.block);
	if (!ret && path)
		ret = parse_path(path, r.segs, &r.nsegs);
	if (!ret)
		ret = check_route(&r);
	ok(good ? !ret : ret == EX_USAGE_ERR, good ? "route" : "bad route",
	   what);
}

static void routes(void)
{
	const uint32_t plain = MRC_ROUTE_MODE_PLAIN;
	const uint32_t usid = MRC_ROUTE_MODE_USID;
	const uint32_t srh = MRC_ROUTE_MODE_SRH;

	route_is(NULL, NULL, false, plain, true, "plain");
	route_is(NULL, NULL, true, plain, true, "plain ecmp");
	route_is("5f00::/32", NULL, false, plain, false, "plain with block");
	route_is(NULL, "1", false, plain, false, "plain with path");
	route_is("5f00::/32", "1", false, usid, true, "usid");
	route_is("5f00::/32", "1", true, usid, false, "usid ecmp");
	route_is("5f00::/32", NULL, false, usid, false, "usid without path");
	route_is(NULL, "1", false, usid, false, "usid without block");
	route_is("5f00::/48", "1", false, usid, false, "block of 48 bits");
	route_is("5f00::/16", "1", false, usid, false, "block of 16 bits");
	route_is("5f00::/32", "1-7fff", false, usid, true, "32767 paths");
	route_is("5f00::/32", "1-8000", false, usid, false, "32768 paths");
	route_is("5f00::/32", "1-ffff,1-ffff,1-ffff,1-ffff,1-ffff,1-ffff",
		 false, usid, false, "65535^6 paths");
	route_is("5f00::/32", "1,2,3,4,5,6,7", false, usid, false,
		 "7 segments without srh");
	route_is("5f00::/32", "1,2,3,4,5,6,7,8,9,a,b,c", false, srh, true,
		 "srh with 12 segments");
	route_is("5f00::/32", "1", true, srh, false, "srh ecmp");
	route_is("5f00::/32", NULL, false, srh, false, "srh without path");
}

static void time_is(uint64_t ns, const char *want)
{
	char buf[TIME_LEN];

	ok(!strcmp(time_str(ns, buf, sizeof(buf)), want), "time", want);
}

static void times(void)
{
	time_is(0, "0ns");
	time_is(999, "999ns");
	time_is(12300, "12.3us");
	time_is(1500000, "1.5ms");
	time_is(90000000000ULL, "90.0s");
}

/* ---- source routes ------------------------------------------------------- */

static struct route route_of(const char *dst, const char *path)
{
	struct route r = { .plane = 1, .mode = MRC_ROUTE_MODE_USID };

	if (parse_prefix(dst, &r.dst) || parse_path(path, r.segs, &r.nsegs) ||
	    parse_prefix("5f00::/32", &r.block))
		exit(1);
	return r;
}

/* Path k, as the kernel makes it (net/mrc/tests/srv6_test.c) */
static void usids_are(const char *path, uint32_t k, const char *dst,
		      const char *want)
{
	struct route r = route_of("::/0", path);
	uint16_t usids[MRC_SEGMENTS_MAX];
	char buf[64] = "";
	struct in6_addr addr;
	size_t len = 0;
	unsigned int i;

	if (parse_addr(dst, &addr))
		exit(1);
	route_usids(&r, k, &addr, usids);
	for (i = 0; i < r.nsegs; i++)
		len += snprintf(buf + len, sizeof(buf) - len, "%s%x",
				i ? " " : "", usids[i]);
	ok(k < route_paths(&r) && !strcmp(buf, want), "path of", path);
}

static void loop_is(const char *path, unsigned int n, const char *sid,
		    const char *want)
{
	uint16_t usids[MRC_SEGMENTS_MAX], own[MRC_SEGMENTS_MAX];
	struct route r = route_of("::/0", path);
	struct plane p = { };
	struct in6_addr addr;
	char buf[ADDR_LEN];
	unsigned int n_own;
	bool fits;

	if (parse_addr(sid, &p.sid))
		exit(1);
	n_own = sid_usids(&p, &r, own);
	route_usids(&r, 0, &r.dst.addr, usids);
	fits = n_own && loop_addr(&r, usids, n, own, n_own, &addr);
	ok(want ? fits && !strcmp(addr_str(&addr, buf), want) : !fits, "loop",
	   want ? want : path);
}

static void match_is(const char *addr, int want)
{
	struct route routes[] = {
		route_of("::/0", "1"), route_of("fd00:6d::/64", "2"),
		route_of("fd00:6d::2/127", "3"), route_of("fd00:6d::/61", "4"),
	};
	const struct route *r;
	struct in6_addr a;

	if (parse_addr(addr, &a))
		exit(1);
	routes[0].plane = 2;
	r = route_match(routes, ARRAY_SIZE(routes), &a, 1);
	ok(want < 0 ? !r : r == &routes[want], "route to", addr);
}

static void source_routes(void)
{
	usids_are("101,1-4,102,d02", 2, "::", "101 3 102 d02");
	usids_are("10-12,aa,20-23", 4, "::", "11 aa 20");
	usids_are("10-12,aa,20-23", 11, "::", "12 aa 23");
	usids_are("101,dst[120:8]+d00", 0, "fd00:6d::34", "101 d34");
	usids_are("dst[118:6]+d00", 0, "fd00:6d::e70", "d27");
	loop_is("101,1-4,102,d02", 1, "5f00:0:d01::", "5f00:0:101:d01::");
	loop_is("101,1-4,102,d02", 2, "5f00:0:d01::",
		"5f00:0:101:1:101:d01::");
	loop_is("101,1-4,102,d02", 3, "5f00:0:d01::",
		"5f00:0:101:1:102:1:101:d01");
	loop_is("101,1-4,102,d02", 3, "5f00:0:d01:7::", NULL);
	loop_is("101,1,2,102,d02", 4, "5f00:0:d01::", NULL);
	loop_is("101,1,d02", 1, "5f01:0:d01::", NULL);
	loop_is("101,1,d02", 1, "::", NULL);
	match_is("fd00:6d::3", 2);
	match_is("fd00:6d::4", 1);
	match_is("fd00:6d:0:7::4", 3);
	match_is("fd00:6d:0:8::4", -1);
}

int main(void)
{
	/* the messages of the bad ones are not what is looked at */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	printf("TAP version 13\n");
	paths();
	prefixes();
	planes();
	numbers();
	endpoints();
	substitutions();
	routes();
	times();
	source_routes();
	printf("1..%d\n", test_no);
	return failed ? 1 : 0;
}
