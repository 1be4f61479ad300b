"""`python -m tests.bench`: what this machine does, and what others do on it in the same run.

README.md says what is measured, and how.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from elowire.runtime import clock, logs
from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.settings import load_settings
from tests.bench import cluster, load, measures, rebuild, recovery, viewers
from tests.bench.peers import runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.bench.figures import Row

PORT = 29592
"""Of the broker; three more follow."""
RATES = (50, 500, 2000)


def peers(records: int, rounds: int) -> list[Row]:
    """Run the same work in other ways."""
    with _folder() as folder, EmbeddedKafka(folder / "kafka", PORT, heap_mb=512) as kafka:
        everyone = [*runs.ours_and_python(), *runs.others(folder)]
        return runs.rows(kafka.bootstrap, folder, records=records, rounds=rounds, peers=everyone)


def ours(games: int, rounds: int) -> list[Row]:
    """Measure the regulations, the player stage and the whole."""
    found = [measures.domain_alone(rounds)]
    size = load.Size(games // 500, entrants=100, rounds=10, players=20_000)
    with _folder() as folder, cluster.broker(folder, PORT) as bootstrap:
        found += measures.throughput(bootstrap, folder, size, PORT + 2, rounds)
    with _folder() as folder, EmbeddedKafka(folder / "kafka", PORT, heap_mb=512) as kafka:
        return found + runs.player_rows(kafka.bootstrap, folder, games=games // 2, rounds=rounds)


def latency(_count: int, rounds: int) -> list[Row]:
    """Measure a worker at rest and at steady rates."""
    with (
        _folder() as folder,
        cluster.broker(folder, PORT) as bootstrap,
        cluster.worker(folder, bootstrap, PORT + 2) as process,
    ):
        return measures.latencies(bootstrap, process, RATES, rounds)


def recoveries(_count: int, rounds: int) -> list[Row]:
    """Measure starts, joins and kills with many players, and what one of them takes in memory."""
    found: list[Row] = []
    for players, versions in ((200_000, 1), (200_000, 3), (1_000_000, 1)):
        with _folder() as folder:
            found += recovery.recoveries(folder, PORT, players, rounds=rounds, versions=versions)
    with _folder() as folder:
        return found + recovery.memory(folder, PORT, rounds=rounds)


PARTS: dict[str, Callable[[int, int], list[Row]]] = {
    "peers": peers,
    "ours": ours,
    "latency": latency,
    "recovery": recoveries,
    "viewers": lambda _count, _rounds: viewers.rows(),
    "rebuild": lambda _count, _rounds: rebuild.rows(),
}


def main() -> None:
    """Measure and print a table, or JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, of which the median is given")
    parser.add_argument("--records", type=int, default=60_000, help="events of the peers, and games of ours")
    chosen = parser.parse_args()
    logs.configure(load_settings())
    shown = [f"{name} {value}" for name, value in _machine().items()]
    print(", ".join(shown), file=sys.stderr if chosen.json else sys.stdout, flush=True)
    found: dict[str, list[Row]] = {}
    for part in chosen.only:
        began = time.monotonic()
        found[part] = PARTS[part](chosen.records, chosen.rounds)
        if not chosen.json:
            print(f"\n{part} ({time.monotonic() - began:.0f} s, load {os.getloadavg()[0]:.1f})")
            print("\n".join(row.line() for row in found[part]), flush=True)
    if chosen.json:
        figures = {part: [row._asdict() for row in rows] for part, rows in found.items()}
        print(json.dumps({"machine": _machine(), "figures": figures}, indent=2))


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="elowire-bench-") as name:
        yield Path(name)


def _machine() -> dict[str, str]:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"],  # noqa: S607 - wherever git is
        capture_output=True,
        text=True,
        check=False,
    )
    names = ("aiokafka", "faust-streaming", "elowire")

    return {
        "date": f"{clock.now():%Y-%m-%d %H:%M} UTC",
        "cores": str(psutil.cpu_count()),
        "memory": f"{psutil.virtual_memory().total // 2**30} GiB",
        "load before": f"{os.getloadavg()[0]:.1f}",
        "Python": platform.python_version(),
        "Kafka": "4.4.0 embedded",
        **{name: version(name) for name in names},
        "commit": commit.stdout.strip() or "none",
    }


main()
