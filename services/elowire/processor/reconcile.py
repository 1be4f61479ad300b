"""When a list arrives: whether the prediction was right, and which known cause explains a difference."""

from __future__ import annotations

from typing import Any

from elowire.domain import edition_by_id, live_figures, round_change
from elowire.processor.entries import Account, Reported, Side
from elowire.processor.figures import Figures, periods_of, rows_of

BASE_CORRECTION = "base-correction"


def reconciliation_of(
    account: Account, rating_list: str, printed: dict[str, tuple[int, int | None, int | None]]
) -> dict[str, Any]:
    """Compare each time control's prediction with a new list, before the list becomes the base.

    Returns {time control: {published, predicted, difference, verdict, sides}}, empty where nothing of the
    period is known here. A list further ahead than the next one is compared with all periods up to it.
    """
    verdicts = {}
    for time_control, line in account["F"].items():
        figures = Figures(*line)
        rating, _, games_printed = printed.get(time_control, (0, None, None))
        if not rating or figures.rating is None or (figures.rating_list or "") >= rating_list:
            continue
        rows = rows_of(account, time_control)
        base = figures.rating_list or ""
        periods, edition, games = periods_of(account, rows, time_control, base, rating_list)
        if not periods or edition is None:
            continue
        k = figures.listed_k or figures.k_used or 0
        predicted = live_figures(figures.rating, k, periods, edition_by_id(edition)).predicted
        reported = sum(
            r.games or 0
            for entry in account["R"].values()
            if (r := Reported(*entry)).time_control == time_control and base < r.period <= rating_list
        )
        difference = rating - predicted
        verdicts[time_control] = {
            "published": rating,
            "predicted": predicted,
            "difference": difference,
            "verdict": _verdict(
                account,
                [Side(*row) for row in rows],
                time_control,
                base,
                rating_list,
                rating - figures.rating,
                k,
                difference,
                unknown=games_printed is not None and games_printed != games + reported,
            ),
            "sides": games,
        }

    return verdicts


def _verdict(  # noqa: PLR0913  # each argument is one of the facts a verdict rests on
    account: Account,
    sides: list[Side],
    time_control: str,
    base: str,
    rating_list: str,
    published_change: int,
    k: int,
    difference: int,
    *,
    unknown: bool,
) -> str:
    """Name the known cause of a difference (fact sheet, section 9: exceptions seen on FIDE's lists)."""
    if difference == 0:
        return "equal"
    by_event: dict[str, int] = {}
    edition = ""
    for side in sides:
        if side.rated and base < (side.period or "") <= rating_list:
            by_event[side.tournament_id] = by_event.get(side.tournament_id, 0) + side.delta
            edition = max(edition, side.edition or "")
    for name, entry in account["R"].items():
        reported = Reported(*entry)
        if reported.time_control == time_control and base < reported.period <= rating_list:
            by_event[name] = by_event.get(name, 0) + reported.sum_change
            edition = max(edition, reported.edition)
    if (
        sum(round_change(k * total, edition_by_id(edition)) for total in by_event.values())
        == published_change
    ):
        return "per-event-rounding"
    if unknown:
        return "unknown-games"
    corrected = account["L"].get(base)
    if corrected is not None and corrected[2] == "correction":
        return BASE_CORRECTION

    return "unexplained"
