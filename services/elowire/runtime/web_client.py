"""HTTP as a reader needs it: one JSON answer, or server-sent events for as long as they come."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import aiohttp
import orjson

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Mapping

MOST_BYTES = 64 << 20
_LINE_BYTES = 8 << 20


class WebUnreachableError(ConnectionError):
    """Nobody answers at an address, or the answer breaks off; the message names the address and the cause."""


class Answer(NamedTuple):
    """The status of an answer and its JSON body; the body is None where it is not JSON."""

    status: int
    body: Any


class ServerEvent(NamedTuple):
    """One server-sent event."""

    id: str
    event: str
    data: bytes


class StreamRefusedError(RuntimeError):
    """A stream was asked for and another answer came."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"status {answer.status}")
        self.answer = answer


class WebClient:
    """One client for one address; use it as an asynchronous context."""

    def __init__(self, address: str, *, answer_s: float = 15.0) -> None:
        self._address = address.rstrip("/")
        self._answer_s = answer_s
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._answer_s, sock_read=self._answer_s)
        self._session = aiohttp.ClientSession(timeout=timeout, read_bufsize=_LINE_BYTES)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(self, path: str, query: Mapping[str, str]) -> Answer:
        """Ask once. Raises `WebUnreachableError`."""
        try:
            async with (
                asyncio.timeout(self._answer_s),
                self._open().get(self._address + path, params=query) as answer,
            ):
                return await _answer(answer)
        except (aiohttp.ClientError, OSError) as fault:
            raise self._unreachable(fault) from fault

    async def events(
        self, path: str, query: Mapping[str, str], *, last_event_id: str | None, idle_s: float
    ) -> AsyncGenerator[ServerEvent]:
        """Yield events until the server ends the stream.

        Raises `StreamRefusedError` for any other answer, and `WebUnreachableError` when nothing comes for
        `idle_s` seconds or the connection breaks.
        """
        headers = {"accept": "text/event-stream"}
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._answer_s, sock_read=idle_s)
        try:
            async with self._open().get(
                self._address + path, params=query, headers=headers, timeout=timeout
            ) as answer:
                if answer.status != 200 or answer.content_type != "text/event-stream":  # noqa: PLR2004 - OK
                    raise StreamRefusedError(await _answer(answer))
                async for event in read_events(answer.content):
                    yield event
        except (aiohttp.ClientError, OSError, ValueError) as fault:
            raise self._unreachable(fault) from fault

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("use `async with WebClient(...)`")
        return self._session

    def _unreachable(self, fault: Exception) -> WebUnreachableError:
        if isinstance(fault, TimeoutError):
            cause = "no answer in time"
        else:
            cause = getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
        return WebUnreachableError(f"{self._address} cannot be reached ({cause})")


async def read_events(lines: AsyncIterable[bytes]) -> AsyncGenerator[ServerEvent]:
    """Read server-sent events from lines (HTML Living Standard, 9.2.6); comments and `retry` are left out."""
    said: dict[bytes, bytes] = {}
    last_id = ""
    async for raw in lines:
        line = raw.rstrip(b"\r\n")
        if not line:
            last_id = said.get(b"id", last_id.encode()).decode("utf-8", "replace")
            if b"data" in said:
                event = said.get(b"event", b"message").decode("utf-8", "replace")
                yield ServerEvent(last_id, event, said[b"data"])
            said = {}
            continue
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        said[name] = said[name] + b"\n" + value if name == b"data" and name in said else value


async def _answer(answer: aiohttp.ClientResponse) -> Answer:
    try:
        return Answer(answer.status, orjson.loads(await _whole(answer)))
    except orjson.JSONDecodeError:
        return Answer(answer.status, None)


async def _whole(answer: aiohttp.ClientResponse) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in answer.content.iter_any():
        size += len(part)
        if size > MOST_BYTES:
            raise aiohttp.ClientPayloadError(f"the answer is longer than {MOST_BYTES} bytes")
        parts.append(part)
    return b"".join(parts)
