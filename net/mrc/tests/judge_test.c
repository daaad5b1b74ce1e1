// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the rules by which paths are judged, from both sides: what must stay
 * in use stays, what must leave leaves. Losses are drawn by a generator with
 * fixed seeds, so that a run is like the other.
 */
#include <kunit/test.h>
#include <linux/kernel.h>

#include "../judge.h"

#define PATHS_MAX	256

/* xorshift32; never 0 */
static u32 draw(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* true with a probability of @ppm / 1,000,000 */
static bool draw_loss(u32 *state, u32 ppm)
{
	return (u64)draw(state) * 1000000 >> 32 < ppm;
}

/* Losses of paths that packets take in turn */
struct world {
	u64 sent[PATHS_MAX], lost[PATHS_MAX];
	u64 all_sent, all_lost;
	u32 rnd;
};

static struct world *world_make(struct kunit *test, u32 seed)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->rnd = seed * 0x9e3779b9 ?: 1;
	return w;
}

/* A packet on @path. Return: is it lost, and does that take the path out? */
static bool world_leaves(struct world *w, unsigned int path, u32 ppm,
			 bool *lost)
{
	w->sent[path]++;
	w->all_sent++;
	*lost = draw_loss(&w->rnd, ppm);
	if (!*lost)
		return false;
	w->lost[path]++;
	w->all_lost++;
	return !mrc_judge_spread(w->sent[path], w->lost[path], w->all_sent,
				 w->all_lost);
}

struct uniform {
	unsigned int paths;
	u32 ppm;
};

static const struct uniform uniforms[] = {
	{ 4, 1000 }, { 4, 10000 }, { 4, 50000 },
	{ 16, 1000 }, { 16, 10000 }, { 16, 50000 },
	{ 64, 1000 }, { 64, 10000 }, { 64, 50000 },
	{ 256, 1000 }, { 256, 10000 }, { 256, 50000 },
};

static void uniform_name(const struct uniform *u, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u paths, %u ppm", u->paths,
		 u->ppm);
}

KUNIT_ARRAY_PARAM(uniform, uniforms, uniform_name);

/*
 * The same loss everywhere, 20 losses per path: hardly any takes its path out
 * (and then for one round trip), one in a hundred and some at the beginning,
 * and only paths that have lost few.
 */
static void mrc_judge_uniform_test(struct kunit *test)
{
	const struct uniform *u = test->param_value;
	u64 i, n = 20ULL * u->paths * 1000000;
	unsigned int outs = 0, late = 0;
	struct world *w;
	bool lost;

	w = world_make(test, u->paths * 7 + u->ppm);
	for (i = 0; i * u->ppm < n; i++) {
		unsigned int path = i % u->paths;

		if (!world_leaves(w, path, u->ppm, &lost))
			continue;
		outs++;
		late += w->lost[path] > 12;
	}
	kunit_info(test, "%llu losses, %u took their path out", w->all_lost,
		   outs);
	KUNIT_EXPECT_GT(test, w->all_lost, 10ULL * u->paths);
	KUNIT_EXPECT_LE(test, outs, 8 + w->all_lost / 100);
	KUNIT_EXPECT_EQ(test, late, 0U);
}

struct outlier {
	unsigned int paths;
	u32 others;
};

static const struct outlier outliers[] = {
	{ 4, 0 }, { 16, 0 }, { 64, 0 }, { 256, 0 },
	{ 4, 10000 }, { 16, 10000 }, { 64, 10000 }, { 256, 10000 },
};

static void outlier_name(const struct outlier *o, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u paths, others %u ppm",
		 o->paths, o->others);
}

KUNIT_ARRAY_PARAM(outlier, outliers, outlier_name);

/* One path that loses a fifth: out with its first loss if the others lose
 * nothing, with its second if they lose 1 %. Return: losses until then.
 */
static unsigned int outlier_out(struct kunit *test, const struct outlier *o,
				u32 seed)
{
	struct world *w = world_make(test, seed);
	unsigned int path, n;
	bool lost;

	/* what the window knows of the others */
	for (n = 0; n < 1000; n++)
		for (path = 1; path < o->paths; path++)
			world_leaves(w, path, o->others, &lost);
	for (n = 0; n < 10000; n++)
		if (world_leaves(w, 0, 200000, &lost))
			break;
	n = w->lost[0];
	kunit_kfree(test, w);
	return n;
}

static void mrc_judge_outlier_test(struct kunit *test)
{
	const struct outlier *o = test->param_value;
	unsigned int seed, n, second = 0;

	for (seed = 1; seed <= 200; seed++) {
		n = outlier_out(test, o, seed);
		KUNIT_EXPECT_LE(test, n, o->others ? 4U : 1U);
		second += n <= 2;
	}
	/* 1 - 0.8^33 - 33 * 0.2 * 0.8^32 = 99 % */
	KUNIT_EXPECT_GE(test, second, 194U);
}

static void mrc_judge_spread_edges_test(struct kunit *test)
{
	/* nobody to compare with */
	KUNIT_EXPECT_FALSE(test, mrc_judge_spread(100, 1, 100, 1));
	KUNIT_EXPECT_FALSE(test, mrc_judge_spread(0, 0, 0, 0));
	KUNIT_EXPECT_FALSE(test, mrc_judge_spread(100, 1, 400, 2));
	KUNIT_EXPECT_TRUE(test, mrc_judge_spread(100, 1, 400, 3));
	/* r = 3/300: 1 <= 0.03 sent */
	KUNIT_EXPECT_FALSE(test, mrc_judge_spread(33, 2, 333, 5));
	KUNIT_EXPECT_TRUE(test, mrc_judge_spread(34, 2, 334, 5));
	/* counts that contradict each other for a moment */
	KUNIT_EXPECT_FALSE(test, mrc_judge_spread(100, 5, 90, 4));
	/* ten times what 32 planes of 400 Gb/s send in a window */
	KUNIT_EXPECT_TRUE(test, mrc_judge_spread(1ULL << 24, 1 << 18,
						 1ULL << 29, 1 << 23));
}

static void mrc_judge_window_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mrc_judge_window(100, 20, 0), 20ULL);
	KUNIT_EXPECT_EQ(test, mrc_judge_window(100, 20, 1), 60ULL);
	KUNIT_EXPECT_EQ(test, mrc_judge_window(100, 20, 3), 90ULL);
	KUNIT_EXPECT_EQ(test, mrc_judge_window(100, 20, 63), 100ULL);
}

/*
 * A path that loses a fifth, probed for @ms ms with a round trip of 20 us and
 * a time-out of 1 ms; it leaves again with its second loss.
 * Return: how often it was let in after it had reached the last level.
 */
static unsigned int lossy_path(u32 seed, u64 ms, u64 *probes)
{
	unsigned int level = 0, run = 0, fails = 0, in = 0;
	u32 rnd = seed;
	u64 t = 0;

	while (t < ms * NSEC_PER_MSEC) {
		++*probes;
		if (draw_loss(&rnd, 200000)) {
			t += mrc_judge_interval(NSEC_PER_MSEC, fails, 1,
						false);
			if (run)
				t += level * MRC_PROBE_PAUSE_NS;
			run = 0;
			fails++;
			continue;
		}
		fails = 0;
		t += 20 * NSEC_PER_USEC + MRC_PROBE_PACE_NS;
		if (++run < mrc_judge_need(level))
			continue;
		in += level == MRC_LEVEL_MAX;
		level = mrc_judge_level(level, true, 10);
		run = 0;
	}
	return in;
}

/* It stays out: in a second it is let in once at most, on average less. */
static void mrc_judge_lossy_stays_out_test(struct kunit *test)
{
	unsigned int seed, in, all = 0;
	u64 probes = 0;

	for (seed = 1; seed <= 20; seed++) {
		in = lossy_path(seed, 1000, &probes);
		all += in;
		KUNIT_EXPECT_LE(test, in, 2U);
	}
	kunit_info(test, "let in %u times in 20 s, %llu probes", all, probes);
	KUNIT_EXPECT_LE(test, all, 10U);
	/* 2,000 a second at most, as MRC_PROBE_SHARE_NS says, and some more
	 * while it answers
	 */
	KUNIT_EXPECT_LE(test, probes, 20 * 3000ULL);
}

/* From the repair on: one time-out, the pause, the run. */
static void mrc_judge_repaired_test(struct kunit *test)
{
	u64 t = mrc_judge_interval(NSEC_PER_MSEC, 0, 1, false) +
		MRC_LEVEL_MAX * MRC_PROBE_PAUSE_NS +
		mrc_judge_need(MRC_LEVEL_MAX) *
		(20 * NSEC_PER_USEC + MRC_PROBE_PACE_NS);

	KUNIT_EXPECT_LE(test, t, 10 * NSEC_PER_MSEC);
	/* a dead one, however long it was dead, alone or with 19 others */
	t = mrc_judge_interval(NSEC_PER_MSEC, 255, 1, false) +
	    20 * NSEC_PER_USEC;
	KUNIT_EXPECT_LE(test, t, 5 * NSEC_PER_MSEC);
	t = mrc_judge_interval(NSEC_PER_MSEC, 255, 20, false);
	KUNIT_EXPECT_EQ(test, t, 10 * NSEC_PER_MSEC);
}

static void mrc_judge_level_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mrc_judge_need(0), 1U);
	KUNIT_EXPECT_EQ(test, mrc_judge_need(3), 32U);
	KUNIT_EXPECT_EQ(test, mrc_judge_need(200), 32U);
	/* the first time, or brought back by a late arrival */
	KUNIT_EXPECT_EQ(test, mrc_judge_level(0, false, 10), 0U);
	KUNIT_EXPECT_EQ(test, mrc_judge_level(0, true, 999), 1U);
	KUNIT_EXPECT_EQ(test, mrc_judge_level(2, true, 0), 3U);
	KUNIT_EXPECT_EQ(test, mrc_judge_level(3, true, 0), 3U);
	KUNIT_EXPECT_EQ(test, mrc_judge_level(3, true, 1000), 0U);
}

static void mrc_judge_holes_test(struct kunit *test)
{
	/* a stray loss, however early */
	KUNIT_EXPECT_FALSE(test, mrc_judge_holes(0, 0));
	KUNIT_EXPECT_FALSE(test, mrc_judge_holes(1, 0));
	/* two of one burst, or of the next */
	KUNIT_EXPECT_TRUE(test, mrc_judge_holes(2, 0));
	KUNIT_EXPECT_TRUE(test, mrc_judge_holes(2, 31));
	KUNIT_EXPECT_FALSE(test, mrc_judge_holes(2, 32));
	KUNIT_EXPECT_FALSE(test, mrc_judge_holes(1000, 1000));
}

static void mrc_judge_interval_test(struct kunit *test)
{
	const u64 ms = NSEC_PER_MSEC;

	KUNIT_EXPECT_EQ(test, mrc_judge_interval(ms, 0, 1, false), ms);
	KUNIT_EXPECT_EQ(test, mrc_judge_interval(ms, 1, 1, false), 2 * ms);
	KUNIT_EXPECT_EQ(test, mrc_judge_interval(ms, 9, 1, false), 4 * ms);
	KUNIT_EXPECT_EQ(test, mrc_judge_interval(ms, 9, 1000, false), 32 * ms);
	KUNIT_EXPECT_EQ(test, mrc_judge_interval(ms, 99, 1, true), 1000 * ms);
	/* a long way: not more than one probe is out */
	KUNIT_EXPECT_EQ(test, mrc_judge_interval(300 * ms, 9, 1, false),
			1200 * ms);
}

static void mrc_judge_rev_test(struct kunit *test)
{
	const u64 rtt = 20000;

	KUNIT_EXPECT_TRUE(test, mrc_judge_rev_due(400, rtt, rtt));
	KUNIT_EXPECT_FALSE(test, mrc_judge_rev_due(399, rtt, rtt));
	KUNIT_EXPECT_FALSE(test, mrc_judge_rev_due(1000000, rtt - 1, rtt));
	KUNIT_EXPECT_TRUE(test, mrc_judge_rev_due(400, 0, 0));
	KUNIT_EXPECT_FALSE(test, mrc_judge_rev_due(1, NSEC_PER_SEC - 1, rtt));
	KUNIT_EXPECT_TRUE(test, mrc_judge_rev_due(1, NSEC_PER_SEC, rtt));
}

static struct kunit_case mrc_judge_cases[] = {
	KUNIT_CASE_PARAM(mrc_judge_uniform_test, uniform_gen_params),
	KUNIT_CASE_PARAM(mrc_judge_outlier_test, outlier_gen_params),
	KUNIT_CASE(mrc_judge_spread_edges_test),
	KUNIT_CASE(mrc_judge_window_test),
	KUNIT_CASE(mrc_judge_lossy_stays_out_test),
	KUNIT_CASE(mrc_judge_repaired_test),
	KUNIT_CASE(mrc_judge_level_test),
	KUNIT_CASE(mrc_judge_holes_test),
	KUNIT_CASE(mrc_judge_interval_test),
	KUNIT_CASE(mrc_judge_rev_test),
	{}
};

static struct kunit_suite mrc_judge_suite = {
	.name = "mrc_judge",
	.test_cases = mrc_judge_cases,
};

kunit_test_suite(mrc_judge_suite);

MODULE_DESCRIPTION("KUnit tests of the rules about paths");
MODULE_LICENSE("GPL");
