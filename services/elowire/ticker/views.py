"""What the board looks like to a reader: JSON objects in the words of the output events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from elowire.domain import TimeControl, decimal_text, hundredths
from elowire.ticker.board import Board, Change, Player
from elowire.ticker.stream import Interest

Json = dict[str, Any]

_CONTROLS = tuple(TimeControl)
_FACTS = ("name", "federation", "title", "birth_year")


def player_view(board: Board, player_id: str) -> Json | None:
    """Give a player's figures per time control, ranks, and the pending games with their change.

    `games` are those that count; `refused_games` those that wait in the ledger with a reason not to.
    None for a player of whom no record was seen.
    """
    player = board.player(player_id)
    if player is None:
        return None
    view = _figures(board, player_id, player)
    games = [_game(board, view, orjson.loads(value)) for value in board.games(player_id)]
    games.sort(key=_order_of_play)
    view["games"] = [game for game in games if game.get("refusal") is None]
    view["refused_games"] = [game for game in games if game.get("refusal") is not None]

    return view


def change_view(board: Board, change: Change) -> Json:
    """Give a change as the stream carries it: the event's own data, and where the player stands now."""
    if change.event == "tournament-rating":
        return _line(board, orjson.loads(change.value))
    player_id = change.player_id or ""
    player = board.player(player_id)
    if player is None or change.event == "published-rating":
        return _figures(board, player_id, player or Player())
    data: Json = orjson.loads(change.value)
    _add_list(data, player)
    _add_ranks(board, player_id, data)
    if data.get("game"):
        data["game"] = _game(board, data, data["game"])

    return data


def ranking_view(board: Board, time_control: TimeControl, limit: int, federation: str | None) -> Json:
    """Give the first `limit` players by live rating, with world rank and places gained since the list."""
    ladder = board.ladder(time_control)
    chosen = ladder.first(limit, None if federation is None else board.members(federation))

    return {
        "time_control": time_control.value,
        "federation": federation,
        "ranked": len(ladder),
        "players": [_row(board, player_id, time_control) for player_id in chosen],
    }


def tournament_view(board: Board, tournament_id: str) -> Json | None:
    """Give a tournament's entrants, the highest score first; None for a tournament never seen."""
    values = board.lines(tournament_id)
    if values is None:
        return None
    lines = [_line(board, orjson.loads(value)) for value in values]
    lines.sort(
        key=lambda line: (
            -hundredths(line.get("points") or "0"),
            -(line.get("rating") or 0),
            line["entrant_id"],
        )
    )
    return {"tournament_id": tournament_id, "lines": lines}


def snapshot_view(board: Board, interest: Interest, limit: int) -> Json:
    """Give all that a watcher with this interest needs to begin: players, a tournament, or the top lists."""
    view: Json = {}
    if interest.players:
        known = (player_view(board, player_id) for player_id in sorted(interest.players))
        view["players"] = [player for player in known if player is not None]
    if interest.tournament is not None:
        view["tournament"] = tournament_view(board, interest.tournament)
    if not view:
        controls = list(TimeControl) if interest.time_control is None else [interest.time_control]
        view["live_ratings"] = [
            ranking_view(board, control, limit, interest.federation) for control in controls
        ]
    return view


def _figures(
    board: Board, player_id: str, player: Player, controls: Sequence[TimeControl] = _CONTROLS
) -> Json:
    view: Json = {"player_id": player_id, "version": 0, "cause": None, "changed": []}
    if player.live is not None:
        view = orjson.loads(player.live)
    _add_list(view, player)
    _add_ranks(board, player_id, view, controls)

    return view


def _add_list(view: Json, player: Player) -> None:
    """Fill in from the rating list what the live rating does not say, first of all unplayed time controls."""
    listed: Json = {} if player.listed is None else orjson.loads(player.listed)
    for fact in _FACTS:
        if view.get(fact) is None:
            view[fact] = listed.get(fact)
    for time_control in TimeControl:
        figures = listed.get(time_control.value)
        if view.get(time_control.value) is None and figures:
            view[time_control.value] = _as_listed(listed["list"], figures)


def _as_listed(rating_list: str, figures: Json) -> Json:
    rating = figures.get("rating") or None
    return {
        "status": "rated" if rating else "unrated",
        "published": {
            "list": rating_list,
            "rating": rating,
            "k": figures.get("k"),
            "games": figures.get("games"),
        },
        "live": f"{rating}.0" if rating else None,
        "change": "0.00" if rating else None,
        "predicted": rating,
        "k_used": figures.get("k"),
        "k_reason": "list",
        "pending_games": 0,
        "initial": None,
        "previous": None,
    }


def _add_ranks(board: Board, player_id: str, view: Json, controls: Sequence[TimeControl] = _CONTROLS) -> None:
    for time_control in controls:
        figures = view.get(time_control.value)
        if figures:
            figures["rank"], figures["rank_change"] = board.ladder(time_control).rank(player_id) or (
                None,
                None,
            )


def _row(board: Board, player_id: str, time_control: TimeControl) -> Json:
    view = _figures(board, player_id, board.player(player_id) or Player(), (time_control,))
    return {
        "player_id": player_id,
        "version": view["version"],
        **{fact: view[fact] for fact in _FACTS},
        **(view.get(time_control.value) or {}),
    }


def _game(board: Board, view: Json, game: Json) -> Json:
    """Add the change, K times delta with the K of the live rating, and the opponent's name if known."""
    figures = view.get(game.get("time_control") or "") or {}
    k, delta = figures.get("k_used"), game.get("delta")
    game["change"] = None if k is None or delta is None else decimal_text(k * hundredths(delta))
    game["opponent_name"] = board.name(game.get("opponent_id") or "")

    return game


def _order_of_play(game: Json) -> tuple[str, str, int, str]:
    return (
        game.get("rating_period") or "",
        game.get("tournament_id") or "",
        game.get("round") or 0,
        game["game_id"],
    )


def _line(board: Board, line: Json) -> Json:
    player_id = line.get("player_id") or ""
    line["name"] = line.get("name") or board.name(player_id)
    line["federation"] = line.get("federation") or board.federation(player_id)

    return line
