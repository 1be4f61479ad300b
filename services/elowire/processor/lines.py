"""One entrant's line in a tournament: points, rated games, expected score, change, performance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.domain import decimal_text, edition_by_id, initial_rating, performance_of, points_text
from elowire.processor.k_of import k_of
from elowire.processor.rated import changes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elowire.processor.facts import Facts
    from elowire.processor.resolution import Resolved
    from elowire.processor.standings import Standing

State = dict[str, Any]


def line_of(
    tournament_id: str,
    entrant_id: str,
    revision: int,
    tournament: State,
    own: Facts,
    standing: Standing,
    outcome: Resolved | None,
) -> dict[str, Any]:
    """Return the data of `elowire.tournament-rating.v1`; figures are text with two decimals.

    `outcome` is an unrated entrant's part in the tournament's resolution.
    """
    t = tournament["d"]
    k = expected = total = None
    if own.rating:
        expected, total = standing.expected, standing.total
        if standing.rated:
            changes = changes_of(standing.rated, t["e"], t["tc"], t["a"])
            expected = sum(change.expectancy for change in changes)
            total = sum(change.delta for change in changes)
        k, _ = k_of(own, t["e"], t["tc"], t["a"])

    return {
        "tournament_id": tournament_id,
        "entrant_id": entrant_id,
        "player_id": own.player_id,
        "revision": revision,
        "rating": own.rating or None,
        "k": k,
        "points": points_text(standing.scored),
        "rated_games": len(standing.opponents),
        "rated_points": points_text(standing.rated_points),
        "expected": None if expected is None else decimal_text(expected),
        "sum_change": None if total is None else decimal_text(total),
        "change": None if total is None or k is None else decimal_text(k * total),
        "performance": performance_member(standing.opponents, standing.rated_points),
        "initial": None if outcome is None else first_rating_of(tournament, outcome),
    }


def first_rating_of(tournament: State, outcome: Resolved) -> dict[str, Any]:
    """Return the first rating that this tournament alone gives an unrated entrant."""
    t = tournament["d"]
    final = t["st"] == "finished"
    line = outcome.line
    if line is not None:
        return {
            "rc": None if line.rc is None else decimal_text(line.rc * 100),
            "dp": line.dp,
            "ru": line.ru,
            "ru_new": line.ru_new,
            "qualifies": line.disregarded is None and line.games > 0,
            "final": final,
        }
    rating = initial_rating([outcome.first], edition_by_id(t["e"]))

    return {
        "rc": None if rating.ra is None else decimal_text(rating.ra),
        "dp": rating.dp,
        "ru": rating.ru,
        "ru_new": None,
        "qualifies": rating.games > 0,
        "final": final,
    }


def performance_member(opponents: Sequence[int], points: int) -> dict[str, Any] | None:
    """Return the four performance figures, or None before the first rated game."""
    figures = performance_of(opponents, points)
    if figures is None:
        return None

    return {
        "fide": figures.fide,
        "linear": figures.linear,
        "true": figures.true,
        "opponents_average": figures.opponents_average,
    }
