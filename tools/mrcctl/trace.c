// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl trace: where does a source route break?
 *
 * Each switch of the way is tried by a probe that goes there and comes back
 * to us the same way, so that nobody else need help: over 101,2,102 the
 * probes take
 *
 *	101 self
 *	101 2 101 self
 *	101 2 102 2 101 self
 *
 * and the last one goes over the whole path to the peer, which answers. The
 * first that does not come back says which link it is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl trace PEER plane NUMBER path NUMBER [ count NUMBER ]\n"
	"                    [ interval MS ] [ timeout MS ]\n"
	"Says which hop of a source route fails.\n";

#define NAME_LEN	16	/* of a hop: a segment, or a word */

/**
 * struct trace - a command
 * @peer: where the path leads
 * @plane: over which plane
 * @has_index: @index is given
 * @index: number of the path
 * @pace: how
 * @c: what is configured
 * @r: the route
 * @p: the plane
 * @usids: segments of the path
 * @own: those of our SID
 * @n_own: how many
 */
struct trace {
	struct in6_addr peer;
	uint32_t plane;
	bool has_index;
	uint32_t index;
	struct pace pace;
	struct config c;
	const struct route *r;
	const struct plane *p;
	uint16_t usids[MRC_SEGMENTS_MAX];
	uint16_t own[MRC_SEGMENTS_MAX];
	unsigned int n_own;
};

static int parse(struct args *args, struct trace *t)
{
	const char *word;
	bool taken;
	int ret;

	if (need_arg(args, "peer", &word) || parse_addr(word, &t->peer))
		return EX_USAGE_ERR;
	while (args->argc) {
		ret = parse_pace(args, &t->pace, &taken);
		if (taken) {
			/* nothing more to do */
		} else if (take_word(args, "plane")) {
			ret = need_arg(args, "plane number", &word) ? :
			      parse_u32(word, 1, MRC_PLANE_MAX, &t->plane);
		} else if (take_word(args, "path")) {
			t->has_index = true;
			ret = need_arg(args, "path number", &word) ? :
			      parse_u32(word, 0, UINT16_MAX, &t->index);
		} else {
			ret = no_more_args(args);
		}
		if (ret)
			return EX_USAGE_ERR;
	}
	if (!t->plane)
		return err_usage("plane is missing");
	return t->has_index ? EX_DONE : err_usage("path is missing");
}

/* Finds out what the path consists of. */
static int prepare(struct trace *t)
{
	char buf[ADDR_LEN];

	if (config_read_kernel(&t->c))
		return EX_FAIL;
	t->p = config_plane(&t->c, t->plane);
	if (!t->p)
		return err_fail("there is no plane %u", t->plane);
	t->r = route_match(t->c.routes, t->c.nroutes, &t->peer, t->plane);
	addr_str(&t->peer, buf);
	if (!t->r)
		return err_fail("there is no route to %s over plane %u", buf,
				t->plane);
	if (!t->r->nsegs)
		return err_fail("the route to %s over plane %u is plain and names no hops",
				buf, t->plane);
	if (t->index >= route_paths(t->r))
		return err_fail("the route to %s over plane %u has paths 0 to %u",
				buf, t->plane, route_paths(t->r) - 1);
	if (addr_any(&t->p->sid))
		return err_fail("plane %u has no SID, no probe can come back",
				t->plane);
	t->n_own = sid_usids(t->p, t->r, t->own);
	if (!t->n_own)
		return err_fail("the SID %s of plane %u is not in the block of the route",
				addr_str(&t->p->sid, buf), t->plane);
	route_usids(t->r, t->index, &t->peer, t->usids);
	return EX_DONE;
}

/* Probes one way several times. Return: 0 or a negative errno */
static int ask(struct ask *a, const struct pace *pace)
{
	uint64_t next = now_us();
	uint32_t i;
	int ret = 0;

	for (i = 0; i < pace->count && !ret; i++) {
		if (i)
			sleep_until(next);
		next = now_us() + pace->interval_us;
		ret = ask_round(&a, 1, pace);
	}
	return ret;
}

static const char *state_of(const struct ask *a)
{
	if (!a->answered)
		return a->ret ? "unsent" : "broken";
	return a->answered < a->sent ? "lossy" : "ok";
}

static void show(const struct ask *a, unsigned int hop, const char *from,
		 const char *to)
{
	char buf[ADDR_LEN];

	out_rec_begin();
	out_num("hop", "hop", hop);
	out_str("from", "", from);
	out_str("to", NULL, to);
	if (!addr_any(&a->outer))
		out_str("outer", opt.details ? "outer" : "",
			addr_str(&a->outer, buf));
	out_num("sent", "sent", a->sent);
	out_num("answered", "answered", a->answered);
	if (a->answered)
		out_time("rtt_ns", "rtt", a->sum / a->answered);
	out_str("state", NULL, state_of(a));
	if (a->ret)
		out_str("error", "error:", a->words);
	out_rec_end();
}

/* What a hop that is not ok means. Return: an exit code */
static int verdict(const struct ask *a, const char *from, const char *to)
{
	if (a->ret)
		return err_fail("%s", a->words);
	if (!a->answered)
		return err_fail("the path breaks between %s and %s", from, to);
	if (a->answered < a->sent)
		return err_fail("packets are lost between %s and %s", from,
				to);
	return EX_DONE;
}

/*
 * The switches, as far as loops fit an address. @from is left as the last one
 * that was reached. Return: an exit code; *@done if the peer need not be asked
 */
static int trace_hops(struct trace *t, char *from, unsigned int *hop,
		      bool *done)
{
	unsigned int n = t->r->nsegs > t->n_own ? t->r->nsegs - t->n_own : 0;
	char to[NAME_LEN];
	int ret;

	for (*hop = 1; *hop <= n; ++*hop) {
		struct ask a = { .plane = t->plane, .via = t->r->via };

		if (!loop_addr(t->r, t->usids, *hop, t->own, t->n_own,
			       &a.outer)) {
			err_warn("the way to %x and back does not fit an address, the rest is not told apart",
				 t->usids[*hop - 1]);
			break;
		}
		snprintf(to, sizeof(to), "%x", t->usids[*hop - 1]);
		ret = ask(&a, &t->pace);
		*done = ret || a.answered < a.sent || a.ret;
		if (ret)
			return nl_report(ret);
		show(&a, *hop, from, to);
		if (*done)
			return verdict(&a, from, to);
		snprintf(from, NAME_LEN, "%s", to);
	}
	return EX_DONE;
}

static int trace(struct trace *t)
{
	struct ask a = {
		.peer = t->peer, .plane = t->plane, .index = t->index,
	};
	char from[NAME_LEN] = "host";
	unsigned int hop;
	bool done = false;
	int ret;

	ret = trace_hops(t, from, &hop, &done);
	if (done)
		return ret;
	ret = ask(&a, &t->pace);
	if (ret)
		return nl_report(ret);
	show(&a, hop, from, "peer");
	return verdict(&a, from, "the peer, or on its way back");
}

int trace_cmd(struct args *args)
{
	struct trace t = {
		.pace = {
			.count = 3,
			.interval_us = 50000,
			.timeout_ms = 500,
		},
	};
	int ret;

	if (take_word(args, "help"))
		return usage(help);
	if (parse(args, &t))
		return EX_USAGE_ERR;
	ret = prepare(&t);
	if (!ret) {
		out_list_begin();
		ret = trace(&t);
		out_list_end();
	}
	config_free(&t.c);
	return ret;
}
