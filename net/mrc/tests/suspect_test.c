// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: what a responder calls a bad path, from both sides of each limit.
 */
#include <kunit/test.h>

#include "../suspect.h"

#define PATHS	8

static struct mrc_suspects *fresh(struct kunit *test)
{
	struct mrc_suspects *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	return s;
}

/* @n packets on each of the paths 1 to PATHS, nothing is missing. */
static void all_is_well(struct mrc_suspects *s, unsigned int n)
{
	static u64 psn = 1ULL << 40;
	unsigned int k;

	for (; n; n--)
		for (k = 1; k <= PATHS; k++)
			mrc_suspect_saw(s, k, k, 1, psn++, false);
}

static void lost(struct mrc_suspects *s, u32 key, unsigned int n)
{
	while (n--)
		mrc_suspect_lost(s, key);
}

static void trimmed(struct mrc_suspects *s, u32 key, unsigned int n)
{
	while (n--)
		mrc_suspect_trimmed(s, key);
}

/* A responder that has something to say, does, and says it once. */
static bool accused(struct mrc_suspects *s, u32 key)
{
	bool bad = mrc_suspect_is_bad(s, key);

	if (bad)
		mrc_suspect_told(s, key);
	return bad;
}

/* Four lost packets are the least, whatever their share. */
static void mrc_suspect_min_test(struct kunit *test)
{
	struct mrc_suspects *s = fresh(test);

	all_is_well(s, 100);
	lost(s, 3, 3);
	KUNIT_EXPECT_FALSE(test, mrc_suspect_is_bad(s, 3));
	lost(s, 3, 1);
	KUNIT_EXPECT_FALSE(test, mrc_suspect_is_bad(s, 2));
	/* until it is said */
	KUNIT_EXPECT_TRUE(test, mrc_suspect_is_bad(s, 3));
	KUNIT_EXPECT_TRUE(test, accused(s, 3));
	KUNIT_EXPECT_FALSE(test, mrc_suspect_is_bad(s, 3));
	KUNIT_EXPECT_EQ(test, s->points, 0);
	KUNIT_EXPECT_EQ(test, s->seen, 100 * PATHS);
}

/* One in 16 packets of the path: 4 of 64, not of 65. */
static void mrc_suspect_share_test(struct kunit *test)
{
	struct mrc_suspects *s = fresh(test);

	lost(s, 3, 4);
	all_is_well(s, 60);
	KUNIT_EXPECT_EQ(test, mrc_suspect_slot(s, 3)->seen, 64);
	all_is_well(s, 1);
	KUNIT_EXPECT_FALSE(test, mrc_suspect_is_bad(s, 3));

	s = fresh(test);
	lost(s, 3, 4);
	all_is_well(s, 60);
	KUNIT_EXPECT_TRUE(test, mrc_suspect_is_bad(s, 3));
}

/* Trimmed packets: 128 and half of all. */
static void mrc_suspect_trim_test(struct kunit *test)
{
	struct mrc_suspects *s = fresh(test);

	all_is_well(s, 100);
	trimmed(s, 3, 127);
	KUNIT_EXPECT_FALSE(test, mrc_suspect_is_bad(s, 3));
	trimmed(s, 3, 1);
	all_is_well(s, 129);
	KUNIT_EXPECT_EQ(test, mrc_suspect_slot(s, 3)->seen, 257);
	KUNIT_EXPECT_FALSE(test, mrc_suspect_is_bad(s, 3));
	trimmed(s, 3, 1);
	KUNIT_EXPECT_TRUE(test, mrc_suspect_is_bad(s, 3));
}

/* Losses everywhere, evenly: no path is worse. */
static void mrc_suspect_spread_test(struct kunit *test)
{
	struct mrc_suspects *s = fresh(test);
	unsigned int k, i;

	for (i = 0; i < 20; i++) {
		all_is_well(s, 5);
		for (k = 1; k <= PATHS; k++)
			lost(s, k, 1);
	}
	for (k = 1; k <= PATHS; k++)
		KUNIT_EXPECT_FALSE(test, mrc_suspect_is_bad(s, k));
}

/* All others lose 5 % (14 of 294), one more is assumed: this one must lose more
 * than 20 %. 7 of 47 are not, 60 of 100 are.
 */
static void mrc_suspect_outlier_test(struct kunit *test)
{
	unsigned int p, k, i;
	struct mrc_suspects *s;

	for (p = 7; p <= 60; p += 53) {
		s = fresh(test);
		for (k = 1; k <= PATHS; k++)
			if (k != 3)
				lost(s, k, 2);
		lost(s, 3, 1);
		for (i = 0; i < 40; i++)
			all_is_well(s, 1);
		lost(s, 3, p - 1);
		KUNIT_EXPECT_EQ_MSG(test, mrc_suspect_is_bad(s, 3), p == 60,
				    "%u lost", p);
	}
}

/* A path that is the only one has no siblings. */
static void mrc_suspect_alone_test(struct kunit *test)
{
	struct mrc_suspects *s = fresh(test);

	lost(s, 3, 100);
	KUNIT_EXPECT_FALSE(test, mrc_suspect_is_bad(s, 3));
}

/* One burst of path 3 with @lost of 15 missing, sent again on path 5. */
static void burst(struct mrc_suspects *s, u64 psn, u16 lost, bool rtx)
{
	unsigned int i;

	/* another burst came before on the same plane */
	mrc_suspect_saw(s, 4, 4, 1, psn - 1, false);
	for (i = 0; i < MRC_SUSPECT_RUN; i++)
		if (!(lost & BIT(i)))
			mrc_suspect_saw(s, 3, 3, 1, psn + i, false);
	for (i = 0; i < MRC_SUSPECT_RUN; i++)
		if (lost & BIT(i))
			mrc_suspect_saw(s, 5, 5, 2, psn + i, rtx);
}

static void mrc_suspect_hole_test(struct kunit *test)
{
	struct mrc_suspects *s = fresh(test);

	/* three holes, of one, two and three packets */
	burst(s, 1000, 0x0e62, true);
	KUNIT_EXPECT_EQ(test, s->points, 6 * MRC_SUSPECT_WEIGHT);
	KUNIT_EXPECT_EQ(test, mrc_suspect_slot(s, 3)->lost, 6);
	/* they were late, not lost */
	burst(s, 2000, 0x0e62, false);
	KUNIT_EXPECT_EQ(test, s->points, 6 * MRC_SUSPECT_WEIGHT);
	/* at its ends a burst may have been any length */
	burst(s, 3000, 0x7001, true);
	KUNIT_EXPECT_EQ(test, s->points, 6 * MRC_SUSPECT_WEIGHT);
	burst(s, 4000, 0x0020, true);
	KUNIT_EXPECT_EQ(test, s->points, 7 * MRC_SUSPECT_WEIGHT);
}

/* A burst of which three packets come trimmed: none of them is missing. */
static void mrc_suspect_not_missing_test(struct kunit *test)
{
	struct mrc_suspects *s = fresh(test);
	unsigned int i;

	mrc_suspect_saw(s, 4, 4, 1, 999, false);
	for (i = 0; i < MRC_SUSPECT_RUN; i++)
		if (i % 5 == 2)
			mrc_suspect_came(s, 3, 3, 1, 1000 + i, false);
		else
			mrc_suspect_saw(s, 3, 3, 1, 1000 + i, false);
	for (i = 2; i < MRC_SUSPECT_RUN; i += 5)
		mrc_suspect_saw(s, 5, 5, 2, 1000 + i, true);
	KUNIT_EXPECT_EQ(test, s->points, 0);
	/* nor is one that comes when the hole was seen already */
	burst(s, 2000, 0x0020, false);
	mrc_suspect_saw(s, 4, 4, 1, 2999, false);
	mrc_suspect_saw(s, 3, 3, 1, 3000, false);
	mrc_suspect_saw(s, 3, 3, 1, 3002, false);
	mrc_suspect_came(s, 3, 3, 1, 3001, false);
	mrc_suspect_saw(s, 5, 5, 2, 3001, true);
	KUNIT_EXPECT_EQ(test, s->points, 0);
}

/*
 * With one EV per plane, bursts of other planes lie between its own: what is
 * missing was lost elsewhere, and nobody here is to blame for it.
 */
static void mrc_suspect_single_test(struct kunit *test)
{
	struct mrc_suspects *s = fresh(test);
	u64 psn;

	/* PSNs go round four planes, plane 4 loses all */
	for (psn = 1000; psn < 1020; psn++)
		if (psn % 4 != 3)
			mrc_suspect_saw(s, psn % 4, psn % 4 + 1, psn % 4 + 1,
					psn, false);
	s->points = 0;
	memset(s->hole, 0, sizeof(s->hole));
	for (; psn < 3000; psn++)
		if (psn % 4 != 3)
			mrc_suspect_saw(s, psn % 4, psn % 4 + 1, psn % 4 + 1,
					psn, false);
		else
			mrc_suspect_saw(s, 0, 1, 1, psn - 8, true);
	KUNIT_EXPECT_EQ(test, s->points, 0);
}

/* What was, fades: 4 lost packets among 10,000 others are none. */
static void mrc_suspect_age_test(struct kunit *test)
{
	struct mrc_suspects *s = fresh(test);

	lost(s, 3, 4);
	all_is_well(s, 2 * MRC_SUSPECT_WINDOW / PATHS);
	KUNIT_EXPECT_LT(test, s->seen, MRC_SUSPECT_WINDOW);
	KUNIT_EXPECT_LE(test, s->points, MRC_SUSPECT_LOST * 2);
	lost(s, 3, 1);
	KUNIT_EXPECT_FALSE(test, mrc_suspect_is_bad(s, 3));
}

/* More paths than places: nobody is blamed for what others did. */
static void mrc_suspect_crowd_test(struct kunit *test)
{
	struct mrc_suspects *s = fresh(test);
	u32 key, total = 0, i;

	for (i = 0; i < 50; i++)
		for (key = 1; key <= 1000; key++)
			mrc_suspect_lost(s, key);
	for (i = 0; i < MRC_SUSPECT_PATHS; i++)
		total += 8 * s->path[i].lost + s->path[i].trimmed;
	KUNIT_EXPECT_EQ(test, total, s->points);
	for (key = 1; key <= 1000; key++)
		KUNIT_EXPECT_FALSE(test, mrc_suspect_is_bad(s, key));
}

static struct kunit_case mrc_suspect_cases[] = {
	KUNIT_CASE(mrc_suspect_min_test),
	KUNIT_CASE(mrc_suspect_share_test),
	KUNIT_CASE(mrc_suspect_trim_test),
	KUNIT_CASE(mrc_suspect_spread_test),
	KUNIT_CASE(mrc_suspect_outlier_test),
	KUNIT_CASE(mrc_suspect_alone_test),
	KUNIT_CASE(mrc_suspect_hole_test),
	KUNIT_CASE(mrc_suspect_not_missing_test),
	KUNIT_CASE(mrc_suspect_single_test),
	KUNIT_CASE(mrc_suspect_age_test),
	KUNIT_CASE(mrc_suspect_crowd_test),
	{}
};

static struct kunit_suite mrc_suspect_suite = {
	.name		= "mrc_suspect",
	.test_cases	= mrc_suspect_cases,
};

kunit_test_suite(mrc_suspect_suite);
