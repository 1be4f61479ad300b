"""Dispatch as a process on a real broker: whatever is killed, every change arrives, and in order."""

from __future__ import annotations

import asyncio
import json
import random

import httpx
import orjson
import pytest

from elowire.runtime import topics
from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.kafka import ConfirmedProducer, OutRecord
from elowire.runtime.topics import Shape
from tests.broker.acceptance.programs import Program, is_ready, run, wait_until
from tests.ports import free_ports
from tests.services.dispatch.sending import Receiver, live_record, record

pytestmark = pytest.mark.broker
WAIT_S = 60
PLAYERS = [str(1_500_000 + number) for number in range(20)]


class Dispatch(Program):
    """`elowire dispatch` on a data directory, which a later one may take over."""

    def __init__(self, folder, bootstrap, **more):
        self.folder, self.data = folder, folder / "data"
        self.port, self.admin_port = free_ports(2)
        self.environment = {
            "ELOWIRE_BOOTSTRAP": bootstrap,
            "ELOWIRE_DATA_DIR": self.data,
            "ELOWIRE_DISPATCH_PORT": self.port,
            "ELOWIRE_DISPATCH_ADMIN_PORT": self.admin_port,
            "ELOWIRE_DISPATCH_ALLOW_HTTP": "true",
            "ELOWIRE_DISPATCH_ALLOWED_NETWORKS": "127.0.0.0/8",
            "ELOWIRE_LOG_FORMAT": "json",
            **more,
        }
        super().__init__(folder / "said", "dispatch", **self.environment)

    def ready(self):
        wait_until(lambda: is_ready(self.admin_port), WAIT_S, lambda: f"ready: {self.err}")
        return self

    def again(self):
        """Start the next one on the same data."""
        following = Dispatch.__new__(Dispatch)
        following.__dict__.update(self.__dict__)
        Program.__init__(following, self.folder / "said", "dispatch", **self.environment)
        return following

    def command(self, *arguments):
        done = run("subscriptions", *arguments, "--data", self.data)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout) if done.stdout else None

    def figure(self, name):
        """The sum of a metric over its labels."""
        text = httpx.get(f"http://127.0.0.1:{self.admin_port}/metrics", timeout=5).text
        values = [float(line.split()[-1]) for line in text.splitlines() if line.startswith(name)]
        return sum(values)


@pytest.fixture
async def cluster(kafka, fresh_catalogue):
    await fresh_catalogue()
    return kafka


@pytest.fixture
def start(tmp_path):
    """Start dispatches and receivers; whatever is left of them at the end is killed."""
    started = []

    def make(bootstrap, **more):
        started.append(Dispatch(tmp_path / "dispatch", bootstrap, **more))
        return started[-1].ready()

    def following(before):
        started.append(before.again())
        return started[-1]

    make.again = following
    yield make
    for program in started:
        program.end()


@pytest.fixture
def make_receiver(tmp_path):
    started = []

    def make(**more):
        started.append(Receiver(tmp_path / "receivers", **more))
        return started[-1]

    yield make
    for one in started:
        one.kill()


def out(given):
    return OutRecord(given.topic, given.key, given.value, given.headers)


async def send(bootstrap, *records):
    async with ConfirmedProducer(bootstrap) as producer:
        await producer.send_all([out(one) for one in records])


def listed(player, federation):
    data = {"player_id": player, "list": "2025-10", "revision": 1, "federation": federation}
    return record("rating-lists", data, "x", "elowire.published-rating.v1", player)


def subscribe(dispatch, name, receiver, *filters, path="ok"):
    secret = dispatch.command("add", name, receiver.url(path), *filters)["secret"]
    receiver.secrets.write_text(receiver.secrets.read_text() + "\n" + secret)
    receiver.kill()
    receiver.start()


def in_order(versions):
    """The versions without repeats of those that were sent twice; repeats may only follow at once."""
    return list(dict.fromkeys(versions))


async def test_what_changes_arrives_signed_filtered_and_as_the_topics_have_it(cluster, start, make_receiver):
    every, norway = make_receiver(), make_receiver()
    await send(cluster, live_record("7", 1), listed("8", "NOR"))
    dispatch = start(cluster)
    subscribe(dispatch, "every", every, "--kind", "live-rating", "--kind", "tournament-rating")
    subscribe(dispatch, "norway", norway, "--federation", "NOR")
    line = {"tournament_id": "open", "entrant_id": "9", "player_id": "9", "revision": 1, "change": "3.60"}
    await send(
        cluster,
        live_record("7", 2),
        # The line of the list comes with the rating that rests on it.
        listed("9", "NOR"),
        live_record("9", 1),
        live_record("8", 1),
        record("tournament-ratings", line, "open:9:1", "elowire.tournament-rating.v1", "open"),
        live_record("7", 2),
    )
    wait_until(lambda: len(every.requests) == 4 and len(norway.requests) == 2, WAIT_S, lambda: dispatch.err)
    await asyncio.sleep(1)
    shown = dispatch.command("show", "every")

    ids = sorted(one["event"]["id"] for one in every.requests)
    assert ids == ["7:2", "8:1", "9:1", "open:9:1"]
    assert sorted(norway.versions()) == ["8", "9"]
    assert all(one["verified"] for one in every.requests + norway.requests)
    sent = next(one for one in every.requests if one["event"]["id"] == "7:2")["event"]["data"]
    assert sent == orjson.loads(live_record("7", 2).value)
    assert shown["deliveries"] == {"queued": 0, "delivered": 4, "failed": 0}
    assert "whsec_" not in dispatch.err + json.dumps(shown)


async def test_kill_9_of_dispatch_and_of_the_receiver_loses_nothing_and_keeps_the_order(
    cluster, start, make_receiver
):
    chance = random.Random(7)
    receiver = make_receiver()
    dispatch = start(cluster)
    subscribe(dispatch, "club", receiver)
    expected = {player: [] for player in PLAYERS}
    for turn in range(6):
        records = []
        for _ in range(200):
            player = chance.choice(PLAYERS)
            expected[player].append(len(expected[player]) + 1)
            records.append(live_record(player, expected[player][-1]))
        await send(cluster, *records)
        await asyncio.sleep(chance.random() * 0.6)
        if turn % 2:
            receiver.kill()
            await asyncio.sleep(0.3)
            receiver.start()
        dispatch.process.kill()
        dispatch.process.wait()
        dispatch = start.again(dispatch)
        await asyncio.sleep(chance.random())
    dispatch.ready()

    def complete():
        found = receiver.versions()
        return all(set(versions) == set(found.get(player, ())) for player, versions in expected.items())

    wait_until(complete, 120, lambda: dispatch.err[-3000:])
    wait_until(lambda: dispatch.command("show", "club")["deliveries"]["queued"] == 0, WAIT_S, "queue empty")
    shown = dispatch.command("show", "club")
    found = receiver.versions()

    assert {player: in_order(found[player]) for player in PLAYERS} == expected
    # A delivery may come twice after a kill, but never after a later one of its player was taken.
    assert all(found[player] == sorted(found[player]) for player in PLAYERS)
    assert all(one["verified"] for one in receiver.requests)
    assert shown["deliveries"]["delivered"] == 1200
    ids = {(one["event"]["id"], one["webhook_id"]) for one in receiver.requests}
    assert len(ids) == 1200


async def test_a_broker_that_goes_and_comes_back_is_waited_out(tmp_path, start, make_receiver):

    receiver = make_receiver()
    broker = EmbeddedKafka(tmp_path / "kafka", free_ports(1)[0])
    broker.start()
    try:
        await topics.apply(broker.bootstrap, shape=Shape(partitions=2))
        dispatch = start(broker.bootstrap)
        subscribe(dispatch, "club", receiver)
        await send(broker.bootstrap, live_record("1", 1))
        wait_until(lambda: receiver.versions() == {"1": [1]}, WAIT_S, lambda: dispatch.err)
        broker.stop()
        wait_until(lambda: not is_ready(dispatch.admin_port), WAIT_S, "not ready")
        tested = dispatch.command("test", "club")
        broker.start()
        await send(broker.bootstrap, live_record("1", 2))
        arrived = [one for one in receiver.requests if one["event"]["type"] == "elowire.webhook-test.v1"]
        wait_until(
            lambda: [one["event"]["id"] for one in receiver.requests if one not in arrived] == ["1:1", "1:2"],
            WAIT_S,
            lambda: dispatch.err,
        )
        wait_until(lambda: is_ready(dispatch.admin_port), WAIT_S, "ready again")
        status = dispatch.ask_to_stop()
    finally:
        broker.stop()

    assert tested["state"] == "delivered"
    assert status == 0
    assert "Traceback" not in dispatch.err


async def test_subscriptions_over_http_with_a_token(cluster, start, make_receiver):
    receiver = make_receiver()
    dispatch = start(cluster, ELOWIRE_DISPATCH_TOKEN="t" * 32)
    address = f"http://127.0.0.1:{dispatch.port}/v1/subscriptions"
    secret = receiver.secrets.read_text()
    wanted = {"name": "club", "url": receiver.url(), "secret": secret, "filters": {"players": ["1"]}}
    headers = {"authorization": "Bearer " + "t" * 32}
    async with httpx.AsyncClient() as client:
        made = await client.post(address, json=wanted, headers=headers)
        stranger = await client.get(address)
    await send(cluster, live_record("1", 1), live_record("2", 1))
    wait_until(lambda: receiver.requests, WAIT_S, lambda: dispatch.err)

    def delivered():
        answer = httpx.get(f"{address}/club/deliveries", headers=headers).json()["deliveries"]
        return [one["event_id"] for one in answer if one["state"] == "delivered"]

    wait_until(lambda: delivered() == ["1:1"], WAIT_S, "delivered")
    wait_until(lambda: dispatch.figure("elowire_dispatch_attempts_total") == 1, WAIT_S, "counted")

    assert (made.status_code, stranger.status_code) == (201, 401)
    assert secret not in made.text + dispatch.err
    assert "t" * 32 not in dispatch.err
    assert receiver.requests[0]["verified"]


def test_a_bad_setting_ends_it_with_one_sentence(tmp_path):
    done = run("dispatch", ELOWIRE_DATA_DIR=tmp_path, ELOWIRE_DISPATCH_ALLOWED_NETWORKS="10.0.0.1/8")

    assert done.returncode == 1
    assert done.stderr.startswith("elowire: ELOWIRE_DISPATCH_ALLOWED_NETWORKS: 10.0.0.1/8 has host bits set")
    assert "expected networks" in done.stderr
    assert "Traceback" not in done.stderr
