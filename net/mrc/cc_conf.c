// SPDX-License-Identifier: GPL-2.0
/*
 * CC profiles. See cc_conf.h.
 */
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/netns/generic.h>

#include "cc_conf.h"

/**
 * struct mrc_cc_net - the profiles of one namespace
 * @lock: protects all of it, and what is in the profiles; BH
 * @list: struct mrc_cc_profile, by rising id
 * @n: entries
 * @id: of the last one
 * @def: the default, in the list
 */
struct mrc_cc_net {
	spinlock_t		lock;	/* profiles */
	struct list_head	list;
	unsigned int		n;
	u32			id;
	struct mrc_cc_profile	*def;
};

static unsigned int mrc_cc_net_id;

static struct mrc_cc_net *mrc_cc_net(const struct mrc_net *mnet)
{
	return net_generic(mnet->net, mrc_cc_net_id);
}

static struct mrc_cc_profile *mrc_cc_lookup(const struct mrc_cc_net *cn,
					    const char *name)
{
	struct mrc_cc_profile *p;

	lockdep_assert_held(&cn->lock);
	list_for_each_entry(p, &cn->list, list)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

/**
 * mrc_cc_profile_get() - look a profile up, for a socket
 * @mnet: namespace
 * @name: its name
 *
 * Context: process.
 * Return: the profile with a reference, NULL if there is none.
 */
struct mrc_cc_profile *mrc_cc_profile_get(struct mrc_net *mnet,
					  const char *name)
{
	struct mrc_cc_net *cn = mrc_cc_net(mnet);
	struct mrc_cc_profile *p;

	spin_lock_bh(&cn->lock);
	p = mrc_cc_lookup(cn, name);
	if (p)
		refcount_inc(&p->ref);
	spin_unlock_bh(&cn->lock);
	return p;
}

/**
 * mrc_cc_profile_hold() - another socket uses it
 * @p: profile that the caller holds, or NULL
 *
 * Context: any.
 */
void mrc_cc_profile_hold(struct mrc_cc_profile *p)
{
	if (p)
		refcount_inc(&p->ref);
}

/**
 * mrc_cc_profile_put() - a socket uses it no more
 * @p: profile or NULL
 *
 * Context: any.
 */
void mrc_cc_profile_put(struct mrc_cc_profile *p)
{
	if (p && refcount_dec_and_test(&p->ref))
		kfree(p);
}

/**
 * mrc_cc_begin() - a connection begins
 * @mnet: namespace
 * @p: the profile of its socket, NULL = the default
 * @cc: controller
 * @mtu: payload of a full packet, bytes
 * @planes: over which packets are spread
 *
 * Context: any but hard interrupts.
 */
void mrc_cc_begin(struct mrc_net *mnet, const struct mrc_cc_profile *p,
		  struct mrc_cc *cc, u32 mtu, u32 planes)
{
	struct mrc_cc_net *cn = mrc_cc_net(mnet);

	spin_lock_bh(&cn->lock);
	if (!p)
		p = cn->def;
	mrc_cc_init(cc, p->ops, &p->p, mtu, planes);
	spin_unlock_bh(&cn->lock);
}

/* What is wrong with it? NULL if nothing. */
static const char *mrc_cc_check(const struct mrc_cc_cfg *cfg)
{
	if (!*cfg->name || strlen(cfg->name) >= MRC_CC_NAME)
		return "A profile's name has 1 to 15 characters";
	if (!strcmp(cfg->name, MRC_CC_AUTO))
		return "Profile \"default\" is whichever is the default";
	if (cfg->alg && !mrc_cc_find(cfg->alg))
		return "No congestion control of that name";
	return NULL;
}

static int mrc_cc_insert(struct mrc_cc_net *cn, struct mrc_cc_profile *p,
			 bool make_default, struct netlink_ext_ack *extack)
{
	if (mrc_cc_lookup(cn, p->name)) {
		NL_SET_ERR_MSG(extack, "Profile of that name exists");
		return -EEXIST;
	}
	if (cn->n >= MRC_CC_PROFILES_MAX) {
		NL_SET_ERR_MSG(extack, "Too many profiles");
		return -ENOSPC;
	}
	p->id = ++cn->id;
	list_add_tail(&p->list, &cn->list);
	cn->n++;
	if (make_default)
		cn->def = p;
	return 0;
}

static struct mrc_cc_profile *mrc_cc_alloc(const char *name,
					   const struct mrc_cc_ops *ops,
					   const struct mrc_cc_params *params,
					   gfp_t gfp)
{
	struct mrc_cc_profile *p = kzalloc(sizeof(*p), gfp);

	if (!p)
		return NULL;
	strscpy(p->name, name);
	p->ops = ops;
	p->p = *params;
	refcount_set(&p->ref, 1);
	return p;
}

/**
 * mrc_cc_profile_add() - add a profile
 * @mnet: namespace
 * @cfg: profile
 * @extack: says what is wrong
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int mrc_cc_profile_add(struct mrc_net *mnet, const struct mrc_cc_cfg *cfg,
		       struct netlink_ext_ack *extack)
{
	struct mrc_cc_net *cn = mrc_cc_net(mnet);
	const char *msg = mrc_cc_check(cfg);
	struct mrc_cc_profile *p;
	int err;

	if (!msg && !cfg->alg)
		msg = "A profile needs an algorithm";
	if (msg) {
		NL_SET_ERR_MSG_FMT(extack, "%s", msg);
		return -EINVAL;
	}
	p = mrc_cc_alloc(cfg->name, mrc_cc_find(cfg->alg), &cfg->p,
			 GFP_KERNEL_ACCOUNT);
	if (!p)
		return -ENOMEM;
	spin_lock_bh(&cn->lock);
	err = mrc_cc_insert(cn, p, cfg->make_default, extack);
	spin_unlock_bh(&cn->lock);
	if (err)
		kfree(p);
	return err;
}

static int mrc_cc_change(struct mrc_cc_net *cn, const struct mrc_cc_cfg *cfg,
			 struct netlink_ext_ack *extack)
{
	struct mrc_cc_profile *p = mrc_cc_lookup(cn, cfg->name);

	if (!p) {
		NL_SET_ERR_MSG(extack, "No profile of that name");
		return -ENOENT;
	}
	if (p->builtin && (cfg->alg || cfg->has_p)) {
		NL_SET_ERR_MSG(extack, "Profile is built in: add one of another name");
		return -EINVAL;
	}
	if (cfg->has_p && !cfg->alg) {
		NL_SET_ERR_MSG(extack, "Parameters need an algorithm");
		return -EINVAL;
	}
	if (cfg->alg) {
		p->ops = mrc_cc_find(cfg->alg);
		p->p = cfg->p;
	}
	if (cfg->make_default)
		cn->def = p;
	return 0;
}

/**
 * mrc_cc_profile_set() - replace what a profile stands for, or make it the
 *	default
 * @mnet: namespace
 * @cfg: profile
 * @extack: says what is wrong
 *
 * Context: process.
 * Return: 0 or a negative errno; then nothing has changed.
 */
int mrc_cc_profile_set(struct mrc_net *mnet, const struct mrc_cc_cfg *cfg,
		       struct netlink_ext_ack *extack)
{
	struct mrc_cc_net *cn = mrc_cc_net(mnet);
	const char *msg = mrc_cc_check(cfg);
	int err;

	if (msg) {
		NL_SET_ERR_MSG_FMT(extack, "%s", msg);
		return -EINVAL;
	}
	spin_lock_bh(&cn->lock);
	err = mrc_cc_change(cn, cfg, extack);
	spin_unlock_bh(&cn->lock);
	return err;
}

static int mrc_cc_remove(struct mrc_cc_net *cn, const char *name,
			 struct netlink_ext_ack *extack)
{
	struct mrc_cc_profile *p = mrc_cc_lookup(cn, name);
	unsigned int users;

	if (!p) {
		NL_SET_ERR_MSG(extack, "No profile of that name");
		return -ENOENT;
	}
	if (p->builtin) {
		NL_SET_ERR_MSG(extack, "Profile is built in");
		return -EINVAL;
	}
	if (p == cn->def) {
		NL_SET_ERR_MSG(extack, "Profile is the default");
		return -EBUSY;
	}
	users = refcount_read(&p->ref) - 1;
	if (users) {
		NL_SET_ERR_MSG_FMT(extack, "Profile is in use, by %u", users);
		return -EBUSY;
	}
	list_del(&p->list);
	cn->n--;
	mrc_cc_profile_put(p);
	return 0;
}

/**
 * mrc_cc_profile_del() - delete a profile
 * @mnet: namespace
 * @name: its name
 * @extack: says what is wrong
 *
 * Context: process.
 * Return: 0, -EINVAL, -ENOENT or -EBUSY.
 */
int mrc_cc_profile_del(struct mrc_net *mnet, const char *name,
		       struct netlink_ext_ack *extack)
{
	struct mrc_cc_net *cn = mrc_cc_net(mnet);
	int err;

	spin_lock_bh(&cn->lock);
	err = mrc_cc_remove(cn, name, extack);
	spin_unlock_bh(&cn->lock);
	return err;
}

/**
 * mrc_cc_profile_next() - walk the profiles
 * @mnet: namespace
 * @after: id
 * @seen: gets the first one with a higher id
 *
 * Context: process.
 * Return: false if there is none.
 */
bool mrc_cc_profile_next(struct mrc_net *mnet, u32 after,
			 struct mrc_cc_seen *seen)
{
	struct mrc_cc_net *cn = mrc_cc_net(mnet);
	struct mrc_cc_profile *p;
	bool found = false;

	spin_lock_bh(&cn->lock);
	list_for_each_entry(p, &cn->list, list) {
		if (p->id <= after)
			continue;
		seen->p = *p;
		seen->users = refcount_read(&p->ref) - 1;
		seen->is_default = p == cn->def;
		found = true;
		break;
	}
	spin_unlock_bh(&cn->lock);
	return found;
}

static void mrc_cc_flush(struct mrc_cc_net *cn)
{
	struct mrc_cc_profile *p, *next;

	list_for_each_entry_safe(p, next, &cn->list, list) {
		list_del(&p->list);
		mrc_cc_profile_put(p);
	}
}

static int __net_init mrc_cc_net_init(struct net *net)
{
	struct mrc_cc_net *cn = net_generic(net, mrc_cc_net_id);
	const struct mrc_cc_ops *ops;
	struct mrc_cc_profile *p;
	unsigned int i;

	spin_lock_init(&cn->lock);
	INIT_LIST_HEAD(&cn->list);
	for (i = 0; (ops = mrc_cc_nth(i)); i++) {
		p = mrc_cc_alloc(ops->name, ops, &mrc_cc_defaults, GFP_KERNEL);
		if (!p) {
			mrc_cc_flush(cn);
			return -ENOMEM;
		}
		p->builtin = true;
		spin_lock_bh(&cn->lock);
		mrc_cc_insert(cn, p, !strcmp(ops->name, MRC_CC_DEFAULT), NULL);
		spin_unlock_bh(&cn->lock);
	}
	return 0;
}

/* Sockets that are still being freed hold their own references. */
static void __net_exit mrc_cc_net_exit(struct net *net)
{
	mrc_cc_flush(net_generic(net, mrc_cc_net_id));
}

static struct pernet_operations mrc_cc_net_ops = {
	.init	= mrc_cc_net_init,
	.exit	= mrc_cc_net_exit,
	.id	= &mrc_cc_net_id,
	.size	= sizeof(struct mrc_cc_net),
};

int mrc_cc_conf_init(void)
{
	return register_pernet_subsys(&mrc_cc_net_ops);
}

void mrc_cc_conf_exit(void)
{
	unregister_pernet_subsys(&mrc_cc_net_ops);
}
