"""One process in the engine's world: it runs the real lane, and something happens to it where it is told.

Every effect on the world is one step; a write is one step per record, taken in turn
over the partitions, so that what happens inside a write leaves a prefix of each.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from aiokafka.errors import KafkaError
from aiokafka.structs import TopicPartition

from elowire.processor.lane import Lane
from elowire.processor.pace import Pace
from elowire.processor.ports import NotOwnerError, Ports, RefusedError, Silent, Span, no_probe
from elowire.processor.stage import Record
from tests.fakes.loop import Suspended

PATIENT = Pace(
    session_s=3600,
    stall_s=5,
    answer_s=20,
    commit_s=-1,
    audit_s=-1,
    idle_check_s=-1,
    fetch_s=0,
    max_records=2,
)
SLOW_S = 15
"""How late a slow answer is: within every budget of `PATIENT`."""
REFUSALS = {"write": RefusedError, "commit": NotOwnerError, "fetch": NotOwnerError}


class Crashed(BaseException):
    """A member was killed."""


class Stopped(BaseException):
    """A member ended itself: (reason, cause)."""


class Member:
    """One process: group, log, sink and lane over a world. `at` is the step where `how` happens to it.

    how: before   killed before the effect
         after    killed when the effect is done and nobody knows
         await    killed where its task is suspended for the `at`-th time, wherever that is
         freeze   frozen before the effect until `thaw`
         unheard  frozen when the effect is done
         unsent   the request is lost, no answer ever comes
         lost     the effect is done, no answer ever comes
         slow     the effect is done, the answer comes late
         refused  the effect is refused
         twice    the effect is done twice, the answer is that of the second time
         again    the effect is done twice, the answer is that of the first time
         stray    its consumer's positions jump over a record, then the effect is done
         late     killed; the effect is in `late`, for somebody to let it happen when all thought it dead
    A barrier has no effect: it is a step of who is to be killed; all else happens at the next call.
    `first` is a topic that its fetches bring before all others, since Kafka promises no order between topics.
    `dies_after` ends the name of a step whose effect is the last one it has.
    """

    def __init__(
        self,
        world,
        stages,
        *,
        at=0,
        how="",
        pace=PATIENT,
        probe=no_probe,
        observer=None,
        name="A",
        first="",
    ):
        self.world, self.at, self.how, self.name = world, at, how, name
        self.steps = self.suspensions = 0
        self.where = ""
        self.late = None
        self.dies_after = ""
        self.first = first
        self.frozen, self.thaw = asyncio.Event(), asyncio.Event()
        self.position = {}
        self.mine = set()
        self.fetches = 0
        self.sources = {topic for stage in stages for topic in stage.sources}
        self._told = probe
        ports = Ports(self, self, self, self._stop, observer or Silent(), self._probe)
        self.lane = Lane(stages, ports, pace, partitions=world.partitions)
        self.task = None

    def _stop(self, reason, cause=None):
        self.world.tell(self.name, self.steps, "ends itself", reason)
        raise Stopped(reason, cause)

    def _probe(self, where, stages=""):
        self._told(where, stages)
        if self.how in {"before", "after"}:
            self.steps += 1
            if self.steps == self.at:
                self._killed(where)

    def _killed(self, where):
        self.where = self.where or where
        self.world.tell(self.name, self.steps, "killed", self.how, where)
        raise Crashed(where)

    async def step(self, what, effect, *told):
        self.steps += 1
        if self.steps == self.at and self.how != "await":
            self.where = what
            result = await self._hit(what, effect, told)
        else:
            result = effect()
            self.world.tell(self.name, self.steps, what, *told, result)
            if self.dies_after and what.endswith(self.dies_after):
                self._killed(what)
        await asyncio.sleep(0)
        return result

    async def _hit(self, what, effect, told):
        how = self.how
        if how == "late":
            self.late = effect
        if how in {"before", "late"}:
            self._killed(what)
        if how == "refused":
            self.world.tell(self.name, self.steps, what, "refused")
            raise REFUSALS.get(what.split()[0], KafkaError)(f"{what} is refused")
        if how == "freeze":
            await self._freeze(what)
        if how == "stray":
            self.position = {at: position + 1 for at, position in self.position.items()}
        first = None if how == "unsent" else effect()
        self.world.tell(self.name, self.steps, what, *told, first, how)
        return await self._answer(what, effect, first)

    async def _answer(self, what, effect, first):
        """How the answer comes, when the effect is done."""
        match self.how:
            case "after":
                self._killed(what)
            case "unheard":
                await self._freeze(what)
            case "lost" | "unsent":
                await asyncio.get_running_loop().create_future()
            case "slow":
                await asyncio.sleep(SLOW_S)
            case "twice" | "again" if what.split()[0] in {"write", "commit"}:
                second = effect()
                return second if self.how == "twice" else first
        return first

    async def _freeze(self, what):
        self.world.tell(self.name, self.steps, "frozen at", what)
        self.frozen.set()
        await self.thaw.wait()
        self.world.tell(self.name, self.steps, "goes on")

    def join(self, partitions=None):
        """Become the owner of `partitions` (numbers, None: all), whoever had them."""
        numbers = range(self.world.partitions) if partitions is None else partitions
        self.mine = {TopicPartition(topic, n) for topic in self.sources for n in numbers}
        for at in self.mine:
            self.world.owners[at] = self
            self.position[at] = self.world.offsets.get(at, (0, ""))[0]
        self.world.tell(self.name, self.steps, "owns", *numbers)
        self.lane.assigned(self.mine)
        self.task = self.task or asyncio.create_task(self._run())

    async def _run(self):
        await Suspended(self.lane.run(), self._suspended)

    def _suspended(self):
        self.suspensions += 1
        if self.how == "await" and self.suspensions == self.at:
            self._killed(f"suspended while it waited for {self.lane.waiting_for}")

    async def leave(self):
        await self.lane.close()
        await self.task

    # The `Group` port.

    async def fetch(self, sources, *, timeout_s, limit):
        def effect():
            self.fetches += 1
            got = {}
            waiting = {at for at in sources if at.topic == self.first and self._waits(at)}
            for at in waiting or sources:
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

    def fetch_ahead(self):
        """Nothing: who asks gets what there is by then."""

    def _waits(self, at):
        return self.position[at] < len(self.world.logs[at])

    async def seek(self, positions):
        await self.step("seek", lambda: self.position.update(positions), positions)

    async def positions(self, sources):
        return await self.step("positions", lambda: {at: self.position[at] for at in sources})

    async def commit(self, offsets):
        await self.step("commit", lambda: self.world.commit(self, offsets), offsets)

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
                    at.partition,
                    key,
                    value,
                )
                spans[at] = Span(spans[at].first if at in spans else offset, offset)
                if not left[at]:
                    del left[at]
        return spans


async def until_done(member, topics, *, idle_fetches=4, patience_s=60.0):
    """Run a member until it has nothing to do any more; raises what ended it."""
    world = member.world
    async with asyncio.timeout(patience_s):
        quiet, last = 0, None
        while quiet < idle_fetches:
            if member.task.done():
                member.task.result()
            now = (world.lag(topics), sum(map(len, world.logs.values())))
            seen, turns = member.fetches, 0
            while member.fetches == seen and not member.task.done():
                turns += 1
                await asyncio.sleep(0 if turns % 100 else 1)
            quiet = quiet + 1 if now == last and now[0] == 0 else 0
            last = now


async def kill(member):
    """End a member's task, whatever it is doing."""
    if member.task is None:
        return
    member.task.cancel()
    with suppress(asyncio.CancelledError, Crashed, Stopped):
        await member.task
