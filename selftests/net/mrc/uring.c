// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring on AF_MRC sockets: connect and accept, send and receive, one request
 * for many receives, sends without a copy. On connections of a host to itself,
 * without liburing.
 *
 *   uring ADDR			ADDR is a node address of this namespace
 *
 * Prints TAP. Needs no plane.
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "socktest.h"

#define ENTRIES		64

/* One ring; one thread, so that the kernel is the only other side. */
static struct {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	unsigned int queued;
} ring;

static void *ring_map(off_t off, size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_POPULATE, ring.fd, off);

	CHECK(p != MAP_FAILED);
	return p;
}

static void ring_open(void)
{
	struct io_uring_params p = {};
	char *sq, *cq;

	ring.fd = keep(syscall(SYS_io_uring_setup, ENTRIES, &p));
	CHECK(ring.fd >= 0);
	sq = ring_map(IORING_OFF_SQ_RING,
		      p.sq_off.array + p.sq_entries * sizeof(int));
	cq = ring_map(IORING_OFF_CQ_RING,
		      p.cq_off.cqes + p.cq_entries * sizeof(*ring.cqe));
	ring.sqe = ring_map(IORING_OFF_SQES, p.sq_entries * sizeof(*ring.sqe));
	ring.sq_tail = (void *)(sq + p.sq_off.tail);
	ring.sq_mask = (void *)(sq + p.sq_off.ring_mask);
	ring.sq_array = (void *)(sq + p.sq_off.array);
	ring.cq_head = (void *)(cq + p.cq_off.head);
	ring.cq_tail = (void *)(cq + p.cq_off.tail);
	ring.cq_mask = (void *)(cq + p.cq_off.ring_mask);
	ring.cqe = (void *)(cq + p.cq_off.cqes);
	ring.queued = 0;
}

static struct io_uring_sqe *request(int op, int fd, const void *addr,
				    unsigned int len, unsigned long long user)
{
	unsigned int tail = *ring.sq_tail, i = tail & *ring.sq_mask;
	struct io_uring_sqe *sqe = &ring.sqe[i];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = op;
	sqe->fd = fd;
	sqe->addr = (unsigned long)addr;
	sqe->len = len;
	sqe->user_data = user;
	ring.sq_array[i] = i;
	__atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
	ring.queued++;
	return sqe;
}

static void submit(void)
{
	CHECK_EQ(syscall(SYS_io_uring_enter, ring.fd, ring.queued, 0, 0, NULL,
			 0), ring.queued);
	ring.queued = 0;
}

static bool has_answer(void)
{
	return *ring.cq_head != __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE);
}

/* The next answer; waits for it. */
static void answer(struct io_uring_cqe *cqe)
{
	unsigned int head = *ring.cq_head;

	if (!has_answer())
		CHECK(syscall(SYS_io_uring_enter, ring.fd, 0, 1,
			      IORING_ENTER_GETEVENTS, NULL, 0) >= 0);
	CHECK(has_answer());
	*cqe = ring.cqe[head & *ring.cq_mask];
	__atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
}

/* The next answer is this. */
static void expect(unsigned long long user, int res)
{
	struct io_uring_cqe cqe;

	answer(&cqe);
	CHECK_EQ(cqe.user_data, user);
	CHECK_EQ(cqe.res, res);
}

static void test_connect(void)
{
	int lfd = listener(SOCK_STREAM), fd = sock(SOCK_STREAM), i;
	struct sockaddr_mrc a = at(port_of(lfd));
	struct io_uring_cqe cqe;
	int conn = -1;
	char c;

	ring_open();
	request(IORING_OP_ACCEPT, lfd, NULL, 0, 1);
	submit();
	CHECK(!has_answer());
	request(IORING_OP_CONNECT, fd, &a, 0, 2)->off = sizeof(a);
	submit();
	for (i = 0; i < 2; i++) {
		answer(&cqe);
		CHECK(cqe.res >= 0);
		if (cqe.user_data == 1)
			conn = keep(cqe.res);
	}
	CHECK(conn >= 0);
	CHECK_EQ(send(conn, "x", 1, 0), 1);
	CHECK_EQ(recv(fd, &c, 1, 0), 1);
	a = at(9);
	request(IORING_OP_CONNECT, sock(SOCK_STREAM), &a, 0, 3)->off =
		sizeof(a);
	submit();
	expect(3, -ECONNREFUSED);
}

static void test_send_recv(void)
{
	char buf[10];
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	ring_open();
	/* A receive that must wait, and is woken. */
	request(IORING_OP_RECV, b, buf, sizeof(buf), 1);
	submit();
	CHECK(!has_answer());
	request(IORING_OP_SEND, a, "hello", 5, 2);
	submit();
	expect(2, 5);
	expect(1, 5);
	CHECK(!memcmp(buf, "hello", 5));
	/* All of it, though it comes in parts. */
	request(IORING_OP_RECV, b, buf, 10, 3)->msg_flags = MSG_WAITALL;
	submit();
	CHECK_EQ(send(a, "01234", 5, 0), 5);
	CHECK_EQ(send(a, "56789", 5, 0), 5);
	expect(3, 10);
	CHECK(!memcmp(buf, "0123456789", 10));
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	request(IORING_OP_RECV, b, buf, sizeof(buf), 4);
	submit();
	expect(4, 0);
	request(IORING_OP_SEND, a, "x", 1, 5)->msg_flags = MSG_NOSIGNAL;
	submit();
	expect(5, -EPIPE);
}

static void test_messages(void)
{
	char buf[10];
	struct iovec iov = { .iov_base = buf, .iov_len = 4 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int a, b;

	pair(SOCK_SEQPACKET, &a, &b);
	ring_open();
	request(IORING_OP_RECVMSG, b, &msg, 1, 1);
	submit();
	CHECK_EQ(send(a, "abcdef", 6, MSG_EOR), 6);
	expect(1, 4);
	CHECK_EQ(msg.msg_flags, MSG_TRUNC | MSG_EOR);
}

/* More than the buffers hold: the request waits and goes on. */
static void test_long(void)
{
	const unsigned int size = 16 << 20;
	char *out = calloc(1, size), *in = calloc(1, size);
	struct io_uring_cqe cqe;
	int a, b, i;

	CHECK(out && in);
	for (i = 0; i < (int)size; i++)
		out[i] = i * 31 + (i >> 8);
	pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_SOCKET, SO_SNDBUF, 100000);
	ring_open();
	request(IORING_OP_SEND, a, out, size, 1)->msg_flags = MSG_WAITALL;
	request(IORING_OP_RECV, b, in, size, 2)->msg_flags = MSG_WAITALL;
	submit();
	for (i = 0; i < 2; i++) {
		answer(&cqe);
		CHECK_EQ(cqe.res, size);
	}
	CHECK(!memcmp(in, out, size));
	free(in);
	free(out);
}

/* One request, many receives, each into a buffer that the kernel chooses. */
static void test_multishot(void)
{
	const unsigned int n = 8, size = 64;
	struct io_uring_buf_reg reg = { .ring_entries = n };
	char *bufs = calloc(n, size);
	struct io_uring_buf_ring *br;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe cqe;
	unsigned int i;
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	ring_open();
	br = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(bufs && br != MAP_FAILED);
	for (i = 0; i < n; i++) {
		br->bufs[i].addr = (unsigned long)(bufs + i * size);
		br->bufs[i].len = size;
		br->bufs[i].bid = i;
	}
	__atomic_store_n(&br->tail, n, __ATOMIC_RELEASE);
	reg.ring_addr = (unsigned long)br;
	CHECK_EQ(syscall(SYS_io_uring_register, ring.fd,
			 IORING_REGISTER_PBUF_RING, &reg, 1), 0);
	sqe = request(IORING_OP_RECV, b, NULL, 0, 1);
	sqe->ioprio = IORING_RECV_MULTISHOT;
	sqe->flags = IOSQE_BUFFER_SELECT;
	submit();
	for (i = 0; i < 5; i++) {
		CHECK_EQ(send(a, "message", 8, 0), 8);
		answer(&cqe);
		CHECK_EQ(cqe.user_data, 1);
		CHECK_EQ(cqe.res, 8);
		CHECK(cqe.flags & IORING_CQE_F_MORE);
		CHECK(cqe.flags & IORING_CQE_F_BUFFER);
		CHECK(!strcmp(bufs + size * (cqe.flags >>
					     IORING_CQE_BUFFER_SHIFT),
			      "message"));
	}
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	answer(&cqe);
	CHECK_EQ(cqe.res, 0);
	CHECK(!(cqe.flags & IORING_CQE_F_MORE));
	free(bufs);
	munmap(br, 4096);
}

static void test_multishot_accept(void)
{
	int lfd = listener(SOCK_STREAM), fd, i;
	struct io_uring_cqe cqe;

	ring_open();
	request(IORING_OP_ACCEPT, lfd, NULL, 0, 1)->ioprio =
		IORING_ACCEPT_MULTISHOT;
	submit();
	for (i = 0; i < 5; i++) {
		fd = sock(SOCK_STREAM);
		CHECK_EQ(do_connect(fd, at(port_of(lfd))), 0);
		answer(&cqe);
		CHECK(cqe.res >= 0);
		keep(cqe.res);
		CHECK(cqe.flags & IORING_CQE_F_MORE);
	}
}

static void send_zc(int type, bool fixed)
{
	const unsigned int size = 100000;
	char *out = malloc(size), *in = malloc(size);
	struct iovec iov = { .iov_base = out, .iov_len = size };
	struct io_uring_sqe *sqe;
	struct io_uring_cqe cqe;
	unsigned int i, sent = 0, told = 0;
	int a, b;

	CHECK(out && in);
	for (i = 0; i < size; i++)
		out[i] = i * 31 + (i >> 8);
	pair(type, &a, &b);
	ring_open();
	if (fixed)
		CHECK_EQ(syscall(SYS_io_uring_register, ring.fd,
				 IORING_REGISTER_BUFFERS, &iov, 1), 0);
	for (i = 0; i < 4; i++) {
		sqe = request(IORING_OP_SEND_ZC, a, out + i * 7, size - i * 7,
			      i);
		sqe->ioprio = fixed ? IORING_RECVSEND_FIXED_BUF : 0;
	}
	submit();
	for (i = 0; i < 4; i++) {
		CHECK_EQ(recv(b, in, size - i * 7, MSG_WAITALL), size - i * 7);
		CHECK(!memcmp(in, out + i * 7, size - i * 7));
	}
	/* Two answers to each: sent, and the memory is free again. */
	for (i = 0; i < 8; i++) {
		answer(&cqe);
		CHECK(cqe.user_data < 4);
		if (cqe.flags & IORING_CQE_F_NOTIF) {
			CHECK(sent & 1U << cqe.user_data);
			told |= 1U << cqe.user_data;
		} else {
			CHECK_EQ(cqe.res, size - cqe.user_data * 7);
			CHECK(cqe.flags & IORING_CQE_F_MORE);
			sent |= 1U << cqe.user_data;
		}
	}
	CHECK_EQ(sent, 15);
	CHECK_EQ(told, 15);
	free(in);
	free(out);
}

static void test_send_zc(void)
{
	send_zc(SOCK_STREAM, false);
	send_zc(SOCK_SEQPACKET, false);
}

static void test_send_zc_fixed(void)
{
	send_zc(SOCK_STREAM, true);
}

/* A poll for many events, and a request that is taken back. */
static void test_poll(void)
{
	struct io_uring_cqe cqe;
	int a, b, i;
	char c;

	pair(SOCK_STREAM, &a, &b);
	ring_open();
	request(IORING_OP_POLL_ADD, b, NULL, IORING_POLL_ADD_MULTI, 1)->
		poll32_events = POLLIN;
	submit();
	for (i = 0; i < 3; i++) {
		CHECK_EQ(send(a, "x", 1, 0), 1);
		answer(&cqe);
		CHECK(cqe.res & POLLIN);
		CHECK(cqe.flags & IORING_CQE_F_MORE);
		CHECK_EQ(recv(b, &c, 1, 0), 1);
	}
	request(IORING_OP_POLL_REMOVE, -1, (void *)1, 0, 2);
	submit();
	for (i = 0; i < 2; i++) {
		answer(&cqe);
		CHECK_EQ(cqe.res, cqe.user_data == 1 ? -ECANCELED : 0);
	}
	request(IORING_OP_RECV, b, &c, 1, 3);
	submit();
	request(IORING_OP_ASYNC_CANCEL, -1, (void *)3, 0, 4);
	submit();
	for (i = 0; i < 2; i++) {
		answer(&cqe);
		CHECK_EQ(cqe.res, cqe.user_data == 3 ? -ECANCELED : 0);
	}
	CHECK_EQ(send(a, "y", 1, 0), 1);
	CHECK_EQ(recv(b, &c, 1, 0), 1);
	CHECK_EQ(c, 'y');
}

#define T(name, fn)	{ name, fn }

static const struct ktap tests[] = {
	T("io_uring: connect, accept", test_connect),
	T("io_uring: send, recv", test_send_recv),
	T("io_uring: recvmsg of a message", test_messages),
	T("io_uring: more than the buffers", test_long),
	T("io_uring: multishot recv", test_multishot),
	T("io_uring: multishot accept", test_multishot_accept),
	T("io_uring: SEND_ZC", test_send_zc),
	T("io_uring: SEND_ZC, registered buffers", test_send_zc_fixed),
	T("io_uring: poll, cancel", test_poll),
};

int main(int argc, char **argv)
{
	if (argc != 2 || inet_pton(AF_INET6, argv[1], &node) != 1)
		errx(2, "usage: uring NODE-ADDRESS");
	signal(SIGPIPE, SIG_IGN);
	alarm(120);
	return ktap_run(tests, sizeof(tests) / sizeof(*tests), clean);
}
