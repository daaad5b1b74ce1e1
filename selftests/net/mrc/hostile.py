#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Hostile packets towards a live connection.

Runs in the namespace "wire" of a back-to-back fabric: it listens to what the
two hosts say, so that it knows every key and number, and forges packets that
are wrong in exactly one place. Each must be counted under its own name by the
host that gets it, get the answer the design names, and leave the connection
as it was. Prints one line per case for hostile.sh: "ok NAME" or "not ok NAME".

  hostile.py FIFO OUT   connection h1 -> h2 that echoes: what is written to
                        FIFO must come back in OUT
"""
import os
import select
import socket
import struct
import subprocess
import sys
import time
import zlib

PORTS = [f"{h}p{p}" for h in ("h1", "h2") for p in range(1, 5)]
DATA_ONLY, SACK, NACK, PROBE, NAK = 0xca, 0xdc, 0xdd, 0xde, 0xd1
EP_REQ, EP_RSP, CM = 0xd8, 0xd9, 0xdf
WAIT = 10.0


def mib(host):
    out = subprocess.run(
        ["nsenter", f"--net=/run/netns/{host}", "cat", "/proc/net/mrc/snmp"],
        check=True, capture_output=True, text=True).stdout
    return {k: int(v) for k, v in (line.split()[:2] for line in
                                   out.splitlines() if line.strip())}


def settled(host, before, names):
    """Waits until one of the counters has grown. Returns all of them."""
    end = time.monotonic() + WAIT
    while True:
        now = mib(host)
        if any(now[n] > before[n] for n in names) or time.monotonic() > end:
            return now


def ipv6(nexthdr, payload, src, dst, label=0, length=None):
    return struct.pack("!IHBB", 6 << 28 | label, len(payload) if length is None
                       else length, nexthdr, 64) + src + dst + payload


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


class Packet:
    """A frame taken apart; build() puts it together with right checksums."""

    def __init__(self, frame, port):
        self.port = port
        self.eth = frame[:14]
        self.tcfl = frame[14:18]
        self.src, self.dst = frame[22:38], frame[38:54]
        self.nexthdr = frame[20]
        self.sport, self.dport = struct.unpack("!HH", frame[54:58])
        length = struct.unpack("!H", frame[18:20])[0]
        self.mrc = bytearray(frame[62:54 + length])

    def copy(self):
        other = Packet.__new__(Packet)
        other.__dict__.update(self.__dict__)
        other.mrc = bytearray(self.mrc)
        return other

    @property
    def dscp(self):
        return ((self.tcfl[0] << 4 | self.tcfl[1] >> 4) & 0xff) >> 2

    @dscp.setter
    def dscp(self, value):
        tc = value << 2
        self.tcfl = bytes([0x60 | tc >> 4, tc << 4 & 0xf0 |
                           self.tcfl[1] & 0x0f]) + self.tcfl[2:]

    @property
    def opcode(self):
        return self.mrc[0]

    @property
    def psn(self):
        return int.from_bytes(self.mrc[9:12], "big")

    @psn.setter
    def psn(self, value):
        self.mrc[9:12] = (value & 0xffffff).to_bytes(3, "big")

    def u(self, off, size):
        return int.from_bytes(self.mrc[off:off + size], "big")

    def put(self, off, size, value):
        mask = (1 << 8 * size) - 1
        self.mrc[off:off + size] = (value & mask).to_bytes(size, "big")

    def add_icrc(self):
        length = len(self.mrc) + 12
        pseudo = (b"\xff" * 8 + struct.pack("!IHBB", 0x6fffffff, length, 17,
                                            255) + self.src + self.dst +
                  struct.pack("!HHHH", self.sport, self.dport, length,
                              0xffff))
        body = bytearray(self.mrc)
        body[4] = 0xff
        crc = zlib.crc32(bytes(body), zlib.crc32(pseudo))
        self.mrc += struct.pack("<I", crc)

    def build(self, bad_csum=False, exthdr=False):
        udp_len = 8 + len(self.mrc)
        udp = struct.pack("!HHHH", self.sport, self.dport, udp_len, 0)
        pseudo = self.src + self.dst + struct.pack("!II", udp_len, 17)
        csum = checksum(pseudo + udp + bytes(self.mrc)) or 0xffff
        if bad_csum:
            csum ^= 0x1234
        udp = udp[:6] + struct.pack("!H", csum) + bytes(self.mrc)
        nexthdr = 17
        if exthdr:
            # destination options: one PadN
            udp = bytes([17, 0, 1, 4, 0, 0, 0, 0]) + udp
            nexthdr = 60
        return (self.eth + self.tcfl + struct.pack("!HBB", len(udp), nexthdr,
                                                   64) +
                self.src + self.dst + udp)


class Wire:
    """Ears and mouth on every cable."""

    def __init__(self):
        self.sock = {}
        for port in PORTS:
            # ETH_P_ALL: heard before the cable takes the frame away
            s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                              socket.htons(3))
            s.bind((port, 3))
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            self.sock[port] = s

    def drain(self):
        for s in self.sock.values():
            while select.select([s], [], [], 0)[0]:
                s.recv(70000)

    def hear(self, host, want, timeout=WAIT):
        """The first packet that @host sends for which @want is true."""
        end = time.monotonic() + timeout
        ears = {s: p for p, s in self.sock.items() if p.startswith(host)}
        while True:
            left = end - time.monotonic()
            ready = select.select(list(ears), [], [], max(left, 0))[0]
            if not ready and left <= 0:
                return None
            for s in ready:
                frame, addr = s.recvfrom(70000)
                # what the host sent came in here; what goes to it goes out
                if (addr[2] == socket.PACKET_OUTGOING or len(frame) < 74 or
                        frame[12:14] != b"\x86\xdd"):
                    continue
                if frame[20] != 17:
                    continue
                p = Packet(frame, ears[s])
                if p.dport == 4791 and len(p.mrc) >= 12 and want(p):
                    return p

    def say(self, packet, **how):
        """To the host at the other end of the cable it was heard on."""
        other = {"h1": "h2", "h2": "h1"}[packet.port[:2]]
        self.sock[other + packet.port[2:]].send(packet.build(**how))
        return other


class Test:
    def __init__(self, fifo, out):
        self.wire = Wire()
        self.fifo = os.open(fifo, os.O_WRONLY)
        self.out = out
        self.sent = 0
        self.failed = 0

    def chat(self):
        """Some bytes go there and come back: the connection lives."""
        chunk = os.urandom(500)
        os.write(self.fifo, chunk)
        self.sent += len(chunk)
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            try:
                if os.path.getsize(self.out) >= self.sent:
                    return True
            except OSError:
                pass
            select.select([], [], [], 0.01)
        return False

    def listen(self):
        """One round of talk: a data packet of h1 and the SACK of h2."""
        self.wire.drain()
        if not self.chat():
            raise SystemExit("not ok the connection does not echo")
        data = self.wire.hear("h1", lambda p: p.opcode == DATA_ONLY)
        sack = self.wire.hear("h2", lambda p: p.opcode == SACK and
                              not p.u(13, 1) & 2)
        if not data or not sack:
            raise SystemExit("not ok heard no data or no SACK")
        return data, sack

    def verdict(self, name, good, why=""):
        print(("ok " if good else "not ok ") + name +
              (f" # {why}" if why and not good else ""), flush=True)
        self.failed += not good

    def grows(self, host, before, names):
        end = time.monotonic() + WAIT
        while True:
            now = mib(host)
            missing = [n for n in names if now[n] <= before[n]]
            if not missing or time.monotonic() > end:
                return missing
            select.select([], [], [], 0.01)

    def case(self, name, packet, counters, answer=None, never=(), **how):
        """@packet raises @counters of who gets it and none of @never; @answer
        is a predicate of what that host sends back.
        """
        host = {"h1": "h2", "h2": "h1"}[packet.port[:2]]
        before = mib(host)
        self.wire.drain()
        self.wire.say(packet, **how)
        missing = self.grows(host, before, counters)
        why = "no " + ", ".join(missing) if missing else ""
        if answer and not self.wire.hear(host, answer):
            why += " no answer"
        if not self.chat():
            why += " the connection died"
        after = mib(host)
        why += "".join(" but " + n for n in never if after[n] > before[n])
        self.verdict(name, not why, why)


def data_cases(t):
    data, _ = t.listen()

    def forge(**change):
        p = data.copy()
        for off, (size, value) in change.get("put", {}).items():
            p.put(off, size, value)
        return p

    t.case("data: cut inside the BTH", cut(data, 8), ["DropShort"])
    t.case("data: cut inside the RETH", cut(data, 24), ["DropShort"])
    t.case("data: unknown opcode", forge(put={0: (1, 0xff)}), ["DropOpcode"])
    t.case("data: transport version 1", forge(put={1: (1, 0x01)}),
           ["DropTver"])
    t.case("data: another partition", forge(put={2: (2, 0x1234)}),
           ["DropPkey"])
    t.case("data: DMALen above the payload",
           forge(put={28: (4, data.u(28, 4) + 4)}), ["DropDmalen"])
    t.case("data: unknown QP", forge(put={5: (3, data.u(5, 3) ^ 0x5a5a5a)}),
           ["DropQp"])
    t.case("data: R_Key off by one bit",
           forge(put={24: (4, data.u(24, 4) ^ 1)}), ["DropRkey"])

    p = data.copy()
    p.psn = data.psn + 100000
    t.case("data: PSN above the window is answered by NACK 0B", p,
           ["DropPsnAbove", "NackOut"],
           lambda a: a.opcode == NACK and a.mrc[14] == 0x0b)
    flood(t, "data: a flood of them gets few answers", p, "DropPsnAbove")
    p = next_packet(t.listen()[0])
    p.put(16, 8, p.u(16, 8) + (1 << 40))
    t.case("data: VA outside the window", p, ["DropVaWindow"])
    p = next_packet(t.listen()[0])
    p.put(16, 8, p.u(16, 8) - 1)
    t.case("data: VA before what was received", p, ["DropVaWindow"])
    data, _ = t.listen()
    t.case("data: received before is acknowledged again", data, ["DropDup"],
           lambda a: a.opcode == SACK)
    t.case("data: bad UDP checksum", data, ["DropCsum"], bad_csum=True)
    t.case("data: extension header", data, ["DropExthdr"], exthdr=True)

    p = data.copy()
    p.src = p.src[:15] + b"\x77"
    t.case("data: from another node", p, ["DropAddr"])
    p = data.copy()
    p.src = b"\xff\x02" + bytes(13) + b"\x01"
    p.src = p.dst
    t.case("data: from the receiver's own address", p, ["DropSaddr"])


def flood(t, name, packet, drop):
    """Each of many is counted, but answers are few: 16 and one in 100 us."""
    host, n = {"h1": "h2", "h2": "h1"}[packet.port[:2]], 3000
    before, start = mib(host), time.monotonic()
    for _ in range(n):
        t.wire.say(packet)
    end = start + WAIT
    while True:
        after, now = mib(host), time.monotonic()
        counted = after[drop] - before[drop]
        if counted >= n or now > end:
            break
        select.select([], [], [], 0.01)
    answers = after["NackOut"] - before["NackOut"]
    allowed = 16 + (now - start) / 100e-6
    t.verdict(name, counted == n and 0 < answers <= allowed and
              t.chat(), f"{counted} counted, {answers} answered")


def cut(packet, length):
    p = packet.copy()
    p.mrc = p.mrc[:length]
    return p


def next_packet(packet):
    """A data packet as the next one of the connection would be, but 4 bytes
    long. It must be refused: it would be taken otherwise.
    """
    p = packet.copy()
    length = packet.u(28, 4)
    p.psn = packet.psn + 1
    p.put(16, 8, packet.u(16, 8) + length)
    p.put(28, 4, 4)
    p.put(1, 1, packet.mrc[1] & ~0x30)
    p.mrc = p.mrc[:32] + b"evil"
    return p


TRIMMED, TRIMMED_LASTHOP, CONTROL = 11, 12, 36


def trim(packet, keep=200, dscp=TRIMMED):
    """What a switch leaves of a packet, checksums as they were."""
    p = cut(packet, keep)
    p.dscp = dscp
    return p


def coming(packet):
    """The data packet that the connection would send next."""
    p = packet.copy()
    p.psn = packet.psn + 1
    p.put(16, 8, packet.u(16, 8) + packet.u(28, 4))
    return p


def trim_cases(t):
    def nack(reason):
        return lambda a: (a.opcode == NACK and a.mrc[14] == reason and
                          a.dscp == CONTROL)

    def case(name, packet, drops, **how):
        t.case("trim: " + name, packet, drops, bad_csum=True, **how)

    def refused(name, packet, drop):
        case(name, packet, [drop], never=["NackOut", "CmGoneOut"])

    p = coming(t.listen()[0])
    case("what may have been sent gets a NACK", trim(p),
         ["TrimIn", "NackOut"], answer=nack(1))
    p = coming(t.listen()[0])
    case("on the last hop, another one", trim(p, dscp=TRIMMED_LASTHOP),
         ["TrimIn", "NackOut"], answer=nack(2))
    p = coming(t.listen()[0])
    p.put(24, 4, p.u(24, 4) ^ 1)
    refused("R_Key off by one bit", trim(p), "DropRkey")
    p = coming(t.listen()[0])
    p.psn += 100000
    refused("PSN above the window", trim(p), "DropPsnAbove")
    p = coming(t.listen()[0])
    p.put(16, 8, p.u(16, 8) + (1 << 40))
    refused("VA outside the window", trim(p), "DropVaWindow")
    p = coming(t.listen()[0])
    p.put(28, 4, 1 << 20)
    refused("longer than a packet can be", trim(p), "DropDmalen")
    p = coming(t.listen()[0])
    p.put(5, 3, p.u(5, 3) ^ 0x5a5a5a)
    refused("unknown QP", trim(p), "DropQp")
    p = coming(t.listen()[0])
    p.src = p.src[:15] + b"\x77"
    refused("from another node", trim(p), "DropAddr")
    data, sack = t.listen()
    refused("received before", trim(data), "DropDup")
    # below 77 bytes UDP looks at the checksum, so these have a right one
    t.case("trim: cut inside the RETH", trim(data, 24), ["DropShort"],
           never=["NackOut"])
    t.case("trim: not data", trim(sack), ["DropTrim"], never=["NackOut"])


def sack_cases(t):
    def fresh():
        return t.listen()[1].copy()

    p = fresh()
    p.put(12, 1, p.mrc[12] | 0x10)
    t.case("SACK: type 1", p, ["DropType"])
    p = fresh()
    nxt = p.u(12, 2)
    p.put(12, 2, (nxt & ~0x0f80) | 0x0080)
    t.case("SACK: unknown next header", p, ["DropNxt"])
    p = fresh()
    p.put(13, 1, p.mrc[13] | 0x60)
    t.case("SACK: m = 3", p, ["DropSackM"])
    p = fresh()
    p.put(28, 1, 0x70)
    t.case("SACK: unknown cc_type", p, ["DropCcType"])
    p = fresh()
    p.put(64, 4, p.u(64, 4) ^ 1)
    t.case("SACK: control key off by one bit", p, ["DropKey"])
    p = fresh()
    p.put(25, 3, p.u(25, 3) + 1)
    t.case("SACK: BTH and SETH name two PSNs", p, ["DropPsnDiff"])
    p = fresh()
    p.put(25, 3, p.u(25, 3) + 1000)
    p.psn = p.u(25, 3)
    p.put(68, 4, p.u(68, 4) + 1)
    t.case("SACK: acknowledges what was never sent", p, ["DropSackUnsent"])
    p = fresh()
    p.put(32, 8, 1 << 63)
    p.put(68, 4, p.u(68, 4) + 1)
    t.case("SACK: a bit beyond what was sent", p, ["DropSackUnsent"])
    p = fresh()
    p.put(25, 3, p.u(25, 3) - 1)
    p.psn = p.u(25, 3)
    p.put(68, 4, p.u(68, 4) + 1000)
    t.case("SACK: takes back what it acknowledged", p, ["DropSackRenege"])
    p = fresh()
    p.put(56, 8, p.u(56, 8) - (1 << 20))
    p.put(68, 4, p.u(68, 4) + 1000)
    t.case("SACK: shrinks the window", p, ["DropSackWindow"])
    p = fresh()
    p.put(48, 8, p.u(48, 8) + 4)
    p.put(68, 4, p.u(68, 4) + 1000)
    t.case("SACK: next VA contradicts cack", p, ["DropSackWindow"])
    p = fresh()
    p.put(13, 1, p.mrc[13] | 0x02)
    t.case("SACK: answers a probe that is not out", p, ["DropProbeId"])
    p = fresh()
    p.mrc = p.mrc[:40]
    t.case("SACK: cut", p, ["DropShort"])


def control(sack, opcode, body):
    """A control packet of h2 with the key and QPN that its SACK shows."""
    p = sack.copy()
    p.mrc = bytearray(sack.mrc[:12]) + body
    p.mrc[0] = opcode
    return p


def other_cases(t):
    data, sack = t.listen()
    key = sack.mrc[64:68]
    dcids = bytes(sack.mrc[20:24])
    psn = bytes(sack.mrc[9:12])

    def nack(reason, key=key, psn=psn):
        body = (struct.pack("!HBB", 0x1f << 7, reason, 0) + bytes(4) + dcids +
                b"\0" + psn + b"\x20\0\0\0" + bytes(key))
        p = control(sack, NACK, body)
        p.mrc[9:12] = psn
        return p

    t.case("NACK: unknown reason", nack(0x55), ["DropReason"])
    t.case("NACK: wrong control key", nack(1, b"\0\0\0\1"), ["DropKey"])
    t.case("NACK: about what is not outstanding", nack(1),
           ["DropNackUnsent"])
    t.case("NACK: fatal, but about what is not outstanding", nack(0x19),
           ["DropNackUnsent"])

    t.case("NAK: wrong control key",
           control(sack, NAK, b"\x61\0\0\0\0\0\0\1"), ["DropKey"])
    t.case("NAK: an ACK in disguise",
           control(sack, NAK, b"\x1f\0\0\0" + bytes(key)), ["DropSyndrome"])

    def probe(key, ftype=1):
        body = (struct.pack("!HBBHH", 0x1f << 7, 0, 0, 0x4242, 0) + dcids +
                struct.pack("!HH", 0, ftype) + bytes(key))
        return control(sack, PROBE, body + bytes(84 - 12 - len(body)))

    t.case("PROBE: wrong control key", probe(b"\0\0\0\1"), ["DropKey"])
    t.case("PROBE: ftype 2", probe(key, 2), ["DropFtype"])
    t.case("PROBE: a good one is answered", probe(key), ["ProbeIn"],
           lambda a: a.opcode == SACK and a.mrc[13] & 2 and
           a.u(14, 2) == 0x4242)


def qp2_cases(t):
    data, _ = t.listen()

    def endpoint(op, body_op, src=None, icrc=True, opcode=EP_REQ):
        p = data.copy()
        p.mrc = bytearray(bytes([opcode, 0, 0xff, 0xff, 0, 0, 0, 2, 0, 0,
                                 0x77, 0x77]) +
                          struct.pack("!HBBIIHH", body_op, 0, 0, op, 0, 0, 1)
                          + bytes(20))
        if src:
            p.src = src
        if icrc:
            p.add_icrc()
        return p

    stranger = data.src[:15] + b"\x77"
    t.case("Endpoint: bad ICRC", endpoint(0, 1, icrc=False), ["DropIcrc"])
    t.case("Endpoint: op 2", endpoint(0, 2), ["DropOp"])
    t.case("Endpoint: op 3", endpoint(0, 3), ["DropOp"])
    t.case("Endpoint: port status of a stranger",
           endpoint(0xffffffff, 0, stranger), ["DropEndpoint"])
    p = data.copy()
    p.mrc = bytearray(bytes([EP_RSP, 0, 0xff, 0xff, 0, 0, 0, 2, 0, 0, 0x12,
                             0x34]) + struct.pack("!H", 1 << 2) + bytes(34))
    p.add_icrc()
    t.case("Endpoint: an answer to no probe", p, ["DropProbeId"])
    p = data.copy()
    p.mrc = bytearray(bytes([EP_REQ, 0, 0xff, 0xff, 0, 0, 0, 2, 0, 0, 1, 1]) +
                      bytes(4))
    p.add_icrc()
    t.case("Endpoint: cut", p, ["DropShort"])


def cm(data, kind, tlvs=b"", version=1, length=None, pad=392 - 28 - 4,
       token=0):
    p = data.copy()
    body = (struct.pack("!BBHIQ", kind, version,
                        len(tlvs) if length is None else length, 0, token) +
            tlvs)
    body += bytes(max(0, pad - len(tlvs)))
    p.mrc = bytearray(bytes([CM, 0, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 0]) +
                      body)
    p.add_icrc()
    return p


def tlv(kind, value, mandatory=False):
    head = struct.pack("!HH", kind | (0x8000 if mandatory else 0), len(value))
    return head + value + bytes(-len(value) % 4)


def cm_cases(t):
    data, _ = t.listen()
    ports = tlv(1, struct.pack("!HH", 40000, 7000))
    p = cm(data, 1, ports)
    p.mrc[20] ^= 1
    t.case("CM: bad ICRC", p, ["DropIcrc"])
    t.case("CM: version 9", cm(data, 1, ports, version=9), ["DropCmVersion"])
    t.case("CM: unknown type", cm(data, 77, ports), ["DropCmType"])
    t.case("CM: length beyond the packet", cm(data, 1, ports, length=4000),
           ["DropCmLen"])
    t.case("CM: a TLV beyond the length",
           cm(data, 1, struct.pack("!HH", 1, 400)), ["DropCmTlv"])
    t.case("CM: a TLV of a wrong length", cm(data, 1, tlv(1, b"\0\1")),
           ["DropCmTlvLen"])
    t.case("CM: a TLV twice", cm(data, 1, ports + ports), ["DropCmTlvDup"])
    t.case("CM: a TLV out of range",
           cm(data, 1, ports + tlv(2, struct.pack("!I", 9))),
           ["DropCmTlvValue"])
    t.case("CM: an unknown mandatory TLV",
           cm(data, 1, ports + tlv(99, b"what", True)), ["DropCmTlvUnknown"])
    t.case("CM: TLVs missing", cm(data, 1, ports), ["DropCmTlvMissing"])
    t.case("CM: REQ shorter than its answer",
           cm(data, 1, whole_req(), pad=0), ["DropCmPad"])
    t.case("CM: RTU with an unknown token",
           cm(data, 3, whole_rtu(), token=0x1234567812345678),
           ["DropCmToken"])
    t.case("CM: GONE that matches nothing",
           cm(data, 6, tlv(17, struct.pack("!BBHIII", 1, 0, 0, 0x123456, 1,
                                           2))), ["DropGone"])


def whole_req():
    u32 = lambda k, v: tlv(k, struct.pack("!I", v))    # noqa: E731
    u64 = lambda k, v: tlv(k, struct.pack("!Q", v))    # noqa: E731
    return (tlv(1, struct.pack("!HH", 40000, 7000)) + u32(2, 1) +
            u64(3, 0x1122334455667788) + u32(4, 0x4711) + u32(5, 1) +
            u32(6, 2) + u32(7, 3) + u32(8, 128) + u32(9, 4096) +
            u64(10, 65536) + u32(11, 1024) + u32(12, 16) + u32(13, 15))


def whole_rtu():
    u32 = lambda k, v: tlv(k, struct.pack("!I", v))    # noqa: E731
    return u32(4, 0x4711) + u32(7, 3)


def main():
    t = Test(sys.argv[1], sys.argv[2])
    data_cases(t)
    trim_cases(t)
    sack_cases(t)
    other_cases(t)
    qp2_cases(t)
    cm_cases(t)
    t.verdict("the connection still echoes", t.chat())
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
