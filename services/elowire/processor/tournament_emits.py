"""What the tournament stage sends: the sides of a game, the line and the first rating of an entrant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.contracts.topics import TYPE_TOURNAMENT_RATING, partition_of
from elowire.domain import FirstEvent, System
from elowire.processor.behind import Behind
from elowire.processor.first import first_value
from elowire.processor.lines import line_of
from elowire.processor.outputs import event_time, output
from elowire.processor.pairing import facts_of
from elowire.processor.resolution import Resolution, Resolved, depends_on_unrated
from elowire.processor.resolving import resolution_of
from elowire.processor.sides import sides_of
from elowire.processor.stage import Effects, Emit
from elowire.processor.state import SEPARATOR
from elowire.processor.tournament_index import named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from elowire.processor.door import Door
    from elowire.processor.pairing import Pairing
    from elowire.processor.shares import Share
    from elowire.processor.tournament_view import TournamentView

State = dict[str, Any]


class TournamentEmits:
    """Builds emits from the states of one batch's view."""

    def __init__(self, door: Door, view: TournamentView, effects: Effects) -> None:
        self._partitions = door.partitions
        self._player_events = f"{door.prefix}player-events"
        self._tournament_ratings = f"{door.prefix}tournament-ratings"
        self._view, self._effects = view, effects
        self._resolutions: dict[bytes, Resolution | None] = {}

    def to_player(self, player_id: str, value: bytes) -> None:
        """Send a record into a player's log."""
        key = player_id.encode()
        self._effects.emits.append(Emit(self._player_events, partition_of(key, self._partitions), key, value))

    def resolution(self, tournament_id: bytes) -> Resolution | None:
        """Return the tournament's resolution, if its rated players' changes depend on the unrated."""
        if tournament_id not in self._resolutions:
            tournament = self._view.tournament(tournament_id)
            needed = depends_on_unrated(tournament)
            self._resolutions[tournament_id] = resolution_of(self._view, tournament_id) if needed else None

        return self._resolutions[tournament_id]

    def sides(self, key: bytes) -> None:
        """Send a game to its players, and a withdrawal to those it was taken from."""
        game = self._view.get(key)
        if game is None:
            return
        tournament_id, _, game_id = key.split(SEPARATOR)
        pairing = self._view.pairing(tournament_id, game, self.resolution(tournament_id))
        self._view.index.shares.note(key, pairing)
        former = set(self._ever(tournament_id, game))
        name = tournament_id.decode()
        for player_id, value in sides_of(f"{name}:{game_id.decode()}", name, pairing, sorted(former)):
            self.to_player(player_id, value)

    def _ever(self, tournament_id: bytes, game: State) -> Iterator[str]:
        """Yield everybody whom the names in a game can ever have meant, now or before."""
        for reference, printed in (*named(game["d"]), *game["was"]):
            if printed:
                yield printed
            for entrant in self._view.bearers(tournament_id, reference):
                yield from entrant["was"]
                if entrant["d"]["p"]:
                    yield entrant["d"]["p"]

    def line(self, key: bytes, timestamp: int) -> None:
        """Send the line of an entrant: everything it has played in this tournament so far."""
        tournament_id, _, reference = key.split(SEPARATOR)
        tournament = self._view.tournament(tournament_id)
        if tournament is None:
            return
        entrant = self._view.get(key)
        resolution = self.resolution(tournament_id)
        shares, behind = self._shares(tournament_id, key, entrant, resolution)
        own = None if not shares else shares[-1].printed
        if entrant is not None:
            own = facts_of(entrant, None, tournament, key)
        if own is None:
            return
        if resolution is not None:
            behind = resolution.behind
        elif entrant is not None:
            behind = Behind(behind.entrants + entrant["n"], behind.games)
        revision = behind.number(tournament["n"], resolved=resolution is not None)
        outcome = self._outcome(tournament, key, shares, resolution) if own.rating == 0 else None
        name, entrant_id = tournament_id.decode(), reference.decode()
        data = line_of(name, entrant_id, revision, tournament, own, shares, outcome)
        self._effects.emits.append(
            output(
                self._tournament_ratings,
                partition_of(tournament_id, self._partitions),
                tournament_id,
                TYPE_TOURNAMENT_RATING.encode(),
                f"{name}:{entrant_id}:{revision}",
                event_time(timestamp),
                data,
            )
        )
        if entrant is not None and entrant["wu"]:
            self._first((name, entrant_id), tournament, entrant, revision, outcome, resolution)

    def _outcome(
        self, tournament: State, key: bytes, shares: list[Share], resolution: Resolution | None
    ) -> Resolved | None:
        """Return what an unrated entrant has reached: by the whole tournament, or by the own games alone."""
        if resolution is not None:
            return resolution.outcomes.get(key)
        games = [share.rated[1:] for share in shares if share.rated is not None]
        system = System(tournament["d"]["sy"])

        return Resolved(FirstEvent.of_games(games, system=system), None, None)

    def _first(  # the facts of one record
        self,
        entry: tuple[str, str],
        tournament: State,
        entrant: State,
        revision: int,
        outcome: Resolved | None,
        resolution: Resolution | None,
    ) -> None:
        """Send what this event adds to a first rating; whoever is the unrated player no more hears so."""
        system = System(tournament["d"]["sy"]) if resolution is None else resolution.system
        player_id = entrant["d"]["p"]
        if player_id is not None:
            event = None if outcome is None else outcome.first
            self.to_player(player_id, first_value(entry, tournament, revision, event, system))
        for former in entrant["was"]:
            self.to_player(former, first_value(entry, tournament, revision, None, system))

    def _shares(
        self, tournament_id: bytes, key: bytes, entrant: State | None, resolution: Resolution | None
    ) -> tuple[list[Share], Behind]:
        """Return what an entrant's games add to its line, in the order of rounds.

        With it, what lies behind all games that ever named the entrant.
        """
        known = self._view.index.shares
        found, entrants, games = [], 0, 0
        for game_key in self._view.games_of(tournament_id, self._view.references(key, entrant)):
            pair = known.get(game_key) if resolution is None else None
            if pair is None:
                pairing = self._pairing(tournament_id, game_key, resolution)
                if pairing is None:
                    continue
                pair = known.note(game_key, pairing)
            one, two = pair
            entrants += one.behind.entrants
            games += one.behind.games
            if one.entrant == key:
                found.append((one.round, game_key, one))
            if two.entrant == key:
                found.append((two.round, game_key, two))
        found.sort()

        return [share for _, _, share in found], Behind(entrants, games)

    def _pairing(
        self, tournament_id: bytes, game_key: bytes, resolution: Resolution | None
    ) -> Pairing | None:
        game = self._view.get(game_key)

        return None if game is None else self._view.pairing(tournament_id, game, resolution)
