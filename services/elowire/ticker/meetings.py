"""Two players and what their game would bring: facts from the board, arithmetic from `what_if`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

import orjson

from elowire.domain import (
    EDITIONS,
    TimeControl,
    edition_on,
    first_day,
    list_in_force,
    next_period,
    playing_rating,
    previous_period,
)
from elowire.ticker.board import Board
from elowire.ticker.games import PENDING, Side
from elowire.ticker.views import Json, about_tournament, figures_of, person_of, played_side
from elowire.ticker.what_if import Game, Person, outcomes

_ONGOING = "ongoing"
_BOTH = 2


class Asked(NamedTuple):
    """Who would play whom, at what, and where; `today` decides on the next list."""

    player_id: str
    opponent_id: str
    time_control: TimeControl
    tournament_id: str | None
    today: date


def meeting_view(board: Board, asked: Asked) -> Json | None:
    """Say what each result would bring to both; None when one of them is not known."""
    views = [figures_of(board, player_id) for player_id in (asked.player_id, asked.opponent_id)]
    if views[0] is None or views[1] is None:
        return None
    game = _game(board, asked)
    persons = [_person(board, view, game) for view in views if view is not None]

    return {
        "time_control": asked.time_control.value,
        "rating_period": game.period,
        "edition": game.edition.id,
        "tournament": about_tournament(board, asked.tournament_id),
        "player": _side(board, views[0], persons[0], persons[1], game),
        "opponent": _side(board, views[1], persons[1], persons[0], game),
    }


def game_view(board: Board, game_id: str, tournament_id: str, sides: list[tuple[str, Side]]) -> Json:
    """Give a game with both players, and while it is being played what each result would bring."""
    played = [orjson.loads(side.value) for _, side in sides if side.value is not None]
    first = played[0] if played else {}
    control = first.get("time_control")
    view: Json = {
        "game_id": game_id,
        "tournament_id": tournament_id,
        "tournament": about_tournament(board, tournament_id),
        "time_control": control,
        "rating_period": first.get("rating_period"),
        "round": first.get("round"),
        "state": _state(first, sides),
        "players": [
            {
                **person_of(board, player_id),
                "figures": _figures(board, player_id, control),
                "side": played_side(board, player_id, side),
                "what_if": None,
            }
            for player_id, side in sides
        ],
    }
    if view["state"] == _ONGOING and len(played) == len(sides) == _BOTH and control is not None:
        _add_outcomes(board, view, played, TimeControl(control))

    return view


def _add_outcomes(board: Board, view: Json, played: list[Json], control: TimeControl) -> None:
    """Reckon with the ratings that the game itself is rated with: those of the entrants."""
    period = view["rating_period"]
    game = _game_of(board, view["tournament_id"], control, period)
    persons = [
        _person(board, figures_of(board, side["player_id"]) or {}, game)._replace(rating=side["own_rating"])
        for side in played
    ]
    # Each side knows the other's rating also where the other is nobody here.
    opponents = [persons[1 - at]._replace(rating=side["opponent_rating"]) for at, side in enumerate(played)]
    for player, own, opponent in zip(view["players"], persons, opponents, strict=True):
        player["what_if"] = outcomes(own, opponent, game)


def _state(first: Mapping[str, Any], sides: list[tuple[str, Side]]) -> str:
    if any(side.status != PENDING for _, side in sides):
        return "annulled"
    refusal = first.get("refusal")

    return refusal or "played"


def _side(board: Board, view: Json, own: Person, opponent: Person, game: Game) -> Json:
    return {
        **person_of(board, view["player_id"]),
        "rating": own.rating,
        "figures": view.get(game.time_control.value),
        **outcomes(own, opponent, game),
    }


def _figures(board: Board, player_id: str, control: str | None) -> Json | None:
    view = figures_of(board, player_id)

    return None if view is None or control is None else view.get(control)


def _person(board: Board, view: Json, game: Game) -> Person:
    control = game.time_control.value
    figures = view.get(control)
    player_id = view.get("player_id", "")
    sides = [
        side
        for kept in board.games.of_player(player_id)
        if kept.status == PENDING
        and kept.value is not None
        and (side := orjson.loads(kept.value)).get("time_control") == control
    ]
    rating = playing_rating(
        time_control=game.time_control,
        rating=_published(figures),
        standard=_published(view.get(TimeControl.STANDARD.value)),
        edition=game.edition,
        starts_on=game.starts_on,
    ).rating
    player = board.player(player_id)

    return Person(rating, figures, sides, None if player is None else player.birth_year)


def _published(figures: Json | None) -> int | None:
    published = (figures or {}).get("published") or {}
    rating: int | None = published.get("rating")

    return rating


def _game(board: Board, asked: Asked) -> Game:
    if asked.tournament_id is not None and board.notes.tournament(asked.tournament_id) is not None:
        return _game_of(board, asked.tournament_id, asked.time_control, None)
    # A game of today goes into the next list, or into that which its players' games wait for.
    newest = board.newest_list or list_in_force(asked.today)

    return _game_of(board, None, asked.time_control, next_period(max(newest, list_in_force(asked.today))))


def _game_of(board: Board, tournament_id: str | None, control: TimeControl, period: str | None) -> Game:
    tournament = None if tournament_id is None else board.notes.tournament(tournament_id)
    if tournament is not None:
        return Game(
            control, period or tournament.period(), tournament.edition_in_force(), tournament.starts_on
        )
    day = max(first_day(previous_period(period or "")), EDITIONS[0].effective)

    return Game(control, period or "", edition_on(day), day)
