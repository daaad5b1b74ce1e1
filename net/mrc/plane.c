// SPDX-License-Identifier: GPL-2.0
/*
 * Planes while packets flow: is it alive, does it have room, who waits for
 * room. How planes come and go is in plane_conf.c.
 *
 * The kernel UDP socket of a plane is bound to nothing and sends nothing. It
 * owns each skb that mrc_output() sends, so that its sk_wmem_alloc counts what
 * waits below. Skbs may outlive the plane and this module: they keep the
 * struct sock alive, whose callbacks are all the kernel's own. Ours hangs in
 * its wait queue, from which it can be removed for sure.
 */
#include <linux/in6.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/sock.h>

#include "netlink.h"
#include "peer.h"
#include "plane.h"

/**
 * mrc_plane_get_rcu() - find a plane
 * @mnet: namespace
 * @id: its number
 *
 * Context: RCU read side.
 * Return: the plane or NULL.
 */
struct mrc_plane *mrc_plane_get_rcu(const struct mrc_net *mnet, u8 id)
{
	if (id > MRC_PLANE_MAX)
		return NULL;
	return rcu_dereference(mnet->planes[id]);
}

/**
 * mrc_plane_get() - find a plane
 * @mnet: namespace
 * @id: its number
 *
 * Context: conf_lock held.
 * Return: the plane or NULL.
 */
struct mrc_plane *mrc_plane_get(const struct mrc_net *mnet, u8 id)
{
	if (id > MRC_PLANE_MAX)
		return NULL;
	return rcu_dereference_protected(mnet->planes[id],
					 lockdep_is_held(&mnet->conf_lock));
}

/**
 * mrc_plane_by_ifindex() - find the plane of a netdev
 * @mnet: namespace
 * @ifindex: of the netdev
 *
 * Context: RCU read side.
 * Return: the plane or NULL.
 */
struct mrc_plane *mrc_plane_by_ifindex(const struct mrc_net *mnet,
				       int ifindex)
{
	return xa_load((struct xarray *)&mnet->by_ifindex, ifindex);
}

/**
 * mrc_plane_sid_is_ours() - is this the segment id of one of our planes?
 * @mnet: namespace
 * @first: plane to ask first, or NULL
 * @sid: address
 *
 * Context: RCU read side.
 * Return: true if so.
 */
bool mrc_plane_sid_is_ours(const struct mrc_net *mnet,
			   const struct mrc_plane *first,
			   const struct in6_addr *sid)
{
	const struct mrc_plane *plane;
	unsigned int i;

	/* a plane without one has ::, which is no destination */
	if (first && ipv6_addr_equal(&first->sid, sid))
		return true;
	for (i = 1; i <= MRC_PLANE_MAX; i++) {
		plane = rcu_dereference(mnet->planes[i]);
		if (plane && ipv6_addr_equal(&plane->sid, sid))
			return true;
	}
	return false;
}

/**
 * mrc_plane_mtu() - largest IPv6 packet that a plane carries
 * @plane: plane
 *
 * Context: RCU read side.
 * Return: bytes, 0 if it has no netdev or that has no IPv6.
 */
unsigned int mrc_plane_mtu(const struct mrc_plane *plane)
{
	const struct net_device *dev = rcu_dereference(plane->dev);
	const struct inet6_dev *idev;

	if (!dev)
		return 0;
	idev = __in6_dev_get(dev);
	if (!idev)
		return 0;
	/* a router may have advertised less than the netdev can do */
	return min_t(u32, READ_ONCE(dev->mtu), READ_ONCE(idev->cnf.mtu6));
}

/* ---- up and down --------------------------------------------------------- */

/**
 * mrc_plane_set_up() - a plane is seen up or down
 * @plane: plane
 * @up: what is seen
 *
 * Nothing happens if that is how it was. Peers and users get to know it, and
 * only that: no lock of theirs is taken that the caller could hold.
 *
 * Context: Any but hard interrupts; RCU read side or conf_lock held.
 */
void mrc_plane_set_up(struct mrc_plane *plane, bool up)
{
	struct mrc_net *mnet = plane->mnet;
	unsigned long flags;
	bool changed;

	spin_lock_irqsave(&plane->lock, flags);
	changed = plane->up != up && !(up && plane->gone);
	if (changed) {
		WRITE_ONCE(plane->up, up);
		if (!up)
			WRITE_ONCE(plane->carrier_losses,
				   plane->carrier_losses + 1);
	}
	spin_unlock_irqrestore(&plane->lock, flags);
	if (!changed)
		return;

	local_bh_disable();
	rcu_read_lock();
	if (up) {
		MRC_INC(mnet, PLANE_UP);
		mrc_peers_plane_up(mnet, plane->id);
	} else {
		MRC_INC(mnet, PLANE_DOWN);
		mrc_peers_plane_down(mnet, plane->id);
		/* what is stuck below may never be freed */
		mrc_plane_wake_all(plane, false);
	}
	if (plane->id)
		mrc_nl_plane_event(plane, up);
	rcu_read_unlock();
	local_bh_enable();
}

/**
 * mrc_plane_alive() - does a plane work right now, as far as we can see?
 * @plane: plane
 *
 * Notifiers of carrier come late, from linkwatch. So each burst asks the
 * netdev, and the first to see it off takes the plane down. That it is on
 * again is left to the notifier, which always follows.
 *
 * Context: RCU read side, BH off.
 * Return: true if so.
 */
bool mrc_plane_alive(struct mrc_plane *plane)
{
	const struct net_device *dev = rcu_dereference(plane->dev);

	if (!READ_ONCE(plane->up))
		return false;
	if (likely(dev && netif_running(dev) && netif_carrier_ok(dev)))
		return true;
	mrc_plane_set_up(plane, false);
	return false;
}

/* ---- room ---------------------------------------------------------------- */

/**
 * mrc_plane_queued() - what waits below a plane
 * @plane: plane
 *
 * Context: RCU read side or conf_lock held.
 * Return: bytes of memory, an estimate of bytes on the wire from above.
 */
unsigned int mrc_plane_queued(const struct mrc_plane *plane)
{
	return sk_wmem_alloc_get(plane->sock->sk);
}

/**
 * mrc_plane_set_warm() - how much may wait below a plane?
 * @plane: plane
 * @warm: what is sent here arrives; whoever waits has room now, perhaps
 *
 * Context: Any but hard interrupts; RCU read side if @warm.
 */
void mrc_plane_set_warm(struct mrc_plane *plane, bool warm)
{
	WRITE_ONCE(plane->warm, warm);
	WRITE_ONCE(plane->sock->sk->sk_sndbuf,
		   2 * (warm ? MRC_PLANE_QUEUE : MRC_PLANE_QUEUE_COLD));
	if (warm)
		mrc_plane_pass_room(plane);
}

/**
 * mrc_plane_has_room() - may a plane take another burst?
 * @plane: plane
 *
 * Context: RCU read side.
 * Return: true if so.
 */
bool mrc_plane_has_room(const struct mrc_plane *plane)
{
	/* = mrc_plane_queued() < MRC_PLANE_QUEUE (once it is warm), and the
	 * condition under which sock_wfree() calls mrc_plane_wake()
	 */
	return sock_writeable(plane->sock->sk);
}

/**
 * mrc_plane_wait() - wait for room on a plane
 * @plane: plane
 * @room: who waits; gets MRC_NEWS_ROOM
 *
 * Does nothing if it waits already. If there is room in the meantime, or the
 * plane went down, the news is given at once.
 *
 * Context: BH off, RCU read side.
 */
void mrc_plane_wait(struct mrc_plane *plane, struct mrc_room *room)
{
	unsigned long flags;
	bool gone;

	spin_lock_irqsave(&plane->lock, flags);
	gone = plane->gone || !plane->up;
	if (!gone && list_empty(&room->node))
		list_add_tail(&room->node, &plane->waiters);
	spin_unlock_irqrestore(&plane->lock, flags);

	if (gone)
		mrc_news_give(room->user, MRC_NEWS_ROOM);
	/* Room may have come before we were on the list. The barrier pairs
	 * with that in skwq_has_sleeper() or the lock of the wait queue.
	 */
	smp_mb();
	if (mrc_plane_has_room(plane))
		mrc_plane_pass_room(plane);
}

/**
 * mrc_plane_unwait() - stop waiting
 * @plane: plane that @room waits on, if it waits at all
 * @room: who waits
 *
 * Context: Any but hard interrupts; RCU read side.
 */
void mrc_plane_unwait(struct mrc_plane *plane, struct mrc_room *room)
{
	unsigned long flags;

	spin_lock_irqsave(&plane->lock, flags);
	list_del_init(&room->node);
	spin_unlock_irqrestore(&plane->lock, flags);
}

/* Sends the first waiter away with news. */
static void mrc_plane_wake_one(struct mrc_plane *plane)
{
	struct mrc_room *room;

	lockdep_assert_held(&plane->lock);
	room = list_first_entry_or_null(&plane->waiters, struct mrc_room,
					node);
	if (!room)
		return;
	list_del_init(&room->node);
	/* under the lock, or its user could be freed */
	mrc_news_give(room->user, MRC_NEWS_ROOM);
}

/**
 * mrc_plane_pass_room() - give room to the next waiter
 * @plane: plane
 *
 * For a waiter that got news and did not use the room, or left some.
 *
 * Context: Any but hard interrupts (they may be off); RCU read side.
 */
void mrc_plane_pass_room(struct mrc_plane *plane)
{
	unsigned long flags;

	/* whoever is added later looks for room itself */
	if (list_empty_careful(&plane->waiters) || !mrc_plane_has_room(plane))
		return;
	spin_lock_irqsave(&plane->lock, flags);
	mrc_plane_wake_one(plane);
	spin_unlock_irqrestore(&plane->lock, flags);
}

/**
 * mrc_plane_wake_all() - send all waiters away
 * @plane: plane
 * @gone: and let nobody wait any more
 *
 * Context: Any but hard interrupts.
 */
void mrc_plane_wake_all(struct mrc_plane *plane, bool gone)
{
	unsigned long flags;

	spin_lock_irqsave(&plane->lock, flags);
	if (gone)
		plane->gone = true;
	while (!list_empty(&plane->waiters))
		mrc_plane_wake_one(plane);
	spin_unlock_irqrestore(&plane->lock, flags);
}

/* An skb of ours was freed and there is room. Under the wait queue's lock. */
static int mrc_plane_wake(wait_queue_entry_t *entry, unsigned int mode,
			  int flags, void *key)
{
	if (!key || key_to_poll(key) & EPOLLOUT)
		mrc_plane_pass_room(container_of(entry, struct mrc_plane,
						 wake));
	return 0;
}

/* ---- life ---------------------------------------------------------------- */

static struct workqueue_struct *mrc_plane_wq;

static void mrc_plane_free(struct mrc_plane *plane)
{
	remove_wait_queue(sk_sleep(plane->sock->sk), &plane->wake);
	sock_release(plane->sock);
	mrc_gws_exit(plane);
	free_percpu(plane->stats);
	MRC_INC(plane->mnet, PLANE_FREED);
	kfree(plane);
}

static void mrc_plane_free_work(struct work_struct *work)
{
	mrc_plane_free(container_of(to_rcu_work(work), struct mrc_plane,
				    free_work));
}

/**
 * mrc_plane_put() - give a plane back
 * @plane: plane
 *
 * Context: Any.
 */
void mrc_plane_put(struct mrc_plane *plane)
{
	if (refcount_dec_and_test(&plane->ref))
		queue_rcu_work(mrc_plane_wq, &plane->free_work);
}

static int mrc_plane_sock(struct mrc_plane *plane)
{
	struct sock *sk;
	int err;

	err = sock_create_kern(plane->mnet->net, AF_INET6, SOCK_DGRAM,
			       IPPROTO_UDP, &plane->sock);
	if (err)
		return err;
	sk = plane->sock->sk;
	/* sock_writeable() is about half of it; nothing is refused by it */
	WRITE_ONCE(sk->sk_sndbuf, 2 * MRC_PLANE_QUEUE_COLD);
	sk->sk_userlocks |= SOCK_SNDBUF_LOCK;
	init_waitqueue_func_entry(&plane->wake, mrc_plane_wake);
	add_wait_queue(sk_sleep(sk), &plane->wake);
	return 0;
}

/**
 * mrc_plane_new_gen() - a generation that no plane has had yet
 *
 * Context: Any.
 * Return: the generation.
 */
u32 mrc_plane_new_gen(void)
{
	static atomic_t gen = ATOMIC_INIT(0);

	return atomic_inc_return(&gen);
}

/**
 * mrc_plane_alloc() - make a plane
 * @mnet: namespace
 * @id: its number
 *
 * Context: Process.
 * Return: a plane that is down, has no netdev and is in no table; or ERR_PTR.
 */
struct mrc_plane *mrc_plane_alloc(struct mrc_net *mnet, u8 id)
{
	struct mrc_plane *plane;
	int cpu, err;

	plane = kzalloc(sizeof(*plane), GFP_KERNEL_ACCOUNT);
	if (!plane)
		return ERR_PTR(-ENOMEM);
	plane->mnet = mnet;
	plane->id = id;
	plane->gen = mrc_plane_new_gen();
	plane->admin_up = true;
	refcount_set(&plane->ref, 1);
	spin_lock_init(&plane->lock);
	INIT_LIST_HEAD(&plane->waiters);
	INIT_RCU_WORK(&plane->free_work, mrc_plane_free_work);

	err = -ENOMEM;
	plane->stats = alloc_percpu_gfp(struct mrc_plane_stats,
					GFP_KERNEL_ACCOUNT);
	if (!plane->stats)
		goto err_plane;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(plane->stats, cpu)->syncp);
	err = mrc_gws_init(plane);
	if (err)
		goto err_stats;
	err = mrc_plane_sock(plane);
	if (err)
		goto err_gws;
	MRC_INC(mnet, PLANE_CREATED);
	return plane;

err_gws:
	mrc_gws_exit(plane);
err_stats:
	free_percpu(plane->stats);
err_plane:
	kfree(plane);
	return ERR_PTR(err);
}

/**
 * mrc_plane_init() - prepare what planes need to be freed
 *
 * Context: Process.
 * Return: 0 or -ENOMEM.
 */
int mrc_plane_init(void)
{
	mrc_plane_wq = alloc_workqueue("mrc_plane", WQ_UNBOUND, 0);
	return mrc_plane_wq ? 0 : -ENOMEM;
}

/**
 * mrc_plane_exit() - undo mrc_plane_init()
 *
 * Context: Process; all planes are given back.
 */
void mrc_plane_exit(void)
{
	mrc_plane_flush();
	destroy_workqueue(mrc_plane_wq);
}

/**
 * mrc_plane_flush() - wait until planes given back before are freed
 *
 * Context: Process. Also waits for a grace period.
 */
void mrc_plane_flush(void)
{
	/* the work is queued by an RCU callback */
	synchronize_rcu();
	rcu_barrier();
	flush_workqueue(mrc_plane_wq);
}
