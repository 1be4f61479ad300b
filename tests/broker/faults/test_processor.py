"""A processor process on a real broker: how it ends, and what it says then."""

from __future__ import annotations

import asyncio
import signal
import time

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.admin import NewPartitions

from elowire.runtime.kafka import admin_client
from elowire.runtime.topics import Shape
from tests.broker.faults import cluster
from tests.broker.faults.kinds import KINDS
from tests.broker.faults.scene import PATIENCE_S, Scene
from tests.broker.faults.workers import EXIT_STOPPED

pytestmark = pytest.mark.broker

TOY = KINDS["toy"]


@pytest.fixture
async def scene(kafka, tmp_path):
    scene = Scene(kafka, tmp_path)
    await scene.topics()
    yield scene
    scene.workers.kill_all()


async def test_it_works_and_leaves_in_order_at_sigterm(scene):
    await scene.feed()
    scene.workers.start(0)
    assert await scene.drained() == {}
    scene.workers.signal(0, signal.SIGTERM)

    assert (await scene.end())[0] == 0
    assert await scene.faults() == []


async def test_sigterm_before_the_lane_exists_is_obeyed(scene):
    scene.workers.start(0)
    await asyncio.sleep(1.5)
    scene.workers.signal(0, signal.SIGTERM)

    assert (await scene.end())[0] in (0, -signal.SIGTERM)


async def test_unequal_partition_counts_are_refused(kafka, tmp_path):
    scene = Scene(kafka, tmp_path, partitions=6)
    await scene.topics(Shape(partitions=4))
    scene.workers.start(0)
    try:
        code, reason = await scene.end()
    finally:
        scene.workers.kill_all()

    assert code == EXIT_STOPPED
    assert "every topic must have 6 partitions" in reason
    assert f"{scene.name}-inbox has 4" in reason


async def test_missing_topics_are_named(kafka, tmp_path):
    scene = Scene(kafka, tmp_path)
    scene.workers.start(0)
    try:
        code, reason = await scene.end()
    finally:
        scene.workers.kill_all()

    assert code == EXIT_STOPPED
    assert f"{scene.name}-inbox has 0" in reason


async def test_partitions_that_are_added_under_a_running_worker_are_a_reason_to_end(kafka, tmp_path):
    scene = Scene(kafka, tmp_path, METADATA=2)
    await scene.topics()
    grown = f"{scene.prefix}inbox"
    scene.workers.start(0)
    try:
        await scene.send(scene.stream(600), 300)
        assert await scene.drained() == {}
        async with admin_client(kafka) as admin:
            await admin.create_partitions({grown: NewPartitions(6)})
        code, running = await scene.end()
        scene.workers.start(0)
        _, again = await scene.end()
    finally:
        scene.workers.kill_all()

    assert code == EXIT_STOPPED
    assert f"{grown}/4 was assigned, but this processor knows 4 partitions" in running
    assert f"every topic must have 4 partitions, but {grown} has 6. Where a key lies" in again
    assert await scene.faults() == []


async def test_a_group_that_refuses_the_member_is_a_reason_to_end_at_once(kafka, tmp_path):
    scene = Scene(kafka, tmp_path)
    await scene.topics()
    stranger = AIOKafkaConsumer(f"{scene.prefix}inbox", bootstrap_servers=kafka, group_id=scene.name)
    await stranger.start()  # of another assignor, with which none of ours can be in one group
    try:
        await stranger.getmany(timeout_ms=5_000)
        scene.workers.start(0)
        code, reason = await scene.end(patience_s=20)
    finally:
        scene.workers.kill_all()
        await stranger.stop()

    assert code == EXIT_STOPPED
    assert reason == "the group would not have this member"
    assert "InconsistentGroupProtocol" in scene.workers.log()


async def test_two_processes_with_one_identity_end_with_a_reason(kafka, tmp_path):
    scene = Scene(kafka, tmp_path)
    await scene.topics()
    try:
        for slot in (0, 1):
            scene.workers.start(slot, INSTANCE="twin")
        feeding = asyncio.ensure_future(
            cluster.feed(kafka, f"{scene.name}-", TOY.input(1, 6000, 4), rate=200)
        )
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and all(p.poll() is None for p in scene.workers.processes.values()):
            await asyncio.sleep(0.1)
        codes = [process.poll() for process in scene.workers.processes.values()]
        await feeding
        log = scene.workers.log()
        assert await scene.drained() == {}
    finally:
        scene.workers.kill_all()

    assert EXIT_STOPPED in codes
    assert "is its instance id used twice?" in log
    assert await scene.faults() == []


async def test_three_workers_share_twelve_partitions_evenly(kafka, tmp_path):
    scene = Scene(kafka, tmp_path, partitions=12)
    await scene.topics()
    try:
        for slot in range(3):
            scene.workers.start(slot)
        await scene.feed(3000)
        assert await scene.drained() == {}
        scene.workers.leave_all()
    finally:
        scene.workers.kill_all()

    assert await scene.faults() == []
    assert "ends itself" not in scene.workers.log()
