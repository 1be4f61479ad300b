"""What one game adds to the lines of its two entrants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from elowire.processor.entered import entrants_of
from elowire.processor.rated import change_of, one_upgrade

if TYPE_CHECKING:
    from elowire.domain import GameChange
    from elowire.processor.behind import Behind
    from elowire.processor.facts import Facts
    from elowire.processor.pairing import Colour, Pairing

# A bye scores as its result says; an annulled, unplayed or running game scores nothing.
SCORELESS = frozenset({"annulled", "unplayed", "ongoing"})

State = dict[str, Any]
Rated = tuple[int, int, int]
"""Own rating or 0, the opponent's rating, points in hundredths."""


class Share(NamedTuple):
    """One game in one entrant's line; points in hundredths."""

    entrant: bytes
    scored: int
    rated: Rated | None
    change: GameChange | None
    printed: Facts | None
    """The facts beside the game, where it alone names the player."""


class Shares(NamedTuple):
    """A game in the lines of everybody whom it names or ever named."""

    place: tuple[int, bytes]
    """Round and key of the game: their order."""
    entrants: tuple[bytes, ...]
    """The keys of all entrants concerned; those who do not play have no share."""
    behind: Behind
    white: Share
    black: Share
    one_upgrade: bool
    """Whether one cap serves a player's whole tournament (8.3.1 of 2022)."""

    def of(self, key: bytes) -> tuple[Share, ...]:
        """Return an entrant's shares; whoever plays against himself by mistake has two."""
        if self.white.entrant != key:
            return (self.black,) if self.black.entrant == key else ()

        return (self.white, self.black) if self.black.entrant == key else (self.white,)


def shares_of(game_key: bytes, pairing: Pairing) -> Shares:
    """Return what a game adds to the lines."""
    d = pairing.game["d"]
    t = None if pairing.tournament is None else pairing.tournament["d"]
    scores = d["st"] not in SCORELESS

    return Shares(
        (d["rd"] or 0, game_key),
        tuple(dict.fromkeys(entrants_of(pairing.meant))),
        pairing.behind,
        _share(pairing.white, t, scores=scores),
        _share(pairing.black, t, scores=scores),
        t is not None and one_upgrade(t["e"], t["tc"], t["a"]),
    )


def _share(colour: Colour, content: State | None, *, scores: bool) -> Share:
    """Return one colour's share; `content` is the tournament's."""
    rated, change, own = colour.rated, None, colour.own
    if rated is not None and rated[0] and content is not None:
        change = change_of(*rated, content["e"], content["tc"], content["a"])
    scored = (colour.points or 0) if scores else 0

    return Share(own.key, scored, rated, change, own if colour.event_id is None else None)
