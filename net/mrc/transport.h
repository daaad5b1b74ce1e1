/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the transport floor share among themselves.
 */
#ifndef _NET_MRC_TRANSPORT_H
#define _NET_MRC_TRANSPORT_H

#include "output.h"
#include "qp.h"
#include "upcall.h"
#include "wire.h"

/* A SACK goes out after this many received bytes, max(packet, 1024) each:
 * trigger (1) of the specification, whose threshold is not public. While
 * something is missing, four full packets, so that a burst is acknowledged as a
 * whole and single packets are not acknowledged one by one. Else one packet more
 * than the longest burst has: of bursts that come one after the other every
 * second one is acknowledged, together with the first, for a SACK costs a tenth
 * of a burst. Who sends less, or has little room left in a window, asks for one
 * (requester.c).
 */
#define MRC_SACK_BYTES		(4 * MRC_PAYLOAD_MAX)
#define MRC_SACK_BYTES_WHOLE	(16 * MRC_PAYLOAD_MAX)
static_assert(MRC_SACK_BYTES_WHOLE == (MRC_BURST_PKTS + 1) * MRC_PAYLOAD_MAX);
#define MRC_SACK_MIN_CHARGE	1024

/* Keepalive (SO_KEEPALIVE): a probe after so much silence. Ours. */
#define MRC_KEEPALIVE_NS	(10ULL * NSEC_PER_SEC)

/* Pages that may be filled again are kept for so long after the last
 * acknowledgment of a connection that has nothing to send. Ours.
 */
#define MRC_PAGES_IDLE_NS	(10ULL * NSEC_PER_MSEC)

/* Retry after a drop in our own host (full qdisc, no memory). Ours. */
#define MRC_LOCAL_RETRY_NS	(500ULL * NSEC_PER_USEC)

/* New packets of a burst where a plane has several paths. A burst is what a
 * choice of path is about, and senders do not know of each other: the shorter
 * bursts are, the shorter is the queue where those of several meet. In a
 * permutation of 8 hosts across 8 spines that have to carry all there is, flows
 * got 88 % of their lines with 15 packets and 96 % with 5.
 */
#define MRC_BURST_SPRAY		5

/* And where no more than so many packets are left to send or to be acknowledged,
 * while the plane has some that are not on the wire yet.
 * An all-to-all of 16 hosts with 8 MB each took 1.19 ideal times with 5, 1.08
 * with 3, 1.05 with 2 and 1.01 with 1. Ours.
 */
#define MRC_BURST_FEW		160
#define MRC_BURST_SPRAY_FEW	2

/* And at least so many, where the window allows it, however small a part of it
 * a burst should be: with windows of some 10 packets a byte cost 5.8 instructions
 * in bursts of one packet and 2.1 in bursts of four. Ours.
 */
#define MRC_BURST_LEAST		4U

/* Retransmissions use the frags layout, proved for 8 packets. */
#define MRC_RTX_BURST		8

static inline struct mrc_qp *mrc_user_qp(struct mrc_user *user)
{
	return container_of(user, struct mrc_qp, user);
}

static inline u64 mrc_now(void)
{
	return ktime_get_ns();
}

/* Bytes a packet takes in its page: headers, payload, padding, ICRC. */
static inline unsigned int mrc_slot_hdr(const struct mrc_slot *slot,
					bool seqpacket)
{
	bool imm = (slot->flags & MRC_TX_FIN) ||
		   (seqpacket && (slot->flags & MRC_TX_LAST));

	return MRC_HDR_STREAM + (imm ? MRC_LEN_IMM : 0);
}

static inline unsigned int mrc_slot_seg(const struct mrc_qp *qp,
					const struct mrc_slot *slot)
{
	return mrc_slot_hdr(slot, qp->p.seqpacket) + ALIGN(slot->len, 4) +
	       (qp->p.icrc ? MRC_LEN_ICRC : 0);
}

/* requester.c */
int mrc_req_init(struct mrc_qp *qp, gfp_t gfp);
void mrc_req_purge(struct mrc_qp *qp);
void mrc_req_sync_paths(struct mrc_qp *qp);
/* A burst of @n packets is out on @used. */
void mrc_req_sent(struct mrc_qp *qp, const u64 *psns, unsigned int n,
		  const struct mrc_used *used, u64 now);
/* How many packets from @psn on, up to @end, left in one burst for the first
 * time and are in flight: what is true of one is true of all.
 */
u32 mrc_req_together(const struct mrc_requester *req, u64 psn, u64 end);
/* @n such packets, or one, are in flight no longer: they leave their plane's
 * list and the counts, and get @flags. Return: payload bytes.
 */
u32 mrc_req_landed(struct mrc_qp *qp, u64 psn, u32 n, u8 flags);
/* It must be sent again; @mib counts why. */
void mrc_req_slot_lost(struct mrc_qp *qp, u64 psn, struct mrc_slot *slot);
/* The payload of @n slots is not needed any more. */
void mrc_req_release(struct mrc_qp *qp, u64 psn, u32 n);
unsigned int mrc_req_put(struct mrc_qp *qp, u64 psn, u32 n);
void mrc_req_uncharge(struct mrc_qp *qp, unsigned int n);
struct mrc_used mrc_req_used(const struct mrc_qp *qp,
			     const struct mrc_slot *slot);
/* All in flight on planes that are down is lost. */
void mrc_req_planes_down(struct mrc_qp *qp);
/* After an outage: what waits for a long timeout is sent again now. */
void mrc_req_resume(struct mrc_qp *qp);
/* Does the head of the queue wait for the receive window only? */
bool mrc_req_window_closed(const struct mrc_qp *qp);

/* fill.c: for packets that are not copied */
struct mrc_slot *mrc_fill_slot(struct mrc_qp *qp, u64 psn, u64 va, u8 flags);
void mrc_fill_charge(struct sock *sk, unsigned int n);

/* stamp.c: times that the user wants to know */
void mrc_stamp_sent(struct mrc_qp *qp);
void mrc_stamp_acked(struct mrc_qp *qp);
void mrc_stamp_purge(struct mrc_qp *qp);

/* hold.c: may the last packet be sent, or does it wait? */
void mrc_hold_update(struct mrc_qp *qp, u64 now);
void mrc_hold_sent(struct mrc_qp *qp, u64 psn, u64 now);

/* burst.c: one burst that starts at @psn and has at most @max packets. */
int mrc_burst_new(struct mrc_qp *qp, u64 psn, unsigned int max, bool ack_req,
		  const struct mrc_pick *pick);
int mrc_burst_rtx(struct mrc_qp *qp, u64 psn, unsigned int max,
		  const struct mrc_pick *pick);
/* How many new packets from @psn fit one burst of at most @max. */
unsigned int mrc_burst_len(const struct mrc_qp *qp, u64 psn, unsigned int max);

/* sack.c: control packets to the requester. Return 0 or -MRC_DROP_*. */
int mrc_req_sack(struct mrc_qp *qp, const struct mrc_sack *sack, u64 now);
int mrc_req_nack(struct mrc_qp *qp, const struct mrc_nack *nack, u64 now);
/* Applies the time rule to all planes: what is overdue is lost. Returns the
 * next deadline, 0 if nothing is in flight.
 */
u64 mrc_req_time_losses(struct mrc_qp *qp, u64 now);

/* timer.c */
void mrc_timer_init(struct mrc_qp *qp);
/* Sees to it that the timer fires at @at or before. */
void mrc_timer_arm(struct mrc_qp *qp, u64 at);
void mrc_timer_stop(struct mrc_qp *qp);
/* What is due now; arms the timer for the next. Lock held. */
void mrc_timer_run(struct mrc_qp *qp);
/* Something was queued or sent: the timer must run. */
void mrc_timer_sent(struct mrc_qp *qp);
/* The peer acknowledged something new or answered: back-off ends. */
/* Retransmission timeout of a plane, before back-off, ns: it strikes when all
 * planes are silent, so that what the latest measurement says of another plane
 * counts, too.
 */
u64 mrc_timer_rto(const struct mrc_qp *qp, const struct mrc_rtt *rtt);
void mrc_timer_progress(struct mrc_qp *qp, u64 now);
/* A timeout without progress: the next interval is longer. */
void mrc_timer_backoff(struct mrc_qp *qp, u64 now);

/* responder.c */
int mrc_rsp_init(struct mrc_qp *qp, gfp_t gfp);
void mrc_rsp_purge(struct mrc_qp *qp);
/* A data skb: takes it. */
void mrc_rsp_data(struct mrc_qp *qp, struct sk_buff *skb);
int mrc_rsp_probe(struct mrc_qp *qp, const struct mrc_probe *probe,
		  const struct mrc_rx *rx);
struct mrc_seg;
/* VA against the window. Return: 0 or -MRC_DROP_VA_WINDOW. */
int mrc_rsp_va(const struct mrc_qp *qp, u64 psn, const struct mrc_seg *seg);

/* rsp_trim.c */

/* What is left of a data packet, MRC_RX(skb)->trim says how it was trimmed.
 * Return: 0 or -MRC_DROP_*.
 */
int mrc_rsp_trimmed(struct mrc_qp *qp, const struct sk_buff *skb);
/* @n new packets were accepted; @ahead of a gap. Looks for what is missing in
 * a burst.
 */
void mrc_rsp_saw(struct mrc_qp *qp, u64 psn, u32 n, bool rtx, bool ahead,
		 const struct mrc_rx *rx);
/* The ICRC of the @len bytes at @off is wrong. */
void mrc_rsp_damaged(struct mrc_qp *qp, const struct sk_buff *skb,
		     unsigned int off, unsigned int len,
		     const struct mrc_rx *rx);
/* Is the path that @rx came by far worse than its siblings? Then a SACK is due
 * that says so.
 */
bool mrc_rsp_suspects(const struct mrc_qp *qp, const struct mrc_rx *rx);
/* The same for that SACK: the evidence is used up. */
bool mrc_rsp_accuses(struct mrc_qp *qp, const struct mrc_rx *rx);
/* May an answer go out that is worth little (0B, or longer than what it
 * answers)? Takes from a limit that all of them share.
 */
bool mrc_rsp_may_answer(struct mrc_qp *qp);

/* rsp_sack.c: acknowledgments out */

/**
 * struct mrc_run - PSNs of one received skb that one SACK covers
 * @first: lowest and highest
 * @last: see @first
 * @trigger: the packet that triggers (the last one to arrive)
 * @n: packets, 0 = empty
 * @now: must be acknowledged at once
 * @again: sent again, or come again: the peer has lost something
 */
struct mrc_run {
	u64	first;
	u64	last;
	u64	trigger;
	u32	n;
	bool	now;
	bool	again;
};

void mrc_rsp_send_sack(struct mrc_qp *qp, const struct mrc_run *run,
		       const struct mrc_rx *rx, const struct mrc_probe *probe);
/* Receive memory that packets may take, bytes of truesize. */
u64 mrc_rsp_limit(const struct mrc_qp *qp);
/* @back: the way @rx came, not the one we think best */
void mrc_rsp_send_nack(struct mrc_qp *qp, u8 reason, u64 psn,
		       const struct mrc_rx *rx, bool back);
/* A reliability probe. Return: 0 or an error of mrc_output(). */
int mrc_req_send_probe(struct mrc_qp *qp, u64 now);

/* reader.c */

/*
 * What a unit of the reader holds: consecutive packets of one skb, all but the
 * last full and with headers of the same length, and no message ends before
 * the last. It comes in runs, whose packets differ only in their place.
 */

/**
 * struct mrc_seg - a run's payload in a received skb
 * @skb: where: the received skb for its first unit, a clone for each further
 *	unit
 * @va: offset of the first packet in the stream
 * @off: its headers' offset in @skb
 * @dma_len: length of its message
 * @stride: bytes from one packet of the skb to the next
 * @len: payload bytes of each packet
 * @n: packets
 * @hdr: bytes of headers of each
 * @flags: MRC_TX_FIRST, LAST, EOR, FIN
 */
struct mrc_seg {
	struct sk_buff	*skb;
	u64		va;
	u32		off;
	u32		dma_len;
	u32		stride;
	u16		len;
	u16		n;
	u8		hdr;
	u8		flags;
};

/* Appends in-order packets to what the user can read. */
void mrc_reader_add(struct mrc_qp *qp, const struct mrc_seg *seg);
/* Marks a fresh skb as being in no queue. */
void mrc_reader_new_skb(struct sk_buff *skb);
/* The same for a clone of @whole, charged already: it keeps @whole. */
void mrc_reader_new_clone(struct sk_buff *clone, struct sk_buff *whole);

/* qp.c: at the end of a batch of packets or news */
void mrc_qp_settle(struct mrc_qp *qp);

#endif
