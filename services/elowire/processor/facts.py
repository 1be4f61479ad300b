"""What is known of a player in a tournament: from the entry, from the game, or from the tournament itself."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import Any, Final, NamedTuple

from elowire.domain import TimeControl

State = dict[str, Any]

# Looked up with every game: calling the enum costs ten times as much.
TIME_CONTROLS: Final[dict[str, TimeControl]] = {str(one): one for one in TimeControl}


class Facts(NamedTuple):
    """A player as the regulations see them in one game. `rating` is None while unknown and 0 for unrated."""

    player_id: str | None
    rating: int | None
    k: int | None
    rating_list: str | None
    source: str
    birth_year: int | None = None
    games_played: int | None = None
    key: bytes = b""
    """The entrant's key in the tournament's table, also where the game alone names the player so far."""


NOBODY = Facts(None, None, None, None, "game")


def entrant_facts(entrant: State, key: bytes) -> Facts:
    """Return what an entrant's record says: override, list, or the source of the entry."""
    d = entrant["d"]
    rating = 0 if d["u"] else d["ra"]
    source = "entrant-override" if d["ov"] and rating is not None else d["so"]

    return Facts(d["p"], rating, d["k"], d["l"], source, d["y"], d["gp"], key)


def completed(facts: Facts, printed: list[Any] | None, tournament: State | None) -> Facts:
    """Return an entrant's facts with what the tournament and the figures beside a game add to them.

    `printed` is [entrant, player id, rating, K, name] as the game event gave it.
    """
    if facts.rating is not None and facts.k is not None and facts.rating_list is not None:
        return facts
    player_id, rating, k, rating_list, source, birth_year, games_played, key = facts
    if rating_list is None and tournament is not None:
        rating_list = tournament["d"]["l"]
    if printed is not None:
        if rating is None:
            rating, source = printed[2], "game"
        k = printed[3] if k is None else k

    return Facts(player_id, rating, k, rating_list, source, birth_year, games_played, key)


def printed_facts(printed: list[Any] | None, tournament: State | None, key: bytes) -> Facts:
    """Return the facts of a player whom games alone name."""
    if printed is None:
        return NOBODY
    of_event = None if tournament is None else tournament["d"]["l"]

    return Facts(printed[1], printed[2], printed[3], of_event, "game", key=key)


@lru_cache(4096)
def day_of(text: str) -> date:
    """Return a day from its ISO form; the same few days come with every game."""
    return date.fromisoformat(text)
