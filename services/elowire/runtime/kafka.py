"""Kafka for everyone but the processor's lane: read topics, follow them, write with confirmation."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self, cast

from aiokafka import AIOKafkaProducer
from aiokafka.errors import (
    ClusterAuthorizationFailedError,
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    MessageSizeTooLargeError,
    TopicAuthorizationFailedError,
)

from elowire.runtime.kafka_reading import (
    admin_client,
    end_offsets,
    follow,
    read_all,
    require_answer,
    span_reader,
    stop_consumer,
)
from elowire.runtime.kafka_records import (
    KafkaForbiddenError,
    KafkaUnreachableError,
    OutRecord,
    Record,
    RecordRefusedError,
    TopicMissingError,
)
from elowire.runtime.kafka_refusals import unreachable
from elowire.runtime.security import Cluster, address_of, connection, is_secured

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

__all__ = [
    "ConfirmedProducer",
    "KafkaForbiddenError",
    "KafkaUnreachableError",
    "OutRecord",
    "Record",
    "RecordRefusedError",
    "TopicMissingError",
    "admin_client",
    "end_offsets",
    "follow",
    "read_all",
    "require_answer",
    "span_reader",
    "stop_consumer",
]

RECORD_BYTES = 5 << 20
BATCH_BYTES = 256 << 10
DELIVERY_S = 60.0
"""A broker starts again within it; half of KIP-91's two minutes, since a person waits."""
_IN_FLIGHT = 5_000


class ConfirmedProducer:
    """Idempotent producer whose `send_all` returns only when every record is acknowledged.

    A producer that raised must not be used again: start a new one, because a broken idempotent
    producer can stay broken for ever (aiokafka issue 1017).

    `delivery_s` is how long a record may take, as `delivery.timeout.ms` of Kafka's own clients (KIP-91);
    aiokafka tries an idempotent batch for ever.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        client_id: str = "elowire",
        request_s: float = 40.0,
        delivery_s: float = DELIVERY_S,
    ) -> None:
        self._cluster = cluster
        self._client_id = client_id
        self._request_s = request_s
        self._delivery_s = delivery_s
        self._unanswered = False
        self._producer: AIOKafkaProducer | None = None
        self._topics: frozenset[str] = frozenset()

    async def __aenter__(self) -> Self:
        self._producer = AIOKafkaProducer(
            **connection(self._cluster),
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
                raise await unreachable(self._cluster) from fault
            if isinstance(fault, ClusterAuthorizationFailedError):
                # What Kafka says to an idempotent producer that may write nowhere (KIP-679).
                raise KafkaForbiddenError.to("write to", "any topic") from fault
            raise

        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._producer is None:
            return
        if self._unanswered:
            # `stop` tries it for as long as Kafka is away, unless the sender has ended.
            await self._producer._sender.close()  # noqa: SLF001  # nothing public ends it
        await self._producer.stop()

    async def send_all(self, records: Iterable[OutRecord]) -> int:
        """Write `records` in order and wait for all acknowledgements; returns their number.

        Raises `RecordRefusedError` for the first record that was not accepted (records after it may be
        written), `KafkaUnreachableError` when the cluster falls silent (records without an answer may be
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
                    await self._acknowledged(window)
                    window = []
        except KafkaUnreachableError:
            raise
        except Exception:
            await self._acknowledged(window)
            raise
        await self._acknowledged(window)
        return sent

    async def _know(self, topic: str) -> None:
        # aiokafka would wait for a missing topic as long as for a broker, and then not say which it was.
        async with admin_client(self._cluster) as admin:
            self._topics = frozenset(await admin.list_topics())
        if topic not in self._topics:
            raise TopicMissingError.named([topic], secured=is_secured(self._cluster))

    async def _hand_over(self, producer: AIOKafkaProducer, record: OutRecord) -> asyncio.Future[object]:
        self._unanswered = True
        try:
            handed = await producer.send(
                record.topic,
                key=record.key,
                value=record.value,
                headers=list(record.headers),
                partition=record.partition,
            )
        except TopicAuthorizationFailedError as fault:
            raise KafkaForbiddenError.to("write to", f"topic {record.topic}") from fault
        except KafkaTimeoutError as fault:  # no room, since what was sent before it is not acknowledged
            raise self._silence(self._request_s) from fault
        except KafkaError as fault:
            raise RecordRefusedError(_refusal(record, fault)) from fault
        return cast("asyncio.Future[object]", handed)

    async def _acknowledged(self, window: Sequence[tuple[OutRecord, asyncio.Future[object]]]) -> None:
        sent = asyncio.gather(*(future for _, future in window), return_exceptions=True)
        try:
            answers = await asyncio.wait_for(sent, self._delivery_s)
        except TimeoutError as fault:
            raise self._silence(self._delivery_s) from fault
        self._unanswered = False
        for (record, _), answer in zip(window, answers, strict=True):
            if isinstance(answer, TopicAuthorizationFailedError):
                raise KafkaForbiddenError.to("write to", f"topic {record.topic}") from answer
            if isinstance(answer, BaseException):
                raise RecordRefusedError(_refusal(record, answer)) from answer

    def _silence(self, seconds: float) -> KafkaUnreachableError:
        return KafkaUnreachableError.silent(address_of(self._cluster), seconds)


def _refusal(record: OutRecord, fault: BaseException) -> str:
    size = len(record.value or b"") + len(record.key or b"")
    key = (record.key or b"").decode("ascii", "backslashreplace")[:80]
    why = f"{size} bytes are too many" if isinstance(fault, MessageSizeTooLargeError) else repr(fault)
    return f"record with key {key!r} was refused by topic {record.topic}: {why}"
