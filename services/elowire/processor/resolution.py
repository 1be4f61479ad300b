"""The resolution of a tournament's unrated players, where an edition lets the rated opponents depend on it.

Until 2021 a round robin resolves as a whole: Ra from the rated players, Ru of the unrated, one correction,
and the rated players' games against them count with the corrected Ru (B.02 8.25, 8.52).
"""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from elowire.domain import (
    FirstEvent,
    RoundRobinGame,
    RoundRobinLine,
    RoundRobinPlayer,
    System,
    counts_unrated_opponents,
    crosstable_of_games,
    disregarded,
    edition_by_id,
    initial_rating,
    resolve_round_robin,
    system_as_rated,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from elowire.domain import Edition, Refusal
    from elowire.processor.behind import Behind

State = dict[str, Any]

NOTHING = FirstEvent(0, 0, Fraction(0), 0)


class Met(NamedTuple):
    """One game between two entrants, as far as the resolution asks; points in hundredths."""

    white: bytes
    black: bytes
    white_points: int
    black_points: int


class Resolved(NamedTuple):
    """An unrated entrant's outcome: `ru` is what opponents met, None where the result is disregarded."""

    first: FirstEvent
    ru: int | None
    line: RoundRobinLine | None


class Resolution(NamedTuple):
    """All unrated entrants of a tournament; `behind` grows with everything that can change the outcome."""

    behind: Behind
    final: bool
    system: System
    counts: bool
    """Whether rated players' games against the unrated count; not when an unplayed game made it a Swiss."""
    outcomes: Mapping[bytes, Resolved]
    refused: Mapping[bytes, Refusal] = MappingProxyType({})
    """Games that a match does not count, by key."""


def depends_on_unrated(tournament: State | None) -> bool:
    """Whether rated players' changes can depend on the unrated in this tournament."""
    if tournament is None:
        return False
    t = tournament["d"]

    return counts_unrated_opponents(edition_by_id(t["e"]), System(t["sy"]))


def of_matches(unrated: Sequence[bytes], refused: Mapping[bytes, Refusal], behind: Behind) -> Resolution:
    """Return what matches come to: no game of an unrated player counts, nor one after a decision."""
    nothing = Resolved(NOTHING, None, None)

    return Resolution(
        behind,
        final=True,
        system=System.MATCH,
        counts=False,
        outcomes=dict.fromkeys(unrated, nothing),
        refused=refused,
    )


def resolve(
    tournament: State,
    ratings: Mapping[bytes, int | None],
    games: Sequence[Met],
    *,
    complete: bool,
    behind: Behind,
) -> Resolution:
    """Resolve a tournament as it stands.

    `ratings` has every entrant's rating, 0 for the unrated, None while unknown; `games` those that are rated
    as played, against unrated opponents too.
    """
    t = tournament["d"]
    edition = edition_by_id(t["e"])
    system = system_as_rated(System(t["sy"]), complete=complete)
    known = [
        game for game in games if ratings.get(game.white) is not None and ratings.get(game.black) is not None
    ]
    outcomes = None
    if system is System.ROUND_ROBIN and edition.round_robin is not None:
        outcomes = _round_robin(edition, ratings, known)
    if outcomes is None:
        outcomes = _one_by_one(edition, system, ratings, known)

    counts = counts_unrated_opponents(edition, system)

    return Resolution(behind, t["st"] == "finished", system, counts, outcomes)


def _round_robin(
    edition: Edition, ratings: Mapping[bytes, int | None], games: Sequence[Met]
) -> dict[bytes, Resolved] | None:
    names = {key.hex(): key for key in ratings}
    players = [
        RoundRobinPlayer(name, ratings[key] or None, 0)
        for name, key in sorted(names.items())
        if ratings[key] is not None
    ]
    played = [RoundRobinGame(g.white.hex(), g.black.hex(), g.white_points, g.black_points) for g in games]
    table = crosstable_of_games(players, played, edition)
    # Without games of the disregarded nobody rated may be left to take an average from.
    if not any(player.rating and table.met[player.player] for player in table.players):
        return None
    report = resolve_round_robin(table, edition)

    return {
        names[line.player]: Resolved(line.first_event() or NOTHING, line.ru_new, line)
        for line in report.lines
        if line.rating is None
    }


def _one_by_one(
    edition: Edition, system: System, ratings: Mapping[bytes, int | None], games: Sequence[Met]
) -> dict[bytes, Resolved]:
    outcomes = {}
    for key, rating in ratings.items():
        if rating != 0:
            continue
        met = [(ratings[g.black], g.white_points) for g in games if g.white == key]
        met += [(ratings[g.white], g.black_points) for g in games if g.black == key]
        event = FirstEvent.of_games([(r, points) for r, points in met if r], system=system)
        dropped = disregarded(event, edition) is not None
        outcomes[key] = Resolved(event, None if dropped else initial_rating([event], edition).ru, None)

    return outcomes
