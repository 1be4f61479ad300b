"""The stream of changes over HTTP: server-sent events, and the same over a WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated

import orjson
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Response, WebSocket, WebSocketDisconnect
from fastapi.exceptions import WebSocketRequestValidationError
from starlette.requests import HTTPConnection

from elowire.contracts.fields import ID
from elowire.domain import TimeControl
from elowire.runtime.clock import Clock
from elowire.ticker.asking import (
    Age,
    Cursor,
    Federation,
    Limit,
    Sex,
    Title,
    Watching,
    chosen_by,
    interest_in,
)
from elowire.ticker.event_stream import SEND_S, EventStream, until_one_ends
from elowire.ticker.feed import Progress
from elowire.ticker.readings import MOST_ID
from elowire.ticker.snapshots import snapshot_view
from elowire.ticker.sources import Sources
from elowire.ticker.views import Json
from elowire.ticker.watchers import Batch
from elowire.ticker.web import is_allowed_origin
from elowire.ticker.wires import wire_of

_TRY_AGAIN_LATER = 1013
_POLICY_VIOLATION = 1008
_GOING_AWAY = 1001
_DESCRIPTION = (
    "Events `live-rating`, `published-rating` and `tournament-rating` carry what changed, with the player's "
    "rank after it; `rated-game` and `tournament` come to who has chosen players or a tournament. `snapshot` "
    "comes first unless Last-Event-ID can be resumed from; `heartbeat` comes every few seconds and says how "
    "fresh the board is. The same address answers a WebSocket with messages of `id`, `event` and `data`."
)


def _watching(  # noqa: PLR0913 - one for each thing that can be chosen
    connection: HTTPConnection,
    *,
    players: Annotated[
        str | None, Query(max_length=26_000, description="player ids, separated by commas")
    ] = None,
    tournament: Annotated[str | None, Query(pattern=ID)] = None,
    time_control: Annotated[TimeControl | None, Query()] = None,
    federation: Federation = None,
    title: Title = None,
    age: Age = None,
    sex: Sex = None,
    limit: Limit = 100,
    last_event_id: Cursor = None,
) -> Watching:
    year = connection.app.state.clock().year
    chosen = chosen_by(year, federation, title, age, sex)
    return Watching(interest_in(players, tournament, time_control, chosen), chosen, limit, last_event_id)


Asked = Annotated[Watching, Depends(_watching)]


def add_stream(app: FastAPI, sources: Sources) -> None:
    """Add `/v1/stream`, for both protocols."""
    app.state.clock = sources.clock

    @app.get(
        "/v1/stream",
        summary="Changes as they happen (server-sent events, or a WebSocket)",
        response_class=EventStream,
        description=_DESCRIPTION,
    )
    async def changes(
        asked: Asked,
        last_event_id: Annotated[str | None, Header(max_length=MOST_ID)] = None,
    ) -> Response:
        _require_place(sources)
        cursor = last_event_id or asked.cursor
        return EventStream(sources.stream.watching(asked.interest, cursor, _snapshot(sources, asked)))

    @app.websocket("/v1/stream")
    async def messages(websocket: WebSocket, asked: Asked) -> None:
        if not is_allowed_origin(websocket.headers, sources.origins):
            await websocket.close(_POLICY_VIOLATION, "this origin may not read the stream")
            return
        try:
            _require_place(sources)
        except HTTPException as refusal:
            await websocket.close(_TRY_AGAIN_LATER, str(refusal.detail)[:120])
            return
        await websocket.accept()
        await _converse(websocket, sources, asked)

    @app.exception_handler(WebSocketRequestValidationError)
    async def refused(websocket: WebSocket, error: WebSocketRequestValidationError) -> None:
        first = error.errors()[0]
        await websocket.close(_POLICY_VIOLATION, f"{first['loc'][-1]}: {first['msg']}"[:120])


async def _converse(websocket: WebSocket, sources: Sources, asked: Watching) -> None:
    """Send until either side has enough; what the client says is not listened to."""

    async def send() -> None:
        with sources.stream.watching(asked.interest, asked.cursor, _snapshot(sources, asked)) as watcher:
            await watcher.run(write, wire_of(websocket.scope))

    async def write(batch: Batch) -> None:
        for event in batch.events:
            async with asyncio.timeout(SEND_S):
                await websocket.send_text(event.message.decode())

    async def listen() -> None:
        while True:
            await websocket.receive_text()

    outcomes = await until_one_ends(send(), listen())
    for outcome in outcomes:
        ended = (WebSocketDisconnect, TimeoutError, asyncio.CancelledError, RuntimeError, KeyError)
        if isinstance(outcome, BaseException) and not isinstance(outcome, ended):
            raise outcome
    # Who has left already needs no farewell.
    with suppress(RuntimeError, WebSocketDisconnect):
        await websocket.close(_GOING_AWAY)


def heartbeat_data(progress: Progress, clock: Clock) -> Json:
    """Say how fresh the board is; times are milliseconds since 1970, `fault` is a sentence or None."""
    return {
        "at": int(clock().timestamp() * 1000),
        "changed_at": progress.changed_at,
        "fault": progress.fault,
        "behind": progress.behind,
    }


def _snapshot(sources: Sources, asked: Watching) -> Callable[[], bytes]:
    key = ("snapshot", asked.interest, asked.chosen, asked.limit)

    def view() -> Json:
        return snapshot_view(sources.board, asked.interest, asked.limit, asked.chosen)

    def snapshot() -> bytes:
        freshness = orjson.dumps(heartbeat_data(sources.progress, sources.clock))
        answer = sources.answers.of(key, view)
        return b'{"freshness":' + freshness + b"," + (b"{}" if answer is None else answer.body)[1:]

    return snapshot


def _require_place(sources: Sources) -> None:
    sources.require_board()
    if sources.stream.full:
        raise HTTPException(
            503,
            "All places on the stream are taken. Try again in a moment.",
            headers={"retry-after": "10"},
        )
