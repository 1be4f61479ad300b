"""`elowire watch`: live ratings that move in the terminal, or one line for each change in a pipe."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from elowire.cli.errors import Failure
from elowire.cli.live import Federation, Players
from elowire.cli.output import console
from elowire.cli.plain import moment, plain
from elowire.cli.standings import standings_table
from elowire.cli.ticker_client import PASSING, TickerClient, TickerOption, detail_of, ticker_address
from elowire.cli.watched import Watched, pause_s
from elowire.domain import TimeControl
from elowire.runtime import clock
from elowire.runtime.web_client import StreamRefusedError, WebUnreachableError

REFRESH_S = 0.25
# So many more than are shown, so that one who drops out of sight has a successor.
_SPARE = 50
_AROUND_THE_TABLE = 6


@dataclass(frozen=True, slots=True)
class Choice:
    """What to watch."""

    players: Sequence[str]
    time_control: TimeControl
    federation: str | None
    limit: int


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(watch)


def watch(
    players: Players = None,
    *,
    time_control: Annotated[TimeControl, typer.Option(help="Which rating.")] = TimeControl.STANDARD,
    federation: Federation = None,
    limit: Annotated[int, typer.Option(min=1, max=900, help="Players at most.")] = 20,
    ticker: TickerOption = None,
) -> None:
    """Watch live ratings change until Ctrl-C.

    Example: elowire watch --time-control blitz --federation NOR
    """
    choice = Choice(players or (), time_control, federation, limit)
    # Ctrl-C is how one stops watching, and no failure.
    with suppress(KeyboardInterrupt):
        asyncio.run(_watch(ticker_address(ticker), choice))


async def _watch(address: str, choice: Choice) -> None:
    watched = Watched(choice.time_control)
    async with TickerClient(address) as client:
        if sys.stdout.isatty():
            await _on_screen(client, choice, watched)
        else:
            await _follow(client, choice, watched, _print_line, _print_note)


async def _on_screen(client: TickerClient, choice: Choice, watched: Watched) -> None:
    screen = console()
    cause = ""

    def note(sentence: str) -> None:
        nonlocal cause
        cause = sentence

    with Live(console=screen, auto_refresh=False) as shown:
        following = asyncio.create_task(_follow(client, choice, watched, lambda _: None, note))
        try:
            while not following.done():
                shown.update(_screen(screen, choice, watched, cause), refresh=True)
                await asyncio.wait([following], timeout=REFRESH_S)
            following.result()
        finally:
            following.cancel()


async def _follow(
    client: TickerClient,
    choice: Choice,
    watched: Watched,
    tell: Callable[[str], None],
    note: Callable[[str], None],
) -> None:
    """Keep `watched` up to date for ever; breaks are waited out, a refused question ends it."""
    cursor: str | None = None
    attempt = 0
    while True:
        try:
            events = client.changes(
                players=choice.players,
                time_control=choice.time_control,
                federation=choice.federation,
                limit=choice.limit + _SPARE,
                last_event_id=cursor,
            )
            async with aclosing(events):
                async for event in events:
                    attempt, cursor = 0, event.id or cursor
                    for change in watched.take(event, clock.now_ms()):
                        tell(change)
            cause = f"the ticker at {client.address} ended the stream"
        except WebUnreachableError as fault:
            cause = f"the ticker at {fault}"
        except StreamRefusedError as refused:
            cause = f"the ticker at {client.address} refused: {_why(refused)}"
            if refused.answer.status not in PASSING:
                await client.require_ticker()
                raise Failure(cause) from refused
        wait_s = pause_s(attempt, jitter=secrets.randbelow(1000) / 1000)
        attempt += 1
        watched.lose(clock.now_ms() + int(wait_s * 1000))
        note(cause)
        await asyncio.sleep(wait_s)


def _why(refused: StreamRefusedError) -> str:
    return detail_of(refused.answer.body) or f"status {refused.answer.status}"


def _screen(screen: Console, choice: Choice, watched: Watched, cause: str) -> Group:
    now_ms = clock.now_ms()
    text, colour = watched.freshness.text(now_ms)
    lines = watched.lines(max(1, min(choice.limit, screen.height - _AROUND_THE_TABLE)))
    heading = f"{choice.time_control.value.capitalize()} live ratings"
    parts: list[RenderableType] = [Text.assemble((heading, "bold"), "  ", (text, colour))]
    if not watched.freshness.connected and cause:
        parts.append(Text(plain(cause), "dim"))
    if lines:
        parts.append(standings_table(lines, lit=watched.lit(now_ms)))
    elif watched.freshness.connected:
        parts.append(Text("No player to show yet: nobody of this choice has a rating."))
    return Group(*parts)


def _print_line(change: str) -> None:
    sys.stdout.write(f"{moment(clock.now_ms())} {change}\n")
    sys.stdout.flush()


def _print_note(sentence: str) -> None:
    sys.stderr.write(f"elowire: {plain(sentence)}; trying again\n")
    sys.stderr.flush()
