"""An entrant as games need him, and whom a game's reference means: worked out once, not with every game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from elowire.processor.facts import entrant_facts

if TYPE_CHECKING:
    from elowire.processor.facts import Facts

State = dict[str, Any]
Worked = TypeVar("Worked")

# In one partition; an entrant takes about 500 bytes in this form.
MOST: Final = 2000


class Entered(NamedTuple):
    """An entrant's state, as the games and lines of the tournament need it."""

    event_id: str
    counter: int
    """How often the entrant changed (`n` of the state)."""
    facts: Facts
    """Without what may stand beside a game, or what the tournament says."""
    former: tuple[str, ...]
    """Players that the entrant once was."""
    ever_unrated: bool
    players: tuple[str, ...]
    """The player that the entrant is, then the former ones."""


class Meaning(NamedTuple):
    """Whom a reference means, and everybody it can ever have meant."""

    key: bytes
    """The entrant's key in the table, also where games alone name the player."""
    entered: Entered | None
    counter: int
    """Grows with everything that can change whom the reference means, or his facts."""
    players: tuple[str, ...]
    """Every player whom the reference can ever have meant."""
    entrants: tuple[bytes, ...]
    """The keys, in order, of all entrants whose games change when the reference means somebody else."""


def entered_of(key: bytes, entrant: State) -> Entered:
    """Return an entrant's state as games need it."""
    player, former = entrant["d"]["p"], tuple(entrant["was"])
    facts = entrant_facts(entrant, key)

    return Entered(
        entrant["i"],
        entrant["n"],
        facts,
        former,
        entrant["wu"],
        former if player is None else (player, *former),
    )


def alone(key: bytes, own: Entered | None) -> Meaning:
    """Return what an entrant's id means where nobody else is or was the player of this id."""
    if own is None:
        return Meaning(key, None, 0, (), (key,))

    return Meaning(key, own, own.counter, own.players, (key,))


def claimed(own: Meaning, claims: list[tuple[bytes, Entered]], name: str) -> Meaning:
    """Return what a reference means: an entrant's id; else who is that player now, else who ever was.

    `own` is what it means as an entrant's id; `claims` are the entrants who are or were the player of this
    id, in the order of their keys. Two entrants of one player are a fault of the source: the smaller key is
    taken, whatever came first.
    """
    meant, entered = own.key, own.entered
    bearers = [entrant for _, entrant in claims]
    if entered is not None:
        bearers.insert(0, entered)
    else:
        now = [claim for claim in claims if claim[1].facts.player_id == name]
        meant, entered = (now or claims)[0]

    return Meaning(
        meant,
        entered,
        sum(entrant.counter for entrant in bearers),
        tuple(player for entrant in bearers for player in entrant.players),
        tuple(sorted({meant, *(claim for claim, _ in claims)})),
    )


def entrants_of(meant: dict[str, Meaning]) -> tuple[bytes, ...]:
    """Return the keys of all entrants whose lines a game is or was in, in the order of its references."""
    if len(meant) == 1:
        (meaning,) = meant.values()
        return meaning.entrants
    found: tuple[bytes, ...] = ()
    for reference in sorted(meant):
        found += meant[reference].entrants

    return found


class Kept(Generic[Worked]):
    """What was worked out of states lately, each beside the bytes of its state.

    It is given out only for the very bytes that the table holds, so that a batch which never became durable
    leaves nothing behind.
    """

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int = MOST) -> None:
        self._kept: dict[bytes, tuple[bytes, Worked]] = {}
        self._most = most

    def get(self, key: bytes, raw: bytes) -> Worked | None:
        """Return what these bytes are known to mean."""
        found = self._kept.get(key)

        return found[1] if found is not None and found[0] is raw else None

    def keep(self, key: bytes, raw: bytes, worked: Worked) -> None:
        """Keep something beside its bytes; when there is too much, everything else makes room."""
        if len(self._kept) >= self._most:
            self._kept.clear()
        self._kept[key] = (raw, worked)
