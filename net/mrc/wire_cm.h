/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connection management on the wire: QP 1, opcode DF, a fixed header and
 * TLVs. All of it is ours: MRC leaves set-up out of band.
 *
 * A packet is BTH | CM header | TLVs | zeros | ICRC. Pure, like wire.h, and
 * lengths are counted as there, without the ICRC.
 */
#ifndef _MRC_WIRE_CM_H
#define _MRC_WIRE_CM_H

#include "wire.h"

#define MRC_CM_VERSION		1

#define MRC_CM_REQ		1	/* I want a connection */
#define MRC_CM_REP		2	/* granted, here is my side */
#define MRC_CM_RTU		3	/* I heard your REP */
#define MRC_CM_REJ		4	/* refused, or "come back with a cookie" */
#define MRC_CM_ABORT		5	/* this connection is over, now */
#define MRC_CM_GONE		6	/* I know no such QP */

/* TLVs. The value is also the bit in mrc_cm_msg.present. */
#define MRC_TLV_MANDATORY	0x8000
#define MRC_TLV_PORTS		1	/* source16, destination16 */
#define MRC_TLV_SOCK_TYPE	2	/* MRC_CM_STREAM, MRC_CM_SEQPACKET, 32 */
#define MRC_TLV_TOKEN		3	/* sender's own token, 64 */
#define MRC_TLV_QPN		4	/* sender's QPN, 24 in 32 */
#define MRC_TLV_PSN		5	/* first PSN it will send, 24 in 32 */
#define MRC_TLV_RKEY		6	/* of its receive region, 32 */
#define MRC_TLV_KEY		7	/* control key to use towards it, 32 */
#define MRC_TLV_MPR		8	/* as responder, PSNs, 32 */
#define MRC_TLV_PKT_SIZE	9	/* payload bytes per packet, 32 */
#define MRC_TLV_WINDOW		10	/* initial receive window, bytes, 64 */
#define MRC_TLV_MAX_MSG		11	/* longest message it takes, bytes, 32 */
#define MRC_TLV_MAX_WIMM	12	/* immediates in flight it takes, 32 */
#define MRC_TLV_PLANES		13	/* bit n - 1: plane n, 32 */
#define MRC_TLV_CAPS		14	/* MRC_CAP_xxx, 32 */
#define MRC_TLV_COOKIE		15	/* opaque, 1 .. 32 bytes */
#define MRC_TLV_REASON		16	/* code16 res16 [info32] */
#define MRC_TLV_ECHO		17	/* kind8 res24 qpn32 psn32 key32 */
#define MRC_TLV_KNOWN		17	/* highest */

#define MRC_CM_STREAM		1
#define MRC_CM_SEQPACKET	2

/* Capabilities: offered in REQ, the common ones returned in REP */
#define MRC_CAP_ICRC		0x00000001	/* data packets end in an ICRC */
#define MRC_CAP_TS		0x00000002	/* data packets carry a TSETH */
#define MRC_CAP_DYN_MPR		0x00000004	/* SACKs carry the current MPR */
#define MRC_CAP_TRIM_NACK	0x00000008	/* trims are answered by NACK */
#define MRC_CAP_EV_LAYOUT	0x00000010	/* EVs follow MRC_EV() */

/* Reasons in REJ and ABORT */
#define MRC_CM_R_NONE		0
#define MRC_CM_R_REFUSED	1	/* nobody listens on that port */
#define MRC_CM_R_BACKLOG	2	/* the listener's queue is full */
#define MRC_CM_R_COOKIE		3	/* try again with this cookie */
#define MRC_CM_R_SOCK_TYPE	4	/* stream against seqpacket */
#define MRC_CM_R_NO_PLANE	5	/* no plane in common */
#define MRC_CM_R_MALFORMED	6	/* TLV missing, unknown or impossible */
#define MRC_CM_R_VERSION	7	/* info: the version we speak */
#define MRC_CM_R_RESOURCE	8	/* out of memory or QPNs */
#define MRC_CM_R_SIMULTANEOUS	9	/* both connect, nobody listens */
#define MRC_CM_R_CLOSED		10	/* closed with data unread */
#define MRC_CM_R_TIMEOUT	11	/* retry budget spent */
#define MRC_CM_R_PROTOCOL	12	/* the peer broke the protocol */
#define MRC_CM_R_ADMIN		13	/* by an administrator */
#define MRC_CM_R_NO_RETURN	14	/* no route back to the requester */

#define MRC_CM_COOKIE_MAX	32

/*
 * Longest messages in bytes, without the ICRC. No REP is longer than
 * MRC_CM_REP_MAX in this or a later version; a REQ is zero-padded to
 * MRC_CM_REQ_LEN, so that with ICRCs it is as long as two REPs.
 */
#define MRC_CM_HDR_LEN		28	/* BTH and CM header */
#define MRC_CM_REP_MAX		192
#define MRC_CM_REQ_LEN		(2 * MRC_CM_REP_MAX + MRC_LEN_ICRC)
#define MRC_CM_MSG_MAX		256	/* what mrc_cm_build() ever writes */

/**
 * struct mrc_hdr_cm - connection management header (ours)
 * @type: MRC_CM_xxx
 * @version: MRC_CM_VERSION
 * @len: bytes of TLVs that follow, with their padding; what is beyond is zero
 * @res0: reserved for flags
 * @token: the receiver's token; 0 in REQ and GONE
 */
struct mrc_hdr_cm {
	u8	type;
	u8	version;
	__be16	len;
	__be32	res0;
	__be64	token;
} __packed;

/**
 * struct mrc_hdr_tlv - head of a CM TLV (ours)
 * @type: MRC_TLV_xxx, bit 15 set: whoever does not know it must refuse
 * @len: bytes of the value, without the padding to a multiple of 4
 */
struct mrc_hdr_tlv {
	__be16	type;
	__be16	len;
} __packed;

static_assert(sizeof(struct mrc_hdr_cm) == 16);
static_assert(offsetof(struct mrc_hdr_cm, token) == 8);
static_assert(sizeof(struct mrc_hdr_tlv) == 4);

/**
 * struct mrc_cm_echo - what a GONE answers
 * @qpn: destination QPN of that packet
 * @psn: its PSN, or the probe_id of a PROBE
 * @key: its R_Key, or the control key of a PROBE
 * @kind: enum mrc_kind of that packet
 */
struct mrc_cm_echo {
	u32	qpn;
	u32	psn;
	u32	key;
	u8	kind;
};

/**
 * struct mrc_cm_msg - connection management message, flat
 * @present: bit MRC_TLV_xxx set: that TLV is there and its field is valid
 * @token: the receiver's token; 0 in REQ and GONE
 * @own_token: MRC_TLV_TOKEN, never 0
 * @window: MRC_TLV_WINDOW, bytes
 * @qpn: MRC_TLV_QPN, MRC_QPN_MIN .. 2^24 - 1
 * @psn: MRC_TLV_PSN, 24 bits
 * @rkey: MRC_TLV_RKEY
 * @key: MRC_TLV_KEY
 * @mpr: MRC_TLV_MPR, PSNs, not 0
 * @pkt_size: MRC_TLV_PKT_SIZE, bytes, not 0, a multiple of 4
 * @max_msg: MRC_TLV_MAX_MSG, bytes
 * @max_wimm: MRC_TLV_MAX_WIMM
 * @planes: MRC_TLV_PLANES, bit n - 1 is plane n; 0 towards oneself (plane 0)
 * @caps: MRC_TLV_CAPS
 * @reason_info: MRC_TLV_REASON, detail, 0 if not given
 * @echo: MRC_TLV_ECHO
 * @sport: MRC_TLV_PORTS, sender's port, host order, not 0
 * @dport: MRC_TLV_PORTS, receiver's port, host order, not 0
 * @reason: MRC_TLV_REASON, MRC_CM_R_xxx
 * @type: MRC_CM_xxx
 * @version: MRC_CM_VERSION
 * @sock_type: MRC_TLV_SOCK_TYPE
 * @cookie_len: MRC_TLV_COOKIE, bytes
 * @cookie: MRC_TLV_COOKIE
 */
struct mrc_cm_msg {
	u32			present;
	u64			token;
	u64			own_token;
	u64			window;
	u32			qpn;
	u32			psn;
	u32			rkey;
	u32			key;
	u32			mpr;
	u32			pkt_size;
	u32			max_msg;
	u32			max_wimm;
	u32			planes;
	u32			caps;
	u32			reason_info;
	struct mrc_cm_echo	echo;
	u16			sport;
	u16			dport;
	u16			reason;
	u8			type;
	u8			version;
	u8			sock_type;
	u8			cookie_len;
	u8			cookie[MRC_CM_COOKIE_MAX];
};

int mrc_cm_parse(const void *buf, unsigned int len, struct mrc_cm_msg *out);
unsigned int mrc_cm_build(void *buf, const struct mrc_cm_msg *in);

#endif /* _MRC_WIRE_CM_H */
