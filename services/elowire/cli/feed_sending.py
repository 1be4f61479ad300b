"""Sends portions of records, each acknowledged before the next, and keeps what became of a file."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.progress import Progress

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.envelope import EventRecord, decode
from elowire.ingest.feed import paced, record_of
from elowire.ingest.readers.cloudevents import EventLine
from elowire.ingest.readers.report import Notice
from elowire.ingest.service_intake import Intake
from elowire.runtime import clock

LISTED_REFUSALS = 100
"""Refused lines that are listed one by one for each file; the rest is counted."""

SENT_TOGETHER = 500
"""Events of a file of lines that are sent, and acknowledged, together."""

_KINDS = {
    "elowire.tournament.v1": "tournaments",
    "elowire.entrant.v1": "entrants",
    "elowire.game-result.v1": "games",
    "elowire.published-rating.v1": "published ratings",
    "elowire.reported-change.v1": "reported changes",
}


@dataclass(slots=True)
class Outcome:
    """What became of one file."""

    file: str
    sent: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    refusals: list[Notice] = field(default_factory=list)
    adjusted: int = 0
    held: int = 0
    """Copies that an operator's correction holds back."""
    without_result: int = 0

    def refuse(self, notice: Notice) -> None:
        """Count a refusal and keep it for the list."""
        self.refused += 1
        if len(self.refusals) < LISTED_REFUSALS:
            self.refusals.append(notice)

    def row(self) -> dict[str, Any]:
        """Give the outcome as data."""
        return {
            "file": self.file,
            "sent": dict(self.sent),
            "adjusted": self.adjusted,
            "held_by_corrections": self.held,
            "games_without_result": self.without_result,
            "refused": self.refused,
            "refusals": [str(notice) for notice in self.refusals],
        }


@dataclass(slots=True)
class Sending:
    """Sends portions of records, each acknowledged before the next, and keeps the count."""

    intake: Intake
    outcome: Outcome
    progress: Progress
    speed: float | None

    async def records(self, records: tuple[EventRecord, ...], *, paced_by: float | None) -> None:
        """Send records, at most `paced_by` of them per second."""
        if not records:
            return
        task = self.progress.add_task(self.outcome.file, total=len(records))
        started = clock.monotonic()
        for due, portion in paced(records, paced_by):
            await asyncio.sleep(max(0.0, started + due - clock.monotonic()))
            await self._portion(portion)
            self.progress.advance(task, len(portion))
        self.progress.remove_task(task)

    async def events(self, lines: Iterable[EventLine | Notice]) -> None:
        """Send events that came with their envelope, in portions; refused lines are kept for the list."""
        task = self.progress.add_task(self.outcome.file, total=None)
        started = clock.monotonic()
        sent = 0
        for portion in self._portions(lines):
            if self.speed is not None:
                await asyncio.sleep(max(0.0, started + sent / self.speed - clock.monotonic()))
            await self._portion(portion)
            sent += len(portion)
            self.progress.advance(task, len(portion))
        self.progress.remove_task(task)

    def _portions(self, lines: Iterable[EventLine | Notice]) -> Iterator[list[EventRecord]]:
        size = SENT_TOGETHER if self.speed is None else max(1, round(self.speed / 20))
        portion: list[EventRecord] = []
        for line in lines:
            if isinstance(line, Notice):
                self.outcome.refuse(line)
                continue
            portion.append(record_of(line.event, time=clock.now()))
            if len(portion) == size:
                yield portion
                portion = []
        if portion:
            yield portion

    async def _portion(self, records: list[EventRecord]) -> None:
        taken = await self.intake.take([_event_of(record) for record in records])
        self.outcome.held += len(taken.held)
        self.outcome.sent.update(_KINDS.get(event.type, event.type) for event in taken.sent)


def _event_of(record: EventRecord) -> Decoded:
    read = decode(record.topic, record.key, record.value, record.headers)
    if not isinstance(read, Decoded):
        raise TypeError(f"a record of our own is refused: {read.detail}")
    return read
