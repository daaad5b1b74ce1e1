/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only way up from the paths floor: one table of handlers that the
 * floors above fill at init, before any namespace can have a plane.
 */
#ifndef _NET_MRC_UPCALL_H
#define _NET_MRC_UPCALL_H

#include <linux/skbuff.h>

#include "news.h"

struct mrc_net;

/* Was a packet's payload cut off by a switch, and where? */
enum mrc_trim {
	MRC_TRIM_NONE,
	MRC_TRIM_HOP,		/* in the fabric: that path is crowded */
	MRC_TRIM_LASTHOP,	/* on the last hop: we are */
};

/**
 * struct mrc_rx - what input.c knows of a packet, kept in skb->cb
 * @ev: entropy value of the packet(s): source port and flow label
 * @plane: number of the plane it arrived on
 * @dscp: of the inner header, 0-63
 * @ce: congestion experienced, inner and outer combined as RFC 6040 says
 * @srv6: came in an SRv6 encapsulation
 * @trim: enum mrc_trim; if it is one, the skb holds the headers of one data
 *	packet, checked for nothing but addresses and BTH, and @seg is the
 *	number of bytes that have arrived
 * @loop: from ourselves over a plane: a probe of ping.c, or to be dropped
 * @seg: bytes of each MRC datagram but the last, if the skb has several;
 *	skb->len if it has one
 *
 * skb->data is the first BTH, ipv6_hdr(skb) the (inner) IPv6 header with
 * checked addresses, udp_hdr(skb) the UDP header; the UDP checksum is good.
 * The lengths in both are of the whole skb, or older: use skb->len and @seg.
 * Payload may lie in frags or a frag_list: use skb_header_pointer(). No dst,
 * no skb->dev.
 */
struct mrc_rx {
	u32	ev;
	u8	plane;
	u8	dscp;
	u8	ce:1,
		srv6:1,
		loop:1,
		trim:2;
	u32	seg;
};

#define MRC_RX(skb)	((struct mrc_rx *)(skb)->cb)

/**
 * struct mrc_upcall - handlers of the floors above
 * @qp_input: a packet, or several of one EV, all for QP @qpn (above 2) and
 *	each with a BTH that mrc_wire_classify() takes; takes the skb
 * @cm_input: one packet for QP 1 with a good ICRC, which is cut off; takes
 *	the skb
 * @news: look at user->pending (the handler clears it with xchg)
 * @user_hold: take a reference, false if the user is going
 * @user_put: give it back
 *
 * Context of all: softirq or BH off, inside rcu_read_lock().
 */
struct mrc_upcall {
	void (*qp_input)(struct mrc_net *mnet, struct sk_buff *skb, u32 qpn);
	void (*cm_input)(struct mrc_net *mnet, struct sk_buff *skb);
	void (*news)(struct mrc_user *user);
	bool (*user_hold)(struct mrc_user *user);
	void (*user_put)(struct mrc_user *user);
};

extern struct mrc_upcall mrc_upcall;	/* input.c */

#endif
