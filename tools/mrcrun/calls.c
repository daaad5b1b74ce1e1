// SPDX-License-Identifier: GPL-2.0
/*
 * The calls that a program makes come here first. Those that are about
 * addresses, options, and what a socket is; of those that move data one, whose
 * error queue has addresses of its own.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

/* The C library's own declarations of these are of other types (transparent
 * unions), so ours have other names in C.
 */
#define PUBLIC __attribute__((visibility("default")))

PUBLIC int call_socket(int domain, int type, int protocol)
	__asm__("socket");
PUBLIC int call_bind(int fd, const struct sockaddr *addr, socklen_t len)
	__asm__("bind");
PUBLIC int call_connect(int fd, const struct sockaddr *addr, socklen_t len)
	__asm__("connect");
PUBLIC int call_listen(int fd, int backlog)
	__asm__("listen");
PUBLIC int call_accept(int fd, struct sockaddr *addr, socklen_t *len)
	__asm__("accept");
PUBLIC int call_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
	__asm__("accept4");
PUBLIC ssize_t call_recvmsg(int fd, struct msghdr *msg, int flags)
	__asm__("recvmsg");
PUBLIC int call_getsockname(int fd, struct sockaddr *addr, socklen_t *len)
	__asm__("getsockname");
PUBLIC int call_getpeername(int fd, struct sockaddr *addr, socklen_t *len)
	__asm__("getpeername");
PUBLIC int call_getsockopt(int fd, int level, int name, void *val, socklen_t *len)
	__asm__("getsockopt");
PUBLIC int call_setsockopt(int fd, int level, int name, const void *val,
			   socklen_t len)
	__asm__("setsockopt");
PUBLIC int call_epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
	__asm__("epoll_ctl");
PUBLIC int call_dup2(int fd, int to)
	__asm__("dup2");
PUBLIC int call_dup3(int fd, int to, int flags)
	__asm__("dup3");
PUBLIC int call_fcntl(int fd, int cmd, ...)
	__asm__("fcntl");
PUBLIC int call_dup(int fd)
	__asm__("dup");
PUBLIC int call___connect(int fd, const struct sockaddr *addr, socklen_t len)
	__asm__("__connect") __attribute__((alias("connect")));
PUBLIC int call___dup2(int fd, int to)
	__asm__("__dup2") __attribute__((alias("dup2")));
PUBLIC int call_fcntl64(int fd, int cmd, ...)
	__asm__("fcntl64") __attribute__((alias("fcntl")));
PUBLIC int call___fcntl(int fd, int cmd, ...)
	__asm__("__fcntl") __attribute__((alias("fcntl")));

struct map map;
static struct real reals;
static atomic_bool reals_known;

/* --- what lies below ------------------------------------------------------- */

static void find(void *call, const char *name)
{
	void *at = dlsym(RTLD_NEXT, name);

	memcpy(call, &at, sizeof(at));
}

/* Twice at the same time does no harm. */
static void find_reals(void)
{
	find(&reals.socket, "socket");
	find(&reals.bind, "bind");
	find(&reals.connect, "connect");
	find(&reals.listen, "listen");
	find(&reals.accept, "accept");
	find(&reals.accept4, "accept4");
	find(&reals.recvmsg, "recvmsg");
	find(&reals.getsockname, "getsockname");
	find(&reals.getpeername, "getpeername");
	find(&reals.getsockopt, "getsockopt");
	find(&reals.setsockopt, "setsockopt");
	find(&reals.epoll_ctl, "epoll_ctl");
	find(&reals.dup, "dup");
	find(&reals.dup2, "dup2");
	find(&reals.dup3, "dup3");
	find(&reals.fcntl, "fcntl");
	atomic_store_explicit(&reals_known, true, memory_order_release);
}

/* Constructors of other libraries may call us before ours has run. */
const struct real *real(void)
{
	if (!atomic_load_explicit(&reals_known, memory_order_acquire))
		find_reals();
	return &reals;
}

__attribute__((constructor)) static void init(void)
{
	const char *rules = getenv("MRCRUN_MAP");

	find_reals();
	report_init();
	/* mrcrun has looked at them. */
	if (rules)
		map_add(&map, rules, NULL, 0);
}

int option(int fd, int level, int name, int none)
{
	int saved = errno, val = none;
	socklen_t len = sizeof(val);

	if (real()->getsockopt(fd, level, name, &val, &len))
		val = none;
	errno = saved;
	return val;
}

int family_of(int fd) { return option(fd, SOL_SOCKET, SO_DOMAIN, -1); }

enum tag tag_of(int fd)
{
	return option(fd, SOL_MRC, MRC_TAG, TAG_NATIVE) & ~TAG_CORKED;
}

bool is_tcp(int fd, int family)
{
	return (family == AF_INET || family == AF_INET6) &&
	       option(fd, SOL_SOCKET, SO_TYPE, 0) == SOCK_STREAM &&
	       option(fd, SOL_SOCKET, SO_PROTOCOL, 0) == IPPROTO_TCP;
}

/* --- a socket's life ------------------------------------------------------- */

int call_socket(int domain, int type, int protocol)
{
	int fd = real()->socket(domain, type, protocol);

	if (fd >= 0 && (domain == AF_INET || domain == AF_INET6) &&
	    (type & 0xf) == SOCK_STREAM &&
	    (!protocol || protocol == IPPROTO_TCP))
		table_born(fd);
	return fd;
}

static bool is_ip(const struct sockaddr *addr, socklen_t len)
{
	return addr && len >= sizeof(struct sockaddr_in) &&
	       (addr->sa_family == AF_INET || addr->sa_family == AF_INET6);
}

int call_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (!is_ip(addr, len))
		return real()->bind(fd, addr, len);
	return do_bind(fd, addr, len);
}

int call_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (!is_ip(addr, len))
		return real()->connect(fd, addr, len);
	return do_connect(fd, addr, len);
}

int call_listen(int fd, int backlog)
{
	int ret = real()->listen(fd, backlog), saved = errno;
	int family = ret ? -1 : family_of(fd);

	if (is_tcp(fd, family))
		convert_listener(fd, family, backlog);
	errno = saved;
	return ret;
}

static int accepted(int fd, const struct sockaddr_storage *said, socklen_t n,
		    struct sockaddr *addr, socklen_t *len)
{
	struct sockaddr_storage seen;
	socklen_t room = sizeof(seen);
	char text[NAME_TEXT];

	if (fd < 0)
		return fd;
	if (addr)
		name_out(fd, said, n, addr, len);
	if (!reporting())
		return fd;
	name_out(fd, said, n, (struct sockaddr *)&seen, &room);
	if (said->ss_family == AF_MRC || said->ss_family == AF_INET ||
	    said->ss_family == AF_INET6)
		report(fd, "accept from %s: %s",
		       name_text((struct sockaddr *)&seen, text, sizeof(text)),
		       said->ss_family == AF_MRC ? "MRC" : "TCP");
	return fd;
}

/* What the kernel alone can answer: an error */
static bool bad_place(const struct sockaddr *addr, const socklen_t *len)
{
	return addr && (!len || (int)*len < 0);
}

int call_accept(int fd, struct sockaddr *addr, socklen_t *len)
{
	struct sockaddr_storage said = { 0 };
	socklen_t n = sizeof(said);
	int got;

	if (bad_place(addr, len))
		return real()->accept(fd, addr, len);
	got = real()->accept(fd, (struct sockaddr *)&said, &n);
	return accepted(got, &said, n, addr, len);
}

int call_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	struct sockaddr_storage said = { 0 };
	socklen_t n = sizeof(said);
	int got;

	if (bad_place(addr, len))
		return real()->accept4(fd, addr, len, flags);
	got = real()->accept4(fd, (struct sockaddr *)&said, &n, flags);
	return accepted(got, &said, n, addr, len);
}

/* --- names and options ----------------------------------------------------- */

int call_getsockname(int fd, struct sockaddr *addr, socklen_t *len)
{
	struct sockaddr_storage said = { 0 };
	socklen_t n = sizeof(said);

	if (!addr || bad_place(addr, len))
		return real()->getsockname(fd, addr, len);
	if (real()->getsockname(fd, (struct sockaddr *)&said, &n))
		return -1;
	name_out(fd, &said, n, addr, len);
	return 0;
}

int call_getpeername(int fd, struct sockaddr *addr, socklen_t *len)
{
	struct sockaddr_storage said = { 0 };
	socklen_t n = sizeof(said);

	if (!addr || bad_place(addr, len))
		return real()->getpeername(fd, addr, len);
	if (real()->getpeername(fd, (struct sockaddr *)&said, &n))
		return -1;
	name_out(fd, &said, n, addr, len);
	return 0;
}

int call_getsockopt(int fd, int level, int name, void *val, socklen_t *len)
{
	return do_getsockopt(fd, level, name, val, len);
}

int call_setsockopt(int fd, int level, int name, const void *val,
		    socklen_t len)
{
	return do_setsockopt(fd, level, name, val, len);
}

ssize_t call_recvmsg(int fd, struct msghdr *msg, int flags)
{
	ssize_t ret = real()->recvmsg(fd, msg, flags);

	if (flags & MSG_ERRQUEUE && ret >= 0)
		pose_errors(fd, msg);
	return ret;
}

/* --- who else refers to it ------------------------------------------------- */

int call_epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	int ret = real()->epoll_ctl(epfd, op, fd, event);

	if (!ret)
		table_epoll(epfd, op, fd, event);
	return ret;
}

static int duplicated(int fd, int to)
{
	if (to >= 0)
		table_dup(fd, to);
	return to;
}

int call_dup(int fd) { return duplicated(fd, real()->dup(fd)); }

int call_dup2(int fd, int to)
{
	return duplicated(fd, real()->dup2(fd, to));
}

int call_dup3(int fd, int to, int flags)
{
	return duplicated(fd, real()->dup3(fd, to, flags));
}

static int any_fcntl(int fd, int cmd, void *arg)
{
	int ret = real()->fcntl(fd, cmd, arg);

	if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
		duplicated(fd, ret);
	return ret;
}

/* Whatever the argument is, it is passed in a register of this width. */
int call_fcntl(int fd, int cmd, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	return any_fcntl(fd, cmd, arg);
}
