"""What the inputs say of every player: on disk, because there is more of it than of any partition's state."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Self

from elowire.processor.replay import fact_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from elowire.processor.stage import Emit

_SCHEMA = """
CREATE TABLE fact (
    number INTEGER, player BLOB, name TEXT, rank TEXT, value BLOB, PRIMARY KEY (number, player, name)
) WITHOUT ROWID;
CREATE TABLE touched (number INTEGER, player BLOB, PRIMARY KEY (number, player)) WITHOUT ROWID;
"""


class Facts:
    """A temporary file that is gone with the process; a context manager."""

    def __init__(self) -> None:
        # An empty name is a private database on disk that SQLite removes itself.
        self._store = sqlite3.connect("", isolation_level=None)
        self._store.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_SCHEMA}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._store.close()

    def take(self, emits: Iterable[Emit]) -> None:
        """Keep what a replay said: of all with one name that of the greatest rank."""
        self._store.executemany(
            "INSERT INTO fact VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
            "SET rank = excluded.rank, value = excluded.value WHERE excluded.rank > fact.rank",
            (
                (emit.partition, emit.key, fact.name, _sortable(fact.rank), emit.value)
                for emit in emits
                if (fact := fact_of(emit.value)) is not None
            ),
        )

    def touch(self, players: Iterable[tuple[int, bytes]]) -> None:
        """Keep whom something newer may have changed already: (partition, player)."""
        self._store.executemany("INSERT OR IGNORE INTO touched VALUES (?, ?)", players)

    def touched(self, number: int) -> set[bytes]:
        """Return the touched players of a partition."""
        return {
            player
            for (player,) in self._store.execute("SELECT player FROM touched WHERE number = ?", (number,))
        }

    def of(self, number: int) -> Iterator[tuple[bytes, str, bytes]]:
        """Yield (player, name, value) of a partition, player after player."""
        yield from self._store.execute(
            "SELECT player, name, value FROM fact WHERE number = ? ORDER BY player, name", (number,)
        )


def _sortable(rank: list[Any]) -> str:
    """Return a rank as text that sorts as it does: its numbers are not negative."""
    return " ".join(f"{part:020d}" if isinstance(part, int) else str(part) for part in rank)
