// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl node: the addresses at which this namespace can be reached.
 */
#include <stdlib.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl node [ show ]\n"
	"       mrcctl node { add | del } ADDRESS\n";

static const struct out_field node_fields[] = {
	{ MRC_A_NODE_ADDR, OUT_ADDR, "node", "node" },
	{ }
};

static int show_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_NODE_MAX + 1];

	attr_parse(nlh, tb, MRC_A_NODE_MAX);
	out_rec_begin();
	out_fields(node_fields, tb);
	out_rec_end();
	return MNL_CB_OK;
}

static int node_show(struct args *args)
{
	int ret;

	if (no_more_args(args))
		return EX_USAGE_ERR;
	out_list_begin();
	ret = nl_dump(MRC_CMD_NODE_GET, show_cb, NULL);
	out_list_end();
	return nl_report(ret);
}

static void node_item(const struct nlmsghdr *nlh, void *item)
{
	struct nlattr *tb[MRC_A_NODE_MAX + 1];

	attr_parse(nlh, tb, MRC_A_NODE_MAX);
	attr_addr(tb, MRC_A_NODE_ADDR, item);
}

/**
 * node_list() - read all node addresses
 * @nodes: the result, for free()
 * @n: how many
 *
 * Return: 0 or a negative errno
 */
int node_list(struct in6_addr **nodes, size_t *n)
{
	struct nl_list l = {
		.parse = node_item, .size = sizeof(**nodes),
	};
	int ret = nl_list(MRC_CMD_NODE_GET, &l);

	*nodes = l.items;
	*n = l.n;
	return ret;
}

/* Return: 0 or a negative errno */
int node_request(uint8_t cmd, const struct in6_addr *addr)
{
	struct nlmsghdr *nlh = nl_genl(cmd, 0);

	put_addr(nlh, MRC_A_NODE_ADDR, addr);
	return nl_talk(nlh, NULL, NULL);
}

static int node_change(struct args *args, uint8_t cmd)
{
	struct in6_addr addr;
	const char *word;

	if (need_arg(args, "address", &word) || parse_addr(word, &addr) ||
	    no_more_args(args))
		return EX_USAGE_ERR;
	return nl_report(node_request(cmd, &addr));
}

static int node_add(struct args *args)
{
	return node_change(args, MRC_CMD_NODE_ADD);
}

static int node_del(struct args *args)
{
	return node_change(args, MRC_CMD_NODE_DEL);
}

static int node_help(struct args *args)
{
	return usage(help);
}

int node_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	node_show },
		{ "list",	node_show },
		{ "add",	node_add },
		{ "del",	node_del },
		{ "delete",	node_del },
		{ "help",	node_help },
		{ }
	};

	return run_verb("node", verbs, args);
}
