#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Packets with segment routing headers that nobody should trust, out of a port,
# for "mrc" at the other end:
#
#	srh_forge.py PORT MAC SID NODE COUNT
#
# Lists longer than the header, headers longer than the packet, segments left,
# no segment, options, an inner packet that is cut or is none; COUNT times each.

import socket
import struct
import sys

from hostile import ipv6

PORT = 4791
SRC = socket.inet_pton(socket.AF_INET6, "fd00:6d::1")


def srh(sid, hdrlen=2, left=0, last=0, kind=4, nexthdr=41):
    return struct.pack("BBBBBBH", nexthdr, hdrlen, kind, left, last, 0, 0) + sid


def packets(sid, node):
    udp = struct.pack(">HHHH", 4000, PORT, 8 + 64, 0) + bytes(64)
    inner = ipv6(17, udp, SRC, node)
    for fields in ({"last": 1}, {"last": 255}, {"hdrlen": 0},
                   {"hdrlen": 1, "last": 0}, {"hdrlen": 255, "last": 126},
                   {"hdrlen": 254, "last": 126}, {"hdrlen": 4, "last": 0},
                   {"left": 1}, {"left": 255}, {"kind": 0}, {"kind": 2},
                   {"nexthdr": 4}, {"nexthdr": 43}, {"nexthdr": 44}):
        yield srh(sid, **fields) + inner
    for cut in (0, 1, 39, 40, 47, 48, 60):
        yield srh(sid) + inner[:cut]
    yield srh(sid)[:8]
    yield srh(sid)[:7]
    yield srh(sid) + ipv6(17, udp, SRC, node, length=65535)
    yield srh(sid) + ipv6(17, udp[:20], SRC, node)
    yield srh(sid) + srh(sid) + inner


def main():
    port, mac, sid, node, count = sys.argv[1:]
    sid = socket.inet_pton(socket.AF_INET6, sid)
    node = socket.inet_pton(socket.AF_INET6, node)
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.bind((port, 0))
    eth = bytes.fromhex(mac.replace(":", "")) + bytes.fromhex("02000000000086dd")
    for _ in range(int(count)):
        for payload in packets(sid, node):
            s.send(eth + ipv6(43, payload, SRC, sid))


main()
