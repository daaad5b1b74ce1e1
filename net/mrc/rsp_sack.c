// SPDX-License-Identifier: GPL-2.0
/*
 * What the responder answers: SACK and NACK, and the reliability probe of the
 * requester; small packets over the reverse EV set.
 *
 * A SACK's own bitmap covers the run of PSNs that triggered it. The second
 * bitmap is a cursor over the words above the first gap, oldest first, so that
 * a lost SACK loses nothing. It does not stop at words that hold a gap only:
 * if the SACKs of a full one were lost, its packets would be sent again.
 */
#include <linux/random.h>
#include <net/proto_memory.h>

#include "nscc.h"
#include "transport.h"
#include "tune.h"

/* The way back for an answer to @rx (NULL: to nothing). If @again, the peer has
 * lost something, maybe our last answer: then it is the way the packet came,
 * which works at least in that direction. Every other time what we think best
 * would be the same again.
 */
static int mrc_ctl_pick(struct mrc_qp *qp, const struct mrc_rx *rx, bool again,
			struct mrc_pick *pick)
{
	if (again && !mrc_peer_pick_back(qp->peer, rx->ev, rx->plane, pick))
		return 0;
	return mrc_peer_pick_ctl(qp->peer, &qp->req.rotor, rx ? rx->plane : 0,
				 pick);
}

static void mrc_ctl_send(struct mrc_qp *qp, struct sk_buff *skb,
			 const struct mrc_rx *rx, bool again)
{
	struct mrc_out out = {
		.segs	  = 1,
		.class	  = MRC_CLASS_CTL,
		.icrc	  = qp->p.icrc,
		.mark	  = READ_ONCE(qp->sk->sk_mark),
		.priority = READ_ONCE(qp->sk->sk_priority),
	};
	struct mrc_pick pick;

	if (mrc_ctl_pick(qp, rx, again, &pick)) {
		MRC_INC(qp->mnet, NO_RETURN);
		kfree_skb(skb);
		return;
	}
	if (qp->p.icrc)
		skb_put_zero(skb, MRC_LEN_ICRC);
	out.seg = skb->len;
	mrc_output(qp->mnet, &qp->local, &qp->remote, &pick, skb, &out);
}

/* PSN of bit 0 of the SACK's own bitmap: cack + 1 if the run is within reach,
 * else so that the bitmap ends with the run.
 */
static u64 mrc_sack_base_of(const struct mrc_responder *rsp,
			    const struct mrc_run *run)
{
	u64 base = rsp->bm.base;

	if (run->n && run->last >= base + 64)
		base = run->last - 63;
	return base;
}

/* The second bitmap: the next word above the gap. */
static u64 mrc_sack_cursor(struct mrc_responder *rsp)
{
	u64 from = max(rsp->cursor, rsp->bm.base);
	u64 psn = mrc_bitmap_next_word(&rsp->bm, from);

	if (psn == MRC_PSN_NONE)
		psn = mrc_bitmap_next_word(&rsp->bm, rsp->bm.base);
	if (psn == MRC_PSN_NONE)
		psn = rsp->bm.base;
	rsp->cursor = psn + 64;
	return psn;
}

/* Receive memory that packets may take: twice the buffer, since the window is
 * half of it; and what is promised is kept when the buffer shrinks.
 */
u64 mrc_rsp_limit(const struct mrc_qp *qp)
{
	u64 promised = qp->rsp.va_max - qp->rsp.va_read;

	return 2 * max_t(u64, READ_ONCE(qp->sk->sk_rcvbuf), promised);
}

/* The window, as the buffer is now. It holds the largest message that was
 * agreed on, and more: nothing of a message is read before its end has come.
 */
static u64 mrc_rsp_window_now(const struct mrc_qp *qp)
{
	u64 window = mrc_rsp_window_of(READ_ONCE(qp->sk->sk_rcvbuf));

	if (qp->p.seqpacket)
		window = max_t(u64, window, 2ULL * qp->p.rx_max_msg);
	return window;
}

/* The window is promised: it only grows, and by an eighth at least, so that
 * a slow reader does not make the peer send short bursts. But it must grow
 * when all has been read and a whole packet does not fit what is left.
 */
static u64 mrc_rsp_va_max(const struct mrc_qp *qp)
{
	u64 window = mrc_rsp_window_now(qp);
	u64 free = max(qp->rsp.va_read + window, qp->rsp.va_max);
	u64 step = min(window / 8, window - qp->p.payload);

	return free - qp->rsp.va_max >= step ? free : qp->rsp.va_max;
}

/*
 * PSNs the peer may use beyond the gap, in units of 128: what receive memory
 * is left, divided by what a packet has cost lately.
 */
static u8 mrc_rsp_mpr(struct mrc_qp *qp)
{
	u64 used = atomic_read(&qp->sk->sk_rmem_alloc);
	u64 limit = mrc_rsp_limit(qp);
	u32 cost = max_t(u32, qp->rsp.cost, SKB_TRUESIZE(MRC_HDR_STREAM));
	u64 n = used < limit ? div_u64(limit - used, cost) : 0;

	n = clamp_t(u64, n, 1 << MRC_MPR_SHIFT, qp->p.rx_mpr);
	qp->rsp.mpr = n & ~((1U << MRC_MPR_SHIFT) - 1);
	return qp->rsp.mpr >> MRC_MPR_SHIFT;
}

/* The reader or the memory is behind: the peer should slow down before it runs
 * into the end of the window. It may go on as before when that is over.
 */
static void mrc_sack_penalty(struct mrc_qp *qp, struct mrc_sack *s)
{
	u64 used = atomic_read(&qp->sk->sk_rmem_alloc);

	s->pen = max(mrc_nscc_pen(qp->rsp.readable, mrc_rsp_window_now(qp)),
		     mrc_nscc_pen(used, mrc_rsp_limit(qp)));
	s->restore_cwnd = s->pen;
	if (s->pen)
		MRC_INC(qp->mnet, PENALTY_OUT);
}

static void mrc_sack_fill(struct mrc_qp *qp, const struct mrc_run *run,
			  const struct mrc_rx *rx,
			  const struct mrc_probe *probe, struct mrc_sack *s)
{
	struct mrc_responder *rsp = &qp->rsp;
	u64 cack = rsp->bm.base - 1;
	u64 base = mrc_sack_base_of(rsp, run);
	u64 base2 = mrc_sack_cursor(rsp);

	s->dqpn = qp->p.dqpn;
	s->cack = mrc_psn_wire(cack);
	s->ev = rx ? rx->ev : MRC_EV_NONE;
	s->sack_off = base - cack;
	s->bitmap = mrc_bitmap_extract(&rsp->bm, base);
	s->spdcid = mrc_wire_pdcid(qp->qpn.qpn);
	s->dpdcid = mrc_wire_pdcid(qp->p.dqpn);
	s->rcvd = mrc_wire_rcvd(rsp->rcvd);
	s->ooo = min_t(u32, rsp->bm.ooo, 0x7fff);
	s->mpr = mrc_rsp_mpr(qp);
	mrc_sack_penalty(qp, s);
	if (probe) {
		s->probe = true;
		s->probe_id = probe->probe_id;
		s->ts = probe->ts;
	} else if (run->n) {
		/* Only a very late duplicate is as far away as 16 bits allow;
		 * the requester knows nothing of it any more.
		 */
		s->ack_off = max(mrc_psn_sub(mrc_psn_wire(run->trigger),
					     s->cack), S16_MIN);
		if (rx && mrc_rsp_accuses(qp, rx))
			s->mark = MRC_MARK_ALWAYS_SKIP;
		else if (rx && rx->ce)
			s->mark = MRC_MARK_SKIP_ONCE;
	} else {
		/* Our own news: nothing triggered it, so no path is meant. */
		s->ev = MRC_EV_NONE;
	}
	s->has_prof = true;
	s->prof = (struct mrc_prof) {
		.next_va = rsp->va_next,
		.max_va	 = mrc_rsp_va_max(qp),
		.bitmap	 = mrc_bitmap_extract(&rsp->bm, base2),
		.key	 = qp->p.tx_key,
		.serial	 = rsp->serial++,
		.base	 = mrc_psn_wire(base2),
	};
	rsp->va_max = s->prof.max_va;
}

/* Sends a SACK for @run (may be empty), or the answer to @probe; @rx is what
 * triggered it, NULL for a window update.
 */
void mrc_rsp_send_sack(struct mrc_qp *qp, const struct mrc_run *run,
		       const struct mrc_rx *rx, const struct mrc_probe *probe)
{
	struct mrc_sack s = {};
	struct sk_buff *skb;

	skb = mrc_output_alloc(MRC_LEN_SACK_PROF + MRC_LEN_ICRC,
			       GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return;
	mrc_sack_fill(qp, run, rx, probe, &s);
	skb_put(skb, mrc_wire_build_sack(skb->data, &s));
	qp->rsp.pending = 0;
	qp->stats.sacks_out++;
	MRC_INC(qp->mnet, SACK_OUT);
	mrc_ctl_send(qp, skb, rx, rx && (probe || run->again));
}

void mrc_rsp_send_nack(struct mrc_qp *qp, u8 reason, u64 psn,
		       const struct mrc_rx *rx, bool back)
{
	struct mrc_nack n = {
		.dqpn	 = qp->p.dqpn,
		.psn	 = mrc_psn_wire(psn),
		.ev	 = rx->ev,
		.key	 = qp->p.tx_key,
		.spdcid	 = mrc_wire_pdcid(qp->qpn.qpn),
		.dpdcid	 = mrc_wire_pdcid(qp->p.dqpn),
		.reason	 = reason,
		.has_key = true,
	};
	struct sk_buff *skb;

	skb = mrc_output_alloc(MRC_LEN_NACK_KEY + MRC_LEN_ICRC,
			       GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return;
	skb_put(skb, mrc_wire_build_nack(skb->data, &n));
	MRC_INC(qp->mnet, NACK_OUT);
	mrc_ctl_send(qp, skb, rx, back);
}

/* The buffer grows with what the user reads in a round trip, unless its size
 * was set. A round trip is the shortest time in which what had been promised
 * was used up: if the window is what holds the peer back, that is just it.
 */
static void mrc_rsp_tune(struct mrc_qp *qp)
{
	struct mrc_responder *rsp = &qp->rsp;
	struct sock *sk = qp->sk;
	u64 now = mrc_now(), time = max(now - rsp->tune_at, 1ULL);
	int rcvbuf;

	if (rsp->va_read < rsp->tune_end)
		return;
	if (rsp->tune_at) {
		rsp->tune_rtt = min_t(u64, time, rsp->tune_rtt ?: U32_MAX);
		rcvbuf = mrc_tune_rcvbuf(READ_ONCE(sk->sk_rcvbuf),
					 rsp->va_read - rsp->tune_va, time,
					 rsp->tune_rtt);
		if (!(sk->sk_userlocks & SOCK_RCVBUF_LOCK) &&
		    !sk_under_memory_pressure(sk))
			WRITE_ONCE(sk->sk_rcvbuf, rcvbuf);
	}
	rsp->tune_at = now;
	rsp->tune_va = rsp->va_read;
	rsp->tune_end = rsp->va_max;
}

/* The user has read: is it worth telling? Yes if the window grew by a quarter
 * of itself, or was shut (less than a packet) and is not any more; the same
 * for the PSN range.
 */
void mrc_rsp_window(struct mrc_qp *qp)
{
	struct mrc_responder *rsp = &qp->rsp;
	struct mrc_run run = {};
	u64 grown, open, window;

	if (qp->state != MRC_QP_READY || rsp->fin)
		return;
	mrc_rsp_tune(qp);
	window = mrc_rsp_window_now(qp);
	grown = mrc_rsp_va_max(qp) - rsp->va_max;
	open = rsp->va_max - rsp->va_next;
	if (grown < window / 4 && !(open < qp->p.payload &&
				    open + grown >= qp->p.payload) &&
	    !(rsp->mpr < qp->p.rx_mpr / 4 && !rsp->readable))
		return;
	local_bh_disable();
	rcu_read_lock();
	MRC_INC(qp->mnet, WINDOW_OPEN);
	mrc_rsp_send_sack(qp, &run, NULL, NULL);
	rcu_read_unlock();
	local_bh_enable();
}

/* Half of the buffer: what an skb takes in memory is up to twice its payload
 * for full packets.
 */
u64 mrc_rsp_window_of(int rcvbuf)
{
	return max_t(u64, rcvbuf / 2, MRC_PAYLOAD_MAX);
}

/* A reliability probe on a path of the data rotation. It consumes no PSN and
 * is exempt from every window.
 */
int mrc_req_send_probe(struct mrc_qp *qp, u64 now)
{
	struct mrc_probe p = {
		.dqpn	 = qp->p.dqpn,
		.psn	 = mrc_psn_wire(qp->req.nxt),
		.key	 = qp->p.tx_key,
		.spdcid	 = mrc_wire_pdcid(qp->qpn.qpn),
		.dpdcid	 = mrc_wire_pdcid(qp->p.dqpn),
		.ts	 = mrc_wire_ts(now),
		.has_key = true,
	};
	struct mrc_out out = { .segs = 1, .class = MRC_CLASS_DATA,
			       .icrc = qp->p.icrc };
	unsigned int len = MRC_LEN_PROBE_MIN;
	struct mrc_pick pick;
	struct sk_buff *skb;
	bool kept;
	int err;

	do
		p.probe_id = get_random_u32_inclusive(1, U16_MAX);
	while (mrc_qp_find_probe(qp, p.probe_id) >= 0);
	err = mrc_peer_pick(qp->peer, &qp->req.rotor, qp->p.planes,
			    qp->last_plane, len + MRC_LEN_ICRC, &pick);
	if (err)
		return err;
	skb = mrc_output_alloc(len + MRC_LEN_ICRC, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return -ENOMEM;
	skb_put_zero(skb, len + (qp->p.icrc ? MRC_LEN_ICRC : 0));
	mrc_wire_build_probe(skb->data, &p);
	out.seg = skb->len;
	kept = qp->asked[0].id && now - qp->asked[0].at < MRC_QP_PROBE_KEPT_NS;
	qp->asked[kept] = (struct mrc_qp_probe) {
		.id = p.probe_id,
		.at = now,
		.used = { .ev = pick.ev, .gen = pick.gen, .path = pick.path,
			  .plane = pick.plane->id },
	};
	return mrc_output(qp->mnet, &qp->local, &qp->remote, &pick, skb, &out);
}
