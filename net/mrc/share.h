/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shares of the planes (pure): how much of what is under way to a peer a plane
 * that is slower than the others may carry. Marks make single paths lose turns;
 * this is the memory that a whole plane cannot keep up, which is what the first
 * packets after a pause must know.
 */
#ifndef _NET_MRC_SHARE_H
#define _NET_MRC_SHARE_H

#include <linux/types.h>

struct mrc_rtt;

/* The weight of a plane like any other, and the least. */
#define MRC_SHARE_FULL		256U
#define MRC_SHARE_LEAST		16U

/* A plane is slow whose queue is so many times as long as the others' on
 * average, and so many ns longer. Ours.
 */
#define MRC_SHARE_SLOW_TIMES	2U
#define MRC_SHARE_SLOW_NS	10000U

/* Its weight then falls to what it could carry in the others' time, but by no
 * more than this part, once per round trip; it rises by so much for each round
 * trip in which it could have carried more. Ours.
 */
#define MRC_SHARE_CUT_DIV	2U
#define MRC_SHARE_RISE		8U

/**
 * struct mrc_share - one plane
 * @cut: what is missing from MRC_SHARE_FULL
 * @limited: it was passed over for its share since its weight rose last
 * @until: the weight stays until then, ns
 *
 * Shared by all connections to a peer and updated without a lock: a lost
 * update costs one step.
 */
struct mrc_share {
	u16	cut;
	bool	limited;
	u64	until;
};

/* How much a plane may carry, MRC_SHARE_LEAST .. MRC_SHARE_FULL. */
u32 mrc_share_weight(const struct mrc_share *s);
/* A round trip on plane @p was measured; @rtt holds the estimators of all @n. */
void mrc_share_sample(struct mrc_share *s, const struct mrc_rtt *rtt,
		      unsigned int n, unsigned int p, u64 now);

#endif
