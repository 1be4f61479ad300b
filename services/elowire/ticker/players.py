"""One player as the board knows him: the newest records, and what he ranks and is found by."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from elowire.domain import TimeControl
from elowire.ticker.glances import Listed
from elowire.ticker.readings import LiveReading

_CONTROLS = tuple(TimeControl)
_JUNIOR_AGES = range(6, 22, 2)
_SENIOR_AGES = (50, 65, 75)
AGE_GROUPS = (*(f"u{age}" for age in _JUNIOR_AGES), *(f"s{age}" for age in _SENIOR_AGES))
"""FIDE's: `u20` is born in or after the year 20 years ago, `s50` is 50 or older in this year."""


@dataclass(slots=True)
class Player:
    """The newest records of one player, and what they rank by.

    `live` and `listed` are the records' bytes. `standings` has (live rating in hundredths, published rating)
    of the time controls that the live rating speaks of, None where unrated; `ratings` are the list's, in the
    order of `TimeControl`, 0 where unrated. `playing` are the time controls with pending games.
    """

    live: bytes | None = None
    version: int = -1
    listed: bytes | None = None
    listed_as: tuple[str, int] = ("", -1)
    inactive: bool = False
    name: str | None = None
    federation: str | None = None
    title: str | None = None
    birth_year: int | None = None
    sex: str | None = None
    playing: frozenset[TimeControl] = frozenset()
    standings: dict[TimeControl, tuple[int, int] | None] | None = None
    ratings: tuple[int, ...] = (0,) * len(_CONTROLS)

    def ranks_by(self, at: int) -> tuple[int, int] | None:
        """Give (hundredths, published) of the time control at this place of `TimeControl`; None: no rank.

        As in FIDE's own top lists, inactive players do not rank; a pending game makes one active again.
        """
        control = _CONTROLS[at]
        if self.inactive and control not in self.playing:
            return None
        listed = _as_listed(self.ratings[at])

        return listed if self.standings is None else self.standings.get(control, listed)

    def describe(self, facts: Listed | LiveReading) -> None:
        """Take what a record says of the person; what it does not say stays."""
        self.name = facts.name or self.name
        self.title = facts.title or self.title
        self.birth_year = facts.birth_year or self.birth_year
        self.sex = facts.sex or self.sex


@dataclass(frozen=True, slots=True)
class Filter:
    """Which players a list is of; None leaves everybody in. `age` is one of `AGE_GROUPS`, in `year`."""

    federation: str | None = None
    title: str | None = None
    age: str | None = None
    sex: str | None = None
    year: int = 0

    @property
    def of_persons(self) -> bool:
        """Whether something else than the federation is asked for."""
        return self.title is not None or self.age is not None or self.sex is not None

    def covers(self, player: Player) -> bool:
        """Say whether a player belongs to the list; who is not known to does not."""
        if self.federation is not None and player.federation != self.federation:
            return False
        if self.title is not None and player.title != self.title:
            return False
        if self.sex is not None and (player.sex or "").upper() != self.sex:
            return False

        return self.age is None or self._is_of_age(player.birth_year)

    def _is_of_age(self, born: int | None) -> bool:
        if born is None or self.age is None:
            return False
        age = self.year - born
        limit = int(self.age[1:])

        return age <= limit if self.age.startswith("u") else age >= limit


EVERYBODY = Filter()


@dataclass(slots=True)
class Facets:
    """What there is to filter by: players by federation, titles, of how many sex and birth are known."""

    federations: dict[str, set[str]] = field(default_factory=dict)
    titles: dict[str, int] = field(default_factory=dict)
    sexes: int = 0
    births: int = 0


@lru_cache(4096)
def _as_listed(rating: int) -> tuple[int, int] | None:
    """Give what an unplayed rating ranks by, the same object for all who have it; None for 0, unrated."""
    return (rating * 100, rating) if rating else None
