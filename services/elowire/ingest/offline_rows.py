"""The offline figures as data for people's programs: decimals as text, ratings as whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.domain import (
    GameChange,
    InitialRating,
    Performance,
    RoundRobinLine,
    cut_k,
    decimal_text,
    edition_by_id,
    period_change,
    points_text,
    tenths_text,
)
from elowire.ingest.conditions import NotRatable, changes_of
from elowire.ingest.offline import EventRating, PlayerRating

if TYPE_CHECKING:
    from elowire.ingest.readers.period_cases import PeriodCase, PeriodEvent


def event_row(rating: EventRating) -> dict[str, Any]:
    """Give the report of one event: `event`, `edition`, `players`, `warnings`."""
    tournament, conditions = rating.report.tournament, rating.conditions
    symbol = conditions.edition.initial.average_symbol
    return {
        "event": {
            "tournament_id": tournament.tournament_id,
            "name": tournament.name,
            "time_control": conditions.time_control,
            "system": tournament.system,
            "starts_on": tournament.starts_on,
            "ends_on": tournament.ends_on,
            "rating_list": conditions.rating_list,
            "rating_period": conditions.rating_period,
            "rounds": tournament.rounds,
            "games": rating.count.games,
            "expected_games": rating.count.expected,
            "completeness": rating.count.completeness,
            "source": rating.report.source,
            "format": rating.report.format,
        },
        "edition": conditions.edition.id,
        "players": [_player_row(player, symbol) for player in rating.players],
        "warnings": list(rating.warnings),
    }


def _player_row(player: PlayerRating, symbol: str) -> dict[str, Any]:
    entrant, figures = player.entrant, player.figures
    k_used = figures.k_used if figures else 0
    return {
        "player_id": entrant.entrant_id,
        "name": entrant.name,
        "rating": entrant.rating,
        "k": player.k.k if player.k else None,
        "k_used": figures.k_used if figures else None,
        "k_reason": player.k.reason if player.k else None,
        "games": len(player.rated),
        "points": points_text(player.points),
        "total_points": points_text(player.total_points),
        "expected": decimal_text(player.expected) if figures else None,
        "sum_change": decimal_text(player.sum_change) if figures else None,
        "change": decimal_text(figures.change) if figures else None,
        "live": tenths_text(figures.live) if figures else None,
        "predicted": figures.predicted if figures else None,
        "performance": performance_row(player.performance),
        "on_course": list(player.on_course),
        "entered_list": entrant.entered_list,
        "opponents_average": _average_row(player.average),
        "initial": initial_row(player.initial, symbol) if player.initial else None,
        "rated_games": [
            {"round": game.round, "opponent_id": game.opponent_id}
            | _game_row(game.opponent_rating, game.points, game.figures, k_used)
            for game in player.rated
        ],
        "refused_games": [
            {"round": game.round, "opponent_id": game.opponent_id, "reason": game.reason}
            for game in player.refused
        ],
    }


def _average_row(line: RoundRobinLine | None) -> dict[str, Any] | None:
    """Give Rc before and after its correction, where We follows from the average of the opponents (2003)."""
    return None if line is None else {"rc": line.rc, "rc_new": line.rc_new}


def performance_row(figures: Performance | None) -> dict[str, Any] | None:
    """Give the four performances; a full or zero score has the true one `inf` or `-inf`."""
    return None if figures is None else figures._asdict()


def initial_row(initial: InitialRating, symbol: str) -> dict[str, Any]:
    """Give a first rating; the average stands under the edition's own `symbol`, `ra` or `rc`."""
    return {
        "games": initial.games,
        "points": points_text(initial.points),
        symbol: None if initial.ra is None else decimal_text(initial.ra),
        "p": None if initial.p is None else decimal_text(initial.p),
        "dp": initial.dp,
        "half_points": initial.half_points,
        "ru": initial.ru,
        "publishable": initial.publishable,
        "reason": initial.reason,
        "article": initial.article,
    }


def _game_row(opponent: int, points: int, figures: GameChange | None, k: int) -> dict[str, Any]:
    """Give a counting game; for a player without a rating there is nothing but opponent and points."""
    return {
        "opponent_rating": opponent,
        "points": points_text(points),
        "difference": figures.difference if figures else None,
        "counted_difference": figures.counted_difference if figures else None,
        "expectancy": decimal_text(figures.expectancy) if figures else None,
        "delta": decimal_text(figures.delta) if figures else None,
        "change": decimal_text(k * figures.delta) if figures else None,
    }


def period_row(case: PeriodCase, edition_id: str | None = None) -> dict[str, Any]:
    """Rate one rating period of one player; raises `NotRatable` for an edition that does not exist.

    K is cut by all games of the period together and the sum of the events is rounded once.
    Source: B.02 8.3.3 and 8.3.4 (2022 numbering).
    """
    try:
        edition = edition_by_id(edition_id or case.edition)
    except ValueError as problem:
        raise NotRatable(f"{case.id}: {problem}") from None
    games = sum(len(event.games) for event in case.events)
    k_used = cut_k(case.k_list, games, edition, case.time_control)
    rated = [_period_event(event, case, edition_id, k_used) for event in case.events]
    total = period_change([change for change, _ in rated], edition)
    return {
        "id": case.id,
        "base_rating": case.base_rating,
        "k_list": case.k_list,
        "k_used": k_used,
        "games": games,
        "total": decimal_text(total.exact),
        "rounded_change": total.rounded,
        "new_rating": case.base_rating + total.rounded,
        "events": [row for _, row in rated],
    }


def _period_event(
    event: PeriodEvent, case: PeriodCase, edition_id: str | None, k: int
) -> tuple[int, dict[str, Any]]:
    pairs = [(game.opponent, game.points) for game in event.games]
    edition = edition_by_id(edition_id or case.edition)
    changes = changes_of(event.own_rating_used, pairs, edition, case.time_control, event.start)
    sum_change = sum(change.delta for change in changes)
    row = {
        "own_rating": event.own_rating_used,
        "sum_change": decimal_text(sum_change),
        "change": decimal_text(k * sum_change),
        "games": [
            _game_row(opponent, points, change, k)
            for (opponent, points), change in zip(pairs, changes, strict=True)
        ],
    }
    return k * sum_change, row
