/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the peer share among themselves: peer.c (life),
 * peer_paths.c (tables), peer_pick.c (choice), peer_health.c (evidence),
 * peer_hint.c (hearsay), peer_admin.c (the controller) and probe.c (probes).
 * Nobody else includes this.
 */
#ifndef _NET_MRC_PEER_INT_H
#define _NET_MRC_PEER_INT_H

#include <linux/bits.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <net/ipv6.h>

#include "peer.h"
#include "wire.h"

/* Bytes around a datagram: IPv6 and UDP; SRv6 adds its own. */
#define MRC_OVERHEAD		(sizeof(struct ipv6hdr) + 8)

/* A success on a path says that it works for so long: twice the time between
 * two probes of the way back.
 */
#define MRC_FRESH_NS		(2ULL * NSEC_PER_SEC)

/**
 * mrc_paths_plane() - index of a plane in a path table
 * @t: table
 * @plane: number; 0 for the loopback plane
 *
 * Return: index, -1 if the table does not have it.
 */
static inline int mrc_paths_plane(const struct mrc_peer_paths *t, u8 plane)
{
	if (!plane)
		return t->planes || !t->n_planes ? -1 : 0;
	if (plane > MRC_PLANE_MAX || !(t->planes & BIT(plane - 1)))
		return -1;
	return hweight32(t->planes & (BIT(plane - 1) - 1));
}

/* Context: @peer->lock held. */
static inline struct mrc_peer_paths *mrc_paths_locked(struct mrc_peer *peer)
{
	return rcu_dereference_protected(peer->paths,
					 lockdep_is_held(&peer->lock));
}

/* News that all users get when the lock is dropped. Context: lock held. */
static inline void mrc_peer_news(struct mrc_peer *peer, enum mrc_news what)
{
	peer->news |= BIT(what);
}

/* ns from @at to @now; another CPU may have been a little ahead of us. */
static inline u64 mrc_since(u64 now, u64 at)
{
	return now > at ? now - at : 0;
}

static inline unsigned int mrc_overhead(unsigned int encap)
{
	return MRC_OVERHEAD + encap;
}

/* peer.c */
void mrc_peer_lock(struct mrc_peer *peer) __acquires(&peer->lock);
void mrc_peer_unlock(struct mrc_peer *peer) __releases(&peer->lock);
struct mrc_peer *mrc_peer_find(const struct mrc_net *mnet,
			       const struct in6_addr *local,
			       const struct in6_addr *remote, u32 profile);
bool mrc_peer_any(const struct mrc_net *mnet, const struct in6_addr *local,
		  const struct in6_addr *remote,
		  bool (*fn)(struct mrc_peer *peer, void *arg), void *arg);
void mrc_peers_queue(struct mrc_net *mnet, struct delayed_work *work,
		     unsigned long delay);

/* peer_paths.c */
bool mrc_paths_stale(struct mrc_peer *peer);
int mrc_paths_resolve(struct mrc_peer *peer, gfp_t gfp);
u16 mrc_paths_by_ev(const struct mrc_peer_paths *t, int e, u32 ev);
int mrc_paths_slot(const struct mrc_peer_paths *t, int e, u32 ev);

/* peer_pick.c */
void mrc_pick_fill(const struct mrc_peer_paths *t, int e, u16 idx,
		   unsigned int slot, struct mrc_plane *plane,
		   struct mrc_gw *gw, struct mrc_pick *pick);

/* peer_admin.c. Context: lock held. */
void mrc_paths_deny(struct mrc_peer *peer, struct mrc_peer_paths *t, int e,
		    u64 now);

/* peer_health.c. Context: lock held. */
unsigned int mrc_paths_good_evs(const struct mrc_peer_paths *t);
void mrc_path_set_state(struct mrc_peer *peer, struct mrc_peer_paths *t,
			u16 idx, enum mrc_ev_state state,
			enum mrc_path_why why, u64 now);
bool mrc_path_out(struct mrc_peer *peer, struct mrc_peer_paths *t, u16 idx,
		  enum mrc_path_why why, u64 now);
bool mrc_path_leave(struct mrc_peer *peer, struct mrc_peer_paths *t, u16 idx,
		    enum mrc_path_why why, u64 now);
void mrc_path_doubt(struct mrc_peer *peer, struct mrc_peer_paths *t, u16 idx,
		    u64 sent_at, u64 now);
bool mrc_peer_is_silent(struct mrc_peer_paths *t, u16 idx, u64 sent_at);
void mrc_path_works(struct mrc_peer_paths *t, u16 idx, u64 sent_at, u64 now);
void mrc_peer_plane_down(struct mrc_peer *peer, u8 plane);
void mrc_peer_plane_up(struct mrc_peer *peer, u8 plane);

/* peer_hint.c. Context: lock held. */
void mrc_hint_refuted(struct mrc_peer *peer, struct mrc_peer_paths *t, int e,
		      u64 now);

/* probe.c. Context: lock held. */
void mrc_probe_init(struct mrc_peer *peer);
void mrc_probe_start(struct mrc_peer *peer, struct mrc_peer_paths *t, u16 idx,
		     u64 at);
void mrc_probe_stop(struct mrc_peer_paths *t, u16 idx);
void mrc_probe_arm(struct mrc_peer *peer, u64 at);
void mrc_probe_resume(struct mrc_peer *peer, u64 now);
void mrc_probe_ports(struct mrc_peer *peer, u64 now);
/* Takes the lock itself. */
void mrc_probe_wake(struct mrc_peer *peer);

#endif
