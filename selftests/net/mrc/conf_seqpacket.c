// SPDX-License-Identifier: GPL-2.0
/*
 * Conformance of SOCK_SEQPACKET: messages have bounds, come whole, once and in
 * order, or not at all. See conf.h for the arguments; the family is mrc.
 */
#include "conf.h"

/* Sizes around what might be a bound inside, in bytes. */
static const size_t sizes[] = {
	0, 1, 2, 3, 4, 5, 63, 64, 1023, 1024, 4095, 4096, 4097, 8191, 8192,
	16383, 16384, 65535, 65536, 65537, 100000,
};

static uint8_t data[1 << 20], got[1 << 20];

/* A message whose bytes are those at @off. */
static void put_msg(int fd, uint64_t off, size_t n, int flags)
{
	marks(data, off, n);
	CHECK_EQ(send(fd, data, n, flags | MSG_NOSIGNAL), n);
}

static void get_msg(int fd, uint64_t off, size_t n)
{
	memset(got, 0, n);
	CHECK_EQ(recv(fd, got, sizeof(got), 0), n);
	CHECK_EQ(differs(got, off, n), -1);
}

/* recvmsg() into @n bytes. Return: what it does; its flags in @flags. */
static ssize_t get_flags(int fd, size_t n, int how, int *flags)
{
	struct iovec iov = { got, n };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t ret = recvmsg(fd, &msg, how);

	*flags = msg.msg_flags;
	return ret;
}

static void test_bounds(void)
{
	unsigned int i;
	int a, b;

	pair(SOCK_SEQPACKET, &a, &b);
	for (i = 0; i < N_ELEM(sizes); i++)
		put_msg(a, i, sizes[i], 0);
	for (i = 0; i < N_ELEM(sizes); i++)
		get_msg(b, i, sizes[i]);
	CHECK_ERR(recv(b, got, 1, MSG_DONTWAIT), EAGAIN);
}

static long thread_random(struct conf_thread *t)
{
	unsigned int seed = 7, i;
	uint8_t *p = malloc(40000);

	for (i = 0; i < 500; i++) {
		size_t n = rand_r(&seed) % (i & 1 ? 40000 : 300);

		marks(p, i * 1000, n);
		if (send(t->fd, p, n, i & 2 ? MSG_EOR : 0) != (ssize_t)n)
			break;
	}
	free(p);
	return i;
}

/* More than the window holds, sizes as they come */
static void test_bounds_random(void)
{
	struct conf_thread t = { thread_random };
	unsigned int seed = 7, i;
	int a, b, flags;

	pair_small(SOCK_SEQPACKET, &a, &b, 100000, 200000);
	t.fd = a;
	start(&t);
	for (i = 0; i < 500; i++) {
		size_t n = rand_r(&seed) % (i & 1 ? 40000 : 300);

		CHECK_EQ(get_flags(b, sizeof(got), 0, &flags), n);
		CHECK_EQ(flags, i & 2 ? MSG_EOR : 0);
		CHECK_EQ(differs(got, i * 1000, n), -1);
	}
	finish(&t);
	CHECK_EQ(t.ret, 500);
}

static void test_trunc(void)
{
	int a, b, flags;

	pair(SOCK_SEQPACKET, &a, &b);
	put_msg(a, 0, 1000, MSG_EOR);
	put_msg(a, 5000, 1000, 0);
	put_msg(a, 9000, 10, 0);
	/* The flag says that there was more, and it is gone. */
	CHECK_EQ(get_flags(b, 100, 0, &flags), 100);
	CHECK_EQ(flags, MSG_TRUNC | MSG_EOR);
	CHECK_EQ(differs(got, 0, 100), -1);
	/* Asked for, the return value is what it was. */
	CHECK_EQ(get_flags(b, 100, MSG_TRUNC, &flags), 1000);
	CHECK(flags & MSG_TRUNC);
	CHECK_EQ(differs(got, 5000, 100), -1);
	CHECK_EQ(get_flags(b, 10, MSG_TRUNC, &flags), 10);
	CHECK_EQ(flags, 0);
	CHECK_ERR(recv(b, got, 1, MSG_DONTWAIT), EAGAIN);
	/* Into nothing */
	put_msg(a, 0, 70, 0);
	put_msg(a, 1, 1, 0);
	CHECK_EQ(get_flags(b, 0, 0, &flags), 0);
	CHECK(flags & MSG_TRUNC);
	get_msg(b, 1, 1);
}

static void test_peek(void)
{
	int a, b, flags, i;

	pair(SOCK_SEQPACKET, &a, &b);
	CHECK_ERR(recv(b, got, 1, MSG_PEEK | MSG_DONTWAIT), EAGAIN);
	put_msg(a, 0, 90000, MSG_EOR);
	put_msg(a, 7, 7, 0);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(get_flags(b, sizeof(got), MSG_PEEK, &flags), 90000);
		CHECK_EQ(flags, MSG_EOR);
		CHECK_EQ(differs(got, 0, 90000), -1);
		CHECK_EQ(get_flags(b, 3, MSG_PEEK, &flags), 3);
		CHECK(flags & MSG_TRUNC);
		CHECK_EQ(get_flags(b, 3, MSG_PEEK | MSG_TRUNC, &flags), 90000);
	}
	get_msg(b, 0, 90000);
	get_msg(b, 7, 7);
}

static void test_eor(void)
{
	int a, b, flags, i;

	pair(SOCK_SEQPACKET, &a, &b);
	for (i = 0; i < 20; i++)
		put_msg(a, i, i * 1000, i % 3 ? 0 : MSG_EOR);
	for (i = 0; i < 20; i++) {
		CHECK_EQ(get_flags(b, sizeof(got), 0, &flags), i * 1000);
		CHECK_EQ(flags, i % 3 ? 0 : MSG_EOR);
	}
}

/* An empty message is one; the end of the connection is none. */
static void test_empty(void)
{
	int a, b, flags;

	pair(SOCK_SEQPACKET, &a, &b);
	put_msg(a, 0, 0, MSG_EOR);
	put_msg(a, 0, 0, MSG_EOR);
	put_msg(a, 0, 5, 0);
	CHECK(events(b, POLLIN) & POLLIN);
	CHECK_EQ(get_flags(b, 10, 0, &flags), 0);
	CHECK_EQ(flags, MSG_EOR);
	CHECK_EQ(get_flags(b, 10, MSG_PEEK, &flags), 0);
	CHECK_EQ(flags, MSG_EOR);
	CHECK_EQ(get_flags(b, 10, 0, &flags), 0);
	get_msg(b, 0, 5);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_EQ(get_flags(b, 10, 0, &flags), 0);
	CHECK_EQ(flags, 0);
	get_end(b);
}

static void test_rcvtimeo(void)
{
	uint64_t begun;
	int a, b;

	pair(SOCK_SEQPACKET, &a, &b);
	set_time(b, SO_RCVTIMEO, LIMIT_MS);
	begun = now_ms();
	CHECK_ERR(recv(b, got, 10, 0), EAGAIN);
	CHECK(now_ms() - begun >= LIMIT_MS - EARLY_MS);
	/* MSG_WAITALL waits for one message, not for the buffer's fill. */
	put_msg(a, 0, 3, 0);
	CHECK_EQ(recv(b, got, 10, MSG_WAITALL), 3);
}

static void test_sndtimeo(void)
{
	unsigned int sent = 0, i;
	uint64_t begun;
	ssize_t n;
	int a, b;

	pair_small(SOCK_SEQPACKET, &a, &b, 65536, 65536);
	set_time(a, SO_SNDTIMEO, LIMIT_MS);
	do {
		begun = now_ms();
		marks(data, sent, 5000);
		n = send(a, data, 5000, 0);
		sent += n > 0;
	} while (n > 0);
	CHECK_ERR(n, EAGAIN);
	CHECK(now_ms() - begun >= LIMIT_MS - EARLY_MS);
	/* What went is whole. */
	for (i = 0; i < sent; i++)
		get_msg(b, i, 5000);
	CHECK_ERR(recv(b, got, 1, MSG_DONTWAIT), EAGAIN);
}

static uint8_t *with_hole(size_t page)
{
	uint8_t *p = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	CHECK_EQ(munmap(p + page, page), 0);
	return p;
}

/* A message that could not be stored is kept, whole: nothing is lost to a
 * program that gives a good buffer then.
 */
static void test_recv_hole(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *p = with_hole(page);
	int a, b;

	pair(SOCK_SEQPACKET, &a, &b);
	put_msg(a, 0, 3 * page, 0);
	put_msg(a, 1, 3 * page, 0);
	CHECK_ERR(recv(b, p, 3 * page, 0), EFAULT);
	CHECK_ERR(recv(b, BAD_POINTER, 3 * page, 0), EFAULT);
	CHECK_ERR(recv(b, p, 3 * page, MSG_PEEK), EFAULT);
	get_msg(b, 0, 3 * page);
	get_msg(b, 1, 3 * page);
}

/* A message that could not be read is not sent, not even its beginning. */
static void test_send_hole(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *p = with_hole(page);
	int a, b;

	pair(SOCK_SEQPACKET, &a, &b);
	CHECK_ERR(send(a, p, 3 * page, 0), EFAULT);
	CHECK_ERR(send(a, BAD_POINTER, 10, 0), EFAULT);
	CHECK_EQ(queued(a, SIOCOUTQ), 0);
	put_msg(a, 3, 1000, 0);
	get_msg(b, 3, 1000);
}

static void test_big(void)
{
	unsigned int max;
	uint8_t *p;
	int a, b;

	pair_small(SOCK_SEQPACKET, &a, &b, 65536, 2 << 20);
	max = get_int(a, SOL_MRC, MRC_MAX_MSG);
	CHECK(max >= 65536);
	p = malloc(max + 1);
	CHECK(p);
	marks(p, 0, max);
	CHECK_ERR(send(a, p, max + 1, 0), EMSGSIZE);
	CHECK_EQ(queued(a, SIOCOUTQ), 0);
	/* As large as allowed, through a send buffer that is smaller */
	CHECK_EQ(send(a, p, max, 0), max);
	memset(p, 0, max);
	CHECK_EQ(recv(b, p, max, 0), max);
	CHECK_EQ(differs(p, 0, max), -1);
	free(p);
}

/* A message fits whatever the receiver does to its buffer meanwhile. */
static void test_big_shrunk(void)
{
	unsigned int max;
	int a, b, i;

	pair_small(SOCK_SEQPACKET, &a, &b, 0, 400000);
	max = get_int(a, SOL_MRC, MRC_MAX_MSG);
	CHECK(max <= sizeof(data));
	set_int(b, SOL_SOCKET, SO_RCVBUF, 1);
	for (i = 0; i < 5; i++) {
		marks(data, i, max);
		CHECK_EQ(send(a, data, max, 0), max);
		get_msg(b, i, max);
	}
	CHECK_EQ(get_int(a, SOL_MRC, MRC_MAX_MSG), max);
}

/* Where it would not fit now, it does not go in part. */
static void test_nonblocking(void)
{
	unsigned int sent = 0, i;
	ssize_t n;
	int a, b;

	pair_small(SOCK_SEQPACKET, &a, &b, 65536, 65536);
	do {
		marks(data, sent, 3333);
		n = send(a, data, 3333, MSG_DONTWAIT);
		if (n > 0) {
			CHECK_EQ(n, 3333);
			sent++;
		} else {
			CHECK_EQ(errno, EAGAIN);
			poll(&(struct pollfd){ a, POLLOUT }, 1, 200);
			if (!(events(a, 0) & POLLOUT))
				break;
		}
	} while (sent < 100000);
	CHECK(sent > 10 && sent < 1000);
	for (i = 0; i < sent; i++)
		get_msg(b, i, 3333);
	CHECK_ERR(recv(b, got, 1, MSG_DONTWAIT), EAGAIN);
	CHECK(events(a, POLLOUT) & POLLOUT);
}

static void test_vectors(void)
{
	struct iovec out[] = { { data, 10 }, { NULL, 0 }, { data + 10, 9990 } };
	struct iovec in[] = { { got, 1 }, { got + 1, 5000 }, { got + 5001, 9999 } };
	int a, b;

	pair(SOCK_SEQPACKET, &a, &b);
	marks(data, 0, 10000);
	CHECK_EQ(writev(a, out, 3), 10000);
	put_msg(a, 1, 1, 0);
	memset(got, 0, 10000);
	CHECK_EQ(readv(b, in, 3), 10000);
	CHECK_EQ(differs(got, 0, 10000), -1);
	get_msg(b, 1, 1);
}

static void test_mmsg(void)
{
	struct iovec v[4];
	struct mmsghdr m[4] = {};
	int a, b, i;

	pair(SOCK_SEQPACKET, &a, &b);
	for (i = 0; i < 4; i++) {
		marks(data + i * 1000, i, 1000);
		v[i] = (struct iovec) { data + i * 1000, (i + 1) * 100 };
		m[i].msg_hdr = (struct msghdr) { .msg_iov = &v[i],
						 .msg_iovlen = 1 };
	}
	CHECK_EQ(sendmmsg(a, m, 4, 0), 4);
	UNTIL(queued(b, SIOCINQ));
	for (i = 0; i < 4; i++)
		v[i] = (struct iovec) { got + i * 1000, 250 };
	for (i = 0; i < 4;) {
		int n = recvmmsg(b, m + i, 4 - i, MSG_WAITFORONE, NULL);

		CHECK(n > 0);
		i += n;
	}
	for (i = 0; i < 4; i++) {
		CHECK_EQ(m[i].msg_len, i < 2 ? (i + 1) * 100 : 250);
		CHECK_EQ(m[i].msg_hdr.msg_flags, i < 2 ? 0 : MSG_TRUNC);
		CHECK_EQ(differs(got + i * 1000, i, m[i].msg_len), -1);
	}
}

#define WRITERS		4
#define EACH		100

static long thread_writer(struct conf_thread *t)
{
	unsigned int i;
	uint8_t buf[9000];

	for (i = 0; i < EACH; i++) {
		memset(buf, (long)t->arg * 16 + i % 16,
		       sizeof(buf));
		if (send(t->fd, buf, 1000 + i * 80, 0) != 1000 + i * 80)
			return -1;
	}
	return 0;
}

static atomic_int messages;

/* All bytes of a message are the same. Return: -1 if not. */
static long thread_reader(struct conf_thread *t)
{
	uint8_t buf[9000];
	ssize_t n, i;

	while ((n = recv(t->fd, buf, sizeof(buf), 0)) > 0) {
		for (i = 1; i < n; i++)
			if (buf[i] != buf[0])
				return -1;
		messages++;
	}
	return n;
}

/* Messages of several writers do not mix, several readers do not share one. */
static void test_many(void)
{
	struct conf_thread w[WRITERS], r[3];
	int a, b, i;

	messages = 0;
	pair_small(SOCK_SEQPACKET, &a, &b, 100000, 100000);
	for (i = 0; i < 3; i++) {
		r[i] = (struct conf_thread) { thread_reader, b };
		start(&r[i]);
	}
	for (i = 0; i < WRITERS; i++) {
		w[i] = (struct conf_thread) { thread_writer, a,
					      (void *)(long)i };
		start(&w[i]);
	}
	for (i = 0; i < WRITERS; i++) {
		finish(&w[i]);
		CHECK_EQ(w[i].ret, 0);
	}
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	for (i = 0; i < 3; i++) {
		finish(&r[i]);
		CHECK_EQ(r[i].ret, 0);
	}
	CHECK_EQ(messages, WRITERS * EACH);
}

/* Readable is a whole message, whatever SO_RCVLOWAT says. */
static void test_rcvlowat(void)
{
	int a, b;

	pair(SOCK_SEQPACKET, &a, &b);
	CHECK(!(events(b, 0) & POLLIN));
	put_msg(a, 0, 1, 0);
	CHECK(events(b, POLLIN) & POLLIN);
	get_msg(b, 0, 1);
	CHECK(!(events(b, 0) & POLLIN));
}

static void test_queues(void)
{
	int a, b;

	pair(SOCK_SEQPACKET, &a, &b);
	put_msg(a, 0, 64, 0);
	put_msg(a, 0, 700, 0);
	UNTIL(!queued(a, SIOCOUTQ));
	/* That of the next one, as for datagrams */
	CHECK_EQ(queued(b, SIOCINQ), 64);
	get_msg(b, 0, 64);
	CHECK_EQ(queued(b, SIOCINQ), 700);
	get_msg(b, 0, 700);
	CHECK_EQ(queued(b, SIOCINQ), 0);
}

static void test_ends(void)
{
	int a, b;

	/* half close, with messages on the way, then the other direction */
	pair(SOCK_SEQPACKET, &a, &b);
	put_msg(a, 0, 100000, 0);
	put_msg(a, 1, 5, 0);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_ERR(send(a, "x", 1, MSG_NOSIGNAL), EPIPE);
	get_msg(b, 0, 100000);
	get_msg(b, 1, 5);
	get_end(b);
	put_msg(b, 2, 70000, 0);
	get_msg(a, 2, 70000);
	drop(b);
	get_end(a);

	/* reset: what has come whole is read first */
	pair(SOCK_SEQPACKET, &a, &b);
	put_msg(a, 0, 10, 0);
	put_msg(a, 1, 10, 0);
	events(b, POLLIN);
	UNTIL(!queued(a, SIOCOUTQ));
	set_linger(a, 0);
	drop(a);
	events(b, POLLHUP);
	get_msg(b, 0, 10);
	get_msg(b, 1, 10);
	CHECK_ERR(recv(b, got, 10, 0), ECONNRESET);
	get_end(b);
	CHECK_ERR(send(b, "x", 1, MSG_NOSIGNAL), EPIPE);

	/* unread: the writer hears of it */
	pair(SOCK_SEQPACKET, &a, &b);
	put_msg(a, 0, 10, 0);
	events(b, POLLIN);
	drop(b);
	events(a, POLLHUP);
	CHECK_ERR(recv(a, got, 10, 0), ECONNRESET);
}

static int caught;

static void on_alarm(int sig)
{
	caught++;
}

/* A signal in a send: the message went or did not. */
static void test_signals(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval it = { { 0, 20000 }, { 0, 20000 } };
	unsigned int sent = 0, i;
	ssize_t n;
	int a, b;

	pair_small(SOCK_SEQPACKET, &a, &b, 65536, 65536);
	CHECK_EQ(sigaction(SIGALRM, &sa, NULL), 0);
	CHECK_EQ(setitimer(ITIMER_REAL, &it, NULL), 0);
	CHECK_ERR(recv(b, got, 10, 0), EINTR);
	do {
		marks(data, sent, 9999);
		n = send(a, data, 9999, 0);
		sent += n > 0;
	} while (n > 0 || poll(&(struct pollfd){ a, POLLOUT }, 1, 100) > 0);
	CHECK_EQ(n, -1);
	it = (struct itimerval) {};
	setitimer(ITIMER_REAL, &it, NULL);
	signal(SIGALRM, SIG_DFL);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	for (i = 0; i < sent; i++)
		get_msg(b, i, 9999);
	get_end(b);
}

static void test_flags(void)
{
	int a, b;

	pair(SOCK_SEQPACKET, &a, &b);
	CHECK_ERR(send(a, "x", 1, MSG_OOB), EOPNOTSUPP);
	CHECK_ERR(send(a, "x", 1, MSG_MORE), EOPNOTSUPP);
	CHECK_ERR(recv(b, got, 1, MSG_OOB), EOPNOTSUPP);
	CHECK_EQ(queued(a, SIOCOUTQ), 0);
}

static const struct ktap tests[] = {
	T("seqpacket: bounds, of all sizes", test_bounds),
	T("seqpacket: bounds, more than the window", test_bounds_random),
	T("seqpacket: MSG_TRUNC", test_trunc),
	T("seqpacket: MSG_PEEK", test_peek),
	T("seqpacket: MSG_EOR", test_eor),
	T("seqpacket: empty messages and the end", test_empty),
	T("seqpacket: SO_RCVTIMEO and MSG_WAITALL", test_rcvtimeo),
	T("seqpacket: SO_SNDTIMEO", test_sndtimeo),
	T("seqpacket: recv into a buffer with a hole", test_recv_hole),
	T("seqpacket: send from a buffer with a hole", test_send_hole),
	T("seqpacket: as long as allowed and longer", test_big),
	T("seqpacket: a receive buffer that shrinks", test_big_shrunk),
	T("seqpacket: non-blocking, whole or not", test_nonblocking),
	T("seqpacket: vectors", test_vectors),
	T("seqpacket: sendmmsg and recvmmsg", test_mmsg),
	T("seqpacket: many writers, many readers", test_many),
	T("seqpacket: poll", test_rcvlowat),
	T("seqpacket: SIOCOUTQ and SIOCINQ", test_queues),
	T("seqpacket: half close, reset, close", test_ends),
	T("seqpacket: signals", test_signals),
	T("seqpacket: flags", test_flags),
};

int main(int argc, char **argv)
{
	conf_init(argc, argv);
	return ktap_run(tests, N_ELEM(tests), clean);
}
