"""Published ratings and reported changes: figures that were reckoned elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from elowire.contracts.fields import (
    WIRE,
    BirthYear,
    Change,
    Day,
    Federation,
    GameCount,
    Id,
    K,
    Period,
    PlayerId,
    Rating,
    Revision,
    Text,
    Title,
    check_days,
)
from elowire.contracts.vocabulary import ListKind, ReportStatus
from elowire.domain import Hundredths, TimeControl, hundredths, rating_period

if TYPE_CHECKING:
    from collections.abc import Iterator


class PublishedFigures(BaseModel):
    """A player's figures for one time control in one list."""

    model_config = WIRE

    rating: Annotated[int, Field(ge=0, le=4000), AfterValidator(lambda rating: rating or None)] | None = None
    """The published rating; 0 and null both mean unrated, and are read as null."""
    k: K | None = None
    """The development coefficient that the list prints."""
    games: GameCount | None = None
    """Games rated in this list's period."""


class PublishedRating(BaseModel):
    """One player's line in one published list, or a correction of it."""

    model_config = WIRE

    player_id: PlayerId
    """The player, and the key of the record."""
    list: Period
    """The month of the list."""
    revision: Revision
    """Grows with every change of this line."""
    kind: ListKind = ListKind.LIST
    """The list itself, or a correction of it."""
    name: Text | None = None
    """The player's name as the list writes it."""
    federation: Federation | None = None
    """The player's federation."""
    title: Title | None = None
    """The player's title."""
    birth_year: BirthYear | None = None
    """The player's year of birth."""
    inactive: bool = False
    """True for a player whom the list flags as inactive."""
    standard: PublishedFigures | None = None
    """Standard figures; null when this list says nothing of them."""
    rapid: PublishedFigures | None = None
    """Rapid figures; null when this list says nothing of them."""
    blitz: PublishedFigures | None = None
    """Blitz figures; null when this list says nothing of them."""

    def ratings(self) -> Iterator[tuple[str, PublishedFigures]]:
        """Yield (time control, figures) for those that this list speaks of."""
        for time_control in TimeControl:
            figures: PublishedFigures | None = getattr(self, time_control)
            if figures is not None:
                yield time_control.value, figures


class ReportedChange(BaseModel):
    """The sum of an event whose games are not in this system: one more line of the player's period."""

    model_config = WIRE

    tournament_id: Id
    """The event, and the key of the record."""
    player_id: PlayerId
    """Whose change it is."""
    revision: Revision
    """Grows with every change of this line."""
    time_control: TimeControl
    """The rating that it counts for."""
    sum_change: Change
    """The sum of points minus expectancies, before K, as a decimal string with at most two places."""
    games: GameCount | None = None
    """How many games it sums up; null if unknown. They count towards K times n."""
    own_rating: Rating | None = None
    """The player's rating that was used."""
    starts_on: Day
    """The first day of the event."""
    ends_on: Day
    """The last day of the event; it decides the rating period."""
    rated_in: Period | None = None
    """The list that it goes into; by default the one of the month after the last day."""
    status: ReportStatus = ReportStatus.REPORTED
    """Whether the report stands."""

    @model_validator(mode="after")
    def _ends_after_start(self) -> Self:
        check_days(self.starts_on, self.ends_on)

        return self

    @property
    def sum_change_hundredths(self) -> Hundredths:
        """The sum in hundredths: "-0.26" is -26."""
        return hundredths(self.sum_change)

    def period(self) -> str:
        """Return the list ("2025-11") that the change goes into: the stated one, else by the last day."""
        return self.rated_in or rating_period(self.ends_on)
