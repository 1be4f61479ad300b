"""What an offline report says aloud beside its figures: what is missing, doubtful or treated specially."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from elowire.contracts.vocabulary import GameStatus
from elowire.domain import (
    Completeness,
    System,
    completeness,
    is_late_report,
    is_rateable_round_robin,
    round_robin_games,
)
from elowire.ingest.conditions import Conditions
from elowire.ingest.matches import system_of
from elowire.ingest.readers.report import EntrantFacts, EventReport


class GameCount(NamedTuple):
    """Games with a result, and how many there must be: as stated, in a round robin else by its players."""

    games: int
    expected: int | None
    stated: bool

    @property
    def completeness(self) -> Completeness:
        """Whether they are all there."""
        return completeness(self.games, self.expected)


def game_count(report: EventReport) -> GameCount:
    """Count the pairings that have a result, forfeits and unplayed ones included, without byes."""
    facts = report.tournament
    games = sum(game.black is not None and game.status is not GameStatus.ONGOING for game in report.games)
    if facts.expected_games is not None:
        return GameCount(games, facts.expected_games, stated=True)
    if facts.system is System.ROUND_ROBIN:
        known = round_robin_games(players=len(report.entrants), games=games)
        return GameCount(games, known, stated=False)

    return GameCount(games, None, stated=False)


def notes_on(report: EventReport, conditions: Conditions, entrants: Mapping[str, EntrantFacts]) -> list[str]:
    """Say what an arbiter should know of the event as a whole; nothing of it holds up the figures."""
    return [
        *_on_games(game_count(report)),
        *_on_round_robin(report, conditions),
        *_on_report(conditions, report),
        *_on_late_entries(entrants.values(), conditions),
    ]


def _on_games(count: GameCount) -> list[str]:
    match count.completeness:
        case Completeness.NOT_SAID:
            return [
                (
                    f"{count.games} games; how many there must be is not stated (expected_games), so a "
                    "missing one would not be noticed"
                )
            ]
        case Completeness.COMPLETE:
            return []
        case _:
            source = "expected_games says" if count.stated else "a round robin of all players has"
            return [
                (
                    f"{count.games} games where {source} {count.expected}: the figures are those of the "
                    "games that are here"
                )
            ]


def _on_round_robin(report: EventReport, conditions: Conditions) -> list[str]:
    if system_of(report) is not System.ROUND_ROBIN:
        return []
    players = len(report.entrants)
    rated = sum(not entrant.unrated for entrant in report.entrants)
    double = len(report.games) > players * (players - 1) // 2
    edition = conditions.edition
    if is_rateable_round_robin(players=players, rated=rated, edition=edition, double=double):
        return []

    return [
        (
            f"{rated} of {players} players are rated, too few for a rated round robin "
            f"({edition.articles.matches}, edition {edition.id}); the figures are what the games would give"
        )
    ]


def _on_report(conditions: Conditions, report: EventReport) -> list[str]:
    ends_on, rated_in = report.tournament.ends_on, report.tournament.rated_in
    if ends_on is None or rated_in is None or not is_late_report(ends_on, rated_in):
        return []

    return [
        (
            f"the list of {rated_in} is after the third one since the end on {ends_on}: such a report is not "
            f"rated ({conditions.edition.articles.reporting}); the figures are what the games would give"
        )
    ]


def _on_late_entries(entrants: Iterable[EntrantFacts], conditions: Conditions) -> list[str]:
    return [
        f"{entrant.name or entrant.entrant_id} was unrated when the event began and is on the list of "
        f"{entrant.entered_list} before it is rated: own change with {entrant.rating}, for the opponents "
        f"unrated ({conditions.edition.articles.late_entry})"
        for entrant in entrants
        if entrant.entered_list is not None
    ]
