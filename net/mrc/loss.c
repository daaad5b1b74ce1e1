// SPDX-License-Identifier: GPL-2.0
/*
 * The two rules of loss, the back-off, and which copy it was. See loss.h.
 */
#include <linux/minmax.h>

#include "loss.h"

/**
 * mrc_loss_by_path - the path rule
 * @l: packet and path
 *
 * Numbers and serials are compared modulo 2^32.
 *
 * Context: any.
 * Return: true if the packet is lost.
 */
bool mrc_loss_by_path(const struct mrc_loss_path *l)
{
	if ((s32)(l->acked - l->seq) <= 0)
		return false;
	return (s32)(l->serial - l->acked_serial) >= 0;
}

/**
 * mrc_loss_backoff - an interval after so many timeouts
 * @interval: ns
 * @n: timeouts without progress before this one
 *
 * Context: any.
 * Return: @interval, doubled for each timeout above MRC_LOSS_LINEAR, at most
 * MRC_LOSS_CAP_NS (but never less than @interval), ns.
 */
u64 mrc_loss_backoff(u64 interval, unsigned int n)
{
	unsigned int shift = n > MRC_LOSS_LINEAR ? n - MRC_LOSS_LINEAR : 0;
	u64 cap = max(interval, MRC_LOSS_CAP_NS);

	if (shift >= 63 || interval > cap >> shift)
		return cap;
	return interval << shift;
}

/**
 * mrc_loss_alive - has anything come back that was sent after the packet?
 * @l: packet and plane
 *
 * What was sent in the same instant does not count: a packet may have been
 * queued behind it. But on a plane that was never heard of it does, or the
 * first packets of a connection would wait for a timeout.
 *
 * Context: any.
 * Return: true if so.
 */
bool mrc_loss_alive(const struct mrc_loss_time *l)
{
	return l->newest_acked > l->sent_at ||
	       (l->unheard && l->newest_acked == l->sent_at);
}

/**
 * mrc_loss_deadline - the time rule
 * @l: packet and plane
 *
 * Context: any.
 * Return: when the packet counts as lost, ns on the clock of @l->sent_at.
 */
u64 mrc_loss_deadline(const struct mrc_loss_time *l)
{
	if (mrc_loss_alive(l) && l->srtt)
		return l->sent_at + max3(l->srtt, l->age, l->trip) + l->tolerance;
	return l->sent_at + mrc_loss_backoff(l->rto, l->backoff);
}

/**
 * mrc_loss_copy - which copy of a packet has triggered a SACK
 * @c: packet and SACK
 *
 * Of two copies the last one is known by its EV if the first took another path.
 * It was the first if the SACK names another EV than that of the last, or if
 * the last was sent so short a time ago that it cannot have been there yet:
 * half the base of its plane, since a plane that was never seen idle is quicker
 * than its base says. Of more copies nothing is known.
 *
 * Context: any.
 * Return: MRC_COPY_*.
 */
enum mrc_copy mrc_loss_copy(const struct mrc_loss_copy *c)
{
	if (c->tx == 1)
		return MRC_COPY_LAST;
	if (c->tx != 2)
		return MRC_COPY_UNKNOWN;
	if (!c->no_ev && c->sack_ev != c->ev)
		return MRC_COPY_FIRST;
	if (!c->no_ev && !c->same_path)
		return MRC_COPY_LAST;
	return c->age < c->base / 2 ? MRC_COPY_FIRST : MRC_COPY_UNKNOWN;
}
