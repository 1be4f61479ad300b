"""Tables in memory and their changelog: recover, absorb, write, audit. Only this module moves `Part.log`.

A changelog is written by one owner at a time, but nothing in Kafka stops a paused process (a zombie) from
waking up and writing late. So no write is trusted to be alone: its offsets must follow the last one without a
gap; else the foreign records are read, the higher version of a key wins, and a key whose last record is the
older one is written again, so that a zombie's state cannot survive compaction.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from elowire.processor.checks import changelog_is_whole, same_number, same_topics, topics_of
from elowire.processor.parts import Part, Source, name_of, names_of, place
from elowire.processor.state import UnknownFormatError
from elowire.runtime.clock import monotonic
from elowire.runtime.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aiokafka.structs import TopicPartition

    from elowire.processor.ports import Logged, Ports
    from elowire.processor.stage import Out

# Headers of the last record of every write: where the source stands once the write is acknowledged, and
# which topic that is an offset of.
MARK = "elowire-next:"
ORIGIN = "elowire-topic-id:"

_log = get_logger("elowire.processor")


class Changelog:
    """The changelogs of all parts of a lane; `stall_s`, `answer_s`: budgets of a recovery (see `Pace`)."""

    def __init__(self, ports: Ports, *, stall_s: float, answer_s: float) -> None:
        self._log = ports.log
        self._sink = ports.sink
        self._stop = ports.stop
        self._observer = ports.observer
        self._stall_s = stall_s
        self._answer_s = answer_s

    def foreign(self, parts: Iterable[Part], ends: Mapping[TopicPartition, int]) -> list[Part]:
        """Return the parts whose changelog ends elsewhere than we left it; ask for ends between writes."""
        return [part for part in parts if part.changelog and ends[part.changelog] != part.log + 1]

    async def recover(self, parts: Sequence[Part], still_ours: Callable[[], bool]) -> bool:
        """Bring every part up to date: positions first, then tables up to the ends of the changelogs.

        Returns False if `still_ours` said stop: table and log agree then too, and the next recovery goes on
        from there. A part whose sources have positions keeps them.
        """
        began = monotonic()
        fresh = [at for part in parts for at, source in part.sources.items() if source.next is None]
        # Committed offsets before ends: the table then covers everything below the offsets.
        logs = {part.changelog: part for part in parts if part.changelog}
        async with asyncio.timeout(self._answer_s):
            beginnings, committed = await self._log.beginnings(fresh), await self._log.committed()
            ids = await self._log.ids(topics_of(parts))
            firsts, ends = await self._log.beginnings(logs), await self._log.ends(logs)
        if not still_ours():
            return False
        same_number(parts, committed, self._stop)
        place(parts, beginnings, committed)
        same_topics(parts, ids, self._stop)
        for at, part in logs.items():
            changelog_is_whole(part, at, firsts[at], ends[at], self._stop)
        read = await self._read(logs, ends, still_ours)
        if read is None or not still_ours():
            return False
        keys, repaired = sum(len(part.table) for part in parts), sum(len(part.stale) for part in parts)
        seconds = monotonic() - began
        _log.info(
            "recovered", parts=len(parts), read=read, keys=keys, repaired=repaired, seconds=round(seconds, 3)
        )
        self._observer.on_recovered(
            parts=len(parts), read=read, keys=keys, repaired=repaired, seconds=seconds
        )

        return True

    async def _read(
        self,
        logs: dict[TopicPartition, Part],
        ends: Mapping[TopicPartition, int],
        still_ours: Callable[[], bool],
    ) -> int | None:
        spans = {at: (part.log + 1, ends[at]) for at, part in logs.items()}
        total = sum(end - first for first, end in spans.values())
        read = 0
        # Told before the first record: a Kafka that delivers nothing is a long recovery too.
        self._observer.on_recovering(0, total)
        try:
            async with asyncio.timeout(self._stall_s) as patience, aclosing(self._log.read(spans)) as chunks:
                async for chunk in chunks:
                    for at, records in chunk.items():
                        self._absorb(logs[at], at, records)
                        read += len(records)
                    if chunk:
                        patience.reschedule(asyncio.get_running_loop().time() + self._stall_s)
                        left = sum(max(0, ends[at] - part.log - 1) for at, part in logs.items())
                        self._observer.on_recovering(total - left, left)
                    if not still_ours():
                        return None
        except TimeoutError as late:
            behind = [at for at, part in logs.items() if part.log + 1 < ends[at]]
            self._stop(f"recovery brought nothing for {self._stall_s} s: waited for {names_of(behind)}", late)
        for at, part in logs.items():
            part.log = max(part.log, ends[at] - 1)

        return read

    async def write(
        self, changes: Mapping[Part, dict[bytes, bytes]], advanced: Mapping[Source, int]
    ) -> list[Part]:
        """Write states in the order of `changes`; once acknowledged, tables and logs have moved.

        `advanced` says where the sources of the batch stand after it. Returns the parts to which somebody
        else wrote too: their log stays, so that the next recovery reads the foreign records and ours.
        """
        writes: dict[TopicPartition, Sequence[Out]] = {}
        for part, states in changes.items():
            if part.changelog is None:
                self._stop(f"stage {part.stage.name} put states without having a changelog")
            out: list[Out] = [(key, state, []) for key, state in states.items()]
            out[-1] = (*out[-1][:2], _marks(part, advanced))
            writes[part.changelog] = out
        spans = await self._sink.send(writes)
        shared = []
        for part, states in changes.items():
            span = spans[part.changelog]
            part.table.update(states)
            part.stale.difference_update(states)
            if span.first == part.log + 1 and span.last - span.first + 1 == len(states):
                part.log = span.last
            else:
                _log.warning(
                    "another process wrote to our changelog", part=str(part), log=part.log, ours=span
                )
                self._observer.on_foreign_write(str(part))
                shared.append(part)

        return shared

    def _absorb(self, part: Part, at: TopicPartition, records: Sequence[Logged]) -> None:
        table, version, note, index, stale = (
            part.table,
            part.stage.version,
            part.stage.note,
            part.index,
            part.stale,
        )
        for record in records:
            key, state = record.key, record.value
            if key is None or state is None:
                self._stop(
                    f"{name_of(at)} has a record without key or value at {record.offset}: not our changelog"
                )
            known = table.get(key)
            try:
                found = version(state)
            except UnknownFormatError as newer:
                self._stop(f"{name_of(at)} at {record.offset}: {newer}", newer)
            if known is None or known == state or found > version(known):
                table[key] = state
                stale.discard(key)
                note(index, key, state)
            elif found < version(known):
                stale.add(key)
            else:
                self._stop(
                    f"{name_of(at)} has two states of one version for {key!r}, the second at {record.offset}"
                )
            if record.headers:
                _take_marks(part, record.headers)
        part.log = records[-1].offset


def _marks(part: Part, advanced: Mapping[Source, int]) -> list[tuple[str, bytes]]:
    marks = [
        (MARK + source.at.topic, b"%d" % advanced.get(source, source.next or 0))
        for source in part.sources.values()
    ]

    return [*marks, *((ORIGIN + at.topic, source.id.encode()) for at, source in part.sources.items())]


def _take_marks(part: Part, headers: Iterable[tuple[str, bytes]]) -> None:
    for name, value in headers:
        if name.startswith(MARK):
            topic = name.removeprefix(MARK)
            part.marks[topic] = max(part.marks.get(topic, 0), int(value))
        elif name.startswith(ORIGIN) and value:
            part.origins[name.removeprefix(ORIGIN)] = value.decode()
