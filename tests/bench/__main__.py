"""`python -m tests.bench`: what this machine does, beside a plain loop in the same run."""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path

import psutil
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from elowire.runtime import logs
from elowire.runtime.settings import load_settings
from tests.bench import cluster, load, measures, rebuild, recovery, viewers

PARTITIONS = 12


def main() -> None:
    """Measure and print a table, or JSON."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--tournaments", type=int, default=200, help="of 500 games each")
    parser.add_argument(
        "--players", type=int, nargs="*", default=[200_000, 1_000_000], help="in the states to be recovered"
    )
    parser.add_argument("--port", type=int, default=29592, help="of the broker; three more follow")
    chosen = parser.parse_args()
    logs.configure(load_settings())
    size = load.Size(chosen.tournaments, entrants=100, rounds=10, players=20_000)
    with tempfile.TemporaryDirectory(prefix="elowire-bench-") as folder:
        rows = _measure(Path(folder), size, chosen.port)
    for players in chosen.players:
        with tempfile.TemporaryDirectory(prefix="elowire-bench-") as folder:
            rows += recovery.recoveries(Path(folder), chosen.port, players)
    rows += rebuild.rows() + viewers.rows()
    if chosen.json:
        print(json.dumps({"machine": _machine(), "figures": [row._asdict() for row in rows]}, indent=2))
        return
    print(", ".join(f"{name} {value}" for name, value in _machine().items()))
    for row in rows:
        print(f"{row.what:<58} {row.figure:>12,.1f} {row.unit}")


def _measure(folder: Path, size: load.Size, port: int) -> list[measures.Row]:
    with cluster.broker(folder, port, PARTITIONS) as bootstrap:
        rows = measures.throughput(bootstrap, folder, size, port + 2, PARTITIONS)
        asyncio.run(_bench_topics(bootstrap))
        rows.append(asyncio.run(measures.raw_loop(bootstrap)))
        with cluster.worker(folder, bootstrap, port + 2, PARTITIONS):
            for seed, (rate, seconds) in enumerate(((50, 10), (200, 10), (500, 10)), 100):
                rows += asyncio.run(measures.latency(bootstrap, rate, seconds, seed))

    return rows


async def _bench_topics(bootstrap: str) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    await admin.create_topics([NewTopic(name, PARTITIONS, 1) for name in ("bench-a", "bench-b")])
    await admin.close()


def _machine() -> dict[str, str]:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607 - wherever git is
        capture_output=True,
        text=True,
        check=False,
    )

    return {
        "cores": str(psutil.cpu_count()),
        "memory": f"{psutil.virtual_memory().total // 2**30} GiB",
        "Python": platform.python_version(),
        "Kafka": "4.4.0 embedded",
        "elowire": version("elowire"),
        "commit": commit.stdout.strip() or "none",
    }


main()
