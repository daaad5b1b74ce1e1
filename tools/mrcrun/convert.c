// SPDX-License-Identifier: GPL-2.0
/*
 * A TCP socket becomes one of AF_MRC: at connect(2), if the kernel has an MRC
 * route to the destination, which it says at once; at listen(2), if the
 * address is that of a node or of all.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <string.h>
#include <unistd.h>

#include "lib.h"

static const char *name_of(const struct sockaddr *addr, char *buf)
{
	return name_text(addr, buf, NAME_TEXT);
}

/* --- making ---------------------------------------------------------------- */

/* Status flags, and who gets SIGIO; not O_NONBLOCK, which the caller sets. */
static void carry_async(int from, int to)
{
	const struct real *r = real();
	int flags = r->fcntl(from, F_GETFL);
	struct f_owner_ex owner;

	if (flags < 0 || !(flags & O_ASYNC))
		return;
	if (!r->fcntl(from, F_GETOWN_EX, &owner))
		r->fcntl(to, F_SETOWN_EX, &owner);
	r->fcntl(to, F_SETSIG, r->fcntl(from, F_GETSIG));
	r->fcntl(to, F_SETFL, r->fcntl(to, F_GETFL) | O_ASYNC);
}

static bool is_any(const struct sockaddr *addr)
{
	const struct sockaddr_in6 *v6 = (const void *)addr;
	const struct sockaddr_in *v4 = (const void *)addr;

	return addr->sa_family == AF_INET ?
	       v4->sin_addr.s_addr == INADDR_ANY :
	       IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr);
}

/* What the address that @fd is bound to is for AF_MRC. Return: is it a node,
 * or all of them?
 */
static bool bound_to(int fd, int family, struct sockaddr_mrc *to,
		     enum tag *tag)
{
	struct sockaddr_in6 v6 = { .sin6_family = family };
	struct sockaddr *sa = (struct sockaddr *)&v6;
	socklen_t len = sizeof(v6);
	in_port_t port;

	if (real()->getsockname(fd, sa, &len))
		return false;
	/* Rules about ports mean those that others connect to. */
	port = v6.sin6_port;
	v6.sin6_port = 0;
	if (is_any(sa)) {
		*to = (struct sockaddr_mrc) { .smrc_family = AF_MRC };
		*tag = family == AF_INET ? TAG_INET : TAG_INET6;
	} else if (!name_in(sa, len, family, to, tag)) {
		return false;
	}
	to->smrc_port = port;
	return true;
}

/* An AF_MRC socket like @fd. Non-blocking, so that nothing here ever waits. */
static int make_mrc(int fd, enum tag tag)
{
	int m = real()->socket(AF_MRC, SOCK_STREAM | SOCK_CLOEXEC |
				       SOCK_NONBLOCK, 0);

	if (m < 0)
		return -1;
	real()->setsockopt(m, SOL_MRC, MRC_TAG, &tag, sizeof(tag));
	carry_options(fd, m);
	carry_async(fd, m);
	return m;
}

/* @m takes the place of @fd, blocking or not as that was. */
static int put_in_place(int fd, int m, int flags)
{
	int err;

	if (!(flags & O_NONBLOCK))
		real()->fcntl(m, F_SETFL,
			      real()->fcntl(m, F_GETFL) & ~O_NONBLOCK);
	err = table_replace(fd, m);
	close(m);
	return err;
}

/* --- connect --------------------------------------------------------------- */

static bool is_bound(const struct sockaddr_mrc *at)
{
	return at->smrc_port || !IN6_IS_ADDR_UNSPECIFIED(&at->smrc_addr);
}

/* Return: a socket that has begun to connect, or -1 */
static int begin_mrc(int fd, int family, const struct sockaddr_mrc *to,
		     enum tag tag)
{
	const struct real *r = real();
	struct sockaddr_mrc from;
	enum tag ignored;
	int m, err;

	if (!bound_to(fd, family, &from, &ignored)) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	m = make_mrc(fd, tag);
	if (m < 0)
		return -1;
	if (!is_bound(&from) ||
	    !r->bind(m, (struct sockaddr *)&from, sizeof(from))) {
		if (!r->connect(m, (const struct sockaddr *)to, sizeof(*to)) ||
		    errno == EINPROGRESS)
			return m;
	}
	err = errno;
	close(m);
	errno = err;
	return -1;
}

/* Goes on with what begin_mrc() has begun. */
static int finish_mrc(int fd, const struct sockaddr_mrc *to)
{
	int ret = real()->connect(fd, (const struct sockaddr *)to, sizeof(*to));

	/* SO_SNDTIMEO is over: this was the first call to the program. */
	if (ret && errno == EALREADY)
		errno = EINPROGRESS;
	return ret;
}

static int connect_tcp(int fd, const struct sockaddr *addr, socklen_t len,
		       const char *why)
{
	char text[NAME_TEXT];

	report(fd, "connect to %s: TCP (%s)", name_of(addr, text), why);
	table_forget(fd);
	return real()->connect(fd, addr, len);
}

/* Not before it has connected, and no device is its own. */
static bool may_convert(int fd)
{
	unsigned char state = 0;
	socklen_t len = sizeof(state);
	int saved = errno, err;

	err = real()->getsockopt(fd, IPPROTO_TCP, TCP_INFO, &state, &len);
	errno = saved;
	return !err && state == 7 /* TCP_CLOSE */ &&
	       !option(fd, SOL_SOCKET, SO_BINDTOIFINDEX, 0);
}

static int connect_new(int fd, int family, const struct sockaddr *addr,
		       socklen_t len)
{
	int flags = real()->fcntl(fd, F_GETFL), m;
	struct sockaddr_mrc to;
	char text[NAME_TEXT];
	enum tag tag;

	if (!may_convert(fd))
		return real()->connect(fd, addr, len);
	if (!name_in(addr, len, family, &to, &tag))
		return connect_tcp(fd, addr, len, "no node");
	m = begin_mrc(fd, family, &to, tag);
	if (m < 0)
		return connect_tcp(fd, addr, len, strerror(errno));
	report(fd, "connect to %s: MRC", name_of(addr, text));
	if (put_in_place(fd, m, flags))
		return -1;
	if (!(flags & O_NONBLOCK))
		return finish_mrc(fd, &to);
	errno = EINPROGRESS;
	return -1;
}

static int mrc_state(int fd)
{
	struct mrc_info info = { 0 };
	socklen_t len = sizeof(info);

	if (real()->getsockopt(fd, SOL_MRC, MRC_INFO, &info, &len))
		return -1;
	return info.mrc_info_state;
}

/* An AF_MRC socket that failed or was disconnected shall go where no MRC
 * route leads: it becomes TCP again.
 */
static int revert(int fd, int family)
{
	int t = real()->socket(family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	int flags = real()->fcntl(fd, F_GETFL);

	if (t < 0)
		return -1;
	carry_options(fd, t);
	carry_async(fd, t);
	real()->fcntl(t, F_SETFL, flags);
	if (table_replace(fd, t)) {
		close(t);
		return -1;
	}
	close(t);
	return 0;
}

static int connect_again(int fd, const struct sockaddr *addr, socklen_t len)
{
	enum tag tag = tag_of(fd), ignored;
	int family = tag == TAG_INET ? AF_INET : AF_INET6;
	struct sockaddr_mrc to;
	char text[NAME_TEXT];
	int ret;

	if (tag == TAG_NATIVE || mrc_state(fd) != MRC_STATE_CLOSED) {
		/* It looks at its state before it looks at the address. */
		map_node(&map, addr, &to);
		return real()->connect(fd, (struct sockaddr *)&to, sizeof(to));
	}
	if (name_in(addr, len, family, &to, &ignored)) {
		ret = real()->connect(fd, (struct sockaddr *)&to, sizeof(to));
		if (!ret || (errno != ENETUNREACH && errno != EADDRNOTAVAIL)) {
			report(fd, "connect to %s: MRC", name_of(addr, text));
			return ret;
		}
	}
	if (revert(fd, family))
		return -1;
	return connect_tcp(fd, addr, len, "no MRC route");
}

int do_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	int family = family_of(fd);

	if (family == AF_MRC)
		return connect_again(fd, addr, len);
	if (is_tcp(fd, family))
		return connect_new(fd, family, addr, len);
	return real()->connect(fd, addr, len);
}

/* --- bind ------------------------------------------------------------------ */

/* Is it a node of ours? */
static bool is_own_node(const struct sockaddr_mrc *node)
{
	struct sockaddr_mrc at = *node;
	int m = real()->socket(AF_MRC, SOCK_STREAM | SOCK_CLOEXEC, 0), err;

	if (m < 0)
		return false;
	at.smrc_port = 0;
	err = real()->bind(m, (struct sockaddr *)&at, sizeof(at));
	close(m);
	return !err;
}

/* An IPv4 address that stands for a node need not be configured anywhere. */
int do_bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	int ret = real()->bind(fd, addr, len), saved = errno;
	int family = ret ? family_of(fd) : 0, one = 1;
	struct sockaddr_mrc node;
	enum tag tag;

	if (!ret)
		return 0;
	if (family == AF_MRC) {
		map_node(&map, addr, &node);
		return real()->bind(fd, (struct sockaddr *)&node, sizeof(node));
	}
	if (saved == EADDRNOTAVAIL && is_tcp(fd, family) &&
	    name_in(addr, len, family, &node, &tag) && is_own_node(&node) &&
	    !real()->setsockopt(fd, IPPROTO_IP, IP_FREEBIND, &one, sizeof(one)))
		return real()->bind(fd, addr, len);
	errno = saved;
	return ret;
}

/* --- listen ---------------------------------------------------------------- */

/* Return: an AF_MRC listener that has @fd as its TCP half, or -1 */
static int make_listener(int fd, const struct sockaddr_mrc *at, enum tag tag,
			 int backlog)
{
	const struct real *r = real();
	int m = make_mrc(fd, tag), err;

	if (m < 0)
		return -1;
	if (!r->bind(m, (const struct sockaddr *)at, sizeof(*at)) &&
	    !r->listen(m, backlog) &&
	    !r->setsockopt(m, SOL_MRC, MRC_ACCEPT_TCP, &fd, sizeof(fd)))
		return m;
	err = errno;
	close(m);
	errno = err;
	return -1;
}

/* @fd listens already. */
void convert_listener(int fd, int family, int backlog)
{
	struct sockaddr_in6 sa = { .sin6_family = family };
	int flags = real()->fcntl(fd, F_GETFL), m = -1;
	socklen_t len = sizeof(sa);
	enum tag tag = TAG_NATIVE;
	struct sockaddr_mrc at;
	char text[NAME_TEXT];

	real()->getsockname(fd, (struct sockaddr *)&sa, &len);
	name_of((struct sockaddr *)&sa, text);
	if (option(fd, SOL_SOCKET, SO_BINDTOIFINDEX, 0) ||
	    !bound_to(fd, family, &at, &tag) ||
	    map_port_is_tcp(&map, ntohs(sa.sin6_port))) {
		report(fd, "listen on %s: TCP (no node, or a rule)", text);
	} else if (family == AF_INET && !map_knows_ipv4(&map)) {
		report(fd, "listen on %s: TCP (no node has an IPv4 address)",
		       text);
	} else {
		m = make_listener(fd, &at, tag, backlog);
		if (m < 0)
			report(fd, "listen on %s: TCP (%s)", text,
			       strerror(errno));
	}
	if (m < 0)
		table_forget(fd);
	else if (!put_in_place(fd, m, flags))
		report(fd, "listen on %s: MRC and TCP", text);
}
