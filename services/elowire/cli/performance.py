"""`elowire performance`: what a score against rated opponents was worth."""

from __future__ import annotations

from typing import Annotated

import typer

from elowire.cli.numbers import points_of, ratings_of
from elowire.cli.output import Format, FormatOption, chosen, print_json, print_rows
from elowire.domain import performance_of

_COLUMNS = {
    "fide": "FIDE",
    "linear": "Linear",
    "true": "True",
    "opponents_average": "Opponents' average",
}


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(performance)


def performance(
    *,
    opponents: Annotated[str, typer.Option(metavar="R,R,...", help="Published ratings of the opponents.")],
    points: Annotated[str, typer.Option(help="Points scored against them, such as 4 or 2.5.")],
    form: FormatOption = None,
) -> None:
    """Give the rating performance by four methods; a full or zero score has no true one (inf, -inf).

    Example: elowire performance --opponents 1851,2457,1989,2379,2407 --points 4
    """
    met = ratings_of(opponents, "--opponents")
    figures = performance_of(met, points_of(points, len(met)))
    row = {} if figures is None else figures._asdict()
    if chosen(form) is Format.JSON:
        print_json(row)
    else:
        print_rows([row], _COLUMNS, form)
