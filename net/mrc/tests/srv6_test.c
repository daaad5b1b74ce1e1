// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of path templates: what is refused and why, how many paths
 * there are, and the addresses, against golden ones written out by hand.
 */
#include <kunit/test.h>
#include <linux/inet.h>
#include <linux/string.h>

#include "../srv6.h"

#define BLOCK	0x5f000000U

#define C(v)		{ .kind = MRC_SEG_CONST, .lo = (v) }
#define R(a, b)		{ .kind = MRC_SEG_RANGE, .lo = (a), .hi = (b) }
#define D(base, from, n) \
	{ .kind = MRC_SEG_DST, .lo = (base), .bit = (from), .nbits = (n) }

struct check_case {
	const char *name;
	const char *msg;
	struct mrc_srv6_tmpl t;
};

static const struct check_case check_cases[] = {
	{ "one constant", NULL, { BLOCK, 1, { C(1) } } },
	{ "six segments of all kinds", NULL,
	  { BLOCK, 6, { C(0xffff), R(1, 4), D(0, 0, 16), D(0xffff - 1, 127, 1),
			R(7, 7), C(2) } } },
	{ "as many paths as an EV can name", NULL,
	  { BLOCK, 1, { R(1, 32767) } } },
	{ "no segment", "a path without an SRH has 1 to 6 segments",
	  { BLOCK, 0 } },
	{ "seven segments", "a path without an SRH has 1 to 6 segments",
	  { BLOCK, 7 } },
	{ "no segment, SRH", "a path with an SRH has 1 to 12 segments",
	  { BLOCK, 0, { }, true } },
	{ "thirteen segments, SRH", "a path with an SRH has 1 to 12 segments",
	  { BLOCK, 13, { }, true } },
	{ "twelve segments, SRH", NULL,
	  { BLOCK, 12, { C(1), C(2), C(3), C(4), C(5), C(6), C(7), C(8), C(9),
			 C(10), C(11), R(1, 9) }, true } },
	{ "block 0", "locator block is not a unicast prefix",
	  { 0, 1, { C(1) } } },
	{ "block multicast", "locator block is not a unicast prefix",
	  { 0xff020000, 1, { C(1) } } },
	{ "block link-local", "locator block is not a unicast prefix",
	  { 0xfebf0000, 1, { C(1) } } },
	{ "block just below link-local", NULL, { 0xfe7f0000, 1, { C(1) } } },
	{ "block just above link-local", NULL, { 0xfec00000, 1, { C(1) } } },
	{ "constant 0", "segment 0 would end the path",
	  { BLOCK, 2, { C(1), C(0) } } },
	{ "range from 0", "segment 0 would end the path",
	  { BLOCK, 1, { R(0, 3) } } },
	{ "range backwards", "range ends before it begins",
	  { BLOCK, 1, { R(4, 3) } } },
	{ "no bits", "a segment takes 1 to 16 bits",
	  { BLOCK, 1, { D(1, 0, 0) } } },
	{ "17 bits", "a segment takes 1 to 16 bits",
	  { BLOCK, 1, { D(0, 0, 17) } } },
	{ "bits over the end", "bits beyond the end of the address",
	  { BLOCK, 1, { D(1, 121, 8) } } },
	{ "bits up to the end", NULL, { BLOCK, 1, { D(1, 120, 8) } } },
	{ "base too large", "base plus bits do not fit in 16 bits",
	  { BLOCK, 1, { D(0xff01, 0, 8) } } },
	{ "base as large as can be", NULL, { BLOCK, 1, { D(0xff00, 0, 8) } } },
	{ "unknown kind", "unknown kind of segment",
	  { BLOCK, 1, { { .kind = MRC_SEG_DST + 1, .lo = 1 } } } },
	{ "one path too many", "more than 32767 paths",
	  { BLOCK, 1, { R(1, 32768) } } },
	{ "product of ranges too large", "more than 32767 paths",
	  { BLOCK, 3, { R(1, 32), R(1, 32), R(1, 32) } } },
	{ "product that overflows 32 bits", "more than 32767 paths",
	  { BLOCK, 6, { R(1, 65535), R(1, 65535), R(1, 65535), R(1, 65535),
			R(1, 65535), R(1, 65535) } } },
};

static void check_desc(const struct check_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(check, check_cases, check_desc);

static void check_test(struct kunit *test)
{
	const struct check_case *c = test->param_value;

	KUNIT_EXPECT_STREQ(test, mrc_srv6_check(&c->t) ?: "good",
			   c->msg ?: "good");
}

struct addr_case {
	const char *name;
	const char *dst;
	struct mrc_srv6_tmpl t;
	u32 paths;
	u32 k;
	const char *golden;
};

static const struct addr_case addr_cases[] = {
	{ "one constant", "fd00:6d::2", { BLOCK, 1, { C(0x101) } }, 1, 0,
	  "5f00:0:101::" },
	{ "four hops, first spine", "fd00:6d::2",
	  { BLOCK, 4, { C(0x101), R(1, 0x20), C(0x202), C(0xd02) } }, 32, 0,
	  "5f00:0:101:1:202:d02::" },
	{ "four hops, last spine", "fd00:6d::2",
	  { BLOCK, 4, { C(0x101), R(1, 0x20), C(0x202), C(0xd02) } }, 32, 31,
	  "5f00:0:101:20:202:d02::" },
	{ "six hops fill the address", "fd00:6d::2",
	  { 0xfcbbbb01, 6, { C(1), C(2), C(3), C(4), C(5), C(0xabcd) } }, 1, 0,
	  "fcbb:bb01:1:2:3:4:5:abcd" },
	{ "two ranges, the last is the fastest", "fd00:6d::2",
	  { BLOCK, 3, { R(0x10, 0x12), C(0xaa), R(0x20, 0x23) } }, 12, 1,
	  "5f00:0:10:aa:21::" },
	{ "two ranges, carry into the first", "fd00:6d::2",
	  { BLOCK, 3, { R(0x10, 0x12), C(0xaa), R(0x20, 0x23) } }, 12, 4,
	  "5f00:0:11:aa:20::" },
	{ "two ranges, both at their end", "fd00:6d::2",
	  { BLOCK, 3, { R(0x10, 0x12), C(0xaa), R(0x20, 0x23) } }, 12, 11,
	  "5f00:0:12:aa:23::" },
	{ "last 16 bits of the destination", "fd00:6d::1:d07",
	  { BLOCK, 2, { C(0x101), D(0, 112, 16) } }, 1, 0,
	  "5f00:0:101:d07::" },
	{ "base and bits that cross a byte", "fd00:6d::e70",
	  { BLOCK, 1, { D(0xd00, 118, 6) } }, 1, 0,
	  "5f00:0:d27::" },
	{ "first bits of the destination", "fd00:6d::2",
	  { BLOCK, 1, { D(1, 0, 8) } }, 1, 0,
	  "5f00:0:fe::" },
	{ "group and host from one row", "fd00:6d:0:12::34",
	  { BLOCK, 4, { C(0x101), R(1, 2), D(0x200, 56, 8), D(0xd00, 120, 8) } },
	  2, 1, "5f00:0:101:2:212:d34::" },
	{ "highest path that an EV can name", "::",
	  { BLOCK, 1, { R(1, 32767) } }, 32767, 32766,
	  "5f00:0:7fff::" },
};

static void addr_desc(const struct addr_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(addr, addr_cases, addr_desc);

static struct in6_addr addr_of(struct kunit *test, const char *text)
{
	struct in6_addr a = {};

	KUNIT_ASSERT_EQ(test, 1, in6_pton(text, -1, a.s6_addr, -1, NULL));
	return a;
}

static void addr_test(struct kunit *test)
{
	const struct addr_case *c = test->param_value;
	struct in6_addr dst = addr_of(test, c->dst);
	struct in6_addr want = addr_of(test, c->golden);
	struct in6_addr got[MRC_SRV6_CARRIERS_MAX], none = {};
	u32 k;

	memset(got, 0xff, sizeof(got));
	KUNIT_ASSERT_NULL(test, mrc_srv6_check(&c->t));
	KUNIT_EXPECT_EQ(test, c->paths, mrc_srv6_paths(&c->t));
	mrc_srv6_addr(&c->t, c->k, &dst, got);
	KUNIT_EXPECT_MEMEQ(test, &got[0], &want, sizeof(want));
	KUNIT_EXPECT_MEMEQ(test, &got[1], &none, sizeof(none));
	KUNIT_EXPECT_EQ(test, mrc_srv6_carriers(&c->t), 1U);
	KUNIT_EXPECT_EQ(test, mrc_srv6_encap(&c->t), 40U);
	KUNIT_EXPECT_TRUE(test, mrc_srv6_find(&c->t, &dst, got, &k));
	KUNIT_EXPECT_EQ(test, c->k, k);
}

/* Addresses that are near a path and none. */
static void find_test(struct kunit *test)
{
	static const struct mrc_srv6_tmpl t = {
		BLOCK, 3, { R(0x10, 0x12), C(0xaa), D(0xd00, 120, 8) }
	};
	static const char *const none[] = {
		"5f00:0:0f:aa:d02::", "5f00:0:13:aa:d02::", "5f00:0:10:ab:d02::",
		"5f00:0:10:aa:d03::", "5f00:0:10:aa:d02:1::", "5f00:1:10:aa:d02::",
		"5f00:0:10:aa:d02::1", "::",
	};
	struct in6_addr dst = addr_of(test, "fd00:6d::2");
	struct in6_addr outer[MRC_SRV6_CARRIERS_MAX] = {};
	unsigned int i;
	u32 k;

	outer[0] = addr_of(test, "5f00:0:11:aa:d02::");
	KUNIT_EXPECT_TRUE(test, mrc_srv6_find(&t, &dst, outer, &k));
	KUNIT_EXPECT_EQ(test, 1, k);
	for (i = 0; i < ARRAY_SIZE(none); i++) {
		outer[0] = addr_of(test, none[i]);
		KUNIT_EXPECT_FALSE_MSG(test,
				       mrc_srv6_find(&t, &dst, outer, &k),
				       "%s", none[i]);
	}
}

/* Every path has an address of its own. */
static void distinct_test(struct kunit *test)
{
	static const struct mrc_srv6_tmpl t = {
		BLOCK, 4, { R(1, 5), D(0x100, 120, 8), R(9, 15), R(3, 3) }
	};
	struct in6_addr dst = addr_of(test, "fd00:6d::2");
	struct in6_addr prev = {}, got[MRC_SRV6_CARRIERS_MAX];
	u32 k;

	KUNIT_ASSERT_EQ(test, 35, mrc_srv6_paths(&t));
	for (k = 0; k < 35; k++) {
		mrc_srv6_addr(&t, k, &dst, got);
		KUNIT_EXPECT_LT_MSG(test, memcmp(&prev, got, sizeof(prev)), 0,
				    "path %u is not above path %u", k, k - 1);
		prev = got[0];
	}
}

/* Eight segments: the seventh begins a second carrier. */
static void carriers_test(struct kunit *test)
{
	static const struct mrc_srv6_tmpl t = {
		BLOCK, 8, { C(0x101), C(1), C(0x102), C(2), C(0x101), R(1, 4),
			    D(0x100, 120, 8), C(0xd02) }, true
	};
	struct in6_addr dst = addr_of(test, "fd00:6d::2");
	struct in6_addr got[MRC_SRV6_CARRIERS_MAX], want;
	u32 k;

	KUNIT_ASSERT_NULL(test, mrc_srv6_check(&t));
	KUNIT_EXPECT_EQ(test, mrc_srv6_paths(&t), 4U);
	KUNIT_EXPECT_EQ(test, mrc_srv6_carriers(&t), 2U);
	KUNIT_EXPECT_EQ(test, mrc_srv6_encap(&t), 40U + 40U);
	mrc_srv6_addr(&t, 2, &dst, got);
	want = addr_of(test, "5f00:0:101:1:102:2:101:3");
	KUNIT_EXPECT_MEMEQ(test, &got[0], &want, sizeof(want));
	want = addr_of(test, "5f00:0:102:d02::");
	KUNIT_EXPECT_MEMEQ(test, &got[1], &want, sizeof(want));
	KUNIT_EXPECT_TRUE(test, mrc_srv6_find(&t, &dst, got, &k));
	KUNIT_EXPECT_EQ(test, 2, k);
	got[1].s6_addr[9] ^= 1;
	KUNIT_EXPECT_FALSE(test, mrc_srv6_find(&t, &dst, got, &k));
}

/* RFC 8754, section 2: the last segment comes first. */
static void srh_build_test(struct kunit *test)
{
	static const u8 one[24] = {
		41, 2, 4, 0, 0, 0, 0, 0,
		0x5f, 0, 0, 0, 1, 1, 0, 2, 1, 2, 0xd, 2, 0, 0, 0, 0,
	};
	static const u8 two[40] = {
		41, 4, 4, 1, 1, 0, 0, 0,
		0x5f, 0, 0, 0, 1, 2, 0xd, 2, 0, 0, 0, 0, 0, 0, 0, 0,
		0x5f, 0, 0, 0, 1, 1, 0, 2, 1, 2, 0, 1, 1, 1, 0, 3,
	};
	struct in6_addr carrier[MRC_SRV6_CARRIERS_MAX];
	u8 got[MRC_SRV6_SRH_LEN(MRC_SRV6_CARRIERS_MAX)];

	carrier[0] = addr_of(test, "5f00:0:101:2:102:d02::");
	memset(got, 0xff, sizeof(got));
	mrc_srv6_srh_build(got, carrier, 1);
	KUNIT_EXPECT_MEMEQ(test, got, one, sizeof(one));
	KUNIT_EXPECT_EQ(test, got[sizeof(one)], 0xff);
	KUNIT_EXPECT_EQ(test, mrc_srv6_srh_len(got), (int)sizeof(one));
	carrier[0] = addr_of(test, "5f00:0:101:2:102:1:101:3");
	carrier[1] = addr_of(test, "5f00:0:102:d02::");
	mrc_srv6_srh_build(got, carrier, 2);
	KUNIT_EXPECT_MEMEQ(test, got, two, sizeof(two));
	/* one left: on its way still */
	KUNIT_EXPECT_EQ(test, mrc_srv6_srh_len(got), 0);
	got[3] = 0;
	KUNIT_EXPECT_EQ(test, mrc_srv6_srh_len(got), (int)sizeof(two));
}

struct srh_case {
	const char *name;
	u8 hdr[MRC_SRV6_SRH_FIXED];
	int len;
};

static const struct srh_case srh_cases[] = {
	{ "TCP inside", { 6, 2, 4, 0, 0 }, 0 },
	{ "type 2, mobility", { 41, 2, 2, 0, 0 }, 0 },
	{ "segments left", { 41, 2, 4, 1, 0 }, 0 },
	{ "a list longer than the header", { 41, 2, 4, 0, 1 }, -EINVAL },
	{ "256 segments in none", { 41, 0, 4, 0, 255 }, -EINVAL },
	{ "no segment at all", { 41, 0, 4, 0, 0 }, -EINVAL },
	{ "half a segment", { 41, 1, 4, 0, 0 }, -EINVAL },
	{ "options behind the list", { 41, 3, 4, 0, 0 }, 0 },
	{ "127 segments", { 41, 254, 4, 0, 126 }, 2040 },
	{ "more units than a list can have", { 41, 255, 4, 0, 127 }, -EINVAL },
	{ "flags and tag are the fabric's", { 41, 2, 4, 0, 0, 0xff, 1, 2 }, 24 },
};

static void srh_desc(const struct srh_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(srh, srh_cases, srh_desc);

static void srh_len_test(struct kunit *test)
{
	const struct srh_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, mrc_srv6_srh_len(c->hdr), c->len);
}

static struct kunit_case srv6_cases[] = {
	KUNIT_CASE_PARAM(check_test, check_gen_params),
	KUNIT_CASE_PARAM(addr_test, addr_gen_params),
	KUNIT_CASE(find_test),
	KUNIT_CASE(distinct_test),
	KUNIT_CASE(carriers_test),
	KUNIT_CASE(srh_build_test),
	KUNIT_CASE_PARAM(srh_len_test, srh_gen_params),
	{}
};

static struct kunit_suite srv6_suite = {
	.name = "mrc_srv6",
	.test_cases = srv6_cases,
};

kunit_test_suite(srv6_suite);

MODULE_DESCRIPTION("KUnit tests of MRC's SRv6 path templates");
MODULE_LICENSE("GPL");
