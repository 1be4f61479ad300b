"""What tournaments say of themselves: names, days, state, and who entered them.

Read beside the figures, never before them: a board without a tournament's name is still right.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from elowire.contracts.events import Entrant, Tournament
from elowire.contracts.vocabulary import TournamentStatus

_Rank = tuple[int, str]
"""(revision, event id): the highest wins (architecture, section 2)."""


class Entered(NamedTuple):
    """An entry's newest record."""

    rank: _Rank
    entrant: Entrant


class Notes:
    """The newest record of every tournament and entrant."""

    def __init__(self) -> None:
        self._tournaments: dict[str, tuple[_Rank, Tournament]] = {}
        self._entrants: dict[str, dict[str, Entered]] = {}
        self._persons: dict[str, Entrant] = {}
        self._reopened: set[str] = set()

    def take_tournament(self, tournament: Tournament, event_id: str) -> bool:
        """Take a tournament; False for a record that is not newer."""
        rank = (tournament.revision, event_id)
        known = self._tournaments.get(tournament.tournament_id)
        if known is not None and rank <= known[0]:
            return False
        was = None if known is None else known[1].status
        if was is TournamentStatus.FINISHED and tournament.status is TournamentStatus.RUNNING:
            self._reopened.add(tournament.tournament_id)
        if tournament.status is not TournamentStatus.RUNNING:
            self._reopened.discard(tournament.tournament_id)
        self._tournaments[tournament.tournament_id] = (rank, tournament)

        return True

    def take_entrant(self, entrant: Entrant, event_id: str) -> bool:
        """Take an entry; False for a record that is not newer."""
        rank = (entrant.revision, event_id)
        entries = self._entrants.setdefault(entrant.tournament_id, {})
        known = entries.get(entrant.identity)
        if known is not None and rank <= known.rank:
            return False
        entries[entrant.identity] = Entered(rank, entrant)
        if entrant.player_id is not None:
            self._persons[entrant.player_id] = entrant

        return True

    def tournament(self, tournament_id: str) -> Tournament | None:
        """Give what a tournament says of itself."""
        known = self._tournaments.get(tournament_id)

        return None if known is None else known[1]

    def tournaments(self) -> Iterator[Tournament]:
        """Give all tournaments."""
        return (tournament for _, tournament in self._tournaments.values())

    def state(self, tournament_id: str) -> str | None:
        """Say where a tournament stands; `reopened` for one that was finished and runs again."""
        tournament = self.tournament(tournament_id)
        if tournament is None:
            return None

        return "reopened" if tournament_id in self._reopened else tournament.status.value

    def entrant(self, tournament_id: str, entrant_id: str) -> Entrant | None:
        """Give an entry of a tournament."""
        entered = self._entrants.get(tournament_id, {}).get(entrant_id)

        return None if entered is None else entered.entrant

    def person(self, player_id: str) -> Entrant | None:
        """Give a player's entry that was read last: who he is, where no list says it."""
        return self._persons.get(player_id)

    def nobodies(self) -> list[Entrant]:
        """Give the entrants of whom it is not known who they are; their games wait."""
        return [
            entered.entrant
            for entries in self._entrants.values()
            for entered in entries.values()
            if entered.entrant.player_id is None
        ]

    def past(self, day: date) -> list[str]:
        """Name the tournaments that ended before a day."""
        return [tournament.tournament_id for tournament in self.tournaments() if tournament.ends_on < day]

    def forget(self, tournament_id: str) -> None:
        """Drop a tournament and its entrants."""
        self._tournaments.pop(tournament_id, None)
        for entered in self._entrants.pop(tournament_id, {}).values():
            player_id = entered.entrant.player_id or ""
            if self._persons.get(player_id) is entered.entrant:
                del self._persons[player_id]
        self._reopened.discard(tournament_id)
