"""The ticker's pages on a port of their own, over a board that a test tells what happens."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime

import orjson
import uvicorn

from elowire.ticker.api import create_app
from elowire.ticker.asides import ASIDES
from elowire.ticker.board import TOPICS, Board
from elowire.ticker.feed import Feed
from elowire.ticker.service import serving
from elowire.ticker.sources import Sources
from elowire.ticker.stream import Stream
from elowire.ticker.streaming import heartbeat_data
from tests.browser import world
from tests.ports import free_port

TOKEN = "a-token-for-this-test"  # noqa: S105 - of no other use
BEAT_S = 1.0


def now():
    return datetime.now(UTC)


class Site:
    """One ticker without Kafka: `tell` brings input events through the stages to the pages."""

    def __init__(self, stages, records):
        self.stages, self.records = stages, list(records)
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._starts = 0
        self.start()

    def start(self):
        """Begin anew from the records, as a ticker does that was restarted."""
        self._starts += 1
        self.board, self.stream = Board(), Stream(f"start{self._starts}")
        self.feed = Feed("127.0.0.1:1", self.board, self.stream)
        self._take(self._dated(self.records))
        self.feed.progress.caught_up, self.feed.progress.fault = True, None
        self.feed.progress.aside_fault = None
        sources = Sources(
            self.board,
            self.stream,
            self.feed.progress,
            now,
            letters=self.feed.asides.letters,
            token=lambda: TOKEN,
        )
        config = serving(create_app(sources))
        config.port, config.timeout_graceful_shutdown = self.port, 1
        self._server = uvicorn.Server(config)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        while not self._server.started:
            self._thread.join(0.01)

    def stop(self):
        """Go away in the middle of everything."""
        self._call(self.stream.close)
        self._server.should_exit = True
        self._thread.join()

    def tell(self, *events):
        """Something happens: input events."""
        self._arrive(world.told(self.stages, *events))

    def spoil(self, value, headers):
        """Something comes that nobody can read."""
        self._arrive(world.spoiled(self.stages, value, headers))

    def break_off(self, fault):
        """Kafka is away (a sentence), or back (None)."""
        self._call(lambda: setattr(self.feed.progress, "fault", fault))
        self._call(self._beat)

    def _arrive(self, records):
        self.records += records
        self._call(lambda: self._take(self._dated(records)))

    def _dated(self, records):
        """The stages' clock stands still; here things have just happened."""
        at = int(now().timestamp() * 1000)
        return [record._replace(timestamp=at - len(records) + place) for place, record in enumerate(records)]

    def _take(self, records):
        self.feed.take([record for record in records if record.topic in TOPICS])
        self.feed.take_asides([record for record in records if record.topic in ASIDES])

    def _beat(self):
        self.stream.beat(orjson.dumps(heartbeat_data(self.feed.progress, now)))

    def _call(self, work):
        done = threading.Event()

        def there():
            try:
                work()
            finally:
                done.set()

        self._loop.call_soon_threadsafe(there)
        done.wait(10)

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self):
        beats = asyncio.create_task(self._beats())
        await self._server._serve()  # noqa: SLF001 - without its signal handlers
        rest = {beats, *asyncio.all_tasks()} - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    async def _beats(self):
        while True:
            await asyncio.sleep(BEAT_S)
            self._beat()
