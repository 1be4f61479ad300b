"""Counts what a new list has beside the one before it, for the doubts about it."""

# ruff: noqa: S608 - the names in the statements are those of this package; what comes from outside is bound

from __future__ import annotations

import sqlite3

from elowire.domain import TimeControl
from elowire.ingest.book import CELLS, LISTS, KeptList, kept_list
from elowire.ingest.plausibility import TOP, Comparison


def compare(
    book: sqlite3.Connection,
    rating_list: str,
    generation: int,
    classes: tuple[TimeControl, ...],
    *,
    lines: int,
    previous: KeptList | None,
) -> Comparison | None:
    """Compare a generation that is not switched to yet, for the time controls that its file covers.

    `lines` are those of the file. The reference is what the book has of the same list (`previous`), else the
    newest list before it; None when there is neither.
    """
    reference = _reference(book, rating_list, classes, previous)
    if reference is None:
        return None
    shared = [tc for tc in classes if tc in reference.classes]
    rated = " OR ".join(
        f"(new.{CELLS[tc][0]} IS NOT NULL AND old.{CELLS[tc][0]} IS NOT NULL)" for tc in shared
    )
    here, there = (
        ", ".join(f"{table}.{name}" for tc in shared for name in CELLS[tc][:-1]) for table in ("new", "old")
    )
    in_both, changed = book.execute(
        f"SELECT count(*), total(({here}) IS NOT ({there})) FROM line AS new JOIN line AS old "
        f"ON old.generation = ? AND old.player = new.player WHERE new.generation = ? AND ({rated})",
        (reference.generation, generation),
    ).fetchone()
    top, missing = _top(book, reference.generation, generation, CELLS[shared[0]][0])
    # Lists of other time controls have other players.
    alike = set(classes) == set(reference.classes)
    counts_here, counts_there = _rated(book, generation), _rated(book, reference.generation)
    return Comparison(
        rating_list=rating_list,
        reference=reference.rating_list,
        lines=lines if alike else 0,
        reference_lines=reference.lines if alike else 0,
        rated={tc: (counts_here[tc], counts_there[tc]) for tc in shared},
        in_both=in_both,
        changed=int(changed),
        top=top,
        top_missing=missing,
    )


def _reference(
    book: sqlite3.Connection, rating_list: str, classes: tuple[TimeControl, ...], previous: KeptList | None
) -> KeptList | None:
    if previous is not None and set(classes) & set(previous.classes):
        return previous
    rows = book.execute(
        f"SELECT {LISTS} FROM list WHERE rating_list < ? ORDER BY rating_list DESC", (rating_list,)
    )
    return next((kept for kept in map(kept_list, rows) if set(classes) & set(kept.classes)), None)


def _rated(book: sqlite3.Connection, generation: int) -> dict[TimeControl, int]:
    counts = ", ".join(f"count({names[0]})" for names in CELLS.values())
    query = f"SELECT {counts} FROM line WHERE generation = ?"
    return dict(zip(CELLS, book.execute(query, (generation,)).fetchone(), strict=True))


def _top(book: sqlite3.Connection, reference: int, generation: int, rating: str) -> tuple[int, int]:
    """Count the best players of the reference, and those of them without a rating in the new list."""
    query = (
        f"SELECT count(*), count(*) - count(new.{rating}) FROM (SELECT player FROM line "
        f"WHERE generation = ? AND {rating} IS NOT NULL ORDER BY {rating} DESC LIMIT {TOP}) AS best "
        "LEFT JOIN line AS new ON new.generation = ? AND new.player = best.player"
    )
    top, missing = book.execute(query, (reference, generation)).fetchone()
    return top, missing
