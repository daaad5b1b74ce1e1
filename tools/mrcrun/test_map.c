// SPDX-License-Identifier: GPL-2.0
/*
 * Rules: what is one, and what becomes of addresses. Prints TAP.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

static int tests, failures;

static void result(bool good, const char *what)
{
	failures += !good;
	printf("%s %d - ", good ? "ok" : "not ok", ++tests);
	for (; *what; what++)
		putchar(*what == '\n' ? ';' : *what);
	putchar('\n');
}

static void refused(const char *text, const char *why)
{
	struct map map = {};
	char bad[80], what[200];
	const char *said = map_add(&map, text, bad, sizeof(bad));

	snprintf(what, sizeof(what), "\"%s\": %s", text, said ?: "taken");
	result(said && strstr(said, why), what);
	free(map.rules);
}

/* ip:port by @rules is the node @want, or none */
static void becomes(const char *rules, const char *ip, int port,
		    const char *want)
{
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in *v4 = (void *)&v6;
	char node[INET6_ADDRSTRLEN], what[300];
	struct sockaddr_mrc out;
	struct map map = {};
	bool found;

	if (inet_pton(AF_INET6, ip, &v6.sin6_addr) != 1) {
		v6.sin6_family = AF_INET;
		inet_pton(AF_INET, ip, &v4->sin_addr);
	}
	v6.sin6_port = htons(port);
	if (map_add(&map, rules, what, sizeof(what)))
		abort();
	found = map_node(&map, (struct sockaddr *)&v6, &out);
	inet_ntop(AF_INET6, &out.smrc_addr, node, sizeof(node));
	snprintf(what, sizeof(what), "by \"%s\" %s is %s", rules, ip,
		 found ? node : "none");
	if (want)
		found = !found || strcmp(node, want) ||
			out.smrc_port != htons(port) ||
			out.smrc_family != AF_MRC;
	result(!found, what);
	free(map.rules);
}

static void back(const char *rules, const char *node, const char *want)
{
	char ip[INET_ADDRSTRLEN], what[300];
	struct map map = {};
	struct in6_addr a;
	struct in_addr v4;

	if (map_add(&map, rules, what, sizeof(what)) ||
	    inet_pton(AF_INET6, node, &a) != 1)
		abort();
	v4 = map_ipv4(&map, &a);
	inet_ntop(AF_INET, &v4, ip, sizeof(ip));
	snprintf(what, sizeof(what), "by \"%s\" node %s is %s", rules, node,
		 ip);
	result(!strcmp(ip, want), what);
	free(map.rules);
}

int main(void)
{
	refused("10.0.0.0/24", "a rule is");
	refused("= tcp", "no address");
	refused("10.0.0.0/33 = tcp", "prefix length");
	refused("10.0.0.0/ = tcp", "prefix length");
	refused("10.0.0.0/24x = tcp", "prefix length");
	refused("10.0.0.0/24 = fd00::/64", "96 longer");
	refused("10.0.0.1/24 = fd00::/120", "bits below");
	refused("10.0.0.0/24 = fd00::1/120", "bits below");
	refused("10.0.0.0/24 = 10.1.0.0/24", "IPv6 address");
	refused("fd00::/64 = fd01::/64", "only IPv4");
	refused(":0 = tcp", "bad port");
	refused(":65536 = tcp", "bad port");
	refused(":9-8 = tcp", "bad port");
	refused(":80 = fd00::1", "only be tcp");
	refused("10.0.0.1 = tcp, x = tcp", "no address");

	becomes("", "fd00::7", 80, "fd00::7");
	becomes("", "10.0.0.7", 80, NULL);
	becomes("", "::ffff:10.0.0.7", 80, NULL);
	becomes("", "::1", 80, NULL);
	becomes("", "::", 80, NULL);
	becomes("", "fe80::1", 80, NULL);
	becomes("", "ff02::1", 80, NULL);
	becomes("10.0.0.0/24=fd00::/120", "10.0.0.7", 80, "fd00::7");
	becomes("10.0.0.0/24=fd00::", "::ffff:10.0.0.255", 80, "fd00::ff");
	becomes("10.0.0.0/24=fd00::", "10.0.1.7", 80, NULL);
	becomes("10.0.0.0/21 = fd00:0:0:ff::f800/117", "10.0.7.9", 80,
		"fd00:0:0:ff::ff09");
	becomes("10.0.0.7 = fd00::9\n10.0.0.0/8 = fd01::", "10.0.0.7", 80,
		"fd00::9");
	becomes("10.0.0.7 = tcp # not this\n10.0.0.0/8 = fd01::", "10.0.0.7",
		80, NULL);
	becomes("0.0.0.0/0 = fd00::", "1.2.3.4", 80, "fd00::102:304");
	becomes("fd00::/16 = tcp", "fd00::7", 80, NULL);
	becomes("fd00::/16 = tcp", "fd01::7", 80, "fd01::7");
	becomes(":22 = tcp", "fd00::7", 22, NULL);
	becomes(":22 = tcp", "fd00::7", 23, "fd00::7");
	becomes(" :8000-8010 = tcp ,", "fd00::7", 8010, NULL);
	becomes("# :22 = tcp, x", "fd00::7", 22, "fd00::7");

	back("10.0.0.0/24 = fd00::/120", "fd00::7", "10.0.0.7");
	back("10.0.0.9 = tcp, 10.0.0.0/24 = fd00::", "fd00::9", "10.0.0.9");
	back("10.0.0.0/24 = fd00::/120", "fd00::107", "192.0.0.8");
	back("", "fd00::7", "192.0.0.8");
	printf("1..%d\n", tests);
	return failures != 0;
}
