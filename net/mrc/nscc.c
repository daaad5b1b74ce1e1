// SPDX-License-Identifier: GPL-2.0
/*
 * NSCC, the congestion control of MRC and UET (pure).
 *
 * A window in bytes, clocked by SACKs:
 *
 *	mark	delay		window
 *	no	< target	proportional increase
 *	no	>= target	fair increase
 *	yes	>= target	multiplicative decrease
 *	yes	< target	as it is: the path is left, load balancing
 *
 * Decreases look at the mean of the delay over a window. In a fabric that is
 * not known to trim, switches may not mark either: there a mean above the
 * target counts as a mark, and so the delay alone brakes.
 *
 * Nobody has told us the rate of a link. The first window grows to four times
 * its size per round trip until there is delay or loss. Later, the ceiling
 * follows from the highest rate seen lately, and gains from the window itself.
 *
 * Who comes while a queue stands takes it for the length of the way, and would
 * let it grow. So a queue that has stood for a while is drained now and then.
 */
#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <vdso/time64.h>

#include "cc.h"
#include "nscc.h"

static struct mrc_nscc *mrc_nscc(const struct mrc_cc *cc)
{
	BUILD_BUG_ON(sizeof(struct mrc_nscc) > sizeof(cc->priv));
	return (struct mrc_nscc *)cc->priv;
}

/* What hosts need for themselves: a few bursts take their time there, and that
 * is no queue. It matters where the window is not many of them.
 */
static u64 mrc_nscc_quantum(const struct mrc_cc *cc)
{
	u32 burst = clamp(cc->cwnd / (2 * cc->planes),
			  MRC_NSCC_BURST_LEAST * cc->mtu,
			  MRC_NSCC_BURST_MOST * cc->mtu);
	u64 base = mrc_nscc(cc)->base, more;

	more = div_u64(base * MRC_NSCC_BURSTS * burst, cc->cwnd);
	more -= min(more, base / MRC_NSCC_QUANTUM_MOST);
	return min3(more, base * MRC_NSCC_QUANTUM_MOST,
		    (u64)MRC_NSCC_TARGET_MAX_NS);
}

/**
 * mrc_nscc_target() - the delay aimed at
 * @cc: controller
 *
 * Context: any.
 * Return: ns.
 */
u32 mrc_nscc_target(const struct mrc_cc *cc)
{
	const struct mrc_nscc *n = mrc_nscc(cc);
	u64 target = div_u64((u64)n->base * cc->p.target, 100);
	u64 more;

	target = clamp_t(u64, target, max(cc->p.target_min, 1U),
			 MRC_NSCC_TARGET_MAX_NS);
	more = div_u64(target * n->root, cc->cwnd) / MRC_NSCC_SPREAD_DIV;
	target += min(more, target * MRC_NSCC_SPREAD_MOST);
	return target + mrc_nscc_quantum(cc);
}

/**
 * mrc_nscc_floor() - the smallest window
 * @cc: controller
 *
 * Context: any.
 * Return: bytes: one packet.
 */
u32 mrc_nscc_floor(const struct mrc_cc *cc)
{
	return cc->mtu;
}

/**
 * mrc_nscc_first() - the first window
 * @cc: controller
 *
 * Context: any.
 * Return: bytes.
 */
u32 mrc_nscc_first(const struct mrc_cc *cc)
{
	u32 first = max(cc->p.init * cc->planes, MRC_NSCC_INIT_MIN) * cc->mtu;

	return cc->p.window ? clamp(first, cc->mtu, max(cc->p.window, cc->mtu))
			    : first;
}

/**
 * mrc_nscc_ceiling() - the largest window
 * @cc: controller
 *
 * Context: any.
 * Return: bytes.
 */
u32 mrc_nscc_ceiling(const struct mrc_cc *cc)
{
	const struct mrc_nscc *n = mrc_nscc(cc);
	u32 peak = max(n->peak[0], n->peak[1]);
	u64 most = MRC_NSCC_WINDOW_MAX;

	if (!n->start && peak && n->base)
		most = div_u64((u64)peak * (n->base + MRC_NSCC_CEIL_TARGETS *
					    (u64)mrc_nscc_target(cc)), n->base);
	most = clamp_t(u64, most, mrc_nscc_first(cc), MRC_NSCC_WINDOW_MAX);
	if (cc->p.window)
		most = min_t(u64, most, max(cc->p.window, cc->mtu));
	return most;
}

/* The ceiling ends growth and cuts nothing: while a window grows, the rates seen
 * are those of a round trip ago.
 */
static void mrc_nscc_set(struct mrc_cc *cc, u64 cwnd)
{
	u32 most = max(mrc_nscc_ceiling(cc), cc->cwnd);

	cc->cwnd = clamp_t(u64, cwnd, mrc_nscc_floor(cc), most);
}

static void mrc_nscc_sub(struct mrc_cc *cc, u32 bytes)
{
	mrc_nscc_set(cc, cc->cwnd - min(bytes, cc->cwnd));
}

/* The whole window again, whatever happens to it next. */
static void mrc_nscc_drain_end(struct mrc_cc *cc)
{
	struct mrc_nscc *n = mrc_nscc(cc);

	if (!n->drain_end)
		return;
	n->drain_end = 0;
	cc->cwnd = n->whole;
}

/* What gains depend on; to be called when the window has changed. */
static void mrc_nscc_root(struct mrc_cc *cc)
{
	u64 ref = (u64)MRC_NSCC_REF_RATE * cc->planes *
		  DIV_ROUND_UP(mrc_nscc(cc)->base, NSEC_PER_USEC);

	mrc_nscc(cc)->root = min_t(u64, int_sqrt64(cc->cwnd * ref), U32_MAX);
}

/* Bytes per round trip that a fair increase adds. */
static u32 mrc_nscc_fair(const struct mrc_cc *cc)
{
	u64 fair = (u64)mrc_nscc(cc)->root / MRC_NSCC_FAIR_DIV;

	fair = div_u64(fair * cc->p.increase, 100);
	return min_t(u64, fair, cc->cwnd / MRC_NSCC_FAIR_MOST);
}

static void mrc_nscc_init(struct mrc_cc *cc)
{
	mrc_nscc(cc)->start = true;
	cc->cwnd = mrc_nscc_first(cc);
}

/* A mean over about as many bytes as are in flight, so that a round trip
 * counts the same at any rate.
 */
static u32 mrc_nscc_mean(u32 mean, u32 sample, u32 part, u32 whole)
{
	u64 d = abs_diff(mean, sample);

	if (part >= whole)
		return sample;
	d = div_u64(d * part, whole);
	return sample > mean ? mean + d : mean - d;
}

/* Return: the delay this SACK stands for, ns. */
static u32 mrc_nscc_measure(struct mrc_cc *cc, const struct mrc_cc_ack *ack,
			    u32 new)
{
	struct mrc_nscc *n = mrc_nscc(cc);
	u32 whole = ack->inflight + ack->bytes;
	u32 delay;

	if (!ack->rtt_ns || !ack->base_ns)
		return n->delay;
	delay = ack->rtt_ns - min(ack->rtt_ns, ack->base_ns);
	if (!n->base) {
		n->base = ack->base_ns;
		n->delay = delay;
		mrc_nscc_root(cc);
	}
	n->base = mrc_nscc_mean(n->base, ack->base_ns, new, whole);
	n->delay = mrc_nscc_mean(n->delay, delay, new, whole);
	return delay;
}

/* A rate was seen: @bytes in @time ns. */
static void mrc_nscc_peak(struct mrc_nscc *n, u32 bytes, u64 time, u64 now)
{
	u64 peak = div64_u64((u64)bytes * n->base, time);

	if (now - n->peak_from > MRC_NSCC_PEAK_AGE_NS) {
		n->peak[1] = n->peak[0];
		n->peak[0] = 0;
		n->peak_from = now;
	}
	n->peak[0] = clamp_t(u64, peak, n->peak[0], MRC_NSCC_WINDOW_MAX);
}

/* Congestion by loss: to what got through, but once per round trip, and by a
 * part at most.
 */
static void mrc_nscc_loss_cut(struct mrc_cc *cc, u64 least, u64 now)
{
	struct mrc_nscc *n = mrc_nscc(cc);

	n->start = false;
	if (now < n->decr_at)
		return;
	mrc_nscc_drain_end(cc);
	n->decr_at = now + n->base + n->delay;
	n->clear = 0;
	least = max_t(u64, least, cc->cwnd - cc->cwnd / MRC_NSCC_MD_DIV);
	mrc_nscc_set(cc, min_t(u64, cc->cwnd, least));
}

/* What @bytes in @time ns are in a round trip, and a little less: some of it
 * was in the queue that overflowed.
 */
static u64 mrc_nscc_spared(const struct mrc_nscc *n, u32 bytes, u64 time)
{
	u64 trip = div64_u64((u64)bytes * ((u64)n->base + n->delay), time);

	return trip - trip / MRC_NSCC_SPARE_DIV;
}

/*
 * The end of a window of base round-trip time and target: what came of it?
 * Return: true if the window of congestion was adapted to what got through.
 */
static bool mrc_nscc_quick_adapt(struct mrc_cc *cc, u32 inflight, u64 now)
{
	struct mrc_nscc *n = mrc_nscc(cc);
	u32 target = mrc_nscc_target(cc), achieved = n->achieved, gate;
	u64 time = now - n->qa_from;
	bool fire, held, lossy;

	if (!n->base || time < (u64)n->base + target)
		return false;
	fire = n->qa_loss || n->delay > MRC_NSCC_QA_TARGETS * (u64)target;
	held = n->held_at >= n->qa_from;
	lossy = n->lost > achieved / MRC_NSCC_LOSS_SHARE &&
		n->lost > MRC_NSCC_LOSS_LEAST * cc->mtu;
	if (n->qa_from)
		mrc_nscc_peak(n, achieved, time, now);
	n->qa_from = now;
	n->achieved = 0;
	n->lost = 0;
	n->qa_loss = false;
	gate = max(mrc_nscc_ceiling(cc) >> MRC_NSCC_QA_GATE,
		   cc->cwnd / MRC_NSCC_QA_SHARE);
	if (fire && held && achieved < min(gate, cc->cwnd)) {
		n->start = false;
		mrc_nscc_drain_end(cc);
		mrc_nscc_set(cc, achieved);
		n->ignore = inflight;
		return true;
	}
	if (lossy && !n->trims)
		mrc_nscc_loss_cut(cc, mrc_nscc_spared(n, achieved, time), now);
	return false;
}

static void mrc_nscc_decrease(struct mrc_cc *cc, u64 now)
{
	struct mrc_nscc *n = mrc_nscc(cc);
	u32 target = mrc_nscc_target(cc);
	u64 cut;

	n->clear = 0;
	if (n->delay <= target || now < n->decr_at)
		return;
	n->start = false;
	n->decr_at = now + n->base + n->delay;
	cut = div_u64((u64)cc->cwnd * cc->p.decrease, 100);
	cut = div_u64(cut * (n->delay - target), n->delay);
	/* the larger window gives way to the smaller one */
	cut = div_u64(cut * clamp(cc->cwnd,
				  n->root / 8 * MRC_NSCC_GAMMA_8THS, n->root),
		      max(n->root, 1U));
	mrc_nscc_sub(cc, min_t(u64, cut, cc->cwnd / MRC_NSCC_MD_DIV));
}

/* No delay at all: start-up multiplies the window per round trip; later it grows
 * fast after a whole window of that. Return: true if so.
 */
static bool mrc_nscc_fast(struct mrc_cc *cc, u32 delay, u32 new)
{
	struct mrc_nscc *n = mrc_nscc(cc);
	u32 target = mrc_nscc_target(cc);

	if (n->start) {
		new -= min_t(u64, div_u64(2ULL * new * delay, target), new);
		mrc_nscc_set(cc, cc->cwnd + MRC_NSCC_START_TIMES * (u64)new);
		return true;
	}
	if (delay > target / MRC_NSCC_CLEAR_DIV) {
		n->clear = 0;
		return false;
	}
	n->clear = min_t(u64, (u64)n->clear + new, U32_MAX);
	if (n->clear < cc->cwnd)
		return false;
	mrc_nscc_set(cc, (u64)cc->cwnd + new / MRC_NSCC_FAST_DIV);
	return true;
}

/* Below the target: the more, the further below it is. */
static void mrc_nscc_proportional(struct mrc_cc *cc, u32 delay, u32 new)
{
	struct mrc_nscc *n = mrc_nscc(cc);
	u32 target = mrc_nscc_target(cc), part;

	if (mrc_nscc_fast(cc, delay, new))
		return;
	part = div_u64((u64)(target - delay) * 256, target);
	n->inc += ((u64)mrc_nscc_fair(cc) * new / 256) * part / 4 * MRC_NSCC_PROP_4THS;
}

/* Start-up ends when it is no faster than what comes after it, see
 * mrc_nscc_fast(), or when most packets are marked and there is some delay, too:
 * others were here before. A few marks say that there are better paths.
 */
static bool mrc_nscc_started(const struct mrc_nscc *n, u32 target)
{
	u32 slow = target / 2 - target / 2 / MRC_NSCC_FAST_DIV;

	return n->delay > (n->marks > MRC_NSCC_MARKED ?
			   target / MRC_NSCC_CLEAR_DIV : slow);
}

static void mrc_nscc_quadrants(struct mrc_cc *cc, const struct mrc_cc_ack *ack,
			       u32 delay, u32 new)
{
	struct mrc_nscc *n = mrc_nscc(cc);
	u64 trip = (u64)n->base + n->delay;
	u32 target = mrc_nscc_target(cc);
	bool mark = ack->ce;

	/* A window that holds nothing back has proved nothing, and one that
	 * was too large a round trip ago has proved the contrary.
	 */
	n->grows = ack->now - n->held_at <= trip && ack->now - n->full_at > trip;
	n->marks = mrc_nscc_mean(n->marks, mark ? 2 * MRC_NSCC_MARKED : 0, new,
				 ack->inflight + ack->bytes);
	if (mrc_nscc_started(n, target))
		n->start = false;
	if (delay >= target && (mark || (!n->trims && n->delay > target))) {
		mrc_nscc_decrease(cc, ack->now);
	} else if (mark || !n->grows) {
		if (delay > target / MRC_NSCC_CLEAR_DIV)
			n->clear = 0;
	} else if (delay >= target) {
		n->clear = 0;
		n->inc += (u64)mrc_nscc_fair(cc) * new;
	} else {
		mrc_nscc_proportional(cc, delay, new);
	}
}

/* Puts increases into effect. */
static void mrc_nscc_adjust(struct mrc_cc *cc, u32 new, u64 now)
{
	struct mrc_nscc *n = mrc_nscc(cc);
	u64 cwnd = cc->cwnd;

	n->unadjusted += new;
	if (n->unadjusted < MRC_NSCC_ADJUST_PKTS * cc->mtu &&
	    now < n->adjust_at)
		return;
	cwnd += div_u64(n->inc, cc->cwnd);
	if (n->grows && !n->start && n->delay <= mrc_nscc_target(cc) &&
	    now >= n->eta_at) {
		cwnd += mrc_nscc_fair(cc) / MRC_NSCC_ETA_DIV;
		n->eta_at = now + n->base + n->delay;
	}
	n->inc = 0;
	n->unadjusted = 0;
	n->adjust_at = now + n->base;
	mrc_nscc_set(cc, cwnd);
	mrc_nscc_root(cc);
}

/* The receiver is behind: its word is obeyed, and nothing else. Return: true if
 * so.
 */
static bool mrc_nscc_penalty(struct mrc_cc *cc, const struct mrc_cc_ack *ack,
			     u32 new)
{
	struct mrc_nscc *n = mrc_nscc(cc);

	if (!ack->pen) {
		if (n->saved)
			mrc_nscc_set(cc, max(n->saved, cc->cwnd));
		n->saved = 0;
		return false;
	}
	mrc_nscc_drain_end(cc);
	if (ack->restore && !n->saved)
		n->saved = cc->cwnd;
	else if (!ack->restore)
		n->saved = 0;
	mrc_nscc_sub(cc, (u64)new * ack->pen >> MRC_NSCC_PEN_SHIFT);
	n->inc = 0;
	return true;
}

/* Holds back what stands in the queue. */
static void mrc_nscc_drain_begin(struct mrc_cc *cc, u64 now)
{
	struct mrc_nscc *n = mrc_nscc(cc);
	u64 trip = (u64)n->base + n->delay;
	u32 whole = cc->cwnd;

	mrc_nscc_sub(cc, div64_u64((u64)whole * n->delay, trip));
	n->whole = whole;
	n->known = n->base;
	n->drain_end = now + MRC_NSCC_DRAIN_RTTS * trip;
}

/* Has the queue stood for long enough? Those who share one see it at its lowest
 * at the same time, and then they drain it together.
 */
static bool mrc_nscc_drain_due(const struct mrc_cc *cc, u64 now)
{
	const struct mrc_nscc *n = mrc_nscc(cc);
	u64 stood = now - n->stood_at, trip = (u64)n->base + n->delay;
	u32 target = mrc_nscc_target(cc);

	if (n->start || !n->stood_at || cc->cwnd < MRC_NSCC_INIT_MIN * cc->mtu)
		return false;
	if (n->known - n->base >= target / MRC_NSCC_NEWS_DIV)
		return true;
	if (n->delay <= target / 2)
		return stood >= MRC_NSCC_LOW_RTTS * trip;
	return stood >= MRC_NSCC_STOOD_RTTS * trip;
}

/* Return: true while a drain lasts. */
static bool mrc_nscc_drain(struct mrc_cc *cc, u32 delay, u64 now)
{
	struct mrc_nscc *n = mrc_nscc(cc);

	if (n->drain_end) {
		if (now < n->drain_end)
			return true;
		mrc_nscc_drain_end(cc);
		n->stood_at = now;
		return false;
	}
	n->known = max(n->known, n->base);
	if (delay <= mrc_nscc_target(cc) / MRC_NSCC_CLEAR_DIV)
		n->stood_at = now;
	if (!mrc_nscc_drain_due(cc, now))
		return false;
	mrc_nscc_drain_begin(cc, now);
	return true;
}

static void mrc_nscc_ack(struct mrc_cc *cc, const struct mrc_cc_ack *ack)
{
	u64 most = (u64)ack->inflight + ack->bytes;
	struct mrc_nscc *n = mrc_nscc(cc);
	u32 delay, new;

	n->trims = ack->trims;
	if (ack->held)
		n->held_at = ack->now;
	/* The peer says how much has arrived; more than was out is a lie. */
	new = min_t(u64, ack->rcvd, most);
	if (!new)
		return;
	n->acked_at = ack->now;
	delay = mrc_nscc_measure(cc, ack, new);
	n->achieved = min_t(u64, (u64)n->achieved + new, U32_MAX);
	if (mrc_nscc_penalty(cc, ack, new) ||
	    mrc_nscc_quick_adapt(cc, ack->inflight, ack->now))
		return;
	if (n->ignore) {
		n->ignore -= min(n->ignore, new);
		return;
	}
	if (mrc_nscc_drain(cc, delay, ack->now))
		return;
	mrc_nscc_quadrants(cc, ack, delay, new);
	mrc_nscc_adjust(cc, new, ack->now);
}

/* Where losses are not told by trims, one on a path that is marked or delayed
 * means congestion. One that takes its path out means a failure: the others
 * carry on, and their delay will tell if they cannot.
 */
static void mrc_nscc_loss(struct mrc_cc *cc, const struct mrc_cc_loss *loss)
{
	struct mrc_nscc *n = mrc_nscc(cc);
	bool trimmed = loss->why == MRC_CC_TRIMMED;
	bool busy = !trimmed && !n->trims &&
		    (loss->marked || loss->delay_ns >= MRC_NSCC_BUSY_TARGETS *
						       mrc_nscc_target(cc));

	if (loss->failed)
		return;
	mrc_nscc_drain_end(cc);
	n->lost = min_t(u64, (u64)n->lost + loss->bytes, U32_MAX);
	n->clear = 0;
	if (trimmed || busy) {
		n->start = false;
		n->qa_loss = true;
		n->full_at = loss->now;
	}
	if (n->ignore) {
		n->ignore -= min(n->ignore, loss->bytes);
		return;
	}
	if (busy)
		mrc_nscc_loss_cut(cc, cc->cwnd - cc->cwnd / MRC_NSCC_LOSS_DIV,
				  loss->now);
	mrc_nscc_sub(cc, loss->bytes);
}

/* After a pause what was measured is old, and after a long one the window, too,
 * and so is the one that will be restored.
 */
static void mrc_nscc_begin(struct mrc_cc *cc, u64 now)
{
	struct mrc_nscc *n = mrc_nscc(cc);
	u32 *window = n->saved ? &n->saved : &cc->cwnd;
	u64 idle = n->acked_at ? now - n->acked_at : 0;
	u64 trips = (u64)MRC_NSCC_IDLE_RTTS * n->base;
	u32 first = mrc_nscc_first(cc);

	if (idle < max_t(u64, trips, MRC_NSCC_STALE_NS))
		return;
	mrc_nscc_drain_end(cc);
	n->delay = 0;
	n->marks = 0;
	n->ignore = 0;
	n->inc = 0;
	n->qa_from = 0;
	n->stood_at = 0;
	idle = div64_u64(idle, max_t(u64, trips, MRC_NSCC_IDLE_NS));
	if (!idle)
		return;
	n->acked_at = now;
	if (*window <= first)
		return;
	*window = max(first, idle < 32 ? *window >> idle : 0);
	n->start = true;
}

/**
 * mrc_nscc_pen() - what the receiver asks for
 * @used: bytes that wait to be read, or of memory
 * @whole: of how many
 *
 * Context: any.
 * Return: the penalty, 0 to MRC_NSCC_PEN_FULL.
 */
u8 mrc_nscc_pen(u64 used, u64 whole)
{
	u64 half = whole / 2;

	if (used <= half || !half)
		return 0;
	return min_t(u64, div64_u64((used - half) * MRC_NSCC_PEN_FULL, half),
		     MRC_NSCC_PEN_FULL);
}

static enum mrc_cc_state mrc_nscc_state(const struct mrc_cc *cc)
{
	const struct mrc_nscc *n = mrc_nscc(cc);

	if (n->saved)
		return MRC_CC_PENALTY;
	if (n->start)
		return MRC_CC_START;
	if (n->ignore)
		return MRC_CC_ADAPT;
	return n->delay > mrc_nscc_target(cc) ? MRC_CC_BRAKE : MRC_CC_STEADY;
}

const struct mrc_cc_ops mrc_cc_nscc = {
	.name	= "nscc",
	.init	= mrc_nscc_init,
	.begin	= mrc_nscc_begin,
	.ack	= mrc_nscc_ack,
	.loss	= mrc_nscc_loss,
	.state	= mrc_nscc_state,
};
