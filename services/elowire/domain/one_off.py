"""Adjustments that FIDE made once to whole lists; they change ratings without a game."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from elowire.domain.numbers import nearest
from elowire.domain.time_controls import TimeControl

if TYPE_CHECKING:
    from elowire.domain.periods import RatingPeriod


class OneOff(StrEnum):
    """The adjustments by the list on which they appeared."""

    TOWARDS_STANDARD = "2022-10"
    COMPRESSION = "2024-03"


class Adjustment(NamedTuple):
    """A rating before and after a one-off adjustment, and which one it was (None: none applied)."""

    before: int
    after: int
    one_off: OneOff | None


_COMPRESSION_BELOW: Final = 2000
_COMPRESSION_SHARE: Final = Fraction(2, 5)
_STANDARD_LEAD: Final = 100


def adjusted(
    rating: int, *, period: RatingPeriod, time_control: TimeControl, standard: int | None = None
) -> Adjustment:
    """Apply the one-off adjustment of the list `period`, if that list had one for this rating.

    `standard` is the player's standard rating, which the adjustment of rapid and blitz looks at.
    Source: 1 March 2024: below 2000, R + 0.4·(2000 - R), taken to the nearest whole number; 1 October 2022:
    rapid and blitz more than 100 below standard become standard - 100.
    """
    if period == OneOff.COMPRESSION and rating < _COMPRESSION_BELOW:
        raised = nearest(rating + _COMPRESSION_SHARE * (_COMPRESSION_BELOW - rating))
        return Adjustment(rating, raised, OneOff.COMPRESSION)
    if (
        period == OneOff.TOWARDS_STANDARD
        and time_control is not TimeControl.STANDARD
        and standard is not None
        and standard - rating > _STANDARD_LEAD
    ):
        return Adjustment(rating, standard - _STANDARD_LEAD, OneOff.TOWARDS_STANDARD)

    return Adjustment(rating, rating, None)
