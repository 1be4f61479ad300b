"""When the lane's consumer fetches: after few records not before it is told to, and then whatever came."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.structs import TopicPartition

from elowire.processor.host import FaustGroup
from elowire.processor.pace import FEW
from elowire.processor.sink import KafkaSink

pytestmark = pytest.mark.broker
LIMIT = 40


@asynccontextmanager
async def clients(kafka, places):
    """A group on a plain consumer in this loop, and a producer."""
    client = AIOKafkaConsumer(bootstrap_servers=kafka, auto_offset_reset="earliest")
    client.assign(places)
    sink = KafkaSink(bootstrap_servers=kafka)
    group = FaustGroup.__new__(FaustGroup)
    group._static = False
    group._client = lambda: (SimpleNamespace(thread_loop=asyncio.get_running_loop()), client)
    await client.start()
    await sink.start()
    try:
        yield group, client, sink
    finally:
        await sink.stop()
        await client.stop()


def records(count):
    return [(b"k", b"%d" % number, []) for number in range(count)]


async def fetched(group, places, count):
    """The values of so many records, by partition."""
    found = {at: [] for at in places}
    while sum(map(len, found.values())) < count:
        for at, got in (await group.fetch(places, timeout_s=5, limit=LIMIT)).items():
            found[at] += [record.value for record in got]
    return found


async def test_after_few_records_it_fetches_only_when_it_is_told_to(kafka, make_topic):
    topic = await make_topic()
    places = [TopicPartition(topic, number) for number in range(3)]
    async with clients(kafka, places) as (group, client, sink):
        await sink.send({places[0]: records(2)})
        assert await fetched(group, places, 2) == {places[0]: [b"0", b"1"], places[1]: [], places[2]: []}
        assert client.paused() == set(places)

        await sink.send({at: records(3) for at in places})
        group.fetch_ahead()
        await asyncio.sleep(0)
        assert client.paused() == set()

        assert await fetched(group, places, 9) == {at: [b"0", b"1", b"2"] for at in places}


async def test_after_many_records_it_goes_on_fetching(kafka, make_topic):
    topic = await make_topic()
    at = TopicPartition(topic, 0)
    async with clients(kafka, [at]) as (group, client, sink):
        await sink.send({at: records(LIMIT // FEW)})
        await fetched(group, [at], LIMIT // FEW)

        assert client.paused() == set()
