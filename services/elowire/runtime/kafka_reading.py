"""Reading beside every group: whole topics, spans of them, or for ever."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import (
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    NodeNotReadyError,
    RequestTimedOutError,
    TopicAuthorizationFailedError,
)

from elowire.runtime import clock
from elowire.runtime.kafka_records import KafkaForbiddenError, Record, TopicMissingError
from elowire.runtime.kafka_refusals import unreachable
from elowire.runtime.security import Cluster, connection, is_secured

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

FETCH_BYTES = 8 << 20
_MOST_RECORDS = 5_000
# What the clients raise when a broker leaves, or stands still, in the middle of a question.
_NO_ANSWER = (KafkaConnectionError, KafkaTimeoutError, NodeNotReadyError, RequestTimedOutError)


async def read_all(
    cluster: Cluster, topics: Sequence[str], *, from_beginning: bool = True, idle_s: float = 30.0
) -> AsyncIterator[list[Record]]:
    """Read whole topics up to the ends they have now, in lists; within a partition in order.

    `from_beginning=False` reads nothing but proves that the topics can be read.
    Raises `KafkaUnreachableError`, `TopicMissingError`, or `TimeoutError` when nothing comes for `idle_s`
    seconds.
    """
    async with _reading(cluster, topics) as (consumer, partitions):
        ends = await consumer.end_offsets(partitions)
        if not from_beginning:
            return
        await consumer.seek_to_beginning(*partitions)
        left = set(partitions)
        last = clock.monotonic()
        while True:
            # The position and not the last record counts: compaction and markers leave holes.
            for partition in [tp for tp in left if await consumer.position(tp) >= ends[tp]]:
                left.discard(partition)
                consumer.pause(partition)
            if not left:
                return
            fetched = await consumer.getmany(*left, timeout_ms=500, max_records=_MOST_RECORDS)
            records = _records({at: _before(ends[at], batch) for at, batch in fetched.items()})
            if records:
                last = clock.monotonic()
                yield records
            elif clock.monotonic() - last > idle_s:
                raise TimeoutError(f"nothing of {sorted(map(_name, left))} came for {idle_s:g} s")


async def follow(
    cluster: Cluster,
    topics: Sequence[str],
    *,
    from_beginning: bool = True,
    positions: Mapping[tuple[str, int], int] | None = None,
    wait_s: float = 0.5,
) -> AsyncIterator[list[Record]]:
    """Read topics for ever, without a group; an empty list says that nothing came for `wait_s` seconds.

    `positions` (topic, partition -> next offset) wins over `from_beginning`. Where a position no longer
    exists, reading starts at the oldest record kept. Broker outages are waited out. Raises
    `KafkaUnreachableError` or `TopicMissingError` at the start.
    """
    async with _reading(cluster, topics) as (consumer, partitions):
        await (consumer.seek_to_beginning if from_beginning else consumer.seek_to_end)(*partitions)
        for (topic, number), offset in (positions or {}).items():
            if topic in topics:
                consumer.seek(TopicPartition(topic, number), offset)
        while True:
            yield _records(await consumer.getmany(timeout_ms=int(wait_s * 1000), max_records=_MOST_RECORDS))


class SpanReader:
    """Reads chosen parts of some topics over one connection; made by `span_reader`."""

    def __init__(self, consumer: AIOKafkaConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._consumer = consumer
        self._partitions = partitions

    async def bounds(self, topic: str) -> dict[int, tuple[int, int]]:
        """Return the first and the next offset of each partition of a topic, as they are now."""
        wanted = [at for at in self._partitions if at.topic == topic]
        beginnings = await self._consumer.beginning_offsets(wanted)
        ends = await self._consumer.end_offsets(wanted)

        return {at.partition: (beginnings[at], ends[at]) for at in wanted}

    async def read(
        self, topic: str, partition: int, first: int, end: int, *, idle_s: float = 30.0
    ) -> AsyncIterator[list[Record]]:
        """Yield the records from `first` up to, without, `end`; `TimeoutError` if none comes for `idle_s`."""
        if first >= end:
            return
        at = TopicPartition(topic, partition)
        self._consumer.assign([at])
        self._consumer.seek(at, first)
        last = clock.monotonic()
        while await self._consumer.position(at) < end:
            fetched = await self._consumer.getmany(at, timeout_ms=500, max_records=_MOST_RECORDS)
            records = [record for record in _records(fetched) if record.offset < end]
            if records:
                last = clock.monotonic()
                yield records
            elif clock.monotonic() - last > idle_s:
                raise TimeoutError(f"nothing of {_name(at)} came for {idle_s:g} s")


@asynccontextmanager
async def span_reader(cluster: Cluster, topics: Sequence[str]) -> AsyncIterator[SpanReader]:
    """Connect a `SpanReader` for a while. Raises `KafkaUnreachableError` or `TopicMissingError`."""
    async with _reading(cluster, topics) as (consumer, partitions):
        yield SpanReader(consumer, partitions)


async def end_offsets(cluster: Cluster, topics: Sequence[str]) -> dict[tuple[str, int], int]:
    """Return the next offset of every partition of `topics`: topic, partition -> offset."""
    async with _reading(cluster, topics) as (consumer, partitions):
        ends = await consumer.end_offsets(partitions)

    return {(tp.topic, tp.partition): offset for tp, offset in ends.items()}


async def require_answer(cluster: Cluster) -> None:
    """Return when a broker has answered a question. Raises `KafkaUnreachableError`."""
    async with admin_client(cluster) as admin:
        try:
            await admin.list_topics()
        except KafkaError as fault:
            raise await unreachable(cluster) from fault


@asynccontextmanager
async def admin_client(cluster: Cluster) -> AsyncIterator[AIOKafkaAdminClient]:
    """Connect aiokafka's admin client for a while. Raises `KafkaUnreachableError`."""
    admin = AIOKafkaAdminClient(**connection(cluster), client_id="elowire")
    try:
        await admin.start()
    except KafkaError as fault:
        await admin.close()
        raise await unreachable(cluster) from fault
    except BaseException:
        await admin.close()
        raise
    try:
        yield admin
    except _NO_ANSWER as fault:
        raise await unreachable(cluster) from fault
    finally:
        await admin.close()


@asynccontextmanager
async def _reading(
    cluster: Cluster, topics: Sequence[str]
) -> AsyncIterator[tuple[AIOKafkaConsumer, list[TopicPartition]]]:
    """Connect a consumer that has every partition of `topics` assigned, for good.

    A subscription would do it in one call, but it drops and re-reads partitions when the metadata flickers.
    """
    async with admin_client(cluster) as admin:
        # All topics are asked for: asking for one by name would create it where automatic creation is on.
        known = {described["topic"]: described["partitions"] for described in await admin.describe_topics()}
    missing = [topic for topic in topics if not known.get(topic)]
    if missing:
        raise TopicMissingError.named(missing, secured=is_secured(cluster))
    partitions = [
        TopicPartition(topic, number)
        for topic in topics
        for number in sorted(described["partition"] for described in known[topic])
    ]
    consumer = AIOKafkaConsumer(
        **connection(cluster),
        client_id="elowire",
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        max_partition_fetch_bytes=FETCH_BYTES,
        fetch_max_wait_ms=100,
    )
    try:
        await consumer.start()
        consumer.assign(partitions)
        yield consumer, partitions
    except _NO_ANSWER as fault:
        raise await unreachable(cluster) from fault
    except TopicAuthorizationFailedError as fault:
        raise KafkaForbiddenError.to("read", f"topic {', '.join(topics)}") from fault
    finally:
        await stop_consumer(consumer)


async def stop_consumer(consumer: AIOKafkaConsumer) -> None:
    """Stop a consumer, with Kafka away too.

    aiokafka's `Fetcher.close()` passes on that it cancelled a fetch which waited to try again, as if the
    caller had been cancelled, and leaves the rest open.
    """
    try:
        await consumer.stop()
    except asyncio.CancelledError:
        await consumer._client.close()  # noqa: SLF001 - what `stop()` did not come to
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise


def _records(fetched: Mapping[TopicPartition, Sequence[object]]) -> list[Record]:
    return [
        Record(r.topic, r.partition, r.offset, r.timestamp, r.key, r.value, r.headers)  # type: ignore[attr-defined]  # aiokafka has no types
        for batch in fetched.values()
        for r in batch
    ]


def _before(end: int, batch: Sequence[Any]) -> Sequence[Any]:
    """Leave out what came after the end was asked for; mostly that is nothing."""
    return batch if not batch or batch[-1].offset < end else [one for one in batch if one.offset < end]


def _name(partition: TopicPartition) -> str:
    return f"{partition.topic}/{partition.partition}"
