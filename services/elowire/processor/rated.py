"""Games of one player in one tournament, rated together: the 400-point rule of 2022 needs to see them all."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from elowire.domain import GameChange, TimeControl, edition_by_id, has_one_upgrade, rate_game, upgraded
from elowire.processor.pairing import day_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_CACHED: Final = 1 << 17


@lru_cache(_CACHED)
def change_of(  # the arguments are the key of the cache
    own: int,
    opponent: int,
    points: int,
    edition_id: str,
    time_control: str,
    starts_on: str,
    capped: bool | None = None,  # noqa: FBT001 - the cache wants it positional
) -> GameChange:
    """Rate one game; the same arguments come again with every correction and every tournament line."""
    return rate_game(
        own=own,
        opponent=opponent,
        points=points,
        edition=edition_by_id(edition_id),
        time_control=TimeControl(time_control),
        capped=capped,
        starts_on=day_of(starts_on),
    )


@lru_cache(4096)
def one_upgrade(edition_id: str, time_control: str, starts_on: str) -> bool:
    """Whether the cap protects one game of a tournament only."""
    return has_one_upgrade(edition_by_id(edition_id), TimeControl(time_control), day_of(starts_on))


def changes_of(
    games: Sequence[tuple[int, int, int]], edition_id: str, time_control: str, starts_on: str
) -> list[GameChange]:
    """Rate one player's games (own rating, opponent's rating, points in hundredths) in one tournament."""
    if not one_upgrade(edition_id, time_control, starts_on):
        return [change_of(*game, edition_id, time_control, starts_on) for game in games]
    chosen = upgraded([own - opponent for own, opponent, _ in games])

    return [
        change_of(*game, edition_id, time_control, starts_on, number == chosen)
        for number, game in enumerate(games)
    ]
