"""Puts the rows of a file together into one event and refuses what contradicts itself.

All readers end here, so that the same mistake gets the same answer in every format.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from pathlib import PurePath
from typing import TYPE_CHECKING

from elowire.contracts.vocabulary import GameStatus, Result
from elowire.domain import TimeControl
from elowire.ingest.readers.report import EntrantFacts, EventReport, GameFacts, Notice, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elowire.ingest.readers.report import Findings, TournamentFacts

LONGEST_GAME_ID = 128
"""Characters of a game id in the contract; two long player ids together may have more."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the file a row stands: a line of text, or the path of a field in a JSON document."""

    line: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        """Name the place inside a sentence."""
        return f"line {self.line}" if self.line is not None else str(self.field)


def slug(text: str) -> str:
    """Make an id of letters, digits and hyphens out of a name: `US Open 2025` becomes `us-open-2025`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def id_of_file(source: str) -> str:
    """Make the tournament's id out of the name of its file; the same file always gives the same id."""
    return slug(PurePath(source).stem) or "event"


def time_control_in(*names: str) -> TimeControl | None:
    """Find `rapid` or `blitz` as a word in the names of an event, the only hint in files without the fact."""
    words = {word for name in names for word in slug(name).split("-")}
    for time_control in (TimeControl.BLITZ, TimeControl.RAPID, TimeControl.STANDARD):
        if time_control in words:
            return time_control
    return None


class Assembly:
    """Collects entrants and games of one event; the first statement counts, a contradiction is noted."""

    def __init__(self, tournament_id: str, findings: Findings) -> None:
        """Start an event without entrants and games."""
        self.tournament_id = tournament_id
        self.findings = findings
        self._entrants: dict[str, EntrantFacts] = {}
        self._entrant_place: dict[str, Place] = {}
        self._games: dict[str, GameFacts] = {}
        self._pairs: dict[str, Place] = {}
        self._seats: dict[tuple[int, str], tuple[GameFacts, Place]] = {}

    def entrant(self, facts: EntrantFacts, place: Place) -> None:
        """Add what a row says of a player; gaps are filled, a different figure is noted and not used."""
        known = self._entrants.get(facts.entrant_id)
        if known is None:
            self._entrants[facts.entrant_id] = facts
            self._entrant_place[facts.entrant_id] = place
            return
        for field in fields(facts):
            new, old = getattr(facts, field.name), getattr(known, field.name)
            if new in {None, False} or new == old:
                continue
            if old in {None, False}:
                known = replace(known, **{field.name: new})
                continue
            self.findings.adjust(
                f"says {new!r} for player {facts.entrant_id} where {self._entrant_place[facts.entrant_id]} "
                f"says {old!r}; the first is used",
                line=place.line,
                field=field.name,
            )
        self._entrants[facts.entrant_id] = known

    def knows(self, entrant_id: str) -> bool:
        """Say whether the player is among the entrants."""
        return entrant_id in self._entrants

    def game(self, facts: GameFacts, place: Place) -> bool:
        """Add a game, or refuse it with the reason; says whether it was added.

        Refused: both colours the same player, a player twice in a round, one pairing with two contents.
        An exact repeat is left out and noted. `facts.game_id` is replaced unless it is given.
        """
        refuse = self.findings.refuse
        if facts.white == facts.black:
            refuse(
                f"player {facts.white} has both colours; two players were expected",
                line=place.line,
                field=place.field,
            )
            return False
        game_id = facts.game_id or self._game_id(facts)
        facts = replace(facts, game_id=game_id)
        if (facts.result is Result.UNKNOWN) != (facts.status is GameStatus.ONGOING):
            refuse(
                f"has the result {facts.result} with the status {facts.status}; * belongs to ongoing alone",
                line=place.line,
                field=place.field,
            )
            return False
        known = self._games.get(game_id)
        if known is not None:
            first = self._pairs[game_id]
            if replace(known, line=None) == replace(facts, line=None):
                self.findings.adjust(
                    f"repeats {first}; it is counted once", line=place.line, field=place.field
                )
            else:
                refuse(
                    f"contradicts {first} about game {game_id}; keep one of them, or name both in game_id",
                    line=place.line,
                    field=place.field,
                )
            return False
        if not self._seat(facts, place):
            return False
        self._games[game_id] = facts
        self._pairs[game_id] = place
        return True

    def _seat(self, facts: GameFacts, place: Place) -> bool:
        """Refuse a second opponent in one round; further games against the same opponent are a match."""
        if facts.round is None:
            return True
        players = [player for player in (facts.white, facts.black) if player is not None]
        for player in players:
            other = self._seats.get((facts.round, player))
            if other is not None and {other[0].white, other[0].black} != {facts.white, facts.black}:
                self.findings.refuse(
                    f"player {player} already has a game in round {facts.round} ({other[1]}); "
                    "one game per player and round was expected",
                    line=place.line,
                    field=place.field,
                )
                return False
        for player in players:
            self._seats[facts.round, player] = (facts, place)
        return True

    @staticmethod
    def _game_id(facts: GameFacts) -> str:
        """Name a game by its round and its players, whatever their colours.

        The same file gives the same ids again, in any order of lines, and a corrected result or colour keeps
        the id of its game. Boards would not do: events in two halls number them twice.
        """
        prefix = f"r{facts.round}" if facts.round is not None else "game"
        players = sorted(player for player in (facts.white, facts.black) if player is not None)
        name = "-".join([prefix, *players])
        if len(name) > LONGEST_GAME_ID:
            return f"{prefix}-{blake2b(name.encode(), digest_size=12).hexdigest()}"
        return name

    def report(self, source: str, form: str, tournament: TournamentFacts) -> EventReport:
        """Close the event; raises `UnreadableFile` when no single game could be read."""
        if not self._games:
            refusals = self.findings.imported().refusals()
            first = f"; the first refusal: {refusals[0]}" if refusals else ""
            raise UnreadableFile(Notice("refused", f"no game could be read{first}"))
        games = tuple(self._games.values())
        return EventReport(
            source=source,
            format=form,
            tournament=_completed(tournament, games),
            entrants=tuple(self._entrants.values()),
            games=games,
            imported=self.findings.imported(),
        )


def _completed(tournament: TournamentFacts, games: Iterable[GameFacts]) -> TournamentFacts:
    """Fill dates and rounds from the games, and the time control from the names, where the file is silent."""
    days = [game.played_on for game in games if game.played_on is not None]
    rounds = [game.round for game in games if game.round is not None]
    if days:
        tournament = replace(tournament, starts_on=tournament.starts_on or min(days))
    if days and tournament.ends_on is None:
        tournament = replace(tournament, ends_on=max(days), end_assumed=True)
    if rounds and tournament.rounds is None:
        tournament = replace(tournament, rounds=max(rounds), rounds_assumed=True)
    if tournament.time_control is None:
        hint = time_control_in(tournament.name, tournament.tournament_id)
        if hint is not None:
            tournament = replace(tournament, time_control=hint, time_control_assumed=True)
    return tournament
