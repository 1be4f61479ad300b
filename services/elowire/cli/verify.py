"""`elowire verify`: the inputs once more, and every figure beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from elowire.cli.errors import Failure, Refusals
from elowire.cli.output import Format, FormatOption, chosen, console, print_json, table_of
from elowire.runtime.settings import load_settings

if TYPE_CHECKING:
    from elowire.processor.verification import Report

_SHOWN = 20
_COLUMNS = {name: name for name in ("topic", "player_id", "name", "expected", "found", "cause")}


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(verify)


def verify(
    *,
    bootstrap: Annotated[
        str | None, typer.Option(help="Kafka's address, HOST:PORT. [env: ELOWIRE_BOOTSTRAP]")
    ] = None,
    form: FormatOption = None,
) -> None:
    """Replay the inputs and compare every figure, version and side with the topics; exit 1 if one differs.

    Reads only, and may run beside processors at work: players whom they have not finished with are left out.

    Example: elowire verify --bootstrap broker1:9092
    """
    from elowire.processor import replay_cut, verification  # noqa: PLC0415 - the stages load slowly, others need them not

    settings = load_settings(bootstrap=bootstrap)
    with _progress() as progress:
        task = progress.add_task("replaying", total=None)
        try:
            report = asyncio.run(
                verification.verify(
                    settings,
                    begin=lambda records: progress.update(task, total=records),
                    seen=lambda records: progress.advance(task, records),
                )
            )
        except (replay_cut.InputsCutError, TimeoutError) as fault:
            raise Failure(str(fault)) from fault
    _print(report, form)
    if report.differences:
        raise Refusals
    if report.left_out and not report.facts:
        raise Failure(
            f"nothing could be compared: the processors of group {settings.group} are {report.lag} records "
            "behind. Wait until they have caught up (elowire_processor_lag_records), then try again"
        )


def _print(report: Report, form: Format | None) -> None:
    rows = [difference._asdict() for difference in report.differences]
    if chosen(form) is Format.JSON:
        print_json(_summary(report) | {"differences": rows})
        return
    screen = console()
    if rows:
        screen.print(table_of(rows[:_SHOWN], _COLUMNS))
        if (more := len(rows) + report.more - _SHOWN) > 0:
            screen.print(f"and {more:,} more differences", markup=False)
    for line in _lines(report):
        screen.print(line, markup=False, soft_wrap=True)


def _summary(report: Report) -> dict[str, Any]:
    return {
        "equal": not report.differences,
        "players": report.ratings,
        "sides": report.sides,
        "facts": report.facts,
        "lines": report.lines,
        "reconciliations": report.reconciliations,
        "different": len(report.differences) + report.more,
        "left_out": report.left_out,
        "lag": report.lag,
        "partitions_without_versions": report.without_versions,
    }


def _lines(report: Report) -> Iterator[str]:
    compared = (
        f"{report.ratings:,} live ratings, {report.sides:,} sides, {report.reconciliations:,} "
        f"reconciliations and {report.facts:,} facts of players, {report.lines:,} lines of tournaments"
    )
    if report.differences:
        yield f"different: {len(report.differences) + report.more:,} of {compared}"
    else:
        yield f"equal: {compared}"
    if report.lag or report.left_out:
        yield (
            f"left out: {report.left_out:,} players whom the processors had not finished with "
            f"(lag {report.lag:,} records)"
        )
    if report.without_versions:
        yield (
            "figures only, no versions: the topic player-events has lost its beginning in "
            f"{len(report.without_versions)} partitions"
        )


@contextmanager
def _progress() -> Iterator[Progress]:
    screen = console(errors=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    ) as progress:
        yield progress
