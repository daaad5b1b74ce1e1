// SPDX-License-Identifier: GPL-2.0
/*
 * Trims: a switch whose queue is full may cut a packet's payload off and send
 * the rest on with a DSCP of its own, TRIMMED, or TRIMMED_LASTHOP on the last
 * hop. No checksum fits such a packet any more, and maybe no length: what is
 * left is believed as far as its addresses, BTH and RETH can be compared with
 * what we know (responder), and is worth one NACK and no more.
 *
 * In SRv6 a switch sees and marks the outer header. A packet whose outer IPv6
 * header announces more than has arrived, or whose plain UDP header does, is
 * dropped by the kernel before any protocol handler. With "trim-early" a hook
 * on each plane's netdev takes trims ahead of IPv6, whatever their lengths;
 * the kernel's own input may then drop them as it likes. It costs a clone of
 * each skb that comes in, so it is off by default.
 */
#include <linux/if_packet.h>
#include <linux/udp.h>
#include <net/dsfield.h>
#include <net/ipv6.h>
#include <net/xfrm.h>

#include "input_int.h"
#include "trim.h"

#define MRC_TRIM_HLEN	(sizeof(struct ipv6hdr) + sizeof(struct udphdr))

/**
 * mrc_trim_kind() - was this packet trimmed?
 * @mnet: namespace
 * @ip6: its (outer) IPv6 header
 *
 * Context: Any.
 * Return: how.
 */
enum mrc_trim mrc_trim_kind(const struct mrc_net *mnet,
			    const struct ipv6hdr *ip6)
{
	u8 dscp = ipv6_get_dsfield(ip6) >> 2;

	if (dscp == READ_ONCE(mnet->conf.dscp_trimmed))
		return MRC_TRIM_HOP;
	if (dscp == READ_ONCE(mnet->conf.dscp_trimmed_lasthop))
		return MRC_TRIM_LASTHOP;
	return MRC_TRIM_NONE;
}

/* Sets the skb's headers, pulls them. Or a drop reason. */
static int mrc_trim_check(const struct mrc_net *mnet, struct sk_buff *skb,
			  const struct mrc_plane *plane)
{
	const struct ipv6hdr *ip6;
	int reason;

	skb_reset_network_header(skb);
	skb_set_transport_header(skb, sizeof(*ip6));
	ip6 = ipv6_hdr(skb);
	reason = mrc_input_addrs(mnet, plane, &ip6->saddr, &ip6->daddr);
	if (reason)
		return reason;
	/* a plain packet has no netdev any more: UDP has asked for it */
	if (skb->dev && !xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb))
		return MRC_DROP_POLICY;
	__skb_pull(skb, MRC_TRIM_HLEN);
	return MRC_DROP_NONE;
}

/* One packet at @off of the skb, @len bytes long: its headers go up. */
static void mrc_trim_one(struct mrc_net *mnet, const struct sk_buff *skb,
			 unsigned int off, unsigned int len)
{
	struct sk_buff *one;
	struct mrc_bth bth;
	int kind;

	kind = mrc_input_bth(skb, off, &bth);
	if (kind != MRC_KIND_DATA) {
		mrc_mib_drop(mnet, kind < 0 ? kind : MRC_DROP_TRIM);
		return;
	}
	one = mrc_input_cut(skb, off,
			    min_t(unsigned int, len, MRC_HDR_DATA_MAX));
	if (!one) {
		mrc_mib_drop(mnet, MRC_DROP_NOMEM);
		return;
	}
	MRC_RX(one)->seg = len;
	MRC_INC(mnet, TRIM_IN);
	mrc_upcall.qp_input(mnet, one, bth.dqpn);
}

/**
 * mrc_trim_rcv() - a trimmed packet
 * @mnet: namespace
 * @skb: it, not shared, taken; its data is the IPv6 header with the node
 *	addresses, of which 48 bytes are linear
 * @plane: on which it came, or NULL
 * @kind: how it was trimmed
 * @srv6: came in SRv6
 *
 * Context: Softirq, RCU read side.
 */
void mrc_trim_rcv(struct mrc_net *mnet, struct sk_buff *skb,
		  struct mrc_plane *plane, enum mrc_trim kind, bool srv6)
{
	unsigned int off, seg, segs = 0;
	int reason;

	reason = mrc_trim_check(mnet, skb, plane);
	if (!reason)
		reason = mrc_input_fill(mnet, skb, plane, false, srv6);
	if (reason) {
		mrc_input_drop(mnet, skb, reason);
		return;
	}
	MRC_RX(skb)->trim = kind;
	seg = MRC_RX(skb)->seg;
	for (off = 0; off < skb->len; off += seg, segs++)
		mrc_trim_one(mnet, skb, off, min(seg, skb->len - off));
	MRC_ADD(mnet, IN_PKTS, segs);
	mrc_input_count(plane, segs, skb->len + segs * MRC_TRIM_HLEN, 0);
	consume_skb(skb);
}

/* ---- ahead of IPv6 ------------------------------------------------------- */

/**
 * mrc_trim_is_early() - does the early hook see what comes on a plane?
 * @mnet: namespace
 * @plane: plane or NULL
 *
 * Context: RCU read side.
 * Return: true if so.
 */
bool mrc_trim_is_early(const struct mrc_net *mnet,
		       const struct mrc_plane *plane)
{
	return plane && plane->id && READ_ONCE(mnet->conf.trim_early);
}

/* Where the IPv6 header with the node addresses is in a packet that begins with
 * @ip6, at the data of @skb; -1 if that is not addressed to us.
 */
static int mrc_trim_inner(const struct mrc_net *mnet,
			  const struct mrc_plane *plane,
			  const struct sk_buff *skb,
			  const struct ipv6hdr *ip6)
{
	u8 buf[MRC_SRV6_SRH_FIXED];
	const u8 *srh;
	int len;

	if (ip6->nexthdr == IPPROTO_UDP)
		return 0;
	if (!mrc_plane_sid_is_ours(mnet, plane, &ip6->daddr) &&
	    !mrc_node_is_ours(mnet, &ip6->daddr))
		return -1;
	if (ip6->nexthdr == IPPROTO_IPV6)
		return sizeof(*ip6);
	if (ip6->nexthdr != IPPROTO_ROUTING)
		return -1;
	srh = skb_header_pointer(skb, sizeof(*ip6), sizeof(buf), buf);
	len = srh ? mrc_srv6_srh_len(srh) : 0;
	return len > 0 ? sizeof(*ip6) + len : -1;
}

/* Is this, of which 48 bytes are linear, an MRC packet for a node of ours? */
static bool mrc_trim_is_ours(const struct mrc_net *mnet, const u8 *data)
{
	const struct ipv6hdr *ip6 = (const void *)data;
	const struct udphdr *uh = (const void *)(ip6 + 1);

	return ip6->version == 6 && ip6->nexthdr == IPPROTO_UDP &&
	       ntohs(uh->dest) == READ_ONCE(mnet->conf.udp_port) &&
	       mrc_node_is_ours(mnet, &ip6->daddr);
}

/* Every IPv6 packet that comes on a plane, at its IPv6 header. */
static int mrc_trim_early(struct sk_buff *skb, struct net_device *dev,
			  struct packet_type *pt, struct net_device *orig_dev)
{
	struct mrc_plane *plane = container_of(pt, struct mrc_plane, early);
	struct mrc_net *mnet = plane->mnet;
	const struct ipv6hdr *ip6;
	struct ipv6hdr buf;
	enum mrc_trim kind;
	int off;

	ip6 = skb_header_pointer(skb, 0, sizeof(buf), &buf);
	if (!ip6 || ip6->version != 6 || skb->pkt_type != PACKET_HOST)
		goto pass;
	kind = mrc_trim_kind(mnet, ip6);
	if (likely(!kind))
		goto pass;
	off = mrc_trim_inner(mnet, plane, skb, ip6);
	if (off < 0)
		goto pass;
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return NET_RX_DROP;
	if (!pskb_may_pull(skb, off + MRC_TRIM_HLEN) ||
	    !mrc_trim_is_ours(mnet, skb->data + off))
		goto pass;
	MRC_INC(mnet, IN_SKBS);
	MRC_INC(mnet, TRIM_EARLY);
	__skb_pull(skb, off);
	mrc_trim_rcv(mnet, skb, plane, kind, off);
	return NET_RX_SUCCESS;
pass:
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

/**
 * mrc_trim_hook() - set or remove a plane's early hook
 * @plane: plane
 * @dev: its netdev, NULL if it is about to lose it
 *
 * Context: Process, conf_lock held. Waits for a grace period if it removes it.
 */
void mrc_trim_hook(struct mrc_plane *plane, struct net_device *dev)
{
	bool on = dev && plane->id && plane->mnet->conf.trim_early;

	lockdep_assert_held(&plane->mnet->conf_lock);
	if (on == !!plane->early.dev)
		return;
	if (!on) {
		dev_remove_pack(&plane->early);
		plane->early.dev = NULL;
		return;
	}
	plane->early.type = htons(ETH_P_IPV6);
	plane->early.func = mrc_trim_early;
	plane->early.dev = dev;
	dev_add_pack(&plane->early);
}

static struct net_device *mrc_trim_dev(const struct mrc_plane *plane)
{
	return rcu_dereference_protected(plane->dev,
				lockdep_is_held(&plane->mnet->conf_lock));
}

/**
 * mrc_trim_hook_all() - the setting has changed
 * @mnet: namespace
 *
 * Context: Process, conf_lock held.
 */
void mrc_trim_hook_all(struct mrc_net *mnet)
{
	struct mrc_plane *plane;
	unsigned int i;

	for (i = 1; i <= MRC_PLANE_MAX; i++) {
		plane = mrc_plane_get(mnet, i);
		if (plane)
			mrc_trim_hook(plane, mrc_trim_dev(plane));
	}
}
