"""How every entrant stands: the sums of his line, kept between batches, so that a result adds to them.

Without this every result would decode and rate all games of both players again. A standing is left aside when
anything behind it changes but one more game or another result of one: then the games are gone through once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from elowire.processor.state import SEPARATOR

if TYPE_CHECKING:
    from elowire.processor.facts import Facts
    from elowire.processor.shares import Rated, Shares

T = TypeVar("T")


class Standing(NamedTuple):
    """The sums of an entrant's games; points, expectancies and changes in hundredths."""

    entrants: int = 0
    games: int = 0
    """What lies behind all games that ever named the entrant (`Behind`)."""
    scored: int = 0
    opponents: tuple[int, ...] = ()
    """The ratings met in games that count, in no order that matters."""
    rated_points: int = 0
    expected: int = 0
    total: int = 0
    rated: tuple[Rated, ...] = ()
    """The games that count, where one cap for all of them wants to see them together (8.3.1 of 2022)."""
    last: tuple[tuple[int, bytes], Facts] | None = None
    """The last game's place and the facts beside it, where games alone name the player."""

    def with_game(self, key: bytes, shares: Shares) -> Standing:
        """Add a game that names or named the entrant of this key."""
        entrants, games, scored, opponents, points, expected, total, rated, last = self
        for share in shares.of(key):
            scored += share.scored
            if share.rated is not None:
                opponents = (*opponents, share.rated[1])
                points += share.rated[2]
                if share.change is not None:
                    expected += share.change.expectancy
                    total += share.change.delta
                if shares.one_upgrade:
                    rated = (*rated, share.rated)
            if share.printed is not None and (last is None or shares.place >= last[0]):
                last = (shares.place, share.printed)
        behind = shares.behind

        return Standing(
            entrants + behind.entrants,
            games + behind.games,
            scored,
            opponents,
            points,
            expected,
            total,
            rated,
            last,
        )

    def without_game(self, key: bytes, shares: Shares) -> Standing | None:
        """Take a game back as it was added; None where what is left cannot be told."""
        if self.last is not None and self.last[0] == shares.place:
            return None
        entrants, games, scored, opponents, points, expected, total, rated, last = self
        for share in shares.of(key):
            scored -= share.scored
            if share.rated is not None:
                opponents = _without(opponents, share.rated[1])
                points -= share.rated[2]
                if share.change is not None:
                    expected -= share.change.expectancy
                    total -= share.change.delta
                if shares.one_upgrade:
                    rated = _without(rated, share.rated)
        behind = shares.behind

        return Standing(
            entrants - behind.entrants,
            games - behind.games,
            scored,
            opponents,
            points,
            expected,
            total,
            rated,
            last,
        )


class Standings:
    """The standings of one partition, by tournament and entrant's key.

    Those of a batch count for later ones only if its states became durable: a batch can be dropped and cut
    differently the next time.
    """

    def __init__(self) -> None:
        self._durable: dict[bytes, dict[bytes, Standing | None]] = {}
        self._fresh: dict[bytes, dict[bytes, Standing | None]] = {}
        self._awaited: dict[bytes, bytes] = {}

    def begin(self, table: dict[bytes, bytes]) -> None:
        """Start a batch: keep what the last one found out if its states are in the table.

        All of them are looked for: another process may have written some of a batch that was dropped, or
        newer ones. Then nothing that is known of their tournaments is believed.
        """
        if all(table.get(key) == state for key, state in self._awaited.items()):
            for tournament_id, fresh in self._fresh.items():
                self._durable.setdefault(tournament_id, {}).update(fresh)
        else:
            for key in self._awaited:
                self._durable.pop(key.partition(SEPARATOR)[0], None)
        self._fresh, self._awaited = {}, {}

    def end(self, puts: dict[bytes, bytes]) -> None:
        """End a batch that asks for these states."""
        self._awaited = puts

    def forget(self, tournament_id: bytes) -> None:
        """Leave all standings of a tournament aside, because more than its games changed."""
        self._durable.pop(tournament_id, None)
        self._fresh.pop(tournament_id, None)

    def get(self, tournament_id: bytes, key: bytes) -> Standing | None:
        """Return an entrant's standing, or None where it has to be worked out."""
        fresh = self._fresh.get(tournament_id)
        if fresh is not None and key in fresh:
            return fresh[key]
        durable = self._durable.get(tournament_id)

        return None if durable is None else durable.get(key)

    def put(self, tournament_id: bytes, key: bytes, standing: Standing | None) -> None:
        """Replace an entrant's standing; None where it is not known any more."""
        fresh = self._fresh.get(tournament_id)
        if fresh is None:
            fresh = self._fresh[tournament_id] = {}
        fresh[key] = standing

    def add(self, tournament_id: bytes, shares: Shares) -> None:
        """Add a game to every standing that is known."""
        for key in shares.entrants:
            standing = self.get(tournament_id, key)
            if standing is not None:
                self.put(tournament_id, key, standing.with_game(key, shares))

    def take_back(self, tournament_id: bytes, shares: Shares) -> None:
        """Take a game out of every standing that is known, as it stood there."""
        for key in shares.entrants:
            standing = self.get(tournament_id, key)
            if standing is not None:
                self.put(tournament_id, key, standing.without_game(key, shares))

    def knows(self, tournament_id: bytes) -> bool:
        """Whether anything is known of a tournament."""
        return tournament_id in self._durable or tournament_id in self._fresh


def _without(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    at = items.index(item)

    return items[:at] + items[at + 1 :]
