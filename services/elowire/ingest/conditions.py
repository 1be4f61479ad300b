"""What decides how an event is rated: edition, time control, start, list and period."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from elowire.domain import (
    Edition,
    GameChange,
    Hundredths,
    KFactor,
    OutsideEditions,
    TimeControl,
    difference_cap,
    edition_by_id,
    edition_on,
    has_one_upgrade,
    is_rated_on,
    k_factor,
    list_in_force,
    rate_game,
    rating_period,
    upgraded,
)
from elowire.ingest.readers.report import LIST, EntrantFacts, TournamentFacts


class NotRatable(ValueError):  # noqa: N818 - named after the fact
    """A fact that decides the regulations is missing or impossible; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of one event. `starts_on` is None only when the edition was named."""

    edition: Edition
    time_control: TimeControl
    starts_on: date | None
    rating_list: str | None
    rating_period: str | None


def conditions_of(tournament: TournamentFacts) -> tuple[Conditions, list[str]]:
    """Find the conditions and say what was assumed; raises `NotRatable` when that is impossible."""
    warnings = []
    time_control = tournament.time_control
    if time_control is None:
        time_control = TimeControl.STANDARD
        warnings.append(
            "the file does not say the time control; standard is assumed, --time-control states it"
        )
    elif tournament.time_control_assumed:
        warnings.append(f"the time control {time_control} is taken from the name; --time-control states it")
    starts_on, ends_on = tournament.starts_on, tournament.ends_on
    if starts_on is not None and ends_on is not None and ends_on < starts_on:
        raise NotRatable(
            f"the event ends on {ends_on} but starts on {starts_on}; state the day with --starts-on"
        )
    edition = _edition(tournament.edition, starts_on)
    if starts_on is not None and not is_rated_on(time_control, starts_on):
        raise NotRatable(
            f"{time_control} was not rated on {starts_on}; correct --time-control or --starts-on"
        )
    conditions = Conditions(
        edition=edition,
        time_control=time_control,
        starts_on=starts_on,
        rating_list=tournament.rating_list or (list_in_force(starts_on) if starts_on else None),
        rating_period=tournament.rated_in or (rating_period(ends_on) if ends_on else None),
    )
    return conditions, warnings


def _edition(stated: str | None, starts_on: date | None) -> Edition:
    try:
        if stated is not None:
            return edition_by_id(stated)
        if starts_on is not None:
            return edition_on(starts_on)
    except OutsideEditions as problem:
        raise NotRatable(f"{problem}; give --edition") from None
    except ValueError as problem:
        raise NotRatable(str(problem)) from None
    raise NotRatable("the file has no date to find the edition by; give --starts-on or --edition")


def k_of(entrant: EntrantFacts, conditions: Conditions) -> KFactor:
    """Give K and its reason: as the file states it, else derived from what the file says of the player."""
    start = conditions.starts_on or conditions.edition.effective
    return k_factor(
        edition=conditions.edition,
        rating=entrant.rating or 0,
        list_year=int(conditions.rating_list[:4]) if conditions.rating_list else start.year,
        time_control=conditions.time_control,
        games=entrant.games_played,
        birth_year=entrant.birth_year,
        printed=entrant.k if entrant.source == LIST else None,
        entrant=entrant.k,
        starts_on=conditions.starts_on,
    )


def changes_of(
    own: int,
    games: list[tuple[int, Hundredths]],
    edition: Edition,
    time_control: TimeControl,
    starts_on: date | None = None,
) -> list[GameChange]:
    """Rate a player's games (opponent's rating, points) of one tournament; in 2022 they share one upgrade."""
    chosen: int | None = None
    one_upgrade = has_one_upgrade(edition, time_control, starts_on)
    if one_upgrade:
        limit = difference_cap(edition, time_control, starts_on).limit
        chosen = upgraded([own - opponent for opponent, _ in games], limit)
    return [
        rate_game(
            own=own,
            opponent=opponent,
            points=points,
            edition=edition,
            time_control=time_control,
            capped=number == chosen if one_upgrade else None,
            starts_on=starts_on,
        )
        for number, (opponent, points) in enumerate(games)
    ]
