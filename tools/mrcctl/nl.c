// SPDX-License-Identifier: GPL-2.0
/*
 * Talking netlink: generic netlink to the module and rtnetlink to the rest of
 * the network stack, each over a socket that stays open for a whole batch.
 *
 * The functions return 0 or a negative errno and keep the kernel's own words
 * of an error for nl_report().
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/genetlink.h>

#include "mrcctl.h"

#define BUF_SIZE	65536

/**
 * struct channel - a netlink socket
 * @sock: opened on first use
 * @bus: NETLINK_*
 * @seq: of the last request
 */
struct channel {
	struct mnl_socket *sock;
	int bus;
	uint32_t seq;
};

static struct channel genl = { .bus = NETLINK_GENERIC };
static struct channel rtnl = { .bus = NETLINK_ROUTE };
static struct channel later = { .bus = NETLINK_GENERIC };	/* nl_ask() */
static struct channel *chan;	/* where the request is to go */

static uint16_t family_id;
static uint32_t events_group;

static char words[NL_WORDS_LEN];		/* extack text of the last error */
static char request[BUF_SIZE];
static char answer[BUF_SIZE];

static int channel_open(struct channel *c)
{
	int on = 1;

	if (c->sock)
		return 0;
	c->sock = mnl_socket_open2(c->bus, SOCK_CLOEXEC);
	if (!c->sock)
		return -errno;
	if (mnl_socket_bind(c->sock, 0, MNL_SOCKET_AUTOPID) < 0)
		return -errno;
	/* Kernels that lack them still answer, with fewer words. */
	mnl_socket_setsockopt(c->sock, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(c->sock, NETLINK_CAP_ACK, &on, sizeof(on));
	return 0;
}

static struct nlmsghdr *new_msg(uint16_t type, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(request);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	return nlh;
}

/**
 * nl_genl() - begin a request to the module
 * @cmd: MRC_CMD_*
 * @flags: NLM_F_* besides NLM_F_REQUEST
 *
 * The request lies in a static buffer; there is one at a time.
 *
 * Return: the request
 */
struct nlmsghdr *nl_genl(uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nlh = new_msg(0, flags);
	struct genlmsghdr *gh;

	chan = &genl;
	gh = mnl_nlmsg_put_extra_header(nlh, sizeof(*gh));
	gh->cmd = cmd;
	gh->version = MRC_FAMILY_VERSION;
	return nlh;
}

struct nlmsghdr *nl_rtnl(uint16_t type, uint16_t flags)
{
	chan = &rtnl;
	return new_msg(type, flags);
}

static int words_cb(const struct nlattr *attr, void *data)
{
	size_t len;

	if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG) {
		len = strnlen(mnl_attr_get_payload(attr),
			      mnl_attr_get_payload_len(attr));
		if (len >= sizeof(words))
			len = sizeof(words) - 1;
		memcpy(words, mnl_attr_get_payload(attr), len);
		words[len] = '\0';
	}
	return MNL_CB_OK;
}

/* An error with or without words, or the good news that there is none */
static int error_cb(const struct nlmsghdr *nlh, void *data)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t off = sizeof(*err);

	if (nlh->nlmsg_len < mnl_nlmsg_size(off)) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		off += mnl_nlmsg_get_payload_len(&err->msg);
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_parse(nlh, off, words_cb, NULL);
	if (!err->error)
		return MNL_CB_STOP;
	errno = -err->error;
	return MNL_CB_ERROR;
}

/* The end of a dump, whose payload is its error */
static int done_cb(const struct nlmsghdr *nlh, void *data)
{
	const int *err = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err) || *err >= 0)
		return MNL_CB_STOP;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_parse(nlh, sizeof(*err), words_cb, NULL);
	errno = -*err;
	return MNL_CB_ERROR;
}

/* libmnl wants it writable */
static mnl_cb_t control[NLMSG_MIN_TYPE] = {
	[NLMSG_ERROR]	= error_cb,
	[NLMSG_DONE]	= done_cb,
};

static int ignore_cb(const struct nlmsghdr *nlh, void *data)
{
	return MNL_CB_OK;
}

/*
 * Was a table changed while it was dumped? libmnl would stop in the middle of
 * the buffer, and nobody would read the rest.
 */
static bool take_interrupted(void *buf, int len)
{
	struct nlmsghdr *nlh = buf;
	bool interrupted = false;

	for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
			interrupted = true;
		nlh->nlmsg_flags &= ~NLM_F_DUMP_INTR;
	}
	return interrupted;
}

static int group_cb(const struct nlattr *attr, void *data)
{
	const struct nlattr *a;
	const char *name = "";
	uint32_t id = 0;

	mnl_attr_for_each_nested(a, attr) {
		if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GRP_NAME)
			name = mnl_attr_get_str(a);
		else if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GRP_ID)
			id = mnl_attr_get_u32(a);
	}
	if (!strcmp(name, MRC_MCGRP_EVENTS))
		events_group = id;
	return MNL_CB_OK;
}

static int family_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[CTRL_ATTR_MAX + 1];

	attr_parse(nlh, tb, CTRL_ATTR_MAX);
	family_id = attr_u32(tb, CTRL_ATTR_FAMILY_ID);
	if (tb[CTRL_ATTR_MCAST_GROUPS])
		mnl_attr_parse_nested(tb[CTRL_ATTR_MCAST_GROUPS], group_cb,
				      NULL);
	return MNL_CB_OK;
}

/* Sends a request and reads the answer to its end. */
static int talk(struct channel *c, struct nlmsghdr *nlh, nl_cb cb, void *data)
{
	bool interrupted = false;
	unsigned int port;
	ssize_t len;
	int ret;

	words[0] = '\0';
	ret = channel_open(c);
	if (ret)
		return ret;
	port = mnl_socket_get_portid(c->sock);
	nlh->nlmsg_seq = ++c->seq;
	if (mnl_socket_sendto(c->sock, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	do {
		len = mnl_socket_recvfrom(c->sock, answer, sizeof(answer));
		if (len < 0)
			return -errno;
		if (take_interrupted(answer, len))
			interrupted = true;
		ret = mnl_cb_run2(answer, len, c->seq, port,
				  cb ? cb : ignore_cb, data, control,
				  ARRAY_SIZE(control));
	} while (ret > MNL_CB_STOP);
	if (ret < 0)
		return -errno;
	return interrupted ? -EINTR : 0;
}

/* Finds the module, which the kernel loads if it can. */
static int find_family(void)
{
	char buf[256];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *gh;

	if (family_id)
		return 0;
	nlh->nlmsg_type = GENL_ID_CTRL;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	gh = mnl_nlmsg_put_extra_header(nlh, sizeof(*gh));
	gh->cmd = CTRL_CMD_GETFAMILY;
	gh->version = 1;
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, MRC_FAMILY_NAME);
	return talk(&genl, nlh, family_cb, NULL);
}

/* The same for a request whose family may not be known yet */
static int talk_any(struct nlmsghdr *nlh, nl_cb cb, void *data)
{
	struct channel *c = chan;
	int ret;

	if (c == &genl) {
		ret = find_family();
		if (ret)
			return ret;
		nlh->nlmsg_type = family_id;
	}
	return talk(c, nlh, cb, data);
}

/**
 * nl_talk() - send a request to the module or to rtnetlink
 * @nlh: made by nl_genl() or nl_rtnl()
 * @cb: called for each message of the answer, may be NULL
 * @data: for it
 *
 * Return: 0 or a negative errno
 */
int nl_talk(struct nlmsghdr *nlh, nl_cb cb, void *data)
{
	nlh->nlmsg_flags |= NLM_F_ACK;
	return talk_any(nlh, cb, data);
}

/**
 * nl_dump_msg() - read all objects of a kind, with a filter
 * @nlh: the request
 * @cb: called for each
 * @data: for it
 *
 * Return: 0 or a negative errno
 */
int nl_dump_msg(struct nlmsghdr *nlh, nl_cb cb, void *data)
{
	nlh->nlmsg_flags |= NLM_F_DUMP;
	return talk_any(nlh, cb, data);
}

int nl_dump(uint8_t cmd, nl_cb cb, void *data)
{
	return nl_dump_msg(nl_genl(cmd, 0), cb, data);
}

static int list_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nl_list *l = data;
	char *item;

	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 16;
		l->items = xrealloc(l->items, l->room, l->size);
	}
	item = (char *)l->items + l->n++ * l->size;
	memset(item, 0, l->size);
	l->parse(nlh, item);
	return MNL_CB_OK;
}

/**
 * nl_list() - read all objects of a kind into an array
 * @cmd: of their dump
 * @l: with parse and size set, all else 0
 *
 * Return: 0 or a negative errno
 */
int nl_list(uint8_t cmd, struct nl_list *l)
{
	return nl_dump(cmd, list_cb, l);
}

/**
 * nl_events() - read events for ever
 * @cb: called for each; NULL instead of a message tells that some were lost
 * @data: for it
 *
 * Return: a negative errno, or 0 when @cb returned MNL_CB_STOP
 */
int nl_events(nl_cb cb, void *data)
{
	struct channel c = { .bus = NETLINK_GENERIC };
	int ret;

	ret = find_family() ? : channel_open(&c);
	if (ret)
		return ret;
	if (mnl_socket_setsockopt(c.sock, NETLINK_ADD_MEMBERSHIP,
				  &events_group, sizeof(events_group)) < 0)
		goto err;
	for (;;) {
		ssize_t len = mnl_socket_recvfrom(c.sock, answer,
						  sizeof(answer));

		if (len < 0 && errno == ENOBUFS)
			ret = cb(NULL, data);
		else if (len < 0)
			goto err;
		else
			ret = mnl_cb_run2(answer, len, 0, 0, cb, data, control,
					  ARRAY_SIZE(control));
		if (ret < 0)
			goto err;
		if (ret == MNL_CB_STOP)
			break;
	}
	mnl_socket_close(c.sock);
	return 0;
err:
	ret = -errno;
	mnl_socket_close(c.sock);
	return ret;
}

/**
 * nl_ask() - send a request whose answer comes later
 * @nlh: made by nl_genl()
 * @seq: filled with its number, by which nl_hear() knows it
 *
 * Return: 0 or a negative errno
 */
int nl_ask(struct nlmsghdr *nlh, uint32_t *seq)
{
	int ret;

	ret = find_family() ? : channel_open(&later);
	if (ret)
		return ret;
	nlh->nlmsg_type = family_id;
	nlh->nlmsg_flags |= NLM_F_ACK;
	nlh->nlmsg_seq = ++later.seq;
	*seq = nlh->nlmsg_seq;
	if (mnl_socket_sendto(later.sock, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	return 0;
}

/**
 * nl_hear() - read what comes after nl_ask()
 * @wait_us: for so long at most, in microseconds
 * @cb: called for each answer; an acknowledgment has @nlh = NULL and what
 *	nl_talk() would have returned
 * @data: for it
 *
 * Return: 0 or a negative errno
 */
int nl_hear(uint64_t wait_us, nl_heard_cb cb, void *data)
{
	struct timespec ts = {
		.tv_sec = wait_us / 1000000,
		.tv_nsec = wait_us % 1000000 * 1000,
	};
	struct pollfd pfd = { .events = POLLIN };
	struct nlmsghdr *nlh = (struct nlmsghdr *)answer;
	ssize_t len;
	int left;

	pfd.fd = mnl_socket_get_fd(later.sock);
	if (ppoll(&pfd, 1, &ts, NULL) < 0)
		return -errno;
	if (!pfd.revents)
		return 0;
	len = mnl_socket_recvfrom(later.sock, answer, sizeof(answer));
	/* what did not fit has a time limit of its own */
	if (len < 0)
		return errno == ENOBUFS ? 0 : -errno;
	for (left = len; mnl_nlmsg_ok(nlh, left);
	     nlh = mnl_nlmsg_next(nlh, &left)) {
		words[0] = '\0';
		if (nlh->nlmsg_type != NLMSG_ERROR)
			cb(nlh->nlmsg_seq, 0, nlh, data);
		else if (error_cb(nlh, NULL) == MNL_CB_STOP)
			cb(nlh->nlmsg_seq, 0, NULL, data);
		else
			cb(nlh->nlmsg_seq, -errno, NULL, data);
	}
	return 0;
}

void nl_close(void)
{
	if (later.sock)
		mnl_socket_close(later.sock);
	later.sock = NULL;
	if (genl.sock)
		mnl_socket_close(genl.sock);
	if (rtnl.sock)
		mnl_socket_close(rtnl.sock);
	genl.sock = NULL;
	rtnl.sock = NULL;
}

/**
 * nl_words() - what the kernel said to an error
 * @ret: the errno returned
 *
 * Return: its extack text, else the text of the errno
 */
const char *nl_words(int ret)
{
	return words[0] ? words : strerror(-ret);
}

/* What the kernel said to a request that it has carried out, "" for nothing */
const char *nl_warning(void)
{
	return words;
}

/* Takes back the words of an error after a clean-up that talked, too. */
void nl_set_words(const char *text)
{
	snprintf(words, sizeof(words), "%s", text);
}

/**
 * nl_prefix() - put what an error is about before the kernel's words
 * @ret: the errno returned
 * @fmt: printf format
 *
 * Return: @ret
 */
int nl_prefix(int ret, const char *fmt, ...)
{
	char old[sizeof(words)];
	size_t len;
	va_list ap;

	snprintf(old, sizeof(old), "%s", nl_words(ret));
	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	len = strlen(words);
	snprintf(words + len, sizeof(words) - len, ": %.200s", old);
	return ret;
}

/**
 * nl_report() - print what nl_*() returned
 * @ret: 0 or a negative errno
 *
 * Return: an exit code
 */
int nl_report(int ret)
{
	if (!ret)
		return EX_DONE;
	if (!family_id && ret == -ENOENT)
		return err_fail("this kernel has no MRC: is the module mrc loaded?");
	if (ret == -EINTR)
		return err_fail("the table changed while it was read, the list may lack rows");
	return err_fail("%s", nl_words(ret));
}
