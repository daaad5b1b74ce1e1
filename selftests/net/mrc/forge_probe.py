#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Forged answers to a probe that an administrator of h1 has asked for.

Runs in the namespace "wire" of a back-to-back fabric whose plane 1 is black
between the cable and h2, so that only we answer. We have heard the probe and
know all of it; each answer is wrong in one place and must be dropped. The last
one is right and must count: else the others would have proved nothing. Prints
one line per case, as hostile.py does.
"""
from hostile import EP_REQ, EP_RSP, Wire, mib, settled


def answer(probe):
    """What h2 would say, to be sent where the probe was heard."""
    p = probe.copy()
    p.port = "h2p1"     # Wire.say() sends to the other end: h1
    p.eth = probe.eth[6:12] + probe.eth[:6] + probe.eth[12:]
    p.src, p.dst = probe.dst, probe.src
    eeth = bytearray(36)
    eeth[1] = 1 << 2
    eeth[28:30] = probe.mrc[24:26]
    p.mrc = bytearray([EP_RSP]) + probe.mrc[1:12] + eeth
    return p


def wrong(probe, what):
    p = answer(probe)
    if what == "id":
        p.mrc[11] ^= 1
    elif what == "timestamp":
        p.mrc[12 + 29] ^= 1
    elif what == "EV, in the port":
        p.sport ^= 1
    elif what == "EV, in the flow label":
        p.tcfl = p.tcfl[:3] + bytes([p.tcfl[3] ^ 1])
    elif what == "plane":
        p.port = "h2p2"
        p.eth = p.eth[:4] + b"\x02" + p.eth[5:]
    elif what == "node":
        p.src = p.src[:15] + b"\x77"
    elif what == "kind":
        p.mrc[0] = EP_REQ
        p.mrc[13] = 1
        p.mrc[26:28] = b"\0\1"
    p.add_icrc()
    return p


def main():
    wire = Wire()
    print("ready", flush=True)
    probe = wire.hear("h1p1", lambda p: p.opcode == EP_REQ and
                      p.u(12, 2) & 3 == 1)
    if not probe:
        raise SystemExit("not ok heard no probe")
    for what in ("id", "timestamp", "EV, in the port", "EV, in the flow label",
                 "plane", "node", "kind"):
        before = mib("h1")
        wire.say(wrong(probe, what))
        after = settled("h1", before, ["DropProbeId", "EpReqIn", "PingIn"])
        good = after["PingIn"] == before["PingIn"]
        seen = any(after[n] > before[n] for n in ("DropProbeId", "EpReqIn"))
        print("ok" if good and seen else "not ok",
              f"an answer with another {what} does not count", flush=True)
    before = mib("h1")
    p = answer(probe)
    p.add_icrc()
    wire.say(p)
    good = settled("h1", before, ["PingIn"])["PingIn"] > before["PingIn"]
    print("ok" if good else "not ok", "the right answer counts", flush=True)


if __name__ == "__main__":
    main()
