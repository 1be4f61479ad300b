"""Ratings and points as they are typed on the command line; a wrong one is wrong usage."""

from __future__ import annotations

from fractions import Fraction

import typer

from elowire.domain import Hundredths, hundredths

HIGHEST_RATING = 4000
_HALF_POINT = 50
_WIN = 100


def ratings_of(text: str, flag: str) -> list[int]:
    """Read ratings with commas between them: `1851,2457`."""
    parts = [part.strip() for part in text.split(",")]
    wrong = next(
        (p for p in parts if not (p.isascii() and p.isdigit() and 0 < int(p) <= HIGHEST_RATING)), None
    )
    if wrong is not None:
        raise typer.BadParameter(
            f"{wrong!r} is no rating; give ratings from 1 to {HIGHEST_RATING} with commas", param_hint=flag
        )
    return [int(part) for part in parts]


def points_of(text: str, games: int) -> Hundredths:
    """Read whole and half points out of a number of games: `2.5`, `2½`."""
    try:
        points = hundredths(text.strip().replace("½", ".5"))
    except ValueError:
        points = -1
    if not 0 <= points <= games * _WIN or points % _HALF_POINT:
        raise typer.BadParameter(
            f"{text!r} cannot be scored in {games} games; give whole or half points from 0 to {games}",
            param_hint="--points",
        )
    return points


def average_of(text: str) -> Fraction:
    """Read an average rating with at most two places: `2184.17`."""
    try:
        average = hundredths(text.strip())
    except ValueError:
        average = 0
    if not 0 < average <= HIGHEST_RATING * 100:
        raise typer.BadParameter(
            f"{text!r} is no average rating; give one such as 2184.17", param_hint="--average"
        )
    return Fraction(average, 100)
