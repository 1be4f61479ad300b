"""The server's connections, which an application may write to itself once its answer has begun.

Thousands of watchers get the same bytes: handing those to each connection is all that need be done for it.
The connection is offered in the extensions of an ASGI scope; under another server there is none, and
everything goes by messages as usual.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from typing import Any, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from elowire.runtime.bounded_http import BoundedHttp
from elowire.ticker.watchers import Batch, Wire, nothing

_EXTENSION = "elowire.wire"
# What a connection holds before its batches wait in the watcher's queue, where all share them.
_MOST_HELD = 32 * 1024


def wire_of(scope: MutableMapping[str, Any]) -> Wire | None:
    """Give the connection that a request came by, where the server offers it."""
    return cast("Wire | None", scope.get("extensions", {}).get(_EXTENSION))


class _Chunks:
    """An answer in chunks: uvicorn writes every answer without a length so."""

    resumed: Callable[[], None] = staticmethod(nothing)

    def __init__(self, http: WiredHttp) -> None:
        self._http = http

    @property
    def writable(self) -> bool:
        return not self._http.flow.write_paused and not self._http.transport.is_closing()

    def write(self, batch: Batch) -> None:
        self._http.transport.write(batch.chunk)


class _Messages:
    """A WebSocket whose handshake is over; whole messages may stand between any two others."""

    resumed: Callable[[], None] = staticmethod(nothing)

    def __init__(self, socket: WiredWebSocket) -> None:
        self._socket = socket

    @property
    def writable(self) -> bool:
        socket = self._socket
        return socket.writable.is_set() and not socket.close_sent and not socket.transport.is_closing()

    def write(self, batch: Batch) -> None:
        self._socket.transport.write(batch.messages)


class WiredHttp(BoundedHttp):
    """uvicorn's HTTP, which offers its connection."""

    _wire: _Chunks | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        """Bound what the connection holds."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=_MOST_HELD)

    def on_message_begin(self) -> None:
        """Offer the connection."""
        super().on_message_begin()
        self._wire = _Chunks(self)
        self.scope["extensions"] = {_EXTENSION: cast("dict[object, object]", self._wire)}

    def resume_writing(self) -> None:
        """Go on with what waits."""
        super().resume_writing()
        if self._wire is not None:
            self._wire.resumed()


class WiredWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, which offers its connection."""

    _wire: _Messages | None = None

    def handle_connect(self, event: Any) -> None:  # noqa: ANN401 - the request, a type of the library below
        """Offer the connection."""
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self._wire = _Messages(self)
            extensions = cast("dict[str, Any]", self.scope["extensions"])
            extensions[_EXTENSION] = self._wire

    def resume_writing(self) -> None:
        """Go on with what waits."""
        super().resume_writing()
        if self._wire is not None:
            self._wire.resumed()
