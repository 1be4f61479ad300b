"""Who stands where in one time control, by live rating and by published rating."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import NamedTuple

# Above this many changes since the last look, sorting everything once is cheaper than moving each one.
_SORT_ABOVE = 500


class Standing(NamedTuple):
    """What a player ranks by: `score`, the live rating in hundredths, then `published`, in whole points."""

    score: int
    published: int
    name: str


class _Place(NamedTuple):
    score: int
    published: int
    name: str
    player_id: str


class Ladder:
    """Ranked players of one time control.

    Equal scores share a rank, and the next rank is skipped (1, 2, 2, 4). Changes are taken up when somebody
    looks, so that loading a whole list sorts once.
    """

    def __init__(self) -> None:
        self._standings: dict[str, Standing] = {}
        self._changed: dict[str, Standing | None] = {}
        self._places: list[_Place] = []
        self._published: list[int] = []

    def __len__(self) -> int:
        return len(self._standings)

    def place(self, player_id: str, standing: Standing | None) -> None:
        """Put a player where the standing belongs; None takes the player off the ladder."""
        before = self._standings.get(player_id)
        if before == standing:
            return
        self._changed.setdefault(player_id, before)
        if standing is None:
            del self._standings[player_id]
        else:
            self._standings[player_id] = standing

    def rank(self, player_id: str) -> tuple[int, int] | None:
        """Give the rank by live rating, and the places gained since the list; None when not ranked."""
        standing = self._standings.get(player_id)
        if standing is None:
            return None
        self._settle()
        live = bisect_left(self._places, -standing.score, key=lambda place: place.score) + 1
        published = bisect_left(self._published, -standing.published) + 1

        return live, published - live

    def players(self) -> Iterator[str]:
        """Go through the players from the highest live rating down."""
        self._settle()
        return (place.player_id for place in self._places)

    def _settle(self) -> None:
        if len(self._changed) > _SORT_ABOVE:
            self._places = sorted(_place(*entry) for entry in self._standings.items())
            self._published = sorted(-standing.published for standing in self._standings.values())
        else:
            for player_id, before in self._changed.items():
                self._move(player_id, before, self._standings.get(player_id))
        self._changed.clear()

    def _move(self, player_id: str, before: Standing | None, after: Standing | None) -> None:
        if before is not None:
            del self._places[bisect_left(self._places, _place(player_id, before))]
            del self._published[bisect_left(self._published, -before.published)]
        if after is not None:
            insort(self._places, _place(player_id, after))
            insort(self._published, -after.published)


def _place(player_id: str, standing: Standing) -> _Place:
    return _Place(-standing.score, -standing.published, standing.name, player_id)
