"""The development coefficient of a player: as given, or derived and marked so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elowire.domain import EDITIONS, TimeControl, edition_by_id, edition_on, k_factor
from elowire.processor.facts import day_of

if TYPE_CHECKING:
    from elowire.processor.facts import Facts


def k_of(facts: Facts, edition_id: str, time_control: str, starts_on: str) -> tuple[int, str]:
    """Return (K, reason): `list` or `entrant` where a source gave it, else derived from what is known."""
    if facts.k is not None:
        return facts.k, "list" if facts.source == "list" else "entrant"

    return derived_k(
        facts.rating or 0, facts.birth_year, facts.games_played, edition_id, time_control, starts_on
    )


def derived_k(  # each is one fact that the article asks for
    rating: int,
    birth_year: int | None,
    games_played: int | None,
    edition_id: str | None,
    time_control: str,
    starts_on: str,
) -> tuple[int, str]:
    """Return (K, reason) from rating, birth year and number of games; `starts_on` is a day or a list."""
    day = day_of(f"{starts_on}-01" if len(starts_on) == len("2025-10") else starts_on)
    k, reason = k_factor(
        # A list may be older than the editions that are known here; then the first of them is the nearest.
        edition=edition_on(max(day, EDITIONS[0].effective))
        if edition_id is None
        else edition_by_id(edition_id),
        rating=rating,
        list_year=day.year,
        time_control=TimeControl(time_control),
        games=games_played,
        birth_year=birth_year,
        starts_on=day,
    )

    return k, reason.value
