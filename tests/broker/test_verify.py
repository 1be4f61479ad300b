"""`elowire verify` says equal of what a processor wrote, and names whatever is not as the inputs say."""

from __future__ import annotations

import asyncio
import itertools
import json
import signal
from typing import NamedTuple

import orjson
import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.admin import RecordsToDelete
from aiokafka.structs import TopicPartition

from elowire.contracts.envelope import input_record
from elowire.contracts.topics import CATALOGUE
from elowire.processor.replay_cut import InputsCutError
from elowire.processor.verification import verify
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, admin_client, end_offsets, read_all
from elowire.runtime.settings import load_settings
from tests.broker.acceptance.programs import Processor, run
from tests.broker.acceptance.topics import make_empty, send, settle
from tests.oracle.generator import Sizes, generate

pytestmark = pytest.mark.broker
PARTITIONS = 2
SOURCES = ("tournament-events", "game-results", "rating-lists", "player-events")
COPIED = (*SOURCES, "live-ratings", "rated-games", "reconciliations", "tournament-ratings")
_numbers = itertools.count(1)


def inputs(seed, sizes):
    return [
        input_record(event, event_id=f"{seed}-{event_id}", source="tests")
        for event_id, event in generate(seed, sizes)
    ]


class Settled(NamedTuple):
    """Everything that stands in the topics after a processor has worked off its inputs."""

    bootstrap: str
    records: dict


@pytest.fixture(scope="module")
def processor(embedded_kafka, tmp_path_factory):
    """A processor that has worked off generated events: corrections, withdrawals, unrated players, lists."""
    make_empty(embedded_kafka.bootstrap, prefix="whole-", partitions=PARTITIONS)
    started = Processor(
        tmp_path_factory.mktemp("processor"),
        embedded_kafka.bootstrap,
        prefix="whole-",
        group="whole",
        partitions=PARTITIONS,
    )
    try:
        started.ready()
        send(embedded_kafka.bootstrap, inputs(1, Sizes()), prefix="whole-")
        settle(started)
        yield started
    finally:
        started.end()


@pytest.fixture(scope="module")
def settled(processor):
    async def take():
        names = [f"whole-{name}" for name in COPIED]
        records = {name: [] for name in COPIED}
        async for batch in read_all(processor.bootstrap, names):
            for record in batch:
                records[record.topic.removeprefix("whole-")].append(record)
        return records

    return Settled(processor.bootstrap, asyncio.run(take()))


class Copy:
    """The settled topics under another prefix, changed before or after they were written."""

    def __init__(self, settled):
        self.bootstrap = settled.bootstrap
        self.records = {name: list(records) for name, records in settled.records.items()}
        self.name = f"copy-{next(_numbers)}"
        self.settings = load_settings(
            bootstrap=self.bootstrap, topic_prefix=f"{self.name}-", group=self.name, partitions=PARTITIONS
        )

    def topic(self, name):
        return f"{self.name}-{name}"

    async def write(self, *, behind=0):
        """Write all topics and commit their ends, in `game-results` so many records before each end."""
        await asyncio.to_thread(make_empty, self.bootstrap, prefix=f"{self.name}-", partitions=PARTITIONS)
        async with ConfirmedProducer(self.bootstrap) as producer:
            await producer.send_all(
                OutRecord(self.topic(name), r.key, r.value, r.headers, r.partition)
                for name, records in self.records.items()
                for r in records
            )
        ends = await end_offsets(self.bootstrap, [self.topic(name) for name in SOURCES])
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self.bootstrap, group_id=self.name, enable_auto_commit=False
        )
        await consumer.start()
        try:
            places = {TopicPartition(*at): end for at, end in ends.items()}
            consumer.assign(list(places))
            late = self.topic("game-results")
            await consumer.commit(
                {at: max(0, end - behind * (at.topic == late)) for at, end in places.items()}
            )
        finally:
            await consumer.stop()

    async def report(self):
        return await verify(self.settings, begin=lambda _: None, seen=lambda _: None)

    async def forget(self, name, records=1):
        """Delete the first records of every partition of a topic."""
        ends = await end_offsets(self.bootstrap, [self.topic(name)])
        async with admin_client(self.bootstrap) as admin:
            await admin.delete_records(
                {
                    TopicPartition(*at): RecordsToDelete(before_offset=min(records, end))
                    for at, end in ends.items()
                }
            )

    def last(self, name, wanted):
        """Position and record of the last one that is wanted."""
        found = [(at, r) for at, r in enumerate(self.records[name]) if wanted(orjson.loads(r.value))]
        return found[-1]

    def change(self, name, at, **members):
        record = self.records[name][at]
        self.records[name][at] = record._replace(value=orjson.dumps(orjson.loads(record.value) | members))


@pytest.fixture
def copy(settled):
    return Copy(settled)


def newest(copy):
    """A player's newest live rating: position, data."""
    versions = {}
    for at, record in enumerate(copy.records["live-ratings"]):
        data = orjson.loads(record.value)
        if data.get("standard") and data["version"] > versions.get(record.key, (0, 0))[1]:
            versions[record.key] = (at, data["version"])
    at, _ = max(versions.values(), key=lambda found: found[1])
    return at, orjson.loads(copy.records["live-ratings"][at].value)


def test_what_a_processor_wrote_is_equal(processor):
    done = run(
        "verify", ELOWIRE_BOOTSTRAP=processor.bootstrap, ELOWIRE_TOPIC_PREFIX="whole-", ELOWIRE_GROUP="whole"
    )
    said = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (said["equal"], said["different"], said["lag"], said["left_out"]) == (True, 0, 0, 0)
    assert min(said["players"], said["sides"], said["facts"]) > 10
    assert said["partitions_without_versions"] == []


@pytest.mark.usefixtures("settled")
def test_beside_a_processor_at_work_its_unfinished_players_are_left_out(processor):
    processor.process.send_signal(signal.SIGSTOP)
    try:
        send(processor.bootstrap, inputs(2, Sizes(tournaments=1)), prefix="whole-")
        done = run(
            *("verify", "--format", "table"),
            ELOWIRE_BOOTSTRAP=processor.bootstrap,
            ELOWIRE_TOPIC_PREFIX="whole-",
            ELOWIRE_GROUP="whole",
        )
    finally:
        processor.process.send_signal(signal.SIGCONT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("equal: ")
    assert "left out: " in done.stdout
    assert "(lag " in done.stdout


async def test_a_copy_is_equal(copy):
    await copy.write()
    report = await copy.report()
    assert report.differences == []
    assert report.lag == report.left_out == 0


async def test_players_of_inputs_not_committed_yet_are_left_out(copy):
    copy.records["rated-games"] = []  # whatever the processor has not got to
    await copy.write(behind=10**6)
    report = await copy.report()
    games = {orjson.loads(record.value)["player_id"] for record in copy.records["live-ratings"]}
    assert report.lag == len(copy.records["game-results"])
    assert report.left_out > len(games) / 2


async def test_a_wrong_figure_is_named_with_its_member(copy):
    at, data = newest(copy)
    wrong = data["standard"] | {"predicted": 1}
    copy.change("live-ratings", at, standard=wrong)
    await copy.write()
    (difference,) = (await copy.report()).differences
    assert (difference.topic, difference.player_id) == ("live-ratings", data["player_id"])
    assert difference.expected == f"standard.predicted {json.dumps(data['standard']['predicted'])}"
    assert difference.found == "standard.predicted 1"
    assert difference.cause.startswith(
        "the player's log agrees with the inputs, but this was not made from it"
    )


async def test_a_version_too_many_and_a_version_too_few(copy):
    at, data = newest(copy)
    record = copy.records["live-ratings"][at]
    more = [
        (n, v) if n != "ce_id" else (n, b"%s:%d" % (record.key, data["version"] + 1))
        for n, v in record.headers
    ]
    copy.records["live-ratings"].append(record._replace(headers=more))
    missing, lost = next(
        (at, r)
        for at, r in reversed([*enumerate(copy.records["live-ratings"])])
        if r.key != record.key and orjson.loads(r.value)["version"] == 1
    )
    copy.records["live-ratings"] = [r for r in copy.records["live-ratings"] if r.key != lost.key]
    await copy.write()
    found = {d.player_id: d for d in (await copy.report()).differences}
    assert missing >= 0
    assert found.keys() == {data["player_id"], lost.key.decode()}
    assert found[data["player_id"]].found == f"counter {data['version'] + 1}"
    assert found[lost.key.decode()].found == "nothing"


async def test_one_version_with_two_contents(copy):
    at, data = newest(copy)
    copy.records["live-ratings"].append(
        copy.records["live-ratings"][at]._replace(value=orjson.dumps(data | {"changed": ["none"]}))
    )
    await copy.write()
    (difference,) = (await copy.report()).differences
    assert difference.found == 'changed ["none"]'


async def test_a_settled_side_that_is_gone_is_missed(copy):
    _, side = copy.last("rated-games", lambda data: data["status"] == "settled")
    copy.records["rated-games"] = [r for r in copy.records["rated-games"] if r.key != side.key]
    await copy.write()
    (difference,) = (await copy.report()).differences
    assert (difference.topic, difference.name) == ("rated-games", side.key.decode())
    assert difference.expected.startswith('{"counter":')
    assert difference.found == "nothing"


async def test_a_side_that_never_reached_its_player_is_the_cause_of_all_that_follows(copy):
    _, side = copy.last("player-events", lambda data: data["t"] == "side" and data.get("f") is None)
    game = orjson.loads(side.value)["g"]
    copy.records["player-events"] = [
        record
        for record in copy.records["player-events"]
        if record.key != side.key or orjson.loads(record.value).get("g") != game
    ]
    await copy.write()
    differences = (await copy.report()).differences
    lost = differences[0]
    assert (lost.topic, lost.player_id, lost.name) == ("player-events", side.key.decode(), f"side {game}")
    assert (lost.found, lost.cause) == ("nothing", "the player's log misses what the inputs say")
    assert {d.player_id for d in differences} == {side.key.decode()}
    assert {d.cause for d in differences[1:]} == {
        f"the player's log misses what the inputs say (side {game})"
    }


async def test_a_side_that_no_input_gives(copy):
    at, side = copy.last("player-events", lambda data: data["t"] == "side" and data.get("f") is None)
    data = orjson.loads(side.value)
    copy.records["player-events"].append(
        side._replace(value=orjson.dumps(data | {"g": f"{data['T']}:forged"}))
    )
    copy.change("player-events", at, x=50 if data["x"] != 50 else 100)
    await copy.write()
    found = {d.name: d for d in (await copy.report()).differences if d.topic == "player-events"}
    assert found[f"side {data['g']}"].cause == "the player's log says something else"
    assert found[f"side {data['T']}:forged"].cause == "no input gives what the player's log says"
    assert found[f"side {data['T']}:forged"].expected == "nothing"


async def test_without_the_beginning_of_the_logs_figures_are_compared_and_versions_are_not(copy):
    at, data = newest(copy)
    await copy.write()
    await copy.forget("player-events", records=10)
    equal = await copy.report()
    assert equal.differences == []
    assert equal.without_versions == [*range(PARTITIONS)]
    assert equal.ratings > 10

    copy.change("live-ratings", at, standard=data["standard"] | {"change": "99.99"})
    again = copy.records["live-ratings"][at]
    async with ConfirmedProducer(copy.bootstrap) as producer:
        headers = [
            (n, v) if n != "ce_id" else (n, b"%s:%d" % (again.key, data["version"] + 1))
            for n, v in again.headers
        ]
        await producer.send_all(
            [OutRecord(copy.topic("live-ratings"), again.key, again.value, headers, again.partition)]
        )
    (difference,) = (await copy.report()).differences
    assert difference.found == 'standard.change "99.99"'


async def test_inputs_without_their_beginning_are_refused(copy):
    await copy.write()
    await copy.forget("game-results")
    with pytest.raises(InputsCutError, match=r"game-results/\d begins at 1, expected 0"):
        await copy.report()


async def test_a_group_that_has_read_nothing_leaves_nothing_to_compare(copy):
    await copy.write()
    done = await asyncio.to_thread(
        run,
        "verify",
        ELOWIRE_BOOTSTRAP=copy.bootstrap,
        ELOWIRE_TOPIC_PREFIX=f"{copy.name}-",
        ELOWIRE_GROUP="another",
    )
    assert done.returncode == 1
    assert "nothing could be compared: the processors of group another are" in done.stderr


async def test_a_difference_is_printed_and_is_exit_status_1(copy):
    at, data = newest(copy)
    copy.change("live-ratings", at, standard=data["standard"] | {"predicted": 1})
    await copy.write()
    done = await asyncio.to_thread(
        run,
        *("verify", "--format", "table"),
        ELOWIRE_BOOTSTRAP=copy.bootstrap,
        ELOWIRE_TOPIC_PREFIX=f"{copy.name}-",
        ELOWIRE_GROUP=copy.name,
    )
    assert done.returncode == 1
    assert "standard.predicted 1" in done.stdout
    assert "different: 1 of " in done.stdout


def test_the_topics_that_are_copied_are_in_the_catalogue():
    assert set(COPIED) <= {topic.name for topic in CATALOGUE}
