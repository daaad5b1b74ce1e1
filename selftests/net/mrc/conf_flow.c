// SPDX-License-Identifier: GPL-2.0
/*
 * Conformance of flow control: buffers that are small, full, shrunk, or never
 * read; nobody sleeps for ever, nothing is promised and refused. See conf.h
 * for the arguments; with "tcp" the same must hold.
 */
#include "conf.h"

#define SMALL	65536

static void small_pair(int *a, int *b)
{
	pair_small(SOCK_STREAM, a, b, SMALL, SMALL);
}

struct flow {
	uint64_t off;
	size_t n;
};

static long thread_put(struct conf_thread *t)
{
	struct flow *f = t->arg;
	static uint8_t buf[32768];
	uint64_t off = f->off;
	size_t left = f->n;

	while (left) {
		size_t part = left < sizeof(buf) ? left : sizeof(buf);
		ssize_t n;

		marks(buf, off, part);
		n = send(t->fd, buf, part, MSG_NOSIGNAL);
		if (n <= 0)
			return -1;
		off += n;
		left -= n;
	}
	return 0;
}

/* A window that closed opens again, however little is read at a time. */
static void reopen(size_t chunk)
{
	struct flow f = { .n = 2000000 };
	struct conf_thread t = { thread_put, .arg = &f };
	int a, b;

	small_pair(&a, &b);
	f.off = fill_both(a, b, 0);
	t.fd = a;
	start_asleep(&t);
	for (f.n += f.off, f.off = 0; f.off < f.n; f.off += chunk) {
		if (chunk > f.n - f.off)
			chunk = f.n - f.off;
		get(b, f.off, chunk);
	}
	finish(&t);
	CHECK_EQ(t.ret, 0);
}

static void test_reopen(void)
{
	reopen(50000);
	reopen(1000);
}

/* One byte at a time out of a full window: no storm, no standstill. */
static void test_silly(void)
{
	size_t n, i;
	int a, b;

	small_pair(&a, &b);
	n = fill_both(a, b, 0);
	for (i = 0; i < 3000; i++)
		get(b, i, 1);
	get(b, 3000, n - 3000);
	put(a, n, 1000);
	get(b, n, 1000);
}

/* All at once after a long silence: the writer is woken. */
static void test_all_at_once(void)
{
	struct flow f = { .n = 300000 };
	struct conf_thread t = { thread_put, .arg = &f };
	static uint8_t buf[4 << 20];
	ssize_t n;
	int a, b;

	small_pair(&a, &b);
	f.off = fill_both(a, b, 0);
	t.fd = a;
	start_asleep(&t);
	n = recv(b, buf, sizeof(buf), 0);
	CHECK(n > 0);
	CHECK_EQ(differs(buf, 0, n), -1);
	get(b, n, f.off + f.n - n);
	finish(&t);
	CHECK_EQ(t.ret, 0);
}

/* What goes in without a reader is bounded by the two buffers. */
static void test_bounded(void)
{
	size_t n, bound;
	int a, b;

	small_pair(&a, &b);
	bound = get_int(a, SOL_SOCKET, SO_SNDBUF) +
		get_int(b, SOL_SOCKET, SO_RCVBUF);
	n = fill_both(a, b, 0);
	/* and half of the smaller can be used */
	CHECK(n >= SMALL / 2);
	/* one write more than allowed; TCP merges what waits, and takes more */
	CHECK(n <= (conf_mrc ? bound : 2 * bound) + 16384);
	get(b, 0, n);
}

/* Small writes without a reader are no reason to give up, and nothing of them
 * is lost.
 */
static void test_small_writes(void)
{
	size_t n = 0, before;
	int a, b;

	small_pair(&a, &b);
	do {
		before = n;
		n += fill(a, n, 1);
		poll(&(struct pollfd){ .fd = a, .events = POLLOUT }, 1, 200);
	} while (n != before && n < 500000);
	CHECK(n > 1000);
	CHECK_EQ(sock_err(a), 0);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	get(b, 0, n);
	get_end(b);
}

/* Buffers as small as they can be */
static void test_smallest(void)
{
	struct flow f = { .n = 300000 };
	struct conf_thread t = { thread_put, .arg = &f };
	int a, b;

	pair_small(SOCK_STREAM, &a, &b, 1, 1);
	CHECK(get_int(a, SOL_SOCKET, SO_SNDBUF) >= 1024);
	CHECK(get_int(b, SOL_SOCKET, SO_RCVBUF) >= 1024);
	t.fd = a;
	start(&t);
	get(b, 0, f.n);
	finish(&t);
	CHECK_EQ(t.ret, 0);
}

/* A buffer that shrinks while it is full: what was promised arrives. */
static void test_shrink(void)
{
	struct flow f = { .n = 200000 };
	struct conf_thread t = { thread_put, .arg = &f };
	int a, b;

	pair_small(SOCK_STREAM, &a, &b, SMALL, 200000);
	f.off = fill_both(a, b, 0);
	set_int(b, SOL_SOCKET, SO_RCVBUF, 1);
	t.fd = a;
	start_asleep(&t);
	get(b, 0, f.off + f.n);
	finish(&t);
	CHECK_EQ(t.ret, 0);
}

/* One that grows is used. */
static void test_grow(void)
{
	size_t n, more;
	int a, b;

	small_pair(&a, &b);
	n = fill_both(a, b, 0);
	set_int(b, SOL_SOCKET, SO_RCVBUF, 1000000);
	get(b, 0, 1000);
	events(a, POLLOUT);
	more = fill_both(a, b, n);
	CHECK(more > 10000);
	get(b, 1000, n + more - 1000);
}

/* SO_RCVLOWAT set while as much is queued: an event at once, whatever the
 * window is.
 */
static void test_lowat_later(void)
{
	static char buf[65537];
	int a, b;

	pair_small(SOCK_STREAM, &a, &b, 0, 262144);
	put(a, 0, 128 * 1024);
	UNTIL(queued(b, SIOCINQ) == 128 * 1024);
	get(b, 0, 65536);
	put(a, 128 * 1024, 1);
	set_int(b, SOL_SOCKET, SO_RCVLOWAT, 65537);
	CHECK(events(b, POLLIN) & POLLIN);
	CHECK_EQ(recv(b, buf, sizeof(buf), MSG_DONTWAIT), sizeof(buf));
}

/* A mark above what the buffer holds is still reached. */
static void test_lowat_high(void)
{
	struct flow f = { .n = 400000 };
	struct conf_thread t = { thread_put, .arg = &f };
	int a, b;

	small_pair(&a, &b);
	set_int(b, SOL_SOCKET, SO_RCVLOWAT, 0x7fffffff);
	t.fd = a;
	start(&t);
	for (f.off = 0; f.off < f.n - 200000;) {
		static uint8_t buf[16384];
		ssize_t n;

		CHECK(events(b, POLLIN) & POLLIN);
		n = recv(b, buf, sizeof(buf), MSG_DONTWAIT);
		CHECK(n > 0);
		CHECK_EQ(differs(buf, f.off, n), -1);
		f.off += n;
	}
	set_int(b, SOL_SOCKET, SO_RCVLOWAT, 1);
	get(b, f.off, f.n - f.off);
	finish(&t);
	CHECK_EQ(t.ret, 0);
}

/* Both sides full: each can still empty the other. */
static void test_both_full(void)
{
	size_t n, m;
	int a, b;

	pair_small(SOCK_STREAM, &a, &b, SMALL, SMALL);
	set_int(b, SOL_SOCKET, SO_SNDBUF, SMALL);
	n = fill_both(a, b, 0);
	m = fill_both(b, a, 7);
	get(b, 0, n);
	get(a, 7, m);
	put(a, n, 50000);
	get(b, n, 50000);
	put(b, 7 + m, 50000);
	get(a, 7 + m, 50000);
}

/* The end of stream gets past a closed window, and only after all data. */
static void test_fin_full(void)
{
	size_t n;
	int a, b;

	small_pair(&a, &b);
	n = fill_both(a, b, 0);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	get(b, 0, n);
	get_end(b);
	put(b, 0, 10);
	get(a, 0, 10);
}

/* So it is when the writer has gone. */
static void test_close_full(void)
{
	size_t n;
	int a, b;

	small_pair(&a, &b);
	n = fill_both(a, b, 0);
	drop(a);
	get(b, 0, n);
	get_end(b);
}

/* An abort needs no window. */
static void test_reset_full(void)
{
	size_t n;
	int a, b;

	small_pair(&a, &b);
	n = fill_both(a, b, 0);
	set_linger(a, 0);
	drop(a);
	events(b, POLLERR);
	CHECK(n);
	CHECK_EQ(sock_err(b), ECONNRESET);
}

/* Many wait for room; all of them get it. */
static void test_waiters(void)
{
	struct flow f[4];
	struct conf_thread t[4];
	size_t sum, n = 0;
	ssize_t r;
	int a, b, i;

	small_pair(&a, &b);
	sum = fill_both(a, b, 0);
	for (i = 0; i < 4; i++) {
		f[i] = (struct flow) { .n = 100000 };
		t[i] = (struct conf_thread) { thread_put, a, &f[i] };
		start_asleep(&t[i]);
		sum += f[i].n;
	}
	while (n < sum) {
		static uint8_t buf[20000];

		r = recv(b, buf, sizeof(buf), 0);
		CHECK(r > 0);
		n += r;
	}
	for (i = 0; i < 4; i++) {
		finish(&t[i]);
		CHECK_EQ(t[i].ret, 0);
	}
	CHECK_EQ(queued(b, SIOCINQ), 0);
}

static const struct ktap tests[] = {
	T("flow: a closed window opens", test_reopen),
	T("flow: byte by byte out of a full window", test_silly),
	T("flow: all at once out of a full window", test_all_at_once),
	T("flow: what nobody reads is bounded", test_bounded),
	T("flow: small writes that nobody reads", test_small_writes),
	T("flow: smallest buffers", test_smallest),
	T("flow: SO_RCVBUF grows", test_grow),
	T("flow: SO_RCVLOWAT after the data", test_lowat_later),
	T("flow: SO_RCVLOWAT above the buffer", test_lowat_high),
	T("flow: full both ways", test_both_full),
	T("flow: SHUT_WR with a closed window", test_fin_full),
	T("flow: close with a closed window", test_close_full),
	T("flow: reset with a closed window", test_reset_full),
	T("flow: four writers wait for room", test_waiters),
};

/* TCP would wait for its retries, each twice as long as the one before. */
static const struct ktap own[] = {
	T("flow: SO_RCVBUF shrinks", test_shrink),
};

int main(int argc, char **argv)
{
	conf_init(argc, argv);
	return conf_run(tests, N_ELEM(tests), own, N_ELEM(own));
}
