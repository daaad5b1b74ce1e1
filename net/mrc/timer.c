// SPDX-License-Identifier: GPL-2.0
/*
 * The one timer of a QP: overdue packets, back-off, the retry budget,
 * reliability probes (a silent tail, a closed window, keepalive), and memory
 * that an idle connection need not keep.
 *
 * It is armed lazily: an acknowledgment moves deadlines later and does not
 * touch it; it fires, sees that nothing is due, and is armed for the next
 * deadline. It holds no reference to the socket while it is queued: it takes
 * one when it fires, if there is one left, and mrc_qp_destroy() waits for it.
 */
#include "compat.h"
#include "loss.h"
#include "transport.h"

static u64 mrc_min_at(u64 a, u64 b)
{
	return a && b ? min(a, b) : a | b;
}

static enum hrtimer_restart mrc_timer_fire(struct hrtimer *timer)
{
	struct mrc_qp *qp = container_of(timer, struct mrc_qp, timer);
	struct sock *sk = qp->sk;

	if (!refcount_inc_not_zero(&sk->sk_refcnt))
		return HRTIMER_NORESTART;
	bh_lock_sock(sk);
	/* Armed again while we waited for the lock: that one will run. */
	if (!hrtimer_is_queued(timer)) {
		qp->timer_at = 0;
		if (sock_owned_by_user(sk)) {
			set_bit(MRC_NEWS_TIMER, &qp->user.pending);
			qp->deferred = true;
		} else {
			mrc_timer_run(qp);
			mrc_qp_settle(qp);
		}
	}
	bh_unlock_sock(sk);
	sock_put(sk);
	return HRTIMER_NORESTART;
}

void mrc_timer_init(struct mrc_qp *qp)
{
	hrtimer_setup(&qp->timer, mrc_timer_fire, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

void mrc_timer_arm(struct mrc_qp *qp, u64 at)
{
	if (!at || qp->state != MRC_QP_READY)
		return;
	if (qp->timer_at && qp->timer_at <= at)
		return;
	qp->timer_at = at;
	hrtimer_start(&qp->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

void mrc_timer_stop(struct mrc_qp *qp)
{
	hrtimer_try_to_cancel(&qp->timer);
	qp->timer_at = 0;
}

static struct mrc_rtt *mrc_timer_rtt(struct mrc_qp *qp)
{
	return mrc_peer_rtt(qp->peer, qp->last_plane);
}

u64 mrc_timer_rto(const struct mrc_qp *qp, const struct mrc_rtt *rtt)
{
	const struct mrc_rtt *latest = mrc_peer_rtt(qp->peer, qp->rtt_plane);

	return max3(mrc_rtt_rto(rtt), mrc_rtt_rto(latest),
		    (u64)MRC_LOSS_RTO_MIN_NS);
}

void mrc_timer_backoff(struct mrc_qp *qp, u64 now)
{
	/* Several planes may time out one after the other: one step each
	 * interval.
	 */
	if (now < qp->backoff_at)
		return;
	qp->backoff_at = now +
		mrc_loss_backoff(mrc_timer_rto(qp, mrc_timer_rtt(qp)),
				 qp->backoff);
	if (qp->backoff < U8_MAX)
		qp->backoff++;
}

/* Pages for data that does not come are given back. Return: when that is due,
 * 0 = there are none, or they are in use.
 */
static u64 mrc_timer_pages(struct mrc_qp *qp, u64 now)
{
	u64 due = qp->progress_at + MRC_PAGES_IDLE_NS;

	if (!qp->req.pages || qp->busy)
		return 0;
	if (due > now)
		return due;
	mrc_txpage_free(&qp->req.pages, qp->sk);
	return 0;
}

void mrc_timer_progress(struct mrc_qp *qp, u64 now)
{
	qp->progress_at = now;
	/* A probe whose answer was lost need not be asked again. Its id stays:
	 * the answer may only be late.
	 */
	qp->probe_n = 0;
	qp->probe_wanted = false;
	qp->busy = qp->req.una != qp->req.limit;
	mrc_timer_arm(qp, mrc_timer_pages(qp, now));
}

/* When the next probe is due, 0 = none needed. *@mib gets why. */
static u64 mrc_timer_probe_due(struct mrc_qp *qp, unsigned int *mib)
{
	struct mrc_rtt *rtt = mrc_timer_rtt(qp);
	u64 last = max(qp->heard_at, qp->probe_at);
	u64 rto = mrc_rtt_rto(rtt);

	if (qp->req.n_inflight) {
		*mib = MRC_MIB_PROBE_OUT_TAIL;
		return max(last, qp->sent_at) +
		       mrc_loss_backoff(2ULL * READ_ONCE(rtt->srtt) +
					mrc_rtt_reorder(rtt), qp->probe_n);
	}
	if (mrc_req_window_closed(qp)) {
		*mib = MRC_MIB_PROBE_OUT_WINDOW;
		return last + mrc_loss_backoff(rto, qp->probe_n + 2);
	}
	*mib = MRC_MIB_PROBE_OUT_KEEP;
	if (qp->probe_wanted)
		return qp->probe_n ? last + mrc_loss_backoff(rto, qp->probe_n)
				   : 1;
	if (!sock_flag(qp->sk, SOCK_KEEPOPEN))
		return 0;
	return last + (qp->probe_n ? mrc_loss_backoff(rto, qp->probe_n + 8)
				   : MRC_KEEPALIVE_NS);
}

static u64 mrc_timer_probe(struct mrc_qp *qp, u64 now)
{
	unsigned int mib = MRC_MIB_PROBE_OUT_KEEP;
	u64 due = mrc_timer_probe_due(qp, &mib);

	if (!due || due > now)
		return due;
	if (!qp->probe_n)
		qp->probe_since = now;
	qp->probe_at = now;
	if (qp->probe_n < U8_MAX)
		qp->probe_n++;
	if (!mrc_req_send_probe(qp, now)) {
		MRC_INC(qp->mnet, PROBE_OUT);
		this_cpu_inc(qp->mnet->mib->mibs[mib]);
	}
	return mrc_timer_probe_due(qp, &mib);
}

/* When the retry budget is spent, 0 = nothing is waited for. */
static u64 mrc_timer_budget(const struct mrc_qp *qp)
{
	u64 at = 0;

	if (qp->busy)
		at = qp->progress_at + qp->user_timeout;
	/* No answer to any probe, and nothing else from there either. */
	if (qp->probe_n)
		at = mrc_min_at(at, max(qp->probe_since, qp->heard_at) +
				    qp->user_timeout);
	return at;
}

void mrc_timer_sent(struct mrc_qp *qp)
{
	unsigned int mib;
	u64 now;

	if (qp->state != MRC_QP_READY || qp->req.una == qp->req.limit)
		return;
	now = mrc_now();
	if (!qp->busy) {
		qp->busy = true;
		qp->progress_at = now;
	}
	/* It may be armed for the end of the budget, when nothing was left in
	 * flight: that is too late now.
	 */
	mrc_timer_arm(qp, mrc_min_at(mrc_timer_probe_due(qp, &mib),
				     mrc_timer_budget(qp)));
}

void mrc_timer_run(struct mrc_qp *qp)
{
	u64 now = mrc_now(), next, budget;

	if (qp->state != MRC_QP_READY)
		return;
	rcu_read_lock();
	budget = mrc_timer_budget(qp);
	if (budget && budget <= now) {
		MRC_INC(qp->mnet, CONN_RETRIES);
		mrc_qp_fail(qp, ETIMEDOUT, true);
		goto out;
	}
	mrc_req_time_losses(qp, now);
	mrc_req_push(qp);
	/* By the same clock nothing more is overdue: the next deadline. */
	next = mrc_req_time_losses(qp, now);
	next = mrc_min_at(next, mrc_timer_probe(qp, now));
	next = mrc_min_at(next, mrc_timer_budget(qp));
	next = mrc_min_at(next, mrc_timer_pages(qp, now));
	mrc_timer_arm(qp, next);
out:
	rcu_read_unlock();
}
