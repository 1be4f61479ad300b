"""What a tournament's states point at, derived in memory: entrants to games, player ids to entrants.

It may hold too much (a game that no longer points here), never too little.
"""

from __future__ import annotations

from typing import Any

from elowire.processor.shares import Shares
from elowire.processor.state import SEPARATOR

State = dict[str, Any]
_ENTRANT, _GAME = b"e", b"g"


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

    __slots__ = ("_aliases", "entrants_in", "games_in", "games_of", "shares")

    def __init__(self) -> None:
        self.games_of: dict[bytes, dict[bytes, int | None]] = {}
        self.games_in: dict[bytes, dict[bytes, None]] = {}
        self.entrants_in: dict[bytes, dict[bytes, None]] = {}
        self.shares = Shares()
        self._aliases: dict[bytes, bytes] = {}

    def note(self, key: bytes, state: State) -> None:
        """Take a state into the index."""
        tournament_id, kind, *_ = key.split(SEPARATOR)
        if kind == _GAME:
            self.note_game(tournament_id, key, state)
        elif kind == _ENTRANT:
            self.note_entrant(tournament_id, key, state)

    def note_game(self, tournament_id: bytes, key: bytes, state: State) -> None:
        """Link a game with every entrant it points to or ever pointed to; the value is its round."""
        self.games_in.setdefault(tournament_id, {})[key] = None
        for reference, _ in (*named(state["d"]), *state["was"]):
            self.games_of.setdefault(entrant_key(tournament_id, reference), {})[key] = state["d"]["rd"]

    def note_entrant(self, tournament_id: bytes, key: bytes, state: State) -> None:
        """Link an entrant with its tournament, and with its player id where that is another name."""
        self.entrants_in.setdefault(tournament_id, {})[key] = None
        player_id = state["d"]["p"]
        if player_id is None:
            return
        alias = entrant_key(tournament_id, player_id)
        # Two entrants of one player are a fault of the source; the smaller key wins whatever came first.
        if alias != key and (alias not in self._aliases or key < self._aliases[alias]):
            self._aliases[alias] = key

    def alias(self, key: bytes) -> bytes | None:
        """Return the key of the entrant that a player id stands for."""
        return self._aliases.get(key)
