// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl cc: named congestion controls, for sockets. What "cc show" prints with
 * -d can be given to "cc add".
 */
#include <stdio.h>
#include <string.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl cc [ show [ NAME ] ]\n"
	"       mrcctl cc { add | set } NAME algorithm { nscc | fixed | none }\n"
	"                 [ PARAMETER VALUE ... ] [ default ]\n"
	"       mrcctl cc set NAME default\n"
	"       mrcctl cc del NAME\n"
	"PARAMETER := { target PERCENT | target-min NS | increase PERCENT |\n"
	"               decrease PERCENT | init PACKETS | window BYTES }\n";

#define CC_WINDOW_MAX	(128 * 1024 * 1024)

const struct cc_param cc_params[] = {
	{ "target", "target", MRC_A_CC_TARGET, 1, 1000 },
	{ "target-min", "target_min_ns", MRC_A_CC_TARGET_MIN, 1, 100000000 },
	{ "increase", "increase", MRC_A_CC_INCREASE, 1, 1000 },
	{ "decrease", "decrease", MRC_A_CC_DECREASE, 1, 100 },
	{ "init", "init", MRC_A_CC_INIT, 1, 1024 },
	{ "window", "window", MRC_A_CC_WINDOW, 0, CC_WINDOW_MAX },
	{ }
};

static const struct out_field cc_fields[] = {
	{ MRC_A_CC_ALGORITHM, OUT_STR, "algorithm", "algorithm" },
	{ MRC_A_CC_TARGET, OUT_NUM, "target", "target", OUT_DETAIL },
	{ MRC_A_CC_TARGET_MIN, OUT_NUM, "target_min_ns", "target-min",
	  OUT_DETAIL },
	{ MRC_A_CC_INCREASE, OUT_NUM, "increase", "increase", OUT_DETAIL },
	{ MRC_A_CC_DECREASE, OUT_NUM, "decrease", "decrease", OUT_DETAIL },
	{ MRC_A_CC_INIT, OUT_NUM, "init", "init", OUT_DETAIL },
	{ MRC_A_CC_WINDOW, OUT_NUM, "window", "window", OUT_DETAIL },
	{ MRC_A_CC_DEFAULT, OUT_BOOL, "default", NULL, OUT_JSON_ONLY },
	{ MRC_A_CC_BUILTIN, OUT_BOOL, "builtin", NULL, OUT_JSON_ONLY },
	{ MRC_A_CC_ID, OUT_NUM, "id", NULL, OUT_JSON_ONLY },
	{ }
};

/* After the words of "cc add" */
static const struct out_field cc_users[] = {
	{ MRC_A_CC_USERS, OUT_NUM, "users", "users", OUT_DETAIL },
	{ }
};

static int show_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_CC_MAX + 1];
	const char *only = data;
	char name[CC_NAME];

	attr_parse(nlh, tb, MRC_A_CC_MAX);
	attr_name(tb, MRC_A_CC_NAME, name, sizeof(name));
	if (only && strcmp(only, name))
		return MNL_CB_OK;
	out_rec_begin();
	out_str("name", NULL, name);
	out_fields(cc_fields, tb);
	if (attr_u32(tb, MRC_A_CC_DEFAULT))
		out_str(NULL, NULL, "default");
	out_fields(cc_users, tb);
	out_rec_end();
	return MNL_CB_OK;
}

static int cc_show(struct args *args)
{
	const char *name = args->argc ? next_arg(args) : NULL;
	int ret;

	if (no_more_args(args))
		return EX_USAGE_ERR;
	out_list_begin();
	ret = nl_dump(MRC_CMD_CC_GET, show_cb, (void *)name);
	out_list_end();
	return nl_report(ret);
}

static void cc_item(const struct nlmsghdr *nlh, void *item)
{
	struct nlattr *tb[MRC_A_CC_MAX + 1];
	const struct cc_param *p;
	struct cc *cc = item;

	attr_parse(nlh, tb, MRC_A_CC_MAX);
	memset(cc, 0, sizeof(*cc));
	attr_name(tb, MRC_A_CC_NAME, cc->name, sizeof(cc->name));
	attr_name(tb, MRC_A_CC_ALGORITHM, cc->algorithm,
		  sizeof(cc->algorithm));
	for (p = cc_params; p->name; p++) {
		cc->set[p->attr] = true;
		cc->val[p->attr] = attr_u32(tb, p->attr);
	}
	cc->is_default = attr_u32(tb, MRC_A_CC_DEFAULT);
	cc->builtin = attr_u32(tb, MRC_A_CC_BUILTIN);
}

/**
 * cc_list() - read all congestion controls
 * @ccs: the result, for free()
 * @n: how many
 *
 * Return: 0 or a negative errno
 */
int cc_list(struct cc **ccs, size_t *n)
{
	struct nl_list l = { .parse = cc_item, .size = sizeof(**ccs) };
	int ret = nl_list(MRC_CMD_CC_GET, &l);

	*ccs = l.items;
	*n = l.n;
	return ret;
}

/**
 * cc_equal() - is one congestion control what another one says?
 * @now: one that has all its parameters
 * @want: the other; those that it does not name are the kernel's
 * @std: parameters that the kernel gives to who names none
 *
 * Return: true if so
 */
bool cc_equal(const struct cc *now, const struct cc *want,
	      const struct cc *std)
{
	const struct cc_param *p;

	if (strcmp(now->algorithm, want->algorithm))
		return false;
	for (p = cc_params; p->name; p++)
		if (now->val[p->attr] !=
		    (want->set[p->attr] ? want : std)->val[p->attr])
			return false;
	return true;
}

/**
 * cc_request() - add, set or delete a congestion control
 * @cmd: MRC_CMD_CC_ADD, _SET or _DEL
 * @cc: it; only its name counts for the latter
 *
 * Return: 0 or a negative errno
 */
int cc_request(uint8_t cmd, const struct cc *cc)
{
	struct nlmsghdr *nlh = nl_genl(cmd, 0);
	const struct cc_param *p;

	mnl_attr_put_strz(nlh, MRC_A_CC_NAME, cc->name);
	if (cmd == MRC_CMD_CC_DEL)
		return nl_talk(nlh, NULL, NULL);
	mnl_attr_put_strz(nlh, MRC_A_CC_ALGORITHM, cc->algorithm);
	for (p = cc_params; p->name; p++)
		if (cc->set[p->attr])
			mnl_attr_put_u32(nlh, p->attr, cc->val[p->attr]);
	return nl_talk(nlh, NULL, NULL);
}

/**
 * cc_make_default() - make a congestion control the default
 * @name: of which one
 *
 * Return: 0 or a negative errno
 */
int cc_make_default(const char *name)
{
	struct nlmsghdr *nlh = nl_genl(MRC_CMD_CC_SET, 0);

	mnl_attr_put_strz(nlh, MRC_A_CC_NAME, name);
	mnl_attr_put_u32(nlh, MRC_A_CC_DEFAULT, 1);
	return nl_talk(nlh, NULL, NULL);
}

/* A name of up to MRC_CC_NAME_LEN characters, added to the message */
static int put_name(struct args *args, const char *what, struct nlmsghdr *nlh,
		    uint16_t attr)
{
	const char *word;

	if (need_arg(args, what, &word))
		return EX_USAGE_ERR;
	if (!*word || strlen(word) > MRC_CC_NAME_LEN)
		return err_usage("a %s has 1 to %u characters", what,
				 MRC_CC_NAME_LEN);
	mnl_attr_put_strz(nlh, attr, word);
	return EX_DONE;
}

static int put_param(struct args *args, const struct cc_param *p,
		     struct nlmsghdr *nlh)
{
	const char *word;
	uint32_t val;

	if (need_arg(args, p->name, &word) ||
	    parse_u32(word, p->min, p->max, &val))
		return EX_USAGE_ERR;
	mnl_attr_put_u32(nlh, p->attr, val);
	return EX_DONE;
}

static int put_word(struct args *args, struct nlmsghdr *nlh)
{
	const struct cc_param *p;

	if (take_word(args, "algorithm"))
		return put_name(args, "algorithm", nlh, MRC_A_CC_ALGORITHM);
	if (take_word(args, "default")) {
		mnl_attr_put_u32(nlh, MRC_A_CC_DEFAULT, 1);
		return EX_DONE;
	}
	for (p = cc_params; p->name; p++)
		if (take_word(args, p->name))
			return put_param(args, p, nlh);
	return no_more_args(args);
}

static int cc_change(struct args *args, uint8_t cmd)
{
	struct nlmsghdr *nlh = nl_genl(cmd, 0);

	if (put_name(args, "name", nlh, MRC_A_CC_NAME))
		return EX_USAGE_ERR;
	if (!args->argc)
		return err_usage("algorithm is missing");
	while (args->argc)
		if (put_word(args, nlh))
			return EX_USAGE_ERR;
	return nl_report(nl_talk(nlh, NULL, NULL));
}

static int cc_add(struct args *args)
{
	return cc_change(args, MRC_CMD_CC_ADD);
}

static int cc_set(struct args *args)
{
	return cc_change(args, MRC_CMD_CC_SET);
}

static int cc_del(struct args *args)
{
	struct nlmsghdr *nlh = nl_genl(MRC_CMD_CC_DEL, 0);

	if (put_name(args, "name", nlh, MRC_A_CC_NAME) || no_more_args(args))
		return EX_USAGE_ERR;
	return nl_report(nl_talk(nlh, NULL, NULL));
}

static int cc_help(struct args *args)
{
	return usage(help);
}

int cc_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	cc_show },
		{ "list",	cc_show },
		{ "add",	cc_add },
		{ "set",	cc_set },
		{ "change",	cc_set },
		{ "del",	cc_del },
		{ "delete",	cc_del },
		{ "help",	cc_help },
		{ }
	};

	return run_verb("cc", verbs, args);
}
