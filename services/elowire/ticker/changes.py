"""What watchers can see of a record that was taken, and results that were put right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from elowire.domain import TimeControl
from elowire.ticker.players import Player

_MOST_CORRECTIONS = 1_000


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a watcher can see, with what watchers choose by.

    `event` is the name in the stream, `value` the record's own bytes. With `chosen_only` it goes to those
    alone who have chosen its player or its tournament: everybody else would see it twice. `person` is whom a
    filtered list asks about.
    """

    event: str
    value: bytes
    player_id: str | None
    federation: str | None
    tournaments: frozenset[str]
    time_controls: frozenset[TimeControl]
    chosen_only: bool = False
    person: Player | None = None


class Correction(NamedTuple):
    """A result that was corrected or annulled; `at` is milliseconds since 1970.

    `event_id` names the input that did it.
    """

    tournament_id: str
    game_id: str
    kind: str
    at: int
    players: tuple[str, ...]
    event_id: str


class Corrections:
    """The newest corrections, one for each game, a bounded number of them."""

    def __init__(self, most: int = _MOST_CORRECTIONS) -> None:
        self._most = most
        self._kept: dict[tuple[str, str], Correction] = {}

    def take(self, correction: Correction) -> None:
        """Take one side's word of a correction; the other side's comes by itself."""
        key = (correction.tournament_id, correction.game_id)
        known = self._kept.pop(key, None)
        players = correction.players if known is None else tuple({*known.players, *correction.players})
        newest = correction if known is None or correction.at >= known.at else known
        self._kept[key] = newest._replace(players=tuple(sorted(players)))
        if len(self._kept) > self._most:
            del self._kept[min(self._kept, key=lambda one: self._kept[one].at)]

    def newest_first(self) -> list[Correction]:
        """Give all that are kept."""
        return sorted(self._kept.values(), key=lambda one: (-one.at, one.tournament_id, one.game_id))

    def of(self, tournament_id: str, game_id: str) -> Correction | None:
        """Give the correction of a game, where it had one."""
        return self._kept.get((tournament_id, game_id))
