"""Refused records that nobody has dealt with yet: why, where from, and what to do; never what they hold."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from elowire.contracts.dead_letters import DeadLetter, read_dead_letter
from elowire.contracts.resolutions import Resolutions, digest_of, is_resolution, read_resolution
from elowire.runtime.kafka import Record

_MOST = 500
_MOST_KEY = 200


class Letter(NamedTuple):
    """One open dead letter; `at` is when it was refused (milliseconds since 1970), `size` its bytes."""

    why: DeadLetter
    digest: str
    at: int
    key: str
    size: int


class Letters:
    """The newest open letters, a bounded number of them.

    `cut` says whether older ones were let go, `unreadable` counts records that Elowire has not put there.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._open: OrderedDict[tuple[str, str], Letter] = OrderedDict()
        self._resolutions = Resolutions()
        self.unreadable = 0
        self.cut = False

    def __len__(self) -> int:
        return len(self._open)

    def take(self, record: Record) -> None:
        """Take a record of `dead-letters`: a letter, or the marker that says what became of one."""
        try:
            if is_resolution(record.headers):
                self._close(record)
            else:
                self._keep(record)
        except ValueError:
            self.unreadable += 1

    def newest_first(self) -> list[Letter]:
        """Give the open letters that are kept."""
        return sorted(self._open.values(), key=lambda letter: (-letter.at, letter.why.id))

    def _keep(self, record: Record) -> None:
        why = read_dead_letter(record.headers)
        digest = digest_of(record.key, record.value)
        if self._resolutions.resolved(why.id, digest):
            return
        name = (why.id, digest)
        key = (record.key or b"")[:_MOST_KEY].decode("utf-8", "backslashreplace")
        self._open[name] = Letter(why, digest, record.timestamp, key, len(record.value or b""))
        if len(self._open) > self._most:
            self._open.popitem(last=False)
            self.cut = True

    def _close(self, record: Record) -> None:
        resolution = read_resolution(record.headers)
        name = (resolution.id, resolution.digest)
        self._resolutions.take(resolution)
        self._open.pop(name, None)
