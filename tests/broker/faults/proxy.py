"""A TCP proxy that is slow, deaf, or forgets its connections without closing them."""

from __future__ import annotations

import asyncio
import contextlib

CHUNK = 1 << 16


class Proxy:
    """Forwards `port` to `to` on 127.0.0.1. UP is towards the broker, DOWN from it.

    `delay_s` holds every chunk back; `silence` stops forwarding in some directions, of old and new
    connections, without closing any; `forget` makes black holes of those that are open now. `held` counts
    the chunks that were not passed on when they came.
    """

    UP, DOWN = "up", "down"

    def __init__(self, port, to):
        self.port, self.to = port, to
        self.delay_s = 0.0
        self.held = 0
        self._silent = set()
        self._heard = asyncio.Event()
        self._heard.set()
        self._forgotten = asyncio.Event()
        self._lines = set()
        self._server = None

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._take, "127.0.0.1", self.port)
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for line in self._lines:
            line.cancel()
        await asyncio.gather(*self._lines, return_exceptions=True)

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def silence(self, *directions):
        self._silent = set(directions or (self.UP, self.DOWN))
        self._heard.clear()

    def heal(self):
        self._silent = set()
        self.delay_s = 0.0
        self._heard.set()

    def forget(self):
        """Forward nothing more of the present connections, ever."""
        self._forgotten.set()
        self._forgotten = asyncio.Event()

    async def _take(self, reader, writer):
        line = asyncio.current_task()
        self._lines.add(line)
        forgotten = self._forgotten
        there = None
        try:
            back, there = await asyncio.open_connection("127.0.0.1", self.to)
            ways = [
                asyncio.ensure_future(self._pump(reader, there, self.UP, forgotten)),
                asyncio.ensure_future(self._pump(back, writer, self.DOWN, forgotten)),
            ]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass  # the broker is down, or the test is over: the client sees its connection closed
        finally:
            for end in (writer, there):
                if end is not None:
                    end.close()
            self._lines.discard(line)

    async def _pump(self, reader, writer, direction, forgotten):
        with contextlib.suppress(OSError):
            while chunk := await reader.read(CHUNK):
                if forgotten.is_set():
                    self.held += 1
                    continue
                if self.delay_s or direction in self._silent:
                    self.held += 1
                    await asyncio.sleep(self.delay_s)
                while direction in self._silent:
                    await self._heard.wait()
                writer.write(chunk)
                await writer.drain()
