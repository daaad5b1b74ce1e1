/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who owns which port of which node address, and who listens there.
 */
#ifndef _NET_MRC_PORTS_H
#define _NET_MRC_PORTS_H

#include <linux/rhashtable.h>
#include <linux/spinlock.h>

#include "sock.h"

/**
 * struct mrc_ports - the port tables of one namespace
 * @lock: serialises changes; BH, innermost
 * @binds: struct mrc_bind by (address, port) and by port alone; RCU
 * @tuples: struct mrc_sock of connections begun here, by both ends
 */
struct mrc_ports {
	spinlock_t		lock;	/* see above */
	struct rhashtable	binds;
	struct rhashtable	tuples;
};

int mrc_ports_init(struct mrc_ports *ports);
void mrc_ports_exit(struct mrc_ports *ports);

/* bind(2): @port 0 chooses one. Return: 0, -EADDRINUSE, -ENOMEM.
 * Context: process, socket lock held.
 */
int mrc_port_bind(struct mrc_sock *msk, const struct in6_addr *addr, u16 port);
/* connect(2): finds a port if there is none and enters msk->t (all else of it
 * is filled in) into the tuple table. Return: 0, -EADDRNOTAVAIL, -ENOMEM,
 * -ECONNREFUSED would connect to itself. Context: as above.
 */
int mrc_port_connect(struct mrc_sock *msk);
/* Leaves the tuple table. Context: socket lock held. */
void mrc_port_disconnect(struct mrc_sock *msk);
/* listen(2) on a bound socket. Return: 0, -EADDRINUSE. */
int mrc_port_listen(struct mrc_sock *msk);
void mrc_port_unlisten(struct mrc_sock *msk);
/* A child shares its listener's port. Return: 0, -ENOENT the listener has
 * given it up. Context: BH off.
 */
int mrc_port_inherit(struct mrc_sock *child, const struct mrc_sock *listener);
/* Gives the share back, if there is one. */
void mrc_port_put(struct mrc_sock *msk);

/* Who listens at (@addr, @port), wildcards included. Context: RCU read side:
 * take a reference with refcount_inc_not_zero().
 */
struct mrc_sock *mrc_port_listener(struct mrc_ports *ports,
				   const struct in6_addr *addr, u16 port);
/* Who connects or is connected from here with both ends @t. Context: RCU. */
struct mrc_sock *mrc_port_tuple(struct mrc_ports *ports,
				const struct mrc_tuple *t);

#endif
