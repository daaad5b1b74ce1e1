// SPDX-License-Identifier: GPL-2.0
/*
 * For the tests of faults: one end of a connection that something happens to.
 *
 *   mrct hold ADDR PORT		take connections, read nothing
 *   mrct eat ADDR PORT			take connections, read everything
 *   mrct drain ADDR PORT		take one connection, check what comes
 *   mrct pump ADDR PORT [PROFILE]	connect, send until there is a line on
 *					standard input, then end; with the EVs of
 *					a profile
 *   mrct try ADDR PORT [COUNT]		connect and close, COUNT times
 *   mrct poke ADDR PORT		connect, wait for a line on standard input,
 *					write one byte, wait for the error
 *   mrct wait ADDR PORT MS		connect with MRC_USER_TIMEOUT MS, block in
 *					every call that can, say what each returns
 *   mrct local				create a socket, hold it
 *
 * They say "listening", "connected", "waiting" when that is so. An outcome is
 * a line: name, errno's name (or OK, EOF), microseconds; drain and pump say
 * how many bytes it were instead.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/mrc.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHUNK		(64 * 1024)
#define PACE_MS		1	/* between chunks: the CPU is for others too */

static unsigned char buf[CHUNK], want[CHUNK];

static struct sockaddr_mrc address(char **arg)
{
	struct sockaddr_mrc sa = { .smrc_family = AF_MRC };

	if (inet_pton(AF_INET6, arg[0], &sa.smrc_addr) != 1)
		errx(2, "%s is no IPv6 address", arg[0]);
	sa.smrc_port = htons(atoi(arg[1]));
	return sa;
}

static int open_socket(void)
{
	int fd = socket(AF_MRC, SOCK_STREAM, 0);

	if (fd < 0)
		err(1, "socket");
	return fd;
}

static long long now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000LL + ts.tv_nsec / 1000;
}

static void say(const char *what)
{
	puts(what);
	fflush(stdout);
}

static void outcome(const char *name, const char *result, long long since)
{
	printf("%s %s %lld\n", name, result, now_us() - since);
	fflush(stdout);
}

static const char *result_of(ssize_t n)
{
	if (n < 0)
		return strerrorname_np(errno);
	return n ? "OK" : "EOF";
}

static const char *pending_error(int fd)
{
	socklen_t len = sizeof(int);
	int e;

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &len))
		err(1, "SO_ERROR");
	return e ? strerrorname_np(e) : "OK";
}

static int open_listener(char **arg)
{
	struct sockaddr_mrc sa = address(arg);
	int lfd = open_socket();

	if (bind(lfd, (struct sockaddr *)&sa, sizeof(sa)))
		err(1, "bind");
	if (listen(lfd, 16))
		err(1, "listen");
	say("listening");
	return lfd;
}

static int open_connection(char **arg, const char *profile)
{
	struct sockaddr_mrc sa = address(arg);
	int fd = open_socket();

	if (profile && setsockopt(fd, SOL_MRC, MRC_EV_PROFILE, profile,
				  strlen(profile)))
		err(1, "MRC_EV_PROFILE");
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		err(1, "connect");
	say("connected");
	return fd;
}

/* Until killed. */
static int do_listen(char **arg, bool eat)
{
	int fd, lfd = open_listener(arg);

	for (;;) {
		fd = accept(lfd, NULL, NULL);
		if (fd < 0)
			err(1, "accept");
		say("accepted");
		if (!eat)
			continue;
		while (read(fd, buf, sizeof(buf)) > 0)
			;
		close(fd);
	}
}

/* Bytes [@at, @at + @n) of a stream in which no two places look alike. */
static void pattern(unsigned char *p, uint64_t at, size_t n)
{
	uint64_t x = 0;
	size_t i;

	for (i = 0; i < n; i++, at++) {
		if (!i || !(at & 7)) {
			x = (at / 8 + 1) * 0x9e3779b97f4a7c15;
			x = (x ^ (x >> 32)) * 0xbf58476d1ce4e5b9;
		}
		p[i] = x >> (8 * (at & 7));
	}
}

static int do_drain(char **arg)
{
	int fd, lfd = open_listener(arg);
	uint64_t total = 0;
	ssize_t n;

	fd = accept(lfd, NULL, NULL);
	if (fd < 0)
		err(1, "accept");
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		pattern(want, total, n);
		if (memcmp(buf, want, n))
			errx(1, "wrong bytes after %llu",
			     (unsigned long long)total);
		total += n;
	}
	if (n < 0)
		err(1, "read after %llu bytes", (unsigned long long)total);
	printf("drain EOF %llu\n", (unsigned long long)total);
	return close(fd) ? 1 : 0;
}

static int do_pump(char **arg, const char *profile)
{
	struct pollfd pfd = { .fd = STDIN_FILENO, .events = POLLIN };
	int fd = open_connection(arg, profile);
	uint64_t total = 0;
	ssize_t n;

	while (!poll(&pfd, 1, PACE_MS)) {
		pattern(want, total, sizeof(want));
		n = send(fd, want, sizeof(want), MSG_NOSIGNAL);
		if (n < 0)
			err(1, "send after %llu bytes",
			    (unsigned long long)total);
		total += n;
	}
	if (shutdown(fd, SHUT_WR))
		err(1, "shutdown");
	/* The receiver closes once it has all. */
	n = read(fd, buf, 1);
	if (n)
		err(1, "waiting for the end");
	printf("pump OK %llu\n", (unsigned long long)total);
	return 0;
}

static int do_try(char **arg, int count)
{
	struct sockaddr_mrc sa = address(arg);
	int fd, ret, failed = 0;
	long long start;

	while (count--) {
		fd = open_socket();
		start = now_us();
		ret = connect(fd, (struct sockaddr *)&sa, sizeof(sa));
		outcome("connect", result_of(ret ? ret : 1), start);
		failed |= !!ret;
		close(fd);
	}
	return failed;
}

static int do_poke(char **arg, size_t len)
{
	struct pollfd pfd = { .events = 0 };
	int fd = open_connection(arg, NULL);
	long long start;
	ssize_t n;
	char c;

	if (read(0, &c, 1) != 1)
		errx(1, "nobody tells us to go on");
	start = now_us();
	for (; len; len -= n) {
		n = send(fd, buf, len < CHUNK ? len : CHUNK, MSG_NOSIGNAL);
		if (n < 0)
			err(1, "send");
	}
	/* POLLERR and POLLHUP need no asking. */
	pfd.fd = fd;
	if (poll(&pfd, 1, -1) != 1)
		err(1, "poll");
	outcome("poke", pending_error(fd), start);
	return 0;
}

/* A call that blocks until the connection fails. */
struct waiter {
	const char	*name;
	const char	*(*call)(int fd);
	int		fd;
	long long	start;
	pid_t		tid;
	pthread_t	thread;
};

static const char *wait_read(int fd)
{
	char c;

	return result_of(read(fd, &c, 1));
}

static const char *wait_write(int fd)
{
	ssize_t n;

	do
		n = send(fd, buf, sizeof(buf), MSG_NOSIGNAL);
	while (n > 0);
	return result_of(n);
}

static const char *wait_poll(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	if (poll(&pfd, 1, -1) != 1)
		return strerrorname_np(errno);
	return pfd.revents & (POLLERR | POLLHUP) ? "HUP" : "NOTHUP";
}

static const char *wait_epoll(int fd)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };
	int n, efd = epoll_create1(0);

	if (efd < 0 || epoll_ctl(efd, EPOLL_CTL_ADD, fd, &ev))
		err(1, "epoll");
	n = epoll_wait(efd, &ev, 1, -1);
	if (n != 1)
		return n ? strerrorname_np(errno) : "NOTHING";
	return ev.events & (EPOLLERR | EPOLLHUP) ? "HUP" : "NOTHUP";
}

static void *run_waiter(void *arg)
{
	struct waiter *w = arg;

	__atomic_store_n(&w->tid, gettid(), __ATOMIC_RELEASE);
	outcome(w->name, w->call(w->fd), w->start);
	return NULL;
}

/* Is the thread asleep, in its call? */
static bool asleep(struct waiter *w)
{
	pid_t tid = __atomic_load_n(&w->tid, __ATOMIC_ACQUIRE);
	char path[64], state = 0;
	FILE *f;

	if (!tid)
		return false;
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'S';
}

static int do_wait(char **arg, unsigned int ms)
{
	struct waiter w[] = {
		{ "read", wait_read }, { "poll", wait_poll },
		{ "epoll", wait_epoll }, { "write", wait_write },
	};
	struct sockaddr_mrc sa = address(arg);
	const int n = sizeof(w) / sizeof(w[0]);
	int i, fd = open_socket();

	if (setsockopt(fd, SOL_MRC, MRC_USER_TIMEOUT, &ms, sizeof(ms)))
		err(1, "MRC_USER_TIMEOUT");
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		err(1, "connect");
	for (i = 0; i < n; i++) {
		w[i].fd = fd;
		w[i].start = now_us();
		if (pthread_create(&w[i].thread, NULL, run_waiter, &w[i]))
			errx(1, "pthread_create");
		/* The writer may find room for as long as the peer reads. */
		while (i < n - 1 && !asleep(&w[i]))
			usleep(1000);
	}
	say("waiting");
	for (i = 0; i < n; i++)
		pthread_join(w[i].thread, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc >= 4 && !strcmp(what, "hold"))
		return do_listen(argv + 2, false);
	if (argc >= 4 && !strcmp(what, "eat"))
		return do_listen(argv + 2, true);
	if (argc >= 4 && !strcmp(what, "drain"))
		return do_drain(argv + 2);
	if (argc >= 4 && !strcmp(what, "pump"))
		return do_pump(argv + 2, argc > 4 ? argv[4] : NULL);
	if (argc >= 4 && !strcmp(what, "try"))
		return do_try(argv + 2, argc > 4 ? atoi(argv[4]) : 1);
	if (argc >= 4 && !strcmp(what, "poke"))
		return do_poke(argv + 2, argc > 4 ? atoi(argv[4]) : 1);
	if (argc >= 5 && !strcmp(what, "wait"))
		return do_wait(argv + 2, atoi(argv[4]));
	if (argc >= 2 && !strcmp(what, "local")) {
		open_socket();
		say("open");
		pause();
		return 0;
	}
	fprintf(stderr, "usage: mrct hold|eat|drain|pump|try|poke|wait ADDR PORT ...\n"
		"       mrct local\n");
	return 2;
}
