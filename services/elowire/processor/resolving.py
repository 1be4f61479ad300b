"""From a tournament's states to its resolution: who is in it, and which games count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.domain import Refusal
from elowire.processor.behind import Behind
from elowire.processor.pairing import POINTS_OF_BLACK, POINTS_OF_WHITE, facts_of, refusal_of
from elowire.processor.resolution import Met, Resolution, resolve
from elowire.processor.tournament_index import tournament_key

if TYPE_CHECKING:
    from elowire.processor.tournament_view import TournamentView

State = dict[str, Any]

# A bye is no game at all: an odd number of players must not turn a round robin into a Swiss.
COMPLETE = frozenset({"played", "annulled", "bye"})

# What an unrated opponent alone keeps a game from: in a resolution it counts.
_COUNTS = frozenset({None, Refusal.UNRATED_OPPONENT})


def resolution_of(view: TournamentView, tournament_id: bytes) -> Resolution | None:
    """Resolve a tournament as it stands, or None when it never had an unrated entrant."""
    tournament = view.get(tournament_key(tournament_id))
    if tournament is None:
        return None
    ratings: dict[bytes, int | None] = {}
    ever_unrated = False
    for key in view.index.entrants_in.get(tournament_id, ()):
        entrant = view.get(key)
        if entrant is not None:
            ratings[key] = facts_of(entrant, None, tournament, key).rating
            ever_unrated = ever_unrated or entrant["wu"]
    if not ever_unrated:
        return None

    games, complete = [], True
    for key in view.index.games_in.get(tournament_id, ()):
        game = view.get(key)
        if game is None:
            continue
        d = game["d"]
        complete = complete and d["st"] in COMPLETE
        if d["w"] is None or d["b"] is None:
            continue
        (white, one), (black, two) = (view.entrant(tournament_id, d[colour][0]) for colour in ("w", "b"))
        own, opponent = facts_of(one, d["w"], tournament, white), facts_of(two, d["b"], tournament, black)
        if refusal_of(tournament, game, own, opponent) in _COUNTS and d["x"] in POINTS_OF_WHITE:
            games.append(Met(white, black, POINTS_OF_WHITE[d["x"]], POINTS_OF_BLACK[d["x"]]))
            ratings.setdefault(white, own.rating)
            ratings.setdefault(black, opponent.rating)

    return resolve(tournament, ratings, games, complete=complete, behind=_behind_all(view, tournament_id))


def _behind_all(view: TournamentView, tournament_id: bytes) -> Behind:
    """Return what lies behind everything in a tournament but its own state."""
    entrants, games = (
        sum(state["n"] for key in keys.get(tournament_id, ()) if (state := view.get(key)) is not None)
        for keys in (view.index.entrants_in, view.index.games_in)
    )

    return Behind(entrants, games)
