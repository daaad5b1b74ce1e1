// SPDX-License-Identifier: GPL-2.0
/*
 * More of what a program does with a socket: waiting and signals, descriptors
 * that wander, marks and priorities, times, peers that are gone. On connections
 * of a host to itself.
 *
 *   sockmore ADDR		ADDR is a node address of this namespace
 *
 * Prints TAP. Needs no plane, but CAP_NET_ADMIN.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <time.h>	/* for linux/errqueue.h */
#include <err.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/mrc_diag.h>
#include <linux/net_tstamp.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "socktest.h"

static bool shaped;

/* What lo does to packets, or NULL: nothing. */
static void lo_qdisc(const char *what)
{
	char cmd[160];

	snprintf(cmd, sizeof(cmd), "tc qdisc %s dev lo root %s",
		 what ? "add" : "del", what ?: "");
	CHECK_EQ(system(cmd), 0);
	shaped = what;
}

static void clean_all(void)
{
	clean();
	if (shaped && system("tc qdisc del dev lo root"))
		err(1, "tc");
	shaped = false;
}

static unsigned long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

static void set_time(int fd, int name, int ms)
{
	struct timeval tv = { .tv_sec = ms / 1000,
			      .tv_usec = ms % 1000 * 1000 };

	CHECK_EQ(setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)), 0);
}

/* --- signals, time-outs, other threads ------------------------------------- */

static void on_signal(int sig)
{
}

/* A SIGALRM every 20 ms. */
static void signals(int on, int flags)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = flags };
	struct itimerval t = { .it_interval.tv_usec = on ? 20000 : 0,
			       .it_value.tv_usec = on ? 20000 : 0 };

	if (!on)
		sa.sa_handler = SIG_DFL;
	CHECK_EQ(setitimer(ITIMER_REAL, &t, NULL), 0);
	CHECK_EQ(sigaction(SIGALRM, &sa, NULL), 0);
}

static void test_signal_recv(void)
{
	int a, b, lfd = listener(SOCK_STREAM);
	char c[10];

	pair(SOCK_STREAM, &a, &b);
	signals(1, 0);
	CHECK_ERR(recv(b, c, sizeof(c), 0), EINTR);
	CHECK_ERR(recv(b, c, sizeof(c), MSG_WAITALL), EINTR);
	CHECK_ERR(accept(lfd, NULL, NULL), EINTR);
	/* What is there when it comes, and nothing is lost. */
	CHECK_EQ(send(a, "abc", 3, 0), 3);
	CHECK_EQ(recv(b, c, sizeof(c), MSG_WAITALL), 3);
	signals(0, 0);
	CHECK_EQ(send(a, "d", 1, 0), 1);
	CHECK_EQ(recv(b, c, sizeof(c), 0), 1);
}

struct late {
	int fd;
	const char *data;
	int how;		/* of shutdown(), or -1 */
};

static void *do_late(void *arg)
{
	struct timespec t = { .tv_nsec = 100000000 };
	struct late *late = arg;
	const char *p;

	nanosleep(&t, NULL);
	for (p = late->data; *p; p++)
		send(late->fd, p, 1, 0);
	if (late->how >= 0)
		shutdown(late->fd, late->how);
	return NULL;
}

static void test_signal_restart(void)
{
	struct late late = { .data = "0123456789", .how = -1 };
	sigset_t set, old;
	pthread_t t;
	char c[10];
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	late.fd = a;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, &old);
	CHECK_EQ(pthread_create(&t, NULL, do_late, &late), 0);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signals(1, SA_RESTART);
	CHECK_EQ(recv(b, c, 1, 0), 1);
	signals(0, 0);
	CHECK_EQ(recv(b, c + 1, sizeof(c) - 1, MSG_WAITALL), sizeof(c) - 1);
	pthread_join(t, NULL);
}

static void test_rcvlowat(void)
{
	struct late late = { .data = "2345", .how = -1 };
	pthread_t t;
	char c[10];
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	late.fd = a;
	set_int(b, SOL_SOCKET, SO_RCVLOWAT, 4);
	CHECK_EQ(send(a, "1", 1, 0), 1);
	CHECK_EQ(pthread_create(&t, NULL, do_late, &late), 0);
	CHECK(recv(b, c, sizeof(c), 0) >= 4);
	CHECK(!memcmp(c, "1234", 4));
	pthread_join(t, NULL);
	/* Less is enough if no more can come. */
	late.data = "";
	late.how = SHUT_WR;
	CHECK_EQ(recv(b, c, sizeof(c), MSG_DONTWAIT | MSG_PEEK) > 0 ?
		 recv(b, c, sizeof(c), MSG_DONTWAIT) > 0 : 1, 1);
	CHECK_EQ(send(a, "x", 1, 0), 1);
	CHECK_EQ(pthread_create(&t, NULL, do_late, &late), 0);
	CHECK_EQ(recv(b, c, sizeof(c), 0), 1);
	pthread_join(t, NULL);
}

/* Another thread says that there will be nothing more to read. */
static void test_shutdown_wakes(void)
{
	struct late late = { .data = "", .how = SHUT_RD };
	pthread_t t;
	char c;
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	late.fd = b;
	CHECK_EQ(pthread_create(&t, NULL, do_late, &late), 0);
	CHECK_EQ(recv(b, &c, 1, 0), 0);
	pthread_join(t, NULL);
	a = listener(SOCK_STREAM);
	late.fd = a;
	CHECK_EQ(pthread_create(&t, NULL, do_late, &late), 0);
	CHECK_ERR(accept(a, NULL, NULL), EINVAL);
	pthread_join(t, NULL);
}

static void test_sndtimeo(void)
{
	static char buf[65536];
	unsigned long long start;
	int a, b, n;

	pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_SOCKET, SO_SNDBUF, 100000);
	set_time(a, SO_SNDTIMEO, 100);
	do {
		start = now_ms();
		n = send(a, buf, sizeof(buf), 0);
	} while (n == sizeof(buf));
	if (n >= 0) {
		/* A part went in, and then time was up. */
		start = now_ms();
		n = send(a, buf, sizeof(buf), 0);
	}
	CHECK_ERR(n, EAGAIN);
	CHECK(now_ms() - start >= 90);
}

static void test_sigio(void)
{
	int a, b, sig;
	sigset_t set;

	pair(SOCK_STREAM, &a, &b);
	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	sigprocmask(SIG_BLOCK, &set, NULL);
	CHECK_EQ(fcntl(b, F_SETOWN, getpid()), 0);
	CHECK_EQ(fcntl(b, F_SETFL, O_ASYNC | O_NONBLOCK), 0);
	CHECK_EQ(send(a, "x", 1, 0), 1);
	CHECK_EQ(sigwait(&set, &sig), 0);
	CHECK_EQ(sig, SIGIO);
	CHECK_EQ(fcntl(b, F_SETFL, 0), 0);
	signal(SIGIO, SIG_IGN);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* --- descriptors that wander ----------------------------------------------- */

/* The connection lives as long as one descriptor of it does. */
static void test_dup(void)
{
	int a, b, again;
	char c;

	pair(SOCK_STREAM, &a, &b);
	again = keep(dup(a));
	CHECK(again >= 0);
	close(a);
	CHECK_EQ(send(again, "x", 1, 0), 1);
	CHECK_EQ(recv(b, &c, 1, 0), 1);
	CHECK_EQ(events(b, 0), POLLOUT);
	close(again);
	CHECK_EQ(recv(b, &c, 1, 0), 0);
}

static void test_fork(void)
{
	int a, b, status;
	pid_t pid;
	char c;

	pair(SOCK_STREAM, &a, &b);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		_exit(recv(b, &c, 1, 0) != 1 || send(b, &c, 1, 0) != 1);
	close(b);
	CHECK_EQ(send(a, "y", 1, 0), 1);
	CHECK_EQ(recv(a, &c, 1, 0), 1);
	CHECK_EQ(c, 'y');
	CHECK_EQ(recv(a, &c, 1, 0), 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void test_pass(void)
{
	union {
		struct cmsghdr h;
		char buf[CMSG_SPACE(sizeof(int))];
	} u = { .h = { .cmsg_len = CMSG_LEN(sizeof(int)),
		       .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	char c = 'z';
	struct iovec iov = { .iov_base = &c, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = &u, .msg_controllen = sizeof(u) };
	int a, b, un[2], got;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, un), 0);
	keep(un[0]);
	keep(un[1]);
	*(int *)CMSG_DATA(&u.h) = b;
	CHECK_EQ(sendmsg(un[0], &msg, 0), 1);
	close(b);
	CHECK_EQ(send(a, "w", 1, 0), 1);
	CHECK_EQ(recvmsg(un[1], &msg, 0), 1);
	got = keep(*(int *)CMSG_DATA(&u.h));
	CHECK_EQ(recv(got, &c, 1, 0), 1);
	CHECK_EQ(c, 'w');
	/* But it passes no descriptors itself. */
	CHECK_ERR(sendmsg(a, &msg, 0), EINVAL);
}

/* --- marks and priorities -------------------------------------------------- */

/* A packet socket on lo that sees what has the mark. */
static int marked(unsigned int mark)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF + SKF_AD_MARK),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, mark, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0xffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = { .len = 4, .filter = code };
	struct sockaddr_ll ll = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = if_nametoindex("lo") };
	int fd = keep(socket(AF_PACKET, SOCK_RAW, 0));

	CHECK(fd >= 0);
	CHECK_EQ(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog,
			    sizeof(prog)), 0);
	CHECK_EQ(bind(fd, (void *)&ll, sizeof(ll)), 0);
	return fd;
}

static void test_mark(void)
{
	int a, b, fd = marked(0x4d52), i, data = 0;
	char buf[4096];
	ssize_t n;

	pair(SOCK_STREAM, &a, &b);
	CHECK_ERR(recv(fd, buf, sizeof(buf), MSG_DONTWAIT), EAGAIN);
	set_int(a, SOL_SOCKET, SO_MARK, 0x4d52);
	CHECK_EQ(send(a, "a text that is looked for", 25, 0), 25);
	for (i = 0; i < 8 && !data; i++) {
		events(fd, POLLIN);
		n = recv(fd, buf, sizeof(buf), 0);
		data = n > 0 && memmem(buf, n, "looked for", 10);
	}
	CHECK(data);
	/* The marks of the acknowledgment are the other end's. */
	CHECK_EQ(get_int(b, SOL_SOCKET, SO_MARK), 0);
}

/* Packets that a class of the qdisc on lo has seen. */
static long in_class(const char *class)
{
	char line[256], parent[32];
	long n = -1;
	FILE *f = popen("tc -s qdisc show dev lo", "r");
	bool here = false;

	CHECK(f);
	snprintf(parent, sizeof(parent), " parent %s ", class);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "qdisc", 5))
			here = strstr(line, parent);
		else if (here && n < 0)
			sscanf(line, " Sent %*d bytes %ld pkt", &n);
	}
	pclose(f);
	CHECK(n >= 0);
	return n;
}

static void test_priority(void)
{
	int a, b, i;
	char c;

	lo_qdisc("handle 1: prio bands 2 priomap 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0");
	CHECK_EQ(system("tc qdisc add dev lo parent 1:2 handle 2: pfifo"), 0);
	pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_MRC, MRC_NODELAY, 1);
	CHECK_EQ(in_class("1:2"), 0);
	set_int(a, SOL_SOCKET, SO_PRIORITY, 5);
	for (i = 0; i < 10; i++) {
		CHECK_EQ(send(a, "x", 1, 0), 1);
		CHECK_EQ(recv(b, &c, 1, 0), 1);
	}
	/* what is sent again counts too */
	CHECK(in_class("1:2") >= 10);
}

/* --- times ----------------------------------------------------------------- */

struct times {
	struct timespec at;
	struct sock_extended_err err;
	bool has_at, has_err;
};

static struct times parse_times(struct msghdr *msg)
{
	struct times t = {};
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == SOL_SOCKET &&
		    (c->cmsg_type == SCM_TIMESTAMPING ||
		     c->cmsg_type == SCM_TIMESTAMPNS)) {
			memcpy(&t.at, CMSG_DATA(c), sizeof(t.at));
			t.has_at = true;
		} else if (c->cmsg_level == SOL_MRC &&
			   c->cmsg_type == MRC_RECVERR) {
			memcpy(&t.err, CMSG_DATA(c), sizeof(t.err));
			t.has_err = true;
		}
	}
	return t;
}

static struct times receive_times(int fd, size_t len, int flags, ssize_t want)
{
	char control[256], data[64];
	struct iovec iov = { .iov_base = data, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };

	CHECK_EQ(recvmsg(fd, &msg, flags), want);
	CHECK(!(msg.msg_flags & MSG_CTRUNC));
	return parse_times(&msg);
}

/* What the error queue says next. */
static void expect_report(int fd, unsigned int what, unsigned int key)
{
	struct times t;

	CHECK(events(fd, POLLERR) & POLLERR);
	t = receive_times(fd, 0, MSG_ERRQUEUE, 0);
	CHECK(t.has_at && t.has_err);
	CHECK_EQ(t.err.ee_errno, ENOMSG);
	CHECK_EQ(t.err.ee_origin, SO_EE_ORIGIN_TIMESTAMPING);
	CHECK_EQ(t.err.ee_info, what);
	CHECK_EQ(t.err.ee_data, key);
	CHECK(t.at.tv_sec > 0);
}

static const int tx_flags = SOF_TIMESTAMPING_SOFTWARE |
	SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;

static void test_tx_times(void)
{
	char c[16];
	int a, b, i;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(send(a, "before", 6, 0), 6);
	CHECK_EQ(recv(b, c, 6, MSG_WAITALL), 6);
	set_int(a, SOL_SOCKET, SO_TIMESTAMPING, tx_flags |
		SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_SOFTWARE |
		SOF_TIMESTAMPING_TX_ACK);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(send(a, "hello", 5, 0), 5);
		expect_report(a, SCM_TSTAMP_SCHED, 5 * i + 4);
		expect_report(a, SCM_TSTAMP_SND, 5 * i + 4);
		expect_report(a, SCM_TSTAMP_ACK, 5 * i + 4);
		CHECK_EQ(recv(b, c, 5, MSG_WAITALL), 5);
	}
	CHECK_ERR(recv(a, c, 1, MSG_ERRQUEUE), EAGAIN);
	CHECK_EQ(events(a, 0), POLLOUT);
	CHECK_EQ(get_int(a, SOL_SOCKET, SO_ERROR), 0);
}

static void test_tx_times_messages(void)
{
	int a, b, i;

	pair(SOCK_SEQPACKET, &a, &b);
	set_int(a, SOL_SOCKET, SO_TIMESTAMPING,
		tx_flags | SOF_TIMESTAMPING_TX_ACK);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(send(a, "hello", i, 0), i);
		expect_report(a, SCM_TSTAMP_ACK, i);
	}
}

/* Of one call alone. */
static void test_tx_times_cmsg(void)
{
	union {
		struct cmsghdr h;
		char buf[CMSG_SPACE(sizeof(int))];
	} u = { .h = { .cmsg_len = CMSG_LEN(sizeof(int)),
		       .cmsg_level = SOL_SOCKET,
		       .cmsg_type = SO_TIMESTAMPING } };
	struct iovec iov = { .iov_base = "abc", .iov_len = 3 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = &u, .msg_controllen = sizeof(u) };
	int a, b;
	char c;

	pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_SOCKET, SO_TIMESTAMPING, tx_flags);
	CHECK_EQ(send(a, "abc", 3, 0), 3);
	*(int *)CMSG_DATA(&u.h) = SOF_TIMESTAMPING_TX_ACK;
	CHECK_EQ(sendmsg(a, &msg, 0), 3);
	expect_report(a, SCM_TSTAMP_ACK, 5);
	CHECK_ERR(recv(a, &c, 1, MSG_ERRQUEUE), EAGAIN);
	*(int *)CMSG_DATA(&u.h) = SOF_TIMESTAMPING_RX_SOFTWARE;
	CHECK_ERR(sendmsg(a, &msg, 0), EINVAL);
}

static void rx_times(int type)
{
	struct timespec start, end;
	struct times t;
	int a, b;

	pair(type, &a, &b);
	set_int(b, SOL_SOCKET, SO_TIMESTAMPING, SOF_TIMESTAMPING_SOFTWARE |
		SOF_TIMESTAMPING_RX_SOFTWARE);
	clock_gettime(CLOCK_REALTIME, &start);
	CHECK_EQ(send(a, "hello", 5, 0), 5);
	events(b, POLLIN);
	clock_gettime(CLOCK_REALTIME, &end);
	t = receive_times(b, 5, 0, 5);
	CHECK(t.has_at);
	CHECK(t.at.tv_sec >= start.tv_sec && t.at.tv_sec <= end.tv_sec);
	CHECK(t.at.tv_sec > start.tv_sec || t.at.tv_nsec >= start.tv_nsec);
	/* It is when it came and not when it was read. */
	CHECK(t.at.tv_sec < end.tv_sec || t.at.tv_nsec <= end.tv_nsec);
	set_int(b, SOL_SOCKET, SO_TIMESTAMPING, 0);
	set_int(b, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	CHECK_EQ(send(a, "hello", 5, 0), 5);
	t = receive_times(b, 5, 0, 5);
	CHECK(t.has_at);
	set_int(b, SOL_SOCKET, SO_TIMESTAMPNS, 0);
	CHECK_EQ(send(a, "hello", 5, 0), 5);
	CHECK(!receive_times(b, 5, 0, 5).has_at);
}

static void test_rx_times(void)
{
	rx_times(SOCK_STREAM);
	rx_times(SOCK_SEQPACKET);
}

/* --- events and peers that are gone ---------------------------------------- */

static void test_epoll(void)
{
	const unsigned int in = EPOLLIN | EPOLLOUT | EPOLLRDHUP;
	struct linger l = { .l_onoff = 1 };
	struct epoll_event ev = { .events = in }, got;
	int a, b, ep = keep(epoll_create1(0));

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, a, &ev), 0);
	CHECK_EQ(epoll_wait(ep, &got, 1, WAIT_MS), 1);
	CHECK_EQ(got.events, EPOLLOUT);
	CHECK_EQ(shutdown(b, SHUT_WR), 0);
	events(a, POLLRDHUP);
	CHECK_EQ(epoll_wait(ep, &got, 1, WAIT_MS), 1);
	CHECK_EQ(got.events, in);
	CHECK_EQ(setsockopt(b, SOL_SOCKET, SO_LINGER, &l, sizeof(l)), 0);
	close(b);
	events(a, POLLERR);
	CHECK_EQ(epoll_wait(ep, &got, 1, WAIT_MS), 1);
	CHECK_EQ(got.events, in | EPOLLERR | EPOLLHUP);
	CHECK_EQ(get_int(a, SOL_SOCKET, SO_ERROR), EPIPE);
	CHECK_EQ(epoll_wait(ep, &got, 1, WAIT_MS), 1);
	CHECK_EQ(got.events, in | EPOLLHUP);
}

static void test_names_at_the_end(void)
{
	struct linger l = { .l_onoff = 1 };
	struct sockaddr_mrc name;
	socklen_t len = sizeof(name);
	int a, b, port;

	pair(SOCK_STREAM, &a, &b);
	port = port_of(b);
	CHECK_EQ(shutdown(b, SHUT_WR), 0);
	events(a, POLLRDHUP);
	CHECK_EQ(getpeername(a, (void *)&name, &len), 0);
	CHECK_EQ(ntohs(name.smrc_port), port);
	CHECK_EQ(setsockopt(b, SOL_SOCKET, SO_LINGER, &l, sizeof(l)), 0);
	close(b);
	events(a, POLLHUP);
	CHECK_ERR(getpeername(a, (void *)&name, &len), ENOTCONN);
	CHECK(port_of(a) > 0);
}

/* No answer any more: what is written must arrive within the time given. */
static void test_user_timeout(void)
{
	unsigned long long start;
	int a, b;
	char c;

	pair(SOCK_STREAM, &a, &b);
	set_int(a, SOL_MRC, MRC_USER_TIMEOUT, 400);
	lo_qdisc("netem loss 100%");
	start = now_ms();
	CHECK_EQ(send(a, "x", 1, 0), 1);
	CHECK(events(a, POLLHUP) & POLLERR);
	CHECK(now_ms() - start >= 390);
	CHECK_ERR(recv(a, &c, 1, 0), ETIMEDOUT);
	CHECK_EQ(recv(a, &c, 1, 0), 0);
}

/* The same without anything to send: 10 s of silence, then probes. */
static void test_keepalive(void)
{
	struct pollfd p = { .events = POLLIN };
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(get_int(a, SOL_SOCKET, SO_KEEPALIVE), 0);
	set_int(a, SOL_SOCKET, SO_KEEPALIVE, 1);
	CHECK_EQ(get_int(a, SOL_SOCKET, SO_KEEPALIVE), 1);
	set_int(a, SOL_MRC, MRC_USER_TIMEOUT, 400);
	set_int(b, SOL_MRC, MRC_USER_TIMEOUT, 400);
	lo_qdisc("netem loss 100%");
	p.fd = a;
	CHECK_EQ(poll(&p, 1, 60000), 1);
	CHECK_EQ(get_int(a, SOL_SOCKET, SO_ERROR), ETIMEDOUT);
	/* Who did not ask for it knows nothing. */
	CHECK_EQ(events(b, 0), POLLOUT);
}

/* --- sock_diag ------------------------------------------------------------- */

struct diag_ask {
	struct nlmsghdr h;
	struct mrc_diag_req req;
};

static int diag_open(void)
{
	int fd = keep(socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG));

	CHECK(fd >= 0);
	return fd;
}

static void diag_ask(int fd, struct mrc_diag_req req, int flags)
{
	struct diag_ask ask = {
		.h = { .nlmsg_len = sizeof(ask),
		       .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		       .nlmsg_flags = NLM_F_REQUEST | flags },
		.req = req,
	};

	CHECK_EQ(send(fd, &ask, sizeof(ask), 0), sizeof(ask));
}

/* The errno of an answer that is none. */
static int diag_error(struct mrc_diag_req req, int flags)
{
	struct {
		struct nlmsghdr h;
		struct nlmsgerr err;
		char rest[256];
	} answer;
	int fd = diag_open();

	diag_ask(fd, req, flags);
	CHECK(recv(fd, &answer, sizeof(answer), 0) >= (int)NLMSG_LENGTH(sizeof(int)));
	CHECK_EQ(answer.h.nlmsg_type, NLMSG_ERROR);
	return -answer.err.error;
}

/* The socket with this inode, of those in one of the states. Return: the
 * length of its attributes, -1 if it is not there.
 */
static int diag_find(unsigned int states, unsigned int show, ino_t ino,
		     struct mrc_diag_msg *msg, char *attrs, size_t size)
{
	struct mrc_diag_req req = { .sdiag_family = AF_MRC,
		.mdiag_states = states, .mdiag_show = show };
	int fd = diag_open(), found = -1, n;
	static char buf[32768];
	struct mrc_diag_msg m;
	struct nlmsghdr *h;

	diag_ask(fd, req, NLM_F_DUMP);
	for (;;) {
		n = recv(fd, buf, sizeof(buf), 0);
		CHECK(n > 0);
		for (h = (void *)buf; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_DONE)
				return found;
			CHECK_EQ(h->nlmsg_type, SOCK_DIAG_BY_FAMILY);
			CHECK(h->nlmsg_len >= NLMSG_LENGTH(sizeof(m)));
			memcpy(&m, NLMSG_DATA(h), sizeof(m));
			CHECK(states & 1U << m.mdiag_state);
			if (m.mdiag_ino != ino)
				continue;
			CHECK_EQ(found, -1);
			found = h->nlmsg_len - NLMSG_LENGTH(sizeof(m));
			CHECK((size_t)found <= size);
			memcpy(attrs, (char *)h + NLMSG_LENGTH(sizeof(m)),
			       found);
			*msg = m;
		}
	}
}

static ino_t inode(int fd)
{
	struct stat st;

	CHECK_EQ(fstat(fd, &st), 0);
	return st.st_ino;
}

static void test_diag(void)
{
	unsigned long long cookie;
	socklen_t len = sizeof(cookie);
	struct mrc_diag_msg m;
	struct nlattr attr;
	char attrs[4096];
	int a, b, lfd, i;

	pair(SOCK_STREAM, &a, &b);
	lfd = listener(SOCK_SEQPACKET);
	/* many, so that one message does not hold them */
	for (i = 0; i < 100; i++)
		CHECK_EQ(do_bind(sock(SOCK_STREAM), at(0)), 0);
	CHECK_EQ(send(b, "abc", 3, 0), 3);
	CHECK_EQ(shutdown(b, SHUT_WR), 0);
	events(a, POLLRDHUP);
	CHECK_EQ(diag_find(~0U, 1, inode(a), &m, attrs, sizeof(attrs)),
		 NLA_ALIGN(sizeof(attr) + sizeof(struct mrc_info)));
	CHECK_EQ(m.mdiag_family, AF_MRC);
	CHECK_EQ(m.mdiag_type, SOCK_STREAM);
	CHECK_EQ(m.mdiag_state, MRC_STATE_PEER_FIN);
	CHECK_EQ(m.mdiag_shutdown, 1);
	CHECK_EQ(ntohs(m.mdiag_sport), port_of(a));
	CHECK_EQ(ntohs(m.mdiag_dport), port_of(b));
	CHECK(!memcmp(&m.mdiag_src, &node, sizeof(node)));
	CHECK(!memcmp(&m.mdiag_dst, &node, sizeof(node)));
	CHECK_EQ(m.mdiag_rqueue, 3);
	CHECK_EQ(m.mdiag_uid, getuid());
	CHECK_EQ(getsockopt(a, SOL_SOCKET, SO_COOKIE, &cookie, &len), 0);
	CHECK_EQ(m.mdiag_cookie[0], (unsigned int)cookie);
	CHECK_EQ(m.mdiag_cookie[1], cookie >> 32);
	memcpy(&attr, attrs, sizeof(attr));
	CHECK_EQ(attr.nla_type, MRC_DIAG_INFO);
	CHECK(diag_find(1 << MRC_STATE_ESTABLISHED, 0, inode(a), &m, attrs,
			sizeof(attrs)) < 0);
	CHECK_EQ(diag_find(1 << MRC_STATE_LISTEN, 0, inode(lfd), &m, attrs,
			   sizeof(attrs)), 0);
	CHECK_EQ(m.mdiag_type, SOCK_SEQPACKET);
	CHECK_EQ(m.mdiag_wqueue, 16);
}

static void test_diag_input(void)
{
	struct mrc_diag_req req = { .sdiag_family = AF_MRC };

	CHECK_EQ(diag_error(req, 0), EOPNOTSUPP);
	req.sdiag_protocol = 1;
	CHECK_EQ(diag_error(req, NLM_F_DUMP), EINVAL);
	req.sdiag_protocol = 0;
	req.mdiag_pad = 1;
	CHECK_EQ(diag_error(req, NLM_F_DUMP), EINVAL);
	req.mdiag_pad = 0;
	req.mdiag_show = 1 << MRC_DIAG_MAX;
	CHECK_EQ(diag_error(req, NLM_F_DUMP), EINVAL);
}

/* --- options without an effect --------------------------------------------- */

static void test_refused(void)
{
	static const int names[] = {
		SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF,
		SO_ATTACH_REUSEPORT_EBPF, SO_MAX_PACING_RATE, SO_RCVMARK,
		SO_TXTIME,
	};
	int fd = sock(SOCK_STREAM);
	char val[16] = {};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		CHECK_ERR(setsockopt(fd, SOL_SOCKET, names[i], val,
				     sizeof(val)), EOPNOTSUPP);
	CHECK_EQ(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "", 0), 0);
	CHECK_ERR(ioctl(fd, SIOCATMARK, val), ENOTTY);
}

#define T(name, fn)	{ name, fn }

static const struct ktap tests[] = {
	T("signals: interrupted calls", test_signal_recv),
	T("signals: SA_RESTART", test_signal_restart),
	T("recv: SO_RCVLOWAT", test_rcvlowat),
	T("shutdown: wakes who sleeps", test_shutdown_wakes),
	T("send: SO_SNDTIMEO", test_sndtimeo),
	T("O_ASYNC: SIGIO", test_sigio),
	T("dup: the last one closes", test_dup),
	T("fork: the child goes on", test_fork),
	T("SCM_RIGHTS: a connection is passed on", test_pass),
	T("SO_MARK: is in the packets", test_mark),
	T("SO_PRIORITY: is in the packets", test_priority),
	T("SO_TIMESTAMPING: sent, acknowledged", test_tx_times),
	T("SO_TIMESTAMPING: messages", test_tx_times_messages),
	T("SO_TIMESTAMPING: of one call", test_tx_times_cmsg),
	T("SO_TIMESTAMPING: received", test_rx_times),
	T("epoll: half closed, reset", test_epoll),
	T("getpeername: at the end", test_names_at_the_end),
	T("MRC_USER_TIMEOUT: no answer", test_user_timeout),
	T("SO_KEEPALIVE: no answer", test_keepalive),
	T("sock_diag: sockets are found", test_diag),
	T("sock_diag: bad requests", test_diag_input),
	T("options: without an effect", test_refused),
};

int main(int argc, char **argv)
{
	if (argc != 2 || inet_pton(AF_INET6, argv[1], &node) != 1)
		errx(2, "usage: sockmore NODE-ADDRESS");
	signal(SIGPIPE, SIG_IGN);
	return ktap_run(tests, sizeof(tests) / sizeof(*tests), clean_all);
}
