"""Reads everything from a broker for the checker."""

from __future__ import annotations

from collections import defaultdict

from elowire.contracts.topics import CATALOGUE, GAME_RESULTS
from elowire.runtime.kafka import admin_client, end_offsets, read_all
from tests.broker.check.verdict import violations

SOURCES = ("tournament-events", "game-results", "rating-lists", "player-events")
DEFAULT_GROUP = "elowire"


async def check(bootstrap, prefix="", *, group=None):
    """Return every violation as a sentence, the first with its key's timeline; none means all is well."""
    group = group or prefix.rstrip("-._") or DEFAULT_GROUP
    async with admin_client(bootstrap) as admin:
        described = {topic["topic"]: topic["partitions"] for topic in await admin.describe_topics()}
        committed = await admin.list_consumer_group_offsets(group)
    names = [name for topic in CATALOGUE if (name := f"{prefix}{topic.name}") in described]
    topics = defaultdict(list)
    async for records in read_all(bootstrap, names):
        for record in records:
            topics[record.topic.removeprefix(prefix)].append(record)
    for records in topics.values():
        records.sort(key=lambda record: (record.partition, record.offset))
    partitions = len(described[f"{prefix}{GAME_RESULTS.name}"])
    ends = await end_offsets(bootstrap, [f"{prefix}{name}" for name in SOURCES])
    offsets = {(at.topic, at.partition): held.offset for at, held in committed.items()}

    return [*violations(topics, partitions), *_offsets(ends, offsets)]


def _offsets(ends, committed):
    for (topic, partition), end in sorted(ends.items()):
        offset = committed.get((topic, partition), 0)
        if offset > end:
            yield f"{topic}/{partition}: committed up to {offset}, but it ends at {end}"
        elif offset < end:
            yield f"{topic}/{partition}: lag {end - offset} (committed {offset}, end {end})"
