"""From a tournament's states to its resolution: who is in it, and which games count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.domain import Refusal
from elowire.processor.behind import Behind
from elowire.processor.matches import is_match_play, refused_in_matches
from elowire.processor.pairing import POINTS_OF_BLACK, POINTS_OF_WHITE
from elowire.processor.resolution import Met, Resolution, of_matches, resolve
from elowire.processor.tournament_index import tournament_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from elowire.processor.tournament_view import TournamentView

State = dict[str, Any]

# A bye is no game at all: an odd number of players must not turn a round robin into a Swiss.
COMPLETE = frozenset({"played", "annulled", "bye"})

# What an unrated opponent alone keeps a game from: in a resolution it counts.
_COUNTS = frozenset({None, Refusal.UNRATED_OPPONENT})


def resolution_of(view: TournamentView, tournament_id: bytes) -> Resolution | None:
    """Resolve a tournament as it stands; None when it has no matches and never had an unrated entrant."""
    tournament = view.get(tournament_key(tournament_id))
    if tournament is None:
        return None
    ratings: dict[bytes, int | None] = {}
    ever_unrated = False
    for key in view.index.entrants_in.get(tournament_id, ()):
        entered = view.entered(key)
        if entered is not None:
            ratings[key] = entered.facts.rating
            ever_unrated = ever_unrated or entered.ever_unrated
    if is_match_play(tournament):
        return _matches_of(view, tournament_id, tournament, ratings)
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
        pairing = view.pairing(tournament_id, game, None)
        own, opponent = pairing.white.own, pairing.black.own
        if pairing.white.refusal in _COUNTS and d["x"] in POINTS_OF_WHITE:
            games.append(Met(own.key, opponent.key, POINTS_OF_WHITE[d["x"]], POINTS_OF_BLACK[d["x"]]))
            ratings.setdefault(own.key, own.rating)
            ratings.setdefault(opponent.key, opponent.rating)

    return resolve(tournament, ratings, games, complete=complete, behind=_behind_all(view, tournament_id))


def _matches_of(
    view: TournamentView, tournament_id: bytes, tournament: State, ratings: Mapping[bytes, int | None]
) -> Resolution:
    pairings = {
        key: view.pairing(tournament_id, game, None)
        for key in view.index.games_in.get(tournament_id, ())
        if (game := view.get(key)) is not None
    }
    unrated = [key for key, rating in ratings.items() if rating == 0]

    return of_matches(
        unrated,
        refused_in_matches(tournament, pairings, len(ratings)),
        _behind_all(view, tournament_id),
    )


def _behind_all(view: TournamentView, tournament_id: bytes) -> Behind:
    """Return what lies behind everything in a tournament but its own state."""
    entrants, games = (
        sum(state["n"] for key in keys.get(tournament_id, ()) if (state := view.get(key)) is not None)
        for keys in (view.index.entrants_in, view.index.games_in)
    )

    return Behind(entrants, games)
