"""Whether the topics say what the inputs say: `verify` reads a cluster beside its running processors.

    committed offsets, ends  (the cut: nothing later is looked at)
    tournament-events, game-results, rating-lists ──▶ facts of every player      (the stages once more)
    player-events ──▶ its facts beside those; ratings and sides that follow from it
    live-ratings, rated-games, reconciliations ──▶ beside those; tournament-ratings beside the first

A player's versions count the events of the player's own log, whose order no other log gives: so ratings are
made again from that log, and that log is held against the inputs.
What a processor has read but perhaps not written yet is left out, together with every player it concerns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from elowire.contracts.topics import (
    LIVE_RATINGS,
    PLAYER_EVENTS,
    RATED_GAMES,
    RATING_LISTS,
    RECONCILIATIONS,
    TOURNAMENT_RATINGS,
)
from elowire.processor.replay import LIST, InputReplay, PlayerReplay, fact_of, is_told, output_of
from elowire.processor.replay_compare import OF_THE_ORDER, Difference, Newest, shown
from elowire.processor.replay_cut import OF_PLAYERS, OUTPUTS, SOURCES, TOURNAMENTS, cut_of
from elowire.processor.replay_facts import Facts
from elowire.processor.stage import Record
from elowire.runtime.kafka import admin_client, span_reader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Iterator

    from elowire.processor.replay import Output
    from elowire.processor.replay_cut import Cut
    from elowire.runtime.kafka_reading import SpanReader
    from elowire.runtime.settings import Settings

_KEPT_FOR_A_TIME = frozenset({RECONCILIATIONS.name, TOURNAMENT_RATINGS.name})
# A line's revision counts the records of two topics, whose order no log gives.
_OF_TWO_TOPICS = frozenset({"revision"})
_KEPT_DIFFERENCES = 1_000

Logged = dict[tuple[bytes, str], tuple[list[Any], bytes]]
"""(player, name of a fact) -> rank and value of its newest record in a log."""


@dataclass(slots=True)
class Report:
    """What was compared, and the first differences (`more` were found beyond them)."""

    ratings: int = 0
    sides: int = 0
    facts: int = 0
    lines: int = 0
    """Lines of tournaments."""
    reconciliations: int = 0
    lag: int = 0
    left_out: int = 0
    without_versions: list[int] = field(default_factory=list)
    """Partitions whose players' logs have lost their beginning: figures are compared, versions are not."""
    differences: list[Difference] = field(default_factory=list)
    more: int = 0

    def add(self, difference: Difference) -> None:
        """Keep a difference, or count it when there are many."""
        if len(self.differences) < _KEPT_DIFFERENCES:
            self.differences.append(difference)
        else:
            self.more += 1


async def verify(
    settings: Settings, *, begin: Callable[[int], object], seen: Callable[[int], object]
) -> Report:
    """Compare a cluster's outputs with its inputs; `begin` hears how many records there are to be `seen`.

    Raises `InputsCutError`, or what the reading of topics raises.
    """
    names = [f"{settings.topic_prefix}{name}" for name in (*SOURCES, *OUTPUTS)]
    async with admin_client(settings) as admin, span_reader(settings, names) as reader:
        cut = await cut_of(settings, admin, reader)
        begin(cut.records)
        with Facts() as facts:
            work = Verification(settings.topic_prefix, cut, reader, facts, seen)
            for number in range(cut.partitions):
                await work.compare_tournaments(number)
            for number in range(cut.partitions):
                await work.compare_players(number)

    return work.report


class Verification:
    """One pass over the cut, partition by partition."""

    def __init__(
        self, prefix: str, cut: Cut, reader: SpanReader, facts: Facts, seen: Callable[[int], object]
    ) -> None:
        self._prefix, self._cut, self._reader, self._facts, self._seen = prefix, cut, reader, facts, seen
        self.report = Report(lag=sum(span.end - span.done for span in cut.spans.values()))

    async def compare_tournaments(self, number: int) -> None:
        """Replay the inputs of a partition number, and compare the lines that the rest does not touch."""
        replay = InputReplay(number, partitions=self._cut.partitions, prefix=self._prefix)
        lines = Newest(TOURNAMENT_RATINGS.name, _OF_TWO_TOPICS, "the tournament")
        touched: set[bytes] = set()
        for beyond in (False, True):
            for name in (*TOURNAMENTS, RATING_LISTS.name):
                take = replay.lists if name == RATING_LISTS.name else replay.tournaments
                async for records in self._read(name, number, beyond=beyond):
                    said = take(records)
                    if beyond:
                        self._facts.touch((emit.partition, emit.key or b"") for emit in said.players)
                        touched.update(line.key for line in said.lines)
                        continue
                    self._facts.take(said.players)
                    for line in said.lines:
                        lines.expect(line)
        await self._meet(lines, number)
        lines.forget_keys(touched)
        self.report.lines += len(lines)
        for difference in lines.differences({}):
            self.report.add(difference)

    async def compare_players(self, number: int) -> None:
        """Compare the log and the outputs of the players of a partition number, after all inputs."""
        replay = PlayerReplay(number, partitions=self._cut.partitions, prefix=self._prefix)
        whole = self._cut.spans[PLAYER_EVENTS.name, number].first == 0
        ignored: frozenset[str] = frozenset() if whole else OF_THE_ORDER
        by_topic = {name: Newest(name, ignored) for name in OF_PLAYERS}
        logged: Logged = {}
        async for records in self._read(PLAYER_EVENTS.name, number, beyond=False):
            self._note(logged, records, replay)
            if whole:
                for output in replay.take(records):
                    by_topic[output.topic].expect(output)
        beyond = [
            (number, record.key)
            async for records in self._read(PLAYER_EVENTS.name, number, beyond=True)
            for record in records
            if record.key
        ]
        self._facts.touch(beyond)
        left_out = self._facts.touched(number)
        self.report.left_out += len(left_out)
        causes = self._compare_facts(number, logged, left_out, whole=whole)
        if not whole:
            self.report.without_versions.append(number)
            # What was predicted before a list came, nobody can say without the games' own log.
            del by_topic[RECONCILIATIONS.name]
            for output in self._without_log(number, replay, logged):
                if output.topic in by_topic:
                    by_topic[output.topic].expect(output)
        for newest in by_topic.values():
            await self._meet(newest, number)
            newest.forget(left_out)
            for difference in newest.differences(causes):
                self.report.add(difference)
        self.report.ratings += len(by_topic[LIVE_RATINGS.name])
        self.report.sides += len(by_topic[RATED_GAMES.name])
        if whole:
            self.report.reconciliations += len(by_topic[RECONCILIATIONS.name])

    async def _meet(self, newest: Newest, number: int) -> None:
        """Read what stands in a topic, as far back as it goes."""
        async for records in self._read(newest.topic, number, beyond=False):
            for record in records:
                newest.meet(output_of(newest.topic, record.key, record.headers, record.value))
        if newest.topic in _KEPT_FOR_A_TIME and self._cut.spans[newest.topic, number].first:
            newest.forget_old()

    async def _read(self, name: str, number: int, *, beyond: bool) -> AsyncIterator[list[Record]]:
        span = self._cut.spans[name, number]
        first, end = (span.done, span.end) if beyond else (span.first, span.done)
        async for records in self._reader.read(f"{self._prefix}{name}", number, first, end):
            self._seen(len(records))
            yield [Record(*record) for record in records]

    def _note(self, logged: Logged, records: list[Record], replay: PlayerReplay) -> None:
        """Keep the newest of each fact in a log: a late process may have written an older one after it."""
        for record in records:
            if record.key is None or record.value is None or not replay.owns(record.key):
                continue
            if (fact := fact_of(record.value)) is not None:
                known = logged.get((record.key, fact.name))
                if known is None or fact.rank > known[0]:
                    logged[record.key, fact.name] = (fact.rank, record.value)

    def _compare_facts(
        self, number: int, logged: Logged, left_out: Collection[bytes], *, whole: bool
    ) -> dict[bytes, str]:
        """Hold the players' logs against the inputs; returns what is wrong with them by player."""
        causes: dict[bytes, str] = {}
        met: set[tuple[bytes, str]] = set()
        with_lists: set[bytes] = set()
        for player, name, value in self._facts.of(number):
            met.add((player, name))
            if name.startswith(LIST):
                with_lists.add(player)
            if player in left_out:
                continue
            self.report.facts += 1
            found = logged.get((player, name))
            if found is None:
                if whole:
                    self._differs(
                        causes, player, name, value, None, "the player's log misses what the inputs say"
                    )
            elif not is_told(value, found[1]) and (whole or found[0] >= _rank(value)):
                self._differs(causes, player, name, value, found[1], "the player's log says something else")
        for (player, name), (_, value) in logged.items():
            # Compaction keeps only the newest published rating of a player among the inputs.
            compacted = name.startswith(LIST) and player in with_lists
            if (player, name) not in met and not compacted and player not in left_out:
                self._differs(causes, player, name, None, value, "no input gives what the player's log says")

        return causes

    def _differs(
        self,
        causes: dict[bytes, str],
        player: bytes,
        name: str,
        expected: bytes | None,
        found: bytes | None,
        why: str,
    ) -> None:
        want, got = shown(expected, found)
        causes.setdefault(player, f"{why} ({name})")
        self.report.add(
            Difference(PLAYER_EVENTS.name, player.decode("utf-8", "backslashreplace"), name, want, got, why)
        )

    def _without_log(self, number: int, replay: PlayerReplay, logged: Logged) -> Iterator[Output]:
        """Make figures from facts alone: games first and lists after them, as they come in life."""
        told: dict[bytes, dict[str, bytes]] = {}
        for (player, name), (_, value) in logged.items():
            if name.startswith(LIST):
                told.setdefault(player, {})[name] = value
        for player, rows in groupby(self._facts.of(number), key=itemgetter(0)):
            values = {name: value for _, name, value in rows}
            lists = told.pop(player, {}) | {n: v for n, v in values.items() if n.startswith(LIST)}
            games = [value for name, value in values.items() if not name.startswith(LIST)]
            yield from replay.tell(player, [*games, *(lists[name] for name in sorted(lists))])


def _rank(value: bytes) -> list[Any]:
    fact = fact_of(value)

    return [] if fact is None else fact.rank
