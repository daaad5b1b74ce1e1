// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: shares of the planes. When a plane is slow, what it may carry then,
 * and how it comes back.
 */
#include <kunit/test.h>
#include <linux/array_size.h>

#include "../rtt.h"
#include "../share.h"

#define BASE	40000U	/* ns */
#define SLOW	(MRC_SHARE_SLOW_NS + 1)

/* Four planes, the last of which is looked at; 0 = not in use. */
static void queues(struct mrc_rtt rtt[4], u32 others, u32 own)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		rtt[i] = (struct mrc_rtt) { .base = BASE };
		rtt[i].srtt = BASE + (i == 3 ? own : others);
	}
}

struct slow {
	const char *name;
	u32 others, own;	/* queues, ns */
	bool limited;
	u32 before, after;	/* weights */
};

static const struct slow slows[] = {
	{ "as the others", 0, 0, false, 256, 256 },
	{ "a little longer", 0, SLOW - 1, false, 256, 256 },
	{ "slow", 0, SLOW, false, 256, 256 * BASE / (BASE + SLOW) },
	{ "all are", 30000, 30000 + SLOW, false, 256, 256 },
	{ "slower than all", 20000, 40000 + SLOW, false, 256,
	  256 * (BASE + 20000) / (BASE + 40000 + SLOW) },
	{ "very slow: by half at once", 0, 10 * BASE, false, 256, 128 },
	{ "the least", 0, 10 * BASE, false, 20, MRC_SHARE_LEAST },
	{ "fast, and not limited", 0, 0, false, 100, 100 },
	{ "fast, and limited", 0, 0, true, 100, 100 + MRC_SHARE_RISE },
	{ "slow, and limited", 0, 10 * BASE, true, 100, 50 },
	{ "the most", 0, 0, true, 255, 256 },
};

KUNIT_ARRAY_PARAM_DESC(mrc_share_slow, slows, name);

static void mrc_share_slow_test(struct kunit *test)
{
	const struct slow *k = test->param_value;
	struct mrc_share s = { .limited = k->limited };
	struct mrc_rtt rtt[4];

	s.cut = MRC_SHARE_FULL - k->before;
	queues(rtt, k->others, k->own);
	mrc_share_sample(&s, rtt, 4, 3, 1000000);
	KUNIT_EXPECT_EQ(test, mrc_share_weight(&s), k->after);
	/* once per round trip */
	KUNIT_EXPECT_EQ(test, s.until, k->before == k->after ? 0ULL :
			1000000ULL + BASE + k->own);
	KUNIT_EXPECT_EQ(test, s.limited, k->limited && k->before == k->after);
}

static void mrc_share_once_test(struct kunit *test)
{
	struct mrc_share s = {};
	struct mrc_rtt rtt[4];

	queues(rtt, 0, 10 * BASE);
	mrc_share_sample(&s, rtt, 4, 3, 1000000);
	KUNIT_EXPECT_EQ(test, mrc_share_weight(&s), 128U);
	mrc_share_sample(&s, rtt, 4, 3, s.until - 1);
	KUNIT_EXPECT_EQ(test, mrc_share_weight(&s), 128U);
	mrc_share_sample(&s, rtt, 4, 3, s.until);
	KUNIT_EXPECT_EQ(test, mrc_share_weight(&s), 64U);
}

/* Planes that were never measured are no others. */
static void mrc_share_unknown_test(struct kunit *test)
{
	struct mrc_share s = {};
	struct mrc_rtt rtt[4];
	unsigned int i;

	queues(rtt, 0, 10 * BASE);
	for (i = 0; i < 3; i++)
		rtt[i].srtt = 0;
	mrc_share_sample(&s, rtt, 4, 3, 1000000);
	KUNIT_EXPECT_EQ(test, mrc_share_weight(&s), MRC_SHARE_FULL);
	rtt[1].srtt = BASE;
	mrc_share_sample(&s, rtt, 4, 3, 1000000);
	KUNIT_EXPECT_EQ(test, mrc_share_weight(&s), 128U);
}

static struct kunit_case mrc_share_cases[] = {
	KUNIT_CASE_PARAM(mrc_share_slow_test, mrc_share_slow_gen_params),
	KUNIT_CASE(mrc_share_once_test),
	KUNIT_CASE(mrc_share_unknown_test),
	{}
};

static struct kunit_suite mrc_share_suite = {
	.name = "mrc_share",
	.test_cases = mrc_share_cases,
};

kunit_test_suite(mrc_share_suite);
