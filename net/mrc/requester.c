// SPDX-License-Identifier: GPL-2.0
/*
 * The requester: what may be sent, and when. It looks at the windows (the
 * receiver's in bytes, MPR in PSNs, congestion control's), asks the peer for
 * a path and hands bursts to burst.c; lost packets go before new ones.
 */
#include <linux/slab.h>

#include "transport.h"

/* Picks until the EV is another one than that of the packet lost. */
#define MRC_RTX_PICKS	4

/* What stops the next packet. */
enum mrc_gate {
	MRC_GATE_OPEN,
	MRC_GATE_WINDOW,
	MRC_GATE_MPR,
	MRC_GATE_CWND,
};

int mrc_req_init(struct mrc_qp *qp, gfp_t gfp)
{
	struct mrc_requester *req = &qp->req;
	u8 i, n = qp->p.planes ? fls(qp->p.planes) + 1 : 1;

	req->plane = kcalloc(n, sizeof(*req->plane), gfp);
	if (!req->plane)
		return -ENOMEM;
	req->n_plane = n;
	for (i = 0; i < n; i++) {
		INIT_LIST_HEAD(&req->plane[i].room.node);
		req->plane[i].room.user = &qp->user;
	}
	req->una = mrc_psn_start(qp->p.tx_psn);
	req->nxt = req->una;
	req->end = req->una;
	req->limit = req->una;
	req->held = req->una - 1;
	req->small = req->una - 1;
	req->lost_hint = req->una;
	req->acked_end = req->una;
	req->va_max = qp->p.tx_window;
	req->mpr = qp->p.tx_mpr;
	mrc_cc_begin(qp->mnet, qp->cc_profile, &req->cc, qp->p.payload,
		     hweight32(qp->p.planes));
	mrc_rotor_init(&req->rotor);
	return 0;
}

/* Stops waiting for room on any plane. Even a room that is in no list needs
 * the plane's lock: it may have left the list just now, and its user is still
 * to be told. A QP that was told, and has no use for the room any more, passes
 * it on, or those behind it may wait for ever.
 */
static void mrc_req_unwait(struct mrc_qp *qp)
{
	struct mrc_plane *plane;
	bool told;
	u8 i;

	local_bh_disable();
	rcu_read_lock();
	for (i = 0; i < qp->req.n_plane; i++) {
		plane = mrc_plane_get_rcu(qp->mnet, i);
		if (plane)
			mrc_plane_unwait(plane, &qp->req.plane[i].room);
	}
	told = test_and_clear_bit(MRC_NEWS_ROOM, &qp->user.pending);
	for (i = 0; told && i < qp->req.n_plane; i++) {
		plane = mrc_plane_get_rcu(qp->mnet, i);
		if (plane)
			mrc_plane_pass_room(plane);
	}
	rcu_read_unlock();
	local_bh_enable();
}

/* Frees all that was queued. The counters of PSNs stay for MRC_INFO. */
void mrc_req_purge(struct mrc_qp *qp)
{
	struct mrc_requester *req = &qp->req;

	mrc_req_unwait(qp);
	if (req->ring.n_chunks)
		mrc_req_release(qp, req->una, req->end - req->una);
	mrc_txring_free(&req->ring, qp->sk);
	mrc_stamp_purge(qp);
	mrc_txpage_free(&req->pages, qp->sk);
	req->end = req->una;
	req->limit = req->una;
	req->nxt = req->una;
	req->n_lost = 0;
	req->inflight = 0;
	req->n_inflight = 0;
	kfree(req->plane);
	req->plane = NULL;
	req->n_plane = 0;
	kvfree(req->path);
	req->path = NULL;
	req->n_path = 0;
}

/*
 * Follows the peer's path table. After a change, what was learnt of the order
 * on paths is void: packets in flight keep their old generation and are judged
 * by time alone. Without memory the path rule is off until the next try.
 */
void mrc_req_sync_paths(struct mrc_qp *qp)
{
	struct mrc_requester *req = &qp->req;
	u16 n_paths;
	u32 gen;

	mrc_peer_paths_info(qp->peer, &gen, &n_paths);
	if (gen == req->gen && req->path)
		return;
	kvfree(req->path);
	req->path = kcalloc(n_paths, sizeof(*req->path),
			    GFP_ATOMIC | __GFP_NOWARN);
	req->n_path = req->path ? n_paths : 0;
	req->gen = gen;
}

/* The path a packet took, for evidence; generation 0 matches no table. */
struct mrc_used mrc_req_used(const struct mrc_qp *qp,
			     const struct mrc_slot *slot)
{
	return (struct mrc_used) {
		.ev	= slot->ev,
		.gen	= slot->gen == (u8)qp->req.gen ? qp->req.gen : 0,
		.path	= slot->path,
		.plane	= slot->plane,
	};
}

/*
 * Each plane's packets in flight are a list through the slots, in the order
 * they were sent; the links are the low 32 bits of PSNs.
 */
static struct mrc_slot *mrc_req_slot32(struct mrc_requester *req, u32 psn)
{
	return mrc_slot(&req->ring, req->una + (u32)(psn - (u32)req->una));
}

/* Appends packets to the list, in this order. */
static void mrc_req_link(struct mrc_requester *req, const u64 *psns,
			 unsigned int n)
{
	struct mrc_slot *slot = mrc_slot(&req->ring, psns[0]), *last;
	struct mrc_qp_plane *pl = &req->plane[slot->plane];
	unsigned int i;

	if (pl->n) {
		mrc_req_slot32(req, pl->tail)->next = (u32)psns[0];
		slot->prev = pl->tail;
	} else {
		pl->head = (u32)psns[0];
	}
	for (i = 1; i < n; i++) {
		last = slot;
		slot = mrc_slot(&req->ring, psns[i]);
		last->next = (u32)psns[i];
		slot->prev = (u32)psns[i - 1];
	}
	pl->tail = (u32)psns[n - 1];
	pl->n += n;
}

/* Takes @n neighbours out of the list. */
static void mrc_req_unlink(struct mrc_requester *req, u64 psn, u32 n)
{
	const struct mrc_slot *first = mrc_slot(&req->ring, psn);
	const struct mrc_slot *last = mrc_slot(&req->ring, psn + n - 1);
	struct mrc_qp_plane *pl = &req->plane[first->plane];

	if (pl->head == (u32)psn)
		pl->head = last->next;
	else
		mrc_req_slot32(req, first->prev)->next = last->next;
	if (pl->tail == (u32)(psn + n - 1))
		pl->tail = first->prev;
	else
		mrc_req_slot32(req, last->next)->prev = first->prev;
	pl->n -= n;
}

/* A packet that was sent once was linked once: if the one before it in flight
 * names it as the next, they are neighbours.
 */
u32 mrc_req_together(const struct mrc_requester *req, u64 psn, u64 end)
{
	const struct mrc_slot *first = mrc_slot(&req->ring, psn);
	const struct mrc_slot *last = first, *slot;
	u32 n = 1;

	if (first->tx != 1 || !(first->flags & MRC_TX_FLIGHT))
		return 1;
	for (; psn + n < end; n++, last = slot) {
		slot = mrc_slot_next(&req->ring, last, psn + n);
		if (last->next != (u32)(psn + n) || slot->tx != 1 ||
		    !(slot->flags & MRC_TX_FLIGHT) || slot->ev != first->ev ||
		    slot->sent_at != first->sent_at || slot->gen != first->gen)
			break;
	}
	return n;
}

void mrc_req_sent(struct mrc_qp *qp, const u64 *psns, unsigned int n,
		  const struct mrc_used *used, u64 now)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_qp_path *path = NULL;
	unsigned int i, bytes = 0;
	struct mrc_slot *slot;

	if (used->path < req->n_path && used->gen == req->gen)
		path = &req->path[used->path];
	for (i = 0; i < n; i++) {
		slot = mrc_slot(&req->ring, psns[i]);
		if (slot->tx)
			slot->since = min_t(u64, slot->since + now -
						 slot->sent_at, U32_MAX);
		slot->sent_at = now;
		slot->ev = used->ev;
		slot->path = used->path;
		slot->plane = used->plane;
		/* The number of the path it was lost on means another now. */
		if (slot->gen != (u8)used->gen)
			slot->lost_path = MRC_PATH_NONE;
		slot->gen = (u8)used->gen;
		if (path)
			slot->path_seq = ++path->sent;
		slot->flags |= MRC_TX_SENT | MRC_TX_FLIGHT;
		if (slot->tx < MRC_TX_MAX)
			slot->tx++;
		bytes += slot->len;
	}
	mrc_req_link(req, psns, n);
	req->inflight += bytes;
	req->n_inflight += n;
	qp->sent_at = now;
	qp->last_plane = used->plane;
}

u32 mrc_req_landed(struct mrc_qp *qp, u64 psn, u32 n, u8 flags)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_slot *slot = mrc_slot(&req->ring, psn);
	bool flight = slot->flags & MRC_TX_FLIGHT;
	u64 end = psn + n;
	u32 bytes = 0;

	if (flight)
		mrc_req_unlink(req, psn, n);
	for (;;) {
		slot->flags = (slot->flags & ~MRC_TX_FLIGHT) | flags;
		bytes += slot->len;
		if (++psn == end)
			break;
		slot = mrc_slot_next(&req->ring, slot, psn);
	}
	if (flight) {
		req->n_inflight -= n;
		req->inflight -= bytes;
	}
	return bytes;
}

void mrc_req_slot_lost(struct mrc_qp *qp, u64 psn, struct mrc_slot *slot)
{
	struct mrc_requester *req = &qp->req;

	mrc_req_landed(qp, psn, 1, MRC_TX_SENT | MRC_TX_LOST);
	slot->lost_path = slot->path;
	slot->by_order = false;
	mrc_txring_set_lost(&req->ring, psn);
	if (!req->n_lost++ || psn < req->lost_hint)
		req->lost_hint = psn;
}

void mrc_req_planes_down(struct mrc_qp *qp)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_plane *plane;
	struct mrc_slot *slot;
	u64 psn;
	u8 i;

	for (i = 0; i < req->n_plane; i++) {
		if (!req->plane[i].n)
			continue;
		plane = mrc_plane_get_rcu(qp->mnet, i);
		if (plane && mrc_plane_alive(plane))
			continue;
		while (req->plane[i].n) {
			psn = req->una +
			      (u32)(req->plane[i].head - (u32)req->una);
			slot = mrc_slot(&req->ring, psn);
			mrc_req_slot_lost(qp, psn, slot);
			/* Nothing was concluded about this path. */
			slot->lost_path = MRC_PATH_NONE;
			MRC_INC(qp->mnet, RTX_PLANE);
		}
	}
}

void mrc_req_resume(struct mrc_qp *qp)
{
	if (!qp->backoff)
		return;
	qp->backoff = 0;
	mrc_req_time_losses(qp, mrc_now());
}

static enum mrc_gate mrc_req_gate(const struct mrc_qp *qp, u64 psn,
				  const struct mrc_slot *slot, u32 inflight)
{
	const struct mrc_requester *req = &qp->req;

	/* The end of stream is exempt from the receive window. */
	if (slot->va + slot->len > req->va_max && !(slot->flags & MRC_TX_FIN))
		return MRC_GATE_WINDOW;
	if (psn - req->una >= req->mpr)
		return MRC_GATE_MPR;
	/* A single outstanding packet is exempt from congestion control. */
	if (inflight && inflight + slot->len > req->cc.cwnd)
		return MRC_GATE_CWND;
	return MRC_GATE_OPEN;
}

bool mrc_req_window_closed(const struct mrc_qp *qp)
{
	const struct mrc_requester *req = &qp->req;

	return req->nxt < req->limit && !req->n_lost &&
	       mrc_req_gate(qp, req->nxt, mrc_slot(&req->ring, req->nxt),
			    req->inflight) == MRC_GATE_WINDOW;
}

static void mrc_req_count_gate(struct mrc_qp *qp, enum mrc_gate gate)
{
	if (gate == MRC_GATE_WINDOW)
		MRC_INC(qp->mnet, WAIT_WINDOW);
	else if (gate == MRC_GATE_MPR)
		MRC_INC(qp->mnet, WAIT_MPR);
	else
		MRC_INC(qp->mnet, WAIT_CWND);
	qp->req.cwnd_held |= gate == MRC_GATE_CWND;
}

/*
 * Packets in one burst at most. Half of each plane's share of the window, so
 * that few packets still spread over all planes; and while little is in
 * flight, that and what is queued is divided among the planes, so that a short
 * message does not wait for a long burst. (What is queued alone would be
 * divided into ever shorter bursts.)
 */
static unsigned int mrc_req_burst_max(const struct mrc_qp *qp)
{
	u32 planes = max_t(u32, hweight32(qp->p.planes), 1);
	const struct mrc_requester *req = &qp->req;
	u64 queued = req->limit - req->nxt + req->n_lost;
	u32 window = req->cc.cwnd / qp->p.payload;
	u32 n = max(window / (2 * planes), min(window, MRC_BURST_LEAST));

	if (req->n_inflight < planes * MRC_BURST_PKTS)
		n = min_t(u64, n, DIV_ROUND_UP_ULL(queued + req->n_inflight,
						   planes));
	return clamp_t(u32, n, 1, MRC_BURST_PKTS);
}

/* Packets that go the same way where there are many: the fewer, the better they
 * spread, and the more that costs. A short message waits for its last packet.
 * But who is not ahead of the wire waits for his own CPU.
 */
static unsigned int mrc_req_spray(const struct mrc_qp *qp,
				  const struct mrc_plane *plane)
{
	const struct mrc_requester *req = &qp->req;
	u64 rest = req->end - req->nxt + req->n_lost + req->n_inflight +
		   req->coming / qp->p.payload;

	if (rest >= MRC_BURST_FEW ||
	    mrc_plane_queued(plane) < MRC_PLANE_QUEUE / 4)
		return MRC_BURST_SPRAY;
	return MRC_BURST_SPRAY_FEW;
}

/* Waits for room on every plane of the QP that is full. One that is down is
 * none: mrc_plane_wait() would give the news at once, and we came back here
 * again and again until what is stuck below it is freed.
 */
static void mrc_req_wait_room(struct mrc_qp *qp)
{
	struct mrc_plane *plane;
	bool waits = false;
	u8 i;

	MRC_INC(qp->mnet, WAIT_ROOM);
	for (i = 0; i < qp->req.n_plane; i++) {
		plane = mrc_plane_get_rcu(qp->mnet, i);
		if (!plane || (i && !(qp->p.planes & BIT(i - 1))) ||
		    !READ_ONCE(plane->up) || mrc_plane_has_room(plane))
			continue;
		mrc_plane_wait(plane, &qp->req.plane[i].room);
		waits = true;
	}
	/* All emptied in the meantime: look again soon. */
	if (!waits)
		mrc_news_give(&qp->user, MRC_NEWS_ROOM);
}

/*
 * Planes that have more under way than their share of it, if any is slow: what
 * is in flight, divided by their weights and round-trip times without queues.
 */
static u32 mrc_req_ahead(const struct mrc_qp *qp)
{
	u64 part[MRC_PLANE_MAX + 1], whole = 0;
	const struct mrc_requester *req = &qp->req;
	u32 ahead = 0, i;

	if (!mrc_peer_uneven(qp->peer))
		return 0;
	for (i = 1; i < req->n_plane; i++) {
		part[i] = mrc_peer_part(qp->peer, i);
		if (req->plane[i].n)
			whole += part[i];
	}
	for (i = 1; whole && i < req->n_plane; i++) {
		if (req->plane[i].n <= MRC_BURST_LEAST ||
		    (req->plane[i].n - MRC_BURST_LEAST) * whole <=
		    (u64)req->n_inflight * part[i])
			continue;
		ahead |= BIT(i - 1);
		mrc_peer_limited(qp->peer, i);
	}
	return ahead;
}

/* A path on a plane that may carry more, or else on any. */
static int mrc_req_pick_plane(struct mrc_qp *qp, u8 avoid, unsigned int dgram,
			      struct mrc_pick *pick)
{
	u32 planes = qp->p.planes & ~mrc_req_ahead(qp);
	struct mrc_rotor *rotor = &qp->req.rotor;

	if (planes && planes != qp->p.planes &&
	    !mrc_peer_pick(qp->peer, rotor, planes, avoid, dgram, pick))
		return 0;
	return mrc_peer_pick(qp->peer, rotor, qp->p.planes, avoid, dgram, pick);
}

/* A path for a packet of @dgram bytes that avoids plane @avoid; *@max becomes
 * 1 if the packet will be fragmented, and less where bursts should be short.
 */
static int mrc_req_pick(struct mrc_qp *qp, u8 avoid, unsigned int dgram,
			unsigned int *max, struct mrc_pick *pick)
{
	int err = mrc_req_pick_plane(qp, avoid, dgram, pick);

	if (err == -ENETDOWN)
		return err;
	/* The remote node is no longer our own, as it was at the start: none of
	 * the planes there are now was agreed on.
	 */
	if (pick->plane->id >= qp->req.n_plane)
		return -ENETDOWN;
	if (err == -EAGAIN) {
		mrc_req_wait_room(qp);
		return err;
	}
	if (err == -EMSGSIZE)
		*max = 1;
	else if (pick->many)
		*max = min(*max, mrc_req_spray(qp, pick->plane));
	return 0;
}

/*
 * A path for a retransmission: another plane than before if one is good, and
 * never the same EV, unless there is no other. (The rotation meets an EV again
 * after a round at the earliest, or as the last of one and the first of the
 * next.)
 */
static int mrc_req_pick_other(struct mrc_qp *qp, const struct mrc_slot *slot,
			      unsigned int *max, struct mrc_pick *pick)
{
	unsigned int tries = MRC_RTX_PICKS;
	int err;

	for (;;) {
		err = mrc_req_pick(qp, slot->plane, mrc_slot_seg(qp, slot),
				   max, pick);
		if (err || pick->ev != slot->ev || !--tries)
			return err;
		mrc_rotor_charge(&qp->req.rotor, 0);
	}
}

static int mrc_req_send_lost(struct mrc_qp *qp)
{
	struct mrc_requester *req = &qp->req;
	unsigned int max = mrc_req_burst_max(qp);
	struct mrc_slot *slot;
	struct mrc_pick pick;
	enum mrc_gate gate;
	u64 psn;
	int err;

	psn = mrc_txring_next_lost(&req->ring, req->lost_hint, req->nxt);
	if (WARN_ON_ONCE(psn == MRC_PSN_NONE)) {
		req->n_lost = 0;
		return -ENODATA;
	}
	req->lost_hint = psn;
	slot = mrc_slot(&req->ring, psn);
	gate = mrc_req_gate(qp, psn, slot, req->inflight);
	if (gate != MRC_GATE_OPEN) {
		mrc_req_count_gate(qp, gate);
		return -EBUSY;
	}
	err = mrc_req_pick_other(qp, slot, &max, &pick);
	if (err)
		return err;
	return mrc_burst_rtx(qp, psn, min_t(u32, max, MRC_RTX_BURST), &pick);
}

/* New packets that the windows let into one burst of at most @max, 0 if the
 * first must wait; counts why. A burst that a window cuts short waits too
 * while a whole one is in flight: its SACK brings a longer one, and bursts
 * cost the same whatever their length.
 */
static unsigned int mrc_req_allowed(struct mrc_qp *qp, unsigned int max)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_slot *slot = mrc_slot(&req->ring, req->nxt);
	enum mrc_gate now, gate;
	unsigned int n, want;
	u64 va = slot->va;
	u32 inflight;

	/* the usual end: nothing more for now */
	gate = mrc_req_gate(qp, req->nxt, slot, req->inflight);
	if (gate != MRC_GATE_OPEN) {
		mrc_req_count_gate(qp, gate);
		return 0;
	}
	want = mrc_burst_len(qp, req->nxt, max);
	for (n = want; n > 1; n--) {
		slot = mrc_slot(&req->ring, req->nxt + n - 1);
		inflight = req->inflight + (u32)(slot->va - va);
		now = mrc_req_gate(qp, req->nxt + n - 1, slot, inflight);
		if (now == MRC_GATE_OPEN)
			break;
		gate = now;
	}
	if (n < want && req->n_inflight >= want)
		n = 0;
	if (!n)
		mrc_req_count_gate(qp, gate);
	return n;
}

/* Must the burst of @n packets ask for an acknowledgment? If nothing follows
 * for now, or a window lets in less than another burst: what is left of it then
 * waits for this one's SACK.
 */
static bool mrc_req_ack_req(struct mrc_qp *qp, unsigned int n)
{
	struct mrc_requester *req = &qp->req;
	u64 next = req->nxt + n, va = mrc_slot(&req->ring, req->nxt)->va;
	const struct mrc_slot *slot;
	u32 inflight;

	if (next == req->limit)
		return true;
	slot = mrc_slot(&req->ring, next);
	inflight = req->inflight + (u32)(slot->va - va) +
		   MRC_BURST_PKTS * qp->p.payload;
	if (mrc_req_gate(qp, next, slot, inflight) != MRC_GATE_OPEN)
		return true;
	next = min(next + MRC_BURST_PKTS, req->limit) - 1;
	slot = mrc_slot(&req->ring, next);
	return slot->va + slot->len > req->va_max ||
	       next - req->una >= req->mpr;
}

static int mrc_req_send_new(struct mrc_qp *qp)
{
	struct mrc_requester *req = &qp->req;
	unsigned int n, max = mrc_req_burst_max(qp);
	struct mrc_slot *slot = mrc_slot(&req->ring, req->nxt);
	struct mrc_pick pick;
	int err;

	n = mrc_req_allowed(qp, max);
	if (!n)
		return -EBUSY;
	err = mrc_req_pick(qp, 0, mrc_slot_seg(qp, slot), &max, &pick);
	if (err)
		return err;
	n = min(n, max);
	err = mrc_burst_new(qp, req->nxt, n, mrc_req_ack_req(qp, n), &pick);
	if (req->stamp_due)
		mrc_stamp_sent(qp);
	return err;
}

/**
 * mrc_req_push - send what may be sent
 * @qp: QP
 *
 * Lost packets first, oldest first, then new ones, until a window closes, no
 * plane has room or no path is left; whatever ends that brings us back here:
 * a SACK, news of room or paths, or the timer.
 *
 * Context: socket lock held; process or BH.
 */
void mrc_req_push(struct mrc_qp *qp)
{
	struct mrc_requester *req = &qp->req;
	unsigned int dead = 0;
	int err = 0;
	u64 now;

	if (qp->state != MRC_QP_READY || (!req->n_lost && req->nxt == req->end))
		return;
	now = mrc_now();
	if (req->hold_until > now) {
		mrc_timer_arm(qp, req->hold_until);
		return;
	}
	mrc_hold_update(qp, now);
	if (!req->n_lost && req->nxt == req->limit)
		return;
	local_bh_disable();
	rcu_read_lock();
	mrc_req_sync_paths(qp);
	if (!req->n_inflight)
		req->cc.ops->begin(&req->cc, now);
	do {
		if (req->n_lost)
			err = mrc_req_send_lost(qp);
		else if (req->nxt < req->limit)
			err = mrc_req_send_new(qp);
		else
			break;
		/* A plane died under our hands: its packets wait as lost, and
		 * the next pick is another one.
		 */
		if (err == -ENETDOWN && ++dead <= req->n_plane)
			err = mrc_peer_planes_good(qp->peer) & qp->p.planes ?
			      0 : err;
	} while (!err);
	/* -EMSGSIZE: the MTU shrank between the pick and the output. */
	if (err == -ENOBUFS || err == -ENOMEM || err == -EMSGSIZE ||
	    dead > req->n_plane)
		mrc_timer_arm(qp, mrc_now() + MRC_LOCAL_RETRY_NS);
	rcu_read_unlock();
	local_bh_enable();
	mrc_timer_sent(qp);
}

u64 mrc_req_outq(const struct mrc_qp *qp)
{
	return qp->req.va_end - qp->req.va_una;
}

bool mrc_req_drained(const struct mrc_qp *qp)
{
	return qp->req.una == qp->req.end;
}
