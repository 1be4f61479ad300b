"""What lies behind a figure of the tournament stage, as one number that grows with all of it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Behind(NamedTuple):
    """What lies behind a figure: the sums of the counters of entrants and of games.

    They come from two topics, of which a process may be ahead in the one before a crash and in the other
    after it: a single sum would give two different figures one number.
    """

    entrants: int
    games: int

    def number(self, tournament: int = 0, *, resolved: bool = False) -> int:
        """Return one number that grows with each.

        First counts the tournament's own counter, then whether the sums are those of a whole tournament.
        """
        return (tournament << 1 | resolved) << 2 * _BITS | self.entrants << _BITS | self.games


# All in the 53 bits of a number that every consumer reads exactly.
_BITS: Final = 21
