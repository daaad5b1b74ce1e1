// SPDX-License-Identifier: GPL-2.0
/*
 * Conformance of SOCK_STREAM: what programs that were written for TCP rely on
 * when they read, write, wait, and end a connection. See conf.h for the
 * arguments; with "tcp" the same must hold.
 */
#include "conf.h"

/* --- bytes ----------------------------------------------------------------- */

/* Writes are not messages: many make one read, one makes many. */
static void test_no_bounds(void)
{
	uint8_t buf[4096];
	int a, b, i;

	pair(SOCK_STREAM, &a, &b);
	for (i = 0; i < 100; i++)
		put(a, i * 7, 7);
	UNTIL(queued(b, SIOCINQ) == 700);
	CHECK_EQ(recv(b, buf, sizeof(buf), 0), 700);
	CHECK_EQ(differs(buf, 0, 700), -1);
	put(a, 700, 700);
	UNTIL(queued(b, SIOCINQ) == 700);
	for (i = 0; i < 100; i++)
		get(b, 700 + i * 7, 7);
	CHECK_ERR(recv(b, buf, 1, MSG_DONTWAIT), EAGAIN);
}

static void test_peek(void)
{
	static uint8_t buf[50000];
	int a, b, i;

	pair(SOCK_STREAM, &a, &b);
	CHECK_ERR(recv(b, buf, 1, MSG_PEEK | MSG_DONTWAIT), EAGAIN);
	put(a, 0, sizeof(buf));
	UNTIL(queued(b, SIOCINQ) == sizeof(buf));
	/* Again and again the same, over many packets */
	for (i = 0; i < 3; i++) {
		CHECK_EQ(recv(b, buf, sizeof(buf), MSG_PEEK), sizeof(buf));
		CHECK_EQ(differs(buf, 0, sizeof(buf)), -1);
	}
	CHECK_EQ(queued(b, SIOCINQ), sizeof(buf));
	get(b, 0, sizeof(buf));
	CHECK_ERR(recv(b, buf, 1, MSG_PEEK | MSG_DONTWAIT), EAGAIN);
	shutdown(a, SHUT_WR);
	CHECK_EQ(recv(b, buf, 1, MSG_PEEK), 0);
	CHECK_EQ(recv(b, buf, 1, 0), 0);
}

/* A peek begins where the last read ended, also inside a packet. */
static void test_peek_after_partial(void)
{
	uint8_t buf[5000];
	int a, b, i;

	pair(SOCK_STREAM, &a, &b);
	put(a, 0, 5000);
	put(a, 5000, 5000);
	UNTIL(queued(b, SIOCINQ) == 10000);
	for (i = 0; i < 10000; i += 1250) {
		CHECK_EQ(recv(b, buf, 1250, MSG_PEEK), 1250);
		CHECK_EQ(differs(buf, i, 1250), -1);
		get(b, i, 1250);
	}
}

/* MSG_TRUNC takes bytes away without giving them. */
static void test_trunc(void)
{
	uint8_t buf[100];
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	put(a, 0, 300);
	UNTIL(queued(b, SIOCINQ) == 300);
	CHECK_EQ(recv(b, NULL, 100, MSG_TRUNC), 100);
	memset(buf, 0x55, sizeof(buf));
	CHECK_EQ(recv(b, buf, 100, MSG_TRUNC), 100);
	CHECK_EQ(buf[0], 0x55);
	get(b, 200, 100);
}

static void test_vectors(void)
{
	static uint8_t buf[3000];
	struct iovec out[] = {
		{ buf, 1000 }, { NULL, 0 }, { buf + 1000, 1 }, { buf + 1001, 0 },
		{ buf + 1001, 1999 },
	};
	uint8_t x[2000], y[1000];
	struct iovec in[] = { { NULL, 0 }, { x, 2000 }, { y, 1000 } };
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	marks(buf, 0, sizeof(buf));
	CHECK_EQ(writev(a, out, N_ELEM(out)), 3000);
	UNTIL(queued(b, SIOCINQ) == 3000);
	CHECK_EQ(readv(b, in, N_ELEM(in)), 3000);
	CHECK_EQ(differs(x, 0, 2000), -1);
	CHECK_EQ(differs(y, 2000, 1000), -1);
	CHECK_EQ(write(a, buf, 0), 0);
	CHECK_EQ(send(a, NULL, 0, 0), 0);
}

static void test_vectors_many(void)
{
	static struct iovec v[1025];
	static uint8_t buf[1024];
	struct msghdr msg = { .msg_iov = v, .msg_iovlen = 1024 };
	int a, b, i;

	pair(SOCK_STREAM, &a, &b);
	marks(buf, 0, sizeof(buf));
	for (i = 0; i < 1024; i++)
		v[i] = (struct iovec) { buf + i, 1 };
	CHECK_EQ(sendmsg(a, &msg, 0), 1024);
	get(b, 0, 1024);
	msg.msg_iovlen = 1025;
	CHECK_ERR(sendmsg(a, &msg, 0), EMSGSIZE);
	CHECK_ERR(syscall(SYS_writev, a, v, -1), EINVAL);
	v[0].iov_len = -1;
	CHECK_ERR(writev(a, v, 1), EINVAL);
	CHECK_EQ(queued(a, SIOCOUTQ), 0);
}

static void test_mmsg(void)
{
	uint8_t buf[300], got[3][100];
	struct iovec v[3] = { { buf, 100 }, { buf + 100, 100 },
			      { buf + 200, 100 } };
	struct mmsghdr m[3] = {};
	int a, b, i;

	pair(SOCK_STREAM, &a, &b);
	marks(buf, 0, sizeof(buf));
	for (i = 0; i < 3; i++)
		m[i].msg_hdr = (struct msghdr) { .msg_iov = &v[i],
						 .msg_iovlen = 1 };
	CHECK_EQ(sendmmsg(a, m, 3, 0), 3);
	UNTIL(queued(b, SIOCINQ) == 300);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(m[i].msg_len, 100);
		v[i].iov_base = got[i];
	}
	CHECK_EQ(recvmmsg(b, m, 3, MSG_DONTWAIT, NULL), 3);
	CHECK_EQ(differs(got[0], 0, 300), -1);
}

/* A socket is no file: it has no position and no pages. */
static void test_no_file(void)
{
	struct stat st;
	char c = 'x';
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_ERR(lseek(a, 0, SEEK_SET), ESPIPE);
	CHECK_ERR(pread(a, &c, 1, 0), ESPIPE);
	CHECK_ERR(pwrite(a, &c, 1, 0), ESPIPE);
	CHECK_ERR(ftruncate(a, 0), EINVAL);
	CHECK_ERR(fsync(a), EINVAL);
	/* TCP has a mapping of its own. */
	if (conf_mrc) {
		CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, a, 0) ==
		      MAP_FAILED);
		CHECK_EQ(errno, ENODEV);
	}
	CHECK_EQ(fstat(a, &st), 0);
	CHECK(S_ISSOCK(st.st_mode));
	CHECK_EQ(queued(a, SIOCOUTQ), 0);
}

/* MSG_MORE announces more, it does not keep what was written for ever. */
static void test_more(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(send(a, "ab", 2, MSG_MORE), 2);
	CHECK_EQ(send(a, "cd", 2, 0), 2);
	UNTIL(queued(b, SIOCINQ) == 4);
	CHECK_EQ(send(a, "ef", 2, MSG_MORE), 2);
	UNTIL(queued(b, SIOCINQ) == 6);
	/* nor past the end */
	CHECK_EQ(send(a, "gh", 2, MSG_MORE), 2);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	UNTIL(queued(b, SIOCINQ) == 8);
}

/* Of an address a connected socket takes no notice. */
static void test_sendto(void)
{
	struct sockaddr_in6 to = far_at(9), from;
	socklen_t len = sizeof(from);
	char c;
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(sendto(a, "x", 1, 0, (void *)&to, sizeof(to)), 1);
	memset(&from, 0x55, sizeof(from));
	CHECK_EQ(recvfrom(b, &c, 1, 0, (void *)&from, &len), 1);
	CHECK_EQ(len, 0);
	CHECK_EQ(from.sin6_port, 0x5555);
}

/* --- memory that is not there ---------------------------------------------- */

static uint8_t *with_hole(size_t before, size_t hole, size_t after)
{
	uint8_t *p = mmap(NULL, before + hole + after, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	CHECK_EQ(munmap(p + before, hole), 0);
	return p;
}

/* What lies before the hole may go or not, nothing that lies behind it. */
static void test_send_hole(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *p = with_hole(page, page, page);
	int a, b;
	ssize_t n;

	pair(SOCK_STREAM, &a, &b);
	marks(p, 0, page);
	CHECK_ERR(send(a, BAD_POINTER, 100, 0), EFAULT);
	n = send(a, p, 3 * page, 0);
	if (n < 0) {
		CHECK_EQ(errno, EFAULT);
		n = 0;
	}
	CHECK(n <= (ssize_t)page);
	put(a, n, 1000);
	get(b, 0, n + 1000);
	CHECK_ERR(recv(b, p, 1, MSG_DONTWAIT), EAGAIN);
}

/* Whatever a read into a hole returns: what it did not return is still there. */
static void test_recv_hole(void)
{
	size_t page = sysconf(_SC_PAGESIZE), size = 3 * page;
	uint8_t *p = with_hole(page, page, page);
	ssize_t n;
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	put(a, 0, size);
	UNTIL(queued(b, SIOCINQ) == (int)size);
	CHECK_ERR(recv(b, BAD_POINTER, 100, 0), EFAULT);
	CHECK_ERR(recv(b, p + page, page, 0), EFAULT);
	CHECK_ERR(recv(b, p + page, page, MSG_PEEK), EFAULT);
	n = recv(b, p, size, 0);
	if (n < 0) {
		CHECK_EQ(errno, EFAULT);
		n = 0;
	}
	CHECK(n <= (ssize_t)page);
	CHECK_EQ(differs(p, 0, n), -1);
	CHECK_EQ(queued(b, SIOCINQ), size - n);
	get(b, n, size - n);
}

static void test_bad_msghdr(void)
{
	struct msghdr msg = { .msg_iov = BAD_POINTER, .msg_iovlen = 1 };
	struct iovec iov = { "x", 1 };
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_ERR(sendmsg(a, BAD_POINTER, 0), EFAULT);
	CHECK_ERR(recvmsg(b, BAD_POINTER, 0), EFAULT);
	CHECK_ERR(sendmsg(a, &msg, 0), EFAULT);
	msg.msg_iov = &iov;
	msg.msg_control = BAD_POINTER;
	msg.msg_controllen = 64;
	CHECK_ERR(sendmsg(a, &msg, 0), EFAULT);
	put(a, 0, 1);
	get(b, 0, 1);
}

/* --- waiting --------------------------------------------------------------- */

static void test_rcvtimeo(void)
{
	uint64_t begun;
	char c, buf[8];
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	set_time(b, SO_RCVTIMEO, LIMIT_MS);
	begun = now_ms();
	CHECK_ERR(recv(b, &c, 1, 0), EAGAIN);
	CHECK(now_ms() - begun >= LIMIT_MS - EARLY_MS);
	/* What came before the time was over */
	put(a, 0, 3);
	UNTIL(queued(b, SIOCINQ) == 3);
	CHECK_EQ(recv(b, buf, sizeof(buf), MSG_WAITALL), 3);
}

static void test_sndtimeo(void)
{
	static char buf[1 << 20];
	uint64_t begun;
	ssize_t n;
	int a, b;

	pair_small(SOCK_STREAM, &a, &b, 65536, 65536);
	fill_both(a, b, 0);
	set_time(a, SO_SNDTIMEO, LIMIT_MS);
	begun = now_ms();
	do {
		n = send(a, buf, sizeof(buf), 0);
	} while (n > 0);
	CHECK_ERR(n, EAGAIN);
	CHECK(now_ms() - begun >= LIMIT_MS - EARLY_MS);
}

static atomic_int caught;

static void on_signal(int sig)
{
	caught++;
}

static void handle(int sig, int flags)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = flags };

	CHECK_EQ(sigaction(sig, &sa, NULL), 0);
	caught = 0;
}

/* After 30 ms, until @count were caught */
static void alarm_every(int ms)
{
	struct itimerval it = { .it_value.tv_usec = ms * 1000,
				.it_interval.tv_usec = ms * 1000 };

	CHECK_EQ(setitimer(ITIMER_REAL, &it, NULL), 0);
}

static void no_alarm(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){}, NULL);
	signal(SIGALRM, SIG_DFL);
}

/* A signal ends a read: with what there is, else with EINTR. */
static void test_recv_signal(void)
{
	char buf[16];
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	handle(SIGALRM, 0);
	alarm_every(30);
	CHECK_ERR(recv(b, buf, 1, 0), EINTR);
	put(a, 0, 5);
	CHECK_EQ(recv(b, buf, 10, MSG_WAITALL), 5);
	/* A limit of time makes of a restart an error. */
	handle(SIGALRM, SA_RESTART);
	set_time(b, SO_RCVTIMEO, WAIT_MS);
	CHECK_ERR(recv(b, buf, 1, 0), EINTR);
	no_alarm();
}

static long late_put(struct conf_thread *t)
{
	while (*(atomic_int *)t->arg < 3)
		poll(NULL, 0, 1);
	return send(t->fd, "x", 1, 0);
}

/* With SA_RESTART it goes on by itself. */
static void test_recv_restart(void)
{
	struct conf_thread t = { late_put, .arg = &caught };
	sigset_t set;
	char c;
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	handle(SIGALRM, SA_RESTART);
	/* The signal is for who reads */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	t.fd = a;
	start(&t);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	alarm_every(20);
	CHECK_EQ(recv(b, &c, 1, 0), 1);
	finish(&t);
	no_alarm();
	CHECK(caught >= 3);
}

/* A write that has begun says how much went. */
static void test_send_signal(void)
{
	static uint8_t buf[16 << 20];
	ssize_t n;
	int a, b;

	pair_small(SOCK_STREAM, &a, &b, 65536, 65536);
	marks(buf, 0, sizeof(buf));
	handle(SIGALRM, 0);
	alarm_every(50);
	n = send(a, buf, sizeof(buf), 0);
	CHECK(n > 0 && n < (ssize_t)sizeof(buf));
	CHECK_ERR(send(a, buf + n, sizeof(buf) - n, 0) < 0 ? -1 : 0, EINTR);
	no_alarm();
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	get(b, 0, n);
	get_end(b);
}

static long thread_recv(struct conf_thread *t)
{
	char c;

	return recv(t->fd, &c, 1, 0);
}

static long thread_send(struct conf_thread *t)
{
	static char buf[1 << 20];
	ssize_t n;

	do {
		n = send(t->fd, buf, sizeof(buf), MSG_NOSIGNAL);
	} while (n > 0);
	return n;
}

/* Who sleeps in a call wakes up when the connection ends in any way. */
static void test_wake_reader(void)
{
	struct conf_thread t = { thread_recv };
	int a, b, how;

	for (how = 0; how < 4; how++) {
		pair(SOCK_STREAM, &a, &b);
		t.fd = a;
		start_asleep(&t);
		switch (how) {
		case 0:
			CHECK_EQ(shutdown(a, SHUT_RD), 0);
			break;
		case 1:
			CHECK_EQ(shutdown(b, SHUT_WR), 0);
			break;
		case 2:
			drop(b);
			break;
		case 3:
			set_linger(b, 0);
			drop(b);
			break;
		}
		finish(&t);
		CHECK_EQ(t.ret, how == 3 ? -1 : 0);
		if (how == 3)
			CHECK_EQ(t.err, ECONNRESET);
		clean();
	}
}

static void test_wake_writer(void)
{
	struct conf_thread t = { thread_send };
	int a, b, how;

	for (how = 0; how < 2; how++) {
		pair_small(SOCK_STREAM, &a, &b, 65536, 65536);
		fill_both(a, b, 0);
		t.fd = a;
		start_asleep(&t);
		if (how) {
			/* b has not read everything: a reset */
			drop(b);
		} else {
			CHECK_EQ(shutdown(a, SHUT_WR), 0);
		}
		finish(&t);
		CHECK_EQ(t.ret, -1);
		CHECK_EQ(t.err, how ? ECONNRESET : EPIPE);
		clean();
	}
}

/* --- two and more at once -------------------------------------------------- */

#define SHARED_BYTES	100000

static atomic_int shared_sum[256];

static long thread_count(struct conf_thread *t)
{
	uint8_t buf[777];
	ssize_t n, i;

	while ((n = recv(t->fd, buf, sizeof(buf), 0)) > 0)
		for (i = 0; i < n; i++)
			shared_sum[buf[i]]++;
	return n;
}

/* Several readers share a stream: each byte goes to one. */
static void test_readers(void)
{
	struct conf_thread t[4];
	int a, b, want[256] = {}, i;

	memset(shared_sum, 0, sizeof(shared_sum));
	pair(SOCK_STREAM, &a, &b);
	for (i = 0; i < 4; i++) {
		t[i] = (struct conf_thread) { thread_count, b };
		start_asleep(&t[i]);
	}
	put(a, 0, SHARED_BYTES);
	for (i = 0; i < SHARED_BYTES; i++)
		want[mark(i)]++;
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	for (i = 0; i < 4; i++) {
		finish(&t[i]);
		CHECK_EQ(t[i].ret, 0);
	}
	for (i = 0; i < 256; i++)
		CHECK_EQ(shared_sum[i], want[i]);
}

static long thread_write(struct conf_thread *t)
{
	uint8_t buf[500];
	int i;

	memset(buf, (long)t->arg, sizeof(buf));
	for (i = 0; i < 200; i++)
		if (send(t->fd, buf, sizeof(buf), 0) != sizeof(buf))
			return -1;
	return 0;
}

/* Several writers: all that they wrote arrives. */
static void test_writers(void)
{
	struct conf_thread t[4];
	int a, b, got[4] = {}, sum = 0, i;
	uint8_t buf[1000];
	ssize_t n;

	pair(SOCK_STREAM, &a, &b);
	for (i = 0; i < 4; i++) {
		t[i] = (struct conf_thread) { thread_write, a, (void *)(long)i };
		start(&t[i]);
	}
	while (sum < 4 * 200 * 500) {
		n = recv(b, buf, sizeof(buf), 0);
		CHECK(n > 0);
		sum += n;
		for (i = 0; i < n; i++) {
			CHECK(buf[i] < 4);
			got[buf[i]]++;
		}
	}
	for (i = 0; i < 4; i++) {
		finish(&t[i]);
		CHECK_EQ(t[i].ret, 0);
		CHECK_EQ(got[i], 200 * 500);
	}
}

/* --- ends ------------------------------------------------------------------ */

/* After the end of one direction the other goes on, as long as it likes. */
static void test_half_close(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	put(a, 0, 1000);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_ERR(send(a, "x", 1, MSG_NOSIGNAL), EPIPE);
	get(b, 0, 1000);
	get_end(b);
	CHECK_EQ(events(b, 0) & (POLLIN | POLLRDHUP | POLLHUP),
		 POLLIN | POLLRDHUP);
	put(b, 5, 500000 / 2);
	get(a, 5, 500000 / 2);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_EQ(shutdown(b, SHUT_WR), 0);
	get_end(a);
	events(a, POLLHUP);
	events(b, POLLHUP);
}

/* Of reading: what comes is read all the same, nothing is waited for. */
static void test_shut_rd(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(shutdown(b, SHUT_RD), 0);
	get_end(b);
	CHECK(events(b, 0) & POLLRDHUP);
	put(a, 0, 100);
	UNTIL(queued(b, SIOCINQ) == 100);
	get(b, 0, 100);
	get_end(b);
	put(b, 0, 100);
	get(a, 0, 100);
}

static void test_both_shut(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(shutdown(a, SHUT_RDWR), 0);
	CHECK(events(a, POLLHUP) & POLLIN);
	get_end(a);
	get_end(b);
	CHECK_ERR(send(a, "x", 1, MSG_NOSIGNAL), EPIPE);
}

/* What was sent before close() is read, then the end. */
static void test_close_delivers(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	put(a, 0, 300000);
	drop(a);
	get(b, 0, 300000);
	get_end(b);
}

/* An abort is an error once, for whoever asks first. */
static void test_reset(void)
{
	int a, b;
	char c;

	pair(SOCK_STREAM, &a, &b);
	set_linger(a, 0);
	drop(a);
	CHECK_EQ(events(b, POLLHUP), POLLIN | POLLOUT | POLLERR | POLLHUP |
				     POLLRDHUP);
	CHECK_ERR(recv(b, &c, 1, 0), ECONNRESET);
	CHECK_EQ(sock_err(b), 0);
	get_end(b);
	CHECK_ERR(send(b, "x", 1, MSG_NOSIGNAL), EPIPE);

	pair(SOCK_STREAM, &a, &b);
	set_linger(a, 0);
	drop(a);
	events(b, POLLHUP);
	CHECK_EQ(sock_err(b), ECONNRESET);
	get_end(b);

	pair(SOCK_STREAM, &a, &b);
	set_linger(a, 0);
	drop(a);
	events(b, POLLHUP);
	CHECK_ERR(send(b, "x", 1, MSG_NOSIGNAL), ECONNRESET);
	CHECK_ERR(send(b, "x", 1, MSG_NOSIGNAL), EPIPE);
}

/* What had come before an abort can be read before the error. */
static void test_reset_after_data(void)
{
	int a, b;
	char c;

	pair(SOCK_STREAM, &a, &b);
	put(a, 0, 5000);
	UNTIL(queued(b, SIOCINQ) == 5000);
	set_linger(a, 0);
	drop(a);
	events(b, POLLHUP);
	get(b, 0, 5000);
	CHECK_ERR(recv(b, &c, 1, 0), ECONNRESET);
	get_end(b);
}

static void test_close_unread(void)
{
	int a, b;
	char c;

	pair(SOCK_STREAM, &a, &b);
	put(b, 0, 1);
	events(a, POLLIN);
	drop(a);
	CHECK_ERR(recv(b, &c, 1, 0), ECONNRESET);
}

/* Data for nobody: the writer hears of it. */
static void test_send_to_closed(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	drop(a);
	events(b, POLLRDHUP);
	CHECK_EQ(send(b, "x", 1, MSG_NOSIGNAL), 1);
	events(b, POLLHUP);
	CHECK_ERR(send(b, "x", 1, MSG_NOSIGNAL), EPIPE);
	CHECK_ERR(send(b, "x", 1, MSG_NOSIGNAL), EPIPE);
}

/* SIGPIPE ends who does not mind errors, unless MSG_NOSIGNAL is given. */
static void test_sigpipe(void)
{
	int a, b, status, nosignal;
	pid_t pid;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	for (nosignal = 0; nosignal < 2; nosignal++) {
		pid = fork();
		CHECK(pid >= 0);
		if (!pid) {
			signal(SIGPIPE, SIG_DFL);
			send(a, "x", 1, nosignal ? MSG_NOSIGNAL : 0);
			_exit(errno == EPIPE ? 7 : 1);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		if (nosignal)
			CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
		else
			CHECK(WIFSIGNALED(status) &&
			      WTERMSIG(status) == SIGPIPE);
	}
	put(b, 0, 10);
	get(a, 0, 10);
}

/* close() lingers while data is on its way, not until it is read. */
static void test_linger_unread(void)
{
	uint64_t begun;
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	set_linger(a, 30);
	put(a, 0, 1000);
	UNTIL(!queued(a, SIOCOUTQ));
	begun = now_ms();
	drop(a);
	CHECK(now_ms() - begun < 10000);
	get(b, 0, 1000);
	get_end(b);
}

/* And no longer than it was told to. */
static void test_linger_ends(void)
{
	uint64_t begun;
	int a, b;

	pair_small(SOCK_STREAM, &a, &b, 65536, 65536);
	fill_both(a, b, 0);
	set_linger(a, 1);
	begun = now_ms();
	drop(a);
	CHECK(now_ms() - begun >= 990);
	CHECK(now_ms() - begun < 30000);
}

/* --- events ---------------------------------------------------------------- */

static void test_rcvlowat(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	set_int(b, SOL_SOCKET, SO_RCVLOWAT, 128);
	put(a, 0, 1);
	UNTIL(queued(b, SIOCINQ) == 1);
	CHECK(!(events(b, 0) & POLLIN));
	put(a, 1, 126);
	UNTIL(queued(b, SIOCINQ) == 127);
	CHECK(!(events(b, 0) & POLLIN));
	put(a, 127, 1);
	CHECK(events(b, POLLIN) & POLLIN);
	get(b, 0, 100);
	CHECK(!(events(b, 0) & POLLIN));
	/* The end is an event whatever little there is. */
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK(events(b, POLLIN) & POLLIN);
	get(b, 100, 28);
	get_end(b);
}

static void test_outq(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(queued(a, SIOCOUTQ), 0);
	put(a, 0, 64);
	/* acknowledged by the peer's kernel, not read by its program */
	UNTIL(!queued(a, SIOCOUTQ));
	CHECK_EQ(queued(b, SIOCINQ), 64);
	get(b, 0, 60);
	CHECK_EQ(queued(b, FIONREAD), 4);
}

/* What can be read is known exactly, at each moment. */
static void test_inq(void)
{
	unsigned int seed = 3;
	int a, b, in = 0, sent = 0, i;

	pair(SOCK_STREAM, &a, &b);
	for (i = 0; i < 40; i++) {
		int n = 1 + rand_r(&seed) % 4000;

		put(a, sent, n);
		sent += n;
		in += n;
		UNTIL(queued(b, SIOCINQ) == in);
		n = 1 + rand_r(&seed) % in;
		get(b, sent - in, n);
		in -= n;
		CHECK_EQ(queued(b, SIOCINQ), in);
	}
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	events(b, POLLRDHUP);
	CHECK_EQ(queued(b, SIOCINQ), in);
	get(b, sent - in, in);
	CHECK_EQ(queued(b, SIOCINQ), 0);
	get_end(b);
}

static void on_io(int sig)
{
	caught++;
}

static void test_sigio(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	signal(SIGIO, on_io);
	caught = 0;
	CHECK_EQ(fcntl(b, F_SETOWN, getpid()), 0);
	CHECK_EQ(fcntl(b, F_SETFL, O_ASYNC | O_NONBLOCK), 0);
	put(a, 0, 1);
	UNTIL(caught);
	signal(SIGIO, SIG_IGN);
	get(b, 0, 1);
}

static int ep_wait(int ep, int timeout)
{
	struct epoll_event ev;
	int n = epoll_wait(ep, &ev, 1, timeout);

	CHECK(n >= 0);
	return n ? (int)ev.events : 0;
}

/* Each arrival is an edge, what is left is none. */
static void test_edge_in(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET };
	int a, b, ep = keep(epoll_create1(0));

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, b, &ev), 0);
	CHECK_EQ(ep_wait(ep, 0), 0);
	put(a, 0, 10);
	CHECK_EQ(ep_wait(ep, WAIT_MS), EPOLLIN);
	CHECK_EQ(ep_wait(ep, 0), 0);
	get(b, 0, 5);
	CHECK_EQ(ep_wait(ep, 0), 0);
	put(a, 10, 1);
	CHECK_EQ(ep_wait(ep, WAIT_MS), EPOLLIN);
	CHECK_EQ(ep_wait(ep, 0), 0);
	get(b, 5, 6);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_EQ(ep_wait(ep, WAIT_MS), EPOLLIN | EPOLLRDHUP);
	CHECK_EQ(ep_wait(ep, 0), 0);
	/* Told again what there is when asked again */
	CHECK_EQ(epoll_ctl(ep, EPOLL_CTL_MOD, b, &ev), 0);
	CHECK_EQ(ep_wait(ep, 0), EPOLLIN | EPOLLRDHUP);
}

/* Room makes an edge after a write found none, and only then. */
static void test_edge_out(void)
{
	struct epoll_event ev = { .events = EPOLLOUT | EPOLLET };
	int a, b, ep = keep(epoll_create1(0));
	size_t n;

	pair_small(SOCK_STREAM, &a, &b, 65536, 65536);
	CHECK_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, a, &ev), 0);
	CHECK_EQ(ep_wait(ep, WAIT_MS), EPOLLOUT);
	n = fill_both(a, b, 0);
	ep_wait(ep, 0);
	CHECK(!(events(a, 0) & POLLOUT));
	get(b, 0, n);
	CHECK_EQ(ep_wait(ep, WAIT_MS), EPOLLOUT);
	CHECK_EQ(ep_wait(ep, 0), 0);
}

static void test_oneshot(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLONESHOT };
	int a, b, ep = keep(epoll_create1(0));

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, b, &ev), 0);
	put(a, 0, 1);
	CHECK_EQ(ep_wait(ep, WAIT_MS), EPOLLIN);
	put(a, 1, 1);
	UNTIL(queued(b, SIOCINQ) == 2);
	CHECK_EQ(ep_wait(ep, 0), 0);
	CHECK_EQ(epoll_ctl(ep, EPOLL_CTL_MOD, b, &ev), 0);
	CHECK_EQ(ep_wait(ep, 0), EPOLLIN);
}

static const struct ktap tests[] = {
	T("stream: writes have no bounds", test_no_bounds),
	T("stream: MSG_PEEK", test_peek),
	T("stream: MSG_PEEK after a partial read", test_peek_after_partial),
	T("stream: MSG_TRUNC discards", test_trunc),
	T("stream: vectors, empty ones too", test_vectors),
	T("stream: as many vectors as allowed", test_vectors_many),
	T("stream: sendmmsg and recvmmsg", test_mmsg),
	T("stream: what files can and sockets cannot", test_no_file),
	T("stream: MSG_MORE keeps nothing back for ever", test_more),
	T("stream: sendto and recvfrom", test_sendto),
	T("stream: send from a buffer with a hole", test_send_hole),
	T("stream: recv into a buffer with a hole", test_recv_hole),
	T("stream: msghdr that cannot be read", test_bad_msghdr),
	T("stream: SO_RCVTIMEO", test_rcvtimeo),
	T("stream: SO_SNDTIMEO", test_sndtimeo),
	T("stream: recv and signals", test_recv_signal),
	T("stream: recv goes on after a signal", test_recv_restart),
	T("stream: send and signals", test_send_signal),
	T("stream: a sleeping reader wakes up", test_wake_reader),
	T("stream: a sleeping writer wakes up", test_wake_writer),
	T("stream: four readers", test_readers),
	T("stream: four writers", test_writers),
	T("stream: half close", test_half_close),
	T("stream: SHUT_RD", test_shut_rd),
	T("stream: SHUT_RDWR", test_both_shut),
	T("stream: close delivers", test_close_delivers),
	T("stream: reset", test_reset),
	T("stream: reset after data", test_reset_after_data),
	T("stream: close with unread data", test_close_unread),
	T("stream: send to who has closed", test_send_to_closed),
	T("stream: SIGPIPE", test_sigpipe),
	T("stream: SO_LINGER and what is unread", test_linger_unread),
	T("stream: SO_LINGER ends", test_linger_ends),
	T("stream: poll and SO_RCVLOWAT", test_rcvlowat),
	T("stream: SIOCOUTQ and SIOCINQ", test_outq),
	T("stream: SIOCINQ follows", test_inq),
	T("stream: SIGIO", test_sigio),
	T("stream: epoll, edges of arrival", test_edge_in),
	T("stream: epoll, edges of room", test_edge_out),
	T("stream: epoll, one shot", test_oneshot),
};

int main(int argc, char **argv)
{
	conf_init(argc, argv);
	return ktap_run(tests, N_ELEM(tests), clean);
}
