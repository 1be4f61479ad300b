"""Games of one player in one tournament, rated together: the 400-point rule of 2022 needs to see them all."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from elowire.domain import (
    GameChange,
    difference_cap,
    edition_by_id,
    has_one_upgrade,
    rate_game,
    upgraded,
)
from elowire.processor.facts import TIME_CONTROLS, day_of

if TYPE_CHECKING:
    from collections.abc import Sequence

# Differences, results, and whether the cap holds: few thousands, whoever plays.
_CACHED: Final = 1 << 14


def change_of(
    own: int,
    opponent: int,
    points: int,
    edition_id: str,
    time_control: str,
    starts_on: str,
    capped: bool | None = None,  # noqa: FBT001 - as the rule gives it
) -> GameChange:
    """Rate one game; only its difference and whether the cap protects it count, and these come again."""
    if capped is None:
        exempt_from = _exempt_from(edition_id, time_control, starts_on)
        capped = exempt_from is None or own < exempt_from

    return _change(own - opponent, points, edition_id, time_control, starts_on, capped)


@lru_cache(_CACHED)
def _change(  # the arguments are the key of the cache
    difference: int,
    points: int,
    edition_id: str,
    time_control: str,
    starts_on: str,
    capped: bool,  # noqa: FBT001 - the cache wants it positional
) -> GameChange:
    return rate_game(
        own=difference,
        opponent=0,
        points=points,
        edition=edition_by_id(edition_id),
        time_control=TIME_CONTROLS[time_control],
        capped=capped,
        starts_on=day_of(starts_on),
    )


@lru_cache(4096)
def _exempt_from(edition_id: str, time_control: str, starts_on: str) -> int | None:
    return difference_cap(
        edition_by_id(edition_id), TIME_CONTROLS[time_control], day_of(starts_on)
    ).exempt_from


@lru_cache(4096)
def one_upgrade(edition_id: str, time_control: str, starts_on: str) -> bool:
    """Whether the cap protects one game of a tournament only."""
    return has_one_upgrade(edition_by_id(edition_id), TIME_CONTROLS[time_control], day_of(starts_on))


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
