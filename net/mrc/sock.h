/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sockets floor: struct mrc_sock and what its files share.
 *
 *   af_mrc.c	family, proto, proto_ops, module
 *   ports.c	who owns which port
 *   sock_send.c, sock_recv.c, sockopt.c, diag.c, sock_diag.c
 *   accept_tcp.c	listeners for TCP, too
 *   cm*.c	connection management, see cm.h
 *
 * sk_state holds TCP_* values, because the generic helpers know them;
 * mrc_state_of() gives the names of the uapi.
 */
#ifndef _NET_MRC_SOCK_H
#define _NET_MRC_SOCK_H

#include <linux/hrtimer.h>
#include <linux/mrc.h>
#include <linux/poll.h>
#include <linux/rhashtable.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "qp.h"

/* Default SO_SNDBUF and SO_RCVBUF, bytes: what four planes of 100 Gb/s
 * deliver in 80 us, a round trip across a fabric with queues in it. Buffers
 * that follow the measured need come with the congestion controller.
 */
#define MRC_SNDBUF_DEFAULT	(4 * 1024 * 1024)
#define MRC_RCVBUF_DEFAULT	(4 * 1024 * 1024)

struct mrc_bind;
struct mrc_profile;
struct mrc_connect;
struct mrc_tcp;

/**
 * struct mrc_tuple - both ends of a connection, the key of the tuple table
 * @local: node addresses; @local is :: in a wildcard bind
 * @remote: see @local
 * @lport: ports, host order
 * @rport: see @lport
 */
struct mrc_tuple {
	struct in6_addr	local;
	struct in6_addr	remote;
	u16		lport;
	u16		rport;
};

/**
 * struct mrc_far - the far end as a GONE names it, key of its table
 * @remote: node address
 * @dqpn: its QPN
 */
struct mrc_far {
	struct in6_addr	remote;
	u32		dqpn;
};

static_assert(sizeof(struct mrc_tuple) == 36);
static_assert(sizeof(struct mrc_far) == 20);

/* Bits of mrc_sock.deferred: for whoever has the socket lock. */
#define MRC_DEFER_TIMER		0	/* the timer fired */

/**
 * struct mrc_sock - a socket of AF_MRC
 * @sk: generic part; first
 * @qp: transport
 * @t: both ends
 * @tuple_node: in the tuple table, active side, if @in_tuples
 * @far: what a GONE of the peer would name
 * @far_node: in the table of these, if @in_far
 * @bind: port record it owns a share of, NULL if unbound
 * @diag_id: index in mrc_cm_net.socks
 * @token: own token: random, its low 24 bits are the QPN
 * @peer_token: the peer's
 * @why: one line for people to sk_err, NULL if there is none
 * @deferred: MRC_DEFER_*, atomic bits
 * @timer: connect rounds, end of an orphan; soft hrtimer
 * @conn: while connecting
 * @user_timeout: MRC_USER_TIMEOUT, ms, 0 = default
 * @profile: MRC_EV_PROFILE, NULL = that of the routes; fixed once it listens or
 *	connects
 * @tcp: MRC_ACCEPT_TCP; set once, until the last close
 * @tag: MRC_TAG
 * @reason: MRC_CM_R_* for the next ABORT, 0 = from the errno
 * @in_tuples: see above
 * @in_far: see @in_tuples
 * @bind_hard: its share of @bind tolerates no SO_REUSEADDR
 * @bind_auto: its port was chosen by connect()
 * @orphan: closed by its user, holds a reference of its own
 * @tcp_turn: accept() has looked at @tcp first
 * @accept_lock: protects @accept_q of a listener and its end; BH. Innermost
 *	but for the port table's
 * @accept_q: connections that wait for accept()
 * @accept_node: in the listener's @accept_q
 *
 * Protected by the socket lock, but for what says otherwise.
 */
struct mrc_sock {
	struct sock		sk;
	struct mrc_qp		qp;
	struct mrc_tuple	t;
	struct rhash_head	tuple_node;
	struct mrc_far		far;
	struct rhlist_head	far_node;
	struct mrc_bind		*bind;
	u32			diag_id;
	u64			token;
	u64			peer_token;
	const char		*why;
	unsigned long		deferred;
	struct hrtimer		timer;
	struct mrc_connect	*conn;
	u32			user_timeout;
	struct mrc_profile	*profile;
	struct mrc_tcp		*tcp;
	u32			tag;
	u8			reason;
	bool			in_tuples;
	bool			in_far;
	bool			bind_hard;
	bool			bind_auto;
	bool			orphan;
	bool			tcp_turn;
	spinlock_t		accept_lock;	/* see above */
	struct list_head	accept_q;
	struct list_head	accept_node;
};

static inline struct mrc_sock *mrc_sk(const struct sock *sk)
{
	return container_of(sk, struct mrc_sock, sk);
}

static inline struct mrc_sock *mrc_qp_sock(const struct mrc_qp *qp)
{
	return container_of(qp, struct mrc_sock, qp);
}

/* ---- af_mrc.c ------------------------------------------------------------ */

extern struct proto mrc_prot;

/* The one place where sk_state changes. Context: socket lock held. */
void mrc_set_state(struct sock *sk, int state);
/* sk_state in the words of the uapi. */
enum mrc_state mrc_state_of(int state);
/* Lasting settings of a socket, new or cloned for a child; @gfp for its place
 * in the dumps. Return: 0, -ENOMEM.
 */
int mrc_sock_setup(struct sock *sk, struct mrc_net *mnet, gfp_t gfp);
/* Has its user asked for what no AF_MRC socket can do? Return: 0 or
 * -EOPNOTSUPP.
 */
int mrc_sock_refuses(const struct sock *sk);
/* The timer: at most one deadline. Context: socket lock held. */
void mrc_sock_timer_arm(struct mrc_sock *msk, u64 ns);
void mrc_sock_timer_stop(struct mrc_sock *msk);
/* An address for the user: every byte is written. */
void mrc_sockaddr_put(struct sockaddr_mrc *out, const struct in6_addr *addr,
		      u16 port);

/* ---- sock_diag.c --------------------------------------------------------- */

int mrc_sock_diag_init(void);
void mrc_sock_diag_exit(void);

/* ---- sock_send.c, sock_recv.c, sockopt.c --------------------------------- */

int mrc_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
void mrc_splice_eof(struct socket *sock);
void mrc_write_space(struct sock *sk);

int mrc_recvmsg(struct socket *sock, struct msghdr *msg, size_t len,
		int flags);
int mrc_set_rcvlowat(struct sock *sk, int val);
bool mrc_readable(const struct sock *sk);

int mrc_setsockopt(struct socket *sock, int level, int optname,
		   sockptr_t optval, unsigned int optlen);
int mrc_getsockopt(struct socket *sock, int level, int optname,
		   char __user *optval, int __user *optlen);
void mrc_apply_user_timeout(struct mrc_sock *msk);

/* ---- accept_tcp.c -------------------------------------------------------- */

int mrc_accept_tcp_set(struct sock *sk, int fd);
int mrc_accept_tcp_get(const struct sock *sk);
__poll_t mrc_accept_tcp_poll(const struct sock *sk);
int mrc_accept_tcp(const struct sock *sk, struct socket *newsock,
		   const struct proto_accept_arg *arg);
int mrc_accept_tcp_listen(const struct sock *sk, int backlog);
void mrc_accept_tcp_shutdown(const struct sock *sk, int how);
int mrc_accept_tcp_setsockopt(const struct sock *sk, int level, int optname,
			      sockptr_t optval, unsigned int optlen);
void mrc_accept_tcp_release(struct mrc_sock *msk);

#endif
