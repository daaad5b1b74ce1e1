// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of connection management messages: golden bytes, every TLV
 * missing, twice, too long, too short or impossible, and what later versions
 * may send.
 */
#include <kunit/test.h>
#include <linux/math.h>
#include <linux/string.h>

#include "../wire_cm.h"

#define BUF_LEN		448
#define TLVS		MRC_CM_HDR_LEN	/* where the TLVs begin */
#define ALL_SIDE							\
	(BIT(MRC_TLV_TOKEN) | BIT(MRC_TLV_QPN) | BIT(MRC_TLV_PSN) |	\
	 BIT(MRC_TLV_RKEY) | BIT(MRC_TLV_KEY) | BIT(MRC_TLV_MPR) |	\
	 BIT(MRC_TLV_PKT_SIZE) | BIT(MRC_TLV_WINDOW) |			\
	 BIT(MRC_TLV_MAX_MSG) | BIT(MRC_TLV_MAX_WIMM) |			\
	 BIT(MRC_TLV_PLANES))
#define ALL_REQ		(BIT(MRC_TLV_PORTS) | BIT(MRC_TLV_SOCK_TYPE) | ALL_SIDE)

struct cm_golden {
	const char *name;
	unsigned int len;
	u8 bytes[160];
	struct mrc_cm_msg msg;
};

enum { G_REQ, G_REP, G_RTU, G_REJ, G_ABORT, G_GONE, G_MAX };

static const struct cm_golden goldens[G_MAX] = {
	[G_REQ] = {
		.name = "REQ",
		.len = 28 + 112,
		.bytes = {
			0xdf, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
			0x00, 0x00, 0x00, 0x00,
			0x01, 0x01, 0x00, 0x70, 0x00, 0x00, 0x00, 0x00,
			0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
			0x80, 0x01, 0x00, 0x04, 0xc0, 0x00, 0x00, 0x50,
			0x80, 0x02, 0x00, 0x04, 0x00, 0x00, 0x00, 0x01,
			0x80, 0x03, 0x00, 0x08,
			0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
			0x80, 0x04, 0x00, 0x04, 0x00, 0x12, 0x34, 0x56,
			0x80, 0x05, 0x00, 0x04, 0x00, 0xff, 0xff, 0xfe,
			0x80, 0x06, 0x00, 0x04, 0xca, 0xfe, 0xf0, 0x0d,
			0x80, 0x07, 0x00, 0x04, 0xde, 0xad, 0xbe, 0xef,
			0x80, 0x08, 0x00, 0x04, 0x00, 0x00, 0x04, 0x00,
			0x80, 0x09, 0x00, 0x04, 0x00, 0x00, 0x10, 0x00,
			0x80, 0x0a, 0x00, 0x08,
			0x00, 0x00, 0x00, 0x01, 0x00, 0x20, 0x00, 0x00,
			0x80, 0x0b, 0x00, 0x04, 0x00, 0x10, 0x00, 0x00,
			0x80, 0x0c, 0x00, 0x04, 0x00, 0x00, 0x00, 0x10,
			0x80, 0x0d, 0x00, 0x04, 0x80, 0x00, 0x00, 0x0f,
		},
		.msg = {
			.type = MRC_CM_REQ, .version = 1, .present = ALL_REQ,
			.sport = 49152, .dport = 80,
			.sock_type = MRC_CM_STREAM,
			.own_token = 0x0123456789abcdef,
			.qpn = 0x123456, .psn = 0xfffffe,
			.rkey = 0xcafef00d, .key = 0xdeadbeef,
			.mpr = 1024, .pkt_size = 4096,
			.window = 0x100200000, .max_msg = 0x100000,
			.max_wimm = 16, .planes = 0x8000000f,
		},
	},
	[G_REP] = {
		.name = "REP with capabilities",
		.len = 28 + 104,
		.bytes = {
			0xdf, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
			0x00, 0x00, 0x00, 0x00,
			0x02, 0x01, 0x00, 0x68, 0x00, 0x00, 0x00, 0x00,
			0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
			0x80, 0x03, 0x00, 0x08,
			0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
			0x80, 0x04, 0x00, 0x04, 0x00, 0x00, 0x00, 0x03,
			0x80, 0x05, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00,
			0x80, 0x06, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00,
			0x80, 0x07, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00,
			0x80, 0x08, 0x00, 0x04, 0x00, 0x00, 0x00, 0x80,
			0x80, 0x09, 0x00, 0x04, 0x00, 0x00, 0x05, 0x00,
			0x80, 0x0a, 0x00, 0x08,
			0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
			0x80, 0x0b, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00,
			0x80, 0x0c, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00,
			0x80, 0x0d, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00,
			0x00, 0x0e, 0x00, 0x04, 0x00, 0x00, 0x00, 0x11,
		},
		.msg = {
			.type = MRC_CM_REP, .version = 1,
			.present = ALL_SIDE | BIT(MRC_TLV_CAPS),
			.token = 0x0123456789abcdef,
			.own_token = 0xfedcba9876543210,
			.qpn = 3, .mpr = 128, .pkt_size = 1280,
			.caps = MRC_CAP_ICRC | MRC_CAP_EV_LAYOUT,
		},
	},
	[G_RTU] = {
		.name = "RTU",
		.len = 28,
		.bytes = {
			0xdf, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
			0x00, 0x00, 0x00, 0x00,
			0x03, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
			0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
		},
		.msg = {
			.type = MRC_CM_RTU, .version = 1,
			.token = 0xfedcba9876543210,
		},
	},
	[G_REJ] = {
		.name = "REJ with a cookie of 5 bytes",
		.len = 28 + 24,
		.bytes = {
			0xdf, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
			0x00, 0x00, 0x00, 0x00,
			0x04, 0x01, 0x00, 0x18, 0x00, 0x00, 0x00, 0x00,
			0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
			0x00, 0x0f, 0x00, 0x05,
			'c', 'o', 'o', 'k', 'y', 0x00, 0x00, 0x00,
			0x00, 0x10, 0x00, 0x08,
			0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		},
		.msg = {
			.type = MRC_CM_REJ, .version = 1,
			.present = BIT(MRC_TLV_COOKIE) | BIT(MRC_TLV_REASON),
			.token = 0x0123456789abcdef,
			.reason = MRC_CM_R_COOKIE,
			.cookie_len = 5, .cookie = "cooky",
		},
	},
	[G_ABORT] = {
		.name = "ABORT",
		.len = 28 + 12,
		.bytes = {
			0xdf, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
			0x00, 0x00, 0x00, 0x00,
			0x05, 0x01, 0x00, 0x0c, 0x00, 0x00, 0x00, 0x00,
			0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
			0x00, 0x10, 0x00, 0x08,
			0x00, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02,
		},
		.msg = {
			.type = MRC_CM_ABORT, .version = 1,
			.present = BIT(MRC_TLV_REASON),
			.token = 0x0123456789abcdef,
			.reason = MRC_CM_R_CLOSED, .reason_info = 0x102,
		},
	},
	[G_GONE] = {
		.name = "GONE",
		.len = 28 + 20,
		.bytes = {
			0xdf, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
			0x00, 0x00, 0x00, 0x00,
			0x06, 0x01, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00,
			0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
			0x80, 0x11, 0x00, 0x10, 0x04, 0x00, 0x00, 0x00,
			0x00, 0x12, 0x34, 0x56, 0x00, 0x00, 0xbe, 0xef,
			0xde, 0xad, 0xbe, 0xef,
		},
		.msg = {
			.type = MRC_CM_GONE, .version = 1,
			.present = BIT(MRC_TLV_ECHO),
			.echo = {
				.kind = MRC_KIND_PROBE, .qpn = 0x123456,
				.psn = 0xbeef, .key = 0xdeadbeef,
			},
		},
	},
};

static void golden_desc(const struct cm_golden *g, char *desc)
{
	strscpy(desc, g->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(golden, goldens, golden_desc);

static void cm_golden_test(struct kunit *test)
{
	const struct cm_golden *g = test->param_value;
	struct mrc_cm_msg msg;
	u8 buf[BUF_LEN];

	KUNIT_EXPECT_EQ(test, mrc_cm_parse(g->bytes, g->len, &msg), 0);
	KUNIT_EXPECT_MEMEQ(test, &msg, &g->msg, sizeof(msg));

	memset(buf, 0xee, sizeof(buf));
	KUNIT_EXPECT_EQ(test, mrc_cm_build(buf, &g->msg), g->len);
	KUNIT_EXPECT_MEMEQ(test, buf, g->bytes, g->len);
	KUNIT_EXPECT_EQ(test, buf[g->len], 0xee);
}

/* Reserved bits and padding behind the TLVs change nothing. */
static void cm_reserved_test(struct kunit *test)
{
	const struct cm_golden *g = test->param_value;
	struct mrc_cm_msg msg;
	u8 buf[BUF_LEN] = {};

	memcpy(buf, g->bytes, g->len);
	buf[1] |= 0xc0;
	buf[4] = 0xff;
	buf[8] = 0xff;
	buf[11] = 0xff;
	memset(buf + 16, 0xff, 4);
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, MRC_CM_REQ_LEN, &msg), 0);
	KUNIT_EXPECT_MEMEQ(test, &msg, &g->msg, sizeof(msg));
}

/* What a message whose TLVs end after @len bytes deserves. */
static int cut_verdict(const struct cm_golden *g, unsigned int len)
{
	unsigned int off = 0;

	if (len & 3)
		return -MRC_DROP_CM_LEN;
	while (off < len)
		off += 4 + round_up(g->bytes[TLVS + off + 3], 4);
	if (off > len)
		return -MRC_DROP_CM_TLV;
	/* REP's last TLV is not needed: without it, it is whole. */
	if (g->msg.type == MRC_CM_REP && off == g->len - TLVS - 8)
		return 0;
	return -MRC_DROP_CM_TLV_MISSING;
}

/* A packet cut anywhere is refused, and so is a length that cuts a TLV. */
static void cm_cut_test(struct kunit *test)
{
	const struct cm_golden *g = test->param_value;
	struct mrc_cm_msg msg;
	u8 buf[BUF_LEN];
	unsigned int len;

	for (len = 0; len < g->len; len++)
		KUNIT_EXPECT_EQ_MSG(test, mrc_cm_parse(g->bytes, len, &msg),
				    len < TLVS ? -MRC_DROP_SHORT :
						 -MRC_DROP_CM_LEN,
				    "length %u", len);

	memcpy(buf, g->bytes, g->len);
	for (len = 0; len < g->len - TLVS; len++) {
		buf[15] = len;
		KUNIT_EXPECT_EQ_MSG(test, mrc_cm_parse(buf, g->len, &msg),
				    cut_verdict(g, len), "TLVs of %u", len);
	}
}

struct cm_bad {
	const char *name;
	unsigned int from;
	u8 off;
	u8 val;
	int err;
};

static const struct cm_bad bads[] = {
	{ "another kind", G_RTU, 0, 0xde, MRC_DROP_QP },
	{ "opcode", G_RTU, 0, 0xe0, MRC_DROP_OPCODE },
	{ "tver", G_RTU, 1, 0x01, MRC_DROP_TVER },
	{ "pad", G_RTU, 1, 0x10, MRC_DROP_PAD },
	{ "pkey", G_RTU, 3, 0x00, MRC_DROP_PKEY },
	{ "to QP 2", G_RTU, 7, 0x02, MRC_DROP_QP },
	{ "type 0", G_RTU, 12, 0, MRC_DROP_CM_TYPE },
	{ "type 7", G_RTU, 12, 7, MRC_DROP_CM_TYPE },
	{ "version 0", G_RTU, 13, 0, MRC_DROP_CM_VERSION },
	{ "version 2", G_RTU, 13, 2, MRC_DROP_CM_VERSION },
	{ "length beyond the packet", G_RTU, 15, 4, MRC_DROP_CM_LEN },
	{ "length far beyond it", G_RTU, 14, 0xff, MRC_DROP_CM_LEN },
	{ "TLV ends behind the message", G_ABORT, TLVS + 3, 9,
	  MRC_DROP_CM_TLV },
	{ "TLV ends far behind it", G_ABORT, TLVS + 2, 0xff,
	  MRC_DROP_CM_TLV },
	{ "unknown mandatory", G_ABORT, TLVS, 0x80 | 0x7f,
	  MRC_DROP_CM_TLV_UNKNOWN },
	{ "unknown mandatory 18", G_GONE, TLVS + 1, 18,
	  MRC_DROP_CM_TLV_UNKNOWN },
	{ "mandatory 0", G_GONE, TLVS + 1, 0, MRC_DROP_CM_TLV_UNKNOWN },
	{ "the only TLV is unknown", G_ABORT, TLVS + 1, 18,
	  MRC_DROP_CM_TLV_MISSING },
	{ "cookie reason without cookie", G_REJ, TLVS + 1, 0x7f,
	  MRC_DROP_CM_TLV_MISSING },
	{ "twice", G_REQ, TLVS + 9, MRC_TLV_PORTS, MRC_DROP_CM_TLV_DUP },
	{ "reason of 3 bytes", G_ABORT, TLVS + 3, 3, MRC_DROP_CM_TLV_LEN },
	{ "cookie of 0 bytes", G_REJ, TLVS + 3, 0, MRC_DROP_CM_TLV_LEN },
	{ "echo of 15 bytes", G_GONE, TLVS + 3, 15, MRC_DROP_CM_TLV_LEN },
	{ "echo of a SACK", G_GONE, TLVS + 4, MRC_KIND_SACK,
	  MRC_DROP_CM_TLV_VALUE },
};

static void bad_desc(const struct cm_bad *b, char *desc)
{
	strscpy(desc, b->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad, bads, bad_desc);

static void cm_bad_test(struct kunit *test)
{
	const struct cm_bad *b = test->param_value;
	const struct cm_golden *g = &goldens[b->from];
	struct mrc_cm_msg msg;
	u8 buf[BUF_LEN];

	memcpy(buf, g->bytes, g->len);
	buf[b->off] = b->val;
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, g->len, &msg), -b->err);
}

struct cm_value {
	const char *name;
	unsigned int tlv;
	struct mrc_cm_msg msg;
	bool ok;
};

static const struct cm_value values[] = {
	{ "no source port", MRC_TLV_PORTS, { .dport = 1 } },
	{ "no destination port", MRC_TLV_PORTS, { .sport = 1 } },
	{ "ports", MRC_TLV_PORTS, { .sport = 1, .dport = 65535 }, true },
	{ "type 0", MRC_TLV_SOCK_TYPE, { .sock_type = 0 } },
	{ "type 3", MRC_TLV_SOCK_TYPE, { .sock_type = 3 } },
	{ "seqpacket", MRC_TLV_SOCK_TYPE, { .sock_type = 2 }, true },
	{ "token 0", MRC_TLV_TOKEN, { .own_token = 0 } },
	{ "token 1", MRC_TLV_TOKEN, { .own_token = 1 }, true },
	{ "high token", MRC_TLV_TOKEN, { .own_token = 1ULL << 63 }, true },
	{ "QPN 2", MRC_TLV_QPN, { .qpn = 2 } },
	{ "QPN of 25 bits", MRC_TLV_QPN, { .qpn = 0x1000000 } },
	{ "highest QPN", MRC_TLV_QPN, { .qpn = 0xffffff }, true },
	{ "PSN of 25 bits", MRC_TLV_PSN, { .psn = 0x1000000 } },
	{ "highest PSN", MRC_TLV_PSN, { .psn = 0xffffff }, true },
	{ "MPR 0", MRC_TLV_MPR, { .mpr = 0 } },
	{ "MPR 1", MRC_TLV_MPR, { .mpr = 1 }, true },
	{ "packet size 0", MRC_TLV_PKT_SIZE, { .pkt_size = 0 } },
	{ "packet size 1282", MRC_TLV_PKT_SIZE, { .pkt_size = 1282 } },
	{ "packet size 4", MRC_TLV_PKT_SIZE, { .pkt_size = 4 }, true },
	{ "echo of data", MRC_TLV_ECHO, { .echo.kind = MRC_KIND_DATA }, true },
	{ "echo of nothing", MRC_TLV_ECHO, { .echo.kind = 0 } },
	{ "echo of CM", MRC_TLV_ECHO, { .echo.kind = MRC_KIND_CM } },
};

static void value_desc(const struct cm_value *v, char *desc)
{
	strscpy(desc, v->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(value, values, value_desc);

/* The TLV alone in an RTU, which needs none. */
static void cm_value_test(struct kunit *test)
{
	const struct cm_value *v = test->param_value;
	struct mrc_cm_msg msg = v->msg, out;
	unsigned int len;
	u8 buf[BUF_LEN];

	msg.type = MRC_CM_RTU;
	msg.version = MRC_CM_VERSION;
	msg.present = BIT(v->tlv);
	len = mrc_cm_build(buf, &msg);
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, len, &out),
			v->ok ? 0 : -MRC_DROP_CM_TLV_VALUE);
	KUNIT_EXPECT_EQ(test, out.present, v->ok ? msg.present : 0);
	if (v->ok)
		KUNIT_EXPECT_MEMEQ(test, &out, &msg, sizeof(out));
}

/* 256 is no socket type, although its low byte might pass for one. */
static void cm_wide_type_test(struct kunit *test)
{
	struct mrc_cm_msg msg;
	u8 buf[BUF_LEN];

	memcpy(buf, goldens[G_REQ].bytes, goldens[G_REQ].len);
	buf[TLVS + 8 + 6] = 1;
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, goldens[G_REQ].len, &msg),
			-MRC_DROP_CM_TLV_VALUE);
}

/* Whichever needed TLV is missing, the message is refused. */
static void cm_missing_test(struct kunit *test)
{
	const struct cm_golden *g = test->param_value;
	u32 optional = g->msg.type == MRC_CM_REP ? BIT(MRC_TLV_CAPS) : 0;
	struct mrc_cm_msg msg, out;
	unsigned int t, len;
	u8 buf[BUF_LEN];

	for (t = 1; t <= MRC_TLV_KNOWN; t++) {
		if (!(g->msg.present & BIT(t)))
			continue;
		msg = g->msg;
		msg.present &= ~BIT(t);
		len = mrc_cm_build(buf, &msg);
		KUNIT_EXPECT_EQ_MSG(test, mrc_cm_parse(buf, len, &out),
				    optional & BIT(t) ? 0 :
				    -MRC_DROP_CM_TLV_MISSING, "TLV %u", t);
	}
}

/* Append a TLV of zeros to the message in @buf. Return: its new length. */
static unsigned int append(u8 *buf, unsigned int len, u16 type,
			   unsigned int n)
{
	unsigned int tlvs;

	memset(buf + len, 0, 4 + n + 3);
	buf[len] = type >> 8;
	buf[len + 1] = type;
	buf[len + 3] = n;
	len += 4 + ((n + 3) & ~3U);
	tlvs = len - TLVS;
	buf[14] = tlvs >> 8;
	buf[15] = tlvs;
	return len;
}

/* A message with every TLV there is. */
static unsigned int build_full(u8 *buf, struct mrc_cm_msg *msg)
{
	*msg = goldens[G_REQ].msg;
	msg->present = 0;
	while (msg->present < BIT(MRC_TLV_KNOWN))
		msg->present = msg->present << 1 | 2;
	msg->caps = ~0U;
	msg->reason = 0xffff;
	msg->reason_info = ~0U;
	msg->cookie_len = MRC_CM_COOKIE_MAX;
	memset(msg->cookie, 0xc0, sizeof(msg->cookie));
	msg->echo = goldens[G_GONE].msg.echo;
	return mrc_cm_build(buf, msg);
}

static void cm_full_test(struct kunit *test)
{
	struct mrc_cm_msg msg, out;
	unsigned int t, len, full;
	u8 buf[BUF_LEN];

	full = build_full(buf, &msg);
	KUNIT_EXPECT_LE(test, full, MRC_CM_MSG_MAX);
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, full, &out), 0);
	KUNIT_EXPECT_MEMEQ(test, &out, &msg, sizeof(out));

	/* Any of them again, whatever it says, mandatory or not. */
	for (t = 1; t <= MRC_TLV_KNOWN; t++) {
		full = build_full(buf, &msg);
		len = append(buf, full, t, 4);
		KUNIT_EXPECT_EQ_MSG(test, mrc_cm_parse(buf, len, &out),
				    -MRC_DROP_CM_TLV_DUP, "TLV %u", t);
		full = build_full(buf, &msg);
		len = append(buf, full, t | MRC_TLV_MANDATORY, 4);
		KUNIT_EXPECT_EQ_MSG(test, mrc_cm_parse(buf, len, &out),
				    -MRC_DROP_CM_TLV_DUP, "TLV %u", t);
	}
}

/* Which lengths each TLV may have. */
static void cm_tlv_len_test(struct kunit *test)
{
	static const u8 min[MRC_TLV_KNOWN + 1] = {
		0, 4, 4, 8, 4, 4, 4, 4, 4, 4, 8, 4, 4, 4, 4, 1, 4, 16,
	};
	static const u8 max[MRC_TLV_KNOWN + 1] = {
		0, 4, 4, 8, 4, 4, 4, 4, 4, 4, 8, 4, 4, 4, 4, 32, 64, 16,
	};
	struct mrc_cm_msg msg;
	unsigned int t, n, len;
	u8 buf[BUF_LEN];

	for (t = 1; t <= MRC_TLV_KNOWN; t++) {
		for (n = 0; n <= 80; n++) {
			bool fits = n >= min[t] && n <= max[t];
			int err;

			memcpy(buf, goldens[G_RTU].bytes, TLVS);
			len = append(buf, TLVS, t, n);
			err = mrc_cm_parse(buf, len, &msg);
			/* Zero is not a value for all of them. */
			if (fits && err == -MRC_DROP_CM_TLV_VALUE)
				err = 0;
			KUNIT_EXPECT_EQ_MSG(test, err,
					    fits ? 0 : -MRC_DROP_CM_TLV_LEN,
					    "TLV %u of %u bytes", t, n);
		}
	}
}

static void cm_cookie_test(struct kunit *test)
{
	static const u8 zeros[4];
	struct mrc_cm_msg msg = goldens[G_REJ].msg, out;
	unsigned int n, len;
	u8 buf[BUF_LEN];

	for (n = 1; n <= MRC_CM_COOKIE_MAX; n++) {
		memset(msg.cookie, 0, sizeof(msg.cookie));
		memset(msg.cookie, n, n);
		msg.cookie_len = n;
		memset(buf, 0xee, sizeof(buf));
		len = mrc_cm_build(buf, &msg);
		KUNIT_EXPECT_EQ(test, len, TLVS + 4 + round_up(n, 4) + 12);
		KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, len, &out), 0);
		KUNIT_EXPECT_MEMEQ(test, &out, &msg, sizeof(out));
		/* The value is padded with zeros. */
		KUNIT_EXPECT_MEMEQ(test, buf + TLVS + 4 + n, zeros,
				   round_up(n, 4) - n);
	}

	/* A length that no cookie has writes no more than the most. */
	msg.cookie_len = 255;
	len = mrc_cm_build(buf, &msg);
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, len, &out), 0);
	KUNIT_EXPECT_EQ(test, out.cookie_len, MRC_CM_COOKIE_MAX);
}

/* A short REASON has no info; a longer one, of later versions, still reads. */
static void cm_reason_test(struct kunit *test)
{
	struct mrc_cm_msg msg;
	unsigned int len;
	u8 buf[BUF_LEN];

	memcpy(buf, goldens[G_ABORT].bytes, TLVS);
	len = append(buf, TLVS, MRC_TLV_REASON, 4);
	buf[TLVS + 5] = MRC_CM_R_ADMIN;
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, len, &msg), 0);
	KUNIT_EXPECT_EQ(test, msg.reason, MRC_CM_R_ADMIN);
	KUNIT_EXPECT_EQ(test, msg.reason_info, 0U);

	len = append(buf, TLVS, MRC_TLV_REASON, 20);
	buf[TLVS + 5] = MRC_CM_R_VERSION;
	buf[TLVS + 11] = 9;
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, len, &msg), 0);
	KUNIT_EXPECT_EQ(test, msg.reason, MRC_CM_R_VERSION);
	KUNIT_EXPECT_EQ(test, msg.reason_info, 9U);
}

/* What a later version may add: it is skipped, wherever it stands. */
static void cm_forward_test(struct kunit *test)
{
	const struct cm_golden *g = &goldens[G_REP];
	unsigned int len = TLVS;
	struct mrc_cm_msg msg;
	u8 buf[BUF_LEN];

	memcpy(buf, g->bytes, TLVS);
	len = append(buf, len, MRC_TLV_KNOWN + 1, 7);
	memcpy(buf + len, g->bytes + TLVS, g->len - TLVS);
	len += g->len - TLVS;
	len = append(buf, len, 0x7fff, 0);
	len = append(buf, len, MRC_TLV_KNOWN + 1, 3);
	len = append(buf, len, 0, 1);
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, len, &msg), 0);
	KUNIT_EXPECT_MEMEQ(test, &msg, &g->msg, sizeof(msg));

	len = append(buf, len, MRC_TLV_MANDATORY | 0x7fff, 4);
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, len, &msg),
			-MRC_DROP_CM_TLV_UNKNOWN);
}

/* A REJ for another reason needs no cookie, another packet is no CM. */
static void cm_plain_test(struct kunit *test)
{
	struct mrc_cm_msg msg = goldens[G_REJ].msg, out;
	unsigned int len;
	u8 buf[BUF_LEN];

	msg.present = BIT(MRC_TLV_REASON);
	msg.reason = MRC_CM_R_REFUSED;
	msg.cookie_len = 0;
	memset(msg.cookie, 0, sizeof(msg.cookie));
	len = mrc_cm_build(buf, &msg);
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, len, &out), 0);
	KUNIT_EXPECT_MEMEQ(test, &out, &msg, sizeof(out));

	buf[0] = MRC_OP_SACK;
	buf[7] = MRC_QPN_MIN;
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, len, &out), -MRC_DROP_OPCODE);
}

/* Whoever wants to answer a bad REQ by a REJ finds what it needs. */
static void cm_error_fields_test(struct kunit *test)
{
	const struct cm_golden *g = &goldens[G_REQ];
	struct mrc_cm_msg msg;
	unsigned int len;
	u8 buf[BUF_LEN];

	memcpy(buf, g->bytes, g->len);
	len = append(buf, g->len, MRC_TLV_MANDATORY | 0x100, 4);
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, len, &msg),
			-MRC_DROP_CM_TLV_UNKNOWN);
	KUNIT_EXPECT_EQ(test, msg.type, MRC_CM_REQ);
	KUNIT_EXPECT_EQ(test, msg.own_token, g->msg.own_token);
	KUNIT_EXPECT_TRUE(test, msg.present & BIT(MRC_TLV_TOKEN));

	memcpy(buf, goldens[G_RTU].bytes, goldens[G_RTU].len);
	buf[13] = 9;
	KUNIT_EXPECT_EQ(test, mrc_cm_parse(buf, goldens[G_RTU].len, &msg),
			-MRC_DROP_CM_VERSION);
	KUNIT_EXPECT_EQ(test, msg.version, 9);
	KUNIT_EXPECT_EQ(test, msg.token, goldens[G_RTU].msg.token);
}

/* The bounds on which "no answer larger than its question" rests. */
static void cm_sizes_test(struct kunit *test)
{
	struct mrc_cm_msg msg = goldens[G_REP].msg;
	u8 buf[BUF_LEN];

	/* The longest REP: also ports, socket type, a cookie, a reason. */
	msg.present = ALL_REQ | BIT(MRC_TLV_CAPS) | BIT(MRC_TLV_COOKIE);
	msg.cookie_len = MRC_CM_COOKIE_MAX;
	KUNIT_EXPECT_LE(test, mrc_cm_build(buf, &msg), MRC_CM_REP_MAX);

	/* A REQ, padded, weighs two of them; ICRCs included on both sides. */
	msg.type = MRC_CM_REQ;
	KUNIT_EXPECT_LE(test, mrc_cm_build(buf, &msg), MRC_CM_REQ_LEN);
	KUNIT_EXPECT_EQ(test, MRC_CM_REQ_LEN + MRC_LEN_ICRC,
			2 * (MRC_CM_REP_MAX + MRC_LEN_ICRC));

	/* GONE answers a PROBE of the least length. */
	KUNIT_EXPECT_LE(test, mrc_cm_build(buf, &goldens[G_GONE].msg),
			MRC_LEN_PROBE_MIN);
}

static struct kunit_case wire_cm_cases[] = {
	KUNIT_CASE_PARAM(cm_golden_test, golden_gen_params),
	KUNIT_CASE_PARAM(cm_reserved_test, golden_gen_params),
	KUNIT_CASE_PARAM(cm_cut_test, golden_gen_params),
	KUNIT_CASE_PARAM(cm_missing_test, golden_gen_params),
	KUNIT_CASE_PARAM(cm_bad_test, bad_gen_params),
	KUNIT_CASE_PARAM(cm_value_test, value_gen_params),
	KUNIT_CASE(cm_wide_type_test),
	KUNIT_CASE(cm_full_test),
	KUNIT_CASE(cm_tlv_len_test),
	KUNIT_CASE(cm_cookie_test),
	KUNIT_CASE(cm_reason_test),
	KUNIT_CASE(cm_forward_test),
	KUNIT_CASE(cm_plain_test),
	KUNIT_CASE(cm_error_fields_test),
	KUNIT_CASE(cm_sizes_test),
	{}
};

static struct kunit_suite wire_cm_suite = {
	.name = "mrc_wire_cm",
	.test_cases = wire_cm_cases,
};

kunit_test_suite(wire_cm_suite);

MODULE_DESCRIPTION("KUnit tests of MRC connection management messages");
MODULE_LICENSE("GPL");
