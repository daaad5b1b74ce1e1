// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: EV profiles.
 */
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "netlink.h"
#include "netlink_gen.h"
#include "profile.h"

static_assert((int)MRC_PROFILE_KIND_EXPLICIT == (int)MRC_PROFILE_EXPLICIT);
static_assert((int)MRC_PROFILE_KIND_GENERATED == (int)MRC_PROFILE_GENERATED);
static_assert(sizeof_field(struct mrc_profile, name) ==
	      MRC_PROFILE_NAME_LEN + 1);
static_assert(MRC_PROFILE_LIST_MAX == MRC_PROFILE_LISTED_MAX);
static_assert(MRC_PROFILE_FIELDS_MAX == MRC_EV_FIELDS_MAX);

/* ---- requests ------------------------------------------------------------ */

/* An attribute of a field, or its default. */
static u32 mrc_nl_field_u32(struct nlattr **tb, int attr, u32 def)
{
	return tb[attr] ? nla_get_u32(tb[attr]) : def;
}

static int mrc_nl_field(const struct nlattr *nest, struct mrc_ev_field *f,
			struct netlink_ext_ack *extack)
{
	struct nlattr *tb[MRC_A_EV_FIELD_MAX + 1];
	u32 bits;
	int err;

	err = nla_parse_nested(tb, MRC_A_EV_FIELD_MAX, nest,
			       mrc_ev_field_nl_policy, extack);
	if (err)
		return err;
	if (!tb[MRC_A_EV_FIELD_WIDTH]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "A field needs a width");
		return -EINVAL;
	}
	f->width = nla_get_u32(tb[MRC_A_EV_FIELD_WIDTH]);
	bits = GENMASK(f->width - 1, 0);
	f->min = mrc_nl_field_u32(tb, MRC_A_EV_FIELD_MIN_VALUE, 0);
	f->max = mrc_nl_field_u32(tb, MRC_A_EV_FIELD_MAX_VALUE, bits);
	f->mask = mrc_nl_field_u32(tb, MRC_A_EV_FIELD_MASK, bits);
	f->init = mrc_nl_field_u32(tb, MRC_A_EV_FIELD_INIT, f->min);
	return 0;
}

/* The fields, which are attributes of the same type one after the other */
static int mrc_nl_fields(struct genl_info *info, struct mrc_ev_gen *gen)
{
	const struct nlattr *nla;
	int rem, err;

	nlmsg_for_each_attr(nla, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(nla) != MRC_A_PROFILE_FIELD)
			continue;
		if (gen->n == MRC_EV_FIELDS_MAX) {
			NL_SET_ERR_MSG_ATTR(info->extack, nla,
					    "A generated EV has at most 8 fields");
			return -EINVAL;
		}
		err = mrc_nl_field(nla, &gen->f[gen->n], info->extack);
		if (err)
			return err;
		gen->n++;
	}
	return 0;
}

/* Return: 0 or a negative errno; cfg->ev is to be freed. */
static int mrc_nl_evs(struct genl_info *info, struct mrc_profile_cfg *cfg)
{
	const struct nlattr *nla = info->attrs[MRC_A_PROFILE_EVS];

	if (!nla || nla_len(nla) % sizeof(u32)) {
		NL_SET_ERR_MSG(info->extack,
			       "An explicit profile needs a list of EVs");
		return -EINVAL;
	}
	cfg->n = nla_len(nla) / sizeof(u32);
	cfg->ev = nla_memdup(nla, GFP_KERNEL);
	return cfg->ev ? 0 : -ENOMEM;
}

static int mrc_nl_profile_cfg(struct genl_info *info,
			      struct mrc_profile_cfg *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	if (mrc_nl_lacks(info, MRC_A_PROFILE_NAME, "Name") ||
	    mrc_nl_lacks(info, MRC_A_PROFILE_KIND, "Kind of profile"))
		return -EINVAL;
	cfg->name = nla_data(info->attrs[MRC_A_PROFILE_NAME]);
	cfg->kind = mrc_nl_u32(info, MRC_A_PROFILE_KIND);
	if (cfg->kind == MRC_PROFILE_EXPLICIT)
		return mrc_nl_evs(info, cfg);
	return mrc_nl_fields(info, &cfg->gen);
}

static int mrc_nl_profile_change(struct genl_info *info,
				 int (*change)(struct mrc_net *mnet,
					       const struct mrc_profile_cfg *cfg,
					       struct netlink_ext_ack *extack))
{
	struct mrc_net *mnet = mrc_nl_net(info);
	struct mrc_profile_cfg cfg;
	int err;

	err = mrc_nl_profile_cfg(info, &cfg);
	if (!err) {
		mutex_lock(&mnet->conf_lock);
		err = change(mnet, &cfg, info->extack);
		mutex_unlock(&mnet->conf_lock);
	}
	kfree(cfg.ev);
	return err;
}

int mrc_nl_profile_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_profile_change(info, mrc_profile_add);
}

int mrc_nl_profile_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_profile_change(info, mrc_profile_set);
}

int mrc_nl_profile_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_net *mnet = mrc_nl_net(info);
	int err;

	if (mrc_nl_lacks(info, MRC_A_PROFILE_NAME, "Name"))
		return -EINVAL;
	mutex_lock(&mnet->conf_lock);
	err = mrc_profile_del(mnet, nla_data(info->attrs[MRC_A_PROFILE_NAME]),
			      info->extack);
	mutex_unlock(&mnet->conf_lock);
	return err;
}

/* ---- the dump ------------------------------------------------------------ */

static int mrc_nl_put_field(struct sk_buff *skb, const struct mrc_ev_field *f)
{
	struct nlattr *nest = nla_nest_start(skb, MRC_A_PROFILE_FIELD);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u32(skb, MRC_A_EV_FIELD_WIDTH, f->width) ?:
	      nla_put_u32(skb, MRC_A_EV_FIELD_INIT, f->init) ?:
	      nla_put_u32(skb, MRC_A_EV_FIELD_MIN_VALUE, f->min) ?:
	      nla_put_u32(skb, MRC_A_EV_FIELD_MAX_VALUE, f->max) ?:
	      nla_put_u32(skb, MRC_A_EV_FIELD_MASK, f->mask);
	if (!err)
		nla_nest_end(skb, nest);
	return err;
}

static int mrc_nl_put_profile(struct sk_buff *skb, const struct mrc_net *mnet,
			      const struct mrc_profile *p)
{
	const struct mrc_ev_list *evs;
	unsigned int i;
	int err;

	evs = rcu_dereference_protected(p->evs,
					lockdep_is_held(&mnet->conf_lock));
	err = nla_put_string(skb, MRC_A_PROFILE_NAME, p->name) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_ID, p->id) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_KIND, p->kind) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_COUNT, evs->n) ?:
	      nla_put_u32(skb, MRC_A_PROFILE_USERS, atomic_read(&p->users));
	if (!err && p->kind == MRC_PROFILE_EXPLICIT)
		err = nla_put(skb, MRC_A_PROFILE_EVS, evs->n * sizeof(u32),
			      evs->ev);
	for (i = 0; !err && i < p->gen.n; i++)
		err = mrc_nl_put_field(skb, &p->gen.f[i]);
	return err;
}

/* A list of EVs is longer than what a dump begins with, and a message is not
 * split.
 */
int mrc_nl_profile_get_start(struct netlink_callback *cb)
{
	cb->min_dump_alloc = NLMSG_GOODSIZE +
			     MRC_PROFILE_LISTED_MAX * sizeof(u32);
	return 0;
}

int mrc_nl_profile_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mrc_net *mnet = mrc_net(sock_net(cb->skb->sk));
	unsigned long *last = mrc_nl_cursor(cb);
	const struct mrc_profile *p;
	int err = 0;
	void *hdr;

	/* their ids rise */
	mutex_lock(&mnet->conf_lock);
	list_for_each_entry(p, &mnet->profiles, list) {
		if (p->id <= *last)
			continue;
		hdr = mrc_nl_begin(skb, cb, MRC_CMD_PROFILE_GET);
		err = hdr ? mrc_nl_end(skb, hdr,
				       mrc_nl_put_profile(skb, mnet, p)) :
			    -EMSGSIZE;
		if (err)
			break;
		*last = p->id;
	}
	mutex_unlock(&mnet->conf_lock);
	return err;
}
