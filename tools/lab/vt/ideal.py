# SPDX-License-Identifier: GPL-2.0
"""What a network could do at best, by arithmetic.

The way from host to host takes the delay of its cables, and one packet's time
at each switch, which has to have it all before it sends it on. A chunk takes
its bytes over the payload capacity of all planes: what MRC's headers leave.
"""
import topo
from scenario import bits, duration, plane_delay, size

PAYLOAD = 4096
# Ethernet, IPv6, UDP, BTH, METH, RETH; behind switches one more IPv6
HEADERS = 14 + 40 + 8 + 12 + 4 + 16
SRV6 = 40


def frame(sc):
    """Bytes of a full packet."""
    return PAYLOAD + HEADERS + (SRV6 if sc["t0"] else 0)


def capacity(sc):
    """Payload that all planes together carry, bytes per ns."""
    return sum(sc["plane_rates"]) / 8e9 * PAYLOAD / frame(sc)


def path_ns(sc, here, there):
    """Of the first packet, from host to host, without its time at the port of
    the host.
    """
    cables = 1
    if sc["t0"]:
        cables = 2 if topo.leaf_of(sc, here) == topo.leaf_of(sc, there) else 4
    delay = min(duration(plane_delay(sc, plane))
                for plane in range(1, sc["planes"] + 1))
    packet = frame(sc) * 8e9 / bits(sc["rate"])
    return cables * delay + (cables - 1) * packet


def message_ns(sc, what):
    """A message on its own."""
    return path_ns(sc, what["from"], what["to"]) + \
        size(what["bytes"] if "bytes" in what else what["size"]) / capacity(sc)


def collective_ns(sc, lost=0):
    """All steps one after the other, with a share of the capacity lost."""
    what, hosts = sc["collective"], sc["hosts"]
    chunk = size(what["bytes"]) / hosts
    if what["do"] == "ring":
        hops = [1] * (2 * (hosts - 1))
    else:
        hops = range(1, hosts)
    return sum(max(path_ns(sc, host, (host + hop) % hosts)
                   for host in range(hosts)) +
               chunk / (capacity(sc) * (1 - lost)) for hop in hops)
