// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl linkmap: which link of the fabric is broken, as far as it can be
 * seen from here?
 *
 * Every switch that a route of ours names is tried by a probe that goes there
 * and comes back the same way: each T0 and T1, and the T0s of others through
 * each T1. Ways form a tree, since each is one link longer than another. If a
 * way works and the next link does not, it is that link; if all links to a
 * switch that can be tried are broken, it is the switch. What lies behind a
 * broken link is not tried.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl linkmap [ plane LIST ] [ count NUMBER ] [ interval MS ]\n"
	"                      [ timeout MS ]\n"
	"Probes each link that a source route names, there and back; -d shows the\n"
	"good ones, too.\n";

#define GAP_US		2000	/* 500 probes in a second */
#define NAME_LEN	16

/**
 * struct way - from here to a switch
 * @plane: over which plane
 * @n: switches on it
 * @usids: these
 * @parent: index of the way that is one link shorter, -1 = none
 * @next: index of the next one with the same hash, -1 = none
 * @ask: the probe
 * @too_long: there and back does not fit an address
 */
struct way {
	uint32_t plane;
	unsigned int n;
	uint16_t usids[MRC_SEGMENTS_MAX];
	long parent;
	long next;
	struct ask ask;
	bool too_long;
};

/**
 * struct linkmap - a command
 * @planes: which planes, mask
 * @pace: how
 * @c: what is configured
 * @peers: the peers there are, for routes to many
 * @n_peers: how many
 * @ways: all of them, parents before their children
 * @n: how many
 * @size: room for so many
 * @heads: index by hash, -1 = none
 * @n_heads: how many, a power of 2
 * @unnamed: routes that no peer makes definite
 */
struct linkmap {
	uint32_t planes;
	struct pace pace;
	struct config c;
	struct in6_addr *peers;
	size_t n_peers;
	struct way *ways;
	size_t n;
	size_t size;
	long *heads;
	size_t n_heads;
	size_t unnamed;
};

/* ---- the tree ------------------------------------------------------------ */

/* FNV-1a */
static size_t hash(uint32_t plane, const uint16_t *usids, unsigned int n)
{
	uint32_t h = 2166136261u ^ plane;
	unsigned int i;

	for (i = 0; i < n; i++) {
		h = (h ^ (usids[i] & 0xff)) * 16777619u;
		h = (h ^ usids[i] >> 8) * 16777619u;
	}
	return h ^ h >> 16;
}

static void link_way(struct linkmap *m, size_t i)
{
	struct way *w = &m->ways[i];
	size_t h = hash(w->plane, w->usids, w->n) & (m->n_heads - 1);

	w->next = m->heads[h];
	m->heads[h] = i;
}

static void grow(struct linkmap *m)
{
	size_t i;

	m->size = m->size ? 2 * m->size : 256;
	m->ways = xrealloc(m->ways, m->size, sizeof(*m->ways));
	m->n_heads = m->size;
	m->heads = xrealloc(m->heads, m->n_heads, sizeof(*m->heads));
	for (i = 0; i < m->n_heads; i++)
		m->heads[i] = -1;
	for (i = 0; i < m->n; i++)
		link_way(m, i);
}

static long find_way(const struct linkmap *m, uint32_t plane,
		     const uint16_t *usids, unsigned int n)
{
	const struct way *w;
	long i;

	if (!m->n_heads)
		return -1;
	i = m->heads[hash(plane, usids, n) & (m->n_heads - 1)];
	for (; i >= 0; i = w->next) {
		w = &m->ways[i];
		if (w->plane == plane && w->n == n &&
		    !memcmp(w->usids, usids, n * sizeof(*usids)))
			break;
	}
	return i;
}

/* The way of the first @n segments, made if need be. Return: its index */
static long add_way(struct linkmap *m, const struct route *r,
		    const uint16_t *usids, unsigned int n,
		    const uint16_t *own, unsigned int n_own)
{
	long parent, i = find_way(m, r->plane, usids, n);
	struct way *w;

	if (i >= 0)
		return i;
	parent = n > 1 ? add_way(m, r, usids, n - 1, own, n_own) : -1;
	if (m->n == m->size)
		grow(m);
	w = &m->ways[m->n];
	memset(w, 0, sizeof(*w));
	w->plane = r->plane;
	w->n = n;
	memcpy(w->usids, usids, n * sizeof(*usids));
	w->parent = parent;
	w->ask.plane = r->plane;
	w->ask.via = r->via;
	w->too_long = !loop_addr(r, usids, n, own, n_own, &w->ask.outer);
	link_way(m, m->n);
	return m->n++;
}

/* ---- from routes --------------------------------------------------------- */

static bool needs_peer(const struct route *r)
{
	unsigned int i;

	for (i = 0; i < r->nsegs; i++)
		if (r->segs[i].type == MRC_SEGMENT_TYPE_DST)
			return r->dst.len < 128;
	return false;
}

static void add_paths(struct linkmap *m, const struct route *r,
		      const struct in6_addr *dst, const struct plane *p)
{
	uint16_t usids[MRC_SEGMENTS_MAX], own[MRC_SEGMENTS_MAX];
	unsigned int n_own = sid_usids(p, r, own);
	uint32_t k, n = route_paths(r);

	/* the last ones are the peer itself */
	if (!n_own || r->nsegs <= n_own)
		return;
	for (k = 0; k < n; k++) {
		route_usids(r, k, dst, usids);
		add_way(m, r, usids, r->nsegs - n_own, own, n_own);
	}
}

/* One row may stand for many destinations: those that are peers are tried. */
static void add_route(struct linkmap *m, const struct route *r,
		      const struct plane *p)
{
	bool named = false;
	size_t i;

	if (!needs_peer(r)) {
		add_paths(m, r, &r->dst.addr, p);
		return;
	}
	for (i = 0; i < m->n_peers; i++) {
		if (route_match(r, 1, &m->peers[i], r->plane)) {
			add_paths(m, r, &m->peers[i], p);
			named = true;
		}
	}
	m->unnamed += !named;
}

static int peer_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_PEER_MAX + 1];
	struct linkmap *m = data;

	attr_parse(nlh, tb, MRC_A_PEER_MAX);
	m->peers = xrealloc(m->peers, m->n_peers + 1, sizeof(*m->peers));
	attr_addr(tb, MRC_A_PEER_REMOTE, &m->peers[m->n_peers++]);
	return MNL_CB_OK;
}

static int prepare(struct linkmap *m)
{
	const struct plane *p;
	size_t i, j;
	int ret;

	if (config_read_kernel(&m->c))
		return EX_FAIL;
	ret = nl_dump(MRC_CMD_PEER_GET, peer_cb, m);
	if (ret)
		return nl_report(ret);
	for (i = 0; i < m->c.nplanes; i++) {
		p = &m->c.planes[i];
		if (!(m->planes & 1U << (p->number - 1)))
			continue;
		for (j = 0; j < m->c.nroutes; j++)
			if (m->c.routes[j].plane == p->number &&
			    m->c.routes[j].nsegs)
				add_route(m, &m->c.routes[j], p);
	}
	if (m->unnamed)
		err_warn("%zu routes take segments from the destination and there is no peer behind them, they are left out",
			 m->unnamed);
	return m->n ? EX_DONE :
	       err_fail("no source route names a switch, or no plane has a SID of its block");
}

/* ---- probes -------------------------------------------------------------- */

/* Is the way up to the last link good? */
static bool is_open(const struct linkmap *m, const struct way *w)
{
	return !w->too_long &&
	       (w->parent < 0 || m->ways[w->parent].ask.answered);
}

/* Those of @n switches, again while they do not answer. Return: as nl_*() */
static int ask_level(const struct linkmap *m, unsigned int n,
		     struct ask **asks)
{
	uint64_t next = now_us();
	uint32_t round;
	size_t i, todo;
	int ret = 0;

	for (round = 0; round < m->pace.count && !ret; round++) {
		todo = 0;
		for (i = 0; i < m->n; i++)
			if (m->ways[i].n == n && is_open(m, &m->ways[i]) &&
			    !m->ways[i].ask.answered)
				asks[todo++] = &m->ways[i].ask;
		if (!todo)
			break;
		if (round)
			sleep_until(next);
		next = now_us() + m->pace.interval_us;
		ret = ask_round(asks, todo, &m->pace);
	}
	return ret;
}

static int ask_all(const struct linkmap *m)
{
	struct ask **asks = xrealloc(NULL, m->n, sizeof(*asks));
	unsigned int n;
	int ret = 0;

	for (n = 1; n <= MRC_SEGMENTS_MAX && !ret; n++)
		ret = ask_level(m, n, asks);
	free(asks);
	return ret;
}

/* ---- what follows -------------------------------------------------------- */

enum link_state {
	LINK_OK,
	LINK_LOSSY,
	LINK_BROKEN,
	LINK_UNSENT,
	LINK_UNKNOWN,
};

static const char *const link_states[] = {
	"ok", "lossy", "broken", "unsent", "unknown"
};

static enum link_state state_of(const struct linkmap *m, const struct way *w)
{
	if (!is_open(m, w))
		return LINK_UNKNOWN;
	if (!w->ask.answered)
		return w->ask.ret ? LINK_UNSENT : LINK_BROKEN;
	return w->ask.answered < w->ask.sent ? LINK_LOSSY : LINK_OK;
}

static void name_hop(const struct way *w, unsigned int i, char *buf)
{
	if (i)
		snprintf(buf, NAME_LEN, "%x", w->usids[i - 1]);
	else
		snprintf(buf, NAME_LEN, "host");
}

static void show_link(const struct way *w, enum link_state state)
{
	char buf[ADDR_LEN];

	out_rec_begin();
	out_num("plane", "plane", w->plane);
	name_hop(w, w->n - 1, buf);
	out_str("from", "link", buf);
	name_hop(w, w->n, buf);
	out_str("to", NULL, buf);
	out_str("state", NULL, link_states[state]);
	if (w->ask.answered)
		out_time("rtt_ns", "rtt", w->ask.sum / w->ask.answered);
	out_num("sent", "sent", w->ask.sent);
	out_num("answered", "answered", w->ask.answered);
	out_str("outer", opt.details ? "outer" : "",
		addr_str(&w->ask.outer, buf));
	if (w->ask.ret)
		out_str("error", "error:", w->ask.words);
	out_rec_end();
}

/* Links to one switch */
struct tally {
	uint32_t plane;
	uint16_t usid;
	enum link_state state;
};

static int cmp_tally(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->plane != y->plane)
		return x->plane < y->plane ? -1 : 1;
	return (int)x->usid - (int)y->usid;
}

/* A switch to which several links were tried, all of them broken */
static void show_switch(const struct tally *t, size_t n)
{
	char buf[NAME_LEN];
	size_t i;

	for (i = 0; i < n; i++)
		if (t[i].state != LINK_BROKEN)
			return;
	if (n < 2)
		return;
	out_rec_begin();
	out_num("plane", "plane", t->plane);
	snprintf(buf, sizeof(buf), "%x", t->usid);
	out_str("switch", "switch", buf);
	out_str("state", NULL, link_states[LINK_BROKEN]);
	out_num("links", "links", n);
	out_rec_end();
}

static void show_switches(const struct linkmap *m)
{
	struct tally *t = xrealloc(NULL, m->n, sizeof(*t));
	enum link_state state;
	size_t i, from, n = 0;

	for (i = 0; i < m->n; i++) {
		state = state_of(m, &m->ways[i]);
		if (state >= LINK_UNSENT)
			continue;
		t[n].plane = m->ways[i].plane;
		t[n].usid = m->ways[i].usids[m->ways[i].n - 1];
		t[n++].state = state;
	}
	qsort(t, n, sizeof(*t), cmp_tally);
	for (from = 0; from < n; from = i) {
		for (i = from + 1; i < n; i++)
			if (cmp_tally(&t[i], &t[from]))
				break;
		show_switch(&t[from], i - from);
	}
	free(t);
}

/* The number of links by state, as a last line for people */
static void show_sum(const size_t *n)
{
	printf("%zu links ok, %zu lossy, %zu broken, %zu unknown\n",
	       n[LINK_OK], n[LINK_LOSSY], n[LINK_BROKEN],
	       n[LINK_UNSENT] + n[LINK_UNKNOWN]);
}

static int show(const struct linkmap *m)
{
	size_t i, n[ARRAY_SIZE(link_states)] = { };
	enum link_state state;

	out_list_begin();
	for (i = 0; i < m->n; i++) {
		state = state_of(m, &m->ways[i]);
		n[state]++;
		if (opt.json || opt.details || (state != LINK_OK &&
						state != LINK_UNKNOWN))
			show_link(&m->ways[i], state);
	}
	show_switches(m);
	out_list_end();
	if (!opt.json)
		show_sum(n);
	if (n[LINK_BROKEN])
		return err_fail("%zu links are broken", n[LINK_BROKEN]);
	if (n[LINK_LOSSY])
		return err_fail("%zu links lose packets", n[LINK_LOSSY]);
	if (n[LINK_UNSENT])
		return err_fail("%zu probes could not be sent",
				n[LINK_UNSENT]);
	return EX_DONE;
}

static int parse(struct args *args, struct linkmap *m)
{
	const char *word;
	bool taken;
	int ret;

	while (args->argc) {
		ret = parse_pace(args, &m->pace, &taken);
		if (!taken && take_word(args, "plane"))
			ret = need_arg(args, "plane number", &word) ? :
			      parse_planes(word, &m->planes);
		else if (!taken)
			ret = no_more_args(args);
		if (ret)
			return EX_USAGE_ERR;
	}
	return EX_DONE;
}

int linkmap_cmd(struct args *args)
{
	struct linkmap m = {
		.planes = UINT32_MAX,
		.pace = {
			.count = 3,
			.interval_us = 100000,
			.gap_us = GAP_US,
			.timeout_ms = 500,
		},
	};
	int ret;

	if (take_word(args, "help"))
		return usage(help);
	if (parse(args, &m))
		return EX_USAGE_ERR;
	ret = prepare(&m);
	if (!ret)
		ret = nl_report(ask_all(&m)) ? : show(&m);
	config_free(&m.c);
	free(m.peers);
	free(m.ways);
	free(m.heads);
	return ret;
}
