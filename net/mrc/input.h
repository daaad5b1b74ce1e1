/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The first step up: packets from planes, decapsulated, checked, demuxed.
 */
#ifndef _NET_MRC_INPUT_H
#define _NET_MRC_INPUT_H

#include "peer.h"
#include "upcall.h"

int mrc_input_init(void);		/* tunnel6 handler */
void mrc_input_exit(void);

void mrc_input_net_init(struct mrc_net *mnet);

/* The namespace's UDP socket for plain packets. Context: process, conf_lock.
 * -EADDRINUSE: somebody else has the port.
 */
int mrc_input_open(struct mrc_net *mnet);
void mrc_input_close(struct mrc_net *mnet);

/* A packet in a packet; 1 if it is not ours. Context: softirq, RCU. */
int mrc_input_tunnel(struct mrc_net *mnet, struct sk_buff *skb,
		     unsigned int pulled);

/* Segment routing headers. Without netfilter IPv6 takes them off, see
 * input_srh.c. Context: process, conf_lock.
 */
#if IS_ENABLED(CONFIG_NETFILTER)
int mrc_srh_open(struct mrc_net *mnet);
void mrc_srh_close(struct mrc_net *mnet);
#else
static inline int mrc_srh_open(struct mrc_net *mnet)
{
	return 0;
}

static inline void mrc_srh_close(struct mrc_net *mnet) { }
#endif

/* ICMP errors, see icmp.c. Context: process, conf_lock. */
int mrc_icmp_open(struct mrc_net *mnet);
void mrc_icmp_close(struct mrc_net *mnet);

/* Checks the ICRC of one packet of @skb (ipv6_hdr/udp_hdr valid): its BTH is
 * at @off, and its @len bytes include the ICRC. Return: true if it is good.
 */
bool mrc_input_icrc_ok(const struct sk_buff *skb, unsigned int off,
		       unsigned int len);

/* Counts @skb under @reason (enum mrc_drop, either sign) and frees it. */
void mrc_input_drop(struct mrc_net *mnet, struct sk_buff *skb, int reason);

/* QP 2, see endpoint.c: one packet with a good ICRC, which is cut off. Takes
 * @skb. Context: softirq, RCU.
 */
void mrc_endpoint_input(struct mrc_net *mnet, struct sk_buff *skb);
/* Sends an EV probe of @len bytes (padded) with @id over @pick, or a port
 * status update. Context: BH off, RCU.
 */
int mrc_endpoint_probe(struct mrc_peer *peer, const struct mrc_pick *pick,
		       u16 id, unsigned int len);
/* Sends any request from @saddr to @daddr. */
struct mrc_eph;
int mrc_endpoint_ask(struct mrc_net *mnet, const struct in6_addr *saddr,
		     const struct in6_addr *daddr, const struct mrc_pick *pick,
		     const struct mrc_eph *eph, unsigned int len);
int mrc_endpoint_ports(struct mrc_peer *peer, const struct mrc_pick *pick,
		       u32 mask);

#endif
