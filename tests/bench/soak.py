"""`make soak HOURS=2 SEED=1`: the product under one fault after another, until the time is over.

Every round feeds new topics with made-up tournaments while workers are killed around the barriers, join and
leave, or are frozen beyond their session; then the checker reads all topics. The first broken promise ends it
with its seed, which `tests/broker/faults/drive.py` repeats.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from elowire.runtime import logs
from elowire.runtime.settings import load_settings
from tests.bench import cluster
from tests.broker.faults.drive import drive

ROUNDS = (
    ("place", {"kills": 25, "chaos": 0.1, "rate": 400, "records": 24_000, "most": 600.0}),
    ("storm", {"secs": 90, "slots": 3, "least": 4, "most": 8, "rate": 250, "records": 24_000}),
    ("zombie", {"cycles": 1, "at": "lease ok", "stage": "player", "rate": 250}),
    ("zombie", {"cycles": 1, "at": "lease ok", "stage": "tournament", "rate": 250}),
)
KILLS = ("killed itself", "killed", "terminated", "frozen")


def main() -> None:
    """Run rounds; exits with 1 at the first that breaks a promise."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, default=29692, help="of the broker")
    chosen = parser.parse_args()
    logs.configure(load_settings())
    with tempfile.TemporaryDirectory(prefix="elowire-soak-") as folder:
        broken = _rounds(Path(folder), chosen.hours * 3600, chosen.seed, chosen.port)
    sys.exit(broken)


def _rounds(folder: Path, seconds: float, first_seed: int, port: int) -> bool:
    ends, total = time.monotonic() + seconds, Counter()
    with cluster.broker(folder, port, 4) as bootstrap:
        for number, (scenario, options) in enumerate(itertools.cycle(ROUNDS)):
            seed = first_seed + number
            verdict = asyncio.run(
                drive(
                    scenario,
                    f"soak-{seed}",
                    seed,
                    bootstrap=bootstrap,
                    folder=folder / f"round-{seed}",
                    kind="product",
                    **options,
                )
            )
            total += verdict.done
            total["records"] += verdict.fed
            print(f"seed {seed} {scenario}: {verdict}; {_processes()}", flush=True)
            if verdict.wrong or time.monotonic() > ends:
                break
    hurt = ", ".join(f"{total[name]} {name}" for name in KILLS)
    print(f"{number + 1} rounds, {total['records']} records; workers: {hurt}", flush=True)

    return bool(verdict.wrong)


def _processes() -> str:
    """Memory and open files of this process and the broker: what grows from round to round is a leak."""
    shown = []
    for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
        try:
            shown.append(f"{process.name()} {process.memory_info().rss >> 20} MiB {process.num_fds()} files")
        except psutil.NoSuchProcess:
            continue

    return ", ".join(shown)


if __name__ == "__main__":
    main()
