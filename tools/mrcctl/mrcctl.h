/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mrcctl - configure and inspect the MRC transport
 *
 * What the files of the tool share: options, the configuration objects and
 * the functions of each file. A function that returns int returns one of
 * enum exit_code unless its comment says otherwise, and has already printed
 * what went wrong.
 */
#ifndef MRCCTL_H
#define MRCCTL_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>
#include <linux/mrc_netlink.h>

#define MRCCTL_VERSION	"0.1.0"

#define __printf(fmt, first)	__attribute__((format(printf, fmt, first)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Room for the text forms, with the final NUL */
#define ADDR_LEN	INET6_ADDRSTRLEN
#define PREFIX_LEN	(INET6_ADDRSTRLEN + 4)
#define PATH_LEN	(MRC_SEGMENTS_MAX * 24)

enum exit_code {
	EX_DONE		= 0,
	EX_USAGE_ERR	= 1,
	EX_FAIL		= 2,
};

/**
 * struct options - the options in front of the object
 * @json: print JSON
 * @pretty: indent it
 * @stats: also print counters
 * @details: also print what is rarely of interest
 * @oneline: one record per line
 * @force: go on after an error in a batch
 * @timestamp: put the time before each event
 */
struct options {
	bool json;
	bool pretty;
	bool stats;
	bool details;
	bool oneline;
	bool force;
	bool timestamp;
};

extern struct options opt;

/**
 * struct args - the words of a command that are not yet used up
 * @argc: how many
 * @argv: the next one is argv[0]
 */
struct args {
	int argc;
	char **argv;
};

struct prefix {
	struct in6_addr addr;
	unsigned int len;
};

/* One uSID of a path, see MRC_A_SEGMENT_* */
struct segment {
	uint32_t type;
	uint32_t value;
	uint32_t last;
	uint32_t offset;
	uint32_t bits;
};

/* Which members of a struct plane are to be changed */
enum {
	PLANE_DEV	= 1 << 0,
	PLANE_VIA	= 1 << 1,
	PLANE_SID	= 1 << 2,
	PLANE_ADMIN	= 1 << 3,
};

/* An unspecified address means none. */
struct plane {
	unsigned int set;
	uint32_t number;
	uint32_t ifindex;
	char dev[IFNAMSIZ];
	struct in6_addr via;
	struct in6_addr sid;
	bool admin_up;
	/* filled in by the kernel only */
	uint32_t state;
	uint32_t mtu;
};

/* Some bits of a generated EV */
struct ev_field {
	uint32_t width;
	uint32_t init;
	uint32_t min;
	uint32_t max;
	uint32_t mask;
};

#define PROFILE_NAME	(MRC_PROFILE_NAME_LEN + 1)

/* A named set of EVs: a list or fields */
struct profile {
	char name[PROFILE_NAME];
	uint32_t kind;
	unsigned int nevs;
	uint32_t evs[MRC_PROFILE_LIST_MAX];
	unsigned int nfields;
	struct ev_field fields[MRC_PROFILE_FIELDS_MAX];
};

#define CC_NAME		(MRC_CC_NAME_LEN + 1)

/* Words and keys of a congestion control's parameters, see cc.c */
struct cc_param {
	const char *name;
	const char *key;	/* in JSON */
	uint16_t attr;
	uint32_t min;
	uint32_t max;
};

/* A named congestion control. Parameters are indexed by attribute. */
struct cc {
	char name[CC_NAME];
	char algorithm[CC_NAME];
	bool set[MRC_A_CC_MAX + 1];
	uint32_t val[MRC_A_CC_MAX + 1];
	bool is_default;
	bool builtin;
};

/* No profile is "auto" */
struct route {
	struct prefix dst;
	uint32_t plane;
	uint32_t mode;
	struct in6_addr via;
	struct in6_addr src;
	bool ecmp;
	char profile[PROFILE_NAME];
	struct prefix block;
	unsigned int nsegs;
	struct segment segs[MRC_SEGMENTS_MAX];
};

/* A path that a controller has denied, by its addresses or else its number;
 * the second is there if the first is too short for it
 */
struct denial {
	struct in6_addr peer;
	struct in6_addr outer;
	struct in6_addr next;
	uint32_t plane;
	uint32_t index;
	bool has_index;
	bool force;
};

/**
 * struct net_setting - one of the settings of "mrcctl net"
 * @name: word of the command
 * @key: in JSON
 * @attr: MRC_A_NET_*
 * @onoff: is it a switch?
 * @min: smallest value
 * @max: largest value
 */
struct net_setting {
	const char *name;
	const char *key;
	uint16_t attr;
	bool onoff;
	uint32_t min;
	uint32_t max;
};

/* Indexed by attribute, see net.c */
struct netcfg {
	bool set[MRC_A_NET_MAX + 1];
	uint32_t val[MRC_A_NET_MAX + 1];
};

/* What there is to configure, as a whole */
struct config {
	struct netcfg net;
	struct in6_addr *nodes;
	size_t nnodes;
	struct profile *profiles;
	size_t nprofiles;
	struct cc *ccs;
	size_t nccs;
	char cc_default[CC_NAME];	/* "" = not said */
	struct plane *planes;
	size_t nplanes;
	struct route *routes;
	size_t nroutes;
	struct denial *denials;
	size_t ndenials;
};

/**
 * struct verb - a word and the function that does it
 * @name: the word; NULL ends a table
 * @fn: called with the words after it
 */
struct verb {
	const char *name;
	int (*fn)(struct args *args);
};

/* mrcctl.c */
int run_command(struct args *args);
int run_verb(const char *object, const struct verb *table, struct args *args);
int usage(const char *text);

/* err.c */
int __printf(1, 2) err_usage(const char *fmt, ...);
int __printf(1, 2) err_fail(const char *fmt, ...);
void __printf(1, 2) err_warn(const char *fmt, ...);
void __printf(1, 2) err_context(const char *fmt, ...);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);

/* batch.c */
int batch_run(const char *file);

/* netns.c */
int netns_enter(const char *name);

/* nl.c: 0 or a negative errno, without printing anything */
typedef int (*nl_cb)(const struct nlmsghdr *nlh, void *data);
struct nlmsghdr *nl_genl(uint8_t cmd, uint16_t flags);
struct nlmsghdr *nl_rtnl(uint16_t type, uint16_t flags);
int nl_talk(struct nlmsghdr *nlh, nl_cb cb, void *data);
int nl_dump(uint8_t cmd, nl_cb cb, void *data);
int nl_dump_msg(struct nlmsghdr *nlh, nl_cb cb, void *data);

/**
 * struct nl_list - objects read into an array, see nl_list()
 * @parse: fills an element, which is all 0, from a message
 * @size: of an element
 * @items: the elements, for free()
 * @n: how many
 * @room: for so many
 */
struct nl_list {
	void (*parse)(const struct nlmsghdr *nlh, void *item);
	size_t size;
	void *items;
	size_t n;
	size_t room;
};

int nl_list(uint8_t cmd, struct nl_list *l);
int nl_events(nl_cb cb, void *data);
typedef void (*nl_heard_cb)(uint32_t seq, int ret, const struct nlmsghdr *nlh,
			    void *data);
int nl_ask(struct nlmsghdr *nlh, uint32_t *seq);
int nl_hear(uint64_t wait_us, nl_heard_cb cb, void *data);
void nl_close(void);
/* and with: prints the kernel's words for what nl_* returned */
int nl_report(int ret);
const char *nl_words(int ret);
const char *nl_warning(void);
void nl_set_words(const char *text);
#define NL_WORDS_LEN	512
int __printf(2, 3) nl_prefix(int ret, const char *fmt, ...);

/* parse.c */
int parse_addr(const char *s, struct in6_addr *addr);
int parse_prefix(const char *s, struct prefix *p);
int parse_u32(const char *s, uint32_t min, uint32_t max, uint32_t *val);
int parse_endpoint(const char *s, struct in6_addr *addr, uint32_t *port);
int parse_enum(const char *s, const char *const *names, size_t n,
	       uint32_t *val);
int parse_planes(const char *s, uint32_t *mask);
int parse_path(const char *s, struct segment *segs, unsigned int *nsegs);
int check_node(const struct in6_addr *addr);
int check_route(const struct route *r);
char *subst_plane(const char *s, uint32_t plane, bool decimal);
const char *addr_str(const struct in6_addr *addr, char *buf);
const char *prefix_str(const struct prefix *p, char *buf);
const char *path_str(const struct segment *segs, unsigned int nsegs,
		     char *buf);
bool addr_any(const struct in6_addr *addr);
bool addr_eq(const struct in6_addr *a, const struct in6_addr *b);

/* args.c */
const char *next_arg(struct args *args);
bool take_word(struct args *args, const char *word);
int need_arg(struct args *args, const char *what, const char **val);
int no_more_args(struct args *args);
int each_plane(struct args *args, unsigned int at,
	       int (*fn)(struct args *args));

/* names.c: indexed by the enums of mrc_netlink.h */
#define PLANE_STATES	4
#define ROUTE_MODES	3
#define PATH_STATES	4
#define SOCK_STATES	8
#define CC_STATES	6
extern const char *const plane_states[PLANE_STATES];
extern const char *const route_modes[ROUTE_MODES];
extern const char *const path_states[PATH_STATES];
extern const char *const sock_states[SOCK_STATES];
extern const char *const cc_states[CC_STATES];
const char *name_of(const char *const *names, size_t n, uint32_t val);

/* users.c */

#define USER_NAME_LEN	16	/* of a process, with the final NUL */

/**
 * struct sock_user - a process that has a socket open
 * @inode: of the socket
 * @pid: the process
 * @fd: descriptor
 * @name: what the process calls itself
 */
struct sock_user {
	uint64_t inode;
	unsigned int pid;
	unsigned int fd;
	char name[USER_NAME_LEN];
};

void users_scan(void);
const struct sock_user *users_of(uint64_t inode, size_t *n);

/* out.c */
enum out_kind {
	OUT_ADDR,
	OUT_NUM,
	OUT_STR,
	OUT_ENUM,
	OUT_TIME,
	OUT_BOOL,
	OUT_MASK,
};

/* When a field is shown in text; JSON has them all */
enum {
	OUT_STATS	= 1 << 0,	/* with -s */
	OUT_DETAIL	= 1 << 1,	/* with -d */
	OUT_NONZERO	= 1 << 2,	/* if it is not 0 */
	OUT_NEWLINE	= 1 << 3,	/* at the start of a line */
	OUT_JSON_ONLY	= 1 << 4,
};

/**
 * struct out_field - how to print an attribute
 * @attr: its number; 0 ends a table
 * @kind: what is in it
 * @key: in JSON
 * @label: in text; NULL prints the value alone
 * @flags: when to print it
 * @names: for OUT_ENUM
 * @nnames: how many
 */
struct out_field {
	uint16_t attr;
	enum out_kind kind;
	const char *key;
	const char *label;
	unsigned int flags;
	const char *const *names;
	size_t nnames;
};

void out_list_begin(void);
void out_list_end(void);
void out_rec_begin(void);
void out_rec_end(void);
void out_newline(void);
void out_fields(const struct out_field *fields, struct nlattr **tb);
void out_str(const char *key, const char *label, const char *val);
void out_num(const char *key, const char *label, uint64_t val);
void out_bool(const char *key, const char *label, bool val);
void out_time(const char *key, const char *label, uint64_t ns);
struct sock_user;
void out_users(const char *key, const struct sock_user *users, size_t n);
const char *time_str(uint64_t ns, char *buf, size_t size);
#define TIME_LEN	32

/* attr.c */
uint64_t attr_uint(const struct nlattr *attr);
uint32_t attr_u32(struct nlattr **tb, uint16_t type);
void attr_addr(struct nlattr **tb, uint16_t type, struct in6_addr *addr);
void attr_name(struct nlattr **tb, uint16_t type, char *buf, size_t size);
void put_addr(struct nlmsghdr *nlh, uint16_t type,
	      const struct in6_addr *addr);
/* Fills tb, an array of max + 1 pointers, from a generic netlink message. */
void attr_parse(const struct nlmsghdr *nlh, struct nlattr **tb,
		uint16_t max);

/* object files: <object>_cmd runs a command, the rest serves apply and check */
int node_cmd(struct args *args);
int node_request(uint8_t cmd, const struct in6_addr *addr);
int node_list(struct in6_addr **nodes, size_t *n);

int plane_cmd(struct args *args);
int plane_request(uint8_t cmd, const struct plane *p);
int plane_list(struct plane **planes, size_t *n);
void plane_parse(const struct nlmsghdr *nlh, struct plane *p);

int profile_cmd(struct args *args);
int profile_request(uint8_t cmd, const struct profile *p);
int profile_list(struct profile **profiles, size_t *n);
bool profile_equal(const struct profile *a, const struct profile *b);
const char *profile_kind(const struct profile *p);
char *profile_str(const struct profile *p);
int parse_profile_name(const char *s, char *name);
int parse_route_profile(const char *s, char *name);
int parse_fields(const char *s, struct profile *p);
int parse_evs(const char *s, struct profile *p);

int route_cmd(struct args *args);
int route_request(uint8_t cmd, const struct route *r);
int route_list(struct route **routes, size_t *n);
void route_parse(const struct nlmsghdr *nlh, struct route *r);
bool route_equal(const struct route *a, const struct route *b);

extern const struct net_setting net_settings[];	/* a NULL name ends it */
int net_cmd(struct args *args);
int net_request(const struct netcfg *n);
int net_read(struct netcfg *n);

int path_cmd(struct args *args);
int denial_request(uint8_t cmd, const struct denial *d);
int denial_list(struct denial **denials, size_t *n);
bool denial_equal(const struct denial *a, const struct denial *b);

extern const struct cc_param cc_params[];	/* a NULL name ends it */
int cc_cmd(struct args *args);
int cc_request(uint8_t cmd, const struct cc *cc);
int cc_make_default(const char *name);
int cc_list(struct cc **ccs, size_t *n);
bool cc_equal(const struct cc *now, const struct cc *want,
	      const struct cc *std);
int peer_cmd(struct args *args);
int sock_cmd(struct args *args);
int stats_cmd(struct args *args);
int monitor_cmd(struct args *args);
int check_cmd(struct args *args);

/**
 * struct ask - a path or loop to be probed, and what came of it
 * @peer: whom to ask; unspecified = around a loop
 * @outer: loop: source route that leads back to us
 * @via: loop: gateway, unspecified = the plane's
 * @plane: number
 * @index: peer: number of the path
 * @sent: probes sent
 * @answered: of these, answered
 * @min: shortest round trip, ns
 * @sum: of all of them, ns
 * @max: longest
 * @ret: negative errno of the last that could not be sent
 * @words: the kernel's words for it
 * @seq: of the last request
 * @out: it is not done yet
 */
struct ask {
	struct in6_addr peer;
	struct in6_addr outer;
	struct in6_addr via;
	uint32_t plane;
	uint32_t index;
	unsigned int sent;
	unsigned int answered;
	uint64_t min;
	uint64_t sum;
	uint64_t max;
	int ret;
	char words[96];
	uint32_t seq;
	bool out;
};

/**
 * struct pace - how to probe
 * @count: probes of each path, in loops at most
 * @interval_us: from the first of them to the next
 * @gap_us: from one path to the next
 * @timeout_ms: how long to wait for an answer
 */
struct pace {
	uint32_t count;
	uint64_t interval_us;
	uint64_t gap_us;
	uint32_t timeout_ms;
};

/* ask.c */
int ask_round(struct ask **asks, size_t n, const struct pace *pace);
int parse_pace(struct args *args, struct pace *pace, bool *taken);
uint64_t now_us(void);
void sleep_until(uint64_t us);

/* usid.c */
const struct route *route_match(const struct route *routes, size_t n,
				const struct in6_addr *addr, uint32_t plane);
uint32_t route_paths(const struct route *r);
void route_usids(const struct route *r, uint32_t k,
		 const struct in6_addr *dst, uint16_t *usids);
unsigned int sid_usids(const struct plane *p, const struct route *r,
		       uint16_t *usids);
bool loop_addr(const struct route *r, const uint16_t *there, unsigned int n,
	       const uint16_t *own, unsigned int n_own, struct in6_addr *addr);

/* probe.c, trace.c, linkmap.c */
int probe_cmd(struct args *args);
int trace_cmd(struct args *args);
int linkmap_cmd(struct args *args);

/* config.c */
void config_free(struct config *c);
int config_read_kernel(struct config *c);
int config_read_file(const char *file, struct config *c);
const struct plane *config_plane(const struct config *c, uint32_t number);
bool config_has_node(const struct config *c, const struct in6_addr *addr);
int route_cmp_key(const struct route *a, const struct route *b);
const struct route **routes_sort(const struct config *c);
int export_cmd(struct args *args);

/* apply.c */
int apply_cmd(struct args *args);

/* rtnl.c: 0 or a negative errno like nl.c; rtnl_sid_add() also 1 if it did */
int rtnl_sid_add(const struct in6_addr *sid);
int rtnl_sid_del(const struct in6_addr *sid);
int rtnl_is_local(const struct in6_addr *addr, bool *local);
int rtnl_is_assigned(const struct in6_addr *addr, bool *assigned);
int rtnl_resolve(uint32_t ifindex, const struct in6_addr *addr,
		 uint16_t *state, const char **words);

#endif
