"""Loading a list into the rating book: sort outside, compare inside, switch at once.

Lists come ordered by name and the book is ordered by player. So lines go unsorted into a file beside the book
that is thrown away, and from there in the book's order into a new generation, within one transaction.
"""

# ruff: noqa: S608 - the names in the statements are those of this package; what comes from outside is bound

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from elowire.domain import TimeControl
from elowire.ingest.book import (
    CACHE_KIB,
    CELLS,
    COLUMNS,
    LISTS,
    PERSON,
    BookError,
    KeptList,
    connected,
    kept_list,
)
from elowire.ingest.book_compare import compare
from elowire.ingest.lists.fields import LINE_COLUMNS, ListLine
from elowire.ingest.plausibility import Comparison
from elowire.runtime.data_dir import HeldError, Hold

_INSTRUCTIONS = 1_000_000
_STAGED = ".loading"


class ImplausibleList(ValueError):  # noqa: N818 - named after the fact
    """The list was read and not taken; `doubts` says why."""

    def __init__(self, doubts: list[str]) -> None:
        super().__init__("; ".join(doubts))
        self.doubts = doubts


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did, or would do."""

    rating_list: str
    lines: int
    repeated: int
    """Lines of a player who had one already; the first one counts."""
    changed: int
    """Lines that are new or differ from what the book had of this list."""
    withdrawn: int
    """Players that the book had in this list and the file has no more."""
    first: bool
    """Whether the book had nothing of this list."""
    comparison: Comparison | None
    doubts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A list that is to be loaded; `revision` is the time in milliseconds since 1970."""

    rating_list: str
    classes: tuple[TimeControl, ...]
    revision: int
    source: str


Judge = Callable[[Comparison | None, int], list[str]]
"""Gives the doubts about a list from its comparison and its number of lines."""


def load(
    path: Path,
    arrival: Arrival,
    lines: Iterable[ListLine],
    judge: Judge,
    *,
    keep: bool = True,
    accept_doubts: bool = False,
) -> Loaded:
    """Load a list, or with `keep=False` only see what would come of it.

    All or nothing: readers see the list as it was until the last moment, and so does everybody after a crash.
    Raises `ImplausibleList` for a list with doubts unless they are accepted, `BookError` when the book cannot
    be written or another load is running, and what `lines` raises.
    """
    hold = Hold(path.with_name(path.name + ".lock"))
    try:
        hold.take()
    except HeldError as fault:
        raise BookError(
            f"another load into {path} is running (pid {fault.pid or 'unknown'}); wait for its end"
        ) from None
    staged = path.with_name(path.name + _STAGED)
    try:
        staged.unlink(missing_ok=True)
        with closing(connected(path)) as book:
            # Ctrl-C is noticed in Python alone, and sorting takes seconds.
            book.set_progress_handler(lambda: None, _INSTRUCTIONS)
            book.execute("ATTACH ? AS staging", (str(staged),))
            _stage(book, lines)
            return _Load(book, arrival).run(judge, keep=keep, accept_doubts=accept_doubts)
    except sqlite3.Error as fault:
        if str(fault) == "interrupted":
            raise KeyboardInterrupt from None
        raise BookError(f"{path} could not be written ({fault}); the list is as it was before") from fault
    finally:
        staged.unlink(missing_ok=True)
        hold.release()


def _stage(book: sqlite3.Connection, lines: Iterable[ListLine]) -> None:
    for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{CACHE_KIB // 4}"):
        book.execute(f"PRAGMA staging.{pragma}")
    book.execute(f"CREATE TABLE staging.arrived ({', '.join(LINE_COLUMNS)})")
    marks = ", ".join("?" * len(LINE_COLUMNS))
    book.execute("BEGIN")
    book.executemany(f"INSERT INTO staging.arrived VALUES ({marks})", lines)
    book.execute("COMMIT")


class _Load:
    """One load within one transaction of the book."""

    def __init__(self, book: sqlite3.Connection, arrival: Arrival) -> None:
        self._book = book
        self._arrival = arrival
        self._list = arrival.rating_list
        self._generation = 0
        self._revision = 0
        self._old: KeptList | None = None

    def run(self, judge: Judge, *, keep: bool, accept_doubts: bool) -> Loaded:
        self._book.execute("BEGIN IMMEDIATE")
        try:
            loaded = self._store(judge)
            if loaded.doubts and keep and not accept_doubts:
                raise ImplausibleList(list(loaded.doubts))
            if keep:
                self._switch(self._lines_in_all(loaded))
                self._book.execute("COMMIT")
        finally:
            if self._book.in_transaction:
                self._book.execute("ROLLBACK")
        # The write-ahead log is as large as the list now; nobody should carry it until the next load.
        self._book.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return loaded

    def _lines_in_all(self, loaded: Loaded) -> int:
        query = "SELECT count(*) FROM line WHERE generation = ?"
        return self._one(query, (self._generation,)) - loaded.withdrawn

    def _store(self, judge: Judge) -> Loaded:
        row = self._book.execute(f"SELECT {LISTS} FROM list WHERE rating_list = ?", (self._list,)).fetchone()
        self._old = None if row is None else kept_list(row)
        self._generation = 1 + self._one("SELECT coalesce(max(generation), 0) FROM list")
        arrived = self._one("SELECT count(*) FROM staging.arrived")
        if not arrived:
            raise ImplausibleList(["the list has no line that can be used"])
        self._revision = max(self._arrival.revision, 1 + (self._old.revision if self._old else 0))
        stored = self._insert_first() if self._old is None else self._insert_beside(self._old)
        withdrawn = 0 if self._old is None else self._withdraw(self._old)
        changed = stored
        if self._old is not None:
            changed = self._one(
                "SELECT count(*) FROM line WHERE generation = ? AND revision = ?",
                (self._generation, self._revision),
            )
        comparison = compare(
            self._book, self._list, self._generation, self._arrival.classes, lines=stored, previous=self._old
        )
        return Loaded(
            rating_list=self._list,
            lines=stored,
            repeated=arrived - stored,
            changed=changed - withdrawn,
            withdrawn=withdrawn,
            first=self._old is None,
            comparison=comparison,
            doubts=tuple(judge(comparison, stored)),
        )

    def _insert_first(self) -> int:
        names = ", ".join(COLUMNS)
        return self._book.execute(
            f"INSERT OR IGNORE INTO line (generation, {names}, revision, kind) "
            f"SELECT ?, {names}, ?, 'list' FROM staging.arrived ORDER BY player, number",
            (self._generation, self._revision),
        ).rowcount

    def _insert_beside(self, old: KeptList) -> int:
        """Write the arrived lines, each with a new revision only if it differs from the one before."""
        came, more = self._arrival.classes, self._adds_class(old)
        values = [f"arrived.{name}" for name in ("player", *PERSON)]
        for tc, names in CELLS.items():
            values += [f"{'arrived' if tc in came else 'old'}.{name}" for name in names]
        compared = [*PERSON, *(name for tc in came if tc in old.classes for name in CELLS[tc])]
        here, there = (", ".join(f"{table}.{name}" for name in compared) for table in ("arrived", "old"))
        differs = f"({here}) IS NOT ({there})"
        # Sorted first, so that the look-ups in the book go through it once.
        self._book.execute(
            "CREATE TABLE staging.sorted AS SELECT * FROM staging.arrived ORDER BY player, number"
        )
        return self._book.execute(
            f"INSERT OR IGNORE INTO line (generation, {', '.join(COLUMNS)}, revision, kind) "
            f"SELECT :generation, {', '.join(values)}, "
            f"CASE WHEN old.player IS NULL OR :more OR {differs} THEN :revision ELSE old.revision END, "
            "CASE WHEN old.player IS NULL THEN CASE WHEN :more THEN 'list' ELSE 'correction' END "
            f"WHEN {differs} THEN 'correction' ELSE old.kind END "
            "FROM staging.sorted AS arrived "
            "LEFT JOIN line AS old ON old.generation = :old AND old.player = arrived.player",
            {"generation": self._generation, "revision": self._revision, "old": old.generation, "more": more},
        ).rowcount

    def _withdraw(self, old: KeptList) -> int:
        """Keep whom the file has no more, without the figures that the file would have printed."""
        came, more = self._arrival.classes, self._adds_class(old)
        values = ["player", *PERSON]
        for tc, names in CELLS.items():
            values += ["NULL" if tc in came else name for name in names]
        old_cells = [name for tc in came if tc in old.classes for name in CELLS[tc]]
        lost = " OR ".join(f"old.{name} IS NOT NULL" for name in old_cells) or "FALSE"
        bound = {
            "generation": self._generation,
            "revision": self._revision,
            "old": old.generation,
            "more": more,
        }
        gone = (
            "FROM line AS old WHERE old.generation = :old AND NOT EXISTS (SELECT 1 FROM line AS new "
            "WHERE new.generation = :generation AND new.player = old.player)"
        )
        withdrawn = self._one(f"SELECT count(*) {gone} AND ({lost})", bound)
        self._book.execute(
            f"INSERT INTO line (generation, {', '.join(COLUMNS)}, revision, kind) "
            f"SELECT :generation, {', '.join(values)}, "
            f"CASE WHEN :more OR {lost} THEN :revision ELSE old.revision END, "
            f"CASE WHEN {lost} THEN 'correction' ELSE old.kind END {gone} ORDER BY old.player",
            bound,
        )
        return withdrawn

    def _adds_class(self, old: KeptList) -> bool:
        return not set(self._arrival.classes) <= set(old.classes)

    def _switch(self, lines: int) -> None:
        """Point the list to its new generation; from the commit on readers see this one alone."""
        old = self._old
        classes = [tc for tc in TimeControl if tc in {*self._arrival.classes, *(old.classes if old else ())}]
        self._book.execute(
            f"INSERT OR REPLACE INTO list ({LISTS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                self._list,
                self._generation,
                " ".join(tc.value for tc in classes),
                lines,
                self._revision,
                self._arrival.source,
                old.published if old else None,
            ),
        )
        if old is not None:
            self._book.execute("DELETE FROM line WHERE generation = ?", (old.generation,))

    def _one(self, query: str, bound: Mapping[str, object] | tuple[object, ...] = ()) -> int:
        (value,) = self._book.execute(query, bound).fetchone()
        return int(value)
