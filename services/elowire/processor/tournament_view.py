"""A batch's view of the tournaments' table, with the questions that its index answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.processor.behind import Behind
from elowire.processor.pairing import pairing_of
from elowire.processor.state import SEPARATOR, Overlay
from elowire.processor.tournament_index import entrant_key, ever_named, tournament_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

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
        """Return the key of the entrant that a game's reference means.

        An entrant's id; else who is that player now, else who ever was. Two entrants of one player are a
        fault of the source: the smaller key is taken, whatever came first.
        """
        key = entrant_key(tournament_id, reference)
        if self.get(key) is not None or not self.index.claims(key):
            return key
        claims = self._claims(key)
        now = [claim for claim, entrant in claims if entrant["d"]["p"] == reference]
        ever = [claim for claim, entrant in claims if reference in entrant["was"]]

        return min(now or ever, default=key)

    def counter(self, tournament_id: bytes, reference: str) -> int:
        """Return a number that grows with everything that can change whom a reference means, or his facts."""
        counter: int = sum(entrant["n"] for entrant in self.bearers(tournament_id, reference))

        return counter

    def bearers(self, tournament_id: bytes, reference: str) -> list[State]:
        """Return every entrant that a reference can mean or can have meant."""
        key = entrant_key(tournament_id, reference)
        own = self.get(key)
        found = [] if own is None else [own]
        if self.index.claims(key):
            found += [entrant for _, entrant in self._claims(key)]

        return found

    def _claims(self, key: bytes) -> list[tuple[bytes, State]]:
        return [
            (claim, entrant) for claim in self.index.claims(key) if (entrant := self.get(claim)) is not None
        ]

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

        counters = {name: self.counter(tournament_id, name) for name in ever_named(game)}
        of_white, of_black = (
            0 if printed is None else counters[printed[0]] for printed in (game["d"]["w"], game["d"]["b"])
        )
        behind = Behind(sum(counters.values()), game["n"])

        return pairing_of(
            self.tournament(tournament_id), game, white, black, (of_white, of_black), behind, resolution
        )

    def meant(self, tournament_id: bytes, reference: str) -> set[bytes]:
        """Return the keys of every entrant whose games change when a reference means somebody else."""
        claims = self._claims(entrant_key(tournament_id, reference))

        return {self.canonical(tournament_id, reference), *(claim for claim, _ in claims)}

    def references(self, key: bytes, entrant: State | None) -> set[str]:
        """Return every name under which games may mean an entrant."""
        references = {key.split(SEPARATOR)[2].decode()}
        if entrant is not None:
            references |= {entrant["d"]["p"], *entrant["was"]} - {None}

        return references

    def games_of(self, tournament_id: bytes, references: Collection[str]) -> Iterable[bytes]:
        """Return the keys of the games that name one of these, each once."""
        if len(references) == 1:
            (reference,) = references
            return self.index.games_of.get(entrant_key(tournament_id, reference), {})
        keys: dict[bytes, None] = {}
        for reference in references:
            keys.update(dict.fromkeys(self.index.games_of.get(entrant_key(tournament_id, reference), ())))

        return keys
