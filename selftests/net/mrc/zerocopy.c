// SPDX-License-Identifier: GPL-2.0
/*
 * Data that is not copied: MSG_ZEROCOPY and when its pages are the program's
 * own again, sendfile(2), splice(2) and vmsplice(2). On connections of a host
 * to itself, where what is sent must be copied at last, when it is received.
 *
 *   zerocopy ADDR		ADDR is a node address of this namespace
 *
 * prints TAP. Needs no plane, but CAP_NET_ADMIN. Between two hosts:
 *
 *   zerocopy recv ADDR PORT	say "listening", take one connection, compare
 *   zerocopy send ADDR PORT	by turns from the program's pages and a file's,
 *				until all reports are there
 */
#define _GNU_SOURCE
#include <time.h>	/* for linux/errqueue.h */
#include <err.h>
#include <linux/errqueue.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "socktest.h"

#define SIZE		(4 << 20)

static char *out, *in;
static bool shaped;

static void lo_qdisc(const char *what)
{
	char cmd[160];

	snprintf(cmd, sizeof(cmd), "tc qdisc %s dev lo root %s",
		 what ? "add" : "del", what ?: "");
	CHECK_EQ(system(cmd), 0);
	shaped = what;
}

static void clean_all(void)
{
	clean();
	if (shaped && system("tc qdisc del dev lo root"))
		err(1, "tc");
	shaped = false;
}

/* Reads a given number of bytes in another thread. */
struct reader {
	pthread_t thread;
	int fd;
	size_t len, got;
};

static void *do_read(void *arg)
{
	struct reader *r = arg;
	ssize_t n;

	while (r->got < r->len &&
	       (n = recv(r->fd, in + r->got, r->len - r->got, 0)) > 0)
		r->got += n;
	return NULL;
}

static void reader_start(struct reader *r, int fd, size_t len)
{
	*r = (struct reader) { .fd = fd, .len = len };
	memset(in, 0, len);
	CHECK_EQ(pthread_create(&r->thread, NULL, do_read, r), 0);
}

/* It has read what is at @from. */
static void reader_end(struct reader *r, const char *from)
{
	pthread_join(r->thread, NULL);
	CHECK_EQ(r->got, r->len);
	CHECK(!memcmp(in, from, r->len));
}

static void zc_pair(int type, int *a, int *b)
{
	pair(type, a, b);
	set_int(*a, SOL_SOCKET, SO_ZEROCOPY, 1);
}

/* The next report: sends [*lo, *hi] are done. Return: its code. */
static int report(int fd, unsigned int *lo, unsigned int *hi)
{
	struct sock_extended_err e = {};
	struct msghdr msg = {};
	struct cmsghdr *c;
	char control[128];

	events(fd, POLLERR);
	msg.msg_control = control;
	msg.msg_controllen = sizeof(control);
	CHECK_EQ(recvmsg(fd, &msg, MSG_ERRQUEUE), 0);
	CHECK(!(msg.msg_flags & MSG_CTRUNC));
	c = CMSG_FIRSTHDR(&msg);
	CHECK(c);
	CHECK_EQ(c->cmsg_level, SOL_MRC);
	CHECK_EQ(c->cmsg_type, MRC_RECVERR);
	memcpy(&e, CMSG_DATA(c), sizeof(e));
	CHECK_EQ(e.ee_errno, 0);
	CHECK_EQ(e.ee_origin, SO_EE_ORIGIN_ZEROCOPY);
	*lo = e.ee_info;
	*hi = e.ee_data;
	return e.ee_code;
}

/* Reports of sends 0 to @n - 1, in whatever ranges, each once. */
static void reports(int fd, unsigned int n)
{
	unsigned int lo, hi, seen = 0;
	bool done[256] = {};

	CHECK(n <= 256);
	while (seen < n) {
		report(fd, &lo, &hi);
		CHECK(lo <= hi && hi < n);
		for (; lo <= hi; lo++, seen++) {
			CHECK(!done[lo]);
			done[lo] = true;
		}
	}
	CHECK_ERR(recv(fd, &lo, 1, MSG_ERRQUEUE), EAGAIN);
}

static void no_report(int fd)
{
	char c;

	CHECK_ERR(recv(fd, &c, 1, MSG_ERRQUEUE), EAGAIN);
}

static void test_option(void)
{
	int a, b, val = 2;
	char c;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(get_int(a, SOL_SOCKET, SO_ZEROCOPY), 0);
	CHECK_ERR(setsockopt(a, SOL_SOCKET, SO_ZEROCOPY, &val, sizeof(val)),
		  EINVAL);
	CHECK_ERR(setsockopt(a, SOL_SOCKET, SO_ZEROCOPY, &val, 3), EINVAL);
	CHECK_ERR(setsockopt(a, SOL_SOCKET, SO_ZEROCOPY, BAD_POINTER, 4),
		  EFAULT);
	/* As for TCP, the flag alone means nothing. */
	CHECK_EQ(send(a, "x", 1, MSG_ZEROCOPY), 1);
	CHECK_EQ(recv(b, &c, 1, 0), 1);
	no_report(a);
	set_int(a, SOL_SOCKET, SO_ZEROCOPY, 1);
	CHECK_EQ(get_int(a, SOL_SOCKET, SO_ZEROCOPY), 1);
	CHECK_EQ(send(a, "y", 1, 0), 1);
	CHECK_EQ(recv(b, &c, 1, 0), 1);
	no_report(a);
}

static void test_reports(void)
{
	struct reader r;
	int a, b, i;

	zc_pair(SOCK_STREAM, &a, &b);
	reader_start(&r, b, 100 * 10000);
	for (i = 0; i < 100; i++)
		CHECK_EQ(send(a, out + 10000 * i, 10000, MSG_ZEROCOPY), 10000);
	reader_end(&r, out);
	reports(a, 100);
	CHECK_EQ(events(a, 0), POLLOUT);
	CHECK_EQ(get_int(a, SOL_SOCKET, SO_ERROR), 0);
}

/* A page is in use until what is in it has been acknowledged. */
static void test_until_acked(void)
{
	unsigned int lo, hi;
	struct reader r;
	int a, b, n;

	zc_pair(SOCK_STREAM, &a, &b);
	lo_qdisc("netem loss 100%");
	CHECK_EQ(send(a, out + 1, 50001, MSG_ZEROCOPY), 50001);
	no_report(a);
	CHECK_EQ(ioctl(a, SIOCOUTQ, &n), 0);
	CHECK_EQ(n, 50001);
	CHECK(!(events(a, 0) & POLLERR));
	lo_qdisc(NULL);
	reader_start(&r, b, 50001);
	reader_end(&r, out + 1);
	report(a, &lo, &hi);
	CHECK(!lo && !hi);
	no_report(a);
}

/* Any size from any place, among sends that copy, with losses. */
static void test_sizes(void)
{
	unsigned int n_zc = 0, seed = 1;
	size_t off = 0, len;
	struct reader r;
	int a, b, zc;

	zc_pair(SOCK_STREAM, &a, &b);
	lo_qdisc("netem loss 5% limit 10000");
	reader_start(&r, b, SIZE);
	while (off < SIZE) {
		len = 1 + rand_r(&seed) % (rand_r(&seed) % 4 ? 100000 : 100);
		len = len < SIZE - off ? len : SIZE - off;
		zc = rand_r(&seed) % 3 && n_zc < 256;
		n_zc += zc;
		CHECK_EQ(send(a, out + off, len, zc ? MSG_ZEROCOPY : 0), len);
		off += len;
	}
	reader_end(&r, out);
	reports(a, n_zc);
}

static void test_pieces(void)
{
	struct iovec iov[200];
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 200 };
	struct reader r;
	size_t i, off;
	int a, b;

	zc_pair(SOCK_STREAM, &a, &b);
	for (i = off = 0; i < 200; i++) {
		iov[i].iov_base = out + off;
		iov[i].iov_len = i % 7 * 300 + 1;
		off += iov[i].iov_len;
	}
	reader_start(&r, b, off);
	CHECK_EQ(sendmsg(a, &msg, MSG_ZEROCOPY), off);
	reader_end(&r, out);
	reports(a, 1);
}

/* More than the buffer holds, from one call. */
static void test_long(void)
{
	struct reader r;
	int a, b;

	zc_pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_SOCKET, SO_SNDBUF, 30000);
	reader_start(&r, b, SIZE - 3);
	CHECK_EQ(send(a, out + 3, SIZE - 3, MSG_ZEROCOPY), SIZE - 3);
	reader_end(&r, out + 3);
	reports(a, 1);
}

/* A byte of a page keeps the page: that is what the buffer is filled with. */
static void test_charge(void)
{
	int a, b, i, n, size, total = 0, page = sysconf(_SC_PAGESIZE);
	struct iovec iov[200];
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 200 };

	zc_pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_SOCKET, SO_SNDBUF, 30 * page);
	size = get_int(a, SOL_SOCKET, SO_SNDBUF);
	for (i = 0; i < 200; i++)
		iov[i] = (struct iovec) { out + i * page, 1 };
	lo_qdisc("netem loss 100%");
	while ((n = sendmsg(a, &msg, MSG_ZEROCOPY | MSG_DONTWAIT)) > 0)
		total += n;
	CHECK_EQ(errno, EAGAIN);
	/* the last call may go beyond by what it takes at once */
	CHECK(total > 0 && total <= size / page + 16);
}

static void test_messages(void)
{
	unsigned int lo, hi;
	int a, b;

	zc_pair(SOCK_SEQPACKET, &a, &b);
	CHECK_EQ(send(a, out, 10000, MSG_ZEROCOPY), 10000);
	CHECK_EQ(recv(b, in, 20000, 0), 10000);
	CHECK(!memcmp(in, out, 10000));
	CHECK_EQ(report(a, &lo, &hi), SO_EE_CODE_ZEROCOPY_COPIED);
	CHECK(!lo && !hi);
}

static void test_fault(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int a, b;

	CHECK(p != MAP_FAILED);
	CHECK_EQ(munmap(p + page, page), 0);
	memset(p, 'y', page);
	zc_pair(SOCK_STREAM, &a, &b);
	CHECK_ERR(send(a, BAD_POINTER, 10, MSG_ZEROCOPY), EFAULT);
	no_report(a);
	CHECK_EQ(send(a, p + page - 10, 20, MSG_ZEROCOPY), 10);
	CHECK_EQ(recv(b, in, 20, 0), 10);
	reports(a, 1);
	munmap(p, page);
}

/* What was never delivered is reported too: it is not in use. */
static void test_reset(void)
{
	struct linger l = { .l_onoff = 1 };
	int a, b;

	zc_pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(setsockopt(b, SOL_SOCKET, SO_LINGER, &l, sizeof(l)), 0);
	lo_qdisc("netem loss 100%");
	CHECK_EQ(send(a, out, 100000, MSG_ZEROCOPY), 100000);
	CHECK_EQ(send(a, out, 100000, MSG_ZEROCOPY), 100000);
	lo_qdisc(NULL);
	close(b);
	events(a, POLLHUP);
	reports(a, 2);
}

/* Closed with pages in use, by a program that never asks. */
static void test_close(void)
{
	struct reader r;
	int a, b;

	zc_pair(SOCK_STREAM, &a, &b);
	/* within a timeout, or an orphan's time is not enough */
	lo_qdisc("netem delay 2ms limit 10000");
	CHECK_EQ(send(a, out, 200000, MSG_ZEROCOPY), 200000);
	close(a);
	reader_start(&r, b, 200000);
	reader_end(&r, out);
	CHECK_EQ(recv(b, in, 1, 0), 0);
}

/* --- pages of files and pipes ---------------------------------------------- */

static void test_sendfile(void)
{
	int file = keep(memfd_create("mrc", 0)), a, b;
	off_t off = 100;
	struct reader r;

	CHECK_EQ(write(file, out, SIZE), SIZE);
	pair(SOCK_STREAM, &a, &b);
	lo_qdisc("netem loss 5% limit 10000");
	reader_start(&r, b, SIZE - 100);
	while (off < SIZE)
		CHECK(sendfile(a, file, &off, SIZE) > 0);
	reader_end(&r, out + 100);
}

/* A header by write(), then the file: the order of the stream. */
static void test_sendfile_after(void)
{
	int file = keep(memfd_create("mrc", 0)), a, b, i;
	struct reader r;
	off_t off;

	CHECK_EQ(write(file, out, SIZE), SIZE);
	pair(SOCK_STREAM, &a, &b);
	reader_start(&r, b, 10 * 20077);
	for (i = 0; i < 10; i++) {
		off = 20077 * i + 77;
		CHECK_EQ(send(a, out + 20077 * i, 77, MSG_MORE), 77);
		CHECK_EQ(sendfile(a, file, &off, 20000), 20000);
	}
	reader_end(&r, out);
}

static void test_splice(void)
{
	struct reader r;
	int a, b, p[2];
	size_t off, n;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(pipe(p), 0);
	keep(p[0]);
	keep(p[1]);
	reader_start(&r, b, 3000000);
	/* pages of a pipe, small pieces, and the program's own pages */
	for (off = 0; off < 3000000; off += n) {
		struct iovec iov = { .iov_base = out + off, .iov_len = 30000 };

		n = off % 90000 ? 30000 : 300;
		n = n < 3000000 - off ? n : 3000000 - off;
		if (off % 90000 == 300) {
			iov.iov_len = n;
			CHECK_EQ(vmsplice(p[1], &iov, 1, 0), n);
		} else {
			CHECK_EQ(write(p[1], out + off, n), n);
		}
		CHECK_EQ(splice(p[0], NULL, a, NULL, n, 0), n);
	}
	reader_end(&r, out);
}

/* --- between two hosts ----------------------------------------------------- */

static int do_recv(uint16_t port)
{
	struct reader r = { .len = SIZE };
	int lfd = sock(SOCK_STREAM);

	CHECK_EQ(do_bind(lfd, at(port)), 0);
	CHECK_EQ(listen(lfd, 1), 0);
	puts("listening");
	fflush(stdout);
	r.fd = take(lfd);
	do_read(&r);
	CHECK_EQ(r.got, SIZE);
	CHECK(!memcmp(in, out, SIZE));
	CHECK_EQ(recv(r.fd, in, 1, 0), 0);
	return 0;
}

static int do_send(uint16_t port)
{
	int file = keep(memfd_create("mrc", 0)), fd = sock(SOCK_STREAM);
	unsigned int n = 0, len = 60001;
	off_t off = 0;

	CHECK_EQ(write(file, out, SIZE), SIZE);
	set_int(fd, SOL_SOCKET, SO_ZEROCOPY, 1);
	CHECK_EQ(do_connect(fd, at(port)), 0);
	while (off < SIZE) {
		len = len < SIZE - off ? len : SIZE - off;
		if (off / 60001 % 2) {
			CHECK_EQ(sendfile(fd, file, &off, len), len);
			continue;
		}
		CHECK_EQ(send(fd, out + off, len, MSG_ZEROCOPY), len);
		off += len;
		n++;
	}
	reports(fd, n);
	return 0;
}

#define T(name, fn)	{ name, fn }

static const struct ktap tests[] = {
	T("MSG_ZEROCOPY: the option", test_option),
	T("MSG_ZEROCOPY: reports", test_reports),
	T("MSG_ZEROCOPY: not before it is acknowledged", test_until_acked),
	T("MSG_ZEROCOPY: all sizes, with losses", test_sizes),
	T("MSG_ZEROCOPY: many pieces", test_pieces),
	T("MSG_ZEROCOPY: more than the buffer", test_long),
	T("MSG_ZEROCOPY: whole pages are charged", test_charge),
	T("MSG_ZEROCOPY: messages are copied", test_messages),
	T("MSG_ZEROCOPY: bad memory", test_fault),
	T("MSG_ZEROCOPY: reset", test_reset),
	T("MSG_ZEROCOPY: closed", test_close),
	T("sendfile: with losses", test_sendfile),
	T("sendfile: after a header", test_sendfile_after),
	T("splice: from a pipe", test_splice),
};

int main(int argc, char **argv)
{
	size_t i;

	if ((argc != 2 && argc != 4) ||
	    inet_pton(AF_INET6, argv[argc == 4 ? 2 : 1], &node) != 1)
		errx(2, "usage: zerocopy [recv|send] NODE-ADDRESS [PORT]");
	signal(SIGPIPE, SIG_IGN);
	alarm(300);
	out = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	in = malloc(SIZE);
	if (out == MAP_FAILED || !in)
		err(1, "memory");
	for (i = 0; i < SIZE; i++)
		out[i] = i * 31 + (i >> 8) * 7 + (i >> 16);
	if (argc == 4) {
		if (setjmp(ktap_out))
			return 1;
		return *argv[1] == 'r' ? do_recv(atoi(argv[3])) :
					 do_send(atoi(argv[3]));
	}
	return ktap_run(tests, sizeof(tests) / sizeof(*tests), clean_all);
}
