"""`elowire rate`: a whole event or rating period from a file, without a broker."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from elowire.cli.errors import Failure, Refusals
from elowire.cli.output import Format, FormatOption, chosen, console, print_json, table_of
from elowire.cli.regulations import EditionOption, RatedInOption, StartsOnOption, StatedTimeControlOption
from elowire.domain import System
from elowire.ingest.book import FILE, BookError
from elowire.ingest.conditions import NotRatable
from elowire.ingest.facts import with_book_facts
from elowire.ingest.offline import rate_event
from elowire.ingest.offline_rows import event_row, period_row
from elowire.ingest.readers.files import read_ratable
from elowire.ingest.readers.report import EventReport, UnreadableFile
from elowire.runtime.settings import load_settings

NORM_NOTE = (
    "performance and opponents' average reach the norm's thresholds; a norm asks for more than these (B.01)"
)
_PLAYERS = {
    "player_id": "Player",
    "name": "Name",
    "rating": "Rating",
    "k": "K",
    "games": "Games",
    "points": "Points",
    "expected": "Expected",
    "sum_change": "ΣΔR",
    "change": "K·ΣΔR",
    "live": "Live",
    "predicted": "Predicted",
    "on_course": "On course for",
    "refused": "Not rated",
}
_PERIODS = {
    "id": "Period",
    "base_rating": "Base",
    "k_list": "K",
    "k_used": "K used",
    "games": "Games",
    "total": "Change",
    "rounded_change": "Rounded",
    "new_rating": "New rating",
}


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(rate)


def rate(  # noqa: PLR0913 - each is one fact that a person may state
    file: Annotated[
        Path, typer.Argument(help="An event (.trf, .csv, .pgn, .json) or rating periods (.json).")
    ],
    *,
    edition: EditionOption = None,
    time_control: StatedTimeControlOption = None,
    starts_on: StartsOnOption = None,
    system: Annotated[
        System | None, typer.Option(help="How the event is paired; wins over the file.")
    ] = None,
    rated_in: RatedInOption = None,
    match_games: Annotated[
        int | None,
        typer.Option(min=1, max=1000, help="Games that a match was arranged for; it may be decided before."),
    ] = None,
    match_waived: Annotated[
        bool | None,
        typer.Option(
            "--match-waived", help="Rates games after a match was decided: both sides agreed to it."
        ),
    ] = None,
    form: FormatOption = None,
) -> None:
    """Rate an event or rating periods from a file, without a broker.

    Example: elowire rate us-championship-2025.json --format json
    """
    try:
        read = read_ratable(file)
        if isinstance(read, EventReport):
            stated = read.stated(
                time_control=time_control,
                system=system,
                starts_on=starts_on,
                edition=edition,
                rated_in=rated_in,
                match_games=match_games,
                match_waived=match_waived,
            )
            stated = with_book_facts(stated, load_settings().data_dir / FILE)
            _print_event(event_row(rate_event(stated)), form)
            _point_to_refusals(stated, file)
        else:
            _print_periods([period_row(case, edition) for case in read], form)
    except (UnreadableFile, NotRatable, BookError) as problem:
        raise Failure(f"{file}: {problem}") from None


def _print_event(row: dict[str, Any], form: Format | None) -> None:
    if chosen(form) is Format.JSON:
        print_json(row)
        return
    event, screen = row["event"], console()
    screen.print(
        f"{event['name']}: {event['time_control']}, {event['starts_on'] or '?'} to "
        f"{event['ends_on'] or '?'}, edition {row['edition']}, list {event['rating_period'] or '?'}",
        markup=False,
    )
    players = [
        player | {"refused": _refused(player), "on_course": ", ".join(player["on_course"])}
        for player in row["players"]
    ]
    columns = {
        field: heading
        for field, heading in _PLAYERS.items()
        if field not in {"name", "refused", "on_course"} or any(player[field] for player in players)
    }
    screen.print(table_of(players, columns))
    if "on_course" in columns:
        screen.print("on course for: " + NORM_NOTE, markup=False)
    for warning in row["warnings"]:
        screen.print(f"note: {warning}", markup=False)


def _refused(player: dict[str, Any]) -> str | None:
    """Sum up a player's refused games: `forfeit, 2 unrated-opponent`."""
    reasons: dict[str, int] = {}
    for game in player["refused_games"]:
        reasons[game["reason"]] = reasons.get(game["reason"], 0) + 1
    parts = (f"{count} {reason}" if count > 1 else reason for reason, count in reasons.items())
    return ", ".join(parts) or None


def _point_to_refusals(report: EventReport, file: Path) -> None:
    """Fail after printing when lines of the file were refused, because the figures may lack games."""
    if not report.imported.refused:
        return
    screen = console(errors=True)
    for notice in report.imported.refusals():
        screen.print(f"{file}: {notice}", markup=False, soft_wrap=True)
    raise Refusals


def _print_periods(rows: list[dict[str, Any]], form: Format | None) -> None:
    if chosen(form) is Format.JSON:
        print_json(rows)
    else:
        console().print(table_of(rows, _PERIODS))
