"""The tournament stage: from tournaments, entrants and games to one side per player.

    tournament-events ─┐                        ┌─▶ player-events (sides, reported changes)
                       ├─▶ state per tournament ┼─▶ tournament-ratings (one line per entrant)
    game-results ──────┘                        └─▶ dead-letters

A game waits in the state until its tournament and its players' facts are known; then it is rated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.contracts.dead_letters import DeadLetterReason, Refused
from elowire.contracts.events import Entrant, GameResult, PublishedRating, ReportedChange, Tournament
from elowire.processor import state as states
from elowire.processor.completeness import completeness_of
from elowire.processor.contents import entrant_content, game_content, tournament_content
from elowire.processor.door import Door
from elowire.processor.entered import entrants_of
from elowire.processor.reported import reported_value
from elowire.processor.seats import seat_at, seat_of, take_seat
from elowire.processor.sides import same_for_sides
from elowire.processor.stage import Effects, Record
from elowire.processor.tournament_emits import TournamentEmits
from elowire.processor.tournament_index import (
    MOVED,
    TournamentIndex,
    entrant_key,
    game_key,
    named,
    tournament_key,
)
from elowire.processor.tournament_view import TournamentView
from elowire.processor.upsert import Verdict, merge, superseded, was_taken

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from elowire.contracts.events import InputEvent

State = dict[str, Any]


class TournamentStage:
    """Keeps tournaments, entrants and games; sends every complete game to its two players."""

    name = "tournament"

    def __init__(self, *, partitions: int, prefix: str = "", release: str = "") -> None:
        self.sources: tuple[str, ...] = (f"{prefix}tournament-events", f"{prefix}game-results")
        self.changelog: str | None = f"{prefix}elowire-tournaments-changelog"
        self._door = Door(partitions=partitions, prefix=prefix, release=release)

    def version(self, state: bytes) -> tuple[int, int]:
        """Return what orders the states of a key."""
        return states.order(state)

    def new_index(self) -> TournamentIndex:
        """Return an empty index."""
        return TournamentIndex()

    def note(self, index: TournamentIndex, key: bytes, state: bytes) -> None:  # noqa: ARG002 - the port's
        """Take the key of a recovered state into the index; the state is read when its tournament is used."""
        index.note(key)

    def apply(
        self, records: Sequence[Record], table: dict[bytes, bytes], index: TournamentIndex, partition: int
    ) -> Effects:
        """Decide over a batch of both sources."""
        index.begin(table)
        batch = _Batch(self._door, TournamentView(table, index))
        for record, event_id, event in self._door.admit(records, partition, batch.effects):
            batch.take(record, event_id, event)

        effects = batch.finish()
        index.standings.end(effects.puts)

        return effects


class _Batch:
    """One batch: what changed, and which games and lines must be sent because of it."""

    def __init__(self, door: Door, view: TournamentView) -> None:
        self._door, self._view, self._index = door, view, view.index
        self.effects = Effects()
        self._emits = TournamentEmits(door, view, self.effects)
        self._tournaments: dict[bytes, int] = {}
        self._games: dict[bytes, int] = {}
        self._lines: dict[bytes, int] = {}
        self._uncounted: set[bytes] = set()
        """Games that changed: the standings have them again when their sides are sent."""
        self._finished: dict[bytes, None] = {}

    def take(self, record: Record, event_id: str, event: InputEvent) -> None:
        match event:
            case GameResult():
                self._take_game(record, event_id, event)
            case Entrant():
                self._take_entrant(record, event_id, event)
            case Tournament():
                self._take_tournament(record, event_id, event)
            case ReportedChange():
                # No state here: the player keeps the highest revision.
                self._emits.to_player(event.player_id, reported_value(event_id, event))
            case PublishedRating():
                raise AssertionError("the door lets no published rating in here")

    def _merge(
        self, key: bytes, record: Record, event_id: str, revision: int, content: State
    ) -> tuple[State | None, State | None, bool]:
        """Merge a record; returns (state before, state to write or None, whether its games must be sent)."""
        old = self._view.get(key)
        new, verdict, current = merge(old, revision, event_id, content)
        self.effects.counts[f"input_{verdict}"] += 1
        if old is not None and verdict in {Verdict.OLDER, Verdict.CONFLICT}:
            self._door.refuse(self.effects, record, superseded(verdict, revision, event_id, old))
        # A record that is in the table already may have been put there by an owner who did not know its
        # counterpart from the other topic: its games are sent again (rule 7 of the engine).
        return old, new, current or verdict in {Verdict.SAME, Verdict.KNOWN}

    def _take_tournament(self, record: Record, event_id: str, event: Tournament) -> None:
        tournament_id = event.tournament_id.encode()
        key = tournament_key(tournament_id)
        old, new, send = self._merge(key, record, event_id, event.revision, tournament_content(event))
        decides = new is None or new["i"] != event_id or not same_for_sides(old, new)
        if new is not None:
            # What sides are told apart by grows only when all of them are sent again.
            if new["i"] == event_id and decides:
                new["sides"] = [1 if old is None else old["sides"][0] + 1, event_id]
            self._view.put(key, new)
            self._index.standings.forget(tournament_id)
        if send:
            self._finished[tournament_id] = None
            if decides:
                games = self._index.games_in.get(tournament_id, ())
                self._games.update(dict.fromkeys(games, record.timestamp))
            self._touch(tournament_id, self._index.entrants_in.get(tournament_id, ()), record.timestamp)
            for game in self._index.games_in.get(tournament_id, ()):
                self._touch(tournament_id, self._entrants_of(game), record.timestamp)

    def _take_entrant(self, record: Record, event_id: str, event: Entrant) -> None:
        tournament_id = event.tournament_id.encode()
        key = entrant_key(tournament_id, event.identity)
        old, new, send = self._merge(key, record, event_id, event.revision, entrant_content(event))
        if new is not None:
            seen = {event.player_id, *((old["d"]["p"], *old["was"]) if old else ())}
            new["was"] = sorted(seen - {None, new["d"]["p"]})
            # Who was ever called unrated has to hear when he is not.
            new["wu"] = event.unrated or (old is not None and old["wu"])
            # An older revision may still say who the entrant once was: games that name him mean the entrant.
            send = _with_history(old, new, send=send, of=("was", "wu"))
            self._view.put_entrant(key, new)
            self._index.note_entrant(tournament_id, key, new)
            self._index.standings.forget(tournament_id)
        if send:
            references = self._view.references(key, self._view.entered(key))
            games = self._view.games_of(tournament_id, references)
            self._games.update(dict.fromkeys(games, record.timestamp))
            # Before the entrant came, games may have stood in a line of the player's own name.
            names = [entrant_key(tournament_id, reference) for reference in references] if games else []
            self._touch(tournament_id, (key, *names), record.timestamp)

    def _take_game(self, record: Record, event_id: str, event: GameResult) -> None:
        tournament_id = event.tournament_id.encode()
        key, content = game_key(tournament_id, event.game_id), game_content(event)
        if not was_taken(self._view.get(key), event.revision, event_id):
            clash = self._other_game_in_round(tournament_id, key, content, record.offset)
            if clash is not None:
                self._door.refuse(self.effects, record, _twice_in_round(event, clash))
                return

        old, new, send = self._merge(key, record, event_id, event.revision, content)
        if new is not None:
            new["was"] = [] if old is None else _named_before(old, content, new["d"])
            send = _with_history(old, new, send=send, of=("was",))
            take_seat(old, new, record.offset)
            if send and key not in self._uncounted:
                self._uncounted.add(key)
                if old is not None:
                    self._emits.take_back(tournament_id, key, old)
            self._view.put(key, new)
            self._index.note_game(tournament_id, key, new)
        if send:
            self._games[key] = record.timestamp
            self._touch(tournament_id, (), record.timestamp)
            if new is not None and old is not None:
                self.effects.counts["annulments" if event.status == "annulled" else "corrections"] += 1

    def _other_game_in_round(
        self, tournament_id: bytes, key: bytes, content: State, offset: int
    ) -> str | None:
        """Return the id of another game that one of the two had in this round, against somebody else.

        Decided from game states as they were at `offset`: the chain of a game's states must follow from one
        topic, and be the same for whoever reads it again.
        """
        seat = seat_of(content)
        if seat is None:
            return None
        number, pair = seat
        clashes = []
        games_of = self._view.links(tournament_id).games_of
        for reference in pair:
            for other, round_ in games_of.get(entrant_key(tournament_id, reference), {}).items():
                if (round_ != number and round_ != MOVED) or other == key:  # noqa: PLR1714 - a set costs more
                    continue
                game = self._view.get(other)
                taken = None if game is None else seat_at(game, offset)
                if taken is not None and taken[0] == number and reference in taken[1] and taken[1] != pair:
                    clashes.append(other)

        return min(clashes).rpartition(states.SEPARATOR)[2].decode() if clashes else None

    def _touch(self, tournament_id: bytes, lines: Iterable[bytes], timestamp: int) -> None:
        self._tournaments[tournament_id] = timestamp
        for key in lines:
            self._lines[key] = timestamp

    def finish(self) -> Effects:
        """Send the sides of every game that was touched and the lines of every entrant concerned."""
        for tournament_id, timestamp in self._tournaments.items():
            if self._emits.resolution(tournament_id) is not None:
                self._all_of(tournament_id, timestamp)
        for key, timestamp in self._games.items():
            entrants = self._emits.sides(key, counted=key not in self._uncounted)
            self._lines.update(dict.fromkeys(entrants, timestamp))
        for key, timestamp in self._lines.items():
            self._emits.line(key, timestamp)
        for tournament_id in self._finished:
            if (found := completeness_of(self._view, tournament_id)) is not None:
                self.effects.counts[f"finished_{found}"] += 1
        self.effects.puts = self._view.puts()

        return self.effects

    def _entrants_of(self, key: bytes) -> Iterable[bytes]:
        """Return the entrants whose lines a game is or was in."""
        game = self._view.get(key)
        if game is None:
            return ()

        return entrants_of(self._view.meanings(key.split(states.SEPARATOR)[0], game))

    def _all_of(self, tournament_id: bytes, timestamp: int) -> None:
        """Touch everything in a tournament where one result can change everybody's figures."""
        self._games.update(dict.fromkeys(self._index.games_in.get(tournament_id, ()), timestamp))
        for key in self._index.entrants_in.get(tournament_id, ()):
            self._lines[key] = timestamp


def _named_before(old: State, content: State, current: State) -> list[list[str]]:
    """Return what a game's colours were called in any revision and are not called now."""
    seen = {tuple(pair) for pair in (*named(content), *named(old["d"]), *old["was"])}

    return sorted(list(pair) for pair in seen - {tuple(pair) for pair in named(current)})


def _with_history(old: State | None, new: State, *, send: bool, of: tuple[str, ...]) -> bool:
    """Count a change of what a state remembers like one of its content; returns whether to send."""
    if old is None or all(new[name] == old[name] for name in of):
        return send
    new["n"] = old["n"] + 1

    return True


def _twice_in_round(event: GameResult, other: str) -> Refused:
    return Refused(
        DeadLetterReason.PLAYER_TWICE_IN_ROUND,
        f"game {event.game_id} pairs a player again in round {event.round}, who plays game {other} there",
        field="round",
        expected="one game per player and round, unless the same two play again",
        advice=f"Correct the round or the players, or annul game {other}; then replay this record.",
    )
