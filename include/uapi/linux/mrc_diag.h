/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * sock_diag(7) for AF_MRC: NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY with
 * NLM_F_DUMP. No capability is needed.
 */
#ifndef _UAPI_LINUX_MRC_DIAG_H
#define _UAPI_LINUX_MRC_DIAG_H

#include <linux/in6.h>
#include <linux/types.h>

/**
 * struct mrc_diag_req - what is asked for
 * @sdiag_family: AF_MRC
 * @sdiag_protocol: 0
 * @mdiag_pad: 0
 * @mdiag_states: mask of states, bit MRC_STATE_*
 * @mdiag_show: mask of attributes, bit (MRC_DIAG_* - 1)
 */
struct mrc_diag_req {
	__u8	sdiag_family;
	__u8	sdiag_protocol;
	__u16	mdiag_pad;
	__u32	mdiag_states;
	__u32	mdiag_show;
};

/**
 * struct mrc_diag_msg - a socket; attributes follow
 * @mdiag_family: AF_MRC
 * @mdiag_type: SOCK_STREAM or SOCK_SEQPACKET
 * @mdiag_state: MRC_STATE_*
 * @mdiag_shutdown: 1 = reading, 2 = writing has ended
 * @mdiag_sport: its port
 * @mdiag_dport: the peer's, 0 = not connected
 * @mdiag_src: node address, :: if unbound
 * @mdiag_dst: the peer's
 * @mdiag_rqueue: bytes received and not read; of a listener the connections
 *	that wait for accept()
 * @mdiag_wqueue: bytes written and not acknowledged; of a listener its backlog
 * @mdiag_uid: owner
 * @mdiag_ino: inode of its file, 0 once it is closed
 * @mdiag_cookie: as SO_COOKIE, low half first
 */
struct mrc_diag_msg {
	__u8		mdiag_family;
	__u8		mdiag_type;
	__u8		mdiag_state;
	__u8		mdiag_shutdown;
	__be16		mdiag_sport;
	__be16		mdiag_dport;
	struct in6_addr	mdiag_src;
	struct in6_addr	mdiag_dst;
	__u32		mdiag_rqueue;
	__u32		mdiag_wqueue;
	__u32		mdiag_uid;
	__u32		mdiag_ino;
	__u32		mdiag_cookie[2];
};

enum {
	MRC_DIAG_NONE,
	MRC_DIAG_INFO,		/* struct mrc_info, which grows at its end */
	MRC_DIAG_CONG,		/* string: congestion control, if connected */
	MRC_DIAG_WHY,		/* string: why it has failed, if it has */
	__MRC_DIAG_MAX,
};

#define MRC_DIAG_MAX	(__MRC_DIAG_MAX - 1)

#endif /* _UAPI_LINUX_MRC_DIAG_H */
