# SPDX-License-Identifier: GPL-2.0
"""The script that the guest runs, made from a settled scenario.

    host 0                     wire                      host 1
    p1 ---veth--- h0p1 ==ingress redirect== h1p1 ---veth--- p1
    tbf: rate       netem: delay, loss        tbf: rate
    ...

A host's port is a tbf: unlike netem with a rate it leaves the skb to its
owner until it is sent, so that a sender's accounting of what is queued sees
the port as it is. Delay and loss lie one hop further, where the skb has left
the port. All protocols get the same network.
"""
from scenario import duration, size

HOSTS = (0, 1)
ETH_HLEN = 14

# Bytes a port may send ahead of its rate. tbf compares an skb's length with
# it: a GSO skb has to fit, or is cut into packets. In the other case no two
# full packets may.
BURST_GSO = 80000

# Each run starts later than the one before by so many ns; a tick is 10 ms.
RUN_SHIFT = 1357911


def plane_addr(host, plane, sub=0):
    """Address of a host's port on a plane; sub > 0: for more subflows."""
    return f"fd00:{plane:x}::{sub:x}:{host + 1:x}"


def node_addr(host):
    """MRC node address of a host."""
    return f"fd00:6d::{host + 1:x}"


def target(proto, host):
    """Where a program connects to."""
    return node_addr(host) if proto == "mrc" else plane_addr(host, 1)


def port_burst(sc):
    """Burst of a port's tbf in bytes."""
    if not sc["gso"]:
        return 2 * (sc["mtu"] + ETH_HLEN) - 1
    return max(BURST_GSO, (sc["gso_max"] or 0) * 5 // 4)


class Plan:
    """Collects the lines."""

    def __init__(self, sc, proto, tools, run):
        self.sc = sc
        self.run = run
        self.proto = proto
        self.tools = tools
        self.lines = ["set -eu", 'cd "$LAB_OUT"']

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
        where = f"ip netns exec {netns} " if netns else ""
        self.batch(where + "sysctl -q -p -",
                   [f"{key} = {value}" for key, value in values.items()])

    # -- set-up ---------------------------------------------------------

    def network(self):
        """Namespaces, links, queues."""
        self.add("ip netns add w")
        self.sysctl("w", {"net.ipv6.conf.all.disable_ipv6": 1,
                          "net.ipv6.conf.default.disable_ipv6": 1})
        self.sysctl("", {"net.core.netdev_max_backlog": 1000000,
                         **self.sc["global"]})
        for name, value in self.sc["params"].items():
            self.add(f"echo {value} >/sys/module/{name}")
        for host in HOSTS:
            self.host(host)
        wire = []
        for plane in self.planes():
            for host in HOSTS:
                here, there = f"h{host}p{plane}", f"h{1 - host}p{plane}"
                wire += [
                    f"qdisc add dev {here} root netem "
                    f"delay {self.sc['delay']} "
                    f"limit {self.sc['wire_limit']}",
                    f"qdisc add dev {here} clsact",
                    f"filter add dev {here} ingress pref 10 matchall "
                    f"action mirred egress redirect dev {there}"]
        self.batch("tc -n w -batch -", wire)

    def host(self, host):
        """One host."""
        netns, sc = f"h{host}", self.sc
        self.add(f"ip netns add {netns}")
        self.sysctl(netns, {"net.ipv6.conf.all.accept_dad": 0,
                            "net.ipv6.conf.default.accept_dad": 0,
                            "net.ipv4.tcp_no_metrics_save": 1,
                            **sc["sysctl"]})
        links = ["link set lo up", f"address add {node_addr(host)}/128 dev lo"]
        ports = []
        for plane in self.planes():
            wire = f"h{host}p{plane}"
            self.add(f"ip link add {wire} mtu {sc['mtu']} netns w type veth "
                     f"peer name p{plane} mtu {sc['mtu']} netns {netns}",
                     f"ip -n w link set {wire} up")
            links += [f"address add {plane_addr(host, plane, sub)}/64 "
                      f"dev p{plane} nodad" for sub in self.subs()]
            if sc["gso_max"]:
                links.append(f"link set p{plane} "
                             f"gso_max_size {sc['gso_max']} "
                             f"gro_max_size {sc['gso_max']}")
            links.append(f"link set p{plane} up")
            ports.append(f"qdisc add dev p{plane} root tbf "
                         f"rate {sc['rate']} burst {port_burst(sc)} "
                         f"limit {size(sc['port_queue'])}")
        self.batch(f"ip -n {netns} -batch -", links)
        self.batch(f"tc -n {netns} -batch -", ports)

    def mptcp(self):
        """Each port of host 1 but the first is announced to the client."""
        for host in HOSTS:
            self.add(f"ip -n h{host} mptcp limits set subflow 8 "
                     "add_addr_accepted 8")
        self.batch("ip -n h1 -batch -", [
            f"mptcp endpoint add {plane_addr(1, plane, sub)} dev p{plane} "
            "signal" for sub in self.subs() for plane in self.planes()
            if (plane, sub) != (1, 0)])

    def mrc(self):
        """The module, and plain routes over all planes."""
        self.add(f"insmod {self.tools['module']}")
        for host in HOSTS:
            lines = [f"node add {node_addr(host)}"]
            for plane in self.planes():
                lines += [
                    f"plane add {plane} dev p{plane}",
                    f"route add {node_addr(1 - host)}/128 plane {plane} "
                    f"plain via {plane_addr(1 - host, plane)}"]
            self.batch(f"{self.tools['mrcctl']} -N h{host} -b -", lines)

    # -- the run --------------------------------------------------------

    def transfer(self, number, transfer):
        """One connection; returns the line that waits for its sender."""
        sc, start = self.sc, duration(transfer["at"])
        bufs = f"-c {size(sc['chunk'])}"
        if sc["sockbuf"]:
            bufs += f" -b {size(sc['sockbuf'])}"
        port = 5000 + number
        peer = target(self.proto, transfer["to"])
        xfer = f"timeout {sc['limit']} {self.tools['xfer']}"
        trace = " -t" if sc["trace"] else ""
        self.add(f"ip netns exec h{transfer['to']} {xfer} recv "
                 f"{self.proto} :: {port} {bufs}{trace} >recv{number} &",
                 f"{self.tools['at']} $((t0 + {start})) "
                 f"ip netns exec h{transfer['from']} {xfer} send "
                 f"{self.proto} {peer} {port} "
                 f"{size(transfer['bytes'])} {bufs} >send{number} &",
                 f"send{number}=$!")
        return f"wait $send{number} || echo {number} >>failed"

    def event(self, event):
        """Something happens to a plane on the wire."""
        commands = []
        hosts = HOSTS if event["host"] is None else (event["host"],)
        for host in hosts:
            dev = f"h{host}p{event['plane']}"
            commands.append({
                "blackhole": f"tc -n w filter add dev {dev} ingress pref 1 "
                             "matchall action drop",
                "repair": f"tc -n w filter del dev {dev} ingress pref 1",
                "down": f"ip -n w link set {dev} down",
                "up": f"ip -n w link set {dev} up",
                "disable": f"{self.tools.get('mrcctl')} -N h{host} "
                           f"plane set {event['plane']} down",
                "enable": f"{self.tools.get('mrcctl')} -N h{host} "
                          f"plane set {event['plane']} up",
                "loss": f"tc -n w qdisc change dev {dev} root netem "
                        f"delay {self.sc['delay']} "
                        f"limit {self.sc['wire_limit']} "
                        f"loss {event['value']}",
            }[event["do"]])
        self.add(f"{self.tools['at']} $((t0 + {duration(event['at'])})) "
                 f"sh -ec '{'; '.join(commands)}' || echo event >>failed &")

    def transfers(self):
        """All transfers and events, on one clock.

        It starts late: a link-local address comes up to a second after its
        link, and neighbours cannot be asked without. Waiting is free. Each
        run starts in another phase of the timer tick: all else being equal,
        virtual time would show one and the same run again and again.
        """
        start = 5000000000 + self.run * RUN_SHIFT
        self.add(f"t0=$(($({self.tools['at']} now) + {start}))",
                 "echo $t0 >t0")
        waits, number = [], 0
        for transfer in self.sc["transfers"]:
            for _ in range(transfer["flows"]):
                waits.append(self.transfer(number, transfer))
                number += 1
        for event in self.sc["events"]:
            self.event(event)
        self.add(*waits)

    def idle(self):
        """Many connections; memory before and after."""
        idle = self.sc["idle"]
        what = f"5000 {idle['count']} {size(idle.get('bytes', 0))}"
        self.add("cat >snap <<'EOF'",
                 "sync; sleep 1; cat /proc/meminfo >meminfo.$1",
                 "cat /proc/slabinfo >slabinfo.$1", "EOF",
                 f"ip netns exec h1 {self.tools['xfer']} hold "
                 f"{self.proto} :: {what} &",
                 "sleep 0.1",
                 f"ip netns exec h0 {self.tools['xfer']} idle "
                 f"{self.proto} {target(self.proto, 1)} {what} "
                 "'sh snap' || echo idle >>failed")

    def collect(self):
        """All counters that could tell of a silent drop, or of why."""
        self.add("uname -r >release",
                 "cp /proc/net/softnet_stat softnet",
                 "cat /proc/sys/net/ipv4/tcp_mem >tcp_mem")
        for netns in ("w", "h0", "h1"):
            self.add(f"tc -n {netns} -s -j qdisc show >{netns}.qdisc",
                     f"ip -n {netns} -s -j link show >{netns}.link")
        for host in HOSTS:
            self.add(f"ip netns exec h{host} cat /proc/net/netstat "
                     f"/proc/net/snmp >h{host}.netstat",
                     f"ip netns exec h{host} cat /proc/net/snmp6 "
                     f">h{host}.snmp6",
                     f"ip netns exec h{host} cat /proc/net/mrc/snmp "
                     f">h{host}.mrc 2>/dev/null || :")

    def script(self):
        """All of it."""
        self.network()
        if self.proto == "mptcp":
            self.mptcp()
        elif self.proto == "mrc":
            self.mrc()
        if self.sc["idle"]:
            self.idle()
        else:
            self.transfers()
        self.collect()
        return "\n".join(self.lines) + "\n"
