// SPDX-License-Identifier: GPL-2.0
/*
 * Transfers over TCP, MPTCP and MRC by one and the same code: only the
 * arguments of socket() differ. It blocks and never polls the clock, so that
 * it ends under virtual time; results are lines of JSON, times are
 * CLOCK_MONOTONIC in ns.
 *
 *   xfer recv PROTO ADDR PORT [OPTION...]   take one connection to its end
 *   xfer send PROTO ADDR PORT BYTES [OPTION...]
 *   xfer hold PROTO ADDR PORT COUNT BYTES   take COUNT connections, each with
 *                                           BYTES, and keep them
 *   xfer idle PROTO ADDR PORT COUNT BYTES COMMAND
 *                              open COUNT connections, send BYTES over each,
 *                              keep them; run "COMMAND before" before that
 *                              and "COMMAND after" when all have arrived
 *   xfer serve PROTO ADDR PORT COUNT        take COUNT connections, each to the
 *                                           sender's end, and keep them
 *   xfer busy PROTO ADDR PORT COUNT AT FOR RATE BYTES
 *                              open COUNT connections; from AT on (as T0), for
 *                              FOR ns, write BYTES at a time, RATE times per
 *                              second, each time to the next connection
 *
 * PROTO is tcp, mptcp or mrc. OPTION:
 *   -c BYTES   bytes per read or write (default 256 KiB)
 *   -b BYTES   SO_SNDBUF and SO_RCVBUF, instead of the kernel's own tuning
 *   -t T0      recv: note the bytes of each ms since T0 (CLOCK_MONOTONIC, ns)
 *              and the longest time without any
 *   -l         recv: print a line "listening" once it does
 *   -q         recv: count the bytes, do not compare them
 *   -i         note the CPU time of this process, ns
 *
 * What is sent is a pattern that the receiver compares byte by byte: a
 * transfer that ends has delivered each byte once and in its place.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/mrc.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "mark.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP	262
#endif

#define MAX_MS		20000

/* Length of the pattern: a prime, so that no loss of whole packets, reads or
 * pages goes unnoticed.
 */
#define PERIOD		1048573

static const struct proto {
	const char *name;
	int family, protocol;
} protos[] = {
	{ "tcp",	AF_INET6,	IPPROTO_TCP },
	{ "mptcp",	AF_INET6,	IPPROTO_MPTCP },
	{ "mrc",	AF_MRC,		0 },
};

/* What the command line says. */
static struct {
	const struct proto *proto;
	struct sockaddr_in6 addr;	/* sockaddr_mrc has the same layout */
	size_t chunk;
	int sockbuf;
	bool trace, listening, quick, cpu;
	long long t0;
} opt = { .chunk = 256 * 1024 };

static char *buf;
static unsigned char *pattern;	/* PERIOD + opt.chunk bytes */

static void die(const char *what)
{
	fprintf(stderr, "xfer: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int new_socket(void)
{
	int one = 1, s = socket(opt.proto->family, SOCK_STREAM,
				opt.proto->protocol);

	if (s < 0)
		die("socket");
	if (setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		die("SO_REUSEADDR");
	if (opt.sockbuf &&
	    (setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &opt.sockbuf,
			sizeof(opt.sockbuf)) ||
	     setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &opt.sockbuf,
			sizeof(opt.sockbuf))))
		die("SO_SNDBUFFORCE");
	return s;
}

static int listen_on(int backlog)
{
	int s = new_socket();

	if (bind(s, (struct sockaddr *)&opt.addr, sizeof(opt.addr)))
		die("bind");
	if (listen(s, backlog))
		die("listen");
	return s;
}

static int accept_one(int s)
{
	int c = accept(s, NULL, NULL);

	if (c < 0)
		die("accept");
	return c;
}

static int connect_one(void)
{
	int s = new_socket();

	if (connect(s, (struct sockaddr *)&opt.addr, sizeof(opt.addr)))
		die("connect");
	return s;
}

static void send_bytes(int s, long long bytes)
{
	long long done = 0;
	ssize_t n;

	while (done < bytes) {
		n = write(s, pattern + done % PERIOD,
			  bytes - done < (long long)opt.chunk ?
			  (size_t)(bytes - done) : opt.chunk);
		if (n <= 0)
			die("write");
		done += n;
	}
}

static void check_bytes(long long at, size_t n)
{
	if (opt.quick || !memcmp(buf, pattern + at % PERIOD, n))
		return;
	fprintf(stderr, "xfer: wrong bytes in the %zu from %lld on\n", n, at);
	exit(1);
}

/* The receiver's word that all has come. */
static void confirm(int s)
{
	if (write(s, "x", 1) != 1)
		die("write");
}

static void await_confirm(int s)
{
	ssize_t n = read(s, buf, 1);

	if (n < 0)
		die("read");
	if (n == 0) {
		fprintf(stderr, "xfer: the receiver did not confirm\n");
		exit(1);
	}
}

/* Bytes per millisecond since T0, and the longest time between two reads that
 * returned something.
 */
static struct {
	long long first, last, gap, gap_at;
	long long ms[MAX_MS];
} trace;

static void trace_from(const char *t0)
{
	opt.trace = true;
	opt.t0 = atoll(t0);
}

static void trace_read(ssize_t n)
{
	long long t = now(), ms;

	if (!trace.first) {
		trace.first = t;
	} else if (t - trace.last > trace.gap) {
		trace.gap = t - trace.last;
		trace.gap_at = trace.last;
	}
	trace.last = t;
	ms = (t - opt.t0) / NS_PER_MS;
	if (ms >= 0 && ms < MAX_MS)
		trace.ms[ms] += n;
}

static void trace_print(void)
{
	long long i, n = (trace.last - opt.t0) / NS_PER_MS;

	printf(", \"first\": %lld, \"last\": %lld", trace.first, trace.last);
	printf(", \"gap\": %lld, \"gap_at\": %lld, \"ms\": [", trace.gap,
	       trace.gap_at);
	for (i = 0; i <= n && i < MAX_MS; i++)
		printf("%s%lld", i ? ", " : "", trace.ms[i]);
	printf("]");
}

/* CPU time of this process, ns. */
static long long cpu_time(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static void do_recv(void)
{
	long long bytes = 0, reads = 0, cpu;
	int s = listen_on(1), c;
	ssize_t n;

	if (opt.listening) {
		printf("listening\n");
		fflush(stdout);
	}
	c = accept_one(s);
	cpu = cpu_time();
	while ((n = read(c, buf, opt.chunk)) > 0) {
		check_bytes(bytes, n);
		bytes += n;
		reads++;
		if (opt.trace)
			trace_read(n);
	}
	if (n < 0)
		die("read");
	confirm(c);
	printf("{\"bytes\": %lld, \"reads\": %lld", bytes, reads);
	if (opt.trace)
		trace_print();
	if (opt.cpu)
		printf(", \"cpu\": %lld", cpu_time() - cpu);
	printf("}\n");
	close(c);
	close(s);
}

static void do_send(long long bytes)
{
	long long begin = now(), cpu, start, end;
	int s = connect_one();

	cpu = cpu_time();
	start = now();
	MARK(MARK_BEGIN);
	send_bytes(s, bytes);
	if (shutdown(s, SHUT_WR))
		die("shutdown");
	await_confirm(s);
	MARK(MARK_END);
	end = now();
	printf("{\"bytes\": %lld, \"begin\": %lld, ", bytes, begin);
	printf("\"start\": %lld, \"end\": %lld", start, end);
	if (opt.cpu)
		printf(", \"cpu\": %lld", cpu_time() - cpu);
	printf("}\n");
	close(s);
}

static void read_bytes(int s, long long bytes)
{
	ssize_t n;

	while (bytes > 0) {
		n = read(s, buf, bytes < (long long)opt.chunk ?
			 (size_t)bytes : opt.chunk);
		if (n <= 0)
			die("read");
		bytes -= n;
	}
}

static void do_hold(int count, long long bytes)
{
	int i, c, s = listen_on(count);

	for (i = 0; i < count; i++) {
		c = accept_one(s);
		read_bytes(c, bytes);
		confirm(c);
	}
	for (;;)
		pause();
}

/* Bytes that have gone over each of many connections, so far. */
static struct conn {
	int fd;
	long long done;
} *conns;

static void make_conns(int count)
{
	conns = calloc(count, sizeof(*conns));
	if (!conns)
		die("calloc");
}

static int accept_all(int count)
{
	int i, s = listen_on(count), e = epoll_create1(0);
	struct epoll_event ev = { .events = EPOLLIN };

	make_conns(count);
	for (i = 0; i < count; i++) {
		conns[i].fd = accept_one(s);
		ev.data.ptr = &conns[i];
		if (epoll_ctl(e, EPOLL_CTL_ADD, conns[i].fd, &ev))
			die("epoll_ctl");
	}
	close(s);
	return e;
}

static void do_serve(int count)
{
	long long bytes = 0, reads = 0;
	int e = accept_all(count), open = count;
	struct epoll_event ev;
	struct conn *c;
	ssize_t n;

	while (open) {
		if (epoll_wait(e, &ev, 1, -1) != 1)
			die("epoll_wait");
		c = ev.data.ptr;
		n = read(c->fd, buf, opt.chunk);
		if (n < 0)
			die("read");
		check_bytes(c->done, n);
		c->done += n;
		bytes += n;
		reads++;
		if (n)
			continue;
		confirm(c->fd);
		if (shutdown(c->fd, SHUT_WR))
			die("shutdown");
		if (epoll_ctl(e, EPOLL_CTL_DEL, c->fd, NULL))
			die("epoll_ctl");
		open--;
	}
	printf("{\"bytes\": %lld, \"reads\": %lld}\n", bytes, reads);
	fflush(stdout);
	/* as many orphans as connections would be too many */
	for (;;)
		pause();
}

/* Returns the bytes written. */
static long long write_in_turn(int count, long long at, long long ns,
			       long long rate, size_t size)
{
	long long i, writes = ns * rate / NS_PER_S;
	struct conn *c;

	prctl(PR_SET_TIMERSLACK, 1);
	for (i = 0; i < writes; i++) {
		sleep_until(at + i * NS_PER_S / rate);
		c = &conns[i % count];
		if (write(c->fd, pattern + c->done % PERIOD, size) !=
		    (ssize_t)size)
			die("write");
		c->done += size;
	}
	return writes * size;
}

static void do_busy(int count, char **argv)
{
	long long at = atoll(argv[0]), begin = now(), took, bytes;
	int i;

	make_conns(count);
	for (i = 0; i < count; i++)
		conns[i].fd = connect_one();
	took = now() - begin;
	if (begin + took > at) {
		fprintf(stderr, "xfer: opening took %lld ns\n", took);
		exit(1);
	}
	bytes = write_in_turn(count, at, atoll(argv[1]), atoll(argv[2]),
			      atol(argv[3]));
	for (i = 0; i < count; i++)
		if (shutdown(conns[i].fd, SHUT_WR))
			die("shutdown");
	for (i = 0; i < count; i++)
		await_confirm(conns[i].fd);
	printf("{\"bytes\": %lld, \"begin\": %lld, ", bytes, at - took);
	printf("\"start\": %lld, \"end\": %lld}\n", at, now());
}

static void run(const char *command, const char *arg)
{
	char line[512];

	snprintf(line, sizeof(line), "%s %s", command, arg);
	if (system(line)) {
		fprintf(stderr, "xfer: failed: %s\n", line);
		exit(1);
	}
}

static void do_idle(int count, long long bytes, const char *command)
{
	int i, s;

	run(command, "before");
	for (i = 0; i < count; i++) {
		s = connect_one();
		send_bytes(s, bytes);
		await_confirm(s);
	}
	run(command, "after");
}

static void usage(void)
{
	fprintf(stderr, "usage: xfer recv|send|hold|idle|serve|busy tcp|mptcp|mrc ADDR PORT ...\n");
	exit(2);
}

static void parse_address(char **argv)
{
	size_t i;

	for (i = 0; i < sizeof(protos) / sizeof(protos[0]); i++)
		if (!strcmp(argv[0], protos[i].name))
			opt.proto = &protos[i];
	if (!opt.proto ||
	    inet_pton(AF_INET6, argv[1], &opt.addr.sin6_addr) != 1)
		usage();
	opt.addr.sin6_family = opt.proto->family;
	opt.addr.sin6_port = htons(atoi(argv[2]));
}

static void parse_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+c:b:t:lqi")) != -1) {
		if (c == 'c')
			opt.chunk = atol(optarg);
		else if (c == 'b')
			opt.sockbuf = atoi(optarg);
		else if (c == 't')
			trace_from(optarg);
		else if (c == 'l')
			opt.listening = true;
		else if (c == 'q')
			opt.quick = true;
		else if (c == 'i')
			opt.cpu = true;
		else
			usage();
	}
	if (optind != argc || !opt.chunk)
		usage();
}

static void fill_pattern(void)
{
	unsigned int x = 1;
	size_t i;

	for (i = 0; i < PERIOD; i++) {
		x = x * 1664525 + 1013904223;	/* Knuth's */
		pattern[i] = x >> 24;
	}
	for (; i < PERIOD + opt.chunk; i++)
		pattern[i] = pattern[i - PERIOD];
}

/* Many connections need as many descriptors. */
static void raise_nofile(void)
{
	struct rlimit lim = { .rlim_cur = 1 << 20, .rlim_max = 1 << 20 };

	if (setrlimit(RLIMIT_NOFILE, &lim))
		die("RLIMIT_NOFILE");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc < 5)
		usage();
	parse_address(argv + 2);
	signal(SIGPIPE, SIG_IGN);
	if (!strcmp(what, "recv"))
		parse_options(argc - 4, argv + 4);
	else if (!strcmp(what, "send") && argc > 5)
		parse_options(argc - 5, argv + 5);
	buf = malloc(opt.chunk);
	pattern = malloc(PERIOD + opt.chunk);
	if (!buf || !pattern)
		die("malloc");
	fill_pattern();

	if (!strcmp(what, "recv")) {
		do_recv();
	} else if (!strcmp(what, "send") && argc > 5) {
		do_send(atoll(argv[5]));
	} else if (!strcmp(what, "hold") && argc == 7) {
		raise_nofile();
		do_hold(atoi(argv[5]), atoll(argv[6]));
	} else if (!strcmp(what, "idle") && argc == 8) {
		raise_nofile();
		do_idle(atoi(argv[5]), atoll(argv[6]), argv[7]);
	} else if (!strcmp(what, "serve") && argc == 6) {
		raise_nofile();
		do_serve(atoi(argv[5]));
	} else if (!strcmp(what, "busy") && argc == 10) {
		raise_nofile();
		do_busy(atoi(argv[5]), argv + 6);
	} else {
		usage();
	}
	return 0;
}
