// SPDX-License-Identifier: GPL-2.0
/*
 * Small writes: when the last packet of a stream, which is not full, waits for
 * more bytes.
 *
 * Corked (MSG_MORE, MSG_BATCH, or a sendmsg() that is not done): until it is
 * full, a send without the flag, the end of the stream, want of buffer, or
 * MRC_CORK_NS.
 *
 * Else, unless MRC_NODELAY is set: at most one packet that is not full per
 * round trip. It waits while an earlier such packet is not acknowledged (the
 * rule of Nagle as Minshall has it: full packets hold up nothing), and until a
 * round trip has passed since that was sent; what the peer has sent in the
 * meantime ends the second, for then it has answered. The acknowledgment
 * cannot be late: a packet that is not full asks for one, and nobody delays
 * answers. But it comes at once where the peer is near, and then time is what
 * lets small writes travel together: where they have come one after the other
 * without an answer, a round trip counts as MRC_SMALL_NS at least. (Who writes
 * twice and then reads does not get there.)
 */
#include "transport.h"

/* As TCP's limit for MSG_MORE. */
#define MRC_CORK_NS	(200ULL * NSEC_PER_MSEC)

/* After so many packets that were not full one waits for so long, if no round
 * trip is longer. About what a NIC holds back an interrupt for. Ours.
 */
#define MRC_SMALL_RUN	4
#define MRC_SMALL_NS	(100ULL * NSEC_PER_USEC)

/* Could the last packet take more, and was it not sent? */
static bool mrc_hold_could(const struct mrc_qp *qp)
{
	const struct mrc_requester *req = &qp->req;
	const struct mrc_slot *slot;

	if (qp->p.seqpacket || req->nxt == req->end)
		return false;
	slot = mrc_slot(&req->ring, req->end - 1);
	return slot->len < qp->p.payload && !slot->by_zc &&
	       !(slot->flags & MRC_TX_FIN);
}

/* Until when, ns; 0 = it need not wait. U64_MAX = until something comes. */
static u64 mrc_hold_small(const struct mrc_qp *qp, u64 now)
{
	const struct mrc_requester *req = &qp->req;
	u64 wait;

	if (qp->nodelay)
		return 0;
	if (req->small >= req->una &&
	    !(mrc_slot(&req->ring, req->small)->flags & MRC_TX_ACKED))
		return U64_MAX;
	if (qp->rsp.va_next != req->small_heard)
		return 0;
	wait = READ_ONCE(mrc_peer_rtt(qp->peer, qp->last_plane)->srtt);
	if (req->small_run >= MRC_SMALL_RUN)
		wait = max(wait, MRC_SMALL_NS);
	return req->small_at + wait > now ? req->small_at + wait : 0;
}

/**
 * mrc_hold_update() - may the last packet be sent?
 * @qp: QP
 * @now: ns
 *
 * Sets the requester's limit; arms the timer if it is only time that the packet
 * waits for.
 *
 * Context: socket lock held.
 */
void mrc_hold_update(struct mrc_qp *qp, u64 now)
{
	struct mrc_requester *req = &qp->req;
	u64 until;

	req->limit = req->end;
	if (!mrc_hold_could(qp))
		return;
	if (req->held != req->end - 1)
		req->held_at = now;
	until = req->more ? req->held_at + MRC_CORK_NS :
			    mrc_hold_small(qp, now);
	if (until <= now)
		return;
	if (req->held != req->end - 1) {
		req->held = req->end - 1;
		MRC_INC(qp->mnet, WAIT_SMALL);
	}
	req->limit--;
	if (until != U64_MAX)
		mrc_timer_arm(qp, until);
}

/**
 * mrc_hold_sent() - the last packet of a burst of new data was sent
 * @qp: QP
 * @psn: the packet
 * @now: ns
 *
 * Context: socket lock held.
 */
void mrc_hold_sent(struct mrc_qp *qp, u64 psn, u64 now)
{
	struct mrc_requester *req = &qp->req;

	if (mrc_slot(&req->ring, psn)->len == qp->p.payload)
		return;
	if (qp->rsp.va_next != req->small_heard ||
	    now - req->small_at > 2 * MRC_SMALL_NS)
		req->small_run = 0;
	else if (req->small_run < MRC_SMALL_RUN)
		req->small_run++;
	req->small = psn;
	req->small_at = now;
	req->small_heard = qp->rsp.va_next;
}

void mrc_req_more(struct mrc_qp *qp, bool more)
{
	qp->req.more = more;
}
