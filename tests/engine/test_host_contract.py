# ruff: noqa: SLF001  # private names are what this file is about
"""Faust's private names that the host touches, and what it relies on: each must be as in the release we use.

A failure here means that a new version of Faust or aiokafka changed something under `processor/host.py`.
"""

from __future__ import annotations

import asyncio
import inspect
import random
from collections import Counter, defaultdict
from importlib.metadata import version

import pytest
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from aiokafka.coordinator.protocol import ConsumerProtocolMemberMetadata
from faust.exceptions import ConsumerNotStarted
from faust.transport.consumer import ThreadDelegateConsumer
from faust.transport.drivers import aiokafka as driver
from faust.types import TP

from elowire.processor.app import PRODUCE_REQUEST_S, build_app
from elowire.processor.host import Consumer, ConsumerThread, CoPartitioned, Transport
from elowire.processor.sink import KafkaSink
from elowire.runtime.settings import load_settings
from tests.fakes.toy import toy_stages

SEE = "see processor/host.py before you raise Faust's version"


@pytest.fixture
def app(tmp_path):
    return build_app(load_settings(bootstrap="127.0.0.1:1", data_dir=tmp_path), toy_stages())


async def test_the_release_is_the_one_that_was_examined():
    assert version("faust-streaming") == "0.15.3", SEE
    assert version("aiokafka").startswith("0.14."), SEE


async def test_the_application_uses_our_transport_and_consumer(app):
    assert type(app.transport) is Transport, f"the entry point faust.transports is not read any more: {SEE}"
    assert type(app.consumer) is Consumer, f"Transport.Consumer is not used any more: {SEE}"


async def test_touch_1_the_consumer_has_a_thread_with_a_loop(app):
    thread = getattr(app.consumer, "_thread", None)

    assert isinstance(thread, driver.AIOKafkaConsumerThread), f"Consumer._thread is gone: {SEE}"
    assert thread.thread_loop is not app.loop, f"the consumer has no loop of its own any more: {SEE}"


async def test_touch_2_the_thread_gives_its_client(app):
    with pytest.raises(ConsumerNotStarted):
        app.consumer._thread._ensure_consumer()
    app.consumer._thread._consumer = client = object()

    assert app.consumer._thread._ensure_consumer() is client, f"_ensure_consumer() gives no client: {SEE}"


async def test_touch_3_fausts_own_loop_takes_no_records(app):
    theirs = inspect.signature(ThreadDelegateConsumer._getmany)
    assert list(theirs.parameters) == ["self", "active_partitions", "timeout"], f"_getmany() changed: {SEE}"
    app.consumer.flow_active = True
    app.consumer._set_active_tps({TP("inbox", 0)})
    records, _ = await app.consumer._wait_next_records(timeout=0)  # would raise: there is no client

    assert records == {}, f"Faust fetches by another way than _getmany(): {SEE}"


async def test_touch_4_the_thread_is_ours_and_ends_when_its_client_cancels_something(app):
    thread = app.consumer._thread
    assert type(thread) is ConsumerThread, f"_new_consumer_thread() makes another thread: {SEE}"

    class Client:
        async def stop(self):
            raise asyncio.CancelledError

    thread._consumer = Client()
    await thread.on_thread_stop()


async def test_faust_takes_our_assignor(app):
    thread = app.consumer._thread
    client = thread._create_worker_consumer(app.transport)
    try:
        assert isinstance(thread._assignor, CoPartitioned), f"Faust takes another assignor: {SEE}"
        assert thread._assignor.replicas == 0, f"the assignor makes standbys: {SEE}"
        assert client._group_id == "elowire"
    finally:
        await client.stop()


async def test_faust_would_take_round_robin_for_an_application_without_standbys(app):
    app.conf.table_standby_replicas = 0
    client = app.consumer._thread._create_worker_consumer(app.transport)
    await client.stop()

    assert app.consumer._thread._assignor is RoundRobinPartitionAssignor, (
        f"CoPartitioned is not needed now: {SEE}"
    )


async def test_faust_is_told_what_it_must_not_do(app):
    """Nothing of what was seen to lose, to hang or to stand open is on."""
    conf = app.conf
    assert conf.processing_guarantee.value == "at_least_once"
    assert not any((conf.web_enabled, conf.topic_allow_declare, conf.producer_threaded))
    assert conf.topic_disable_leader
    assert conf.consumer_auto_offset_reset == "earliest"
    assert conf.broker_max_poll_interval == 86_400
    times = [conf.broker_heartbeat_interval, conf.broker_session_timeout, conf.broker_rebalance_timeout]
    assert [*times, conf.broker_request_timeout] == [3, 12, 30, 40]


async def test_faust_runs_no_agent_and_no_table_and_sees_bytes_alone(app):
    assert not app.agents
    assert not app.tables
    for topic in app.topics:
        assert (topic.key_type, topic.value_type) == (bytes, bytes)
        assert (topic.key_serializer, topic.value_serializer) == ("raw", "raw")


async def test_the_producer_confirms_every_record_and_knows_no_transaction():
    sink = KafkaSink(bootstrap_servers="127.0.0.1:1", request_timeout_ms=int(PRODUCE_REQUEST_S * 1000))
    sender = sink._producer._sender

    assert sender._acks == -1  # all in-sync replicas
    assert sender._txn_manager is not None  # idempotent
    assert sender._txn_manager.transactional_id is None
    assert load_settings().batch_s > PRODUCE_REQUEST_S
    await sink.stop()


class Cluster:
    """What an assignor asks about the cluster."""

    def __init__(self, counts):
        self.counts = counts

    def partitions_for_topic(self, topic):
        return set(range(self.counts[topic]))


TOPICS = ("tournament-events", "game-results", "rating-lists", "player-events")


def numbers_of(assignment):
    return {topic: tuple(sorted(numbers)) for topic, numbers in assignment.assignment if numbers}


@pytest.mark.parametrize("partitions", [4, 12])
async def test_our_assignor_gives_equal_numbers_of_all_topics(tmp_path, partitions):
    """Over random histories of members that join, leave, and come back with an old assignment."""
    app = build_app(load_settings(bootstrap="127.0.0.1:1", data_dir=tmp_path), toy_stages())
    rng, leader = random.Random(partitions), CoPartitioned(app)
    cluster, remembered, rounds = Cluster(dict.fromkeys(TOPICS, partitions)), {}, Counter()
    for _ in range(60):
        members = {}
        for _ in range(8):
            if members and rng.random() < 0.4:
                members.pop(rng.choice(list(members)))
            else:
                members[f"m{rng.randrange(6)}"] = CoPartitioned(app)
            if not members:
                continue
            metadata = {}
            for name, assignor in members.items():
                if name in remembered:
                    assignor.on_assignment(remembered[name])
                metadata[name] = assignor.metadata(set(TOPICS))
            covered = Counter()
            for name, assignment in leader.assign(cluster, metadata).items():
                remembered[name] = assignment
                given = numbers_of(assignment)
                assert len(set(given.values())) <= 1, f"unequal numbers: {given}"
                assert not given or set(given) == set(TOPICS)
                covered.update((topic, n) for topic, numbers in given.items() for n in numbers)
            assert set(covered) == {(topic, n) for topic in TOPICS for n in range(partitions)}
            assert set(covered.values()) == {1}
            rounds["all"] += 1
    assert rounds["all"] > 300


async def test_round_robin_gives_unequal_numbers_to_five_workers():
    """The reason for an assignor of our own: this is what Faust takes by default."""
    members = {f"m{n}": ConsumerProtocolMemberMetadata(0, list(TOPICS), b"") for n in range(5)}
    unequal = defaultdict(set)
    for name, assignment in RoundRobinPartitionAssignor.assign(
        Cluster(dict.fromkeys(TOPICS, 12)), members
    ).items():
        unequal[name].update(numbers_of(assignment).values())

    assert any(len(numbers) > 1 for numbers in unequal.values())
