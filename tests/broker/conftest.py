"""A real broker for the session, and empty topics for each test."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from elowire.contracts.topics import CATALOGUE, Cleanup, Topic
from elowire.runtime import topics
from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.kafka import admin_client
from elowire.runtime.topics import Shape
from tests.ports import free_port

# Compaction really happens within a test.
EAGER_CLEANING = {
    "log.cleaner.backoff.ms": "500",
    "log.cleaner.min.cleanable.ratio": "0.01",
    "log.segment.delete.delay.ms": "1000",
}
DELETED_S = 30


@pytest.fixture(scope="session")
def embedded_kafka(tmp_path_factory):
    """The broker itself, for tests that need more of it than its address."""
    with EmbeddedKafka(tmp_path_factory.mktemp("kafka"), free_port(), properties=EAGER_CLEANING) as broker:
        yield broker


@pytest.fixture
def kafka(embedded_kafka):
    """Bootstrap address of a real broker that lives as long as the session."""
    return embedded_kafka.bootstrap


@pytest.fixture
def make_topic(kafka):
    """A new empty topic, made by `await make_topic(partitions=4)`; gives its name."""
    numbers = itertools.count(1)

    async def make(stem="topic", *, partitions=4, cleanup=Cleanup.DELETE):
        async with admin_client(kafka) as admin:
            taken = set(await admin.list_topics())
        name = next(name for number in numbers if (name := f"{stem}-{number}") not in taken)
        topic = Topic(name=name, key="any", types=(), purpose="A test's own.", cleanup=cleanup)
        await topics.apply(kafka, [topic], shape=Shape(partitions=partitions))

        return name

    return make


@pytest.fixture
def fresh_catalogue(kafka):
    """All topics of the catalogue, empty, made by `await fresh_catalogue(partitions=4)`."""

    async def make(*, partitions=4):
        names = {topic.name for topic in CATALOGUE}
        async with admin_client(kafka) as admin, asyncio.timeout(DELETED_S):
            await admin.delete_topics(sorted(names & set(await admin.list_topics())))
            while names & set(await admin.list_topics()):
                await asyncio.sleep(0.1)
        await topics.apply(kafka, shape=Shape(partitions=partitions))

    return make
