"""Changelogs are read from a real broker in answers that come one by one, also over a slow way."""

from __future__ import annotations

import os

import pytest
from aiokafka.structs import TopicPartition

from elowire.processor.reader import FETCH_BYTES, KafkaLog
from elowire.processor.sink import KafkaSink

pytestmark = pytest.mark.broker
RECORD_BYTES = 50_000
RECORDS = 60


async def test_a_recovery_hears_something_long_before_it_has_read_all(kafka, make_topic):
    """It lives for as long as something comes within its patience: all in one answer would be silence."""
    topic = await make_topic()
    places = [TopicPartition(topic, number) for number in range(4)]
    sink, log = KafkaSink(bootstrap_servers=kafka), KafkaLog("reader", bootstrap_servers=kafka)
    await sink.start()
    await log.start()
    try:
        written = {at: [(b"k", os.urandom(RECORD_BYTES), []) for _ in range(RECORDS)] for at in places}
        await sink.send(written)
        chunks = [chunk async for chunk in log.read(dict.fromkeys(places, (0, RECORDS))) if chunk]
    finally:
        await sink.stop()
        await log.stop()

    assert sum(len(records) for records in chunks[0].values()) * RECORD_BYTES <= 2 * FETCH_BYTES
    assert sum(len(records) for chunk in chunks for records in chunk.values()) == 4 * RECORDS
