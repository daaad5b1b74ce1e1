// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl apply FILE: make the namespace equal to a file.
 *
 * The file is checked as a whole, compared with what is configured, and only
 * the differences are carried out, so that applying a file twice does nothing
 * and connections that are not concerned go on. If the kernel refuses one of
 * the steps those before it are undone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl apply { FILE | - }\n"
	"Makes the configuration equal to the JSON file, see \"mrcctl export\".\n";

enum step_kind {
	STEP_NODE,
	STEP_PLANE,
	STEP_PROFILE,
	STEP_CC,
	STEP_CC_DEFAULT,
	STEP_ROUTE,
	STEP_DENIAL,
	STEP_NET,
};

/**
 * struct step - a change and how to undo it
 * @kind: of the object
 * @cmd: MRC_CMD_* to do it
 * @obj: the object for it
 * @undo_cmd: MRC_CMD_* to undo it
 * @undo_obj: the object for that
 */
struct step {
	enum step_kind kind;
	uint8_t cmd;
	uint8_t undo_cmd;
	const void *obj;
	const void *undo_obj;
};

/**
 * struct plan - what is to be done
 * @now: the configuration of the kernel
 * @want: that of the file
 * @steps: in the order in which they work
 * @n: how many
 * @size: room for so many
 */
struct plan {
	struct config now;
	struct config want;
	struct step *steps;
	size_t n;
	size_t size;
};

static void add_step(struct plan *p, enum step_kind kind, uint8_t cmd,
		     const void *obj, uint8_t undo_cmd, const void *undo_obj)
{
	if (p->n == p->size) {
		p->size = p->size ? 2 * p->size : 64;
		p->steps = xrealloc(p->steps, p->size, sizeof(*p->steps));
	}
	p->steps[p->n++] = (struct step){
		.kind = kind, .cmd = cmd, .obj = obj,
		.undo_cmd = undo_cmd, .undo_obj = undo_obj,
	};
}

static const struct profile *find_profile(const struct config *c,
					  const char *name)
{
	size_t i;

	for (i = 0; i < c->nprofiles; i++)
		if (!strcmp(c->profiles[i].name, name))
			return &c->profiles[i];
	return NULL;
}

static const struct cc *find_cc(const struct config *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->nccs; i++)
		if (!strcmp(c->ccs[i].name, name))
			return &c->ccs[i];
	return NULL;
}

/* One that is built in has the kernel's parameters. */
static const struct cc *builtin_cc(const struct config *c)
{
	size_t i = 0;

	while (!c->ccs[i].builtin)
		i++;
	return &c->ccs[i];
}

/* Does a plane stay? Another device makes it another plane. */
static bool plane_stays(const struct plan *p, uint32_t number)
{
	const struct plane *now = config_plane(&p->now, number);
	const struct plane *want = config_plane(&p->want, number);

	return now && want && !strcmp(now->dev, want->dev);
}

static bool plane_equal(const struct plane *a, const struct plane *b)
{
	return addr_eq(&a->via, &b->via) && addr_eq(&a->sid, &b->sid) &&
	       a->admin_up == b->admin_up;
}

/* The port is fixed while there is a node. */
static bool port_changes(const struct plan *p)
{
	const uint16_t a = MRC_A_NET_UDP_PORT;

	return p->want.net.set[a] && p->want.net.val[a] != p->now.net.val[a];
}

/*
 * Routes do not go with their plane, they wait for another of its number; but
 * one cannot be added without a plane.
 *
 * Both sides are in the order of their keys: @del takes away what is not
 * wanted as it is, else what is missing is added.
 */
static void plan_routes(struct plan *p, const struct route **now,
			const struct route **want, bool del)
{
	size_t i = 0, j = 0;
	int cmp;

	while (i < p->now.nroutes || j < p->want.nroutes) {
		if (i == p->now.nroutes)
			cmp = 1;
		else if (j == p->want.nroutes)
			cmp = -1;
		else
			cmp = route_cmp_key(now[i], want[j]);
		if (!cmp && route_equal(now[i], want[j])) {
			i++;
			j++;
			continue;
		}
		if (cmp <= 0) {
			if (del)
				add_step(p, STEP_ROUTE, MRC_CMD_ROUTE_DEL,
					 now[i], MRC_CMD_ROUTE_ADD, now[i]);
			i++;
		}
		if (cmp >= 0) {
			if (!del)
				add_step(p, STEP_ROUTE, MRC_CMD_ROUTE_ADD,
					 want[j], MRC_CMD_ROUTE_DEL, want[j]);
			j++;
		}
	}
}

static void plan_removals(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->now.nprofiles; i++) {
		const struct profile *now = &p->now.profiles[i];

		if (!find_profile(&p->want, now->name))
			add_step(p, STEP_PROFILE, MRC_CMD_PROFILE_DEL, now,
				 MRC_CMD_PROFILE_ADD, now);
	}
	for (i = 0; i < p->now.nplanes; i++) {
		const struct plane *now = &p->now.planes[i];

		if (!plane_stays(p, now->number))
			add_step(p, STEP_PLANE, MRC_CMD_PLANE_DEL, now,
				 MRC_CMD_PLANE_ADD, now);
	}
	for (i = 0; i < p->now.nnodes; i++) {
		const struct in6_addr *node = &p->now.nodes[i];

		if (port_changes(p) || !config_has_node(&p->want, node))
			add_step(p, STEP_NODE, MRC_CMD_NODE_DEL, node,
				 MRC_CMD_NODE_ADD, node);
	}
}

static void plan_net(struct plan *p)
{
	const struct netcfg *want = &p->want.net, *now = &p->now.net;
	uint16_t i;

	for (i = 1; i <= MRC_A_NET_MAX; i++) {
		if (!want->set[i] || want->val[i] == now->val[i])
			continue;
		add_step(p, STEP_NET, MRC_CMD_NET_SET, want, MRC_CMD_NET_SET,
			 now);
		return;
	}
}

static void plan_profiles(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->want.nprofiles; i++) {
		const struct profile *want = &p->want.profiles[i];
		const struct profile *now = find_profile(&p->now, want->name);

		if (!now)
			add_step(p, STEP_PROFILE, MRC_CMD_PROFILE_ADD, want,
				 MRC_CMD_PROFILE_DEL, want);
		else if (!profile_equal(now, want))
			add_step(p, STEP_PROFILE, MRC_CMD_PROFILE_SET, want,
				 MRC_CMD_PROFILE_SET, now);
	}
}

/* Those that the file does not name go, but the default while it is that. */
static void plan_cc_removals(struct plan *p, bool was_default)
{
	size_t i;

	for (i = 0; i < p->now.nccs; i++) {
		const struct cc *now = &p->now.ccs[i];

		if (!now->builtin && now->is_default == was_default &&
		    !find_cc(&p->want, now->name))
			add_step(p, STEP_CC, MRC_CMD_CC_DEL, now,
				 MRC_CMD_CC_ADD, now);
	}
}

static void plan_ccs(struct plan *p)
{
	const char *name = p->want.cc_default;
	size_t i;

	plan_cc_removals(p, false);
	for (i = 0; i < p->want.nccs; i++) {
		const struct cc *want = &p->want.ccs[i];
		const struct cc *now = find_cc(&p->now, want->name);

		if (!now)
			add_step(p, STEP_CC, MRC_CMD_CC_ADD, want,
				 MRC_CMD_CC_DEL, want);
		else if (!cc_equal(now, want, builtin_cc(&p->now)))
			add_step(p, STEP_CC, MRC_CMD_CC_SET, want,
				 MRC_CMD_CC_SET, now);
	}
	if (*name && strcmp(name, p->now.cc_default))
		add_step(p, STEP_CC_DEFAULT, MRC_CMD_CC_SET, name,
			 MRC_CMD_CC_SET, p->now.cc_default);
	plan_cc_removals(p, true);
}

static void plan_additions(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->want.nnodes; i++) {
		const struct in6_addr *node = &p->want.nodes[i];

		if (port_changes(p) || !config_has_node(&p->now, node))
			add_step(p, STEP_NODE, MRC_CMD_NODE_ADD, node,
				 MRC_CMD_NODE_DEL, node);
	}
	for (i = 0; i < p->want.nplanes; i++) {
		const struct plane *want = &p->want.planes[i];
		const struct plane *now = config_plane(&p->now, want->number);

		if (!plane_stays(p, want->number))
			add_step(p, STEP_PLANE, MRC_CMD_PLANE_ADD, want,
				 MRC_CMD_PLANE_DEL, want);
		else if (!plane_equal(now, want))
			add_step(p, STEP_PLANE, MRC_CMD_PLANE_SET, want,
				 MRC_CMD_PLANE_SET, now);
	}
}

static bool has_denial(const struct config *c, const struct denial *d)
{
	size_t i;

	for (i = 0; i < c->ndenials; i++)
		if (denial_equal(&c->denials[i], d))
			return true;
	return false;
}

/* A number is one of the routes that there are, so they come after these. */
static void plan_denials(struct plan *p)
{
	const struct denial *d;
	size_t i;

	for (i = 0; i < p->now.ndenials; i++) {
		d = &p->now.denials[i];
		if (!has_denial(&p->want, d))
			add_step(p, STEP_DENIAL, MRC_CMD_PATH_ALLOW, d,
				 MRC_CMD_PATH_DENY, d);
	}
	for (i = 0; i < p->want.ndenials; i++) {
		d = &p->want.denials[i];
		if (!has_denial(&p->now, d))
			add_step(p, STEP_DENIAL, MRC_CMD_PATH_DENY, d,
				 MRC_CMD_PATH_ALLOW, d);
	}
}

/* Is there a plane for each route that is to be added? */
static int check_additions(const struct plan *p)
{
	char buf[PREFIX_LEN];
	size_t i;

	for (i = 0; i < p->n; i++) {
		const struct step *s = &p->steps[i];
		const struct route *r = s->obj;

		if (s->kind == STEP_ROUTE && s->cmd == MRC_CMD_ROUTE_ADD &&
		    !config_plane(&p->want, r->plane))
			return err_fail("routes[%zd] %s: there is no plane %u",
					r - p->want.routes,
					prefix_str(&r->dst, buf), r->plane);
	}
	return EX_DONE;
}

static void make_plan(struct plan *p)
{
	const struct route **now = routes_sort(&p->now);
	const struct route **want = routes_sort(&p->want);

	plan_routes(p, now, want, true);
	plan_removals(p);
	plan_net(p);
	plan_profiles(p);
	plan_ccs(p);
	plan_additions(p);
	plan_routes(p, now, want, false);
	plan_denials(p);
	free(now);
	free(want);
}

/* Return: 0 or a negative errno */
static int request(enum step_kind kind, uint8_t cmd, const void *obj)
{
	switch (kind) {
	case STEP_NODE:
		return node_request(cmd, obj);
	case STEP_PLANE:
		return plane_request(cmd, obj);
	case STEP_PROFILE:
		return profile_request(cmd, obj);
	case STEP_CC:
		return cc_request(cmd, obj);
	case STEP_CC_DEFAULT:
		return cc_make_default(obj);
	case STEP_ROUTE:
		return route_request(cmd, obj);
	case STEP_DENIAL:
		return denial_request(cmd, obj);
	default:
		return net_request(obj);
	}
}

/* Names the object of a step for a message. */
static void name_step(const struct step *s)
{
	const struct route *r = s->obj;
	const struct profile *profile = s->obj;
	const struct denial *d = s->obj;
	const struct plane *p = s->obj;
	const struct cc *cc = s->obj;
	char buf[PREFIX_LEN];

	switch (s->kind) {
	case STEP_NODE:
		err_context("node %s", addr_str(s->obj, buf));
		break;
	case STEP_PLANE:
		err_context("plane %u", p->number);
		break;
	case STEP_PROFILE:
		err_context("profile %s", profile->name);
		break;
	case STEP_CC:
		err_context("cc %s", cc->name);
		break;
	case STEP_CC_DEFAULT:
		err_context("cc_default %s", (const char *)s->obj);
		break;
	case STEP_ROUTE:
		err_context("route %s plane %u", prefix_str(&r->dst, buf),
			    r->plane);
		break;
	case STEP_DENIAL:
		err_context("denied path to %s plane %u",
			    addr_str(&d->peer, buf), d->plane);
		break;
	case STEP_NET:
		err_context("net");
		break;
	}
}

/* Undoes the first @n steps, the last of them first. */
static void undo(const struct plan *p, size_t n)
{
	while (n--) {
		const struct step *s = &p->steps[n];
		int ret = request(s->kind, s->undo_cmd, s->undo_obj);

		if (!ret)
			continue;
		name_step(s);
		err_fail("cannot be restored: %s", nl_words(ret));
		err_context("%s", "");
	}
}

static int carry_out(const struct plan *p)
{
	size_t i;
	int ret;

	for (i = 0; i < p->n; i++) {
		const struct step *s = &p->steps[i];

		ret = request(s->kind, s->cmd, s->obj);
		if (!ret)
			continue;
		name_step(s);
		nl_report(ret);
		err_context("%s", "");
		undo(p, i);
		return EX_FAIL;
	}
	return EX_DONE;
}

int apply_cmd(struct args *args)
{
	struct plan p = { };
	const char *file;
	int ret;

	if (take_word(args, "help"))
		return usage(help);
	if (need_arg(args, "file name", &file) || no_more_args(args))
		return EX_USAGE_ERR;
	ret = config_read_file(file, &p.want) ? EX_FAIL : EX_DONE;
	if (!ret)
		ret = config_read_kernel(&p.now);
	if (!ret) {
		make_plan(&p);
		ret = check_additions(&p) ? : carry_out(&p);
	}
	free(p.steps);
	config_free(&p.now);
	config_free(&p.want);
	return ret;
}
