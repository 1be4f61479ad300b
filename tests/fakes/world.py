"""A Kafka in memory for the engine: topics, a group, and members that die or freeze where they are told.

Every effect on the world is one step of one member; a write is one step per record, taken in turn over the
partitions, so that a kill inside a write leaves a prefix of each.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import NamedTuple

from aiokafka.structs import TopicPartition

from elowire.processor.lane import Lane
from elowire.processor.pace import Pace
from elowire.processor.ports import NotOwnerError, Ports, Silent, Span, no_probe
from elowire.processor.stage import Record

PATIENT = Pace(session_s=3600, commit_s=-1, audit_s=-1, idle_check_s=-1, max_records=2, stall_s=5, fetch_s=0)


class Crashed(BaseException):
    """A member was killed."""


class Stopped(BaseException):
    """A member ended itself: (reason, cause)."""


class Stored(NamedTuple):
    key: bytes | None
    value: bytes | None
    headers: list
    offset: int


class World:
    """Logs and group offsets; they outlive every member."""

    def __init__(self, topics, partitions=2):
        self.partitions = partitions
        self.logs = {TopicPartition(topic, n): [] for topic in topics for n in range(partitions)}
        self.ids = {topic: f"{topic}#1" for topic in topics}
        self.firsts = {}
        self.offsets = {}
        self.owners = {}

    def append(self, at, key, value, headers=()):
        log = self.logs[at]
        log.append(Stored(key, value, list(headers), len(log)))
        return len(log) - 1

    def skip(self, at, offsets):
        """Leave a hole of so many offsets, as markers of transactions and compaction do."""
        self.logs[at].extend([None] * offsets)

    def records(self, topic):
        return [record for at, log in self.logs.items() if at.topic == topic for record in log if record]

    def lag(self, topics):
        ends = {at: len(log) for at, log in self.logs.items() if at.topic in topics}
        return sum(end - self.offsets.get(at, (0, ""))[0] for at, end in ends.items())


class Member:
    """One process: group, log, sink and lane over a world. `at` is the step where `how` happens to it.

    how: "before" (killed before the effect), "after" (killed when the effect is done and nobody knows),
    "freeze" (frozen before the effect until `thaw`), "unheard" (frozen when the effect is done).
    """

    def __init__(
        self, world, stages, *, at=0, how="", pace=PATIENT, static=False, probe=no_probe, observer=None
    ):
        self.world, self.at, self.how = world, at, how
        self.steps = 0
        self.where = ""
        self.frozen, self.thaw = asyncio.Event(), asyncio.Event()
        self.position = {}
        self.mine = set()
        self.fetches = 0
        self.sources = {topic for stage in stages for topic in stage.sources}
        ports = Ports(self, self, self, self._stop, observer or Silent(), probe)
        self.lane = Lane(stages, ports, pace, static=static)
        self.task = None

    def _stop(self, reason, cause=None):
        raise Stopped(reason, cause)

    async def step(self, what, effect):
        self.steps += 1
        hit = self.steps == self.at
        if hit:
            self.where = what
        if hit and self.how == "before":
            raise Crashed(what)
        if hit and self.how == "freeze":
            self.frozen.set()
            await self.thaw.wait()
        result = effect()
        if hit and self.how == "after":
            raise Crashed(what)
        if hit and self.how == "unheard":
            self.frozen.set()
            await self.thaw.wait()
        await asyncio.sleep(0)
        return result

    def join(self, partitions=None):
        """Become the owner of `partitions` (numbers, None: all), whoever had them."""
        numbers = range(self.world.partitions) if partitions is None else partitions
        self.mine = {TopicPartition(topic, n) for topic in self.sources for n in numbers}
        for at in self.mine:
            self.world.owners[at] = self
            self.position[at] = self.world.offsets.get(at, (0, ""))[0]
        self.lane.assigned(self.mine)
        self.task = self.task or asyncio.create_task(self.lane.run())

    async def leave(self):
        await self.lane.close()
        await self.task

    # The `Group` port.

    async def fetch(self, sources, *, timeout_s, limit):
        def effect():
            self.fetches += 1
            got = {}
            for at in sources:
                if at not in self.mine:
                    raise NotOwnerError("not assigned")
                log = self.world.logs[at]
                found = [record for record in log[self.position[at] :] if record][:limit]
                if found:
                    self.position[at] = found[-1].offset + 1
                    got[at] = [
                        Record(at.topic, at.partition, r.offset, 1, r.key, r.value, r.headers) for r in found
                    ]
            return got

        return await self.step("fetch", effect)

    async def seek(self, positions):
        await self.step("seek", lambda: self.position.update(positions))

    async def positions(self, sources):
        return await self.step("positions", lambda: {at: self.position[at] for at in sources})

    async def commit(self, offsets):
        def effect():
            if any(self.world.owners.get(at) is not self for at in offsets):
                raise NotOwnerError("another generation")
            self.world.offsets.update(offsets)

        await self.step("commit", effect)

    # The `Log` port.

    async def committed(self):
        return await self.step("committed", lambda: dict(self.world.offsets))

    async def beginnings(self, of):
        return await self.step("beginnings", lambda: {at: self.world.firsts.get(at, 0) for at in of})

    async def ids(self, topics):
        return await self.step(
            "ids", lambda: {topic: self.world.ids[topic] for topic in topics if topic in self.world.ids}
        )

    async def ends(self, of):
        return await self.step("ends", lambda: {at: len(self.world.logs[at]) for at in of})

    async def read(self, spans):
        for at, (first, end) in spans.items():
            for offset in range(first, end, 2):
                chunk = [record for record in self.world.logs[at][offset : min(offset + 2, end)] if record]
                yield await self.step("read", lambda at=at, chunk=chunk: {at: chunk} if chunk else {})

    # The `Sink` port.

    async def send(self, writes):
        spans = {}
        left = {at: list(records) for at, records in writes.items()}
        while left:
            for at in list(left):
                key, value, headers = left[at].pop(0)
                offset = await self.step(
                    f"write {at.topic}",
                    lambda at=at, k=key, v=value, h=headers: self.world.append(at, k, v, h),
                )
                spans[at] = Span(spans[at].first if at in spans else offset, offset)
                if not left[at]:
                    del left[at]
        return spans


async def until_done(member, topics, *, idle_fetches=4, patience_s=5.0):
    """Run a member until it has nothing to do any more; raises what ended it."""
    world = member.world
    async with asyncio.timeout(patience_s):
        quiet, last = 0, None
        while quiet < idle_fetches:
            if member.task.done():
                member.task.result()
            now = (world.lag(topics), sum(map(len, world.logs.values())))
            seen = member.fetches
            while member.fetches == seen and not member.task.done():
                await asyncio.sleep(0)
            quiet = quiet + 1 if now == last and now[0] == 0 else 0
            last = now


async def kill(member):
    """End a member's task, whatever it is doing."""
    member.task.cancel()
    with suppress(asyncio.CancelledError, Crashed, Stopped):
        await member.task
