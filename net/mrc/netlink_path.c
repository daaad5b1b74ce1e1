// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: what a controller does to paths.
 */
#include <net/genetlink.h>
#include <net/ipv6.h>

#include "deny.h"
#include "netlink.h"
#include "netlink_gen.h"
#include "peer.h"

/* The path by its number in the present route */
static int mrc_nl_key_by_index(struct genl_info *info, struct mrc_net *mnet,
			       struct mrc_path_key *key)
{
	u32 k = mrc_nl_u32(info, MRC_A_PATH_INDEX);
	const struct mrc_route *route;
	struct in6_addr outer[MRC_SRV6_CARRIERS_MAX];
	int err = 0;

	rcu_read_lock();
	route = mrc_route_lookup(mnet, &key->remote, key->plane);
	if (!route) {
		NL_SET_ERR_MSG(info->extack,
			       "No route to the peer over that plane");
		err = -ENETUNREACH;
	} else if (k >= mrc_route_paths(&route->cfg)) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[MRC_A_PATH_INDEX],
				    "The route has no path of that number");
		err = -ENOENT;
	} else {
		if (route->cfg.mode != MRC_ROUTE_PLAIN)
			mrc_srv6_addr(&route->cfg.tmpl, k, &key->remote,
				      outer);
		mrc_path_key_set(key, route->cfg.mode, outer, k);
	}
	rcu_read_unlock();
	return err;
}

/* The path by its address, which need not be that of a path today */
static int mrc_nl_key_by_outer(struct genl_info *info,
			       struct mrc_path_key *key)
{
	mrc_nl_addr(info, MRC_A_PATH_OUTER, &key->id[0]);
	mrc_nl_addr(info, MRC_A_PATH_OUTER_NEXT, &key->id[1]);
	if (mrc_path_key_is_outer(key) && !ipv6_addr_is_multicast(&key->id[0]))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[MRC_A_PATH_OUTER],
			    "This is not the address of a source route");
	return -EINVAL;
}

/* Context: conf_lock held */
static int mrc_nl_path_key(struct genl_info *info, struct mrc_net *mnet,
			   struct mrc_path_key *key)
{
	bool index = mrc_nl_has(info, MRC_A_PATH_INDEX);

	memset(key, 0, sizeof(*key));
	if (mrc_nl_lacks(info, MRC_A_PATH_REMOTE, "Peer's address") ||
	    mrc_nl_lacks(info, MRC_A_PATH_PLANE, "Plane number"))
		return -EINVAL;
	if (index == mrc_nl_has(info, MRC_A_PATH_OUTER)) {
		NL_SET_ERR_MSG(info->extack,
			       "A path is named by its number or its address");
		return -EINVAL;
	}
	mrc_nl_addr(info, MRC_A_PATH_REMOTE, &key->remote);
	key->plane = mrc_nl_u32(info, MRC_A_PATH_PLANE);
	return index ? mrc_nl_key_by_index(info, mnet, key) :
		       mrc_nl_key_by_outer(info, key);
}

static int mrc_nl_path_change(struct genl_info *info, bool deny)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct mrc_path_key key;
	int err;

	mutex_lock(&mnet->conf_lock);
	err = mrc_nl_path_key(info, mnet, &key);
	if (!err && deny)
		err = mrc_peers_deny(mnet, &key,
				     mrc_nl_u32(info, MRC_A_PATH_FORCE),
				     info->extack);
	else if (!err)
		err = mrc_peers_allow(mnet, &key, info->extack);
	mutex_unlock(&mnet->conf_lock);
	return err;
}

int mrc_nl_path_deny_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_path_change(info, true);
}

int mrc_nl_path_allow_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_path_change(info, false);
}

int mrc_nl_path_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_path_order order = {};

	if (mrc_nl_lacks(info, MRC_A_PATH_REMOTE, "Peer's address") ||
	    mrc_nl_lacks(info, MRC_A_PATH_PLANE, "Plane number") ||
	    mrc_nl_lacks(info, MRC_A_PATH_STATE, "State"))
		return -EINVAL;
	switch (mrc_nl_u32(info, MRC_A_PATH_STATE)) {
	case MRC_PATH_STATE_GOOD:
		order.state = MRC_EV_GOOD;
		break;
	case MRC_PATH_STATE_SKIP:
		order.state = MRC_EV_SKIP;
		break;
	case MRC_PATH_STATE_BAD:
		order.state = MRC_EV_ASSUMED_BAD;
		break;
	default:
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[MRC_A_PATH_STATE],
				    "A path is denied by path-deny");
		return -EINVAL;
	}
	mrc_nl_addr(info, MRC_A_PATH_REMOTE, &order.remote);
	mrc_nl_addr(info, MRC_A_PATH_LOCAL, &order.local);
	order.has_local = mrc_nl_has(info, MRC_A_PATH_LOCAL);
	order.plane = mrc_nl_u32(info, MRC_A_PATH_PLANE);
	order.has_k = mrc_nl_has(info, MRC_A_PATH_INDEX);
	order.k = mrc_nl_u32(info, MRC_A_PATH_INDEX);
	order.force = mrc_nl_u32(info, MRC_A_PATH_FORCE);
	return mrc_peers_set_paths(mrc_nl_net(info), &order, info->extack);
}

/* ---- the list ------------------------------------------------------------ */

/* A dump of denied paths */
struct mrc_nl_denials {
	struct sk_buff		*skb;
	struct netlink_callback	*cb;
	struct mrc_net		*mnet;
	const struct nlattr	*remote;
};

static int mrc_nl_put_denial(struct sk_buff *skb, const struct mrc_net *mnet,
			     const struct mrc_path_key *key)
{
	bool known;
	int err;
	u32 k;

	rcu_read_lock();
	known = mrc_path_key_index(mnet, key, &k);
	rcu_read_unlock();
	if (!mrc_path_key_is_outer(key)) {
		k = mrc_path_key_k(key);
		known = true;
	}
	err = nla_put_in6_addr(skb, MRC_A_PATH_REMOTE, &key->remote) ?:
	      nla_put_u32(skb, MRC_A_PATH_PLANE, key->plane);
	if (!err && known)
		err = nla_put_u32(skb, MRC_A_PATH_INDEX, k);
	if (!err && mrc_path_key_is_outer(key))
		err = nla_put_in6_addr(skb, MRC_A_PATH_OUTER, &key->id[0]);
	if (!err && !ipv6_addr_any(&key->id[1]))
		err = nla_put_in6_addr(skb, MRC_A_PATH_OUTER_NEXT, &key->id[1]);
	return err;
}

static int mrc_nl_denial_cb(const struct mrc_path_key *key, void *arg)
{
	struct mrc_nl_denials *d = arg;
	void *hdr;

	if (d->remote &&
	    memcmp(nla_data(d->remote), &key->remote, sizeof(key->remote)))
		return 0;
	hdr = mrc_nl_begin(d->skb, d->cb, MRC_CMD_DENIAL_GET);
	if (!hdr)
		return -EMSGSIZE;
	return mrc_nl_end(d->skb, hdr, mrc_nl_put_denial(d->skb, d->mnet, key));
}

int mrc_nl_denial_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mrc_net *mnet = mrc_net(sock_net(cb->skb->sk));
	struct mrc_nl_denials d = {
		.skb	= skb,
		.cb	= cb,
		.mnet	= mnet,
		.remote	= genl_info_dump(cb)->attrs[MRC_A_PATH_REMOTE],
	};
	int err;

	mutex_lock(&mnet->conf_lock);
	err = mrc_deny_walk(mnet, mrc_nl_cursor(cb), mrc_nl_denial_cb, &d);
	mutex_unlock(&mnet->conf_lock);
	return err;
}
