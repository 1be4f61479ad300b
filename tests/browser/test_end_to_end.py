"""A ticker process on a real Kafka: a page moves when the topic does, and finds back after a restart."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from playwright.sync_api import expect

from elowire.runtime import topics
from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.kafka import ConfirmedProducer, OutRecord
from elowire.runtime.settings import child_environment
from elowire.runtime.topics import Shape
from tests.browser import world
from tests.ports import free_port

pytestmark = [pytest.mark.broker, pytest.mark.end_to_end]
WAIT_S = 30
# What a browser logs while the ticker is away.
GONE = ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE", "Failed to load"]


def apart(work):
    """Run a coroutine in a thread of its own: Playwright has a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(work())).result()


@pytest.fixture
def broker(tmp_path):
    with EmbeddedKafka(tmp_path / "kafka", free_port()) as kafka:
        apart(lambda: topics.apply(kafka.bootstrap, shape=Shape(partitions=2)))
        yield kafka.bootstrap


def send(bootstrap, records):
    """Write what the stages said into the topics, each record as it was."""

    async def work():
        async with ConfirmedProducer(bootstrap) as producer:
            await producer.send_all(OutRecord(one.topic, one.key, one.value, one.headers) for one in records)

    apart(work)


class Ticker:
    """One `elowire ticker`, on the same ports whenever it is started."""

    def __init__(self, bootstrap):
        self.port, self.admin_port = free_port(), free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._environment = child_environment(
            ELOWIRE_BOOTSTRAP=bootstrap,
            ELOWIRE_TICKER_PORT=str(self.port),
            ELOWIRE_TICKER_ADMIN_PORT=str(self.admin_port),
        )
        self._process = None

    def start(self):
        command = [sys.executable, "-m", "elowire", "ticker"]
        self._process = subprocess.Popen(command, env=self._environment, stderr=subprocess.DEVNULL)
        ready, until = f"http://127.0.0.1:{self.admin_port}/readyz", time.monotonic() + WAIT_S
        while time.monotonic() < until:
            with suppress(OSError), urllib.request.urlopen(ready) as answer:
                if answer.status == 200:
                    return
            time.sleep(0.1)
        raise AssertionError("the ticker is not ready")

    def kill(self):
        self._process.kill()
        self._process.wait(WAIT_S)


def test_a_page_follows_the_topics_and_survives_its_ticker(broker, evening, visit):
    stages, records = evening
    outputs = {"rating-lists", "tournament-events", "live-ratings", "rated-games", "tournament-ratings"}
    send(broker, [one for one in records if one.topic in outputs])
    ticker = Ticker(broker)
    ticker.start()
    try:
        page = visit(f"{ticker.address}/", expect=GONE)
        leader = page.locator(f"tr[data-player='{world.LEADER}']")
        expect(leader.locator("td.live")).to_contain_text("2791.8")
        news = world.told(stages, world.result_of(world.LEADER, world.ROUND, "0-1", revision=9))
        send(broker, [one for one in news if one.topic in outputs])
        expect(leader.locator("td.live")).to_contain_text("2795.0")
        ticker.kill()
        expect(page.locator(".fresh")).to_contain_text("not connected, showing the state of")
        ticker.start()

        expect(page.locator(".fresh[data-state=live]")).to_be_visible(timeout=20_000)
        expect(leader.locator("td.live")).to_contain_text("2795.0")
        page.goto(f"{ticker.address}/tournament/{world.CHAMPIONSHIP}")
        expect(page.locator("h1")).to_have_text("US Championship 2025")
    finally:
        ticker.kill()
