/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * MRC sockets: addresses and options. All a program needs besides
 * <sys/socket.h>: socket(AF_MRC, SOCK_STREAM | SOCK_SEQPACKET, 0).
 */
#ifndef _UAPI_LINUX_MRC_H
#define _UAPI_LINUX_MRC_H

#include <linux/in6.h>
#include <linux/socket.h>
#include <linux/types.h>

/*
 * No number is assigned to MRC. 18 (AF_ASH) is a family that no kernel
 * implements; build the module and the programs with another -DAF_MRC=n if
 * yours does.
 */
#ifndef AF_MRC
#define AF_MRC		18
#endif
#define PF_MRC		AF_MRC

/* Level for getsockopt(2) and setsockopt(2). */
#define SOL_MRC		0x4d52

/**
 * struct sockaddr_mrc - address of an MRC port: a node and a port
 * @smrc_family: AF_MRC
 * @smrc_port: port, network byte order; 0 in bind(2) chooses one
 * @smrc_flowinfo: must be zero
 * @smrc_addr: node address (an IPv6 address); :: in bind(2) is every node
 * @smrc_scope_id: must be zero
 *
 * The layout is that of struct sockaddr_in6.
 */
struct sockaddr_mrc {
	__kernel_sa_family_t	smrc_family;
	__be16			smrc_port;
	__be32			smrc_flowinfo;
	struct in6_addr		smrc_addr;
	__u32			smrc_scope_id;
};

/* Socket options at level SOL_MRC. */
#define MRC_INFO		1	/* get: struct mrc_info */
#define MRC_USER_TIMEOUT	2	/* get/set: unsigned int, ms without
					 * progress until the connection fails;
					 * 0 = the default of 30,000
					 */
#define MRC_NODELAY		3	/* get/set: int, 0 or 1: send small
					 * writes at once (default 0)
					 */
#define MRC_MAX_MSG		4	/* get: unsigned int, bytes: largest
					 * message the peer takes (SEQPACKET)
					 */
#define MRC_EV_PROFILE		5	/* get/set: string, up to 16 bytes with
					 * the final 0: name of an EV profile;
					 * "auto" = that of the routes. Before
					 * connect() or listen()
					 */
#define MRC_CONGESTION		6	/* get/set: string, up to 16 bytes with
					 * the final 0: name of a CC profile;
					 * "default" = that of the namespace.
					 * Before connect() or listen()
					 */
#define MRC_RECVERR		7	/* control message of recvmsg() with
					 * MSG_ERRQUEUE: struct
					 * sock_extended_err
					 */
#define MRC_ACCEPT_TCP		8	/* set: int, descriptor of a listening TCP
					 * socket, whose connections accept()
					 * of this listener returns too; once.
					 * Get: its family, 0 if there is none
					 */
#define MRC_TAG			9	/* get/set: unsigned int, the user's own;
					 * accepted sockets have that of their
					 * listener
					 */

/* Connection states in mrc_info_state and over netlink. */
enum mrc_state {
	MRC_STATE_CLOSED,
	MRC_STATE_LISTEN,
	MRC_STATE_CONNECTING,
	MRC_STATE_ESTABLISHED,
	MRC_STATE_FIN_SENT,	/* our end of stream is not acknowledged */
	MRC_STATE_FIN_DONE,	/* it is; the peer may still send */
	MRC_STATE_PEER_FIN,	/* the peer's end of stream has come */
	MRC_STATE_BOTH_FIN,	/* both have ended, ours is not acknowledged */
};

/* What congestion control does, in mrc_info_cc_state and over netlink. */
enum mrc_cc_state {
	MRC_CC_CONSTANT,	/* nothing, ever */
	MRC_CC_START,		/* the window doubles per round trip */
	MRC_CC_STEADY,		/* delay is below the target */
	MRC_CC_BRAKE,		/* delay is above it */
	MRC_CC_ADAPT,		/* the window was set to what got through */
	MRC_CC_PENALTY,		/* the receiver slows us down */
};

/*
 * struct mrc_info - what getsockopt(SOL_MRC, MRC_INFO) returns
 *
 * Grows only at its end; the kernel writes min(len, its own size) bytes and
 * returns that length. PSNs are 24-bit values as on the wire, times in ns,
 * rates and windows in bytes.
 */
struct mrc_info {
	__u32	mrc_info_state;		/* enum mrc_state */
	__u32	mrc_info_qpn;		/* own QP number */
	__u32	mrc_info_dqpn;		/* the peer's */
	__u32	mrc_info_packet_size;	/* payload bytes per packet */
	__u32	mrc_info_planes;	/* common planes, bit n-1 = plane n */
	__u32	mrc_info_planes_good;	/* of these, with a usable path */
	__u32	mrc_info_snd_una;	/* oldest unacknowledged PSN */
	__u32	mrc_info_snd_nxt;	/* next new PSN */
	__u32	mrc_info_rcv_nxt;	/* first PSN missing */
	__u32	mrc_info_mpr;		/* PSN range granted by the peer */
	__u32	mrc_info_cwnd;		/* congestion window, bytes */
	__u32	mrc_info_inflight;	/* bytes in flight */
	__u32	mrc_info_srtt;		/* ns, of the plane used last */
	__u32	mrc_info_rtt_min;	/* ns, lowest over the planes */
	__u32	mrc_info_max_msg;	/* largest message the peer takes */
	__u32	mrc_info_flags;		/* MRC_INFO_F_* */
	__u64	mrc_info_sent;		/* data packets, first time */
	__u64	mrc_info_sent_bytes;	/* their payload */
	__u64	mrc_info_rtx;		/* data packets sent again */
	__u64	mrc_info_rtx_undo;	/* called lost, arrived late */
	__u64	mrc_info_timeouts;	/* retransmission timeouts */
	__u64	mrc_info_rcvd;		/* data packets, each once */
	__u64	mrc_info_rcvd_bytes;	/* their payload */
	__u64	mrc_info_dup;		/* data packets received again */
	__u64	mrc_info_ooo;		/* data packets ahead of a gap */
	__u64	mrc_info_sacks_out;
	__u64	mrc_info_sacks_in;
	__u64	mrc_info_snd_wnd;	/* bytes the peer still accepts */
	__u64	mrc_info_rcv_wnd;	/* bytes we still accept */
	__u32	mrc_info_cc_state;	/* enum mrc_cc_state */
	__u32	mrc_info_cc_penalty;	/* of the receiver, 0-127 */
};

#define MRC_INFO_F_ICRC		(1 << 0)	/* ICRC trailers negotiated */
#define MRC_INFO_F_SEQPACKET	(1 << 1)

#endif /* _UAPI_LINUX_MRC_H */
