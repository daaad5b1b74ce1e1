/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the conformance tests: both ends of a connection in one program, of
 * AF_MRC or, to see that a test asks for no more than what programs are used
 * to, of TCP.
 *
 *   PROGRAM mrc|tcp ADDR [NETNS]
 *
 * "Far" sockets listen at ADDR, in the network namespace NETNS (a file) if one
 * is given: a connection crosses the fabric then. "Near" ones connect to them
 * from where the program was started.
 *
 * Checks (ktap.h) belong to the main thread; others leave what they found in
 * a struct conf_thread.
 */
#ifndef _MRC_CONF_H
#define _MRC_CONF_H

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <linux/mrc.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"

#define WAIT_MS		60000	/* for what must come */
#define LIMIT_MS	200	/* a limit of time that passes */
#define EARLY_MS	50	/* so much sooner: each sleep until then may end
				 * a jiffy early
				 */
#define BAD_POINTER	((void *)16)
#define T(name, fn)	{ name, fn }
#define N_ELEM(a)	(sizeof(a) / sizeof(*(a)))

static bool conf_mrc;
static struct sockaddr_in6 conf_far;	/* of AF_MRC: the same layout */
static int conf_home = -1, conf_away = -1;
static int conf_fds[1024];
static unsigned int conf_n_fds;

/* --- sockets --------------------------------------------------------------- */

/* Everything a test opened, so that one that failed disturbs no other. */
static int keep(int fd)
{
	if (fd >= 0 && conf_n_fds < N_ELEM(conf_fds))
		conf_fds[conf_n_fds++] = fd;
	return fd;
}

static inline void clean(void)
{
	while (conf_n_fds)
		close(conf_fds[--conf_n_fds]);
}

/* Closes it now: of another file with this number clean() keeps off. */
static inline void drop(int fd)
{
	unsigned int i;

	for (i = 0; i < conf_n_fds; i++)
		if (conf_fds[i] == fd)
			conf_fds[i] = conf_fds[--conf_n_fds];
	close(fd);
}

static inline int near_sock(int type)
{
	int fd = keep(socket(conf_far.sin6_family, type, 0));

	CHECK(fd >= 0);
	return fd;
}

static inline int far_sock(int type)
{
	int fd;

	if (conf_away >= 0)
		CHECK_EQ(setns(conf_away, CLONE_NEWNET), 0);
	fd = keep(socket(conf_far.sin6_family, type, 0));
	if (conf_away >= 0)
		CHECK_EQ(setns(conf_home, CLONE_NEWNET), 0);
	CHECK(fd >= 0);
	return fd;
}

/* The far address with a port in host order. */
static inline struct sockaddr_in6 far_at(uint16_t port)
{
	struct sockaddr_in6 a = conf_far;

	a.sin6_port = htons(port);
	return a;
}

static inline int do_bind(int fd, uint16_t port)
{
	struct sockaddr_in6 a = far_at(port);

	return bind(fd, (void *)&a, sizeof(a));
}

static inline int do_connect(int fd, uint16_t port)
{
	struct sockaddr_in6 a = far_at(port);

	return connect(fd, (void *)&a, sizeof(a));
}

static inline uint16_t port_of(int fd)
{
	struct sockaddr_in6 a = {};
	socklen_t len = sizeof(a);

	CHECK_EQ(getsockname(fd, (void *)&a, &len), 0);
	CHECK_EQ(len, sizeof(a));
	return ntohs(a.sin6_port);
}

static inline void set_int(int fd, int level, int name, int val)
{
	CHECK_EQ(setsockopt(fd, level, name, &val, sizeof(val)), 0);
}

static inline int get_int(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int val = -1;

	CHECK_EQ(getsockopt(fd, level, name, &val, &len), 0);
	return val;
}

static inline int sock_err(int fd)
{
	return get_int(fd, SOL_SOCKET, SO_ERROR);
}

static inline void set_time(int fd, int name, int ms)
{
	struct timeval tv = { ms / 1000, ms % 1000 * 1000 };

	CHECK_EQ(setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)), 0);
}

static inline void set_linger(int fd, int seconds)
{
	struct linger l = { .l_onoff = 1, .l_linger = seconds };

	CHECK_EQ(setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l)), 0);
}

static inline void nonblocking(int fd)
{
	CHECK_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
}

static inline int far_listener(int type, int backlog)
{
	int fd = far_sock(type);

	CHECK_EQ(do_bind(fd, 0), 0);
	CHECK_EQ(listen(fd, backlog), 0);
	return fd;
}

static inline int take(int lfd)
{
	int fd = keep(accept(lfd, NULL, NULL));

	CHECK(fd >= 0);
	return fd;
}

/* A connection; @lfd listens. */
static inline void pair_of(int lfd, int type, int *near, int *far)
{
	*near = near_sock(type);
	CHECK_EQ(do_connect(*near, port_of(lfd)), 0);
	*far = take(lfd);
}

static inline void pair(int type, int *near, int *far)
{
	int lfd = far_listener(type, 16);

	pair_of(lfd, type, near, far);
	drop(lfd);
}

/* The same with small buffers at both ends; 0 leaves one as it is. */
static inline void pair_small(int type, int *near, int *far, int sndbuf,
			      int rcvbuf)
{
	int lfd = far_listener(type, 16);

	if (rcvbuf)
		set_int(lfd, SOL_SOCKET, SO_RCVBUF, rcvbuf);
	*near = near_sock(type);
	if (sndbuf)
		set_int(*near, SOL_SOCKET, SO_SNDBUF, sndbuf);
	CHECK_EQ(do_connect(*near, port_of(lfd)), 0);
	*far = take(lfd);
	drop(lfd);
}

/* --- waiting --------------------------------------------------------------- */

static inline uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* Events of poll(2) right now, or as soon as one of @want is there. */
static inline int events(int fd, int want)
{
	struct pollfd p = {
		.fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP | POLLPRI };
	struct pollfd w = { .fd = fd, .events = want };

	if (want)
		CHECK_EQ(poll(&w, 1, WAIT_MS), 1);
	CHECK(poll(&p, 1, 0) >= 0);
	return p.revents;
}

/* Until @expr is true, which something else makes it. */
#define UNTIL(expr) do {						\
	uint64_t _end = now_ms() + WAIT_MS;				\
									\
	while (!(expr)) {						\
		if (now_ms() > _end)					\
			KTAP_FAIL("waited in vain: %s", #expr);		\
		poll(NULL, 0, 1);					\
	}								\
} while (0)

static inline int queued(int fd, int cmd)
{
	int n = -1;

	CHECK_EQ(ioctl(fd, cmd, &n), 0);
	return n;
}

/* --- threads --------------------------------------------------------------- */

/**
 * struct conf_thread - one call, made elsewhere
 * @fn: makes it and returns what it gives
 * @fd: for @fn
 * @arg: for @fn
 * @ret: what it returned
 * @err: errno then
 * @tid: set when it is about to begin
 */
struct conf_thread {
	long (*fn)(struct conf_thread *t);
	int fd;
	void *arg;
	long ret;
	int err;
	atomic_int tid;
	pthread_t thread;
};

static inline void *conf_thread_main(void *arg)
{
	struct conf_thread *t = arg;

	t->tid = syscall(SYS_gettid);
	t->ret = t->fn(t);
	t->err = errno;
	return NULL;
}

static inline void start(struct conf_thread *t)
{
	t->tid = 0;
	CHECK_EQ(pthread_create(&t->thread, NULL, conf_thread_main, t), 0);
	UNTIL(t->tid);
}

static inline bool is_asleep(pid_t tid)
{
	char path[64], state = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = '?';
		fclose(f);
	}
	return state == 'S';
}

/* Runs until its call sleeps. */
static inline void start_asleep(struct conf_thread *t)
{
	start(t);
	UNTIL(is_asleep(t->tid));
}

static inline void finish(struct conf_thread *t)
{
	CHECK_EQ(pthread_join(t->thread, NULL), 0);
}

/* --- bytes ----------------------------------------------------------------- */

/* The byte of a stream at an offset: no period that a buffer would have. */
static inline uint8_t mark(uint64_t off)
{
	return (off * 0x9e3779b97f4a7c15ULL) >> 56;
}

static inline void marks(uint8_t *p, uint64_t off, size_t n)
{
	while (n--)
		*p++ = mark(off++);
}

/* Where the first byte is that is not what belongs there, or -1. */
static inline long differs(const uint8_t *p, uint64_t off, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] != mark(off + i))
			return i;
	return -1;
}

/* Writes the bytes [off, off + n), blocking. */
static inline void put(int fd, uint64_t off, size_t n)
{
	uint8_t buf[16384];

	while (n) {
		size_t part = n < sizeof(buf) ? n : sizeof(buf);
		ssize_t done;

		marks(buf, off, part);
		done = send(fd, buf, part, MSG_NOSIGNAL);
		CHECK(done > 0);
		off += done;
		n -= done;
	}
}

/* Reads them, and no other. */
static inline void get(int fd, uint64_t off, size_t n)
{
	uint8_t buf[16384];

	while (n) {
		size_t part = n < sizeof(buf) ? n : sizeof(buf);
		ssize_t done = recv(fd, buf, part, 0);

		CHECK(done > 0);
		CHECK_EQ(differs(buf, off, done), -1);
		off += done;
		n -= done;
	}
}

/* The end of the stream has come, and stays. */
static inline void get_end(int fd)
{
	char c;

	CHECK_EQ(recv(fd, &c, 1, 0), 0);
	CHECK_EQ(recv(fd, &c, 1, 0), 0);
}

/* Writes from @off until nothing more goes in. Return: how much did. */
static inline size_t fill(int fd, uint64_t off, size_t chunk)
{
	static uint8_t buf[65536];
	size_t sum = 0;
	ssize_t n;

	do {
		marks(buf, off + sum, chunk);
		n = send(fd, buf, chunk, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0)
			sum += n;
	} while (n > 0);
	CHECK_ERR(n, EAGAIN);
	return sum;
}

/* The same until the peer takes no more either. */
static inline size_t fill_both(int near, int far, uint64_t off)
{
	size_t sum = 0, n;
	int in, out, same;

	/* what is on its way gets there, and its acknowledgment back */
	for (same = 0; same < 3; same++) {
		in = queued(far, SIOCINQ);
		out = queued(near, SIOCOUTQ);
		n = fill(near, off + sum, 16384);
		sum += n;
		poll(&(struct pollfd){ .fd = near, .events = POLLOUT }, 1, 100);
		if (n || queued(far, SIOCINQ) != in ||
		    queued(near, SIOCOUTQ) != out)
			same = -1;
	}
	return sum;
}

/* --- main ------------------------------------------------------------------ */

static inline void conf_init(int argc, char **argv)
{
	if (argc < 3 || argc > 4 ||
	    (strcmp(argv[1], "mrc") && strcmp(argv[1], "tcp")) ||
	    inet_pton(AF_INET6, argv[2], &conf_far.sin6_addr) != 1)
		errx(2, "usage: %s mrc|tcp ADDR [NETNS]", argv[0]);
	conf_mrc = !strcmp(argv[1], "mrc");
	conf_far.sin6_family = conf_mrc ? AF_MRC : AF_INET6;
	if (argc == 4) {
		conf_home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
		conf_away = open(argv[3], O_RDONLY | O_CLOEXEC);
		if (conf_home < 0 || conf_away < 0)
			err(2, "%s", argv[3]);
	}
	signal(SIGPIPE, SIG_IGN);
}

/* Those of @own are for AF_MRC alone. Return: exit status. */
static inline int conf_run(const struct ktap *tests, unsigned int n,
			   const struct ktap *own, unsigned int n_own)
{
	struct ktap all[128];

	if (n + n_own > N_ELEM(all))
		errx(2, "more than %zu tests", N_ELEM(all));
	memcpy(all, tests, n * sizeof(*tests));
	if (conf_mrc)
		memcpy(all + n, own, n_own * sizeof(*own));
	return ktap_run(all, conf_mrc ? n + n_own : n, clean);
}

#endif
