/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes that an administrator asks for: over any path to a peer, or around a
 * loop of the fabric back to ourselves. They say nothing to a path's health.
 */
#ifndef _NET_MRC_PING_H
#define _NET_MRC_PING_H

#include <linux/in6.h>
#include <linux/types.h>

/* Probes of a namespace that are out, and that may be sent in a second */
#define MRC_PINGS_MAX	1024
#define MRC_PINGS_RATE	1000

/**
 * struct mrc_ping_req - a probe as asked for
 * @local: node address of ours, :: = the route's src or else the first node
 * @remote: peer; :: = a loop
 * @outer: loop: source route that ends in the plane's own SID
 * @via: loop: gateway, :: = the plane's
 * @k: peer: number of the path within its route's template
 * @timeout_ms: how long to wait for the answer
 * @portid: netlink port of who asks
 * @seq: sequence number of its request
 * @plane: number
 */
struct mrc_ping_req {
	struct in6_addr	local;
	struct in6_addr	remote;
	struct in6_addr	outer;
	struct in6_addr	via;
	u32		k;
	u32		timeout_ms;
	u32		portid;
	u32		seq;
	u8		plane;
};

struct mrc_eph;
struct mrc_net;
struct mrc_pings;
struct netlink_ext_ack;
struct sk_buff;

/* Sends it; the answer or its absence goes to mrc_nl_probe_done(). Errors with
 * extack: -ENETUNREACH no route; -EADDRNOTAVAIL no node; -ENOENT no such path
 * or plane; -EINVAL; -ENETDOWN; -ENOBUFS; -EBUSY too many are out; -EAGAIN
 * too many in a second. Context: process.
 */
int mrc_ping_send(struct mrc_net *mnet, const struct mrc_ping_req *req,
		  struct netlink_ext_ack *extack);
/* The port is closed: nobody waits for these any more. Context: process. */
void mrc_ping_forget(struct mrc_net *mnet, u32 portid);

/* Is a loop out at all? Then a packet from ourselves may be one. */
bool mrc_ping_looping(const struct mrc_net *mnet);
/* Is @skb the answer to a probe of ours, or a loop probe of ours that has come
 * back? Context: softirq, RCU.
 */
bool mrc_ping_answer(struct mrc_net *mnet, const struct sk_buff *skb,
		     const struct mrc_eph *eph, u64 now);

int mrc_ping_init(struct mrc_net *mnet);
void mrc_ping_close(struct mrc_net *mnet);	/* no request comes any more */
void mrc_ping_exit(struct mrc_net *mnet);	/* nor an answer */

#endif
