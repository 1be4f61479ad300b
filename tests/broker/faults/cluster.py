"""The plain client's side of a fault run: topics, feeding, and waiting until everything is committed."""

from __future__ import annotations

import asyncio
import dataclasses
import time

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import KafkaError
from aiokafka.structs import TopicPartition

from elowire.runtime import topics
from elowire.runtime.kafka import admin_client


async def make_topics(bootstrap, kind, prefix, shape):
    """Create the topics; a topic that is there already makes every verdict void."""
    named = [dataclasses.replace(topic, name=prefix + topic.name) for topic in kind.topics]
    async with admin_client(bootstrap) as admin:
        if there := {topic.name for topic in named} & set(await admin.list_topics()):
            raise SystemExit(f"topics are not fresh: {sorted(there)}")
    await topics.apply(bootstrap, named, shape=shape)


async def feed(bootstrap, prefix, records, *, rate=0.0):
    """Send records at `rate` a second (0: as fast as it goes), all acknowledged; count them."""
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap,
        acks="all",
        enable_idempotence=True,
        linger_ms=2,
        max_batch_size=256 << 10,
    )
    await producer.start()
    began, sent, open_ = time.monotonic(), 0, []
    try:
        for record in records:
            open_.append(
                await producer.send(
                    prefix + record.topic,
                    record.value,
                    key=record.key,
                    partition=record.partition,
                    headers=record.headers,
                )
            )
            sent += 1
            if len(open_) >= 2000:
                await asyncio.gather(*open_)
                open_.clear()
            if rate and (early := began + sent / rate - time.monotonic()) > 0.01:
                await asyncio.sleep(early)
        await asyncio.gather(*open_)
    finally:
        await producer.stop()
    return sent


async def lag(bootstrap, kind, prefix, group, partitions):
    """Return how many records of each source are not committed."""
    sources = [TopicPartition(prefix + topic, n) for topic in kind.sources for n in range(partitions)]
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap)
    await consumer.start()
    try:
        ends = await consumer.end_offsets(sources)
    finally:
        await consumer.stop()
    return {at: count for at, count in (await behind(bootstrap, group, ends)).items() if count}


async def behind(bootstrap, group, ends):
    """Return how many records a group has not committed before `ends`; negative where it is beyond one."""
    async with admin_client(bootstrap) as admin:
        committed = await admin.list_consumer_group_offsets(group)
    left = {at: end - (committed[at].offset if at in committed else 0) for at, end in ends.items()}
    return {f"{at.topic}/{at.partition}": count for at, count in left.items()}


async def drained(bootstrap, kind, prefix, group, partitions, patience_s):
    """Wait until nothing is left, twice in a row; returns what is left when patience ends."""
    deadline, quiet, left = time.monotonic() + patience_s, 0, {"unknown": 1}
    while quiet < 2 and time.monotonic() < deadline:
        try:
            left = await lag(bootstrap, kind, prefix, group, partitions)
        except (KafkaError, OSError) as fault:
            left = {repr(fault): 1}
        quiet = 0 if left else quiet + 1
        await asyncio.sleep(0.4)
    return left
