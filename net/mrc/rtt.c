// SPDX-License-Identifier: GPL-2.0
/*
 * Round-trip times. See rtt.h.
 */
#include <linux/compiler.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "rtt.h"

static void mrc_rtt_set_base(struct mrc_rtt *r, u32 rtt_ns, u64 now)
{
	WRITE_ONCE(r->base, rtt_ns);
	WRITE_ONCE(r->base_at, now);
	WRITE_ONCE(r->far, 0);
}

/* A sample above the base: has the way become longer? */
static void mrc_rtt_far(struct mrc_rtt *r, u32 rtt_ns, u32 base, u64 now)
{
	u32 far = READ_ONCE(r->far);
	u8 n = READ_ONCE(r->far_n);

	if (rtt_ns <= (u64)base * MRC_RTT_FAR_FACTOR ||
	    rtt_ns <= (u64)base + MRC_RTT_FAR_NS) {
		if (far)
			WRITE_ONCE(r->far, 0);
		return;
	}
	if (!far) {
		WRITE_ONCE(r->far, rtt_ns);
		WRITE_ONCE(r->far_n, 1);
		WRITE_ONCE(r->far_from, now);
		return;
	}
	far = min(far, rtt_ns);
	WRITE_ONCE(r->far, far);
	if (n < MRC_RTT_FAR_LEAST)
		WRITE_ONCE(r->far_n, ++n);
	if (n == MRC_RTT_FAR_LEAST &&
	    (s64)(now - READ_ONCE(r->far_from)) >= (s64)MRC_RTT_FAR_AGE_NS)
		mrc_rtt_set_base(r, far, now);
}

/**
 * mrc_rtt_sample() - take a sample
 * @r: estimator
 * @rtt_ns: measured round-trip time, ns; 0 is no sample
 * @now: ns
 *
 * Smoothed as in RFC 6298, with gains of 1/8 and 1/4, but the deviation falls
 * with a gain of 1/32 only: RFC 6298 thinks of a sample per round trip, and
 * with dozens of them a delay would be forgotten before it is over.
 *
 * @now may be a little less than that of a sample that another CPU has taken.
 *
 * Context: any, no lock.
 */
void mrc_rtt_sample(struct mrc_rtt *r, u32 rtt_ns, u64 now)
{
	u32 srtt = READ_ONCE(r->srtt), var = READ_ONCE(r->rttvar);
	u32 dev, base = READ_ONCE(r->base);

	if (!rtt_ns)
		return;
	if (!base || rtt_ns <= base ||
	    (s64)(now - READ_ONCE(r->base_at)) > (s64)MRC_RTT_BASE_AGE_NS)
		mrc_rtt_set_base(r, rtt_ns, now);
	else
		mrc_rtt_far(r, rtt_ns, base, now);
	if (!srtt) {
		var = rtt_ns / 2;
		srtt = rtt_ns;
	} else {
		dev = abs_diff(srtt, rtt_ns);
		var = dev > var ? ((u64)var * 3 + dev) / 4 :
				  ((u64)var * 31 + dev) / 32;
		srtt = max_t(u64, ((u64)srtt * 7 + rtt_ns) / 8, 1);
	}
	WRITE_ONCE(r->rttvar, var);
	WRITE_ONCE(r->srtt, srtt);
}

/**
 * mrc_rtt_rto() - retransmission timeout
 * @r: estimator
 *
 * Before the first sample: MRC_RTT_INIT_NS with half of it as deviation.
 *
 * Context: any.
 * Return: ns.
 */
u64 mrc_rtt_rto(const struct mrc_rtt *r)
{
	u32 srtt = READ_ONCE(r->srtt);

	if (!srtt)
		return 3 * (u64)MRC_RTT_INIT_NS;
	return max_t(u64, srtt + 4 * (u64)READ_ONCE(r->rttvar),
		     MRC_RTT_RTO_MIN_NS);
}

/**
 * mrc_rtt_reorder() - tolerance of the time rule
 * @r: estimator
 *
 * Context: any.
 * Return: ns by which a packet may come after one sent later on its plane.
 */
u64 mrc_rtt_reorder(const struct mrc_rtt *r)
{
	u32 srtt = READ_ONCE(r->srtt);

	if (!srtt)
		return 3 * (u64)MRC_RTT_INIT_NS / 2;
	return max_t(u64, srtt / 4, 4 * (u64)READ_ONCE(r->rttvar));
}
