"""The checker's client on a real broker: green over topics that the stages made in memory, red otherwise."""

from __future__ import annotations

import asyncio
import dataclasses
import sys

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.structs import TopicPartition

from elowire.contracts.topics import CATALOGUE
from elowire.runtime import topics
from elowire.runtime.topics import Shape
from tests.broker.check import check
from tests.oracle.generator import Sizes, generate
from tests.stages.driver import Lane

pytestmark = pytest.mark.broker

PARTITIONS = 2
SMALL = Sizes(tournaments=6, entrants=6, rounds=3, players=20)
SOURCES = ("tournament-events", "game-results", "rating-lists", "player-events")


async def write(bootstrap, prefix, lane, *, without=()):
    """Put what the stages made onto a broker, and commit what they read; `without` names (topic, number)."""
    named = [dataclasses.replace(topic, name=prefix + topic.name) for topic in CATALOGUE]
    await topics.apply(bootstrap, named, shape=Shape(partitions=PARTITIONS))
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap)
    await producer.start()
    try:
        for topic, records in lane.read().items():
            for number, record in enumerate(records):
                if (topic, number) not in without:
                    # Changed headers would be another record: only place and time are the broker's.
                    await producer.send(
                        prefix + topic,
                        record.value,
                        key=record.key,
                        partition=record.partition,
                        headers=[
                            (k, prefix.encode() + v if k == "elowire-topic" else v) for k, v in record.headers
                        ],
                    )
        await producer.flush()
    finally:
        await producer.stop()
    await commit(bootstrap, prefix, ends_of(lane))


def ends_of(lane):
    return {
        (topic, number): len(lane.topics[topic][number]) for topic in SOURCES for number in range(PARTITIONS)
    }


async def commit(bootstrap, prefix, offsets):
    group = AIOKafkaConsumer(
        bootstrap_servers=bootstrap, group_id=prefix.rstrip("-"), enable_auto_commit=False
    )
    await group.start()
    try:
        places = {TopicPartition(prefix + topic, number): end for (topic, number), end in offsets.items()}
        group.assign(list(places))
        await group.commit(places)
    finally:
        await group.stop()


@pytest.fixture(scope="module")
def lane():
    return Lane(partitions=PARTITIONS, seed=1).feed(generate(1, SMALL))


async def test_it_is_green_when_all_is_well(kafka, lane):
    await write(kafka, "well-", lane)
    assert await check(kafka, "well-") == []


async def test_one_missing_live_rating_turns_it_red(kafka, lane):
    await write(kafka, "missing-", lane, without={("live-ratings", 10)})
    assert any("is missing" in sentence for sentence in await check(kafka, "missing-"))


async def test_lag_and_offsets_beyond_the_end_turn_it_red(kafka, lane):
    await write(kafka, "offsets-", lane)
    ends = ends_of(lane)
    behind, beyond = ("game-results", 0), ("player-events", 1)
    await commit(kafka, "offsets-", {behind: ends[behind] - 1, beyond: ends[beyond] + 5})
    lag, ahead = sorted(await check(kafka, "offsets-"))
    assert lag.startswith("offsets-game-results/0: lag 1")
    assert ahead.startswith(f"offsets-player-events/1: committed up to {ends[beyond] + 5}")


async def test_the_command_says_so_and_exits_with_1(kafka, lane):
    await write(kafka, "command-", lane, without={("live-ratings", 3)})
    await write(kafka, "fine-", lane)
    for prefix, code, word in (("fine-", 0, b"OK"), ("command-", 1, b"RED")):
        command = [sys.executable, "-m", "tests.broker.check", kafka, "--prefix", prefix]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        said, _ = await process.communicate()
        assert (process.returncode, word in said) == (code, True)
