// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl peer and mrcctl path: what the kernel knows of remote nodes and of
 * each source route to them.
 */
#include <stdio.h>
#include <string.h>

#include "mrcctl.h"

static const char peer_help_text[] =
	"Usage: mrcctl peer [ show [ ADDRESS ] ]\n";
static const char path_help_text[] =
	"Usage: mrcctl path [ show [ PEER ] [ plane NUMBER ] [ state STATE ] ]\n"
	"STATE := { good | bad | denied }\n";

static const struct out_field peer_fields[] = {
	{ MRC_A_PEER_REMOTE, OUT_ADDR, "peer", "peer" },
	{ MRC_A_PEER_LOCAL, OUT_ADDR, "local", "local" },
	{ MRC_A_PEER_PLANES, OUT_MASK, "planes", "planes" },
	{ MRC_A_PEER_PLANES_GOOD, OUT_MASK, "planes_good", "good" },
	{ MRC_A_PEER_PATHS, OUT_NUM, "paths", "paths" },
	{ MRC_A_PEER_PATHS_GOOD, OUT_NUM, "paths_good", "good" },
	{ MRC_A_PEER_EVS, OUT_NUM, "evs", "evs" },
	{ MRC_A_PEER_CONNECTIONS, OUT_NUM, "connections", "connections" },
	{ MRC_A_PEER_RTT, OUT_TIME, "rtt_ns", "rtt", OUT_NONZERO },
	{ }
};

static const struct out_field path_fields[] = {
	{ MRC_A_PATH_REMOTE, OUT_ADDR, "peer", "peer" },
	{ MRC_A_PATH_LOCAL, OUT_ADDR, "local", "local", OUT_DETAIL },
	{ MRC_A_PATH_PLANE, OUT_NUM, "plane", "plane" },
	{ MRC_A_PATH_INDEX, OUT_NUM, "path", "path" },
	{ MRC_A_PATH_STATE, OUT_ENUM, "state", "state", 0,
	  path_states, PATH_STATES },
	{ MRC_A_PATH_WHY, OUT_STR, "why", "", OUT_JSON_ONLY },
	{ MRC_A_PATH_SINCE, OUT_TIME, "since_ns", "since" },
	{ MRC_A_PATH_OUTER, OUT_ADDR, "outer", "outer" },
	{ MRC_A_PATH_RTT, OUT_TIME, "rtt_ns", "rtt", OUT_NONZERO },
	{ MRC_A_PATH_BASE_RTT, OUT_TIME, "base_rtt_ns", "base",
	  OUT_NONZERO | OUT_DETAIL },
	{ MRC_A_PATH_EVS_GOOD, OUT_NUM, "evs_good", "evs good",
	  OUT_NEWLINE | OUT_DETAIL },
	{ MRC_A_PATH_EVS_SKIP, OUT_NUM, "evs_skip", "skip", OUT_DETAIL },
	{ MRC_A_PATH_EVS_BAD, OUT_NUM, "evs_bad", "bad", OUT_DETAIL },
	{ MRC_A_PATH_EVS_DENIED, OUT_NUM, "evs_denied", "denied", OUT_DETAIL },
	{ MRC_A_PATH_SENT, OUT_NUM, "sent", "sent", OUT_NEWLINE | OUT_STATS },
	{ MRC_A_PATH_ACKED, OUT_NUM, "acked", "acked", OUT_STATS },
	{ MRC_A_PATH_MARKED, OUT_NUM, "marked", "marked", OUT_STATS },
	{ MRC_A_PATH_TRIMMED, OUT_NUM, "trimmed", "trimmed", OUT_STATS },
	{ MRC_A_PATH_LOST, OUT_NUM, "lost", "lost", OUT_STATS },
	{ MRC_A_PATH_PROBES, OUT_NUM, "probes", "probes", OUT_STATS },
	{ MRC_A_PATH_PROBES_ANSWERED, OUT_NUM, "probes_answered", "answered",
	  OUT_STATS },
	{ }
};

/* Which records are to be shown; the kernel filters by peer and plane. */
struct filter {
	struct in6_addr peer;
	uint32_t plane;
	bool has_state;
	uint32_t state;
};

static int peer_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_PEER_MAX + 1];
	const struct filter *f = data;
	struct in6_addr remote;

	attr_parse(nlh, tb, MRC_A_PEER_MAX);
	attr_addr(tb, MRC_A_PEER_REMOTE, &remote);
	if (!addr_any(&f->peer) && !addr_eq(&f->peer, &remote))
		return MNL_CB_OK;
	out_rec_begin();
	out_fields(peer_fields, tb);
	out_rec_end();
	return MNL_CB_OK;
}

static int peer_show(struct args *args)
{
	struct filter f = { };
	int ret;

	if (args->argc && parse_addr(next_arg(args), &f.peer))
		return EX_USAGE_ERR;
	if (no_more_args(args))
		return EX_USAGE_ERR;
	out_list_begin();
	ret = nl_dump(MRC_CMD_PEER_GET, peer_cb, &f);
	out_list_end();
	return nl_report(ret);
}

/* A reason of several words goes in parentheses, after the state. */
static void path_record(struct nlattr **tb)
{
	const struct out_field *f = path_fields;
	char why[80], buf[84];

	attr_name(tb, MRC_A_PATH_WHY, why, sizeof(why));
	out_rec_begin();
	for (; f->attr; f++) {
		struct out_field one[2] = { *f };

		out_fields(one, tb);
		if (f->attr == MRC_A_PATH_STATE && why[0]) {
			snprintf(buf, sizeof(buf), "(%s)", why);
			out_str(NULL, NULL, buf);
		}
	}
	out_rec_end();
}

static int path_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_PATH_MAX + 1];
	const struct filter *f = data;

	attr_parse(nlh, tb, MRC_A_PATH_MAX);
	if (!f->has_state || f->state == attr_u32(tb, MRC_A_PATH_STATE))
		path_record(tb);
	return MNL_CB_OK;
}

static int parse_filter(struct args *args, struct filter *f)
{
	const char *word;
	int ret = EX_DONE;

	while (args->argc && !ret) {
		if (take_word(args, "plane")) {
			ret = need_arg(args, "plane number", &word) ? :
			      parse_u32(word, 1, MRC_PLANE_MAX, &f->plane);
		} else if (take_word(args, "state")) {
			f->has_state = true;
			ret = need_arg(args, "state", &word) ? :
			      parse_enum(word, path_states, PATH_STATES,
					 &f->state);
		} else if (addr_any(&f->peer)) {
			ret = parse_addr(next_arg(args), &f->peer);
		} else {
			ret = no_more_args(args);
		}
	}
	return ret;
}

static int path_show(struct args *args)
{
	struct filter f = { };
	struct nlmsghdr *nlh;
	int ret;

	if (parse_filter(args, &f))
		return EX_USAGE_ERR;
	nlh = nl_genl(MRC_CMD_PATH_GET, 0);
	if (!addr_any(&f.peer))
		put_addr(nlh, MRC_A_PATH_REMOTE, &f.peer);
	if (f.plane)
		mnl_attr_put_u32(nlh, MRC_A_PATH_PLANE, f.plane);
	out_list_begin();
	ret = nl_dump_msg(nlh, path_cb, &f);
	out_list_end();
	return nl_report(ret);
}

static int peer_help(struct args *args)
{
	return usage(peer_help_text);
}

static int path_help(struct args *args)
{
	return usage(path_help_text);
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

int path_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	path_show },
		{ "list",	path_show },
		{ "help",	path_help },
		{ }
	};

	return run_verb("path", verbs, args);
}
