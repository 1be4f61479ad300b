"""First ratings on their way from the tournament stage, which knows the games, to the player's pool.

One record per unrated entrant and tournament: what this event adds to a first rating (B.02 8.2, 8.3).
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from elowire.domain import FirstEvent, System, decimal_text, edition_by_id, initial_rating, points_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elowire.domain import InitialRating

State = dict[str, Any]


class First(NamedTuple):
    """What one event adds to a first rating, as the ledger keeps it; `total` is [numerator, denominator]."""

    revision: int
    time_control: str
    edition: str
    period: str
    games: int
    points: int
    total: list[int]
    rated_opponents: int
    system: str
    ends_on: str
    final: bool
    unrated: bool

    def event(self) -> FirstEvent:
        """Return it as the domain's own."""
        numerator, denominator = self.total

        return FirstEvent(
            self.games,
            self.points,
            Fraction(numerator, denominator),
            self.rated_opponents,
            System(self.system),
            date.fromisoformat(self.ends_on),
        )


def first_value(
    entry: tuple[str, str], tournament: State, revision: int, event: FirstEvent | None, system: System
) -> bytes:
    """Return the player event of one unrated entrant; no event means that he is not unrated (any more).

    `entry` is (tournament id, entrant id): entrants who were taken for each other change one by one.
    """
    t = tournament["d"]
    counted = event or FirstEvent(0, 0, Fraction(0), 0)
    first = First(
        revision,
        t["tc"],
        t["e"],
        t["p"],
        counted.games,
        counted.points,
        [counted.opponents_total.numerator, counted.opponents_total.denominator],
        counted.rated_opponents,
        system.value,
        t["z"],
        t["st"] == "finished",
        event is not None,
    )

    return orjson.dumps({"t": "first", "T": entry[0], "E": entry[1], "c": tournament["i"], "f": list(first)})


def pooled(events: Sequence[First]) -> tuple[InitialRating, bool] | None:
    """Return (first rating, whether every event is final) over a player's events, or None without any."""
    unrated = [first for first in events if first.unrated]
    if not unrated:
        return None
    newest = max(unrated, key=lambda first: (first.ends_on, first.edition))
    rating = initial_rating([first.event() for first in unrated], edition_by_id(newest.edition))

    return rating, all(first.final for first in unrated)


def initial_of(events: Sequence[First]) -> dict[str, Any] | None:
    """Return the `initial` member of a live rating: a first rating in the making."""
    found = pooled(events)
    if found is None:
        return None
    rating, final = found

    return {
        "games": rating.games,
        "points": points_text(rating.points),
        "ra": None if rating.ra is None else decimal_text(rating.ra),
        "p": None if rating.p is None else decimal_text(rating.p),
        "dp": rating.dp,
        "ru": rating.ru,
        "publishable": rating.publishable and final,
        "provisional": not final,
    }
