// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl route: source routes. What "route show" prints can be given to
 * "route add".
 */
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl route [ show [ PREFIX ] [ plane NUMBER ] ]\n"
	"       mrcctl route add PREFIX plane LIST plain [ ecmp ] [ via ADDRESS ]\n"
	"                        [ src ADDRESS ] [ profile NAME ]\n"
	"       mrcctl route add PREFIX plane LIST usid BLOCK [ srh ] path SEGMENT[,...]\n"
	"                        [ via ADDRESS ] [ src ADDRESS ] [ profile NAME ]\n"
	"       mrcctl route del PREFIX plane LIST\n"
	"SEGMENT := { HEX | HEX-HEX | dst[OFFSET:BITS][+HEX] }\n"
	"LIST := NUMBER[-NUMBER][,LIST]      each {p} becomes the plane's number\n";

/* What "route show" is to show */
struct route_filter {
	bool has_dst;
	struct prefix dst;
	uint32_t plane;
};

/* Number of different paths to one destination */
static const struct out_field route_fields[] = {
	{ MRC_A_ROUTE_PATHS, OUT_NUM, "paths", "paths", OUT_DETAIL },
	{ }
};

bool route_equal(const struct route *a, const struct route *b)
{
	return !route_cmp_key(a, b) && a->mode == b->mode &&
	       a->ecmp == b->ecmp && addr_eq(&a->via, &b->via) &&
	       addr_eq(&a->src, &b->src) &&
	       !strcmp(a->profile, b->profile) &&
	       a->block.len == b->block.len &&
	       addr_eq(&a->block.addr, &b->block.addr) &&
	       a->nsegs == b->nsegs &&
	       !memcmp(a->segs, b->segs, a->nsegs * sizeof(a->segs[0]));
}

static void parse_seg(const struct nlattr *nest, struct segment *seg)
{
	const struct nlattr *a;

	mnl_attr_for_each_nested(a, nest) {
		switch (mnl_attr_get_type(a)) {
		case MRC_A_SEGMENT_TYPE:
			seg->type = attr_uint(a);
			break;
		case MRC_A_SEGMENT_VALUE:
			seg->value = attr_uint(a);
			break;
		case MRC_A_SEGMENT_LAST:
			seg->last = attr_uint(a);
			break;
		case MRC_A_SEGMENT_OFFSET:
			seg->offset = attr_uint(a);
			break;
		case MRC_A_SEGMENT_BITS:
			seg->bits = attr_uint(a);
			break;
		}
	}
}

void route_parse(const struct nlmsghdr *nlh, struct route *r)
{
	struct nlattr *tb[MRC_A_ROUTE_MAX + 1];
	struct nlattr *a;

	attr_parse(nlh, tb, MRC_A_ROUTE_MAX);
	memset(r, 0, sizeof(*r));
	attr_addr(tb, MRC_A_ROUTE_DST, &r->dst.addr);
	r->dst.len = attr_u32(tb, MRC_A_ROUTE_DST_LEN);
	r->plane = attr_u32(tb, MRC_A_ROUTE_PLANE);
	r->mode = attr_u32(tb, MRC_A_ROUTE_MODE);
	attr_addr(tb, MRC_A_ROUTE_VIA, &r->via);
	attr_addr(tb, MRC_A_ROUTE_SRC, &r->src);
	r->ecmp = attr_u32(tb, MRC_A_ROUTE_ECMP);
	attr_name(tb, MRC_A_ROUTE_PROFILE, r->profile, sizeof(r->profile));
	attr_addr(tb, MRC_A_ROUTE_BLOCK, &r->block.addr);
	r->block.len = attr_u32(tb, MRC_A_ROUTE_BLOCK_LEN);

	/* They may stand anywhere, so look at all of the message again. */
	mnl_attr_for_each(a, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(a) == MRC_A_ROUTE_SEGMENT &&
		    r->nsegs < MRC_SEGMENTS_MAX)
			parse_seg(a, &r->segs[r->nsegs++]);
	}
}

static bool filtered(const struct route_filter *f, const struct route *r)
{
	if (f->plane && f->plane != r->plane)
		return true;
	return f->has_dst && (f->dst.len != r->dst.len ||
			      !addr_eq(&f->dst.addr, &r->dst.addr));
}

static int show_cb(const struct nlmsghdr *nlh, void *data)
{
	char addr[PREFIX_LEN], path[PATH_LEN];
	struct nlattr *tb[MRC_A_ROUTE_MAX + 1];
	struct route r;

	route_parse(nlh, &r);
	if (filtered(data, &r))
		return MNL_CB_OK;
	out_rec_begin();
	out_str("dst", NULL, prefix_str(&r.dst, addr));
	out_num("plane", "plane", r.plane);
	out_str("mode", "", name_of(route_modes, ROUTE_MODES, r.mode));
	out_str(NULL, NULL, r.mode == MRC_ROUTE_MODE_PLAIN ? "plain" : "usid");
	if (r.block.len) {
		out_str("block", NULL, prefix_str(&r.block, addr));
		if (r.mode == MRC_ROUTE_MODE_SRH)
			out_str(NULL, NULL, "srh");
		out_str("path", "path", path_str(r.segs, r.nsegs, path));
	}
	if (r.ecmp) {
		out_bool("ecmp", "", true);
		out_str(NULL, NULL, "ecmp");
	}
	if (!addr_any(&r.via))
		out_str("via", "via", addr_str(&r.via, addr));
	if (!addr_any(&r.src))
		out_str("src", "src", addr_str(&r.src, addr));
	if (*r.profile)
		out_str("profile", "profile", r.profile);
	attr_parse(nlh, tb, MRC_A_ROUTE_MAX);
	out_fields(route_fields, tb);
	out_rec_end();
	return MNL_CB_OK;
}

static int route_show(struct args *args)
{
	struct route_filter f = { };
	const char *word;
	int ret;

	if (args->argc && strcmp(args->argv[0], "plane")) {
		f.has_dst = true;
		if (parse_prefix(next_arg(args), &f.dst))
			return EX_USAGE_ERR;
	}
	if (take_word(args, "plane") &&
	    (need_arg(args, "plane number", &word) ||
	     parse_u32(word, 1, MRC_PLANE_MAX, &f.plane)))
		return EX_USAGE_ERR;
	if (no_more_args(args))
		return EX_USAGE_ERR;
	out_list_begin();
	ret = nl_dump(MRC_CMD_ROUTE_GET, show_cb, &f);
	out_list_end();
	return nl_report(ret);
}

static void route_item(const struct nlmsghdr *nlh, void *item)
{
	route_parse(nlh, item);
}

/**
 * route_list() - read all routes
 * @routes: the result, for free()
 * @n: how many
 *
 * Return: 0 or a negative errno
 */
int route_list(struct route **routes, size_t *n)
{
	struct nl_list l = {
		.parse = route_item, .size = sizeof(**routes),
	};
	int ret = nl_list(MRC_CMD_ROUTE_GET, &l);

	*routes = l.items;
	*n = l.n;
	return ret;
}

static void put_segment(struct nlmsghdr *nlh, const struct segment *seg)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, MRC_A_ROUTE_SEGMENT);

	mnl_attr_put_u32(nlh, MRC_A_SEGMENT_TYPE, seg->type);
	mnl_attr_put_u32(nlh, MRC_A_SEGMENT_VALUE, seg->value);
	if (seg->type == MRC_SEGMENT_TYPE_RANGE)
		mnl_attr_put_u32(nlh, MRC_A_SEGMENT_LAST, seg->last);
	if (seg->type == MRC_SEGMENT_TYPE_DST) {
		mnl_attr_put_u32(nlh, MRC_A_SEGMENT_OFFSET, seg->offset);
		mnl_attr_put_u32(nlh, MRC_A_SEGMENT_BITS, seg->bits);
	}
	mnl_attr_nest_end(nlh, nest);
}

/**
 * route_request() - add or delete a route
 * @cmd: MRC_CMD_ROUTE_ADD or MRC_CMD_ROUTE_DEL
 * @r: the route; only its key counts for the latter
 *
 * Return: 0 or a negative errno
 */
int route_request(uint8_t cmd, const struct route *r)
{
	struct nlmsghdr *nlh = nl_genl(cmd, 0);
	unsigned int i;

	put_addr(nlh, MRC_A_ROUTE_DST, &r->dst.addr);
	mnl_attr_put_u32(nlh, MRC_A_ROUTE_DST_LEN, r->dst.len);
	mnl_attr_put_u32(nlh, MRC_A_ROUTE_PLANE, r->plane);
	if (cmd == MRC_CMD_ROUTE_DEL)
		return nl_talk(nlh, NULL, NULL);
	mnl_attr_put_u32(nlh, MRC_A_ROUTE_MODE, r->mode);
	if (!addr_any(&r->via))
		put_addr(nlh, MRC_A_ROUTE_VIA, &r->via);
	if (!addr_any(&r->src))
		put_addr(nlh, MRC_A_ROUTE_SRC, &r->src);
	if (r->ecmp)
		mnl_attr_put_u32(nlh, MRC_A_ROUTE_ECMP, 1);
	if (*r->profile)
		mnl_attr_put_strz(nlh, MRC_A_ROUTE_PROFILE, r->profile);
	if (r->block.len) {
		put_addr(nlh, MRC_A_ROUTE_BLOCK, &r->block.addr);
		mnl_attr_put_u32(nlh, MRC_A_ROUTE_BLOCK_LEN, r->block.len);
	}
	for (i = 0; i < r->nsegs; i++)
		put_segment(nlh, &r->segs[i]);
	return nl_talk(nlh, NULL, NULL);
}

static int parse_mode(struct args *args, struct route *r)
{
	const char *word;

	if (take_word(args, "plain")) {
		r->mode = MRC_ROUTE_MODE_PLAIN;
		return EX_DONE;
	}
	if (!take_word(args, "usid"))
		return err_usage("plain or usid is missing");
	r->mode = MRC_ROUTE_MODE_USID;
	if (need_arg(args, "uSID block", &word))
		return EX_USAGE_ERR;
	return parse_prefix(word, &r->block);
}

static int parse_details(struct args *args, struct route *r)
{
	const char *word;
	int ret = EX_DONE;

	while (args->argc && !ret) {
		if (r->mode == MRC_ROUTE_MODE_USID && take_word(args, "srh"))
			r->mode = MRC_ROUTE_MODE_SRH;
		else if (take_word(args, "path"))
			ret = need_arg(args, "path", &word) ? :
			      parse_path(word, r->segs, &r->nsegs);
		else if (take_word(args, "via"))
			ret = need_arg(args, "gateway", &word) ? :
			      parse_addr(word, &r->via);
		else if (take_word(args, "src"))
			ret = need_arg(args, "source address", &word) ? :
			      parse_addr(word, &r->src);
		else if (take_word(args, "ecmp"))
			r->ecmp = true;
		else if (take_word(args, "profile"))
			ret = need_arg(args, "name of a profile", &word) ? :
			      parse_route_profile(word, r->profile);
		else
			ret = no_more_args(args);
	}
	return ret;
}

/* PREFIX plane NUMBER */
static int parse_key(struct args *args, struct route *r)
{
	const char *word;

	memset(r, 0, sizeof(*r));
	if (need_arg(args, "prefix", &word) || parse_prefix(word, &r->dst))
		return EX_USAGE_ERR;
	if (!take_word(args, "plane"))
		return err_usage("plane is missing");
	return need_arg(args, "plane number", &word) ? :
	       parse_u32(word, 1, MRC_PLANE_MAX, &r->plane);
}

static int add_one(struct args *args)
{
	struct route r;

	if (parse_key(args, &r) || parse_mode(args, &r) ||
	    parse_details(args, &r) || check_route(&r))
		return EX_USAGE_ERR;
	return nl_report(route_request(MRC_CMD_ROUTE_ADD, &r));
}

static int del_one(struct args *args)
{
	struct route r;

	if (parse_key(args, &r) || no_more_args(args))
		return EX_USAGE_ERR;
	return nl_report(route_request(MRC_CMD_ROUTE_DEL, &r));
}

/* The plane is the word after "plane", which is the second. */
static int for_planes(struct args *args, int (*fn)(struct args *args))
{
	if (args->argc < 2 || strcmp(args->argv[1], "plane"))
		return fn(args);	/* which says what is missing */
	return each_plane(args, 2, fn);
}

static int route_add(struct args *args)
{
	return for_planes(args, add_one);
}

static int route_del(struct args *args)
{
	return for_planes(args, del_one);
}

static int route_help(struct args *args)
{
	return usage(help);
}

int route_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	route_show },
		{ "list",	route_show },
		{ "add",	route_add },
		{ "del",	route_del },
		{ "delete",	route_del },
		{ "help",	route_help },
		{ }
	};

	return run_verb("route", verbs, args);
}
