// SPDX-License-Identifier: GPL-2.0
/*
 * From UDP payload to packets that leave a plane: headers, GSO, ICRC.
 *
 * A burst is one skb all the way down to the netdev. Netfilter, tc and
 * neighbours see it as they see any other packet; only the FIB is not asked.
 */
#include <linux/jhash.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ip_tunnels.h>
#include <net/sock.h>

#include "output.h"
#include "plane.h"
#include "wire.h"

#define INNER_HLEN	(sizeof(struct ipv6hdr) + sizeof(struct udphdr))
#define OUTER_HLEN	sizeof(struct ipv6hdr)

/**
 * mrc_output_alloc() - an skb for a control packet
 * @len: bytes of UDP payload at most
 * @gfp: how to allocate
 *
 * Context: As @gfp allows.
 * Return: an empty skb with room for the headers, or NULL.
 */
struct sk_buff *mrc_output_alloc(unsigned int len, gfp_t gfp)
{
	struct sk_buff *skb = alloc_skb(MRC_HEADROOM + len, gfp);

	if (skb)
		skb_reserve(skb, MRC_HEADROOM);
	return skb;
}

/* Is @out a true description of @skb? */
static bool mrc_out_valid(const struct sk_buff *skb, const struct mrc_out *out)
{
	unsigned int min = MRC_LEN_BTH + (out->icrc ? MRC_LEN_ICRC : 0);
	unsigned int last;

	if (!out->segs || out->segs > MRC_BURST_PKTS ||
	    skb->len > MRC_BURST_BYTES)
		return false;
	if (out->segs == 1)
		return skb->len >= min;
	if (out->seg < min || skb->len <= (out->segs - 1) * out->seg)
		return false;
	last = skb->len - (out->segs - 1) * out->seg;
	return last >= min && last <= out->seg;
}

/* Bytes of the datagram at @off. */
static unsigned int mrc_out_seg(const struct sk_buff *skb,
				const struct mrc_out *out, unsigned int off)
{
	return out->segs == 1 ? skb->len : min_t(unsigned int, out->seg,
						 skb->len - off);
}

/* ---- ICRC ---------------------------------------------------------------- */

/**
 * mrc_skb_icrc() - compute the ICRC of a packet in an skb
 * @skb: skb, however its data is laid out
 * @off: where the packet's BTH is
 * @len: bytes of the packet, without the ICRC
 * @flow: addresses and ports
 * @icrc: filled with the ICRC
 *
 * Context: Any.
 * Return: 0, or -EFAULT if the packet is shorter than a BTH or the skb ends
 * before it does.
 */
int mrc_skb_icrc(const struct sk_buff *skb, unsigned int off,
		 unsigned int len, const struct mrc_icrc_flow *flow,
		 __le32 *icrc)
{
	unsigned int n, left, done = 0;
	struct skb_seq_state st;
	u8 buf[MRC_LEN_BTH];
	const void *bth;
	const u8 *data;
	u32 crc;

	if (len < MRC_LEN_BTH || off > skb->len || len > skb->len - off)
		return -EFAULT;
	bth = skb_header_pointer(skb, off, sizeof(buf), buf);
	if (!bth)
		return -EFAULT;
	crc = mrc_icrc_begin(flow, len, bth, MRC_LEN_BTH);
	left = len - MRC_LEN_BTH;
	/* it only reads, and may return more than what was asked for */
	skb_prepare_seq_read((struct sk_buff *)skb, off + MRC_LEN_BTH,
			     off + len, &st);
	while ((n = skb_seq_read(done, &data, &st))) {
		n = min(n, left - done);
		crc = mrc_icrc_update(crc, data, n);
		done += n;
	}
	*icrc = mrc_icrc_end(crc);
	return 0;
}

/* Fills the last bytes of each datagram. They are nobody else's, even in a
 * page that holds others.
 */
static int mrc_out_icrcs(struct sk_buff *skb, const struct mrc_out *out,
			 const struct mrc_icrc_flow *flow)
{
	unsigned int off, len, end;
	__le32 icrc;
	int err;

	for (off = 0; off < skb->len; off += len) {
		len = mrc_out_seg(skb, out, off);
		end = off + len - MRC_LEN_ICRC;
		err = mrc_skb_icrc(skb, off, end - off, flow, &icrc) ?:
		      skb_store_bits(skb, end, &icrc, sizeof(icrc));
		if (err)
			return err;
	}
	return 0;
}

/* ---- headers ------------------------------------------------------------- */

/* DSCP and ECN. Control packets are not ECN capable: a mark on them would say
 * nothing that data does not say.
 */
static u8 mrc_out_dsfield(const struct mrc_conf *conf, u8 class)
{
	switch (class) {
	case MRC_CLASS_DATA:
		return READ_ONCE(conf->dscp_data) << 2 | INET_ECN_ECT_0;
	case MRC_CLASS_RTX:
		return READ_ONCE(conf->dscp_rtx) << 2 | INET_ECN_ECT_0;
	default:
		return READ_ONCE(conf->dscp_ctl) << 2;
	}
}

static void mrc_push_udp(struct sk_buff *skb, const struct in6_addr *saddr,
			 const struct in6_addr *daddr, u16 sport, u16 dport)
{
	struct udphdr *uh = __skb_push(skb, sizeof(*uh));

	skb_reset_transport_header(skb);
	uh->source = htons(sport);
	uh->dest = htons(dport);
	uh->len = htons(skb->len);
	uh->check = ~udp_v6_check(skb->len, saddr, daddr, 0);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

static void mrc_push_ipv6(struct sk_buff *skb, const struct mrc_net *mnet,
			  const struct in6_addr *saddr,
			  const struct in6_addr *daddr, u8 nexthdr,
			  u8 dsfield, u32 ev)
{
	unsigned int len = skb->len;
	struct ipv6hdr *ip6 = __skb_push(skb, sizeof(*ip6));

	skb_reset_network_header(skb);
	/* outside too: the fabric may hash the flow label onto links */
	ip6_flow_hdr(ip6, dsfield, htonl(mrc_ev_flow_label(ev)));
	ip6->payload_len = htons(len);
	ip6->nexthdr = nexthdr;
	ip6->hop_limit = READ_ONCE(mnet->net->ipv6.devconf_all->hop_limit);
	ip6->saddr = *saddr;
	ip6->daddr = *daddr;
}

/* The headers of SRv6. */
static int mrc_out_encap(struct mrc_net *mnet, struct sk_buff *skb,
			 const struct in6_addr *saddr,
			 const struct mrc_pick *pick, u8 dsfield)
{
	unsigned int srh = pick->encap - OUTER_HLEN;
	u8 nexthdr = IPPROTO_IPV6;
	int err;

	err = iptunnel_handle_offloads(skb, SKB_GSO_IPXIP6);
	if (err)
		return err;
	skb_set_inner_ipproto(skb, IPPROTO_IPV6);
	if (srh) {
		mrc_srv6_srh_build(__skb_push(skb, srh), pick->outer,
				   (srh - MRC_SRV6_SRH_FIXED) /
				   sizeof(struct in6_addr));
		nexthdr = IPPROTO_ROUTING;
	}
	mrc_push_ipv6(skb, mnet, saddr, &pick->outer[0], nexthdr, dsfield,
		      pick->ev);
	skb_set_transport_header(skb, OUTER_HLEN);
	return 0;
}

static int mrc_out_headers(struct mrc_net *mnet, struct sk_buff *skb,
			   const struct in6_addr *saddr,
			   const struct in6_addr *daddr,
			   const struct mrc_pick *pick,
			   const struct mrc_out *out)
{
	u8 dsfield = mrc_out_dsfield(&mnet->conf, out->class);
	u16 dport = READ_ONCE(mnet->conf.udp_port);
	u16 sport = mrc_ev_sport(pick->ev);
	int err;

	if (out->icrc) {
		struct mrc_icrc_flow flow = { saddr, daddr, sport, dport };

		err = mrc_out_icrcs(skb, out, &flow);
		if (err)
			return err;
	}
	mrc_push_udp(skb, saddr, daddr, sport, dport);
	mrc_push_ipv6(skb, mnet, saddr, daddr, IPPROTO_UDP, dsfield, pick->ev);
	if (out->segs > 1) {
		skb_shinfo(skb)->gso_size = out->seg;
		skb_shinfo(skb)->gso_segs = out->segs;
		skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	}
	return pick->encap ? mrc_out_encap(mnet, skb, saddr, pick, dsfield) : 0;
}

/* ---- the way out --------------------------------------------------------- */

/* An EV keeps to one queue of the netdev, or its packets would overtake each
 * other. The queue follows from the hash; where XPS asks for the sender's CPU,
 * it gets one that follows from the hash as well.
 */
static void mrc_out_set_queue(struct sk_buff *skb, u32 ev)
{
	u32 hash = jhash_1word(ev, 0);

	skb_set_hash(skb, hash, PKT_HASH_TYPE_L4);
#ifdef CONFIG_XPS
	skb->sender_cpu = reciprocal_scale(hash, nr_cpu_ids) + 1;
#endif
}

/* Hands over to IPv6. Return: as mrc_output(). */
static int mrc_out_xmit(struct mrc_net *mnet, struct mrc_plane *plane,
			struct sk_buff *skb)
{
	int err = ip6_local_out(mnet->net, plane->sock->sk, skb);

	switch (err) {
	case NET_XMIT_SUCCESS:
	case NET_XMIT_CN:
		return 0;
	case NET_XMIT_DROP:
	case -ENOBUFS:
	case -ENOMEM:
		MRC_INC(mnet, OUT_DROPS);
		return -ENOBUFS;
	case -ENETDOWN:
		MRC_INC(mnet, OUT_NO_PLANE);
		return -ENETDOWN;
	default:
		/* a firewall, no neighbour: asking again does not help */
		MRC_INC(mnet, OUT_REFUSED);
		return 0;
	}
}

static void mrc_out_count(struct mrc_net *mnet, struct mrc_plane *plane,
			  unsigned int segs, unsigned int bytes, bool data,
			  int err)
{
	struct mrc_plane_stats *stats = this_cpu_ptr(plane->stats);

	u64_stats_update_begin(&stats->syncp);
	if (err) {
		u64_stats_add(&stats->tx_drops, segs);
	} else {
		u64_stats_add(&stats->tx_packets, segs);
		u64_stats_add(&stats->tx_bytes, bytes);
		if (data)
			u64_stats_add(&stats->tx_data, segs);
	}
	u64_stats_update_end(&stats->syncp);
	if (!err)
		MRC_ADD(mnet, OUT_PKTS, segs);
}

/* Does the burst carry data, as the opcode of its first packet says? */
static bool mrc_out_is_data(const struct sk_buff *skb)
{
	u8 buf, *opcode = skb_header_pointer(skb, 0, 1, &buf);

	return opcode && *opcode >= MRC_OP_WRITE_FIRST &&
	       *opcode <= MRC_OP_WRITE_ONLY_IMM;
}

/* May it leave? The stack's own check of bursts leaves the inner UDP header
 * out, so it is done here.
 */
static int mrc_out_check(struct mrc_net *mnet, struct sk_buff *skb,
			 const struct mrc_pick *pick,
			 const struct mrc_out *out, struct dst_entry *dst)
{
	unsigned int hlen = INNER_HLEN + pick->encap;

	if (WARN_ON_ONCE(!mrc_out_valid(skb, out)))
		return -EINVAL;
	if (!dst || !mrc_plane_alive(pick->plane)) {
		MRC_INC(mnet, OUT_NO_PLANE);
		return -ENETDOWN;
	}
	if (hlen + mrc_out_seg(skb, out, 0) > mrc_plane_mtu(pick->plane)) {
		if (out->segs > 1)
			return -EMSGSIZE;
		skb->ignore_df = 1;
		MRC_INC(mnet, OUT_FRAG);
	}
	/* headroom, and a head that nobody else looks at */
	return skb_cow_head(skb, hlen + LL_MAX_HEADER);
}

static struct dst_entry *mrc_out_dst(const struct mrc_pick *pick)
{
	const struct mrc_gw *gw = pick->gw ?: pick->plane->self;

	return gw ? rcu_dereference(gw->dst) : NULL;
}

/**
 * mrc_output() - send one or several packets over a path
 * @mnet: namespace
 * @saddr: node address of ours
 * @daddr: node address of the peer
 * @pick: path
 * @skb: UDP payload, without headers; taken in every case
 * @out: how to send
 *
 * The skb is charged to the plane's socket until it has left. What is sent
 * although the plane is full waits below all the same: bounding it is up to
 * the caller, see mrc_plane_has_room().
 *
 * Context: BH off, RCU read side.
 * Return: 0; -ENOBUFS dropped locally; -ENETDOWN the plane is dead; -EMSGSIZE
 * a burst larger than the plane carries; -EINVAL @out contradicts @skb.
 */
int mrc_output(struct mrc_net *mnet, const struct in6_addr *saddr,
	       const struct in6_addr *daddr, const struct mrc_pick *pick,
	       struct sk_buff *skb, const struct mrc_out *out)
{
	unsigned int hlen = INNER_HLEN + pick->encap;
	struct dst_entry *dst = mrc_out_dst(pick);
	struct mrc_plane *plane = pick->plane;
	bool data = mrc_out_is_data(skb);
	unsigned int bytes;
	int err;

	bytes = skb->len + out->segs * hlen;
	err = mrc_out_check(mnet, skb, pick, out, dst);
	if (!err)
		err = mrc_out_headers(mnet, skb, saddr, daddr, pick, out);
	if (err == -ENOMEM) {
		MRC_INC(mnet, OUT_DROPS);
		err = -ENOBUFS;
	}
	if (err) {
		kfree_skb(skb);
		goto out;
	}
	memset(skb->cb, 0, sizeof(skb->cb));
	skb->protocol = htons(ETH_P_IPV6);
	skb->mark = out->mark;
	skb->priority = out->priority;
	skb_set_owner_w(skb, plane->sock->sk);
	/* after the owner, whose hash is none */
	mrc_out_set_queue(skb, pick->ev);
	/* the entry lives as long as this RCU section; queues take a ref */
	skb_dst_set_noref(skb, dst);
	err = mrc_out_xmit(mnet, plane, skb);
out:
	mrc_out_count(mnet, plane, out->segs, bytes, data, err);
	return err;
}
