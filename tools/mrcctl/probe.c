// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl probe: like ping, over each path to a peer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl probe PEER [ plane LIST ] [ path NUMBER ] [ count NUMBER ]\n"
	"                    [ interval MS ] [ timeout MS ]\n"
	"Sends probes over all paths, or the named ones, whatever their state.\n";

/* Hosts answer those who have no connection 100 times in a second. */
#define GAP_US		12500
#define INTERVAL_US	200000

/**
 * struct probe - a command
 * @peer: whom to probe
 * @planes: which planes, mask
 * @has_index: only path @index
 * @index: its number
 * @pace: how
 * @asks: the paths
 * @n: how many
 * @size: room for so many
 */
struct probe {
	struct in6_addr peer;
	uint32_t planes;
	bool has_index;
	uint32_t index;
	struct pace pace;
	struct ask *asks;
	size_t n;
	size_t size;
};

static void add_ask(struct probe *p, uint32_t plane, uint32_t index)
{
	size_t i;

	/* of several addresses of ours each has a peer */
	for (i = 0; i < p->n; i++)
		if (p->asks[i].plane == plane && p->asks[i].index == index)
			return;
	if (p->n == p->size) {
		p->size = p->size ? 2 * p->size : 64;
		p->asks = xrealloc(p->asks, p->size, sizeof(*p->asks));
	}
	p->asks[p->n++] = (struct ask){
		.peer = p->peer, .plane = plane, .index = index,
	};
}

static int path_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_PATH_MAX + 1];
	struct probe *p = data;
	uint32_t plane;

	attr_parse(nlh, tb, MRC_A_PATH_MAX);
	plane = attr_u32(tb, MRC_A_PATH_PLANE);
	if (plane && p->planes & 1U << (plane - 1))
		add_ask(p, plane, attr_u32(tb, MRC_A_PATH_INDEX));
	return MNL_CB_OK;
}

/*
 * The first probe makes the kernel know the peer, and with it the paths in use;
 * it may be sent in vain. Return: 0 or a negative errno
 */
static int make_peer(const struct probe *p, uint32_t plane)
{
	struct ask one = { .peer = p->peer, .plane = plane };
	struct ask *asks[] = { &one };
	struct pace pace = p->pace;
	int ret;

	pace.timeout_ms = 1;
	ret = ask_round(asks, 1, &pace);
	if (ret)
		return ret;
	/* these are said of each path */
	if (one.ret == -ENETDOWN || one.ret == -ENOBUFS)
		return 0;
	if (one.ret)
		nl_set_words(one.words);
	return one.ret;
}

static uint32_t lowest_plane(const struct route *routes, size_t n,
			     const struct probe *p)
{
	uint32_t plane;

	for (plane = 1; plane <= MRC_PLANE_MAX; plane++)
		if (p->planes & 1U << (plane - 1) &&
		    route_match(routes, n, &p->peer, plane))
			return plane;
	return 0;
}

/* Return: 0 or a negative errno */
static int find_paths(struct probe *p)
{
	struct route *routes = NULL;
	struct nlmsghdr *nlh;
	uint32_t plane;
	size_t n;
	int ret;

	ret = route_list(&routes, &n);
	if (ret)
		goto out;
	for (plane = 1; p->has_index && plane <= MRC_PLANE_MAX; plane++)
		if (p->planes & 1U << (plane - 1) &&
		    route_match(routes, n, &p->peer, plane))
			add_ask(p, plane, p->index);
	if (p->has_index)
		goto out;
	plane = lowest_plane(routes, n, p);
	if (!plane)
		goto out;
	ret = make_peer(p, plane);
	if (ret)
		goto out;
	nlh = nl_genl(MRC_CMD_PATH_GET, 0);
	put_addr(nlh, MRC_A_PATH_REMOTE, &p->peer);
	ret = nl_dump_msg(nlh, path_cb, p);
out:
	free(routes);
	return ret;
}

static int parse(struct args *args, struct probe *p)
{
	const char *word;
	bool taken;
	int ret;

	if (need_arg(args, "peer", &word) || parse_addr(word, &p->peer))
		return EX_USAGE_ERR;
	while (args->argc) {
		ret = parse_pace(args, &p->pace, &taken);
		if (taken) {
			/* nothing more to do */
		} else if (take_word(args, "plane")) {
			ret = need_arg(args, "plane number", &word) ? :
			      parse_planes(word, &p->planes);
		} else if (take_word(args, "path")) {
			p->has_index = true;
			ret = need_arg(args, "path number", &word) ? :
			      parse_u32(word, 0, UINT16_MAX, &p->index);
		} else {
			ret = no_more_args(args);
		}
		if (ret)
			return EX_USAGE_ERR;
	}
	return EX_DONE;
}

static void show(const struct ask *a)
{
	out_rec_begin();
	out_num("plane", "plane", a->plane);
	out_num("path", "path", a->index);
	out_num("sent", "sent", a->sent);
	out_num("answered", "answered", a->answered);
	if (a->answered) {
		out_time("rtt_min_ns", "rtt min", a->min);
		out_time("rtt_ns", "avg", a->sum / a->answered);
		out_time("rtt_max_ns", "max", a->max);
	}
	if (a->ret)
		out_str("error", "error:", a->words);
	else if (!a->answered)
		out_str(NULL, NULL, "no answer");
	out_rec_end();
}

/* Return: 0 or a negative errno */
static int run(struct probe *p)
{
	struct ask **asks = xrealloc(NULL, p->n, sizeof(*asks));
	uint64_t next = now_us();
	uint32_t round;
	int ret = 0;
	size_t i;

	for (i = 0; i < p->n; i++)
		asks[i] = &p->asks[i];
	for (round = 0; round < p->pace.count && !ret; round++) {
		if (round)
			sleep_until(next);
		next = now_us() + p->pace.interval_us;
		ret = ask_round(asks, p->n, &p->pace);
	}
	free(asks);
	return ret;
}

static int probe(struct probe *p)
{
	size_t i, silent = 0;
	char buf[ADDR_LEN];
	int ret;

	ret = find_paths(p);
	if (ret)
		return nl_report(ret);
	if (!p->n)
		return err_fail("there is no route to %s over these planes",
				addr_str(&p->peer, buf));
	ret = run(p);
	if (ret)
		return nl_report(ret);
	out_list_begin();
	for (i = 0; i < p->n; i++) {
		silent += !p->asks[i].answered;
		show(&p->asks[i]);
	}
	out_list_end();
	if (silent)
		return err_fail("%zu of %zu paths did not answer", silent,
				p->n);
	return EX_DONE;
}

int probe_cmd(struct args *args)
{
	struct probe p = {
		.planes = UINT32_MAX,
		.pace = {
			.count = 3,
			.interval_us = INTERVAL_US,
			.gap_us = GAP_US,
			.timeout_ms = 1000,
		},
	};
	int ret;

	if (take_word(args, "help"))
		return usage(help);
	if (parse(args, &p))
		return EX_USAGE_ERR;
	ret = probe(&p);
	free(p.asks);
	return ret;
}
