// SPDX-License-Identifier: GPL-2.0
/*
 * EV profiles. See profile.h.
 *
 * What a profile stands for is replaced as a whole; path tables are made anew
 * from it soon after, as after a change of routes, so that live connections
 * follow.
 */
#include <linux/netlink.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "profile.h"

/**
 * mrc_profile_find() - look a profile up
 * @mnet: namespace
 * @name: its name
 *
 * Context: conf_lock held, or RCU read side.
 * Return: the profile, NULL if there is none.
 */
struct mrc_profile *mrc_profile_find(const struct mrc_net *mnet,
				     const char *name)
{
	struct mrc_profile *p;

	list_for_each_entry_rcu(p, &mnet->profiles, list,
				lockdep_is_held(&mnet->conf_lock))
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

/**
 * mrc_profile_by_id() - look a profile up
 * @mnet: namespace
 * @id: its number
 *
 * Context: RCU read side.
 * Return: the profile, NULL if there is none.
 */
struct mrc_profile *mrc_profile_by_id(const struct mrc_net *mnet, u32 id)
{
	struct mrc_profile *p;

	list_for_each_entry_rcu(p, &mnet->profiles, list)
		if (p->id == id)
			return p;
	return NULL;
}

/**
 * mrc_profile_get() - a route or a socket uses it
 * @profile: profile or NULL
 *
 * Context: conf_lock held, or the caller knows another user.
 */
void mrc_profile_get(struct mrc_profile *profile)
{
	if (!profile)
		return;
	refcount_inc(&profile->ref);
	atomic_inc(&profile->users);
}

/* Gives a reference to the memory back. */
static void mrc_profile_release(struct mrc_profile *profile)
{
	if (refcount_dec_and_test(&profile->ref))
		kfree_rcu(profile, rcu);
}

/**
 * mrc_profile_put() - a route or a socket uses it no more
 * @profile: profile or NULL
 *
 * Context: any.
 */
void mrc_profile_put(struct mrc_profile *profile)
{
	if (!profile)
		return;
	atomic_dec(&profile->users);
	mrc_profile_release(profile);
}

/**
 * mrc_ev_list_put() - give a reference back
 * @evs: list or NULL
 *
 * Context: any.
 */
void mrc_ev_list_put(struct mrc_ev_list *evs)
{
	if (evs && refcount_dec_and_test(&evs->ref))
		kfree_rcu(evs, rcu);
}

/**
 * mrc_profile_evs_get() - what a profile stands for now
 * @profile: profile
 *
 * Context: RCU read side.
 * Return: its EVs with a reference, NULL if the profile is being deleted.
 */
struct mrc_ev_list *mrc_profile_evs_get(const struct mrc_profile *profile)
{
	struct mrc_ev_list *evs;

	for (;;) {
		evs = rcu_dereference(profile->evs);
		if (refcount_inc_not_zero(&evs->ref))
			return evs;
		/* replaced before the last reference to it went */
		if (evs == rcu_access_pointer(profile->evs))
			return NULL;
	}
}

/**
 * mrc_profile_ev() - one of its EVs
 * @profile: profile
 * @random: which
 *
 * Context: RCU read side.
 * Return: the EV.
 */
u32 mrc_profile_ev(const struct mrc_profile *profile, u32 random)
{
	const struct mrc_ev_list *evs = rcu_dereference(profile->evs);

	return evs->ev[random % evs->n];
}

static int mrc_ev_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* What is wrong with a list of EVs, sorted; NULL if nothing. */
static const char *mrc_ev_list_check(const u32 *ev, u32 n)
{
	u32 i;

	if (!n)
		return "no EV";
	for (i = 0; i < n; i++) {
		if (!mrc_ev_usable(ev[i]))
			return "an EV has no source port, its low 16 bits are 0";
		if (i && ev[i] == ev[i - 1])
			return "an EV is listed twice";
	}
	return NULL;
}

static struct mrc_ev_list *mrc_ev_list_alloc(struct mrc_net *mnet, u32 n)
{
	struct mrc_ev_list *evs;

	evs = kzalloc(struct_size(evs, ev, n), GFP_KERNEL_ACCOUNT);
	if (!evs)
		return NULL;
	refcount_set(&evs->ref, 1);
	mnet->profile_gen += mnet->profile_gen == U32_MAX ? 2 : 1;
	evs->gen = mnet->profile_gen;
	evs->n = n;
	return evs;
}

/* Return: the list of an explicit profile, ERR_PTR. */
static struct mrc_ev_list *mrc_ev_list_copy(struct mrc_net *mnet,
					    const struct mrc_profile_cfg *cfg,
					    struct netlink_ext_ack *extack)
{
	struct mrc_ev_list *evs;
	const char *msg;

	if (cfg->n > MRC_PROFILE_LISTED_MAX) {
		NL_SET_ERR_MSG(extack, "A list has at most 1024 EVs");
		return ERR_PTR(-EINVAL);
	}
	sort(cfg->ev, cfg->n, sizeof(*cfg->ev), mrc_ev_cmp, NULL);
	msg = mrc_ev_list_check(cfg->ev, cfg->n);
	if (msg) {
		NL_SET_ERR_MSG_FMT(extack, "List: %s", msg);
		return ERR_PTR(-EINVAL);
	}
	evs = mrc_ev_list_alloc(mnet, cfg->n);
	if (!evs)
		return ERR_PTR(-ENOMEM);
	memcpy(evs->ev, cfg->ev, cfg->n * sizeof(*cfg->ev));
	return evs;
}

/* Return: the list of a generated profile, ERR_PTR. */
static struct mrc_ev_list *mrc_ev_list_make(struct mrc_net *mnet,
					    const struct mrc_profile_cfg *cfg,
					    struct netlink_ext_ack *extack)
{
	const char *msg = mrc_ev_gen_check(&cfg->gen);
	struct mrc_ev_list *evs;
	unsigned int n;
	u32 *ev;

	if (msg) {
		NL_SET_ERR_MSG_FMT(extack, "Fields: %s", msg);
		return ERR_PTR(-EINVAL);
	}
	ev = kvmalloc_array(MRC_PROFILE_EVS_MAX, sizeof(*ev), GFP_KERNEL);
	if (!ev)
		return ERR_PTR(-ENOMEM);
	n = mrc_ev_gen_fill(&cfg->gen, ev, MRC_PROFILE_EVS_MAX);
	sort(ev, n, sizeof(*ev), mrc_ev_cmp, NULL);
	evs = mrc_ev_list_alloc(mnet, n);
	if (evs)
		memcpy(evs->ev, ev, n * sizeof(*ev));
	kvfree(ev);
	return evs ?: ERR_PTR(-ENOMEM);
}

static struct mrc_ev_list *mrc_profile_list(struct mrc_net *mnet,
					    const struct mrc_profile_cfg *cfg,
					    struct netlink_ext_ack *extack)
{
	return cfg->kind == MRC_PROFILE_EXPLICIT ?
	       mrc_ev_list_copy(mnet, cfg, extack) :
	       mrc_ev_list_make(mnet, cfg, extack);
}

static int mrc_profile_check_new(const struct mrc_net *mnet, const char *name,
				 struct netlink_ext_ack *extack)
{
	if (!*name || strlen(name) >= MRC_PROFILE_NAME) {
		NL_SET_ERR_MSG(extack, "A profile's name has 1 to 15 characters");
		return -EINVAL;
	}
	if (!strcmp(name, MRC_PROFILE_AUTO)) {
		NL_SET_ERR_MSG(extack, "Profile \"auto\" is built in");
		return -EEXIST;
	}
	if (mrc_profile_find(mnet, name)) {
		NL_SET_ERR_MSG(extack, "Profile of that name exists");
		return -EEXIST;
	}
	if (mnet->n_profiles >= MRC_PROFILES_MAX) {
		NL_SET_ERR_MSG(extack, "Too many profiles");
		return -ENOSPC;
	}
	return 0;
}

/**
 * mrc_profile_add() - add a profile
 * @mnet: namespace
 * @cfg: profile
 * @extack: says what is wrong
 *
 * Context: Process, conf_lock held.
 * Return: 0 or a negative errno.
 */
int mrc_profile_add(struct mrc_net *mnet, const struct mrc_profile_cfg *cfg,
		    struct netlink_ext_ack *extack)
{
	struct mrc_ev_list *evs;
	struct mrc_profile *p;
	int err;

	lockdep_assert_held(&mnet->conf_lock);
	err = mrc_profile_check_new(mnet, cfg->name, extack);
	if (err)
		return err;
	evs = mrc_profile_list(mnet, cfg, extack);
	if (IS_ERR(evs))
		return PTR_ERR(evs);
	p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p) {
		mrc_ev_list_put(evs);
		return -ENOMEM;
	}
	strscpy(p->name, cfg->name);
	mnet->profile_id += mnet->profile_id == U32_MAX ? 2 : 1;
	p->id = mnet->profile_id;
	refcount_set(&p->ref, 1);
	p->kind = cfg->kind;
	p->gen = cfg->gen;
	rcu_assign_pointer(p->evs, evs);
	list_add_tail_rcu(&p->list, &mnet->profiles);
	mnet->n_profiles++;
	return 0;
}

/* By name, with words if there is none or it is built in. */
static struct mrc_profile *mrc_profile_own(const struct mrc_net *mnet,
					   const char *name,
					   struct netlink_ext_ack *extack)
{
	struct mrc_profile *p = mrc_profile_find(mnet, name);

	if (p)
		return p;
	if (!strcmp(name, MRC_PROFILE_AUTO)) {
		NL_SET_ERR_MSG(extack, "Profile \"auto\" is built in");
		return ERR_PTR(-EINVAL);
	}
	NL_SET_ERR_MSG(extack, "No profile of that name");
	return ERR_PTR(-ENOENT);
}

/**
 * mrc_profile_set() - replace what a profile stands for
 * @mnet: namespace
 * @cfg: profile
 * @extack: says what is wrong
 *
 * Context: Process, conf_lock held.
 * Return: 0 or a negative errno; then nothing has changed.
 */
int mrc_profile_set(struct mrc_net *mnet, const struct mrc_profile_cfg *cfg,
		    struct netlink_ext_ack *extack)
{
	struct mrc_profile *p = mrc_profile_own(mnet, cfg->name, extack);
	struct mrc_ev_list *evs;

	lockdep_assert_held(&mnet->conf_lock);
	if (IS_ERR(p))
		return PTR_ERR(p);
	evs = mrc_profile_list(mnet, cfg, extack);
	if (IS_ERR(evs))
		return PTR_ERR(evs);
	p->kind = cfg->kind;
	p->gen = cfg->gen;
	evs = rcu_replace_pointer(p->evs, evs,
				  lockdep_is_held(&mnet->conf_lock));
	mrc_ev_list_put(evs);
	if (atomic_read(&p->users))
		mrc_paths_changed(mnet);
	return 0;
}

static void mrc_profile_free(struct mrc_net *mnet, struct mrc_profile *p)
{
	list_del_rcu(&p->list);
	mnet->n_profiles--;
	mrc_ev_list_put(rcu_dereference_protected(p->evs, true));
	mrc_profile_release(p);
}

/**
 * mrc_profile_del() - delete a profile
 * @mnet: namespace
 * @name: its name
 * @extack: says what is wrong
 *
 * Context: Process, conf_lock held.
 * Return: 0, -EINVAL, -ENOENT or -EBUSY.
 */
int mrc_profile_del(struct mrc_net *mnet, const char *name,
		    struct netlink_ext_ack *extack)
{
	struct mrc_profile *p = mrc_profile_own(mnet, name, extack);
	int users;

	lockdep_assert_held(&mnet->conf_lock);
	if (IS_ERR(p))
		return PTR_ERR(p);
	users = atomic_read(&p->users);
	if (users) {
		NL_SET_ERR_MSG_FMT(extack, "Profile is in use, by %d", users);
		return -EBUSY;
	}
	mrc_profile_free(mnet, p);
	return 0;
}

/**
 * mrc_profile_flush() - delete all profiles of a namespace
 * @mnet: namespace, whose routes and sockets are gone
 *
 * Context: Process, conf_lock held.
 */
void mrc_profile_flush(struct mrc_net *mnet)
{
	struct mrc_profile *p, *next;

	lockdep_assert_held(&mnet->conf_lock);
	list_for_each_entry_safe(p, next, &mnet->profiles, list)
		mrc_profile_free(mnet, p);
}
