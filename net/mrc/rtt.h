/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Round-trip times of one plane (pure): smoothed value and variation much as
 * in RFC 6298, the lowest value seen lately, and what follows from them.
 */
#ifndef _NET_MRC_RTT_H
#define _NET_MRC_RTT_H

#include <linux/types.h>

#define MRC_RTT_INIT_NS		1000000U	/* before the first sample */
#define MRC_RTT_RTO_MIN_NS	1000000U	/* floor of a timeout: jitter of
						 * soft timers and of a peer
						 * that is busy for a while
						 */
#define MRC_RTT_BASE_AGE_NS	10000000000ULL	/* base older than this yields */

/*
 * So does one that was left far behind: each of so many samples or more, within
 * so long, was longer by this factor and by more than this. A queue of ours is
 * gone by then; the way has become longer.
 */
#define MRC_RTT_FAR_FACTOR	16
#define MRC_RTT_FAR_NS		1000000U
#define MRC_RTT_FAR_AGE_NS	1000000000ULL
#define MRC_RTT_FAR_LEAST	4

/**
 * struct mrc_rtt - estimator; all fields in ns
 * @srtt: smoothed round-trip time, 0 = no sample yet
 * @rttvar: mean deviation
 * @base: lowest sample of the last MRC_RTT_BASE_AGE_NS
 * @base_at: when @base was seen
 * @far: lowest of the latest samples if these are all far above @base, 0 = they
 *	are not
 * @far_from: when the first of these came
 * @far_n: how many, up to MRC_RTT_FAR_LEAST
 *
 * Shared by all connections to a peer and updated without a lock: a lost
 * update costs one sample.
 */
struct mrc_rtt {
	u32	srtt;
	u32	rttvar;
	u32	base;
	u64	base_at;
	u32	far;
	u8	far_n;
	u64	far_from;
};

void mrc_rtt_sample(struct mrc_rtt *r, u32 rtt_ns, u64 now);
/* Retransmission timeout: srtt + 4 * rttvar, at least MRC_RTT_RTO_MIN_NS;
 * 3 * MRC_RTT_INIT_NS before the first sample.
 */
u64 mrc_rtt_rto(const struct mrc_rtt *r);
/* How much later than a packet sent after it may a packet of the same plane
 * arrive before the time rule calls it lost: srtt / 4 as in RACK (RFC 8985),
 * or rttvar * 4 as in a timeout, whichever is more.
 */
u64 mrc_rtt_reorder(const struct mrc_rtt *r);

#endif
