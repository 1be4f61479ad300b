"""What a peer is told on its command line, the same for all of them."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import NamedTuple


class Job(NamedTuple):
    """Where a peer reads and writes; `group` is its consumer group, and new for each run."""

    bootstrap: str
    source: str
    outputs: str
    changelog: str
    group: str
    partitions: int
    folder: str
    work: str = "ledger"
    """Of the raw loop and of Elowire's lane: `ledger`, `player` (Elowire's player stage), `none`."""

    def arguments(self) -> list[str]:
        """Return the command line."""
        return [f"--{name}={value}" for name, value in self._asdict().items()]


def job_of(command_line: list[str] | None = None) -> Job:
    """Read the command line."""
    parser = ArgumentParser()
    for name in Job._fields:
        parser.add_argument(f"--{name}", type=int if name == "partitions" else str, required=True)

    return Job(**vars(parser.parse_args(command_line)))
