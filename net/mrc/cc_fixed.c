// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control "fixed": a constant, bounded window (pure).
 *
 * The window is what 8 x 100 Gb/s at 20 us hold (2 MB); nothing moves it. It
 * is bounded by design: what waits below each plane is limited by
 * MRC_PLANE_QUEUE, what the reader may lag behind by the receive window.
 */
#include "cc.h"

#define MRC_CC_FIXED_WINDOW	(2 * 1024 * 1024)	/* bytes */

static void mrc_cc_fixed_init(struct mrc_cc *cc, u32 mtu)
{
	cc->mtu = mtu;
	cc->cwnd = MRC_CC_FIXED_WINDOW;
}

static void mrc_cc_fixed_ack(struct mrc_cc *cc, const struct mrc_cc_ack *ack)
{
}

static void mrc_cc_fixed_loss(struct mrc_cc *cc, enum mrc_cc_loss why,
			      u32 bytes, u64 now)
{
}

const struct mrc_cc_ops mrc_cc_fixed = {
	.name	= "fixed",
	.init	= mrc_cc_fixed_init,
	.ack	= mrc_cc_fixed_ack,
	.loss	= mrc_cc_fixed_loss,
};
