"""What the engine is made to do under every fate: the toy in three batches, in more, and the product."""

from __future__ import annotations

import dataclasses
import random
from collections import defaultdict

import orjson
from aiokafka.structs import TopicPartition

from elowire.contracts.envelope import input_record
from elowire.contracts.topics import CATALOGUE
from elowire.processor.lists import ListsStage
from elowire.processor.player import PlayerStage
from elowire.processor.stage import Record
from elowire.processor.tournament import TournamentStage
from tests.broker.check.verdict import CHANGELOGS, violations
from tests.engine.crash_points import Scene
from tests.fakes.member import PATIENT
from tests.fakes.toy import (
    TOY_CHANGELOGS,
    TOY_SOURCES,
    TOY_TOPICS,
    ForwardStage,
    NextSumStage,
    SumStage,
    partition_of,
    toy_stages,
)
from tests.fakes.toy_oracle import faults
from tests.fakes.toy_watch import ToyWatch
from tests.fakes.world import World
from tests.oracle.generator import Sizes, generate

PARTITIONS = 2
# The coordinator is asked before every write; PATIENT itself takes its first answer for good.
WARY = dataclasses.replace(PATIENT, session_s=0)
LONG_SEED = 7


def toy_world(events):
    world = World([*TOY_TOPICS, *TOY_CHANGELOGS], PARTITIONS, ToyWatch())
    for key, value in events:
        world.append(TopicPartition("inbox", partition_of(key, PARTITIONS)), key, value)
    return world


def amount(name, value, rev=0):
    return orjson.dumps({"id": name, "rev": rev, "amount": value})


def short_world():
    """Two amounts for each of two accounts in different partitions and one correction: three batches."""
    events = [(key, amount(name, value)) for name, value in (("g", 1), ("h", 2)) for key in (b"a", b"d")]
    return toy_world([*events, (b"a", amount("g", 5, rev=1))])


def long_world():
    """Corrections before and after their originals, duplicates and a record that nobody can read."""
    chance, events = random.Random(LONG_SEED), []
    for n in range(10):
        key, rev = chance.choice([b"a", b"b", b"d", b"f"]), chance.randrange(2)
        event = (key, amount(f"g{n // 2}", 100 * (n // 2) + rev, rev))
        events += [event] * (2 if n == 6 else 1)
        if n == 4:
            events.append((key, b"not json"))
    return toy_world(events)


def resumed_world():
    """The amounts of the short world are in the changelog and committed; two corrections are not read yet."""
    world, stage = toy_world([]), SumStage()
    for key in (b"a", b"d"):
        number, table = partition_of(key, PARTITIONS), {}
        for offset, name in enumerate(("g", "h")):
            value = amount(name, offset + 1)
            for topic in ("inbox", "amounts"):
                world.append(TopicPartition(topic, number), key, value)
            effects = stage.apply([Record("amounts", number, offset, 1, key, value, [])], table, {}, number)
            for emit in effects.emits:
                world.append(TopicPartition(*emit[:2]), *emit[2:])
            for put in effects.puts.items():
                world.append(TopicPartition(stage.changelog, number), *put)
            table |= effects.puts
        world.offsets |= {TopicPartition(topic, number): (2, "2") for topic in ("inbox", "amounts")}
        world.append(TopicPartition("inbox", number), key, amount("g", 5, rev=1))
    return world


def toy_wrong(world):
    wrong = faults(*(world.records(topic) for topic in (*TOY_TOPICS, *TOY_CHANGELOGS)))
    if lag := world.lag(TOY_SOURCES):
        wrong.append(f"{lag} records are not committed")
    return wrong


def toy(name, world, pace):
    return Scene(name, world, lambda _: toy_stages("", PARTITIONS), TOY_SOURCES, toy_wrong, pace)


SHORT = toy("three batches", short_world, PATIENT)
SHORT_WARY = toy("three batches, wary", short_world, WARY)
LONG = toy(f"more batches (seed {LONG_SEED})", long_world, PATIENT)
LONG_WARY = toy(f"more batches, wary (seed {LONG_SEED})", long_world, WARY)

RESUMED = toy("a changelog to be read", resumed_world, WARY)
LATER = SHORT._replace(
    name="three batches, the second release writes another format",
    stages=lambda name: [ForwardStage("", PARTITIONS), SumStage() if name == "A" else NextSumStage()],
)


# A tournament of four players with troubles of all kinds, and a rating list.
PRODUCT_SEED = 4
PRODUCT_SIZES = Sizes(tournaments=1, entrants=4, rounds=2, players=4)
PRODUCT_SOURCES = ("tournament-events", "game-results", "rating-lists", "player-events")


def product_world():
    world = World([*(topic.name for topic in CATALOGUE), *CHANGELOGS], PARTITIONS)
    for event_id, event in generate(PRODUCT_SEED, PRODUCT_SIZES):
        r = input_record(event, event_id=event_id, source="tests")
        world.append(TopicPartition(r.topic, partition_of(r.key, PARTITIONS)), r.key, r.value, r.headers)
    return world


def product_wrong(world):
    topics = defaultdict(list)
    for at, log in world.logs.items():
        topics[at.topic] += [
            Record(at.topic, at.partition, r.offset, 1, r.key, r.value, r.headers) for r in log if r
        ]
    wrong = violations(topics, PARTITIONS)
    if lag := world.lag(PRODUCT_SOURCES):
        wrong.append(f"{lag} records are not committed")
    return wrong


def product_stages(_):
    return [stage(partitions=PARTITIONS) for stage in (TournamentStage, ListsStage, PlayerStage)]


PRODUCT = Scene(
    f"product (seed {PRODUCT_SEED})", product_world, product_stages, PRODUCT_SOURCES, product_wrong, PATIENT
)
# Whom the games reach first knows nobody who plays them; whom the entrants reach first knows no games.
CROSSED = PRODUCT._replace(
    name=f"product, topics crossed (seed {PRODUCT_SEED})",
    pace=WARY,
    first={"A": "game-results", "B": "tournament-events"},
)
