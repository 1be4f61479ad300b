"""Why a request is refused: a status, and as JSON a sentence, the field, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from traceback import format_exception
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elowire.contracts.dead_letters import DeadLetterReason, Refused
from elowire.runtime.logs import get_logger

log = get_logger(__name__)

# Understood, but not to be processed; everything else is a fault in what was written.
_NOT_PROCESSABLE = {DeadLetterReason.UNKNOWN_TYPE, DeadLetterReason.UNKNOWN_VERSION}


class Problem(Exception):  # noqa: N818 - it ends a request, it is no programming error
    """Ends a request with a status of 400 to 599."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: object
    ) -> None:
        super().__init__(detail)
        self.status, self.headers = status, dict(headers or {})
        self.body = {"detail": detail, **{name: value for name, value in more.items() if value is not None}}


def refused(fault: Refused, *, place: str = "") -> Problem:
    """Give the answer to an event that was refused; `place` says which of a batch."""
    found = described(fault, place=place)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if fault.reason in _NOT_PROCESSABLE else HTTPStatus.BAD_REQUEST
    if fault.reason is DeadLetterReason.TOO_LARGE:
        status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return Problem(status, **found)


def described(fault: Refused, *, place: str = "") -> dict[str, Any]:
    """Give a refusal as data."""
    field = ".".join(part for part in (place, fault.field) if part)
    found = {
        "detail": f"{place}: {fault.detail}" if place else fault.detail,
        "reason": fault.reason.value,
        "field": field or None,
        "expected": fault.expected,
        "advice": fault.advice,
    }
    return {name: value for name, value in found.items() if value is not None}


def add_problems(app: FastAPI) -> None:
    """Make every error an object with `detail`."""

    @app.exception_handler(Problem)
    async def ended(_: Request, problem: Problem) -> Response:
        return json_answer(problem.body, problem.status, problem.headers)

    @app.exception_handler(RequestValidationError)
    async def wrong(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        field = str(first["loc"][-1])
        body = {"detail": f"{field}: {first['msg']}. /openapi.json lists what it takes.", "field": field}
        return json_answer(body, HTTPStatus.UNPROCESSABLE_ENTITY)

    @app.exception_handler(HTTPException)
    async def failed(_: Request, error: HTTPException) -> Response:
        detail = error.detail
        if error.status_code == HTTPStatus.NOT_FOUND:
            detail = "There is nothing at this address. /openapi.json lists what can be sent."
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            detail = "This address does not take that method. /openapi.json lists what can be sent."
        return json_answer({"detail": detail}, error.status_code, error.headers)


def json_answer(
    body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with JSON that nobody keeps."""
    return stored_answer(orjson.dumps(body), status, headers)


def stored_answer(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with JSON that is written already."""
    return Response(
        body,
        status_code=status,
        media_type="application/json",
        headers={"cache-control": "no-store", **(headers or {})},
    )


class Shield:
    """ASGI middleware around everything: closed headers, and a fault of our own is one plain answer.

    The log gets the trace without the values of variables: among them are bodies and keys.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; nothing that ingest answers is to be shown, framed or sniffed by a browser."""
        begun = False

        async def with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [
                    *message["headers"],
                    (b"x-content-type-options", b"nosniff"),
                    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
                ]
            await send(message)

        try:
            await self._app(scope, receive, with_headers)
        except Exception as fault:  # noqa: BLE001 - whatever it is, the next request must find us well
            trace = "".join(format_exception(fault))
            log.error("a request failed", path=scope.get("path"), trace=trace)  # noqa: TRY400 - see above
            if not begun:
                detail = "Elowire failed on this request; its log says why. The request may be sent again."
                answer = json_answer({"detail": detail}, HTTPStatus.INTERNAL_SERVER_ERROR)
                await answer(scope, receive, with_headers)
