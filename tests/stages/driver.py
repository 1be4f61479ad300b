"""The three stages in memory as the lane runs them: topics and changelogs are lists, faults are chosen.

A batch goes the lane's way: outputs, then states into the changelog, then table and positions move together,
then - now and then - offsets are committed. `faults` says how often it ends on the way; then everything is
rebuilt from the changelog and the committed offsets. A zombie is a copy of a part that goes on with an old
table; what it writes is absorbed as the changelog does it: the higher version of a key wins.
"""

from __future__ import annotations

import random
from collections import defaultdict
from typing import NamedTuple

from elowire.contracts.envelope import input_record
from elowire.contracts.topics import partition_of
from elowire.processor.lists import ListsStage
from elowire.processor.player import PlayerStage
from elowire.processor.stage import Record
from elowire.processor.tournament import TournamentStage

BEGAN = 1_760_000_000_000


class ProcessEndedError(AssertionError):
    """The engine would have ended the process."""


class Faults(NamedTuple):
    """Chances per batch."""

    crash: float = 0.0
    drop: float = 0.0
    zombie: float = 0.0
    guard_off: str = ""
    """A guard of the engine that is missing: `outputs-first`, `commit-last` or `newest-wins`."""


CALM = Faults()
PLACES = ("inside the outputs", "after the outputs", "inside the changelog", "after the changelog")


class Part:
    """One partition number of a stage."""

    def __init__(self, stage, number):
        self.stage, self.number = stage, number
        self.table, self.index = {}, stage.new_index()
        self.next = dict.fromkeys(stage.sources, 0)

    def absorb(self, states, *, newest_wins=True):
        """Take changelog records: the higher version of a key wins, equal versions must be equal bytes."""
        for key, state in states:
            known = self.table.get(key)
            version = self.stage.version
            if not newest_wins or known is None or version(state) > version(known):
                self.table[key] = state
                self.stage.note(self.index, key, state)
            elif version(state) == version(known) and state != known:
                raise ProcessEndedError(f"two states of one version for {key!r}:\n{known!r}\n{state!r}")

    def copy(self):
        """A zombie in the making: the same table and positions, an index of its own."""
        twin = Part(self.stage, self.number)
        twin.absorb(self.table.items())
        twin.next = dict(self.next)
        return twin


class Lane:
    """All parts of one process, and the topics that it reads and writes."""

    def __init__(self, *, partitions=1, seed=0, faults=CALM, most=40):
        self.partitions, self.faults, self.most = partitions, faults, most
        self.random = random.Random(seed)
        self.topics = defaultdict(lambda: [[] for _ in range(partitions)])
        self.stages = [stage(partitions=partitions) for stage in (TournamentStage, ListsStage, PlayerStage)]
        self.changelogs = defaultdict(list)
        self.committed, self.zombies = {}, []
        self.parts = [Part(stage, number) for stage in self.stages for number in range(partitions)]
        self.bitten = 0

    # -- topics --------------------------------------------------------------------------------------------

    def append(self, topic, partition, key, value, headers=()):
        log = self.topics[topic][partition]
        record = Record(topic, partition, len(log), BEGAN + 1000 * len(log), key, value, list(headers))
        log.append(record)
        return record

    def send(self, events):
        """Append input events, pairs of (event id, event); returns their records."""
        records = [input_record(event, event_id=event_id, source="tests") for event_id, event in events]
        return [
            self.append(r.topic, partition_of(r.key, self.partitions), r.key, r.value, r.headers)
            for r in records
        ]

    def all(self, topic):
        """Every record of a topic, partition by partition."""
        return [record for log in self.topics[topic] for record in log]

    def read(self):
        """{topic: every record}, as the oracle's readings take it."""
        return defaultdict(list, {topic: self.all(topic) for topic in list(self.topics)})

    # -- work ----------------------------------------------------------------------------------------------

    def run(self):
        """Work until every log is read to its end."""
        while waiting := [part for part in self.parts if self._left(part)]:
            self._batch(self.random.choice(waiting))
            if self.zombies and self.random.random() < 0.4:
                self._wake(self.zombies.pop(self.random.randrange(len(self.zombies))))
        while self.zombies:
            self._wake(self.zombies.pop())
            self.run()
        return self

    def feed(self, events):
        """Send and work."""
        self.send(events)
        return self.run()

    def rewind(self, share):
        """Deliver again what the last `share` of every source held, as after a crash before the commit."""
        for part in self.parts:
            for topic in part.next:
                part.next[topic] -= int(part.next[topic] * share)
        return self.run()

    def restart(self):
        """A new process: tables from the changelogs, positions from the committed offsets."""
        old, self.parts = self.parts, []
        for part in old:
            fresh = Part(part.stage, part.number)
            fresh.absorb(self._compacted(part), newest_wins=self.faults.guard_off != "newest-wins")
            fresh.next = dict(self.committed.get((part.stage.name, part.number), fresh.next))
            self.parts.append(fresh)

    def _compacted(self, part):
        """The changelog with older records of a key gone, as far as the cleaner happened to come."""
        log = self.changelogs[part.stage.name, part.number]
        last = {key: place for place, (key, _) in enumerate(log)}
        reach = self.random.randrange(len(log) + 1)
        return [entry for place, entry in enumerate(log) if place >= reach or last[entry[0]] == place]

    def _left(self, part):
        return sum(len(self.topics[topic][part.number]) - at for topic, at in part.next.items())

    def _take(self, part):
        records, after = [], dict(part.next)
        sources = list(part.next)
        self.random.shuffle(sources)
        for topic in sources:
            many = self.random.randint(0, self.most) if self.random.random() < 0.7 else 0
            got = self.topics[topic][part.number][part.next[topic] :][:many]
            records += got
            after[topic] += len(got)
        return records, after

    def _batch(self, part):
        records, after = self._take(part)
        if not records:
            return
        if self.random.random() < self.faults.zombie:
            self.zombies.append(part.copy())
        effects = part.stage.apply(records, part.table, part.index, part.number)
        if self.random.random() < self.faults.drop:
            self.bitten += 1
            return
        crash = self.random.random() < self.faults.crash
        place = self.random.choice(PLACES) if crash else None
        if self.faults.guard_off == "commit-last":
            self.committed[part.stage.name, part.number] = dict(after)
        self._emit(self._acknowledged(effects.emits, place))
        self.changelogs[part.stage.name, part.number] += self._written(effects.puts, place)
        if crash:
            self.bitten += 1
            self.restart()
            return
        part.table.update(effects.puts)
        part.next = after
        if self.random.random() < 0.3:
            self.committed[part.stage.name, part.number] = dict(after)

    def _acknowledged(self, emits, place):
        if place is not None and self.faults.guard_off == "outputs-first":
            return []
        return self._some(emits) if place == "inside the outputs" else emits

    def _written(self, puts, place):
        states = list(puts.items())
        if place == "inside the changelog":
            return states[: self.random.randrange(len(states) + 1)]
        return states if place in {None, "after the changelog"} or self._is_swapped() else []

    def _is_swapped(self):
        return self.faults.guard_off == "outputs-first"

    def _some(self, emits):
        """What the broker had taken of a batch: of every partition a beginning."""
        reach = defaultdict(self.random.random)
        counts = defaultdict(int)
        for emit in emits:
            counts[emit.topic, emit.partition] += 1
        seen = defaultdict(int)
        for emit in emits:
            at = (emit.topic, emit.partition)
            seen[at] += 1
            if seen[at] <= reach[at] * counts[at]:
                yield emit

    def _emit(self, emits):
        for emit in emits:
            self.append(emit.topic, emit.partition, emit.key, emit.value, emit.headers)

    def _wake(self, zombie):
        """A zombie goes on with its old table: its outputs and states arrive late, the owner absorbs them."""
        records, _ = self._take(zombie)
        if not records:
            return
        self.bitten += 1
        effects = zombie.stage.apply(records, zombie.table, zombie.index, zombie.number)
        self._emit(effects.emits)
        owner = next(p for p in self.parts if p.stage is zombie.stage and p.number == zombie.number)
        states = list(effects.puts.items())
        self.changelogs[zombie.stage.name, zombie.number] += states
        if self.faults.guard_off == "newest-wins":
            return
        owner.absorb(states)
        # A key whose last record is the older one is written again.
        log = self.changelogs[zombie.stage.name, zombie.number]
        log += [(key, owner.table[key]) for key, state in states if owner.table[key] != state]
