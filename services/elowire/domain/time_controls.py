"""The three time controls, each with a rating of its own, and the tournament systems."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Final

_RAPID_BEGINS: Final = date(2012, 1, 1)
_NEW_LIMITS: Final = date(2022, 10, 1)
_STANDARD_FROM: Final = 60


class TimeControl(StrEnum):
    """Which of a player's three ratings a game counts for."""

    STANDARD = "standard"
    RAPID = "rapid"
    BLITZ = "blitz"


class System(StrEnum):
    """How a tournament is paired, as far as the regulations tell systems apart."""

    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"
    TEAM = "team"
    MATCH = "match"


def time_control_of(*, minutes: int, increment: int, day: date) -> TimeControl | None:
    """Name the time control of a game with `minutes` on the clock and `increment` seconds a move.

    The regulations count 60 moves, so that a second of increment is worth a minute. None is a game too fast
    to be rated, or one that had no rating at all before 2012. The limits of 10 and 3 minutes are seen at
    second hand for October 2022 to February 2024.
    Source: B.02 RB 1 (2012: rapid from 15, blitz from 5 minutes; later: rapid above 10, blitz above 3).
    """
    total = minutes + increment
    if total >= _STANDARD_FROM:
        return TimeControl.STANDARD
    if day < _RAPID_BEGINS:
        return None
    rapid_from, blitz_from = (15, 5) if day < _NEW_LIMITS else (11, 4)
    if total >= rapid_from:
        return TimeControl.RAPID
    if total >= blitz_from:
        return TimeControl.BLITZ

    return None
