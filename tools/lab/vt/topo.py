# SPDX-License-Identifier: GPL-2.0
"""Networks: who hangs at whom, by which cable.

Each cable goes through the namespace "w", so that what happens on the way
(delay, loss, cuts) lies behind the port that sends:

    lower end              w                        upper end
    port ---veth--- LOWER.port ==redirect== UPPER.port ---veth--- port
    tbf: rate        netem: delay, loss                tbf: rate

The devices in w are named by whom they lead to. Back to back the lower end
is host 0 and the upper one host 1, one cable per plane. In a leaf-spine
network a host is below its leaf (T0), a leaf below all spines (T1) of its
plane; planes share nothing:

    h0 --p1-- p1t01 --t11-- p1t11 --t02-- p1t02 --- h1
                    --t12-- p1t12 ---

A port of a switch is named by what is at its other end. The upper end of a
cable has the address fe80::1 on it, the lower one fe80::2.
"""

import itertools

BLOCK = "5f00::/32"


class Cable:
    """One cable of a plane; low and up are (namespace, port)."""

    def __init__(self, plane, low, up, leaf=None, spine=None, host=None):
        self.plane = plane
        self.low, self.up = low, up
        self.leaf, self.spine, self.host = leaf, spine, host

    def ends(self):
        """Both ends, the lower first."""
        return (self.low, self.up)

    def wire(self, end):
        """The device in w that leads to this end."""
        return ".".join(end)

    def other(self, end):
        """The end that is not this one."""
        return self.up if end == self.low else self.low


def plane_addr(host, plane, sub=0):
    """Address of a host's port on a plane; sub > 0: for more subflows."""
    return f"fd00:{plane:x}::{sub:x}:{host + 1:x}"


def node_addr(host):
    """MRC node address of a host."""
    return f"fd00:6d::{host + 1:x}"


def sid(host):
    """Where a host takes SRv6 packets off; the same on each plane."""
    return f"5f00:0:d{host + 1:02x}::"


def within(netns):
    """Runs a command in a namespace. ("ip netns exec" mounts a sysfs too.)"""
    return f"nsenter --net=/run/netns/{netns}"


def at_host(host):
    """Runs a command at a host."""
    return within(f"h{host}")


def leaf_name(plane, leaf):
    """Namespace of a leaf; leaves count from 1."""
    return f"p{plane}t0{leaf}"


def spine_name(plane, spine):
    """Namespace of a spine; spines count from 1."""
    return f"p{plane}t1{spine}"


def leaf_of(sc, host):
    """The leaf at which a host hangs."""
    if not sc["racks"]:
        return host % sc["t0"] + 1
    ends = itertools.accumulate(sc["racks"])
    return 1 + sum(host >= end for end in ends)


def cables(sc):
    """All cables of a scenario."""
    out = []
    for plane in range(1, sc["planes"] + 1):
        if not sc["t0"]:
            out.append(Cable(plane, ("h0", f"p{plane}"), ("h1", f"p{plane}")))
            continue
        for host in range(sc["hosts"]):
            leaf = leaf_of(sc, host)
            out.append(Cable(plane, (f"h{host}", f"p{plane}"),
                             (leaf_name(plane, leaf), f"h{host}"),
                             leaf=leaf, host=host))
        for leaf in range(1, sc["t0"] + 1):
            for spine in range(1, sc["t1"] + 1):
                out.append(Cable(plane,
                                 (leaf_name(plane, leaf), f"t1{spine}"),
                                 (spine_name(plane, spine), f"t0{leaf}"),
                                 leaf=leaf, spine=spine))
    return out


def switches(sc):
    """Namespaces of all switches, with the uSID of each."""
    out = {}
    for plane in range(1, sc["planes"] + 1):
        for leaf in range(1, sc["t0"] + 1):
            out[leaf_name(plane, leaf)] = f"1{leaf:02x}"
        for spine in range(1, (sc["t1"] if sc["t0"] else 0) + 1):
            out[spine_name(plane, spine)] = f"{spine:x}"
    return out


def own_segment(usid):
    """Lines for "ip": a switch's uSID. Its device never goes down."""
    return ["link set lo up", "link add sid type dummy", "link set sid up",
            f"route add blackhole {BLOCK}",
            f"route add 5f00:0:{usid}::/48 encap seg6local action End "
            "flavors next-csid lblen 32 nflen 16 dev sid"]


def cable_routes(sc, cable):
    """(namespace, line for "ip") that a cable between switches, or from a
    leaf to a host, needs at its ends."""
    ids = switches(sc)
    (low, low_port), (up, up_port) = cable.ends()
    if cable.host is not None:
        return [(up, f"route add {sid(cable.host)}/48 via fe80::2 "
                     f"dev {up_port}")]
    return [(low, f"route add 5f00:0:{ids[up]}::/48 via fe80::1 "
                  f"dev {low_port}"),
            (up, f"route add 5f00:0:{ids[low]}::/48 via fe80::2 "
                 f"dev {up_port}")]


def _group(netns, ports):
    """Next hops upwards, of which a hash chooses: number 100 of a namespace.
    (Without such objects the kernel takes none that it has not asked for yet.)
    """
    for number, port in enumerate(ports, 1):
        yield netns, f"nexthop add id {number} via fe80::1 dev {port}"
    numbers = "/".join(map(str, range(1, len(ports) + 1)))
    yield netns, f"nexthop add id 100 group {numbers}"


def ip_routes(sc, subs):
    """(namespace, line for "ip") of plain IPv6 through the switches, for who
    has no source routes: addresses of ports stay in their plane, node addresses
    may take any; where there are several ways a hash of the ports decides.
    """
    planes = range(1, sc["planes"] + 1)
    spines = [f"t1{spine}" for spine in range(1, sc["t1"] + 1)]
    for plane in planes:
        for leaf in range(1, sc["t0"] + 1):
            yield from _group(leaf_name(plane, leaf), spines)
            for net in (f"fd00:{plane:x}::/64", "fd00:6d::/64"):
                yield leaf_name(plane, leaf), f"route add {net} nhid 100"
    for host in range(sc["hosts"]):
        leaf = leaf_of(sc, host)
        yield from _group(f"h{host}", [f"p{plane}" for plane in planes])
        yield (f"h{host}",
               f"route add fd00:6d::/64 src {node_addr(host)} nhid 100")
        for plane in planes:
            yield (f"h{host}", f"route add fd00:{plane:x}::/64 via fe80::1 "
                   f"dev p{plane} src {plane_addr(host, plane)}")
            down = [(leaf_name(plane, leaf), f"h{host}")]
            down += [(spine_name(plane, spine), f"t0{leaf}")
                     for spine in range(1, sc["t1"] + 1)]
            for addr in (node_addr(host), *(plane_addr(host, plane, sub)
                                            for sub in subs)):
                for netns, port in down:
                    yield (netns, f"route add {addr}/128 via fe80::2 "
                           f"dev {port}")


def carrier(sc, host, peer, spine=1):
    """Destination address of an SRv6 packet from a host to another."""
    here, there = leaf_of(sc, host), leaf_of(sc, peer)
    way = f"1{here:02x}" if here == there else \
        f"1{here:02x}:{spine:x}:1{there:02x}"
    return f"5f00:0:{way}:d{peer + 1:02x}::"


def segments(sc, host, peer):
    """The middle of a path of mrcctl from a host to another."""
    here, there = leaf_of(sc, host), leaf_of(sc, peer)
    last = f"d{peer + 1:02x}"
    if here == there:
        return f"1{here:02x},{last}"
    spines = sc["spines"].get(str(host)) or \
        (f"1-{sc['t1']:x}" if sc["t1"] > 1 else "1")
    return f"1{here:02x},{spines},1{there:02x},{last}"
