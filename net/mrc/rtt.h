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

/**
 * struct mrc_rtt - estimator; all fields in ns
 * @srtt: smoothed round-trip time, 0 = no sample yet
 * @rttvar: mean deviation
 * @base: lowest sample of the last MRC_RTT_BASE_AGE_NS
 * @base_at: when @base was seen
 *
 * Shared by all connections to a peer and updated without a lock: a lost
 * update costs one sample.
 */
struct mrc_rtt {
	u32	srtt;
	u32	rttvar;
	u32	base;
	u64	base_at;
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
