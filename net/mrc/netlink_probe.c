// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink: probes that an administrator asks for. The request is
 * acknowledged when the probe has left; what became of it follows as a message
 * of its own, with the number of the request, to nobody but who has asked.
 */
#include <linux/notifier.h>
#include <net/genetlink.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>

#include "net.h"
#include "netlink.h"
#include "netlink_gen.h"
#include "ping.h"

#define MRC_NL_PROBE_TIMEOUT	1000	/* ms */

int mrc_nl_probe_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_ping_req req = {
		.timeout_ms	= MRC_NL_PROBE_TIMEOUT,
		.portid		= info->snd_portid,
		.seq		= info->snd_seq,
	};
	bool loop = mrc_nl_has(info, MRC_A_PROBE_OUTER);

	if (loop == mrc_nl_has(info, MRC_A_PROBE_REMOTE)) {
		NL_SET_ERR_MSG(info->extack,
			       "A probe goes to a peer or around a loop");
		return -EINVAL;
	}
	if (mrc_nl_lacks(info, MRC_A_PROBE_PLANE, "Plane number") ||
	    (!loop && mrc_nl_lacks(info, MRC_A_PROBE_INDEX, "Path number")))
		return -EINVAL;
	mrc_nl_addr(info, MRC_A_PROBE_LOCAL, &req.local);
	mrc_nl_addr(info, MRC_A_PROBE_REMOTE, &req.remote);
	mrc_nl_addr(info, MRC_A_PROBE_OUTER, &req.outer);
	mrc_nl_addr(info, MRC_A_PROBE_VIA, &req.via);
	if (!loop && ipv6_addr_any(&req.remote)) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[MRC_A_PROBE_REMOTE],
				    "The unspecified address is no peer");
		return -EINVAL;
	}
	req.plane = mrc_nl_u32(info, MRC_A_PROBE_PLANE);
	req.k = mrc_nl_u32(info, MRC_A_PROBE_INDEX);
	if (mrc_nl_has(info, MRC_A_PROBE_TIMEOUT))
		req.timeout_ms = mrc_nl_u32(info, MRC_A_PROBE_TIMEOUT);
	return mrc_ping_send(mrc_nl_net(info), &req, info->extack);
}

static int mrc_nl_put_done(struct sk_buff *skb, const struct mrc_ping_req *req,
			   u64 rtt)
{
	int err = nla_put_u32(skb, MRC_A_PROBE_PLANE, req->plane);

	if (!err && ipv6_addr_any(&req->outer))
		err = nla_put_u32(skb, MRC_A_PROBE_INDEX, req->k);
	else if (!err)
		err = nla_put_in6_addr(skb, MRC_A_PROBE_OUTER, &req->outer);
	if (!err && rtt)
		err = nla_put_uint(skb, MRC_A_PROBE_RTT, rtt);
	return err;
}

/**
 * mrc_nl_probe_done() - tell who has asked what became of a probe
 * @mnet: namespace
 * @req: the request
 * @rtt: round-trip time in ns; 0 = no answer came in time
 *
 * Context: process or softirq, no lock held.
 */
void mrc_nl_probe_done(struct mrc_net *mnet, const struct mrc_ping_req *req,
		       u64 rtt)
{
	struct sk_buff *skb;
	void *hdr;

	rcu_read_lock();
	if (!mrc_nl_events_live())
		goto out;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	if (!skb)
		goto out;
	hdr = genlmsg_put(skb, req->portid, req->seq, &mrc_nl_family, 0,
			  MRC_CMD_PROBE_DONE);
	if (!hdr || WARN_ON_ONCE(mrc_nl_put_done(skb, req, rtt))) {
		nlmsg_free(skb);
		goto out;
	}
	genlmsg_end(skb, hdr);
	/* if its buffer is full it waits for its own time limit */
	genlmsg_unicast(mnet->net, skb, req->portid);
out:
	rcu_read_unlock();
}

/* Another socket may get the port number of one that is closed. */
static int mrc_nl_release(struct notifier_block *nb, unsigned long state,
			  void *data)
{
	const struct netlink_notify *n = data;

	if (state == NETLINK_URELEASE && n->protocol == NETLINK_GENERIC)
		mrc_ping_forget(mrc_net(n->net), n->portid);
	return NOTIFY_DONE;
}

static struct notifier_block mrc_nl_release_nb = {
	.notifier_call = mrc_nl_release,
};

/**
 * mrc_nl_probe_init() - watch sockets that close
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int __init mrc_nl_probe_init(void)
{
	return netlink_register_notifier(&mrc_nl_release_nb);
}

void mrc_nl_probe_exit(void)
{
	netlink_unregister_notifier(&mrc_nl_release_nb);
}
