// SPDX-License-Identifier: GPL-2.0
/*
 * Many connections at once, driven by epoll's edges at both ends: chunks of
 * random sizes, random stalls of reading and of writing, connections that end
 * in order, are aborted or closed with data unread, and new ones in their
 * place. Every byte is accounted for: what one end has read is what the other
 * has written, all of it unless one of them has aborted; no end waits for an
 * edge that has been lost. See conf.h for the arguments, and further
 *
 *   CONF_SECONDS=20	how long new connections are made
 *   CONF_CONNS=500	how many there are at a time
 *   CONF_SEED=N	to repeat a run, as far as time allows
 *
 * Of AF_MRC each fourth connection is a SOCK_SEQPACKET, whose chunks are
 * messages.
 */
#include "conf.h"

#include <stdarg.h>
#include <sys/resource.h>

#define CHUNK		32768	/* largest, bytes */
#define AT_ONCE		4	/* operations before another end has its turn */
#define STUCK_MS	60000	/* without progress, unless stalled */

enum plan { IN_ORDER, NEAR_ABORTS, FAR_CLOSES };

/**
 * struct conn - a connection, as both ends know it
 * @id: index; it is the first thing that the near end sends
 * @plan: how it is to end
 * @total: to be written by the near and by the far end, bytes
 * @enough: who aborts or closes does so when it has read so much
 * @sent: by the near and by the far end
 * @got: by the near and by the far end
 * @over: the near and the far end have closed
 * @failed: an end has seen an error
 */
struct conn {
	uint32_t id;
	enum plan plan;
	size_t total[2], enough;
	size_t sent[2], got[2];
	bool over[2], failed[2];
};

/**
 * struct end - one end of a connection
 * @conn: its connection; of a far end not before its number has come
 * @fd: socket
 * @far: which end
 * @message: SOCK_SEQPACKET
 * @in: epoll has said that there is something to read, no read has denied it
 * @out: the same for writing
 * @read_end: the peer's end of stream has come
 * @sent_end: ours was sent
 * @rx_from: reads no sooner, ms
 * @tx_from: writes no sooner, ms
 * @progress: when anything happened last, ms
 * @head: number of the connection, while it arrives
 * @head_len: bytes of it
 */
struct end {
	struct conn *conn;
	int fd;
	bool far, message, in, out, read_end, sent_end;
	uint64_t rx_from, tx_from, progress;
	uint8_t head[4];
	unsigned int head_len;
};

/**
 * struct side - all near ends, or all far ends
 * @far: which
 * @ends: array, NULL where none is
 * @n: of @ends
 * @ep: epoll instance
 * @lfd: listeners, stream and seqpacket
 * @seed: for chunks and stalls
 * @made: connections, near
 * @done: connections whose end here is over
 * @why: what went wrong, empty if nothing has
 */
struct side {
	bool far;
	struct end **ends;
	unsigned int n;
	int ep, lfd[2];
	unsigned int seed, made, done;
	char why[400];
};

static struct conn *conns;		/* all that there ever are */
static unsigned int max_conns, at_once, seed;
static uint64_t deadline;
static uint16_t ports[2];
static atomic_int closing;		/* the near side has made its last */
static atomic_int gave_up;		/* a side has */
static atomic_uint n_made;

/* The first of a side's complaints is kept. */
__attribute__((format(printf, 2, 3)))
static void wrong(struct side *s, const char *fmt, ...)
{
	va_list args;

	if (*s->why)
		return;
	va_start(args, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, args);
	va_end(args);
}

static uint64_t base_of(const struct conn *c, bool far)
{
	return ((uint64_t)c->id * 2 + far) << 32;
}

/* Both ends know what becomes of a connection from its number. */
static void conn_plan(struct conn *c, uint32_t id)
{
	unsigned int s = seed ^ (id * 2654435761u), i;
	int r = rand_r(&s) % 10;

	c->id = id;
	c->plan = r == 0 ? NEAR_ABORTS : r == 1 ? FAR_CLOSES : IN_ORDER;
	for (i = 0; i < 2; i++)
		c->total[i] = 5 + rand_r(&s) % (1u << (8 + rand_r(&s) % 11));
	/* at least one: the far end knows then who it is */
	c->enough = 1 + rand_r(&s) % 100000;
}

/* Until when an end does nothing: now, mostly */
static uint64_t stall(struct side *s, uint64_t now)
{
	if (rand_r(&s->seed) % 40 || now >= deadline)
		return now;
	return now + rand_r(&s->seed) % (1u << rand_r(&s->seed) % 11);
}

static size_t chunk(struct side *s, size_t most)
{
	size_t n = 1 + rand_r(&s->seed) % (1u << (1 + rand_r(&s->seed) % 15));

	return n < most ? n : most;
}

/* --- ends ------------------------------------------------------------------ */

static struct end *end_add(struct side *s, int fd, bool message)
{
	struct epoll_event ev = {
		.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET };
	struct end *e = calloc(1, sizeof(*e));
	unsigned int i;

	for (i = 0; i < s->n && s->ends[i]; i++)
		;
	if (!e || i == s->n) {
		wrong(s, "no room for an end");
		free(e);
		close(fd);
		return NULL;
	}
	s->ends[i] = e;
	*e = (struct end) { .fd = fd, .far = s->far, .message = message,
			    .progress = now_ms() };
	ev.data.ptr = e;
	if (epoll_ctl(s->ep, EPOLL_CTL_ADD, fd, &ev))
		wrong(s, "epoll_ctl: %s", strerrorname_np(errno));
	return e;
}

static void end_drop(struct side *s, unsigned int i, bool abort)
{
	struct linger l = { .l_onoff = 1 };
	struct end *e = s->ends[i];

	if (abort)
		setsockopt(e->fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
	close(e->fd);
	if (e->conn)
		e->conn->over[e->far] = true;
	free(e);
	s->ends[i] = NULL;
	s->done++;
}

static void end_failed(struct side *s, struct end *e, const char *call)
{
	struct conn *c = e->conn;

	if (!c || c->plan == IN_ORDER)
		wrong(s, "connection %d: %s: %s", c ? (int)c->id : -1, call,
		      strerrorname_np(errno));
	else
		c->failed[e->far] = true;
}

/* --- reading and writing --------------------------------------------------- */

/* The first bytes that a far end gets say who it is. Return: how many. */
static size_t end_head(struct side *s, struct end *e, const uint8_t *p,
		       size_t n)
{
	uint32_t id;
	size_t i;

	for (i = 0; i < n && e->head_len < 4; i++)
		e->head[e->head_len++] = p[i];
	if (e->head_len < 4)
		return i;
	memcpy(&id, e->head, 4);
	if (id >= n_made || conns[id].got[1]) {
		wrong(s, "a connection says that it is %u", id);
		return i;
	}
	e->conn = &conns[id];
	e->conn->got[1] = 4;
	return i;
}

static void end_take(struct side *s, struct end *e, const uint8_t *p, size_t n)
{
	struct conn *c;
	size_t head = 0;
	long at;

	if (e->far && e->head_len < 4)
		head = end_head(s, e, p, n);
	c = e->conn;
	if (!c || head == n)
		return;
	at = differs(p + head, base_of(c, !e->far) + c->got[e->far], n - head);
	if (at >= 0)
		wrong(s, "connection %u: byte %zu is wrong", c->id,
		      c->got[e->far] + at);
	c->got[e->far] += n - head;
}

/* Return: may be called again at once */
static bool end_read(struct side *s, struct end *e, uint64_t now)
{
	uint8_t buf[CHUNK];
	ssize_t n = recv(e->fd, buf, e->message ? CHUNK : chunk(s, CHUNK),
			 MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN) {
		e->in = false;
		return false;
	}
	e->progress = now;
	if (n > 0) {
		end_take(s, e, buf, n);
		e->rx_from = stall(s, now);
		return e->rx_from <= now;
	}
	e->in = false;
	e->read_end = true;
	if (n < 0)
		end_failed(s, e, "recv");
	return false;
}

static bool end_write(struct side *s, struct end *e, uint64_t now)
{
	struct conn *c = e->conn;
	size_t sent = c->sent[e->far], total = c->total[e->far];
	uint8_t buf[CHUNK];
	size_t len = chunk(s, total - sent);
	ssize_t n;

	marks(buf, base_of(c, e->far) + sent, len);
	if (!e->far && sent < 4) {
		len = 4 - sent;
		memcpy(buf, (uint8_t *)&c->id + sent, len);
	}
	n = send(e->fd, buf, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && errno == EAGAIN) {
		e->out = false;
		return false;
	}
	e->progress = now;
	if (n < 0) {
		end_failed(s, e, "send");
		e->sent_end = true;
		return false;
	}
	c->sent[e->far] += n;
	if (c->sent[e->far] == total) {
		if (shutdown(e->fd, SHUT_WR))
			end_failed(s, e, "shutdown");
		e->sent_end = true;
		return false;
	}
	e->tx_from = stall(s, now);
	return e->tx_from <= now;
}

static bool end_may_read(const struct end *e, uint64_t now)
{
	return e->in && !e->read_end && e->rx_from <= now;
}

static bool end_may_write(const struct end *e, uint64_t now)
{
	return e->out && e->conn && !e->sent_end && e->tx_from <= now;
}

/* Is it over, in order or as planned? */
static void end_finish(struct side *s, unsigned int i)
{
	struct end *e = s->ends[i];
	struct conn *c = e->conn;

	if (c && c->plan == (e->far ? FAR_CLOSES : NEAR_ABORTS) &&
	    c->got[e->far] >= c->enough && !e->read_end)
		end_drop(s, i, !e->far);
	else if (c && c->failed[e->far])
		end_drop(s, i, false);
	else if (e->read_end && (e->sent_end || !c))
		end_drop(s, i, false);
}

#define STUCK	"%s end of %d is stuck: in %d, out %d, ended %d %d, "	\
		"sent %zu, got %zu, poll %x, unacknowledged %d, state %u"

/* All that may help to find out why */
static void end_stuck(struct side *s, const struct end *e)
{
	struct pollfd p = { e->fd, POLLIN | POLLOUT | POLLRDHUP };
	struct mrc_info m = {};
	socklen_t len = sizeof(m);
	int out = -1;

	if (conf_mrc)
		getsockopt(e->fd, SOL_MRC, MRC_INFO, &m, &len);
	ioctl(e->fd, SIOCOUTQ, &out);
	poll(&p, 1, 0);
	wrong(s, STUCK,
	      e->far ? "far" : "near", e->conn ? (int)e->conn->id : -1, e->in,
	      e->out, e->read_end, e->sent_end,
	      e->conn ? e->conn->sent[e->far] : 0,
	      e->conn ? e->conn->got[e->far] : 0, p.revents, out,
	      m.mrc_info_state);
}

static void end_check(struct side *s, const struct end *e, uint64_t now)
{
	uint64_t last = e->progress;

	if (e->rx_from > last)
		last = e->rx_from;
	if (e->tx_from > last)
		last = e->tx_from;
	if (now > last + STUCK_MS)
		end_stuck(s, e);
}

/* --- a side ---------------------------------------------------------------- */

static void near_connect(struct side *s)
{
	struct conn *c = &conns[s->made];
	bool message = conf_mrc && s->made % 4 == 3;
	struct sockaddr_in6 a = far_at(ports[message]);
	struct end *e;
	int fd;

	conn_plan(c, s->made++);
	n_made = s->made;
	fd = socket(conf_far.sin6_family, (message ? SOCK_SEQPACKET :
		    SOCK_STREAM) | SOCK_NONBLOCK, 0);
	if (fd < 0 || (connect(fd, (void *)&a, sizeof(a)) &&
		       errno != EINPROGRESS)) {
		wrong(s, "connect: %s", strerrorname_np(errno));
		return;
	}
	e = end_add(s, fd, message);
	if (e)
		e->conn = c;
}

static void far_accept(struct side *s, int which)
{
	int fd;

	while ((fd = accept4(s->lfd[which], NULL, NULL, SOCK_NONBLOCK)) >= 0)
		end_add(s, fd, which);
	if (errno != EAGAIN && errno != ECONNABORTED)
		wrong(s, "accept: %s", strerrorname_np(errno));
}

/* Return: ms until something can be done without an event; -1 = no end */
static int side_work(struct side *s)
{
	uint64_t now = now_ms(), next = now + 1000;
	unsigned int i, k, live = 0;
	bool more = false;

	for (i = 0; i < s->n; i++) {
		struct end *e = s->ends[i];

		if (!e)
			continue;
		live++;
		for (k = 0; k < AT_ONCE && end_may_read(e, now); k++)
			end_read(s, e, now);
		for (k = 0; k < AT_ONCE && end_may_write(e, now); k++)
			end_write(s, e, now);
		more |= end_may_read(e, now) || end_may_write(e, now);
		if (e->rx_from > now && e->rx_from < next)
			next = e->rx_from;
		if (e->tx_from > now && e->tx_from < next)
			next = e->tx_from;
		end_check(s, e, now);
		end_finish(s, i);
	}
	if (!s->far && now < deadline && s->made < max_conns) {
		for (; live < at_once && s->made < max_conns; live++)
			near_connect(s);
		return 0;
	}
	if (!live)
		return -1;
	return more ? 0 : next - now;
}

static void side_events(struct side *s, int timeout)
{
	struct epoll_event ev[64];
	int n = epoll_wait(s->ep, ev, 64, timeout), i;

	for (i = 0; i < n; i++) {
		struct end *e = ev[i].data.ptr;

		if (ev[i].data.u64 < 2) {
			far_accept(s, ev[i].data.u64);
			continue;
		}
		if (ev[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP))
			e->in = true;
		if (ev[i].events & (EPOLLOUT | EPOLLERR | EPOLLHUP))
			e->out = true;
		e->progress = now_ms();
	}
}

static void *side_main(void *arg)
{
	struct side *s = arg;
	int timeout = 0;

	while (!*s->why && !gave_up) {
		side_events(s, timeout);
		timeout = side_work(s);
		if (timeout < 0) {
			if (!s->far || closing)
				break;
			timeout = 200;
		}
	}
	if (!s->far)
		closing = 1;
	if (*s->why)
		gave_up = 1;
	return NULL;
}

static void side_init(struct side *s, bool far)
{
	int i;

	*s = (struct side) { .far = far, .seed = seed + far, .n = 2 * at_once };
	s->ends = calloc(s->n, sizeof(*s->ends));
	s->ep = keep(epoll_create1(0));
	CHECK(s->ends && s->ep >= 0);
	if (!far)
		return;
	for (i = 0; i < 1 + conf_mrc; i++) {
		struct epoll_event ev = { .events = EPOLLIN | EPOLLET,
					  .data.u64 = i };

		s->lfd[i] = far_listener(i ? SOCK_SEQPACKET : SOCK_STREAM,
					 at_once);
		nonblocking(s->lfd[i]);
		ports[i] = port_of(s->lfd[i]);
		CHECK_EQ(epoll_ctl(s->ep, EPOLL_CTL_ADD, s->lfd[i], &ev), 0);
	}
}

/* --- accounts -------------------------------------------------------------- */

static void account(const struct conn *c)
{
	bool order = c->sent[0] == c->total[0] && c->got[0] == c->sent[1] &&
		     c->sent[1] == c->total[1] && c->got[1] == c->sent[0];

	if (c->plan == IN_ORDER && !order)
		KTAP_FAIL("connection %u: sent %zu, got %zu; sent %zu, got %zu",
			  c->id, c->sent[0], c->got[1], c->sent[1], c->got[0]);
	CHECK(c->got[0] <= c->sent[1] && c->got[1] <= c->sent[0]);
	CHECK(c->over[0] && c->over[1]);
}

static void test_soak(void)
{
	struct side near, far;
	uint64_t bytes = 0;
	unsigned int i, aborted = 0;
	pthread_t t;

	side_init(&near, false);
	side_init(&far, true);
	deadline = now_ms() + atoi(getenv("CONF_SECONDS") ?: "20") * 1000;
	CHECK_EQ(pthread_create(&t, NULL, side_main, &far), 0);
	side_main(&near);
	pthread_join(t, NULL);
	if (*near.why || *far.why)
		KTAP_FAIL("seed %u: near: %s; far: %s", seed, near.why,
			  far.why);
	for (i = 0; i < near.made; i++) {
		account(&conns[i]);
		bytes += conns[i].got[0] + conns[i].got[1];
		aborted += conns[i].failed[0] || conns[i].failed[1];
	}
	CHECK_EQ(near.done, near.made);
	/* not only for a test that fails */
	fprintf(stderr, "# seed %u: %u connections, %u broken off, %llu bytes\n",
		seed, near.made, aborted, (unsigned long long)bytes);
	CHECK(near.made > at_once && aborted && bytes > 1000000);
	free(near.ends);
	free(far.ends);
}

static const struct ktap tests[] = {
	T("soak: every byte accounted for, nobody waits", test_soak),
};

int main(int argc, char **argv)
{
	struct rlimit r;

	conf_init(argc, argv);
	seed = atoi(getenv("CONF_SEED") ?: "0") ?: getpid() + time(NULL);
	at_once = atoi(getenv("CONF_CONNS") ?: "500");
	max_conns = 4000000;
	conns = mmap(NULL, max_conns * sizeof(*conns), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (conns == MAP_FAILED || getrlimit(RLIMIT_NOFILE, &r))
		err(1, "memory");
	r.rlim_cur = r.rlim_max;
	if (r.rlim_cur < 4 * at_once + 100 || setrlimit(RLIMIT_NOFILE, &r))
		errx(1, "%u connections need more descriptors", at_once);
	return ktap_run(tests, N_ELEM(tests), clean);
}
