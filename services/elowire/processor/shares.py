"""What each game adds to the lines of its two entrants, remembered between batches.

A line needs all games of its entrant; without this every result would decode and rate them all again. A share
is forgotten when a state behind it changes. Shares of a batch count for later ones only if its states became
durable: a batch can be dropped and cut differently the next time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from elowire.processor.rated import change_of

if TYPE_CHECKING:
    from elowire.domain import GameChange
    from elowire.processor.behind import Behind
    from elowire.processor.pairing import Colour, Facts, Pairing

# A bye scores as its result says; an annulled, unplayed or running game scores nothing.
SCORELESS = frozenset({"annulled", "unplayed", "ongoing"})


class Share(NamedTuple):
    """One game in one entrant's line; points in hundredths, `behind` as in `Pairing`."""

    entrant: bytes
    round: int
    behind: Behind
    scored: int
    rated: tuple[int, int, int] | None
    change: GameChange | None
    printed: Facts | None
    """The facts beside the game, where it alone names the player."""


class Shares:
    """The shares of one partition's games: (White's, Black's) by the game's key."""

    def __init__(self) -> None:
        self._durable: dict[bytes, tuple[Share, Share]] = {}
        self._fresh: dict[bytes, tuple[Share, Share]] = {}
        self._witness: tuple[bytes, bytes] | None = None

    def begin(self, table: dict[bytes, bytes]) -> None:
        """Start a batch: keep what the last one found out if its states are in the table."""
        if self._witness is None or table.get(self._witness[0]) == self._witness[1]:
            self._durable.update(self._fresh)
        self._fresh = {}
        self._witness = None

    def end(self, puts: dict[bytes, bytes]) -> None:
        """End a batch that asks for these states; a batch becomes durable as a whole."""
        self._witness = next(iter(puts.items()), None)

    def forget(self, game_key: bytes) -> None:
        """Drop a game's shares, because a state behind them changed."""
        self._durable.pop(game_key, None)
        self._fresh.pop(game_key, None)

    def get(self, game_key: bytes) -> tuple[Share, Share] | None:
        """Return the shares of a game, or None where they have to be worked out."""
        return self._fresh.get(game_key) or self._durable.get(game_key)

    def note(self, game_key: bytes, pairing: Pairing) -> tuple[Share, Share]:
        """Work out a game's shares and remember them, unless they depend on more than its own states."""
        shares = shares_of(pairing)
        if not pairing.resolution:
            self._fresh[game_key] = shares

        return shares


def shares_of(pairing: Pairing) -> tuple[Share, Share]:
    """Return White's and Black's share of a game."""
    return _share(pairing, pairing.white, 2), _share(pairing, pairing.black, 3)


def _share(pairing: Pairing, colour: Colour, source: int) -> Share:
    rated, change = colour.rated, None
    if rated is not None and rated[0] and pairing.tournament is not None:
        t = pairing.tournament["d"]
        change = change_of(*rated, t["e"], t["tc"], t["a"])
    d = pairing.game["d"]
    scored = 0 if colour.points is None or d["st"] in SCORELESS else colour.points

    return Share(
        colour.own.key,
        d["rd"] or 0,
        pairing.behind,
        scored,
        rated,
        change,
        colour.own if pairing.sources[source] is None else None,
    )
