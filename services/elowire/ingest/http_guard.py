"""Who may come in: bounded bodies, signatures, allowances, and every request answered once.

The order is the cheapest first: nothing is read before the headers make sense, nothing is parsed before the
signature holds, nothing is sent before the allowance has room.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import blake2b
from http import HTTPStatus
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from fastapi import Request
from starlette.requests import ClientDisconnect

from elowire.ingest.http_problems import Problem
from elowire.ingest.rates import Allowance, Rates
from elowire.ingest.readers.text import LARGEST_FILE
from elowire.ingest.service_store import Delivery, Store
from elowire.ingest.signatures import Attempt, UnsignedError, attempt_of, signer
from elowire.ingest.sources import Sources, SourcesError, WebhookSource, read_sources
from elowire.runtime import clock
from elowire.runtime.clock import Clock
from elowire.runtime.logs import get_logger

_SOURCE = Allowance(burst=500, per_s=100.0)
_STRANGER = Allowance(burst=20, per_s=0.5)

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one sender, and all together, may ask for."""

    event_bytes: int = 1 << 20
    file_bytes: int = LARGEST_FILE
    at_once: int = 64
    """Requests whose body is in memory."""
    files_at_once: int = 2
    read_s: float = 30.0
    """Seconds in which a body must have come."""
    source: Allowance = _SOURCE
    """Requests of one source."""
    strangers: Allowance = _STRANGER
    """Requests of one address that prove nothing."""


class Admitted(NamedTuple):
    """A request that may come in: whose it is, its three headers, its body."""

    source: WebhookSource
    attempt: Attempt
    body: bytes


class Watched:
    """The file of sources as it stands; read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, ...] | None = None
        self._sources = Sources()
        self.fault: str | None = None
        """Why the file cannot be used, None while it can."""

    def now(self) -> Sources:
        """Give the sources. Raises `SourcesError`."""
        try:
            found = self.path.stat()
            seen: tuple[int, ...] = (found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode)
        except OSError:
            seen = ()
        if seen != self._seen:
            self._seen, self.fault = seen, None
            try:
                self._sources = read_sources(self.path)
            except SourcesError as problem:
                self.fault = str(problem)
                log.warning("the sources cannot be used", fault=self.fault)
        if self.fault is not None:
            raise SourcesError(self.fault)
        return self._sources


class Guard:
    """Admits requests. `outcomes` counts what became of them, by word."""

    def __init__(self, sources: Watched, store: Store, now: Clock, limits: Limits) -> None:
        self._sources, self._store, self._now, self.limits = sources, store, now, limits
        self._rates, self._strangers = Rates(limits.source), Rates(limits.strangers)
        self._inside: Counter[int] = Counter()
        self._under_way: dict[tuple[str, str], asyncio.Lock] = {}
        self.outcomes: Counter[str] = Counter()
        self.newest: dict[str, float] = {}
        """When each source's newest request was accepted, in seconds since 1970."""

    async def answered(
        self,
        request: Request,
        most_bytes: int,
        work: Callable[[Admitted], Awaitable[dict[str, Any]]],
    ) -> bytes:
        """Admit a request, do its work and give the answer's body; a repeat gets the first answer again.

        Raises `Problem`.
        """
        places = self.limits.at_once if most_bytes <= self.limits.event_bytes else self.limits.files_at_once
        if self._inside[most_bytes] >= places:
            self.outcomes["busy"] += 1
            raise Problem(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "As many requests as there may be are being worked on. Send this one again.",
                headers={"retry-after": "1"},
            )
        self._inside[most_bytes] += 1
        try:
            return await self._answered(request, most_bytes, work)
        except Problem as problem:
            self.outcomes[str(problem.status)] += 1
            raise
        finally:
            self._inside[most_bytes] -= 1

    async def _answered(
        self,
        request: Request,
        most_bytes: int,
        work: Callable[[Admitted], Awaitable[dict[str, Any]]],
    ) -> bytes:
        admitted = await self._admit(request, most_bytes)
        name, webhook_id = admitted.source.name, admitted.attempt.webhook_id
        digest = _digest(request, admitted.body)
        lock = self._under_way.setdefault((name, webhook_id), asyncio.Lock())
        try:
            async with lock:
                known = await asyncio.to_thread(self._store.delivery, name, webhook_id)
                if known is not None:
                    self.outcomes["repeated"] += 1
                    return _repeated(known, digest)
                reply = orjson.dumps(await work(admitted))
                at_ms = int(self._now().timestamp() * 1000)
                await asyncio.to_thread(
                    self._store.keep_delivery, name, webhook_id, Delivery(digest, reply), at_ms
                )
        finally:
            # Two that work at once after a failure do no harm: their events are the same.
            if not lock.locked():
                self._under_way.pop((name, webhook_id), None)
        self.outcomes["accepted"] += 1
        self.newest[name] = self._now().timestamp()
        return reply

    async def _admit(self, request: Request, most_bytes: int) -> Admitted:
        now = self._now()
        try:
            sources = self._sources.now()
        except SourcesError:
            raise Problem(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "The sources of this installation cannot be read; its operator finds the reason in the log.",
                headers={"retry-after": "60"},
            ) from None
        if not sources.webhooks():
            raise Problem(
                HTTPStatus.UNAUTHORIZED,
                "No source may send here yet. Add one on the machine of this service with "
                "`elowire sources add NAME`, and sign requests with the secret that it shows.",
            )
        try:
            attempt = attempt_of(request.headers, now.timestamp())
            body = await read_body(request, most_bytes, self.limits.read_s)
            name = await asyncio.to_thread(signer, attempt, body, list(sources.keys(now)))
        except UnsignedError as problem:
            raise self._stranger(request, str(problem), problem.field) from None
        if name is None:
            raise self._stranger(
                request,
                "webhook-signature fits no source: sign `webhook-id.webhook-timestamp.body`, byte for byte, "
                "with a secret that is in force (`elowire sources list` on the machine of this service)",
                "webhook-signature",
            )
        wait = self._rates.take(name, clock.monotonic())
        if wait:
            raise _too_often(f"source {name}", wait)
        source = sources.named(name)
        if not isinstance(source, WebhookSource):
            raise TypeError("a broadcast has no key")
        return Admitted(source, attempt, body)

    def _stranger(self, request: Request, detail: str, field: str) -> Problem:
        host = request.client.host if request.client else "unknown"
        wait = self._strangers.take(host, clock.monotonic())
        if wait:
            return _too_often(f"unsigned requests from {host}", wait)
        return Problem(HTTPStatus.UNAUTHORIZED, detail, field=field)


async def read_body(request: Request, most_bytes: int, within_s: float) -> bytes:
    """Read a body of at most `most_bytes`; a longer one is not taken in. Raises `Problem`."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "the body is encoded; send it as it is, without content-encoding",
            field="content-encoding",
            expected="identity",
        )
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > most_bytes:
        raise _too_large(most_bytes)
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(within_s):
            async for part in request.stream():
                size += len(part)
                if size > most_bytes:
                    raise _too_large(most_bytes)
                parts.append(part)
    except TimeoutError:
        raise Problem(
            HTTPStatus.REQUEST_TIMEOUT,
            f"the body has not come within {within_s:g} seconds",
            headers={"connection": "close"},
        ) from None
    except ClientDisconnect:
        raise Problem(HTTPStatus.BAD_REQUEST, "the body broke off") from None
    return b"".join(parts)


def _too_large(most_bytes: int) -> Problem:
    return Problem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"the body has more than {most_bytes} bytes",
        expected=f"at most {most_bytes} bytes",
        advice="Send several requests.",
        # The rest of the body is not read.
        headers={"connection": "close"},
    )


def _too_often(who: str, wait_s: float) -> Problem:
    seconds = ceil(wait_s)
    return Problem(
        HTTPStatus.TOO_MANY_REQUESTS,
        f"{who}: too many requests; wait {seconds} seconds",
        headers={"retry-after": str(seconds)},
    )


def _digest(request: Request, body: bytes) -> bytes:
    """Tell requests apart by everything that decides over them."""
    digest = blake2b(body, digest_size=16)
    for part in (
        request.method,
        request.url.path,
        request.url.query,
        request.headers.get("content-type", ""),
    ):
        digest.update(b"\0" + part.encode())
    return digest.digest()


def _repeated(known: Delivery, digest: bytes) -> bytes:
    if known.digest != digest:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "this webhook-id was used for another request",
            field="webhook-id",
            expected="a new webhook-id for new content; the same one only for the same request again",
        )
    return orjson.dumps({**orjson.loads(known.reply), "repeated": True})
