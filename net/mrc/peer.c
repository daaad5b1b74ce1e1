// SPDX-License-Identifier: GPL-2.0
/*
 * Peers: their life. One object per (local node, remote node), and per EV
 * profile that sockets ask for, is made on demand, shared by all connections
 * between the two, and freed after a minute without them. Tables:
 * peer_paths.c, choice of a path: peer_pick.c, evidence: peer_health.c,
 * probes: probe.c.
 *
 * Memory: at most MRC_PEERS_MAX peers, of which MRC_PEERS_IDLE_MAX without a
 * connection (more only until the collector has run). One takes about 1.5 KB
 * and its table about 300 bytes per path and 12 per EV, both bounded by
 * mrc_conf.evs: 2 KB for four plain planes, 80 KB for 256 paths.
 */
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "peer_int.h"
#include "profile.h"
#include "route.h"

#define MRC_PEERS_MAX		131072
#define MRC_PEERS_IDLE_MAX	1024
#define MRC_PEER_IDLE_NS	(60ULL * NSEC_PER_SEC)
#define MRC_PEERS_GC_MS		10000

/* So many peers made bring the collector forward. */
#define MRC_PEERS_GC_EVERY	256

/* A batch of changes to routes is followed by one resolution per: */
#define MRC_PEERS_RESOLVE_MS	50
#define MRC_PEERS_RETRY_MS	1000

/* Endpoint Requests of strangers answered per second and namespace. */
#define MRC_EP_LIMIT		100

/* No padding: it is hashed and compared as a whole, and lies so in the peer. */
struct mrc_peer_key {
	struct in6_addr	local;
	struct in6_addr	remote;
	u32		profile;
};

static const struct rhashtable_params mrc_peer_params = {
	.head_offset		= offsetof(struct mrc_peer, node),
	.key_offset		= offsetof(struct mrc_peer, local),
	.key_len		= sizeof(struct mrc_peer_key),
	.automatic_shrinking	= true,
};

static_assert(offsetof(struct mrc_peer, remote) ==
	      offsetof(struct mrc_peer, local) +
	      offsetof(struct mrc_peer_key, remote));
static_assert(offsetof(struct mrc_peer, profile) ==
	      offsetof(struct mrc_peer, local) +
	      offsetof(struct mrc_peer_key, profile));
static_assert(sizeof(struct mrc_peer_key) == 36);

void mrc_peer_lock(struct mrc_peer *peer) __acquires(&peer->lock)
{
	spin_lock_bh(&peer->lock);
}

/* Drops the lock; the users get what news there is before. */
void mrc_peer_unlock(struct mrc_peer *peer) __releases(&peer->lock)
{
	unsigned long what, news = peer->news;
	struct mrc_user *user;

	peer->news = 0;
	if (news)
		list_for_each_entry(user, &peer->users, peer_node)
			for_each_set_bit(what, &news, BITS_PER_LONG)
				mrc_news_give(user, what);
	spin_unlock_bh(&peer->lock);
}

/**
 * mrc_peer_find() - look up a peer
 * @mnet: namespace
 * @local: node address of ours
 * @remote: its address
 * @profile: id of an EV profile, 0 = that of the routes
 *
 * Context: RCU read side.
 * Return: the peer without a reference, NULL if there is none.
 */
struct mrc_peer *mrc_peer_find(const struct mrc_net *mnet,
			       const struct in6_addr *local,
			       const struct in6_addr *remote, u32 profile)
{
	const struct mrc_peer_key key = { *local, *remote, profile };

	/* the table is not const for rhashtable_lookup(), which only reads */
	return rhashtable_lookup((struct rhashtable *)&mnet->peers, &key,
				 mrc_peer_params);
}

/**
 * mrc_peer_any() - ask the peers of two addresses, one after the other
 * @mnet: namespace
 * @local: node address of ours
 * @remote: its address
 * @fn: asked for the one of the routes' profiles and for those of sockets,
 *	until it says yes
 * @arg: for @fn
 *
 * Context: RCU read side.
 * Return: true if one has said yes.
 */
bool mrc_peer_any(const struct mrc_net *mnet, const struct in6_addr *local,
		  const struct in6_addr *remote,
		  bool (*fn)(struct mrc_peer *peer, void *arg), void *arg)
{
	struct mrc_peer *peer = mrc_peer_find(mnet, local, remote, 0);
	const struct mrc_profile *p;

	if (peer && fn(peer, arg))
		return true;
	list_for_each_entry_rcu(p, &mnet->profiles, list) {
		peer = mrc_peer_find(mnet, local, remote, p->id);
		if (peer && fn(peer, arg))
			return true;
	}
	return false;
}

/* Queues work unless the namespace goes. Context: any. */
void mrc_peers_queue(struct mrc_net *mnet, struct delayed_work *work,
		     unsigned long delay)
{
	spin_lock_bh(&mnet->peer_lock);
	if (!mnet->peers_off) {
		if (delay)
			queue_delayed_work(system_power_efficient_wq, work,
					   delay);
		else
			mod_delayed_work(system_power_efficient_wq, work, 0);
	}
	spin_unlock_bh(&mnet->peer_lock);
}

/* Our node address towards @remote. Context: RCU. Return: 0 or negative. */
static int mrc_peer_source(const struct mrc_net *mnet,
			   const struct in6_addr *local,
			   const struct in6_addr *remote, struct in6_addr *src)
{
	const struct mrc_route *route;
	u32 planes;

	if (!ipv6_addr_any(local)) {
		*src = *local;
		return mrc_node_is_ours(mnet, local) ? 0 : -EADDRNOTAVAIL;
	}
	planes = mrc_node_is_ours(mnet, remote) ? 0 :
		 mrc_route_planes(mnet, remote);
	for (; planes; planes &= planes - 1) {
		route = mrc_route_lookup(mnet, remote, ffs(planes));
		if (!route || !route->cfg.has_src)
			continue;
		*src = route->cfg.src;
		return mrc_node_is_ours(mnet, src) ? 0 : -EADDRNOTAVAIL;
	}
	return mrc_node_first(mnet, src) ? 0 : -EADDRNOTAVAIL;
}

static struct mrc_peer *mrc_peer_alloc(struct mrc_net *mnet,
				       const struct in6_addr *local,
				       const struct in6_addr *remote,
				       u32 profile, gfp_t gfp)
{
	struct mrc_peer *peer;

	if (gfpflags_allow_blocking(gfp))
		gfp |= __GFP_ACCOUNT;
	peer = kzalloc(sizeof(*peer), gfp);
	if (!peer)
		return NULL;
	peer->mnet = mnet;
	peer->local = *local;
	peer->remote = *remote;
	peer->profile = profile;
	refcount_set(&peer->ref, 2);	/* table and caller */
	spin_lock_init(&peer->lock);
	INIT_LIST_HEAD(&peer->users);
	peer->seed = get_random_u32();
	peer->idle_since = ktime_get_ns();
	mrc_probe_init(peer);
	return peer;
}

/* Adds @peer, or finds that another CPU was faster. Context: RCU.
 * Return: the one in the table with a reference, or ERR_PTR.
 */
static struct mrc_peer *mrc_peer_insert(struct mrc_net *mnet,
					struct mrc_peer *peer)
{
	struct mrc_peer *old;
	int err = -ENOMEM;

	spin_lock_bh(&mnet->peer_lock);
	old = mrc_peer_find(mnet, &peer->local, &peer->remote, peer->profile);
	if (old) {
		/* never 0: it leaves the table under the lock we hold */
		refcount_inc(&old->ref);
		goto out;
	}
	if (!mnet->peers_off && mnet->n_peers < MRC_PEERS_MAX)
		err = rhashtable_insert_fast(&mnet->peers, &peer->node,
					     mrc_peer_params);
	if (err) {
		old = ERR_PTR(-ENOMEM);
		goto out;
	}
	list_add_tail_rcu(&peer->list, &mnet->peer_list);
	mnet->n_peers++;
	old = peer;
out:
	spin_unlock_bh(&mnet->peer_lock);
	return old;
}

/* Context: as mrc_peer_get(). Return: the peer with a reference, ERR_PTR. */
static struct mrc_peer *mrc_peer_create(struct mrc_net *mnet,
					const struct in6_addr *local,
					const struct in6_addr *remote,
					u32 profile, gfp_t gfp)
{
	struct mrc_peer *peer, *fresh;

	fresh = mrc_peer_alloc(mnet, local, remote, profile, gfp);
	if (!fresh)
		return ERR_PTR(-ENOMEM);
	rcu_read_lock();
	peer = mrc_peer_insert(mnet, fresh);
	rcu_read_unlock();
	if (peer != fresh) {
		kfree(fresh);
		return peer;
	}
	MRC_INC(mnet, PEER_CREATED);
	mrc_peers_queue(mnet, &mnet->peers_gc,
			READ_ONCE(mnet->n_peers) % MRC_PEERS_GC_EVERY ?
			msecs_to_jiffies(MRC_PEERS_GC_MS) : 0);
	return peer;
}

/* Has the peer a path at all? */
static int mrc_peer_reachable(struct mrc_peer *peer)
{
	const struct mrc_peer_paths *t;
	int err = -ENETUNREACH;

	rcu_read_lock();
	t = rcu_dereference(peer->paths);
	if (t && t->n_planes)
		err = 0;
	rcu_read_unlock();
	return err;
}

/**
 * mrc_peer_warm() - a peer will be used: its gateways should be known by then
 * @peer: peer
 *
 * Context: any but hard interrupts, no spinlock held: it may send.
 */
void mrc_peer_warm(const struct mrc_peer *peer)
{
	const struct mrc_peer_paths *t;
	const struct mrc_gw *gw;
	int e;

	rcu_read_lock();
	t = rcu_dereference(peer->paths);
	for (e = 0; t && t->planes && e < t->n_planes; e++) {
		gw = READ_ONCE(t->gw[e]);
		if (gw)
			mrc_gw_resolve(gw);
	}
	rcu_read_unlock();
}

/**
 * mrc_peer_get() - the peer for two addresses, made if need be
 * @mnet: namespace
 * @local: node address of ours; :: = the route's src, or else the first node
 * @remote: its node address
 * @profile: id of an EV profile, 0 = that of the routes
 * @gfp: how to allocate
 *
 * Context: process or softirq (@gfp).
 * Return: the peer with a reference, or ERR_PTR: -ENETUNREACH no route,
 * -EADDRNOTAVAIL @local is no node of ours, or there is none; -ENOMEM.
 */
struct mrc_peer *mrc_peer_get(struct mrc_net *mnet,
			      const struct in6_addr *local,
			      const struct in6_addr *remote, u32 profile,
			      gfp_t gfp)
{
	struct mrc_peer *peer = NULL;
	struct in6_addr src;
	int err;

	rcu_read_lock();
	err = mrc_peer_source(mnet, local, remote, &src);
	if (!err && !mrc_node_is_ours(mnet, remote) &&
	    !mrc_route_planes(mnet, remote))
		err = -ENETUNREACH;
	if (!err)
		peer = mrc_peer_find(mnet, &src, remote, profile);
	if (peer && !refcount_inc_not_zero(&peer->ref))
		peer = NULL;
	rcu_read_unlock();
	if (err)
		return ERR_PTR(err);
	if (!peer)
		peer = mrc_peer_create(mnet, &src, remote, profile, gfp);
	if (IS_ERR(peer))
		return peer;
	/* without memory an older table will do */
	err = mrc_paths_stale(peer) ? mrc_paths_resolve(peer, gfp) : 0;
	if (err && rcu_access_pointer(peer->paths))
		err = 0;
	err = err ?: mrc_peer_reachable(peer);
	if (err) {
		mrc_peer_put(peer);
		return ERR_PTR(err);
	}
	/* others may hold a lock, and do it themselves */
	if (gfpflags_allow_blocking(gfp) && !READ_ONCE(peer->n_users))
		mrc_peer_warm(peer);
	return peer;
}

/**
 * mrc_peer_put() - give a reference back
 * @peer: peer; it stays in the table for another minute at least
 *
 * Context: any.
 */
void mrc_peer_put(struct mrc_peer *peer)
{
	WRITE_ONCE(peer->idle_since, ktime_get_ns());
	refcount_dec(&peer->ref);
}

/**
 * mrc_peer_attach() - a user joins and gets news from now on
 * @peer: peer, on which the user holds a reference
 * @user: the user
 *
 * Context: any but hard interrupts.
 */
void mrc_peer_attach(struct mrc_peer *peer, struct mrc_user *user)
{
	mrc_peer_lock(peer);
	list_add_tail(&user->peer_node, &peer->users);
	WRITE_ONCE(peer->n_users, peer->n_users + 1);
	if (peer->n_users == 1) {
		WRITE_ONCE(peer->active, jiffies);
		mrc_probe_resume(peer, ktime_get_ns());
	}
	mrc_peer_unlock(peer);
	if (mrc_paths_stale(peer))
		mrc_peers_queue(peer->mnet, &peer->mnet->peers_resolve, 1);
}

/**
 * mrc_peer_detach() - a user leaves
 * @peer: peer
 * @user: the user; no news is given to it after this
 *
 * Context: any but hard interrupts.
 */
void mrc_peer_detach(struct mrc_peer *peer, struct mrc_user *user)
{
	mrc_peer_lock(peer);
	list_del_init(&user->peer_node);
	WRITE_ONCE(peer->n_users, peer->n_users - 1);
	/* a timer that runs now sees that there is no user */
	if (!peer->n_users && hrtimer_try_to_cancel(&peer->timer) >= 0)
		peer->timer_at = U64_MAX;
	mrc_peer_unlock(peer);
}

u32 mrc_peer_planes(struct mrc_peer *peer)
{
	const struct mrc_peer_paths *t;
	u32 planes;

	rcu_read_lock();
	t = rcu_dereference(peer->paths);
	planes = t ? t->planes : 0;
	rcu_read_unlock();
	return planes;
}

u32 mrc_peer_planes_good(struct mrc_peer *peer)
{
	const struct mrc_peer_paths *t;
	const struct mrc_plane *plane;
	u32 good = 0;
	int e;

	rcu_read_lock();
	t = rcu_dereference(peer->paths);
	for (e = 0; t && t->planes && e < t->n_planes; e++) {
		plane = mrc_plane_get_rcu(peer->mnet, t->evp[e].plane);
		if (plane && READ_ONCE(plane->up) && READ_ONCE(t->gw[e]) &&
		    READ_ONCE(t->evp[e].n_good))
			good |= BIT(t->evp[e].plane - 1);
	}
	rcu_read_unlock();
	return good;
}

unsigned int mrc_peer_dgram_max(struct mrc_peer *peer, u32 mask)
{
	unsigned int mtu, over, max = UINT_MAX;
	const struct mrc_peer_paths *t;
	const struct mrc_plane *plane;
	int e;

	rcu_read_lock();
	t = rcu_dereference(peer->paths);
	for (e = 0; t && e < t->n_planes; e++) {
		if (mask && t->planes && !(mask & BIT(t->evp[e].plane - 1)))
			continue;
		plane = mrc_plane_get_rcu(peer->mnet, t->evp[e].plane);
		mtu = plane ? mrc_plane_mtu(plane) : 0;
		over = mrc_overhead(t->encap[e]);
		if (mtu > over)
			max = min(max, mtu - over);
	}
	rcu_read_unlock();
	return max == UINT_MAX ? 0 : max;
}

u32 mrc_planes_up(const struct mrc_net *mnet)
{
	const struct mrc_plane *plane;
	u32 up = 0;
	u8 id;

	for (id = 1; id <= MRC_PLANE_MAX; id++) {
		plane = mrc_plane_get_rcu(mnet, id);
		if (plane && READ_ONCE(plane->up))
			up |= BIT(id - 1);
	}
	return up;
}

unsigned int mrc_pick_dgram_max(const struct mrc_pick *pick)
{
	unsigned int mtu = mrc_plane_mtu(pick->plane);
	unsigned int over = mrc_overhead(pick->encap);

	return mtu > over ? mtu - over : 0;
}

bool mrc_peer_is_loopback(const struct mrc_peer *peer)
{
	return READ_ONCE(peer->loopback);
}

struct mrc_rtt *mrc_peer_rtt(struct mrc_peer *peer, u8 plane)
{
	return &peer->rtt[min_t(u8, plane, MRC_PLANE_MAX)];
}

void mrc_peer_paths_info(struct mrc_peer *peer, u32 *gen, u16 *n_paths)
{
	const struct mrc_peer_paths *t;

	rcu_read_lock();
	t = rcu_dereference(peer->paths);
	*gen = t ? t->gen : 0;
	*n_paths = t ? t->n_paths : 0;
	rcu_read_unlock();
}

/**
 * mrc_peer_walk() - call a function for each peer
 * @mnet: namespace
 * @cb: called under RCU; stops the walk by a value other than 0
 * @arg: for @cb
 *
 * New peers come last, so that positions hold while none goes.
 *
 * Context: process.
 * Return: 0 or what @cb returned.
 */
int mrc_peer_walk(struct mrc_net *mnet,
		  int (*cb)(struct mrc_peer *peer, void *arg), void *arg)
{
	struct mrc_peer *peer;
	int ret = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(peer, &mnet->peer_list, list) {
		ret = cb(peer, arg);
		if (ret)
			break;
	}
	rcu_read_unlock();
	return ret;
}

/**
 * mrc_peers_plane_down() - a plane of ours died
 * @mnet: namespace
 * @plane: its number
 *
 * Context: any but hard interrupts, no peer's lock held.
 */
void mrc_peers_plane_down(struct mrc_net *mnet, u8 plane)
{
	struct mrc_peer *peer;

	rcu_read_lock();
	list_for_each_entry_rcu(peer, &mnet->peer_list, list)
		mrc_peer_plane_down(peer, plane);
	rcu_read_unlock();
}

/**
 * mrc_peers_plane_up() - a plane of ours came back
 * @mnet: namespace
 * @plane: its number
 *
 * Context: any but hard interrupts, no peer's lock held.
 */
void mrc_peers_plane_up(struct mrc_net *mnet, u8 plane)
{
	struct mrc_peer *peer;

	rcu_read_lock();
	list_for_each_entry_rcu(peer, &mnet->peer_list, list)
		mrc_peer_plane_up(peer, plane);
	rcu_read_unlock();
}

/**
 * mrc_peers_changed() - nodes, planes, routes or the number of EVs changed
 * @mnet: namespace
 *
 * Peers without users look when they get one.
 *
 * Context: any but hard interrupts, after paths_gen was raised.
 */
void mrc_peers_changed(struct mrc_net *mnet)
{
	mrc_peers_queue(mnet, &mnet->peers_resolve,
			msecs_to_jiffies(MRC_PEERS_RESOLVE_MS));
}

/**
 * mrc_peers_gw_gone() - no table may name a gateway entry any more
 * @mnet: namespace
 * @gw: entry that no route names any more; freed after a grace period that
 *	begins when this returns
 *
 * A table being made is thrown away if gw_gen has changed when it would be
 * published, and a new peer is in the list before its first table is made;
 * so no table is missed.
 *
 * Context: process, conf_lock held.
 */
void mrc_peers_gw_gone(struct mrc_net *mnet, const struct mrc_gw *gw)
{
	struct mrc_peer_paths *t;
	struct mrc_peer *peer;
	int e;

	/* The route is gone, then the number moves, then we look at the list:
	 * pairs with the barrier in mrc_plan_make().
	 */
	smp_mb__before_atomic();
	atomic_inc(&mnet->gw_gen);
	smp_mb__after_atomic();	/* as said above */
	rcu_read_lock();
	list_for_each_entry_rcu(peer, &mnet->peer_list, list) {
		mrc_peer_lock(peer);
		t = mrc_paths_locked(peer);
		for (e = 0; t && e < t->n_planes; e++)
			if (t->gw[e] == gw)
				WRITE_ONCE(t->gw[e], NULL);
		mrc_peer_unlock(peer);
	}
	rcu_read_unlock();
}

static void mrc_peers_resolve_work(struct work_struct *work)
{
	struct mrc_net *mnet = container_of(to_delayed_work(work),
					    struct mrc_net, peers_resolve);
	struct mrc_peer *peer;
	bool again = false;

	rcu_read_lock();
	list_for_each_entry_rcu(peer, &mnet->peer_list, list) {
		if (!READ_ONCE(peer->n_users) || !mrc_paths_stale(peer) ||
		    !refcount_inc_not_zero(&peer->ref))
			continue;
		rcu_read_unlock();
		if (mrc_paths_resolve(peer, GFP_KERNEL))
			again = true;
		cond_resched();
		/* in the list, as are its neighbours, until we let go of it */
		rcu_read_lock();
		mrc_peer_put(peer);
	}
	rcu_read_unlock();
	if (again)
		mrc_peers_queue(mnet, &mnet->peers_resolve,
				msecs_to_jiffies(MRC_PEERS_RETRY_MS));
}

/* Takes an idle peer out of the tables. Return: false if it is in use. */
static bool mrc_peer_unlink(struct mrc_net *mnet, struct mrc_peer *peer)
{
	bool gone;

	spin_lock_bh(&mnet->peer_lock);
	gone = refcount_dec_if_one(&peer->ref);
	if (gone) {
		rhashtable_remove_fast(&mnet->peers, &peer->node,
				       mrc_peer_params);
		list_del_rcu(&peer->list);
		mnet->n_peers--;
	}
	spin_unlock_bh(&mnet->peer_lock);
	return gone;
}

/* Frees an unlinked peer. Context: process, may sleep. */
static void mrc_peer_free(struct mrc_peer *peer)
{
	struct mrc_peer_paths *t;

	mrc_peer_lock(peer);
	peer->dead = true;
	t = rcu_replace_pointer(peer->paths, NULL,
				lockdep_is_held(&peer->lock));
	mrc_peer_unlock(peer);
	hrtimer_cancel(&peer->timer);
	MRC_INC(peer->mnet, PEER_FREED);
	if (t)
		kvfree_rcu(t, rcu);
	kfree_rcu(peer, rcu);
}

static void mrc_peers_free_list(struct list_head *doomed)
{
	struct mrc_peer *peer, *next;

	/* they have no users: that list head links them here */
	list_for_each_entry_safe(peer, next, doomed, users) {
		list_del_init(&peer->users);
		mrc_peer_free(peer);
	}
}

static void mrc_peers_gc_work(struct work_struct *work)
{
	struct mrc_net *mnet = container_of(to_delayed_work(work),
					    struct mrc_net, peers_gc);
	u64 now = ktime_get_ns();
	struct mrc_peer *peer;
	unsigned int idle = 0;
	LIST_HEAD(doomed);
	s64 age;

	rcu_read_lock();
	list_for_each_entry_rcu(peer, &mnet->peer_list, list) {
		if (refcount_read(&peer->ref) != 1)
			continue;
		age = now - READ_ONCE(peer->idle_since);
		if (age < (s64)MRC_PEER_IDLE_NS && ++idle <= MRC_PEERS_IDLE_MAX)
			continue;
		if (mrc_peer_unlink(mnet, peer))
			list_add(&peer->users, &doomed);
	}
	rcu_read_unlock();
	mrc_peers_free_list(&doomed);
	if (READ_ONCE(mnet->n_peers))
		mrc_peers_queue(mnet, &mnet->peers_gc,
				msecs_to_jiffies(MRC_PEERS_GC_MS));
}

/**
 * mrc_peers_init() - begin to keep peers
 * @mnet: namespace
 *
 * Context: process, before the first plane is made.
 * Return: 0 or a negative errno.
 */
int mrc_peers_init(struct mrc_net *mnet)
{
	INIT_LIST_HEAD(&mnet->peer_list);
	spin_lock_init(&mnet->peer_lock);
	INIT_DELAYED_WORK(&mnet->peers_resolve, mrc_peers_resolve_work);
	INIT_DELAYED_WORK(&mnet->peers_gc, mrc_peers_gc_work);
	ratelimit_state_init(&mnet->ep_limit, HZ, MRC_EP_LIMIT);
	/* suppressed answers are counted in the MIB, not logged */
	ratelimit_set_flags(&mnet->ep_limit, RATELIMIT_MSG_ON_RELEASE);
	return rhashtable_init(&mnet->peers, &mrc_peer_params);
}

/**
 * mrc_peers_exit() - free all peers
 * @mnet: namespace; all users are gone
 *
 * Context: process, may sleep.
 */
void mrc_peers_exit(struct mrc_net *mnet)
{
	struct mrc_peer *peer;
	LIST_HEAD(doomed);

	spin_lock_bh(&mnet->peer_lock);
	mnet->peers_off = true;
	spin_unlock_bh(&mnet->peer_lock);
	cancel_delayed_work_sync(&mnet->peers_resolve);
	cancel_delayed_work_sync(&mnet->peers_gc);
	/* a packet that came in before may still hold one */
	if (!list_empty(&mnet->peer_list))
		synchronize_rcu();
	rcu_read_lock();
	list_for_each_entry_rcu(peer, &mnet->peer_list, list)
		if (!WARN_ON_ONCE(!mrc_peer_unlink(mnet, peer)))
			list_add(&peer->users, &doomed);
	rcu_read_unlock();
	mrc_peers_free_list(&doomed);
	rhashtable_destroy(&mnet->peers);
}
