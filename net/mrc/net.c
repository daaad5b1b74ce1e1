// SPDX-License-Identifier: GPL-2.0
/*
 * The paths floor as a whole: its state per network namespace, node
 * addresses, and the order in which its parts come and go.
 */
#define pr_fmt(fmt) "mrc: " fmt

#include <linux/ipv6.h>
#include <linux/netlink.h>
#include <net/addrconf.h>
#include <net/netns/generic.h>

#include "deny.h"
#include "input.h"
#include "net.h"
#include "news.h"
#include "peer.h"
#include "ping.h"
#include "plane.h"
#include "profile.h"
#include "route.h"

static unsigned int mrc_net_id __read_mostly;

/* DSCPs are those seen in switch vendors' tests of MRC. */
static const struct mrc_conf mrc_conf_default = {
	.udp_port	= MRC_UDP_PORT,
	.evs		= 256,
	.ev_min_active	= 1,
	.orphans_max	= 16384,
	.orphan_ms	= 10000,
	.reqs_max	= 4096,
	.dscp_data	= 1,
	.dscp_rtx	= 5,
	.dscp_ctl	= 36,
	.dscp_trimmed	= 11,
	.dscp_trimmed_lasthop = 12,
};

/**
 * mrc_net() - MRC's state of a namespace
 * @net: the namespace
 *
 * Context: Any.
 * Return: the state, valid as long as @net is and the module is loaded.
 */
struct mrc_net *mrc_net(const struct net *net)
{
	return net_generic(net, mrc_net_id);
}

/**
 * mrc_paths_changed() - nodes, planes or routes are not what they were
 * @mnet: namespace
 *
 * Context: Process. The change is visible already.
 */
void mrc_paths_changed(struct mrc_net *mnet)
{
	/* who sees the new number sees the change */
	smp_mb__before_atomic();
	atomic_inc(&mnet->paths_gen);
	mrc_peers_changed(mnet);
}

/* ---- nodes --------------------------------------------------------------- */

static struct mrc_node *mrc_node_find(const struct mrc_net *mnet,
				      const struct in6_addr *addr)
{
	struct mrc_node *node;

	list_for_each_entry_rcu(node, &mnet->nodes, list,
				lockdep_is_held(&mnet->conf_lock))
		if (ipv6_addr_equal(&node->addr, addr))
			return node;
	return NULL;
}

/**
 * mrc_node_is_ours() - is this one of our node addresses?
 * @mnet: namespace
 * @addr: address
 *
 * Context: RCU read side.
 * Return: true if so.
 */
bool mrc_node_is_ours(const struct mrc_net *mnet, const struct in6_addr *addr)
{
	return mrc_node_find(mnet, addr);
}

/**
 * mrc_node_first() - the node address to use when nobody says which
 * @mnet: namespace
 * @addr: filled with the address
 *
 * Context: RCU read side.
 * Return: false if there is none.
 */
bool mrc_node_first(const struct mrc_net *mnet, struct in6_addr *addr)
{
	struct mrc_node *node;

	list_for_each_entry_rcu(node, &mnet->nodes, list) {
		*addr = node->addr;
		return true;
	}
	return false;
}

static int mrc_node_check(struct mrc_net *mnet, const struct in6_addr *addr,
			  struct netlink_ext_ack *extack)
{
	int type = ipv6_addr_type(addr);

	if (!(type & IPV6_ADDR_UNICAST) ||
	    type & (IPV6_ADDR_LOOPBACK | IPV6_ADDR_LINKLOCAL |
		    IPV6_ADDR_MAPPED)) {
		NL_SET_ERR_MSG(extack, "Not a routable unicast address");
		return -EINVAL;
	}
	/* no flag is banned: duplicates are not looked for on lo */
	if (!ipv6_chk_addr_and_flags(mnet->net, addr, NULL, true, 0, 0)) {
		NL_SET_ERR_MSG(extack,
			       "Not an address of this host; add it to lo first");
		return -EADDRNOTAVAIL;
	}
	if (mrc_node_find(mnet, addr)) {
		NL_SET_ERR_MSG(extack, "Node address exists");
		return -EEXIST;
	}
	if (mnet->n_nodes >= MRC_NODE_MAX) {
		NL_SET_ERR_MSG(extack, "Too many node addresses");
		return -ENOSPC;
	}
	return 0;
}

/**
 * mrc_node_add() - make an address of this host a node address
 * @mnet: namespace
 * @addr: address
 * @extack: says what is wrong
 *
 * Context: Process, conf_lock held.
 * Return: 0 or a negative errno.
 */
int mrc_node_add(struct mrc_net *mnet, const struct in6_addr *addr,
		 struct netlink_ext_ack *extack)
{
	struct mrc_node *node;
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	err = mrc_node_check(mnet, addr, extack);
	if (err)
		return err;

	node = kzalloc(sizeof(*node), GFP_KERNEL_ACCOUNT);
	if (!node)
		return -ENOMEM;
	node->addr = *addr;

	if (!mnet->n_nodes) {
		err = mrc_input_open(mnet);
		if (err) {
			NL_SET_ERR_MSG_FMT(extack, "Cannot bind UDP port %u",
					   mnet->conf.udp_port);
			kfree(node);
			return err;
		}
	}
	mnet->n_nodes++;
	list_add_tail_rcu(&node->list, &mnet->nodes);
	mrc_paths_changed(mnet);
	return 0;
}

static void mrc_node_free(struct mrc_net *mnet, struct mrc_node *node)
{
	list_del_rcu(&node->list);
	kfree_rcu(node, rcu);
	if (!--mnet->n_nodes)
		mrc_input_close(mnet);
}

/**
 * mrc_node_del() - a node address is one no more
 * @mnet: namespace
 * @addr: address
 * @extack: says what is wrong
 *
 * Context: Process, conf_lock held.
 * Return: 0 or -ENOENT.
 */
int mrc_node_del(struct mrc_net *mnet, const struct in6_addr *addr,
		 struct netlink_ext_ack *extack)
{
	struct mrc_node *node;

	lockdep_assert_held(&mnet->conf_lock);
	node = mrc_node_find(mnet, addr);
	if (!node) {
		NL_SET_ERR_MSG(extack, "No such node address");
		return -ENOENT;
	}
	mrc_node_free(mnet, node);
	mrc_paths_changed(mnet);
	return 0;
}

/* ---- namespaces ---------------------------------------------------------- */

static int __net_init mrc_net_init(struct net *net)
{
	struct mrc_net *mnet = mrc_net(net);
	int err;

	mnet->net = net;
	mutex_init(&mnet->conf_lock);
	mnet->conf = mrc_conf_default;
	INIT_LIST_HEAD(&mnet->nodes);
	INIT_LIST_HEAD(&mnet->profiles);
	xa_init(&mnet->by_ifindex);
	atomic_set(&mnet->paths_gen, 0);
	mrc_input_net_init(mnet);

	err = mrc_mib_init(mnet);
	if (err)
		return err;
	err = mrc_peers_init(mnet);
	if (err)
		goto err_mib;
	err = mrc_route_init(mnet);
	if (err)
		goto err_peers;
	err = mrc_deny_init(mnet);
	if (err)
		goto err_route;
	err = mrc_ping_init(mnet);
	if (err)
		goto err_deny;
	err = mrc_plane_net_init(mnet);
	if (err)
		goto err_ping;
	return 0;

err_ping:
	mrc_ping_exit(mnet);
err_deny:
	mrc_deny_exit(mnet);
err_route:
	mrc_route_exit(mnet);
err_peers:
	mrc_peers_exit(mnet);
err_mib:
	mrc_mib_exit(mnet);
	return err;
}

/* Everything that packets, timers and notifiers could still reach. */
static void mrc_net_close(struct mrc_net *mnet)
{
	struct mrc_node *node, *next;

	mutex_lock(&mnet->conf_lock);
	list_for_each_entry_safe(node, next, &mnet->nodes, list)
		mrc_node_free(mnet, node);
	mrc_route_flush(mnet);
	mrc_profile_flush(mnet);
	mrc_plane_net_exit(mnet);
	mutex_unlock(&mnet->conf_lock);
	mrc_ping_close(mnet);
	mrc_peers_exit(mnet);
}

static void __net_exit mrc_net_exit_batch(struct list_head *nets)
{
	struct net *net;

	list_for_each_entry(net, nets, exit_list)
		mrc_net_close(mrc_net(net));

	/* planes are freed from a workqueue and count there; and the memory
	 * of struct mrc_net goes without a grace period of its own
	 */
	mrc_plane_flush();

	list_for_each_entry(net, nets, exit_list) {
		mrc_ping_exit(mrc_net(net));
		mrc_deny_exit(mrc_net(net));
		mrc_route_exit(mrc_net(net));
		xa_destroy(&mrc_net(net)->by_ifindex);
		mrc_mib_exit(mrc_net(net));
	}
}

static struct pernet_operations mrc_net_ops = {
	.init		= mrc_net_init,
	.exit_batch	= mrc_net_exit_batch,
	.id		= &mrc_net_id,
	.size		= sizeof(struct mrc_net),
};

/**
 * mrc_paths_init() - bring up the paths floor
 *
 * Context: Process, module load.
 * Return: 0 or a negative errno.
 */
int mrc_paths_init(void)
{
	int err;

	if (!ipv6_mod_enabled()) {
		pr_err("IPv6 is disabled, MRC needs it\n");
		return -EAFNOSUPPORT;
	}
	err = mrc_news_init();
	if (err)
		return err;
	err = mrc_route_cache_init();
	if (err)
		goto err_news;
	err = mrc_plane_init();
	if (err)
		goto err_cache;
	err = register_pernet_subsys(&mrc_net_ops);
	if (err)
		goto err_plane;
	/* brings lo of every namespace to its loopback plane */
	err = mrc_plane_notify_init();
	if (err)
		goto err_pernet;
	err = mrc_input_init();
	if (err) {
		pr_err("no place left among the IPv6-in-IPv6 handlers\n");
		goto err_notify;
	}
	return 0;

err_notify:
	mrc_plane_notify_exit();
err_pernet:
	unregister_pernet_subsys(&mrc_net_ops);
err_plane:
	mrc_plane_exit();
err_cache:
	mrc_route_cache_exit();
err_news:
	mrc_news_exit();
	return err;
}

/**
 * mrc_paths_exit() - take the paths floor down
 *
 * Context: Process, module unload; the floors above are gone.
 */
void mrc_paths_exit(void)
{
	mrc_input_exit();
	mrc_plane_notify_exit();
	unregister_pernet_subsys(&mrc_net_ops);
	mrc_plane_exit();
	mrc_route_cache_exit();
	mrc_news_exit();
}
