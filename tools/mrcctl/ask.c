// SPDX-License-Identifier: GPL-2.0
/*
 * Probes: many are out at a time, each is sent when its turn comes and
 * answered by the kernel once, sooner or later.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "mrcctl.h"

/* The kernel answers each probe when its time is over; longer than this after
 * that the answer is lost, for want of memory.
 */
#define GRACE_US	1000000

/**
 * struct round - probes that are sent one after the other
 * @asks: what is probed
 * @n: how many
 * @first: sequence number of the first
 * @sent: requests made
 * @out: of these, not done
 * @ret: what makes all others useless, a negative errno
 */
struct round {
	struct ask **asks;
	size_t n;
	uint32_t first;
	size_t sent;
	size_t out;
	int ret;
};

uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ULL + ts.tv_nsec / 1000;
}

void sleep_until(uint64_t us)
{
	struct timespec ts = {
		.tv_sec = us / 1000000,
		.tv_nsec = us % 1000000 * 1000,
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static struct ask *find_ask(const struct round *r, uint32_t seq)
{
	uint32_t i = seq - r->first;

	return i < r->sent && r->asks[i]->out ? r->asks[i] : NULL;
}

static void heard(uint32_t seq, int ret, const struct nlmsghdr *nlh,
		  void *data)
{
	struct nlattr *tb[MRC_A_PROBE_MAX + 1];
	struct round *r = data;
	struct ask *a = find_ask(r, seq);
	uint64_t rtt;

	/* it is on its way, or this is about an older one */
	if (!a || (!nlh && !ret))
		return;
	a->out = false;
	r->out--;
	if (ret) {
		if (ret == -EPERM)
			r->ret = ret;
		a->ret = ret;
		a->sent--;
		snprintf(a->words, sizeof(a->words), "%s", nl_words(ret));
		return;
	}
	attr_parse(nlh, tb, MRC_A_PROBE_MAX);
	rtt = attr_uint(tb[MRC_A_PROBE_RTT]);
	if (!rtt)
		return;
	if (!a->answered || rtt < a->min)
		a->min = rtt;
	if (rtt > a->max)
		a->max = rtt;
	a->sum += rtt;
	a->answered++;
}

static int send_ask(struct round *r, const struct pace *pace)
{
	struct nlmsghdr *nlh = nl_genl(MRC_CMD_PROBE, 0);
	struct ask *a = r->asks[r->sent];
	int ret;

	mnl_attr_put_u32(nlh, MRC_A_PROBE_PLANE, a->plane);
	mnl_attr_put_u32(nlh, MRC_A_PROBE_TIMEOUT, pace->timeout_ms);
	if (addr_any(&a->peer)) {
		put_addr(nlh, MRC_A_PROBE_OUTER, &a->outer);
		if (!addr_any(&a->via))
			put_addr(nlh, MRC_A_PROBE_VIA, &a->via);
	} else {
		put_addr(nlh, MRC_A_PROBE_REMOTE, &a->peer);
		mnl_attr_put_u32(nlh, MRC_A_PROBE_INDEX, a->index);
	}
	ret = nl_ask(nlh, &a->seq);
	if (ret)
		return ret;
	if (!r->sent)
		r->first = a->seq;
	a->ret = 0;
	a->sent++;
	a->out = true;
	r->sent++;
	r->out++;
	return 0;
}

/**
 * ask_round() - probe each path once
 * @asks: the paths, each once
 * @n: how many
 * @pace: how
 *
 * Returns when all answers are there or their time is over.
 *
 * Return: 0, or a negative errno if nothing can be asked at all; what is wrong
 * with one of them is in its struct ask
 */
int ask_round(struct ask **asks, size_t n, const struct pace *pace)
{
	uint64_t now = now_us(), next = now, end;
	struct round r = { .asks = asks, .n = n };
	int ret = 0;

	do {
		now = now_us();
		if (r.sent < n && now >= next) {
			ret = send_ask(&r, pace);
			next = now + pace->gap_us;
		}
		end = r.sent < n ? next :
		      next + pace->timeout_ms * 1000ULL + GRACE_US;
		now = now_us();
		if (r.sent == n && now >= end)
			break;
		if (!ret)
			ret = nl_hear(end > now ? end - now : 0, heard, &r) ? :
			      r.ret;
	} while (!ret && (r.sent < n || r.out));
	/* a late answer is not taken for one of the next round */
	while (r.sent--)
		asks[r.sent]->out = false;
	return ret;
}

/* Takes one word of a pace and its value, if there is one. */
int parse_pace(struct args *args, struct pace *pace, bool *taken)
{
	const char *word;
	uint32_t ms;
	int ret;

	*taken = true;
	if (take_word(args, "count"))
		return need_arg(args, "count", &word) ? :
		       parse_u32(word, 1, 1000000, &pace->count);
	if (take_word(args, "timeout"))
		return need_arg(args, "timeout", &word) ? :
		       parse_u32(word, 1, 60000, &pace->timeout_ms);
	if (take_word(args, "interval")) {
		ret = need_arg(args, "interval", &word) ? :
		      parse_u32(word, 1, 3600000, &ms);
		pace->interval_us = ms * 1000ULL;
		return ret;
	}
	*taken = false;
	return EX_DONE;
}
