"""What is run under faults: the engine's toy, its later release, or the product.

Stages, topics, input and verdict of each.
"""

from __future__ import annotations

import random
from typing import NamedTuple, Protocol

import orjson

from elowire.contracts.envelope import input_record
from elowire.contracts.topics import CATALOGUE, Cleanup, Topic, partition_of
from elowire.processor.service import stages_of
from tests.broker.check import check
from tests.broker.faults import toy_check
from tests.fakes.toy import TOY_CHANGELOGS, TOY_SOURCES, TOY_TOPICS, ForwardStage, NextSumStage, toy_stages
from tests.oracle.generator import Sizes, generate


class Input(NamedTuple):
    """A record to be fed; topic without prefix."""

    topic: str
    partition: int
    key: bytes
    value: bytes
    headers: list


class Kind(Protocol):
    """One of the two. `sources` are what a worker reads, without prefix."""

    sources: tuple[str, ...]
    topics: tuple[Topic, ...]

    def stages(self, settings):
        """Return the stages of a worker."""

    def input(self, seed, count, partitions):
        """Return about `count` records, the same for the same seed."""

    async def check(self, bootstrap, prefix):
        """Return what is wrong at the end."""


class Toy:
    """Amounts and their totals."""

    sources = TOY_SOURCES
    topics = (
        *(
            Topic(name=name, key="account", types=(), purpose="A test's own.", retention_ms=-1)
            for name in TOY_TOPICS
        ),
        *(
            Topic(name=name, key="account", types=(), purpose="A test's own.", cleanup=Cleanup.COMPACT)
            for name in TOY_CHANGELOGS
        ),
    )

    def stages(self, settings):
        return toy_stages(settings.topic_prefix, settings.partitions)

    def input(self, seed, count, partitions):
        rng, events = random.Random(seed), []
        for n in range(count):
            key = b"p%06d" % rng.randrange(20_000)
            first = {"id": f"{seed}-{n}", "rev": 0, "amount": rng.randrange(-800, 800), "note": "x" * 100}
            events.append((n, key, first))
            chance = rng.random()
            if chance < 0.03:  # a correction, sometimes before its original
                events.append((n + rng.uniform(-50, 500), key, {**first, "rev": 1, "amount": n % 800}))
            elif chance < 0.06:
                events.append((n + rng.uniform(0, 5000), key, first))
        events.sort(key=lambda event: event[0])
        for n, key, value in events:
            body = b"not json" if n % 1000 == 999 else orjson.dumps(value)
            yield Input("inbox", partition_of(key, partitions), key, body, [])

    async def check(self, bootstrap, prefix):
        return await toy_check.check(bootstrap, prefix)


class NextToy(Toy):
    """The toy's later release, which writes its states in a new format."""

    def stages(self, settings):
        prefix = settings.topic_prefix
        return [ForwardStage(prefix, settings.partitions), NextSumStage(prefix)]


class Product:
    """The product's own stages and events."""

    sources = ("tournament-events", "game-results", "rating-lists", "player-events")
    topics = tuple(CATALOGUE)

    def stages(self, settings):
        return stages_of(settings)

    def input(self, seed, count, partitions):
        tournaments = max(1, count // 60)
        players = min(2000, 2 * tournaments + 20)  # hot enough for a stale state to be missed
        for event_id, event in generate(seed, Sizes(tournaments=tournaments, players=players)):
            record = input_record(event, event_id=event_id, source="tests")
            yield Input(
                record.topic, partition_of(record.key, partitions), record.key, record.value, record.headers
            )

    async def check(self, bootstrap, prefix):
        return await check(bootstrap, prefix)


KINDS = {"toy": Toy(), "next-toy": NextToy(), "product": Product()}
