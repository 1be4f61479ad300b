"""JSON answers, each made once for everybody who asks before the board changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import orjson
from fastapi import Request, Response

_MOST = 512
_MOST_BYTES = 64 << 20
_FRESH = "public, max-age=1"


class Answer(NamedTuple):
    """A body and the tag of its content."""

    body: bytes
    tag: str


class Answers:
    """Remembers answers as long as `generation` stays the same; bounded by number and by bytes."""

    def __init__(self, generation: Callable[[], int]) -> None:
        self._generation = generation
        self._at = -1
        self._bytes = 0
        self._kept: dict[tuple[Any, ...], Answer] = {}

    def of(self, key: tuple[Any, ...], make: Callable[[], Mapping[str, Any] | None]) -> Answer | None:
        """Give the answer for a key, made if need be; None where there is nothing to say."""
        if self._at != self._generation() or len(self._kept) >= _MOST or self._bytes > _MOST_BYTES:
            self._kept.clear()
            self._bytes = 0
            self._at = self._generation()
        known = self._kept.get(key)
        if known is not None:
            return known
        view = make()
        if view is None:
            return None
        body = orjson.dumps(view)
        answer = Answer(body, f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"')
        self._kept[key] = answer
        self._bytes += len(body)

        return answer


def respond(request: Request, answer: Answer) -> Response:
    """Answer with JSON and its tag; 304 without a body to who has exactly this already."""
    headers = {"etag": answer.tag, "cache-control": _FRESH}
    known = request.headers.get("if-none-match", "")
    if answer.tag in {one.strip().removeprefix("W/") for one in known.split(",")}:
        return Response(status_code=304, headers=headers)

    return Response(answer.body, media_type="application/json", headers=headers)
