"""The one way through ingest: facts of the rating book, the operator's corrections, Kafka, what is known.

Whoever brings events - a request, a file, a broadcast - ends here, so that the same holds for all.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.envelope import EventRecord, input_record
from elowire.contracts.events import Entrant, Tournament
from elowire.domain import OutsideEditions
from elowire.ingest.book import Book, BookError
from elowire.ingest.corrections import entity_of, passage
from elowire.ingest.corrections_store import hold, standing
from elowire.ingest.facts import BookFacts, book_facts, completed
from elowire.ingest.readers.report import EntrantFacts
from elowire.ingest.service_outbox import Outbox
from elowire.ingest.service_store import Store
from elowire.runtime.clock import Clock
from elowire.runtime.logs import get_logger

log = get_logger(__name__)


class Taken(NamedTuple):
    """What became of events: sent and acknowledged, or held back by a correction."""

    sent: tuple[Decoded, ...]
    held: tuple[Decoded, ...]
    from_list: int
    """Entrants whose figures were taken from the rating book."""


class Intake:
    """Takes events; returns when Kafka has them and what is known of them is kept."""

    def __init__(self, store: Store, outbox: Outbox, book: Path, clock: Clock) -> None:
        self.store, self.outbox, self.book, self.clock = store, outbox, book, clock
        self.outcomes: Counter[str] = Counter()
        """Events sent, held by corrections, and entrants with facts of the list."""

    async def take(self, events: Sequence[Decoded], trace: Sequence[tuple[str, bytes]] = ()) -> Taken:
        """Send events. Raises `KafkaAwayError`; then nothing is remembered and all may be sent again."""
        complete, from_list = await asyncio.to_thread(self._with_facts, events)
        entities = {entity for one in complete if (entity := entity_of(one.data)) is not None}
        stands = await asyncio.to_thread(standing, self.store, entities)
        passed = passage(complete, stands)
        await self.outbox.send([self._record(one, trace) for one in passed.sent])
        await asyncio.to_thread(self._keep, passed.sent, passed.held)
        self.outcomes.update(sent=len(passed.sent), held=len(passed.held), facts_of_list=from_list)
        return Taken(passed.sent, passed.held, from_list)

    def _record(self, event: Decoded, trace: Sequence[tuple[str, bytes]]) -> EventRecord:
        record = input_record(
            event.data, event_id=event.event_id, source=event.source, time=event.time or self.clock()
        )
        record.headers.extend(trace)
        return record

    def _keep(self, sent: Sequence[Decoded], held: Sequence[Decoded]) -> None:
        self.store.keep_tournaments(one.data for one in sent if isinstance(one.data, Tournament))
        if held:
            hold(self.store, held)

    def _with_facts(self, events: Sequence[Decoded]) -> tuple[list[Decoded], int]:
        """Give entrants the rating and K of the list in force, unless they override it or say their source.

        What cannot be looked up goes on as it came: the processor waits for what is missing.
        """
        open_ = [
            one.data
            for one in events
            if isinstance(one.data, Entrant) and not one.data.override and one.data.player_id is not None
        ]
        if not open_ or not self.book.exists():
            return list(events), 0
        told = {one.data.tournament_id: one.data for one in events if isinstance(one.data, Tournament)}
        found: dict[str, dict[str, BookFacts]] = {}
        try:
            with Book(self.book) as book:
                for tournament_id in {entrant.tournament_id for entrant in open_}:
                    tournament = told.get(tournament_id) or self.store.tournament(tournament_id)
                    if tournament is None:
                        continue
                    players = [e.player_id for e in open_ if e.player_id and e.tournament_id == tournament_id]
                    found[tournament_id] = book_facts(
                        book,
                        players,
                        time_control=tournament.time_control,
                        rating_list=tournament.list_in_force(),
                        edition=tournament.edition_in_force(),
                    )
        except (BookError, OutsideEditions) as problem:
            log.warning("the rating book was not used", fault=str(problem))
            return list(events), 0
        complete, from_list = [], 0
        for one in events:
            data = one.data
            if (
                isinstance(data, Entrant)
                and not data.override
                and (data.player_id or "") in found.get(data.tournament_id, {})
            ):
                data = with_facts(data, found[data.tournament_id])
                from_list += 1
            complete.append(one._replace(data=data))
        return complete, from_list


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
