"""One player of a rated file in the shape in which the ticker tells of players, to be explained alike."""

from __future__ import annotations

from elowire.cli.explanation import table_row
from elowire.cli.ticker_client import Figures, FirstRating, Game, PlayerView, Published
from elowire.domain import (
    Edition,
    InitialRating,
    KReason,
    TimeControl,
    article_of,
    decimal_text,
    points_text,
    tenths_text,
)
from elowire.ingest.offline import EventRating, PlayerRating, RatedGame

NO_LIST = "not known"
"""Stands for the list that rates an event whose days are not known."""


def view_of(rating: EventRating, player: PlayerRating) -> PlayerView:
    """Give the player's figures and games; a rating by the opponents' average has no games of its own."""
    conditions, entrant = rating.conditions, player.entrant
    names = {one.entrant.entrant_id: one.entrant.name for one in rating.players}
    period = conditions.rating_period or NO_LIST
    games = () if player.average else player.rated
    refused = tuple(
        Game(
            game_id=f"{game.round or '?'}.{game.opponent_id or '?'}",
            tournament_id=rating.report.tournament.tournament_id,
            time_control=conditions.time_control,
            rating_period=period,
            round=game.round,
            opponent_id=game.opponent_id,
            opponent_name=names.get(game.opponent_id or ""),
            colour=game.colour,
            refusal=game.reason,
            article=game.reason.article(conditions.edition),
            status="refused",
        )
        for game in player.refused
    )
    shown = {conditions.time_control.value: _figures(player, conditions.rating_list)}

    return PlayerView.model_validate(
        {
            "player_id": entrant.entrant_id,
            "name": entrant.name,
            "federation": entrant.federation,
            "title": entrant.title,
            "games": [_game(rating, player, game, names.get(game.opponent_id), period) for game in games],
            "refused_games": refused,
            **shown,
        }
    )


def average_sentences(player: PlayerRating, edition: Edition) -> list[str]:
    """Say how a change by the opponents' average comes about; empty where it does not (B.02 8.25 of 2003)."""
    line, rating, figures = player.average, player.entrant.rating, player.figures
    if line is None or rating is None or figures is None or line.rc_new is None:
        return []
    moved = "" if line.rc == line.rc_new else f", {line.rc_new} with opponents beyond the limit brought to it"
    difference, expected = rating - line.rc_new, decimal_text(player.expected)
    shown = f"minus {-difference}" if difference < 0 else str(difference)
    articles = f"{edition.articles.round_robin}, {edition.articles.probability_table}"
    table = f"the row {table_row(difference)} of the table expects {expected} of {line.games} games"
    sums = f"{points_text(player.points)} less {expected} is {decimal_text(player.sum_change)}"
    product = f"times K {figures.k_used} is {decimal_text(figures.change)}"

    return [
        f"The round robin is rated by the average of the opponents: Rc is {line.rc}{moved}.",
        f"The difference is {shown}; {table}.",
        f"{sums}, {product}. {articles}, edition {edition.id}.",
    ]


def _figures(player: PlayerRating, rating_list: str | None) -> Figures:
    figures, k = player.figures, player.k
    if figures is None or k is None:
        initial = None if player.initial is None else _first(player.initial)
        return Figures(status="unrated", initial=initial, pending_games=len(player.rated))

    return Figures(
        status="rated",
        published=Published(list=rating_list, rating=player.entrant.rating, k=k.k),
        live=tenths_text(figures.live),
        change=decimal_text(figures.change),
        predicted=figures.predicted,
        k_used=figures.k_used,
        k_reason=KReason.CUT_700 if figures.cut else k.reason,
        pending_games=len(player.rated),
    )


def _first(initial: InitialRating) -> FirstRating:
    return FirstRating(
        games=initial.games,
        points=points_text(initial.points),
        ra=None if initial.ra is None else decimal_text(initial.ra),
        p=None if initial.p is None else decimal_text(initial.p),
        dp=initial.dp,
        ru=initial.ru,
        publishable=initial.publishable,
        provisional=False,
    )


def _game(
    rating: EventRating, player: PlayerRating, game: RatedGame, opponent_name: str | None, period: str
) -> Game:
    conditions, figures = rating.conditions, game.figures
    time_control: TimeControl = conditions.time_control

    return Game(
        game_id=f"{game.round or '?'}.{game.opponent_id}",
        tournament_id=rating.report.tournament.tournament_id,
        time_control=time_control,
        rating_period=period,
        round=game.round,
        opponent_id=game.opponent_id,
        opponent_name=opponent_name,
        opponent_rating=game.opponent_rating,
        own_rating=player.entrant.rating,
        points=points_text(game.points),
        colour=game.colour,
        difference=figures.difference if figures else None,
        counted_difference=figures.counted_difference if figures else None,
        expectancy=decimal_text(figures.expectancy) if figures else None,
        delta=decimal_text(figures.delta) if figures else None,
        article=article_of(figures, conditions.edition, time_control) if figures else None,
        status="rated",
    )
