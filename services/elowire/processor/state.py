"""How the states of the two tables are written: a format byte, then JSON that begins with the counter `s`.

The counter grows by one with each change of its key, so that recovery can tell the newer of two states
without decoding the rest. A new shape gets the next format, and what brings the one before it into the new
shape: older states are upgraded when they are read, and written in today's format when they change.
What each format looks like is kept in `tests/data/states`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import orjson

SEPARATOR = b"\x1f"
_COUNTER_AT = len(b'\x01{"s":')

State = dict[str, Any]
Upgrade = Callable[[State], State]
"""From one format to the next; it may change what it is given, and keeps the counter as the first member."""
NO_UPGRADES: Mapping[int, Upgrade] = MappingProxyType({})


class UnknownFormatError(Exception):
    """A state is in a format that this release does not read; the process must not guess at it."""

    def __init__(self, raw: bytes, newest: int) -> None:
        found = f"format {raw[0]}" if raw else "nothing"
        super().__init__(
            f"a state begins with {found}, and this release reads formats up to {newest}: it was written by "
            "a newer release, so run that one, or a newer one still"
        )


class Codec:
    """Writes the newest format, and reads it and every older one that `upgrades` leads on from."""

    def __init__(self, newest: int, upgrades: Mapping[int, Upgrade] = NO_UPGRADES) -> None:
        self.format = newest
        self._upgrades = upgrades
        self._byte = bytes([newest])
        self._readable = {newest, *upgrades}

    def encode(self, state: State) -> bytes:
        """Return the bytes of a state; `s` must be its first member."""
        return self._byte + orjson.dumps(state)

    def decode(self, raw: bytes) -> State:
        """Return the state in today's shape, or raise UnknownFormatError."""
        if not raw or raw[0] not in self._readable:
            raise UnknownFormatError(raw, self.format)
        state: State = orjson.loads(raw[1:])
        for older in range(raw[0], self.format):
            state = self._upgrades[older](state)

        return state

    def order(self, raw: bytes) -> tuple[int, int]:
        """Return what tells the newer of two states without decoding the rest: counter, then format.

        Two releases that take the same record write it under one counter; the newer format is kept.
        """
        if not raw or raw[0] not in self._readable:
            raise UnknownFormatError(raw, self.format)
        end = raw.find(b",", _COUNTER_AT)

        return int(raw[_COUNTER_AT : end if end > 0 else -1]), raw[0]


def _rows_as_text(state: State) -> State:
    """From format 1 to 2: the games of a player's account become text; other states stay as they are."""
    for *_, rows in state.get("E", ()):
        for game_id, row in rows.items():
            revision, *rest = row
            words = (",".join(map(str, revision)), *("" if part is None else str(part) for part in rest))
            rows[game_id] = " ".join(words)

    return state


# A change of what is written needs the next number, the way to it, and a file in tests/data/states.
CODEC = Codec(2, {1: _rows_as_text})
encode, decode, order = CODEC.encode, CODEC.decode, CODEC.order


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
