// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic by which paths are judged. See judge.h.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "judge.h"

/* Successes in a row that bring a path back, by level. */
static const u8 mrc_judge_needs[MRC_LEVEL_MAX + 1] = { 1, 4, 16, 32 };

/**
 * mrc_judge_spread() - are losses spread evenly over the paths?
 * @sent: packets sent on the path that has lost one, in the window
 * @lost: of these, lost
 * @all_sent: packets sent on all paths in the window, this one included
 * @all_lost: of these, lost
 *
 * Let r be the share of packets that the other paths have lost, at least
 * MRC_SPREAD_MIN of them. At that share this path would have lost r * @sent.
 * One loss is anybody's; it is an outlier if its other losses are more than
 * MRC_OUTLIER times that. So with losses everywhere, two lost packets among
 * fewer than 1 / (3 r) give a path away: at r = 1 % two among 33, which a
 * path that loses a fifth of its packets shows with a probability of
 * 1 - 0.8^33 - 33 * 0.2 * 0.8^32 = 99 %, and one that loses 1 % with
 * 0.99^33: 1 - 0.718 - 0.239 = 4 %.
 *
 * Counts are kept without a lock and may be off by a few.
 *
 * Context: any.
 * Return: true if they are.
 */
bool mrc_judge_spread(u64 sent, u64 lost, u64 all_sent, u64 all_lost)
{
	u64 other_sent = all_sent > sent ? all_sent - sent : 0;
	u64 other_lost = all_lost > lost ? all_lost - lost : 0;

	if (!other_sent || other_lost < MRC_SPREAD_MIN)
		return false;
	return lost < 2 ||
	       (lost - 1) * other_sent <= MRC_OUTLIER * other_lost * sent;
}

/**
 * mrc_judge_window() - forget half of what came before, per window
 * @count: a counter
 * @begin: what it was where the window began
 * @windows: how many windows have passed, 0 .. 63
 *
 * Context: any.
 * Return: where the window begins now.
 */
u64 mrc_judge_window(u64 count, u64 begin, unsigned int windows)
{
	return count - ((count - begin) >> windows);
}

/**
 * mrc_judge_need() - how many probes bring a path back?
 * @level: how often it left again soon after it came back
 *
 * A path that loses the share p of its packets gets in with a probability of
 * (1 - p)^n: at p = 0.2 and n = 32 once in 1,262 attempts.
 *
 * Context: any.
 * Return: successes in a row of probes as long as packets.
 */
unsigned int mrc_judge_need(unsigned int level)
{
	return mrc_judge_needs[min(level, MRC_LEVEL_MAX)];
}

/**
 * mrc_judge_level() - a path leaves because of losses
 * @level: its level so far
 * @by_probe: it was probes that brought it back last
 * @delivered: packets it has delivered since then
 *
 * Context: any.
 * Return: its level now.
 */
unsigned int mrc_judge_level(unsigned int level, bool by_probe, u64 delivered)
{
	if (delivered >= MRC_SETTLED_PKTS)
		return 0;
	return by_probe && level < MRC_LEVEL_MAX ? level + 1 : level;
}

/**
 * mrc_judge_holes() - does a path lose much of what it carries?
 * @holes: packets lost on it so far that others sent then or later survived
 * @apart: packets sent on it between the latest two of these
 *
 * A path that dies loses all that is sent from then on, and once it delivers
 * again it may be believed. One that loses some of what it carries is not to
 * be believed before it has shown it for long (MRC_LEVEL_MAX). At p = 0.2 the
 * second hole is within MRC_HOLES_PKTS of the first with a probability of
 * 1 - (1 - p)^32 = 0.999, at p = 0.001 of 0.03.
 *
 * Context: any.
 * Return: true if so.
 */
bool mrc_judge_holes(u64 holes, u64 apart)
{
	return holes > 1 && apart < MRC_HOLES_PKTS;
}

/**
 * mrc_judge_interval() - how long to wait for the answer to a probe
 * @rto: time-out of the plane, ns
 * @fails: probes in a row without an answer
 * @n_probing: paths of the peer that are being probed
 * @idle: nobody asks for paths
 *
 * Doubles up to a cap that grows with the number of such paths, so that all
 * together cost at most one probe per MRC_PROBE_SHARE_NS, and few are back
 * soon after their link is.
 *
 * Context: any.
 * Return: ns.
 */
u64 mrc_judge_interval(u64 rto, unsigned int fails, unsigned int n_probing,
		       bool idle)
{
	u64 cap = clamp(n_probing * MRC_PROBE_SHARE_NS, MRC_PROBE_CAP_MIN_NS,
			MRC_PROBE_CAP_NS);

	if (idle)
		cap = MRC_PROBE_IDLE_NS;
	return min(rto << min(fails, 16U), max(cap, 4 * rto));
}

/**
 * mrc_judge_rev_due() - is it time to probe a way back?
 * @packets: received from the peer since the last such probe
 * @ns: time since then
 * @rtt: round-trip time, ns; 0 if unknown
 *
 * Context: any.
 * Return: true if it is.
 */
bool mrc_judge_rev_due(u32 packets, u64 ns, u64 rtt)
{
	return (packets >= MRC_REV_PKTS && ns >= rtt) || ns >= MRC_REV_MAX_NS;
}
