"""Why a game changes no rating: a closed set, the same words in outputs, dead letters and metrics."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from elowire.domain.articles import RAPID_AND_BLITZ

if TYPE_CHECKING:
    from elowire.domain.rules import Edition


class Refusal(StrEnum):
    """A reason for which a game, or one side of it, does not count for a rating."""

    FORFEIT = "forfeit"
    UNPLAYED = "unplayed"
    BYE = "bye"
    ANNULLED = "annulled"
    NOT_RATED_GAME = "not-rated-game"
    NOT_RATED_TOURNAMENT = "not-rated-tournament"
    UNRATED_OPPONENT = "unrated-opponent"
    UNRESOLVED_ENTRANT = "unresolved-entrant"
    UNRESOLVED_RATING = "unresolved-rating"
    RATING_GAP = "rating-gap"
    ZERO_SCORE_NEWCOMER = "zero-score-newcomer"
    CANCELLED_TOURNAMENT = "cancelled-tournament"
    UNKNOWN_TOURNAMENT = "unknown-tournament"
    WITHDRAWN = "withdrawn"
    UNUSUAL_RESULT = "unusual-result"
    LATE_REPORT = "late-report"
    DECIDED_MATCH = "decided-match"
    ONGOING = "ongoing"

    def article(self, edition: Edition) -> str:
        """Name the article behind the refusal, or in words why none is needed."""
        return _WITHOUT_ARTICLE.get(self) or _article(self, edition)


_WITHOUT_ARTICLE: Final = {
    Refusal.ANNULLED: "the game was annulled by its source",
    Refusal.ONGOING: "the game is being played",
    Refusal.NOT_RATED_GAME: "the organiser reports the game as not rated",
    Refusal.NOT_RATED_TOURNAMENT: "the tournament is not rated",
    Refusal.UNRESOLVED_ENTRANT: "waits until it is known who played",
    Refusal.UNRESOLVED_RATING: "waits until the rating in force at the start is known",
    Refusal.RATING_GAP: RAPID_AND_BLITZ,
    Refusal.CANCELLED_TOURNAMENT: "the tournament was cancelled",
    Refusal.UNKNOWN_TOURNAMENT: "waits until the tournament is announced",
    Refusal.WITHDRAWN: "a correction took this player out of the game",
}


def _article(refusal: Refusal, edition: Edition) -> str:
    articles = edition.articles
    match refusal:
        case Refusal.UNRATED_OPPONENT:
            return articles.unrated_opponent
        case Refusal.ZERO_SCORE_NEWCOMER:
            return articles.initial
        case Refusal.LATE_REPORT:
            return articles.reporting
        case Refusal.DECIDED_MATCH:
            return articles.matches
        case _:
            return articles.unplayed
