/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What input.c and trim.c share. Nobody else includes this.
 */
#ifndef _NET_MRC_INPUT_INT_H
#define _NET_MRC_INPUT_INT_H

#include "input.h"
#include "plane.h"
#include "wire.h"

/* May a packet with these addresses come in from @plane? Or a drop reason. */
int mrc_input_addrs(const struct mrc_net *mnet, const struct mrc_plane *plane,
		    const struct in6_addr *saddr,
		    const struct in6_addr *daddr);
/* Fills MRC_RX(@skb), whose headers are set and whose data is the first BTH.
 * Or a drop reason.
 */
int mrc_input_fill(const struct mrc_net *mnet, struct sk_buff *skb,
		   const struct mrc_plane *plane, bool ce, bool srv6);
/* Kind of the packet at @off of @skb; or what is wrong, a drop reason. */
int mrc_input_bth(const struct sk_buff *skb, unsigned int off,
		  struct mrc_bth *bth);
/* A copy of the @len bytes at @off of @skb, with its headers; NULL without
 * memory.
 */
struct sk_buff *mrc_input_cut(const struct sk_buff *skb, unsigned int off,
			      unsigned int len);
/* Counts what came in on @plane: packets, bytes, of these packets data. */
void mrc_input_count(struct mrc_plane *plane, unsigned int segs,
		     unsigned int bytes, unsigned int data);

#endif
