# SPDX-License-Identifier: GPL-2.0
"""
Echo servers and clients, as Python's own modules make them.

  echo.py serve asyncio|socketserver ADDR PORT
  echo.py send  asyncio|socketserver ADDR PORT STREAMS MIB

A client sends MIB of random bytes on each of STREAMS connections, paced, and
compares what comes back by digest. It knows its peer by the address it gave.
"""
import asyncio
import hashlib
import os
import socket
import socketserver
import sys
import threading
import time

CHUNK = 1 << 16
PAUSE = 0.005	# after each: there shall be time to cut a plane


async def answer(reader, writer):
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()
    writer.close()


async def serve_asyncio(addr, port):
    server = await asyncio.start_server(answer, addr, port)
    async with server:
        await server.serve_forever()


async def stream(addr, port, chunks):
    reader, writer = await asyncio.open_connection(addr, port)
    peer = writer.get_extra_info("peername")
    assert peer[:2] == (addr, port), peer
    sent = hashlib.sha256()

    async def fill():
        for _ in range(chunks):
            data = os.urandom(CHUNK)
            sent.update(data)
            writer.write(data)
            await writer.drain()
            await asyncio.sleep(PAUSE)
        writer.write_eof()

    task = asyncio.create_task(fill())
    got = hashlib.sha256()
    while data := await reader.read(CHUNK):
        got.update(data)
    await task
    writer.close()
    return got.digest() == sent.digest()


async def send_asyncio(addr, port, streams, chunks):
    return all(await asyncio.gather(*(stream(addr, port, chunks)
                                      for _ in range(streams))))


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        assert self.client_address[0] == self.request.getpeername()[0]
        while data := self.request.recv(CHUNK):
            self.request.sendall(data)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def serve_socketserver(addr, port):
    if ":" in addr:
        Server.address_family = socket.AF_INET6
    with Server((addr, port), Echo) as server:
        server.serve_forever()


def one_socket(addr, port, chunks, good):
    sent, got = hashlib.sha256(), hashlib.sha256()
    with socket.create_connection((addr, port)) as s:
        for _ in range(chunks):
            data = os.urandom(CHUNK)
            sent.update(data)
            s.sendall(data)
            left = CHUNK
            while left:
                part = s.recv(left)
                if not part:
                    return
                got.update(part)
                left -= len(part)
            time.sleep(PAUSE)
        s.shutdown(socket.SHUT_WR)
        if s.recv(1) == b"" and got.digest() == sent.digest():
            good.append(1)


def send_socketserver(addr, port, streams, chunks):
    good = []
    threads = [threading.Thread(target=one_socket,
                                args=(addr, port, chunks, good))
               for _ in range(streams)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return len(good) == streams


def main(what, how, addr, port, *rest):
    port = int(port)
    if what == "serve" and how == "asyncio":
        asyncio.run(serve_asyncio(addr, port))
    elif what == "serve":
        serve_socketserver(addr, port)
    else:
        streams, chunks = int(rest[0]), int(rest[1]) * (1 << 20) // CHUNK
        if how == "asyncio":
            good = asyncio.run(send_asyncio(addr, port, streams, chunks))
        else:
            good = send_socketserver(addr, port, streams, chunks)
        sys.exit(not good)


main(*sys.argv[1:])
