/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one clock of a run, CLOCK_MONOTONIC in ns, for the programs in it. None of
 * them polls it: under virtual time that would never end.
 */
#ifndef _VT_CLOCK_H
#define _VT_CLOCK_H

#include <errno.h>
#include <time.h>

#define NS_PER_S	1000000000LL
#define NS_PER_MS	1000000LL

static inline long long clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static inline long long now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* As exact as PR_SET_TIMERSLACK lets it be: 50 us, if nobody has set it. */
static inline void sleep_until(long long ns)
{
	struct timespec t = { ns / NS_PER_S, ns % NS_PER_S };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) ==
	       EINTR)
		;
}

#endif
