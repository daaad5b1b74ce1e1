// SPDX-License-Identifier: GPL-2.0
/*
 * Peers: evidence about paths, and what follows from it.
 *
 * A loss takes its path out at once, and the path is probed at once. It is
 * only doubted, that is, used and probed at the same time, if
 *  - it is the last good path of its plane, or
 *  - losses are spread evenly over the paths (judge.c), or
 *  - in a fabric that does not trim, it is marked or delayed and loses little:
 *    that is congestion.
 * A doubted path leaves when its probe or a packet of another burst is lost and
 * nothing that was sent between the two has arrived. (A burst is one skb to
 * some queues: its losses are one event.) Losses on two paths of a plane
 * without a later success there make the plane suspect: all its paths leave.
 *
 * If nothing comes back on any plane it is the peer that is silent, or we were
 * not running: the first plane that notices is judged as above, paths of the
 * others are only doubted until anything arrives. Evidence older than the
 * present state of a path changes nothing.
 */
#include <linux/math64.h>
#include <linux/random.h>

#include "judge.h"
#include "netlink.h"
#include "peer_int.h"

/* A path that loses more than one packet in so many is not just congested. */
#define MRC_CONGEST_SHARE	16

/* A mark counts for so many round trips; delay from so many times the base up,
 * and more than the jitter of hosts.
 */
#define MRC_MARK_RTTS		4
#define MRC_DELAY_FACTOR	4
#define MRC_DELAY_MIN_NS	NSEC_PER_MSEC

/* What is learnt of reordering: a margin, a bound and an age. */
#define MRC_REORDER_MAX_NS	(50U * NSEC_PER_MSEC)
#define MRC_REORDER_AGE_NS	(10ULL * NSEC_PER_SEC)

/* A path that has come back is not taken out again within this time because
 * the peer says so. Ours.
 */
#define MRC_SKIP_GAP_NS		(10ULL * NSEC_PER_MSEC)

/* A way back on which something arrived so many round trips ago is known to
 * work and needs no probe.
 */
#define MRC_REV_RTTS		2

/* The table that @used belongs to, NULL if it is no longer the present one. */
static struct mrc_peer_paths *mrc_used_table(struct mrc_peer *peer,
					     const struct mrc_used *used)
{
	struct mrc_peer_paths *t = rcu_dereference(peer->paths);

	return t && t->gen == used->gen && used->path < t->n_paths ? t : NULL;
}

/* The same with the lock held. */
static struct mrc_peer_paths *mrc_used_locked(struct mrc_peer *peer,
					      const struct mrc_used *used)
{
	struct mrc_peer_paths *t = mrc_paths_locked(peer);

	return t && t->gen == used->gen && used->path < t->n_paths ? t : NULL;
}

static int mrc_path_e(const struct mrc_peer_paths *t, u16 idx)
{
	return mrc_paths_plane(t, t->path[idx].plane);
}

/* Usable EVs of the peer. */
unsigned int mrc_paths_good_evs(const struct mrc_peer_paths *t)
{
	unsigned int e, n = 0;

	for (e = 0; e < t->n_planes; e++)
		n += t->evp[e].n_good;
	return n;
}

/* Is no other path of its plane good? */
static bool mrc_path_is_last(const struct mrc_peer_paths *t, u16 idx)
{
	const struct mrc_peer_plane *pl = &t->pl[mrc_path_e(t, idx)];
	unsigned int i;

	for (i = pl->first; i < pl->first + pl->n; i++)
		if (i != idx && t->path[i].state == MRC_EV_GOOD)
			return false;
	return true;
}

/**
 * mrc_path_set_state() - the one place where a path changes its state
 * @peer: peer
 * @t: its table
 * @idx: path
 * @state: MRC_EV_GOOD, MRC_EV_ASSUMED_BAD or MRC_EV_DENIED
 * @why: what brings it there
 * @now: ktime ns
 *
 * Context: lock held.
 */
void mrc_path_set_state(struct mrc_peer *peer, struct mrc_peer_paths *t,
			u16 idx, enum mrc_ev_state state,
			enum mrc_path_why why, u64 now)
{
	struct mrc_ev_plane *evp = &t->evp[mrc_path_e(t, idx)];
	struct mrc_path *path = &t->path[idx];
	bool was = path->state == MRC_EV_GOOD, is = state == MRC_EV_GOOD;
	bool denial = path->state != state && (path->state == MRC_EV_DENIED ||
					       state == MRC_EV_DENIED);

	path->doubt = false;
	WRITE_ONCE(path->state, state);
	WRITE_ONCE(path->why, why);
	WRITE_ONCE(path->since, now);
	mrc_ev_set_bad(evp, path->ev_first, path->ev_n,
		       state == MRC_EV_ASSUMED_BAD);
	mrc_ev_set_denied(evp, path->ev_first, path->ev_n,
			  state == MRC_EV_DENIED);
	mrc_ev_refill(evp);
	if (state == MRC_EV_DENIED)
		mrc_probe_stop(t, idx);
	if (was == is && !denial)
		return;
	if (is) {
		path->acked_back = path->acked;
		path->lossy = false;
		MRC_INC(peer->mnet, PATH_GOOD);
		mrc_peer_news(peer, MRC_NEWS_PATH_GOOD);
	} else if (was) {
		MRC_INC(peer->mnet, PATH_BAD);
		mrc_peer_news(peer, MRC_NEWS_PATH_BAD);
	}
	/* a plane that goes says so itself, once */
	if (why != MRC_WHY_PLANE_DOWN)
		mrc_nl_path_event(peer, path, is);
}

/**
 * mrc_path_out() - take a good path out, without probing it
 * @peer: peer
 * @t: its table
 * @idx: path
 * @why: the evidence
 * @now: ktime ns
 *
 * Context: lock held.
 * Return: false if the floor ev_min_active keeps it in use.
 */
bool mrc_path_out(struct mrc_peer *peer, struct mrc_peer_paths *t, u16 idx,
		  enum mrc_path_why why, u64 now)
{
	const struct mrc_ev_plane *evp = &t->evp[mrc_path_e(t, idx)];
	struct mrc_path *path = &t->path[idx];
	unsigned int leaving = mrc_ev_count_good(evp, path->ev_first,
						 path->ev_n);

	if (leaving && !mrc_ev_may_leave(mrc_paths_good_evs(t), leaving,
					 READ_ONCE(peer->mnet->conf.ev_min_active)))
		return false;
	if (why == MRC_WHY_LOSS || why == MRC_WHY_TIMEOUT)
		path->level = mrc_judge_level(path->level,
					      path->why == MRC_WHY_PROBE,
					      path->acked - path->acked_back);
	if (path->lossy)
		path->level = MRC_LEVEL_MAX;
	mrc_path_set_state(peer, t, idx, MRC_EV_ASSUMED_BAD, why, now);
	return true;
}

/**
 * mrc_path_leave() - take a good path out and probe it at once
 * @peer: peer
 * @t: its table
 * @idx: path
 * @why: the evidence
 * @now: ktime ns
 *
 * Context: lock held.
 * Return: false if the floor ev_min_active keeps it in use.
 */
bool mrc_path_leave(struct mrc_peer *peer, struct mrc_peer_paths *t, u16 idx,
		    enum mrc_path_why why, u64 now)
{
	if (!mrc_path_out(peer, t, idx, why, now))
		return false;
	mrc_probe_start(peer, t, idx, now);
	return true;
}

/**
 * mrc_path_doubt() - keep using a path, but probe it now
 * @peer: peer
 * @t: its table
 * @idx: path
 * @sent_at: when the packet left that speaks against it, ktime ns
 * @now: ktime ns
 *
 * Context: lock held.
 */
void mrc_path_doubt(struct mrc_peer *peer, struct mrc_peer_paths *t, u16 idx,
		    u64 sent_at, u64 now)
{
	struct mrc_path *path = &t->path[idx];

	if (!path->doubt)
		MRC_INC(peer->mnet, PATH_KEPT);
	path->doubt_sent = path->doubt ? max(path->doubt_sent, sent_at) :
			   sent_at;
	path->doubt = true;
	if (!test_bit(idx, t->probing))
		mrc_probe_start(peer, t, idx, now);
}

/* A round trip of @plane was measured: what may it carry? */
static void mrc_peer_share(struct mrc_peer *peer, u8 plane, u64 now)
{
	struct mrc_share *s = &peer->share[plane];
	u32 uneven = READ_ONCE(peer->uneven);

	if (!plane)
		return;
	mrc_share_sample(s, peer->rtt, ARRAY_SIZE(peer->rtt), plane, now);
	if (!READ_ONCE(s->cut) == !(uneven & BIT(plane - 1)))
		return;
	WRITE_ONCE(peer->uneven, uneven ^ BIT(plane - 1));
}

bool mrc_peer_uneven(const struct mrc_peer *peer)
{
	return READ_ONCE(peer->uneven);
}

u64 mrc_peer_part(const struct mrc_peer *peer, u8 plane)
{
	return (u64)mrc_share_weight(&peer->share[plane]) *
	       READ_ONCE(peer->rtt[plane].base);
}

void mrc_peer_limited(struct mrc_peer *peer, u8 plane)
{
	WRITE_ONCE(peer->share[plane].limited, true);
}

/**
 * mrc_path_works() - something sent on a path has arrived
 * @t: table
 * @idx: path
 * @sent_at: when it was sent, ktime ns
 * @now: ktime ns
 *
 * Context: any, with the lock or under RCU: plain times, each written whole.
 */
void mrc_path_works(struct mrc_peer_paths *t, u16 idx, u64 sent_at, u64 now)
{
	struct mrc_peer_plane *pl = &t->pl[mrc_path_e(t, idx)];
	struct mrc_path *path = &t->path[idx];

	WRITE_ONCE(path->last_acked, now);
	if (sent_at > READ_ONCE(path->acked_sent))
		WRITE_ONCE(path->acked_sent, sent_at);
	if (sent_at > READ_ONCE(pl->acked_sent))
		WRITE_ONCE(pl->acked_sent, sent_at);
	if (READ_ONCE(path->state) == MRC_EV_GOOD) {
		WRITE_ONCE(pl->rev_path, idx);
		WRITE_ONCE(pl->rev_at, now);
	}
}

/* @n packets left on this path. */
void mrc_peer_sent(struct mrc_peer *peer, const struct mrc_used *used, u32 n)
{
	struct mrc_peer_paths *t = mrc_used_table(peer, used);

	if (!t)
		return;
	WRITE_ONCE(t->path[used->path].sent, t->path[used->path].sent + n);
	WRITE_ONCE(t->sent, t->sent + n);
}

/* @n packets arrived; see peer.h. */
void mrc_peer_acked(struct mrc_peer *peer, const struct mrc_used *used, u32 n,
		    u64 sent_at, u32 rtt_ns, u64 now)
{
	struct mrc_peer_paths *t = mrc_used_table(peer, used);
	struct mrc_plane *plane;
	struct mrc_path *path;

	if (!t)
		return;
	path = &t->path[used->path];
	plane = mrc_plane_get_rcu(peer->mnet, path->plane);
	if (plane && unlikely(!READ_ONCE(plane->warm)))
		mrc_plane_set_warm(plane, true);
	WRITE_ONCE(path->acked, path->acked + n);
	mrc_path_works(t, used->path, sent_at, now);
	if (rtt_ns) {
		mrc_rtt_sample(mrc_peer_rtt(peer, path->plane), rtt_ns, now);
		mrc_rtt_sample(&path->rtt, rtt_ns, now);
		mrc_peer_share(peer, path->plane, now);
	}
}

static void mrc_window_move(struct mrc_peer_paths *t, u64 now)
{
	u64 windows = div64_u64(mrc_since(now, t->win_at),
				MRC_LOSS_WINDOW_NS);
	struct mrc_path *path;
	unsigned int i, n;

	if (!windows)
		return;
	n = min_t(u64, windows, 63);
	t->win_at = now;
	t->win_sent = mrc_judge_window(t->sent, t->win_sent, n);
	t->win_lost = mrc_judge_window(t->lost, t->win_lost, n);
	for (i = 0; i < t->n_paths; i++) {
		path = &t->path[i];
		path->win_sent = mrc_judge_window(path->sent, path->win_sent,
						  n);
		path->win_lost = mrc_judge_window(path->lost, path->win_lost,
						  n);
	}
}

/* Are losses spread evenly over the paths, this one included? */
static bool mrc_loss_is_spread(const struct mrc_peer_paths *t,
			       const struct mrc_path *path)
{
	return mrc_judge_spread(path->sent - path->win_sent,
				path->lost - path->win_lost,
				t->sent - t->win_sent, t->lost - t->win_lost);
}

bool mrc_peer_trims(const struct mrc_peer *peer)
{
	return READ_ONCE(peer->mnet->conf.trim) || READ_ONCE(peer->trim_seen);
}

/* Was a packet marked or trimmed on this path in the last round trips? */
static bool mrc_path_marked(struct mrc_peer *peer, const struct mrc_path *path,
			    u64 now)
{
	u64 rtt = READ_ONCE(mrc_peer_rtt(peer, path->plane)->srtt);
	u64 marked = READ_ONCE(path->marked_at);

	return marked && mrc_since(now, marked) < MRC_MARK_RTTS * rtt;
}

bool mrc_peer_path_plane(struct mrc_peer *peer, struct mrc_used *used)
{
	const struct mrc_peer_paths *t = mrc_used_table(peer, used);

	if (!t)
		return false;
	used->plane = t->path[used->path].plane;
	return true;
}

bool mrc_peer_path_good(struct mrc_peer *peer, const struct mrc_used *used)
{
	const struct mrc_peer_paths *t = mrc_used_table(peer, used);

	return !t || READ_ONCE(t->path[used->path].state) == MRC_EV_GOOD;
}

/* What queues there are on a path; see peer.h. */
bool mrc_peer_load(struct mrc_peer *peer, const struct mrc_used *used, u64 now,
		   u32 *delay_ns)
{
	const struct mrc_peer_paths *t = mrc_used_table(peer, used);
	const struct mrc_path *path;
	u32 rtt, base;

	*delay_ns = 0;
	if (!t)
		return false;
	path = &t->path[used->path];
	rtt = READ_ONCE(path->rtt.srtt);
	base = READ_ONCE(path->rtt.base);
	*delay_ns = rtt > base ? rtt - base : 0;
	return mrc_path_marked(peer, path, now);
}

/* Does a loss on this path mean congestion? */
static bool mrc_loss_is_congestion(struct mrc_peer *peer,
				   const struct mrc_path *path, u64 now)
{
	u64 rtt, base;

	if (mrc_peer_trims(peer))
		return false;
	if ((path->lost - path->win_lost) * MRC_CONGEST_SHARE >
	    path->sent - path->win_sent)
		return false;
	if (mrc_path_marked(peer, path, now))
		return true;
	rtt = READ_ONCE(path->rtt.srtt);
	base = READ_ONCE(path->rtt.base);
	return rtt > MRC_DELAY_FACTOR * base && rtt > base + MRC_DELAY_MIN_NS;
}

/**
 * mrc_peer_is_silent() - is it the peer rather than the path?
 * @t: table
 * @idx: path of a packet or probe that is lost
 * @sent_at: when that was sent, ktime ns
 *
 * Context: lock held.
 * Return: true if nothing sent since then has arrived on any plane, and
 * another plane has noticed before.
 */
bool mrc_peer_is_silent(struct mrc_peer_paths *t, u16 idx, u64 sent_at)
{
	int e, own = mrc_path_e(t, idx);
	u64 newest = 0;

	for (e = 0; e < t->n_planes; e++)
		newest = max(newest, READ_ONCE(t->pl[e].acked_sent));
	if (sent_at <= newest)
		return false;
	if (t->silent_sent <= newest) {
		t->silent_e = own;
		t->silent_sent = sent_at;
	}
	return t->silent_e != own;
}

/* All good paths of plane @e leave and are probed. */
static void mrc_plane_suspect(struct mrc_peer *peer, struct mrc_peer_paths *t,
			      int e, u64 now)
{
	struct mrc_peer_plane *pl = &t->pl[e];
	unsigned int i;

	pl->loss_path = MRC_PATH_NONE;
	MRC_INC(peer->mnet, PLANE_SUSPECT);
	for (i = pl->first; i < pl->first + pl->n; i++)
		if (t->path[i].state == MRC_EV_GOOD)
			mrc_path_leave(peer, t, i, MRC_WHY_PLANE_SUSPECT, now);
}

/* A loss as seen by its plane; true if the plane is suspect now. */
static bool mrc_plane_loss(struct mrc_peer *peer, struct mrc_peer_paths *t,
			   u16 idx, u64 sent_at, u64 now)
{
	int e = mrc_path_e(t, idx);
	struct mrc_peer_plane *pl = &t->pl[e];
	u64 acked = READ_ONCE(pl->acked_sent);

	if (sent_at <= acked)
		return false;
	if (pl->loss_path == MRC_PATH_NONE || pl->loss_sent <= acked) {
		pl->loss_path = idx;
		pl->loss_sent = sent_at;
		return false;
	}
	if (pl->loss_path == idx)
		return false;
	mrc_plane_suspect(peer, t, e, now);
	return true;
}

static void mrc_path_loss(struct mrc_peer *peer, struct mrc_peer_paths *t,
			  u16 idx, u64 sent_at, enum mrc_path_why why, u64 now)
{
	struct mrc_path *path = &t->path[idx];
	bool again = path->doubt && sent_at != path->doubt_sent &&
		     READ_ONCE(path->acked_sent) < min(path->doubt_sent, sent_at);
	bool keep = !again && (mrc_path_is_last(t, idx) ||
			       mrc_loss_is_spread(t, path) ||
			       mrc_loss_is_congestion(peer, path, now));

	if (keep || !mrc_path_leave(peer, t, idx, why, now))
		mrc_path_doubt(peer, t, idx, sent_at, now);
}

/* A loss on a path that delivers: is it one of many? */
static void mrc_path_hole(struct mrc_path *path, u64 sent_at)
{
	if (READ_ONCE(path->acked_sent) < sent_at)
		return;
	path->lossy |= mrc_judge_holes(++path->holes,
				       path->sent - path->hole_sent);
	path->hole_sent = path->sent;
	if (path->lossy && path->state == MRC_EV_ASSUMED_BAD)
		path->level = MRC_LEVEL_MAX;
}

static void mrc_lost(struct mrc_peer *peer, struct mrc_peer_paths *t, u16 idx,
		     u64 sent_at, enum mrc_path_why why, u64 now)
{
	struct mrc_path *path = &t->path[idx];

	mrc_path_hole(path, sent_at);
	mrc_window_move(t, now);
	WRITE_ONCE(path->lost, path->lost + 1);
	t->lost++;
	if (path->state != MRC_EV_GOOD)
		return;
	/* what was sent before it came back says nothing about it now */
	if (path->why != MRC_WHY_NEW && sent_at < path->since)
		return;
	if (mrc_peer_is_silent(t, idx, sent_at))
		mrc_path_doubt(peer, t, idx, sent_at, now);
	else if (!mrc_plane_loss(peer, t, idx, sent_at, now))
		mrc_path_loss(peer, t, idx, sent_at, why, now);
}

/**
 * mrc_peer_lost() - a packet is lost
 * @peer: peer
 * @used: the path it took
 * @sent_at: when it was sent, ktime ns
 * @why: MRC_WHY_LOSS or MRC_WHY_TIMEOUT
 * @now: ktime ns
 *
 * Context: BH off, RCU read side.
 */
void mrc_peer_lost(struct mrc_peer *peer, const struct mrc_used *used,
		   u64 sent_at, enum mrc_path_why why, u64 now)
{
	struct mrc_peer_paths *t;

	if (!mrc_used_table(peer, used))
		return;
	mrc_peer_lock(peer);
	t = mrc_used_locked(peer, used);
	if (t)
		mrc_lost(peer, t, used->path, sent_at, why, now);
	mrc_peer_unlock(peer);
}

/* Does a path that left for this come back when a loss turns out to be none? */
static bool mrc_why_undone(enum mrc_path_why why)
{
	return why != MRC_WHY_PLANE_DOWN && why != MRC_WHY_RESPONDER &&
	       why != MRC_WHY_ADMIN;
}

/* A loss on path @idx was none: as if it had not been. */
static void mrc_undo_loss(struct mrc_peer *peer, struct mrc_peer_paths *t,
			  u16 idx, u64 now)
{
	struct mrc_peer_plane *pl = &t->pl[mrc_path_e(t, idx)];
	struct mrc_path *path = &t->path[idx];

	if (path->lost)
		WRITE_ONCE(path->lost, path->lost - 1);
	if (t->lost)
		t->lost--;
	/* it may have been lost before the windows began */
	path->win_lost = min(path->win_lost, path->lost);
	t->win_lost = min(t->win_lost, t->lost);
	if (pl->loss_path == idx)
		pl->loss_path = MRC_PATH_NONE;
	if (path->state != MRC_EV_ASSUMED_BAD || !mrc_why_undone(path->why))
		return;
	if (path->level)
		path->level--;
	mrc_probe_stop(t, idx);
	mrc_path_set_state(peer, t, idx, MRC_EV_GOOD, MRC_WHY_UNDO, now);
	MRC_INC(peer->mnet, PATH_UNDO);
}

static void mrc_undo(struct mrc_peer *peer, struct mrc_peer_paths *t, u16 idx,
		     bool order, u32 late_ns, u64 now)
{
	struct mrc_path *path = &t->path[idx];
	u32 wanted;

	wanted = min_t(u64, late_ns + (u64)late_ns / 4, MRC_REORDER_MAX_NS);
	if (wanted > path->reorder_ns ||
	    mrc_since(now, path->reorder_at) > MRC_REORDER_AGE_NS)
		WRITE_ONCE(path->reorder_ns, wanted);
	WRITE_ONCE(path->reorder_at, now);
	if (order)
		WRITE_ONCE(path->order_at, now);
	mrc_undo_loss(peer, t, idx, now);
}

/**
 * mrc_peer_undo() - a packet called lost arrived after all
 * @peer: peer
 * @used: the path it took then
 * @order: it was called lost because of the order on its path
 * @late_ns: by how much it was late
 * @now: ktime ns
 *
 * Context: BH off, RCU read side.
 */
void mrc_peer_undo(struct mrc_peer *peer, const struct mrc_used *used,
		   bool order, u32 late_ns, u64 now)
{
	struct mrc_peer_paths *t;

	if (!mrc_used_table(peer, used))
		return;
	mrc_peer_lock(peer);
	t = mrc_used_locked(peer, used);
	if (t)
		mrc_undo(peer, t, used->path, order, late_ns, now);
	mrc_peer_unlock(peer);
}

/**
 * mrc_peer_late() - a packet was acknowledged after so long
 * @peer: peer
 * @used: the path it took
 * @age_ns: time since it was sent
 * @now: ktime ns
 *
 * A packet far from the one that triggers a SACK waits until the second bitmap
 * comes round to it. Whatever has used up half of the time rule's tolerance
 * widens it, by one base round-trip time at most, so that the rule is right
 * from the start and not only after it has been wrong.
 *
 * Context: BH off, RCU read side. Takes no lock.
 */
void mrc_peer_late(struct mrc_peer *peer, const struct mrc_used *used,
		   u64 age_ns, u64 now)
{
	const struct mrc_rtt *rtt = mrc_peer_rtt(peer, used->plane);
	u32 srtt = READ_ONCE(rtt->srtt);
	struct mrc_peer_paths *t;
	struct mrc_path *path;
	u64 own, late;

	own = mrc_rtt_reorder(rtt);
	late = age_ns - min_t(u64, age_ns, srtt);
	late *= 2;
	if (late <= own || !srtt)
		return;
	t = mrc_used_table(peer, used);
	if (!t)
		return;
	path = &t->path[used->path];
	late = min_t(u64, late - own, READ_ONCE(rtt->base));
	if (late > READ_ONCE(path->reorder_ns) ||
	    mrc_since(now, READ_ONCE(path->reorder_at)) > MRC_REORDER_AGE_NS)
		WRITE_ONCE(path->reorder_ns, late);
	WRITE_ONCE(path->reorder_at, now);
}

/* The slot of the EV, -1 if it is none of the path's: it may be what the peer
 * says.
 */
static int mrc_used_slot(const struct mrc_peer_paths *t,
			 const struct mrc_used *used)
{
	int e = mrc_path_e(t, used->path);
	int slot = mrc_paths_slot(t, e, used->ev);

	return slot >= 0 && t->evp[e].ev[slot].path == used->path ? slot : -1;
}

/* The EV loses its next turn, or another one of its path. */
static void mrc_used_lose_turn(struct mrc_peer_paths *t,
			       const struct mrc_used *used)
{
	const struct mrc_path *path = &t->path[used->path];
	int slot = mrc_used_slot(t, used);

	if (slot >= 0)
		mrc_ev_lose_turn(&t->evp[mrc_path_e(t, used->path)],
				 path->ev_first, path->ev_n, slot);
}

/**
 * mrc_peer_marked() - an EV loses its next turn
 * @peer: peer
 * @used: path and EV
 *
 * Context: BH off, RCU read side. Takes no lock.
 */
void mrc_peer_marked(struct mrc_peer *peer, const struct mrc_used *used)
{
	struct mrc_peer_paths *t = mrc_used_table(peer, used);
	struct mrc_path *path;

	if (!t)
		return;
	path = &t->path[used->path];
	WRITE_ONCE(path->marked, path->marked + 1);
	WRITE_ONCE(path->marked_at, ktime_get_ns());
	mrc_used_lose_turn(t, used);
}

/**
 * mrc_peer_trimmed() - a packet arrived trimmed
 * @peer: peer
 * @used: path and EV
 * @skip: that path is crowded, the EV loses its next turn; false if it was
 *	trimmed on its last hop, which is no other on another path
 *
 * From now on a loss without a trim means that the path has failed. Only who
 * has the control key gets here: see mrc_req_nack().
 *
 * Context: BH off, RCU read side. Takes no lock.
 */
void mrc_peer_trimmed(struct mrc_peer *peer, const struct mrc_used *used,
		      bool skip)
{
	struct mrc_peer_paths *t = mrc_used_table(peer, used);
	struct mrc_path *path;

	WRITE_ONCE(peer->trim_seen, true);
	if (!t)
		return;
	path = &t->path[used->path];
	WRITE_ONCE(path->trimmed, path->trimmed + 1);
	if (!skip)
		return;
	WRITE_ONCE(path->marked_at, ktime_get_ns());
	mrc_used_lose_turn(t, used);
}

/**
 * mrc_peer_trimmed_late() - a packet called lost had been trimmed
 * @peer: peer
 * @used: path and EV that it took then
 * @skip: as for mrc_peer_trimmed()
 * @now: ktime ns
 *
 * Unlike mrc_peer_undo() this says nothing of reordering.
 *
 * Context: BH off, RCU read side.
 * Return: false if that path has no such EV, and nothing has changed.
 */
bool mrc_peer_trimmed_late(struct mrc_peer *peer, const struct mrc_used *used,
			   bool skip, u64 now)
{
	struct mrc_peer_paths *t;
	bool ours;

	if (!mrc_used_table(peer, used))
		return false;
	mrc_peer_lock(peer);
	t = mrc_used_locked(peer, used);
	ours = t && mrc_used_slot(t, used) >= 0;
	if (ours)
		mrc_undo_loss(peer, t, used->path, now);
	mrc_peer_unlock(peer);
	if (ours)
		mrc_peer_trimmed(peer, used, skip);
	return ours;
}

/* The peer judges the path bad: a hint, it is probed. One that has just come
 * back stays in use meanwhile: whoever says so with each SACK does not make it
 * leave and come back with each round trip.
 */
void mrc_peer_always_skip(struct mrc_peer *peer, const struct mrc_used *used,
			  u64 now)
{
	const struct mrc_path *path;
	struct mrc_peer_paths *t;
	bool back;

	if (!mrc_used_table(peer, used))
		return;
	mrc_peer_lock(peer);
	t = mrc_used_locked(peer, used);
	if (!t || t->path[used->path].state != MRC_EV_GOOD)
		goto out;
	path = &t->path[used->path];
	back = path->why != MRC_WHY_NEW &&
	       mrc_since(now, path->since) < MRC_SKIP_GAP_NS;
	if (back || mrc_path_is_last(t, used->path) ||
	    !mrc_path_leave(peer, t, used->path, MRC_WHY_RESPONDER, now))
		mrc_path_doubt(peer, t, used->path, now, now);
out:
	mrc_peer_unlock(peer);
}

/* Is the way back on plane @e known to work, by our own data or probes? */
static bool mrc_rev_fresh(struct mrc_peer *peer,
			  const struct mrc_peer_paths *t, int e, u64 now)
{
	u64 rtt = READ_ONCE(mrc_peer_rtt(peer, t->evp[e].plane)->srtt);

	return mrc_since(now, READ_ONCE(t->pl[e].rev_at)) < MRC_REV_RTTS * rtt;
}

/* Is a probe of a way back due, data having come on plane @plane? */
static bool mrc_rev_due(struct mrc_peer *peer, u8 plane, u64 now)
{
	u32 packets = READ_ONCE(peer->heard) - READ_ONCE(peer->rev_heard);

	return mrc_judge_rev_due(packets,
				 mrc_since(now, READ_ONCE(peer->rev_at)),
				 READ_ONCE(mrc_peer_rtt(peer, plane)->srtt));
}

/* Probes the way back on the plane whose turn it is, over a good path taken
 * at random.
 */
static void mrc_rev_probe(struct mrc_peer *peer, u8 plane, u64 now)
{
	struct mrc_peer_paths *t;
	struct mrc_ev_plane *evp;
	unsigned int i;
	u16 idx, e;

	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	/* another CPU may have been faster */
	if (!t || !peer->n_users || !mrc_rev_due(peer, plane, now))
		goto out;
	WRITE_ONCE(peer->rev_at, now);
	WRITE_ONCE(peer->rev_heard, READ_ONCE(peer->heard));
	for (i = 1; i <= t->n_planes; i++) {
		e = (peer->rev_e + i) % t->n_planes;
		evp = &t->evp[e];
		if (!evp->n_good || mrc_rev_fresh(peer, t, e, now))
			continue;
		peer->rev_e = e;
		idx = evp->ev[evp->act[get_random_u32_below(evp->n_good)]].path;
		if (!test_bit(idx, t->probing)) {
			mrc_probe_start(peer, t, idx, now);
			MRC_INC(peer->mnet, EP_REV);
		}
		break;
	}
out:
	mrc_peer_unlock(peer);
}

/**
 * mrc_peer_heard() - data of the peer came
 * @peer: peer
 * @ev: EV of the packets
 * @plane: plane on which they arrived
 * @n: how many
 * @now: ktime ns
 *
 * While we send no data, the ways back are probed, one plane after the other,
 * at a pace that follows from the packets received from that peer, whatever
 * the number of connections (mrc_judge_rev_due()).
 *
 * Context: BH off, RCU read side.
 */
void mrc_peer_heard(struct mrc_peer *peer, u32 ev, u8 plane, u32 n, u64 now)
{
	struct mrc_peer_paths *t = rcu_dereference(peer->paths);
	int e = t ? mrc_paths_plane(t, plane) : -1;
	struct mrc_peer_plane *pl;

	if (e < 0)
		return;
	pl = &t->pl[e];
	WRITE_ONCE(pl->heard_at, now);
	if (pl->by_ev || mrc_ev_plane(ev) == plane)
		WRITE_ONCE(pl->heard_path, mrc_paths_by_ev(t, e, ev));
	WRITE_ONCE(peer->heard, READ_ONCE(peer->heard) + n);
	if (mrc_rev_due(peer, plane, now))
		mrc_rev_probe(peer, plane, now);
}

/* Does the order of arrivals on this path prove no loss? */
bool mrc_peer_reordered(struct mrc_peer *peer, const struct mrc_used *used)
{
	const struct mrc_peer_paths *t = mrc_used_table(peer, used);
	u64 at = t ? READ_ONCE(t->path[used->path].order_at) : 0;

	return at && mrc_since(ktime_get_ns(), at) <= MRC_REORDER_AGE_NS;
}

/* Tolerance learnt on this path, ns; 0 if none lately. */
u32 mrc_peer_reorder(struct mrc_peer *peer, const struct mrc_used *used)
{
	const struct mrc_peer_paths *t = mrc_used_table(peer, used);
	const struct mrc_path *path;
	u32 ns;

	if (!t)
		return 0;
	path = &t->path[used->path];
	ns = READ_ONCE(path->reorder_ns);
	if (ns && mrc_since(ktime_get_ns(), READ_ONCE(path->reorder_at)) >
		  MRC_REORDER_AGE_NS)
		return 0;
	return ns;
}

/* A plane of ours died: what this peer has there leaves, without probes. */
void mrc_peer_plane_down(struct mrc_peer *peer, u8 plane)
{
	const struct mrc_plane *ours = mrc_plane_get_rcu(peer->mnet, plane);
	u64 now = ktime_get_ns();
	struct mrc_peer_paths *t;
	unsigned int i;
	int e;

	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	e = t ? mrc_paths_plane(t, plane) : -1;
	/* If it is up again, and who said so came here first, then nobody would
	 * take back what we do.
	 */
	if (e >= 0 && !(ours && READ_ONCE(ours->up))) {
		for (i = t->pl[e].first; i < t->pl[e].first + t->pl[e].n; i++) {
			mrc_probe_stop(t, i);
			if (t->path[i].state != MRC_EV_DENIED)
				mrc_path_set_state(peer, t, i,
						   MRC_EV_ASSUMED_BAD,
						   MRC_WHY_PLANE_DOWN, now);
		}
		t->pl[e].hinted = false;
		mrc_peer_news(peer, MRC_NEWS_PLANE_DOWN);
	}
	mrc_probe_ports(peer, now);
	mrc_peer_unlock(peer);
}

/* A plane of ours came back: probed, then used. */
void mrc_peer_plane_up(struct mrc_peer *peer, u8 plane)
{
	u64 now = ktime_get_ns();
	struct mrc_peer_paths *t;
	struct mrc_path *path;
	unsigned int i;
	int e;

	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	e = t ? mrc_paths_plane(t, plane) : -1;
	for (i = 0; e >= 0 && i < t->pl[e].n; i++) {
		path = &t->path[t->pl[e].first + i];
		if (path->state != MRC_EV_ASSUMED_BAD)
			continue;
		path->level = 0;
		mrc_probe_start(peer, t, t->pl[e].first + i, now);
	}
	mrc_probe_ports(peer, now);
	mrc_peer_unlock(peer);
}
