"""A batch's view of the tournaments' table, with the questions that its index answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.processor.pairing import pairing_of
from elowire.processor.state import SEPARATOR, Overlay
from elowire.processor.tournament_index import entrant_key, tournament_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elowire.processor.pairing import Pairing
    from elowire.processor.resolution import Resolution
    from elowire.processor.tournament_index import TournamentIndex

State = dict[str, Any]


class TournamentView(Overlay):
    """An overlay whose entrants can be found by entrant id or player id, and games by entrant."""

    def __init__(self, table: dict[bytes, bytes], index: TournamentIndex) -> None:
        super().__init__(table)
        self.index = index

    def tournament(self, tournament_id: bytes) -> State | None:
        """Return a tournament."""
        return self.get(tournament_key(tournament_id))

    def canonical(self, tournament_id: bytes, reference: str) -> bytes:
        """Return the key of the entrant that a game's reference means: an entrant id, else a player id."""
        key = entrant_key(tournament_id, reference)
        if self.get(key) is None and (alias := self.index.alias(key)) is not None:
            return alias

        return key

    def entrant(self, tournament_id: bytes, reference: str) -> tuple[bytes, State | None]:
        """Return (key, entrant) of a reference; the entrant is None while the game alone names the player."""
        key = self.canonical(tournament_id, reference)

        return key, self.get(key)

    def pairing(self, tournament_id: bytes, game: State, resolution: Resolution | None) -> Pairing:
        """Return a game with everything that is known of its players."""
        white, black = (
            (b"", None) if printed is None else self.entrant(tournament_id, printed[0])
            for printed in (game["d"]["w"], game["d"]["b"])
        )

        return pairing_of(self.tournament(tournament_id), game, white, black, resolution)

    def references(self, key: bytes, entrant: State | None) -> set[str]:
        """Return every name under which games may mean an entrant."""
        references = {key.split(SEPARATOR)[2].decode()}
        if entrant is not None:
            references |= {entrant["d"]["p"], *entrant["was"]} - {None}

        return references

    def games_of(self, tournament_id: bytes, references: Iterable[str]) -> Iterable[bytes]:
        """Return the keys of the games that name one of these, each once."""
        keys: dict[bytes, None] = {}
        for reference in references:
            keys.update(dict.fromkeys(self.index.games_of.get(entrant_key(tournament_id, reference), ())))

        return keys
