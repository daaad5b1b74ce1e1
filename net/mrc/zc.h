/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Payload that is not copied, see zc.c.
 */
#ifndef _NET_MRC_ZC_H
#define _NET_MRC_ZC_H

#include "txring.h"

/* Pieces of pages in a chunk. */
#define MRC_ZC_PIECES	15

struct sk_buff;

/* A packet of the chunk is acknowledged, or will never be sent. */
void mrc_zc_put(struct mrc_zc *zc);
unsigned int mrc_zc_pieces(const struct mrc_slot *slot);
bool mrc_zc_same(const struct mrc_slot *a, const struct mrc_slot *b);
void mrc_zc_add(struct sk_buff *skb, const struct mrc_slot *slot,
		void (*add)(struct sk_buff *skb, struct page *page,
			    unsigned int off, unsigned int len));

#endif
