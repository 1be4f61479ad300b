"""What a player's account holds: every side at its highest revision, sums reported elsewhere, lists.

The state of an account is JSON with short names:

    s, v   counter of the state; version of the public figures
    L      list -> [revision, event id, kind, {time control: [rating, K, games]}, birth year]
    E      [Entry, games that count, sum of their ΔR, {game: Row}], one for each of the player's entries;
           a Row is a Side as text, so that a long account is written almost as fast as a short one
    S      period -> {tournament:game: Known, as a list}, of games whose period is in a list
    R      tournament/time control -> Reported, as a list
    P      tournament/entrant -> First, as a list (what each event adds to a first rating)
    F      time control -> Figures, as a list (what was published last)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

import orjson

from elowire.processor.rated import change_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Account = dict[str, Any]

# How many lists an account remembers: B.02 rates no report that misses the third list after its event.
LISTS_KEPT = 3


class Entry(NamedTuple):
    """What all sides of one tournament have in common, while the facts about the player stay the same.

    `own` is 0 for an unrated player, None while unknown.
    """

    tournament_id: str
    time_control: str | None
    edition: str | None
    period: str | None
    starts_on: str | None
    own: int | None
    k: int | None
    rating_list: str | None
    source: str | None
    birth_year: int | None
    games_played: int | None


class Side(NamedTuple):
    """One side of one game: the entry it belongs to, and the rest."""

    entry: Entry
    revision: list[int]
    round: int | None
    opponent_id: str | None
    opponent: int | None
    points: int | None
    refusal: str | None
    delta: int
    counted: int | None
    """The difference that counts, after the cap."""
    colour: str | None = None
    """`w` or `b`; None while unknown."""

    @property
    def rated(self) -> bool:
        """Whether the side changes the rating of a rated player."""
        return self.refusal is None and bool(self.entry.own)


Row = str
"""A Side as it is stored, without its entry: `1,1,1,1,0 3 1503014 2834 50  -14 36 w`, empty for None.

A row that was written before there were colours ends with the difference.
"""
Stored = list[Any]
"""An Entry with its rows as it is stored: [Entry, games that count, sum of their ΔR, {game: Row}]."""

FACTS, GAMES, SUM, ROWS = range(4)
ROW_SPACES: Final = 8
COLOURS: Final = ("w", "b", None)
AT_TOURNAMENT, AT_TIME_CONTROL, AT_EDITION, AT_PERIOD, AT_OWN, AT_RATING_LIST = (
    Entry._fields.index(name)
    for name in ("tournament_id", "time_control", "edition", "period", "own", "rating_list")
)


def name_of(tournament_id: str, game_id: str) -> str:
    """Return the name under which a game is known outside its tournament."""
    return f"{tournament_id}:{game_id}"


def find(account: Account, tournament_id: str, game_id: str) -> Stored | None:
    """Return the entry in which a pending game is."""
    for stored in account["E"]:
        if game_id in stored[ROWS] and stored[FACTS][AT_TOURNAMENT] == tournament_id:
            found: Stored = stored
            return found

    return None


def side_in(stored: Stored, game_id: str) -> Side:
    """Return a game's side."""
    return side_of(Entry(*stored[FACTS]), stored[ROWS][game_id])


def row_of(side: Side) -> Row:
    """Return a side as it is stored; raises TypeError or ValueError for one that is none of ours."""
    _, revision, number, opponent_id, opponent, points, refusal, delta, counted, colour = side
    tournament, game, white, black, resolution = revision
    row = " ".join(
        (
            f"{tournament:d},{game:d},{white:d},{black:d},{resolution:d}",
            "" if number is None else f"{number:d}",
            opponent_id or "",
            "" if opponent is None else f"{opponent:d}",
            "" if points is None else f"{points:d}",
            refusal or "",
            f"{delta:d}",
            "" if counted is None else f"{counted:d}",
            colour or "",
        )
    )
    if row.count(" ") != ROW_SPACES or colour not in COLOURS:
        raise ValueError(f"{row!r} is not a side: a player id or a refusal has a space, or a colour is none")

    return row


def side_of(entry: Entry, row: Row) -> Side:
    """Return the side that a row was made of."""
    revision, number, opponent_id, opponent, points, refusal, delta, counted, *colour = row.split(" ")

    return Side(
        entry,
        [int(counter) for counter in revision.split(",")],
        int(number) if number else None,
        opponent_id or None,
        int(opponent) if opponent else None,
        int(points) if points else None,
        refusal or None,
        int(delta),
        int(counted) if counted else None,
        (colour[0] or None) if colour else None,
    )


def sides_of(account: Account) -> Iterator[tuple[str, Side]]:
    """Yield (game id, side) of every pending game."""
    for stored in account["E"]:
        entry = Entry(*stored[FACTS])
        for game_id, row in stored[ROWS].items():
            yield game_id, side_of(entry, row)


def keep(account: Account, game_id: str, side: Side) -> None:
    """Add a game that is not in the account."""
    facts = list(side.entry)
    for stored in account["E"]:
        if stored[FACTS] == facts:
            break
    else:
        stored = [facts, 0, 0, {}]
        account["E"].append(stored)
    stored[ROWS][game_id] = row_of(side)
    if side.refusal is None:
        stored[GAMES] += 1
        stored[SUM] += side.delta


def drop(account: Account, stored: Stored, game_id: str) -> None:
    """Take a game out of its entry, and the entry away with its last game."""
    side = side_in(stored, game_id)
    del stored[ROWS][game_id]
    if side.refusal is None:
        stored[GAMES] -= 1
        stored[SUM] -= side.delta
    if not stored[ROWS]:
        account["E"].remove(stored)


class Known(NamedTuple):
    """What remains of a settled game: enough to tell whether a side is newer, and says anything new."""

    revision: list[int]
    refusal: str | None
    digest: int

    @classmethod
    def of(cls, side: Side) -> Known:
        """Return what remains of a side."""
        return cls(side.revision, side.refusal, crc32(orjson.dumps([*side.entry, *side[2:]])))


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
    return {"s": 0, "v": 0, "L": {}, "E": [], "S": {}, "R": {}, "P": {}, "F": {}}


_OF_ENTRY: Final = ("T", "tc", "e", "p", "a", "w", "k", "l", "so", "y", "gp")
"""Where a player event has the members of an Entry."""


def side_from(event: dict[str, Any]) -> Side:
    """Return the side that a player event carries; a game without refusal is rated at once."""
    own, opponent, points, refusal = event.get("w"), event.get("or"), event.get("x"), event.get("f")
    delta, counted = 0, None
    if refusal is None and own:
        change = change_of(own, event["or"], event["x"], event["e"], event["tc"], event["a"])
        delta, counted = change.delta, change.counted_difference

    # What a NamedTuple is made by is a Python function; every side comes by here.
    entry = tuple.__new__(Entry, map(event.get, _OF_ENTRY))
    of_game = event["r"], event.get("rd"), event.get("o"), opponent, points, refusal, delta, counted

    return tuple.__new__(Side, (entry, *of_game, event.get("cl")))
