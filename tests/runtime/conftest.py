"""A broker for the tests of the clients, and one as a program of its own for the tests that kill it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from elowire.runtime.embedded.broker import EmbeddedKafka
from tests.runtime import ports

PATIENCE_S = 120


@pytest.fixture(scope="package")
def broker(tmp_path_factory):
    with EmbeddedKafka(tmp_path_factory.mktemp("broker"), ports.BROKER) as running:
        yield running


class Started:
    """A program that runs an embedded broker."""

    def __init__(self, arguments, *, prefix=(), env=None):
        self.out = subprocess.Popen(
            [*prefix, sys.executable, str(Path(__file__).with_name("starter.py")), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
            start_new_session=True,
        )
        self.steps = []

    @property
    def pid(self):
        return self.out.pid

    def until(self, step):
        for line in self.out.stderr:
            self.steps.append(line.strip())
            if line.strip() == step:
                return self
        raise AssertionError(f"ended with {self.out.wait(PATIENCE_S)} before {step!r}: {self.steps}")

    def family(self):
        """Its own process first, then the watcher and Java."""
        own = psutil.Process(self.pid)
        return [own, *own.children(recursive=True)]

    def end(self):
        family = self.family() if self.out.poll() is None else []
        for process in family:
            process.kill()
        self.out.communicate()
        assert all_gone(family, 10)


@pytest.fixture
def start():
    """Start the program: `start(data, port).until("ready")`; whatever is left of it is killed at the end."""
    started = []

    def run(*arguments, **how):
        started.append(Started(arguments, **how))
        return started[-1]

    yield run
    for program in started:
        program.end()


def named(processes, name):
    return next(process for process in processes if process.name() == name)


def all_gone(processes, within_s):
    """Whether every process has ended in that time."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if not any(
            process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes
        ):
            return True
        time.sleep(0.05)
    return False
