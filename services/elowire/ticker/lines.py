"""Lines of tournaments: the newest of every entrant, and where a player has lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import NamedTuple

from elowire.ticker.readings import LineReading


class Line(NamedTuple):
    """An entrant's newest line: revision, the record's bytes, whose it is."""

    revision: int
    value: bytes
    player_id: str | None
    blank: bool = False
    """Whether it says nothing: the name turned out to be somebody else's, or an entrant has not begun."""


@dataclass(slots=True)
class Table:
    """One tournament's lines; `changed_at` is the newest record's time, milliseconds since 1970."""

    lines: dict[str, Line] = field(default_factory=dict)
    changed_at: int = 0

    def told(self) -> list[bytes]:
        """Give the lines that say something."""
        return [line.value for line in self.lines.values() if not line.blank]


class Lines:
    """The lines of every tournament that was seen."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}
        self._players: dict[str, set[tuple[str, str]]] = {}

    def take(self, reading: LineReading, value: bytes, at: int) -> bool:
        """Take a line; False for one that is not newer."""
        table = self._tables.setdefault(reading.tournament_id, Table())
        known = table.lines.get(reading.entrant_id)
        if known is not None and reading.revision <= known.revision:
            return False
        place = (reading.tournament_id, reading.entrant_id)
        if known is not None and known.player_id is not None and known.player_id != reading.player_id:
            self._leave(known.player_id, place)
        table.lines[reading.entrant_id] = Line(
            reading.revision,
            value,
            reading.player_id,
            blank=reading.player_id is None and reading.rating is None and reading.points in {None, "0"},
        )
        table.changed_at = max(table.changed_at, at)
        if reading.player_id is not None:
            self._players.setdefault(reading.player_id, set()).add(place)

        return True

    def table(self, tournament_id: str) -> Table | None:
        """Give a tournament's lines; None for a tournament never seen."""
        return self._tables.get(tournament_id)

    def tables(self) -> dict[str, Table]:
        """Give all tournaments."""
        return self._tables

    def of_player(self, player_id: str) -> list[bytes]:
        """Give a player's lines, by tournament."""
        places = sorted(self._players.get(player_id, ()))

        return [self._tables[tournament].lines[entrant].value for tournament, entrant in places]

    def unmoved_since(self, day: date) -> set[str]:
        """Name the tournaments of which no line is from this day or later."""
        since = datetime.combine(day, time(), UTC).timestamp() * 1000

        return {name for name, table in self._tables.items() if table.changed_at < since}

    def forget(self, tournament_id: str) -> None:
        """Drop a tournament."""
        table = self._tables.pop(tournament_id, Table())
        for entrant_id, line in table.lines.items():
            if line.player_id is not None:
                self._leave(line.player_id, (tournament_id, entrant_id))

    def _leave(self, player_id: str, place: tuple[str, str]) -> None:
        places = self._players.get(player_id, set())
        places.discard(place)
        if not places:
            self._players.pop(player_id, None)
