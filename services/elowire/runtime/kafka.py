"""Kafka for everyone but the processor's lane: read topics, follow them, write with confirmation."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple, Self, cast

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaConnectionError, KafkaError, MessageSizeTooLargeError

from elowire.runtime import clock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
    from types import TracebackType

FETCH_BYTES = 8 << 20
RECORD_BYTES = 5 << 20
BATCH_BYTES = 256 << 10
_IN_FLIGHT = 5_000
_MOST_RECORDS = 5_000


class Record(NamedTuple):
    """One record as it stands in a topic; `timestamp` is in milliseconds since 1970."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes]]


class OutRecord(NamedTuple):
    """One record to be written; without a partition the key's murmur2 hash chooses it."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes]] = ()
    partition: int | None = None


class KafkaUnreachableError(ConnectionError):
    """No broker answers at the bootstrap address."""

    @classmethod
    def at(cls, bootstrap: str) -> Self:
        """Return the fault for this address."""
        return cls(
            f"no Kafka broker answers at {bootstrap}. Start one (`elowire up`), or name another with "
            "--bootstrap"
        )


class TopicMissingError(LookupError):
    """A topic does not exist; `elowire topics apply` creates it."""

    @classmethod
    def named(cls, topics: Sequence[str]) -> Self:
        """Return the fault for these topics."""
        return cls(f"no topic {', '.join(topics)}. Create it with `elowire topics apply`")


class RecordRefusedError(RuntimeError):
    """The broker or the client refused a record; the message names its topic and key."""


class ConfirmedProducer:
    """Idempotent producer whose `send_all` returns only when every record is acknowledged.

    A producer that raised must not be used again: start a new one, because a broken idempotent
    producer can stay broken for ever (aiokafka issue 1017).
    """

    def __init__(self, bootstrap: str, *, client_id: str = "elowire", request_s: float = 40.0) -> None:
        self._bootstrap = bootstrap
        self._client_id = client_id
        self._request_s = request_s
        self._producer: AIOKafkaProducer | None = None
        self._topics: frozenset[str] = frozenset()

    async def __aenter__(self) -> Self:
        self._producer = AIOKafkaProducer(
            bootstrap_servers=self._bootstrap,
            client_id=self._client_id,
            acks="all",
            enable_idempotence=True,
            compression_type="lz4",
            max_batch_size=BATCH_BYTES,
            max_request_size=RECORD_BYTES,
            request_timeout_ms=int(self._request_s * 1000),
        )
        try:
            await self._producer.start()
        except BaseException as fault:
            await self._producer.stop()
            if isinstance(fault, KafkaConnectionError):
                raise KafkaUnreachableError.at(self._bootstrap) from fault
            raise

        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._producer is not None:
            await self._producer.stop()

    async def send_all(self, records: Iterable[OutRecord]) -> int:
        """Write `records` in order and wait for all acknowledgements; returns their number.

        Raises `RecordRefusedError` for the first record that was not accepted (records after it may be
        written), or `TopicMissingError` before anything of the missing topic is sent.
        """
        if self._producer is None:
            raise RuntimeError("use `async with ConfirmedProducer(...)`")
        sent = 0
        window: list[tuple[OutRecord, asyncio.Future[object]]] = []
        try:
            for record in records:
                if record.topic not in self._topics:
                    await self._know(record.topic)
                window.append((record, await self._hand_over(self._producer, record)))
                sent += 1
                if len(window) >= _IN_FLIGHT:
                    await _acknowledged(window)
                    window = []
        finally:
            await _acknowledged(window)
        return sent

    async def _know(self, topic: str) -> None:
        # aiokafka would wait for a missing topic as long as for a broker, and then not say which it was.
        async with admin_client(self._bootstrap) as admin:
            self._topics = frozenset(await admin.list_topics())
        if topic not in self._topics:
            raise TopicMissingError.named([topic])

    async def _hand_over(self, producer: AIOKafkaProducer, record: OutRecord) -> asyncio.Future[object]:
        try:
            handed = await producer.send(
                record.topic,
                key=record.key,
                value=record.value,
                headers=list(record.headers),
                partition=record.partition,
            )
        except KafkaError as fault:
            raise RecordRefusedError(_refusal(record, fault)) from fault
        return cast("asyncio.Future[object]", handed)


async def read_all(
    bootstrap: str, topics: Sequence[str], *, from_beginning: bool = True, idle_s: float = 30.0
) -> AsyncIterator[list[Record]]:
    """Read whole topics up to the ends they have now, in lists; within a partition in order.

    `from_beginning=False` reads nothing but proves that the topics can be read.
    Raises `KafkaUnreachableError`, `TopicMissingError`, or `TimeoutError` when nothing comes for `idle_s`
    seconds.
    """
    async with _reading(bootstrap, topics) as (consumer, partitions):
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
            records = [record for record in _records(fetched) if record.offset < ends[_place(record)]]
            if records:
                last = clock.monotonic()
                yield records
            elif clock.monotonic() - last > idle_s:
                raise TimeoutError(f"nothing of {sorted(map(_name, left))} came for {idle_s:g} s")


async def follow(
    bootstrap: str,
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
    async with _reading(bootstrap, topics) as (consumer, partitions):
        await (consumer.seek_to_beginning if from_beginning else consumer.seek_to_end)(*partitions)
        for (topic, number), offset in (positions or {}).items():
            if topic in topics:
                consumer.seek(TopicPartition(topic, number), offset)
        while True:
            yield _records(await consumer.getmany(timeout_ms=int(wait_s * 1000), max_records=_MOST_RECORDS))


async def end_offsets(bootstrap: str, topics: Sequence[str]) -> dict[tuple[str, int], int]:
    """Return the next offset of every partition of `topics`: topic, partition -> offset."""
    async with _reading(bootstrap, topics) as (consumer, partitions):
        ends = await consumer.end_offsets(partitions)

    return {(tp.topic, tp.partition): offset for tp, offset in ends.items()}


@asynccontextmanager
async def admin_client(bootstrap: str) -> AsyncIterator[AIOKafkaAdminClient]:
    """Connect aiokafka's admin client for a while. Raises `KafkaUnreachableError`."""
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap, client_id="elowire")
    try:
        await admin.start()
    except KafkaError as fault:
        await admin.close()
        raise KafkaUnreachableError.at(bootstrap) from fault
    try:
        yield admin
    finally:
        await admin.close()


@asynccontextmanager
async def _reading(
    bootstrap: str, topics: Sequence[str]
) -> AsyncIterator[tuple[AIOKafkaConsumer, list[TopicPartition]]]:
    """Connect a consumer that has every partition of `topics` assigned, for good.

    A subscription would do it in one call, but it drops and re-reads partitions when the metadata flickers.
    """
    async with admin_client(bootstrap) as admin:
        # All topics are asked for: asking for one by name would create it where automatic creation is on.
        known = {described["topic"]: described["partitions"] for described in await admin.describe_topics()}
    missing = [topic for topic in topics if not known.get(topic)]
    if missing:
        raise TopicMissingError.named(missing)
    partitions = [
        TopicPartition(topic, number)
        for topic in topics
        for number in sorted(described["partition"] for described in known[topic])
    ]
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap,
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
    except KafkaConnectionError as fault:
        raise KafkaUnreachableError.at(bootstrap) from fault
    finally:
        await consumer.stop()


def _records(fetched: Mapping[TopicPartition, Sequence[object]]) -> list[Record]:
    return [
        Record(r.topic, r.partition, r.offset, r.timestamp, r.key, r.value, r.headers)  # type: ignore[attr-defined]  # aiokafka has no types
        for batch in fetched.values()
        for r in batch
    ]


def _place(record: Record) -> TopicPartition:
    return TopicPartition(record.topic, record.partition)


def _name(partition: TopicPartition) -> str:
    return f"{partition.topic}/{partition.partition}"


async def _acknowledged(window: Sequence[tuple[OutRecord, asyncio.Future[object]]]) -> None:
    answers = await asyncio.gather(*(future for _, future in window), return_exceptions=True)
    for (record, _), answer in zip(window, answers, strict=True):
        if isinstance(answer, BaseException):
            raise RecordRefusedError(_refusal(record, answer)) from answer


def _refusal(record: OutRecord, fault: BaseException) -> str:
    size = len(record.value or b"") + len(record.key or b"")
    key = (record.key or b"").decode("ascii", "backslashreplace")[:80]
    why = f"{size} bytes are too many" if isinstance(fault, MessageSizeTooLargeError) else repr(fault)
    return f"record with key {key!r} was refused by topic {record.topic}: {why}"
