"""A topic's id tells it from a later one of the same name."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from elowire.contracts.topics import Topic
from elowire.runtime import topics
from elowire.runtime.kafka import admin_client
from elowire.runtime.topic_ids import AdminWithIds
from elowire.runtime.topics import Shape

pytestmark = pytest.mark.broker

NAMES = ("ids-a", "ids-b")
PLAIN = Topic(name="any", key="any", types=(), purpose="A test's own.")


async def ids_of(broker, *names):
    admin = AdminWithIds(bootstrap_servers=broker.bootstrap)
    await admin.start()
    try:
        return await admin.topic_ids(names)
    finally:
        await admin.close()


async def test_a_topic_that_was_created_again_has_another_id(broker):
    many = [replace(PLAIN, name=name) for name in NAMES]
    await topics.apply(broker.bootstrap, many, shape=Shape(partitions=3))
    before = await ids_of(broker, *NAMES)
    assert before == await ids_of(broker, *NAMES)
    assert len(set(before.values())) == 2
    async with admin_client(broker.bootstrap) as admin:
        await admin.delete_topics(["ids-a"])
        while "ids-a" in await admin.list_topics():
            await asyncio.sleep(0.1)
    assert await ids_of(broker, *NAMES) == {"ids-b": before["ids-b"]}
    await topics.apply(broker.bootstrap, many, shape=Shape(partitions=3))
    after = await ids_of(broker, *NAMES)

    assert after["ids-a"] != before["ids-a"]
    assert after["ids-b"] == before["ids-b"]


async def test_asking_for_a_missing_topic_creates_none(broker):
    assert await ids_of(broker, "ids-missing") == {}
    async with admin_client(broker.bootstrap) as admin:
        assert "ids-missing" not in await admin.list_topics()


async def test_asking_for_nothing_asks_nobody():
    assert await AdminWithIds(bootstrap_servers="127.0.0.1:1").topic_ids([]) == {}
