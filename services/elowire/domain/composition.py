"""What a tournament or match must be for its games to be rated (B.02 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from elowire.domain.refusals import Refusal
from elowire.domain.time_controls import System

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elowire.domain.numbers import Hundredths
    from elowire.domain.rules import Edition

_SMALL_BELOW: Final = 10
_SMALL_RATED: Final = 4
_DOUBLE_PLAYERS: Final = 6
_HALF_POINT: Final = 50


def match_refusals(
    games: Sequence[tuple[Hundredths, Hundredths]],
    *,
    planned: int,
    both_rated: bool = True,
    waived: bool = False,
) -> tuple[Refusal | None, ...]:
    """Say for each game of a match, in the order of play, whether it is refused.

    Points of both players in hundredths. A match with an unrated player is not rated at all; one over a fixed
    number of games only until a player has more than half of its points, unless that was waived.
    """
    if not both_rated:
        return (Refusal.UNRATED_OPPONENT,) * len(games)
    refusals: list[Refusal | None] = []
    first = second = 0
    for points, others in games:
        decided = max(first, second) > planned * _HALF_POINT and not waived
        refusals.append(Refusal.DECIDED_MATCH if decided else None)
        first += points
        second += others

    return tuple(refusals)


def is_rateable_round_robin(*, players: int, rated: int, edition: Edition, double: bool = False) -> bool:
    """Whether a round robin has rated players enough.

    Until 2021 one third of the players, at least 4 of fewer than 10; a double round robin has at least 6
    players, 4 of them rated. Later editions treat round robins like any other tournament.
    """
    if edition.round_robin is None:
        return True
    if double:
        return players >= _DOUBLE_PLAYERS and rated >= _SMALL_RATED
    if players < _SMALL_BELOW:
        return rated >= _SMALL_RATED

    return rated * 3 >= players


def system_as_rated(system: System, *, complete: bool) -> System:
    """Name the system by which a tournament is rated: a round robin with an unplayed game is a Swiss."""
    if system is System.ROUND_ROBIN and not complete:
        return System.SWISS

    return system
