// SPDX-License-Identifier: GPL-2.0
/*
 * When small writes leave: MSG_MORE, sendmmsg(), sendfile(), MRC_NODELAY, and
 * what holds them back without it. Counted in packets, on connections of a
 * host to itself, whose lo has a delay where a test needs a round trip.
 *
 *   smallwrites ADDR		ADDR is a node address of this namespace
 *
 * Prints TAP. Needs no plane, but CAP_NET_ADMIN.
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <time.h>

#include "socktest.h"

static bool delayed;

/* One way; 0 is none. */
static void lo_delay(int ms)
{
	char cmd[80];

	snprintf(cmd, sizeof(cmd), "tc qdisc add dev lo root netem delay %dms",
		 ms);
	CHECK_EQ(system(ms ? cmd : "tc qdisc del dev lo root"), 0);
	delayed = ms;
}

static void clean_all(void)
{
	clean();
	if (delayed && system("tc qdisc del dev lo root"))
		err(1, "tc");
	delayed = false;
}

static struct mrc_info info_of(int fd)
{
	struct mrc_info info = {};
	socklen_t len = sizeof(info);

	CHECK_EQ(getsockopt(fd, SOL_MRC, MRC_INFO, &info, &len), 0);
	CHECK_EQ(len, sizeof(info));
	return info;
}

/* Packets of data it has sent, the end of the stream among them. */
static unsigned long long packets(int fd)
{
	return info_of(fd).mrc_info_sent;
}

static int outq(int fd)
{
	int n = -1;

	CHECK_EQ(ioctl(fd, SIOCOUTQ, &n), 0);
	return n;
}

/* Until all is acknowledged: the end that is there for poll() to see. */
static void wait_acked(int fd)
{
	struct timespec t = { .tv_nsec = 1000000 };
	int i;

	for (i = 0; outq(fd) && i < WAIT_MS; i++)
		nanosleep(&t, NULL);
	CHECK_EQ(outq(fd), 0);
}

static unsigned long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

static char out[65536], in[65536];

static void fill(void)
{
	size_t i;

	for (i = 0; i < sizeof(out); i++)
		out[i] = i * 31 + (i >> 8);
}

static void reads(int fd, size_t n)
{
	CHECK_EQ(recv(fd, in, n, MSG_WAITALL), n);
	CHECK(!memcmp(in, out, n));
}

/* --- corked ---------------------------------------------------------------- */

static void test_more(void)
{
	unsigned long long before;
	int a, b, i;

	pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_MRC, MRC_NODELAY, 1);
	before = packets(a);
	for (i = 0; i < 3; i++)
		CHECK_EQ(send(a, out + 100 * i, 100, MSG_MORE), 100);
	CHECK_EQ(packets(a), before);
	CHECK_EQ(outq(a), 300);
	CHECK_EQ(events(b, 0), POLLOUT);
	CHECK_EQ(send(a, out + 300, 100, 0), 100);
	CHECK_EQ(packets(a), before + 1);
	reads(b, 400);
}

/* Full packets do not wait for the end of what is corked. */
static void test_more_full(void)
{
	unsigned long long before;
	int a, b, n, half;

	pair(SOCK_STREAM, &a, &b);
	before = packets(a);
	n = info_of(a).mrc_info_packet_size;
	half = 3 * n + n / 2;
	CHECK_EQ(send(a, out, half, MSG_MORE), half);
	CHECK_EQ(packets(a), before + 3);
	reads(b, 3 * n);
	CHECK_EQ(send(a, out + half, n, 0), n);
	CHECK_EQ(packets(a), before + 5);
	CHECK_EQ(recv(b, in, half + n - 3 * n, MSG_WAITALL), half - 2 * n);
	CHECK(!memcmp(in, out + 3 * n, half - 2 * n));
}

static void test_more_limit(void)
{
	unsigned long long start, before;
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	before = packets(a);
	start = now_ms();
	CHECK_EQ(send(a, out, 1, MSG_MORE), 1);
	CHECK_EQ(packets(a), before);
	events(b, POLLIN);
	CHECK(now_ms() - start >= 190);
	reads(b, 1);
	/* The next one waits anew. */
	CHECK_EQ(send(a, out, 1, MSG_MORE), 1);
	CHECK_EQ(packets(a), before + 1);
}

static void test_more_shutdown(void)
{
	unsigned long long before;
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	before = packets(a);
	CHECK_EQ(send(a, out, 10, MSG_MORE), 10);
	CHECK_EQ(packets(a), before);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_EQ(packets(a), before + 2);
	reads(b, 10);
	CHECK_EQ(recv(b, in, 1, 0), 0);
}

static void test_more_close(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(send(a, out, 10, MSG_MORE), 10);
	close(a);
	reads(b, 10);
	CHECK_EQ(recv(b, in, 1, 0), 0);
}

static void test_sendmmsg(void)
{
	struct iovec iov[5];
	struct mmsghdr msg[5] = {};
	unsigned long long before;
	int a, b, i;

	pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_MRC, MRC_NODELAY, 1);
	before = packets(a);
	for (i = 0; i < 5; i++) {
		iov[i].iov_base = out + 10 * i;
		iov[i].iov_len = 10;
		msg[i].msg_hdr.msg_iov = &iov[i];
		msg[i].msg_hdr.msg_iovlen = 1;
	}
	CHECK_EQ(sendmmsg(a, msg, 5, 0), 5);
	CHECK_EQ(packets(a), before + 1);
	reads(b, 50);
}

/* A file that is shorter than was said: its end is the end. */
static void test_sendfile(void)
{
	int file = keep(memfd_create("mrc", 0)), a, b;
	unsigned long long before;

	CHECK_EQ(write(file, out, 500), 500);
	CHECK_EQ(lseek(file, 0, SEEK_SET), 0);
	pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_MRC, MRC_NODELAY, 1);
	before = packets(a);
	CHECK_EQ(sendfile(a, file, NULL, 100000), 500);
	CHECK_EQ(packets(a), before + 1);
	reads(b, 500);
}

/* What is corked goes on in its packet, whoever else writes in between. */
static void test_interleaved(void)
{
	int a[2], b[2], i, k, n;
	unsigned long long before;

	pair(SOCK_STREAM, &a[0], &b[0]);
	pair(SOCK_STREAM, &a[1], &b[1]);
	n = info_of(a[0]).mrc_info_packet_size;
	before = packets(a[0]);
	CHECK_EQ(packets(a[1]), before);
	for (i = 0; i < 2 * n; i += 64)
		for (k = 0; k < 2; k++)
			CHECK_EQ(send(a[k], out + i, 64, MSG_MORE), 64);
	for (k = 0; k < 2; k++) {
		CHECK_EQ(packets(a[k]), before + 2);
		reads(b[k], 2 * n);
	}
}

/* --- not corked ------------------------------------------------------------ */

/* One packet that is not full per round trip; the rest is in the second. */
static void test_small(void)
{
	unsigned long long before;
	int a, b, i;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(get_int(a, SOL_MRC, MRC_NODELAY), 0);
	before = packets(a);
	lo_delay(100);
	for (i = 0; i < 100; i++)
		CHECK_EQ(send(a, out + i, 1, 0), 1);
	CHECK_EQ(packets(a), before + 1);
	reads(b, 100);
	CHECK_EQ(packets(a), before + 2);
}

static void test_small_full(void)
{
	unsigned long long before;
	int a, b, n, all;

	pair(SOCK_STREAM, &a, &b);
	n = info_of(a).mrc_info_packet_size;
	all = 3 * n + 7;
	before = packets(a);
	lo_delay(100);
	CHECK_EQ(send(a, out, n, 0), n);
	CHECK_EQ(send(a, out + n, 7, 0), 7);
	CHECK_EQ(packets(a), before + 2);
	CHECK_EQ(send(a, out + n + 7, 2 * n, 0), 2 * n);
	CHECK_EQ(packets(a), before + 4);
	reads(b, all);
	CHECK_EQ(packets(a), before + 4);
}

static void test_nodelay(void)
{
	unsigned long long before;
	int a, b, i;

	pair(SOCK_STREAM, &a, &b);
	before = packets(a);
	lo_delay(100);
	for (i = 0; i < 10; i++)
		CHECK_EQ(send(a, out + i, 1, 0), 1);
	CHECK_EQ(packets(a), before + 1);
	/* It lets go what waits, and what follows. */
	set_int(a, SOL_MRC, MRC_NODELAY, 1);
	CHECK_EQ(packets(a), before + 2);
	for (i = 10; i < 20; i++)
		CHECK_EQ(send(a, out + i, 1, 0), 1);
	CHECK_EQ(packets(a), before + 12);
	reads(b, 20);
}

static void test_messages(void)
{
	unsigned long long before;
	int a, b, i;

	pair(SOCK_SEQPACKET, &a, &b);
	before = packets(a);
	lo_delay(100);
	for (i = 0; i < 10; i++)
		CHECK_EQ(send(a, out, 1, 0), 1);
	CHECK_EQ(packets(a), before + 10);
}

/* The acknowledgment is there, a round trip as they have been is not over. The
 * machine may be so slow that it is, now and then.
 */
static void test_round_trip(void)
{
	unsigned long long before;
	int a, b, i, held = 0;

	pair(SOCK_STREAM, &a, &b);
	/* longer than that would be a timeout, which measures nothing */
	lo_delay(2);
	for (i = 0; i < 16; i++) {
		CHECK_EQ(send(a, out, 1, 0), 1);
		reads(b, 1);
		wait_acked(a);
	}
	lo_delay(0);
	CHECK(info_of(a).mrc_info_srtt > 2000000);
	for (i = 0; i < 20 && !held; i++) {
		before = packets(a);
		CHECK_EQ(send(a, out, 1, 0), 1);
		reads(b, 1);
		CHECK_EQ(send(a, out + 1, 1, 0), 1);
		held = !outq(a) ? 0 : packets(a) == before + 1;
		/* It ends with an answer, or with time. */
		if (held) {
			CHECK_EQ(send(b, out, 1, 0), 1);
			reads(a, 1);
			CHECK_EQ(packets(a), before + 2);
		}
		CHECK_EQ(recv(b, in, 2, 0), 1);
		CHECK_EQ(in[0], out[1]);
		wait_acked(a);
	}
	CHECK(held);
}

#define T(name, fn)	{ name, fn }

static const struct ktap tests[] = {
	T("MSG_MORE: until a send without it", test_more),
	T("MSG_MORE: full packets leave", test_more_full),
	T("MSG_MORE: for a while", test_more_limit),
	T("MSG_MORE: until shutdown()", test_more_shutdown),
	T("MSG_MORE: until close()", test_more_close),
	T("sendmmsg: one packet", test_sendmmsg),
	T("sendfile: to the end of the file", test_sendfile),
	T("MSG_MORE: two sockets in turn", test_interleaved),
	T("small writes: one packet per round trip", test_small),
	T("small writes: full packets leave", test_small_full),
	T("small writes: MRC_NODELAY", test_nodelay),
	T("small writes: messages do not wait", test_messages),
	T("small writes: acknowledged at once", test_round_trip),
};

int main(int argc, char **argv)
{
	if (argc != 2 || inet_pton(AF_INET6, argv[1], &node) != 1)
		errx(2, "usage: smallwrites NODE-ADDRESS");
	signal(SIGPIPE, SIG_IGN);
	alarm(120);
	fill();
	return ktap_run(tests, sizeof(tests) / sizeof(*tests), clean_all);
}
