// SPDX-License-Identifier: GPL-2.0
/*
 * What mrcctl needs of the rest of the network stack: local routes for SIDs,
 * and for "mrcctl check" addresses and neighbours.
 *
 * Functions return 0 or a negative errno.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "mrcctl.h"

/* Marks our local routes, so that only those are deleted: 'm'. */
#define RTPROT_MRC	109

/* Solicitations go out once a second, three times. */
#define RESOLVE_MS	3500
#define MS_PER_SEC	1000
#define NS_PER_MS	1000000

#define NUD_USABLE	(NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | \
			 NUD_PERMANENT | NUD_NOARP)

static struct nlmsghdr *route_msg(uint16_t type, uint16_t flags,
				  const struct in6_addr *dst)
{
	struct nlmsghdr *nlh = nl_rtnl(type, flags);
	struct rtmsg *rtm;

	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = AF_INET6;
	rtm->rtm_dst_len = 128;
	put_addr(nlh, RTA_DST, dst);
	return nlh;
}

static int sid_route(uint16_t type, uint16_t flags,
		     const struct in6_addr *sid)
{
	struct nlmsghdr *nlh = route_msg(type, flags, sid);
	struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);

	rtm->rtm_table = RT_TABLE_LOCAL;
	rtm->rtm_type = RTN_LOCAL;
	rtm->rtm_protocol = RTPROT_MRC;
	mnl_attr_put_u32(nlh, RTA_OIF, if_nametoindex("lo"));
	return nl_talk(nlh, NULL, NULL);
}

static int type_cb(const struct nlmsghdr *nlh, void *data)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_type == RTM_NEWROUTE)
		*(bool *)data = rtm->rtm_type == RTN_LOCAL;
	return MNL_CB_OK;
}

/**
 * rtnl_is_local() - would a packet to an address be delivered here?
 * @addr: the address
 * @local: the answer
 */
int rtnl_is_local(const struct in6_addr *addr, bool *local)
{
	struct nlmsghdr *nlh = route_msg(RTM_GETROUTE, 0, addr);
	int ret;

	*local = false;
	ret = nl_talk(nlh, type_cb, local);
	/* no route at all is an answer too */
	return ret == -ENETUNREACH || ret == -EHOSTUNREACH ? 0 : ret;
}

/* Makes a SID local. Return: 1 done, 0 it is already, or a negative errno */
int rtnl_sid_add(const struct in6_addr *sid)
{
	bool local;
	int ret;

	ret = rtnl_is_local(sid, &local);
	if (ret || local)
		return ret;
	ret = sid_route(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, sid);
	return ret ? ret : 1;
}

/* Undoes rtnl_sid_add(). What others made local stays so. */
int rtnl_sid_del(const struct in6_addr *sid)
{
	return sid_route(RTM_DELROUTE, 0, sid);
}

struct addr_search {
	const struct in6_addr *addr;
	bool found;
};

static int addr_attr_cb(const struct nlattr *attr, void *data)
{
	struct addr_search *s = data;

	if (mnl_attr_get_type(attr) == IFA_ADDRESS &&
	    mnl_attr_get_payload_len(attr) == sizeof(*s->addr) &&
	    !memcmp(mnl_attr_get_payload(attr), s->addr, sizeof(*s->addr)))
		s->found = true;
	return MNL_CB_OK;
}

static int addr_cb(const struct nlmsghdr *nlh, void *data)
{
	mnl_attr_parse(nlh, sizeof(struct ifaddrmsg), addr_attr_cb, data);
	return MNL_CB_OK;
}

/**
 * rtnl_is_assigned() - is an address one of an interface?
 * @addr: the address
 * @assigned: the answer
 */
int rtnl_is_assigned(const struct in6_addr *addr, bool *assigned)
{
	struct nlmsghdr *nlh = nl_rtnl(RTM_GETADDR, 0);
	struct addr_search s = { .addr = addr };
	struct ifaddrmsg *ifa;
	int ret;

	ifa = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifa));
	ifa->ifa_family = AF_INET6;
	ret = nl_dump_msg(nlh, addr_cb, &s);
	*assigned = s.found;
	return ret;
}

static struct nlmsghdr *neigh_msg(uint16_t type, uint16_t flags,
				  uint32_t ifindex,
				  const struct in6_addr *addr)
{
	struct nlmsghdr *nlh = nl_rtnl(type, flags);
	struct ndmsg *ndm;

	ndm = mnl_nlmsg_put_extra_header(nlh, sizeof(*ndm));
	ndm->ndm_family = AF_INET6;
	ndm->ndm_ifindex = ifindex;
	put_addr(nlh, NDA_DST, addr);
	return nlh;
}

static int neigh_cb(const struct nlmsghdr *nlh, void *data)
{
	const struct ndmsg *ndm = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_type == RTM_NEWNEIGH)
		*(uint16_t *)data = ndm->ndm_state;
	return MNL_CB_OK;
}

/* NUD_NONE if there is no entry */
static int neigh_state(uint32_t ifindex, const struct in6_addr *addr,
		       uint16_t *state)
{
	int ret;

	*state = NUD_NONE;
	ret = nl_talk(neigh_msg(RTM_GETNEIGH, 0, ifindex, addr), neigh_cb,
		      state);
	return ret == -ENOENT ? 0 : ret;
}

/* Makes the kernel solicit, as if a packet were to be sent. */
static int neigh_use(uint32_t ifindex, const struct in6_addr *addr)
{
	struct nlmsghdr *nlh = neigh_msg(RTM_NEWNEIGH, NLM_F_CREATE, ifindex,
					 addr);
	struct ndmsg *ndm = mnl_nlmsg_get_payload(nlh);

	ndm->ndm_flags = NTF_USE;
	return nl_talk(nlh, NULL, NULL);
}

static bool neigh_settled(uint16_t state)
{
	return state & (NUD_USABLE | NUD_FAILED);
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * MS_PER_SEC + ts.tv_nsec / NS_PER_MS;
}

/* Waits until the entry is usable or has failed; looks after each change. */
static int neigh_wait(uint32_t ifindex, const struct in6_addr *addr,
		      uint16_t *state)
{
	struct mnl_socket *sock = mnl_socket_open2(NETLINK_ROUTE,
						   SOCK_CLOEXEC);
	struct pollfd pfd = { .events = POLLIN };
	long end = now_ms() + RESOLVE_MS;
	char buf[8192];
	long left;
	int ret;

	if (!sock)
		return -errno;
	pfd.fd = mnl_socket_get_fd(sock);
	ret = -EIO;
	if (mnl_socket_bind(sock, RTMGRP_NEIGH, MNL_SOCKET_AUTOPID) < 0)
		goto out;
	ret = neigh_use(ifindex, addr);
	while (!ret) {
		ret = neigh_state(ifindex, addr, state);
		if (ret || neigh_settled(*state))
			break;
		left = end - now_ms();
		if (left <= 0 || poll(&pfd, 1, left) <= 0)
			break;
		/* which change it was does not matter, we look again */
		(void)!mnl_socket_recvfrom(sock, buf, sizeof(buf));
	}
out:
	mnl_socket_close(sock);
	return ret;
}

/**
 * rtnl_resolve() - is a gateway's link-layer address known?
 * @ifindex: the device
 * @addr: the gateway
 * @state: NUD_* after the kernel has tried to find out
 * @words: the state in words
 *
 * A user without privileges sees the present state only.
 */
int rtnl_resolve(uint32_t ifindex, const struct in6_addr *addr,
		 uint16_t *state, const char **words)
{
	int ret;

	ret = neigh_state(ifindex, addr, state);
	if (!ret && !neigh_settled(*state)) {
		ret = neigh_wait(ifindex, addr, state);
		if (ret == -EPERM)
			ret = 0;
	}
	if (*state & NUD_USABLE) {
		*words = "resolved";
		*state = NUD_REACHABLE;
	} else if (*state & NUD_FAILED) {
		*words = "nobody answers for it";
	} else if (*state & NUD_INCOMPLETE) {
		*words = "no answer yet";
	} else {
		*words = "not tried yet";
	}
	return ret;
}
