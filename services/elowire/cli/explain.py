"""`elowire explain`: every pending hundredth of a player, with its article."""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from elowire.cli.errors import Failure
from elowire.cli.explained import heading, json_of, sentences, sum_sentences
from elowire.cli.explanation import Explanation, Figure, explanations, refusal_said
from elowire.cli.live import ChosenTimeControl
from elowire.cli.output import Format, FormatOption, chosen, console, print_json
from elowire.cli.plain import plain
from elowire.cli.standings import signed
from elowire.cli.ticker_client import Game, PlayerView, TickerClient, TickerOption, parsed, ticker_address
from elowire.domain import TimeControl, decimal_text

_HEADINGS = ("Rd", "Opponent", "Rating", "Result", "D", "Expected", "ΔR", "K", "Change", "Article")
_LEFT = frozenset({"Opponent", "Article"})
_POINTS = {"0.5": "½"}


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(explain)


def explain(
    player: Annotated[str, typer.Argument(help="FIDE id, or namespace:id.")],
    *,
    time_control: ChosenTimeControl = None,
    spoken: Annotated[bool, typer.Option("--plain", help="Sentences to read aloud, no tables.")] = False,
    ticker: TickerOption = None,
    form: FormatOption = None,
) -> None:
    """Explain a player's pending change: every game with its figures, K, article and edition.

    Example: elowire explain 2020009 --time-control standard
    """
    address = ticker_address(ticker)
    raw = asyncio.run(_player(address, player))
    if raw is None:
        raise Failure(
            f"no rating of player {plain(player)} has been seen by the ticker at {address}. "
            "Ids are FIDE's digits, or namespace:id"
        )
    view = parsed(PlayerView, raw)
    found = explanations(view, list(TimeControl) if time_control is None else [time_control])
    if spoken:
        for explanation in found:
            typer.echo("\n".join(sentences(view, explanation)) + "\n")
    elif chosen(form) is Format.JSON:
        print_json(json_of(view, found))
    else:
        screen = console()
        for explanation in found:
            _print(screen, view, explanation)
    if not found and (spoken or chosen(form) is Format.TABLE):
        typer.echo(f"Nothing is known of this rating of player {player}.")


async def _player(address: str, player: str) -> dict[str, Any] | None:
    async with TickerClient(address) as client:
        return await client.player(player)


def _print(screen: Console, view: PlayerView, explanation: Explanation) -> None:
    screen.print(Text(heading(view, explanation), "bold"))
    for period in explanation.periods:
        for tournament, figures in groupby(period.figures, key=lambda figure: figure.game.tournament_id):
            screen.print(_games_table(tuple(figures), tournament or "?", period.period))
            screen.print()
    for title, games in (
        ("Games for a first rating", explanation.first_games),
        ("Games that the published rating holds already", explanation.listed),
    ):
        if games:
            screen.print(_short_table(title, games))
            screen.print()
    for sentence in sum_sentences(explanation):
        screen.print(sentence, markup=False, soft_wrap=True)
    if explanation.refused:
        screen.print(_refused_table(explanation))
    screen.print()


def _games_table(figures: tuple[Figure, ...], tournament: str, period: str) -> Group:
    own = ", ".join(dict.fromkeys(str(figure.game.own_rating) for figure in figures))
    title = f"{plain(tournament)}, for the list of {period}, own rating {own}"
    table = _table()
    for name in _HEADINGS:
        left = name in _LEFT
        table.add_column(name, justify="left" if left else "right", no_wrap=not left)
    for figure in figures:
        game = figure.game
        cut = game.counted_difference != game.difference
        edition = "" if figure.edition is None else f" ({figure.edition.id})"
        table.add_row(
            *_played(game),
            f"{game.difference}→{game.counted_difference}" if cut else str(game.difference),
            game.expectancy,
            signed(game.delta),
            str(figure.k),
            signed(decimal_text(figure.change)),
            Text(f"{plain(game.article or '')}{edition}"),
        )
    return Group(Text(title), table)


def _short_table(title: str, games: tuple[Game, ...]) -> Group:
    table = _table()
    for name in _HEADINGS[:4]:
        table.add_column(name, justify="left" if name in _LEFT else "right")
    for game in games:
        table.add_row(*_played(game))
    return Group(Text(title), table)


def _refused_table(explanation: Explanation) -> Group:
    table = _table()
    table.add_column("Rd", justify="right")
    for name in ("Opponent", "Reason", "Article"):
        table.add_column(name)
    for game in explanation.refused:
        number, opponent, *_ = _played(game)
        reason = "" if game.refusal is None else refusal_said(game.refusal)
        table.add_row(number, opponent, Text(reason), Text(plain(game.article or "")))
    return Group(Text("Games that do not count"), table)


def _table() -> Table:
    return Table(header_style="bold", box=None, pad_edge=False)


def _played(game: Game) -> tuple[Text, Text, Text, Text]:
    return (
        Text(str(game.round or "")),
        Text(plain(game.opponent_name or game.opponent_id or "?")),
        Text(str(game.opponent_rating or "")),
        Text(_POINTS.get(game.points or "", game.points or "")),
    )
