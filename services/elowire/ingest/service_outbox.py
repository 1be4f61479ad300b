"""From ingest to Kafka: everything acknowledged, or a refusal with the time after which to ask again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from elowire.contracts.envelope import EventRecord
from elowire.runtime import clock
from elowire.runtime.kafka import (
    ConfirmedProducer,
    KafkaForbiddenError,
    KafkaUnreachableError,
    OutRecord,
    RecordRefusedError,
    TopicMissingError,
    require_answer,
)
from elowire.runtime.logs import get_logger
from elowire.runtime.security import Cluster

ANSWER_S = 10.0
"""Seconds within which Kafka must have acknowledged; the sender of a request waits as long."""

PAUSE_S = 2.0
"""Seconds after a failed connection in which no other is tried."""

HEARD_S = 5.0
"""Seconds after which Kafka is asked whether it is there, when nothing was sent meanwhile."""

_FAULTS = (
    KafkaUnreachableError,
    KafkaForbiddenError,
    RecordRefusedError,
    TopicMissingError,
    OSError,
    TimeoutError,
)

log = get_logger(__name__)


class KafkaAwayError(RuntimeError):
    """Kafka did not acknowledge in time. What was sent may arrive all the same, so repeat it as it is."""

    def __init__(self, text: str, *, retry_after_s: int = 5) -> None:
        super().__init__(text)
        self.retry_after_s = retry_after_s


class Outbox:
    """One confirmed producer at a time; after a fault a new one, because a broken one may stay broken."""

    def __init__(self, cluster: Cluster, *, answer_s: float = ANSWER_S) -> None:
        self._cluster = cluster
        self._answer_s = answer_s
        self._producer: ConfirmedProducer | None = None
        self._opening = asyncio.Lock()
        self._failed_at = self._heard_at = float("-inf")
        self._closing: set[asyncio.Task[None]] = set()
        self.fault: str | None = "not connected yet"
        """Why Kafka is away, None while it answers."""

    async def connect(self) -> None:
        """Connect unless that is done, and hear whether Kafka is still there. Raises `KafkaAwayError`.

        A broker that falls silent closes no connection: without a question a quiet evening looks the same.
        """
        try:
            async with asyncio.timeout(self._answer_s):
                await self._open()
                if self.fault is None and clock.monotonic() - self._heard_at < HEARD_S:
                    return
                await require_answer(self._cluster)
                self._heard_at, self.fault = clock.monotonic(), None
        except _FAULTS as fault:
            raise self._away(fault) from fault

    async def send(self, records: Sequence[EventRecord]) -> None:
        """Return when Kafka has acknowledged all records. Raises `KafkaAwayError`."""
        if not records:
            return
        producer: ConfirmedProducer | None = None
        try:
            async with asyncio.timeout(self._answer_s):
                producer = await self._open()
                await producer.send_all(OutRecord(*record) for record in records)
        except _FAULTS as fault:
            if producer is not None:
                self._drop(producer)
            raise self._away(fault) from fault
        self._heard_at, self.fault = clock.monotonic(), None

    async def close(self) -> None:
        """Let go of Kafka."""
        if self._producer is not None:
            self._drop(self._producer)
        if self._closing:
            await asyncio.wait(self._closing, timeout=self._answer_s)

    async def _open(self) -> ConfirmedProducer:
        async with self._opening:
            if self._producer is None:
                if clock.monotonic() - self._failed_at < PAUSE_S:
                    raise KafkaUnreachableError(self.fault or "Kafka does not answer")
                try:
                    self._producer = await ConfirmedProducer(
                        self._cluster, client_id="elowire-ingest", request_s=max(1.0, self._answer_s - 2)
                    ).__aenter__()
                except BaseException:
                    self._failed_at = clock.monotonic()
                    raise
                self.fault = None
            return self._producer

    def _drop(self, producer: ConfirmedProducer) -> None:
        """Close a producer beside the work: with the broker gone that takes as long as a request."""
        if self._producer is producer:
            self._producer = None
            task = asyncio.create_task(_closed(producer))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    def _away(self, fault: BaseException) -> KafkaAwayError:
        address = self._cluster if isinstance(self._cluster, str) else self._cluster.bootstrap
        if isinstance(fault, TimeoutError):
            text = f"Kafka at {address} has not acknowledged within {self._answer_s:g} seconds"
        else:
            text = str(fault)
        if self.fault is None:
            log.warning("kafka is away", fault=text)
        self.fault = text
        return KafkaAwayError(text)


async def _closed(producer: ConfirmedProducer) -> None:
    try:
        await producer.__aexit__(None, None, None)
    except _FAULTS as fault:
        log.info("a broken connection to kafka was closed", fault=str(fault))
