"""From Kafka to the queue: the output topics from where reading stopped, without a group."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import cast

from elowire.dispatch.intake import (
    Batch,
    Place,
    begin,
    lacks_federations,
    positions,
    read_batch,
    take,
)
from elowire.dispatch.readings import LISTS_TOPIC, TOPICS
from elowire.dispatch.store import Store
from elowire.runtime import clock, kafka
from elowire.runtime.logs import get_logger
from elowire.runtime.security import Cluster
from elowire.runtime.tasks import together

_CHECK_S = 5.0
_REPLY_S = 10.0
_RETRY_S = 2.0
# aiokafka's errors are RuntimeErrors; those of the network, time-outs too, are OSErrors.
_FAULTS = (OSError, RuntimeError, kafka.TopicMissingError, sqlite3.Error)

log = get_logger(__name__)


@dataclass(slots=True)
class Progress:
    """How far reading is; `fault` says why nothing new can arrive, `behind` counts records."""

    fault: str | None = "not connected to Kafka yet"
    behind: int = 0
    queued: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    overflowed: int = 0
    refused: int = 0


class Feed:
    """Reads for ever; `wake` is called when something was queued."""

    def __init__(self, cluster: Cluster, store: Store, wake: Callable[[], None]) -> None:
        self._cluster, self._store, self._wake = cluster, store, wake
        self._positions: dict[Place, int] = {}
        self.progress = Progress()

    async def run(self) -> None:
        """Read for ever; a fault is shown, waited out, and reading goes on where it stopped."""
        while True:
            try:
                await self._begin()
                await together(self._follow(), self._check())
            except _FAULTS as fault:
                self._stumble(fault)
            await asyncio.sleep(_RETRY_S)

    async def _begin(self) -> None:
        bounds: dict[Place, tuple[int, int]] = {}
        async with asyncio.timeout(_REPLY_S), kafka.span_reader(self._cluster, TOPICS) as reader:
            for topic in TOPICS:
                bounds |= {(topic, number): span for number, span in (await reader.bounds(topic)).items()}
        for sentence in await asyncio.to_thread(begin, self._store, bounds):
            log.warning("reading begins elsewhere", reason=sentence)
        self._positions = await asyncio.to_thread(positions, self._store)
        self._well({place: end for place, (_, end) in bounds.items()})

    async def _follow(self) -> None:
        async with _closing(kafka.follow(self._cluster, TOPICS, positions=self._positions)) as batches:
            async for records in batches:
                if records:
                    await self._take(await asyncio.to_thread(read_batch, records))

    async def _take(self, batch: Batch) -> None:
        if await asyncio.to_thread(lacks_federations, self._store, batch):
            # A player's line is in the lists before his rating is: it was only fetched later.
            await self._read_lists()
        await self._write(batch)

    async def _read_lists(self) -> None:
        async with kafka.span_reader(self._cluster, (LISTS_TOPIC,)) as reader:
            for number, (first, end) in (await reader.bounds(LISTS_TOPIC)).items():
                start = max(first, self._positions.get((LISTS_TOPIC, number), 0))
                async with _closing(reader.read(LISTS_TOPIC, number, start, end)) as batches:
                    async for records in batches:
                        await self._write(await asyncio.to_thread(read_batch, records))

    async def _write(self, batch: Batch) -> None:
        taken = await asyncio.to_thread(take, self._store, batch, clock.now_ms())
        for place, following in batch.positions.items():
            self._positions[place] = max(following, self._positions.get(place, 0))
        self.progress.queued += taken.queued
        self.progress.known += taken.known
        self.progress.overflowed += taken.overflowed
        for record, reason in batch.unreadable:
            self.progress.refused += 1
            log.warning(
                "record not sent",
                topic=record.topic,
                partition=record.partition,
                offset=record.offset,
                reason=reason,
            )
        if taken.queued:
            self._wake()

    async def _check(self) -> None:
        """Ask the broker for the ends: a follower alone cannot tell a quiet evening from a dead broker."""
        while True:
            await asyncio.sleep(_CHECK_S)
            async with asyncio.timeout(_REPLY_S):
                ends = await kafka.end_offsets(self._cluster, TOPICS)
            self._well(ends)
            if any(self._positions.get(place, 0) > end for place, end in ends.items()):
                raise OSError("a topic was made anew")

    def _well(self, ends: Mapping[Place, int]) -> None:
        if self.progress.fault is not None:
            log.info("connected to Kafka")
        self.progress.fault = None
        self.progress.behind = sum(
            max(0, end - self._positions.get(place, 0))
            for place, end in ends.items()
            if place[0] != LISTS_TOPIC
        )

    def _stumble(self, fault: Exception) -> None:
        sentence = str(fault) or "Kafka does not answer in time"
        if self.progress.fault != sentence:
            log.warning("not connected to Kafka", reason=sentence)
        self.progress.fault = sentence


def _closing(batches: AsyncIterator[list[kafka.Record]]) -> aclosing[AsyncGenerator[list[kafka.Record]]]:
    """Close the reader at the end of the block, and not when it is collected."""
    return aclosing(cast("AsyncGenerator[list[kafka.Record]]", batches))
