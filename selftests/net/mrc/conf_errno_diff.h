/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For conf_errno.c: what differs from TCP, and why.
 */
#ifndef _MRC_CONF_ERRNO_DIFF_H
#define _MRC_CONF_ERRNO_DIFF_H

/**
 * struct diff - a difference that is explained
 * @call: pattern of fnmatch(3), with FNM_EXTMATCH
 * @cond: pattern
 * @mrc: what AF_MRC gives
 * @tcp: what TCP gives, a pattern
 * @why: a sentence for people who port a program
 */
static const struct diff {
	const char *call, *cond, *mrc, *tcp, *why;
} diffs[] = {
	{ "send(MSG_OOB)", "*", "EOPNOTSUPP", "*",
	  "There is no urgent data: the flag is refused in every state." },
	{ "recv(MSG_OOB)", "*", "EOPNOTSUPP", "*",
	  "Nor can any be read." },
	{ "SIOCATMARK", "*", "ENOTTY", "0",
	  "Without urgent data there is no mark that could be passed." },
	{ "SIOCOUTQ*", "@(refused|disconnected|pipe)", "0", "1",
	  "TCP counts what an ended connection never sends; here that is gone." },
	{ "connect()", "to itself", "ECONNREFUSED", "0",
	  "Simultaneous open is refused; this is the shortest way to one." },
	{ "@(send|recv)()", "unknown flag", "EOPNOTSUPP", "0",
	  "Nobody would do what an unknown flag asks for: it is refused." },
	{ "send()", "MSG_@(DONTROUTE|CONFIRM)", "EOPNOTSUPP", "0",
	  "So is one about routes and neighbours; TCP takes no notice." },
	{ "sendmsg()", "control message, unknown level", "EINVAL", "0",
	  "So is an unknown control message; TCP passes over other levels." },
	{ "sendmsg()", "SCM_RIGHTS", "EINVAL", "0",
	  "A descriptor does not cross a network; TCP drops it silently." },
	{ "setsockopt()", "SO_BINDTODEVICE", "EOPNOTSUPP", "0",
	  "A connection uses several devices; see MRC_EV_PROFILE." },
	{ "setsockopt()", "SO_REUSEPORT", "EOPNOTSUPP", "0",
	  "Of several listeners at one port only one would be served." },
};

#endif
