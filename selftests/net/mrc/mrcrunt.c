// SPDX-License-Identifier: GPL-2.0
/*
 * What a program sees that mrcrun has started, on connections of a host to
 * itself. It knows nothing of MRC but where a test asks the kernel, behind
 * mrcrun's back, what a socket really is.
 *
 *   mrcrun -m RULES mrcrunt			TAP; RULES as in mrcrun.sh
 *   mrcrunt names FD				the names of a socket it got
 *
 * Needs a node NODE, and no plane.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/mrc.h>
#include <linux/net_tstamp.h>

#include "ktap.h"

#define NODE		"fd00:6d::1"
#define NODE_V4		"10.9.0.1"		/* by the rules */
#define NODE_MAPPED	"::ffff:10.9.0.1"
#define NO_ROUTE	"fd00:6d::99"
#define TCP_PORT	7777			/* stays TCP, by the rules */
#define NOBODY		1023
#define WAIT_MS		20000

static int fds[4096];
static unsigned int n_fds;

/* --- helpers --------------------------------------------------------------- */

static int keep(int fd)
{
	if (fd >= 0 && n_fds < sizeof(fds) / sizeof(*fds))
		fds[n_fds++] = fd;
	return fd;
}

static void clean(void)
{
	while (n_fds)
		close(fds[--n_fds]);
}

/* The family of the socket, as the kernel says */
static int really(int fd)
{
	int family = -1;
	socklen_t len = sizeof(family);

	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &family, &len);
	return family;
}

#define CHECK_MRC(fd)	CHECK_EQ(really(fd), AF_MRC)
static bool really_ip(int fd)
{
	int family = really(fd);

	return family == AF_INET || family == AF_INET6;
}

#define CHECK_TCP(fd)	CHECK(really_ip(fd))

static int family_of_text(const char *ip)
{
	return strchr(ip, ':') ? AF_INET6 : AF_INET;
}

static socklen_t address(struct sockaddr_storage *out, const char *ip,
			 uint16_t port)
{
	struct sockaddr_in6 *v6 = (void *)out;
	struct sockaddr_in *v4 = (void *)out;

	memset(out, 0, sizeof(*out));
	out->ss_family = family_of_text(ip);
	if (out->ss_family == AF_INET6) {
		v6->sin6_port = htons(port);
		CHECK_EQ(inet_pton(AF_INET6, ip, &v6->sin6_addr), 1);
		return sizeof(*v6);
	}
	v4->sin_port = htons(port);
	CHECK_EQ(inet_pton(AF_INET, ip, &v4->sin_addr), 1);
	return sizeof(*v4);
}

/* ip:port of a name, as text; of both families "[ip]:port" reads badly */
static const char *name_text(const struct sockaddr_storage *a)
{
	const struct sockaddr_in6 *v6 = (const void *)a;
	const struct sockaddr_in *v4 = (const void *)a;
	static char text[INET6_ADDRSTRLEN];

	if (a->ss_family == AF_INET)
		inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
	else if (a->ss_family == AF_INET6)
		inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "family %d", a->ss_family);
	return text;
}

typedef int (*name_call)(int, struct sockaddr *, socklen_t *);

static int own_name(int fd, struct sockaddr *a, socklen_t *len)
{
	return getsockname(fd, a, len);
}

static int peer_name(int fd, struct sockaddr *a, socklen_t *len)
{
	return getpeername(fd, a, len);
}

static const char *name(name_call call, int fd)
{
	struct sockaddr_storage a = { 0 };
	socklen_t len = sizeof(a);

	CHECK_EQ(call(fd, (struct sockaddr *)&a, &len), 0);
	CHECK_EQ(len, a.ss_family == AF_INET ? sizeof(struct sockaddr_in) :
					       sizeof(struct sockaddr_in6));
	return name_text(&a);
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in6 a = { 0 };
	socklen_t len = sizeof(a);

	/* The port lies at the same place in both families. */
	CHECK_EQ(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	return ntohs(a.sin6_port);
}

#define CHECK_NAME(call, fd, want) do {					\
	const char *_name = name(call, fd), *_want = (want);		\
									\
	if (strcmp(_name, _want))					\
		KTAP_FAIL("%s of %s is %s, not %s", #call, #fd, _name,	\
			  _want);					\
} while (0)

static int tcp_socket(const char *ip)
{
	int fd = keep(socket(family_of_text(ip), SOCK_STREAM, 0));

	CHECK(fd >= 0);
	return fd;
}

static int bound(const char *ip, uint16_t port)
{
	int fd = tcp_socket(ip), one = 1;
	struct sockaddr_storage a;
	socklen_t len = address(&a, ip, port);

	CHECK_EQ(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)),
		 0);
	CHECK_EQ(bind(fd, (struct sockaddr *)&a, len), 0);
	return fd;
}

static int listener(const char *ip, uint16_t port)
{
	int fd = bound(ip, port);

	CHECK_EQ(listen(fd, 128), 0);
	return fd;
}

static int join(int fd, const char *ip, uint16_t port)
{
	struct sockaddr_storage a;
	socklen_t len = address(&a, ip, port);

	return connect(fd, (struct sockaddr *)&a, len);
}

static int dial(const char *ip, uint16_t port)
{
	int fd = tcp_socket(ip);

	CHECK_EQ(join(fd, ip, port), 0);
	return fd;
}

static int take(int at)
{
	int fd = keep(accept(at, NULL, NULL));

	CHECK(fd >= 0);
	return fd;
}

static void wait_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	CHECK_EQ(poll(&p, 1, WAIT_MS), 1);
	CHECK(p.revents & events);
}

/* Bytes pass in both directions. */
static void exchange(int a, int b)
{
	char text[16] = "";

	CHECK_EQ(send(a, "there", 5, 0), 5);
	CHECK_EQ(recv(b, text, 5, MSG_WAITALL), 5);
	CHECK(!memcmp(text, "there", 5));
	CHECK_EQ(send(b, "back", 4, 0), 4);
	wait_ready(a, POLLIN);
	CHECK_EQ(recv(a, text, 4, MSG_WAITALL), 4);
	CHECK(!memcmp(text, "back", 4));
}

static int int_option(int fd, int level, int optname)
{
	int val = -1;
	socklen_t len = sizeof(val);

	CHECK_EQ(getsockopt(fd, level, optname, &val, &len), 0);
	return val;
}

static void set_nonblock(int fd)
{
	CHECK_EQ(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0);
}

/* --- connecting ------------------------------------------------------------ */

static void blocking(void)
{
	int at = listener("::", 0), fd = dial(NODE, port_of(at));
	int got = take(at);

	CHECK_MRC(fd);
	CHECK_MRC(got);
	CHECK_NAME(own_name, fd, NODE);
	CHECK_NAME(peer_name, fd, NODE);
	CHECK_NAME(own_name, got, NODE);
	CHECK_NAME(peer_name, got, NODE);
	CHECK_NAME(own_name, at, "::");
	CHECK(!(fcntl(fd, F_GETFL) & O_NONBLOCK));
	exchange(fd, got);
	CHECK_ERR(join(fd, NODE, port_of(at)), EISCONN);
}

static void nonblocking(void)
{
	int at = listener("::", 0), fd = tcp_socket(NODE), got;

	set_nonblock(fd);
	CHECK_EQ(fcntl(fd, F_SETFD, FD_CLOEXEC), 0);
	CHECK_ERR(join(fd, NODE, port_of(at)), EINPROGRESS);
	CHECK_MRC(fd);
	wait_ready(fd, POLLOUT);
	CHECK_EQ(int_option(fd, SOL_SOCKET, SO_ERROR), 0);
	CHECK(fcntl(fd, F_GETFL) & O_NONBLOCK);
	CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
	got = take(at);
	CHECK(!(fcntl(got, F_GETFL) & O_NONBLOCK));
	exchange(fd, got);
}

static void ipv4(void)
{
	int at = listener("0.0.0.0", 0), fd = dial(NODE_V4, port_of(at));
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	int got;

	got = keep(accept4(at, (struct sockaddr *)&a, &len, SOCK_CLOEXEC));
	CHECK_MRC(fd);
	CHECK_MRC(got);
	CHECK_EQ(len, sizeof(struct sockaddr_in));
	CHECK_EQ(a.ss_family, AF_INET);
	CHECK(!strcmp(name_text(&a), NODE_V4));
	CHECK_EQ(((struct sockaddr_in *)&a)->sin_port, htons(port_of(fd)));
	CHECK_EQ(fcntl(got, F_GETFD), FD_CLOEXEC);
	CHECK_NAME(own_name, fd, NODE_V4);
	CHECK_NAME(peer_name, fd, NODE_V4);
	CHECK_NAME(own_name, got, NODE_V4);
	CHECK_NAME(own_name, at, "0.0.0.0");
	exchange(fd, got);
}

static void ipv4_in_ipv6(void)
{
	int at = listener("::", 0), fd = dial(NODE_MAPPED, port_of(at));

	CHECK_MRC(fd);
	CHECK_NAME(peer_name, fd, NODE_MAPPED);
	CHECK_NAME(own_name, fd, NODE_MAPPED);
	exchange(fd, take(at));
}

/* A name cut short, as for all families */
static void short_name(void)
{
	int at = listener("0.0.0.0", 0), fd = dial(NODE_V4, port_of(at));
	unsigned char a[sizeof(struct sockaddr_in)];
	socklen_t len = 3;

	memset(a, 0xee, sizeof(a));
	CHECK_EQ(getpeername(fd, (struct sockaddr *)a, &len), 0);
	CHECK_EQ(len, sizeof(struct sockaddr_in));
	CHECK_EQ(a[0], AF_INET);
	CHECK_EQ(a[3], 0xee);
	len = -1;
	CHECK_ERR(getpeername(fd, (struct sockaddr *)a, &len), EINVAL);
}

static void bound_first(void)
{
	int at = listener(NODE_V4, 0), fd = bound(NODE_V4, 0);
	uint16_t port = port_of(fd);
	int got;

	CHECK_MRC(at);
	CHECK_NAME(own_name, at, NODE_V4);
	CHECK_EQ(join(fd, NODE_V4, port_of(at)), 0);
	CHECK_MRC(fd);
	CHECK_EQ(port_of(fd), port);
	got = take(at);
	CHECK_NAME(peer_name, got, NODE_V4);
	exchange(fd, got);
}

static void refused(void)
{
	int fd = tcp_socket(NODE), other = tcp_socket(NODE);

	CHECK_ERR(join(fd, NODE, NOBODY), ECONNREFUSED);
	CHECK_MRC(fd);
	set_nonblock(other);
	CHECK_ERR(join(other, NODE, NOBODY), EINPROGRESS);
	wait_ready(other, POLLERR);
	CHECK_EQ(int_option(other, SOL_SOCKET, SO_ERROR), ECONNREFUSED);
}

static void unspec(int fd)
{
	struct sockaddr a = { .sa_family = AF_UNSPEC };

	CHECK_EQ(connect(fd, &a, sizeof(a)), 0);
}

/* What failed on one network goes on, under its descriptor, on the other. */
static void once_more(void)
{
	int mrc = listener("::", 0), tcp = listener("::1", 0);
	int fd = tcp_socket(NODE), one = 1;

	CHECK_EQ(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)),
		 0);
	CHECK_ERR(join(fd, NODE, NOBODY), ECONNREFUSED);
	CHECK_EQ(join(fd, "::1", port_of(tcp)), 0);
	CHECK_TCP(fd);
	CHECK_EQ(int_option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
	exchange(fd, take(tcp));
	unspec(fd);
	CHECK_EQ(join(fd, NODE, port_of(mrc)), 0);
	CHECK_MRC(fd);
	exchange(fd, take(mrc));
	unspec(fd);
	CHECK_EQ(join(fd, NODE, port_of(mrc)), 0);
	CHECK_MRC(fd);
}

/* --- where it stays TCP ---------------------------------------------------- */

static void stays_tcp(void)
{
	int at = listener("::", 0), fd = dial("::1", port_of(at));
	int lost = tcp_socket(NO_ROUTE), v4, other;

	CHECK_TCP(fd);
	exchange(fd, take(at));
	set_nonblock(lost);
	CHECK_EQ(join(lost, NO_ROUTE, 1), -1);
	CHECK_TCP(lost);
	v4 = dial("127.0.0.1", port_of(at));
	CHECK_TCP(v4);
	exchange(v4, take(at));
	CHECK_TCP(listener("127.0.0.1", 0));
	other = keep(socket(AF_INET6, SOCK_DGRAM, 0));
	CHECK_EQ(join(other, NODE, 9), 0);
	CHECK_EQ(really(other), AF_INET6);
}

static void port_rule(void)
{
	int at = listener("::", TCP_PORT), fd = tcp_socket(NODE);

	CHECK_TCP(at);
	CHECK_EQ(join(fd, NODE, TCP_PORT), 0);
	CHECK_TCP(fd);
	exchange(fd, take(at));
}

/* --- a listener for both --------------------------------------------------- */

static void both(void)
{
	int at = listener("::", 0), mrc[3], tcp[3], got, i, n_mrc = 0;
	uint16_t port = port_of(at);

	CHECK_MRC(at);
	CHECK_EQ(int_option(at, SOL_SOCKET, SO_ACCEPTCONN), 1);
	for (i = 0; i < 3; i++) {
		mrc[i] = dial(NODE, port);
		tcp[i] = dial("::1", port);
		CHECK_MRC(mrc[i]);
		CHECK_TCP(tcp[i]);
	}
	set_nonblock(at);
	for (i = 0; i < 6; i++) {
		wait_ready(at, POLLIN);
		got = take(at);
		if (really(got) == AF_MRC) {
			n_mrc++;
			CHECK_NAME(peer_name, got, NODE);
		} else {
			CHECK_NAME(peer_name, got, "::1");
		}
	}
	CHECK_EQ(n_mrc, 3);
	CHECK_ERR(accept(at, NULL, NULL), EAGAIN);
}

static void both_ipv4(void)
{
	int at = listener("0.0.0.0", 0), fd = dial("127.0.0.1", port_of(at));
	struct sockaddr_in a;
	socklen_t len = sizeof(a);
	int got = keep(accept(at, (struct sockaddr *)&a, &len));

	CHECK_MRC(at);
	CHECK_TCP(got);
	CHECK_EQ(len, sizeof(a));
	CHECK_EQ(ntohl(a.sin_addr.s_addr), INADDR_LOOPBACK);
	exchange(fd, got);
}

static void *take_one(void *at)
{
	return (void *)(intptr_t)accept(*(int *)at, NULL, NULL);
}

/* Who sleeps in accept() is woken by either. */
static void blocking_accept(void)
{
	int at = listener("::", 0), round;
	pthread_t thread;
	void *got;
	int fd;

	for (round = 0; round < 2; round++) {
		CHECK_EQ(pthread_create(&thread, NULL, take_one, &at), 0);
		fd = dial(round ? "::1" : NODE, port_of(at));
		CHECK_EQ(pthread_join(thread, &got), 0);
		exchange(fd, keep((intptr_t)got));
	}
}

static void relisten(void)
{
	int at = listener("::", 4321), fd = tcp_socket(NODE);
	uint16_t port = port_of(at);

	CHECK_EQ(listen(at, 5), 0);
	CHECK_EQ(shutdown(at, SHUT_RDWR), 0);
	CHECK_ERR(join(fd, NODE, port), ECONNREFUSED);
	CHECK_ERR(join(tcp_socket("::1"), "::1", port), ECONNREFUSED);
	CHECK_EQ(listen(at, 5), 0);
	CHECK_EQ(join(fd, NODE, port), 0);
	CHECK_MRC(take(at));
	dial("::1", port);
	CHECK_TCP(take(at));
}

/* Closed, it is closed for both, and the port is free again. */
static void closed(void)
{
	int at = listener("::", 0);
	uint16_t port = port_of(at);

	CHECK_EQ(close(fds[--n_fds]), 0);
	CHECK_ERR(join(tcp_socket("::1"), "::1", port), ECONNREFUSED);
	CHECK_ERR(join(tcp_socket(NODE), NODE, port), ECONNREFUSED);
	CHECK_MRC(listener("::", port));
}

/* Options of a listener reach what it accepts, of both kinds. */
static void inherited(void)
{
	int at = listener("::", 0), one = 1, got, i;

	CHECK_EQ(setsockopt(at, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)),
		 0);
	CHECK_EQ(setsockopt(at, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one)),
		 0);
	CHECK_EQ(int_option(at, IPPROTO_TCP, TCP_NODELAY), 1);
	for (i = 0; i < 2; i++) {
		dial(i ? "::1" : NODE, port_of(at));
		got = take(at);
		CHECK_EQ(int_option(got, IPPROTO_TCP, TCP_NODELAY), 1);
		CHECK_EQ(int_option(got, SOL_SOCKET, SO_KEEPALIVE), 1);
	}
}

static int mrc_listener(void)
{
	struct sockaddr_mrc any = { .smrc_family = AF_MRC };
	int fd = keep(socket(AF_MRC, SOCK_STREAM, 0));

	CHECK_EQ(syscall(SYS_bind, fd, &any, sizeof(any)), 0);
	CHECK_EQ(syscall(SYS_listen, fd, 5), 0);
	return fd;
}

static int attach(int fd, int tcp)
{
	return setsockopt(fd, SOL_MRC, MRC_ACCEPT_TCP, &tcp, sizeof(tcp));
}

/* MRC_ACCEPT_TCP itself, for a program that knows AF_MRC */
static void accept_tcp(void)
{
	int at = mrc_listener(), other = mrc_listener(), fd = tcp_socket("::1");
	int pipes[2], unix_fd = keep(socket(AF_UNIX, SOCK_STREAM, 0));
	int idle = keep(socket(AF_MRC, SOCK_STREAM, 0));
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	CHECK_EQ(pipe(pipes), 0);
	keep(pipes[0]);
	keep(pipes[1]);
	CHECK_EQ(int_option(at, SOL_MRC, MRC_ACCEPT_TCP), 0);
	CHECK_ERR(attach(at, -1), EBADF);
	CHECK_ERR(attach(at, pipes[0]), ENOTSOCK);
	CHECK_ERR(attach(at, unix_fd), EINVAL);
	CHECK_ERR(attach(at, other), EINVAL);
	CHECK_ERR(attach(at, fd), EINVAL);
	CHECK_EQ(syscall(SYS_listen, fd, 5), 0);
	CHECK_ERR(attach(idle, fd), EINVAL);
	CHECK_EQ(attach(at, fd), 0);
	CHECK_ERR(attach(at, fd), EBUSY);
	CHECK_EQ(int_option(at, SOL_MRC, MRC_ACCEPT_TCP), AF_INET6);
	dial("::1", port_of(fd));
	CHECK_TCP(keep(accept(at, (struct sockaddr *)&a, &len)));
	CHECK(!strcmp(name_text(&a), "::1"));
	/* Its own name is that of AF_MRC: nobody has said otherwise. */
	len = sizeof(a);
	CHECK_EQ(getsockname(at, (struct sockaddr *)&a, &len), 0);
	CHECK_EQ(a.ss_family, AF_MRC);
}

/* --- event loops ----------------------------------------------------------- */

static void watch(int set, int fd, uint32_t events, uint64_t data)
{
	struct epoll_event e = { .events = events, .data.u64 = data };

	CHECK_EQ(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e), 0);
}

/* Waits until @data has one of @events. */
static void watch_for(int set, uint32_t events, uint64_t data)
{
	struct epoll_event e;

	do
		CHECK_EQ(epoll_wait(set, &e, 1, WAIT_MS), 1);
	while (e.data.u64 != data || !(e.events & events));
}

/* Who waits for a listener before it has a TCP half hears of that one, too. */
static void accept_tcp_watched(void)
{
	int at = mrc_listener(), other = mrc_listener(), fd = tcp_socket("::1");
	const struct timespec wait = { .tv_sec = WAIT_MS / 1000 };
	int set = keep(epoll_create1(0));
	struct epoll_event e;
	sigset_t sigio;

	sigemptyset(&sigio);
	sigaddset(&sigio, SIGIO);
	CHECK_EQ(sigprocmask(SIG_BLOCK, &sigio, NULL), 0);
	watch(set, at, EPOLLIN | EPOLLET, 5);
	CHECK_EQ(fcntl(at, F_SETOWN, getpid()), 0);
	CHECK_EQ(fcntl(at, F_SETFL, O_ASYNC), 0);
	CHECK_EQ(syscall(SYS_listen, fd, 5), 0);
	CHECK_EQ(attach(at, fd), 0);
	CHECK_EQ(epoll_wait(set, &e, 1, 0), 0);
	dial("::1", port_of(fd));
	watch_for(set, EPOLLIN, 5);
	CHECK_EQ(sigtimedwait(&sigio, NULL, &wait), SIGIO);
	CHECK_TCP(take(at));
	/* The half of one listener may be that of another. */
	watch(set, other, EPOLLIN | EPOLLET, 6);
	CHECK_EQ(attach(other, fd), 0);
	close(at);
	dial("::1", port_of(fd));
	watch_for(set, EPOLLIN, 6);
	CHECK_TCP(take(other));
	CHECK_EQ(sigprocmask(SIG_UNBLOCK, &sigio, NULL), 0);
}

static void epoll_first(void)
{
	int at = listener("::", 0), set = keep(epoll_create1(0)), got;
	int other = keep(epoll_create1(0)), fd = tcp_socket(NODE);
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = 8 };

	set_nonblock(fd);
	watch(set, fd, EPOLLIN | EPOLLOUT | EPOLLET, 7);
	watch(other, fd, EPOLLOUT, 1);
	CHECK_EQ(epoll_ctl(other, EPOLL_CTL_MOD, fd, &e), 0);
	CHECK_ERR(join(fd, NODE, port_of(at)), EINPROGRESS);
	watch_for(set, EPOLLOUT, 7);
	got = take(at);
	CHECK_EQ(epoll_wait(other, &e, 1, 0), 0);
	CHECK_EQ(send(got, "x", 1, 0), 1);
	watch_for(set, EPOLLIN, 7);
	watch_for(other, EPOLLIN, 8);
	CHECK_EQ(epoll_wait(set, &e, 1, 0), 0);
	CHECK_EQ(epoll_ctl(set, EPOLL_CTL_DEL, fd, NULL), 0);
	CHECK_ERR(epoll_ctl(set, EPOLL_CTL_DEL, fd, NULL), ENOENT);
}

static void epoll_listener(void)
{
	int at = bound("::", 0), set = keep(epoll_create1(0));
	struct epoll_event e;

	watch(set, at, EPOLLIN | EPOLLEXCLUSIVE, 3);
	CHECK_EQ(listen(at, 5), 0);
	CHECK_MRC(at);
	CHECK_EQ(epoll_wait(set, &e, 1, 0), 0);
	dial(NODE, port_of(at));
	watch_for(set, EPOLLIN, 3);
	CHECK_MRC(take(at));
	CHECK_EQ(epoll_wait(set, &e, 1, 0), 0);
	dial("::1", port_of(at));
	watch_for(set, EPOLLIN, 3);
	CHECK_TCP(take(at));
	CHECK_EQ(epoll_wait(set, &e, 1, 0), 0);
}

/* A descriptor of an earlier socket says nothing about the next. */
static void epoll_stale(void)
{
	int at = listener("::", 0), set = keep(epoll_create1(0));
	int fd = tcp_socket(NODE), again;
	struct epoll_event e;

	watch(set, fd, EPOLLIN, 1);
	close(fd);
	again = keep(syscall(SYS_socket, AF_INET6, SOCK_STREAM, 0));
	CHECK_EQ(again, fd);
	CHECK_EQ(join(again, NODE, port_of(at)), 0);
	CHECK_MRC(again);
	CHECK_ERR(epoll_ctl(set, EPOLL_CTL_MOD, again, &e), ENOENT);
}

static void selects(void)
{
	int at = listener("::", 0), fd = tcp_socket(NODE);
	struct timeval tv = { .tv_sec = WAIT_MS / 1000 };
	fd_set in, out;

	set_nonblock(fd);
	CHECK_ERR(join(fd, NODE, port_of(at)), EINPROGRESS);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(fd, &out);
	CHECK_EQ(select(fd + 1, NULL, &out, NULL, &tv), 1);
	FD_SET(at, &in);
	CHECK_EQ(select(at + 1, &in, NULL, NULL, &tv), 1);
	exchange(fd, take(at));
}

/* --- descriptors ----------------------------------------------------------- */

static void duplicates(void)
{
	int at = listener("::", 0), fd = tcp_socket(NODE), got, i;
	int dups[4] = {
		keep(dup(fd)),
		keep(fcntl(fd, F_DUPFD_CLOEXEC, 100)),
		keep(dup3(fd, 200, O_CLOEXEC)),
		keep(dup2(fd, 201)),
	};

	CHECK_EQ(join(fd, NODE, port_of(at)), 0);
	got = take(at);
	for (i = 0; i < 4; i++) {
		CHECK_MRC(dups[i]);
		CHECK_EQ(fcntl(dups[i], F_GETFD), i == 1 || i == 2);
		CHECK_EQ(port_of(dups[i]), port_of(fd));
		exchange(dups[i], got);
	}
	CHECK_EQ(dup2(fd, 201), 201);
	CHECK_NAME(peer_name, 201, NODE);
}

static void await(pid_t pid)
{
	int status;

	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* A child serves one connection of each kind with its parent's listener. */
static void forks(void)
{
	int at = listener("::", 0), i;
	uint16_t port = port_of(at);
	char c = 0;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		for (i = 0; i < 2; i++) {
			int fd = accept(at, NULL, NULL);

			if (write(fd, really(fd) == AF_MRC ? "m" : "t", 1) != 1)
				_exit(1);
			close(fd);
		}
		_exit(0);
	}
	CHECK_EQ(recv(dial(NODE, port), &c, 1, 0), 1);
	CHECK_EQ(c, 'm');
	CHECK_EQ(recv(dial("::1", port), &c, 1, 0), 1);
	CHECK_EQ(c, 't');
	await(pid);
}

/* What a program is told that got @fd over exec */
static void told(int fd, const char *want)
{
	char line[200] = "", number[12];
	int out[2];
	pid_t pid;

	CHECK_EQ(pipe(out), 0);
	snprintf(number, sizeof(number), "%d", fd);
	pid = fork();
	if (!pid) {
		dup2(out[1], 1);
		execl("/proc/self/exe", "mrcrunt", "names", number, NULL);
		_exit(127);
	}
	close(out[1]);
	await(pid);
	CHECK(read(out[0], line, sizeof(line) - 1) > 0);
	close(out[0]);
	if (strcmp(line, want))
		KTAP_FAIL("it is told %s, not %s", line, want);
}

static void execs(void)
{
	int at6 = listener("::", 0), at4 = listener("0.0.0.0", 0);

	told(dial(NODE, port_of(at6)), NODE " " NODE);
	told(dial(NODE_V4, port_of(at4)), NODE_V4 " " NODE_V4);
	told(dial(NODE_MAPPED, port_of(at6)), NODE_MAPPED " " NODE_MAPPED);
	told(take(at4), NODE_V4 " " NODE_V4);
}

static void passed_on(void)
{
	int at = listener("0.0.0.0", 0), fd = dial(NODE_V4, port_of(at));
	char control[CMSG_SPACE(sizeof(int))], byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov	= &iov,
		.msg_iovlen	= 1,
		.msg_control	= control,
		.msg_controllen	= sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int pair[2], got;

	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	keep(pair[0]);
	keep(pair[1]);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	CHECK_EQ(sendmsg(pair[0], &msg, 0), 1);
	CHECK_EQ(recvmsg(pair[1], &msg, 0), 1);
	memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(got));
	CHECK_NAME(peer_name, keep(got), NODE_V4);
	exchange(got, take(at));
}

static void *hammer(void *arg)
{
	uint16_t port = *(uint16_t *)arg;
	struct sockaddr_in6 a = {
		.sin6_family	= AF_INET6,
		.sin6_port	= htons(port),
	};
	char c = 'c';
	long good = 0;
	int i, fd;

	inet_pton(AF_INET6, NODE, &a.sin6_addr);
	for (i = 0; i < 25; i++) {
		fd = socket(AF_INET6, SOCK_STREAM, 0);
		good += !connect(fd, (struct sockaddr *)&a, sizeof(a)) &&
			really(fd) == AF_MRC && write(fd, &c, 1) == 1 &&
			read(fd, &c, 1) == 1;
		close(fd);
	}
	return (void *)good;
}

static void threads(void)
{
	int at = listener("::", 0), i;
	uint16_t port = port_of(at);
	pthread_t ids[4];
	long good = 0;
	void *n;
	char c;

	for (i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&ids[i], NULL, hammer, &port), 0);
	for (i = 0; i < 100; i++) {
		int fd = accept(at, NULL, NULL);

		CHECK(fd >= 0);
		CHECK_EQ(read(fd, &c, 1), 1);
		CHECK_EQ(write(fd, &c, 1), 1);
		close(fd);
	}
	for (i = 0; i < 4; i++) {
		pthread_join(ids[i], &n);
		good += (long)n;
	}
	CHECK_EQ(good, 100);
}

/* --- options and data ------------------------------------------------------ */

static void options(void)
{
	int at = listener("0.0.0.0", 0), fd = tcp_socket(NODE_V4), val = 1;
	struct timeval tv = { .tv_sec = 7 }, seen = { 0 };
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);
	char text[16] = "";

	CHECK_EQ(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &val, sizeof(val)),
		 0);
	CHECK_EQ(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &val, sizeof(val)),
		 0);
	CHECK_EQ(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	val = 40000;
	CHECK_EQ(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &val, sizeof(val)), 0);
	val = 5000;
	CHECK_EQ(setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &val,
			    sizeof(val)), 0);
	CHECK_EQ(join(fd, NODE_V4, port_of(at)), 0);
	CHECK_MRC(fd);
	CHECK_EQ(int_option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
	CHECK_EQ(int_option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
	CHECK_EQ(int_option(fd, SOL_SOCKET, SO_SNDBUF), 80000);
	CHECK_EQ(int_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 5000);
	CHECK_EQ(int_option(fd, SOL_SOCKET, SO_DOMAIN), AF_INET);
	CHECK_EQ(int_option(fd, SOL_SOCKET, SO_PROTOCOL), IPPROTO_TCP);
	CHECK_EQ(int_option(fd, SOL_SOCKET, SO_TYPE), SOCK_STREAM);
	CHECK(int_option(fd, IPPROTO_TCP, TCP_MAXSEG) > 1000);
	CHECK_EQ(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len), 0);
	CHECK_EQ(info.tcpi_state, TCP_ESTABLISHED);
	CHECK(info.tcpi_snd_mss > 1000 && info.tcpi_snd_cwnd);
	len = sizeof(text);
	CHECK_EQ(getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, text, &len), 0);
	CHECK(!strcmp(text, "mrc"));
	len = sizeof(seen);
	CHECK_EQ(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &seen, &len), 0);
	CHECK_EQ(seen.tv_sec, 7);
}

static int set_int(int fd, int level, int optname, int val)
{
	return setsockopt(fd, level, optname, &val, sizeof(val));
}

static void more_options(void)
{
	int at = listener("::", 0), fd = dial(NODE, port_of(at));

	CHECK_EQ(set_int(fd, IPPROTO_TCP, TCP_NODELAY, 0), 0);
	CHECK_EQ(int_option(fd, IPPROTO_TCP, TCP_NODELAY), 0);
	CHECK_EQ(set_int(fd, IPPROTO_TCP, TCP_NODELAY, 5), 0);
	CHECK_EQ(int_option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
	CHECK_EQ(set_int(fd, IPPROTO_TCP, TCP_CORK, 1), 0);
	CHECK_EQ(set_int(fd, IPPROTO_TCP, TCP_CORK, 0), 0);
	CHECK_EQ(int_option(fd, IPPROTO_TCP, TCP_NODELAY), 1);
	CHECK_NAME(peer_name, fd, NODE);
	CHECK_EQ(set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 60), 0);
	CHECK_EQ(set_int(fd, IPPROTO_TCP, TCP_QUICKACK, 1), 0);
	CHECK_EQ(set_int(fd, IPPROTO_IPV6, IPV6_TCLASS, 8), 0);
	CHECK_ERR(set_int(fd, IPPROTO_TCP, TCP_REPAIR, 1), ENOPROTOOPT);
	CHECK_ERR(set_int(fd, IPPROTO_TCP, TCP_ULP, 1), ENOPROTOOPT);
	CHECK_ERR(set_int(fd, IPPROTO_TCP, TCP_CONGESTION, 1), ENOENT);
	CHECK_ERR(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &at, 1), EINVAL);
	CHECK_ERR(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, NULL, 4), EFAULT);
	CHECK_ERR(set_int(fd, IPPROTO_UDP, 1, 1), ENOPROTOOPT);
	CHECK_ERR(set_int(-1, IPPROTO_TCP, TCP_NODELAY, 1), EBADF);
	exchange(fd, take(at));
}

/* What MRC reports has the place where TCP's reports are. */
static void error_queue(void)
{
	int at = listener("::", 0), fd = tcp_socket(NODE), got;
	int flags = SOF_TIMESTAMPING_TX_ACK | SOF_TIMESTAMPING_SOFTWARE |
		    SOF_TIMESTAMPING_OPT_TSONLY;
	char control[256];
	struct msghdr msg = {
		.msg_control	= control,
		.msg_controllen	= sizeof(control),
	};
	struct cmsghdr *c;

	CHECK_EQ(set_int(fd, SOL_SOCKET, SO_TIMESTAMPING, flags), 0);
	CHECK_EQ(join(fd, NODE, port_of(at)), 0);
	CHECK_MRC(fd);
	got = take(at);
	exchange(fd, got);
	wait_ready(fd, POLLERR);
	CHECK_EQ(recvmsg(fd, &msg, MSG_ERRQUEUE), 0);
	for (c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c))
		if (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR)
			return;
	KTAP_FAIL("there is no IPV6_RECVERR");
}

static void ways_of_data(void)
{
	struct iovec iov[2] = { { "one ", 4 }, { "two ", 4 } };
	struct mmsghdr msgs[2] = {
		{ .msg_hdr = { .msg_iov = &iov[0], .msg_iovlen = 1 } },
		{ .msg_hdr = { .msg_iov = &iov[1], .msg_iovlen = 1 } },
	};
	int at = listener("::", 0), fd = dial(NODE, port_of(at));
	int got = take(at), file = keep(memfd_create("data", 0));
	char want[] = "one two one two file text", text[sizeof(want)] = "";
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);
	off_t from = 0;

	CHECK_EQ(write(file, "file ", 5), 5);
	CHECK_EQ(writev(fd, iov, 2), 8);
	CHECK_EQ(sendmmsg(fd, msgs, 2, 0), 2);
	CHECK_EQ(sendfile(fd, file, &from, 5), 5);
	/* As TCP does, a connection ignores an address. */
	len = address(&a, "::1", 1);
	CHECK_EQ(sendto(fd, "text", 4, 0, (struct sockaddr *)&a, len), 4);
	CHECK_EQ(recvfrom(got, text, sizeof(want) - 1, MSG_WAITALL,
			  (struct sockaddr *)&a, &len), sizeof(want) - 1);
	CHECK(!strcmp(text, want));
	CHECK_EQ(len, 0);
}

static const struct ktap tests[] = {
	{ "a blocking connect", blocking },
	{ "a non-blocking connect", nonblocking },
	{ "an IPv4 program", ipv4 },
	{ "IPv4 in an IPv6 socket", ipv4_in_ipv6 },
	{ "a name cut short", short_name },
	{ "bound before it connects", bound_first },
	{ "refused", refused },
	{ "one descriptor, MRC and TCP in turn", once_more },
	{ "TCP where no route leads", stays_tcp },
	{ "TCP where a rule says so", port_rule },
	{ "a listener for both", both },
	{ "a listener for both, IPv4", both_ipv4 },
	{ "accept sleeps until either comes", blocking_accept },
	{ "listen again", relisten },
	{ "closed for both", closed },
	{ "options of a listener are inherited", inherited },
	{ "MRC_ACCEPT_TCP of a program that knows MRC", accept_tcp },
	{ "MRC_ACCEPT_TCP of a listener that is watched", accept_tcp_watched },
	{ "epoll before connect", epoll_first },
	{ "epoll before listen", epoll_listener },
	{ "epoll, and a descriptor used again", epoll_stale },
	{ "select", selects },
	{ "duplicates before connect", duplicates },
	{ "fork with a listener", forks },
	{ "exec with sockets", execs },
	{ "a socket passed to another process", passed_on },
	{ "threads", threads },
	{ "options carried over", options },
	{ "options of a connection", more_options },
	{ "the error queue", error_queue },
	{ "sendmmsg, writev, sendfile, sendto", ways_of_data },
};

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "names")) {
		int fd = atoi(argv[2]);

		if (setjmp(ktap_out))
			return 1;
		printf("%s ", name(own_name, fd));
		printf("%s", name(peer_name, fd));
		return 0;
	}
	return ktap_run(tests, sizeof(tests) / sizeof(*tests), clean);
}
