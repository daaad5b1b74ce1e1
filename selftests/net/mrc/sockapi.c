// SPDX-License-Identifier: GPL-2.0
/*
 * What a program may ask of an AF_MRC socket and what it gets: bad input is
 * refused with the right errno and changes nothing; the calls of one
 * connection to oneself do what the manuals say of TCP.
 *
 *   sockapi ADDR		ADDR is a node address of this namespace
 *
 * Prints TAP. Needs no plane.
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "socktest.h"

#define NOBODY		65534

/* --- socket(2) ------------------------------------------------------------- */

static void test_socket(void)
{
	CHECK_ERR(socket(AF_MRC, SOCK_DGRAM, 0), ESOCKTNOSUPPORT);
	CHECK_ERR(socket(AF_MRC, SOCK_RDM, 0), ESOCKTNOSUPPORT);
	CHECK_ERR(socket(AF_MRC, SOCK_STREAM, IPPROTO_TCP), EPROTONOSUPPORT);
	CHECK_ERR(socket(AF_MRC, SOCK_SEQPACKET, 1), EPROTONOSUPPORT);
	CHECK_ERR(socketpair(AF_MRC, SOCK_STREAM, 0, fds), EOPNOTSUPP);
}

static void test_names(void)
{
	int fd = sock(SOCK_SEQPACKET), lfd = listener(SOCK_STREAM);

	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_DOMAIN), AF_MRC);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_TYPE), SOCK_SEQPACKET);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_PROTOCOL), 0);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_ACCEPTCONN), 0);
	CHECK_EQ(get_int(lfd, SOL_SOCKET, SO_ACCEPTCONN), 1);
	untouched(fd);
}

/* --- bind(2) --------------------------------------------------------------- */

static void test_bind_input(void)
{
	int fd = sock(SOCK_STREAM);
	struct sockaddr_mrc a = at(7000);

	CHECK_ERR(syscall(SYS_bind, fd, &a, sizeof(a) - 1), EINVAL);
	CHECK_ERR(syscall(SYS_bind, fd, &a, 0), EINVAL);
	CHECK_ERR(syscall(SYS_bind, fd, BAD_POINTER, sizeof(a)), EFAULT);
	a.smrc_family = AF_INET6;
	CHECK_ERR(do_bind(fd, a), EAFNOSUPPORT);
	a = at(7000);
	a.smrc_flowinfo = 1;
	CHECK_ERR(do_bind(fd, a), EINVAL);
	a = at(7000);
	a.smrc_scope_id = 1;
	CHECK_ERR(do_bind(fd, a), EINVAL);
	a = at(7000);
	a.smrc_addr.s6_addr[1] ^= 1;
	CHECK_ERR(do_bind(fd, a), EADDRNOTAVAIL);
	a.smrc_addr.s6_addr[0] = 0xff;
	CHECK_ERR(do_bind(fd, a), EINVAL);
	untouched(fd);
	CHECK_EQ(do_bind(fd, at(7000)), 0);
	CHECK_ERR(do_bind(fd, at(7001)), EINVAL);
	CHECK_EQ(port_of(fd), 7000);
}

/* In a child without capabilities, which says how bind() failed. */
static void test_bind_privileged(void)
{
	int fd = sock(SOCK_STREAM), status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		if (setresuid(NOBODY, NOBODY, NOBODY))
			_exit(255);
		_exit(do_bind(fd, at(1023)) ? errno : 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), EACCES);
	untouched(fd);
	CHECK_EQ(do_bind(fd, at(1023)), 0);
}

static void test_bind_in_use(void)
{
	int a = sock(SOCK_STREAM), b = sock(SOCK_STREAM);

	CHECK_EQ(do_bind(a, at(7000)), 0);
	CHECK_ERR(do_bind(b, at(7000)), EADDRINUSE);
	CHECK_ERR(do_bind(b, any(7000)), EADDRINUSE);
	set_int(b, SOL_SOCKET, SO_REUSEADDR, 1);
	CHECK_ERR(do_bind(b, at(7000)), EADDRINUSE);
	untouched(b);
	CHECK_ERR(do_bind(sock(SOCK_SEQPACKET), at(7000)), EADDRINUSE);
	close(a);
	CHECK_EQ(do_bind(b, any(7000)), 0);
	CHECK_ERR(do_bind(sock(SOCK_STREAM), at(7000)), EADDRINUSE);
}

static void test_bind_reuse(void)
{
	int a = sock(SOCK_STREAM), b = sock(SOCK_STREAM);

	set_int(a, SOL_SOCKET, SO_REUSEADDR, 1);
	set_int(b, SOL_SOCKET, SO_REUSEADDR, 1);
	CHECK_EQ(do_bind(a, at(7000)), 0);
	CHECK_EQ(do_bind(b, any(7000)), 0);
	CHECK_EQ(listen(a, 1), 0);
	CHECK_ERR(listen(b, 1), EADDRINUSE);
	CHECK_EQ(state_of(b), MRC_STATE_CLOSED);
	b = sock(SOCK_STREAM);
	set_int(b, SOL_SOCKET, SO_REUSEADDR, 1);
	CHECK_ERR(do_bind(b, at(7000)), EADDRINUSE);
}

/* A server that was restarted while connections of the old one live. */
static void test_bind_restart(void)
{
	int lfd = sock(SOCK_STREAM), a = sock(SOCK_STREAM), b, again;

	set_int(lfd, SOL_SOCKET, SO_REUSEADDR, 1);
	CHECK_EQ(do_bind(lfd, at(7000)), 0);
	CHECK_EQ(listen(lfd, 1), 0);
	CHECK_EQ(do_connect(a, at(7000)), 0);
	b = take(lfd);
	close(lfd);
	again = sock(SOCK_STREAM);
	CHECK_ERR(do_bind(again, at(7000)), EADDRINUSE);
	set_int(again, SOL_SOCKET, SO_REUSEADDR, 1);
	CHECK_EQ(do_bind(again, at(7000)), 0);
	CHECK_EQ(listen(again, 1), 0);
	CHECK_EQ(send(b, "x", 1, 0), 1);
}

static void test_bind_ephemeral(void)
{
	int low, high, i;
	FILE *f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r");

	CHECK(f);
	CHECK_EQ(fscanf(f, "%d %d", &low, &high), 2);
	fclose(f);
	for (i = 0; i < 50; i++) {
		int fd = sock(SOCK_STREAM);

		CHECK_EQ(i & 1 ? do_bind(fd, any(0)) : listen(fd, 1), 0);
		CHECK(port_of(fd) >= low && port_of(fd) <= high);
	}
}

/* --- connect(2) ------------------------------------------------------------ */

static void test_connect_input(void)
{
	int fd = sock(SOCK_STREAM), lfd = listener(SOCK_STREAM);
	struct sockaddr_mrc a = at(port_of(lfd));

	CHECK_ERR(syscall(SYS_connect, fd, &a, sizeof(a) - 1), EINVAL);
	CHECK_ERR(syscall(SYS_connect, fd, &a, 1), EINVAL);
	CHECK_ERR(syscall(SYS_connect, fd, BAD_POINTER, sizeof(a)), EFAULT);
	a.smrc_family = AF_INET6;
	CHECK_ERR(do_connect(fd, a), EAFNOSUPPORT);
	a = at(port_of(lfd));
	a.smrc_flowinfo = htonl(1);
	CHECK_ERR(do_connect(fd, a), EINVAL);
	a = at(port_of(lfd));
	a.smrc_scope_id = 1;
	CHECK_ERR(do_connect(fd, a), EINVAL);
	CHECK_ERR(do_connect(fd, at(0)), ECONNREFUSED);
	a = at(port_of(lfd));
	a.smrc_addr.s6_addr[0] = 0xff;
	CHECK_ERR(do_connect(fd, a), ENETUNREACH);
	a.smrc_addr.s6_addr[0] = 0x20;
	CHECK_ERR(do_connect(fd, a), ENETUNREACH);
	untouched(fd);
	CHECK_EQ(do_connect(fd, at(port_of(lfd))), 0);
	CHECK_EQ(state_of(fd), MRC_STATE_ESTABLISHED);
}

static void test_connect_refused(void)
{
	int fd = sock(SOCK_STREAM), lfd = listener(SOCK_STREAM);
	int seq = sock(SOCK_SEQPACKET);

	CHECK_ERR(do_connect(fd, at(9)), ECONNREFUSED);
	untouched(fd);
	CHECK_ERR(do_connect(seq, at(port_of(lfd))), EPROTOTYPE);
	untouched(seq);
	CHECK_EQ(do_connect(fd, at(port_of(lfd))), 0);
	CHECK_ERR(do_connect(fd, at(port_of(lfd))), EISCONN);
	CHECK_ERR(do_connect(lfd, at(9)), EISCONN);
	CHECK_ERR(listen(fd, 1), EINVAL);
	CHECK_ERR(do_bind(fd, at(7001)), EINVAL);
}

static void test_connect_self(void)
{
	int fd = sock(SOCK_STREAM);

	CHECK_EQ(do_bind(fd, at(7000)), 0);
	CHECK_ERR(do_connect(fd, at(7000)), ECONNREFUSED);
	CHECK_EQ(port_of(fd), 7000);
}

static void test_connect_any(void)
{
	int fd = sock(SOCK_STREAM), lfd = sock(SOCK_STREAM);
	struct sockaddr_mrc a;
	socklen_t len = sizeof(a);

	CHECK_EQ(listen(lfd, 1), 0);
	CHECK_EQ(do_connect(fd, any(port_of(lfd))), 0);
	CHECK_EQ(getpeername(fd, (void *)&a, &len), 0);
	CHECK(!memcmp(&a.smrc_addr, &node, sizeof(node)));
	CHECK_EQ(ntohs(a.smrc_port), port_of(lfd));
	a = name_of(fd);
	CHECK(!memcmp(&a.smrc_addr, &node, sizeof(node)));
	CHECK(a.smrc_port);
}

/* Two connections with both ends in common. */
static void test_connect_twice(void)
{
	int lfd = listener(SOCK_STREAM), a = sock(SOCK_STREAM);
	int b = sock(SOCK_STREAM);

	set_int(a, SOL_SOCKET, SO_REUSEADDR, 1);
	set_int(b, SOL_SOCKET, SO_REUSEADDR, 1);
	CHECK_EQ(do_bind(a, at(7000)), 0);
	CHECK_EQ(do_bind(b, at(7000)), 0);
	CHECK_EQ(do_connect(a, at(port_of(lfd))), 0);
	CHECK_ERR(do_connect(b, at(port_of(lfd))), EADDRNOTAVAIL);
}

static void test_connect_nonblocking(void)
{
	int fd = sock(SOCK_STREAM), lfd = listener(SOCK_STREAM);

	nonblocking(fd);
	CHECK_ERR(do_connect(fd, at(port_of(lfd))), EINPROGRESS);
	CHECK_EQ(events(fd, POLLOUT), POLLOUT);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_ERROR), 0);
	CHECK_EQ(do_connect(fd, at(port_of(lfd))), 0);
	CHECK_ERR(do_connect(fd, at(port_of(lfd))), EISCONN);

	fd = sock(SOCK_STREAM);
	nonblocking(fd);
	CHECK_ERR(do_connect(fd, at(9)), EINPROGRESS);
	CHECK(events(fd, POLLOUT) & POLLERR);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_ERROR), ECONNREFUSED);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_ERROR), 0);
}

/* Fills the queue of a listener, so that who comes next must wait. */
static int crowded(void)
{
	int lfd = sock(SOCK_STREAM), i, fd;

	CHECK_EQ(do_bind(lfd, at(0)), 0);
	CHECK_EQ(listen(lfd, 1), 0);
	for (i = 0; i < 2; i++) {
		fd = sock(SOCK_STREAM);
		CHECK_EQ(do_connect(fd, at(port_of(lfd))), 0);
	}
	/* The queue counts who has been heard, not who believes to be in. */
	nonblocking(lfd);
	events(lfd, POLLIN);
	return lfd;
}

static void test_backlog(void)
{
	int lfd = crowded(), fd = sock(SOCK_STREAM);
	struct timeval tv = { .tv_usec = 50000 };

	nonblocking(fd);
	CHECK_ERR(do_connect(fd, at(port_of(lfd))), EINPROGRESS);
	CHECK_ERR(do_connect(fd, at(port_of(lfd))), EALREADY);
	CHECK_EQ(events(fd, 0), 0);
	CHECK_EQ(state_of(fd), MRC_STATE_CONNECTING);
	CHECK_ERR(send(fd, "x", 1, MSG_DONTWAIT), EAGAIN);
	CHECK_ERR(recv(fd, &tv, 1, MSG_DONTWAIT), EAGAIN);
	/* One that is closed meanwhile is in nobody's way. */
	close(fd);
	fd = sock(SOCK_STREAM);
	CHECK_EQ(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)), 0);
	CHECK_ERR(do_connect(fd, at(port_of(lfd))), EINPROGRESS);
	take(lfd);
	CHECK_EQ(events(fd, POLLOUT), POLLOUT);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_ERROR), 0);
}

static void test_connect_unspec(void)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int a, b, lfd = crowded(), i;
	char c;

	a = sock(SOCK_STREAM);
	nonblocking(a);
	CHECK_ERR(do_connect(a, at(port_of(lfd))), EINPROGRESS);
	CHECK_EQ(connect(a, &none, sizeof(none)), 0);
	CHECK_EQ(state_of(a), MRC_STATE_CLOSED);
	pair(SOCK_STREAM, &a, &b);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(send(b, "old", 3, 0), 3);
		CHECK_EQ(recv(a, &c, 1, MSG_PEEK), 1);
		CHECK_EQ(connect(a, &none, sizeof(none)), 0);
		CHECK_ERR(recv(b, &c, 1, 0), ECONNRESET);
		CHECK_ERR(getpeername(a, &none, &(socklen_t){ 16 }),
			  ENOTCONN);
		get_int(a, SOL_SOCKET, SO_ERROR);
		untouched(a);
		lfd = listener(SOCK_STREAM);
		CHECK_EQ(do_connect(a, at(port_of(lfd))), 0);
		b = take(lfd);
		CHECK_EQ(send(b, "n", 1, 0), 1);
		CHECK_EQ(recv(a, &c, 1, 0), 1);
		CHECK_EQ(c, 'n');
	}
}

/* --- listen(2), accept(2) -------------------------------------------------- */

static void test_accept(void)
{
	struct timeval tv = { .tv_usec = 10000 };
	int lfd = listener(SOCK_STREAM), fd = sock(SOCK_STREAM), conn;
	struct sockaddr_mrc a;
	socklen_t len = sizeof(a);

	CHECK_ERR(accept(fd, NULL, NULL), EINVAL);
	CHECK_EQ(setsockopt(lfd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)),
		 0);
	CHECK_ERR(accept(lfd, NULL, NULL), EAGAIN);
	CHECK_EQ(events(lfd, 0), 0);
	set_int(lfd, SOL_MRC, MRC_USER_TIMEOUT, 4321);
	set_int(lfd, SOL_SOCKET, SO_SNDBUF, 60000);
	CHECK_EQ(do_connect(fd, at(port_of(lfd))), 0);
	CHECK_EQ(events(lfd, POLLIN), POLLIN);
	conn = keep(accept4(lfd, (void *)&a, &len, SOCK_NONBLOCK |
						   SOCK_CLOEXEC));
	CHECK(conn >= 0);
	CHECK_EQ(len, sizeof(a));
	CHECK_EQ(ntohs(a.smrc_port), port_of(fd));
	CHECK_EQ(port_of(conn), port_of(lfd));
	CHECK_EQ(fcntl(conn, F_GETFD), FD_CLOEXEC);
	CHECK(fcntl(conn, F_GETFL) & O_NONBLOCK);
	CHECK_ERR(setsockopt(lfd, SOL_MRC, MRC_EV_PROFILE, "auto", 5), EISCONN);
	CHECK_ERR(setsockopt(conn, SOL_MRC, MRC_EV_PROFILE, "auto", 5),
		  EISCONN);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_EV_PROFILE, "auto", 5), EISCONN);
	CHECK_EQ(get_int(conn, SOL_MRC, MRC_USER_TIMEOUT), 4321);
	CHECK_EQ(get_int(conn, SOL_SOCKET, SO_SNDBUF), 120000);
	nonblocking(lfd);
	CHECK_ERR(accept(lfd, NULL, NULL), EAGAIN);
	CHECK_ERR(send(lfd, "x", 1, MSG_NOSIGNAL), EPIPE);
	CHECK_ERR(recv(lfd, &a, 1, 0), ENOTCONN);
	CHECK_ERR(getpeername(lfd, (void *)&a, &len), ENOTCONN);
}

/* Connections that nobody accepted end with their listener. */
static void test_listener_closes(void)
{
	int lfd = listener(SOCK_STREAM), fd = sock(SOCK_STREAM);
	uint16_t port = port_of(lfd);
	char c;

	CHECK_EQ(do_connect(fd, at(port)), 0);
	events(lfd, POLLIN);
	close(lfd);
	CHECK_ERR(recv(fd, &c, 1, 0), ECONNRESET);
	CHECK_ERR(do_connect(sock(SOCK_STREAM), at(port)), ECONNREFUSED);
}

static void test_listen_again(void)
{
	int lfd = listener(SOCK_STREAM);

	CHECK_EQ(listen(lfd, 5), 0);
	CHECK_EQ(shutdown(lfd, SHUT_WR), 0);
	CHECK_EQ(state_of(lfd), MRC_STATE_LISTEN);
	CHECK_EQ(shutdown(lfd, SHUT_RD), 0);
	CHECK_ERR(accept(lfd, NULL, NULL), EINVAL);
	CHECK_EQ(listen(lfd, 5), 0);
	CHECK_EQ(do_connect(sock(SOCK_STREAM), at(port_of(lfd))), 0);
	take(lfd);
}

/* --- sendmsg(2) ------------------------------------------------------------ */

static void test_send_unconnected(void)
{
	int fd = sock(SOCK_STREAM);
	sigset_t pipe, pending;

	CHECK_ERR(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigprocmask(SIG_BLOCK, &pipe, NULL);
	sigpending(&pending);
	CHECK(!sigismember(&pending, SIGPIPE));
	CHECK_ERR(send(fd, "x", 1, 0), EPIPE);
	sigpending(&pending);
	CHECK(sigismember(&pending, SIGPIPE));
	CHECK_EQ(sigwaitinfo(&pipe, NULL), SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &pipe, NULL);
	untouched(fd);
}

static void test_send_flags(void)
{
	const int known = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_EOR | MSG_MORE |
			  MSG_WAITALL | MSG_ZEROCOPY;
	/* What the kernel takes for itself, or strips, before it asks us. */
	const int internal = MSG_CTRUNC | MSG_BATCH | MSG_CMSG_CLOEXEC |
			     0x80000000 | 0x08000000 | 0x00080000 |
			     0x00100000 | 0x00020000 | 0x00010000;
	unsigned int bit;
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	for (bit = 1; bit; bit <<= 1) {
		if (bit & (known | internal))
			continue;
		CHECK_ERR(send(a, "x", 1, bit | MSG_NOSIGNAL), EOPNOTSUPP);
	}
	CHECK_EQ(ioctl(a, SIOCOUTQ, &bit), 0);
	CHECK_EQ(bit, 0);
	CHECK_EQ(send(a, "x", 1, known), 1);
	pair(SOCK_SEQPACKET, &a, &b);
	CHECK_ERR(send(a, "x", 1, MSG_MORE), EOPNOTSUPP);
}

static void test_send_cmsg(void)
{
	union {
		struct cmsghdr h;
		char buf[CMSG_SPACE(sizeof(int))];
	} u = { .h = { .cmsg_len = CMSG_LEN(sizeof(int)),
		       .cmsg_level = SOL_MRC, .cmsg_type = 1 } };
	struct iovec iov = { .iov_base = "x", .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = &u, .msg_controllen = sizeof(u) };
	int a, b, n;

	pair(SOCK_STREAM, &a, &b);
	CHECK_ERR(sendmsg(a, &msg, 0), EINVAL);
	u.h.cmsg_level = SOL_IPV6;
	CHECK_ERR(sendmsg(a, &msg, 0), EINVAL);
	CHECK_EQ(ioctl(a, SIOCOUTQ, &n), 0);
	CHECK_EQ(n, 0);
	msg.msg_controllen = 0;
	CHECK_EQ(sendmsg(a, &msg, 0), 1);
}

static void test_send_fault(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char got[64];
	int a, b;

	CHECK(p != MAP_FAILED);
	CHECK_EQ(munmap(p + page, page), 0);
	pair(SOCK_STREAM, &a, &b);
	CHECK_ERR(send(a, BAD_POINTER, 10, 0), EFAULT);
	memset(p, 'y', page);
	/* What is there goes, as for TCP. */
	CHECK_EQ(send(a, p + page - 10, 20, 0), 10);
	CHECK_EQ(recv(b, got, sizeof(got), 0), 10);
	CHECK_ERR(recv(b, got, sizeof(got), MSG_DONTWAIT), EAGAIN);
	pair(SOCK_SEQPACKET, &a, &b);
	CHECK_ERR(send(a, p + page - 10, 20, 0), EFAULT);
	CHECK_EQ(send(a, "whole", 5, 0), 5);
	CHECK_EQ(recv(b, got, sizeof(got), 0), 5);
	munmap(p, page);
}

static void test_send_too_long(void)
{
	unsigned int max;
	int a, b, n;
	char *p;

	CHECK_ERR(getsockopt(sock(SOCK_SEQPACKET), SOL_MRC, MRC_MAX_MSG, &n,
			     &(socklen_t){ sizeof(n) }), ENOTCONN);
	pair(SOCK_SEQPACKET, &a, &b);
	max = get_int(a, SOL_MRC, MRC_MAX_MSG);
	CHECK(max >= 64 * 1024);
	p = calloc(1, max + 1);
	CHECK(p);
	CHECK_ERR(send(a, p, max + 1, 0), EMSGSIZE);
	CHECK_EQ(ioctl(a, SIOCOUTQ, &n), 0);
	CHECK_EQ(n, 0);
	CHECK_EQ(send(a, p, max, 0), max);
	CHECK_EQ(recv(b, p, max + 1, 0), max);
	free(p);
}

/* --- recvmsg(2) ------------------------------------------------------------ */

static void test_recv_flags(void)
{
	const int known = MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC | MSG_WAITALL |
			  MSG_NOSIGNAL | MSG_ERRQUEUE | MSG_CMSG_CLOEXEC;
	unsigned int bit;
	char c[16];
	int a, b;

	CHECK_ERR(recv(sock(SOCK_STREAM), c, 1, 0), ENOTCONN);
	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(send(a, "abc", 3, 0), 3);
	events(b, POLLIN);
	for (bit = 1; bit; bit <<= 1) {
		/* MSG_CMSG_COMPAT is refused by the system call itself. */
		if (bit & known || bit == 0x80000000)
			continue;
		CHECK_ERR(recv(b, c, sizeof(c), bit), EOPNOTSUPP);
	}
	CHECK_ERR(recv(b, c, sizeof(c), MSG_ERRQUEUE), EAGAIN);
	CHECK_EQ(recv(b, c, sizeof(c), 0), 3);
}

static void test_recv_wait(void)
{
	struct timeval tv = { .tv_usec = 10000 };
	char c[16];
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_ERR(recv(b, c, 1, MSG_DONTWAIT), EAGAIN);
	CHECK_EQ(setsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	CHECK_ERR(recv(b, c, 1, 0), EAGAIN);
	CHECK_EQ(send(a, "abc", 3, 0), 3);
	/* What is there when the time is over. */
	CHECK_EQ(recv(b, c, sizeof(c), MSG_WAITALL), 3);
	/* As TCP: of nothing, too, when there is something. */
	CHECK_ERR(recv(b, c, 0, 0), EAGAIN);
	CHECK_EQ(send(a, "x", 1, 0), 1);
	CHECK_EQ(recv(b, c, 0, 0), 0);
	CHECK_EQ(recv(b, c, sizeof(c), 0), 1);
}

static void *late_send(void *arg)
{
	int fd = *(int *)arg;

	send(fd, "12345", 5, 0);
	send(fd, "67890", 5, 0);
	return NULL;
}

static void test_recv_waitall(void)
{
	pthread_t t;
	char c[10];
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(pthread_create(&t, NULL, late_send, &a), 0);
	CHECK_EQ(recv(b, c, sizeof(c), MSG_WAITALL), 10);
	CHECK(!memcmp(c, "1234567890", 10));
	pthread_join(t, NULL);
	CHECK_EQ(pthread_create(&t, NULL, late_send, &a), 0);
	CHECK_EQ(recv(b, c, sizeof(c), MSG_WAITALL | MSG_PEEK), 10);
	pthread_join(t, NULL);
	CHECK_EQ(recv(b, c, sizeof(c), MSG_WAITALL), 10);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_EQ(recv(b, c, sizeof(c), MSG_WAITALL), 0);
}

static void test_recv_fault(void)
{
	char c[16];
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(send(a, "abc", 3, 0), 3);
	events(b, POLLIN);
	CHECK_ERR(recv(b, BAD_POINTER, 3, 0), EFAULT);
	CHECK_EQ(recv(b, c, sizeof(c), 0), 3);
	pair(SOCK_SEQPACKET, &a, &b);
	CHECK_EQ(send(a, "abc", 3, 0), 3);
	events(b, POLLIN);
	CHECK_ERR(recv(b, BAD_POINTER, 3, 0), EFAULT);
	CHECK_EQ(recv(b, c, sizeof(c), 0), 3);
}

static void test_recv_peek(void)
{
	char c[16];
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(send(a, "abcdef", 6, 0), 6);
	events(b, POLLIN);
	CHECK_EQ(recv(b, c, 4, MSG_PEEK), 4);
	CHECK_EQ(recv(b, c, sizeof(c), MSG_PEEK), 6);
	set_int(b, SOL_SOCKET, SO_PEEK_OFF, 2);
	CHECK_EQ(recv(b, c, 2, MSG_PEEK), 2);
	CHECK(!memcmp(c, "cd", 2));
	CHECK_EQ(recv(b, c, 2, MSG_PEEK), 2);
	CHECK(!memcmp(c, "ef", 2));
	CHECK_EQ(recv(b, c, 1, 0), 1);
	CHECK_EQ(get_int(b, SOL_SOCKET, SO_PEEK_OFF), 5);
	CHECK_EQ(recv(b, NULL, 3, MSG_TRUNC), 3);
	set_int(b, SOL_SOCKET, SO_PEEK_OFF, -1);
	CHECK_EQ(recv(b, c, sizeof(c), 0), 2);
	CHECK(!memcmp(c, "ef", 2));
}

static void test_messages(void)
{
	char c[16];
	struct iovec iov = { .iov_base = c, .iov_len = 4 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int a, b, n;

	pair(SOCK_SEQPACKET, &a, &b);
	CHECK_EQ(send(a, "abcdefgh", 8, 0), 8);
	CHECK_EQ(send(a, "ij", 2, MSG_EOR), 2);
	CHECK_EQ(send(a, "", 0, MSG_EOR), 0);
	CHECK_EQ(send(a, "klmnop", 6, 0), 6);
	events(b, POLLIN);
	CHECK_EQ(ioctl(b, SIOCINQ, &n), 0);
	CHECK_EQ(n, 8);
	CHECK_EQ(recvmsg(b, &msg, MSG_PEEK | MSG_TRUNC), 8);
	CHECK_EQ(msg.msg_flags, MSG_TRUNC);
	CHECK_EQ(recvmsg(b, &msg, 0), 4);
	CHECK_EQ(msg.msg_flags, MSG_TRUNC);
	CHECK(!memcmp(c, "abcd", 4));
	CHECK_EQ(recvmsg(b, &msg, 0), 2);
	CHECK_EQ(msg.msg_flags, MSG_EOR);
	CHECK_EQ(recvmsg(b, &msg, 0), 0);
	CHECK_EQ(msg.msg_flags, MSG_EOR);
	CHECK_EQ(recvmsg(b, &msg, MSG_TRUNC), 6);
	CHECK_ERR(recvmsg(b, &msg, MSG_DONTWAIT), EAGAIN);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_EQ(recvmsg(b, &msg, 0), 0);
	CHECK_EQ(msg.msg_flags, 0);
}

static void test_rcvlowat(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	set_int(b, SOL_SOCKET, SO_RCVLOWAT, 4);
	CHECK_EQ(send(a, "abc", 3, 0), 3);
	CHECK_EQ(send(b, "x", 1, 0), 1);
	events(a, POLLIN);
	CHECK(!(events(b, 0) & POLLIN));
	CHECK_EQ(send(a, "d", 1, 0), 1);
	CHECK(events(b, POLLIN) & POLLIN);
	/* Never more than the window can bring. */
	set_int(b, SOL_SOCKET, SO_RCVLOWAT, 0x7fffffff);
	CHECK(get_int(b, SOL_SOCKET, SO_RCVLOWAT) <=
	      get_int(b, SOL_SOCKET, SO_RCVBUF) / 2);
}

/* --- options --------------------------------------------------------------- */

static void test_options_unknown(void)
{
	int fd = sock(SOCK_STREAM), val = 0;
	socklen_t len = sizeof(val);

	CHECK_ERR(setsockopt(fd, SOL_MRC, 99, &val, len), ENOPROTOOPT);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_INFO, &val, len), ENOPROTOOPT);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_MAX_MSG, &val, len),
		  ENOPROTOOPT);
	CHECK_ERR(setsockopt(fd, IPPROTO_TCP, 1, &val, len), ENOPROTOOPT);
	CHECK_ERR(getsockopt(fd, SOL_MRC, 99, &val, &len), ENOPROTOOPT);
	CHECK_ERR(getsockopt(fd, IPPROTO_IPV6, 1, &val, &len), ENOPROTOOPT);
	CHECK_ERR(setsockopt(fd, SOL_SOCKET, 9999, &val, len), ENOPROTOOPT);
	CHECK_ERR(getsockopt(fd, SOL_SOCKET, 9999, &val, &len), ENOPROTOOPT);
}

static void test_options_refused(void)
{
	int fd = sock(SOCK_STREAM), one = 1;

	CHECK_ERR(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)),
		  EOPNOTSUPP);
	CHECK_ERR(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3),
		  EOPNOTSUPP);
	CHECK_ERR(setsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &one,
			     sizeof(one)), EOPNOTSUPP);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_REUSEPORT), 0);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_BINDTOIFINDEX), 0);
}

static void test_options_values(void)
{
	struct mrc_info info;
	char name[16];
	int fd = sock(SOCK_STREAM), val = 2;
	socklen_t len = 4;

	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_NODELAY, &val, sizeof(val)),
		  EINVAL);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_NODELAY, &val, 3), EINVAL);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_NODELAY, BAD_POINTER, 4),
		  EFAULT);
	CHECK_EQ(setsockopt(fd, SOL_MRC, MRC_EV_PROFILE, "auto", 4), 0);
	CHECK_EQ(setsockopt(fd, SOL_MRC, MRC_EV_PROFILE, "auto", 5), 0);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_EV_PROFILE, "none", 4), ENOENT);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_EV_PROFILE, "", 0), EINVAL);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_EV_PROFILE, "0123456789abcdef",
			     16), EINVAL);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_EV_PROFILE, "0123456789abcdef",
			     17), EINVAL);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_EV_PROFILE, BAD_POINTER, 4),
		  EFAULT);
	len = sizeof(name);
	CHECK_EQ(getsockopt(fd, SOL_MRC, MRC_EV_PROFILE, name, &len), 0);
	CHECK_EQ(len, 5);
	CHECK(!strcmp(name, "auto"));
	len = sizeof(val);
	CHECK_EQ(get_int(fd, SOL_MRC, MRC_NODELAY), 0);
	set_int(fd, SOL_MRC, MRC_NODELAY, 1);
	CHECK_EQ(get_int(fd, SOL_MRC, MRC_NODELAY), 1);
	set_int(fd, SOL_MRC, MRC_USER_TIMEOUT, 1234);
	CHECK_EQ(get_int(fd, SOL_MRC, MRC_USER_TIMEOUT), 1234);

	memset(&info, 0xff, sizeof(info));
	CHECK_EQ(getsockopt(fd, SOL_MRC, MRC_INFO, &info, &len), 0);
	CHECK_EQ(len, 4);
	CHECK_EQ(info.mrc_info_state, MRC_STATE_CLOSED);
	CHECK_EQ(info.mrc_info_qpn, 0xffffffff);
	CHECK_ERR(getsockopt(fd, SOL_MRC, MRC_INFO, BAD_POINTER, &len),
		  EFAULT);
	CHECK_ERR(getsockopt(fd, SOL_MRC, MRC_INFO, &info,
			     &(socklen_t){ -1 }), EINVAL);
	len = 4096;
	CHECK_EQ(getsockopt(fd, SOL_MRC, MRC_INFO, &info, &len), 0);
	CHECK_EQ(len, sizeof(info));
}

/* Congestion control by name: of a socket, and of what a listener accepts. */
static void test_congestion(void)
{
	int fd = sock(SOCK_STREAM), lfd = listener(SOCK_STREAM), conn;
	struct mrc_info info;
	socklen_t len;
	char name[16];

	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_CONGESTION, "cubic", 6), ENOENT);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_CONGESTION, "", 0), EINVAL);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_CONGESTION, "0123456789abcdef",
			     16), EINVAL);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_CONGESTION, BAD_POINTER, 4),
		  EFAULT);
	len = sizeof(name);
	CHECK_EQ(getsockopt(fd, SOL_MRC, MRC_CONGESTION, name, &len), 0);
	CHECK(!strcmp(name, "default"));
	CHECK_EQ(setsockopt(fd, SOL_MRC, MRC_CONGESTION, "none", 4), 0);
	CHECK_EQ(setsockopt(fd, SOL_MRC, MRC_CONGESTION, "default", 7), 0);
	CHECK_EQ(setsockopt(fd, SOL_MRC, MRC_CONGESTION, "nscc", 5), 0);
	len = sizeof(name);
	CHECK_EQ(getsockopt(fd, SOL_MRC, MRC_CONGESTION, name, &len), 0);
	CHECK_EQ(len, 5);
	CHECK(!strcmp(name, "nscc"));
	CHECK_ERR(setsockopt(lfd, SOL_MRC, MRC_CONGESTION, "none", 5), EISCONN);
	CHECK_EQ(do_connect(fd, at(port_of(lfd))), 0);
	conn = keep(accept(lfd, NULL, NULL));
	CHECK(conn >= 0);
	CHECK_ERR(setsockopt(fd, SOL_MRC, MRC_CONGESTION, "none", 5), EISCONN);
	len = sizeof(info);
	CHECK_EQ(getsockopt(fd, SOL_MRC, MRC_INFO, &info, &len), 0);
	CHECK_EQ(info.mrc_info_cc_state, MRC_CC_START);
	CHECK(info.mrc_info_cwnd >= info.mrc_info_packet_size);
}

/* The child of a listener has what that has. */
static void test_congestion_inherited(void)
{
	int lfd = sock(SOCK_STREAM), fd = sock(SOCK_STREAM), conn;
	struct sockaddr_mrc a = at(0);
	struct mrc_info info;
	socklen_t len;
	char name[16];

	CHECK_EQ(setsockopt(lfd, SOL_MRC, MRC_CONGESTION, "fixed", 6), 0);
	CHECK_EQ(bind(lfd, (void *)&a, sizeof(a)), 0);
	CHECK_EQ(listen(lfd, 1), 0);
	CHECK_EQ(do_connect(fd, at(port_of(lfd))), 0);
	conn = keep(accept(lfd, NULL, NULL));
	CHECK(conn >= 0);
	len = sizeof(name);
	CHECK_EQ(getsockopt(conn, SOL_MRC, MRC_CONGESTION, name, &len), 0);
	CHECK(!strcmp(name, "fixed"));
	len = sizeof(info);
	CHECK_EQ(getsockopt(conn, SOL_MRC, MRC_INFO, &info, &len), 0);
	CHECK_EQ(info.mrc_info_cc_state, MRC_CC_CONSTANT);
	CHECK_EQ(info.mrc_info_cwnd, 2 * 1024 * 1024);
}

static void test_buffers(void)
{
	int fd = sock(SOCK_STREAM);

	CHECK(get_int(fd, SOL_SOCKET, SO_SNDBUF) >= 1024 * 1024);
	set_int(fd, SOL_SOCKET, SO_SNDBUF, 50000);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_SNDBUF), 100000);
	set_int(fd, SOL_SOCKET, SO_RCVBUF, 50000);
	CHECK_EQ(get_int(fd, SOL_SOCKET, SO_RCVBUF), 100000);
}

static void test_ioctl(void)
{
	int lfd = listener(SOCK_STREAM), a, b, n = -1;

	CHECK_ERR(ioctl(lfd, SIOCINQ, &n), EINVAL);
	CHECK_ERR(ioctl(lfd, 0x1234, &n), ENOTTY);
	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(ioctl(b, SIOCINQ, &n), 0);
	CHECK_EQ(n, 0);
	CHECK_ERR(ioctl(b, SIOCINQ, BAD_POINTER), EFAULT);
	CHECK_EQ(send(a, "abc", 3, 0), 3);
	events(b, POLLIN);
	CHECK_EQ(ioctl(b, SIOCINQ, &n), 0);
	CHECK_EQ(n, 3);
}

/* --- shutdown(2), close(2), poll(2) ---------------------------------------- */

static void test_shutdown(void)
{
	int a, b, fd = sock(SOCK_STREAM);
	char c;

	CHECK_ERR(shutdown(fd, SHUT_WR), ENOTCONN);
	CHECK_ERR(shutdown(fd, 3), EINVAL);
	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(send(a, "x", 1, 0), 1);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_ERR(send(a, "x", 1, MSG_NOSIGNAL), EPIPE);
	CHECK_EQ(recv(b, &c, 1, 0), 1);
	CHECK_EQ(recv(b, &c, 1, 0), 0);
	CHECK_EQ(recv(b, &c, 1, 0), 0);
	/* The other direction is as good as before. */
	CHECK_EQ(send(b, "y", 1, 0), 1);
	CHECK_EQ(recv(a, &c, 1, 0), 1);
	CHECK_EQ(c, 'y');
	CHECK_EQ(state_of(b), MRC_STATE_PEER_FIN);
	CHECK_EQ(shutdown(b, SHUT_WR), 0);
	CHECK_EQ(recv(a, &c, 1, 0), 0);
	CHECK_ERR(shutdown(a, SHUT_RDWR), ENOTCONN);
}

static void test_shutdown_read(void)
{
	int a, b;
	char c;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(shutdown(a, SHUT_RD), 0);
	CHECK_EQ(recv(a, &c, 1, 0), 0);
	CHECK(events(a, 0) & POLLRDHUP);
	CHECK_EQ(send(a, "x", 1, 0), 1);
	CHECK_EQ(recv(b, &c, 1, 0), 1);
}

static void test_poll(void)
{
	int a, b, fd = sock(SOCK_STREAM);

	CHECK_EQ(events(fd, 0), POLLOUT | POLLHUP);
	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(events(a, 0), POLLOUT);
	CHECK_EQ(send(b, "x", 1, 0), 1);
	CHECK_EQ(events(a, POLLIN), POLLIN | POLLOUT);
	CHECK_EQ(shutdown(b, SHUT_WR), 0);
	CHECK_EQ(events(a, POLLRDHUP), POLLIN | POLLOUT | POLLRDHUP);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_EQ(events(a, POLLHUP), POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
}

static void test_linger_abort(void)
{
	struct linger l = { .l_onoff = 1 };
	int a, b;
	char c;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(setsockopt(a, SOL_SOCKET, SO_LINGER, &l, sizeof(l)), 0);
	close(a);
	CHECK(events(b, POLLHUP) & POLLERR);
	CHECK_ERR(recv(b, &c, 1, 0), ECONNRESET);
	CHECK_EQ(recv(b, &c, 1, 0), 0);
	CHECK_ERR(send(b, "x", 1, MSG_NOSIGNAL), EPIPE);
}

static void test_close_unread(void)
{
	int a, b;
	char c;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(send(b, "x", 1, 0), 1);
	events(a, POLLIN);
	close(a);
	CHECK_ERR(recv(b, &c, 1, 0), ECONNRESET);
}

/* Data for a socket that was closed and will never read it. */
static void test_close_late_data(void)
{
	int a, b;
	char c;

	pair(SOCK_STREAM, &a, &b);
	close(a);
	CHECK_EQ(recv(b, &c, 1, 0), 0);
	CHECK_EQ(send(b, "x", 1, 0), 1);
	events(b, POLLHUP);
	CHECK_EQ(get_int(b, SOL_SOCKET, SO_ERROR), EPIPE);
}

/* Everything written before close() arrives, and then the end. */
static void test_close_delivers(void)
{
	struct linger l = { .l_onoff = 1, .l_linger = 10 };
	const size_t size = 1 << 20;
	char *p = calloc(1, size);
	ssize_t n, got = 0;
	int a, b, i;

	CHECK(p);
	for (i = 0; i < 2; i++) {
		pair(SOCK_STREAM, &a, &b);
		if (i)
			CHECK_EQ(setsockopt(a, SOL_SOCKET, SO_LINGER, &l,
					    sizeof(l)), 0);
		CHECK_EQ(send(a, p, size, 0), size);
		close(a);
		for (got = 0; (n = recv(b, p, size, 0)) > 0; got += n)
			;
		CHECK_EQ(n, 0);
		CHECK_EQ(got, size);
	}
	free(p);
}

/* Room that comes back makes an edge, once, and only if it was asked for. */
static void test_epoll_edge(void)
{
	struct epoll_event ev = { .events = EPOLLOUT | EPOLLET }, got;
	int a, b, ep = keep(epoll_create1(0));
	static char buf[65536];
	size_t sent = 0;
	ssize_t n;

	pair(SOCK_STREAM, &a, &b);
	nonblocking(a);
	CHECK_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, a, &ev), 0);
	CHECK_EQ(epoll_wait(ep, &got, 1, WAIT_MS), 1);
	CHECK_EQ(epoll_wait(ep, &got, 1, 0), 0);
	while ((n = send(a, buf, sizeof(buf), 0)) > 0)
		sent += n;
	CHECK_ERR(n, EAGAIN);
	CHECK(!(events(a, 0) & POLLOUT));
	while (sent && (n = recv(b, buf, sizeof(buf), 0)) > 0)
		sent -= n;
	CHECK_EQ(sent, 0);
	CHECK_EQ(epoll_wait(ep, &got, 1, WAIT_MS), 1);
	CHECK(got.events & EPOLLOUT);
}

static void test_sendfile(void)
{
	int file = keep(memfd_create("mrc", 0)), a, b, p[2];
	static char buf[100000], got[100000];
	size_t i;

	for (i = 0; i < sizeof(buf); i++)
		buf[i] = i * 31;
	CHECK_EQ(write(file, buf, sizeof(buf)), sizeof(buf));
	CHECK_EQ(lseek(file, 0, SEEK_SET), 0);
	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(sendfile(a, file, NULL, sizeof(buf)), sizeof(buf));
	CHECK_EQ(recv(b, got, sizeof(got), MSG_WAITALL), sizeof(buf));
	CHECK(!memcmp(buf, got, sizeof(buf)));
	CHECK_EQ(pipe(p), 0);
	keep(p[0]);
	keep(p[1]);
	CHECK_EQ(send(a, buf, 5000, 0), 5000);
	events(b, POLLIN);
	for (i = 0; i < 5000;) {
		ssize_t n = splice(b, NULL, p[1], NULL, 5000 - i, 0);

		CHECK(n > 0);
		CHECK_EQ(read(p[0], got + i, n), n);
		i += n;
	}
	CHECK(!memcmp(buf, got, 5000));
}

#define T(name, fn)	{ name, fn }

static const struct ktap tests[] = {
	T("socket: types and protocols", test_socket),
	T("socket: options that name it", test_names),
	T("bind: bad addresses", test_bind_input),
	T("bind: privileged port", test_bind_privileged),
	T("bind: port in use", test_bind_in_use),
	T("bind: SO_REUSEADDR", test_bind_reuse),
	T("bind: server restarted", test_bind_restart),
	T("bind: ephemeral ports", test_bind_ephemeral),
	T("connect: bad addresses", test_connect_input),
	T("connect: refused, connected, listening", test_connect_refused),
	T("connect: to itself", test_connect_self),
	T("connect: to the unspecified address", test_connect_any),
	T("connect: both ends in common", test_connect_twice),
	T("connect: non-blocking", test_connect_nonblocking),
	T("connect: backlog full", test_backlog),
	T("connect: AF_UNSPEC", test_connect_unspec),
	T("accept: waiting, names, flags", test_accept),
	T("listen: closed with connections waiting", test_listener_closes),
	T("listen: again", test_listen_again),
	T("send: not connected", test_send_unconnected),
	T("send: unknown flags", test_send_flags),
	T("send: control messages", test_send_cmsg),
	T("send: bad memory", test_send_fault),
	T("send: message too long", test_send_too_long),
	T("recv: unknown flags", test_recv_flags),
	T("recv: time-outs", test_recv_wait),
	T("recv: MSG_WAITALL", test_recv_waitall),
	T("recv: bad memory", test_recv_fault),
	T("recv: MSG_PEEK, MSG_TRUNC, SO_PEEK_OFF", test_recv_peek),
	T("recv: bounds of messages", test_messages),
	T("recv: SO_RCVLOWAT", test_rcvlowat),
	T("options: unknown", test_options_unknown),
	T("options: without a meaning here", test_options_refused),
	T("options: values and lengths", test_options_values),
	T("options: congestion control", test_congestion),
	T("options: a listener's is inherited", test_congestion_inherited),
	T("options: buffers", test_buffers),
	T("ioctl: SIOCINQ, SIOCOUTQ", test_ioctl),
	T("shutdown: half close", test_shutdown),
	T("shutdown: of reading", test_shutdown_read),
	T("poll: events", test_poll),
	T("close: SO_LINGER 0 aborts", test_linger_abort),
	T("close: with unread data aborts", test_close_unread),
	T("close: data that comes later", test_close_late_data),
	T("close: delivers what was written", test_close_delivers),
	T("epoll: edge-triggered room", test_epoll_edge),
	T("sendfile and splice", test_sendfile),
};

int main(int argc, char **argv)
{
	if (argc != 2 || inet_pton(AF_INET6, argv[1], &node) != 1)
		errx(2, "usage: sockapi NODE-ADDRESS");
	signal(SIGPIPE, SIG_IGN);
	alarm(120);
	return ktap_run(tests, sizeof(tests) / sizeof(*tests), clean);
}
