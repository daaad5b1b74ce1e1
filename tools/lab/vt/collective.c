// SPDX-License-Identifier: GPL-2.0
/*
 * One node of a collective operation, step by step: what a node sends in a
 * step depends on what it received in the one before. It blocks and never
 * polls the clock, so that it ends under virtual time; the result is a line of
 * JSON, times are CLOCK_MONOTONIC in ns.
 *
 *   collective ring|alltoall PROTO PORT BYTES ROUNDS EVERY OPEN AT ME ADDR...
 *
 *   ring       all-reduce: each node has BYTES of 32-bit numbers, in the end
 *              the sums over all nodes. Each of 2 x (nodes - 1) steps sends a
 *              part, BYTES / nodes, to the next node and takes one from the
 *              one before
 *   alltoall   each node has a part, BYTES / nodes, for each other one. Step k
 *              sends that for the k-th node behind this one and takes the one
 *              from the k-th before it
 *   ROUNDS     so often, from AT on EVERY so many ns
 *   OPEN       connect then
 *   ME         which of the ADDRs is this one, from 0
 *
 * It prints for each round the time from its beginning to the end at this
 * node. What has been received is compared with what it has to be.
 */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "clock.h"
#include "conn.h"

static int nodes, me;
static size_t part;		/* numbers of one part */
static int *to, *from;		/* connections, by node */
static uint32_t *data;		/* nodes parts */
static uint32_t *got;		/* as many, received */

static int behind(int k)
{
	return (me + k + nodes) % nodes;
}

/* What a node puts into its i-th number, in a round. */
static uint32_t value(int node, size_t i, int round)
{
	return (uint32_t)(i + 1) * 2654435761u * (node + 1) + round;
}

/* Sends as much as it takes, until both are done. */
static void exchange(int out, const void *what, int in, void *where,
		     size_t size)
{
	struct pollfd fds[2] = {
		{ .fd = out, .events = POLLOUT },
		{ .fd = in, .events = POLLIN },
	};
	size_t sent = 0, had = 0;
	ssize_t n;

	while (sent < size || had < size) {
		if (sent == size)
			fds[0].fd = -1;
		if (had == size)
			fds[1].fd = -1;
		if (poll(fds, 2, -1) < 0)
			die("poll");
		if (sent < size && fds[0].revents) {
			n = send(out, (const char *)what + sent, size - sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);
			if (n < 0 && errno != EAGAIN)
				die("send");
			sent += n > 0 ? n : 0;
		}
		if (had < size && fds[1].revents) {
			n = recv(in, (char *)where + had, size - had,
				 MSG_DONTWAIT);
			if (n == 0 || (n < 0 && errno != EAGAIN))
				die("recv");
			had += n > 0 ? n : 0;
		}
	}
}

static void swap_parts(int step, int send_part, int recv_part)
{
	exchange(to[behind(step)], data + send_part * part,
		 from[behind(-step)], got + recv_part * part,
		 part * sizeof(*data));
}

static void ring(void)
{
	uint32_t *sum, *add;
	int step, mine;
	size_t i;

	for (step = 0; step < nodes - 1; step++) {
		mine = behind(-step - 1);
		swap_parts(1, behind(-step), mine);
		sum = data + mine * part;
		add = got + mine * part;
		for (i = 0; i < part; i++)
			sum[i] += add[i];
	}
	for (step = 0; step < nodes - 1; step++) {
		mine = behind(-step);
		swap_parts(1, behind(1 - step), mine);
		memcpy(data + mine * part, got + mine * part,
		       part * sizeof(*data));
	}
}

static void alltoall(void)
{
	int step;

	for (step = 1; step < nodes; step++)
		swap_parts(step, behind(step), behind(-step));
}

static void fill(int round)
{
	size_t i;

	for (i = 0; i < part * nodes; i++)
		data[i] = value(me, i, round);
	memset(got, 0, part * nodes * sizeof(*got));
}

static void compare(uint32_t is, uint32_t must, size_t i)
{
	if (is != must)
		errx(1, "number %zu is %u and must be %u", i, is, must);
}

static void check_ring(int round)
{
	uint32_t sum;
	size_t i;
	int node;

	for (i = 0; i < part * nodes; i++) {
		for (node = 0, sum = 0; node < nodes; node++)
			sum += value(node, i, round);
		compare(data[i], sum, i);
	}
}

/* Each node sent the part that is for this one. */
static void check_alltoall(int round)
{
	size_t i;
	int node;

	for (node = 0; node < nodes; node++)
		for (i = 0; i < part && node != me; i++)
			compare(got[node * part + i],
				value(node, me * part + i, round), i);
}

/* Who connects says who it is. */
static void open_to(int node, const char *addr, const char *port)
{
	struct sockaddr_in6 sin6 = make_address(addr, port);
	uint32_t self = me;

	to[node] = connect_to(&sin6);
	write_all(to[node], &self, sizeof(self));
}

static void accept_any(int s)
{
	int c = accept_one(s);
	uint32_t node;

	read_all(c, &node, sizeof(node));
	if (node >= (uint32_t)nodes)
		errx(1, "who is %u?", node);
	from[node] = c;
}

/* connect() does not wait for accept(), so nobody waits in a circle. */
static void open_all(int s, const char *port, char **addrs, int steps)
{
	int step;

	for (step = 1; step <= steps; step++)
		open_to(behind(step), addrs[behind(step)], port);
	for (step = 1; step <= steps; step++)
		accept_any(s);
}

static const struct op {
	const char *name;
	bool all;		/* each node is connected with each */
	void (*run)(void);
	void (*check)(int round);
} ops[] = {
	{ "ring",	false,	ring,		check_ring },
	{ "alltoall",	true,	alltoall,	check_alltoall },
};

static void usage(void)
{
	fputs("usage: collective ring|alltoall tcp|mptcp|mrc PORT BYTES ROUNDS\n"
	      "                  EVERY OPEN AT ME ADDR...\n", stderr);
	exit(2);
}

static const struct op *find_op(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strcmp(name, ops[i].name))
			return &ops[i];
	usage();
	return NULL;
}

/* Returns how long it took here, ns. */
static long long run_round(const struct op *op, int round, long long at)
{
	long long end;

	fill(round);
	if (now() > at)
		errx(1, "late for round %d", round);
	sleep_until(at);
	op->run();
	end = now();
	op->check(round);
	return end - at;
}

int main(int argc, char **argv)
{
	long long every, at, *took;
	int s, round, rounds;
	const struct op *op;

	if (argc < 12 || !parse_proto(argv[2]))
		usage();
	op = find_op(argv[1]);
	nodes = argc - 10;
	part = atoll(argv[4]) / sizeof(*data) / nodes;
	rounds = atoi(argv[5]);
	every = atoll(argv[6]);
	at = atoll(argv[8]);
	me = atoi(argv[9]);
	if (!part || rounds < 1 || me < 0 || me >= nodes)
		usage();
	conf.nodelay = true;
	conf.addr = make_address("::", argv[3]);
	prctl(PR_SET_TIMERSLACK, 1);
	to = allocate(nodes * sizeof(*to));
	from = allocate(nodes * sizeof(*from));
	data = allocate(nodes * part * sizeof(*data));
	got = allocate(nodes * part * sizeof(*got));
	took = allocate(rounds * sizeof(*took));

	s = listen_on(nodes);
	sleep_until(atoll(argv[7]));
	open_all(s, argv[3], argv + 10, op->all ? nodes - 1 : 1);
	for (round = 0; round < rounds; round++)
		took[round] = run_round(op, round, at + round * every);
	printf("{\"bytes\": %lld, \"start\": %lld, \"end\": %lld, ",
	       (long long)(part * nodes * sizeof(*data)) * rounds, at,
	       at + (rounds - 1) * every + took[rounds - 1]);
	print_list("took", took, rounds);
	printf("}\n");
	return 0;
}
