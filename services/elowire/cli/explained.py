"""An explanation in words and as JSON: sentences that read well aloud, and the same figures for programs."""

from __future__ import annotations

from typing import Any

from elowire.cli.explanation import (
    K_SAID,
    Explanation,
    Figure,
    PeriodSum,
    first_edition,
    games_limit,
    refusal_said,
)
from elowire.cli.first_rating import first_rating_steps
from elowire.cli.plain import plain
from elowire.cli.standings import signed
from elowire.cli.ticker_client import Game, PlayerView
from elowire.domain import Edition, TimeControl, decimal_text

_POINTS = {"1": "one point", "0.5": "half a point", "0": "no point"}


def heading(view: PlayerView, explanation: Explanation) -> str:
    """Say who it is and where the rating stands."""
    figures = explanation.figures
    who = f"{_named(view)}, {explanation.time_control.value}"
    if figures.published is None or not figures.published.rating:
        return f"{who}: no published rating yet"
    where = f" on the list of {figures.published.list}" if figures.published.list else ""

    return (
        f"{who}: {figures.published.rating}{where}, live {figures.live}, change {signed(figures.change)}, "
        f"next list {figures.predicted}"
    )


def sentences(view: PlayerView, explanation: Explanation) -> list[str]:
    """Explain in sentences, one for each game; nothing depends on seeing a table."""
    said = [f"{heading(view, explanation)}."]
    several = (
        len({figure.game.tournament_id for period in explanation.periods for figure in period.figures}) > 1
    )
    for period in explanation.periods:
        said += [_game_sentence(figure, in_several=several) for figure in period.figures]
    said += [
        f"{_when(game)}: the game against {_opponent(game)} is in the published rating already."
        for game in explanation.listed
    ]
    said += sum_sentences(explanation)
    for game in explanation.refused:
        reason = "no reason is given" if game.refusal is None else refusal_said(game.refusal)
        article = f" ({plain(game.article)})" if game.article else ""
        said.append(f"{_when(game)}: the game against {_opponent(game)} does not count: {reason}{article}.")

    return said


def sum_sentences(explanation: Explanation) -> list[str]:
    """Say K with its reason, the sums, the cut, and the rounding to the next list."""
    figures = explanation.figures
    said: list[str] = []
    if figures.initial is not None:
        return first_rating_steps(figures.initial, first_edition(explanation))
    if figures.k_used is not None and figures.k_reason is not None:
        edition = explanation.periods[0].edition if explanation.periods else None
        article = "" if edition is None else f" ({edition.articles.k})"
        said.append(f"K is {figures.k_used}: {K_SAID[figures.k_reason]}{article}.")
    for period in explanation.periods:
        said += _period_sentences(period, explanation.time_control)
    if explanation.elsewhere:
        said.append(
            f"A further {signed(decimal_text(explanation.elsewhere))} comes from no game listed here: from a "
            "sum that an event reported without its games, or from a game that is arriving."
        )

    return [*said, *_next_list(explanation)]


def _next_list(explanation: Explanation) -> list[str]:
    """Say how the sums are rounded and what the next list will show."""
    figures, periods = explanation.figures, explanation.periods
    published = figures.published.rating if figures.published else None
    if not published or figures.predicted is None:
        return []
    if not periods and not explanation.elsewhere:
        return ["No game is pending: the next list shows the same rating."]
    rounded = [period.rounded for period in periods if period.rounded is not None]
    if not periods or len(rounded) < len(periods) or published + sum(rounded) != figures.predicted:
        return [f"The next list: {figures.predicted}, each period's change rounded once."]
    said = []
    for period in periods:
        total = signed(decimal_text(period.change + explanation.elsewhere))
        halves = ""
        if period.edition is not None:
            halves = f", a half {period.edition.halves.value} ({period.edition.articles.rounding})"
        said.append(
            f"List of {period.period}: the change of {total} is rounded once, to {period.rounded:+d}{halves}."
        )
    steps = "".join(f" {change:+d}" for change in rounded)

    return [*said, f"The next list: {published}{steps} = {figures.predicted}."]


def json_of(view: PlayerView, found: list[Explanation]) -> dict[str, Any]:
    """Return explanations for programs; decimals are text, as everywhere."""
    return {
        "player_id": view.player_id,
        "name": view.name,
        "version": view.version,
        "ratings": [_rating_json(explanation) for explanation in found],
    }


def _rating_json(explanation: Explanation) -> dict[str, Any]:
    figures = explanation.figures
    initial = None
    if figures.initial is not None:
        edition = first_edition(explanation)
        steps = first_rating_steps(figures.initial, edition)
        initial = {**figures.initial.model_dump(), "edition": _id(edition), "steps": steps}
    fields = {"published", "live", "change", "predicted", "k_used", "k_reason", "pending_games"}

    return {
        "time_control": explanation.time_control.value,
        "status": figures.status,
        **figures.model_dump(include=fields, mode="json"),
        "periods": [_period_json(period) for period in explanation.periods],
        "change_without_games": decimal_text(explanation.elsewhere),
        "initial": initial,
        "games_in_the_list": [_game_json(game) for game in explanation.listed],
        "games_for_first_rating": [_game_json(game) for game in explanation.first_games],
        "refused_games": [
            {**_game_json(game), "reason": game.refusal, "article": game.article}
            for game in explanation.refused
        ],
    }


def _period_json(period: PeriodSum) -> dict[str, Any]:
    edition = period.edition

    return {
        "period": period.period,
        "edition": _id(edition),
        "games": [
            {
                **_game_json(figure.game),
                "table_row": figure.row,
                "k": figure.k,
                "change": decimal_text(figure.change),
                "article": figure.game.article,
                "edition": _id(figure.edition),
            }
            for figure in period.figures
        ],
        "k": period.k,
        "k_before_cut": period.k_before_cut,
        "sum_change": decimal_text(period.sum_delta),
        "change": decimal_text(period.change),
        "rounded_change": period.rounded,
        "rounding_article": None if edition is None else edition.articles.rounding,
    }


def _game_json(game: Game) -> dict[str, Any]:
    left_out = {"status", "refusal", "article", "time_control", "rating_period"}

    return game.model_dump(exclude=left_out, mode="json")


def _game_sentence(figure: Figure, *, in_several: bool) -> str:
    game = figure.game
    where = f" of {plain(game.tournament_id)}" if in_several and game.tournament_id else ""
    points = _POINTS.get(game.points or "", f"{game.points} points")
    if game.colour is not None:
        points += f" with {game.colour.capitalize()}"
    counts = ""
    if game.counted_difference != game.difference:
        counts = f" and counts as {_spoken(game.counted_difference or 0)}"
    delta, change = _spoken_decimal(game.delta or "0"), _spoken_decimal(decimal_text(figure.change))
    edition = "" if figure.edition is None else f", edition {figure.edition.id}"

    return (
        f"{_when(game)}{where}: {points} against {_opponent(game)}, rated {game.opponent_rating}, with an "
        f"own rating of {game.own_rating}. The difference is {_spoken(game.difference or 0)}{counts}; the "
        f"row {figure.row} of the table expects {game.expectancy}. {game.points} less {game.expectancy} is "
        f"{delta}, times K {figure.k} is {change}. {plain(game.article or '')}{edition}."
    )


def _period_sentences(period: PeriodSum, time_control: TimeControl) -> list[str]:
    count = len(period.figures)
    games = "1 game" if count == 1 else f"{count} games"
    total, change = signed(decimal_text(period.sum_delta)), signed(decimal_text(period.change))
    edition = period.edition
    summed = f"List of {period.period}: the sum over {games} is {total}, times K {period.k} is {change}."
    if period.k_before_cut is None or edition is None:
        return [summed]

    limit, product = games_limit(edition, time_control), period.k_before_cut * count
    # Games of a sum that was reported without them count towards the limit too, and are not listed.
    beyond = "" if limit is None or product > limit else ", with those that were reported as a sum"
    cut = (
        f"List of {period.period}: K {period.k_before_cut} times {games}{beyond} is more than {limit}, so K "
        f"is {period.k} ({edition.articles.k})."
    )

    return [cut, summed]


def _named(view: PlayerView) -> str:
    return plain(view.name or f"player {view.player_id}")


def _when(game: Game) -> str:
    return f"Round {game.round}" if game.round else f"Game {plain(game.game_id)}"


def _opponent(game: Game) -> str:
    return plain(game.opponent_name or game.opponent_id or "an opponent who is not known yet")


def _spoken(number: int) -> str:
    return f"minus {-number}" if number < 0 else str(number)


def _spoken_decimal(text: str) -> str:
    return f"minus {text[1:]}" if text.startswith("-") else text


def _id(edition: Edition | None) -> str | None:
    return None if edition is None else edition.id
