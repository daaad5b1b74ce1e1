// SPDX-License-Identifier: GPL-2.0
/*
 * Peers: the choice of a path. Everything here reads the tables under RCU and
 * takes no lock. A plane is asked whether it lives (which may end its life and
 * come back to the evidence about paths), then the rotation of ev.c decides.
 */
#include <linux/jiffies.h>
#include <linux/random.h>

#include "deny.h"
#include "peer_int.h"
#include "profile.h"
#include "route.h"

/* While the peer sends, a plane on which nothing came for so long after what
 * came last on another may be dead both ways.
 */
#define MRC_HEARD_LAG_NS	(100ULL * NSEC_PER_USEC)

/* Paths of a route looked at for one that is not denied. */
#define MRC_ROUTE_TRIES		32U

/* A peer that was not asked for a path for so long is probed slowly. */
#define MRC_ACTIVE_JIFFIES	(2 * HZ)

/**
 * mrc_rotor_init() - begin a rotation at random
 * @rotor: rotor
 *
 * Context: any.
 */
void mrc_rotor_init(struct mrc_rotor *rotor)
{
	mrc_rotor_seed(rotor, get_random_u32());
}

/* Fills @pick with path @idx of plane @e, EV slot @slot. */
void mrc_pick_fill(const struct mrc_peer_paths *t, int e, u16 idx,
		   unsigned int slot, struct mrc_plane *plane,
		   struct mrc_gw *gw, struct mrc_pick *pick)
{
	pick->plane = plane;
	pick->gw = gw;
	memcpy(pick->outer, t->path[idx].outer, sizeof(pick->outer));
	pick->ev = t->evp[e].ev[slot].ev;
	pick->gen = t->gen;
	pick->path = idx;
	pick->encap = t->encap[e];
	pick->many = t->pl[e].n > 1;
}

/* The plane of index @e and its gateway, if it can be sent through now. */
static struct mrc_plane *mrc_pick_alive(const struct mrc_peer *peer,
					const struct mrc_peer_paths *t, int e,
					struct mrc_gw **gw)
{
	struct mrc_plane *plane = mrc_plane_get_rcu(peer->mnet,
						    t->evp[e].plane);

	*gw = READ_ONCE(t->gw[e]);
	return plane && *gw && mrc_plane_alive(plane) ? plane : NULL;
}

/* Notes the size of packets, for probes, and that the peer is in use. */
static void mrc_pick_note(struct mrc_peer *peer, unsigned int dgram)
{
	unsigned long idle = jiffies - READ_ONCE(peer->active);

	if (dgram > READ_ONCE(peer->dgram))
		WRITE_ONCE(peer->dgram, dgram);
	if (idle)
		WRITE_ONCE(peer->active, jiffies);
	if (idle > MRC_ACTIVE_JIFFIES)
		mrc_probe_wake(peer);
}

/**
 * struct mrc_choice - a pick in progress
 * @e: index of the plane, -1 = none yet
 * @slot: EV there
 * @plane: the plane
 * @gw: its gateway
 */
struct mrc_choice {
	int			e;
	unsigned int		slot;
	struct mrc_plane	*plane;
	struct mrc_gw		*gw;
};

/**
 * struct mrc_search - what a search has found
 * @go: to be used
 * @avoided: would do, but is to be avoided
 * @skipped: would do, but all its EVs at hand lose a turn
 * @full: has no room
 * @small: its MTU is too small
 * @turn: the rotation's own
 * @passed: planes, by index, that were passed over for their marks
 */
struct mrc_search {
	struct mrc_choice	go, avoided, skipped, full, small;
	struct mrc_ev_turn	turn;
	u32			passed;
};

/* Keeps the first of a kind. */
static void mrc_choice_keep(struct mrc_choice *kept,
			    const struct mrc_choice *c)
{
	if (kept->e < 0)
		*kept = *c;
}

/* Looks at plane @c->e; true ends the search. */
static bool mrc_search_plane(struct mrc_peer *peer,
			     const struct mrc_peer_paths *t,
			     struct mrc_rotor *rotor, struct mrc_search *s,
			     struct mrc_choice *c, u8 avoid,
			     unsigned int dgram)
{
	const struct mrc_ev_plane *evp = &t->evp[c->e];
	int slot;

	if (!READ_ONCE(evp->n_good))
		return false;
	c->plane = mrc_pick_alive(peer, t, c->e, &c->gw);
	if (!c->plane)
		return false;
	if (dgram + mrc_overhead(t->encap[c->e]) > mrc_plane_mtu(c->plane)) {
		mrc_choice_keep(&s->small, c);
		return false;
	}
	if (!mrc_plane_has_room(c->plane)) {
		mrc_choice_keep(&s->full, c);
		return false;
	}
	if (avoid && avoid == evp->plane) {
		mrc_choice_keep(&s->avoided, c);
		return false;
	}
	s->turn.skipped = -1;
	slot = mrc_rotor_ev(rotor, c->e, evp, &s->turn);
	/* what was lost once should not go where losses are suspected */
	if (slot >= 0 && avoid &&
	    READ_ONCE(t->path[evp->ev[slot].path].doubt)) {
		s->turn.skipped = slot;
		slot = -1;
	}
	if (slot >= 0) {
		c->slot = slot;
		s->go = *c;
		return true;
	}
	if (s->turn.skipped >= 0) {
		c->slot = s->turn.skipped;
		mrc_choice_keep(&s->skipped, c);
		/* for marks, not because a retransmission avoids it */
		if (!avoid)
			s->passed |= BIT(c->e);
	}
	return false;
}

/* Looks at planes in the order of the rotation until one will do. */
static void mrc_search_planes(struct mrc_peer *peer,
			      const struct mrc_peer_paths *t,
			      struct mrc_rotor *rotor, struct mrc_search *s,
			      u32 mask, u8 avoid, unsigned int dgram)
{
	struct mrc_choice c;
	u32 tried = 0;

	s->go.e = -1;
	s->avoided.e = -1;
	s->skipped.e = -1;
	s->full.e = -1;
	s->small.e = -1;
	s->turn.restored = false;
	s->passed = 0;
	for (;;) {
		c.e = mrc_rotor_plane(rotor, t->n_planes, tried);
		if (c.e < 0)
			break;
		tried |= BIT(c.e);
		if (mask && t->planes && !(mask & BIT(t->evp[c.e].plane - 1)))
			continue;
		if (mrc_search_plane(peer, t, rotor, s, &c, avoid, dgram))
			break;
	}
	/* where all mark, none of them loses its turn */
	mrc_rotor_pass(rotor, s->go.e < 0 ? 0 : s->passed);
	if (s->turn.restored)
		MRC_INC(peer->mnet, PATH_SKIP);
}

/* An EV for a plane on which none was chosen yet: its next, skipped or not. */
static bool mrc_choice_ev(const struct mrc_peer_paths *t,
			  struct mrc_rotor *rotor, struct mrc_choice *c)
{
	struct mrc_ev_turn turn = { .skipped = -1 };
	int slot = mrc_rotor_ev(rotor, c->e, &t->evp[c->e], &turn);

	c->slot = slot >= 0 ? slot : turn.skipped;
	return slot >= 0 || turn.skipped >= 0;
}

/**
 * mrc_peer_pick() - a path for a burst of data
 * @peer: peer
 * @rotor: the connection's rotation
 * @mask: planes that may be used, bit n-1; 0 = all
 * @avoid: plane to be passed over if another is possible, 0 = none
 * @dgram: bytes of the largest datagram, BTH to the end of the ICRC
 * @pick: filled
 *
 * Context: RCU read side, BH off.
 * Return: 0; -EAGAIN: all good planes are full, pick->plane is one of them;
 * -ENETDOWN: no good path; -EMSGSIZE: no plane carries @dgram, @pick is one
 * that works for fragments.
 */
int mrc_peer_pick(struct mrc_peer *peer, struct mrc_rotor *rotor, u32 mask,
		  u8 avoid, unsigned int dgram, struct mrc_pick *pick)
{
	const struct mrc_peer_paths *t = rcu_dereference(peer->paths);
	struct mrc_choice *c;
	struct mrc_search s;
	int err = 0;

	mrc_pick_note(peer, dgram);
	if (!t || !t->n_planes)
		return -ENETDOWN;
	if (unlikely(!rotor->rnd))
		mrc_rotor_init(rotor);
	mrc_rotor_sync(rotor, t->gen);
	mrc_search_planes(peer, t, rotor, &s, mask, avoid, dgram);
	c = &s.go;
	if (c->e < 0)
		c = &s.skipped;
	if (c->e < 0) {
		c = &s.avoided;
		if (c->e < 0 && s.full.e >= 0) {
			c = &s.full;
			err = -EAGAIN;
		} else if (c->e < 0) {
			c = &s.small;
			err = -EMSGSIZE;
		}
		/* all may have left while we looked */
		if (c->e < 0 || !mrc_choice_ev(t, rotor, c))
			return -ENETDOWN;
	}
	mrc_pick_fill(t, c->e, t->evp[c->e].ev[c->slot].path, c->slot,
		      c->plane, c->gw, pick);
	if (err != -EAGAIN)
		mrc_rotor_take(rotor, t->n_planes, c->e);
	return err;
}

/* Is path @idx, of this table, in use? */
static bool mrc_path_good(const struct mrc_peer_paths *t, u16 idx)
{
	return idx < t->n_paths &&
	       READ_ONCE(t->path[idx].state) == MRC_EV_GOOD;
}

/* A path of plane @e: a good one at random, or else any that is not denied;
 * MRC_PATH_NONE if there is none.
 */
static u16 mrc_path_any(const struct mrc_peer_paths *t, int e, u32 rnd)
{
	const struct mrc_ev_plane *evp = &t->evp[e];
	const struct mrc_peer_plane *pl = &t->pl[e];
	unsigned int i, n = READ_ONCE(evp->n_good);
	u16 idx;

	if (n)
		return evp->ev[READ_ONCE(evp->act[rnd % n])].path;
	for (i = 0; i < pl->n; i++) {
		idx = pl->first + (rnd % pl->n + i) % pl->n;
		if (READ_ONCE(t->path[idx].state) != MRC_EV_DENIED)
			return idx;
	}
	return MRC_PATH_NONE;
}

/* One of the EVs of path @idx. */
static unsigned int mrc_path_slot(const struct mrc_peer_paths *t, u16 idx,
				  u32 rnd)
{
	return t->path[idx].ev_first + (rnd >> 16) % t->path[idx].ev_n;
}

/* When the peer was last heard on any plane. */
static u64 mrc_ctl_heard(const struct mrc_peer_paths *t)
{
	u64 heard = 0;
	int e;

	for (e = 0; e < t->n_planes; e++)
		heard = max(heard, READ_ONCE(t->pl[e].heard_at));
	return heard;
}

/*
 * How good plane @e is for a control packet, and by which path. What we know
 * to work comes first, unless the peer has become silent there; then the plane
 * on which the question came, by the path that mirrors its own; then what the
 * peer was heard on. Negative if all paths there are denied.
 */
static int mrc_ctl_score(const struct mrc_peer_paths *t, int e, u8 arrival,
			 u32 rnd, u64 heard, u64 now, u16 *idx)
{
	const struct mrc_peer_plane *pl = &t->pl[e];
	bool good = READ_ONCE(t->evp[e].n_good);
	u64 heard_at = READ_ONCE(pl->heard_at);
	u16 rev = READ_ONCE(pl->rev_path);

	*idx = rev;
	if (mrc_path_good(t, rev) &&
	    mrc_since(now, READ_ONCE(pl->rev_at)) < MRC_FRESH_NS)
		return mrc_since(heard, heard_at) < MRC_HEARD_LAG_NS ? 5 : 3;
	*idx = READ_ONCE(pl->heard_path);
	if (!mrc_path_good(t, *idx))
		*idx = mrc_path_any(t, e, rnd);
	if (*idx == MRC_PATH_NONE)
		return -1;
	if (arrival && t->evp[e].plane == arrival)
		return good ? 4 : 1;
	if (!good)
		return 0;
	return mrc_since(now, heard_at) < MRC_FRESH_NS ? 3 : 2;
}

/**
 * mrc_peer_pick_ctl() - a path for a control packet
 * @peer: peer
 * @rotor: for randomness
 * @arrival: plane on which the question came, 0 = none
 * @pick: filled
 *
 * The planes that are equally good take turns at random.
 *
 * Context: RCU read side, BH off.
 * Return: 0 or -ENETDOWN: no plane of the peer is alive.
 */
int mrc_peer_pick_ctl(struct mrc_peer *peer, struct mrc_rotor *rotor,
		      u8 arrival, struct mrc_pick *pick)
{
	const struct mrc_peer_paths *t = rcu_dereference(peer->paths);
	u32 rnd = mrc_rotor_random(rotor);
	u64 heard, now = ktime_get_ns();
	struct mrc_plane *plane;
	int i, e, score, best = -1;
	struct mrc_gw *gw;
	u16 idx;

	if (!t || !t->n_planes)
		return -ENETDOWN;
	heard = mrc_ctl_heard(t);
	e = rnd % t->n_planes;
	for (i = 0; i < t->n_planes; i++, e = e + 1 < t->n_planes ? e + 1 : 0) {
		score = mrc_ctl_score(t, e, arrival, rnd, heard, now, &idx);
		if (score <= best)
			continue;
		plane = mrc_pick_alive(peer, t, e, &gw);
		if (!plane)
			continue;
		best = score;
		mrc_pick_fill(t, e, idx, mrc_path_slot(t, idx, rnd), plane, gw,
			      pick);
	}
	return best < 0 ? -ENETDOWN : 0;
}

/**
 * mrc_peer_pick_plane() - any path on a plane that is not denied
 * @peer: peer
 * @plane: number
 * @pick: filled
 *
 * Context: RCU read side, BH off.
 * Return: 0 or -ENETDOWN: the peer has no such plane, or it is not alive, or
 * all its paths are denied.
 */
int mrc_peer_pick_plane(struct mrc_peer *peer, u8 plane, struct mrc_pick *pick)
{
	const struct mrc_peer_paths *t = rcu_dereference(peer->paths);
	int e = t ? mrc_paths_plane(t, plane) : -1;
	u32 rnd = get_random_u32();
	struct mrc_plane *alive;
	struct mrc_gw *gw;
	u16 idx;

	if (e < 0)
		return -ENETDOWN;
	alive = mrc_pick_alive(peer, t, e, &gw);
	if (!alive)
		return -ENETDOWN;
	idx = mrc_path_any(t, e, rnd);
	if (idx == MRC_PATH_NONE)
		return -ENETDOWN;
	mrc_pick_fill(t, e, idx, mrc_path_slot(t, idx, rnd), alive, gw, pick);
	return 0;
}

/**
 * mrc_peer_pick_path() - one path, whatever its state, for probes
 * @peer: peer
 * @plane: number
 * @k: number of the path within its route's template
 * @pick: filled
 *
 * With the EV that probes of that path have; a path that the table does not
 * hold is made from the route.
 *
 * Context: RCU read side, BH off.
 * Return: 0; -ENOENT no such path; -ENETDOWN its plane is not alive.
 */
int mrc_peer_pick_path(struct mrc_peer *peer, u8 plane, u32 k,
		       struct mrc_pick *pick)
{
	const struct mrc_peer_paths *t = rcu_dereference(peer->paths);
	int e = t ? mrc_paths_plane(t, plane) : -1;
	struct mrc_plane *alive;
	struct mrc_gw *gw;
	u32 i;
	u16 idx;

	if (e < 0)
		return -ENOENT;
	i = mrc_path_set_index(&t->pl[e].set, k);
	if (i == U32_MAX)
		return -ENOENT;
	alive = mrc_pick_alive(peer, t, e, &gw);
	if (!alive)
		return -ENETDOWN;
	if (i < t->pl[e].n) {
		idx = t->pl[e].first + i;
		mrc_pick_fill(t, e, idx, t->path[idx].ev_first, alive, gw,
			      pick);
		return 0;
	}
	/* of a plain route a path is an EV, and only the table has it */
	if (!t->encap[e])
		return -ENOENT;
	memset(pick, 0, sizeof(*pick));
	pick->plane = alive;
	pick->gw = gw;
	pick->path = MRC_PATH_NONE;
	pick->encap = t->encap[e];
	mrc_srv6_addr(&t->pl[e].tmpl, k, &peer->remote, pick->outer);
	pick->ev = MRC_EV(plane, k,
			  get_random_u32_inclusive(1, MRC_EV_SPREAD_MAX));
	return 0;
}

/**
 * mrc_peer_pick_back() - the way a packet came, backwards
 * @peer: peer
 * @ev: of the packet; the answer carries it too
 * @plane: plane on which it arrived
 * @pick: filled
 *
 * Our path with the same number crosses, in a fabric that is wired alike on
 * both sides, the links that the packet has just crossed; so it is taken
 * unless we know better.
 *
 * Context: RCU read side, BH off.
 * Return: 0 or -ENETDOWN.
 */
int mrc_peer_pick_back(struct mrc_peer *peer, u32 ev, u8 plane,
		       struct mrc_pick *pick)
{
	const struct mrc_peer_paths *t = rcu_dereference(peer->paths);
	int e = t ? mrc_paths_plane(t, plane) : -1;
	int err = mrc_peer_pick_plane(peer, plane, pick);
	u16 idx;

	if (err)
		return err;
	idx = t->pl[e].by_ev || mrc_ev_plane(ev) == plane ?
	      mrc_paths_by_ev(t, e, ev) : MRC_PATH_NONE;
	if (mrc_path_good(t, idx))
		mrc_pick_fill(t, e, idx, t->path[idx].ev_first, pick->plane,
			      pick->gw, pick);
	pick->ev = ev;
	return 0;
}

/* Our own node: out of the loopback plane. Context: RCU. */
static int mrc_route_pick_loopback(struct mrc_net *mnet, u32 spread,
				   struct mrc_pick *pick)
{
	pick->plane = mrc_plane_get_rcu(mnet, 0);
	if (!pick->plane)
		return -ENETDOWN;
	pick->gw = READ_ONCE(pick->plane->self);
	pick->ev = MRC_EV(0, 0, 1 + spread % MRC_EV_SPREAD_MAX);
	return pick->gw ? 0 : -ENETDOWN;
}

/* Path @k of a route, or one near it that is not denied; looks at a few.
 * Return: false if it found none.
 */
static bool mrc_route_choose(struct mrc_net *mnet,
			     const struct mrc_route_cfg *cfg,
			     const struct in6_addr *dst, u32 *k,
			     struct in6_addr *outer)
{
	struct mrc_path_key key = { .remote = *dst, .plane = cfg->plane };
	u32 i, first = *k, paths = 1;

	if (cfg->mode != MRC_ROUTE_PLAIN)
		paths = mrc_srv6_paths(&cfg->tmpl) ?: 1;
	for (i = 0; i < min(paths, MRC_ROUTE_TRIES); i++) {
		*k = (first % paths + i) % paths;
		if (cfg->mode != MRC_ROUTE_PLAIN)
			mrc_srv6_addr(&cfg->tmpl, *k, dst, outer);
		/* where the EV is the path there is always another */
		if (!mrc_deny_any(mnet) || cfg->ecmp ||
		    (cfg->profile && cfg->mode == MRC_ROUTE_PLAIN))
			return true;
		mrc_path_key_set(&key, cfg->mode, outer, *k);
		if (!mrc_denied(mnet, &key))
			return true;
	}
	return false;
}

/* The rest of both below: path @k if the route has it, and the EV's @spread. */
static int mrc_route_pick_near(struct mrc_net *mnet,
			       const struct in6_addr *dst, u8 plane, u32 k,
			       u32 spread, struct mrc_pick *pick)
{
	const struct mrc_route *route;

	memset(pick, 0, sizeof(*pick));
	pick->path = MRC_PATH_NONE;
	if (!plane)
		return mrc_node_is_ours(mnet, dst) ?
		       mrc_route_pick_loopback(mnet, spread, pick) : -ENETDOWN;
	route = mrc_route_lookup(mnet, dst, plane);
	pick->plane = mrc_plane_get_rcu(mnet, plane);
	if (!route || !pick->plane || !mrc_plane_alive(pick->plane))
		return -ENETDOWN;
	pick->gw = READ_ONCE(route->gw);
	if (!pick->gw)
		return -ENETDOWN;
	if (!mrc_route_choose(mnet, &route->cfg, dst, &k, pick->outer))
		return -ENETDOWN;
	pick->encap = route->cfg.mode == MRC_ROUTE_PLAIN ? 0 :
		      mrc_srv6_encap(&route->cfg.tmpl);
	if (route->cfg.profile)
		pick->ev = mrc_profile_ev(route->cfg.profile, spread);
	else
		pick->ev = MRC_EV(plane, k, 1 + spread % MRC_EV_SPREAD_MAX);
	return 0;
}

/**
 * mrc_route_pick() - a path straight from the route table
 * @mnet: namespace
 * @dst: remote node
 * @plane: plane number; 0 towards our own node
 * @spread: random number that chooses path and EV
 * @pick: filled
 *
 * Context: RCU read side, BH off.
 * Return: 0 or -ENETDOWN: no route on this plane, or it is not alive, or
 * its paths are denied.
 */
int mrc_route_pick(struct mrc_net *mnet, const struct in6_addr *dst, u8 plane,
		   u32 spread, struct mrc_pick *pick)
{
	return mrc_route_pick_near(mnet, dst, plane, mrc_ev_mix(spread), spread,
				   pick);
}

/**
 * mrc_route_pick_back() - the way a packet came, backwards
 * @mnet: namespace
 * @dst: its sender
 * @plane: plane on which it arrived
 * @ev: of the packet; the answer carries it too
 * @pick: filled
 *
 * As mrc_peer_pick_back(), without a peer.
 *
 * Context: RCU read side, BH off.
 * Return: 0 or -ENETDOWN, as mrc_route_pick().
 */
int mrc_route_pick_back(struct mrc_net *mnet, const struct in6_addr *dst,
			u8 plane, u32 ev, struct mrc_pick *pick)
{
	u32 k = mrc_ev_plane(ev) == plane ? mrc_ev_path(ev) :
		get_random_u32();
	int err = mrc_route_pick_near(mnet, dst, plane, k, ev, pick);

	pick->ev = ev;
	return err;
}
