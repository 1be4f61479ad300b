"""Elowire's lane on Faust's consumer with every guarantee on, as the product runs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from elowire.processor import state as states
from elowire.processor.app import run_processor
from elowire.processor.player import PlayerStage
from elowire.processor.stage import Effects, Emit
from elowire.runtime.logs import configure
from elowire.runtime.settings import load_settings
from tests.bench.peers import ledger
from tests.bench.peers.job import Job, job_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elowire.processor.stage import Record, Stage


class LedgerStage:
    """The work of all peers as one stage."""

    name = "ledger"

    def __init__(self, job: Job) -> None:
        self.sources: tuple[str, ...] = (job.source,)
        self.changelog: str | None = job.changelog
        self._outputs = job.outputs

    def apply(
        self, records: Sequence[Record], table: dict[bytes, bytes], index: None, partition: int
    ) -> Effects:
        """Decide over a batch."""
        del index
        pairs = ((record.key or b"", record.value or b"") for record in records)
        outputs, written = ledger.apply(pairs, table)

        return Effects(written, [Emit(self._outputs, partition, key, value) for key, value in outputs])

    def version(self, state: bytes) -> tuple[int, int]:
        """Return the counter of a state."""
        return states.order(state)

    def new_index(self) -> Any:  # the port's own word
        """Return nothing: a ledger stands on its own."""

    def note(self, index: None, key: bytes, state: bytes) -> None:
        """Do nothing: there is no index."""


def stage_of(job: Job) -> Stage:
    """Return the one stage of the run."""
    if job.work == "ledger":
        return LedgerStage(job)
    stage = PlayerStage(partitions=job.partitions, prefix=f"{job.group}-")
    stage.sources = (job.source,)  # of all runs, with topics of its own for what this one writes

    return stage


def main() -> None:
    """Work until the process is ended."""
    job = job_of()
    settings = load_settings(
        bootstrap=job.bootstrap,
        group=job.group,
        partitions=job.partitions,
        data_dir=Path(job.folder),
        log_format="json",
    )
    configure(settings)
    run_processor(settings, [stage_of(job)])


if __name__ == "__main__":
    main()
