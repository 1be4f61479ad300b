"""The shape of an edition: everything in which the editions of the regulations differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from elowire.domain.numbers import Halves, Hundredths, round_hundredths

if TYPE_CHECKING:
    from datetime import date

    from elowire.domain.articles import Articles


class CapScope(StrEnum):
    """Which games of a player the cap on the difference protects."""

    EVERY_GAME = "every game"
    ONE_PER_TOURNAMENT = "one game per tournament"


class UnratedOpponents(StrEnum):
    """Which games of a rated player against unrated opponents change a rating."""

    EVERY_SYSTEM = "every system"
    ROUND_ROBIN = "round robin"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DifferenceCap:
    """The rule that limits D: 350 or 400 points, for whom and how often."""

    limit: int = 400
    scope: CapScope = CapScope.EVERY_GAME
    exempt_from: int | None = None
    """Own published rating from which the full difference counts; None exempts nobody."""
    underdog_always: bool = False
    """With one game per tournament: whether the lower rated side is capped in every game all the same."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JuniorRule:
    """K up to the end of the year of the 18th birthday, for a player never published at `below` or more."""

    k: int = 40
    below: int = 2300
    last_age: int = 18


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KBands:
    """The development coefficient by rating and experience."""

    new: int | None
    middle: int
    high: int
    high_from: int = 2400
    high_needs_games: bool = False
    experienced_from: int = 30
    junior: JuniorRule | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundRobinMethod:
    """How a round robin with unrated players is computed, in the editions that treat it apart."""

    below_half_factor: bool = True
    """Below 50 % dp is multiplied by n/(n+1)."""
    correction: bool = True
    """One pass in which opponents beyond the cap from the new player count at the cap."""
    average_expectancy: bool = False
    """Rated players: We = n·PD(own - average of the opponents), instead of game by game."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InitialRule:
    """How an unrated player gets a first rating Ru; points in hundredths, windows in months."""

    half_point: Hundredths | None
    """Rating per half point above 50 %, in hundredths; None takes dp above 50 % as well."""
    draws_against: int | None = None
    """Rating of the two hypothetical opponents drawn with; None has no such draws."""
    maximum: int | None = None
    first_points: Hundredths = 50
    """Points needed in the first event, else it is disregarded."""
    first_opponents: int = 1
    """Rated opponents needed in the first event."""
    games: int = 5
    """Games needed before a rating is published."""
    pool_months: int = 26
    list_months: int = 1
    """Distance of two lists; the window is counted in lists."""
    floors: tuple[tuple[date, int], ...]
    """Lowest rating that is published, each from its date on."""
    drops_results_below_floor: bool = False
    average_symbol: str = "rc"
    """What the text calls the average of the rated opponents."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edition:
    """One edition of B.02: everything in which the editions differ."""

    id: str
    effective: date
    """Applies to tournaments that start on this day or later."""
    title: str
    articles: Articles
    cap: DifferenceCap
    k_bands: KBands
    k_games_limit: int | None
    """Greatest K·n of a rating period; None when the edition has no such limit."""
    halves: Halves
    initial: InitialRule
    unrated_opponents: UnratedOpponents
    round_robin: RoundRobinMethod | None = field(default_factory=RoundRobinMethod)
    rates_unusual_results: bool = False
    """Whether a played 0-0 or 1/2-0 is rated, each side by its own points."""
    dated: bool = True
    """False for a text that was never in force and is therefore chosen by its id alone."""

    def round_change(self, change: Hundredths) -> int:
        """Round a rating period's change, in hundredths, to whole points (8.57; 8.3.4 from 2022)."""
        return round_hundredths(change, self.halves)

    def floor_on(self, day: date) -> int:
        """Lowest rating that a list of `day` publishes."""
        reached = [floor for since, floor in self.initial.floors if since <= day]

        return reached[-1] if reached else self.initial.floors[0][1]
