// SPDX-License-Identifier: GPL-2.0
/*
 * Path tables of a peer: made from the route table, replaced as a whole. What
 * was learnt of a path that is in the old table and in the new one is kept.
 *
 * Resolution has two halves, because memory for a table may only be had
 * outside an RCU read section: the plan says what the routes ask for now, and
 * if that is not what the present table holds, a new one is made from it.
 */
#include <linux/math.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "peer_int.h"
#include "profile.h"
#include "route.h"

/* Backups of a plane that has more paths than EVs: a quarter. Ours. */
#define MRC_BACKUP_SHARE	4

/* Where switches hash, the numbers of paths are random ones of so many, so that
 * source port and flow label both differ.
 */
#define MRC_ECMP_PATHS		32767

/* Attempts when gateways go while a table is made. */
#define MRC_RESOLVE_TRIES	8

/**
 * struct mrc_plan_plane - what the routes ask for on one plane
 * @id: number
 * @gen: mrc_plane.gen
 * @gw: entry to send through; only a number once the RCU section is left
 * @mode: of the route
 * @ecmp: of the route
 * @tmpl: of the route
 * @evs: EVs of the route's profile, with a reference; NULL = auto
 * @total: paths there are
 * @n_paths: paths in the table
 * @n_evs: EVs in the working set
 * @n_slots: EVs with the backups
 */
struct mrc_plan_plane {
	u8			id;
	u32			gen;
	struct mrc_gw		*gw;
	u8			mode;
	bool			ecmp;
	struct mrc_srv6_tmpl	tmpl;
	struct mrc_ev_list	*evs;
	u32			total;
	u16			n_paths;
	u16			n_evs;
	u16			n_slots;
};

/**
 * struct mrc_plan - what the routes to a peer ask for
 * @net_gen: mrc_net.paths_gen when it was made
 * @gw_gen: mrc_net.gw_gen when it was made
 * @evs: mrc_conf.evs
 * @planes: mask
 * @n: entries of @pl
 * @pl: planes in the order of their numbers
 */
struct mrc_plan {
	int			net_gen;
	int			gw_gen;
	u32			evs;
	u32			planes;
	unsigned int		n;
	struct mrc_plan_plane	pl[MRC_PLANE_MAX];
};

static bool mrc_tmpl_equal(const struct mrc_srv6_tmpl *a,
			   const struct mrc_srv6_tmpl *b)
{
	unsigned int i;

	if (a->block != b->block || a->srh != b->srh || a->n != b->n)
		return false;
	for (i = 0; i < a->n && i < MRC_SRV6_SEGS_MAX; i++)
		if (a->seg[i].kind != b->seg[i].kind ||
		    a->seg[i].bit != b->seg[i].bit ||
		    a->seg[i].nbits != b->seg[i].nbits ||
		    a->seg[i].lo != b->seg[i].lo ||
		    a->seg[i].hi != b->seg[i].hi)
			return false;
	return true;
}

/* Adds a plane if it can be used at all. Context: RCU. */
static void mrc_plan_add(struct mrc_plan *plan, struct mrc_plane *plane,
			 struct mrc_gw *gw, const struct mrc_route_cfg *cfg,
			 const struct mrc_profile *profile)
{
	struct mrc_plan_plane *pp = &plan->pl[plan->n];

	if (!plane || !gw)
		return;
	memset(pp, 0, sizeof(*pp));
	pp->id = plane->id;
	pp->gen = plane->gen;
	pp->gw = gw;
	pp->total = 1;
	if (cfg) {
		pp->mode = cfg->mode;
		pp->ecmp = cfg->ecmp;
	}
	if (cfg && cfg->mode != MRC_ROUTE_PLAIN) {
		pp->tmpl = cfg->tmpl;
		pp->total = mrc_srv6_paths(&cfg->tmpl);
	}
	if (!pp->total)
		return;
	if (profile) {
		pp->evs = mrc_profile_evs_get(profile);
		if (!pp->evs)
			return;
	}
	if (pp->id)
		plan->planes |= BIT(pp->id - 1);
	plan->n++;
}

/* Our own node: the loopback plane. Context: RCU. */
static void mrc_plan_loopback(struct mrc_plan *plan, struct mrc_net *mnet)
{
	struct mrc_plane *plane = mrc_plane_get_rcu(mnet, 0);

	if (plane)
		mrc_plan_add(plan, plane, READ_ONCE(plane->self), NULL, NULL);
}

/* How many paths and EVs each plane gets out of @evs for all. */
static void mrc_plan_share(struct mrc_plan *plan, u32 evs)
{
	unsigned int i, share, backup;
	struct mrc_plan_plane *pp;

	plan->evs = evs;
	if (!plan->n)
		return;
	share = mrc_ev_share(evs, plan->n);
	/* the same number on each plane, though a profile may have fewer */
	for (i = 0; i < plan->n; i++)
		if (plan->pl[i].evs)
			share = min(share, plan->pl[i].evs->n);
	backup = DIV_ROUND_UP(share, MRC_BACKUP_SHARE);
	for (i = 0; i < plan->n; i++) {
		pp = &plan->pl[i];
		/* where switches go by the EV, each EV is a path */
		if (pp->evs && pp->mode == MRC_ROUTE_PLAIN)
			pp->total = pp->evs->n;
		else if (pp->ecmp)
			pp->total = MRC_ECMP_PATHS;
		pp->n_paths = min(pp->total, share + backup);
		if (pp->evs)
			pp->n_paths = min_t(u32, pp->n_paths, pp->evs->n);
		pp->n_evs = share;
		pp->n_slots = max_t(u32, pp->n_paths, share);
	}
}

/* Context: RCU read side. */
static void mrc_plan_make(struct mrc_plan *plan, struct mrc_peer *peer)
{
	struct mrc_net *mnet = peer->mnet;
	const struct mrc_profile *profile = NULL;
	const struct mrc_route *route;
	u32 left = 0;

	plan->net_gen = atomic_read(&mnet->paths_gen);
	plan->gw_gen = atomic_read(&mnet->gw_gen);
	smp_mb();	/* the routes as of now or later; mrc_peers_gw_gone() */
	plan->n = 0;
	plan->planes = 0;
	WRITE_ONCE(peer->loopback, mrc_node_is_ours(mnet, &peer->remote));
	if (mrc_node_is_ours(mnet, &peer->local)) {
		if (peer->loopback)
			mrc_plan_loopback(plan, mnet);
		else
			left = mrc_route_planes(mnet, &peer->remote);
	}
	/* without it there is no socket either that has asked for it */
	if (peer->profile) {
		profile = mrc_profile_by_id(mnet, peer->profile);
		if (!profile)
			left = 0;
	}
	for (; left; left &= left - 1) {
		route = mrc_route_lookup(mnet, &peer->remote, ffs(left));
		if (route)
			mrc_plan_add(plan, mrc_plane_get_rcu(mnet, ffs(left)),
				     READ_ONCE(route->gw), &route->cfg,
				     profile ?: route->cfg.profile);
	}
	mrc_plan_share(plan, READ_ONCE(mnet->conf.evs));
}

/* Gives back what the plan has taken. */
static void mrc_plan_drop(struct mrc_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->n; i++)
		mrc_ev_list_put(plan->pl[i].evs);
	plan->n = 0;
}

static u32 mrc_plan_evs_gen(const struct mrc_plan_plane *pp)
{
	return pp->evs ? pp->evs->gen : 0;
}

/* Does @t hold what @plan asks for? */
static bool mrc_plan_is(const struct mrc_plan *plan,
			const struct mrc_peer_paths *t)
{
	const struct mrc_plan_plane *pp;
	const struct mrc_peer_plane *pl;
	unsigned int i;

	if (!t || t->partial || t->evs != plan->evs ||
	    t->planes != plan->planes || t->n_planes != plan->n)
		return false;
	for (i = 0; i < plan->n; i++) {
		pp = &plan->pl[i];
		pl = &t->pl[i];
		if (pp->gen != pl->plane_gen || pp->gw != t->gw[i] ||
		    pp->mode != pl->mode || pp->ecmp != pl->ecmp ||
		    mrc_plan_evs_gen(pp) != pl->evs_gen ||
		    !mrc_tmpl_equal(&pp->tmpl, &pl->tmpl))
			return false;
	}
	return true;
}

/* Takes @bytes of a block that is laid out; aligned to 8. */
static void *mrc_carve(void *block, size_t *at, size_t bytes)
{
	void *p = block ? block + *at : NULL;

	*at += ALIGN(bytes, 8);
	return p;
}

/* Lays a table out in @block, or only counts its bytes if that is NULL. */
static size_t mrc_paths_layout(const struct mrc_plan *plan, void *block)
{
	struct mrc_peer_paths dummy, *t = block ?: &dummy;
	unsigned int i, n_paths = 0;
	size_t at = 0, size;
	void *mem;

	for (i = 0; i < plan->n; i++)
		n_paths += plan->pl[i].n_paths;
	mrc_carve(block, &at, sizeof(*t));
	t->path = mrc_carve(block, &at, n_paths * sizeof(*t->path));
	t->evp = mrc_carve(block, &at, plan->n * sizeof(*t->evp));
	t->pl = mrc_carve(block, &at, plan->n * sizeof(*t->pl));
	t->gw = mrc_carve(block, &at, plan->n * sizeof(*t->gw));
	t->encap = mrc_carve(block, &at, plan->n * sizeof(*t->encap));
	t->probing = mrc_carve(block, &at,
			       BITS_TO_LONGS(n_paths) * sizeof(long));
	for (i = 0; i < plan->n; i++) {
		size = mrc_ev_plane_size(plan->pl[i].n_slots);
		mem = mrc_carve(block, &at, size);
		if (block)
			mrc_ev_plane_init(&t->evp[i], plan->pl[i].id,
					  plan->pl[i].n_slots, mem);
		if (!plan->pl[i].evs)
			continue;
		size = plan->pl[i].n_slots * sizeof(u16);
		mem = mrc_carve(block, &at, size);
		if (block)
			t->pl[i].by_ev = mem;
	}
	t->n_paths = n_paths;
	t->n_planes = plan->n;
	return at;
}

/* Memory for the table, laid out. In softirq a large one may not be had: then
 * @plan is made smaller, and the table is marked partial.
 */
static struct mrc_peer_paths *mrc_paths_alloc(struct mrc_plan *plan, gfp_t gfp)
{
	bool sleeps = gfpflags_allow_blocking(gfp), partial = false;
	u32 wanted = plan->evs, evs = wanted;
	struct mrc_peer_paths *t;
	size_t size;

	for (;;) {
		size = mrc_paths_layout(plan, NULL);
		if (sleeps)
			t = kvzalloc(size, gfp | __GFP_ACCOUNT);
		else
			t = kzalloc(size, gfp | __GFP_NOWARN);
		if (t || sleeps || evs <= plan->n)
			break;
		partial = true;
		evs /= 4;
		mrc_plan_share(plan, evs);
	}
	if (!t)
		return NULL;
	mrc_paths_layout(plan, t);
	t->partial = partial;
	t->evs = wanted;
	t->planes = plan->planes;
	t->net_gen = plan->net_gen;
	return t;
}

/* The EVs of path @idx: consecutive spreads from a start of its own. */
static void mrc_paths_fill_evs(struct mrc_ev_plane *evp,
			       const struct mrc_path *path, u16 idx, u32 seed)
{
	u32 base = mrc_ev_mix(seed ^ (evp->plane << 16 | path->k));
	unsigned int i;

	for (i = 0; i < path->ev_n; i++) {
		u32 spread = 1 + (base % MRC_EV_SPREAD_MAX + i) %
			     MRC_EV_SPREAD_MAX;

		evp->ev[path->ev_first + i].ev = MRC_EV(evp->plane, path->k,
							spread);
		evp->ev[path->ev_first + i].path = idx;
	}
}

static void mrc_paths_fill_path(struct mrc_peer *peer,
				struct mrc_peer_paths *t, unsigned int e,
				u16 i, u64 now)
{
	struct mrc_peer_plane *pl = &t->pl[e];
	struct mrc_ev_plane *evp = &t->evp[e];
	struct mrc_path *path = &t->path[pl->first + i];

	path->plane = evp->plane;
	path->k = mrc_path_set_k(&pl->set, i);
	if (t->encap[e])
		mrc_srv6_addr(&pl->tmpl, path->k, &peer->remote, path->outer);
	mrc_ev_range(evp->n, pl->n, i, &path->ev_first, &path->ev_n);
	path->state = MRC_EV_GOOD;
	path->why = MRC_WHY_NEW;
	path->since = now;
	if (!pl->by_ev)
		mrc_paths_fill_evs(evp, path, pl->first + i, peer->seed);
}

static int mrc_slot_cmp(const void *a, const void *b, const void *priv)
{
	const struct mrc_ev *ev = priv;
	u32 x = ev[*(const u16 *)a].ev, y = ev[*(const u16 *)b].ev;

	return x < y ? -1 : x > y;
}

/* The EVs of a plane with a profile: a random choice of the list's. */
static void mrc_paths_fill_profile(struct mrc_peer_paths *t, unsigned int e,
				   const struct mrc_ev_list *evs)
{
	struct mrc_peer_plane *pl = &t->pl[e];
	struct mrc_ev_plane *evp = &t->evp[e];
	const struct mrc_path *path;
	unsigned int i, slot;

	for (i = pl->first; i < pl->first + pl->n; i++) {
		path = &t->path[i];
		for (slot = path->ev_first; slot < path->ev_first + path->ev_n;
		     slot++) {
			evp->ev[slot].ev = evs->ev[mrc_path_set_k(&pl->evset,
								  slot)];
			evp->ev[slot].path = i;
			pl->by_ev[slot] = slot;
		}
	}
	sort_r(pl->by_ev, evp->n, sizeof(*pl->by_ev), mrc_slot_cmp, NULL,
	       evp->ev);
}

static void mrc_paths_fill(struct mrc_peer *peer, struct mrc_peer_paths *t,
			   const struct mrc_plan *plan, u64 now)
{
	const struct mrc_plan_plane *pp;
	struct mrc_peer_plane *pl;
	unsigned int e, i, n = 0;

	for (e = 0; e < plan->n; e++) {
		pp = &plan->pl[e];
		pl = &t->pl[e];
		pl->first = n;
		pl->n = pp->n_paths;
		pl->n_evs = pp->n_evs;
		pl->plane_gen = pp->gen;
		pl->mode = pp->mode;
		pl->ecmp = pp->ecmp;
		pl->tmpl = pp->tmpl;
		mrc_path_set_init(&pl->set, pp->total, pp->n_evs,
				  peer->seed ^ mrc_ev_mix(pp->id));
		pl->evs_gen = mrc_plan_evs_gen(pp);
		if (pp->evs && pp->mode == MRC_ROUTE_PLAIN)
			pl->evset = pl->set;
		else if (pp->evs)
			mrc_path_set_init(&pl->evset, pp->evs->n, pp->n_evs,
					  mrc_ev_mix(peer->seed ^ pp->id));
		pl->loss_path = MRC_PATH_NONE;
		pl->rev_path = MRC_PATH_NONE;
		pl->heard_path = MRC_PATH_NONE;
		t->gw[e] = pp->gw;
		t->encap[e] = pp->mode == MRC_ROUTE_PLAIN ? 0 :
			      mrc_srv6_encap(&pp->tmpl);
		t->evp[e].n_active = pp->n_evs;
		for (i = 0; i < pl->n; i++)
			mrc_paths_fill_path(peer, t, e, i, now);
		if (pp->evs)
			mrc_paths_fill_profile(t, e, pp->evs);
		for (i = 0; i < pp->n_evs; i++)
			mrc_ev_set_active(&t->evp[e], i, true);
		n += pl->n;
	}
}

/* The path of @t that is @path of another table, MRC_PATH_NONE if none. */
static u16 mrc_paths_same(const struct mrc_peer_paths *t, int e,
			  const struct mrc_path *path)
{
	u32 i = mrc_path_set_index(&t->pl[e].set, path->k);
	u16 idx = t->pl[e].first + i;

	if (i >= t->pl[e].n ||
	    memcmp(t->path[idx].outer, path->outer, sizeof(path->outer)))
		return MRC_PATH_NONE;
	return idx;
}

/* What was learnt of @old goes to @path, but for its place in the table. */
static void mrc_path_inherit(struct mrc_path *path, const struct mrc_path *old)
{
	struct mrc_path new = *old;

	new.k = path->k;
	new.ev_first = path->ev_first;
	new.ev_n = path->ev_n;
	new.win_sent = old->sent;
	new.win_lost = old->lost;
	*path = new;
}

static u16 mrc_paths_map(const struct mrc_peer_paths *t, int e,
			 const struct mrc_peer_paths *old, u16 idx)
{
	return idx < old->n_paths ? mrc_paths_same(t, e, &old->path[idx]) :
	       MRC_PATH_NONE;
}

/* Takes over what the old table knew of plane @e, index @o there. */
static void mrc_paths_carry_plane(struct mrc_peer *peer,
				  struct mrc_peer_paths *t, int e,
				  const struct mrc_peer_paths *old, int o)
{
	const struct mrc_peer_plane *was = &old->pl[o];
	struct mrc_peer_plane *pl = &t->pl[e];
	struct mrc_path *path;
	unsigned int i;
	u16 idx;

	pl->loss_sent = was->loss_sent;
	pl->acked_sent = was->acked_sent;
	pl->rev_at = was->rev_at;
	pl->heard_at = was->heard_at;
	pl->hint_at = was->hint_at;
	pl->icmp_at = was->icmp_at;
	pl->hinted = was->hinted;
	/* with plain routes the number of a path is that of its EV */
	if (pl->mode == MRC_ROUTE_PLAIN && pl->evs_gen != was->evs_gen)
		return;
	pl->loss_path = mrc_paths_map(t, e, old, was->loss_path);
	pl->rev_path = mrc_paths_map(t, e, old, was->rev_path);
	pl->heard_path = mrc_paths_map(t, e, old, was->heard_path);
	for (i = was->first; i < was->first + was->n; i++) {
		idx = mrc_paths_same(t, e, &old->path[i]);
		if (idx == MRC_PATH_NONE)
			continue;
		path = &t->path[idx];
		mrc_path_inherit(path, &old->path[i]);
		if (path->state == MRC_EV_ASSUMED_BAD)
			mrc_ev_set_bad(&t->evp[e], path->ev_first, path->ev_n,
				       true);
		if (path->state == MRC_EV_DENIED)
			mrc_ev_set_denied(&t->evp[e], path->ev_first,
					  path->ev_n, true);
		if (test_bit(i, old->probing))
			mrc_probe_start(peer, t, idx, path->probe.due);
	}
	mrc_ev_refill(&t->evp[e]);
}

/* A plane that is down now tells nobody of it any more: its paths begin bad.
 * One that goes later finds the table, because we have the lock.
 */
static void mrc_paths_down(struct mrc_peer *peer, struct mrc_peer_paths *t,
			   int e, u64 now)
{
	const struct mrc_plane *plane;
	unsigned int i;
	bool up;

	rcu_read_lock();
	plane = mrc_plane_get_rcu(peer->mnet, t->evp[e].plane);
	up = plane && READ_ONCE(plane->up);
	rcu_read_unlock();
	if (up)
		return;
	for (i = t->pl[e].first; i < t->pl[e].first + t->pl[e].n; i++)
		if (t->path[i].state == MRC_EV_GOOD)
			mrc_path_set_state(peer, t, i, MRC_EV_ASSUMED_BAD,
					   MRC_WHY_PLANE_DOWN, now);
}

/* Context: lock held. */
static void mrc_paths_carry(struct mrc_peer *peer, struct mrc_peer_paths *t,
			    const struct mrc_peer_paths *old, u64 now)
{
	unsigned int e;
	int o;

	for (e = 0; e < t->n_planes; e++) {
		o = old ? mrc_paths_plane(old, t->evp[e].plane) : -1;
		/* a plane removed and made again is another one */
		if (o >= 0 && old->pl[o].plane_gen == t->pl[e].plane_gen)
			mrc_paths_carry_plane(peer, t, e, old, o);
		mrc_paths_deny(peer, t, e, now);
		mrc_paths_down(peer, t, e, now);
	}
}

/* Puts @t in the place of the present table.
 * Return: false if a gateway went in the meantime, which @t may name, or if
 * somebody else has put a newer one there.
 */
static bool mrc_paths_publish(struct mrc_peer *peer, struct mrc_peer_paths *t,
			      const struct mrc_plan *plan)
{
	struct mrc_peer_paths *old;
	u64 now = ktime_get_ns();

	mrc_peer_lock(peer);
	old = mrc_paths_locked(peer);
	if (atomic_read(&peer->mnet->gw_gen) != plan->gw_gen ||
	    (old && old->net_gen - plan->net_gen > 0)) {
		mrc_peer_unlock(peer);
		return false;
	}
	peer->gen += peer->gen == U32_MAX ? 2 : 1;
	t->gen = peer->gen;
	t->win_at = now;
	peer->tokens_sent = 0;
	mrc_paths_carry(peer, t, old, now);
	rcu_assign_pointer(peer->paths, t);
	if (old)
		mrc_peer_news(peer, MRC_NEWS_PATHS);
	mrc_peer_unlock(peer);
	if (old)
		kvfree_rcu(old, rcu);
	return true;
}

/* The table is as it should be. Return: false if there is none. */
static bool mrc_paths_keep(struct mrc_peer *peer, const struct mrc_plan *plan)
{
	struct mrc_peer_paths *t;
	bool is;

	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	is = mrc_plan_is(plan, t);
	if (is)
		WRITE_ONCE(t->net_gen, plan->net_gen);
	mrc_peer_unlock(peer);
	return is;
}

/**
 * mrc_paths_slot() - an EV of a plane
 * @t: table
 * @e: index of the plane
 * @ev: EV
 *
 * Context: any.
 * Return: its slot, -1 if the plane does not have it.
 */
int mrc_paths_slot(const struct mrc_peer_paths *t, int e, u32 ev)
{
	const struct mrc_peer_plane *pl = &t->pl[e];
	const struct mrc_ev_plane *evp = &t->evp[e];
	unsigned int lo = 0, hi = evp->n, mid, i;
	const struct mrc_path *path;
	u16 idx;

	if (pl->by_ev) {
		while (lo < hi) {
			mid = (lo + hi) / 2;
			if (evp->ev[pl->by_ev[mid]].ev < ev)
				lo = mid + 1;
			else
				hi = mid;
		}
		return lo < evp->n && evp->ev[pl->by_ev[lo]].ev == ev ?
		       pl->by_ev[lo] : -1;
	}
	/* the EVs of a path have consecutive spreads */
	idx = mrc_paths_by_ev(t, e, ev);
	if (idx == MRC_PATH_NONE)
		return -1;
	path = &t->path[idx];
	i = (mrc_ev_spread(ev) + MRC_EV_SPREAD_MAX -
	     mrc_ev_spread(evp->ev[path->ev_first].ev)) % MRC_EV_SPREAD_MAX;
	if (i >= path->ev_n || evp->ev[path->ev_first + i].ev != ev)
		return -1;
	return path->ev_first + i;
}

/**
 * mrc_paths_by_ev() - the path that an EV names
 * @t: table
 * @e: index of its plane
 * @ev: EV; in our own layout only its path number counts
 *
 * Context: any.
 * Return: index, MRC_PATH_NONE if the table does not hold it.
 */
u16 mrc_paths_by_ev(const struct mrc_peer_paths *t, int e, u32 ev)
{
	const struct mrc_peer_plane *pl = &t->pl[e];
	int slot;
	u32 i;

	if (pl->by_ev) {
		slot = mrc_paths_slot(t, e, ev);
		return slot < 0 ? MRC_PATH_NONE : t->evp[e].ev[slot].path;
	}
	i = mrc_path_set_index(&pl->set, mrc_ev_path(ev));
	return i < pl->n ? pl->first + i : MRC_PATH_NONE;
}

/**
 * mrc_paths_stale() - has anything changed since the table was made?
 * @peer: peer
 *
 * Context: any.
 * Return: true if it must be resolved.
 */
bool mrc_paths_stale(struct mrc_peer *peer)
{
	const struct mrc_peer_paths *t;
	bool stale;

	rcu_read_lock();
	t = rcu_dereference(peer->paths);
	stale = !t || t->partial ||
		READ_ONCE(t->net_gen) != atomic_read(&peer->mnet->paths_gen);
	rcu_read_unlock();
	return stale;
}

/* Makes the table what @plan asks for. */
static int mrc_paths_try(struct mrc_peer *peer, struct mrc_plan *plan,
			 gfp_t gfp)
{
	struct mrc_peer_paths *t;

	if (mrc_paths_keep(peer, plan))
		return 0;
	t = mrc_paths_alloc(plan, gfp);
	if (!t)
		return -ENOMEM;
	mrc_paths_fill(peer, t, plan, ktime_get_ns());
	if (!mrc_paths_publish(peer, t, plan)) {
		kvfree(t);
		return -EAGAIN;
	}
	/* the rest from where memory can be waited for */
	if (t->partial)
		mrc_peers_queue(peer->mnet, &peer->mnet->peers_resolve, 1);
	return 0;
}

/**
 * mrc_paths_resolve() - make the table what nodes, planes and routes ask for
 * @peer: peer
 * @gfp: how to allocate
 *
 * Context: process or softirq (@gfp), no lock held.
 * Return: 0, -ENOMEM or -EAGAIN; then the old table stays, if there is one.
 */
int mrc_paths_resolve(struct mrc_peer *peer, gfp_t gfp)
{
	struct mrc_plan *plan = kmalloc(sizeof(*plan), gfp);
	unsigned int tries = MRC_RESOLVE_TRIES;
	int err;

	if (!plan)
		return -ENOMEM;
	do {
		rcu_read_lock();
		mrc_plan_make(plan, peer);
		rcu_read_unlock();
		err = mrc_paths_try(peer, plan, gfp);
		mrc_plan_drop(plan);
	} while (err == -EAGAIN && --tries);
	kfree(plan);
	return err;
}
