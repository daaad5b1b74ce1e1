// SPDX-License-Identifier: GPL-2.0
/*
 * What the peer's SACKs and NACKs say to the requester: what has arrived,
 * what is lost, what the windows are now, and what that tells about paths.
 *
 * A SACK is checked as a whole before any of it is believed. Then, in order:
 * the round-trip time of the packet that triggered it, cumulative and
 * selective acknowledgments, windows (newest serial only), congestion
 * control, the path rule for what it leaves clear, the time rule.
 */
#include <net/proto_memory.h>
#include <trace/events/mrc.h>

#include "loss.h"
#include "transport.h"
#include "tune.h"

/**
 * struct mrc_ack - what one SACK did
 * @now: ns
 * @bytes: payload newly acknowledged
 * @packets: packets newly acknowledged
 * @room: memory that they took, bytes
 * @used: a path, and
 * @n: packets acknowledged on it that the peer was not told of yet
 * @sent_at: when the latest of these was sent, ns
 * @oldest: when the first of these was sent, ns
 * @first: PSN of which the first copy is known to have arrived, 0 = none
 * @rtt_ns: round-trip time sample, 0 = none
 * @base_ns: base round-trip time of that packet's plane
 * @serial: of the SACK
 */
struct mrc_ack {
	u64		now;
	u32		bytes;
	u32		packets;
	u32		room;
	struct mrc_used	used;
	u32		n;
	u64		sent_at;
	u64		oldest;
	u64		first;
	u32		rtt_ns;
	u32		base_ns;
	u32		serial;
};

static void mrc_ack_flush(struct mrc_qp *qp, struct mrc_ack *a)
{
	if (a->n) {
		mrc_peer_acked(qp->peer, &a->used, a->n, a->sent_at, 0,
			       a->now);
		mrc_peer_late(qp->peer, &a->used, a->now - a->oldest, a->now);
	}
	a->n = 0;
	a->sent_at = 0;
}

/* @n packets like @slot arrived on the path they took. */
static void mrc_ack_evidence(struct mrc_qp *qp, struct mrc_ack *a,
			     const struct mrc_slot *slot, u32 n)
{
	if (a->n && (a->used.ev != slot->ev || a->used.path != slot->path ||
		     (u8)a->used.gen != slot->gen))
		mrc_ack_flush(qp, a);
	if (!a->n)
		a->used = mrc_req_used(qp, slot);
	a->oldest = a->n ? min(a->oldest, slot->sent_at) : slot->sent_at;
	a->sent_at = max(a->sent_at, slot->sent_at);
	a->n += n;
}

/* The latest sent packets to have arrived, for the time rule. */
static void mrc_ack_newest(struct mrc_requester *req,
			   const struct mrc_slot *slot, u64 now)
{
	struct mrc_qp_plane *pl = &req->plane[slot->plane];

	req->newest_acked = max(req->newest_acked, slot->sent_at);
	if (slot->sent_at < pl->newest_acked)
		return;
	pl->newest_acked = slot->sent_at;
	pl->age = min_t(u64, now - slot->sent_at, U32_MAX);
}

/* The order of arrivals on its path, for the path rule. */
static void mrc_ack_order(struct mrc_qp *qp, const struct mrc_ack *a,
			  const struct mrc_slot *slot)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_qp_path *path;

	if (slot->path >= req->n_path || slot->gen != (u8)req->gen)
		return;
	path = &req->path[slot->path];
	if ((s32)(slot->path_seq - path->acked) <= 0)
		return;
	path->acked = slot->path_seq;
	path->serial = a->serial;
}

/*
 * A packet called lost arrived after all: before it was sent again, or the
 * SACK names the first copy's EV, or the second was sent so short a time ago
 * that it cannot have been there yet (see mrc_loss_copy(); and an undo may end
 * the path rule for seconds).
 */
static void mrc_ack_undo(struct mrc_qp *qp, const struct mrc_ack *a,
			 u64 psn, const struct mrc_slot *slot)
{
	const struct mrc_rtt *rtt = mrc_peer_rtt(qp->peer, slot->plane);
	u64 late = a->now - slot->sent_at;
	struct mrc_used used;

	if (slot->lost_path == MRC_PATH_NONE)
		return;
	if (slot->flags & MRC_TX_LOST)
		late -= min_t(u64, late, READ_ONCE(rtt->srtt));
	else if (late >= READ_ONCE(rtt->base) / 2 && psn != a->first)
		return;
	used = mrc_req_used(qp, slot);
	used.path = slot->lost_path;
	used.ev = MRC_EV_NONE;
	mrc_peer_undo(qp->peer, &used, slot->by_order,
		      (u32)min_t(u64, late, U32_MAX), a->now);
	qp->stats.rtx_undo++;
	MRC_INC(qp->mnet, RTX_UNDO);
}

/* The packet @psn, and as many below @end as left with it, have arrived.
 * Return: how many.
 */
static u32 mrc_ack_burst(struct mrc_qp *qp, struct mrc_ack *a, u64 psn, u64 end)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_slot *slot = mrc_slot(&req->ring, psn);
	u32 n;

	if (slot->flags & MRC_TX_ACKED)
		return 1;
	n = mrc_req_together(req, psn, end);
	if (slot->tx > 1 || (slot->flags & MRC_TX_LOST))
		mrc_ack_undo(qp, a, psn, slot);
	if (slot->tx == 1 && (slot->flags & MRC_TX_FLIGHT)) {
		/* Only a packet sent once proves the path it took. */
		mrc_ack_evidence(qp, a, slot, n);
		mrc_ack_order(qp, a, mrc_slot(&req->ring, psn + n - 1));
		mrc_ack_newest(req, slot, a->now);
	}
	if (slot->flags & MRC_TX_LOST) {
		mrc_txring_clear_lost(&req->ring, psn);
		req->n_lost--;
		slot->flags &= ~MRC_TX_LOST;
	}
	a->bytes += mrc_req_landed(qp, psn, n, MRC_TX_ACKED);
	a->packets += n;
	a->room += mrc_req_put(qp, psn, n);
	req->acked_end = max(req->acked_end, psn + n);
	return n;
}

/* All in [@psn, @end) have arrived. */
static void mrc_ack_range(struct mrc_qp *qp, struct mrc_ack *a, u64 psn,
			  u64 end)
{
	while (psn < end)
		psn += mrc_ack_burst(qp, a, psn, end);
}

/* Cumulative: all below @end have arrived. */
static void mrc_ack_below(struct mrc_qp *qp, struct mrc_ack *a, u64 end)
{
	struct mrc_requester *req = &qp->req;
	const struct mrc_slot *last;
	u64 from = req->una;

	if (end == from)
		return;
	mrc_ack_range(qp, a, from, end);
	last = mrc_slot(&req->ring, end - 1);
	req->va_una = last->va + last->len;
	req->una = end;
	req->lost_hint = max(req->lost_hint, end);
	mrc_txring_shrink(&req->ring, qp->sk, from, end, req->end);
	if (req->stamp)
		mrc_stamp_acked(qp);
}

static void mrc_ack_bits(struct mrc_qp *qp, struct mrc_ack *a, u64 base,
			 u64 bits)
{
	u64 una = qp->req.una, clear;
	u32 from, to;

	while (bits) {
		from = __ffs64(bits);
		clear = ~bits & (~0ULL << from);
		to = clear ? __ffs64(clear) : 64;
		mrc_ack_range(qp, a, max(base + from, una), base + to);
		if (to == 64)
			return;
		bits &= ~0ULL << to;
	}
}

/* Congestion control hears of a loss, on the path where @slot was sent last. */
static void mrc_req_cc_loss(struct mrc_qp *qp, const struct mrc_slot *slot,
			    enum mrc_cc_why why, u64 now)
{
	struct mrc_cc_loss loss = { .now = now, .bytes = slot->len,
				    .why = why };
	struct mrc_used used = mrc_req_used(qp, slot);

	/* a trim tells all that there is to know about its path */
	if (why != MRC_CC_TRIMMED) {
		loss.failed = !mrc_peer_path_good(qp->peer, &used);
		if (!loss.failed)
			loss.marked = mrc_peer_load(qp->peer, &used, now,
						    &loss.delay_ns);
	}
	qp->req.cc.ops->loss(&qp->req.cc, &loss);
}

/* Path rule for the packets that an exact bitmap leaves clear. Its evidence are
 * packets acknowledged that had been sent but once, later on the same path, and
 * these have higher PSNs.
 */
static void mrc_ack_clear(struct mrc_qp *qp, const struct mrc_ack *a, u64 base,
			  u64 bits)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_loss_path l = { .serial = a->serial };
	struct mrc_slot *slot;
	struct mrc_used used;
	u64 psn, clear = ~bits;

	for (; clear; clear &= clear - 1) {
		psn = base + __ffs64(clear);
		if (psn >= req->acked_end)
			break;
		if (psn < req->una)
			continue;
		slot = mrc_slot(&req->ring, psn);
		if (!(slot->flags & MRC_TX_FLIGHT) ||
		    slot->path >= req->n_path || slot->gen != (u8)req->gen)
			continue;
		l.seq = slot->path_seq;
		l.acked = req->path[slot->path].acked;
		l.acked_serial = req->path[slot->path].serial;
		if (!mrc_loss_by_path(&l))
			continue;
		used = mrc_req_used(qp, slot);
		if (mrc_peer_reordered(qp->peer, &used))
			continue;
		mrc_peer_lost(qp->peer, &used, slot->sent_at, MRC_WHY_LOSS,
			      a->now);
		mrc_req_cc_loss(qp, slot, MRC_CC_LOST, a->now);
		trace_mrc_lost(qp->qpn.qpn, mrc_psn_wire(psn), slot->ev,
			       slot->plane, a->now - slot->sent_at, "sack");
		mrc_req_slot_lost(qp, psn, slot);
		slot->by_order = true;
		MRC_INC(qp->mnet, RTX_SACK);
	}
}

/* A plane that has never answered may be longer than those that have, by this
 * factor; after that it is likely to be dead.
 */
#define MRC_REQ_UNHEARD		8

/* Fills in what is known of the round trip of @slot's plane. */
static void mrc_req_plane_time(struct mrc_qp *qp, const struct mrc_slot *slot,
			       struct mrc_loss_time *l)
{
	struct mrc_rtt *rtt = mrc_peer_rtt(qp->peer, slot->plane);
	u32 srtt = 0;
	u8 i;

	l->srtt = READ_ONCE(rtt->srtt);
	l->age = qp->req.plane[slot->plane].age;
	l->tolerance = mrc_rtt_reorder(rtt);
	l->rto = mrc_timer_rto(qp, rtt);
	if (l->srtt)
		return;
	for (i = 0; i < qp->req.n_plane; i++)
		srtt = max(srtt, READ_ONCE(mrc_peer_rtt(qp->peer, i)->srtt));
	if (!srtt)
		return;
	l->unheard = true;
	l->srtt = min_t(u64, (u64)MRC_REQ_UNHEARD * srtt, U32_MAX);
	l->tolerance = l->srtt / 4;
}

/* By how much the way back over the longest plane is longer than over the
 * shortest, ns: the base of each plane has the shortest one as its way back.
 */
static u32 mrc_req_back_spread(const struct mrc_qp *qp)
{
	u32 base, shortest = U32_MAX, longest = 0;
	u8 i;

	for (i = 0; i < qp->req.n_plane; i++) {
		base = READ_ONCE(mrc_peer_rtt(qp->peer, i)->base);
		if (!base)
			continue;
		shortest = min(shortest, base);
		longest = max(longest, base);
	}
	return longest - min(longest, shortest);
}

/* All that the time rule wants to know of a packet. Its SACK may come back on
 * the longest plane, which takes @spread longer than the base says.
 */
static void mrc_req_loss_time(struct mrc_qp *qp, const struct mrc_slot *slot,
			      u32 spread, struct mrc_loss_time *l)
{
	u32 base = READ_ONCE(mrc_peer_rtt(qp->peer, slot->plane)->base);
	struct mrc_used used = mrc_req_used(qp, slot);

	*l = (struct mrc_loss_time) {
		.sent_at	= slot->sent_at,
		.newest_acked	= qp->req.newest_acked,
		.backoff	= qp->backoff,
	};
	mrc_req_plane_time(qp, slot, l);
	l->tolerance += mrc_peer_reorder(qp->peer, &used);
	l->trip = base ? min_t(u64, (u64)base + spread, U32_MAX) : 0;
}

/* The head of a plane's list is overdue: lost. */
static void mrc_req_overdue(struct mrc_qp *qp, u64 psn, struct mrc_slot *slot,
			    bool alive, u64 now)
{
	struct mrc_used used = mrc_req_used(qp, slot);

	mrc_peer_lost(qp->peer, &used, slot->sent_at,
		      alive ? MRC_WHY_LOSS : MRC_WHY_TIMEOUT, now);
	mrc_req_cc_loss(qp, slot, alive ? MRC_CC_LOST : MRC_CC_TIMEOUT, now);
	trace_mrc_lost(qp->qpn.qpn, mrc_psn_wire(psn), slot->ev, slot->plane,
		       now - slot->sent_at, alive ? "time" : "timeout");
	mrc_req_slot_lost(qp, psn, slot);
	if (alive)
		MRC_INC(qp->mnet, RTX_TIME);
	else
		MRC_INC(qp->mnet, RTX_TIMEOUT);
}

u64 mrc_req_time_losses(struct mrc_qp *qp, u64 now)
{
	struct mrc_requester *req = &qp->req;
	u64 psn, at, next = 0;
	struct mrc_slot *slot;
	u32 spread = mrc_req_back_spread(qp);
	bool alive, timeout = false;
	struct mrc_loss_time l;
	u8 i;

	for (i = 0; i < req->n_plane; i++) {
		while (req->plane[i].n) {
			psn = req->una +
			      (u32)(req->plane[i].head - (u32)req->una);
			slot = mrc_slot(&req->ring, psn);
			mrc_req_loss_time(qp, slot, spread, &l);
			at = mrc_loss_deadline(&l);
			if (at > now) {
				next = next ? min(next, at) : at;
				break;
			}
			alive = mrc_loss_alive(&l);
			timeout |= !alive;
			mrc_req_overdue(qp, psn, slot, alive, now);
		}
	}
	if (timeout) {
		mrc_timer_backoff(qp, now);
		qp->stats.timeouts++;
		MRC_INC(qp->mnet, TIMEOUTS);
	}
	return next;
}

/* Is the SACK possible at all? Nothing is changed before this says 0. */
static int mrc_sack_check(const struct mrc_qp *qp, const struct mrc_sack *sack,
			  u64 next, u64 base, u64 base2, bool newest)
{
	const struct mrc_requester *req = &qp->req;
	u64 bits = sack->bitmap, bits2 = sack->prof.bitmap;
	u64 va = req->va_end;

	if (next > req->nxt)
		return -MRC_DROP_SACK_UNSENT;
	if (bits && base + fls64(bits) > req->nxt)
		return -MRC_DROP_SACK_UNSENT;
	if (bits2 && base2 + fls64(bits2) > req->nxt)
		return -MRC_DROP_SACK_UNSENT;
	if (next < req->una)
		return newest ? -MRC_DROP_SACK_RENEGE : 0;
	if (next < req->end)
		va = mrc_slot(&req->ring, next)->va;
	if (sack->prof.next_va != va || sack->prof.max_va < va)
		return -MRC_DROP_SACK_WINDOW;
	if (newest && sack->prof.max_va < req->va_max)
		return -MRC_DROP_SACK_WINDOW;
	return 0;
}

/* What has been acknowledged and is clear again in a newer SACK: a lie. */
static bool mrc_sack_reneges(const struct mrc_qp *qp, u64 base, u64 bits,
			     u64 next)
{
	const struct mrc_requester *req = &qp->req;
	u64 psn, clear = ~bits;

	for (; clear; clear &= clear - 1) {
		psn = base + __ffs64(clear);
		if (psn >= req->acked_end)
			return false;
		if (psn >= next && psn >= req->una &&
		    (mrc_slot(&req->ring, psn)->flags & MRC_TX_ACKED))
			return true;
	}
	return false;
}

/* The copy of @slot that has triggered the SACK. */
static enum mrc_copy mrc_sack_copy(const struct mrc_qp *qp,
				   const struct mrc_sack *sack,
				   const struct mrc_slot *slot, u64 now)
{
	const struct mrc_loss_copy c = {
		.age		= now - slot->sent_at,
		.base		= READ_ONCE(mrc_peer_rtt(qp->peer,
							 slot->plane)->base),
		.sack_ev	= sack->ev,
		.ev		= slot->ev,
		.no_ev		= sack->ev == MRC_EV_NONE,
		.same_path	= slot->lost_path == slot->path,
		.tx		= slot->tx,
	};

	return mrc_loss_copy(&c);
}

/*
 * A round trip was measured: what the back-off stood for is known now. Without
 * one it stays, or a delay that has grown beyond the timeout would never be
 * learnt: each packet would be sent twice, and have none to tell.
 */
static void mrc_sack_measured(struct mrc_qp *qp, struct mrc_ack *a,
			      const struct mrc_used *used, u64 sent_at)
{
	a->rtt_ns = clamp_t(u64, a->now - sent_at, 1, U32_MAX);
	mrc_peer_acked(qp->peer, used, 0, sent_at, a->rtt_ns, a->now);
	a->base_ns = mrc_peer_rtt(qp->peer, used->plane)->base;
	qp->rtt_plane = used->plane;
	qp->backoff = 0;
	qp->backoff_at = 0;
}

/* The first copy of @slot has arrived: on the path it was called lost on. */
static void mrc_sack_first(struct mrc_qp *qp, struct mrc_ack *a,
			   const struct mrc_slot *slot)
{
	struct mrc_used used = mrc_req_used(qp, slot);

	if (slot->since == U32_MAX)
		return;
	used.path = slot->lost_path;
	used.ev = MRC_EV_NONE;
	if (!mrc_peer_path_plane(qp->peer, &used))
		return;
	mrc_sack_measured(qp, a, &used, slot->sent_at - slot->since);
}

/* Sample of the packet that triggered the SACK, before its slot goes. */
static void mrc_sack_sample(struct mrc_qp *qp, const struct mrc_sack *sack,
			    struct mrc_ack *a)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_slot *slot;
	enum mrc_copy copy;
	struct mrc_used used;
	u64 psn;

	if (sack->probe)
		return;
	psn = mrc_psn_expand(req->una, mrc_sack_ack_psn(sack));
	if (psn < req->una || psn >= req->nxt)
		return;
	slot = mrc_slot(&req->ring, psn);
	used = mrc_req_used(qp, slot);
	/* A mark counts for the path the packet is known to have taken. */
	if (sack->ev == slot->ev) {
		if (sack->mark == MRC_MARK_SKIP_ONCE)
			mrc_peer_marked(qp->peer, &used);
		else if (sack->mark == MRC_MARK_ALWAYS_SKIP)
			mrc_peer_always_skip(qp->peer, &used, a->now);
	}
	/* If the second copy is lost, too, the first one's path is forgotten. */
	if (!(slot->flags & MRC_TX_FLIGHT) &&
	    (!(slot->flags & MRC_TX_LOST) || slot->tx > 1))
		return;
	copy = mrc_sack_copy(qp, sack, slot, a->now);
	if (copy == MRC_COPY_FIRST) {
		a->first = psn;
		mrc_sack_first(qp, a, slot);
	} else if (copy == MRC_COPY_LAST) {
		mrc_sack_measured(qp, a, &used, slot->sent_at);
	}
}

/* An answer to our reliability probe: the connection lives. */
static int mrc_sack_probe(struct mrc_qp *qp, const struct mrc_sack *sack,
			  struct mrc_ack *a)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_qp_probe asked;
	int i;

	if (!sack->probe)
		return 0;
	i = mrc_qp_find_probe(qp, sack->probe_id);
	if (i < 0)
		return -MRC_DROP_PROBE_ID;
	asked = qp->asked[i];
	mrc_sack_measured(qp, a, &asked.used, asked.at);
	req->newest_acked = max(req->newest_acked, asked.at);
	for (i = 0; i < MRC_QP_PROBES; i++)
		if (qp->asked[i].at <= asked.at)
			qp->asked[i].id = 0;
	qp->probe_n = 0;
	qp->probe_wanted = false;
	/* A closed window is no failure while its owner answers. */
	if (!req->n_inflight && !req->n_lost)
		mrc_timer_progress(qp, a->now);
	MRC_INC(qp->mnet, PROBE_ANSWERED);
	return 0;
}

/* Windows of the newest serial. */
static void mrc_sack_windows(struct mrc_qp *qp, const struct mrc_sack *sack,
			     struct mrc_cc_ack *cc)
{
	struct mrc_requester *req = &qp->req;

	req->serial = sack->prof.serial;
	req->serial_valid = true;
	req->va_max = sack->prof.max_va;
	if (sack->mpr)
		req->mpr = min_t(u32, sack->mpr << MRC_MPR_SHIFT,
				 qp->p.tx_mpr);
	cc->rcvd = ((sack->rcvd - req->rcvd) & MRC_RCVD_MASK)
		   << MRC_RCVD_SHIFT;
	req->rcvd = sack->rcvd;
	req->pen = sack->pen;
	req->restore_cwnd = sack->restore_cwnd;
}

/* The send buffer follows the window, unless its size was set or the window
 * does not follow anything.
 */
static void mrc_sack_tune(struct mrc_qp *qp)
{
	struct sock *sk = qp->sk;
	int sndbuf = mrc_tune_sndbuf(sk->sk_sndbuf, qp->req.cc.cwnd);

	if (sndbuf > sk->sk_sndbuf && qp->req.cwnd_held &&
	    !(sk->sk_userlocks & SOCK_SNDBUF_LOCK) &&
	    !sk_under_memory_pressure(sk))
		WRITE_ONCE(sk->sk_sndbuf, sndbuf);
}

static void mrc_sack_cc(struct mrc_qp *qp, const struct mrc_sack *sack,
			const struct mrc_ack *a, struct mrc_cc_ack *cc)
{
	struct mrc_requester *req = &qp->req;

	cc->now = a->now;
	cc->bytes = a->bytes;
	cc->rtt_ns = a->rtt_ns;
	cc->base_ns = a->base_ns;
	cc->inflight = req->inflight;
	cc->ce = sack->mark == MRC_MARK_SKIP_ONCE;
	cc->held = req->cwnd_held;
	cc->trims = mrc_peer_trims(qp->peer);
	cc->pen = req->pen;
	cc->restore = req->restore_cwnd;
	req->cc.ops->ack(&req->cc, cc);
	mrc_sack_tune(qp);
	req->cwnd_held = false;
}

static void mrc_sack_apply(struct mrc_qp *qp, const struct mrc_sack *sack,
			   struct mrc_ack *a, u64 next, u64 base, u64 base2)
{
	struct mrc_requester *req = &qp->req;
	u64 fin = req->una;

	if (next > req->una)
		mrc_ack_below(qp, a, next);
	mrc_ack_bits(qp, a, base, sack->bitmap);
	mrc_ack_bits(qp, a, base2, sack->prof.bitmap);
	mrc_ack_flush(qp, a);
	mrc_req_uncharge(qp, a->room);
	if (a->packets)
		mrc_timer_progress(qp, a->now);
	if (req->n_inflight) {
		mrc_ack_clear(qp, a, base, sack->bitmap);
		mrc_ack_clear(qp, a, base2, sack->prof.bitmap);
	}
	if (req->fin_queued && fin <= req->fin_psn && req->una > req->fin_psn)
		mrc_qp_ops.fin_acked(qp);
}

/**
 * mrc_req_sack - a SACK came
 * @qp: QP
 * @sack: parsed, for this QP
 * @now: ns
 *
 * Context: socket lock held, BH off, RCU read side.
 * Return: 0, or -MRC_DROP_* and nothing has changed.
 */
int mrc_req_sack(struct mrc_qp *qp, const struct mrc_sack *sack, u64 now)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_ack a = { .now = now };
	u64 next, base, base2, at;
	struct mrc_cc_ack cc = {};
	bool newest;
	int err;

	if (!sack->has_prof)
		return -MRC_DROP_NXT;
	if (sack->prof.key != qp->p.rx_key)
		return -MRC_DROP_KEY;
	a.serial = sack->prof.serial;
	newest = !req->serial_valid || (s32)(a.serial - req->serial) > 0;
	next = mrc_psn_expand(req->una, sack->cack) + 1;
	base = mrc_psn_expand(next, mrc_sack_base(sack));
	base2 = mrc_psn_expand(next, sack->prof.base);
	err = mrc_sack_check(qp, sack, next, base, base2, newest);
	if (err)
		return err;
	if (newest && (mrc_sack_reneges(qp, base, sack->bitmap, next) ||
		       mrc_sack_reneges(qp, base2, sack->prof.bitmap, next)))
		return -MRC_DROP_SACK_RENEGE;
	err = mrc_sack_probe(qp, sack, &a);
	if (err)
		return err;

	MRC_INC(qp->mnet, SACK_IN);
	qp->stats.sacks_in++;
	qp->heard_at = now;
	mrc_req_sync_paths(qp);
	mrc_sack_sample(qp, sack, &a);
	if (newest)
		mrc_sack_windows(qp, sack, &cc);
	mrc_sack_apply(qp, sack, &a, next, base, base2);
	if (qp->state != MRC_QP_READY)
		return 0;
	mrc_sack_cc(qp, sack, &a, &cc);
	trace_mrc_sack(qp->qpn.qpn, a.serial, sack->cack, a.packets,
		       req->inflight, a.rtt_ns, sack->mark);
	at = mrc_req_time_losses(qp, now);
	if (at)
		mrc_timer_arm(qp, at);
	return 0;
}

static bool mrc_nack_is_trim(const struct mrc_nack *nack)
{
	return nack->reason == MRC_NACK_TRIMMED ||
	       nack->reason == MRC_NACK_TRIMMED_LASTHOP;
}

/*
 * The NACK was overtaken by a SACK that left the packet clear: what was taken
 * for a loss, and a failure of its path, was a trim. The packet is sent again
 * already, if not acknowledged, or about to be. Return: false if it is not about that loss.
 */
static bool mrc_nack_late(struct mrc_qp *qp, const struct mrc_nack *nack,
			  struct mrc_slot *slot, u64 now)
{
	struct mrc_used used = mrc_req_used(qp, slot);

	if (!mrc_nack_is_trim(nack) || slot->lost_path == MRC_PATH_NONE)
		return false;
	used.path = slot->lost_path;
	used.ev = nack->ev;
	if (!mrc_peer_trimmed_late(qp->peer, &used,
				   nack->reason == MRC_NACK_TRIMMED, now))
		return false;
	slot->lost_path = MRC_PATH_NONE;
	MRC_INC(qp->mnet, NACK_LATE);
	return true;
}

/* A NACK that asks for a retransmission. */
static void mrc_nack_retry(struct mrc_qp *qp, const struct mrc_nack *nack,
			   u64 psn, struct mrc_slot *slot, u64 now)
{
	struct mrc_used used = mrc_req_used(qp, slot);

	if (mrc_nack_is_trim(nack)) {
		mrc_peer_trimmed(qp->peer, &used,
				 nack->reason == MRC_NACK_TRIMMED);
		mrc_req_cc_loss(qp, slot, MRC_CC_TRIMMED, now);
	}
	trace_mrc_lost(qp->qpn.qpn, mrc_psn_wire(psn), slot->ev, slot->plane,
		       now - slot->sent_at, "nack");
	mrc_req_slot_lost(qp, psn, slot);
	/* This path was not at fault: nothing to undo there. */
	slot->lost_path = MRC_PATH_NONE;
	MRC_INC(qp->mnet, RTX_NACK);
}

/* Does the receiver need time? */
static void mrc_nack_hold(struct mrc_qp *qp, const struct mrc_nack *nack,
			  const struct mrc_slot *slot, u64 now)
{
	struct mrc_requester *req = &qp->req;

	switch (nack->reason) {
	case MRC_NACK_NO_PKT_BUFFER:
	case MRC_NACK_NO_RESOURCE:
	case MRC_NACK_NO_BITMAP:
		/* It is full: give its reader a round trip. */
		mrc_req_cc_loss(qp, slot, MRC_CC_LOST, now);
		fallthrough;
	case MRC_NACK_PSN_OOR_WINDOW:
		/* Its window is behind: SACKs will tell. */
		req->hold_until = now +
			mrc_peer_rtt(qp->peer, slot->plane)->srtt;
		mrc_timer_arm(qp, req->hold_until);
	}
}

/**
 * mrc_req_nack - a NACK came
 * @qp: QP
 * @nack: parsed, for this QP
 * @now: ns
 *
 * Context and return as mrc_req_sack().
 */
int mrc_req_nack(struct mrc_qp *qp, const struct mrc_nack *nack, u64 now)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_slot *slot;
	u64 psn;

	if (!nack->has_key || nack->key != qp->p.rx_key)
		return -MRC_DROP_KEY;
	psn = mrc_psn_expand(req->una, nack->psn);
	if (psn < req->una || psn >= req->nxt)
		return -MRC_DROP_NACK_UNSENT;
	if (nack->reason == MRC_NACK_UNEXP_EVENT) {
		MRC_INC(qp->mnet, NACK_IN);
		mrc_qp_fail(qp, EPROTO, false);
		return 0;
	}
	slot = mrc_slot(&req->ring, psn);
	mrc_req_sync_paths(qp);
	if (!(slot->flags & MRC_TX_FLIGHT) || slot->ev != nack->ev) {
		if (!mrc_nack_late(qp, nack, slot, now))
			return -MRC_DROP_NACK_UNSENT;
	} else {
		mrc_nack_hold(qp, nack, slot, now);
		mrc_nack_retry(qp, nack, psn, slot, now);
	}
	MRC_INC(qp->mnet, NACK_IN);
	if (mrc_nack_is_trim(nack))
		MRC_INC(qp->mnet, NACK_IN_TRIM);
	qp->heard_at = now;
	return 0;
}
