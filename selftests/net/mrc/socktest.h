/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the socket calls have in common: sockets that close
 * themselves, addresses, connections of a host to itself.
 */
#ifndef _MRC_SOCKTEST_H
#define _MRC_SOCKTEST_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/mrc.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ktap.h"

#define WAIT_MS		10000	/* for what must come */
#define BAD_POINTER	((void *)16)

static struct in6_addr node;
static int fds[256];
static unsigned int n_fds;

/* Everything a test opened, so that one that failed disturbs no other. */
static inline int keep(int fd)
{
	if (fd >= 0 && n_fds < sizeof(fds) / sizeof(*fds))
		fds[n_fds++] = fd;
	return fd;
}

static inline void clean(void)
{
	while (n_fds)
		close(fds[--n_fds]);
}

static inline int sock(int type)
{
	int fd = keep(socket(AF_MRC, type, 0));

	CHECK(fd >= 0);
	return fd;
}

static inline struct sockaddr_mrc at(uint16_t port)
{
	return (struct sockaddr_mrc) {
		.smrc_family	= AF_MRC,
		.smrc_port	= htons(port),
		.smrc_addr	= node,
	};
}

static inline struct sockaddr_mrc any(uint16_t port)
{
	struct sockaddr_mrc a = at(port);

	memset(&a.smrc_addr, 0, sizeof(a.smrc_addr));
	return a;
}

static inline int do_bind(int fd, struct sockaddr_mrc a)
{
	return syscall(SYS_bind, fd, &a, sizeof(a));
}

static inline int do_connect(int fd, struct sockaddr_mrc a)
{
	return syscall(SYS_connect, fd, &a, sizeof(a));
}

static inline struct sockaddr_mrc name_of(int fd)
{
	struct sockaddr_mrc a;
	socklen_t len = sizeof(a);

	memset(&a, 0xff, sizeof(a));
	CHECK_EQ(getsockname(fd, (void *)&a, &len), 0);
	CHECK_EQ(len, sizeof(a));
	CHECK_EQ(a.smrc_family, AF_MRC);
	CHECK_EQ(a.smrc_flowinfo, 0);
	CHECK_EQ(a.smrc_scope_id, 0);
	return a;
}

static inline uint16_t port_of(int fd)
{
	return ntohs(name_of(fd).smrc_port);
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

static inline unsigned int state_of(int fd)
{
	struct mrc_info info = {};
	socklen_t len = sizeof(info);

	CHECK_EQ(getsockopt(fd, SOL_MRC, MRC_INFO, &info, &len), 0);
	CHECK_EQ(len, sizeof(info));
	return info.mrc_info_state;
}

static inline void nonblocking(int fd)
{
	CHECK_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
}

/* Events of poll(2) right now, or as soon as one of @want is there. */
static inline int events(int fd, int want)
{
	struct pollfd p = {
		.fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP };
	struct pollfd w = { .fd = fd, .events = want };

	if (want)
		CHECK_EQ(poll(&w, 1, WAIT_MS), 1);
	CHECK(poll(&p, 1, 0) >= 0);
	return p.revents;
}

static inline int listener(int type)
{
	int fd = sock(type);

	CHECK_EQ(do_bind(fd, at(0)), 0);
	CHECK_EQ(listen(fd, 16), 0);
	return fd;
}

static inline int take(int lfd)
{
	int fd = keep(accept(lfd, NULL, NULL));

	CHECK(fd >= 0);
	return fd;
}

/* A connection to oneself. */
static inline void pair(int type, int *a, int *b)
{
	int lfd = listener(type);

	*a = sock(type);
	CHECK_EQ(do_connect(*a, at(port_of(lfd))), 0);
	*b = take(lfd);
	close(lfd);
}

/* Nothing was done to the socket: it can still be used from the start. */
static inline void untouched(int fd)
{
	struct sockaddr_mrc a = name_of(fd);

	CHECK_EQ(a.smrc_port, 0);
	CHECK(IN6_IS_ADDR_UNSPECIFIED(&a.smrc_addr));
	CHECK_EQ(state_of(fd), MRC_STATE_CLOSED);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_ERROR), 0);
}

#endif
