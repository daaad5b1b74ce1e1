/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The MRC wire: every header, its value in host order, parse and build.
 *
 * Three parts. (1) Packed structs, byte for byte as they travel. (2) Values in
 * host order, what the rest of the module works with. (3) Functions from the
 * one to the other. Pure: no skb, no sock, no time; the parsers also build in
 * user space.
 *
 * Lengths: "a packet" begins at the BTH and ends with the UDP payload. Control
 * packets (all but data) are parsed and built WITHOUT their ICRC: check it
 * with mrc_icrc_check() and cut it off first, append it with mrc_icrc_put()
 * last. MRC_LEN_xxx never count the ICRC.
 *
 * Parsers return 0 or -MRC_DROP_xxx (mib.h). Reserved bits are built as 0 and
 * ignored when parsed; reserved code points are errors with their own names.
 * Connection management has its own header, wire_cm.h.
 * What is MRC 1.0, what is ours and what is open: mrc-wire.rst.
 */
#ifndef _MRC_WIRE_H
#define _MRC_WIRE_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#include "mib.h"
#include "psn.h"

/* BTH opcodes */
#define MRC_OP_WRITE_FIRST	0xc6
#define MRC_OP_WRITE_MIDDLE	0xc7
#define MRC_OP_WRITE_LAST	0xc8
#define MRC_OP_WRITE_LAST_IMM	0xc9
#define MRC_OP_WRITE_ONLY	0xca
#define MRC_OP_WRITE_ONLY_IMM	0xcb
#define MRC_OP_ACK		0xd1
#define MRC_OP_EP_REQ		0xd8
#define MRC_OP_EP_RSP		0xd9
#define MRC_OP_SACK		0xdc
#define MRC_OP_NACK		0xdd
#define MRC_OP_PROBE		0xde
#define MRC_OP_CM		0xdf	/* ours */

/* Reserved queue pairs; QPNs have 24 bits and connections use 3 and up. */
#define MRC_QPN_CM		1	/* ours */
#define MRC_QPN_ENDPOINT	2
#define MRC_QPN_MIN		3
#define MRC_QPN_MASK		0xffffffU

#define MRC_PKEY		0xffff	/* default partition, full member */
#define MRC_PKEY_MASK		0x7fff	/* bit 15 is the kind of membership */

/* Bits of BTH byte 8 */
#define MRC_BTH_ACK_REQ		0x80
#define MRC_BTH_RTX		0x20
#define MRC_BTH_TS		0x10

/*
 * Next-header codes of control headers. 0 is MRC's; the others are ours, at
 * the top of the 5-bit space, and may have to move: nowhere else.
 */
#define MRC_NXT_NONE		0
#define MRC_NXT_PROFILE		0x1e	/* profile header after SETH+CC_STATE */
#define MRC_NXT_KEY		0x1f	/* control key after NETH, PETH */

/* SETH m: what the responder says of the triggering packet's path */
#define MRC_MARK_NONE		0
#define MRC_MARK_SKIP_ONCE	1	/* arrived with CE */
#define MRC_MARK_ALWAYS_SKIP	2	/* judged bad by the responder */

/* cc_type of CC_STATE and of NETH */
#define MRC_CC_TYPE_SACK	0
#define MRC_CC_TYPE_NACK	2

/* NETH reason */
#define MRC_NACK_TRIMMED	0x01
#define MRC_NACK_TRIMMED_LASTHOP 0x02
#define MRC_NACK_NO_BITMAP	0x06
#define MRC_NACK_NO_PKT_BUFFER	0x07
#define MRC_NACK_NO_RESOURCE	0x0a
#define MRC_NACK_PSN_OOR_WINDOW	0x0b
#define MRC_NACK_UNEXP_EVENT	0x19

/* AETH syndrome: IBTA. Bits 6:5 are the kind, 4:0 credits or NAK code. */
#define MRC_AETH_ACK		0x1f	/* ACK, credits always 1f */
#define MRC_AETH_NAK_PSN	0x60	/* PSN sequence error */
#define MRC_AETH_NAK_INVALID	0x61	/* invalid request */
#define MRC_AETH_NAK_ACCESS	0x62	/* remote access error */
#define MRC_AETH_NAK_OPER	0x63	/* remote operational error */

/* Endpoint op */
#define MRC_EP_PORT_STATUS	0
#define MRC_EP_EV_PROBE		1

/* Timestamps: ftype is always 1; tsr 0 counts units of 128 ns. */
#define MRC_FTYPE		1
#define MRC_TS_SHIFT		7

/* rcv_cwnd_pen is 0 .. 127; rcvd_bytes counts units of 256 bytes */
#define MRC_PEN_MAX		127
#define MRC_RCVD_SHIFT		8
#define MRC_RCVD_MASK		0xffffffU

/* mpr8 counts units of 128 PSNs; 32,640 is the most it can say. */
#define MRC_MPR_SHIFT		7
#define MRC_MPR_MAX		(255 << MRC_MPR_SHIFT)

/* Flags in the immediate of the socket profile; unknown bits are an error. */
#define MRC_IMM_EOR		0x00000001	/* the message ends here */
#define MRC_IMM_FIN		0x00000002	/* the stream ends here */
#define MRC_IMM_KNOWN		(MRC_IMM_EOR | MRC_IMM_FIN)

/*
 * (1) Headers as they travel
 */

/**
 * struct mrc_hdr_bth - base transport header (MRC 6-3, 6-4)
 * @opcode: MRC_OP_xxx
 * @se_pad: SE1 M1 pad2 tver4
 * @pkey: partition key, ffff
 * @variant: masked in the ICRC
 * @dqpn: destination queue pair, 24 bits
 * @flags: A1 (ack request) R1 RTX1 TS1 res4
 * @psn: packet sequence number, 24 bits
 */
struct mrc_hdr_bth {
	u8	opcode;
	u8	se_pad;
	__be16	pkey;
	u8	variant;
	u8	dqpn[3];
	u8	flags;
	u8	psn[3];
} __packed;

/**
 * struct mrc_hdr_meth - message header (MRC 6-8, 6-9)
 * @rqmsn: number of the last Write-with-Immediate
 * @msn: number of the message, the same in all its packets
 */
struct mrc_hdr_meth {
	__be16	rqmsn;
	__be16	msn;
} __packed;

/**
 * struct mrc_hdr_tseth - timestamp, present if BTH.TS (MRC 6-6, 6-7)
 * @ts: transmit timestamp
 * @tsr_ftype: tsr1 res11 ftype4
 */
struct mrc_hdr_tseth {
	__be16	ts;
	__be16	tsr_ftype;
} __packed;

/**
 * struct mrc_hdr_reth - RDMA header, in every data packet (MRC 6-5)
 * @va: address of this packet's first byte
 * @rkey: key of the memory region
 * @dma_len: length of the whole message in bytes, in each of its packets
 */
struct mrc_hdr_reth {
	__be64	va;
	__be32	rkey;
	__be32	dma_len;
} __packed;

/**
 * struct mrc_hdr_imm - immediate data, after RETH
 * @imm: the immediate
 */
struct mrc_hdr_imm {
	__be32	imm;
} __packed;

/**
 * struct mrc_hdr_seth - selective acknowledgment (MRC 7-12, 7-13)
 * @type_nxt: type4 nxt5 m2 res3 pr1 res1
 * @ack_off: ack_psn - cack_psn, signed; the probe_id if pr
 * @ev: entropy value of the packet that triggered this SACK, or 0
 * @spdcid: low half of the sender's QPN (open)
 * @dpdcid: low half of the destination's QPN (open)
 * @res0: reserved
 * @cack: highest PSN below the first gap, 24 bits
 * @cc_type: cc_type4 cc_fl4
 * @mpr: units of 128 PSNs, 0 = dynamic MPR off
 * @sack_off: PSN of bit 0 of @bitmap - cack_psn, signed
 * @bitmap: bit i set: that PSN + i was received
 */
struct mrc_hdr_seth {
	__be16	type_nxt;
	__be16	ack_off;
	__be32	ev;
	__be16	spdcid;
	__be16	dpdcid;
	u8	res0;
	u8	cack[3];
	u8	cc_type;
	u8	mpr;
	__be16	sack_off;
	__be64	bitmap;
} __packed;

/**
 * struct mrc_hdr_cc - CC_STATE, after SETH (MRC 7-14, 7-15)
 * @ts: reflected transmit timestamp
 * @ooo: res1 ooo_count15
 * @pen: restore_cwnd1 rcv_cwnd_pen7
 * @rcvd: bytes received, cumulative, in units of 256, 24 bits
 */
struct mrc_hdr_cc {
	__be16	ts;
	__be16	ooo;
	u8	pen;
	u8	rcvd[3];
} __packed;

/**
 * struct mrc_hdr_prof - socket profile header, after CC_STATE (ours)
 * @next_va: next expected VA, cumulative
 * @max_va: highest acceptable VA: data may end here, not beyond
 * @key: control key that the receiver of the SACK gave at set-up
 * @serial: number of this SACK
 * @base: PSN of bit 0 of @bitmap in the low 24 bits
 * @bitmap: second exact bitmap, the cursor over words that hold a gap
 */
struct mrc_hdr_prof {
	__be64	next_va;
	__be64	max_va;
	__be32	key;
	__be32	serial;
	__be32	base;
	__be64	bitmap;
} __packed;

/**
 * struct mrc_hdr_neth - negative acknowledgment (MRC 7-16, 7-17)
 * @type_nxt: type4 nxt5 res7
 * @reason: MRC_NACK_xxx
 * @vendor: vendor's detail
 * @ev: entropy value of the packet
 * @spdcid: low half of the sender's QPN (open)
 * @dpdcid: low half of the destination's QPN (open)
 * @res0: reserved
 * @psn: PSN of the packet, 24 bits
 * @cc_type: cc_type4 (= 2) cc_fl4
 * @res1: reserved
 * @ts: reflected transmit timestamp
 */
struct mrc_hdr_neth {
	__be16	type_nxt;
	u8	reason;
	u8	vendor;
	__be32	ev;
	__be16	spdcid;
	__be16	dpdcid;
	u8	res0;
	u8	psn[3];
	u8	cc_type;
	u8	res1;
	__be16	ts;
} __packed;

/**
 * struct mrc_hdr_peth - reliability probe (MRC 7-18, 7-19)
 * @type_nh: type4 nh5 res7
 * @res0: reserved
 * @vendor: vendor's detail
 * @probe_id: echoed by the SACK that answers
 * @res1: reserved
 * @spdcid: low half of the sender's QPN (open)
 * @dpdcid: low half of the destination's QPN (open)
 * @ts: transmit timestamp
 * @tsr_ftype: tsr1 res11 ftype4
 */
struct mrc_hdr_peth {
	__be16	type_nh;
	u8	res0;
	u8	vendor;
	__be16	probe_id;
	__be16	res1;
	__be16	spdcid;
	__be16	dpdcid;
	__be16	ts;
	__be16	tsr_ftype;
} __packed;

/**
 * struct mrc_hdr_erth - endpoint request (MRC 7-20, 7-21)
 * @type_nxt: type4 nxt5 res5 op2
 * @res0: reserved
 * @vendor: vendor's detail
 * @ports: bit n - 1 set: the sender's port n is reachable
 * @res1: reserved
 * @ts: transmit timestamp
 * @tsr_ftype: tsr1 res11 ftype4
 */
struct mrc_hdr_erth {
	__be16	type_nxt;
	u8	res0;
	u8	vendor;
	__be32	ports;
	__be32	res1;
	__be16	ts;
	__be16	tsr_ftype;
} __packed;

/**
 * struct mrc_hdr_eeth - endpoint response (MRC 7-22, 7-23)
 * @type_nxt: type4 nxt5 res3 op2 res2 (place of op: open)
 * @res0: reserved
 * @ts: reflected transmit timestamp
 * @res1: reserved
 */
struct mrc_hdr_eeth {
	__be16	type_nxt;
	u8	res0[26];
	__be16	ts;
	u8	res1[6];
} __packed;

/**
 * struct mrc_hdr_aeth - transport acknowledgment (IBTA)
 * @syndrome: MRC_AETH_xxx
 * @msn: message number, 24 bits
 */
struct mrc_hdr_aeth {
	u8	syndrome;
	u8	msn[3];
} __packed;

/**
 * struct mrc_hdr_key - control key, ends NACK, PROBE and transport NAK (ours)
 * @key: key that the receiver of the packet gave at set-up
 */
struct mrc_hdr_key {
	__be32	key;
} __packed;

static_assert(sizeof(struct mrc_hdr_bth) == 12);
static_assert(offsetof(struct mrc_hdr_bth, dqpn) == 5);
static_assert(offsetof(struct mrc_hdr_bth, flags) == 8);
static_assert(offsetof(struct mrc_hdr_bth, psn) == 9);
static_assert(sizeof(struct mrc_hdr_meth) == 4);
static_assert(sizeof(struct mrc_hdr_tseth) == 4);
static_assert(sizeof(struct mrc_hdr_reth) == 16);
static_assert(offsetof(struct mrc_hdr_reth, rkey) == 8);
static_assert(offsetof(struct mrc_hdr_reth, dma_len) == 12);
static_assert(sizeof(struct mrc_hdr_imm) == 4);
static_assert(sizeof(struct mrc_hdr_seth) == 28);
static_assert(offsetof(struct mrc_hdr_seth, ack_off) == 2);
static_assert(offsetof(struct mrc_hdr_seth, ev) == 4);
static_assert(offsetof(struct mrc_hdr_seth, spdcid) == 8);
static_assert(offsetof(struct mrc_hdr_seth, cack) == 13);
static_assert(offsetof(struct mrc_hdr_seth, mpr) == 17);
static_assert(offsetof(struct mrc_hdr_seth, sack_off) == 18);
static_assert(offsetof(struct mrc_hdr_seth, bitmap) == 20);
static_assert(sizeof(struct mrc_hdr_cc) == 8);
static_assert(offsetof(struct mrc_hdr_cc, pen) == 4);
static_assert(offsetof(struct mrc_hdr_cc, rcvd) == 5);
static_assert(sizeof(struct mrc_hdr_prof) == 36);
static_assert(offsetof(struct mrc_hdr_prof, key) == 16);
static_assert(offsetof(struct mrc_hdr_prof, serial) == 20);
static_assert(offsetof(struct mrc_hdr_prof, base) == 24);
static_assert(offsetof(struct mrc_hdr_prof, bitmap) == 28);
static_assert(sizeof(struct mrc_hdr_neth) == 20);
static_assert(offsetof(struct mrc_hdr_neth, ev) == 4);
static_assert(offsetof(struct mrc_hdr_neth, psn) == 13);
static_assert(offsetof(struct mrc_hdr_neth, cc_type) == 16);
static_assert(offsetof(struct mrc_hdr_neth, ts) == 18);
static_assert(sizeof(struct mrc_hdr_peth) == 16);
static_assert(offsetof(struct mrc_hdr_peth, probe_id) == 4);
static_assert(offsetof(struct mrc_hdr_peth, spdcid) == 8);
static_assert(offsetof(struct mrc_hdr_peth, ts) == 12);
static_assert(sizeof(struct mrc_hdr_erth) == 16);
static_assert(offsetof(struct mrc_hdr_erth, ports) == 4);
static_assert(offsetof(struct mrc_hdr_erth, ts) == 12);
static_assert(sizeof(struct mrc_hdr_eeth) == 36);
static_assert(offsetof(struct mrc_hdr_eeth, ts) == 28);
static_assert(sizeof(struct mrc_hdr_aeth) == 4);
static_assert(sizeof(struct mrc_hdr_key) == 4);

/* Lengths in bytes, each a whole packet or header, none with the ICRC. */
#define MRC_LEN_BTH		12
#define MRC_BTH_FIXED		8	/* of it, up to the QP: where a packet goes */
#define MRC_LEN_TSETH		4
#define MRC_LEN_IMM		4
#define MRC_LEN_ICRC		4
#define MRC_LEN_KEY		4
#define MRC_LEN_PROF		36
#define MRC_HDR_STREAM		32	/* BTH METH RETH */
#define MRC_HDR_STREAM_TS	(MRC_HDR_STREAM + MRC_LEN_TSETH)
#define MRC_HDR_DATA_MAX	(MRC_HDR_STREAM_TS + MRC_LEN_IMM)
#define MRC_LEN_SACK		48	/* BTH SETH CC_STATE */
#define MRC_LEN_SACK_PROF	(MRC_LEN_SACK + MRC_LEN_PROF)
#define MRC_LEN_NACK		32	/* BTH NETH */
#define MRC_LEN_NACK_KEY	(MRC_LEN_NACK + MRC_LEN_KEY)
#define MRC_LEN_PROBE		28	/* BTH PETH */
#define MRC_LEN_PROBE_KEY	(MRC_LEN_PROBE + MRC_LEN_KEY)
#define MRC_LEN_NAK		16	/* BTH AETH */
#define MRC_LEN_NAK_KEY		(MRC_LEN_NAK + MRC_LEN_KEY)
#define MRC_LEN_EP_REQ		28	/* BTH ERTH */
#define MRC_LEN_EP_RSP		48	/* BTH EETH */
/* Copy this much of a control packet (CM excepted) to parse it: all that any
 * of them has, and enough more to see that it is too long.
 */
#define MRC_LEN_CTRL_MAX	(MRC_LEN_SACK_PROF + 4)

/* Our questions are zero-padded at least to the length of their answers. */
#define MRC_LEN_PROBE_MIN	MRC_LEN_SACK_PROF
#define MRC_LEN_EP_REQ_MIN	MRC_LEN_EP_RSP

/*
 * Entropy values: plane 6 bits | path 15 | spread 11. The spread is never 0,
 * so neither an EV nor a UDP source port is ever 0; EV 0 means "none". The
 * low 16 bits travel as UDP source port, the high 16 as the low bits of the
 * IPv6 flow label (which half where: open).
 */
#define MRC_EV_NONE		0
#define MRC_EV_PLANE_BITS	6
#define MRC_EV_PATH_BITS	15
#define MRC_EV_SPREAD_BITS	11
#define MRC_EV_PLANE_MAX	((1U << MRC_EV_PLANE_BITS) - 1)
#define MRC_EV_PATH_MAX		((1U << MRC_EV_PATH_BITS) - 1)
#define MRC_EV_SPREAD_MAX	((1U << MRC_EV_SPREAD_BITS) - 1)
#define MRC_EV_PATH_SHIFT	MRC_EV_SPREAD_BITS
#define MRC_EV_PLANE_SHIFT	(MRC_EV_SPREAD_BITS + MRC_EV_PATH_BITS)
#define MRC_EV(plane, path, spread)					\
	(((u32)(plane) << MRC_EV_PLANE_SHIFT) |				\
	 ((u32)(path) << MRC_EV_PATH_SHIFT) | (u32)(spread))

static_assert(MRC_EV_PLANE_BITS + MRC_EV_PATH_BITS + MRC_EV_SPREAD_BITS == 32);

/* Parts of an EV of our own layout. */
static inline unsigned int mrc_ev_plane(u32 ev)
{
	return ev >> MRC_EV_PLANE_SHIFT;
}

static inline unsigned int mrc_ev_path(u32 ev)
{
	return (ev >> MRC_EV_PATH_SHIFT) & MRC_EV_PATH_MAX;
}

static inline unsigned int mrc_ev_spread(u32 ev)
{
	return ev & MRC_EV_SPREAD_MAX;
}

/* UDP source port of an EV, host order. */
static inline u16 mrc_ev_sport(u32 ev)
{
	return ev & 0xffff;
}

/* IPv6 flow label of an EV, host order; the upper 4 of its 20 bits are 0. */
static inline u32 mrc_ev_flow_label(u32 ev)
{
	return ev >> 16;
}

/* EV of a packet from its UDP source port and flow label, host order. */
static inline u32 mrc_ev_from_pkt(u16 sport, u32 flow_label)
{
	return (flow_label & 0xffff) << 16 | sport;
}

/*
 * (2) Values in host order
 */

/**
 * enum mrc_kind - what kind of packet an opcode announces
 * @MRC_KIND_DATA: RDMA Write, C6 .. CB
 * @MRC_KIND_SACK: selective acknowledgment
 * @MRC_KIND_NACK: negative acknowledgment
 * @MRC_KIND_PROBE: reliability probe
 * @MRC_KIND_NAK: transport ACK or NAK (AETH)
 * @MRC_KIND_ENDPOINT: endpoint request or response, QP 2
 * @MRC_KIND_CM: connection management, QP 1
 *
 * The values also travel: in the echo of a GONE.
 */
enum mrc_kind {
	MRC_KIND_DATA		= 1,
	MRC_KIND_SACK		= 2,
	MRC_KIND_NACK		= 3,
	MRC_KIND_PROBE		= 4,
	MRC_KIND_NAK		= 5,
	MRC_KIND_ENDPOINT	= 6,
	MRC_KIND_CM		= 7,
};

/**
 * struct mrc_bth - BTH
 * @dqpn: destination QP, 24 bits
 * @psn: PSN, 24 bits
 * @opcode: MRC_OP_xxx
 * @pad: padding bytes after the payload, 0 .. 3
 * @se: solicited event
 * @ack_req: an acknowledgment is asked for
 * @rtx: this is a retransmission
 * @ts: a TSETH follows METH
 */
struct mrc_bth {
	u32	dqpn;
	u32	psn;
	u8	opcode;
	u8	pad;
	bool	se;
	bool	ack_req;
	bool	rtx;
	bool	ts;
};

/**
 * struct mrc_data - headers of a data packet
 * @bth: BTH; .opcode and .ts say which headers are there
 * @va: address of the first payload byte (offset in the stream)
 * @rkey: R_Key
 * @dma_len: bytes in the whole message
 * @imm: immediate, if mrc_op_has_imm(bth.opcode), else 0
 * @rqmsn: number of the last Write-with-Immediate
 * @msn: number of the message
 * @ts_val: transmit timestamp if bth.ts, else 0
 * @tsr: unit of @ts_val; 0 = 128 ns, 1 = unknown: do not use the timestamp
 * @off: parse only: bytes of headers, where the payload begins
 * @len: parse only: bytes of payload, without padding and ICRC
 */
struct mrc_data {
	struct mrc_bth	bth;
	u64		va;
	u32		rkey;
	u32		dma_len;
	u32		imm;
	u16		rqmsn;
	u16		msn;
	u16		ts_val;
	u8		tsr;
	u8		off;
	u32		len;
};

/**
 * struct mrc_prof - socket profile part of a SACK
 * @next_va: next expected VA, cumulative
 * @max_va: highest acceptable VA: data may end here, not beyond
 * @key: control key that the receiver of the SACK gave at set-up
 * @serial: number of the SACK
 * @base: PSN of bit 0 of @bitmap, 24 bits
 * @bitmap: bit i set: PSN @base + i was received. A clear bit below the
 *	highest PSN received means that it was not, when the SACK was built.
 */
struct mrc_prof {
	u64	next_va;
	u64	max_va;
	u64	bitmap;
	u32	key;
	u32	serial;
	u32	base;
};

/**
 * struct mrc_sack - SACK
 * @dqpn: QP it is for
 * @cack: cumulative: highest PSN below the first gap, 24 bits
 * @ev: EV of the packet that triggered it, MRC_EV_NONE if unknown
 * @ack_off: ack_psn - cack; not used if @probe, see mrc_sack_ack_psn()
 * @sack_off: PSN of bit 0 - cack, see mrc_sack_base()
 * @probe_id: id of the probe it answers, if @probe
 * @bitmap: bit i set: PSN base + i was received
 * @spdcid: low half of the sender's QPN
 * @dpdcid: low half of the receiver's QPN
 * @ts: reflected timestamp of the triggering packet, 0 if it had none
 * @ooo: packets received out of order, 15 bits
 * @rcvd: bytes received, cumulative, units of 256 bytes, 24 bits
 * @mark: MRC_MARK_xxx for the triggering packet's path
 * @mpr: current MPR in units of 128 PSNs, 0 = dynamic MPR off
 * @pen: receiver's penalty on the window, 0 .. 127
 * @restore_cwnd: sender restores its window after the penalty
 * @probe: answers a reliability probe (pr)
 * @has_prof: @prof is there
 * @prof: socket profile part
 */
struct mrc_sack {
	u32		dqpn;
	u32		cack;
	u32		ev;
	s16		ack_off;
	s16		sack_off;
	u16		probe_id;
	u16		spdcid;
	u16		dpdcid;
	u16		ts;
	u64		bitmap;
	u32		rcvd;
	u16		ooo;
	u8		mark;
	u8		mpr;
	u8		pen;
	bool		restore_cwnd;
	bool		probe;
	bool		has_prof;
	struct mrc_prof	prof;
};

/**
 * struct mrc_nack - NACK
 * @dqpn: QP it is for
 * @psn: PSN of the packet that caused it, 24 bits
 * @ev: EV of that packet
 * @key: control key, if @has_key
 * @spdcid: low half of the sender's QPN
 * @dpdcid: low half of the receiver's QPN
 * @ts: reflected timestamp of that packet, 0 if it had none
 * @reason: MRC_NACK_xxx
 * @vendor: vendor's detail, 0 from us
 * @has_key: @key is there
 */
struct mrc_nack {
	u32	dqpn;
	u32	psn;
	u32	ev;
	u32	key;
	u16	spdcid;
	u16	dpdcid;
	u16	ts;
	u8	reason;
	u8	vendor;
	bool	has_key;
};

/**
 * struct mrc_probe - reliability probe
 * @dqpn: QP it is for
 * @psn: BTH's PSN: a probe consumes none, so this informs at most
 * @key: control key, if @has_key
 * @probe_id: echoed by the answer
 * @spdcid: low half of the sender's QPN
 * @dpdcid: low half of the receiver's QPN
 * @ts: transmit timestamp
 * @tsr: unit of @ts; 0 = 128 ns, 1 = unknown
 * @has_key: @key is there
 */
struct mrc_probe {
	u32	dqpn;
	u32	psn;
	u32	key;
	u16	probe_id;
	u16	spdcid;
	u16	dpdcid;
	u16	ts;
	u8	tsr;
	bool	has_key;
};

/**
 * struct mrc_nak - transport ACK or NAK (the profile sends only NAKs: fatal)
 * @dqpn: QP it is for
 * @psn: PSN it is about, 24 bits
 * @msn: message number, 24 bits
 * @key: control key, if @has_key
 * @syndrome: MRC_AETH_xxx
 * @has_key: @key is there
 */
struct mrc_nak {
	u32	dqpn;
	u32	psn;
	u32	msn;
	u32	key;
	u8	syndrome;
	bool	has_key;
};

/**
 * struct mrc_eph - endpoint request or response
 * @ports: requests: bit n - 1 set: the sender's port n is reachable
 * @id: requester's id, echoed
 * @ts: requests: transmit timestamp; responses: that timestamp, reflected
 * @op: MRC_EP_xxx
 * @vendor: requests: vendor's detail, 0 from us
 * @tsr: requests: unit of @ts; 0 = 128 ns, 1 = unknown
 * @response: it is a response
 */
struct mrc_eph {
	u32	ports;
	u16	id;
	u16	ts;
	u8	op;
	u8	vendor;
	u8	tsr;
	bool	response;
};

/**
 * struct mrc_icrc_flow - what the ICRC covers outside the UDP payload
 * @saddr: inner IPv6 source address, 16 bytes
 * @daddr: inner IPv6 destination address, 16 bytes
 * @sport: UDP source port, host order
 * @dport: UDP destination port, host order
 */
struct mrc_icrc_flow {
	const void	*saddr;
	const void	*daddr;
	u16		sport;
	u16		dport;
};

/*
 * (3) Functions
 */

/* Does this data opcode carry an ImmDt? */
static inline bool mrc_op_has_imm(u8 opcode)
{
	return opcode == MRC_OP_WRITE_LAST_IMM ||
	       opcode == MRC_OP_WRITE_ONLY_IMM;
}

/* Is this the only packet of its message? */
static inline bool mrc_op_is_only(u8 opcode)
{
	return opcode == MRC_OP_WRITE_ONLY || opcode == MRC_OP_WRITE_ONLY_IMM;
}

/* Does a message end with this data opcode? */
static inline bool mrc_op_is_last(u8 opcode)
{
	return opcode >= MRC_OP_WRITE_LAST && opcode <= MRC_OP_WRITE_ONLY_IMM;
}

/**
 * mrc_wire_data_hdr_len - bytes of headers of a data packet
 * @opcode: MRC_OP_WRITE_xxx
 * @ts: with TSETH
 *
 * Context: Any.
 * Return: 32 .. 40, without payload, padding and ICRC.
 */
static inline unsigned int mrc_wire_data_hdr_len(u8 opcode, bool ts)
{
	return (ts ? MRC_HDR_STREAM_TS : MRC_HDR_STREAM) +
	       (mrc_op_has_imm(opcode) ? MRC_LEN_IMM : 0);
}

/* Padding bytes (0 .. 3) that a payload of len bytes needs: BTH's pad. */
static inline u8 mrc_wire_pad(unsigned int len)
{
	return -len & 3;
}

/* spdcid / dpdcid of a QPN: one reader's word (open). */
static inline u16 mrc_wire_pdcid(u32 qpn)
{
	return qpn & 0xffff;
}

/* PSN of the packet that triggered a SACK; senseless if sack->probe. */
static inline u32 mrc_sack_ack_psn(const struct mrc_sack *sack)
{
	return mrc_psn_add(sack->cack, sack->ack_off);
}

/* PSN of bit 0 of a SACK's own bitmap. */
static inline u32 mrc_sack_base(const struct mrc_sack *sack)
{
	return mrc_psn_add(sack->cack, sack->sack_off);
}

/* rcvd_bytes of a byte count: units of 256 bytes, rounded up, 24 bits. */
static inline u32 mrc_wire_rcvd(u64 bytes)
{
	return ((bytes + (1 << MRC_RCVD_SHIFT) - 1) >> MRC_RCVD_SHIFT) &
	       MRC_RCVD_MASK;
}

/* Timestamp of a time in ns: units of 128 ns, wraps after 8.39 ms. */
static inline u16 mrc_wire_ts(u64 ns)
{
	return (ns >> MRC_TS_SHIFT) & 0xffff;
}

/* Nanoseconds from one timestamp to a later one, 0 .. 8,388,480. */
static inline u32 mrc_wire_ts_delta(u16 then, u16 now)
{
	return ((u32)(now - then) & 0xffff) << MRC_TS_SHIFT;
}

/* Is this syndrome a NAK (fatal in the socket profile) and not an ACK? */
static inline bool mrc_aeth_is_nak(u8 syndrome)
{
	return (syndrome & 0x60) == 0x60;
}

int mrc_wire_classify(const void *buf, unsigned int len, struct mrc_bth *out);
int mrc_wire_parse_data(const void *buf, unsigned int hlen,
			unsigned int seg_len, bool icrc, struct mrc_data *out);
int mrc_wire_parse_trimmed(const void *buf, unsigned int hlen,
			   unsigned int payload, struct mrc_data *out);
int mrc_wire_check_imm(const struct mrc_data *data);
int mrc_wire_parse_sack(const void *buf, unsigned int len,
			struct mrc_sack *out);
int mrc_wire_parse_nack(const void *buf, unsigned int len,
			struct mrc_nack *out);
int mrc_wire_parse_probe(const void *buf, unsigned int len,
			 struct mrc_probe *out);
int mrc_wire_parse_nak(const void *buf, unsigned int len, struct mrc_nak *out);
int mrc_wire_parse_eph(const void *buf, unsigned int len, struct mrc_eph *out);

unsigned int mrc_wire_build_data(void *buf, const struct mrc_data *in);
void mrc_wire_build_next(void *buf, const void *prev, u32 len);
bool mrc_wire_follows(const void *buf, const void *first, u32 n, u32 len);
unsigned int mrc_wire_build_sack(void *buf, const struct mrc_sack *in);
unsigned int mrc_wire_build_nack(void *buf, const struct mrc_nack *in);
unsigned int mrc_wire_build_probe(void *buf, const struct mrc_probe *in);
unsigned int mrc_wire_build_nak(void *buf, const struct mrc_nak *in);
unsigned int mrc_wire_build_eph(void *buf, const struct mrc_eph *in);

/* ICRC of one packet: begin with its headers, update with the rest, end. */
u32 mrc_icrc_begin(const struct mrc_icrc_flow *flow, unsigned int pkt_len,
		   const void *hdr, unsigned int hlen);
u32 mrc_icrc_update(u32 crc, const void *buf, unsigned int len);
__le32 mrc_icrc_end(u32 crc);
unsigned int mrc_icrc_put(const struct mrc_icrc_flow *flow, void *pkt,
			  unsigned int len);
int mrc_icrc_check(const struct mrc_icrc_flow *flow, const void *pkt,
		   unsigned int len);

#endif /* _MRC_WIRE_H */
