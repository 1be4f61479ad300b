"""Rates a whole event from its file alone: the figures that the same games get through Kafka."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from elowire.contracts.vocabulary import GameStatus, Result
from elowire.domain import (
    Edition,
    GameChange,
    Hundredths,
    KFactor,
    KReason,
    LiveFigures,
    OutsideEditions,
    Refusal,
    TimeControl,
    difference_cap,
    edition_by_id,
    edition_on,
    has_one_upgrade,
    is_rated_on,
    is_rating_gap,
    k_factor,
    list_in_force,
    live_figures,
    rate_game,
    rating_period,
    upgraded,
)
from elowire.ingest.readers.report import EntrantFacts, EventReport, GameFacts

_NOT_PLAYED = {
    GameStatus.FORFEIT: Refusal.FORFEIT,
    GameStatus.UNPLAYED: Refusal.UNPLAYED,
    GameStatus.BYE: Refusal.BYE,
    GameStatus.ANNULLED: Refusal.ANNULLED,
    GameStatus.ONGOING: Refusal.UNPLAYED,
}
_UNUSUAL = {Result.NEITHER_SCORES, Result.WHITE_HALF_ONLY, Result.BLACK_HALF_ONLY}


class NotRatable(ValueError):  # noqa: N818 - named after the fact
    """A fact that decides the regulations is missing or impossible; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What decides how an event is rated. `starts_on` is None only when the edition was named."""

    edition: Edition
    time_control: TimeControl
    starts_on: date | None
    rating_list: str | None
    rating_period: str | None


class Opposition(NamedTuple):
    """One game as one of its players sees it; `points` in hundredths, None while there is no result."""

    game: GameFacts
    opponent: EntrantFacts | None
    points: Hundredths | None


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game that changes the player's rating by K times `figures.delta`."""

    round: int | None
    opponent_id: str
    opponent_rating: int
    points: Hundredths
    figures: GameChange


@dataclass(frozen=True, slots=True)
class RefusedGame:
    """A game that changes nothing for the player, and why; points that it scores count in the event alone."""

    round: int | None
    opponent_id: str | None
    reason: Refusal


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """A player's line. `k` and `figures` are None for a player without a rating.

    `total_points` are those of the standings, byes and forfeits included; `points` those of the rated games.
    """

    entrant: EntrantFacts
    k: KFactor | None
    figures: LiveFigures | None
    total_points: Hundredths
    rated: tuple[RatedGame, ...]
    refused: tuple[RefusedGame, ...]

    @property
    def points(self) -> Hundredths:
        """Points of the rated games."""
        return sum(game.points for game in self.rated)

    @property
    def expected(self) -> Hundredths:
        """Sum of PD over the rated games."""
        return sum(game.figures.expectancy for game in self.rated)

    @property
    def sum_change(self) -> Hundredths:
        """ΣΔR over the rated games, before K."""
        return sum(game.figures.delta for game in self.rated)


@dataclass(frozen=True, slots=True)
class EventRating:
    """The whole event, rated."""

    report: EventReport
    conditions: Conditions
    players: tuple[PlayerRating, ...]
    warnings: tuple[str, ...]


def rate_event(report: EventReport) -> EventRating:
    """Rate every player of an event; raises `NotRatable` when edition or time control cannot be known."""
    conditions, warnings = _conditions(report)
    entrants = {entrant.entrant_id: entrant for entrant in report.entrants}
    games: dict[str, list[Opposition]] = defaultdict(list)
    for game in report.games:
        for own, opponent, points in _sides(game):
            games[own].append(Opposition(game, entrants.get(opponent) if opponent else None, points))
    players = tuple(_player(entrant, games[entrant.entrant_id], conditions) for entrant in entrants.values())
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


def _conditions(report: EventReport) -> tuple[Conditions, list[str]]:
    tournament = report.tournament
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
            f"the event ends on {ends_on}, before it starts on {starts_on}; correct one with --starts-on"
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
    if stated is None and starts_on is None:
        raise NotRatable("the file has no date to find the edition by; give --starts-on or --edition")
    try:
        return (
            edition_on(starts_on) if stated is None and starts_on is not None else edition_by_id(stated or "")
        )
    except OutsideEditions as problem:
        raise NotRatable(f"{problem}; give --edition") from None
    except ValueError as problem:
        raise NotRatable(str(problem)) from None


def _sides(game: GameFacts) -> list[tuple[str, str | None, Hundredths | None]]:
    """Give (player, opponent, points) for each player of the game."""
    white, black = game.result.points or (None, None)
    sides: list[tuple[str, str | None, Hundredths | None]] = [(game.white, game.black, white)]
    if game.black is not None:
        sides.append((game.black, game.white, black))
    return sides


def _player(entrant: EntrantFacts, games: list[Opposition], conditions: Conditions) -> PlayerRating:
    counting: list[Opposition] = []
    refused: list[RefusedGame] = []
    for side in games:
        reason = _refusal(entrant, side, conditions)
        if reason is None:
            counting.append(side)
        else:
            opponent_id = side.opponent.entrant_id if side.opponent else None
            refused.append(RefusedGame(side.game.round, opponent_id, reason))
    total = sum(side.points or 0 for side in games if side.game.status is not GameStatus.ANNULLED)
    player = PlayerRating(entrant, None, None, total, (), tuple(refused))
    if entrant.rating is None:
        return player
    k = k_of(entrant, conditions)
    rated = _rated(entrant.rating, counting, conditions)
    period = (len(rated), sum(game.figures.delta for game in rated))
    figures = live_figures(entrant.rating, k.k, [period], conditions.edition, conditions.time_control)
    return replace(player, k=k, figures=figures, rated=rated)


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
        entrant=entrant.k,
        starts_on=conditions.starts_on,
    )


def _rated(own: int, games: list[Opposition], conditions: Conditions) -> tuple[RatedGame, ...]:
    pairs = [(side.opponent.rating or 0, side.points or 0) for side in games if side.opponent]
    changes = changes_of(own, pairs, conditions.edition, conditions.time_control, conditions.starts_on)
    return tuple(
        RatedGame(side.game.round, side.opponent.entrant_id, opponent, points, change)
        for side, (opponent, points), change in zip(games, pairs, changes, strict=True)
        if side.opponent
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
