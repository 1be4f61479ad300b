"""A batch's view of the tournaments' table, with the questions that its index answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.processor import tournament_states
from elowire.processor.behind import Behind
from elowire.processor.entered import alone, claimed, entered_of
from elowire.processor.pairing import pairing_of
from elowire.processor.state import SEPARATOR, Overlay
from elowire.processor.tournament_index import entrant_key, tournament_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from elowire.processor.entered import Entered, Meaning
    from elowire.processor.pairing import Pairing
    from elowire.processor.resolution import Resolution
    from elowire.processor.tournament_index import Links, TournamentIndex

State = dict[str, Any]


class TournamentView(Overlay):
    """An overlay whose entrants can be found by entrant id or player id, and games by entrant."""

    def __init__(self, table: dict[bytes, bytes], index: TournamentIndex) -> None:
        super().__init__(table)
        self.index = index
        self._entrants: dict[bytes, Meaning] = {}
        self._claimed: dict[bytes, Meaning] = {}

    def get(self, key: bytes) -> State | None:
        """Return the state of a key, this batch's changes included. It must not be changed in place."""
        try:
            return self._seen[key]
        except KeyError:
            raw = self._table.get(key)
            state = self._seen[key] = None if raw is None else tournament_states.decode(raw)
            return state

    def puts(self) -> dict[bytes, bytes]:
        """Return the changed states as bytes, in write order."""
        return {key: tournament_states.encode(state) for key, state in self.changed.items()}

    def put_entrant(self, key: bytes, state: State) -> None:
        """Replace an entrant; whoever was looked up before may mean somebody else now."""
        self.put(key, state)
        self._entrants.clear()
        self._claimed.clear()

    def tournament(self, tournament_id: bytes) -> State | None:
        """Return a tournament."""
        key = tournament_key(tournament_id)
        try:
            return self._seen[key]
        except KeyError:
            raw = self._table.get(key)
            if raw is None:
                return self.get(key)
        state = self.index.tournaments.get(key, raw)
        if state is None:
            state = tournament_states.decode(raw)
            self.index.tournaments.keep(key, raw, state)
        self._seen[key] = state

        return state

    def entered(self, key: bytes) -> Entered | None:
        """Return an entrant as games need it, or None where there is no such entrant."""
        return self._alone(key).entered

    def _alone(self, key: bytes) -> Meaning:
        """Return whom the id that this key is made of means if nobody else is or was the player of it."""
        try:
            return self._entrants[key]
        except KeyError:
            found = self._entrants[key] = self._look_up(key)
            return found

    def _look_up(self, key: bytes) -> Meaning:
        raw = None if key in self.changed else self._table.get(key)
        if raw is None:
            entrant = self.get(key)
            return alone(key, None if entrant is None else entered_of(key, entrant))
        found = self.index.entrants.get(key, raw)
        if found is None:
            found = alone(key, entered_of(key, tournament_states.decode(raw)))
            self.index.entrants.keep(key, raw, found)

        return found

    def meaning(self, tournament_id: bytes, reference: str) -> Meaning:
        """Return whom a game's reference means."""
        key = entrant_key(tournament_id, reference)
        claims = self.links(tournament_id).claims(key)
        if not claims:
            return self._alone(key)
        found = self._claimed.get(key)
        if found is None:
            # The index may name entrants of a batch that was dropped: each is asked whether it is so.
            sure = [
                (claim, entered)
                for claim in sorted(claims)
                if (entered := self.entered(claim)) is not None and reference in entered.players
            ]
            own = self._alone(key)
            found = self._claimed[key] = claimed(own, sure, reference) if sure else own

        return found

    def meanings(self, tournament_id: bytes, game: State) -> dict[str, Meaning]:
        """Return whom every reference means by which a game names or ever named a player."""
        d = game["d"]
        found: dict[str, Meaning] = {}
        for colour in (d["w"], d["b"], *game["was"]):
            if colour is not None and colour[0] not in found:
                found[colour[0]] = self.meaning(tournament_id, colour[0])

        return found

    def pairing(
        self, tournament_id: bytes, game: State, resolution: Resolution | None, key: bytes = b""
    ) -> Pairing:
        """Return a game with everything that is known of its players; `key` finds it in the resolution."""
        meant = self.meanings(tournament_id, game)
        entrants = 0
        for meaning in meant.values():
            entrants += meaning.counter

        return pairing_of(
            self.tournament(tournament_id), game, meant, Behind(entrants, game["n"]), resolution, key
        )

    def references(self, key: bytes, entered: Entered | None) -> list[str]:
        """Return every name under which games may mean an entrant, in order."""
        own = key.split(SEPARATOR)[2].decode()

        return [own] if entered is None else sorted({own, *entered.players})

    def games_of(self, tournament_id: bytes, references: Collection[str]) -> Iterable[bytes]:
        """Return the keys of the games that name one of these, each once."""
        games_of = self.links(tournament_id).games_of
        if len(references) == 1:
            (reference,) = references
            return games_of.get(entrant_key(tournament_id, reference), {})
        keys: dict[bytes, None] = {}
        for reference in references:
            keys.update(dict.fromkeys(games_of.get(entrant_key(tournament_id, reference), ())))

        return keys

    def links(self, tournament_id: bytes) -> Links:
        """Return who plays what in a tournament, this batch included."""
        return self.index.links(tournament_id, self.get)
