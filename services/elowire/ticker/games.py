"""Pending games by player and by tournament, and what became of a result: bounded by what is in no list yet.

Of a game that is settled only its version is kept, until no older copy of it can come any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from elowire.contracts.vocabulary import Colour
from elowire.domain import previous_period
from elowire.ticker.readings import GameReading

PENDING = "pending"
ANNULLED = "annulled"

_SEATS: Mapping[str | None, int] = {Colour.WHITE: 0, Colour.BLACK: 2}
"""White comes first; while a colour is not known, players come by their ids."""

Key = tuple[str, str]
"""(tournament id, game id): games of two tournaments may have one id."""


class Corrected(NamedTuple):
    """A result that was put right: the points before it, and when (milliseconds since 1970)."""

    points: str | None
    at: int


@dataclass(slots=True)
class Side:
    """One player's side of one game; `value` is the record's bytes while it is pending or annulled.

    `told` are the points that live ratings, which come one after the other, have last said.
    """

    version: int = -1
    status: str = ""
    value: bytes | None = None
    period: str | None = None
    points: str | None = None
    colour: str | None = None
    told: tuple[int, str | None] = (-1, None)
    corrected: Corrected | None = None


class Games:
    """Every side that waits for a list."""

    def __init__(self) -> None:
        self._players: dict[str, dict[Key, Side]] = {}
        self._tournaments: dict[str, dict[str, set[str]]] = {}
        self._settled_before = ""

    def __len__(self) -> int:
        return sum(len(sides) for sides in self._players.values())

    def take(self, reading: GameReading, value: bytes, *, at: int, a_copy: bool = False) -> bool:
        """Keep a pending side and forget any other, but not that it was seen: an older copy may follow.

        A game can change while its live rating does not, so of two records with one version the later counts.
        The copy inside a live rating comes by another topic, at any time, and says `pending` whatever became
        of the game: the record beside it wins. Returns whether anything is different now.
        """
        is_past = reading.rating_period is not None and reading.rating_period < self._settled_before
        # The games of a newcomer wait for years; those of a rated player cannot, once two lists are out.
        if is_past and (reading.status != PENDING or reading.own_rating is not None):
            return False
        sides = self._players.setdefault(reading.player_id, {})
        key = (reading.tournament_id, reading.game_id)
        side = sides.setdefault(key, Side())
        if a_copy and reading.version > side.told[0]:
            self._note(side, side.told, reading, at)
            side.told = (reading.version, reading.points)
        if reading.version < side.version or (a_copy and reading.version == side.version):
            return False
        if side.version >= 0:
            self._note(side, (side.version, side.points), reading, at)
        changed = side.value != value or side.status != reading.status
        side.version, side.status, side.period = reading.version, reading.status, reading.rating_period
        side.points, side.colour = reading.points, reading.colour
        side.value = value if reading.status in {PENDING, ANNULLED} else None
        self._index(reading, kept=side.value is not None)

        return changed

    def of_player(self, player_id: str) -> list[Side]:
        """Give a player's pending and annulled sides."""
        return [side for side in self._players.get(player_id, {}).values() if side.value is not None]

    def of_tournament(self, tournament_id: str) -> Iterator[tuple[str, list[tuple[str, Side]]]]:
        """Give a tournament's games that are in no list yet: id, and (player, side), White first."""
        for game_id, players in self._tournaments.get(tournament_id, {}).items():
            yield game_id, self._sides((tournament_id, game_id), players)

    def game(self, game_id: str, tournament_id: str | None = None) -> dict[str, list[tuple[str, Side]]]:
        """Give the sides of a game by tournament, White first; several may have one of this id."""
        asked = self._tournaments if tournament_id is None else (tournament_id,)
        found = {name: self._tournaments.get(name, {}).get(game_id) for name in asked}

        return {name: self._sides((name, game_id), players) for name, players in found.items() if players}

    def is_playing(self, tournament_id: str) -> bool:
        """Whether a tournament has games that are in no list yet."""
        return bool(self._tournaments.get(tournament_id))

    def forget(self, newest_list: str) -> None:
        """Drop what is two lists old: live ratings, of which all copies are kept a month, are past it."""
        if not newest_list:
            return
        self._settled_before = max(self._settled_before, previous_period(previous_period(newest_list)))
        for player_id, sides in list(self._players.items()):
            for key, side in list(sides.items()):
                if side.status != PENDING and (side.period or "9999-99") < self._settled_before:
                    del sides[key]
                    self._unindex(player_id, key)
            if not sides:
                del self._players[player_id]

    def _sides(self, key: Key, players: set[str]) -> list[tuple[str, Side]]:
        sides = ((player_id, self._players.get(player_id, {}).get(key)) for player_id in sorted(players))

        known = [(player_id, side) for player_id, side in sides if side is not None]

        return sorted(known, key=lambda one: _SEATS.get(one[1].colour, 1))

    def _note(self, side: Side, before: tuple[int, str | None], reading: GameReading, at: int) -> None:
        version, points = before
        if version >= 0 and points is not None and reading.points not in {None, points}:
            side.corrected = Corrected(points, at)

    def _index(self, reading: GameReading, *, kept: bool) -> None:
        if kept:
            games = self._tournaments.setdefault(reading.tournament_id, {})
            games.setdefault(reading.game_id, set()).add(reading.player_id)
        else:
            self._unindex(reading.player_id, (reading.tournament_id, reading.game_id))

    def _unindex(self, player_id: str, key: Key) -> None:
        tournament_id, game_id = key
        games = self._tournaments.get(tournament_id)
        players = None if games is None else games.get(game_id)
        if games is None or players is None:
            return
        players.discard(player_id)
        if not players:
            del games[game_id]
        if not games:
            del self._tournaments[tournament_id]
