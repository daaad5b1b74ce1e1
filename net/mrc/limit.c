// SPDX-License-Identifier: GPL-2.0
/*
 * A rate limit in eight bytes (pure: time is passed in): the generic cell rate
 * algorithm, which is a token bucket that remembers only when it is full.
 */
#include <linux/minmax.h>

#include "limit.h"

/**
 * mrc_limit_ok() - may this happen once more?
 * @spent_until: state, 0 to begin with: the time at which all tokens are there
 *	again
 * @now: ns
 * @interval: ns in which one token comes
 * @burst: tokens at most, 1 or more
 *
 * Context: Serialised by the owner of @spent_until.
 * Return: true if so, and a token is taken.
 */
bool mrc_limit_ok(u64 *spent_until, u64 now, u64 interval, u32 burst)
{
	u64 at = max(*spent_until, now);

	if (at - now > (burst - 1) * interval)
		return false;
	*spent_until = at + interval;
	return true;
}
