/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CC profiles of a namespace: named congestion controls, that is, an algorithm
 * and its parameters. One is the default of sockets that name none. Each
 * algorithm is a profile of its own name from the start, which cannot be
 * changed or deleted.
 */
#ifndef _NET_MRC_CC_CONF_H
#define _NET_MRC_CC_CONF_H

#include <linux/list.h>
#include <linux/refcount.h>

#include "cc.h"
#include "net.h"

#define MRC_CC_NAME		16	/* with the terminating 0 */
#define MRC_CC_PROFILES_MAX	64
/* The default of a new namespace */
#define MRC_CC_DEFAULT		"nscc"
/* What a socket that has chosen none says it has */
#define MRC_CC_AUTO		"default"

/**
 * struct mrc_cc_profile - a named congestion control
 * @list: in its namespace's list
 * @name: unique
 * @id: unique, not used again for another one, rising in the list
 * @builtin: neither changed nor deleted
 * @ops: algorithm
 * @p: its parameters
 * @ref: the list's, and one for each socket
 *
 * @ops and @p are protected by the lock of the list.
 */
struct mrc_cc_profile {
	struct list_head	list;
	char			name[MRC_CC_NAME];
	u32			id;
	bool			builtin;
	const struct mrc_cc_ops	*ops;
	struct mrc_cc_params	p;
	refcount_t		ref;
};

/**
 * struct mrc_cc_cfg - a profile as configured
 * @name: its name
 * @alg: name of an algorithm, NULL = not given
 * @p: parameters
 * @has_p: any is given
 * @make_default: it becomes the default
 */
struct mrc_cc_cfg {
	const char		*name;
	const char		*alg;
	struct mrc_cc_params	p;
	bool			has_p;
	bool			make_default;
};

/**
 * struct mrc_cc_seen - a profile as it is now, for dumps
 * @p: profile, a copy
 * @users: sockets that have chosen it
 * @is_default: sockets that choose none have it
 */
struct mrc_cc_seen {
	struct mrc_cc_profile	p;
	unsigned int		users;
	bool			is_default;
};

/* Errors with extack: -EINVAL, -EEXIST, -ENOENT, -EBUSY a socket uses it or it
 * is the default, -ENOSPC, -ENOMEM. Context: process.
 */
struct netlink_ext_ack;
int mrc_cc_profile_add(struct mrc_net *mnet, const struct mrc_cc_cfg *cfg,
		       struct netlink_ext_ack *extack);
/* Connections that exist keep what they began with. */
int mrc_cc_profile_set(struct mrc_net *mnet, const struct mrc_cc_cfg *cfg,
		       struct netlink_ext_ack *extack);
int mrc_cc_profile_del(struct mrc_net *mnet, const char *name,
		       struct netlink_ext_ack *extack);
/* The first profile with an id above @after. Return: false if there is none. */
bool mrc_cc_profile_next(struct mrc_net *mnet, u32 after,
			 struct mrc_cc_seen *seen);

/* For a socket: by name, with a reference; NULL if there is none. */
struct mrc_cc_profile *mrc_cc_profile_get(struct mrc_net *mnet,
					  const char *name);
void mrc_cc_profile_hold(struct mrc_cc_profile *p);
void mrc_cc_profile_put(struct mrc_cc_profile *p);
/* A connection begins with @p, NULL = the default. Context: any. */
void mrc_cc_begin(struct mrc_net *mnet, const struct mrc_cc_profile *p,
		  struct mrc_cc *cc, u32 mtu, u32 planes);

int mrc_cc_conf_init(void);
void mrc_cc_conf_exit(void);

#endif
