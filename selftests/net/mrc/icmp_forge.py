#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# ICMP errors that nobody has a reason to send, out of a port:
#
#	icmp_forge.py PORT MAC PLANE COUNT
#
# They quote packets from fd00:6d::1 to fd00:6d::2 with EVs of that plane, as
# they would look plain and in SRv6, and others that are cut or nonsense; each
# of these COUNT times. Prints how many of them quote such a packet.

import socket
import struct
import sys

from hostile import checksum, ipv6

PORT = 4791
EV_PLANE_SHIFT, EV_PATH_SHIFT = 26, 11


def addr(text):
    return socket.inet_pton(socket.AF_INET6, text)


H1, H2 = addr("fd00:6d::1"), addr("fd00:6d::2")
SID, ROUTER = addr("5f00:0:102:d02::"), addr("fe80::1")


def error(kind, quoted):
    body = struct.pack(">BBHI", kind, 0, 0, 1280) + quoted
    body += b"\0" * (len(body) % 2)
    pseudo = ROUTER + H1 + struct.pack(">II", len(body), 58)
    body = body[:2] + struct.pack(">H", checksum(pseudo + body)) + body[4:]
    return ipv6(58, body, ROUTER, H1)


def errors(plane):
    ours, nonsense = [], []
    for path in range(8):
        ev = plane << EV_PLANE_SHIFT | path << EV_PATH_SHIFT | 5
        udp = struct.pack(">HHHH", ev & 0xFFFF, PORT, 108, 0) + bytes(100)
        plain = ipv6(17, udp, H1, H2, ev >> 16)
        srh = struct.pack("BBBBBBH", 41, 2, 4, 1, 0, 0, 0) + SID
        ours += [plain, ipv6(41, plain, H1, SID, ev >> 16),
                 ipv6(43, srh + plain, H1, SID, ev >> 16)]
        other = struct.pack(">HHHH", ev & 0xFFFF, PORT + 1, 108, 0)
        nonsense += [plain[:46], plain[:39], plain[:0], ipv6(43, srh, H1, SID),
                     ipv6(17, other, H1, H2), ipv6(17, udp, H2, H1),
                     ipv6(17, udp, H1, H1), ipv6(41, plain, H2, SID),
                     ipv6(43, struct.pack("BBBBBBH", 41, 255, 4, 0, 0, 0, 0) +
                          plain, H1, SID)]
    return ([error(kind, q) for q in ours for kind in (1, 2, 3, 4)],
            [error(kind, q) for q in nonsense for kind in (1, 2)])


def main():
    port, mac, plane, count = sys.argv[1:]
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    s.bind((port, 0))
    eth = bytes.fromhex(mac.replace(":", "")) + bytes.fromhex("02000000000086dd")
    ours, nonsense = errors(int(plane))
    for _ in range(int(count)):
        for packet in ours + nonsense:
            s.send(eth + packet)
    print(int(count) * len(ours))


main()
