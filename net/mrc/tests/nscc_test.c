// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: NSCC. Each quadrant, each clamp, and a small closed loop: flows that
 * share the queue of one bottleneck.
 */
#include <kunit/test.h>
#include <linux/array_size.h>
#include <linux/math.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../cc.h"
#include "../nscc.h"

#define MTU	8192U		/* 88 packets are more than a few bursts */
#define PKT	4096U		/* in the loops */
#define BASE	20000U		/* ns */
#define TARGET	6000U		/* 30 % of it, and nothing for the window */

static struct mrc_nscc *nscc(struct mrc_cc *cc)
{
	return (struct mrc_nscc *)cc->priv;
}

/* A controller past start-up with a window of @pkts and a mean delay. */
static void steady(struct mrc_cc *cc, u32 pkts, u32 delay)
{
	mrc_cc_init(cc, &mrc_cc_nscc, NULL, MTU, 4);
	nscc(cc)->start = false;
	nscc(cc)->base = BASE;
	nscc(cc)->delay = delay;
	nscc(cc)->qa_from = 1000000;
	nscc(cc)->peak_from = 1000000;
	nscc(cc)->peak[0] = pkts * MTU;
	cc->cwnd = pkts * MTU;
	/* a fair increase of 8 packets */
	nscc(cc)->root = 8 * MTU * MRC_NSCC_FAIR_DIV;
}

/* A SACK for @pkts of a full window at 1.001 ms. */
static struct mrc_cc_ack sack(const struct mrc_cc *cc, u32 pkts, u32 delay,
			      bool ce)
{
	return (struct mrc_cc_ack) {
		.now = 1001000, .bytes = pkts * MTU, .rcvd = pkts * MTU,
		.rtt_ns = BASE + delay, .base_ns = BASE, .ce = ce,
		.inflight = cc->cwnd - pkts * MTU, .held = true, .trims = true,
	};
}

static void mrc_nscc_target_test(struct kunit *test)
{
	struct mrc_cc_params p = mrc_cc_defaults;
	struct mrc_cc cc;

	/* bursts of 15 packets, three of which are a quarter of the window */
	steady(&cc, 180, 0);
	nscc(&cc)->root = 0;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc), TARGET);
	/* the smaller the window, the more, up to five times */
	nscc(&cc)->root = cc.cwnd;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc), 2 * TARGET);
	/* and for a few bursts in the hosts */
	nscc(&cc)->root = 0;
	cc.cwnd = 60 * MTU;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc), TARGET + BASE / 8);
	cc.cwnd = 12 * MTU;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc), TARGET + BASE * 3 / 4);
	cc.cwnd = 180 * MTU;
	nscc(&cc)->root = 3 * cc.cwnd;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc), 4 * TARGET);
	/* both have their limits, and fit 32 bits together */
	cc.cwnd = MTU;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc), 5 * TARGET +
			BASE * MRC_NSCC_QUANTUM_MOST);
	nscc(&cc)->base = U32_MAX;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc),
			6 * MRC_NSCC_TARGET_MAX_NS);
	cc.cwnd = 180 * MTU;
	nscc(&cc)->root = 0;
	nscc(&cc)->base = 1000;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc), MRC_NSCC_TARGET_MIN_NS);
	nscc(&cc)->base = U32_MAX;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc), MRC_NSCC_TARGET_MAX_NS);
	p.target = 200;
	p.target_min = 7;
	mrc_cc_init(&cc, &mrc_cc_nscc, &p, MTU, 4);
	cc.cwnd = 180 * MTU;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc), 7U);
	nscc(&cc)->base = 1000;
	KUNIT_EXPECT_EQ(test, mrc_nscc_target(&cc), 2000U);
}

static void mrc_nscc_first_test(struct kunit *test)
{
	struct mrc_cc_params p = mrc_cc_defaults;
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_nscc, NULL, MTU, 8);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 32 * MTU);
	KUNIT_EXPECT_EQ(test, cc.ops->state(&cc), MRC_CC_START);
	mrc_cc_init(&cc, &mrc_cc_nscc, NULL, MTU, 0);
	KUNIT_EXPECT_EQ(test, cc.cwnd, MRC_NSCC_INIT_MIN * MTU);
	p.window = 5 * MTU;
	mrc_cc_init(&cc, &mrc_cc_nscc, &p, MTU, 8);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 5 * MTU);
	p.window = 1;
	mrc_cc_init(&cc, &mrc_cc_nscc, &p, MTU, 8);
	KUNIT_EXPECT_EQ(test, cc.cwnd, MTU);
}

/*
 * One SACK of 8 packets of 128 in flight, after which increases are put into
 * effect: a sixteenth of a round trip, that is, half a packet of a fair
 * increase of 8; and eta, 8 packets divided by 3.
 */
#define SACKED	(MTU / 2)
#define ETA	(8 * MTU / MRC_NSCC_ETA_DIV)

struct quadrant {
	const char *name;
	u32 delay;	/* of the packet, per cent of the target */
	u32 mean;
	bool ce;
	bool trims;
	bool held;
	u32 gamma;	/* per cent */
	s32 low, high;	/* change of the window, bytes */
};

static const struct quadrant quadrants[] = {
	{ "unmarked, delayed: fair", 100, 101, false, true, true, 50,
	  SACKED, SACKED },
	{ "unmarked, half the target: 3/8 of that, and eta", 50, 50, false,
	  true, true, 50, ETA + SACKED * 3 / 8 - 20, ETA + SACKED * 3 / 8 },
	{ "unmarked, near the target: hardly more than eta", 99, 99, false,
	  true, true, 50, ETA, ETA + 50 },
	{ "marked, delayed: decrease", 200, 200, true, true, true, 50,
	  -(32 * (s32)MTU), -(32 * (s32)MTU) },
	{ "the same, not held: decrease all the same", 200, 200, true, true,
	  false, 50, -(32 * (s32)MTU), -(32 * (s32)MTU) },
	{ "marked, delayed, but not on the average: eta", 200, 0, true, true,
	  true, 50, ETA, ETA },
	{ "marked, far above: by half at most", 9000, 9000, true, true, true,
	  90, -(64 * (s32)MTU), -(64 * (s32)MTU) },
	{ "marked, no delay: eta", 0, 0, true, true, true, 50, ETA, ETA },
	{ "unmarked, delayed, not held: as it is", 100, 50, false, true, false,
	  50, 0, 0 },
	{ "unmarked, no delay, not held: as it is", 0, 0, false, true, false,
	  50, 0, 0 },
	{ "unmarked, delayed, does not trim: delay brakes", 200, 200, false,
	  false, true, 50, -(32 * (s32)MTU), -(32 * (s32)MTU) },
	{ "the same, not on the average: fair, and eta", 200, 10, false,
	  false, true, 50, SACKED + ETA, SACKED + ETA },
};

static void mrc_nscc_quadrant_test(struct kunit *test)
{
	const struct quadrant *q = test->param_value;
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 before, target;

	steady(&cc, 128, 0);
	target = mrc_nscc_target(&cc);
	nscc(&cc)->delay = target * q->mean / 100;
	/* the mean does not move: the packet says the same, or too little */
	ack = sack(&cc, 8, target * q->delay / 100, q->ce);
	ack.inflight = U32_MAX / 2;
	ack.trims = q->trims;
	ack.held = q->held;
	cc.p.decrease = q->gamma;
	before = cc.cwnd;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_GE(test, (s32)(cc.cwnd - before), q->low - 1);
	KUNIT_EXPECT_LE(test, (s32)(cc.cwnd - before), q->high + 1);
}

KUNIT_ARRAY_PARAM_DESC(mrc_nscc_quadrant, quadrants, name);

/* Once per round trip, however many SACKs say so. */
static void mrc_nscc_once_test(struct kunit *test)
{
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 after;

	steady(&cc, 128, 4 * TARGET);
	ack = sack(&cc, 8, 4 * TARGET, true);
	cc.ops->ack(&cc, &ack);
	after = cc.cwnd;
	KUNIT_EXPECT_LT(test, after, 128 * MTU);
	ack.now += BASE;
	nscc(&cc)->qa_from = ack.now;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, after);
	ack.now += 4 * TARGET;
	nscc(&cc)->qa_from = ack.now;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_LT(test, cc.cwnd, after);
}

/* A quarter of what is acknowledged, but only after a window without delay. */
static void mrc_nscc_fast_test(struct kunit *test)
{
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 i, before;

	steady(&cc, 64, 0);
	cc.p.increase = 0;
	ack = sack(&cc, 8, TARGET / 16, false);
	for (i = 0; i < 7; i++)
		cc.ops->ack(&cc, &ack);
	before = cc.cwnd;
	KUNIT_EXPECT_EQ(test, before, 64 * MTU);
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, before + 2 * MTU);
	/* a little delay ends it */
	ack.rtt_ns = BASE + TARGET / 2;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, nscc(&cc)->clear, 0U);
}

static void mrc_nscc_start_test(struct kunit *test)
{
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 first;

	mrc_cc_init(&cc, &mrc_cc_nscc, NULL, MTU, 4);
	first = cc.cwnd;
	ack = sack(&cc, 16, 0, false);
	ack.held = false;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, first);
	ack.held = true;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 4 * first);
	KUNIT_EXPECT_TRUE(test, nscc(&cc)->start);
	/* delay on the average ends it */
	ack = sack(&cc, 64, 4 * TARGET, false);
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_FALSE(test, nscc(&cc)->start);
}

/* What ends start-up: a delay at which it is no faster than what follows, or
 * marks on most packets and some delay.
 */
static void mrc_nscc_started_test(struct kunit *test)
{
	static const struct {
		u32 eighths;	/* of the target */
		u32 marked;	/* packets of 64 */
		bool start;
	} ends[] = {
		{ 3, 0, true }, { 4, 0, false }, { 2, 32, true },
		{ 1, 33, true }, { 2, 33, false },
	};
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 i, target;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		steady(&cc, 64, 0);
		nscc(&cc)->start = true;
		target = mrc_nscc_target(&cc);
		nscc(&cc)->delay = target * ends[i].eighths / 8;
		nscc(&cc)->marks = ends[i].marked * MRC_NSCC_MARKED / 32;
		ack = sack(&cc, 1, nscc(&cc)->delay, ends[i].marked > 32);
		cc.ops->ack(&cc, &ack);
		KUNIT_EXPECT_EQ(test, nscc(&cc)->start, ends[i].start);
	}
}

/* What a loss costs. */
struct toll {
	const char *name;
	enum mrc_cc_why why;
	bool marked;
	u32 delay;		/* ns */
	bool trims;
	bool failed;
	u32 before, after;	/* packets */
};

static const struct toll tolls[] = {
	{ "lost: the packet", MRC_CC_LOST, .before = 100, .after = 99 },
	{ "lost, little delay: the packet", MRC_CC_LOST,
	  .delay = 2 * TARGET - 1, .before = 100, .after = 99 },
	{ "timed out: the packet", MRC_CC_TIMEOUT, .before = 100,
	  .after = 99 },
	{ "trimmed: the packet", MRC_CC_TRIMMED, .marked = true,
	  .delay = 4 * TARGET, .trims = true, .before = 100, .after = 99 },
	{ "lost on a marked path: a quarter", MRC_CC_LOST, .marked = true,
	  .before = 100, .after = 74 },
	{ "lost on a delayed path: a quarter", MRC_CC_LOST,
	  .delay = 4 * TARGET, .before = 100, .after = 74 },
	{ "the same where switches trim: the packet", MRC_CC_LOST,
	  .marked = true, .delay = 4 * TARGET, .trims = true, .before = 100,
	  .after = 99 },
	{ "lost with its path: nothing", MRC_CC_LOST, .failed = true,
	  .before = 100, .after = 100 },
	{ "floor", MRC_CC_LOST, .before = 1, .after = 1 },
	{ "floor, marked", MRC_CC_LOST, .marked = true, .before = 1,
	  .after = 1 },
};

static void mrc_nscc_toll_test(struct kunit *test)
{
	const struct toll *t = test->param_value;
	struct mrc_cc_loss loss = {
		.now = 1001000, .bytes = MTU, .why = t->why,
		.marked = t->marked, .delay_ns = t->delay,
		.failed = t->failed,
	};
	struct mrc_cc cc;

	steady(&cc, t->before, 0);
	nscc(&cc)->trims = t->trims;
	cc.ops->loss(&cc, &loss);
	KUNIT_EXPECT_EQ(test, cc.cwnd / MTU, t->after);
	/* the second of the same round trip is one packet, too */
	if (t->after > 1 && !t->failed) {
		cc.ops->loss(&cc, &loss);
		KUNIT_EXPECT_EQ(test, cc.cwnd / MTU, t->after - 1);
	}
}

KUNIT_ARRAY_PARAM_DESC(mrc_nscc_toll, tolls, name);

static const struct mrc_cc_loss trimmed = {
	.now = 1001000, .bytes = MTU, .why = MRC_CC_TRIMMED,
};

/* A window of 128 packets, of which one was trimmed, has ended after so many got
 * through. Return: the SACK that said so.
 */
static struct mrc_cc_ack trimmed_window(struct mrc_cc *cc, u32 through)
{
	struct mrc_cc_ack ack;

	steady(cc, 128, TARGET);
	cc->ops->loss(cc, &trimmed);
	ack = sack(cc, through, TARGET, false);
	ack.now = 1000000 + BASE + 2 * TARGET;
	cc->ops->ack(cc, &ack);
	return ack;
}

/* Few got through in a window in which packets were trimmed. */
static void mrc_nscc_quick_test(struct kunit *test)
{
	struct mrc_cc_ack ack;
	struct mrc_cc cc;

	ack = trimmed_window(&cc, 5);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 5 * MTU);
	KUNIT_EXPECT_EQ(test, cc.ops->state(&cc), MRC_CC_ADAPT);
	/* what was in flight before says nothing any more */
	KUNIT_EXPECT_EQ(test, nscc(&cc)->ignore, 122 * MTU);
	ack.now += 100;
	ack.ce = true;
	ack.rtt_ns = BASE + 8 * TARGET;
	cc.ops->ack(&cc, &ack);
	cc.ops->loss(&cc, &trimmed);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 5 * MTU);
	KUNIT_EXPECT_EQ(test, nscc(&cc)->ignore, 116 * MTU);
}

/* An eighth of the ceiling got through: that is no reason. */
static void mrc_nscc_gate_test(struct kunit *test)
{
	struct mrc_cc cc;

	trimmed_window(&cc, 64);
	KUNIT_EXPECT_GT(test, cc.cwnd, 126 * MTU);
	KUNIT_EXPECT_EQ(test, nscc(&cc)->ignore, 0U);
}

/* 2 % of losses are none of ours, 20 % are. */
static void mrc_nscc_share_test(struct kunit *test)
{
	struct mrc_cc_loss loss = {
		.now = 1001000, .bytes = MTU, .why = MRC_CC_LOST,
	};
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 i, lost;

	for (lost = 2; lost <= 20; lost += 18) {
		steady(&cc, 128, 0);
		cc.p.increase = 0;
		for (i = 0; i < lost; i++)
			cc.ops->loss(&cc, &loss);
		ack = sack(&cc, 100, 0, true);
		ack.inflight = 0;
		ack.trims = false;
		ack.now = 1000000 + BASE + 2 * TARGET;
		cc.ops->ack(&cc, &ack);
		/* 126, or what got through in one of two round trips */
		KUNIT_EXPECT_EQ(test, cc.cwnd / MTU, lost == 2 ? 126U : 54U);
	}
}

static void mrc_nscc_penalty_test(struct kunit *test)
{
	struct mrc_cc_ack ack;
	struct mrc_cc cc;

	steady(&cc, 128, 0);
	cc.p.increase = 0;
	ack = sack(&cc, 32, 0, false);
	ack.pen = 64;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 112 * MTU);
	/* without restore_cwnd nothing comes back */
	ack.pen = 0;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 112 * MTU);

	steady(&cc, 128, 0);
	cc.p.increase = 0;
	ack.pen = 127;
	ack.restore = true;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_LT(test, cc.cwnd, 97 * MTU);
	KUNIT_EXPECT_EQ(test, cc.ops->state(&cc), MRC_CC_PENALTY);
	cc.ops->ack(&cc, &ack);
	ack.pen = 0;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 128 * MTU);
	KUNIT_EXPECT_EQ(test, cc.ops->state(&cc), MRC_CC_STEADY);
}

/* What the receiver asks for. */
static void mrc_nscc_pen_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mrc_nscc_pen(0, 1000), 0);
	KUNIT_EXPECT_EQ(test, mrc_nscc_pen(500, 1000), 0);
	KUNIT_EXPECT_EQ(test, mrc_nscc_pen(750, 1000), 32);
	KUNIT_EXPECT_EQ(test, mrc_nscc_pen(1000, 1000), 64);
	KUNIT_EXPECT_EQ(test, mrc_nscc_pen(1ULL << 40, 1000), 64);
	KUNIT_EXPECT_EQ(test, mrc_nscc_pen(5, 0), 0);
}

/* A pause halves the window again and again, down to the first one. */
static void mrc_nscc_idle_test(struct kunit *test)
{
	u64 age = max_t(u64, MRC_NSCC_IDLE_RTTS * BASE, MRC_NSCC_IDLE_NS);
	struct mrc_cc cc;

	steady(&cc, 128, 9 * TARGET);
	nscc(&cc)->acked_at = 1001000;
	cc.ops->begin(&cc, 1001000 + MRC_NSCC_IDLE_RTTS * BASE - 1);
	KUNIT_EXPECT_NE(test, nscc(&cc)->delay, 0U);
	/* a short one is no reason, but what was measured is old */
	cc.ops->begin(&cc, 1001000 + age - 1);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 128 * MTU);
	KUNIT_EXPECT_EQ(test, nscc(&cc)->delay, 0U);
	KUNIT_EXPECT_FALSE(test, nscc(&cc)->start);
	cc.ops->begin(&cc, 1001000 + age);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 64 * MTU);
	KUNIT_EXPECT_EQ(test, cc.ops->state(&cc), MRC_CC_START);
	nscc(&cc)->acked_at = 1001000;
	cc.ops->begin(&cc, 1001000 + 99 * age);
	KUNIT_EXPECT_EQ(test, cc.cwnd, mrc_nscc_first(&cc));
	/* the one that will be restored */
	steady(&cc, 3, 0);
	nscc(&cc)->saved = 64 * MTU;
	nscc(&cc)->acked_at = 1001000;
	cc.ops->begin(&cc, 1001000 + age);
	KUNIT_EXPECT_EQ(test, nscc(&cc)->saved, 32 * MTU);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 3 * MTU);
	KUNIT_EXPECT_EQ(test, cc.ops->state(&cc), MRC_CC_PENALTY);
	/* one that is smaller stays so */
	steady(&cc, 3, 0);
	nscc(&cc)->acked_at = 1001000;
	cc.ops->begin(&cc, 1001000 + 99 * age);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 3 * MTU);
}

/* What @pkts per base round trip take in that and two targets. */
static u32 ceiling(const struct mrc_cc *cc, u32 pkts)
{
	return (u64)pkts * MTU * (BASE + 2 * mrc_nscc_target(cc)) / BASE;
}

static void mrc_nscc_ceiling_test(struct kunit *test)
{
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 before;
	int i;

	steady(&cc, 100, 0);
	KUNIT_EXPECT_EQ(test, mrc_nscc_ceiling(&cc), ceiling(&cc, 100));
	KUNIT_EXPECT_GT(test, ceiling(&cc, 100), 190 * MTU);
	for (i = 0; i < 9; i++) {
		ack = sack(&cc, cc.cwnd / MTU, 0, false);
		nscc(&cc)->qa_from = ack.now;
		cc.ops->ack(&cc, &ack);
	}
	KUNIT_EXPECT_LE(test, cc.cwnd, ceiling(&cc, 101));
	KUNIT_EXPECT_GT(test, cc.cwnd, ceiling(&cc, 99));
	/* that rate is forgotten after two ages */
	ack.now = 1000000 + MRC_NSCC_PEAK_AGE_NS + 1;
	ack.bytes = 40 * MTU;
	ack.rcvd = ack.bytes;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, mrc_nscc_ceiling(&cc), ceiling(&cc, 100));
	ack.now += MRC_NSCC_PEAK_AGE_NS + 1;
	before = cc.cwnd;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, mrc_nscc_ceiling(&cc), mrc_nscc_first(&cc));
	/* which ends growth, and cuts nothing */
	KUNIT_EXPECT_EQ(test, cc.cwnd, before);
}

/* The larger window gives more of itself. */
static void mrc_nscc_size_test(struct kunit *test)
{
	static const struct {
		u32 eighths;	/* of the reference */
		u32 part;	/* of gamma, eighths */
	} sizes[] = { { 1, 5 }, { 5, 5 }, { 6, 6 }, { 8, 8 }, { 16, 8 } };
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 i, want;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		/* so much delay that the target does not matter */
		steady(&cc, 1000, U32_MAX / 2);
		cc.p.decrease = 40;
		nscc(&cc)->base = 1;
		nscc(&cc)->root = 8000 / sizes[i].eighths * MTU;
		ack = sack(&cc, 1, 0, true);
		ack.rtt_ns = U32_MAX / 2;
		ack.base_ns = 1;
		cc.ops->ack(&cc, &ack);
		want = 1000 * MTU / 800 * sizes[i].part * cc.p.decrease;
		KUNIT_EXPECT_LE(test, abs_diff(1000 * MTU - cc.cwnd, want),
				want / 50);
	}
}

/* A controller whose queue has stood for so many round trips. */
static struct mrc_cc_ack stood(struct mrc_cc *cc, u32 delay, u32 trips)
{
	struct mrc_cc_ack ack;

	steady(cc, 100, delay);
	ack = sack(cc, 1, delay, false);
	ack.now += MRC_NSCC_PEAK_AGE_NS / 2;
	nscc(cc)->qa_from = ack.now;
	nscc(cc)->known = BASE;
	nscc(cc)->stood_at = ack.now - trips * (u64)(BASE + delay);
	return ack;
}

/* What stands for long, or is low after a while, or falls with the base. */
static void mrc_nscc_drain_due_test(struct kunit *test)
{
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 high, low;
	int i;

	steady(&cc, 100, 0);
	high = mrc_nscc_target(&cc);
	low = high / 3;
	for (i = 0; i < 8; i++) {
		bool is_low = i & 1, late = i & 2, news = i & 4;
		u32 trips = is_low ? MRC_NSCC_LOW_RTTS : MRC_NSCC_STOOD_RTTS;

		ack = stood(&cc, is_low ? low : high, trips - !late);
		if (news)
			nscc(&cc)->known = BASE + high / MRC_NSCC_NEWS_DIV + 1;
		cc.ops->ack(&cc, &ack);
		KUNIT_EXPECT_EQ(test, !!nscc(&cc)->drain_end, late || news);
	}
	/* not while it starts, nor with a handful of packets, nor without
	 * having seen the way without a queue
	 */
	ack = stood(&cc, low, MRC_NSCC_STOOD_RTTS);
	nscc(&cc)->start = true;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, nscc(&cc)->drain_end, 0ULL);
	ack = stood(&cc, low, MRC_NSCC_STOOD_RTTS);
	cc.cwnd = (MRC_NSCC_INIT_MIN - 1) * MTU;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, nscc(&cc)->drain_end, 0ULL);
	ack = stood(&cc, low, MRC_NSCC_STOOD_RTTS);
	nscc(&cc)->stood_at = 0;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, nscc(&cc)->drain_end, 0ULL);
}

/* Holds back what stands, two round trips long, and has it all again. */
static void mrc_nscc_drain_test(struct kunit *test)
{
	struct mrc_cc_loss loss = { .bytes = MTU };
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 whole;

	ack = stood(&cc, BASE / 4, MRC_NSCC_STOOD_RTTS);
	whole = cc.cwnd;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, whole - whole / 5);
	ack.now += MRC_NSCC_DRAIN_RTTS * (BASE + BASE / 4) - 1;
	ack.rtt_ns = BASE;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, whole - whole / 5);
	ack.now++;
	ack.held = false;
	nscc(&cc)->held_at = 0;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, whole);
	KUNIT_EXPECT_EQ(test, nscc(&cc)->stood_at, ack.now);
	/* a loss counts from the whole, too, and so does a pause */
	ack = stood(&cc, BASE / 4, MRC_NSCC_STOOD_RTTS);
	cc.ops->ack(&cc, &ack);
	loss.now = ack.now;
	cc.ops->loss(&cc, &loss);
	KUNIT_EXPECT_EQ(test, cc.cwnd, whole - MTU);
	ack = stood(&cc, BASE / 4, MRC_NSCC_STOOD_RTTS);
	cc.ops->ack(&cc, &ack);
	cc.ops->begin(&cc, ack.now + MRC_NSCC_STALE_NS *
		      (MRC_NSCC_IDLE_RTTS * BASE / MRC_NSCC_STALE_NS + 1));
	KUNIT_EXPECT_EQ(test, cc.cwnd, whole);
	KUNIT_EXPECT_EQ(test, nscc(&cc)->drain_end, 0ULL);
}

/* No growth for a round trip after a trim. */
static void mrc_nscc_full_test(struct kunit *test)
{
	struct mrc_cc_loss loss = { .bytes = MTU, .why = MRC_CC_TRIMMED };
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	u32 before;

	steady(&cc, 100, 0);
	ack = sack(&cc, 16, 0, false);
	loss.now = ack.now;
	cc.ops->loss(&cc, &loss);
	before = cc.cwnd;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, before);
	ack.now += BASE + 1;
	nscc(&cc)->qa_from = ack.now;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_GT(test, cc.cwnd, before);
}

static void mrc_nscc_window_test(struct kunit *test)
{
	struct mrc_cc_params p = mrc_cc_defaults;
	struct mrc_cc_ack ack;
	struct mrc_cc cc;
	int i;

	p.window = 64 * MTU;
	mrc_cc_init(&cc, &mrc_cc_nscc, &p, MTU, 4);
	for (i = 0; i < 9; i++) {
		ack = sack(&cc, 16, 0, false);
		cc.ops->ack(&cc, &ack);
	}
	KUNIT_EXPECT_EQ(test, cc.cwnd, 64 * MTU);
	/* none: the highest there is */
	mrc_cc_init(&cc, &mrc_cc_nscc, NULL, MTU, 4);
	for (i = 0; i < 20; i++) {
		ack = sack(&cc, cc.cwnd / MTU, 0, false);
		cc.ops->ack(&cc, &ack);
	}
	KUNIT_EXPECT_EQ(test, cc.cwnd, MRC_NSCC_WINDOW_MAX);
}

/* A peer that claims more than was out gets no more for it. */
static void mrc_nscc_lie_test(struct kunit *test)
{
	struct mrc_cc_ack ack;
	struct mrc_cc cc;

	mrc_cc_init(&cc, &mrc_cc_nscc, NULL, MTU, 4);
	ack = sack(&cc, 1, 0, false);
	ack.rcvd = U32_MAX;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 64 * MTU);
	ack.rcvd = 0;
	cc.ops->ack(&cc, &ack);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 64 * MTU);
}

static void mrc_nscc_find_test(struct kunit *test)
{
	struct mrc_cc_params p = { .window = 3 * MTU };
	struct mrc_cc_loss loss = { .bytes = MTU };
	struct mrc_cc_ack ack = { .rcvd = MTU };
	struct mrc_cc cc;

	KUNIT_EXPECT_PTR_EQ(test, mrc_cc_find("nscc"), &mrc_cc_nscc);
	KUNIT_EXPECT_NULL(test, mrc_cc_find("cubic"));
	mrc_cc_init(&cc, mrc_cc_find("fixed"), &p, MTU, 4);
	cc.ops->ack(&cc, &ack);
	cc.ops->loss(&cc, &loss);
	cc.ops->begin(&cc, 1ULL << 40);
	KUNIT_EXPECT_EQ(test, cc.cwnd, 3 * MTU);
	mrc_cc_init(&cc, mrc_cc_find("none"), NULL, MTU, 4);
	cc.ops->loss(&cc, &loss);
	KUNIT_EXPECT_GE(test, cc.cwnd, 1U << 30);
}

/*
 * The closed loop: @n flows whose packets pass one queue that serves @rate
 * bytes per us, and come back as a SACK each after the base round trip. Times
 * are in ns; what leaves the queue is in order, so one ring of packets does.
 */
#define FLOWS	8
#define RING	32768U

struct pkt {
	u64	sent;
	u64	ack;
	u8	flow;
	bool	ce;
	bool	lost;
};

struct loop {
	u32	rate;		/* bytes per us */
	u32	base;		/* ns */
	u32	limit;		/* of the queue, bytes */
	u32	mark;		/* queueing delay from which on it marks, ns */
	u32	share;		/* 1 of so many is lost at random, 0 = none */
	bool	trims;
	u64	now, free;
	u32	head, tail;
	u32	n;
	struct mrc_cc cc[FLOWS];
	u32	inflight[FLOWS];
	u64	got[FLOWS];
	u64	sent, lost;
	bool	on[FLOWS];
	struct pkt ring[RING];
};

static void loop_send(struct loop *l, u32 f)
{
	struct pkt *p;
	u64 wait;

	while (l->on[f] && l->tail - l->head < RING &&
	       (!l->inflight[f] || l->inflight[f] + PKT <= l->cc[f].cwnd)) {
		wait = l->free > l->now ? l->free - l->now : 0;
		p = &l->ring[l->tail++ % RING];
		*p = (struct pkt) { .sent = l->now, .flow = f };
		p->ce = l->mark && wait > l->mark;
		p->lost = wait * l->rate / 1000 + PKT > l->limit ||
			  (l->share && l->sent % l->share == 0);
		l->sent++;
		l->lost += p->lost;
		if (!p->lost)
			l->free = l->now + wait + PKT * 1000ULL / l->rate;
		p->ack = max(l->free, l->now) + l->base;
		l->inflight[f] += PKT;
	}
}

static void loop_take(struct loop *l)
{
	struct pkt *p = &l->ring[l->head++ % RING];
	struct mrc_cc *cc = &l->cc[p->flow];
	u32 f = p->flow, before = l->inflight[f];

	l->now = max(l->now, p->ack);
	l->inflight[f] -= PKT;
	if (p->lost) {
		struct mrc_cc_loss loss = {
			.now = l->now, .bytes = PKT,
			.why = l->trims ? MRC_CC_TRIMMED : MRC_CC_LOST,
			.marked = l->mark,
		};

		cc->ops->loss(cc, &loss);
	} else {
		struct mrc_cc_ack ack = {
			.now = l->now, .bytes = PKT, .rcvd = PKT,
			.rtt_ns = l->now - p->sent,
			.base_ns = l->base + PKT * 1000ULL / l->rate,
			.inflight = before - PKT, .ce = p->ce,
			.held = before + PKT > cc->cwnd, .trims = l->trims,
		};

		l->got[f] += PKT;
		cc->ops->ack(cc, &ack);
	}
	loop_send(l, f);
}

static void loop_run(struct loop *l, u64 until)
{
	u32 f;

	for (f = 0; f < l->n; f++)
		loop_send(l, f);
	while (l->head != l->tail && l->now < until)
		loop_take(l);
}

static struct loop *loop_new(struct kunit *test, u32 n, u32 rate, u32 base,
			     u32 planes)
{
	struct loop *l = kvzalloc(sizeof(*l), GFP_KERNEL);
	u32 f;

	KUNIT_ASSERT_NOT_NULL(test, l);
	l->rate = rate;
	l->base = base;
	l->n = n;
	l->now = 1000000;
	l->limit = U32_MAX;
	for (f = 0; f < n; f++)
		mrc_cc_init(&l->cc[f], &mrc_cc_nscc, NULL, PKT, planes);
	return l;
}

/* Share of the rate that flow @f had since @since, in 1/1000. */
static u32 loop_share(const struct loop *l, u32 f, u64 since, u64 got)
{
	return div64_u64((l->got[f] - got) * 1000000,
			 (l->now - since) * l->rate);
}

struct link {
	const char *name;
	u32 rate;	/* bytes per us */
	u32 base;	/* ns */
	u32 planes;
	u32 limit;	/* bytes */
};

static const struct link links[] = {
	{ "8 x 100 Gb/s, 12 us", 100000, 12000, 8, 2000000 },
	{ "4 x 100 Gb/s, 10 us", 50000, 10000, 4, 1000000 },
	{ "4 x 10 Gb/s, 1 ms", 5000, 1000000, 4, 10000000 },
	{ "4 x 25 Gb/s, 40 us", 12500, 40000, 4, 1000000 },
	{ "1 Gb/s, 100 us", 125, 100000, 1, 100000 },
};

KUNIT_ARRAY_PARAM_DESC(mrc_nscc_link, links, name);

/* Ten round trips, and the rate is there; hardly a packet is lost. */
static void mrc_nscc_startup_test(struct kunit *test)
{
	const struct link *k = test->param_value;
	struct loop *l = loop_new(test, 1, k->rate, k->base, k->planes);
	u64 got, at;

	l->limit = k->limit;
	l->on[0] = true;
	loop_run(l, l->now + 10 * k->base);
	KUNIT_EXPECT_LE(test, l->lost * 100, l->sent);
	got = l->got[0];
	at = l->now;
	loop_run(l, at + 10 * k->base);
	KUNIT_EXPECT_GE(test, loop_share(l, 0, at, got), 950U);
	/* and stays, with a delay that is near the target */
	got = l->got[0];
	at = l->now;
	loop_run(l, at + 200 * k->base);
	KUNIT_EXPECT_GE(test, loop_share(l, 0, at, got), 980U);
	KUNIT_EXPECT_LE(test, nscc(&l->cc[0])->delay,
			2 * mrc_nscc_target(&l->cc[0]));
	KUNIT_EXPECT_LE(test, l->lost * 100, l->sent);
	kvfree(l);
}

/* A second flow comes when the first has it all. */
static void mrc_nscc_converge(struct kunit *test, bool trims, u32 mark_pct)
{
	const struct link *k = test->param_value;
	struct loop *l = loop_new(test, 2, k->rate, k->base, k->planes);
	u64 got[2], at, rtt;
	u32 i, share[2];

	l->limit = k->limit;
	l->trims = trims;
	l->mark = k->base / 100 * mark_pct;
	l->on[0] = true;
	loop_run(l, l->now + 100 * k->base);
	l->on[1] = true;
	rtt = k->base + max(k->base * 3 / 4, MRC_NSCC_TARGET_MIN_NS);
	loop_run(l, l->now + 50 * rtt);
	for (i = 0; i < 2; i++)
		got[i] = l->got[i];
	at = l->now;
	loop_run(l, at + 50 * rtt);
	for (i = 0; i < 2; i++)
		share[i] = loop_share(l, i, at, got[i]);
	kunit_info(test, "shares %u %u, windows %u %u, lost %llu of %llu",
		   share[0], share[1], l->cc[0].cwnd / PKT,
		   l->cc[1].cwnd / PKT, l->lost, l->sent);
	KUNIT_EXPECT_GE(test, share[0] + share[1], 970U);
	/* each within 5 % of the mean of both */
	KUNIT_EXPECT_LE(test, abs_diff(share[0], share[1]) * 10,
			share[0] + share[1]);
	kvfree(l);
}

/* All but the last, whose share is two packets. */
static const void *mrc_nscc_wide_gen_params(const void *prev, char *desc)
{
	const struct link *k = mrc_nscc_link_gen_params(prev, desc);

	return k == &links[ARRAY_SIZE(links) - 1] ? NULL : k;
}

static void mrc_nscc_converge_delay_test(struct kunit *test)
{
	mrc_nscc_converge(test, false, 0);
}

static void mrc_nscc_converge_mark_test(struct kunit *test)
{
	mrc_nscc_converge(test, true, 50);
}

/* Losses at random cost no more than they are. */
static void mrc_nscc_random_loss_test(struct kunit *test)
{
	struct loop *l = loop_new(test, 1, 50000, 10000, 4);
	u64 got, at;

	l->share = 100;
	l->on[0] = true;
	loop_run(l, l->now + 500000);
	got = l->got[0];
	at = l->now;
	loop_run(l, at + 1000000);
	KUNIT_EXPECT_GE(test, loop_share(l, 0, at, got), 960U);
	kvfree(l);
}

/* Queues of a fifth of the target: no delay to see, loss has to do. */
static void mrc_nscc_short_queue_test(struct kunit *test)
{
	struct loop *l = loop_new(test, 1, 50000, 20000, 4);
	u64 got, at;

	l->limit = 150000;
	l->on[0] = true;
	loop_run(l, l->now + 1000000);
	got = l->got[0];
	at = l->now;
	l->lost = 0;
	l->sent = 0;
	loop_run(l, at + 4000000);
	kunit_info(test, "share %u, lost %llu of %llu",
		   loop_share(l, 0, at, got), l->lost, l->sent);
	KUNIT_EXPECT_GE(test, loop_share(l, 0, at, got), 850U);
	KUNIT_EXPECT_LE(test, l->lost * 16, l->sent);
	kvfree(l);
}

/* Eight flows into a queue that trims, and marks. */
static void mrc_nscc_incast_test(struct kunit *test)
{
	struct loop *l = loop_new(test, FLOWS, 12500, 12000, 4);
	u64 got[FLOWS], at, sum = 0, squares = 0;
	u32 f, share;

	l->limit = 1000000;
	l->mark = 6000;
	l->trims = true;
	for (f = 0; f < FLOWS; f++)
		l->on[f] = true;
	loop_run(l, l->now + 100 * 22000);
	for (f = 0; f < FLOWS; f++)
		got[f] = l->got[f];
	at = l->now;
	loop_run(l, at + 100 * 22000);
	for (f = 0; f < FLOWS; f++) {
		share = loop_share(l, f, at, got[f]);
		sum += share;
		squares += (u64)share * share;
	}
	KUNIT_EXPECT_GE(test, sum, 970ULL);
	/* Jain's index of 0.98 */
	KUNIT_EXPECT_GE(test, sum * sum * 100, squares * FLOWS * 98);
	KUNIT_EXPECT_LE(test, l->lost * 100, l->sent);
	kvfree(l);
}

static struct kunit_case mrc_nscc_cases[] = {
	KUNIT_CASE(mrc_nscc_target_test),
	KUNIT_CASE(mrc_nscc_first_test),
	KUNIT_CASE_PARAM(mrc_nscc_quadrant_test, mrc_nscc_quadrant_gen_params),
	KUNIT_CASE(mrc_nscc_once_test),
	KUNIT_CASE(mrc_nscc_fast_test),
	KUNIT_CASE(mrc_nscc_start_test),
	KUNIT_CASE(mrc_nscc_started_test),
	KUNIT_CASE_PARAM(mrc_nscc_toll_test, mrc_nscc_toll_gen_params),
	KUNIT_CASE(mrc_nscc_quick_test),
	KUNIT_CASE(mrc_nscc_gate_test),
	KUNIT_CASE(mrc_nscc_share_test),
	KUNIT_CASE(mrc_nscc_penalty_test),
	KUNIT_CASE(mrc_nscc_pen_test),
	KUNIT_CASE(mrc_nscc_idle_test),
	KUNIT_CASE(mrc_nscc_ceiling_test),
	KUNIT_CASE(mrc_nscc_size_test),
	KUNIT_CASE(mrc_nscc_drain_due_test),
	KUNIT_CASE(mrc_nscc_drain_test),
	KUNIT_CASE(mrc_nscc_full_test),
	KUNIT_CASE(mrc_nscc_window_test),
	KUNIT_CASE(mrc_nscc_lie_test),
	KUNIT_CASE(mrc_nscc_find_test),
	KUNIT_CASE_PARAM(mrc_nscc_startup_test, mrc_nscc_link_gen_params),
	KUNIT_CASE_PARAM(mrc_nscc_converge_delay_test, mrc_nscc_wide_gen_params),
	KUNIT_CASE_PARAM(mrc_nscc_converge_mark_test, mrc_nscc_wide_gen_params),
	KUNIT_CASE(mrc_nscc_random_loss_test),
	KUNIT_CASE(mrc_nscc_short_queue_test),
	KUNIT_CASE(mrc_nscc_incast_test),
	{}
};

static struct kunit_suite mrc_nscc_suite = {
	.name = "mrc_nscc",
	.test_cases = mrc_nscc_cases,
};

kunit_test_suite(mrc_nscc_suite);

