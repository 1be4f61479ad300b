"""How commands print: the same rows as a table for people or as JSON for programs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDEST = 200
"""Columns of a table that does not go to a terminal."""


class Format(StrEnum):
    """The two shapes of printed data."""

    TABLE = "table"
    JSON = "json"


FormatOption = Annotated[
    Format | None,
    typer.Option("--format", help="table or json; a terminal gets a table, a pipe gets JSON."),
]


def chosen(form: Format | None) -> Format:
    """Return the format asked for, else a table on a terminal and JSON elsewhere."""
    if form is not None:
        return form
    return Format.TABLE if sys.stdout.isatty() else Format.JSON


def console(*, errors: bool = False) -> Console:
    """Return a console on standard output (or standard error) that never cuts a table short in a pipe."""
    stream = sys.stderr if errors else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else WIDEST, highlight=False, soft_wrap=False)


def print_json(value: object) -> None:
    """Print a value as indented JSON."""
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n")


def print_rows(
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str],
    form: Format | None,
    *,
    title: str | None = None,
) -> None:
    """Print rows: all of their fields as JSON, or the `columns` (field -> heading) as a table.

    Numbers and decimals stand to the right; a missing value is an empty cell.
    """
    if chosen(form) is Format.JSON:
        print_json(list(rows))
        return
    console().print(table_of(rows, columns, title=title))


def table_of(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], *, title: str | None = None
) -> Table:
    """Build the table of `print_rows`, for commands that print more than one or keep it moving."""
    table = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for field, heading in columns.items():
        right = any(_numeric(row.get(field)) for row in rows)
        table.add_column(heading, justify="right" if right else "left", no_wrap=right)
    for row in rows:
        table.add_row(*(Text(_cell(row.get(field))) for field in columns))
    return table


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _numeric(value: object) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    return isinstance(value, int) or str(value).removeprefix("-").replace(".", "", 1).isdigit()
