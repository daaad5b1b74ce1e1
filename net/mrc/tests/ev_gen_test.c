// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: entropy values made of bit fields, what is refused, and which EVs
 * come out, against lists written out by hand.
 */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "../ev_gen.h"

#define EVS	16

struct check_case {
	const char *name;
	const char *msg;
	struct mrc_ev_gen gen;
};

#define F(w, i, lo, hi, m) \
	{ .width = (w), .init = (i), .min = (lo), .max = (hi), .mask = (m) }

static const struct check_case check_cases[] = {
	{ "one field of 16 bits", NULL, { 1, { F(16, 1, 1, 0xffff, 0xffff) } } },
	{ "all 32 bits", NULL,
	  { 1, { F(32, 0, 0, 0xffffffff, 0xffffffff) } } },
	{ "no field", "a generated EV has 1 to 8 fields", { 0 } },
	{ "nine fields", "a generated EV has 1 to 8 fields", { 9 } },
	{ "no bits", "a field has 1 to 32 bits", { 1, { F(0, 0, 0, 0, 0) } } },
	{ "33 bits", "a field has 1 to 32 bits", { 1, { F(33, 0, 0, 0, 0) } } },
	{ "33 bits in two", "the fields have more than 32 bits together",
	  { 2, { F(16, 0, 0, 1, 1), F(17, 1, 1, 1, 0) } } },
	{ "maximum too wide", "a value does not fit the width of its field",
	  { 1, { F(4, 0, 0, 16, 15) } } },
	{ "mask too wide", "a value does not fit the width of its field",
	  { 1, { F(4, 0, 0, 15, 31) } } },
	{ "minimum above maximum",
	  "the minimum of a field is above its maximum",
	  { 1, { F(4, 3, 4, 3, 15) } } },
	{ "initial value below",
	  "the initial value of a field is not between minimum and maximum",
	  { 1, { F(4, 0, 1, 3, 15) } } },
	{ "initial value above",
	  "the initial value of a field is not between minimum and maximum",
	  { 1, { F(4, 4, 1, 3, 15) } } },
	{ "EV 0 alone", "no EV has a source port, its low 16 bits are 0",
	  { 1, { F(8, 0, 0, 0, 0xff) } } },
	{ "low half always 0", "no EV has a source port, its low 16 bits are 0",
	  { 2, { F(16, 1, 1, 0xffff, 0xffff), F(16, 0, 0, 0, 0xffff) } } },
	{ "low half masked", "no EV has a source port, its low 16 bits are 0",
	  { 1, { F(32, 0, 0, 0xffffffff, 0xffff0000) } } },
};

static void check_desc(const struct check_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(check, check_cases, check_desc);

static void mrc_ev_gen_check_test(struct kunit *test)
{
	const struct check_case *c = test->param_value;

	KUNIT_EXPECT_STREQ(test, mrc_ev_gen_check(&c->gen) ?: "good",
			   c->msg ?: "good");
}

struct fill_case {
	const char *name;
	struct mrc_ev_gen gen;
	unsigned int n;
	u32 ev[EVS];
};

static const struct fill_case fill_cases[] = {
	{ "from 1 to 4", { 1, { F(8, 1, 1, 4, 0xff) } }, 4, { 1, 2, 3, 4 } },
	{ "beginning in the middle", { 1, { F(8, 3, 1, 4, 0xff) } }, 4,
	  { 3, 4, 1, 2 } },
	{ "0 is left out", { 1, { F(8, 0, 0, 3, 0xff) } }, 3, { 1, 2, 3 } },
	{ "the last field is the fastest, and ends at bit 0",
	  { 2, { F(4, 2, 2, 3, 15), F(4, 14, 14, 15, 15) } }, 4,
	  { 0x2e, 0x2f, 0x3e, 0x3f } },
	{ "fields above the source port",
	  { 3, { F(4, 1, 1, 2, 15), F(12, 5, 5, 5, 0xfff),
		 F(16, 0x8000, 0x8000, 0x8001, 0xffff) } }, 4,
	  { 0x10058000, 0x10058001, 0x20058000, 0x20058001 } },
	{ "bits that change are apart", { 1, { F(8, 0x40, 0, 0xff, 0x05) } },
	  4, { 0x40, 0x41, 0x44, 0x45 } },
	{ "apart, and within limits", { 1, { F(8, 0x44, 0x41, 0x44, 0x05) } },
	  2, { 0x44, 0x41 } },
	{ "nothing changes", { 1, { F(8, 7, 0, 0xff, 0) } }, 1, { 7 } },
	{ "more than asked for", { 1, { F(32, 9, 0, 0xffffffff, 0xffffffff) } },
	  EVS, { 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
		 24 } },
	{ "a whole run of low halves that are 0",
	  { 2, { F(1, 0, 0, 1, 1), F(31, 0, 0, 0x7fffffff, 0x7fff0001) } },
	  EVS, { 1, 0x10001, 0x20001, 0x30001, 0x40001, 0x50001, 0x60001,
		 0x70001, 0x80001, 0x90001, 0xa0001, 0xb0001, 0xc0001, 0xd0001,
		 0xe0001, 0xf0001 } },
};

static void fill_desc(const struct fill_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(fill, fill_cases, fill_desc);

static void mrc_ev_gen_fill_test(struct kunit *test)
{
	const struct fill_case *c = test->param_value;
	u32 ev[EVS];

	KUNIT_ASSERT_NULL(test, mrc_ev_gen_check(&c->gen));
	KUNIT_ASSERT_EQ(test, mrc_ev_gen_fill(&c->gen, ev, EVS), c->n);
	KUNIT_EXPECT_MEMEQ(test, ev, c->ev, c->n * sizeof(*ev));
}

/* A large set: all different, all usable. */
static void mrc_ev_gen_many_test(struct kunit *test)
{
	static const struct mrc_ev_gen gen = {
		3, { F(6, 1, 1, 32, 63), F(10, 3, 0, 1023, 0x3f0),
		     F(16, 0, 0, 63, 63) }
	};
	unsigned int i, n;
	u32 *ev, *seen;

	ev = kunit_kcalloc(test, 4096, sizeof(*ev), GFP_KERNEL);
	seen = kunit_kcalloc(test, 64 * 64, sizeof(*seen), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ev);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	n = mrc_ev_gen_fill(&gen, ev, 4096);
	KUNIT_ASSERT_EQ(test, n, 4096U);
	for (i = 0; i < n; i++) {
		u32 mid = ev[i] >> 16 & 0x3ff, low = ev[i] & 0xffff;

		KUNIT_ASSERT_TRUE(test, mrc_ev_usable(ev[i]));
		KUNIT_ASSERT_EQ(test, mid & ~0x3f0U, 3U);
		KUNIT_ASSERT_LE(test, low, 63U);
		/* 64 * 63 of each value of the first field */
		KUNIT_ASSERT_EQ(test, ev[i] >> 26, 1U + i / (64 * 63));
		KUNIT_ASSERT_EQ(test, seen[(mid >> 4) * 64 + low]++,
				i / (64 * 63));
	}
}

static struct kunit_case mrc_ev_gen_cases[] = {
	KUNIT_CASE_PARAM(mrc_ev_gen_check_test, check_gen_params),
	KUNIT_CASE_PARAM(mrc_ev_gen_fill_test, fill_gen_params),
	KUNIT_CASE(mrc_ev_gen_many_test),
	{}
};

static struct kunit_suite mrc_ev_gen_suite = {
	.name = "mrc_ev_gen",
	.test_cases = mrc_ev_gen_cases,
};

kunit_test_suite(mrc_ev_gen_suite);

MODULE_DESCRIPTION("KUnit tests of generated entropy values");
MODULE_LICENSE("GPL");
