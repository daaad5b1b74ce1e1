// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: entropy values: sharing, states, backups, and the rotation.
 */
#include <kunit/test.h>

#include "../ev.h"

#define PLANES	4

/* A plane of @n EVs, the first @active of them in the working set. */
static struct mrc_ev_plane *plane_make(struct kunit *test, unsigned int n,
				       unsigned int active)
{
	struct mrc_ev_plane *evp = kunit_kzalloc(test, sizeof(*evp),
						 GFP_KERNEL);
	void *mem = kunit_kzalloc(test, mrc_ev_plane_size(n), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, evp);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	mrc_ev_plane_init(evp, 1, n, mem);
	evp->n_active = active;
	for (i = 0; i < n; i++)
		evp->ev[i].path = i;
	for (i = 0; i < active; i++)
		mrc_ev_set_active(evp, i, true);
	return evp;
}

/* What must hold after any change. */
static void plane_check(struct kunit *test, const struct mrc_ev_plane *evp)
{
	unsigned int i, good = 0;

	for (i = 0; i < evp->n; i++) {
		bool usable = test_bit(i, evp->active) &&
			      !test_bit(i, evp->bad) &&
			      !test_bit(i, evp->denied);

		KUNIT_ASSERT_EQ(test, test_bit(i, evp->good), usable);
		if (!usable)
			continue;
		good++;
		KUNIT_ASSERT_LT(test, evp->pos[i], evp->n_good);
		KUNIT_ASSERT_EQ(test, evp->act[evp->pos[i]], i);
	}
	KUNIT_ASSERT_EQ(test, evp->n_good, good);
}

static int turn(struct mrc_rotor *r, const struct mrc_ev_plane *evp)
{
	struct mrc_ev_turn t = { .skipped = -1 };

	return mrc_rotor_ev(r, 0, evp, &t);
}

/* ---- paths of a template ------------------------------------------------- */

static void mrc_path_set_test(struct kunit *test)
{
	static const u32 totals[] = { 1, 2, 3, 4, 6, 32, 64, 97, 1000, 32767 };
	struct mrc_path_set set;
	unsigned int c, i, seed;
	unsigned long *seen;
	u32 k;

	seen = kunit_kzalloc(test, BITS_TO_LONGS(32768) * sizeof(long),
			     GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	for (c = 0; c < ARRAY_SIZE(totals); c++) {
		for (seed = 1; seed < 20; seed++) {
			mrc_path_set_init(&set, totals[c], 1, seed * 2654435761);
			bitmap_zero(seen, 32768);
			for (i = 0; i < totals[c]; i++) {
				k = mrc_path_set_k(&set, i);
				KUNIT_ASSERT_LT(test, k, totals[c]);
				KUNIT_ASSERT_FALSE(test,
						   __test_and_set_bit(k, seen));
				KUNIT_ASSERT_EQ(test, i,
						mrc_path_set_index(&set, k));
			}
			KUNIT_EXPECT_EQ(test, mrc_path_set_index(&set, i),
					U32_MAX);
		}
	}
}

/* All paths in use: path i is number i. Fewer: senders differ in their choice
 * and each number is chosen by some.
 */
static void mrc_path_set_choice_test(struct kunit *test)
{
	unsigned int i, seed, used[32] = {}, same = 0;
	struct mrc_path_set set;

	mrc_path_set_init(&set, 32, 32, 12345);
	for (i = 0; i < 32; i++)
		KUNIT_EXPECT_EQ(test, mrc_path_set_k(&set, i), i);
	for (seed = 1; seed <= 400; seed++) {
		mrc_path_set_init(&set, 32, 8, mrc_ev_mix(seed));
		for (i = 0; i < 8; i++)
			used[mrc_path_set_k(&set, i)]++;
		same += mrc_path_set_k(&set, 0) == 0;
	}
	for (i = 0; i < 32; i++) {
		KUNIT_EXPECT_GT(test, used[i], 50U);
		KUNIT_EXPECT_LT(test, used[i], 150U);
	}
	KUNIT_EXPECT_LT(test, same, 40U);
}

/* ---- tables -------------------------------------------------------------- */

static void mrc_ev_share_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mrc_ev_share(256, 4), 64U);
	KUNIT_EXPECT_EQ(test, mrc_ev_share(256, 3), 85U);
	KUNIT_EXPECT_EQ(test, mrc_ev_share(2, 4), 1U);
	KUNIT_EXPECT_EQ(test, mrc_ev_share(0, 1), 1U);
	KUNIT_EXPECT_EQ(test, mrc_ev_share(5000, 1),
			(unsigned int)MRC_EVS_PER_PLANE_MAX);
}

static void mrc_ev_range_test(struct kunit *test)
{
	static const u16 cases[][2] = {
		{ 64, 1 }, { 64, 4 }, { 64, 5 }, { 64, 63 }, { 64, 64 },
		{ 1, 1 }, { 1024, 1000 },
	};
	unsigned int c, i, next;
	u16 first, count, n, paths;

	for (c = 0; c < ARRAY_SIZE(cases); c++) {
		n = cases[c][0];
		paths = cases[c][1];
		for (i = 0, next = 0; i < paths; i++) {
			mrc_ev_range(n, paths, i, &first, &count);
			KUNIT_EXPECT_EQ(test, first, next);
			KUNIT_EXPECT_GE(test, count, n / paths);
			KUNIT_EXPECT_LE(test, count, n / paths + 1);
			next = first + count;
		}
		KUNIT_EXPECT_EQ(test, next, n);
	}
}

/* ---- states -------------------------------------------------------------- */

static void mrc_ev_states_test(struct kunit *test)
{
	struct mrc_ev_plane *evp = plane_make(test, 70, 70);

	plane_check(test, evp);
	KUNIT_EXPECT_EQ(test, evp->n_good, 70);
	KUNIT_EXPECT_EQ(test, mrc_ev_get_state(evp, 66), MRC_EV_GOOD);

	mrc_ev_set_bad(evp, 60, 10, true);
	plane_check(test, evp);
	KUNIT_EXPECT_EQ(test, evp->n_good, 60);
	KUNIT_EXPECT_EQ(test, mrc_ev_get_state(evp, 66), MRC_EV_ASSUMED_BAD);
	KUNIT_EXPECT_EQ(test, mrc_ev_count_good(evp, 55, 10), 5U);

	/* the administrator's word stands whatever probes say */
	mrc_ev_set_denied(evp, 65, 2, true);
	mrc_ev_set_bad(evp, 60, 10, false);
	plane_check(test, evp);
	KUNIT_EXPECT_EQ(test, evp->n_good, 68);
	KUNIT_EXPECT_EQ(test, mrc_ev_get_state(evp, 66), MRC_EV_DENIED);
	mrc_ev_set_denied(evp, 65, 2, false);
	plane_check(test, evp);
	KUNIT_EXPECT_EQ(test, evp->n_good, 70);
	KUNIT_EXPECT_EQ(test, mrc_ev_get_state(evp, 66), MRC_EV_GOOD);

	/* a skip does not outlive the state it belongs to */
	set_bit(3, evp->skip);
	KUNIT_EXPECT_EQ(test, mrc_ev_get_state(evp, 3), MRC_EV_SKIP);
	mrc_ev_set_bad(evp, 3, 1, true);
	mrc_ev_set_bad(evp, 3, 1, false);
	KUNIT_EXPECT_EQ(test, mrc_ev_get_state(evp, 3), MRC_EV_GOOD);
}

static void mrc_ev_random_changes_test(struct kunit *test)
{
	struct mrc_ev_plane *evp = plane_make(test, 90, 70);
	u32 x = 7;
	int i;

	for (i = 0; i < 2000; i++) {
		x = mrc_ev_mix(x + i);
		if (x & 1)
			mrc_ev_set_bad(evp, (x >> 8) % 80, (x >> 4) % 10,
				       x & 2);
		else
			mrc_ev_set_denied(evp, (x >> 8) % 80, (x >> 4) % 10,
					  x & 2);
		if (x & 8)
			mrc_ev_refill(evp);
		plane_check(test, evp);
		KUNIT_ASSERT_EQ(test, bitmap_weight(evp->active, 90), 70);
	}
}

static void mrc_ev_floor_test(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, mrc_ev_may_leave(10, 2, 8));
	KUNIT_EXPECT_FALSE(test, mrc_ev_may_leave(10, 3, 8));
	KUNIT_EXPECT_TRUE(test, mrc_ev_may_leave(10, 10, 0));
	KUNIT_EXPECT_FALSE(test, mrc_ev_may_leave(10, 10, 1));
	KUNIT_EXPECT_FALSE(test, mrc_ev_may_leave(1, 2, 0));
}

/* ---- backups ------------------------------------------------------------- */

static void mrc_ev_replace_test(struct kunit *test)
{
	struct mrc_ev_plane *evp = plane_make(test, 10, 8);

	/* a backup that is bad itself will not do */
	mrc_ev_set_bad(evp, 8, 1, true);
	mrc_ev_set_bad(evp, 2, 1, true);
	KUNIT_EXPECT_EQ(test, evp->n_good, 7);
	KUNIT_EXPECT_EQ(test, mrc_ev_replace(evp, 2), 9);
	KUNIT_EXPECT_EQ(test, evp->n_good, 8);
	plane_check(test, evp);

	/* no backup left: the place is kept */
	mrc_ev_set_bad(evp, 3, 1, true);
	KUNIT_EXPECT_EQ(test, mrc_ev_replace(evp, 3), -1);
	KUNIT_EXPECT_TRUE(test, test_bit(3, evp->active));
	KUNIT_EXPECT_EQ(test, evp->n_good, 7);

	/* one that is good again is a backup now, and is used */
	mrc_ev_set_bad(evp, 2, 1, false);
	KUNIT_EXPECT_EQ(test, evp->n_good, 7);
	mrc_ev_refill(evp);
	plane_check(test, evp);
	KUNIT_EXPECT_EQ(test, evp->n_good, 8);
	KUNIT_EXPECT_TRUE(test, test_bit(2, evp->good));
	KUNIT_EXPECT_FALSE(test, test_bit(3, evp->active));

	/* not in the working set: nothing to replace */
	KUNIT_EXPECT_EQ(test, mrc_ev_replace(evp, 3), -1);
}

/* ---- rotation inside a plane --------------------------------------------- */

/* Each usable EV once a round, and the order drawn anew. */
static void mrc_rotor_round_test(struct kunit *test)
{
	static const u16 sizes[] = { 1, 2, 3, 5, 8, 32, 64, 100, 1024 };
	unsigned int c, n, i, round, slot, same, *order, *seen;
	struct mrc_ev_plane *evp;
	struct mrc_rotor r;

	order = kunit_kzalloc(test, 1024 * sizeof(*order), GFP_KERNEL);
	seen = kunit_kzalloc(test, 1024 * sizeof(*seen), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, order);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	for (c = 0; c < ARRAY_SIZE(sizes); c++) {
		n = sizes[c];
		evp = plane_make(test, n, n);
		mrc_rotor_seed(&r, 42);
		memset(seen, 0, 1024 * sizeof(*seen));
		for (round = 1; round <= 8; round++) {
			for (i = 0, same = 0; i < n; i++) {
				slot = turn(&r, evp);
				KUNIT_ASSERT_LT(test, slot, n);
				KUNIT_ASSERT_EQ(test, ++seen[slot], round);
				same += order[i] == slot;
				order[i] = slot;
			}
			if (round > 1 && n >= 32)
				KUNIT_EXPECT_LT(test, same, n / 2);
		}
	}
}

/* Two connections do not go in step. */
static void mrc_rotor_seeds_test(struct kunit *test)
{
	struct mrc_ev_plane *evp = plane_make(test, 64, 64);
	struct mrc_rotor a, b;
	int i, same = 0;

	mrc_rotor_seed(&a, 1);
	mrc_rotor_seed(&b, 2);
	for (i = 0; i < 640; i++)
		same += turn(&a, evp) == turn(&b, evp);
	KUNIT_EXPECT_LT(test, same, 100);
	mrc_rotor_seed(&a, 0);
	KUNIT_EXPECT_NE(test, a.rnd, 0U);
}

/* A path that left (8 EVs in a row) leaves its load to all others alike. */
static void mrc_rotor_even_test(struct kunit *test)
{
	struct mrc_ev_plane *evp = plane_make(test, 32, 32);
	unsigned int i, per_path[4] = {};
	struct mrc_rotor r;

	mrc_ev_set_bad(evp, 8, 8, true);
	mrc_rotor_seed(&r, 99);
	for (i = 0; i < 2400; i++)
		per_path[turn(&r, evp) / 8]++;
	KUNIT_EXPECT_EQ(test, per_path[0], 800U);
	KUNIT_EXPECT_EQ(test, per_path[1], 0U);
	KUNIT_EXPECT_EQ(test, per_path[2], 800U);
	KUNIT_EXPECT_EQ(test, per_path[3], 800U);

	mrc_ev_set_bad(evp, 0, 32, true);
	KUNIT_EXPECT_EQ(test, turn(&r, evp), -1);
}

/* SKIP: loses one turn, no more; the others get theirs. */
static void mrc_rotor_skip_test(struct kunit *test)
{
	struct mrc_ev_plane *evp = plane_make(test, 16, 16);
	unsigned int i, seen[16] = {};
	struct mrc_rotor r;

	mrc_rotor_seed(&r, 5);
	set_bit(4, evp->skip);
	set_bit(9, evp->skip);
	for (i = 0; i < 14; i++)
		seen[turn(&r, evp)]++;
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, seen[i], i == 4 || i == 9 ? 0U : 1U);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(evp->skip, 16));
	for (i = 0; i < 16; i++)
		seen[turn(&r, evp)]++;
	KUNIT_EXPECT_EQ(test, seen[4], 1U);
	KUNIT_EXPECT_EQ(test, seen[9], 1U);
}

/* The other EVs of a path that is skipped will not do instead of it. */
static void mrc_rotor_skip_path_test(struct kunit *test)
{
	struct mrc_ev_plane *evp = plane_make(test, 16, 16);
	unsigned int i, none = 0, other = 0;
	struct mrc_rotor r;
	int slot;

	for (i = 0; i < 16; i++)
		evp->ev[i].path = 7;
	mrc_rotor_seed(&r, 5);
	set_bit(4, evp->skip);
	set_bit(9, evp->skip);
	for (i = 0; i < 16; i++)
		none += turn(&r, evp) < 0;
	KUNIT_EXPECT_GE(test, none, 1U);
	KUNIT_EXPECT_LE(test, none, 2U);

	for (i = 8; i < 16; i++)
		evp->ev[i].path = 8;
	for (i = 0; i < 64; i++) {
		bitmap_set(evp->skip, 0, 8);
		slot = turn(&r, evp);
		KUNIT_EXPECT_GE(test, slot, 8);
		other += slot >= 8;
	}
	KUNIT_EXPECT_EQ(test, other, 64U);
}

/* Each mark costs the path a turn while it has any, and no other path. */
static void mrc_ev_lose_turn_test(struct kunit *test)
{
	struct mrc_ev_plane *evp = plane_make(test, 256, 256);
	unsigned int i;

	/* what the path does not have, up to the end of the table */
	mrc_ev_lose_turn(evp, 64, 100, 63);
	mrc_ev_lose_turn(evp, 64, 100, 164);
	mrc_ev_lose_turn(evp, 64, 100, 255);
	KUNIT_EXPECT_TRUE(test, bitmap_empty(evp->skip, 256));

	clear_bit(150, evp->good);
	mrc_ev_lose_turn(evp, 64, 100, 149);
	KUNIT_EXPECT_TRUE(test, test_bit(149, evp->skip));
	mrc_ev_lose_turn(evp, 64, 100, 149);
	KUNIT_EXPECT_TRUE(test, test_bit(151, evp->skip));
	for (i = 3; i <= 200; i++) {
		mrc_ev_lose_turn(evp, 64, 100, i % 2 ? 163 : 64);
		KUNIT_EXPECT_EQ(test, bitmap_weight(evp->skip, 256),
				min(i, 99U));
	}
	KUNIT_EXPECT_EQ(test, find_first_bit(evp->skip, 256), 64);
	KUNIT_EXPECT_EQ(test, find_next_zero_bit(evp->skip, 256, 64), 150);
	KUNIT_EXPECT_EQ(test, find_next_zero_bit(evp->skip, 256, 151), 164);
}

/* At most one is given back per pick; with all skipped none is chosen. */
static void mrc_rotor_skip_all_test(struct kunit *test)
{
	struct mrc_ev_plane *evp = plane_make(test, 8, 8);
	struct mrc_ev_turn t;
	struct mrc_rotor r;
	int i;

	mrc_rotor_seed(&r, 5);
	bitmap_fill(evp->skip, 8);
	for (i = 7; i >= 0; i--) {
		t = (struct mrc_ev_turn) { .skipped = -1 };
		if (i == 7)
			KUNIT_EXPECT_EQ(test, mrc_rotor_ev(&r, 0, evp, &t), -1);
		else
			mrc_rotor_ev(&r, 0, evp, &t);
		KUNIT_EXPECT_LE(test, bitmap_weight(evp->skip, 8), 7);
		if (i == 7) {
			KUNIT_EXPECT_TRUE(test, t.restored);
			KUNIT_EXPECT_GE(test, t.skipped, 0);
			KUNIT_EXPECT_EQ(test, bitmap_weight(evp->skip, 8), 7);
			KUNIT_EXPECT_FALSE(test, test_bit(t.skipped, evp->skip));
		}
	}
	/* a second plane of the same pick gives none back */
	bitmap_fill(evp->skip, 8);
	t = (struct mrc_ev_turn) { .restored = true, .skipped = -1 };
	KUNIT_EXPECT_EQ(test, mrc_rotor_ev(&r, 0, evp, &t), -1);
	KUNIT_EXPECT_TRUE(test, bitmap_full(evp->skip, 8));
}

/* ---- shares of the planes ------------------------------------------------ */

/* Burst sizes that a naive rotation falls for, and random ones. */
static unsigned int burst_size(unsigned int pattern, unsigned int i, u32 *x)
{
	switch (pattern) {
	case 0:
		return 1;
	case 1:
		return i & 1 ? 15 : 1;
	case 2:
		return i % 4 ? 1 : 15;
	default:
		*x = mrc_ev_mix(*x + i);
		return 1 + *x % 15;
	}
}

static void mrc_rotor_shares_test(struct kunit *test)
{
	unsigned int pattern, i, j, n, p, *sent, window[PLANES];
	u8 *log = kunit_kzalloc(test, 65536, GFP_KERNEL);
	struct mrc_rotor r;
	u32 x = 3;

	KUNIT_ASSERT_NOT_NULL(test, log);
	for (pattern = 0; pattern < 4; pattern++) {
		mrc_rotor_seed(&r, 17 + pattern);
		mrc_rotor_sync(&r, 1);
		for (i = 0, n = 0; n < 60000; i++) {
			unsigned int size = burst_size(pattern, i, &x);

			p = mrc_rotor_plane(&r, PLANES, 0);
			mrc_rotor_take(&r, PLANES, p);
			mrc_rotor_charge(&r, size);
			memset(log + n, p, size);
			n += size;
		}
		sent = window;
		memset(window, 0, sizeof(window));
		for (i = 0; i < n; i++) {
			window[log[i]]++;
			if (i >= 1000)
				window[log[i - 1000]]--;
			if (i < 999)
				continue;
			for (j = 0; j < PLANES; j++) {
				KUNIT_ASSERT_GE(test, sent[j], 225U);
				KUNIT_ASSERT_LE(test, sent[j], 275U);
			}
		}
	}
}

/* Single packets visit the planes in turn. */
static void mrc_rotor_turns_test(struct kunit *test)
{
	unsigned int i, p, last = 0;
	struct mrc_rotor r;

	mrc_rotor_seed(&r, 3);
	mrc_rotor_sync(&r, 1);
	for (i = 0; i < 100; i++) {
		p = mrc_rotor_plane(&r, PLANES, 0);
		if (i)
			KUNIT_EXPECT_EQ(test, p, (last + 1) % PLANES);
		mrc_rotor_take(&r, PLANES, p);
		last = p;
	}
	KUNIT_EXPECT_EQ(test, mrc_rotor_plane(&r, PLANES, 0xf), -1);
}

/* A plane that was away does not get back what it missed. */
static void mrc_rotor_lag_test(struct kunit *test)
{
	unsigned int i, p, first = 0, run = 0;
	struct mrc_rotor r;

	mrc_rotor_seed(&r, 3);
	for (i = 0; i < 5000; i++) {
		p = mrc_rotor_plane(&r, PLANES, BIT(2));
		KUNIT_ASSERT_NE(test, p, 2U);
		mrc_rotor_take(&r, PLANES, p);
		mrc_rotor_charge(&r, 15);
	}
	for (i = 0; i < 200; i++) {
		p = mrc_rotor_plane(&r, PLANES, 0);
		mrc_rotor_take(&r, PLANES, p);
		if (p == 2 && run == i)
			run++;
		first += p == 2;
	}
	KUNIT_EXPECT_LE(test, run, MRC_ROTOR_LAG + 15U);
	KUNIT_EXPECT_GE(test, run, 1U);
	KUNIT_EXPECT_LE(test, first, 200U / PLANES + MRC_ROTOR_LAG + 15);
}

/* A pick that was not used is not charged. */
static void mrc_rotor_unused_test(struct kunit *test)
{
	struct mrc_rotor r;
	int p, q;

	mrc_rotor_seed(&r, 3);
	p = mrc_rotor_plane(&r, 2, 0);
	mrc_rotor_take(&r, 2, p);
	KUNIT_EXPECT_EQ(test, r.debt[p], 1);
	mrc_rotor_charge(&r, 0);
	KUNIT_EXPECT_EQ(test, r.debt[p], 0);
	q = mrc_rotor_plane(&r, 2, 0);
	mrc_rotor_take(&r, 2, q);
	mrc_rotor_charge(&r, 15);
	KUNIT_EXPECT_EQ(test, r.debt[q], 15);
	KUNIT_EXPECT_EQ(test, mrc_rotor_plane(&r, 2, 0), 1 - q);
}

/* A plane that loses a turn does not get it back at the next. */
static void mrc_rotor_pass_test(struct kunit *test)
{
	unsigned int i, p, turns = 0, sent[PLANES] = {};
	struct mrc_rotor r;

	mrc_rotor_seed(&r, 3);
	for (i = 0; i < 4000; i++) {
		p = mrc_rotor_plane(&r, PLANES, 0);
		/* each other turn of plane 2 */
		if (p == 2 && turns++ % 2) {
			p = mrc_rotor_plane(&r, PLANES, BIT(2));
			mrc_rotor_pass(&r, BIT(2));
		} else {
			mrc_rotor_pass(&r, 0);
		}
		mrc_rotor_take(&r, PLANES, p);
		mrc_rotor_charge(&r, 15);
		sent[p] += 15;
	}
	KUNIT_EXPECT_LT(test, sent[2], 60000U * 2 / (3 * PLANES));
	KUNIT_EXPECT_GT(test, sent[2], 60000U / (4 * PLANES));
	for (i = 0; i < PLANES; i++)
		KUNIT_EXPECT_LE(test, r.debt[i], 60);
}

/* Another table: old debts mean nothing; the same one: they stay. */
static void mrc_rotor_sync_test(struct kunit *test)
{
	struct mrc_rotor r;

	mrc_rotor_seed(&r, 3);
	mrc_rotor_sync(&r, 7);
	mrc_rotor_take(&r, PLANES, 1);
	mrc_rotor_charge(&r, 9);
	mrc_rotor_sync(&r, 7);
	KUNIT_EXPECT_EQ(test, r.debt[1], 9);
	mrc_rotor_sync(&r, 8);
	KUNIT_EXPECT_EQ(test, r.debt[1], 0);
}

static struct kunit_case mrc_ev_cases[] = {
	KUNIT_CASE(mrc_path_set_test),
	KUNIT_CASE(mrc_path_set_choice_test),
	KUNIT_CASE(mrc_ev_share_test),
	KUNIT_CASE(mrc_ev_range_test),
	KUNIT_CASE(mrc_ev_states_test),
	KUNIT_CASE(mrc_ev_random_changes_test),
	KUNIT_CASE(mrc_ev_floor_test),
	KUNIT_CASE(mrc_ev_replace_test),
	KUNIT_CASE(mrc_rotor_round_test),
	KUNIT_CASE(mrc_rotor_seeds_test),
	KUNIT_CASE(mrc_rotor_even_test),
	KUNIT_CASE(mrc_rotor_skip_test),
	KUNIT_CASE(mrc_rotor_skip_path_test),
	KUNIT_CASE(mrc_ev_lose_turn_test),
	KUNIT_CASE(mrc_rotor_skip_all_test),
	KUNIT_CASE(mrc_rotor_shares_test),
	KUNIT_CASE(mrc_rotor_turns_test),
	KUNIT_CASE(mrc_rotor_lag_test),
	KUNIT_CASE(mrc_rotor_unused_test),
	KUNIT_CASE(mrc_rotor_pass_test),
	KUNIT_CASE(mrc_rotor_sync_test),
	{}
};

static struct kunit_suite mrc_ev_suite = {
	.name = "mrc_ev",
	.test_cases = mrc_ev_cases,
};

kunit_test_suite(mrc_ev_suite);
