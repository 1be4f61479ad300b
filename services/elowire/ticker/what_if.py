"""What a result would bring, before the game ends: points, live rating and next list, for both players.

The arithmetic is the domain's own, over the games that the board has: the cut of K by K·n, the one rounding
of each rating period, and the first rating of the unrated. Changes of events whose games are not here are
taken from the live rating as it was told, and `exact` says whether the parts give that rating.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from elowire.domain import (
    Edition,
    FirstEvent,
    Hundredths,
    Refusal,
    TimeControl,
    cut_k,
    decimal_text,
    hundredths,
    initial_rating,
    is_rating_gap,
    k_factor,
    live_figures,
    points_text,
    rate_game,
    tenths_text,
)

Json = dict[str, Any]

OUTCOMES: tuple[tuple[str, Hundredths], ...] = (("win", 100), ("draw", 50), ("loss", 0))


@dataclass(frozen=True, slots=True)
class Game:
    """What decides how a game is rated: time control, list that it goes into, edition, first day."""

    time_control: TimeControl
    period: str
    edition: Edition
    starts_on: date


class Person(NamedTuple):
    """A player before the game; `rating` is what he plays with here, None for unrated.

    `figures` are those of the live rating for the time control, `sides` the pending games of it.
    """

    rating: int | None
    figures: Mapping[str, Any] | None
    sides: Sequence[Mapping[str, Any]]
    birth_year: int | None


class _Base(NamedTuple):
    """What a live rating is made of: the published one, K before the cut, (games, sum) by period."""

    published: int
    k: int
    periods: dict[str, tuple[int, Hundredths]]
    exact: bool


def outcomes(own: Person, opponent: Person, game: Game) -> Json:
    """Say what a win, a draw and a loss would bring to `own`.

    Each has `change` (what the game adds to the live rating), `live`, `predicted` and `k_used`; for the
    unrated `initial`, the first rating as it would be then. `refusal` says why no result would count.
    """
    refusal = _refusal(own, opponent, game)
    if refusal is not None:
        return {"refusal": refusal.value, "exact": True, "win": None, "draw": None, "loss": None}
    if own.rating is None:
        return {
            "refusal": None,
            "exact": _knows_all(own),
            **{name: _first(own, opponent, points, game) for name, points in OUTCOMES},
        }
    base = _base(own, game)

    return {
        "refusal": None,
        "exact": base.exact,
        **{name: _then(base, own.rating, opponent.rating or 0, points, game) for name, points in OUTCOMES},
    }


def _refusal(own: Person, opponent: Person, game: Game) -> Refusal | None:
    if opponent.rating is None:
        return Refusal.UNRATED_OPPONENT
    if own.rating is not None and is_rating_gap(
        own.rating,
        opponent.rating,
        edition=game.edition,
        time_control=game.time_control,
        starts_on=game.starts_on,
    ):
        return Refusal.RATING_GAP

    return None


def _base(own: Person, game: Game) -> _Base:
    """Take a live rating apart so that one more game can be put into it."""
    figures = own.figures or {}
    published = figures.get("published") or {}
    rating = published.get("rating") or own.rating or 0
    k = _k_before_cut(own, rating, game)
    periods: dict[str, tuple[int, Hundredths]] = {}
    for side in own.sides:
        if side.get("refusal") is None and side.get("delta") is not None:
            games, total = periods.get(side.get("rating_period") or game.period, (0, 0))
            periods[side.get("rating_period") or game.period] = games + 1, total + hundredths(side["delta"])
    told = hundredths(figures.get("change") or "0")
    exact = _change(rating, k, periods, game) == told
    if not exact:
        # Events that were reported as sums have no games here: they go where the sum comes out right.
        for period in sorted({*periods, game.period}, reverse=True):
            games, total = periods.get(period, (0, 0))
            rest = told - _change(rating, k, periods, game)
            part, odd = divmod(rest, cut_k(k, games, game.edition, game.time_control))
            moved = {**periods, period: (games, total + part)}
            if not odd and _predicted(rating, k, moved, game) == figures.get("predicted"):
                return _Base(rating, k, moved, exact=figures.get("k_reason") != "cut-700")

    return _Base(rating, k, periods, exact)


def _k_before_cut(own: Person, rating: int, game: Game) -> int:
    figures = own.figures or {}
    published = figures.get("published") or {}
    if figures.get("k_used") and figures.get("k_reason") != "cut-700":
        return int(figures["k_used"])

    return k_factor(
        edition=game.edition,
        rating=rating,
        list_year=game.starts_on.year,
        time_control=game.time_control,
        games=published.get("games"),
        birth_year=own.birth_year,
        printed=published.get("k"),
        starts_on=game.starts_on,
    ).k


def _then(base: _Base, own: int, opponent: int, points: Hundredths, game: Game) -> Json:
    change = rate_game(
        own=own,
        opponent=opponent,
        points=points,
        edition=game.edition,
        time_control=game.time_control,
        starts_on=game.starts_on,
    )
    games, total = base.periods.get(game.period, (0, 0))
    periods = {**base.periods, game.period: (games + 1, total + change.delta)}
    after = live_figures(base.published, base.k, _ordered(periods), game.edition, game.time_control)
    before = _change(base.published, base.k, base.periods, game)

    return {
        "change": decimal_text(after.change - before),
        "live": tenths_text(after.live),
        "predicted": after.predicted,
        "k_used": cut_k(base.k, games + 1, game.edition, game.time_control),
        "delta": decimal_text(change.delta),
        "initial": None,
    }


def _first(own: Person, opponent: Person, points: Hundredths, game: Game) -> Json:
    """Give the first rating as one more game would make it; the game counts as one of the newest event."""
    events: dict[str, list[tuple[int, Hundredths]]] = {}
    for side in _counted(own):
        events.setdefault(side["tournament_id"], []).append(
            (side["opponent_rating"], hundredths(side["points"]))
        )
    newest = max(
        ((side.get("rating_period") or "", side["tournament_id"]) for side in _counted(own)), default=("", "")
    )[1]
    events.setdefault(newest, []).append((opponent.rating or 0, points))
    rating = initial_rating([FirstEvent.of_games(games) for games in events.values()], game.edition)

    return {
        "change": None,
        "live": None,
        "predicted": rating.ru if rating.publishable else None,
        "k_used": None,
        "delta": None,
        "initial": {
            "games": rating.games,
            "points": points_text(rating.points),
            "ra": None if rating.ra is None else decimal_text(rating.ra),
            "ru": rating.ru,
            "publishable": rating.publishable,
            "reason": rating.reason.value,
        },
    }


def _counted(own: Person) -> list[Mapping[str, Any]]:
    return [
        side
        for side in own.sides
        if side.get("refusal") is None and side.get("opponent_rating") and side.get("points") is not None
    ]


def _knows_all(own: Person) -> bool:
    told = (own.figures or {}).get("initial") or {}

    return bool(len(_counted(own)) == told.get("games", 0))


def _change(rating: int, k: int, periods: dict[str, tuple[int, Hundredths]], game: Game) -> Hundredths:
    return live_figures(rating, k, _ordered(periods), game.edition, game.time_control).change


def _predicted(rating: int, k: int, periods: dict[str, tuple[int, Hundredths]], game: Game) -> int:
    return live_figures(rating, k, _ordered(periods), game.edition, game.time_control).predicted


def _ordered(periods: dict[str, tuple[int, Hundredths]]) -> list[tuple[int, Hundredths]]:
    return [periods[period] for period in sorted(periods)]
