// SPDX-License-Identifier: GPL-2.0
/*
 * Conformance of what comes before data and after: listening, connecting,
 * accepting, names, processes that share a connection or die. See conf.h for
 * the arguments; with "tcp" the same must hold.
 */
#include "conf.h"

#include <sys/resource.h>

/* A port at which nobody listens */
static uint16_t closed_port(void)
{
	int fd = far_sock(SOCK_STREAM);
	uint16_t port;

	CHECK_EQ(do_bind(fd, 0), 0);
	port = port_of(fd);
	drop(fd);
	return port;
}

static void test_refused(void)
{
	uint16_t port = closed_port();
	int fd = near_sock(SOCK_STREAM), nb = near_sock(SOCK_STREAM);

	CHECK_ERR(do_connect(fd, port), ECONNREFUSED);
	nonblocking(nb);
	CHECK_ERR(do_connect(nb, port), EINPROGRESS);
	CHECK(events(nb, POLLOUT) & POLLERR);
	CHECK_EQ(sock_err(nb), ECONNREFUSED);
}

/* Bound is not listening. */
static void test_bind_only(void)
{
	int far = far_sock(SOCK_STREAM);

	CHECK_EQ(do_bind(far, 0), 0);
	CHECK_ERR(do_connect(near_sock(SOCK_STREAM), port_of(far)),
		  ECONNREFUSED);
}

/* The same socket again, when somebody listens */
static void test_retry(void)
{
	int far = far_sock(SOCK_STREAM), fd = near_sock(SOCK_STREAM), i;

	CHECK_EQ(do_bind(far, 0), 0);
	for (i = 0; i < 3; i++)
		CHECK_ERR(do_connect(fd, port_of(far)), ECONNREFUSED);
	CHECK_EQ(listen(far, 1), 0);
	CHECK_EQ(do_connect(fd, port_of(far)), 0);
	far = take(far);
	put(fd, 0, 10);
	get(far, 0, 10);
}

static void test_client_closes(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	put(a, 0, 5);
	drop(a);
	get(b, 0, 5);
	get_end(b);
}

static void test_server_closes(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	put(b, 0, 5);
	drop(b);
	get(a, 0, 5);
	get_end(a);
}

#define MANY	60

static void test_many(void)
{
	int lfd = far_listener(SOCK_STREAM, MANY), a[MANY], b[MANY], i;

	for (i = 0; i < MANY; i++) {
		a[i] = near_sock(SOCK_STREAM);
		CHECK_EQ(do_connect(a[i], port_of(lfd)), 0);
	}
	for (i = 0; i < MANY; i++)
		b[i] = take(lfd);
	/* In the order in which they came */
	for (i = 0; i < MANY; i++)
		put(a[i], i * 100, 100);
	for (i = MANY; i-- > 0;)
		get(b[i], i * 100, 100);
	for (i = 0; i < MANY; i++)
		put(b[i], i, 20);
	for (i = 0; i < MANY; i++)
		get(a[i], i, 20);
}

/* More than the queue holds: all get in when there is room. */
static void test_overflow(void)
{
	int lfd = far_listener(SOCK_STREAM, 2), a[12], i;

	for (i = 0; i < (int)N_ELEM(a); i++) {
		a[i] = near_sock(SOCK_STREAM);
		nonblocking(a[i]);
		CHECK_ERR(do_connect(a[i], port_of(lfd)), EINPROGRESS);
	}
	for (i = 0; i < (int)N_ELEM(a); i++)
		put(take(lfd), 0, 5);
	for (i = 0; i < (int)N_ELEM(a); i++) {
		events(a[i], POLLIN);
		CHECK_EQ(sock_err(a[i]), 0);
		get(a[i], 0, 5);
	}
}

/* Two sockets of one port, one connected: the other cannot be, to there. */
static void test_double_bind(void)
{
	int lfd = far_listener(SOCK_STREAM, 4), a = near_sock(SOCK_STREAM);
	int b = near_sock(SOCK_STREAM);
	struct sockaddr_in6 any = { .sin6_family = conf_far.sin6_family };

	CHECK_EQ(bind(a, (void *)&any, sizeof(any)), 0);
	any.sin6_port = htons(port_of(a));
	CHECK_ERR(bind(b, (void *)&any, sizeof(any)), EADDRINUSE);
	CHECK_EQ(do_connect(a, port_of(lfd)), 0);
	CHECK_EQ(ntohs(any.sin6_port), port_of(a));
	CHECK_ERR(bind(a, (void *)&any, sizeof(any)), EINVAL);
	put(take(lfd), 0, 1);
	get(a, 0, 1);
}

/* A listener that closes while somebody connects: one of the two wins. What
 * they leave behind, the audit at the end of conform.sh would see.
 */
static long thread_connect(struct conf_thread *t)
{
	uint16_t port = (long)t->arg;

	return do_connect(t->fd, port);
}

static void test_accept_race(void)
{
	struct conf_thread t = { thread_connect };
	int lfd, i;

	for (i = 0; i < 60; i++) {
		lfd = far_listener(SOCK_STREAM, 1);
		t.fd = near_sock(SOCK_STREAM);
		t.arg = (void *)(long)port_of(lfd);
		start(&t);
		if (i & 1)
			events(lfd, POLLIN);
		drop(lfd);
		finish(&t);
		if (t.ret)
			CHECK(t.err == ECONNREFUSED || t.err == ECONNRESET);
		drop(t.fd);
	}
}

/* Who was in the queue of a listener that is gone */
static void test_listener_gone(void)
{
	int lfd = far_listener(SOCK_STREAM, 4), a = near_sock(SOCK_STREAM);
	char c;

	CHECK_EQ(do_connect(a, port_of(lfd)), 0);
	put(a, 0, 100);
	events(lfd, POLLIN);
	drop(lfd);
	events(a, POLLHUP);
	CHECK_ERR(recv(a, &c, 1, 0), ECONNRESET);
}

static void on_alarm(int sig)
{
}

/* connect() in a storm of signals: it succeeds, now or in the background. */
static void test_signals(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval it = { { 0, 1000 }, { 0, 500 } };
	int lfd = far_listener(SOCK_STREAM, 16), i, fd;

	CHECK_EQ(sigaction(SIGALRM, &sa, NULL), 0);
	for (i = 0; i < 40; i++) {
		fd = near_sock(SOCK_STREAM);
		set_linger(fd, 1);
		CHECK_EQ(setitimer(ITIMER_REAL, &it, NULL), 0);
		if (do_connect(fd, port_of(lfd)))
			CHECK_EQ(errno, EINTR);
		CHECK_EQ(setitimer(ITIMER_REAL, &(struct itimerval){}, NULL), 0);
		events(fd, POLLOUT);
		CHECK_EQ(sock_err(fd), 0);
		drop(take(lfd));
		drop(fd);
	}
	signal(SIGALRM, SIG_DFL);
}

/* A queue that is full keeps a connect() waiting: what is done to it then. */
static int crowded(void)
{
	int lfd = far_listener(SOCK_STREAM, 0), i;

	for (i = 0; i < 3; i++) {
		int fd = near_sock(SOCK_STREAM);

		nonblocking(fd);
		CHECK_ERR(do_connect(fd, port_of(lfd)), EINPROGRESS);
		if (i < 1)
			events(fd, POLLOUT);
	}
	events(lfd, POLLIN);
	return lfd;
}

static void test_connecting(void)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int lfd = crowded(), fd = near_sock(SOCK_STREAM);
	struct sockaddr_in6 a;
	socklen_t len = sizeof(a);
	char c;

	nonblocking(fd);
	CHECK_ERR(do_connect(fd, port_of(lfd)), EINPROGRESS);
	CHECK_ERR(do_connect(fd, port_of(lfd)), EALREADY);
	CHECK_ERR(getpeername(fd, (void *)&a, &len), ENOTCONN);
	CHECK_ERR(listen(fd, 1), EINVAL);
	CHECK_ERR(send(fd, "x", 1, MSG_NOSIGNAL), EAGAIN);
	CHECK_ERR(recv(fd, &c, 1, 0), EAGAIN);
	CHECK_EQ(events(fd, 0), 0);
	CHECK_EQ(sock_err(fd), 0);
	/* given up, and used again */
	CHECK_EQ(connect(fd, &none, sizeof(none)), 0);
	CHECK_ERR(do_connect(fd, closed_port()), EINPROGRESS);
	events(fd, POLLERR);
	CHECK_EQ(sock_err(fd), ECONNREFUSED);
	/* closed in the middle */
	fd = near_sock(SOCK_STREAM);
	nonblocking(fd);
	CHECK_ERR(do_connect(fd, port_of(lfd)), EINPROGRESS);
	drop(fd);
}

/* Over and over with one socket */
static void test_disconnect(void)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int lfd = far_listener(SOCK_STREAM, 4), fd = near_sock(SOCK_STREAM);
	int far, i;

	for (i = 0; i < 4; i++) {
		CHECK_EQ(do_connect(fd, port_of(lfd)), 0);
		far = take(lfd);
		put(fd, i, 30000);
		put(far, i + 5, 30000);
		get(fd, i + 5, 30000);
		get(far, i, 30000);
		if (i & 1) {
			/* in good order */
			CHECK_EQ(shutdown(fd, SHUT_WR), 0);
			get_end(far);
			drop(far);
			get_end(fd);
		}
		CHECK_EQ(connect(fd, &none, sizeof(none)), 0);
		CHECK_EQ(events(fd, 0) & POLLHUP, POLLHUP);
	}
}

/* SO_LINGER in every state of a socket's life, with nothing to linger for */
static void test_linger(void)
{
	int lfd, a, b, fd;

	fd = near_sock(SOCK_STREAM);
	set_linger(fd, 1);
	drop(fd);
	fd = near_sock(SOCK_STREAM);
	set_linger(fd, 0);
	drop(fd);
	lfd = far_listener(SOCK_STREAM, 1);
	set_linger(lfd, 1);
	drop(lfd);
	lfd = crowded();
	fd = near_sock(SOCK_STREAM);
	nonblocking(fd);
	set_linger(fd, 1);
	CHECK_ERR(do_connect(fd, port_of(lfd)), EINPROGRESS);
	drop(fd);
	pair(SOCK_STREAM, &a, &b);
	set_linger(a, 1);
	CHECK_EQ(shutdown(a, SHUT_RDWR), 0);
	drop(a);
	get_end(b);
}

static void name(int fd, bool peer, struct sockaddr_in6 *a)
{
	socklen_t len = sizeof(*a);

	memset(a, 0x55, sizeof(*a));
	CHECK_EQ((peer ? getpeername : getsockname)(fd, (void *)a, &len), 0);
	CHECK_EQ(len, sizeof(*a));
	CHECK_EQ(a->sin6_family, conf_far.sin6_family);
}

static void test_names(void)
{
	struct sockaddr_in6 here, there, x;
	socklen_t len = 5;
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	name(a, false, &here);
	name(a, true, &there);
	CHECK(!memcmp(&there.sin6_addr, &conf_far.sin6_addr, 16));
	name(b, true, &x);
	CHECK(!memcmp(&x, &here, sizeof(x)));
	name(b, false, &x);
	CHECK(!memcmp(&x, &there, sizeof(x)));
	/* Cut, with the true length */
	memset(&x, 0x55, sizeof(x));
	CHECK_EQ(getsockname(a, (void *)&x, &len), 0);
	CHECK_EQ(len, sizeof(x));
	CHECK_EQ(x.sin6_port, here.sin6_port);
	CHECK_EQ(((uint8_t *)&x)[5], 0x55);
	CHECK_ERR(getsockname(a, BAD_POINTER, &len), EFAULT);
	CHECK_ERR(getsockname(a, (void *)&x, BAD_POINTER), EFAULT);
	len = -1;
	CHECK_ERR(getsockname(a, (void *)&x, &len), EINVAL);
	/* They stay when the peer has gone, as long as there is a connection. */
	drop(b);
	get_end(a);
	name(a, true, &x);
	CHECK(!memcmp(&x, &there, sizeof(x)));
}

static long thread_accept(struct conf_thread *t)
{
	return accept(t->fd, NULL, NULL);
}

/* Four wait, four come: each gets one. */
static void test_acceptors(void)
{
	int lfd = far_listener(SOCK_STREAM, 8), a[4], i, j;
	struct conf_thread t[4];

	for (i = 0; i < 4; i++) {
		t[i] = (struct conf_thread) { thread_accept, lfd };
		start_asleep(&t[i]);
	}
	for (i = 0; i < 4; i++) {
		a[i] = near_sock(SOCK_STREAM);
		CHECK_EQ(do_connect(a[i], port_of(lfd)), 0);
	}
	for (i = 0; i < 4; i++) {
		finish(&t[i]);
		CHECK(keep(t[i].ret) >= 0);
		for (j = 0; j < i; j++)
			CHECK(t[j].ret != t[i].ret);
		put(t[i].ret, 0, 3);
	}
	for (i = 0; i < 4; i++)
		get(a[i], 0, 3);
	CHECK_EQ(events(lfd, 0), 0);
}

/* shutdown() of a listener wakes who waits there. */
static void test_accept_shut(void)
{
	struct conf_thread t = { thread_accept };

	t.fd = far_listener(SOCK_STREAM, 1);
	start_asleep(&t);
	CHECK_EQ(shutdown(t.fd, SHUT_RDWR), 0);
	finish(&t);
	CHECK_EQ(t.ret, -1);
	CHECK_EQ(t.err, EINVAL);
}

static void test_accept_flags(void)
{
	int lfd = far_listener(SOCK_STREAM, 4), fd, i;

	CHECK_ERR(accept4(lfd, NULL, NULL, 0x100), EINVAL);
	nonblocking(lfd);
	CHECK_ERR(accept(lfd, NULL, NULL), EAGAIN);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(do_connect(near_sock(SOCK_STREAM), port_of(lfd)), 0);
		events(lfd, POLLIN);
		fd = keep(accept4(lfd, NULL, NULL,
				  i ? SOCK_CLOEXEC | SOCK_NONBLOCK : 0));
		CHECK(fd >= 0);
		/* not the listener's */
		CHECK_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, i ? O_NONBLOCK : 0);
		CHECK_EQ(fcntl(fd, F_GETFD), i ? FD_CLOEXEC : 0);
	}
}

/* Without a free descriptor a connection stays in the queue. */
static void test_accept_emfile(void)
{
	int lfd = far_listener(SOCK_STREAM, 4), a = near_sock(SOCK_STREAM), b;
	struct rlimit old, none;

	CHECK_EQ(do_connect(a, port_of(lfd)), 0);
	events(lfd, POLLIN);
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit) { 0, old.rlim_max };
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	b = accept(lfd, NULL, NULL);
	none.rlim_cur = errno;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
	CHECK_EQ(b, -1);
	CHECK_EQ(none.rlim_cur, EMFILE);
	b = take(lfd);
	put(a, 0, 5);
	get(b, 0, 5);
}

/* What an accepted socket can be asked for */
static void test_accepted_options(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	set_int(b, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_int(b, SOL_SOCKET, SO_PRIORITY, 3);
	if (conf_mrc) {
		set_int(b, SOL_MRC, MRC_NODELAY, 0);
		set_int(b, SOL_MRC, MRC_USER_TIMEOUT, 5000);
		CHECK_EQ(get_int(b, SOL_MRC, MRC_USER_TIMEOUT), 5000);
	} else {
		set_int(b, IPPROTO_TCP, TCP_NODELAY, 1);
	}
	CHECK_EQ(get_int(b, SOL_SOCKET, SO_KEEPALIVE), 1);
	CHECK_EQ(get_int(b, SOL_SOCKET, SO_PRIORITY), 3);
	CHECK_EQ(get_int(a, SOL_SOCKET, SO_KEEPALIVE), 0);
	put(b, 0, 10);
	get(a, 0, 10);
}

struct counts {
	uint64_t sent, got;
};

static struct counts counts_of(int fd)
{
	struct mrc_info m;
	struct tcp_info t;
	socklen_t len = conf_mrc ? sizeof(m) : sizeof(t);

	if (conf_mrc) {
		CHECK_EQ(getsockopt(fd, SOL_MRC, MRC_INFO, &m, &len), 0);
		return (struct counts) { m.mrc_info_sent_bytes,
					 m.mrc_info_rcvd_bytes };
	}
	CHECK_EQ(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &t, &len), 0);
	/* TCP counts the SYN */
	return (struct counts) { t.tcpi_bytes_acked - 1,
				 t.tcpi_bytes_received };
}

/* They are those that were written, no more, whatever had to go twice. */
static void test_info(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(counts_of(a).got, 0);
	put(a, 0, 123456);
	get(b, 0, 123456);
	put(b, 0, 7);
	get(a, 0, 7);
	UNTIL(!queued(a, SIOCOUTQ));
	CHECK_EQ(counts_of(a).sent, 123456);
	CHECK_EQ(counts_of(b).got, 123456);
	CHECK_EQ(counts_of(a).got, 7);
}

/* What a child closes is still the parent's; the last one ends it. */
static void test_fork(void)
{
	int a, b, status;
	pid_t pid;

	pair(SOCK_STREAM, &a, &b);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		send(a, "x", 1, 0);
		close(a);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(recv(b, &status, 4, 0), 1);
	CHECK_EQ(events(b, 0), POLLOUT);
	put(a, 0, 10);
	get(b, 0, 10);
	drop(a);
	get_end(b);
}

/* shutdown() is of the connection, not of a descriptor. */
static void test_dup(void)
{
	int a, b, c;

	pair(SOCK_STREAM, &a, &b);
	c = keep(dup(a));
	CHECK(c >= 0);
	drop(a);
	put(c, 0, 10);
	get(b, 0, 10);
	a = keep(fcntl(c, F_DUPFD_CLOEXEC, 0));
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	CHECK_ERR(send(c, "x", 1, MSG_NOSIGNAL), EPIPE);
	get_end(b);
}

/* A connection goes to another process through a socket. */
static void test_scm_rights(void)
{
	union {
		struct cmsghdr h;
		char buf[CMSG_SPACE(sizeof(int))];
	} u = { .h = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec iov = { &(char){ 'x' }, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = &u, .msg_controllen = sizeof(u) };
	int a, b, s[2], fd, status;
	char buf[8];
	pid_t pid;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_DGRAM, 0, s), 0);
	keep(s[0]);
	keep(s[1]);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		close(a);
		if (recvmsg(s[1], &msg, 0) != 1)
			_exit(1);
		memcpy(&fd, CMSG_DATA(&u.h), sizeof(fd));
		_exit(send(fd, "child", 5, 0) != 5);
	}
	memcpy(CMSG_DATA(&u.h), &a, sizeof(a));
	CHECK_EQ(sendmsg(s[0], &msg, 0), 1);
	drop(a);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(recv(b, buf, sizeof(buf), 0), 5);
	get_end(b);
}

/* A process that is killed: with unread data an abort, else an end. */
static void test_killed(void)
{
	int a, b, unread, status;
	char c;
	pid_t pid;

	for (unread = 0; unread < 2; unread++) {
		pair(SOCK_STREAM, &a, &b);
		pid = fork();
		CHECK(pid >= 0);
		if (!pid) {
			for (;;)
				pause();
		}
		drop(a);
		if (unread) {
			put(b, 0, 10);
			UNTIL(!queued(b, SIOCOUTQ));
		}
		CHECK_EQ(kill(pid, SIGKILL), 0);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		events(b, POLLRDHUP);
		if (unread)
			CHECK_ERR(recv(b, &c, 1, 0), ECONNRESET);
		else
			get_end(b);
		clean();
	}
}

/* epoll of a listener, edge-triggered: each arrival is one. */
static void test_listen_edge(void)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET }, out;
	int lfd = far_listener(SOCK_STREAM, 8), ep = keep(epoll_create1(0)), i;

	nonblocking(lfd);
	CHECK_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, lfd, &ev), 0);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(do_connect(near_sock(SOCK_STREAM), port_of(lfd)), 0);
		CHECK_EQ(epoll_wait(ep, &out, 1, WAIT_MS), 1);
		CHECK_EQ(out.events, EPOLLIN);
		CHECK_EQ(epoll_wait(ep, &out, 1, 0), 0);
	}
	for (i = 0; i < 3; i++)
		CHECK(keep(accept(lfd, NULL, NULL)) >= 0);
	CHECK_ERR(accept(lfd, NULL, NULL), EAGAIN);
}

static const struct ktap tests[] = {
	T("life: refused", test_refused),
	T("life: bound only", test_bind_only),
	T("life: connect again after a refusal", test_retry),
	T("life: the client closes", test_client_closes),
	T("life: the server closes", test_server_closes),
	T("life: sixty connections", test_many),
	T("life: double bind", test_double_bind),
	T("life: connect against close of the listener", test_accept_race),
	T("life: closed with connections in the queue", test_listener_gone),
	T("life: connect in a storm of signals", test_signals),
	T("life: while connecting", test_connecting),
	T("life: disconnect and connect again", test_disconnect),
	T("life: SO_LINGER in every state", test_linger),
	T("life: names of both ends", test_names),
	T("life: four in accept", test_acceptors),
	T("life: accept and shutdown", test_accept_shut),
	T("life: flags of accept4", test_accept_flags),
	T("life: accept without a descriptor", test_accept_emfile),
	T("life: options of an accepted socket", test_accepted_options),
	T("life: bytes in MRC_INFO", test_info),
	T("life: fork", test_fork),
	T("life: dup", test_dup),
	T("life: SCM_RIGHTS", test_scm_rights),
	T("life: killed", test_killed),
	T("life: epoll, edges of a listener", test_listen_edge),
};

/* TCP would wait for its retries, each twice as long as the one before. */
static const struct ktap own[] = {
	T("life: more than the backlog", test_overflow),
};

int main(int argc, char **argv)
{
	conf_init(argc, argv);
	return conf_run(tests, N_ELEM(tests), own, N_ELEM(own));
}
