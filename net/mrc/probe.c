// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of a peer's paths: Endpoint Requests with random ids, whose answer
 * proves the path they were asked on and no other.
 *
 * A path that left is probed at once, with a probe as long as its packets. It
 * is back after 1, 4, 16 or 32 successes in a row, MRC_PROBE_PACE_NS apart:
 * the first time after one, more each time it leaves again before it has
 * delivered a thousand packets. So a stray loss costs it a round trip, a link
 * that flaps is back within milliseconds, and a path that loses a fifth of
 * its packets has a chance of 0.8^32 = 1 in 1,262 per attempt.
 *
 * Without an answer the interval grows from the plane's timeout by doubling,
 * to MRC_PROBE_SHARE_NS for each path that is being probed, at least
 * MRC_PROBE_CAP_MIN_NS, so that a link that returns is found within a few ms;
 * then probes are short, and one success makes the next one long, and for the
 * first one of a plane those of all its paths. While nobody asks for paths the
 * cap is a second.
 *
 * When the peer says that a plane is down there, one short probe asks whether
 * that is true (peer_hint.c).
 *
 * What a peer's probes may cost is a budget of bytes, whatever the number of
 * paths: MRC_PROBE_BYTES_MS and 1/256 of the data sent.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/random.h>

#include "compat.h"
#include "input.h"
#include "judge.h"
#include "peer_int.h"

#define MRC_PROBE_IDLE		(2 * HZ)	/* nobody asks, jiffies */

/* An answer that comes later than this says nothing any more. */
#define MRC_PROBE_LATE_NS	(2ULL * NSEC_PER_SEC)

/* Failures after which probes are short. */
#define MRC_PROBE_SHORT		2

#define MRC_PROBE_BYTES_MS	1000	/* 1 MB/s */
#define MRC_PROBE_BURST		(512 * 1024)
#define MRC_PROBE_DATA_SHARE	256

/* Sent between two looks at the peer, and looks in a row. */
#define MRC_PROBE_BATCH		8
#define MRC_PROBE_ROUNDS	8

/* Port status: best effort, so said more than once. */
#define MRC_PORTS_REPEAT	3
#define MRC_PORTS_GAP_NS	(20ULL * NSEC_PER_MSEC)

#define MRC_PROBE_LEN_MIN	(MRC_LEN_EP_REQ_MIN + MRC_LEN_ICRC)

/**
 * struct mrc_probe_out - a probe to be sent when the lock is dropped
 * @idx: path
 * @e: index of its plane
 * @id: probe's
 * @len: bytes, with the ICRC
 */
struct mrc_probe_out {
	u16		idx;
	u8		e;
	u16		id;
	unsigned int	len;
};

/* Sees to it that the timer fires at @at or before. */
void mrc_probe_arm(struct mrc_peer *peer, u64 at)
{
	lockdep_assert_held(&peer->lock);
	if (peer->dead || !peer->n_users || at >= peer->timer_at)
		return;
	peer->timer_at = at;
	hrtimer_start(&peer->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Path @idx is to be probed, first at @at. */
void mrc_probe_start(struct mrc_peer *peer, struct mrc_peer_paths *t, u16 idx,
		     u64 at)
{
	struct mrc_path_probe *pr = &t->path[idx].probe;

	if (!__test_and_set_bit(idx, t->probing))
		t->n_probing++;
	pr->due = at;
	pr->run = 0;
	pr->fails = 0;
	pr->out = false;
	mrc_probe_arm(peer, at);
}

void mrc_probe_stop(struct mrc_peer_paths *t, u16 idx)
{
	struct mrc_path_probe *pr = &t->path[idx].probe;

	if (!__test_and_clear_bit(idx, t->probing))
		return;
	t->n_probing--;
	pr->out = false;
}

/* The first user has come: all that is bad may have changed. */
void mrc_probe_resume(struct mrc_peer *peer, u64 now)
{
	struct mrc_peer_paths *t = mrc_paths_locked(peer);
	const struct mrc_path *path;
	unsigned int i;

	for (i = 0; t && i < t->n_paths; i++) {
		path = &t->path[i];
		if (test_bit(i, t->probing) ||
		    (path->state == MRC_EV_ASSUMED_BAD &&
		     path->why != MRC_WHY_PLANE_DOWN))
			mrc_probe_start(peer, t, i, now);
	}
	if (peer->ports_left)
		mrc_probe_arm(peer, peer->ports_at);
}

/* Somebody asks for paths again after a pause: do not wait out a long one. */
void mrc_probe_wake(struct mrc_peer *peer)
{
	u64 soon = ktime_get_ns() + MRC_PROBE_CAP_MIN_NS;
	struct mrc_peer_paths *t;
	unsigned int i;

	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	if (t && t->n_probing) {
		for_each_set_bit(i, t->probing, t->n_paths)
			t->path[i].probe.due = min(t->path[i].probe.due, soon);
		mrc_probe_arm(peer, soon);
	}
	mrc_peer_unlock(peer);
}

/* Our planes have changed: tell the peer. */
void mrc_probe_ports(struct mrc_peer *peer, u64 now)
{
	if (!peer->n_users || peer->loopback)
		return;
	peer->ports_left = MRC_PORTS_REPEAT;
	peer->ports_at = now;
	mrc_probe_arm(peer, now);
}

static bool mrc_probe_is_full(const struct mrc_peer_paths *t, int e,
			      const struct mrc_path *path)
{
	if (path->state == MRC_EV_GOOD)
		return path->doubt;
	return path->probe.fails < MRC_PROBE_SHORT && !t->pl[e].hinted;
}

/* Bytes of a probe: as long as packets are, if the plane carries that. */
static unsigned int mrc_probe_len(struct mrc_peer *peer,
				  const struct mrc_peer_paths *t, int e,
				  const struct mrc_path *path)
{
	struct mrc_plane *plane = mrc_plane_get_rcu(peer->mnet,
						    t->evp[e].plane);
	unsigned int mtu = plane ? mrc_plane_mtu(plane) : 0;
	unsigned int over = mrc_overhead(t->encap[e]);

	if (!mrc_probe_is_full(t, e, path) || mtu < over + MRC_PROBE_LEN_MIN)
		return MRC_PROBE_LEN_MIN;
	return clamp(READ_ONCE(peer->dgram) & ~3U, MRC_PROBE_LEN_MIN,
		     (mtu - over) & ~3U);
}

/* How long to wait for an answer, ns. */
static u64 mrc_probe_interval(struct mrc_peer *peer,
			      const struct mrc_peer_paths *t,
			      const struct mrc_path *path)
{
	bool idle = jiffies - READ_ONCE(peer->active) > MRC_PROBE_IDLE;

	return mrc_judge_interval(mrc_rtt_rto(&peer->rtt[path->plane]),
				  path->probe.fails, t->n_probing, idle);
}

static void mrc_probe_refill(struct mrc_peer *peer, struct mrc_peer_paths *t,
			     u64 now)
{
	u64 ns = min_t(u64, mrc_since(now, peer->tokens_at), NSEC_PER_SEC);
	u64 sent = READ_ONCE(t->sent);
	u64 data = sent - min(sent, peer->tokens_sent);

	peer->tokens_at = now;
	peer->tokens_sent = sent;
	peer->tokens += div_u64(ns * MRC_PROBE_BYTES_MS, NSEC_PER_MSEC);
	peer->tokens += data * READ_ONCE(peer->dgram) / MRC_PROBE_DATA_SHARE;
	peer->tokens = min_t(s64, peer->tokens, MRC_PROBE_BURST);
}

/*
 * The latest probe of path @idx got no answer in time. A path in use leaves,
 * unless something sent after the probe has arrived; if nothing else speaks
 * against it, it is doubted first.
 */
static void mrc_probe_failed(struct mrc_peer *peer, struct mrc_peer_paths *t,
			     int e, u16 idx, u64 now)
{
	struct mrc_path *path = &t->path[idx];
	struct mrc_path_probe *pr = &path->probe;
	u64 sent_at = pr->at[pr->last];
	bool broken = pr->run;

	MRC_INC(peer->mnet, EP_LOST);
	pr->out = false;
	pr->run = 0;
	pr->due = now;
	if (path->state != MRC_EV_GOOD) {
		if (pr->fails < U8_MAX)
			pr->fails++;
		if (broken)
			pr->due += path->level * MRC_PROBE_PAUSE_NS;
		t->pl[e].hinted = false;
		return;
	}
	if (READ_ONCE(path->acked_sent) >= sent_at) {
		path->doubt = false;
		mrc_probe_stop(t, idx);
	} else if (!path->doubt) {
		mrc_path_doubt(peer, t, idx, sent_at, now);
	} else if (mrc_peer_is_silent(t, idx, sent_at) ||
		   !mrc_path_leave(peer, t, idx, MRC_WHY_TIMEOUT, now)) {
		/* it stays in use: go on, at a slower pace */
		if (pr->fails < U8_MAX)
			pr->fails++;
	}
}

/*
 * Where the next probe is kept. The first one is until it is answered or too
 * old: a round trip that has become longer than what the others last is
 * measured, too, and with it the interval becomes long enough.
 */
static u8 mrc_probe_slot(const struct mrc_path_probe *pr, u64 now)
{
	if (!pr->id[0] || mrc_since(now, pr->at[0]) >= MRC_PROBE_LATE_NS)
		return 0;
	return pr->last % (MRC_PROBES_OUT - 1) + 1;
}

/* A probe of path @idx is about to leave: @out says how. */
static void mrc_probe_prepare(struct mrc_peer *peer, struct mrc_peer_paths *t,
			      int e, u16 idx, struct mrc_probe_out *out,
			      u64 now)
{
	struct mrc_path *path = &t->path[idx];
	struct mrc_path_probe *pr = &path->probe;

	out->idx = idx;
	out->e = e;
	out->id = get_random_u32_inclusive(1, U16_MAX);
	out->len = mrc_probe_len(peer, t, e, path);
	pr->last = mrc_probe_slot(pr, now);
	pr->id[pr->last] = out->id;
	pr->at[pr->last] = now;
	pr->full &= ~BIT(pr->last);
	if (mrc_probe_is_full(t, e, path))
		pr->full |= BIT(pr->last);
	pr->out = true;
	pr->due = now + mrc_probe_interval(peer, t, path);
	peer->tokens -= out->len;
	WRITE_ONCE(path->probe_sent, path->probe_sent + 1);
}

/*
 * What is due: time-outs take effect, and up to MRC_PROBE_BATCH probes are
 * prepared. Planes take turns, and so do the paths of each, beginning where
 * the last look ended.
 * Return: number of probes; *@next is when to look again.
 */
static unsigned int mrc_probe_collect(struct mrc_peer *peer,
				      struct mrc_peer_paths *t,
				      struct mrc_probe_out *out, u64 now,
				      u64 *next)
{
	unsigned int i, pos, e, idx, n = 0, width = 0;
	struct mrc_path_probe *pr;

	for (e = 0; e < t->n_planes; e++)
		width = max_t(unsigned int, width, t->pl[e].n);
	width *= t->n_planes;
	mrc_probe_refill(peer, t, now);
	for (i = 0; i < width && t->n_probing; i++) {
		pos = (t->cursor + i) % width;
		e = pos % t->n_planes;
		if (pos / t->n_planes >= t->pl[e].n)
			continue;
		idx = t->pl[e].first + pos / t->n_planes;
		pr = &t->path[idx].probe;
		if (test_bit(idx, t->probing) && pr->due <= now && pr->out)
			mrc_probe_failed(peer, t, e, idx, now);
		if (!test_bit(idx, t->probing))
			continue;
		if (pr->due > now) {
			*next = min(*next, pr->due);
			continue;
		}
		if (peer->tokens <= 0 || n == MRC_PROBE_BATCH) {
			/* a short probe's worth, or at once */
			*next = n == MRC_PROBE_BATCH ? now :
				now + NSEC_PER_MSEC / 10;
			t->cursor = pos;
			break;
		}
		mrc_probe_prepare(peer, t, e, idx, &out[n++], now);
		*next = min(*next, pr->due);
	}
	return n;
}

/* A probe could not be sent: that says nothing about its path. */
static void mrc_probe_unsent(struct mrc_peer *peer,
			     const struct mrc_peer_paths *t,
			     const struct mrc_probe_out *out)
{
	struct mrc_peer_paths *cur;
	struct mrc_path_probe *pr;

	mrc_peer_lock(peer);
	cur = mrc_paths_locked(peer);
	if (cur == t) {
		pr = &cur->path[out->idx].probe;
		if (pr->id[pr->last] == out->id) {
			pr->id[pr->last] = 0;
			pr->out = false;
			/* but the next may wait longer */
			if (pr->fails < U8_MAX)
				pr->fails++;
		}
	}
	mrc_peer_unlock(peer);
}

/* Context: RCU read side, BH off, no lock held. */
static void mrc_probe_send(struct mrc_peer *peer,
			   const struct mrc_peer_paths *t,
			   const struct mrc_probe_out *out)
{
	struct mrc_plane *plane = mrc_plane_get_rcu(peer->mnet,
						    t->evp[out->e].plane);
	struct mrc_gw *gw = READ_ONCE(t->gw[out->e]);
	struct mrc_pick pick;

	if (!plane || !gw || !mrc_plane_alive(plane))
		goto unsent;
	mrc_pick_fill(t, out->e, out->idx, t->path[out->idx].ev_first, plane,
		      gw, &pick);
	if (!mrc_endpoint_probe(peer, &pick, out->id, out->len))
		return;
unsent:
	mrc_probe_unsent(peer, t, out);
}

/* Is a port status update due? Context: lock held. */
static bool mrc_probe_ports_due(struct mrc_peer *peer, u64 now, u64 *next)
{
	bool due = peer->ports_left && peer->ports_at <= now;

	if (due) {
		peer->ports_left--;
		peer->ports_at = now + MRC_PORTS_GAP_NS;
	}
	if (peer->ports_left)
		*next = min(*next, peer->ports_at);
	return due;
}

static void mrc_probe_send_ports(struct mrc_peer *peer)
{
	struct mrc_rotor rotor;
	struct mrc_pick pick;

	mrc_rotor_init(&rotor);
	if (!mrc_peer_pick_ctl(peer, &rotor, 0, &pick))
		mrc_endpoint_ports(peer, &pick, mrc_planes_up(peer->mnet));
}

/* One round of the timer. Return: true if there is more to do at once. */
static bool mrc_probe_round(struct mrc_peer *peer)
{
	struct mrc_probe_out out[MRC_PROBE_BATCH];
	u64 now = ktime_get_ns(), next = U64_MAX;
	struct mrc_peer_paths *t;
	unsigned int i, n = 0;
	bool ports = false;

	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	peer->timer_at = U64_MAX;
	if (peer->n_users && !peer->dead && t) {
		n = mrc_probe_collect(peer, t, out, now, &next);
		ports = mrc_probe_ports_due(peer, now, &next);
	}
	if (next > now && next != U64_MAX)
		mrc_probe_arm(peer, next);
	mrc_peer_unlock(peer);
	for (i = 0; i < n; i++)
		mrc_probe_send(peer, t, &out[i]);
	if (ports)
		mrc_probe_send_ports(peer);
	return next <= now;
}

static enum hrtimer_restart mrc_probe_timer(struct hrtimer *timer)
{
	struct mrc_peer *peer = container_of(timer, struct mrc_peer, timer);
	unsigned int rounds = MRC_PROBE_ROUNDS;

	rcu_read_lock();
	while (mrc_probe_round(peer) && --rounds)
		;
	rcu_read_unlock();
	/* let others have the CPU */
	if (!rounds) {
		mrc_peer_lock(peer);
		mrc_probe_arm(peer, ktime_get_ns() + MRC_PROBE_PACE_NS);
		mrc_peer_unlock(peer);
	}
	return HRTIMER_NORESTART;
}

void mrc_probe_init(struct mrc_peer *peer)
{
	hrtimer_setup(&peer->timer, mrc_probe_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	peer->timer_at = U64_MAX;
	peer->tokens = MRC_PROBE_BURST;
	peer->tokens_at = ktime_get_ns();
}

/* The first success on plane @e after it had no good path: the others' turn. */
static void mrc_probe_siblings(struct mrc_peer *peer, struct mrc_peer_paths *t,
			       int e, u16 but, u64 now)
{
	const struct mrc_peer_plane *pl = &t->pl[e];
	unsigned int i;

	for (i = pl->first; i < pl->first + pl->n; i++)
		if (i != but && test_bit(i, t->probing) &&
		    t->path[i].probe.fails)
			mrc_probe_start(peer, t, i, now);
}

/* Probe @i of path @idx was answered. Context: lock held. */
static void mrc_probe_answered(struct mrc_peer *peer, struct mrc_peer_paths *t,
			       int e, u16 idx, unsigned int i, u64 now)
{
	struct mrc_path *path = &t->path[idx];
	struct mrc_path_probe *pr = &path->probe;
	u32 rtt = max(mrc_since(now, pr->at[i]), 1ULL);
	bool full = pr->full & BIT(i), slow = pr->fails;

	WRITE_ONCE(path->probe_ok, path->probe_ok + 1);
	mrc_rtt_sample(&path->rtt, rtt, now);
	if (full)
		mrc_rtt_sample(&peer->rtt[path->plane], rtt, now);
	mrc_path_works(t, idx, now - rtt, now);
	pr->id[i] = 0;
	if (!test_bit(idx, t->probing))
		return;
	pr->out = false;
	pr->fails = 0;
	if (path->state == MRC_EV_GOOD) {
		/* what waits for an outage to end need not wait longer */
		if (path->doubt && slow)
			mrc_peer_news(peer, MRC_NEWS_PATH_GOOD);
		path->doubt = false;
		mrc_probe_stop(t, idx);
		return;
	}
	if (t->pl[e].hinted)
		mrc_hint_refuted(peer, t, e, now);
	if (path->state == MRC_EV_GOOD)
		return;
	if (!t->evp[e].n_good)
		mrc_probe_siblings(peer, t, e, idx, now);
	pr->run += full;
	if (path->state == MRC_EV_ASSUMED_BAD &&
	    pr->run >= mrc_judge_need(path->level)) {
		mrc_probe_stop(t, idx);
		mrc_path_set_state(peer, t, idx, MRC_EV_GOOD, MRC_WHY_PROBE,
				   now);
		mrc_path_works(t, idx, now - rtt, now);
		return;
	}
	pr->due = now + (pr->run ? MRC_PROBE_PACE_NS : 0);
	mrc_probe_arm(peer, pr->due);
}

/* The probe of plane @e that has @id and @ev, which answers within time.
 * Return: its index in the path @idx, -1 if there is none.
 */
static int mrc_probe_find(const struct mrc_peer_paths *t, int e, u16 id,
			  u32 ev, u64 now, u16 *idx)
{
	const struct mrc_path *path;
	int i;

	*idx = mrc_paths_by_ev(t, e, ev);
	if (*idx == MRC_PATH_NONE)
		return -1;
	path = &t->path[*idx];
	if (t->evp[e].ev[path->ev_first].ev != ev)
		return -1;
	for (i = 0; i < MRC_PROBES_OUT; i++)
		if (path->probe.id[i] == id &&
		    mrc_since(now, path->probe.at[i]) < MRC_PROBE_LATE_NS)
			return i;
	return -1;
}

/* An EV of our layout names its plane; one of a profile was asked on the plane
 * on which the answer comes. Return: as mrc_probe_find(), and the plane.
 */
static int mrc_probe_search(const struct mrc_peer_paths *t, u8 plane, u16 id,
			    u32 ev, u64 now, int *e, u16 *idx)
{
	int i = -1;

	*e = mrc_paths_plane(t, plane);
	if (*e >= 0 && t->pl[*e].by_ev)
		i = mrc_probe_find(t, *e, id, ev, now, idx);
	if (i >= 0)
		return i;
	*e = mrc_paths_plane(t, mrc_ev_plane(ev));
	if (*e < 0 || t->pl[*e].by_ev)
		return -1;
	return mrc_probe_find(t, *e, id, ev, now, idx);
}

/**
 * struct mrc_probe_in - an answer that came in
 * @id: echoed
 * @ev: echoed
 * @plane: on which it came
 * @now: ktime ns
 */
struct mrc_probe_in {
	u16	id;
	u32	ev;
	u8	plane;
	u64	now;
};

/* Return: true if @arg answers a probe of @peer. */
static bool mrc_probe_take(struct mrc_peer *peer, void *arg)
{
	const struct mrc_probe_in *in = arg;
	struct mrc_peer_paths *t;
	int i = -1, e;
	u16 idx;

	mrc_peer_lock(peer);
	t = mrc_paths_locked(peer);
	if (t)
		i = mrc_probe_search(t, in->plane, in->id, in->ev, in->now, &e,
				     &idx);
	if (i >= 0)
		mrc_probe_answered(peer, t, e, idx, i, in->now);
	mrc_peer_unlock(peer);
	return i >= 0;
}

/**
 * mrc_peer_probe_answer() - an answer to an EV probe came
 * @mnet: namespace
 * @local: our node
 * @remote: the node that answers
 * @id: echoed
 * @ev: echoed
 * @plane: on which it came
 * @now: ktime ns
 *
 * Context: softirq, RCU read side.
 * Return: true if it answers a probe of ours.
 */
bool mrc_peer_probe_answer(struct mrc_net *mnet, const struct in6_addr *local,
			   const struct in6_addr *remote, u16 id, u32 ev,
			   u8 plane, u64 now)
{
	struct mrc_probe_in in = { id, ev, plane, now };

	return id && mrc_peer_any(mnet, local, remote, mrc_probe_take, &in);
}
