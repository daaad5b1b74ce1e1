// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl check: look for what most often keeps MRC from working. Each finding
 * is a line: ok, warn (works, but not as it might) or error.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/neighbour.h>

#include "mrcctl.h"

/* IPv6 needs it on any link. */
#define MTU_MIN		1280

static const char help[] =
	"Usage: mrcctl check\n"
	"Exit status 2 if there is an error among the findings.\n";

enum level {
	LEVEL_OK,
	LEVEL_WARN,
	LEVEL_ERROR,
};

static const char *const levels[] = { "ok", "warn", "error" };
static const char *const columns[] = { "ok   ", "warn ", "error" };
static enum level worst;

static void __printf(3, 4) finding(enum level level, const char *what,
				   const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (level > worst)
		worst = level;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	out_rec_begin();
	out_str("level", "", levels[level]);
	out_str(NULL, NULL, columns[level]);
	out_str("check", "", what);
	out_str("text", NULL, text);
	out_rec_end();
	fflush(stdout);
}

static void check_nodes(const struct config *c)
{
	char buf[ADDR_LEN];
	bool assigned;
	size_t i;

	if (!c->nnodes)
		finding(LEVEL_ERROR, "node",
			"no node address, nobody can connect: mrcctl node add ADDRESS");
	for (i = 0; i < c->nnodes; i++) {
		addr_str(&c->nodes[i], buf);
		if (rtnl_is_assigned(&c->nodes[i], &assigned))
			assigned = false;
		if (assigned)
			finding(LEVEL_OK, "node", "node %s is assigned", buf);
		else
			finding(LEVEL_ERROR, "node",
				"node %s is not assigned to an interface: ip addr add %s/128 dev lo",
				buf, buf);
	}
}

static void check_gateway(const struct plane *p, const struct in6_addr *via)
{
	const char *words = "";
	char buf[ADDR_LEN];
	uint16_t state = 0;

	addr_str(via, buf);
	if (!p->ifindex || p->state != MRC_PLANE_STATE_UP)
		return;		/* said already */
	if (rtnl_resolve(p->ifindex, via, &state, &words))
		words = "its state cannot be read";
	if (state == NUD_REACHABLE)
		finding(LEVEL_OK, "gateway", "plane %u: gateway %s on %s is resolved",
			p->number, buf, p->dev);
	else
		finding(state & NUD_FAILED ? LEVEL_ERROR : LEVEL_WARN,
			"gateway", "plane %u: gateway %s on %s: %s",
			p->number, buf, p->dev, words);
}

/* The plane's own gateway and those of its routes, each once */
static void check_gateways(const struct config *c, const struct plane *p)
{
	const struct in6_addr **seen;
	size_t i, j, n = 0;

	seen = xrealloc(NULL, c->nroutes + 1, sizeof(*seen));
	if (!addr_any(&p->via))
		seen[n++] = &p->via;
	for (i = 0; i < c->nroutes; i++) {
		const struct route *r = &c->routes[i];

		if (r->plane != p->number || addr_any(&r->via))
			continue;
		for (j = 0; j < n; j++)
			if (addr_eq(seen[j], &r->via))
				break;
		if (j == n)
			seen[n++] = &r->via;
	}
	if (!n)
		finding(LEVEL_ERROR, "gateway",
			"plane %u has no gateway and none of its routes has one",
			p->number);
	for (i = 0; i < n; i++)
		check_gateway(p, seen[i]);
	free(seen);
}

static void check_sid(const struct config *c, const struct plane *p)
{
	char buf[ADDR_LEN];
	bool local;
	size_t i;

	if (!addr_any(&p->sid)) {
		addr_str(&p->sid, buf);
		if (rtnl_is_local(&p->sid, &local))
			local = false;
		if (local)
			finding(LEVEL_OK, "sid", "plane %u: SID %s is local",
				p->number, buf);
		else
			finding(LEVEL_ERROR, "sid",
				"plane %u: SID %s is not local, what comes for it is lost: mrcctl plane set %u sid %s",
				p->number, buf, p->number, buf);
		return;
	}
	for (i = 0; i < c->nroutes; i++) {
		if (c->routes[i].plane != p->number ||
		    c->routes[i].mode == MRC_ROUTE_MODE_PLAIN)
			continue;
		finding(LEVEL_WARN, "sid",
			"plane %u has source routes but no SID: peers cannot use source routes to here",
			p->number);
		return;
	}
}

static void check_planes(const struct config *c)
{
	const struct plane *p;
	size_t i;

	if (!c->nplanes)
		finding(LEVEL_ERROR, "plane", "no plane: mrcctl plane add");
	for (i = 0; i < c->nplanes; i++) {
		p = &c->planes[i];
		if (p->state == MRC_PLANE_STATE_UP)
			finding(LEVEL_OK, "plane", "plane %u on %s is up",
				p->number, p->dev);
		else
			finding(p->state == MRC_PLANE_STATE_ADMIN_DOWN ?
				LEVEL_WARN : LEVEL_ERROR, "plane",
				"plane %u on %s is not up: %s", p->number,
				p->dev, name_of(plane_states, PLANE_STATES,
						p->state));
		check_gateways(c, p);
		check_sid(c, p);
	}
}

static void check_mtu(const struct config *c)
{
	const struct plane *low = NULL, *high = NULL, *p;
	size_t i;

	for (i = 0; i < c->nplanes; i++) {
		p = &c->planes[i];
		if (!p->ifindex)
			continue;
		if (!low || p->mtu < low->mtu)
			low = p;
		if (!high || p->mtu > high->mtu)
			high = p;
	}
	if (!low)
		return;
	if (low->mtu < MTU_MIN)
		finding(LEVEL_ERROR, "mtu", "plane %u: MTU %u is below %u",
			low->number, low->mtu, MTU_MIN);
	else if (low->mtu != high->mtu)
		finding(LEVEL_WARN, "mtu",
			"MTUs differ, from %u on plane %u to %u on plane %u: packets are made for the smallest",
			low->mtu, low->number, high->mtu, high->number);
	else
		finding(LEVEL_OK, "mtu", "all planes have MTU %u", low->mtu);
}

/* Planes as a list for people: "2, 3" */
static const char *planes_str(uint32_t mask, char *buf, size_t size)
{
	unsigned int plane;
	size_t len = 0;

	buf[0] = '\0';
	for (plane = 1; plane <= MRC_PLANE_MAX && len < size; plane++)
		if (mask >> (plane - 1) & 1)
			len += snprintf(buf + len, size - len, "%s%u",
					len ? ", " : "", plane);
	return buf;
}

static uint32_t all_planes(const struct config *c)
{
	uint32_t mask = 0;
	size_t i;

	for (i = 0; i < c->nplanes; i++)
		mask |= 1U << (c->planes[i].number - 1);
	return mask;
}

/* One destination prefix: is there a route over each plane? */
static void check_dst(const struct config *c, const struct route *r,
		      uint32_t mask)
{
	char dst[PREFIX_LEN], planes[128];
	uint32_t missing = all_planes(c) & ~mask;

	prefix_str(&r->dst, dst);
	if (missing)
		finding(LEVEL_WARN, "route", "%s has no route over plane %s",
			dst, planes_str(missing, planes, sizeof(planes)));
	else
		finding(LEVEL_OK, "route", "%s has a route over each plane",
			dst);
}

static void check_routes(const struct config *c)
{
	const struct route **sorted = routes_sort(c);
	char src[ADDR_LEN], dst[PREFIX_LEN];
	uint32_t mask = 0;
	size_t i;

	if (!c->nroutes)
		finding(LEVEL_ERROR, "route", "no route: mrcctl route add");
	for (i = 0; i < c->nroutes; i++) {
		const struct route *r = sorted[i];

		mask |= 1U << (r->plane - 1);
		if (!addr_any(&r->src) && !config_has_node(c, &r->src))
			finding(LEVEL_ERROR, "route",
				"%s plane %u: source %s is no node address",
				prefix_str(&r->dst, dst), r->plane,
				addr_str(&r->src, src));
		if (i + 1 < c->nroutes &&
		    r->dst.len == sorted[i + 1]->dst.len &&
		    addr_eq(&r->dst.addr, &sorted[i + 1]->dst.addr))
			continue;
		check_dst(c, r, mask);
		mask = 0;
	}
	free(sorted);
}

static int peer_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_PEER_MAX + 1];
	char buf[ADDR_LEN], list[128];
	struct in6_addr remote;
	uint32_t planes, good;

	attr_parse(nlh, tb, MRC_A_PEER_MAX);
	attr_addr(tb, MRC_A_PEER_REMOTE, &remote);
	planes = attr_u32(tb, MRC_A_PEER_PLANES);
	good = attr_u32(tb, MRC_A_PEER_PLANES_GOOD);
	addr_str(&remote, buf);
	if (config_has_node(data, &remote))
		return MNL_CB_OK;	/* ourselves, needs no plane */
	if (!attr_u32(tb, MRC_A_PEER_CONNECTIONS)) {
		/* nobody probes its paths: what was known of them is old */
		if (planes & ~good)
			finding(LEVEL_OK, "peer",
				"peer %s: no connection; plane %s did not work when there was one: mrcctl probe",
				buf, planes_str(planes & ~good, list,
						sizeof(list)));
		return MNL_CB_OK;
	}
	if (!planes)
		finding(LEVEL_ERROR, "peer", "peer %s: no route leads to it",
			buf);
	else if (!good)
		finding(LEVEL_ERROR, "peer", "peer %s: no path works", buf);
	else if (planes & ~good)
		finding(LEVEL_WARN, "peer", "peer %s: no path works on plane %s",
			buf, planes_str(planes & ~good, list, sizeof(list)));
	else
		finding(LEVEL_OK, "peer", "peer %s: each plane works", buf);
	return MNL_CB_OK;
}

/* Counters that tell of a wrong configuration */
static int counter_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_COUNTER_MAX + 1];
	unsigned long long val;
	char name[64];

	attr_parse(nlh, tb, MRC_A_COUNTER_MAX);
	attr_name(tb, MRC_A_COUNTER_NAME, name, sizeof(name));
	val = attr_uint(tb[MRC_A_COUNTER_VALUE]);
	if (!val)
		return MNL_CB_OK;
	if (!strcmp(name, "NoReturn"))
		finding(LEVEL_WARN, "return",
			"%llu answers found no route back: mrcctl monitor no-return-route names the peers",
			val);
	else if (!strcmp(name, "PlaneMiscabled"))
		finding(LEVEL_WARN, "cabling",
			"%llu packets came on another plane than they were sent on: numbering or cabling",
			val);
	return MNL_CB_OK;
}

/* With a node the module has the port; without, could it get it? */
static void check_port(const struct config *c)
{
	uint32_t port = c->net.val[MRC_A_NET_UDP_PORT];
	struct sockaddr_in6 sa = {
		.sin6_family = AF_INET6, .sin6_port = htons(port),
	};
	int fd;

	if (c->nnodes) {
		finding(LEVEL_OK, "port", "UDP port %u is ours", port);
		return;
	}
	fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)))
		finding(LEVEL_ERROR, "port",
			"UDP port %u: %s; is it RoCE (rdma_rxe)? See ss -ulnp and rdma link",
			port, strerror(errno));
	else
		finding(LEVEL_OK, "port", "UDP port %u is free", port);
	if (fd >= 0)
		close(fd);
}

int check_cmd(struct args *args)
{
	struct config c;
	int ret;

	if (take_word(args, "help"))
		return usage(help);
	if (no_more_args(args))
		return EX_USAGE_ERR;
	ret = config_read_kernel(&c);
	if (!ret) {
		worst = LEVEL_OK;
		out_list_begin();
		check_port(&c);
		check_nodes(&c);
		check_planes(&c);
		check_mtu(&c);
		check_routes(&c);
		ret = nl_dump(MRC_CMD_PEER_GET, peer_cb, &c) ? :
		      nl_dump(MRC_CMD_STATS_GET, counter_cb, NULL);
		out_list_end();
		ret = nl_report(ret);
	}
	config_free(&c);
	if (!ret && worst == LEVEL_ERROR)
		ret = EX_FAIL;
	return ret;
}
