/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One kernel interface for the whole module, whatever kernel it is built
 * for: that of the newest one. What an older kernel lacks is made up for
 * here, guided by compile probes (compat-probe.sh) and never by version. No
 * other file looks at MRC_HAVE_* or at the kernel's version.
 */
#ifndef _MRC_COMPAT_H
#define _MRC_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error "MRC needs Linux 6.12 or newer: build against a newer kernel (KDIR=...)"
#endif

#include <linux/hrtimer.h>
#include <linux/net.h>
#include <linux/skbuff.h>
#include <linux/timer.h>

#include "compat-gen.h"

#ifndef MRC_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

#ifndef MRC_HAVE_TIMER_CONTAINER_OF
#define timer_container_of(var, timer, field) from_timer(var, timer, field)
#endif

#ifndef MRC_HAVE_SOCKADDR_UNSIZED
#define sockaddr_unsized sockaddr
#endif

static inline struct ubuf_info *mrc_zerocopy_alloc(struct sock *sk, size_t size)
{
#ifdef MRC_HAVE_ZEROCOPY_DEVMEM
	return msg_zerocopy_realloc(sk, size, NULL, false);
#else
	return msg_zerocopy_realloc(sk, size, NULL);
#endif
}

#endif /* _MRC_COMPAT_H */
