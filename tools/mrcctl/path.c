// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl path: each source route to a peer, and what a controller does to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl path [ show [ PEER ] [ plane NUMBER ] [ state STATE ] ]\n"
	"       mrcctl path denied [ PEER ]\n"
	"       mrcctl path deny PEER plane NUMBER WHICH [ force ]\n"
	"       mrcctl path allow PEER plane NUMBER WHICH\n"
	"       mrcctl path set PEER plane NUMBER [ path NUMBER ] state { good | skip | bad }\n"
	"                       [ force ]\n"
	"WHICH := { path NUMBER | outer ADDRESS [ then ADDRESS ] }\n"
	"STATE := { good | bad | denied | skip }\n";

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
	{ MRC_A_PATH_OUTER_NEXT, OUT_ADDR, "outer_next", "then" },
	{ MRC_A_PATH_RTT, OUT_TIME, "rtt_ns", "rtt", OUT_NONZERO },
	{ MRC_A_PATH_BASE_RTT, OUT_TIME, "base_rtt_ns", "base",
	  OUT_NONZERO | OUT_DETAIL },
	{ MRC_A_PATH_EVS_GOOD, OUT_NUM, "evs_good", "evs good",
	  OUT_NEWLINE | OUT_DETAIL },
	{ MRC_A_PATH_EVS_SKIP, OUT_NUM, "evs_skip", "skip", OUT_DETAIL },
	{ MRC_A_PATH_EVS_BAD, OUT_NUM, "evs_bad", "bad", OUT_DETAIL },
	{ MRC_A_PATH_EVS_DENIED, OUT_NUM, "evs_denied", "denied", OUT_DETAIL },
	{ MRC_A_PATH_EVS_BACKUP, OUT_NUM, "evs_backup", "backup", OUT_DETAIL },
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

static const struct out_field denied_fields[] = {
	{ MRC_A_PATH_REMOTE, OUT_ADDR, "peer", "peer" },
	{ MRC_A_PATH_PLANE, OUT_NUM, "plane", "plane" },
	{ MRC_A_PATH_INDEX, OUT_NUM, "path", "path" },
	{ MRC_A_PATH_OUTER, OUT_ADDR, "outer", "outer" },
	{ MRC_A_PATH_OUTER_NEXT, OUT_ADDR, "outer_next", "then" },
	{ }
};

/* Which records are to be shown; the kernel filters by peer and plane. */
struct filter {
	struct in6_addr peer;
	uint32_t plane;
	bool has_state;
	uint32_t state;
};

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

/* ---- deny and allow ------------------------------------------------------ */

static int denied_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_PATH_MAX + 1];

	attr_parse(nlh, tb, MRC_A_PATH_MAX);
	out_rec_begin();
	out_fields(denied_fields, tb);
	out_rec_end();
	return MNL_CB_OK;
}

static int path_denied(struct args *args)
{
	struct nlmsghdr *nlh = nl_genl(MRC_CMD_DENIAL_GET, 0);
	struct in6_addr peer;
	int ret;

	if (args->argc) {
		if (parse_addr(next_arg(args), &peer))
			return EX_USAGE_ERR;
		put_addr(nlh, MRC_A_PATH_REMOTE, &peer);
	}
	if (no_more_args(args))
		return EX_USAGE_ERR;
	out_list_begin();
	ret = nl_dump_msg(nlh, denied_cb, NULL);
	out_list_end();
	return nl_report(ret);
}

static void denial_item(const struct nlmsghdr *nlh, void *item)
{
	struct nlattr *tb[MRC_A_PATH_MAX + 1];
	struct denial *d = item;

	attr_parse(nlh, tb, MRC_A_PATH_MAX);
	d->force = true;	/* it was done once */
	attr_addr(tb, MRC_A_PATH_REMOTE, &d->peer);
	attr_addr(tb, MRC_A_PATH_OUTER, &d->outer);
	attr_addr(tb, MRC_A_PATH_OUTER_NEXT, &d->next);
	d->plane = attr_u32(tb, MRC_A_PATH_PLANE);
	d->has_index = tb[MRC_A_PATH_INDEX];
	d->index = attr_u32(tb, MRC_A_PATH_INDEX);
}

/**
 * denial_list() - read all denied paths
 * @denials: the result, for free()
 * @n: how many
 *
 * Return: 0 or a negative errno
 */
int denial_list(struct denial **denials, size_t *n)
{
	struct nl_list l = {
		.parse = denial_item, .size = sizeof(**denials),
	};
	int ret = nl_list(MRC_CMD_DENIAL_GET, &l);

	*denials = l.items;
	*n = l.n;
	return ret;
}

/**
 * denial_equal() - do two denials name the same path?
 * @a: one
 * @b: the other; what only one of them says is not compared
 *
 * Return: true if so
 */
bool denial_equal(const struct denial *a, const struct denial *b)
{
	if (!addr_eq(&a->peer, &b->peer) || a->plane != b->plane)
		return false;
	if (!addr_any(&a->outer) && !addr_any(&b->outer))
		return addr_eq(&a->outer, &b->outer) &&
		       addr_eq(&a->next, &b->next);
	return a->has_index && b->has_index && a->index == b->index;
}

/**
 * denial_request() - deny or allow a path
 * @cmd: MRC_CMD_PATH_DENY or MRC_CMD_PATH_ALLOW
 * @d: the path
 *
 * Return: 0 or a negative errno
 */
int denial_request(uint8_t cmd, const struct denial *d)
{
	struct nlmsghdr *nlh = nl_genl(cmd, 0);

	put_addr(nlh, MRC_A_PATH_REMOTE, &d->peer);
	mnl_attr_put_u32(nlh, MRC_A_PATH_PLANE, d->plane);
	if (addr_any(&d->outer))
		mnl_attr_put_u32(nlh, MRC_A_PATH_INDEX, d->index);
	else
		put_addr(nlh, MRC_A_PATH_OUTER, &d->outer);
	if (!addr_any(&d->next))
		put_addr(nlh, MRC_A_PATH_OUTER_NEXT, &d->next);
	if (d->force && cmd == MRC_CMD_PATH_DENY)
		mnl_attr_put_u32(nlh, MRC_A_PATH_FORCE, 1);
	return nl_talk(nlh, NULL, NULL);
}

/* What a command says of a path, and the state it is to have */
struct path_words {
	struct denial d;
	bool has_state;
	uint32_t state;
};

static int parse_word(struct args *args, struct path_words *w)
{
	const char *word;

	if (take_word(args, "plane"))
		return need_arg(args, "plane number", &word) ? :
		       parse_u32(word, 1, MRC_PLANE_MAX, &w->d.plane);
	if (take_word(args, "path")) {
		w->d.has_index = true;
		return need_arg(args, "path number", &word) ? :
		       parse_u32(word, 0, UINT16_MAX, &w->d.index);
	}
	if (take_word(args, "outer"))
		return need_arg(args, "outer address", &word) ? :
		       parse_addr(word, &w->d.outer);
	if (take_word(args, "then"))
		return need_arg(args, "rest of the outer address", &word) ? :
		       parse_addr(word, &w->d.next);
	if (take_word(args, "state")) {
		w->has_state = true;
		return need_arg(args, "state", &word) ? :
		       parse_enum(word, path_states, PATH_STATES, &w->state);
	}
	if (take_word(args, "force")) {
		w->d.force = true;
		return EX_DONE;
	}
	return no_more_args(args);
}

static int parse_words(struct args *args, struct path_words *w)
{
	const char *peer;

	memset(w, 0, sizeof(*w));
	if (need_arg(args, "peer", &peer) || parse_addr(peer, &w->d.peer))
		return EX_USAGE_ERR;
	while (args->argc)
		if (parse_word(args, w))
			return EX_USAGE_ERR;
	return w->d.plane ? EX_DONE : err_usage("plane is missing");
}

static int deny_or_allow(struct args *args, uint8_t cmd)
{
	struct path_words w;
	int ret;

	if (parse_words(args, &w))
		return EX_USAGE_ERR;
	if (w.has_state)
		return err_usage("a state is for \"path set\"");
	if (w.d.force && cmd == MRC_CMD_PATH_ALLOW)
		return err_usage("force is for \"path deny\" and \"path set\"");
	if (w.d.has_index == !addr_any(&w.d.outer))
		return err_usage("path or outer is missing, or both are given");
	if (!addr_any(&w.d.next) && addr_any(&w.d.outer))
		return err_usage("outer is missing before then");
	ret = denial_request(cmd, &w.d);
	if (!ret && *nl_warning())
		err_warn("%s", nl_warning());
	return nl_report(ret);
}

static int path_deny(struct args *args)
{
	return deny_or_allow(args, MRC_CMD_PATH_DENY);
}

static int path_allow(struct args *args)
{
	return deny_or_allow(args, MRC_CMD_PATH_ALLOW);
}

static int path_set(struct args *args)
{
	struct nlmsghdr *nlh;
	struct path_words w;

	if (parse_words(args, &w))
		return EX_USAGE_ERR;
	if (!w.has_state)
		return err_usage("state is missing");
	if (w.state == MRC_PATH_STATE_DENIED)
		return err_usage("a path is denied by \"path deny\"");
	if (!addr_any(&w.d.outer))
		return err_usage("a path is set by its number");
	nlh = nl_genl(MRC_CMD_PATH_SET, 0);
	put_addr(nlh, MRC_A_PATH_REMOTE, &w.d.peer);
	mnl_attr_put_u32(nlh, MRC_A_PATH_PLANE, w.d.plane);
	if (w.d.has_index)
		mnl_attr_put_u32(nlh, MRC_A_PATH_INDEX, w.d.index);
	mnl_attr_put_u32(nlh, MRC_A_PATH_STATE, w.state);
	if (w.d.force)
		mnl_attr_put_u32(nlh, MRC_A_PATH_FORCE, 1);
	return nl_report(nl_talk(nlh, NULL, NULL));
}

static int path_help(struct args *args)
{
	return usage(help);
}

int path_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	path_show },
		{ "list",	path_show },
		{ "denied",	path_denied },
		{ "deny",	path_deny },
		{ "allow",	path_allow },
		{ "set",	path_set },
		{ "help",	path_help },
		{ }
	};

	return run_verb("path", verbs, args);
}
