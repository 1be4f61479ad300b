"""What the ticker takes from a record: only what it keys, ranks and filters by.

A tolerant reader on purpose. The record's own bytes are what is served, so a field that a later release adds
passes through untouched instead of blanking a board in the middle of a rolling upgrade.
"""

from __future__ import annotations

from typing import Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from elowire.domain import TimeControl, hundredths

MOST_ID = 128
"""Characters of an id at most."""

Id = Annotated[str, StringConstraints(min_length=1, max_length=MOST_ID)]
Decimal = Annotated[str, StringConstraints(pattern=r"^-?\d{1,6}(\.\d{1,2})?$")]
Month = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}$")]


class _Reading(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Published(_Reading):
    """The list's figures for one time control; `rating` is None or 0 for an unrated player."""

    rating: int | None = None
    k: int | None = None
    games: int | None = None


class Figures(_Reading):
    """One time control of a live rating, as far as it decides the rank."""

    status: str
    published: Published | None = None
    change: Decimal | None = None
    k_used: int | None = None
    pending_games: int = 0

    def standing(self) -> tuple[int, int] | None:
        """Give live rating in exact hundredths and published rating; None without a published rating."""
        if self.status != "rated" or self.published is None or not self.published.rating:
            return None
        return self.published.rating * 100 + hundredths(self.change or "0"), self.published.rating


class Cause(_Reading):
    """Why a live rating changed."""

    event_id: str | None = None
    kind: str | None = None
    game_id: Id | None = None
    tournament_id: Id | None = None


class GameReading(_Reading):
    """One side of one game (`elowire.rated-game.v1`)."""

    player_id: Id
    version: int
    game_id: Id
    tournament_id: Id
    time_control: TimeControl | None = None
    rating_period: str | None = None
    opponent_id: Id | None = None
    own_rating: int | None = None
    points: Decimal | None = None
    delta: Decimal | None = None
    colour: str | None = None
    status: str


class LiveReading(_Reading):
    """The latest figures of one player (`elowire.live-rating.v1`)."""

    player_id: Id
    version: Annotated[int, Field(ge=0)]
    cause: Cause | None = None
    changed: tuple[TimeControl, ...] = ()
    name: str | None = None
    federation: str | None = None
    title: str | None = None
    birth_year: int | None = None
    sex: str | None = None
    game: GameReading | None = None
    standard: Figures | None = None
    rapid: Figures | None = None
    blitz: Figures | None = None

    def by_control(self) -> tuple[Figures | None, ...]:
        """Give the figures in the order of `TimeControl`, None where the player has none."""
        return self.standard, self.rapid, self.blitz


def read_live(value: bytes) -> tuple[LiveReading, object]:
    """Read a live rating, and give the game inside it as it came.

    Raises pydantic's ValidationError for what is none.
    """
    try:
        data = orjson.loads(value)
    except orjson.JSONDecodeError:
        # The model says what is wrong, as it does with every other record.
        return LiveReading.model_validate_json(value), None
    reading = LiveReading.model_validate(data)

    return reading, data.get("game")


class ListReading(_Reading):
    """A player's line in a rating list (`elowire.published-rating.v1`)."""

    player_id: Id
    list: Month
    revision: int
    name: str | None = None
    federation: str | None = None
    title: str | None = None
    birth_year: int | None = None
    sex: str | None = None
    inactive: bool | None = None
    standard: Published | None = None
    rapid: Published | None = None
    blitz: Published | None = None

    def ratings(self) -> tuple[int, ...]:
        """Give the ratings in the order of `TimeControl`, 0 where the list has none."""
        figures = (self.standard, self.rapid, self.blitz)

        return tuple(known.rating or 0 if known else 0 for known in figures)


class LineReading(_Reading):
    """One entrant's line of a tournament (`elowire.tournament-rating.v1`)."""

    tournament_id: Id
    entrant_id: Id
    player_id: Id | None = None
    revision: int
    points: Decimal | None = None
    rating: int | None = None


class ReconciliationReading(_Reading):
    """A list beside what was predicted for it (`elowire.reconciliation.v1`)."""

    player_id: Id
    list: Month
