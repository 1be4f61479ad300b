"""What ingest remembers beside Kafka, in one SQLite file: requests answered, what sources said last.

Losing it loses no result: requests would be sent again with the same ids, sources would be read anew.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from elowire.contracts.events import Tournament
from elowire.ingest.corrections import Entity

FILE = "ingest.sqlite"
LAYOUT = 2
_SCHEMA = """
CREATE TABLE delivery (
    source TEXT NOT NULL, webhook_id TEXT NOT NULL, digest BLOB NOT NULL, reply BLOB NOT NULL,
    at INTEGER NOT NULL, PRIMARY KEY (source, webhook_id)
) WITHOUT ROWID;
CREATE INDEX delivery_at ON delivery (at);
CREATE TABLE tournament (tournament_id TEXT PRIMARY KEY, revision INTEGER NOT NULL, event TEXT NOT NULL)
WITHOUT ROWID;
CREATE TABLE known (
    tournament_id TEXT NOT NULL, kind TEXT NOT NULL, entity TEXT NOT NULL, event TEXT NOT NULL,
    revision INTEGER NOT NULL, PRIMARY KEY (tournament_id, kind, entity)
) WITHOUT ROWID;
CREATE TABLE pairing (
    tournament_id TEXT NOT NULL, pairing TEXT NOT NULL, game_id TEXT NOT NULL,
    PRIMARY KEY (tournament_id, pairing)
) WITHOUT ROWID;
CREATE TABLE correction (
    id INTEGER PRIMARY KEY, tournament_id TEXT NOT NULL, kind TEXT NOT NULL, entity TEXT NOT NULL,
    revision INTEGER NOT NULL, event TEXT NOT NULL, who TEXT NOT NULL, why TEXT NOT NULL, at INTEGER NOT NULL,
    ended INTEGER, ended_by TEXT, ended_why TEXT
);
CREATE UNIQUE INDEX correction_in_force ON correction (tournament_id, kind, entity) WHERE ended IS NULL;
CREATE TABLE held (
    tournament_id TEXT NOT NULL, kind TEXT NOT NULL, entity TEXT NOT NULL, revision INTEGER NOT NULL,
    event_id TEXT NOT NULL, source TEXT NOT NULL, event TEXT NOT NULL,
    PRIMARY KEY (tournament_id, kind, entity)
) WITHOUT ROWID;
CREATE TABLE lifted (
    tournament_id TEXT NOT NULL, kind TEXT NOT NULL, entity TEXT NOT NULL, from_revision INTEGER NOT NULL,
    to_revision INTEGER NOT NULL, PRIMARY KEY (tournament_id, kind, entity)
) WITHOUT ROWID;
"""
_SINCE_2 = """
CREATE TABLE entrant (
    tournament_id TEXT NOT NULL, entrant_id TEXT NOT NULL, player_id TEXT, name TEXT, federation TEXT,
    birth_year INTEGER, revision INTEGER NOT NULL, source TEXT, own TEXT, event TEXT,
    PRIMARY KEY (tournament_id, entrant_id)
) WITHOUT ROWID;
CREATE INDEX entrant_nobody ON entrant (tournament_id, entrant_id)
WHERE player_id IS NULL OR player_id LIKE 'local:%';
CREATE TABLE list_seen (rating_list TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
"""
_STEPS = (_SCHEMA, _SINCE_2)
"""What each layout adds to the one before it."""


class StoreError(RuntimeError):
    """The file cannot be used; the message names it and says what to do."""


class Delivery(NamedTuple):
    """A request that was answered: the digest of its body, and the answer's body."""

    digest: bytes
    reply: bytes


class Sent(NamedTuple):
    """What was sent last of an entity: the event as JSON without its revision, and the revision."""

    content: str
    revision: int


class Known(NamedTuple):
    """What is known of a tournament: (kind, id) -> what was sent last; pairing -> game id, "" if several."""

    sent: Mapping[tuple[str, str], Sent]
    pairings: Mapping[str, str]


NOTHING = Known({}, {})


class Store:
    """The file for one process; its methods may be called from any thread and block it shortly."""

    def __init__(self, path: Path) -> None:
        """Open or make the file. Raises `StoreError`."""
        self.path = path
        self._lock = threading.Lock()
        try:
            path.touch(mode=0o600)
            connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            (layout,) = connection.execute("PRAGMA user_version").fetchone()
            if layout < LAYOUT:
                for statement in ";".join(_STEPS[layout:]).split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {LAYOUT}")
                layout = LAYOUT
            connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as fault:
            raise StoreError(f"{path} cannot be used by ingest ({fault}); move it away") from None
        if layout != LAYOUT:
            raise StoreError(
                f"{path} has layout {layout}, expected {LAYOUT}: it was written by another release of "
                "Elowire; use that release, or move the file away"
            )
        self._connection = connection

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Hold the connection for a look at the file."""
        with self._lock:
            yield self._connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Hold the file for a change that is made as a whole or not at all."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def delivery(self, source: str, webhook_id: str) -> Delivery | None:
        """Find the answer that a request of this id got."""
        with self._lock:
            row = self._connection.execute(
                "SELECT digest, reply FROM delivery WHERE source = ? AND webhook_id = ?", (source, webhook_id)
            ).fetchone()
        return None if row is None else Delivery(*row)

    def keep_delivery(self, source: str, webhook_id: str, delivery: Delivery, at_ms: int) -> None:
        """Remember an answer."""
        with self.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO delivery VALUES (?, ?, ?, ?, ?)",
                (source, webhook_id, delivery.digest, delivery.reply, at_ms),
            )

    def forget_deliveries(self, before_ms: int) -> int:
        """Forget answers older than a time; returns their number."""
        with self.transaction() as connection:
            return connection.execute("DELETE FROM delivery WHERE at < ?", (before_ms,)).rowcount

    def tournament(self, tournament_id: str) -> Tournament | None:
        """Find the newest event of a tournament that passed here."""
        with self._lock:
            row = self._connection.execute(
                "SELECT event FROM tournament WHERE tournament_id = ?", (tournament_id,)
            ).fetchone()
        return None if row is None else Tournament.model_validate_json(row[0])

    def keep_tournaments(self, events: Iterable[Tournament]) -> None:
        """Remember tournaments at their highest revision."""
        rows = [(one.tournament_id, one.revision, one.model_dump_json()) for one in events]
        if rows:
            with self.transaction() as connection:
                connection.executemany(
                    "INSERT INTO tournament VALUES (?, ?, ?) ON CONFLICT DO UPDATE "
                    "SET revision = excluded.revision, event = excluded.event "
                    "WHERE excluded.revision >= revision",
                    rows,
                )

    def known(self, tournament_id: str) -> Known:
        """Give what the sources of a tournament said last."""
        with self._lock:
            sent = self._connection.execute(
                "SELECT kind, entity, event, revision FROM known WHERE tournament_id = ?", (tournament_id,)
            ).fetchall()
            pairings = self._connection.execute(
                "SELECT pairing, game_id FROM pairing WHERE tournament_id = ?", (tournament_id,)
            ).fetchall()
        return Known({(kind, entity): Sent(*rest) for kind, entity, *rest in sent}, dict(pairings))

    def learn(self, tournament_id: str, news: Known) -> None:
        """Remember what was sent of a tournament."""
        with self.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?, ?)",
                [(tournament_id, *entity, *sent) for entity, sent in news.sent.items()],
            )
            connection.executemany(
                "INSERT OR REPLACE INTO pairing VALUES (?, ?, ?)",
                [(tournament_id, *pairing) for pairing in news.pairings.items()],
            )

    def tournaments(self) -> list[Tournament]:
        """Give the newest event of every tournament that passed here."""
        with self._lock:
            rows = self._connection.execute("SELECT event FROM tournament ORDER BY tournament_id").fetchall()
        return [Tournament.model_validate_json(event) for (event,) in rows]

    def lists_seen(self) -> dict[str, int]:
        """Give the lists of the rating book whose figures the entrants have: list -> revision."""
        with self._lock:
            return dict(self._connection.execute("SELECT rating_list, revision FROM list_seen"))

    def keep_lists_seen(self, lists: Mapping[str, int]) -> None:
        """Note that the entrants have the figures of these lists."""
        with self.transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO list_seen VALUES (?, ?)", list(lists.items()))


def row_of(entity: Entity) -> tuple[str, str, str]:
    """Give an entity as the columns that name it."""
    return (entity.tournament_id, entity.kind, entity.id)
