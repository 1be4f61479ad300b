"""Rates a whole event from its file alone: the figures that the same games get through Kafka."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from elowire.contracts.vocabulary import GameStatus, Result
from elowire.domain import (
    GameChange,
    Hundredths,
    InitialRating,
    KFactor,
    KReason,
    LiveFigures,
    Performance,
    Refusal,
    System,
    first_day,
    is_rating_gap,
    live_figures,
    performance_of,
)
from elowire.ingest.conditions import Conditions, changes_of, conditions_of, k_of
from elowire.ingest.newcomers import Met, Newcomers, resolve_newcomers
from elowire.ingest.readers.report import EntrantFacts, EventReport, GameFacts

# A bye is no game at all: an odd number of players must not turn a round robin into a Swiss.
COMPLETE = frozenset({GameStatus.PLAYED, GameStatus.ANNULLED, GameStatus.BYE})

_NOT_PLAYED = {
    GameStatus.FORFEIT: Refusal.FORFEIT,
    GameStatus.UNPLAYED: Refusal.UNPLAYED,
    GameStatus.BYE: Refusal.BYE,
    GameStatus.ANNULLED: Refusal.ANNULLED,
    GameStatus.ONGOING: Refusal.ONGOING,
}
SCORELESS = {GameStatus.UNPLAYED, GameStatus.ANNULLED, GameStatus.ONGOING}
"""Statuses whose result gives no points in the standings."""

_UNUSUAL = {Result.NEITHER_SCORES, Result.WHITE_HALF_ONLY, Result.BLACK_HALF_ONLY}


class Opposition(NamedTuple):
    """One game as one of its players sees it; `points` in hundredths, None while there is no result."""

    game: GameFacts
    opponent: EntrantFacts | None
    points: Hundredths | None


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game that counts: it changes a rating by K times `figures.delta`; the unrated have no figures."""

    round: int | None
    opponent_id: str
    opponent_rating: int
    points: Hundredths
    figures: GameChange | None


@dataclass(frozen=True, slots=True)
class RefusedGame:
    """A game that changes nothing for the player, and why; points that it scores count in the event alone."""

    round: int | None
    opponent_id: str | None
    reason: Refusal


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """A player's line. `k` and `figures` are None for a player without a rating, who has `initial`.

    `total_points` are those of the standings, byes and forfeits included; `points` those of the rated games.
    """

    entrant: EntrantFacts
    k: KFactor | None
    figures: LiveFigures | None
    total_points: Hundredths
    rated: tuple[RatedGame, ...]
    refused: tuple[RefusedGame, ...]
    initial: InitialRating | None = None

    @property
    def points(self) -> Hundredths:
        """Points of the rated games."""
        return sum(game.points for game in self.rated)

    @property
    def expected(self) -> Hundredths:
        """Sum of PD over the rated games."""
        return sum(game.figures.expectancy for game in self.rated if game.figures)

    @property
    def sum_change(self) -> Hundredths:
        """ΣΔR over the rated games, before K."""
        return sum(game.figures.delta for game in self.rated if game.figures)

    @property
    def performance(self) -> Performance | None:
        """The four performances over the rated games; None without one."""
        return performance_of([game.opponent_rating for game in self.rated], self.points)


@dataclass(frozen=True, slots=True)
class EventRating:
    """The whole event, rated."""

    report: EventReport
    conditions: Conditions
    players: tuple[PlayerRating, ...]
    warnings: tuple[str, ...]


def rate_event(report: EventReport) -> EventRating:
    """Rate every player of an event; raises `NotRatable` when edition or time control cannot be known."""
    conditions, warnings = conditions_of(report.tournament)
    entrants = {entrant.entrant_id: entrant for entrant in report.entrants}
    games: dict[str, list[Opposition]] = defaultdict(list)
    for game in report.games:
        for own, opponent, points in _sides(game):
            games[own].append(Opposition(game, entrants.get(opponent) if opponent else None, points))
    newcomers = _newcomers(report, entrants, conditions)
    players = tuple(
        _player(entrant, games[entrant.entrant_id], conditions, newcomers) for entrant in entrants.values()
    )
    assumed = sum(player.k is not None and player.k.reason is KReason.ASSUMED for player in players)
    if assumed:
        warnings.append(
            f"K is assumed for {assumed} of {len(players)} players: the file gives neither K nor all that "
            "it follows from (birth year, number of games); state K to have it exact"
        )
    noted = (
        *(f"{notice.kind}: {notice}" for notice in report.imported.notices),
        *_left_out(report),
        *warnings,
    )
    return EventRating(report, conditions, players, noted)


def _left_out(report: EventReport) -> tuple[str, ...]:
    hidden = report.imported.left_out()
    return (f"{hidden} more notices of the same reading are not listed",) if hidden else ()


def _sides(game: GameFacts) -> list[tuple[str, str | None, Hundredths | None]]:
    """Give (player, opponent, points) for each player of the game."""
    white, black = game.result.points or (None, None)
    sides: list[tuple[str, str | None, Hundredths | None]] = [(game.white, game.black, white)]
    if game.black is not None:
        sides.append((game.black, game.white, black))
    return sides


def _newcomers(
    report: EventReport, entrants: Mapping[str, EntrantFacts], conditions: Conditions
) -> Newcomers:
    """Resolve the unrated players from the games that are rated but for a missing rating."""
    ratings = {
        name: entrant.rating for name, entrant in entrants.items() if entrant.rating or entrant.unrated
    }
    met = []
    for game in report.games:
        points = game.result.points
        if points is None or game.black is None or not {game.white, game.black} <= ratings.keys():
            continue
        white, black = entrants[game.white], entrants[game.black]
        if _refusal(white, Opposition(game, black, points[0]), conditions) in {
            None,
            Refusal.UNRATED_OPPONENT,
        }:
            met.append(Met(game.white, game.black, *points))
    period = conditions.rating_period
    return resolve_newcomers(
        ratings,
        met,
        edition=conditions.edition,
        system=report.tournament.system or System.SWISS,
        complete=all(game.status in COMPLETE for game in report.games),
        ends_on=report.tournament.ends_on,
        list_day=first_day(period) if period else None,
    )


def _player(
    entrant: EntrantFacts, games: list[Opposition], conditions: Conditions, newcomers: Newcomers
) -> PlayerRating:
    counting: list[tuple[Opposition, int]] = []
    refused: list[RefusedGame] = []
    for side in games:
        reason = _refusal(entrant, side, conditions)
        strength = side.opponent.rating if side.opponent else None
        if reason is Refusal.UNRATED_OPPONENT and side.opponent and entrant.rating and newcomers.strengthen:
            strength = newcomers.outcomes[side.opponent.entrant_id].ru
            reason = None if strength is not None else Refusal.ZERO_SCORE_NEWCOMER
        if reason is None and strength is not None:
            counting.append((side, strength))
        elif reason is not None:
            opponent_id = side.opponent.entrant_id if side.opponent else None
            refused.append(RefusedGame(side.game.round, opponent_id, reason))
    newcomer = newcomers.outcomes.get(entrant.entrant_id)
    player = PlayerRating(
        entrant=entrant,
        k=None,
        figures=None,
        total_points=sum(side.points or 0 for side in games if side.game.status not in SCORELESS),
        rated=_rated(entrant.rating, counting, conditions),
        refused=tuple(refused),
        initial=newcomer.initial if newcomer else None,
    )
    if entrant.rating is None:
        return player
    k = k_of(entrant, conditions)
    period = (len(player.rated), player.sum_change)
    figures = live_figures(entrant.rating, k.k, [period], conditions.edition, conditions.time_control)
    return replace(player, k=k, figures=figures)


def _refusal(own: EntrantFacts, side: Opposition, conditions: Conditions) -> Refusal | None:
    """Say why a game does not count for a player; the first reason in the order of the tournament stage."""
    game, opponent = side.game, side.opponent
    if reason := _NOT_PLAYED.get(game.status):
        return reason
    if not game.rated:
        return Refusal.NOT_RATED_GAME
    if game.result in _UNUSUAL and not conditions.edition.rates_unusual_results:
        return Refusal.UNUSUAL_RESULT
    return _refusal_by_ratings(own, opponent, conditions)


def _refusal_by_ratings(
    own: EntrantFacts, opponent: EntrantFacts | None, conditions: Conditions
) -> Refusal | None:
    if opponent is None:
        return Refusal.UNRESOLVED_ENTRANT
    if any(player.rating is None and not player.unrated for player in (own, opponent)):
        return Refusal.UNRESOLVED_RATING
    if opponent.rating is None:
        return Refusal.UNRATED_OPPONENT
    if own.rating is not None and is_rating_gap(
        own.rating,
        opponent.rating,
        edition=conditions.edition,
        time_control=conditions.time_control,
        starts_on=conditions.starts_on,
    ):
        return Refusal.RATING_GAP
    return None


def _rated(
    own: int | None, games: list[tuple[Opposition, int]], conditions: Conditions
) -> tuple[RatedGame, ...]:
    pairs = [(strength, side.points or 0) for side, strength in games]
    changes: Sequence[GameChange | None] = [None] * len(pairs)
    if own is not None:
        changes = changes_of(own, pairs, conditions.edition, conditions.time_control, conditions.starts_on)
    return tuple(
        RatedGame(side.game.round, side.opponent.entrant_id, opponent, points, change)
        for (side, _), (opponent, points), change in zip(games, pairs, changes, strict=True)
        if side.opponent
    )
