"""A player's live ratings, and the games behind them, as consumers receive them."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from elowire.contracts.fields import (
    WIRE,
    Decimal,
    Expectancy,
    GameCount,
    GameId,
    GamePoints,
    Id,
    K,
    Period,
    PlayerId,
    Points,
    Rating,
    Round,
    Tenths,
    Version,
)
from elowire.contracts.vocabulary import CauseKind, Colour, RatingStatus, SideStatus
from elowire.domain import KReason, Refusal, TimeControl


class Cause(BaseModel):
    """The input that changed a rating."""

    model_config = WIRE

    event_id: str
    """The id of the input event."""
    type: str
    """The type of the input event."""
    game_id: GameId | None = None
    """The game, where the cause is one."""
    tournament_id: Id | None = None
    """The tournament, where the cause belongs to one."""
    kind: CauseKind
    """What kind of fact it was."""


class RatedGame(BaseModel):
    """One side of one game, explained. Its change is K times `delta`, with the live rating's `k_used`."""

    model_config = WIRE

    player_id: PlayerId
    """Whose side it is."""
    version: Annotated[int, Field(ge=0)]
    """The version of the live rating that includes it; 0 before the player's first one."""
    game_id: GameId
    """The game."""
    tournament_id: Id
    """The tournament."""
    time_control: TimeControl | None
    """The rating it counts for; null while the tournament is not known."""
    rating_period: Period | None
    """The list it goes into; null while the tournament is not known."""
    round: Round | None
    """The round, where it is known."""
    opponent_id: PlayerId | None
    """The opponent; null while it is not known who that is."""
    opponent_rating: Rating | None
    """The opponent's rating that is used."""
    own_rating: Rating | None
    """The player's rating that is used."""
    points: GamePoints | None
    """The player's points; null while the result is not known."""
    difference: int | None
    """D: own rating minus the opponent's; null where the game does not count."""
    counted_difference: int | None
    """D after the cap."""
    expectancy: Expectancy | None
    """PD of the counted difference."""
    delta: Decimal | None
    """Points minus expectancy."""
    refusal: Refusal | None
    """Why the side does not count; null where it does."""
    article: str | None
    """The article behind the figure or the refusal."""
    status: SideStatus
    """Whether it still counts for the live rating."""
    colour: Colour | None = None
    """The player's colour; left out where it is not known or nobody sat opposite."""


class Published(BaseModel):
    """The published rating that a live rating stands on."""

    model_config = WIRE

    list: Period | None
    """The list it comes from; null where only an entrant's own figure is known."""
    rating: Rating
    """The rating."""
    k: K | None
    """The K that came with it."""
    games: GameCount | None
    """The games that came with it."""


class FirstRating(BaseModel):
    """Where an unrated player's first rating stands."""

    model_config = WIRE

    games: GameCount
    """Games against rated opponents."""
    points: Points
    """Points from them."""
    ra: Decimal | None
    """The average that the edition takes, with two places."""
    p: Decimal | None
    """The fractional score."""
    dp: int | None
    """The rating difference of p."""
    ru: int | None
    """The first rating as it would be now."""
    publishable: bool
    """Whether the next list would print it."""
    provisional: bool
    """True while an event that counts is not finished."""


class Previous(BaseModel):
    """The figures before this change."""

    model_config = WIRE

    live: Tenths | None
    """The live rating before."""
    predicted: int | None
    """The prediction before."""


class TimeControlFigures(BaseModel):
    """One of a player's three ratings."""

    model_config = WIRE

    status: RatingStatus
    """Whether there is a published rating."""
    published: Published | None
    """The published rating; null for the unrated."""
    live: Tenths | None
    """Published rating and pending changes, shown with one place."""
    change: Decimal | None
    """The pending changes."""
    predicted: int | None
    """The rating as the list will round it."""
    k_used: K | None
    """K after the cut."""
    k_reason: KReason | None
    """Why K is what it is."""
    pending_games: GameCount
    """Rated games that are in no list yet."""
    initial: FirstRating | None
    """For the unrated: the first rating in the making."""
    previous: Previous
    """What stood here before."""


class LiveRating(BaseModel):
    """A player's ratings after one effective change; consumers keep the highest version."""

    model_config = WIRE

    player_id: PlayerId
    """The player, and the key of the record."""
    version: Version
    """One more with each effective change; a gap is visible."""
    cause: Cause
    """What changed the figures."""
    changed: tuple[TimeControl, ...]
    """Which of the three ratings changed."""
    standard: TimeControlFigures | None = None
    """The standard rating; left out where nothing is known of it."""
    rapid: TimeControlFigures | None = None
    """The rapid rating; left out where nothing is known of it."""
    blitz: TimeControlFigures | None = None
    """The blitz rating; left out where nothing is known of it."""
    game: RatedGame | None
    """The one game that caused the change, where it was one."""
