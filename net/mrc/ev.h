/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entropy values of one peer and their rotation (pure; the caller provides
 * memory, randomness and the lock for changes).
 *
 * Each plane has the same number of EVs. The rotation takes the planes in
 * turn, weighed by the packets they got, and inside a plane its GOOD EVs in a
 * random order that is drawn anew each round. Choosing takes no lock: a
 * rotor belongs to one connection, what is shared is read with READ_ONCE;
 * changes happen under the peer's lock, but for skips, which are atomic bits.
 */
#ifndef _NET_MRC_EV_H
#define _NET_MRC_EV_H

#include <linux/bitmap.h>
#include <linux/types.h>

#define MRC_EVS_PER_PLANE_MAX	1024

/* Planes a rotor can tell apart: numbers 1-32, or the loopback plane alone. */
#define MRC_ROTOR_PLANES	32

/* Packets that a plane passed over (no room, a skipped EV) may catch up on:
 * two bursts. It never gets back what it missed while it was down.
 */
#define MRC_ROTOR_LAG		30

enum mrc_ev_state {
	MRC_EV_GOOD,
	MRC_EV_SKIP,		/* passed over at its next turn */
	MRC_EV_ASSUMED_BAD,	/* until enough probes succeed */
	MRC_EV_DENIED,		/* by the administrator */
};

/**
 * struct mrc_ev - one entropy value
 * @ev: plane 6 bits | path 15 | spread 11, see wire.h
 * @path: index into the peer's path table
 *
 * Never changes while its table lives.
 */
struct mrc_ev {
	u32	ev;
	u16	path;
};

/**
 * struct mrc_ev_plane - the EVs of one plane
 * @plane: number
 * @n: how many
 * @n_active: of these, the working set, equal on each plane; the others are
 *	its backups
 * @n_good: entries of @act, bits set in @good
 * @good: usable, that is, in the rotation: active and GOOD or SKIP
 * @active: in the working set
 * @bad: ASSUMED_BAD
 * @denied: by the administrator
 * @skip: to be passed over once (atomic bits, no lock)
 * @act: the usable ones, in no order; readers may find one that has just left
 * @pos: where each is in @act
 * @ev: the values
 */
struct mrc_ev_plane {
	u8			plane;
	u16			n;
	u16			n_active;
	u16			n_good;
	unsigned long		*good;
	unsigned long		*active;
	unsigned long		*bad;
	unsigned long		*denied;
	unsigned long		*skip;
	u16			*act;
	u16			*pos;
	struct mrc_ev		*ev;
};

/**
 * struct mrc_rotor - where one connection stands in its rotation
 * @rnd: seed of its pseudo-random orders (never 0 once seeded)
 * @lcg: state of its other random numbers
 * @gen: path table that the indices below belong to
 * @plane: index of the plane whose turn is next
 * @last: index of the plane picked last
 * @turn: per plane index: turns taken, the order inside a round follows from
 *	@rnd, the plane and the number of the round
 * @debt: per plane index: packets sent, above those of the plane that is
 *	furthest behind
 * @passed: planes, by index, that lose a turn to the one picked last
 *
 * Protected by the lock of the connection.
 */
struct mrc_rotor {
	u32	rnd;
	u32	lcg;
	u32	gen;
	u8	plane;
	u8	last;
	u16	turn[MRC_ROTOR_PLANES];
	u16	debt[MRC_ROTOR_PLANES];
	u32	passed;
};

/**
 * struct mrc_ev_turn - what one pick found out on its way
 * @restored: it gave a skipped EV back (at most one per pick)
 * @skipped: slot that was passed over although usable, -1 if none
 */
struct mrc_ev_turn {
	bool	restored;
	int	skipped;
};

/**
 * struct mrc_path_set - which of a template's paths a table holds
 * @total: paths of the template, 1 .. 32767
 * @start: number of the first one
 * @step: from each to the next, coprime to @total
 * @step_inv: @step * @step_inv = 1 modulo @total
 *
 * Path i of the set is number k = (@start + i * @step) mod @total, which can
 * be turned back without a search.
 */
struct mrc_path_set {
	u32	total;
	u32	start;
	u32	step;
	u32	step_inv;
};

void mrc_path_set_init(struct mrc_path_set *set, u32 total, u32 n, u32 seed);
u32 mrc_path_set_k(const struct mrc_path_set *set, u32 i);
u32 mrc_path_set_index(const struct mrc_path_set *set, u32 k);

/* Tables */
size_t mrc_ev_plane_size(unsigned int n);
void mrc_ev_plane_init(struct mrc_ev_plane *evp, u8 plane, unsigned int n,
		       void *mem);
unsigned int mrc_ev_share(unsigned int evs, unsigned int n_planes);
void mrc_ev_range(unsigned int n, unsigned int n_paths, unsigned int i,
		  u16 *first, u16 *count);

/* States. Context: serialised by the caller. */
void mrc_ev_set_active(struct mrc_ev_plane *evp, unsigned int slot, bool on);
void mrc_ev_set_bad(struct mrc_ev_plane *evp, unsigned int first,
		    unsigned int count, bool on);
void mrc_ev_set_denied(struct mrc_ev_plane *evp, unsigned int first,
		       unsigned int count, bool on);
int mrc_ev_replace(struct mrc_ev_plane *evp, unsigned int slot);
void mrc_ev_refill(struct mrc_ev_plane *evp);
enum mrc_ev_state mrc_ev_get_state(const struct mrc_ev_plane *evp,
				   unsigned int slot);
bool mrc_ev_may_leave(unsigned int n_good, unsigned int leaving,
		      unsigned int min_active);
unsigned int mrc_ev_count_good(const struct mrc_ev_plane *evp,
			       unsigned int first, unsigned int count);

/* Rotation */
void mrc_ev_lose_turn(const struct mrc_ev_plane *evp, unsigned int first,
		      unsigned int count, unsigned int slot);
void mrc_rotor_seed(struct mrc_rotor *r, u32 seed);
void mrc_rotor_sync(struct mrc_rotor *r, u32 gen);
int mrc_rotor_plane(const struct mrc_rotor *r, unsigned int n, u32 tried);
void mrc_rotor_take(struct mrc_rotor *r, unsigned int n, unsigned int plane);
void mrc_rotor_pass(struct mrc_rotor *r, u32 planes);
void mrc_rotor_charge(struct mrc_rotor *r, unsigned int packets);
int mrc_rotor_ev(struct mrc_rotor *r, unsigned int plane,
		 const struct mrc_ev_plane *evp, struct mrc_ev_turn *turn);
u32 mrc_rotor_random(struct mrc_rotor *r);

/**
 * mrc_ev_mix - mixes the bits of a number well
 * @x: any number
 *
 * The finalizer of MurmurHash3 (public domain). Not for secrets.
 *
 * Return: a permutation of the 32-bit numbers.
 */
static inline u32 mrc_ev_mix(u32 x)
{
	x ^= x >> 16;
	x *= 0x85ebca6b;
	x ^= x >> 13;
	x *= 0xc2b2ae35;
	x ^= x >> 16;
	return x;
}

#endif
