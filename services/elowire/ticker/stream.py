"""Changes on their way to watchers: numbered, kept for a while, handed out together after a pause.

Server-sent events (HTML Living Standard, 9.2). An id is `epoch-number`: the epoch is this start of the
ticker, the number grows by one with every change. A watcher that comes back with the id of its last event
gets what it missed, or a snapshot where that is no longer known.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from elowire.domain import TimeControl
from elowire.ticker.changes import Change
from elowire.ticker.players import Filter
from elowire.ticker.watchers import Batch, Event, Group, Watcher

# A write to one client takes some 20 µs, and so a half of the time at most goes into writing.
_PAUSE_EACH_S = 0.000_05


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


class Stream:
    """The ring of recent changes and everybody who watches.

    Args:
        epoch: names this start; a cursor of another start is unknown.
        kept: changes that can be resumed from.
        waiting: events that may wait for one slow watcher.
        watchers: how many may watch at once.
        pauses_s: between two writes, for few watchers and for very many; what happens meanwhile goes out
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
        pauses_s: tuple[float, float] = (0.02, 0.15),
    ) -> None:
        self.number = 0
        self.slow = 0
        self._epoch = epoch
        self._ring: deque[Event] = deque(maxlen=kept)
        self._waiting = waiting
        self._most = watchers
        self._pauses_s = pauses_s
        self._groups: dict[Interest, Group] = {}
        self._count = 0
        self._handing: asyncio.TimerHandle | None = None
        self._not_before = 0.0

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

    @property
    def pause_s(self) -> float:
        """Seconds between two writes just now: nobody waits long, and few hardly at all."""
        least, most = self._pauses_s

        return min(most, max(least, self._count * _PAUSE_EACH_S))

    def publish(self, change: Change, data: bytes) -> None:
        """Give a change its number, and hand it to everybody whom it concerns."""
        self.number += 1
        event = self.event(change.event, data, change)
        self._ring.append(event)
        for interest, group in self._groups.items():
            if interest.covers(change):
                group.note(event)
                self._hand_out_soon()

    def beat(self, data: bytes) -> None:
        """Tell everybody that the ticker is alive, and move their cursor past what they did not ask for."""
        event = self.event("heartbeat", data)
        for group in self._groups.values():
            group.note(event)
            self._hand_out_soon()

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

    @contextmanager
    def watching(
        self, interest: Interest, last_event_id: str | None, snapshot: Callable[[], bytes]
    ) -> Iterator[Watcher]:
        """Let a watcher in for the block; it begins with what it missed, or else with the snapshot.

        Nothing is awaited between looking back and joining, so there is no gap between the two.
        """
        first = self.missed(last_event_id, interest)
        if first is None:
            first = [self.event("snapshot", snapshot())]
        watcher = Watcher(Batch(first), self._waiting)
        self._groups.setdefault(interest, Group()).add(watcher)
        self._count += 1
        try:
            yield watcher
        finally:
            self._leave(interest, watcher)

    def close(self) -> None:
        """Let everybody go, so that the server can stop."""
        if self._handing is not None:
            self._handing.cancel()
            self._handing = None
        for group in self._groups.values():
            group.end()
        self._groups.clear()
        self._count = 0

    def _hand_out_soon(self) -> None:
        if self._handing is None:
            loop = asyncio.get_running_loop()
            self._handing = loop.call_at(max(loop.time(), self._not_before), self._hand_out, loop)

    def _hand_out(self, loop: asyncio.AbstractEventLoop) -> None:
        self._handing = None
        self._not_before = loop.time() + self.pause_s
        for interest, group in list(self._groups.items()):
            for watcher in group.hand_out():
                self.slow += 1
                self._leave(interest, watcher)

    def _leave(self, interest: Interest, watcher: Watcher) -> None:
        group = self._groups.get(interest)
        if group is None or watcher not in group:
            return
        group.discard(watcher)
        self._count -= 1
        if not group:
            del self._groups[interest]
