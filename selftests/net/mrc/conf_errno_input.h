/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For conf_errno.c: calls whose input is wrong, or right but for the moment.
 */
#ifndef _MRC_CONF_ERRNO_INPUT_H
#define _MRC_CONF_ERRNO_INPUT_H

#define UNKNOWN_FLAG	0x00800000	/* of MSG_*, in no kernel */

static struct sockaddr_in6 any_addr(void)
{
	return (struct sockaddr_in6) { .sin6_family = conf_far.sin6_family };
}

static long bind_to(int fd, struct sockaddr_in6 a)
{
	return bind(fd, (void *)&a, sizeof(a));
}

static long connect_to(struct sockaddr_in6 a)
{
	return connect(near_sock(SOCK_STREAM), (void *)&a, sizeof(a));
}

/* A port that nobody has */
static uint16_t free_port(void)
{
	int fd = near_sock(SOCK_STREAM);
	uint16_t port;

	CHECK_EQ(do_bind(fd, 0), 0);
	port = port_of(fd);
	drop(fd);
	return port;
}

static int connected(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	return a;
}

/* socket(2) */

static long in_socket_dgram_proto(void)
{
	return keep(socket(conf_far.sin6_family, SOCK_STREAM, 255));
}

static long in_socket_type(void)
{
	return keep(socket(conf_far.sin6_family, 77, 0));
}

static long in_socketpair(void)
{
	int s[2];

	return socketpair(conf_far.sin6_family, SOCK_STREAM, 0, s);
}

/* bind(2) */

static long in_bind_short(void)
{
	struct sockaddr_in6 a = any_addr();

	return bind(near_sock(SOCK_STREAM), (void *)&a, 8);
}

static long in_bind_zero(void)
{
	struct sockaddr_in6 a = any_addr();

	return bind(near_sock(SOCK_STREAM), (void *)&a, 0);
}

static long in_bind_long(void)
{
	char a[200] = {};

	return bind(near_sock(SOCK_STREAM), (void *)a, sizeof(a));
}

static long in_bind_family(void)
{
	struct sockaddr_in6 a = any_addr();

	a.sin6_family = AF_UNIX;
	return bind_to(near_sock(SOCK_STREAM), a);
}

static long in_bind_pointer(void)
{
	return bind(near_sock(SOCK_STREAM), BAD_POINTER,
		    sizeof(struct sockaddr_in6));
}

static long in_bind_foreign(void)
{
	struct sockaddr_in6 a = conf_far;

	inet_pton(AF_INET6, "2001:db8::77", &a.sin6_addr);
	return bind_to(near_sock(SOCK_STREAM), a);
}

static long in_bind_multicast(void)
{
	struct sockaddr_in6 a = conf_far;

	inet_pton(AF_INET6, "ff05::77", &a.sin6_addr);
	return bind_to(near_sock(SOCK_STREAM), a);
}

static long in_bind_used(void)
{
	return do_bind(near_sock(SOCK_STREAM),
		       port_of(far_listener(SOCK_STREAM, 1)));
}

static long in_bind_used_reuse(void)
{
	int fd = near_sock(SOCK_STREAM);

	set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	return do_bind(fd, port_of(far_listener(SOCK_STREAM, 1)));
}

/* What a child without privileges sees */
static long in_bind_privileged(void)
{
	int fd = near_sock(SOCK_STREAM), status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		if (setresuid(NOBODY, NOBODY, NOBODY))
			_exit(255);
		_exit(do_bind(fd, 1023) ? errno : 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

static long in_bind_twice(void)
{
	int fd = near_sock(SOCK_STREAM);

	CHECK_EQ(bind_to(fd, any_addr()), 0);
	return bind_to(fd, any_addr());
}

/* listen(2), accept(2) */

static long in_listen_same(void)
{
	int a = near_sock(SOCK_STREAM), b = near_sock(SOCK_STREAM);
	uint16_t port = free_port();

	set_int(a, SOL_SOCKET, SO_REUSEADDR, 1);
	set_int(b, SOL_SOCKET, SO_REUSEADDR, 1);
	CHECK_EQ(do_bind(a, port), 0);
	CHECK_EQ(do_bind(b, port), 0);
	CHECK_EQ(listen(a, 1), 0);
	return listen(b, 1);
}

static long in_accept_flags(void)
{
	return accept4(far_listener(SOCK_STREAM, 1), NULL, NULL, 1);
}

static long in_accept_pointer(void)
{
	int lfd = far_listener(SOCK_STREAM, 1);
	socklen_t len = sizeof(struct sockaddr_in6);

	CHECK_EQ(do_connect(near_sock(SOCK_STREAM), port_of(lfd)), 0);
	return accept(lfd, BAD_POINTER, &len);
}

/* connect(2) */

static long in_connect_short(void)
{
	struct sockaddr_in6 a = far_at(9);

	return connect(near_sock(SOCK_STREAM), (void *)&a, 8);
}

static long in_connect_one(void)
{
	struct sockaddr_in6 a = far_at(9);

	return connect(near_sock(SOCK_STREAM), (void *)&a, 1);
}

static long in_connect_family(void)
{
	struct sockaddr_in6 a = far_at(9);

	a.sin6_family = AF_UNIX;
	return connect_to(a);
}

static long in_connect_pointer(void)
{
	return connect(near_sock(SOCK_STREAM), BAD_POINTER,
		       sizeof(struct sockaddr_in6));
}

static long in_connect_refused(void)
{
	int fd = far_sock(SOCK_STREAM);

	CHECK_EQ(do_bind(fd, 0), 0);
	return connect_to(far_at(port_of(fd)));
}

static long in_connect_port_0(void)
{
	return connect_to(far_at(0));
}

static long in_connect_any(void)
{
	struct sockaddr_in6 a = any_addr();

	a.sin6_port = htons(port_of(far_listener(SOCK_STREAM, 1)));
	return connect_to(a);
}

static long in_connect_multicast(void)
{
	struct sockaddr_in6 a = far_at(9);

	inet_pton(AF_INET6, "ff05::77", &a.sin6_addr);
	return connect_to(a);
}

static long in_connect_nowhere(void)
{
	struct sockaddr_in6 a = far_at(9);

	inet_pton(AF_INET6, "2001:db8::77", &a.sin6_addr);
	return connect_to(a);
}

static long in_connect_again(void)
{
	int fd = cond_connecting();

	return do_connect(fd, 9);
}

static long in_connect_self(void)
{
	int fd = near_sock(SOCK_STREAM);

	CHECK_EQ(do_bind(fd, 0), 0);
	return do_connect(fd, port_of(fd));
}

static long in_connect_same(void)
{
	int lfd = far_listener(SOCK_STREAM, 4), a = near_sock(SOCK_STREAM);
	int b = near_sock(SOCK_STREAM);
	uint16_t port = free_port();

	set_int(a, SOL_SOCKET, SO_REUSEADDR, 1);
	set_int(b, SOL_SOCKET, SO_REUSEADDR, 1);
	CHECK_EQ(do_bind(a, port), 0);
	CHECK_EQ(do_bind(b, port), 0);
	CHECK_EQ(do_connect(a, port_of(lfd)), 0);
	return do_connect(b, port_of(lfd));
}

/* send(2), recv(2) */

static long in_send_pointer(void)
{
	return send(connected(), BAD_POINTER, 1, 0);
}

static long in_send_flag(void)
{
	return send(connected(), "x", 1, UNKNOWN_FLAG);
}

static long in_send_dontroute(void)
{
	return send(connected(), "x", 1, MSG_DONTROUTE);
}

static long in_send_confirm(void)
{
	return send(connected(), "x", 1, MSG_CONFIRM);
}

static long in_send_vectors(void)
{
	static struct iovec v[1025];
	struct msghdr msg = { .msg_iov = v, .msg_iovlen = 1025 };

	return sendmsg(connected(), &msg, 0);
}

static long send_cmsg(int level, int type, size_t len)
{
	union {
		struct cmsghdr h;
		char buf[64];
	} u = { .h = { len, level, type } };
	struct iovec iov = { "x", 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = &u, .msg_controllen = 32 };

	return sendmsg(connected(), &msg, 0);
}

static long in_send_cmsg_level(void)
{
	return send_cmsg(12345, 1, CMSG_LEN(4));
}

static long in_send_cmsg_type(void)
{
	return send_cmsg(SOL_SOCKET, 12345, CMSG_LEN(4));
}

static long in_send_cmsg_rights(void)
{
	return send_cmsg(SOL_SOCKET, SCM_RIGHTS, CMSG_LEN(4));
}

static long in_send_cmsg_short(void)
{
	return send_cmsg(SOL_SOCKET, 1, 4);
}

static long in_recv_pointer(void)
{
	return recv(cond_readable(), BAD_POINTER, 1, 0);
}

static long in_recv_flag(void)
{
	char c;

	return recv(cond_readable(), &c, 1, UNKNOWN_FLAG);
}

/* Options */

static long set_opt(int level, int name, const void *val, socklen_t len)
{
	return setsockopt(near_sock(SOCK_STREAM), level, name, val, len);
}

static long in_set_level(void)
{
	return set_opt(12345, 1, &(int){ 1 }, 4);
}

static long in_set_name(void)
{
	return set_opt(SOL_SOCKET, 12345, &(int){ 1 }, 4);
}

static long in_set_short(void)
{
	return set_opt(SOL_SOCKET, SO_KEEPALIVE, &(int){ 1 }, 1);
}

static long in_set_pointer(void)
{
	return set_opt(SOL_SOCKET, SO_KEEPALIVE, BAD_POINTER, 4);
}

static long in_set_linger(void)
{
	return set_opt(SOL_SOCKET, SO_LINGER, &(int){ 1 }, 4);
}

static long in_set_timeo(void)
{
	struct timeval tv = { 0, 1000000 };

	return set_opt(SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
}

static long in_set_sndbufforce(void)
{
	int fd = near_sock(SOCK_STREAM), status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		if (setresuid(NOBODY, NOBODY, NOBODY))
			_exit(255);
		_exit(setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE,
				 &(int){ 100000 }, 4) ? errno : 0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

static long in_set_bindtodevice(void)
{
	return set_opt(SOL_SOCKET, SO_BINDTODEVICE, "lo", 3);
}

static long in_set_reuseport(void)
{
	return set_opt(SOL_SOCKET, SO_REUSEPORT, &(int){ 1 }, 4);
}

static long in_set_peek_off(void)
{
	return set_opt(SOL_SOCKET, SO_PEEK_OFF, &(int){ 0 }, 4);
}

static long in_set_lowat(void)
{
	return set_opt(SOL_SOCKET, SO_SNDLOWAT, &(int){ 100 }, 4);
}

static long in_get_level(void)
{
	socklen_t len = 4;
	int val;

	return getsockopt(near_sock(SOCK_STREAM), 12345, 1, &val, &len);
}

static long in_get_name(void)
{
	socklen_t len = 4;
	int val;

	return getsockopt(near_sock(SOCK_STREAM), SOL_SOCKET, 12345, &val,
			  &len);
}

static long in_get_negative(void)
{
	socklen_t len = -1;
	int val;

	return getsockopt(near_sock(SOCK_STREAM), SOL_SOCKET, SO_KEEPALIVE,
			  &val, &len);
}

static long in_get_pointer(void)
{
	socklen_t len = 4;

	return getsockopt(near_sock(SOCK_STREAM), SOL_SOCKET, SO_KEEPALIVE,
			  BAD_POINTER, &len);
}

/* The rest */

static long in_ioctl_unknown(void)
{
	int n;

	return ioctl(near_sock(SOCK_STREAM), 0x1234, &n);
}

static long in_ioctl_pointer(void)
{
	return ioctl(connected(), SIOCINQ, BAD_POINTER);
}

static long in_shutdown(void)
{
	return shutdown(connected(), 3);
}

static long in_lseek(void)
{
	return lseek(connected(), 0, SEEK_SET);
}

static const struct {
	const char *call, *cond;
	long (*fn)(void);
} inputs[] = {
	{ "socket()", "protocol 255", in_socket_dgram_proto },
	{ "socket()", "type 77", in_socket_type },
	{ "socketpair()", "stream", in_socketpair },
	{ "bind()", "8 bytes of address", in_bind_short },
	{ "bind()", "0 bytes", in_bind_zero },
	{ "bind()", "200 bytes", in_bind_long },
	{ "bind()", "another family", in_bind_family },
	{ "bind()", "bad pointer", in_bind_pointer },
	{ "bind()", "address of another host", in_bind_foreign },
	{ "bind()", "multicast", in_bind_multicast },
	{ "bind()", "port in use", in_bind_used },
	{ "bind()", "port of a listener, SO_REUSEADDR", in_bind_used_reuse },
	{ "bind()", "privileged port", in_bind_privileged },
	{ "bind()", "bound already", in_bind_twice },
	{ "listen()", "another listens at that port", in_listen_same },
	{ "accept4()", "unknown flag", in_accept_flags },
	{ "accept()", "bad pointer", in_accept_pointer },
	{ "connect()", "8 bytes of address", in_connect_short },
	{ "connect()", "1 byte", in_connect_one },
	{ "connect()", "another family", in_connect_family },
	{ "connect()", "bad pointer", in_connect_pointer },
	{ "connect()", "nobody listens", in_connect_refused },
	{ "connect()", "port 0", in_connect_port_0 },
	{ "connect()", "unspecified address", in_connect_any },
	{ "connect()", "multicast", in_connect_multicast },
	{ "connect()", "no route", in_connect_nowhere },
	{ "connect()", "connecting already", in_connect_again },
	{ "connect()", "to itself", in_connect_self },
	{ "connect()", "both ends as of another", in_connect_same },
	{ "send()", "bad pointer", in_send_pointer },
	{ "send()", "unknown flag", in_send_flag },
	{ "send()", "MSG_DONTROUTE", in_send_dontroute },
	{ "send()", "MSG_CONFIRM", in_send_confirm },
	{ "sendmsg()", "1025 vectors", in_send_vectors },
	{ "sendmsg()", "control message, unknown level", in_send_cmsg_level },
	{ "sendmsg()", "control message, unknown type", in_send_cmsg_type },
	{ "sendmsg()", "SCM_RIGHTS", in_send_cmsg_rights },
	{ "sendmsg()", "control message, too short", in_send_cmsg_short },
	{ "recv()", "bad pointer", in_recv_pointer },
	{ "recv()", "unknown flag", in_recv_flag },
	{ "setsockopt()", "unknown level", in_set_level },
	{ "setsockopt()", "unknown option", in_set_name },
	{ "setsockopt()", "1 byte of an int", in_set_short },
	{ "setsockopt()", "bad pointer", in_set_pointer },
	{ "setsockopt()", "SO_LINGER, 4 bytes", in_set_linger },
	{ "setsockopt()", "SO_RCVTIMEO, 10^6 us", in_set_timeo },
	{ "setsockopt()", "SO_SNDBUFFORCE, unprivileged", in_set_sndbufforce },
	{ "setsockopt()", "SO_BINDTODEVICE", in_set_bindtodevice },
	{ "setsockopt()", "SO_REUSEPORT", in_set_reuseport },
	{ "setsockopt()", "SO_PEEK_OFF", in_set_peek_off },
	{ "setsockopt()", "SO_SNDLOWAT", in_set_lowat },
	{ "getsockopt()", "unknown level", in_get_level },
	{ "getsockopt()", "unknown option", in_get_name },
	{ "getsockopt()", "negative length", in_get_negative },
	{ "getsockopt()", "bad pointer", in_get_pointer },
	{ "ioctl()", "unknown", in_ioctl_unknown },
	{ "ioctl()", "SIOCINQ, bad pointer", in_ioctl_pointer },
	{ "shutdown()", "how = 3", in_shutdown },
	{ "lseek()", "connected", in_lseek },
};

#endif
