/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The source-route table: destination prefix -> per plane a template of the
 * paths there. Looked up when a peer is made or resolved again, never per
 * packet. One row serves a whole T0 group, because a segment may copy bits
 * of the destination address.
 */
#ifndef _NET_MRC_ROUTE_H
#define _NET_MRC_ROUTE_H

#include "net.h"
#include "srv6.h"

struct mrc_gw;
struct mrc_profile;

enum mrc_route_mode {
	MRC_ROUTE_PLAIN,	/* inner packet straight out of the plane */
	MRC_ROUTE_USID,		/* SRv6: block and segments in one address */
	MRC_ROUTE_SRH,		/* the same with a segment routing header */
};

/**
 * struct mrc_route_cfg - one row for one plane, as configured and dumped
 * @dst: destination prefix, host bits zero
 * @plen: its length, 0-128
 * @plane: 1-32
 * @mode: how packets leave
 * @ecmp: plain only: switches hash the EV, so EVs are paths
 * @has_via: @via is given
 * @has_src: @src is given
 * @via: gateway instead of the plane's
 * @src: node address to use towards @dst
 * @tmpl: uSID template, see srv6.h
 * @profile: EV profile, of which the row counts as a user; NULL = auto
 */
struct mrc_route_cfg {
	struct in6_addr		dst;
	u8			plen;
	u8			plane;
	enum mrc_route_mode	mode;
	bool			ecmp;
	bool			has_via;
	bool			has_src;
	struct in6_addr		via;
	struct in6_addr		src;
	struct mrc_srv6_tmpl	tmpl;
	struct mrc_profile	*profile;
};

/* Rows of one namespace: 131,072 destinations on each of 32 planes. */
#define MRC_ROUTE_MAX	(131072 * 32)

/**
 * struct mrc_route - the answer of a lookup for one plane
 * @cfg: the row
 * @gw: destination entry to send through (held by the row; RCU), NULL while
 *	the plane or its gateway is missing: read it once, with READ_ONCE()
 */
struct mrc_route {
	struct mrc_route_cfg	cfg;
	struct mrc_gw		*gw;
};

int mrc_route_cache_init(void);
void mrc_route_cache_exit(void);
int mrc_route_init(struct mrc_net *mnet);
void mrc_route_flush(struct mrc_net *mnet);	/* conf_lock held */
void mrc_route_exit(struct mrc_net *mnet);

/* Context: process, conf_lock held. Errors with extack: -EINVAL bad prefix,
 * template or mode; -ENODEV no such plane; -EEXIST; -ENOENT; -ENOSPC;
 * -EHOSTUNREACH no gateway on the plane nor the route.
 */
int mrc_route_add(struct mrc_net *mnet, const struct mrc_route_cfg *cfg,
		  struct netlink_ext_ack *extack);
int mrc_route_del(struct mrc_net *mnet, const struct in6_addr *dst, u8 plen,
		  u8 plane, struct netlink_ext_ack *extack);

/* Longest prefix for @dst that has @plane. Context: RCU read side.
 * Return: the row, NULL if none.
 */
const struct mrc_route *mrc_route_lookup(const struct mrc_net *mnet,
					 const struct in6_addr *dst, u8 plane);
/* Mask of planes (bit n-1) with a row for @dst. Context: RCU read side. */
u32 mrc_route_planes(const struct mrc_net *mnet, const struct in6_addr *dst);
/* Have all EVs of packets to @dst our own layout? Context: RCU read side. */
bool mrc_route_ev_layout(const struct mrc_net *mnet, const struct in6_addr *dst);
/* Paths that a row stands for; where switches hash, as many as EVs can name.
 * Context: RCU read side.
 */
u32 mrc_route_paths(const struct mrc_route_cfg *cfg);
/* Number of rows. */
unsigned int mrc_route_count(const struct mrc_net *mnet);

/* Plane @id came, went or has another gateway: its rows look for theirs
 * again. Return: 0, or -ENOMEM: some rows have none now.
 * Context: process, conf_lock held.
 */
int mrc_route_rebind(struct mrc_net *mnet, u8 id);

/* Walks rows in a stable order for dumps: @cb for each row from position
 * *@pos on (0 = the first; a cursor, not a count); stops when it returns
 * non-zero, then *@pos is that row. Context: conf_lock held.
 */
int mrc_route_walk(struct mrc_net *mnet, unsigned long *pos,
		   int (*cb)(const struct mrc_route *route, void *arg),
		   void *arg);

#endif
