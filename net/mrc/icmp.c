// SPDX-License-Identifier: GPL-2.0
/*
 * ICMP errors about packets of ours: unreachable, too big, hop limit, bad
 * header. They are hearsay, anybody can write them; so all that follows is
 * that the path is doubted and probed, if it is one that we use, and seldom
 * (peer_hint.c).
 *
 * A raw socket of the namespace gets them, whatever the layers below did with
 * the packet that is quoted: the error handlers of IPv6 tunnels see only some,
 * those of UDP only packets whose source port is a socket's.
 */
#include <linux/icmpv6.h>
#include <linux/udp.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "input.h"
#include "plane.h"
#include "wire.h"

/* Errors that may wait, bytes. They hardly ever do. */
#define MRC_ICMP_RCVBUF		(64 << 10)

/* Where the packet with our addresses begins behind an IPv6 header of ours at
 * @off; -1 if there is none.
 */
static int mrc_icmp_inner(const struct sk_buff *skb, int off, u8 nexthdr)
{
	u8 buf[MRC_SRV6_SRH_FIXED];
	const u8 *srh;

	switch (nexthdr) {
	case IPPROTO_UDP:
		return off;
	case IPPROTO_IPV6:
		return off + sizeof(struct ipv6hdr);
	case IPPROTO_ROUTING:
		off += sizeof(struct ipv6hdr);
		srh = skb_header_pointer(skb, off, sizeof(buf), buf);
		return srh && srh[0] == IPPROTO_IPV6 ?
		       off + 8 * (srh[1] + 1) : -1;
	default:
		return -1;
	}
}

/* What the error at the data of @skb quotes: *@ip6 and *@uh are filled.
 * Return: true if it is a packet of ours to another node.
 */
static bool mrc_icmp_quotes(const struct mrc_net *mnet,
			    const struct sk_buff *skb, struct ipv6hdr *ip6,
			    struct udphdr *uh)
{
	int off = sizeof(struct icmp6hdr);

	if (skb_copy_bits(skb, off, ip6, sizeof(*ip6)) ||
	    !mrc_node_is_ours(mnet, &ip6->saddr))
		return false;
	off = mrc_icmp_inner(skb, off, ip6->nexthdr);
	if (off < 0 || skb_copy_bits(skb, off, ip6, sizeof(*ip6)) ||
	    skb_copy_bits(skb, off + sizeof(*ip6), uh, sizeof(*uh)))
		return false;
	return ip6->nexthdr == IPPROTO_UDP &&
	       ntohs(uh->dest) == READ_ONCE(mnet->conf.udp_port) &&
	       mrc_node_is_ours(mnet, &ip6->saddr) &&
	       !mrc_node_is_ours(mnet, &ip6->daddr);
}

static void mrc_icmp_rcv(struct mrc_net *mnet, const struct sk_buff *skb)
{
	struct mrc_plane *plane;
	struct ipv6hdr ip6;
	struct udphdr uh;
	u32 ev;

	if (!mrc_icmp_quotes(mnet, skb, &ip6, &uh))
		return;
	MRC_INC(mnet, ICMP_IN);
	plane = mrc_plane_by_ifindex(mnet, inet6_iif(skb));
	ev = mrc_ev_from_pkt(ntohs(uh.source), ntohl(ip6_flowlabel(&ip6)));
	if (plane)
		mrc_peer_icmp(mnet, &ip6.saddr, &ip6.daddr, ev, plane->id,
			      ktime_get_ns());
}

/* sk_data_ready of the raw socket. Context: softirq. */
static void mrc_icmp_data_ready(struct sock *sk)
{
	struct mrc_net *mnet;
	struct sk_buff *skb;

	rcu_read_lock();
	mnet = rcu_dereference_sk_user_data(sk);
	while (mnet && (skb = skb_dequeue(&sk->sk_receive_queue))) {
		mrc_icmp_rcv(mnet, skb);
		consume_skb(skb);
	}
	rcu_read_unlock();
}

static int mrc_icmp_setup(struct mrc_net *mnet, struct socket *sock)
{
	struct icmp6_filter filter;
	struct sock *sk = sock->sk;
	int err;

	/* a bit that is set keeps a type out */
	memset(&filter, 0xff, sizeof(filter));
	filter.data[0] &= ~(BIT(ICMPV6_DEST_UNREACH) | BIT(ICMPV6_PKT_TOOBIG) |
			    BIT(ICMPV6_TIME_EXCEED) | BIT(ICMPV6_PARAMPROB));
	err = sock->ops->setsockopt(sock, SOL_ICMPV6, ICMPV6_FILTER,
				    KERNEL_SOCKPTR(&filter), sizeof(filter));
	if (err)
		return err;
	WRITE_ONCE(sk->sk_rcvbuf, MRC_ICMP_RCVBUF);
	rcu_assign_sk_user_data(sk, mnet);
	WRITE_ONCE(sk->sk_data_ready, mrc_icmp_data_ready);
	return 0;
}

/**
 * mrc_icmp_open() - begin to listen to ICMP errors
 * @mnet: namespace
 *
 * The socket neither pins the namespace nor this module.
 *
 * Context: Process, conf_lock held.
 * Return: 0 or a negative errno.
 */
int mrc_icmp_open(struct mrc_net *mnet)
{
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	err = sock_create_kern(mnet->net, AF_INET6, SOCK_RAW, IPPROTO_ICMPV6,
			       &mnet->icmp);
	if (err)
		return err;
	err = mrc_icmp_setup(mnet, mnet->icmp);
	if (err)
		mrc_icmp_close(mnet);
	return err;
}

/**
 * mrc_icmp_close() - listen to them no more
 * @mnet: namespace
 *
 * Context: Process, conf_lock held. Waits for a grace period.
 */
void mrc_icmp_close(struct mrc_net *mnet)
{
	struct socket *sock = mnet->icmp;

	lockdep_assert_held(&mnet->conf_lock);
	rcu_assign_sk_user_data(sock->sk, NULL);
	synchronize_rcu();
	mnet->icmp = NULL;
	sock_release(sock);
}
