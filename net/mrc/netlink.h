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
struct mrc_plane;
struct net;

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

/* netlink.c, for the files beside it */
extern struct genl_family mrc_nl_family;

/* netlink_event.c, for netlink.c only */
int mrc_nl_event_init(void);
void mrc_nl_event_exit(void);

/* netlink_dump.c: the answer to a plane_get for @plane. Context: RCU. */
int mrc_nl_plane_reply(struct mrc_plane *plane, struct genl_info *info);
/* One line for people per enum mrc_path_why. */
const char *mrc_nl_why(unsigned int why);
/* enum mrc_nl_plane_state of @plane. Context: RCU. */
u32 mrc_nl_plane_state(const struct mrc_plane *plane);

#endif
