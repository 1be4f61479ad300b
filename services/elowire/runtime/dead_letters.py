"""Dead letters on a cluster: read the open ones, send them again, and mark what became of them.

The topic is read twice: first the markers, then the letters. So no letter has to be kept until the end is
known, and memory does not grow with what the letters hold.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, cast

from elowire.contracts.dead_letters import DeadLetter, original_headers, read_dead_letter
from elowire.contracts.resolutions import (
    Outcome,
    Resolution,
    Resolutions,
    digest_of,
    is_resolution,
    read_resolution,
    resolution_headers,
)
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, Record, read_all

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Collection, Sequence

    from elowire.runtime.security import Cluster

_CUT_FROM = "elowire-cut-from"
_MOST_UNREADABLE = 100


class Letter(NamedTuple):
    """One dead letter; `resolution` is None while it is open, or when the reading did not ask for it."""

    why: DeadLetter
    record: Record
    digest: str
    resolution: Resolution | None = None

    @property
    def cut_from(self) -> int | None:
        """How many bytes the value had before it was cut to fit; None when it is whole."""
        for name, value in self.record.headers:
            if name == _CUT_FROM and (value or b"").isdigit():
                return int(value)
        return None


class Repair(NamedTuple):
    """What is sent instead of a letter's own; None and () leave it as it is."""

    key: bytes | None = None
    value: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()


AS_IT_IS = Repair()


@dataclass(slots=True)
class Reading:
    """One look at the dead letters; `unreadable` names records that Elowire has not put there.

    `seen` is called with the number of records of each portion that was read.
    """

    cluster: Cluster
    topic: str
    seen: Callable[[int], object] = lambda _: None
    unreadable: dict[str, str] = field(default_factory=dict)

    async def open_letters(self, wanted: Callable[[DeadLetter, Record], bool]) -> AsyncGenerator[Letter]:
        """Yield every open letter that is wanted, once, in the order of each partition."""
        resolutions = await self._resolutions(())
        yielded: set[bytes] = set()
        async with aclosing(self._letters()) as letters:
            async for letter in letters:
                if not wanted(letter.why, letter.record):
                    continue
                if resolutions.resolved(letter.why.id, letter.digest):
                    continue
                # After a crash the processor may write a letter again.
                name = bytes.fromhex(digest_of(letter.why.id.encode(), letter.digest.encode()))
                if name not in yielded:
                    yielded.add(name)
                    yield letter

    async def by_id(self, ids: Collection[str]) -> dict[str, Letter]:
        """Return the newest letter of each id that there is, with its resolution."""
        resolutions = await self._resolutions(ids)
        found: dict[str, Letter] = {}
        async with aclosing(self._letters()) as letters:
            async for letter in letters:
                if letter.why.id in ids:
                    said = resolutions.of(letter.why.id, letter.digest)
                    found[letter.why.id] = letter._replace(resolution=said)

        return found

    async def _resolutions(self, remember: Collection[str]) -> Resolutions:
        resolutions = Resolutions(remember)
        async for record in self._records():
            if is_resolution(record.headers):
                try:
                    resolutions.take(read_resolution(record.headers))
                except ValueError as problem:
                    self._note(record, problem)

        return resolutions

    async def _letters(self) -> AsyncGenerator[Letter]:
        async with aclosing(self._records()) as records:
            async for record in records:
                if is_resolution(record.headers):
                    continue
                try:
                    why = read_dead_letter(record.headers)
                except ValueError as problem:
                    self._note(record, problem)
                    continue
                yield Letter(why, record, digest_of(record.key, record.value))

    async def _records(self) -> AsyncGenerator[Record]:
        batches = cast("AsyncGenerator[list[Record]]", read_all(self.cluster, [self.topic]))
        async with aclosing(batches):
            async for records in batches:
                self.seen(len(records))
                for record in records:
                    yield record

    def _note(self, record: Record, problem: ValueError) -> None:
        if len(self.unreadable) < _MOST_UNREADABLE:
            self.unreadable[f"{record.topic}/{record.partition}/{record.offset}"] = str(problem)


async def replay(
    producer: ConfirmedProducer,
    letters: Sequence[tuple[Letter, Repair]],
    *,
    at: str,
    reason: str | None = None,
) -> None:
    """Send letters to their topics again, and mark them once Kafka has acknowledged all of them.

    A crash between the two leaves them open, and they are sent twice: the same event again changes nothing.
    Raises `RecordRefusedError` or `TopicMissingError`; then none of them is marked.
    """
    await producer.send_all([_again(letter, repair) for letter, repair in letters])
    await mark(producer, [letter for letter, _ in letters], Outcome.REPLAYED, at=at, reason=reason)


async def mark(
    producer: ConfirmedProducer,
    letters: Sequence[Letter],
    outcome: Outcome,
    *,
    at: str,
    reason: str | None = None,
) -> None:
    """Write down what became of letters, each beside its own; returns when Kafka has acknowledged it."""
    await producer.send_all(
        [
            OutRecord(
                letter.record.topic,
                letter.record.key,
                b"",  # clients refuse a record that has neither key nor value
                resolution_headers(letter.why, letter.digest, outcome, at=at, reason=reason),
                letter.record.partition,
            )
            for letter in letters
        ]
    )


def _again(letter: Letter, repair: Repair) -> OutRecord:
    replaced = {name for name, _ in repair.headers}
    kept = [pair for pair in original_headers(letter.record.headers) if pair[0] not in replaced]

    return OutRecord(
        letter.why.topic,
        letter.record.key if repair.key is None else repair.key,
        letter.record.value if repair.value is None else repair.value,
        (*kept, *repair.headers),
    )
