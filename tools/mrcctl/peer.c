// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl peer: what the kernel knows of remote nodes.
 */
#include "mrcctl.h"

static const char peer_help_text[] =
	"Usage: mrcctl peer [ show [ ADDRESS ] ]\n";

static const struct out_field peer_fields[] = {
	{ MRC_A_PEER_REMOTE, OUT_ADDR, "peer", "peer" },
	{ MRC_A_PEER_LOCAL, OUT_ADDR, "local", "local" },
	{ MRC_A_PEER_PROFILE, OUT_STR, "profile", "profile" },
	{ MRC_A_PEER_PLANES, OUT_MASK, "planes", "planes" },
	{ MRC_A_PEER_PLANES_GOOD, OUT_MASK, "planes_good", "good" },
	{ MRC_A_PEER_PATHS, OUT_NUM, "paths", "paths" },
	{ MRC_A_PEER_PATHS_GOOD, OUT_NUM, "paths_good", "good" },
	{ MRC_A_PEER_EVS, OUT_NUM, "evs", "evs" },
	{ MRC_A_PEER_CONNECTIONS, OUT_NUM, "connections", "connections" },
	{ MRC_A_PEER_RTT, OUT_TIME, "rtt_ns", "rtt", OUT_NONZERO },
	{ MRC_A_PEER_TRIMS, OUT_BOOL, "trims", "trims" },
	{ }
};

static int peer_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_PEER_MAX + 1];
	const struct in6_addr *wanted = data;
	struct in6_addr remote;

	attr_parse(nlh, tb, MRC_A_PEER_MAX);
	attr_addr(tb, MRC_A_PEER_REMOTE, &remote);
	if (!addr_any(wanted) && !addr_eq(wanted, &remote))
		return MNL_CB_OK;
	out_rec_begin();
	out_fields(peer_fields, tb);
	out_rec_end();
	return MNL_CB_OK;
}

static int peer_show(struct args *args)
{
	struct in6_addr peer = { };
	int ret;

	if (args->argc && parse_addr(next_arg(args), &peer))
		return EX_USAGE_ERR;
	if (no_more_args(args))
		return EX_USAGE_ERR;
	out_list_begin();
	ret = nl_dump(MRC_CMD_PEER_GET, peer_cb, &peer);
	out_list_end();
	return nl_report(ret);
}

static int peer_help(struct args *args)
{
	return usage(peer_help_text);
}

int peer_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	peer_show },
		{ "list",	peer_show },
		{ "help",	peer_help },
		{ }
	};

	return run_verb("peer", verbs, args);
}
