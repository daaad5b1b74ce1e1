// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU BH work that carries news to the users of the paths floor.
 */
#include <linux/bits.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "news.h"
#include "upcall.h"

/* The bit of mrc_user.queued. */
#define MRC_NEWS_QUEUED		0

/* Users with news that were given on this CPU. */
struct mrc_news_cpu {
	struct llist_head	users;
	struct work_struct	work;
};

static DEFINE_PER_CPU(struct mrc_news_cpu, mrc_news_cpu);

/**
 * mrc_news_give() - give a user a piece of news
 * @user: the user
 * @what: the news
 *
 * The handler is called soon after in BH context; it finds the bit in
 * @user->pending, perhaps with others, unless the user has looked there in the
 * meantime. News that comes before that does not call it again.
 *
 * Context: Any but hard interrupts, which may be off. @user is alive.
 */
void mrc_news_give(struct mrc_user *user, enum mrc_news what)
{
	struct mrc_news_cpu *nc;

	/* full barriers, also if a bit was set: the handler that clears it
	 * sees what the news is about
	 */
	test_and_set_bit(what, &user->pending);
	if (test_and_set_bit(MRC_NEWS_QUEUED, &user->queued) ||
	    !mrc_upcall.user_hold(user))
		return;

	/* any CPU's list will do, but only one work item drains it */
	nc = raw_cpu_ptr(&mrc_news_cpu);
	if (llist_add(&user->work_node, &nc->users))
		queue_work(system_bh_wq, &nc->work);
}

static void mrc_news_work(struct work_struct *work)
{
	struct mrc_news_cpu *nc = container_of(work, struct mrc_news_cpu,
					       work);
	struct mrc_user *user, *next;
	struct llist_node *users;

	/* first come, first served */
	users = llist_reverse_order(llist_del_all(&nc->users));

	rcu_read_lock();
	/* once the bit is clear, work_node may be in use */
	llist_for_each_entry_safe(user, next, users, work_node) {
		clear_bit(MRC_NEWS_QUEUED, &user->queued);
		/* what is given from here on queues it again */
		smp_mb__after_atomic();
		mrc_upcall.news(user);
		mrc_upcall.user_put(user);
	}
	rcu_read_unlock();
}

/**
 * mrc_news_init() - prepare the work of each CPU
 *
 * Context: Process.
 * Return: 0.
 */
int mrc_news_init(void)
{
	struct mrc_news_cpu *nc;
	int cpu;

	for_each_possible_cpu(cpu) {
		nc = per_cpu_ptr(&mrc_news_cpu, cpu);
		init_llist_head(&nc->users);
		INIT_WORK(&nc->work, mrc_news_work);
	}
	return 0;
}

/**
 * mrc_news_exit() - wait for the last work
 *
 * Context: Process; there are no users any more.
 */
void mrc_news_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		flush_work(&per_cpu_ptr(&mrc_news_cpu, cpu)->work);
}
