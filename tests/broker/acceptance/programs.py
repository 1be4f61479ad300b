"""Elowire's commands as processes of their own, waited for with deadlines."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import psutil

from tests.ports import free_ports

START_S = 120
STOP_S = 60
_PAUSE_S = 0.05


def wait_until(met, within_s, what):
    """Ask again and again until the answer is true, and give it; `what` may be a function that says more."""
    deadline = time.monotonic() + within_s
    while not (answer := met()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within_s} s: {what() if callable(what) else what}")
        time.sleep(_PAUSE_S)
    return answer


def living(processes):
    """Those of the processes that still run."""
    left = []
    for process in processes:
        try:
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                left.append(process)
        except psutil.NoSuchProcess:
            continue
    return left


def gone(processes, within_s):
    """Wait until none of the processes runs."""
    wait_until(lambda: not living(processes), within_s, lambda: f"gone: {living(processes)}")


def surroundings(**changes):
    """The environment without Elowire's variables, and with `changes`."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ELOWIRE_")}
    return {**plain, **{name: str(value) for name, value in changes.items()}}


def _stop_with_the_tests():
    # Tests that are killed must not leave whole services behind (prctl, PR_SET_PDEATHSIG; Linux alone).
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Program:
    """A command that runs until it is stopped; what it says goes into files of `folder`."""

    def __init__(self, folder, *arguments, **environment):
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{arguments[0]}-{len(list(folder.glob('*.out')))}"
        self._out, self._err = folder / f"{name}.out", folder / f"{name}.err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "elowire", *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=surroundings(**environment),
                start_new_session=True,
                preexec_fn=_stop_with_the_tests,  # noqa: PLW1509 - it calls one function of the system
            )
        self._family = []

    @property
    def pid(self):
        return self.process.pid

    @property
    def out(self):
        return self._out.read_text("utf-8", "replace")

    @property
    def err(self):
        return self._err.read_text("utf-8", "replace")

    def family(self):
        """The process and everything it has started, also what has lost its parent since."""
        if self.process.poll() is None:
            own = psutil.Process(self.pid)
            self._family += [one for one in (own, *own.children(recursive=True)) if one not in self._family]
        return self._family

    def until(self, word, within_s=START_S):
        """Wait until the program has said `word`, or fail when it ends before."""

        def said():
            ended = self.process.poll() is not None
            if word in self.out + self.err:
                return True
            assert not ended, f"ended with {self.process.returncode}: {self.out}{self.err}"
            return False

        wait_until(said, within_s, lambda: f"{word!r} in: {self.out}{self.err}")
        self.family()
        return self

    def ends(self, within_s=STOP_S):
        """Wait for the end; gives the exit status."""
        self.family()
        wait_until(lambda: self.process.poll() is not None, within_s, lambda: f"ended: {self.out}{self.err}")
        return self.process.returncode

    def ask_to_stop(self, number=signal.SIGTERM):
        self.family()
        self.process.send_signal(number)
        return self.ends()

    def kill_everything(self):
        """SIGKILL to the whole family at once, the youngest first."""
        for one in reversed(self.family()):
            try:
                one.kill()
            except psutil.NoSuchProcess:
                continue
        self.process.wait()
        gone(self._family, STOP_S)

    def end(self):
        """Leave nothing behind, however the test went."""
        if self.process.poll() is None:
            self.kill_everything()
        for one in living(self._family):
            one.kill()


def run(*arguments, within_s=START_S, **environment):
    """Run a command to its end; gives status, output and errors."""
    return subprocess.run(
        [sys.executable, "-m", "elowire", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=within_s,
        env=surroundings(**environment),
    )


def feed(bootstrap, *arguments):
    """Run `elowire feed`; gives what it did with each file, as data, and fails if it refused anything."""
    done = run("feed", *arguments, "--bootstrap", bootstrap, "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def is_ready(port):
    """Whether the service with this admin port says that it is ready."""
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


class Processor(Program):
    """One `elowire processor` on the topics with `prefix`."""

    def __init__(self, folder, bootstrap, *, prefix="", group="elowire", partitions=4):
        (self.admin_port,) = free_ports(1)
        self.bootstrap, self.prefix, self.group, self.partitions = bootstrap, prefix, group, partitions
        super().__init__(
            folder,
            "processor",
            ELOWIRE_BOOTSTRAP=bootstrap,
            ELOWIRE_TOPIC_PREFIX=prefix,
            ELOWIRE_GROUP=group,
            ELOWIRE_PARTITIONS=partitions,
            ELOWIRE_PROCESSOR_ADMIN_PORT=self.admin_port,
            ELOWIRE_DATA_DIR=folder / "data",
            ELOWIRE_LOG_FORMAT="json",
        )

    def ready(self):
        def well():
            assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.err}"
            return is_ready(self.admin_port)

        wait_until(well, START_S, lambda: f"ready: {self.err}")
        return self

    def metric(self, name, **labels):
        return metric(self.admin_port, name, **labels)


def metric(admin_port, name, **labels):
    """The value of a figure at `/metrics`, 0 where it does not stand there."""
    text = httpx.get(f"http://127.0.0.1:{admin_port}/metrics", timeout=5).text
    wanted = name + ("{" + ",".join(f'{k}="{v}"' for k, v in labels.items()) + "}" if labels else "")
    values = [line.rpartition(" ")[2] for line in text.splitlines() if line.rpartition(" ")[0] == wanted]
    return float(values[0]) if values else 0.0


DATA = Path(__file__).parents[2] / "data"
