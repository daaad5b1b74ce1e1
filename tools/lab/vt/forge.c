// SPDX-License-Identifier: GPL-2.0
/*
 * A liar beside a connection: packets that look like the other end's, or like
 * a router's, at a steady rate. He knows the addresses, the layout of EVs and,
 * from what COMMAND prints, QPNs and PSNs; no key, no token, no R_Key.
 *
 *   forge RATE UNTIL COMMAND FROM TO FROM_SID TO_SID PATHS
 *	   [PLANE DEV FROM_PATH TO_PATH]...
 *
 *   RATE     packets per second, of all kinds together, which take turns
 *   UNTIL    CLOCK_MONOTONIC in ns
 *   COMMAND  "mrcctl -j -d -s sock show" at the sender; run once each ms, so
 *	      that its PSNs are known to a few packets
 *   FROM, TO node addresses of sender and receiver; FROM_SID, TO_SID where
 *	      each takes SRv6 packets off
 *   PATHS    paths of each plane
 *   FROM_PATH, TO_PATH
 *	      SRv6 destinations by which they are reached out of DEV
 *
 * It prints one object: how many of each kind went to each end. It sleeps from
 * packet to packet and never polls the clock, so it keeps its rate to the
 * nanosecond under virtual time.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "clock.h"

#define MAX_PLANES	32
#define MAX_PACKET	9000
#define UDP_PORT	4791

/* Values of mrc-wire.rst. */
#define OP_WRITE	0xca
#define OP_NAK		0xd1
#define OP_EP_REQ	0xd8
#define OP_EP_RSP	0xd9
#define OP_SACK		0xdc
#define OP_NACK		0xdd
#define OP_PROBE	0xde
#define OP_CM		0xdf
#define QPN_CM		1
#define QPN_ENDPOINT	2
#define NXT_PROFILE	(0x1e << 7)
#define NXT_KEY		(0x1f << 7)
#define CC_TYPE_NACK	0x20
#define FTYPE		1
#define EP_PROBE	1
#define CM_RTU		3
#define CM_REJ		4
#define CM_ABORT	5
#define CM_GONE		6
#define TLV_QPN		4
#define TLV_KEY		7
#define TLV_REASON	16
#define TLV_ECHO	17
#define KIND_DATA	1
#define DSCP_TRIMMED	11
#define LEN_BTH		12
#define LEN_ANSWER	84	/* to a PROBE; no question is shorter */
#define LEN_EP		48
#define LEN_DATA	32	/* headers of a data packet */

enum end { FROM, TO, ENDS };

static const char * const end_names[ENDS] = { "from", "to" };

static struct {
	struct in6_addr node[ENDS], sid[ENDS];
	unsigned int paths, n_planes;
	struct plane {
		unsigned int id;
		int sock;
		struct sockaddr_in6 to[ENDS];
	} plane[MAX_PLANES];
} net;

/* What COMMAND said last of the sender's connection, and its speed. */
static struct {
	const char *command;
	bool known;
	long long at;
	uint32_t qpn[ENDS], nxt, size;
	unsigned long long packets, bytes;
	double per_ns;
} conn;

/* The packet being built; from the BTH on in mrc[]. */
static struct {
	const struct plane *plane;
	enum end end;
	uint32_t ev;
	uint8_t dscp;
	uint8_t mrc[MAX_PACKET];
	unsigned int len;
} pkt;

static void die(const char *what)
{
	fprintf(stderr, "forge: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Knuth's: the same lies in each run. */
static uint32_t rnd(void)
{
	static uint64_t x = 1;

	x = x * 6364136223846793005ULL + 1442695040888963407ULL;
	return x >> 32;
}

/*
 * The connection
 */

static unsigned long long number(const char *text, const char *key)
{
	char want[32];
	const char *p;

	snprintf(want, sizeof(want), "\"%s\":", key);
	p = strstr(text, want);
	return p ? strtoull(p + strlen(want), NULL, 10) : 0;
}

/* Asks again. Nothing is known before the first data packet. */
static void ask(void)
{
	unsigned long long packets = conn.packets;
	long long at = conn.at;
	char text[16384];
	const char *sock;
	FILE *f;

	f = popen(conn.command, "r");
	if (!f)
		die(conn.command);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	if (pclose(f)) {
		fprintf(stderr, "forge: failed: %s\n", conn.command);
		exit(1);
	}
	sock = strstr(text, "\"established\"");
	conn.known = sock && number(sock, "packets_sent");
	if (!conn.known)
		return;
	conn.at = now();
	conn.qpn[FROM] = number(sock, "qpn");
	conn.qpn[TO] = number(sock, "peer_qpn");
	conn.nxt = number(sock, "snd_nxt");
	conn.size = number(sock, "packet_size");
	conn.packets = number(sock, "packets_sent");
	conn.bytes = number(sock, "bytes_sent");
	if (at && conn.at > at)
		conn.per_ns = (double)(conn.packets - packets) /
			      (conn.at - at);
}

/* PSN that the sender sends now, or did @ago packets ago, and where its bytes
 * are in the stream.
 */
static uint32_t psn_now(int ago, uint64_t *va)
{
	int64_t ahead = conn.per_ns * (now() - conn.at) - ago;

	*va = conn.bytes + ahead * conn.size;
	return (conn.nxt + ahead) & 0xffffff;
}

/*
 * Bytes
 */

static void put(unsigned int off, unsigned int bytes, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < bytes; i++)
		pkt.mrc[off + i] = value >> 8 * (bytes - 1 - i);
}

static uint32_t sum(const void *data, size_t len, uint32_t total)
{
	const uint8_t *p = data;

	for (; len > 1; p += 2, len -= 2)
		total += p[0] << 8 | p[1];
	return len ? total + (p[0] << 8) : total;
}

/* Checksum of what @dst gets from @src, ready to be sent: 0 becomes ffff. */
static uint16_t checksum(const struct in6_addr *src,
			 const struct in6_addr *dst, uint8_t proto,
			 const void *data, size_t len)
{
	uint32_t total = proto + len;

	total = sum(src, sizeof(*src), total);
	total = sum(dst, sizeof(*dst), total);
	total = sum(data, len, total);
	while (total >> 16)
		total = (total & 0xffff) + (total >> 16);
	return htons(total == 0xffff ? total : ~total & 0xffff);
}

static uint32_t crc32(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;
	int i;

	while (len--) {
		crc ^= *p++;
		for (i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

struct ipv6 {
	uint32_t ver_tc_flow;
	uint16_t len;
	uint8_t next, hops;
	struct in6_addr src, dst;
} __attribute__((packed));

struct udp {
	uint16_t sport, dport, len, check;
} __attribute__((packed));

struct icmp {
	uint8_t type, code;
	uint16_t check;
	uint32_t arg;
} __attribute__((packed));

/* What goes out: pkt.mrc in UDP in IPv6 in IPv6, or an ICMP error. */
static struct {
	struct ipv6 outer;
	union {
		struct {
			struct ipv6 ip;
			struct udp udp;
			uint8_t mrc[MAX_PACKET];
		} __attribute__((packed));
		struct {
			struct icmp icmp;
			struct ipv6 quoted_outer, quoted_ip;
			struct udp quoted_udp;
			uint8_t quoted[64];
		} __attribute__((packed));
	};
} __attribute__((packed)) wire;

static struct ipv6 ipv6(uint8_t next, size_t len, const struct in6_addr *src,
			const struct in6_addr *dst)
{
	struct ipv6 ip = {
		.ver_tc_flow = htonl(6U << 28 | pkt.dscp << 22 | pkt.ev >> 16),
		.len = htons(len),
		.next = next,
		.hops = 64,
		.src = *src,
		.dst = *dst,
	};

	return ip;
}

static void send_out(size_t len)
{
	const struct plane *pl = pkt.plane;

	wire.outer.len = htons(len);
	wire.outer.dst = pl->to[pkt.end].sin6_addr;
	if (sendto(pl->sock, &wire, sizeof(wire.outer) + len, 0,
		   (const struct sockaddr *)&pl->to[pkt.end],
		   sizeof(pl->to[pkt.end])) < 0)
		die("sendto");
}

/* The ICRC of pkt.mrc, appended to it (IBTA, annex A17). */
static void add_icrc(void)
{
	size_t len = sizeof(struct udp) + pkt.len + sizeof(uint32_t);
	struct {
		uint8_t lrh[8];
		struct ipv6 ip;
		struct udp udp;
	} __attribute__((packed)) ps = {
		.ip = { htonl(0x6fffffff), htons(len), IPPROTO_UDP, 0xff,
			net.node[!pkt.end], net.node[pkt.end] },
		.udp = { htons(pkt.ev), htons(UDP_PORT), htons(len), 0xffff },
	};
	uint8_t variant = pkt.mrc[4];
	uint32_t crc;
	int i;

	memset(ps.lrh, 0xff, sizeof(ps.lrh));
	pkt.mrc[4] = 0xff;
	crc = ~crc32(crc32(~0U, &ps, sizeof(ps)), pkt.mrc, pkt.len);
	pkt.mrc[4] = variant;
	for (i = 0; i < 4; i++)
		pkt.mrc[pkt.len++] = crc >> 8 * i;
}

static void send_mrc(void)
{
	const struct in6_addr *src = &net.node[!pkt.end];
	const struct in6_addr *dst = &net.node[pkt.end];
	size_t len = sizeof(struct udp) + pkt.len;

	wire.outer = ipv6(IPPROTO_IPV6, 0, src, dst);
	wire.ip = ipv6(IPPROTO_UDP, len, src, dst);
	wire.udp = (struct udp){ htons(pkt.ev), htons(UDP_PORT), htons(len),
				 0 };
	memcpy(wire.mrc, pkt.mrc, pkt.len);
	wire.udp.check = checksum(src, dst, IPPROTO_UDP, &wire.udp, len);
	send_out(sizeof(wire.ip) + len);
}

/*
 * Lies. Each is for pkt.end, as if from the other end; the BTH is filled in
 * here, QPN and PSN as in the connection if @dqpn is 0.
 */

static void begin(uint8_t op, uint32_t dqpn, uint32_t psn, unsigned int len)
{
	memset(pkt.mrc, 0, len);
	put(0, 1, op);
	put(2, 2, 0xffff);
	put(5, 3, dqpn ? dqpn : conn.qpn[pkt.end]);
	put(9, 3, psn);
	pkt.len = len;
}

/* One plane, or any number of them, cannot be reached there. */
static void port_status(void)
{
	begin(OP_EP_REQ, QPN_ENDPOINT, 0, LEN_EP);
	put(16, 4, rnd() & 1 ? ~(1U << (rnd() % net.n_planes)) : rnd());
	put(26, 2, FTYPE);
	add_icrc();
	send_mrc();
}

/* A path was reached, of which the end may just have asked. */
static void probe_answer(void)
{
	begin(OP_EP_RSP, QPN_ENDPOINT, rnd() & 0xffff, LEN_EP);
	put(12, 2, EP_PROBE << 2);
	add_icrc();
	send_mrc();
}

/* The other end gets the answer. */
static void probe_request(void)
{
	begin(OP_EP_REQ, QPN_ENDPOINT, rnd() & 0xffff, LEN_EP);
	put(12, 2, EP_PROBE);
	put(16, 4, ~0U);
	put(26, 2, FTYPE);
	add_icrc();
	send_mrc();
}

/* Unreachable, too big, hop limit, bad header: about a packet of the end's. */
static void icmp_error(void)
{
	const struct in6_addr *src = &net.node[pkt.end];
	const struct in6_addr *dst = &net.node[!pkt.end];
	size_t len = sizeof(struct icmp) + 2 * sizeof(struct ipv6) +
		     sizeof(struct udp) + sizeof(wire.quoted);
	size_t udp = 4000;

	wire.icmp = (struct icmp){ .type = 1 + rnd() % 4, .arg = htonl(1280) };
	wire.quoted_outer = ipv6(IPPROTO_IPV6, sizeof(struct ipv6) + udp, src,
				 &net.sid[!pkt.end]);
	wire.quoted_ip = ipv6(IPPROTO_UDP, udp, src, dst);
	wire.quoted_udp = (struct udp){ htons(pkt.ev), htons(UDP_PORT),
					htons(udp), rnd() };
	memset(wire.quoted, 0, sizeof(wire.quoted));
	wire.outer = ipv6(IPPROTO_ICMPV6, len, dst, dst);
	wire.icmp.check = checksum(dst, &net.sid[pkt.end], IPPROTO_ICMPV6,
				   &wire.icmp, len);
	send_out(len);
}

/* Send it again, or: this connection has broken the rules. */
static void nack(void)
{
	static const uint8_t reasons[] = { 1, 2, 6, 7, 0x0a, 0x0b, 0x19 };
	uint64_t va;

	begin(OP_NACK, 0, psn_now(100, &va), 36);
	put(12, 2, NXT_KEY);
	put(14, 1, reasons[rnd() % sizeof(reasons)]);
	put(16, 4, pkt.ev);
	memcpy(pkt.mrc + 25, pkt.mrc + 9, 3);
	put(28, 1, CC_TYPE_NACK);
	put(32, 4, rnd());
	send_mrc();
}

/* All has arrived, what was sent last as well. */
static void sack(void)
{
	uint64_t va;
	uint32_t psn = psn_now(200, &va);

	begin(OP_SACK, 0, psn, LEN_ANSWER);
	put(12, 2, NXT_PROFILE);
	put(16, 4, pkt.ev);
	put(25, 3, psn);
	put(30, 2, 1);
	put(32, 8, ~0ULL);
	put(48, 8, va + conn.size);
	put(56, 8, va + (1 << 24));
	put(64, 4, rnd());
	put(68, 4, 1 << 30);
	put(72, 4, psn + 1);
	send_mrc();
}

static void nak(void)
{
	uint64_t va;

	begin(OP_NAK, 0, psn_now(100, &va), 20);
	put(12, 1, 0x61);
	put(16, 4, rnd());
	send_mrc();
}

static void probe(void)
{
	uint64_t va;

	begin(OP_PROBE, 0, psn_now(0, &va), LEN_ANSWER);
	put(12, 2, NXT_KEY);
	put(16, 2, rnd());
	put(26, 2, FTYPE);
	put(28, 4, rnd());
	send_mrc();
}

/* What the sender is about to send, but for its key and content. */
static void write_to(uint32_t dqpn, unsigned int payload)
{
	uint64_t va;

	begin(OP_WRITE, dqpn, psn_now(-100, &va), LEN_DATA + payload);
	put(16, 8, va);
	put(24, 4, rnd());
	put(28, 4, conn.size);
	send_mrc();
}

static void data(void)
{
	write_to(0, conn.size);
}

static void data_unknown_qpn(void)
{
	write_to(conn.qpn[pkt.end] ^ 0x5a5a5a, conn.size);
}

/* What a switch would have left of it. */
static void data_trimmed(void)
{
	pkt.dscp = DSCP_TRIMMED + (rnd() & 1);
	write_to(0, 64);
}

static unsigned int tlv32(unsigned int off, unsigned int kind, uint32_t value)
{
	put(off, 2, kind);
	put(off + 2, 2, 4);
	put(off + 4, 4, value);
	return off + 8;
}

static void cm_send(uint8_t type, uint64_t token, unsigned int end)
{
	put(12, 1, type);
	put(13, 1, 1);
	put(14, 2, end - LEN_BTH - 16);
	put(20, 8, token);
	pkt.len = end;
	add_icrc();
	send_mrc();
}

/* It never came to be, or it ends now. */
static void cm(void)
{
	static const uint8_t types[] = { CM_RTU, CM_REJ, CM_ABORT };
	uint8_t type = types[rnd() % sizeof(types)];
	uint64_t token = (uint64_t)rnd() << 32 | rnd();
	unsigned int end;

	begin(OP_CM, QPN_CM, 0, 128);
	if (type == CM_RTU) {
		end = tlv32(28, TLV_QPN, conn.qpn[!pkt.end]);
		end = tlv32(end, TLV_KEY, rnd());
	} else {
		end = tlv32(28, TLV_REASON, 10U << 16);
	}
	cm_send(type, token, end);
}

/* The end's packet found nobody. */
static void gone(void)
{
	uint64_t va;

	begin(OP_CM, QPN_CM, 0, 128);
	put(28, 2, TLV_ECHO);
	put(30, 2, 16);
	put(32, 1, KIND_DATA);
	put(36, 4, conn.qpn[!pkt.end]);
	put(40, 4, psn_now(100, &va));
	put(44, 4, rnd());
	cm_send(CM_GONE, 0, 48);
}

/* Who is lied to: either end in turn if neither is named. */
static struct lie {
	const char *name;
	void (*tell)(void);
	bool to_from, to_to;
	unsigned long long told[ENDS];
} lies[] = {
	{ "port-status",	port_status,		true,	true },
	{ "icmp",		icmp_error,		true,	true },
	{ "nack",		nack,			true,	false },
	{ "sack",		sack,			true,	false },
	{ "nak",		nak,			true,	false },
	{ "data",		data,			false,	true },
	{ "data-trimmed",	data_trimmed,		false,	true },
	{ "data-unknown-qpn",	data_unknown_qpn,	false,	true },
	{ "probe",		probe,			false,	true },
	{ "probe-request",	probe_request,		false,	true },
	{ "probe-answer",	probe_answer,		true,	true },
	{ "cm",			cm,			true,	true },
	{ "gone",		gone,			true,	false },
};

#define LIES	(sizeof(lies) / sizeof(lies[0]))

/* Number @n of all: kinds take turns, and so do ends; planes are any. */
static void tell(unsigned long long n)
{
	struct lie *lie = &lies[n % LIES];

	pkt.plane = &net.plane[rnd() % net.n_planes];
	pkt.end = lie->to_from && lie->to_to ? n / LIES % ENDS :
		  lie->to_from ? FROM : TO;
	pkt.ev = pkt.plane->id << 26 | rnd() % net.paths << 11 |
		 (1 + rnd() % 2047);
	pkt.dscp = 0;
	lie->tell();
	lie->told[pkt.end]++;
}

static void print(void)
{
	size_t i;

	for (i = 0; i < LIES; i++)
		printf("%s\"%s\": {\"%s\": %llu, \"%s\": %llu}",
		       i ? ", " : "{", lies[i].name, end_names[FROM],
		       lies[i].told[FROM], end_names[TO], lies[i].told[TO]);
	printf("}\n");
}

static void run(unsigned int rate, long long until)
{
	long long asked = 0, start = 0, at = now();
	unsigned long long n = 0;

	while (at < until) {
		if (at - asked >= NS_PER_MS) {
			ask();
			asked = at;
		}
		/* two looks make a speed */
		if (!conn.per_ns) {
			at += NS_PER_MS;
			start = at;
		} else {
			tell(n++);
			at = start + n * NS_PER_S / rate;
		}
		sleep_until(at);
	}
}

static void address(const char *text, struct in6_addr *addr)
{
	if (inet_pton(AF_INET6, text, addr) != 1) {
		fprintf(stderr, "forge: no address: %s\n", text);
		exit(2);
	}
}

static void add_plane(char **argv)
{
	struct plane *pl = &net.plane[net.n_planes++];
	int end;

	pl->id = atoi(argv[0]);
	pl->sock = socket(AF_INET6, SOCK_RAW, IPPROTO_RAW);
	if (pl->sock < 0)
		die("socket");
	if (setsockopt(pl->sock, SOL_SOCKET, SO_BINDTODEVICE, argv[1],
		       strlen(argv[1])))
		die(argv[1]);
	for (end = FROM; end < ENDS; end++) {
		pl->to[end].sin6_family = AF_INET6;
		address(argv[2 + end], &pl->to[end].sin6_addr);
	}
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 13 || (argc - 9) % 4 || (argc - 9) / 4 > MAX_PLANES) {
		fprintf(stderr, "usage: see the top of forge.c\n");
		return 2;
	}
	conn.command = argv[3];
	address(argv[4], &net.node[FROM]);
	address(argv[5], &net.node[TO]);
	address(argv[6], &net.sid[FROM]);
	address(argv[7], &net.sid[TO]);
	net.paths = atoi(argv[8]);
	for (i = 9; i < argc; i += 4)
		add_plane(argv + i);
	prctl(PR_SET_TIMERSLACK, 1);
	run(atoi(argv[1]), atoll(argv[2]));
	print();
	return 0;
}
