"""`make soak HOURS=2 SEED=1`: the product under one fault after another, until the time is over.

A real event of 605 games and made-up tournaments, with corrections, repetitions and bad records, come at a
rate that changes, while workers and the broker are hurt. After each fault what had come by then must be done
within a minute. At the end the checker reads all topics, `elowire verify` is asked, and memory and open files
of a worker that was never killed are judged. The same seed gives the same input and the same faults; machines
differ in when they bite.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from aiokafka.errors import KafkaError
from aiokafka.structs import TopicPartition

from elowire.runtime import logs
from elowire.runtime.kafka import end_offsets
from elowire.runtime.settings import load_settings
from elowire.runtime.topics import Shape
from tests.bench import soak_gauges as gauges
from tests.bench.soak_faults import SESSION_S, VICTIMS, WITNESS, Hurt, next_fault
from tests.broker.acceptance.programs import run
from tests.broker.faults import cluster
from tests.broker.faults.brokers import OwnBroker
from tests.broker.faults.kinds import KINDS
from tests.broker.faults.workers import Workers

if TYPE_CHECKING:
    import subprocess

PARTITIONS, GROUP, PREFIX = 4, "elowire", ""
PRODUCT = KINDS["product"]
RATES = (2, 5, 15, 40)  # records a second, a minute each
HEALED_S = 60
COMMAND_S = 3600
SAMPLE_S = 10
REAL_EVENT = Path(__file__).parents[1] / "data/events/swiss-open-2005.trf"
KILLS = ("killed itself", "killed")


class Soak:
    """One run: `wrong` has what was found so far."""

    def __init__(self, folder: Path, seconds: float, seed: int) -> None:
        self.ends = time.monotonic() + seconds
        self.broker = OwnBroker(folder / "kafka")
        self.workers = Workers(
            folder / "workers",
            static=True,
            NAME=GROUP,
            PREFIX=PREFIX,
            BOOTSTRAP=self.broker.bootstrap,
            STAGES="product",
            PARTITIONS=PARTITIONS,
            SESSION=SESSION_S,
        )
        self.chance = random.Random(seed)
        self.stream = iter(PRODUCT.input(seed, int(seconds * mean(RATES)), PARTITIONS))
        self.fed, self.faults, self.slowest_s = 0, 0, 0.0
        self.samples: list[gauges.Sample] = []
        self.wrong: list[str] = []

    async def run(self) -> None:
        """Feed and hurt until the time is over, then let the workers finish and judge."""
        self.broker.start()
        try:
            await cluster.make_topics(self.broker.bootstrap, PRODUCT, PREFIX, Shape(partitions=PARTITIONS))
            for slot in (WITNESS, *VICTIMS):
                self.workers.start(slot)
            await asyncio.to_thread(self._feed_real_event)
            async with asyncio.TaskGroup() as tasks:
                feeding = tasks.create_task(self._feed())
                watching = tasks.create_task(self._watch())
                await self._hurt()
                await feeding
                await self._healed(await self._ends())
                watching.cancel()
            await asyncio.to_thread(self.workers.leave_all)
            self.wrong += await PRODUCT.check(self.broker.bootstrap, PREFIX)
            await asyncio.to_thread(self._verify)
        finally:
            self.workers.kill_all()
            self.broker.stop()

    async def _feed(self) -> None:
        for rate in itertools.cycle(RATES):
            left_s = min(60, self.ends - time.monotonic())
            if left_s <= 0 or self.wrong:
                break
            part = itertools.islice(self.stream, int(rate * left_s))
            self.fed += await cluster.feed(self.broker.bootstrap, PREFIX, part, rate=rate)
        self.fed += await cluster.feed(self.broker.bootstrap, PREFIX, self.stream)  # none stays unfinished

    async def _hurt(self) -> None:
        hurt = Hurt(self.workers, self.broker, self.chance)
        await asyncio.sleep(10)
        while time.monotonic() < self.ends and not self.wrong:
            fault = next_fault(self.chance)
            self.faults += 1
            await fault(hurt)
            took = await self._healed(await self._ends())
            print(
                f"{time.strftime('%H:%M:%S')} {fault.__name__}: done after {took:.1f} s; {self}", flush=True
            )
            await asyncio.sleep(self.chance.uniform(2, 15))

    async def _ends(self) -> dict[TopicPartition, int]:
        """Where the sources end now, waiting for a broker that has just been started."""
        while True:
            with suppress(KafkaError, OSError):
                found = await end_offsets(self.broker.bootstrap, [PREFIX + name for name in PRODUCT.sources])
                return {TopicPartition(*place): end for place, end in found.items()}
            await asyncio.sleep(0.5)

    async def _healed(self, ends: dict[TopicPartition, int]) -> float:
        """Wait until all that had come is committed; return the seconds."""
        began = time.monotonic()
        while behind := await self._behind(ends):
            if time.monotonic() > began + HEALED_S:
                self.wrong.append(f"not done after {HEALED_S} s: {behind}")
                break
            self.workers.restart_dead()
            await asyncio.sleep(0.5)
        took = time.monotonic() - began
        self.slowest_s = max(self.slowest_s, took)

        return took

    async def _behind(self, ends: dict[TopicPartition, int]) -> dict[str, int]:
        try:
            left = await cluster.behind(self.broker.bootstrap, GROUP, ends)
        except (KafkaError, OSError) as fault:
            return {repr(fault): 1}
        return {at: count for at, count in left.items() if count > 0}

    async def _watch(self) -> None:
        while True:
            if (worker := self.workers.processes.get(WITNESS)) and (
                seen := gauges.sample(worker.pid, self.fed)
            ):
                self.samples.append(seen)
            await asyncio.sleep(SAMPLE_S)

    def _elowire(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        settings = {"ELOWIRE_GROUP": GROUP, "ELOWIRE_PARTITIONS": PARTITIONS}
        return run(*arguments, "--bootstrap", self.broker.bootstrap, within_s=COMMAND_S, **settings)

    def _feed_real_event(self) -> None:
        done = self._elowire("feed", REAL_EVENT)
        if done.returncode:
            self.wrong.append(f"feed: {done.stdout}{done.stderr}")

    def _verify(self) -> None:
        done = self._elowire("verify")
        print(done.stdout, flush=True)
        if done.returncode:
            self.wrong.append(f"verify: {done.stdout[:2000]}{done.stderr}")

    def __str__(self) -> str:
        kills = sum(self.workers.count[name] for name in KILLS)
        return f"{self.fed} records, {self.faults} faults, {kills} kills, slowest {self.slowest_s:.1f} s"


def main() -> None:
    """Run; exits with 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    logs.configure(load_settings())
    with tempfile.TemporaryDirectory(prefix="elowire-soak-") as folder:
        soak = Soak(Path(folder), chosen.hours * 3600, chosen.seed)
        asyncio.run(soak.run())
    told, wrong = gauges.growth(gauges.longest_life(soak.samples))
    wrong = [*soak.wrong, *wrong]
    print(f"{soak}; {dict(soak.workers.count)}\n{told}")
    print(f"VERDICT seed {chosen.seed}: {'RED ' + '; '.join(wrong)[:5000] if wrong else 'OK'}", flush=True)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
