"""What dispatch takes from an output record: identity, order, what filters ask for, and the body to send.

A tolerant reader on purpose: the record's own bytes are what is sent, so a field that a later release adds
passes through untouched.
"""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Annotated, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from elowire.contracts.envelope import rfc3339
from elowire.contracts.topics import (
    LIVE_RATINGS,
    RATED_GAMES,
    RATING_LISTS,
    RECONCILIATIONS,
    TOURNAMENT_RATINGS,
    TYPE_LIVE_RATING,
    TYPE_RATED_GAME,
    TYPE_RECONCILIATION,
    TYPE_TOURNAMENT_RATING,
)
from elowire.domain import TimeControl, hundredths
from elowire.runtime.kafka import Record


class Kind(StrEnum):
    """The kinds of event that can be subscribed to."""

    LIVE_RATING = "live-rating"
    RATED_GAME = "rated-game"
    TOURNAMENT_RATING = "tournament-rating"
    RECONCILIATION = "reconciliation"


OUTPUT_TOPICS = tuple(one.name for one in (LIVE_RATINGS, RATED_GAMES, TOURNAMENT_RATINGS, RECONCILIATIONS))
LISTS_TOPIC = RATING_LISTS.name
TOPICS = (*OUTPUT_TOPICS, LISTS_TOPIC)
TYPES = {
    Kind.LIVE_RATING: TYPE_LIVE_RATING,
    Kind.RATED_GAME: TYPE_RATED_GAME,
    Kind.TOURNAMENT_RATING: TYPE_TOURNAMENT_RATING,
    Kind.RECONCILIATION: TYPE_RECONCILIATION,
}

_Id = Annotated[str, StringConstraints(min_length=1, max_length=256)]
_Version = Annotated[int, Field(ge=0, lt=2**63)]
_Decimal = Annotated[str, StringConstraints(pattern=r"^-?\d{1,6}(\.\d{1,2})?$")]


class UnreadableRecordError(ValueError):
    """A record that is not what its topic promises; the message says what is wrong."""


class _Reading(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Previous(_Reading):
    live: _Decimal | None = None


class _Figures(_Reading):
    live: _Decimal | None = None
    previous: _Previous | None = None


class _Cause(_Reading):
    tournament_id: _Id | None = None
    kind: str | None = None


class _Live(_Reading):
    player_id: _Id
    version: _Version
    cause: _Cause | None = None
    changed: tuple[TimeControl, ...] = ()
    standard: _Figures | None = None
    rapid: _Figures | None = None
    blitz: _Figures | None = None


class _Game(_Reading):
    player_id: _Id
    version: _Version
    game_id: _Id
    tournament_id: _Id | None = None
    time_control: TimeControl | None = None


class _Line(_Reading):
    tournament_id: _Id
    entrant_id: _Id
    player_id: _Id | None = None
    revision: _Version
    change: _Decimal | None = None


class _Difference(_Reading):
    difference: int


class _Reconciliation(_Reading):
    player_id: _Id
    list: _Id
    standard: _Difference | None = None
    rapid: _Difference | None = None
    blitz: _Difference | None = None


class Listed(_Reading):
    """A player's federation in a list; the highest list and revision counts."""

    player_id: _Id
    list: _Id
    revision: _Version = 0
    federation: str | None = None


class Event(NamedTuple):
    """One output event, ready to be judged and sent.

    Of an `entity` only a higher `version` is news; where the contract has no version (reconciliations) it is
    a different `digest`. `lane` is what order is kept in. `moves` says by how many hundredths a rating moves
    (None: from or to no rating), by time control where it has one.
    """

    kind: Kind
    entity: str
    version: int | None
    digest: bytes
    lane: str
    player_id: str | None
    tournament_id: str | None
    time_controls: frozenset[TimeControl]
    cause: str | None
    moves: Mapping[TimeControl | None, int | None]
    event_id: str
    webhook_id: str
    body: bytes


class _Facts(NamedTuple):
    entity: str
    version: int | None
    player_id: str | None
    tournament_id: str | None
    time_controls: frozenset[TimeControl]
    cause: str | None
    moves: Mapping[TimeControl | None, int | None]


def event_of(record: Record) -> Event | None:
    """Read a record of an output topic; None for a tombstone. Raises `UnreadableRecordError`."""
    value = record.value
    if value is None:
        return None
    headers = {name: said.decode("utf-8", "replace") for name, said in record.headers}
    try:
        kind, facts = _FACTS[record.topic](value, headers)
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "the record"
        raise UnreadableRecordError(f"{field}: {first['msg']}") from None
    digest = blake2b(value, digest_size=16).digest()
    event_id = headers.get("ce_id") or f"{facts.entity}:{facts.version or 0}"
    # Without a version the content itself tells one event from the next of the same id.
    apart = b"" if facts.version is not None else digest
    return Event(
        kind,
        facts.entity,
        facts.version,
        digest,
        facts.player_id or facts.entity,
        facts.player_id,
        facts.tournament_id,
        facts.time_controls,
        facts.cause,
        facts.moves,
        event_id,
        webhook_id_of(TYPES[kind], event_id, apart),
        body_of(
            TYPES[kind],
            event_id,
            value,
            source=headers.get("ce_source") or "elowire/processor",
            time=headers.get("ce_time") or rfc3339(datetime.fromtimestamp(record.timestamp / 1000, UTC)),
            subject=headers.get("ce_subject") or facts.player_id or facts.entity,
        ),
    )


def listed_of(record: Record) -> Listed | None:
    """Read a record of the rating lists; None for one that says nothing usable."""
    if record.value is None:
        return None
    try:
        return Listed.model_validate_json(record.value)
    except ValidationError:
        return None


def webhook_id_of(type_: str, event_id: str, apart: bytes = b"") -> str:
    """Return the `webhook-id` of an event: the same for ever; no full stop, as the signature asks."""
    named = blake2b(b"\0".join((type_.encode(), event_id.encode(), apart)), digest_size=20)
    return "msg_" + b32encode(named.digest()).decode().lower()


def body_of(type_: str, event_id: str, data: bytes, *, source: str, time: str, subject: str) -> bytes:
    """Write a body: `type`, `timestamp` and `data` of Standard Webhooks in one CloudEvent."""
    return orjson.dumps(
        {
            "specversion": "1.0",
            "id": event_id,
            "source": source,
            "type": type_,
            "time": time,
            "timestamp": time,
            "subject": subject,
            "datacontenttype": "application/json",
            "data": orjson.Fragment(data),
        }
    )


def _live(value: bytes, _: Mapping[str, str]) -> tuple[Kind, _Facts]:
    said = _Live.model_validate_json(value)
    by_control = dict(zip(TimeControl, (said.standard, said.rapid, said.blitz), strict=True))
    moves: dict[TimeControl | None, int | None] = {}
    for control in said.changed:
        figures = by_control[control]
        now = figures.live if figures else None
        before = figures.previous.live if figures and figures.previous else None
        if now is not None and before is not None:
            moves[control] = hundredths(now) - hundredths(before)
        elif now is not None or before is not None:
            moves[control] = None
    cause = said.cause or _Cause()
    return Kind.LIVE_RATING, _Facts(
        said.player_id,
        said.version,
        said.player_id,
        cause.tournament_id,
        frozenset(said.changed),
        cause.kind,
        moves,
    )


def _game(value: bytes, headers: Mapping[str, str]) -> tuple[Kind, _Facts]:
    said = _Game.model_validate_json(value)
    # The version is that of the live rating; the id's own number counts what is said of the game itself.
    number = headers.get("ce_id", "").rpartition(":")[2]
    version = int(number) if number.isascii() and number.isdecimal() and len(number) < 19 else said.version  # noqa: PLR2004 - below 2^63
    controls = frozenset() if said.time_control is None else frozenset({said.time_control})
    entity = f"{said.player_id}/{said.game_id}"
    return Kind.RATED_GAME, _Facts(entity, version, said.player_id, said.tournament_id, controls, None, {})


def _line(value: bytes, _: Mapping[str, str]) -> tuple[Kind, _Facts]:
    said = _Line.model_validate_json(value)
    moves: dict[TimeControl | None, int | None] = (
        {} if said.change is None else {None: hundredths(said.change)}
    )
    entity = f"{said.tournament_id}/{said.entrant_id}"
    return Kind.TOURNAMENT_RATING, _Facts(
        entity, said.revision, said.player_id, said.tournament_id, frozenset(), None, moves
    )


def _reconciliation(value: bytes, _: Mapping[str, str]) -> tuple[Kind, _Facts]:
    said = _Reconciliation.model_validate_json(value)
    found = dict(zip(TimeControl, (said.standard, said.rapid, said.blitz), strict=True))
    moves: dict[TimeControl | None, int | None] = {
        control: one.difference * 100 for control, one in found.items() if one is not None
    }
    controls = frozenset(control for control, one in found.items() if one is not None)
    entity = f"{said.player_id}/{said.list}"
    return Kind.RECONCILIATION, _Facts(entity, None, said.player_id, None, controls, None, moves)


_FACTS = {
    LIVE_RATINGS.name: _live,
    RATED_GAMES.name: _game,
    TOURNAMENT_RATINGS.name: _line,
    RECONCILIATIONS.name: _reconciliation,
}
