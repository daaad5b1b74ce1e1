// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl monitor: events as they happen, one per line, in JSON as well.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <linux/genetlink.h>

#include "mrcctl.h"

#define NSEC_PER_USEC	1000
#define USEC_PER_SEC	1000000ULL

static const char help[] =
	"Usage: mrcctl monitor [ EVENT... ]\n"
	"EVENT := { plane-up | plane-down | path-bad | path-good | conn-failed |\n"
	"           no-return-route | miscabled }\n";

struct event_name {
	uint8_t cmd;
	const char *name;
};

static const struct event_name event_names[] = {
	{ MRC_CMD_PLANE_UP,		"plane-up" },
	{ MRC_CMD_PLANE_DOWN,		"plane-down" },
	{ MRC_CMD_PATH_BAD,		"path-bad" },
	{ MRC_CMD_PATH_GOOD,		"path-good" },
	{ MRC_CMD_CONN_FAILED,		"conn-failed" },
	{ MRC_CMD_NO_RETURN_ROUTE,	"no-return-route" },
	{ MRC_CMD_MISCABLED,		"miscabled" },
};

static const struct out_field event_fields[] = {
	{ MRC_A_EVENT_REMOTE, OUT_ADDR, "peer", "peer" },
	{ MRC_A_EVENT_REMOTE_PORT, OUT_NUM, "peer_port", "port" },
	{ MRC_A_EVENT_LOCAL, OUT_ADDR, "local", "local" },
	{ MRC_A_EVENT_LOCAL_PORT, OUT_NUM, "local_port", "port" },
	{ MRC_A_EVENT_QPN, OUT_NUM, "qpn", "qpn" },
	{ MRC_A_EVENT_PLANE, OUT_NUM, "plane", "plane" },
	{ MRC_A_EVENT_SENDER_PLANE, OUT_NUM, "sender_plane", "sent-on" },
	{ MRC_A_EVENT_PATH, OUT_NUM, "path", "path" },
	{ MRC_A_EVENT_IFNAME, OUT_STR, "dev", "dev" },
	{ MRC_A_EVENT_IFINDEX, OUT_NUM, "ifindex", "ifindex", OUT_DETAIL },
	{ MRC_A_EVENT_STATE, OUT_ENUM, "state", "state", 0,
	  plane_states, PLANE_STATES },
	{ MRC_A_EVENT_PATH_STATE, OUT_ENUM, "path_state", "state", 0,
	  path_states, PATH_STATES },
	{ MRC_A_EVENT_EVS, OUT_NUM, "evs", "evs" },
	{ MRC_A_EVENT_TX_PACKETS, OUT_NUM, "tx_packets", "tx packets" },
	{ MRC_A_EVENT_TX_DATA, OUT_NUM, "tx_data", "data" },
	{ MRC_A_EVENT_TX_DROPS, OUT_NUM, "tx_drops", "drops" },
	{ MRC_A_EVENT_RX_PACKETS, OUT_NUM, "rx_packets", "rx packets" },
	{ MRC_A_EVENT_RX_DATA, OUT_NUM, "rx_data", "data" },
	{ MRC_A_EVENT_SENT, OUT_NUM, "sent", "sent" },
	{ MRC_A_EVENT_ACKED, OUT_NUM, "acked", "acked" },
	{ MRC_A_EVENT_MARKED, OUT_NUM, "marked", "marked" },
	{ MRC_A_EVENT_TRIMMED, OUT_NUM, "trimmed", "trimmed" },
	{ MRC_A_EVENT_LOST, OUT_NUM, "lost", "lost" },
	{ MRC_A_EVENT_ERROR, OUT_NUM, "error", "", OUT_JSON_ONLY },
	{ MRC_A_EVENT_WHY, OUT_STR, "why", "", OUT_JSON_ONLY },
	{ }
};

static const char *event_name(uint8_t cmd)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(event_names); i++)
		if (event_names[i].cmd == cmd)
			return event_names[i].name;
	return NULL;
}

static bool wanted(const struct args *names, const char *name)
{
	int i;

	for (i = 0; i < names->argc; i++)
		if (!strcmp(names->argv[i], name))
			return true;
	return !names->argc;
}

/* Now in microseconds since 1970 for JSON, as local time for text */
static void out_now(void)
{
	char buf[64], text[96];
	struct timespec ts;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &ts);
	localtime_r(&ts.tv_sec, &tm);
	strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%06ld", buf,
		 ts.tv_nsec / NSEC_PER_USEC);
	out_str(NULL, NULL, text);
	out_num("time_us", "", ts.tv_sec * USEC_PER_SEC +
			       ts.tv_nsec / NSEC_PER_USEC);
}

static int lost_events(void)
{
	out_rec_begin();
	if (opt.timestamp)
		out_now();
	out_str("event", NULL, "events-lost");
	out_rec_end();
	fflush(stdout);
	return MNL_CB_OK;
}

static int event_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_EVENT_MAX + 1];
	const struct genlmsghdr *gh;
	char why[128], buf[132];
	const char *name;

	if (!nlh)
		return lost_events();
	gh = mnl_nlmsg_get_payload(nlh);
	name = event_name(gh->cmd);
	if (!name || !wanted(data, name))
		return MNL_CB_OK;
	attr_parse(nlh, tb, MRC_A_EVENT_MAX);
	out_rec_begin();
	if (opt.timestamp)
		out_now();
	out_str("event", NULL, name);
	out_fields(event_fields, tb);
	attr_name(tb, MRC_A_EVENT_WHY, why, sizeof(why));
	if (!why[0] && tb[MRC_A_EVENT_ERROR])
		snprintf(why, sizeof(why), "%s",
			 strerror(attr_u32(tb, MRC_A_EVENT_ERROR)));
	if (why[0]) {
		snprintf(buf, sizeof(buf), "(%s)", why);
		out_str(NULL, NULL, buf);
	}
	out_rec_end();
	fflush(stdout);
	/* whoever read our output has gone */
	return ferror(stdout) ? MNL_CB_STOP : MNL_CB_OK;
}

int monitor_cmd(struct args *args)
{
	int i;

	if (args->argc && !strcmp(args->argv[0], "help"))
		return usage(help);
	for (i = 0; i < args->argc; i++) {
		size_t n;

		for (n = 0; n < ARRAY_SIZE(event_names); n++)
			if (!strcmp(args->argv[i], event_names[n].name))
				break;
		if (n == ARRAY_SIZE(event_names))
			return err_usage("\"%s\" is no event", args->argv[i]);
	}
	return nl_report(nl_events(event_cb, args));
}
