// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of one size over one connection, and how long each took. It blocks
 * and never polls the clock, so that it ends under virtual time; results are
 * lines of JSON, times are CLOCK_MONOTONIC in ns.
 *
 *   msgs pong PROTO ADDR PORT SIZE COUNT      send each message back
 *   msgs ping PROTO ADDR PORT SIZE COUNT AT   from AT on send a message, wait
 *                              for it to come back, send the next: half of
 *                              the time of each
 *   msgs take PROTO ADDR PORT SIZE COUNT      take messages: from when each was
 *                              offered to when its last byte was read
 *   msgs offer PROTO ADDR PORT SIZE COUNT AT <TIMES
 *                              message i is offered at AT plus the i-th of
 *                              TIMES, ns, and written then or, if others
 *                              still are, as soon as they have been
 *
 * PROTO is tcp, mptcp or mrc, as a stream. Small writes are not delayed. A
 * message of "offer" begins with the time at which it was offered; all else is
 * a pattern that is compared.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "clock.h"
#include "conn.h"

static size_t size;
static long long count;
static char *buf;
static long long *took;		/* ns, of each message */

static void print_result(long long start)
{
	printf("{\"bytes\": %lld, \"start\": %lld, \"end\": %lld, ",
	       (long long)size * count, start, now());
	print_list("took", took, count);
	printf("}\n");
}

static void do_pong(void)
{
	int c = accept_one(listen_on(1));
	long long i;

	for (i = 0; i < count; i++) {
		read_all(c, buf, size);
		write_all(c, buf, size);
	}
	await_confirm(c);
	close(c);
}

static void do_ping(long long at)
{
	int s = connect_one();
	long long i, start;

	sleep_until(at);
	for (i = 0; i < count; i++) {
		start = now();
		write_all(s, pattern + i % PERIOD, size);
		read_all(s, buf, size);
		took[i] = (now() - start) / 2;
		check_bytes(buf, i, size);
	}
	confirm(s);
	print_result(at);
	close(s);
}

static void do_take(void)
{
	int c = accept_one(listen_on(1));
	long long i, start = 0;
	int64_t offered;

	for (i = 0; i < count; i++) {
		read_all(c, buf, size);
		memcpy(&offered, buf, sizeof(offered));
		took[i] = now() - offered;
		check_bytes(buf + sizeof(offered), i, size - sizeof(offered));
		if (!i)
			start = offered;
	}
	confirm(c);
	print_result(start);
	close(c);
}

static void read_times(long long at, int64_t *times)
{
	long long i, ns;

	for (i = 0; i < count; i++) {
		if (scanf("%lld", &ns) != 1)
			errx(1, "%lld times of %lld", i, count);
		times[i] = at + ns;
	}
}

static void do_offer(long long at)
{
	int64_t *times = allocate(count * sizeof(*times));
	int s = connect_one();
	long long i;

	read_times(at, times);
	for (i = 0; i < count; i++) {
		if (times[i] > now())
			sleep_until(times[i]);
		memcpy(buf, &times[i], sizeof(times[i]));
		memcpy(buf + sizeof(times[i]), pattern + i % PERIOD,
		       size - sizeof(times[i]));
		write_all(s, buf, size);
	}
	await_confirm(s);
	close(s);
}

static void usage(void)
{
	fputs("usage: msgs pong|ping|take|offer tcp|mptcp|mrc ADDR PORT SIZE\n"
	      "            COUNT [AT]\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	bool stamped = !strcmp(what, "take") || !strcmp(what, "offer");
	bool timed = !strcmp(what, "ping") || !strcmp(what, "offer");

	if (argc != (timed ? 8 : 7) || !parse_address(argv + 2))
		usage();
	size = atoll(argv[5]);
	count = atoll(argv[6]);
	if (size < (stamped ? sizeof(int64_t) : 1) || count < 1)
		usage();
	conf.nodelay = true;
	buf = allocate(size);
	took = allocate(count * sizeof(*took));
	fill_pattern(size);
	prctl(PR_SET_TIMERSLACK, 1);

	if (!strcmp(what, "pong"))
		do_pong();
	else if (!strcmp(what, "ping"))
		do_ping(atoll(argv[7]));
	else if (!strcmp(what, "take"))
		do_take();
	else if (!strcmp(what, "offer"))
		do_offer(atoll(argv[7]));
	else
		usage();
	return 0;
}
