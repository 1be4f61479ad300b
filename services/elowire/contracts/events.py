"""The five input events: what a producer may send, parsed once and frozen (contract, section 2).

Every event carries its whole entity, its identity and a `revision`; the highest (revision, event id) wins.
"""

from __future__ import annotations

from dataclasses import dataclass

from elowire.contracts.games import GameResult, Side
from elowire.contracts.ratings import PublishedFigures, PublishedRating, ReportedChange
from elowire.contracts.topics import (
    GAME_RESULTS,
    RATING_LISTS,
    TOURNAMENT_EVENTS,
    TYPE_ENTRANT,
    TYPE_GAME_RESULT,
    TYPE_PUBLISHED_RATING,
    TYPE_REPORTED_CHANGE,
    TYPE_TOURNAMENT,
    Topic,
)
from elowire.contracts.tournaments import Entrant, Tournament
from elowire.contracts.vocabulary import (
    GameStatus,
    ListKind,
    ReportStatus,
    Result,
    TournamentStatus,
)
from elowire.domain import System, TimeControl

InputEvent = Tournament | Entrant | GameResult | PublishedRating | ReportedChange


@dataclass(frozen=True, slots=True)
class Input:
    """Where an input event travels: type name, model, topic, and the field that is its key."""

    name: str
    model: type[InputEvent]
    topic: Topic
    key_field: str

    def key_of(self, event: InputEvent) -> bytes:
        """Return the record key of an event of this type."""
        return str(getattr(event, self.key_field)).encode()


INPUTS: tuple[Input, ...] = (
    Input(TYPE_TOURNAMENT, Tournament, TOURNAMENT_EVENTS, "tournament_id"),
    Input(TYPE_ENTRANT, Entrant, TOURNAMENT_EVENTS, "tournament_id"),
    Input(TYPE_GAME_RESULT, GameResult, GAME_RESULTS, "tournament_id"),
    Input(TYPE_REPORTED_CHANGE, ReportedChange, TOURNAMENT_EVENTS, "tournament_id"),
    Input(TYPE_PUBLISHED_RATING, PublishedRating, RATING_LISTS, "player_id"),
)
INPUT_BY_TYPE = {entry.name: entry for entry in INPUTS}
INPUT_BY_MODEL: dict[type[InputEvent], Input] = {entry.model: entry for entry in INPUTS}

__all__ = [
    "INPUTS",
    "INPUT_BY_MODEL",
    "INPUT_BY_TYPE",
    "Entrant",
    "GameResult",
    "GameStatus",
    "Input",
    "InputEvent",
    "ListKind",
    "PublishedFigures",
    "PublishedRating",
    "ReportStatus",
    "ReportedChange",
    "Result",
    "Side",
    "System",
    "TimeControl",
    "Tournament",
    "TournamentStatus",
]
