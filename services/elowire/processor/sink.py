"""The confirmed producer: every record is acknowledged by all in-sync replicas, or an error names it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from elowire.processor.parts import name_of
from elowire.processor.ports import RefusedError, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aiokafka.structs import TopicPartition

    from elowire.processor.stage import Out

BATCH_BYTES = 512 << 10
REQUEST_BYTES = 4 << 20
_ENVELOPE_BYTES = 1 << 10  # batch header, lengths and room for rounding


class KafkaSink:
    """Writes ready-made batches, one under way per partition: a kill leaves a prefix of each write."""

    def __init__(self, **connection: Any) -> None:  # noqa: ANN401  # the client's own arguments
        self._producer = AIOKafkaProducer(
            acks="all",
            enable_idempotence=True,
            linger_ms=0,
            max_batch_size=BATCH_BYTES,
            max_request_size=REQUEST_BYTES,
            compression_type="snappy",  # the client runs lz4 at level 9: 25 times slower and saves a fifth
            **connection,
        )

    async def start(self) -> None:
        """Connect."""
        await self._producer.start()

    async def stop(self) -> None:
        """Close the connections; nothing is under way by then."""
        await self._producer.stop()

    async def send(self, writes: Mapping[TopicPartition, Sequence[Out]]) -> dict[TopicPartition, Span]:
        """Return the offsets of each write when all is acknowledged; raise `RefusedError` otherwise.

        The client retries for as long as the fault may pass; the caller's time budget is the end of it.
        """
        pending = {at: self._batches(at, records) for at, records in writes.items()}
        spans: dict[TopicPartition, Span] = {}
        while pending:
            under_way = {}
            for at in list(pending):
                if (batch := next(pending[at], None)) is None:
                    del pending[at]
                else:
                    sent = await self._producer.send_batch(batch, at.topic, partition=at.partition)
                    under_way[at] = (sent, batch.record_count())
            if under_way:
                await asyncio.wait(
                    [sent for sent, _ in under_way.values()], return_when=asyncio.FIRST_EXCEPTION
                )
            for at, (sent, count) in under_way.items():
                if sent.done():
                    first = _acknowledged(at, sent, count)
                    spans[at] = Span(spans[at].first if at in spans else first, first + count - 1)

        return spans

    def _batches(self, at: TopicPartition, records: Sequence[Out]) -> Iterator[Any]:
        batch = self._producer.create_batch()
        for key, value, headers in records:
            if len(value or b"") + len(key or b"") > REQUEST_BYTES - _ENVELOPE_BYTES:
                raise RefusedError(
                    f"a record for {name_of(at)} has {len(value or b'')} bytes, more than {REQUEST_BYTES}"
                )
            listed = headers if type(headers) is list else list(headers)
            if batch.append(timestamp=None, key=key, value=value, headers=listed) is None:
                yield batch
                batch = self._producer.create_batch()
                batch.append(timestamp=None, key=key, value=value, headers=listed)
        if batch.record_count():
            yield batch


def _acknowledged(at: TopicPartition, sent: asyncio.Future[Any], count: int) -> int:
    try:
        return int(sent.result().offset)
    except KafkaError as fault:
        raise RefusedError(
            f"the broker refused a batch of {count} records for {name_of(at)}: {type(fault).__name__} {fault}"
        ) from fault
