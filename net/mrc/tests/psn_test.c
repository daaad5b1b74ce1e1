// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of PSN arithmetic and of the receive bitmap, above all where 24
 * bits wrap and where the ring of words does.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "../psn.h"

/* A 64-bit counter whose 24 bits on the wire are about to wrap. */
#define NEAR_WRAP	(MRC_PSN_LAP + 0xffffc0ULL)

struct sub_case {
	const char *name;
	u32 a;
	u32 b;
	s32 dist;
};

static const struct sub_case sub_cases[] = {
	{ "equal", 5, 5, 0 },
	{ "one up", 6, 5, 1 },
	{ "one down", 5, 6, -1 },
	{ "zero to zero", 0, 0, 0 },
	{ "up over the wrap", 0x000001, 0xffffff, 2 },
	{ "down over the wrap", 0xffffff, 0x000001, -2 },
	{ "just below half a lap", 0x7fffff, 0, 0x7fffff },
	{ "half a lap counts as before", 0x800000, 0, -0x800000 },
	{ "just above half a lap", 0x800001, 0, -0x7fffff },
	{ "half a lap over the wrap", 0x400000, 0xc00001, 0x7fffff },
};

static void sub_desc(const struct sub_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(sub, sub_cases, sub_desc);

static void psn_sub_test(struct kunit *test)
{
	const struct sub_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, mrc_psn_sub(c->a, c->b), c->dist);
	KUNIT_EXPECT_EQ(test, mrc_psn_add(c->b, c->dist), c->a);
	KUNIT_EXPECT_EQ(test, mrc_psn_before(c->a, c->b), c->dist < 0);
	/* Half a lap is "before" in both directions, so "after" in both. */
	KUNIT_EXPECT_EQ(test, mrc_psn_after(c->a, c->b),
			c->dist > 0 || c->dist == -0x800000);
}

struct window_case {
	const char *name;
	u32 psn;
	u32 base;
	u32 len;
	bool in;
};

static const struct window_case window_cases[] = {
	{ "first", 100, 100, 10, true },
	{ "last", 109, 100, 10, true },
	{ "above", 110, 100, 10, false },
	{ "below", 99, 100, 10, false },
	{ "empty window", 100, 100, 0, false },
	{ "first before the wrap", 0xfffffe, 0xfffffe, 4, true },
	{ "last after the wrap", 0x000001, 0xfffffe, 4, true },
	{ "above after the wrap", 0x000002, 0xfffffe, 4, false },
	{ "below before the wrap", 0xfffffd, 0xfffffe, 4, false },
	{ "whole lap", 0x123456, 0x123457, 0x1000000, true },
};

static void window_desc(const struct window_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(window, window_cases, window_desc);

static void psn_window_test(struct kunit *test)
{
	const struct window_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, mrc_psn_in_window(c->psn, c->base, c->len),
			c->in);
}

struct expand_case {
	const char *name;
	u64 ref;
	u32 psn;
	u64 want;
};

static const struct expand_case expand_cases[] = {
	{ "same", 0x1000005, 0x000005, 0x1000005 },
	{ "ahead", 0x1000005, 0x000009, 0x1000009 },
	{ "behind", 0x1000005, 0x000001, 0x1000001 },
	{ "behind the start of the first lap", 0x1000000, 0xffffff, 0xffffff },
	{ "ahead over the wrap", 0x1fffffe, 0x000003, 0x2000003 },
	{ "behind over the wrap", 0x2000003, 0xfffffe, 0x1fffffe },
	{ "beyond 32 bits", 0xffffffffULL, 0x000001, 0x100000001ULL },
	{ "back below 32 bits", 0x100000001ULL, 0xffffff, 0xffffffffULL },
	{ "far along", 0x123456fffff0ULL, 0x000010, 0x123457000010ULL },
};

static void expand_desc(const struct expand_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(expand, expand_cases, expand_desc);

static void psn_expand_test(struct kunit *test)
{
	const struct expand_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, mrc_psn_expand(c->ref, c->psn), c->want);
	KUNIT_EXPECT_EQ(test, mrc_psn_wire(c->want), c->psn);
}

static void psn_start_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mrc_psn_start(0), 0x1000000ULL);
	KUNIT_EXPECT_EQ(test, mrc_psn_start(0xffffff), 0x1ffffffULL);
	KUNIT_EXPECT_EQ(test, mrc_psn_start(0xff000001), 0x1000001ULL);
	KUNIT_EXPECT_EQ(test, mrc_psn_wire(mrc_psn_start(0xabcdef)), 0xabcdefU);
}

/* What is to be done with a PSN. */
enum arrival {
	NEW,		/* recorded */
	DUP,		/* was recorded before */
	BELOW,		/* the window, that is, received before */
	ABOVE,		/* the window, not recorded */
};

/* The arrival of one PSN, which may be any, as the responder takes it. */
static enum arrival arrive(struct mrc_bitmap *bm, u64 psn)
{
	if (psn < bm->base)
		return BELOW;
	if (psn - bm->base >= bm->size)
		return ABOVE;
	if (mrc_bitmap_test(bm, psn))
		return DUP;
	mrc_bitmap_set_run(bm, psn, 1);
	return NEW;
}

/* Set, see the SACK bits, close the gap: across the wrap of the wire. */
static void bitmap_basic_test(struct kunit *test)
{
	u64 words[MRC_BITMAP_WORDS(128)];
	struct mrc_bitmap bm;
	u64 base = NEAR_WRAP + 62;

	memset(words, 0xff, sizeof(words));
	mrc_bitmap_init(&bm, words, 128, base);
	KUNIT_EXPECT_EQ(test, words[0] | words[1], 0ULL);
	KUNIT_EXPECT_FALSE(test, mrc_bitmap_has_gap(&bm));
	KUNIT_EXPECT_EQ(test, mrc_bitmap_advance(&bm), 0ULL);

	KUNIT_EXPECT_EQ(test, arrive(&bm, base - 1), BELOW);
	KUNIT_EXPECT_EQ(test, arrive(&bm, base + 128), ABOVE);
	KUNIT_EXPECT_EQ(test, bm.ooo, 0U);
	KUNIT_EXPECT_EQ(test, arrive(&bm, base + 1), NEW);
	KUNIT_EXPECT_EQ(test, arrive(&bm, base + 1), DUP);
	KUNIT_EXPECT_EQ(test, arrive(&bm, base + 3), NEW);
	KUNIT_EXPECT_TRUE(test, mrc_bitmap_has_gap(&bm));
	KUNIT_EXPECT_EQ(test, mrc_bitmap_advance(&bm), 0ULL);
	KUNIT_EXPECT_EQ(test, bm.ooo, 2U);
	KUNIT_EXPECT_EQ(test, bm.high, base + 4);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_extract(&bm, base), 0xaULL);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_extract(&bm, base - 2), 0x2bULL);

	KUNIT_EXPECT_EQ(test, arrive(&bm, base), NEW);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_advance(&bm), 2ULL);
	KUNIT_EXPECT_EQ(test, bm.base, base + 2);
	KUNIT_EXPECT_EQ(test, mrc_psn_wire(bm.base), 0U);
	KUNIT_EXPECT_EQ(test, bm.ooo, 1U);

	KUNIT_EXPECT_EQ(test, arrive(&bm, base + 2), NEW);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_advance(&bm), 2ULL);
	KUNIT_EXPECT_FALSE(test, mrc_bitmap_has_gap(&bm));
	KUNIT_EXPECT_EQ(test, bm.ooo, 0U);
	KUNIT_EXPECT_EQ(test, words[0] | words[1], 0ULL);
}

static void bitmap_test_test(struct kunit *test)
{
	u64 words[MRC_BITMAP_WORDS(64)];
	struct mrc_bitmap bm;
	u64 base = NEAR_WRAP + 10;

	mrc_bitmap_init(&bm, words, 64, base);
	arrive(&bm, base + 60);
	KUNIT_EXPECT_TRUE(test, mrc_bitmap_test(&bm, base - 1));
	KUNIT_EXPECT_TRUE(test, mrc_bitmap_test(&bm, base - 1000));
	KUNIT_EXPECT_FALSE(test, mrc_bitmap_test(&bm, base));
	KUNIT_EXPECT_FALSE(test, mrc_bitmap_test(&bm, base + 59));
	KUNIT_EXPECT_TRUE(test, mrc_bitmap_test(&bm, base + 60));
	KUNIT_EXPECT_FALSE(test, mrc_bitmap_test(&bm, base + 61));
	/* The same slot of the ring, one lap of the ring up and down */
	KUNIT_EXPECT_FALSE(test, mrc_bitmap_test(&bm, base + 124));
	KUNIT_EXPECT_TRUE(test, mrc_bitmap_test(&bm, base - 4));
	KUNIT_EXPECT_FALSE(test, mrc_bitmap_test(&bm, base + 100000));
}

/* A run is many sets, over words and laps, wherever it begins and ends. */
static void bitmap_set_run_test(struct kunit *test)
{
	u64 set_words[MRC_BITMAP_WORDS(128)], run_words[MRC_BITMAP_WORDS(128)];
	struct mrc_bitmap set, run;
	u32 i, n, at;

	for (n = 1; n <= 64; n++) {
		mrc_bitmap_init(&set, set_words, 128, NEAR_WRAP);
		mrc_bitmap_init(&run, run_words, 128, NEAR_WRAP);
		arrive(&set, NEAR_WRAP + 127);
		arrive(&run, NEAR_WRAP + 127);
		at = (7 * n) % (127 - n);
		for (i = 0; i < n; i++)
			arrive(&set, NEAR_WRAP + at + i);
		mrc_bitmap_set_run(&run, NEAR_WRAP + at, n);
		KUNIT_EXPECT_EQ(test, run.high, set.high);
		KUNIT_EXPECT_EQ(test, run.ooo, set.ooo);
		KUNIT_EXPECT_MEMEQ(test, run_words, set_words,
				   sizeof(set_words));
	}
	/* the end of the window moves along */
	mrc_bitmap_init(&run, run_words, 128, NEAR_WRAP);
	mrc_bitmap_set_run(&run, NEAR_WRAP + 3, 64);
	KUNIT_EXPECT_EQ(test, run.high, NEAR_WRAP + 67);
}

/* A step is a set and an advance for each, over words and laps. */
static void bitmap_step_test(struct kunit *test)
{
	u64 set_words[MRC_BITMAP_WORDS(MRC_BITMAP_MIN)];
	u64 step_words[MRC_BITMAP_WORDS(MRC_BITMAP_MIN)];
	struct mrc_bitmap set, step;
	u32 i, n;

	mrc_bitmap_init(&set, set_words, MRC_BITMAP_MIN, 1000);
	mrc_bitmap_init(&step, step_words, MRC_BITMAP_MIN, 1000);
	for (n = 1; n < 20; n++) {
		for (i = 0; i < n; i++) {
			arrive(&set, set.base);
			mrc_bitmap_advance(&set);
		}
		mrc_bitmap_step(&step, n);
	}
	KUNIT_EXPECT_EQ(test, step.base, set.base);
	KUNIT_EXPECT_EQ(test, step.high, set.high);
	KUNIT_EXPECT_EQ(test, step.ooo, set.ooo);
	KUNIT_EXPECT_MEMEQ(test, step_words, set_words, sizeof(set_words));
}

/* A window that fills its ring: its first and last word share storage. */
static void bitmap_full_window_test(struct kunit *test)
{
	u64 words[MRC_BITMAP_WORDS(128)];
	u64 base = NEAR_WRAP + 30;
	struct mrc_bitmap bm;
	u64 psn;

	mrc_bitmap_init(&bm, words, 128, base);
	for (psn = base + 127; psn > base; psn--)
		KUNIT_EXPECT_EQ(test, arrive(&bm, psn), NEW);
	KUNIT_EXPECT_EQ(test, bm.ooo, 127U);
	KUNIT_EXPECT_EQ(test, bm.high, base + 128);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_extract(&bm, base), ~1ULL);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_extract(&bm, base + 64), ~0ULL);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_extract(&bm, base + 127), 1ULL);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_extract(&bm, base + 128), 0ULL);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_next_word(&bm, 0), base - 30);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_next_word(&bm, base + 34), base + 34);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_next_word(&bm, base + 162),
			MRC_PSN_NONE);

	arrive(&bm, base);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_advance(&bm), 128ULL);
	KUNIT_EXPECT_EQ(test, words[0] | words[1], 0ULL);
	KUNIT_EXPECT_EQ(test, bm.ooo, 0U);
}

/* The cursor of the second SACK bitmap visits every word, once. */
static void bitmap_cursor_test(struct kunit *test)
{
	u64 words[MRC_BITMAP_WORDS(512)];
	struct mrc_bitmap bm;
	u64 base = NEAR_WRAP;
	u64 psn;

	mrc_bitmap_init(&bm, words, 512, base);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_next_word(&bm, base), MRC_PSN_NONE);
	for (psn = base; psn < base + 200; psn++)
		if (psn != base + 70 && psn != base + 192)
			arrive(&bm, psn);
	mrc_bitmap_advance(&bm);
	KUNIT_EXPECT_EQ(test, bm.base, base + 70);

	psn = mrc_bitmap_next_word(&bm, 0);
	KUNIT_EXPECT_EQ(test, psn, base + 64);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_extract(&bm, psn), ~(1ULL << 6));
	/* a full one */
	psn = mrc_bitmap_next_word(&bm, psn + 64);
	KUNIT_EXPECT_EQ(test, psn, base + 128);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_extract(&bm, psn), ~0ULL);
	/* the last */
	psn = mrc_bitmap_next_word(&bm, psn + 64);
	KUNIT_EXPECT_EQ(test, psn, base + 192);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_extract(&bm, psn), 0xfeULL);
	KUNIT_EXPECT_EQ(test, mrc_bitmap_next_word(&bm, psn + 64),
			MRC_PSN_NONE);
}

/*
 * Random arrivals against a model of one byte per PSN, over several turns of
 * the ring and over the wrap of 24 bits.
 */
#define MODEL_PSNS	4096
#define MODEL_ROUNDS	20000

struct model {
	u8 got[MODEL_PSNS];
	u64 origin;
	u64 base;
	u64 high;
	u32 ooo;
	u32 seed;
};

static u32 model_random(struct model *m, u32 below)
{
	m->seed = m->seed * 1664525 + 1013904223;
	return (m->seed >> 8) % below;
}

static bool model_seen(const struct model *m, u64 psn)
{
	return psn < m->base || (psn < m->high && m->got[psn - m->origin]);
}

static u64 model_extract(const struct model *m, u64 from)
{
	u64 bits = 0;
	int i;

	for (i = 0; i < 64; i++)
		bits |= (u64)model_seen(m, from + i) << i;
	return bits;
}

static u64 model_word(const struct model *m, u64 from)
{
	u64 psn = max(from, m->base) & ~63ULL;

	return psn < m->high ? psn : MRC_PSN_NONE;
}

static void model_set(struct kunit *test, struct model *m,
		      struct mrc_bitmap *bm, u64 psn)
{
	enum arrival want = NEW;

	if (psn < m->base)
		want = BELOW;
	else if (psn >= m->base + bm->size)
		want = ABOVE;
	else if (m->got[psn - m->origin])
		want = DUP;
	KUNIT_ASSERT_EQ(test, arrive(bm, psn), want);
	if (want != NEW)
		return;
	m->got[psn - m->origin] = 1;
	m->high = max(m->high, psn + 1);
	m->ooo++;
}

static void model_advance(struct kunit *test, struct model *m,
			  struct mrc_bitmap *bm)
{
	u64 start = m->base;

	while (m->base < m->high && m->got[m->base - m->origin])
		m->base++;
	m->ooo -= m->base - start;
	KUNIT_ASSERT_EQ(test, mrc_bitmap_advance(bm), m->base - start);
}

static void model_compare(struct kunit *test, struct model *m,
			  const struct mrc_bitmap *bm)
{
	u64 psn = m->base + model_random(m, bm->size + 128) - 64;

	KUNIT_ASSERT_EQ(test, bm->base, m->base);
	KUNIT_ASSERT_EQ(test, bm->high, m->high);
	KUNIT_ASSERT_EQ(test, bm->ooo, m->ooo);
	KUNIT_ASSERT_EQ(test, mrc_bitmap_test(bm, psn), model_seen(m, psn));
	KUNIT_ASSERT_EQ(test, mrc_bitmap_extract(bm, psn),
			model_extract(m, psn));
	KUNIT_ASSERT_EQ(test, mrc_bitmap_next_word(bm, psn),
			model_word(m, psn));
}

static const u32 model_sizes[] = { 64, 128, 512, 1024 };

static void size_desc(const u32 *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "window of %u", *size);
}

KUNIT_ARRAY_PARAM(size, model_sizes, size_desc);

static void bitmap_model_test(struct kunit *test)
{
	u32 size = *(const u32 *)test->param_value;
	struct mrc_bitmap bm;
	struct model *m;
	u64 *words;
	int i;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	words = kunit_kzalloc(test, MRC_BITMAP_WORDS(size) * sizeof(*words),
			      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_ASSERT_NOT_NULL(test, words);

	m->origin = 2 * MRC_PSN_LAP - MODEL_PSNS / 2 + 7;
	m->base = m->origin;
	m->high = m->origin;
	m->seed = size;
	mrc_bitmap_init(&bm, words, size, m->base);

	for (i = 0; i < MODEL_ROUNDS; i++) {
		/* Now and then the oldest gap closes, as in life. */
		u64 psn = model_random(m, 3) ?
			  m->base + model_random(m, size + 20) - 10 : m->base;

		if (psn < m->origin)
			continue;
		if (m->base + size + 20 >= m->origin + MODEL_PSNS)
			break;
		model_set(test, m, &bm, psn);
		if (model_random(m, 2))
			model_advance(test, m, &bm);
		model_compare(test, m, &bm);
	}
	KUNIT_EXPECT_GT(test, m->base, 2 * MRC_PSN_LAP);
}

static struct kunit_case psn_cases[] = {
	KUNIT_CASE_PARAM(psn_sub_test, sub_gen_params),
	KUNIT_CASE_PARAM(psn_window_test, window_gen_params),
	KUNIT_CASE_PARAM(psn_expand_test, expand_gen_params),
	KUNIT_CASE(psn_start_test),
	KUNIT_CASE(bitmap_basic_test),
	KUNIT_CASE(bitmap_test_test),
	KUNIT_CASE(bitmap_set_run_test),
	KUNIT_CASE(bitmap_step_test),
	KUNIT_CASE(bitmap_full_window_test),
	KUNIT_CASE(bitmap_cursor_test),
	KUNIT_CASE_PARAM(bitmap_model_test, size_gen_params),
	{}
};

static struct kunit_suite psn_suite = {
	.name = "mrc_psn",
	.test_cases = psn_cases,
};

kunit_test_suite(psn_suite);

MODULE_DESCRIPTION("KUnit tests of MRC's PSN arithmetic and bitmap");
MODULE_LICENSE("GPL");
