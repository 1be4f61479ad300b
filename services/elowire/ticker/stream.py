"""Changes on their way to watchers: numbered, kept for a while, one bounded queue per watcher.

Server-sent events (HTML Living Standard, 9.2). An id is `epoch-number`: the epoch is this start of the
ticker, the number grows by one with every change. A watcher that comes back with the id of its last event
gets what it missed, or a snapshot where that is no longer known.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

import orjson
from sse_starlette import ServerSentEvent

from elowire.domain import TimeControl
from elowire.ticker.changes import Change
from elowire.ticker.players import Filter


@dataclass(frozen=True, slots=True)
class Interest:
    """What a watcher wants to see; nothing chosen means everything."""

    players: frozenset[str] = frozenset()
    tournament: str | None = None
    time_control: TimeControl | None = None
    federation: str | None = None
    persons: Filter | None = None

    def covers(self, change: Change) -> bool:
        """Say whether the watcher wants this change; all chosen conditions must hold."""
        if self.players and change.player_id not in self.players:
            return False
        if self.tournament is not None and self.tournament not in change.tournaments:
            return False
        if change.chosen_only and not self.players and self.tournament is None:
            return False
        if self.federation is not None and self.federation != change.federation:
            return False
        if self.persons is not None and (change.person is None or not self.persons.covers(change.person)):
            return False
        # A tournament's line is of no single time control here, and passes.
        return (
            self.time_control is None or not change.time_controls or self.time_control in change.time_controls
        )


class Event:
    """One event, encoded once for everybody."""

    __slots__ = ("_frame", "_message", "change", "data", "id", "name", "number")

    def __init__(self, number: int, cursor: str, name: str, data: bytes, change: Change | None) -> None:
        self.number = number
        self.id = cursor
        self.name = name
        self.data = data
        self.change = change
        self._frame: bytes | None = None
        self._message: str | None = None

    @property
    def frame(self) -> bytes:
        """The event as server-sent events have it."""
        if self._frame is None:
            event = ServerSentEvent(data=self.data.decode(), event=self.name, id=self.id, sep="\n")
            self._frame = event.encode()

        return self._frame

    @property
    def message(self) -> str:
        """The event as one message of a WebSocket: `id`, `event` and `data`."""
        if self._message is None:
            body = {"id": self.id, "event": self.name, "data": orjson.Fragment(self.data)}
            self._message = orjson.dumps(body).decode()

        return self._message


class Watcher:
    """One client's queue of events; it ends when the client is too slow or the ticker stops."""

    def __init__(self, waiting: int, pause: Callable[[], float] = lambda: 0.0) -> None:
        self._most = waiting
        self._pause = pause
        self._events: list[Event] = []
        self._woken = asyncio.Event()
        self._ended = False

    def put(self, event: Event) -> bool:
        """Queue an event; False when the client has fallen too far behind and is let go."""
        if len(self._events) >= self._most:
            self.end()
            return False
        self._events.append(event)
        self._woken.set()

        return True

    def end(self) -> None:
        """Let the client go: what still waits is dropped, a snapshot will say it better."""
        self._events = []
        self._ended = True
        self._woken.set()

    async def batches(self, first: list[Event]) -> AsyncGenerator[list[Event]]:
        """Give the events as they come, several together when many do, until the end."""
        yield first
        while True:
            await self._woken.wait()
            self._woken.clear()
            if self._ended:
                return
            events, self._events = self._events, []
            yield events
            await asyncio.sleep(self._pause())


class Stream:
    """The ring of recent changes and everybody who watches.

    Args:
        epoch: names this start; a cursor of another start is unknown.
        kept: changes that can be resumed from.
        waiting: events that may wait for one slow watcher.
        watchers: how many may watch at once.
        pause_s: between two writes to one watcher, for a thousand watchers; what happens meanwhile goes out
            together, so that many watchers cost few writes.

    Attributes:
        number: changes published since the start.
        slow: watchers let go since the start because they did not keep up.

    """

    def __init__(
        self,
        epoch: str,
        *,
        kept: int = 5_000,
        waiting: int = 1_000,
        watchers: int = 5_000,
        pause_s: float = 0.07,
    ) -> None:
        self.number = 0
        self.slow = 0
        self._epoch = epoch
        self._ring: deque[Event] = deque(maxlen=kept)
        self._waiting = waiting
        self._most = watchers
        self._pause_s = pause_s
        self._groups: dict[Interest, set[Watcher]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def full(self) -> bool:
        """Whether there is no place for one more watcher."""
        return self._count >= self._most

    @property
    def cursor(self) -> str:
        """The id of the newest change."""
        return f"{self._epoch}-{self.number}"

    def publish(self, change: Change, data: bytes) -> None:
        """Give a change its number, and hand it to everybody whom it concerns."""
        self.number += 1
        event = self.event(change.event, data, change)
        self._ring.append(event)
        for interest, watchers in list(self._groups.items()):
            if interest.covers(change):
                self._hand(interest, watchers, event)

    def beat(self, data: bytes) -> None:
        """Tell everybody that the ticker is alive, and move their cursor past what they did not ask for."""
        event = self.event("heartbeat", data)
        for interest, watchers in list(self._groups.items()):
            self._hand(interest, watchers, event)

    def event(self, name: str, data: bytes, change: Change | None = None) -> Event:
        """Make an event with the id of the newest change."""
        return Event(self.number, self.cursor, name, data, change)

    def missed(self, cursor: str | None, interest: Interest) -> list[Event] | None:
        """Give the events after `cursor`; None when they are not all known, so that a snapshot is needed."""
        epoch, _, number = (cursor or "").rpartition("-")
        if epoch != self._epoch or not number.isascii() or not number.isdigit():
            return None
        seen = int(number[:18])
        oldest = self._ring[0].number if self._ring else self.number + 1
        if not oldest - 1 <= seen <= self.number:
            return None
        return [
            event
            for event in self._ring
            if event.number > seen and event.change is not None and interest.covers(event.change)
        ]

    async def watch(
        self, interest: Interest, last_event_id: str | None, snapshot: Callable[[], bytes]
    ) -> AsyncGenerator[list[Event]]:
        """Give events: what was missed, or else the snapshot, and then everything as it happens.

        Nothing is awaited between looking back and joining, so there is no gap between the two.
        """
        first = self.missed(last_event_id, interest)
        if first is None:
            first = [self.event("snapshot", snapshot())]
        watcher = Watcher(self._waiting, self._pause)
        self._join(interest, watcher)
        try:
            async for events in watcher.batches(first):
                if events:
                    yield events
        finally:
            self._leave(interest, watcher)

    async def frames(
        self, interest: Interest, last_event_id: str | None, snapshot: Callable[[], bytes]
    ) -> AsyncGenerator[bytes]:
        """Give what `watch` gives as server-sent events, what comes together in one piece."""
        async with aclosing(self.watch(interest, last_event_id, snapshot)) as batches:
            async for events in batches:
                yield b"".join([event.frame for event in events])

    def close(self) -> None:
        """Let everybody go, so that the server can stop."""
        for watchers in self._groups.values():
            for watcher in watchers:
                watcher.end()
        self._groups.clear()
        self._count = 0

    def _pause(self) -> float:
        """Give the seconds between two writes: nobody waits long, and few hardly at all."""
        return self._pause_s * min(4.0, 0.25 + self._count / 1_000)

    def _hand(self, interest: Interest, watchers: set[Watcher], event: Event) -> None:
        slow = [watcher for watcher in watchers if not watcher.put(event)]
        for watcher in slow:
            self.slow += 1
            self._leave(interest, watcher)

    def _join(self, interest: Interest, watcher: Watcher) -> None:
        self._groups.setdefault(interest, set()).add(watcher)
        self._count += 1

    def _leave(self, interest: Interest, watcher: Watcher) -> None:
        watchers = self._groups.get(interest, set())
        if watcher not in watchers:
            return
        watchers.discard(watcher)
        self._count -= 1
        if not watchers:
            del self._groups[interest]
