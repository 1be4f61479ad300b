"""Every player's figures, from all sides, lists and reported changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from elowire.contracts.vocabulary import ReportStatus
from elowire.domain import (
    EDITIONS,
    GameChange,
    Refusal,
    TimeControl,
    decimal_text,
    edition_on,
    has_one_upgrade,
    initial_rating,
    k_factor,
    live_figures,
    points_text,
    rate_game,
    tenths_text,
    upgraded,
)

if TYPE_CHECKING:
    from tests.oracle.sides import Side

LISTS_KEPT = 3
NOTHING = (0, None, None)


@dataclass(frozen=True)
class Rated:
    """A side with its figures, and whether its period is in a list already."""

    side: Side
    change: GameChange | None
    settled: bool


@dataclass(frozen=True)
class Base:
    rating_list: str | None
    rating: int
    k: int
    reason: str
    listed_k: int | None
    games: int | None


class Player:
    """One player's lists, sides and reported changes."""

    def __init__(self, sides, lists, reported, firsts):
        kept = sorted(lists)[-LISTS_KEPT:]
        self.years = {name: lists[name].birth_year for name in kept}
        self.printed = {
            name: {control: (f.rating or 0, f.k, f.games) for control, f in lists[name].ratings()}
            for name in kept
        }
        self.reported = [report for report in reported if report.status is ReportStatus.REPORTED]
        self.firsts = firsts
        self.sides = self._rated(sides)

    def _rated(self, sides):
        pending = [side for side in sides if not self._is_settled(side)]
        done = [Rated(side, _alone(side), settled=True) for side in sides if side not in pending]
        groups = {}
        for side in sorted(pending, key=lambda side: side.game):
            groups.setdefault(side.tournament_id, []).append(side)
        for group in groups.values():
            done += [
                Rated(side, change, settled=False)
                for side, change in zip(group, _together(group), strict=True)
            ]

        return done

    def _is_settled(self, side):
        """A newcomer's sides wait until a list prints a rating, a rated player's until the next list."""
        known = [
            name for name in self.printed if side.own.rating or self.printed_in(name, side.time_control)[0]
        ]

        return side.period is not None and side.period <= max(known, default="")

    def printed_in(self, name, control):
        """(rating, K, games) of a list, the rating 0 where it prints none."""
        return self.printed[name].get(control, NOTHING)

    def figures(self):
        """{time control: figures as `elowire.live-rating.v1` has them, without `previous`}."""
        return {str(c): found for c in TimeControl if (found := self._figures_of(c)) is not None}

    def _figures_of(self, control):
        pending = [r for r in self.sides if not r.settled and r.side.time_control is control]
        base = self._base(control, [r.side for r in pending])
        if base is None:
            return self._unrated(control, pending)
        periods, editions, games = {}, [], 0
        for rated in pending:
            side = rated.side
            if rated.change is not None and side.period > (base.rating_list or ""):
                _add(periods, side.period, 1, rated.change.delta)
                editions.append((side.period, side.edition.id, side.edition))
                games += 1
        for report in self.reported:
            if report.time_control is control and report.period() > (base.rating_list or ""):
                _add(periods, report.period(), report.games or 0, report.sum_change_hundredths)
                edition = edition_on(report.starts_on)
                editions.append((report.period(), edition.id, edition))
        live, change, predicted, k, reason = base.rating * 100, 0, base.rating, base.k, base.reason
        if periods:
            figures = live_figures(
                base.rating,
                base.k,
                [tuple(periods[name]) for name in sorted(periods)],
                max(editions, key=lambda entry: entry[:2])[2],
                control,
            )
            live, change, predicted, k = figures.live, figures.change, figures.predicted, figures.k_used
            reason = "cut-700" if figures.cut else reason

        return {
            "status": "rated",
            "published": {
                "list": base.rating_list,
                "rating": base.rating,
                "k": base.listed_k,
                "games": base.games,
            },
            "live": tenths_text(live),
            "change": decimal_text(change),
            "predicted": predicted,
            "k_used": k,
            "k_reason": reason,
            "pending_games": games,
            "initial": None,
        }

    def _unrated(self, control, pending):
        firsts = [first for first in self.firsts if first.time_control is control]
        if not firsts and not any(r.side.own.rating == 0 for r in pending):
            return None
        initial = None
        if firsts:
            newest = max(firsts, key=lambda first: (first.event.ends_on, first.edition.id))
            rating = initial_rating([first.event for first in firsts], newest.edition)
            final = all(first.final for first in firsts)
            initial = {
                "games": rating.games,
                "points": points_text(rating.points),
                "ra": None if rating.ra is None else decimal_text(rating.ra),
                "p": None if rating.p is None else decimal_text(rating.p),
                "dp": rating.dp,
                "ru": rating.ru,
                "publishable": rating.publishable and final,
                "provisional": not final,
            }

        return {
            "status": "unrated",
            "published": None,
            "live": None,
            "change": "0.00",
            "predicted": None,
            "k_used": None,
            "k_reason": None,
            "pending_games": sum(r.side.refusal is None and r.side.own.rating == 0 for r in pending),
            "initial": initial,
        }

    def _base(self, control, sides):
        listed = max((name for name in self.printed if self.printed_in(name, control)[0]), default="")
        newest = max((side for side in sides if side.own.rating), key=_newest, default=None)
        if listed and (newest is None or listed >= (newest.own.rating_list or "")):
            rating, k, games = self.printed_in(listed, control)
            if k is not None:
                return Base(listed, rating, k, "list", k, games)
            if newest is not None and newest.own.k is not None:
                return Base(listed, rating, newest.own.k, "entrant", None, games)
            day = date.fromisoformat(f"{listed}-01")
            edition = edition_on(max(day, EDITIONS[0].effective)) if newest is None else newest.edition
            k, reason = _derived(rating, self.years[listed], games, edition, control, day)
            return Base(listed, rating, k, reason, None, games)
        if newest is None:
            return None
        own = newest.own
        if own.k is not None:
            reason = "list" if own.from_list else "entrant"
            return Base(own.rating_list, own.rating, own.k, reason, own.k, own.games_played)
        day = date.fromisoformat(f"{own.rating_list}-01")
        k, reason = _derived(own.rating, own.birth_year, own.games_played, newest.edition, control, day)

        return Base(own.rating_list, own.rating, k, reason, None, own.games_played)


def _newest(side):
    """Which facts serve as the base: the newest list's, then any choice that no order changes."""
    own = side.own

    return (
        own.rating_list or "",
        own.rating,
        own.k or 0,
        own.from_list,
        own.birth_year or 0,
        own.games_played or 0,
        side.edition.id if side.edition else "",
    )


def _derived(rating, year, games, edition, control, day):
    k, reason = k_factor(
        edition=edition,
        rating=rating,
        list_year=day.year,
        time_control=control,
        games=games,
        birth_year=year,
        starts_on=day,
    )

    return k, str(reason)


def _rules(side):
    return {"edition": side.edition, "time_control": side.time_control, "starts_on": side.starts_on}


def _alone(side, capped=None):
    if not side.rated:
        return None

    return rate_game(
        own=side.own.rating, opponent=side.opponent, points=side.points, capped=capped, **_rules(side)
    )


def _together(group):
    """Changes of a player's pending games in one tournament, where the cap may protect only one of them."""
    rated = [side for side in group if side.rated]
    if not rated or not has_one_upgrade(rated[0].edition, rated[0].time_control, rated[0].starts_on):
        return [_alone(side) for side in group]
    chosen = upgraded([side.own.rating - side.opponent for side in rated])
    changes = {side.game: _alone(side, number == chosen) for number, side in enumerate(rated)}

    return [changes.get(side.game) for side in group]


def _add(periods, period, games, total):
    entry = periods.setdefault(period, [0, 0])
    entry[0] += games
    entry[1] += total


def rated_game(rated):
    """The members of `elowire.rated-game.v1` that follow from the inputs alone."""
    side, change = rated.side, rated.change
    status = "settled" if rated.settled else "pending"

    colour = {} if side.colour is None else {"colour": side.colour}

    return {
        "player_id": side.player_id,
        "game_id": side.game[len(side.tournament_id) + 1 :],
        "tournament_id": side.tournament_id,
        "time_control": side.time_control,
        "rating_period": side.period,
        "round": side.round,
        "opponent_id": side.opponent_id,
        "opponent_rating": side.opponent or None,
        "own_rating": side.own.rating or None,
        "points": None if side.points is None else points_text(side.points),
        "difference": None if change is None else change.difference,
        "counted_difference": None if change is None else change.counted_difference,
        "expectancy": None if change is None else decimal_text(change.expectancy),
        "delta": None if change is None else decimal_text(change.delta),
        "refusal": side.refusal,
        "status": "annulled" if side.refusal is Refusal.ANNULLED else status,
        **colour,
    }
