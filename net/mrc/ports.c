// SPDX-License-Identifier: GPL-2.0
/*
 * Who owns which port. A record per (address, port) counts its owners, and a
 * record per port counts those of all addresses, so that a conflict is found
 * without a walk however many connections share a listener's port.
 *
 * The rule is TCP's without SO_REUSEPORT: two sockets with overlapping
 * addresses share a port only if both said SO_REUSEADDR and neither listens.
 * What counts is SO_REUSEADDR at the time of bind(2).
 *
 * A port that connect(2) chose may serve several connections, as long as no
 * two have both ends in common.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ip.h>

#include "cm.h"
#include "ports.h"

/**
 * struct mrc_bind_key - key of a record
 * @addr: node address, :: for a wildcard bind and in a total
 * @port: host order
 * @total: 1: the record is for all addresses of @port
 */
struct mrc_bind_key {
	struct in6_addr	addr;
	u16		port;
	u16		total;
};

static_assert(sizeof(struct mrc_bind_key) == 20);

/**
 * struct mrc_bind - a record
 * @node: in mrc_ports.binds
 * @key: see above
 * @total: record of the port, NULL if it is that itself
 * @n: owners, listener and accepted connections included
 * @n_hard: of these, the ones that share with nobody
 * @n_auto: of these, the ones whose port connect(2) chose
 * @listener: who listens here; RCU
 * @rcu: frees it
 *
 * Changed under mrc_ports.lock.
 */
struct mrc_bind {
	struct rhash_head	node;
	struct mrc_bind_key	key;
	struct mrc_bind		*total;
	u32			n;
	u32			n_hard;
	u32			n_auto;
	struct mrc_sock __rcu	*listener;
	struct rcu_head		rcu;
};

static const struct rhashtable_params bind_params = {
	.key_len		= sizeof(struct mrc_bind_key),
	.key_offset		= offsetof(struct mrc_bind, key),
	.head_offset		= offsetof(struct mrc_bind, node),
	.automatic_shrinking	= true,
};

static const struct rhashtable_params tuple_params = {
	.key_len		= sizeof(struct mrc_tuple),
	.key_offset		= offsetof(struct mrc_sock, t),
	.head_offset		= offsetof(struct mrc_sock, tuple_node),
	.automatic_shrinking	= true,
};

static struct mrc_ports *mrc_ports_of(const struct mrc_sock *msk)
{
	return &mrc_cm_net(sock_net(&msk->sk))->ports;
}

static struct mrc_bind *mrc_bind_find(struct mrc_ports *ports,
				      const struct in6_addr *addr, u16 port,
				      bool total)
{
	struct mrc_bind_key key = { .port = port, .total = total };

	if (!total)
		key.addr = *addr;
	return rhashtable_lookup_fast(&ports->binds, &key, bind_params);
}

/* The record, made if need be, with one more owner. */
static struct mrc_bind *mrc_bind_get(struct mrc_ports *ports,
				     const struct in6_addr *addr, u16 port,
				     bool total)
{
	struct mrc_bind *b = mrc_bind_find(ports, addr, port, total);

	lockdep_assert_held(&ports->lock);
	if (!b) {
		b = kzalloc(sizeof(*b), GFP_ATOMIC);
		if (!b)
			return NULL;
		if (!total)
			b->key.addr = *addr;
		b->key.port = port;
		b->key.total = total;
		if (rhashtable_insert_fast(&ports->binds, &b->node,
					   bind_params)) {
			kfree(b);
			return NULL;
		}
	}
	b->n++;
	return b;
}

static void mrc_bind_put(struct mrc_ports *ports, struct mrc_bind *b)
{
	lockdep_assert_held(&ports->lock);
	if (--b->n)
		return;
	rhashtable_remove_fast(&ports->binds, &b->node, bind_params);
	kfree_rcu(b, rcu);
}

static void mrc_bind_hard(struct mrc_bind *b, int delta)
{
	b->n_hard += delta;
	b->total->n_hard += delta;
}

static void mrc_bind_auto(struct mrc_bind *b, int delta)
{
	b->n_auto += delta;
	b->total->n_auto += delta;
}

/* Makes @msk an owner of (@addr, @port). No conflict, says the caller. */
static int mrc_port_take(struct mrc_ports *ports, struct mrc_sock *msk,
			 const struct in6_addr *addr, u16 port, bool hard,
			 bool automatic)
{
	struct mrc_bind *b = mrc_bind_get(ports, addr, port, false);

	if (!b)
		return -ENOMEM;
	b->total = mrc_bind_get(ports, addr, port, true);
	if (!b->total) {
		/* Only a fresh record has no total yet. */
		mrc_bind_put(ports, b);
		return -ENOMEM;
	}
	msk->bind = b;
	msk->bind_hard = hard;
	msk->bind_auto = automatic;
	mrc_bind_hard(b, hard);
	mrc_bind_auto(b, automatic);
	return 0;
}

static bool mrc_bind_tolerates(const struct mrc_bind *b, bool reuse)
{
	return !b || (reuse && !b->n_hard);
}

/* May a socket that says @reuse take (@addr, @port)? */
static bool mrc_port_is_free(struct mrc_ports *ports,
			     const struct in6_addr *addr, u16 port, bool reuse)
{
	if (ipv6_addr_any(addr))
		return mrc_bind_tolerates(mrc_bind_find(ports, addr, port,
							true), reuse);
	return mrc_bind_tolerates(mrc_bind_find(ports, addr, port, false),
				  reuse) &&
	       mrc_bind_tolerates(mrc_bind_find(ports, &in6addr_any, port,
						false), reuse);
}

static int mrc_port_try(struct mrc_ports *ports, struct mrc_sock *msk,
			const struct in6_addr *addr, u16 port, bool reuse)
{
	int err = -EADDRINUSE;

	spin_lock_bh(&ports->lock);
	if (mrc_port_is_free(ports, addr, port, reuse))
		err = mrc_port_take(ports, msk, addr, port, !reuse, false);
	spin_unlock_bh(&ports->lock);
	return err;
}

/* Tries the namespace's ephemeral ports from a random one on, each once. */
static int mrc_port_search(struct mrc_sock *msk,
			   int (*try)(struct mrc_ports *ports,
				      struct mrc_sock *msk, u16 port),
			   u16 *found)
{
	struct mrc_ports *ports = mrc_ports_of(msk);
	struct net *net = sock_net(&msk->sk);
	int low, high, n, i, off, err;
	u16 port;

	inet_get_local_port_range(net, &low, &high);
	n = high - low + 1;
	off = get_random_u32_below(n);
	for (i = 0; i < n; i++) {
		port = low + (off + i) % n;
		if (inet_is_local_reserved_port(net, port))
			continue;
		err = try(ports, msk, port);
		if (err != -EADDRINUSE) {
			*found = port;
			return err;
		}
		if (i % 64 == 63)
			cond_resched();
	}
	return -EADDRINUSE;
}

static int mrc_port_try_bind(struct mrc_ports *ports, struct mrc_sock *msk,
			     u16 port)
{
	/* A port that nobody chose is shared with nobody. */
	return mrc_port_try(ports, msk, &msk->t.local, port, false);
}

int mrc_port_bind(struct mrc_sock *msk, const struct in6_addr *addr, u16 port)
{
	struct in6_addr old = msk->t.local;
	int err;

	msk->t.local = *addr;
	if (port)
		err = mrc_port_try(mrc_ports_of(msk), msk, addr, port,
				   msk->sk.sk_reuse);
	else
		err = mrc_port_search(msk, mrc_port_try_bind, &port);
	if (err)
		msk->t.local = old;
	else
		msk->t.lport = port;
	return err;
}

static bool mrc_port_is_self(const struct mrc_sock *msk, u16 port)
{
	return port == msk->t.rport &&
	       ipv6_addr_equal(&msk->t.local, &msk->t.remote);
}

static int mrc_port_add_tuple(struct mrc_ports *ports, struct mrc_sock *msk)
{
	int err = rhashtable_lookup_insert_fast(&ports->tuples,
						&msk->tuple_node,
						tuple_params);

	if (err == -EEXIST)
		return -EADDRINUSE;
	if (err)
		return -ENOMEM;
	msk->in_tuples = true;
	return 0;
}

static int mrc_port_try_connect(struct mrc_ports *ports, struct mrc_sock *msk,
				u16 port)
{
	const struct mrc_bind *total;
	int err = -EADDRINUSE;

	if (mrc_port_is_self(msk, port))
		return err;
	spin_lock_bh(&ports->lock);
	total = mrc_bind_find(ports, &msk->t.local, port, true);
	if (total && total->n != total->n_auto)
		goto out;
	msk->t.lport = port;
	err = mrc_port_add_tuple(ports, msk);
	if (err)
		goto out;
	err = mrc_port_take(ports, msk, &msk->t.local, port, true, true);
	if (err)
		mrc_port_disconnect(msk);
out:
	if (err)
		msk->t.lport = 0;
	spin_unlock_bh(&ports->lock);
	return err;
}

int mrc_port_connect(struct mrc_sock *msk)
{
	struct mrc_ports *ports = mrc_ports_of(msk);
	u16 port;
	int err;

	if (msk->bind && mrc_port_is_self(msk, msk->t.lport))
		return -ECONNREFUSED;
	if (msk->bind) {
		spin_lock_bh(&ports->lock);
		err = mrc_port_add_tuple(ports, msk);
		spin_unlock_bh(&ports->lock);
	} else {
		err = mrc_port_search(msk, mrc_port_try_connect, &port);
	}
	return err == -EADDRINUSE ? -EADDRNOTAVAIL : err;
}

void mrc_port_disconnect(struct mrc_sock *msk)
{
	if (!msk->in_tuples)
		return;
	rhashtable_remove_fast(&mrc_ports_of(msk)->tuples, &msk->tuple_node,
			       tuple_params);
	msk->in_tuples = false;
}

int mrc_port_listen(struct mrc_sock *msk)
{
	struct mrc_ports *ports = mrc_ports_of(msk);
	struct mrc_bind *b = msk->bind, *other;
	u32 hard;
	int err = -EADDRINUSE;

	spin_lock_bh(&ports->lock);
	other = ipv6_addr_any(&b->key.addr) ? b->total : b;
	hard = other->n_hard - msk->bind_hard;
	if (other == b) {
		other = mrc_bind_find(ports, &in6addr_any, b->key.port, false);
		hard += other ? other->n_hard : 0;
	}
	if (hard)
		goto out;
	if (!msk->bind_hard)
		mrc_bind_hard(b, 1);
	msk->bind_hard = true;
	rcu_assign_pointer(b->listener, msk);
	err = 0;
out:
	spin_unlock_bh(&ports->lock);
	return err;
}

void mrc_port_unlisten(struct mrc_sock *msk)
{
	struct mrc_ports *ports = mrc_ports_of(msk);

	spin_lock_bh(&ports->lock);
	if (msk->bind && rcu_access_pointer(msk->bind->listener) == msk) {
		RCU_INIT_POINTER(msk->bind->listener, NULL);
		if (msk->sk.sk_reuse && msk->bind_hard) {
			mrc_bind_hard(msk->bind, -1);
			msk->bind_hard = false;
		}
	}
	spin_unlock_bh(&ports->lock);
}

int mrc_port_inherit(struct mrc_sock *child, const struct mrc_sock *listener)
{
	struct mrc_ports *ports = mrc_ports_of(child);
	struct mrc_bind *b;
	int err = -ENOENT;

	spin_lock(&ports->lock);
	b = listener->bind;
	if (b && rcu_access_pointer(b->listener) == listener)
		err = mrc_port_take(ports, child, &b->key.addr, b->key.port,
				    !child->sk.sk_reuse, false);
	spin_unlock(&ports->lock);
	return err;
}

void mrc_port_put(struct mrc_sock *msk)
{
	struct mrc_ports *ports = mrc_ports_of(msk);
	struct mrc_bind *b, *total;

	spin_lock_bh(&ports->lock);
	b = msk->bind;
	msk->bind = NULL;
	if (b) {
		total = b->total;
		mrc_bind_hard(b, -msk->bind_hard);
		mrc_bind_auto(b, -msk->bind_auto);
		mrc_bind_put(ports, b);
		mrc_bind_put(ports, total);
	}
	spin_unlock_bh(&ports->lock);
}

struct mrc_sock *mrc_port_listener(struct mrc_ports *ports,
				   const struct in6_addr *addr, u16 port)
{
	struct mrc_sock *msk = NULL;
	struct mrc_bind *b;

	b = mrc_bind_find(ports, addr, port, false);
	if (b)
		msk = rcu_dereference(b->listener);
	if (msk)
		return msk;
	b = mrc_bind_find(ports, &in6addr_any, port, false);
	return b ? rcu_dereference(b->listener) : NULL;
}

struct mrc_sock *mrc_port_tuple(struct mrc_ports *ports,
				const struct mrc_tuple *t)
{
	return rhashtable_lookup(&ports->tuples, t, tuple_params);
}

int mrc_ports_init(struct mrc_ports *ports)
{
	int err;

	spin_lock_init(&ports->lock);
	err = rhashtable_init(&ports->binds, &bind_params);
	if (err)
		return err;
	err = rhashtable_init(&ports->tuples, &tuple_params);
	if (err)
		rhashtable_destroy(&ports->binds);
	return err;
}

/* Context: no socket of the namespace is left, so both tables are empty. */
void mrc_ports_exit(struct mrc_ports *ports)
{
	rhashtable_destroy(&ports->tuples);
	rhashtable_destroy(&ports->binds);
}
