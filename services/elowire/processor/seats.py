"""Who sits where in a round, and since which record: what "one game per player and round" is judged by.

A record may be read again when the table is far ahead of it, or when of a batch only a beginning was durable.
So every game remembers where its players sat before, and a verdict asks who sat where at the record's own
offset in `game-results`: it is the same whoever asks, and however late.
"""

from __future__ import annotations

from typing import Any

State = dict[str, Any]
Seat = tuple[int, list[str]]
"""A round, and the references of those who are paired in it, sorted."""

# Of a game that moves about; before what it remembers it sat nowhere.
REMEMBERED = 32
# A game of which the round's other pairings need know nothing.
UNPAIRED = frozenset({"annulled", "unplayed", "bye"})


def seat_of(content: State) -> Seat | None:
    """Return where a game's content seats its players, or None where it keeps nobody from another game."""
    if content["rd"] is None or content["st"] in UNPAIRED:
        return None

    return content["rd"], sorted([colour[0] for colour in (content["w"], content["b"]) if colour is not None])


def take_seat(old: State | None, new: State, offset: int) -> None:
    """Write down that a game sits where its new content says from `offset` on, if it did not before.

    `at` is the offset since when, `sat` has the earlier seats as [since, seat], newest last.
    """
    if old is None:
        new["at"], new["sat"] = offset, []
    elif (before := seat_of(old["d"])) != seat_of(new["d"]):
        new["at"], new["sat"] = offset, [*old["sat"], [old["at"], before]][-REMEMBERED:]


def seat_at(game: State, offset: int) -> Seat | None:
    """Return where a game's players sat when the record at `offset` came."""
    if game["at"] < offset:
        return seat_of(game["d"])
    for since, seat in reversed(game["sat"]):
        if since < offset:
            return None if seat is None else (seat[0], seat[1])

    return None
