"""Whether a game of an event counts for its players, and why not (B.02 5, 6 and 8.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from elowire.contracts.vocabulary import Colour, GameStatus, Result
from elowire.domain import Hundredths, Refusal, is_rating_gap
from elowire.ingest.conditions import Conditions
from elowire.ingest.readers.report import EntrantFacts, GameFacts

_NOT_PLAYED = {
    GameStatus.FORFEIT: Refusal.FORFEIT,
    GameStatus.UNPLAYED: Refusal.UNPLAYED,
    GameStatus.BYE: Refusal.BYE,
    GameStatus.ANNULLED: Refusal.ANNULLED,
    GameStatus.ONGOING: Refusal.ONGOING,
}
_UNUSUAL = {Result.NEITHER_SCORES, Result.WHITE_HALF_ONLY, Result.BLACK_HALF_ONLY}


class Opposition(NamedTuple):
    """One game as one of its players sees it; `points` in hundredths, None while there is no result.

    `colour` is the player's own, None where nobody sat opposite.
    """

    game: GameFacts
    opponent: EntrantFacts | None
    points: Hundredths | None
    colour: Colour | None = None


class Rules(NamedTuple):
    """What every game is held against: the conditions, and the games that their match refuses."""

    conditions: Conditions
    match_refusals: Mapping[str, Refusal]


def refusal_of(own: EntrantFacts, side: Opposition, rules: Rules) -> Refusal | None:
    """Say why a game does not count for a player; the first reason in the order of the tournament stage."""
    game, opponent = side.game, side.opponent
    if reason := _NOT_PLAYED.get(game.status):
        return reason
    if not game.rated:
        return Refusal.NOT_RATED_GAME
    if game.result in _UNUSUAL and not rules.conditions.edition.rates_unusual_results:
        return Refusal.UNUSUAL_RESULT
    return rules.match_refusals.get(game.game_id) or _refusal_by_ratings(own, opponent, rules.conditions)


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
