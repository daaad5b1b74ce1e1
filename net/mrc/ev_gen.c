// SPDX-License-Identifier: GPL-2.0
/*
 * Entropy values composed of bit fields. See ev_gen.h.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include "ev_gen.h"

#define EV_BITS		32

/* EVs that may be looked at beyond those that are wanted: the low half of at
 * most one in so many is 0, or of all.
 */
#define EV_LOOK_BEYOND	(2 << 16)

static u32 field_bits(const struct mrc_ev_field *f)
{
	return GENMASK(f->width - 1, 0);
}

static const char *field_check(const struct mrc_ev_field *f)
{
	u32 bits;

	if (!f->width || f->width > EV_BITS)
		return "a field has 1 to 32 bits";
	bits = field_bits(f);
	if (f->init > bits || f->min > bits || f->max > bits || f->mask > bits)
		return "a value does not fit the width of its field";
	if (f->min > f->max)
		return "the minimum of a field is above its maximum";
	if (f->init < f->min || f->init > f->max)
		return "the initial value of a field is not between minimum and maximum";
	return NULL;
}

/* The @n-th value that the masked bits of a field can take, the others being
 * those of the initial value: rises with @n.
 */
static u32 field_value(const struct mrc_ev_field *f, u64 n)
{
	u32 mask, bit, v = f->init & ~f->mask;

	for (mask = f->mask; mask; mask &= mask - 1, n >>= 1) {
		bit = mask & -mask;
		if (n & 1)
			v |= bit;
	}
	return v;
}

/* How many of these values are below @limit. */
static u64 field_below(const struct mrc_ev_field *f, u64 limit)
{
	u64 lo = 0, hi = 1ULL << hweight32(f->mask), mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (field_value(f, mid) < limit)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/**
 * struct field_range - which of these values a field takes
 * @first: number of the first one
 * @n: how many
 * @init: number of the initial value, counted from @first
 */
struct field_range {
	u64 first, n, init;
};

static void field_range(const struct mrc_ev_field *f, struct field_range *r)
{
	r->first = field_below(f, f->min);
	r->n = field_below(f, f->max + 1ULL) - r->first;
	r->init = field_below(f, f->init) - r->first;
}

/**
 * mrc_ev_gen_check() - can EVs be made of these fields?
 * @gen: fields
 *
 * Context: any.
 * Return: NULL if so, else what is wrong.
 */
const char *mrc_ev_gen_check(const struct mrc_ev_gen *gen)
{
	unsigned int i, bits = 0;
	const char *msg;
	u32 ev;

	if (!gen->n || gen->n > MRC_EV_FIELDS_MAX)
		return "a generated EV has 1 to 8 fields";
	for (i = 0; i < gen->n; i++) {
		msg = field_check(&gen->f[i]);
		if (msg)
			return msg;
		bits += gen->f[i].width;
	}
	if (bits > EV_BITS)
		return "the fields have more than 32 bits together";
	if (!mrc_ev_gen_fill(gen, &ev, 1))
		return "no EV has a source port, its low 16 bits are 0";
	return NULL;
}

/**
 * mrc_ev_gen_fill() - EVs made of fields
 * @gen: fields, each of which is good by itself
 * @ev: array to be filled
 * @max: entries of it
 *
 * The last field varies fastest. Those without a source port are left out.
 *
 * Context: any.
 * Return: number of EVs, @max at most.
 */
unsigned int mrc_ev_gen_fill(const struct mrc_ev_gen *gen, u32 *ev,
			     unsigned int max)
{
	struct field_range r[MRC_EV_FIELDS_MAX];
	unsigned int n = 0, shift;
	u64 k, rest, turn, total = 1;
	u32 v;
	int i;

	for (i = 0; i < gen->n; i++) {
		field_range(&gen->f[i], &r[i]);
		total *= r[i].n;
	}
	total = min_t(u64, total, max + EV_LOOK_BEYOND);
	for (k = 0; k < total && n < max; k++) {
		v = 0;
		shift = 0;
		rest = k;
		for (i = gen->n - 1; i >= 0; i--) {
			rest = div64_u64_rem(rest, r[i].n, &turn);
			turn += r[i].init;
			if (turn >= r[i].n)
				turn -= r[i].n;
			v |= field_value(&gen->f[i], r[i].first + turn) <<
			     shift;
			shift += gen->f[i].width;
		}
		if (mrc_ev_usable(v))
			ev[n++] = v;
	}
	return n;
}
