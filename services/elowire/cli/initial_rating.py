"""`elowire initial-rating`: the first rating of a player who had none."""

from __future__ import annotations

from typing import Annotated

import typer

from elowire.cli.numbers import average_of, points_of, ratings_of
from elowire.cli.output import Format, FormatOption, chosen, print_json, print_rows
from elowire.cli.regulations import EditionOption, edition_or_today
from elowire.domain import FirstEvent, System, initial_rating
from elowire.ingest.offline_rows import initial_row


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(name="initial-rating")(initial)


def initial(
    *,
    points: Annotated[str, typer.Option(help="Points scored against rated opponents, such as 3 or 2.5.")],
    opponents: Annotated[
        str | None, typer.Option(metavar="R,R,...", help="Published ratings of the opponents.")
    ] = None,
    average: Annotated[
        str | None,
        typer.Option(metavar="R", help="Average of the opponents instead (Rc; in a round robin Ra)."),
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Number of games; with --average.")
    ] = None,
    edition: EditionOption = None,
    system: Annotated[System, typer.Option(help="How the event was paired.")] = System.SWISS,
    form: FormatOption = None,
) -> None:
    """Give the first rating from one event, and whether a list would publish it.

    Example: elowire initial-rating --opponents 1902,1877,1884,2012,1832 --points 3 --edition 2024-03
    """
    rules = edition_or_today(edition)
    event = _event(opponents, average, games, points, system)
    row = initial_row(initial_rating([event], rules), rules.initial.average_symbol)
    if chosen(form) is Format.JSON:
        print_json(row)
    else:
        columns = {name: name.replace("_", " ") for name in row}
        print_rows([row], columns, form)


def _event(
    opponents: str | None, average: str | None, games: int | None, points: str, system: System
) -> FirstEvent:
    if opponents is not None and average is None and games is None:
        met = ratings_of(opponents, "--opponents")
        scored = points_of(points, len(met))
        # Which game brought which points is not asked: only the sums enter Ru.
        event = FirstEvent.of_games([(rating, 0) for rating in met], system=system)
        return event._replace(points=scored)
    if opponents is None and average is not None and games is not None:
        return FirstEvent.of_average(
            average_of(average), games=games, points=points_of(points, games), system=system
        )
    raise typer.BadParameter("give either --opponents, or --average and --games")
