"""The work of `elowire lists load` and `lists check`: file to book to topic, with progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

from elowire.cli.errors import Failure
from elowire.cli.output import console
from elowire.contracts.topics import GAME_RESULTS, TOURNAMENT_EVENTS
from elowire.domain import TimeControl
from elowire.ingest.book import Book
from elowire.ingest.book_load import Arrival, Loaded, load
from elowire.ingest.lists.files import FIRST_RAPID, ListFile, inspect, read_list
from elowire.ingest.plausibility import Comparison, doubts_of
from elowire.ingest.publication import Scope, followed_in, mark_published, publication
from elowire.ingest.readers.report import Findings
from elowire.runtime import clock
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, TopicMissingError, read_all
from elowire.runtime.security import Cluster

LISTED_REFUSALS = 20
SENT_TOGETHER = 5_000


@dataclass(frozen=True, slots=True)
class Request:
    """A file and what the person at the keyboard says of it."""

    file: Path
    rating_list: str | None
    time_control: TimeControl | None


def load_list(path: Path, request: Request, *, accept_doubts: bool) -> dict[str, Any]:
    """Load a list into the book at `path`; gives what was done.

    Raises `UnreadableFile`, `BookError`, `ImplausibleList`, and `Failure` where a fact must be stated.
    """
    return _run(path, request, keep=True, accept_doubts=accept_doubts)


def check_list(path: Path, request: Request) -> dict[str, Any]:
    """Do all of a load but the switch; gives what would be done."""
    return _run(path, request, keep=False, accept_doubts=True)


def _run(path: Path, request: Request, *, keep: bool, accept_doubts: bool) -> dict[str, Any]:
    file = inspect(request.file)
    rating_list = _month(file, request.rating_list)
    time_control = _time_control(file, rating_list, request.time_control)
    findings = Findings()
    # A header that contradicts was refused already; the name of a file is only a hint.
    named = None if file.named_in_header else file.named_in_file

    def judge(comparison: Comparison | None, lines: int) -> list[str]:
        return doubts_of(
            comparison, lines=lines, refused=findings.refused, rating_list=rating_list, named=named
        )

    arrival = Arrival(rating_list, file.classes(time_control), clock.now_ms(), request.file.name)
    with _progress() as progress:
        task = progress.add_task(f"reading {request.file.name}", total=file.size)

        def moved(done: int, total: int) -> None:
            if done >= total:
                progress.update(task, description=f"sorting list {rating_list} into the book", total=None)
            else:
                progress.update(task, completed=done)

        lines = read_list(
            file, rating_list=rating_list, time_control=time_control, findings=findings, progress=moved
        )
        loaded = load(path, arrival, lines, judge, keep=keep, accept_doubts=accept_doubts)
    return _row(loaded, arrival, findings)


async def publish(path: Path, rating_list: str, *, scope: Scope, cluster: Cluster) -> int:
    """Send what a list has still to send; gives the number of lines, all of them acknowledged."""
    sent = 0
    with Book(path) as book, _progress() as progress:
        kept = book.kept(rating_list)
        if kept is None:
            raise Failure(f"list {rating_list} is not in {path}; load it first")
        followed = await _followed(cluster, progress)
        task = progress.add_task(f"publishing list {rating_list}", total=None)
        records = publication(book, kept, scope=scope, followed=followed, time=clock.now())
        async with ConfirmedProducer(cluster) as producer:
            while portion := [OutRecord(*record) for record in islice(records, SENT_TOGETHER)]:
                sent += await producer.send_all(portion)
                progress.update(task, description=f"publishing list {rating_list}: {sent:,} lines")
        if scope is Scope.CHANGED:
            mark_published(book, kept)
    return sent


async def _followed(cluster: Cluster, progress: Progress) -> set[int]:
    """Find who has an entry or a game in the topics; nobody while the topics are not there."""
    task = progress.add_task("finding the followed players", total=None)
    found: set[int] = set()
    try:
        async for records in read_all(cluster, [TOURNAMENT_EVENTS.name, GAME_RESULTS.name]):
            found |= followed_in(record.value for record in records)
    except TopicMissingError:
        # Said again, and better, when the first line cannot be sent.
        found = set()
    progress.remove_task(task)
    return found


def _month(file: ListFile, stated: str | None) -> str:
    header = file.named_in_header
    if stated and header and stated != header:
        raise Failure(
            f"{file.path}: the header names the list {header}, --list says {stated}; correct one of them"
        )
    rating_list = stated or file.rating_list
    if rating_list is None:
        raise Failure(f"{file.path}: the file does not say which list it is; state it with --list YYYY-MM")
    return rating_list


def _time_control(file: ListFile, rating_list: str, stated: TimeControl | None) -> TimeControl | None:
    """Give the time control of a list of one rating; None for a combined list."""
    if file.combined:
        if stated is not None:
            raise Failure(f"{file.path}: the list has all ratings; leave --time-control out")
        return None
    if stated and file.time_control and stated is not file.time_control:
        raise Failure(
            f"{file.path}: the name says {file.time_control}, --time-control says {stated}; "
            "correct one of them"
        )
    known = stated or file.time_control or (TimeControl.STANDARD if rating_list < FIRST_RAPID else None)
    if known is None:
        raise Failure(
            f"{file.path}: the file has one rating and does not say which; state it with --time-control"
        )
    return known


def _row(loaded: Loaded, arrival: Arrival, findings: Findings) -> dict[str, Any]:
    comparison = loaded.comparison
    refusals = findings.imported().refusals()[:LISTED_REFUSALS]
    return {
        "list": loaded.rating_list,
        "time_controls": [tc.value for tc in arrival.classes],
        "lines": loaded.lines,
        "changed": loaded.changed,
        "withdrawn": loaded.withdrawn,
        "repeated": loaded.repeated,
        "refused": findings.refused,
        "refusals": [f"{arrival.source}: {notice}" for notice in refusals],
        "compared_with": comparison.reference if comparison else None,
        "moved": comparison.changed if comparison else None,
        "doubts": list(loaded.doubts),
    }


@contextmanager
def _progress() -> Iterator[Progress]:
    screen = console(errors=True)
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    ) as progress:
        yield progress
