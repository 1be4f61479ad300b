"""Unrated players of one finished event: their first ratings, and what their opponents get from them.

Until 2021 a round robin resolves as a whole, and rated players' games against the unrated count with the
corrected Ru (B.02 8.25, 8.52); in all other events each unrated player stands alone (B.02 8.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from elowire.domain import (
    Edition,
    FirstEvent,
    Hundredths,
    InitialRating,
    RoundRobinGame,
    RoundRobinLine,
    RoundRobinPlayer,
    System,
    counts_unrated_opponents,
    crosstable_of_games,
    disregarded,
    initial_rating,
    resolve_round_robin,
    system_as_rated,
)

_NOTHING = FirstEvent(0, 0, Fraction(0), 0)


class Met(NamedTuple):
    """One game that is rated as played, against unrated opponents too; points in hundredths."""

    white: str
    black: str
    white_points: Hundredths
    black_points: Hundredths


class Newcomer(NamedTuple):
    """An unrated player's outcome. `ru` is what opponents have met, None where the result is disregarded."""

    initial: InitialRating
    ru: int | None


@dataclass(frozen=True, slots=True)
class Newcomers:
    """All unrated players of an event; `strengthen` says whether games against them count for the rated."""

    outcomes: Mapping[str, Newcomer]
    strengthen: bool
    averages: Mapping[str, RoundRobinLine]
    """Rated players' lines where the edition takes We from the average of the opponents (2003)."""


def resolve_newcomers(
    ratings: Mapping[str, int | None],
    games: Sequence[Met],
    *,
    edition: Edition,
    system: System,
    complete: bool,
    ends_on: date | None,
    list_day: date | None,
) -> Newcomers:
    """Resolve the unrated (`ratings` None) of an event whose players all are in `ratings`.

    `complete` says that no game of the event was left unplayed, without which a round robin is rated as a
    Swiss; `list_day` decides on the floor.
    """
    as_rated = system_as_rated(system, complete=complete)
    lines: Mapping[str, RoundRobinLine] = {}
    if as_rated is System.ROUND_ROBIN and edition.round_robin is not None:
        lines = _round_robin(ratings, games, edition)
    outcomes = {}
    for name, rating in ratings.items():
        if rating is not None:
            continue
        first = _first_event(name, ratings, games, as_rated, lines.get(name))._replace(ends_on=ends_on)
        initial = initial_rating([first], edition, day=list_day)
        outcomes[name] = Newcomer(initial, _met_strength(first, initial, edition, lines.get(name)))
    method = edition.round_robin
    averages = {
        name: line
        for name, line in lines.items()
        if method is not None and method.average_expectancy and line.delta is not None
    }
    return Newcomers(outcomes, counts_unrated_opponents(edition, as_rated), averages)


def _round_robin(
    ratings: Mapping[str, int | None], games: Sequence[Met], edition: Edition
) -> Mapping[str, RoundRobinLine]:
    players = [RoundRobinPlayer(name, rating, 0) for name, rating in ratings.items()]
    table = crosstable_of_games(players, [RoundRobinGame(*game) for game in games], edition)
    # Without the games of the disregarded nobody rated may be left to take an average from.
    if not any(player.rating and table.met[player.player] for player in table.players):
        return {}
    return {line.player: line for line in resolve_round_robin(table, edition).lines}


def _first_event(
    name: str,
    ratings: Mapping[str, int | None],
    games: Sequence[Met],
    system: System,
    line: RoundRobinLine | None,
) -> FirstEvent:
    if line is not None:
        return line.first_event() or _NOTHING
    met = [(ratings[game.black], game.white_points) for game in games if game.white == name]
    met += [(ratings[game.white], game.black_points) for game in games if game.black == name]
    return FirstEvent.of_games([(rating, points) for rating, points in met if rating], system=system)


def _met_strength(
    first: FirstEvent, initial: InitialRating, edition: Edition, line: RoundRobinLine | None
) -> int | None:
    if line is not None:
        return line.ru_new
    return None if disregarded(first, edition) is not None else initial.ru
