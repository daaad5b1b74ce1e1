// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the link that ends at a netdev that of a switch that trims or marks
 * (trim.bpf.c).
 *
 *   trimsw set DEV [rate BITS_PER_S depth BYTES [mark BYTES]] [every N]
 *		[but N] [mark-every N] [swap N] [size BYTES] [dscp N] [repair none|outer|all]
 *	anew, its counters begin at 0; what is not given is off
 *   trimsw clear DEV
 *   trimsw show		"DEV seen trimmed marked bursts" of each such
 *				netdev of the namespace
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "trim.h"

/* Two IPv6 headers, UDP, and of MRC what a NACK is as long as. */
#define SIZE_MIN	(14 + 2 * 40 + 8 + 40)
#define SIZE_DEFAULT	256

static int die(const char *what, int err)
{
	fprintf(stderr, "trimsw: %s%s%s\n", what, err ? ": " : "",
		err ? strerror(err < 0 ? -err : err) : "");
	exit(1);
}

static int ifindex_of(const char *dev)
{
	int ifindex = if_nametoindex(dev);

	if (!ifindex)
		die(dev, errno);
	return ifindex;
}

/* The largest frame that may come: the MTU, and the Ethernet header. */
static int frame_max(const char *dev)
{
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = {};

	snprintf(ifr.ifr_name, IFNAMSIZ, "%s", dev);
	if (fd < 0 || ioctl(fd, SIOCGIFMTU, &ifr))
		die(dev, errno);
	close(fd);
	return ifr.ifr_mtu + 14;
}

static unsigned long long number(const char *word)
{
	unsigned long long n;
	char *end;

	n = strtoull(word, &end, 10);
	if (end == word || *end)
		die("not a number", 0);
	return n;
}

static int repair_of(const char *word)
{
	static const char *const words[] = { "none", "outer", "all" };
	int i;

	for (i = 0; i < 3; i++)
		if (!strcmp(word, words[i]))
			return i;
	return die("repair is none, outer or all", 0);
}

static void parse(struct trim_conf *c, char **argv)
{
	unsigned long long rate = 0, depth = 0, mark = 0;

	for (; argv[0]; argv += 2) {
		if (!argv[1])
			die("a word is missing", 0);
		if (!strcmp(argv[0], "rate"))
			rate = number(argv[1]);
		else if (!strcmp(argv[0], "depth"))
			depth = number(argv[1]);
		else if (!strcmp(argv[0], "mark"))
			mark = number(argv[1]);
		else if (!strcmp(argv[0], "every"))
			c->every = number(argv[1]);
		else if (!strcmp(argv[0], "but"))
			c->but = number(argv[1]);
		else if (!strcmp(argv[0], "mark-every"))
			c->mark_every = number(argv[1]);
		else if (!strcmp(argv[0], "swap"))
			c->swap = number(argv[1]);
		else if (!strcmp(argv[0], "size"))
			c->size = number(argv[1]);
		else if (!strcmp(argv[0], "dscp"))
			c->dscp = number(argv[1]);
		else if (!strcmp(argv[0], "repair"))
			c->repair = repair_of(argv[1]);
		else
			die("unknown word", 0);
	}
	if (c->size < SIZE_MIN)
		die("too little would be left of a packet", 0);
	if (!rate)
		return;
	c->ns_per_byte = (8000000000ULL << TRIM_SHIFT) / rate;
	c->depth_ns = (depth * c->ns_per_byte) >> TRIM_SHIFT;
	c->mark_ns = (mark * c->ns_per_byte) >> TRIM_SHIFT;
}

/* The compiled program lies beside this one. */
static struct bpf_object *load(void)
{
	char self[PATH_MAX], path[PATH_MAX + 16];
	struct bpf_object *obj;
	ssize_t len;
	int err;

	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len < 0)
		die("/proc/self/exe", errno);
	self[len] = 0;
	snprintf(path, sizeof(path), "%s/trim.bpf.o", dirname(self));
	obj = bpf_object__open_file(path, NULL);
	if (!obj)
		die(path, errno);
	err = bpf_object__load(obj);
	if (err)
		die("cannot load the program", err);
	return obj;
}

static void set(const char *dev, char **argv)
{
	struct trim_conf c = {
		.size = SIZE_DEFAULT, .dscp_data = 1, .dscp_rtx = 5,
		.dscp = 11, .repair = TRIM_REPAIR_ALL,
		.frame_max = frame_max(dev),
	};
	struct bpf_program *prog;
	struct bpf_object *obj;
	__u32 zero = 0;
	int err;

	parse(&c, argv);
	obj = load();
	err = bpf_map_update_elem(bpf_object__find_map_fd_by_name(obj, "conf"),
				  &zero, &c, BPF_ANY);
	if (err)
		die("cannot configure it", err);
	prog = bpf_object__find_program_by_name(obj, "mrc_trim");
	err = bpf_xdp_attach(ifindex_of(dev), bpf_program__fd(prog),
			     XDP_FLAGS_SKB_MODE, NULL);
	if (err)
		die("cannot attach it", err);
}

static void clear(const char *dev)
{
	int err = bpf_xdp_detach(ifindex_of(dev), XDP_FLAGS_SKB_MODE, NULL);

	if (err)
		die("cannot remove it", err);
}

/* The state of the netdev's program, false if it has none of ours. */
static int state_of(int ifindex, struct trim_state *s)
{
	struct bpf_prog_info info = {};
	__u32 zero = 0, len, ids[2], i, id = 0;
	struct bpf_map_info map;
	int fd, found = 0;

	if (bpf_xdp_query_id(ifindex, XDP_FLAGS_SKB_MODE, &id) || !id)
		return 0;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0)
		die("cannot look at the program", errno);
	info.nr_map_ids = 2;
	info.map_ids = (__u64)(unsigned long)ids;
	len = sizeof(info);
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		die("cannot look at the program", errno);
	close(fd);
	if (strcmp(info.name, "mrc_trim"))
		return 0;
	for (i = 0; i < info.nr_map_ids && i < 2 && !found; i++) {
		fd = bpf_map_get_fd_by_id(ids[i]);
		memset(&map, 0, sizeof(map));
		len = sizeof(map);
		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &map, &len))
			die("cannot look at the map", errno);
		found = !strcmp(map.name, "state") &&
			!bpf_map_lookup_elem(fd, &zero, s);
		close(fd);
	}
	return found;
}

static void show(void)
{
	struct if_nameindex *all = if_nameindex(), *p;
	struct trim_state s;

	for (p = all; p && p->if_index; p++)
		if (state_of(p->if_index, &s))
			printf("%s %llu %llu %llu %llu\n", p->if_name, s.seen,
			       s.trimmed, s.marked, s.bursts);
	if_freenameindex(all);
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return getenv("TRIMSW_DEBUG") ? vfprintf(stderr, fmt, ap) : 0;
}

int main(int argc, char **argv)
{
	libbpf_set_print(quiet);
	if (argc >= 3 && !strcmp(argv[1], "set"))
		set(argv[2], argv + 3);
	else if (argc == 3 && !strcmp(argv[1], "clear"))
		clear(argv[2]);
	else if (argc == 2 && !strcmp(argv[1], "show"))
		show();
	else
		die("set DEV ..., clear DEV or show", 0);
	return 0;
}
