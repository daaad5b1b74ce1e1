// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets of TCP that may yet become AF_MRC, by descriptor: from socket(2)
 * until connect(2) or listen(2). Only here it must be known who else refers
 * to the socket, since the new one takes its place everywhere: duplicates of
 * the descriptor, and epoll sets, which hold sockets and not descriptors.
 *
 * Nothing says when a descriptor is closed, so what is written here may be of
 * an earlier socket. Each entry has that socket's number (SO_COOKIE), and
 * is believed only if the socket found under the descriptor has it too.
 *
 * A byte of data never comes here, and epoll_ctl(2) of another descriptor
 * takes two loads. The lock is held for changes only, with signals blocked,
 * and over fork(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib.h"

#define CHUNK		4096
#define CHUNKS		((1U << 31) / CHUNK)

/* A place in an epoll set */
struct place {
	struct place		*next;
	int			epfd;
	struct epoll_event	event;
};

struct entry {
	atomic_uint_fast64_t	cookie;		/* 0: none */
	struct place		*places;	/* under the lock */
};

static struct entry *chunks[CHUNKS];	/* atomic */
static atomic_int last_fd = -1;		/* no entry is above it */
static atomic_bool duplicates;		/* there has been one */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- the lock -------------------------------------------------------------- */

static void take(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
	pthread_mutex_lock(&lock);
}

static void give(const sigset_t *saved)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

static void fork_before(void) { pthread_mutex_lock(&lock); }
static void fork_after(void) { pthread_mutex_unlock(&lock); }

__attribute__((constructor)) static void table_init(void)
{
	pthread_atfork(fork_before, fork_after, fork_after);
}

/* --- entries --------------------------------------------------------------- */

static struct entry *entry_of(int fd)
{
	struct entry *chunk;

	if (fd < 0)
		return NULL;
	chunk = __atomic_load_n(&chunks[fd / CHUNK], __ATOMIC_ACQUIRE);
	return chunk ? &chunk[fd % CHUNK] : NULL;
}

/* Chunks are never freed: whoever looks takes no lock. */
static struct entry *entry_make(int fd)
{
	struct entry *chunk = NULL, *fresh;

	if (fd < 0 || entry_of(fd))
		return entry_of(fd);
	fresh = mmap(NULL, CHUNK * sizeof(*fresh), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fresh == MAP_FAILED)
		return NULL;
	if (!__atomic_compare_exchange_n(&chunks[fd / CHUNK], &chunk, fresh,
					 false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		munmap(fresh, CHUNK * sizeof(*fresh));
	return entry_of(fd);
}

static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	return real()->getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) ?
	       0 : cookie;
}

static void drop_places(struct entry *e)
{
	while (e->places) {
		struct place *p = e->places;

		e->places = p->next;
		free(p);
	}
}

static void entry_set(int fd, uint64_t cookie)
{
	struct entry *e = entry_make(fd);
	int last = atomic_load(&last_fd);
	sigset_t saved;

	if (!e)
		return;
	take(&saved);
	drop_places(e);
	atomic_store(&e->cookie, cookie);
	give(&saved);
	while (last < fd && !atomic_compare_exchange_weak(&last_fd, &last, fd))
		;
}

void table_born(int fd)
{
	int saved = errno;

	entry_set(fd, cookie_of(fd));
	errno = saved;
}

void table_dup(int fd, int to)
{
	struct entry *e = entry_of(fd);
	int saved = errno;
	uint64_t cookie;

	if (fd == to || !e || !atomic_load(&e->cookie))
		return;
	cookie = cookie_of(to);
	if (cookie && cookie == atomic_load(&e->cookie)) {
		atomic_store(&duplicates, true);
		entry_set(to, cookie);
	}
	errno = saved;
}

void table_forget(int fd)
{
	struct entry *e = entry_of(fd);
	int saved_errno = errno;
	sigset_t saved;

	if (!e || !atomic_load(&e->cookie))
		return;
	take(&saved);
	drop_places(e);
	atomic_store(&e->cookie, 0);
	give(&saved);
	errno = saved_errno;
}

/* --- epoll ----------------------------------------------------------------- */

static void place_set(struct entry *e, int epfd, int op,
		      const struct epoll_event *event)
{
	struct place **at = &e->places, *p;

	while (*at && (*at)->epfd != epfd)
		at = &(*at)->next;
	p = *at;
	if (op == EPOLL_CTL_DEL) {
		if (p) {
			*at = p->next;
			free(p);
		}
		return;
	}
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return;
		p->epfd = epfd;
		*at = p;
	}
	p->event = *event;
}

void table_epoll(int epfd, int op, int fd, const struct epoll_event *event)
{
	struct entry *e = entry_of(fd);
	int saved_errno = errno;
	sigset_t saved;

	if (!e || !atomic_load_explicit(&e->cookie, memory_order_acquire))
		return;
	take(&saved);
	if (atomic_load(&e->cookie))
		place_set(e, epfd, op, event);
	give(&saved);
	errno = saved_errno;
}

/* --- the exchange ---------------------------------------------------------- */

/* The old socket may live on in another process, and would stay in the sets. */
static void leave_sets(const struct entry *e, int fd)
{
	const struct place *p;

	for (p = e->places; p; p = p->next)
		real()->epoll_ctl(p->epfd, EPOLL_CTL_DEL, fd, NULL);
}

static void join_sets(const struct entry *e, int fd)
{
	struct place *p;

	for (p = e->places; p; p = p->next)
		real()->epoll_ctl(p->epfd, EPOLL_CTL_ADD, fd, &p->event);
}

static int exchange(int fd, int with)
{
	int flags = real()->fcntl(fd, F_GETFD);

	return real()->dup3(with, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0) < 0 ?
	       -1 : 0;
}

static int exchange_entry(struct entry *e, int fd, int with)
{
	int err;

	leave_sets(e, fd);
	err = exchange(fd, with);
	join_sets(e, fd);
	drop_places(e);
	atomic_store(&e->cookie, 0);
	return err;
}

/* The other descriptors of this socket */
static void exchange_duplicates(uint64_t cookie, int with)
{
	int fd, last = atomic_load(&last_fd);

	for (fd = 0; fd <= last; fd++) {
		struct entry *e = entry_of(fd);

		if (!e) {
			fd |= CHUNK - 1;
			continue;
		}
		if (atomic_load(&e->cookie) == cookie &&
		    cookie_of(fd) == cookie)
			exchange_entry(e, fd, with);
	}
}

int table_replace(int fd, int with)
{
	struct entry *e = entry_of(fd);
	uint64_t cookie = e ? atomic_load(&e->cookie) : 0;
	sigset_t saved;
	int err;

	if (!cookie)
		return exchange(fd, with);
	take(&saved);
	if (cookie_of(fd) != cookie)
		drop_places(e);
	err = exchange_entry(e, fd, with);
	if (atomic_load(&duplicates))
		exchange_duplicates(cookie, with);
	give(&saved);
	return err;
}
