"""Tournaments and their entrants, as a producer sends them."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from elowire.contracts.fields import (
    WIRE,
    BirthYear,
    Day,
    EditionId,
    Federation,
    GameCount,
    Id,
    K,
    Period,
    PlayerId,
    Rating,
    Revision,
    Round,
    Text,
    Title,
    broken,
    check_days,
    identity,
)
from elowire.contracts.vocabulary import TournamentStatus
from elowire.domain import (
    Edition,
    System,
    TimeControl,
    edition_by_id,
    edition_on,
    list_in_force,
    rating_period,
)


class Tournament(BaseModel):
    """A tournament and everything that decides under which rules its games are rated."""

    model_config = WIRE

    tournament_id: Id
    """The tournament's id, and the key of its records."""
    revision: Revision
    """Grows with every change; a source without a counter sends its event time in milliseconds."""
    name: Text
    """The tournament's name."""
    time_control: TimeControl
    """The rating that its games count for."""
    system: System
    """How it pairs."""
    starts_on: Day
    """The first day; the edition in force and the ratings used are those of this day."""
    ends_on: Day
    """The last day, the planned one while it runs; it decides the rating period."""
    status: TournamentStatus
    """Where it stands."""
    rated: bool = True
    """False when none of its games count."""
    rating_list: Period | None = None
    """The list whose ratings are used; by default the one in force on the first day."""
    edition: EditionId | None = None
    """The edition of the regulations; by default the one in force on the first day."""
    rated_in: Period | None = None
    """The list that its games go into; by default the one of the month after the last day."""
    expected_games: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """How many games there must be at the finish, if that is known."""
    rounds: Round | None = None
    """How many rounds are planned, if that is known."""

    @model_validator(mode="after")
    def _ends_after_start(self) -> Self:
        check_days(self.starts_on, self.ends_on)

        return self

    def edition_in_force(self) -> Edition:
        """Return the edition that rates this tournament: the stated one, else by the first day."""
        return edition_on(self.starts_on) if self.edition is None else edition_by_id(self.edition)

    def list_in_force(self) -> str:
        """Return the list ("2025-10") whose ratings are used: the stated one, else the first month's."""
        return self.rating_list or list_in_force(self.starts_on)

    def period(self) -> str:
        """Return the list ("2025-11") that the games go into: the stated one, else by the last day."""
        return self.rated_in or rating_period(self.ends_on)


class Entrant(BaseModel):
    """One player's entry in a tournament, with the facts that his games are rated with."""

    model_config = WIRE

    tournament_id: Id
    """The tournament, and the key of the record."""
    entrant_id: Id | None = None
    """The entry's id in this tournament; by default the player id."""
    revision: Revision
    """Grows with every change of this entry."""
    player_id: PlayerId | None = None
    """Whose entry it is; null while that is not known, and his games wait."""
    name: Text | None = None
    """The player's name as the tournament writes it."""
    federation: Federation | None = None
    """The player's federation."""
    title: Title | None = None
    """The player's title."""
    birth_year: BirthYear | None = None
    """The player's year of birth; K depends on it in some editions."""
    rating: Rating | None = None
    """The rating used here; null with `unrated` for a player without one, null alone while not known."""
    unrated: bool = False
    """True for a player who is known to have no rating."""
    k: K | None = None
    """The development coefficient, where the source states it."""
    games_played: GameCount | None = None
    """Rated games before this tournament, where the source states it."""
    rating_list: Period | None = None
    """The list that the rating was taken from."""
    override: bool = False
    """True when these figures outrank those of the list."""
    source: Text | None = None
    """Where the figures come from, for the explanation."""

    @model_validator(mode="after")
    def _is_somebody(self) -> Self:
        if self.entrant_id is None and self.player_id is None:
            raise broken(
                "entrant_id",
                "an entrant_id or a player_id",
                "Add entrant_id, the entry's id in the tournament, while the player is not known.",
            )
        if self.unrated and self.rating is not None:
            raise broken(
                "unrated",
                "a rating or unrated: true, not both",
                "Leave the rating out for a player without one, or leave unrated out.",
            )

        return self

    @property
    def identity(self) -> str:
        """The entry's id: the stated one, else the player id."""
        return identity(self.entrant_id, self.player_id)
