"""How long a ticker takes until its board is complete: `python -m tests.bench.rebuild`.

A fresh broker gets a rating list of 200,000 players, live ratings and pending games of some of them, and a
ticker of its own process is started. Time runs from its first connection to "board complete".
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson
import psutil

from elowire.runtime.kafka import ConfirmedProducer, OutRecord
from elowire.runtime.settings import child_environment
from tests.bench import cluster
from tests.bench.figures import Row
from tests.ports import free_port, free_ports
from tests.services.ticker.records import figures, game, listed, live

if TYPE_CHECKING:
    from collections.abc import Iterator

PARTITIONS = 12
FEDERATIONS = ("USA", "GER", "IND", "ESP", "ROU", "NOR", "CHN", "UZB")


def world(players: int, playing: int, games: int) -> Iterator[OutRecord]:
    """Give the records of a list, and of those who are playing their live ratings and games."""
    chance = random.Random(1)
    for number in range(players):
        player, rating = str(1_000_000 + number), 1400 + number * 7919 % 1400
        value = listed(
            player,
            name=f"Family{number % 40_000}, Given{number % 977}",
            federation=FEDERATIONS[number % len(FEDERATIONS)],
            title="GM" if number % 97 == 0 else None,
            birth_year=1945 + number % 70,
            inactive=number % 3 == 0,
            standard=rating,
            rapid=rating - 20,
            blitz=rating - 40,
        )
        yield OutRecord("rating-lists", player.encode(), value)
    for number in range(playing):
        player, rating = str(1_000_000 + number), 1400 + number * 7919 % 1400
        last = None
        for at in range(games):
            last = game(player, at, at + 1, opponent=str(1_000_000 + chance.randrange(players)))
            yield OutRecord("rated-games", f"{player}/open:g{at}".encode(), orjson.dumps(last))
        value = live(player, games, game=last, standard=figures(rating, "3.60", pending=games))
        yield OutRecord("live-ratings", player.encode(), value)


async def fill(bootstrap: str, records: Iterator[OutRecord]) -> int:
    """Write the records and return their number."""
    async with ConfirmedProducer(bootstrap) as producer:
        return await producer.send_all(records)


def rebuild(bootstrap: str, folder: Path) -> tuple[float, float, float]:
    """Start a ticker; return wall seconds and CPU seconds until it is ready, and its MiB then.

    What Python and the imports take is measured first, by the time until the port listens, and left out.
    """
    port, admin_port = free_ports(2)
    environment = child_environment(
        ELOWIRE_BOOTSTRAP=bootstrap, ELOWIRE_TICKER_PORT=str(port), ELOWIRE_TICKER_ADMIN_PORT=str(admin_port)
    )
    with (folder / "ticker.log").open("ab") as log:
        command = [sys.executable, "-m", "elowire", "ticker"]
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            watched = psutil.Process(process.pid)
            while _status(admin_port, "livez") is None:
                _require_running(process, folder)
                time.sleep(0.01)
            begun, before = time.monotonic(), cluster.cpu_s(watched)
            while _status(admin_port, "readyz") != 200:
                _require_running(process, folder)
                time.sleep(0.02)
            took = time.monotonic() - begun
            return took, cluster.cpu_s(watched) - before, watched.memory_info().rss / 2**20
        finally:
            process.terminate()
            process.wait(30)


def _require_running(process: subprocess.Popen[bytes], folder: Path) -> None:
    if process.poll() is not None:
        raise RuntimeError((folder / "ticker.log").read_text())


def _status(port: int, path: str) -> int | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        return refusal.code
    except OSError:
        return None


class Run(NamedTuple):
    """One rebuild: wall seconds, CPU seconds, MiB at its end."""

    wall: float
    cpu: float
    memory: float


def runs_of(players: int, playing: int, games: int, runs: int) -> list[Run]:
    """Fill a fresh broker and rebuild a few times."""
    with tempfile.TemporaryDirectory(prefix="elowire-rebuild-") as name:
        folder = Path(name)
        with cluster.broker(folder, free_port(), PARTITIONS) as bootstrap:
            asyncio.run(fill(bootstrap, world(players, playing, games)))
            return [Run(*rebuild(bootstrap, folder)) for _ in range(runs)]


def rows(players: int = 200_000) -> list[Row]:
    """Measure, as rows of `make bench`: the middle one of three runs."""
    run = sorted(runs_of(players, players // 10, 5, 3))[1]
    what = f"board of {players:,} players made anew"

    return [Row(what, run.wall, "s"), Row(f"{what}, memory", run.memory, "MiB")]


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--players", type=int, default=200_000)
    parser.add_argument("--playing", type=int, default=20_000)
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}")
    for run in runs_of(options.players, options.playing, options.games, options.runs):
        print(f"{run.wall:.2f} s, CPU {run.cpu:.2f} s, {run.memory:.0f} MiB")


if __name__ == "__main__":
    main()
