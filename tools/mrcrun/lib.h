/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libmrcrun.so, which mrcrun(1) puts before the C library of a program.
 *
 *   calls.c	what it puts before: the calls themselves
 *   convert.c	a TCP socket becomes one of AF_MRC, at connect or listen
 *   table.c	sockets before that: epoll sets that hold them, duplicates
 *   names.c	addresses, as the program expects them
 *   options.c	socket options of TCP and IP, asked of an AF_MRC socket
 *   map.c	which addresses are which nodes
 *   report.c	"mrcrun -v"
 *
 * A socket becomes AF_MRC under its own descriptor, as a whole and for good.
 * From then on the kernel does everything, and no call that moves data is
 * touched (but recvmsg with MSG_ERRQUEUE). What must be known of the socket,
 * the family that the program thinks it has, is kept by the kernel in the
 * socket (MRC_TAG): so that it is found again after dup, fork, exec, by whoever
 * receives it, and in accepted ones. A listener for both is one descriptor, too
 * (MRC_ACCEPT_TCP).
 */
#ifndef MRCRUN_LIB_H
#define MRCRUN_LIB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "map.h"

/* MRC_TAG: the family that the program sees. 0: it knows AF_MRC itself. One bit
 * besides: TCP_CORK is set, and MRC_NODELAY was before.
 */
enum tag {
	TAG_NATIVE	= 0,
	TAG_INET	= 0x4d520004,
	TAG_INET6	= 0x4d520006,
	TAG_MAPPED	= 0x4d520046,	/* AF_INET6, addresses ::ffff:a.b.c.d */
	TAG_CORKED	= 0x100,
};

/* The calls below us, of the C library or of another preload. */
struct real {
	int (*socket)(int domain, int type, int protocol);
	int (*bind)(int fd, const struct sockaddr *addr, socklen_t len);
	int (*connect)(int fd, const struct sockaddr *addr, socklen_t len);
	int (*listen)(int fd, int backlog);
	int (*accept)(int fd, struct sockaddr *addr, socklen_t *len);
	int (*accept4)(int fd, struct sockaddr *addr, socklen_t *len,
		       int flags);
	ssize_t (*recvmsg)(int fd, struct msghdr *msg, int flags);
	int (*getsockname)(int fd, struct sockaddr *addr, socklen_t *len);
	int (*getpeername)(int fd, struct sockaddr *addr, socklen_t *len);
	int (*getsockopt)(int fd, int level, int name, void *val,
			  socklen_t *len);
	int (*setsockopt)(int fd, int level, int name, const void *val,
			  socklen_t len);
	int (*epoll_ctl)(int epfd, int op, int fd, struct epoll_event *event);
	int (*dup)(int fd);
	int (*dup2)(int fd, int to);
	int (*dup3)(int fd, int to, int flags);
	int (*fcntl)(int fd, int cmd, ...);
};

/* calls.c */
const struct real *real(void);
extern struct map map;

/* An int option, or @none if the socket does not know it. errno is kept. */
int option(int fd, int level, int name, int none);
/* AF_*, or -1: no socket. errno is kept. */
int family_of(int fd);
bool is_tcp(int fd, int family);
/* TAG_* without TAG_CORKED */
enum tag tag_of(int fd);

/* convert.c: as the calls, for sockets of AF_INET or AF_INET6 */
int do_connect(int fd, const struct sockaddr *addr, socklen_t len);
int do_bind(int fd, const struct sockaddr *addr, socklen_t len);
void convert_listener(int fd, int family, int backlog);

/* table.c. All keep errno. */
void table_born(int fd);
void table_dup(int fd, int to);
void table_epoll(int epfd, int op, int fd, const struct epoll_event *event);
void table_forget(int fd);
/* Under each descriptor of the socket @fd there is @with from now on, in all
 * epoll sets too. Return: 0, or -1 and errno.
 */
int table_replace(int fd, int with);

/* names.c */
bool name_in(const struct sockaddr *addr, socklen_t len, int family,
	     struct sockaddr_mrc *node, enum tag *tag);
/* What the kernel said about @fd to @addr and @len, as a call returns it */
void name_out(int fd, const struct sockaddr_storage *said, socklen_t n,
	      struct sockaddr *addr, socklen_t *len);
const char *name_text(const struct sockaddr *addr, char *buf, size_t size);
#define NAME_TEXT	(INET6_ADDRSTRLEN + 10)

/* options.c: for AF_MRC sockets; as the calls */
int do_getsockopt(int fd, int level, int name, void *val, socklen_t *len);
int do_setsockopt(int fd, int level, int name, const void *val, socklen_t len);
/* Reports of the error queue, as TCP makes them */
void pose_errors(int fd, struct msghdr *msg);
/* Options of @from that @to should have, too, whichever family is which */
void carry_options(int from, int to);

/* report.c. errno is kept. */
void report_init(void);
bool reporting(void);
void report(int fd, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
