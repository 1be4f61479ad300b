"""Memory, open files and lag of a soak over time, and what they say at its end."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, NamedTuple

import psutil

if TYPE_CHECKING:
    from collections.abc import Sequence

WARM_S = 600  # caches, the heap's first growth, the first tournaments
# Both sides' rows in two players' ledgers, the tournament's result and lines, and the list rows beside them.
STATE_BYTES_PER_RECORD = 4096
FILES_MORE = 16


class Sample(NamedTuple):
    """What one process was like at a moment, and how many records had been fed by then."""

    at: float
    pid: int
    rss: int
    files: int
    fed: int


def sample(pid: int, fed: int) -> Sample | None:
    """Look at a process; None if it is gone."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            return Sample(time.monotonic(), pid, process.memory_info().rss, process.num_fds(), fed)
    except psutil.NoSuchProcess:
        return None


def longest_life(samples: Sequence[Sample]) -> list[Sample]:
    """The samples of the process that was seen longest."""
    lives: dict[int, list[Sample]] = {}
    for seen in samples:
        lives.setdefault(seen.pid, []).append(seen)

    return max(lives.values(), key=lambda life: life[-1].at - life[0].at)


def growth(life: Sequence[Sample]) -> tuple[str, list[str]]:
    """Say how a process grew once it was warm, and what of that is wrong."""
    warm = [seen for seen in life if seen.at - life[0].at >= min(WARM_S, (life[-1].at - life[0].at) / 4)]
    if len(warm) < 3:
        return "too short to tell of memory", []
    hours = (warm[-1].at - warm[0].at) / 3600
    slope, _ = statistics.linear_regression([seen.at for seen in warm], [seen.rss for seen in warm])
    records = warm[-1].fed - warm[0].fed
    per_record = slope * 3600 * hours / max(records, 1)
    quarter = max(1, len(warm) // 4)
    files = [max(seen.files for seen in part) for part in (warm[:quarter], warm[-quarter:])]
    told = (
        f"witness: {hours:.2f} h warm, {warm[0].rss >> 20} to {warm[-1].rss >> 20} MiB, "
        f"{slope * 3600 / 2**20:+.1f} MiB an hour, {per_record:.0f} bytes for each of {records} records; "
        f"open files {files[0]} to {files[1]}"
    )
    wrong = []
    if per_record > STATE_BYTES_PER_RECORD:
        wrong.append(
            f"memory grows by {per_record:.0f} bytes a record, {STATE_BYTES_PER_RECORD} are its state"
        )
    if files[1] > files[0] + FILES_MORE:
        wrong.append(f"open files grew from {files[0]} to {files[1]}")

    return told, wrong
