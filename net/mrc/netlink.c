// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: configuration requests. What an attribute may hold is
 * checked by the generated policy, what it means by the floors; here the one
 * is turned into the other. Every refusal has a text for the administrator,
 * and nothing is changed by a refused request.
 */
#include <linux/module.h>
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
#include "trim.h"

/* Locator block of the format F3216, bits */
#define MRC_NL_BLOCK_LEN	32

static_assert(MRC_SEGMENTS_MAX == MRC_SRV6_SEGS_MAX);
static_assert((int)MRC_ROUTE_MODE_PLAIN == (int)MRC_ROUTE_PLAIN);
static_assert((int)MRC_ROUTE_MODE_USID == (int)MRC_ROUTE_USID);
static_assert((int)MRC_ROUTE_MODE_SRH == (int)MRC_ROUTE_SRH);
static_assert((int)MRC_SEGMENT_TYPE_CONST == (int)MRC_SEG_CONST);
static_assert((int)MRC_SEGMENT_TYPE_RANGE == (int)MRC_SEG_RANGE);
static_assert((int)MRC_SEGMENT_TYPE_DST == (int)MRC_SEG_DST);

/* Is a mandatory attribute missing? Says so, with words for people. */
bool mrc_nl_lacks(struct genl_info *info, u32 attr, const char *what)
{
	if (!GENL_REQ_ATTR_CHECK(info, attr))
		return false;
	NL_SET_ERR_MSG_FMT(info->extack, "%s is missing", what);
	return true;
}

struct mrc_net *mrc_nl_net(struct genl_info *info)
{
	return mrc_net(genl_info_net(info));
}

bool mrc_nl_has(struct genl_info *info, int attr)
{
	return info->attrs[attr];
}

/* An attribute that is not there reads as 0. */
u32 mrc_nl_u32(struct genl_info *info, int attr)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) : 0;
}

void mrc_nl_addr(struct genl_info *info, int attr, struct in6_addr *addr)
{
	if (info->attrs[attr])
		*addr = nla_get_in6_addr(info->attrs[attr]);
}

/* ---- nodes --------------------------------------------------------------- */

int mrc_nl_node_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct in6_addr addr;
	int err;

	if (mrc_nl_lacks(info, MRC_A_NODE_ADDR, "Address"))
		return -EINVAL;
	mrc_nl_addr(info, MRC_A_NODE_ADDR, &addr);

	mutex_lock(&mnet->conf_lock);
	err = mrc_node_add(mnet, &addr, info->extack);
	mutex_unlock(&mnet->conf_lock);
	return err;
}

int mrc_nl_node_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct in6_addr addr;
	int err;

	if (mrc_nl_lacks(info, MRC_A_NODE_ADDR, "Address"))
		return -EINVAL;
	mrc_nl_addr(info, MRC_A_NODE_ADDR, &addr);

	mutex_lock(&mnet->conf_lock);
	err = mrc_node_del(mnet, &addr, info->extack);
	mutex_unlock(&mnet->conf_lock);
	if (!err)
		mrc_diag_abort_node(mnet, &addr);
	return err;
}

/* ---- planes -------------------------------------------------------------- */

static int mrc_nl_plane_cfg(struct genl_info *info, struct mrc_plane_cfg *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	if (mrc_nl_lacks(info, MRC_A_PLANE_NUMBER, "Plane number"))
		return -EINVAL;
	cfg->id = mrc_nl_u32(info, MRC_A_PLANE_NUMBER);
	cfg->ifindex = mrc_nl_u32(info, MRC_A_PLANE_IFINDEX);
	cfg->has_via = mrc_nl_has(info, MRC_A_PLANE_VIA);
	mrc_nl_addr(info, MRC_A_PLANE_VIA, &cfg->via);
	cfg->has_sid = mrc_nl_has(info, MRC_A_PLANE_SID);
	mrc_nl_addr(info, MRC_A_PLANE_SID, &cfg->sid);
	cfg->has_admin = mrc_nl_has(info, MRC_A_PLANE_ADMIN_UP);
	cfg->admin_up = mrc_nl_u32(info, MRC_A_PLANE_ADMIN_UP);
	return 0;
}

int mrc_nl_plane_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct mrc_plane *plane;
	int err = -ENOENT;

	if (mrc_nl_lacks(info, MRC_A_PLANE_NUMBER, "Plane number"))
		return -EINVAL;
	rcu_read_lock();
	plane = mrc_plane_get_rcu(mnet, mrc_nl_u32(info, MRC_A_PLANE_NUMBER));
	if (plane)
		err = mrc_nl_plane_reply(plane, info);
	else
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[MRC_A_PLANE_NUMBER],
				    "No plane of that number");
	rcu_read_unlock();
	return err;
}

int mrc_nl_plane_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct mrc_plane_cfg cfg;
	int err;

	err = mrc_nl_plane_cfg(info, &cfg);
	if (err)
		return err;
	if (mrc_nl_lacks(info, MRC_A_PLANE_IFINDEX, "Device"))
		return -EINVAL;

	mutex_lock(&mnet->conf_lock);
	err = mrc_plane_add(mnet, &cfg, info->extack);
	mutex_unlock(&mnet->conf_lock);
	return err;
}

int mrc_nl_plane_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct mrc_plane_cfg cfg;
	int err;

	err = mrc_nl_plane_cfg(info, &cfg);
	if (err)
		return err;

	mutex_lock(&mnet->conf_lock);
	err = mrc_plane_set(mnet, &cfg, info->extack);
	mutex_unlock(&mnet->conf_lock);
	return err;
}

int mrc_nl_plane_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	int err;

	if (mrc_nl_lacks(info, MRC_A_PLANE_NUMBER, "Plane number"))
		return -EINVAL;

	mutex_lock(&mnet->conf_lock);
	err = mrc_plane_del(mnet, mrc_nl_u32(info, MRC_A_PLANE_NUMBER),
			    info->extack);
	mutex_unlock(&mnet->conf_lock);
	return err;
}

/* ---- routes -------------------------------------------------------------- */

static int mrc_nl_segment(const struct nlattr *nest, struct mrc_srv6_seg *seg,
			  struct netlink_ext_ack *extack)
{
	struct nlattr *tb[MRC_A_SEGMENT_MAX + 1];
	int err;

	err = nla_parse_nested(tb, MRC_A_SEGMENT_MAX, nest,
			       mrc_segment_nl_policy, extack);
	if (err)
		return err;
	if (!tb[MRC_A_SEGMENT_TYPE] || !tb[MRC_A_SEGMENT_VALUE]) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "A segment needs a type and a value");
		return -EINVAL;
	}
	seg->kind = nla_get_u32(tb[MRC_A_SEGMENT_TYPE]);
	seg->lo = nla_get_u32(tb[MRC_A_SEGMENT_VALUE]);
	if (seg->kind == MRC_SEG_RANGE) {
		if (!tb[MRC_A_SEGMENT_LAST]) {
			NL_SET_ERR_MSG_ATTR(extack, nest,
					    "A range of segments needs its last value");
			return -EINVAL;
		}
		seg->hi = nla_get_u32(tb[MRC_A_SEGMENT_LAST]);
	} else if (seg->kind == MRC_SEG_DST) {
		if (!tb[MRC_A_SEGMENT_OFFSET] || !tb[MRC_A_SEGMENT_BITS]) {
			NL_SET_ERR_MSG_ATTR(extack, nest,
					    "Destination bits need an offset and a length");
			return -EINVAL;
		}
		seg->bit = nla_get_u32(tb[MRC_A_SEGMENT_OFFSET]);
		seg->nbits = nla_get_u32(tb[MRC_A_SEGMENT_BITS]);
	}
	return 0;
}

/* The uSIDs, which are attributes of the same type one after the other */
static int mrc_nl_segments(struct genl_info *info, struct mrc_srv6_tmpl *tmpl)
{
	const struct nlattr *nla;
	int rem, err;

	nlmsg_for_each_attr(nla, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nla) != MRC_A_ROUTE_SEGMENT)
			continue;
		if (tmpl->n == MRC_SRV6_SEGS_MAX) {
			NL_SET_ERR_MSG_ATTR(info->extack, nla,
					    "More segments than fit two addresses");
			return -EINVAL;
		}
		err = mrc_nl_segment(nla, &tmpl->seg[tmpl->n], info->extack);
		if (err)
			return err;
		tmpl->n++;
	}
	return 0;
}

static int mrc_nl_route_usid(struct genl_info *info, struct mrc_route_cfg *cfg)
{
	struct in6_addr block;

	if (mrc_nl_lacks(info, MRC_A_ROUTE_BLOCK, "Locator block") ||
	    mrc_nl_lacks(info, MRC_A_ROUTE_BLOCK_LEN,
			 "Length of the locator block"))
		return -EINVAL;
	mrc_nl_addr(info, MRC_A_ROUTE_BLOCK, &block);
	if (mrc_nl_u32(info, MRC_A_ROUTE_BLOCK_LEN) != MRC_NL_BLOCK_LEN) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[MRC_A_ROUTE_BLOCK_LEN],
				    "The uSID block must have 32 bits");
		return -EINVAL;
	}
	if (block.s6_addr32[1] || block.s6_addr32[2] || block.s6_addr32[3]) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[MRC_A_ROUTE_BLOCK],
				    "The uSID block has bits behind its length");
		return -EINVAL;
	}
	cfg->tmpl.block = be32_to_cpu(block.s6_addr32[0]);
	cfg->tmpl.srh = cfg->mode == MRC_ROUTE_SRH;
	return mrc_nl_segments(info, &cfg->tmpl);
}

/* The key of a route. Return: 0 or -EINVAL with words */
static int mrc_nl_route_key(struct genl_info *info, struct mrc_route_cfg *cfg)
{
	if (mrc_nl_lacks(info, MRC_A_ROUTE_DST, "Destination") ||
	    mrc_nl_lacks(info, MRC_A_ROUTE_DST_LEN, "Prefix length") ||
	    mrc_nl_lacks(info, MRC_A_ROUTE_PLANE, "Plane number"))
		return -EINVAL;
	mrc_nl_addr(info, MRC_A_ROUTE_DST, &cfg->dst);
	cfg->plen = mrc_nl_u32(info, MRC_A_ROUTE_DST_LEN);
	cfg->plane = mrc_nl_u32(info, MRC_A_ROUTE_PLANE);
	return 0;
}

static int mrc_nl_route_cfg(struct genl_info *info, struct mrc_route_cfg *cfg)
{
	int err;

	memset(cfg, 0, sizeof(*cfg));
	err = mrc_nl_route_key(info, cfg);
	if (err)
		return err;
	cfg->mode = mrc_nl_u32(info, MRC_A_ROUTE_MODE);
	cfg->ecmp = mrc_nl_u32(info, MRC_A_ROUTE_ECMP);
	mrc_nl_addr(info, MRC_A_ROUTE_VIA, &cfg->via);
	cfg->has_via = !ipv6_addr_any(&cfg->via);
	mrc_nl_addr(info, MRC_A_ROUTE_SRC, &cfg->src);
	cfg->has_src = !ipv6_addr_any(&cfg->src);
	if (cfg->mode != MRC_ROUTE_PLAIN)
		return mrc_nl_route_usid(info, cfg);
	if (mrc_nl_has(info, MRC_A_ROUTE_BLOCK) ||
	    mrc_nl_has(info, MRC_A_ROUTE_SEGMENT)) {
		NL_SET_ERR_MSG(info->extack,
			       "A plain route has neither block nor segments");
		return -EINVAL;
	}
	return 0;
}

/* Context: conf_lock held. */
static int mrc_nl_route_profile(struct mrc_net *mnet, struct genl_info *info,
				struct mrc_route_cfg *cfg)
{
	struct nlattr *nla = info->attrs[MRC_A_ROUTE_PROFILE];

	if (!nla || !strcmp(nla_data(nla), MRC_PROFILE_AUTO))
		return 0;
	cfg->profile = mrc_profile_find(mnet, nla_data(nla));
	if (cfg->profile)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, nla, "No profile of that name");
	return -ENOENT;
}

int mrc_nl_route_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct mrc_route_cfg cfg;
	int err;

	err = mrc_nl_route_cfg(info, &cfg);
	if (err)
		return err;

	mutex_lock(&mnet->conf_lock);
	err = mrc_nl_route_profile(mnet, info, &cfg) ?:
	      mrc_route_add(mnet, &cfg, info->extack);
	mutex_unlock(&mnet->conf_lock);
	return err;
}

int mrc_nl_route_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct mrc_route_cfg cfg = {};
	int err;

	err = mrc_nl_route_key(info, &cfg);
	if (err)
		return err;

	mutex_lock(&mnet->conf_lock);
	err = mrc_route_del(mnet, &cfg.dst, cfg.plen, cfg.plane,
			    info->extack);
	mutex_unlock(&mnet->conf_lock);
	return err;
}

/* ---- sockets ------------------------------------------------------------- */

int mrc_nl_sock_abort_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct in6_addr local, remote;
	int err;

	if (mrc_nl_has(info, MRC_A_SOCK_QPN)) {
		err = mrc_diag_abort_qpn(mnet, mrc_nl_u32(info, MRC_A_SOCK_QPN));
	} else {
		if (mrc_nl_lacks(info, MRC_A_SOCK_LOCAL, "Local address") ||
		    mrc_nl_lacks(info, MRC_A_SOCK_LOCAL_PORT, "Local port") ||
		    mrc_nl_lacks(info, MRC_A_SOCK_REMOTE, "Peer's address") ||
		    mrc_nl_lacks(info, MRC_A_SOCK_REMOTE_PORT, "Peer's port"))
			return -EINVAL;
		mrc_nl_addr(info, MRC_A_SOCK_LOCAL, &local);
		mrc_nl_addr(info, MRC_A_SOCK_REMOTE, &remote);
		err = mrc_diag_abort(mnet, &local,
				     mrc_nl_u32(info, MRC_A_SOCK_LOCAL_PORT),
				     &remote,
				     mrc_nl_u32(info, MRC_A_SOCK_REMOTE_PORT));
	}
	if (err == -ENOENT)
		NL_SET_ERR_MSG(info->extack, "No such connection");
	return err;
}

/* ---- settings ------------------------------------------------------------ */

static int mrc_nl_conf_put(struct sk_buff *skb, const struct mrc_conf *c)
{
	return nla_put_u32(skb, MRC_A_NET_ICRC, c->icrc) ?:
	       nla_put_u32(skb, MRC_A_NET_UDP_PORT, c->udp_port) ?:
	       nla_put_u32(skb, MRC_A_NET_TRIM, c->trim) ?:
	       nla_put_u32(skb, MRC_A_NET_EVS, c->evs) ?:
	       nla_put_u32(skb, MRC_A_NET_EV_MIN_ACTIVE, c->ev_min_active) ?:
	       nla_put_u32(skb, MRC_A_NET_ORPHANS_MAX, c->orphans_max) ?:
	       nla_put_u32(skb, MRC_A_NET_ORPHAN_TIME, c->orphan_ms) ?:
	       nla_put_u32(skb, MRC_A_NET_REQUESTS_MAX, c->reqs_max) ?:
	       nla_put_u32(skb, MRC_A_NET_DSCP_DATA, c->dscp_data) ?:
	       nla_put_u32(skb, MRC_A_NET_DSCP_RTX, c->dscp_rtx) ?:
	       nla_put_u32(skb, MRC_A_NET_DSCP_CTL, c->dscp_ctl) ?:
	       nla_put_u32(skb, MRC_A_NET_DSCP_TRIMMED, c->dscp_trimmed) ?:
	       nla_put_u32(skb, MRC_A_NET_DSCP_TRIMMED_LASTHOP,
			   c->dscp_trimmed_lasthop) ?:
	       nla_put_u32(skb, MRC_A_NET_TRIM_EARLY, c->trim_early);
}

int mrc_nl_net_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct sk_buff *msg;
	void *hdr;
	int err;

	msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = genlmsg_put_reply(msg, info, &mrc_nl_family, 0,
				MRC_CMD_NET_GET);
	err = -EMSGSIZE;
	if (!hdr)
		goto err_free;
	mutex_lock(&mnet->conf_lock);
	err = mrc_nl_conf_put(msg, &mnet->conf);
	mutex_unlock(&mnet->conf_lock);
	if (err)
		goto err_free;
	genlmsg_end(msg, hdr);
	return genlmsg_reply(msg, info);

err_free:
	nlmsg_free(msg);
	return err;
}

/* A setting: as the request says, else as it was */
static u32 mrc_nl_or(struct genl_info *info, int attr, u32 old)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) : old;
}

static void mrc_nl_conf_get(struct genl_info *info, struct mrc_conf *c)
{
	c->icrc = mrc_nl_or(info, MRC_A_NET_ICRC, c->icrc);
	c->udp_port = mrc_nl_or(info, MRC_A_NET_UDP_PORT, c->udp_port);
	c->trim = mrc_nl_or(info, MRC_A_NET_TRIM, c->trim);
	c->evs = mrc_nl_or(info, MRC_A_NET_EVS, c->evs);
	c->ev_min_active = mrc_nl_or(info, MRC_A_NET_EV_MIN_ACTIVE,
				     c->ev_min_active);
	c->orphans_max = mrc_nl_or(info, MRC_A_NET_ORPHANS_MAX,
				   c->orphans_max);
	c->orphan_ms = mrc_nl_or(info, MRC_A_NET_ORPHAN_TIME, c->orphan_ms);
	c->reqs_max = mrc_nl_or(info, MRC_A_NET_REQUESTS_MAX, c->reqs_max);
	c->dscp_data = mrc_nl_or(info, MRC_A_NET_DSCP_DATA, c->dscp_data);
	c->dscp_rtx = mrc_nl_or(info, MRC_A_NET_DSCP_RTX, c->dscp_rtx);
	c->dscp_ctl = mrc_nl_or(info, MRC_A_NET_DSCP_CTL, c->dscp_ctl);
	c->dscp_trimmed = mrc_nl_or(info, MRC_A_NET_DSCP_TRIMMED,
				    c->dscp_trimmed);
	c->dscp_trimmed_lasthop = mrc_nl_or(info,
					    MRC_A_NET_DSCP_TRIMMED_LASTHOP,
					    c->dscp_trimmed_lasthop);
	c->trim_early = mrc_nl_or(info, MRC_A_NET_TRIM_EARLY, c->trim_early);
}

/* Is @dscp one that we send with? Then nothing could be known by it. */
static bool mrc_nl_dscp_is_sent(const struct mrc_conf *c, u8 dscp)
{
	return dscp == c->dscp_data || dscp == c->dscp_rtx ||
	       dscp == c->dscp_ctl;
}

static int mrc_nl_conf_check(struct mrc_net *mnet, struct genl_info *info,
			     const struct mrc_conf *c)
{
	if (c->udp_port != mnet->conf.udp_port && !list_empty(&mnet->nodes)) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[MRC_A_NET_UDP_PORT],
				    "The UDP port cannot change while there is a node");
		return -EBUSY;
	}
	if (c->ev_min_active > c->evs) {
		NL_SET_ERR_MSG(info->extack,
			       "The minimum of active EVs is above the number of EVs");
		return -EINVAL;
	}
	if (c->dscp_trimmed == c->dscp_trimmed_lasthop ||
	    mrc_nl_dscp_is_sent(c, c->dscp_trimmed) ||
	    mrc_nl_dscp_is_sent(c, c->dscp_trimmed_lasthop)) {
		NL_SET_ERR_MSG(info->extack,
			       "A DSCP of trimmed packets is used for others too");
		return -EINVAL;
	}
	return 0;
}

/* Readers take no lock, each setting by itself is whole. */
static void mrc_nl_conf_write(struct mrc_conf *to, const struct mrc_conf *c)
{
	WRITE_ONCE(to->icrc, c->icrc);
	WRITE_ONCE(to->udp_port, c->udp_port);
	WRITE_ONCE(to->trim, c->trim);
	WRITE_ONCE(to->evs, c->evs);
	WRITE_ONCE(to->ev_min_active, c->ev_min_active);
	WRITE_ONCE(to->orphans_max, c->orphans_max);
	WRITE_ONCE(to->orphan_ms, c->orphan_ms);
	WRITE_ONCE(to->reqs_max, c->reqs_max);
	WRITE_ONCE(to->dscp_data, c->dscp_data);
	WRITE_ONCE(to->dscp_rtx, c->dscp_rtx);
	WRITE_ONCE(to->dscp_ctl, c->dscp_ctl);
	WRITE_ONCE(to->dscp_trimmed, c->dscp_trimmed);
	WRITE_ONCE(to->dscp_trimmed_lasthop, c->dscp_trimmed_lasthop);
	WRITE_ONCE(to->trim_early, c->trim_early);
}

int mrc_nl_net_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct mrc_conf c;
	bool evs_changed;
	int err;

	mutex_lock(&mnet->conf_lock);
	c = mnet->conf;
	mrc_nl_conf_get(info, &c);
	err = mrc_nl_conf_check(mnet, info, &c);
	if (err)
		goto out;
	evs_changed = c.evs != mnet->conf.evs;
	mrc_nl_conf_write(&mnet->conf, &c);
	if (evs_changed)	/* the tables of the peers are made anew */
		mrc_paths_changed(mnet);
	mrc_trim_hook_all(mnet);
out:
	mutex_unlock(&mnet->conf_lock);
	return err;
}

/* ---- the family ---------------------------------------------------------- */

static const struct genl_multicast_group mrc_nl_groups[] = {
	[MRC_NLGRP_EVENTS] = { .name = MRC_MCGRP_EVENTS },
};

struct genl_family mrc_nl_family __ro_after_init = {
	.name		= MRC_FAMILY_NAME,
	.version	= MRC_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,	/* each handler takes conf_lock */
	.module		= THIS_MODULE,
	.split_ops	= mrc_nl_ops,
	.n_split_ops	= ARRAY_SIZE(mrc_nl_ops),
	.mcgrps		= mrc_nl_groups,
	.n_mcgrps	= ARRAY_SIZE(mrc_nl_groups),
};

/**
 * mrc_netlink_init() - register the generic netlink family
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int __init mrc_netlink_init(void)
{
	int err;

	err = genl_register_family(&mrc_nl_family);
	if (err)
		return err;
	err = mrc_nl_event_init();
	if (err)
		goto err_family;
	err = mrc_nl_probe_init();
	if (err)
		goto err_event;
	return 0;

err_event:
	mrc_nl_event_exit();
err_family:
	genl_unregister_family(&mrc_nl_family);
	return err;
}

/**
 * mrc_netlink_exit() - take the family away again
 *
 * Context: process, sleeps.
 */
void mrc_netlink_exit(void)
{
	mrc_nl_probe_exit();
	mrc_nl_event_exit();
	genl_unregister_family(&mrc_nl_family);
}

/* "mrcctl" is the first to ask for the module. */
MODULE_ALIAS_GENL_FAMILY("mrc");
