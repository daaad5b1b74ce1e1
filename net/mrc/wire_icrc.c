// SPDX-License-Identifier: GPL-2.0
/*
 * The invariant CRC at the end of a packet, as IBTA defines it for RoCEv2
 * over IPv6. With SRv6 it covers the inner packet.
 */
#include <linux/crc32.h>
#include <linux/string.h>

#include "wire.h"

/*
 * What the ICRC covers before the BTH's extensions: 8 bytes of ones in the
 * place of InfiniBand's local route header, then the headers below with the
 * fields that change on the way set to ones (IBTA, annex A17).
 */
struct icrc_pseudo {
	u8			lrh[8];
	__be32			ver_tc_flow;
	__be16			payload_len;
	u8			next_hdr;
	u8			hop_limit;
	u8			saddr[16];
	u8			daddr[16];
	__be16			sport;
	__be16			dport;
	__be16			udp_len;
	__be16			udp_check;
	struct mrc_hdr_bth	bth;
} __packed;

static_assert(sizeof(struct icrc_pseudo) == 8 + 40 + 8 + 12);

#define ICRC_UDP_HDR		8
#define ICRC_PROTO_UDP		17

/**
 * mrc_icrc_begin - begin the ICRC of a packet
 * @flow: addresses and ports of the (inner) packet
 * @pkt_len: bytes of the whole packet, without the ICRC
 * @hdr: its first bytes
 * @hlen: bytes in @hdr, at least 12, at most @pkt_len
 *
 * Context: Any.
 * Return: state for mrc_icrc_update(), which takes the rest, in any pieces.
 */
u32 mrc_icrc_begin(const struct mrc_icrc_flow *flow, unsigned int pkt_len,
		   const void *hdr, unsigned int hlen)
{
	u16 udp_len = ICRC_UDP_HDR + pkt_len + MRC_LEN_ICRC;
	struct icrc_pseudo ps;
	u32 crc;

	memset(&ps, 0xff, sizeof(ps));
	ps.ver_tc_flow = cpu_to_be32(0x6fffffff);
	ps.payload_len = cpu_to_be16(udp_len);
	ps.next_hdr = ICRC_PROTO_UDP;
	memcpy(ps.saddr, flow->saddr, sizeof(ps.saddr));
	memcpy(ps.daddr, flow->daddr, sizeof(ps.daddr));
	ps.sport = cpu_to_be16(flow->sport);
	ps.dport = cpu_to_be16(flow->dport);
	ps.udp_len = cpu_to_be16(udp_len);
	memcpy(&ps.bth, hdr, sizeof(ps.bth));
	ps.bth.variant = 0xff;

	crc = crc32_le(~0, (const void *)&ps, sizeof(ps));
	return mrc_icrc_update(crc, hdr + sizeof(ps.bth),
			       hlen - sizeof(ps.bth));
}

/**
 * mrc_icrc_update - go on with the ICRC of a packet
 * @crc: state
 * @buf: next bytes
 * @len: how many
 *
 * Context: Any.
 * Return: new state.
 */
u32 mrc_icrc_update(u32 crc, const void *buf, unsigned int len)
{
	return crc32_le(crc, buf, len);
}

/**
 * mrc_icrc_end - the ICRC as it travels
 * @crc: state after the last byte of payload and padding
 *
 * Context: Any.
 * Return: the packet's last 4 bytes; little-endian, as IBTA has it.
 */
__le32 mrc_icrc_end(u32 crc)
{
	return cpu_to_le32(~crc);
}

/**
 * mrc_icrc_put - append the ICRC to a linear packet
 * @flow: addresses and ports of the (inner) packet
 * @pkt: packet from its BTH on, with 4 bytes of room behind
 * @len: bytes in @pkt, at least 12
 *
 * Context: Any.
 * Return: new length.
 */
unsigned int mrc_icrc_put(const struct mrc_icrc_flow *flow, void *pkt,
			  unsigned int len)
{
	__le32 icrc = mrc_icrc_end(mrc_icrc_begin(flow, len, pkt, len));

	memcpy(pkt + len, &icrc, sizeof(icrc));
	return len + sizeof(icrc);
}

/**
 * mrc_icrc_check - check the ICRC of a linear packet
 * @flow: addresses and ports of the (inner) packet
 * @pkt: packet from its BTH on
 * @len: bytes in @pkt, with the ICRC
 *
 * Context: Any.
 * Return: 0 or -MRC_DROP_SHORT, -MRC_DROP_ICRC.
 */
int mrc_icrc_check(const struct mrc_icrc_flow *flow, const void *pkt,
		   unsigned int len)
{
	__le32 icrc;

	if (len < MRC_LEN_BTH + MRC_LEN_ICRC)
		return -MRC_DROP_SHORT;
	len -= MRC_LEN_ICRC;
	icrc = mrc_icrc_end(mrc_icrc_begin(flow, len, pkt, len));
	return memcmp(pkt + len, &icrc, sizeof(icrc)) ? -MRC_DROP_ICRC : 0;
}
