/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the trimming switch and who sets it up agree on.
 */
#ifndef MRC_LAB_TRIM_H
#define MRC_LAB_TRIM_H

/* Which lengths of a trimmed packet are made right. */
enum trim_repair {
	TRIM_REPAIR_NONE,
	TRIM_REPAIR_OUTER,	/* of the first IPv6 header */
	TRIM_REPAIR_ALL,	/* of all headers */
};

#define TRIM_SHIFT	10	/* of ns_per_byte */

/**
 * struct trim_conf - what the switch does on one port
 * @ns_per_byte: rate of the virtual queue, ns per byte << TRIM_SHIFT; 0: there
 *	is none
 * @depth_ns: longer than this it trims, ns
 * @mark_ns: longer than this it marks CE, ns; 0: never
 * @every: trims every so many-th packet; 0: none
 * @but: trims all but every so many-th; 0: none
 * @mark_every: marks every so many-th packet; 0: none
 * @swap: damages every so many-th so that the UDP checksum stays right; 0: none
 * @size: bytes that are left of a frame, with its Ethernet header
 * @frame_max: what is longer is no single packet
 * @dscp_data: what is trimmed or marked: data
 * @dscp_rtx: and retransmissions
 * @dscp: what trimmed packets get
 * @repair: enum trim_repair
 */
struct trim_conf {
	__u64	ns_per_byte;
	__u64	depth_ns;
	__u64	mark_ns;
	__u32	every;
	__u32	but;
	__u32	mark_every;
	__u32	swap;
	__u32	size;
	__u32	frame_max;
	__u8	dscp_data;
	__u8	dscp_rtx;
	__u8	dscp;
	__u8	repair;
};

/**
 * struct trim_state - the virtual queue and the counters of one port
 * @lock: of all
 * @empty_at: when the virtual queue is empty, ktime ns
 * @seen: packets that may be trimmed or marked, long enough to be
 * @trimmed: of these, trimmed
 * @marked: of these, marked
 * @bursts: skbs with several packets, which it lets pass: there should be none
 */
struct trim_state {
	struct bpf_spin_lock lock;
	__u64	empty_at;
	__u64	seen;
	__u64	trimmed;
	__u64	marked;
	__u64	bursts;
};

#endif
