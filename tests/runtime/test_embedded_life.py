"""The embedded broker's life on the real thing: started, killed, orphaned, started twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import uuid

import psutil
import pytest

from elowire.contracts.topics import Topic
from elowire.runtime import topics
from elowire.runtime.embedded import storage
from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.embedded.faults import AlreadyRunningError, EmbeddedKafkaError
from elowire.runtime.embedded.java import JARS, QUICK_START
from elowire.runtime.embedded.ready import cluster_id_at
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, read_all
from elowire.runtime.settings import load_settings
from elowire.runtime.topics import Shape
from tests.runtime.conftest import all_gone, named
from tests.runtime.ports import STARTER as STARTER_PORT

pytestmark = pytest.mark.broker

OTHER_PORT = STARTER_PORT + 10
BOOTSTRAP = f"127.0.0.1:{STARTER_PORT}"
TOPIC = Topic(name="kept", key="any", types=(), purpose="What must survive.")
STOP_S = 30


async def write(bootstrap, values):
    await topics.apply(bootstrap, [TOPIC], shape=Shape(partitions=3))
    async with ConfirmedProducer(bootstrap) as producer:
        await producer.send_all(OutRecord("kept", value, value) for value in values)


async def values(bootstrap):
    return {record.value async for records in read_all(bootstrap, ["kept"]) for record in records}


def test_ready_means_that_a_client_is_served_at_once(broker):
    assert cluster_id_at("127.0.0.1", broker.port) is not None
    asyncio.run(write(broker.bootstrap, [b"1"]))
    assert asyncio.run(values(broker.bootstrap)) >= {b"1"}


@pytest.mark.usefixtures("broker")
def test_it_listens_on_the_loopback_address_alone():
    java = named(psutil.Process().children(recursive=True), "java")
    addresses = {
        c.laddr.ip.removeprefix("::ffff:") for c in java.net_connections() if c.status == psutil.CONN_LISTEN
    }
    assert addresses == {"127.0.0.1"}


@pytest.mark.usefixtures("broker")
def test_it_stays_small():
    java = named(psutil.Process().children(recursive=True), "java")
    assert java.memory_info().rss < 400 << 20


def test_it_starts_again_after_its_watcher_was_killed(tmp_path):
    """Java is asked to end then, and has the data's lock for seconds more."""
    broker = EmbeddedKafka(tmp_path / "kafka", OTHER_PORT)
    broker.start()
    try:
        [watcher] = [one for one in psutil.Process().children() if str(tmp_path) in " ".join(one.cmdline())]
        [java] = watcher.children()
        watcher.kill()
        broker.wait(STOP_S)
        assert java.is_running()
        broker.stop()
        broker.start()
        again = cluster_id_at("127.0.0.1", broker.port)
    finally:
        broker.stop()

    assert again is not None


def test_records_survive_kill_9_of_everything_and_another_port(start, tmp_path):
    data = tmp_path / "Gukesh D; 8½ = ½ % Ñandú 棋"
    bare = {"LC_ALL": "C", "HOME": os.environ["HOME"]}
    family = start(data, STARTER_PORT, env=bare).until("ready").family()
    wanted = {b"%d" % number for number in range(500)}
    asyncio.run(write(BOOTSTRAP, wanted))
    assert (data / "kafka" / "kept-0").is_dir()
    assert (data / "kafka.log").stat().st_size > 0
    for process in reversed(family):
        process.kill()
    assert all_gone(family, STOP_S)

    with socket.create_server(("127.0.0.1", OTHER_PORT + 1)):  # where the controller would like to be
        second = start(data, OTHER_PORT, env=bare).until("ready")

    assert asyncio.run(values(f"127.0.0.1:{OTHER_PORT}")) == wanted
    assert "formatting Kafka's data" not in second.steps


def test_it_goes_when_its_parent_or_its_watcher_is_killed(start, tmp_path):
    first = start(tmp_path, STARTER_PORT).until("ready")
    orphans = first.family()[1:]
    asyncio.run(write(BOOTSTRAP, [b"kept"]))
    os.kill(first.pid, signal.SIGKILL)
    first.out.wait()

    # A start right after that waits until the orphan is gone.
    second = start(tmp_path, STARTER_PORT).until("ready")
    assert all_gone(orphans, 0.1)
    assert asyncio.run(values(BOOTSTRAP)) == {b"kept"}

    java = named(second.family(), "java")
    java.parent().kill()
    assert all_gone([java], STOP_S)


def test_it_goes_when_its_parent_is_killed_while_it_starts(start, tmp_path):
    first = start(tmp_path, STARTER_PORT).until("starting Kafka")
    java = None
    while java is None:
        java = next((process for process in first.family() if process.name() == "java"), None)
    os.kill(first.pid, signal.SIGKILL)
    assert all_gone([java], STOP_S)


def test_starting_twice_names_who_runs_and_ctrl_c_stops_in_order(start, tmp_path):
    first = start(tmp_path, STARTER_PORT).until("ready")
    family = first.family()
    with pytest.raises(AlreadyRunningError, match=rf"already running \(pid {first.pid}\)"):
        EmbeddedKafka(tmp_path, OTHER_PORT).start()
    assert cluster_id_at("127.0.0.1", STARTER_PORT) is not None

    # A terminal sends it to the whole group: to the broker too, were it not in a session of its own.
    os.killpg(first.pid, signal.SIGINT)
    assert first.until("stopped").out.wait(STOP_S) == 0
    assert all_gone(family, 1)
    assert (tmp_path / "kafka" / ".kafka_cleanshutdown").exists()
    assert "shut down completed" in (tmp_path / "kafka.log").read_text()


def test_one_object_starts_stops_and_starts_again(tmp_path):
    # What a kill while formatting leaves behind.
    (tmp_path / "elowire.json").write_text('{"layout": 1}')
    (tmp_path / "kafka.new").mkdir()
    (tmp_path / "kafka.new" / "half").touch()
    kafka = EmbeddedKafka(tmp_path, STARTER_PORT)
    kafka.start()
    assert kafka.running
    assert not (tmp_path / "kafka" / "half").exists()
    with pytest.raises(EmbeddedKafkaError, match="started already"):
        kafka.start()
    kafka.stop()
    kafka.stop()
    assert not kafka.running

    broken = EmbeddedKafka(tmp_path, STARTER_PORT, properties={"log.retention.ms": "often"})
    with pytest.raises(EmbeddedKafkaError, match=r"(?s)ended with code 1 while starting.*value often"):
        broken.start()
    assert not broken.running

    kafka.start()
    kafka.stop()


def test_a_cluster_id_that_begins_with_a_hyphen_is_no_option(tmp_path, monkeypatch):
    # One of 64 ids does; which one comes up cannot be asked for.
    unlucky = uuid.UUID(bytes=b"\xf8" + bytes(15))
    monkeypatch.setattr(storage.uuid, "uuid4", lambda: unlucky)
    with EmbeddedKafka(tmp_path, STARTER_PORT):
        assert json.loads((tmp_path / "elowire.json").read_text())["cluster"].startswith("-")


def test_a_damaged_quick_start_is_gone_without_and_not_said(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / JARS).symlink_to(load_settings().cache_dir / JARS)
    (cache / QUICK_START).write_bytes(bytes(5_000_000))
    with EmbeddedKafka(tmp_path / "kafka", STARTER_PORT, cache_dir=cache) as broker:
        asyncio.run(write(broker.bootstrap, [b"1"]))
        said = (tmp_path / "kafka" / "kafka.out").read_text()

    assert said == ""
