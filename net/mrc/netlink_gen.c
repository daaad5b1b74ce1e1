// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/mrc.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <uapi/linux/mrc_netlink.h>
#include <linux/mrc.h>
#include <linux/mrc.h>

/* Integer value ranges */
static const struct netlink_range_validation mrc_a_plane_ifindex_range = {
	.min	= 1ULL,
	.max	= S32_MAX,
};

static const struct netlink_range_validation mrc_a_segment_value_range = {
	.max	= U16_MAX,
};

static const struct netlink_range_validation mrc_a_segment_last_range = {
	.max	= U16_MAX,
};

static const struct netlink_range_validation mrc_a_cc_target_min_range = {
	.min	= 1ULL,
	.max	= 100000000ULL,
};

static const struct netlink_range_validation mrc_a_cc_window_range = {
	.max	= 134217728ULL,
};

static const struct netlink_range_validation mrc_a_probe_index_range = {
	.max	= U16_MAX,
};

static const struct netlink_range_validation mrc_a_probe_timeout_range = {
	.min	= 1ULL,
	.max	= 60000ULL,
};

static const struct netlink_range_validation mrc_a_sock_local_port_range = {
	.max	= U16_MAX,
};

static const struct netlink_range_validation mrc_a_sock_remote_port_range = {
	.max	= U16_MAX,
};

static const struct netlink_range_validation mrc_a_sock_qpn_range = {
	.min	= 3ULL,
	.max	= 16777215ULL,
};

static const struct netlink_range_validation mrc_a_net_udp_port_range = {
	.min	= 1ULL,
	.max	= U16_MAX,
};

/* Common nested types */
const struct nla_policy mrc_ev_field_nl_policy[MRC_A_EV_FIELD_MASK + 1] = {
	[MRC_A_EV_FIELD_WIDTH] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
	[MRC_A_EV_FIELD_INIT] = { .type = NLA_U32, },
	[MRC_A_EV_FIELD_MIN_VALUE] = { .type = NLA_U32, },
	[MRC_A_EV_FIELD_MAX_VALUE] = { .type = NLA_U32, },
	[MRC_A_EV_FIELD_MASK] = { .type = NLA_U32, },
};

const struct nla_policy mrc_segment_nl_policy[MRC_A_SEGMENT_BITS + 1] = {
	[MRC_A_SEGMENT_TYPE] = NLA_POLICY_MAX(NLA_U32, 2),
	[MRC_A_SEGMENT_VALUE] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_segment_value_range),
	[MRC_A_SEGMENT_LAST] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_segment_last_range),
	[MRC_A_SEGMENT_OFFSET] = NLA_POLICY_MAX(NLA_U32, 127),
	[MRC_A_SEGMENT_BITS] = NLA_POLICY_RANGE(NLA_U32, 1, 16),
};

/* MRC_CMD_NODE_ADD - do */
static const struct nla_policy mrc_node_add_nl_policy[MRC_A_NODE_ADDR + 1] = {
	[MRC_A_NODE_ADDR] = NLA_POLICY_EXACT_LEN(16),
};

/* MRC_CMD_NODE_DEL - do */
static const struct nla_policy mrc_node_del_nl_policy[MRC_A_NODE_ADDR + 1] = {
	[MRC_A_NODE_ADDR] = NLA_POLICY_EXACT_LEN(16),
};

/* MRC_CMD_PLANE_GET - do */
static const struct nla_policy mrc_plane_get_nl_policy[MRC_A_PLANE_NUMBER + 1] = {
	[MRC_A_PLANE_NUMBER] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
};

/* MRC_CMD_PLANE_ADD - do */
static const struct nla_policy mrc_plane_add_nl_policy[MRC_A_PLANE_ADMIN_UP + 1] = {
	[MRC_A_PLANE_NUMBER] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
	[MRC_A_PLANE_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_plane_ifindex_range),
	[MRC_A_PLANE_VIA] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PLANE_SID] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PLANE_ADMIN_UP] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* MRC_CMD_PLANE_SET - do */
static const struct nla_policy mrc_plane_set_nl_policy[MRC_A_PLANE_ADMIN_UP + 1] = {
	[MRC_A_PLANE_NUMBER] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
	[MRC_A_PLANE_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_plane_ifindex_range),
	[MRC_A_PLANE_VIA] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PLANE_SID] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PLANE_ADMIN_UP] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* MRC_CMD_PLANE_DEL - do */
static const struct nla_policy mrc_plane_del_nl_policy[MRC_A_PLANE_NUMBER + 1] = {
	[MRC_A_PLANE_NUMBER] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
};

/* MRC_CMD_ROUTE_ADD - do */
static const struct nla_policy mrc_route_add_nl_policy[MRC_A_ROUTE_PROFILE + 1] = {
	[MRC_A_ROUTE_DST] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_ROUTE_DST_LEN] = NLA_POLICY_MAX(NLA_U32, 128),
	[MRC_A_ROUTE_PLANE] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
	[MRC_A_ROUTE_MODE] = NLA_POLICY_MAX(NLA_U32, 2),
	[MRC_A_ROUTE_VIA] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_ROUTE_SRC] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_ROUTE_ECMP] = NLA_POLICY_MAX(NLA_U32, 1),
	[MRC_A_ROUTE_BLOCK] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_ROUTE_BLOCK_LEN] = NLA_POLICY_MAX(NLA_U32, 128),
	[MRC_A_ROUTE_SEGMENT] = NLA_POLICY_NESTED(mrc_segment_nl_policy),
	[MRC_A_ROUTE_PROFILE] = { .type = NLA_NUL_STRING, .len = 15, },
};

/* MRC_CMD_ROUTE_DEL - do */
static const struct nla_policy mrc_route_del_nl_policy[MRC_A_ROUTE_PLANE + 1] = {
	[MRC_A_ROUTE_DST] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_ROUTE_DST_LEN] = NLA_POLICY_MAX(NLA_U32, 128),
	[MRC_A_ROUTE_PLANE] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
};

/* MRC_CMD_PROFILE_ADD - do */
static const struct nla_policy mrc_profile_add_nl_policy[MRC_A_PROFILE_FIELD + 1] = {
	[MRC_A_PROFILE_NAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MRC_A_PROFILE_KIND] = NLA_POLICY_MAX(NLA_U32, 1),
	[MRC_A_PROFILE_EVS] = { .type = NLA_BINARY, },
	[MRC_A_PROFILE_FIELD] = NLA_POLICY_NESTED(mrc_ev_field_nl_policy),
};

/* MRC_CMD_PROFILE_SET - do */
static const struct nla_policy mrc_profile_set_nl_policy[MRC_A_PROFILE_FIELD + 1] = {
	[MRC_A_PROFILE_NAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MRC_A_PROFILE_KIND] = NLA_POLICY_MAX(NLA_U32, 1),
	[MRC_A_PROFILE_EVS] = { .type = NLA_BINARY, },
	[MRC_A_PROFILE_FIELD] = NLA_POLICY_NESTED(mrc_ev_field_nl_policy),
};

/* MRC_CMD_PROFILE_DEL - do */
static const struct nla_policy mrc_profile_del_nl_policy[MRC_A_PROFILE_NAME + 1] = {
	[MRC_A_PROFILE_NAME] = { .type = NLA_NUL_STRING, .len = 15, },
};

/* MRC_CMD_PATH_GET - dump */
static const struct nla_policy mrc_path_get_nl_policy[MRC_A_PATH_PLANE + 1] = {
	[MRC_A_PATH_LOCAL] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PATH_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PATH_PLANE] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
};

/* MRC_CMD_PATH_DENY - do */
static const struct nla_policy mrc_path_deny_nl_policy[MRC_A_PATH_FORCE + 1] = {
	[MRC_A_PATH_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PATH_PLANE] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
	[MRC_A_PATH_INDEX] = { .type = NLA_U32, },
	[MRC_A_PATH_OUTER] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PATH_OUTER_NEXT] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PATH_FORCE] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* MRC_CMD_PATH_ALLOW - do */
static const struct nla_policy mrc_path_allow_nl_policy[MRC_A_PATH_OUTER_NEXT + 1] = {
	[MRC_A_PATH_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PATH_PLANE] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
	[MRC_A_PATH_INDEX] = { .type = NLA_U32, },
	[MRC_A_PATH_OUTER] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PATH_OUTER_NEXT] = NLA_POLICY_EXACT_LEN(16),
};

/* MRC_CMD_DENIAL_GET - dump */
static const struct nla_policy mrc_denial_get_nl_policy[MRC_A_PATH_REMOTE + 1] = {
	[MRC_A_PATH_REMOTE] = NLA_POLICY_EXACT_LEN(16),
};

/* MRC_CMD_PATH_SET - do */
static const struct nla_policy mrc_path_set_nl_policy[MRC_A_PATH_FORCE + 1] = {
	[MRC_A_PATH_LOCAL] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PATH_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PATH_PLANE] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
	[MRC_A_PATH_INDEX] = { .type = NLA_U32, },
	[MRC_A_PATH_STATE] = NLA_POLICY_MAX(NLA_U32, 3),
	[MRC_A_PATH_FORCE] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* MRC_CMD_SOCK_ABORT - do */
static const struct nla_policy mrc_sock_abort_nl_policy[MRC_A_SOCK_QPN + 1] = {
	[MRC_A_SOCK_QPN] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_sock_qpn_range),
	[MRC_A_SOCK_LOCAL] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_SOCK_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_SOCK_LOCAL_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_sock_local_port_range),
	[MRC_A_SOCK_REMOTE_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_sock_remote_port_range),
};

/* MRC_CMD_NET_SET - do */
static const struct nla_policy mrc_net_set_nl_policy[MRC_A_NET_TRIM_EARLY + 1] = {
	[MRC_A_NET_ICRC] = NLA_POLICY_MAX(NLA_U32, 1),
	[MRC_A_NET_UDP_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_net_udp_port_range),
	[MRC_A_NET_TRIM] = NLA_POLICY_MAX(NLA_U32, 1),
	[MRC_A_NET_EVS] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[MRC_A_NET_EV_MIN_ACTIVE] = NLA_POLICY_MAX(NLA_U32, 1024),
	[MRC_A_NET_ORPHANS_MAX] = { .type = NLA_U32, },
	[MRC_A_NET_ORPHAN_TIME] = { .type = NLA_U32, },
	[MRC_A_NET_REQUESTS_MAX] = { .type = NLA_U32, },
	[MRC_A_NET_DSCP_DATA] = NLA_POLICY_MAX(NLA_U32, 63),
	[MRC_A_NET_DSCP_RTX] = NLA_POLICY_MAX(NLA_U32, 63),
	[MRC_A_NET_DSCP_CTL] = NLA_POLICY_MAX(NLA_U32, 63),
	[MRC_A_NET_DSCP_TRIMMED] = NLA_POLICY_MAX(NLA_U32, 63),
	[MRC_A_NET_DSCP_TRIMMED_LASTHOP] = NLA_POLICY_MAX(NLA_U32, 63),
	[MRC_A_NET_TRIM_EARLY] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* MRC_CMD_PROBE - do */
static const struct nla_policy mrc_probe_nl_policy[MRC_A_PROBE_TIMEOUT + 1] = {
	[MRC_A_PROBE_LOCAL] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PROBE_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PROBE_PLANE] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
	[MRC_A_PROBE_INDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_probe_index_range),
	[MRC_A_PROBE_OUTER] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PROBE_VIA] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PROBE_TIMEOUT] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_probe_timeout_range),
};

/* MRC_CMD_CC_ADD - do */
static const struct nla_policy mrc_cc_add_nl_policy[MRC_A_CC_DEFAULT + 1] = {
	[MRC_A_CC_NAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MRC_A_CC_ALGORITHM] = { .type = NLA_NUL_STRING, .len = 15, },
	[MRC_A_CC_TARGET] = NLA_POLICY_RANGE(NLA_U32, 1, 1000),
	[MRC_A_CC_TARGET_MIN] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_cc_target_min_range),
	[MRC_A_CC_INCREASE] = NLA_POLICY_RANGE(NLA_U32, 1, 1000),
	[MRC_A_CC_DECREASE] = NLA_POLICY_RANGE(NLA_U32, 1, 100),
	[MRC_A_CC_INIT] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[MRC_A_CC_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_cc_window_range),
	[MRC_A_CC_DEFAULT] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* MRC_CMD_CC_SET - do */
static const struct nla_policy mrc_cc_set_nl_policy[MRC_A_CC_DEFAULT + 1] = {
	[MRC_A_CC_NAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[MRC_A_CC_ALGORITHM] = { .type = NLA_NUL_STRING, .len = 15, },
	[MRC_A_CC_TARGET] = NLA_POLICY_RANGE(NLA_U32, 1, 1000),
	[MRC_A_CC_TARGET_MIN] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_cc_target_min_range),
	[MRC_A_CC_INCREASE] = NLA_POLICY_RANGE(NLA_U32, 1, 1000),
	[MRC_A_CC_DECREASE] = NLA_POLICY_RANGE(NLA_U32, 1, 100),
	[MRC_A_CC_INIT] = NLA_POLICY_RANGE(NLA_U32, 1, 1024),
	[MRC_A_CC_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_a_cc_window_range),
	[MRC_A_CC_DEFAULT] = NLA_POLICY_MAX(NLA_U32, 1),
};

/* MRC_CMD_CC_DEL - do */
static const struct nla_policy mrc_cc_del_nl_policy[MRC_A_CC_NAME + 1] = {
	[MRC_A_CC_NAME] = { .type = NLA_NUL_STRING, .len = 15, },
};

/* Ops table for mrc */
const struct genl_split_ops mrc_nl_ops[31] = {
	{
		.cmd	= MRC_CMD_NODE_GET,
		.dumpit	= mrc_nl_node_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_NODE_ADD,
		.doit		= mrc_nl_node_add_doit,
		.policy		= mrc_node_add_nl_policy,
		.maxattr	= MRC_A_NODE_ADDR,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_NODE_DEL,
		.doit		= mrc_nl_node_del_doit,
		.policy		= mrc_node_del_nl_policy,
		.maxattr	= MRC_A_NODE_ADDR,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PLANE_GET,
		.doit		= mrc_nl_plane_get_doit,
		.policy		= mrc_plane_get_nl_policy,
		.maxattr	= MRC_A_PLANE_NUMBER,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= MRC_CMD_PLANE_GET,
		.dumpit	= mrc_nl_plane_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_PLANE_ADD,
		.doit		= mrc_nl_plane_add_doit,
		.policy		= mrc_plane_add_nl_policy,
		.maxattr	= MRC_A_PLANE_ADMIN_UP,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PLANE_SET,
		.doit		= mrc_nl_plane_set_doit,
		.policy		= mrc_plane_set_nl_policy,
		.maxattr	= MRC_A_PLANE_ADMIN_UP,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PLANE_DEL,
		.doit		= mrc_nl_plane_del_doit,
		.policy		= mrc_plane_del_nl_policy,
		.maxattr	= MRC_A_PLANE_NUMBER,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= MRC_CMD_ROUTE_GET,
		.dumpit	= mrc_nl_route_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_ROUTE_ADD,
		.doit		= mrc_nl_route_add_doit,
		.policy		= mrc_route_add_nl_policy,
		.maxattr	= MRC_A_ROUTE_PROFILE,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_ROUTE_DEL,
		.doit		= mrc_nl_route_del_doit,
		.policy		= mrc_route_del_nl_policy,
		.maxattr	= MRC_A_ROUTE_PLANE,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= MRC_CMD_PROFILE_GET,
		.start	= mrc_nl_profile_get_start,
		.dumpit	= mrc_nl_profile_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_PROFILE_ADD,
		.doit		= mrc_nl_profile_add_doit,
		.policy		= mrc_profile_add_nl_policy,
		.maxattr	= MRC_A_PROFILE_FIELD,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PROFILE_SET,
		.doit		= mrc_nl_profile_set_doit,
		.policy		= mrc_profile_set_nl_policy,
		.maxattr	= MRC_A_PROFILE_FIELD,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PROFILE_DEL,
		.doit		= mrc_nl_profile_del_doit,
		.policy		= mrc_profile_del_nl_policy,
		.maxattr	= MRC_A_PROFILE_NAME,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= MRC_CMD_PEER_GET,
		.dumpit	= mrc_nl_peer_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_PATH_GET,
		.dumpit		= mrc_nl_path_get_dumpit,
		.policy		= mrc_path_get_nl_policy,
		.maxattr	= MRC_A_PATH_PLANE,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_PATH_DENY,
		.doit		= mrc_nl_path_deny_doit,
		.policy		= mrc_path_deny_nl_policy,
		.maxattr	= MRC_A_PATH_FORCE,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_PATH_ALLOW,
		.doit		= mrc_nl_path_allow_doit,
		.policy		= mrc_path_allow_nl_policy,
		.maxattr	= MRC_A_PATH_OUTER_NEXT,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_DENIAL_GET,
		.dumpit		= mrc_nl_denial_get_dumpit,
		.policy		= mrc_denial_get_nl_policy,
		.maxattr	= MRC_A_PATH_REMOTE,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_PATH_SET,
		.doit		= mrc_nl_path_set_doit,
		.policy		= mrc_path_set_nl_policy,
		.maxattr	= MRC_A_PATH_FORCE,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= MRC_CMD_SOCK_GET,
		.dumpit	= mrc_nl_sock_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_SOCK_ABORT,
		.doit		= mrc_nl_sock_abort_doit,
		.policy		= mrc_sock_abort_nl_policy,
		.maxattr	= MRC_A_SOCK_QPN,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= MRC_CMD_NET_GET,
		.doit	= mrc_nl_net_get_doit,
		.flags	= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_NET_SET,
		.doit		= mrc_nl_net_set_doit,
		.policy		= mrc_net_set_nl_policy,
		.maxattr	= MRC_A_NET_TRIM_EARLY,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= MRC_CMD_STATS_GET,
		.dumpit	= mrc_nl_stats_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_PROBE,
		.doit		= mrc_nl_probe_doit,
		.policy		= mrc_probe_nl_policy,
		.maxattr	= MRC_A_PROBE_TIMEOUT,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= MRC_CMD_CC_GET,
		.dumpit	= mrc_nl_cc_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MRC_CMD_CC_ADD,
		.doit		= mrc_nl_cc_add_doit,
		.policy		= mrc_cc_add_nl_policy,
		.maxattr	= MRC_A_CC_DEFAULT,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_CC_SET,
		.doit		= mrc_nl_cc_set_doit,
		.policy		= mrc_cc_set_nl_policy,
		.maxattr	= MRC_A_CC_DEFAULT,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MRC_CMD_CC_DEL,
		.doit		= mrc_nl_cc_del_doit,
		.policy		= mrc_cc_del_nl_policy,
		.maxattr	= MRC_A_CC_NAME,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
};

static const struct genl_multicast_group mrc_nl_mcgrps[] = {
	[MRC_NLGRP_EVENTS] = { "events", },
};
