"""Runs every peer over the same records and measures each from outside, in the same way.

The broker stamps what a peer writes (`LogAppendTime`): its speed is that of the last three quarters of its
outputs, since the first quarter is for connecting, joining the group and, with Java, for warming up. What was
written is compared with what the work gives in one pass. CPU is that of the process with its children.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson
import psutil
from aiokafka.admin import NewTopic

from elowire.contracts.topics import CATALOGUE, partition_of
from elowire.runtime.kafka import (
    ConfirmedProducer,
    OutRecord,
    TopicMissingError,
    admin_client,
    end_offsets,
    read_all,
)
from elowire.runtime.settings import child_environment
from tests.bench import cluster, load
from tests.bench.figures import Row, row
from tests.bench.peers import ledger
from tests.bench.peers.environments import UnavailableError, quix_python, streams_command
from tests.bench.peers.job import Job
from tests.stages.driver import Lane

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).parents[3]
PARTITIONS = 4
WARM = 0.25
PATIENCE_S = 120.0
SETTLED_S = 0.5
LEDGER, PLAYER = "bench-ledger-events", "bench-player-events"
OURS = "Elowire's lane, all guarantees"


class Peer(NamedTuple):
    """A way to do the work; `command` comes before the arguments of the job.

    `share` of the records is enough to tell the speed of a slow one. `target` is ours beside it.
    """

    name: str
    command: Sequence[str]
    share: float = 1.0
    work: str = "ledger"
    target: str = ""


class Absent(NamedTuple):
    """A peer that is not to be had here, and why."""

    name: str
    why: str


class PeerFailedError(Exception):
    """A peer ended, or wrote too little for too long; the message has the end of its log."""


class Run(NamedTuple):
    """Records a second, and microseconds of CPU for each."""

    speed: float
    cpu_us: float


def module(name: str) -> list[str]:
    """Return the command of a peer in this environment."""
    return [sys.executable, "-m", f"tests.bench.peers.{name}"]


def ours_and_python() -> list[Peer]:
    """Return what this environment can run."""
    return [
        Peer(OURS, module("own")),
        Peer("raw aiokafka loop, same work", module("raw")),
        Peer("raw aiokafka loop, no state", module("raw"), work="none"),
        Peer("stock Faust agent, unconfirmed", module("stock"), share=0.15, target="0.1 of ours or less"),
    ]


def others(folder: Path) -> list[Peer | Absent]:
    """Return what has to be fetched first, or why it is not to be had."""
    found: list[Peer | Absent] = []
    name = "Quix Streams, at least once"
    try:
        script = [str(quix_python()), "-m", "tests.bench.peers.quix"]
        found.append(Peer(name, script, share=0.5, target="0.5 of ours or less"))
    except UnavailableError as fault:
        found.append(Absent(name, str(fault)))
    guarantees = {"at_least_once": ("at least once", 0.67), "exactly_once_v2": ("exactly once v2", 0.5)}
    for guarantee, (words, most) in guarantees.items():
        name = f"Kafka Streams (Java), {words}"
        try:
            classes = folder / f"classes-{guarantee}"
            java = streams_command(classes, print_progress)
            target = f"{most:g} of ours or less"
            found.append(Peer(name, [*java, f"-Dguarantee={guarantee}", "Ledger"], target=target))
        except UnavailableError as fault:
            found.append(Absent(name, str(fault)))

    return found


def print_progress(step: str) -> None:
    """Tell on standard error, beside the table."""
    print(step, file=sys.stderr)


def rows(
    bootstrap: str, folder: Path, *, records: int, rounds: int, peers: Sequence[Peer | Absent]
) -> list[Row]:
    """Run every peer once a round, so that a busy minute of the machine hits all of them; rows in order."""
    events = list(ledger.events(records))
    expected = [orjson.loads(value) for _, value in ledger.apply(events, {})[0]]
    asyncio.run(_topic(bootstrap, LEDGER, PARTITIONS))
    asyncio.run(_send(bootstrap, LEDGER, ((key, value, ()) for key, value in events)))
    present = [peer for peer in peers if isinstance(peer, Peer)]
    measured: dict[str, list[Run]] = {peer.name: [] for peer in present}
    failed: dict[str, str] = {}
    for number in range(rounds):
        for place, peer in enumerate(present):
            if peer.name in failed:
                continue
            job = _job(bootstrap, folder, f"peer{place}-{number}", LEDGER, peer.work)
            asyncio.run(_topic(bootstrap, job.outputs, PARTITIONS))
            asyncio.run(_topic(bootstrap, job.changelog, PARTITIONS))
            outputs = records if peer.work == "none" else len(expected)
            try:
                with _running(peer, job) as process:
                    cpu = _worked_off(bootstrap, job.outputs, int(outputs * peer.share), process)
            except PeerFailedError as fault:
                failed[peer.name] = str(fault)
                continue
            times, values = asyncio.run(_read(bootstrap, job.outputs))
            if peer.work == "ledger":
                require_right(peer.name, values, expected)
            measured[peer.name].append(Run(speed(times), cpu))

    return _compared(
        [Absent(one.name, failed[one.name]) if one.name in failed else one for one in peers], measured
    )


def _compared(peers: Sequence[Peer | Absent], measured: Mapping[str, Sequence[Run]]) -> list[Row]:
    found: list[Row] = []
    ours = statistics.median([run.speed for run in measured[OURS]] or [1])
    for peer in peers:
        if isinstance(peer, Absent):
            found.append(Row(peer.name, None, "", note=f"not available: {peer.why.strip()}"))
            continue
        runs = measured[peer.name]
        one = row(peer.name, [run.speed for run in runs], "records/s", target=peer.target)
        found.append(one._replace(ratio=None if peer.name == OURS else (one.figure or 0) / ours))
        found.append(row("  CPU", [run.cpu_us for run in runs], "µs each"))

    return found


def player_rows(bootstrap: str, folder: Path, *, games: int, rounds: int) -> list[Row]:
    """Measure Elowire's player stage alone, in its lane and in the raw loop."""
    size = load.Size(games // 500, entrants=100, rounds=10, players=20_000)
    opening, entries = load.facts(size, seed=1)
    lane = Lane(partitions=PARTITIONS, seed=1, most=2_000)
    for record in (*opening, *load.games(size, entries, seed=1)):
        lane.append(record.topic, partition_of(record.key, PARTITIONS), *record[1:])
    lane.run()
    expected = len(lane.all("live-ratings"))
    asyncio.run(_topic(bootstrap, PLAYER, PARTITIONS))
    events = [(one.key, one.value, one.headers) for one in lane.all("player-events")]
    asyncio.run(_send(bootstrap, PLAYER, events))
    speeds: dict[str, list[float]] = {"own": [], "raw": []}
    for number in range(rounds):
        for name, found in speeds.items():
            job = _job(bootstrap, folder, f"player-{name}-{number}", PLAYER, "player")
            asyncio.run(_catalogue(bootstrap, f"{job.group}-"))
            outputs = f"{job.group}-live-ratings"
            with _running(Peer(name, module(name)), job) as process:
                _worked_off(bootstrap, outputs, expected, process)
            times, _ = asyncio.run(_read(bootstrap, outputs))
            found.append(speed(times))
    own, raw = speeds["own"], speeds["raw"]
    shares = [100 * one / other for one, other in zip(own, raw, strict=True)]

    return [
        row("player stage alone, in the lane", own, "events/s"),
        row("player stage alone, in the raw loop", raw, "events/s"),
        row("the lane's share of the raw loop's speed", shares, "%", target="85 or more"),
    ]


def _job(bootstrap: str, folder: Path, run: str, source: str, work: str) -> Job:
    place = folder / run
    place.mkdir()

    return Job(
        bootstrap=bootstrap,
        source=source,
        outputs=f"{run}-outputs",
        changelog=f"{run}-states",
        group=run,
        partitions=PARTITIONS,
        folder=str(place),
        work=work,
    )


@contextmanager
def _running(peer: Peer, job: Job) -> Iterator[psutil.Process]:
    path = Path(job.folder) / "log"
    python_path = {"PYTHONPATH": f"{ROOT}:{ROOT / 'services'}"}
    with path.open("wb") as log:
        process = subprocess.Popen(
            [*peer.command, *job.arguments()],
            cwd=job.folder,
            env=child_environment(**python_path),
            stdout=log,
            stderr=log,
        )
        try:
            yield psutil.Process(process.pid)
        except (psutil.Error, TimeoutError) as fault:
            said = path.read_text("utf-8", "replace")[-2000:]
            raise PeerFailedError(f"it did not do its work: {fault}\n{said}") from fault
        finally:
            # Nothing of it is needed any more, and an orderly end of some takes half a minute.
            process.kill()
            process.wait()


def _worked_off(bootstrap: str, topic: str, wanted: int, process: psutil.Process) -> float:
    """Wait for so many outputs; return the microseconds of CPU for each after the warm-up."""
    return asyncio.run(_work_off(bootstrap, topic, wanted, process))


async def _work_off(bootstrap: str, topic: str, wanted: int, process: psutil.Process) -> float:
    began = time.monotonic()
    warm: tuple[int, float] | None = None
    seen, settled, spent = 0, began, 0.0
    while True:
        count = await cluster.output_count(bootstrap, [topic])
        now = time.monotonic()
        if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
            raise psutil.NoSuchProcess(process.pid)
        if warm is None and count >= WARM * wanted:
            warm = count, _cpu(process)
        if count > seen:
            seen, settled, spent = count, now, _cpu(process)
        elif warm and seen >= wanted and now - settled > SETTLED_S:
            break
        # A slow one has been seen for long enough; of a quick one, markers of transactions come after it.
        if warm and seen >= wanted * 1.02:
            break
        if now - began > PATIENCE_S:
            raise TimeoutError(f"{count} of {wanted} outputs after {PATIENCE_S:g} s")
        await asyncio.sleep(0.1)
    assert warm is not None

    return (spent - warm[1]) / max(seen - warm[0], 1) * 1e6


def _cpu(process: psutil.Process) -> float:
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            total += cluster.cpu_s(one)

    return total


def speed(times: Sequence[int]) -> float:
    """Return outputs a second from when a quarter was written, by the broker's clock in milliseconds."""
    steps = [(at, sum(1 for _ in same)) for at, same in groupby(sorted(times))]
    done, begun = 0, steps[0][0]
    counted = 0
    for at, many in steps:
        if done < WARM * len(times):
            done += many
            begun = at
        else:
            counted += many

    return counted / max(steps[-1][0] - begun, 1) * 1000


async def _read(bootstrap: str, topic: str) -> tuple[list[int], list[dict[str, object]]]:
    times, values = [], []
    async for records in read_all(bootstrap, [topic]):
        for record in records:
            times.append(record.timestamp)
            values.append(orjson.loads(record.value or b"{}"))

    return times, values


def require_right(name: str, values: Sequence[dict[str, object]], expected: Sequence[object]) -> None:
    """Every output is the one of its version; nobody is quick by being wrong."""
    known = {(one["player"], one["version"]): one for one in expected}  # type: ignore[index]
    wrong = [one for one in values if known.get((one["player"], one["version"])) != one]
    if wrong:
        raise AssertionError(f"{name}: {len(wrong)} of {len(values)} outputs are wrong, first {wrong[0]}")


async def _topic(bootstrap: str, name: str, partitions: int) -> None:
    stamped = {"message.timestamp.type": "LogAppendTime"}
    async with admin_client(bootstrap) as admin:
        await admin.create_topics([NewTopic(name, partitions, 1, topic_configs=stamped)])
    while True:
        with suppress(TopicMissingError):
            if len(await end_offsets(bootstrap, [name])) == partitions:
                return
        await asyncio.sleep(0.05)


async def _catalogue(bootstrap: str, prefix: str) -> None:
    rest = [topic for topic in CATALOGUE if topic.name != "live-ratings"]
    await cluster.create(bootstrap, rest, prefix, PARTITIONS)
    await _topic(bootstrap, f"{prefix}live-ratings", PARTITIONS)


async def _send(
    bootstrap: str,
    topic: str,
    records: Iterator[tuple[bytes, bytes, object]] | Sequence[tuple[bytes, bytes, object]],
) -> None:
    async with ConfirmedProducer(bootstrap) as producer:
        await producer.send_all(
            OutRecord(topic, key, value, headers, partition=partition_of(key, PARTITIONS))
            for key, value, headers in records
        )
