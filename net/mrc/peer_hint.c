// SPDX-License-Identifier: GPL-2.0
/*
 * Peers: what others say about paths. The peer may call a plane of its own
 * down (port status), a router a packet undeliverable (ICMP). No signal from
 * outside is an order: all that follows is a probe, and seldom, and what a
 * false one costs is bounded.
 */
#include "peer_int.h"

/* Hints of one peer against one plane are followed at most so often, and not
 * more than once in MRC_HINT_RTTS round trips: a forged one costs one.
 */
#define MRC_HINT_GAP_NS		(10ULL * NSEC_PER_MSEC)
#define MRC_HINT_RTTS		128

/* Time between two hints about plane @e that are followed, ns. */
static u64 mrc_hint_gap(struct mrc_peer *peer, const struct mrc_peer_paths *t,
			int e)
{
	u64 rtt = READ_ONCE(mrc_peer_rtt(peer, t->evp[e].plane)->srtt);

	return max(MRC_HINT_GAP_NS, MRC_HINT_RTTS * rtt);
}

/*
 * The peer says that plane @e is down there. Its paths leave and one of them
 * is asked, with a short probe; the others wait for its answer or its timeout.
 * So following a false hint costs a round trip and few bytes. If no other
 * plane is good, that one is doubted and none leaves.
 */
static void mrc_hint_down(struct mrc_peer *peer, struct mrc_peer_paths *t,
			  int e, bool others, u64 now)
{
	struct mrc_peer_plane *pl = &t->pl[e];
	const struct mrc_rtt *rtt = &peer->rtt[t->evp[e].plane];
	unsigned int i, asked = MRC_PATH_NONE;

	if (mrc_since(now, pl->hint_at) < mrc_hint_gap(peer, t, e))
		return;
	pl->hint_at = now;
	for (i = pl->first; i < pl->first + pl->n; i++) {
		if (t->path[i].state != MRC_EV_GOOD)
			continue;
		asked = i;
		if (!others)
			break;
		if (!mrc_path_out(peer, t, i, MRC_WHY_RESPONDER, now))
			break;
		pl->hinted = true;
		mrc_probe_start(peer, t, i, now + mrc_rtt_rto(rtt));
	}
	if (asked == MRC_PATH_NONE)
		return;
	if (t->path[asked].state == MRC_EV_GOOD)
		mrc_path_doubt(peer, t, asked, now, now);
	else
		mrc_probe_start(peer, t, asked, now);
}

/**
 * mrc_hint_refuted() - a plane that the peer called down has answered
 * @peer: peer
 * @t: its table
 * @e: index of the plane
 * @now: ktime ns
 *
 * The hint was about the whole plane, and so is the answer: the paths that left
 * because of it are back. Those that the peer has spoken against one by one wait
 * for an answer of their own.
 *
 * Context: lock held.
 */
void mrc_hint_refuted(struct mrc_peer *peer, struct mrc_peer_paths *t, int e,
		      u64 now)
{
	struct mrc_peer_plane *pl = &t->pl[e];
	unsigned int i;

	pl->hinted = false;
	for (i = pl->first; i < pl->first + pl->n; i++) {
		if (t->path[i].state != MRC_EV_ASSUMED_BAD ||
		    t->path[i].why != MRC_WHY_RESPONDER ||
		    t->path[i].since != pl->hint_at)
			continue;
		mrc_probe_stop(t, i);
		mrc_path_set_state(peer, t, i, MRC_EV_GOOD, MRC_WHY_PROBE,
				   now);
	}
}

/* It says that plane @e is up again: no longer wait with the probes. */
static void mrc_hint_up(struct mrc_peer *peer, struct mrc_peer_paths *t, int e,
			u64 now)
{
	struct mrc_peer_plane *pl = &t->pl[e];
	unsigned int i;

	if (mrc_since(now, pl->hint_at) < MRC_HINT_GAP_NS)
		return;
	pl->hint_at = now;
	for (i = pl->first; i < pl->first + pl->n; i++)
		if (t->path[i].state == MRC_EV_ASSUMED_BAD &&
		    t->path[i].why != MRC_WHY_PLANE_DOWN)
			mrc_probe_start(peer, t, i, now);
}

/**
 * struct mrc_ports_in - what a peer says of its planes
 * @mask: reachable planes, bit n-1
 * @now: ktime ns
 * @used: a user has to do with that peer
 */
struct mrc_ports_in {
	u32	mask;
	u64	now;
	bool	used;
};

/* Return: false, so that all peers of the two addresses hear of it. */
static bool mrc_port_status(struct mrc_peer *peer, void *arg)
{
	struct mrc_ports_in *in = arg;
	struct mrc_peer_paths *t;
	u32 was, bit, others = 0;
	unsigned int e;

	if (!READ_ONCE(peer->n_users))
		return false;
	in->used = true;
	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	was = peer->remote_down;
	peer->remote_down = t ? t->planes & ~in->mask : 0;
	for (e = 0; t && t->planes && e < t->n_planes; e++)
		if (t->evp[e].n_good)
			others |= BIT(t->evp[e].plane - 1);
	others &= ~peer->remote_down;
	for (e = 0; t && t->planes && e < t->n_planes; e++) {
		bit = BIT(t->evp[e].plane - 1);
		if (peer->remote_down & bit)
			mrc_hint_down(peer, t, e, others, in->now);
		else if (was & bit)
			mrc_hint_up(peer, t, e, in->now);
	}
	mrc_peer_unlock(peer);
	return false;
}

/**
 * mrc_peer_port_status() - a peer says which of its planes are reachable
 * @mnet: namespace
 * @local: our node
 * @remote: the peer
 * @mask: reachable planes, bit n-1
 * @now: ktime ns
 *
 * A hint, never an order: it only leads to probes.
 *
 * Context: softirq, RCU read side.
 * Return: false if no user has to do with that peer.
 */
bool mrc_peer_port_status(struct mrc_net *mnet, const struct in6_addr *local,
			  const struct in6_addr *remote, u32 mask, u64 now)
{
	struct mrc_ports_in in = { .mask = mask, .now = now };

	mrc_peer_any(mnet, local, remote, mrc_port_status, &in);
	return in.used;
}

/**
 * struct mrc_icmp_in - an ICMP error about a packet of ours
 * @ev: of that packet
 * @plane: on which the error came
 * @now: ktime ns
 */
struct mrc_icmp_in {
	u32	ev;
	u8	plane;
	u64	now;
};

/*
 * The path stays in use and is probed, with a probe as long as its packets; it
 * leaves if that is lost. So a false error costs one probe, and no more than
 * one in a while is followed on each plane. Only a path that we use is
 * worth a question.
 */
static void mrc_icmp_doubt(struct mrc_peer *peer, struct mrc_peer_paths *t,
			   int e, const struct mrc_icmp_in *in)
{
	struct mrc_peer_plane *pl = &t->pl[e];
	u16 idx = mrc_paths_by_ev(t, e, in->ev);
	const struct mrc_path *path;

	if (idx == MRC_PATH_NONE || !peer->n_users ||
	    mrc_since(in->now, pl->icmp_at) < mrc_hint_gap(peer, t, e))
		return;
	path = &t->path[idx];
	if (path->state != MRC_EV_GOOD || path->doubt || !path->sent)
		return;
	WRITE_ONCE(pl->icmp_at, in->now);
	mrc_path_doubt(peer, t, idx, in->now, in->now);
	MRC_INC(peer->mnet, ICMP_PROBE);
}

/* Return: true if @peer has that path. */
static bool mrc_icmp_take(struct mrc_peer *peer, void *arg)
{
	const struct mrc_icmp_in *in = arg;
	struct mrc_peer_paths *t = rcu_dereference(peer->paths);
	int e = t ? mrc_paths_plane(t, in->plane) : -1;

	/* floods end here, without the lock */
	if (e < 0 || mrc_paths_by_ev(t, e, in->ev) == MRC_PATH_NONE)
		return false;
	if (mrc_since(in->now, READ_ONCE(t->pl[e].icmp_at)) <
	    mrc_hint_gap(peer, t, e))
		return true;
	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	e = t ? mrc_paths_plane(t, in->plane) : -1;
	if (e >= 0)
		mrc_icmp_doubt(peer, t, e, in);
	mrc_peer_unlock(peer);
	return true;
}

/**
 * mrc_peer_icmp() - an ICMP error quotes a packet of ours
 * @mnet: namespace
 * @local: source of that packet
 * @remote: its destination
 * @ev: its EV
 * @plane: on which the error came
 * @now: ktime ns
 *
 * A hint, never an order: it only leads to a probe.
 *
 * Context: softirq, RCU read side.
 */
void mrc_peer_icmp(struct mrc_net *mnet, const struct in6_addr *local,
		   const struct in6_addr *remote, u32 ev, u8 plane, u64 now)
{
	struct mrc_icmp_in in = { .ev = ev, .plane = plane, .now = now };

	mrc_peer_any(mnet, local, remote, mrc_icmp_take, &in);
}
