"""Who an entrant is, where a source does not say: never a guess, at most a proposal. Pure.

An entrant without an id waits, and its games with it. It is identified by an operator; a proposal needs the
exact name, the federation and the year of birth, all three, and stays a proposal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.events import Entrant, GameResult, Side
from elowire.ingest.book import BookLine
from elowire.ingest.corrections import CorrectionRefusedError

LOCAL = "local:"
"""Ids of players whom a report numbers only; they count as somebody until they are identified."""


class Described(Protocol):
    """Whoever is known by name, federation and year of birth."""

    @property
    def name(self) -> str | None:
        """The name as the source writes it."""

    @property
    def federation(self) -> str | None:
        """The federation's three letters."""

    @property
    def birth_year(self) -> int | None:
        """The year of birth."""


class Entry(NamedTuple):
    """An entrant of a tournament as the topics have it; `copy` is None where games alone name it."""

    tournament_id: str
    entrant_id: str
    player_id: str | None
    name: str | None
    federation: str | None
    birth_year: int | None
    games: int
    copy: Decoded | None


def entries_of(events: Iterable[Decoded]) -> list[Entry]:
    """Give all entrants that events name, also those whom only games name; the highest revision counts."""
    entrants: dict[tuple[str, str], Decoded] = {}
    games: dict[tuple[str, str], Decoded] = {}
    for one in events:
        match one.data:
            case Entrant() as entrant:
                _newer(entrants, (entrant.tournament_id, entrant.identity), one)
            case GameResult() as game:
                _newer(games, (game.tournament_id, game.game_id), one)
            case _:
                pass
    played: Counter[tuple[str, str]] = Counter()
    named: dict[tuple[str, str], Side] = {}
    for (tournament_id, _), one in games.items():
        for side in (one.data.white, one.data.black) if isinstance(one.data, GameResult) else ():
            if side is not None:
                played[tournament_id, side.identity] += 1
                named[tournament_id, side.identity] = side
    return [
        _entry(key, entrants.get(key), named.get(key), played[key])
        for key in sorted(entrants.keys() | named.keys())
    ]


def unresolved(entries: Iterable[Entry]) -> list[Entry]:
    """Give the entrants who are nobody yet, or somebody of this event alone."""
    return [entry for entry in entries if entry.player_id is None or entry.player_id.startswith(LOCAL)]


def proposals(entry: Described, lines: Iterable[BookLine]) -> list[str]:
    """Give the ids of all players of the list who have the exact name, federation and year of birth."""
    if entry.name is None or entry.federation is None or entry.birth_year is None:
        return []
    wanted = (entry.name, entry.federation, entry.birth_year)
    return [str(line.player) for line in lines if (line.name, line.federation, line.birth_year) == wanted]


def found_entry(entries: Iterable[Entry], tournament_id: str, entrant_id: str) -> Entry:
    """Find an entrant by its id, or by its name where only one has it. Raises `CorrectionRefusedError`."""
    here = [entry for entry in entries if entry.tournament_id == tournament_id]
    if not here:
        raise CorrectionRefusedError(f"no entrant or game of tournament {tournament_id} is in the topics")
    found = [entry for entry in here if entry.entrant_id == entrant_id] or [
        entry for entry in here if entry.name == entrant_id
    ]
    if len(found) != 1:
        what = f"{len(found)} entrants named" if found else "no entrant"
        raise CorrectionRefusedError(
            f"tournament {tournament_id} has {what} {entrant_id!r}; "
            "`elowire entrants unresolved` lists the ids of those who wait"
        )
    return found[0]


class Stated(NamedTuple):
    """Figures that an operator states with an identity; they outrank the list."""

    rating: int | None = None
    k: int | None = None
    unrated: bool = False


def identified(
    entry: Entry, player_id: str, others: Iterable[Entry], *, stated: Stated, revision: int
) -> Entrant:
    """Give the entrant as the player he is.

    Figures that were looked up for somebody else go with him. Raises `CorrectionRefusedError` when the
    player has another entry in the tournament already.
    """
    for other in others:
        same = (other.tournament_id, other.player_id) == (entry.tournament_id, player_id)
        if same and other.entrant_id != entry.entrant_id:
            raise CorrectionRefusedError(
                f"player {player_id} is entrant {other.entrant_id} of tournament {entry.tournament_id} "
                f"already, with {other.games} games; identify that one otherwise first, or check the id"
            )
    before = entry.copy.data if entry.copy is not None else None
    if not isinstance(before, Entrant):
        before = Entrant(
            tournament_id=entry.tournament_id, entrant_id=entry.entrant_id, revision=0, name=entry.name
        )
    changes: dict[str, object] = {
        "entrant_id": entry.entrant_id,
        "player_id": player_id,
        "revision": revision,
    }
    if (before.source or "").startswith("list"):
        looked_up = ("rating", "k", "games_played", "rating_list", "source")
        changes |= dict.fromkeys(looked_up) | {"unrated": False}
    if stated != Stated():
        changes |= {
            "rating": stated.rating,
            "unrated": stated.unrated,
            "k": stated.k if stated.k is not None else before.k,
            "override": True,
            "source": "operator",
        }
    return Entrant.model_validate(before.model_dump() | changes)


def with_player(entries: Iterable[Entry], player_id: str) -> Mapping[str, list[Entry]]:
    """Give the entries that a player has, by tournament."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.player_id == player_id:
            found.setdefault(entry.tournament_id, []).append(entry)
    return found


def _newer(kept: dict[tuple[str, str], Decoded], key: tuple[str, str], one: Decoded) -> None:
    known = kept.get(key)
    if known is None or (one.data.revision, one.event_id) > (known.data.revision, known.event_id):
        kept[key] = one


def _entry(key: tuple[str, str], copy: Decoded | None, side: Side | None, games: int) -> Entry:
    tournament_id, entrant_id = key
    if copy is not None and isinstance(copy.data, Entrant):
        data = copy.data
        name = data.name or (side.name if side else None)
        # An entry's own word counts, also where it says nothing: that is what the processor does.
        return Entry(
            tournament_id, entrant_id, data.player_id, name, data.federation, data.birth_year, games, copy
        )
    player_id, name = (side.player_id, side.name) if side else (None, None)
    return Entry(tournament_id, entrant_id, player_id, name, None, None, games, None)
