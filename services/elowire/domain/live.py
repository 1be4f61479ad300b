"""Periods and live ratings: exact hundredths until the one rounding of a rating period."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from elowire.domain.coefficient import cut_k
from elowire.domain.time_controls import TimeControl

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from elowire.domain.numbers import Hundredths
    from elowire.domain.rules import Edition


class PeriodChange(NamedTuple):
    """A rating period's change: exact, in hundredths, and rounded once, in whole points."""

    exact: Hundredths
    rounded: int


class LiveFigures(NamedTuple):
    """A rated player between two lists; `change` and `live` in hundredths, `predicted` in whole points."""

    k_used: int
    cut: bool
    change: Hundredths
    live: Hundredths
    predicted: int


def round_change(change: Hundredths, edition: Edition) -> int:
    """Round a period's change to whole points; B.02 8.57 (8.3.4 from 2022) says where a half goes."""
    return edition.round_change(change)


def period_change(parts: Iterable[Hundredths], edition: Edition) -> PeriodChange:
    """Add the changes K·ΣΔR of a period's events, in hundredths, and round the sum once."""
    exact = sum(parts)

    return PeriodChange(exact, edition.round_change(exact))


def live_figures(
    published: int,
    k: int,
    periods: Sequence[tuple[int, Hundredths]],
    edition: Edition,
    time_control: TimeControl = TimeControl.STANDARD,
) -> LiveFigures:
    """Compute the live rating over the pending periods, earliest first, each as (number of games, ΣΔR).

    Every period has its own cut of K and its own rounding. `k_used` is the K of the earliest pending period
    and `cut` says whether that is less than `k`.
    """
    k_used = k
    change = 0
    predicted = published
    for place, (games, sum_delta) in enumerate(periods):
        period_k = cut_k(k, games, edition, time_control)
        if place == 0:
            k_used = period_k
        part = period_k * sum_delta
        change += part
        predicted += edition.round_change(part)

    return LiveFigures(k_used, k_used < k, change, published * 100 + change, predicted)
