"""`elowire round-robin`: a final table with unrated players, as the editions until 2021 resolve it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from elowire.cli.errors import Failure
from elowire.cli.output import Format, FormatOption, chosen, console, print_json, table_of
from elowire.cli.regulations import EditionOption, edition_or_today
from elowire.domain import (
    RoundRobinLine,
    RoundRobinReport,
    crosstable_of_totals,
    decimal_text,
    points_text,
    resolve_round_robin,
)
from elowire.ingest.readers.crosstable_csv import read_crosstable_csv
from elowire.ingest.readers.report import UnreadableFile
from elowire.ingest.readers.text import read_bytes

_COLUMNS = {
    "player": "Player",
    "rating": "Rating",
    "points": "Points",
    "p": "p",
    "dp": "dp",
    "rc": "Rc",
    "ru": "Ru",
    "rc_new": "Rc new",
    "ru_new": "Ru new",
    "expected": "We",
    "k": "K",
    "change": "Change",
}


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(name="round-robin")(round_robin)


def round_robin(
    file: Annotated[Path, typer.Argument(help="CSV with player,rating,points[,k]; u for unrated.")],
    *,
    edition: EditionOption = None,
    cycles: Annotated[int, typer.Option(min=1, max=10, help="How often all have met.")] = 1,
    form: FormatOption = None,
) -> None:
    """Resolve a round robin with unrated players, under an edition that has a method for it (until 2017-07).

    Example: elowire round-robin table.csv --edition 2009-draft
    """
    rules = edition_or_today(edition)
    try:
        players = read_crosstable_csv(read_bytes(file))
        report = resolve_round_robin(crosstable_of_totals(players, rules, cycles=cycles), rules)
    except (UnreadableFile, ValueError) as problem:
        raise Failure(f"{file}: {problem}") from None
    row = _row(report)
    if chosen(form) is Format.JSON:
        print_json(row)
        return
    screen = console()
    screen.print(f"Rar {row['rar']}, dpa {row['dpa']}, Ra {row['ra']} ({row['ra_exact']})", markup=False)
    screen.print(table_of(row["players"], _COLUMNS))


def _row(report: RoundRobinReport) -> dict[str, Any]:
    return {
        "rar": decimal_text(report.rar),
        "dpa": decimal_text(report.dpa),
        "ra": report.ra,
        "ra_exact": decimal_text(report.ra_exact),
        "players": [_line(line) for line in report.lines],
    }


def _line(line: RoundRobinLine) -> dict[str, Any]:
    return {
        "player": line.player,
        "rating": line.rating,
        "points": points_text(line.points),
        "p": None if line.p is None else decimal_text(line.p),
        "dp": line.dp,
        "rc": line.rc,
        "ru": line.ru,
        "rc_new": line.rc_new,
        "ru_new": line.ru_new,
        "expected": None if line.expected is None else decimal_text(line.expected),
        "delta": None if line.delta is None else decimal_text(line.delta),
        "k": line.k,
        "change": None if line.change is None else decimal_text(line.change),
        "disregarded": line.disregarded,
    }
