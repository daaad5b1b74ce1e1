/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Congestion control behind the requester (pure: time is passed in).
 *
 * The requester tells what happened; the controller answers with a window in
 * bytes. Algorithms are tables of functions, chosen by name.
 */
#ifndef _NET_MRC_CC_H
#define _NET_MRC_CC_H

#include <linux/types.h>

struct mrc_cc;

/**
 * struct mrc_cc_ack - feedback of one SACK
 * @now: ns
 * @bytes: payload newly acknowledged
 * @rcvd: growth of the responder's rcvd_bytes, bytes
 * @rtt_ns: of the packet that triggered it, 0 = none or ambiguous
 * @base_ns: base round-trip time of that packet's plane
 * @inflight: bytes still in flight
 * @ce: it arrived marked
 * @pen: receiver's penalty, 0-127
 * @restore: the responder's restore_cwnd bit
 */
struct mrc_cc_ack {
	u64	now;
	u32	bytes;
	u32	rcvd;
	u32	rtt_ns;
	u32	base_ns;
	u32	inflight;
	bool	ce;
	bool	restore;
	u8	pen;
};

enum mrc_cc_loss {
	MRC_CC_LOST,		/* by SACK or time */
	MRC_CC_TIMEOUT,
	MRC_CC_TRIMMED,
};

/**
 * struct mrc_cc_ops - an algorithm
 * @name: for people
 * @init: @mtu is the payload of a full packet, bytes
 * @ack: a SACK came
 * @loss: @bytes of payload were lost at @now
 */
struct mrc_cc_ops {
	const char *name;
	void (*init)(struct mrc_cc *cc, u32 mtu);
	void (*ack)(struct mrc_cc *cc, const struct mrc_cc_ack *ack);
	void (*loss)(struct mrc_cc *cc, enum mrc_cc_loss why, u32 bytes,
		     u64 now);
};

/**
 * struct mrc_cc - controller of one connection
 * @ops: algorithm
 * @cwnd: bytes that may be in flight, at least one packet
 * @mtu: payload of a full packet, bytes
 * @priv: the algorithm's own
 */
struct mrc_cc {
	const struct mrc_cc_ops	*ops;
	u32			cwnd;
	u32			mtu;
	u64			priv[14];
};

extern const struct mrc_cc_ops mrc_cc_fixed;

#endif
