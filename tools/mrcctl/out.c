// SPDX-License-Identifier: GPL-2.0
/*
 * The one way by which anything is printed, as text or as JSON.
 *
 * A list is a JSON array and a record an object in it; in text a record is a
 * line, or several that are joined by backslashes with -o. Each record is
 * written when it is complete, so that a million routes need no memory.
 * Times are ns in JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "mrcctl.h"

static json_t *rec;		/* the object of the current record */
static bool in_list;
static bool first_rec;
static bool first_word;

static void dump_record(void)
{
	json_dumpf(rec, stdout, opt.pretty ? JSON_INDENT(4) : JSON_COMPACT);
	json_decref(rec);
	rec = NULL;
}

void out_list_begin(void)
{
	in_list = true;
	first_rec = true;
	if (opt.json)
		putchar('[');
}

void out_list_end(void)
{
	if (opt.json)
		printf("%s]\n", opt.pretty && !first_rec ? "\n" : "");
	in_list = false;
}

/* A record outside a list is an object of its own. */
void out_rec_begin(void)
{
	first_word = true;
	if (!opt.json)
		return;
	rec = json_object();
	if (in_list && !first_rec)
		putchar(',');
	if (in_list && opt.pretty)
		putchar('\n');
}

void out_rec_end(void)
{
	if (opt.json)
		dump_record();
	if (!opt.json || !in_list)
		putchar('\n');
	first_rec = false;
}

/* Go on in the next line, in text. */
void out_newline(void)
{
	if (opt.json)
		return;
	fputs(opt.oneline ? "\\   " : "\n   ", stdout);
	first_word = false;
}

static void word(const char *label, const char *val)
{
	if (!first_word)
		putchar(' ');
	first_word = false;
	if (label)
		printf("%s ", label);
	fputs(val, stdout);
}

/* A value with a key but neither label nor a wish for text has label "". */
static bool is_text(const char *label)
{
	return !opt.json && !(label && !*label);
}

void out_str(const char *key, const char *label, const char *val)
{
	if (opt.json && key)
		json_object_set_new(rec, key, json_string(val));
	else if (is_text(label))
		word(label, val);
}

void out_num(const char *key, const char *label, uint64_t val)
{
	char buf[24];

	if (opt.json && key) {
		json_object_set_new(rec, key, json_integer(val));
	} else if (is_text(label)) {
		snprintf(buf, sizeof(buf), "%llu",
			 (unsigned long long)val);
		word(label, buf);
	}
}

void out_bool(const char *key, const char *label, bool val)
{
	if (opt.json && key)
		json_object_set_new(rec, key, json_boolean(val));
	else if (is_text(label))
		word(label, val ? "on" : "off");
}

/**
 * time_str() - write a time with a fitting unit
 * @ns: nanoseconds
 * @buf: where to
 * @size: TIME_LEN
 *
 * Return: @buf
 */
const char *time_str(uint64_t ns, char *buf, size_t size)
{
	if (ns < 1000)
		snprintf(buf, size, "%uns", (unsigned int)ns);
	else if (ns < 1000000)
		snprintf(buf, size, "%.1fus", ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, size, "%.1fms", ns / 1e6);
	else
		snprintf(buf, size, "%.1fs", ns / 1e9);
	return buf;
}

void out_time(const char *key, const char *label, uint64_t ns)
{
	char buf[TIME_LEN];

	if (opt.json && key)
		json_object_set_new(rec, key, json_integer(ns));
	else if (is_text(label))
		word(label, time_str(ns, buf, sizeof(buf)));
}

/**
 * out_users() - print which processes have a socket, as ss(8) does
 * @key: in JSON
 * @users: the processes
 * @n: how many; in text nothing is printed of none
 */
void out_users(const char *key, const struct sock_user *users, size_t n)
{
	json_t *array, *user;
	size_t i;

	if (opt.json) {
		array = json_array();
		for (i = 0; i < n; i++) {
			user = json_pack("{s:s, s:i, s:i}",
					 "name", users[i].name,
					 "pid", (int)users[i].pid,
					 "fd", (int)users[i].fd);
			json_array_append_new(array, user);
		}
		json_object_set_new(rec, key, array);
		return;
	}
	for (i = 0; i < n; i++)
		printf("%s(\"%s\",pid=%u,fd=%u)%s", i ? "," : " users:(",
		       users[i].name, users[i].pid, users[i].fd,
		       i == n - 1 ? ")" : "");
}

/* Planes of a mask: 1-4,7 in text, an array of numbers in JSON */
static void out_mask(const char *key, const char *label, uint32_t mask)
{
	unsigned int first, last;
	char buf[128] = "none";
	json_t *array;
	size_t len = 0;

	if (opt.json) {
		array = json_array();
		for (first = 1; first <= MRC_PLANE_MAX; first++)
			if (mask >> (first - 1) & 1)
				json_array_append_new(array,
						      json_integer(first));
		json_object_set_new(rec, key, array);
		return;
	}
	for (first = 1; first <= MRC_PLANE_MAX; first = last + 1) {
		last = first;
		if (!(mask >> (first - 1) & 1))
			continue;
		while (last < MRC_PLANE_MAX && mask >> last & 1)
			last++;
		len += sprintf(buf + len, "%s%u", len ? "," : "", first);
		if (last > first)
			len += sprintf(buf + len, "-%u", last);
	}
	word(label, buf);
}

/* Is the field to be seen in text? */
static bool wanted(const struct out_field *f, struct nlattr *attr)
{
	if (opt.json)
		return true;
	if (f->flags & OUT_JSON_ONLY)
		return false;
	if (f->flags & OUT_STATS && !opt.stats)
		return false;
	if (f->flags & OUT_DETAIL && !opt.details)
		return false;
	return !(f->flags & OUT_NONZERO) || attr_uint(attr);
}

static void out_field(const struct out_field *f, struct nlattr **tb)
{
	char buf[256];
	struct in6_addr addr;

	switch (f->kind) {
	case OUT_ADDR:
		attr_addr(tb, f->attr, &addr);
		out_str(f->key, f->label, addr_str(&addr, buf));
		break;
	case OUT_STR:
		attr_name(tb, f->attr, buf, sizeof(buf));
		out_str(f->key, f->label, buf);
		break;
	case OUT_ENUM:
		out_str(f->key, f->label,
			name_of(f->names, f->nnames, attr_u32(tb, f->attr)));
		break;
	case OUT_NUM:
		out_num(f->key, f->label, attr_uint(tb[f->attr]));
		break;
	case OUT_TIME:
		out_time(f->key, f->label, attr_uint(tb[f->attr]));
		break;
	case OUT_BOOL:
		out_bool(f->key, f->label, attr_u32(tb, f->attr));
		break;
	case OUT_MASK:
		out_mask(f->key, f->label, attr_u32(tb, f->attr));
		break;
	}
}

/**
 * out_fields() - print the attributes of a message that are there
 * @fields: which and how, in this order
 * @tb: the attributes
 */
void out_fields(const struct out_field *fields, struct nlattr **tb)
{
	const struct out_field *f;

	for (f = fields; f->attr; f++) {
		if (!tb[f->attr] || !wanted(f, tb[f->attr]))
			continue;
		if (f->flags & OUT_NEWLINE)
			out_newline();
		out_field(f, tb);
	}
}
