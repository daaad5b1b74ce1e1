/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of MRC: bursts sent, SACKs, losses, path changes, connection
 * states, drops. "perf trace -e 'mrc:*'" or tracefs.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mrc

#if !defined(_TRACE_MRC_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_MRC_H

#include <linux/in6.h>
#include <linux/tracepoint.h>

TRACE_EVENT(mrc_send,
	TP_PROTO(u32 qpn, u32 psn, unsigned int packets, u32 ev, u8 plane,
		 bool rtx, int err),
	TP_ARGS(qpn, psn, packets, ev, plane, rtx, err),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, packets)
		__field(u32, ev)
		__field(u8, plane)
		__field(bool, rtx)
		__field(int, err)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->psn = psn;
		__entry->packets = packets;
		__entry->ev = ev;
		__entry->plane = plane;
		__entry->rtx = rtx;
		__entry->err = err;
	),
	TP_printk("qpn=%#x psn=%u packets=%u ev=%#010x plane=%u rtx=%d err=%d",
		  __entry->qpn, __entry->psn, __entry->packets, __entry->ev,
		  __entry->plane, __entry->rtx, __entry->err)
);

TRACE_EVENT(mrc_sack,
	TP_PROTO(u32 qpn, u32 serial, u32 cack, u32 acked, u32 inflight,
		 u32 rtt_ns, u8 mark),
	TP_ARGS(qpn, serial, cack, acked, inflight, rtt_ns, mark),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, serial)
		__field(u32, cack)
		__field(u32, acked)
		__field(u32, inflight)
		__field(u32, rtt_ns)
		__field(u8, mark)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->serial = serial;
		__entry->cack = cack;
		__entry->acked = acked;
		__entry->inflight = inflight;
		__entry->rtt_ns = rtt_ns;
		__entry->mark = mark;
	),
	TP_printk("qpn=%#x serial=%u cack=%u acked=%u inflight=%u rtt=%uns m=%u",
		  __entry->qpn, __entry->serial, __entry->cack,
		  __entry->acked, __entry->inflight, __entry->rtt_ns,
		  __entry->mark)
);

TRACE_EVENT(mrc_lost,
	TP_PROTO(u32 qpn, u32 psn, u32 ev, u8 plane, u64 age_ns,
		 const char *why),
	TP_ARGS(qpn, psn, ev, plane, age_ns, why),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, ev)
		__field(u8, plane)
		__field(u64, age_ns)
		__string(why, why)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->psn = psn;
		__entry->ev = ev;
		__entry->plane = plane;
		__entry->age_ns = age_ns;
		__assign_str(why);
	),
	TP_printk("qpn=%#x psn=%u ev=%#010x plane=%u age=%lluns why=%s",
		  __entry->qpn, __entry->psn, __entry->ev, __entry->plane,
		  __entry->age_ns, __get_str(why))
);

TRACE_EVENT(mrc_path,
	TP_PROTO(const struct in6_addr *remote, u8 plane, u16 path, u8 state,
		 u8 why),
	TP_ARGS(remote, plane, path, state, why),
	TP_STRUCT__entry(
		__array(u8, remote, 16)
		__field(u8, plane)
		__field(u16, path)
		__field(u8, state)
		__field(u8, why)
	),
	TP_fast_assign(
		memcpy(__entry->remote, remote, 16);
		__entry->plane = plane;
		__entry->path = path;
		__entry->state = state;
		__entry->why = why;
	),
	TP_printk("peer=%pI6c plane=%u path=%u state=%u why=%u",
		  __entry->remote, __entry->plane, __entry->path,
		  __entry->state, __entry->why)
);

TRACE_EVENT(mrc_conn_state,
	TP_PROTO(u32 qpn, u8 old_state, u8 new_state),
	TP_ARGS(qpn, old_state, new_state),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u8, old_state)
		__field(u8, new_state)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->old_state = old_state;
		__entry->new_state = new_state;
	),
	TP_printk("qpn=%#x state=%u->%u", __entry->qpn, __entry->old_state,
		  __entry->new_state)
);

TRACE_EVENT(mrc_drop,
	TP_PROTO(const char *reason),
	TP_ARGS(reason),
	TP_STRUCT__entry(
		__string(reason, reason)
	),
	TP_fast_assign(
		__assign_str(reason);
	),
	TP_printk("reason=%s", __get_str(reason))
);

#endif /* _TRACE_MRC_H */

/* Out of the kernel's tree: found through -I. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH trace/events
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE mrc
#include <trace/define_trace.h>
