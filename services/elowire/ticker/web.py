"""What every answer of the ticker has: security headers, who may read it, errors as sentences."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlsplit

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Nothing from elsewhere, nothing inline, no frames, no string becomes markup.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class SecurityHeaders:
    """ASGI middleware that adds the headers above; it never touches a body, so streams stay streams."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add the headers to the start of its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers)


class Heads:
    """ASGI middleware that answers HEAD as GET, without the body (RFC 9110, 9.3.2)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on as GET; what has no end ends with its head."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        answered = asyncio.Event()

        async def head_alone(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
            elif not answered.is_set():
                answered.set()
                await send({"type": "http.response.body", "body": b""})

        async def left() -> Message:
            await answered.wait()
            return {"type": "http.disconnect"}

        # Without the wire, or events would be written where no body may be.
        asked = {**scope, "method": "GET", "extensions": {}}
        await self._app(asked, left, head_alone)


def add_cors(app: FastAPI, origins: tuple[str, ...]) -> None:
    """Let pages of these origins read answers; `*` lets all. Nothing here depends on who asks."""
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(origins),
            allow_methods=["GET", "HEAD"],
            allow_headers=["if-none-match", "last-event-id", "cache-control"],
            expose_headers=["etag", "retry-after"],
            max_age=3600,
        )


def is_allowed_origin(headers: Headers, origins: tuple[str, ...]) -> bool:
    """Say whether a WebSocket may be opened: browsers do not apply CORS to them, programs send no origin."""
    origin = headers.get("origin")
    if origin is None or "*" in origins or origin in origins:
        return True

    return urlsplit(origin).netloc == headers.get("host")


def add_errors(app: FastAPI) -> None:
    """Make every error an object with `detail`, a sentence; a refused parameter is named in `field`."""

    @app.exception_handler(RequestValidationError)
    async def refused(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        field = str(first["loc"][-1])
        return _error(422, f"{field}: {first['msg']}. /docs lists what it takes.", field=field)

    @app.exception_handler(HTTPException)
    async def failed(_: Request, error: HTTPException) -> Response:
        detail = error.detail
        if error.status_code == HTTPStatus.NOT_FOUND and detail == "Not Found":
            detail = "There is nothing at this address. /docs lists what can be asked."
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            detail = "The ticker is read only: use GET."
        return _error(error.status_code, detail, headers=error.headers)


def _error(status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: str) -> Response:
    return Response(
        orjson.dumps({"detail": detail, **more}),
        status_code=status,
        media_type="application/json",
        headers={"cache-control": "no-store", **(headers or {})},
    )
