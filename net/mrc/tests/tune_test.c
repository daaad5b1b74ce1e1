// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: sizes of buffers.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "../tune.h"

#define MB	(1024 * 1024)

static void mrc_tune_rcvbuf_test(struct kunit *test)
{
	/* up to half a window per round trip: as it is */
	KUNIT_EXPECT_EQ(test, mrc_tune_rcvbuf(4 * MB, 1 * MB, 10, 10), 4 * MB);
	KUNIT_EXPECT_EQ(test, mrc_tune_rcvbuf(4 * MB, 4 * MB, 50, 10), 4 * MB);
	/* more: twice that, and the window is half of it */
	KUNIT_EXPECT_EQ(test, mrc_tune_rcvbuf(4 * MB, 2 * MB, 10, 10), 8 * MB);
	KUNIT_EXPECT_EQ(test, mrc_tune_rcvbuf(4 * MB, 8 * MB, 40, 10), 8 * MB);
	KUNIT_EXPECT_EQ(test, mrc_tune_rcvbuf(4 * MB, 1ULL << 50, 10, 10),
			MRC_TUNE_MAX);
	KUNIT_EXPECT_EQ(test, mrc_tune_rcvbuf(INT_MAX, 1ULL << 50, 10, 10),
			INT_MAX);
}

static void mrc_tune_sndbuf_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mrc_tune_sndbuf(4 * MB, 2 * MB), 4 * MB);
	KUNIT_EXPECT_EQ(test, mrc_tune_sndbuf(4 * MB, 3 * MB), 6 * MB);
	KUNIT_EXPECT_EQ(test, mrc_tune_sndbuf(4 * MB, U32_MAX), MRC_TUNE_MAX);
	KUNIT_EXPECT_EQ(test, mrc_tune_sndbuf(INT_MAX, U32_MAX), INT_MAX);
}

static struct kunit_case mrc_tune_cases[] = {
	KUNIT_CASE(mrc_tune_rcvbuf_test),
	KUNIT_CASE(mrc_tune_sndbuf_test),
	{}
};

static struct kunit_suite mrc_tune_suite = {
	.name = "mrc_tune",
	.test_cases = mrc_tune_cases,
};

kunit_test_suite(mrc_tune_suite);
