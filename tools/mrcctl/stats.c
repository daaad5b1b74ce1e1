// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl stats: all counters of the namespace. Their names come from the
 * kernel, so that a new one needs no new tool.
 */
#include <fnmatch.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl stats [ show [ PATTERN... ] ]\n"
	"Counters that are 0 are only shown with -s, when named, and in JSON.\n";

static bool matches(const struct args *patterns, const char *name)
{
	int i;

	for (i = 0; i < patterns->argc; i++)
		if (!fnmatch(patterns->argv[i], name, 0))
			return true;
	return !patterns->argc;
}

static int show_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_COUNTER_MAX + 1];
	const struct args *patterns = data;
	char name[64];
	uint64_t val;

	attr_parse(nlh, tb, MRC_A_COUNTER_MAX);
	attr_name(tb, MRC_A_COUNTER_NAME, name, sizeof(name));
	val = attr_uint(tb[MRC_A_COUNTER_VALUE]);
	if (!matches(patterns, name))
		return MNL_CB_OK;
	if (!val && !opt.json && !opt.stats && !patterns->argc)
		return MNL_CB_OK;
	/* in text a line each, in JSON one object */
	if (!opt.json)
		out_rec_begin();
	out_num(name, name, val);
	if (!opt.json)
		out_rec_end();
	return MNL_CB_OK;
}

static int stats_show(struct args *args)
{
	int ret;

	if (opt.json)
		out_rec_begin();
	ret = nl_dump(MRC_CMD_STATS_GET, show_cb, args);
	if (opt.json)
		out_rec_end();
	return nl_report(ret);
}

static int stats_help(struct args *args)
{
	return usage(help);
}

int stats_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	stats_show },
		{ "list",	stats_show },
		{ "help",	stats_help },
		{ }
	};

	return run_verb("stats", verbs, args);
}
