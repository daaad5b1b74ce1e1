// SPDX-License-Identifier: GPL-2.0
/*
 * What a responder can see of the paths that packets come by, and which of
 * them it calls bad (pure). It sees
 *  - packets that came damaged or trimmed, and
 *  - holes: a burst is up to 15 consecutive PSNs on one EV, so what is missing
 *    between two packets of one has been lost on their path, or is late. Which
 *    of the two shows when it comes: as a retransmission or not.
 *
 * A path that lost l of n packets while t came trimmed has p = 8 l + t points;
 * all others together have P points for N packets. It is called bad if
 *	l >= 4 and 16 l >= n, or t >= 128 and 2 t >= n,
 * and p N > 4 (P + 8) n, that is, has four times as many points per packet as
 * they have, where one more lost packet than there was is always assumed.
 * Saying so costs the path its evidence, and half of everything is forgotten
 * every 4,096 packets.
 *
 * Everything is in a few small tables. Who does not find room there is not
 * judged: it is a hint that is lost.
 */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "suspect.h"

static_assert(MRC_SUSPECT_RUN <= 16);	/* mrc_suspect_hole.missing */

static u32 suspect_points(const struct mrc_suspect_path *p)
{
	return MRC_SUSPECT_WEIGHT * p->lost + p->trimmed;
}

/* Forgets half of everything. */
static void suspect_age(struct mrc_suspects *s)
{
	struct mrc_suspect_path *p;

	s->points = 0;
	for (p = s->path; p < s->path + MRC_SUSPECT_PATHS; p++) {
		p->seen /= 2;
		p->lost /= 2;
		p->trimmed /= 2;
		s->points += suspect_points(p);
	}
	s->seen /= 2;
}

static void suspect_count(struct mrc_suspects *s, u32 key)
{
	struct mrc_suspect_path *p = mrc_suspect_slot(s, key);

	if (suspect_points(p) && p->key == key && p->seen < U16_MAX)
		p->seen++;
	if (++s->seen >= MRC_SUSPECT_WINDOW)
		suspect_age(s);
}

/* The entry of a path that there is evidence against; NULL if another has its
 * place, which thereby is a little less suspect.
 */
static struct mrc_suspect_path *suspect_take(struct mrc_suspects *s, u32 key)
{
	struct mrc_suspect_path *p = mrc_suspect_slot(s, key);

	if (p->key != key && suspect_points(p)) {
		s->points -= suspect_points(p);
		p->lost -= !!p->lost;
		p->trimmed -= !!p->trimmed;
		s->points += suspect_points(p);
		return NULL;
	}
	if (!suspect_points(p)) {
		p->key = key;
		p->seen = 0;
	}
	return p;
}

/**
 * mrc_suspect_lost() - a packet of a path has come damaged, or is lost
 * @s: table
 * @key: path
 *
 * Context: Serialised by the owner of @s, as all here.
 */
void mrc_suspect_lost(struct mrc_suspects *s, u32 key)
{
	struct mrc_suspect_path *p = suspect_take(s, key);

	if (!p || p->lost == U16_MAX)
		return;
	p->lost++;
	s->points += MRC_SUSPECT_WEIGHT;
	suspect_count(s, key);
}

/* @psn has come: is it one that was missing in a run? */
static void suspect_fill(struct mrc_suspects *s, u64 psn, bool rtx)
{
	struct mrc_suspect_hole *h;

	for (h = s->hole; h < s->hole + MRC_SUSPECT_HOLES; h++) {
		if (psn < h->first || psn - h->first >= MRC_SUSPECT_RUN ||
		    !(h->missing & BIT(psn - h->first)))
			continue;
		h->missing &= ~BIT(psn - h->first);
		if (rtx)
			mrc_suspect_lost(s, h->key);
		return;
	}
}

/* A packet that was sent once: does it go on with the run on its plane? */
static void suspect_run(struct mrc_suspects *s, u32 key, u32 ev, u8 plane,
			u64 psn)
{
	struct mrc_suspect_lane *l = &s->lane[plane % MRC_SUSPECT_LANES];
	struct mrc_suspect_hole *h;

	if (ev != l->ev || psn < l->last) {
		l->run = ev != l->ev;
		l->start = psn;
		l->ev = ev;
	} else if (psn - l->start >= MRC_SUSPECT_RUN) {
		l->run = false;
	} else if (l->run && psn > l->last + 1) {
		h = &s->hole[s->next_hole++ % MRC_SUSPECT_HOLES];
		h->first = l->last + 1;
		h->key = key;
		h->missing = BIT(psn - h->first) - 1;
	}
	l->last = psn;
}

/**
 * mrc_suspect_saw() - a packet has come for the first time
 * @s: table
 * @key: path
 * @ev: its EV
 * @plane: on which it came
 * @psn: 64 bits
 * @rtx: it is a retransmission
 */
void mrc_suspect_saw(struct mrc_suspects *s, u32 key, u32 ev, u8 plane,
		     u64 psn, bool rtx)
{
	suspect_fill(s, psn, rtx);
	if (!rtx)
		suspect_run(s, key, ev, plane, psn);
	suspect_count(s, key);
}

/**
 * mrc_suspect_came() - a packet has come trimmed or damaged: it is not missing
 * @s: table
 * @key: path
 * @ev: its EV
 * @plane: on which it came
 * @psn: 64 bits
 * @rtx: it is a retransmission
 */
void mrc_suspect_came(struct mrc_suspects *s, u32 key, u32 ev, u8 plane,
		      u64 psn, bool rtx)
{
	suspect_fill(s, psn, false);
	if (!rtx)
		suspect_run(s, key, ev, plane, psn);
}

/**
 * mrc_suspect_trimmed() - a packet was trimmed on its path
 * @s: table
 * @key: path
 */
void mrc_suspect_trimmed(struct mrc_suspects *s, u32 key)
{
	struct mrc_suspect_path *p = suspect_take(s, key);

	if (!p || p->trimmed == U16_MAX)
		return;
	p->trimmed++;
	s->points++;
	suspect_count(s, key);
}

/* Has the path lost, or trimmed, enough to be called bad on its own? */
static bool suspect_is_poor(const struct mrc_suspect_path *p)
{
	return (p->lost >= MRC_SUSPECT_LOST &&
		p->lost * MRC_SUSPECT_LOST_IN >= p->seen) ||
	       (p->trimmed >= MRC_SUSPECT_TRIMS &&
		p->trimmed * MRC_SUSPECT_TRIMS_IN >= p->seen);
}

/**
 * mrc_suspect_is_bad() - is the path far worse than its siblings?
 * @s: table
 * @key: path
 *
 * Return: true if so, until mrc_suspect_told().
 */
bool mrc_suspect_is_bad(const struct mrc_suspects *s, u32 key)
{
	const struct mrc_suspect_path *p = &s->path[mrc_suspect_index(key)];
	u64 points, seen, other_seen, other_points;

	if (p->key != key || !suspect_is_poor(p))
		return false;
	points = suspect_points(p);
	seen = max_t(u32, p->seen, 1);
	other_seen = s->seen - min_t(u32, p->seen, s->seen);
	other_points = s->points - points;
	return points * other_seen > MRC_SUSPECT_OUTLIER *
				     (other_points + MRC_SUSPECT_WEIGHT) * seen;
}

/**
 * mrc_suspect_told() - the peer is told that a path is bad
 * @s: table
 * @key: path, mrc_suspect_is_bad(); the evidence is used up
 */
void mrc_suspect_told(struct mrc_suspects *s, u32 key)
{
	struct mrc_suspect_path *p = mrc_suspect_slot(s, key);

	s->points -= suspect_points(p);
	s->seen -= min_t(u32, p->seen, s->seen);
	memset(p, 0, sizeof(*p));
}
