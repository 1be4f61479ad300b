"""A Kafka in memory for the engine: topics and the offsets of a group. Who works in it is in `member.py`.

What happens is noted in a timeline; a watch looks at every record and every commit at once, so that the first
violation is found where it happens and not where it shows.
"""

from __future__ import annotations

from typing import NamedTuple

from aiokafka.structs import TopicPartition

from elowire.processor.ports import NotOwnerError


class Stored(NamedTuple):
    key: bytes | None
    value: bytes | None
    headers: list
    offset: int


class Unwatched:
    """A watch that finds nothing."""

    def appended(self, at, record):
        return ()

    def committed(self, at, offset):
        return ()


class World:
    """Logs and group offsets; they outlive every member.

    `watch` is told of each record and each accepted commit and returns what is wrong with it; `wrong` holds
    what it found, each with its place in the timeline.
    """

    def __init__(self, topics, partitions=2, watch=None):
        self.partitions = partitions
        self.logs = {TopicPartition(topic, n): [] for topic in topics for n in range(partitions)}
        self.ids = {topic: f"{topic}#1" for topic in topics}
        self.firsts = {}
        self.offsets = {}
        self.owners = {}
        self.timeline = []
        self.wrong = []
        self.watch = watch or Unwatched()

    def tell(self, *what):
        self.timeline.append(what)

    def append(self, at, key, value, headers=()):
        log = self.logs[at]
        record = Stored(key, value, list(headers), len(log))
        log.append(record)
        self._look(self.watch.appended(at, record))
        return record.offset

    def commit(self, member, offsets):
        if any(self.owners.get(at) is not member for at in offsets):
            raise NotOwnerError("another generation")
        self.offsets.update(offsets)
        for at, (offset, _) in offsets.items():
            self._look(self.watch.committed(at, offset))

    def _look(self, found):
        self.wrong += [(len(self.timeline), sentence) for sentence in found]

    def skip(self, at, offsets):
        """Leave a hole of so many offsets, as markers of transactions and compaction do."""
        self.logs[at].extend([None] * offsets)

    def compact(self, topic):
        """Keep the last record of every key, as the cleaner does in the end."""
        for at, log in self.logs.items():
            if at.topic == topic:
                last = {record.key: record.offset for record in log if record}
                log[:] = [record if record and last[record.key] == record.offset else None for record in log]

    def records(self, topic):
        return [record for at, log in self.logs.items() if at.topic == topic for record in log if record]

    def lag(self, topics):
        ends = {at: len(log) for at, log in self.logs.items() if at.topic in topics}
        return sum(end - self.offsets.get(at, (0, ""))[0] for at, end in ends.items())
