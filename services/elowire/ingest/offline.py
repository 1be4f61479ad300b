"""Rates a whole event from its file alone: the figures that the same games get through Kafka."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from elowire.contracts.vocabulary import Colour, GameStatus
from elowire.domain import (
    GameChange,
    Hundredths,
    InitialRating,
    KFactor,
    KReason,
    LiveFigures,
    Performance,
    Refusal,
    RoundRobinLine,
    TimeControl,
    first_day,
    is_late_entry,
    live_figures,
    on_course,
    performance_of,
)
from elowire.ingest.conditions import Conditions, changes_of, conditions_of, k_of
from elowire.ingest.event_notes import GameCount, game_count, notes_on
from elowire.ingest.matches import refused_in_matches, system_of
from elowire.ingest.newcomers import Met, Newcomers, resolve_newcomers
from elowire.ingest.readers.report import EntrantFacts, EventReport, GameFacts
from elowire.ingest.what_counts import Opposition, Rules, refusal_of

# A bye is no game at all: an odd number of players must not turn a round robin into a Swiss.
COMPLETE = frozenset({GameStatus.PLAYED, GameStatus.ANNULLED, GameStatus.BYE})

SCORELESS = {GameStatus.UNPLAYED, GameStatus.ANNULLED, GameStatus.ONGOING}
"""Statuses whose result gives no points in the standings."""


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game that counts: it changes a rating by K times `figures.delta`; the unrated have no figures."""

    round: int | None
    opponent_id: str
    opponent_rating: int
    points: Hundredths
    figures: GameChange | None
    colour: Colour | None


@dataclass(frozen=True, slots=True)
class RefusedGame:
    """A game that changes nothing for the player, and why; points that it scores count in the event alone."""

    round: int | None
    opponent_id: str | None
    reason: Refusal
    colour: Colour | None


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """A player's line. `k` and `figures` are None for a player without a rating, who has `initial`.

    `total_points` are those of the standings, byes and forfeits included; `points` those of the rated games.
    `average` is a rated player's line in a round robin that an edition rates by the opponents' average; its
    games have no figures of their own. `on_course` names the titles whose thresholds the performance reaches.
    """

    entrant: EntrantFacts
    k: KFactor | None
    figures: LiveFigures | None
    total_points: Hundredths
    rated: tuple[RatedGame, ...]
    refused: tuple[RefusedGame, ...]
    initial: InitialRating | None = None
    average: RoundRobinLine | None = None
    on_course: tuple[str, ...] = ()

    @property
    def points(self) -> Hundredths:
        """Points of the rated games."""
        return sum(game.points for game in self.rated)

    @property
    def expected(self) -> Hundredths:
        """Sum of PD over the rated games, or We from the opponents' average."""
        if self.average is not None and self.average.expected is not None:
            return self.average.expected
        return sum(game.figures.expectancy for game in self.rated if game.figures)

    @property
    def sum_change(self) -> Hundredths:
        """ΣΔR over the rated games, before K."""
        if self.average is not None and self.average.delta is not None:
            return self.average.delta
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
    count: GameCount
    warnings: tuple[str, ...]


def rate_event(report: EventReport) -> EventRating:
    """Rate every player of an event; raises `NotRatable` when edition or time control cannot be known."""
    conditions, warnings = conditions_of(report.tournament)
    entrants = {entrant.entrant_id: entrant for entrant in report.entrants}
    games: dict[str, list[Opposition]] = defaultdict(list)
    for game in report.games:
        for own, opponent, points, colour in _sides(game):
            met = entrants.get(opponent) if opponent else None
            games[own].append(Opposition(game, met, points, colour))
    refused, unknown = refused_in_matches(report, entrants)
    rules = Rules(conditions, refused)
    newcomers = _newcomers(report, entrants, rules)
    # From here on late entrants are rated for themselves; as opponents they stay what they were.
    own_facts = {name: _as_rated(entrant, conditions) for name, entrant in entrants.items()}
    players = tuple(_player(entrant, games[name], rules, newcomers) for name, entrant in own_facts.items())
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
        *unknown,
        *notes_on(report, conditions, own_facts),
    )
    return EventRating(report, conditions, players, game_count(report), noted)


def _as_rated(entrant: EntrantFacts, conditions: Conditions) -> EntrantFacts:
    """Give a player who entered the list before the event is rated the rating of then (B.02 8.4)."""
    period = conditions.rating_period
    if (
        entrant.unrated
        and entrant.entered_rating is not None
        and period is not None
        and is_late_entry(entrant.entered_list, period)
    ):
        k = entrant.entered_k or entrant.k
        return replace(entrant, rating=entrant.entered_rating, unrated=False, k=k)

    return replace(entrant, entered_list=None, entered_rating=None)


def _left_out(report: EventReport) -> tuple[str, ...]:
    hidden = report.imported.left_out()
    return (f"{hidden} more notices of the same reading are not listed",) if hidden else ()


def _sides(game: GameFacts) -> list[tuple[str, str | None, Hundredths | None, Colour | None]]:
    """Give (player, opponent, points, colour) for each player of the game."""
    white, black = game.result.points or (None, None)
    if game.black is None:
        # Who had nobody opposite had no colour, wherever the record names him.
        return [(game.white, None, white, None)]

    return [(game.white, game.black, white, Colour.WHITE), (game.black, game.white, black, Colour.BLACK)]


def _newcomers(report: EventReport, entrants: Mapping[str, EntrantFacts], rules: Rules) -> Newcomers:
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
        reason = refusal_of(white, Opposition(game, black, points[0]), rules)
        if reason in {None, Refusal.UNRATED_OPPONENT} and game.game_id not in rules.match_refusals:
            met.append(Met(game.white, game.black, *points))
    conditions = rules.conditions
    period = conditions.rating_period
    return resolve_newcomers(
        ratings,
        met,
        edition=conditions.edition,
        system=system_of(report),
        complete=all(game.status in COMPLETE for game in report.games),
        ends_on=report.tournament.ends_on,
        list_day=first_day(period) if period else None,
    )


def _player(
    entrant: EntrantFacts, games: list[Opposition], rules: Rules, newcomers: Newcomers
) -> PlayerRating:
    conditions = rules.conditions
    counting: list[tuple[Opposition, int]] = []
    refused: list[RefusedGame] = []
    for side in games:
        reason = refusal_of(entrant, side, rules)
        strength = side.opponent.rating if side.opponent else None
        if reason is Refusal.UNRATED_OPPONENT and side.opponent and entrant.rating and newcomers.strengthen:
            strength = newcomers.outcomes[side.opponent.entrant_id].ru
            reason = None if strength is not None else Refusal.ZERO_SCORE_NEWCOMER
        if reason is None and strength is not None:
            counting.append((side, strength))
        elif reason is not None:
            opponent_id = side.opponent.entrant_id if side.opponent else None
            refused.append(RefusedGame(side.game.round, opponent_id, reason, side.colour))
    newcomer = newcomers.outcomes.get(entrant.entrant_id) if entrant.rating is None else None
    average = newcomers.averages.get(entrant.entrant_id)
    rated = _rated(entrant.rating, counting, conditions)
    player = PlayerRating(
        entrant=entrant,
        k=None,
        figures=None,
        total_points=sum(side.points or 0 for side in games if side.game.status not in SCORELESS),
        rated=tuple(replace(game, figures=None) for game in rated) if average else rated,
        refused=tuple(refused),
        initial=newcomer.initial if newcomer else None,
        average=average,
    )
    performance = player.performance
    if performance is not None and conditions.time_control is TimeControl.STANDARD:
        player = replace(player, on_course=on_course(performance))
    if entrant.rating is None:
        return player
    k = k_of(entrant, conditions)
    period = (len(player.rated), player.sum_change)
    figures = live_figures(entrant.rating, k.k, [period], conditions.edition, conditions.time_control)
    return replace(player, k=k, figures=figures)


def _rated(
    own: int | None, games: list[tuple[Opposition, int]], conditions: Conditions
) -> tuple[RatedGame, ...]:
    pairs = [(strength, side.points or 0) for side, strength in games]
    changes: Sequence[GameChange | None] = [None] * len(pairs)
    if own is not None:
        changes = changes_of(own, pairs, conditions.edition, conditions.time_control, conditions.starts_on)
    return tuple(
        RatedGame(side.game.round, side.opponent.entrant_id, opponent, points, change, side.colour)
        for (side, _), (opponent, points), change in zip(games, pairs, changes, strict=True)
        if side.opponent
    )
