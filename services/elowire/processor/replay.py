"""The stages once more over a log, in memory: what inputs make of players' logs, and those of figures.

A log is taken partition by partition, so that memory holds the state of one partition number and no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from elowire.contracts.topics import (
    LIVE_RATINGS,
    PLAYER_EVENTS,
    RATED_GAMES,
    RECONCILIATIONS,
    TOURNAMENT_RATINGS,
    partition_of,
)
from elowire.processor.lists import ListsStage
from elowire.processor.player import PlayerStage
from elowire.processor.stage import Emit, Record
from elowire.processor.tournament import TournamentStage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from elowire.processor.stage import Stage


class Fact(NamedTuple):
    """One thing that a player's log says; of all with one name that of the greatest rank holds."""

    name: str
    rank: list[Any]


def fact_of(value: bytes | None) -> Fact | None:
    """Return what a record of a player's log speaks of; None for a record that Elowire did not write."""
    try:
        event = orjson.loads(value or b"")
        match event["t"]:
            case "side":
                return Fact(f"side {event['g']}", event["r"])
            case "reported":
                return Fact(f"reported change {event['T']}/{event['tc']}", event["r"])
            case "first":
                return Fact(f"first rating {event['T']}/{event['E']}", [event["f"][0]])
            case "list":
                return Fact(f"{LIST}{event['l']}", event["r"])
            case _:
                return None
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError):
        return None


LIST = "list "
"""How the names of published ratings begin: only the newest of a player must still be in the inputs."""


def is_told(expected: bytes, logged: bytes) -> bool:
    """Whether a log says what the inputs say; records from before there were colours have none."""
    known, colour, _ = expected.rpartition(b',"cl":')

    return logged == expected or (colour != b"" and logged == known + b"}")


class _Replay:
    """One stage over one partition number."""

    def __init__(self, stage: Stage, number: int) -> None:
        self._stage = stage
        self._number = number
        self._table: dict[bytes, bytes] = {}
        self._index = stage.new_index()

    def emits(self, records: Sequence[Record]) -> list[Emit]:
        effects = self._stage.apply(records, self._table, self._index, self._number)
        self._table.update(effects.puts)

        return effects.emits


class Output(NamedTuple):
    """One event that a stage sends: its topic without prefix, and the counter in its id."""

    topic: str
    key: bytes
    counter: int
    value: bytes


class Said(NamedTuple):
    """What input records send: into the players' logs, and as lines of tournaments."""

    players: list[Emit]
    lines: list[Output]


class InputReplay:
    """The input topics of one partition number: what they send into the players' logs and tournaments."""

    def __init__(self, number: int, *, partitions: int, prefix: str) -> None:
        self._tournament = _Replay(TournamentStage(partitions=partitions, prefix=prefix), number)
        self._lists = _Replay(ListsStage(partitions=partitions, prefix=prefix), number)
        self._player_events = f"{prefix}{PLAYER_EVENTS.name}"
        self._lines = f"{prefix}{TOURNAMENT_RATINGS.name}"

    def tournaments(self, records: Sequence[Record]) -> Said:
        """Take records of `tournament-events` or `game-results`."""
        return self._said(self._tournament, records)

    def lists(self, records: Sequence[Record]) -> Said:
        """Take records of `rating-lists`."""
        return self._said(self._lists, records)

    def _said(self, replay: _Replay, records: Sequence[Record]) -> Said:
        said = Said([], [])
        for emit in replay.emits(records):
            if emit.topic == self._player_events:
                said.players.append(emit)
            elif emit.topic == self._lines:
                said.lines.append(output_of(TOURNAMENT_RATINGS.name, emit.key, emit.headers, emit.value))

        return said


class PlayerReplay:
    """The players' logs of one partition number: the ratings and sides that follow from them."""

    def __init__(self, number: int, *, partitions: int, prefix: str) -> None:
        self._replay = _Replay(PlayerStage(partitions=partitions, prefix=prefix), number)
        self._number = number
        self._partitions = partitions
        self._topic = f"{prefix}{PLAYER_EVENTS.name}"
        wanted = (LIVE_RATINGS, RATED_GAMES, RECONCILIATIONS)
        self._wanted = {f"{prefix}{topic.name}": topic.name for topic in wanted}

    def take(self, records: Sequence[Record]) -> Iterator[Output]:
        """Take a portion of the log."""
        for emit in self._replay.emits(records):
            if (topic := self._wanted.get(emit.topic)) is not None:
                yield output_of(topic, emit.key, emit.headers, emit.value)

    def tell(self, player: bytes, values: Sequence[bytes]) -> Iterator[Output]:
        """Take what is known of one player without the log's own order."""
        return self.take(
            [Record(self._topic, self._number, n, 0, player, v, ()) for n, v in enumerate(values)]
        )

    def owns(self, player: bytes) -> bool:
        """Whether a key belongs into this partition; another's record is only passing through."""
        return partition_of(player, self._partitions) == self._number


def output_of(
    topic: str, key: bytes | None, headers: Sequence[tuple[str, bytes]], value: bytes | None
) -> Output:
    """Return an output event from its record; `topic` is without prefix.

    A key of `tournament-ratings` or `reconciliations` has several events, which only their ids tell apart.
    """
    event_id = next((value for name, value in headers if name == "ce_id"), b"")
    name, _, counter = event_id.rpartition(b":")
    if topic == RECONCILIATIONS.name:
        return Output(topic, name + b"/" + counter, 0, value or b"")
    if topic != TOURNAMENT_RATINGS.name:
        name = key or b""

    return Output(topic, name, int(counter) if counter.isdigit() else 0, value or b"")
