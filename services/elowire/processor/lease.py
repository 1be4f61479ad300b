"""Commits, and the lease that an accepted commit gives."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from elowire.processor.ports import NotOwnerError
from elowire.runtime.clock import monotonic
from elowire.runtime.logs import get_logger

if TYPE_CHECKING:
    from elowire.processor.pace import Pace
    from elowire.processor.parts import Part
    from elowire.processor.ports import Ports

NEVER = float("-inf")

_logger = get_logger("elowire.processor")


class Lease:
    """The right to write, for a third of the session after the coordinator accepted a commit of ours."""

    def __init__(self, ports: Ports, pace: Pace) -> None:
        self._group = ports.group
        self._pace = pace
        self._stop = ports.stop
        self._probe = ports.probe
        self._since = self._tried_at = NEVER
        self._uncommitted = 0
        self._one_at_a_time = asyncio.Lock()

    def lose(self) -> None:
        """Write nothing more before the coordinator has accepted another commit."""
        self._since = NEVER

    def add(self, records: int) -> None:
        """Count records that are durable and not committed yet."""
        self._uncommitted += records

    def due(self) -> bool:
        """Whether a commit is due, by time or by records; asking starts the time anew."""
        now = monotonic()
        if now - self._tried_at <= self._pace.commit_s and self._uncommitted < self._pace.commit_records:
            return False
        self._tried_at = now

        return True

    async def held(self, parts: list[Part]) -> bool:
        """Whether we may write now; asks the coordinator if the last answer is too old."""
        return monotonic() - self._since < self._pace.lease_s or await self.commit(parts, force=True)

    async def commit(self, parts: list[Part], *, force: bool = False) -> bool:
        """Commit what is durable; true if the coordinator accepted us as the owner.

        With each offset goes a `Note`, so that a lost or foreign changelog is noticed at the next start.
        `force` asks the coordinator even if nothing has changed.
        """
        async with self._one_at_a_time:
            todo = {
                source: (source.next, part.note(source))
                for part in parts
                for source in part.sources.values()
                if source.next is not None and (force or source.next != source.committed)
            }
            if not todo:
                return False
            asked = monotonic()
            try:
                async with asyncio.timeout(self._pace.batch_s):
                    await self._group.commit({source.at: entry for source, entry in todo.items()})
            except NotOwnerError as refusal:
                _logger.info("commit refused", reason=str(refusal))
                self.lose()
                if refusal.forgotten:
                    self._stop(
                        "the group does not know this static member: is its instance id used twice?", refusal
                    )
                return False
            self._probe("committed")
            for source, (offset, _) in todo.items():
                source.committed = offset
            self._since = asked
            self._uncommitted = 0

            return True
