"""The viewers' side of `viewers.py`: clients that ask for the stream and take it, as cheaply as can be."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import ClassVar, cast

import orjson

MARK = b'"event_id":"at-'
CONNECTING_S = 8.0
_ASKED = b"GET /v1/stream?time_control=standard HTTP/1.1\r\nHost: bench\r\n"
_UPGRADE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
ASKING = {"http": _ASKED + b"\r\n", "websocket": _ASKED + _UPGRADE + b"\r\n"}
PING, PONG = b"\x89\x04", b"\x8a\x84\0\0\0\0"
"""Of four bytes, as uvicorn sends them; and the answer, masked with zeros."""


class Client(asyncio.BufferedProtocol):
    """One client: asks for the stream and takes it, as cheaply as can be: its own work is not measured.

    The few `probes` note when changes come to them.
    """

    over = "http"
    probes = False
    took: ClassVar[list[int]] = []
    counting = False
    bytes = 0
    room = bytearray(1 << 20)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask."""
        # uvloop's transports are no subclass of asyncio's.
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(ASKING[Client.over])

    def get_buffer(self, sizehint: int) -> bytearray:
        """Let all clients share one place: what is in it is looked at once."""
        del sizehint
        return Client.room

    def buffer_updated(self, nbytes: int) -> None:
        """Note the age of each change; a mark that is cut in two is left out."""
        Client.bytes += nbytes
        if Client.over == "websocket" and (at := Client.room.find(PING, 0, nbytes)) >= 0:
            self.transport.write(PONG + Client.room[at + 2 : at + 6])
        if not Client.counting:
            return
        data, now = bytes(memoryview(Client.room)[:nbytes]), time.monotonic_ns()
        at = data.find(MARK)
        while at >= 0:
            end = data.find(b'"', at + len(MARK))
            if end > 0:
                Client.took.append(now - int(data[at + len(MARK) : end]))
            at = data.find(MARK, at + len(MARK))


async def connected(clients: int, within_s: float, port: int) -> list[asyncio.BaseTransport]:
    """Connect clients, evenly over a time, so that those of several processes mix."""
    loop = asyncio.get_running_loop()
    transports, begun = [], time.monotonic()
    for number in range(clients):
        transport, _ = await loop.create_connection(Client, "127.0.0.1", port)
        transports.append(transport)
        await asyncio.sleep(begun + within_s * number / clients - time.monotonic())
    return transports


async def crowd(clients: int, port: int) -> None:
    """Be all clients but the probes; when asked on standard input, say how many are left, and what came."""
    transports = await connected(clients, CONNECTING_S, port)
    while await asyncio.to_thread(sys.stdin.readline):
        left = sum(not transport.is_closing() for transport in transports)
        print(orjson.dumps([left, Client.bytes, time.process_time()]).decode(), flush=True)
