"""drive.py SCENARIO NAME SEED [key=value ...]: hurts workers on a real broker, then asks the checker.

smoke   secs=10
storm   secs=60 slots=2 least=2.5 most=5.5 static=0
place   kills=30 chaos=0.03 at="lease ok,committed"   (scenarios.KILL_PLACES)
zombie  cycles=3 at="lease ok" stage=player wake=late|early
broker  kills=3   (starts a broker of its own)

Everywhere: kind=toy|product rate=800 (records a second) records=12000 (about) partitions=4 session=6
mutation= port=30320 folder=logs bootstrap=127.0.0.1:29092. NAME must be new on the broker. The last line
and the exit code tell the verdict.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[3]))

from elowire.runtime.topics import Shape
from tests.broker.faults import cluster
from tests.broker.faults.brokers import OwnBroker
from tests.broker.faults.kinds import KINDS
from tests.broker.faults.scenarios import SCENARIOS, Run
from tests.broker.faults.workers import Workers

if TYPE_CHECKING:
    from collections import Counter


class Verdict(NamedTuple):
    """What came out: `wrong` is empty if the run is good; the rest tells what happened, so that a test sees
    that the fault bit: what was done to the workers, what their logs tell, and where they were hit."""

    wrong: list[str]
    done: Counter
    seen: Counter
    places: Counter
    fed: int
    seconds: float

    def __str__(self):
        done, seen, places = (dict(counter) for counter in (self.done, self.seen, self.places))
        verdict = f"RED {'; '.join(self.wrong)[:3000]}" if self.wrong else "OK"
        return f"fed={self.fed} seconds={self.seconds:.0f} {done} {seen} {places}\nVERDICT {verdict}"


async def drive(scenario, name, seed, *, bootstrap, folder, kind="toy", rate=800.0, partitions=4, **options):
    """Run a scenario against a broker; the workers are stopped and the topics checked at the end."""
    what, prefix = KINDS[kind], f"{name}-"
    await cluster.make_topics(bootstrap, what, prefix, Shape(partitions=partitions))
    workers = Workers(
        folder,
        static=str(options.get("static", "0")) == "1",
        NAME=name,
        BOOTSTRAP=bootstrap,
        STAGES=kind,
        PARTITIONS=partitions,
        SESSION=options.get("session", 6),
        BATCH_S=options.get("batch_s", 20),
        MUTATION=options.get("mutation", ""),
    )
    # One stream for the whole run: two would contradict each other about the same players.
    stream = iter(what.input(seed, int(options.get("records", 12_000)), partitions))
    fed = 0

    async def feed(seconds):
        nonlocal fed
        records = itertools.islice(stream, int(float(rate) * seconds))
        sent = await cluster.feed(bootstrap, prefix, records, rate=float(rate))
        fed += sent
        return sent

    async def drained():
        return await cluster.drained(bootstrap, what, prefix, name, partitions, 90)

    async def rest():
        nonlocal fed
        fed += await cluster.feed(bootstrap, prefix, stream)
        await drained()

    began = time.monotonic()
    try:
        await SCENARIOS[scenario](Run(workers, feed, rest, random.Random(seed), options))
        fed += await cluster.feed(bootstrap, prefix, stream)  # no tournament stays unfinished
        left = asyncio.ensure_future(drained())
        while not left.done():
            await asyncio.sleep(0.2)
            workers.restart_dead()
        await asyncio.to_thread(workers.leave_all)
    finally:
        workers.kill_all()
    wrong = await what.check(bootstrap, prefix)
    if behind := left.result():
        wrong.append(f"not drained after 90 s: {behind}")
    seen, places = workers.seen()
    return Verdict(wrong, workers.count, seen, places, fed, time.monotonic() - began)


def main():
    scenario, name, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    options = dict(argument.split("=", 1) for argument in sys.argv[4:])
    folder = Path(options.pop("folder", "logs")) / name
    bootstrap = options.pop("bootstrap", "127.0.0.1:29092")
    partitions = int(options.pop("partitions", 4))
    own = OwnBroker(folder / "broker", int(options.pop("port", 30320))) if scenario == "broker" else None
    if own:
        own.start()
        options["broker"], bootstrap = own, own.bootstrap
    try:
        verdict = asyncio.run(
            drive(scenario, name, seed, bootstrap=bootstrap, folder=folder, partitions=partitions, **options)
        )
    finally:
        if own:
            own.stop()
    print(f"RESULT {scenario} {name} seed={seed} {options}\n{verdict}", flush=True)
    sys.exit(bool(verdict.wrong))


if __name__ == "__main__":
    main()
