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
    from collections.abc import Callable, Collection

State = dict[str, Any]
_ENTRANT, _GAME = b"e", b"g"

# Games and entrants of one partition in use until what is not is let go: a country's weekend, about 4 MB.
GENERATION = 25_000

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


class Links:
    """Who plays what in one tournament: games by entrant's key, and entrants by the names they claim."""

    __slots__ = ("_claims", "games_of")

    def __init__(self) -> None:
        self.games_of: dict[bytes, dict[bytes, int | None]] = {}
        self._claims: dict[bytes, tuple[bytes, ...]] = {}

    def note_game(self, tournament_id: bytes, key: bytes, state: State) -> None:
        """Link a game with every entrant it points to or ever pointed to; the value is its round."""
        d, games_of = state["d"], self.games_of
        number = MOVED if state["sat"] else d["rd"]
        for colour in (d["w"], d["b"], *state["was"]):
            if colour is not None:
                name = entrant_key(tournament_id, colour[0])
                games = games_of.get(name)
                if games is None:
                    games = games_of[name] = {}
                games[key] = number

    def note_entrant(self, tournament_id: bytes, key: bytes, state: State) -> None:
        """Link an entrant with every player it is or was."""
        names = {entrant_key(tournament_id, player) for player in (state["d"]["p"], *state["was"]) if player}
        for name in names - {key}:
            known = self._claims.get(name, ())
            if key not in known:
                self._claims[name] = (*known, key)

    def claims(self, key: bytes) -> Collection[bytes]:
        """Return the keys of the entrants that are or were the player whose id this key is made of."""
        return self._claims.get(key, ())


class TournamentIndex:
    """The index of one partition: the keys of every tournament, and the links of those in use.

    Games are kept for ever, since any may be corrected, so what is kept beside them counts: the links of a
    tournament are made from its states when a record needs them, and let go, with its standings, when
    enough of other tournaments was in use since.
    """

    __slots__ = (
        "_in_use",
        "_last",
        "_loose",
        "_now",
        "entrants",
        "entrants_in",
        "games_in",
        "standings",
        "tournaments",
    )

    def __init__(self) -> None:
        self.games_in: dict[bytes, Collection[bytes]] = {}
        self.entrants_in: dict[bytes, Collection[bytes]] = {}
        self.standings = Standings()
        self.entrants: Kept[Meaning] = Kept()
        self.tournaments: Kept[State] = Kept()
        # Two generations: what is not asked for while one fills up goes with the end of the next.
        self._now: dict[bytes, Links] = {}
        self._last: dict[bytes, Links] = {}
        self._in_use = 0
        self._loose: set[bytes] = set()
        """Tournaments without links whose keys are not packed yet."""

    def begin(self, table: dict[bytes, bytes]) -> None:
        """Start a batch: here, and nowhere else, links are let go."""
        self.standings.begin(table)
        for tournament_id in self._loose:
            self._pack(tournament_id)
        self._loose.clear()
        if self._in_use > GENERATION:
            for tournament_id in self._last:
                self.standings.forget(tournament_id)
                self._pack(tournament_id)
            self._now, self._last, self._in_use = {}, self._now, 0

    def note(self, key: bytes) -> None:
        """Take the key of a state that was not decided here: its tournament's links are made anew."""
        tournament_id, kind, *_ = key.split(SEPARATOR)
        self.standings.forget(tournament_id)
        self._now.pop(tournament_id, None)
        self._last.pop(tournament_id, None)
        self._loose.add(tournament_id)
        if kind == _GAME:
            _add(self.games_in, tournament_id, key)
        elif kind == _ENTRANT:
            _add(self.entrants_in, tournament_id, key)

    def note_game(self, tournament_id: bytes, key: bytes, state: State) -> None:
        """Take a game that was decided here."""
        _add(self.games_in, tournament_id, key)
        if (links := self._linked(tournament_id)) is None:
            self._loose.add(tournament_id)
        else:
            links.note_game(tournament_id, key, state)
            self._in_use += 1

    def note_entrant(self, tournament_id: bytes, key: bytes, state: State) -> None:
        """Take an entrant that was decided here."""
        _add(self.entrants_in, tournament_id, key)
        if (links := self._linked(tournament_id)) is None:
            self._loose.add(tournament_id)
        else:
            links.note_entrant(tournament_id, key, state)
            self._in_use += 1

    def links(self, tournament_id: bytes, state_of: Callable[[bytes], State | None]) -> Links:
        """Return the links of a tournament, made anew where they are not kept."""
        links = self._now.get(tournament_id)
        if links is None:
            links = self._linked(tournament_id) or self._link(tournament_id, state_of)
        return links

    def _linked(self, tournament_id: bytes) -> Links | None:
        links = self._now.get(tournament_id)
        if links is None and (links := self._last.pop(tournament_id, None)) is not None:
            self._use(tournament_id, links)
        return links

    def _link(self, tournament_id: bytes, state_of: Callable[[bytes], State | None]) -> Links:
        links = Links()
        for keys, note in ((self.games_in, links.note_game), (self.entrants_in, links.note_entrant)):
            for key in keys.get(tournament_id, ()):
                if (state := state_of(key)) is not None:
                    note(tournament_id, key, state)
        self._use(tournament_id, links)
        self._loose.discard(tournament_id)
        return links

    def _use(self, tournament_id: bytes, links: Links) -> None:
        self._now[tournament_id] = links
        self._in_use += sum(len(keys.get(tournament_id, ())) for keys in (self.games_in, self.entrants_in))

    def _pack(self, tournament_id: bytes) -> None:
        for keys in (self.games_in, self.entrants_in):
            if tournament_id in keys:
                keys[tournament_id] = tuple(keys[tournament_id])


def _add(keys: dict[bytes, Collection[bytes]], tournament_id: bytes, key: bytes) -> None:
    known = keys.get(tournament_id)
    if not isinstance(known, dict):
        known = keys[tournament_id] = dict.fromkeys(known or ())
    known[key] = None
