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
from elowire.processor.matches import is_match_play
from elowire.processor.resolution import depends_on_unrated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from elowire.processor.pairing import Colour, Pairing

State = dict[str, Any]


def sides_of(
    game_id: str, tournament_id: str, pairing: Pairing, former: Iterable[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield (player id, side) for the players of a game, and a withdrawal for each player it was taken from.

    `former` names, in order, everybody else that the game or its entrants ever pointed to.
    """
    white, black = pairing.white, pairing.black
    tournament, game = pairing.tournament, pairing.game
    common: dict[str, Any] = {
        "t": "side",
        "g": game_id,
        "T": tournament_id,
        "r": [
            0 if tournament is None else tournament["sides"][0],
            game["n"],
            white.counter,
            black.counter,
            pairing.resolution,
        ],
        "c": [
            None if tournament is None else tournament["sides"][1],
            game["i"],
            white.event_id,
            black.event_id,
        ],
        "rd": game["d"]["rd"],
    }
    if tournament is not None:
        t = tournament["d"]
        common["tc"], common["e"], common["p"], common["a"] = t["tc"], t["e"], t["p"], t["a"]
    beginning = orjson.dumps(common)[:-1]

    seated = game["d"]["w"] is not None and game["d"]["b"] is not None
    colours = _COLOURS if seated else _NO_COLOURS
    one, other = white.own.player_id, black.own.player_id
    if one is not None:
        yield one, beginning + _part(white, colours[0])
    # A player against himself is a mistake about who somebody is; his one side says so.
    if other is not None and other != one:
        yield other, beginning + _part(black, colours[1])
    for player_id in former:
        yield player_id, beginning + _WITHDRAWN


def _part(colour: Colour, pieces: str | None) -> bytes:
    """Return the rest of a side: what of it is the player's own."""
    own, opponent, strength, points, refusal, _, _ = colour
    _, rating, k, rating_list, source, birth_year, games_played, _ = own
    part: dict[str, Any] = {
        "o": opponent.player_id,
        "or": strength,
        "w": rating,
        "k": k,
        "l": rating_list,
        "so": source,
        "y": birth_year,
        "gp": games_played,
        "x": points,
        "f": refusal,
    }
    if pieces is not None:
        part["cl"] = pieces

    return b"," + orjson.dumps(part)[1:]


_COLOURS = ("w", "b")
# Who had nobody opposite had no colour, wherever the record names him.
_NO_COLOURS = (None, None)
_WITHDRAWN = b"," + orjson.dumps({"f": Refusal.WITHDRAWN})[1:]

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

    decides = (*_DECIDES, "ro") if is_match_play(new) else _DECIDES

    return stood == stands and all(before[name] == after[name] for name in decides)
