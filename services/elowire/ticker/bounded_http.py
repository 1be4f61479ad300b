"""HTTP by httptools, with an end to the head of a request: the parser itself takes any length."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_MOST_HEAD = 64 * 1024
"""Bytes of a request line and its headers; two hundred player ids fit."""


class BoundedHttp(HttpToolsProtocol):
    """Closes the connection of a client whose head does not end."""

    _in_head = True
    _taken = 0

    def on_message_begin(self) -> None:
        """Begin to count."""
        self._in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Stop counting."""
        self._in_head, self._taken = False, 0
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        """Parse, unless it has become too much."""
        if self._in_head:
            self._taken += len(data)
            if self._taken > _MOST_HEAD:
                self.transport.close()
                return
        super().data_received(data)
