"""When a list arrives: whether the prediction was right, and which known cause explains a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.domain import TimeControl, edition_by_id, live_figures, round_change
from elowire.processor.entries import AT_EDITION, AT_OWN, AT_PERIOD, AT_TOURNAMENT, Account, Reported, Stored
from elowire.processor.figures import base_of, entries_of, periods_of

if TYPE_CHECKING:
    from collections.abc import Iterator

BASE_CORRECTION = "base-correction"


def reconciliation_of(
    account: Account, rating_list: str, printed: dict[str, tuple[int, int | None, int | None]]
) -> dict[str, Any]:
    """Compare each time control's prediction with a new list, before the list becomes the base.

    Returns {time control: {published, predicted, difference, verdict, sides}}, empty where nothing of the
    period is known here. A list further ahead than the next one is compared with all periods up to it.
    """
    verdicts = {}
    for time_control in account["F"]:
        rating, _, games_printed = printed.get(time_control, (0, None, None))
        entries = entries_of(account, time_control)
        base = base_of(account, time_control, entries)
        if not rating or base is None or base.rating_list >= rating_list:
            continue
        after = base.rating_list
        periods, edition, games = periods_of(account, entries, time_control, after, rating_list)
        if not periods or edition is None:
            continue
        expected = live_figures(
            base.rating, base.k, periods, edition_by_id(edition), TimeControl(time_control)
        )
        predicted = expected.predicted
        reported = sum(r.games or 0 for _, r in _reported(account, time_control, after, rating_list))
        difference = rating - predicted
        verdicts[time_control] = {
            "published": rating,
            "predicted": predicted,
            "difference": difference,
            "verdict": _verdict(
                account,
                entries,
                time_control,
                after,
                rating_list,
                rating - base.rating,
                expected.k_used,
                difference,
                unknown=games_printed is not None and games_printed != games + reported,
            ),
            "sides": games,
        }

    return verdicts


def _reported(account: Account, time_control: str, after: str, until: str) -> Iterator[tuple[str, Reported]]:
    """Yield (name, reported change) of those that stand and belong to the lists after one up to another."""
    for name, entry in account["R"].items():
        line = Reported(*entry)
        if line.status == "reported" and line.time_control == time_control and after < line.period <= until:
            yield name, line


def _verdict(  # noqa: PLR0913  # each argument is one of the facts a verdict rests on
    account: Account,
    entries: list[Stored],
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
    for facts, games, total, _ in entries:
        if games and facts[AT_OWN] and base < (facts[AT_PERIOD] or "") <= rating_list:
            by_event[facts[AT_TOURNAMENT]] = by_event.get(facts[AT_TOURNAMENT], 0) + total
            edition = max(edition, facts[AT_EDITION] or "")
    for name, reported in _reported(account, time_control, base, rating_list):
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
