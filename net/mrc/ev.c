// SPDX-License-Identifier: GPL-2.0
/*
 * Entropy values: which are usable, and whose turn it is. See ev.h.
 */
#include <linux/bitmap.h>
#include <linux/compiler.h>
#include <linux/gcd.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "ev.h"

/* Candidates looked at per plane and pick before it is called skipped. */
#define MRC_EV_TRIES	16

/*
 * Steps of the orders inside a round: primes above MRC_EVS_PER_PLANE_MAX are
 * coprime to every number of EVs, so that each step visits all of them.
 */
static const u16 mrc_ev_steps[] = {
	1031, 1117, 1213, 1319, 1433, 1559, 1693, 1847,
	2003, 2179, 2371, 2579, 2803, 3049, 3319, 3607,
	3923, 4271, 4639, 5051, 5501, 5981, 6521, 7079,
	7703, 8387, 9127, 9923, 10799, 11743, 12781, 13901,
};

static_assert(ARRAY_SIZE(mrc_ev_steps) == 32);

/**
 * mrc_ev_plane_size() - memory that a plane's EVs take
 * @n: number of EVs
 *
 * Context: any.
 * Return: bytes, a multiple of 8.
 */
size_t mrc_ev_plane_size(unsigned int n)
{
	size_t map = BITS_TO_LONGS(n) * sizeof(long);

	return ALIGN(5 * map + n * sizeof(struct mrc_ev) +
		     2 * n * sizeof(u16), 8);
}

/**
 * mrc_ev_plane_init() - lay out the EVs of a plane
 * @evp: to be filled; no EV is active
 * @plane: its number
 * @n: number of EVs, 1 .. 2 * MRC_EVS_PER_PLANE_MAX
 * @mem: mrc_ev_plane_size(@n) zeroed bytes, aligned to 8
 *
 * Context: any.
 */
void mrc_ev_plane_init(struct mrc_ev_plane *evp, u8 plane, unsigned int n,
		       void *mem)
{
	size_t map = BITS_TO_LONGS(n);
	unsigned long *maps = mem;

	memset(evp, 0, sizeof(*evp));
	evp->plane = plane;
	evp->n = n;
	evp->good = maps;
	evp->active = maps + map;
	evp->bad = maps + 2 * map;
	evp->denied = maps + 3 * map;
	evp->skip = maps + 4 * map;
	evp->ev = (struct mrc_ev *)(maps + 5 * map);
	evp->act = (u16 *)(evp->ev + n);
	evp->pos = evp->act + n;
}

/**
 * mrc_ev_share() - EVs of each plane
 * @evs: EVs of the peer
 * @n_planes: planes that share them, at least 1
 *
 * Context: any.
 * Return: the number, the same for each plane, 1 .. MRC_EVS_PER_PLANE_MAX.
 */
unsigned int mrc_ev_share(unsigned int evs, unsigned int n_planes)
{
	return clamp(evs / n_planes, 1U, (unsigned int)MRC_EVS_PER_PLANE_MAX);
}

/**
 * mrc_ev_range() - slots of one path, when there are more EVs than paths
 * @n: EVs of the plane
 * @n_paths: paths of the plane, 1 .. @n
 * @i: path, below @n_paths
 * @first: its first slot
 * @count: how many it has, at least one; they differ by one at most
 *
 * Context: any.
 */
void mrc_ev_range(unsigned int n, unsigned int n_paths, unsigned int i,
		  u16 *first, u16 *count)
{
	*first = i * n / n_paths;
	*count = (i + 1) * n / n_paths - *first;
}

/* Inverse of @a modulo @m (coprime, @m > 1): the extended Euclid. */
static u32 mrc_mod_inverse(u32 a, u32 m)
{
	s32 t = 0, next_t = 1, r = m, next_r = a, q, tmp;

	while (next_r) {
		q = r / next_r;
		tmp = t - q * next_t;
		t = next_t;
		next_t = tmp;
		tmp = r - q * next_r;
		r = next_r;
		next_r = tmp;
	}
	return t < 0 ? t + m : t;
}

/**
 * mrc_path_set_init() - choose the paths that a table holds
 * @set: to be filled
 * @total: paths of the template, 1 .. 32767
 * @n: how many are in use at a time: if that is fewer than there are, the
 *	order is random, so that senders do not all use the same ones
 * @seed: random; the same one makes the same choice
 *
 * Context: any.
 */
void mrc_path_set_init(struct mrc_path_set *set, u32 total, u32 n, u32 seed)
{
	set->total = total;
	set->start = 0;
	set->step = 1;
	set->step_inv = 1;
	if (n >= total)
		return;
	set->start = seed % total;
	set->step = mrc_ev_mix(seed) % total;
	while (gcd(set->step, total) != 1)
		set->step = (set->step + 1) % total;
	set->step_inv = mrc_mod_inverse(set->step, total);
}

/**
 * mrc_path_set_k() - number of a path within its template
 * @set: set
 * @i: index in the set
 *
 * Context: any.
 * Return: the number.
 */
u32 mrc_path_set_k(const struct mrc_path_set *set, u32 i)
{
	return (set->start + i * set->step) % set->total;
}

/**
 * mrc_path_set_index() - the way back from mrc_path_set_k()
 * @set: set
 * @k: number of a path within its template
 *
 * Context: any.
 * Return: index in the set, which may be beyond what the table holds; U32_MAX
 * if the template has no such path.
 */
u32 mrc_path_set_index(const struct mrc_path_set *set, u32 k)
{
	if (k >= set->total)
		return U32_MAX;
	return (k + set->total - set->start) % set->total * set->step_inv %
	       set->total;
}

/* Puts @slot into the rotation or takes it out, as its states say. */
static void mrc_ev_update(struct mrc_ev_plane *evp, unsigned int slot)
{
	bool good = test_bit(slot, evp->active) && !test_bit(slot, evp->bad) &&
		    !test_bit(slot, evp->denied);
	unsigned int last, hole;

	if (good == test_bit(slot, evp->good))
		return;
	if (good) {
		evp->pos[slot] = evp->n_good;
		WRITE_ONCE(evp->act[evp->n_good], slot);
		set_bit(slot, evp->good);
		WRITE_ONCE(evp->n_good, evp->n_good + 1);
		return;
	}
	clear_bit(slot, evp->good);
	clear_bit(slot, evp->skip);
	hole = evp->pos[slot];
	last = evp->act[evp->n_good - 1];
	evp->pos[last] = hole;
	WRITE_ONCE(evp->act[hole], last);
	WRITE_ONCE(evp->n_good, evp->n_good - 1);
}

static void mrc_ev_assign(struct mrc_ev_plane *evp, unsigned long *map,
			  unsigned int first, unsigned int count, bool on)
{
	unsigned int slot;

	for (slot = first; slot < first + count; slot++) {
		if (on)
			set_bit(slot, map);
		else
			clear_bit(slot, map);
		mrc_ev_update(evp, slot);
	}
}

/**
 * mrc_ev_set_active() - take an EV into the working set or out of it
 * @evp: plane
 * @slot: EV
 * @on: into it
 *
 * Context: serialised by the caller.
 */
void mrc_ev_set_active(struct mrc_ev_plane *evp, unsigned int slot, bool on)
{
	mrc_ev_assign(evp, evp->active, slot, 1, on);
}

/**
 * mrc_ev_set_bad() - evidence against a path, or for it, hits all its EVs
 * @evp: plane
 * @first: first slot
 * @count: how many
 * @on: ASSUMED_BAD, or no longer
 *
 * Context: serialised by the caller.
 */
void mrc_ev_set_bad(struct mrc_ev_plane *evp, unsigned int first,
		    unsigned int count, bool on)
{
	mrc_ev_assign(evp, evp->bad, first, count, on);
}

/**
 * mrc_ev_set_denied() - the administrator's word
 * @evp: plane
 * @first: first slot
 * @count: how many
 * @on: DENIED, or no longer
 *
 * Context: serialised by the caller.
 */
void mrc_ev_set_denied(struct mrc_ev_plane *evp, unsigned int first,
		       unsigned int count, bool on)
{
	mrc_ev_assign(evp, evp->denied, first, count, on);
}

/**
 * mrc_ev_replace() - give the place of an EV to a backup of the same plane
 * @evp: plane
 * @slot: EV that leaves the working set
 *
 * Context: serialised by the caller.
 * Return: the slot that took its place; -1 if no backup is usable, then
 * nothing has changed.
 */
int mrc_ev_replace(struct mrc_ev_plane *evp, unsigned int slot)
{
	unsigned int i;

	if (!test_bit(slot, evp->active))
		return -1;
	for (i = find_next_zero_bit(evp->active, evp->n, 0); i < evp->n;
	     i = find_next_zero_bit(evp->active, evp->n, i + 1)) {
		if (test_bit(i, evp->bad) || test_bit(i, evp->denied))
			continue;
		mrc_ev_set_active(evp, slot, false);
		mrc_ev_set_active(evp, i, true);
		return i;
	}
	return -1;
}

/**
 * mrc_ev_refill() - give the places of all unusable EVs to backups
 * @evp: plane
 *
 * Context: serialised by the caller.
 */
void mrc_ev_refill(struct mrc_ev_plane *evp)
{
	unsigned int slot;

	if (evp->n == evp->n_active || evp->n_good == evp->n_active)
		return;
	for_each_set_bit(slot, evp->active, evp->n)
		if (!test_bit(slot, evp->good) && mrc_ev_replace(evp, slot) < 0)
			return;
}

/**
 * mrc_ev_get_state() - the state MRC gives an EV
 * @evp: plane
 * @slot: EV
 *
 * Context: any.
 * Return: the state; a backup counts as GOOD.
 */
enum mrc_ev_state mrc_ev_get_state(const struct mrc_ev_plane *evp,
				   unsigned int slot)
{
	if (test_bit(slot, evp->denied))
		return MRC_EV_DENIED;
	if (test_bit(slot, evp->bad))
		return MRC_EV_ASSUMED_BAD;
	return test_bit(slot, evp->skip) ? MRC_EV_SKIP : MRC_EV_GOOD;
}

/**
 * mrc_ev_may_leave() - the floor below which no more EVs are marked bad
 * @n_good: usable EVs of the peer
 * @leaving: how many of them would leave
 * @min_active: the floor (ev_min_active)
 *
 * Context: any.
 * Return: true if they may.
 */
bool mrc_ev_may_leave(unsigned int n_good, unsigned int leaving,
		      unsigned int min_active)
{
	return n_good >= leaving && n_good - leaving >= min_active;
}

/**
 * mrc_ev_count_good() - usable EVs in a range
 * @evp: plane
 * @first: first slot
 * @count: how many
 *
 * Context: any.
 * Return: their number.
 */
unsigned int mrc_ev_count_good(const struct mrc_ev_plane *evp,
			       unsigned int first, unsigned int count)
{
	unsigned int slot, n = 0;

	for (slot = first; slot < first + count; slot++)
		n += test_bit(slot, evp->good);
	return n;
}

/**
 * mrc_ev_lose_turn() - an EV is to be passed over once
 * @evp: plane
 * @first: first slot of the path of the EV
 * @count: EVs of that path
 * @slot: slot of the EV; nothing happens if the path does not have it
 *
 * If it is passed over already or not used, another one of its path is, so that
 * each call costs the path a turn. Words are looked at, not EVs: a peer that
 * marks all it gets makes this happen for each SACK.
 *
 * Context: any, without the lock of @evp.
 */
void mrc_ev_lose_turn(const struct mrc_ev_plane *evp, unsigned int first,
		      unsigned int count, unsigned int slot)
{
	unsigned int i, end = first + count;

	if (slot < first || slot >= end)
		return;
	i = find_next_andnot_bit(evp->good, evp->skip, end, slot);
	if (i >= end)
		i = find_next_andnot_bit(evp->good, evp->skip, slot, first);
	else
		slot = end;
	if (i < slot)
		set_bit(i, evp->skip);
}

/**
 * mrc_rotor_seed() - begin a rotation
 * @r: rotor
 * @seed: random
 *
 * Context: serialised by the owner of @r, as all of the rotor.
 */
void mrc_rotor_seed(struct mrc_rotor *r, u32 seed)
{
	memset(r, 0, sizeof(*r));
	r->rnd = seed ?: 1;
	r->lcg = mrc_ev_mix(r->rnd);
}

/**
 * mrc_rotor_random() - next pseudo-random number
 * @r: rotor
 *
 * Marsaglia's xorshift32; has nothing to do with the orders of rounds.
 *
 * Return: never 0.
 */
u32 mrc_rotor_random(struct mrc_rotor *r)
{
	u32 x = r->lcg;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	r->lcg = x;
	return x;
}

/**
 * mrc_rotor_sync() - follow a new path table
 * @r: rotor
 * @gen: its generation
 *
 * The indices of planes mean others now: forget debts. Starts at a random
 * plane, so that senders that begin together do not march in step.
 */
void mrc_rotor_sync(struct mrc_rotor *r, u32 gen)
{
	if (r->gen == gen)
		return;
	memset(r->turn, 0, sizeof(r->turn));
	memset(r->debt, 0, sizeof(r->debt));
	r->gen = gen;
	r->plane = mrc_rotor_random(r) % MRC_ROTOR_PLANES;
}

/**
 * mrc_rotor_plane() - the plane whose turn is next
 * @r: rotor
 * @n: number of planes, 1 .. MRC_ROTOR_PLANES
 * @tried: those that will not do, by index
 *
 * The one with the fewest packets; among equals, in turn.
 *
 * Return: index, -1 if none is left.
 */
int mrc_rotor_plane(const struct mrc_rotor *r, unsigned int n, u32 tried)
{
	unsigned int i, p = r->plane % n;
	int best = -1;

	for (i = 0; i < n; i++, p = p + 1 < n ? p + 1 : 0) {
		if (tried & BIT(p))
			continue;
		if (best < 0 || r->debt[p] < r->debt[best])
			best = p;
	}
	return best;
}

/**
 * mrc_rotor_take() - a plane was picked
 * @r: rotor
 * @n: number of planes
 * @plane: index of the one picked; it is charged one packet
 *
 * As in start-time fair queueing, but a plane left behind keeps a claim to
 * MRC_ROTOR_LAG packets.
 */
void mrc_rotor_take(struct mrc_rotor *r, unsigned int n, unsigned int plane)
{
	u16 now = r->debt[plane], min = now;
	unsigned int p;

	for (p = 0; p < n; p++) {
		if (r->debt[p] + MRC_ROTOR_LAG < now)
			r->debt[p] = now - MRC_ROTOR_LAG;
		min = min(min, r->debt[p]);
	}
	for (p = 0; p < n; p++)
		r->debt[p] -= min;
	r->debt[plane]++;
	r->last = plane;
	r->plane = plane + 1 < n ? plane + 1 : 0;
}

/**
 * mrc_rotor_pass() - planes lose this turn
 * @r: rotor
 * @planes: mask, by index; replaces that of an earlier pick
 *
 * They are charged what the plane that is picked instead will carry. Else they
 * would have it back at the next turn, and a plane that marks all it carries
 * would still carry as much as the others.
 */
void mrc_rotor_pass(struct mrc_rotor *r, u32 planes)
{
	r->passed = planes;
}

/**
 * mrc_rotor_charge() - the burst of the last pick is out
 * @r: rotor
 * @packets: in the burst; 0 if the pick was not used
 */
void mrc_rotor_charge(struct mrc_rotor *r, unsigned int packets)
{
	u16 *debt = &r->debt[r->last];
	unsigned long passed = r->passed;
	unsigned int p;

	/* one is charged already; far below the range of u16 */
	*debt = clamp_t(int, *debt + (int)packets - 1, 0, S16_MAX);
	for_each_set_bit(p, &passed, MRC_ROTOR_PLANES)
		r->debt[p] = min_t(u32, r->debt[p] + packets, S16_MAX);
	r->passed = 0;
}

/* Slot at @turn of the order that @r takes through @n usable EVs. */
static unsigned int mrc_rotor_slot(const struct mrc_rotor *r,
				   unsigned int plane, unsigned int turn,
				   const struct mrc_ev_plane *evp,
				   unsigned int n)
{
	u32 round = turn / n, h;

	h = mrc_ev_mix(r->rnd ^ mrc_ev_mix(plane << 16 | round));
	return READ_ONCE(evp->act[((h & 0xffff) + turn % n *
				   mrc_ev_steps[h >> 27]) % n]);
}

/**
 * mrc_rotor_ev() - the EV whose turn is next
 * @r: rotor
 * @plane: index of the plane
 * @evp: its EVs
 * @turn: state of this pick, zeroed with @skipped = -1 by the caller
 *
 * A skipped EV loses this turn and is GOOD again; only one per pick is given
 * back so. It is its path that should be spared: other EVs of that will not do
 * instead.
 *
 * Context: any, without the lock of @evp.
 * Return: slot; -1 if none is usable or all at hand are skipped.
 */
int mrc_rotor_ev(struct mrc_rotor *r, unsigned int plane,
		 const struct mrc_ev_plane *evp, struct mrc_ev_turn *turn)
{
	unsigned int i, slot, n = READ_ONCE(evp->n_good);

	for (i = 0; i < min(n, MRC_EV_TRIES); i++) {
		slot = mrc_rotor_slot(r, plane, r->turn[plane]++, evp, n);
		if (!test_bit(slot, evp->good))
			continue;
		if (turn->skipped >= 0 &&
		    evp->ev[slot].path == evp->ev[turn->skipped].path)
			continue;
		if (!test_bit(slot, evp->skip))
			return slot;
		if (!turn->restored)
			turn->restored = test_and_clear_bit(slot, evp->skip);
		if (turn->skipped < 0)
			turn->skipped = slot;
	}
	return -1;
}
