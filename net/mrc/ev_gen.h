/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entropy values composed of bit fields, as switches that forward by slices of
 * the EV want them (pure). A field varies between its minimum and its maximum,
 * in the bits of its mask only, beginning with its initial value; the others
 * are as in that.
 */
#ifndef _NET_MRC_EV_GEN_H
#define _NET_MRC_EV_GEN_H

#include <linux/types.h>

#define MRC_EV_FIELDS_MAX	8

/**
 * struct mrc_ev_field - some bits of an EV
 * @width: how many, 1-32
 * @init: value of the first EV
 * @min: smallest value
 * @max: largest value
 * @mask: bits that change from EV to EV
 */
struct mrc_ev_field {
	u8	width;
	u32	init;
	u32	min;
	u32	max;
	u32	mask;
};

/**
 * struct mrc_ev_gen - fields, the last one ends at bit 0
 * @n: how many, 1 .. MRC_EV_FIELDS_MAX
 * @f: fields
 */
struct mrc_ev_gen {
	u8			n;
	struct mrc_ev_field	f[MRC_EV_FIELDS_MAX];
};

/* Checks the fields. Return: NULL if they are good, else what is wrong with
 * them (a constant string for extack).
 */
const char *mrc_ev_gen_check(const struct mrc_ev_gen *gen);
/* The first @max EVs that may be used, in order. @gen has been checked. */
unsigned int mrc_ev_gen_fill(const struct mrc_ev_gen *gen, u32 *ev,
			     unsigned int max);

/**
 * mrc_ev_usable() - may packets carry this EV?
 * @ev: EV
 *
 * Its low half is the UDP source port; 0 would mean that there is none.
 *
 * Return: true if so.
 */
static inline bool mrc_ev_usable(u32 ev)
{
	return ev & 0xffff;
}

#endif
