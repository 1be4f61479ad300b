"""Options that choose the regulations, the same in every command."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated

import typer

from elowire.domain import EDITIONS, Edition, TimeControl, edition_by_id, edition_on
from elowire.runtime import clock


def _edition(text: str) -> str:
    try:
        return edition_by_id(text).id
    except ValueError as problem:
        raise typer.BadParameter(str(problem)) from None


def _day(text: str) -> date:
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise typer.BadParameter(f"{text!r} is not a day; give year, month and day, such as 2025-10-31")


def month(text: str) -> str:
    """Read a list or period from the command line: "2025-11"."""
    if re.fullmatch(r"(?:19|20|21)[0-9]{2}-(?:0[1-9]|1[0-2])", text):
        return text
    raise typer.BadParameter(f"{text!r} is not a list; give year and month, such as 2025-11")


EditionOption = Annotated[
    str | None,
    typer.Option(
        "--edition",
        parser=_edition,
        metavar="ID",
        help=f"Regulations: {', '.join(edition.id for edition in EDITIONS)}. Default: by date.",
    ),
]
TimeControlOption = Annotated[TimeControl, typer.Option("--time-control", help="Which rating is computed.")]
StatedTimeControlOption = Annotated[
    TimeControl | None, typer.Option("--time-control", help="States the time control; wins over the file.")
]
StartsOnOption = Annotated[
    date | None,
    typer.Option(
        "--starts-on", parser=_day, metavar="DATE", help="First day, YYYY-MM-DD; wins over the file."
    ),
]
EndsOnOption = Annotated[
    date | None,
    typer.Option("--ends-on", parser=_day, metavar="DATE", help="Last day, YYYY-MM-DD; wins over the file."),
]
RatedInOption = Annotated[
    str | None,
    typer.Option("--rated-in", parser=month, metavar="YYYY-MM", help="The list that rates the event."),
]


def edition_or_today(edition: str | None) -> Edition:
    """Return the edition with this id, else the one in force today."""
    return edition_on(clock.now().date()) if edition is None else edition_by_id(edition)
