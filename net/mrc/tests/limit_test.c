// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the rate limit.
 */
#include <kunit/test.h>

#include "../limit.h"

#define NOW	1000000ULL

/* How many of @n at @now are let through. */
static unsigned int many(u64 *state, u64 now, u64 interval, u32 burst,
			 unsigned int n)
{
	unsigned int ok = 0;

	while (n--)
		ok += mrc_limit_ok(state, now, interval, burst);
	return ok;
}

static void mrc_limit_burst_test(struct kunit *test)
{
	u64 state = 0;

	KUNIT_EXPECT_EQ(test, many(&state, NOW, 100, 16, 50), 16);
	/* one token comes after each interval, not before */
	KUNIT_EXPECT_EQ(test, many(&state, NOW + 99, 100, 16, 5), 0);
	KUNIT_EXPECT_EQ(test, many(&state, NOW + 100, 100, 16, 5), 1);
	KUNIT_EXPECT_EQ(test, many(&state, NOW + 350, 100, 16, 5), 2);
	/* however long nothing happens, there are no more than a burst */
	KUNIT_EXPECT_EQ(test, many(&state, NOW + 1000000, 100, 16, 50), 16);
}

static void mrc_limit_single_test(struct kunit *test)
{
	u64 state = 0;

	KUNIT_EXPECT_EQ(test, many(&state, NOW, 100, 1, 3), 1);
	KUNIT_EXPECT_EQ(test, many(&state, NOW + 100, 100, 1, 3), 1);
}

/* What is refused costs nothing: a flood does not shut out what comes later */
static void mrc_limit_flood_test(struct kunit *test)
{
	unsigned int t, ok = 0;
	u64 state = 0;

	for (t = 0; t < 10000; t++)
		ok += many(&state, NOW + t, 100, 4, 10);
	KUNIT_EXPECT_EQ(test, ok, 4 + 9999 / 100);
}

static struct kunit_case mrc_limit_cases[] = {
	KUNIT_CASE(mrc_limit_burst_test),
	KUNIT_CASE(mrc_limit_single_test),
	KUNIT_CASE(mrc_limit_flood_test),
	{}
};

static struct kunit_suite mrc_limit_suite = {
	.name		= "mrc_limit",
	.test_cases	= mrc_limit_cases,
};

kunit_test_suite(mrc_limit_suite);
