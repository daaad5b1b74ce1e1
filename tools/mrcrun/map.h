/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which addresses of IP are which nodes of MRC, and what stays TCP: the rules
 * that the user gives, and their application to addresses.
 */
#ifndef MRCRUN_MAP_H
#define MRCRUN_MAP_H

/* Before <linux/mrc.h>, whose in6_addr then is that of the C library */
#include <netinet/in.h>
#include <sys/socket.h>

#include <linux/mrc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a rule says of the addresses or ports that match it. */
enum map_kind {
	MAP_NODE,	/* they are nodes */
	MAP_TCP,	/* they stay TCP */
	MAP_TCP_PORT,	/* these ports do */
};

/**
 * struct map_rule - one rule
 * @kind: see there
 * @from: prefix of IP, an IPv4 one as ::ffff:a.b.c.d
 * @len: bits of it, in this form
 * @to: node prefix of the same length, for MAP_NODE
 * @low: first port, for MAP_TCP_PORT
 * @high: last one
 */
struct map_rule {
	enum map_kind	kind;
	struct in6_addr	from;
	unsigned int	len;
	struct in6_addr	to;
	uint16_t	low;
	uint16_t	high;
};

struct map {
	struct map_rule	*rules;
	size_t		n;
};

/* Rules are separated by commas or ends of lines; "#" begins a comment. Those
 * of @text are added to @map. Return: NULL, or what is wrong: a static text,
 * @bad being the rule (up to @size bytes with the final 0).
 */
const char *map_add(struct map *map, const char *text, char *bad, size_t size);

/* The node that an address of IP stands for. Return: is there one? */
bool map_node(const struct map *map, const struct sockaddr *addr,
	      struct sockaddr_mrc *node);
/* Does a rule keep this port, of any address, to TCP? Host order. */
bool map_port_is_tcp(const struct map *map, uint16_t port);
/* The IPv4 address of a node; 192.0.0.8, "no address", if no rule names it. */
struct in_addr map_ipv4(const struct map *map, const struct in6_addr *node);
/* Has any node an IPv4 address? */
bool map_knows_ipv4(const struct map *map);

#endif
