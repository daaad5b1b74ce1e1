// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes of buffers. See tune.h.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "tune.h"

/**
 * mrc_tune_rcvbuf() - how large should the receive buffer be?
 * @rcvbuf: its size now, bytes
 * @bytes: read by the user in the last @time
 * @time: at least @rtt, ns
 * @rtt: round-trip time, ns
 *
 * The window is half of the buffer. If more than half of that was read in a
 * round trip, the window may have been what held the peer back: there should
 * be twice as much as was read, as for TCP.
 *
 * Context: any.
 * Return: bytes, never less than @rcvbuf.
 */
int mrc_tune_rcvbuf(int rcvbuf, u64 bytes, u64 time, u32 rtt)
{
	u64 trip = bytes;

	if (time > rtt)
		trip = div64_u64(min_t(u64, bytes, U32_MAX) * rtt, time);
	if (trip <= rcvbuf / 4 || rcvbuf >= MRC_TUNE_MAX)
		return rcvbuf;
	return clamp_t(u64, 4 * trip, rcvbuf, MRC_TUNE_MAX);
}

/**
 * mrc_tune_sndbuf() - how large should the send buffer be?
 * @sndbuf: its size now, bytes
 * @cwnd: congestion window, bytes
 *
 * A window in flight, and one that waits.
 *
 * Context: any.
 * Return: bytes, never less than @sndbuf.
 */
int mrc_tune_sndbuf(int sndbuf, u32 cwnd)
{
	return max_t(u64, sndbuf, min_t(u64, 2ULL * cwnd, MRC_TUNE_MAX));
}
