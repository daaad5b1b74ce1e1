// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl sock: sockets of the namespace, as ss(8) shows those of TCP.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "mrcctl.h"

#define QPN_MIN	3
#define QPN_MAX	0xffffff

static const char help[] =
	"Usage: mrcctl sock [ show [ qpn QPN ] [ state STATE ] [ peer ADDRESS ] ]\n"
	"       mrcctl sock abort qpn QPN\n"
	"       mrcctl sock abort local [ADDRESS]:PORT peer [ADDRESS]:PORT\n"
	"STATE := { closed | listen | connecting | established | fin-sent | fin-done |\n"
	"           peer-fin | both-fin }\n";

static const struct out_field head_fields[] = {
	{ MRC_A_SOCK_SNDQ, OUT_NUM, "sndq", "sndq" },
	{ MRC_A_SOCK_RCVQ, OUT_NUM, "rcvq", "rcvq" },
	{ MRC_A_SOCK_QPN, OUT_NUM, "qpn", "qpn" },
	{ MRC_A_SOCK_PEER_QPN, OUT_NUM, "peer_qpn", "peer-qpn" },
	{ MRC_A_SOCK_PLANES, OUT_MASK, "planes", "planes" },
	{ MRC_A_SOCK_PLANES_GOOD, OUT_MASK, "planes_good", "good" },
	{ MRC_A_SOCK_RTT, OUT_TIME, "rtt_ns", "rtt", OUT_NONZERO },
	{ MRC_A_SOCK_ERROR, OUT_NUM, "error", "error", OUT_NONZERO },
	{ MRC_A_SOCK_REASON, OUT_STR, "reason", "reason" },
	{ MRC_A_SOCK_UID, OUT_NUM, "uid", "uid", OUT_DETAIL | OUT_NEWLINE },
	{ MRC_A_SOCK_INODE, OUT_NUM, "inode", "inode", OUT_DETAIL },
	{ MRC_A_SOCK_PACKET_SIZE, OUT_NUM, "packet_size", "packet-size",
	  OUT_DETAIL },
	{ MRC_A_SOCK_MAX_MSG, OUT_NUM, "max_msg", "max-msg", OUT_DETAIL },
	{ MRC_A_SOCK_ICRC, OUT_BOOL, "icrc", "icrc", OUT_DETAIL },
	{ MRC_A_SOCK_RTT_MIN, OUT_TIME, "rtt_min_ns", "rtt-min",
	  OUT_DETAIL | OUT_NONZERO },
	{ MRC_A_SOCK_SND_UNA, OUT_NUM, "snd_una", "snd-una",
	  OUT_DETAIL | OUT_NEWLINE },
	{ MRC_A_SOCK_SND_NXT, OUT_NUM, "snd_nxt", "snd-nxt", OUT_DETAIL },
	{ MRC_A_SOCK_RCV_NXT, OUT_NUM, "rcv_nxt", "rcv-nxt", OUT_DETAIL },
	{ MRC_A_SOCK_MPR, OUT_NUM, "mpr", "mpr", OUT_DETAIL },
	{ MRC_A_SOCK_SND_WND, OUT_NUM, "snd_wnd", "snd-wnd", OUT_DETAIL },
	{ MRC_A_SOCK_RCV_WND, OUT_NUM, "rcv_wnd", "rcv-wnd", OUT_DETAIL },
	{ MRC_A_SOCK_CWND, OUT_NUM, "cwnd", "cwnd", OUT_DETAIL },
	{ MRC_A_SOCK_INFLIGHT, OUT_NUM, "inflight", "inflight", OUT_DETAIL },
	{ MRC_A_SOCK_CONGESTION, OUT_STR, "congestion", "congestion",
	  OUT_DETAIL | OUT_NEWLINE },
	{ MRC_A_SOCK_CC_STATE, OUT_ENUM, "cc_state", "cc-state", OUT_DETAIL,
	  cc_states, CC_STATES },
	{ MRC_A_SOCK_CC_PENALTY, OUT_NUM, "cc_penalty", "penalty",
	  OUT_DETAIL | OUT_NONZERO },
	{ MRC_A_SOCK_PACKETS_SENT, OUT_NUM, "packets_sent", "sent packets",
	  OUT_STATS | OUT_NEWLINE },
	{ MRC_A_SOCK_BYTES_SENT, OUT_NUM, "bytes_sent", "bytes", OUT_STATS },
	{ MRC_A_SOCK_RETRANSMITS, OUT_NUM, "retransmits", "retransmits",
	  OUT_STATS },
	{ MRC_A_SOCK_UNDONE, OUT_NUM, "undone", "undone", OUT_STATS },
	{ MRC_A_SOCK_TIMEOUTS, OUT_NUM, "timeouts", "timeouts", OUT_STATS },
	{ MRC_A_SOCK_SACKS_RECEIVED, OUT_NUM, "sacks_received", "sacks",
	  OUT_STATS },
	{ MRC_A_SOCK_PACKETS_RECEIVED, OUT_NUM, "packets_received",
	  "received packets", OUT_STATS | OUT_NEWLINE },
	{ MRC_A_SOCK_BYTES_RECEIVED, OUT_NUM, "bytes_received", "bytes",
	  OUT_STATS },
	{ MRC_A_SOCK_DUPLICATES, OUT_NUM, "duplicates", "duplicates",
	  OUT_STATS },
	{ MRC_A_SOCK_OUT_OF_ORDER, OUT_NUM, "out_of_order", "out-of-order",
	  OUT_STATS },
	{ MRC_A_SOCK_SACKS_SENT, OUT_NUM, "sacks_sent", "sacks", OUT_STATS },
	{ }
};

struct filter {
	uint32_t qpn;
	bool has_state;
	uint32_t state;
	struct in6_addr peer;
};

/* One end of a connection: [ADDRESS]:PORT in text, two keys in JSON */
static void out_end(const char *key, const char *port_key,
		    const struct in6_addr *addr, uint32_t port)
{
	char buf[ADDR_LEN], text[ADDR_LEN + 16];

	addr_str(addr, buf);
	out_str(key, "", buf);
	out_num(port_key, "", port);
	snprintf(text, sizeof(text), "[%s]:%u", buf, port);
	out_str(NULL, NULL, text);
}

static bool filtered(const struct filter *f, struct nlattr **tb,
		     const struct in6_addr *remote)
{
	if (f->qpn && f->qpn != attr_u32(tb, MRC_A_SOCK_QPN))
		return true;
	if (f->has_state && f->state != attr_u32(tb, MRC_A_SOCK_STATE))
		return true;
	return !addr_any(&f->peer) && !addr_eq(&f->peer, remote);
}

static int show_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_SOCK_MAX + 1];
	const struct sock_user *users;
	struct in6_addr local, remote;
	size_t n;

	attr_parse(nlh, tb, MRC_A_SOCK_MAX);
	attr_addr(tb, MRC_A_SOCK_LOCAL, &local);
	attr_addr(tb, MRC_A_SOCK_REMOTE, &remote);
	if (filtered(data, tb, &remote))
		return MNL_CB_OK;
	out_rec_begin();
	out_str("type", NULL, attr_u32(tb, MRC_A_SOCK_TYPE) == SOCK_SEQPACKET ?
			      "seqpacket" : "stream");
	out_str("state", NULL, name_of(sock_states, SOCK_STATES,
				       attr_u32(tb, MRC_A_SOCK_STATE)));
	out_end("local", "local_port", &local,
		attr_u32(tb, MRC_A_SOCK_LOCAL_PORT));
	out_end("peer", "peer_port", &remote,
		attr_u32(tb, MRC_A_SOCK_REMOTE_PORT));
	users = users_of(attr_uint(tb[MRC_A_SOCK_INODE]), &n);
	out_users("users", users, n);
	out_fields(head_fields, tb);
	out_rec_end();
	return MNL_CB_OK;
}

static int parse_qpn(struct args *args, uint32_t *qpn)
{
	const char *word;

	return need_arg(args, "QPN", &word) ? :
	       parse_u32(word, QPN_MIN, QPN_MAX, qpn);
}

static int sock_show(struct args *args)
{
	struct filter f = { };
	const char *word;
	int ret = EX_DONE;

	while (args->argc && !ret) {
		if (take_word(args, "qpn")) {
			ret = parse_qpn(args, &f.qpn);
		} else if (take_word(args, "state")) {
			f.has_state = true;
			ret = need_arg(args, "state", &word) ? :
			      parse_enum(word, sock_states, SOCK_STATES,
					 &f.state);
		} else if (take_word(args, "peer")) {
			ret = need_arg(args, "address", &word) ? :
			      parse_addr(word, &f.peer);
		} else {
			ret = no_more_args(args);
		}
	}
	if (ret)
		return ret;
	users_scan();
	out_list_begin();
	ret = nl_dump(MRC_CMD_SOCK_GET, show_cb, &f);
	out_list_end();
	return nl_report(ret);
}

static int parse_ends(struct args *args, struct nlmsghdr *nlh)
{
	struct in6_addr local, remote;
	uint32_t lport, rport;
	const char *word;

	if (!take_word(args, "local"))
		return err_usage("qpn or local is missing");
	if (need_arg(args, "local end", &word) ||
	    parse_endpoint(word, &local, &lport))
		return EX_USAGE_ERR;
	if (!take_word(args, "peer"))
		return err_usage("peer is missing");
	if (need_arg(args, "peer's end", &word) ||
	    parse_endpoint(word, &remote, &rport))
		return EX_USAGE_ERR;
	put_addr(nlh, MRC_A_SOCK_LOCAL, &local);
	mnl_attr_put_u32(nlh, MRC_A_SOCK_LOCAL_PORT, lport);
	put_addr(nlh, MRC_A_SOCK_REMOTE, &remote);
	mnl_attr_put_u32(nlh, MRC_A_SOCK_REMOTE_PORT, rport);
	return EX_DONE;
}

static int sock_abort(struct args *args)
{
	struct nlmsghdr *nlh = nl_genl(MRC_CMD_SOCK_ABORT, 0);
	uint32_t qpn;

	if (take_word(args, "qpn")) {
		if (parse_qpn(args, &qpn))
			return EX_USAGE_ERR;
		mnl_attr_put_u32(nlh, MRC_A_SOCK_QPN, qpn);
	} else if (parse_ends(args, nlh)) {
		return EX_USAGE_ERR;
	}
	if (no_more_args(args))
		return EX_USAGE_ERR;
	return nl_report(nl_talk(nlh, NULL, NULL));
}

static int sock_help(struct args *args)
{
	return usage(help);
}

int sock_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	sock_show },
		{ "list",	sock_show },
		{ "abort",	sock_abort },
		{ "help",	sock_help },
		{ }
	};

	return run_verb("sock", verbs, args);
}
