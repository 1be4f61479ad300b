"""Whether a list can be what it is said to be, beside the one before it: doubts that a person decides on."""

from __future__ import annotations

from dataclasses import dataclass

from elowire.domain import TimeControl, month_number

ONE_OFF_LISTS = frozenset({"2022-10", "2024-03"})
"""Lists on which FIDE adjusted ratings without games (`domain/one_off.py`): most of them changed."""

TOP = 100
_LOST_PERCENT = 2
_CHANGED_PERCENT = 50
_MONTHS_COMPARED = 3
_TOP_MISSING = 10
_REFUSED_PERCENT = 1
_ENOUGH = 1000


@dataclass(frozen=True, slots=True)
class Comparison:
    """A list beside another one in the book; counts of players."""

    rating_list: str
    reference: str
    lines: int
    reference_lines: int
    rated: dict[TimeControl, tuple[int, int]]
    """Rated players of each time control that both cover: here, and in the reference."""
    in_both: int
    """Players that are rated in both."""
    changed: int
    """Those of them with another rating, K or number of games."""
    top: int
    """The best players of the reference that were looked for."""
    top_missing: int
    """Those of them without a rating here."""


def doubts_of(
    comparison: Comparison | None, *, lines: int, refused: int, rating_list: str, named: str | None
) -> list[str]:
    """Say what is suspicious about a list; empty when nothing is.

    `named` is the month that the file's name says; a list that differs from it may be the wrong month.
    """
    doubts = []
    if named is not None and named != rating_list:
        doubts.append(f"the file's name says {named}, not {rating_list}: perhaps the wrong month")
    if refused * 100 > (lines + refused) * _REFUSED_PERCENT:
        doubts.append(f"{refused} of {lines + refused} lines cannot be used")
    if comparison is None:
        return doubts
    doubts += _losses(comparison)
    doubts += _changes(comparison)
    if comparison.top_missing > _TOP_MISSING * comparison.top // 100:
        doubts.append(
            f"{comparison.top_missing} of the best {comparison.top} players of {comparison.reference} "
            "have no rating here"
        )
    return doubts


def _losses(comparison: Comparison) -> list[str]:
    counts = [("lines", comparison.lines, comparison.reference_lines)]
    counts += [(f"{tc.value} ratings", *pair) for tc, pair in comparison.rated.items()]
    return [
        f"{here} {what}, where {comparison.reference} has {there}: perhaps a part of the list"
        for what, here, there in counts
        if here * 100 < there * (100 - _LOST_PERCENT)
    ]


def _changes(comparison: Comparison) -> list[str]:
    if comparison.in_both < _ENOUGH:
        return []
    months = month_number(comparison.rating_list) - month_number(comparison.reference)
    if months and not comparison.changed:
        return [f"nothing differs from {comparison.reference}: perhaps that list again"]
    extraordinary = ONE_OFF_LISTS & {comparison.rating_list, comparison.reference}
    if (
        months <= _MONTHS_COMPARED
        and not extraordinary
        and comparison.changed * 100 > comparison.in_both * _CHANGED_PERCENT
    ):
        changed = f"{comparison.changed} of {comparison.in_both} rated players"
        return [f"{changed} differ from {comparison.reference}: perhaps another month or another list"]
    return []
