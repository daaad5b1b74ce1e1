// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that an administrator asks for.
 *
 * To a peer: an Endpoint Request over one path, as probe.c sends them, but
 * whatever the state of the path. Around a loop: one from a node of ours to
 * itself, over a source route that leads to a switch and back to the plane's
 * own SID, so that each link can be tried without anybody else's help.
 *
 * What comes back counts only if id, timestamp, EV, plane and both addresses
 * are those of a probe that is out; a loop also carries a random number where
 * others have their mask of ports, since nobody but us looks there. So a
 * packet from ourselves that arrives on a plane is our probe or is dropped.
 *
 * Each probe is answered to its netlink port once: by its round-trip time or
 * when its time is over. Bounded by MRC_PINGS_MAX per namespace.
 */
#include <linux/list.h>
#include <linux/netlink.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "input.h"
#include "limit.h"
#include "netlink.h"
#include "peer_int.h"
#include "ping.h"
#include "route.h"

#define MRC_PING_LEN	(MRC_LEN_EP_REQ_MIN + MRC_LEN_ICRC)

/* Random ids tried until one is free: at most 1024 of 65,535 are taken. */
#define MRC_PING_IDS	16

/**
 * struct mrc_ping - a probe that is out
 * @list: in mrc_pings.list
 * @req: what was asked for; local and remote are set
 * @deadline: when its time is over, ktime ns
 * @sent_at: ktime ns
 * @ev: its EV
 * @nonce: loop: random; else our mask of ports
 * @id: random, its key in mrc_pings.by_id
 * @ts: its timestamp
 * @loop: it comes back to us
 */
struct mrc_ping {
	struct list_head	list;
	struct mrc_ping_req	req;
	u64			deadline;
	u64			sent_at;
	u32			ev;
	u32			nonce;
	u16			id;
	u16			ts;
	bool			loop;
};

/**
 * struct mrc_pings - those of a namespace
 * @mnet: namespace
 * @lock: protects all below; BH, innermost
 * @by_id: struct mrc_ping
 * @list: the same, the first deadline first
 * @n: how many
 * @n_loops: of these, loops
 * @spent_until: state of the rate limit
 * @work: gives up those whose time is over
 */
struct mrc_pings {
	struct mrc_net		*mnet;
	spinlock_t		lock;	/* see above */
	struct xarray		by_id;
	struct list_head	list;
	unsigned int		n;
	unsigned int		n_loops;
	u64			spent_until;
	struct delayed_work	work;
};

/* Context: lock held. */
static void mrc_ping_unlink(struct mrc_pings *p, struct mrc_ping *ping)
{
	xa_erase(&p->by_id, ping->id);
	list_del(&ping->list);
	p->n--;
	if (ping->loop)
		WRITE_ONCE(p->n_loops, p->n_loops - 1);
}

/* Behind those that wait less long. Context: lock held. */
static void mrc_ping_enqueue(struct mrc_pings *p, struct mrc_ping *ping)
{
	struct mrc_ping *at;

	list_for_each_entry_reverse(at, &p->list, list)
		if (at->deadline <= ping->deadline)
			break;
	list_add(&ping->list, &at->list);
	p->n++;
	if (ping->loop)
		WRITE_ONCE(p->n_loops, p->n_loops + 1);
	if (list_is_first(&ping->list, &p->list))
		mod_delayed_work(system_power_efficient_wq, &p->work,
				 msecs_to_jiffies(ping->req.timeout_ms));
}

/* Gives @ping an id, also in *@id, and a place. */
static int mrc_ping_insert(struct mrc_pings *p, struct mrc_ping *ping, u16 *id,
			   struct netlink_ext_ack *extack)
{
	unsigned int tries = MRC_PING_IDS;
	int err = -EBUSY;

	spin_lock_bh(&p->lock);
	while (p->n < MRC_PINGS_MAX && err == -EBUSY && tries--) {
		ping->id = get_random_u32_inclusive(1, U16_MAX);
		err = xa_insert(&p->by_id, ping->id, ping, GFP_ATOMIC);
	}
	*id = ping->id;
	if (!err)
		mrc_ping_enqueue(p, ping);
	spin_unlock_bh(&p->lock);
	if (err == -EBUSY)
		NL_SET_ERR_MSG(extack, "Too many probes are out");
	return err;
}

/* Who removes it may free it. Return: false if another was faster. */
static bool mrc_ping_take(struct mrc_pings *p, struct mrc_ping *ping, u16 id)
{
	bool taken;

	spin_lock_bh(&p->lock);
	taken = xa_load(&p->by_id, id) == ping;
	if (taken)
		mrc_ping_unlink(p, ping);
	spin_unlock_bh(&p->lock);
	return taken;
}

static void mrc_ping_timeout(struct work_struct *work)
{
	struct mrc_pings *p = container_of(to_delayed_work(work),
					   struct mrc_pings, work);
	struct mrc_ping *ping, *next;
	u64 now = ktime_get_ns();
	LIST_HEAD(over);

	spin_lock_bh(&p->lock);
	list_for_each_entry_safe(ping, next, &p->list, list) {
		if (ping->deadline > now) {
			queue_delayed_work(system_power_efficient_wq, &p->work,
					   nsecs_to_jiffies(ping->deadline -
							    now) + 1);
			break;
		}
		mrc_ping_unlink(p, ping);
		list_add_tail(&ping->list, &over);
	}
	spin_unlock_bh(&p->lock);
	list_for_each_entry_safe(ping, next, &over, list) {
		MRC_INC(p->mnet, PING_LOST);
		mrc_nl_probe_done(p->mnet, &ping->req, 0);
		kfree(ping);
	}
}

/* ---- out ----------------------------------------------------------------- */

static int mrc_ping_no_pick(int err, struct netlink_ext_ack *extack)
{
	if (err == -ENETDOWN)
		NL_SET_ERR_MSG(extack, "The plane is down");
	else if (err == -ENOENT)
		NL_SET_ERR_MSG(extack, "No such path");
	return err;
}

/* Sends the probe, or says why not; takes @ping. Context: BH off, RCU. */
static int mrc_ping_out(struct mrc_net *mnet, struct mrc_ping *ping,
			struct mrc_pick *pick, struct netlink_ext_ack *extack)
{
	const struct in6_addr local = ping->req.local;
	const struct in6_addr remote = ping->req.remote;
	struct mrc_eph eph = { .op = MRC_EP_EV_PROBE };
	u64 now = ktime_get_ns();
	int err;

	ping->ev = pick->ev;
	ping->nonce = ping->loop ? get_random_u32() : mrc_planes_up(mnet);
	ping->ts = mrc_wire_ts(now);
	ping->sent_at = now;
	ping->deadline = now + (u64)ping->req.timeout_ms * NSEC_PER_MSEC;
	eph.ports = ping->nonce;
	eph.ts = ping->ts;
	err = mrc_ping_insert(mnet->pings, ping, &eph.id, extack);
	if (err) {
		kfree(ping);
		return err;
	}
	/* from here on its time may be over, and it is freed */
	err = mrc_endpoint_ask(mnet, &local, &remote, pick, &eph, MRC_PING_LEN);
	if (!err) {
		MRC_INC(mnet, PING_OUT);
		return 0;
	}
	if (mrc_ping_take(mnet->pings, ping, eph.id))
		kfree(ping);
	if (err == -ENETDOWN)
		NL_SET_ERR_MSG(extack, "The plane is down");
	else
		NL_SET_ERR_MSG(extack, "The probe was dropped in this host");
	return err;
}

static int mrc_ping_peer(struct mrc_net *mnet, struct mrc_ping *ping,
			 struct netlink_ext_ack *extack)
{
	const struct mrc_ping_req *req = &ping->req;
	struct mrc_peer *peer;
	struct mrc_pick pick;
	int err;

	peer = mrc_peer_get(mnet, &req->local, &req->remote, 0, GFP_KERNEL);
	if (IS_ERR(peer)) {
		kfree(ping);
		if (PTR_ERR(peer) == -ENETUNREACH)
			NL_SET_ERR_MSG(extack, "No route to the peer");
		else if (PTR_ERR(peer) == -EADDRNOTAVAIL)
			NL_SET_ERR_MSG(extack, "No node address to probe from");
		return PTR_ERR(peer);
	}
	ping->req.local = peer->local;
	local_bh_disable();
	rcu_read_lock();
	err = mrc_peer_pick_path(peer, req->plane, req->k, &pick);
	if (err) {
		kfree(ping);
		mrc_ping_no_pick(err, extack);
	} else {
		err = mrc_ping_out(mnet, ping, &pick, extack);
	}
	rcu_read_unlock();
	local_bh_enable();
	mrc_peer_put(peer);
	return err;
}

/* What a loop leaves by. Context: conf_lock held. */
static int mrc_ping_loop_pick(struct mrc_net *mnet,
			      const struct mrc_ping_req *req,
			      struct mrc_pick *pick,
			      struct netlink_ext_ack *extack)
{
	const struct in6_addr *via = &req->via;
	struct mrc_plane *plane = mrc_plane_get(mnet, req->plane);

	if (!plane) {
		NL_SET_ERR_MSG(extack, "No plane of that number");
		return -ENOENT;
	}
	if (ipv6_addr_any(&plane->sid)) {
		NL_SET_ERR_MSG(extack, "The plane has no SID to come back to");
		return -EINVAL;
	}
	if (ipv6_addr_any(via))
		via = &plane->via;
	if (!mrc_gw_valid(via)) {
		NL_SET_ERR_MSG(extack, "The plane has no gateway");
		return -EHOSTUNREACH;
	}
	if (!(ipv6_addr_type(&req->outer) & IPV6_ADDR_UNICAST)) {
		NL_SET_ERR_MSG(extack,
			       "This is not the address of a source route");
		return -EINVAL;
	}
	memset(pick, 0, sizeof(*pick));
	pick->plane = plane;
	pick->path = MRC_PATH_NONE;
	pick->encap = sizeof(struct ipv6hdr);
	pick->outer[0] = req->outer;
	pick->ev = MRC_EV(req->plane, get_random_u32_below(MRC_EV_PATH_MAX),
			  get_random_u32_inclusive(1, MRC_EV_SPREAD_MAX));
	pick->gw = mrc_gw_get(plane, via);
	return PTR_ERR_OR_ZERO(pick->gw);
}

static int mrc_ping_loop(struct mrc_net *mnet, struct mrc_ping *ping,
			 struct netlink_ext_ack *extack)
{
	struct mrc_ping_req *req = &ping->req;
	struct mrc_pick pick;
	int err = 0;

	mutex_lock(&mnet->conf_lock);
	rcu_read_lock();
	if (ipv6_addr_any(&req->local) ? !mrc_node_first(mnet, &req->local) :
					 !mrc_node_is_ours(mnet, &req->local)) {
		NL_SET_ERR_MSG(extack, "No node address to probe from");
		err = -EADDRNOTAVAIL;
	}
	rcu_read_unlock();
	req->remote = req->local;
	if (!err)
		err = mrc_ping_loop_pick(mnet, req, &pick, extack);
	if (err) {
		kfree(ping);
		goto out;
	}
	local_bh_disable();
	rcu_read_lock();
	err = mrc_ping_out(mnet, ping, &pick, extack);
	rcu_read_unlock();
	local_bh_enable();
	mrc_gw_put(pick.plane, pick.gw);
out:
	mutex_unlock(&mnet->conf_lock);
	return err;
}

static bool mrc_pings_may(struct mrc_pings *p)
{
	bool may;

	spin_lock_bh(&p->lock);
	may = mrc_limit_ok(&p->spent_until, ktime_get_ns(),
			   NSEC_PER_SEC / MRC_PINGS_RATE, MRC_PINGS_RATE);
	spin_unlock_bh(&p->lock);
	return may;
}

/**
 * mrc_ping_send() - send a probe
 * @mnet: namespace
 * @req: what is asked for
 * @extack: says what is wrong
 *
 * Context: process, no lock held.
 * Return: 0 or a negative errno, see ping.h; after 0, mrc_nl_probe_done() is
 * called once, unless the port is closed before.
 */
int mrc_ping_send(struct mrc_net *mnet, const struct mrc_ping_req *req,
		  struct netlink_ext_ack *extack)
{
	struct mrc_ping *ping;

	if (!mrc_pings_may(mnet->pings)) {
		NL_SET_ERR_MSG(extack, "Too many probes in a second");
		return -EAGAIN;
	}
	ping = kzalloc(sizeof(*ping), GFP_KERNEL_ACCOUNT);
	if (!ping)
		return -ENOMEM;
	ping->req = *req;
	ping->loop = ipv6_addr_any(&req->remote);
	return ping->loop ? mrc_ping_loop(mnet, ping, extack) :
			    mrc_ping_peer(mnet, ping, extack);
}

/* ---- back ---------------------------------------------------------------- */

/**
 * mrc_ping_looping() - may a packet from ourselves be a probe?
 * @mnet: namespace
 *
 * Context: any.
 * Return: true if a loop is out.
 */
bool mrc_ping_looping(const struct mrc_net *mnet)
{
	return READ_ONCE(mnet->pings->n_loops);
}

static bool mrc_ping_matches(const struct mrc_ping *ping,
			     const struct sk_buff *skb,
			     const struct mrc_eph *eph)
{
	const struct mrc_rx *rx = MRC_RX(skb);
	const struct ipv6hdr *ip = ipv6_hdr(skb);

	if (ping->loop != rx->loop || ping->loop == eph->response ||
	    eph->op != MRC_EP_EV_PROBE)
		return false;
	if (ping->loop && ping->nonce != eph->ports)
		return false;
	return ping->ev == rx->ev && ping->ts == eph->ts &&
	       ping->req.plane == rx->plane &&
	       ipv6_addr_equal(&ping->req.local, &ip->daddr) &&
	       ipv6_addr_equal(&ping->req.remote, &ip->saddr);
}

/**
 * mrc_ping_answer() - has a probe come to its end?
 * @mnet: namespace
 * @skb: a packet for QP 2
 * @eph: its header
 * @now: ktime ns
 *
 * Context: softirq, RCU read side.
 * Return: true if the packet answers a probe that is out, or is a loop.
 */
bool mrc_ping_answer(struct mrc_net *mnet, const struct sk_buff *skb,
		     const struct mrc_eph *eph, u64 now)
{
	struct mrc_pings *p = mnet->pings;
	struct mrc_ping *ping;

	if (!READ_ONCE(p->n))
		return false;
	spin_lock_bh(&p->lock);
	ping = xa_load(&p->by_id, eph->id);
	if (ping && mrc_ping_matches(ping, skb, eph))
		mrc_ping_unlink(p, ping);
	else
		ping = NULL;
	spin_unlock_bh(&p->lock);
	if (!ping)
		return false;
	MRC_INC(mnet, PING_IN);
	mrc_nl_probe_done(mnet, &ping->req,
			  max(mrc_since(now, ping->sent_at), 1ULL));
	kfree(ping);
	return true;
}

/* Takes out those of @portid, or all. */
static void mrc_pings_drop(struct mrc_pings *p, bool all, u32 portid)
{
	struct mrc_ping *ping, *next;

	spin_lock_bh(&p->lock);
	list_for_each_entry_safe(ping, next, &p->list, list) {
		if (!all && ping->req.portid != portid)
			continue;
		mrc_ping_unlink(p, ping);
		kfree(ping);
	}
	spin_unlock_bh(&p->lock);
}

/**
 * mrc_ping_forget() - who asked has gone
 * @mnet: namespace
 * @portid: its netlink port, which another may get
 *
 * Context: process.
 */
void mrc_ping_forget(struct mrc_net *mnet, u32 portid)
{
	if (READ_ONCE(mnet->pings->n))
		mrc_pings_drop(mnet->pings, false, portid);
}

/* ---- namespaces ---------------------------------------------------------- */

/**
 * mrc_ping_init() - make what a namespace needs
 * @mnet: namespace
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int mrc_ping_init(struct mrc_net *mnet)
{
	struct mrc_pings *p;

	p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p)
		return -ENOMEM;
	p->mnet = mnet;
	spin_lock_init(&p->lock);
	xa_init(&p->by_id);
	INIT_LIST_HEAD(&p->list);
	INIT_DELAYED_WORK(&p->work, mrc_ping_timeout);
	mnet->pings = p;
	return 0;
}

/**
 * mrc_ping_close() - drop what is out, the namespace goes
 * @mnet: namespace
 *
 * Context: process, sleeps.
 */
void mrc_ping_close(struct mrc_net *mnet)
{
	mrc_pings_drop(mnet->pings, true, 0);
	cancel_delayed_work_sync(&mnet->pings->work);
}

/**
 * mrc_ping_exit() - free what mrc_ping_init() made
 * @mnet: namespace
 *
 * Context: process; no packet comes any more.
 */
void mrc_ping_exit(struct mrc_net *mnet)
{
	xa_destroy(&mnet->pings->by_id);
	kfree(mnet->pings);
}
