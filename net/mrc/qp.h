/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queue pairs: one per connection end. The transport floor.
 *
 *   requester.c	what may be sent and when		(send side)
 *   txring.c		the slots of packets not yet acknowledged
 *   txpage.c		pages that can be filled again
 *   zc.c		payload that is not copied
 *   hold.c		small writes: what waits for more
 *   burst.c		slots -> one GSO skb on one path
 *   stamp.c		when packets left and arrived (SO_TIMESTAMPING)
 *   sack.c		what a SACK or NACK says to the requester
 *   loss.c		what is lost (pure)
 *   timer.c		one timer per QP, back-off, retry budget, probes
 *   responder.c	data packets in, bitmap, SACK out	(receive side)
 *   reader.c		in-order data to the user
 *   qp.c		QPNs, set-up, demux, news, failure
 *
 * A QP is embedded in its socket. All of it is protected by the socket lock
 * unless a field says otherwise: lock_sock() in process context, or
 * bh_lock_sock() in BH when no user owns it; else packets and news wait and
 * mrc_qp_release() (release_cb) takes them up.
 */
#ifndef _NET_MRC_QP_H
#define _NET_MRC_QP_H

#include <linux/hrtimer.h>
#include <linux/rhashtable.h>
#include <linux/skbuff.h>
#include <net/sock.h>

#include "cc.h"
#include "cc_conf.h"
#include "peer.h"
#include "psn.h"
#include "txpage.h"
#include "txring.h"

#define MRC_MPR_DEFAULT		4096	/* PSNs, what a responder grants */
#define MRC_PAYLOAD_MAX		4096	/* largest packet of RoCE and MRC */
#define MRC_PAYLOAD_MIN		512	/* smaller planes are refused */
#define MRC_USER_TIMEOUT_NS	(30ULL * NSEC_PER_SEC)

/* Who a QPN belongs to. */
enum mrc_qpn_kind {
	MRC_QPN_QP,		/* a connection (struct mrc_qp) */
	MRC_QPN_REQUEST,	/* a half-open request (cm.c) */
	MRC_QPN_TIME_WAIT,	/* a connection that has ended (cm.c) */
};

/**
 * struct mrc_qpn - an entry of the namespace's QPN table
 * @node: in the table (RCU)
 * @qpn: 3 .. 0xffffff, random
 * @kind: what it is embedded in
 */
struct mrc_qpn {
	struct rhash_head	node;
	u32			qpn;
	u8			kind;
};

/* Gives @e a free random QPN and puts it into the table (RCU: free after a
 * grace period). -ENOSPC after many collisions, -ENOMEM. Context: any.
 */
int mrc_qpn_insert(struct mrc_net *mnet, struct mrc_qpn *e, u8 kind);
/* Lets @new take over the QPN of @old, atomically for readers. */
int mrc_qpn_replace(struct mrc_net *mnet, struct mrc_qpn *old,
		    struct mrc_qpn *new, u8 kind);
void mrc_qpn_remove(struct mrc_net *mnet, struct mrc_qpn *e);
/* Context: RCU read side. */
struct mrc_qpn *mrc_qpn_lookup(struct mrc_net *mnet, u32 qpn);

/**
 * struct mrc_qp_params - what the handshake agreed on
 * @dqpn: the peer's QPN
 * @tx_psn: first PSN of each direction, 24 bits
 * @rx_psn: see @tx_psn
 * @tx_rkey: R_Key of the peer's region, of ours
 * @rx_rkey: see @tx_rkey
 * @tx_key: control key that our control packets carry (the peer
 *	gave it), that the peer's must carry (we gave it)
 * @rx_key: see @tx_key
 * @payload: bytes per packet, a multiple of 4
 * @tx_mpr: PSN range the peer grants
 * @rx_mpr: what we granted
 * @tx_window: bytes the peer accepts to begin with
 * @rx_window: what we announced
 * @tx_max_msg: largest message of each direction, bytes
 * @rx_max_msg: see @tx_max_msg
 * @planes: planes both have, mask bit n-1; 0 on the loopback plane
 * @icrc: data and control packets end in an ICRC
 * @ev_layout: the peer's EVs have our layout (cabling check)
 * @seqpacket: messages
 */
struct mrc_qp_params {
	u32	dqpn;
	u32	tx_psn, rx_psn;
	u32	tx_rkey, rx_rkey;
	u32	tx_key, rx_key;
	u32	payload;
	u32	tx_mpr, rx_mpr;
	u64	tx_window, rx_window;
	u32	tx_max_msg, rx_max_msg;
	u32	planes;
	bool	icrc;
	bool	ev_layout;
	bool	seqpacket;
};

/**
 * struct mrc_qp_plane - a QP's packets in flight on one plane
 * @head: oldest and newest, low 32 bits of their PSNs; linked through
 *	the slots in send order; empty if @n is 0
 * @tail: see @head
 * @n: how many
 * @newest_acked: send time of the latest sent packet acknowledged, ns
 * @age: how long ago that was when its acknowledgment came, ns
 * @room: waits for room on this plane
 */
struct mrc_qp_plane {
	u32		head;
	u32		tail;
	u32		n;
	u64		newest_acked;
	u32		age;
	struct mrc_room	room;
};

/**
 * struct mrc_qp_path - order of a QP's packets on one path
 * @sent: number of packets sent on it so far (each remembers its own)
 * @acked: highest such number acknowledged
 * @serial: serial of the SACK that said so
 */
struct mrc_qp_path {
	u32	sent;
	u32	acked;
	u32	serial;
};

/**
 * struct mrc_requester - send side
 * @ring: slots [una, end)
 * @pages: pages filled, NULL when idle
 * @una: first PSN not cumulatively acknowledged (64 bits, as all below)
 * @nxt: first PSN never sent
 * @end: first PSN without data
 * @limit: first PSN that must not be sent yet: @end, or the one before it
 * @va_una: VA of @una
 * @va_end: VA after the last byte queued
 * @va_max: the peer accepts data that ends at or below
 * @mpr: PSN range the peer grants
 * @inflight: payload bytes sent and neither acknowledged nor lost
 * @n_inflight: the same in packets
 * @n_lost: slots waiting for retransmission
 * @lost_hint: no lost slot below this PSN
 * @acked_end: no packet from this PSN on has been acknowledged
 * @serial: newest SACK serial
 * @serial_valid: there was one
 * @msn: number of the message being queued
 * @rcvd: responder's rcvd_bytes as of the newest SACK, 256-byte units
 * @pen: the receiver's penalty as of the newest SACK, 0-127
 * @restore_cwnd: the window comes back after it
 * @newest_acked: send time of the latest sent packet acknowledged, any plane
 * @more: more bytes will follow soon: a last packet that is not full waits
 * @held: the last packet that had to wait, and
 * @held_at: since when, ns
 * @small: PSN of the last packet of a stream that was sent and not full,
 * @small_at: when, ns,
 * @small_heard: what VA was expected of the peer then, and
 * @small_run: how many such went before it without a pause or an answer
 * @stamp: packets whose times are wanted, oldest first, NULL = none
 * @stamp_last: the latest of these, if there is one
 * @stamp_due: the first of these that was not sent
 * @coming: bytes that a send() has yet to queue
 * @fin_queued: our end of stream is queued
 * @fin_psn: its PSN
 * @hold_until: the receiver is full: nothing is sent before, ns
 * @cwnd_held: the congestion window has held packets back since the last SACK
 * @cc: congestion control
 * @rotor: EV rotation
 * @plane: by plane number
 * @n_plane: its entries
 * @path: by path index; NULL until data is sent
 * @n_path: its entries
 * @gen: generation of the path table it belongs to
 */
struct mrc_requester {
	struct mrc_txring	ring;
	struct mrc_txpages	*pages;
	u64			una, nxt, end, limit;
	u64			va_una, va_end, va_max;
	u32			mpr;
	u32			inflight;
	u32			n_inflight;
	u32			n_lost;
	u32			coming;
	u64			lost_hint;
	u64			acked_end;
	u32			serial;
	u32			rcvd;
	u16			msn;
	bool			serial_valid;
	bool			fin_queued;
	bool			cwnd_held;
	bool			restore_cwnd;
	bool			more;
	u8			pen;
	u64			held;
	u64			held_at;
	u64			small;
	u64			small_at;
	u64			small_heard;
	u8			small_run;
	struct mrc_stamp	*stamp;
	struct mrc_stamp	*stamp_last;
	struct mrc_stamp	*stamp_due;
	u64			fin_psn;
	u64			newest_acked;
	u64			hold_until;
	struct mrc_cc		cc;
	struct mrc_rotor	rotor;
	struct mrc_qp_plane	*plane;
	u8			n_plane;
	u16			n_path;
	u32			gen;
	struct mrc_qp_path	*path;
};

/**
 * struct mrc_responder - receive side
 * @bm: which PSNs have arrived; bm.base = cack_psn + 1
 * @ooo: packets ahead of a gap, by PSN: see responder.c
 * @va_next: VA expected at bm.base
 * @va_read: VA up to which the user has read
 * @va_max: what we promised: data may end here, never lowered
 * @va_fin: VA of the end of stream, valid if @fin
 * @serial: of the next SACK
 * @cursor: where the second bitmap looks next
 * @rcvd: payload bytes accepted, first arrivals
 * @pending: bytes (max(packet, 1024) each) since the last SACK
 * @asked: an acknowledgment was asked for up to here (64-bit PSN), 0 = none
 * @messages: complete messages not yet read (SEQPACKET)
 * @readable: bytes in order and not yet read
 * @mpr: PSNs granted lately
 * @cost: memory per packet received, a moving average, bytes
 * @msg_va: the message being received (SEQPACKET)
 * @msg_len: see @msg_va
 * @in_msg: see @msg_va
 * @fin: the end of stream is next after @va_next
 * @tune_at: when the size of the buffer was last thought about, ns
 * @tune_va: @va_read then
 * @tune_end: @va_max then
 * @tune_rtt: shortest time that this took, ns, 0 = none
 * @trim_at: limit of NACKs for trims, see limit.c
 * @answer_at: limit of answers that are worth little
 * @suspects: evidence about the peer's paths, NULL until there is any
 */
struct mrc_responder {
	struct mrc_bitmap	bm;
	struct mrc_rxring	{
		struct mrc_rx_slot	**chunk;
		u32			n_chunks;
	} ooo;
	u64			va_next, va_read, va_max, va_fin;
	u32			serial;
	u64			cursor;
	u64			rcvd;
	u32			pending;
	u64			asked;
	u32			messages;
	u64			readable;
	u64			msg_va;
	u32			msg_len;
	bool			in_msg;
	bool			fin;
	u32			mpr;
	u32			cost;
	u64			tune_at;
	u64			tune_va;
	u64			tune_end;
	u32			tune_rtt;
	u64			trim_at;
	u64			answer_at;
	struct mrc_suspects	*suspects;
};

/* Counters of one connection, for MRC_INFO. */
struct mrc_qp_stats {
	u64	sent, sent_bytes, rtx, rtx_undo, timeouts;
	u64	rcvd, rcvd_bytes, dup, ooo, sacks_out, sacks_in;
};

enum mrc_qp_state {
	MRC_QP_IDLE,	/* not connected: no QPN, or connecting */
	MRC_QP_READY,	/* sends and receives */
	MRC_QP_DEAD,	/* failed or stopped: takes and sends nothing */
};

/* Reliability probes whose ids are kept, and how long the first one is. */
#define MRC_QP_PROBES		2
#define MRC_QP_PROBE_KEPT_NS	NSEC_PER_SEC

/**
 * struct mrc_qp_probe - a reliability probe that is out
 * @id: random, 0 = none, or answered
 * @at: when it was sent, ns
 * @used: the path it took
 */
struct mrc_qp_probe {
	u16		id;
	u64		at;
	struct mrc_used	used;
};

/**
 * struct mrc_qp - a queue pair
 * @sk: the socket it is embedded in
 * @mnet: its namespace
 * @qpn: entry of the QPN table
 * @user: user of @peer
 * @peer: destination, holds a reference; NULL until ready
 * @cc_profile: of the socket's choice, holds a reference; NULL = the default
 * @state: enum mrc_qp_state
 * @p: agreed parameters
 * @local: node addresses
 * @remote: see @local
 * @hdr: bytes of headers of a stream packet
 * @input: packets not yet looked at (lockless; whoever has the lock drains)
 * @input_bytes: truesize of these (atomic; bounds @input)
 * @nodelay: MRC_NODELAY
 * @deferred: set in BH when a user owned the socket (under the spinlock)
 * @req: the two sides
 * @rsp: see @req
 * @stats: counters
 * @timer: the one timer (soft hrtimer; see timer.c)
 * @timer_at: when it fires, ns, 0 = not armed
 * @busy: something is queued or in flight
 * @progress_at: last progress (new PSN acknowledged, or got busy), ns
 * @heard_at: last believed packet of the peer, ns
 * @sent_at: last packet sent, ns
 * @last_plane: the plane it took
 * @user_timeout: ns without progress until the QP fails
 * @rtt_plane: the plane of the latest round-trip time measured
 * @backoff: timeouts since then
 * @backoff_at: the next timeout counts from here on, ns
 * @asked: reliability probes that are out: one is kept until it is answered or
 *	too old, so that a round trip longer than the gaps between them is
 *	measured, too; and the latest
 * @probe_at: when the latest was sent, ns
 * @probe_since: when the first unanswered one was, ns
 * @probe_n: probes since the last answer
 * @probe_wanted: mrc_qp_probe(): until one is answered
 */
struct mrc_qp {
	struct sock		*sk;
	struct mrc_net		*mnet;
	struct mrc_qpn		qpn;
	struct mrc_user		user;
	struct mrc_peer		*peer;
	struct mrc_cc_profile	*cc_profile;
	u8			state;
	struct mrc_qp_params	p;
	struct in6_addr		local;
	struct in6_addr		remote;
	u8			hdr;
	struct llist_head	input;
	atomic_t		input_bytes;
	bool			nodelay;
	bool			deferred;
	struct mrc_requester	req;
	struct mrc_responder	rsp;
	struct mrc_qp_stats	stats;
	struct hrtimer		timer;
	u64			timer_at;
	bool			busy;
	u64			progress_at;
	u64			heard_at;
	u64			sent_at;
	u8			last_plane;
	u64			user_timeout;
	u8			rtt_plane;
	u8			backoff;
	u64			backoff_at;
	struct mrc_qp_probe	asked[MRC_QP_PROBES];
	u64			probe_at;
	u64			probe_since;
	u16			probe_n;
	bool			probe_wanted;
};

/**
 * struct mrc_qp_ops - upwards, filled by the sockets floor at init
 * @cm_input: a CM packet queued with mrc_qp_queue() to a socket; takes @skb.
 *	Socket lock held, BH off
 * @failed: the QP is dead with @err (positive errno): ETIMEDOUT retry budget,
 *	ECONNRESET, EPROTO a violation by the peer. @tell: an ABORT should go
 *	out. Socket lock held, BH off, called once
 * @peer_fin: the peer's end of stream is next to be read. Lock held, BH off
 * @fin_acked: our FIN and all before it are acknowledged. Lock held, BH off
 * @other_qpn: a packet for a QPN that is a request or in time-wait; takes
 *	@skb. Softirq, RCU, no lock
 * @unknown_qpn: a packet for no QPN we have; takes @skb. Softirq, RCU
 */
struct mrc_qp_ops {
	void (*cm_input)(struct mrc_qp *qp, struct sk_buff *skb);
	void (*failed)(struct mrc_qp *qp, int err, bool tell);
	void (*peer_fin)(struct mrc_qp *qp);
	void (*fin_acked)(struct mrc_qp *qp);
	void (*other_qpn)(struct mrc_net *mnet, struct mrc_qpn *e,
			  struct sk_buff *skb);
	void (*unknown_qpn)(struct mrc_net *mnet, struct sk_buff *skb,
			    u32 qpn);
};

extern struct mrc_qp_ops mrc_qp_ops;	/* qp.c */

/* Transport floor: pernet QPN table and CC profiles, upcalls of the paths
 * floor.
 */
int mrc_transport_init(void);
void mrc_transport_exit(void);

/* ---- qp.c: life of a QP -------------------------------------------------- */

/* At socket creation: everything zero, timer set up. Context: process or
 * softirq (children).
 */
void mrc_qp_init(struct mrc_qp *qp, struct sock *sk, struct mrc_net *mnet);
/* The handshake is done (or, for a child, its first proof came): takes over
 * the reference to @peer, allocates what it needs (@gfp), MRC_QP_READY.
 * qp->qpn is in the table already. -ENOMEM: nothing changed.
 * Context: socket lock held.
 */
int mrc_qp_start(struct mrc_qp *qp, struct mrc_peer *peer,
		 const struct in6_addr *local, const struct in6_addr *remote,
		 const struct mrc_qp_params *p, gfp_t gfp);
/* Ends a QP in any state, idempotent: stops the timer, leaves peer and QPN
 * table, frees what is queued to send; what was received stays readable.
 * Context: socket lock held.
 */
void mrc_qp_stop(struct mrc_qp *qp);
/* Stops a QP and makes it MRC_QP_IDLE as after mrc_qp_init(), so that its
 * socket can connect anew; what was received and not read is freed. News or
 * packets that still come for the old connection find nothing.
 * Context: process, socket lock held.
 */
void mrc_qp_reset(struct mrc_qp *qp);
/* Frees the rest. Context: sk_destruct, nobody else has a reference. */
void mrc_qp_destroy(struct mrc_qp *qp);
/* Kills a QP with @err as the transport would (mrc_qp_ops.failed follows). */
void mrc_qp_fail(struct mrc_qp *qp, int err, bool tell);

/* A packet for this QP's socket: processed now, or by whoever has the lock.
 * Takes @skb. Context: softirq or BH off, RCU, a socket reference or RCU.
 */
void mrc_qp_queue(struct mrc_qp *qp, struct sk_buff *skb);
/* The release_cb of the socket. */
void mrc_qp_release(struct mrc_qp *qp);
/* Probes the peer until it answers (or the user timeout): makes sure that it
 * knows this connection. Context: socket lock held.
 */
void mrc_qp_probe(struct mrc_qp *qp);
/* Starts or stops keepalive probing (SO_KEEPALIVE). Context: lock held. */
void mrc_qp_keepalive(struct mrc_qp *qp, bool on);
/* Is a GONE that echoes this believable? @psn, @rkey of a data packet of
 * ours, or @probe_id, @key of a probe. Context: socket lock held.
 */
bool mrc_qp_gone_data(const struct mrc_qp *qp, u32 psn, u32 rkey);
/* Return: the index of the probe in mrc_qp.asked, -1 if it is none of ours. */
int mrc_qp_find_probe(const struct mrc_qp *qp, u16 id);
bool mrc_qp_gone_probe(const struct mrc_qp *qp, u16 probe_id, u32 key);
/* Its congestion control, for people: the profile chosen or the algorithm. */
const char *mrc_qp_congestion(const struct mrc_qp *qp);
struct mrc_info;
void mrc_qp_info(struct mrc_qp *qp, struct mrc_info *info);

/* ---- send side: for sock_send.c ------------------------------------------ */

/* Bytes to be copied between looks at the network: they make whole bursts. */
size_t mrc_req_chunk(const struct mrc_qp *qp);
/* Copies up to @len bytes of a stream into slots (not sent yet). Charges the
 * socket; stops early when memory or sndbuf is short.
 * Return: bytes taken (> 0), -EFAULT, -ENOMEM (nothing taken), -EAGAIN no
 * room below sk_sndbuf.
 */
int mrc_req_fill(struct mrc_qp *qp, struct iov_iter *from, size_t len);
/* The same without a copy: the packets carry @from's own pages. @uarg, which may
 * be NULL, is told when they are not needed any more.
 * Return: also -EOPNOTSUPP: these must be copied.
 */
ssize_t mrc_req_fill_zc(struct mrc_qp *qp, struct iov_iter *from, size_t len,
			struct ubuf_info *uarg);
/* Somebody to tell, of @len bytes. Return: with a reference, or NULL. */
struct ubuf_info *mrc_zc_begin(struct sock *sk, size_t len);
/* A whole message, all or nothing. @eor sets MRC_IMM_EOR.
 * Return: 0, -EFAULT, -ENOMEM, -EMSGSIZE larger than the peer takes.
 */
int mrc_req_message(struct mrc_qp *qp, struct iov_iter *from, size_t len,
		    bool eor);
/* Queues the end of stream. Return: 0, -ENOMEM (try again later). */
int mrc_req_fin(struct mrc_qp *qp);
/* More bytes of the stream follow soon: its last packet, if it is not full, waits
 * for them, for a while.
 */
void mrc_req_more(struct mrc_qp *qp, bool more);
/* When the last packet queued leaves and arrives is reported: @flags are
 * SOF_TIMESTAMPING_TX_*. If there is no memory it is not.
 */
void mrc_req_stamp(struct mrc_qp *qp, u32 key, u32 flags);
/* Sends what may be sent. Any time, as often as one likes. */
void mrc_req_push(struct mrc_qp *qp);
/* Bytes queued and not yet acknowledged. */
u64 mrc_req_outq(const struct mrc_qp *qp);
/* Is everything, FIN included, acknowledged? */
bool mrc_req_drained(const struct mrc_qp *qp);

/* ---- receive side: for sock_recv.c --------------------------------------- */

/* Stream: bytes that can be read now. SEQPACKET: 1 if a message is complete. */
u64 mrc_reader_ready(const struct mrc_qp *qp);
/* Bytes for SIOCINQ: all readable of a stream, the next message's length. */
u64 mrc_reader_inq(struct mrc_qp *qp);
/* The peer's end of stream has come and all before it was read. */
bool mrc_reader_at_end(const struct mrc_qp *qp);
/* Unread data of the user's, FIN aside (close with unread data: ABORT). */
bool mrc_reader_unread(const struct mrc_qp *qp);
/* Copies up to @len bytes; MSG_PEEK leaves them, starting @skip bytes in
 * (SO_PEEK_OFF); MSG_TRUNC discards instead of copying. The last skb that was
 * read from comes to *@last, unless @last is NULL, with a reference; what was
 * there is freed.
 * Return: bytes (0: nothing there), -EFAULT.
 */
int mrc_reader_stream(struct mrc_qp *qp, struct msghdr *msg, size_t len,
		      int flags, u64 skip, struct sk_buff **last);
/* The next complete message: copies min(len, length), drops the rest, sets
 * MSG_EOR and MSG_TRUNC in msg->msg_flags. Return: the message's full length
 * or -EFAULT (message stays), -EAGAIN none complete. *@copied gets the bytes
 * copied.
 */
int mrc_reader_message(struct mrc_qp *qp, struct msghdr *msg, size_t len,
		       int flags, size_t *copied, struct sk_buff **last);
/* After reading: give the peer more window if it grew enough. */
void mrc_rsp_window(struct mrc_qp *qp);
/* Window and largest message to announce for a socket with this sk_rcvbuf. */
u64 mrc_rsp_window_of(int rcvbuf);

#endif
