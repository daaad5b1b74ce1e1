// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a source route with a segment routing header.
 *
 * IPv6 takes such a header off by itself and shows the inner packet to the
 * plain ways of input: the mark of the outer header is lost, and it does so
 * only where seg6_enabled is set. So packets for a segment id of ours are
 * taken before that, where netfilter looks at what is addressed to this host,
 * after everybody else there. What does not hold a packet of MRC goes on.
 */
#include <linux/netfilter_ipv6.h>
#include <net/addrconf.h>
#include <net/ipv6.h>

#include "input.h"
#include "plane.h"

/* Does the administrator ask for authentication, which MRC does not have? */
static bool mrc_srh_wants_hmac(const struct net_device *dev)
{
#ifdef CONFIG_IPV6_SEG6_HMAC
	const struct inet6_dev *idev = __in6_dev_get(dev);

	return idev && READ_ONCE(idev->cnf.seg6_require_hmac) > 0;
#else
	return false;
#endif
}

/* Bytes from the outer header, at skb->data, to the inner one. Return: those;
 * 0 if it is not for us; -EINVAL if the header contradicts itself.
 */
static int mrc_srh_find(struct mrc_net *mnet, struct sk_buff *skb)
{
	const unsigned int off = sizeof(struct ipv6hdr);
	const struct mrc_plane *plane;
	int len;

	if (!pskb_may_pull(skb, off + MRC_SRV6_SRH_FIXED))
		return 0;
	len = mrc_srv6_srh_len(skb->data + off);
	if (!len || mrc_srh_wants_hmac(skb->dev))
		return 0;
	plane = mrc_plane_by_ifindex(mnet, inet6_iif(skb));
	if (!plane ||
	    !mrc_plane_sid_is_ours(mnet, plane, &ipv6_hdr(skb)->daddr))
		return 0;
	if (len < 0)
		return len;
	return pskb_may_pull(skb, off + len + sizeof(struct ipv6hdr)) ?
	       off + len : 0;
}

/* Hook: skb->data is the outer header. Context: softirq, RCU. */
static unsigned int mrc_srh_hook(void *priv, struct sk_buff *skb,
				 const struct nf_hook_state *state)
{
	struct mrc_net *mnet = priv;
	int len;

	if (likely(ipv6_hdr(skb)->nexthdr != NEXTHDR_ROUTING))
		return NF_ACCEPT;
	len = mrc_srh_find(mnet, skb);
	if (len < 0) {
		mrc_input_drop(mnet, skb, MRC_DROP_SRH);
		return NF_STOLEN;
	}
	if (!len)
		return NF_ACCEPT;
	__skb_pull(skb, len);
	if (!mrc_input_tunnel(mnet, skb, len)) {
		MRC_INC(mnet, IN_SRH);
		return NF_STOLEN;
	}
	__skb_push(skb, len);
	return NF_ACCEPT;
}

static const struct nf_hook_ops mrc_srh_ops = {
	.hook		= mrc_srh_hook,
	.pf		= NFPROTO_IPV6,
	.hooknum	= NF_INET_LOCAL_IN,
	.priority	= INT_MAX,
};

/**
 * mrc_srh_open() - begin to look for segment routing headers
 * @mnet: namespace
 *
 * Context: Process, conf_lock held.
 * Return: 0 or a negative errno.
 */
int mrc_srh_open(struct mrc_net *mnet)
{
	lockdep_assert_held(&mnet->conf_lock);
	mnet->srh = mrc_srh_ops;
	mnet->srh.priv = mnet;
	return nf_register_net_hook(mnet->net, &mnet->srh);
}

/**
 * mrc_srh_close() - look for them no more
 * @mnet: namespace
 *
 * Context: Process, conf_lock held. Waits for packets that are on their way.
 */
void mrc_srh_close(struct mrc_net *mnet)
{
	lockdep_assert_held(&mnet->conf_lock);
	nf_unregister_net_hook(mnet->net, &mnet->srh);
	synchronize_net();
}
