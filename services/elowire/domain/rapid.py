"""Rapid and blitz: a chapter of their own, with dates of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from elowire.domain.editions import last_day
from elowire.domain.rules import CapScope, DifferenceCap
from elowire.domain.time_controls import TimeControl

if TYPE_CHECKING:
    from elowire.domain.rules import Edition


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GapRule:
    """Games that are not rated because the players are too far apart."""

    least_gap: int
    """Difference from which a game is not rated."""
    above: int
    """Either player must be rated above this."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RapidChapter:
    """One state of the rapid and blitz chapter."""

    effective: date
    cap: DifferenceCap
    flat_k: int | None = None
    """K of everybody; None takes the K of standard chess."""
    k_games_limit: int = 700
    standard_rating_plays: bool = False
    """Whether a player without a rapid or blitz rating plays as rated with the standard one."""
    gap: GapRule | None = None


RAPID_CHAPTERS: Final = (
    RapidChapter(effective=date(2012, 1, 1), cap=DifferenceCap(), flat_k=20),
    RapidChapter(effective=date(2022, 10, 1), cap=DifferenceCap(scope=CapScope.ONE_PER_TOURNAMENT)),
    RapidChapter(effective=date(2024, 3, 1), cap=DifferenceCap(), standard_rating_plays=True),
    RapidChapter(
        effective=date(2024, 12, 1),
        cap=DifferenceCap(),
        standard_rating_plays=True,
        gap=GapRule(least_gap=600, above=2600),
    ),
)
"""The chapter's states, oldest first; before 2012 there was neither a rapid nor a blitz rating."""


class PlayingRating(NamedTuple):
    """The rating with which a player enters E, and the list that it comes from; None is unrated."""

    rating: int | None
    source: TimeControl | None


@lru_cache(maxsize=1024)
def rapid_chapter(edition: Edition, starts_on: date | None = None) -> RapidChapter | None:
    """Find the state of the chapter for a tournament under `edition`.

    A day outside the edition's own days counts as its nearest one, no day at all as its last one. None means
    that rapid and blitz were not rated yet.
    """
    last = last_day(edition)
    day = last if starts_on is None else min(max(starts_on, edition.effective), last)
    reached = [chapter for chapter in RAPID_CHAPTERS if chapter.effective <= day]

    return reached[-1] if reached else None


def is_rated_on(time_control: TimeControl, day: date) -> bool:
    """Whether a rating for this time control existed on `day`."""
    return time_control is TimeControl.STANDARD or day >= RAPID_CHAPTERS[0].effective


@lru_cache(maxsize=1024)
def difference_cap(
    edition: Edition, time_control: TimeControl, starts_on: date | None = None
) -> DifferenceCap:
    """Find the cap on D that holds for a tournament of this time control."""
    if time_control is TimeControl.STANDARD:
        return edition.cap
    chapter = rapid_chapter(edition, starts_on)

    return edition.cap if chapter is None else chapter.cap


def is_rating_gap(
    own: int, opponent: int, *, edition: Edition, time_control: TimeControl, starts_on: date | None = None
) -> bool:
    """Whether the players are too far apart for a rated rapid or blitz game.

    Source: B.02 RB, from 1 December 2024: 600 points or more when either player is rated above 2600.
    """
    if time_control is TimeControl.STANDARD:
        return False
    chapter = rapid_chapter(edition, starts_on)
    if chapter is None or chapter.gap is None:
        return False

    return abs(own - opponent) >= chapter.gap.least_gap and max(own, opponent) > chapter.gap.above


def playing_rating(
    *,
    time_control: TimeControl,
    rating: int | None,
    standard: int | None,
    edition: Edition,
    starts_on: date | None = None,
) -> PlayingRating:
    """Find the rating that a player brings into a tournament of this time control.

    `rating` is the published one of the time control, `standard` the published standard one; None or 0 is
    unrated. Source: B.02 RB 7.2.1, from 1 March 2024: without a rapid or blitz rating the standard one plays.
    """
    if rating:
        return PlayingRating(rating, time_control)
    if time_control is TimeControl.STANDARD or not standard:
        return PlayingRating(None, None)
    chapter = rapid_chapter(edition, starts_on)
    if chapter is None or not chapter.standard_rating_plays:
        return PlayingRating(None, None)

    return PlayingRating(standard, TimeControl.STANDARD)
