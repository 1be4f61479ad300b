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

from elowire.runtime import clock
from elowire.runtime.settings import child_environment
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
        r"next list 2790, game\n",
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
