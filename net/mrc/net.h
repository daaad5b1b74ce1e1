/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What MRC keeps per network namespace on the paths floor: settings, nodes,
 * planes, routes, peers, counters. The floors above keep their own
 * per-namespace state under net_generic ids of their own.
 */
#ifndef _NET_MRC_NET_H
#define _NET_MRC_NET_H

#include <linux/netfilter.h>
#include <linux/mutex.h>
#include <linux/ratelimit_types.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>

#include "mib.h"

#define MRC_PLANE_MAX	32	/* planes 1-32; 0 is the built-in loopback */
#define MRC_UDP_PORT	4791	/* RoCEv2; one reader of the spec prints 4971 */
#define MRC_NODE_MAX	64	/* node addresses: looked through per packet */

/**
 * struct mrc_conf - settings of one namespace ("mrcctl net")
 * @udp_port: UDP destination port of every packet, host order; fixed once a
 *	node exists
 * @icrc: offer the ICRC trailer at connection set-up
 * @trim: the fabric trims (0 = notrim until a trim is seen)
 * @evs: EVs per peer, 1-1024, shared equally by its planes
 * @ev_min_active: below this many good EVs no more are marked bad
 * @orphans_max: closed sockets that may still send, number
 * @orphan_ms: how long each of them may, ms
 * @reqs_max: half-open requests a listener's namespace holds, number
 * @dscp_data: DSCP of data, 0-63
 * @dscp_rtx: of retransmissions
 * @dscp_ctl: of control packets
 * @trim_early: trims are taken ahead of IPv6, whatever their lengths
 * @dscp_trimmed: DSCP that switches give to what they trim, 0-63
 * @dscp_trimmed_lasthop: the same on the last hop
 *
 * Written under mrc_net.conf_lock, read without (READ_ONCE).
 */
struct mrc_conf {
	u16	udp_port;
	bool	icrc;
	bool	trim;
	bool	trim_early;
	u32	evs;
	u32	ev_min_active;
	u32	orphans_max;
	u32	orphan_ms;
	u32	reqs_max;
	u8	dscp_data;
	u8	dscp_rtx;
	u8	dscp_ctl;
	u8	dscp_trimmed;
	u8	dscp_trimmed_lasthop;
};

/**
 * struct mrc_node - one of our node addresses
 * @list: in mrc_net.nodes (RCU)
 * @addr: the address; it must be local to the namespace (on lo)
 * @rcu: frees it
 */
struct mrc_node {
	struct list_head	list;
	struct in6_addr		addr;
	struct rcu_head		rcu;
};

struct mrc_deny_table;
struct mrc_pings;
struct mrc_plane;
struct mrc_route_table;

/**
 * struct mrc_net - the paths floor of one namespace
 * @net: the namespace (not held: this lives no longer than it)
 * @conf_lock: serialises every change of configuration (netlink, notifiers)
 * @conf: settings
 * @nodes: struct mrc_node; changed under @conf_lock, read under RCU
 * @n_nodes: how many; protected by @conf_lock
 * @planes: [0] is the loopback plane; changed under @conf_lock, RCU
 * @by_ifindex: the same by the ifindex of their netdev, for input; RCU
 * @routes: the source-route table, see route.h
 * @deny: paths that a controller has taken out of use, see deny.h
 * @profiles: struct mrc_profile; changed under @conf_lock, read under RCU
 * @n_profiles: how many; protected by @conf_lock as the next two
 * @profile_id: of the last one
 * @profile_gen: of the last list of EVs
 * @paths_gen: raised by each change of nodes, planes or routes: peers
 *	compare it with theirs and resolve again
 * @peers: struct mrc_peer by (local, remote)
 * @peer_list: the same as a list, for walks; changed under @peer_lock, RCU
 * @peer_lock: protects @peer_list, @n_peers, @peers_off; BH
 * @n_peers: entries
 * @peers_off: the namespace goes, no work is queued any more
 * @gw_gen: raised when a gateway entry is about to be freed
 * @peers_resolve: brings the tables of peers in use up to date
 * @peers_gc: frees idle peers
 * @ep_limit: limits answers to Endpoint Requests of strangers
 * @pings: probes that an administrator asked for, see ping.h
 * @srh: hook that takes segment routing headers off, while @udp is open
 * @icmp: raw socket that gets ICMP errors, while @udp is open
 * @udp: kernel UDP socket of the plain input, exists while a node does
 * @udp_ready: wake-ups of @udp not yet dealt with; whoever raises it from 0
 *	drains the socket, alone, so that a path's packets keep their order
 * @udp_work: goes on draining when a budget is spent
 * @mib: counters
 *
 * Lock order: RTNL -> conf_lock. Netdev notifiers come under RTNL and take
 * conf_lock; so whoever holds conf_lock must not take RTNL, and configuration
 * does without: a netdev is taken only if it is seen registered under
 * conf_lock, then its unregistration is still to come and will find us.
 */
struct mrc_net {
	struct net		*net;
	struct mutex		conf_lock;	/* configuration */
	struct mrc_conf		conf;
	struct list_head	nodes;
	unsigned int		n_nodes;
	struct mrc_plane __rcu	*planes[MRC_PLANE_MAX + 1];
	struct xarray		by_ifindex;
	struct mrc_route_table	*routes;
	struct mrc_deny_table	*deny;
	struct list_head	profiles;
	unsigned int		n_profiles;
	u32			profile_id;
	u32			profile_gen;
	atomic_t		paths_gen;
	struct rhashtable	peers;
	struct list_head	peer_list;
	spinlock_t		peer_lock;	/* the list of peers */
	unsigned int		n_peers;
	bool			peers_off;
	atomic_t		gw_gen;
	struct delayed_work	peers_resolve;
	struct delayed_work	peers_gc;
	struct ratelimit_state	ep_limit;
	struct mrc_pings	*pings;
#if IS_ENABLED(CONFIG_NETFILTER)
	struct nf_hook_ops	srh;
#endif
	struct socket		*icmp;
	struct socket		*udp;
	atomic_t		udp_ready;
	struct work_struct	udp_work;
	struct mrc_mib __percpu	*mib;
};

/* Context: any; valid as long as the namespace is. */
struct mrc_net *mrc_net(const struct net *net);

/* Registers and unregisters the paths floor (pernet, notifiers, tunnel6). */
int mrc_paths_init(void);
void mrc_paths_exit(void);

/* Nodes, planes or routes changed: raises paths_gen, tells the peers. Cheap,
 * they resolve later. Context: process.
 */
void mrc_paths_changed(struct mrc_net *mnet);

/*
 * Nodes. add: -EINVAL not a unicast address, -EADDRNOTAVAIL not local,
 * -EEXIST, -ENOSPC. The first add opens the UDP socket (-EADDRINUSE: somebody
 * else holds the port), the last del closes it. del: -ENOENT.
 * Context: process, conf_lock held.
 */
struct netlink_ext_ack;
int mrc_node_add(struct mrc_net *mnet, const struct in6_addr *addr,
		 struct netlink_ext_ack *extack);
int mrc_node_del(struct mrc_net *mnet, const struct in6_addr *addr,
		 struct netlink_ext_ack *extack);
/* Is @addr one of ours? Context: RCU read side. */
bool mrc_node_is_ours(const struct mrc_net *mnet, const struct in6_addr *addr);
/* The first node address; false if there is none. Context: RCU read side. */
bool mrc_node_first(const struct mrc_net *mnet, struct in6_addr *addr);

#endif
