"""What the demonstration shows: the live table, and what the services have said so far."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from elowire.cli.demo_event import DemoEvent, game_of
from elowire.cli.errors import Failure
from elowire.contracts.envelope import EventRecord
from elowire.runtime.kafka import follow
from elowire.runtime.security import Cluster

WAIT_S = 30.0


class Show:
    """What the services say, and the table that shows it."""

    def __init__(self, screen: Console, event: DemoEvent) -> None:
        self.screen = screen
        self._event = event
        self.live: dict[str, dict[str, Any]] = {}
        self.reconciled: dict[str, dict[str, Any]] = {}
        self._causes: set[tuple[str, str]] = set()
        self._news = asyncio.Condition()
        self._fault: BaseException | None = None
        self.headline = event.name

    async def watch(self, cluster: Cluster) -> None:
        """Follow the output topics for as long as the demonstration lasts."""
        try:
            async for records in follow(cluster, ["live-ratings", "reconciliations"]):
                async with self._news:
                    for record in records:
                        self._take(record.topic, orjson.loads(record.value or b"{}"))
                    self._news.notify_all()
        except Exception as fault:  # noqa: BLE001 - whatever it is, the waiting side must hear of it
            self._fault = fault
            async with self._news:
                self._news.notify_all()

    def _take(self, topic: str, data: dict[str, Any]) -> None:
        player_id = data["player_id"]
        if topic == "reconciliations":
            self.reconciled[player_id] = data
        elif data["version"] > self.live.get(player_id, {"version": 0})["version"]:
            self.live[player_id] = data
            self._causes.add((player_id, data["cause"]["event_id"]))

    async def until(self, met: Callable[[], bool], what: str) -> None:
        """Return when something has come true; `what` names it if it never does."""
        try:
            async with asyncio.timeout(WAIT_S), self._news:
                while not met():
                    if self._fault is not None:
                        raise Failure(f"the output topics cannot be read: {self._fault}") from self._fault
                    await self._news.wait()
        except TimeoutError as fault:
            raise Failure(f"nothing came for {WAIT_S:g} s; waited for {what}") from fault

    async def until_rated(self, games: Iterable[EventRecord]) -> None:
        """Return when both players of every game have their new live rating."""
        wanted = set()
        for record in games:
            game = game_of(record)
            event_id = dict(record.headers)["ce_id"].decode()
            for side in (game.white, game.black):
                if side is not None:
                    wanted.add((side.player_id or side.identity, event_id))
        await self.until(lambda: wanted <= self._causes, f"the live ratings of {len(wanted)} sides")

    def figures(self, player_id: str) -> dict[str, Any]:
        """Return a player's standard figures, empty before the first game."""
        figures: dict[str, Any] = self.live.get(player_id, {}).get("standard") or {}

        return figures

    def table(self) -> Table:
        """Return the live table: the players by live rating."""
        table = Table(title=self.headline, title_justify="left", header_style="bold", box=None)
        for heading in ("player", "October", "live", "change", "next list", "games"):
            table.add_column(heading, justify="left" if heading == "player" else "right")
        rows = [(self.figures(player_id), outcome) for player_id, outcome in self._event.outcomes.items()]
        rows.sort(key=lambda row: float(row[0].get("live") or row[1].published), reverse=True)
        for figures, outcome in rows:
            change = figures.get("change", "0.00")
            table.add_row(
                f"FIDE {outcome.player_id}",
                str(outcome.published),
                Text(figures.get("live", f"{outcome.published}.0"), style="bold"),
                _coloured(change),
                str(figures.get("predicted", outcome.published)),
                str(figures.get("pending_games", 0)),
            )

        return table


def _coloured(change: str) -> Text:
    if change.startswith("-"):
        return Text(f"▼ {change[1:]}", style="red")
    if float(change):
        return Text(f"▲ {change}", style="green")

    return Text(change)
