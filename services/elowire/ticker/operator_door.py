"""The operator's data behind a token: `Authorization: Bearer`, compared in constant time."""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Annotated

import orjson
from fastapi import FastAPI, Header, HTTPException, Response

from elowire.ticker.operator_view import operator_view
from elowire.ticker.sources import Sources

_SCHEME = "bearer "
_MOST_TOKEN = 512
_CLOSED = (
    "This page is closed: the ticker has no token. Start it with ELOWIRE_TICKER_TOKEN_FILE, "
    "the name of a file that holds one."
)


def add_operator(app: FastAPI, sources: Sources) -> None:
    """Add `/v1/operator`."""

    @app.get(
        "/v1/operator",
        summary="What waits for a person: identities, dead letters, corrections (token)",
        responses={
            401: {"description": "the token is missing or wrong"},
            403: {"description": "no token set"},
        },
    )
    async def operator(
        authorization: Annotated[str | None, Header(max_length=_MOST_TOKEN)] = None,
    ) -> Response:
        token = sources.token()
        if not token:
            raise HTTPException(403, _CLOSED)
        if not _is_token(authorization, token):
            raise HTTPException(
                401, "This page needs the operator's token.", headers={"www-authenticate": "Bearer"}
            )
        sources.require_board()
        body = orjson.dumps(operator_view(sources.board, sources.letters, sources.progress))
        return Response(body, media_type="application/json", headers={"cache-control": "no-store"})


def _is_token(authorization: str | None, token: str) -> bool:
    said = authorization or ""
    given = said[len(_SCHEME) :] if said.lower().startswith(_SCHEME) else ""

    # Digests are of one length, so that the comparison says nothing about the token's.
    return hmac.compare_digest(sha256(given.encode()).digest(), sha256(token.encode()).digest())
