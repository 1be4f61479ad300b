"""The one way through ingest: facts of the rating book, the operator's corrections, Kafka, what is known.

Whoever brings events - a request, a file, a broadcast - ends here, so that the same holds for all.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.envelope import EventRecord, input_record
from elowire.contracts.events import GameResult, Tournament
from elowire.ingest.book import Book, BookError
from elowire.ingest.corrections import Entity, entity_of, passage
from elowire.ingest.corrections_store import hold, standing
from elowire.ingest.entrants_facts import Later, affected, later_facts, same_conditions, with_list
from elowire.ingest.entrants_store import keep_entrants, keep_sides, repeats_raised, replace_entrant
from elowire.ingest.service_store import Store
from elowire.runtime.clock import Clock
from elowire.runtime.logs import get_logger

_SENT_TOGETHER = 1000
"""Entrants with figures of a new list that are sent, and acknowledged, together."""

log = get_logger(__name__)


class Taken(NamedTuple):
    """What became of events: sent and acknowledged, or held back by a correction."""

    sent: tuple[Decoded, ...]
    held: tuple[Decoded, ...]
    from_list: int
    """Entrants whose figures were taken from the rating book."""


class Way(Protocol):
    """Where records leave to; returns when all are acknowledged."""

    def send(self, records: Sequence[EventRecord]) -> Awaitable[object]:
        """Send records."""


class _Prepared(NamedTuple):
    """What is to be sent, and what is to be known afterwards."""

    own: tuple[Decoded, ...]
    """As it came, with the revisions that it is sent with."""
    sent: tuple[Decoded, ...]
    held: tuple[Decoded, ...]
    later: list[Later]
    from_list: int


class Intake:
    """Takes events; returns when Kafka has them and what is known of them is kept."""

    def __init__(self, store: Store, outbox: Way, book: Path, clock: Clock) -> None:
        self.store, self.outbox, self.book, self.clock = store, outbox, book, clock
        self.outcomes: Counter[str] = Counter()
        """Events sent, held by corrections, and entrants with facts of the list, at once or later."""
        self.newest_list: str | None = None
        """The newest list of the rating book, as it was last looked at."""

    async def take(self, events: Sequence[Decoded], trace: Sequence[tuple[str, bytes]] = ()) -> Taken:
        """Send events. What the way raises ends it; then nothing is remembered and all may be sent again."""
        prepared = await asyncio.to_thread(self._prepare, events)
        later = [one.event for one in prepared.later]
        await self.outbox.send([self._record(one, trace) for one in (*prepared.sent, *later)])
        await asyncio.to_thread(self._keep, prepared)
        self._count(len(prepared.sent), len(prepared.held), prepared.from_list, len(later))
        return Taken(prepared.sent, prepared.held, prepared.from_list)

    async def follow_book(self) -> int:
        """Send the entrants again to whom a list gives other figures that is new in the book, or corrected.

        Returns their number. What the way raises ends it; the next call finds the same.
        """
        lists, later = await asyncio.to_thread(self._news_of_book)
        for start in range(0, len(later), _SENT_TOGETHER):
            portion = later[start : start + _SENT_TOGETHER]
            await self.outbox.send([self._record(one.event, ()) for one in portion])
            await asyncio.to_thread(self._keep_later, portion)
        if later:
            log.info("entrants have figures of a new list", entrants=len(later), lists=sorted(lists))
            self._count(0, 0, 0, len(later))
        if lists:
            await asyncio.to_thread(self.store.keep_lists_seen, lists)
        return len(later)

    def _count(self, sent: int, held: int, from_list: int, later: int) -> None:
        self.outcomes.update(sent=sent, held=held, facts_of_list=from_list, facts_later=later)

    def _record(self, event: Decoded, trace: Sequence[tuple[str, bytes]]) -> EventRecord:
        record = input_record(
            event.data, event_id=event.event_id, source=event.source, time=event.time or self.clock()
        )
        record.headers.extend(trace)
        return record

    def _prepare(self, events: Sequence[Decoded]) -> _Prepared:
        entities = {entity for one in events if (entity := entity_of(one.data)) is not None}
        passed = passage(events, standing(self.store, entities))
        told = {one.data.tournament_id: one.data for one in passed.sent if isinstance(one.data, Tournament)}
        complete, from_list = with_list(
            (*passed.sent, *passed.held),
            self.book,
            lambda tournament_id: told.get(tournament_id) or self.store.tournament(tournament_id),
        )
        return _Prepared(
            own=passed.sent,
            sent=tuple(repeats_raised(self.store, complete[: len(passed.sent)])),
            held=tuple(complete[len(passed.sent) :]),
            later=later_facts(self.store, self.book, self._anew(told.values()), entities),
            from_list=from_list,
        )

    def _anew(self, told: Iterable[Tournament]) -> list[Tournament]:
        """Give the tournaments that are new, or whose entrants play by another list than before."""
        news = []
        for tournament in told:
            known = self.store.tournament(tournament.tournament_id)
            outdated = known is not None and known.revision > tournament.revision
            if not outdated and not same_conditions(known, tournament):
                news.append(tournament)
        return news

    def _news_of_book(self) -> tuple[dict[str, int], list[Later]]:
        if not self.book.exists():
            return {}, []
        try:
            with Book(self.book) as book:
                lists = {kept.rating_list: kept.revision for kept in book.lists()}
        except BookError as problem:
            log.warning("the rating book was not used", fault=str(problem))
            return {}, []
        self.newest_list = max(lists, default=None)
        seen = self.store.lists_seen()
        news = {name: revision for name, revision in lists.items() if seen.get(name) != revision}
        if not news:
            return {}, []
        return news, later_facts(self.store, self.book, affected(self.store.tournaments(), news))

    def _keep(self, prepared: _Prepared) -> None:
        sent = [one.data for one in prepared.sent]
        self.store.keep_tournaments(one for one in sent if isinstance(one, Tournament))
        keep_entrants(self.store, zip(prepared.own, prepared.sent, strict=True))
        keep_sides(self.store, (one for one in sent if isinstance(one, GameResult)))
        if prepared.held:
            hold(self.store, prepared.held)
        self._keep_later(prepared.later)

    def _keep_later(self, later: Sequence[Later]) -> None:
        stands = standing(self.store, [_entity(one) for one in later])
        for one in later:
            replace_entrant(self.store, one.kept, one.entrant, stands.get(_entity(one)))


def _entity(later: Later) -> Entity:
    return Entity(later.entrant.tournament_id, "entrant", later.entrant.identity)
