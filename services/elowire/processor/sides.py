"""From one game of a tournament to its sides: what each player's ledger has to know, with all facts inside.

A side is a function of the states in the tournament's table and of nothing else. Its revision `r` is the
tuple of the counters it was made from (tournament, game, White's facts, Black's facts, resolution): any of
them that grows makes a greater tuple, so that the ledger can tell the newer side in any order of arrival.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from elowire.contracts.vocabulary import Result
from elowire.domain import Refusal, TimeControl, edition_by_id, is_rating_gap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from elowire.processor.resolution import Resolution

State = dict[str, Any]

POINTS_OF_WHITE = {str(result): result.points[0] for result in Result if result.points is not None}
POINTS_OF_BLACK = {str(result): result.points[1] for result in Result if result.points is not None}
USUAL = frozenset({"1-0", "0-1", "1/2-1/2"})
NOT_PLAYED = {
    "annulled": Refusal.ANNULLED,
    "forfeit": Refusal.FORFEIT,
    "unplayed": Refusal.UNPLAYED,
    "bye": Refusal.BYE,
    "ongoing": Refusal.ONGOING,
}


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
    """The entrant's key in the tournament's table; empty where the game alone names the player."""


NOBODY = Facts(None, None, None, None, "game")


def facts_of(
    entrant: State | None, printed: list[Any] | None, tournament: State | None, key: bytes = b""
) -> Facts:
    """Return the facts in force for one colour: override, list, entrant, then what stands beside the game.

    `printed` is [entrant, player id, rating, K, name] as the game event gave it.
    """
    of_event = None if tournament is None else tournament["d"]["l"]
    if entrant is None:
        return NOBODY if printed is None else Facts(printed[1], printed[2], printed[3], of_event, "game")

    d = entrant["d"]
    rating, k, source = 0 if d["u"] else d["ra"], d["k"], d["so"]
    if d["ov"] and rating is not None:
        source = "entrant-override"
    if printed is not None:
        if rating is None:
            rating, source = printed[2], "game"
        k = printed[3] if k is None else k

    return Facts(d["p"], rating, k, d["l"] or of_event, source, d["y"], d["gp"], key)


def refusal_of(  # noqa: C901, PLR0911  # a list of reasons, read from the top
    tournament: State | None, game: State, own: Facts, opponent: Facts
) -> Refusal | None:
    """Return why a side does not count, or None; the first reason in the order of the regulations."""
    d = game["d"]
    if (reason := NOT_PLAYED.get(d["st"])) is not None:
        return reason
    if tournament is None:
        return Refusal.UNKNOWN_TOURNAMENT
    t = tournament["d"]
    if t["st"] == "cancelled":
        return Refusal.CANCELLED_TOURNAMENT
    if not t["ra"]:
        return Refusal.NOT_RATED_TOURNAMENT
    if not d["ra"]:
        return Refusal.NOT_RATED_GAME
    if d["x"] not in USUAL and not edition_by_id(t["e"]).rates_unusual_results:
        return Refusal.UNUSUAL_RESULT
    if opponent.player_id is None or own.player_id is None:
        return Refusal.UNRESOLVED_ENTRANT
    if opponent.rating is None or own.rating is None:
        return Refusal.UNRESOLVED_RATING
    if opponent.rating == 0:
        return Refusal.UNRATED_OPPONENT
    if own.rating and t["tc"] != TimeControl.STANDARD and _too_far_apart(own.rating, opponent.rating, t):
        return Refusal.RATING_GAP

    return None


def _too_far_apart(own: int, opponent: int, content: dict[str, Any]) -> bool:
    return is_rating_gap(
        own,
        opponent,
        edition=edition_by_id(content["e"]),
        time_control=TimeControl(content["tc"]),
        starts_on=day_of(content["a"]),
    )


@lru_cache(4096)
def day_of(text: str) -> date:
    """Return a day from its ISO form; the same few days come with every game."""
    return date.fromisoformat(text)


def sides_of(  # the states that a game's sides follow from
    game_id: str,
    tournament_id: str,
    tournament: State | None,
    game: State,
    white: tuple[bytes, State | None],
    black: tuple[bytes, State | None],
    former: Iterable[str],
    resolution: Resolution | None = None,
) -> Iterator[tuple[str, bytes]]:
    """Yield (player id, side) for the players of a game, and a withdrawal for each player it was taken from.

    A colour is (its entrant's key, its entrant); `former` names every player that the game or its entrants
    ever pointed to.
    """
    d = game["d"]
    own_facts = (
        facts_of(white[1], d["w"], tournament, white[0]),
        facts_of(black[1], d["b"], tournament, black[0]),
    )
    sources = (tournament, game, white[1], black[1])
    unrated = 0 in {facts.rating for facts in own_facts}
    resolved = resolution if resolution is not None and resolution.final and unrated else None
    common: dict[str, Any] = {
        "t": "side",
        "g": game_id,
        "T": tournament_id,
        "r": [
            *(0 if state is None else state["s"] for state in sources),
            0 if resolved is None else resolved.number,
        ],
        "c": [None if state is None else state["i"] for state in sources],
        "rd": d["rd"],
    }
    if tournament is not None:
        t = tournament["d"]
        common |= {"tc": t["tc"], "e": t["e"], "p": t["p"], "a": t["a"]}

    for own, opponent, points in (
        (own_facts[0], own_facts[1], POINTS_OF_WHITE),
        (own_facts[1], own_facts[0], POINTS_OF_BLACK),
    ):
        if own.player_id is not None:
            strength, refusal = opponent.rating, refusal_of(tournament, game, own, opponent)
            if resolved is not None and refusal is Refusal.UNRATED_OPPONENT and own.rating:
                strength, refusal = _strength(resolved, opponent)
            side = {
                "o": opponent.player_id,
                "or": strength,
                "w": own.rating,
                "k": own.k,
                "l": own.rating_list,
                "so": own.source,
                "y": own.birth_year,
                "gp": own.games_played,
                "x": points.get(d["x"]),
                "f": refusal,
            }
            yield own.player_id, orjson.dumps(common | side)
    now = {facts.player_id for facts in own_facts}
    for player_id in former:
        if player_id not in now:
            yield player_id, orjson.dumps(common | {"f": Refusal.WITHDRAWN})


def _strength(resolution: Resolution, opponent: Facts) -> tuple[int | None, Refusal | None]:
    """Return (rating, refusal) of an opponent who came unrated and was resolved (B.02 8.25, 8.52)."""
    outcome = resolution.outcomes.get(opponent.key)
    if outcome is None:
        return 0, Refusal.UNRATED_OPPONENT
    if outcome.ru is None:
        return 0, Refusal.ZERO_SCORE_NEWCOMER

    return outcome.ru, None


# What of a tournament its sides depend on; a change of anything else sends no side again.
_DECIDES = ("tc", "e", "p", "ra", "l", "sy", "a")


def same_for_sides(old: State | None, new: State) -> bool:
    """Whether two states of a tournament give the same sides, so that none need be sent again."""
    if old is None:
        return False
    before, after = old["d"], new["d"]
    was_cancelled, is_cancelled = (content["st"] == "cancelled" for content in (before, after))

    return was_cancelled == is_cancelled and all(before[name] == after[name] for name in _DECIDES)
