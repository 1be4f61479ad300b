"""The four output events: what consumers may rely on (contract, section 3).

The processor writes these as plain objects; the models are the promise that tests and readers hold it to.
Decimals are strings, ratings are whole numbers, points are "1", "0.5" and "0".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field

from elowire.contracts.fields import (
    WIRE,
    Decimal,
    GameCount,
    Id,
    K,
    Period,
    PlayerId,
    Points,
    Rating,
    Version,
)
from elowire.contracts.live_ratings import LiveRating, RatedGame
from elowire.contracts.topics import (
    LIVE_RATINGS,
    RATED_GAMES,
    RECONCILIATIONS,
    TOURNAMENT_RATINGS,
    TYPE_LIVE_RATING,
    TYPE_RATED_GAME,
    TYPE_RECONCILIATION,
    TYPE_TOURNAMENT_RATING,
    Topic,
)
from elowire.contracts.vocabulary import ReconciliationVerdict

TruePerformance = Annotated[str, Field(pattern=r"^(?:-?inf|-?[0-9]+(?:\.[0-9]+)?)$")] | int


class Performance(BaseModel):
    """A performance so far, by four definitions."""

    model_config = WIRE

    fide: int | None
    """FIDE's: average of the opponents plus dp."""
    linear: int | None
    """Average of the opponents plus 400 times wins minus losses over games."""
    true: TruePerformance | None
    """The rating whose expected score is the score; `inf` and `-inf` for full and zero scores."""
    opponents_average: int | None
    """The average of the opponents' ratings."""


class TournamentInitial(BaseModel):
    """An unrated entrant's first rating from this tournament."""

    model_config = WIRE

    rc: Decimal | None
    """The average that the edition takes, with two places."""
    dp: int | None
    """The rating difference of the score."""
    ru: int | None
    """The first rating."""
    ru_new: int | None
    """The first rating after the correction of a round robin."""
    qualifies: bool
    """Whether the result counts for a first rating."""
    final: bool
    """False while the tournament is not finished."""


class TournamentRating(BaseModel):
    """One entrant's line in a tournament."""

    model_config = WIRE

    tournament_id: Id
    """The tournament, and the key of the record."""
    entrant_id: Id
    """The entry."""
    player_id: PlayerId | None
    """The player, where he is known."""
    revision: Version
    """Grows with every change of the line."""
    rating: Rating | None
    """The rating used; null for the unrated."""
    k: K | None
    """The K used."""
    points: Points
    """All points: byes and forfeits score."""
    rated_games: GameCount
    """Games that count for the rating."""
    rated_points: Points
    """Points from them."""
    expected: Decimal | None
    """The sum of expectancies."""
    sum_change: Decimal | None
    """The sum of points minus expectancies."""
    change: Decimal | None
    """K times that sum."""
    performance: Performance | None
    """The performance; null before the first rated game."""
    initial: TournamentInitial | None
    """For the unrated."""


class Comparison(BaseModel):
    """One time control's prediction beside the list."""

    model_config = WIRE

    published: Rating
    """The rating that the list prints."""
    predicted: int
    """The rating that was predicted."""
    difference: int
    """Published minus predicted."""
    verdict: ReconciliationVerdict
    """What explains it."""
    sides: GameCount
    """How many of the player's sides went into the prediction."""


class Reconciliation(BaseModel):
    """A new list beside what was predicted for it."""

    model_config = WIRE

    player_id: PlayerId
    """The player, and the key of the record."""
    list: Period
    """The list that came out."""
    standard: Comparison | None = None
    """The standard rating; left out where nothing was predicted."""
    rapid: Comparison | None = None
    """The rapid rating; left out where nothing was predicted."""
    blitz: Comparison | None = None
    """The blitz rating; left out where nothing was predicted."""


OutputEvent = LiveRating | RatedGame | TournamentRating | Reconciliation


@dataclass(frozen=True, slots=True)
class Output:
    """Where an output event travels: the name of its type, its model and its topic."""

    name: str
    model: type[OutputEvent]
    topic: Topic


OUTPUTS: tuple[Output, ...] = (
    Output(TYPE_LIVE_RATING, LiveRating, LIVE_RATINGS),
    Output(TYPE_RATED_GAME, RatedGame, RATED_GAMES),
    Output(TYPE_TOURNAMENT_RATING, TournamentRating, TOURNAMENT_RATINGS),
    Output(TYPE_RECONCILIATION, Reconciliation, RECONCILIATIONS),
)
OUTPUT_BY_TYPE = {entry.name: entry for entry in OUTPUTS}


def validate_output(type_: str, value: bytes) -> OutputEvent:
    """Return an output event as its model, or raise ValueError naming what breaks the contract."""
    return OUTPUT_BY_TYPE[type_].model.model_validate_json(value)
