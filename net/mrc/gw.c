// SPDX-License-Identifier: GPL-2.0
/*
 * Gateways: one destination entry for each pair of plane and gateway, shared
 * by all routes that use it, so that no packet needs a FIB lookup. They are
 * ours: no FIB change touches them, and the netdev's notifier drops them.
 */
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/ip6_route.h>

#include "peer.h"
#include "plane.h"

static const struct rhashtable_params mrc_gw_params = {
	.key_len		= sizeof(struct in6_addr),
	.key_offset		= offsetof(struct mrc_gw, via),
	.head_offset		= offsetof(struct mrc_gw, hash),
	.automatic_shrinking	= true,
};

/**
 * mrc_gw_valid() - can a gateway have this address?
 * @via: address
 *
 * Context: Any.
 * Return: true if it is unicast, link-local or wider.
 */
bool mrc_gw_valid(const struct in6_addr *via)
{
	int type = ipv6_addr_type(via);

	return type & IPV6_ADDR_UNICAST &&
	       !(type & (IPV6_ADDR_LOOPBACK | IPV6_ADDR_MAPPED));
}

/* NULL if there is no memory or no IPv6 on @dev. */
static struct dst_entry *mrc_gw_make_dst(const struct mrc_plane *plane,
					 struct net_device *dev,
					 const struct in6_addr *via)
{
	struct inet6_dev *idev;
	struct rt6_info *rt;

	idev = in6_dev_get(dev);
	if (!idev)
		return NULL;
	rt = ip6_dst_alloc(plane->mnet->net, dev,
			   DST_NOXFRM | DST_NOPOLICY | DST_NOCOUNT);
	if (!rt) {
		in6_dev_put(idev);
		return NULL;
	}
	rt->rt6i_idev = idev;
	rt->dst.output = ip6_output;
	if (plane->id) {
		rt->rt6i_flags = RTF_UP | RTF_GATEWAY;
		rt->rt6i_gateway = *via;
	} else {
		/* lo hands packets back with this entry still on them */
		rt->rt6i_flags = RTF_UP | RTF_LOCAL;
		rt->dst.input = ip6_input;
	}
	return &rt->dst;
}

static void mrc_gw_drop_dst(struct mrc_gw *gw, struct mrc_plane *plane)
{
	struct dst_entry *dst;

	dst = rcu_replace_pointer(gw->dst, NULL,
				  lockdep_is_held(&plane->mnet->conf_lock));
	if (!dst)
		return;
	/* packets in flight keep it, but not the netdev */
	dst_dev_put(dst);
	dst_release(dst);
}

/**
 * mrc_gw_get() - the entry towards a gateway, made if need be
 * @plane: plane
 * @via: address of the gateway
 *
 * Context: Process, conf_lock held.
 * Return: the entry, to be given back with mrc_gw_put(), or ERR_PTR.
 */
struct mrc_gw *mrc_gw_get(struct mrc_plane *plane, const struct in6_addr *via)
{
	struct net_device *dev;
	struct mrc_gw *gw;
	int err;

	lockdep_assert_held(&plane->mnet->conf_lock);
	gw = rhashtable_lookup_fast(&plane->gw_by_via, via, mrc_gw_params);
	if (gw) {
		gw->users++;
		return gw;
	}
	gw = kzalloc(sizeof(*gw), GFP_KERNEL_ACCOUNT);
	if (!gw)
		return ERR_PTR(-ENOMEM);
	gw->via = *via;
	gw->users = 1;
	err = rhashtable_insert_fast(&plane->gw_by_via, &gw->hash,
				     mrc_gw_params);
	if (err) {
		kfree(gw);
		return ERR_PTR(err);
	}
	list_add_tail(&gw->list, &plane->gws);

	dev = rcu_dereference_protected(plane->dev,
					lockdep_is_held(&plane->mnet->conf_lock));
	if (dev)
		rcu_assign_pointer(gw->dst, mrc_gw_make_dst(plane, dev, via));
	return gw;
}

/**
 * mrc_gw_put() - give an entry back
 * @plane: its plane
 * @gw: the entry
 *
 * Context: Process, conf_lock held.
 */
void mrc_gw_put(struct mrc_plane *plane, struct mrc_gw *gw)
{
	lockdep_assert_held(&plane->mnet->conf_lock);
	if (--gw->users)
		return;
	rhashtable_remove_fast(&plane->gw_by_via, &gw->hash, mrc_gw_params);
	list_del(&gw->list);
	mrc_gw_drop_dst(gw, plane);
	mrc_peers_gw_gone(plane->mnet, gw);
	kfree_rcu(gw, rcu);
}

/**
 * mrc_gw_resolve() - ask for a gateway's link-layer address now
 * @gw: entry
 *
 * While it is unknown the kernel queues a few packets and drops the rest: the
 * first bursts of a connection would be lost on each plane that has not been
 * used for a while.
 *
 * Context: RCU read side, no lock held: it may send.
 */
void mrc_gw_resolve(const struct mrc_gw *gw)
{
	struct dst_entry *dst = rcu_dereference(gw->dst);
	struct neighbour *neigh;

	neigh = dst ? dst_neigh_lookup(dst, &gw->via) : NULL;
	if (!neigh)
		return;
	neigh_event_send(neigh, NULL);
	neigh_release(neigh);
}

/**
 * mrc_gws_attach() - a plane has a netdev: its entries can be used
 * @plane: plane
 * @dev: its netdev
 *
 * Also for a netdev that has IPv6 anew: entries that hold what it had before
 * are replaced. One for which there is no memory stays unusable.
 *
 * Context: Process, conf_lock held.
 */
void mrc_gws_attach(struct mrc_plane *plane, struct net_device *dev)
{
	struct inet6_dev *idev = in6_dev_get(dev);
	struct dst_entry *dst;
	struct mrc_gw *gw;

	lockdep_assert_held(&plane->mnet->conf_lock);
	list_for_each_entry(gw, &plane->gws, list) {
		dst = rcu_dereference_protected(gw->dst, 1);
		if (dst && dst_rt6_info(dst)->rt6i_idev == idev)
			continue;
		mrc_gw_drop_dst(gw, plane);
		rcu_assign_pointer(gw->dst,
				   mrc_gw_make_dst(plane, dev, &gw->via));
	}
	if (idev)
		in6_dev_put(idev);
}

/**
 * mrc_gws_detach() - a plane has no netdev any more
 * @plane: plane
 *
 * Context: Process, conf_lock held.
 */
void mrc_gws_detach(struct mrc_plane *plane)
{
	struct mrc_gw *gw;

	lockdep_assert_held(&plane->mnet->conf_lock);
	list_for_each_entry(gw, &plane->gws, list)
		mrc_gw_drop_dst(gw, plane);
}

/**
 * mrc_gws_init() - prepare the entries of a new plane
 * @plane: plane
 *
 * Context: Process.
 * Return: 0 or a negative errno.
 */
int mrc_gws_init(struct mrc_plane *plane)
{
	INIT_LIST_HEAD(&plane->gws);
	return rhashtable_init(&plane->gw_by_via, &mrc_gw_params);
}

/**
 * mrc_gws_exit() - free what mrc_gws_init() made
 * @plane: plane; all its entries have been given back
 *
 * Context: Process.
 */
void mrc_gws_exit(struct mrc_plane *plane)
{
	WARN_ON_ONCE(!list_empty(&plane->gws));
	rhashtable_destroy(&plane->gw_by_via);
}
