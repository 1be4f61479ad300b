"""`elowire demo`: a real event through a real Kafka, compared with what FIDE published."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.live import Live
from rich.table import Table
from rich.text import Text

from elowire.cli.demo_event import DemoEvent, Outcome, demo_event, game_of
from elowire.cli.demo_show import Show
from elowire.cli.errors import Failure
from elowire.cli.output import console
from elowire.cli.stack import running
from elowire.contracts.envelope import EventRecord
from elowire.runtime import clock, logs
from elowire.runtime.kafka import ConfirmedProducer, OutRecord
from elowire.runtime.ports import free_ports, why_taken
from elowire.runtime.settings import Settings, load_settings

PAUSE_S = 0.8
"""Between two rounds on a terminal, so that the table can be seen moving."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(demo)


def demo(
    *,
    keep: Annotated[
        bool, typer.Option("--keep", help="Go on serving the page until Ctrl-C, with the data so far.")
    ] = False,
) -> None:
    """Replay the US Championship 2025 and compare with FIDE's list of November 2025.

    Starts an embedded Kafka and the services on free ports, in a temporary folder, and leaves nothing
    running. Exit status 0 only if every rating is equal.

    Example: elowire demo
    """
    with tempfile.TemporaryDirectory(prefix="elowire-demo-") as folder:
        equal, of = asyncio.run(_run(Path(folder), keep=keep))
    if equal < of:
        raise Failure(f"{of - equal} of {of} ratings differ from FIDE's list; the table above says which")


async def _run(folder: Path, *, keep: bool) -> tuple[int, int]:
    screen = console()

    def say(sentence: str) -> None:
        screen.print(sentence, style="dim", markup=False, soft_wrap=True)

    settings = _settings(folder)
    logs.configure(settings)
    with (folder / "services.log").open("wb") as log:
        async with running(settings, embedded=True, say=say, log=log.fileno()):
            say(f"live page: http://{settings.host}:{settings.ticker_port}/")
            event = demo_event(clock.now())
            async with ConfirmedProducer(settings) as producer:
                show = Show(screen, event)
                watching = asyncio.create_task(show.watch(settings))
                try:
                    await _replay(event, producer, show)
                    equal = await _compare(event, producer, show)
                finally:
                    watching.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await watching
            if keep:
                say(f"still serving http://{settings.host}:{settings.ticker_port}/ ; stop with Ctrl-C")
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()

    return equal, len(event.outcomes)


def _settings(folder: Path) -> Settings:
    """Return settings with free ports; the live page keeps its usual one if it can."""
    usual = load_settings()
    kafka, processor, ticker_admin, ingest, ingest_admin, dispatch, dispatch_admin, other = free_ports(
        usual.host, 8
    )
    ticker = usual.ticker_port if why_taken(usual.host, usual.ticker_port) is None else other

    return load_settings(
        data_dir=folder / "data",
        kafka_port=kafka,
        bootstrap=f"127.0.0.1:{kafka}",
        kafka_security_protocol="PLAINTEXT",
        processor_admin_port=processor,
        ticker_admin_port=ticker_admin,
        ticker_port=ticker,
        ingest_port=ingest,
        ingest_admin_port=ingest_admin,
        dispatch_port=dispatch,
        dispatch_admin_port=dispatch_admin,
        partitions=4,
    )


@contextlib.asynccontextmanager
async def _moving(show: Show) -> AsyncIterator[Callable[[str], None]]:
    """Give a function that tells a step: a moving table on a terminal, plain lines elsewhere."""
    if not show.screen.is_terminal:
        yield lambda step: show.screen.print(step, markup=False)
        return

    with Live(show.table(), console=show.screen, auto_refresh=False) as live:

        def tell(step: str) -> None:
            show.headline = step
            live.update(show.table(), refresh=True)

        yield tell


async def _replay(event: DemoEvent, producer: ConfirmedProducer, show: Show) -> None:
    """Send the event round by round, with one wrong result and its correction on the way."""
    await _send(producer, [*event.opening, *event.reported])
    async with _moving(show) as tell:
        for number, games in enumerate(event.rounds, 1):
            sent = clock.monotonic()
            wrong = event.wrong if game_of(event.wrong).round == number else None
            rest = games if wrong is None else games[1:]
            if wrong is not None:
                await _mistake(event, producer, show, tell)
            await _send(producer, rest)
            await show.until_rated(rest)
            took = (clock.monotonic() - sent) * 1000
            leader = max(event.outcomes, key=lambda one: float(show.figures(one).get("live", 0)))
            best = f"FIDE {leader} leads with {show.figures(leader).get('live')}"
            tell(f"round {number:>2}: {len(games)} games rated within {took:.0f} ms, {best}")
            if show.screen.is_terminal:
                await asyncio.sleep(PAUSE_S)
    await _send(producer, event.closing)


async def _mistake(
    event: DemoEvent, producer: ConfirmedProducer, show: Show, tell: Callable[[str], None]
) -> None:
    """Send a wrong result, show what it does, correct it, show that nothing of it stays."""
    for record, word in ((event.wrong, "a wrong result goes out"), (event.corrected, "it is corrected")):
        await _send(producer, [record])
        await show.until_rated([record])
        game = game_of(record)
        sides = [side.player_id or "" for side in (game.white, game.black) if side is not None]
        live = ", ".join(f"FIDE {one} {show.figures(one).get('live')}" for one in sides)
        tell(f"round {game.round:>2}: {word}: {sides[0]}-{sides[1]} {game.result}; live now {live}")
        if show.screen.is_terminal:
            await asyncio.sleep(2 * PAUSE_S)


async def _compare(event: DemoEvent, producer: ConfirmedProducer, show: Show) -> int:
    """Load FIDE's next list and compare it with what was predicted; returns how many are equal."""
    predicted = {player_id: show.figures(player_id) for player_id in event.outcomes}
    await _send(producer, event.new_list)
    await show.until(lambda: event.outcomes.keys() <= show.reconciled.keys(), "the reconciliations")
    table = Table(
        title=f"Live ratings beside FIDE's list of {event.next_list}",
        title_justify="left",
        header_style="bold",
        box=None,
    )
    for heading in ("player", "list before", "event", "others", "live", "predicted", "FIDE", ""):
        table.add_column(heading, justify="left" if heading in {"player", ""} else "right")
    equal = 0
    for player_id, outcome in event.outcomes.items():
        verdict = _verdict(predicted[player_id], outcome, show.reconciled[player_id])
        equal += verdict == "equal"
        table.add_row(
            f"FIDE {player_id}",
            str(outcome.published),
            outcome.event_change,
            outcome.other_change,
            predicted[player_id]["live"],
            str(predicted[player_id]["predicted"]),
            str(outcome.next_rating),
            Text(f"✓ {verdict}", style="green") if verdict == "equal" else Text(verdict, style="red"),
        )
    show.screen.print(table)
    style = "bold green" if equal == len(event.outcomes) else "bold red"
    sentence = f"{equal} of {len(event.outcomes)} equal to FIDE's list of November 2025"
    show.screen.print(Text(sentence, style=style))

    return equal


def _verdict(figures: dict[str, Any], outcome: Outcome, reconciled: dict[str, Any]) -> str:
    """Compare the prediction with the file of outcomes, and with what the processor itself concluded."""
    if figures["predicted"] != outcome.next_rating:
        return f"differs by {outcome.next_rating - figures['predicted']:+d}"

    return str(reconciled["standard"]["verdict"])


async def _send(producer: ConfirmedProducer, records: Iterable[EventRecord]) -> None:
    await producer.send_all(OutRecord(*record) for record in records)
