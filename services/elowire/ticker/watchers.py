"""Events, what is written of them together, and the watchers that get it.

All watchers with the same interest are one group. What happens within a pause is one batch for the whole
group, joined once. A watcher whose connection itself is known gets the very same bytes as everybody else,
without a task being woken, so that a thousand slow clients hold one copy and not a thousand.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import cached_property
from typing import Protocol

import orjson
from websockets.frames import Frame, Opcode

from elowire.ticker.changes import Change


class Event:
    """One event; `data` is JSON without line ends, encoded once for everybody.

    How a protocol has it is put together anew for each batch, which is cheap: thousands of events are kept
    for those who come back, and would each hold that twice more.
    """

    def __init__(self, number: int, cursor: str, name: str, data: bytes, change: Change | None) -> None:
        self.number = number
        self.id = cursor
        self.name = name
        self.data = data
        self.change = change

    @property
    def frame(self) -> bytes:
        """The event as server-sent events have it (HTML Living Standard, 9.2.5)."""
        return b"id: %b\nevent: %b\ndata: %b\n\n" % (self.id.encode(), self.name.encode(), self.data)

    @property
    def message(self) -> bytes:
        """The event as one message of a WebSocket: `id`, `event` and `data`."""
        return b'{"id":%b,"event":%b,"data":%b}' % (orjson.dumps(self.id), orjson.dumps(self.name), self.data)


class Batch:
    """Events that go out together, joined once for everybody who gets them."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events

    @cached_property
    def body(self) -> bytes:
        """The server-sent events in one piece."""
        return b"".join([event.frame for event in self.events])

    @cached_property
    def chunk(self) -> bytes:
        """The same as one chunk of HTTP/1.1 (RFC 9112, 7.1)."""
        return b"%x\r\n%b\r\n" % (len(self.body), self.body)

    @cached_property
    def messages(self) -> bytes:
        """A WebSocket's messages as they are on the wire: a server masks nothing (RFC 6455, 5.1)."""
        return b"".join([Frame(Opcode.TEXT, event.message).serialize(mask=False) for event in self.events])


class Wire(Protocol):
    """A client's connection, on which an endless answer has begun."""

    resumed: Callable[[], None]
    """Called when the connection takes bytes again."""

    @property
    def writable(self) -> bool:
        """Whether it takes bytes now, and does not hold too many already."""

    def write(self, batch: Batch) -> None:
        """Write without waiting."""


class Watcher:
    """One client's queue of batches; it ends when the client is too slow or the ticker stops.

    `first` is what the client gets before everything else. A client is too slow when `waiting` events wait
    for it already and more come: what comes at once is one batch, however many events that are.
    """

    def __init__(self, first: Batch, waiting: int) -> None:
        self._first = [first] if first.events else []
        self._most = waiting
        self._count = 0
        self._batches: list[Batch] = []
        self._woken = asyncio.Event()
        self._ended = False
        self._wire: Wire | None = None

    def put(self, batch: Batch) -> bool:
        """Write or queue a batch; False when the client has fallen too far behind and is let go."""
        if self._wire is not None and not self._batches and self._wire.writable:
            self._wire.write(batch)
            return True
        if self._count >= self._most:
            self.end()
            return False
        self._batches.append(batch)
        self._count += len(batch.events)
        self._woken.set()

        return True

    def end(self) -> None:
        """Let the client go: what still waits is dropped, a snapshot will say it better."""
        self._batches, self._count = [], 0
        self._ended = True
        self._woken.set()

    async def run(self, send: Callable[[Batch], Awaitable[None]], wire: Wire | None = None) -> None:
        """Give all to the client until the end: by `send`, then straight to the wire where it is known."""
        if wire is None:
            async for batch in self.batches():
                await send(batch)
            return
        # What was missed may be long: it waits for a slow client here, and not in a buffer.
        while self._first:
            await send(self._first.pop())
        self._wire = wire
        wire.resumed = self._drain
        try:
            self._drain()
            while await self._wake():
                pass
        finally:
            self._wire = None
            wire.resumed = nothing

    async def batches(self) -> AsyncGenerator[Batch]:
        """Give the batches as they come until the end."""
        while self._first:
            yield self._first.pop()
        while await self._wake():
            while self._batches:
                yield self._next()

    async def _wake(self) -> bool:
        await self._woken.wait()
        self._woken.clear()

        return not self._ended

    def _next(self) -> Batch:
        batch = self._batches.pop(0)
        self._count -= len(batch.events)

        return batch

    def _drain(self) -> None:
        while self._batches and self._wire is not None and self._wire.writable:
            self._wire.write(self._next())


class Group:
    """The watchers with one interest, and what they get with the next write."""

    def __init__(self) -> None:
        self._pending: list[Event] = []
        # With the number of pending events that each has seen already, in what it began with.
        self._members: dict[Watcher, int] = {}

    def __contains__(self, watcher: Watcher) -> bool:
        return watcher in self._members

    def __len__(self) -> int:
        return len(self._members)

    def add(self, watcher: Watcher) -> None:
        """Let a watcher in that has seen everything up to now."""
        self._members[watcher] = len(self._pending)

    def discard(self, watcher: Watcher) -> None:
        """Let a watcher out."""
        self._members.pop(watcher, None)

    def note(self, event: Event) -> None:
        """Keep an event for the next write."""
        self._pending.append(event)

    def hand_out(self) -> list[Watcher]:
        """Give everybody what is pending; return those who are too slow and have been let go."""
        events, self._pending = self._pending, []
        if not events:
            return []
        batches = {seen: Batch(events[seen:]) for seen in set(self._members.values()) if seen < len(events)}
        slow = []
        for watcher, seen in self._members.items():
            batch = batches.get(seen)
            if batch is not None and not watcher.put(batch):
                slow.append(watcher)
        self._members = dict.fromkeys(self._members, 0)

        return slow

    def end(self) -> None:
        """Let everybody go."""
        for watcher in self._members:
            watcher.end()
        self._members.clear()


def nothing() -> None:
    """Do nothing."""
