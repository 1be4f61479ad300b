"""Dispatch's SQLite file: subscriptions, the queue, what was read of Kafka, and the log of attempts.

What was read and what it queued move in one transaction: after any death a record is either queued and read,
or neither. The file is read and written by the service and by the commands alike.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from elowire.runtime.data_dir import open_data_dir

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = "dispatch.sqlite"
LAYOUT = 1
_SCHEMA = """
CREATE TABLE subscription (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, url TEXT NOT NULL, filters TEXT NOT NULL,
    secrets TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, created_ms INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0, failing_since_ms INTEGER, rest_ms INTEGER NOT NULL DEFAULT 0,
    last_success_ms INTEGER
);
CREATE TABLE event (
    id INTEGER PRIMARY KEY, webhook_id TEXT NOT NULL UNIQUE, event_id TEXT NOT NULL, kind TEXT NOT NULL,
    body BLOB NOT NULL
);
CREATE TABLE delivery (
    id INTEGER PRIMARY KEY AUTOINCREMENT, subscription INTEGER NOT NULL, event INTEGER NOT NULL,
    lane TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, created_ms INTEGER NOT NULL,
    first_ms INTEGER, finished_ms INTEGER, reason TEXT, UNIQUE (subscription, event)
);
CREATE INDEX delivery_queued ON delivery (subscription, lane, id) WHERE state = 'queued';
CREATE INDEX delivery_finished ON delivery (subscription, finished_ms) WHERE state <> 'queued';
CREATE INDEX delivery_event ON delivery (event);
CREATE TABLE lane (
    subscription INTEGER NOT NULL, lane TEXT NOT NULL, due_ms INTEGER NOT NULL, head INTEGER NOT NULL,
    PRIMARY KEY (subscription, lane)
) WITHOUT ROWID;
CREATE INDEX lane_due ON lane (subscription, due_ms, head);
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY, delivery INTEGER NOT NULL, at_ms INTEGER NOT NULL, took_ms INTEGER NOT NULL,
    outcome TEXT NOT NULL, status INTEGER, reason TEXT NOT NULL
);
CREATE INDEX attempt_delivery ON attempt (delivery, id);
CREATE TABLE seen (
    kind TEXT NOT NULL, entity TEXT NOT NULL, version INTEGER, digest BLOB NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, entity)
) WITHOUT ROWID;
CREATE TABLE position (
    topic TEXT NOT NULL, partition INTEGER NOT NULL, next INTEGER NOT NULL, PRIMARY KEY (topic, partition)
) WITHOUT ROWID;
CREATE TABLE federation (
    player_id TEXT PRIMARY KEY, list TEXT NOT NULL, revision INTEGER NOT NULL, federation TEXT
) WITHOUT ROWID;
CREATE TABLE token (name TEXT PRIMARY KEY, digest BLOB NOT NULL, created_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE fact (name TEXT PRIMARY KEY, said TEXT NOT NULL) WITHOUT ROWID;
"""


class StoreError(RuntimeError):
    """The file cannot be used; the message names it and says what to do."""


class Store:
    """The file for one process; its methods may be called from any thread and block it shortly."""

    def __init__(self, path: Path) -> None:
        """Open or make the file. Raises `StoreError`."""
        self.path = path
        self._lock = threading.Lock()
        try:
            # It holds secrets; what SQLite puts beside it takes over its mode.
            path.touch(mode=0o600)
            path.chmod(0o600)
            connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = WAL")
            # A crash of the machine may take back the last transactions, each as a whole: what they sent is
            # sent again under the same id, what they read is read again.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            (layout,) = connection.execute("PRAGMA user_version").fetchone()
            if layout == 0:
                for statement in _SCHEMA.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {LAYOUT}")
                layout = LAYOUT
            connection.execute("COMMIT")
        except (sqlite3.Error, OSError) as fault:
            raise StoreError(f"{path} cannot be used by dispatch ({fault}); move it away") from None
        if layout != LAYOUT:
            connection.close()
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


def open_store(folder: Path) -> Store:
    """Open the file of a data directory. Raises `DataDirError` and `StoreError`."""
    return Store(open_data_dir(folder) / FILE)
