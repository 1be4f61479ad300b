"""The product's processor: how it leaves, who takes over, compacted state, jumping clocks, changed topics."""

from __future__ import annotations

import asyncio
import re
import signal
import time

import pytest
from aiokafka.admin import NewPartitions
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from elowire.runtime.kafka import admin_client, end_offsets
from tests.broker.acceptance.programs import Program
from tests.broker.faults.scene import PATIENCE_S, Scene
from tests.broker.faults.workers import EXIT_STOPPED

pytestmark = pytest.mark.broker

FAILOVER_S = 15
PLAYERS, TOURNAMENTS = "elowire-players-changelog", "elowire-tournaments-changelog"


@pytest.fixture
async def scene(kafka, tmp_path):
    scene = Scene(kafka, tmp_path, kind="product")
    await scene.topics()
    yield scene
    scene.workers.kill_all()


async def until(met, what, patience_s=PATIENCE_S):
    deadline = time.monotonic() + patience_s
    while not (found := await met()):
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.2)
    return found


async def test_sigterm_in_the_middle_of_a_load_leaves_nothing_to_do_twice(scene):
    load = asyncio.ensure_future(scene.feed(2400, rate=300))
    scene.workers.start(0)
    await until(lambda: scene.records("live-ratings"), "live ratings")
    scene.workers.signal(0, signal.SIGTERM)
    code, _ = await scene.end()
    left = await scene.lag()
    await load
    assert (code, bool(left)) == (0, True)
    scene.workers.leave(0)
    assert await scene.works_until_drained() == {}
    ids = [dict(record.headers)["ce_id"] for record in await scene.records("live-ratings")]

    assert len(ids) == len(set(ids))
    assert await scene.faults() == []


async def test_spares_take_over_from_a_killed_worker_in_time(kafka, tmp_path):
    """With the product's own session of 12 s; of three workers on two partitions one has none."""
    scene = Scene(kafka, tmp_path, kind="product", partitions=2, SESSION=12)
    await scene.topics()
    try:
        for slot in range(3):
            scene.workers.start(slot)
        stream = scene.stream(1200)
        await scene.send(stream, 600)
        assert await scene.drained() == {}
        owners = [slot for slot in range(3) if '"tournament":[]' not in last_assignment(scene, slot)]
        assert len(owners) == 2
        await asyncio.to_thread(scene.workers.leave, owners[0], hard=True)
        killed = time.time()
        await scene.send(stream)
        assert await scene.drained() == {}
        # What the others log is not late when this machine is. Within a second nobody can know of the death:
        # who recovers then does so for the rebalance before.
        taken = [float(at) for at in re.findall(r"TEST (\S+) recovered", scene.workers.log())]
        took = min(at for at in taken if at > killed + 1) - killed
        await asyncio.to_thread(scene.workers.leave_all)
    finally:
        scene.workers.kill_all()

    assert took <= FAILOVER_S
    assert "ends itself" not in scene.workers.log()
    assert await scene.faults() == []


def last_assignment(scene, slot):
    log = scene.workers.log_of(slot)
    return [line for line in log.splitlines() if '"event":"assigned"' in line][-1]


async def test_two_workers_with_one_identity_end_with_a_reason_and_lose_nothing(kafka, tmp_path):
    scene = Scene(kafka, tmp_path, kind="product")
    await scene.topics()
    try:
        for slot in (0, 1):
            scene.workers.start(slot, INSTANCE="twin")
        load = asyncio.ensure_future(scene.feed(2000, rate=200))
        await until(lambda: some_ended(scene), "one of them ends")
        codes = [process.poll() for process in scene.workers.processes.values()]
        await load
        assert await scene.drained() == {}
        await asyncio.to_thread(scene.workers.leave_all)
    finally:
        scene.workers.kill_all()

    assert EXIT_STOPPED in codes
    assert "is its instance id used twice?" in scene.workers.log()
    assert await scene.faults() == []


async def some_ended(scene):
    return any(process.poll() is not None for process in scene.workers.processes.values())


async def test_state_comes_back_from_a_changelog_that_was_compacted(scene):
    eager = {
        "cleanup.policy": "compact",
        "min.compaction.lag.ms": "0",
        "segment.ms": "200",
        "min.cleanable.dirty.ratio": "0.01",
    }
    changelogs = [f"{scene.prefix}{topic}" for topic in (PLAYERS, TOURNAMENTS)]
    async with admin_client(scene.kafka) as admin:
        await admin.alter_configs(
            [ConfigResource(ConfigResourceType.TOPIC, topic, eager) for topic in changelogs]
        )
    scene.workers.start(0)
    stream = scene.stream(2400)
    await scene.send(stream, 1800, rate=250)  # slowly: of a player each batch writes once
    assert await scene.drained() == {}

    async def compacted():
        written = sum((await end_offsets(scene.kafka, [changelogs[0]])).values())
        return len(await scene.records(PLAYERS)) < written * 0.9

    # Segments are closed by the record that comes after them.
    await scene.send(stream, 200)
    await until(compacted, "segments that were compacted")
    await asyncio.to_thread(scene.workers.leave, 0, hard=True)
    ends = sum((await end_offsets(scene.kafka, changelogs)).values())
    await scene.send(stream)
    assert await scene.works_until_drained() == {}
    read = int(re.findall(r"TEST .* recovered .* read=(\d+)", scene.workers.log())[-1])

    assert 0 < read < ends
    assert await scene.faults() == []


async def test_clocks_that_jump_change_nothing(scene):
    scene.workers.start(0, CLOCK_JUMP="3,7200,-7200,90000")
    stream = scene.stream(2750)
    await scene.send(stream, 2500, rate=250)
    assert await scene.drained() == {}

    async def jumped():
        return scene.workers.log().count("clock jumped by") == 3

    # A busy machine may have fed everything before the last one.
    await until(jumped, "the third jump")
    await scene.send(stream)
    assert await scene.drained() == {}
    await asyncio.to_thread(scene.workers.leave_all)

    assert "ends itself" not in scene.workers.log()
    assert await scene.faults() == []


@pytest.mark.parametrize("topic", ["player-events", "game-results"])
async def test_partitions_that_were_added_are_refused(scene, topic):
    async with admin_client(scene.kafka) as admin:
        await admin.create_partitions({f"{scene.prefix}{topic}": NewPartitions(total_count=6)})
    scene.workers.start(0)
    code, reason = await scene.end()

    assert code == EXIT_STOPPED
    assert f"every topic must have 4 partitions, but {scene.prefix}{topic} has 6" in reason


@pytest.mark.parametrize(
    ("topic", "policy"), [("game-results", "compact"), (PLAYERS, "delete"), (TOURNAMENTS, "compact,delete")]
)
async def test_a_cleanup_policy_that_was_changed_is_refused(scene, topic, policy, tmp_path):
    async with admin_client(scene.kafka) as admin:
        changed = {"cleanup.policy": policy, "retention.ms": "-1"}
        await admin.alter_configs(
            [ConfigResource(ConfigResourceType.TOPIC, f"{scene.prefix}{topic}", changed)]
        )
    settings = {"GROUP": scene.name, "TOPIC_PREFIX": scene.prefix, "PARTITIONS": 4}
    program = Program(
        tmp_path / "program",
        "processor",
        "--bootstrap",
        scene.kafka,
        **{f"ELOWIRE_{name}": value for name, value in settings.items()},
    )
    code = await asyncio.to_thread(program.process.wait, PATIENCE_S)

    assert code == EXIT_STOPPED
    assert f"{scene.prefix}{topic}: cleanup.policy is {policy}, expected" in program.out + program.err
