// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options. TCP's and IP's, asked of an AF_MRC socket: those that have
 * a counterpart are translated, those that only advise are accepted and have
 * no effect, all others are ENOPROTOOPT, as the kernel says.
 */
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>

#include "lib.h"

#ifndef SO_BUF_LOCK
#define SO_BUF_LOCK	72
#endif
#ifndef TCP_CLOSE		/* states; linux/tcp.h does not have them */
enum {
	TCP_ESTABLISHED = 1,
	TCP_SYN_SENT,
	TCP_SYN_RECV,
	TCP_FIN_WAIT1,
	TCP_FIN_WAIT2,
	TCP_TIME_WAIT,
	TCP_CLOSE,
	TCP_CLOSE_WAIT,
	TCP_LAST_ACK,
	TCP_LISTEN,
	TCP_CLOSING,
};
#endif

/* An option that changes nothing here, and what it is said to be */
struct idle_option {
	int	level;
	int	name;
	int	value;
};

static const struct idle_option idle_options[] = {
	{ IPPROTO_TCP, TCP_CORK, 0 },
	{ IPPROTO_TCP, TCP_DEFER_ACCEPT, 0 },
	{ IPPROTO_TCP, TCP_FASTOPEN, 0 },
	{ IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 0 },
	{ IPPROTO_TCP, TCP_KEEPCNT, 9 },
	{ IPPROTO_TCP, TCP_KEEPIDLE, 7200 },
	{ IPPROTO_TCP, TCP_KEEPINTVL, 75 },
	{ IPPROTO_TCP, TCP_LINGER2, 60 },
	{ IPPROTO_TCP, TCP_NOTSENT_LOWAT, -1 },
	{ IPPROTO_TCP, TCP_QUICKACK, 1 },
	{ IPPROTO_TCP, TCP_SYNCNT, 6 },
	{ IPPROTO_TCP, TCP_THIN_DUPACK, 0 },
	{ IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS, 0 },
	{ IPPROTO_TCP, TCP_WINDOW_CLAMP, 0 },
	{ IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 0 },
	{ IPPROTO_IP, IP_FREEBIND, 0 },
	{ IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_WANT },
	{ IPPROTO_IP, IP_RECVERR, 0 },
	{ IPPROTO_IP, IP_TOS, 0 },
	{ IPPROTO_IP, IP_TTL, 64 },
	{ IPPROTO_IPV6, IPV6_FREEBIND, 0 },
	{ IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_WANT },
	{ IPPROTO_IPV6, IPV6_RECVERR, 0 },
	{ IPPROTO_IPV6, IPV6_TCLASS, 0 },
	{ IPPROTO_IPV6, IPV6_UNICAST_HOPS, 64 },
	{ IPPROTO_IPV6, IPV6_V6ONLY, 0 },
};

static const struct idle_option *find_idle(int level, int name)
{
	const struct idle_option *o = idle_options;
	const struct idle_option *end = o + sizeof(idle_options) / sizeof(*o);

	for (; o < end; o++)
		if (o->level == level && o->name == name)
			return o;
	return NULL;
}

static int refuse(int err)
{
	errno = err;
	return -1;
}

/* --- set ------------------------------------------------------------------- */

/* Corked, small writes wait for a full packet. */
static int set_cork(int fd, int on)
{
	unsigned int tag = option(fd, SOL_MRC, MRC_TAG, 0);
	int nodelay = option(fd, SOL_MRC, MRC_NODELAY, 1), one = 1;
	const struct real *r = real();

	if (on) {
		if (nodelay)
			tag |= TAG_CORKED;
		nodelay = 0;
	} else {
		/* What has waited goes now. */
		r->setsockopt(fd, SOL_MRC, MRC_NODELAY, &one, sizeof(one));
		if (tag & TAG_CORKED)
			nodelay = 1;
		tag &= ~TAG_CORKED;
	}
	if (r->setsockopt(fd, SOL_MRC, MRC_TAG, &tag, sizeof(tag)))
		return -1;
	return r->setsockopt(fd, SOL_MRC, MRC_NODELAY, &nodelay,
			     sizeof(nodelay));
}

static int set_tcp(int fd, int name, int value)
{
	const struct real *r = real();

	switch (name) {
	case TCP_NODELAY:
		value = !!value;
		return r->setsockopt(fd, SOL_MRC, MRC_NODELAY, &value,
				     sizeof(value));
	case TCP_USER_TIMEOUT:
		return r->setsockopt(fd, SOL_MRC, MRC_USER_TIMEOUT, &value,
				     sizeof(value));
	case TCP_CORK:
		return set_cork(fd, value);
	default:
		return find_idle(IPPROTO_TCP, name) ? 0 : refuse(ENOPROTOOPT);
	}
}

/* A listener's option: TCP has it already, its other half gets it too. */
static bool also_ours(int level, int name)
{
	return level == IPPROTO_TCP &&
	       (name == TCP_NODELAY || name == TCP_USER_TIMEOUT);
}

int do_setsockopt(int fd, int level, int name, const void *val, socklen_t len)
{
	int ret = real()->setsockopt(fd, level, name, val, len), value = 0;

	if (level != IPPROTO_TCP && level != IPPROTO_IP &&
	    level != IPPROTO_IPV6)
		return ret;
	if (ret ? errno != ENOPROTOOPT : !also_ours(level, name))
		return ret;
	if (family_of(fd) != AF_MRC)
		return ret;
	if (level == IPPROTO_TCP && name == TCP_CONGESTION)
		return refuse(ENOENT);
	/* IP takes a byte, too. */
	if (!val || len < (level == IPPROTO_IP ? 1 : sizeof(value)))
		return refuse(val ? EINVAL : EFAULT);
	memcpy(&value, val, len < sizeof(value) ? len : sizeof(value));
	if (level == IPPROTO_TCP)
		return set_tcp(fd, name, value);
	return find_idle(level, name) ? 0 : refuse(ENOPROTOOPT);
}

/* --- get ------------------------------------------------------------------- */

static bool get_mrc_info(int fd, struct mrc_info *info)
{
	socklen_t len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return !real()->getsockopt(fd, SOL_MRC, MRC_INFO, info, &len);
}

static int tcp_state(int state)
{
	switch (state) {
	case MRC_STATE_LISTEN:
		return TCP_LISTEN;
	case MRC_STATE_CONNECTING:
		return TCP_SYN_SENT;
	case MRC_STATE_ESTABLISHED:
		return TCP_ESTABLISHED;
	case MRC_STATE_FIN_SENT:
		return TCP_FIN_WAIT1;
	case MRC_STATE_FIN_DONE:
		return TCP_FIN_WAIT2;
	case MRC_STATE_PEER_FIN:
		return TCP_CLOSE_WAIT;
	case MRC_STATE_BOTH_FIN:
		return TCP_CLOSING;
	default:
		return TCP_CLOSE;
	}
}

/* What MRC knows in the words of TCP: times in us, windows in packets. */
static struct tcp_info tcp_info_of(const struct mrc_info *m)
{
	unsigned int size = m->mrc_info_packet_size ?: 1;

	return (struct tcp_info) {
		.tcpi_state		= tcp_state(m->mrc_info_state),
		.tcpi_snd_mss		= size,
		.tcpi_rcv_mss		= size,
		.tcpi_advmss		= size,
		.tcpi_unacked		= (m->mrc_info_snd_nxt -
					   m->mrc_info_snd_una) & 0xffffff,
		.tcpi_rtt		= m->mrc_info_srtt / 1000,
		.tcpi_min_rtt		= m->mrc_info_rtt_min / 1000,
		.tcpi_snd_cwnd		= m->mrc_info_cwnd / size,
		.tcpi_snd_ssthresh	= 0x7fffffff,
		.tcpi_total_retrans	= m->mrc_info_rtx,
		.tcpi_bytes_sent	= m->mrc_info_sent_bytes,
		.tcpi_bytes_received	= m->mrc_info_rcvd_bytes,
		.tcpi_segs_out		= m->mrc_info_sent + m->mrc_info_rtx,
		.tcpi_segs_in		= m->mrc_info_rcvd + m->mrc_info_dup,
		.tcpi_data_segs_out	= m->mrc_info_sent + m->mrc_info_rtx,
		.tcpi_data_segs_in	= m->mrc_info_rcvd + m->mrc_info_dup,
		.tcpi_reord_seen	= m->mrc_info_rtx_undo,
		.tcpi_rcv_ooopack	= m->mrc_info_ooo,
		.tcpi_rcv_space		= m->mrc_info_rcv_wnd,
	};
}

static int give(void *val, socklen_t *len, const void *from, socklen_t size)
{
	if (*len > size)
		*len = size;
	memcpy(val, from, *len);
	return 0;
}

static int get_tcp(int fd, int name, void *val, socklen_t *len)
{
	const struct idle_option *idle = find_idle(IPPROTO_TCP, name);
	static const char congestion[16] = "mrc";
	struct mrc_info info;
	struct tcp_info tcp;
	int n;

	switch (name) {
	case TCP_INFO:
		if (!get_mrc_info(fd, &info))
			return -1;
		tcp = tcp_info_of(&info);
		return give(val, len, &tcp, sizeof(tcp));
	case TCP_MAXSEG:
		if (!get_mrc_info(fd, &info))
			return -1;
		n = info.mrc_info_packet_size ?: 4096;
		break;
	case TCP_CONGESTION:
		return give(val, len, congestion, sizeof(congestion));
	case TCP_NODELAY:
		n = option(fd, SOL_MRC, MRC_NODELAY, 0);
		break;
	case TCP_USER_TIMEOUT:
		n = option(fd, SOL_MRC, MRC_USER_TIMEOUT, 0);
		break;
	default:
		if (!idle)
			return refuse(ENOPROTOOPT);
		n = idle->value;
	}
	return give(val, len, &n, sizeof(n));
}

static int get_ip(int level, int name, void *val, socklen_t *len)
{
	const struct idle_option *idle = find_idle(level, name);

	if (level == IPPROTO_IP && name == IP_OPTIONS) {
		*len = 0;
		return 0;
	}
	if (!idle)
		return refuse(ENOPROTOOPT);
	return give(val, len, &idle->value, sizeof(idle->value));
}

/* SO_DOMAIN and SO_PROTOCOL: what the program asked for in socket(2) */
static void pose_as_tcp(int fd, int name, void *val)
{
	enum tag tag = tag_of(fd);
	int seen;

	if (tag != TAG_INET && tag != TAG_INET6 && tag != TAG_MAPPED)
		return;
	if (name == SO_PROTOCOL)
		seen = IPPROTO_TCP;
	else
		seen = tag == TAG_INET ? AF_INET : AF_INET6;
	memcpy(val, &seen, sizeof(seen));
}

int do_getsockopt(int fd, int level, int name, void *val, socklen_t *len)
{
	int ret = real()->getsockopt(fd, level, name, val, len);

	if (!ret) {
		if (level == SOL_SOCKET && *len == sizeof(int) &&
		    (name == SO_DOMAIN || name == SO_PROTOCOL) &&
		    family_of(fd) == AF_MRC)
			pose_as_tcp(fd, name, val);
		return 0;
	}
	if (errno != ENOPROTOOPT || !val || !len || family_of(fd) != AF_MRC)
		return ret;
	switch (level) {
	case IPPROTO_TCP:
		return get_tcp(fd, name, val, len);
	case IPPROTO_IP:
	case IPPROTO_IPV6:
		return get_ip(level, name, val, len);
	default:
		return ret;
	}
}

void pose_errors(int fd, struct msghdr *msg)
{
	enum tag tag = family_of(fd) == AF_MRC ? tag_of(fd) : TAG_NATIVE;
	struct cmsghdr *c;

	if (tag == TAG_NATIVE)
		return;
	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_MRC || c->cmsg_type != MRC_RECVERR)
			continue;
		c->cmsg_level = tag == TAG_INET ? SOL_IP : SOL_IPV6;
		c->cmsg_type = tag == TAG_INET ? IP_RECVERR : IPV6_RECVERR;
	}
}

/* --- from one socket to the one that takes its place ----------------------- */

static void carry(int from, int to, int name, size_t size)
{
	char val[sizeof(struct timeval)], none[sizeof(val)] = { 0 };
	socklen_t len = size;

	if (real()->getsockopt(from, SOL_SOCKET, name, val, &len) ||
	    len != size || !memcmp(val, none, size))
		return;
	real()->setsockopt(to, SOL_SOCKET, name, val, len);
}

/* Sizes that somebody has set; read, they are twice what was asked for. */
static void carry_buffers(int from, int to)
{
	int set = option(from, SOL_SOCKET, SO_BUF_LOCK, 0), size;

	if (set & 1) {
		size = option(from, SOL_SOCKET, SO_SNDBUF, 0) / 2;
		real()->setsockopt(to, SOL_SOCKET, SO_SNDBUF, &size,
				   sizeof(size));
	}
	if (set & 2) {
		size = option(from, SOL_SOCKET, SO_RCVBUF, 0) / 2;
		real()->setsockopt(to, SOL_SOCKET, SO_RCVBUF, &size,
				   sizeof(size));
	}
}

void carry_options(int from, int to)
{
	static const int ints[] = {
		SO_KEEPALIVE, SO_REUSEADDR, SO_PRIORITY, SO_MARK, SO_RCVLOWAT,
		SO_TIMESTAMP, SO_TIMESTAMPNS, SO_TIMESTAMPING, SO_ZEROCOPY,
	};
	int saved = errno, val;
	socklen_t len = sizeof(val);
	size_t i;

	for (i = 0; i < sizeof(ints) / sizeof(*ints); i++)
		carry(from, to, ints[i], sizeof(int));
	carry(from, to, SO_LINGER, sizeof(struct linger));
	carry(from, to, SO_RCVTIMEO, sizeof(struct timeval));
	carry(from, to, SO_SNDTIMEO, sizeof(struct timeval));
	carry_buffers(from, to);
	/* Whichever of the two is TCP, "do_" works for both. */
	if (!do_getsockopt(from, IPPROTO_TCP, TCP_NODELAY, &val, &len))
		do_setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &val, sizeof(val));
	len = sizeof(val);
	if (!do_getsockopt(from, IPPROTO_TCP, TCP_USER_TIMEOUT, &val, &len))
		do_setsockopt(to, IPPROTO_TCP, TCP_USER_TIMEOUT, &val,
			      sizeof(val));
	errno = saved;
}
