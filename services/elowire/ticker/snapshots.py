"""Where a watcher begins: all that its interest covers, as it is now."""

from __future__ import annotations

from elowire.domain import TimeControl
from elowire.ticker.board import Board
from elowire.ticker.players import EVERYBODY, Filter
from elowire.ticker.stream import Interest
from elowire.ticker.tournament_views import tournament_view
from elowire.ticker.views import Json, player_view, ranking_view


def snapshot_view(board: Board, interest: Interest, limit: int, chosen: Filter = EVERYBODY) -> Json:
    """Give all that a watcher with this interest needs to begin: players, a tournament, or the top lists."""
    view: Json = {}
    if interest.players:
        known = (player_view(board, player_id) for player_id in sorted(interest.players))
        view["players"] = [player for player in known if player is not None]
    if interest.tournament is not None:
        view["tournament"] = tournament_view(board, interest.tournament)
    if not view:
        controls = list(TimeControl) if interest.time_control is None else [interest.time_control]
        view["live_ratings"] = [ranking_view(board, control, limit, chosen) for control in controls]

    return view
