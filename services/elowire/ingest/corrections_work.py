"""Corrections carried out: what stands in the topics is read, the operator's word sent, who and why kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.envelope import EventRecord, decode, input_record
from elowire.contracts.events import INPUT_BY_MODEL, Entrant, GameResult, InputEvent
from elowire.contracts.topics import GAME_RESULTS
from elowire.contracts.vocabulary import GameStatus, Result
from elowire.ingest.corrections import (
    CorrectionRefusedError,
    Entity,
    corrected_game,
    operators_revision,
)
from elowire.ingest.corrections_store import held, hold, put_in_force, release, standing
from elowire.ingest.entrants_store import keep_entrants
from elowire.ingest.feed import event_id_of
from elowire.ingest.service_store import Store
from elowire.runtime.clock import Clock
from elowire.runtime.kafka import read_all
from elowire.runtime.security import Cluster

Send = Callable[[list[EventRecord]], Awaitable[object]]


class Word(NamedTuple):
    """Who says it, and why."""

    who: str
    why: str


@dataclass(frozen=True, slots=True)
class Desk:
    """What an operator works with: the topics, ingest's file, and a way to send."""

    cluster: Cluster
    store: Store
    send: Send
    clock: Clock

    def now_ms(self) -> int:
        """Give the time in milliseconds since 1970."""
        return int(self.clock().timestamp() * 1000)


async def read_events(cluster: Cluster, topics: Iterable[str], tournament_id: str | None) -> list[Decoded]:
    """Read the events of a tournament, or of all, from the topics; what is no event is left out."""
    key = None if tournament_id is None else tournament_id.encode()
    found = []
    async for batch in read_all(cluster, sorted(topics)):
        for record in batch:
            if key is None or record.key == key:
                read = decode(record.topic, record.key, record.value, record.headers)
                if isinstance(read, Decoded):
                    found.append(read)
    return found


def winner(events: Iterable[Decoded]) -> Decoded | None:
    """Give the event that counts: the highest (revision, event id)."""
    return max(events, key=lambda one: (one.data.revision, one.event_id), default=None)


async def correct_game(
    desk: Desk,
    tournament_id: str,
    game_id: str,
    *,
    result: Result | None,
    status: GameStatus | None,
    word: Word,
) -> GameResult:
    """Send a game with the operator's result, which stays until it is released.

    Raises `CorrectionRefusedError`, and what reading and sending raise.
    """
    entity = Entity(tournament_id, "game", game_id)
    games = await read_events(desk.cluster, [GAME_RESULTS.name], tournament_id)
    now = winner(one for one in games if isinstance(one.data, GameResult) and one.data.game_id == game_id)
    if now is None or not isinstance(now.data, GameResult):
        known = sorted({one.data.game_id for one in games if isinstance(one.data, GameResult)})
        listed = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")  # noqa: PLR2004 - readable
        raise CorrectionRefusedError(
            f"tournament {tournament_id} has no game {game_id} in the topics"
            + (f"; its games are {listed}" if known else "; it has no game at all, check --tournament")
        )
    event = corrected_game(
        now.data,
        result=result,
        status=status,
        revision=operators_revision(now.data.revision, desk.now_ms()),
    )
    await put(desk, entity, now, event, word)
    return event


async def put(
    desk: Desk, entity: Entity, now: Decoded | None, event: GameResult | Entrant, word: Word
) -> None:
    """Send an operator's event and put it in force; `now`, a source's copy, is kept for the release."""
    await _send(desk, entity, event, word)
    _keep_entrant(desk, event, word)
    stands = standing(desk.store, [entity]).get(entity)
    if now is not None and (stands is None or not stands.in_force):
        hold(desk.store, [now])
    put_in_force(desk.store, entity, event, who=word.who, why=word.why, at_ms=desk.now_ms())


async def release_entity(desk: Desk, entity: Entity, word: Word) -> InputEvent:
    """Take the operator's word back: the newest copy of the source counts again.

    Raises `CorrectionRefusedError`, and what sending raises.
    """
    stands = standing(desk.store, [entity]).get(entity)
    if stands is None or not stands.in_force:
        raise CorrectionRefusedError(
            f"no correction of {entity.kind} {entity.id} of tournament {entity.tournament_id} is in force; "
            "`elowire correct --list` shows those that are"
        )
    while True:
        copy = held(desk.store, entity)
        if copy is None or not isinstance(copy.data, GameResult | Entrant):
            raise CorrectionRefusedError(
                f"no source has ever said anything of {entity.kind} {entity.id}, so there is nothing to "
                "go back to; correct it again instead"
            )
        revision = operators_revision(copy.data.revision, desk.now_ms())
        event = copy.data.model_copy(update={"revision": revision})
        await _send(desk, entity, event, word)
        if release(
            desk.store,
            entity,
            copy,
            to_revision=revision,
            who=word.who,
            why=word.why,
            at_ms=desk.now_ms(),
        ):
            _keep_entrant(desk, event, word)
            return event


def _keep_entrant(desk: Desk, event: InputEvent, word: Word) -> None:
    """Let the list of those without an identity know what the operator said."""
    if isinstance(event, Entrant):
        sent = Decoded("", INPUT_BY_MODEL[Entrant].name, f"operator:{word.who}", None, event)
        keep_entrants(desk.store, [(sent, sent)])


async def _send(desk: Desk, entity: Entity, event: GameResult | Entrant, word: Word) -> None:
    record = input_record(
        event,
        event_id=event_id_of(entity.tournament_id, entity.kind, entity.id, event),
        source=f"operator:{word.who}",
        time=desk.clock(),
    )
    # Kept with the record for ever, whatever becomes of ingest's own file.
    record.headers.append(("elowire-why", word.why.encode()))
    await desk.send([record])
