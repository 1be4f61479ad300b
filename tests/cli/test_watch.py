"""`elowire watch` as people use it: in a pipe, in a terminal of 80 columns, over breaks, until Ctrl-C."""

from __future__ import annotations

import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
from contextlib import contextmanager
from fcntl import ioctl
from queue import Empty, Queue

import orjson
import pytest

from elowire.cli.watched import Freshness, Watched, pause_s
from elowire.domain import TimeControl
from elowire.runtime import clock
from elowire.runtime.settings import child_environment
from elowire.runtime.web_client import ServerEvent, read_events
from tests.cli.ticking import CHAMPIONSHIP, Ticking, World, championship, ticker_of

WAIT_S = 20
PORT = 30850
CODE = "from elowire.cli import main; main()"
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
FIRST = next(iter(CHAMPIONSHIP.outcomes))


class Reader:
    """Lines of a stream as they come, read in a thread so that a test never waits for ever."""

    def __init__(self, stream):
        self._lines = Queue()
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()
        self.all = []

    def _read(self, stream):
        for line in stream:
            self._lines.put(line)

    def until(self, wanted):
        deadline = clock.monotonic() + WAIT_S
        while True:
            try:
                line = self._lines.get(timeout=max(0.01, deadline - clock.monotonic()))
            except Empty:
                raise AssertionError(f"{wanted!r} did not come; there were:\n{''.join(self.all)}") from None
            self.all.append(line)
            if wanted in line:
                return line


@contextmanager
def watching(*arguments):
    """`elowire watch` in a pipe."""
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, "watch", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, Reader(process.stdout), Reader(process.stderr)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def wait_for(condition):
    deadline = clock.monotonic() + WAIT_S
    while not condition():
        assert clock.monotonic() < deadline
        threading.Event().wait(0.02)


def test_in_a_pipe_every_change_is_a_line_and_ctrl_c_is_no_failure():
    world = championship(1)
    with ticker_of(world) as ticker, watching("--ticker", ticker.address) as (process, lines, _):
        wait_for(ticker.watchers)
        world.send(CHAMPIONSHIP.rounds[1])
        ticker.catch_up()
        line = lines.until(f"standard {FIRST}")
        process.send_signal(signal.SIGINT)

        assert process.wait(WAIT_S) == 0
    assert re.fullmatch(
        rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ standard {FIRST}.*, live 2789.7, before 2792.3, change \+0.70, "
        r"next list 2790, rank 1, game\n",
        line,
    )


def test_after_a_break_it_connects_again_and_tells_what_moved_meanwhile():
    world = championship(1)
    with Ticking(world, PORT) as ticker:
        ticker.catch_up()
        watch = watching("--ticker", ticker.address, FIRST)
        process, lines, notes = watch.__enter__()
        wait_for(ticker.watchers)
        threading.Event().wait(0.3)
    try:
        notes.until("trying again")
        world.send(CHAMPIONSHIP.rounds[1])
        again = Ticking(world, PORT)
        again.feed.take(
            [
                record
                for topic in ("rating-lists", "live-ratings", "rated-games")
                for record in world.lane.all(topic)
            ]
        )
        with again:
            line = lines.until(f"standard {FIRST}")
            process.send_signal(signal.SIGTERM)
            process.wait(WAIT_S)
    finally:
        watch.__exit__(None, None, None)

    assert "live 2789.7, before 2792.3" in line


def test_a_question_that_the_ticker_refuses_ends_the_command():
    with (
        ticker_of(World()) as ticker,
        watching("--ticker", ticker.address, "--federation", "nowhere") as watch,
    ):
        process, _, notes = watch
        said = notes.until("refused")

        assert process.wait(WAIT_S) == 1
    assert "federation" in said


@contextmanager
def terminal(*arguments, rows=24, columns=80):
    """`elowire watch` in a terminal of its own; yields the process and what the terminal has received."""
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, "watch", *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=child_environment(TERM="xterm-256color", COLUMNS=str(columns), LINES=str(rows)),
        start_new_session=True,
    )
    os.close(theirs)
    received = []

    def read():
        while True:
            try:
                part = os.read(ours, 65_536)
            except OSError:
                return
            if not part:
                return
            received.append(part)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield process, lambda: b"".join(received).decode("utf-8", "replace")
    finally:
        process.kill()
        process.wait()
        thread.join(5)
        os.close(ours)


def test_in_a_terminal_the_table_moves_in_place_within_eighty_columns():
    world = championship(1)
    with ticker_of(world) as ticker, terminal("--ticker", ticker.address) as (process, received):
        wait_for(lambda: "2792.3" in received())
        world.send(CHAMPIONSHIP.rounds[1])
        ticker.catch_up()
        wait_for(lambda: "2789.7" in received())
        text = received()
        process.send_signal(signal.SIGINT)

        assert process.wait(WAIT_S) == 0
    shown = [line.rstrip() for line in ESCAPE.sub("", text).replace("\r", "\n").split("\n")]
    assert max(map(len, shown)) <= 80
    assert "● connected" in text
    assert "Traceback" not in received()
    # rich moves the cursor up and writes over the old table.
    assert "\x1b[1A" in text
    assert len([line for line in shown if "2789.7" in line]) >= 1


def test_a_terminal_shows_the_old_state_with_its_time_when_the_ticker_is_away():
    with Ticking(championship(1), PORT + 1) as ticker:
        ticker.catch_up()
        watch = terminal("--ticker", ticker.address)
        process, received = watch.__enter__()
        wait_for(lambda: "2792.3" in received())
    try:
        wait_for(lambda: "● not connected, showing the state of" in received())
        last = received().rsplit("● not connected", 1)[0]
        assert "2792.3" in last
        process.send_signal(signal.SIGINT)

        assert process.wait(WAIT_S) == 0
    finally:
        watch.__exit__(None, None, None)


def event(name, data):
    return ServerEvent("boot-1", name, orjson.dumps(data))


def row(player_id, change, version=1, rating=2700):
    return {
        "player_id": player_id,
        "version": version,
        "name": player_id,
        "status": "rated",
        "published": {"list": "2025-10", "rating": rating, "k": 10},
        "live": f"{rating}.0",
        "change": change,
        "predicted": rating,
    }


def snapshot(*rows, fault=None):
    freshness = {"at": 1000, "changed_at": 500, "fault": fault}
    return event(
        "snapshot",
        {"freshness": freshness, "live_ratings": [{"time_control": "standard", "players": list(rows)}]},
    )


def change(player_id, version, text):
    figures = {
        name: value for name, value in row(player_id, text).items() if name not in {"player_id", "version"}
    }
    return event("live-rating", {"player_id": player_id, "version": version, "standard": figures})


def test_lines_are_in_order_and_equal_figures_share_a_place():
    watched = Watched(TimeControl.STANDARD)
    watched.take(snapshot(row("a", "1.00"), row("b", "3.00"), row("c", "1.00"), row("d", "0.00")), 0)

    assert [(line.place, line.person.player_id) for line in watched.lines(9)] == [
        (1, "b"),
        (2, "a"),
        (2, "c"),
        (4, "d"),
    ]
    watched.take(change("d", 2, "9.00"), 10)
    assert [line.person.player_id for line in watched.lines(2)] == ["d", "b"]
    assert watched.lit(10) == {"d"}
    assert watched.lit(2011) == set()


def test_an_older_version_and_the_same_figures_again_change_nothing():
    watched = Watched(TimeControl.STANDARD)
    assert watched.take(snapshot(row("a", "1.00", version=5)), 0) == []

    assert watched.take(change("a", 4, "7.00"), 1) == []
    assert watched.take(change("a", 5, "1.00"), 1) == []
    assert watched.lines(1)[0].figures.change == "1.00"
    assert len(watched.take(change("a", 6, "2.00"), 1)) == 1


def test_a_first_snapshot_tells_nothing_and_a_later_one_what_moved():
    watched = Watched(TimeControl.STANDARD)

    assert watched.take(snapshot(row("a", "1.00"), row("b", "1.00")), 0) == []
    assert len(watched.take(snapshot(row("a", "2.00", version=2), row("b", "1.00")), 1)) == 1


@pytest.mark.parametrize(
    ("freshness", "said"),
    [
        pytest.param(
            Freshness(connected=True, changed_at=48_000), "connected, last change 12 s ago", id="fresh"
        ),
        pytest.param(Freshness(connected=True), "connected, no change yet", id="quiet"),
        pytest.param(
            Freshness(connected=True, changed_at=1_760_000_640_000, fault="no broker"),
            "the ticker hears nothing from Kafka: showing the state of 09:04 UTC",
            id="ticker-cut-off",
        ),
        pytest.param(
            Freshness(heard_at=1_760_000_640_000, retry_at=64_000),
            "not connected, showing the state of 09:04 UTC; next try in 4 s",
            id="cut-off",
        ),
        pytest.param(Freshness(retry_at=61_000), "not connected; next try in 1 s", id="never-connected"),
    ],
)
def test_freshness_is_a_sentence(freshness, said):
    assert freshness.text(60_000)[0] == f"● {said}"


def test_a_heartbeat_says_that_the_ticker_is_cut_off():
    watched = Watched(TimeControl.STANDARD)
    watched.take(snapshot(row("a", "1.00")), 0)
    watched.take(event("heartbeat", {"at": 1, "changed_at": 500, "fault": "no broker answers"}), 1)

    assert "hears nothing from Kafka" in watched.freshness.text(1)[0]


def test_pauses_grow_and_are_bounded():
    assert [pause_s(attempt, jitter=0) for attempt in (0, 1, 2, 5, 50)] == [1, 2, 4, 30, 30]
    assert pause_s(3, jitter=1) == 4


async def lines_of(text):
    for line in text.splitlines(keepends=True):
        yield line


@pytest.mark.parametrize(
    ("text", "events"),
    [
        pytest.param(b"id: 1\nevent: a\ndata: x\n\n", [("1", "a", b"x")], id="one"),
        pytest.param(b"data: x\ndata: y\n\n", [("", "message", b"x\ny")], id="data-in-lines"),
        pytest.param(b": ping\n\nid: 2\n\ndata:z\n\n", [("2", "message", b"z")], id="comment-and-lasting-id"),
        pytest.param(b"data: cut off", [], id="an-event-that-breaks-off"),
        pytest.param(b"event: a\r\ndata: x\r\n\r\n", [("", "a", b"x")], id="crlf"),
    ],
)
async def test_server_sent_events_are_read_as_the_standard_says(text, events):
    assert [tuple(event) async for event in read_events(lines_of(text))] == events
