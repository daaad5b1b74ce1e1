/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a responder can see of the paths that packets come by, and which of
 * them it calls bad (pure).
 */
#ifndef _NET_MRC_SUSPECT_H
#define _NET_MRC_SUSPECT_H

#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/types.h>

/* A path is called bad if it lost so many packets, and one in so many, */
#define MRC_SUSPECT_LOST	4
#define MRC_SUSPECT_LOST_IN	16
/* or so many came trimmed, and one in so many: these come in clumps, */
#define MRC_SUSPECT_TRIMS	128
#define MRC_SUSPECT_TRIMS_IN	2
/* and has so many times the points per packet of all others together; a lost
 * packet is so many points, a trimmed one, which proves that the path works, 1.
 */
#define MRC_SUSPECT_OUTLIER	4
#define MRC_SUSPECT_WEIGHT	8

/* Half of everything is forgotten when so many packets have been seen. */
#define MRC_SUSPECT_WINDOW	4096

/* A burst has so many packets at most, consecutive PSNs on one EV. */
#define MRC_SUSPECT_RUN		15

#define MRC_SUSPECT_PATHS	32
#define MRC_SUSPECT_HOLES	8
#define MRC_SUSPECT_LANES	8

/**
 * struct mrc_suspect_path - a path with evidence against it
 * @key: path, as the caller names it
 * @seen: packets that came, or should have, since the first evidence
 * @lost: of these, damaged or missing
 * @trimmed: of these, trimmed; the entry is free if both are 0
 */
struct mrc_suspect_path {
	u32	key;
	u16	seen;
	u16	lost;
	u16	trimmed;
};

/**
 * struct mrc_suspect_hole - PSNs missing inside a run
 * @first: the lowest
 * @key: path of the run
 * @missing: bit i: @first + i has not come yet; 0: the entry is free
 */
struct mrc_suspect_hole {
	u64	first;
	u32	key;
	u16	missing;
};

/**
 * struct mrc_suspect_lane - the run that is coming on a plane
 * @start: its first PSN
 * @last: its latest
 * @ev: its EV
 * @run: false if it has gone on for longer than a burst can: one EV follows
 *	upon itself, and a gap says nothing
 */
struct mrc_suspect_lane {
	u64	start;
	u64	last;
	u32	ev;
	bool	run;
};

/**
 * struct mrc_suspects - one connection's
 * @path: by hash of the key
 * @hole: the latest ones
 * @lane: by plane, modulo
 * @seen: packets on all paths
 * @points: of all paths
 * @next_hole: the oldest of @hole
 */
struct mrc_suspects {
	struct mrc_suspect_path	path[MRC_SUSPECT_PATHS];
	struct mrc_suspect_hole	hole[MRC_SUSPECT_HOLES];
	struct mrc_suspect_lane	lane[MRC_SUSPECT_LANES];
	u32			seen;
	u32			points;
	u8			next_hole;
};

/* The one place where @key may be. */
static inline u32 mrc_suspect_index(u32 key)
{
	return hash_32(key, ilog2(MRC_SUSPECT_PATHS));
}

static inline struct mrc_suspect_path *
mrc_suspect_slot(struct mrc_suspects *s, u32 key)
{
	return &s->path[mrc_suspect_index(key)];
}

void mrc_suspect_saw(struct mrc_suspects *s, u32 key, u32 ev, u8 plane,
		     u64 psn, bool rtx);
void mrc_suspect_came(struct mrc_suspects *s, u32 key, u32 ev, u8 plane,
		      u64 psn, bool rtx);
void mrc_suspect_trimmed(struct mrc_suspects *s, u32 key);
void mrc_suspect_lost(struct mrc_suspects *s, u32 key);
bool mrc_suspect_is_bad(const struct mrc_suspects *s, u32 key);
void mrc_suspect_told(struct mrc_suspects *s, u32 key);

#endif
