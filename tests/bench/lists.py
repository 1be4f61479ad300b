"""How long a whole rating list takes to load, and in how much memory: `python -m tests.bench.lists`.

Each format is written to disk first and loaded by `elowire lists load` into an empty book, then a combined
list of the next month beside it, and that one again with corrections.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import NamedTuple

from elowire.runtime.settings import child_environment
from tests.services.lists.made_up import FORMATS, MARKUP, players, written

LINES = 1_900_000
MONTHS = {"standard": "2026-10", "old": "2011-03"}


class Load(NamedTuple):
    """What one load took: seconds, CPU seconds (of user and system), MiB at the peak."""

    what: str
    file_mib: float
    wall_s: float
    cpu_s: float
    peak_mib: float


def load(what: str, file: Path, data: Path, *, rating_list: str, single: bool) -> Load:
    """Load a file in a process of its own and measure that process."""
    command = [sys.executable, "-m", "elowire", "lists", "load", str(file), "--list", rating_list]
    command += ["--no-publish", "--accept-doubts", "--data", str(data)]
    command += ["--time-control", "standard"] if single else []
    begun = time.monotonic()
    child = subprocess.Popen(command, env=child_environment(), stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{what}: the load failed with {child.returncode}")
    return Load(
        what,
        file.stat().st_size / 2**20,
        time.monotonic() - begun,
        used.ru_utime + used.ru_stime,
        used.ru_maxrss / 1024,
    )


def write(folder: Path, shape: str, lines: int, *, moved: float = 0.0, month: int = 0) -> Path:
    """Write a made-up list."""
    path = folder / f"{shape}-{month}.{'xml' if shape in MARKUP else 'txt'}"
    with path.open("w", newline="") as file:
        file.writelines(written(players(lines, moved=moved, month=month), shape))
    return path


def measure(folder: Path, shapes: list[str], lines: int) -> None:
    """Load each format, and print a line for each."""
    print(f"{'list':<32}{'file MiB':>9}{'wall s':>8}{'CPU s':>8}{'peak MiB':>10}")
    for shape in shapes:
        file = write(folder, shape, lines)
        single = shape in ("standard", "old", "standard-xml")
        rating_list = MONTHS.get(shape, "2026-10")
        show(load(shape, file, folder / f"book-{shape}", rating_list=rating_list, single=single))
        file.unlink()
    if "combined" not in shapes:
        return
    book = folder / "book-combined"
    later = write(folder, "combined", lines, moved=0.1, month=1)
    show(load("combined, next month", later, book, rating_list="2026-11", single=False))
    corrected = write(folder, "combined", lines, moved=0.1, month=2)
    show(load("combined, corrected", corrected, book, rating_list="2026-11", single=False))


def show(took: Load) -> None:
    """Print one line."""
    print(
        f"{took.what:<32}{took.file_mib:>9.0f}{took.wall_s:>8.1f}{took.cpu_s:>8.1f}{took.peak_mib:>10.0f}",
        flush=True,
    )


def main() -> None:
    """Measure the formats asked for."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--formats", nargs="*", choices=FORMATS, default=list(FORMATS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="elowire-lists-") as folder:
        measure(Path(folder), options.formats, options.lines)


if __name__ == "__main__":
    main()
