"""How long the state of many players takes to recover, and what a rebalance costs by what was written.

`python -m tests.bench.recovery --players 200000 1000000` measures it alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
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
from tests.bench import cluster
from tests.bench.measures import Row
from tests.oracle.generator import Sizes, generate
from tests.stages.driver import Lane

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTITIONS = 12
PATIENCE_S = 120
STATE_BYTES = 295


def recoveries(folder: Path, port: int, players: int, versions: int = 3) -> list[Row]:
    """Measure with one version of every player, then a second worker that joins, then with more versions."""
    rows = []
    with cluster.broker(folder, port, PARTITIONS) as bootstrap:
        for version in range(1, versions + 1):
            asyncio.run(_write(bootstrap, players, version))
            if version not in (1, versions):
                continue
            what = f"{players:,} players, {version} version{'s' * (version > 1)} of each"
            logs_ = folder / f"{version}-a", folder / f"{version}-b"
            for log in logs_:
                log.mkdir()
            started = time.monotonic()
            with cluster.worker(logs_[0], bootstrap, port + 2, PARTITIONS) as process:
                [told] = _recovered(logs_[0], 1)
                ready = time.monotonic() - started
                memory = process.memory_info().rss / 2**20
                with cluster.worker(logs_[1], bootstrap, port + 3, PARTITIONS):
                    [moved] = _recovered(logs_[1], 1)
                    stayed = _recovered(logs_[0], 2)[1]
            rows += [
                Row(f"recovery of {what}", told["seconds"], "s"),
                Row("  from the start of the process", ready, "s"),
                Row("  memory of the worker", memory, "MiB"),
                Row("  a second worker joins: what stays", stayed["seconds"], "s"),
                Row("  a second worker joins: what moves", moved["seconds"], "s"),
            ]

    return rows


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


async def _write(bootstrap: str, players: int, version: int) -> None:
    account = _account()
    value = states.encode({**account, "s": version})

    def records() -> Iterator[OutRecord]:
        for number in range(players):
            key = b"%d" % (1_000_000 + number)
            yield OutRecord(PLAYERS_CHANGELOG.name, key, value, partition=partition_of(key, PARTITIONS))

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
    parser.add_argument("--port", type=int, default=29792, help="of the broker; three more follow")
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args()
    logs.configure(load_settings())
    rows = []
    for players in chosen.players:
        with tempfile.TemporaryDirectory(prefix="elowire-recovery-") as folder:
            rows += recoveries(Path(folder), chosen.port, players)
    if chosen.json:
        print(json.dumps([row._asdict() for row in rows], indent=2))
        return
    for row in rows:
        print(f"{row.what:<58} {row.figure:>12,.2f} {row.unit}")


if __name__ == "__main__":
    main()
