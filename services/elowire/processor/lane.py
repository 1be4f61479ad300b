"""The batch lane: records in order through the stages; outputs, then changelog, then offset.

One task fetches, recovers, seeks and writes, so a fetch cannot overlap a seek. What it guarantees:

1. A fetch that spans a rebalance is discarded whole.
2. A batch starts exactly at the expected offset and has no hole; else the part is sought again.
3. Outputs acknowledged → lease → changelog acknowledged → table, log and positions move together → commit.
   The committed offset is read before the changelog's end.
4. Lease: a changelog is written only within a third of the session after a commit of ours was accepted.
5. Changelog writes are contiguous, or the foreign records are read and repaired (see `changelog`).
6. Time budgets for a batch, a revoke, an answer. What does not fit ends the process, as does every exception.
7. A stage emits again for a record whose revision it already knows (see `stage`).

All stages of a process share the lane: one fetch, one lease, one commit, one budget, both barriers.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from elowire.processor.batches import Changes, Work, contiguous, decide
from elowire.processor.changelog import Changelog
from elowire.processor.checks import co_partitioned, same_topics, sources_are_whole, topics_of
from elowire.processor.lease import Lease
from elowire.processor.limit import DeadLetterLimit
from elowire.processor.pace import is_small
from elowire.processor.parts import Part, Phase, held_by, name_of, part_of
from elowire.processor.ports import Batch, NotOwnerError, Ports
from elowire.runtime.clock import monotonic
from elowire.runtime.logs import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aiokafka.structs import TopicPartition

    from elowire.processor.pace import Pace
    from elowire.processor.stage import Stage

_logger = get_logger("elowire.processor")


class Lane:
    """Takes records through the stages; the group calls `revoked` and `assigned`."""

    def __init__(self, stages: Sequence[Stage], ports: Ports, pace: Pace, *, partitions: int) -> None:
        self.stages = stages
        self.partitions = partitions
        self.pace = pace
        self.limit = DeadLetterLimit()
        self.parts: dict[tuple[str, int], Part] = {}
        self.waiting_for = "an assignment"
        self._group, self._log, self._sink, self._stop, self._observer, self._probe = ports
        self._changelog = Changelog(ports, stall_s=pace.stall_s, answer_s=pace.answer_s)
        self._lease = Lease(ports, pace)
        self._generation = 0
        self._audit_at = self._idle_check_at = float("-inf")
        self._orphan_since: float | None = monotonic()
        self._idle, self._wake = asyncio.Event(), asyncio.Event()
        self._idle.set()
        self._closing = False

    # Called by the group, inside the rebalance callback of the consumer.

    async def revoked(self, why: str = "revoke") -> None:
        """Let the batch that is under way end, commit, and give every part away."""
        for part in self.parts.values():
            part.phase = Phase.DRAINING
        try:
            async with asyncio.timeout(self.pace.revoke_s):
                await self._idle.wait()  # the batch only: a fetch may take its time and is discarded
                self._probe("revoke drained")
                await self._lease.commit(self._all())
                self._probe("revoke committed")
        except Exception as exc:  # noqa: BLE001  # whatever it is, the partitions cannot be given away safely
            self._stop(f"{why} did not end within {self.pace.revoke_s} s: waited for {self.waiting_for}", exc)
        self._generation += 1
        self._orphan_since = monotonic()
        for part in self.parts.values():
            part.phase = Phase.UNASSIGNED
            for source in part.sources.values():
                source.next = source.committed = None

    def assigned(self, given: Iterable[TopicPartition]) -> None:
        """Take a new assignment: tables of partitions that stayed are kept."""
        if self._closing:
            return
        mine = co_partitioned(self.stages, given, self.partitions, self._stop)
        if any(part.phase is not Phase.UNASSIGNED for part in self.parts.values()):
            self._stop("the group assigned partitions without a revoke before")
        self.parts = {
            (stage.name, n): self.parts.get((stage.name, n)) or part_of(stage, n, self.partitions)
            for stage, n in mine
        }
        for part in self.parts.values():
            part.phase = Phase.RECOVERING
            for source in part.sources.values():
                source.holes = 0
        self._lease.lose()
        self._orphan_since = None
        self._wake.set()
        _logger.info("assigned", **{s.name: sorted(n for t, n in mine if t is s) for s in self.stages})

    async def close(self) -> None:
        """End: nothing is taken any more, what is under way becomes durable and is committed."""
        self._closing = True
        await self.revoked("closing")

    async def run(self) -> None:
        """Be the one task, until `close`."""
        try:
            while not self._closing:
                await self._turn()
        except Exception as exc:  # noqa: BLE001  # fail-stop: no exception may be survived half
            self._stop(f"the lane failed while it waited for {self.waiting_for}", exc)

    async def _turn(self) -> None:
        if parts := self._in(Phase.RECOVERING):
            await self._recover(parts)
        elif parts := self._in(Phase.SEEKING):
            async with asyncio.timeout(self.pace.answer_s):
                await self._seek(parts)
        else:
            await self._commit_and_audit()
            if parts := self._in(Phase.RUNNING):
                await self._take(parts)
            else:
                await self._rest()

    async def _take(self, parts: list[Part]) -> None:
        generation = self._generation
        sources = [at for part in parts for at in part.sources]
        self.waiting_for = "records"
        try:
            async with asyncio.timeout(self.pace.batch_s):
                got = await self._group.fetch(
                    sources, timeout_s=self.pace.fetch_s, limit=self.pace.max_records
                )
        except NotOwnerError:
            if generation == self._generation and not self._closing:
                raise
            return
        self._probe("fetched")
        if generation != self._generation:
            return  # `_seek` of the new generation sets every position
        work: Work = {}
        for part in parts:
            for at, source in part.sources.items():
                # A part that fell back over one source takes nothing from its others.
                if at in got and part.running and (taken := contiguous(part, source, got[at])):
                    work.setdefault(part, {})[source] = taken
        if work:
            await self._batch(work, {})
            if self.pace.pace_s and is_small(got, self.pace.max_records):
                await asyncio.sleep(self.pace.pace_s)
        elif not got:
            await self._check_idle(parts)

    async def _batch(self, work: Work, repair: Changes) -> None:
        """One batch over all stages and sources: both barriers, then everything moves together."""
        self._idle.clear()
        try:
            async with asyncio.timeout(self.pace.batch_s):
                await self._make_durable(work, repair)
        except TimeoutError as late:
            self._stop(
                f"a batch did not end within {self.pace.batch_s} s: waited for {self.waiting_for}", late
            )
        finally:
            self._idle.set()

    async def _make_durable(self, work: Work, repair: Changes) -> None:
        generation = self._generation
        began = monotonic()
        decided = decide(work, repair)
        after_decide = monotonic()
        if why := self.limit.exceeded(decided, began):
            self._stop(why)
        self._probe("before barrier 1", decided.names)
        ours = await self._lease.held(self._all())
        if ours and decided.outputs:
            self.waiting_for = f"acknowledgement of {decided.emits} outputs of {decided.names}"
            self._probe("inside barrier 1", decided.names)
            await self._sink.send(decided.outputs)
            self._probe("after barrier 1", decided.names)
            ours = await self._lease.held(self._all())
        if not ours:
            await self._drop(work)
            return
        after_outputs = monotonic()
        if decided.changes:
            self.waiting_for = f"acknowledgement of the changelog of {decided.names}"
            self._probe("lease ok", decided.names)
            self._probe("inside barrier 2", decided.names)
            self._group.fetch_ahead()
            for part in await self._changelog.write(decided.changes, decided.advanced):
                part.fall_back(Phase.RECOVERING)
            self._probe("after barrier 2", decided.names)
        if generation != self._generation:
            self._stop("the generation changed under a batch")
        for source, offset in decided.advanced.items():
            source.next, source.holes = offset, 0
        self._lease.add(decided.records)
        self._observer.on_batch(
            Batch(decided, after_decide - began, after_outputs - after_decide, monotonic() - after_outputs)
        )

    async def _drop(self, work: Work) -> None:
        """Forget a batch of partitions that are not ours any more: the revoke is on its way."""
        _logger.info("lease lost, batch dropped", parts=[str(part) for part in work])
        self._observer.on_lease_lost()
        for part in work:
            part.fall_back(Phase.SEEKING)
        await asyncio.sleep(self.pace.fetch_s)

    async def _commit_and_audit(self) -> None:
        if self._lease.due():
            self.waiting_for = "the group coordinator to accept a commit"
            await self._lease.commit(self._all())
        now = monotonic()
        if now - self._audit_at > self.pace.audit_s and (parts := self._in(Phase.RUNNING)):
            self._audit_at = now
            await self._audit(parts)

    async def _audit(self, parts: list[Part]) -> None:
        """Look for writes of others to our changelogs and for other topics; tell how far behind we are."""
        generation = self._generation
        self.waiting_for = "the ends of topics"
        logs = [part.changelog for part in parts if part.changelog]
        async with asyncio.timeout(self.pace.answer_s):
            ends = await self._log.ends([*logs, *(at for part in parts for at in part.sources)])
            ids = await self._log.ids(topics_of(parts))
        if generation != self._generation:
            return
        same_topics(parts, ids, self._stop)
        for part in self._changelog.foreign(parts, ends):
            _logger.warning("foreign records in our changelog", part=str(part))
            self._observer.on_foreign_write(str(part))
            part.fall_back(Phase.RECOVERING)
        self._observer.on_audit(held_by(self._all(), ends))

    async def _recover(self, parts: list[Part]) -> None:
        generation = self._generation

        def still_ours() -> bool:
            self._probe("recovering")
            return generation == self._generation

        self.waiting_for = "the committed offsets and the changelogs"
        if not await self._changelog.recover(parts, still_ours):
            return
        for part in parts:
            part.phase = Phase.SEEKING
        if repair := {part: {key: part.table[key] for key in part.stale} for part in parts if part.stale}:
            await self._batch({}, repair)

    async def _seek(self, parts: list[Part]) -> None:
        generation = self._generation
        sources = [at for part in parts for at in part.sources]
        self.waiting_for = "the ends of the source topics"
        beginnings, ends = await self._log.beginnings(sources), await self._log.ends(sources)
        if generation != self._generation:
            return
        for part in parts:
            sources_are_whole(part, beginnings, ends, self._stop)
        self.waiting_for = "the consumer to seek"
        await self._group.seek({at: source.position for part in parts for at, source in part.sources.items()})
        for part in parts:
            if part.phase is Phase.SEEKING:
                part.phase = Phase.RUNNING

    async def _check_idle(self, parts: list[Part]) -> None:
        """Nothing came: make sure that the consumer stands where we expect the next record."""
        if monotonic() - self._idle_check_at < self.pace.idle_check_s:
            return
        self._idle_check_at, generation = monotonic(), self._generation
        self.waiting_for = "the consumer's positions"
        async with asyncio.timeout(self.pace.answer_s):
            positions = await self._group.positions([at for part in parts for at in part.sources])
        for part in parts:
            for at, source in part.sources.items():
                strayed = positions.get(at, source.next) != source.next
                if strayed and part.running and generation == self._generation:
                    _logger.info("the consumer strayed", at=name_of(at), to=positions[at], of=source.next)
                    part.fall_back(Phase.SEEKING)

    async def _rest(self) -> None:
        if self._orphan_since is not None and monotonic() - self._orphan_since > self.pace.orphan_s:
            self._stop(f"no assignment came for {self.pace.orphan_s} s: waited for the group coordinator")
        self._wake.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), self.pace.fetch_s)

    def _all(self) -> list[Part]:
        return list(self.parts.values())

    def _in(self, phase: Phase) -> list[Part]:
        return [part for part in self.parts.values() if part.phase is phase]
