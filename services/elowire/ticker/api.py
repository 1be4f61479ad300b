"""The ticker's HTTP: read-only JSON, a stream of changes, and the pages (contract, section 6)."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response

from elowire.domain import TimeControl
from elowire.ticker.asking import (
    Age,
    Control,
    Federation,
    GameId,
    Limit,
    Offset,
    Player,
    PlayerId,
    Sex,
    Title,
    Tournament,
    TournamentId,
    Words,
    chosen_by,
)
from elowire.ticker.meetings import Asked, game_view, meeting_view
from elowire.ticker.operator_door import add_operator
from elowire.ticker.pages import add_pages
from elowire.ticker.sources import Sources
from elowire.ticker.streaming import add_stream
from elowire.ticker.tournament_views import tournament_view, tournaments_view
from elowire.ticker.views import Json, facets_view, player_view, ranking_view, search_view
from elowire.ticker.web import Heads, SecurityHeaders, add_cors, add_errors

_CONFLICT = 409
_UNKNOWN = "No rating of player {} has been seen. Ids are FIDE's digits, or namespace:id."
_ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"description": "nothing of this id has been seen"},
    422: {"description": "a parameter is wrong; `field` names it"},
    503: {"description": "the board is still being read; Retry-After says when to come again"},
}


def create_app(sources: Sources) -> FastAPI:
    """Build the application."""
    app = FastAPI(
        title="Elowire ticker",
        version=version("elowire"),
        summary="Live FIDE ratings, exact to the hundredth.",
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(Heads)
    add_cors(app, sources.origins)
    app.add_middleware(SecurityHeaders)
    add_errors(app)
    _add_players(app, sources)
    _add_tournaments(app, sources)
    add_stream(app, sources)
    add_operator(app, sources)
    add_pages(app)

    return app


def _add_players(app: FastAPI, sources: Sources) -> None:
    board = sources.board

    @app.get(
        "/v1/players/{player_id}", summary="One player's live ratings and pending games", responses=_ERRORS
    )
    async def player(request: Request, player_id: PlayerId) -> Response:
        return sources.answer(
            request, ("player", player_id), lambda: player_view(board, player_id), _UNKNOWN.format(player_id)
        )

    @app.get("/v1/players", summary="Players by a part of their name", responses=_ERRORS)
    async def search(
        request: Request, search: Words, time_control: Control = TimeControl.STANDARD, limit: Limit = 20
    ) -> Response:
        key = ("search", search, time_control, limit)
        return sources.answer(request, key, lambda: search_view(board, search, time_control, limit))

    @app.get("/v1/live-ratings", summary="Players ranked by live rating", responses=_ERRORS)
    async def live_ratings(
        request: Request,
        *,
        time_control: Control = TimeControl.STANDARD,
        limit: Limit = 100,
        offset: Offset = 0,
        federation: Federation = None,
        title: Title = None,
        age: Age = None,
        sex: Sex = None,
    ) -> Response:
        chosen = chosen_by(sources.clock().year, federation, title, age, sex)
        key = ("ranking", time_control, limit, offset, chosen)
        return sources.answer(
            request, key, lambda: ranking_view(board, time_control, limit, chosen, offset=offset)
        )

    @app.get("/v1/facets", summary="What live ratings can be filtered by", responses=_ERRORS)
    async def facets(request: Request) -> Response:
        return sources.answer(request, ("facets",), lambda: facets_view(board))

    @app.get("/v1/what-if", summary="What a win, a draw and a loss would bring to both", responses=_ERRORS)
    async def what_if(
        request: Request,
        player: Player,
        opponent: Player,
        time_control: Control = TimeControl.STANDARD,
        tournament: Tournament = None,
    ) -> Response:
        if player == opponent:
            raise HTTPException(422, "opponent: nobody plays himself; name another player.")
        asked = Asked(player, opponent, time_control, tournament, sources.clock().date())
        unknown = player if board.player(player) is None else opponent
        return sources.answer(
            request, ("what-if", asked), lambda: meeting_view(board, asked), _UNKNOWN.format(unknown)
        )


def _add_tournaments(app: FastAPI, sources: Sources) -> None:
    board = sources.board

    @app.get("/v1/tournaments", summary="Tournaments, those that changed last first", responses=_ERRORS)
    async def tournaments(request: Request, limit: Limit = 50) -> Response:
        return sources.answer(request, ("tournaments", limit), lambda: tournaments_view(board, limit))

    @app.get(
        "/v1/tournaments/{tournament_id}",
        summary="One tournament: its entrants with their changes, and its games",
        responses=_ERRORS,
    )
    async def tournament(request: Request, tournament_id: TournamentId) -> Response:
        return sources.answer(
            request,
            ("tournament", tournament_id),
            lambda: tournament_view(board, tournament_id),
            f"No line of tournament {tournament_id} has been seen.",
        )

    @app.get(
        "/v1/games/{game_id}",
        summary="One game that is in no list yet; while it is played, what each result would bring",
        responses={**_ERRORS, _CONFLICT: {"description": "several tournaments have a game of this id"}},
    )
    async def game(request: Request, game_id: GameId, tournament: Tournament = None) -> Response:
        sources.require_board()
        found = board.games.game(game_id, tournament)
        if len(found) > 1:
            raise HTTPException(
                _CONFLICT,
                f"Several tournaments have a game {game_id}; add tournament=, one of: {_some(found)}.",
            )

        def view() -> Json | None:
            for name, sides in found.items():
                return game_view(board, game_id, name, sides)
            return None

        where = "" if tournament is None else f" of tournament {tournament}"
        return sources.answer(
            request, ("game", game_id, tournament), view, f"No pending game {game_id}{where} has been seen."
        )


def _some(names: dict[str, Any]) -> str:
    return ", ".join(sorted(names)[:10])
