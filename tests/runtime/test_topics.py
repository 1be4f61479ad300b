"""Topics are created as the catalogue says, and nothing else is accepted in their place."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from elowire.contracts.topics import CATALOGUE, Cleanup, Topic
from elowire.runtime import topics
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, admin_client
from elowire.runtime.topics import Difference, Shape, TopicDriftError, TopicRefusedError, Verdict

pytestmark = pytest.mark.broker

PLAIN = Topic(name="plain", key="any", types=(), purpose="A test's own.")
BOTH = replace(
    PLAIN, name="both", cleanup=Cleanup.COMPACT_AND_DELETE, retention_ms=1000, segment_bytes=1 << 20
)
SHAPE = Shape(partitions=2)


async def test_the_whole_catalogue_is_created_once_and_then_as_planned(broker):
    missing = await topics.plan(broker.bootstrap, shape=SHAPE)
    assert {difference.topic for difference in missing} == {topic.name for topic in CATALOGUE}
    assert {difference.verdict for difference in missing} == {Verdict.MISSING}
    created = await asyncio.gather(*(topics.apply(broker.bootstrap, shape=SHAPE) for _ in range(3)))
    assert sorted(name for names in created for name in names) == sorted(topic.name for topic in CATALOGUE)
    assert await topics.plan(broker.bootstrap, shape=SHAPE) == []
    assert await topics.apply(broker.bootstrap, shape=SHAPE) == []


async def test_a_created_topic_takes_a_record_at_once(broker):
    fresh = replace(PLAIN, name="at-once")
    await topics.apply(broker.bootstrap, [fresh], shape=Shape(partitions=12))
    async with ConfirmedProducer(broker.bootstrap) as producer, asyncio.timeout(1):
        await producer.send_all(OutRecord("at-once", b"%d" % number, b"") for number in range(100))


async def test_a_node_that_learns_of_a_topic_after_another_is_waited_for(broker, monkeypatch):
    """One node cannot show it: of three, each request goes to any, and the last to hear knew nothing yet."""
    fresh, ask, heard = replace(PLAIN, name="late"), AIOKafkaAdminClient.describe_topics, []

    async def describe(admin, names=None):
        heard.append(names)
        return [] if heard.count(None) == 2 else await ask(admin, names)

    monkeypatch.setattr(AIOKafkaAdminClient, "describe_topics", describe)
    assert await topics.apply(broker.bootstrap, [fresh], shape=SHAPE) == ["late"]
    assert heard.count(None) >= 3


async def drift(broker, topic, shape):
    with pytest.raises(TopicDriftError) as caught:
        await topics.apply(broker.bootstrap, [topic, replace(PLAIN, name="never")], shape=shape)
    async with admin_client(broker.bootstrap) as admin:
        assert "never" not in await admin.list_topics()
    return {(d.setting, d.expected, d.found) for d in caught.value.differences}


@pytest.mark.parametrize(
    ("change", "shape", "differences"),
    [
        ({}, Shape(partitions=3), {("partitions", "3", "2")}),
        ({}, Shape(partitions=2, replication_factor=3), {("replication", "3", "1")}),
        ({}, Shape(partitions=2, min_insync=2), {("min.insync.replicas", "2", "1")}),
        ({"cleanup": Cleanup.COMPACT}, SHAPE, {("cleanup.policy", "compact", "compact,delete")}),
        ({"max_record_bytes": 9}, SHAPE, {("max.message.bytes", "9", "1048576")}),
        ({"retention_ms": -1}, SHAPE, {("retention.ms", "-1", "1000")}),
        ({"segment_bytes": 2 << 20}, SHAPE, {("segment.bytes", "2097152", "1048576")}),
        ({"compaction_lag_ms": 7}, SHAPE, {("min.compaction.lag.ms", "7", "0")}),
    ],
    ids=lambda value: next(iter(value))[0] if isinstance(value, set) else "",
)
async def test_drift_is_refused_before_anything_is_created(broker, change, shape, differences):
    await topics.apply(broker.bootstrap, [BOTH], shape=SHAPE)
    assert await drift(broker, replace(BOTH, **change), shape) == differences


async def test_the_order_of_clean_up_policies_is_no_drift(broker):
    async with admin_client(broker.bootstrap) as admin:
        config = {**BOTH.config(min_insync=1), "cleanup.policy": "delete,compact"}
        await admin.create_topics([NewTopic("turned", 2, 1, topic_configs=config)])
    assert await topics.apply(broker.bootstrap, [replace(BOTH, name="turned")], shape=SHAPE) == []


async def test_what_the_cluster_refuses_is_named(broker):
    with pytest.raises(TopicRefusedError, match=r"topic few was not created: .*[Rr]eplication"):
        await topics.apply(broker.bootstrap, [replace(PLAIN, name="few")], shape=Shape(replication_factor=3))


def command(broker, *words):
    return subprocess.run(
        [Path(sys.executable).with_name("elowire"), "topics", *words, "--bootstrap", broker.bootstrap],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_applies_then_plans_and_refuses_drift(broker):
    asyncio.run(topics.apply(broker.bootstrap, shape=SHAPE))
    plan = command(broker, "plan", "--format", "json", "--partitions", "2")
    assert (plan.returncode, plan.stderr) == (0, "")
    assert [(row["topic"], row["state"]) for row in json.loads(plan.stdout)] == [
        (topic.name, "ok") for topic in CATALOGUE
    ]
    refused = command(broker, "apply", "--format", "table", "--partitions", "5")
    assert refused.returncode == 1
    assert "game-results: partitions is 2, expected 5" in refused.stderr
    assert "Traceback" not in refused.stderr
    wrong = command(broker, "plan", "--min-insync", "2")
    assert wrong.returncode == 1
    assert "2 copies must confirm a record, but there are only 1" in wrong.stderr


def test_a_difference_reads_as_a_sentence():
    assert str(Difference("plain", Verdict.DRIFT, "partitions", "12", "4")) == (
        "plain: partitions is 4, expected 12"
    )
    assert "does not exist" in str(Difference("plain", Verdict.MISSING, "topic", "12 partitions", None))
