"""Rating periods: which list an event belongs to; a period is written as its list, "2025-11"."""

from __future__ import annotations

import re
from datetime import date
from typing import Final, TypeAlias

RatingPeriod: TypeAlias = str
"""The list that rates the games of a period, as "YYYY-MM"."""

_PERIOD: Final = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_LISTS_OPEN: Final = 3


def rating_period(ends_on: date) -> RatingPeriod:
    """Name the list that rates an event which ends on this day: that of the next month."""
    return next_period(list_in_force(ends_on))


def list_in_force(day: date) -> RatingPeriod:
    """Name the list whose ratings enter E for an event that starts on this day."""
    return f"{day.year:04}-{day.month:02}"


def next_period(period: RatingPeriod) -> RatingPeriod:
    """Name the period after `period`; raises ValueError when that is not a period."""
    return _at(month_number(period) + 1)


def previous_period(period: RatingPeriod) -> RatingPeriod:
    """Name the period before `period`; raises ValueError when that is not a period."""
    return _at(month_number(period) - 1)


def first_day(period: RatingPeriod) -> date:
    """Find the day on which the list of `period` appears."""
    number = month_number(period)

    return date(number // 12, number % 12 + 1, 1)


def month_number(period: RatingPeriod) -> int:
    """Months since year zero, so that periods can be subtracted; raises ValueError for another text."""
    found = _PERIOD.fullmatch(period)
    if found is None:
        raise ValueError(f"{period!r} is not a rating period: expected year and month, such as 2025-11")

    return int(found[1]) * 12 + int(found[2]) - 1


def is_late_report(ends_on: date, rated_in: RatingPeriod) -> bool:
    """Whether a report comes too late: it missed the third list after the event (B.02 9)."""
    return month_number(rated_in) - month_number(rating_period(ends_on)) >= _LISTS_OPEN


def _at(number: int) -> RatingPeriod:
    return f"{number // 12:04}-{number % 12 + 1:02}"
