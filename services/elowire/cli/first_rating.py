"""How a first rating comes about, step by step, in sentences an arbiter can check with a pencil."""

from __future__ import annotations

from elowire.cli.ticker_client import FirstRating
from elowire.domain import Edition, hundredths, points_text

_DRAWS = 2
_HALF = 50
"""Hundredths by which rounding to whole points moves a rating at most."""


def first_rating_steps(first: FirstRating, edition: Edition | None) -> list[str]:
    """Return the steps from games to Ru. Source: B.02 8.2 (8.21 to 8.25 before 2022)."""
    games = _counted(first.games, "game")
    if first.ra is None or first.ru is None:
        return [
            f"{games} against rated opponents, {first.points} points: nothing counts for a first rating yet.",
            *_missing(first, edition),
        ]
    symbol = "Ra" if edition is None else edition.initial.average_symbol.capitalize()
    draws = None if edition is None else edition.initial.draws_against
    steps = [f"{games} against rated opponents count, with {first.points} points."]
    if draws is not None:
        points = points_text(hundredths(first.points) + _DRAWS * 50)
        steps.append(
            f"Two draws against opponents rated {draws} are added: {first.games + _DRAWS} games, "
            f"{points} points."
        )
    steps.append(f"The opponents' average {symbol} is {first.ra}.")
    steps += _score(first, edition)
    if edition is not None and edition.initial.maximum is not None and first.ru >= edition.initial.maximum:
        steps.append(f"A first rating is at most {edition.initial.maximum}.")
    steps.append(f"The first rating Ru is {first.ru}.")

    return [*steps, *_missing(first, edition)]


def _score(first: FirstRating, edition: Edition | None) -> list[str]:
    if first.dp is not None:
        score = f"The score p is {first.p}; in table 8.1.1 that is dp {first.dp:+d}"
        if _is_shared(first, edition):
            return [f"{score}, of which a round robin adds {first.games}/{first.games + 1} to the average."]
        return [f"{score}, added to the average."]
    half_point = None if edition is None else edition.initial.half_point
    if half_point is None:
        return [f"The score p is {first.p}."]
    halves = (hundredths(first.points) - first.games * 50) // 50
    above = f"The score p is {first.p}, above one half by {_counted(halves, 'half point')}"

    return [f"{above}: each adds {points_text(half_point)} to the average."]


def _is_shared(first: FirstRating, edition: Edition | None) -> bool:
    """Whether dp counts by n/(n+1), as below 50 % in round robins until 2021: the sum itself shows it."""
    method = None if edition is None else edition.round_robin
    if method is None or not method.below_half_factor or None in {first.ra, first.dp, first.ru}:
        return False
    apart = hundredths(first.ra or "0") + 100 * (first.dp or 0) - 100 * (first.ru or 0)

    return abs(apart) > _HALF


def _missing(first: FirstRating, edition: Edition | None) -> list[str]:
    said = []
    needed = None if edition is None else edition.initial.games
    if needed is not None and first.games < needed:
        said.append(f"{needed} games are needed for a list: {needed - first.games} more.")
    if first.provisional:
        said.append("Provisional: a tournament that counts for it is not finished.")
    elif first.publishable:
        said.append("The next list can print it.")
    if edition is not None:
        said.append(f"{edition.articles.initial}, edition {edition.id}.")
    return said


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
