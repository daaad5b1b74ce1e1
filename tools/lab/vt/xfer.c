// SPDX-License-Identifier: GPL-2.0
/*
 * Transfers over TCP, MPTCP and MRC by one and the same code (conn.h). It
 * blocks and never polls the clock, so that it ends under virtual time; results
 * are lines of JSON, times are CLOCK_MONOTONIC in ns.
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
 *   -d BYTES   both: so many bytes go the other way on the same connection at
 *              the same time
 *   -s AT      send: connect, but write nothing before AT (as T0)
 *   -m         each write is a message: SOCK_SEQPACKET, where there is such
 *   -t T0      recv: note the bytes of each ms since T0 (CLOCK_MONOTONIC, ns)
 *              and the longest time without any
 *   -l         recv: print a line "listening" once it does
 *   -q         recv: count the bytes, do not compare them
 *   -i         note the CPU time of this process, ns
 *
 * What is sent is a pattern that the receiver compares byte by byte: a
 * transfer that ends has delivered each byte once and in its place.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "clock.h"
#include "conn.h"
#include "mark.h"

#define MAX_MS		20000

/* What the command line says besides. */
static struct {
	size_t chunk;
	bool trace, listening, quick, cpu;
	long long t0, start, back;
} opt = { .chunk = 256 * 1024 };

static char *buf;

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
	long long n = (trace.last - opt.t0) / NS_PER_MS + 1;

	printf(", \"first\": %lld, \"last\": %lld", trace.first, trace.last);
	printf(", \"gap\": %lld, \"gap_at\": %lld, ", trace.gap, trace.gap_at);
	print_list("ms", trace.ms, n < MAX_MS ? n : MAX_MS);
}

/* CPU time of this process, ns. */
static long long cpu_time(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Compares what comes until the other side ends; returns the reads. */
static long long take_bytes(int s, long long *bytes)
{
	long long reads = 0;
	ssize_t n;

	for (*bytes = 0; (n = read(s, buf, opt.chunk)) > 0; *bytes += n) {
		if (!opt.quick)
			check_bytes(buf, *bytes, n);
		reads++;
		if (opt.trace)
			trace_read(n);
	}
	if (n < 0)
		die("read");
	return reads;
}

/* A child sends, so that both directions go on at once. */
static void send_aside(int s, long long bytes)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return;
	send_bytes(s, bytes);
	if (shutdown(s, SHUT_WR))
		die("shutdown");
	_exit(0);
}

static void await_child(void)
{
	int status;

	if (wait(&status) < 0)
		die("wait");
	if (status)
		errx(1, "the other direction failed");
}

static void do_recv(void)
{
	long long bytes, reads, cpu, end;
	int s = listen_on(1), c;

	if (opt.listening) {
		printf("listening\n");
		fflush(stdout);
	}
	c = accept_one(s);
	cpu = cpu_time();
	if (opt.back)
		send_aside(c, opt.back);
	reads = take_bytes(c, &bytes);
	end = now();
	if (opt.back)
		await_child();
	else
		confirm(c);
	printf("{\"bytes\": %lld, \"reads\": %lld", bytes, reads);
	printf(", \"end\": %lld", end);
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
	long long begin = now(), back = 0, cpu, connected, start, end;
	int s = connect_one();

	connected = now();
	if (opt.start) {
		prctl(PR_SET_TIMERSLACK, 1);
		sleep_until(opt.start);
	}
	cpu = cpu_time();
	start = now();
	mark_begin();
	if (opt.back) {
		send_aside(s, bytes);
		take_bytes(s, &back);
	} else {
		send_bytes(s, bytes);
		if (shutdown(s, SHUT_WR))
			die("shutdown");
		await_confirm(s);
	}
	mark_end();
	end = now();
	printf("{\"bytes\": %lld, \"begin\": %lld, ", bytes, begin);
	printf("\"connected\": %lld, \"start\": %lld, ", connected, start);
	printf("\"back\": %lld, \"end\": %lld", back, end);
	if (opt.cpu)
		printf(", \"cpu\": %lld", cpu_time() - cpu);
	printf("}\n");
	if (opt.back)
		await_child();
	close(s);
}

/* Reads and forgets. */
static void read_bytes(int s, long long bytes)
{
	size_t n;

	for (; bytes > 0; bytes -= n) {
		n = bytes < (long long)opt.chunk ? (size_t)bytes : opt.chunk;
		read_all(s, buf, n);
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
	conns = allocate(count * sizeof(*conns));
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
		check_bytes(buf, c->done, n);
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

static void parse_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+c:b:d:s:t:lqim")) != -1) {
		if (c == 'c')
			opt.chunk = atol(optarg);
		else if (c == 'b')
			conf.sockbuf = atoi(optarg);
		else if (c == 'd')
			opt.back = atoll(optarg);
		else if (c == 's')
			opt.start = atoll(optarg);
		else if (c == 't')
			trace_from(optarg);
		else if (c == 'l')
			opt.listening = true;
		else if (c == 'q')
			opt.quick = true;
		else if (c == 'i')
			opt.cpu = true;
		else if (c == 'm')
			conf.messages = true;
		else
			usage();
	}
	if (optind != argc || !opt.chunk)
		usage();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc < 5)
		usage();
	if (!parse_address(argv + 2))
		usage();
	signal(SIGPIPE, SIG_IGN);
	if (!strcmp(what, "recv"))
		parse_options(argc - 4, argv + 4);
	else if (!strcmp(what, "send") && argc > 5)
		parse_options(argc - 5, argv + 5);
	buf = allocate(opt.chunk);
	fill_pattern(opt.chunk);

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
