"""`elowire live`: what the ratings are now, of the best or of chosen players."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from elowire.cli.errors import Refusals
from elowire.cli.output import Format, FormatOption, chosen, console, print_json
from elowire.cli.plain import plain
from elowire.cli.standings import Line, places, standings_table
from elowire.cli.ticker_client import (
    PlayerView,
    RankedRow,
    TickerClient,
    TickerOption,
    parsed,
    ticker_address,
)
from elowire.domain import TimeControl

Players = Annotated[
    list[str] | None, typer.Argument(metavar="PLAYER...", help="FIDE ids, or namespace:id; none is the top.")
]
ChosenTimeControl = Annotated[TimeControl | None, typer.Option("--time-control", help="Only this rating.")]
Federation = Annotated[str | None, typer.Option(help="Only players of this federation, as USA.")]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(live)


def live(
    players: Players = None,
    *,
    time_control: ChosenTimeControl = None,
    federation: Federation = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Players of each top list at most.")] = 20,
    ticker: TickerOption = None,
    form: FormatOption = None,
) -> None:
    """Print live ratings: the top lists, or the figures of players.

    Example: elowire live 2020009 1503014 --time-control standard
    """
    controls = list(TimeControl) if time_control is None else [time_control]
    address = ticker_address(ticker)
    if players:
        _print_players(asyncio.run(_players(address, players)), players, controls, form)
    else:
        _print_lists(asyncio.run(_top_lists(address, controls, limit, federation)), form)


async def _players(address: str, players: Sequence[str]) -> list[dict[str, Any] | None]:
    async with TickerClient(address) as client:
        return [await client.player(player_id) for player_id in dict.fromkeys(players)]


async def _top_lists(
    address: str, controls: Sequence[TimeControl], limit: int, federation: str | None
) -> list[dict[str, Any]]:
    async with TickerClient(address) as client:
        return [await client.live_ratings(control, limit, federation) for control in controls]


def _print_players(
    views: Sequence[dict[str, Any] | None],
    asked: Sequence[str],
    controls: Sequence[TimeControl],
    form: Format | None,
) -> None:
    found = [view for view in views if view is not None]
    if chosen(form) is Format.JSON:
        print_json(found)
    else:
        people = [parsed(PlayerView, view) for view in found]
        for control in controls:
            lines = [Line(one, figures) for one in people if (figures := one.figures(control)) is not None]
            # The place among those asked for says nothing: the place is that in the world.
            ranked = [line._replace(place=line.figures.rank) for line in places(lines)]
            if ranked:
                console().print(standings_table(ranked, title=control.value.capitalize()))
    unknown = [one for one, view in zip(dict.fromkeys(asked), views, strict=True) if view is None]
    if unknown:
        names = ", ".join(plain(one) for one in unknown)
        console(errors=True).print(
            f"elowire: no rating of {names} has been seen. Ids are FIDE's digits, or namespace:id.",
            markup=False,
        )
        raise Refusals


def _print_lists(rankings: Sequence[dict[str, Any]], form: Format | None) -> None:
    if chosen(form) is Format.JSON:
        print_json({ranking["time_control"]: ranking["players"] for ranking in rankings})
        return
    shown = 0
    for ranking in rankings:
        rows = [parsed(RankedRow, row) for row in ranking["players"]]
        if rows:
            lines = [Line(row, row, row.rank) for row in rows]
            console().print(standings_table(lines, title=ranking["time_control"].capitalize()))
            shown += 1
    if not shown:
        console().print("No player has a rating yet. Load a list or feed a tournament.")
