/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/mrc.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_MRC_GEN_H
#define _LINUX_MRC_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/mrc_netlink.h>
#include <linux/mrc.h>
#include <linux/mrc.h>

/* Common nested types */
extern const struct nla_policy mrc_ev_field_nl_policy[MRC_A_EV_FIELD_MASK + 1];
extern const struct nla_policy mrc_segment_nl_policy[MRC_A_SEGMENT_BITS + 1];

/* Ops table for mrc */
extern const struct genl_split_ops mrc_nl_ops[31];

int mrc_nl_profile_get_start(struct netlink_callback *cb);

int mrc_nl_node_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_node_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_node_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_plane_get_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_plane_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_plane_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_plane_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_plane_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_route_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_route_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_route_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_profile_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_profile_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_profile_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_profile_del_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_path_deny_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_path_allow_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_denial_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_path_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_sock_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_sock_abort_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_net_get_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_net_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_probe_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_cc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int mrc_nl_cc_add_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_cc_set_doit(struct sk_buff *skb, struct genl_info *info);
int mrc_nl_cc_del_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	MRC_NLGRP_EVENTS,
};

#endif /* _LINUX_MRC_GEN_H */
