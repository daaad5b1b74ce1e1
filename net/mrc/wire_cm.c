// SPDX-License-Identifier: GPL-2.0
/*
 * Parse and build connection management messages.
 *
 * One table describes the TLVs, one the TLVs that each message needs. A TLV
 * that is not known is skipped, unless it says that it must not be: so later
 * versions can add to these messages.
 */
#include <linux/bits.h>
#include <linux/string.h>

#include "wire_cm.h"

/**
 * struct tlv_desc - one kind of TLV
 * @flags: MRC_TLV_MANDATORY if we send it so
 * @width: 4 or 8 if it is a plain number of so many bytes, else 0
 * @off: of that number in struct mrc_cm_msg
 * @min: bytes of its value at least, if it has its own code
 * @max: at most
 */
struct tlv_desc {
	u16	flags;
	u8	width;
	u8	off;
	u8	min;
	u8	max;
};

#define TLV_NUM(bits, field, mandatory) {				\
	.flags = (mandatory),						\
	.width = (bits) / 8,						\
	.off = offsetof(struct mrc_cm_msg, field),			\
}

#define TLV_OWN(lo, hi, mandatory) {					\
	.min = (lo),							\
	.max = (hi),							\
	.flags = (mandatory),						\
}

#define PORTS_LEN		4
#define SOCK_TYPE_LEN		4
#define REASON_LEN_MIN		4
#define REASON_LEN		8
#define REASON_LEN_MAX		64	/* what follows info is for later */
#define ECHO_LEN		16

static const struct tlv_desc tlv_descs[MRC_TLV_KNOWN + 1] = {
	[MRC_TLV_PORTS]	= TLV_OWN(PORTS_LEN, PORTS_LEN, MRC_TLV_MANDATORY),
	[MRC_TLV_SOCK_TYPE] = TLV_OWN(SOCK_TYPE_LEN, SOCK_TYPE_LEN,
				      MRC_TLV_MANDATORY),
	[MRC_TLV_TOKEN]	= TLV_NUM(64, own_token, MRC_TLV_MANDATORY),
	[MRC_TLV_QPN]	= TLV_NUM(32, qpn, MRC_TLV_MANDATORY),
	[MRC_TLV_PSN]	= TLV_NUM(32, psn, MRC_TLV_MANDATORY),
	[MRC_TLV_RKEY]	= TLV_NUM(32, rkey, MRC_TLV_MANDATORY),
	[MRC_TLV_KEY]	= TLV_NUM(32, key, MRC_TLV_MANDATORY),
	[MRC_TLV_MPR]	= TLV_NUM(32, mpr, MRC_TLV_MANDATORY),
	[MRC_TLV_PKT_SIZE] = TLV_NUM(32, pkt_size, MRC_TLV_MANDATORY),
	[MRC_TLV_WINDOW] = TLV_NUM(64, window, MRC_TLV_MANDATORY),
	[MRC_TLV_MAX_MSG] = TLV_NUM(32, max_msg, MRC_TLV_MANDATORY),
	[MRC_TLV_MAX_WIMM] = TLV_NUM(32, max_wimm, MRC_TLV_MANDATORY),
	[MRC_TLV_PLANES] = TLV_NUM(32, planes, MRC_TLV_MANDATORY),
	[MRC_TLV_CAPS]	= TLV_NUM(32, caps, 0),
	[MRC_TLV_COOKIE] = TLV_OWN(1, MRC_CM_COOKIE_MAX, 0),
	[MRC_TLV_REASON] = TLV_OWN(REASON_LEN_MIN, REASON_LEN_MAX, 0),
	[MRC_TLV_ECHO]	= TLV_OWN(ECHO_LEN, ECHO_LEN, MRC_TLV_MANDATORY),
};

#define T(name)			BIT(MRC_TLV_##name)
#define NEED_SIDE	(T(TOKEN) | T(QPN) | T(PSN) | T(RKEY) | T(KEY) | \
			 T(MPR) | T(PKT_SIZE) | T(WINDOW) | T(MAX_MSG) | \
			 T(MAX_WIMM) | T(PLANES))

static const u32 cm_needs[MRC_CM_GONE + 1] = {
	[MRC_CM_REQ]	= T(PORTS) | T(SOCK_TYPE) | NEED_SIDE,
	[MRC_CM_REP]	= NEED_SIDE,
	[MRC_CM_RTU]	= 0,
	[MRC_CM_REJ]	= T(REASON),
	[MRC_CM_ABORT]	= T(REASON),
	[MRC_CM_GONE]	= T(ECHO),
};

static u16 get16(const u8 *p)
{
	return (u16)p[0] << 8 | p[1];
}

static u32 get32(const u8 *p)
{
	return (u32)get16(p) << 16 | get16(p + 2);
}

static u64 get64(const u8 *p)
{
	return (u64)get32(p) << 32 | get32(p + 4);
}

static void put16(u8 *p, u16 v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static void put32(u8 *p, u32 v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

static void put64(u8 *p, u64 v)
{
	put32(p, v >> 32);
	put32(p + 4, v);
}

static unsigned int tlv_padded(unsigned int len)
{
	return (len + 3) & ~3U;
}

static bool tlv_len_ok(const struct tlv_desc *desc, unsigned int len)
{
	if (desc->width)
		return len == desc->width;
	return len >= desc->min && len <= desc->max;
}

static void tlv_get_num(const struct tlv_desc *desc, const u8 *p,
			struct mrc_cm_msg *out)
{
	void *field = (u8 *)out + desc->off;

	if (desc->width == sizeof(u64))
		*(u64 *)field = get64(p);
	else
		*(u32 *)field = get32(p);
}

/* Values whose TLV holds more, or less, than one number of its size. */
static void tlv_get_own(unsigned int type, const u8 *p, unsigned int len,
			struct mrc_cm_msg *out)
{
	switch (type) {
	case MRC_TLV_PORTS:
		out->sport = get16(p);
		out->dport = get16(p + 2);
		break;
	case MRC_TLV_SOCK_TYPE:
		/* Too large for a byte is no type we know: keep it so. */
		out->sock_type = get32(p) > 0xff ? 0 : get32(p);
		break;
	case MRC_TLV_COOKIE:
		out->cookie_len = len;
		memcpy(out->cookie, p, len);
		break;
	case MRC_TLV_REASON:
		out->reason = get16(p);
		out->reason_info = len >= REASON_LEN ? get32(p + 4) : 0;
		break;
	case MRC_TLV_ECHO:
		out->echo.kind = p[0];
		out->echo.qpn = get32(p + 4);
		out->echo.psn = get32(p + 8);
		out->echo.key = get32(p + 12);
		break;
	}
}

/* Is the value just read one that a peer of ours could mean? */
static bool tlv_value_ok(unsigned int type, const struct mrc_cm_msg *msg)
{
	switch (type) {
	case MRC_TLV_PORTS:
		return msg->sport && msg->dport;
	case MRC_TLV_SOCK_TYPE:
		return msg->sock_type == MRC_CM_STREAM ||
		       msg->sock_type == MRC_CM_SEQPACKET;
	case MRC_TLV_TOKEN:
		return msg->own_token;
	case MRC_TLV_QPN:
		return msg->qpn >= MRC_QPN_MIN && msg->qpn <= MRC_QPN_MASK;
	case MRC_TLV_PSN:
		return msg->psn <= MRC_PSN_MASK;
	case MRC_TLV_MPR:
		return msg->mpr;
	case MRC_TLV_PKT_SIZE:
		return msg->pkt_size && !(msg->pkt_size & 3);
	case MRC_TLV_ECHO:
		return msg->echo.kind == MRC_KIND_DATA ||
		       msg->echo.kind == MRC_KIND_PROBE;
	default:
		return true;
	}
}

static int tlv_get(u16 type, const u8 *p, unsigned int len,
		   struct mrc_cm_msg *out)
{
	unsigned int t = type & ~MRC_TLV_MANDATORY;
	const struct tlv_desc *desc;

	if (!t || t > MRC_TLV_KNOWN)
		return type & MRC_TLV_MANDATORY ? -MRC_DROP_CM_TLV_UNKNOWN : 0;
	desc = &tlv_descs[t];
	if (out->present & BIT(t))
		return -MRC_DROP_CM_TLV_DUP;
	if (!tlv_len_ok(desc, len))
		return -MRC_DROP_CM_TLV_LEN;

	if (desc->width)
		tlv_get_num(desc, p, out);
	else
		tlv_get_own(t, p, len, out);
	if (!tlv_value_ok(t, out))
		return -MRC_DROP_CM_TLV_VALUE;
	out->present |= BIT(t);
	return 0;
}

/* @left is a multiple of 4, so padding never runs past the end. */
static int parse_tlvs(const u8 *p, unsigned int left, struct mrc_cm_msg *out)
{
	while (left) {
		unsigned int len = get16(p + 2);
		int err;

		if (len > left - sizeof(struct mrc_hdr_tlv))
			return -MRC_DROP_CM_TLV;
		err = tlv_get(get16(p), p + sizeof(struct mrc_hdr_tlv), len,
			      out);
		if (err)
			return err;
		len = sizeof(struct mrc_hdr_tlv) + tlv_padded(len);
		p += len;
		left -= len;
	}
	return 0;
}

static bool has_all(const struct mrc_cm_msg *msg)
{
	u32 need = cm_needs[msg->type];

	if (msg->type == MRC_CM_REJ && msg->reason == MRC_CM_R_COOKIE)
		need |= T(COOKIE);
	return (msg->present & need) == need;
}

/**
 * mrc_cm_parse - parse a connection management message
 * @buf: packet from its BTH on
 * @len: bytes in @buf: the packet without its ICRC, with zero padding
 * @out: filled; on an error with as much as could be read: .token and .type
 *	if the header was there, else 0, and the TLVs before the bad one, for
 *	whoever wants to answer with a REJ
 *
 * Context: Any.
 * Return: 0, or -MRC_DROP_xxx: those of mrc_wire_classify(), SHORT,
 * CM_VERSION, CM_TYPE, CM_LEN, CM_TLV (cut short), CM_TLV_UNKNOWN,
 * CM_TLV_DUP, CM_TLV_LEN, CM_TLV_VALUE, CM_TLV_MISSING.
 */
int mrc_cm_parse(const void *buf, unsigned int len, struct mrc_cm_msg *out)
{
	const struct mrc_hdr_cm *h = buf + MRC_LEN_BTH;
	struct mrc_bth bth;
	int err;

	memset(out, 0, sizeof(*out));
	err = mrc_wire_classify(buf, len, &bth);
	if (err < 0)
		return err;
	if (err != MRC_KIND_CM)
		return -MRC_DROP_OPCODE;
	if (len < MRC_CM_HDR_LEN)
		return -MRC_DROP_SHORT;

	out->type = h->type;
	out->version = h->version;
	out->token = be64_to_cpu(h->token);
	if (h->version != MRC_CM_VERSION)
		return -MRC_DROP_CM_VERSION;
	if (h->type < MRC_CM_REQ || h->type > MRC_CM_GONE)
		return -MRC_DROP_CM_TYPE;

	len -= MRC_CM_HDR_LEN;
	if (be16_to_cpu(h->len) & 3 || be16_to_cpu(h->len) > len)
		return -MRC_DROP_CM_LEN;
	err = parse_tlvs((const u8 *)(h + 1), be16_to_cpu(h->len), out);
	if (err)
		return err;
	return has_all(out) ? 0 : -MRC_DROP_CM_TLV_MISSING;
}

static unsigned int tlv_put_num(const struct tlv_desc *desc, u8 *p,
				const struct mrc_cm_msg *in)
{
	const void *field = (const u8 *)in + desc->off;

	if (desc->width == sizeof(u64))
		put64(p, *(const u64 *)field);
	else
		put32(p, *(const u32 *)field);
	return desc->width;
}

static unsigned int tlv_put_own(unsigned int type, u8 *p,
				const struct mrc_cm_msg *in)
{
	unsigned int len = 0;

	switch (type) {
	case MRC_TLV_PORTS:
		put16(p, in->sport);
		put16(p + 2, in->dport);
		return PORTS_LEN;
	case MRC_TLV_SOCK_TYPE:
		put32(p, in->sock_type);
		return SOCK_TYPE_LEN;
	case MRC_TLV_COOKIE:
		len = in->cookie_len;
		if (len > MRC_CM_COOKIE_MAX)
			len = MRC_CM_COOKIE_MAX;
		memset(p, 0, tlv_padded(len));
		memcpy(p, in->cookie, len);
		return len;
	case MRC_TLV_REASON:
		put32(p, (u32)in->reason << 16);
		put32(p + 4, in->reason_info);
		return REASON_LEN;
	case MRC_TLV_ECHO:
		put32(p, (u32)in->echo.kind << 24);
		put32(p + 4, in->echo.qpn);
		put32(p + 8, in->echo.psn);
		put32(p + 12, in->echo.key);
		return ECHO_LEN;
	}
	return len;
}

static unsigned int tlv_put(unsigned int type, u8 *p,
			    const struct mrc_cm_msg *in)
{
	const struct tlv_desc *desc = &tlv_descs[type];
	u8 *value = p + sizeof(struct mrc_hdr_tlv);
	unsigned int len;

	len = desc->width ? tlv_put_num(desc, value, in) :
			    tlv_put_own(type, value, in);
	put16(p, type | desc->flags);
	put16(p + 2, len);
	return sizeof(struct mrc_hdr_tlv) + tlv_padded(len);
}

/**
 * mrc_cm_build - build a connection management message
 * @buf: room for MRC_CM_MSG_MAX bytes
 * @in: what it says; TLVs by .present, .version is not used
 *
 * The caller pads a REQ with zeros to MRC_CM_REQ_LEN.
 *
 * Context: Any.
 * Return: bytes written.
 */
unsigned int mrc_cm_build(void *buf, const struct mrc_cm_msg *in)
{
	struct mrc_hdr_cm *h = buf + MRC_LEN_BTH;
	struct mrc_hdr_bth *bth = buf;
	u8 *p = (u8 *)(h + 1);
	unsigned int t;

	memset(buf, 0, MRC_CM_HDR_LEN);
	bth->opcode = MRC_OP_CM;
	bth->pkey = cpu_to_be16(MRC_PKEY);
	bth->dqpn[2] = MRC_QPN_CM;

	for (t = 1; t <= MRC_TLV_KNOWN; t++)
		if (in->present & BIT(t))
			p += tlv_put(t, p, in);

	h->type = in->type;
	h->version = MRC_CM_VERSION;
	h->len = cpu_to_be16(p - (u8 *)(h + 1));
	h->token = cpu_to_be64(in->token);
	return p - (u8 *)buf;
}
