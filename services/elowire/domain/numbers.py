"""Exact numbers of the regulations: integers in units of one hundredth, and rounding by name."""

from __future__ import annotations

import re
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import TypeAlias

Hundredths: TypeAlias = int
"""A quantity in units of 0.01: points, score probabilities, changes and live ratings are all kept so."""

_HALF = Fraction(1, 2)
_DECIMAL = re.compile(r"[+-]?[0-9]{1,9}(?:\.[0-9]{1,2})?")


class Halves(StrEnum):
    """Where exactly one half goes when a figure becomes a whole number."""

    UP = "up"
    AWAY_FROM_ZERO = "away from zero"


def hundredths(text: str) -> Hundredths:
    """Read a decimal with at most two places exactly: "0.5" is 50, "-2.60" is -260, "8" is 800.

    Raises ValueError, which says what was expected, for anything else.
    """
    if _DECIMAL.fullmatch(text) is None:
        raise ValueError(
            f"{text!r} is not a decimal: expected digits with at most two places, such as 0.5, -2.60 or 8"
        )
    whole, _, places = text.partition(".")
    size = abs(int(whole)) * 100 + int(places.ljust(2, "0"))

    return -size if whole.startswith("-") else size


@lru_cache(maxsize=1 << 16)
def decimal_text(value: Hundredths) -> str:
    """Write hundredths with two places: 830 is "8.30"."""
    sign = "-" if value < 0 else ""
    whole, places = divmod(abs(value), 100)

    return f"{sign}{whole}.{places:02}"


@lru_cache(maxsize=1 << 16)
def tenths_text(value: Hundredths) -> str:
    """Write hundredths with one place, half away from zero, as live ratings are shown: 279735 is "2797.4"."""
    whole, place = divmod((abs(value) + 5) // 10, 10)
    sign = "-" if value < 0 and (whole or place) else ""

    return f"{sign}{whole}.{place}"


@lru_cache(maxsize=1 << 16)
def points_text(points: Hundredths) -> str:
    """Write points as players do, without idle zeros: 100 is "1", 50 is "0.5", 150 is "1.5"."""
    return decimal_text(points).rstrip("0").rstrip(".")


def round_hundredths(value: Hundredths, halves: Halves) -> int:
    """Round hundredths to the nearest whole number, a half as `halves` says."""
    if halves is Halves.UP or value >= 0:
        return (value + 50) // 100

    return -((50 - value) // 100)


def nearest(value: Fraction) -> int:
    """Round to the nearest whole number, half up, as Ru and the averages are rounded."""
    return floor(value + _HALF)


def nearest_ratio(numerator: int, denominator: int) -> int:
    """Round a ratio to the nearest whole number, half up; the denominator must be positive."""
    return (2 * numerator + denominator) // (2 * denominator)


def nearest_hundredth(value: Fraction) -> Hundredths:
    """Express a fraction in hundredths, half up, as p is rounded for table 8.1.1."""
    return nearest(value * 100)
