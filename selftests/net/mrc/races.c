// SPDX-License-Identifier: GPL-2.0
/*
 * What can only go wrong between threads: sockets that come and go under a dump,
 * under a send without a copy, and under those who wait for them. Most of it is
 * for a kernel that watches its memory and its locks (make check-debug); here it
 * must end, and the socket say what is true.
 *
 *   races ADDR		ADDR is a node address of this namespace
 *
 * Prints TAP. Needs no plane.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <linux/mrc_diag.h>
#include <linux/net_tstamp.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "socktest.h"

#define ROUNDS	300
#define SIZE	(1024 * 1024)

static char *pages;
static atomic_bool over;

static pthread_t start(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, fn, arg), 0);
	return thread;
}

static void end(pthread_t thread) { pthread_join(thread, NULL); }

/* --- dumps ----------------------------------------------------------------- */

static void *churn(void *arg)
{
	struct sockaddr_mrc a = at(0);
	int i, fd;

	for (i = 0; i < 10 * ROUNDS; i++) {
		fd = socket(AF_MRC, i & 1 ? SOCK_STREAM : SOCK_SEQPACKET, 0);
		if (i & 2)
			syscall(SYS_bind, fd, &a, sizeof(a));
		if (i & 4)
			listen(fd, 1);
		close(fd);
	}
	atomic_store(&over, true);
	return arg;
}

static void dump(int fd)
{
	struct {
		struct nlmsghdr h;
		struct mrc_diag_req req;
	} ask = {
		.h = { .nlmsg_len = sizeof(ask),
		       .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.req = { .sdiag_family = AF_MRC, .mdiag_states = ~0U,
			 .mdiag_show = 7 },
	};
	static char buf[32768];
	struct nlmsghdr *h;
	int n;

	CHECK_EQ(send(fd, &ask, sizeof(ask), 0), sizeof(ask));
	for (;;) {
		n = recv(fd, buf, sizeof(buf), 0);
		CHECK(n > 0);
		for (h = (void *)buf; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_DONE)
				return;
			CHECK_EQ(h->nlmsg_type, SOCK_DIAG_BY_FAMILY);
		}
	}
}

static void test_dump(void)
{
	int fd = keep(socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG));
	pthread_t thread;

	CHECK(fd >= 0);
	atomic_store(&over, false);
	thread = start(churn, NULL);
	while (!atomic_load(&over))
		dump(fd);
	end(thread);
}

/* --- sends without a copy -------------------------------------------------- */

struct flow {
	int fd;
	int flags;
};

static void *pour(void *arg)
{
	const struct flow *f = arg;

	while (send(f->fd, pages, SIZE, f->flags) > 0)
		;
	return NULL;
}

static void *drain(void *arg)
{
	const struct flow *f = arg;
	static char buf[65536];

	while (recv(f->fd, buf, sizeof(buf), 0) > 0)
		;
	return NULL;
}

/* Two threads send, one reads, and one ends it all, in different ways. */
static void pour_until(void (*stop)(int fd, int i), int i)
{
	struct flow out, in = {};
	pthread_t t[3];

	pair(SOCK_STREAM, &out.fd, &in.fd);
	set_int(out.fd, SOL_SOCKET, SO_ZEROCOPY, 1);
	out.flags = MSG_ZEROCOPY;
	t[0] = start(pour, &out);
	t[1] = start(pour, &out);
	t[2] = start(drain, &in);
	usleep(i % 50 * 20);
	stop(out.fd, i);
	end(t[0]);
	end(t[1]);
	shutdown(in.fd, SHUT_RDWR);
	end(t[2]);
	clean();
}

static void stop_shutdown(int fd, int i)
{
	shutdown(fd, i & 1 ? SHUT_WR : SHUT_RDWR);
}

/* Of the last close; the sends hold the file until they fail. */
static void stop_linger0(int fd, int i)
{
	struct linger l = { .l_onoff = 1 };

	CHECK_EQ(setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l)), 0);
	shutdown(fd, SHUT_WR);
}

static void stop_disconnect(int fd, int i)
{
	struct sockaddr_mrc a = { .smrc_family = AF_UNSPEC };

	CHECK_EQ(do_connect(fd, a), 0);
}

static void test_zc(void)
{
	int i;

	for (i = 0; i < ROUNDS / 6; i++) {
		pour_until(stop_shutdown, i);
		pour_until(stop_linger0, i);
		pour_until(stop_disconnect, i);
	}
}

/* Closed with much that was neither sent nor reported, by a process that ends,
 * and whose memory goes.
 */
static void test_zc_exit(void)
{
	int i, j, a, b, status;
	pid_t pid;

	for (i = 0; i < ROUNDS / 20; i++) {
		pair(SOCK_STREAM, &a, &b);
		set_int(a, SOL_SOCKET, SO_ZEROCOPY, 1);
		pid = fork();
		if (!pid) {
			close(b);
			for (j = 0; j < 100; j++)
				send(a, pages + j, SIZE - j,
				     MSG_ZEROCOPY | MSG_DONTWAIT);
			_exit(0);
		}
		CHECK(pid > 0);
		close(a);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		if (i & 1)
			while (recv(b, pages, SIZE, 0) > 0)
				;
		clean();
	}
}

/* Nobody reads the reports; @rcvbuf 0 is the default. Return: was there no memory
 * for more?
 */
static bool reports_unread(int rcvbuf)
{
	bool full = false;
	int a, b, i;
	char c;

	pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_SOCKET, SO_ZEROCOPY, 1);
	if (rcvbuf)
		set_int(a, SOL_SOCKET, SO_RCVBUF, rcvbuf);
	set_int(a, SOL_SOCKET, SO_TIMESTAMPING,
		SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_SOFTWARE |
		SOF_TIMESTAMPING_TX_ACK | SOF_TIMESTAMPING_SOFTWARE);
	for (i = 0; i < 1000; i++) {
		if (send(a, pages, 1, i & 1 ? MSG_ZEROCOPY : 0) == 1) {
			CHECK_EQ(recv(b, &c, 1, 0), 1);
			continue;
		}
		CHECK_EQ(errno, ENOBUFS);
		full = true;
	}
	/* the other way there is a receive buffer still */
	for (i = 0; i < 300; i++) {
		CHECK_EQ(send(b, pages, 5000, 0), 5000);
		CHECK_EQ(recv(a, pages, 5000, MSG_WAITALL), 5000);
	}
	CHECK(events(a, 0) & POLLERR);
	return full;
}

/* Those of times are limited by the receive buffer, those of pages by what there
 * is for options; these become one if nothing is between them.
 */
static void test_reports_unread(void)
{
	CHECK(!reports_unread(4096));
	CHECK(reports_unread(0));
}

/* --- listeners for both ---------------------------------------------------- */

static int tcp_listener(uint16_t *port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	socklen_t len = sizeof(a);
	int fd = keep(socket(AF_INET6, SOCK_STREAM, 0));

	CHECK(fd >= 0);
	CHECK_EQ(bind(fd, (struct sockaddr *)&a, len), 0);
	CHECK_EQ(listen(fd, 16), 0);
	CHECK_EQ(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	*port = ntohs(a.sin6_port);
	return fd;
}

static int dial_tcp(uint16_t port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT,
				  .sin6_port = htons(port) };
	int fd = socket(AF_INET6, SOCK_STREAM, 0);

	if (fd >= 0)
		connect(fd, (struct sockaddr *)&a, sizeof(a));
	return fd;
}

static atomic_int accepted;

static void *accepter(void *arg)
{
	int fd;

	while ((fd = accept(*(int *)arg, NULL, NULL)) >= 0) {
		atomic_fetch_add(&accepted, 1);
		close(fd);
	}
	return NULL;
}

static void *both_kinds(void *arg)
{
	const uint16_t *port = arg;
	struct sockaddr_mrc a = at(port[1]);
	int i, fd;

	for (i = 0; i < ROUNDS / 2; i++) {
		fd = dial_tcp(port[0]);
		close(fd);
		fd = socket(AF_MRC, SOCK_STREAM, 0);
		syscall(SYS_connect, fd, &a, sizeof(a));
		close(fd);
	}
	return NULL;
}

/* None of many connections is forgotten while somebody waits; then they all
 * wake up, and go.
 */
static void test_accepters(void)
{
	uint16_t port[2];
	int tcp = tcp_listener(&port[0]), fd = listener(SOCK_STREAM), i;
	pthread_t t[4], d[2];

	port[1] = port_of(fd);
	CHECK_EQ(setsockopt(fd, SOL_MRC, MRC_ACCEPT_TCP, &tcp, sizeof(tcp)), 0);
	close(tcp);
	atomic_store(&accepted, 0);
	for (i = 0; i < 4; i++)
		t[i] = start(accepter, &fd);
	for (i = 0; i < 2; i++)
		d[i] = start(both_kinds, port);
	for (i = 0; i < 2; i++)
		end(d[i]);
	for (i = 0; i < WAIT_MS && atomic_load(&accepted) < 2 * ROUNDS; i++)
		usleep(1000);
	CHECK_EQ(atomic_load(&accepted), 2 * ROUNDS);
	CHECK_EQ(shutdown(fd, SHUT_RDWR), 0);
	for (i = 0; i < 4; i++)
		end(t[i]);
}

static void *knock(void *arg)
{
	const uint16_t *port = arg;

	while (!atomic_load(&over))
		close(dial_tcp(port[0]));
	return NULL;
}

/* Watched, attached, and closed again while connections come in. */
static void test_attach(void)
{
	int tcp, fd, set, i;
	uint16_t port[2];
	pthread_t thread;
	struct epoll_event e = { .events = EPOLLIN };

	tcp = tcp_listener(&port[0]);
	atomic_store(&over, false);
	thread = start(knock, port);
	for (i = 0; i < ROUNDS / 5; i++) {
		fd = listener(SOCK_STREAM);
		set = epoll_create1(0);
		CHECK_EQ(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e), 0);
		nonblocking(fd);
		CHECK_EQ(setsockopt(fd, SOL_MRC, MRC_ACCEPT_TCP, &tcp,
				    sizeof(tcp)), 0);
		CHECK_EQ(epoll_wait(set, &e, 1, WAIT_MS), 1);
		close(accept(fd, NULL, NULL));
		if (i & 1)
			close(set);
		close(fds[--n_fds]);
		if (!(i & 1))
			close(set);
	}
	atomic_store(&over, true);
	end(thread);
}

static int pass(int via, int fd)
{
	char control[CMSG_SPACE(sizeof(fd))] = {}, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(via, &msg, 0);
}

/* A listener whose last reference is in a socket that only it refers to, and
 * that is never read: its TCP half ends, too, and the port is free.
 */
static void test_in_flight(void)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int tcp, fd, u[2], again, i, n = -1;
	uint16_t port;

	tcp = tcp_listener(&port);
	fd = listener(SOCK_STREAM);
	CHECK_EQ(setsockopt(fd, SOL_MRC, MRC_ACCEPT_TCP, &tcp, sizeof(tcp)), 0);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, u), 0);
	CHECK_EQ(pass(u[0], fd), 1);
	CHECK_EQ(pass(u[0], u[1]), 1);
	CHECK_EQ(pass(u[1], u[0]), 1);
	clean();
	close(u[0]);
	close(u[1]);
	again = keep(socket(AF_INET6, SOCK_STREAM, 0));
	a.sin6_port = htons(port);
	/* its garbage is collected when a socket is closed */
	for (i = 0; i < WAIT_MS && n; i++) {
		close(socket(AF_UNIX, SOCK_STREAM, 0));
		n = bind(again, (struct sockaddr *)&a, sizeof(a));
		usleep(1000);
	}
	CHECK_EQ(n, 0);
}

/* --------------------------------------------------------------------------- */

static const struct ktap tests[] = {
	{ "a dump while sockets come and go", test_dump },
	{ "MSG_ZEROCOPY: ended by another thread", test_zc },
	{ "MSG_ZEROCOPY: ended by the end of the process", test_zc_exit },
	{ "reports that nobody reads", test_reports_unread },
	{ "MRC_ACCEPT_TCP: many accept", test_accepters },
	{ "MRC_ACCEPT_TCP: attached under connections", test_attach },
	{ "MRC_ACCEPT_TCP: a listener nobody can reach", test_in_flight },
};

int main(int argc, char **argv)
{
	if (argc != 2 || inet_pton(AF_INET6, argv[1], &node) != 1)
		errx(2, "usage: races NODE-ADDRESS");
	signal(SIGPIPE, SIG_IGN);
	alarm(900);
	pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (pages == MAP_FAILED)
		err(1, "memory");
	return ktap_run(tests, sizeof(tests) / sizeof(*tests), clean);
}
