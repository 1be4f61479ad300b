"""Reading, following and confirmed writing on a real broker."""

from __future__ import annotations

import asyncio
import itertools
import os

import pytest

from elowire.contracts.topics import Topic, partition_of
from elowire.runtime import topics
from elowire.runtime.kafka import (
    ConfirmedProducer,
    KafkaUnreachableError,
    OutRecord,
    RecordRefusedError,
    TopicMissingError,
    end_offsets,
    follow,
    read_all,
)
from elowire.runtime.topics import Shape

pytestmark = pytest.mark.broker

NOBODY = "127.0.0.1:30299"
_numbers = itertools.count(1)


@pytest.fixture
async def topic(broker):
    made = Topic(name=f"clients-{next(_numbers)}", key="any", types=(), purpose="A test's own.")
    await topics.apply(broker.bootstrap, [made], shape=Shape(partitions=3))
    return made.name


async def send(broker, *records):
    async with ConfirmedProducer(broker.bootstrap) as producer:
        return await producer.send_all(records)


async def read(broker, *names):
    return [record async for records in read_all(broker.bootstrap, names) for record in records]


async def test_what_was_confirmed_is_read_back_whole_and_in_order(broker, topic):
    sent = [
        OutRecord(topic, b"%d" % (number % 7), b"value %d" % number, [("ce_id", b"%d" % number)])
        for number in range(12_000)
    ]
    assert await send(broker, *sent) == 12_000
    found = await read(broker, topic)
    for key in {record.key for record in sent}:
        own = [record for record in found if record.key == key]
        assert [record.value for record in own] == [record.value for record in sent if record.key == key]
        assert {record.partition for record in own} == {partition_of(key, 3)}
    assert list(found[0].headers) == [("ce_id", found[0].value.removeprefix(b"value "))]
    assert found[0].timestamp > 1_700_000_000_000


async def test_a_partition_can_be_chosen_and_a_tombstone_sent(broker, topic):
    await send(broker, OutRecord(topic, b"key", None, partition=2))
    [record] = await read(broker, topic)
    assert (record.partition, record.key, record.value) == (2, b"key", None)


async def test_an_empty_topic_ends_at_once(broker, topic):
    assert await read(broker, topic) == []
    assert await end_offsets(broker.bootstrap, [topic]) == {(topic, number): 0 for number in range(3)}


async def test_reading_ends_where_the_topic_ended_at_the_start(broker, topic):
    await send(broker, *(OutRecord(topic, b"k", b"before") for _ in range(10)))
    found = []
    async for records in read_all(broker.bootstrap, [topic]):
        found += records
        await send(broker, OutRecord(topic, b"k", b"after"))
    assert [record.value for record in found] == [b"before"] * 10


async def test_following_goes_on_for_ever_and_from_given_positions(broker, topic):
    await send(broker, *(OutRecord(topic, b"k", b"%d" % number, partition=0) for number in range(5)))
    stream = follow(broker.bootstrap, [topic], positions={(topic, 0): 3}, wait_s=0.1)
    found = []
    async with asyncio.timeout(30):
        async for records in stream:
            found += [record.value for record in records]
            if len(found) == 2:
                await send(broker, OutRecord(topic, b"k", b"new"))
            if b"new" in found:
                break
    await stream.aclose()
    assert found == [b"3", b"4", b"new"]


async def test_following_from_the_end_sees_only_what_comes_later(broker, topic):
    await send(broker, OutRecord(topic, b"k", b"old"))
    stream = follow(broker.bootstrap, [topic], from_beginning=False, wait_s=0.1)
    async with asyncio.timeout(30):
        assert await anext(stream) == []
        await send(broker, OutRecord(topic, b"k", b"new"))
        found = []
        while not found:
            found = await anext(stream)
    await stream.aclose()
    assert [record.value for record in found] == [b"new"]


async def test_a_record_that_is_too_large_is_named_and_its_neighbours_are_confirmed(broker, topic):
    large = os.urandom(2 << 20)  # the limit holds for what is left after compression
    with pytest.raises(RecordRefusedError, match=rf"key 'large' was refused by topic {topic}: 2097157 bytes"):
        await send(broker, OutRecord(topic, b"k", b"1"), OutRecord(topic, b"large", large))
    assert [record.value for record in await read(broker, topic)] == [b"1"]


async def test_a_missing_topic_is_named_by_reader_and_writer(broker):
    with pytest.raises(TopicMissingError, match=r"no topic nowhere.*elowire topics apply"):
        await send(broker, OutRecord("nowhere", b"k", b"v"))
    with pytest.raises(TopicMissingError, match="no topic nowhere, neither"):
        await read(broker, "nowhere", "neither")


async def test_nobody_there_is_named_by_all():
    with pytest.raises(KafkaUnreachableError, match=f"no Kafka broker answers at {NOBODY}"):
        await read_all(NOBODY, ["any"]).__anext__()
    with pytest.raises(KafkaUnreachableError, match=NOBODY):
        await ConfirmedProducer(NOBODY).__aenter__()
    with pytest.raises(KafkaUnreachableError, match=NOBODY):
        await topics.plan(NOBODY)
