// SPDX-License-Identifier: GPL-2.0
/*
 * Congestion control: the choice of an algorithm, and the two that control
 * nothing (pure).
 *
 * "fixed" has a constant window, by default what 8 x 100 Gb/s at 20 us hold.
 * "none" leaves everything to the receive window and the PSN range. Both are
 * bounded all the same: what waits below each plane is limited by
 * MRC_PLANE_QUEUE, what the reader may lag behind by the receive window.
 */
#include <linux/array_size.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "cc.h"
#include "nscc.h"

#define MRC_CC_FIXED_WINDOW	(2 * 1024 * 1024)	/* bytes, ours */
#define MRC_CC_NONE_WINDOW	(1024 * 1024 * 1024)	/* bytes, "no limit" */

const struct mrc_cc_params mrc_cc_defaults = {
	.target		= MRC_NSCC_TARGET_PCT,
	.target_min	= MRC_NSCC_TARGET_MIN_NS,
	.increase	= 100,
	.decrease	= MRC_NSCC_GAMMA_PCT,
	.init		= MRC_NSCC_INIT_PKTS,
};

static const struct mrc_cc_ops * const mrc_cc_all[] = {
	&mrc_cc_nscc, &mrc_cc_fixed, &mrc_cc_none,
};

/**
 * mrc_cc_find() - look an algorithm up
 * @name: its name
 *
 * Context: any.
 * Return: the algorithm, NULL if there is none.
 */
const struct mrc_cc_ops *mrc_cc_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mrc_cc_all); i++)
		if (!strcmp(mrc_cc_all[i]->name, name))
			return mrc_cc_all[i];
	return NULL;
}

/**
 * mrc_cc_nth() - walk the algorithms
 * @i: from 0
 *
 * Context: any.
 * Return: the algorithm, NULL after the last.
 */
const struct mrc_cc_ops *mrc_cc_nth(unsigned int i)
{
	return i < ARRAY_SIZE(mrc_cc_all) ? mrc_cc_all[i] : NULL;
}

/**
 * mrc_cc_init() - a connection begins
 * @cc: controller
 * @ops: algorithm
 * @p: parameters, NULL = the defaults
 * @mtu: payload of a full packet, bytes
 * @planes: over which packets are spread
 *
 * Context: any.
 */
void mrc_cc_init(struct mrc_cc *cc, const struct mrc_cc_ops *ops,
		 const struct mrc_cc_params *p, u32 mtu, u32 planes)
{
	*cc = (struct mrc_cc) {
		.ops	= ops,
		.p	= p ? *p : mrc_cc_defaults,
		.mtu	= mtu,
		.planes	= max(planes, 1U),
	};
	ops->init(cc);
}

static void mrc_cc_fixed_init(struct mrc_cc *cc)
{
	cc->cwnd = max(cc->p.window ?: MRC_CC_FIXED_WINDOW, cc->mtu);
}

static void mrc_cc_none_init(struct mrc_cc *cc)
{
	cc->cwnd = MRC_CC_NONE_WINDOW;
}

static void mrc_cc_fixed_begin(struct mrc_cc *cc, u64 now)
{
}

static void mrc_cc_fixed_ack(struct mrc_cc *cc, const struct mrc_cc_ack *ack)
{
}

static void mrc_cc_fixed_loss(struct mrc_cc *cc, const struct mrc_cc_loss *loss)
{
}

static enum mrc_cc_state mrc_cc_fixed_state(const struct mrc_cc *cc)
{
	return MRC_CC_CONSTANT;
}

const struct mrc_cc_ops mrc_cc_fixed = {
	.name	= "fixed",
	.init	= mrc_cc_fixed_init,
	.begin	= mrc_cc_fixed_begin,
	.ack	= mrc_cc_fixed_ack,
	.loss	= mrc_cc_fixed_loss,
	.state	= mrc_cc_fixed_state,
};

const struct mrc_cc_ops mrc_cc_none = {
	.name	= "none",
	.init	= mrc_cc_none_init,
	.begin	= mrc_cc_fixed_begin,
	.ack	= mrc_cc_fixed_ack,
	.loss	= mrc_cc_fixed_loss,
	.state	= mrc_cc_fixed_state,
};
