"""What is done to the workers while records come in. Each returns when the harm is over."""

from __future__ import annotations

import asyncio
import signal
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

KILL_PLACES = (
    "before barrier 1",
    "inside barrier 1",
    "after barrier 1",
    "lease ok",
    "inside barrier 2",
    "after barrier 2",
    "committed",
    "fetched",
    "recovering",
)


@dataclass
class Run:
    """One run: the workers, ways to feed, a seeded source of chance, and options.

    `feed(seconds)` sends a part of the stream at its rate and gives the number; `rest()` sends what is left
    and waits until the workers have done it.
    """

    workers: object
    feed: object
    rest: object
    chance: random.Random
    options: dict = field(default_factory=dict)

    def option(self, name, default):
        return type(default)(self.options.get(name, default))


async def smoke(run):
    """Nothing happens: one worker."""
    run.workers.start(0)
    await run.feed(run.option("secs", 10.0))


async def storm(run):
    """Workers join and leave at random moments, every third by SIGKILL; slot 0 is hit too."""
    slots, secs = run.option("slots", 2), run.option("secs", 60.0)
    run.workers.start(0)
    await asyncio.sleep(2)
    feeding = asyncio.ensure_future(run.feed(secs))
    ends, left = time.monotonic() + secs, 0
    while time.monotonic() < ends:
        slot = run.chance.randrange(slots) if run.chance.random() < 0.25 else run.chance.randrange(1, slots)
        if slot in run.workers.processes:
            left += 1
            await asyncio.to_thread(run.workers.leave, slot, hard=left % 3 == 0)
        if not run.workers.processes or run.chance.random() < 0.85:
            run.workers.start(slot)
        await asyncio.sleep(run.chance.uniform(run.option("least", 2.5), run.option("most", 5.5)))
        run.workers.restart_dead()
    await feeding


async def place(run):
    """One worker kills itself around the barriers and is started again at once, while there are records."""
    kills = run.option("kills", 30)
    extra = {
        "CHAOS": run.option("chaos", "0.03"),
        "KILL_AT": run.option("at", ",".join(KILL_PLACES)),
    }

    async def all_there_is():
        while await run.feed(5):
            pass
        await run.rest()

    run.workers.start(0, **extra)
    feeding = asyncio.ensure_future(all_there_is())
    while not feeding.done():
        await asyncio.sleep(0.1)
        run.workers.restart_dead(**(extra if run.workers.count["killed itself"] < kills else {}))
    await feeding
    await asyncio.to_thread(run.workers.leave, 0, hard=True)
    run.workers.start(0)


async def zombie(run):
    """Of two workers one is frozen for longer than its session, then goes on where it was.

    It freezes itself at the place `at` (a stage can be named), or is frozen from outside at a random moment.
    The last time it wakes up when all is done, so that nobody writes over what it writes; with `wake=early`
    others are at work then, too, so that nobody looks for it if the guards do not.
    """
    cycles, session, at = run.option("cycles", 3), run.option("session", 6.0), run.option("at", "")
    hold = session + 4
    # Batches of many records; and a budget that is not over when it wakes up, which would end it in time.
    extra = {"PACE": 0.3, "BATCH_S": 600}
    if at:
        extra |= {"STOP_AT": at, "STOP_STAGE": run.option("stage", ""), "STOP_AFTER": 4, "STOP_EVERY": 6}
    run.workers.start(0, **extra)
    run.workers.start(1)
    await asyncio.sleep(2)
    feeding = asyncio.ensure_future(run.feed(cycles * (hold + 9) + 4))
    ends = time.monotonic() + cycles * (hold + 14) + 60
    while run.workers.count["frozen"] < cycles and time.monotonic() < ends:
        if not at:
            await asyncio.sleep(run.chance.uniform(3, 6))
            run.workers.signal(0, signal.SIGSTOP)
        if await _froze(run.workers, 0):
            run.workers.count["frozen"] += 1
            since = time.monotonic()
            if run.workers.count["frozen"] == cycles and run.option("wake", "late") == "late":
                await feeding
                await run.rest()
            await asyncio.sleep(max(0, hold - (time.monotonic() - since)))
            run.workers.signal(0, signal.SIGCONT)
            await asyncio.sleep(4)
        for slot, more in ((0, extra), (1, {})):
            if run.workers.processes[slot].poll() is not None:
                run.workers.leave(slot)
                run.workers.start(slot, **more)
    await feeding
    await asyncio.to_thread(run.workers.leave, 0)
    run.workers.start(0)


async def _froze(workers, slot, patience_s=20.0):
    """Wait until a worker is frozen; False if it ends or patience does."""
    ends = time.monotonic() + patience_s
    while workers.processes[slot].poll() is None and time.monotonic() < ends:
        if workers.frozen(slot):
            return True
        await asyncio.sleep(0.01)
    return False


async def broker(run):
    """The broker is killed and started again under one worker."""
    kills, broker = run.option("kills", 3), run.options["broker"]
    run.workers.start(0)
    feeding = asyncio.ensure_future(run.feed(kills * 22 + 5))
    for _ in range(kills):
        await _watch(run, run.chance.uniform(5, 9))
        await asyncio.to_thread(broker.kill)
        run.workers.count["broker kills"] += 1
        await _watch(run, run.chance.uniform(1, 7))
        await asyncio.to_thread(broker.start)
        await _watch(run, 5)
    while not feeding.done():
        await _watch(run, 0.2)
    await feeding


async def _watch(run, seconds):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        await asyncio.sleep(0.1)
        run.workers.restart_dead()


SCENARIOS = {"smoke": smoke, "storm": storm, "place": place, "zombie": zombie, "broker": broker}
