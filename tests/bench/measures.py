"""The measurements: each returns rows of (what, figure, unit)."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, NamedTuple

import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from elowire.contracts.topics import partition_of
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, follow
from tests.bench import cluster, load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from elowire.contracts.envelope import EventRecord


class Row(NamedTuple):
    """One figure."""

    what: str
    figure: float
    unit: str


async def send(bootstrap: str, records: Sequence[EventRecord]) -> None:
    """Send records and wait for their acknowledgement."""
    async with ConfirmedProducer(bootstrap) as producer:
        await producer.send_all(OutRecord(*record) for record in records)


def throughput(bootstrap: str, folder: Path, size: load.Size, admin_port: int, partitions: int) -> list[Row]:
    """Work off games that lie in the topics already, with all guarantees on."""
    opening, entries = load.facts(size, seed=1)
    asyncio.run(send(bootstrap, opening))
    with cluster.worker(folder, bootstrap, admin_port, partitions) as process:
        asyncio.run(cluster.drained(bootstrap, 120))
        idle = process.cpu_times()
        del idle
    games = list(load.games(size, entries, seed=1))
    asyncio.run(send(bootstrap, games))
    with cluster.worker(folder, bootstrap, admin_port, partitions) as process:
        started = _first_output(bootstrap)
        before = process.cpu_times()
        asyncio.run(cluster.drained(bootstrap, 600))
        took = time.monotonic() - started
        after = process.cpu_times()
        memory = process.memory_info().rss
    spent = after.user + after.system - before.user - before.system
    live = asyncio.run(cluster.output_count(bootstrap, ["live-ratings"]))

    return [
        Row("end to end, one worker", size.games / took, "games/s"),
        Row("CPU per game", spent / size.games * 1e6, "µs"),
        Row("live ratings written", live, "records"),
        Row("memory of the worker", memory / 2**20, "MiB"),
    ]


def _first_output(bootstrap: str) -> float:
    """Return when the worker began to write: its start is measured elsewhere."""
    before = asyncio.run(cluster.output_count(bootstrap, ["player-events"]))
    while asyncio.run(cluster.output_count(bootstrap, ["player-events"])) == before:
        time.sleep(0.05)

    return time.monotonic()


async def raw_loop(bootstrap: str, limit_s: float = 60.0) -> Row:
    """Measure a plain aiokafka loop over the same games: consume, decode, send in batches to two topics."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=bootstrap, enable_auto_commit=False, auto_offset_reset="earliest"
    )
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap, acks="all", enable_idempotence=True, max_batch_size=512 * 1024
    )
    await consumer.start()
    await producer.start()
    partitions = sorted(await producer.partitions_for("game-results"))
    places = [TopicPartition("game-results", number) for number in partitions]
    consumer.assign(places)
    await consumer.seek_to_beginning(*places)
    ends = await consumer.end_offsets(places)
    total = sum(ends.values())
    done, started = 0, time.monotonic()
    while done < total and time.monotonic() - started < limit_s:
        fetched = await consumer.getmany(timeout_ms=500, max_records=2000)
        writes: dict[tuple[str, int], list[tuple[bytes, bytes]]] = {}
        for records in fetched.values():
            for record in records:
                game = orjson.loads(record.value)
                for colour in ("white", "black"):
                    key = game[colour]["player_id"].encode()
                    value = orjson.dumps({"player_id": key.decode(), "game": game["game_id"]})
                    place = partition_of(key, len(partitions))
                    writes.setdefault(("bench-a", place), []).append((key, value))
                    writes.setdefault(("bench-b", place), []).append((key, value))
                done += 1
        await _send_batches(producer, writes)
    took = time.monotonic() - started
    await producer.stop()
    await consumer.stop()

    return Row("raw aiokafka loop, no state, two topics", done / took, "games/s")


async def _send_batches(
    producer: AIOKafkaProducer, writes: dict[tuple[str, int], list[tuple[bytes, bytes]]]
) -> None:
    waiting = []
    for (topic, partition), records in writes.items():
        batch = producer.create_batch()
        for key, value in records:
            if batch.append(key=key, value=value, timestamp=None) is None:
                waiting.append(await producer.send_batch(batch, topic, partition=partition))
                batch = producer.create_batch()
                batch.append(key=key, value=value, timestamp=None)
        waiting.append(await producer.send_batch(batch, topic, partition=partition))
    await asyncio.gather(*waiting)


async def latency(bootstrap: str, rate: float, seconds: float, seed: int) -> list[Row]:
    """Measure from append to live rating at a steady rate, both ends seen from this client."""
    size = load.Size(tournaments=20, entrants=200, rounds=50, players=20_000)
    opening, entries = load.facts(size, seed)
    await send(bootstrap, opening)
    await cluster.drained(bootstrap, 120)
    stream = load.games(size, entries, seed)
    sent: dict[str, float] = {}
    took: list[float] = []
    reader = asyncio.create_task(_collect(bootstrap, sent, took))
    await asyncio.sleep(1.0)
    async with ConfirmedProducer(bootstrap) as producer:
        started = time.monotonic()
        number = 0
        while (now := time.monotonic() - started) < seconds:
            due = int(now * rate) - number
            records = [next(stream) for _ in range(due)]
            for record in records:
                sent[dict(record.headers)["ce_id"].decode()] = time.monotonic()
            await producer.send_all(OutRecord(*record) for record in records)
            number += due
            await asyncio.sleep(0.002)
    await asyncio.sleep(2.0)
    reader.cancel()
    took.sort()

    return [
        Row(
            f"append to live rating at {rate:g} games/s, p{share * 100:g}",
            took[int(len(took) * share)] * 1000,
            "ms",
        )
        for share in (0.5, 0.99, 0.999)
    ]


async def _collect(bootstrap: str, sent: dict[str, float], took: list[float]) -> None:
    async for records in follow(bootstrap, ["live-ratings"], from_beginning=False, wait_s=0.05):
        now = time.monotonic()
        for record in records:
            cause = orjson.loads(record.value or b"{}")["cause"]["event_id"]
            if cause in sent:
                took.append(now - sent[cause])
