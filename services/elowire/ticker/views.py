"""The board as JSON, in the words of the output events: players, top lists, and what the stream carries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import orjson

from elowire.domain import TimeControl, decimal_text, hundredths
from elowire.ticker.board import Board
from elowire.ticker.changes import Change
from elowire.ticker.games import ANNULLED, Side
from elowire.ticker.players import AGE_GROUPS, EVERYBODY, Filter, Player

Json = dict[str, Any]

_CONTROLS = tuple(TimeControl)
_FACTS = ("name", "federation", "title", "birth_year")


def player_view(board: Board, player_id: str) -> Json | None:
    """Give a player's figures per time control, ranks, and the pending games with their change.

    `games` are those that count; `refused_games` those that wait in the ledger with a reason not to;
    `annulled_games` those that were taken back before a list had them. `tournaments` are the player's lines.
    None for a player of whom no record was seen.
    """
    view = figures_of(board, player_id)
    if view is None:
        return None
    sides = board.games.of_player(player_id)
    games = [_game(board, view, side) for side in sides]
    games.sort(key=_order_of_play)
    waiting = [game for game in games if game["status"] != ANNULLED]
    view["games"] = [game for game in waiting if game.get("refusal") is None]
    view["refused_games"] = [game for game in waiting if game.get("refusal") is not None]
    view["annulled_games"] = [game for game in games if game["status"] == ANNULLED]
    view["tournaments"] = [line_view(board, value) for value in board.lines.of_player(player_id)]

    return view


def figures_of(board: Board, player_id: str) -> Json | None:
    """Give a player's figures per time control with ranks; None for a player of whom no record was seen."""
    player = board.player(player_id)

    return None if player is None else _figures(board, player_id, player)


def change_view(board: Board, change: Change) -> Json:
    """Give a change as the stream carries it: the event's own data, and where the player stands now."""
    player_id = change.player_id or ""
    player = board.player(player_id)
    match change.event:
        case "tournament-rating":
            return line_view(board, change.value)
        case "tournament":
            return about_tournament(board, change.value.decode()) or {}
        case "rated-game":
            view = figures_of(board, player_id) or {}
            return {**person_of(board, player_id), **_change_of(board, view, orjson.loads(change.value))}
        case "live-rating" if player is not None:
            data: Json = orjson.loads(change.value)
            _add_list(data, player)
            _add_ranks(board, player_id, data)
            if data.get("game"):
                data["game"] = _change_of(board, data, data["game"])
            return data
        case _:
            return _figures(board, player_id, player or Player())


def ranking_view(
    board: Board, time_control: TimeControl, limit: int, chosen: Filter = EVERYBODY, *, offset: int = 0
) -> Json:
    """Give `limit` players by live rating from place `offset` of the filtered list.

    `rank` is the world's, `rank_change` the places gained since the list.
    """
    ladder = board.ladder(time_control)
    among = None if chosen.federation is None else board.members(chosen.federation)
    if chosen.of_persons:
        ranked = ladder.walk() if among is None else ladder.first(len(ladder), among)
        fits = (one for one in ranked if chosen.covers(board.player(one) or Player()))
        found = list(islice(fits, offset, offset + limit))
    else:
        found = ladder.first(offset + limit, among)[offset:]

    return {
        "time_control": time_control.value,
        "list": board.newest_list or None,
        "federation": chosen.federation,
        "title": chosen.title,
        "age": chosen.age,
        "sex": chosen.sex,
        "offset": offset,
        "ranked": len(ladder),
        "players": [_row(board, player_id, time_control) for player_id in found],
    }


def search_view(board: Board, words: str, time_control: TimeControl, limit: int) -> Json:
    """Give the players whose name has all the words, the highest rated first."""
    found = board.names.search(words, limit)

    return {"time_control": time_control.value, "players": [_row(board, one, time_control) for one in found]}


def facets_view(board: Board) -> Json:
    """Give what top lists can be filtered by: federations and titles with their players."""
    facets = board.facets

    return {
        "list": board.newest_list or None,
        "federations": {
            code: len(members) for code, members in sorted(facets.federations.items()) if members
        },
        "titles": {title: count for title, count in sorted(facets.titles.items()) if count},
        "ages": list(AGE_GROUPS) if facets.births else [],
        "sexes": ["F", "M"] if facets.sexes else [],
    }


def person_of(board: Board, player_id: str) -> Json:
    """Give who a player is."""
    player = board.player(player_id) or Player()

    return {
        "player_id": player_id,
        "name": player.name,
        "federation": player.federation,
        "title": player.title,
    }


def played_side(board: Board, player_id: str, side: Side) -> Json:
    """Give a side of a game with its change and what became of it."""
    return _game(board, figures_of(board, player_id) or {}, side)


def line_view(board: Board, value: bytes) -> Json:
    """Give an entrant's line with who it is and what the tournament is called."""
    line: Json = orjson.loads(value)
    person = person_of(board, line.get("player_id") or "")
    entrant = board.notes.entrant(line["tournament_id"], line["entrant_id"])
    for fact in ("name", "federation", "title"):
        said = None if entrant is None else getattr(entrant, fact)
        line[fact] = line.get(fact) or person[fact] or said
    tournament = board.notes.tournament(line["tournament_id"])
    line["tournament_name"] = None if tournament is None else tournament.name
    line["tournament_status"] = board.notes.state(line["tournament_id"])

    return line


def about_tournament(board: Board, tournament_id: str | None) -> Json | None:
    """Give what a tournament says of itself, as far as a page needs it; None where nothing is known."""
    if tournament_id is None:
        return None
    tournament = board.notes.tournament(tournament_id)
    if tournament is None:
        return None

    return {
        "tournament_id": tournament_id,
        "name": tournament.name,
        "status": board.notes.state(tournament_id),
        "time_control": tournament.time_control.value,
        "system": tournament.system.value,
        "starts_on": tournament.starts_on.isoformat(),
        "ends_on": tournament.ends_on.isoformat(),
        "rounds": tournament.rounds,
        "rated": tournament.rated,
        "rated_in": tournament.period(),
        "edition": tournament.edition_in_force().id,
    }


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
    for fact in _FACTS:
        if view.get(fact) is None:
            view[fact] = getattr(player, fact)
    if player.listed is None or all(view.get(control.value) for control in _CONTROLS):
        return
    listed: Json = orjson.loads(player.listed)
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
    """Say where the player stands in the world; among the few who have played there is no such place."""
    for time_control in controls:
        figures = view.get(time_control.value)
        if figures:
            found = board.ladder(time_control).rank(player_id) if board.newest_list else None
            figures["rank"], figures["rank_change"] = found or (None, None)


def _row(board: Board, player_id: str, time_control: TimeControl) -> Json:
    view = _figures(board, player_id, board.player(player_id) or Player(), (time_control,))
    return {
        "player_id": player_id,
        "version": view["version"],
        **{fact: view[fact] for fact in _FACTS},
        **(view.get(time_control.value) or {}),
    }


def _game(board: Board, view: Json, side: Side) -> Json:
    game = _change_of(board, view, orjson.loads(side.value or b"{}"))
    game["corrected"] = (
        None if side.corrected is None else {"points": side.corrected.points, "at": side.corrected.at}
    )
    tournament = board.notes.tournament(game.get("tournament_id") or "")
    game["tournament_name"] = None if tournament is None else tournament.name

    return game


def _change_of(board: Board, view: Json, game: Json) -> Json:
    """Add the change, K times delta with the K of the live rating, and who the opponent is."""
    figures = view.get(game.get("time_control") or "") or {}
    k, delta = figures.get("k_used"), game.get("delta")
    game["change"] = None if k is None or delta is None else decimal_text(k * hundredths(delta))
    opponent = person_of(board, game.get("opponent_id") or "")
    for fact in ("name", "federation", "title"):
        game[f"opponent_{fact}"] = opponent[fact]

    return game


def _order_of_play(game: Json) -> tuple[str, str, int, str]:
    return (
        game.get("rating_period") or "",
        game.get("tournament_id") or "",
        game.get("round") or 0,
        game["game_id"],
    )
