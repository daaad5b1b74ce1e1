/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is lost, and when (pure: numbers in, verdict out).
 *
 * PSN n is lost only if
 *  (a) path rule: a SACK of serial s acknowledged a packet sent later on the
 *      same path, a SACK of serial >= s covers n and leaves it clear, and the
 *      path has shown no reordering (the caller looks, see peer.h); or
 *  (b) time rule: it is overdue against the round-trip time of its plane. If
 *      anything sent later was acknowledged, on any plane, the connection
 *      is alive and the packet is overdue after a round trip + tolerance; else
 *      only after a retransmission timeout, which backs off. The round trip is
 *      the smoothed one, or that of the latest packet to arrive on the plane if
 *      it took longer: while a queue fills, the smoothed one is behind; and
 *      never less than an idle one whose SACK takes the longest way back.
 */
#ifndef _NET_MRC_LOSS_H
#define _NET_MRC_LOSS_H

#include <linux/types.h>

/*
 * Back-off, in MRC's terms: linear_cnt timeouts at the same interval, then
 * doubling, capped at 1.024 us * 2^MRC_LOSS_MAX_EXP (the specification's
 * largest timer). The counts are ours within its ranges.
 */
#define MRC_LOSS_LINEAR		2
#define MRC_LOSS_MAX_EXP	20	/* 1.07 s */
#define MRC_LOSS_CAP_NS		(1024ULL << MRC_LOSS_MAX_EXP)

/*
 * Floor of the retransmission timeout, ns. It strikes only when nothing sent
 * later was acknowledged on any plane, that is, when the peer may simply be
 * busy; a dead plane is found by the time rule long before. Ours.
 */
#define MRC_LOSS_RTO_MIN_NS	10000000U

/**
 * struct mrc_loss_path - what is known of a packet and of its path's order
 * @seq: the packet's number on its path
 * @acked: highest number acknowledged on it
 * @acked_serial: serial of the SACK that said so
 * @serial: serial of the SACK that covers the packet and leaves it clear
 */
struct mrc_loss_path {
	u32	seq;
	u32	acked;
	u32	acked_serial;
	u32	serial;
};

/**
 * struct mrc_loss_time - what the time rule looks at; all in ns
 * @sent_at: when the packet was sent
 * @newest_acked: send time of the latest sent packet acknowledged
 * @srtt: of the packet's plane
 * @age: of the latest sent packet acknowledged on that plane when its
 *	acknowledgment came, 0 = none
 * @trip: base round-trip time of that plane if the SACK comes back on the
 *	longest plane, 0 = unknown
 * @tolerance: of the plane and the path
 * @rto: of the plane, before back-off
 * @backoff: timeouts since the last progress
 * @unheard: nothing has come back on that plane ever
 */
struct mrc_loss_time {
	u64	sent_at;
	u64	newest_acked;
	u32	srtt;
	u32	age;
	u32	trip;
	u64	tolerance;
	u64	rto;
	u8	backoff;
	bool	unheard;
};

/* Which copy of a packet has triggered a SACK? */
enum mrc_copy {
	MRC_COPY_UNKNOWN,
	MRC_COPY_FIRST,		/* of two */
	MRC_COPY_LAST,		/* or the only one */
};

/**
 * struct mrc_loss_copy - what tells the copies of a packet apart
 * @age: time since it was sent last, ns
 * @base: base round-trip time of the plane it took then, ns
 * @sack_ev: EV that the SACK names
 * @ev: EV that it took last
 * @no_ev: the SACK names none
 * @same_path: the two copies took the same path
 * @tx: times sent
 */
struct mrc_loss_copy {
	u64	age;
	u32	base;
	u32	sack_ev;
	u32	ev;
	bool	no_ev;
	bool	same_path;
	u8	tx;
};

enum mrc_copy mrc_loss_copy(const struct mrc_loss_copy *c);
bool mrc_loss_alive(const struct mrc_loss_time *l);
bool mrc_loss_by_path(const struct mrc_loss_path *l);
u64 mrc_loss_deadline(const struct mrc_loss_time *l);
u64 mrc_loss_backoff(u64 interval, unsigned int n);

#endif
