"""From one game of a tournament to its sides: what each player's ledger has to know, with all facts inside.

A side is a function of the states in the tournament's table and of nothing else. Its revision `r` is the
tuple of the counters it was made from (tournament, game, White's facts, Black's facts, resolution): none
falls while those before it stay, and none grows without the side being sent. So the ledger can tell the newer
side in any order of arrival, and what a late process made of an older mixture of the topics does not last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from elowire.domain import Refusal
from elowire.processor.resolution import depends_on_unrated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from elowire.processor.pairing import Pairing

State = dict[str, Any]


def sides_of(
    game_id: str, tournament_id: str, pairing: Pairing, former: Iterable[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield (player id, side) for the players of a game, and a withdrawal for each player it was taken from.

    `former` names every player that the game or its entrants ever pointed to.
    """
    common: dict[str, Any] = {
        "t": "side",
        "g": game_id,
        "T": tournament_id,
        "r": [
            0 if pairing.tournament is None else pairing.tournament["sides"][0],
            pairing.game["n"],
            *pairing.counters,
            pairing.resolution,
        ],
        "c": [
            None if pairing.tournament is None else pairing.tournament["sides"][1],
            *(None if state is None else state["i"] for state in pairing.sources[1:]),
        ],
        "rd": pairing.game["d"]["rd"],
    }
    if pairing.tournament is not None:
        t = pairing.tournament["d"]
        common |= {"tc": t["tc"], "e": t["e"], "p": t["p"], "a": t["a"]}

    for colour in (pairing.white, pairing.black):
        own = colour.own
        # A player against himself is a mistake about who somebody is; his one side says so.
        twice = colour is pairing.black and own.player_id == pairing.white.own.player_id
        if own.player_id is not None and not twice:
            side = {
                "o": colour.opponent.player_id,
                "or": colour.strength,
                "w": own.rating,
                "k": own.k,
                "l": own.rating_list,
                "so": own.source,
                "y": own.birth_year,
                "gp": own.games_played,
                "x": colour.points,
                "f": colour.refusal,
            }
            yield own.player_id, orjson.dumps(common | side)
    now = {pairing.white.own.player_id, pairing.black.own.player_id}
    for player_id in former:
        if player_id not in now:
            yield player_id, orjson.dumps(common | {"f": Refusal.WITHDRAWN})


# What of a tournament its sides depend on; a change of anything else sends no side again.
_DECIDES = ("tc", "e", "p", "ra", "l", "sy", "a")


def same_for_sides(old: State | None, new: State) -> bool:
    """Whether two states of a tournament give the same sides, so that none need be sent again."""
    if old is None:
        return False
    before, after = old["d"], new["d"]
    # Where the rated depend on the unrated, the finish resolves and a reopening takes back.
    weighty = None if depends_on_unrated(new) else {"cancelled"}
    stood, stands = (
        content["st"] if weighty is None else content["st"] in weighty for content in (before, after)
    )

    return stood == stands and all(before[name] == after[name] for name in _DECIDES)
