"""What comes from outside and is wrong: each breaks, waits at its `yield`, and mends."""

from __future__ import annotations

import resource
import socket
import threading
import time
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

import httpx

from elowire.contracts.envelope import input_record
from elowire.runtime.kafka import OutRecord
from tests.alerts.installation import Receiver
from tests.broker.acceptance.programs import DATA, is_ready, wait_until
from tests.broker.acceptance.topics import read
from tests.oracle import events

OLD_LIST, NEXT_LIST = "2025-10", "2025-11"
READY_S = 60
STRANGERS = """[Event "Club evening"]
[Site "?"]
[Date "2025.10.12"]
[Round "1"]
[White "Nobody, Ann"]
[Black "Nobody, Bob"]
[Result "1-0"]

1. e4 e5 1-0
"""


def _record(event, name):
    return OutRecord(*input_record(event, event_id=name, source="tests"))


# Those that take minutes: they are broken first and mended last.


@contextmanager
def an_old_list(site):
    """The newest list is one of long ago."""
    load = ("lists", "load", DATA / "lists" / "players_list.txt", "--accept-doubts", "--list")
    site.command(*load, OLD_LIST)
    yield
    site.command(*load, datetime.now(UTC).strftime("%Y-%m"))


@contextmanager
def strangers_play(site):
    """A broadcast whose players are in no list and have no number."""
    pgn = site.folder / "strangers.pgn"
    pgn.write_text(STRANGERS)
    stated = ("--tournament", "club-evening", "--time-control", "standard", "--system", "swiss")
    days = ("--starts-on", "2025-10-12", "--ends-on", "2025-10-12")
    site.command("sources", "add", "club", "--poll", pgn, "--every", "1", *stated, *days)
    yield
    for entrant, player in (("name:nobody-ann", "900001"), ("name:nobody-bob", "900002")):
        where = ("--tournament", "club-evening", "--player", player, "--why", "asked them")
        site.command("entrants", "identify", entrant, *where)
    site.command("sources", "remove", "club")


@contextmanager
def a_broadcast_is_gone(site):
    """A broadcast whose address answers nobody."""
    nobody = "http://127.0.0.1:9/round.pgn"
    site.command("sources", "add", "final", "--poll", nobody, "--every", "1", "--tournament", "final")
    yield
    site.command("sources", "remove", "final")


@contextmanager
def unsigned_requests(site):
    """Somebody without the secret sends results twice a second."""
    over = threading.Event()
    address = f"http://127.0.0.1:{site.ports['ingest_port']}/v1/events"

    def knock():
        while not over.wait(0.5):
            try:
                httpx.post(address, json={}, timeout=5)
            except httpx.TransportError:
                continue

    thread = threading.Thread(target=knock, daemon=True)
    thread.start()
    yield
    over.set()
    thread.join()


@contextmanager
def dead_webhooks(site):
    """A receiver that answers 500 for minutes."""
    receiver = Receiver(500)
    kinds = ("--kind", "live-rating", "--kind", "rated-game")
    site.command("subscriptions", "add", "dead", receiver.address, *kinds)
    site.load(20)
    yield
    site.command("subscriptions", "remove", "dead")
    receiver.stop()


@contextmanager
def a_receiver_leaves(site):
    """A receiver that answers 410: it wants nothing any more."""
    receiver = Receiver(410)
    site.command("subscriptions", "add", "gone", receiver.address)
    site.load(20)
    yield
    receiver.stop()


@contextmanager
def another_release(site):
    """A second ticker, of another release."""
    ticker, port = site.other("ticker", bootstrap=site.door.address, PYTHONPATH=site.other_release())
    try:
        wait_until(lambda: is_ready(port), READY_S, lambda: f"ready: {ticker.err}")
        site.prometheus.look_at([("ticker", port)], "elowire-other")
        site.load(20)
        yield
    finally:
        site.door.heal()
        ticker.end()
        site.prometheus.look_at([], "elowire-other")


@contextmanager
def few_files(site):
    """Ingest may open a hundred files, and seventy clients connect to its admin port and say nothing."""
    process = site.service("ingest")
    before = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (100, before[1]))
    with ExitStack() as stack:
        for _ in range(100 * 86 // 100 - process.num_fds()):
            stack.enter_context(socket.create_connection(("127.0.0.1", site.ports["ingest_admin_port"])))
        yield
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, before)


# Records that are wrong.


@contextmanager
def poison_records(site):
    """Bytes that are no event, in an input."""
    site.send(*(OutRecord("game-results", b"poison", b"\x00 no event") for _ in range(5)))
    yield


@contextmanager
def two_things_under_one_revision(site):
    """The same game twice, with one revision and two results."""
    for number, result in enumerate(("1-0", "0-1")):
        game = events.game("g1", "row:a", "row:b", result, tournament_id="conflict")
        site.send(_record(game, f"conflict-{number}"))
    yield


@contextmanager
def a_wrong_next_list(site):
    """FIDE's next list has another rating than the games give."""
    players = {"white": 2400, "black": 2300}
    site.send(
        *(
            _record(events.published(f"row:{name}", OLD_LIST, rating, 20, 0), f"old-{name}")
            for name, rating in players.items()
        ),
        _record(events.tournament("listed"), "listed"),
        *(
            _record(events.entrant(f"row:{name}", rating, 20, tournament_id="listed"), f"listed-{name}")
            for name, rating in players.items()
        ),
        _record(events.game("g1", "row:white", "row:black", tournament_id="listed"), "listed-game"),
    )
    time.sleep(2)
    site.send(_record(events.published("row:white", NEXT_LIST, 2500, 20, 1), "next-white"))
    yield


@contextmanager
def finished_too_early(site):
    """A tournament is finished, and games of it are missing."""
    site.send(_record(events.tournament("early", status="finished", expected_games=10), "early"))
    yield


@contextmanager
def unreadable_outputs(site):
    """Another program writes to an output topic."""
    site.send(OutRecord("live-ratings", b"1503014", b"not ours"))
    yield


@contextmanager
def a_foreign_write(site):
    """Another process writes a record of the processor's changelog again."""
    site.load(20)
    changelog = "elowire-players-changelog"
    wait_until(lambda: read(site.bootstrap, changelog), READY_S, "a changelog")
    record = read(site.bootstrap, changelog)[-1]
    site.send(OutRecord(changelog, record.key, record.value, record.headers, record.partition))
    yield
