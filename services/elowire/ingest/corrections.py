"""An operator's word outranks what the sources say of a game or an entrant, until it is taken back.

Two things keep it in force. Its revision lies in a range above every time in milliseconds, so that a copy
that reaches the topics by another way loses against it. And while it is in force, copies that pass through
ingest are held back: the newest of them is sent when the correction is released. From then on the source's
revisions are lifted, so that they go on above the operator's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import ValidationError

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.events import Entrant, GameResult, InputEvent
from elowire.contracts.faults import field_faults
from elowire.contracts.vocabulary import GameStatus, Result

OPERATORS_REVISION = 2**52
"""Added to the time in milliseconds; every consumer still reads the sum exactly."""

_GREATEST_REVISION = 2**63 - 1


class CorrectionRefusedError(ValueError):
    """A correction that cannot be made; the message says why and what to do."""


class Entity(NamedTuple):
    """What a correction is about: a game or an entrant of a tournament."""

    tournament_id: str
    kind: str
    """"game" or "entrant"."""
    id: str


class Standing(NamedTuple):
    """How the operator's word stands for an entity.

    While it is in force copies are held; afterwards revisions above `lifted_from` go on above `lifted_to`.
    """

    in_force: bool
    lifted_from: int | None = None
    lifted_to: int | None = None


class Passage(NamedTuple):
    """What may be sent, and what is held back because of a correction."""

    sent: tuple[Decoded, ...]
    held: tuple[Decoded, ...]


def entity_of(event: InputEvent) -> Entity | None:
    """Name what an event is about, as far as an operator can correct it."""
    if isinstance(event, GameResult):
        return Entity(event.tournament_id, "game", event.game_id)
    if isinstance(event, Entrant):
        return Entity(event.tournament_id, "entrant", event.identity)
    return None


def passage(events: Sequence[Decoded], standing: Mapping[Entity, Standing]) -> Passage:
    """Part events into those that are sent and those that a correction holds back."""
    sent, held = [], []
    for arrived in events:
        entity = entity_of(arrived.data)
        stands = None if entity is None else standing.get(entity)
        if stands is None:
            sent.append(arrived)
        elif stands.in_force:
            held.append(arrived)
        else:
            sent.append(_lifted(arrived, stands))
    return Passage(tuple(sent), tuple(held))


def _lifted(arrived: Decoded, stands: Standing) -> Decoded:
    """Let a source go on after a release: what is newer than the held copy is newer than the release."""
    revision = arrived.data.revision
    if stands.lifted_from is None or stands.lifted_to is None or revision <= stands.lifted_from:
        return arrived
    lifted = min(stands.lifted_to + revision - stands.lifted_from, _GREATEST_REVISION)
    return arrived._replace(data=arrived.data.model_copy(update={"revision": lifted}))


def operators_revision(known: int, now_ms: int) -> int:
    """Return a revision above a `known` one and above everything that a source sends."""
    return max(OPERATORS_REVISION + now_ms, known + 1)


def corrected_game(
    game: GameResult, *, result: Result | None, status: GameStatus | None, revision: int
) -> GameResult:
    """Give a game with the operator's result. Without a status a result means that it was played.

    Raises `CorrectionRefusedError`.
    """
    if result is None and status is None:
        raise CorrectionRefusedError("neither a result nor a status is given; say what is right")
    if status is None:
        status = GameStatus.ONGOING if result is Result.UNKNOWN else GameStatus.PLAYED
    if result is None:
        result = Result.UNKNOWN if status is GameStatus.ONGOING else game.result
    said = {**game.model_dump(), "result": result, "status": status, "revision": revision}
    try:
        return GameResult.model_validate(said)
    except ValidationError as problem:
        fault = field_faults(problem)[0]
        raise CorrectionRefusedError(f"{fault.problem}; expected {fault.expected}. {fault.advice}") from None
