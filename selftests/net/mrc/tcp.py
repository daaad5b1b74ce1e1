# SPDX-License-Identifier: GPL-2.0
#
# What fabric.sh sends: TCP and UDP between the two hosts, checked byte by
# byte.
#
#   recv READY BYTES    take one TCP connection, expect BYTES of the pattern
#   send BYTES          send them to h2, wait for its verdict
#   count READY         take datagrams until an empty one; print how many were
#                       intact and how many were not
#   datagrams N         send N datagrams of 1000 bytes, and the end
import socket
import sys

NODE2 = ("fd00:6d::2", 5555)
PATTERN = bytes(i * 7 % 251 for i in range(1000))


def pattern(n):
    return (PATTERN * (n // 1000 + 1))[:n]


def ready(path):
    with open(path, "w", encoding="ascii") as f:
        f.write("ready\n")


def recv(path, n):
    srv = socket.socket(socket.AF_INET6)
    srv.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    srv.bind(NODE2)
    srv.listen()
    ready(path)
    conn, _ = srv.accept()
    data = bytearray()
    while len(data) < n:
        part = conn.recv(1 << 16)
        if not part:
            break
        data += part
    good = bytes(data) == pattern(n)
    conn.sendall(b"y" if good else b"n")
    return not good


def send(n):
    s = socket.socket(socket.AF_INET6)
    s.bind(("fd00:6d::1", 0))
    s.connect(NODE2)
    s.sendall(pattern(n))
    return s.recv(1) != b"y"


def count(path):
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE
    s.bind(NODE2)
    s.settimeout(30)
    ready(path)
    seen = {True: 0, False: 0}
    while True:
        data = s.recv(2000)
        if not data:
            break
        seen[data == PATTERN] += 1
    print(seen[True], seen[False])
    return 0


def datagrams(n):
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    s.bind(("fd00:6d::1", 0))
    for _ in range(n):
        s.sendto(PATTERN, NODE2)
    # The end must arrive whatever the fabric does
    for _ in range(50):
        s.sendto(b"", NODE2)
    return 0


def main(verb, args):
    if verb == "recv":
        return recv(args[0], int(args[1]))
    if verb == "send":
        return send(int(args[0]))
    if verb == "count":
        return count(args[0])
    if verb == "datagrams":
        return datagrams(int(args[0]))
    return "unknown verb " + verb


try:
    sys.exit(main(sys.argv[1], sys.argv[2:]))
except OSError as error:
    sys.exit(f"# {sys.argv[1]}: {error}")
