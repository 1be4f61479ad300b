"""What a tournament's states point at, derived in memory: entrants to games, player ids to entrants.

It may hold too much (a game that no longer points here, an entrant of a batch that was dropped), never too
little: what it names is looked up in the states before it is believed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.processor.entered import Kept, Meaning
from elowire.processor.standings import Standings
from elowire.processor.state import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterable

State = dict[str, Any]
_ENTRANT, _GAME = b"e", b"g"

# Stands for the rounds of a game that was in several.
MOVED = -1


def tournament_key(tournament_id: bytes) -> bytes:
    """Return the changelog key of a tournament."""
    return tournament_id + b"\x1ft"


def entrant_key(tournament_id: bytes, reference: str) -> bytes:
    """Return the changelog key of an entrant."""
    return b"%b\x1fe\x1f%b" % (tournament_id, reference.encode())


def game_key(tournament_id: bytes, game_id: str) -> bytes:
    """Return the changelog key of a game."""
    return b"%b\x1fg\x1f%b" % (tournament_id, game_id.encode())


def named(content: dict[str, Any]) -> list[list[str]]:
    """Return [reference, printed player id or ''] of every colour of a game."""
    return [[colour[0], colour[1] or ""] for colour in (content["w"], content["b"]) if colour is not None]


class TournamentIndex:
    """The index of one partition: games by entrant and tournament, entrants by tournament and player id."""

    __slots__ = ("_claims", "entrants", "entrants_in", "games_in", "games_of", "standings", "tournaments")

    def __init__(self) -> None:
        self.games_of: dict[bytes, dict[bytes, int | None]] = {}
        self.games_in: dict[bytes, dict[bytes, None]] = {}
        self.entrants_in: dict[bytes, dict[bytes, None]] = {}
        self.standings = Standings()
        self.entrants: Kept[Meaning] = Kept()
        self.tournaments: Kept[State] = Kept()
        self._claims: dict[bytes, tuple[bytes, ...]] = {}

    def note(self, key: bytes, state: State) -> None:
        """Take a state that was not decided here into the index."""
        tournament_id, kind, *_ = key.split(SEPARATOR)
        self.standings.forget(tournament_id)
        if kind == _GAME:
            self.note_game(tournament_id, key, state)
        elif kind == _ENTRANT:
            self.note_entrant(tournament_id, key, state)

    def note_game(self, tournament_id: bytes, key: bytes, state: State) -> None:
        """Link a game with every entrant it points to or ever pointed to; the value is its round."""
        d, games_of = state["d"], self.games_of
        self.games_in.setdefault(tournament_id, {})[key] = None
        number = MOVED if state["sat"] else d["rd"]
        for colour in (d["w"], d["b"], *state["was"]):
            if colour is not None:
                name = entrant_key(tournament_id, colour[0])
                games = games_of.get(name)
                if games is None:
                    games = games_of[name] = {}
                games[key] = number

    def note_entrant(self, tournament_id: bytes, key: bytes, state: State) -> None:
        """Link an entrant with its tournament and every player it is or was."""
        self.entrants_in.setdefault(tournament_id, {})[key] = None
        names = {entrant_key(tournament_id, player) for player in (state["d"]["p"], *state["was"]) if player}
        for name in names - {key}:
            known = self._claims.get(name, ())
            if key not in known:
                self._claims[name] = (*known, key)

    def claims(self, key: bytes) -> Iterable[bytes]:
        """Return the keys of the entrants that are or were the player whose id this key is made of."""
        return self._claims.get(key, ())
