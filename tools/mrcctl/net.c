// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl net: settings of the namespace.
 */
#include <string.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl net [ show ]\n"
	"       mrcctl net set SETTING VALUE [ SETTING VALUE ... ]\n"
	"SETTING := { icrc { on | off } | trim { on | off } | udp-port PORT | evs NUMBER |\n"
	"             ev-min-active NUMBER | orphans-max NUMBER | orphan-time MS |\n"
	"             requests-max NUMBER | dscp-data DSCP | dscp-rtx DSCP | dscp-ctl DSCP |\n"
	"             dscp-trimmed DSCP | dscp-trimmed-lasthop DSCP | trim-early { on | off } }\n";

const struct net_setting net_settings[] = {
	{ "udp-port", "udp_port", MRC_A_NET_UDP_PORT, false, 1, 65535 },
	{ "icrc", "icrc", MRC_A_NET_ICRC, true, 0, 1 },
	{ "trim", "trim", MRC_A_NET_TRIM, true, 0, 1 },
	{ "evs", "evs", MRC_A_NET_EVS, false, 1, 1024 },
	{ "ev-min-active", "ev_min_active", MRC_A_NET_EV_MIN_ACTIVE, false,
	  0, 1024 },
	{ "orphans-max", "orphans_max", MRC_A_NET_ORPHANS_MAX, false,
	  0, UINT32_MAX },
	{ "orphan-time", "orphan_time", MRC_A_NET_ORPHAN_TIME, false,
	  0, UINT32_MAX },
	{ "requests-max", "requests_max", MRC_A_NET_REQUESTS_MAX, false,
	  0, UINT32_MAX },
	{ "dscp-data", "dscp_data", MRC_A_NET_DSCP_DATA, false, 0, 63 },
	{ "dscp-rtx", "dscp_rtx", MRC_A_NET_DSCP_RTX, false, 0, 63 },
	{ "dscp-ctl", "dscp_ctl", MRC_A_NET_DSCP_CTL, false, 0, 63 },
	{ "dscp-trimmed", "dscp_trimmed", MRC_A_NET_DSCP_TRIMMED, false,
	  0, 63 },
	{ "dscp-trimmed-lasthop", "dscp_trimmed_lasthop",
	  MRC_A_NET_DSCP_TRIMMED_LASTHOP, false, 0, 63 },
	{ "trim-early", "trim_early", MRC_A_NET_TRIM_EARLY, true, 0, 1 },
	{ }
};

static int read_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_NET_MAX + 1];
	struct netcfg *n = data;
	uint16_t i;

	attr_parse(nlh, tb, MRC_A_NET_MAX);
	for (i = 1; i <= MRC_A_NET_MAX; i++) {
		n->set[i] = tb[i];
		n->val[i] = attr_u32(tb, i);
	}
	return MNL_CB_OK;
}

/* Return: 0 or a negative errno */
int net_read(struct netcfg *n)
{
	memset(n, 0, sizeof(*n));
	return nl_talk(nl_genl(MRC_CMD_NET_GET, 0), read_cb, n);
}

/* Sets the settings that are set in @n. Return: 0 or a negative errno */
int net_request(const struct netcfg *n)
{
	struct nlmsghdr *nlh = nl_genl(MRC_CMD_NET_SET, 0);
	uint16_t i;

	for (i = 1; i <= MRC_A_NET_MAX; i++)
		if (n->set[i])
			mnl_attr_put_u32(nlh, i, n->val[i]);
	return nl_talk(nlh, NULL, NULL);
}

static int net_show(struct args *args)
{
	const struct net_setting *s;
	struct netcfg n;
	int ret;

	if (no_more_args(args))
		return EX_USAGE_ERR;
	ret = net_read(&n);
	if (ret)
		return nl_report(ret);
	out_rec_begin();
	for (s = net_settings; s->name; s++) {
		if (!n.set[s->attr])
			continue;
		if (s->onoff)
			out_bool(s->key, s->name, n.val[s->attr]);
		else
			out_num(s->key, s->name, n.val[s->attr]);
	}
	out_rec_end();
	return EX_DONE;
}

static int parse_setting(struct args *args, struct netcfg *n)
{
	static const char *const onoff[] = { "off", "on" };
	const char *word = next_arg(args);
	const struct net_setting *s;

	for (s = net_settings; s->name; s++)
		if (!strcmp(s->name, word))
			break;
	if (!s->name)
		return err_usage("\"%s\" is no setting", word);
	if (need_arg(args, s->name, &word))
		return EX_USAGE_ERR;
	n->set[s->attr] = true;
	err_context("%s", s->name);
	if (s->onoff)
		return parse_enum(word, onoff, 2, &n->val[s->attr]);
	return parse_u32(word, s->min, s->max, &n->val[s->attr]);
}

static int net_set(struct args *args)
{
	struct netcfg n = { };

	if (!args->argc)
		return err_usage("nothing to set");
	while (args->argc) {
		int ret = parse_setting(args, &n);

		err_context("%s", "");
		if (ret)
			return ret;
	}
	return nl_report(net_request(&n));
}

static int net_help(struct args *args)
{
	return usage(help);
}

int net_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	net_show },
		{ "list",	net_show },
		{ "set",	net_set },
		{ "change",	net_set },
		{ "help",	net_help },
		{ }
	};

	return run_verb("net", verbs, args);
}
