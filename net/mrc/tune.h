/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sizes of buffers that nobody has set (pure): they follow what a connection
 * moves in a round trip.
 */
#ifndef _NET_MRC_TUNE_H
#define _NET_MRC_TUNE_H

#include <linux/types.h>

/* Neither buffer is made larger than this, bytes: twice what the PSN range
 * (MRC_MPR_DEFAULT packets of 4096 bytes) lets in.
 */
#define MRC_TUNE_MAX	(32 * 1024 * 1024)

int mrc_tune_rcvbuf(int rcvbuf, u64 bytes, u64 time, u32 rtt);
int mrc_tune_sndbuf(int sndbuf, u32 cwnd);

#endif
