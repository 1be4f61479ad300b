"""From fetched records to what has to be written: the pure middle of a batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiokafka.structs import TopicPartition

from elowire.processor.parts import Part, Phase, Source, name_of
from elowire.processor.stage import Record
from elowire.runtime.logs import get_logger

if TYPE_CHECKING:
    from elowire.processor.stage import Out

HOLE_TRIES = 3

Work = dict[Part, dict[Source, Sequence[Record]]]
Changes = dict[Part, dict[bytes, bytes]]

_logger = get_logger("elowire.processor")


@dataclass(slots=True)
class Decided:
    """What a batch asks for over all its stages; `advanced` is where its sources stand after it.

    `topics` counts its records by source topic, `counts` is what the stages counted.
    """

    names: str
    outputs: dict[TopicPartition, list[Out]] = field(default_factory=dict)
    changes: Changes = field(default_factory=dict)
    advanced: dict[Source, int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    topics: Counter[str] = field(default_factory=Counter)
    records: int = 0
    emits: int = 0
    puts: int = 0
    oldest_ms: int = 0


def decide(work: Work, repair: Mapping[Part, dict[bytes, bytes]]) -> Decided:
    """Apply each stage to its records, source after source; states to be repaired are written as they are."""
    decided = Decided("+".join(sorted({part.stage.name for part in work})) or "repair", changes=dict(repair))
    for part, by_source in work.items():
        records = [record for taken in by_source.values() for record in taken]
        effects = part.stage.apply(records, part.table, part.index, part.number)
        if effects.puts:
            decided.changes[part] = effects.puts
            decided.puts += len(effects.puts)
        for emit in effects.emits:
            if (out := decided.outputs.get(emit[:2])) is None:
                out = decided.outputs[TopicPartition(emit.topic, emit.partition)] = []
            out.append(emit[2:])
        decided.emits += len(effects.emits)
        decided.counts.update(effects.counts)
        decided.records += len(records)
        decided.oldest_ms = min(decided.oldest_ms or records[0].timestamp, records[0].timestamp)
        for source, taken in by_source.items():
            decided.advanced[source] = taken[-1].offset + 1
            decided.topics[source.at.topic] += len(taken)

    return decided


def contiguous(part: Part, source: Source, records: Sequence[Record]) -> Sequence[Record]:
    """Return the records from the expected one up to the first hole, which sends the part back to SEEKING.

    A hole is fetched again before it is believed: markers of transactions and compacted source topics leave
    some. Then the rest of the fetch is taken as it is, since it was fetched as often.
    """
    first = source.position
    if records[0].offset < first:
        records = [record for record in records if record.offset >= first]
    if not records or records[-1].offset - first + 1 == len(records) or source.holes >= HOLE_TRIES:
        return records
    good = next(n for n, record in enumerate(records) if record.offset != first + n)
    found = records[good].offset
    _logger.info("hole", source=name_of(source.at), expected=first + good, found=found, tries=source.holes)
    source.holes += not good
    part.fall_back(Phase.SEEKING)

    return records[:good]
