/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A rate limit in eight bytes (pure: time is passed in).
 */
#ifndef _NET_MRC_LIMIT_H
#define _NET_MRC_LIMIT_H

#include <linux/types.h>

bool mrc_limit_ok(u64 *spent_until, u64 now, u64 interval, u32 burst);

#endif
