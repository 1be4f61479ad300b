"""What `elowire watch` knows: the lines on the screen and how fresh they are. Events in, lines out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import orjson

from elowire.cli.plain import age_text, moment, plain
from elowire.cli.standings import CORRECTED, DOWN, UP, Line, live_text, places, signed
from elowire.cli.ticker_client import Figures, Person, PlayerView, RankedRow, parsed
from elowire.domain import TimeControl
from elowire.runtime.web_client import ServerEvent

LIT_MS = 2_000
_LONGEST_PAUSE_S = 30.0
_CORRECTIONS = frozenset({"correction", "annulment", "base-correction"})


@dataclass(slots=True)
class Freshness:
    """How the screen stands to the world; times are milliseconds since 1970."""

    connected: bool = False
    heard_at: int | None = None
    changed_at: int | None = None
    fault: str | None = None
    retry_at: int | None = None

    def text(self, now_ms: int) -> tuple[str, str]:
        """Return a sentence and its colour: green is connected, amber is old, red is cut off."""
        if not self.connected:
            wait = max(0, (self.retry_at or now_ms) - now_ms) // 1000
            state = (
                "" if self.heard_at is None else f", showing the state of {moment(self.heard_at)[11:16]} UTC"
            )
            return f"● not connected{state}; next try in {wait} s", DOWN
        if self.fault is not None:
            state = (
                ""
                if self.changed_at is None
                else f": showing the state of {moment(self.changed_at)[11:16]} UTC"
            )
            return f"● the ticker hears nothing from Kafka{state}", CORRECTED
        if self.changed_at is None:
            return "● connected, no change yet", UP
        return f"● connected, last change {age_text((now_ms - self.changed_at) / 1000)} ago", UP


@dataclass(slots=True)
class Watched:
    """The players of one time control as far as the stream told of them."""

    time_control: TimeControl
    freshness: Freshness = field(default_factory=Freshness)
    _lines: dict[str, Line] = field(default_factory=dict)
    _lit: dict[str, int] = field(default_factory=dict)
    _begun: bool = False

    def lines(self, limit: int) -> list[Line]:
        """Return the first lines, the highest live rating on top."""
        return places(self._lines.values())[:limit]

    def lit(self, now_ms: int) -> frozenset[str]:
        """Return the players who changed just now."""
        self._lit = {player: at for player, at in self._lit.items() if now_ms - at < LIT_MS}
        return frozenset(self._lit)

    def take(self, event: ServerEvent, now_ms: int) -> list[str]:
        """Take one event; returns a sentence for each change of a figure.

        After a break the stream may begin with a new snapshot: what moved meanwhile is told then.
        """
        self.freshness.connected, self.freshness.heard_at = True, now_ms
        data = orjson.loads(event.data)
        match event.event:
            case "heartbeat":
                self._hear(data)
                return []
            case "snapshot":
                self._hear(data["freshness"])
                known, begun = self._lines, self._begun
                self._lines = {}
                changes = [
                    self._place(line, known.get(line.person.player_id), now_ms) for line in self._all(data)
                ]
                self._begun = True
                return [change for change in changes if change and begun]
            case "live-rating" | "published-rating":
                view = parsed(PlayerView, data)
                figures = view.figures(self.time_control)
                if figures is None:
                    return []
                known_line = self._lines.get(view.player_id)
                change = self._place(Line(view, figures), known_line, now_ms)
                self.freshness.changed_at = max(now_ms, self.freshness.changed_at or 0)
                return [change] if change else []
            case _:
                return []

    def lose(self, retry_at: int) -> None:
        """Note that the stream broke off, and when it is tried again."""
        self.freshness.connected, self.freshness.retry_at = False, retry_at

    def _hear(self, said: dict[str, object]) -> None:
        changed_at, fault = said.get("changed_at"), said.get("fault")
        if isinstance(changed_at, int):
            self.freshness.changed_at = changed_at
        self.freshness.fault = str(fault) if fault else None

    def _all(self, data: dict[str, list[dict[str, object]]]) -> Iterator[Line]:
        for view in (parsed(PlayerView, one) for one in data.get("players") or ()):
            if (figures := view.figures(self.time_control)) is not None:
                yield Line(view, figures)
        for ranking in data.get("live_ratings") or ():
            rows = ranking["players"]
            if ranking["time_control"] == self.time_control and isinstance(rows, Iterable):
                for row in rows:
                    ranked = parsed(RankedRow, row)
                    yield Line(ranked, ranked)

    def _place(self, line: Line, before: Line | None, now_ms: int) -> str | None:
        player_id = line.person.player_id
        if before is not None and before.person.version > line.person.version:
            return None
        self._lines[player_id] = line
        if before is not None and _figure(before.figures) == _figure(line.figures):
            return None
        if self._begun:
            self._lit[player_id] = now_ms
        return sentence(self.time_control, line.person, line.figures, before)


def sentence(time_control: TimeControl, person: Person, figures: Figures, before: Line | None) -> str:
    """Say one change in a line of plain text."""
    kind = person.cause.kind if isinstance(person, PlayerView) and person.cause else None
    parts = [f"{time_control.value} {person.player_id} {plain(person.name or '')}".rstrip()]
    parts.append(f"live {live_text(figures)}")
    if before is not None and before.figures.live not in {None, figures.live}:
        parts.append(f"before {before.figures.live}")
    if figures.published is not None and figures.published.rating:
        parts.append(f"change {signed(figures.change)}")
    if figures.predicted is not None:
        parts.append(f"next list {figures.predicted}")
    if figures.rank is not None:
        parts.append(f"rank {figures.rank}")
    if kind is not None:
        parts.append(f"{'✎ ' if kind in _CORRECTIONS else ''}{plain(kind)}")
    return ", ".join(parts)


def pause_s(attempt: int, *, jitter: float) -> float:
    """Return the seconds before the next try: 1, 2, 4 up to 30, less up to a half; `jitter` is 0 to 1."""
    return float(min(_LONGEST_PAUSE_S, 2.0 ** min(attempt, 10)) * (1 - jitter / 2))


def _figure(figures: Figures) -> tuple[object, ...]:
    return (
        figures.live,
        figures.change,
        figures.predicted,
        figures.pending_games,
        figures.published,
        figures.initial,
    )
