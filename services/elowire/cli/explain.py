"""`elowire explain`: every pending hundredth of a player, with its article."""

from __future__ import annotations

import asyncio
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from elowire.cli.errors import Failure
from elowire.cli.explained import heading, json_of, sentences, sum_sentences
from elowire.cli.explained_event import average_sentences, view_of
from elowire.cli.explanation import Explanation, Figure, explanations, refusal_said
from elowire.cli.live import ChosenTimeControl
from elowire.cli.output import Format, FormatOption, chosen, console, print_json
from elowire.cli.plain import plain
from elowire.cli.regulations import EditionOption, StartsOnOption
from elowire.cli.standings import signed
from elowire.cli.ticker_client import Game, PlayerView, TickerClient, TickerOption, parsed, ticker_address
from elowire.contracts.vocabulary import Colour
from elowire.domain import TimeControl, decimal_text
from elowire.ingest.book import FILE, BookError
from elowire.ingest.conditions import NotRatable
from elowire.ingest.facts import with_book_facts
from elowire.ingest.offline import rate_event
from elowire.ingest.readers.files import read_event
from elowire.ingest.readers.report import UnreadableFile
from elowire.runtime.settings import load_settings

_HEADINGS = ("Rd", "Opponent", "Rating", "Result", "D", "Row", "Expected", "ΔR", "K", "Change", "Article")
_LEFT = frozenset({"Opponent", "Article"})
_POINTS = {"0.5": "½"}
_COLOURS = {Colour.WHITE: "w ", Colour.BLACK: "b "}
_Explained: TypeAlias = tuple[PlayerView, list[Explanation], list[str]]
"""The player, the explanations, and sentences on what no single game makes."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(explain)


def explain(
    player: Annotated[str, typer.Argument(help="FIDE id, or namespace:id; with --file the id in the file.")],
    *,
    file: Annotated[
        Path | None, typer.Option("--file", help="Explain an event from its file instead, without a broker.")
    ] = None,
    edition: EditionOption = None,
    starts_on: StartsOnOption = None,
    time_control: ChosenTimeControl = None,
    spoken: Annotated[bool, typer.Option("--plain", help="Sentences to read aloud, no tables.")] = False,
    ticker: TickerOption = None,
    form: FormatOption = None,
) -> None:
    """Explain a player's pending change: every game with its figures, K, article and edition.

    --edition, --starts-on and --time-control state what a file does not say.

    Example: elowire explain 2020009 --time-control standard
    """
    if file is not None:
        explained = _of_file(file, player, edition, starts_on, time_control)
    else:
        explained = _of_ticker(ticker_address(ticker), player, time_control)
    view, found, beside = explained
    if spoken:
        for explanation in found:
            typer.echo("\n".join([*sentences(view, explanation), *beside]) + "\n")
    elif chosen(form) is Format.JSON:
        print_json(json_of(view, found) | ({"by_average": beside} if beside else {}))
    else:
        screen = console()
        for explanation in found:
            _print(screen, view, explanation)
        for sentence in beside:
            screen.print(sentence, markup=False, soft_wrap=True)
    if not found and (spoken or chosen(form) is Format.TABLE):
        typer.echo(f"Nothing is known of this rating of player {player}.")


def _of_ticker(address: str, player: str, time_control: TimeControl | None) -> _Explained:
    raw = asyncio.run(_player(address, player))
    if raw is None:
        raise Failure(
            f"no rating of player {plain(player)} has been seen by the ticker at {address}. "
            "Ids are FIDE's digits, or namespace:id"
        )
    view = parsed(PlayerView, raw)
    found = explanations(view, list(TimeControl) if time_control is None else [time_control])

    return view, found, []


def _of_file(
    file: Path,
    player: str,
    edition: str | None,
    starts_on: date | None,
    time_control: TimeControl | None,
) -> _Explained:
    try:
        read = read_event(file)
        stated = read.stated(time_control=time_control, starts_on=starts_on, edition=edition)
        rating = rate_event(with_book_facts(stated, load_settings().data_dir / FILE))
    except (UnreadableFile, NotRatable, BookError) as problem:
        raise Failure(f"{file}: {problem}") from None
    lines = {one.entrant.entrant_id: one for one in rating.players}
    line = lines.get(player)
    if line is None:
        ids = ", ".join(list(lines)[:3])
        raise Failure(f"{file}: no player {plain(player)}; expected an id of the file such as {plain(ids)}")
    rules = rating.conditions
    view = view_of(rating, line)
    found = explanations(view, [rules.time_control], rules.edition)
    beside = average_sentences(line, rules.edition)
    if beside:
        # The sentences are the games' part of the explanation.
        found = [one._replace(elsewhere=0) for one in found]

    return view, found, beside


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
            figure.row.replace(" to ", "-").replace(" and more", "+"),
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
        Text(_result(game)),
    )


def _result(game: Game) -> str:
    """Return colour and points as crosstables write them: `w 1`, `b ½`."""
    colour = "" if game.colour is None else _COLOURS[game.colour]

    return colour + _POINTS.get(game.points or "", game.points or "")
