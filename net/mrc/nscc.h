/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Constants of NSCC (nscc.c), each with its unit and where it is from.
 *
 * "UET" is Ultra Ethernet 1.0, whose congestion control MRC borrows; MRC's own
 * constants are not public. UET derives its gains from a configured link rate.
 * There is none here; what replaces it is marked "ours".
 */
#ifndef _NET_MRC_NSCC_H
#define _NET_MRC_NSCC_H

#include <linux/math64.h>
#include <linux/types.h>

struct mrc_cc;

/* Target of the queueing delay, per cent of the base round-trip time, before
 * the share for small windows (MRC_NSCC_SPREAD_DIV). UET: 75 in fabrics that
 * trim, 100 in others. Ours.
 */
#define MRC_NSCC_TARGET_PCT	15

/* But at least so much, ns: a burst of 15 packets at 100 Gb/s takes 5 us. Ours.
 */
#define MRC_NSCC_TARGET_MIN_NS	6000

/* And no more, ns, so that sums fit 32 bits. */
#define MRC_NSCC_TARGET_MAX_NS	500000000U

/* The bandwidth-delay product that UET's gains are relative to, 100 Gb/s over
 * 12 us, in bytes per us of base round-trip time and per plane. UET.
 */
#define MRC_NSCC_REF_RATE	12500

/* A small window tolerates more delay, so that those who share a queue come to
 * equal windows: the target grows by the square root of reference over window,
 * divided by the first, but by so many times itself at most. As in Swift
 * (SIGCOMM 2020, 3.5); ours.
 */
#define MRC_NSCC_SPREAD_DIV	1
#define MRC_NSCC_SPREAD_MOST	4

/* So many bursts take their time in the hosts, and the target allows for it, as
 * BBR's bbr_quantization_budget() does (net/ipv4/tcp_bbr.c). In base round-trip
 * times that is their bytes over the window; less than a quarter does not count,
 * and no more than four do. A burst is half of a plane's share of the window,
 * within bounds, packets (mrc_req_burst_max()). Without it a window in a host
 * that is slower than its links shrank to bursts of one packet, which made the
 * host slower still: 5.8 instructions per byte instead of 1.0. Ours.
 */
#define MRC_NSCC_BURSTS		3
#define MRC_NSCC_BURST_LEAST	4U
#define MRC_NSCC_BURST_MOST	15U
#define MRC_NSCC_QUANTUM_MOST	4

/* Fair increase: the geometric mean of the window and of the reference,
 * divided by this, bytes per round trip. UET: the reference, divided by 7.2
 * (5 packets of 4160 bytes for 150 KB): the same where the link has the rate
 * that UET was told. Ours.
 */
#define MRC_NSCC_FAIR_DIV	7

/* It never adds more than this part of the window per round trip. Ours. */
#define MRC_NSCC_FAIR_MOST	2

/* Proportional increase at no delay at all, in quarters of the fair one; it
 * falls linearly to 0 at the target. UET: 4 to 5.
 */
#define MRC_NSCC_PROP_4THS	3

/* eta, added once per round trip: this part of the fair increase. UET: 1/33.
 * Ours: it is what makes a newcomer grow where all are marked.
 */
#define MRC_NSCC_ETA_DIV	3

/* Increases are put into effect after so many packets, or a base round-trip
 * time. UET.
 */
#define MRC_NSCC_ADJUST_PKTS	8

/* Fast increase: no delay means less than this part of the target ... Ours:
 * UET has 1 us.
 */
#define MRC_NSCC_CLEAR_DIV	8

/* ... and adds this part of what was acknowledged. UET: 0.25. */
#define MRC_NSCC_FAST_DIV	4

/* gamma of the multiplicative decrease, per cent. UET: 80. It counts in full for
 * windows as large as the reference, and less, down to so many eighths, for
 * smaller ones: two flows then came to equal windows in 2 ms, not in 10. Ours.
 */
#define MRC_NSCC_GAMMA_PCT	80
#define MRC_NSCC_GAMMA_8THS	5

/* max_md_jump: it takes away at most this part of the window. UET: 0.5. */
#define MRC_NSCC_MD_DIV		2

/* A loss that means congestion takes away this part, once per round trip.
 * Ours: cubic's 0.3 is between this and UET's largest.
 */
#define MRC_NSCC_LOSS_DIV	4

/* A path is delayed if it is above so many targets: those of who fills his
 * own port are at one. Ours.
 */
#define MRC_NSCC_BUSY_TARGETS	2

/* More than one byte lost for so many received means congestion, whatever the
 * paths look like: queues may be too short for delay to be seen. Ours.
 */
#define MRC_NSCC_LOSS_SHARE	16

/* And more than so many packets. Ours. */
#define MRC_NSCC_LOSS_LEAST	3

/* The window then becomes what got through, less this part. Ours. */
#define MRC_NSCC_SPARE_DIV	8

/* Quick adapt: delay above so many targets, less received than the ceiling
 * shifted by so much. UET: 4 and 3. Or less than this part of the window: who
 * has never been fast has a low ceiling. Ours.
 */
#define MRC_NSCC_QA_TARGETS	4
#define MRC_NSCC_QA_GATE	3
#define MRC_NSCC_QA_SHARE	2

/* The first window, packets per plane, and at least, in all. Ours: UET's is
 * 1.5 times a product that it knows.
 */
#define MRC_NSCC_INIT_PKTS	4
#define MRC_NSCC_INIT_MIN	16

/* Start-up adds so many times what was acknowledged without delay: the window
 * grows to four times per round trip, as TCP's slow start would from windows of
 * ten packets on each of several paths. Ours.
 */
#define MRC_NSCC_START_TIMES	3

/* Most packets are marked if the mean is above this, of 2 * this. Ours. */
#define MRC_NSCC_MARKED		128

/* A queue that has stood for so many round trips is drained: the window holds back
 * for so many what stands there. If the delay is low just now, below half of the
 * target, fewer do: all that share the queue see that at the same time. And if
 * the base round-trip time has fallen by this part of the target, others are
 * draining. LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus) slows down in the same
 * way. Without it the last of seven flows to come kept twice its share; with a
 * drain each 24 round trips one that sends both ways had 94 % and not 96. Ours.
 */
#define MRC_NSCC_STOOD_RTTS	96
#define MRC_NSCC_LOW_RTTS	16
#define MRC_NSCC_DRAIN_RTTS	2
#define MRC_NSCC_NEWS_DIV	8

/* Ceiling: what the highest rate seen takes in the base round-trip time and so
 * many targets. A rate counts for one to two ages, ns. Ours.
 */
#define MRC_NSCC_CEIL_TARGETS	2
#define MRC_NSCC_PEAK_AGE_NS	500000000ULL

/* No window is larger, bytes: 32 planes of 400 Gb/s over 80 us. Ours. */
#define MRC_NSCC_WINDOW_MAX	(128U << 20)

/* A penalty of 2^shift - 1 takes away nearly what was acknowledged. MRC. */
#define MRC_NSCC_PEN_SHIFT	7

/* A receiver asks for a penalty when half of its window or memory is used, and
 * for this one, which halves the window per round trip, when all is. Ours.
 */
#define MRC_NSCC_PEN_FULL	64

/* Idle for so many base round-trip times, and no less than the first time, ns,
 * what was measured is forgotten; after no less than the second one the window
 * is halved, down to the first one. That is what Linux' TCP waits at least
 * (tcp_slow_start_after_idle, a timeout); collectives come again sooner. Ours.
 */
#define MRC_NSCC_IDLE_RTTS	100
#define MRC_NSCC_STALE_NS	1000000U
#define MRC_NSCC_IDLE_NS	200000000U

/**
 * struct mrc_nscc - NSCC's part of a controller
 * @inc: increases not yet put into effect, bytes * bytes
 * @adjust_at: when they are, at the latest, ns
 * @eta_at: when eta is added again, ns
 * @decr_at: no decrease before, ns
 * @qa_from: beginning of the window of quick adapt, ns
 * @peak_from: beginning of the age of @peak[0], ns
 * @acked_at: the last acknowledgment of something new, ns
 * @held_at: the window held packets back last, ns
 * @full_at: a packet was lost or trimmed because of congestion last, ns
 * @stood_at: there was no queue last, ns; 0 = not known
 * @drain_end: the queue is drained until then, ns; 0 = it is not
 * @base: base round-trip time, mean over the packets, ns
 * @known: highest @base since the last drain, ns
 * @whole: the window before the drain
 * @delay: queueing delay, mean over about a window, ns
 * @root: geometric mean of the window and of the reference, bytes
 * @achieved: bytes received since @qa_from
 * @lost: bytes lost since @qa_from
 * @ignore: bytes whose feedback is older than the last quick adapt
 * @peak: bytes that the highest rates seen take per base round-trip time
 * @clear: bytes received in a row without delay
 * @unadjusted: bytes received since increases were put into effect
 * @saved: the window before the receiver's penalty, 0 = none
 * @marks: share of the packets that are marked, mean, of 2 * MRC_NSCC_MARKED
 * @start: start-up: the window doubles per round trip
 * @grows: the window is in use
 * @qa_loss: quick adapt has a loss or a trim to look at
 * @trims: the fabric trims
 */
struct mrc_nscc {
	u64	inc;
	u64	adjust_at;
	u64	eta_at;
	u64	decr_at;
	u64	qa_from;
	u64	peak_from;
	u64	acked_at;
	u64	held_at;
	u64	full_at;
	u64	stood_at;
	u64	drain_end;
	u32	base;
	u32	known;
	u32	whole;
	u32	delay;
	u32	root;
	u32	achieved;
	u32	lost;
	u32	ignore;
	u32	peak[2];
	u32	clear;
	u32	unadjusted;
	u32	saved;
	u32	marks;
	bool	start;
	bool	grows;
	bool	qa_loss;
	bool	trims;
};

/* The receiver's penalty, 0-127, when @used of @whole bytes wait for it. */
u8 mrc_nscc_pen(u64 used, u64 whole);

/* For the tests: what the next decision will be based on. */
u32 mrc_nscc_target(const struct mrc_cc *cc);
u32 mrc_nscc_ceiling(const struct mrc_cc *cc);
u32 mrc_nscc_floor(const struct mrc_cc *cc);
u32 mrc_nscc_first(const struct mrc_cc *cc);

#endif
