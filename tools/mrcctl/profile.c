// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl profile: named sets of entropy values, for routes and sockets. What
 * "profile show" prints can be given to "profile add".
 *
 * A list is EV[-EV][,...]. Fields are WIDTH[:MIN[-MAX]][@INIT][/MASK][,...],
 * the last one ends at bit 0; MIN alone is a constant. Numbers are decimal or,
 * after 0x, hexadecimal.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl profile [ show [ NAME ] ]\n"
	"       mrcctl profile { add | set } NAME evs EV[-EV][,EV...]\n"
	"       mrcctl profile { add | set } NAME fields FIELD[,FIELD...]\n"
	"       mrcctl profile del NAME\n"
	"FIELD := WIDTH[:MIN[-MAX]][@INIT][/MASK]\n";

#define EV_BITS		32
#define EV_LEN		12	/* 0x and eight digits, a comma */
#define FIELD_LEN	64

static const char *const kinds[] = {
	[MRC_PROFILE_KIND_EXPLICIT]	= "evs",
	[MRC_PROFILE_KIND_GENERATED]	= "fields",
};

/* How many there are of it is only of interest to those who ask */
static const struct out_field profile_fields[] = {
	{ MRC_A_PROFILE_COUNT, OUT_NUM, "count", "count", OUT_DETAIL },
	{ MRC_A_PROFILE_USERS, OUT_NUM, "users", "users", OUT_DETAIL },
	{ MRC_A_PROFILE_ID, OUT_NUM, "id", "id", OUT_DETAIL },
	{ }
};

/* ---- words --------------------------------------------------------------- */

/* A number at *@s, which is moved behind it. Return: 0 or -1 */
static int take_num(const char **s, uint32_t *val)
{
	unsigned long long v;
	char *end;

	if (**s < '0' || **s > '9')
		return -1;
	errno = 0;
	v = strtoull(*s, &end, strncmp(*s, "0x", 2) ? 10 : 16);
	if (errno || v > UINT32_MAX || end == *s)
		return -1;
	*val = v;
	*s = end;
	return 0;
}

/* The same if there is @c in front of it. Return: 0, also if not; or -1 */
static int take_num_after(const char **s, char c, uint32_t *val)
{
	if (**s != c)
		return 0;
	(*s)++;
	return take_num(s, val);
}

/* Return: 0 or -1 */
static int parse_field(const char *s, struct ev_field *f)
{
	uint32_t all;

	memset(f, 0, sizeof(*f));
	if (take_num(&s, &f->width) || !f->width || f->width > EV_BITS)
		return -1;
	all = UINT32_MAX >> (EV_BITS - f->width);
	f->max = all;
	f->mask = all;
	if (*s == ':') {
		if (take_num_after(&s, ':', &f->min))
			return -1;
		f->max = f->min;
		if (take_num_after(&s, '-', &f->max))
			return -1;
	}
	f->init = f->min;
	if (take_num_after(&s, '@', &f->init) ||
	    take_num_after(&s, '/', &f->mask) || *s)
		return -1;
	return f->min > f->max || f->init < f->min || f->init > f->max ||
	       f->max > all || f->mask > all ? -1 : 0;
}

/**
 * parse_fields() - read the fields of a generated profile
 * @s: the word
 * @p: its fields are filled in
 *
 * Return: an exit code
 */
int parse_fields(const char *s, struct profile *p)
{
	char *copy = xstrdup(s), *next = copy, *word;
	uint32_t bits = 0;
	int ret = EX_DONE;

	p->kind = MRC_PROFILE_KIND_GENERATED;
	p->nfields = 0;
	while (!ret && (word = strsep(&next, ","))) {
		if (p->nfields == MRC_PROFILE_FIELDS_MAX)
			ret = err_usage("\"%s\" has more than %u fields", s,
					MRC_PROFILE_FIELDS_MAX);
		else if (parse_field(word, &p->fields[p->nfields]))
			ret = err_usage("\"%.32s\" is no field: WIDTH[:MIN[-MAX]][@INIT][/MASK]",
					word);
		else
			bits += p->fields[p->nfields++].width;
	}
	if (!ret && bits > EV_BITS)
		ret = err_usage("\"%s\" has %u bits, more than %u", s, bits,
				EV_BITS);
	free(copy);
	return ret;
}

/* EV or EV-EV. Return: 0, -1, or 1: too many */
static int parse_ev_range(const char *s, struct profile *p)
{
	uint32_t first, last;

	if (take_num(&s, &first))
		return -1;
	last = first;
	if (take_num_after(&s, '-', &last) || *s || last < first)
		return -1;
	if (last - first >= MRC_PROFILE_LIST_MAX - p->nevs)
		return 1;
	do
		p->evs[p->nevs++] = first;
	while (first++ != last);
	return 0;
}

/**
 * parse_evs() - read the list of an explicit profile
 * @s: the word
 * @p: its list is filled in
 *
 * Return: an exit code
 */
int parse_evs(const char *s, struct profile *p)
{
	char *copy = xstrdup(s), *next = copy, *word;
	int err, ret = EX_DONE;

	p->kind = MRC_PROFILE_KIND_EXPLICIT;
	p->nevs = 0;
	while (!ret && (word = strsep(&next, ","))) {
		err = parse_ev_range(word, p);
		if (err > 0)
			ret = err_usage("these are more than %u EVs",
					MRC_PROFILE_LIST_MAX);
		else if (err)
			ret = err_usage("\"%.32s\" is no EV or EV-EV", word);
	}
	free(copy);
	return ret;
}

static char *fields_str(const struct profile *p)
{
	char *buf = xrealloc(NULL, MRC_PROFILE_FIELDS_MAX + 1, FIELD_LEN);
	const struct ev_field *f;
	unsigned int i;
	size_t len = 0;
	uint32_t all;

	buf[0] = '\0';
	for (i = 0; i < p->nfields; i++) {
		f = &p->fields[i];
		all = UINT32_MAX >> (EV_BITS - f->width);
		len += sprintf(buf + len, "%s%u", i ? "," : "", f->width);
		if (f->min || f->max != all)
			len += sprintf(buf + len, ":%u", f->min);
		if ((f->min || f->max != all) && f->max != f->min)
			len += sprintf(buf + len, "-%u", f->max);
		if (f->init != f->min)
			len += sprintf(buf + len, "@%u", f->init);
		if (f->mask != all)
			len += sprintf(buf + len, "/0x%x", f->mask);
	}
	return buf;
}

static char *evs_str(const struct profile *p)
{
	char *buf = xrealloc(NULL, MRC_PROFILE_LIST_MAX + 1, EV_LEN);
	unsigned int i, last;
	size_t len = 0;

	buf[0] = '\0';
	for (i = 0; i < p->nevs; i = last + 1) {
		for (last = i; last + 1 < p->nevs; last++)
			if (p->evs[last + 1] != p->evs[last] + 1)
				break;
		len += sprintf(buf + len, "%s0x%x", i ? "," : "",
			       p->evs[i]);
		if (last > i)
			len += sprintf(buf + len, "-0x%x", p->evs[last]);
	}
	return buf;
}

const char *profile_kind(const struct profile *p)
{
	return name_of(kinds, ARRAY_SIZE(kinds), p->kind);
}

/**
 * profile_str() - write what a profile stands for as it is read
 * @p: profile
 *
 * Return: for free()
 */
char *profile_str(const struct profile *p)
{
	return p->kind == MRC_PROFILE_KIND_EXPLICIT ? evs_str(p) :
						      fields_str(p);
}

static int cmp_evs(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/**
 * profile_equal() - do two profiles stand for the same?
 * @a: one
 * @b: the other
 *
 * Return: true if so
 */
bool profile_equal(const struct profile *a, const struct profile *b)
{
	uint32_t x[MRC_PROFILE_LIST_MAX], y[MRC_PROFILE_LIST_MAX];

	if (strcmp(a->name, b->name) || a->kind != b->kind)
		return false;
	if (a->kind == MRC_PROFILE_KIND_GENERATED)
		return a->nfields == b->nfields &&
		       !memcmp(a->fields, b->fields,
			       a->nfields * sizeof(a->fields[0]));
	if (a->nevs != b->nevs)
		return false;
	/* the kernel keeps them sorted */
	memcpy(x, a->evs, a->nevs * sizeof(x[0]));
	memcpy(y, b->evs, b->nevs * sizeof(y[0]));
	qsort(x, a->nevs, sizeof(x[0]), cmp_evs);
	qsort(y, b->nevs, sizeof(y[0]), cmp_evs);
	return !memcmp(x, y, a->nevs * sizeof(x[0]));
}

/* ---- netlink ------------------------------------------------------------- */

static void parse_nl_field(const struct nlattr *nest, struct ev_field *f)
{
	const struct nlattr *a;

	mnl_attr_for_each_nested(a, nest) {
		switch (mnl_attr_get_type(a)) {
		case MRC_A_EV_FIELD_WIDTH:
			f->width = attr_uint(a);
			break;
		case MRC_A_EV_FIELD_INIT:
			f->init = attr_uint(a);
			break;
		case MRC_A_EV_FIELD_MIN_VALUE:
			f->min = attr_uint(a);
			break;
		case MRC_A_EV_FIELD_MAX_VALUE:
			f->max = attr_uint(a);
			break;
		case MRC_A_EV_FIELD_MASK:
			f->mask = attr_uint(a);
			break;
		}
	}
}

static void profile_parse(const struct nlmsghdr *nlh, struct profile *p)
{
	struct nlattr *tb[MRC_A_PROFILE_MAX + 1];
	const struct nlattr *a;
	size_t len;

	attr_parse(nlh, tb, MRC_A_PROFILE_MAX);
	memset(p, 0, sizeof(*p));
	attr_name(tb, MRC_A_PROFILE_NAME, p->name, sizeof(p->name));
	p->kind = attr_u32(tb, MRC_A_PROFILE_KIND);
	a = tb[MRC_A_PROFILE_EVS];
	if (a) {
		len = mnl_attr_get_payload_len(a);
		if (len > sizeof(p->evs))
			len = sizeof(p->evs);
		memcpy(p->evs, mnl_attr_get_payload(a), len);
		p->nevs = len / sizeof(p->evs[0]);
	}
	mnl_attr_for_each(a, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(a) == MRC_A_PROFILE_FIELD &&
		    p->nfields < MRC_PROFILE_FIELDS_MAX)
			parse_nl_field(a, &p->fields[p->nfields++]);
	}
}

static int show_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_PROFILE_MAX + 1];
	const char *only = data;
	struct profile p;
	char *text;

	profile_parse(nlh, &p);
	if (only && strcmp(only, p.name))
		return MNL_CB_OK;
	text = profile_str(&p);
	out_rec_begin();
	out_str("name", NULL, p.name);
	out_str(profile_kind(&p), profile_kind(&p), text);
	attr_parse(nlh, tb, MRC_A_PROFILE_MAX);
	out_fields(profile_fields, tb);
	out_rec_end();
	free(text);
	return MNL_CB_OK;
}

static int profile_show(struct args *args)
{
	const char *name = args->argc ? next_arg(args) : NULL;
	int ret;

	if (no_more_args(args))
		return EX_USAGE_ERR;
	out_list_begin();
	ret = nl_dump(MRC_CMD_PROFILE_GET, show_cb, (void *)name);
	out_list_end();
	return nl_report(ret);
}

static void profile_item(const struct nlmsghdr *nlh, void *item)
{
	profile_parse(nlh, item);
}

/**
 * profile_list() - read all profiles
 * @profiles: the result, for free()
 * @n: how many
 *
 * Return: 0 or a negative errno
 */
int profile_list(struct profile **profiles, size_t *n)
{
	struct nl_list l = {
		.parse = profile_item, .size = sizeof(**profiles),
	};
	int ret = nl_list(MRC_CMD_PROFILE_GET, &l);

	*profiles = l.items;
	*n = l.n;
	return ret;
}

static void put_field(struct nlmsghdr *nlh, const struct ev_field *f)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, MRC_A_PROFILE_FIELD);

	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_WIDTH, f->width);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_INIT, f->init);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_MIN_VALUE, f->min);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_MAX_VALUE, f->max);
	mnl_attr_put_u32(nlh, MRC_A_EV_FIELD_MASK, f->mask);
	mnl_attr_nest_end(nlh, nest);
}

/**
 * profile_request() - add, set or delete a profile
 * @cmd: MRC_CMD_PROFILE_ADD, _SET or _DEL
 * @p: the profile; only its name counts for the latter
 *
 * Return: 0 or a negative errno
 */
int profile_request(uint8_t cmd, const struct profile *p)
{
	struct nlmsghdr *nlh = nl_genl(cmd, 0);
	unsigned int i;

	mnl_attr_put_strz(nlh, MRC_A_PROFILE_NAME, p->name);
	if (cmd == MRC_CMD_PROFILE_DEL)
		return nl_talk(nlh, NULL, NULL);
	mnl_attr_put_u32(nlh, MRC_A_PROFILE_KIND, p->kind);
	if (p->kind == MRC_PROFILE_KIND_EXPLICIT)
		mnl_attr_put(nlh, MRC_A_PROFILE_EVS,
			     p->nevs * sizeof(p->evs[0]), p->evs);
	else
		for (i = 0; i < p->nfields; i++)
			put_field(nlh, &p->fields[i]);
	return nl_talk(nlh, NULL, NULL);
}

/* ---- commands ------------------------------------------------------------ */

/**
 * parse_profile_name() - read the name of a profile
 * @s: the word
 * @name: PROFILE_NAME bytes
 *
 * Return: an exit code
 */
int parse_profile_name(const char *s, char *name)
{
	if (!*s || strlen(s) > MRC_PROFILE_NAME_LEN)
		return err_usage("a profile's name has 1 to %u characters",
				 MRC_PROFILE_NAME_LEN);
	snprintf(name, PROFILE_NAME, "%s", s);
	return EX_DONE;
}

/**
 * parse_route_profile() - read the profile of a route
 * @s: the word; "auto" is the same as none
 * @name: PROFILE_NAME bytes
 *
 * Return: an exit code
 */
int parse_route_profile(const char *s, char *name)
{
	if (parse_profile_name(s, name))
		return EX_USAGE_ERR;
	if (!strcmp(name, "auto"))
		*name = '\0';
	return EX_DONE;
}

static int parse_name(struct args *args, struct profile *p)
{
	const char *word;

	memset(p, 0, sizeof(*p));
	return need_arg(args, "name", &word) ? :
	       parse_profile_name(word, p->name);
}

static int profile_change(struct args *args, uint8_t cmd)
{
	struct profile p;
	const char *word;
	int ret;

	if (parse_name(args, &p))
		return EX_USAGE_ERR;
	if (take_word(args, "evs"))
		ret = need_arg(args, "list of EVs", &word) ? :
		      parse_evs(word, &p);
	else if (take_word(args, "fields"))
		ret = need_arg(args, "fields", &word) ? :
		      parse_fields(word, &p);
	else
		ret = err_usage("evs or fields is missing");
	if (ret || no_more_args(args))
		return EX_USAGE_ERR;
	return nl_report(profile_request(cmd, &p));
}

static int profile_add(struct args *args)
{
	return profile_change(args, MRC_CMD_PROFILE_ADD);
}

static int profile_set(struct args *args)
{
	return profile_change(args, MRC_CMD_PROFILE_SET);
}

static int profile_del(struct args *args)
{
	struct profile p;

	if (parse_name(args, &p) || no_more_args(args))
		return EX_USAGE_ERR;
	return nl_report(profile_request(MRC_CMD_PROFILE_DEL, &p));
}

static int profile_help(struct args *args)
{
	return usage(help);
}

int profile_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	profile_show },
		{ "list",	profile_show },
		{ "add",	profile_add },
		{ "set",	profile_set },
		{ "change",	profile_set },
		{ "del",	profile_del },
		{ "delete",	profile_del },
		{ "help",	profile_help },
		{ }
	};

	return run_verb("profile", verbs, args);
}
