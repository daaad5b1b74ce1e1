// SPDX-License-Identifier: GPL-2.0
/*
 * Shares of the planes. See share.h.
 */
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "rtt.h"
#include "share.h"

/**
 * mrc_share_weight() - how much a plane may carry
 * @s: its share
 *
 * Context: any.
 * Return: MRC_SHARE_LEAST .. MRC_SHARE_FULL.
 */
u32 mrc_share_weight(const struct mrc_share *s)
{
	return MRC_SHARE_FULL - READ_ONCE(s->cut);
}

/* What waits in queues there, ns. */
static u32 mrc_share_queue(const struct mrc_rtt *r)
{
	u32 srtt = READ_ONCE(r->srtt);

	return srtt - min(srtt, READ_ONCE(r->base));
}

/* The same on the other planes in use, on average; without any, all is normal. */
static u32 mrc_share_others(const struct mrc_rtt *rtt, unsigned int n,
			    unsigned int p)
{
	unsigned int i, used = 0;
	u64 sum = 0;

	for (i = 0; i < n; i++) {
		if (i == p || !READ_ONCE(rtt[i].srtt))
			continue;
		sum += mrc_share_queue(&rtt[i]);
		used++;
	}
	return used ? div_u64(sum, used) : U32_MAX;
}

/**
 * mrc_share_sample() - a round trip on a plane was measured
 * @s: the plane's share
 * @rtt: estimators of all planes, which have the sample already
 * @n: how many they are
 * @p: the plane's index there
 * @now: ns
 *
 * Context: any, no lock.
 */
void mrc_share_sample(struct mrc_share *s, const struct mrc_rtt *rtt,
		      unsigned int n, unsigned int p, u64 now)
{
	u32 queue = mrc_share_queue(&rtt[p]), base = READ_ONCE(rtt[p].base);
	bool limited = READ_ONCE(s->limited);
	u32 others, weight, carries;

	if ((queue <= MRC_SHARE_SLOW_NS && !limited) ||
	    now < READ_ONCE(s->until))
		return;
	others = mrc_share_others(rtt, n, p);
	weight = mrc_share_weight(s);
	if (queue > (u64)others * MRC_SHARE_SLOW_TIMES + MRC_SHARE_SLOW_NS) {
		carries = div_u64((u64)weight * ((u64)base + others),
				  base + queue);
		weight = max(carries, weight / MRC_SHARE_CUT_DIV);
	} else if (limited) {
		weight = min(weight + MRC_SHARE_RISE, MRC_SHARE_FULL);
	} else {
		return;
	}
	WRITE_ONCE(s->cut, MRC_SHARE_FULL - max(weight, MRC_SHARE_LEAST));
	WRITE_ONCE(s->limited, false);
	WRITE_ONCE(s->until, now + READ_ONCE(rtt[p].srtt));
}
