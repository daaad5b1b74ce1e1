/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections over TCP, MPTCP and MRC by one and the same code, for the
 * programs of a run: only the arguments of socket() differ. And the pattern
 * that they send and compare.
 */
#ifndef _VT_CONN_H
#define _VT_CONN_H

#include <arpa/inet.h>
#include <err.h>
#include <linux/mrc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP	262
#endif

/* Length of the pattern: a prime, so that no loss of whole packets, reads or
 * pages goes unnoticed.
 */
#define PERIOD		1048573

struct proto {
	const char *name;
	int family, protocol;
};

/* What the command line says of a program's sockets. */
static struct {
	const struct proto *proto;
	struct sockaddr_in6 addr;	/* sockaddr_mrc has the same layout */
	int sockbuf;
	bool nodelay, messages;
} conf;

static unsigned char *pattern;	/* PERIOD + the largest read */

static inline void die(const char *what)
{
	err(1, "%s", what);
}

static inline void *allocate(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		die("calloc");
	return p;
}

static inline bool parse_proto(const char *name)
{
	static const struct proto protos[] = {
		{ "tcp",	AF_INET6,	IPPROTO_TCP },
		{ "mptcp",	AF_INET6,	IPPROTO_MPTCP },
		{ "mrc",	AF_MRC,		0 },
	};
	size_t i;

	for (i = 0; i < sizeof(protos) / sizeof(protos[0]); i++)
		if (!strcmp(name, protos[i].name))
			conf.proto = &protos[i];
	return conf.proto;
}

/* An address in the family of the protocol that has been chosen. */
static inline struct sockaddr_in6 make_address(const char *addr,
					       const char *port)
{
	struct sockaddr_in6 sin6 = { .sin6_family = conf.proto->family };

	if (inet_pton(AF_INET6, addr, &sin6.sin6_addr) != 1)
		errx(2, "not an address: %s", addr);
	sin6.sin6_port = htons(atoi(port));
	return sin6;
}

/* PROTO ADDR PORT; false: no such protocol. */
static inline bool parse_address(char **argv)
{
	if (!parse_proto(argv[0]))
		return false;
	conf.addr = make_address(argv[1], argv[2]);
	return true;
}

static inline int new_socket(void)
{
	int one = 1, s, type = SOCK_STREAM;

	if (conf.messages && conf.proto->family == AF_MRC)
		type = SOCK_SEQPACKET;
	s = socket(conf.proto->family, type, conf.proto->protocol);
	if (s < 0)
		die("socket");
	if (setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		die("SO_REUSEADDR");
	if (conf.nodelay && conf.proto->family == AF_MRC &&
	    setsockopt(s, SOL_MRC, MRC_NODELAY, &one, sizeof(one)))
		die("MRC_NODELAY");
	if (conf.nodelay && conf.proto->family != AF_MRC &&
	    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("TCP_NODELAY");
	if (conf.sockbuf &&
	    (setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &conf.sockbuf,
			sizeof(conf.sockbuf)) ||
	     setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &conf.sockbuf,
			sizeof(conf.sockbuf))))
		die("SO_SNDBUFFORCE");
	return s;
}

static inline int listen_on(int backlog)
{
	int s = new_socket();

	if (bind(s, (struct sockaddr *)&conf.addr, sizeof(conf.addr)))
		die("bind");
	if (listen(s, backlog))
		die("listen");
	return s;
}

static inline int accept_one(int s)
{
	int c = accept(s, NULL, NULL);

	if (c < 0)
		die("accept");
	return c;
}

static inline int connect_to(const struct sockaddr_in6 *addr)
{
	int s = new_socket();

	if (connect(s, (const struct sockaddr *)addr, sizeof(*addr)))
		die("connect");
	return s;
}

static inline int connect_one(void)
{
	return connect_to(&conf.addr);
}

/* Of a connection that has not ended. */
static inline void read_all(int s, void *to, size_t size)
{
	size_t done;
	ssize_t n;

	for (done = 0; done < size; done += n) {
		n = read(s, (char *)to + done, size - done);
		if (n < 0)
			die("read");
		if (n == 0)
			errx(1, "%zu bytes of %zu, then the end", done, size);
	}
}

static inline void write_all(int s, const void *from, size_t size)
{
	size_t done;
	ssize_t n;

	for (done = 0; done < size; done += n) {
		n = write(s, (const char *)from + done, size - done);
		if (n <= 0)
			die("write");
	}
}

/* Word that all has come. */
static inline void confirm(int s)
{
	write_all(s, "x", 1);
}

static inline void await_confirm(int s)
{
	char x;

	read_all(s, &x, 1);
}

/* @size: of the largest read or write. */
static inline void fill_pattern(size_t size)
{
	unsigned int x = 1;
	size_t i;

	pattern = allocate(PERIOD + size);
	for (i = 0; i < PERIOD; i++) {
		x = x * 1664525 + 1013904223;	/* Knuth's */
		pattern[i] = x >> 24;
	}
	for (; i < PERIOD + size; i++)
		pattern[i] = pattern[i - PERIOD];
}

/* Compares what came from offset @at of a stream on. */
static inline void check_bytes(const void *got, long long at, size_t n)
{
	if (memcmp(got, pattern + at % PERIOD, n))
		errx(1, "wrong bytes in the %zu from %lld on", n, at);
}

/* One member of an object of JSON. */
static inline void print_list(const char *key, const long long *list,
			      long long n)
{
	long long i;

	printf("\"%s\": [", key);
	for (i = 0; i < n; i++)
		printf("%s%lld", i ? ", " : "", list[i]);
	printf("]");
}

/* Many connections need as many descriptors. */
static inline void raise_nofile(void)
{
	struct rlimit lim = { .rlim_cur = 1 << 20, .rlim_max = 1 << 20 };

	if (setrlimit(RLIMIT_NOFILE, &lim))
		die("RLIMIT_NOFILE");
}

#endif
