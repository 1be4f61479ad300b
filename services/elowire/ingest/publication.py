"""From the rating book to `rating-lists`: what a list changed, for everybody or for followed players.

A first publication sends whoever has another line than in the last list published, or has games in it: for
those a prediction may wait. The others rank on with the list that they are known by. Followed players are
sent in any case, because with every list their base moves. A corrected list sends its changed lines.
"""

# ruff: noqa: S608 - the names in the statements are those of this package; what comes from outside is bound

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from typing import Any

import orjson

from elowire.contracts.envelope import EventRecord, input_record
from elowire.contracts.events import PublishedFigures, PublishedRating
from elowire.contracts.vocabulary import ListKind
from elowire.domain import TimeControl
from elowire.ingest.book import CELLS, COLUMNS, PERSON, Book, BookLine, KeptList, book_line, connected
from elowire.ingest.lists.fields import GREATEST_ID


class Scope(StrEnum):
    """Whose lines are published."""

    CHANGED = "changed"
    FOLLOWED = "followed"


def publication(
    book: Book, kept: KeptList, *, scope: Scope, followed: Iterable[int], time: datetime
) -> Iterator[EventRecord]:
    """Give the records of a list that are still to be sent, in the order of the players.

    `time` is when they are sent and enters no id; the same line always has the same id.
    """
    connection = book.connection
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS followed (player INTEGER PRIMARY KEY)")
    connection.execute("DELETE FROM temp.followed")
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT OR IGNORE INTO temp.followed VALUES (?)", ((one,) for one in followed if one <= GREATEST_ID)
    )
    connection.execute("COMMIT")
    for row in connection.execute(*_query(book, kept, scope)):
        line = book_line(row)
        yield input_record(
            published_rating(line, kept),
            event_id=f"fide-list/{kept.rating_list}/{line.player}/{line.revision}",
            source=f"rating-book:{kept.rating_list}",
            time=time,
        )


def mark_published(book: Book, kept: KeptList) -> None:
    """Note that every change of a list up to its present revision is published."""
    connection = connected(book.path)
    try:
        connection.execute(
            "UPDATE list SET published = max(coalesce(published, 0), ?) WHERE rating_list = ?",
            (kept.revision, kept.rating_list),
        )
    finally:
        connection.close()


def published_rating(line: BookLine, kept: KeptList) -> PublishedRating:
    """Give a line as its event; of a time control that the list does not cover nothing is said."""
    figures = {}
    for tc in kept.classes:
        said = line.figures(tc)
        figures[tc.value] = PublishedFigures(rating=said.rating, k=said.k, games=said.games)
    return PublishedRating(
        player_id=str(line.player),
        list=kept.rating_list,
        revision=line.revision,
        kind=ListKind(line.kind),
        name=line.name,
        federation=line.federation,
        title=line.title,
        birth_year=line.birth_year,
        inactive=_inactive(line),
        **figures,
    )


def followed_in(values: Iterable[bytes | None]) -> set[int]:
    """Find the FIDE ids of the players that input events name: entrants, sides and reported changes."""
    found: set[int] = set()
    for value in values:
        try:
            event = orjson.loads(value or b"null")
        except orjson.JSONDecodeError:
            continue
        found.update(_named_in(event))
    return found


def _named_in(event: Any) -> Iterator[int]:  # noqa: ANN401 - whatever a record holds
    if not isinstance(event, dict):
        return
    # A structured CloudEvent carries the event in its data.
    event = event.get("data", event) if "specversion" in event else event
    for said in (event, event.get("white"), event.get("black")) if isinstance(event, dict) else ():
        player = said.get("player_id") if isinstance(said, dict) else None
        if isinstance(player, str) and player.isascii() and player.isdigit():
            yield int(player)


def _inactive(line: BookLine) -> bool:
    """Say whether the list flags the player: in standard chess, else in all that it speaks of."""
    if line.standard.inactive is not None:
        return line.standard.inactive
    flags = [line.figures(tc).inactive for tc in TimeControl]
    return any(flags) and False not in flags


def _query(book: Book, kept: KeptList, scope: Scope) -> tuple[str, dict[str, object]]:
    names = ", ".join(f"new.{name}" for name in (*COLUMNS, "revision", "kind"))
    before = book.before(kept.rating_list, published=True)
    bound: dict[str, object] = {
        "generation": kept.generation,
        "before": before.generation if before else -1,
        "published": kept.published or 0,
    }
    query = f"SELECT {names} FROM line AS new "
    if scope is Scope.FOLLOWED:
        query += "JOIN temp.followed USING (player) WHERE new.generation = :generation ORDER BY new.player"
        return query, bound
    compared = [*PERSON, *(name for cells in CELLS.values() for name in cells)]
    here, there = (", ".join(f"{table}.{name}" for name in compared) for table in ("new", "old"))
    rated, was_rated = (
        " OR ".join(f"{table}.{cells[0]} IS NOT NULL" for cells in CELLS.values()) for table in ("new", "old")
    )
    played = " OR ".join(f"new.{cells[2]} > 0" for cells in CELLS.values())
    moved = f"({rated} OR {was_rated}) AND (({here}) IS NOT ({there}) OR {played})"
    query += (
        "LEFT JOIN line AS old ON old.generation = :before AND old.player = new.player "
        "WHERE new.generation = :generation AND (new.player IN (SELECT player FROM temp.followed) "
        f"OR (new.revision > :published AND (new.kind = 'correction' OR ({moved})))) ORDER BY new.player"
    )
    return query, bound
