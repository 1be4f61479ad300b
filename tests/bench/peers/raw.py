"""A plain aiokafka loop: fetch, decide, send in batches to two topics, commit each second.

No Faust, no lease, no recovery: what the clients and the work alone cost. It keeps its table in memory.
"""

from __future__ import annotations

import asyncio
import gc
import time
from typing import TYPE_CHECKING, Any

import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from elowire.processor.player import PlayerStage
from elowire.processor.stage import Record
from tests.bench.peers import ledger
from tests.bench.peers.job import Job, job_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Out = tuple[bytes, bytes, Sequence[tuple[str, bytes]]]
    Writes = dict[TopicPartition, list[Out]]
    Work = Callable[[TopicPartition, Sequence[Any]], tuple[Writes, Writes]]


def ledger_work(job: Job) -> Work:
    """Every peer's work."""
    table: dict[bytes, bytes] = {}

    def work(at: TopicPartition, records: Sequence[Any]) -> tuple[Writes, Writes]:
        outputs, states = ledger.apply(((record.key, record.value) for record in records), table)
        table.update(states)
        return _writes(job, at, outputs, states.items())

    return work


def no_work(job: Job) -> Work:
    """Decode and encode, without a table: the floor."""

    def work(at: TopicPartition, records: Sequence[Any]) -> tuple[Writes, Writes]:
        outputs = []
        for record in records:
            event = orjson.loads(record.value)
            output = {name: event[name] for name in ("player", "game", "rev", "opp")}
            outputs.append((record.key, orjson.dumps(output)))
        return _writes(job, at, outputs, outputs)

    return work


def player_work(job: Job) -> Work:
    """Elowire's player stage, which names its topics itself: `group` is their prefix."""
    stage = PlayerStage(partitions=job.partitions, prefix=f"{job.group}-")
    tables: dict[int, dict[bytes, bytes]] = {number: {} for number in range(job.partitions)}
    indexes = {number: stage.new_index() for number in range(job.partitions)}

    def work(at: TopicPartition, records: Sequence[Any]) -> tuple[Writes, Writes]:
        part = at.partition
        plain = [
            Record(at.topic, part, one.offset, one.timestamp, one.key, one.value, one.headers)
            for one in records
        ]
        effects = stage.apply(plain, tables[part], indexes[part], part)
        tables[part].update(effects.puts)
        outputs: Writes = {}
        for emit in effects.emits:
            place = TopicPartition(emit.topic, emit.partition)
            outputs.setdefault(place, []).append((emit.key or b"", emit.value or b"", emit.headers))
        states: list[Out] = [(key, state, ()) for key, state in effects.puts.items()]
        return outputs, {TopicPartition(stage.changelog or "", part): states}

    return work


def _writes(
    job: Job, at: TopicPartition, outputs: Iterable[ledger.Pair], states: Iterable[ledger.Pair]
) -> tuple[Writes, Writes]:
    return (
        {TopicPartition(job.outputs, at.partition): [(key, value, ()) for key, value in outputs]},
        {TopicPartition(job.changelog, at.partition): [(key, value, ()) for key, value in states]},
    )


WORK = {"ledger": ledger_work, "none": no_work, "player": player_work}


async def run(job: Job) -> None:
    """Work until it is ended."""
    work = WORK[job.work](job)
    consumer = AIOKafkaConsumer(
        job.source,
        bootstrap_servers=job.bootstrap,
        group_id=job.group,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        max_poll_records=2000,
    )
    producer = AIOKafkaProducer(
        bootstrap_servers=job.bootstrap, acks="all", enable_idempotence=True, max_batch_size=512 << 10
    )
    await consumer.start()
    await producer.start()
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)
    committed = time.monotonic()
    while True:
        outputs: Writes = {}
        states: Writes = {}
        for at, records in (await consumer.getmany(timeout_ms=500)).items():
            emitted, written = work(at, records)
            for place, several in emitted.items():
                outputs.setdefault(place, []).extend(several)
            states.update(written)
        await _send(producer, outputs)
        await _send(producer, states)
        if (now := time.monotonic()) - committed > 1:
            committed = now
            await consumer.commit()


async def _send(producer: AIOKafkaProducer, writes: Writes) -> None:
    waiting = []
    for at, records in writes.items():
        batch = producer.create_batch()
        for key, value, headers in records:
            listed = list(headers)
            if batch.append(key=key, value=value, timestamp=None, headers=listed) is None:
                waiting.append(await producer.send_batch(batch, at.topic, partition=at.partition))
                batch = producer.create_batch()
                batch.append(key=key, value=value, timestamp=None, headers=listed)
        if batch.record_count():
            waiting.append(await producer.send_batch(batch, at.topic, partition=at.partition))
    await asyncio.gather(*waiting)


if __name__ == "__main__":
    asyncio.run(run(job_of()))
