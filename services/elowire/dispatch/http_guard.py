"""Who may come in, and what every answer has: bounded bodies, errors as sentences, closed headers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from traceback import format_exception
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elowire.dispatch.desk import is_token
from elowire.dispatch.store import Store
from elowire.dispatch.subscriptions import RefusedError, UnknownSubscriptionError, refused
from elowire.runtime.logs import get_logger

MOST_BODY_BYTES = 256 << 10
_READ_S = 15.0
_BEARER = HTTPBearer(auto_error=False, description="`elowire subscriptions token NAME` makes one.")
Model = TypeVar("Model", bound=BaseModel)

log = get_logger(__name__)


class Said(BaseModel):
    """Why a request was not done: a sentence, and where it is one field its name and what would do."""

    detail: str
    field: str | None = None
    expected: str | None = None
    advice: str | None = None


PROBLEMS: dict[int | str, dict[str, Any]] = {
    HTTPStatus.BAD_REQUEST: {"model": Said, "description": "Something asked for cannot be."},
    HTTPStatus.UNAUTHORIZED: {"model": Said, "description": "No token, or not one of this service."},
    HTTPStatus.NOT_FOUND: {"model": Said, "description": "No such subscription or delivery."},
    HTTPStatus.REQUEST_TIMEOUT: {"model": Said, "description": "The body has not come in time."},
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: {"model": Said, "description": "The body is too large."},
    HTTPStatus.UNPROCESSABLE_ENTITY: {"model": Said, "description": "A parameter of the address is wrong."},
}


class Problem(Exception):  # noqa: N818 - it ends a request, it is no programming error
    """Ends a request with a status of 400 to 599."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, dict(headers or {})


class Guard:
    """Lets in who has a token; `own` is the digest of the one in the settings."""

    def __init__(self, store: Store, own: bytes | None) -> None:
        self._store, self._own = store, own

    async def __call__(self, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]) -> None:
        """Let a request in. Raises `Problem`."""
        token = "" if given is None else given.credentials
        good = await asyncio.to_thread(is_token, self._store, token, self._own)
        if good:
            return
        if good is None:
            detail = (
                "There is no token yet. Make one on the machine of this service with "
                "`elowire subscriptions token NAME`, or set ELOWIRE_DISPATCH_TOKEN_FILE."
            )
        elif given is None:
            detail = "The request has no token; send the header `Authorization: Bearer TOKEN`."
        else:
            detail = "The token is none of this service."
        raise Problem(HTTPStatus.UNAUTHORIZED, detail, {"www-authenticate": "Bearer"})


async def parsed(request: Request, model: type[Model]) -> Model:
    """Read a bounded body as a model; no body is an empty object. Raises `Problem`, `RefusedError`."""
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(_READ_S):
            async for part in request.stream():
                size += len(part)
                if size > MOST_BODY_BYTES:
                    raise Problem(
                        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                        f"The body has more than {MOST_BODY_BYTES} bytes.",
                        {"connection": "close"},
                    )
                parts.append(part)
    except TimeoutError:
        raise Problem(
            HTTPStatus.REQUEST_TIMEOUT,
            f"The body has not come within {_READ_S:g} seconds.",
            {"connection": "close"},
        ) from None
    except ClientDisconnect:
        raise Problem(HTTPStatus.BAD_REQUEST, "The body broke off.") from None
    try:
        return model.model_validate_json(b"".join(parts) or b"{}")
    except ValidationError as problem:
        raise refused(problem) from None


def json_answer(
    body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with JSON that nobody keeps."""
    return Response(
        orjson.dumps(body),
        status_code=status,
        media_type="application/json",
        headers={"cache-control": "no-store", **(headers or {})},
    )


def add_problems(app: FastAPI) -> None:
    """Make every error an object with `detail`, a sentence; a refused field is named in `field`."""

    @app.exception_handler(Problem)
    async def ended(_: Request, problem: Problem) -> Response:
        return json_answer({"detail": problem.detail}, problem.status, problem.headers)

    @app.exception_handler(RefusedError)
    async def not_done(_: Request, error: RefusedError) -> Response:
        unknown = isinstance(error, UnknownSubscriptionError)
        said = error.refusal._asdict()
        more = {name: said[name] for name in ("field", "expected", "advice") if said[name]}
        status = HTTPStatus.NOT_FOUND if unknown else HTTPStatus.BAD_REQUEST
        return json_answer({"detail": str(error), **more}, status)

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
            detail = "There is nothing at this address. /openapi.json lists what can be asked."
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            detail = "This address does not take that method. /openapi.json lists what can be asked."
        return json_answer({"detail": detail}, error.status_code, error.headers)


class Shield:
    """ASGI middleware around everything: closed headers, and a fault of our own is one plain answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; nothing that is answered is to be shown, framed or sniffed by a browser."""
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
            # The trace alone: values of variables may be secrets.
            trace = "".join(format_exception(fault))
            log.error("a request failed", path=scope.get("path"), trace=trace)  # noqa: TRY400 - see above
            if not begun:
                detail = "Elowire failed on this request; its log says why. The request may be sent again."
                answer = json_answer({"detail": detail}, HTTPStatus.INTERNAL_SERVER_ERROR)
                await answer(scope, receive, with_headers)
