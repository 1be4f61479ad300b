"""`elowire performance`: what a score against rated opponents was worth."""

from __future__ import annotations

from typing import Annotated

import typer

from elowire.cli.numbers import points_of, ratings_of
from elowire.cli.output import Format, FormatOption, chosen, print_json, print_rows
from elowire.domain import on_course, performance_of

_COLUMNS = {
    "fide": "FIDE",
    "linear": "Linear",
    "true": "True",
    "opponents_average": "Opponents' average",
}
_NORMS = {"on_course": "On course for"}


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(performance)


def performance(
    *,
    opponents: Annotated[str, typer.Option(metavar="R,R,...", help="Published ratings of the opponents.")],
    points: Annotated[str, typer.Option(help="Points scored against them, such as 4 or 2.5.")],
    norms: Annotated[
        bool, typer.Option("--norms", help="Also name the title norms whose thresholds are reached.")
    ] = False,
    form: FormatOption = None,
) -> None:
    """Give the rating performance by four methods; a full or zero score has no true one (inf, -inf).

    With --norms, "on course for" names the title norms whose two thresholds (performance, average of the
    opponents) are reached. It is no verdict: a norm also asks for games, titles and federations.

    Example: elowire performance --opponents 1851,2457,1989,2379,2407 --points 4
    """
    met = ratings_of(opponents, "--opponents")
    figures = performance_of(met, points_of(points, len(met)))
    row = {} if figures is None else figures._asdict()
    titles = () if figures is None or not norms else on_course(figures)
    if chosen(form) is Format.JSON:
        print_json(row | ({"on_course": list(titles)} if norms else {}))
    else:
        columns = _COLUMNS | (_NORMS if norms else {})
        print_rows([row | {"on_course": ", ".join(titles) or "none"}], columns, form)
