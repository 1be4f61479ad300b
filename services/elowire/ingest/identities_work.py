"""Identities carried out: who waits, with proposals of the rating book, and an operator's word on it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from elowire.contracts.events import Entrant, Tournament
from elowire.contracts.topics import GAME_RESULTS, TOURNAMENT_EVENTS
from elowire.domain import OutsideEditions
from elowire.ingest.book import Book
from elowire.ingest.corrections import CorrectionRefusedError, Entity, operators_revision
from elowire.ingest.corrections_work import Desk, Word, put, read_events, winner
from elowire.ingest.entrants_facts import with_facts
from elowire.ingest.facts import book_facts
from elowire.ingest.identities import (
    Described,
    Entry,
    Stated,
    entries_of,
    found_entry,
    identified,
    proposals,
    unresolved,
    with_player,
)

NAMES_ASKED = 50
"""Players of one name that are looked at for a proposal."""


class Waiting(NamedTuple):
    """An entrant who waits for an identity, and the ids that fit name, federation and year of birth."""

    entry: Entry
    proposals: tuple[str, ...]


async def waiting(desk: Desk, book: Path, tournament_id: str | None) -> list[Waiting]:
    """List who waits, in a tournament or in all. Raises `BookError`, and what reading raises."""
    events = await read_events(desk.cluster, [GAME_RESULTS.name, TOURNAMENT_EVENTS.name], tournament_id)
    found = unresolved(entries_of(events))
    return await asyncio.to_thread(_with_proposals, book, found)


async def identify(  # one argument for each thing that is said
    desk: Desk, book: Path, tournament_id: str, entrant: str, player_id: str, *, stated: Stated, word: Word
) -> Entrant:
    """Say who an entrant is; his games are rated at once, also those long played.

    Raises `CorrectionRefusedError`, `BookError`, and what reading and sending raise.
    """
    events = await read_events(desk.cluster, [GAME_RESULTS.name, TOURNAMENT_EVENTS.name], tournament_id)
    newest = winner(one for one in events if isinstance(one.data, Tournament))
    tournament = newest.data if newest is not None and isinstance(newest.data, Tournament) else None
    entries = entries_of(events)
    entry = found_entry(entries, tournament_id, entrant)
    return await _identify(desk, book, tournament, entry, player_id, entries, stated, word)


async def merge(desk: Desk, book: Path, old: str, new: str, word: Word) -> tuple[list[Entrant], list[str]]:
    """Give all entries of one id to another, because both are one player.

    Returns what was sent, and a sentence for every tournament in which both play: those stay as they are.
    Raises `CorrectionRefusedError` when nothing has the old id, `BookError`, and what reading raises.
    """
    events = await read_events(desk.cluster, [GAME_RESULTS.name, TOURNAMENT_EVENTS.name], None)
    entries = entries_of(events)
    sent, refused = [], []
    found = with_player(entries, old)
    if not found:
        raise CorrectionRefusedError(
            f"no entrant has the id {old}; check it, or give the one it is written as"
        )
    for tournament_id, theirs in found.items():
        newest = winner(
            one
            for one in events
            if isinstance(one.data, Tournament) and one.data.tournament_id == tournament_id
        )
        tournament = newest.data if newest is not None and isinstance(newest.data, Tournament) else None
        for entry in theirs:
            try:
                sent.append(await _identify(desk, book, tournament, entry, new, entries, Stated(), word))
            except CorrectionRefusedError as problem:
                refused.append(str(problem))
    return sent, refused


async def _identify(
    desk: Desk,
    book: Path,
    tournament: Tournament | None,
    entry: Entry,
    player_id: str,
    entries: Sequence[Entry],
    stated: Stated,
    word: Word,
) -> Entrant:
    known = 0 if entry.copy is None else entry.copy.data.revision
    event = identified(
        entry, player_id, entries, stated=stated, revision=operators_revision(known, desk.now_ms())
    )
    if not event.override and tournament is not None:
        event = await asyncio.to_thread(_with_list, book, tournament, event)
    await put(desk, Entity(entry.tournament_id, "entrant", entry.entrant_id), entry.copy, event, word)
    return event


def _with_list(book: Path, tournament: Tournament, event: Entrant) -> Entrant:
    if not book.exists():
        return event
    try:
        edition = tournament.edition_in_force()
    except OutsideEditions:
        return event
    with Book(book) as opened:
        facts = book_facts(
            opened,
            [event.player_id or ""],
            time_control=tournament.time_control,
            rating_list=tournament.list_in_force(),
            edition=edition,
        )
    return with_facts(event, facts)


def _with_proposals(book: Path, found: Iterable[Entry]) -> list[Waiting]:
    if not book.exists():
        return [Waiting(entry, ()) for entry in found]
    with Book(book) as opened:
        return [Waiting(entry, tuple(proposed(opened, entry))) for entry in found]


def proposed(book: Book, entry: Described) -> Iterable[str]:
    """Propose who of the newest list an entrant may be."""
    if entry.name is None or entry.federation is None or entry.birth_year is None:
        return ()
    return proposals(entry, book.named(entry.name, limit=NAMES_ASKED))
