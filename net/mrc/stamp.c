// SPDX-License-Identifier: GPL-2.0
/*
 * When what was written left and when it arrived (SO_TIMESTAMPING): of each
 * sendmsg() that wants to know, the last packet is remembered. Reports go to
 * the error queue of the socket, without a copy of the data.
 *
 * Packets belong to the socket of their plane, and a device that stamps them
 * would not find the user's: so they count as sent when the burst has been
 * handed to the plane's device or its queue. A packet may be sent more than
 * once; the first time counts.
 */
#include <linux/errqueue.h>
#include <linux/slab.h>

#include "transport.h"

/**
 * struct mrc_stamp - a packet whose times are wanted
 * @next: of a later sendmsg()
 * @psn: the packet
 * @key: what the user knows it by, if he uses such
 * @flags: SOF_TIMESTAMPING_TX_*
 */
struct mrc_stamp {
	struct mrc_stamp	*next;
	u64			psn;
	u32			key;
	u32			flags;
};

static void mrc_stamp_report(struct sock *sk, const struct mrc_stamp *stamp,
			     u32 what)
{
	struct sk_buff *skb = alloc_skb(0, GFP_ATOMIC | __GFP_NOWARN);
	struct sock_exterr_skb *err;

	if (!skb)
		return;
	skb->tstamp = ktime_get_real();
	err = SKB_EXT_ERR(skb);
	memset(err, 0, sizeof(*err));
	err->ee.ee_errno = ENOMSG;
	err->ee.ee_origin = SO_EE_ORIGIN_TIMESTAMPING;
	err->ee.ee_info = what;
	if (READ_ONCE(sk->sk_tsflags) & SOF_TIMESTAMPING_OPT_ID)
		err->ee.ee_data = stamp->key;
	if (sock_queue_err_skb(sk, skb))
		kfree_skb(skb);
}

/* The oldest goes. */
static void mrc_stamp_free(struct mrc_qp *qp)
{
	struct mrc_stamp *stamp = qp->req.stamp;

	qp->req.stamp = stamp->next;
	kfree(stamp);
	mrc_req_uncharge(qp, sizeof(*stamp));
}

/**
 * mrc_stamp_sent() - a burst of new packets is out: report those that were
 *	waited for
 * @qp: QP
 *
 * Context: socket lock held.
 */
void mrc_stamp_sent(struct mrc_qp *qp)
{
	struct mrc_stamp *stamp;

	while ((stamp = qp->req.stamp_due) && stamp->psn < qp->req.nxt) {
		if (stamp->flags & SOF_TIMESTAMPING_TX_SCHED)
			mrc_stamp_report(qp->sk, stamp, SCM_TSTAMP_SCHED);
		if (stamp->flags & SOF_TIMESTAMPING_TX_SOFTWARE)
			mrc_stamp_report(qp->sk, stamp, SCM_TSTAMP_SND);
		qp->req.stamp_due = stamp->next;
	}
}

/**
 * mrc_stamp_acked() - report packets that have been acknowledged with all
 *	before them, and forget them
 * @qp: QP
 *
 * Context: socket lock held.
 */
void mrc_stamp_acked(struct mrc_qp *qp)
{
	struct mrc_stamp *stamp;

	while ((stamp = qp->req.stamp) && stamp->psn < qp->req.una) {
		if (stamp->flags & SOF_TIMESTAMPING_TX_ACK)
			mrc_stamp_report(qp->sk, stamp, SCM_TSTAMP_ACK);
		mrc_stamp_free(qp);
	}
}

/**
 * mrc_stamp_purge() - forget all
 * @qp: QP
 *
 * Context: socket lock held.
 */
void mrc_stamp_purge(struct mrc_qp *qp)
{
	qp->req.stamp_due = NULL;
	while (qp->req.stamp)
		mrc_stamp_free(qp);
}

void mrc_req_stamp(struct mrc_qp *qp, u32 key, u32 flags)
{
	struct mrc_requester *req = &qp->req;
	struct mrc_stamp *stamp;

	flags &= SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_SOFTWARE |
		 SOF_TIMESTAMPING_TX_ACK;
	if (!flags || req->una == req->end)
		return;
	if (!sk_wmem_schedule(qp->sk, sizeof(*stamp)))
		return;
	stamp = kmalloc(sizeof(*stamp), qp->sk->sk_allocation | __GFP_NOWARN);
	if (!stamp)
		return;
	sk_wmem_queued_add(qp->sk, sizeof(*stamp));
	sk_mem_charge(qp->sk, sizeof(*stamp));
	*stamp = (struct mrc_stamp) {
		.psn = req->end - 1, .key = key, .flags = flags,
	};
	if (req->stamp)
		req->stamp_last->next = stamp;
	else
		req->stamp = stamp;
	req->stamp_last = stamp;
	if (!req->stamp_due)
		req->stamp_due = stamp;
	/* The last of a write that was cut short may be out already. */
	mrc_stamp_sent(qp);
}
