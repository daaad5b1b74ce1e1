/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets as an administrator sees them: the sockets floor walks and aborts
 * them on behalf of netlink.
 */
#ifndef _NET_MRC_DIAG_H
#define _NET_MRC_DIAG_H

#include <linux/in6.h>
#include <linux/mrc.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct mrc_net;

/**
 * struct mrc_diag - a socket at one moment
 * @info: as MRC_INFO would return it; of a listener only the state
 * @local: node address, :: if unbound
 * @remote: the peer's, :: if not connected
 * @lport: port in host order, 0 if none
 * @rport: the peer's
 * @type: SOCK_STREAM or SOCK_SEQPACKET
 * @sndq: bytes queued and not acknowledged; of a listener its backlog
 * @rcvq: bytes received and not read; of a listener the connections that
 *	wait for accept
 * @shutdown: RCV_SHUTDOWN, SEND_SHUTDOWN
 * @cookie: as SO_COOKIE, low half first
 * @uid: owner
 * @inode: of the socket's file, 0 once it is closed
 * @err: positive errno it has failed with, else 0
 * @congestion: its CC profile or algorithm
 * @why: one line for people to @err (a constant string), NULL if there is none
 */
struct mrc_diag {
	struct mrc_info	info;
	struct in6_addr	local;
	struct in6_addr	remote;
	u16		lport;
	u16		rport;
	u16		type;
	u64		sndq;
	u64		rcvq;
	u8		shutdown;
	u32		cookie[2];
	kuid_t		uid;
	u64		inode;
	int		err;
	char		congestion[16];
	const char	*why;
};

/* Walks the sockets of a namespace (bound, listening, connecting, connected,
 * closed but not drained) in a stable order: @cb for each after the first
 * *@pos ones, raising *@pos by one for each for which @cb returned 0; stops
 * when it returns non-zero and returns that. @cb does not sleep.
 * Context: process.
 */
int mrc_diag_walk(struct mrc_net *mnet, unsigned long *pos,
		  int (*cb)(const struct mrc_diag *d, void *arg), void *arg);

/* Aborts a connection in any state: its user sees ECONNABORTED, the peer is
 * told. Return: 0, -ENOENT no such connection. Context: process.
 */
int mrc_diag_abort_qpn(struct mrc_net *mnet, u32 qpn);
/* The same by both ends, ports in host order. */
int mrc_diag_abort(struct mrc_net *mnet, const struct in6_addr *local,
		   u16 lport, const struct in6_addr *remote, u16 rport);
/* Aborts all connections of a node address that was taken away. Listeners and
 * bound sockets stay: the address may come back.
 */
void mrc_diag_abort_node(struct mrc_net *mnet, const struct in6_addr *addr);

#endif
