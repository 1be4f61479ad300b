"""Reading beside the group: offsets of topics and of the group, and the records of changelogs.

It has connections of its own: on the group's consumer such questions wait behind its long poll.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

from elowire.runtime.clock import monotonic
from elowire.runtime.kafka import stop_consumer
from elowire.runtime.topic_ids import AdminWithIds

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence

    from aiokafka.structs import TopicPartition

    from elowire.processor.ports import Logged

FETCH_BYTES = 1 << 20
"""Of one answer, from all partitions together: on a slow way a whole recovery in one answer would be silence
for longer than a recovery may be silent."""
FETCH_RECORDS = 5000
POLL_MS = 200
RETRY_S = 0.2

T = TypeVar("T")


class KafkaLog:
    """The `Log` port on plain clients, for one group; a retriable fault may last for `patience_s`."""

    def __init__(self, group: str, *, patience_s: float = 30.0, **connection: Any) -> None:  # noqa: ANN401 - aiokafka's own settings
        self._group = group
        self._patience_s = patience_s
        self._admin = AdminWithIds(**connection)
        self._consumer = AIOKafkaConsumer(
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            max_partition_fetch_bytes=FETCH_BYTES,
            fetch_max_bytes=FETCH_BYTES,
            **connection,
        )

    async def start(self) -> None:
        """Connect."""
        await self._consumer.start()
        await self._admin.start()

    async def stop(self) -> None:
        """Close the connections."""
        await stop_consumer(self._consumer)
        await self._admin.close()

    async def partition_counts(self, topics: Collection[str]) -> dict[str, int]:
        """Return how many partitions each topic has; 0 for one that does not exist."""
        described = await self._patiently(lambda: self._admin.describe_topics(list(topics)))

        return {topic["topic"]: len(topic["partitions"]) for topic in described}

    async def committed(self) -> dict[TopicPartition, tuple[int, str]]:
        """Return the group's committed offsets with their metadata."""
        found = await self._patiently(lambda: self._admin.list_consumer_group_offsets(self._group))

        return {at: (entry.offset, entry.metadata or "") for at, entry in found.items() if entry.offset >= 0}

    async def beginnings(self, of: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the offset of the first record of each."""
        return await self._patiently(lambda: self._consumer.beginning_offsets(list(of))) if of else {}

    async def ids(self, topics: Collection[str]) -> dict[str, str]:
        """Return Kafka's own ids of topics, as far as they have one."""
        return await self._patiently(lambda: self._admin.topic_ids(topics))

    async def ends(self, of: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the offset after the last record of each."""
        return await self._patiently(lambda: self._consumer.end_offsets(list(of))) if of else {}

    async def read(
        self, spans: Mapping[TopicPartition, tuple[int, int]]
    ) -> AsyncGenerator[dict[TopicPartition, Sequence[Logged]]]:
        """Yield what comes of each span (first offset, end), also when nothing comes, until all is read."""
        todo = {at for at, (first, end) in spans.items() if first < end}
        if not todo:
            return
        self._consumer.assign(todo)
        try:
            for at in todo:
                self._consumer.seek(at, spans[at][0])
            while todo:
                yield await self._consumer.getmany(*todo, timeout_ms=POLL_MS, max_records=FETCH_RECORDS)
                for at in list(todo):
                    # The position, not the last record: compaction and markers of transactions leave holes.
                    if await self._consumer.position(at) >= spans[at][1]:
                        todo.discard(at)
        finally:
            self._consumer.unsubscribe()

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        deadline = monotonic() + self._patience_s
        while True:
            try:
                return await ask()
            except KafkaError as fault:
                if not fault.retriable or monotonic() > deadline:
                    raise
                await asyncio.sleep(RETRY_S)
