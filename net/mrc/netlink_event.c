// SPDX-License-Identifier: GPL-2.0
/*
 * Events over generic netlink. Everything here may be called in a softirq
 * with locks held, so nothing sleeps, and nothing is done unless someone
 * listens in the namespace.
 */
#include <linux/ratelimit.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "net.h"
#include "netlink.h"
#include "netlink_gen.h"
#include "peer.h"
#include "plane.h"

/* Events that any packet can cause: so many in a second, per namespace. */
#define MRC_NL_PACKET_EVENTS	10

/**
 * struct mrc_nl_net - what events need per namespace
 * @packet_events: limits those that a packet of a stranger can cause
 */
struct mrc_nl_net {
	struct ratelimit_state packet_events;
};

static unsigned int mrc_nl_net_id __read_mostly;

/* Is the family registered? Cleared before it goes, with a grace period. */
static bool mrc_nl_events_on __read_mostly;

static int __net_init mrc_nl_net_init(struct net *net)
{
	struct mrc_nl_net *n = net_generic(net, mrc_nl_net_id);

	ratelimit_state_init(&n->packet_events, HZ, MRC_NL_PACKET_EVENTS);
	/* what is suppressed is counted in the MIB, not logged */
	ratelimit_set_flags(&n->packet_events, RATELIMIT_MSG_ON_RELEASE);
	return 0;
}

static struct pernet_operations mrc_nl_net_ops = {
	.init	= mrc_nl_net_init,
	.id	= &mrc_nl_net_id,
	.size	= sizeof(struct mrc_nl_net),
};

/**
 * mrc_nl_event_init() - allow events, the family is registered
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int mrc_nl_event_init(void)
{
	int err;

	err = register_pernet_subsys(&mrc_nl_net_ops);
	if (err)
		return err;
	WRITE_ONCE(mrc_nl_events_on, true);
	return 0;
}

/**
 * mrc_nl_event_exit() - stop events, the family is about to go
 *
 * Context: process, sleeps.
 */
void mrc_nl_event_exit(void)
{
	WRITE_ONCE(mrc_nl_events_on, false);
	synchronize_rcu();
	unregister_pernet_subsys(&mrc_nl_net_ops);
}

bool mrc_nl_events_live(void)
{
	return READ_ONCE(mrc_nl_events_on);
}

/* An event being built */
struct mrc_nl_event {
	struct sk_buff	*skb;
	void		*hdr;
};

/* May a packet of a stranger cause another event in this second? */
static bool mrc_nl_packet_event_ok(const struct mrc_net *mnet)
{
	struct mrc_nl_net *n = net_generic(mnet->net, mrc_nl_net_id);

	return __ratelimit(&n->packet_events);
}

/*
 * Begins an event; @limited if any packet can cause it. Return: false if
 * nobody listens or there is no memory. Context: RCU read side, until
 * mrc_nl_event_end() is done: see mrc_nl_event_exit().
 */
static bool mrc_nl_event_begin(struct mrc_nl_event *ev,
			       const struct mrc_net *mnet, u8 cmd,
			       bool limited)
{
	if (!READ_ONCE(mrc_nl_events_on) ||
	    !genl_has_listeners(&mrc_nl_family, mnet->net, MRC_NLGRP_EVENTS))
		return false;
	if (limited && !mrc_nl_packet_event_ok(mnet))
		return false;
	ev->skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	if (!ev->skb)
		return false;
	ev->hdr = genlmsg_put(ev->skb, 0, 0, &mrc_nl_family, 0, cmd);
	if (ev->hdr)
		return true;
	nlmsg_free(ev->skb);
	return false;
}

/* Sends an event; @err says that it did not fit, which cannot be. */
static void mrc_nl_event_end(struct mrc_nl_event *ev,
			     const struct mrc_net *mnet, int err)
{
	if (WARN_ON_ONCE(err)) {
		nlmsg_free(ev->skb);
		return;
	}
	genlmsg_end(ev->skb, ev->hdr);
	genlmsg_multicast_netns(&mrc_nl_family, mnet->net, ev->skb, 0,
				MRC_NLGRP_EVENTS, GFP_ATOMIC);
}

static int mrc_nl_put_ends(struct sk_buff *skb, const struct in6_addr *local,
			   const struct in6_addr *remote)
{
	return nla_put_in6_addr(skb, MRC_A_EVENT_LOCAL, local) ?:
	       nla_put_in6_addr(skb, MRC_A_EVENT_REMOTE, remote);
}

static int mrc_nl_put_plane_counts(struct sk_buff *skb,
				   const struct mrc_plane *plane)
{
	u64 sum[MRC_NL_PLANE_SUMS];

	mrc_nl_plane_sum(plane, sum);
	return nla_put_uint(skb, MRC_A_EVENT_TX_PACKETS, sum[0]) ?:
	       nla_put_uint(skb, MRC_A_EVENT_TX_DATA, sum[2]) ?:
	       nla_put_uint(skb, MRC_A_EVENT_TX_DROPS, sum[3]) ?:
	       nla_put_uint(skb, MRC_A_EVENT_RX_PACKETS, sum[4]) ?:
	       nla_put_uint(skb, MRC_A_EVENT_RX_DATA, sum[6]);
}

/**
 * mrc_nl_plane_event() - report that a plane came or went
 * @plane: the plane
 * @up: it can be used
 *
 * Context: any but hard interrupts.
 */
void mrc_nl_plane_event(struct mrc_plane *plane, bool up)
{
	const struct net_device *dev;
	struct mrc_nl_event ev;
	int err;

	rcu_read_lock();
	if (!mrc_nl_event_begin(&ev, plane->mnet,
				up ? MRC_CMD_PLANE_UP : MRC_CMD_PLANE_DOWN,
				false))
		goto out;
	dev = rcu_dereference(plane->dev);
	err = nla_put_u32(ev.skb, MRC_A_EVENT_PLANE, plane->id) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_STATE,
			  mrc_nl_plane_state(plane)) ?:
	      nla_put_string(ev.skb, MRC_A_EVENT_IFNAME,
			     dev ? dev->name : plane->ifname);
	if (!err && dev)
		err = nla_put_u32(ev.skb, MRC_A_EVENT_IFINDEX, dev->ifindex);
	if (!err)
		err = mrc_nl_put_plane_counts(ev.skb, plane);
	mrc_nl_event_end(&ev, plane->mnet, err);
out:
	rcu_read_unlock();
}

static u32 mrc_nl_path_event_state(const struct mrc_path *path)
{
	switch (READ_ONCE(path->state)) {
	case MRC_EV_GOOD:
		return MRC_PATH_STATE_GOOD;
	case MRC_EV_DENIED:
		return MRC_PATH_STATE_DENIED;
	default:
		return MRC_PATH_STATE_BAD;
	}
}

/**
 * mrc_nl_path_event() - report that a path left or came back
 * @peer: whose path it is
 * @path: the path; its counters go along
 * @good: it is in use again
 *
 * Context: any but hard interrupts.
 */
void mrc_nl_path_event(const struct mrc_peer *peer,
		       const struct mrc_path *path, bool good)
{
	struct mrc_nl_event ev;
	int err;

	rcu_read_lock();
	if (!mrc_nl_event_begin(&ev, peer->mnet,
				good ? MRC_CMD_PATH_GOOD : MRC_CMD_PATH_BAD,
				false))
		goto out;
	err = mrc_nl_put_ends(ev.skb, &peer->local, &peer->remote) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_PLANE, path->plane) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_PATH, path->k) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_PATH_STATE,
			  mrc_nl_path_event_state(path)) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_EVS, path->ev_n) ?:
	      nla_put_string(ev.skb, MRC_A_EVENT_WHY,
			     mrc_nl_why(READ_ONCE(path->why))) ?:
	      nla_put_uint(ev.skb, MRC_A_EVENT_SENT, path->sent) ?:
	      nla_put_uint(ev.skb, MRC_A_EVENT_ACKED, path->acked) ?:
	      nla_put_uint(ev.skb, MRC_A_EVENT_MARKED, path->marked) ?:
	      nla_put_uint(ev.skb, MRC_A_EVENT_TRIMMED, path->trimmed) ?:
	      nla_put_uint(ev.skb, MRC_A_EVENT_LOST, path->lost);
	mrc_nl_event_end(&ev, peer->mnet, err);
out:
	rcu_read_unlock();
}

/**
 * mrc_nl_conn_failed() - report that a connection has failed
 * @mnet: namespace
 * @local: our node address
 * @remote: the peer's
 * @lport: our port, host order
 * @rport: the peer's
 * @qpn: our QP number
 * @err: positive errno
 * @why: one line for people or NULL
 *
 * Context: any but hard interrupts.
 */
void mrc_nl_conn_failed(struct mrc_net *mnet, const struct in6_addr *local,
			const struct in6_addr *remote, u16 lport, u16 rport,
			u32 qpn, int err, const char *why)
{
	struct mrc_nl_event ev;
	int ret;

	rcu_read_lock();
	if (!mrc_nl_event_begin(&ev, mnet, MRC_CMD_CONN_FAILED, false))
		goto out;
	ret = mrc_nl_put_ends(ev.skb, local, remote) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_LOCAL_PORT, lport) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_REMOTE_PORT, rport) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_QPN, qpn) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_ERROR, err);
	if (!ret && why)
		ret = nla_put_string(ev.skb, MRC_A_EVENT_WHY, why);
	mrc_nl_event_end(&ev, mnet, ret);
out:
	rcu_read_unlock();
}

/**
 * mrc_nl_no_return_route() - report a peer that we cannot answer
 * @mnet: namespace
 * @local: our node address
 * @remote: the peer's
 * @plane: the plane on which it asked
 *
 * Context: any but hard interrupts.
 */
void mrc_nl_no_return_route(struct mrc_net *mnet,
			    const struct in6_addr *local,
			    const struct in6_addr *remote, u8 plane)
{
	struct mrc_nl_event ev;
	int err;

	rcu_read_lock();
	if (!mrc_nl_event_begin(&ev, mnet, MRC_CMD_NO_RETURN_ROUTE, true))
		goto out;
	err = mrc_nl_put_ends(ev.skb, local, remote) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_PLANE, plane);
	mrc_nl_event_end(&ev, mnet, err);
out:
	rcu_read_unlock();
}

/**
 * mrc_nl_miscabled() - report a packet that came on another plane
 * @mnet: namespace
 * @local: our node address
 * @remote: the sender's
 * @plane: the plane on which it arrived
 * @sender_plane: the plane that its EV names
 *
 * Context: any but hard interrupts.
 */
void mrc_nl_miscabled(struct mrc_net *mnet, const struct in6_addr *local,
		      const struct in6_addr *remote, u8 plane,
		      u8 sender_plane)
{
	struct mrc_nl_event ev;
	int err;

	rcu_read_lock();
	if (!mrc_nl_event_begin(&ev, mnet, MRC_CMD_MISCABLED, true))
		goto out;
	err = mrc_nl_put_ends(ev.skb, local, remote) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_PLANE, plane) ?:
	      nla_put_u32(ev.skb, MRC_A_EVENT_SENDER_PLANE, sender_plane);
	mrc_nl_event_end(&ev, mnet, err);
out:
	rcu_read_unlock();
}
