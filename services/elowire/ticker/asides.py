"""What is read beside the figures: what tournaments say of themselves, and refused records.

The board is complete without them, so nothing waits for them; where this user may not read a topic, the pages
show ids instead of names and the operator's page says so.
"""

from __future__ import annotations

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.envelope import decode
from elowire.contracts.events import Entrant, Tournament
from elowire.contracts.topics import DEAD_LETTERS, TOURNAMENT_EVENTS
from elowire.runtime.kafka import Record
from elowire.ticker.board import Board
from elowire.ticker.changes import Change
from elowire.ticker.letters import Letters

ASIDES = (TOURNAMENT_EVENTS.name, DEAD_LETTERS.name)


class Asides:
    """Takes records of `ASIDES` into a board and a heap of letters."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self.letters = Letters()

    def take(self, record: Record) -> Change | None:
        """Take one record; what is refused elsewhere too is passed over in silence."""
        if record.topic == DEAD_LETTERS.name:
            self.letters.take(record)
            return None
        self._board.applied += 1
        decoded = decode(record.topic, record.key, record.value, record.headers)
        if not isinstance(decoded, Decoded):
            return None
        match decoded.data:
            case Tournament() as tournament:
                return self._tournament(tournament, decoded.event_id)
            case Entrant() as entrant:
                self._entrant(entrant, decoded.event_id)
            case _:
                pass
        return None

    def _tournament(self, tournament: Tournament, event_id: str) -> Change | None:
        if not self._board.notes.take_tournament(tournament, event_id):
            return None

        return Change(
            event="tournament",
            value=tournament.tournament_id.encode(),
            player_id=None,
            federation=None,
            tournaments=frozenset({tournament.tournament_id}),
            time_controls=frozenset({tournament.time_control}),
            chosen_only=True,
        )

    def _entrant(self, entrant: Entrant, event_id: str) -> None:
        if self._board.notes.take_entrant(entrant, event_id) and entrant.player_id is not None:
            self._board.introduce(entrant.player_id)
