"""How long the state of many players takes to recover, and what a rebalance costs by what was written.

`python -m tests.bench.recovery --players 200000 1000000` measures it alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from elowire.contracts.topics import PLAYERS_CHANGELOG, partition_of
from elowire.processor import state as states
from elowire.processor.player import PlayerStage
from elowire.processor.stage import Record
from elowire.runtime import logs
from elowire.runtime.kafka import ConfirmedProducer, OutRecord
from elowire.runtime.settings import load_settings
from tests.bench import cluster, load
from tests.bench.figures import Row, row, rows_of
from tests.oracle.generator import Sizes, generate
from tests.stages.driver import Lane

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTITIONS = 12
PATIENCE_S = 120
STATE_BYTES = 295
_OF_200, _OF_A_MILLION = ("200,000 players, 1 version of each", "1,000,000 players, 1 version of each")
TARGETS = {
    f"recovery of {_OF_200}": "2 or less",
    f"recovery of {_OF_A_MILLION}": "6 or less",
    **{f"a second one joins, {what}: what stays": "0.5 or less" for what in (_OF_200, _OF_A_MILLION)},
    **{f"a second one joins, {what}: what moves": "3 or less" for what in (_OF_200, _OF_A_MILLION)},
    **{f"kill -9, {what}: until the other has all": "15 or less" for what in (_OF_200, _OF_A_MILLION)},
}


def recoveries(folder: Path, port: int, players: int, *, rounds: int, versions: int = 1) -> list[Row]:
    """Measure a start, then a second worker that joins and is killed, again and again."""
    what = f"{players:,} players, {versions} version{'s' * (versions > 1)} of each"
    with cluster.broker(folder, port, PARTITIONS) as bootstrap:
        for version in range(1, versions + 1):
            asyncio.run(write_states(bootstrap, players, {**_account(), "s": version}))
        runs = [_one_round(folder / str(number), bootstrap, port, what) for number in range(rounds)]

    return rows_of(runs, TARGETS)


def _one_round(folder: Path, bootstrap: str, port: int, what: str) -> dict[str, tuple[float, str]]:
    first, second = folder / "a", folder / "b"
    for log in (first, second):
        log.mkdir(parents=True)
    started = time.monotonic()
    with cluster.worker(first, bootstrap, port + 2, PARTITIONS) as process:
        [told] = _recovered(first, 1)
        ready = time.monotonic() - started
        memory = process.memory_info().rss / 2**20
        with cluster.worker(second, bootstrap, port + 3, PARTITIONS) as other:
            [moved] = _recovered(second, 1)
            stayed = _recovered(first, 2)[1]
            other.kill()
            killed = time.monotonic()
            _recovered(first, 3)
            failover = time.monotonic() - killed

    return {
        f"recovery of {what}": (told["seconds"], "s"),
        f"start of a worker with {what}": (ready, "s"),
        f"memory of a worker with {what}": (memory, "MiB"),
        f"a second one joins, {what}: what stays": (stayed["seconds"], "s"),
        f"a second one joins, {what}: what moves": (moved["seconds"], "s"),
        f"kill -9, {what}: until the other has all": (failover, "s"),
    }


def memory(folder: Path, port: int, *, rounds: int, players: int = 100_000, pending: int = 10) -> list[Row]:
    """Measure what a worker needs for each player who has so many pending games."""
    sizes: dict[bool, list[float]] = {False: [], True: []}
    with cluster.broker(folder, port, PARTITIONS) as bootstrap:
        for full, seen in sizes.items():
            if full:
                asyncio.run(write_states(bootstrap, players, pending_account(pending)))
            for number in range(rounds):
                log = folder / f"{full}-{number}"
                log.mkdir()
                with cluster.worker(log, bootstrap, port + 2, PARTITIONS) as process:
                    _recovered(log, 1)
                    seen.append(process.memory_info().rss)
    empty = statistics.median(sizes[False])
    each = [(size - empty) / players for size in sizes[True]]

    return [row(f"memory per player with {pending} pending games", each, "bytes", target="1,024 or less")]


def pending_account(pending: int) -> dict[str, object]:
    """Return the account of a player who has played so many rounds of a tournament that goes on."""
    size = load.Size(1, entrants=20, rounds=pending, players=20)
    opening, entries = load.facts(size, seed=1)
    lane = Lane(partitions=1, seed=1)
    for record in (*opening, *load.games(size, entries, seed=1)):
        lane.append(record.topic, 0, *record[1:])
    lane.run()
    [table] = [part.table for part in lane.parts if part.stage.name == "player"]

    return states.decode(next(iter(table.values())))


def _account() -> dict[str, object]:
    """Return the account of a player in the middle of a tournament, as the stage makes it."""
    lane = Lane(partitions=1, seed=1).feed(
        generate(1, Sizes(tournaments=4, entrants=8, rounds=5, players=30))
    )
    stage, table = PlayerStage(partitions=1), {}
    for record in lane.read()["player-events"]:
        plain = Record("player-events", 0, record.offset, 1, record.key, record.value, record.headers)
        table |= stage.apply([plain], table, stage.new_index(), 0).puts

    # Most players of a year's state rest: about as long as the states of the engine's measured runs.
    return states.decode(min((value for value in table.values() if len(value) >= STATE_BYTES), key=len))


async def write_states(bootstrap: str, players: int, account: dict[str, object], prefix: str = "") -> None:
    """Write the changelog of so many players who all have this account."""
    value = states.encode(account)

    def records() -> Iterator[OutRecord]:
        for number in range(players):
            key = b"%d" % (1_000_000 + number)
            yield OutRecord(
                prefix + PLAYERS_CHANGELOG.name, key, value, partition=partition_of(key, PARTITIONS)
            )

    async with ConfirmedProducer(bootstrap) as producer:
        await producer.send_all(records())


def _recovered(folder: Path, times: int) -> list[dict[str, float]]:
    """Wait until the worker has recovered so often; return what it said each time."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        path = folder / "worker.log"
        lines = path.read_bytes().splitlines() if path.exists() else []
        told = [orjson.loads(line) for line in lines if b'"event":"recovered"' in line]
        if len(told) >= times:
            return told
        time.sleep(0.02)
    raise TimeoutError(f"not recovered {times} times after {PATIENCE_S} s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.recovery", description=__doc__)
    parser.add_argument("--players", type=int, nargs="+", default=[200_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--port", type=int, default=29792, help="of the broker; three more follow")
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args()
    logs.configure(load_settings())
    rows: list[Row] = []
    for players in chosen.players:
        with tempfile.TemporaryDirectory(prefix="elowire-recovery-") as folder:
            rows += recoveries(Path(folder), chosen.port, players, rounds=chosen.rounds)
    if chosen.json:
        print(json.dumps([one._asdict() for one in rows], indent=2))
        return
    for one in rows:
        print(one.line())


if __name__ == "__main__":
    main()
