/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Planes: one netdev each, the same number on every host. A plane owns the
 * destination entries of its gateways and a kernel UDP socket that owns each
 * skb sent, so that what is queued below is known and bounded.
 */
#ifndef _NET_MRC_PLANE_H
#define _NET_MRC_PLANE_H

#include <linux/netdevice.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/skbuff.h>
#include <linux/u64_stats_sync.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/ip6_fib.h>

#include "net.h"
#include "news.h"

/* Bytes that may wait below one plane before it counts as full: enough for
 * 100 Gb/s while a soft interrupt is 10 us late, and no more, since what a dead
 * plane leaves behind waits for it too, and it is part of the round trip.
 */
#define MRC_PLANE_QUEUE		(128 * 1024)

/* The same as long as nothing sent there has been acknowledged: nothing but
 * the burst that is being sent. It may wait for its gateway's link-layer
 * address, and the kernel throws away what it must queue for that beyond
 * some 200 KB. An empty plane counts 1, and 2 while sock_wfree() tells of the
 * last skb that left.
 */
#define MRC_PLANE_QUEUE_COLD	3

/**
 * struct mrc_gw - destination entry towards one gateway of a plane
 * @list: in mrc_plane.gws
 * @hash: in mrc_plane.gw_by_via
 * @via: gateway address; :: on the loopback plane
 * @dst: made by ip6_dst_alloc(), output through @via; never dst_check()ed;
 *	NULL while the plane has no netdev; RCU
 * @users: routes (and the plane itself) that name it; protected by conf_lock
 * @rcu: frees it
 */
struct mrc_gw {
	struct list_head	list;
	struct rhash_head	hash;
	struct in6_addr		via;
	struct dst_entry __rcu	*dst;
	unsigned int		users;
	struct rcu_head		rcu;
};

/* One CPU's counters of a plane. Packets, not skbs. */
struct mrc_plane_stats {
	u64_stats_t		tx_packets;
	u64_stats_t		tx_bytes;
	u64_stats_t		tx_data;
	u64_stats_t		tx_drops;
	u64_stats_t		rx_packets;
	u64_stats_t		rx_bytes;
	u64_stats_t		rx_data;
	struct u64_stats_sync	syncp;
};

/**
 * struct mrc_plane - a plane
 * @mnet: its namespace
 * @id: number 1-32, 0 for the loopback plane
 * @gen: unlike that of any plane before it with the same number; anew when
 *	it gets another netdev
 * @ref: the table's and each reader's that leaves RCU (mrc_plane_put())
 * @dev: netdev, NULL once it is gone; changed under conf_lock; RCU
 * @ifname: name of @dev when it was added (a netdev that comes back under
 *	this name is taken again)
 * @dev_tracker: of @dev; not before @ifname: it may have no size, and then
 *	gcc takes the one for the other and strscpy() for an overflow
 * @via: default gateway, :: if every route names its own
 * @sid: own segment id that switches deliver to, :: if none
 * @admin_up: set by the administrator
 * @up: carrier, running and @admin_up as seen last (READ_ONCE)
 * @lock: protects writes of @up and @carrier_losses, and @gone and @waiters;
 *	taken with interrupts off, inside the lock of @sock's wait queue
 * @gone: deleted: nobody may wait any more
 * @carrier_losses: how often @up became false
 * @warm: something sent here has been acknowledged (READ_ONCE)
 * @gws: struct mrc_gw; protected by conf_lock
 * @gw_by_via: the same, by gateway
 * @self: the loopback plane's own entry, NULL on all others
 * @sock: kernel UDP socket whose sk_wmem_alloc is this plane's queue
 * @wake: in @sock's wait queue: called when an skb is freed and there is room
 * @waiters: struct mrc_room: who waits for room, first come first served
 * @stats: counters
 * @early: the hook for trims ahead of IPv6; its dev is NULL if it is not set;
 *	protected by conf_lock
 * @free_work: frees it, after a grace period and where one may sleep
 */
struct mrc_plane {
	struct mrc_net		*mnet;
	u8			id;
	u32			gen;
	refcount_t		ref;
	struct net_device __rcu	*dev;
	char			ifname[IFNAMSIZ];
	netdevice_tracker	dev_tracker;
	struct in6_addr		via;
	struct in6_addr		sid;
	bool			admin_up;
	bool			up;
	spinlock_t		lock;	/* @up, @gone, @waiters */
	bool			gone;
	u64			carrier_losses;
	bool			warm;
	struct list_head	gws;
	struct rhashtable	gw_by_via;
	struct mrc_gw		*self;
	struct socket		*sock;
	wait_queue_entry_t	wake;
	struct list_head	waiters;
	struct mrc_plane_stats __percpu *stats;
	struct packet_type	early;
	struct rcu_work		free_work;
};

/**
 * struct mrc_room - a user waiting until a plane has room
 * @node: in mrc_plane.waiters; empty list head when it does not wait
 * @user: gets MRC_NEWS_ROOM
 */
struct mrc_room {
	struct list_head	node;
	struct mrc_user		*user;
};

/**
 * struct mrc_plane_cfg - what an administrator says of a plane
 * @id: number, 1-32
 * @ifindex: netdev; 0 in mrc_plane_set(): leave it
 * @has_via: @via is given
 * @has_sid: @sid is given
 * @has_admin: @admin_up is given
 * @via: gateway; :: takes it away
 * @sid: own segment id; :: takes it away
 * @admin_up: may be used (the default)
 */
struct mrc_plane_cfg {
	u8		id;
	int		ifindex;
	bool		has_via, has_sid, has_admin;
	struct in6_addr	via;
	struct in6_addr	sid;
	bool		admin_up;
};

/* Configuration. Context: process, conf_lock held, RTNL neither needed nor
 * taken (see struct mrc_net). Errors with extack: -EINVAL number, addresses
 * or a netdev that cannot be a plane; -EEXIST number or netdev in use;
 * -ENODEV; -ENOENT. Routes survive mrc_plane_del() and wait for a plane of
 * that number.
 */
int mrc_plane_add(struct mrc_net *mnet, const struct mrc_plane_cfg *cfg,
		  struct netlink_ext_ack *extack);
int mrc_plane_set(struct mrc_net *mnet, const struct mrc_plane_cfg *cfg,
		  struct netlink_ext_ack *extack);
int mrc_plane_del(struct mrc_net *mnet, u8 id, struct netlink_ext_ack *extack);

/* Context: RCU read side. NULL if there is none. */
struct mrc_plane *mrc_plane_get_rcu(const struct mrc_net *mnet, u8 id);

/* The entry towards @via on @plane, made if need be; each get has its put.
 * Context: process, conf_lock held. Return: entry or ERR_PTR.
 */
struct mrc_gw *mrc_gw_get(struct mrc_plane *plane, const struct in6_addr *via);
void mrc_gw_put(struct mrc_plane *plane, struct mrc_gw *gw);

/* Gives a plane back that was taken with refcount_inc_not_zero(&plane->ref).
 * Context: any.
 */
void mrc_plane_put(struct mrc_plane *plane);

/* Does the plane work right now, as far as this host can see? Asks the
 * netdev itself, and kills the plane (paths leave, users get news) if it is
 * the first to see it off. Context: RCU read side, BH off.
 */
bool mrc_plane_alive(struct mrc_plane *plane);

/* May @plane take another burst? Context: RCU read side. */
/* What was sent here arrives. Context: any. */
void mrc_plane_set_warm(struct mrc_plane *plane, bool warm);
bool mrc_plane_has_room(const struct mrc_plane *plane);

/* Bytes queued below the plane. */
unsigned int mrc_plane_queued(const struct mrc_plane *plane);

/* Queues @room until the plane has room; its user then gets MRC_NEWS_ROOM.
 * No-op if it waits already. If room came in the meantime the news is given
 * at once. Context: BH off.
 */
void mrc_plane_wait(struct mrc_plane *plane, struct mrc_room *room);
/* Stops waiting. The caller sees to it that @plane is the one it waits on. */
void mrc_plane_unwait(struct mrc_plane *plane, struct mrc_room *room);
/* A woken user that did not use the room passes it on. Context: BH off. */
void mrc_plane_pass_room(struct mrc_plane *plane);

/* MTU for IPv6 on the plane's netdev, 0 if it has none. Context: RCU read
 * side.
 */
unsigned int mrc_plane_mtu(const struct mrc_plane *plane);

/* The plane whose netdev has @ifindex. Context: RCU read side. */
struct mrc_plane *mrc_plane_by_ifindex(const struct mrc_net *mnet,
				       int ifindex);
/* Is @sid the segment id of a plane? @first is asked first and may be NULL.
 * Context: RCU read side.
 */
bool mrc_plane_sid_is_ours(const struct mrc_net *mnet,
			   const struct mrc_plane *first,
			   const struct in6_addr *sid);

/* The same as mrc_plane_get_rcu(). Context: conf_lock held. */
struct mrc_plane *mrc_plane_get(const struct mrc_net *mnet, u8 id);
/* Can a gateway have this address? */
bool mrc_gw_valid(const struct in6_addr *via);

/* Called by net.c, in this order and the reverse. */
int mrc_plane_init(void);
void mrc_plane_exit(void);
int mrc_plane_notify_init(void);
void mrc_plane_notify_exit(void);
int mrc_plane_net_init(struct mrc_net *mnet);
void mrc_plane_net_exit(struct mrc_net *mnet);	/* conf_lock held */
/* Waits for a grace period and until every plane deleted before is freed. */
void mrc_plane_flush(void);

/*
 * Among plane.c, gw.c and plane_conf.c
 */

/* A plane without a netdev, not in the table; or ERR_PTR. */
struct mrc_plane *mrc_plane_alloc(struct mrc_net *mnet, u8 id);
u32 mrc_plane_new_gen(void);
/* Gives it and its users the new state, if it is one. Context: any but hard
 * interrupts; RCU read side or conf_lock.
 */
void mrc_plane_set_up(struct mrc_plane *plane, bool up);
/* Sends all waiters away; nobody waits any more if @gone. */
void mrc_plane_wake_all(struct mrc_plane *plane, bool gone);
/* Entries get or lose what depends on the netdev. Context: conf_lock held. */
/* Context: RCU read side, no lock held: it may send. */
void mrc_gw_resolve(const struct mrc_gw *gw);
void mrc_gws_attach(struct mrc_plane *plane, struct net_device *dev);
void mrc_gws_detach(struct mrc_plane *plane);
int mrc_gws_init(struct mrc_plane *plane);
void mrc_gws_exit(struct mrc_plane *plane);

#endif
