/* SPDX-License-Identifier: GPL-2.0 */
/*
 * EV profiles of a namespace: named sets of entropy values, listed or made of
 * fields, which routes and sockets use instead of our own layout ("auto"). With
 * them plane and path are not written in the EV.
 */
#ifndef _NET_MRC_PROFILE_H
#define _NET_MRC_PROFILE_H

#include <linux/list.h>
#include <linux/refcount.h>

#include "ev_gen.h"
#include "net.h"

#define MRC_PROFILE_NAME	16	/* with the terminating 0 */
#define MRC_PROFILES_MAX	64
/* EVs of a list, and of fields: the first ones */
#define MRC_PROFILE_LISTED_MAX	1024
#define MRC_PROFILE_EVS_MAX	4096

/* The name of our own layout, which no profile may have */
#define MRC_PROFILE_AUTO	"auto"

enum mrc_profile_kind {
	MRC_PROFILE_EXPLICIT,	/* a list */
	MRC_PROFILE_GENERATED,	/* fields */
};

/**
 * struct mrc_ev_list - what a profile stands for at a time
 * @ref: the profile's, and those of tables being made
 * @gen: unlike that of any other list of the namespace, never 0
 * @n: EVs, 1 .. MRC_PROFILE_EVS_MAX
 * @rcu: frees it
 * @ev: EVs, ascending, all different and usable
 */
struct mrc_ev_list {
	refcount_t		ref;
	u32			gen;
	u32			n;
	struct rcu_head		rcu;
	u32			ev[] __counted_by(n);
};

/**
 * struct mrc_profile - a named set of EVs
 * @list: in mrc_net.profiles (RCU)
 * @name: unique
 * @id: unique, not used again for another one, never 0
 * @kind: how it is made; changed under conf_lock as all below
 * @gen: its fields, if generated
 * @ref: keeps the memory: the namespace's and those of @users
 * @users: routes and sockets
 * @evs: what it stands for, RCU
 * @rcu: frees it
 */
struct mrc_profile {
	struct list_head	list;
	char			name[MRC_PROFILE_NAME];
	u32			id;
	enum mrc_profile_kind	kind;
	struct mrc_ev_gen	gen;
	refcount_t		ref;
	atomic_t		users;
	struct mrc_ev_list __rcu *evs;
	struct rcu_head		rcu;
};

/**
 * struct mrc_profile_cfg - a profile as configured
 * @name: its name
 * @kind: how it is made
 * @gen: fields
 * @n: EVs listed
 * @ev: they; sorted in place
 */
struct mrc_profile_cfg {
	const char		*name;
	enum mrc_profile_kind	kind;
	struct mrc_ev_gen	gen;
	u32			n;
	u32			*ev;
};

/* Context: process, conf_lock held. Errors with extack: -EINVAL, -EEXIST,
 * -ENOENT, -EBUSY a route or a socket uses it, -ENOSPC, -ENOMEM.
 */
int mrc_profile_add(struct mrc_net *mnet, const struct mrc_profile_cfg *cfg,
		    struct netlink_ext_ack *extack);
int mrc_profile_set(struct mrc_net *mnet, const struct mrc_profile_cfg *cfg,
		    struct netlink_ext_ack *extack);
int mrc_profile_del(struct mrc_net *mnet, const char *name,
		    struct netlink_ext_ack *extack);
/* NULL if there is none. Context: conf_lock held, or RCU read side. */
struct mrc_profile *mrc_profile_find(const struct mrc_net *mnet,
				     const char *name);
void mrc_profile_flush(struct mrc_net *mnet);

/* A route or a socket uses it, or does no more. get: context: conf_lock held,
 * or whoever holds it already; put: any.
 */
void mrc_profile_get(struct mrc_profile *profile);
void mrc_profile_put(struct mrc_profile *profile);
/* NULL if there is none. Context: RCU read side. */
struct mrc_profile *mrc_profile_by_id(const struct mrc_net *mnet, u32 id);

/* What it stands for now, with a reference. Context: RCU read side. */
struct mrc_ev_list *mrc_profile_evs_get(const struct mrc_profile *profile);
void mrc_ev_list_put(struct mrc_ev_list *evs);
/* One of its EVs. Context: RCU read side. */
u32 mrc_profile_ev(const struct mrc_profile *profile, u32 random);

#endif
