// SPDX-License-Identifier: GPL-2.0
/*
 * From planes to QPs: decapsulation, checks, demultiplexing.
 *
 * Packets come in by two ways. Those in SRv6 by a handler for IPv6-in-IPv6,
 * which takes what is addressed to a segment id of ours and holds a packet of
 * MRC, and leaves all else to others. Plain ones by a kernel UDP socket, which
 * also makes GRO merge packets of either kind. Merged skbs go up whole.
 *
 * Nothing in a packet is believed before it is checked here: lengths, then
 * addresses, then the checksum, then the BTH of each packet in the skb.
 */
#include <linux/udp.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/udp.h>
#include <net/xfrm.h>

#include "cursor.h"
#include "input_int.h"
#include "output.h"
#include "ping.h"
#include "trim.h"

struct mrc_upcall mrc_upcall;

/* Our own bursts have 15 packets, GRO merges 64, UDP's own limit is 128. */
#define MRC_SEGS_MAX		128

/* Below vti6, ip6_tunnel and xfrm: they look at both addresses. */
#define MRC_TUNNEL_PRIORITY	(-10)

/* Memory that plain packets may wait in, bytes. They hardly ever wait: who
 * brings them drains the socket.
 */
#define MRC_UDP_RCVBUF		(16 << 20)

/* Plain skbs that one CPU takes before it lets others have a turn. */
#define MRC_UDP_BUDGET		256

static enum skb_drop_reason mrc_skb_reason(int reason)
{
	switch (reason) {
	case MRC_DROP_SHORT:
	case MRC_DROP_LEN:
		return SKB_DROP_REASON_PKT_TOO_SMALL;
	case MRC_DROP_CSUM:
	case MRC_DROP_ICRC:
		return SKB_DROP_REASON_UDP_CSUM;
	case MRC_DROP_POLICY:
		return SKB_DROP_REASON_XFRM_POLICY;
	case MRC_DROP_NO_NODE:
	case MRC_DROP_QP:
		return SKB_DROP_REASON_NO_SOCKET;
	case MRC_DROP_RCVBUF:
	case MRC_DROP_QUEUE:
		return SKB_DROP_REASON_SOCKET_RCVBUFF;
	case MRC_DROP_NOMEM:
		return SKB_DROP_REASON_NOMEM;
	default:
		return SKB_DROP_REASON_NOT_SPECIFIED;
	}
}

/**
 * mrc_input_drop() - count and free a packet
 * @mnet: namespace
 * @skb: the packet
 * @reason: enum mrc_drop, or the negative of it
 *
 * Context: Any.
 */
void mrc_input_drop(struct mrc_net *mnet, struct sk_buff *skb, int reason)
{
	mrc_mib_drop(mnet, reason);
	kfree_skb_reason(skb, mrc_skb_reason(abs(reason)));
}

/**
 * mrc_input_icrc_ok() - check the ICRC of a packet
 * @skb: skb with the packet; its IPv6 and UDP headers are set
 * @off: where the packet's BTH is
 * @len: bytes of the packet, with its ICRC
 *
 * Context: Any.
 * Return: true if it is good.
 */
bool mrc_input_icrc_ok(const struct sk_buff *skb, unsigned int off,
		       unsigned int len)
{
	const struct udphdr *uh = udp_hdr(skb);
	const struct mrc_icrc_flow flow = {
		.saddr	= &ipv6_hdr(skb)->saddr,
		.daddr	= &ipv6_hdr(skb)->daddr,
		.sport	= ntohs(uh->source),
		.dport	= ntohs(uh->dest),
	};
	__le32 icrc, want;

	if (len < MRC_LEN_ICRC)
		return false;
	len -= MRC_LEN_ICRC;
	return !mrc_skb_icrc(skb, off, len, &flow, &want) &&
	       !skb_copy_bits(skb, off + len, &icrc, sizeof(icrc)) &&
	       icrc == want;
}

/* ---- to the floors above ------------------------------------------------- */

/* One packet of connection management or of the Endpoint. */
static void mrc_input_special(struct mrc_net *mnet, struct sk_buff *skb,
			      int kind)
{
	if (!mrc_input_icrc_ok(skb, 0, skb->len)) {
		mrc_input_drop(mnet, skb, MRC_DROP_ICRC);
		return;
	}
	if (pskb_trim(skb, skb->len - MRC_LEN_ICRC)) {
		mrc_input_drop(mnet, skb, MRC_DROP_NOMEM);
		return;
	}
	MRC_RX(skb)->seg = skb->len;
	if (kind == MRC_KIND_CM)
		mrc_upcall.cm_input(mnet, skb);
	else
		mrc_endpoint_input(mnet, skb);
}

/* An skb with one packet, or with several for one QP. */
static void mrc_input_up(struct mrc_net *mnet, struct sk_buff *skb, int kind,
			 u32 qpn)
{
	if (MRC_RX(skb)->loop && kind != MRC_KIND_ENDPOINT) {
		mrc_input_drop(mnet, skb, MRC_DROP_SADDR);
		return;
	}
	switch (kind) {
	case MRC_KIND_CM:
	case MRC_KIND_ENDPOINT:
		mrc_input_special(mnet, skb, kind);
		break;
	default:
		mrc_upcall.qp_input(mnet, skb, qpn);
	}
}

/* Kind of the packet at @off of @skb; or what is wrong, a drop reason. */
int mrc_input_bth(const struct sk_buff *skb, unsigned int off,
		  struct mrc_bth *bth)
{
	u8 buf[MRC_LEN_BTH];
	const void *hdr;

	hdr = skb_header_pointer(skb, off, sizeof(buf), buf);
	if (!hdr)
		return -MRC_DROP_SHORT;
	return mrc_wire_classify(hdr, sizeof(buf), bth);
}

/* A copy of the packet at @off of @skb, which is @len bytes long. */
struct sk_buff *mrc_input_cut(const struct sk_buff *skb, unsigned int off,
			      unsigned int len)
{
	const unsigned int hlen = sizeof(struct ipv6hdr) +
				  sizeof(struct udphdr);
	struct sk_buff *one = alloc_skb(hlen + len, GFP_ATOMIC);

	if (!one)
		return NULL;
	skb_reset_network_header(one);
	skb_put_data(one, ipv6_hdr(skb), sizeof(struct ipv6hdr));
	skb_set_transport_header(one, sizeof(struct ipv6hdr));
	skb_put_data(one, udp_hdr(skb), sizeof(struct udphdr));
	__skb_pull(one, hlen);
	if (skb_copy_bits(skb, off, skb_put(one, len), len)) {
		kfree_skb(one);
		return NULL;
	}
	one->tstamp = skb->tstamp;
	one->protocol = skb->protocol;
	*MRC_RX(one) = *MRC_RX(skb);
	MRC_RX(one)->seg = len;
	return one;
}

/* GRO has merged what does not belong together: packets of several QPs that
 * happened to use the same EV, or packets that each want an ICRC check.
 */
static void mrc_input_split(struct mrc_net *mnet, struct sk_buff *skb)
{
	unsigned int off, len, seg = MRC_RX(skb)->seg;
	struct sk_buff *one;
	struct mrc_bth bth;
	int kind;

	MRC_INC(mnet, IN_SPLIT);
	for (off = 0; off < skb->len; off += len) {
		len = min(seg, skb->len - off);
		kind = mrc_input_bth(skb, off, &bth);
		if (kind < 0) {
			mrc_mib_drop(mnet, kind);
			continue;
		}
		one = mrc_input_cut(skb, off, len);
		if (one)
			mrc_input_up(mnet, one, kind, bth.dqpn);
		else
			mrc_mib_drop(mnet, MRC_DROP_NOMEM);
	}
	consume_skb(skb);
}

/* Kind of the packet at @off, one of several whose first is of @kind and has
 * the headers @hdr, in short @first. *@same becomes false if it does not go
 * where that goes.
 */
static int mrc_input_kind(struct mrc_cursor *c, unsigned int off, int kind,
			  const u8 *hdr, const struct mrc_bth *first,
			  bool *same)
{
	u8 buf[MRC_LEN_BTH];
	struct mrc_bth bth;
	const u8 *h;
	int k;

	h = mrc_cursor_at(c, off, sizeof(buf), buf);
	if (h && !memcmp(h, hdr, MRC_BTH_FIXED))
		return kind;
	k = h ? mrc_wire_classify(h, sizeof(buf), &bth) : -MRC_DROP_SHORT;
	if (k < 0 || bth.dqpn != first->dqpn)
		*same = false;
	return k;
}

/* Looks at the BTH of each packet and finds out where @skb goes. */
static void mrc_input_demux(struct mrc_net *mnet, struct sk_buff *skb,
			    unsigned int *n_data)
{
	unsigned int off, seg = MRC_RX(skb)->seg;
	u8 buf[MRC_LEN_BTH];
	struct mrc_cursor c;
	struct mrc_bth bth;
	bool same = true;
	const u8 *hdr;
	int kind;

	mrc_cursor_init(&c, skb);
	hdr = mrc_cursor_at(&c, 0, sizeof(buf), buf);
	kind = hdr ? mrc_wire_classify(hdr, sizeof(buf), &bth) :
		     -MRC_DROP_SHORT;
	if (kind < 0 && (!hdr || seg >= skb->len)) {
		mrc_input_drop(mnet, skb, kind);
		return;
	}
	*n_data += kind == MRC_KIND_DATA;
	for (off = seg; off < skb->len; off += seg)
		*n_data += mrc_input_kind(&c, off, kind, hdr, &bth, &same) ==
			   MRC_KIND_DATA;
	/* none but QPs take several at once */
	if (kind < 0 || !same || (seg < skb->len && bth.dqpn < MRC_QPN_MIN))
		mrc_input_split(mnet, skb);
	else
		mrc_input_up(mnet, skb, kind, bth.dqpn);
}

/* ---- checks -------------------------------------------------------------- */

/* May a packet with these addresses come in from @plane? Or a drop reason. */
int mrc_input_addrs(const struct mrc_net *mnet, const struct mrc_plane *plane,
		    const struct in6_addr *saddr, const struct in6_addr *daddr)
{
	int type = ipv6_addr_type(saddr);

	if (!mrc_node_is_ours(mnet, daddr))
		return MRC_DROP_NO_NODE;
	if (!plane)
		return MRC_DROP_NO_PLANE;
	if (!(type & IPV6_ADDR_UNICAST) ||
	    type & (IPV6_ADDR_LOOPBACK | IPV6_ADDR_LINKLOCAL |
		    IPV6_ADDR_MAPPED))
		return MRC_DROP_SADDR;
	/* to oneself over lo only, and over lo only to oneself */
	if (mrc_node_is_ours(mnet, saddr) != !plane->id)
		return MRC_DROP_SADDR;
	return MRC_DROP_NONE;
}

/* Fills MRC_RX(@skb), whose headers are set and whose data is the first BTH.
 * Or a drop reason.
 */
int mrc_input_fill(const struct mrc_net *mnet, struct sk_buff *skb,
		   const struct mrc_plane *plane, bool ce, bool srv6)
{
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);
	u8 dsfield = ipv6_get_dsfield(ip6);
	struct mrc_rx rx = {
		.ev	= mrc_ev_from_pkt(ntohs(udp_hdr(skb)->source),
					  ntohl(ip6_flowlabel(ip6))),
		.plane	= plane->id,
		.dscp	= dsfield >> 2,
		.ce	= ce || INET_ECN_is_ce(dsfield),
		.srv6	= srv6,
		.seg	= skb->len,
	};

	if (skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4 &&
	    skb_shinfo(skb)->gso_size < skb->len)
		rx.seg = skb_shinfo(skb)->gso_size;
	if (rx.seg < MRC_LEN_BTH)
		return MRC_DROP_SHORT;
	if (skb->len > rx.seg * MRC_SEGS_MAX)
		return MRC_DROP_SEGS;
	*MRC_RX(skb) = rx;
	return MRC_DROP_NONE;
}

void mrc_input_count(struct mrc_plane *plane, unsigned int segs,
		     unsigned int bytes, unsigned int data)
{
	struct mrc_plane_stats *stats = this_cpu_ptr(plane->stats);

	u64_stats_update_begin(&stats->syncp);
	u64_stats_add(&stats->rx_packets, segs);
	u64_stats_add(&stats->rx_bytes, bytes);
	u64_stats_add(&stats->rx_data, data);
	u64_stats_update_end(&stats->syncp);
}

/* A packet that is fit to be shown to the floors above. */
static void mrc_input_deliver(struct mrc_net *mnet, struct sk_buff *skb,
			      struct mrc_plane *plane, unsigned int hlen)
{
	unsigned int segs = DIV_ROUND_UP(skb->len, MRC_RX(skb)->seg);
	unsigned int bytes = skb->len + segs * hlen;
	unsigned int data = 0;

	MRC_ADD(mnet, IN_PKTS, segs);
	/* it may wait in a socket for long: it takes nothing along */
	skb_orphan(skb);
	nf_reset_ct(skb);
	skb_dst_drop(skb);
	secpath_reset(skb);
	skb->dev = NULL;
	mrc_input_demux(mnet, skb, &data);
	mrc_input_count(plane, segs, bytes, data);
}

/* ---- SRv6 ---------------------------------------------------------------- */

/* Is this packet, whose data is an inner IPv6 header, for us? */
static bool mrc_tunnel_is_ours(struct mrc_net *mnet, struct sk_buff *skb,
			       const struct mrc_plane *plane)
{
	const struct in6_addr *sid;
	const struct ipv6hdr *ip6;
	const struct udphdr *uh;

	/* the cheap questions first: other tunnels ask as well */
	ip6 = (struct ipv6hdr *)skb->data;
	if (ip6->version != 6 || ip6->nexthdr != IPPROTO_UDP ||
	    !mrc_node_is_ours(mnet, &ip6->daddr))
		return false;
	if (!pskb_may_pull(skb, sizeof(*ip6) + sizeof(*uh)))
		return false;
	uh = (struct udphdr *)(skb->data + sizeof(*ip6));
	if (ntohs(uh->dest) != READ_ONCE(mnet->conf.udp_port))
		return false;
	sid = &ipv6_hdr(skb)->daddr;
	return mrc_plane_sid_is_ours(mnet, plane, sid) ||
	       mrc_node_is_ours(mnet, sid);
}

/* Strips the inner IPv6 and UDP headers, of which 48 bytes are linear, and
 * sets the skb's headers to them. Or a drop reason.
 */
static int mrc_tunnel_strip(struct sk_buff *skb)
{
	unsigned int len;

	/* IPv6's own input lets nothing through that is shorter than it says,
	 * but it only looked at the outer header
	 */
	len = ntohs(((struct ipv6hdr *)skb->data)->payload_len);
	if (len < sizeof(struct udphdr) ||
	    len + sizeof(struct ipv6hdr) > skb->len)
		return MRC_DROP_LEN;
	if (pskb_trim_rcsum(skb, len + sizeof(struct ipv6hdr)))
		return MRC_DROP_NOMEM;
	skb_reset_network_header(skb);
	skb_pull_rcsum(skb, sizeof(struct ipv6hdr));
	skb_reset_transport_header(skb);
	if (ntohs(udp_hdr(skb)->len) != len)
		return MRC_DROP_LEN;
	return MRC_DROP_NONE;
}

/* May a packet that came over a plane and bears our own address be a probe
 * that has gone round a loop? Further up it is found out whose.
 */
static bool mrc_tunnel_is_loop(const struct mrc_net *mnet,
			       const struct mrc_plane *plane,
			       const struct ipv6hdr *ip6)
{
	return plane && plane->id && mrc_ping_looping(mnet) &&
	       ipv6_addr_equal(&ip6->saddr, &ip6->daddr);
}

/* All that is to check of a packet that is ours. Or a drop reason. */
static int mrc_tunnel_check(struct mrc_net *mnet, struct sk_buff *skb,
			    const struct mrc_plane *plane)
{
	u8 outer = ipv6_get_dsfield(ipv6_hdr(skb));
	bool ce = false, loop = false;
	const struct ipv6hdr *ip6;
	int reason;

	reason = mrc_tunnel_strip(skb);
	if (reason)
		return reason;
	ip6 = ipv6_hdr(skb);
	reason = mrc_input_addrs(mnet, plane, &ip6->saddr, &ip6->daddr);
	if (reason == MRC_DROP_SADDR)
		loop = mrc_tunnel_is_loop(mnet, plane, ip6);
	if (reason && !loop)
		return reason;
	/* RFC 6040: 1 is odd but harmless, 2 is CE on what cannot be marked */
	if (__INET_ECN_decapsulate(outer, ipv6_get_dsfield(ip6), &ce) > 1)
		return MRC_DROP_ECN;
	if (!udp_hdr(skb)->check ||
	    skb_checksum_validate(skb, IPPROTO_UDP, ip6_compute_pseudo))
		return MRC_DROP_CSUM;
	if (!xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb))
		return MRC_DROP_POLICY;
	__skb_pull(skb, sizeof(struct udphdr));
	reason = mrc_input_fill(mnet, skb, plane, ce, true);
	if (!reason)
		MRC_RX(skb)->loop = loop;
	return reason;
}

/* Was this packet of ours trimmed? Then it is taken, before any check that it
 * would fail: switches mark the outer header, and may leave the inner lengths
 * as they were.
 */
static bool mrc_tunnel_trimmed(struct mrc_net *mnet, struct sk_buff *skb,
			       struct mrc_plane *plane)
{
	enum mrc_trim kind = mrc_trim_kind(mnet, ipv6_hdr(skb));

	if (likely(!kind))
		return false;
	if (mrc_trim_is_early(mnet, plane))
		consume_skb(skb);
	else
		mrc_trim_rcv(mnet, skb, plane, kind, true);
	return true;
}

/**
 * mrc_input_tunnel() - a packet in a packet
 * @mnet: namespace
 * @skb: ipv6_hdr() is the outer header, data the inner one, linear
 * @pulled: bytes between the two that are still in the skb's checksum
 *
 * Context: softirq, RCU read side.
 * Return: 0 if it was taken, 1 if it is not ours.
 */
int mrc_input_tunnel(struct mrc_net *mnet, struct sk_buff *skb,
		     unsigned int pulled)
{
	unsigned int hlen = -skb_network_offset(skb);
	struct mrc_plane *plane;
	int reason;

	plane = mrc_plane_by_ifindex(mnet, inet6_iif(skb));
	if (!mrc_tunnel_is_ours(mnet, skb, plane))
		return 1;
	skb_postpull_rcsum(skb, skb_network_header(skb), pulled);
	MRC_INC(mnet, IN_SKBS);
	MRC_INC(mnet, IN_SRV6);
	if (mrc_tunnel_trimmed(mnet, skb, plane))
		return 0;
	reason = mrc_tunnel_check(mnet, skb, plane);
	if (reason)
		mrc_input_drop(mnet, skb, reason);
	else
		mrc_input_deliver(mnet, skb, plane, hlen +
				  sizeof(struct ipv6hdr) +
				  sizeof(struct udphdr));
	return 0;
}

/* Handler for IPv6-in-IPv6. */
static int mrc_tunnel_rcv(struct sk_buff *skb)
{
	return mrc_input_tunnel(mrc_net(dev_net(skb->dev)), skb, 0);
}

/* ICMP errors come by another way: icmp.c. */
static int mrc_tunnel_err(struct sk_buff *skb, struct inet6_skb_parm *opt,
			  u8 type, u8 code, int offset, __be32 info)
{
	return 1;
}

static struct xfrm6_tunnel mrc_tunnel_handler __read_mostly = {
	.handler	= mrc_tunnel_rcv,
	.err_handler	= mrc_tunnel_err,
	.priority	= MRC_TUNNEL_PRIORITY,
};

/**
 * mrc_input_init() - begin to receive what is encapsulated
 *
 * Context: Process.
 * Return: 0 or -EEXIST.
 */
int mrc_input_init(void)
{
	return xfrm6_tunnel_register(&mrc_tunnel_handler, AF_INET6);
}

/**
 * mrc_input_exit() - receive nothing encapsulated any more
 *
 * Context: Process. Waits for packets that are on their way.
 */
void mrc_input_exit(void)
{
	xfrm6_tunnel_deregister(&mrc_tunnel_handler, AF_INET6);
}

/* ---- plain --------------------------------------------------------------- */

/* All that is to check of a plain packet. UDP has checked its lengths and the
 * IPsec policy. Or a drop reason.
 */
static int mrc_plain_check(struct mrc_net *mnet, struct sk_buff *skb,
			   const struct mrc_plane *plane)
{
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);
	int reason;

	if (ip6->nexthdr != IPPROTO_UDP ||
	    skb_network_header_len(skb) != sizeof(*ip6))
		return MRC_DROP_EXTHDR;
	reason = mrc_input_addrs(mnet, plane, &ip6->saddr, &ip6->daddr);
	if (reason)
		return reason;
	/* ip_summed is stale, UDP keeps the result in csum_valid */
	if (!skb->csum_valid && __skb_checksum_complete(skb))
		return MRC_DROP_CSUM;
	return mrc_input_fill(mnet, skb, plane, false, false);
}

/* Was this packet, whose headers UDP has pulled, trimmed? Then it is taken. */
static bool mrc_plain_trimmed(struct mrc_net *mnet, struct sk_buff *skb,
			      struct mrc_plane *plane)
{
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);
	enum mrc_trim kind = mrc_trim_kind(mnet, ip6);

	if (likely(!kind) || ip6->nexthdr != IPPROTO_UDP ||
	    skb_network_header_len(skb) != sizeof(*ip6))
		return false;
	if (mrc_trim_is_early(mnet, plane)) {
		consume_skb(skb);
		return true;
	}
	__skb_push(skb, sizeof(*ip6) + sizeof(struct udphdr));
	mrc_trim_rcv(mnet, skb, plane, kind, false);
	return true;
}

static void mrc_plain_rcv(struct mrc_net *mnet, struct sk_buff *skb)
{
	struct mrc_plane *plane;
	int reason;

	/* UDP keeps notes of its own there */
	skb->dev = NULL;
	MRC_INC(mnet, IN_SKBS);
	MRC_INC(mnet, IN_PLAIN);
	plane = mrc_plane_by_ifindex(mnet, inet6_iif(skb));
	if (mrc_plain_trimmed(mnet, skb, plane))
		return;
	reason = mrc_plain_check(mnet, skb, plane);
	if (reason)
		mrc_input_drop(mnet, skb, reason);
	else
		mrc_input_deliver(mnet, skb, plane, sizeof(struct ipv6hdr) +
				  sizeof(struct udphdr));
}

/* Takes what waits in the UDP socket, until nothing has come in the meantime
 * or the budget is spent: then work goes on. Context: BH off, RCU.
 */
static void mrc_plain_drain(struct mrc_net *mnet, struct sock *sk)
{
	int seen, err, budget = MRC_UDP_BUDGET;
	struct sk_buff *skb;

	seen = atomic_read(&mnet->udp_ready);
	while (seen) {
		skb = skb_recv_udp(sk, MSG_DONTWAIT, &err);
		if (skb) {
			mrc_plain_rcv(mnet, skb);
			if (--budget)
				continue;
			queue_work(system_bh_wq, &mnet->udp_work);
			return;
		}
		/* another error was pending on the socket, and is cleared */
		if (err == -EAGAIN)
			seen = atomic_sub_return(seen, &mnet->udp_ready);
	}
}

/* sk_data_ready of the UDP socket. Context: softirq. */
static void mrc_plain_data_ready(struct sock *sk)
{
	struct mrc_net *mnet;

	rcu_read_lock();
	mnet = rcu_dereference_sk_user_data(sk);
	if (mnet && atomic_inc_return(&mnet->udp_ready) == 1)
		mrc_plain_drain(mnet, sk);
	rcu_read_unlock();
}

static void mrc_plain_work(struct work_struct *work)
{
	struct mrc_net *mnet = container_of(work, struct mrc_net, udp_work);

	rcu_read_lock();
	mrc_plain_drain(mnet, mnet->udp->sk);
	rcu_read_unlock();
}

/**
 * mrc_input_net_init() - prepare a namespace
 * @mnet: namespace
 *
 * Context: Process.
 */
void mrc_input_net_init(struct mrc_net *mnet)
{
	atomic_set(&mnet->udp_ready, 0);
	INIT_WORK(&mnet->udp_work, mrc_plain_work);
}

static int mrc_plain_setup(struct mrc_net *mnet, struct socket *sock)
{
	struct sockaddr_in6 addr = {
		.sin6_family	= AF_INET6,
		.sin6_port	= htons(mnet->conf.udp_port),
	};
	struct sock *sk = sock->sk;
	int one = 1, err;

	ip6_sock_set_v6only(sk);
	WRITE_ONCE(sk->sk_rcvbuf, MRC_UDP_RCVBUF);
	sk->sk_userlocks |= SOCK_RCVBUF_LOCK;
#ifdef CONFIG_NET_RX_BUSY_POLL
	/* it is drained in softirq */
	WRITE_ONCE(sk->sk_ll_usec, 0);
#endif
	err = sock->ops->setsockopt(sock, SOL_UDP, UDP_GRO,
				    KERNEL_SOCKPTR(&one), sizeof(one));
	if (err)
		return err;
	rcu_assign_sk_user_data(sk, mnet);
	WRITE_ONCE(sk->sk_data_ready, mrc_plain_data_ready);
	/* void *: its type changes between kernels */
	return kernel_bind(sock, (void *)&addr, sizeof(addr));
}

static void mrc_plain_close(struct mrc_net *mnet)
{
	struct socket *sock = mnet->udp;

	rcu_assign_sk_user_data(sock->sk, NULL);
	synchronize_rcu();
	/* now only the work may drain it, and nobody queues that again but
	 * itself
	 */
	cancel_work_sync(&mnet->udp_work);
	atomic_set(&mnet->udp_ready, 0);
	mnet->udp = NULL;
	sock_release(sock);
}

/**
 * mrc_input_open() - begin to receive plain packets, SRHs and ICMP errors
 * @mnet: namespace
 *
 * The socket neither pins the namespace nor this module.
 *
 * Context: Process, conf_lock held.
 * Return: 0 or a negative errno, -EADDRINUSE if the port is taken.
 */
int mrc_input_open(struct mrc_net *mnet)
{
	struct socket *sock;
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	err = sock_create_kern(mnet->net, AF_INET6, SOCK_DGRAM, IPPROTO_UDP,
			       &sock);
	if (err)
		return err;
	mnet->udp = sock;
	err = mrc_plain_setup(mnet, sock);
	if (err)
		goto err_sock;
	err = mrc_srh_open(mnet);
	if (err)
		goto err_sock;
	err = mrc_icmp_open(mnet);
	if (err)
		goto err_srh;
	return 0;

err_srh:
	mrc_srh_close(mnet);
err_sock:
	mrc_plain_close(mnet);
	return err;
}

/**
 * mrc_input_close() - receive no more of what mrc_input_open() began with
 * @mnet: namespace
 *
 * Context: Process, conf_lock held. Waits for a grace period.
 */
void mrc_input_close(struct mrc_net *mnet)
{
	lockdep_assert_held(&mnet->conf_lock);
	mrc_icmp_close(mnet);
	mrc_srh_close(mnet);
	mrc_plain_close(mnet);
}
