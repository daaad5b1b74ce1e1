#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Send one request to the generic netlink family "mrc" exactly as written,
# right or wrong, and print the kernel's answer. mrcctl refuses much before it
# asks the kernel; this asks.
#
# Usage: nlraw.py COMMAND [ATTRIBUTE...], or nlraw.py - for many, a line each
#	COMMAND		name after MRC_CMD_, or a number
#	ATTRIBUTE	NAME=VALUE, NAME after MRC_A_ or a number; VALUE is
#			u32:N, u8:N, ip6:ADDRESS, hex:BYTES, str:TEXT or
#			{ATTRIBUTE,...}
# Prints "0" or "ERRNO text of the kernel"; exits 0 in both cases.

import errno
import os
import re
import shlex
import socket
import struct
import sys

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../../include/uapi/linux/mrc_netlink.h")
NETLINK_GENERIC = 16
SOL_NETLINK = 270
NETLINK_CAP_ACK, NETLINK_EXT_ACK = 10, 11
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2
NLM_F_REQUEST, NLM_F_ACK = 1, 4
NLM_F_CAPPED, NLM_F_ACK_TLVS = 0x100, 0x200
NLMSG_ERROR = 2
NLMSGERR_ATTR_MSG = 1
NLA_F_NESTED = 0x8000


def constants():
    """Names and values of all enums of the uapi header."""
    names = {}
    with open(HEADER, encoding="ascii") as header:
        text = re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
    for body in re.findall(r"enum\s*\w*\s*{(.*?)}", text, flags=re.S):
        value = 0
        for item in filter(None, (i.strip() for i in body.split(","))):
            match = re.fullmatch(r"(\w+)\s*(?:=\s*(\d+))?", item)
            if match:
                value = int(match[2]) if match[2] else value
                names[match[1]] = value
                value += 1
    return names


NAMES = constants()


def number(prefix, name):
    return int(name) if name.isdigit() else NAMES[prefix + name]


def attribute(kind, payload):
    length = 4 + len(payload)
    return struct.pack("=HH", length, kind) + payload + b"\0" * (-length % 4)


def split(text):
    """Splits at the commas that are outside braces."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "," and not depth:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]] if text else []


def encode(spec):
    name, value = spec.split("=", 1)
    kind = number("MRC_A_", name)
    if value.startswith("{"):
        nested = b"".join(encode(part) for part in split(value[1:-1]))
        return attribute(kind | NLA_F_NESTED, nested)
    form, text = value.split(":", 1)
    payload = {
        "u8": lambda: struct.pack("=B", int(text, 0)),
        "u32": lambda: struct.pack("=I", int(text, 0)),
        "ip6": lambda: socket.inet_pton(socket.AF_INET6, text),
        "hex": lambda: bytes.fromhex(text),
        "str": lambda: text.encode() + b"\0",
    }[form]()
    return attribute(kind, payload)


def attributes(data):
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        found[kind & 0x3fff] = data[4:length]
        data = data[(length + 3) & ~3:]
    return found


def talk(sock, kind, command, payload):
    """Sends a request. Returns the answers' payloads and the error's words."""
    body = struct.pack("=BBH", command, 1, 0) + payload
    sock.send(struct.pack("=IHHII", 16 + len(body), kind,
                          NLM_F_REQUEST | NLM_F_ACK, 1, 0) + body)
    answers = []
    while True:
        data = sock.recv(65536)
        while data:
            length, what, flags = struct.unpack_from("=IHH", data)
            message, data = data[16:length], data[(length + 3) & ~3:]
            if what != NLMSG_ERROR:
                answers.append(message[4:])
                continue
            error = -struct.unpack_from("=i", message)[0]
            skip = 20
            if not flags & NLM_F_CAPPED:
                skip += struct.unpack_from("=I", message, 4)[0] - 16
            words = b""
            if flags & NLM_F_ACK_TLVS:
                words = attributes(message[skip:]).get(NLMSGERR_ATTR_MSG, b"")
            return answers, error, words.rstrip(b"\0").decode()


def main():
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
    sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
    sock.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
    sock.bind((0, 0))
    answers, error, _ = talk(sock, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
                             attribute(CTRL_ATTR_FAMILY_NAME, b"mrc\0"))
    if error:
        sys.exit("there is no family mrc")
    family = attributes(answers[0])[CTRL_ATTR_FAMILY_ID]
    family = struct.unpack("=H", family[:2])[0]

    def ask(request):
        _, error, words = talk(sock, family, number("MRC_CMD_", request[0]),
                               b"".join(map(encode, request[1:])))
        print(f"{errno.errorcode[error]} {words}" if error else "0",
              flush=True)

    if sys.argv[1:] != ["-"]:
        ask(sys.argv[1:])
        return
    for line in sys.stdin:
        ask(shlex.split(line))


if __name__ == "__main__":
    main()
