#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The client of mrc_client.c: mrc_client.py ADDRESS PORT TEXT

Python's socket module makes a socket of any family, but knows the addresses of
its own only: bind(), connect(), accept() and getsockname() refuse AF_MRC. Those
calls go to the C library; the rest, and asyncio, selectors, makefile() and so
on, works with the socket object as it is.
"""
import ctypes
import os
import socket
import struct
import sys

AF_MRC = 18
libc = ctypes.CDLL(None, use_errno=True)


def address(node, port):
    """struct sockaddr_mrc; the family is in the byte order of the machine"""
    return (struct.pack("=H", AF_MRC) + struct.pack("!HI", port, 0) +
            socket.inet_pton(socket.AF_INET6, node) + struct.pack("=I", 0))


def check(result):
    if result < 0:
        err = ctypes.get_errno()
        raise OSError(err, os.strerror(err))
    return result


def connect(sock, node, port):
    a = address(node, port)
    check(libc.connect(sock.fileno(), a, len(a)))


def listen(sock, node, port, backlog=16):
    a = address(node, port)
    check(libc.bind(sock.fileno(), a, len(a)))
    sock.listen(backlog)


def accept(sock):
    return socket.socket(fileno=check(libc.accept(sock.fileno(), None, None)))


if __name__ == "__main__":
    with socket.socket(AF_MRC, socket.SOCK_STREAM) as s:
        connect(s, sys.argv[1], int(sys.argv[2]))
        s.sendall(sys.argv[3].encode())
        s.shutdown(socket.SHUT_WR)
        while data := s.recv(4096):
            sys.stdout.write(data.decode())
    print()
