"""An endless answer of server-sent events: one write for what comes together, and nothing else per write.

The responses of libraries measure the time of each write, which costs as much as the write itself when
thousands watch.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine
from contextlib import AbstractContextManager
from typing import Any

from fastapi import Response
from starlette.types import Receive, Scope, Send

from elowire.ticker.watchers import Batch, Watcher, Wire
from elowire.ticker.wires import wire_of

SEND_S = 20.0
"""Seconds after which a client that takes nothing is gone."""
CLOSES_STUCK = hasattr(socket, "TCP_USER_TIMEOUT")
"""Whether the system ends such connections by itself, which costs nothing per write."""


class EventStream(Response):
    """Gives a watcher's events to the client until they end or the client leaves.

    `watching` lets the watcher in for as long as the answer lasts.
    """

    media_type = "text/event-stream"

    def __init__(self, watching: AbstractContextManager[Watcher], status_code: int = 200) -> None:
        super().__init__(
            status_code=status_code, headers={"cache-control": "no-store", "x-accel-buffering": "no"}
        )
        del self.headers["content-length"]
        self._watching = watching

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        outcomes = await until_one_ends(self._write(send, wire_of(scope)), _until_left(receive))
        for outcome in outcomes:
            # Who took nothing for so long, or left in the middle of a write, needs no word in the log.
            if isinstance(outcome, Exception) and not isinstance(outcome, (TimeoutError, OSError)):
                raise outcome

    async def _write(self, send: Send, wire: Wire | None) -> None:
        async def write(batch: Batch) -> None:
            message = {"type": "http.response.body", "body": batch.body, "more_body": True}
            if CLOSES_STUCK:
                await send(message)
            else:
                async with asyncio.timeout(SEND_S):
                    await send(message)

        with self._watching as watcher:
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            await watcher.run(write, wire)
        await send({"type": "http.response.body", "body": b""})


async def _until_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def until_one_ends(*work: Coroutine[Any, Any, None]) -> list[BaseException | None]:
    """Do both sides of a conversation until either ends; return what each ended with."""
    tasks = [asyncio.create_task(one) for one in work]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)

    return outcomes
