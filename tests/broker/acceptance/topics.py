"""The topics from outside: made, written, read, and waited for until every record is worked off."""

from __future__ import annotations

import asyncio
import dataclasses
import time

import orjson
from aiokafka import AIOKafkaConsumer
from aiokafka.structs import TopicPartition

from elowire.contracts.topics import CATALOGUE
from elowire.runtime import topics
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, admin_client, read_all
from elowire.runtime.topics import Shape

INPUTS = ("tournament-events", "game-results", "rating-lists")
DELETED_S = 30
SETTLED_S = 90


def make_empty(bootstrap, *, prefix="", partitions=4, largest=None):
    """Make all topics of the catalogue anew; `largest` maps a name to the bytes that it takes at most."""
    wanted = [
        dataclasses.replace(
            topic,
            name=prefix + topic.name,
            max_record_bytes=(largest or {}).get(topic.name, topic.max_record_bytes),
        )
        for topic in CATALOGUE
    ]
    names = {topic.name for topic in wanted}

    async def make():
        async with admin_client(bootstrap) as admin, asyncio.timeout(DELETED_S):
            await admin.delete_topics(sorted(names & set(await admin.list_topics())))
            while names & set(await admin.list_topics()):
                await asyncio.sleep(0.1)
        await topics.apply(bootstrap, wanted, shape=Shape(partitions=partitions))

    asyncio.run(make())


def send(bootstrap, records, *, prefix=""):
    """Write records (input records or whole ones) and wait for the acknowledgements."""

    async def write():
        async with ConfirmedProducer(bootstrap) as producer:
            await producer.send_all(
                out._replace(topic=prefix + out.topic) for out in (OutRecord(*record) for record in records)
            )

    asyncio.run(write())


def read(bootstrap, topic):
    """All records of a topic, partition by partition in order."""

    async def take():
        return [record async for batch in read_all(bootstrap, [topic]) for record in batch]

    return asyncio.run(take())


def values(bootstrap, topic):
    return [orjson.loads(record.value) for record in read(bootstrap, topic)]


def live(bootstrap, *, prefix=""):
    """The latest live rating of every player."""
    latest = {}
    for value in values(bootstrap, f"{prefix}live-ratings"):
        if value["version"] > latest.get(value["player_id"], {"version": 0})["version"]:
            latest[value["player_id"]] = value
    return latest


def figures(bootstrap, *, prefix=""):
    """Every player's figures as bytes, without what only tells how they came about."""

    def final(value):
        return {
            name: {key: figure for key, figure in value[name].items() if key != "previous"}
            for name in ("standard", "rapid", "blitz")
            if value.get(name)
        }

    found = live(bootstrap, prefix=prefix)
    return {player_id: orjson.dumps(final(value)) for player_id, value in found.items()}


def settle(processor):
    """Wait until the processor has committed every input and everything that followed from it."""
    asyncio.run(_settle(processor))


async def _settle(processor):
    deadline = time.monotonic() + SETTLED_S
    consumer = AIOKafkaConsumer(bootstrap_servers=processor.bootstrap)
    await consumer.start()
    try:
        async with admin_client(processor.bootstrap) as admin:
            # The inputs first: what they lead to is complete in the next topic when they are committed.
            for names in (INPUTS, ("player-events",)):
                sources = [
                    TopicPartition(processor.prefix + name, number)
                    for name in names
                    for number in range(processor.partitions)
                ]
                while True:
                    ends = await consumer.end_offsets(sources)
                    committed = await admin.list_consumer_group_offsets(processor.group)
                    left = {
                        f"{at.topic}/{at.partition}": end - (committed[at].offset if at in committed else 0)
                        for at, end in ends.items()
                        if end > (committed[at].offset if at in committed else 0)
                    }
                    if not left:
                        break
                    assert processor.process.poll() is None, processor.err
                    assert time.monotonic() < deadline, f"not worked off: {left}; {processor.err[-2000:]}"
                    await asyncio.sleep(0.05)
    finally:
        await consumer.stop()
