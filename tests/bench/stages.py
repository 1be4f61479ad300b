"""What the stages alone cost, without Kafka: `python -m tests.bench.stages`.

Processor time per game of both stages, round by round, over made-up tournaments. The same input gives one
digest of all outputs, so that a change for speed alone is seen to be that. Two runs of different length under
`valgrind --tool=cachegrind --cache-sim=no` give instructions per game, which other work does not disturb.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from elowire.contracts.topics import partition_of
from elowire.processor.app import few_collections
from elowire.processor.player import PlayerStage
from elowire.processor.stage import Record
from elowire.processor.tournament import TournamentStage
from tests.bench import load
from tests.stages.driver import Part

if TYPE_CHECKING:
    from collections.abc import Iterable

    from elowire.contracts.envelope import EventRecord
    from elowire.processor.stage import Emit

PARTITIONS = 12
BEGAN_MS = 1_760_000_000_000


class Stages:
    """Both stages over topics that are lists; `spent` is processor time in seconds by stage."""

    def __init__(self, batch: int) -> None:
        self.batch = batch
        stages = TournamentStage(partitions=PARTITIONS), PlayerStage(partitions=PARTITIONS)
        self.parts = [Part(stage, number) for stage in stages for number in range(PARTITIONS)]
        self.topics: dict[tuple[str, int], list[Record]] = defaultdict(list)
        self.spent: Counter[str] = Counter()
        self.records: Counter[str] = Counter()
        self.digest = hashlib.sha256()

    def feed(self, events: Iterable[EventRecord]) -> None:
        """Append input records and work until every topic is read to its end."""
        for event in events:
            self._append(event.topic, partition_of(event.key, PARTITIONS), *event[1:])
        worked = True
        while worked:
            worked = False
            for part in self.parts:
                worked |= self._turn(part)

    def _append(self, topic: str, number: int, key: Any, value: Any, headers: Any) -> None:
        log = self.topics[topic, number]
        log.append(Record(topic, number, len(log), BEGAN_MS + len(log), key, value, headers))

    def _turn(self, part: Part) -> bool:
        stage, records = part.stage, list[Record]()
        for topic, begin in part.next.items():
            taken = self.topics[topic, part.number][begin : begin + self.batch - len(records)]
            part.next[topic] += len(taken)
            records += taken
        if not records:
            return False
        began = time.process_time()
        effects = stage.apply(records, part.table, part.index, part.number)
        self.spent[stage.name] += time.process_time() - began
        part.table.update(effects.puts)
        self.records[f"{stage.name} states"] += len(effects.puts)
        for emit in effects.emits:
            self._take(emit)

        return True

    def _take(self, emit: Emit) -> None:
        self.records[emit.topic] += 1
        self.digest.update(repr(emit[:4]).encode() + repr(list(emit.headers)).encode())
        if emit.topic == "player-events":
            self._append(*emit)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.stages", description=__doc__)
    parser.add_argument("--tournaments", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--batch", type=int, default=2000, help="most records in a batch")
    chosen = parser.parse_args()
    size = load.Size(chosen.tournaments, entrants=100, rounds=chosen.rounds, players=chosen.tournaments * 100)
    opening, entries = load.facts(size, seed=1)
    games = list(load.games(size, entries, seed=1))
    stages, in_round = Stages(chosen.batch), chosen.tournaments * 50
    stages.feed(opening)
    stages.records.clear()
    few_collections()
    for number in range(chosen.rounds):
        stages.spent.clear()
        stages.feed(games[number * in_round : (number + 1) * in_round])
        spent = {name: f"{seconds / in_round * 1e6:.1f}" for name, seconds in stages.spent.items()}
        print(f"round {number + 1:>3}: " + ", ".join(f"{name} {one} µs" for name, one in spent.items()))
    print(", ".join(f"{name} {count / size.games:.2f}" for name, count in stages.records.items()), "per game")
    print("digest of all outputs", stages.digest.hexdigest()[:16])


if __name__ == "__main__":
    main()
