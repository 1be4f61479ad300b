"""What must be true of an assignment and of the topics before any record is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elowire.processor.changelog import how_to_rebuild
from elowire.processor.parts import Part, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aiokafka.structs import TopicPartition

    from elowire.processor.ports import Stop
    from elowire.processor.stage import Stage


def co_partitioned(
    stages: Sequence[Stage], partitions: Iterable[TopicPartition], stop: Stop
) -> list[tuple[Stage, int]]:
    """Return the parts of an assignment; every part must have come with all its sources."""
    given = set(partitions)
    parts = []
    for stage in stages:
        for number in sorted({at.partition for at in given if at.topic in stage.sources}):
            if missing := [topic for topic in stage.sources if (topic, number) not in given]:
                stop(
                    f"stage {stage.name} got partition {number} without {', '.join(missing)}: does it "
                    "exist with as many partitions as the others, and do all processors of the group run "
                    "this release? Check with `elowire topics`; stop all processors before an upgrade"
                )
            parts.append((stage, number))

    return parts


def sources_are_whole(
    part: Part, beginnings: Mapping[TopicPartition, int], ends: Mapping[TopicPartition, int], stop: Stop
) -> None:
    """Stop unless the sources still hold what comes next and everything that the state already saw."""
    for at, source in part.sources.items():
        if beginnings[at] > source.position:
            stop(
                f"{name_of(at)} begins at {beginnings[at]}, but {source.position} comes next: records were "
                "deleted unread. Restore the topic, or accept the loss by moving the group's offset"
            )
        seen = max(source.position, part.marks.get(at.topic, 0))
        if ends[at] < seen:
            stop(
                f"{name_of(at)} ends at {ends[at]}, but records up to {seen} were read from it: it is not "
                f"the topic that it was. {_rebuild(part)}"
            )
        if part.changelog and part.log < 0 and part.expected_end is None and source.position > beginnings[at]:
            stop(
                f"{name_of(at)} was read up to {source.position}, but changelog {name_of(part.changelog)} "
                f"is empty: it was lost or belongs elsewhere. {_rebuild(part)}"
            )


def _rebuild(part: Part) -> str:
    return how_to_rebuild([part.changelog.topic] if part.changelog else [])
