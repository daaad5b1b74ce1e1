/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trims: packets whose payload a switch has cut off instead of dropping them.
 */
#ifndef _NET_MRC_TRIM_H
#define _NET_MRC_TRIM_H

#include <linux/ipv6.h>

#include "net.h"
#include "plane.h"
#include "upcall.h"

/* How a packet with this header was trimmed, by its DSCP. Context: any. */
enum mrc_trim mrc_trim_kind(const struct mrc_net *mnet,
			    const struct ipv6hdr *ip6);

/* A trimmed packet that came on @plane (may be NULL). Its data is the IPv6
 * header with the node addresses, of which 48 bytes are linear; lengths are
 * not believed. Takes @skb, which nobody shares. Context: softirq, RCU.
 */
void mrc_trim_rcv(struct mrc_net *mnet, struct sk_buff *skb,
		  struct mrc_plane *plane, enum mrc_trim kind, bool srv6);

/* Does the early hook see all that comes on @plane? Then nobody else has to do
 * with trims. Context: RCU read side.
 */
bool mrc_trim_is_early(const struct mrc_net *mnet,
		       const struct mrc_plane *plane);

/* Sets or removes the early hook as the settings say; @dev: the plane's netdev,
 * NULL if it is about to lose it. Context: process, conf_lock held; may wait
 * for a grace period.
 */
void mrc_trim_hook(struct mrc_plane *plane, struct net_device *dev);
/* The same for all planes. Context: as above. */
void mrc_trim_hook_all(struct mrc_net *mnet);

#endif
