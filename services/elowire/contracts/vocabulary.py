"""The closed sets of words in events: what may stand where only certain words are understood."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elowire.domain import Hundredths


class TournamentStatus(StrEnum):
    """Where a tournament stands; `finished` resolves its unrated entrants."""

    ANNOUNCED = "announced"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class GameStatus(StrEnum):
    """What became of a game. Only `played` is ever rated; the others score or wait."""

    PLAYED = "played"
    FORFEIT = "forfeit"
    UNPLAYED = "unplayed"
    BYE = "bye"
    ANNULLED = "annulled"
    ONGOING = "ongoing"


class Result(StrEnum):
    """A result as it is written, White's points first; `*` is not known yet."""

    WHITE_WINS = "1-0"
    BLACK_WINS = "0-1"
    DRAW = "1/2-1/2"
    NEITHER_SCORES = "0-0"
    WHITE_HALF_ONLY = "1/2-0"
    BLACK_HALF_ONLY = "0-1/2"
    UNKNOWN = "*"

    @property
    def points(self) -> tuple[Hundredths, Hundredths] | None:
        """White's and Black's points in hundredths, or None while the result is not known."""
        return _POINTS[self]


_POINTS: dict[Result, tuple[Hundredths, Hundredths] | None] = {
    Result.WHITE_WINS: (100, 0),
    Result.BLACK_WINS: (0, 100),
    Result.DRAW: (50, 50),
    Result.NEITHER_SCORES: (0, 0),
    Result.WHITE_HALF_ONLY: (50, 0),
    Result.BLACK_HALF_ONLY: (0, 50),
    Result.UNKNOWN: None,
}


class ListKind(StrEnum):
    """Whether a published rating came with its list or was put right afterwards."""

    LIST = "list"
    CORRECTION = "correction"


class ReportStatus(StrEnum):
    """Whether a reported change stands or was taken back."""

    REPORTED = "reported"
    ANNULLED = "annulled"


class CauseKind(StrEnum):
    """What kind of fact changed a rating."""

    GAME = "game"
    CORRECTION = "correction"
    ANNULMENT = "annulment"
    RESOLUTION = "resolution"
    LIST = "list"
    BASE_CORRECTION = "base-correction"
    FACTS = "facts"


class RatingStatus(StrEnum):
    """Whether the player has a published rating."""

    RATED = "rated"
    UNRATED = "unrated"


class Colour(StrEnum):
    """Who had which pieces."""

    WHITE = "white"
    BLACK = "black"


class SideStatus(StrEnum):
    """Whether a side still counts for the live rating, is in a list already, or was taken back."""

    PENDING = "pending"
    SETTLED = "settled"
    ANNULLED = "annulled"


class ReconciliationVerdict(StrEnum):
    """What explains the difference between a prediction and the list."""

    EQUAL = "equal"
    BASE_CORRECTION = "base-correction"
    PER_EVENT_ROUNDING = "per-event-rounding"
    UNKNOWN_GAMES = "unknown-games"
    UNEXPLAINED = "unexplained"
