// SPDX-License-Identifier: GPL-2.0
/*
 * Conformance of transfers: the ways in which programs wait (poll, select,
 * epoll by level and by edge, threads that block), write (write, writev,
 * MSG_MORE, a mapping, sendfile, splice) and read (read, readv, MSG_WAITALL,
 * MSG_PEEK before or instead of a read, splice). Both ends write and read at
 * the same time, in chunks of random sizes; each byte is compared, and digests
 * of both directions at both ends. See conf.h for the arguments; with "tcp"
 * the same must hold. CONF_SEED=N repeats a run.
 */
#include "conf.h"

#include <sys/select.h>
#include <sys/sendfile.h>

#define CHUNK		65536	/* largest, bytes */
#define TOTAL		1060000	/* bytes each way: no multiple of anything */

enum waiter { BY_POLL, BY_SELECT, BY_LEVEL, BY_EDGE, BY_THREADS };
enum writer { WRITE, WRITEV, MORE, MAPPED, SENDFILE, SPLICE_OUT };
enum reader { READ, READV, WAITALL, PEEK_TWICE, PEEK_SAVE, SPLICE_IN };

/**
 * struct side - one end of a connection and how far it is
 * @waiter: how it waits
 * @writer: how it writes
 * @reader: how it reads
 * @fd: the socket
 * @file: has what is to be sent, from byte 0
 * @map: the same, in memory
 * @in_pipe: bytes on their way from @file into the socket
 * @out: pipe of SPLICE_OUT
 * @in: pipe of SPLICE_IN
 * @tx_seed: of the chunks it writes
 * @rx_seed: of those it reads
 * @tx_base: what it writes are the marks from here
 * @rx_base: what it must get are those from here
 * @sent: bytes
 * @got: bytes
 * @tx_sum: digest of what was written
 * @rx_sum: digest of what was read
 * @total: to be sent and got
 * @stop: ends after so many bytes got, with the rest unread; 0 = never
 * @ended: the end of the stream has come
 * @why: what went wrong, NULL if nothing has
 */
struct side {
	enum waiter waiter;
	enum writer writer;
	enum reader reader;
	int fd, file;
	uint8_t *map;
	size_t in_pipe;
	int out[2], in[2];
	unsigned int tx_seed, rx_seed;
	uint64_t tx_base, rx_base;
	size_t sent, got;
	uint64_t tx_sum, rx_sum;
	size_t total, stop;
	bool ended;
	const char *why;
};

static unsigned int seed;

/* Mostly small or large, seldom between */
static size_t chunk(unsigned int *s, size_t most)
{
	size_t n;

	switch (rand_r(s) % 4) {
	case 0:
		n = 1 + rand_r(s) % 100;
		break;
	case 1:
		n = 1 + rand_r(s) % 5000;
		break;
	default:
		n = 1 + rand_r(s) % CHUNK;
	}
	return n < most ? n : most;
}

/* FNV-1a */
static uint64_t digest(uint64_t sum, const uint8_t *p, size_t n)
{
	while (n--)
		sum = (sum ^ *p++) * 0x100000001b3ULL;
	return sum;
}

static bool again(ssize_t n)
{
	return n < 0 && errno == EAGAIN;
}

/* --- writing --------------------------------------------------------------- */

static ssize_t write_vectors(struct side *s, uint8_t *p, size_t n)
{
	struct iovec v[8];
	unsigned int i;

	for (i = 0; i < 8; i++) {
		size_t part = i < 7 ? rand_r(&s->tx_seed) % (n + 1) : n;

		v[i] = (struct iovec) { p, part };
		p += part;
		n -= part;
	}
	return writev(s->fd, v, 8);
}

/* File to pipe to socket; what is in the pipe goes first. */
static ssize_t write_splice(struct side *s, size_t n)
{
	off_t off = s->sent;
	ssize_t m;

	if (!s->in_pipe) {
		m = splice(s->file, &off, s->out[1], NULL, n, 0);
		if (m <= 0)
			return m;
		s->in_pipe = m;
	}
	m = splice(s->out[0], NULL, s->fd, NULL, s->in_pipe,
		   s->waiter == BY_THREADS ? 0 : SPLICE_F_NONBLOCK);
	if (m > 0)
		s->in_pipe -= m;
	return m;
}

/* Return: bytes; 0 not now; -1 and s->why */
static ssize_t write_some(struct side *s)
{
	size_t n = chunk(&s->tx_seed, s->total - s->sent);
	uint8_t buf[CHUNK], *p = s->map + s->sent;
	off_t off = s->sent;
	ssize_t m = -1;

	switch (s->writer) {
	case WRITE:
		memcpy(buf, p, n);
		m = write(s->fd, buf, n);
		memset(buf, 0, n);
		break;
	case WRITEV:
		m = write_vectors(s, p, n);
		break;
	case MORE:
		m = send(s->fd, p, n, rand_r(&s->tx_seed) % 4 ? MSG_MORE : 0);
		break;
	case MAPPED:
		m = write(s->fd, p, n);
		break;
	case SENDFILE:
		m = sendfile(s->fd, s->file, &off, n);
		break;
	case SPLICE_OUT:
		m = write_splice(s, n);
		break;
	}
	if (m > 0) {
		s->tx_sum = digest(s->tx_sum, p, m);
		s->sent += m;
		if (s->sent == s->total && shutdown(s->fd, SHUT_WR))
			s->why = "shutdown";
		return m;
	}
	if (again(m))
		return 0;
	s->why = "write";
	return -1;
}

/* --- reading --------------------------------------------------------------- */

static ssize_t read_vectors(struct side *s, uint8_t *buf, size_t n)
{
	size_t first = rand_r(&s->rx_seed) % (n + 1);
	struct iovec v[3] = { { buf, first }, { NULL, 0 },
			      { buf + first, n - first } };

	return readv(s->fd, v, 3);
}

/* Looks first, and reads then as much as it has seen. */
static ssize_t read_peeked(struct side *s, uint8_t *buf, size_t n, bool save)
{
	static __thread uint8_t seen[CHUNK];
	ssize_t m, k = recv(s->fd, seen, n, MSG_PEEK);

	if (k <= 0)
		return k;
	m = recv(s->fd, buf, k, save ? MSG_TRUNC : 0);
	if (m != k || (!save && memcmp(buf, seen, k))) {
		s->why = "what was peeked at is not what was read";
		return -1;
	}
	if (save)
		memcpy(buf, seen, k);
	return m;
}

static ssize_t read_splice(struct side *s, uint8_t *buf, size_t n)
{
	ssize_t m = splice(s->fd, NULL, s->in[1], NULL, n,
			   s->waiter == BY_THREADS ? 0 : SPLICE_F_NONBLOCK);

	if (m > 0 && read(s->in[0], buf, m) != m) {
		s->why = "read of a pipe";
		return -1;
	}
	return m;
}

/* Return: bytes; 0 not now, or the end: s->ended; -1 and s->why */
static ssize_t read_some(struct side *s)
{
	size_t n = chunk(&s->rx_seed, CHUNK);
	uint8_t buf[CHUNK];
	ssize_t m = -1;

	switch (s->reader) {
	case READ:
		m = read(s->fd, buf, n);
		break;
	case READV:
		m = read_vectors(s, buf, n);
		break;
	case WAITALL:
		m = recv(s->fd, buf, n, MSG_WAITALL);
		break;
	case PEEK_TWICE:
		m = read_peeked(s, buf, n, false);
		break;
	case PEEK_SAVE:
		m = read_peeked(s, buf, n, true);
		break;
	case SPLICE_IN:
		m = read_splice(s, buf, n);
		break;
	}
	if (m > 0) {
		if (differs(buf, s->rx_base + s->got, m) >= 0) {
			s->why = "wrong byte";
			return -1;
		}
		s->rx_sum = digest(s->rx_sum, buf, m);
		s->got += m;
		return m;
	}
	if (!m)
		s->ended = true;
	else if (!again(m) && !s->why)
		s->why = "read";
	return s->why ? -1 : 0;
}

/* --- waiting --------------------------------------------------------------- */

static bool over(const struct side *s)
{
	return s->why || (s->ended && s->sent == s->total) ||
	       (s->stop && s->got >= s->stop);
}

/* Return: POLLIN, POLLOUT as far as it was asked for; 0 and s->why */
static int wait_poll(struct side *s, int want)
{
	struct pollfd p = { s->fd, want };

	if (poll(&p, 1, WAIT_MS) != 1) {
		s->why = "poll";
		return 0;
	}
	return p.revents & (POLLERR | POLLHUP) ? want : p.revents & want;
}

static int wait_select(struct side *s, int want)
{
	struct timeval tv = { WAIT_MS / 1000 };
	fd_set in, out;

	FD_ZERO(&in);
	FD_ZERO(&out);
	if (want & POLLIN)
		FD_SET(s->fd, &in);
	if (want & POLLOUT)
		FD_SET(s->fd, &out);
	if (select(s->fd + 1, &in, &out, NULL, &tv) <= 0) {
		s->why = "select";
		return 0;
	}
	return (FD_ISSET(s->fd, &in) ? POLLIN : 0) |
	       (FD_ISSET(s->fd, &out) ? POLLOUT : 0);
}

static int wait_epoll(struct side *s, int ep, int want)
{
	struct epoll_event ev = { .events = want };

	if (want && epoll_ctl(ep, EPOLL_CTL_MOD, s->fd, &ev)) {
		s->why = "epoll_ctl";
		return 0;
	}
	if (epoll_wait(ep, &ev, 1, WAIT_MS) != 1) {
		s->why = "epoll_wait";
		return 0;
	}
	return ev.events;
}

static void by_level(struct side *s, int ep)
{
	while (!over(s)) {
		int want = (s->ended ? 0 : POLLIN) |
			   (s->sent < s->total ? POLLOUT : 0), is;

		if (s->waiter == BY_POLL)
			is = wait_poll(s, want);
		else if (s->waiter == BY_SELECT)
			is = wait_select(s, want);
		else
			is = wait_epoll(s, ep, want);
		if (!s->why && is & POLLIN)
			read_some(s);
		if (!s->why && is & POLLOUT)
			write_some(s);
	}
}

static void by_edge(struct side *s, int ep)
{
	int is = 0;

	while (!over(s)) {
		if (!is)
			is = wait_epoll(s, ep, 0);
		if (!s->why && is & POLLIN && (s->ended || !read_some(s)))
			is &= ~POLLIN;
		if (!s->why && is & POLLOUT &&
		    (s->sent == s->total || !write_some(s)))
			is &= ~POLLOUT;
		is &= POLLIN | POLLOUT;
	}
}

static void *writer_main(void *arg)
{
	struct side *s = arg;

	while (!s->why && s->sent < s->total)
		write_some(s);
	return NULL;
}

static void by_threads(struct side *s)
{
	pthread_t t;

	if (pthread_create(&t, NULL, writer_main, s)) {
		s->why = "pthread_create";
		return;
	}
	while (!s->why && !s->ended && !(s->stop && s->got >= s->stop))
		read_some(s);
	if (s->why || s->stop)
		shutdown(s->fd, SHUT_RDWR);
	pthread_join(t, NULL);
}

static void *side_main(void *arg)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT | EPOLLET };
	struct side *s = arg;
	int ep;

	if (s->waiter == BY_THREADS) {
		by_threads(s);
		return NULL;
	}
	fcntl(s->fd, F_SETFL, O_NONBLOCK);
	ep = epoll_create1(0);
	epoll_ctl(ep, EPOLL_CTL_ADD, s->fd, &ev);
	if (s->waiter == BY_EDGE)
		by_edge(s, ep);
	else
		by_level(s, ep);
	close(ep);
	return NULL;
}

/* --- tests ----------------------------------------------------------------- */

static void side_init(struct side *s, int fd, unsigned int salt)
{
	s->fd = fd;
	s->tx_seed = seed + salt;
	s->rx_seed = seed + salt + 100;
	s->tx_base = salt * 1000003ULL;
	s->file = keep(memfd_create("conf", 0));
	CHECK_EQ(ftruncate(s->file, s->total), 0);
	s->map = mmap(NULL, s->total, PROT_READ | PROT_WRITE, MAP_SHARED,
		      s->file, 0);
	CHECK(s->map != MAP_FAILED);
	marks(s->map, s->tx_base, s->total);
	CHECK_EQ(pipe(s->out), 0);
	CHECK_EQ(pipe(s->in), 0);
	keep(s->out[0]);
	keep(s->out[1]);
	keep(s->in[0]);
	keep(s->in[1]);
}

static void run_sides(struct side *a, struct side *b, int sndbuf, int rcvbuf)
{
	pthread_t t;
	int near, far;

	printf("# seed %u\n", seed);
	pair_small(SOCK_STREAM, &near, &far, sndbuf, rcvbuf);
	side_init(a, near, 1);
	side_init(b, far, 2);
	a->rx_base = b->tx_base;
	b->rx_base = a->tx_base;
	CHECK_EQ(pthread_create(&t, NULL, side_main, a), 0);
	side_main(b);
	/* What it does not read is an abort, for which the other may wait. */
	if (b->stop || b->why)
		drop(b->fd);
	pthread_join(t, NULL);
	munmap(a->map, a->total);
	munmap(b->map, b->total);
}

static void both_ways(struct side a, struct side b, int sndbuf, int rcvbuf)
{
	a.total = TOTAL;
	b.total = TOTAL - 5;
	run_sides(&a, &b, sndbuf, rcvbuf);
	if (a.why || b.why)
		KTAP_FAIL("near: %s at %zu/%zu, far: %s at %zu/%zu",
			  a.why ?: "good", a.sent, a.got, b.why ?: "good",
			  b.sent, b.got);
	CHECK_EQ(a.sent, TOTAL);
	CHECK_EQ(b.got, TOTAL);
	CHECK_EQ(b.sent, TOTAL - 5);
	CHECK_EQ(a.got, TOTAL - 5);
	CHECK_EQ(a.tx_sum, b.rx_sum);
	CHECK_EQ(b.tx_sum, a.rx_sum);
}

/* Two ends as a literal: how it waits, writes and reads */
#define SIDE(w, out, in)						\
	((struct side){ .waiter = BY_##w, .writer = out, .reader = in })

#define BOTH(fn, a, b)							\
static void test_##fn(void)						\
{									\
	both_ways(a, b, 0, 0);						\
}

BOTH(poll, SIDE(POLL, WRITE, READ), SIDE(POLL, WRITE, READ))
BOTH(select, SIDE(SELECT, WRITE, READ), SIDE(SELECT, WRITEV, READV))
BOTH(level, SIDE(LEVEL, WRITE, READ), SIDE(LEVEL, WRITEV, READV))
BOTH(edge, SIDE(EDGE, WRITE, READ), SIDE(EDGE, WRITE, READ))
BOTH(threads, SIDE(THREADS, WRITE, READ), SIDE(THREADS, WRITE, WAITALL))
BOTH(mapped, SIDE(POLL, MAPPED, READ), SIDE(POLL, MAPPED, READ))
BOTH(sendfile, SIDE(POLL, SENDFILE, READ), SIDE(EDGE, SENDFILE, READ))
BOTH(sendfile_2, SIDE(THREADS, SENDFILE, READ), SIDE(THREADS, SENDFILE, READ))
BOTH(splice, SIDE(POLL, SPLICE_OUT, SPLICE_IN), SIDE(LEVEL, SPLICE_OUT, SPLICE_IN))
BOTH(splice_2, SIDE(THREADS, SPLICE_OUT, SPLICE_IN), SIDE(THREADS, SPLICE_OUT, READ))
BOTH(peek, SIDE(POLL, WRITE, PEEK_TWICE), SIDE(EDGE, WRITE, PEEK_TWICE))
BOTH(peek_save, SIDE(POLL, WRITE, PEEK_SAVE), SIDE(THREADS, WRITE, PEEK_SAVE))
BOTH(more, SIDE(POLL, MORE, READ), SIDE(EDGE, MORE, READ))
BOTH(mixed, SIDE(EDGE, SPLICE_OUT, PEEK_TWICE), SIDE(SELECT, MORE, SPLICE_IN))

static void test_small(void)
{
	both_ways(SIDE(POLL, WRITE, READ), SIDE(EDGE, WRITEV, READV), 20000,
		  20000);
}

static void test_small_edge(void)
{
	both_ways(SIDE(EDGE, SENDFILE, PEEK_SAVE),
		  SIDE(EDGE, SPLICE_OUT, SPLICE_IN), 20000, 20000);
}

/* One end has enough in the middle: the other hears of it and hangs nowhere. */
static void stops(enum waiter waiter)
{
	struct side a = SIDE(POLL, WRITE, READ), b = SIDE(POLL, WRITE, READ);

	a.waiter = waiter;
	b.waiter = waiter;
	a.total = TOTAL * 8;
	b.total = TOTAL;
	b.stop = TOTAL / 3;
	run_sides(&a, &b, 65536, 65536);
	CHECK(b.got >= b.stop && b.got < b.stop + CHUNK);
	CHECK(a.why && !b.why);
	CHECK(a.sent < a.total);
}

static void test_stops(void)
{
	stops(BY_POLL);
}

static void test_stops_edge(void)
{
	stops(BY_EDGE);
}

static const struct ktap tests[] = {
	T("transfer: poll", test_poll),
	T("transfer: select, writev, readv", test_select),
	T("transfer: epoll by level", test_level),
	T("transfer: epoll by edge", test_edge),
	T("transfer: threads that block, MSG_WAITALL", test_threads),
	T("transfer: write from a mapping", test_mapped),
	T("transfer: sendfile", test_sendfile),
	T("transfer: sendfile, blocking", test_sendfile_2),
	T("transfer: splice out of and into pipes", test_splice),
	T("transfer: splice, blocking", test_splice_2),
	T("transfer: MSG_PEEK, then read", test_peek),
	T("transfer: MSG_PEEK, then discard", test_peek_save),
	T("transfer: MSG_MORE", test_more),
	T("transfer: mixed", test_mixed),
	T("transfer: small buffers", test_small),
	T("transfer: small buffers, by edge", test_small_edge),
	T("transfer: one end stops", test_stops),
	T("transfer: one end stops, by edge", test_stops_edge),
};

int main(int argc, char **argv)
{
	conf_init(argc, argv);
	seed = atoi(getenv("CONF_SEED") ?: "0") ?: getpid() + time(NULL);
	return ktap_run(tests, N_ELEM(tests), clean);
}
