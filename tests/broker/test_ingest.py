"""Ingest as a service on a real broker: what it acknowledges is in the topics, whatever becomes of Kafka."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import asynccontextmanager

import httpx
import pytest

from elowire.contracts.envelope import decode
from elowire.contracts.topics import GAME_RESULTS, TOURNAMENT_EVENTS
from elowire.contracts.vocabulary import Result
from elowire.ingest.corrections import Entity
from elowire.ingest.corrections_work import Desk, Word, correct_game, release_entity
from elowire.ingest.identities import Stated
from elowire.ingest.identities_work import identify, merge, waiting
from elowire.ingest.service import Ingest
from elowire.ingest.service_store import Store
from elowire.ingest.signatures import key_of, sign
from elowire.ingest.sources import WebhookSource, changed_sources, made_secret
from elowire.runtime import clock, topics
from elowire.runtime.admin import PortTakenError
from elowire.runtime.data_dir import open_data_dir
from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.kafka import ConfirmedProducer, KafkaUnreachableError, OutRecord, admin_client, read_all
from elowire.runtime.settings import load_settings
from elowire.runtime.topics import Shape
from tests.broker.faults.brokers import OwnBroker
from tests.ports import free_ports
from tests.services.ingest_http.broadcasting import Played, pgn, served, source
from tests.services.ingest_http.door import event
from tests.stages.driver import Lane

pytestmark = pytest.mark.broker
WAIT_S = 40
WORD = Word("alice", "a test")


class Sender:
    """Signs and sends to a running service."""

    def __init__(self, address, secret, client):
        self.address, self.key, self.client = address, key_of(secret), client

    async def send(self, content, webhook_id):
        body = json.dumps(content).encode()
        at = int(time.time())
        headers = {
            "content-type": "application/json",
            "webhook-id": webhook_id,
            "webhook-timestamp": str(at),
            "webhook-signature": sign(self.key, webhook_id, at, body),
        }
        return await self.client.post(self.address, content=body, headers=headers)


def settings_for(folder, bootstrap):
    port, admin_port = free_ports(2)
    return load_settings(bootstrap=bootstrap, data_dir=folder, ingest_port=port, ingest_admin_port=admin_port)


@asynccontextmanager
async def running(settings, broadcasts=()):
    path = open_data_dir(settings.data_dir) / "sources.json"
    secret = made_secret(b"s" * 32, clock.now())
    with changed_sources(path) as held:
        if not held[0].sources:
            held[0] = held[0].with_source(WebhookSource(name="club", secrets=(secret,)))
            for one in broadcasts:
                held[0] = held[0].with_source(one)
    ingest = Ingest(settings)
    await ingest.start()
    try:
        async with httpx.AsyncClient(timeout=WAIT_S) as client:
            yield Sender(ingest.address, secret.secret.get_secret_value(), client)
    finally:
        await ingest.stop()


async def events_in(bootstrap, tournament_id):
    names = [TOURNAMENT_EVENTS.name, GAME_RESULTS.name]
    records = [record async for batch in read_all(bootstrap, names) for record in batch]
    key = tournament_id.encode()
    return [decode(r.topic, r.key, r.value, r.headers) for r in records if r.key == key]


@pytest.fixture
async def cluster(kafka, fresh_catalogue):
    await fresh_catalogue()
    return kafka


async def until(met):
    async with asyncio.timeout(WAIT_S):
        while not (found := await met()):
            await asyncio.sleep(0.1)
        return found


async def test_what_is_acknowledged_is_in_the_topics_also_after_a_restart_and_a_repeat(cluster, tmp_path):
    settings = settings_for(tmp_path / "data", cluster)
    async with running(settings) as sender:
        first = await sender.send([event(1), event(2, {"game_id": "1.2"})], "m-1")
    async with running(settings) as sender:
        again = await sender.send([event(1), event(2, {"game_id": "1.2"})], "m-1")
        other = await sender.send(event(3, {"game_id": "1.3"}), "m-2")
    found = await events_in(cluster, "club-open")

    assert [answer.status_code for answer in (first, again, other)] == [202, 202, 202]
    assert (first.json()["repeated"], again.json()["repeated"]) == (False, True)
    assert [one.event_id for one in found] == ["g-1", "g-2", "g-3"]


async def test_many_at_once_are_all_there_and_none_twice(cluster, tmp_path):
    settings = settings_for(tmp_path / "data", cluster)
    async with running(settings) as sender:
        work = [sender.send(event(n, {"game_id": f"1.{n}"}), f"m-{n}") for n in range(50)]
        repeats = [sender.send(event(n, {"game_id": f"1.{n}"}), f"m-{n}") for n in range(50)]
        answers = await asyncio.gather(*work, *repeats)
        busy = [answer for answer in answers if answer.status_code == 503]
        sent = [await sender.send(event(n, {"game_id": f"1.{n}"}), f"m-{n}") for n in range(50)]
    found = await events_in(cluster, "club-open")

    assert {answer.status_code for answer in answers} <= {202, 503}
    assert all(answer.headers["retry-after"] == "1" for answer in busy)
    assert {answer.status_code for answer in sent} == {202}
    assert sorted(one.event_id for one in found) == sorted(f"g-{n}" for n in range(50))


async def test_a_broker_that_goes_is_503_and_what_was_refused_is_taken_when_it_is_back(tmp_path):
    (port,) = free_ports(1)
    broker = EmbeddedKafka(tmp_path / "kafka", port)
    await asyncio.to_thread(broker.start)
    try:
        await topics.apply(load_settings(bootstrap=broker.bootstrap), shape=Shape(partitions=2))
        settings = settings_for(tmp_path / "data", broker.bootstrap)
        async with running(settings) as sender:
            before = await sender.send(event(1), "m-1")
            await asyncio.to_thread(broker.stop)
            during = await sender.send(event(2, {"game_id": "1.2"}), "m-2")
            started = time.monotonic()
            at_once = await sender.send(event(3, {"game_id": "1.3"}), "m-3")
            waited = time.monotonic() - started
            admin = await sender.client.get(f"http://127.0.0.1:{settings.ingest_admin_port}/readyz")
            await asyncio.to_thread(broker.start)

            async def taken():
                return (await sender.send(event(2, {"game_id": "1.2"}), "m-2")).status_code == 202

            await until(taken)
            found = await events_in(broker.bootstrap, "club-open")
    finally:
        await asyncio.to_thread(broker.stop)

    assert (before.status_code, during.status_code, at_once.status_code) == (202, 503, 503)
    assert int(during.headers["retry-after"]) > 0
    assert waited < 25
    assert (admin.status_code, list(admin.json()["waits_for"])) == (503, ["kafka"])
    # At least once: what was refused may have been written all the same.
    assert {one.event_id for one in found} >= {"g-1", "g-2"}


async def test_a_broker_that_falls_silent_is_noticed_though_nobody_sends(tmp_path):
    broker = OwnBroker(tmp_path / "kafka")
    await asyncio.to_thread(broker.start)
    java = broker.java
    try:
        await topics.apply(load_settings(bootstrap=broker.bootstrap), shape=Shape(partitions=2))
        settings = settings_for(tmp_path / "data", broker.bootstrap)

        async with running(settings) as sender:

            async def waits_for():
                answer = await sender.client.get(f"http://127.0.0.1:{settings.ingest_admin_port}/readyz")
                return answer.json().get("waits_for")

            async def noticed():
                return "kafka" in (await waits_for() or {})

            async def well():
                return not await waits_for()

            await until(well)
            java.suspend()
            await until(noticed)
            java.resume()
            await until(well)
    finally:
        java.resume()
        await asyncio.to_thread(broker.stop)


async def test_a_broker_that_leaves_in_the_middle_of_a_question_cannot_be_reached(tmp_path):
    broker = OwnBroker(tmp_path / "kafka")

    async def ask():
        async with admin_client(broker.bootstrap) as admin:
            await asyncio.to_thread(broker.kill)
            await admin.list_topics()

    await asyncio.to_thread(broker.start)
    try:
        with pytest.raises(KafkaUnreachableError):
            await ask()
    finally:
        await asyncio.to_thread(broker.stop)


async def test_without_topics_it_is_503_with_the_command_that_creates_them(tmp_path, kafka, fresh_catalogue):
    await fresh_catalogue()
    settings = settings_for(tmp_path / "data", kafka).model_copy(update={"bootstrap": "127.0.0.1:1"})
    async with running(settings) as sender:
        answer = await sender.send(event(1), "m-1")

    assert answer.status_code == 503
    assert "127.0.0.1:1" in answer.json()["detail"]


async def test_a_broadcast_that_is_added_is_followed_and_its_results_are_in_the_topics(cluster, tmp_path):
    played = Played([pgn(1), pgn(2), 2.0, pgn(1, "1-0")], [pgn(1, "1-0"), pgn(2, "0-1"), 60.0])
    async with served(played) as address:
        settings = settings_for(tmp_path / "data", cluster)
        async with running(settings, [source(address, silence_s=60.0)]) as sender:

            async def results():
                found = [one.data for one in await events_in(cluster, "open") if hasattr(one.data, "game_id")]
                return found if len(found) >= 4 else None

            async def well():
                address = f"http://127.0.0.1:{settings.ingest_admin_port}/metrics"
                metrics = await sender.client.get(address)
                return 'elowire_ingest_broadcast_alarm{source="round"} 0.0' in metrics.text

            games = await until(results)
            await until(well)

    assert [(game.game_id, str(game.result)) for game in games] == [
        ("gam00001", "*"),
        ("gam00002", "*"),
        ("gam00001", "1-0"),
        ("gam00002", "0-1"),
    ]


async def test_a_correction_outranks_later_copies_until_its_release_and_an_entrant_is_identified_late(
    cluster, tmp_path
):
    settings = settings_for(tmp_path / "data", cluster)
    nameless = {"white": {"entrant_id": "name:doe", "name": "Doe, Jane"}}
    async with running(settings) as sender:
        start = {"starts_on": "2025-10-12", "ends_on": "2025-10-20", "status": "running", "system": "swiss"}
        tournament = {"tournament_id": "club-open", "revision": 1, "name": "Open", "time_control": "standard"}
        await sender.send(
            [
                event(10, type="elowire.tournament.v1") | {"data": tournament | start},
                *(entrant(player) for player in ("1503014", "2016192")),
                event(1),
                event(2, {"game_id": "2.1", **nameless}),
            ],
            "m-1",
        )  # fmt: skip
        store = Store(settings.data_dir / "ingest.sqlite")

        async def send(records):
            async with ConfirmedProducer(settings) as producer:
                await producer.send_all(OutRecord(*record) for record in records)

        desk = Desk(settings, store, send, clock.now)
        book = tmp_path / "no-book.sqlite"
        before = await waiting(desk, book, None)
        await correct_game(desk, "club-open", "1.1", result=Result.DRAW, status=None, word=WORD)
        held = await sender.send(event(1, {"revision": 2, "result": "0-1"}), "m-2")
        corrected = changes(await events_in(cluster, "club-open"))
        stated = Stated(rating=2400, k=10)
        await identify(desk, book, "club-open", "name:doe", "77", stated=stated, word=WORD)
        identified = changes(await events_in(cluster, "club-open"))
        await release_entity(desk, Entity("club-open", "game", "1.1"), WORD)
        released = changes(await events_in(cluster, "club-open"))
        await merge(desk, book, "77", "78", WORD)
        merged = changes(await events_in(cluster, "club-open"))
        store.close()

    assert [(one.entry.entrant_id, one.entry.games) for one in before] == [("name:doe", 1)]
    assert held.json()["held_by_corrections"] == 1
    # Equal ratings, K 10: half a point is 0.00, a win 5.00.
    assert corrected == {"1503014": "0.00", "2016192": "0.00"}
    assert identified == {"1503014": "0.00", "2016192": "-5.00", "77": "5.00"}
    assert released == {"1503014": "-5.00", "2016192": "0.00", "77": "5.00"}
    assert {player: change for player, change in merged.items() if change != "0.00"} == {
        "1503014": "-5.00",
        "78": "5.00",
    }


def entrant(player_id):
    facts = {"player_id": player_id, "rating": 2400, "k": 10}
    data = {"tournament_id": "club-open", "revision": 1, **facts}
    return event(int(player_id), type="elowire.entrant.v1") | {"data": data}


def changes(events):
    """What the stages make of the events: player -> pending change."""
    lane = Lane()
    lane.feed([(one.event_id, one.data) for one in events])
    found = {}
    for record in lane.all("live-ratings"):
        data = json.loads(record.value)
        found[data["player_id"]] = data["standard"]["change"]
    return found


async def test_a_taken_port_is_named(tmp_path):
    settings = settings_for(tmp_path / "data", "127.0.0.1:1")
    async with running(settings):
        with pytest.raises(PortTakenError, match="ELOWIRE_INGEST_PORT"):
            async with running(settings):
                pass
