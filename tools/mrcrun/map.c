// SPDX-License-Identifier: GPL-2.0
/*
 * Rules, in order, the first that matches counts:
 *
 *	10.0.0.0/24 = fd00:6d::/120	IPv4 addresses are these nodes
 *	10.0.0.7 = tcp			this address stays TCP
 *	fd00:6d::/64 = tcp		(IPv6, too)
 *	:22 = tcp			this port does, whatever the address
 *	:8000-8999 = tcp
 *
 * An IPv6 address that no rule names is the node of the same address, an IPv4
 * address none.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

#define BLANKS		" \t\r"
#define V4_BITS		96	/* of ::ffff:0:0/96 */

/* RFC 7600: the IPv4 address of someone who has none */
#define DUMMY_IPV4	0xc0000008

/* --- prefixes -------------------------------------------------------------- */

static bool prefix_covers(const struct in6_addr *prefix, unsigned int len,
			  const struct in6_addr *addr)
{
	unsigned int bytes = len / 8, bits = len % 8;

	if (memcmp(prefix, addr, bytes))
		return false;
	return !bits || !((prefix->s6_addr[bytes] ^ addr->s6_addr[bytes]) >>
			  (8 - bits));
}

/* @len bits of @prefix, the rest from @addr */
static struct in6_addr prefix_join(const struct in6_addr *prefix,
				   unsigned int len,
				   const struct in6_addr *addr)
{
	unsigned int bytes = len / 8, bits = len % 8;
	struct in6_addr out = *addr;
	uint8_t mask = 0xff << (8 - bits);

	memcpy(&out, prefix, bytes);
	if (bits)
		out.s6_addr[bytes] = (prefix->s6_addr[bytes] & mask) |
				     (addr->s6_addr[bytes] & ~mask);
	return out;
}

static struct in6_addr v4_mapped(struct in_addr a)
{
	struct in6_addr out = {};

	out.s6_addr[10] = 0xff;
	out.s6_addr[11] = 0xff;
	memcpy(&out.s6_addr[12], &a, sizeof(a));
	return out;
}

/* --- reading --------------------------------------------------------------- */

/* A whole number of 0 to @most up to the end of @text; -1 if it is none */
static long number(const char *text, long most)
{
	char *end;
	long n;

	if (*text < '0' || *text > '9')
		return -1;
	n = strtol(text, &end, 10);
	return *end || n > most ? -1 : n;
}

/* ADDRESS[/LENGTH]; @len is in bits of IPv6 */
static const char *read_prefix(char *text, struct in6_addr *addr,
			       unsigned int *len)
{
	char *slash = strchr(text, '/');
	struct in_addr v4;
	long n, most = 128;

	if (slash)
		*slash++ = 0;
	if (inet_pton(AF_INET, text, &v4) == 1) {
		*addr = v4_mapped(v4);
		most = 32;
	} else if (inet_pton(AF_INET6, text, addr) != 1) {
		return "no address";
	}
	n = slash ? number(slash, most) : most;
	if (n < 0)
		return "bad prefix length";
	*len = n + 128 - most;
	return NULL;
}

static bool bits_below(const struct in6_addr *addr, unsigned int len)
{
	struct in6_addr zero = {}, head = prefix_join(addr, len, &zero);

	return memcmp(&head, addr, sizeof(head));
}

static const char *read_ports(char *text, struct map_rule *rule)
{
	char *dash = strchr(text, '-');
	long low, high;

	if (dash)
		*dash++ = 0;
	low = number(text, 65535);
	high = dash ? number(dash, 65535) : low;
	if (low < 1 || high < low)
		return "bad port";
	rule->kind = MAP_TCP_PORT;
	rule->low = low;
	rule->high = high;
	return NULL;
}

/* The right side of an IPv4 prefix: a node prefix with as many bits left */
static const char *read_node(char *text, struct map_rule *rule)
{
	bool given = strchr(text, '/');
	unsigned int len;
	const char *why = read_prefix(text, &rule->to, &len);

	if (why)
		return why;
	if (IN6_IS_ADDR_V4MAPPED(&rule->to))
		return "a node has an IPv6 address";
	if (!IN6_IS_ADDR_V4MAPPED(&rule->from) || rule->len < V4_BITS)
		return "only IPv4 addresses can be other nodes";
	if (given && len != rule->len)
		return "the node prefix must be 96 longer than that of IPv4";
	if (bits_below(&rule->from, rule->len) ||
	    bits_below(&rule->to, rule->len))
		return "bits below the prefix length";
	rule->kind = MAP_NODE;
	return NULL;
}

static char *trim(char *text)
{
	size_t len;

	text += strspn(text, BLANKS);
	len = strlen(text);
	while (len && strchr(BLANKS, text[len - 1]))
		text[--len] = 0;
	return text;
}

static const char *read_rule(char *text, struct map_rule *rule)
{
	char *right = strchr(text, '=');
	const char *why;

	if (!right)
		return "a rule is PREFIX = NODE-PREFIX, PREFIX = tcp or :PORT = tcp";
	*right++ = 0;
	text = trim(text);
	right = trim(right);
	if (*text == ':' && text[1] >= '0' && text[1] <= '9' &&
	    !strchr(text + 1, ':'))
		return strcmp(right, "tcp") ? "ports can only be tcp" :
					      read_ports(text + 1, rule);
	why = read_prefix(text, &rule->from, &rule->len);
	if (why)
		return why;
	if (strcmp(right, "tcp"))
		return read_node(right, rule);
	rule->kind = MAP_TCP;
	return NULL;
}

static const char *add_rule(struct map *map, char *text)
{
	struct map_rule rule = {}, *more;
	const char *why = read_rule(text, &rule);

	if (why)
		return why;
	more = reallocarray(map->rules, map->n + 1, sizeof(*more));
	if (!more)
		return "no memory";
	map->rules = more;
	map->rules[map->n++] = rule;
	return NULL;
}

const char *map_add(struct map *map, const char *text, char *bad, size_t size)
{
	while (*text) {
		size_t line = strcspn(text, "\n"), n = strcspn(text, ",\n#");
		const char *why;
		char *rule;

		rule = strndup(text, n);
		if (!rule)
			return "no memory";
		if (size) {
			bad[0] = 0;
			strncat(bad, trim(rule), size - 1);
		}
		why = *trim(rule) ? add_rule(map, rule) : NULL;
		free(rule);
		if (why)
			return why;
		text += text[n] == '#' ? line : n;
		text += !!*text;
	}
	return NULL;
}

/* --- applying -------------------------------------------------------------- */

static bool port_matches(const struct map_rule *rule, uint16_t port)
{
	return rule->kind == MAP_TCP_PORT && port >= rule->low &&
	       port <= rule->high;
}

static bool rule_matches(const struct map_rule *rule,
			 const struct in6_addr *addr, uint16_t port)
{
	if (rule->kind == MAP_TCP_PORT)
		return port_matches(rule, port);
	return prefix_covers(&rule->from, rule->len, addr);
}

/* Of the host itself, of a link, or no address at all */
static bool never_node(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_UNSPECIFIED(addr) || IN6_IS_ADDR_LOOPBACK(addr) ||
	       IN6_IS_ADDR_LINKLOCAL(addr) || IN6_IS_ADDR_MULTICAST(addr) ||
	       IN6_IS_ADDR_V4MAPPED(addr);
}

bool map_node(const struct map *map, const struct sockaddr *addr,
	      struct sockaddr_mrc *node)
{
	const struct sockaddr_in6 *v6 = (const void *)addr;
	const struct sockaddr_in *v4 = (const void *)addr;
	bool is_v4 = addr->sa_family == AF_INET;
	struct in6_addr from = is_v4 ? v4_mapped(v4->sin_addr) : v6->sin6_addr;
	__be16 port = is_v4 ? v4->sin_port : v6->sin6_port;
	size_t i;

	memset(node, 0, sizeof(*node));
	node->smrc_family = AF_MRC;
	node->smrc_port = port;
	node->smrc_addr = from;
	for (i = 0; i < map->n; i++) {
		const struct map_rule *rule = &map->rules[i];

		if (!rule_matches(rule, &from, ntohs(port)))
			continue;
		if (rule->kind != MAP_NODE)
			return false;
		node->smrc_addr = prefix_join(&rule->to, rule->len, &from);
		return true;
	}
	return !never_node(&from);
}

bool map_port_is_tcp(const struct map *map, uint16_t port)
{
	size_t i;

	for (i = 0; i < map->n; i++)
		if (port_matches(&map->rules[i], port))
			return true;
	return false;
}

struct in_addr map_ipv4(const struct map *map, const struct in6_addr *node)
{
	struct in_addr out = { htonl(DUMMY_IPV4) };
	size_t i;

	for (i = 0; i < map->n; i++) {
		const struct map_rule *rule = &map->rules[i];
		struct in6_addr v6;

		if (rule->kind != MAP_NODE ||
		    !prefix_covers(&rule->to, rule->len, node))
			continue;
		v6 = prefix_join(&rule->from, rule->len, node);
		memcpy(&out, &v6.s6_addr[12], sizeof(out));
		break;
	}
	return out;
}

bool map_knows_ipv4(const struct map *map)
{
	size_t i;

	for (i = 0; i < map->n; i++)
		if (map->rules[i].kind == MAP_NODE)
			return true;
	return false;
}
