"""What the reproductions share: topics, events and offsets with aiokafka, Faust workers as processes."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import faust
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError
from aiokafka.structs import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RAW = {"key_type": bytes, "value_type": bytes, "key_serializer": "raw", "value_serializer": "raw"}
SHOWS, GONE, UNPROVEN = 0, 1, 2


def plain_app(name, bootstrap, folder, **settings):
    """A Faust application as its manual has it: at least once, table in memory, nothing replaced."""
    return faust.App(
        name,
        broker=f"kafka://{bootstrap}",
        store="memory://",
        datadir=folder,
        web_enabled=False,
        topic_allow_declare=False,
        topic_disable_leader=True,
        table_standby_replicas=0,
        consumer_auto_offset_reset="earliest",
        broker_commit_interval=1.0,
        **settings,
    )


def work(app, level="WARNING"):
    """Be the worker process until SIGTERM."""
    sys.argv[1:] = []  # Faust reads the command line too
    faust.Worker(app, loglevel=level).execute_from_commandline()


def start_worker(script, *arguments, log=None):
    """Start a worker process of a reproduction; what it says goes to `log`, or to the standard error."""
    told = sys.stderr if log is None else log
    return subprocess.Popen([sys.executable, script, *map(str, arguments)], stdout=told, stderr=told)


def end_worker(process, patience_s=30):
    """Ask a worker to end, as a rolling restart does; false if it had to be killed."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    return True


async def make_topics(bootstrap, topics: Mapping[str, Mapping[str, str]], partitions):
    """Create topics: name and settings."""
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    await admin.create_topics(
        [NewTopic(name, partitions, 1, topic_configs=dict(configs)) for name, configs in topics.items()]
    )
    await admin.close()


async def send(bootstrap, topic, events: Iterable[tuple[bytes, bytes]], *, rate=0.0):
    """Send (key, value) pairs, all acknowledged, at `rate` a second (0: as fast as it goes); count them."""
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, linger_ms=2)
    await producer.start()
    clock = asyncio.get_running_loop().time
    began, sent = clock(), []
    for key, value in events:
        sent.append(await producer.send(topic, key=key, value=value))
        if rate and (early := began + len(sent) / rate - clock()) > 0.01:
            await asyncio.sleep(early)
    await asyncio.gather(*sent)
    await producer.stop()
    return len(sent)


async def committed(bootstrap, group, topic):
    """Return the committed offset of each partition of a topic."""
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    try:
        found = await admin.list_consumer_group_offsets(group)
    except KafkaError:
        return {}  # the coordinator is not there yet
    finally:
        await admin.close()
    return {at.partition: entry.offset for at, entry in found.items() if at.topic == topic}


async def keys_of(bootstrap, topic, partitions):
    """Return the keys of all records of a topic, in order per partition."""
    places = [TopicPartition(topic, number) for number in range(partitions)]
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest")
    await consumer.start()
    consumer.assign(places)
    ends, keys = await consumer.end_offsets(places), []
    while [at for at in places if await consumer.position(at) < ends[at]]:
        for records in (await consumer.getmany(timeout_ms=500)).values():
            keys += [record.key for record in records]
    await consumer.stop()
    return keys
