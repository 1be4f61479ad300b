"""The confirmed producer on a real broker: all is there, in order, and a refusal has a name."""

from __future__ import annotations

import os

import pytest
from aiokafka.structs import TopicPartition

from elowire.processor.ports import RefusedError, Span
from elowire.processor.sink import KafkaSink
from elowire.runtime.kafka import read_all

pytestmark = pytest.mark.broker


@pytest.fixture
async def sink(kafka):
    sink = KafkaSink(bootstrap_servers=kafka)
    await sink.start()
    yield sink
    await sink.stop()


async def values(kafka, topic, partition):
    return [
        r.value async for records in read_all(kafka, [topic]) for r in records if r.partition == partition
    ]


async def test_a_write_of_many_batches_is_contiguous_and_in_order(kafka, make_topic, sink):
    topic = await make_topic()
    many = [(b"k", b"%06d" % n + os.urandom(2000), []) for n in range(1500)]
    few = [(b"k", b"x", [("h", b"1")]), (None, b"y", ())]
    at, other = TopicPartition(topic, 0), TopicPartition(topic, 3)

    assert await sink.send({at: many, other: few}) == {at: Span(0, 1499), other: Span(0, 1)}
    assert await sink.send({at: few}) == {at: Span(1500, 1501)}
    assert await values(kafka, topic, 0) == [value for _, value, _ in [*many, *few]]


async def test_a_record_that_the_topic_does_not_take_is_refused_by_name(kafka, make_topic, sink):
    topic = await make_topic()
    with pytest.raises(
        RefusedError, match=f"the broker refused a batch of 1 records for {topic}/2: MessageSize"
    ):
        await sink.send({TopicPartition(topic, 2): [(b"k", os.urandom(1_200_000), [])]})


async def test_what_follows_a_refused_record_is_not_written(kafka, make_topic, sink):
    """A write is durable as a prefix, also when it fails."""
    topic = await make_topic()
    records = [(b"k", b"before", []), (b"k", os.urandom(1_200_000), []), (b"k", b"after", [])]
    with pytest.raises(RefusedError):
        await sink.send({TopicPartition(topic, 0): records})

    assert await values(kafka, topic, 0) == [b"before"]


async def test_a_record_that_no_request_takes_is_refused_before_it_is_sent(make_topic, sink):
    topic = await make_topic()
    with pytest.raises(RefusedError, match=f"a record for {topic}/0 has 4194304 bytes"):
        await sink.send({TopicPartition(topic, 0): [(b"k", bytes(4 << 20), [])]})
