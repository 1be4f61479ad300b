"""What is wrong inside: processes, Kafka, too much work. Each breaks, waits at its `yield`, and mends."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from contextlib import ExitStack, contextmanager

import psutil

from elowire.contracts.topics import CATALOGUE
from elowire.processor import state as states
from tests.alerts.installation import frozen, slowed
from tests.bench import cluster
from tests.bench.recovery import pending_account, write_states
from tests.broker.acceptance.programs import is_ready, metric, wait_until

WATCHERS = 40
# More than wait for one subscription at most: each game is four events.
GAMES = 34_000
READY_S = 60
DONE_S = 180
# For each 64 KiB: an answer of a recovery, 1 MiB, takes 8 s then, and within 30 s there must be one.
SLOW_WAY_S = 0.5
# More than four fifths of the 2 GiB that a service may have, in states of players of this many games each.
FULL, FULL_BYTES, PENDING = "full-", 1_800 << 20, 300


# Processes that do not run.


@contextmanager
def the_processor_stops(site):
    """The processor does nothing: stopped, not killed, since `elowire up` would start it again."""
    with frozen(site.service("processor")):
        yield


@contextmanager
def a_service_dies_again_and_again(site):
    """Dispatch is killed as often as it comes back."""
    for _ in range(3):
        process = site.service("dispatch")
        process.kill()
        port = site.ports["dispatch_admin_port"]
        wait_until(lambda: is_ready(port) and site.service("dispatch") != process, READY_S, "dispatch")  # noqa: B023
        time.sleep(1.5)
    yield


@contextmanager
def workers_that_stand_still(site):
    """Three workers stand still for longer than their session, come back and are late, again and again."""
    # Three: about every second freeze finds a worker between its outputs and its changelog.
    workers = [site.other("processor", ELOWIRE_SESSION_S=6) for _ in range(3)]
    over = threading.Event()

    def ready():
        return all(is_ready(port) for _, port in workers)

    def said():
        return f"workers: {[worker.err[-1000:] for worker, _ in workers]}"

    def turns():
        processes = [psutil.Process(worker.pid) for worker, _ in workers]
        while not over.is_set():
            wait_until(lambda: over.is_set() or ready(), READY_S, said)
            over.wait(1.5)
            with ExitStack() as standing:
                for process in processes:
                    standing.enter_context(frozen(process))
                over.wait(7)

    thread = threading.Thread(target=turns, daemon=True)
    try:
        wait_until(ready, READY_S, said)
        _watch(site, workers)
        with site.playing(games=500, every_s=0.3):
            thread.start()
            yield
    finally:
        over.set()
        if thread.is_alive():
            thread.join()
        _stop(site, workers)


def _watch(site, workers):
    """Have Prometheus look at workers beside the one of `elowire up`."""
    site.prometheus.look_at([("processor", port) for _, port in workers], "elowire-worker")


def _stop(site, workers):
    for worker, _ in workers:
        worker.ask_to_stop()
        worker.end()
    _watch(site, ())


# Too much work, and a slow Kafka.


@contextmanager
def a_flood_and_a_slow_processor(site):
    """Tens of thousands of games at once, while the processor has a tenth of a core."""
    with frozen(site.service("processor")):
        site.load(GAMES)
    with slowed(site.service("processor"), on_s=0.05, off_s=0.45):
        yield


@contextmanager
def a_slow_ticker(site):
    """The other ticker has a slow way to Kafka, and thousands of games are rated."""
    with site.door.slow(0.3):
        site.load(16_000)
        yield
    # The page must be five minutes old for the last scene: the other ticker hears nothing from now on.
    site.door.silence()


@contextmanager
def a_long_recovery(site):
    """A second processor joins, and reads its tables over a slow way."""
    port = site.ports["processor_admin_port"]

    def sides():
        return metric(port, "elowire_processor_records_total", topic="player-events")

    before = sides()
    with frozen(site.service("processor")):
        site.load(GAMES)
    wait_until(lambda: sides() >= before + 2 * GAMES, DONE_S, "all games rated")
    with site.door.slow(SLOW_WAY_S):
        workers = [site.other("processor", bootstrap=site.door.address)]
        try:
            _watch(site, workers)
            yield
        finally:
            _stop(site, workers)


@contextmanager
def a_full_processor(site):
    """A processor with topics of its own recovers the state of players with hundreds of pending games."""
    account = pending_account(PENDING)
    players = FULL_BYTES // len(states.encode(account))
    asyncio.run(cluster.create(site.bootstrap, CATALOGUE, FULL))
    asyncio.run(write_states(site.bootstrap, players, account, prefix=FULL))
    workers = [site.other("processor", ELOWIRE_TOPIC_PREFIX=FULL, ELOWIRE_GROUP="full")]
    try:
        wait_until(lambda: is_ready(workers[0][1]), DONE_S, lambda: workers[0][0].err[-1000:])
        _watch(site, workers)
        yield
    finally:
        _stop(site, workers)


@contextmanager
def sleeping_watchers(site):
    """Forty watchers of the live page read nothing while thousands of games are rated."""
    # Without an event for a while the system would end such a connection before the ticker does.
    with frozen(site.service("processor")):
        site.load(16_000)
    with ExitStack() as stack:
        for _ in range(WATCHERS):
            stack.enter_context(_sleeping_watcher(site.ports["ticker_port"]))
        yield


@contextmanager
def a_slow_kafka(site):
    """Kafka answers every eight seconds, while there is work."""
    site.load(4_000)
    with slowed(site.kafka(), on_s=0.4, off_s=8):
        yield


@contextmanager
def kafka_is_silent(site):
    """Kafka is stopped while there is work: connections stand, and nothing comes."""
    with frozen(site.service("processor")):
        site.load(6_000)
    time.sleep(2.5)
    with frozen(site.kafka()):
        yield


@contextmanager
def a_page_that_stands_still(site):
    """The one ticker that hears Kafka is stopped, the other has had no answer for five minutes."""
    site.door.silence()
    with frozen(site.service("ticker")), site.playing(games=20, every_s=1):
        yield


@contextmanager
def _sleeping_watcher(port):
    """A client of the stream that reads nothing."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(("127.0.0.1", port))
        client.sendall(b"GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        yield
