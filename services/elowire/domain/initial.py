"""First ratings: an unrated player's Ru from one event or from several events pooled, under every edition."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from elowire.domain.numbers import nearest, nearest_hundredth
from elowire.domain.periods import list_in_force, month_number
from elowire.domain.rules import UnratedOpponents
from elowire.domain.tables import rating_difference
from elowire.domain.time_controls import System

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from elowire.domain.numbers import Hundredths
    from elowire.domain.rules import Edition

_HALF_POINT = 50
_DRAWS = 2


class InitialReason(StrEnum):
    """Why a first rating is published or not yet."""

    PUBLISHABLE = "publishable"
    NO_GAMES = "no-games-against-rated-opponents"
    TOO_FEW_POINTS = "too-few-points-in-first-event"
    TOO_FEW_OPPONENTS = "too-few-rated-opponents-in-first-event"
    TOO_FEW_GAMES = "too-few-games"
    BELOW_FLOOR = "below-floor"


class FirstEvent(NamedTuple):
    """What one event adds to a first rating; only games that count are in it.

    These are games against rated opponents, in a round robin until 2021 all games. `opponents_total` is the
    sum of the opponents' ratings, `points` are in hundredths.
    """

    games: int
    points: Hundredths
    opponents_total: Fraction
    rated_opponents: int
    system: System = System.SWISS
    ends_on: date | None = None

    @classmethod
    def of_games(
        cls,
        games: Iterable[tuple[int, Hundredths]],
        *,
        system: System = System.SWISS,
        ends_on: date | None = None,
    ) -> FirstEvent:
        """Make the event from its games, each as (opponent's rating, own points in hundredths)."""
        played = list(games)
        total = Fraction(sum(opponent for opponent, _ in played))

        return cls(len(played), sum(points for _, points in played), total, len(played), system, ends_on)

    @classmethod
    def of_average(
        cls,
        average: Fraction | int,
        *,
        games: int,
        points: Hundredths,
        rated_opponents: int | None = None,
        system: System = System.SWISS,
        ends_on: date | None = None,
    ) -> FirstEvent:
        """Make the event from the average rating of its opponents (Rc; in a round robin Rc or Ra)."""
        met = games if rated_opponents is None else rated_opponents

        return cls(games, points, Fraction(average) * games, met, system, ends_on)


class InitialRating(NamedTuple):
    """A first rating and how it came about; ra, p and points in hundredths.

    `games` and `points` are those that count. `ra` is the average of the opponents (Rc in the older texts),
    with the hypothetical draws where the edition has them; `dp` is None where half points were counted
    instead, `half_points` says how many. `ru` is given also while it is not publishable.
    """

    games: int
    points: Hundredths
    ra: Hundredths | None
    p: Hundredths | None
    dp: int | None
    half_points: int
    ru: int | None
    publishable: bool
    reason: InitialReason
    article: str


class Estimate(NamedTuple):
    """Ru before limit and floor, with its parts; `exact` is not rounded."""

    p: Hundredths
    dp: int | None
    half_points: int
    exact: Fraction


def estimate(
    average: Fraction, games: int, points: Hundredths, edition: Edition, *, round_robin: bool
) -> Estimate:
    """Compute Ru from an average, a number of games and points in hundredths.

    Source: B.02 8.22 to 8.25 (8.2 from 2022): the average at 50 %, so much for each half point above it, dp
    below it (in a round robin dp·n/(n+1)); from March 2024 dp on either side.
    """
    p = nearest(Fraction(points, games))
    above = Fraction(points - games * _HALF_POINT, _HALF_POINT)
    half_point = edition.initial.half_point
    if half_point is not None and above > 0:
        return Estimate(p, None, int(above), average + above * Fraction(half_point, 100))
    dp = rating_difference(p)
    method = edition.round_robin
    factor = Fraction(1)
    if round_robin and method is not None and method.below_half_factor:
        factor = Fraction(games, games + 1)

    return Estimate(p, dp, 0, average + dp * factor)


def disregarded(event: FirstEvent, edition: Edition) -> InitialReason | None:
    """Say why an unrated player's first event does not count at all; None when it does.

    Source: B.02 8.21 (8.2 from 2022).
    """
    rule = edition.initial
    if event.games == 0:
        return InitialReason.NO_GAMES
    if event.rated_opponents < rule.first_opponents:
        return InitialReason.TOO_FEW_OPPONENTS
    if event.points < rule.first_points:
        return InitialReason.TOO_FEW_POINTS

    return None


def initial_rating(
    events: Sequence[FirstEvent], edition: Edition, *, day: date | None = None
) -> InitialRating:
    """Compute a first rating from all events of a player who is not on the list yet.

    Events are taken in the order of their last days, those without one first. What precedes the first event
    that counts is disregarded, the edition's window is the one that ends with the latest event, and the rest
    is computed as one tournament. `day` is the day of the list, which decides on the floor; without it, the
    last event's day or else the edition's own.
    Source: B.02 8.2 and 8.3.
    """
    reason = InitialReason.NO_GAMES
    counted: list[FirstEvent] = []
    for event in sorted((event for event in events if event.games), key=_order):
        dropped = disregarded(event, edition) if not counted else None
        if dropped is None and _is_below_floor(event, edition, day):
            dropped = InitialReason.BELOW_FLOOR
        if dropped is None:
            counted.append(event)
        else:
            reason = dropped
    pooled = _within_window(counted, edition)
    if not pooled:
        return InitialRating(
            games=0,
            points=0,
            ra=None,
            p=None,
            dp=None,
            half_points=0,
            ru=None,
            publishable=False,
            reason=reason,
            article=edition.articles.initial,
        )

    return _pooled_rating(pooled, edition, day)


def is_delisted(rating: int, edition: Edition, day: date) -> bool:
    """Whether a list of `day` shows this rating no longer: below the floor a player is unrated again."""
    return rating < edition.floor_on(day)


def counts_unrated_opponents(edition: Edition, system: System) -> bool:
    """Whether rated players' games against unrated opponents count, with the opponent's Ru.

    Source: B.02 8.52: in round robins until 2021 (in the draft of 2009 wherever players meet, except in
    matches); not since 2022.
    """
    if edition.unrated_opponents is UnratedOpponents.EVERY_SYSTEM:
        return system is not System.MATCH

    return edition.unrated_opponents is UnratedOpponents.ROUND_ROBIN and system is System.ROUND_ROBIN


def is_late_entry(first_list: str | None, rated_in: str) -> bool:
    """Whether a player unrated at an event's start was on a list before the event was rated.

    Then the own change is computed as that of a rated player with the current rating, while the opponents
    have met an unrated player. Both are periods as "YYYY-MM". Source: B.02 8.4 (8.2 from 2022).
    """
    return first_list is not None and month_number(first_list) < month_number(rated_in)


def _order(event: FirstEvent) -> tuple[bool, int, int, int, Fraction]:
    """Sort by day; what else is compared only makes the outcome independent of the order given."""
    day = 0 if event.ends_on is None else event.ends_on.toordinal()

    return (event.ends_on is not None, day, -event.points, -event.games, -event.opponents_total)


def _is_below_floor(event: FirstEvent, edition: Edition, day: date | None) -> bool:
    if not edition.initial.drops_results_below_floor:
        return False
    ru = nearest(_estimate([event], edition).exact)

    return ru < edition.floor_on(day or event.ends_on or edition.effective)


def _within_window(events: Sequence[FirstEvent], edition: Edition) -> list[FirstEvent]:
    days = [event.ends_on for event in events if event.ends_on is not None]
    if not days:
        return list(events)
    step = edition.initial.list_months
    lists = edition.initial.pool_months // step
    latest = _list_number(max(days), step)

    return [
        event
        for event in events
        if event.ends_on is None or latest - _list_number(event.ends_on, step) < lists
    ]


def _list_number(day: date, step: int) -> int:
    return month_number(list_in_force(day)) // step


def _estimate(events: Sequence[FirstEvent], edition: Edition) -> Estimate:
    games, points, total = _with_draws(events, edition)
    round_robin = all(event.system is System.ROUND_ROBIN for event in events)

    return estimate(total / games, games, points, edition, round_robin=round_robin)


def _with_draws(events: Sequence[FirstEvent], edition: Edition) -> tuple[int, Hundredths, Fraction]:
    games = sum(event.games for event in events)
    points = sum(event.points for event in events)
    total = sum((event.opponents_total for event in events), Fraction(0))
    if edition.initial.draws_against is None:
        return games, points, total

    return games + _DRAWS, points + _DRAWS * _HALF_POINT, total + _DRAWS * edition.initial.draws_against


def _pooled_rating(events: Sequence[FirstEvent], edition: Edition, day: date | None) -> InitialRating:
    rule = edition.initial
    games = sum(event.games for event in events)
    made_of, _, total = _with_draws(events, edition)
    made = _estimate(events, edition)
    # The text does not order these three; rounded first, then limited, then compared with the floor.
    ru = nearest(made.exact)
    if rule.maximum is not None:
        ru = min(ru, rule.maximum)
    days = [event.ends_on for event in events if event.ends_on is not None]
    floor = edition.floor_on(day or max(days, default=edition.effective))
    if games < rule.games:
        reason = InitialReason.TOO_FEW_GAMES
    elif ru < floor:
        reason = InitialReason.BELOW_FLOOR
    else:
        reason = InitialReason.PUBLISHABLE
    articles = edition.articles
    article = articles.half_points if made.half_points else articles.initial

    return InitialRating(
        games=games,
        points=sum(event.points for event in events),
        ra=nearest_hundredth(total / made_of),
        p=made.p,
        dp=made.dp,
        half_points=made.half_points,
        ru=ru,
        publishable=reason is InitialReason.PUBLISHABLE,
        reason=reason,
        article=article if len(events) == 1 else f"{article}, {articles.pooling}",
    )
