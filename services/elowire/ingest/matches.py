"""Games of a match that are not rated: after its decision, or with an unrated player (B.02 6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from elowire.contracts.vocabulary import GameStatus
from elowire.domain import Refusal, System, match_refusals, system_in_use
from elowire.ingest.readers.report import EntrantFacts, EventReport, GameFacts

_SCORES = {GameStatus.PLAYED, GameStatus.FORFEIT}


def system_of(report: EventReport) -> System:
    """Give the system by which the event is rated."""
    return system_in_use(report.tournament.system, players=len(report.entrants))


def refused_in_matches(
    report: EventReport, entrants: Mapping[str, EntrantFacts]
) -> tuple[dict[str, Refusal], list[str]]:
    """Find the games that a match refuses, by game id, and say what could not be known.

    Every two players who meet are a match of their own. The order of play is that of rounds, then of days,
    then of the file. Forfeited games bring points in the match; games that are not rated by the organiser's
    word, such as a play-off, do not.
    """
    if system_of(report) is not System.MATCH:
        return {}, []
    pairs: dict[frozenset[str], list[GameFacts]] = defaultdict(list)
    for game in report.games:
        if game.black is not None and game.rated and game.status in _SCORES:
            pairs[frozenset((game.white, game.black))].append(game)
    planned = _planned(report)
    refused: dict[str, Refusal] = {}
    for games in pairs.values():
        refused |= _of_a_match(
            sorted(games, key=_order), planned, entrants, waived=report.tournament.match_waived
        )
    if planned is not None or report.tournament.match_waived:
        return refused, []
    return refused, [
        (
            "the number of games that a match was arranged for is not known, so games after its decision "
            "cannot be told and are rated; --match-games states it"
        )
    ]


def _planned(report: EventReport) -> int | None:
    """Find the games that a match was arranged for: the stated ones, or between two players the rounds."""
    facts = report.tournament
    if facts.match_games is None and len(report.entrants) == 2 and not facts.rounds_assumed:  # noqa: PLR2004 - a pair
        return facts.rounds

    return facts.match_games


def _order(game: GameFacts) -> tuple[int, int]:
    day = game.played_on.toordinal() if game.played_on else 0

    return game.round or 0, day


def _of_a_match(
    games: Sequence[GameFacts], planned: int | None, entrants: Mapping[str, EntrantFacts], *, waived: bool
) -> dict[str, Refusal]:
    first = games[0].white
    scores = []
    for game in games:
        white, black = game.result.points or (0, 0)
        scores.append((white, black) if game.white == first else (black, white))
    players = (entrants.get(first), entrants.get(games[0].black or ""))
    both_rated = not any(player is not None and player.unrated for player in players)
    refusals = match_refusals(scores, planned=planned, both_rated=both_rated, waived=waived)

    return {game.game_id: reason for game, reason in zip(games, refusals, strict=True) if reason is not None}
