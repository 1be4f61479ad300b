"""Live figures as a pure function of an account.

live = published rating of the current list + sum of K·(S - PD) over sides whose period is in no list yet
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from elowire.domain import edition_by_id, live_figures
from elowire.processor.entries import (
    AT_EDITION,
    AT_OWN,
    AT_PERIOD,
    AT_RATING_LIST,
    AT_TIME_CONTROL,
    AT_TOURNAMENT,
    FACTS,
    GAMES,
    ROWS,
    Account,
    Entry,
    Reported,
    Stored,
    drop,
    keep,
    side_in,
)
from elowire.processor.facts import TIME_CONTROLS
from elowire.processor.first import First, initial_of
from elowire.processor.k_of import derived_k
from elowire.processor.rated import changes_of, one_upgrade

if TYPE_CHECKING:
    from collections.abc import Sequence


class PublishedBase(NamedTuple):
    """The published rating that the live rating stands on."""

    rating_list: str
    rating: int
    k: int
    k_reason: str
    listed_k: int | None
    games: int | None


class Figures(NamedTuple):
    """What is published of one time control; ratings and changes in hundredths, `predicted` in points."""

    rating_list: str | None
    rating: int | None
    listed_k: int | None
    games: int | None
    live: int | None
    change: int
    predicted: int | None
    k_used: int | None
    k_reason: str | None
    pending_games: int
    initial: dict[str, Any] | None
    previous_live: int | None
    previous_predicted: int | None


PREVIOUS: Final = Figures._fields.index("previous_live")
"""Where the figures before the last change begin."""


def cap_once(account: Account, entry: Entry) -> list[str]:
    """Choose the one capped game of a tournament again (8.3.1 of 2022); returns the games it changed.

    A later game with a greater difference takes the cap away from an earlier one.
    """
    tournament_id, time_control, edition, _, starts_on = entry[:5]
    if edition is None or time_control is None or starts_on is None:
        return []
    if not one_upgrade(edition, time_control, starts_on):
        return []
    group = [
        (game_id, stored, side)
        for stored in account["E"]
        if stored[FACTS][AT_TOURNAMENT] == tournament_id and stored[FACTS][AT_EDITION] == edition
        for game_id in stored[ROWS]
        if (side := side_in(stored, game_id)).rated
    ]
    group.sort(key=lambda found: found[0])
    games = [(side.entry.own or 0, side.opponent or 0, side.points or 0) for _, _, side in group]
    changes = changes_of(games, edition, time_control, starts_on)
    moved = []
    for (game_id, stored, side), change in zip(group, changes, strict=True):
        if side.counted != change.counted_difference:
            drop(account, stored, game_id)
            keep(account, game_id, side._replace(delta=change.delta, counted=change.counted_difference))
            moved.append(game_id)

    return moved


def listed_until(account: Account, entry: Entry) -> str:
    """Return the list up to which periods are settled for such an entry ('' if none is known).

    A newcomer's games stay in the pool until a list prints a rating.
    """
    return max(account["L"], default="") if entry.own else printed_until(account, entry.time_control)


def printed_until(account: Account, time_control: str | None) -> str:
    """Return the newest list that prints a rating for a time control ('' if none is known)."""
    lists = account["L"]
    if not lists:
        return ""

    return max((name for name, entry in lists.items() if entry[3].get(time_control, (0,))[0]), default="")


def entries_of(account: Account, time_control: str) -> list[Stored]:
    """Return the entries of one time control as they are stored: unpacking them would cost more."""
    return [stored for stored in account["E"] if stored[FACTS][AT_TIME_CONTROL] == time_control]


def base_of(account: Account, time_control: str, entries: Sequence[Stored]) -> PublishedBase | None:
    """Return the rating to stand on: the newest list that prints one, else the entrant's own facts."""
    listed = printed_until(account, time_control)
    facts = _newest_facts(entries)
    if listed and (facts is None or listed >= (facts[AT_RATING_LIST] or "")):
        newest = None if facts is None else Entry(*facts)
        rating, k, games = account["L"][listed][3][time_control]
        if k is not None:
            return PublishedBase(listed, rating, k, "list", k, games)
        if newest is not None and newest.k is not None:
            return PublishedBase(listed, rating, newest.k, "entrant", None, games)
        year, edition = account["L"][listed][4], newest.edition if newest else None
        k, reason = derived_k(rating, year, games, edition, time_control, listed)
        return PublishedBase(listed, rating, k, reason, None, games)
    if facts is None:
        return None

    _, _, edition, _, _, own, own_k, rating_list, source, birth_year, games_played = facts
    rating_list = rating_list or ""
    if own_k is not None:
        reason = "list" if source == "list" else "entrant"
        return PublishedBase(rating_list, own, own_k, reason, own_k, games_played)
    k, reason = derived_k(own, birth_year, games_played, edition, time_control, rating_list)

    return PublishedBase(rating_list, own, k, reason, None, games_played)


def _newest_facts(entries: Sequence[Stored]) -> list[Any] | None:
    """Return the entry whose own rating is of the newest list; of several the greatest, in any order."""
    if len(entries) == 1:  # most players play one tournament at a time
        facts: list[Any] = entries[0][FACTS]
        return facts if facts[AT_OWN] else None

    return max((stored[FACTS] for stored in entries if stored[FACTS][AT_OWN]), key=_recency, default=None)


def _recency(facts: list[Any]) -> tuple[Any, ...]:
    _, _, edition, _, _, own, k, rating_list, source, birth_year, games_played = facts

    return (
        rating_list or "",
        own or 0,
        k or 0,
        source == "list",
        birth_year or 0,
        games_played or 0,
        edition or "",
    )


def periods_of(
    account: Account, entries: Sequence[Stored], time_control: str, after: str, until: str = "9999-99"
) -> tuple[list[tuple[int, int]], str | None, int]:
    """Sum what belongs to the lists after one and up to another.

    Returns ([(games, sum of ΔR in hundredths)] by period, edition of the newest, number of games here).
    """
    if len(entries) == 1 and not account["R"]:
        # Most players play one tournament at a time.
        facts, games, total, _ = entries[0]
        if games and facts[AT_OWN] and after < (facts[AT_PERIOD] or "") <= until:
            return [(games, total)], facts[AT_EDITION], games
        return [], None, 0

    sums: dict[str, list[int]] = {}
    newest: tuple[str, str] = ("", "")
    count = 0
    for facts, games, total, _ in entries:
        period = facts[AT_PERIOD] or ""
        if games and facts[AT_OWN] and after < period <= until:
            entry = sums.setdefault(period, [0, 0])
            entry[0] += games
            entry[1] += total
            count += games
            newest = max(newest, (period, facts[AT_EDITION]))
    for line in account["R"].values():
        reported = Reported(*line)
        if (
            reported.status == "reported"
            and reported.time_control == time_control
            and after < reported.period <= until
        ):
            entry = sums.setdefault(reported.period, [0, 0])
            entry[0] += reported.games or 0
            entry[1] += reported.sum_change
            newest = max(newest, (reported.period, reported.edition))

    return [(n, total) for _, (n, total) in sorted(sums.items())], newest[1] or None, count


def figures_of(account: Account, time_control: str) -> Figures | None:
    """Return the figures of one time control, or None when nothing is known of it."""
    entries = entries_of(account, time_control)
    base = base_of(account, time_control, entries)
    before = account["F"].get(time_control)
    previous_live, previous_predicted = (before[4], before[6]) if before else (None, None)
    if base is None:
        pool = [
            first for entry in account["P"].values() if (first := First(*entry)).time_control == time_control
        ]
        initial = initial_of(pool)
        unrated = [stored for stored in entries if stored[FACTS][AT_OWN] == 0]
        if initial is None and not unrated:
            return None
        pending = sum(stored[GAMES] for stored in unrated)
        return Figures(
            None,
            None,
            None,
            None,
            None,
            0,
            None,
            None,
            None,
            pending,
            initial,
            previous_live,
            previous_predicted,
        )

    periods, edition, games = periods_of(account, entries, time_control, base.rating_list)
    if not periods:
        return Figures(
            base.rating_list,
            base.rating,
            base.listed_k,
            base.games,
            base.rating * 100,
            0,
            base.rating,
            base.k,
            base.k_reason,
            0,
            None,
            previous_live,
            previous_predicted,
        )
    live = live_figures(
        base.rating, base.k, periods, edition_by_id(edition or ""), TIME_CONTROLS[time_control]
    )

    rating_list, rating, _, k_reason, listed_k, games_before = base

    # What a NamedTuple is made by is a Python function; every game comes by here.
    return tuple.__new__(
        Figures,
        (
            rating_list,
            rating,
            listed_k,
            games_before,
            live.live,
            live.change,
            live.predicted,
            live.k_used,
            "cut-700" if live.cut else k_reason,
            games,
            None,
            previous_live,
            previous_predicted,
        ),
    )
