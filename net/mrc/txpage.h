/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages that packets were filled into, kept until they can be filled again.
 */
#ifndef _NET_MRC_TXPAGE_H
#define _NET_MRC_TXPAGE_H

#include <linux/mm_types.h>

struct sock;
struct mrc_txpages;

/* @pfrag is full: its page is kept, and it gets the one kept longest if nobody
 * else uses that any more, or none.
 */
void mrc_txpage_turn(struct mrc_txpages **pages, struct sock *sk,
		     struct page_frag *pfrag);
/* Gives up all that are kept. */
void mrc_txpage_free(struct mrc_txpages **pages, struct sock *sk);

#endif
