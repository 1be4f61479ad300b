"""Who stands where in one time control, by live rating and by published rating."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from functools import lru_cache
from heapq import nsmallest

# Above this many changes since the last look, sorting everything once is cheaper than moving each one.
_SORT_ABOVE = 500


_Key = tuple[int, int, str, str]
"""What the order is made by: both ratings negated, the name, the player id."""


class Ladder:
    """Ranked players of one time control.

    Equal scores share a rank, and the next rank is skipped (1, 2, 2, 4). Changes are taken up when somebody
    looks, so that loading a whole list sorts once.
    """

    def __init__(self) -> None:
        self._keys: dict[str, _Key] = {}
        self._order: list[_Key] = []
        self._published: list[int] = []
        self._changed: dict[str, _Key | None] = {}
        self._unsorted = False

    def __len__(self) -> int:
        return len(self._keys)

    def place(self, player_id: str, name: str, figures: tuple[int, int] | None) -> None:
        """Put a player where (score, published) belong; None takes the player off the ladder.

        `score` is the live rating in hundredths, `published` in whole points.
        """
        key = None if figures is None else (*_falling(figures), name, player_id)
        before = self._keys.get(player_id)
        if key == before:
            return
        if key is None:
            del self._keys[player_id]
        else:
            self._keys[player_id] = key
        # What is sorted anew needs no list of its changes.
        if not self._unsorted:
            self._changed.setdefault(player_id, before)
            self._unsorted = len(self._changed) > _SORT_ABOVE

    def rank(self, player_id: str) -> tuple[int, int] | None:
        """Give the rank by live rating, and the places gained since the list; None when not ranked."""
        key = self._keys.get(player_id)
        if key is None:
            return None
        self._settle()
        score, published, _, _ = key
        live = bisect_left(self._order, (score,)) + 1

        return live, bisect_left(self._published, published) + 1 - live

    def first(self, limit: int, among: Iterable[str] | None = None) -> list[str]:
        """Give the `limit` highest players by live rating, of all or of those `among` who rank."""
        if among is not None:
            keys = (key for player_id in among if (key := self._keys.get(player_id)) is not None)
            return [player_id for _, _, _, player_id in nsmallest(limit, keys)]
        self._settle()

        return [player_id for _, _, _, player_id in self._order[:limit]]

    def walk(self) -> Iterator[str]:
        """Give all players by live rating, the highest first."""
        self._settle()

        return (player_id for _, _, _, player_id in self._order)

    def _settle(self) -> None:
        if self._unsorted:
            self._order = sorted(self._keys.values())
            self._published = sorted([published for _, published, _, _ in self._order])
            self._unsorted = False
        else:
            for player_id, before in self._changed.items():
                self._move(before, self._keys.get(player_id))
        self._changed.clear()

    def _move(self, before: _Key | None, after: _Key | None) -> None:
        if before is not None:
            del self._order[bisect_left(self._order, before)]
            del self._published[bisect_left(self._published, before[1])]
        if after is not None:
            insort(self._order, after)
            insort(self._published, after[1])


@lru_cache(8192)
def _falling(figures: tuple[int, int]) -> tuple[int, int]:
    """Give figures so that the highest comes first; shared numbers make sorting a list a third quicker."""
    return -figures[0], -figures[1]
