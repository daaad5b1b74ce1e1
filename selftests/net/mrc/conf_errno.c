// SPDX-License-Identifier: GPL-2.0
/*
 * Call by condition: what AF_MRC returns, and TCP. The same, or the difference
 * is in the list of those that are explained.
 *
 *   conf_errno ADDR		TAP; ADDR is a node address of this namespace,
 *				TCP's is ::1
 *   conf_errno -r ADDR		the table and the list for mrc-errors.rst
 *
 * Everything is non-blocking: a call that would wait says EAGAIN.
 */
#include "conf.h"

#include <sys/sendfile.h>

#define NOBODY		65534

/* --- results --------------------------------------------------------------- */

#define RESULT_LEN	40

/* Of a system call: what it returns, or the name of its errno */
static void put_result(char *out, long ret)
{
	if (ret < 0)
		snprintf(out, RESULT_LEN, "%s", strerrorname_np(errno) ?: "?");
	else
		snprintf(out, RESULT_LEN, "%ld", ret);
}

static const struct {
	int bit;
	const char *name;
} poll_bits[] = {
	{ POLLIN, "IN" }, { POLLPRI, "PRI" }, { POLLOUT, "OUT" },
	{ POLLRDHUP, "RDHUP" }, { POLLERR, "ERR" }, { POLLHUP, "HUP" },
};

/* --- conditions ------------------------------------------------------------ */

static int cond_fresh(void)
{
	return near_sock(SOCK_STREAM);
}

static int cond_bound(void)
{
	int fd = near_sock(SOCK_STREAM);
	struct sockaddr_in6 any = { .sin6_family = conf_far.sin6_family };

	CHECK_EQ(bind(fd, (void *)&any, sizeof(any)), 0);
	return fd;
}

static int cond_listening(void)
{
	return far_listener(SOCK_STREAM, 4);
}

static int cond_waiting(void)
{
	int lfd = far_listener(SOCK_STREAM, 4);

	CHECK_EQ(do_connect(near_sock(SOCK_STREAM), port_of(lfd)), 0);
	events(lfd, POLLIN);
	return lfd;
}

/* To one whose queue is full: nothing will come of it soon. */
static int cond_connecting(void)
{
	int lfd = far_listener(SOCK_STREAM, 0), fd = -1, i;

	for (i = 0; i < 4; i++) {
		fd = near_sock(SOCK_STREAM);
		nonblocking(fd);
		CHECK_ERR(do_connect(fd, port_of(lfd)), EINPROGRESS);
		if (!i)
			events(fd, POLLOUT);
	}
	return fd;
}

static int cond_refused(void)
{
	int fd = near_sock(SOCK_STREAM), far = far_sock(SOCK_STREAM);

	CHECK_EQ(do_bind(far, 0), 0);
	nonblocking(fd);
	CHECK_ERR(do_connect(fd, port_of(far)), EINPROGRESS);
	events(fd, POLLERR);
	return fd;
}

static int cond_disconnected(void)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(connect(a, &none, sizeof(none)), 0);
	sock_err(a);
	return a;
}

static int cond_connected(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	return a;
}

static int cond_readable(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	put(b, 0, 3);
	events(a, POLLIN);
	return a;
}

static int cond_full(void)
{
	int a, b;

	pair_small(SOCK_STREAM, &a, &b, 65536, 65536);
	fill_both(a, b, 0);
	return a;
}

static int cond_peer_fin(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(shutdown(b, SHUT_WR), 0);
	events(a, POLLRDHUP);
	return a;
}

static int cond_shut_wr(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	events(b, POLLRDHUP);
	UNTIL(!queued(a, SIOCOUTQ));
	return a;
}

static int cond_shut_rd(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(shutdown(a, SHUT_RD), 0);
	return a;
}

static int cond_both_fin(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	CHECK_EQ(shutdown(b, SHUT_WR), 0);
	events(a, POLLRDHUP);
	CHECK_EQ(shutdown(a, SHUT_WR), 0);
	events(b, POLLHUP);
	events(a, POLLHUP);
	UNTIL(!queued(a, SIOCOUTQ));
	return a;
}

static int cond_reset(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	set_linger(b, 0);
	drop(b);
	events(a, POLLERR);
	return a;
}

static int cond_reset_told(void)
{
	int a = cond_reset();

	CHECK_EQ(sock_err(a), ECONNRESET);
	return a;
}

static int cond_reset_data(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	put(b, 0, 3);
	events(a, POLLIN);
	set_linger(b, 0);
	drop(b);
	events(a, POLLERR);
	return a;
}

/* The peer has closed, and has refused what came then. */
static int cond_pipe(void)
{
	int a, b;

	pair(SOCK_STREAM, &a, &b);
	drop(b);
	events(a, POLLRDHUP);
	CHECK_EQ(send(a, "x", 1, MSG_NOSIGNAL), 1);
	events(a, POLLERR);
	return a;
}

static const struct {
	const char *name, *what;
	int (*make)(void);
} conds[] = {
	{ "new", "socket() was all", cond_fresh },
	{ "bound", "to a port, no more", cond_bound },
	{ "listening", "nobody waits", cond_listening },
	{ "waiting", "listening, a connection waits to be accepted",
	  cond_waiting },
	{ "connecting", "the peer has not answered", cond_connecting },
	{ "refused", "a non-blocking connect() was; nobody has asked yet",
	  cond_refused },
	{ "disconnected", "was connected, then connect(AF_UNSPEC)",
	  cond_disconnected },
	{ "connected", "nothing has been sent", cond_connected },
	{ "readable", "three bytes wait", cond_readable },
	{ "full", "no room to write, the peer reads nothing", cond_full },
	{ "peer-fin", "the peer's end of stream has come", cond_peer_fin },
	{ "shut-wr", "own end of stream sent and acknowledged", cond_shut_wr },
	{ "shut-rd", "shutdown(SHUT_RD)", cond_shut_rd },
	{ "both-fin", "ended both ways, in order", cond_both_fin },
	{ "reset", "by the peer; nobody has asked yet", cond_reset },
	{ "reset-told", "and SO_ERROR has said so", cond_reset_told },
	{ "reset-data", "by the peer, with three bytes unread",
	  cond_reset_data },
	{ "pipe", "the peer has closed, then data was sent to it", cond_pipe },
};

/* --- calls, in each condition ---------------------------------------------- */

static long call_bind(int fd)
{
	struct sockaddr_in6 any = { .sin6_family = conf_far.sin6_family };

	return bind(fd, (void *)&any, sizeof(any));
}

static long call_listen(int fd)
{
	return listen(fd, 4);
}

/* To a port where somebody listens */
static long call_connect(int fd)
{
	return do_connect(fd, port_of(far_listener(SOCK_STREAM, 4)));
}

static long call_unspec(int fd)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };

	return connect(fd, &none, sizeof(none));
}

static long call_accept(int fd)
{
	int new = keep(accept(fd, NULL, NULL));

	return new < 0 ? new : 0;
}

static long call_getsockname(int fd)
{
	struct sockaddr_in6 a;
	socklen_t len = sizeof(a);

	return getsockname(fd, (void *)&a, &len);
}

static long call_getpeername(int fd)
{
	struct sockaddr_in6 a;
	socklen_t len = sizeof(a);

	return getpeername(fd, (void *)&a, &len);
}

static long call_send(int fd)
{
	return send(fd, "x", 1, MSG_NOSIGNAL);
}

static long call_send_0(int fd)
{
	return send(fd, "", 0, MSG_NOSIGNAL);
}

static long call_send_oob(int fd)
{
	return send(fd, "x", 1, MSG_NOSIGNAL | MSG_OOB);
}

static long call_sendto(int fd)
{
	struct sockaddr_in6 a = far_at(9);

	return sendto(fd, "x", 1, MSG_NOSIGNAL, (void *)&a, sizeof(a));
}

static long call_sendfile(int fd)
{
	int file = keep(memfd_create("x", 0));

	CHECK_EQ(write(file, "x", 1), 1);
	return sendfile(fd, file, &(off_t){ 0 }, 1);
}

static long call_recv(int fd)
{
	char c;

	return recv(fd, &c, 1, 0);
}

static long call_recv_0(int fd)
{
	char c;

	return recv(fd, &c, 0, 0);
}

static long call_recv_peek(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_PEEK);
}

static long call_recv_oob(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_OOB);
}

static long call_recv_errqueue(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_ERRQUEUE);
}

static long call_splice(int fd)
{
	int p[2];

	CHECK_EQ(pipe(p), 0);
	keep(p[0]);
	keep(p[1]);
	return splice(fd, NULL, p[1], NULL, 1, SPLICE_F_NONBLOCK);
}

static long call_shut_rd(int fd)
{
	return shutdown(fd, SHUT_RD);
}

static long call_shut_wr(int fd)
{
	return shutdown(fd, SHUT_WR);
}

static long call_shut_rdwr(int fd)
{
	return shutdown(fd, SHUT_RDWR);
}

static long call_so_error(int fd)
{
	int e = sock_err(fd);

	if (!e)
		return 0;
	errno = e;
	return -1;
}

static long call_inq(int fd)
{
	int n;

	return ioctl(fd, SIOCINQ, &n) ?: n;
}

static long call_outq(int fd)
{
	int n;

	return ioctl(fd, SIOCOUTQ, &n) ?: !!n;
}

static long call_atmark(int fd)
{
	int n;

	return ioctl(fd, SIOCATMARK, &n) ?: n;
}

static const struct {
	const char *name;
	long (*fn)(int fd);
} calls[] = {
	{ "bind(), any port", call_bind },
	{ "listen()", call_listen },
	{ "connect()", call_connect },
	{ "connect(AF_UNSPEC)", call_unspec },
	{ "accept()", call_accept },
	{ "getsockname()", call_getsockname },
	{ "getpeername()", call_getpeername },
	{ "send() of 1 byte", call_send },
	{ "send() of 0 bytes", call_send_0 },
	{ "send(MSG_OOB)", call_send_oob },
	{ "sendto() another address", call_sendto },
	{ "sendfile() of 1 byte", call_sendfile },
	{ "recv() of 1 byte", call_recv },
	{ "recv() of 0 bytes", call_recv_0 },
	{ "recv(MSG_PEEK)", call_recv_peek },
	{ "recv(MSG_OOB)", call_recv_oob },
	{ "recv(MSG_ERRQUEUE)", call_recv_errqueue },
	{ "splice() into a pipe", call_splice },
	{ "shutdown(SHUT_RD)", call_shut_rd },
	{ "shutdown(SHUT_WR)", call_shut_wr },
	{ "shutdown(SHUT_RDWR)", call_shut_rdwr },
	{ "SO_ERROR", call_so_error },
	{ "poll()", NULL },
	{ "SIOCINQ", call_inq },
	{ "SIOCOUTQ, 1 = some", call_outq },
	{ "SIOCATMARK", call_atmark },
};

/* --- wrong input, and what is explained ------------------------------------ */

#include "conf_errno_input.h"
#include "conf_errno_diff.h"

/* --- the table ------------------------------------------------------------- */

/**
 * struct cell - one call under one condition
 * @call: name
 * @cond: name
 * @mrc: what AF_MRC gives
 * @tcp: what TCP gives
 * @diff: index of the explanation, -1 if there is none
 */
struct cell {
	const char *call, *cond;
	char mrc[RESULT_LEN], tcp[RESULT_LEN];
	int diff;
};

#define N_CELLS		(N_ELEM(calls) * N_ELEM(conds) + N_ELEM(inputs))

static struct cell cells[N_CELLS];
static struct in6_addr mrc_addr;

static void family(bool mrc)
{
	conf_mrc = mrc;
	conf_far = (struct sockaddr_in6) {
		.sin6_family = mrc ? AF_MRC : AF_INET6,
		.sin6_addr = mrc ? mrc_addr : in6addr_loopback,
	};
}

static void put_events(char *out, int is)
{
	unsigned int i;

	strcpy(out, is ? "" : "0");
	for (i = 0; i < N_ELEM(poll_bits); i++) {
		if (!(is & poll_bits[i].bit))
			continue;
		if (*out)
			strcat(out, " ");
		strcat(out, poll_bits[i].name);
	}
}

static void fill_cell(unsigned int n, bool mrc)
{
	unsigned int i = n / N_ELEM(conds), j = n % N_ELEM(conds);
	struct cell *c = &cells[n];
	char *out = mrc ? c->mrc : c->tcp;
	int fd;

	if (i >= N_ELEM(calls)) {
		n -= N_ELEM(calls) * N_ELEM(conds);
		c->call = inputs[n].call;
		c->cond = inputs[n].cond;
		family(mrc);
		put_result(out, inputs[n].fn() < 0 ? -1 : 0);
		return;
	}
	c->call = calls[i].name;
	c->cond = conds[j].name;
	family(mrc);
	fd = conds[j].make();
	nonblocking(fd);
	if (calls[i].fn)
		put_result(out, calls[i].fn(fd));
	else
		put_events(out, events(fd, 0));
}

static int find_diff(const struct cell *c)
{
	unsigned int i;

	if (!strcmp(c->mrc, c->tcp))
		return -1;
	for (i = 0; i < N_ELEM(diffs); i++)
		if (!strcmp(diffs[i].mrc, c->mrc) &&
		    !fnmatch(diffs[i].tcp, c->tcp, FNM_EXTMATCH) &&
		    !fnmatch(diffs[i].call, c->call, FNM_EXTMATCH) &&
		    !fnmatch(diffs[i].cond, c->cond, FNM_EXTMATCH))
			return i;
	return -1;
}

static void fill_all(void)
{
	unsigned int i;

	for (i = 0; i < N_CELLS; i++) {
		fill_cell(i, true);
		clean();
		fill_cell(i, false);
		clean();
		cells[i].diff = find_diff(&cells[i]);
	}
}

/* --- TAP ------------------------------------------------------------------- */

static void test_same(void)
{
	unsigned int i, bad = 0;

	for (i = 0; i < N_CELLS; i++) {
		const struct cell *c = &cells[i];

		if (!strcmp(c->mrc, c->tcp) || c->diff >= 0)
			continue;
		printf("# %s, %s: %s, TCP %s\n", c->call, c->cond, c->mrc,
		       c->tcp);
		bad++;
	}
	CHECK_EQ(bad, 0);
}

static void test_needed(void)
{
	unsigned int i, j, bad = 0;

	for (i = 0; i < N_ELEM(diffs); i++) {
		for (j = 0; j < N_CELLS && cells[j].diff != (int)i; j++)
			;
		if (j < N_CELLS)
			continue;
		printf("# nothing differs so: %s, %s: %s, TCP %s\n",
		       diffs[i].call, diffs[i].cond, diffs[i].mrc,
		       diffs[i].tcp);
		bad++;
	}
	CHECK_EQ(bad, 0);
}

static const struct ktap tests[] = {
	T("errno: all calls in all conditions", fill_all),
	T("errno: as TCP, or explained", test_same),
	T("errno: each explanation is needed", test_needed),
};

/* --- the document ---------------------------------------------------------- */

/* Conditions of a call that give the same are one row. */
static void print_call(unsigned int first, unsigned int n)
{
	unsigned int i, j;
	bool done[N_ELEM(conds)] = {};

	for (i = 0; i < n; i++) {
		const struct cell *c = &cells[first + i], *d;

		if (done[i])
			continue;
		printf("   * -%s%s\n     - %s", i ? "" : " ", i ? "" : c->call,
		       c->cond);
		for (j = i + 1; j < n; j++) {
			d = &cells[first + j];
			if (strcmp(c->mrc, d->mrc) || strcmp(c->tcp, d->tcp) ||
			    c->diff != d->diff)
				continue;
			printf(", %s", d->cond);
			done[j] = true;
		}
		printf("\n     - %s\n     - %s", c->mrc,
		       strcmp(c->mrc, c->tcp) ? c->tcp : "same");
		if (c->diff >= 0)
			printf(" (%d)", c->diff + 1);
		printf("\n");
	}
}

static int print_rst(void)
{
	const char *head =
		".. list-table::\n   :header-rows: 1\n\n   * - call\n"
		"     - condition\n     - AF_MRC\n     - TCP\n";
	unsigned int i;

	if (!ktap_one(fill_all))
		return 1;
	printf("\n.. list-table::\n   :header-rows: 1\n\n"
	       "   * - condition\n     - what it is\n");
	for (i = 0; i < N_ELEM(conds); i++)
		printf("   * - %s\n     - %s\n", conds[i].name,
		       conds[i].what);
	printf("\n%s", head);
	for (i = 0; i < N_ELEM(calls); i++)
		print_call(i * N_ELEM(conds), N_ELEM(conds));
	printf("\nInput that is wrong, or right but for the moment:\n\n%s",
	       head);
	for (i = N_ELEM(calls) * N_ELEM(conds); i < N_CELLS; i++)
		print_call(i, 1);
	printf("\nWhy they differ:\n\n");
	for (i = 0; i < N_ELEM(diffs); i++)
		printf("%u. %s\n", i + 1, diffs[i].why);
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	bool rst = argc == 3 && !strcmp(argv[1], "-r");

	if (argc != 2 + rst ||
	    inet_pton(AF_INET6, argv[1 + rst], &mrc_addr) != 1)
		errx(2, "usage: conf_errno [-r] NODE-ADDRESS");
	signal(SIGPIPE, SIG_IGN);
	return rst ? print_rst() : ktap_run(tests, N_ELEM(tests), clean);
}
