/* SPDX-License-Identifier: GPL-2.0 */
/*
 * News from the paths floor to its users (the QPs above): a bit is set in the
 * user and the user is queued to per-CPU BH work, once, with a reference
 * held. There the handler in upcall.h looks again under its own lock. So no
 * lock of the paths floor is ever held while a socket lock is taken.
 */
#ifndef _NET_MRC_NEWS_H
#define _NET_MRC_NEWS_H

#include <linux/llist.h>
#include <linux/list.h>
#include <linux/types.h>

enum mrc_news {
	MRC_NEWS_ROOM,		/* a plane you waited for has room */
	MRC_NEWS_PATH_BAD,	/* a path left: look at what is in flight */
	MRC_NEWS_PATH_GOOD,	/* a path came back */
	MRC_NEWS_PLANE_DOWN,	/* a plane left: all in flight there is lost */
	MRC_NEWS_PATHS,		/* the path table was made anew */
	MRC_NEWS_TIMER,		/* for the user's own timers */
};

/**
 * struct mrc_user - a user of a peer, embedded in the QP
 * @peer_node: in mrc_peer.users
 * @work_node: in a per-CPU work list while @queued
 * @pending: bits of enum mrc_news not yet looked at; whoever owns the user may
 *	look, not only the handler
 * @queued: bit 0 says that, and that the list holds a reference
 */
struct mrc_user {
	struct list_head	peer_node;
	struct llist_node	work_node;
	unsigned long		pending;
	unsigned long		queued;
};

/* Gives @user a piece of news. Context: any but hard interrupts (they may be
 * off), the user must be alive. A reference is taken through upcall.h (may
 * fail: user is going, dropped).
 */
void mrc_news_give(struct mrc_user *user, enum mrc_news what);

int mrc_news_init(void);
void mrc_news_exit(void);

#endif
