"""The product on three nodes that are hurt: each fault is seen to bite, and the checker judges."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager

import pytest
from aiokafka.errors import KafkaError

from elowire.contracts.topics import CATALOGUE
from elowire.runtime.kafka import admin_client, end_offsets
from elowire.runtime.topics import Shape
from tests.broker.faults.proxy import Proxy
from tests.broker.faults.scene import Scene

pytestmark = pytest.mark.broker

PATIENCE_S = 90
THREEFOLD = Shape(partitions=4, replication_factor=3, min_insync=2)
# Long enough for a batch to ride out the election of a leader.
BATCH_S = 20
LEADER_OF = "elowire-players-changelog"


@pytest.fixture
def kind():
    """What runs, if a test does not say otherwise."""
    return "product"


@pytest.fixture
async def scene(three, proxies, tmp_path, kind):
    """The topics in three copies; workers come through the proxies."""
    doors = ",".join(proxied.address for _, proxied in proxies.values())
    scene = Scene(three.bootstrap, tmp_path, kind=kind, BOOTSTRAP=doors, BATCH_S=BATCH_S)

    async def complete():
        return await answer(lambda: nodes(scene)) == {node.number for node in three.nodes}

    await until(complete, "three nodes")
    await scene.topics(THREEFOLD)
    yield scene
    scene.workers.kill_all()
    for proxied in (proxy for pair in proxies.values() for proxy in pair):
        proxied.heal()
    await asyncio.to_thread(three.revive)


async def answer(ask):
    """Ask again while nodes come and go."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                return await ask()
            except (KafkaError, OSError):
                await asyncio.sleep(0.2)


async def nodes(scene):
    """Numbers of the nodes that are known."""
    async with admin_client(scene.kafka) as admin:
        return {broker["node_id"] for broker in (await admin.describe_cluster())["brokers"]}


async def leaders(scene, topic=LEADER_OF):
    """By partition number: the leader and the in-sync replicas."""

    async def ask():
        async with admin_client(scene.kafka) as admin:
            [described] = await admin.describe_topics([scene.prefix + topic])
        return {part["partition"]: (part["leader"], set(part["isr"])) for part in described["partitions"]}

    return await answer(ask)


async def in_sync(scene):
    """How many replicas the partitions of the catalogue have in sync."""
    found = [await leaders(scene, topic.name) for topic in CATALOGUE]
    return {len(isr) for parts in found for _, isr in parts.values()}


async def written(scene):
    """How many records the outputs and changelogs show."""
    topics = [scene.prefix + topic for topic in ("live-ratings", LEADER_OF)]
    return sum((await answer(lambda: end_offsets(scene.kafka, topics))).values())


async def until(met, what):
    deadline = time.monotonic() + PATIENCE_S
    while not await met():
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.2)


@asynccontextmanager
async def under_load(scene, records=3000, rate=150):
    """A worker at work on a load, for the time of the fault; then all is done and the checker judges."""
    scene.workers.start(0)
    load = asyncio.ensure_future(scene.feed(records, rate=rate))

    async def at_work():
        return await answer(lambda: scene.records("live-ratings"))

    await until(at_work, "live ratings")
    async with scene.supervised():
        yield
        await load
    assert await scene.drained(PATIENCE_S) == {}
    await asyncio.to_thread(scene.workers.leave_all)
    assert await scene.faults() == []


async def in_sync_again(scene):
    async def whole():
        return await in_sync(scene) == {3}

    await until(whole, "all replicas in sync")


async def test_the_leader_is_killed(three, scene):
    async with under_load(scene):
        before, _ = (await leaders(scene))[0]
        node = three.node(before)
        await asyncio.to_thread(node.kill)

        async def moved():
            return (await leaders(scene))[0][0] not in (before, -1)

        await until(moved, "another leader")
        await asyncio.sleep(3)
        node.start()
        await asyncio.to_thread(three.until_up, node)
    await in_sync_again(scene)


async def test_fewer_replicas_are_in_sync_than_a_write_needs(scene, proxies):
    """No node hears another, so every leader stands alone and takes no writes: there is only waiting."""
    async with under_load(scene):
        for between, _ in proxies.values():
            between.silence()

        async def alone():
            # A leader learns that its followers are gone by what they do not fetch: not without a write.
            return 1 in await in_sync(scene)

        await until(alone, "a leader without followers")
        before = await written(scene)
        await asyncio.sleep(4)
        assert await written(scene) == before
        for between, _ in proxies.values():
            between.heal()
    await in_sync_again(scene)


@pytest.mark.parametrize("direction", [Proxy.UP, Proxy.DOWN])
async def test_a_worker_is_cut_off_one_way_from_the_leader(scene, proxies, direction):
    async with under_load(scene):
        leader, _ = (await leaders(scene))[0]
        cut = proxies[leader][1]
        cut.silence(direction)
        await asyncio.sleep(12)
        assert cut.held > 0
        cut.heal()


@pytest.mark.parametrize("direction", [Proxy.UP, Proxy.DOWN])
async def test_the_other_nodes_are_cut_off_one_way_from_the_leader(scene, proxies, direction):
    """The leader hears the controller but its followers do not hear it: they fall out of its in-sync set."""
    async with under_load(scene):
        leader, _ = (await leaders(scene))[0]
        cut = proxies[leader][0]
        cut.silence(direction)

        async def shrunk():
            return min(await in_sync(scene)) < 3

        await until(shrunk, "a smaller in-sync set")
        await asyncio.sleep(5)
        assert cut.held > 0
        cut.heal()
    await in_sync_again(scene)


async def test_workers_that_come_and_go_every_three_seconds(scene):
    async with under_load(scene, records=5000):
        for turn in range(12):
            slot = 1 + turn % 3  # each stays for 9 s: a process needs some to become a member
            if slot in scene.workers.processes:
                await asyncio.to_thread(scene.workers.leave, slot, hard=turn % 3 == 0)
            else:
                scene.workers.start(slot)
            await asyncio.sleep(3)
    seen, _ = scene.workers.seen()

    assert scene.workers.count["terminated"] >= 3
    assert scene.workers.count["killed"] >= 1
    assert seen["assigned"] >= 5


@pytest.mark.parametrize("kind", ["toy"])
async def test_workers_are_replaced_one_by_one_by_a_release_with_another_format(scene):
    """An old worker that gets a partition with new states ends itself; no game waits for that."""
    slots = range(3)
    for slot in slots:
        scene.workers.start(slot)
    load = asyncio.ensure_future(scene.feed(9000, rate=200))

    async def at_work():
        return await answer(lambda: scene.records("totals"))

    await until(at_work, "totals")
    for slot in slots:
        await asyncio.sleep(5)
        await asyncio.to_thread(scene.workers.leave, slot, hard=slot == 1)
        scene.workers.start(slot, STAGES="next-toy")
    async with scene.supervised(STAGES="next-toy"):
        await load
    assert await scene.drained(PATIENCE_S, STAGES="next-toy") == {}
    await asyncio.to_thread(scene.workers.leave_all)
    formats = {record.value[0] for record in await answer(lambda: scene.records("amounts-changelog"))}

    assert formats == {1, 2}
    assert await scene.faults() == []
