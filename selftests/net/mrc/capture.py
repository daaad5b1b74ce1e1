#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Reads a capture ("tcpdump -i any") of MRC's packets by its own lights, that
# is, by Documentation/networking/mrc-wire.rst and not by the module's code.
#
#	capture.py bth FILE		opcode, destination QP, PSN of each packet
#	capture.py spread FILE N	of data packets in the order they left, the
#					share of each port in any N in a row: worst
#					difference from an equal share, in points
#	capture.py planes FILE		data packets of each port
#	capture.py evs FILE		the entropy values of data packets, once each
#	capture.py srh FILE		segments left, last entry and list of each
#					packet with a segment routing header
#	capture.py sack FILE H1 H2 N	does the newest SACK to h1's connection,
#					which has sent N bytes, say what both ends
#					say in H1 and H2 ("mrcctl -j -d sock show")?

import collections
import json
import socket
import struct
import sys

PORT = 4791
SACK = 0xDC
DATA = range(0xC6, 0xCC)


def records(name):
    """(port, IPv6 packet) of a pcap file with LINUX_SLL2 headers."""
    with open(name, "rb") as f:
        head = f.read(24)
        order = "<" if head[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") \
            else ">"
        if struct.unpack(order + "I", head[20:24])[0] & 0xFFFF != 276:
            sys.exit("not LINUX_SLL2")
        while True:
            head = f.read(16)
            if len(head) < 16:
                return
            packet = f.read(struct.unpack(order + "IIII", head)[2])
            proto, _, port = struct.unpack(">HHI", packet[:8])
            if proto == 0x86DD:
                yield port, packet[20:]


def inner(name):
    """(port, inner IPv6 packet) of MRC's packets, SRv6 or plain."""
    for port, ip in records(name):
        if len(ip) > 80 and ip[6] == 43:
            ip = ip[40 + 8 * (ip[41] + 1):]
        elif len(ip) > 80 and ip[6] == 41:
            ip = ip[40:]
        if len(ip) < 60 or ip[6] != 17:
            continue
        if struct.unpack(">H", ip[42:44])[0] == PORT:
            yield port, ip


def datagrams(name):
    """(port, bytes from the BTH on) of MRC's packets."""
    for port, ip in inner(name):
        yield port, ip[48:]


def evs(name):
    for ev in sorted({int.from_bytes(ip[2:4] + ip[40:42], "big")
                      for _, ip in inner(name) if ip[48] in DATA}):
        print("%#x" % ev)


def u24(b):
    return int.from_bytes(b[:3], "big")


def bth(name):
    for _, b in datagrams(name):
        print(b[0], u24(b[5:]), u24(b[9:]))


def data_ports(name):
    """Ports of first transmissions of data, in order."""
    return [port for port, b in datagrams(name)
            if b[0] in DATA and not b[8] & 0x20]


def planes(name):
    for port, n in sorted(collections.Counter(data_ports(name)).items()):
        print(port, n)


def srh(name):
    for _, ip in records(name):
        if len(ip) < 64 or ip[6] != 43 or ip[42] != 4:
            continue
        addrs = [socket.inet_ntop(socket.AF_INET6, ip[at:at + 16])
                 for at in range(48, 48 + 16 * (ip[44] + 1), 16)]
        print(ip[43], ip[44], ",".join(addrs))


def spread(name, window):
    ports = data_ports(name)
    count = collections.Counter(ports[:window])
    fair = window / len(set(ports))
    worst = 0
    for i in range(window, len(ports) + 1):
        worst = max([worst] + [abs(n - fair) for n in count.values()])
        if i < len(ports):
            count[ports[i]] += 1
            count[ports[i - window]] -= 1
    if len(ports) < window:
        sys.exit("only %d data packets" % len(ports))
    print("%.1f" % (100 * worst / window))


def decode_sack(b):
    seth, cc, prof = b[12:40], b[40:48], b[48:84]
    if len(b) < 84 or seth[0] & 0xF0 or (seth[0] << 1 | seth[1] >> 7) & 0x1F != 0x1E:
        sys.exit("a SACK without profile header: " + b.hex())
    next_va, max_va, _, serial = struct.unpack(">QQII", prof[:24])
    return {
        "dqpn": u24(b[5:]), "psn": u24(b[9:]), "cack": u24(seth[13:]),
        "spdcid": struct.unpack(">H", seth[8:10])[0],
        "dpdcid": struct.unpack(">H", seth[10:12])[0],
        "mpr": seth[17] * 128,
        "rcvd": u24(cc[5:]) * 256,
        "next_va": next_va, "window": max_va - next_va, "serial": serial,
    }


def connection(name):
    """The one of "mrcctl -j -d sock show" that is no listener."""
    with open(name) as f:
        sock, = (s for s in json.load(f) if "peer_qpn" in s)
    return sock


def sack(name, h1, h2, sent):
    h1, h2 = connection(h1), connection(h2)
    all_ = [decode_sack(b) for _, b in datagrams(name)
            if b[0] == SACK and u24(b[5:]) == h1["qpn"]]
    if not all_:
        sys.exit("no SACK to QP %d" % h1["qpn"])
    s = max(all_, key=lambda s: s["serial"])
    following = (s["cack"] + 1) & 0xFFFFFF
    wrong = 0
    for what, said, is_ in (
            ("the PSN of BTH", s["psn"], s["cack"]),
            ("cack, what h1 saw acknowledged", following, h1["snd_una"]),
            ("cack, what h2 waits for", following, h2["rcv_nxt"]),
            ("spdcid", s["spdcid"], h2["qpn"] & 0xFFFF),
            ("dpdcid", s["dpdcid"], h1["qpn"] & 0xFFFF),
            ("next VA", s["next_va"], sent),
            ("bytes received", s["rcvd"], (sent + 255) // 256 * 256),
            ("MPR", s["mpr"], h1["mpr"]),
            ("window of h2", s["window"], h2["rcv_wnd"]),
            ("window known to h1", s["window"], h1["snd_wnd"])):
        if said != is_:
            print("%s: %d, not %d" % (what, said, is_))
            wrong = 1
    sys.exit(wrong)


def main():
    what, name = sys.argv[1:3]
    if what == "bth":
        bth(name)
    elif what == "planes":
        planes(name)
    elif what == "srh":
        srh(name)
    elif what == "evs":
        evs(name)
    elif what == "spread":
        spread(name, int(sys.argv[3]))
    elif what == "sack":
        sack(name, *sys.argv[3:5], int(sys.argv[5]))
    else:
        sys.exit("capture.py bth|planes|spread|srh|evs|sack FILE ...")


main()
