"""Years of games in one replay: does a game cost the same at the end, and does the memory stay?

`python -m tests.bench.replay` plays 20 months of 500,000 games of 100,000 players, each month closed by its
rating list, through one worker with all guarantees, and prints a row for each month as it ends. An hour.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from datetime import date
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from elowire.contracts.topics import CATALOGUE
from elowire.runtime import logs
from elowire.runtime.embedded.storage import log_dir
from elowire.runtime.kafka import ConfirmedProducer, OutRecord
from elowire.runtime.settings import load_settings
from tests.bench import cluster, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from elowire.contracts.envelope import EventRecord

BEGINS = date(2024, 4, 12)
PORTION = 20_000
# The sender stays so close before the worker: what is sent and not yet read would wait in Kafka's memory.
AHEAD = 200_000
MONTH_S = 3_600
ENTRANTS, ROUNDS = 100, 10


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.replay", description=__doc__)
    parser.add_argument("--months", type=int, default=20)
    parser.add_argument("--games", type=int, default=500_000, help="in a month")
    parser.add_argument("--players", type=int, default=100_000)
    parser.add_argument("--port", type=int, default=29892, help="of the broker; three more follow")
    chosen = parser.parse_args()
    logs.configure(load_settings())
    tournaments = chosen.games // (ENTRANTS // 2 * ROUNDS)
    size = load.Size(tournaments, entrants=ENTRANTS, rounds=ROUNDS, players=chosen.players)
    print(
        "| games so far | games/s | CPU of the worker for a game | memory of the worker | on Kafka's disk |"
    )
    print("| --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory(prefix="elowire-replay-") as given:
        folder = Path(given)
        with (
            cluster.broker(folder, chosen.port) as bootstrap,
            cluster.worker(folder, bootstrap, chosen.port + 2) as process,
        ):
            for number in range(chosen.months):
                began, before = time.monotonic(), cluster.cpu_s(process)
                asyncio.run(_play(bootstrap, _month(size, number)))
                took, spent = time.monotonic() - began, cluster.cpu_s(process) - before
                cells = (
                    f"{size.games * (number + 1):,}",
                    f"{size.games / took:,.0f}",
                    f"{spent / size.games * 1e6:.0f} µs",
                    f"{process.memory_info().rss / 2**20:,.0f} MiB",
                    f"{_on_disk(folder) / 2**30:.1f} GiB",
                )
                print("|", " | ".join(cells), "|", flush=True)


def _month(size: load.Size, number: int) -> Iterator[EventRecord]:
    """Yield tournaments and entrants, the games, the tournaments' ends, and the list of the month after."""
    begins, following = _months_later(number), _months_later(number + 1).replace(day=1)
    opening, entries = load.facts(size, seed=number, begins=begins)
    yield from opening
    yield from load.games(size, entries, seed=number)
    yield from load.finishes(entries, begins)
    yield from load.rating_list(size.players, following, seed=number)


def _months_later(number: int) -> date:
    months = BEGINS.month - 1 + number

    return BEGINS.replace(year=BEGINS.year + months // 12, month=months % 12 + 1)


async def _play(bootstrap: str, records: Iterator[EventRecord]) -> None:
    """Send a month no further ahead of the worker than it should be, and wait until it is worked off."""
    async with ConfirmedProducer(bootstrap) as producer:
        while portion := list(islice(records, PORTION)):
            await producer.send_all(OutRecord(*record) for record in portion)
            while await cluster.lag(bootstrap) > AHEAD:
                await asyncio.sleep(0.5)
    await cluster.drained(bootstrap, MONTH_S)


def _on_disk(folder: Path) -> int:
    """Return the bytes of all topics of the product; a segment may be cleaned away while it is looked at."""
    names = {topic.name for topic in CATALOGUE}
    found = 0
    for path in log_dir(folder / "kafka").glob("*/*.log"):
        if path.parent.name.rpartition("-")[0] in names:
            found += path.stat().st_size

    return found


if __name__ == "__main__":
    main()
