"""Who has moved most of those whose figures changed last: for the board of metrics, a bounded number."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest
from typing import NamedTuple

from elowire.domain import TimeControl
from elowire.ticker.board import Board

REMEMBERED = 1_000
SHOWN = 10


class Lately:
    """The players whose figures changed last, at most `REMEMBERED` of them."""

    def __init__(self) -> None:
        self._players: dict[str, None] = {}

    def note(self, player_id: str | None) -> None:
        """Take note of a change; one without a player is none."""
        if player_id is None:
            return
        self._players.pop(player_id, None)
        self._players[player_id] = None
        if len(self._players) > REMEMBERED:
            del self._players[next(iter(self._players))]

    def __iter__(self) -> Iterator[str]:
        return iter(self._players)


class Mover(NamedTuple):
    """A player and by how many hundredths his live rating is off his published one."""

    player_id: str
    hundredths: int


def movers(board: Board, lately: Lately, time_control: TimeControl) -> list[Mover]:
    """Return the `SHOWN` players of `lately` who gained or lost most, the greatest change first."""
    found = []
    for player_id in lately:
        player = board.player(player_id)
        if player is None or time_control not in player.playing:
            continue
        standing = (player.standings or {}).get(time_control)
        if standing is None:
            continue
        live, published = standing
        found.append(Mover(player_id, live - 100 * published))

    return nlargest(SHOWN, found, key=lambda mover: (abs(mover.hundredths), mover.player_id))
