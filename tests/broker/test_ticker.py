from __future__ import annotations

import asyncio
import json
import signal
import sys
from contextlib import asynccontextmanager, suppress

import httpx
import orjson
import pytest

from elowire.runtime import topics
from elowire.runtime.admin import PortTakenError
from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.kafka import ConfirmedProducer, OutRecord
from elowire.runtime.settings import load_settings
from elowire.runtime.topics import Shape
from elowire.ticker.service import Ticker
from tests.ports import free_port
from tests.services.ticker.records import figures, game, line, listed, live

pytestmark = pytest.mark.broker
WAIT_S = 20


def out(topic, key, value):
    return OutRecord(topic, key.encode(), value)


WORLD = (
    out("rating-lists", "1503014", listed("1503014", standard=2839, name="Carlsen, Magnus")),
    out("rating-lists", "2020009", listed("2020009", standard=2789, name="Caruana, Fabiano")),
    out("rated-games", "2020009/g1", orjson.dumps(game("2020009", 1))),
    out(
        "live-ratings", "2020009", live("2020009", 1, game=game("2020009", 1), standard=figures(2789, "3.60"))
    ),
    out("live-ratings", "2020009", b"not json"),
    out("tournament-ratings", "open", line("2020009")),
)
NEXT = out("live-ratings", "2020009", live("2020009", 2, standard=figures(2789, "9.00")))


async def send(bootstrap, *records):
    async with ConfirmedProducer(bootstrap) as producer:
        await producer.send_all(records)


def settings_for(bootstrap):
    return load_settings(bootstrap=bootstrap, ticker_port=free_port(), ticker_admin_port=free_port())


@asynccontextmanager
async def running(settings):
    ticker = Ticker(settings)
    await ticker.start()
    try:
        async with httpx.AsyncClient(base_url=ticker.address, timeout=WAIT_S) as client:
            yield client
    finally:
        await ticker.stop()


async def ready(settings):
    address = f"http://127.0.0.1:{settings.ticker_admin_port}/readyz"
    async with httpx.AsyncClient() as client, asyncio.timeout(WAIT_S):
        while True:
            with suppress(httpx.ConnectError):
                if (await client.get(address)).status_code == 200:
                    return
            await asyncio.sleep(0.05)


async def read_events(lines, is_last):
    event = {}
    async with asyncio.timeout(WAIT_S):
        async for text in lines:
            if text:
                name, _, value = text.partition(": ")
                event[name] = value
            elif event:
                found = (event["id"], event["event"], json.loads(event["data"]))
                event = {}
                if is_last(found):
                    return found
    raise AssertionError("the stream ended")


async def test_the_board_is_read_from_the_topics_follows_them_and_is_the_same_after_a_restart(
    kafka, fresh_catalogue
):
    await fresh_catalogue()
    await send(kafka, *WORLD)
    settings = settings_for(kafka)
    async with running(settings) as client:
        await ready(settings)
        before = (await client.get("/v1/players/2020009")).json()
        async with client.stream("GET", "/v1/stream?players=2020009") as answer:
            lines = answer.aiter_lines()
            _, _, snapshot = await read_events(lines, lambda event: event[1] == "snapshot")
            await send(kafka, NEXT)
            cursor, _, change = await read_events(lines, lambda event: event[1] == "live-rating")
        after = (await client.get("/v1/players/2020009")).text
        ranking = (await client.get("/v1/live-ratings")).text
    async with running(settings) as client:
        await ready(settings)
        again = (await client.get("/v1/players/2020009")).text
        ranking_again = (await client.get("/v1/live-ratings")).text
        async with client.stream("GET", "/v1/stream", headers={"last-event-id": cursor}) as answer:
            _, first, _ = await read_events(answer.aiter_lines(), lambda _: True)

    assert (before["standard"]["live"], [one["change"] for one in before["games"]]) == ("2792.6", ["3.60"])
    assert snapshot["players"] == [before]
    assert (change["version"], change["standard"]["live"], change["standard"]["rank"]) == (2, "2798.0", 2)
    assert (again, ranking_again) == (after, ranking)
    assert first == "snapshot"


async def test_a_broker_that_goes_leaves_the_board_and_comes_back(tmp_path):
    broker = EmbeddedKafka(tmp_path / "kafka", free_port())
    await asyncio.to_thread(broker.start)
    try:
        await topics.apply(broker.bootstrap, shape=Shape(partitions=2))
        await send(broker.bootstrap, *WORLD)
        settings = settings_for(broker.bootstrap)
        async with running(settings) as client:
            await ready(settings)
            async with client.stream("GET", "/v1/stream") as answer:
                lines = answer.aiter_lines()
                await asyncio.to_thread(broker.stop)
                _, _, lost = await read_events(lines, lambda e: e[1] == "heartbeat" and e[2]["fault"])
                kept = (await client.get("/v1/players/2020009")).json()
                await asyncio.to_thread(broker.start)
                await send(broker.bootstrap, NEXT)
                await read_events(lines, lambda e: e[1] == "live-rating" and e[2]["version"] == 2)
                await read_events(lines, lambda e: e[1] == "heartbeat" and not e[2]["fault"])
    finally:
        await asyncio.to_thread(broker.stop)

    assert "no Kafka broker answers at" in lost["fault"]
    assert kept["standard"]["live"] == "2792.6"


async def test_without_a_broker_the_ticker_waits_and_says_so():
    settings = settings_for("127.0.0.1:1")
    async with running(settings) as client:
        async with asyncio.timeout(WAIT_S):
            while True:
                answer = (await client.get("/v1/players/1")).json()
                if "127.0.0.1:1" in answer["detail"]:
                    break
                await asyncio.sleep(0.05)
        async with httpx.AsyncClient() as admin:
            waits = await admin.get(f"http://127.0.0.1:{settings.ticker_admin_port}/readyz")

    assert "The board is not complete yet" in answer["detail"]
    assert (waits.status_code, list(waits.json()["waits_for"])) == (503, ["board"])


async def test_sigterm_ends_the_service_also_while_somebody_watches(kafka, fresh_catalogue):
    await fresh_catalogue()
    await send(kafka, *WORLD)
    settings = settings_for(kafka)
    flags = ("--port", settings.ticker_port, "--admin-port", settings.ticker_admin_port, "--bootstrap", kafka)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from elowire.cli import main; main()",
        "ticker",
        *map(str, flags),
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        await ready(settings)
        async with (
            asyncio.timeout(WAIT_S),
            httpx.AsyncClient(timeout=WAIT_S) as client,
            client.stream("GET", f"http://127.0.0.1:{settings.ticker_port}/v1/stream") as answer,
        ):
            lines = answer.aiter_lines()
            await read_events(lines, lambda event: event[1] == "snapshot")
            process.send_signal(signal.SIGTERM)
            assert [text async for text in lines if text] == []
        _, errors = await asyncio.wait_for(process.communicate(), WAIT_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()

    assert process.returncode == 0
    assert b"Traceback" not in errors
    assert b"ticker stopped" in errors


async def test_a_taken_port_is_named(kafka):
    settings = settings_for(kafka)
    async with running(settings):
        with pytest.raises(PortTakenError, match=str(settings.ticker_port)):
            await Ticker(settings).start()
