/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last step down: headers, GSO, and out of the plane.
 */
#ifndef _NET_MRC_OUTPUT_H
#define _NET_MRC_OUTPUT_H

#include <linux/skbuff.h>
#include <net/ipv6.h>

#include "peer.h"
#include "wire.h"

/* Room that every skb given to mrc_output() must have before its data:
 * Ethernet and what a device wants, outer IPv6 with an SRH, inner IPv6, UDP.
 */
#define MRC_HEADROOM	(LL_MAX_HEADER + 2 * sizeof(struct ipv6hdr) + \
			 MRC_SRV6_SRH_LEN(MRC_SRV6_CARRIERS_MAX) + 8)

/* UDP payload bytes of a burst at most: 65,535 less IPv6 and UDP headers,
 * rounded down; and packets in it, for which GSO was proved (15 x 4,140).
 */
#define MRC_BURST_BYTES	65000
#define MRC_BURST_PKTS	15

enum mrc_class {
	MRC_CLASS_DATA,
	MRC_CLASS_RTX,
	MRC_CLASS_CTL,
};

/**
 * struct mrc_out - how to send
 * @seg: bytes of each datagram but the last (BTH to the end of the ICRC)
 * @segs: datagrams in the skb, 1-15; only the last may be shorter than @seg
 * @class: traffic class: DSCP, and ECT(0) for data and retransmissions
 * @icrc: each datagram ends in 4 bytes to be filled with its ICRC
 * @mark: of the user's socket
 * @priority: of the user's socket
 */
struct mrc_out {
	u16		seg;
	u8		segs;
	u8		class;
	bool		icrc;
	u32		mark;
	u32		priority;
};

/* Sends @skb, whose data is the UDP payload, from @saddr to @daddr over
 * @pick. Takes @skb in every case. The skb is charged to the plane's socket.
 * Return: 0; -ENOBUFS dropped locally (not evidence against the path);
 * -ENETDOWN the plane is dead; -EMSGSIZE larger than the plane carries and
 * not a single packet; -EINVAL @out contradicts @skb. What a firewall or a
 * missing neighbour refuses counts as sent: it is lost like on the wire, and
 * that is evidence against the path. Context: BH off, RCU read side.
 */
int mrc_output(struct mrc_net *mnet, const struct in6_addr *saddr,
	       const struct in6_addr *daddr, const struct mrc_pick *pick,
	       struct sk_buff *skb, const struct mrc_out *out);

/* The ICRC of the packet at @off of @skb, which is @len bytes long without
 * it. Context: any. Return: 0, or -EFAULT: there are not that many bytes.
 */
int mrc_skb_icrc(const struct sk_buff *skb, unsigned int off,
		 unsigned int len, const struct mrc_icrc_flow *flow,
		 __le32 *icrc);

/* An skb for one control packet of up to @len bytes, headroom reserved. */
struct sk_buff *mrc_output_alloc(unsigned int len, gfp_t gfp);

#endif
