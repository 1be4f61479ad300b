"""A broker and one worker for a measurement, and what they have done so far."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import psutil
from aiokafka.errors import GroupCoordinatorNotAvailableError

from elowire.contracts.topics import GAME_RESULTS, PLAYER_EVENTS, RATING_LISTS, TOURNAMENT_EVENTS
from elowire.runtime import topics
from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.kafka import admin_client, end_offsets
from elowire.runtime.settings import child_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from elowire.contracts.topics import Topic

PARTITIONS = 12
GROUP = "elowire"
SOURCES = [topic.name for topic in (TOURNAMENT_EVENTS, GAME_RESULTS, RATING_LISTS, PLAYER_EVENTS)]


@contextmanager
def broker(folder: Path, port: int, partitions: int = PARTITIONS) -> Iterator[str]:
    """Run a fresh broker with all topics; gives its address."""
    with EmbeddedKafka(folder / "kafka", port, heap_mb=512) as kafka:
        shape = topics.Shape(partitions=partitions, replication_factor=1, min_insync=1)
        asyncio.run(topics.apply(kafka.bootstrap, shape=shape))
        yield kafka.bootstrap


@contextmanager
def worker(
    folder: Path, bootstrap: str, admin_port: int, partitions: int = PARTITIONS, prefix: str = ""
) -> Iterator[psutil.Process]:
    """Run one processor; gives its process. `prefix` is that of its topics and of its group."""
    environment = child_environment(
        ELOWIRE_BOOTSTRAP=bootstrap,
        ELOWIRE_DATA_DIR=str(folder / "data"),
        ELOWIRE_PARTITIONS=str(partitions),
        ELOWIRE_TOPIC_PREFIX=prefix,
        ELOWIRE_GROUP=f"{prefix}{GROUP}",
        ELOWIRE_PROCESSOR_ADMIN_PORT=str(admin_port),
    )
    with (folder / "worker.log").open("ab") as log:
        command = [sys.executable, "-m", "elowire", "processor"]
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield psutil.Process(process.pid)
        finally:
            process.terminate()
            process.wait(30)


async def lag(bootstrap: str, prefix: str = "") -> int:
    """Return how many records of its sources the group has not committed."""
    ends = await end_offsets(bootstrap, [prefix + source for source in SOURCES])
    async with admin_client(bootstrap) as admin:
        try:
            committed = await admin.list_consumer_group_offsets(prefix + GROUP)
        except GroupCoordinatorNotAvailableError:  # the first group of a new broker
            committed = {}
    done = {(place.topic, place.partition): meta.offset for place, meta in committed.items()}

    return sum(end - max(done.get(place, 0), 0) for place, end in ends.items())


async def drained(bootstrap: str, within_s: float, prefix: str = "") -> float:
    """Return the seconds until the lag is 0."""
    started = time.monotonic()
    while await lag(bootstrap, prefix):
        if time.monotonic() - started > within_s:
            raise TimeoutError(f"lag {await lag(bootstrap, prefix)} after {within_s:g} s")
        await asyncio.sleep(0.25)

    return time.monotonic() - started


async def output_count(bootstrap: str, names: Sequence[str]) -> int:
    """Return how many records the topics have."""
    return sum((await end_offsets(bootstrap, names)).values())


def cpu_s(process: psutil.Process) -> float:
    """Return the seconds of CPU that a process has used."""
    return float(sum(process.cpu_times()[:2]))


async def create(
    bootstrap: str, catalogue: Iterable[Topic], prefix: str, partitions: int = PARTITIONS
) -> None:
    """Create the topics of a run of its own, which have a prefix."""
    named = [replace(topic, name=prefix + topic.name) for topic in catalogue]
    await topics.apply(bootstrap, named, shape=topics.Shape(partitions=partitions))
