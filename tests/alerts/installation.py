"""What is broken: `elowire up` on a broker of its own, a second ticker, receivers, and games that go on."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psutil

from elowire.runtime.kafka import ConfirmedProducer, OutRecord, RecordRefusedError
from tests.bench.load import Size, facts, games
from tests.broker.acceptance.programs import Program, living, run
from tests.broker.acceptance.topics import send
from tests.broker.faults.brokers import OwnBroker
from tests.broker.faults.proxy import Proxy
from tests.deploy.watching import COMPONENTS
from tests.ports import free_ports

# More games than a run plays: when there are none left, nothing is rated and alerts stay silent.
SIZE = Size(tournaments=2_000, entrants=20, rounds=19, players=6_000)
PORTS = ("ticker", "ingest", "dispatch", *(f"{name}_admin" for name in COMPONENTS))
OTHER_RELEASE = "9.9.9"


class Door:
    """A proxy before the broker in a thread of its own; `silence` lets nothing through until `heal`."""

    def __init__(self, broker):
        self._loop = asyncio.new_event_loop()
        self._proxy = Proxy(broker.proxy_port, broker.door_port)
        self.address = self._proxy.address
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        self._do(self._proxy.__aenter__())
        return self

    def __exit__(self, *_):
        self._do(self._proxy.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def silence(self):
        self._loop.call_soon_threadsafe(self._proxy.silence)

    def heal(self):
        self._loop.call_soon_threadsafe(self._proxy.heal)

    @contextmanager
    def slow(self, delay_s):
        """Hold every chunk back."""
        before, self._proxy.delay_s = self._proxy.delay_s, delay_s
        try:
            yield
        finally:
            self._proxy.delay_s = before

    def _do(self, task):
        return asyncio.run_coroutine_threadsafe(task, self._loop).result(30)


class Receiver:
    """A receiver of webhooks that answers everything with one status."""

    def __init__(self, status):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", free_ports(1)[0]), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


class Installation:
    """Everything on one machine, with ways to hurt it."""

    def __init__(self, folder):
        self.folder = folder
        self.data = folder / "data"
        self.ports = dict(zip((f"{name}_port" for name in PORTS), free_ports(len(PORTS)), strict=True))
        self.broker = OwnBroker(folder / "kafka")
        self.bootstrap = self.broker.bootstrap
        self.door = Door(self.broker)
        self.up = None
        opening, entries = facts(SIZE, seed=1)
        self._opening, self._games = opening, games(SIZE, entries, seed=1)
        self._one_at_a_time = threading.Lock()

    def start(self):
        self.broker.start()
        self.up = Program(
            self.folder / "said",
            *("up", "--data", self.data, "--bootstrap", self.bootstrap),
            **{f"ELOWIRE_{name.upper()}": port for name, port in self.ports.items()},
            ELOWIRE_LOG_FORMAT="json",
            ELOWIRE_DISPATCH_ALLOW_HTTP="true",
            ELOWIRE_DISPATCH_ALLOWED_NETWORKS="127.0.0.1/32",
            # Kafka is silent for longer than a batch may take, and the processor is to see it.
            ELOWIRE_BATCH_S=120,
        ).until("ready; stop with Ctrl-C")
        send(self.bootstrap, self._opening)

    def stop(self):
        for stopped in (*self._family(), *([self.kafka()] if self.broker.running else [])):
            with suppress(psutil.NoSuchProcess):
                stopped.send_signal(signal.SIGCONT)
        if self.up is not None:
            self.up.end()
        self.broker.stop()

    # Who is hurt.

    def service(self, name):
        """The process of a service itself; its parent is a watcher with the same words at its end."""
        return [one for one in self._family() if one.cmdline()[1:] == ["-m", "elowire", name]][-1]

    def kafka(self):
        return self.broker.java

    def _family(self):
        if self.up is None:
            return []
        return living(self.up.family())

    def command(self, *arguments):
        done = run(*arguments, ELOWIRE_DATA_DIR=self.data, ELOWIRE_BOOTSTRAP=self.bootstrap)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def other(self, name, *arguments, bootstrap=None, **environment):
        """One more process of a service; gives it and its admin port."""
        port, admin = free_ports(2)
        program = Program(
            self.folder / "said",
            *(name, *arguments),
            ELOWIRE_BOOTSTRAP=bootstrap or self.bootstrap,
            ELOWIRE_DATA_DIR=self.folder / f"data-{admin}",
            **{f"ELOWIRE_{name.upper()}_PORT": port, f"ELOWIRE_{name.upper()}_ADMIN_PORT": admin},
            ELOWIRE_LOG_FORMAT="json",
            **environment,
        )
        return program, admin

    def other_release(self):
        """A module path on which Elowire says that it is of another release."""
        folder = self.folder / "release"
        told = folder / f"elowire-{OTHER_RELEASE}.dist-info"
        told.mkdir(parents=True, exist_ok=True)
        (told / "METADATA").write_text(f"Metadata-Version: 2.4\nName: elowire\nVersion: {OTHER_RELEASE}\n")
        return os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))

    # What it works on.

    def send(self, *records):
        send(self.bootstrap, records)

    @contextmanager
    def playing(self, *, games, every_s):
        """Games go on, so many at a time."""

        def play(over):
            while not over.wait(every_s):
                with suppress(OSError, RecordRefusedError):  # Kafka is being hurt
                    self.load(games)

        with meanwhile(play):
            yield

    def load(self, count):
        """Write so many games at once."""

        async def write(records):
            async with ConfirmedProducer(self.bootstrap, request_s=120) as producer:
                await producer.send_all(OutRecord(*record) for record in records)

        with self._one_at_a_time:
            records = list(itertools.islice(self._games, count))
            assert records, "all games are played"
            asyncio.run(write(records))


@contextmanager
def meanwhile(work):
    """Work in a thread of its own for the block; `work` is given the event that says it is over."""
    over = threading.Event()
    thread = threading.Thread(target=work, args=(over,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def frozen(process):
    """A process that does nothing, and is not gone."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGCONT)


@contextmanager
def slowed(process, *, on_s, off_s):
    """A process that is stopped and goes on again and again."""

    def turns(over):
        with suppress(psutil.NoSuchProcess):
            while not over.is_set():
                with frozen(process):
                    over.wait(off_s)
                time.sleep(on_s)

    with meanwhile(turns):
        yield
