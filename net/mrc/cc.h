/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control behind the requester (pure: time is passed in).
 *
 * The requester tells what happened; the controller answers with a window in
 * bytes. Algorithms are tables of functions, chosen by name; their parameters
 * come with the connection and do not change under it.
 */
#ifndef _NET_MRC_CC_H
#define _NET_MRC_CC_H

#include <linux/mrc.h>
#include <linux/types.h>

struct mrc_cc;

/**
 * struct mrc_cc_params - what an administrator may choose
 * @target: queueing delay aimed at, per cent of the base round-trip time
 * @target_min: but at least so much, ns
 * @increase: gain of the increase, per cent of the algorithm's own
 * @decrease: gain of the multiplicative decrease, per cent
 * @init: packets per plane in the first window
 * @window: bytes, the constant window of "fixed"; for the others the highest
 *	one, 0 = what the rates seen allow
 */
struct mrc_cc_params {
	u32	target;
	u32	target_min;
	u32	increase;
	u32	decrease;
	u32	init;
	u32	window;
};

/**
 * struct mrc_cc_ack - feedback of one SACK
 * @now: ns
 * @bytes: payload newly acknowledged
 * @rcvd: growth of the responder's rcvd_bytes, bytes
 * @rtt_ns: of the packet that triggered it, 0 = none or ambiguous
 * @base_ns: base round-trip time of that packet's plane
 * @inflight: bytes still in flight
 * @ce: it arrived marked
 * @held: the window has held packets back since the last SACK
 * @trims: the fabric trims: what is lost without a trim is no congestion
 * @restore: the responder's restore_cwnd bit
 * @pen: receiver's penalty, 0-127
 */
struct mrc_cc_ack {
	u64	now;
	u32	bytes;
	u32	rcvd;
	u32	rtt_ns;
	u32	base_ns;
	u32	inflight;
	bool	ce;
	bool	held;
	bool	trims;
	bool	restore;
	u8	pen;
};

enum mrc_cc_why {
	MRC_CC_LOST,		/* by SACK or time */
	MRC_CC_TIMEOUT,
	MRC_CC_TRIMMED,
};

/**
 * struct mrc_cc_loss - a packet that has to be sent again
 * @now: ns
 * @bytes: its payload
 * @why: how it is known
 * @failed: its path has left for it: that is no congestion
 * @marked: its path was marked in the last round trips
 * @delay_ns: queueing delay of its path, smoothed
 */
struct mrc_cc_loss {
	u64		now;
	u32		bytes;
	enum mrc_cc_why	why;
	bool		failed;
	bool		marked;
	u32		delay_ns;
};

/**
 * struct mrc_cc_ops - an algorithm
 * @name: for people
 * @init: everything but @ops, @p, @mtu and @planes is zero
 * @begin: the first packet after nothing was in flight is about to be sent
 * @ack: a SACK came
 * @loss: a packet is lost
 * @state: what it does now, an enum mrc_cc_state
 */
struct mrc_cc_ops {
	const char *name;
	void (*init)(struct mrc_cc *cc);
	void (*begin)(struct mrc_cc *cc, u64 now);
	void (*ack)(struct mrc_cc *cc, const struct mrc_cc_ack *ack);
	void (*loss)(struct mrc_cc *cc, const struct mrc_cc_loss *loss);
	enum mrc_cc_state (*state)(const struct mrc_cc *cc);
};

/**
 * struct mrc_cc - controller of one connection
 * @ops: algorithm
 * @p: its parameters
 * @cwnd: bytes that may be in flight, at least one packet
 * @mtu: payload of a full packet, bytes
 * @planes: over which packets are spread
 * @priv: the algorithm's own
 */
struct mrc_cc {
	const struct mrc_cc_ops	*ops;
	struct mrc_cc_params	p;
	u32			cwnd;
	u32			mtu;
	u32			planes;
	u64			priv[19];
};

extern const struct mrc_cc_ops mrc_cc_nscc;	/* nscc.c */
extern const struct mrc_cc_ops mrc_cc_fixed;	/* cc_fixed.c */
extern const struct mrc_cc_ops mrc_cc_none;

extern const struct mrc_cc_params mrc_cc_defaults;

/* By name; NULL if there is no such algorithm. */
const struct mrc_cc_ops *mrc_cc_find(const char *name);
/* One after the other, from 0; NULL after the last. */
const struct mrc_cc_ops *mrc_cc_nth(unsigned int i);
/* Begins a connection: @p NULL = the defaults. */
void mrc_cc_init(struct mrc_cc *cc, const struct mrc_cc_ops *ops,
		 const struct mrc_cc_params *p, u32 mtu, u32 planes);

#endif
