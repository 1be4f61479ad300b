"""The ticker as a service: board, feed, HTTP and admin port, started and stopped together."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex

import orjson
import uvicorn
import uvloop
from fastapi import FastAPI

from elowire.runtime import clock
from elowire.runtime.admin import AdminServer, PortTakenError
from elowire.runtime.logs import get_logger
from elowire.runtime.metrics import Registry
from elowire.runtime.settings import Settings
from elowire.runtime.tasks import end
from elowire.ticker.api import create_app
from elowire.ticker.board import Board
from elowire.ticker.event_stream import CLOSES_STUCK, SEND_S
from elowire.ticker.feed import Feed
from elowire.ticker.metrics import TickerMetrics
from elowire.ticker.sources import Sources
from elowire.ticker.stream import Stream
from elowire.ticker.streaming import heartbeat_data
from elowire.ticker.wires import WiredHttp, WiredWebSocket

_BEAT_S = 5.0
_DRAIN_S = 5
_BACKLOG = 2048
# Clients of the stream have nothing to say.
_MOST_MESSAGE = 1_024

log = get_logger(__name__)


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: whoever runs the ticker decides when it stops."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Ticker:
    """One ticker in this event loop; any number of them may read the same topics."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stream = Stream(f"{clock.now_ms():x}{token_hex(2)}")
        self._board = Board()
        self._feed = Feed(settings, self._board, self._stream)
        registry = Registry("ticker")
        self._metrics = TickerMetrics(registry, self._board, self._feed.progress, self._stream)
        self._admin = AdminServer(
            settings.host,
            settings.ticker_admin_port,
            live=self._live,
            ready=self._ready,
            registry=registry,
        )
        self._server: _Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{self._settings.host}:{self._settings.ticker_port}/"

    async def start(self) -> None:
        """Listen and begin to read; answers are 503 until the board is complete.

        Raises:
            PortTakenError: something else listens on the ticker's port, or on its admin port.

        """
        listener = _listen(self._settings.host, self._settings.ticker_port)
        app = create_app(
            Sources(
                self._board,
                self._stream,
                self._feed.progress,
                clock.now,
                letters=self._feed.asides.letters,
                origins=_origins(self._settings.ticker_cors_origins),
                token=lambda: _token(self._settings),
            )
        )
        self._server = _Server(serving(app))
        try:
            await self._admin.start()
        except BaseException:
            listener.close()
            raise
        self._tasks = [
            asyncio.create_task(self._server.serve([listener]), name="ticker-http"),
            asyncio.create_task(self._feed.run(), name="ticker-feed"),
            asyncio.create_task(self._beat(), name="ticker-heartbeat"),
            asyncio.create_task(self._feed.tidy(), name="ticker-tidying"),
        ]
        log.info("ticker started", address=self.address)

    async def wait(self) -> None:
        """Return, or raise, when a part of the ticker ends by itself, which none should."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    async def stop(self) -> None:
        """Let watchers go, finish answers under way, and close."""
        self._stream.close()
        if self._server is not None:
            self._server.should_exit = True
        await end(*self._tasks[1:])
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._admin.stop()
        log.info("ticker stopped")

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT_S)
            self._metrics.take()
            self._stream.beat(orjson.dumps(heartbeat_data(self._feed.progress, clock.now)))

    def _live(self) -> str | None:
        ended = [task.get_name() for task in self._tasks if task.done()]
        return f"{', '.join(ended)} ended" if ended else None

    def _ready(self) -> dict[str, str]:
        if self._feed.progress.caught_up:
            return {}
        return {"board": f"still being read from Kafka: {self._feed.progress.fault or 'reading'}"}


def serving(app: FastAPI) -> uvicorn.Config:
    """Say how the ticker's application is served."""
    return uvicorn.Config(
        app,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_DRAIN_S,
        http=WiredHttp,
        ws=WiredWebSocket,
        ws_max_size=_MOST_MESSAGE,
        ws_per_message_deflate=False,
    )


def run_ticker(settings: Settings) -> None:
    """Run one ticker until SIGTERM or SIGINT."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run(settings))


async def _run(settings: Settings) -> None:
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked.set)
    ticker = Ticker(settings)
    await ticker.start()
    ended = asyncio.create_task(ticker.wait())
    stopping = asyncio.create_task(asked.wait())
    try:
        await asyncio.wait([ended, stopping], return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            ended.result()
    finally:
        ended.cancel()
        stopping.cancel()
        await ticker.stop()


def _origins(text: str) -> tuple[str, ...]:
    return tuple(one.strip().rstrip("/") for one in text.split(",") if one.strip())


def _token(settings: Settings) -> str | None:
    """Read the operator's token; a file is read anew each time, so that it can be changed."""
    if settings.ticker_token_file is not None:
        try:
            return settings.ticker_token_file.read_text("utf-8").strip()
        except OSError as fault:
            log.warning("the token of the operator page cannot be read", reason=fault.strerror)
            return None

    return None if settings.ticker_token is None else settings.ticker_token.get_secret_value()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if CLOSES_STUCK:
            # Connections inherit it: who takes no byte for so long is cut off, also with a window of zero.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(SEND_S * 1000))
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise PortTakenError(
            f"the ticker cannot listen on {host}:{port} ({error.strerror}). "
            "Free the port, or choose another with ELOWIRE_TICKER_PORT"
        ) from error
    listener.setblocking(False)  # noqa: FBT003 - the standard library's own signature

    return listener
