// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the ICRC. The expected values were computed by another
 * implementation of CRC-32 (zlib's) over bytes put together by hand.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "../wire.h"

static const u8 saddr[16] = { 0xfd, 0x00, 0x00, 0x6d, [15] = 1 };
static const u8 daddr[16] = { 0xfd, 0x00, 0x00, 0x6d, [15] = 2 };

static const struct mrc_icrc_flow flow = {
	.saddr = saddr, .daddr = daddr, .sport = 0x0801, .dport = 4791,
};

struct icrc_case {
	const char *name;
	unsigned int len;
	u8 bytes[44];
	u8 icrc[4];
};

static const struct icrc_case icrc_cases[] = {
	{
		.name = "PROBE with key",
		.len = 32,
		.bytes = {
			0xde, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x2a,
			0x00, 0x00, 0x00, 0x00,
			0x0f, 0x80, 0x00, 0x00, 0xbe, 0xef, 0x00, 0x00,
			0x12, 0x34, 0x00, 0x2a, 0x04, 0xd2, 0x00, 0x01,
			0xde, 0xad, 0xbe, 0xef,
		},
		.icrc = { 0x21, 0x90, 0x5e, 0x68 },
	},
	{
		.name = "WRITE Only, 6 bytes and 2 of padding",
		.len = 40,
		.bytes = {
			0xca, 0x20, 0xff, 0xff, 0x00, 0x00, 0x00, 0x2a,
			0x80, 0xff, 0xff, 0xfe,
			0x00, 0x00, 0x00, 0x07,
			0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x20, 0x00,
			0xca, 0xfe, 0xf0, 0x0d, 0x00, 0x00, 0x00, 0x06,
			'M', 'R', 'C', ' ', '1', '.', 0x00, 0x00,
		},
		.icrc = { 0x63, 0x66, 0x28, 0x30 },
	},
};

static void icrc_desc(const struct icrc_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(icrc, icrc_cases, icrc_desc);

static void icrc_golden_test(struct kunit *test)
{
	const struct icrc_case *c = test->param_value;
	u8 buf[48] = {};

	memcpy(buf, c->bytes, c->len);
	KUNIT_EXPECT_EQ(test, mrc_icrc_put(&flow, buf, c->len), c->len + 4);
	KUNIT_EXPECT_MEMEQ(test, buf, c->bytes, c->len);
	KUNIT_EXPECT_MEMEQ(test, buf + c->len, c->icrc, 4);
	KUNIT_EXPECT_EQ(test, mrc_icrc_check(&flow, buf, c->len + 4), 0);
}

/* However the packet is cut, the sum is the same. */
static void icrc_pieces_test(struct kunit *test)
{
	const struct icrc_case *c = test->param_value;
	unsigned int head, mid;
	__le32 icrc;
	u32 crc;

	for (head = MRC_LEN_BTH; head <= c->len; head++) {
		for (mid = head; mid <= c->len; mid += 3) {
			crc = mrc_icrc_begin(&flow, c->len, c->bytes, head);
			crc = mrc_icrc_update(crc, c->bytes + head,
					      mid - head);
			crc = mrc_icrc_update(crc, c->bytes + mid,
					      c->len - mid);
			icrc = mrc_icrc_end(crc);
			KUNIT_EXPECT_MEMEQ(test, &icrc, c->icrc, 4);
		}
	}
}

/* Each bit counts, but for the byte of the BTH that switches may change. */
static void icrc_flip_test(struct kunit *test)
{
	const struct icrc_case *c = test->param_value;
	u8 buf[48] = {};
	unsigned int bit;

	memcpy(buf, c->bytes, c->len);
	memcpy(buf + c->len, c->icrc, 4);
	for (bit = 0; bit < 8 * (c->len + 4); bit++) {
		int want = bit / 8 == 4 ? 0 : -MRC_DROP_ICRC;

		buf[bit / 8] ^= 1 << (bit % 8);
		KUNIT_EXPECT_EQ_MSG(test,
				    mrc_icrc_check(&flow, buf, c->len + 4),
				    want, "bit %u", bit);
		buf[bit / 8] ^= 1 << (bit % 8);
	}
	KUNIT_EXPECT_EQ(test, mrc_icrc_check(&flow, buf, c->len + 3),
			-MRC_DROP_ICRC);
	/* BTH and ICRC are the least there can be. */
	KUNIT_EXPECT_EQ(test, mrc_icrc_check(&flow, buf, 16),
			-MRC_DROP_ICRC);
	KUNIT_EXPECT_EQ(test, mrc_icrc_check(&flow, buf, 15),
			-MRC_DROP_SHORT);
}

/* Addresses and ports count too: the EV's low half is one of them. */
static void icrc_flow_test(struct kunit *test)
{
	const struct icrc_case *c = test->param_value;
	struct mrc_icrc_flow other;
	u8 buf[48] = {};

	memcpy(buf, c->bytes, c->len);
	memcpy(buf + c->len, c->icrc, 4);

	other = flow;
	other.saddr = daddr;
	KUNIT_EXPECT_EQ(test, mrc_icrc_check(&other, buf, c->len + 4),
			-MRC_DROP_ICRC);
	other = flow;
	other.daddr = saddr;
	KUNIT_EXPECT_EQ(test, mrc_icrc_check(&other, buf, c->len + 4),
			-MRC_DROP_ICRC);
	other = flow;
	other.sport ^= 0x8000;
	KUNIT_EXPECT_EQ(test, mrc_icrc_check(&other, buf, c->len + 4),
			-MRC_DROP_ICRC);
	other = flow;
	other.dport ^= 1;
	KUNIT_EXPECT_EQ(test, mrc_icrc_check(&other, buf, c->len + 4),
			-MRC_DROP_ICRC);
}

static struct kunit_case wire_icrc_cases[] = {
	KUNIT_CASE_PARAM(icrc_golden_test, icrc_gen_params),
	KUNIT_CASE_PARAM(icrc_pieces_test, icrc_gen_params),
	KUNIT_CASE_PARAM(icrc_flip_test, icrc_gen_params),
	KUNIT_CASE_PARAM(icrc_flow_test, icrc_gen_params),
	{}
};

static struct kunit_suite wire_icrc_suite = {
	.name = "mrc_wire_icrc",
	.test_cases = wire_icrc_cases,
};

kunit_test_suite(wire_icrc_suite);

MODULE_DESCRIPTION("KUnit tests of the MRC ICRC");
MODULE_LICENSE("GPL");
