// SPDX-License-Identifier: GPL-2.0
/*
 * How planes come and go: by the administrator, and with their netdevs.
 *
 * A plane outlives its netdev: it keeps its number, routes and gateways and
 * takes a netdev that is registered under the same name again. Lock order:
 * RTNL -> conf_lock, see struct mrc_net.
 */
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/rtnetlink.h>
#include <linux/string.h>
#include <net/addrconf.h>

#include "peer.h"
#include "plane.h"
#include "route.h"
#include "trim.h"

static struct net_device *mrc_plane_dev(const struct mrc_plane *plane)
{
	return rcu_dereference_protected(plane->dev,
				lockdep_is_held(&plane->mnet->conf_lock));
}

/* What mrc_plane.up should be. */
static bool mrc_plane_looks_up(const struct mrc_plane *plane)
{
	const struct net_device *dev = mrc_plane_dev(plane);
	bool up;

	rcu_read_lock();
	up = plane->admin_up && dev && __in6_dev_get(dev) &&
	     netif_running(dev) && netif_carrier_ok(dev);
	rcu_read_unlock();
	return up;
}

static void mrc_plane_update(struct mrc_plane *plane)
{
	mrc_plane_set_up(plane, mrc_plane_looks_up(plane));
}

/* ---- netdevs ------------------------------------------------------------- */

/* Gives @plane, which has none, a netdev. It is not up yet. */
static int mrc_plane_take_dev(struct mrc_plane *plane, struct net_device *dev)
{
	struct mrc_net *mnet = plane->mnet;
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	err = xa_insert(&mnet->by_ifindex, dev->ifindex, plane,
			GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	netdev_hold(dev, &plane->dev_tracker, GFP_KERNEL);
	strscpy(plane->ifname, dev->name);
	mrc_gws_attach(plane, dev);
	mrc_plane_set_warm(plane, false);
	rcu_assign_pointer(plane->dev, dev);
	mrc_trim_hook(plane, dev);
	return 0;
}

/* Takes its netdev away from @plane, if it has one. */
static void mrc_plane_drop_dev(struct mrc_plane *plane)
{
	struct net_device *dev = mrc_plane_dev(plane);

	if (!dev)
		return;
	mrc_trim_hook(plane, NULL);
	xa_erase(&plane->mnet->by_ifindex, dev->ifindex);
	RCU_INIT_POINTER(plane->dev, NULL);
	mrc_plane_set_up(plane, false);
	mrc_gws_detach(plane);
	netdev_put(dev, &plane->dev_tracker);
}

/* A plane without a netdev that @dev is for, or NULL. */
static struct mrc_plane *mrc_plane_waits_for(const struct mrc_net *mnet,
					     const struct net_device *dev)
{
	struct mrc_plane *plane;
	unsigned int i;

	if (dev->flags & IFF_LOOPBACK) {
		plane = mrc_plane_get(mnet, 0);
		return plane && !mrc_plane_dev(plane) ? plane : NULL;
	}
	for (i = 1; i <= MRC_PLANE_MAX; i++) {
		plane = mrc_plane_get(mnet, i);
		if (plane && !mrc_plane_dev(plane) &&
		    !strcmp(plane->ifname, dev->name))
			return plane;
	}
	return NULL;
}

/* @dev has appeared, or has got its name: a plane may have waited for it. */
static void mrc_plane_adopt(struct mrc_net *mnet, struct net_device *dev)
{
	struct mrc_plane *plane = mrc_plane_waits_for(mnet, dev);

	/* without memory it goes on waiting, for the next event or a set */
	if (!plane || mrc_plane_take_dev(plane, dev))
		return;
	/* what was learnt of the paths over the old netdev is void */
	WRITE_ONCE(plane->gen, mrc_plane_new_gen());
	mrc_paths_changed(mnet);
	mrc_plane_update(plane);
}

static void mrc_plane_dev_event(struct mrc_net *mnet, struct net_device *dev,
				unsigned long event)
{
	struct mrc_plane *plane;

	rcu_read_lock();
	plane = mrc_plane_by_ifindex(mnet, dev->ifindex);
	rcu_read_unlock();	/* conf_lock keeps it */
	if (!plane) {
		if (event != NETDEV_UNREGISTER)
			mrc_plane_adopt(mnet, dev);
		return;
	}
	switch (event) {
	case NETDEV_UNREGISTER:
		mrc_plane_drop_dev(plane);
		break;
	case NETDEV_CHANGENAME:
		strscpy(plane->ifname, dev->name);
		break;
	default:
		/* IPv6 may have gone and come back with the MTU */
		mrc_gws_attach(plane, dev);
		mrc_plane_update(plane);
	}
}

static int mrc_plane_notify(struct notifier_block *nb, unsigned long event,
			    void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct mrc_net *mnet = mrc_net(dev_net(dev));

	switch (event) {
	case NETDEV_REGISTER:
	case NETDEV_UNREGISTER:
	case NETDEV_CHANGENAME:
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
		mutex_lock(&mnet->conf_lock);
		mrc_plane_dev_event(mnet, dev, event);
		mutex_unlock(&mnet->conf_lock);
	}
	return NOTIFY_DONE;
}

static struct notifier_block mrc_plane_notifier = {
	.notifier_call	= mrc_plane_notify,
};

/**
 * mrc_plane_notify_init() - begin to follow netdevs
 *
 * Also tells of those that exist, so that lo of each namespace finds its way
 * to the loopback plane.
 *
 * Context: Process.
 * Return: 0 or a negative errno.
 */
int mrc_plane_notify_init(void)
{
	return register_netdevice_notifier(&mrc_plane_notifier);
}

/**
 * mrc_plane_notify_exit() - stop following netdevs
 *
 * Every plane loses its netdev.
 *
 * Context: Process.
 */
void mrc_plane_notify_exit(void)
{
	unregister_netdevice_notifier(&mrc_plane_notifier);
}

/* ---- configuration ------------------------------------------------------- */

static int mrc_plane_check(const struct mrc_plane_cfg *cfg,
			   struct netlink_ext_ack *extack)
{
	if (!cfg->id || cfg->id > MRC_PLANE_MAX) {
		NL_SET_ERR_MSG(extack, "Plane number is not 1 to 32");
		return -EINVAL;
	}
	if (cfg->has_via && !ipv6_addr_any(&cfg->via) &&
	    !mrc_gw_valid(&cfg->via)) {
		NL_SET_ERR_MSG(extack, "Gateway is not a unicast address");
		return -EINVAL;
	}
	if (cfg->has_sid && !ipv6_addr_any(&cfg->sid) &&
	    (!mrc_gw_valid(&cfg->sid) ||
	     ipv6_addr_type(&cfg->sid) & IPV6_ADDR_LINKLOCAL)) {
		NL_SET_ERR_MSG(extack,
			       "Segment id is not a routable unicast address");
		return -EINVAL;
	}
	return 0;
}

static int mrc_plane_check_dev(struct mrc_net *mnet, struct net_device *dev,
			       struct netlink_ext_ack *extack)
{
	const struct mrc_plane *other;
	bool has_ipv6;

	/* then NETDEV_UNREGISTER is still to come, see struct mrc_net */
	if (READ_ONCE(dev->reg_state) != NETREG_REGISTERED) {
		NL_SET_ERR_MSG(extack, "Device is about to go");
		return -ENODEV;
	}
	if (dev->flags & IFF_LOOPBACK) {
		NL_SET_ERR_MSG(extack, "A loopback device cannot be a plane");
		return -EINVAL;
	}
	rcu_read_lock();
	has_ipv6 = __in6_dev_get(dev);
	other = mrc_plane_by_ifindex(mnet, dev->ifindex);
	rcu_read_unlock();	/* conf_lock keeps it */
	if (!has_ipv6) {
		NL_SET_ERR_MSG(extack,
			       "Device has no IPv6; its MTU must be 1280 or more");
		return -EINVAL;
	}
	if (other) {
		NL_SET_ERR_MSG_FMT(extack, "Device is plane %u already",
				   other->id);
		return -EEXIST;
	}
	return 0;
}

/* Looks @ifindex up and gives the netdev to @plane instead of its own. */
static int mrc_plane_set_dev(struct mrc_plane *plane, int ifindex,
			     struct netlink_ext_ack *extack)
{
	struct mrc_net *mnet = plane->mnet;
	netdevice_tracker tracker;
	struct net_device *dev;
	int err;

	dev = netdev_get_by_index(mnet->net, ifindex, &tracker, GFP_KERNEL);
	if (!dev) {
		NL_SET_ERR_MSG(extack, "No such device");
		return -ENODEV;
	}
	err = mrc_plane_check_dev(mnet, dev, extack);
	if (!err) {
		mrc_plane_drop_dev(plane);
		err = mrc_plane_take_dev(plane, dev);
	}
	netdev_put(dev, &tracker);
	return err;
}

/* Undoes all that ties @plane to the rest, and lets it go. */
static void mrc_plane_destroy(struct mrc_plane *plane)
{
	struct mrc_net *mnet = plane->mnet;

	mrc_plane_wake_all(plane, true);
	mrc_plane_drop_dev(plane);
	mrc_route_rebind(mnet, plane->id);
	if (plane->self)
		mrc_gw_put(plane, plane->self);
	/* A user that finds no plane here to stop waiting on may be freed:
	 * all waiters must have been sent away by then.
	 */
	smp_mb();
	RCU_INIT_POINTER(mnet->planes[plane->id], NULL);
	mrc_paths_changed(mnet);
	mrc_plane_put(plane);
}

/**
 * mrc_plane_add() - make a netdev a plane
 * @mnet: namespace
 * @cfg: settings; @ifindex is needed
 * @extack: says what is wrong
 *
 * Context: Process, conf_lock held.
 * Return: 0 or a negative errno.
 */
int mrc_plane_add(struct mrc_net *mnet, const struct mrc_plane_cfg *cfg,
		  struct netlink_ext_ack *extack)
{
	struct mrc_plane *plane;
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	err = mrc_plane_check(cfg, extack);
	if (err)
		return err;
	if (mrc_plane_get(mnet, cfg->id)) {
		NL_SET_ERR_MSG(extack, "Plane exists");
		return -EEXIST;
	}
	plane = mrc_plane_alloc(mnet, cfg->id);
	if (IS_ERR(plane))
		return PTR_ERR(plane);
	if (cfg->has_via)
		plane->via = cfg->via;
	if (cfg->has_sid)
		plane->sid = cfg->sid;
	if (cfg->has_admin)
		plane->admin_up = cfg->admin_up;
	err = mrc_plane_set_dev(plane, cfg->ifindex, extack);
	if (err) {
		mrc_plane_put(plane);
		return err;
	}
	/* that it begins up is no change and no event */
	plane->up = mrc_plane_looks_up(plane);
	rcu_assign_pointer(mnet->planes[cfg->id], plane);

	err = mrc_route_rebind(mnet, cfg->id);
	if (err) {
		mrc_plane_destroy(plane);
		return err;
	}
	mrc_paths_changed(mnet);
	return 0;
}

/**
 * mrc_plane_set() - change settings of a plane
 * @mnet: namespace
 * @cfg: settings; only those given are changed
 * @extack: says what is wrong
 *
 * Context: Process, conf_lock held.
 * Return: 0 or a negative errno.
 */
int mrc_plane_set(struct mrc_net *mnet, const struct mrc_plane_cfg *cfg,
		  struct netlink_ext_ack *extack)
{
	const struct net_device *dev;
	struct mrc_plane *plane;
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	err = mrc_plane_check(cfg, extack);
	if (err)
		return err;
	plane = mrc_plane_get(mnet, cfg->id);
	if (!plane) {
		NL_SET_ERR_MSG(extack, "No plane of that number");
		return -ENOENT;
	}
	dev = mrc_plane_dev(plane);
	if (cfg->ifindex && !(dev && dev->ifindex == cfg->ifindex)) {
		err = mrc_plane_set_dev(plane, cfg->ifindex, extack);
		if (err)
			return err;
		WRITE_ONCE(plane->gen, mrc_plane_new_gen());
	}
	if (cfg->has_sid)
		plane->sid = cfg->sid;
	if (cfg->has_admin)
		WRITE_ONCE(plane->admin_up, cfg->admin_up);
	if (cfg->has_via && !ipv6_addr_equal(&cfg->via, &plane->via)) {
		plane->via = cfg->via;
		err = mrc_route_rebind(mnet, cfg->id);
	}
	mrc_paths_changed(mnet);
	mrc_plane_update(plane);
	return err;
}

/**
 * mrc_plane_del() - a netdev is a plane no more
 * @mnet: namespace
 * @id: number of the plane
 * @extack: says what is wrong
 *
 * Its routes stay and wait for a plane of that number.
 *
 * Context: Process, conf_lock held.
 * Return: 0 or -ENOENT.
 */
int mrc_plane_del(struct mrc_net *mnet, u8 id, struct netlink_ext_ack *extack)
{
	struct mrc_plane *plane;

	lockdep_assert_held(&mnet->conf_lock);
	plane = id ? mrc_plane_get(mnet, id) : NULL;
	if (!plane) {
		NL_SET_ERR_MSG(extack, "No plane of that number");
		return -ENOENT;
	}
	mrc_plane_destroy(plane);
	return 0;
}

/* ---- namespaces ---------------------------------------------------------- */

/**
 * mrc_plane_net_init() - make the loopback plane of a namespace
 * @mnet: namespace
 *
 * Context: Process.
 * Return: 0 or a negative errno.
 */
int mrc_plane_net_init(struct mrc_net *mnet)
{
	struct mrc_plane *plane;
	int err = 0;

	plane = mrc_plane_alloc(mnet, 0);
	if (IS_ERR(plane))
		return PTR_ERR(plane);

	mutex_lock(&mnet->conf_lock);
	plane->self = mrc_gw_get(plane, &in6addr_any);
	if (IS_ERR(plane->self)) {
		err = PTR_ERR(plane->self);
		mrc_plane_put(plane);
	} else {
		rcu_assign_pointer(mnet->planes[0], plane);
	}
	mutex_unlock(&mnet->conf_lock);
	if (err)
		mrc_plane_flush();	/* it counts in @mnet when freed */
	return err;
}

/**
 * mrc_plane_net_exit() - let all planes of a namespace go
 * @mnet: namespace; its routes are gone
 *
 * Context: Process, conf_lock held. mrc_plane_flush() is still to be called.
 */
void mrc_plane_net_exit(struct mrc_net *mnet)
{
	struct mrc_plane *plane;
	unsigned int i;

	for (i = 0; i <= MRC_PLANE_MAX; i++) {
		plane = mrc_plane_get(mnet, i);
		if (plane)
			mrc_plane_destroy(plane);
	}
}
