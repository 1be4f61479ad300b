"""Ingest as a service: HTTP, the broadcasts that it follows, Kafka and the admin port, started together."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn

from elowire.ingest.book import FILE as BOOK
from elowire.ingest.broadcast_follow import Followers
from elowire.ingest.corrections_work import Desk
from elowire.ingest.entrants_page import page_of
from elowire.ingest.http_app import create_app
from elowire.ingest.http_guard import Guard, Limits, Watched
from elowire.ingest.service_intake import Intake
from elowire.ingest.service_metrics import IngestMetrics
from elowire.ingest.service_outbox import KafkaAwayError, Outbox
from elowire.ingest.service_store import FILE as STORE
from elowire.ingest.service_store import Store
from elowire.ingest.sources import FILE as SOURCES
from elowire.ingest.sources import SourcesError
from elowire.runtime import clock
from elowire.runtime.admin import AdminServer, PortTakenError
from elowire.runtime.bounded_http import BoundedHttp
from elowire.runtime.data_dir import open_data_dir
from elowire.runtime.logs import get_logger
from elowire.runtime.metrics import Registry
from elowire.runtime.settings import Settings
from elowire.runtime.tasks import end

_BEAT_S = 3.0
_DRAIN_S = 15
_BACKLOG = 512
# Senders try again for three days; their ids are remembered longer.
_REMEMBERED_MS = 14 * 86_400_000
_FORGET_EVERY_S = 3600.0

log = get_logger(__name__)


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: whoever runs ingest decides when it stops."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Ingest:
    """One ingest in this event loop, on one data directory."""

    def __init__(self, settings: Settings, *, limits: Limits | None = None) -> None:
        """Open the data directory. Raises `DataDirError` and `StoreError`."""
        self._settings = settings
        folder = open_data_dir(settings.data_dir)
        self._store = Store(folder / STORE)
        self._sources = Watched(folder / SOURCES)
        self._outbox = Outbox(settings)
        self._intake = Intake(self._store, self._outbox, folder / BOOK, clock.now)
        self._guard = Guard(self._sources, self._store, clock.now, limits or Limits())
        desk = Desk(settings, self._store, self._outbox.send, clock.now)
        self._app = create_app(self._guard, self._intake, desk)
        registry = Registry("ingest")
        self._metrics = IngestMetrics(registry, self._guard, self._intake, self._outbox)
        self._admin = AdminServer(
            settings.host,
            settings.ingest_admin_port,
            live=self._live,
            ready=self._ready,
            registry=registry,
            pages={"/entrants": self._entrants},
        )
        self._followers = Followers(self._intake)
        self._server: _Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def address(self) -> str:
        """Where events are sent to."""
        return f"http://{self._settings.host}:{self._settings.ingest_port}/v1/events"

    async def start(self) -> None:
        """Listen; while Kafka is away requests are answered with 503.

        Raises:
            PortTakenError: something else listens on the port of ingest, or on its admin port.

        """
        listener = _listen(self._settings.host, self._settings.ingest_port)
        self._server = _Server(
            uvicorn.Config(
                self._app,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_DRAIN_S,
                http=BoundedHttp,
            )
        )
        try:
            await self._admin.start()
        except BaseException:
            listener.close()
            raise
        self._tasks = [
            asyncio.create_task(self._server.serve([listener]), name="ingest-http"),
            asyncio.create_task(self._beat(), name="ingest-beat"),
        ]
        log.info("ingest started", address=self.address)

    async def wait(self) -> None:
        """Return, or raise, when a part of ingest ends by itself, which none should."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    async def stop(self) -> None:
        """Finish the answers under way, and close."""
        if self._server is not None:
            self._server.should_exit = True
        await end(*self._tasks[1:])
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._followers.stop()
        await self._outbox.close()
        await self._admin.stop()
        self._store.close()
        log.info("ingest stopped")

    async def _beat(self) -> None:
        """Keep the connection to Kafka known, the figures fresh and the memory of requests bounded."""
        forget_at = clock.monotonic()
        while True:
            with suppress(KafkaAwayError):
                await self._outbox.connect()
            with suppress(SourcesError):
                await self._followers.follow(self._sources.now().broadcasts())
            with suppress(KafkaAwayError):
                await self._intake.follow_book()
            await asyncio.to_thread(self._metrics.take, self._followers.alarms(), self._followers.newest())
            if clock.monotonic() >= forget_at:
                await asyncio.to_thread(self._store.forget_deliveries, clock.now_ms() - _REMEMBERED_MS)
                forget_at = clock.monotonic() + _FORGET_EVERY_S
            await asyncio.sleep(_BEAT_S)

    async def _entrants(self) -> str:
        return await asyncio.to_thread(page_of, self._store, self._intake.book)

    def _live(self) -> str | None:
        ended = [task.get_name() for task in self._tasks if task.done()]
        return f"{', '.join(ended)} ended" if ended else None

    def _ready(self) -> dict[str, str]:
        waits = {}
        if self._outbox.fault is not None:
            waits["kafka"] = self._outbox.fault
        if self._sources.fault is not None:
            waits["sources"] = self._sources.fault
        return waits


def run_ingest(settings: Settings) -> None:
    """Run one ingest until SIGTERM or SIGINT."""
    asyncio.run(_run(settings))


async def _run(settings: Settings) -> None:
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked.set)
    ingest = Ingest(settings)
    await ingest.start()
    ended = asyncio.create_task(ingest.wait())
    stopping = asyncio.create_task(asked.wait())
    try:
        await asyncio.wait([ended, stopping], return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            ended.result()
    finally:
        ended.cancel()
        stopping.cancel()
        await ingest.stop()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise PortTakenError(
            f"ingest cannot listen on {host}:{port} ({error.strerror}). "
            "Free the port, or choose another with ELOWIRE_INGEST_PORT"
        ) from error
    listener.setblocking(False)  # noqa: FBT003 - the standard library's own signature

    return listener
