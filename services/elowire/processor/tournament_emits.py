"""What the tournament stage sends: the sides of a game, the line and the first rating of an entrant."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import orjson

from elowire.contracts.topics import TYPE_TOURNAMENT_RATING, partition_of
from elowire.domain import FirstEvent, System
from elowire.processor.behind import Behind
from elowire.processor.entered import entrants_of
from elowire.processor.facts import NOBODY, completed
from elowire.processor.first import first_value
from elowire.processor.lines import line_of
from elowire.processor.matches import is_match_play
from elowire.processor.outputs import headers_of, time_header, type_header
from elowire.processor.resolution import Resolution, Resolved, depends_on_unrated
from elowire.processor.resolving import resolution_of
from elowire.processor.shares import shares_of
from elowire.processor.sides import sides_of
from elowire.processor.stage import Effects, Emit
from elowire.processor.standings import Standing
from elowire.processor.state import SEPARATOR

if TYPE_CHECKING:
    from elowire.processor.door import Door
    from elowire.processor.entered import Entered
    from elowire.processor.pairing import Pairing
    from elowire.processor.shares import Shares
    from elowire.processor.tournament_view import TournamentView

State = dict[str, Any]

_LINE: Final = type_header(TYPE_TOURNAMENT_RATING)


class TournamentEmits:
    """Builds emits from the states of one batch's view."""

    def __init__(self, door: Door, view: TournamentView, effects: Effects) -> None:
        self._partitions = door.partitions
        self._player_events = f"{door.prefix}player-events"
        self._tournament_ratings = f"{door.prefix}tournament-ratings"
        self._view, self._effects = view, effects
        self._resolutions: dict[bytes, Resolution | None] = {}
        self._known: dict[bytes, Shares] = {}

    def to_player(self, player_id: str, value: bytes) -> None:
        """Send a record into a player's log."""
        key = player_id.encode()
        record = self._player_events, partition_of(key, self._partitions), key, value, ()
        # What a NamedTuple is made by is a Python function; every side comes by here.
        self._effects.emits.append(tuple.__new__(Emit, record))

    def resolution(self, tournament_id: bytes) -> Resolution | None:
        """Return the tournament's resolution, if one game's change can depend on others."""
        if tournament_id not in self._resolutions:
            tournament = self._view.tournament(tournament_id)
            needed = depends_on_unrated(tournament) or is_match_play(tournament)
            self._resolutions[tournament_id] = resolution_of(self._view, tournament_id) if needed else None

        return self._resolutions[tournament_id]

    def sides(self, key: bytes, *, counted: bool) -> tuple[bytes, ...]:
        """Send a game to its players, and a withdrawal to those it was taken from.

        Returns the entrants whose lines it is or was in. `counted` says whether the standings have it.
        """
        game = self._view.get(key)
        if game is None:
            return ()
        tournament_id, _, game_id = key.split(SEPARATOR)
        resolution = self.resolution(tournament_id)
        pairing = self._view.pairing(tournament_id, game, resolution, key)
        name = tournament_id.decode()
        for player_id, value in sides_of(f"{name}:{game_id.decode()}", name, pairing, _former(pairing)):
            self.to_player(player_id, value)
        if resolution is not None:
            return entrants_of(pairing.meant)
        shares = self._known[key] = shares_of(key, pairing)
        if not counted:
            self._view.index.standings.add(tournament_id, shares)

        return shares.entrants

    def take_back(self, tournament_id: bytes, key: bytes, game: State) -> None:
        """Take a game that is about to change out of the standings, as it stands there."""
        standings = self._view.index.standings
        if standings.knows(tournament_id):
            standings.take_back(tournament_id, shares_of(key, self._view.pairing(tournament_id, game, None)))

    def line(self, key: bytes, timestamp: int) -> None:
        """Send the line of an entrant: everything it has played in this tournament so far."""
        tournament_id, _, reference = key.split(SEPARATOR)
        tournament = self._view.tournament(tournament_id)
        if tournament is None:
            return
        entered = self._view.entered(key)
        resolution = self.resolution(tournament_id)
        standing = self._standing(tournament_id, key, entered, resolution)
        behind = Behind(standing.entrants, standing.games)
        if entered is not None:
            own = completed(entered.facts, None, tournament)
        elif standing.last is not None:
            own = standing.last[1]
        else:
            emptied = self._behind_emptied(tournament_id, reference)
            if emptied is None:
                return
            own, behind = NOBODY, emptied
        if resolution is not None:
            behind = resolution.behind
        elif entered is not None:
            behind = Behind(behind.entrants + entered.counter, behind.games)
        revision = behind.number(tournament["n"], resolved=resolution is not None)
        outcome = _outcome(tournament, key, standing, resolution) if own.rating == 0 else None
        name, entrant_id = tournament_id.decode(), reference.decode()
        data = line_of(name, entrant_id, revision, tournament, own, standing, outcome)
        number = partition_of(tournament_id, self._partitions)
        headers = headers_of(_LINE, f"{name}:{entrant_id}:{revision}", tournament_id, time_header(timestamp))
        self._effects.emits.append(
            Emit(self._tournament_ratings, number, tournament_id, orjson.dumps(data), headers)
        )
        if entered is not None and entered.ever_unrated:
            self._first((name, entrant_id), tournament, entered, revision, outcome, resolution)

    def _behind_emptied(self, tournament_id: bytes, reference: bytes) -> Behind | None:
        """Return what lies behind the line of a name whose games are all somebody else's; None without any.

        They once stood in its line, which has to be taken back.
        """
        name = reference.decode()
        entrants = games = 0
        for game_key in self._view.games_of(tournament_id, (name,)):
            game = self._view.get(game_key)
            if game is None:
                continue
            pairing = self._view.pairing(tournament_id, game, None)
            if name in pairing.meant:
                entrants += pairing.behind.entrants
                games += pairing.behind.games

        return Behind(entrants, games) if games else None

    def _first(  # the facts of one record
        self,
        entry: tuple[str, str],
        tournament: State,
        entered: Entered,
        revision: int,
        outcome: Resolved | None,
        resolution: Resolution | None,
    ) -> None:
        """Send what this event adds to a first rating; whoever is the unrated player no more hears so."""
        system = System(tournament["d"]["sy"]) if resolution is None else resolution.system
        player_id = entered.facts.player_id
        if player_id is not None:
            event = None if outcome is None else outcome.first
            self.to_player(player_id, first_value(entry, tournament, revision, event, system))
        for former in entered.former:
            self.to_player(former, first_value(entry, tournament, revision, None, system))

    def _standing(
        self, tournament_id: bytes, key: bytes, entered: Entered | None, resolution: Resolution | None
    ) -> Standing:
        """Return the sums of an entrant's games; what depends on all games of a tournament is not kept."""
        standings = self._view.index.standings
        if resolution is None and (known := standings.get(tournament_id, key)) is not None:
            return known

        standing = Standing()
        for game_key in self._view.games_of(tournament_id, self._view.references(key, entered)):
            shares = self._shares(tournament_id, game_key, resolution)
            # The index may still hold a game that names the entrant in a batch that was dropped.
            if shares is not None and key in shares.entrants:
                standing = standing.with_game(key, shares)
        if resolution is None:
            standings.put(tournament_id, key, standing)

        return standing

    def _shares(self, tournament_id: bytes, game_key: bytes, resolution: Resolution | None) -> Shares | None:
        if resolution is None and (known := self._known.get(game_key)) is not None:
            return known
        game = self._view.get(game_key)
        if game is None:
            return None
        shares = shares_of(game_key, self._view.pairing(tournament_id, game, resolution, game_key))
        if resolution is None:
            self._known[game_key] = shares

        return shares


def _former(pairing: Pairing) -> list[str]:
    """Return everybody whom the names in a game can ever have meant and who does not play in it, in order."""
    d = pairing.game["d"]
    players = {colour[1] for colour in (d["w"], d["b"]) if colour is not None}
    players.update([printed for _, printed in pairing.game["was"]])
    for meaning in pairing.meant.values():
        players.update(meaning.players)
    players -= {None, "", pairing.white.own.player_id, pairing.black.own.player_id}

    return sorted(players)


def _outcome(
    tournament: State, key: bytes, standing: Standing, resolution: Resolution | None
) -> Resolved | None:
    """Return what an unrated entrant has reached: by the whole tournament, or by the own games alone."""
    if resolution is not None:
        return resolution.outcomes.get(key)
    games = len(standing.opponents)
    first = FirstEvent(
        games,
        standing.rated_points,
        Fraction(sum(standing.opponents)),
        games,
        System(tournament["d"]["sy"]),
    )

    return Resolved(first, None, None)
