"""K, the development coefficient, with the reason for it, and its cut by the number of games."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from elowire.domain.rapid import rapid_chapter
from elowire.domain.time_controls import TimeControl

if TYPE_CHECKING:
    from datetime import date

    from elowire.domain.rules import Edition


class KReason(StrEnum):
    """Why a player's K is what it is."""

    LIST = "list"
    ENTRANT = "entrant"
    EVER_2400 = "ever-2400"
    JUNIOR = "junior"
    NEW_PLAYER = "new-player"
    DEFAULT = "default"
    CUT_700 = "cut-700"
    ASSUMED = "assumed"


class KFactor(NamedTuple):
    """K before the cut, and its reason."""

    k: int
    reason: KReason


def k_factor(  # noqa: PLR0913 - each is one fact that the article asks for
    *,
    edition: Edition,
    rating: int,
    list_year: int,
    time_control: TimeControl = TimeControl.STANDARD,
    highest: int | None = None,
    games: int | None = None,
    birth_year: int | None = None,
    printed: int | None = None,
    entrant: int | None = None,
    starts_on: date | None = None,
) -> KFactor:
    """K of a player in a rating period.

    `rating` and `list_year` are those of the list before the period; `highest` is the highest rating ever
    published for the time control (without it, `rating`), `games` the games counted so far, `printed` the K
    on that list and `entrant` the K of the tournament's entry: the list wins, then the entry, then the rule.
    The reason is `assumed` where a fact is unknown that could have changed K; then the player is taken for
    experienced and grown up.
    Source: B.02 8.56 (8.3.3 from 2022), with the precedence that FIDE's lists of 2017 to 2026 show.
    """
    if printed:
        return KFactor(printed, KReason.LIST)
    if entrant:
        return KFactor(entrant, KReason.ENTRANT)
    if time_control is not TimeControl.STANDARD:
        chapter = rapid_chapter(edition, starts_on)
        if chapter is not None and chapter.flat_k is not None:
            return KFactor(chapter.flat_k, KReason.DEFAULT)

    return _k_by_rule(edition, max(rating, highest or 0), games, birth_year, list_year)


def cut_k(k: int, games: int, edition: Edition, time_control: TimeControl = TimeControl.STANDARD) -> int:
    """Find the largest whole K, at most `k`, with K·games within the edition's limit (700 from July 2017).

    `games` counts every game of the player that the list rates. Rapid and blitz have had the limit from 2012.
    """
    limit = edition.k_games_limit
    if limit is None and time_control is not TimeControl.STANDARD:
        chapter = rapid_chapter(edition)
        limit = None if chapter is None else chapter.k_games_limit
    if limit is None or k * games <= limit:
        return k

    return limit // games


def _k_by_rule(
    edition: Edition, highest: int, games: int | None, birth_year: int | None, list_year: int
) -> KFactor:
    bands = edition.k_bands
    experienced = None if games is None else games >= bands.experienced_from
    if highest >= bands.high_from and (experienced is not False or not bands.high_needs_games):
        certain = experienced or not bands.high_needs_games
        return KFactor(bands.high, KReason.EVER_2400 if certain else KReason.ASSUMED)
    junior = bands.junior if bands.junior is not None and highest < bands.junior.below else None
    if junior is not None and birth_year is not None and list_year - birth_year <= junior.last_age:
        return KFactor(junior.k, KReason.JUNIOR)
    if bands.new is not None and experienced is False:
        return KFactor(bands.new, KReason.NEW_PLAYER)
    unknown = (bands.new is not None and experienced is None) or (junior is not None and birth_year is None)

    return KFactor(bands.middle, KReason.ASSUMED if unknown else KReason.DEFAULT)
