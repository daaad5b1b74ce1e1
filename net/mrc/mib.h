/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MRC counters and drop reasons: one counter per decision.
 *
 * One list names every reason for which a packet is refused; the same list
 * feeds the MIB ("Drop<Name>" in /proc/net/mrc/snmp and over netlink), the
 * tracepoint mrc_drop and the parsers, which return -MRC_DROP_<NAME>.
 */
#ifndef _NET_MRC_MIB_H
#define _NET_MRC_MIB_H

#ifdef __KERNEL__
#include <linux/percpu.h>
#include <linux/types.h>
#endif

/* X(enumerator, MIB name, one line for people) */
#define MRC_DROP_LIST(X)						\
	X(SHORT,	"Short",	"packet ends inside a header")	\
	X(OPCODE,	"Opcode",	"unknown opcode")		\
	X(TVER,		"Tver",		"BTH transport version not 0")	\
	X(PAD,		"Pad",		"pad count contradicts the length") \
	X(LEN,		"Len",		"length does not fit the headers") \
	X(DMALEN,	"Dmalen",	"DMALen does not fit the payload") \
	X(PKEY,		"Pkey",		"partition key is not the default") \
	X(PSN_DIFF,	"PsnDiff",	"BTH and control header name two PSNs") \
	X(TYPE,		"Type",		"header type not 0")		\
	X(NXT,		"Nxt",		"unknown next-header code")	\
	X(SACK_M,	"SackM",	"SACK with m = 3")		\
	X(OP,		"Op",		"Endpoint message with op 2-3")	\
	X(FTYPE,	"Ftype",	"timestamp format not 1")	\
	X(CC_TYPE,	"CcType",	"unknown congestion-control type") \
	X(REASON,	"Reason",	"unknown NACK reason")		\
	X(SYNDROME,	"Syndrome",	"AETH is not a NAK we know")	\
	X(IMM,		"Imm",		"immediate with unknown bits")	\
	X(ICRC,		"Icrc",		"invariant CRC does not match")	\
	X(CSUM,		"Csum",		"UDP checksum does not match")	\
	X(CM_VERSION,	"CmVersion",	"CM version not ours")		\
	X(CM_TYPE,	"CmType",	"unknown CM message type")	\
	X(CM_LEN,	"CmLen",	"CM length contradicts the packet") \
	X(CM_TLV,	"CmTlv",	"CM TLV truncated or misplaced") \
	X(CM_TLV_LEN,	"CmTlvLen",	"CM TLV of a wrong length")	\
	X(CM_TLV_DUP,	"CmTlvDup",	"CM TLV given twice")		\
	X(CM_TLV_VALUE,	"CmTlvValue",	"CM TLV value out of range")	\
	X(CM_TLV_UNKNOWN, "CmTlvUnknown", "unknown mandatory CM TLV")	\
	X(CM_TLV_MISSING, "CmTlvMissing", "CM TLV missing for this type") \
	X(CM_TOKEN,	"CmToken",	"CM token matches nothing")	\
	X(CM_PAD,	"CmPad",	"REQ shorter than its answer")	\
	X(CM_COOKIE,	"CmCookie",	"stateless cookie is wrong or old") \
	X(CM_STATE,	"CmState",	"CM message not expected now")	\
	X(NO_NODE,	"NoNode",	"inner destination is not our node") \
	X(NO_PLANE,	"NoPlane",	"arrived on no plane")		\
	X(SADDR,	"Saddr",	"source is not another node's address") \
	X(SRH,		"Srh",		"segment routing header contradicts itself") \
	X(EXTHDR,	"Exthdr",	"extension header before UDP")	\
	X(ECN,		"Ecn",		"outer CE, but inner not ECN capable") \
	X(POLICY,	"Policy",	"refused by an IPsec policy")	\
	X(TRIM,		"Trim",		"trimmed, and not a data packet")	\
	X(SEGS,		"Segs",		"more packets in an skb than anyone sends") \
	X(QP,		"Qp",		"no such QP")			\
	X(ADDR,		"Addr",		"addresses are not this QP's")	\
	X(RKEY,		"Rkey",		"R_Key is not this QP's")	\
	X(KEY,		"Key",		"control key is not this QP's")	\
	X(PSN_ABOVE,	"PsnAbove",	"PSN above the window")		\
	X(VA_WINDOW,	"VaWindow",	"VA outside the window")	\
	X(VA_ORDER,	"VaOrder",	"VA contradicts the PSN order")	\
	X(DUP,		"Dup",		"data received before")		\
	X(SACK_UNSENT,	"SackUnsent",	"SACK covers what was never sent") \
	X(SACK_RENEGE,	"SackRenege",	"SACK takes back what it acknowledged") \
	X(SACK_WINDOW,	"SackWindow",	"SACK with an implausible window") \
	X(NACK_UNSENT,	"NackUnsent",	"NACK for what is not outstanding") \
	X(PROBE_ID,	"ProbeId",	"answer to no probe of ours")	\
	X(MSG,		"Msg",		"message too long or out of shape") \
	X(OP_TYPE,	"OpType",	"opcode not of this socket type") \
	X(FIN,		"Fin",		"data or FIN after the end of stream") \
	X(RCVBUF,	"Rcvbuf",	"receive memory exhausted")	\
	X(QUEUE,	"Queue",	"input queue of a busy socket is full") \
	X(NOMEM,	"Nomem",	"no memory")			\
	X(CLOSED,	"Closed",	"connection is closed")		\
	X(RATE,		"Rate",		"answer suppressed by a rate limit") \
	X(BACKLOG,	"Backlog",	"listener's queue is full")	\
	X(ENDPOINT,	"Endpoint",	"Endpoint message of an unknown peer") \
	X(GONE,		"Gone",		"GONE that matches nothing outstanding")

#define MRC_X(e, name, text) MRC_DROP_##e,
enum mrc_drop {
	MRC_DROP_NONE,
	MRC_DROP_LIST(MRC_X)
	__MRC_DROP_MAX
};
#undef MRC_X

#define MRC_MIB_LIST(X)							\
	/* sockets and connection management */				\
	X(CURR_ESTAB,	"CurrEstab",	"connections established now")	\
	X(SOCK_CREATED,	"SockCreated",	"sockets created")		\
	X(SOCK_FREED,	"SockFreed",	"sockets destroyed")		\
	X(ACTIVE_OPEN,	"ActiveOpen",	"connects begun")		\
	X(PASSIVE_OPEN,	"PassiveOpen",	"connections accepted by a listener") \
	X(CONN_FAILED,	"ConnFailed",	"connects that failed")		\
	X(CONN_ABORTED,	"ConnAborted",	"connections ended by an error") \
	X(CONN_RETRIES,	"ConnRetries",	"connections out of retry budget") \
	X(CM_REQ_ROUNDS, "CmReqRounds",	"rounds of REQ sent")		\
	X(CM_REQ_OUT,	"CmReqOut",	"REQ sent, each plane's counted") \
	X(CM_REQ_IN,	"CmReqIn",	"REQ received")			\
	X(CM_REQ_DUP,	"CmReqDup",	"REQ received again for the same token") \
	X(CM_REP_OUT,	"CmRepOut",	"REP sent")			\
	X(CM_REP_IN,	"CmRepIn",	"REP received")			\
	X(CM_RTU_OUT,	"CmRtuOut",	"RTU sent")			\
	X(CM_RTU_IN,	"CmRtuIn",	"RTU received")			\
	X(CM_REJ_OUT,	"CmRejOut",	"REJ sent")			\
	X(CM_REJ_IN,	"CmRejIn",	"REJ received")			\
	X(CM_ABORT_OUT,	"CmAbortOut",	"ABORT sent")			\
	X(CM_ABORT_IN,	"CmAbortIn",	"ABORT received and believed")	\
	X(CM_GONE_OUT,	"CmGoneOut",	"GONE sent")			\
	X(CM_GONE_IN,	"CmGoneIn",	"GONE received and believed")	\
	X(CM_COOKIE_OUT, "CmCookieOut",	"REQ answered by a stateless cookie") \
	X(CM_COOKIE_OK,	"CmCookieOk",	"REQ that returned a good cookie") \
	X(CM_REQ_EVICTED, "CmReqEvicted", "half-open request dropped for a newer") \
	X(CM_REQ_TIMEOUT, "CmReqTimeout", "half-open request timed out") \
	X(TIME_WAIT,	"TimeWait",	"time-wait entries made")	\
	X(TIME_WAIT_FREED, "TimeWaitFreed", "time-wait entries gone")	\
	X(ORPHANS,	"Orphans",	"closed sockets that still sent")	\
	/* requester */							\
	X(DATA_OUT,	"DataOut",	"data packets sent, first time")	\
	X(DATA_OUT_BYTES, "DataOutBytes", "payload bytes sent, first time") \
	X(BURST_OUT,	"BurstOut",	"bursts handed to a plane")	\
	X(RTX_OUT,	"RtxOut",	"data packets sent again")	\
	X(RTX_AGAIN,	"RtxAgain",	"of these, sent again before")	\
	X(RTX_SACK,	"RtxSack",	"packets lost by SACK, path order") \
	X(RTX_TIME,	"RtxTime",	"packets lost by the time rule")	\
	X(RTX_TIMEOUT,	"RtxTimeout",	"packets lost by retransmission timeout") \
	X(RTX_NACK,	"RtxNack",	"packets lost by NACK")		\
	X(RTX_PLANE,	"RtxPlane",	"packets lost with their plane")	\
	X(RTX_LOCAL,	"RtxLocal",	"packets dropped locally and re-queued") \
	X(RTX_UNDO,	"RtxUndo",	"packets called lost that arrived late") \
	X(TIMEOUTS,	"Timeouts",	"retransmission timeouts")	\
	X(SACK_IN,	"SackIn",	"SACK accepted")		\
	X(NACK_IN,	"NackIn",	"NACK accepted")		\
	X(NACK_IN_TRIM,	"NackInTrim",	"of these, for trimmed packets")	\
	X(NACK_LATE,	"NackLate",	"NACK for trims that were taken for losses") \
	X(NAK_IN,	"NakIn",	"transport NAK accepted: fatal")	\
	X(PROBE_OUT,	"ProbeOut",	"reliability probes sent")	\
	X(PROBE_OUT_TAIL, "ProbeOutTail", "probes sent for a silent tail") \
	X(PROBE_OUT_WINDOW, "ProbeOutWindow", "probes sent into a closed window") \
	X(PROBE_OUT_KEEP, "ProbeOutKeep", "keepalive probes sent")	\
	X(PROBE_ANSWERED, "ProbeAnswered", "reliability probes answered")	\
	X(WAIT_WINDOW,	"WaitWindow",	"sender stopped by the receive window") \
	X(WAIT_MPR,	"WaitMpr",	"sender stopped by the PSN range")	\
	X(WAIT_CWND,	"WaitCwnd",	"sender stopped by congestion control") \
	X(WAIT_SMALL,	"WaitSmall",	"last packets that waited for more bytes") \
	X(WAIT_ROOM,	"WaitRoom",	"sender stopped: no plane has room") \
	/* responder */							\
	X(DATA_IN,	"DataIn",	"data packets accepted, each once")	\
	X(DATA_IN_BYTES, "DataInBytes",	"payload bytes accepted, each once") \
	X(BURST_IN,	"BurstIn",	"skbs with data received")	\
	X(OOO_IN,	"OooIn",	"data packets ahead of a gap")	\
	X(CE_IN,	"CeIn",		"data packets that arrived marked CE") \
	X(RTX_IN,	"RtxIn",	"data packets that arrived as retransmissions") \
	X(SACK_OUT,	"SackOut",	"SACK sent")			\
	X(NACK_OUT,	"NackOut",	"NACK sent")			\
	X(PENALTY_OUT,	"PenaltyOut",	"SACK that ask the peer to slow down") \
	X(ALWAYS_SKIP,	"AlwaysSkip",	"SACK that call the peer's path bad")	\
	X(PROBE_IN,	"ProbeIn",	"reliability probes received")	\
	X(WINDOW_OPEN,	"WindowOpen",	"SACK sent because the window grew") \
	X(COALESCED,	"Coalesced",	"small packets copied together")	\
	/* paths */							\
	X(PLANE_DOWN,	"PlaneDown",	"planes that left")		\
	X(PLANE_UP,	"PlaneUp",	"planes that came back")		\
	X(PLANE_SUSPECT, "PlaneSuspect", "planes left because several paths lost") \
	X(PLANE_MISCABLED, "PlaneMiscabled", "packets on another plane than their EV's") \
	X(PATH_BAD,	"PathBad",	"paths that left")		\
	X(PATH_GOOD,	"PathGood",	"paths that came back")		\
	X(PATH_SKIP,	"PathSkip",	"turns skipped after a mark or a trim") \
	X(PATH_KEPT,	"PathKept",	"last good paths probed in use instead") \
	X(PATH_DENY,	"PathDeny",	"paths denied by a controller")	\
	X(PATH_ALLOW,	"PathAllow",	"denials taken back")		\
	X(PATH_SET,	"PathSet",	"requests that set the state of paths") \
	X(PATH_UNDO,	"PathUndo",	"paths restored after a late arrival")	\
	X(EP_REQ_OUT,	"EpReqOut",	"EV probes sent")		\
	X(EP_REQ_IN,	"EpReqIn",	"EV probes received")		\
	X(EP_RSP_OUT,	"EpRspOut",	"EV probes answered")		\
	X(EP_RSP_IN,	"EpRspIn",	"EV probe answers accepted")	\
	X(EP_REV,	"EpRev",	"ways back that were probed")	\
	X(EP_LOST,	"EpLost",	"EV probes without an answer")	\
	X(PING_OUT,	"PingOut",	"EV probes sent for an administrator") \
	X(PING_IN,	"PingIn",	"of these, answered or back from a loop") \
	X(PING_LOST,	"PingLost",	"of these, without an answer in time") \
	X(EP_PORT_OUT,	"EpPortOut",	"port status updates sent")	\
	X(EP_PORT_IN,	"EpPortIn",	"port status updates received")	\
	X(ICMP_IN,	"IcmpIn",	"ICMP errors about packets of ours")	\
	X(ICMP_PROBE,	"IcmpProbe",	"paths probed because of one")	\
	X(PEER_CREATED,	"PeerCreated",	"peers created")		\
	X(PEER_FREED,	"PeerFreed",	"peers freed")			\
	X(PLANE_CREATED, "PlaneCreated", "planes created")		\
	X(PLANE_FREED,	"PlaneFreed",	"planes freed")			\
	X(OUT_PKTS,	"OutPkts",	"packets handed to netdevs")	\
	X(OUT_DROPS,	"OutDrops",	"bursts dropped below us, locally")	\
	X(OUT_NO_PLANE,	"OutNoPlane",	"bursts refused: plane dead")	\
	X(OUT_REFUSED,	"OutRefused",	"bursts refused below us, as if lost") \
	X(OUT_FRAG,	"OutFrag",	"packets above the MTU, left to be fragmented") \
	X(IN_SKBS,	"InSkbs",	"skbs claimed by MRC")		\
	X(IN_PKTS,	"InPkts",	"packets claimed by MRC")	\
	X(IN_SRV6,	"InSrv6",	"skbs decapsulated from SRv6")	\
	X(IN_SRH,	"InSrh",	"of these, with a segment routing header") \
	X(IN_PLAIN,	"InPlain",	"skbs from plain UDP")		\
	X(TRIM_IN,	"TrimIn",	"data packets that arrived trimmed")	\
	X(TRIM_EARLY,	"TrimEarly",	"trimmed skbs taken ahead of IPv6")	\
	X(IN_SPLIT,	"InSplit",	"skbs cut up: packets of several QPs") \
	X(NO_RETURN,	"NoReturn",	"answers that found no route back")

#define MRC_X(e, name, text) MRC_MIB_##e,
enum mrc_mib_item {
	MRC_MIB_LIST(MRC_X)
	MRC_MIB_DROP,	/* + enum mrc_drop */
	__MRC_MIB_MAX = MRC_MIB_DROP + __MRC_DROP_MAX
};
#undef MRC_X

#ifdef __KERNEL__
struct mrc_mib {
	unsigned long mibs[__MRC_MIB_MAX];
};

/* One name and one line of text per counter; [i] is enum mrc_mib_item. */
struct mrc_mib_desc {
	const char *name;
	const char *text;
};

extern const struct mrc_mib_desc mrc_mib_desc[__MRC_MIB_MAX];

#define MRC_ADD(mnet, item, n)	\
	this_cpu_add((mnet)->mib->mibs[MRC_MIB_##item], (n))
/* Not by way of MRC_ADD(), or a kernel macro TIME_WAIT would be expanded. */
#define MRC_INC(mnet, item)	\
	this_cpu_inc((mnet)->mib->mibs[MRC_MIB_##item])
#define MRC_DEC(mnet, item)	\
	this_cpu_dec((mnet)->mib->mibs[MRC_MIB_##item])

struct mrc_net;
struct seq_file;

/* Sums one counter over all CPUs. */
unsigned long mrc_mib_read(const struct mrc_net *mnet, unsigned int item);
/* Name of a drop reason, for tracepoints and logs. */
const char *mrc_drop_name(enum mrc_drop reason);
/* Counts a dropped packet under its reason (its absolute value is taken). */
void mrc_mib_drop(struct mrc_net *mnet, int reason);
int mrc_mib_init(struct mrc_net *mnet);
void mrc_mib_exit(struct mrc_net *mnet);
#endif /* __KERNEL__ */
#endif
