"""The rating book: every loaded list, looked up by list and player; SQLite, read far more than written.

A list is a generation of lines. A reader sees the generation that the list points to; loading writes another
one and moves the pointer in the same transaction, so a list is there as a whole or not at all.
"""

# ruff: noqa: S608 - the names in the statements are those of this package; what comes from outside is bound

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from elowire.domain import TimeControl
from elowire.ingest.lists.fields import CELL_COLUMNS

FILE = "rating-book.sqlite"
"""The book's name in the data directory."""

LAYOUT = 1
CACHE_KIB = 32_768
PERSON = ("name", "federation", "sex", "title", "birth_year")
CELLS = {tc: tuple(f"{tc.value}_{cell}" for cell in CELL_COLUMNS) for tc in TimeControl}
COLUMNS = ("player", *PERSON, *(name for names in CELLS.values() for name in names))
"""Columns of a line that a list prints."""

_ASKED_AT_ONCE = 500
LISTS = "rating_list, generation, classes, lines, revision, source, published"
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS list (
    rating_list TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
    classes TEXT NOT NULL,
    lines INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    source TEXT NOT NULL,
    published INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS line (
    generation INTEGER NOT NULL,
    player INTEGER NOT NULL,
    {", ".join(COLUMNS[1:])},
    revision INTEGER NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (generation, player)
) WITHOUT ROWID;
"""


class BookError(RuntimeError):
    """The book cannot be used; the message names the file and says what to do."""


class Figures(NamedTuple):
    """What a list prints of one time control. `rating` None: unrated, if the list covers the time control."""

    rating: int | None
    k: int | None
    games: int | None
    inactive: bool | None
    """None where the list does not say."""


class BookLine(NamedTuple):
    """One player's line in one list, as it stands after all its corrections."""

    player: int
    name: str | None
    federation: str | None
    sex: str | None
    title: str | None
    birth_year: int | None
    standard: Figures
    rapid: Figures
    blitz: Figures
    revision: int
    kind: str

    def figures(self, time_control: TimeControl) -> Figures:
        """Give the figures of one time control."""
        found: Figures = getattr(self, time_control.value)
        return found


class KeptList(NamedTuple):
    """A list in the book; `revision` is the time of its last load in milliseconds since 1970."""

    rating_list: str
    generation: int
    classes: tuple[TimeControl, ...]
    lines: int
    revision: int
    source: str
    published: int | None
    """The revision up to which every change was published; None when it never was."""


class Record(NamedTuple):
    """What the lists up to one say together of a player and a time control."""

    highest: int | None
    """Highest rating in any of them."""
    games: int
    """Games of all of them."""
    first: str | None
    """The first of them that prints a rating."""


class Book:
    """The book for reading, as a context; every call sees the lists as they are at that moment.

    Raises `BookError` for a file that is no rating book or was written by another release.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = connected(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()

    def lists(self) -> tuple[KeptList, ...]:
        """Give all lists, oldest first."""
        rows = self.connection.execute(f"SELECT {LISTS} FROM list ORDER BY rating_list")
        return tuple(kept_list(row) for row in rows)

    def kept(self, rating_list: str) -> KeptList | None:
        """Give a list, None when it is not in the book."""
        query = f"SELECT {LISTS} FROM list WHERE rating_list = ?"
        row = self.connection.execute(query, (rating_list,)).fetchone()
        return None if row is None else kept_list(row)

    def before(self, rating_list: str, *, published: bool = False) -> KeptList | None:
        """Give the newest list before this one; with `published` only of those that were published whole."""
        earlier = [
            kept
            for kept in self.lists()
            if kept.rating_list < rating_list and (kept.published is not None or not published)
        ]
        return earlier[-1] if earlier else None

    def lines(self, rating_list: str, players: Iterable[int]) -> dict[int, BookLine]:
        """Look players up in one list; who is not on it is left out."""
        found = {}
        wanted = sorted(set(players))
        for start in range(0, len(wanted), _ASKED_AT_ONCE):
            some = wanted[start : start + _ASKED_AT_ONCE]
            marks = ", ".join("?" * len(some))
            # The pointer is read with the lines: between two statements the list may be another.
            query = f"{_LINES} WHERE list.rating_list = ? AND line.player IN ({marks})"
            for row in self.connection.execute(query, (rating_list, *some)):
                found[row[0]] = book_line(row)
        return found

    def history(self, player: int) -> list[tuple[KeptList, BookLine]]:
        """Give a player's line in every list that has one, oldest first."""
        by_name = {kept.rating_list: kept for kept in self.lists()}
        query = f"{_LINES} WHERE line.player = ? ORDER BY list.rating_list"
        rows = self.connection.execute(query, (player,))
        return [(by_name[row[-1]], book_line(row)) for row in rows if row[-1] in by_name]

    def named(self, text: str, *, limit: int) -> list[BookLine]:
        """Find the players of the newest list whose name begins so, best rated first."""
        kept = self.lists()
        if not kept:
            return []
        query = (
            f"{_LINES} WHERE list.rating_list = ? AND line.name LIKE ? ESCAPE '\\' "
            "ORDER BY line.standard_rating DESC, line.player LIMIT ?"
        )
        pattern = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        return [
            book_line(row) for row in self.connection.execute(query, (kept[-1].rating_list, pattern, limit))
        ]

    def record(self, player: int, time_control: TimeControl, until: str) -> Record:
        """Sum up what the lists up to `until` say of a player."""
        rating, _, games, _ = (f"line.{name}" for name in CELLS[time_control])
        query = (
            f"SELECT max({rating}), total({games}), min(CASE WHEN {rating} IS NOT NULL THEN rating_list END) "
            "FROM list JOIN line USING (generation) WHERE player = ? AND rating_list <= ?"
        )
        highest, total, first = self.connection.execute(query, (player, until)).fetchone()
        return Record(highest, int(total), first)


_LINES = (
    f"SELECT {', '.join(f'line.{name}' for name in (*COLUMNS, 'revision', 'kind'))}, list.rating_list "
    "FROM list JOIN line USING (generation)"
)


def connected(path: Path) -> sqlite3.Connection:
    """Connect to the book, which is made if it is not there. Raises `BookError`."""
    try:
        connection = sqlite3.connect(path, timeout=60, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        (layout,) = connection.execute("PRAGMA user_version").fetchone()
        if layout == 0:
            connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {LAYOUT}; COMMIT")
            layout = LAYOUT
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    except sqlite3.Error as fault:
        raise BookError(f"{path} cannot be used as the rating book ({fault}); move it away") from None
    if layout != LAYOUT:
        raise BookError(
            f"{path} has layout {layout}, expected {LAYOUT}: it was written by another release of Elowire; "
            "use that release, or move the file away and load the lists again"
        )
    return connection


def kept_list(row: Sequence[Any]) -> KeptList:
    """Build a list from its row in the table."""
    rating_list, generation, classes, *rest = row
    return KeptList(rating_list, generation, tuple(map(TimeControl, classes.split())), *rest)


def book_line(row: Sequence[Any]) -> BookLine:
    """Build a line from a row of `COLUMNS`, revision and kind."""
    width, start = len(CELL_COLUMNS), 1 + len(PERSON)
    cells = []
    for place in range(start, start + 3 * width, width):
        rating, k, games, inactive = row[place : place + width]
        cells.append(Figures(rating, k, games, None if inactive is None else bool(inactive)))
    end = start + 3 * width
    return BookLine(*row[:start], *cells, *row[end : end + 2])


def players_of(ids: Iterable[str]) -> Iterator[int]:
    """Give the FIDE ids among player ids as numbers; ids of another namespace are left out."""
    return (int(one) for one in ids if one.isascii() and one.isdigit())
