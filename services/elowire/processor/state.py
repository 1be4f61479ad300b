"""How the states of the two tables are written: a format byte, then JSON that begins with the counter `s`.

The counter grows by one with each change of its key, so that recovery can tell the newer of two states
without decoding the rest. A new shape gets a new format byte, and `decode` upgrades what it reads.
"""

from __future__ import annotations

from typing import Any

import orjson

FORMAT = b"\x01"
SEPARATOR = b"\x1f"
_COUNTER_AT = len(b'\x01{"s":')

State = dict[str, Any]


class UnknownFormatError(ValueError):
    """A state was written by a newer release; the process must not guess at it."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(
            f"state begins with format {raw[:1]!r}; this release reads {FORMAT!r}: upgrade it first"
        )


def encode(state: State) -> bytes:
    """Return the bytes of a state; `s` must be its first member."""
    return FORMAT + orjson.dumps(state)


def decode(raw: bytes) -> State:
    """Return the state in today's shape, or raise UnknownFormatError."""
    if raw[:1] != FORMAT:
        raise UnknownFormatError(raw)
    state: State = orjson.loads(raw[1:])

    return state


def counter(raw: bytes) -> int:
    """Return the counter of a state, which stands right behind its name, without decoding the rest."""
    if raw[:1] != FORMAT:
        raise UnknownFormatError(raw)
    end = raw.find(b",", _COUNTER_AT)

    return int(raw[_COUNTER_AT : end if end > 0 else -1])


class Overlay:
    """The table as a batch sees it: states decoded on demand, changes kept aside until they are durable."""

    def __init__(self, table: dict[bytes, bytes]) -> None:
        self._table = table
        self._seen: dict[bytes, State | None] = {}
        self.changed: dict[bytes, State] = {}

    def get(self, key: bytes) -> State | None:
        """Return the state of a key, this batch's changes included. It must not be changed in place."""
        try:
            return self._seen[key]
        except KeyError:
            raw = self._table.get(key)
            state = self._seen[key] = None if raw is None else decode(raw)
            return state

    def put(self, key: bytes, state: State) -> None:
        """Replace the state of a key; the last put of a batch is written, in the order of last puts."""
        self._seen[key] = state
        self.changed.pop(key, None)
        self.changed[key] = state

    def puts(self) -> dict[bytes, bytes]:
        """Return the changed states as bytes, in write order."""
        return {key: encode(state) for key, state in self.changed.items()}
