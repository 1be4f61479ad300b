"""Whether a finished tournament has the games that it must have: said aloud, and holding up nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elowire.domain import Completeness, System, completeness, round_robin_games

if TYPE_CHECKING:
    from elowire.processor.tournament_view import TournamentView


def completeness_of(view: TournamentView, tournament_id: bytes) -> Completeness | None:
    """Compare the pairings that have a result with the expected games; None unless it is finished.

    Where nobody states a number, a round robin follows from its entrants.
    """
    tournament = view.tournament(tournament_id)
    if tournament is None or tournament["d"]["st"] != "finished":
        return None
    games = 0
    for key in view.index.games_in.get(tournament_id, ()):
        game = view.get(key)
        if game is not None and game["d"]["b"] is not None and game["d"]["st"] not in {"ongoing", "annulled"}:
            games += 1
    expected = tournament["d"]["x"]
    if expected is None and tournament["d"]["sy"] == System.ROUND_ROBIN:
        players = sum(view.entered(key) is not None for key in view.index.entrants_in.get(tournament_id, ()))
        expected = round_robin_games(players=players, games=games)

    return completeness(games, expected)
