/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Headers at growing offsets of a received skb, without a search from its
 * beginning for each and, as a rule, without a copy. A burst has a header
 * every few kilobytes, in frags and, after GRO, in a list of skbs.
 */
#ifndef _NET_MRC_CURSOR_H
#define _NET_MRC_CURSOR_H

#include <linux/skbuff.h>

/**
 * struct mrc_cursor - the piece of an skb that was looked at last
 * @skb: the whole
 * @part: it, or the one of its frag_list that the piece belongs to
 * @data: the piece; NULL if it cannot be read in place
 * @from: offset of the piece in @skb, and
 * @to: where it ends
 * @next: index of the frag of @part that follows
 */
struct mrc_cursor {
	const struct sk_buff	*skb;
	const struct sk_buff	*part;
	const u8		*data;
	unsigned int		from;
	unsigned int		to;
	unsigned int		next;
};

static inline void mrc_cursor_part(struct mrc_cursor *c,
				   const struct sk_buff *part)
{
	c->part = part;
	c->data = part->data;
	c->from = c->to;
	c->to += skb_headlen(part);
	c->next = 0;
}

static inline void mrc_cursor_init(struct mrc_cursor *c,
				   const struct sk_buff *skb)
{
	c->skb = skb;
	c->to = 0;
	mrc_cursor_part(c, skb);
}

/* The piece that follows. Return: false if there is none that can be found
 * this way: a list in a list.
 */
static inline bool mrc_cursor_step(struct mrc_cursor *c)
{
	const struct skb_shared_info *info = skb_shinfo(c->part);
	const struct sk_buff *part;
	const skb_frag_t *frag;

	if (c->next < info->nr_frags) {
		frag = &info->frags[c->next++];
		c->data = skb_frag_address_safe(frag);
		c->from = c->to;
		c->to += skb_frag_size(frag);
		return true;
	}
	if (c->part == c->skb)
		part = info->frag_list;
	else
		part = info->frag_list ? NULL : c->part->next;
	if (part)
		mrc_cursor_part(c, part);
	return part;
}

/**
 * mrc_cursor_peek() - bytes of the skb that lie in one piece
 * @c: cursor
 * @off: where, not before what was asked for last
 * @len: how many
 *
 * Context: any.
 * Return: the bytes, NULL if the skb does not have them or not in one piece.
 */
static inline const void *mrc_cursor_peek(struct mrc_cursor *c,
					  unsigned int off, unsigned int len)
{
	while (off >= c->to)
		if (!mrc_cursor_step(c))
			return NULL;
	return c->data && len <= c->to - off ? c->data + (off - c->from) : NULL;
}

/**
 * mrc_cursor_at() - bytes of the skb
 * @c: cursor
 * @off: where, not before what was asked for last
 * @len: how many
 * @buf: room for them, used if they do not lie in one piece
 *
 * Context: any.
 * Return: the bytes, NULL if the skb does not have them.
 */
static inline const void *mrc_cursor_at(struct mrc_cursor *c, unsigned int off,
					unsigned int len, void *buf)
{
	return mrc_cursor_peek(c, off, len) ?:
	       skb_header_pointer(c->skb, off, len, buf);
}

#endif
