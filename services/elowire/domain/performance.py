"""Rating performance by four methods, and the norm thresholds it is read against."""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from elowire.domain.numbers import nearest
from elowire.domain.tables import rating_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elowire.domain.numbers import Hundredths

Unbounded: TypeAlias = Literal["inf", "-inf"]
_FULL: Final = 100
_REACH: Final = 8000


class Performance(NamedTuple):
    """The rating that a score was worth, in whole points.

    `fide`: average of the opponents plus dp of table 8.1.1. `linear`: average plus 800·p - 400. `true`: the
    rating whose logistic expectancy against these very opponents is the score; a full or zero score has none,
    so that it is "inf" or "-inf".
    """

    fide: int
    linear: int
    true: int | Unbounded
    opponents_average: int


class Norm(NamedTuple):
    """What a title norm asks for: the performance, and the average of the opponents (B.01 1.4.8)."""

    title: str
    performance: int
    opponents_average: int


NORMS: Final = (
    Norm("GM", 2600, 2380),
    Norm("IM", 2450, 2230),
    Norm("WGM", 2400, 2180),
    Norm("WIM", 2250, 2030),
)


def performance_of(opponents: Sequence[int], points: Hundredths) -> Performance | None:
    """Compute the performance of `points` (hundredths) against rated opponents; None without a game.

    Raises ValueError when the points are more than the games give, or negative.
    """
    games = len(opponents)
    if not 0 <= points <= games * _FULL:
        raise ValueError(f"{points} hundredths of points: expected 0 to {games * _FULL} from {games} games")
    if not games:
        return None
    average = Fraction(sum(opponents), games)
    p = Fraction(points, games)

    return Performance(
        fide=nearest(average + rating_difference(nearest(p))),
        linear=nearest(average + 8 * p - 400),
        true=_true_performance(opponents, points),
        opponents_average=nearest(average),
    )


def on_course(figures: Performance) -> tuple[str, ...]:
    """Name the titles whose thresholds are reached now: information, never a verdict on a norm.

    A norm also asks for the number of games, the opponents' titles and federations.
    """
    return tuple(
        norm.title
        for norm in NORMS
        if figures.fide >= norm.performance and figures.opponents_average >= norm.opponents_average
    )


def _true_performance(opponents: Sequence[int], points: Hundredths) -> int | Unbounded:
    if points == len(opponents) * _FULL:
        return "inf"
    if points == 0:
        return "-inf"
    score = points / _FULL
    low, high = min(opponents) - _REACH, max(opponents) + _REACH
    while low < high:
        middle = (low + high) // 2
        if _logistic_expectancy(middle + 0.5, opponents) > score:
            high = middle
        else:
            low = middle + 1

    return low


def _logistic_expectancy(rating: float, opponents: Sequence[int]) -> float:
    # fsum, because a plain sum would depend on the order of the opponents.
    return fsum(1 / (1 + 10 ** ((opponent - rating) / 400)) for opponent in opponents)
