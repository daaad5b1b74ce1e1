/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink: configuration, dumps and events. Beside the floors: it may
 * call all of them, and each may report an event.
 */
#ifndef _NET_MRC_NETLINK_H
#define _NET_MRC_NETLINK_H

#include <linux/in6.h>
#include <linux/types.h>

struct genl_family;
struct genl_info;
struct mrc_net;
struct mrc_path;
struct mrc_peer;
struct mrc_ping_req;
struct mrc_plane;
struct net;
struct netlink_callback;
struct sk_buff;

/* Registers the family; after the floors, before the socket family.
 * Context: process. Return: 0 or a negative errno.
 */
int mrc_netlink_init(void);
/* First at exit. No event is sent any more when it returns. */
void mrc_netlink_exit(void);

/*
 * Events. They go to the listeners of the namespace; without any they cost a
 * test. Context of all: any but hard interrupts.
 */

/* @plane went up or down, for whatever reason. */
void mrc_nl_plane_event(struct mrc_plane *plane, bool up);
/* @path of @peer left (@good false) or came back, path->why says why. */
void mrc_nl_path_event(const struct mrc_peer *peer,
		       const struct mrc_path *path, bool good);
/* A connection has failed with @err (positive errno); @why is one line for
 * people or NULL. Ports in host order.
 */
void mrc_nl_conn_failed(struct mrc_net *mnet, const struct in6_addr *local,
			const struct in6_addr *remote, u16 lport, u16 rport,
			u32 qpn, int err, const char *why);
/* @remote asked for a connection on @plane and no route leads back to it. At
 * most ten of this and the next event are sent each second.
 */
void mrc_nl_no_return_route(struct mrc_net *mnet,
			    const struct in6_addr *local,
			    const struct in6_addr *remote, u8 plane);
/* A packet of @remote arrived on @plane whose EV names @sender_plane. */
void mrc_nl_miscabled(struct mrc_net *mnet, const struct in6_addr *local,
		      const struct in6_addr *remote, u8 plane,
		      u8 sender_plane);

/* What became of a probe: @rtt in ns, 0 = no answer. Context: process or
 * softirq.
 */
void mrc_nl_probe_done(struct mrc_net *mnet, const struct mrc_ping_req *req,
		       u64 rtt);

/* netlink.c, for the files beside it */
extern struct genl_family mrc_nl_family;
struct mrc_net *mrc_nl_net(struct genl_info *info);
bool mrc_nl_lacks(struct genl_info *info, u32 attr, const char *what);
bool mrc_nl_has(struct genl_info *info, int attr);
u32 mrc_nl_u32(struct genl_info *info, int attr);
void mrc_nl_addr(struct genl_info *info, int attr, struct in6_addr *addr);

/* netlink_dump.c, for the dumps beside it: begins and ends a message, and the
 * cursor that is kept from buffer to buffer.
 */
void *mrc_nl_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd);
int mrc_nl_end(struct sk_buff *skb, void *hdr, int err);
unsigned long *mrc_nl_cursor(struct netlink_callback *cb);

/* netlink_event.c, for netlink.c only */
int mrc_nl_event_init(void);
void mrc_nl_event_exit(void);
/* May messages be sent of our own accord? Context: RCU, until it is sent. */
bool mrc_nl_events_live(void);

/* netlink_probe.c, for netlink.c only */
int mrc_nl_probe_init(void);
void mrc_nl_probe_exit(void);

/* netlink_dump.c: the answer to a plane_get for @plane. Context: RCU. */
int mrc_nl_plane_reply(struct mrc_plane *plane, struct genl_info *info);
/* The counters of @plane in the order of struct mrc_plane_stats. */
#define MRC_NL_PLANE_SUMS	7
void mrc_nl_plane_sum(const struct mrc_plane *plane, u64 *sum);
/* One line for people per enum mrc_path_why. */
const char *mrc_nl_why(unsigned int why);
/* enum mrc_nl_plane_state of @plane. Context: RCU. */
u32 mrc_nl_plane_state(const struct mrc_plane *plane);

#endif
