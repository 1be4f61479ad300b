"""`elowire expect`: one game between two published ratings."""

from __future__ import annotations

from typing import Annotated

import typer

from elowire.cli.output import Format, FormatOption, chosen, print_json, print_rows
from elowire.cli.regulations import EditionOption, TimeControlOption, edition_or_today
from elowire.domain import TimeControl, decimal_text, hundredths, rate_game

RatingOption = Annotated[int, typer.Option(min=1, max=4000)]
_COLUMNS = {
    "difference": "D",
    "counted_difference": "D counted",
    "expectancy": "PD",
    "delta": "ΔR",
    "change": "K·ΔR",
}
_RESULTS = {0, 50, 100}


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(expect)


def expect(
    *,
    own: Annotated[int, typer.Option(min=1, max=4000, help="Published rating of the player.")],
    opponent: Annotated[int, typer.Option(min=1, max=4000, help="Published rating of the opponent.")],
    edition: EditionOption = None,
    time_control: TimeControlOption = TimeControl.STANDARD,
    points: Annotated[str | None, typer.Option(help="Points of the player: 1, 0.5 or 0.")] = None,
    k: Annotated[int | None, typer.Option("--k", min=1, max=80, help="Development coefficient K.")] = None,
    form: FormatOption = None,
) -> None:
    """Give the expectancy of one game and, with points and K, its change.

    Example: elowire expect --own 2813 --opponent 2400 --points 1 --k 10
    """
    scored = _points(points)
    figures = rate_game(
        own=own,
        opponent=opponent,
        points=scored or 0,
        edition=edition_or_today(edition),
        time_control=time_control,
    )
    row = {
        "difference": figures.difference,
        "counted_difference": figures.counted_difference,
        "expectancy": decimal_text(figures.expectancy),
        "delta": None if scored is None else decimal_text(figures.delta),
        "change": None if scored is None or k is None else decimal_text(k * figures.delta),
    }
    if chosen(form) is Format.JSON:
        print_json(row)
    else:
        print_rows([row], _COLUMNS, form)


def _points(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        scored = hundredths({"1/2": "0.5", "½": "0.5"}.get(text, text))
    except ValueError:
        scored = -1
    if scored not in _RESULTS:
        raise typer.BadParameter(f"{text!r} is no result of a game; give 1, 0.5 or 0", param_hint="--points")
    return scored
