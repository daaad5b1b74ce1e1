# SPDX-License-Identifier: GPL-2.0
"""The script that the guest runs, made from a settled scenario.

topo.py says who hangs at whom. A port is a tbf: unlike netem with a rate it
leaves the skb to its owner until it is sent, so that a sender's accounting of
what is queued sees the port as it is. Delay and loss lie one hop further,
where the skb has left the port. All protocols get the same network.
"""
import shlex

import topo
import work
from scenario import affected, bits, duration, plane_delay, senders, size
from topo import node_addr, plane_addr

# Bytes a port may send ahead of its rate. tbf compares an skb's length with
# it: a GSO skb has to fit, or is cut into packets. In the other case no two
# full packets may, which are shorter than the MTU by what a path could add.
BURST_GSO = 80000
HEADROOM = 150

# Links made by one process, which may open 1024 files.
LINKS_AT_ONCE = 400

# Each run starts later than the one before by so many ns; a tick is 10 ms.
RUN_SHIFT = 1357911

# What waits for a neighbour's answer, bytes: beyond 200 KB the kernel would drop,
# and count that in no port. Every netdev begins with what is set here.
NO_NEIGH_DROPS = {"net.ipv6.neigh.default.unres_qlen_bytes": 1 << 24}

# Counting by opcode, with "count": name, value and mask of BTH's first byte.
CLASSES = (("probe", 0xd8, 0xff), ("answer", 0xd9, 0xff),
           ("sack", 0xdc, 0xff), ("nack", 0xdd, 0xff),
           ("rprobe", 0xde, 0xff), ("data", 0xc0, 0xf0))
COUNT_BASE = 10000

IN_W = topo.within("w")


def count_index(host, number):
    """Action that counts what a host sends of a class."""
    return COUNT_BASE + host * len(CLASSES) + number


def port_burst(sc, cut):
    """Burst of a port's tbf in bytes; cut: it sends packets, not skbs."""
    if cut or not sc["gso"]:
        return 2 * (sc["mtu"] - HEADROOM) - 1
    return max(BURST_GSO, (sc["gso_max"] or 0) * 5 // 4)


class Plan:
    """Collects the lines."""

    def __init__(self, sc, proto, tools, run):
        self.sc = sc
        self.run = run
        self.proto = proto
        self.tools = tools
        self.lines = ["set -eu", 'cd "$LAB_OUT"']
        self.cables = topo.cables(sc)
        self.liar = sc["forge"] and f"h{sc['forge']['liar']}"
        # by (plane, end that sends): what its cable does to what it sends
        self.netem = {(c.plane, end): {"delay": plane_delay(sc, c.plane),
                                       "loss": None, "reorder": None,
                                       "wire_rate": None}
                      for c in self.cables for end in c.ends()}
        # ends whose packets may get lost one by one; and what may be cut
        self.lossy, self.index, self.group = set(), {}, 0
        for event in sc["events"]:
            self.note(event)

    def note(self, event):
        """What an event needs from the beginning."""
        if event["do"] not in ("blackhole", "loss", "reorder", "trim"):
            return
        for cable in affected(self.sc, event):
            for end in senders(self.sc, event, cable):
                if event["do"] != "blackhole":
                    self.lossy.add(end)
                else:
                    self.index.setdefault(end, len(self.index) + 1)

    def add(self, *lines):
        """Adds lines of shell."""
        self.lines += lines

    def batch(self, command, lines):
        """Runs a command that reads a batch from its standard input."""
        if lines:
            self.add(f"{command} <<'EOF'", *lines, "EOF")

    def planes(self):
        """All plane numbers."""
        return range(1, self.sc["planes"] + 1)

    def subs(self):
        """Numbers of a port's addresses."""
        extra = self.sc["subflows_per_plane"] if self.proto == "mptcp" else 1
        return range(extra)

    def sysctl(self, netns, values):
        """Sets sysctls, in a namespace or globally."""
        where = f"{topo.within(netns)} " if netns else ""
        self.batch(where + "sysctl -q -p -",
                   [f"{key} = {value}" for key, value in values.items()])

    # -- set-up ---------------------------------------------------------

    def network(self):
        """Namespaces, links, queues."""
        hosts = [f"h{h}" for h in range(self.sc["hosts"])]
        switches = topo.switches(self.sc)
        for netns in ("w", *hosts, *switches):
            self.add(f"ip netns add {netns}")
        self.sysctl("w", {"net.ipv6.conf.all.disable_ipv6": 1,
                          "net.ipv6.conf.default.disable_ipv6": 1})
        self.sysctl("", {"net.core.netdev_max_backlog": 1000000,
                         **NO_NEIGH_DROPS, **self.sc["global"]})
        for name, value in self.sc["params"].items():
            self.add(f"echo {value} >/sys/module/{name}")
        lines = {netns: [] for netns in (*hosts, *switches)}
        for host in range(self.sc["hosts"]):
            lines[f"h{host}"] += self.host(host)
        for netns, usid in switches.items():
            self.sysctl(netns, {"net.ipv6.conf.all.accept_dad": 0,
                                "net.ipv6.conf.default.accept_dad": 0,
                                "net.ipv6.conf.all.forwarding": 1})
            lines[netns] += topo.own_segment(usid)
        self.wire(lines)
        if self.sc["t0"] and self.proto != "mrc":
            self.ip_routes(lines)
        for netns, batch in lines.items():
            self.batch(f"ip -n {netns} -batch -", batch)
        self.ports([*hosts, *switches])

    def ip_routes(self, lines):
        """For TCP and MPTCP: routes through the switches."""
        for netns, line in topo.ip_routes(self.sc, self.subs()):
            lines[netns].append(line)
        for netns in lines:
            self.sysctl(netns, {"net.ipv6.fib_multipath_hash_policy": 1})

    def host(self, host):
        """One host: its sysctls; returns lines for ip."""
        self.sysctl(f"h{host}", {"net.ipv6.conf.all.accept_dad": 0,
                                 "net.ipv6.conf.default.accept_dad": 0,
                                 "net.ipv4.tcp_no_metrics_save": 1,
                                 **self.sc["sysctl"]})
        return ["link set lo up",
                f"address add {node_addr(host)}/128 dev lo nodad"]

    def wire(self, lines):
        """All cables, and what they need at their ends."""
        links, wire, ups = [], [], []
        for cable in self.cables:
            for end in cable.ends():
                netns, port = end
                here, there = cable.wire(end), cable.wire(cable.other(end))
                links.append(f"link add {here} mtu {self.sc['mtu']} netns w "
                             f"type veth peer name {port} "
                             f"mtu {self.sc['mtu']} netns {netns}")
                ups.append(f"link set {here} up")
                lines[netns] += self.port(cable, end)
                if netns == self.liar:
                    lines[netns].append(f"route add {topo.BLOCK} via fe80::1 "
                                        f"dev {port} metric {cable.plane}")
                wire += [
                    f"qdisc add dev {there} root "
                    f"{self.netem_words(cable.plane, end)}",
                    f"qdisc add dev {here} clsact",
                    f"filter add dev {here} ingress pref 10 matchall "
                    f"action mirred egress redirect dev {there}"]
            if self.sc["t0"]:
                for netns, line in topo.cable_routes(self.sc, cable):
                    lines[netns].append(line)
            if self.sc["count"]:
                wire += self.counting(cable)
        # each line leaves two descriptors open
        for i in range(0, len(links), LINKS_AT_ONCE):
            self.batch("ip -batch -", links[i:i + LINKS_AT_ONCE])
        self.batch("ip -n w -batch -", ups)
        self.batch("tc -n w -batch -",
                   [f"actions add action drop index {i}"
                    for i in self.index.values()] + wire)

    def port(self, cable, end):
        """Lines for ip: a port with its addresses."""
        netns, port = end
        lines = []
        if self.sc["t0"]:
            lines.append(f"address add fe80::{1 if end == cable.up else 2}/64 "
                         f"dev {port} nodad")
        if netns.startswith("h") and not (self.sc["t0"] and self.proto == "mrc"):
            bits = 128 if self.sc["t0"] else 64
            lines += [f"address add {plane_addr(int(netns[1:]), cable.plane, sub)}"
                      f"/{bits} dev {port} nodad" for sub in self.subs()]
        if self.sc["gso_max"]:
            lines.append(f"link set {port} gso_max_size {self.sc['gso_max']} "
                         f"gro_max_size {self.sc['gso_max']}")
        return lines + [f"link set {port} up"]

    def counting(self, cable):
        """Lines for tc: what hosts send into this cable, by opcode."""
        lines, bth = [], 88 if self.sc["t0"] else 48
        for end in cable.ends():
            if not end[0].startswith("h") or end[0] == self.liar:
                continue
            for number, (_, value, mask) in enumerate(CLASSES):
                index = count_index(int(end[0][1:]), number)
                lines.append(f"filter add dev {cable.wire(end)} ingress "
                             f"pref {3 + number} protocol ipv6 u32 match u8 "
                             f"{value:#x} {mask:#x} at {bth} "
                             f"action gact continue index {index}")
        return lines

    def netem_words(self, plane, end):
        """netem of the cable on which an end sends, as it is now."""
        state = self.netem[plane, end]
        words = f"netem delay {state['delay']} limit {self.sc['wire_limit']}"
        for key, word in (("loss", "loss"), ("reorder", "reorder"),
                          ("wire_rate", "rate")):
            if state[key]:
                words += f" {word} {state[key]}"
        return words

    def tbf_words(self, end, rate=None):
        """tbf of a port."""
        rate = rate or self.sc["rate"]
        # a burst of a faster port is as long, in time
        faster = max(1, bits(rate) // bits(self.sc["rate"]))
        return (f"tbf rate {rate} "
                f"burst {faster * port_burst(self.sc, end in self.lossy)} "
                f"limit {size(self.sc['port_queue'])}")

    def ports(self, spaces):
        """The queues of all ports."""
        lines = {netns: [] for netns in spaces}
        for cable in self.cables:
            for end in cable.ends():
                netns, port = end
                lines[netns].append(f"qdisc add dev {port} root handle 1: "
                                    f"{self.tbf_words(end)}")
                if self.sc["ecn"] and not netns.startswith("h"):
                    lines[netns].append(
                        f"qdisc add dev {port} parent 1:1 handle 2: codel "
                        f"limit {self.sc['wire_limit']} target 1s "
                        f"interval 1s ce_threshold {self.sc['ecn']}")
        for netns, batch in lines.items():
            self.batch(f"tc -n {netns} -batch -", batch)

    def mptcp(self):
        """Each port of a server but the first is announced to its client."""
        for host in range(self.sc["hosts"]):
            self.add(f"ip -n h{host} mptcp limits set subflow 8 "
                     "add_addr_accepted 8")
        for host in work.servers(self.sc):
            self.batch(f"ip -n h{host} -batch -", [
                f"mptcp endpoint add {plane_addr(host, plane, sub)} "
                f"dev p{plane} signal" for sub in self.subs()
                for plane in self.planes() if (plane, sub) != (1, 0)])

    def mrc(self):
        """The module; plain routes, or source routes through the switches."""
        self.add(f"insmod {self.tools['module']}")
        for host in range(self.sc["hosts"]):
            if f"h{host}" == self.liar:
                continue
            lines = [f"node add {node_addr(host)}"]
            if self.sc["cc"]:
                lines.append(f"cc set {self.sc['cc']} default")
            lines += self.routes_usid(host) if self.sc["t0"] else \
                self.routes_plain(host)
            self.batch(f"{self.tools['mrcctl']} -N h{host} -b -", lines)

    def routes_plain(self, host):
        """Lines for mrcctl, back to back."""
        lines = []
        for plane in self.planes():
            lines += [f"plane add {plane} dev p{plane}",
                      f"route add {node_addr(1 - host)}/128 plane {plane} "
                      f"plain via {plane_addr(1 - host, plane)}"]
        return lines

    def routes_usid(self, host):
        """Lines for mrcctl, leaf-spine."""
        lines = [f"plane add {plane} dev p{plane} via fe80::1 "
                 f"sid {topo.sid(host)}" for plane in self.planes()]
        lines += [f"route add {node_addr(peer)}/128 "
                  f"plane 1-{self.sc['planes']} usid {topo.BLOCK} "
                  f"path {topo.segments(self.sc, host, peer)}"
                  for peer in range(self.sc["hosts"]) if peer != host]
        return lines

    # -- the run --------------------------------------------------------

    def watch(self):
        """Events of paths are noted with their times."""
        for host in range(self.sc["hosts"]):
            self.add(f"{self.tools['mrcctl']} -N h{host} -j -t monitor "
                     f"path-bad path-good >h{host}.events &")

    def event(self, event):
        """Something happens: one process that waits for its time."""
        if event["do"] == "snapshot":
            commands = self.snapshot(event["value"])
        elif event["do"] in ("down", "up"):
            commands = self.carrier(event)
        else:
            commands = [line for cable in affected(self.sc, event)
                        for line in self.change(event, cable)]
        self.add(f"{self.tools['at']} $((t0 + {duration(event['at'])})) "
                 f"sh -ec {shlex.quote('; '.join(commands))} "
                 "|| echo event >>failed &")

    def change(self, event, cable):
        """What an event does to one cable: commands."""
        commands, what = [], event["do"]
        for end in senders(self.sc, event, cable):
            (netns, port), dev = end, cable.wire(end)
            there = cable.wire(cable.other(end))
            if what in ("loss", "reorder", "delay", "wire_rate"):
                self.netem[cable.plane, end][what] = event["value"] or (
                    plane_delay(self.sc, cable.plane)
                    if what == "delay" else None)
                commands.append(f"tc -n w qdisc change dev {there} root "
                                f"{self.netem_words(cable.plane, end)}")
            elif what == "blackhole":
                commands.append(f"tc -n w filter add dev {dev} ingress pref 1 "
                                "matchall action gact drop "
                                f"index {self.index[end]}")
            elif what == "repair":
                commands.append(f"tc -n w filter del dev {dev} ingress pref 1")
            elif what == "trim":
                commands.append(f"{IN_W} {self.tools['trimsw']} "
                                f"set {dev} {event['value']}")
            elif what == "untrim":
                commands.append(f"{IN_W} {self.tools['trimsw']} "
                                f"clear {dev}")
            elif what == "rate":
                commands.append(f"tc -n {netns} qdisc change dev {port} root "
                                f"{self.tbf_words(end, event['value'])}")
            elif netns.startswith("h"):
                way = "down" if what == "disable" else "up"
                commands.append(f"{self.tools.get('mrcctl')} -N {netns} "
                                f"plane set {cable.plane} {way}")
        return commands

    def carrier(self, event):
        """Commands: links go or come, all of an event in one instant."""
        self.group += 1
        devs = [cable.wire(end) for cable in affected(self.sc, event)
                for end in senders(self.sc, event, cable)]
        return [*(f"ip -n w link set {dev} group {self.group}"
                  for dev in devs),
                f"ip -n w link set group {self.group} {event['do']}"]

    def snapshot(self, name):
        """Commands: what the hosts know and have counted, at this time."""
        commands = []
        for host in range(self.sc["hosts"]):
            commands += [f"{self.tools.get('mrcctl')} -N h{host} -j -s path "
                         f"show >h{host}.paths.{name}",
                         f"{topo.at_host(host)} cat /proc/net/mrc/snmp "
                         f">h{host}.mrc.{name}"]
        return commands + [f"tc -n w -s -j actions ls action gact "
                           f">w.actions.{name}"]

    def scenario(self):
        """All that runs and happens, on one clock.

        It starts late: a link-local address comes up to a second after its
        link, and neighbours cannot be asked without. Waiting is free. Each
        run starts in another phase of the timer tick: all else being equal,
        virtual time would show one and the same run again and again.
        """
        start = 5000000000 + self.run * RUN_SHIFT
        self.add(f"t0=$(($({self.tools['at']} now) + {start}))",
                 "echo $t0 >t0",
                 f"{self.tools['at']} $((t0 - 1000000000)) sh -ec "
                 + shlex.quote("\n".join(self.drops(".0")))
                 + " || echo drops >>failed &")
        waits = work.start(self)
        for event in self.sc["events"]:
            self.event(event)
        self.add(*waits)

    def drops(self, when):
        """Lines that note what has been dropped so far."""
        return ["for n in $(ls /run/netns); do",
                f"tc -n $n -s -j qdisc show >$n.qdisc{when}",
                f"ip -n $n -s -j link show >$n.link{when}",
                "done"]

    def collect(self):
        """All counters that could tell of a silent drop, or of why."""
        self.add("uname -r >release",
                 "cp /proc/net/softnet_stat softnet",
                 "cat /proc/sys/net/ipv4/tcp_mem >tcp_mem",
                 *self.drops(""),
                 "tc -n w -s -j actions ls action gact >w.actions",
                 f"{IN_W} {self.tools['trimsw']} show >w.trim")
        for host in range(self.sc["hosts"]):
            self.add(f"{topo.at_host(host)} cat /proc/net/netstat "
                     f"/proc/net/snmp >h{host}.netstat",
                     f"{topo.at_host(host)} cat /proc/net/snmp6 "
                     f">h{host}.snmp6",
                     f"{topo.at_host(host)} cat /proc/net/mrc/snmp "
                     f">h{host}.mrc 2>/dev/null || :")
        if self.proto == "mrc":
            self.add(*(f"{self.tools['mrcctl']} -N h{host} -j -s path show "
                       f">h{host}.paths" for host in range(self.sc["hosts"])))

    def script(self):
        """All of it."""
        self.network()
        if self.proto == "mptcp":
            self.mptcp()
        elif self.proto == "mrc":
            self.mrc()
            if self.sc["watch"]:
                self.watch()
        if self.sc["idle"]:
            work.idle(self)
        else:
            self.scenario()
        self.collect()
        return "\n".join(self.lines) + "\n"
