"""Figures of a measurement: several runs of one thing, their median and their spread."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Row(NamedTuple):
    """One figure: the median of `runs`, or a note why there is none.

    `ratio` is how many times ours, of a peer; `target` is what the figure should be, as people write it.
    """

    what: str
    figure: float | None
    unit: str
    low: float | None = None
    high: float | None = None
    runs: int = 1
    ratio: float | None = None
    target: str = ""
    note: str = ""

    def line(self) -> str:
        """Return the row as one line of a table."""
        if self.figure is None:
            return f"{self.what:<58} {'-':>12} {self.note}"
        spread = f"({_short(self.low)} to {_short(self.high)}, {self.runs} runs)" if self.runs > 1 else ""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f} of ours"
        rest = [text for text in (spread, ratio, self.target and f"target {self.target}", self.note) if text]

        return f"{self.what:<58} {_short(self.figure):>12} {self.unit:<9} {'; '.join(rest)}".rstrip()


def row(what: str, runs: Sequence[float], unit: str, *, target: str = "", note: str = "") -> Row:
    """Return the median of several runs with its spread."""
    return Row(what, statistics.median(runs), unit, min(runs), max(runs), len(runs), target=target, note=note)


def rows_of(runs: Iterable[Mapping[str, tuple[float, str]]], targets: Mapping[str, str]) -> list[Row]:
    """Return a row for each name that the runs give a figure and a unit for."""
    gathered: dict[str, list[float]] = {}
    units: dict[str, str] = {}
    for run in runs:
        for what, (figure, unit) in run.items():
            gathered.setdefault(what, []).append(figure)
            units[what] = unit

    return [
        row(what, figures, units[what], target=targets.get(what, "")) for what, figures in gathered.items()
    ]


def _short(figure: float | None) -> str:
    """Three figures are more than a shared machine can promise."""
    if figure is None:
        return "-"
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.3g}"
