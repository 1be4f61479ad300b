"""`elowire feed`: results from files into the input topics."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from elowire.cli.errors import Failure, Refusals
from elowire.cli.feed_sending import LISTED_REFUSALS, Outcome, Sending
from elowire.cli.output import Format, FormatOption, chosen, console, print_json
from elowire.cli.regulations import EditionOption, EndsOnOption, StartsOnOption, StatedTimeControlOption
from elowire.contracts.envelope import EventRecord
from elowire.contracts.events import INPUTS
from elowire.contracts.fields import ID
from elowire.domain import System, TimeControl
from elowire.ingest.book import FILE, BookError
from elowire.ingest.facts import with_book_facts
from elowire.ingest.feed import NotFeedable, feed_of
from elowire.ingest.readers.files import read_feedable
from elowire.ingest.readers.report import EventReport, Notice, UnreadableFile
from elowire.ingest.service_intake import Intake
from elowire.ingest.service_store import FILE as STORE
from elowire.ingest.service_store import Store, StoreError
from elowire.runtime import clock
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, read_all
from elowire.runtime.settings import Settings, load_settings

GREATEST_REVISION = 2**53
"""Greater than any time in milliseconds, and small enough for the tournament's own numbering."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(feed)


@dataclass(frozen=True, slots=True)
class Stated:
    """What the person at the keyboard states about the event; it counts for more than the file."""

    tournament_id: str | None
    edition: str | None
    time_control: TimeControl | None
    starts_on: date | None
    ends_on: date | None
    system: System | None
    revision: int | None
    finish: bool

    def given(self) -> list[str]:
        """Name the flags that describe an event, as far as they were used."""
        flags = {
            "--tournament": self.tournament_id,
            "--edition": self.edition,
            "--time-control": self.time_control,
            "--starts-on": self.starts_on,
            "--ends-on": self.ends_on,
            "--system": self.system,
            "--revision": self.revision,
            "--finish": self.finish or None,
        }
        return [flag for flag, value in flags.items() if value is not None]


def _tournament_id(text: str) -> str:
    if re.fullmatch(ID, text):
        return text
    raise typer.BadParameter(f"{text!r} is no id; give 1 to 128 ASCII characters without spaces and slashes")


def feed(  # noqa: PLR0913 - one option for each fact that a person can state
    files: Annotated[
        list[Path], typer.Argument(help="TRF, results CSV, PGN, event JSON, or CloudEvents (.json, .jsonl).")
    ],
    *,
    bootstrap: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Kafka. [env: ELOWIRE_BOOTSTRAP; default: 127.0.0.1:29092]",
        ),
    ] = None,
    tournament: Annotated[
        str | None,
        typer.Option(
            parser=_tournament_id, metavar="ID", help="Tournament id; default: from the file's name."
        ),
    ] = None,
    edition: EditionOption = None,
    time_control: StatedTimeControlOption = None,
    starts_on: StartsOnOption = None,
    ends_on: EndsOnOption = None,
    system: Annotated[
        System | None, typer.Option(help="How the event is paired; wins over the file.")
    ] = None,
    revision: Annotated[
        int | None,
        typer.Option(
            min=0, max=GREATEST_REVISION, help="Raise it to replace what was fed before. Default: 0."
        ),
    ] = None,
    finish: Annotated[
        bool, typer.Option("--finish", help="Send the tournament as finished at the end.")
    ] = False,
    speed: Annotated[
        float | None,
        typer.Option(min=0.01, max=1_000_000, metavar="N", help="Games per second; default: all."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="Directory with the rating book and the corrections. [env: ELOWIRE_DATA_DIR]",
        ),
    ] = None,
    form: FormatOption = None,
) -> None:
    """Send results from files into Kafka; returns when Kafka has acknowledged all of them.

    The same file fed twice changes nothing. A corrected file is fed with a greater --revision.
    What an operator has corrected stays so, until he releases it.

    Example: elowire feed us-championship-2025.json --finish
    """
    stated = Stated(tournament, edition, time_control, starts_on, ends_on, system, revision, finish)
    settings = load_settings(bootstrap=bootstrap, data_dir=data)
    try:
        outcomes = asyncio.run(_feed_all(files, stated, settings, speed))
    except StoreError as problem:
        raise Failure(str(problem)) from None
    _print_summary(outcomes, form)
    if any(outcome.refused for outcome in outcomes):
        raise Refusals


async def _feed_all(
    files: list[Path], stated: Stated, settings: Settings, speed: float | None
) -> list[Outcome]:
    # Fails here, before anything is sent, when a topic is missing.
    async for _ in read_all(settings, sorted({entry.topic.name for entry in INPUTS}), from_beginning=False):
        pass
    outcomes = []
    with _progress() as progress:
        async with _intake(settings) as intake:
            for file in files:
                outcome = Outcome(str(file))
                outcomes.append(outcome)
                sending = Sending(intake, outcome, progress, speed)
                try:
                    await _feed_file(file, stated, sending)
                except (UnreadableFile, NotFeedable, BookError) as problem:
                    outcome.refuse(problem.notice if isinstance(problem, UnreadableFile) else _plain(problem))
    return outcomes


@dataclass(frozen=True, slots=True)
class _Confirmed:
    producer: ConfirmedProducer

    async def send(self, records: Sequence[EventRecord]) -> None:
        await self.producer.send_all(OutRecord(*record) for record in records)


@asynccontextmanager
async def _intake(settings: Settings) -> AsyncIterator[Intake]:
    """Give the way that all results go; where ingest never ran there is nothing to keep them beside."""
    with TemporaryDirectory(prefix="elowire-feed-") as folder:
        kept = settings.data_dir / STORE
        store = Store(kept if kept.exists() else Path(folder) / STORE)
        try:
            async with ConfirmedProducer(settings) as producer:
                yield Intake(store, _Confirmed(producer), settings.data_dir / FILE, clock.now)
        finally:
            store.close()


async def _feed_file(file: Path, stated: Stated, sending: Sending) -> None:
    read = read_feedable(file)
    if not isinstance(read, EventReport):
        if given := stated.given():
            raise NotFeedable(f"events carry their own facts; {', '.join(given)} has no meaning for them")
        await sending.events(read)
        return
    report = read.stated(
        tournament_id=stated.tournament_id,
        time_control=stated.time_control,
        system=stated.system,
        starts_on=stated.starts_on,
        ends_on=stated.ends_on,
        edition=stated.edition,
        revision=stated.revision,
    )
    report = with_book_facts(report, sending.intake.book)
    feed_ = feed_of(report, time=clock.now(), finish=stated.finish)
    outcome = sending.outcome
    outcome.adjusted, outcome.without_result = feed_.imported.adjusted, feed_.without_result
    await sending.records(feed_.opening, paced_by=None)
    await sending.records(feed_.games, paced_by=sending.speed)
    await sending.records(feed_.closing, paced_by=None)
    outcome.refused += feed_.imported.refused
    outcome.refusals.extend(feed_.imported.refusals()[:LISTED_REFUSALS])


def _plain(problem: Exception) -> Notice:
    return Notice("refused", str(problem))


def _progress() -> Progress:
    screen = console(errors=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )


def _print_summary(outcomes: list[Outcome], form: Format | None) -> None:
    if chosen(form) is Format.JSON:
        print_json([outcome.row() for outcome in outcomes])
    screen = console(errors=True)
    for outcome in outcomes:
        if chosen(form) is Format.TABLE:
            console().print(_sentence(outcome), markup=False, soft_wrap=True)
        for notice in outcome.refusals:
            screen.print(f"{outcome.file}: refused: {notice}", markup=False, soft_wrap=True)
        if more := outcome.refused - len(outcome.refusals):
            screen.print(f"{outcome.file}: refused: {more} more", markup=False)


def _sentence(outcome: Outcome) -> str:
    counted = (
        f"{count} {kind if count > 1 else kind.removesuffix('s')}" for kind, count in outcome.sent.items()
    )
    sent = ", ".join(counted) or "nothing"
    parts = [f"{outcome.file}: sent {sent}"]
    if outcome.without_result:
        parts.append(f"{outcome.without_result} games without a result were not sent")
    if outcome.held:
        parts.append(f"{outcome.held} held back, because an operator has corrected them")
    if outcome.adjusted:
        parts.append(f"{outcome.adjusted} adjusted")
    if outcome.refused:
        parts.append(f"{outcome.refused} refused")
    return "; ".join(parts)
