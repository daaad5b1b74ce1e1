/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Denied paths: what a controller has taken out of use. The list belongs to
 * the namespace and not to a peer's table, so that a denial survives routes,
 * planes and peers that come and go.
 */
#ifndef _NET_MRC_DENY_H
#define _NET_MRC_DENY_H

#include <linux/in6.h>

#include "route.h"

/* Entries of one namespace */
#define MRC_DENY_MAX	65536

/**
 * struct mrc_path_key - names one source route to a peer
 * @remote: the peer
 * @id: carriers of a source route; of plain routes, whose paths have nothing
 *	but a number, that number in the last 32 bits of the first
 * @plane: 1-32
 *
 * No padding: it is hashed and compared as a whole.
 */
struct mrc_path_key {
	struct in6_addr	remote;
	struct in6_addr	id[MRC_SRV6_CARRIERS_MAX];
	u32		plane;
};

struct mrc_deny_table;
struct netlink_ext_ack;

/* Names path @k of a route of @mode, whose carriers are @outer, in @key. */
void mrc_path_key_set(struct mrc_path_key *key, enum mrc_route_mode mode,
		      const struct in6_addr *outer, u32 k);
/* Is it a source route, or a plain one whose number is given back? */
bool mrc_path_key_is_outer(const struct mrc_path_key *key);
u32 mrc_path_key_k(const struct mrc_path_key *key);
/* Its number, if the present route to the peer has it. Context: RCU. */
bool mrc_path_key_index(const struct mrc_net *mnet,
			const struct mrc_path_key *key, u32 *k);

/* Is the path denied? Context: RCU read side. */
bool mrc_denied(const struct mrc_net *mnet, const struct mrc_path_key *key);
/* Is any? Spares the question above. */
bool mrc_deny_any(const struct mrc_net *mnet);

/* Context: process, conf_lock held. add: -EEXIST, -ENOSPC, -ENOMEM;
 * del: -ENOENT.
 */
int mrc_deny_add(struct mrc_net *mnet, const struct mrc_path_key *key,
		 struct netlink_ext_ack *extack);
int mrc_deny_del(struct mrc_net *mnet, const struct mrc_path_key *key,
		 struct netlink_ext_ack *extack);
/* As mrc_route_walk(). */
int mrc_deny_walk(struct mrc_net *mnet, unsigned long *pos,
		  int (*cb)(const struct mrc_path_key *key, void *arg),
		  void *arg);

int mrc_deny_init(struct mrc_net *mnet);
void mrc_deny_exit(struct mrc_net *mnet);

#endif
