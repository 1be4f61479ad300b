"""The change of a rated player in one game: D, the cap on it, PD and ΔR."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from elowire.domain.articles import RAPID_AND_BLITZ
from elowire.domain.rapid import difference_cap
from elowire.domain.rules import CapScope
from elowire.domain.tables import score_probability
from elowire.domain.time_controls import TimeControl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from elowire.domain.numbers import Hundredths
    from elowire.domain.rules import Edition


class GameChange(NamedTuple):
    """One side of one rated game; expectancy and delta (points minus expectancy) in hundredths."""

    difference: int
    counted_difference: int
    expectancy: Hundredths
    delta: Hundredths


def rate_game(
    *,
    own: int,
    opponent: int,
    points: Hundredths,
    edition: Edition,
    time_control: TimeControl,
    capped: bool | None = None,
    starts_on: date | None = None,
) -> GameChange:
    """Rate one side of a game between published ratings; the change is K times `delta`.

    `capped` says whether the cap protects this game; None decides by the edition for a game that stands
    alone. Where only one game of a tournament is protected, `upgraded` says which. `starts_on` matters for
    rapid and blitz alone, whose chapter has dates of its own.
    Source: B.02 8.54 (8.3.1 from 2022) for the cap, 8.1b (8.1.2) for the expectancy.
    """
    difference = own - opponent
    cap = difference_cap(edition, time_control, starts_on)
    if capped is None:
        capped = cap.exempt_from is None or own < cap.exempt_from
    elif difference < 0 and cap.underdog_always:
        capped = True
    counted = max(-cap.limit, min(cap.limit, difference)) if capped else difference
    expectancy = score_probability(counted)

    return GameChange(difference, counted, expectancy, points - expectancy)


def has_one_upgrade(edition: Edition, time_control: TimeControl, starts_on: date | None = None) -> bool:
    """Whether the cap protects one game of a player's tournament only (8.3.1 of 2022)."""
    return difference_cap(edition, time_control, starts_on).scope is CapScope.ONE_PER_TOURNAMENT


def upgraded(differences: Sequence[int], limit: int = 400) -> int | None:
    """Which game of a player's tournament is capped when one is: that with the greatest difference.

    Takes own minus opponent's rating per game; None when no game is beyond the limit. Of equal differences
    the one as favourite is taken, then the first. Source: B.02 8.3.1 of 1 January 2022.
    """
    beyond = [index for index, difference in enumerate(differences) if abs(difference) > limit]

    return max(beyond, key=lambda index: (abs(differences[index]), differences[index]), default=None)


def article_of(change: GameChange, edition: Edition, time_control: TimeControl = TimeControl.STANDARD) -> str:
    """Name the article that made the figure: the table, and the cap where it changed the difference."""
    table = edition.articles.probability_table
    if change.counted_difference == change.difference:
        return table
    cap = edition.articles.difference_cap if time_control is TimeControl.STANDARD else RAPID_AND_BLITZ

    return f"{cap}, {table}"
