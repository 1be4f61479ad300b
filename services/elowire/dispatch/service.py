"""Dispatch as a service: reading, sending, HTTP and the admin port, started and stopped together."""

from __future__ import annotations

import asyncio
import signal
import socket
import sqlite3
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from secrets import randbelow

import uvicorn

from elowire.dispatch import desk
from elowire.dispatch.deliveries import prune
from elowire.dispatch.feed import Feed
from elowire.dispatch.http_app import create_app
from elowire.dispatch.http_guard import Guard
from elowire.dispatch.sender import Pace, Sender
from elowire.dispatch.service_lock import hold_of
from elowire.dispatch.service_metrics import DispatchMetrics
from elowire.dispatch.store import open_store
from elowire.dispatch.store_subscriptions import forget_down_time
from elowire.dispatch.transport import Lookup, SystemLookup, Transport, trust_of
from elowire.runtime import clock
from elowire.runtime.admin import AdminServer, PortTakenError
from elowire.runtime.bounded_http import BoundedHttp
from elowire.runtime.logs import get_logger
from elowire.runtime.metrics import Registry
from elowire.runtime.settings import InvalidSettingsError, Settings
from elowire.runtime.tasks import end

_BEAT_S = 3.0
_PRUNE_EVERY_S = 3600.0
_DRAIN_S = 5
_BACKLOG = 512
_DAY_MS = 86_400_000
_MILLION = 1_000_000

log = get_logger(__name__)


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: whoever runs dispatch decides when it stops."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def chance() -> float:
    """Return a number from 0 to 1, different each time."""
    return randbelow(_MILLION + 1) / _MILLION


class Dispatch:
    """One dispatch in this event loop; it alone may run on its data directory."""

    def __init__(
        self,
        settings: Settings,
        *,
        lookup: Lookup | None = None,
        delays_s: tuple[int, ...] | None = None,
        jitter: Callable[[], float] = chance,
    ) -> None:
        """Open the data directory. Raises `DataDirError`, `StoreError` and `InvalidSettingsError`."""
        self._settings = settings
        own = own_token(settings)
        egress = desk.egress_of(settings)
        trust = _trust(settings)
        self._store = open_store(settings.data_dir)
        self._hold = hold_of(self._store.path.parent)
        try:
            self._hold.take()
        except BaseException:
            self._store.close()
            raise
        desk.tell_egress(self._store, egress)
        with self._store.transaction() as connection:
            forget_down_time(connection, clock.now_ms())
        self._lookup = SystemLookup()
        self._transport = Transport(
            egress, lookup=lookup or self._lookup, trust=trust, timeout_s=settings.dispatch_timeout_s
        )
        registry = Registry("dispatch")
        self._feed = Feed(settings, self._store, self._wake)
        self._metrics = DispatchMetrics(registry, self._store, self._feed.progress)
        pace = Pace(settings.dispatch_places, jitter)
        if delays_s is not None:
            pace = Pace(settings.dispatch_places, jitter, delays_s)
        self._sender = Sender(self._store, self._transport, pace, self._metrics.took)
        self._app = create_app(self._store, Guard(self._store, own), egress, clock.now)
        self._admin = AdminServer(
            settings.host,
            settings.dispatch_admin_port,
            live=self._live,
            ready=self._ready,
            registry=registry,
        )
        self._server: _Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def address(self) -> str:
        """Where subscriptions are spoken of."""
        return f"http://{self._settings.host}:{self._settings.dispatch_port}/v1/subscriptions"

    async def start(self) -> None:
        """Listen, read and send; while Kafka is away what is queued still goes out.

        Raises:
            PortTakenError: something else listens on the port of dispatch, or on its admin port.

        """
        try:
            listener = _listen(self._settings.host, self._settings.dispatch_port)
            try:
                await self._admin.start()
            except BaseException:
                listener.close()
                raise
        except BaseException:
            self._close()
            raise
        await self._transport.__aenter__()
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
        self._tasks = [
            asyncio.create_task(self._server.serve([listener]), name="dispatch-http"),
            asyncio.create_task(self._feed.run(), name="dispatch-feed"),
            asyncio.create_task(self._sender.run(), name="dispatch-sender"),
            asyncio.create_task(self._beat(), name="dispatch-beat"),
        ]
        log.info("dispatch started", address=self.address)

    async def wait(self) -> None:
        """Return, or raise, when a part of dispatch ends by itself, which none should."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    async def stop(self) -> None:
        """Take no more, wait shortly for the attempts under way, and close."""
        if self._server is not None:
            self._server.should_exit = True
        await end(*self._tasks[1:])
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._sender.stop(_DRAIN_S)
        await self._transport.__aexit__()
        await self._admin.stop()
        self._close()
        log.info("dispatch stopped")

    def _close(self) -> None:
        self._lookup.close()
        self._store.close()
        self._hold.release()

    def _wake(self) -> None:
        self._sender.wake()

    async def _beat(self) -> None:
        """Keep the figures fresh and the log bounded."""
        prune_at = clock.monotonic()
        keep_ms = self._settings.dispatch_keep_days * _DAY_MS
        while True:
            # A file that cannot be used is said by the sender, which meets it more often.
            with suppress(sqlite3.Error):
                await asyncio.to_thread(self._metrics.take, self._sender, clock.now_ms())
                if clock.monotonic() >= prune_at:
                    prune_at = clock.monotonic() + _PRUNE_EVERY_S
                    await asyncio.to_thread(prune, self._store, clock.now_ms(), keep_ms=keep_ms)
            await asyncio.sleep(_BEAT_S)

    def _live(self) -> str | None:
        ended = [task.get_name() for task in self._tasks if task.done()]
        return f"{', '.join(ended)} ended" if ended else None

    def _ready(self) -> dict[str, str]:
        waits = {}
        if self._feed.progress.fault is not None:
            waits["kafka"] = self._feed.progress.fault
        if self._sender.fault is not None:
            waits["queue"] = self._sender.fault
        return waits


def own_token(settings: Settings) -> bytes | None:
    """Return the digest of the token that the settings name. Raises `InvalidSettingsError`."""
    if settings.dispatch_token is not None and settings.dispatch_token_file is not None:
        raise InvalidSettingsError(
            "ELOWIRE_DISPATCH_TOKEN_FILE: expected this or ELOWIRE_DISPATCH_TOKEN, not both; unset one"
        )
    name, token = "ELOWIRE_DISPATCH_TOKEN", None
    if settings.dispatch_token is not None:
        token = settings.dispatch_token.get_secret_value()
    elif settings.dispatch_token_file is not None:
        name = "ELOWIRE_DISPATCH_TOKEN_FILE"
        try:
            token = settings.dispatch_token_file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as fault:
            raise InvalidSettingsError(
                f"{name}: {settings.dispatch_token_file} cannot be read "
                f"({getattr(fault, 'strerror', None) or 'it is no text'}); "
                "expected a file that holds the token and nothing else"
            ) from None
    if token is None:
        return None
    if len(token) < desk.LEAST_TOKEN:
        raise InvalidSettingsError(
            f"{name}: the token has {len(token)} characters, expected {desk.LEAST_TOKEN} or more; "
            "make one with `openssl rand -hex 32`"
        )
    return desk.digest_of(token)


def run_dispatch(settings: Settings) -> None:
    """Run one dispatch until SIGTERM or SIGINT."""
    asyncio.run(_run(settings))


async def _run(settings: Settings) -> None:
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked.set)
    dispatch = Dispatch(settings)
    await dispatch.start()
    ended = asyncio.create_task(dispatch.wait())
    stopping = asyncio.create_task(asked.wait())
    try:
        await asyncio.wait([ended, stopping], return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            ended.result()
    finally:
        ended.cancel()
        stopping.cancel()
        await dispatch.stop()


def _trust(settings: Settings) -> ssl.SSLContext:
    ca_file = settings.dispatch_ca_file
    try:
        return trust_of(None if ca_file is None else str(ca_file))
    except OSError as fault:
        raise InvalidSettingsError(
            f"ELOWIRE_DISPATCH_CA_FILE: {ca_file} cannot be used ({fault.strerror or fault}); "
            "expected a PEM file with the certificates of authorities"
        ) from None


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
            f"dispatch cannot listen on {host}:{port} ({error.strerror}). "
            "Free the port, or choose another with ELOWIRE_DISPATCH_PORT"
        ) from error
    listener.setblocking(False)  # noqa: FBT003 - the standard library's own signature

    return listener
