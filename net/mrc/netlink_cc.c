// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: CC profiles.
 */
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "cc_conf.h"
#include "netlink.h"
#include "netlink_gen.h"

static_assert(sizeof_field(struct mrc_cc_profile, name) ==
	      MRC_CC_NAME_LEN + 1);

static void mrc_nl_cc_param(struct genl_info *info, int attr, u32 *val,
			    bool *any)
{
	if (!mrc_nl_has(info, attr))
		return;
	*val = mrc_nl_u32(info, attr);
	*any = true;
}

static int mrc_nl_cc_cfg(struct genl_info *info, struct mrc_cc_cfg *cfg)
{
	*cfg = (struct mrc_cc_cfg) { .p = mrc_cc_defaults };
	if (mrc_nl_lacks(info, MRC_A_CC_NAME, "Name"))
		return -EINVAL;
	cfg->name = nla_data(info->attrs[MRC_A_CC_NAME]);
	if (mrc_nl_has(info, MRC_A_CC_ALGORITHM))
		cfg->alg = nla_data(info->attrs[MRC_A_CC_ALGORITHM]);
	mrc_nl_cc_param(info, MRC_A_CC_TARGET, &cfg->p.target, &cfg->has_p);
	mrc_nl_cc_param(info, MRC_A_CC_TARGET_MIN, &cfg->p.target_min,
			&cfg->has_p);
	mrc_nl_cc_param(info, MRC_A_CC_INCREASE, &cfg->p.increase,
			&cfg->has_p);
	mrc_nl_cc_param(info, MRC_A_CC_DECREASE, &cfg->p.decrease,
			&cfg->has_p);
	mrc_nl_cc_param(info, MRC_A_CC_INIT, &cfg->p.init, &cfg->has_p);
	mrc_nl_cc_param(info, MRC_A_CC_WINDOW, &cfg->p.window, &cfg->has_p);
	cfg->make_default = mrc_nl_u32(info, MRC_A_CC_DEFAULT);
	return 0;
}

int mrc_nl_cc_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_cc_cfg cfg;

	return mrc_nl_cc_cfg(info, &cfg) ?:
	       mrc_cc_profile_add(mrc_nl_net(info), &cfg, info->extack);
}

int mrc_nl_cc_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_cc_cfg cfg;

	return mrc_nl_cc_cfg(info, &cfg) ?:
	       mrc_cc_profile_set(mrc_nl_net(info), &cfg, info->extack);
}

int mrc_nl_cc_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	if (mrc_nl_lacks(info, MRC_A_CC_NAME, "Name"))
		return -EINVAL;
	return mrc_cc_profile_del(mrc_nl_net(info),
				  nla_data(info->attrs[MRC_A_CC_NAME]),
				  info->extack);
}

static int mrc_nl_put_cc(struct sk_buff *skb, const struct mrc_cc_seen *s)
{
	const struct mrc_cc_params *p = &s->p.p;

	return nla_put_string(skb, MRC_A_CC_NAME, s->p.name) ?:
	       nla_put_u32(skb, MRC_A_CC_ID, s->p.id) ?:
	       nla_put_string(skb, MRC_A_CC_ALGORITHM, s->p.ops->name) ?:
	       nla_put_u32(skb, MRC_A_CC_TARGET, p->target) ?:
	       nla_put_u32(skb, MRC_A_CC_TARGET_MIN, p->target_min) ?:
	       nla_put_u32(skb, MRC_A_CC_INCREASE, p->increase) ?:
	       nla_put_u32(skb, MRC_A_CC_DECREASE, p->decrease) ?:
	       nla_put_u32(skb, MRC_A_CC_INIT, p->init) ?:
	       nla_put_u32(skb, MRC_A_CC_WINDOW, p->window) ?:
	       nla_put_u32(skb, MRC_A_CC_DEFAULT, s->is_default) ?:
	       nla_put_u32(skb, MRC_A_CC_USERS, s->users) ?:
	       nla_put_u32(skb, MRC_A_CC_BUILTIN, s->p.builtin);
}

int mrc_nl_cc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mrc_net *mnet = mrc_net(sock_net(cb->skb->sk));
	unsigned long *last = mrc_nl_cursor(cb);
	struct mrc_cc_seen seen;
	void *hdr;
	int err;

	/* their ids rise */
	while (mrc_cc_profile_next(mnet, *last, &seen)) {
		hdr = mrc_nl_begin(skb, cb, MRC_CMD_CC_GET);
		err = hdr ? mrc_nl_end(skb, hdr, mrc_nl_put_cc(skb, &seen)) :
			    -EMSGSIZE;
		if (err)
			return err;
		*last = seen.p.id;
	}
	return 0;
}
