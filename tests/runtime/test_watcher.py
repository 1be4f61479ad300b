"""The watcher beside a stand-in for Java: it ends its child when its standard input ends."""

from __future__ import annotations

import subprocess
import sys
import time

import psutil
import pytest

from elowire.runtime.embedded import watcher

OBEDIENT = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {OBEDIENT}"


@pytest.fixture
def watch():
    running = []

    def run(program, grace_s=5.0):
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", watcher.__file__, str(grace_s), sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        running.append(process)
        return process

    yield run
    for process in running:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def child(process):
    assert process.stdout.readline() == b"up\n"
    return psutil.Process(process.pid).children()[0]


def test_the_end_of_its_input_ends_the_child(watch):
    process = watch(OBEDIENT)
    stand_in = child(process)
    process.stdin.close()
    assert process.wait(10) == 256 - 15
    assert not stand_in.is_running()


def test_a_child_that_does_not_obey_is_killed_after_the_grace_time(watch):
    process = watch(STUBBORN, grace_s=0.5)
    stand_in = child(process)
    began = time.monotonic()
    process.stdin.close()
    assert process.wait(10) == 256 - 9
    assert 0.5 <= time.monotonic() - began < 5
    assert not stand_in.is_running()


def test_signals_do_not_reach_past_it(watch):
    process = watch(OBEDIENT)
    stand_in = child(process)
    process.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    assert stand_in.is_running()


def test_a_child_that_ends_by_itself_gives_its_code(watch):
    process = watch("print('up', flush=True); raise SystemExit(3)")
    assert process.wait(10) == 3
    assert process.stdout.read() == b"up\n"
