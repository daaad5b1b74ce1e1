/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arithmetic by which paths are judged (pure): which losses are spread
 * over all paths, how many probes bring a path back and how often it is
 * probed, when the way back is probed. What is done with it: peer_health.c,
 * probe.c.
 */
#ifndef _NET_MRC_JUDGE_H
#define _NET_MRC_JUDGE_H

#include <linux/time64.h>
#include <linux/types.h>

/* Losses are compared over this time; half of what is older is forgotten. */
#define MRC_LOSS_WINDOW_NS	(100ULL * NSEC_PER_MSEC)
#define MRC_OUTLIER		3
#define MRC_SPREAD_MIN		2

/* Packets delivered after which a path's return was not too soon. */
#define MRC_SETTLED_PKTS	1000
#define MRC_LEVEL_MAX		3

/* Two losses within so many packets of a path that goes on delivering. */
#define MRC_HOLES_PKTS		32

#define MRC_PROBE_PACE_NS	(50ULL * NSEC_PER_USEC)

/* After a run of successes was broken, times the level: do not pester. */
#define MRC_PROBE_PAUSE_NS	(2ULL * NSEC_PER_MSEC)

/* Between two probes of a path that gives no answer at most: */
#define MRC_PROBE_SHARE_NS	(500ULL * NSEC_PER_USEC) /* times such paths */
#define MRC_PROBE_CAP_MIN_NS	(4ULL * NSEC_PER_MSEC)
#define MRC_PROBE_CAP_NS	(32ULL * NSEC_PER_MSEC)
#define MRC_PROBE_IDLE_NS	(1ULL * NSEC_PER_SEC)

/* The way back is probed once per so many packets received and per round
 * trip, and in any case once in so long.
 */
#define MRC_REV_PKTS		400
#define MRC_REV_MAX_NS		(1ULL * NSEC_PER_SEC)

bool mrc_judge_spread(u64 sent, u64 lost, u64 all_sent, u64 all_lost);
u64 mrc_judge_window(u64 count, u64 begin, unsigned int windows);
unsigned int mrc_judge_need(unsigned int level);
unsigned int mrc_judge_level(unsigned int level, bool by_probe, u64 delivered);
bool mrc_judge_holes(u64 holes, u64 apart);
u64 mrc_judge_interval(u64 rto, unsigned int fails, unsigned int n_probing,
		       bool idle);
bool mrc_judge_rev_due(u32 packets, u64 ns, u64 rtt);

#endif
