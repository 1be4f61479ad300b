"""Which events a subscription wants: what its owner may say, and whether an event fits. Pure."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from elowire.contracts.fields import Federation, Id, PlayerId, broken
from elowire.contracts.vocabulary import CauseKind
from elowire.dispatch.readings import Event, Kind
from elowire.domain import TimeControl, hundredths

MOST_NAMED = 1000
"""Players, tournaments or federations that one subscription may name."""


def _size(text: str) -> str:
    if not re.fullmatch(r"[0-9]{1,4}(?:\.[0-9]{1,2})?", text) or not hundredths(text):
        raise broken(
            "",
            'points as a decimal string above 0 with at most two places, such as "5" or "2.5"',
            "Leave it out to receive every change.",
        )
    return text


class Filters(BaseModel):
    """What must hold of an event: every filter that is given, and of each list any one member."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    kinds: Annotated[tuple[Kind, ...], Field(min_length=1, max_length=len(Kind))] = (Kind.LIVE_RATING,)
    """Kinds of event."""
    players: Annotated[tuple[PlayerId, ...], Field(min_length=1, max_length=MOST_NAMED)] = ()
    """Player ids: the digits of the FIDE id, or namespace:id."""
    tournaments: Annotated[tuple[Id, ...], Field(min_length=1, max_length=MOST_NAMED)] = ()
    """Tournaments that the event comes from."""
    federations: Annotated[tuple[Federation, ...], Field(min_length=1, max_length=MOST_NAMED)] = ()
    """The player's federation in the rating list, three capital letters; who is in no list has none."""
    time_controls: Annotated[tuple[TimeControl, ...], Field(min_length=1, max_length=len(TimeControl))] = ()
    """Ratings that changed: standard, rapid, blitz."""
    causes: Annotated[tuple[CauseKind, ...], Field(min_length=1, max_length=len(CauseKind))] = ()
    """What changed a live rating: game, correction, annulment, resolution, list, base-correction, facts."""
    min_change: Annotated[str, AfterValidator(_size)] | None = None
    """Rating points, up or down, that the event moves the rating by at least; a first or a lost rating
    always counts."""

    @model_validator(mode="after")
    def _can_be_told(self) -> Self:
        """Refuse a filter by something that the chosen kinds do not say: it would silently match nothing."""
        silent = (
            ("tournaments", {Kind.RECONCILIATION}),
            ("time_controls", {Kind.TOURNAMENT_RATING}),
            ("causes", {*Kind} - {Kind.LIVE_RATING}),
            ("min_change", {Kind.RATED_GAME}),
        )
        for field, kinds in silent:
            unable = sorted(kinds & set(self.kinds))
            if getattr(self, field) and unable:
                able = ", ".join(sorted({*Kind} - kinds))
                raise broken(
                    field,
                    f"kinds that say it ({able}), but {', '.join(unable)} does not",
                    "Leave the filter out, or make a subscription of its own for the other kinds.",
                )
        return self

    @cached_property
    def player_set(self) -> frozenset[str]:
        """The players, for a quick look."""
        return frozenset(self.players)

    @cached_property
    def tournament_set(self) -> frozenset[str]:
        """The tournaments, for a quick look."""
        return frozenset(self.tournaments)

    def fits(self, event: Event, federation: str | None) -> bool:
        """Say whether an event is wanted; `federation` is the player's, None where he has none."""
        return (
            event.kind in self.kinds
            and (not self.players or event.player_id in self.player_set)
            and (not self.tournaments or event.tournament_id in self.tournament_set)
            and (not self.federations or federation in self.federations)
            and (not self.causes or event.cause in self.causes)
            and (not self.time_controls or not event.time_controls.isdisjoint(self.time_controls))
            and (self.min_change is None or self._moved(event, hundredths(self.min_change)))
        )

    def _moved(self, event: Event, least: int) -> bool:
        wanted = set(self.time_controls or TimeControl)
        return any(
            move is None or abs(move) >= least
            for control, move in event.moves.items()
            if control is None or control in wanted
        )
