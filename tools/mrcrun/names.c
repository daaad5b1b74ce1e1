// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses: the program's to ours, and back to the family that it thinks
 * its socket has.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "lib.h"

static bool is_mapped(const struct sockaddr *addr)
{
	const struct sockaddr_in6 *v6 = (const void *)addr;

	return addr->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);
}

/* The node that @addr, of a socket of @family, stands for, and how addresses
 * of the socket look from then on. Return: is there one?
 */
bool name_in(const struct sockaddr *addr, socklen_t len, int family,
	     struct sockaddr_mrc *node, enum tag *tag)
{
	size_t least = family == AF_INET ? sizeof(struct sockaddr_in) :
					   sizeof(struct sockaddr_in6);

	if (len < least || addr->sa_family != family)
		return false;
	if (family == AF_INET)
		*tag = TAG_INET;
	else
		*tag = is_mapped(addr) ? TAG_MAPPED : TAG_INET6;
	return map_node(&map, addr, node);
}

static struct in_addr v4_of(const struct sockaddr_mrc *node)
{
	static const struct in_addr any = { INADDR_ANY };

	return IN6_IS_ADDR_UNSPECIFIED(&node->smrc_addr) ?
	       any : map_ipv4(&map, &node->smrc_addr);
}

static socklen_t as_v4(struct sockaddr_storage *out,
		       const struct sockaddr_mrc *node)
{
	struct sockaddr_in v4 = {
		.sin_family	= AF_INET,
		.sin_port	= node->smrc_port,
		.sin_addr	= v4_of(node),
	};

	memcpy(out, &v4, sizeof(v4));
	return sizeof(v4);
}

static socklen_t as_v6(struct sockaddr_storage *out,
		       const struct sockaddr_mrc *node, bool mapped)
{
	struct sockaddr_in6 v6 = {
		.sin6_family	= AF_INET6,
		.sin6_port	= node->smrc_port,
		.sin6_addr	= node->smrc_addr,
	};
	struct in_addr v4 = v4_of(node);

	if (mapped) {
		memset(&v6.sin6_addr, 0, 10);
		memset(&v6.sin6_addr.s6_addr[10], 0xff, 2);
		memcpy(&v6.sin6_addr.s6_addr[12], &v4, sizeof(v4));
	}
	memcpy(out, &v6, sizeof(v6));
	return sizeof(v6);
}

static socklen_t as_seen(int fd, struct sockaddr_storage *out)
{
	struct sockaddr_mrc node;

	memcpy(&node, out, sizeof(node));
	switch (tag_of(fd)) {
	case TAG_INET:
		return as_v4(out, &node);
	case TAG_INET6:
		return as_v6(out, &node, false);
	case TAG_MAPPED:
		return as_v6(out, &node, true);
	default:
		return sizeof(node);
	}
}

void name_out(int fd, const struct sockaddr_storage *said, socklen_t n,
	      struct sockaddr *addr, socklen_t *len)
{
	struct sockaddr_storage out = *said;

	if (n >= sizeof(struct sockaddr_mrc) && said->ss_family == AF_MRC)
		n = as_seen(fd, &out);
	memcpy(addr, &out, n < *len ? n : *len);
	*len = n;
}

const char *name_text(const struct sockaddr *addr, char *buf, size_t size)
{
	const struct sockaddr_in6 *v6 = (const void *)addr;
	const struct sockaddr_in *v4 = (const void *)addr;
	char ip[INET6_ADDRSTRLEN];

	switch (addr->sa_family) {
	case AF_INET:
		inet_ntop(AF_INET, &v4->sin_addr, ip, sizeof(ip));
		snprintf(buf, size, "%s:%d", ip, ntohs(v4->sin_port));
		break;
	case AF_INET6:
	case AF_MRC:
		inet_ntop(AF_INET6, &v6->sin6_addr, ip, sizeof(ip));
		snprintf(buf, size, "[%s]:%d", ip, ntohs(v6->sin6_port));
		break;
	default:
		snprintf(buf, size, "?");
	}
	return buf;
}
