"""The broker under the product: restarted, killed, out of disk, slow, silent. Each fault is seen to bite."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import asynccontextmanager

import pytest
from aiokafka import AIOKafkaConsumer

from elowire.runtime.kafka import (
    ConfirmedProducer,
    KafkaUnreachableError,
    OutRecord,
    end_offsets,
    stop_consumer,
)
from tests.broker.faults.brokers import FullDisk, OwnBroker
from tests.broker.faults.proxy import Proxy
from tests.broker.faults.scene import Scene
from tests.broker.faults.workers import EXIT_STOPPED

pytestmark = pytest.mark.broker

HEALED_S = 60
# A third of the 30 s after which a processor that was asked to end gives up.
STOPPED_S = 10


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A broker that may be hurt; each test leaves it running."""
    broker = OwnBroker(tmp_path_factory.mktemp("own"))
    broker.start()
    yield broker
    broker.stop()


async def product(broker, folder, **more):
    scene = Scene(broker.bootstrap, folder, kind="product", **more)
    await scene.topics()
    return scene


async def at_work(scene, seed=1):
    """Start a worker and a load; give the load once outputs come."""
    scene.workers.start(0)
    load = asyncio.ensure_future(scene.feed(1500, seed, rate=150))
    async with asyncio.timeout(HEALED_S):
        while not await scene.records("live-ratings"):
            await asyncio.sleep(0.2)
    return load


async def all_assigned(scene, slots):
    """Return when every worker holds something and is at work."""
    async with asyncio.timeout(HEALED_S):
        while any("recovered" not in scene.workers.log_of(slot) for slot in slots):
            await asyncio.sleep(0.1)
    await asyncio.sleep(1)  # each waits for records then


@asynccontextmanager
async def away(own):
    """A broker that is killed, and starts again after the block."""
    await asyncio.to_thread(own.kill)
    try:
        yield
    finally:
        await asyncio.to_thread(own.start)


@asynccontextmanager
async def frozen(own):
    """A broker that says nothing for the length of the block, and keeps its connections."""
    own.java.suspend()
    try:
        yield
    finally:
        own.java.resume()


async def all_is_well(scene, load):
    await load
    assert await scene.drained(HEALED_S) == {}
    await asyncio.to_thread(scene.workers.leave_all)
    assert await scene.faults() == []


@pytest.mark.parametrize("how", ["kill", "stop"])
async def test_a_broker_that_is_killed_or_restarted_at_work(own, tmp_path, how):
    scene = await product(own, tmp_path, BATCH_S=8)
    before = own.java.pid
    try:
        load = await at_work(scene)
        async with scene.supervised():
            await asyncio.to_thread(getattr(own, how))
            assert not own.running
            await asyncio.sleep(2)
            await asyncio.to_thread(own.start)
        assert own.java.pid != before
        await all_is_well(scene, load)
    finally:
        scene.workers.kill_all()


async def test_workers_that_are_asked_to_end_while_the_broker_is_away_end_soon(own, tmp_path):
    scene = await product(own, tmp_path)
    slots = range(3)
    try:
        for slot in slots:
            scene.workers.start(slot)
        await all_assigned(scene, slots)
        async with away(own):
            # Each at another moment of the client's tries.
            for slot in slots:
                await asyncio.sleep(0.13)
                scene.workers.signal(slot, signal.SIGTERM)
            asked = time.monotonic()
            codes = [(await scene.end(slot, patience_s=40))[0] for slot in slots]
            took = time.monotonic() - asked
    finally:
        scene.workers.kill_all()

    assert codes == [0] * len(slots), scene.workers.log()[-4000:]
    assert took < STOPPED_S


async def test_readers_are_closed_while_the_broker_is_away(own, tmp_path):
    scene = await product(own, tmp_path)
    readers = [
        AIOKafkaConsumer(scene.prefix + "live-ratings", bootstrap_servers=own.bootstrap) for _ in range(12)
    ]
    for reader in readers:
        await reader.start()
    async with away(own):
        await asyncio.sleep(1)
        plainly = await asyncio.gather(*(reader.stop() for reader in readers[:6]), return_exceptions=True)
        for reader in readers[6:]:
            await stop_consumer(reader)
        for reader in readers[:6]:
            await reader._client.close()

    assert any(isinstance(fault, asyncio.CancelledError) for fault in plainly), "the fault did not bite"
    assert not [task for task in asyncio.all_tasks() if "aiokafka" in repr(task)]


async def under_way(producer, topic):
    """Write until nothing is acknowledged any more: as a long file does that a user feeds."""
    for number in range(1_000_000):
        await producer.send_all([OutRecord(topic, b"k", b"%d" % number)])


@pytest.mark.parametrize(("fault", "ended"), [("killed", "by itself"), ("frozen", "by Ctrl-C")])
async def test_a_writer_whose_broker_goes_away_ends_and_says_why(own, tmp_path, fault, ended):
    topic = (await product(own, tmp_path)).prefix + "live-ratings"

    async def write():
        async with ConfirmedProducer(own.bootstrap, request_s=3, delivery_s=4) as producer:
            await under_way(producer, topic)

    writing = asyncio.ensure_future(write())
    while not sum((await end_offsets(own.bootstrap, [topic])).values()):
        await asyncio.sleep(0.1)
    await asyncio.sleep(1)
    async with frozen(own) if fault == "frozen" else away(own):
        if ended == "by Ctrl-C":
            await asyncio.sleep(1)
            writing.cancel()
        [result] = await asyncio.wait_for(asyncio.gather(writing, return_exceptions=True), 4 + 3 + STOPPED_S)

    if ended == "by Ctrl-C":
        assert isinstance(result, asyncio.CancelledError)
    else:
        assert isinstance(result, KafkaUnreachableError)
        assert str(result).startswith(f"Kafka at {own.bootstrap} has not acknowledged within 4 seconds")


async def test_a_broker_without_room_on_its_disk(tmp_path):
    disk = FullDisk(tmp_path / "disk")
    broker = OwnBroker(disk.folder / "kafka")
    scene = None
    try:
        broker.start()
        scene = await product(broker, tmp_path / "workers", BATCH_S=8)
        load = await at_work(scene)
        disk.fill(broker)
        assert disk.free in (0, None)
        async with scene.supervised(), asyncio.timeout(HEALED_S):
            while broker.running:
                await asyncio.sleep(0.1)
            assert "No space left on device" in broker.log() or "File too large" in broker.log()
            await asyncio.sleep(2)
            disk.empty()
            broker.stop()
            await asyncio.to_thread(broker.start)
        await all_is_well(scene, load)
    finally:
        if scene:
            scene.workers.kill_all()
        broker.stop()
        disk.remove()


async def test_a_slow_broker(own, tmp_path):
    async with Proxy(own.proxy_port, own.door_port) as proxy:
        scene = await product(own, tmp_path, BOOTSTRAP=proxy.address)
        try:
            load = await at_work(scene)
            proxy.delay_s = 0.25
            await asyncio.sleep(4)
            slow, proxy.held = proxy.held, 0
            proxy.heal()
            assert slow > 20
            await all_is_well(scene, load)
        finally:
            scene.workers.kill_all()
    assert "ends itself" not in scene.workers.log()


async def test_connections_that_are_open_at_one_end_only(own, tmp_path):
    """As a router leaves them that has forgotten them: nobody is told, and new ones work."""
    async with Proxy(own.proxy_port, own.door_port) as proxy:
        scene = await product(own, tmp_path, BOOTSTRAP=proxy.address, BATCH_S=8)
        try:
            load = await at_work(scene)
            proxy.forget()
            async with scene.supervised():
                await load
            assert proxy.held > 0
            await all_is_well(scene, load)
        finally:
            scene.workers.kill_all()


async def test_a_broker_that_falls_silent_ends_the_worker_with_a_reason(own, tmp_path):
    async with Proxy(own.proxy_port, own.door_port) as proxy:
        scene = await product(own, tmp_path, BOOTSTRAP=proxy.address, BATCH_S=5)
        try:
            load = await at_work(scene)
            proxy.silence(Proxy.DOWN)
            began = time.monotonic()
            code, reason = await scene.end(patience_s=30)
            took = time.monotonic() - began
            assert proxy.held > 0
            proxy.heal()
            await all_is_well(scene, load)
        finally:
            scene.workers.kill_all()

    assert code == EXIT_STOPPED
    assert "waited for" in reason
    assert took < 20


async def test_a_worker_that_starts_beside_a_silent_broker_ends_with_a_reason(own, tmp_path):
    async with Proxy(own.proxy_port, own.door_port) as proxy:
        scene = Scene(own.bootstrap, tmp_path, kind="product", BOOTSTRAP=proxy.address, BATCH_S=5)
        try:
            proxy.silence()
            scene.workers.start(0)
            code, reason = await scene.end(patience_s=30)
        finally:
            scene.workers.kill_all()

    assert proxy.held > 0
    assert (code, reason) == (
        EXIT_STOPPED,
        "the start did not end within 15 s: waited for Kafka's answers",
    )
