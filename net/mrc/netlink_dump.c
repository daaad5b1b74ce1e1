// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: dumps. Each object is one message; a dump that does not
 * fit one buffer goes on where it stopped, by position. When a table has
 * changed in the meantime the dump is marked as interrupted.
 */
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "diag.h"
#include "net.h"
#include "netlink.h"
#include "netlink_gen.h"
#include "peer.h"
#include "plane.h"
#include "profile.h"
#include "route.h"

/**
 * struct mrc_nl_dump - a dump in progress, for the callbacks of walkers
 * @skb: the buffer
 * @cb: the request
 * @pos: where the walk stands
 * @start: where it goes on
 */
struct mrc_nl_dump {
	struct sk_buff		*skb;
	struct netlink_callback	*cb;
	unsigned long		pos;
	unsigned long		start;
};

/**
 * struct mrc_nl_pos - what is kept from buffer to buffer, in cb->ctx
 * @pos: objects done
 * @sub: of paths: those done of the peer at @pos
 */
struct mrc_nl_pos {
	unsigned long pos;
	unsigned long sub;
};

static struct mrc_nl_pos *mrc_nl_pos(struct netlink_callback *cb)
{
	static_assert(sizeof(struct mrc_nl_pos) <=
		      sizeof_field(struct netlink_callback, ctx));
	return (struct mrc_nl_pos *)cb->ctx;
}

static struct mrc_net *mrc_nl_cb_net(struct netlink_callback *cb)
{
	return mrc_net(sock_net(cb->skb->sk));
}

unsigned long *mrc_nl_cursor(struct netlink_callback *cb)
{
	return &mrc_nl_pos(cb)->pos;
}

void *mrc_nl_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &mrc_nl_family, NLM_F_MULTI, cmd);
}

/* Ends a message, or takes it back if it did not fit. */
int mrc_nl_end(struct sk_buff *skb, void *hdr, int err)
{
	if (err)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return err;
}

/* Configuration: paths_gen tells whether it has changed since the start. */
static void mrc_nl_consistent(struct netlink_callback *cb, void *hdr)
{
	cb->seq = atomic_read(&mrc_nl_cb_net(cb)->paths_gen);
	genl_dump_check_consistent(cb, hdr);
}

/* ---- nodes --------------------------------------------------------------- */

int mrc_nl_node_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mrc_net *mnet = mrc_nl_cb_net(cb);
	struct mrc_nl_pos *p = mrc_nl_pos(cb);
	const struct mrc_node *node;
	unsigned long pos = 0;
	int err = 0;
	void *hdr;

	rcu_read_lock();
	list_for_each_entry_rcu(node, &mnet->nodes, list) {
		if (pos++ < p->pos)
			continue;
		hdr = mrc_nl_begin(skb, cb, MRC_CMD_NODE_GET);
		err = -EMSGSIZE;
		if (!hdr)
			break;
		mrc_nl_consistent(cb, hdr);
		err = nla_put_in6_addr(skb, MRC_A_NODE_ADDR, &node->addr);
		err = mrc_nl_end(skb, hdr, err);
		if (err)
			break;
		p->pos++;
	}
	rcu_read_unlock();
	return err;
}

/* ---- planes -------------------------------------------------------------- */

/**
 * mrc_nl_plane_state() - why a plane can or cannot be used
 * @plane: the plane
 *
 * Context: RCU read side.
 * Return: enum mrc_nl_plane_state
 */
u32 mrc_nl_plane_state(const struct mrc_plane *plane)
{
	if (!rcu_access_pointer(plane->dev))
		return MRC_PLANE_STATE_NO_DEVICE;
	if (!READ_ONCE(plane->admin_up))
		return MRC_PLANE_STATE_ADMIN_DOWN;
	if (!READ_ONCE(plane->up))
		return MRC_PLANE_STATE_NO_CARRIER;
	return MRC_PLANE_STATE_UP;
}

/* Sums over the CPUs, each read as a whole */
void mrc_nl_plane_sum(const struct mrc_plane *plane, u64 *sum)
{
	u64 one[MRC_NL_PLANE_SUMS];
	unsigned int start, i;
	int cpu;

	memset(sum, 0, sizeof(one));
	for_each_possible_cpu(cpu) {
		const struct mrc_plane_stats *s = per_cpu_ptr(plane->stats,
							      cpu);

		do {
			start = u64_stats_fetch_begin(&s->syncp);
			one[0] = u64_stats_read(&s->tx_packets);
			one[1] = u64_stats_read(&s->tx_bytes);
			one[2] = u64_stats_read(&s->tx_data);
			one[3] = u64_stats_read(&s->tx_drops);
			one[4] = u64_stats_read(&s->rx_packets);
			one[5] = u64_stats_read(&s->rx_bytes);
			one[6] = u64_stats_read(&s->rx_data);
		} while (u64_stats_fetch_retry(&s->syncp, start));
		for (i = 0; i < ARRAY_SIZE(one); i++)
			sum[i] += one[i];
	}
}

static int mrc_nl_put_plane_stats(struct sk_buff *skb,
				  const struct mrc_plane *plane)
{
	u64 sum[MRC_NL_PLANE_SUMS];

	mrc_nl_plane_sum(plane, sum);
	return nla_put_uint(skb, MRC_A_PLANE_TX_PACKETS, sum[0]) ?:
	       nla_put_uint(skb, MRC_A_PLANE_TX_BYTES, sum[1]) ?:
	       nla_put_uint(skb, MRC_A_PLANE_TX_DATA, sum[2]) ?:
	       nla_put_uint(skb, MRC_A_PLANE_TX_DROPS, sum[3]) ?:
	       nla_put_uint(skb, MRC_A_PLANE_RX_PACKETS, sum[4]) ?:
	       nla_put_uint(skb, MRC_A_PLANE_RX_BYTES, sum[5]) ?:
	       nla_put_uint(skb, MRC_A_PLANE_RX_DATA, sum[6]);
}

static int mrc_nl_put_plane(struct sk_buff *skb, struct mrc_plane *plane)
{
	const struct net_device *dev = rcu_dereference(plane->dev);
	int err;

	err = nla_put_u32(skb, MRC_A_PLANE_NUMBER, plane->id) ?:
	      nla_put_string(skb, MRC_A_PLANE_IFNAME,
			     dev ? dev->name : plane->ifname) ?:
	      nla_put_u32(skb, MRC_A_PLANE_ADMIN_UP,
			  READ_ONCE(plane->admin_up)) ?:
	      nla_put_u32(skb, MRC_A_PLANE_STATE,
			  mrc_nl_plane_state(plane)) ?:
	      nla_put_u32(skb, MRC_A_PLANE_QUEUED, mrc_plane_queued(plane)) ?:
	      mrc_nl_put_plane_stats(skb, plane);
	if (!err && dev)
		err = nla_put_u32(skb, MRC_A_PLANE_IFINDEX, dev->ifindex) ?:
		      nla_put_u32(skb, MRC_A_PLANE_MTU,
				  mrc_plane_mtu(plane));
	if (!err && !ipv6_addr_any(&plane->via))
		err = nla_put_in6_addr(skb, MRC_A_PLANE_VIA, &plane->via);
	if (!err && !ipv6_addr_any(&plane->sid))
		err = nla_put_in6_addr(skb, MRC_A_PLANE_SID, &plane->sid);
	return err;
}

/**
 * mrc_nl_plane_reply() - answer a request for one plane
 * @plane: the plane
 * @info: the request
 *
 * Context: RCU read side, does not sleep.
 * Return: 0 or a negative errno.
 */
int mrc_nl_plane_reply(struct mrc_plane *plane, struct genl_info *info)
{
	struct sk_buff *msg;
	void *hdr;
	int err;

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	if (!msg)
		return -ENOMEM;
	hdr = genlmsg_put_reply(msg, info, &mrc_nl_family, 0,
				MRC_CMD_PLANE_GET);
	err = hdr ? mrc_nl_put_plane(msg, plane) : -EMSGSIZE;
	if (err) {
		nlmsg_free(msg);
		return err;
	}
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);
}

int mrc_nl_plane_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mrc_net *mnet = mrc_nl_cb_net(cb);
	struct mrc_nl_pos *p = mrc_nl_pos(cb);
	struct mrc_plane *plane;
	int err = 0;
	void *hdr;

	rcu_read_lock();
	for (; p->pos < MRC_PLANE_MAX; p->pos++) {
		plane = mrc_plane_get_rcu(mnet, p->pos + 1);
		if (!plane)
			continue;
		hdr = mrc_nl_begin(skb, cb, MRC_CMD_PLANE_GET);
		err = -EMSGSIZE;
		if (!hdr)
			break;
		mrc_nl_consistent(cb, hdr);
		err = mrc_nl_end(skb, hdr, mrc_nl_put_plane(skb, plane));
		if (err)
			break;
	}
	rcu_read_unlock();
	return err;
}

/* ---- routes -------------------------------------------------------------- */

static int mrc_nl_put_segment(struct sk_buff *skb,
			      const struct mrc_srv6_seg *seg)
{
	struct nlattr *nest;
	int err;

	nest = nla_nest_start(skb, MRC_A_ROUTE_SEGMENT);
	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, MRC_A_SEGMENT_TYPE, seg->kind) ?:
	      nla_put_u32(skb, MRC_A_SEGMENT_VALUE, seg->lo);
	if (!err && seg->kind == MRC_SEG_RANGE)
		err = nla_put_u32(skb, MRC_A_SEGMENT_LAST, seg->hi);
	if (!err && seg->kind == MRC_SEG_DST)
		err = nla_put_u32(skb, MRC_A_SEGMENT_OFFSET, seg->bit) ?:
		      nla_put_u32(skb, MRC_A_SEGMENT_BITS, seg->nbits);
	if (err)
		return err;
	nla_nest_end(skb, nest);
	return 0;
}

static int mrc_nl_put_usid(struct sk_buff *skb, const struct mrc_srv6_tmpl *t)
{
	struct in6_addr block = {};
	unsigned int i;
	int err;

	block.s6_addr32[0] = cpu_to_be32(t->block);
	err = nla_put_in6_addr(skb, MRC_A_ROUTE_BLOCK, &block) ?:
	      nla_put_u32(skb, MRC_A_ROUTE_BLOCK_LEN, 32);
	for (i = 0; i < t->n && !err; i++)
		err = mrc_nl_put_segment(skb, &t->seg[i]);
	return err;
}

static int mrc_nl_put_route(struct sk_buff *skb,
			    const struct mrc_route_cfg *cfg)
{
	u32 paths = 1;
	int err;

	if (cfg->mode != MRC_ROUTE_PLAIN)
		paths = mrc_srv6_paths(&cfg->tmpl);
	err = nla_put_in6_addr(skb, MRC_A_ROUTE_DST, &cfg->dst) ?:
	      nla_put_u32(skb, MRC_A_ROUTE_DST_LEN, cfg->plen) ?:
	      nla_put_u32(skb, MRC_A_ROUTE_PLANE, cfg->plane) ?:
	      nla_put_u32(skb, MRC_A_ROUTE_MODE, cfg->mode) ?:
	      nla_put_u32(skb, MRC_A_ROUTE_PATHS, paths);
	if (!err && cfg->has_via)
		err = nla_put_in6_addr(skb, MRC_A_ROUTE_VIA, &cfg->via);
	if (!err && cfg->has_src)
		err = nla_put_in6_addr(skb, MRC_A_ROUTE_SRC, &cfg->src);
	if (!err && cfg->ecmp)
		err = nla_put_u32(skb, MRC_A_ROUTE_ECMP, 1);
	if (!err && cfg->profile)
		err = nla_put_string(skb, MRC_A_ROUTE_PROFILE,
				     cfg->profile->name);
	if (!err && cfg->mode != MRC_ROUTE_PLAIN)
		err = mrc_nl_put_usid(skb, &cfg->tmpl);
	return err;
}

static int mrc_nl_route_cb(const struct mrc_route *route, void *arg)
{
	struct mrc_nl_dump *d = arg;
	void *hdr;

	hdr = mrc_nl_begin(d->skb, d->cb, MRC_CMD_ROUTE_GET);
	if (!hdr)
		return -EMSGSIZE;
	mrc_nl_consistent(d->cb, hdr);
	return mrc_nl_end(d->skb, hdr, mrc_nl_put_route(d->skb, &route->cfg));
}

int mrc_nl_route_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mrc_nl_dump d = { .skb = skb, .cb = cb };
	struct mrc_net *mnet = mrc_nl_cb_net(cb);
	int err;

	mutex_lock(&mnet->conf_lock);
	err = mrc_route_walk(mnet, &mrc_nl_pos(cb)->pos, mrc_nl_route_cb, &d);
	mutex_unlock(&mnet->conf_lock);
	return err;
}

/* ---- peers --------------------------------------------------------------- */

/* What the path table of a peer adds up to */
struct mrc_nl_peer_sum {
	u32 planes;
	u32 planes_good;
	u32 paths;
	u32 paths_good;
	u32 evs;
	u32 rtt;
};

static void mrc_nl_sum_peer(const struct mrc_peer *peer,
			    struct mrc_nl_peer_sum *s)
{
	const struct mrc_peer_paths *t = rcu_dereference(peer->paths);
	unsigned int i;
	u32 rtt;

	memset(s, 0, sizeof(*s));
	if (!t)
		return;
	s->planes = t->planes;
	s->paths = t->n_paths;
	for (i = 0; i < t->n_paths; i++) {
		if (READ_ONCE(t->path[i].state) != MRC_EV_GOOD)
			continue;
		s->paths_good++;
		if (t->path[i].plane)
			s->planes_good |= 1U << (t->path[i].plane - 1);
	}
	for (i = 0; i < t->n_planes; i++) {
		s->evs += t->evp[i].n;
		rtt = READ_ONCE(peer->rtt[t->evp[i].plane].srtt);
		if (rtt && (!s->rtt || rtt < s->rtt))
			s->rtt = rtt;
	}
}

static int mrc_nl_put_peer(struct sk_buff *skb, const struct mrc_peer *peer)
{
	const struct mrc_profile *profile = NULL;
	struct mrc_nl_peer_sum s;
	int err;

	mrc_nl_sum_peer(peer, &s);
	if (peer->profile)
		profile = mrc_profile_by_id(peer->mnet, peer->profile);
	err = nla_put_in6_addr(skb, MRC_A_PEER_LOCAL, &peer->local) ?:
	       nla_put_in6_addr(skb, MRC_A_PEER_REMOTE, &peer->remote) ?:
	       nla_put_u32(skb, MRC_A_PEER_PLANES, s.planes) ?:
	       nla_put_u32(skb, MRC_A_PEER_PLANES_GOOD, s.planes_good) ?:
	       nla_put_u32(skb, MRC_A_PEER_PATHS, s.paths) ?:
	       nla_put_u32(skb, MRC_A_PEER_PATHS_GOOD, s.paths_good) ?:
	       nla_put_u32(skb, MRC_A_PEER_EVS, s.evs) ?:
	       nla_put_u32(skb, MRC_A_PEER_CONNECTIONS,
			   READ_ONCE(peer->n_users)) ?:
	       nla_put_uint(skb, MRC_A_PEER_RTT, s.rtt) ?:
	       nla_put_u32(skb, MRC_A_PEER_TRIMS,
			   READ_ONCE(peer->trim_seen));
	if (!err && profile)
		err = nla_put_string(skb, MRC_A_PEER_PROFILE, profile->name);
	return err;
}

static int mrc_nl_peer_cb(struct mrc_peer *peer, void *arg)
{
	struct mrc_nl_dump *d = arg;
	void *hdr;
	int err;

	if (d->pos < d->start) {
		d->pos++;
		return 0;
	}
	hdr = mrc_nl_begin(d->skb, d->cb, MRC_CMD_PEER_GET);
	if (!hdr)
		return -EMSGSIZE;
	err = mrc_nl_end(d->skb, hdr, mrc_nl_put_peer(d->skb, peer));
	if (!err)
		d->pos++;
	return err;
}

int mrc_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mrc_nl_pos *p = mrc_nl_pos(cb);
	struct mrc_nl_dump d = { .skb = skb, .cb = cb, .start = p->pos };
	int err;

	err = mrc_peer_walk(mrc_nl_cb_net(cb), mrc_nl_peer_cb, &d);
	p->pos = d.pos;
	return err;
}

/* ---- paths --------------------------------------------------------------- */

static const char * const mrc_nl_whys[] = {
	[MRC_WHY_NEW]		= "new",
	[MRC_WHY_PROBE]		= "probes succeeded",
	[MRC_WHY_LOSS]		= "packet lost",
	[MRC_WHY_TIMEOUT]	= "timeout",
	[MRC_WHY_PLANE_SUSPECT]	= "plane suspect",
	[MRC_WHY_PLANE_DOWN]	= "plane down",
	[MRC_WHY_RESPONDER]	= "peer says so",
	[MRC_WHY_UNDO]		= "late arrival",
	[MRC_WHY_ADMIN]		= "administrator",
};

const char *mrc_nl_why(unsigned int why)
{
	return why < ARRAY_SIZE(mrc_nl_whys) ? mrc_nl_whys[why] : "unknown";
}

/* EVs of a path by state */
struct mrc_nl_evs {
	u32 good;
	u32 skip;
	u32 bad;
	u32 denied;
	u32 backup;
};

static void mrc_nl_count_evs(const struct mrc_peer_paths *t,
			     const struct mrc_path *path, struct mrc_nl_evs *n)
{
	const struct mrc_ev_plane *evp = NULL;
	unsigned int i, slot;

	memset(n, 0, sizeof(*n));
	for (i = 0; i < t->n_planes; i++)
		if (t->evp[i].plane == path->plane)
			evp = &t->evp[i];
	if (!evp)
		return;
	for (i = 0; i < path->ev_n; i++) {
		slot = path->ev_first + i;
		if (test_bit(slot, evp->denied))
			n->denied++;
		else if (test_bit(slot, evp->bad))
			n->bad++;
		else if (!test_bit(slot, evp->active))
			n->backup++;
		else if (test_bit(slot, evp->skip))
			n->skip++;
		else
			n->good++;
	}
}

static u32 mrc_nl_path_state(const struct mrc_path *path,
			     const struct mrc_nl_evs *n)
{
	switch (READ_ONCE(path->state)) {
	case MRC_EV_GOOD:
		return n->skip && !n->good ? MRC_PATH_STATE_SKIP :
					     MRC_PATH_STATE_GOOD;
	case MRC_EV_DENIED:
		return MRC_PATH_STATE_DENIED;
	default:
		return MRC_PATH_STATE_BAD;
	}
}

static int mrc_nl_put_evs(struct sk_buff *skb, const struct mrc_nl_evs *n)
{
	return nla_put_u32(skb, MRC_A_PATH_EVS_GOOD, n->good) ?:
	       nla_put_u32(skb, MRC_A_PATH_EVS_SKIP, n->skip) ?:
	       nla_put_u32(skb, MRC_A_PATH_EVS_BAD, n->bad) ?:
	       nla_put_u32(skb, MRC_A_PATH_EVS_DENIED, n->denied) ?:
	       nla_put_u32(skb, MRC_A_PATH_EVS_BACKUP, n->backup);
}

static int mrc_nl_put_path(struct sk_buff *skb, const struct mrc_peer *peer,
			   const struct mrc_peer_paths *t, unsigned int index)
{
	const struct mrc_path *path = &t->path[index];
	u64 now = ktime_get_ns();
	u64 since = READ_ONCE(path->since);
	struct mrc_nl_evs evs;
	int err;

	mrc_nl_count_evs(t, path, &evs);
	err = nla_put_in6_addr(skb, MRC_A_PATH_LOCAL, &peer->local) ?:
	      nla_put_in6_addr(skb, MRC_A_PATH_REMOTE, &peer->remote) ?:
	      nla_put_u32(skb, MRC_A_PATH_PLANE, path->plane) ?:
	      nla_put_u32(skb, MRC_A_PATH_INDEX, path->k) ?:
	      nla_put_u32(skb, MRC_A_PATH_STATE, mrc_nl_path_state(path, &evs)) ?:
	      nla_put_string(skb, MRC_A_PATH_WHY,
			     mrc_nl_why(READ_ONCE(path->why))) ?:
	      nla_put_uint(skb, MRC_A_PATH_SINCE,
			   now > since ? now - since : 0) ?:
	      mrc_nl_put_evs(skb, &evs) ?:
	      nla_put_uint(skb, MRC_A_PATH_SENT, READ_ONCE(path->sent)) ?:
	      nla_put_uint(skb, MRC_A_PATH_ACKED, READ_ONCE(path->acked)) ?:
	      nla_put_uint(skb, MRC_A_PATH_MARKED, READ_ONCE(path->marked)) ?:
	      nla_put_uint(skb, MRC_A_PATH_TRIMMED,
			   READ_ONCE(path->trimmed)) ?:
	      nla_put_uint(skb, MRC_A_PATH_LOST, READ_ONCE(path->lost)) ?:
	      nla_put_uint(skb, MRC_A_PATH_PROBES,
			   READ_ONCE(path->probe_sent)) ?:
	      nla_put_uint(skb, MRC_A_PATH_PROBES_ANSWERED,
			   READ_ONCE(path->probe_ok)) ?:
	      nla_put_uint(skb, MRC_A_PATH_RTT, READ_ONCE(path->rtt.srtt)) ?:
	      nla_put_uint(skb, MRC_A_PATH_BASE_RTT,
			   READ_ONCE(path->rtt.base));
	if (!err && !ipv6_addr_any(&path->outer[0]))
		err = nla_put_in6_addr(skb, MRC_A_PATH_OUTER, &path->outer[0]);
	if (!err && !ipv6_addr_any(&path->outer[1]))
		err = nla_put_in6_addr(skb, MRC_A_PATH_OUTER_NEXT,
				       &path->outer[1]);
	return err;
}

/**
 * struct mrc_nl_path_dump - a dump of paths
 * @d: the dump, positions are peers
 * @sub: paths done of the peer at which it stands
 * @local: only of peers with this address of ours, NULL for all
 * @remote: only to this peer
 * @plane: only of this plane, 0 for all
 */
struct mrc_nl_path_dump {
	struct mrc_nl_dump	d;
	unsigned long		sub;
	const struct nlattr	*local;
	const struct nlattr	*remote;
	u32			plane;
};

static bool mrc_nl_is_addr(const struct nlattr *nla,
			   const struct in6_addr *addr)
{
	return !nla || !memcmp(nla_data(nla), addr, sizeof(*addr));
}

static int mrc_nl_dump_path(struct mrc_nl_path_dump *pd,
			    const struct mrc_peer *peer,
			    const struct mrc_peer_paths *t, unsigned int index)
{
	struct mrc_nl_dump *d = &pd->d;
	void *hdr;

	if (pd->plane && pd->plane != t->path[index].plane)
		return 0;
	hdr = mrc_nl_begin(d->skb, d->cb, MRC_CMD_PATH_GET);
	if (!hdr)
		return -EMSGSIZE;
	/* a new table of this peer would be another list of paths */
	d->cb->seq = t->gen;
	genl_dump_check_consistent(d->cb, hdr);
	return mrc_nl_end(d->skb, hdr,
			  mrc_nl_put_path(d->skb, peer, t, index));
}

static int mrc_nl_path_cb(struct mrc_peer *peer, void *arg)
{
	struct mrc_nl_path_dump *pd = arg;
	const struct mrc_peer_paths *t;
	int err;

	if (pd->d.pos < pd->d.start)
		goto next;
	t = rcu_dereference(peer->paths);
	if (!t || !mrc_nl_is_addr(pd->local, &peer->local) ||
	    !mrc_nl_is_addr(pd->remote, &peer->remote))
		goto done;
	if (!pd->sub)
		pd->d.cb->prev_seq = 0;
	for (; pd->sub < t->n_paths; pd->sub++) {
		err = mrc_nl_dump_path(pd, peer, t, pd->sub);
		if (err)
			return err;
	}
done:
	pd->sub = 0;
next:
	pd->d.pos++;
	return 0;
}

int mrc_nl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct mrc_nl_pos *p = mrc_nl_pos(cb);
	struct mrc_nl_path_dump pd = {
		.d	= { .skb = skb, .cb = cb, .start = p->pos },
		.sub	= p->sub,
		.local	= info->attrs[MRC_A_PATH_LOCAL],
		.remote	= info->attrs[MRC_A_PATH_REMOTE],
	};
	int err;

	if (info->attrs[MRC_A_PATH_PLANE])
		pd.plane = nla_get_u32(info->attrs[MRC_A_PATH_PLANE]);
	err = mrc_peer_walk(mrc_nl_cb_net(cb), mrc_nl_path_cb, &pd);
	p->pos = pd.d.pos;
	p->sub = pd.sub;
	return err;
}

/* ---- sockets ------------------------------------------------------------- */

/* What only a connection has */
static int mrc_nl_put_conn(struct sk_buff *skb, const struct mrc_info *i)
{
	return nla_put_u32(skb, MRC_A_SOCK_QPN, i->mrc_info_qpn) ?:
	       nla_put_u32(skb, MRC_A_SOCK_PEER_QPN, i->mrc_info_dqpn) ?:
	       nla_put_u32(skb, MRC_A_SOCK_SND_UNA, i->mrc_info_snd_una) ?:
	       nla_put_u32(skb, MRC_A_SOCK_SND_NXT, i->mrc_info_snd_nxt) ?:
	       nla_put_u32(skb, MRC_A_SOCK_RCV_NXT, i->mrc_info_rcv_nxt) ?:
	       nla_put_u32(skb, MRC_A_SOCK_MPR, i->mrc_info_mpr) ?:
	       nla_put_uint(skb, MRC_A_SOCK_SND_WND, i->mrc_info_snd_wnd) ?:
	       nla_put_uint(skb, MRC_A_SOCK_RCV_WND, i->mrc_info_rcv_wnd) ?:
	       nla_put_uint(skb, MRC_A_SOCK_CWND, i->mrc_info_cwnd) ?:
	       nla_put_uint(skb, MRC_A_SOCK_INFLIGHT, i->mrc_info_inflight) ?:
	       nla_put_uint(skb, MRC_A_SOCK_RTT, i->mrc_info_srtt) ?:
	       nla_put_uint(skb, MRC_A_SOCK_RTT_MIN, i->mrc_info_rtt_min) ?:
	       nla_put_u32(skb, MRC_A_SOCK_PACKET_SIZE,
			   i->mrc_info_packet_size) ?:
	       nla_put_u32(skb, MRC_A_SOCK_MAX_MSG, i->mrc_info_max_msg) ?:
	       nla_put_u32(skb, MRC_A_SOCK_PLANES, i->mrc_info_planes) ?:
	       nla_put_u32(skb, MRC_A_SOCK_PLANES_GOOD,
			   i->mrc_info_planes_good) ?:
	       nla_put_u32(skb, MRC_A_SOCK_ICRC,
			   !!(i->mrc_info_flags & MRC_INFO_F_ICRC));
}

static int mrc_nl_put_conn_stats(struct sk_buff *skb, const struct mrc_info *i)
{
	return nla_put_uint(skb, MRC_A_SOCK_PACKETS_SENT, i->mrc_info_sent) ?:
	       nla_put_uint(skb, MRC_A_SOCK_BYTES_SENT,
			    i->mrc_info_sent_bytes) ?:
	       nla_put_uint(skb, MRC_A_SOCK_RETRANSMITS, i->mrc_info_rtx) ?:
	       nla_put_uint(skb, MRC_A_SOCK_UNDONE, i->mrc_info_rtx_undo) ?:
	       nla_put_uint(skb, MRC_A_SOCK_TIMEOUTS, i->mrc_info_timeouts) ?:
	       nla_put_uint(skb, MRC_A_SOCK_PACKETS_RECEIVED,
			    i->mrc_info_rcvd) ?:
	       nla_put_uint(skb, MRC_A_SOCK_BYTES_RECEIVED,
			    i->mrc_info_rcvd_bytes) ?:
	       nla_put_uint(skb, MRC_A_SOCK_DUPLICATES, i->mrc_info_dup) ?:
	       nla_put_uint(skb, MRC_A_SOCK_OUT_OF_ORDER, i->mrc_info_ooo) ?:
	       nla_put_uint(skb, MRC_A_SOCK_SACKS_SENT,
			    i->mrc_info_sacks_out) ?:
	       nla_put_uint(skb, MRC_A_SOCK_SACKS_RECEIVED,
			    i->mrc_info_sacks_in);
}

static int mrc_nl_put_cc_state(struct sk_buff *skb, const struct mrc_diag *s)
{
	return nla_put_string(skb, MRC_A_SOCK_CONGESTION, s->congestion) ?:
	       nla_put_u32(skb, MRC_A_SOCK_CC_STATE,
			   s->info.mrc_info_cc_state) ?:
	       nla_put_u32(skb, MRC_A_SOCK_CC_PENALTY,
			   s->info.mrc_info_cc_penalty);
}

static int mrc_nl_put_sock(struct sk_buff *skb, const struct mrc_diag *s,
			   struct user_namespace *user_ns)
{
	int err;

	err = nla_put_in6_addr(skb, MRC_A_SOCK_LOCAL, &s->local) ?:
	      nla_put_in6_addr(skb, MRC_A_SOCK_REMOTE, &s->remote) ?:
	      nla_put_u32(skb, MRC_A_SOCK_LOCAL_PORT, s->lport) ?:
	      nla_put_u32(skb, MRC_A_SOCK_REMOTE_PORT, s->rport) ?:
	      nla_put_u32(skb, MRC_A_SOCK_TYPE, s->type) ?:
	      nla_put_u32(skb, MRC_A_SOCK_STATE, s->info.mrc_info_state) ?:
	      nla_put_uint(skb, MRC_A_SOCK_SNDQ, s->sndq) ?:
	      nla_put_uint(skb, MRC_A_SOCK_RCVQ, s->rcvq) ?:
	      nla_put_u32(skb, MRC_A_SOCK_UID,
			  from_kuid_munged(user_ns, s->uid)) ?:
	      nla_put_uint(skb, MRC_A_SOCK_INODE, s->inode);
	if (!err && s->info.mrc_info_qpn)
		err = mrc_nl_put_conn(skb, &s->info) ?:
		      mrc_nl_put_conn_stats(skb, &s->info) ?:
		      mrc_nl_put_cc_state(skb, s);
	if (!err && s->err)
		err = nla_put_u32(skb, MRC_A_SOCK_ERROR, s->err);
	if (!err && s->why)
		err = nla_put_string(skb, MRC_A_SOCK_REASON, s->why);
	return err;
}

static int mrc_nl_sock_cb(const struct mrc_diag *s, void *arg)
{
	struct mrc_nl_dump *d = arg;
	void *hdr;

	hdr = mrc_nl_begin(d->skb, d->cb, MRC_CMD_SOCK_GET);
	if (!hdr)
		return -EMSGSIZE;
	return mrc_nl_end(d->skb, hdr,
			  mrc_nl_put_sock(d->skb, s,
					  sk_user_ns(NETLINK_CB(d->cb->skb).sk)));
}

int mrc_nl_sock_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mrc_nl_dump d = { .skb = skb, .cb = cb };

	return mrc_diag_walk(mrc_nl_cb_net(cb), &mrc_nl_pos(cb)->pos,
			     mrc_nl_sock_cb, &d);
}

/* ---- counters ------------------------------------------------------------ */

int mrc_nl_stats_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mrc_net *mnet = mrc_nl_cb_net(cb);
	struct mrc_nl_pos *p = mrc_nl_pos(cb);
	void *hdr;
	int err;

	for (; p->pos < __MRC_MIB_MAX; p->pos++) {
		/* there is no drop for no reason */
		if (!mrc_mib_desc[p->pos].name)
			continue;
		hdr = mrc_nl_begin(skb, cb, MRC_CMD_STATS_GET);
		if (!hdr)
			return -EMSGSIZE;
		err = nla_put_string(skb, MRC_A_COUNTER_NAME,
				     mrc_mib_desc[p->pos].name) ?:
		      nla_put_uint(skb, MRC_A_COUNTER_VALUE,
				   mrc_mib_read(mnet, p->pos));
		err = mrc_nl_end(skb, hdr, err);
		if (err)
			return err;
	}
	return 0;
}
