"""Entrant events with the list's figures: at once where the tournament is known, else later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.events import INPUT_BY_MODEL, Entrant, Tournament
from elowire.domain import OutsideEditions
from elowire.ingest.book import Book, BookError
from elowire.ingest.corrections import Entity
from elowire.ingest.corrections_store import standing
from elowire.ingest.entrants_store import Kept, entrants_of
from elowire.ingest.facts import BookFacts, book_facts, completed, printed_list
from elowire.ingest.feed import event_id_of
from elowire.ingest.readers.report import EntrantFacts
from elowire.ingest.service_store import Store
from elowire.runtime.logs import get_logger

log = get_logger(__name__)

_GREATEST_REVISION = 2**63 - 1


class Later(NamedTuple):
    """An entrant whose figures are known only now, and the event that says so."""

    kept: Kept
    entrant: Entrant
    event: Decoded


def with_list(
    events: Sequence[Decoded], book: Path, tournament_of: Callable[[str], Tournament | None]
) -> tuple[list[Decoded], int]:
    """Give entrants the rating and K of the list in force, unless they override it; and their number.

    What cannot be looked up goes on as it came: the processor waits for what is missing.
    """
    by_tournament: dict[str, list[Entrant]] = {}
    for one in events:
        if isinstance(one.data, Entrant) and _takes_facts(one.data):
            by_tournament.setdefault(one.data.tournament_id, []).append(one.data)
    if not by_tournament or not book.exists():
        return list(events), 0
    try:
        with Book(book) as opened:
            found = {
                tournament_id: _found(opened, tournament, entrants)
                for tournament_id, entrants in by_tournament.items()
                if (tournament := tournament_of(tournament_id)) is not None
            }
    except BookError as problem:
        log.warning("the rating book was not used", fault=str(problem))
        return list(events), 0
    complete, from_list = [], 0
    for one in events:
        data = one.data
        if isinstance(data, Entrant) and _takes_facts(data):
            facts = found.get(data.tournament_id, {})
            if data.player_id in facts:
                from_list += 1
                complete.append(one._replace(data=with_facts(data, facts)))
                continue
        complete.append(one)
    return complete, from_list


def later_facts(
    store: Store, book: Path, tournaments: Iterable[Tournament], but: Iterable[Entity] = ()
) -> list[Later]:
    """Find the entrants of tournaments whose figures the list now gives, or gives otherwise than before.

    Who is not on the list goes back to what his source said of him. Left out are those named by `but`, who
    are sent anyway, those whose source overrides the list, and those of whom an operator's word is in force.
    """
    left_out = set(but)
    found: list[Later] = []
    if not book.exists():
        return found
    try:
        with Book(book) as opened:
            for tournament in tournaments:
                kept = [
                    one
                    for one in entrants_of(store, tournament.tournament_id)
                    if _takes_facts(one.own) and _entity(one.own) not in left_out
                ]
                facts = _found(opened, tournament, [one.own for one in kept])
                corrected = standing(store, [_entity(one.own) for one in kept])
                for one in kept:
                    stands = corrected.get(_entity(one.own))
                    if stands is None or not stands.in_force:
                        found += _later(one, facts)
    except BookError as problem:
        log.warning("the rating book was not used", fault=str(problem))
        return []
    return found


def affected(tournaments: Iterable[Tournament], lists: Iterable[str]) -> list[Tournament]:
    """Give the tournaments whose list in force is one of `lists`."""
    names = set(lists)
    return [one for one in tournaments if printed_list(one.list_in_force()) in names]


def same_conditions(one: Tournament | None, other: Tournament) -> bool:
    """Whether entrants of a tournament get the same figures as before it was sent again."""
    if one is None:
        return False
    return (one.time_control, one.list_in_force(), one.starts_on, one.edition) == (
        other.time_control,
        other.list_in_force(),
        other.starts_on,
        other.edition,
    )


def with_facts(entrant: Entrant, found: dict[str, BookFacts]) -> Entrant:
    """Give an entrant event the list's rating and K, and what else it does not say itself."""
    facts = completed(
        EntrantFacts(
            entrant_id=entrant.identity,
            player_id=entrant.player_id,
            name=entrant.name,
            federation=entrant.federation,
            title=entrant.title,
            birth_year=entrant.birth_year,
            rating=entrant.rating,
            unrated=entrant.unrated,
            k=entrant.k,
            games_played=entrant.games_played,
            rating_list=entrant.rating_list,
            source=entrant.source,
        ),
        found,
    )
    return entrant.model_copy(
        update={
            "name": facts.name,
            "federation": facts.federation,
            "title": facts.title,
            "birth_year": facts.birth_year,
            "rating": facts.rating,
            "unrated": facts.unrated,
            "k": facts.k,
            "games_played": facts.games_played,
            "rating_list": facts.rating_list,
            "source": facts.source,
        }
    )


def _takes_facts(entrant: Entrant) -> bool:
    return not entrant.override and entrant.player_id is not None


def _entity(entrant: Entrant) -> Entity:
    return Entity(entrant.tournament_id, "entrant", entrant.identity)


def _found(book: Book, tournament: Tournament, entrants: Iterable[Entrant]) -> dict[str, BookFacts]:
    try:
        edition = tournament.edition_in_force()
    except OutsideEditions:
        return {}
    return book_facts(
        book,
        [one.player_id for one in entrants if one.player_id is not None],
        time_control=tournament.time_control,
        rating_list=tournament.list_in_force(),
        edition=edition,
    )


def _later(kept: Kept, facts: dict[str, BookFacts]) -> list[Later]:
    # One above what was sent, not one of the clock's: the source's next revision is raised by as much.
    revision = min(kept.sent.revision + 1, _GREATEST_REVISION)
    event = with_facts(kept.own, facts).model_copy(update={"revision": revision})
    if event.model_copy(update={"revision": kept.sent.revision}) == kept.sent:
        return []
    event_id = event_id_of(event.tournament_id, "entrant", event.identity, event)
    return [Later(kept, event, Decoded(event_id, INPUT_BY_MODEL[Entrant].name, kept.source, None, event))]
