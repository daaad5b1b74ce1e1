// SPDX-License-Identifier: GPL-2.0
/*
 * Peers: what a controller does to their paths.
 *
 * A denied path is used for nothing until it is allowed again; then it is
 * probed and comes back as any path that was bad. The other states may be set
 * as well: good takes the administrator's word for a probe, bad asks for
 * probes, skip costs a turn. None of them lasts against evidence.
 *
 * A request is first held against all peers that it is about, so that one that
 * is refused has changed nothing.
 */
#include <linux/netlink.h>

#include "deny.h"
#include "peer_int.h"

/**
 * struct mrc_admin - a request on its way over the peers
 * @remote: only peers with this address
 * @local: and this of ours, NULL for any
 * @key: deny, allow: the path
 * @order: set: the request
 * @n_peers: peers found
 * @n_paths: paths found
 * @stranded: a peer is left without a good path
 * @extack: says what is wrong
 */
struct mrc_admin {
	const struct in6_addr		*remote;
	const struct in6_addr		*local;
	const struct mrc_path_key	*key;
	const struct mrc_path_order	*order;
	unsigned int			n_peers;
	unsigned int			n_paths;
	bool				stranded;
	struct netlink_ext_ack		*extack;
};

/* The path of the table that @key names, MRC_PATH_NONE if none. */
static u16 mrc_paths_by_key(const struct mrc_peer_paths *t,
			    const struct mrc_path_key *key)
{
	int e = mrc_paths_plane(t, key->plane);
	const struct mrc_peer_plane *pl;
	u32 i, k;

	if (e < 0)
		return MRC_PATH_NONE;
	pl = &t->pl[e];
	if (pl->mode == MRC_ROUTE_PLAIN) {
		if (mrc_path_key_is_outer(key))
			return MRC_PATH_NONE;
		k = mrc_path_key_k(key);
	} else if (!mrc_srv6_find(&pl->tmpl, &key->remote, key->id, &k)) {
		return MRC_PATH_NONE;
	}
	i = mrc_path_set_index(&pl->set, k);
	return i < pl->n ? pl->first + i : MRC_PATH_NONE;
}

static bool mrc_admin_is_about(const struct mrc_admin *a,
			       const struct mrc_peer *peer)
{
	return ipv6_addr_equal(&peer->remote, a->remote) &&
	       (!a->local || ipv6_addr_equal(&peer->local, a->local));
}

/* Usable EVs that @peer loses with path @idx. */
static unsigned int mrc_admin_leaving(const struct mrc_peer_paths *t, u16 idx)
{
	const struct mrc_path *path = &t->path[idx];
	int e = mrc_paths_plane(t, path->plane);

	return mrc_ev_count_good(&t->evp[e], path->ev_first, path->ev_n);
}

/* May so many EVs leave? Says so if not. */
static bool mrc_admin_may_leave(const struct mrc_admin *a,
				const struct mrc_peer *peer,
				const struct mrc_peer_paths *t,
				unsigned int leaving)
{
	u32 min = READ_ONCE(peer->mnet->conf.ev_min_active);

	if (!leaving || mrc_ev_may_leave(mrc_paths_good_evs(t), leaving, min))
		return true;
	NL_SET_ERR_MSG(a->extack,
		       "Fewer good EVs than ev-min-active would be left");
	return false;
}

/* ---- deny and allow ------------------------------------------------------ */

/* The path of @peer that @a is about, MRC_PATH_NONE if none; its table in @t.
 * Context: lock held.
 */
static u16 mrc_admin_path(const struct mrc_admin *a, struct mrc_peer *peer,
			  struct mrc_peer_paths **t)
{
	*t = mrc_paths_locked(peer);
	return *t ? mrc_paths_by_key(*t, a->key) : MRC_PATH_NONE;
}

static int mrc_deny_check(struct mrc_peer *peer, void *arg)
{
	struct mrc_admin *a = arg;
	struct mrc_peer_paths *t;
	int err = 0;
	u16 idx;

	if (!mrc_admin_is_about(a, peer))
		return 0;
	mrc_peer_lock(peer);
	idx = mrc_admin_path(a, peer, &t);
	if (idx != MRC_PATH_NONE &&
	    !mrc_admin_may_leave(a, peer, t, mrc_admin_leaving(t, idx)))
		err = -EBUSY;
	mrc_peer_unlock(peer);
	return err;
}

static int mrc_deny_do(struct mrc_peer *peer, void *arg)
{
	struct mrc_admin *a = arg;
	struct mrc_peer_paths *t;
	u16 idx;

	if (!mrc_admin_is_about(a, peer))
		return 0;
	mrc_peer_lock(peer);
	idx = mrc_admin_path(a, peer, &t);
	if (idx != MRC_PATH_NONE) {
		mrc_path_set_state(peer, t, idx, MRC_EV_DENIED, MRC_WHY_ADMIN,
				   ktime_get_ns());
		if (!mrc_paths_good_evs(t))
			a->stranded = true;
	}
	mrc_peer_unlock(peer);
	return 0;
}

/**
 * mrc_peers_deny() - take a path out of use
 * @mnet: namespace
 * @key: the path; nobody need know it yet
 * @force: even if too few EVs are left
 * @extack: says what is wrong, or warns
 *
 * Context: process, conf_lock held.
 * Return: 0; -EBUSY: fewer than ev_min_active EVs would be left to a peer;
 * -EEXIST, -ENOSPC or -ENOMEM.
 */
int mrc_peers_deny(struct mrc_net *mnet, const struct mrc_path_key *key,
		   bool force, struct netlink_ext_ack *extack)
{
	struct mrc_admin a = {
		.remote	= &key->remote,
		.key	= key,
		.extack	= extack,
	};
	int err;

	if (!force) {
		err = mrc_peer_walk(mnet, mrc_deny_check, &a);
		if (err)
			return err;
	}
	/* first the list: who makes a table now looks there, under the lock
	 * that we take next
	 */
	err = mrc_deny_add(mnet, key, extack);
	if (err)
		return err;
	MRC_INC(mnet, PATH_DENY);
	mrc_peer_walk(mnet, mrc_deny_do, &a);
	if (a.stranded)
		NL_SET_ERR_MSG(extack, "No good path to the peer is left");
	return 0;
}

/* It is as good as a path that was bad: probes will tell. */
static int mrc_allow_do(struct mrc_peer *peer, void *arg)
{
	const struct mrc_admin *a = arg;
	const struct mrc_plane *plane;
	u64 now = ktime_get_ns();
	struct mrc_peer_paths *t;
	u16 idx;

	if (!mrc_admin_is_about(a, peer))
		return 0;
	plane = mrc_plane_get_rcu(peer->mnet, a->key->plane);
	mrc_peer_lock(peer);
	idx = mrc_admin_path(a, peer, &t);
	if (idx == MRC_PATH_NONE || t->path[idx].state != MRC_EV_DENIED)
		goto out;
	t->path[idx].level = 0;
	if (plane && READ_ONCE(plane->up)) {
		mrc_path_set_state(peer, t, idx, MRC_EV_ASSUMED_BAD,
				   MRC_WHY_ADMIN, now);
		mrc_probe_start(peer, t, idx, now);
	} else {
		mrc_path_set_state(peer, t, idx, MRC_EV_ASSUMED_BAD,
				   MRC_WHY_PLANE_DOWN, now);
	}
out:
	mrc_peer_unlock(peer);
	return 0;
}

/**
 * mrc_peers_allow() - take back mrc_peers_deny()
 * @mnet: namespace
 * @key: the path
 * @extack: says what is wrong
 *
 * Context: process, conf_lock held.
 * Return: 0 or -ENOENT: it is not denied.
 */
int mrc_peers_allow(struct mrc_net *mnet, const struct mrc_path_key *key,
		    struct netlink_ext_ack *extack)
{
	struct mrc_admin a = {
		.remote	= &key->remote,
		.key	= key,
	};
	int err;

	err = mrc_deny_del(mnet, key, extack);
	if (err)
		return err;
	MRC_INC(mnet, PATH_ALLOW);
	mrc_peer_walk(mnet, mrc_allow_do, &a);
	return 0;
}

/**
 * mrc_paths_deny() - a new table heeds what is denied
 * @peer: peer
 * @t: table, not yet published
 * @e: index of a plane
 * @now: ktime ns
 *
 * Nothing leaves that was in use: nobody is told.
 *
 * Context: lock held.
 */
void mrc_paths_deny(struct mrc_peer *peer, struct mrc_peer_paths *t, int e,
		    u64 now)
{
	const struct mrc_peer_plane *pl = &t->pl[e];
	struct mrc_ev_plane *evp = &t->evp[e];
	struct mrc_path_key key = {
		.remote	= peer->remote,
		.plane	= evp->plane,
	};
	struct mrc_path *path;
	unsigned int i;

	if (!mrc_deny_any(peer->mnet))
		return;
	rcu_read_lock();
	for (i = pl->first; i < pl->first + pl->n; i++) {
		path = &t->path[i];
		mrc_path_key_set(&key, pl->mode, path->outer, path->k);
		if (path->state == MRC_EV_DENIED ||
		    !mrc_denied(peer->mnet, &key))
			continue;
		mrc_probe_stop(t, i);
		path->state = MRC_EV_DENIED;
		path->why = MRC_WHY_ADMIN;
		path->since = now;
		path->doubt = false;
		mrc_ev_set_bad(evp, path->ev_first, path->ev_n, false);
		mrc_ev_set_denied(evp, path->ev_first, path->ev_n, true);
	}
	rcu_read_unlock();
	mrc_ev_refill(evp);
}

/* ---- set ----------------------------------------------------------------- */

static bool mrc_order_is_about(const struct mrc_path_order *o,
			       const struct mrc_path *path)
{
	return path->plane == o->plane && (!o->has_k || path->k == o->k);
}

/* Is there anything against the order for this path? */
static int mrc_order_check(struct mrc_admin *a, const struct mrc_peer *peer,
			   const struct mrc_path *path)
{
	const struct mrc_plane *plane;

	a->n_paths++;
	if (path->state == MRC_EV_DENIED) {
		if (!a->order->has_k)
			return 0;
		NL_SET_ERR_MSG(a->extack, "The path is denied, allow it first");
		return -EBUSY;
	}
	plane = mrc_plane_get_rcu(peer->mnet, path->plane);
	if (a->order->state == MRC_EV_GOOD &&
	    !(plane && READ_ONCE(plane->up))) {
		NL_SET_ERR_MSG(a->extack, "The plane is down");
		return -ENETDOWN;
	}
	return 0;
}

static int mrc_set_check(struct mrc_peer *peer, void *arg)
{
	unsigned int i, leaving = 0;
	struct mrc_admin *a = arg;
	struct mrc_peer_paths *t;
	int err = 0;

	if (!mrc_admin_is_about(a, peer))
		return 0;
	a->n_peers++;
	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	for (i = 0; t && i < t->n_paths && !err; i++) {
		if (!mrc_order_is_about(a->order, &t->path[i]))
			continue;
		err = mrc_order_check(a, peer, &t->path[i]);
		leaving += mrc_admin_leaving(t, i);
	}
	if (!err && a->order->state == MRC_EV_ASSUMED_BAD && !a->order->force &&
	    !mrc_admin_may_leave(a, peer, t, leaving))
		err = -EBUSY;
	mrc_peer_unlock(peer);
	return err;
}

/* All usable EVs of path @idx lose their next turn. */
static void mrc_order_skip(struct mrc_peer_paths *t, unsigned int idx)
{
	const struct mrc_path *path = &t->path[idx];
	struct mrc_ev_plane *evp = &t->evp[mrc_paths_plane(t, path->plane)];
	unsigned int slot;

	for (slot = path->ev_first; slot < path->ev_first + path->ev_n; slot++)
		if (test_bit(slot, evp->good))
			set_bit(slot, evp->skip);
}

static void mrc_order_path(struct mrc_peer *peer, struct mrc_peer_paths *t,
			   unsigned int idx, enum mrc_ev_state state, u64 now)
{
	struct mrc_path *path = &t->path[idx];

	if (path->state == MRC_EV_DENIED)
		return;
	switch (state) {
	case MRC_EV_SKIP:
		mrc_order_skip(t, idx);
		return;
	case MRC_EV_GOOD:
		path->level = 0;
		path->doubt = false;
		mrc_probe_stop(t, idx);
		break;
	default:
		mrc_probe_start(peer, t, idx, now);
	}
	if (path->state != state)
		mrc_path_set_state(peer, t, idx, state, MRC_WHY_ADMIN, now);
}

static int mrc_set_do(struct mrc_peer *peer, void *arg)
{
	const struct mrc_admin *a = arg;
	u64 now = ktime_get_ns();
	struct mrc_peer_paths *t;
	unsigned int i;

	if (!mrc_admin_is_about(a, peer))
		return 0;
	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	for (i = 0; t && i < t->n_paths; i++)
		if (mrc_order_is_about(a->order, &t->path[i]))
			mrc_order_path(peer, t, i, a->order->state, now);
	mrc_peer_unlock(peer);
	return 0;
}

/**
 * mrc_peers_set_paths() - give paths of a peer another state
 * @mnet: namespace
 * @order: which paths and which state
 * @extack: says what is wrong
 *
 * Context: process.
 * Return: 0; -ENOENT no such peer or path; -EBUSY the path is denied, or fewer
 * than ev_min_active EVs would be left; -ENETDOWN good, but its plane is down.
 */
int mrc_peers_set_paths(struct mrc_net *mnet,
			const struct mrc_path_order *order,
			struct netlink_ext_ack *extack)
{
	struct mrc_admin a = {
		.remote	= &order->remote,
		.local	= order->has_local ? &order->local : NULL,
		.order	= order,
		.extack	= extack,
	};
	int err;

	err = mrc_peer_walk(mnet, mrc_set_check, &a);
	if (err)
		return err;
	if (!a.n_peers) {
		NL_SET_ERR_MSG(extack, "No such peer");
		return -ENOENT;
	}
	if (!a.n_paths) {
		NL_SET_ERR_MSG(extack, "No such path");
		return -ENOENT;
	}
	MRC_INC(mnet, PATH_SET);
	mrc_peer_walk(mnet, mrc_set_do, &a);
	return 0;
}
