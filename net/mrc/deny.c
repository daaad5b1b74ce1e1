// SPDX-License-Identifier: GPL-2.0
/*
 * The list of denied paths. Asked when a table of paths is made or an answer
 * to a stranger looks for a way, never per packet of a connection.
 */
#include <linux/netlink.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/ipv6.h>

#include "deny.h"
#include "net.h"

/**
 * struct mrc_deny - a denied path
 * @node: in mrc_deny_table.by_key
 * @key: which path
 * @id: its index in mrc_deny_table.all
 * @rcu: frees it
 */
struct mrc_deny {
	struct rhash_head	node;
	struct mrc_path_key	key;
	u32			id;
	struct rcu_head		rcu;
};

/**
 * struct mrc_deny_table - those of a namespace; changed under conf_lock
 * @by_key: struct mrc_deny by key, RCU
 * @all: the same, in the order in which dumps show them
 * @n: how many
 */
struct mrc_deny_table {
	struct rhashtable	by_key;
	struct xarray		all;
	unsigned int		n;
};

static_assert(sizeof(struct mrc_path_key) ==
	      (1 + MRC_SRV6_CARRIERS_MAX) * sizeof(struct in6_addr) +
	      sizeof(u32));

static const struct rhashtable_params mrc_deny_params = {
	.key_len		= sizeof(struct mrc_path_key),
	.key_offset		= offsetof(struct mrc_deny, key),
	.head_offset		= offsetof(struct mrc_deny, node),
	.automatic_shrinking	= true,
};

/**
 * mrc_path_key_set() - what a path is known by, whatever becomes of its number
 * @key: filled but for remote and plane
 * @mode: of its route
 * @outer: its carriers, used unless the route is plain
 * @k: its number within the route's template
 *
 * A block is never 0, so a number is no address.
 *
 * Context: any.
 */
void mrc_path_key_set(struct mrc_path_key *key, enum mrc_route_mode mode,
		      const struct in6_addr *outer, u32 k)
{
	if (mode != MRC_ROUTE_PLAIN) {
		memcpy(key->id, outer, sizeof(key->id));
		return;
	}
	memset(key->id, 0, sizeof(key->id));
	key->id[0].s6_addr32[3] = cpu_to_be32(k);
}

/**
 * mrc_path_key_is_outer() - does it name a source route?
 * @key: key
 *
 * Context: any.
 * Return: true if so, false if it holds a number.
 */
bool mrc_path_key_is_outer(const struct mrc_path_key *key)
{
	return key->id[0].s6_addr32[0];
}

/**
 * mrc_path_key_k() - the number of the path of a plain route
 * @key: key for which mrc_path_key_is_outer() is false
 *
 * Context: any.
 * Return: the number.
 */
u32 mrc_path_key_k(const struct mrc_path_key *key)
{
	return be32_to_cpu(key->id[0].s6_addr32[3]);
}

/**
 * mrc_path_key_index() - the number of a path in the present route
 * @mnet: namespace
 * @key: the path
 * @k: filled
 *
 * Context: RCU read side.
 * Return: false if there is no route to the peer, or one without such a path.
 */
bool mrc_path_key_index(const struct mrc_net *mnet,
			const struct mrc_path_key *key, u32 *k)
{
	const struct mrc_route *route;

	route = mrc_route_lookup(mnet, &key->remote, key->plane);
	if (!route)
		return false;
	if (route->cfg.mode != MRC_ROUTE_PLAIN)
		return mrc_srv6_find(&route->cfg.tmpl, &key->remote, key->id,
				     k);
	if (mrc_path_key_is_outer(key))
		return false;
	*k = mrc_path_key_k(key);
	return true;
}

/**
 * mrc_denied() - has a controller taken this path out of use?
 * @mnet: namespace
 * @key: the path
 *
 * Context: RCU read side.
 * Return: true if so.
 */
bool mrc_denied(const struct mrc_net *mnet, const struct mrc_path_key *key)
{
	return rhashtable_lookup(&mnet->deny->by_key, key, mrc_deny_params);
}

/**
 * mrc_deny_any() - is there any denied path?
 * @mnet: namespace
 *
 * Context: any.
 * Return: true if so.
 */
bool mrc_deny_any(const struct mrc_net *mnet)
{
	return READ_ONCE(mnet->deny->n);
}

/**
 * mrc_deny_add() - put a path on the list
 * @mnet: namespace
 * @key: the path
 * @extack: says what is wrong
 *
 * Context: process, conf_lock held.
 * Return: 0, -EEXIST, -ENOSPC or -ENOMEM.
 */
int mrc_deny_add(struct mrc_net *mnet, const struct mrc_path_key *key,
		 struct netlink_ext_ack *extack)
{
	struct mrc_deny_table *t = mnet->deny;
	struct mrc_deny *deny;
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	if (rhashtable_lookup_fast(&t->by_key, key, mrc_deny_params)) {
		NL_SET_ERR_MSG(extack, "The path is denied already");
		return -EEXIST;
	}
	if (t->n >= MRC_DENY_MAX) {
		NL_SET_ERR_MSG(extack, "The list of denied paths is full");
		return -ENOSPC;
	}
	deny = kzalloc(sizeof(*deny), GFP_KERNEL_ACCOUNT);
	if (!deny)
		return -ENOMEM;
	deny->key = *key;
	err = xa_alloc(&t->all, &deny->id, deny, xa_limit_31b,
		       GFP_KERNEL_ACCOUNT);
	if (err)
		goto err_free;
	err = rhashtable_insert_fast(&t->by_key, &deny->node, mrc_deny_params);
	if (err)
		goto err_erase;
	WRITE_ONCE(t->n, t->n + 1);
	return 0;

err_erase:
	xa_erase(&t->all, deny->id);
err_free:
	kfree(deny);
	return err;
}

static void mrc_deny_free(struct mrc_deny_table *t, struct mrc_deny *deny)
{
	rhashtable_remove_fast(&t->by_key, &deny->node, mrc_deny_params);
	xa_erase(&t->all, deny->id);
	WRITE_ONCE(t->n, t->n - 1);
	kfree_rcu(deny, rcu);
}

/**
 * mrc_deny_del() - take a path off the list
 * @mnet: namespace
 * @key: the path
 * @extack: says what is wrong
 *
 * Context: process, conf_lock held.
 * Return: 0 or -ENOENT.
 */
int mrc_deny_del(struct mrc_net *mnet, const struct mrc_path_key *key,
		 struct netlink_ext_ack *extack)
{
	struct mrc_deny_table *t = mnet->deny;
	struct mrc_deny *deny;

	lockdep_assert_held(&mnet->conf_lock);
	deny = rhashtable_lookup_fast(&t->by_key, key, mrc_deny_params);
	if (!deny) {
		NL_SET_ERR_MSG(extack, "The path is not denied");
		return -ENOENT;
	}
	mrc_deny_free(t, deny);
	return 0;
}

/**
 * mrc_deny_walk() - show denied paths to a dump
 * @mnet: namespace
 * @pos: cursor, 0 to begin with
 * @cb: called for each; stops the walk by not returning 0
 * @arg: for @cb
 *
 * Context: process, conf_lock held.
 * Return: 0 at the end of the list, else what @cb returned; then the next
 * walk begins with the path for which it did.
 */
int mrc_deny_walk(struct mrc_net *mnet, unsigned long *pos,
		  int (*cb)(const struct mrc_path_key *key, void *arg),
		  void *arg)
{
	struct mrc_deny *deny;
	unsigned long i;
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	xa_for_each_start(&mnet->deny->all, i, deny, *pos) {
		*pos = i;
		err = cb(&deny->key, arg);
		if (err)
			return err;
		*pos = i + 1;
		cond_resched();
	}
	return 0;
}

/**
 * mrc_deny_init() - make the list of a namespace
 * @mnet: namespace
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int mrc_deny_init(struct mrc_net *mnet)
{
	struct mrc_deny_table *t;
	int err;

	t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	if (!t)
		return -ENOMEM;
	err = rhashtable_init(&t->by_key, &mrc_deny_params);
	if (err) {
		kfree(t);
		return err;
	}
	xa_init_flags(&t->all, XA_FLAGS_ALLOC);
	mnet->deny = t;
	return 0;
}

/**
 * mrc_deny_exit() - free the list of a namespace
 * @mnet: namespace
 *
 * Context: process; nobody looks into it any more.
 */
void mrc_deny_exit(struct mrc_net *mnet)
{
	struct mrc_deny_table *t = mnet->deny;
	struct mrc_deny *deny;
	unsigned long i;

	xa_for_each(&t->all, i, deny) {
		mrc_deny_free(t, deny);
		cond_resched();
	}
	xa_destroy(&t->all);
	rhashtable_destroy(&t->by_key);
	kfree(t);
}
