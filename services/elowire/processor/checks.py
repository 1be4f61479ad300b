"""What must be true of an assignment and of the topics before any record is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elowire.processor.parts import Note, Part, name_of

HOW_TO_REBUILD = (
    "To rebuild it from the inputs, which are kept: stop every processor, run `elowire processor --rebuild`, "
    "and start them again"
)

HOW_TO_GROW = (
    "Where a key lies depends on their number, so it is chosen once: for another number use a new cluster, "
    "or delete the topics and feed their events again"
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aiokafka.structs import TopicPartition

    from elowire.processor.ports import Stop
    from elowire.processor.stage import Stage


def co_partitioned(
    stages: Sequence[Stage], assigned: Iterable[TopicPartition], partitions: int, stop: Stop
) -> list[tuple[Stage, int]]:
    """Return the parts of an assignment; every part must have come with all its sources."""
    given = set(assigned)
    parts = []
    if added := sorted(at for at in given if at.partition >= partitions):
        stop(
            f"{name_of(added[0])} was assigned, but this processor knows {partitions} partitions: some were "
            f"added. {HOW_TO_GROW}"
        )
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


def topics_of(parts: Iterable[Part]) -> set[str]:
    """Return every topic that parts read: sources and changelogs."""
    return {
        topic
        for part in parts
        for topic in (*part.stage.sources, part.changelog.topic if part.changelog else None)
        if topic
    }


def same_number(
    parts: Iterable[Part], committed: Mapping[TopicPartition, tuple[int, str]], stop: Stop
) -> None:
    """Stop if offsets were committed when the topics had another number of partitions."""
    for part in parts:
        for at in part.sources:
            then = Note.read(committed[at][1]).partitions if at in committed else None
            if then not in (None, part.partitions):
                stop(
                    f"the states of {part} were made with {then} partitions, and this processor has "
                    f"{part.partitions}. {HOW_TO_GROW}"
                )


def same_topics(parts: Iterable[Part], ids: Mapping[str, str], stop: Stop) -> None:
    """Stop if a topic is not the one that our offsets are of; remember the id of one that had none."""
    for part in parts:
        for at, source in part.sources.items():
            found = ids.get(at.topic, source.id)
            if source.id not in ("", found):
                stop(
                    f"{at.topic} is another topic than the one that was read up to {source.next} in "
                    f"partition {at.partition}: it was deleted and created again. {HOW_TO_REBUILD}"
                )
            source.id = found
        if part.changelog is not None:
            found = ids.get(part.changelog.topic, part.changelog_id)
            if part.changelog_id not in ("", found):
                stop(
                    f"changelog {part.changelog.topic} is another topic than the one that was written: it "
                    f"was lost or replaced. {HOW_TO_REBUILD}"
                )
            part.changelog_id = found


def changelog_is_whole(part: Part, at: TopicPartition, beginning: int, end: int, stop: Stop) -> None:
    """Stop unless a changelog has its beginning and everything that was acknowledged."""
    if beginning > 0:
        stop(
            f"changelog {name_of(at)} begins at {beginning}: states were deleted, not compacted. "
            f"Is its cleanup.policy still compact? {HOW_TO_REBUILD}"
        )
    least = max(part.log + 1, part.expected_end or 0)
    if end < least:
        stop(
            f"changelog {name_of(at)} ends at {end}, but records up to {least} were acknowledged: it was "
            f"truncated, lost or replaced. {HOW_TO_REBUILD}"
        )


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
        if (origin := part.origins.get(at.topic, source.id)) != source.id and source.id:
            stop(
                f"changelog {name_of(part.changelog or at)} was made from another {at.topic} (id {origin}, "
                f"not {source.id}): one of them belongs elsewhere. {HOW_TO_REBUILD}"
            )
        seen = max(source.position, part.marks.get(at.topic, 0))
        if ends[at] < seen:
            stop(
                f"{name_of(at)} ends at {ends[at]}, but records up to {seen} were read from it: it is not "
                f"the topic that it was. {HOW_TO_REBUILD}"
            )
        if part.changelog and part.log < 0 and part.expected_end is None and source.position > beginnings[at]:
            stop(
                f"{name_of(at)} was read up to {source.position}, but changelog {name_of(part.changelog)} "
                f"is empty: it was lost or belongs elsewhere. {HOW_TO_REBUILD}"
            )
