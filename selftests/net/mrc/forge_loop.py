#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Forged loop probes: packets that bear h1's own address and come to it.

Runs in the namespace of h1's leaf in plane 1 of a uSID fabric, whose link to
the spine of path 0 is black, so that the loop probe of which we hear never
comes back. What we send to h1 instead is wrong in one place and must be
dropped; the last one is right and must count, and the same once more must not.
Prints one line per case, as hostile.py does.
"""
import ipaddress
import socket
import subprocess

from hostile import DATA_ONLY, EP_REQ, EP_RSP, WAIT, Packet, mib, settled

SEND = """
import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind((sys.argv[1], 0))
s.send(bytes.fromhex(sys.argv[2]))
"""
SID = ipaddress.ip_address("5f00:0:d01::").packed


def hear():
    """A loop probe of h1: Ethernet and outer header, and what is in it."""
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.bind(("h1", 3))
    s.settimeout(WAIT)
    print("ready", flush=True)
    while True:
        frame, addr = s.recvfrom(70000)
        if (addr[2] == socket.PACKET_OUTGOING or len(frame) < 128 or
                frame[12:14] != b"\x86\xdd" or frame[20] != 41):
            continue
        inner = Packet(frame[:14] + frame[54:], "h1")
        # The one that goes on to spine 1; the leaf may have shifted its own
        # segment out before we read the frame
        if (inner.src == inner.dst and inner.opcode == EP_REQ and
                b"\0\1\1\1\x0d\1" in frame[42:54]):
            inner.mrc = inner.mrc[:-4]
            return frame[:54], inner


def say(head, inner, plane):
    eth = head[6:12] + head[:6] + head[12:14]
    if plane != 1:
        eth = eth[:4] + bytes([plane]) + eth[5:]
    body = inner.build()[14:]
    outer = (head[14:18] + len(body).to_bytes(2, "big") + b"\x29\x40" +
             head[22:38] + SID)
    subprocess.run(["nsenter", f"--net=/run/netns/p{plane}t01", "python3",
                    "-c", SEND, "h1", (eth + outer + body).hex()], check=True)


def forge(inner, what):
    p = inner.copy()
    if what == "id":
        p.mrc[11] ^= 1
    elif what == "timestamp":
        p.mrc[25] ^= 1
    elif what == "nonce":
        p.mrc[12 + 7] ^= 1
    elif what == "EV":
        p.sport ^= 1
    elif what == "kind":
        p.mrc[0] = EP_RSP
        p.mrc[13] = 1 << 2
    elif what == "queue pair":
        p.mrc[0] = DATA_ONLY
        p.mrc[5:8] = b"\x12\x34\x56"
    p.add_icrc()
    return p


def case(head, inner, name, want, plane=1):
    before = mib("h1")
    say(head, inner, plane)
    names = ["DropSaddr", "PingIn", "EpReqIn", "DropProbeId"]
    after = settled("h1", before, names)
    got = [n for n in names if after[n] > before[n]]
    print("ok" if got == [want] else "not ok", name, flush=True)


def main():
    head, inner = hear()
    for what in ("id", "timestamp", "nonce", "EV", "kind", "queue pair"):
        case(head, forge(inner, what),
             f"a loop with another {what} does not count", "DropSaddr")
    good = forge(inner, "")
    case(head, good, "nor one on another plane", "DropSaddr", 2)
    case(head, good, "the right one counts", "PingIn")
    case(head, good, "but only once", "DropSaddr")


if __name__ == "__main__":
    main()
