// SPDX-License-Identifier: GPL-2.0
/*
 * What the responder makes of trouble on the peer's paths. A trimmed packet that
 * can be what it says it is gets one NACK.
 *
 * No checksum vouches for it, so all that can be compared is: addresses (qp.c),
 * QP, R_Key, PSN and VA in the window, and that it is not here already. What
 * fails is dropped without an answer; what is forged from all these numbers
 * costs its price and no more: one packet out for one in, not longer than that
 * one, and one retransmission.
 *
 * Trimmed, damaged and missing packets are evidence against the path they came
 * by, for ALWAYS_SKIP; which are enough of it is up to suspect.c.
 */
#include <linux/slab.h>

#include "input.h"
#include "limit.h"
#include "suspect.h"
#include "transport.h"

/* NACKs for trims: one each 250 ns, the rate of full packets on a 130 Gb/s
 * line, beyond a first window of them. Ours.
 */
#define MRC_TRIM_NACK_NS	250

/* Other answers that nobody needs often, or that are longer than the question:
 * so many at once, then one in this time. Ours.
 */
#define MRC_ANSWER_NS		(100 * NSEC_PER_USEC)
#define MRC_ANSWER_BURST	16

/* ---- suspects ------------------------------------------------------------ */

/* How the path of an EV is named: all EVs of a path are one, if we know them. */
static u32 mrc_suspect_key(const struct mrc_qp *qp, u32 ev)
{
	return qp->p.ev_layout ? mrc_ev_plane(ev) << 16 | mrc_ev_path(ev) : ev;
}

static struct mrc_suspects *mrc_suspects_make(struct mrc_qp *qp)
{
	if (!qp->rsp.suspects)
		qp->rsp.suspects = kzalloc(sizeof(*qp->rsp.suspects),
					   GFP_ATOMIC | __GFP_NOWARN);
	return qp->rsp.suspects;
}

void mrc_rsp_saw(struct mrc_qp *qp, u64 psn, u32 n, bool rtx, bool ahead,
		 const struct mrc_rx *rx)
{
	struct mrc_suspects *s = qp->rsp.suspects;
	u32 key = mrc_suspect_key(qp, rx->ev);

	/* while all comes in order there is nothing to be seen */
	if (!s && ahead)
		s = mrc_suspects_make(qp);
	if (!s || rx->ev == MRC_EV_NONE)
		return;
	for (; n; n--, psn++)
		mrc_suspect_saw(s, key, rx->ev, rx->plane, psn, rtx);
}

/* Damage may be anywhere: it counts if R_Key and PSN are none the worse. */
void mrc_rsp_damaged(struct mrc_qp *qp, const struct sk_buff *skb,
		     unsigned int off, unsigned int len,
		     const struct mrc_rx *rx)
{
	u8 buf[MRC_HDR_DATA_MAX], *p;
	struct mrc_suspects *s;
	struct mrc_data d;
	u64 psn;
	u32 key;

	len = min_t(unsigned int, len, sizeof(buf));
	p = skb_header_pointer(skb, off, len, buf);
	if (!p || mrc_wire_parse_trimmed(p, len, qp->p.payload, &d) ||
	    d.bth.dqpn != qp->qpn.qpn || d.rkey != qp->p.rx_rkey)
		return;
	psn = mrc_psn_expand(qp->rsp.bm.base, d.bth.psn);
	if (psn < qp->rsp.bm.base || psn >= qp->rsp.bm.base + qp->p.rx_mpr ||
	    rx->ev == MRC_EV_NONE)
		return;
	s = mrc_suspects_make(qp);
	if (!s)
		return;
	key = mrc_suspect_key(qp, rx->ev);
	/* once for all: it is not missing as well */
	mrc_suspect_came(s, key, rx->ev, rx->plane, psn, d.bth.rtx);
	mrc_suspect_lost(s, key);
}

bool mrc_rsp_suspects(const struct mrc_qp *qp, const struct mrc_rx *rx)
{
	const struct mrc_suspects *s = qp->rsp.suspects;

	return s && mrc_suspect_is_bad(s, mrc_suspect_key(qp, rx->ev));
}

bool mrc_rsp_accuses(struct mrc_qp *qp, const struct mrc_rx *rx)
{
	if (!mrc_rsp_suspects(qp, rx))
		return false;
	mrc_suspect_told(qp->rsp.suspects, mrc_suspect_key(qp, rx->ev));
	MRC_INC(qp->mnet, ALWAYS_SKIP);
	return true;
}

/* A trim is evidence, but not of a loss. On the last hop it is none. */
static void mrc_trim_note(struct mrc_qp *qp, u64 psn, bool rtx,
			  const struct mrc_rx *rx)
{
	struct mrc_suspects *s = mrc_suspects_make(qp);
	u32 key = mrc_suspect_key(qp, rx->ev);

	if (!s || rx->ev == MRC_EV_NONE)
		return;
	mrc_suspect_came(s, key, rx->ev, rx->plane, psn, rtx);
	if (rx->trim == MRC_TRIM_HOP)
		mrc_suspect_trimmed(s, key);
}

/* ---- trims --------------------------------------------------------------- */

/* May an answer go out that is worth little? */
bool mrc_rsp_may_answer(struct mrc_qp *qp)
{
	return mrc_limit_ok(&qp->rsp.answer_at, mrc_now(), MRC_ANSWER_NS,
			    MRC_ANSWER_BURST);
}

/* May a NACK answer @bytes of a trimmed packet? */
static bool mrc_trim_may_nack(struct mrc_qp *qp, unsigned int bytes)
{
	unsigned int len = MRC_LEN_NACK_KEY + (qp->p.icrc ? MRC_LEN_ICRC : 0);

	if (bytes < len)
		return mrc_rsp_may_answer(qp);
	return mrc_limit_ok(&qp->rsp.trim_at, mrc_now(), MRC_TRIM_NACK_NS,
			    qp->p.rx_mpr);
}

/* The whole packet is here already; its SACK may be lost. */
static void mrc_trim_dup(struct mrc_qp *qp, u64 psn, const struct mrc_rx *rx)
{
	struct mrc_run run = { .first = psn, .last = psn, .trigger = psn,
			       .n = 1 };

	qp->stats.dup++;
	if (rx->seg >= MRC_LEN_SACK_PROF + MRC_LEN_ICRC &&
	    mrc_rsp_may_answer(qp))
		mrc_rsp_send_sack(qp, &run, rx, NULL);
}

/*
 * A path that trims all brings nothing that would trigger a SACK, so the
 * trimmed packet does if its path is to be called bad. The peer must have it
 * before the NACK, upon which the packet has another EV: both go back one way.
 */
static bool mrc_trim_accuse(struct mrc_qp *qp, u64 psn, const struct mrc_rx *rx)
{
	struct mrc_run run = { .first = psn, .last = psn, .trigger = psn,
			       .n = 1, .again = true };

	if (!mrc_rsp_suspects(qp, rx) || !mrc_rsp_may_answer(qp))
		return false;
	mrc_rsp_send_sack(qp, &run, rx, NULL);
	return true;
}

/* What is left of a data packet. Return: 0 or -MRC_DROP_*. */
int mrc_rsp_trimmed(struct mrc_qp *qp, const struct sk_buff *skb)
{
	struct mrc_rx rx = *MRC_RX(skb);
	u8 buf[MRC_HDR_DATA_MAX], *p;
	struct mrc_seg seg = {};
	struct mrc_data d;
	bool accused;
	u64 psn;
	int err;

	p = skb_header_pointer(skb, 0, skb->len, buf);
	if (!p)
		return -MRC_DROP_SHORT;
	err = mrc_wire_parse_trimmed(p, skb->len, qp->p.payload, &d);
	if (err)
		return err;
	if (d.rkey != qp->p.rx_rkey)
		return -MRC_DROP_RKEY;
	psn = mrc_psn_expand(qp->rsp.bm.base, d.bth.psn);
	if (psn >= qp->rsp.bm.base + qp->p.rx_mpr)
		return -MRC_DROP_PSN_ABOVE;
	if (psn < qp->rsp.bm.base || mrc_bitmap_test(&qp->rsp.bm, psn)) {
		mrc_trim_dup(qp, psn, &rx);
		return -MRC_DROP_DUP;
	}
	seg.va = d.va;
	seg.len = d.len;
	err = mrc_rsp_va(qp, psn, &seg);
	if (err)
		return err;
	if (!mrc_trim_may_nack(qp, rx.seg))
		return -MRC_DROP_RATE;
	mrc_trim_note(qp, psn, d.bth.rtx, &rx);
	accused = mrc_trim_accuse(qp, psn, &rx);
	mrc_rsp_send_nack(qp, rx.trim == MRC_TRIM_LASTHOP ?
			  MRC_NACK_TRIMMED_LASTHOP : MRC_NACK_TRIMMED, psn,
			  &rx, accused);
	return 0;
}
