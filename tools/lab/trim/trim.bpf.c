// SPDX-License-Identifier: GPL-2.0
/*
 * A switch that trims, for tests: an XDP program at the far end of a link,
 * which does what the port at its near end would do. (The egress of that port
 * will not do: bpf_skb_change_tail() refuses what came out of a tunnel of a
 * local sender.) It keeps a virtual queue, that is, the time at which a queue
 * of the rate given would be empty, and cuts the payload off what comes while
 * that is too long. Above a lower threshold it marks CE. Or it does so to every
 * N-th packet. Or it damages them in a way that the UDP checksum does not see.
 *
 * It must see single packets: see tools/lab/fabric.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "trim.h"

#define ECN_MASK	3
#define ECN_NOT_ECT	0
#define ECN_CE		3
#define SWAP_OFF	600

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct trim_conf);
} conf SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct trim_state);
} state SEC(".maps");

/* What every packet that can be trimmed begins with. */
struct headers {
	struct ethhdr	eth;
	struct ipv6hdr	ip6;
	union {
		struct udphdr	udp;
		struct {
			struct ipv6hdr	ip6;
			struct udphdr	udp;
		} inner;
	};
} __attribute__((packed));

/* What is to be done with a packet. */
enum verdict { PASS, TRIM, MARK, SWAP };

/* Puts a packet of @len bytes into the virtual queue, and counts it. */
static __always_inline enum verdict enqueue(const struct trim_conf *c,
					    struct trim_state *s, __u32 len,
					    __u64 now)
{
	enum verdict v = PASS;
	__u64 waits;

	bpf_spin_lock(&s->lock);
	s->seen++;
	if (s->empty_at < now)
		s->empty_at = now;
	waits = s->empty_at - now;
	if ((c->ns_per_byte && waits > c->depth_ns) ||
	    (c->every && s->seen % c->every == 0) ||
	    (c->but && s->seen % c->but != 0)) {
		v = TRIM;
		len = c->size;
		s->trimmed++;
	} else if ((c->mark_ns && waits > c->mark_ns) ||
		   (c->mark_every && s->seen % c->mark_every == 0)) {
		v = MARK;
		s->marked++;
	} else if (c->swap && s->seen % c->swap == 0) {
		v = SWAP;
	}
	s->empty_at += (len * c->ns_per_byte) >> TRIM_SHIFT;
	bpf_spin_unlock(&s->lock);
	return v;
}

static __always_inline __u8 get_tclass(const struct headers *h)
{
	return h->ip6.priority << 4 | h->ip6.flow_lbl[0] >> 4;
}

static __always_inline void set_tclass(struct headers *h, __u8 tclass)
{
	h->ip6.priority = tclass >> 4;
	h->ip6.flow_lbl[0] = (h->ip6.flow_lbl[0] & 0x0f) | tclass << 4;
}

/* Makes the lengths of a frame of @size bytes right. */
static __always_inline void repair(struct headers *h, __u32 size, int how)
{
	size -= sizeof(h->eth) + sizeof(h->ip6);
	h->ip6.payload_len = bpf_htons(size);
	if (how != TRIM_REPAIR_ALL)
		return;
	if (h->ip6.nexthdr == IPPROTO_UDP)
		h->udp.len = bpf_htons(size);
	/* behind an SRH all stays as it was */
	if (h->ip6.nexthdr != IPPROTO_IPV6)
		return;
	size -= sizeof(h->ip6);
	h->inner.ip6.payload_len = bpf_htons(size);
	h->inner.udp.len = bpf_htons(size);
}

static __always_inline void trim(struct xdp_md *xdp,
				 const struct trim_conf *c, __u32 len)
{
	struct headers *h;

	if (bpf_xdp_adjust_tail(xdp, (int)c->size - (int)len))
		return;
	h = (void *)(long)xdp->data;
	if ((void *)(h + 1) > (void *)(long)xdp->data_end)
		return;
	set_tclass(h, c->dscp << 2 | (get_tclass(h) & ECN_MASK));
	if (c->repair != TRIM_REPAIR_NONE)
		repair(h, c->size, c->repair);
}

/* Swaps two words of the payload. */
static __always_inline void swap(void *data, void *end)
{
	__u16 *word = data + SWAP_OFF, first;

	if ((void *)(word + 2) > end)
		return;
	first = word[0];
	word[0] = word[1];
	word[1] = first;
}

SEC("xdp")
int mrc_trim(struct xdp_md *xdp)
{
	void *end = (void *)(long)xdp->data_end;
	struct headers *h = (void *)(long)xdp->data;
	__u32 zero = 0, len = end - (void *)h;
	struct trim_state *s;
	struct trim_conf *c;
	enum verdict v;
	__u8 tclass;

	c = bpf_map_lookup_elem(&conf, &zero);
	s = bpf_map_lookup_elem(&state, &zero);
	if (!c || !s || (void *)(h + 1) > end || len <= c->size ||
	    h->eth.h_proto != bpf_htons(ETH_P_IPV6))
		return XDP_PASS;
	tclass = get_tclass(h);
	if (tclass >> 2 != c->dscp_data && tclass >> 2 != c->dscp_rtx)
		return XDP_PASS;
	if (len > c->frame_max) {
		__sync_fetch_and_add(&s->bursts, 1);
		return XDP_PASS;
	}
	v = enqueue(c, s, len, bpf_ktime_get_ns());
	if (v == TRIM)
		trim(xdp, c, len);
	else if (v == MARK && (tclass & ECN_MASK) != ECN_NOT_ECT)
		set_tclass(h, tclass | ECN_CE);
	else if (v == SWAP)
		swap(h, end);
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
