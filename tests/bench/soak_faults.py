"""What `make soak` does to the workers and their broker. Each fault returns when the harm is over.

Slot 0, the witness, is hurt by nothing but the broker's faults: its memory is what tells of a leak.
"""

from __future__ import annotations

import asyncio
import signal
import time
from typing import TYPE_CHECKING, NamedTuple

from tests.broker.faults.scenarios import KILL_PLACES

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable

    from tests.broker.faults.brokers import OwnBroker
    from tests.broker.faults.workers import Workers

WITNESS, VICTIMS = 0, (1, 2)
SESSION_S = 6


class Hurt(NamedTuple):
    """Who may be hurt, and the chance that says how."""

    workers: Workers
    broker: OwnBroker
    chance: random.Random


async def kills_around_the_barriers(hurt: Hurt) -> None:
    """Both victims kill themselves again and again where it hurts most, and come back."""
    chaos = {"CHAOS": "0.05", "KILL_AT": ",".join(KILL_PLACES)}
    for slot in VICTIMS:
        await asyncio.to_thread(hurt.workers.leave, slot)
        hurt.workers.start(slot, **chaos)
    ends = time.monotonic() + hurt.chance.uniform(60, 120)
    while time.monotonic() < ends:
        await asyncio.sleep(0.2)
        hurt.workers.restart_dead(**chaos)
    for slot in VICTIMS:
        await asyncio.to_thread(hurt.workers.leave, slot, hard=True)
        hurt.workers.start(slot)


async def kills_at_any_moment(hurt: Hurt) -> None:
    """A victim is killed from outside, some times in a row."""
    for _ in range(hurt.chance.randint(2, 6)):
        await _leaves(hurt, hurt.chance.choice(VICTIMS), hard=True, away_s=hurt.chance.uniform(0, 3))
        await asyncio.sleep(hurt.chance.uniform(1, 8))
        hurt.workers.restart_dead()


async def a_kill_that_is_noticed(hurt: Hurt) -> None:
    """A victim is away for longer than its session: the others take its partitions over."""
    await _leaves(hurt, hurt.chance.choice(VICTIMS), hard=True, away_s=SESSION_S + 4)


async def a_restart_in_order(hurt: Hurt) -> None:
    """SIGTERM, and a new start."""
    await _leaves(hurt, hurt.chance.choice(VICTIMS), hard=False, away_s=hurt.chance.uniform(0, 10))


async def a_zombie(hurt: Hurt) -> None:
    """A victim is frozen beyond its session and goes on where it was."""
    slot = hurt.chance.choice(VICTIMS)
    hurt.workers.signal(slot, signal.SIGSTOP)
    hurt.workers.count["frozen"] += 1
    await asyncio.sleep(SESSION_S + hurt.chance.uniform(2, 8))
    hurt.workers.signal(slot, signal.SIGCONT)


async def a_killed_broker(hurt: Hurt) -> None:
    """SIGKILL to Kafka, and a new start."""
    await asyncio.to_thread(hurt.broker.kill)
    hurt.workers.count["broker kills"] += 1
    await asyncio.sleep(hurt.chance.uniform(0, 3))
    await asyncio.to_thread(hurt.broker.start)


async def a_silent_broker(hurt: Hurt) -> None:
    """Kafka says nothing for some seconds."""
    java = hurt.broker.java
    java.send_signal(signal.SIGSTOP)
    hurt.workers.count["broker silences"] += 1
    await asyncio.sleep(hurt.chance.uniform(2, 10))
    java.send_signal(signal.SIGCONT)


async def _leaves(hurt: Hurt, slot: int, *, hard: bool, away_s: float) -> None:
    await asyncio.to_thread(hurt.workers.leave, slot, hard=hard)
    await asyncio.sleep(away_s)
    hurt.workers.start(slot)


# How often each comes, of a hundred. A witness lives on when the broker is away for seconds.
FAULTS: dict[Callable[[Hurt], Awaitable[None]], int] = {
    kills_around_the_barriers: 40,
    kills_at_any_moment: 20,
    a_kill_that_is_noticed: 10,
    a_restart_in_order: 10,
    a_zombie: 12,
    a_killed_broker: 4,
    a_silent_broker: 4,
}


def next_fault(chance: random.Random) -> Callable[[Hurt], Awaitable[None]]:
    """Choose by chance."""
    [fault] = chance.choices(list(FAULTS), FAULTS.values())

    return fault
