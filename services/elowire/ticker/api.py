"""The ticker's HTTP: read-only JSON, one stream of changes, and the live page (contract, section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path as File
from typing import Annotated

import orjson
from fastapi import FastAPI, Header, HTTPException, Path, Query, Request, Response
from fastapi.responses import FileResponse
from sse_starlette import EventSourceResponse
from starlette.staticfiles import StaticFiles

from elowire.contracts.fields import ID
from elowire.domain import TimeControl
from elowire.runtime.clock import Clock
from elowire.ticker.board import Board
from elowire.ticker.feed import Progress
from elowire.ticker.readings import MOST_ID
from elowire.ticker.stream import Interest, Stream
from elowire.ticker.views import Json, player_view, ranking_view, snapshot_view, tournament_view
from elowire.ticker.web import SecurityHeaders, add_errors, json_answer

_FILES = File(__file__).parent / "static"
_MOST_PLAYERS = 200
_SEND_S = 20.0
_STREAM = (
    "Events `live-rating`, `published-rating` and `tournament-rating` carry what changed, with the player's "
    "rank after it. `snapshot` comes first unless Last-Event-ID can be resumed from; `heartbeat` comes every "
    "few seconds and says how fresh the board is."
)

PlayerId = Annotated[str, Path(pattern=ID, description="FIDE id, or namespace:id", examples=["2020009"])]
TournamentId = Annotated[str, Path(pattern=ID, examples=["us-championship-2025"])]
Control = Annotated[TimeControl, Query(description="which of the three ratings")]
Limit = Annotated[int, Query(ge=1, le=1000, description="players at most")]
Federation = Annotated[
    str | None, Query(pattern="^[A-Z]{3}$", description="FIDE's code of a federation", examples=["USA"])
]


@dataclass(frozen=True, slots=True)
class Sources:
    """What answers are made of: the board, its stream of changes, the feed's progress and the time."""

    board: Board
    stream: Stream
    progress: Progress
    clock: Clock

    def require_board(self) -> None:
        """Refuse to answer from half a board: a missing player would look like an unknown one."""
        if not self.progress.caught_up:
            raise HTTPException(
                503,
                f"The board is not complete yet ({self.progress.fault or 'reading Kafka'}). Try again soon.",
                headers={"retry-after": "2"},
            )


def create_app(sources: Sources) -> FastAPI:
    """Build the application."""
    app = FastAPI(
        title="Elowire ticker",
        version=version("elowire"),
        summary="Live FIDE ratings, exact to the hundredth.",
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(SecurityHeaders)
    add_errors(app)
    _add_views(app, sources)
    _add_stream(app, sources)
    _add_pages(app)

    return app


def _add_views(app: FastAPI, sources: Sources) -> None:
    board = sources.board

    @app.get("/v1/players/{player_id}", summary="One player's live ratings and pending games")
    async def player(request: Request, player_id: PlayerId) -> Response:
        sources.require_board()
        view = player_view(board, player_id)
        if view is None:
            raise HTTPException(
                404,
                f"No rating of player {player_id} has been seen. Ids are FIDE's digits, or namespace:id.",
            )
        return json_answer(request, view)

    @app.get("/v1/live-ratings", summary="Players ranked by live rating")
    async def live_ratings(
        request: Request,
        time_control: Control = TimeControl.STANDARD,
        limit: Limit = 100,
        federation: Federation = None,
    ) -> Response:
        sources.require_board()
        return json_answer(request, ranking_view(board, time_control, limit, federation))

    @app.get("/v1/tournaments/{tournament_id}", summary="One tournament's entrants with their changes")
    async def tournament(request: Request, tournament_id: TournamentId) -> Response:
        sources.require_board()
        view = tournament_view(board, tournament_id)
        if view is None:
            raise HTTPException(404, f"No line of tournament {tournament_id} has been seen.")
        return json_answer(request, view)


def _add_stream(app: FastAPI, sources: Sources) -> None:
    @app.get(
        "/v1/stream",
        summary="Changes as they happen (server-sent events)",
        response_class=EventSourceResponse,
        description=_STREAM,
    )
    async def changes(
        players: Annotated[
            str | None, Query(max_length=26_000, description="player ids, separated by commas")
        ] = None,
        tournament: Annotated[str | None, Query(pattern=ID)] = None,
        time_control: Annotated[TimeControl | None, Query()] = None,
        federation: Federation = None,
        limit: Limit = 100,
        last_event_id: Annotated[str | None, Header(max_length=MOST_ID)] = None,
    ) -> Response:
        sources.require_board()
        if sources.stream.full:
            raise HTTPException(
                503,
                "All places on the stream are taken. Try again in a moment.",
                headers={"retry-after": "10"},
            )
        interest = Interest(_player_ids(players), tournament, time_control, federation)

        def snapshot() -> bytes:
            freshness = heartbeat_data(sources.progress, sources.clock)
            return orjson.dumps({"freshness": freshness, **snapshot_view(sources.board, interest, limit)})

        return EventSourceResponse(
            sources.stream.watch(interest, last_event_id, snapshot), ping=0, send_timeout=_SEND_S
        )


def heartbeat_data(progress: Progress, clock: Clock) -> Json:
    """Say how fresh the board is; times are milliseconds since 1970, `fault` is a sentence or None."""
    return {
        "at": int(clock().timestamp() * 1000),
        "changed_at": progress.changed_at,
        "fault": progress.fault,
        "behind": progress.behind,
    }


def _player_ids(text: str | None) -> frozenset[str]:
    ids = frozenset(one.strip() for one in (text or "").split(",") if one.strip())
    if len(ids) > _MOST_PLAYERS or any(len(one) > MOST_ID for one in ids):
        raise HTTPException(422, f"players: at most {_MOST_PLAYERS} ids of at most {MOST_ID} characters.")
    return ids


def _add_pages(app: FastAPI) -> None:
    app.mount("/static", StaticFiles(directory=_FILES), name="static")

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(_FILES / "page.html", headers={"cache-control": "no-cache"})

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return FileResponse(_FILES / "docs.html", headers={"cache-control": "no-cache"})
