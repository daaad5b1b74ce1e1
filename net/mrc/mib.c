// SPDX-License-Identifier: GPL-2.0
/*
 * Counters: their names, their sums, /proc/net/mrc/snmp.
 */
#include <linux/bug.h>
#include <linux/math.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include <trace/events/mrc.h>

#include "mib.h"
#include "net.h"

#define DROP_PREFIX	"Drop"

#define MRC_X_MIB(e, name, text)					\
	[MRC_MIB_##e] = { name, text },
#define MRC_X_DROP(e, name, text)					\
	[MRC_MIB_DROP + MRC_DROP_##e] = { DROP_PREFIX name, text },

/* [MRC_MIB_DROP + MRC_DROP_NONE] has no name: it counts nothing. */
const struct mrc_mib_desc mrc_mib_desc[__MRC_MIB_MAX] = {
	MRC_MIB_LIST(MRC_X_MIB)
	MRC_DROP_LIST(MRC_X_DROP)
};

/**
 * mrc_mib_read() - sum one counter over all CPUs
 * @mnet: namespace
 * @item: enum mrc_mib_item
 *
 * Context: Any.
 * Return: the sum, a snapshot.
 */
unsigned long mrc_mib_read(const struct mrc_net *mnet, unsigned int item)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(mnet->mib, cpu)->mibs[item]);
	return sum;
}

/**
 * mrc_drop_name() - name of a drop reason
 * @reason: the reason
 *
 * Context: Any.
 * Return: its name, "" for MRC_DROP_NONE and what is no reason.
 */
const char *mrc_drop_name(enum mrc_drop reason)
{
	if (reason <= MRC_DROP_NONE || reason >= __MRC_DROP_MAX)
		return "";
	return mrc_mib_desc[MRC_MIB_DROP + reason].name + strlen(DROP_PREFIX);
}

/**
 * mrc_mib_drop() - count a dropped packet
 * @mnet: namespace
 * @reason: enum mrc_drop, or the negative of it, as parsers return it
 *
 * Context: Any.
 */
void mrc_mib_drop(struct mrc_net *mnet, int reason)
{
	unsigned int r = abs(reason);

	if (WARN_ON_ONCE(r == MRC_DROP_NONE || r >= __MRC_DROP_MAX))
		return;
	this_cpu_inc(mnet->mib->mibs[MRC_MIB_DROP + r]);
	trace_mrc_drop(mrc_drop_name(r));
}

static int mrc_mib_show(struct seq_file *seq, void *v)
{
	struct mrc_net *mnet = mrc_net(seq_file_single_net(seq));
	unsigned int i;

	for (i = 0; i < __MRC_MIB_MAX; i++)
		if (mrc_mib_desc[i].name)
			seq_printf(seq, "%s %lu\n", mrc_mib_desc[i].name,
				   mrc_mib_read(mnet, i));
	return 0;
}

/* /proc/net/mrc/snmp, one "name value" a line */
static int mrc_mib_proc_init(struct net *net)
{
	struct proc_dir_entry *dir;

	if (!IS_ENABLED(CONFIG_PROC_FS))
		return 0;
	dir = proc_net_mkdir(net, "mrc", net->proc_net);
	if (!dir)
		return -ENOMEM;
	if (proc_create_net_single("snmp", 0444, dir, mrc_mib_show, NULL))
		return 0;
	remove_proc_subtree("mrc", net->proc_net);
	return -ENOMEM;
}

/**
 * mrc_mib_init() - make the counters of a namespace
 * @mnet: namespace
 *
 * Context: Process.
 * Return: 0 or -ENOMEM.
 */
int mrc_mib_init(struct mrc_net *mnet)
{
	int err;

	mnet->mib = alloc_percpu_gfp(struct mrc_mib, GFP_KERNEL_ACCOUNT);
	if (!mnet->mib)
		return -ENOMEM;
	err = mrc_mib_proc_init(mnet->net);
	if (err)
		free_percpu(mnet->mib);
	return err;
}

/* What was made is gone: a warning here is a leak, and fails any self-test. */
static void mrc_mib_audit(const struct mrc_net *mnet)
{
	static const struct {
		unsigned int made, gone;
	} pairs[] = {
		{ MRC_MIB_SOCK_CREATED, MRC_MIB_SOCK_FREED },
		{ MRC_MIB_TIME_WAIT, MRC_MIB_TIME_WAIT_FREED },
		{ MRC_MIB_PEER_CREATED, MRC_MIB_PEER_FREED },
		{ MRC_MIB_PLANE_CREATED, MRC_MIB_PLANE_FREED },
	};
	unsigned long made, gone;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		made = mrc_mib_read(mnet, pairs[i].made);
		gone = mrc_mib_read(mnet, pairs[i].gone);
		WARN_ONCE(made != gone, "mrc: %s %lu, %s %lu",
			  mrc_mib_desc[pairs[i].made].name, made,
			  mrc_mib_desc[pairs[i].gone].name, gone);
	}
}

/**
 * mrc_mib_exit() - free the counters of a namespace
 * @mnet: namespace
 *
 * Audits them first: each object that was created must have been freed.
 *
 * Context: Process; nothing counts any more.
 */
void mrc_mib_exit(struct mrc_net *mnet)
{
	mrc_mib_audit(mnet);
	if (IS_ENABLED(CONFIG_PROC_FS))
		remove_proc_subtree("mrc", mnet->net->proc_net);
	free_percpu(mnet->mib);
}
