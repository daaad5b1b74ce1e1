// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the two rules of loss, the back-off, which copy of a packet arrived.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "../loss.h"

struct path_case {
	const char		*name;
	struct mrc_loss_path	l;
	bool			lost;
};

static const struct path_case path_cases[] = {
	{ "nothing acknowledged on the path",
	  { .seq = 1, .acked = 0, .acked_serial = 0, .serial = 9 }, false },
	{ "only earlier ones acknowledged",
	  { .seq = 5, .acked = 4, .acked_serial = 3, .serial = 9 }, false },
	{ "itself the newest acknowledged",
	  { .seq = 5, .acked = 5, .acked_serial = 3, .serial = 9 }, false },
	{ "a later one acknowledged, newer SACK leaves it clear",
	  { .seq = 5, .acked = 6, .acked_serial = 3, .serial = 9 }, true },
	{ "the same SACK says both",
	  { .seq = 5, .acked = 6, .acked_serial = 9, .serial = 9 }, true },
	{ "the clear bit is older than the acknowledgment",
	  { .seq = 5, .acked = 6, .acked_serial = 9, .serial = 8 }, false },
	{ "numbers wrap",
	  { .seq = U32_MAX, .acked = 1, .acked_serial = 3, .serial = 9 },
	  true },
	{ "numbers wrap the other way",
	  { .seq = 1, .acked = U32_MAX, .acked_serial = 3, .serial = 9 },
	  false },
	{ "serials wrap",
	  { .seq = 5, .acked = 6, .acked_serial = U32_MAX, .serial = 0 },
	  true },
	{ "serials wrap the other way",
	  { .seq = 5, .acked = 6, .acked_serial = 0, .serial = U32_MAX },
	  false },
};

KUNIT_ARRAY_PARAM_DESC(path, path_cases, name);

static void mrc_loss_path_test(struct kunit *test)
{
	const struct path_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, mrc_loss_by_path(&c->l), c->lost);
}

struct time_case {
	const char		*name;
	struct mrc_loss_time	l;
	u64			at;
};

static const struct time_case time_cases[] = {
	{ "silence: a timeout",
	  { .sent_at = 1000, .newest_acked = 0, .srtt = 100, .tolerance = 50,
	    .rto = 700 }, 1700 },
	{ "only an earlier one acknowledged: still a timeout",
	  { .sent_at = 1000, .newest_acked = 999, .srtt = 100,
	    .tolerance = 50, .rto = 700 }, 1700 },
	{ "sent in the same instant: it may be queued behind that",
	  { .sent_at = 1000, .newest_acked = 1000, .srtt = 100,
	    .tolerance = 50, .rto = 700 }, 1700 },
	{ "the same on a plane that was never heard of",
	  { .sent_at = 1000, .newest_acked = 1000, .srtt = 100,
	    .tolerance = 50, .rto = 700, .unheard = true }, 1150 },
	{ "nor does silence become life there",
	  { .sent_at = 1000, .newest_acked = 999, .srtt = 100,
	    .tolerance = 50, .rto = 700, .unheard = true }, 1700 },
	{ "a later one acknowledged: srtt and tolerance",
	  { .sent_at = 1000, .newest_acked = 1001, .srtt = 100,
	    .tolerance = 50, .rto = 700 }, 1150 },
	{ "the latest arrival took longer",
	  { .sent_at = 1000, .newest_acked = 1001, .srtt = 100, .age = 400,
	    .tolerance = 50, .rto = 700 }, 1450 },
	{ "the latest arrival was quicker",
	  { .sent_at = 1000, .newest_acked = 1001, .srtt = 100, .age = 60,
	    .tolerance = 50, .rto = 700 }, 1150 },
	{ "its SACK may come back the longest way",
	  { .sent_at = 1000, .newest_acked = 1001, .srtt = 100, .age = 120,
	    .trip = 300, .tolerance = 50, .rto = 700 }, 1350 },
	{ "it says nothing in silence",
	  { .sent_at = 1000, .newest_acked = 0, .srtt = 100, .age = 400,
	    .tolerance = 50, .rto = 700 }, 1700 },
	{ "without a sample of the plane: a timeout",
	  { .sent_at = 1000, .newest_acked = 1001, .srtt = 0,
	    .tolerance = 50, .rto = 700 }, 1700 },
	{ "timeouts back off",
	  { .sent_at = 1000, .newest_acked = 0, .srtt = 100, .tolerance = 50,
	    .rto = 700, .backoff = MRC_LOSS_LINEAR + 2 }, 3800 },
	{ "a live connection does not back off",
	  { .sent_at = 1000, .newest_acked = 1001, .srtt = 100,
	    .tolerance = 50, .rto = 700, .backoff = 9 }, 1150 },
};

KUNIT_ARRAY_PARAM_DESC(time, time_cases, name);

static void mrc_loss_time_test(struct kunit *test)
{
	const struct time_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, mrc_loss_deadline(&c->l), c->at);
}

static void mrc_loss_backoff_test(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n <= MRC_LOSS_LINEAR; n++)
		KUNIT_EXPECT_EQ(test, mrc_loss_backoff(1000, n), 1000);
	KUNIT_EXPECT_EQ(test, mrc_loss_backoff(1000, MRC_LOSS_LINEAR + 1),
			2000);
	KUNIT_EXPECT_EQ(test, mrc_loss_backoff(1000, MRC_LOSS_LINEAR + 5),
			32000);
	for (n = MRC_LOSS_LINEAR + 21; n < 300; n++)
		KUNIT_EXPECT_EQ(test, mrc_loss_backoff(1000, n),
				MRC_LOSS_CAP_NS);
	/* An interval above the cap is kept, not shortened. */
	KUNIT_EXPECT_EQ(test, mrc_loss_backoff(2 * MRC_LOSS_CAP_NS, 7),
			2 * MRC_LOSS_CAP_NS);
}

struct copy_case {
	const char		*name;
	struct mrc_loss_copy	c;
	enum mrc_copy		copy;
};

static const struct copy_case copy_cases[] = {
	{ "sent once",
	  { .tx = 1, .sack_ev = 5, .ev = 5, .age = 900, .base = 100 },
	  MRC_COPY_LAST },
	{ "sent once, and the SACK names no EV",
	  { .tx = 1, .no_ev = true, .ev = 5, .age = 900, .base = 100 },
	  MRC_COPY_LAST },
	{ "sent twice, the last one's EV, another path",
	  { .tx = 2, .sack_ev = 5, .ev = 5, .age = 900, .base = 100 },
	  MRC_COPY_LAST },
	{ "sent twice, the last one's EV, the same path",
	  { .tx = 2, .sack_ev = 5, .ev = 5, .same_path = true, .age = 900,
	    .base = 100 },
	  MRC_COPY_UNKNOWN },
	{ "sent twice, another EV",
	  { .tx = 2, .sack_ev = 6, .ev = 5, .same_path = true, .age = 900,
	    .base = 100 },
	  MRC_COPY_FIRST },
	{ "sent twice, no EV, too late to tell",
	  { .tx = 2, .no_ev = true, .ev = 5, .age = 50, .base = 100 },
	  MRC_COPY_UNKNOWN },
	{ "sent twice, no EV, too early for the last one",
	  { .tx = 2, .no_ev = true, .ev = 5, .age = 49, .base = 100 },
	  MRC_COPY_FIRST },
	{ "sent twice, the same path and EV, too early for the last one",
	  { .tx = 2, .sack_ev = 5, .ev = 5, .same_path = true, .age = 49,
	    .base = 100 },
	  MRC_COPY_FIRST },
	{ "sent three times",
	  { .tx = 3, .sack_ev = 6, .ev = 5, .age = 1, .base = 100 },
	  MRC_COPY_UNKNOWN },
};

KUNIT_ARRAY_PARAM_DESC(copy, copy_cases, name);

static void mrc_loss_copy_test(struct kunit *test)
{
	const struct copy_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, mrc_loss_copy(&c->c), c->copy);
}

static struct kunit_case mrc_loss_cases[] = {
	KUNIT_CASE_PARAM(mrc_loss_copy_test, copy_gen_params),
	KUNIT_CASE_PARAM(mrc_loss_path_test, path_gen_params),
	KUNIT_CASE_PARAM(mrc_loss_time_test, time_gen_params),
	KUNIT_CASE(mrc_loss_backoff_test),
	{}
};

static struct kunit_suite mrc_loss_suite = {
	.name = "mrc_loss",
	.test_cases = mrc_loss_cases,
};

kunit_test_suite(mrc_loss_suite);
