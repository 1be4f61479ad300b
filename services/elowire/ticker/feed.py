"""From Kafka to the board: everything from the beginning, without a group, for as long as the ticker runs."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import cast

import orjson

from elowire.runtime import clock, kafka
from elowire.runtime.logs import get_logger
from elowire.runtime.security import Cluster
from elowire.runtime.tasks import together
from elowire.ticker.asides import ASIDES, Asides
from elowire.ticker.board import TOPICS, Board, UnreadableRecordError
from elowire.ticker.changes import Change
from elowire.ticker.movers import Lately
from elowire.ticker.stream import Stream
from elowire.ticker.views import change_view

_CHECK_S = 5.0
_REPLY_S = 10.0
_RETRY_S = 2.0
_ASIDE_RETRY_S = 15.0
_TIDY_S = 3_600.0
# Lines of tournaments are kept for 30 days in their topic.
_PAST = timedelta(days=40)
# aiokafka's errors are RuntimeErrors; those of the network, time-outs too, are OSErrors.
_FAULTS = (OSError, RuntimeError, kafka.TopicMissingError)

log = get_logger(__name__)


@dataclass(slots=True)
class Progress:
    """How far the feed is.

    `caught_up` turns true once and stays so: an old board with its time is better than none. `fault` is a
    sentence that says why nothing new can arrive just now. `changed_at` is the newest record's time, in
    milliseconds since 1970; `behind` counts records not read yet. `aside_fault` says why names of tournaments
    and refused records are not known.
    """

    caught_up: bool = False
    fault: str | None = "not connected to Kafka yet"
    changed_at: int | None = None
    behind: int = 0
    refused: int = 0
    aside_fault: str | None = "not read yet"
    lately: Lately = field(default_factory=Lately)


class Feed:
    """Reads the output topics into a board and tells the stream what changed."""

    def __init__(self, cluster: Cluster, board: Board, stream: Stream) -> None:
        self._cluster = cluster
        self._board = board
        self._stream = stream
        self._positions: dict[tuple[str, int], int] = {}
        self._aside_positions: dict[tuple[str, int], int] = {}
        self.progress = Progress()
        self.asides = Asides(board)

    async def run(self) -> None:
        """Read for ever; a fault is shown, waited out, and reading goes on where it stopped."""
        while True:
            try:
                if not self.progress.caught_up:
                    await self._catch_up()
                await together(self._follow(), self._follow_asides(), self._check())
            except _FAULTS as fault:
                self._stumble(fault)
            await asyncio.sleep(_RETRY_S)

    async def tidy(self) -> None:
        """Let go of what is over, now and then, so that a ticker may run for years."""
        while True:
            await asyncio.sleep(_TIDY_S)
            self._board.forget(clock.now().date() - _PAST)

    def take_asides(self, records: list[kafka.Record]) -> None:
        """Apply a batch of `ASIDES`."""
        for record in records:
            self._aside_positions[record.topic, record.partition] = record.offset + 1
            change = self.asides.take(record)
            if change is not None and self.progress.caught_up:
                self._stream.publish(change, orjson.dumps(change_view(self._board, change)))

    def take(self, records: list[kafka.Record]) -> None:
        """Apply a batch and publish what it changed, with the ranks that hold after it."""
        changes: list[Change] = []
        for record in records:
            self._positions[record.topic, record.partition] = record.offset + 1
            try:
                change = self._board.apply(record.topic, record.value, record.timestamp)
            except UnreadableRecordError as error:
                self.progress.refused += 1
                log.warning(
                    "record not shown",
                    topic=record.topic,
                    partition=record.partition,
                    offset=record.offset,
                    reason=str(error),
                )
                continue
            if change is not None:
                changes.append(change)
                self.progress.lately.note(change.player_id)
                self.progress.changed_at = max(self.progress.changed_at or 0, record.timestamp)
        if not self.progress.caught_up:
            return
        for change in changes:
            self._stream.publish(change, orjson.dumps(change_view(self._board, change)))

    async def _catch_up(self) -> None:
        ends = await kafka.end_offsets(self._cluster, TOPICS)
        self._board.loading = True
        with _uncollected():
            async with _closing(kafka.read_all(self._cluster, TOPICS)) as batches:
                async for records in batches:
                    self.take(records)
            self._board.forget(clock.now().date() - _PAST)
            self._board.settle()
        # Compaction may have taken the last records before an end, so the ends are positions too.
        for place, end in ends.items():
            self._positions[place] = max(end, self._positions.get(place, 0))
        self._board.loading = False
        self.progress.caught_up = True
        self.progress.fault = None
        log.info("board complete", players=len(self._board), refused=self.progress.refused)

    async def _follow(self) -> None:
        async with _closing(kafka.follow(self._cluster, TOPICS, positions=self._positions)) as batches:
            async for records in batches:
                if records:
                    self.take(records)

    async def _follow_asides(self) -> None:
        """Read what stands beside the figures; where that is not allowed, the figures go on without it."""
        while True:
            try:
                async with _closing(
                    kafka.follow(self._cluster, ASIDES, positions=self._aside_positions)
                ) as batches:
                    async for records in batches:
                        self.take_asides(records)
                        self.progress.aside_fault = None
                        await asyncio.sleep(0)
            except _FAULTS as fault:
                sentence = str(fault) or "Kafka does not answer in time"
                if self.progress.aside_fault != sentence:
                    log.warning("names of tournaments are not known", reason=sentence)
                self.progress.aside_fault = sentence
            await asyncio.sleep(_ASIDE_RETRY_S)

    async def _check(self) -> None:
        """Ask the broker for the ends: a follower alone cannot tell a quiet evening from a dead broker.

        A fault ends the follower too, which would otherwise knock at a dead broker's door, loudly, ten times
        a second.
        """
        while True:
            async with asyncio.timeout(_REPLY_S):
                ends = await kafka.end_offsets(self._cluster, TOPICS)
            if self.progress.fault is not None:
                log.info("connected to Kafka again")
            self.progress.fault = None
            self.progress.behind = sum(
                max(0, end - self._positions.get(place, 0)) for place, end in ends.items()
            )
            await asyncio.sleep(_CHECK_S)

    def _stumble(self, fault: Exception) -> None:
        sentence = str(fault) or "Kafka does not answer in time"
        if self.progress.fault != sentence:
            log.warning("not connected to Kafka", reason=sentence)
        self.progress.fault = sentence


@contextmanager
def _uncollected() -> Iterator[None]:
    """Build a great many objects that stay without looking through them for garbage again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _closing(batches: AsyncIterator[list[kafka.Record]]) -> aclosing[AsyncGenerator[list[kafka.Record]]]:
    """Close the reader's consumer at the end of the block, and not when it is collected."""
    return aclosing(cast("AsyncGenerator[list[kafka.Record]]", batches))
