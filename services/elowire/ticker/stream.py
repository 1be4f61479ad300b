"""Changes on their way to watchers: numbered, kept for a while, one bounded queue per watcher.

Server-sent events (HTML Living Standard, 9.2). An id is `epoch-number`: the epoch is this start of the
ticker, the number grows by one with every change. A watcher that comes back with the id of its last event
gets what it missed, or a snapshot where that is no longer known.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import NamedTuple

from sse_starlette import ServerSentEvent

from elowire.domain import TimeControl
from elowire.ticker.board import Change


@dataclass(frozen=True, slots=True)
class Interest:
    """What a watcher wants to see; nothing chosen means everything."""

    players: frozenset[str] = frozenset()
    tournament: str | None = None
    time_control: TimeControl | None = None
    federation: str | None = None

    def covers(self, change: Change) -> bool:
        """Say whether the watcher wants this change; all chosen conditions must hold."""
        if self.players and change.player_id not in self.players:
            return False
        if self.tournament is not None and self.tournament not in change.tournaments:
            return False
        if self.federation is not None and self.federation != change.federation:
            return False
        # A tournament's line is of no single time control here, and passes.
        return (
            self.time_control is None or not change.time_controls or self.time_control in change.time_controls
        )


class _Kept(NamedTuple):
    number: int
    change: Change
    frame: bytes


class Watcher:
    """One client's queue of encoded events; it ends when the client is too slow or the ticker stops."""

    def __init__(self, interest: Interest, waiting: int) -> None:
        self.interest = interest
        self._frames: asyncio.Queue[bytes | None] = asyncio.Queue(waiting)

    def put(self, frame: bytes) -> bool:
        """Queue a frame; False when the client has fallen too far behind and is let go.

        Its own `Last-Event-ID` brings it back to where it was, so closing loses nothing.
        """
        try:
            self._frames.put_nowait(frame)
        except asyncio.QueueFull:
            self.end()
            return False
        return True

    def end(self) -> None:
        """Let the client go after the frame that it is reading now."""
        while not self._frames.empty():
            self._frames.get_nowait()
        self._frames.put_nowait(None)

    async def frames(self) -> AsyncIterator[bytes]:
        """Give the frames as they come, until the end."""
        while (frame := await self._frames.get()) is not None:
            yield frame


class Stream:
    """The ring of recent changes and everybody who watches.

    Args:
        epoch: names this start; a cursor of another start is unknown.
        kept: changes that can be resumed from.
        waiting: events that may wait for one slow watcher.
        watchers: how many may watch at once.

    Attributes:
        number: changes published since the start.
        slow: watchers let go since the start because they did not keep up.

    """

    def __init__(self, epoch: str, *, kept: int = 5_000, waiting: int = 1_000, watchers: int = 5_000) -> None:
        self.number = 0
        self.slow = 0
        self._epoch = epoch
        self._ring: deque[_Kept] = deque(maxlen=kept)
        self._waiting = waiting
        self._most = watchers
        self._watchers: set[Watcher] = set()

    def __len__(self) -> int:
        return len(self._watchers)

    @property
    def full(self) -> bool:
        """Whether there is no place for one more watcher."""
        return len(self._watchers) >= self._most

    @property
    def cursor(self) -> str:
        """The id of the newest change."""
        return f"{self._epoch}-{self.number}"

    def publish(self, change: Change, data: bytes) -> None:
        """Give a change its number, and hand it to everybody whom it concerns."""
        self.number += 1
        kept = _Kept(self.number, change, self.frame(change.event, data))
        self._ring.append(kept)
        for watcher in [one for one in self._watchers if one.interest.covers(change)]:
            self._hand(watcher, kept.frame)

    def beat(self, data: bytes) -> None:
        """Tell everybody that the ticker is alive, and move their cursor past what they did not ask for."""
        frame = self.frame("heartbeat", data)
        for watcher in list(self._watchers):
            self._hand(watcher, frame)

    def frame(self, event: str, data: bytes) -> bytes:
        """Encode one event, with the id of the newest change, once for everybody."""
        return ServerSentEvent(data=data.decode(), event=event, id=self.cursor, sep="\n").encode()

    def missed(self, cursor: str | None, interest: Interest) -> list[bytes] | None:
        """Give the events after `cursor`; None when they are not all known, so that a snapshot is needed."""
        epoch, _, number = (cursor or "").rpartition("-")
        if epoch != self._epoch or not number.isascii() or not number.isdigit():
            return None
        seen = int(number[:18])
        oldest = self._ring[0].number if self._ring else self.number + 1
        if not oldest - 1 <= seen <= self.number:
            return None
        return [kept.frame for kept in self._ring if kept.number > seen and interest.covers(kept.change)]

    async def watch(
        self, interest: Interest, last_event_id: str | None, snapshot: Callable[[], bytes]
    ) -> AsyncIterator[bytes]:
        """Give encoded events: what was missed, or else the snapshot, and then everything as it happens.

        Nothing is awaited between looking back and joining, so there is no gap between the two.
        """
        first = self.missed(last_event_id, interest)
        if first is None:
            first = [self.frame("snapshot", snapshot())]
        watcher = Watcher(interest, self._waiting)
        self._watchers.add(watcher)
        try:
            for frame in first:
                yield frame
            async for frame in watcher.frames():
                yield frame
        finally:
            self._watchers.discard(watcher)

    def close(self) -> None:
        """Let everybody go, so that the server can stop."""
        for watcher in list(self._watchers):
            watcher.end()
        self._watchers.clear()

    def _hand(self, watcher: Watcher, frame: bytes) -> None:
        if not watcher.put(frame):
            self.slow += 1
            self._watchers.discard(watcher)
