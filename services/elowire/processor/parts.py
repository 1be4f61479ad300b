"""What the lane keeps about each partition number of each stage."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, NamedTuple

from aiokafka.structs import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from elowire.processor.stage import Stage


_MISSING = "-"


class Phase(Enum):
    """Where a part stands; only the lane's one task moves it forward, only revoke and close take it away.

    UNASSIGNED → RECOVERING → SEEKING → RUNNING → DRAINING → UNASSIGNED

    RUNNING falls back to SEEKING after a hole or a dropped batch, and to RECOVERING when another process
    wrote to the changelog.
    """

    UNASSIGNED = auto()
    RECOVERING = auto()
    SEEKING = auto()
    RUNNING = auto()
    DRAINING = auto()


class Note(NamedTuple):
    """What is committed beside an offset: up to where the changelog must exist, and whose offset it is.

    `end` is None without a changelog; the ids are Kafka's own of the two topics, "" where they are not known;
    `partitions` is the number that decides where a key lies, None where it is not known. It is written as
    four words, `-` for what is missing; an older release wrote fewer.
    """

    end: int | None
    changelog_id: str
    source_id: str
    partitions: int | None

    def __str__(self) -> str:
        return " ".join(_MISSING if word in (None, "") else str(word) for word in self)

    @classmethod
    def read(cls, text: str) -> Note:
        """Return what a note says; one of another origin says nothing."""
        end, changelog_id, source_id, partitions, *_ = *text.split(), *(_MISSING,) * 4

        return cls(
            int(end) if end.isdecimal() else None,
            "" if changelog_id == _MISSING else changelog_id,
            "" if source_id == _MISSING else source_id,
            int(partitions) if partitions.isdecimal() else None,
        )


@dataclass(eq=False, slots=True)
class Source:
    """One partition of one source topic.

    `next` is the offset of the next record for the stage: everything below it is durable, so it is also
    what may be committed. `holes` counts fetches that found the record at `next` missing. `id` is Kafka's
    own id of the topic that `next` is an offset of ("": not known).
    """

    at: TopicPartition
    id: str = ""
    next: int | None = None
    committed: int | None = None
    holes: int = 0

    @property
    def position(self) -> int:
        """The next offset of a source whose part has been recovered."""
        if self.next is None:
            raise RuntimeError(f"{name_of(self.at)} has no position yet")
        return self.next


@dataclass(eq=False, slots=True)
class Part:
    """One partition number of a stage: its sources, one table and one partition of the changelog.

    `partitions` is how many of them the topics have. `log` is the offset of the last changelog record that
    the table contains (-1: none); `stale` holds the keys whose last changelog record is older than the
    table; `marks` is, for each source topic, the highest source offset noted in the changelog, and
    `origins` the id of that topic; `expected_end` is the end that the changelog had when the group's
    offsets were committed (None: not known), and `changelog_id` the id that its topic had then ("": not
    known).
    """

    stage: Stage
    number: int
    partitions: int
    sources: dict[TopicPartition, Source]
    changelog: TopicPartition | None
    index: Any
    phase: Phase = Phase.UNASSIGNED
    log: int = -1
    table: dict[bytes, bytes] = field(default_factory=dict)
    stale: set[bytes] = field(default_factory=set)
    marks: dict[str, int] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    expected_end: int | None = None
    changelog_id: str = ""

    def __str__(self) -> str:
        return f"{self.stage.name}/{self.number}"

    @property
    def running(self) -> bool:
        """Whether records may be taken (asked again after every await, so it must not be narrowed)."""
        return self.phase is Phase.RUNNING

    def note(self, source: Source) -> str:
        """Return what is committed beside an offset of ours."""
        end = max(self.log + 1, self.expected_end or 0) if self.changelog else None

        return str(Note(end, self.changelog_id, source.id, self.partitions))

    def fall_back(self, phase: Phase) -> None:
        """Go back to an earlier phase, unless the part is being taken away."""
        if self.phase in (Phase.SEEKING, Phase.RUNNING):
            self.phase = phase


def part_of(stage: Stage, number: int, partitions: int) -> Part:
    """Return a part, number `number` of so many, that knows nothing yet."""
    sources = [TopicPartition(topic, number) for topic in stage.sources]

    return Part(
        stage,
        number,
        partitions,
        {at: Source(at) for at in sources},
        TopicPartition(stage.changelog, number) if stage.changelog else None,
        stage.new_index(),
    )


def name_of(at: TopicPartition) -> str:
    """Write a partition as people do: ``game-results/7``."""
    return f"{at.topic}/{at.partition}"


def names_of(many: Iterable[TopicPartition]) -> str:
    """Write several partitions, in order."""
    return ", ".join(sorted(map(name_of, many)))


def place(
    parts: Iterable[Part],
    beginnings: Mapping[TopicPartition, int],
    committed: Mapping[TopicPartition, tuple[int, str]],
) -> None:
    """Place the sources in `beginnings` where the group stands, or at the beginning if it is new."""
    for part in parts:
        for at, source in part.sources.items():
            if at in beginnings:
                source.next, text = committed.get(at, (beginnings[at], ""))
                note = Note.read(text)
                source.id, part.changelog_id = note.source_id, note.changelog_id or part.changelog_id
                if note.end is not None:
                    part.expected_end = max(part.expected_end or 0, note.end)


class Held(NamedTuple):
    """What a process holds: parts by phase, keys by stage, and the lag of each source in records."""

    phases: Counter[str]
    keys: Counter[str]
    lag: dict[TopicPartition, int]


def held_by(parts: Iterable[Part], ends: Mapping[TopicPartition, int]) -> Held:
    """Count what the parts hold; `ends` are those of their sources, as far as known."""
    held = Held(Counter(), Counter(), {})
    for part in parts:
        held.phases[part.phase.name.lower()] += 1
        held.keys[part.stage.name] += len(part.table)
        for at, source in part.sources.items():
            if at in ends and source.next is not None:
                held.lag[at] = max(0, ends[at] - source.next)

    return held
