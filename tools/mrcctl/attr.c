// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink attributes in and out of C types. An attribute that is missing or
 * of an unexpected size reads as 0, an older or newer kernel is no error.
 */
#include <string.h>

#include <linux/genetlink.h>

#include "mrcctl.h"

struct attr_table {
	struct nlattr **tb;
	uint16_t max;
};

/**
 * attr_uint() - read an unsigned integer of any size
 * @attr: the attribute or NULL
 *
 * Return: its value
 */
uint64_t attr_uint(const struct nlattr *attr)
{
	if (!attr)
		return 0;
	switch (mnl_attr_get_payload_len(attr)) {
	case 1:
		return mnl_attr_get_u8(attr);
	case 2:
		return mnl_attr_get_u16(attr);
	case 4:
		return mnl_attr_get_u32(attr);
	case 8:
		return mnl_attr_get_u64(attr);
	default:
		return 0;
	}
}

uint32_t attr_u32(struct nlattr **tb, uint16_t type)
{
	return attr_uint(tb[type]);
}

void attr_addr(struct nlattr **tb, uint16_t type, struct in6_addr *addr)
{
	memset(addr, 0, sizeof(*addr));
	if (tb[type] && mnl_attr_get_payload_len(tb[type]) == sizeof(*addr))
		memcpy(addr, mnl_attr_get_payload(tb[type]), sizeof(*addr));
}

void attr_name(struct nlattr **tb, uint16_t type, char *buf, size_t size)
{
	size_t len = 0;

	if (tb[type]) {
		len = strnlen(mnl_attr_get_payload(tb[type]),
			      mnl_attr_get_payload_len(tb[type]));
		if (len >= size)
			len = size - 1;
		memcpy(buf, mnl_attr_get_payload(tb[type]), len);
	}
	buf[len] = '\0';
}

void put_addr(struct nlmsghdr *nlh, uint16_t type,
	      const struct in6_addr *addr)
{
	mnl_attr_put(nlh, type, sizeof(*addr), addr);
}

static int attr_cb(const struct nlattr *attr, void *data)
{
	struct attr_table *t = data;
	uint16_t type = mnl_attr_get_type(attr);

	/* the first of several stays, so that walking on from it works */
	if (type <= t->max && !t->tb[type])
		t->tb[type] = (struct nlattr *)attr;
	return MNL_CB_OK;
}

void attr_parse(const struct nlmsghdr *nlh, struct nlattr **tb, uint16_t max)
{
	struct attr_table t = { .tb = tb, .max = max };

	memset(tb, 0, (max + 1) * sizeof(*tb));
	mnl_attr_parse(nlh, sizeof(struct genlmsghdr), attr_cb, &t);
}
