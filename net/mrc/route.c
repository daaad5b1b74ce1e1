// SPDX-License-Identifier: GPL-2.0
/*
 * The source-route table.
 *
 * A hash table keyed by prefix and length, one entry per prefix, on which the
 * rows of its planes hang; a lookup tries the lengths in use, longest first.
 * Adding a row costs the same whatever the size of the table. Tables have few
 * lengths: hosts, T0 groups, perhaps a default.
 */
#include <linux/netlink.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/ipv6.h>

#include "net.h"
#include "plane.h"
#include "profile.h"
#include "route.h"
#include "wire.h"

#define PLENS	129	/* prefix lengths: 0 .. 128 */

/* No padding: it is hashed and compared as a whole. */
struct mrc_prefix_key {
	struct in6_addr	dst;
	u32		plen;
};

/**
 * struct mrc_prefix - a destination prefix
 * @node: in mrc_route_table.prefixes
 * @key: the prefix
 * @rows: struct mrc_row, one per plane; changed under conf_lock, RCU
 * @rcu: frees it
 */
struct mrc_prefix {
	struct rhash_head	node;
	struct mrc_prefix_key	key;
	struct hlist_head	rows;
	struct rcu_head		rcu;
};

/**
 * struct mrc_row - a row
 * @route: what lookups return
 * @node: in mrc_prefix.rows
 * @prefix: where it hangs
 * @id: its index in mrc_route_table.rows
 * @rcu: frees it
 */
struct mrc_row {
	struct mrc_route	route;
	struct hlist_node	node;
	struct mrc_prefix	*prefix;
	u32			id;
	struct rcu_head		rcu;
};

/**
 * struct mrc_route_table - the table of a namespace
 * @prefixes: struct mrc_prefix by key
 * @rows: all rows, in the order in which dumps show them
 * @n_rows: how many
 * @n_plen: prefixes of each length; both changed under conf_lock
 * @plens: bit per length: @n_plen is not 0; RCU readers read its words
 */
struct mrc_route_table {
	struct rhashtable	prefixes;
	struct xarray		rows;
	unsigned int		n_rows;
	unsigned int		n_plen[PLENS];
	DECLARE_BITMAP(plens, PLENS);
};

static struct kmem_cache *mrc_row_cache __read_mostly;
static struct kmem_cache *mrc_prefix_cache __read_mostly;

static const struct rhashtable_params mrc_prefix_params = {
	.key_len		= sizeof(struct mrc_prefix_key),
	.key_offset		= offsetof(struct mrc_prefix, key),
	.head_offset		= offsetof(struct mrc_prefix, node),
	.automatic_shrinking	= true,
};

/**
 * mrc_route_cache_init() - make the caches of rows and prefixes
 *
 * Context: Process.
 * Return: 0 or -ENOMEM.
 */
int mrc_route_cache_init(void)
{
	mrc_row_cache = KMEM_CACHE(mrc_row, SLAB_ACCOUNT);
	if (!mrc_row_cache)
		return -ENOMEM;
	mrc_prefix_cache = KMEM_CACHE(mrc_prefix, SLAB_ACCOUNT);
	if (!mrc_prefix_cache) {
		kmem_cache_destroy(mrc_row_cache);
		return -ENOMEM;
	}
	return 0;
}

/**
 * mrc_route_cache_exit() - free the caches
 *
 * Context: Process. Waits for rows that are still to be freed by RCU.
 */
void mrc_route_cache_exit(void)
{
	kmem_cache_destroy(mrc_prefix_cache);
	kmem_cache_destroy(mrc_row_cache);
}

/* ---- lookup -------------------------------------------------------------- */

static void mrc_prefix_key(struct mrc_prefix_key *key,
			   const struct in6_addr *dst, unsigned int plen)
{
	ipv6_addr_prefix(&key->dst, dst, plen);
	key->plen = plen;
}

static struct mrc_row *mrc_prefix_row(const struct mrc_net *mnet,
				      const struct mrc_prefix *prefix,
				      u8 plane)
{
	struct mrc_row *row;

	hlist_for_each_entry_rcu(row, &prefix->rows, node,
				 lockdep_is_held(&mnet->conf_lock))
		if (row->route.cfg.plane == plane)
			return row;
	return NULL;
}

/* The longest prefix of @dst of at most @plen bits; its length is returned
 * in @plen. NULL if there is none.
 */
static struct mrc_prefix *mrc_prefix_match(struct mrc_route_table *t,
					   const struct in6_addr *dst,
					   int *plen)
{
	struct mrc_prefix_key key;
	struct mrc_prefix *prefix;

	for (; *plen >= 0; (*plen)--) {
		if (!test_bit(*plen, t->plens))
			continue;
		mrc_prefix_key(&key, dst, *plen);
		prefix = rhashtable_lookup(&t->prefixes, &key,
					   mrc_prefix_params);
		if (prefix)
			return prefix;
	}
	return NULL;
}

/**
 * mrc_route_lookup() - how to reach a destination over a plane
 * @mnet: namespace
 * @dst: destination
 * @plane: number of the plane
 *
 * Context: RCU read side.
 * Return: the row of the longest prefix that has one for @plane, or NULL.
 */
const struct mrc_route *mrc_route_lookup(const struct mrc_net *mnet,
					 const struct in6_addr *dst, u8 plane)
{
	struct mrc_prefix *prefix;
	struct mrc_row *row;
	int plen = 128;

	while ((prefix = mrc_prefix_match(mnet->routes, dst, &plen))) {
		row = mrc_prefix_row(mnet, prefix, plane);
		if (row)
			return &row->route;
		plen--;
	}
	return NULL;
}

/**
 * mrc_route_planes() - which planes lead to a destination?
 * @mnet: namespace
 * @dst: destination
 *
 * Context: RCU read side.
 * Return: mask, bit n - 1 is plane n.
 */
u32 mrc_route_planes(const struct mrc_net *mnet, const struct in6_addr *dst)
{
	struct mrc_prefix *prefix;
	struct mrc_row *row;
	int plen = 128;
	u32 mask = 0;

	while ((prefix = mrc_prefix_match(mnet->routes, dst, &plen))) {
		hlist_for_each_entry_rcu(row, &prefix->rows, node)
			mask |= BIT(row->route.cfg.plane - 1);
		plen--;
	}
	return mask;
}

/**
 * mrc_route_ev_layout() - have all EVs of packets to a destination our layout?
 * @mnet: namespace
 * @dst: destination
 *
 * Context: RCU read side.
 * Return: false if a route to it has an EV profile.
 */
bool mrc_route_ev_layout(const struct mrc_net *mnet, const struct in6_addr *dst)
{
	u32 planes = mrc_route_planes(mnet, dst);
	const struct mrc_route *route;

	for (; planes; planes &= planes - 1) {
		route = mrc_route_lookup(mnet, dst, ffs(planes));
		if (route && route->cfg.profile)
			return false;
	}
	return true;
}

/**
 * mrc_route_paths() - how many paths does a row stand for?
 * @cfg: the row
 *
 * Context: RCU read side.
 * Return: the number; of a plain route each EV of its profile, or where
 * switches hash as many as EVs can name.
 */
u32 mrc_route_paths(const struct mrc_route_cfg *cfg)
{
	if (cfg->mode != MRC_ROUTE_PLAIN)
		return mrc_srv6_paths(&cfg->tmpl);
	if (cfg->profile)
		return rcu_dereference(cfg->profile->evs)->n;
	return cfg->ecmp ? MRC_EV_PATH_MAX : 1;
}

/**
 * mrc_route_count() - number of rows
 * @mnet: namespace
 *
 * Context: Any.
 * Return: the number.
 */
unsigned int mrc_route_count(const struct mrc_net *mnet)
{
	return READ_ONCE(mnet->routes->n_rows);
}

/* ---- changes ------------------------------------------------------------- */

static int mrc_route_check_addrs(const struct mrc_route_cfg *cfg,
				 struct netlink_ext_ack *extack)
{
	struct in6_addr prefix;

	if (cfg->plen > 128) {
		NL_SET_ERR_MSG(extack, "Prefix length is above 128");
		return -EINVAL;
	}
	ipv6_addr_prefix(&prefix, &cfg->dst, cfg->plen);
	if (!ipv6_addr_equal(&prefix, &cfg->dst)) {
		NL_SET_ERR_MSG(extack, "Host bits of the destination are set");
		return -EINVAL;
	}
	if (ipv6_addr_is_multicast(&cfg->dst)) {
		NL_SET_ERR_MSG(extack, "Destination is multicast");
		return -EINVAL;
	}
	if (cfg->has_via && !mrc_gw_valid(&cfg->via)) {
		NL_SET_ERR_MSG(extack, "Gateway is not a unicast address");
		return -EINVAL;
	}
	if (cfg->has_src && !(ipv6_addr_type(&cfg->src) & IPV6_ADDR_UNICAST)) {
		NL_SET_ERR_MSG(extack, "Source is not a unicast address");
		return -EINVAL;
	}
	return 0;
}

static int mrc_route_check(const struct mrc_route_cfg *cfg,
			   struct netlink_ext_ack *extack)
{
	const char *msg;

	if (!cfg->plane || cfg->plane > MRC_PLANE_MAX) {
		NL_SET_ERR_MSG(extack, "Plane number is not 1 to 32");
		return -EINVAL;
	}
	switch (cfg->mode) {
	case MRC_ROUTE_PLAIN:
		break;
	case MRC_ROUTE_USID:
	case MRC_ROUTE_SRH:
		if (cfg->ecmp) {
			NL_SET_ERR_MSG(extack, "ECMP is for plain routes");
			return -EINVAL;
		}
		msg = mrc_srv6_check(&cfg->tmpl);
		if (msg) {
			NL_SET_ERR_MSG_FMT(extack, "Path: %s", msg);
			return -EINVAL;
		}
		break;
	default:
		NL_SET_ERR_MSG(extack, "Unknown mode");
		return -EINVAL;
	}
	return mrc_route_check_addrs(cfg, extack);
}

/* The entry of @plane that a row sends through: NULL if the plane is missing
 * or neither has a gateway, or ERR_PTR.
 */
static struct mrc_gw *mrc_route_gw(struct mrc_plane *plane,
				   const struct mrc_route_cfg *cfg)
{
	const struct in6_addr *via;

	if (!plane)
		return NULL;
	via = cfg->has_via ? &cfg->via : &plane->via;
	if (ipv6_addr_any(via))
		return NULL;
	return mrc_gw_get(plane, via);
}

static struct mrc_prefix *mrc_prefix_make(struct mrc_route_table *t,
					  const struct mrc_prefix_key *key)
{
	struct mrc_prefix *prefix;
	int err;

	prefix = rhashtable_lookup_fast(&t->prefixes, key, mrc_prefix_params);
	if (prefix)
		return prefix;
	prefix = kmem_cache_zalloc(mrc_prefix_cache, GFP_KERNEL);
	if (!prefix)
		return ERR_PTR(-ENOMEM);
	prefix->key = *key;
	err = rhashtable_insert_fast(&t->prefixes, &prefix->node,
				     mrc_prefix_params);
	if (err) {
		kmem_cache_free(mrc_prefix_cache, prefix);
		return ERR_PTR(err);
	}
	if (!t->n_plen[key->plen]++)
		set_bit(key->plen, t->plens);
	return prefix;
}

/* Frees @prefix if nothing hangs on it. */
static void mrc_prefix_trim(struct mrc_route_table *t,
			    struct mrc_prefix *prefix)
{
	if (!hlist_empty(&prefix->rows))
		return;
	rhashtable_remove_fast(&t->prefixes, &prefix->node,
			       mrc_prefix_params);
	if (!--t->n_plen[prefix->key.plen])
		clear_bit(prefix->key.plen, t->plens);
	kfree_rcu(prefix, rcu);
}

/* Inserts a row for which everything is checked. */
static int mrc_row_insert(struct mrc_route_table *t,
			  const struct mrc_route_cfg *cfg, struct mrc_gw *gw)
{
	struct mrc_prefix_key key;
	struct mrc_prefix *prefix;
	struct mrc_row *row;
	int err;

	row = kmem_cache_zalloc(mrc_row_cache, GFP_KERNEL);
	if (!row)
		return -ENOMEM;
	row->route.cfg = *cfg;
	row->route.gw = gw;

	mrc_prefix_key(&key, &cfg->dst, cfg->plen);
	prefix = mrc_prefix_make(t, &key);
	if (IS_ERR(prefix)) {
		err = PTR_ERR(prefix);
		goto err_row;
	}
	row->prefix = prefix;
	err = xa_alloc(&t->rows, &row->id, row, xa_limit_31b,
		       GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_prefix;
	mrc_profile_get(cfg->profile);
	hlist_add_head_rcu(&row->node, &prefix->rows);
	WRITE_ONCE(t->n_rows, t->n_rows + 1);
	return 0;

err_prefix:
	mrc_prefix_trim(t, prefix);
err_row:
	kmem_cache_free(mrc_row_cache, row);
	return err;
}

static struct mrc_row *mrc_row_find(struct mrc_net *mnet,
				    const struct in6_addr *dst, u8 plen,
				    u8 plane)
{
	struct mrc_route_table *t = mnet->routes;
	struct mrc_prefix_key key;
	struct mrc_prefix *prefix;

	mrc_prefix_key(&key, dst, plen);
	prefix = rhashtable_lookup_fast(&t->prefixes, &key, mrc_prefix_params);
	return prefix ? mrc_prefix_row(mnet, prefix, plane) : NULL;
}

/**
 * mrc_route_add() - add a row
 * @mnet: namespace
 * @cfg: the row
 * @extack: says what is wrong
 *
 * Context: Process, conf_lock held.
 * Return: 0 or a negative errno.
 */
int mrc_route_add(struct mrc_net *mnet, const struct mrc_route_cfg *cfg,
		  struct netlink_ext_ack *extack)
{
	struct mrc_plane *plane;
	struct mrc_gw *gw;
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	err = mrc_route_check(cfg, extack);
	if (err)
		return err;
	plane = mrc_plane_get(mnet, cfg->plane);
	if (!plane) {
		NL_SET_ERR_MSG(extack, "No plane of that number");
		return -ENODEV;
	}
	if (mrc_row_find(mnet, &cfg->dst, cfg->plen, cfg->plane)) {
		NL_SET_ERR_MSG(extack,
			       "Route to that prefix exists on that plane");
		return -EEXIST;
	}
	if (mnet->routes->n_rows >= MRC_ROUTE_MAX) {
		NL_SET_ERR_MSG(extack, "Route table is full");
		return -ENOSPC;
	}
	gw = mrc_route_gw(plane, cfg);
	if (!gw) {
		NL_SET_ERR_MSG(extack,
			       "Neither the route nor its plane has a gateway");
		return -EHOSTUNREACH;
	}
	if (IS_ERR(gw))
		return PTR_ERR(gw);

	err = mrc_row_insert(mnet->routes, cfg, gw);
	if (err) {
		mrc_gw_put(plane, gw);
		return err;
	}
	mrc_paths_changed(mnet);
	return 0;
}

/**
 * mrc_route_del() - delete a row
 * @mnet: namespace
 * @dst: its prefix
 * @plen: length of that, bits
 * @plane: its plane
 * @extack: says what is wrong
 *
 * Context: Process, conf_lock held.
 * Return: 0, -EINVAL or -ENOENT.
 */
int mrc_route_del(struct mrc_net *mnet, const struct in6_addr *dst, u8 plen,
		  u8 plane, struct netlink_ext_ack *extack)
{
	struct mrc_route_table *t = mnet->routes;
	struct mrc_row *row;

	lockdep_assert_held(&mnet->conf_lock);
	if (plen > 128) {
		NL_SET_ERR_MSG(extack, "Prefix length is above 128");
		return -EINVAL;
	}
	row = mrc_row_find(mnet, dst, plen, plane);
	if (!row) {
		NL_SET_ERR_MSG(extack, "No such route");
		return -ENOENT;
	}
	hlist_del_rcu(&row->node);
	xa_erase(&t->rows, row->id);
	WRITE_ONCE(t->n_rows, t->n_rows - 1);
	mrc_prefix_trim(t, row->prefix);
	mrc_profile_put(row->route.cfg.profile);
	mrc_paths_changed(mnet);
	if (row->route.gw)
		mrc_gw_put(mrc_plane_get(mnet, plane), row->route.gw);
	kfree_rcu(row, rcu);
	return 0;
}

/**
 * mrc_route_rebind() - rows of a plane look for their gateway again
 * @mnet: namespace
 * @id: number of the plane, which may be gone
 *
 * Must be called while the entries they have still belong to a plane in the
 * table, or when they have none.
 *
 * Context: Process, conf_lock held.
 * Return: 0, or -ENOMEM: rows without an entry are left.
 */
int mrc_route_rebind(struct mrc_net *mnet, u8 id)
{
	struct mrc_plane *plane = mrc_plane_get(mnet, id);
	struct mrc_gw *old, *gw;
	struct mrc_row *row;
	unsigned long i;
	int err = 0;

	lockdep_assert_held(&mnet->conf_lock);
	if (!mnet->routes->n_rows)
		return 0;
	xa_for_each(&mnet->routes->rows, i, row) {
		if (row->route.cfg.plane != id)
			continue;
		old = row->route.gw;
		gw = plane->gone ? NULL : mrc_route_gw(plane, &row->route.cfg);
		if (IS_ERR(gw)) {
			err = PTR_ERR(gw);
			gw = NULL;
		}
		/* pairs with the dependency of whoever reads it */
		smp_store_release(&row->route.gw, gw);
		if (old)
			mrc_gw_put(plane, old);
		cond_resched();
	}
	return err;
}

/**
 * mrc_route_walk() - show rows to a dump
 * @mnet: namespace
 * @pos: cursor, 0 to begin with
 * @cb: called for each row; stops the walk by not returning 0
 * @arg: for @cb
 *
 * Context: Process, conf_lock held.
 * Return: 0 at the end of the table, else what @cb returned; then the next
 * walk begins with the row for which it did.
 */
int mrc_route_walk(struct mrc_net *mnet, unsigned long *pos,
		   int (*cb)(const struct mrc_route *route, void *arg),
		   void *arg)
{
	struct mrc_row *row;
	unsigned long i;
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	xa_for_each_start(&mnet->routes->rows, i, row, *pos) {
		*pos = i;
		err = cb(&row->route, arg);
		if (err)
			return err;
		*pos = i + 1;
		cond_resched();
	}
	return 0;
}

/* ---- namespaces ---------------------------------------------------------- */

/**
 * mrc_route_init() - make the table of a namespace
 * @mnet: namespace
 *
 * Context: Process.
 * Return: 0 or a negative errno.
 */
int mrc_route_init(struct mrc_net *mnet)
{
	struct mrc_route_table *t;
	int err;

	t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	if (!t)
		return -ENOMEM;
	err = rhashtable_init(&t->prefixes, &mrc_prefix_params);
	if (err) {
		kfree(t);
		return err;
	}
	xa_init_flags(&t->rows, XA_FLAGS_ALLOC);
	mnet->routes = t;
	return 0;
}

/**
 * mrc_route_flush() - delete all rows of a namespace
 * @mnet: namespace
 *
 * Context: Process, conf_lock held.
 */
void mrc_route_flush(struct mrc_net *mnet)
{
	struct mrc_route_table *t = mnet->routes;
	struct mrc_row *row;
	unsigned long i;

	lockdep_assert_held(&mnet->conf_lock);
	xa_for_each(&t->rows, i, row) {
		hlist_del_rcu(&row->node);
		mrc_prefix_trim(t, row->prefix);
		mrc_profile_put(row->route.cfg.profile);
		if (row->route.gw)
			mrc_gw_put(mrc_plane_get(mnet, row->route.cfg.plane),
				   row->route.gw);
		kfree_rcu(row, rcu);
		cond_resched();
	}
	WRITE_ONCE(t->n_rows, 0);
	xa_destroy(&t->rows);
}

/**
 * mrc_route_exit() - free the table of a namespace
 * @mnet: namespace
 *
 * Context: Process; the table is empty and nobody looks into it any more.
 */
void mrc_route_exit(struct mrc_net *mnet)
{
	rhashtable_destroy(&mnet->routes->prefixes);
	kfree(mnet->routes);
}
