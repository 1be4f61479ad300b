"""What a player's account holds: every side at its highest revision, sums reported elsewhere, lists.

The state of an account is JSON with short names:

    s, v   counter of the state; version of the public figures
    L      list -> [revision, event id, kind, {time control: [rating, K, games]}, birth year]
    G      tournament:game -> Side, as a list
    S      period -> {tournament:game: Known, as a list}, of games whose period is in a list
    R      tournament/time control -> Reported, as a list
    P      tournament/entrant -> First, as a list (what each event adds to a first rating)
    F      time control -> Figures, as a list (what was published last)
"""

from __future__ import annotations

from typing import Any, NamedTuple
from zlib import crc32

import orjson

from elowire.processor.rated import change_of

Account = dict[str, Any]

# How many lists an account remembers: B.02 rates no report that misses the third list after its event.
LISTS_KEPT = 3


class Side(NamedTuple):
    """One side of one game as the ledger keeps it. `own` is 0 for an unrated player, None while unknown."""

    revision: list[int]
    tournament_id: str
    time_control: str | None
    edition: str | None
    period: str | None
    round: int | None
    opponent_id: str | None
    opponent: int | None
    own: int | None
    k: int | None
    rating_list: str | None
    source: str | None
    birth_year: int | None
    games_played: int | None
    points: int | None
    refusal: str | None
    delta: int
    counted: int | None
    """The difference that counts, after the cap."""
    starts_on: str | None

    @property
    def rated(self) -> bool:
        """Whether the side changes the rating of a rated player."""
        return self.refusal is None and bool(self.own)

    @property
    def in_pool(self) -> bool:
        """Whether the side counts towards a first rating."""
        return self.refusal is None and self.own == 0


Row = list[Any]
"""A Side as it is stored."""

AT_TIME_CONTROL, AT_EDITION, AT_PERIOD, AT_OWN, AT_REFUSAL, AT_DELTA = (
    Side._fields.index(name) for name in ("time_control", "edition", "period", "own", "refusal", "delta")
)
FACTS = slice(Side._fields.index("own"), Side._fields.index("games_played") + 1)
"""The part of a stored Side that says what is known of the player."""


class Known(NamedTuple):
    """What remains of a settled game: enough to tell whether a side is newer, and says anything new."""

    revision: list[int]
    refusal: str | None
    digest: int

    @classmethod
    def of(cls, side: Side) -> Known:
        """Return what remains of a side."""
        return cls(side.revision, side.refusal, crc32(orjson.dumps(side[1:])))


class Reported(NamedTuple):
    """The sum of an event whose games are not here."""

    revision: list[Any]
    time_control: str
    edition: str
    period: str
    sum_change: int
    games: int | None
    own: int | None
    status: str


def new_account() -> Account:
    """Return an account that knows nothing."""
    return {"s": 0, "v": 0, "L": {}, "G": {}, "S": {}, "R": {}, "P": {}, "F": {}}


def side_from(event: dict[str, Any]) -> Side:
    """Return the side that a player event carries; a game without refusal is rated at once."""
    own, opponent, points, refusal = event.get("w"), event.get("or"), event.get("x"), event.get("f")
    delta, counted = 0, None
    if refusal is None and own:
        change = change_of(own, opponent, points, event["e"], event["tc"], event["a"])
        delta, counted = change.delta, change.counted_difference

    return Side(
        event["r"],
        event["T"],
        event.get("tc"),
        event.get("e"),
        event.get("p"),
        event.get("rd"),
        event.get("o"),
        opponent,
        own,
        event.get("k"),
        event.get("l"),
        event.get("so"),
        event.get("y"),
        event.get("gp"),
        points,
        refusal,
        delta,
        counted,
        event.get("a"),
    )
