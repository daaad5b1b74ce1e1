// SPDX-License-Identifier: GPL-2.0
/*
 * Moves data over MRC connections, checks it and says what came of it.
 *
 *   mrcx -l ADDR PORT [OPTION]...	accept connections
 *   mrcx -c ADDR PORT [OPTION]...	make connections
 *
 *   -t stream|seq	socket type (stream)
 *   -n N		connections, all at once (1)
 *   -s BYTES		send so much of a known pattern on each; k, m, g
 *   -i FILE		send a file instead (-n 1)
 *   -o FILE		write what comes to a file (-n 1)
 *   -v			check that the known pattern comes
 *   -e			echo: send back what comes
 *   -a			answer: send only after the peer's end of stream
 *   -C BYTES		size of writes and messages (65536), ~N random, 1 .. N
 *   -m block|poll|lt|et	blocking with two threads (-n 1), poll,
 *			epoll level-triggered, epoll edge-triggered (et)
 *   -q BYTES		close after receiving so much, whatever else comes
 *   -x BYTES:COMMAND	run COMMAND with a shell when so much has come
 *   -z			hold: close only when standard input ends
 *   -S SEED		of pattern and sizes (1)
 *   -B ADDR[,PORT]	bind before connecting
 *   -W BYTES		SO_SNDBUF and SO_RCVBUF
 *   -T MS		MRC_USER_TIMEOUT
 *   -P NAME		MRC_EV_PROFILE
 *   -L SECONDS		SO_LINGER, 0 aborts
 *   -w SECONDS		give up (60)
 *   -E ERROR		success is to fail with this error, ECONNRESET, say
 *   -I			show MRC_INFO of each connection before it is closed
 *
 * "listening" and "connected" are printed when that is so. The last line says
 * "ok" or "fail" and counts. Each side sends, ends its direction, and closes
 * once the peer has ended the other. Exit status: 0, 1 failed, 2 usage.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mrc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BACKLOG		4096

enum mode { MODE_BLOCK, MODE_POLL, MODE_LT, MODE_ET };

static struct {
	bool listen, seq, verify, echo, answer, hold, info, random, quits;
	unsigned int n, seed, user_timeout;
	uint64_t send, quit, hook_at;
	size_t chunk;
	enum mode mode;
	const char *in, *out, *hook, *expect, *profile;
	int linger, buffer, limit;
	bool bound;
	struct sockaddr_mrc addr, bind;
} o = {
	.n = 1, .seed = 1, .chunk = 65536, .mode = MODE_ET, .linger = -1,
	.limit = 60,
};

/**
 * struct conn - a connection
 * @buf: what is being sent: [@off, @len)
 * @tx, @rx: bytes so far
 * @tx_msgs, @rx_msgs: messages or writes and reads so far
 * @rx_short: a message was shorter than expected: it must be the last
 */
struct conn {
	int		fd, in, out;
	bool		connected, tx_done, rx_done, rx_short;
	unsigned char	*buf, *rbuf;
	size_t		off, len;
	uint64_t	tx, rx, tx_msgs, rx_msgs;
	uint32_t	events;
};

static struct conn *conns;
static unsigned int opened, closed;
static uint64_t total_tx, total_rx, total_tx_msgs, total_rx_msgs;
static struct timespec started;
static pid_t hook_pid;
static pthread_mutex_t fail_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- results --------------------------------------------------------------- */

static double elapsed_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - started.tv_sec) * 1e3 +
	       (now.tv_nsec - started.tv_nsec) / 1e6;
}

static void result(const char *verdict)
{
	unsigned int i;

	for (i = 0; conns && i < o.n; i++) {
		total_tx += conns[i].tx;
		total_rx += conns[i].rx;
		total_tx_msgs += conns[i].tx_msgs;
		total_rx_msgs += conns[i].rx_msgs;
	}
	printf("%s conns=%u tx=%llu rx=%llu tx_msgs=%llu rx_msgs=%llu ms=%.1f",
	       verdict, closed, (unsigned long long)total_tx,
	       (unsigned long long)total_rx,
	       (unsigned long long)total_tx_msgs,
	       (unsigned long long)total_rx_msgs, elapsed_ms());
}

/* The end, if it is not the one hoped for. */
static void __attribute__((noreturn)) fail(const char *what, int error)
{
	const char *name = error ? strerrorname_np(error) : "none";
	bool good = o.expect && name && !strcmp(o.expect, name);

	/* The other thread may have failed at the same moment. */
	pthread_mutex_lock(&fail_lock);
	result(good ? "ok" : "fail");
	printf(" at=%s errno=%s\n", what, name ?: "unknown");
	fflush(stdout);
	_exit(!good);
}

static void on_alarm(int sig)
{
	static const char text[] = "fail at=limit errno=ETIME\n";

	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(3);
	_exit(1);
}

/* --- the pattern ----------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static void pattern(unsigned char *p, uint64_t at, size_t n)
{
	uint64_t word = 0;
	size_t i;

	for (i = 0; i < n; i++, at++) {
		if (!i || !(at & 7))
			word = mix(at / 8 + ((uint64_t)o.seed << 40));
		p[i] = word >> (8 * (at & 7));
	}
}

/* Size of write or message number @k: both sides know it. */
static size_t chunk_of(uint64_t k)
{
	return o.random ? 1 + mix(k ^ ~(uint64_t)o.seed) % o.chunk : o.chunk;
}

static void check(struct conn *c, size_t n)
{
	static __thread unsigned char *want;
	size_t i;

	if (!want)
		want = malloc(o.chunk);
	pattern(want, c->rx, n);
	if (!memcmp(want, c->rbuf, n))
		return;
	for (i = 0; want[i] == c->rbuf[i]; i++)
		;
	printf("wrong byte at %llu\n", (unsigned long long)(c->rx + i));
	fail("verify", EBADMSG);
}

/* --- one connection -------------------------------------------------------- */

static void conn_open(struct conn *c, int fd)
{
	struct linger linger = { .l_onoff = 1, .l_linger = o.linger };

	c->fd = fd;
	c->in = -1;
	c->out = -1;
	c->buf = malloc(o.chunk);
	c->rbuf = malloc(o.chunk);
	if (!c->buf || !c->rbuf)
		err(1, "malloc");
	if (o.in)
		c->in = open(o.in, O_RDONLY);
	if (o.in && c->in < 0)
		err(1, "%s", o.in);
	if (o.out)
		c->out = open(o.out, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (o.out && c->out < 0)
		err(1, "%s", o.out);
	if (o.linger >= 0 && setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger,
					sizeof(linger)))
		err(1, "SO_LINGER");
	opened++;
}

static void conn_info(const struct conn *c)
{
	struct mrc_info i = {};
	socklen_t len = sizeof(i);

	if (getsockopt(c->fd, SOL_MRC, MRC_INFO, &i, &len))
		err(1, "MRC_INFO");
	printf("info state=%u qpn=%u packet_size=%u planes=%#x ",
	       i.mrc_info_state, i.mrc_info_qpn, i.mrc_info_packet_size,
	       i.mrc_info_planes);
	printf("planes_good=%#x sent=%llu rtx=%llu rcvd=%llu dup=%llu ooo=%llu srtt=%u\n",
	       i.mrc_info_planes_good,
	       (unsigned long long)i.mrc_info_sent,
	       (unsigned long long)i.mrc_info_rtx,
	       (unsigned long long)i.mrc_info_rcvd,
	       (unsigned long long)i.mrc_info_dup,
	       (unsigned long long)i.mrc_info_ooo, i.mrc_info_srtt);
}

static void conn_close(struct conn *c)
{
	char end;

	if (o.info)
		conn_info(c);
	while (o.hold && read(STDIN_FILENO, &end, 1) > 0)
		;
	if (close(c->fd))
		fail("close", errno);
	c->fd = -1;
	free(c->buf);
	free(c->rbuf);
	if (c->in >= 0)
		close(c->in);
	if (c->out >= 0)
		close(c->out);
	closed++;
}

/* Fills c->buf with what is to be sent next. Return: false if nothing is. */
static bool conn_fill(struct conn *c)
{
	size_t n = chunk_of(c->tx_msgs);
	ssize_t got;

	if (o.echo)
		return c->off < c->len;
	if (o.answer && !c->rx_done)
		return false;
	c->off = 0;
	if (c->in >= 0) {
		got = read(c->in, c->buf, n);
		if (got < 0)
			err(1, "%s", o.in);
		c->len = got;
	} else {
		c->len = o.send - c->tx < n ? o.send - c->tx : n;
		pattern(c->buf, c->tx, c->len);
	}
	return c->len;
}

/* Is there nothing more to send, and not only for now? */
static bool conn_tx_ended(const struct conn *c)
{
	return (!o.echo && !o.answer) || c->rx_done;
}

/* Sends until it would block. */
static void conn_send(struct conn *c, int flags)
{
	ssize_t n;

	while (!c->tx_done) {
		if (c->off == c->len && !conn_fill(c)) {
			if (!conn_tx_ended(c))
				return;
			if (shutdown(c->fd, SHUT_WR))
				fail("shutdown", errno);
			c->tx_done = true;
			return;
		}
		n = send(c->fd, c->buf + c->off, c->len - c->off,
			 flags | MSG_NOSIGNAL | (o.seq ? MSG_EOR : 0));
		if (n < 0 && errno == EAGAIN && flags)
			return;
		if (n < 0)
			fail("send", errno);
		c->off += n;
		c->tx += n;
		if (c->off == c->len)
			c->tx_msgs++;
		else if (o.seq)
			fail("send-part", EMSGSIZE);
	}
}

static void conn_hook(const struct conn *c)
{
	if (!o.hook || c->rx < o.hook_at || hook_pid)
		return;
	hook_pid = fork();
	if (hook_pid < 0)
		err(1, "fork");
	if (hook_pid)
		return;
	execl("/bin/sh", "sh", "-c", o.hook, NULL);
	_exit(127);
}

/* What came: check it, keep it, give it back. */
static void conn_take(struct conn *c, size_t n)
{
	size_t want;

	if (o.verify && o.seq) {
		want = chunk_of(c->rx_msgs);
		/* Only the last one may be what is left. */
		if (n > want || c->rx_short)
			fail("message-size", EMSGSIZE);
		c->rx_short = n < want;
	}
	if (o.verify)
		check(c, n);
	if (c->out >= 0 && write(c->out, c->rbuf, n) != (ssize_t)n)
		err(1, "%s", o.out);
	if (o.echo) {
		memcpy(c->buf, c->rbuf, n);
		c->off = 0;
		c->len = n;
	}
	c->rx += n;
	c->rx_msgs++;
	conn_hook(c);
}

/* Receives until it would block. Return: false if the program is to quit. */
static bool conn_recv(struct conn *c, int flags)
{
	struct iovec iov = { .iov_base = c->rbuf };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	/* An echo is sent before more is read. */
	while (!c->rx_done && (!o.echo || c->off == c->len)) {
		iov.iov_len = o.seq ? o.chunk : chunk_of(c->rx_msgs);
		n = recvmsg(c->fd, &msg, flags);
		if (n < 0 && errno == EAGAIN && flags)
			break;
		if (n < 0)
			fail("recv", errno);
		if (!n && !(o.seq && msg.msg_flags & MSG_EOR)) {
			c->rx_done = true;
			break;
		}
		if (msg.msg_flags & MSG_TRUNC)
			fail("truncated", EMSGSIZE);
		conn_take(c, n);
		if (o.quits && c->rx >= o.quit)
			return false;
		if (o.echo)
			conn_send(c, flags);
	}
	return true;
}

/* --- sockets --------------------------------------------------------------- */

static int open_socket(void)
{
	int type = o.seq ? SOCK_SEQPACKET : SOCK_STREAM, one = 1, fd;

	if (o.mode != MODE_BLOCK)
		type |= SOCK_NONBLOCK;
	fd = socket(AF_MRC, type, 0);
	if (fd < 0)
		err(1, "socket");
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		err(1, "SO_REUSEADDR");
	if (o.buffer &&
	    (setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &o.buffer,
			sizeof(o.buffer)) ||
	     setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &o.buffer,
			sizeof(o.buffer))))
		err(1, "buffers");
	if (o.profile && setsockopt(fd, SOL_MRC, MRC_EV_PROFILE, o.profile,
				    strlen(o.profile)))
		err(1, "MRC_EV_PROFILE");
	if (o.user_timeout &&
	    setsockopt(fd, SOL_MRC, MRC_USER_TIMEOUT, &o.user_timeout,
		       sizeof(o.user_timeout)))
		err(1, "MRC_USER_TIMEOUT");
	return fd;
}

/* libc and its sanitizers know the length of no such address */
static int do_bind(int fd, const struct sockaddr_mrc *a)
{
	return syscall(SYS_bind, fd, a, sizeof(*a));
}

static int do_connect(int fd, const struct sockaddr_mrc *a)
{
	return syscall(SYS_connect, fd, a, sizeof(*a));
}

static void say(const char *what)
{
	puts(what);
	fflush(stdout);
}

static int start_listening(void)
{
	int fd = open_socket();

	if (do_bind(fd, &o.addr))
		fail("bind", errno);
	if (listen(fd, BACKLOG))
		fail("listen", errno);
	say("listening");
	return fd;
}

static int start_connecting(void)
{
	int fd = open_socket();

	if (o.bound && do_bind(fd, &o.bind))
		fail("bind", errno);
	if (do_connect(fd, &o.addr) && errno != EINPROGRESS)
		fail("connect", errno);
	return fd;
}

static void check_connected(struct conn *c)
{
	socklen_t len = sizeof(int);
	int error = 0;

	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &len))
		err(1, "SO_ERROR");
	if (error)
		fail("connect", error);
	c->connected = true;
	if (o.n == 1)
		say("connected");
}

/* --- events ---------------------------------------------------------------- */

static int epfd = -1;
static struct pollfd *pollfds;

static uint32_t wanted(const struct conn *c)
{
	uint32_t events = 0;

	if (!c->rx_done && (!o.echo || c->off == c->len))
		events |= POLLIN;
	if (!c->connected)
		events |= POLLOUT;
	if (!c->tx_done && (c->off < c->len ||
			    (!o.echo && (!o.answer || c->rx_done))))
		events |= POLLOUT;
	return events;
}

static void watch(unsigned int i, int op)
{
	struct epoll_event ev = { .data.u32 = i };
	struct conn *c = &conns[i];

	if (o.mode == MODE_ET)
		ev.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
	else
		ev.events = wanted(c);
	if (op == EPOLL_CTL_MOD && (o.mode == MODE_ET ||
				    ev.events == c->events))
		return;
	c->events = ev.events;
	if (o.mode == MODE_POLL)
		pollfds[i] = (struct pollfd) { .fd = c->fd,
					       .events = ev.events };
	else if (epoll_ctl(epfd, op, c->fd, &ev))
		err(1, "epoll_ctl");
}

static void step(unsigned int i, uint32_t events)
{
	struct conn *c = &conns[i];
	bool quit = false;

	if (c->fd < 0)
		return;
	if (!c->connected && events & (POLLOUT | POLLERR | POLLHUP))
		check_connected(c);
	if (!c->connected)
		return;
	conn_send(c, MSG_DONTWAIT);
	quit = !conn_recv(c, MSG_DONTWAIT);
	/* What was waiting for the end of what comes. */
	conn_send(c, MSG_DONTWAIT);
	if (quit || (c->tx_done && c->rx_done)) {
		if (o.mode == MODE_POLL)
			pollfds[i].fd = -1;
		conn_close(c);
	} else {
		watch(i, EPOLL_CTL_MOD);
	}
}

static void accept_all(int lfd)
{
	struct sockaddr_mrc from;
	socklen_t len;
	int fd;

	while (opened < o.n) {
		len = sizeof(from);
		fd = accept4(lfd, (void *)&from, &len, SOCK_NONBLOCK);
		if (fd < 0 && errno == EAGAIN)
			return;
		if (fd < 0)
			fail("accept", errno);
		if (len != sizeof(from) || from.smrc_family != AF_MRC)
			fail("accept-address", EAFNOSUPPORT);
		conn_open(&conns[opened], fd);
		conns[opened - 1].connected = true;
		watch(opened - 1, EPOLL_CTL_ADD);
		step(opened - 1, 0);
	}
}

static void poll_once(int lfd)
{
	unsigned int i;

	pollfds[o.n] = (struct pollfd) {
		.fd = opened < o.n ? lfd : -1, .events = POLLIN };
	if (poll(pollfds, o.n + 1, -1) < 0)
		err(1, "poll");
	if (pollfds[o.n].revents)
		accept_all(lfd);
	for (i = 0; i < opened; i++)
		if (pollfds[i].fd >= 0 && pollfds[i].revents)
			step(i, pollfds[i].revents);
}

static void epoll_once(int lfd)
{
	struct epoll_event ev[64];
	int i, n = epoll_wait(epfd, ev, 64, -1);

	if (n < 0)
		err(1, "epoll_wait");
	for (i = 0; i < n; i++) {
		if (ev[i].data.u32 == UINT32_MAX)
			accept_all(lfd);
		else
			step(ev[i].data.u32, ev[i].events);
	}
}

static void run_events(void)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = UINT32_MAX };
	unsigned int i;
	int lfd = -1;

	pollfds = calloc(o.n + 1, sizeof(*pollfds));
	epfd = epoll_create1(0);
	if (!pollfds || epfd < 0)
		err(1, "epoll");
	for (i = 0; i < o.n; i++)
		pollfds[i].fd = -1;
	if (o.listen) {
		lfd = start_listening();
		if (o.mode != MODE_POLL &&
		    epoll_ctl(epfd, EPOLL_CTL_ADD, lfd, &ev))
			err(1, "epoll_ctl");
	}
	for (i = 0; !o.listen && i < o.n; i++) {
		conn_open(&conns[i], start_connecting());
		watch(i, EPOLL_CTL_ADD);
	}
	while (closed < o.n) {
		if (o.mode == MODE_POLL)
			poll_once(lfd);
		else
			epoll_once(lfd);
	}
}

/* --- blocking -------------------------------------------------------------- */

static void *sender(void *arg)
{
	conn_send(arg, 0);
	return NULL;
}

static void run_blocking(void)
{
	struct conn *c = &conns[0];
	pthread_t thread;
	int lfd, fd;

	if (o.listen) {
		lfd = start_listening();
		fd = accept(lfd, NULL, NULL);
		if (fd < 0)
			fail("accept", errno);
		close(lfd);
	} else {
		fd = start_connecting();
		say("connected");
	}
	conn_open(c, fd);
	if (o.echo || o.answer) {
		conn_recv(c, 0);
		conn_send(c, 0);
	} else {
		if (pthread_create(&thread, NULL, sender, c))
			err(1, "pthread_create");
		if (conn_recv(c, 0))
			pthread_join(thread, NULL);
	}
	conn_close(c);
}

/* --- command line ---------------------------------------------------------- */

static uint64_t number(const char *s)
{
	char *end;
	uint64_t n = strtoull(s, &end, 0);

	switch (*end) {
	case 'g':
		n <<= 10;
		/* fall through */
	case 'm':
		n <<= 10;
		/* fall through */
	case 'k':
		n <<= 10;
		end++;
	}
	if (*end || end == s)
		errx(2, "%s is no number", s);
	return n;
}

static struct sockaddr_mrc address(const char *addr, const char *port)
{
	struct sockaddr_mrc a = {
		.smrc_family	= AF_MRC,
		.smrc_port	= htons(number(port)),
	};

	if (inet_pton(AF_INET6, addr, &a.smrc_addr) != 1)
		errx(2, "%s is no IPv6 address", addr);
	return a;
}

static void option_bind(char *arg)
{
	char *port = strchr(arg, ',');

	if (port)
		*port++ = 0;
	o.bind = address(arg, port ?: "0");
	o.bound = true;
}

static void option_hook(char *arg)
{
	char *colon = strchr(arg, ':');

	if (!colon)
		errx(2, "-x BYTES:COMMAND");
	*colon = 0;
	o.hook_at = number(arg);
	o.hook = colon + 1;
}

static void option_mode(const char *arg)
{
	static const char *const names[] = { "block", "poll", "lt", "et" };

	for (o.mode = 0; o.mode <= MODE_ET; o.mode++)
		if (!strcmp(arg, names[o.mode]))
			return;
	errx(2, "-m block|poll|lt|et");
}

static void option(int c, char *arg)
{
	switch (c) {
	case 't':
		o.seq = !strcmp(arg, "seq");
		break;
	case 'n':
		o.n = number(arg);
		break;
	case 's':
		o.send = number(arg);
		break;
	case 'i':
		o.in = arg;
		break;
	case 'o':
		o.out = arg;
		break;
	case 'v':
		o.verify = true;
		break;
	case 'e':
		o.echo = true;
		break;
	case 'a':
		o.answer = true;
		break;
	case 'C':
		o.random = *arg == '~';
		o.chunk = number(arg + o.random);
		break;
	case 'm':
		option_mode(arg);
		break;
	case 'q':
		o.quits = true;
		o.quit = number(arg);
		break;
	case 'x':
		option_hook(arg);
		break;
	case 'z':
		o.hold = true;
		break;
	case 'S':
		o.seed = number(arg);
		break;
	case 'B':
		option_bind(arg);
		break;
	case 'W':
		o.buffer = number(arg);
		break;
	case 'P':
		o.profile = arg;
		break;
	case 'T':
		o.user_timeout = number(arg);
		break;
	case 'L':
		o.linger = number(arg);
		break;
	case 'w':
		o.limit = number(arg);
		break;
	case 'E':
		o.expect = arg;
		break;
	case 'I':
		o.info = true;
		break;
	default:
		errx(2, "see the comment on top of mrcx.c");
	}
}

static void parse(int argc, char **argv)
{
	int c;

	if (argc < 4 || (strcmp(argv[1], "-l") && strcmp(argv[1], "-c")))
		errx(2, "usage: mrcx -l|-c ADDR PORT [OPTION]...");
	o.listen = argv[1][1] == 'l';
	o.addr = address(argv[2], argv[3]);
	optind = 4;
	while ((c = getopt(argc, argv,
			   "t:n:s:i:o:veaC:m:q:x:zS:B:W:T:L:w:E:IP:")) != -1)
		option(c, optarg);
	if (optind != argc)
		errx(2, "what is %s?", argv[optind]);
	if (!o.chunk || !o.n)
		errx(2, "a size or number is 0");
	if (o.n > 1 && (o.in || o.out || o.mode == MODE_BLOCK))
		errx(2, "-i, -o and -m block are for one connection");
}

int main(int argc, char **argv)
{
	struct rlimit files = { 1 << 20, 1 << 20 };
	int status = 0;

	parse(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, on_alarm);
	alarm(o.limit);
	/* Enough for -n 10000 if we may; else as many as we have. */
	setrlimit(RLIMIT_NOFILE, &files);
	conns = calloc(o.n, sizeof(*conns));
	if (!conns)
		err(1, "calloc");
	clock_gettime(CLOCK_MONOTONIC, &started);
	if (o.mode == MODE_BLOCK)
		run_blocking();
	else
		run_events();
	if (hook_pid && (waitpid(hook_pid, &status, 0) < 0 || status))
		fail("command", ECHILD);
	if (o.hook && !hook_pid)
		fail("command-not-run", ENODATA);
	if (o.expect)
		fail("end", 0);
	result("ok");
	puts("");
	return 0;
}
