"""The measurements of the product itself; each returns rows."""

from __future__ import annotations

import asyncio
import time
from datetime import date
from random import Random
from typing import TYPE_CHECKING

import orjson

from elowire.contracts.topics import CATALOGUE
from elowire.domain import TimeControl, edition_on, rate_game
from elowire.runtime.embedded.storage import log_dir
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, follow, read_all
from tests.bench import cluster, load
from tests.bench.figures import Row, row, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import psutil

    from elowire.contracts.envelope import EventRecord

TARGETS = {
    "end to end, one worker": "8,000 or more",
    "written to Kafka, all topics": "1.5 or less",
    "append to live rating at 50 games/s, p99": "25 or less",
    "append to live rating at 500 games/s, p99": "50 or less",
    "append to live rating at 2000 games/s, p99": "100 or less",
    "worker at rest": "1 or less",
    "worker at 50 games/s": "15 or less",
}
LATENCY_S = 8.0
REST_S = 5.0


async def send(bootstrap: str, records: Sequence[EventRecord], prefix: str = "") -> None:
    """Send records and wait for their acknowledgement."""
    async with ConfirmedProducer(bootstrap) as producer:
        await producer.send_all(OutRecord(prefix + record.topic, *record[1:]) for record in records)


def domain_alone(rounds: int, changes: int = 100_000) -> Row:
    """Measure the regulations without anything around them: one side of one game each."""
    chance = Random(1)
    day = date(2026, 11, 1)
    edition = edition_on(day)
    games = [
        (chance.randint(1400, 2800), chance.randint(1400, 2800), chance.choice((0, 50, 100)))
        for _ in range(changes)
    ]
    speeds = []
    for _ in range(rounds):
        began = time.process_time()
        for own, opponent, points in games:
            rate_game(
                own=own,
                opponent=opponent,
                points=points,
                edition=edition,
                time_control=TimeControl.STANDARD,
                starts_on=day,
            )
        speeds.append(changes / (time.process_time() - began))

    return row("the regulations alone, one core", speeds, "changes/s")


def throughput(bootstrap: str, folder: Path, size: load.Size, admin_port: int, rounds: int) -> list[Row]:
    """Work off games that lie in the topics already, with all guarantees on, from fresh topics each time."""
    opening, entries = load.facts(size, seed=1)
    games = list(load.games(size, entries, seed=1))
    runs = [
        _one_run(bootstrap, folder, (opening, games), admin_port, f"run{number}-") for number in range(rounds)
    ]

    return rows_of(runs, TARGETS)


def _one_run(
    bootstrap: str,
    folder: Path,
    records: tuple[Sequence[EventRecord], Sequence[EventRecord]],
    admin_port: int,
    prefix: str,
) -> dict[str, tuple[float, str]]:
    opening, games = records
    asyncio.run(cluster.create(bootstrap, CATALOGUE, prefix))
    asyncio.run(send(bootstrap, opening, prefix))
    with cluster.worker(folder, bootstrap, admin_port, prefix=prefix):
        asyncio.run(cluster.drained(bootstrap, 300, prefix))
    bytes_before = written(folder, prefix)
    asyncio.run(send(bootstrap, games, prefix))
    sides = asyncio.run(cluster.output_count(bootstrap, [f"{prefix}player-events"]))
    with cluster.worker(folder, bootstrap, admin_port, prefix=prefix) as process:
        while asyncio.run(cluster.output_count(bootstrap, [f"{prefix}player-events"])) == sides:
            time.sleep(0.05)
        before = cluster.cpu_s(process)
        asyncio.run(cluster.drained(bootstrap, 600, prefix))
        spent = cluster.cpu_s(process) - before
        memory = process.memory_info().rss
    began = min(asyncio.run(_times(bootstrap, f"{prefix}player-events"))[sides:])
    rated = asyncio.run(_times(bootstrap, f"{prefix}live-ratings"))
    took = (rated[-1] - began) / 1000

    return {
        "end to end, one worker": (len(games) / took, "games/s"),
        "CPU per game": (spent / len(games) * 1e6, "µs"),
        "live ratings per game": (len(rated) / len(games), ""),
        "memory of the worker": (memory / 2**20, "MiB"),
        "written to Kafka, all topics": ((written(folder, prefix) - bytes_before) / len(games) / 1024, "KB"),
    }


def written(folder: Path, prefix: str) -> int:
    """Return the bytes of all records of topics with a prefix, compressed, as they lie on the disk."""
    return sum(path.stat().st_size for path in log_dir(folder / "kafka").glob(f"{prefix}*/*.log"))


async def _times(bootstrap: str, topic: str) -> list[int]:
    """Return when the records of a topic were written, in order, in milliseconds."""
    found = []
    async for records in read_all(bootstrap, [topic]):
        found += [record.timestamp for record in records]

    return sorted(found)


def latencies(
    bootstrap: str, process: psutil.Process, rates: Sequence[int], rounds: int, seconds: float = LATENCY_S
) -> list[Row]:
    """Measure a worker at rest and at steady rates, again and again."""
    # A worker that starts is not at rest: it has done something, and then nothing.
    asyncio.run(send(bootstrap, load.facts(load.Size(20, 100, 1, 20_000), seed=1)[0]))
    while not asyncio.run(cluster.output_count(bootstrap, ["elowire-tournaments-changelog"])):
        time.sleep(0.1)
    asyncio.run(cluster.drained(bootstrap, 120))
    time.sleep(REST_S)
    runs = []
    for number in range(rounds):
        run = {"worker at rest": (_share_of_core(process, REST_S), "%")}
        for place, rate in enumerate(rates):
            seed = 100 * (number + 1) + place
            run |= asyncio.run(latency(bootstrap, process, rate, seconds, seed))
        runs.append(run)

    return rows_of(runs, TARGETS)


def _share_of_core(process: psutil.Process, seconds: float) -> float:
    before = cluster.cpu_s(process)
    time.sleep(seconds)

    return 100 * (cluster.cpu_s(process) - before) / seconds


async def latency(
    bootstrap: str, process: psutil.Process, rate: int, seconds: float, seed: int
) -> dict[str, tuple[float, str]]:
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
        started, before = time.monotonic(), cluster.cpu_s(process)
        number = 0
        while (now := time.monotonic() - started) < seconds:
            due = int(now * rate) - number
            records = [next(stream) for _ in range(due)]
            for record in records:
                sent[dict(record.headers)["ce_id"].decode()] = time.monotonic()
            await producer.send_all(OutRecord(*record) for record in records)
            number += due
            await asyncio.sleep(0.002)
        share = 100 * (cluster.cpu_s(process) - before) / (time.monotonic() - started)
    await asyncio.sleep(2.0)
    reader.cancel()
    took.sort()
    figures = {
        f"append to live rating at {rate} games/s, p{100 * part:g}": (
            took[int(len(took) * part)] * 1000,
            "ms",
        )
        for part in (0.5, 0.99, 0.999)
    }

    return {f"worker at {rate} games/s": (share, "%"), **figures}


async def _collect(bootstrap: str, sent: dict[str, float], took: list[float]) -> None:
    async for records in follow(bootstrap, ["live-ratings"], from_beginning=False, wait_s=0.05):
        now = time.monotonic()
        for record in records:
            cause = orjson.loads(record.value or b"{}")["cause"]["event_id"]
            if cause in sent:
                took.append(now - sent[cause])
