"""The lane is stopped at every step of three batches on two partitions; whoever takes over ends right."""

from __future__ import annotations

import asyncio
import random

import orjson
import pytest
from aiokafka.structs import TopicPartition

from tests.broker.faults.mutations import switched_off
from tests.fakes.toy import TOY_CHANGELOGS, TOY_SOURCES, TOY_TOPICS, partition_of, toy_stages
from tests.fakes.toy_oracle import faults
from tests.fakes.world import Crashed, Member, World, kill, until_done

PARTITIONS = 2


def fresh_world():
    """Corrections before and after their originals, duplicates and a record that nobody can read."""
    world = World([*TOY_TOPICS, *TOY_CHANGELOGS], PARTITIONS)
    rng = random.Random(7)
    accounts = [b"a", b"b", b"c", b"d"]
    for n in range(10):
        key, rev = rng.choice(accounts), rng.randrange(2)
        events = [orjson.dumps({"id": f"g{n // 2}", "rev": rev, "amount": 100 * (n // 2) + rev})]
        if n == 4:
            events.append(b"not json")
        if n == 6:
            events *= 2
        for event in events:
            world.append(TopicPartition("inbox", partition_of(key, PARTITIONS)), key, event)
    return world


def verdict(world):
    topics = (*TOY_TOPICS[:2], *TOY_TOPICS[2:], *TOY_CHANGELOGS)
    wrong = faults(*(world.records(topic) for topic in topics))
    if lag := world.lag(TOY_SOURCES):
        wrong.append(f"{lag} records are not committed")
    return wrong


async def take_over(world, stages=toy_stages):
    member = Member(world, stages("", PARTITIONS))
    member.join()
    await until_done(member, TOY_SOURCES)
    await member.leave()


async def killed(how, at):
    """One member is killed at step `at`, a second one takes over."""
    world = fresh_world()
    first = Member(world, toy_stages("", PARTITIONS), at=at, how=how)
    first.join()
    try:
        await until_done(first, TOY_SOURCES)
    except Crashed:
        await take_over(world)
    await kill(first)
    return first.where, verdict(world)


async def frozen(how, at):
    """One member freezes at step `at`, a second one does its work; then the first goes on where it was."""
    world = fresh_world()
    first = Member(world, toy_stages("", PARTITIONS), at=at, how=how)
    first.join()
    if await reached(first):
        second = Member(world, toy_stages("", PARTITIONS))
        second.join()
        await until_done(second, TOY_SOURCES)
        first.thaw.set()
        for _ in range(20):
            await asyncio.sleep(0)
        await until_done(second, TOY_SOURCES)
        first.mine = set()
        await first.lane.revoked()
        await until_done(second, TOY_SOURCES)
        await second.leave()
    await kill(first)
    return first.where, verdict(world)


async def shared(_, at):
    """While one member is at step `at`, the group gives half of its partitions to a second one."""
    world = fresh_world()
    first = Member(world, toy_stages("", PARTITIONS), at=at, how="freeze")
    first.join()
    if await reached(first):
        second = Member(world, toy_stages("", PARTITIONS))
        revoked = asyncio.ensure_future(first.lane.revoked())
        for _ in range(3):
            await asyncio.sleep(0)
        first.thaw.set()
        await revoked
        first.join([0])
        second.join([1])
        await until_done(first, TOY_SOURCES)
        await until_done(second, TOY_SOURCES)
        await until_done(first, TOY_SOURCES)
        await second.leave()
    first.thaw.set()  # its step may come after all is done
    await first.leave()
    return first.where, verdict(world)


async def reached(member):
    """Run a member until it freezes; False if it ends its work before."""
    done = asyncio.ensure_future(until_done(member, TOY_SOURCES))
    frozen = asyncio.ensure_future(member.frozen.wait())
    await asyncio.wait([done, frozen], return_when=asyncio.FIRST_COMPLETED)
    frozen.cancel()
    if done.done():
        done.result()
    done.cancel()
    return member.frozen.is_set()


FATES = {"before": killed, "after": killed, "freeze": frozen, "unheard": frozen, "rebalance": shared}


async def every_step(how, *, until_red=False):
    """Return what went wrong, how many steps there were, and what they did."""
    red, at, places = {}, 0, set()
    while True:
        at += 1
        where, wrong = await FATES[how](how, at)
        if wrong:
            red[at, where] = wrong
        if not where or (red and until_red):
            return red, at, places
        places.add(where)


@pytest.mark.parametrize("how", FATES)
async def test_whoever_takes_over_ends_right(how):
    red, steps, places = await every_step(how)

    assert steps > 60
    assert places >= {
        "fetch",
        "seek",
        "commit",
        "committed",
        "ends",
        "ids",
        "write totals",
        "write amounts-changelog",
    }
    assert red == {}


@pytest.mark.parametrize(
    ("guard", "how"),
    [
        ("swap", "before"),
        ("commitfirst", "before"),
        ("lww", "freeze"),
        ("nocontig", "freeze"),
        ("norepair", "freeze"),
    ],
)
async def test_a_guard_that_is_off_is_noticed(guard, how):
    with switched_off(guard):
        red, _, _ = await every_step(how, until_red=True)

    assert red
