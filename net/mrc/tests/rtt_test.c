// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: round-trip times and what follows from them.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "../rtt.h"

static void mrc_rtt_none_test(struct kunit *test)
{
	struct mrc_rtt r = {};

	KUNIT_EXPECT_EQ(test, mrc_rtt_rto(&r), 3ULL * MRC_RTT_INIT_NS);
	KUNIT_EXPECT_EQ(test, mrc_rtt_reorder(&r), 1500000ULL);
	mrc_rtt_sample(&r, 0, 5);
	KUNIT_EXPECT_EQ(test, r.srtt, 0U);
	KUNIT_EXPECT_EQ(test, r.base, 0U);
}

/* RFC 6298, 2.2 and 2.3 */
static void mrc_rtt_smooth_test(struct kunit *test)
{
	struct mrc_rtt r = {};

	mrc_rtt_sample(&r, 8000000, 1);
	KUNIT_EXPECT_EQ(test, r.srtt, 8000000U);
	KUNIT_EXPECT_EQ(test, r.rttvar, 4000000U);
	KUNIT_EXPECT_EQ(test, mrc_rtt_rto(&r), 24000000ULL);
	KUNIT_EXPECT_EQ(test, mrc_rtt_reorder(&r), 16000000ULL);
	mrc_rtt_sample(&r, 16000000, 2);
	KUNIT_EXPECT_EQ(test, r.rttvar, 5000000U);
	KUNIT_EXPECT_EQ(test, r.srtt, 9000000U);
	KUNIT_EXPECT_EQ(test, mrc_rtt_rto(&r), 29000000ULL);
	mrc_rtt_sample(&r, 1000000, 3);
	KUNIT_EXPECT_EQ(test, r.rttvar, 5750000U);
	KUNIT_EXPECT_EQ(test, r.srtt, 8000000U);
	/* down by 1/32 of the difference, not by 1/4 */
	mrc_rtt_sample(&r, 8000000, 4);
	KUNIT_EXPECT_EQ(test, r.rttvar, 5570312U);
}

/* After one delay among many samples the timeout still covers another. */
static void mrc_rtt_burst_test(struct kunit *test)
{
	struct mrc_rtt r = {};
	int i;

	for (i = 0; i < 300; i++)
		mrc_rtt_sample(&r, 100000, i);
	mrc_rtt_sample(&r, 8000000, i);
	for (i = 0; i < 20; i++)
		mrc_rtt_sample(&r, 100000, i);
	KUNIT_EXPECT_GT(test, mrc_rtt_rto(&r), 4000000ULL);
	for (i = 0; i < 300; i++)
		mrc_rtt_sample(&r, 100000, i);
	KUNIT_EXPECT_EQ(test, mrc_rtt_rto(&r), (u64)MRC_RTT_RTO_MIN_NS);
	/* a host may be late by a tick */
	KUNIT_EXPECT_GE(test, mrc_rtt_rto(&r), 1000000ULL);
}

/* A steady path of 20 us: the timeout is its floor, the tolerance small. */
static void mrc_rtt_steady_test(struct kunit *test)
{
	struct mrc_rtt r = {};
	int i;

	for (i = 0; i < 400; i++)
		mrc_rtt_sample(&r, 20000, i);
	KUNIT_EXPECT_EQ(test, r.srtt, 20000U);
	KUNIT_EXPECT_LT(test, r.rttvar, 100U);
	KUNIT_EXPECT_EQ(test, mrc_rtt_rto(&r), (u64)MRC_RTT_RTO_MIN_NS);
	KUNIT_EXPECT_EQ(test, mrc_rtt_reorder(&r), 5000ULL);
}

static void mrc_rtt_base_test(struct kunit *test)
{
	struct mrc_rtt r = {};

	mrc_rtt_sample(&r, 5000, 1000);
	mrc_rtt_sample(&r, 9000, 2000);
	KUNIT_EXPECT_EQ(test, r.base, 5000U);
	mrc_rtt_sample(&r, 4000, 3000);
	KUNIT_EXPECT_EQ(test, r.base, 4000U);
	/* as old as may be, then too old: the path may have changed */
	mrc_rtt_sample(&r, 7000, 3000 + MRC_RTT_BASE_AGE_NS);
	KUNIT_EXPECT_EQ(test, r.base, 4000U);
	mrc_rtt_sample(&r, 7000, 3001 + MRC_RTT_BASE_AGE_NS);
	KUNIT_EXPECT_EQ(test, r.base, 7000U);
	/* seen again: young again */
	mrc_rtt_sample(&r, 7000, 3000 + 2 * MRC_RTT_BASE_AGE_NS);
	mrc_rtt_sample(&r, 8000, 3001 + 3 * MRC_RTT_BASE_AGE_NS);
	KUNIT_EXPECT_EQ(test, r.base, 8000U);
}

/* The way has become longer: not one of the samples of a second is near the
 * base, and there were enough.
 */
static void mrc_rtt_far_test(struct kunit *test)
{
	u64 step = MRC_RTT_FAR_AGE_NS / 5;
	struct mrc_rtt r = {};
	u64 t;

	mrc_rtt_sample(&r, 24000, 1);
	for (t = step; t < step + MRC_RTT_FAR_AGE_NS; t += step)
		mrc_rtt_sample(&r, 41000000 - (t == 2 * step), t);
	KUNIT_EXPECT_EQ(test, r.base, 24000U);
	mrc_rtt_sample(&r, 50000000, t);
	KUNIT_EXPECT_EQ(test, r.base, 40999999U);
	/* and shorter again: known at once */
	mrc_rtt_sample(&r, 24000, t + 1);
	KUNIT_EXPECT_EQ(test, r.base, 24000U);
}

/* A queue that is empty now and then is none of the way. */
static void mrc_rtt_queue_test(struct kunit *test)
{
	u64 step = MRC_RTT_FAR_AGE_NS / 5;
	struct mrc_rtt r = {};
	u64 t;

	mrc_rtt_sample(&r, 24000, 1);
	for (t = step; t < 4 * MRC_RTT_FAR_AGE_NS; t += step)
		mrc_rtt_sample(&r, t % (4 * step) ? 41000000 : 100000, t);
	KUNIT_EXPECT_EQ(test, r.base, 24000U);
	/* too few to tell */
	mrc_rtt_sample(&r, 100000, t);
	for (; t < 5 * MRC_RTT_FAR_AGE_NS; t += 4 * step)
		mrc_rtt_sample(&r, 41000000, t);
	KUNIT_EXPECT_EQ(test, r.base, 24000U);
	/* just not far, by either measure */
	mrc_rtt_sample(&r, 100000, t);
	for (; t < 9 * MRC_RTT_FAR_AGE_NS; t += step)
		mrc_rtt_sample(&r, 24000 + MRC_RTT_FAR_NS, t);
	KUNIT_EXPECT_EQ(test, r.base, 24000U);
	memset(&r, 0, sizeof(r));
	mrc_rtt_sample(&r, 1000000, 1);
	for (t = step; t < 4 * MRC_RTT_FAR_AGE_NS; t += step)
		mrc_rtt_sample(&r, MRC_RTT_FAR_FACTOR * 1000000, t);
	KUNIT_EXPECT_EQ(test, r.base, 1000000U);
}

/* One sample that is far away is enough for a timeout that covers the next. */
static void mrc_rtt_jump_test(struct kunit *test)
{
	struct mrc_rtt r = {};
	int i;

	for (i = 0; i < 100; i++)
		mrc_rtt_sample(&r, 24000, i);
	mrc_rtt_sample(&r, 200000000, i);
	KUNIT_EXPECT_GT(test, mrc_rtt_rto(&r), 200000000ULL);
}

/* Nothing overflows, and a sample always leaves an estimate. */
static void mrc_rtt_extreme_test(struct kunit *test)
{
	struct mrc_rtt r = {};
	int i;

	for (i = 0; i < 50; i++)
		mrc_rtt_sample(&r, i & 1 ? 1 : U32_MAX, i);
	KUNIT_EXPECT_GT(test, r.srtt, 1000000000U);
	KUNIT_EXPECT_GT(test, mrc_rtt_rto(&r), (u64)U32_MAX);
	KUNIT_EXPECT_GT(test, mrc_rtt_reorder(&r), (u64)U32_MAX);
	memset(&r, 0, sizeof(r));
	for (i = 0; i < 200; i++)
		mrc_rtt_sample(&r, 1, i);
	KUNIT_EXPECT_EQ(test, r.srtt, 1U);
}

static struct kunit_case mrc_rtt_cases[] = {
	KUNIT_CASE(mrc_rtt_none_test),
	KUNIT_CASE(mrc_rtt_smooth_test),
	KUNIT_CASE(mrc_rtt_burst_test),
	KUNIT_CASE(mrc_rtt_steady_test),
	KUNIT_CASE(mrc_rtt_base_test),
	KUNIT_CASE(mrc_rtt_far_test),
	KUNIT_CASE(mrc_rtt_queue_test),
	KUNIT_CASE(mrc_rtt_jump_test),
	KUNIT_CASE(mrc_rtt_extreme_test),
	{}
};

static struct kunit_suite mrc_rtt_suite = {
	.name = "mrc_rtt",
	.test_cases = mrc_rtt_cases,
};

kunit_test_suite(mrc_rtt_suite);
