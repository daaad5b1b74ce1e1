/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connection management: what its files share.
 *
 *   cm.c		messages of QP 1 in and out, per-namespace state
 *   cm_active.c	connect: rounds of REQ, REP, REJ
 *   cm_listen.c	listen: request entries, cookies, children, accept
 *   cm_close.c		FIN, orphans, ABORT, failure
 *   cm_wait.c		time-wait and GONE: packets of connections that are over
 *
 *   initiator                               listener
 *   REQ on up to four planes   ------->     request entry (or a cookie)
 *                              <-------     REP on two planes
 *   established                ------->     RTU
 *                              ------->     PROBE (or data): the connection
 *                                           exists once one of the three came
 *
 * An RTU may be lost, and an initiator that only listens would never send
 * data: so it sends a reliability probe, which the transport repeats until it
 * is answered. The probe carries the control key of the REP and is as good a
 * proof as an RTU; and its answer tells the initiator that it was heard.
 *
 * Tokens have 64 random bits; the low 24 are the owner's QPN, which is random
 * itself. So the QPN table serves for tokens too. A message is believed if
 * its token and addresses match, and RTU and ABORT must name the control key.
 */
#ifndef _NET_MRC_CM_H
#define _NET_MRC_CM_H

#include <linux/siphash.h>
#include <linux/timer.h>
#include <linux/xarray.h>

#include "output.h"
#include "ports.h"
#include "route.h"
#include "upcall.h"
#include "wire_cm.h"

#define MRC_CM_PLANES		4	/* a round of REQ, at most */
#define MRC_CM_ANSWERS		2	/* planes of a REP, REJ or ABORT */
#define MRC_CM_BUF		512	/* longest message looked at, bytes */
#define MRC_CONNECT_NS		(10ULL * NSEC_PER_SEC)

/**
 * struct mrc_reqs - half-open requests
 * @lock: protects all of it and the making of children; BH. Outside the
 *	child's socket lock
 * @hash: struct mrc_request by the initiator's token and address
 * @open: waiting for a proof, longest unused first; all live equally long,
 *	so this is also the order in which they end
 * @done: connections were made of them, oldest first
 * @n_open: how many
 * @n_done: see @n_open
 * @timer: ends the first of each list
 * @key: of cookies
 */
struct mrc_reqs {
	spinlock_t		lock;	/* see above */
	struct rhashtable	hash;
	struct list_head	open;
	struct list_head	done;
	u32			n_open;
	u32			n_done;
	struct timer_list	timer;
	siphash_key_t		key;
};

/**
 * struct mrc_waits - time-wait entries
 * @lock: protects all of it; BH. Inside a socket lock
 * @lru: oldest first
 * @n: entries
 * @timer: ends the first of @lru
 */
struct mrc_waits {
	spinlock_t		lock;	/* see above */
	struct list_head	lru;
	u32			n;
	struct timer_list	timer;
};

/**
 * struct mrc_meter - bounds answers that a stranger may cause
 * @lock: protects the others; BH
 * @tokens: answers left
 * @at: when @tokens was brought up to date, ns
 */
struct mrc_meter {
	spinlock_t	lock;	/* see above */
	u32		tokens;
	u64		at;
};

/**
 * struct mrc_cm_net - the sockets floor of one namespace
 * @mnet: paths floor
 * @ports: who owns which port
 * @far: struct mrc_sock by what a GONE would name
 * @socks: every struct mrc_sock, for dumps
 * @orphans: sockets that their users closed and that still send
 * @reqs: half-open requests
 * @waits: ended connections
 * @meter: GONE and REJ of what cannot be understood
 * @closed: the namespace is going; READ_ONCE
 */
struct mrc_cm_net {
	struct mrc_net		*mnet;
	struct mrc_ports	ports;
	struct rhltable		far;
	struct xarray		socks;
	atomic_t		orphans;
	struct mrc_reqs		reqs;
	struct mrc_waits	waits;
	struct mrc_meter	meter;
	bool			closed;
};

/**
 * struct mrc_cm_in - a message that came in
 * @mnet: namespace
 * @skb: the packet; owned by the caller
 * @local: its destination and source
 * @remote: see @local
 * @plane: it arrived on
 * @len: bytes
 * @msg: what it says
 */
struct mrc_cm_in {
	struct mrc_net		*mnet;
	struct sk_buff		*skb;
	const struct in6_addr	*local;
	const struct in6_addr	*remote;
	u8			plane;
	unsigned int		len;
	struct mrc_cm_msg	msg;
};

/* ---- cm.c ---------------------------------------------------------------- */

struct mrc_cm_net *mrc_cm_net(const struct net *net);
int mrc_cm_init(void);
void mrc_cm_exit(void);

/* Counts and frees. */
void mrc_cm_drop(struct mrc_net *mnet, struct sk_buff *skb, int reason);
/* May one more answer go out to whoever asks? Context: BH off. */
bool mrc_cm_meter(struct mrc_cm_net *cm);
/* Sends @msg from @local to @remote on one plane, over a path of @peer if
 * there is one and else of the route. Return: 0 or a negative errno.
 */
int mrc_cm_send(struct mrc_net *mnet, struct mrc_peer *peer,
		const struct in6_addr *local, const struct in6_addr *remote,
		u8 plane, const struct mrc_cm_msg *msg);
/* Sends @msg on up to @n planes with a route to @remote, on @first (0 = any)
 * before others. Return: on how many.
 */
int mrc_cm_spray(struct mrc_net *mnet, const struct in6_addr *local,
		 const struct in6_addr *remote, u8 first, unsigned int n,
		 const struct mrc_cm_msg *msg);
/* Answers @in on its own plane or, if that fails, another. */
void mrc_cm_answer(const struct mrc_cm_in *in, unsigned int n,
		   const struct mrc_cm_msg *msg);
void mrc_cm_answer_rej(const struct mrc_cm_in *in, u16 reason);
/* A random plane of @mask (not 0), as its number 1-32. */
u8 mrc_cm_any_plane(u32 mask);

/* Bytes per packet that fit UDP payloads of @dgram bytes, 0 = too few. */
u32 mrc_cm_payload(unsigned int dgram, bool seqpacket, bool icrc);
/* Random PSN and keys of our side; the windows follow @rcvbuf (sk_rcvbuf). */
void mrc_cm_own_side(struct mrc_qp_params *p, int rcvbuf);
/* A random token for the owner of @qpn. */
u64 mrc_cm_token(u32 qpn);
/* Our side as REQ and REP announce it. */
void mrc_cm_put_side(struct mrc_cm_msg *msg, const struct mrc_qp_params *p,
		     u32 qpn, u64 token, u32 caps);
/* What the peer announced of its side; clamps what we cannot use. */
void mrc_cm_get_side(struct mrc_qp_params *p, const struct mrc_cm_msg *msg);

/* ---- cm_active.c --------------------------------------------------------- */

/* Begins to connect msk->t. Return: 0 (TCP_SYN_SENT) or a negative errno.
 * Context: process, socket lock held.
 */
int mrc_active_start(struct mrc_sock *msk);
/* Gives up without a word. Context: socket lock held. */
void mrc_active_stop(struct mrc_sock *msk);
/* Gives up with @err (positive errno). */
void mrc_active_fail(struct mrc_sock *msk, int err, const char *why);
void mrc_active_timer(struct mrc_sock *msk);
/* Return: 0 or -MRC_DROP_*. Context: socket lock held, BH off, RCU. */
int mrc_active_rep(struct mrc_sock *msk, const struct mrc_cm_in *in);
int mrc_active_rej(struct mrc_sock *msk, const struct mrc_cm_in *in);
/* Tells the sender of a REP that there is no connection to be had. */
void mrc_active_refuse(const struct mrc_cm_in *in, u16 reason);

/* ---- cm_listen.c --------------------------------------------------------- */

int mrc_reqs_init(struct mrc_cm_net *cm);
void mrc_reqs_exit(struct mrc_cm_net *cm);

/* Context: process, socket lock held. */
int mrc_listen_start(struct sock *sk, int backlog);
void mrc_listen_stop(struct sock *sk);
/* The next connection, with the reference of the queue, or NULL. */
struct sock *mrc_listen_next(struct sock *sk);
bool mrc_listen_ready(const struct sock *sk);

/* Context: softirq, RCU. Return: 0 or -MRC_DROP_*. */
int mrc_listen_req(struct mrc_cm_in *in);
/* RTU or ABORT for a request; takes in->skb. */
void mrc_listen_msg(struct mrc_cm_in *in, struct mrc_qpn *e);
/* A packet other than CM for a request; takes @skb. */
void mrc_listen_packet(struct mrc_net *mnet, struct mrc_qpn *e,
		       struct sk_buff *skb);

/* ---- cm_close.c ---------------------------------------------------------- */

/* Fills in mrc_qp_ops. */
void mrc_close_init(void);
/* The connection begins: the QP starts and takes over the reference to @peer.
 * Return: 0, -ENOMEM and nothing has changed. Context: socket lock held.
 */
int mrc_conn_start(struct mrc_sock *msk, struct mrc_peer *peer,
		   const struct mrc_qp_params *p);
/* Kills a connection in any state but LISTEN and tells the peer @reason.
 * Its user sees @err. Context: socket lock held.
 */
void mrc_conn_abort(struct mrc_sock *msk, int err, u16 reason,
		    const char *why);
/* Ends our direction. Return: 0, -ENOMEM. Context: socket lock held. */
int mrc_conn_fin(struct mrc_sock *msk);
/* close(2): what is left of the connection goes on without its user. */
void mrc_conn_close(struct sock *sk, long timeout);
/* Drops every trace of a connection: connect(2) with AF_UNSPEC. */
void mrc_conn_disconnect(struct sock *sk);
void mrc_conn_timer(struct mrc_sock *msk);
/* ABORT and GONE. Return: 0 or -MRC_DROP_*. Lock held, BH off, RCU. */
int mrc_conn_abort_in(struct mrc_sock *msk, const struct mrc_cm_in *in);
int mrc_conn_gone_in(struct mrc_sock *msk, const struct mrc_cm_in *in);

/* ---- cm_wait.c ----------------------------------------------------------- */

int mrc_waits_init(struct mrc_cm_net *cm);
void mrc_waits_exit(struct mrc_cm_net *cm);
/* Leaves an entry that answers for @msk, whose QP is about to stop. */
void mrc_wait_enter(struct mrc_sock *msk);
void mrc_wait_packet(struct mrc_net *mnet, struct mrc_qpn *e,
		     struct sk_buff *skb);
/* A packet for a QPN that is nobody's. */
void mrc_wait_unknown(struct mrc_net *mnet, struct sk_buff *skb, u32 qpn);
/* A GONE came: hands in->skb to the connections it may be about. Takes it. */
void mrc_wait_gone(struct mrc_cm_in *in);
int mrc_far_init(struct mrc_cm_net *cm);
void mrc_far_exit(struct mrc_cm_net *cm);
/* Enters msk->far into the table. Return: 0, -ENOMEM. */
int mrc_far_enter(struct mrc_sock *msk);
void mrc_far_leave(struct mrc_sock *msk);

#endif
