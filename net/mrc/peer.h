/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Peers: what we know of one remote node, shared by all connections to it:
 * its paths and their health, its EVs, the round-trip times of its planes.
 * The requester asks here for a path for each burst and tells here what
 * became of it; nothing else decides about a path.
 */
#ifndef _NET_MRC_PEER_H
#define _NET_MRC_PEER_H

#include <linux/hrtimer.h>
#include <linux/in6.h>
#include <linux/rhashtable.h>

#include "ev.h"
#include "net.h"
#include "news.h"
#include "plane.h"
#include "rtt.h"
#include "share.h"
#include "srv6.h"

#define MRC_PATH_NONE	0xffff

enum mrc_path_why {
	MRC_WHY_NEW,		/* not used yet */
	MRC_WHY_PROBE,		/* enough probes succeeded */
	MRC_WHY_LOSS,		/* a packet was lost by SACK or time */
	MRC_WHY_TIMEOUT,	/* nothing came back */
	MRC_WHY_PLANE_SUSPECT,	/* losses on several paths of the plane */
	MRC_WHY_PLANE_DOWN,	/* no carrier or down */
	MRC_WHY_RESPONDER,	/* the peer said ALWAYS_SKIP */
	MRC_WHY_UNDO,		/* the lost packet arrived late */
	MRC_WHY_ADMIN,
};

/**
 * struct mrc_pick - a path chosen for one burst or packet
 * @plane: plane (RCU)
 * @gw: entry to send through (RCU)
 * @outer: SRv6 carriers if @encap, the first is the destination
 * @ev: entropy value
 * @gen: generation of the path table @path belongs to
 * @path: index in that table, MRC_PATH_NONE for one made on the spot
 * @encap: bytes of the headers around the inner packet, 0 = none
 * @many: its plane has other paths, too
 *
 * Valid inside the RCU read section it was filled in.
 */
struct mrc_pick {
	struct mrc_plane	*plane;
	struct mrc_gw		*gw;
	struct in6_addr		outer[MRC_SRV6_CARRIERS_MAX];
	u32			ev;
	u32			gen;
	u16			path;
	u8			encap;
	bool			many;
};

/* Probes of one path whose ids are kept: an answer that is late for its timeout,
 * or comes when the path is no longer probed, is no stranger's.
 */
#define MRC_PROBES_OUT	4

/**
 * struct mrc_path_probe - probe schedule of a path
 * @due: when the next one leaves or the last one times out, ktime ns
 * @id: of the latest ones, random, 0 = answered or none
 * @at: when they left, ktime ns
 * @last: index of the latest in @id and @at
 * @run: full-size successes in a row
 * @fails: failures in a row, saturates
 * @full: bit i: probe i was padded to the packet size
 * @out: the latest has no answer yet
 */
struct mrc_path_probe {
	u64	due;
	u16	id[MRC_PROBES_OUT];
	u64	at[MRC_PROBES_OUT];
	u8	last;
	u8	run;
	u8	fails;
	u8	full;
	bool	out;
};

/**
 * struct mrc_path - one distinct source route of a peer
 *
 * Changed under mrc_peer.lock, counters and times of evidence updated with
 * WRITE_ONCE by whoever has the evidence (a lost update costs one count).
 * @plane: number of its plane
 * @state: MRC_EV_GOOD, MRC_EV_ASSUMED_BAD or MRC_EV_DENIED
 * @why: what brought it there
 * @level: how often it left again soon after it came back, see probe.c
 * @doubt: used though a loss speaks against it; leaves with the next
 * @k: number of the path within its route's template
 * @ev_first: first of its EVs, slot of its plane's table
 * @ev_n: how many
 * @outer: SRv6 carriers
 * @since: ktime ns of the last change of state
 * @last_acked: ktime ns of the last success
 * @acked_sent: send time of the latest packet that arrived, ktime ns
 * @doubt_sent: send time of the packet that raised @doubt, ktime ns
 * @marked_at: ktime ns of the last mark or trim
 * @reorder_at: when @reorder_ns was learnt, ktime ns
 * @order_at: when it last delivered out of order, ktime ns, 0 = never
 * @reorder_ns: tolerance learnt from late arrivals, ns
 * @sent: data packets sent
 * @acked: arrived
 * @marked: arrived with CE
 * @trimmed: arrived trimmed
 * @lost: lost
 * @acked_back: @acked when it came back
 * @holes: packets lost that others sent then or later survived
 * @hole_sent: @sent at the latest of these
 * @lossy: it had two of them within MRC_HOLES_PKTS since it came back
 * @win_sent: @sent where the window of the outlier rule begins
 * @win_lost: @lost there
 * @probe_sent: EV probes sent
 * @probe_ok: answered
 * @rtt: of this path by probes and data
 * @probe: schedule
 */
struct mrc_path {
	u8			plane;
	u8			state;
	u8			why;
	u8			level;
	bool			doubt;
	u16			k;
	u16			ev_first;
	u16			ev_n;
	struct in6_addr		outer[MRC_SRV6_CARRIERS_MAX];
	u64			since;
	u64			last_acked;
	u64			acked_sent;
	u64			doubt_sent;
	u64			marked_at;
	u64			reorder_at;
	u64			order_at;
	u32			reorder_ns;
	u64			sent, acked, marked, trimmed, lost;
	u64			acked_back;
	u64			holes;
	u64			hole_sent;
	bool			lossy;
	u64			win_sent, win_lost;
	u64			probe_sent, probe_ok;
	struct mrc_rtt		rtt;
	struct mrc_path_probe	probe;
};

/**
 * struct mrc_peer_plane - one plane of a path table
 * @first: its first path
 * @n: how many it has
 * @n_evs: EVs in its working set
 * @plane_gen: mrc_plane.gen it was made from
 * @mode: of the route it was made from
 * @ecmp: of that route
 * @tmpl: of that route
 * @set: which paths of that
 * @evs_gen: mrc_ev_list.gen of the profile it was made from, 0 = auto
 * @evset: which EVs of that, by slot
 * @by_ev: slots in the order of their EVs, NULL if auto
 * @loss_path: path of the last loss with no later success on the plane,
 *	MRC_PATH_NONE if none
 * @loss_sent: send time of that packet, ktime ns
 * @acked_sent: send time of the latest packet that arrived, ktime ns
 * @rev_path: path of the last success, MRC_PATH_NONE if none yet
 * @rev_at: when, ktime ns
 * @heard_path: path of ours that mirrors the one the peer used last
 * @heard_at: when a packet of the peer last came on this plane, ktime ns
 * @hint_at: when the peer's word about it was last followed, ktime ns
 * @icmp_at: when an ICMP error about one of its paths was, ktime ns
 * @hinted: its paths left on that word, and one of them is asked whether it
 *	is true
 */
struct mrc_peer_plane {
	u16			first;
	u16			n;
	u16			n_evs;
	u32			plane_gen;
	u8			mode;
	bool			ecmp;
	struct mrc_srv6_tmpl	tmpl;
	struct mrc_path_set	set;
	u32			evs_gen;
	struct mrc_path_set	evset;
	u16			*by_ev;
	u16			loss_path;
	u64			loss_sent;
	u64			acked_sent;
	u16			rev_path;
	u64			rev_at;
	u16			heard_path;
	u64			heard_at;
	u64			hint_at;
	u64			icmp_at;
	bool			hinted;
};

/**
 * struct mrc_peer_paths - path and EV tables, replaced as a whole (RCU)
 * @gen: unlike that of any table before in this peer, never 0
 * @net_gen: mrc_net.paths_gen it was last compared with
 * @evs: mrc_conf.evs it was made from
 * @planes: mask of planes with a route, bit n-1; bit 31 of loopback is none:
 *	a peer on the loopback plane has @planes = 0 and n_planes = 1
 * @n_planes: entries of @evp, @pl, @gw, @encap
 * @n_paths: entries of @path
 * @partial: made smaller than asked for, for want of memory
 * @path: paths, those of a plane together
 * @evp: EVs of each plane
 * @pl: the rest of each plane
 * @gw: entry to send through; NULL once it is gone, see
 *	mrc_peers_gw_gone()
 * @encap: bytes of the headers around the inner packet, 0 = none
 * @probing: bit per path: probes are due or out
 * @n_probing: bits set in @probing
 * @cursor: where the probe timer goes on looking
 * @sent: data packets sent over all paths
 * @lost: of these, lost
 * @win_sent: @sent where the window of the outlier rule begins
 * @win_lost: @lost there
 * @win_at: when it began, ktime ns
 * @silent_e: index of the plane on which the present silence of the peer was
 *	noticed first, see peer_health.c
 * @silent_sent: send time of the packet that noticed it, ktime ns
 * @rcu: frees it
 */
struct mrc_peer_paths {
	u32			gen;
	int			net_gen;
	u32			evs;
	u32			planes;
	u16			n_planes;
	u16			n_paths;
	bool			partial;
	struct mrc_path		*path;
	struct mrc_ev_plane	*evp;
	struct mrc_peer_plane	*pl;
	struct mrc_gw		**gw;
	u8			*encap;
	unsigned long		*probing;
	unsigned int		n_probing;
	unsigned int		cursor;
	u64			sent, lost;
	u64			win_sent, win_lost;
	u64			win_at;
	u16			silent_e;
	u64			silent_sent;
	struct rcu_head		rcu;
};

/**
 * struct mrc_peer - a remote node
 * @node: in mrc_net.peers
 * @list: in mrc_net.peer_list (RCU)
 * @mnet: namespace (not held)
 * @local: our node address, together with @remote the key
 * @remote: its node address
 * @profile: id of the EV profile of its users, part of the key; 0 = that of the
 *	routes
 * @ref: table and users
 * @lock: protects states, probes, @users and all below; BH. Never held while
 *	a plane is asked or a packet is sent: both may come back here.
 * @paths: tables, RCU, replaced under @lock
 * @gen: of the last table
 * @seed: of this peer's choice of paths and spreads
 * @dead: about to be freed, the timer is not armed any more
 * @loopback: @remote is one of our own nodes
 * @users: struct mrc_user
 * @n_users: how many
 * @rtt: per plane number
 * @share: the same
 * @uneven: planes that may carry less than others, bit n-1
 * @remote_down: planes the peer says are down (a hint), mask
 * @trim_seen: a packet to this peer was trimmed: loss means failure
 * @news: enum mrc_news to be given to all users before @lock is dropped, mask
 * @dgram: largest datagram asked for, bytes: size of probes
 * @active: jiffies when a path was last asked for
 * @tokens: bytes that probes may still take
 * @tokens_at: when they were last counted, ktime ns
 * @tokens_sent: mrc_peer_paths.sent at that time
 * @heard: data packets received from it, wraps
 * @rev_heard: @heard when a way back was last probed
 * @rev_at: when that was, ktime ns
 * @rev_e: index of the plane whose way back that was
 * @ports_left: port status updates still to be sent
 * @ports_at: when the next one is due, ktime ns
 * @timer: probes and port status (soft hrtimer)
 * @timer_at: when it fires, ktime ns, U64_MAX = not armed
 * @idle_since: when the last reference but the table's went, ktime ns
 * @rcu: frees it
 */
struct mrc_peer {
	struct rhash_head	node;
	struct list_head	list;
	struct mrc_net		*mnet;
	struct in6_addr		local;
	struct in6_addr		remote;
	u32			profile;
	refcount_t		ref;
	spinlock_t		lock;	/* see above */
	struct mrc_peer_paths __rcu *paths;
	u32			gen;
	u32			seed;
	bool			dead;
	bool			loopback;
	struct list_head	users;
	unsigned int		n_users;
	struct mrc_rtt		rtt[MRC_PLANE_MAX + 1];
	struct mrc_share	share[MRC_PLANE_MAX + 1];
	u32			uneven;
	u32			remote_down;
	bool			trim_seen;
	unsigned long		news;
	unsigned int		dgram;
	unsigned long		active;
	s64			tokens;
	u64			tokens_at;
	u64			tokens_sent;
	u32			heard;
	u32			rev_heard;
	u64			rev_at;
	u16			rev_e;
	u8			ports_left;
	u64			ports_at;
	struct hrtimer		timer;
	u64			timer_at;
	u64			idle_since;
	struct rcu_head		rcu;
};

/* The peer for (@local, @remote) and an EV profile (its id, 0 = that of the
 * routes), made if need be. @local :: = the route's src or else the first
 * node. Context: process or softirq (@gfp).
 * Return: a reference, or ERR_PTR: -ENETUNREACH no route, -EADDRNOTAVAIL no
 * node address, -ENOMEM.
 */
struct mrc_peer *mrc_peer_get(struct mrc_net *mnet,
			      const struct in6_addr *local,
			      const struct in6_addr *remote, u32 profile,
			      gfp_t gfp);
void mrc_peer_put(struct mrc_peer *peer);
/* The peer will be used soon. mrc_peer_get() does it where it may sleep.
 * Context: any but hard interrupts, no spinlock held: it may send.
 */
void mrc_peer_warm(const struct mrc_peer *peer);

/* A user (QP) joins and leaves; between them it gets news. */
void mrc_peer_attach(struct mrc_peer *peer, struct mrc_user *user);
void mrc_peer_detach(struct mrc_peer *peer, struct mrc_user *user);

/* Planes that have a route to the peer, mask bit n-1 (0 = loopback peer). */
u32 mrc_peer_planes(struct mrc_peer *peer);
/* Of these, the ones with a usable path. */
u32 mrc_peer_planes_good(struct mrc_peer *peer);
/* Planes of ours that work, mask bit n-1. Context: RCU read side. */
u32 mrc_planes_up(const struct mrc_net *mnet);
bool mrc_peer_is_loopback(const struct mrc_peer *peer);
/* The largest datagram (BTH to the end of the ICRC, bytes) that all planes of
 * @mask (0 = all) that have a route to the peer carry unfragmented; 0 if there
 * is none. Context: any.
 */
unsigned int mrc_peer_dgram_max(struct mrc_peer *peer, u32 mask);

/* The largest datagram that the plane of @pick carries right now, 0 if none.
 * Context: RCU read side.
 */
unsigned int mrc_pick_dgram_max(const struct mrc_pick *pick);

/* Begins a rotation at random. */
void mrc_rotor_init(struct mrc_rotor *rotor);
/* A path for a burst of data: next GOOD EV in the rotation on a living plane
 * of @mask (0 = any) with room, whose MTU carries datagrams of @dgram bytes
 * (BTH to the end of the ICRC); @avoid is a plane number to pass over if any
 * other is possible (0 = none). Planes share packets equally: say with
 * mrc_rotor_charge(rotor, n) how many the burst had, unless it was one.
 * Return: 0; -EAGAIN: all good planes are full, pick->plane is one to wait
 * on; -ENETDOWN: no good path at all; -EMSGSIZE: no plane carries @dgram any
 * more, pick is one that works for fragments.
 * Context: RCU read side, BH off.
 */
int mrc_peer_pick(struct mrc_peer *peer, struct mrc_rotor *rotor, u32 mask,
		  u8 avoid, unsigned int dgram, struct mrc_pick *pick);

/* A path for a control packet: the reverse EV set; while there is no
 * evidence, @arrival (plane number the question came on, 0 = none).
 * Return: 0, -ENETDOWN. Context as above.
 */
int mrc_peer_pick_ctl(struct mrc_peer *peer, struct mrc_rotor *rotor,
		      u8 arrival, struct mrc_pick *pick);

/* Any path on plane @plane that is not denied, a good one if there is (CM).
 * Return: 0, -ENETDOWN no such plane, not alive or all denied. Context as above.
 */
int mrc_peer_pick_plane(struct mrc_peer *peer, u8 plane,
			struct mrc_pick *pick);

/* Path number @k of a plane, whatever its state (probes).
 * Return: 0; -ENOENT no such path; -ENETDOWN. Context as above.
 */
int mrc_peer_pick_path(struct mrc_peer *peer, u8 plane, u32 k,
		       struct mrc_pick *pick);

/* The way back of a packet that came with @ev on plane @plane: our path of the
 * same number, unless it is known to be bad. The answer carries @ev.
 * Return: 0, -ENETDOWN. Context as above.
 */
int mrc_peer_pick_back(struct mrc_peer *peer, u32 ev, u8 plane,
		       struct mrc_pick *pick);

/* The same without a peer: straight from the route table, for answers to
 * strangers. @spread randomises path and EV.
 */
int mrc_route_pick(struct mrc_net *mnet, const struct in6_addr *dst, u8 plane,
		   u32 spread, struct mrc_pick *pick);
/* The way back of a packet from a stranger, as mrc_peer_pick_back(). */
int mrc_route_pick_back(struct mrc_net *mnet, const struct in6_addr *dst,
			u8 plane, u32 ev, struct mrc_pick *pick);

/**
 * struct mrc_used - what a packet remembers of the path it took
 * @ev: from struct mrc_pick
 * @gen: from there
 * @path: from there
 * @plane: its number
 */
struct mrc_used {
	u32	ev;
	u32	gen;
	u16	path;
	u8	plane;
};

/* Evidence. All ignore a @used of an older table. Context: BH off, RCU.
 * Counters are 64 bits wide and this module is for 64-bit kernels: READ_ONCE
 * and WRITE_ONCE do, and a lost update costs one count.
 */

/* @n packets left on this path. */
void mrc_peer_sent(struct mrc_peer *peer, const struct mrc_used *used, u32 n);
/* @n packets arrived, the latest of them sent at @sent_at; @rtt_ns of the one
 * that triggered the acknowledgment, 0 = unknown.
 */
void mrc_peer_acked(struct mrc_peer *peer, const struct mrc_used *used, u32 n,
		    u64 sent_at, u32 rtt_ns, u64 now);
/* The packet sent at @sent_at is lost. The path leaves and is probed, or is
 * probed in use if it is the last good one of its plane.
 */
void mrc_peer_lost(struct mrc_peer *peer, const struct mrc_used *used,
		   u64 sent_at, enum mrc_path_why why, u64 now);
/* A packet called lost arrived after all, @late_ns later than expected, or
 * (@order) after that path's next.
 */
void mrc_peer_undo(struct mrc_peer *peer, const struct mrc_used *used,
		   bool order, u32 late_ns, u64 now);
/* A packet was acknowledged @age_ns after it had been sent. If it was nearly
 * called lost by the time rule, more is tolerated from now on.
 */
void mrc_peer_late(struct mrc_peer *peer, const struct mrc_used *used,
		   u64 age_ns, u64 now);
/* SACK with m = SKIP_ONCE: one lost turn for the EV. */
void mrc_peer_marked(struct mrc_peer *peer, const struct mrc_used *used);
/* NACK TRIMMED: the same if @skip, no penalty for TRIMMED_LASTHOP. */
void mrc_peer_trimmed(struct mrc_peer *peer, const struct mrc_used *used,
		      bool skip);
/* The same about a packet that had been called lost: that is undone. Return:
 * false if @used->path has no such EV, and nothing has changed.
 */
bool mrc_peer_trimmed_late(struct mrc_peer *peer, const struct mrc_used *used,
			   bool skip, u64 now);
/* SACK with m = ALWAYS_SKIP: treated as a hint, the path leaves and is probed. */
void mrc_peer_always_skip(struct mrc_peer *peer, const struct mrc_used *used,
			  u64 now);
/* @n packets of the peer came on @ev, plane @plane: that path may work
 * backwards.
 */
void mrc_peer_heard(struct mrc_peer *peer, u32 ev, u8 plane, u32 n, u64 now);

/* The plane of a path into @used->plane. Return: false if it is unknown. */
bool mrc_peer_path_plane(struct mrc_peer *peer, struct mrc_used *used);
/* Is it in use? An unknown one is. */
bool mrc_peer_path_good(struct mrc_peer *peer, const struct mrc_used *used);
/* Queueing delay of this path, smoothed, ns. Return: was it marked, or a packet
 * trimmed there, in the last round trips?
 */
bool mrc_peer_load(struct mrc_peer *peer, const struct mrc_used *used, u64 now,
		   u32 *delay_ns);
/* Does the fabric trim, as far as we know? */
bool mrc_peer_trims(const struct mrc_peer *peer);
/* Has this path shown reordering lately? Then its order proves no loss. */
bool mrc_peer_reordered(struct mrc_peer *peer, const struct mrc_used *used);
/* Tolerance learnt on this path lately, ns; 0 = none. */
u32 mrc_peer_reorder(struct mrc_peer *peer, const struct mrc_used *used);
/* Estimator of a plane (never NULL). */
struct mrc_rtt *mrc_peer_rtt(struct mrc_peer *peer, u8 plane);
/* Shares of the planes (share.h): whether they differ at all; the part that
 * @plane has, its weight times its base round-trip time; and that it was passed
 * over for it. Context: any.
 */
bool mrc_peer_uneven(const struct mrc_peer *peer);
u64 mrc_peer_part(const struct mrc_peer *peer, u8 plane);
void mrc_peer_limited(struct mrc_peer *peer, u8 plane);

/* Number of paths in the table and its generation (0 = no table). */
void mrc_peer_paths_info(struct mrc_peer *peer, u32 *gen, u16 *n_paths);

/* A plane died or came back, a route or node changed: called by plane.c,
 * route.c; reaches every peer of the namespace.
 */
void mrc_peers_plane_down(struct mrc_net *mnet, u8 plane);
void mrc_peers_plane_up(struct mrc_net *mnet, u8 plane);
/* Cheap: peers in use resolve again soon after, from a workqueue. */
void mrc_peers_changed(struct mrc_net *mnet);
/* @gw is about to be freed: no route names it any more, it goes after a grace
 * period that begins when this returns. Context: process, conf_lock held.
 */
void mrc_peers_gw_gone(struct mrc_net *mnet, const struct mrc_gw *gw);

/* Endpoint messages (endpoint.c) report here. Return: false if it answers no
 * probe of ours, or no user has to do with that peer.
 */
bool mrc_peer_probe_answer(struct mrc_net *mnet, const struct in6_addr *local,
			   const struct in6_addr *remote, u16 id, u32 ev,
			   u8 plane, u64 now);
bool mrc_peer_port_status(struct mrc_net *mnet, const struct in6_addr *local,
			  const struct in6_addr *remote, u32 mask, u64 now);

/**
 * struct mrc_path_order - what an administrator wants of paths
 * @remote: peer
 * @local: node address of ours, if @has_local, else any
 * @has_local: see there
 * @has_k: @k is given, else all paths of the plane that are not denied
 * @force: bad even if too few EVs are left
 * @plane: number
 * @state: MRC_EV_GOOD, MRC_EV_SKIP or MRC_EV_ASSUMED_BAD
 * @k: number of the path within its route's template
 */
struct mrc_path_order {
	struct in6_addr		remote;
	struct in6_addr		local;
	bool			has_local;
	bool			has_k;
	bool			force;
	u8			plane;
	enum mrc_ev_state	state;
	u32			k;
};

/* The controller's word (peer_admin.c). Context: process; of the first two,
 * conf_lock held.
 */
struct mrc_path_key;
struct netlink_ext_ack;
int mrc_peers_deny(struct mrc_net *mnet, const struct mrc_path_key *key,
		   bool force, struct netlink_ext_ack *extack);
int mrc_peers_allow(struct mrc_net *mnet, const struct mrc_path_key *key,
		    struct netlink_ext_ack *extack);
int mrc_peers_set_paths(struct mrc_net *mnet,
			const struct mrc_path_order *order,
			struct netlink_ext_ack *extack);

/* An ICMP error quotes a packet of ours with @ev, and came on @plane: a hint.
 * Context: softirq, RCU.
 */
void mrc_peer_icmp(struct mrc_net *mnet, const struct in6_addr *local,
		   const struct in6_addr *remote, u32 ev, u8 plane, u64 now);

/* Walks peers for dumps. Context: process; @cb runs under RCU. */
int mrc_peer_walk(struct mrc_net *mnet,
		  int (*cb)(struct mrc_peer *peer, void *arg), void *arg);

int mrc_peers_init(struct mrc_net *mnet);
void mrc_peers_exit(struct mrc_net *mnet);	/* all users are gone */

#endif
