"""Rating performance by four methods, and the norm thresholds it is read against."""

from __future__ import annotations

from math import floor, fsum, log
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from elowire.domain.numbers import nearest_ratio
from elowire.domain.tables import rating_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elowire.domain.numbers import Hundredths

Unbounded: TypeAlias = Literal["inf", "-inf"]
_FULL: Final = 100
_LONGEST_STEP: Final = 400
# After so short a step the rating is the right one, or its neighbour.
_CLOSE: Final = 12
_MOST_STEPS: Final = 4
# Of the logistic curve of base 10 and scale 400.
_SLOPE: Final = log(10) / 400


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
    total = sum(opponents)
    fide = nearest_ratio(total + rating_difference(nearest_ratio(points, games)) * games, games)

    return Performance(
        fide=fide,
        linear=nearest_ratio(total + 8 * points - 400 * games, games),
        true=_true_performance(opponents, points, fide),
        opponents_average=nearest_ratio(total, games),
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


def _true_performance(opponents: Sequence[int], points: Hundredths, guess: int) -> int | Unbounded:
    """Find the rating whose expectancy is the score, rounded; the search begins at `guess`."""
    if points == len(opponents) * _FULL:
        return "inf"
    if points == 0:
        return "-inf"
    score = points / _FULL
    rating = _approached(guess, opponents, score)
    # The approximation only says where to look; the search is exact.
    low = high = rating
    reach = 1
    while _expects_more(low - 1, opponents, score):
        low, reach = low - reach, 2 * reach
    reach = 1
    while not _expects_more(high, opponents, score):
        high, reach = high + reach, 2 * reach
    while low < high:
        middle = (low + high) // 2
        if _expects_more(middle, opponents, score):
            high = middle
        else:
            low = middle + 1

    return low


def _approached(rating: int, opponents: Sequence[int], score: float) -> int:
    """Approach the rating along the slope of the expectancy; bounded, where the slope is all but flat."""
    for _ in range(_MOST_STEPS):
        expected = _expectancies(rating, opponents)
        total = sum(expected)
        slope = (total - sum([p * p for p in expected])) * _SLOPE
        if not slope:
            break
        step = (score - total) / slope
        if -_CLOSE <= step <= _CLOSE:
            return rating + floor(step) + 1
        rating += round(max(-_LONGEST_STEP, min(_LONGEST_STEP, step)))

    return rating


def _expects_more(rating: int, opponents: Sequence[int], score: float) -> bool:
    """Whether half a point above `rating` the expectancy is above the score."""
    if -_FARTHEST <= rating <= _FARTHEST:
        start = _MIDDLE - rating
        # fsum, because a plain sum would depend on the order of the opponents.
        return fsum([_CURVE[opponent + start] for opponent in opponents]) > score

    return fsum(_expectancies(rating, opponents)) > score


def _expectancies(rating: int, opponents: Sequence[int]) -> list[float]:
    """The logistic expectancies half a point above `rating`."""
    if abs(rating) > _FARTHEST:
        return [_logistic(opponent - rating) for opponent in opponents]
    start = _MIDDLE - rating

    return [_CURVE[opponent + start] for opponent in opponents]


def _logistic(difference: int) -> float:
    return float(1 / (1 + 10 ** ((difference - 0.5) / 400)))


# The curve at every difference that occurs: live lines ask for it with each result.
_FARTHEST: Final = 8000
_MIDDLE: Final = 2 * _FARTHEST
_CURVE: Final = tuple(_logistic(difference) for difference in range(-_MIDDLE, _MIDDLE + 1))
