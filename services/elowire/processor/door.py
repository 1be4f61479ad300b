"""The door of a stage: misrouted records go to their partition, bad ones to the dead letters, the rest in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from elowire.contracts.dead_letters import DeadLetterReason, Refused, dead_letter_headers, original_headers
from elowire.contracts.envelope import decode
from elowire.contracts.topics import MAX_RECORD_BYTES, MIB, partition_of
from elowire.processor.stage import Effects, Emit, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from elowire.contracts.events import InputEvent

# What the dead-letters topic takes is 4 MiB: a longer record is cut, part by part.
LONGEST: Final = 3 * MIB
LONGEST_PART: Final = MIB // 4
MOST_HEADERS: Final = 8
PLAYER_EVENTS: Final = frozenset({"side", "reported", "first", "list"})


class Admitted(NamedTuple):
    """A record that was understood."""

    record: Record
    event_id: str
    event: InputEvent


class Door:
    """Decodes the records of one stage's sources."""

    def __init__(self, *, partitions: int, prefix: str, release: str) -> None:
        self.partitions = partitions
        self.prefix = prefix
        self._release = release
        self._dead_letters = f"{prefix}dead-letters"

    def admit(self, records: Sequence[Record], partition: int, effects: Effects) -> Iterator[Admitted]:
        """Yield what was understood, in order; everything else becomes an emit."""
        cut = len(self.prefix)
        for record in records:
            if self._rerouted(effects, record, partition):
                continue
            event = decode(record.topic[cut:], record.key, record.value, record.headers)
            if isinstance(event, Refused):
                self.refuse(effects, record, event)
            else:
                yield Admitted(record, event.event_id, event.data)

    def player_event(self, effects: Effects, record: Record, partition: int) -> dict[str, Any] | None:
        """Return a record of the internal topic, or None if it was sent elsewhere."""
        if self._rerouted(effects, record, partition):
            return None
        try:
            event = orjson.loads(record.value or b"")
        except orjson.JSONDecodeError as error:
            event = None
            problem = str(error)
        else:
            problem = "it is not a player event"
        if record.key and isinstance(event, dict) and str(event.get("t")) in PLAYER_EVENTS:
            return event

        self.refuse_foreign(effects, record, problem)

        return None

    def refuse_foreign(self, effects: Effects, record: Record, problem: str) -> None:
        """Send a record of the internal topic that Elowire did not write to the dead letters."""
        self.refuse(
            effects,
            record,
            Refused(
                DeadLetterReason.UNPROCESSABLE,
                problem,
                expected="a record that Elowire wrote",
                advice="This topic is internal: find out who writes to it; inputs go to the input topics.",
            ),
        )

    def _rerouted(self, effects: Effects, record: Record, partition: int) -> bool:
        """Send a record that lies in the wrong partition to its own; that one's order is all that counts."""
        if not record.key or (own := partition_of(record.key, self.partitions)) == partition:
            return False
        if _size(record) > MAX_RECORD_BYTES:
            self.refuse(effects, record, _too_large(record))
        else:
            effects.emits.append(Emit(record.topic, own, record.key, record.value, record.headers))
            effects.counts["rerouted"] += 1

        return True

    def refuse(self, effects: Effects, record: Record, refused: Refused) -> None:
        """Send a record to the dead letters: its bytes, its headers, and why.

        What compresses well may be larger than anything that can be sent on; then it is cut, and says so.
        """
        effects.counts[f"dead_letter_{refused.reason}"] += 1
        why = dead_letter_headers(refused, record.topic, record.partition, record.offset, self._release)
        key, value, headers = record.key, record.value, original_headers(record.headers)
        if _size(record) > LONGEST:
            why.append(("elowire-cut-from", b"%d" % _size(record)))
            key = None if key is None else key[:LONGEST_PART]
            headers = [(name, part[:LONGEST_PART]) for name, part in headers[:MOST_HEADERS]]
            value = None if value is None else value[:LONGEST_PART]
        number = partition_of(record.key, self.partitions) if record.key else record.partition
        effects.emits.append(Emit(self._dead_letters, number, key, value, [*headers, *why]))


def _size(record: Record) -> int:
    parts = (record.key, record.value, *(part for _, part in record.headers))

    return sum(len(part) for part in parts if part is not None)


def _too_large(record: Record) -> Refused:
    return Refused(
        DeadLetterReason.TOO_LARGE,
        f"key, value and headers have {_size(record)} bytes, and the record lies in another key's partition",
        expected=f"at most {MAX_RECORD_BYTES} bytes",
        advice="Send one event per record, with the default partitioner.",
    )
