// SPDX-License-Identifier: GPL-2.0
/*
 * QP 2, the node itself: EV probes and port status, ours and the peer's.
 *
 * The answer to an EV probe goes back on the plane it came on, by the path of
 * the same number, and carries the EV of the question: id and EV together say
 * which path is proved. It is never longer than the question, except for a
 * limited number to questions that others send shorter. A port status is a
 * hint for peers that have connections, and nothing for anybody else.
 */
#include "input.h"
#include "output.h"
#include "peer_int.h"
#include "ping.h"

/* Sends @eph as @len bytes, zero-padded, the ICRC included. */
static int mrc_endpoint_send(struct mrc_net *mnet,
			     const struct in6_addr *saddr,
			     const struct in6_addr *daddr,
			     const struct mrc_pick *pick,
			     const struct mrc_eph *eph, unsigned int len,
			     enum mrc_class class)
{
	struct mrc_out out = {
		.seg	= len,
		.segs	= 1,
		.class	= class,
		.icrc	= true,
	};
	struct sk_buff *skb = mrc_output_alloc(len, GFP_ATOMIC | __GFP_NOWARN);

	if (!skb)
		return -ENOBUFS;
	mrc_wire_build_eph(skb_put_zero(skb, len), eph);
	return mrc_output(mnet, saddr, daddr, pick, skb, &out);
}

/**
 * mrc_endpoint_ask() - send a request
 * @mnet: namespace
 * @saddr: node address of ours
 * @daddr: whom to ask
 * @pick: path to take
 * @eph: the request
 * @len: as in mrc_endpoint_probe()
 *
 * Context: BH off, RCU read side, no lock of the paths floor held.
 * Return: 0, or an error of mrc_output(): nothing was sent.
 */
int mrc_endpoint_ask(struct mrc_net *mnet, const struct in6_addr *saddr,
		     const struct in6_addr *daddr, const struct mrc_pick *pick,
		     const struct mrc_eph *eph, unsigned int len)
{
	return mrc_endpoint_send(mnet, saddr, daddr, pick, eph, len,
				 MRC_CLASS_DATA);
}

/**
 * mrc_endpoint_probe() - ask over one path
 * @peer: whom
 * @pick: the path
 * @id: to be echoed, not 0
 * @len: bytes from the BTH to the end of the ICRC, a multiple of 4, at least
 *	MRC_LEN_EP_REQ_MIN + MRC_LEN_ICRC
 *
 * Context: BH off, RCU read side, no lock of the paths floor held.
 * Return: 0, or an error of mrc_output(): nothing was sent.
 */
int mrc_endpoint_probe(struct mrc_peer *peer, const struct mrc_pick *pick,
		       u16 id, unsigned int len)
{
	struct mrc_eph eph = {
		.op	= MRC_EP_EV_PROBE,
		.id	= id,
		.ports	= mrc_planes_up(peer->mnet),
		.ts	= mrc_wire_ts(ktime_get_ns()),
	};
	int err;

	err = mrc_endpoint_send(peer->mnet, &peer->local, &peer->remote, pick,
				&eph, len, MRC_CLASS_DATA);
	if (!err)
		MRC_INC(peer->mnet, EP_REQ_OUT);
	return err;
}

/**
 * mrc_endpoint_ports() - say which of our planes work
 * @peer: to whom
 * @pick: path to take
 * @mask: planes that work, bit n-1
 *
 * Context: BH off, RCU read side, no lock of the paths floor held.
 * Return: 0, or an error of mrc_output().
 */
int mrc_endpoint_ports(struct mrc_peer *peer, const struct mrc_pick *pick,
		       u32 mask)
{
	struct mrc_eph eph = {
		.op	= MRC_EP_PORT_STATUS,
		.ports	= mask,
		.ts	= mrc_wire_ts(ktime_get_ns()),
	};
	int err;

	err = mrc_endpoint_send(peer->mnet, &peer->local, &peer->remote, pick,
				&eph, MRC_LEN_EP_REQ_MIN + MRC_LEN_ICRC,
				MRC_CLASS_CTL);
	if (!err)
		MRC_INC(peer->mnet, EP_PORT_OUT);
	return err;
}

/* Where the answer to @skb leaves: where the question came in. */
static int mrc_endpoint_back(struct mrc_net *mnet, struct mrc_peer *peer,
			     const struct sk_buff *skb, struct mrc_pick *pick)
{
	const struct mrc_rx *rx = MRC_RX(skb);
	int err = -ENETDOWN;

	if (peer)
		err = mrc_peer_pick_back(peer, rx->ev, rx->plane, pick);
	if (err)
		err = mrc_route_pick_back(mnet, &ipv6_hdr(skb)->saddr,
					  rx->plane, rx->ev, pick);
	return err;
}

static bool mrc_endpoint_peer(struct mrc_peer *peer, void *arg)
{
	*(struct mrc_peer **)arg = peer;
	return true;
}

/* Answers an EV probe. Return: 0 or a drop reason. */
static int mrc_endpoint_answer(struct mrc_net *mnet, const struct sk_buff *skb,
			       const struct mrc_eph *req)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);
	struct mrc_peer *peer = NULL;
	struct mrc_eph rsp = {
		.response = true,
		.op	= MRC_EP_EV_PROBE,
		.id	= req->id,
		.ts	= req->ts,
	};
	struct mrc_pick pick;

	MRC_INC(mnet, EP_REQ_IN);
	mrc_peer_any(mnet, &ip->daddr, &ip->saddr, mrc_endpoint_peer, &peer);
	if ((!peer || skb->len < MRC_LEN_EP_RSP) &&
	    !__ratelimit(&mnet->ep_limit))
		return MRC_DROP_RATE;
	if (mrc_endpoint_back(mnet, peer, skb, &pick)) {
		MRC_INC(mnet, NO_RETURN);
		return 0;
	}
	if (!mrc_endpoint_send(mnet, &ip->daddr, &ip->saddr, &pick, &rsp,
			       MRC_LEN_EP_RSP + MRC_LEN_ICRC, MRC_CLASS_CTL))
		MRC_INC(mnet, EP_RSP_OUT);
	return 0;
}

/* Return: 0 or a drop reason. */
static int mrc_endpoint_response(struct mrc_net *mnet,
				 const struct sk_buff *skb,
				 const struct mrc_eph *eph)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);

	if (mrc_ping_answer(mnet, skb, eph, ktime_get_ns()))
		return 0;
	if (eph->op != MRC_EP_EV_PROBE ||
	    !mrc_peer_probe_answer(mnet, &ip->daddr, &ip->saddr, eph->id,
				   MRC_RX(skb)->ev, MRC_RX(skb)->plane,
				   ktime_get_ns()))
		return MRC_DROP_PROBE_ID;
	MRC_INC(mnet, EP_RSP_IN);
	return 0;
}

/* Return: 0 or a drop reason. */
static int mrc_endpoint_request(struct mrc_net *mnet,
				const struct sk_buff *skb,
				const struct mrc_eph *eph)
{
	const struct ipv6hdr *ip = ipv6_hdr(skb);

	if (eph->op == MRC_EP_EV_PROBE)
		return mrc_endpoint_answer(mnet, skb, eph);
	if (!mrc_peer_port_status(mnet, &ip->daddr, &ip->saddr, eph->ports,
				  ktime_get_ns()))
		return MRC_DROP_ENDPOINT;
	MRC_INC(mnet, EP_PORT_IN);
	return 0;
}

/**
 * mrc_endpoint_input() - a packet for QP 2
 * @mnet: namespace
 * @skb: one packet with a good ICRC, which is cut off; taken
 *
 * Context: softirq, RCU read side.
 */
void mrc_endpoint_input(struct mrc_net *mnet, struct sk_buff *skb)
{
	u8 buf[MRC_LEN_EP_RSP];
	struct mrc_eph eph;
	const void *hdr;
	int err;

	hdr = skb_header_pointer(skb, 0, min_t(unsigned int, skb->len,
					       sizeof(buf)), buf);
	err = hdr ? mrc_wire_parse_eph(hdr, skb->len, &eph) : -MRC_DROP_SHORT;
	if (err) {
		mrc_input_drop(mnet, skb, err);
		return;
	}
	if (MRC_RX(skb)->loop)
		err = mrc_ping_answer(mnet, skb, &eph, ktime_get_ns()) ?
		      0 : MRC_DROP_SADDR;
	else if (eph.response)
		err = mrc_endpoint_response(mnet, skb, &eph);
	else
		err = mrc_endpoint_request(mnet, skb, &eph);
	if (err)
		mrc_input_drop(mnet, skb, err);
	else
		consume_skb(skb);
}
