"""What a tournament file says, after reading: one frozen model for every format.

Nothing here is computed by the rating regulations: ratings, pairings and results stand as the file
gives them, and every adjustment or refusal made while reading is kept beside them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from elowire.contracts.vocabulary import GameStatus, Result
from elowire.domain import System, TimeControl

KEPT_NOTICES = 1000
"""Notices kept word for word; a file with more is summed up, so that garbage stays bounded."""


LIST = "list"
"""The source of figures that stand on a rating list as they are."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that reading a file changed (`adjusted`) or left out (`refused`), with its place.

    `line` and `column` count from 1; `field` is the field's name or its path in a JSON document.
    """

    kind: Literal["adjusted", "refused"]
    text: str
    line: int | None = None
    column: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        """Give the notice as a sentence that begins with its place."""
        places = [
            f"line {self.line}" if self.line is not None else "",
            f"column {self.column}" if self.column is not None else "",
            self.field or "",
        ]
        place = ", ".join(part for part in places if part)
        return f"{place}: {self.text}" if place else self.text


class UnreadableFile(ValueError):  # noqa: N818 - named after the fact, not after the mechanism
    """The file as a whole cannot be used; `notice` says where, what was expected and what to do."""

    def __init__(self, notice: Notice) -> None:
        """Keep the notice; its sentence is the message."""
        super().__init__(str(notice))
        self.notice = notice


class Findings:
    """Collects the notices of one reading; counts all of them, keeps the first `KEPT_NOTICES`."""

    def __init__(self) -> None:
        """Start without any notice."""
        self._notices: list[Notice] = []
        self.adjusted = 0
        self.refused = 0

    def adjust(
        self, text: str, *, line: int | None = None, column: int | None = None, field: str | None = None
    ) -> None:
        """Note that something was read differently from how it stands in the file."""
        self.adjusted += 1
        self._keep(Notice("adjusted", text, line, column, field))

    def refuse(
        self, text: str, *, line: int | None = None, column: int | None = None, field: str | None = None
    ) -> None:
        """Note that something in the file is not used."""
        self.refused += 1
        self._keep(Notice("refused", text, line, column, field))

    def _keep(self, notice: Notice) -> None:
        if len(self._notices) < KEPT_NOTICES:
            self._notices.append(notice)

    def imported(self) -> ImportReport:
        """Give what was found so far as a frozen value."""
        return ImportReport(notices=tuple(self._notices), adjusted=self.adjusted, refused=self.refused)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How the reading went: all notices (the first `KEPT_NOTICES` of them) and their numbers."""

    notices: tuple[Notice, ...] = ()
    adjusted: int = 0
    refused: int = 0

    def refusals(self) -> tuple[Notice, ...]:
        """Give the kept notices of what was left out."""
        return tuple(notice for notice in self.notices if notice.kind == "refused")

    def left_out(self) -> int:
        """Give the number of notices that were counted but not kept."""
        return self.adjusted + self.refused - len(self.notices)


def joined(first: ImportReport, second: ImportReport) -> ImportReport:
    """Give the findings of a reading and of what followed it as one."""
    return ImportReport(
        notices=(*first.notices, *second.notices),
        adjusted=first.adjusted + second.adjusted,
        refused=first.refused + second.refused,
    )


@dataclass(frozen=True, slots=True)
class TournamentFacts:
    """The tournament as the file describes it; None where the file is silent.

    `time_control_assumed` marks a time control that was taken from the name of the event or file;
    `end_assumed` an end that is the day of the last game so far, `rounds_assumed` the like for rounds.
    """

    tournament_id: str
    name: str
    time_control: TimeControl | None = None
    time_control_assumed: bool = False
    system: System | None = None
    starts_on: date | None = None
    ends_on: date | None = None
    end_assumed: bool = False
    rating_list: str | None = None
    edition: str | None = None
    rated_in: str | None = None
    rounds: int | None = None
    rounds_assumed: bool = False
    expected_games: int | None = None
    match_games: int | None = None
    """The number of games that a match was arranged for."""
    match_waived: bool = False
    """Whether games after a match was decided are rated all the same."""
    revision: int = 0


@dataclass(frozen=True, slots=True)
class EntrantFacts:
    """One player of the event. `rating` None with `unrated` False means: not known."""

    entrant_id: str
    player_id: str | None = None
    name: str | None = None
    federation: str | None = None
    title: str | None = None
    birth_year: int | None = None
    rating: int | None = None
    unrated: bool = False
    k: int | None = None
    games_played: int | None = None
    rating_list: str | None = None
    """The list that rating and K were looked up in; None when they are the file's own."""
    source: str | None = None
    """Where looked-up figures come from: `list` when they stand there as they are."""
    entered_list: str | None = None
    """A list before the one that rates the event, with the rating of a player who began it unrated."""
    entered_rating: int | None = None
    entered_k: int | None = None


@dataclass(frozen=True, slots=True)
class GameFacts:
    """One pairing with its result; `white` and `black` are entrant ids, None for a missing opponent.

    `line` is where the file has it (None for JSON documents).
    """

    game_id: str
    white: str
    black: str | None
    result: Result
    status: GameStatus = GameStatus.PLAYED
    rated: bool = True
    round: int | None = None
    board: int | None = None
    played_on: date | None = None
    url: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class EventReport:
    """A whole event: the tournament, its entrants, its games, and how the reading went."""

    source: str
    format: str
    tournament: TournamentFacts
    entrants: tuple[EntrantFacts, ...]
    games: tuple[GameFacts, ...]
    imported: ImportReport

    def stated(  # noqa: PLR0913 - each is one fact that a person may state
        self,
        *,
        tournament_id: str | None = None,
        time_control: TimeControl | None = None,
        system: System | None = None,
        starts_on: date | None = None,
        ends_on: date | None = None,
        edition: str | None = None,
        rated_in: str | None = None,
        match_games: int | None = None,
        match_waived: bool | None = None,
        revision: int | None = None,
    ) -> EventReport:
        """Give the report with the facts that a person states, which count for more than the file's."""
        facts = {
            "tournament_id": tournament_id,
            "time_control": time_control,
            "system": system,
            "starts_on": starts_on,
            "ends_on": ends_on,
            "edition": edition,
            "rated_in": rated_in,
            "match_games": match_games,
            "match_waived": match_waived,
            "revision": revision,
        }
        known: dict[str, Any] = {name: value for name, value in facts.items() if value is not None}
        if time_control is not None:
            known["time_control_assumed"] = False
        if ends_on is not None:
            known["end_assumed"] = False
        return replace(self, tournament=replace(self.tournament, **known))
