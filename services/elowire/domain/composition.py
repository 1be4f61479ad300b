"""What a tournament or match must be for its games to be rated (B.02 6), and whether it is complete."""

from __future__ import annotations

from enum import StrEnum
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
_PLAYERS_OF_A_MATCH: Final = 2
_HALF_POINT: Final = 50


class Completeness(StrEnum):
    """Whether a tournament has the games that it should have."""

    COMPLETE = "complete"
    NOT_SAID = "expected-games-not-said"
    TOO_FEW = "fewer-games-than-expected"
    TOO_MANY = "more-games-than-expected"


def completeness(games: int, expected: int | None) -> Completeness:
    """Compare the games that have a result with the number that there must be (None: nobody says)."""
    if expected is None:
        return Completeness.NOT_SAID
    if games == expected:
        return Completeness.COMPLETE

    return Completeness.TOO_FEW if games < expected else Completeness.TOO_MANY


def round_robin_games(*, players: int, games: int) -> int:
    """Find how many games a round robin has that has reached `games`: that of the fewest cycles."""
    cycle = players * (players - 1) // 2

    return cycle * max(1, -(-games // cycle)) if cycle else 0


def system_in_use(stated: System | None, *, players: int) -> System:
    """Find the system of a whole event: the stated one; else two players are a match and more are a Swiss."""
    if stated is not None:
        return stated

    return System.MATCH if players == _PLAYERS_OF_A_MATCH else System.SWISS


def match_refusals(
    games: Sequence[tuple[Hundredths, Hundredths]],
    *,
    planned: int | None,
    both_rated: bool = True,
    waived: bool = False,
) -> tuple[Refusal | None, ...]:
    """Say for each game of a match, in the order of play, whether it is refused.

    Points of both players in hundredths. A match with an unrated player is not rated at all; one over a fixed
    number of games only until a player has more than half of its points, unless that was waived. `planned`
    None is a match of which that number is not known, so that nothing says when it was decided.
    """
    if not both_rated:
        return (Refusal.UNRATED_OPPONENT,) * len(games)
    refusals: list[Refusal | None] = []
    first = second = 0
    for points, others in games:
        decided = planned is not None and max(first, second) > planned * _HALF_POINT and not waived
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
