// SPDX-License-Identifier: GPL-2.0
/*
 * The configuration of a namespace as a whole, from the kernel or from a JSON
 * file, and to JSON: what "mrcctl export" writes "mrcctl apply" reads.
 *
 *	{
 *	    "version": 1,
 *	    "net": { "evs": 128, "icrc": false },
 *	    "nodes": [ "fd00:6d::1" ],
 *	    "planes": [ { "plane": 1, "dev": "eth1", "via": "fe80::1",
 *			  "sid": "5f00:0:d::", "admin_up": true } ],
 *	    "profiles": [ { "name": "spines", "fields": "6:1,10:1-32,16:1-64" } ],
 *	    "cc": [ { "name": "short", "algorithm": "nscc", "target": 10 } ],
 *	    "cc_default": "short",
 *	    "routes": [ { "dst": "fd00:6d::2/128", "plane": 1,
 *			  "mode": "usid", "block": "5f00::/32",
 *			  "path": "101,1-20,202,d02" } ],
 *	    "denied": [ { "peer": "fd00:6d::2", "plane": 1,
 *			  "outer": "5f00:0:101:3:202:d02::" } ]
 *	}
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "mrcctl.h"

#define CONFIG_VERSION	1

void config_free(struct config *c)
{
	free(c->nodes);
	free(c->planes);
	free(c->profiles);
	free(c->ccs);
	free(c->routes);
	free(c->denials);
	memset(c, 0, sizeof(*c));
}

/**
 * config_read_kernel() - read what is configured now
 * @c: the result, for config_free()
 *
 * Return: an exit code
 */
int config_read_kernel(struct config *c)
{
	size_t i;
	int ret;

	memset(c, 0, sizeof(*c));
	ret = net_read(&c->net) ? :
	      node_list(&c->nodes, &c->nnodes) ? :
	      plane_list(&c->planes, &c->nplanes) ? :
	      profile_list(&c->profiles, &c->nprofiles) ? :
	      cc_list(&c->ccs, &c->nccs) ? :
	      route_list(&c->routes, &c->nroutes) ? :
	      denial_list(&c->denials, &c->ndenials);
	for (i = 0; i < c->nccs; i++)
		if (c->ccs[i].is_default)
			strcpy(c->cc_default, c->ccs[i].name);
	return nl_report(ret);
}

/* The plane of that number, NULL if there is none */
const struct plane *config_plane(const struct config *c, uint32_t number)
{
	size_t i;

	for (i = 0; i < c->nplanes; i++)
		if (c->planes[i].number == number)
			return &c->planes[i];
	return NULL;
}

/* Is this one of the node addresses? */
bool config_has_node(const struct config *c, const struct in6_addr *addr)
{
	size_t i;

	for (i = 0; i < c->nnodes; i++)
		if (addr_eq(&c->nodes[i], addr))
			return true;
	return false;
}

/* ---- from JSON ----------------------------------------------------------- */

/* Refuses keys that are not in the list, which a NULL ends. */
static int only_keys(json_t *obj, const char *const *keys)
{
	const char *key;
	json_t *val;
	size_t i;

	if (!json_is_object(obj))
		return err_fail("this is no object");
	json_object_foreach(obj, key, val) {
		for (i = 0; keys[i]; i++)
			if (!strcmp(keys[i], key))
				break;
		if (!keys[i])
			return err_fail("what is \"%s\"?", key);
	}
	return EX_DONE;
}

/* Reads a string. *@val stays NULL if there is none. */
static int get_str(json_t *obj, const char *key, const char **val)
{
	json_t *j = json_object_get(obj, key);

	*val = NULL;
	if (!j)
		return EX_DONE;
	if (!json_is_string(j))
		return err_fail("\"%s\" is no string", key);
	*val = json_string_value(j);
	return EX_DONE;
}

static int need_str(json_t *obj, const char *key, const char **val)
{
	if (get_str(obj, key, val))
		return EX_FAIL;
	return *val ? EX_DONE : err_fail("\"%s\" is missing", key);
}

static int get_addr(json_t *obj, const char *key, struct in6_addr *addr)
{
	const char *s;

	if (get_str(obj, key, &s))
		return EX_FAIL;
	return s ? parse_addr(s, addr) : EX_DONE;
}

static int get_bool(json_t *obj, const char *key, bool *val)
{
	json_t *j = json_object_get(obj, key);

	if (!j)
		return EX_DONE;
	if (!json_is_boolean(j))
		return err_fail("\"%s\" is neither true nor false", key);
	*val = json_is_true(j);
	return EX_DONE;
}

static int to_num(json_t *j, const char *key, uint32_t min, uint32_t max,
		  uint32_t *val)
{
	json_int_t v = json_integer_value(j);

	if (!json_is_integer(j))
		return err_fail("\"%s\" is no number", key);
	if (v < min || v > max)
		return err_fail("\"%s\" is not in %u-%u", key, min, max);
	*val = v;
	return EX_DONE;
}

static int need_num(json_t *obj, const char *key, uint32_t min, uint32_t max,
		    uint32_t *val)
{
	json_t *j = json_object_get(obj, key);

	if (!j)
		return err_fail("\"%s\" is missing", key);
	return to_num(j, key, min, max, val);
}

static int node_from_json(json_t *j, size_t i, struct config *c)
{
	struct in6_addr *addr = &c->nodes[i];

	if (!json_is_string(j))
		return err_fail("this is no string");
	if (parse_addr(json_string_value(j), addr) || check_node(addr))
		return EX_FAIL;
	while (i--)
		if (addr_eq(&c->nodes[i], addr))
			return err_fail("the same as nodes[%zu]", i);
	return EX_DONE;
}

static int plane_from_json(json_t *j, size_t i, struct config *c)
{
	static const char *const keys[] = {
		"plane", "dev", "via", "sid", "admin_up", NULL
	};
	struct plane *p = &c->planes[i];
	const char *dev;

	memset(p, 0, sizeof(*p));
	p->set = PLANE_DEV | PLANE_VIA | PLANE_SID | PLANE_ADMIN;
	p->admin_up = true;
	if (only_keys(j, keys) ||
	    need_num(j, "plane", 1, MRC_PLANE_MAX, &p->number) ||
	    need_str(j, "dev", &dev) || get_addr(j, "via", &p->via) ||
	    get_addr(j, "sid", &p->sid) ||
	    get_bool(j, "admin_up", &p->admin_up))
		return EX_FAIL;
	if (strlen(dev) >= sizeof(p->dev))
		return err_fail("\"%s\" is too long for a device", dev);
	snprintf(p->dev, sizeof(p->dev), "%s", dev);
	p->ifindex = if_nametoindex(dev);
	if (!p->ifindex)
		return err_fail("there is no device \"%s\"", dev);
	while (i--) {
		if (c->planes[i].number == p->number)
			return err_fail("plane %u is also planes[%zu]",
					p->number, i);
		if (c->planes[i].ifindex == p->ifindex)
			return err_fail("device %s is also of planes[%zu]",
					dev, i);
	}
	return EX_DONE;
}

static int profile_from_json(json_t *j, size_t i, struct config *c)
{
	static const char *const keys[] = { "name", "evs", "fields", NULL };
	struct profile *p = &c->profiles[i];
	const char *name, *evs, *fields;

	memset(p, 0, sizeof(*p));
	if (only_keys(j, keys) || need_str(j, "name", &name) ||
	    get_str(j, "evs", &evs) || get_str(j, "fields", &fields) ||
	    parse_profile_name(name, p->name))
		return EX_FAIL;
	if (!evs == !fields)
		return err_fail("either \"evs\" or \"fields\" is needed");
	if (evs ? parse_evs(evs, p) : parse_fields(fields, p))
		return EX_FAIL;
	while (i--)
		if (!strcmp(c->profiles[i].name, p->name))
			return err_fail("the same name as profiles[%zu]", i);
	return EX_DONE;
}

/* A congestion control's name, or an algorithm's. */
static int need_cc_name(json_t *obj, const char *key, char *name)
{
	const char *s;

	if (need_str(obj, key, &s))
		return EX_FAIL;
	if (!*s || strlen(s) > MRC_CC_NAME_LEN)
		return err_fail("\"%s\" has 1 to %u characters", key,
				MRC_CC_NAME_LEN);
	strcpy(name, s);
	return EX_DONE;
}

static int cc_param_from_json(const char *key, json_t *val, struct cc *cc)
{
	const struct cc_param *p;

	for (p = cc_params; p->name; p++)
		if (!strcmp(p->key, key))
			break;
	if (!p->name)
		return err_fail("what is \"%s\"?", key);
	cc->set[p->attr] = true;
	return to_num(val, key, p->min, p->max, &cc->val[p->attr]);
}

static int cc_from_json(json_t *j, size_t i, struct config *c)
{
	struct cc *cc = &c->ccs[i];
	const char *key;
	json_t *val;

	memset(cc, 0, sizeof(*cc));
	if (!json_is_object(j))
		return err_fail("this is no object");
	if (need_cc_name(j, "name", cc->name) ||
	    need_cc_name(j, "algorithm", cc->algorithm))
		return EX_FAIL;
	json_object_foreach(j, key, val)
		if (strcmp(key, "name") && strcmp(key, "algorithm") &&
		    cc_param_from_json(key, val, cc))
			return EX_FAIL;
	while (i--)
		if (!strcmp(c->ccs[i].name, cc->name))
			return err_fail("the same name as cc[%zu]", i);
	return EX_DONE;
}

static int route_mode_from_json(json_t *j, struct route *r)
{
	const char *mode, *block, *path;

	if (need_str(j, "mode", &mode) || get_str(j, "block", &block) ||
	    get_str(j, "path", &path) ||
	    parse_enum(mode, route_modes, ROUTE_MODES, &r->mode))
		return EX_FAIL;
	if (block && parse_prefix(block, &r->block))
		return EX_FAIL;
	if (path && parse_path(path, r->segs, &r->nsegs))
		return EX_FAIL;
	return check_route(r);
}

static int route_from_json(json_t *j, size_t i, struct config *c)
{
	static const char *const keys[] = {
		"dst", "plane", "mode", "block", "path", "ecmp", "via", "src",
		"profile", NULL
	};
	struct route *r = &c->routes[i];
	const char *dst, *profile;

	memset(r, 0, sizeof(*r));
	if (only_keys(j, keys) || need_str(j, "dst", &dst))
		return EX_FAIL;
	err_context("routes[%zu] %.64s", i, dst);
	if (parse_prefix(dst, &r->dst) ||
	    need_num(j, "plane", 1, MRC_PLANE_MAX, &r->plane) ||
	    get_bool(j, "ecmp", &r->ecmp) || get_addr(j, "via", &r->via) ||
	    get_addr(j, "src", &r->src) || get_str(j, "profile", &profile) ||
	    (profile && parse_route_profile(profile, r->profile)))
		return EX_FAIL;
	return route_mode_from_json(j, r);
}

/* A path by its address, or by its number if it has none */
static int denial_from_json(json_t *j, size_t i, struct config *c)
{
	static const char *const keys[] = {
		"peer", "plane", "outer", "outer_next", "path", NULL
	};
	struct denial *d = &c->denials[i];
	const char *peer;

	memset(d, 0, sizeof(*d));
	d->force = true;	/* the file is all there is to be */
	d->has_index = json_object_get(j, "path");
	if (only_keys(j, keys) || need_str(j, "peer", &peer) ||
	    parse_addr(peer, &d->peer) ||
	    need_num(j, "plane", 1, MRC_PLANE_MAX, &d->plane) ||
	    get_addr(j, "outer", &d->outer) ||
	    get_addr(j, "outer_next", &d->next))
		return EX_FAIL;
	if (d->has_index == !addr_any(&d->outer))
		return err_fail("needs either \"outer\" or \"path\"");
	if (d->has_index && need_num(j, "path", 0, UINT16_MAX, &d->index))
		return EX_FAIL;
	return EX_DONE;
}

static int net_from_json(json_t *j, struct netcfg *n)
{
	const struct net_setting *s;
	const char *key;
	bool on = false;
	json_t *val;

	if (!json_is_object(j))
		return err_fail("this is no object");
	json_object_foreach(j, key, val) {
		for (s = net_settings; s->name; s++)
			if (!strcmp(s->key, key))
				break;
		if (!s->name)
			return err_fail("what is \"%s\"?", key);
		n->set[s->attr] = true;
		if (s->onoff) {
			if (get_bool(j, key, &on))
				return EX_FAIL;
			n->val[s->attr] = on;
		} else if (to_num(val, key, s->min, s->max,
				  &n->val[s->attr])) {
			return EX_FAIL;
		}
	}
	return EX_DONE;
}

static void reserve_nodes(struct config *c, size_t n)
{
	c->nodes = xrealloc(NULL, n, sizeof(*c->nodes));
	c->nnodes = n;
}

static void reserve_planes(struct config *c, size_t n)
{
	c->planes = xrealloc(NULL, n, sizeof(*c->planes));
	c->nplanes = n;
}

static void reserve_profiles(struct config *c, size_t n)
{
	c->profiles = xrealloc(NULL, n, sizeof(*c->profiles));
	c->nprofiles = n;
}

static void reserve_ccs(struct config *c, size_t n)
{
	c->ccs = xrealloc(NULL, n, sizeof(*c->ccs));
	c->nccs = n;
}

static void reserve_routes(struct config *c, size_t n)
{
	c->routes = xrealloc(NULL, n, sizeof(*c->routes));
	c->nroutes = n;
}

static void reserve_denials(struct config *c, size_t n)
{
	c->denials = xrealloc(NULL, n, sizeof(*c->denials));
	c->ndenials = n;
}

/**
 * struct section - an array of the file
 * @key: its name
 * @reserve: makes room in the configuration
 * @item: reads element i
 */
struct section {
	const char *key;
	void (*reserve)(struct config *c, size_t n);
	int (*item)(json_t *j, size_t i, struct config *c);
};

static const struct section sections[] = {
	{ "nodes", reserve_nodes, node_from_json },
	{ "planes", reserve_planes, plane_from_json },
	{ "profiles", reserve_profiles, profile_from_json },
	{ "cc", reserve_ccs, cc_from_json },
	{ "routes", reserve_routes, route_from_json },
	{ "denied", reserve_denials, denial_from_json },
};

/* Reads an array; one that is not there is empty. */
static int section_from_json(json_t *root, const struct section *s,
			     struct config *c)
{
	json_t *array = json_object_get(root, s->key);
	size_t i, n = json_array_size(array);

	if (!array)
		return EX_DONE;
	if (!json_is_array(array))
		return err_fail("\"%s\" is no array", s->key);
	s->reserve(c, n);
	for (i = 0; i < n; i++) {
		err_context("%s[%zu]", s->key, i);
		if (s->item(json_array_get(array, i), i, c))
			return EX_FAIL;
	}
	err_context("%s", "");
	return EX_DONE;
}

int route_cmp_key(const struct route *a, const struct route *b)
{
	int diff = memcmp(&a->dst.addr, &b->dst.addr, sizeof(a->dst.addr));

	if (!diff)
		diff = (int)a->dst.len - (int)b->dst.len;
	return diff ? diff : (int)a->plane - (int)b->plane;
}

static int cmp_pointers(const void *a, const void *b)
{
	const struct route *const *ra = a, *const *rb = b;

	return route_cmp_key(*ra, *rb);
}

/**
 * routes_sort() - routes in the order of their keys
 * @c: whose routes; they stay where they are
 *
 * Return: pointers to them, for free()
 */
const struct route **routes_sort(const struct config *c)
{
	const struct route **sorted;
	size_t i;

	sorted = xrealloc(NULL, c->nroutes, sizeof(*sorted));
	for (i = 0; i < c->nroutes; i++)
		sorted[i] = &c->routes[i];
	qsort(sorted, c->nroutes, sizeof(*sorted), cmp_pointers);
	return sorted;
}

/* Two routes with one key? There may be very many, so sort them. */
static int check_duplicates(const struct config *c)
{
	const struct route **sorted = routes_sort(c);
	char buf[PREFIX_LEN];
	int ret = EX_DONE;
	size_t i;

	for (i = 1; i < c->nroutes && !ret; i++)
		if (!route_cmp_key(sorted[i - 1], sorted[i]))
			ret = err_fail("routes[%zd] and routes[%zd] are both to %s over plane %u",
				       sorted[i - 1] - c->routes,
				       sorted[i] - c->routes,
				       prefix_str(&sorted[i]->dst, buf),
				       sorted[i]->plane);
	free(sorted);
	return ret;
}

static int config_from_json(json_t *root, struct config *c)
{
	static const char *const keys[] = {
		"version", "net", "nodes", "planes", "profiles", "cc",
		"cc_default", "routes", "denied", NULL
	};
	json_t *net = json_object_get(root, "net");
	uint32_t version;
	size_t i;

	if (only_keys(root, keys) ||
	    need_num(root, "version", CONFIG_VERSION, CONFIG_VERSION,
		     &version))
		return EX_FAIL;
	err_context("net");
	if (net && net_from_json(net, &c->net))
		return EX_FAIL;
	err_context("%s", "");
	if (json_object_get(root, "cc_default") &&
	    need_cc_name(root, "cc_default", c->cc_default))
		return EX_FAIL;
	for (i = 0; i < ARRAY_SIZE(sections); i++)
		if (section_from_json(root, &sections[i], c))
			return EX_FAIL;
	return check_duplicates(c);
}

/**
 * config_read_file() - read and check a configuration
 * @file: name of a JSON file, "-" for standard input
 * @c: the result, for config_free() also after an error
 *
 * All that can be known without asking the kernel to do it is checked here.
 *
 * Return: an exit code
 */
int config_read_file(const char *file, struct config *c)
{
	json_error_t err;
	json_t *root;
	int ret;

	memset(c, 0, sizeof(*c));
	if (!strcmp(file, "-"))
		root = json_loadf(stdin, JSON_REJECT_DUPLICATES, &err);
	else
		root = json_load_file(file, JSON_REJECT_DUPLICATES, &err);
	if (!root && err.line < 1)
		return err_fail("%s: %s", file, err.text);
	if (!root)
		return err_fail("%s:%d: %s", file, err.line, err.text);
	ret = config_from_json(root, c);
	err_context("%s", "");
	json_decref(root);
	return ret;
}

/* ---- to JSON ------------------------------------------------------------- */

static void set_addr(json_t *obj, const char *key,
		     const struct in6_addr *addr)
{
	char buf[ADDR_LEN];

	if (!addr_any(addr))
		json_object_set_new(obj, key,
				    json_string(addr_str(addr, buf)));
}

static json_t *net_to_json(const struct netcfg *n)
{
	const struct net_setting *s;
	json_t *obj = json_object();

	for (s = net_settings; s->name; s++) {
		if (!n->set[s->attr])
			continue;
		json_object_set_new(obj, s->key, s->onoff ?
				    json_boolean(n->val[s->attr]) :
				    json_integer(n->val[s->attr]));
	}
	return obj;
}

static json_t *plane_to_json(const struct plane *p)
{
	json_t *obj = json_object();

	json_object_set_new(obj, "plane", json_integer(p->number));
	json_object_set_new(obj, "dev", json_string(p->dev));
	set_addr(obj, "via", &p->via);
	set_addr(obj, "sid", &p->sid);
	json_object_set_new(obj, "admin_up", json_boolean(p->admin_up));
	return obj;
}

static json_t *profile_to_json(const struct profile *p)
{
	json_t *obj = json_object();
	char *text = profile_str(p);

	json_object_set_new(obj, "name", json_string(p->name));
	json_object_set_new(obj, profile_kind(p), json_string(text));
	free(text);
	return obj;
}

static json_t *cc_to_json(const struct cc *cc)
{
	json_t *obj = json_object();
	const struct cc_param *p;

	json_object_set_new(obj, "name", json_string(cc->name));
	json_object_set_new(obj, "algorithm", json_string(cc->algorithm));
	for (p = cc_params; p->name; p++)
		json_object_set_new(obj, p->key,
				    json_integer(cc->val[p->attr]));
	return obj;
}

/* Those that are built in cannot be changed, so they are left out. */
static void ccs_to_json(const struct config *c, json_t *root)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < c->nccs; i++)
		if (!c->ccs[i].builtin)
			json_array_append_new(array, cc_to_json(&c->ccs[i]));
	json_object_set_new(root, "cc", array);
	json_object_set_new(root, "cc_default", json_string(c->cc_default));
}

static json_t *route_to_json(const struct route *r)
{
	char prefix[PREFIX_LEN], path[PATH_LEN];
	json_t *obj = json_object();

	json_object_set_new(obj, "dst",
			    json_string(prefix_str(&r->dst, prefix)));
	json_object_set_new(obj, "plane", json_integer(r->plane));
	json_object_set_new(obj, "mode",
			    json_string(name_of(route_modes, ROUTE_MODES,
						r->mode)));
	if (r->block.len)
		json_object_set_new(obj, "block",
				    json_string(prefix_str(&r->block,
							   prefix)));
	if (r->nsegs)
		json_object_set_new(obj, "path",
				    json_string(path_str(r->segs, r->nsegs,
							 path)));
	if (r->ecmp)
		json_object_set_new(obj, "ecmp", json_true());
	set_addr(obj, "via", &r->via);
	set_addr(obj, "src", &r->src);
	if (*r->profile)
		json_object_set_new(obj, "profile", json_string(r->profile));
	return obj;
}

static json_t *denial_to_json(const struct denial *d)
{
	char buf[ADDR_LEN];
	json_t *obj = json_object();

	json_object_set_new(obj, "peer", json_string(addr_str(&d->peer, buf)));
	json_object_set_new(obj, "plane", json_integer(d->plane));
	if (addr_any(&d->outer))
		json_object_set_new(obj, "path", json_integer(d->index));
	else
		set_addr(obj, "outer", &d->outer);
	set_addr(obj, "outer_next", &d->next);
	return obj;
}

/*
 * Routes outlive their plane and wait for it. A file that names such a route
 * would be refused where the plane never was, so it is left out.
 */
static bool route_has_plane(const struct config *c, const struct route *r)
{
	char dst[PREFIX_LEN];

	if (config_plane(c, r->plane))
		return true;
	err_warn("left out: route %s, for there is no plane %u",
		 prefix_str(&r->dst, dst), r->plane);
	return false;
}

static json_t *config_to_json(const struct config *c)
{
	/* in an order that does not depend on how they came about */
	const struct route **routes = routes_sort(c);
	json_t *root = json_object(), *array;
	char buf[ADDR_LEN];
	size_t i;

	json_object_set_new(root, "version", json_integer(CONFIG_VERSION));
	json_object_set_new(root, "net", net_to_json(&c->net));
	array = json_array();
	for (i = 0; i < c->nnodes; i++)
		json_array_append_new(array, json_string(addr_str(&c->nodes[i],
								  buf)));
	json_object_set_new(root, "nodes", array);
	array = json_array();
	for (i = 0; i < c->nplanes; i++)
		json_array_append_new(array, plane_to_json(&c->planes[i]));
	json_object_set_new(root, "planes", array);
	array = json_array();
	for (i = 0; i < c->nprofiles; i++)
		json_array_append_new(array, profile_to_json(&c->profiles[i]));
	json_object_set_new(root, "profiles", array);
	ccs_to_json(c, root);
	array = json_array();
	for (i = 0; i < c->nroutes; i++)
		if (route_has_plane(c, routes[i]))
			json_array_append_new(array, route_to_json(routes[i]));
	json_object_set_new(root, "routes", array);
	array = json_array();
	for (i = 0; i < c->ndenials; i++)
		json_array_append_new(array, denial_to_json(&c->denials[i]));
	json_object_set_new(root, "denied", array);
	free(routes);
	return root;
}

static const char export_help[] =
	"Usage: mrcctl export\n"
	"Writes the configuration as JSON, for \"mrcctl apply\".\n";

int export_cmd(struct args *args)
{
	struct config c;
	json_t *root;
	int ret;

	if (take_word(args, "help"))
		return usage(export_help);
	if (no_more_args(args))
		return EX_USAGE_ERR;
	ret = config_read_kernel(&c);
	if (!ret) {
		root = config_to_json(&c);
		json_dumpf(root, stdout, JSON_INDENT(4));
		putchar('\n');
		json_decref(root);
	}
	config_free(&c);
	return ret;
}
