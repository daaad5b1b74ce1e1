// SPDX-License-Identifier: GPL-2.0
/*
 * sock_diag(7): the sockets of a namespace, for tools that ask all families in
 * the same way. Netlink family "mrc" says the same in its own words.
 */
#include <linux/mrc_diag.h>
#include <linux/sock_diag.h>

#include "diag.h"
#include "net.h"
#include "sock.h"

/**
 * struct mrc_diag_dump - one part of a dump
 * @skb: it
 * @cb: the dump
 * @req: what is asked for
 */
struct mrc_diag_dump {
	struct sk_buff			*skb;
	struct netlink_callback		*cb;
	const struct mrc_diag_req	*req;
};

static void mrc_sock_diag_fill(const struct mrc_diag *s,
			       const struct mrc_diag_dump *d,
			       struct mrc_diag_msg *msg)
{
	struct user_namespace *ns = sk_user_ns(NETLINK_CB(d->cb->skb).sk);

	*msg = (struct mrc_diag_msg) {
		.mdiag_family	= AF_MRC,
		.mdiag_type	= s->type,
		.mdiag_state	= s->info.mrc_info_state,
		.mdiag_shutdown	= s->shutdown,
		.mdiag_sport	= htons(s->lport),
		.mdiag_dport	= htons(s->rport),
		.mdiag_src	= s->local,
		.mdiag_dst	= s->remote,
		.mdiag_rqueue	= min_t(u64, s->rcvq, U32_MAX),
		.mdiag_wqueue	= min_t(u64, s->sndq, U32_MAX),
		.mdiag_uid	= from_kuid_munged(ns, s->uid),
		.mdiag_ino	= s->inode,
		.mdiag_cookie	= { s->cookie[0], s->cookie[1] },
	};
}

static int mrc_sock_diag_attrs(struct sk_buff *skb, const struct mrc_diag *s,
			       u32 show)
{
	if (show & BIT(MRC_DIAG_INFO - 1) &&
	    nla_put(skb, MRC_DIAG_INFO, sizeof(s->info), &s->info))
		return -EMSGSIZE;
	if (show & BIT(MRC_DIAG_CONG - 1) && *s->congestion &&
	    nla_put_string(skb, MRC_DIAG_CONG, s->congestion))
		return -EMSGSIZE;
	if (show & BIT(MRC_DIAG_WHY - 1) && s->why &&
	    nla_put_string(skb, MRC_DIAG_WHY, s->why))
		return -EMSGSIZE;
	return 0;
}

static int mrc_sock_diag_put(const struct mrc_diag *s, void *arg)
{
	const struct mrc_diag_dump *d = arg;
	struct mrc_diag_msg msg;
	struct nlmsghdr *nlh;

	if (!(d->req->mdiag_states & BIT(s->info.mrc_info_state)))
		return 0;
	nlh = nlmsg_put(d->skb, NETLINK_CB(d->cb->skb).portid,
			d->cb->nlh->nlmsg_seq, SOCK_DIAG_BY_FAMILY,
			sizeof(msg), NLM_F_MULTI);
	if (!nlh)
		return -EMSGSIZE;
	/* not aligned for addresses where it goes */
	mrc_sock_diag_fill(s, d, &msg);
	memcpy(nlmsg_data(nlh), &msg, sizeof(msg));
	if (mrc_sock_diag_attrs(d->skb, s, d->req->mdiag_show)) {
		nlmsg_cancel(d->skb, nlh);
		return -EMSGSIZE;
	}
	nlmsg_end(d->skb, nlh);
	return 0;
}

static int mrc_sock_diag_part(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct mrc_diag_dump d = {
		.skb = skb, .cb = cb, .req = nlmsg_data(cb->nlh),
	};
	unsigned long pos = cb->args[0];
	int err;

	err = mrc_diag_walk(mrc_net(sock_net(skb->sk)), &pos,
			    mrc_sock_diag_put, &d);
	cb->args[0] = pos;
	return skb->len ?: err;
}

static int mrc_sock_diag_request(struct sk_buff *skb, struct nlmsghdr *nlh)
{
	const struct mrc_diag_req *req = nlmsg_data(nlh);
	struct netlink_dump_control c = { .dump = mrc_sock_diag_part };

	if (nlmsg_len(nlh) < (int)sizeof(*req) || req->sdiag_protocol ||
	    req->mdiag_pad || req->mdiag_show >> MRC_DIAG_MAX)
		return -EINVAL;
	if (!(nlh->nlmsg_flags & NLM_F_DUMP))
		return -EOPNOTSUPP;
	return netlink_dump_start(sock_net(skb->sk)->diag_nlsk, skb, nlh, &c);
}

static const struct sock_diag_handler mrc_sock_diag_handler = {
	.owner	= THIS_MODULE,
	.family	= AF_MRC,
	.dump	= mrc_sock_diag_request,
};

int mrc_sock_diag_init(void)
{
	return sock_diag_register(&mrc_sock_diag_handler);
}

void mrc_sock_diag_exit(void)
{
	sock_diag_unregister(&mrc_sock_diag_handler);
}

MODULE_ALIAS_NET_PF_PROTO_TYPE(PF_NETLINK, NETLINK_SOCK_DIAG, AF_MRC);
