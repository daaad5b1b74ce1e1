// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the MRC wire: golden bytes written by hand for every header,
 * reserved bits, every refusal, entropy values.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "wire_golden.h"

static int parse_any(const struct golden *g, const u8 *buf, unsigned int len,
		     unsigned int rest, union wire_value *v)
{
	switch (g->kind) {
	case MRC_KIND_DATA:
		return mrc_wire_parse_data(buf, len, len + rest, g->icrc,
					   &v->data);
	case MRC_KIND_SACK:
		return mrc_wire_parse_sack(buf, len, &v->sack);
	case MRC_KIND_NACK:
		return mrc_wire_parse_nack(buf, len, &v->nack);
	case MRC_KIND_PROBE:
		return mrc_wire_parse_probe(buf, len, &v->probe);
	case MRC_KIND_NAK:
		return mrc_wire_parse_nak(buf, len, &v->nak);
	default:
		return mrc_wire_parse_eph(buf, len, &v->eph);
	}
}

static unsigned int build_any(const struct golden *g, u8 *buf,
			      const union wire_value *v)
{
	switch (g->kind) {
	case MRC_KIND_DATA:
		return mrc_wire_build_data(buf, &v->data);
	case MRC_KIND_SACK:
		return mrc_wire_build_sack(buf, &v->sack);
	case MRC_KIND_NACK:
		return mrc_wire_build_nack(buf, &v->nack);
	case MRC_KIND_PROBE:
		return mrc_wire_build_probe(buf, &v->probe);
	case MRC_KIND_NAK:
		return mrc_wire_build_nak(buf, &v->nak);
	default:
		return mrc_wire_build_eph(buf, &v->eph);
	}
}

static unsigned int value_size(const struct golden *g)
{
	switch (g->kind) {
	case MRC_KIND_DATA:
		return sizeof(struct mrc_data);
	case MRC_KIND_SACK:
		return sizeof(struct mrc_sack);
	case MRC_KIND_NACK:
		return sizeof(struct mrc_nack);
	case MRC_KIND_PROBE:
		return sizeof(struct mrc_probe);
	case MRC_KIND_NAK:
		return sizeof(struct mrc_nak);
	default:
		return sizeof(struct mrc_eph);
	}
}

static void golden_desc(const struct golden *g, char *desc)
{
	strscpy(desc, g->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(golden, goldens, golden_desc);

/* Bytes to value, value to bytes. */
static void wire_golden_test(struct kunit *test)
{
	const struct golden *g = test->param_value;
	union wire_value v;
	struct mrc_bth bth;
	u8 buf[BUF_LEN];

	KUNIT_EXPECT_EQ(test, mrc_wire_classify(g->bytes, g->len, &bth),
			g->kind);
	KUNIT_EXPECT_EQ(test, parse_any(g, g->bytes, g->len, g->rest, &v), 0);
	KUNIT_EXPECT_MEMEQ(test, &v, &g->v, value_size(g));

	memset(buf, 0xee, sizeof(buf));
	KUNIT_EXPECT_EQ(test, build_any(g, buf, &g->v), g->len);
	KUNIT_EXPECT_MEMEQ(test, buf, g->bytes, g->len);
	KUNIT_EXPECT_EQ(test, buf[g->len], 0xee);
}

/* What is left of data: headers say the same as those of a whole packet, and
 * what the bytes behind them were does not count.
 */
static void wire_trimmed_test(struct kunit *test)
{
	const struct golden *g = test->param_value;
	struct mrc_data d, want = g->v.data;
	unsigned int len, payload = 4096;
	u8 buf[BUF_LEN] = {};
	int err;

	memcpy(buf, g->bytes, g->len);
	err = mrc_wire_parse_trimmed(buf, g->len, payload, &d);
	if (g->kind != MRC_KIND_DATA) {
		KUNIT_EXPECT_LT(test, err, 0);
		return;
	}
	if (!want.dma_len) {
		KUNIT_EXPECT_EQ(test, err, -MRC_DROP_DMALEN);
		return;
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	/* how long the payload was follows from the headers in an Only */
	if (!mrc_op_is_only(want.bth.opcode))
		want.len = 0;
	KUNIT_EXPECT_MEMEQ(test, &d, &want, sizeof(d));
	for (len = 0; len < g->len; len++)
		KUNIT_EXPECT_EQ_MSG(test,
				    mrc_wire_parse_trimmed(buf, len, payload,
							   &d),
				    -MRC_DROP_SHORT, "length %u", len);
	err = mrc_wire_parse_trimmed(buf, g->len, want.dma_len, &d);
	KUNIT_EXPECT_EQ(test, err, 0);
	err = mrc_wire_parse_trimmed(buf, g->len, want.dma_len - 1, &d);
	KUNIT_EXPECT_EQ(test, err, mrc_op_is_only(want.bth.opcode) ?
			-MRC_DROP_DMALEN : 0);
}

/* M, variant, R1 and res4 of BTH; membership in the partition key */
static const struct noise bth_noise[] = {
	{ 1, 0x40 }, { 2, 0x80 }, { 4, 0xff }, { 8, 0x4f }, {},
};

/* In control packets SE and the flags say nothing either. */
static const struct noise ctrl_noise[] = {
	{ 1, 0xc0 }, { 2, 0x80 }, { 4, 0xff }, { 8, 0xff }, {},
};

static void add_noise(u8 *buf, const struct noise *n)
{
	for (; n->mask; n++)
		buf[n->off] ^= n->mask;
}

/* Whatever is reserved may have any value. */
static void wire_reserved_test(struct kunit *test)
{
	const struct golden *g = test->param_value;
	union wire_value v;
	u8 buf[BUF_LEN];

	memcpy(buf, g->bytes, g->len);
	add_noise(buf, g->kind == MRC_KIND_DATA ? bth_noise : ctrl_noise);
	add_noise(buf, g->noise);
	KUNIT_EXPECT_EQ(test, parse_any(g, buf, g->len, g->rest, &v), 0);
	KUNIT_EXPECT_MEMEQ(test, &v, &g->v, value_size(g));
}

/* Cut anywhere it is too short; longer it is wrong, or padding. */
static void wire_length_test(struct kunit *test)
{
	const struct golden *g = test->param_value;
	bool pads = g->kind == MRC_KIND_PROBE ||
		    (g->kind == MRC_KIND_ENDPOINT && !g->v.eph.response);
	u8 buf[BUF_LEN] = {};
	union wire_value v;
	unsigned int len;

	memcpy(buf, g->bytes, g->len);
	for (len = 0; len < g->len; len++) {
		int want = -MRC_DROP_SHORT;

		/* AETH has no nxt: only its length tells of a key. */
		if (g->kind == MRC_KIND_NAK && len == MRC_LEN_NAK)
			want = 0;
		else if (g->kind == MRC_KIND_NAK && len > MRC_LEN_NAK)
			want = -MRC_DROP_LEN;
		KUNIT_EXPECT_EQ_MSG(test, parse_any(g, buf, len, 0, &v), want,
				    "length %u", len);
	}
	if (g->kind == MRC_KIND_DATA)
		return;
	for (len = g->len + 1; len <= BUF_LEN; len++) {
		int want = pads ? 0 : -MRC_DROP_LEN;

		if (g->kind == MRC_KIND_NAK && len == MRC_LEN_NAK_KEY)
			want = 0;
		KUNIT_EXPECT_EQ_MSG(test, parse_any(g, buf, len, 0, &v), want,
				    "length %u", len);
	}
}

/**
 * struct bad - a golden packet with one thing wrong
 * @name: for people
 * @from: which golden packet
 * @off: byte to change
 * @val: to what
 * @rest: data: bytes that follow, if not the golden packet's
 * @err: MRC_DROP_xxx
 */
struct bad {
	const char *name;
	unsigned int from;
	u8 off;
	u8 val;
	int rest;
	int err;
};

static const struct bad bads[] = {
	{ "data: not MRC", G_ONLY, 0, 0x0a, 0, MRC_DROP_OPCODE },
	{ "data: another kind", G_FIRST, 0, 0xdc, 0, MRC_DROP_OPCODE },
	{ "data: tver", G_ONLY, 1, 0x21, 0, MRC_DROP_TVER },
	{ "data: tver 8", G_ONLY, 1, 0x28, 0, MRC_DROP_TVER },
	{ "data: pkey", G_ONLY, 3, 0xfe, 0, MRC_DROP_PKEY },
	{ "data: pkey high", G_ONLY, 2, 0x7e, 0, MRC_DROP_PKEY },
	{ "data: to QP 2", G_LAST_IMM, 7, 0x02, 0, MRC_DROP_QP },
	{ "data: to QP 1", G_LAST_IMM, 7, 0x01, 0, MRC_DROP_QP },
	{ "data: to QP 0", G_LAST_IMM, 7, 0x00, 0, MRC_DROP_QP },
	{ "data: ftype 0", G_ONLY_IMM_TS, 19, 0x00, 0, MRC_DROP_FTYPE },
	{ "data: ftype 2", G_ONLY_IMM_TS, 19, 0x02, 0, MRC_DROP_FTYPE },
	{ "data: ftype 3", G_ONLY_IMM_TS, 19, 0x03, 0, MRC_DROP_FTYPE },
	{ "data: pad only", G_FIN, 1, 0x10, 0, MRC_DROP_PAD },
	{ "data: no multiple of 4", G_ONLY, 4, 0, 7, MRC_DROP_PAD },
	{ "data: no multiple of 4, ICRC", G_MIDDLE_ICRC, 4, 0, 4099,
	  MRC_DROP_PAD },
	{ "data: ICRC cut", G_MIDDLE_ICRC, 4, 0, 3, MRC_DROP_SHORT },
	{ "only: DMALen less", G_ONLY, 31, 5, 0, MRC_DROP_DMALEN },
	{ "only: DMALen more", G_ONLY, 31, 7, 0, MRC_DROP_DMALEN },
	{ "only: DMALen much more", G_ONLY, 28, 1, 0, MRC_DROP_DMALEN },
	{ "only: DMALen in an empty one", G_FIN, 31, 1, 0, MRC_DROP_DMALEN },
	{ "first: DMALen less", G_FIRST, 30, 0x0f, 0, MRC_DROP_DMALEN },
	{ "middle: DMALen less", G_MIDDLE_ICRC, 34, 0x0f, 0,
	  MRC_DROP_DMALEN },
	{ "middle: empty", G_MIDDLE_ICRC, 4, 0, 4, MRC_DROP_DMALEN },
	{ "last: padding only", G_LAST, 4, 0, -1, MRC_DROP_PAD },
	{ "first: empty", G_FIRST, 4, 0, -1, MRC_DROP_DMALEN },
	{ "last: DMALen less", G_LAST, 30, 0, 8196, MRC_DROP_DMALEN },

	{ "SACK: opcode", G_SACK, 0, 0xdb, 0, MRC_DROP_OPCODE },
	{ "SACK: another kind", G_SACK, 0, 0xdd, 0, MRC_DROP_OPCODE },
	{ "SACK: tver", G_SACK, 1, 0x04, 0, MRC_DROP_TVER },
	{ "SACK: pad", G_SACK, 1, 0x10, 0, MRC_DROP_PAD },
	{ "SACK: to QP 2", G_SACK, 7, 0x02, 0, MRC_DROP_QP },
	{ "SACK: type 1", G_SACK, 12, 0x10, 0, MRC_DROP_TYPE },
	{ "SACK: type 8", G_SACK, 12, 0x80, 0, MRC_DROP_TYPE },
	{ "SACK: nxt 1", G_SACK, 13, 0xc2, 0, MRC_DROP_NXT },
	{ "SACK: nxt of a key", G_SACK_PROF, 13, 0xa0, 0, MRC_DROP_NXT },
	{ "SACK: profile not announced", G_SACK_PROF, 12, 0x00, 0,
	  MRC_DROP_LEN },
	{ "SACK: profile announced, not there", G_SACK, 12, 0x0f, 0,
	  MRC_DROP_SHORT },
	{ "SACK: m 3", G_SACK, 13, 0x62, 0, MRC_DROP_SACK_M },
	{ "SACK: cc_type 1", G_SACK, 28, 0x10, 0, MRC_DROP_CC_TYPE },
	{ "SACK: cc_type of a NACK", G_SACK, 28, 0x20, 0, MRC_DROP_CC_TYPE },
	{ "SACK: cack is not the PSN", G_SACK, 27, 0x06, 0,
	  MRC_DROP_PSN_DIFF },

	{ "NACK: another kind", G_NACK, 0, 0xdc, 0, MRC_DROP_OPCODE },
	{ "NACK: to QP 1", G_NACK, 7, 0x01, 0, MRC_DROP_QP },
	{ "NACK: type 1", G_NACK, 12, 0x10, 0, MRC_DROP_TYPE },
	{ "NACK: nxt of a profile", G_NACK_KEY, 13, 0x00, 0, MRC_DROP_NXT },
	{ "NACK: nxt 17", G_NACK_KEY, 12, 0x08, 0, MRC_DROP_NXT },
	{ "NACK: cc_type of a SACK", G_NACK, 28, 0x00, 0, MRC_DROP_CC_TYPE },
	{ "NACK: cc_type 3", G_NACK, 28, 0x30, 0, MRC_DROP_CC_TYPE },
	{ "NACK: nack_psn is not the PSN", G_NACK, 25, 0x01, 0,
	  MRC_DROP_PSN_DIFF },

	{ "PROBE: another kind", G_PROBE, 0, 0xd1, 0, MRC_DROP_OPCODE },
	{ "PROBE: pad", G_PROBE, 1, 0x30, 0, MRC_DROP_PAD },
	{ "PROBE: type 1", G_PROBE, 12, 0x10, 0, MRC_DROP_TYPE },
	{ "PROBE: nh 30", G_PROBE_KEY, 13, 0x00, 0, MRC_DROP_NXT },
	{ "PROBE: ftype 0", G_PROBE, 27, 0x00, 0, MRC_DROP_FTYPE },
	{ "PROBE: ftype 9", G_PROBE, 27, 0x09, 0, MRC_DROP_FTYPE },

	{ "ACK: another kind", G_NAK, 0, 0xde, 0, MRC_DROP_OPCODE },
	{ "ACK: to QP 0", G_NAK, 7, 0x00, 0, MRC_DROP_QP },

	{ "endpoint: another kind", G_EP_PROBE, 0, 0xda, 0, MRC_DROP_OPCODE },
	{ "endpoint: to QP 3", G_EP_PROBE, 7, 0x03, 0, MRC_DROP_QP },
	{ "endpoint: response to QP 1", G_EP_RSP, 7, 0x01, 0, MRC_DROP_QP },
	{ "request: type 2", G_EP_PROBE, 12, 0x20, 0, MRC_DROP_TYPE },
	{ "request: nxt 1", G_EP_PROBE, 13, 0x81, 0, MRC_DROP_NXT },
	{ "request: nxt 30", G_EP_PROBE, 12, 0x0f, 0, MRC_DROP_NXT },
	{ "request: op 2", G_EP_PROBE, 13, 0x02, 0, MRC_DROP_OP },
	{ "request: op 3", G_EP_PROBE, 13, 0x03, 0, MRC_DROP_OP },
	{ "request: ftype 2", G_EP_PROBE, 27, 0x02, 0, MRC_DROP_FTYPE },
	{ "response: type 1", G_EP_RSP, 12, 0x10, 0, MRC_DROP_TYPE },
	{ "response: nxt 1", G_EP_RSP, 13, 0x84, 0, MRC_DROP_NXT },
	{ "response: op 2", G_EP_RSP, 13, 0x08, 0, MRC_DROP_OP },
	{ "response: op 3", G_EP_RSP, 13, 0x0c, 0, MRC_DROP_OP },
};

static void bad_desc(const struct bad *b, char *desc)
{
	strscpy(desc, b->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad, bads, bad_desc);

/* rest: 0 = as in the golden packet, -1 = nothing */
static void wire_bad_test(struct kunit *test)
{
	const struct bad *b = test->param_value;
	const struct golden *g = &goldens[b->from];
	unsigned int rest = b->rest ? b->rest : g->rest;
	union wire_value v;
	u8 buf[BUF_LEN];

	if (b->rest < 0)
		rest = 0;
	memcpy(buf, g->bytes, g->len);
	buf[b->off] = b->val;
	KUNIT_EXPECT_EQ(test, parse_any(g, buf, g->len, rest, &v), -b->err);
}

/* All opcodes, each to a QP of its kind. */
static void wire_opcode_test(struct kunit *test)
{
	u8 buf[MRC_LEN_BTH] = { 0, 0, 0xff, 0xff };
	struct mrc_bth bth;
	int op;

	for (op = 0; op < 256; op++) {
		int want = -MRC_DROP_OPCODE;

		buf[0] = op;
		buf[7] = 0x2a;
		if (op >= 0xc6 && op <= 0xcb)
			want = MRC_KIND_DATA;
		else if (op == 0xd1)
			want = MRC_KIND_NAK;
		else if (op == 0xdc)
			want = MRC_KIND_SACK;
		else if (op == 0xdd)
			want = MRC_KIND_NACK;
		else if (op == 0xde)
			want = MRC_KIND_PROBE;
		if (op == 0xd8 || op == 0xd9) {
			want = MRC_KIND_ENDPOINT;
			buf[7] = 2;
		} else if (op == 0xdf) {
			want = MRC_KIND_CM;
			buf[7] = 1;
		}
		KUNIT_EXPECT_EQ_MSG(test,
				    mrc_wire_classify(buf, sizeof(buf), &bth),
				    want, "opcode %02x", op);
		KUNIT_EXPECT_EQ(test, bth.opcode, op);
	}
	KUNIT_EXPECT_EQ(test, mrc_wire_classify(buf, 11, &bth),
			-MRC_DROP_SHORT);
}

static void wire_nack_reason_test(struct kunit *test)
{
	static const u8 known[] = { 0x01, 0x02, 0x06, 0x07, 0x0a, 0x0b, 0x19 };
	struct mrc_nack nack;
	u8 buf[MRC_LEN_NACK];
	int i;

	memcpy(buf, goldens[G_NACK].bytes, sizeof(buf));
	for (i = 0; i < 256; i++) {
		int want = memchr(known, i, sizeof(known)) ?
			   0 : -MRC_DROP_REASON;

		buf[14] = i;
		KUNIT_EXPECT_EQ_MSG(test,
				    mrc_wire_parse_nack(buf, sizeof(buf),
							&nack),
				    want, "reason %02x", i);
	}
}

static void wire_syndrome_test(struct kunit *test)
{
	u8 buf[MRC_LEN_NAK];
	struct mrc_nak nak;
	int i;

	memcpy(buf, goldens[G_NAK].bytes, sizeof(buf));
	for (i = 0; i < 256; i++) {
		bool nakked = i >= 0x60 && i <= 0x63;
		int want = i < 0x20 || nakked ? 0 : -MRC_DROP_SYNDROME;

		buf[12] = i;
		KUNIT_EXPECT_EQ_MSG(test,
				    mrc_wire_parse_nak(buf, sizeof(buf), &nak),
				    want, "syndrome %02x", i);
		if (!want)
			KUNIT_EXPECT_EQ(test, mrc_aeth_is_nak(nak.syndrome),
					nakked);
	}
}

/* Values too large for their field do not spill into reserved bits. */
static void wire_mask_test(struct kunit *test)
{
	u8 buf[MRC_LEN_SACK_PROF];
	union wire_value v;

	memset(&v, 0xff, sizeof(v));
	v.data.bth = (struct mrc_bth) {
		.opcode = MRC_OP_WRITE_ONLY, .pad = 0xff, .dqpn = ~0U,
		.psn = ~0U,
	};
	mrc_wire_build_data(buf, &v.data);
	KUNIT_EXPECT_EQ(test, buf[1], 0x30);
	KUNIT_EXPECT_EQ(test, buf[4], 0x00);
	KUNIT_EXPECT_EQ(test, buf[5], 0xff);
	KUNIT_EXPECT_EQ(test, buf[8], 0x00);

	v.sack = (struct mrc_sack) {
		.cack = ~0U, .mark = 0xff, .ooo = 0xffff, .pen = 0xff,
		.rcvd = ~0U, .has_prof = true, .prof.base = ~0U,
	};
	mrc_wire_build_sack(buf, &v.sack);
	KUNIT_EXPECT_EQ(test, buf[12], 0x0f);
	KUNIT_EXPECT_EQ(test, buf[13], 0x60);
	KUNIT_EXPECT_EQ(test, buf[24], 0x00);
	KUNIT_EXPECT_EQ(test, buf[42], 0x7f);
	KUNIT_EXPECT_EQ(test, buf[44], 0x7f);
	KUNIT_EXPECT_EQ(test, buf[72], 0x00);
	KUNIT_EXPECT_EQ(test, buf[73], 0xff);

	v.nack = (struct mrc_nack) { .psn = ~0U };
	mrc_wire_build_nack(buf, &v.nack);
	KUNIT_EXPECT_EQ(test, buf[24], 0x00);
	KUNIT_EXPECT_EQ(test, buf[25], 0xff);

	v.probe = (struct mrc_probe) { .tsr = 0xff };
	mrc_wire_build_probe(buf, &v.probe);
	KUNIT_EXPECT_EQ(test, buf[26], 0x80);
	KUNIT_EXPECT_EQ(test, buf[27], 0x01);

	v.eph = (struct mrc_eph) { .op = 0xff };
	mrc_wire_build_eph(buf, &v.eph);
	KUNIT_EXPECT_EQ(test, buf[13], 0x03);
	v.eph.response = true;
	mrc_wire_build_eph(buf, &v.eph);
	KUNIT_EXPECT_EQ(test, buf[13], 0x0c);
}

struct imm_case {
	const char *name;
	u8 opcode;
	u32 imm;
	u32 len;
	bool ok;
};

static const struct imm_case imm_cases[] = {
	{ "no immediate", MRC_OP_WRITE_ONLY, 0, 100, true },
	{ "no flag", MRC_OP_WRITE_LAST_IMM, 0, 100, true },
	{ "EOR", MRC_OP_WRITE_LAST_IMM, MRC_IMM_EOR, 100, true },
	{ "EOR alone", MRC_OP_WRITE_ONLY_IMM, MRC_IMM_EOR, 0, true },
	{ "FIN", MRC_OP_WRITE_ONLY_IMM, MRC_IMM_FIN, 0, true },
	{ "FIN with data", MRC_OP_WRITE_ONLY_IMM, MRC_IMM_FIN, 4, false },
	{ "FIN in a Last", MRC_OP_WRITE_LAST_IMM, MRC_IMM_FIN, 0, false },
	{ "FIN and EOR", MRC_OP_WRITE_ONLY_IMM, MRC_IMM_FIN | MRC_IMM_EOR, 0,
	  false },
	{ "unknown bit 2", MRC_OP_WRITE_ONLY_IMM, 4, 100, false },
	{ "unknown bit 31", MRC_OP_WRITE_LAST_IMM, 0x80000001, 100, false },
};

static void imm_desc(const struct imm_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(imm, imm_cases, imm_desc);

static void wire_imm_test(struct kunit *test)
{
	const struct imm_case *c = test->param_value;
	struct mrc_data data = {
		.bth.opcode = c->opcode, .imm = c->imm, .len = c->len,
	};

	KUNIT_EXPECT_EQ(test, mrc_wire_check_imm(&data),
			c->ok ? 0 : -MRC_DROP_IMM);
}

static void wire_ev_test(struct kunit *test)
{
	u32 ev = MRC_EV(32, 0x7fff, 0x7ff);

	KUNIT_EXPECT_EQ(test, ev, 0x83ffffffU);
	KUNIT_EXPECT_EQ(test, mrc_ev_plane(ev), 32U);
	KUNIT_EXPECT_EQ(test, mrc_ev_path(ev), 0x7fffU);
	KUNIT_EXPECT_EQ(test, mrc_ev_spread(ev), 0x7ffU);
	KUNIT_EXPECT_EQ(test, MRC_EV(63, 0, 0), 0xfc000000U);

	ev = MRC_EV(5, 0x1234, 1);
	KUNIT_EXPECT_EQ(test, ev, 0x1491a001U);
	KUNIT_EXPECT_EQ(test, mrc_ev_sport(ev), 0xa001);
	KUNIT_EXPECT_EQ(test, mrc_ev_flow_label(ev), 0x1491U);
	KUNIT_EXPECT_EQ(test, mrc_ev_from_pkt(0xa001, 0x1491), ev);
	/* Only the low 16 bits of the flow label carry the EV. */
	KUNIT_EXPECT_EQ(test, mrc_ev_from_pkt(0xa001, 0xf1491), ev);
	/* Any spread above 0 keeps the source port from being 0. */
	KUNIT_EXPECT_NE(test, mrc_ev_sport(MRC_EV(0, 0, 1)), 0);
	KUNIT_EXPECT_NE(test, mrc_ev_sport(MRC_EV(1, 0x20, 1)), 0);
}

static void wire_units_test(struct kunit *test)
{
	struct mrc_sack sack = { .cack = 0xfffffe, .ack_off = 5,
				 .sack_off = -64 };

	KUNIT_EXPECT_EQ(test, mrc_sack_ack_psn(&sack), 3U);
	KUNIT_EXPECT_EQ(test, mrc_sack_base(&sack), 0xffffbeU);

	KUNIT_EXPECT_EQ(test, mrc_wire_rcvd(0), 0U);
	KUNIT_EXPECT_EQ(test, mrc_wire_rcvd(1), 1U);
	KUNIT_EXPECT_EQ(test, mrc_wire_rcvd(256), 1U);
	KUNIT_EXPECT_EQ(test, mrc_wire_rcvd(257), 2U);
	KUNIT_EXPECT_EQ(test, mrc_wire_rcvd(1ULL << 32), 0U);
	KUNIT_EXPECT_EQ(test, mrc_wire_rcvd((1ULL << 32) + 1), 1U);

	KUNIT_EXPECT_EQ(test, mrc_wire_ts(127), 0);
	KUNIT_EXPECT_EQ(test, mrc_wire_ts(128), 1);
	KUNIT_EXPECT_EQ(test, mrc_wire_ts(128ULL << 16), 0);
	KUNIT_EXPECT_EQ(test, mrc_wire_ts_delta(10, 12), 256U);
	KUNIT_EXPECT_EQ(test, mrc_wire_ts_delta(0xffff, 1), 256U);
	KUNIT_EXPECT_EQ(test, mrc_wire_ts_delta(1, 0), 8388480U);

	KUNIT_EXPECT_EQ(test, mrc_wire_pad(0), 0);
	KUNIT_EXPECT_EQ(test, mrc_wire_pad(1), 3);
	KUNIT_EXPECT_EQ(test, mrc_wire_pad(4095), 1);
	KUNIT_EXPECT_EQ(test, mrc_wire_pad(4096), 0);
	KUNIT_EXPECT_EQ(test, mrc_wire_pdcid(0x123456), 0x3456);
}

struct opcode_case {
	const char *name;
	u8 opcode;
	bool only;
	bool last;
	bool imm;
	unsigned int hdr_len;
};

static const struct opcode_case opcode_cases[] = {
	{ "First", 0xc6, false, false, false, 32 },
	{ "Middle", 0xc7, false, false, false, 32 },
	{ "Last", 0xc8, false, true, false, 32 },
	{ "Last with Immediate", 0xc9, false, true, true, 36 },
	{ "Only", 0xca, true, true, false, 32 },
	{ "Only with Immediate", 0xcb, true, true, true, 36 },
};

static void opcode_desc(const struct opcode_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(opcode, opcode_cases, opcode_desc);

static void wire_data_opcode_test(struct kunit *test)
{
	const struct opcode_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, mrc_op_is_only(c->opcode), c->only);
	KUNIT_EXPECT_EQ(test, mrc_op_is_last(c->opcode), c->last);
	KUNIT_EXPECT_EQ(test, mrc_op_has_imm(c->opcode), c->imm);
	KUNIT_EXPECT_EQ(test, mrc_wire_data_hdr_len(c->opcode, false),
			c->hdr_len);
	KUNIT_EXPECT_EQ(test, mrc_wire_data_hdr_len(c->opcode, true),
			c->hdr_len + 4);
}

/* A packet of a stream at a PSN, with everything that continues set. */
static struct mrc_data next_data(u32 psn, u64 va, u16 msn)
{
	return (struct mrc_data) {
		.bth = { .opcode = MRC_OP_WRITE_ONLY, .dqpn = 0x123456,
			 .psn = psn },
		.va = va, .rkey = 0xdeadbeef, .dma_len = 4096, .msn = msn,
	};
}

/* The short cuts say and make what the long ways do, at the wraps too. */
static void wire_next_test(struct kunit *test)
{
	static const struct { u32 psn; u64 va; u16 msn; } at[] = {
		{ 5, 8192, 7 }, { 0xffffff, 4096, 0xffff },
		{ 0xfffffe, ~0ULL - 4095, 0 },
	};
	u8 prev[MRC_HDR_STREAM], want[MRC_HDR_STREAM], got[MRC_HDR_STREAM];
	struct mrc_data d;
	int i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		d = next_data(at[i].psn, at[i].va, at[i].msn);
		mrc_wire_build_data(prev, &d);
		d = next_data((at[i].psn + 1) & 0xffffff, at[i].va + 4096,
			      at[i].msn + 1);
		mrc_wire_build_data(want, &d);
		mrc_wire_build_next(got, prev, 4096);
		KUNIT_EXPECT_MEMEQ(test, got, want, sizeof(got));
		KUNIT_EXPECT_TRUE(test, mrc_wire_follows(got, prev, 1, 4096));
		KUNIT_EXPECT_FALSE(test, mrc_wire_follows(prev, prev, 1, 4096));
		mrc_wire_build_next(want, got, 4096);
		KUNIT_EXPECT_TRUE(test, mrc_wire_follows(want, prev, 2, 4096));
		KUNIT_EXPECT_FALSE(test, mrc_wire_follows(want, prev, 1, 4096));
	}
}

/* Whatever differs but message numbers makes it another packet. */
static void wire_not_next_test(struct kunit *test)
{
	u8 prev[MRC_HDR_STREAM], next[MRC_HDR_STREAM];
	struct mrc_data d = next_data(5, 8192, 7);
	unsigned int i;
	bool numbers;

	mrc_wire_build_data(prev, &d);
	mrc_wire_build_next(next, prev, 4096);
	KUNIT_EXPECT_FALSE(test, mrc_wire_follows(next, prev, 1, 4092));
	for (i = 0; i < 8 * sizeof(next); i++) {
		next[i / 8] ^= 1 << i % 8;
		numbers = i / 8 >= MRC_LEN_BTH && i / 8 < MRC_LEN_BTH + 4;
		KUNIT_EXPECT_EQ_MSG(test, mrc_wire_follows(next, prev, 1, 4096),
				    numbers, "bit %u of byte %u", i % 8, i / 8);
		next[i / 8] ^= 1 << i % 8;
	}
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE_PARAM(wire_golden_test, golden_gen_params),
	KUNIT_CASE_PARAM(wire_reserved_test, golden_gen_params),
	KUNIT_CASE_PARAM(wire_length_test, golden_gen_params),
	KUNIT_CASE_PARAM(wire_trimmed_test, golden_gen_params),
	KUNIT_CASE_PARAM(wire_bad_test, bad_gen_params),
	KUNIT_CASE(wire_opcode_test),
	KUNIT_CASE(wire_nack_reason_test),
	KUNIT_CASE(wire_syndrome_test),
	KUNIT_CASE(wire_mask_test),
	KUNIT_CASE_PARAM(wire_imm_test, imm_gen_params),
	KUNIT_CASE(wire_ev_test),
	KUNIT_CASE(wire_units_test),
	KUNIT_CASE_PARAM(wire_data_opcode_test, opcode_gen_params),
	KUNIT_CASE(wire_next_test),
	KUNIT_CASE(wire_not_next_test),
	{}
};

static struct kunit_suite wire_suite = {
	.name = "mrc_wire",
	.test_cases = wire_cases,
};

kunit_test_suite(wire_suite);

MODULE_DESCRIPTION("KUnit tests of the MRC wire");
MODULE_LICENSE("GPL");
