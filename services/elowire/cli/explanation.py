"""Where a player's pending hundredths come from: every game, every sum, every rounding. Pure.

An output event names the article of a figure and not its edition. The edition is that in force when the
rating period's tournaments were played, provided that it makes the same figures; else the newest one that
does, since a tournament may name an older edition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from elowire.cli.ticker_client import Figures, Game, PlayerView
from elowire.domain import (
    EDITIONS,
    PROBABILITY,
    Edition,
    KReason,
    OutsideEditions,
    Refusal,
    TimeControl,
    article_of,
    cut_k,
    decimal_text,
    edition_on,
    first_day,
    has_one_upgrade,
    hundredths,
    previous_period,
    rapid_chapter,
    rate_game,
    round_change,
)

K_SAID = {
    KReason.LIST: "as the list prints it",
    KReason.ENTRANT: "as the tournament's entry gives it",
    KReason.EVER_2400: "published at 2400 or more",
    KReason.JUNIOR: "a junior, to the end of the year of the 18th birthday",
    KReason.NEW_PLAYER: "fewer than 30 games so far",
    KReason.DEFAULT: "the rule for everybody else",
    KReason.CUT_700: "cut, so that K times the number of games stays within 700",
    KReason.ASSUMED: "assumed, because a fact that could change it is not known",
}


class Figure(NamedTuple):
    """One counted game and its change, in hundredths; `row` are the differences of its row of the table."""

    game: Game
    k: int
    change: int
    edition: Edition | None
    row: str


class PeriodSum(NamedTuple):
    """One rating period: its games, K after the cut, and the one rounding; sums in hundredths.

    `rounded` is None where the period may hold a part of the change that no game here shows.
    """

    period: str
    edition: Edition | None
    figures: tuple[Figure, ...]
    k: int
    k_before_cut: int | None
    sum_delta: int
    change: int
    rounded: int | None


class Explanation(NamedTuple):
    """One time control of a player; `elsewhere` is what the change holds beyond the games, in hundredths.

    `listed` are games that the published rating holds already: its list is not older than their period.
    """

    time_control: TimeControl
    figures: Figures
    periods: tuple[PeriodSum, ...]
    first_games: tuple[Game, ...]
    listed: tuple[Game, ...]
    refused: tuple[Game, ...]
    elsewhere: int
    stated: Edition | None = None


def explanations(
    view: PlayerView, time_controls: Iterable[TimeControl], stated: Edition | None = None
) -> list[Explanation]:
    """Explain the time controls of which something is known; `stated` is the edition where it is known."""
    found = []
    for time_control in time_controls:
        figures = view.figures(time_control)
        refused = tuple(game for game in view.refused_games if game.time_control in {time_control, None})
        if figures is None:
            if any(game.time_control is time_control for game in refused):
                figures = Figures(status="unrated")
            else:
                continue
        games = [game for game in view.games if game.time_control is time_control]
        found.append(_explained(time_control, figures, games, refused, stated))
    return found


def edition_of(games: Sequence[Game]) -> Edition | None:
    """Return the edition that made the figures of a tournament's counted games; None where none makes all."""
    for edition in _candidates(games[0].rating_period):
        if all(_makes(edition, game) for game in games):
            return edition
    return None


def first_edition(explanation: Explanation) -> Edition | None:
    """Return the edition of a first rating: that of the newest game that counts for it."""
    if explanation.stated is not None:
        return explanation.stated
    periods = [game.rating_period for game in explanation.first_games if game.rating_period]
    return _in_force(max(periods)) if periods else None


def games_limit(edition: Edition, time_control: TimeControl) -> int | None:
    """Return the greatest K·n of a rating period; None where the edition has no such limit."""
    if edition.k_games_limit is not None or time_control is TimeControl.STANDARD:
        return edition.k_games_limit
    chapter = rapid_chapter(edition)
    return None if chapter is None else chapter.k_games_limit


def table_row(counted_difference: int) -> str:
    """Return the row of table 8.1.2 in which a difference lies, as "54 to 61" or "736 and more"."""
    edges = sorted(least for least, _ in PROBABILITY)
    size = abs(counted_difference)
    number = max(place for place, least in enumerate(edges) if least <= size)
    if number + 1 == len(edges):
        return f"{edges[number]} and more"
    return f"{edges[number]} to {edges[number + 1] - 1}"


def refusal_said(reason: Refusal) -> str:
    """Say a refusal's word in plain text."""
    return reason.value.replace("-", " ")


def _explained(
    time_control: TimeControl,
    figures: Figures,
    games: Sequence[Game],
    refused: tuple[Game, ...],
    stated: Edition | None,
) -> Explanation:
    standing_on = (figures.published.list if figures.published else None) or ""
    rated = sorted((game for game in games if game.delta is not None), key=_order)
    counted = [game for game in rated if (game.rating_period or "") > standing_on]
    listed = tuple(game for game in rated if (game.rating_period or "") <= standing_on)
    sums: list[PeriodSum] = []
    for period, played in groupby(counted, key=lambda game: game.rating_period or ""):
        sums.append(_period_sum(time_control, figures, period, list(played), stated, first=not sums))
    known = sum(one.change for one in sums)
    elsewhere = hundredths(figures.change or "0") - known if figures.published else 0
    if elsewhere:
        alone = len(sums) == 1
        sums = [
            one._replace(rounded=_rounded(one.change + elsewhere, one.edition) if alone else None)
            for one in sums
        ]
    first_games = tuple(game for game in games if game.delta is None)

    return Explanation(time_control, figures, tuple(sums), first_games, listed, refused, elsewhere, stated)


def _makes(edition: Edition, game: Game) -> bool:
    """Whether an edition gives a game exactly the figures and the article that it has."""
    time_control = game.time_control or TimeControl.STANDARD
    starts_on = None if game.rating_period is None else first_day(previous_period(game.rating_period))
    said = (game.difference, game.counted_difference, game.expectancy, game.delta, game.article)
    # With one upgrade per tournament, which game has it is seen from the figures alone.
    choices = (True, False) if has_one_upgrade(edition, time_control, starts_on) else (None,)
    for capped in choices:
        change = rate_game(
            own=game.own_rating or 0,
            opponent=game.opponent_rating or 0,
            points=hundredths(game.points or "0"),
            edition=edition,
            time_control=time_control,
            capped=capped,
            starts_on=starts_on,
        )
        made = (
            change.difference,
            change.counted_difference,
            decimal_text(change.expectancy),
            decimal_text(change.delta),
            article_of(change, edition, time_control),
        )
        if made == said:
            return True
    return False


def _period_sum(
    time_control: TimeControl,
    figures: Figures,
    period: str,
    games: Sequence[Game],
    stated: Edition | None,
    *,
    first: bool,
) -> PeriodSum:
    editions = {
        tournament: stated or edition_of([game for game in games if game.tournament_id == tournament])
        for tournament in {game.tournament_id for game in games}
    }
    # As the period is one, so is its rounding: the rules of the newest tournament.
    edition = max(filter(None, editions.values()), key=EDITIONS.index, default=None)
    cut = figures.k_reason is KReason.CUT_700
    listed = figures.published.k if figures.published else None
    k_used = figures.k_used or 0
    whole = listed if cut else k_used
    k = k_used
    if not first and whole is not None and edition is not None:
        # Every period has its own cut; `k_used` is that of the earliest.
        k = cut_k(whole, len(games), edition, time_control)
    made = tuple(
        Figure(
            game,
            k,
            k * hundredths(game.delta or "0"),
            editions[game.tournament_id],
            table_row(game.counted_difference or 0),
        )
        for game in games
    )
    sum_delta = sum(hundredths(game.delta or "0") for game in games)
    change = k * sum_delta
    before = whole if whole is not None and whole > k else None

    return PeriodSum(period, edition, made, k, before, sum_delta, change, _rounded(change, edition))


def _rounded(change: int, edition: Edition | None) -> int:
    return round_change(change, edition or EDITIONS[-1])


def _order(game: Game) -> tuple[str, str, int, str]:
    return game.rating_period or "", game.tournament_id or "", game.round or 0, game.game_id


@lru_cache(64)
def _in_force(period: str | None) -> Edition | None:
    if period is None:
        return None
    try:
        return edition_on(first_day(previous_period(period)))
    except (OutsideEditions, ValueError):
        return None


@lru_cache(64)
def _candidates(period: str | None) -> tuple[Edition, ...]:
    """Return the editions in the order in which they are likely: in force, then the others, newest first."""
    likely = _in_force(period)
    others = [edition for edition in reversed(EDITIONS) if edition is not likely]

    return tuple(others) if likely is None else (likely, *others)
