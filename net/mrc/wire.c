// SPDX-License-Identifier: GPL-2.0
/*
 * Parse and build every MRC packet but those of connection management.
 *
 * Parsers check whatever the bytes alone can tell and leave the rest (keys,
 * windows, addresses) to those who know the connection. Builders mask each
 * value to its field, so that reserved bits are always sent as 0.
 */
#include <linux/string.h>

#include "psn.h"
#include "wire.h"

/* type4 nxt5 ..., the first 16 bits of control headers */
#define TYPE_SHIFT		12
#define NXT_SHIFT		7
#define NXT_MASK		0x1f

/* the rest of these 16 bits in SETH, ERTH and EETH */
#define SETH_MARK_SHIFT		5
#define SETH_MARK_MASK		3
#define SETH_MARK_RESERVED	3
#define SETH_PR			0x0002
#define OP_MASK			3
#define OP_RESERVED		2	/* and 3 */
#define ERTH_OP_SHIFT		0
#define EETH_OP_SHIFT		2	/* open: one reader's word */

/* BTH byte 1: SE1 M1 pad2 tver4 */
#define BTH_SE			0x80
#define BTH_PAD_SHIFT		4
#define BTH_PAD_MASK		3
#define BTH_TVER_MASK		0x0f

#define CC_TYPE_SHIFT		4
#define CC_RESTORE		0x80
#define CC_OOO_MASK		0x7fff

#define TSR_SHIFT		15
#define FTYPE_MASK		0x0f

#define AETH_KIND_MASK		0xe0
#define AETH_KIND_ACK		0x00
#define AETH_KIND_NAK		0x60
#define AETH_CODE_MASK		0x1f
#define AETH_NAK_CODE_MAX	(MRC_AETH_NAK_OPER & AETH_CODE_MASK)

static u32 get24(const u8 *p)
{
	return (u32)p[0] << 16 | (u32)p[1] << 8 | p[2];
}

static void put24(u8 *p, u32 v)
{
	p[0] = v >> 16;
	p[1] = v >> 8;
	p[2] = v;
}

/* Kind of an opcode, or -MRC_DROP_OPCODE. */
static int opcode_kind(u8 opcode)
{
	switch (opcode) {
	case MRC_OP_WRITE_FIRST ... MRC_OP_WRITE_ONLY_IMM:
		return MRC_KIND_DATA;
	case MRC_OP_ACK:
		return MRC_KIND_NAK;
	case MRC_OP_EP_REQ:
	case MRC_OP_EP_RSP:
		return MRC_KIND_ENDPOINT;
	case MRC_OP_SACK:
		return MRC_KIND_SACK;
	case MRC_OP_NACK:
		return MRC_KIND_NACK;
	case MRC_OP_PROBE:
		return MRC_KIND_PROBE;
	case MRC_OP_CM:
		return MRC_KIND_CM;
	default:
		return -MRC_DROP_OPCODE;
	}
}

/* May packets of this kind go to that QP? */
static bool qpn_fits(int kind, u32 qpn)
{
	switch (kind) {
	case MRC_KIND_CM:
		return qpn == MRC_QPN_CM;
	case MRC_KIND_ENDPOINT:
		return qpn == MRC_QPN_ENDPOINT;
	default:
		return qpn >= MRC_QPN_MIN;
	}
}

/**
 * mrc_wire_classify - what kind of packet is this?
 * @buf: packet from its BTH on
 * @len: bytes in @buf; the first 12 are looked at
 * @out: filled with the BTH unless @len is below 12
 *
 * Context: Any.
 * Return: enum mrc_kind, or -MRC_DROP_xxx: SHORT, TVER, PKEY, OPCODE, QP (not
 * one that packets of this kind go to), PAD (on what is not data).
 */
int mrc_wire_classify(const void *buf, unsigned int len, struct mrc_bth *out)
{
	const struct mrc_hdr_bth *h = buf;
	int kind;

	if (len < sizeof(*h))
		return -MRC_DROP_SHORT;

	out->opcode = h->opcode;
	out->se = h->se_pad & BTH_SE;
	out->pad = h->se_pad >> BTH_PAD_SHIFT & BTH_PAD_MASK;
	out->dqpn = get24(h->dqpn);
	out->ack_req = h->flags & MRC_BTH_ACK_REQ;
	out->rtx = h->flags & MRC_BTH_RTX;
	out->ts = h->flags & MRC_BTH_TS;
	out->psn = get24(h->psn);

	if (h->se_pad & BTH_TVER_MASK)
		return -MRC_DROP_TVER;
	if ((be16_to_cpu(h->pkey) & MRC_PKEY_MASK) != MRC_PKEY_MASK)
		return -MRC_DROP_PKEY;
	kind = opcode_kind(h->opcode);
	if (kind < 0)
		return kind;
	if (!qpn_fits(kind, out->dqpn))
		return -MRC_DROP_QP;
	if (kind != MRC_KIND_DATA && out->pad)
		return -MRC_DROP_PAD;
	return kind;
}

/* Classify, insist on one kind and on the bytes of its fixed headers. */
static int parse_bth(const void *buf, unsigned int len, int want,
		     unsigned int min, struct mrc_bth *bth)
{
	int kind = mrc_wire_classify(buf, len, bth);

	if (kind < 0)
		return kind;
	if (kind != want)
		return -MRC_DROP_OPCODE;
	if (len < min)
		return -MRC_DROP_SHORT;
	return 0;
}

/* Check type4 and nxt5. Return: 1 if nxt announces @code, 0 if it is none. */
static int parse_nxt(u16 type_nxt, unsigned int code)
{
	unsigned int nxt = type_nxt >> NXT_SHIFT & NXT_MASK;

	if (type_nxt >> TYPE_SHIFT)
		return -MRC_DROP_TYPE;
	if (nxt == MRC_NXT_NONE)
		return 0;
	return nxt == code ? 1 : -MRC_DROP_NXT;
}

static int check_len(unsigned int len, unsigned int want)
{
	if (len < want)
		return -MRC_DROP_SHORT;
	return len > want ? -MRC_DROP_LEN : 0;
}

static int parse_ftype(__be16 tsr_ftype, u8 *tsr)
{
	u16 v = be16_to_cpu(tsr_ftype);

	if ((v & FTYPE_MASK) != MRC_FTYPE)
		return -MRC_DROP_FTYPE;
	*tsr = v >> TSR_SHIFT;
	return 0;
}

static __be16 build_ftype(u8 tsr)
{
	return cpu_to_be16((u16)(tsr << TSR_SHIFT) | MRC_FTYPE);
}

static u32 parse_key(const void *p)
{
	const struct mrc_hdr_key *h = p;

	return be32_to_cpu(h->key);
}

static unsigned int build_key(void *p, u32 key)
{
	struct mrc_hdr_key *h = p;

	h->key = cpu_to_be32(key);
	return sizeof(*h);
}

/* Payload length of a data packet with @rest bytes behind its headers. */
static int parse_payload(unsigned int rest, struct mrc_data *out)
{
	if (rest & 3 || out->bth.pad > rest)
		return -MRC_DROP_PAD;
	out->len = rest - out->bth.pad;

	if (mrc_op_is_only(out->bth.opcode))
		return out->dma_len == out->len ? 0 : -MRC_DROP_DMALEN;
	/* Part of a longer message: never empty, never more than all. */
	if (!out->len || out->dma_len < out->len)
		return -MRC_DROP_DMALEN;
	return 0;
}

/* All headers of a data packet; @hlen bytes of it are in @buf. */
static int parse_data_headers(const void *buf, unsigned int hlen,
			      struct mrc_data *out)
{
	const struct mrc_hdr_tseth *tseth;
	const struct mrc_hdr_meth *meth;
	const struct mrc_hdr_reth *reth;
	const struct mrc_hdr_imm *imm;
	const u8 *p = buf;
	int err;

	memset(out, 0, sizeof(*out));
	err = parse_bth(buf, hlen, MRC_KIND_DATA, 0, &out->bth);
	if (err)
		return err;
	out->off = mrc_wire_data_hdr_len(out->bth.opcode, out->bth.ts);
	if (hlen < out->off)
		return -MRC_DROP_SHORT;

	p += sizeof(struct mrc_hdr_bth);
	meth = (const void *)p;
	out->rqmsn = be16_to_cpu(meth->rqmsn);
	out->msn = be16_to_cpu(meth->msn);
	p += sizeof(*meth);

	if (out->bth.ts) {
		tseth = (const void *)p;
		err = parse_ftype(tseth->tsr_ftype, &out->tsr);
		if (err)
			return err;
		out->ts_val = be16_to_cpu(tseth->ts);
		p += sizeof(*tseth);
	}

	reth = (const void *)p;
	out->va = be64_to_cpu(reth->va);
	out->rkey = be32_to_cpu(reth->rkey);
	out->dma_len = be32_to_cpu(reth->dma_len);
	p += sizeof(*reth);

	if (mrc_op_has_imm(out->bth.opcode)) {
		imm = (const void *)p;
		out->imm = be32_to_cpu(imm->imm);
	}
	return 0;
}

/**
 * mrc_wire_parse_data - parse the headers of a data packet
 * @buf: packet from its BTH on
 * @hlen: bytes in @buf, min(@seg_len, MRC_HDR_DATA_MAX) are enough
 * @seg_len: bytes of the whole packet, with padding and ICRC
 * @icrc: the packet ends in an ICRC (not checked here)
 * @out: filled on success
 *
 * Context: Any.
 * Return: 0, or -MRC_DROP_xxx: those of mrc_wire_classify(), SHORT, FTYPE,
 * PAD (payload and padding are no multiple of 4, or more padding than bytes),
 * DMALEN (not the payload's length in a WRITE Only; less than it, or no
 * payload, in the others).
 */
int mrc_wire_parse_data(const void *buf, unsigned int hlen,
			unsigned int seg_len, bool icrc, struct mrc_data *out)
{
	unsigned int trailer = icrc ? MRC_LEN_ICRC : 0;
	int err;

	err = parse_data_headers(buf, hlen, out);
	if (err)
		return err;
	if (seg_len < out->off + trailer)
		return -MRC_DROP_SHORT;
	return parse_payload(seg_len - out->off - trailer, out);
}

/**
 * mrc_wire_parse_trimmed - parse what a switch has left of a data packet
 * @buf: packet from its BTH on
 * @hlen: bytes in @buf, up to MRC_HDR_DATA_MAX are looked at
 * @payload: bytes that a packet of the connection carries at most
 * @out: filled on success; .len is that of the payload it once had in a WRITE
 *	Only, else 0
 *
 * Nothing vouches for any of these bytes: neither checksum nor ICRC can be
 * right.
 *
 * Context: Any.
 * Return: 0, or -MRC_DROP_xxx: those of mrc_wire_classify(), SHORT, FTYPE,
 * DMALEN (longer than a packet in a WRITE Only, or nothing to be cut).
 */
int mrc_wire_parse_trimmed(const void *buf, unsigned int hlen,
			   unsigned int payload, struct mrc_data *out)
{
	int err;

	err = parse_data_headers(buf, hlen, out);
	if (err)
		return err;
	if (!out->dma_len)
		return -MRC_DROP_DMALEN;
	if (!mrc_op_is_only(out->bth.opcode))
		return 0;
	if (out->dma_len > payload)
		return -MRC_DROP_DMALEN;
	out->len = out->dma_len;
	return 0;
}

/**
 * mrc_wire_check_imm - check the immediate against the socket profile
 * @data: parsed data packet
 *
 * Known flags only; FIN only alone in a WRITE Only without payload.
 *
 * Context: Any.
 * Return: 0 (also if there is no immediate) or -MRC_DROP_IMM.
 */
int mrc_wire_check_imm(const struct mrc_data *data)
{
	if (data->imm & ~MRC_IMM_KNOWN)
		return -MRC_DROP_IMM;
	if (!(data->imm & MRC_IMM_FIN))
		return 0;
	if (data->imm != MRC_IMM_FIN || data->len ||
	    !mrc_op_is_only(data->bth.opcode))
		return -MRC_DROP_IMM;
	return 0;
}

static void parse_prof(const void *p, struct mrc_prof *out)
{
	const struct mrc_hdr_prof *h = p;

	out->next_va = be64_to_cpu(h->next_va);
	out->max_va = be64_to_cpu(h->max_va);
	out->key = be32_to_cpu(h->key);
	out->serial = be32_to_cpu(h->serial);
	out->base = be32_to_cpu(h->base) & MRC_PSN_MASK;
	out->bitmap = be64_to_cpu(h->bitmap);
}

static void parse_cc(const struct mrc_hdr_cc *h, struct mrc_sack *out)
{
	out->ts = be16_to_cpu(h->ts);
	out->ooo = be16_to_cpu(h->ooo) & CC_OOO_MASK;
	out->restore_cwnd = h->pen & CC_RESTORE;
	out->pen = h->pen & MRC_PEN_MAX;
	out->rcvd = get24(h->rcvd);
}

static void parse_seth(const struct mrc_hdr_seth *h, struct mrc_sack *out)
{
	u16 off = be16_to_cpu(h->ack_off);

	out->probe = be16_to_cpu(h->type_nxt) & SETH_PR;
	if (out->probe)
		out->probe_id = off;
	else
		out->ack_off = (s16)off;
	out->mark = be16_to_cpu(h->type_nxt) >> SETH_MARK_SHIFT &
		    SETH_MARK_MASK;
	out->ev = be32_to_cpu(h->ev);
	out->spdcid = be16_to_cpu(h->spdcid);
	out->dpdcid = be16_to_cpu(h->dpdcid);
	out->cack = get24(h->cack);
	out->mpr = h->mpr;
	out->sack_off = (s16)be16_to_cpu(h->sack_off);
	out->bitmap = be64_to_cpu(h->bitmap);
}

/**
 * mrc_wire_parse_sack - parse a SACK
 * @buf: packet from its BTH on
 * @len: bytes in @buf: the packet without its ICRC
 * @out: filled on success
 *
 * Context: Any.
 * Return: 0, or -MRC_DROP_xxx: those of mrc_wire_classify(), SHORT, LEN, TYPE,
 * NXT, SACK_M, CC_TYPE, PSN_DIFF (cack_psn is not BTH's PSN).
 */
int mrc_wire_parse_sack(const void *buf, unsigned int len,
			struct mrc_sack *out)
{
	const struct mrc_hdr_seth *h = buf + MRC_LEN_BTH;
	struct mrc_bth bth;
	int err;

	memset(out, 0, sizeof(*out));
	err = parse_bth(buf, len, MRC_KIND_SACK, MRC_LEN_SACK, &bth);
	if (err)
		return err;
	err = parse_nxt(be16_to_cpu(h->type_nxt), MRC_NXT_PROFILE);
	if (err < 0)
		return err;
	out->has_prof = err;
	err = check_len(len, out->has_prof ? MRC_LEN_SACK_PROF : MRC_LEN_SACK);
	if (err)
		return err;
	if (h->cc_type >> CC_TYPE_SHIFT != MRC_CC_TYPE_SACK)
		return -MRC_DROP_CC_TYPE;

	out->dqpn = bth.dqpn;
	parse_seth(h, out);
	if (out->mark == SETH_MARK_RESERVED)
		return -MRC_DROP_SACK_M;
	if (out->cack != bth.psn)
		return -MRC_DROP_PSN_DIFF;
	parse_cc((const void *)(h + 1), out);
	if (out->has_prof)
		parse_prof(buf + MRC_LEN_SACK, &out->prof);
	return 0;
}

static bool nack_reason_known(u8 reason)
{
	switch (reason) {
	case MRC_NACK_TRIMMED:
	case MRC_NACK_TRIMMED_LASTHOP:
	case MRC_NACK_NO_BITMAP:
	case MRC_NACK_NO_PKT_BUFFER:
	case MRC_NACK_NO_RESOURCE:
	case MRC_NACK_PSN_OOR_WINDOW:
	case MRC_NACK_UNEXP_EVENT:
		return true;
	default:
		return false;
	}
}

/**
 * mrc_wire_parse_nack - parse a NACK
 * @buf: packet from its BTH on
 * @len: bytes in @buf: the packet without its ICRC
 * @out: filled on success
 *
 * Context: Any.
 * Return: 0, or -MRC_DROP_xxx: those of mrc_wire_classify(), SHORT, LEN, TYPE,
 * NXT, REASON, CC_TYPE, PSN_DIFF (nack_psn is not BTH's PSN).
 */
int mrc_wire_parse_nack(const void *buf, unsigned int len,
			struct mrc_nack *out)
{
	const struct mrc_hdr_neth *h = buf + MRC_LEN_BTH;
	struct mrc_bth bth;
	int err;

	memset(out, 0, sizeof(*out));
	err = parse_bth(buf, len, MRC_KIND_NACK, MRC_LEN_NACK, &bth);
	if (err)
		return err;
	err = parse_nxt(be16_to_cpu(h->type_nxt), MRC_NXT_KEY);
	if (err < 0)
		return err;
	out->has_key = err;
	err = check_len(len, out->has_key ? MRC_LEN_NACK_KEY : MRC_LEN_NACK);
	if (err)
		return err;
	if (!nack_reason_known(h->reason))
		return -MRC_DROP_REASON;
	if (h->cc_type >> CC_TYPE_SHIFT != MRC_CC_TYPE_NACK)
		return -MRC_DROP_CC_TYPE;
	if (get24(h->psn) != bth.psn)
		return -MRC_DROP_PSN_DIFF;

	out->dqpn = bth.dqpn;
	out->psn = bth.psn;
	out->reason = h->reason;
	out->vendor = h->vendor;
	out->ev = be32_to_cpu(h->ev);
	out->spdcid = be16_to_cpu(h->spdcid);
	out->dpdcid = be16_to_cpu(h->dpdcid);
	out->ts = be16_to_cpu(h->ts);
	if (out->has_key)
		out->key = parse_key(h + 1);
	return 0;
}

/**
 * mrc_wire_parse_probe - parse a reliability probe
 * @buf: packet from its BTH on
 * @len: bytes in @buf: the packet without its ICRC, with zero padding
 * @out: filled on success
 *
 * Context: Any.
 * Return: 0, or -MRC_DROP_xxx: those of mrc_wire_classify(), SHORT, TYPE, NXT,
 * FTYPE.
 */
int mrc_wire_parse_probe(const void *buf, unsigned int len,
			 struct mrc_probe *out)
{
	const struct mrc_hdr_peth *h = buf + MRC_LEN_BTH;
	struct mrc_bth bth;
	int err;

	memset(out, 0, sizeof(*out));
	err = parse_bth(buf, len, MRC_KIND_PROBE, MRC_LEN_PROBE, &bth);
	if (err)
		return err;
	err = parse_nxt(be16_to_cpu(h->type_nh), MRC_NXT_KEY);
	if (err < 0)
		return err;
	out->has_key = err;
	if (out->has_key && len < MRC_LEN_PROBE_KEY)
		return -MRC_DROP_SHORT;
	err = parse_ftype(h->tsr_ftype, &out->tsr);
	if (err)
		return err;

	out->dqpn = bth.dqpn;
	out->psn = bth.psn;
	out->probe_id = be16_to_cpu(h->probe_id);
	out->spdcid = be16_to_cpu(h->spdcid);
	out->dpdcid = be16_to_cpu(h->dpdcid);
	out->ts = be16_to_cpu(h->ts);
	if (out->has_key)
		out->key = parse_key(h + 1);
	return 0;
}

/* ACK (whatever its credits) or a NAK whose code IBTA defines for RC. */
static bool syndrome_known(u8 syndrome)
{
	switch (syndrome & AETH_KIND_MASK) {
	case AETH_KIND_ACK:
		return true;
	case AETH_KIND_NAK:
		return (syndrome & AETH_CODE_MASK) <= AETH_NAK_CODE_MAX;
	default:
		return false;
	}
}

/**
 * mrc_wire_parse_nak - parse a transport ACK or NAK
 * @buf: packet from its BTH on
 * @len: bytes in @buf: the packet without its ICRC
 * @out: filled on success
 *
 * AETH has no next-header field: the length tells whether a key follows.
 *
 * Context: Any.
 * Return: 0, or -MRC_DROP_xxx: those of mrc_wire_classify(), SHORT, LEN,
 * SYNDROME.
 */
int mrc_wire_parse_nak(const void *buf, unsigned int len, struct mrc_nak *out)
{
	const struct mrc_hdr_aeth *h = buf + MRC_LEN_BTH;
	struct mrc_bth bth;
	int err;

	memset(out, 0, sizeof(*out));
	err = parse_bth(buf, len, MRC_KIND_NAK, MRC_LEN_NAK, &bth);
	if (err)
		return err;
	out->has_key = len == MRC_LEN_NAK_KEY;
	if (!out->has_key && len != MRC_LEN_NAK)
		return -MRC_DROP_LEN;
	if (!syndrome_known(h->syndrome))
		return -MRC_DROP_SYNDROME;

	out->dqpn = bth.dqpn;
	out->psn = bth.psn;
	out->msn = get24(h->msn);
	out->syndrome = h->syndrome;
	if (out->has_key)
		out->key = parse_key(h + 1);
	return 0;
}

/* Check the first 16 bits of ERTH or EETH; return op. */
static int parse_op(u16 type_nxt, unsigned int shift)
{
	int err = parse_nxt(type_nxt, MRC_NXT_NONE);
	int op = type_nxt >> shift & OP_MASK;

	if (err)
		return err;
	return op >= OP_RESERVED ? -MRC_DROP_OP : op;
}

static int parse_erth(const struct mrc_hdr_erth *h, struct mrc_eph *out)
{
	int op = parse_op(be16_to_cpu(h->type_nxt), ERTH_OP_SHIFT);

	if (op < 0)
		return op;
	out->op = op;
	out->vendor = h->vendor;
	out->ports = be32_to_cpu(h->ports);
	out->ts = be16_to_cpu(h->ts);
	return parse_ftype(h->tsr_ftype, &out->tsr);
}

static int parse_eeth(const struct mrc_hdr_eeth *h, struct mrc_eph *out)
{
	int op = parse_op(be16_to_cpu(h->type_nxt), EETH_OP_SHIFT);

	if (op < 0)
		return op;
	out->op = op;
	out->ts = be16_to_cpu(h->ts);
	return 0;
}

/**
 * mrc_wire_parse_eph - parse an endpoint request or response
 * @buf: packet from its BTH on
 * @len: bytes in @buf: the packet without its ICRC; requests may be padded
 * @out: filled on success
 *
 * Context: Any.
 * Return: 0, or -MRC_DROP_xxx: those of mrc_wire_classify(), SHORT, LEN, TYPE,
 * NXT, OP, FTYPE.
 */
int mrc_wire_parse_eph(const void *buf, unsigned int len, struct mrc_eph *out)
{
	struct mrc_bth bth;
	int err;

	memset(out, 0, sizeof(*out));
	err = parse_bth(buf, len, MRC_KIND_ENDPOINT, MRC_LEN_EP_REQ, &bth);
	if (err)
		return err;
	out->id = (u16)bth.psn;
	out->response = bth.opcode == MRC_OP_EP_RSP;
	if (!out->response)
		return parse_erth(buf + MRC_LEN_BTH, out);

	err = check_len(len, MRC_LEN_EP_RSP);
	if (err)
		return err;
	return parse_eeth(buf + MRC_LEN_BTH, out);
}

static unsigned int build_bth(void *buf, const struct mrc_bth *in)
{
	struct mrc_hdr_bth *h = buf;

	h->opcode = in->opcode;
	h->se_pad = (in->se ? BTH_SE : 0) |
		    (in->pad & BTH_PAD_MASK) << BTH_PAD_SHIFT;
	h->pkey = cpu_to_be16(MRC_PKEY);
	h->variant = 0;
	put24(h->dqpn, in->dqpn);
	h->flags = (in->ack_req ? MRC_BTH_ACK_REQ : 0) |
		   (in->rtx ? MRC_BTH_RTX : 0) | (in->ts ? MRC_BTH_TS : 0);
	put24(h->psn, in->psn);
	return sizeof(*h);
}

/* BTH of a control packet: an opcode, a QP, a PSN and nothing else. */
static unsigned int build_ctrl(void *buf, u8 opcode, u32 dqpn, u32 psn)
{
	struct mrc_bth bth = {
		.opcode = opcode,
		.dqpn = dqpn,
		.psn = psn,
	};

	return build_bth(buf, &bth);
}

/**
 * mrc_wire_build_data - build the headers of a data packet
 * @buf: room for MRC_HDR_DATA_MAX bytes (mrc_wire_data_hdr_len() are used)
 * @in: headers; off and len are not used, bth.pad is: mrc_wire_pad()
 *
 * The caller puts the payload, bth.pad zero bytes and the ICRC behind.
 *
 * Context: Any.
 * Return: bytes written.
 */
unsigned int mrc_wire_build_data(void *buf, const struct mrc_data *in)
{
	struct mrc_hdr_tseth *tseth;
	struct mrc_hdr_meth *meth;
	struct mrc_hdr_reth *reth;
	struct mrc_hdr_imm *imm;
	u8 *p = buf;

	p += build_bth(p, &in->bth);
	meth = (void *)p;
	meth->rqmsn = cpu_to_be16(in->rqmsn);
	meth->msn = cpu_to_be16(in->msn);
	p += sizeof(*meth);

	if (in->bth.ts) {
		tseth = (void *)p;
		tseth->ts = cpu_to_be16(in->ts_val);
		tseth->tsr_ftype = build_ftype(in->tsr);
		p += sizeof(*tseth);
	}

	reth = (void *)p;
	reth->va = cpu_to_be64(in->va);
	reth->rkey = cpu_to_be32(in->rkey);
	reth->dma_len = cpu_to_be32(in->dma_len);
	p += sizeof(*reth);

	if (mrc_op_has_imm(in->bth.opcode)) {
		imm = (void *)p;
		imm->imm = cpu_to_be32(in->imm);
		p += sizeof(*imm);
	}
	return p - (u8 *)buf;
}

/* All of a packet of a stream that is one of many: no timestamp, no immediate. */
struct mrc_hdr_plain {
	struct mrc_hdr_bth	bth;
	struct mrc_hdr_meth	meth;
	struct mrc_hdr_reth	reth;
};

static_assert(sizeof(struct mrc_hdr_plain) == MRC_HDR_STREAM);

/**
 * mrc_wire_build_next - build the headers of the packet after another one
 * @buf: room for MRC_HDR_STREAM bytes
 * @prev: headers of that one, of mrc_wire_build_data(): WRITE Only, no TSETH
 * @len: its payload and that of the new one, bytes
 *
 * The same as mrc_wire_build_data() with the next PSN, MSN and VA, at a
 * fraction of its cost.
 *
 * Context: Any.
 */
void mrc_wire_build_next(void *buf, const void *prev, u32 len)
{
	const struct mrc_hdr_plain *p = prev;
	struct mrc_hdr_plain *h = buf;

	*h = *p;
	put24(h->bth.psn, get24(p->bth.psn) + 1);
	be16_add_cpu(&h->meth.msn, 1);
	h->reth.va = cpu_to_be64(be64_to_cpu(p->reth.va) + len);
}

/**
 * mrc_wire_follows - are these the headers of a later packet of a run?
 * @buf: headers of a packet, MRC_HDR_STREAM bytes
 * @first: those of a packet that mrc_wire_parse_data() has found good: WRITE
 *	Only, no TSETH
 * @n: which after @first, 1 is what mrc_wire_build_next() makes
 * @len: payload of each, bytes
 *
 * The receiver's short cut: what would be found in @buf is known then. Message
 * numbers, which nobody looks at, may differ.
 *
 * Context: Any.
 * Return: true if so.
 */
bool mrc_wire_follows(const void *buf, const void *first, u32 n, u32 len)
{
	const struct mrc_hdr_plain *h = buf, *p = first;

	/* words, not fields: it is done for each packet */
	return !memcmp(h, p, MRC_BTH_FIXED) &&
	       h->bth.flags == p->bth.flags &&
	       get24(h->bth.psn) == ((get24(p->bth.psn) + n) & MRC_PSN_MASK) &&
	       be64_to_cpu(h->reth.va) ==
	       be64_to_cpu(p->reth.va) + (u64)n * len &&
	       !memcmp(&h->reth.rkey, &p->reth.rkey,
		       sizeof(h->reth.rkey) + sizeof(h->reth.dma_len));
}

static unsigned int build_seth(void *buf, const struct mrc_sack *in)
{
	u16 nxt = in->has_prof ? MRC_NXT_PROFILE : MRC_NXT_NONE;
	struct mrc_hdr_seth *h = buf;

	h->type_nxt = cpu_to_be16(nxt << NXT_SHIFT |
				  (in->mark & SETH_MARK_MASK) <<
				  SETH_MARK_SHIFT |
				  (in->probe ? SETH_PR : 0));
	h->ack_off = cpu_to_be16(in->probe ? in->probe_id : (u16)in->ack_off);
	h->ev = cpu_to_be32(in->ev);
	h->spdcid = cpu_to_be16(in->spdcid);
	h->dpdcid = cpu_to_be16(in->dpdcid);
	h->res0 = 0;
	put24(h->cack, in->cack);
	h->cc_type = MRC_CC_TYPE_SACK << CC_TYPE_SHIFT;
	h->mpr = in->mpr;
	h->sack_off = cpu_to_be16((u16)in->sack_off);
	h->bitmap = cpu_to_be64(in->bitmap);
	return sizeof(*h);
}

static unsigned int build_cc(void *buf, const struct mrc_sack *in)
{
	struct mrc_hdr_cc *h = buf;

	h->ts = cpu_to_be16(in->ts);
	h->ooo = cpu_to_be16(in->ooo & CC_OOO_MASK);
	h->pen = (in->restore_cwnd ? CC_RESTORE : 0) | (in->pen & MRC_PEN_MAX);
	put24(h->rcvd, in->rcvd);
	return sizeof(*h);
}

static unsigned int build_prof(void *buf, const struct mrc_prof *in)
{
	struct mrc_hdr_prof *h = buf;

	h->next_va = cpu_to_be64(in->next_va);
	h->max_va = cpu_to_be64(in->max_va);
	h->key = cpu_to_be32(in->key);
	h->serial = cpu_to_be32(in->serial);
	h->base = cpu_to_be32(in->base & MRC_PSN_MASK);
	h->bitmap = cpu_to_be64(in->bitmap);
	return sizeof(*h);
}

/**
 * mrc_wire_build_sack - build a SACK
 * @buf: room for MRC_LEN_SACK_PROF bytes
 * @in: what it says
 *
 * Context: Any.
 * Return: bytes written.
 */
unsigned int mrc_wire_build_sack(void *buf, const struct mrc_sack *in)
{
	u8 *p = buf;

	p += build_ctrl(p, MRC_OP_SACK, in->dqpn, in->cack);
	p += build_seth(p, in);
	p += build_cc(p, in);
	if (in->has_prof)
		p += build_prof(p, &in->prof);
	return p - (u8 *)buf;
}

/**
 * mrc_wire_build_nack - build a NACK
 * @buf: room for MRC_LEN_NACK_KEY bytes
 * @in: what it says
 *
 * Context: Any.
 * Return: bytes written.
 */
unsigned int mrc_wire_build_nack(void *buf, const struct mrc_nack *in)
{
	u16 nxt = in->has_key ? MRC_NXT_KEY : MRC_NXT_NONE;
	struct mrc_hdr_neth *h;
	u8 *p = buf;

	p += build_ctrl(p, MRC_OP_NACK, in->dqpn, in->psn);
	h = (void *)p;
	memset(h, 0, sizeof(*h));
	h->type_nxt = cpu_to_be16(nxt << NXT_SHIFT);
	h->reason = in->reason;
	h->vendor = in->vendor;
	h->ev = cpu_to_be32(in->ev);
	h->spdcid = cpu_to_be16(in->spdcid);
	h->dpdcid = cpu_to_be16(in->dpdcid);
	put24(h->psn, in->psn);
	h->cc_type = MRC_CC_TYPE_NACK << CC_TYPE_SHIFT;
	h->ts = cpu_to_be16(in->ts);
	p += sizeof(*h);
	if (in->has_key)
		p += build_key(p, in->key);
	return p - (u8 *)buf;
}

/**
 * mrc_wire_build_probe - build a reliability probe
 * @buf: room for MRC_LEN_PROBE_KEY bytes
 * @in: what it says
 *
 * The caller pads it with zeros, at least to MRC_LEN_PROBE_MIN.
 *
 * Context: Any.
 * Return: bytes written.
 */
unsigned int mrc_wire_build_probe(void *buf, const struct mrc_probe *in)
{
	u16 nh = in->has_key ? MRC_NXT_KEY : MRC_NXT_NONE;
	struct mrc_hdr_peth *h;
	u8 *p = buf;

	p += build_ctrl(p, MRC_OP_PROBE, in->dqpn, in->psn);
	h = (void *)p;
	memset(h, 0, sizeof(*h));
	h->type_nh = cpu_to_be16(nh << NXT_SHIFT);
	h->probe_id = cpu_to_be16(in->probe_id);
	h->spdcid = cpu_to_be16(in->spdcid);
	h->dpdcid = cpu_to_be16(in->dpdcid);
	h->ts = cpu_to_be16(in->ts);
	h->tsr_ftype = build_ftype(in->tsr);
	p += sizeof(*h);
	if (in->has_key)
		p += build_key(p, in->key);
	return p - (u8 *)buf;
}

/**
 * mrc_wire_build_nak - build a transport ACK or NAK
 * @buf: room for MRC_LEN_NAK_KEY bytes
 * @in: what it says
 *
 * Context: Any.
 * Return: bytes written.
 */
unsigned int mrc_wire_build_nak(void *buf, const struct mrc_nak *in)
{
	struct mrc_hdr_aeth *h;
	u8 *p = buf;

	p += build_ctrl(p, MRC_OP_ACK, in->dqpn, in->psn);
	h = (void *)p;
	h->syndrome = in->syndrome;
	put24(h->msn, in->msn);
	p += sizeof(*h);
	if (in->has_key)
		p += build_key(p, in->key);
	return p - (u8 *)buf;
}

static unsigned int build_erth(void *buf, const struct mrc_eph *in)
{
	struct mrc_hdr_erth *h = buf;

	memset(h, 0, sizeof(*h));
	h->type_nxt = cpu_to_be16((in->op & OP_MASK) << ERTH_OP_SHIFT);
	h->vendor = in->vendor;
	h->ports = cpu_to_be32(in->ports);
	h->ts = cpu_to_be16(in->ts);
	h->tsr_ftype = build_ftype(in->tsr);
	return sizeof(*h);
}

static unsigned int build_eeth(void *buf, const struct mrc_eph *in)
{
	struct mrc_hdr_eeth *h = buf;

	memset(h, 0, sizeof(*h));
	h->type_nxt = cpu_to_be16((in->op & OP_MASK) << EETH_OP_SHIFT);
	h->ts = cpu_to_be16(in->ts);
	return sizeof(*h);
}

/**
 * mrc_wire_build_eph - build an endpoint request or response
 * @buf: room for MRC_LEN_EP_RSP bytes
 * @in: what it says
 *
 * The caller pads a request with zeros, at least to MRC_LEN_EP_REQ_MIN.
 *
 * Context: Any.
 * Return: bytes written.
 */
unsigned int mrc_wire_build_eph(void *buf, const struct mrc_eph *in)
{
	u8 opcode = in->response ? MRC_OP_EP_RSP : MRC_OP_EP_REQ;
	u8 *p = buf;

	p += build_ctrl(p, opcode, MRC_QPN_ENDPOINT, in->id);
	p += in->response ? build_eeth(p, in) : build_erth(p, in);
	return p - (u8 *)buf;
}
