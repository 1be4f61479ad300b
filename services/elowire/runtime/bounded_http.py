"""HTTP by httptools, with bounds that it lacks: of the head of a request, and of what nobody will read.

The parser itself takes a head of any length for any time. And a connection that is closed while its client
still sends is reset: the client loses the answer that tells it why.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

if TYPE_CHECKING:
    import asyncio

_MOST_HEAD = 64 * 1024
"""Bytes of a request line and its headers; two hundred player ids fit."""
_HEAD_S = 15.0
"""Seconds from the first byte of a head, or from the beginning of a connection, to the head's end."""
_MOST_REST = 16 << 20
_REST_S = 5.0
"""What is thrown away of a request that has had its answer: bytes and seconds."""


_FAREWELL_S = 1.0


class BoundedHttp(HttpToolsProtocol):
    """Answers 431 to a head that is too long and 408 to one that does not end, and lets answers arrive."""

    _in_head = True
    _taken = 0
    _piece = 0
    _refused = False
    _leaving = False
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._wait(_HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._wait(None)
        super().connection_lost(exc)

    def on_headers_complete(self) -> None:
        """Stop counting."""
        self._in_head, self._taken = False, 0
        self._wait(None)
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:
            self.cycle.transport = cast("asyncio.Transport", _Parting(self, self.cycle))

    def on_message_complete(self) -> None:
        """Be ready for the next head, or leave when that was put off until now."""
        # What else came in the same piece was no head.
        self._in_head, self._taken = True, -self._piece
        super().on_message_complete()
        if self._leaving:
            self.transport.close()
        elif not self._is_answering():
            self._wait(_HEAD_S)

    def on_response_complete(self) -> None:
        """Throw the rest of a body away, within bounds: the client reads the answer when it has sent all."""
        super().on_response_complete()
        if not self._in_head and self.cycle.response_complete and not self.transport.is_closing():
            self._taken = 0
            self._wait(_REST_S)

    def handle_websocket_upgrade(self) -> None:
        """Let go of the connection: it belongs to the WebSocket from now on."""
        self._wait(None)
        super().handle_websocket_upgrade()

    def leave(self) -> None:
        """Close when the rest of the body is here."""
        self._leaving = True

    def data_received(self, data: bytes) -> None:
        """Parse, unless it has become too much."""
        while data and not self.transport.is_closing() and self.transport.get_protocol() is self:
            piece, data = data[:_MOST_HEAD], data[_MOST_HEAD:]
            self._piece = len(piece)
            if self._refused or (not self._in_head and self.cycle.response_complete):
                self._taken += self._piece
                if self._taken > _MOST_REST:
                    self.transport.close()
                    return
            if self._refused:
                continue
            super().data_received(piece)
            if self._in_head:
                self._taken += self._piece
                self._check_head()

    def _is_answering(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None before the first request
        return cycle is not None and not cycle.response_complete

    def _check_head(self) -> None:
        if self._taken >= _MOST_HEAD:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The head of the request is too long.")
        elif self._taken > 0 and self._deadline is None:
            self._wait(_HEAD_S)

    def _wait(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        if self._in_head and self._taken > 0 and not self._refused:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "The head of the request has not come in time.")
        else:
            self.transport.close()

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        """Answer, and close a little later: what is still on its way would reset the connection."""
        if self.transport.is_closing():
            return
        if self._is_answering():
            # An answer to an earlier request is under way: nothing may come between its parts.
            self.transport.close()
            return
        self._refused, self._taken = True, 0
        self._unset_keepalive_if_required()
        body = b'{"detail":"%b"}' % sentence.encode()
        self.transport.write(
            b"HTTP/1.1 %d %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n"
            b"connection: close\r\n\r\n%b" % (status, status.phrase.encode(), len(body), body)
        )
        self._wait(_FAREWELL_S)


class _Parting:
    """What an answer writes to: it closes at once when its request has come whole, and else when it has."""

    def __init__(self, http: BoundedHttp, cycle: RequestResponseCycle) -> None:
        self._http, self._cycle = http, cycle

    def write(self, data: bytes) -> None:
        self._http.transport.write(data)

    def is_closing(self) -> bool:
        return self._http.transport.is_closing()

    def close(self) -> None:
        if self._cycle.more_body and self._cycle.response_complete:
            self._http.leave()
        else:
            self._http.transport.close()
