// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl plane: which network devices are planes.
 *
 * A plane's SID must be a local address, or nothing that is routed to it is
 * ever decapsulated. So the tool keeps a local route to it for as long as the
 * plane has it; an address or route made by others is left alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

static const char help[] =
	"Usage: mrcctl plane [ show [ NUMBER ] ]\n"
	"       mrcctl plane add LIST dev DEVICE [ via ADDRESS ] [ sid ADDRESS ] [ up | down ]\n"
	"       mrcctl plane set LIST [ dev DEVICE ] [ via { ADDRESS | none } ]\n"
	"                        [ sid { ADDRESS | none } ] [ up | down ]\n"
	"       mrcctl plane del LIST\n"
	"LIST := NUMBER[-NUMBER][,LIST]      each {p} becomes the plane's number\n";

static const struct out_field plane_fields[] = {
	{ MRC_A_PLANE_NUMBER, OUT_NUM, "plane", "plane" },
	{ MRC_A_PLANE_IFNAME, OUT_STR, "dev", "dev" },
	{ MRC_A_PLANE_IFINDEX, OUT_NUM, "ifindex", "ifindex", OUT_DETAIL },
	{ MRC_A_PLANE_VIA, OUT_ADDR, "via", "via" },
	{ MRC_A_PLANE_SID, OUT_ADDR, "sid", "sid" },
	{ MRC_A_PLANE_ADMIN_UP, OUT_BOOL, "admin_up", "", OUT_JSON_ONLY },
	{ MRC_A_PLANE_STATE, OUT_ENUM, "state", "state", 0,
	  plane_states, PLANE_STATES },
	{ MRC_A_PLANE_MTU, OUT_NUM, "mtu", "mtu" },
	{ MRC_A_PLANE_QUEUED, OUT_NUM, "queued", "queued",
	  OUT_NEWLINE | OUT_STATS },
	{ MRC_A_PLANE_TX_PACKETS, OUT_NUM, "tx_packets", "tx packets",
	  OUT_NEWLINE | OUT_STATS },
	{ MRC_A_PLANE_TX_BYTES, OUT_NUM, "tx_bytes", "bytes", OUT_STATS },
	{ MRC_A_PLANE_TX_DATA, OUT_NUM, "tx_data", "data", OUT_STATS },
	{ MRC_A_PLANE_TX_DROPS, OUT_NUM, "tx_drops", "drops", OUT_STATS },
	{ MRC_A_PLANE_RX_PACKETS, OUT_NUM, "rx_packets", "rx packets",
	  OUT_NEWLINE | OUT_STATS },
	{ MRC_A_PLANE_RX_BYTES, OUT_NUM, "rx_bytes", "bytes", OUT_STATS },
	{ MRC_A_PLANE_RX_DATA, OUT_NUM, "rx_data", "data", OUT_STATS },
	{ }
};

static int show_cb(const struct nlmsghdr *nlh, void *data)
{
	struct nlattr *tb[MRC_A_PLANE_MAX + 1];

	attr_parse(nlh, tb, MRC_A_PLANE_MAX);
	out_rec_begin();
	out_fields(plane_fields, tb);
	out_rec_end();
	return MNL_CB_OK;
}

static int get_one(uint32_t number, nl_cb cb, void *data)
{
	struct nlmsghdr *nlh = nl_genl(MRC_CMD_PLANE_GET, 0);

	mnl_attr_put_u32(nlh, MRC_A_PLANE_NUMBER, number);
	return nl_talk(nlh, cb, data);
}

static int plane_show(struct args *args)
{
	uint32_t number = 0;
	int ret;

	if (args->argc &&
	    parse_u32(next_arg(args), 1, MRC_PLANE_MAX, &number))
		return EX_USAGE_ERR;
	if (no_more_args(args))
		return EX_USAGE_ERR;
	out_list_begin();
	if (number)
		ret = get_one(number, show_cb, NULL);
	else
		ret = nl_dump(MRC_CMD_PLANE_GET, show_cb, NULL);
	out_list_end();
	return nl_report(ret);
}

void plane_parse(const struct nlmsghdr *nlh, struct plane *p)
{
	struct nlattr *tb[MRC_A_PLANE_MAX + 1];

	attr_parse(nlh, tb, MRC_A_PLANE_MAX);
	memset(p, 0, sizeof(*p));
	p->set = PLANE_DEV | PLANE_VIA | PLANE_SID | PLANE_ADMIN;
	p->number = attr_u32(tb, MRC_A_PLANE_NUMBER);
	p->ifindex = attr_u32(tb, MRC_A_PLANE_IFINDEX);
	attr_name(tb, MRC_A_PLANE_IFNAME, p->dev, sizeof(p->dev));
	attr_addr(tb, MRC_A_PLANE_VIA, &p->via);
	attr_addr(tb, MRC_A_PLANE_SID, &p->sid);
	p->admin_up = attr_u32(tb, MRC_A_PLANE_ADMIN_UP);
	p->state = attr_u32(tb, MRC_A_PLANE_STATE);
	p->mtu = attr_u32(tb, MRC_A_PLANE_MTU);
}

static int one_cb(const struct nlmsghdr *nlh, void *data)
{
	plane_parse(nlh, data);
	return MNL_CB_OK;
}

static void plane_item(const struct nlmsghdr *nlh, void *item)
{
	plane_parse(nlh, item);
}

/**
 * plane_list() - read all planes
 * @planes: the result, for free()
 * @n: how many
 *
 * Return: 0 or a negative errno
 */
int plane_list(struct plane **planes, size_t *n)
{
	struct nl_list l = {
		.parse = plane_item, .size = sizeof(**planes),
	};
	int ret = nl_list(MRC_CMD_PLANE_GET, &l);

	*planes = l.items;
	*n = l.n;
	return ret;
}

static int send_plane(uint8_t cmd, const struct plane *p)
{
	struct nlmsghdr *nlh = nl_genl(cmd, 0);

	mnl_attr_put_u32(nlh, MRC_A_PLANE_NUMBER, p->number);
	if (cmd != MRC_CMD_PLANE_DEL) {
		if (p->set & PLANE_DEV)
			mnl_attr_put_u32(nlh, MRC_A_PLANE_IFINDEX,
					 p->ifindex);
		if (p->set & PLANE_VIA)
			put_addr(nlh, MRC_A_PLANE_VIA, &p->via);
		if (p->set & PLANE_SID)
			put_addr(nlh, MRC_A_PLANE_SID, &p->sid);
		if (p->set & PLANE_ADMIN)
			mnl_attr_put_u32(nlh, MRC_A_PLANE_ADMIN_UP,
					 p->admin_up);
	}
	return nl_talk(nlh, NULL, NULL);
}

/* Is a SID still that of some plane? When in doubt, yes. */
static bool sid_in_use(const struct in6_addr *sid)
{
	struct plane *planes;
	bool used = false;
	size_t i, n;

	if (plane_list(&planes, &n))
		used = true;
	for (i = 0; i < n; i++)
		if (addr_eq(&planes[i].sid, sid))
			used = true;
	free(planes);
	return used;
}

/**
 * plane_request() - add, change or delete a plane and keep its SID local
 * @cmd: MRC_CMD_PLANE_{ADD,SET,DEL}
 * @p: the plane
 *
 * Return: 0 or a negative errno, with nothing changed
 */
int plane_request(uint8_t cmd, const struct plane *p)
{
	bool has_sid = p->set & PLANE_SID && !addr_any(&p->sid);
	char buf[ADDR_LEN], words[NL_WORDS_LEN];
	struct plane old = { };
	bool made_local = false;
	int ret;

	if (cmd != MRC_CMD_PLANE_ADD) {
		ret = get_one(p->number, one_cb, &old);
		if (ret)
			return ret;
	}
	if (cmd != MRC_CMD_PLANE_DEL && has_sid) {
		ret = rtnl_sid_add(&p->sid);
		if (ret < 0)
			return nl_prefix(ret, "making SID %s local",
					 addr_str(&p->sid, buf));
		made_local = ret;
	}
	ret = send_plane(cmd, p);
	if (ret && made_local) {
		/* the words to report are those of the refusal */
		snprintf(words, sizeof(words), "%s", nl_words(ret));
		rtnl_sid_del(&p->sid);
		nl_set_words(words);
		return ret;
	}
	if (!ret && !addr_any(&old.sid) && !sid_in_use(&old.sid))
		rtnl_sid_del(&old.sid);
	return ret;
}

static int parse_dev(const char *word, struct plane *p)
{
	if (strlen(word) >= sizeof(p->dev))
		return err_usage("\"%s\" is too long for a device", word);
	snprintf(p->dev, sizeof(p->dev), "%s", word);
	p->ifindex = if_nametoindex(word);
	if (!p->ifindex)
		return err_fail("there is no device \"%s\"", word);
	return EX_DONE;
}

static int parse_opt_addr(const char *word, struct in6_addr *addr)
{
	if (!strcmp(word, "none")) {
		memset(addr, 0, sizeof(*addr));
		return EX_DONE;
	}
	return parse_addr(word, addr);
}

static int parse_settings(struct args *args, struct plane *p)
{
	const char *word;
	int ret = EX_DONE;

	memset(p, 0, sizeof(*p));
	if (need_arg(args, "plane number", &word) ||
	    parse_u32(word, 1, MRC_PLANE_MAX, &p->number))
		return EX_USAGE_ERR;
	while (args->argc && !ret) {
		if (take_word(args, "up")) {
			p->set |= PLANE_ADMIN;
			p->admin_up = true;
		} else if (take_word(args, "down")) {
			p->set |= PLANE_ADMIN;
			p->admin_up = false;
		} else if (take_word(args, "via")) {
			p->set |= PLANE_VIA;
			ret = need_arg(args, "gateway", &word) ? :
			      parse_opt_addr(word, &p->via);
		} else if (take_word(args, "sid")) {
			p->set |= PLANE_SID;
			ret = need_arg(args, "SID", &word) ? :
			      parse_opt_addr(word, &p->sid);
		} else if (take_word(args, "dev")) {
			p->set |= PLANE_DEV;
			ret = need_arg(args, "device", &word) ? :
			      parse_dev(word, p);
		} else {
			ret = no_more_args(args);
		}
	}
	return ret;
}

static int add_one(struct args *args)
{
	struct plane p;
	int ret;

	ret = parse_settings(args, &p);
	if (ret)
		return ret;
	if (!(p.set & PLANE_DEV))
		return err_usage("dev is missing");
	return nl_report(plane_request(MRC_CMD_PLANE_ADD, &p));
}

static int set_one(struct args *args)
{
	struct plane p;
	int ret;

	ret = parse_settings(args, &p);
	if (ret)
		return ret;
	if (!p.set)
		return err_usage("nothing to set");
	return nl_report(plane_request(MRC_CMD_PLANE_SET, &p));
}

static int del_one(struct args *args)
{
	struct plane p = { };
	const char *word;

	if (need_arg(args, "plane number", &word) ||
	    parse_u32(word, 1, MRC_PLANE_MAX, &p.number) ||
	    no_more_args(args))
		return EX_USAGE_ERR;
	return nl_report(plane_request(MRC_CMD_PLANE_DEL, &p));
}

static int plane_add(struct args *args)
{
	return each_plane(args, 0, add_one);
}

static int plane_set(struct args *args)
{
	return each_plane(args, 0, set_one);
}

static int plane_del(struct args *args)
{
	return each_plane(args, 0, del_one);
}

static int plane_help(struct args *args)
{
	return usage(help);
}

int plane_cmd(struct args *args)
{
	static const struct verb verbs[] = {
		{ "show",	plane_show },
		{ "list",	plane_show },
		{ "add",	plane_add },
		{ "set",	plane_set },
		{ "change",	plane_set },
		{ "del",	plane_del },
		{ "delete",	plane_del },
		{ "help",	plane_help },
		{ }
	};

	return run_verb("plane", verbs, args);
}
