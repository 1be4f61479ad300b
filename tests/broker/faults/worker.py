"""A processor under test: turns the environment into arguments, which production code never does.

NAME (group, and prefix of the topics unless PREFIX is another), BOOTSTRAP, STAGES=toy|next-toy|product,
PARTITIONS, SESSION, BATCH_S, PACE, INSTANCE; test aids: CHAOS (probability), KILL_AT (places), STOP_AT
(place), STOP_STAGE, STOP_AFTER, STOP_EVERY, MUTATION, CLOCK_JUMP (seconds in between, then each offset),
METADATA (seconds).
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import resource
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from elowire.processor import app
from elowire.processor.ports import Silent
from elowire.runtime.logs import configure
from elowire.runtime.settings import load_settings
from tests.broker.faults.kinds import KINDS
from tests.broker.faults.mutations import mutate

ENV = os.environ.get
BEGAN = time.monotonic()


def say(line):
    os.write(2, f"TEST {time.time():.3f} {line}\n".encode())


class Told(Silent):
    """Writes what the driver counts into the log."""

    def __init__(self):
        self.records = 0

    def on_batch(self, batch):
        self.records += batch.decided.records

    def on_recovered(self, *, parts, read, keys, repaired, seconds):
        say(f"recovered parts={parts} read={read} keys={keys} repaired={repaired} seconds={seconds:.3f}")

    def on_foreign_write(self, part):
        say(f"foreign write {part}")

    def on_lease_lost(self):
        say("lease lost")


def kill(where):
    say(f"kill -9 self at {where}")
    os.kill(os.getpid(), signal.SIGKILL)


def chaos():
    chance = float(ENV("CHAOS", "0"))
    kill_at = [place for place in ENV("KILL_AT", "").split(",") if place]
    stop_at, only = ENV("STOP_AT", ""), ENV("STOP_STAGE", "")
    state = {"first": True, "stop": BEGAN + float(ENV("STOP_AFTER", "6"))}

    def probe(where, stages=""):
        if state["first"] and where == "before barrier 1":
            state["first"] = False
            say(f"first output after {time.monotonic() - BEGAN:.2f} s")
        # A recovery passes its place often, and a worker that never recovers proves little.
        likely = chance / 10 if where == "recovering" else 0 if state["first"] else chance
        if where in kill_at and random.random() < likely:
            if where.startswith("inside"):
                asyncio.get_running_loop().call_later(random.uniform(0, 0.004), kill, f"{where} [{stages}]")
            else:
                kill(f"{where} [{stages}]")
        if where == stop_at and only in stages and time.monotonic() > state["stop"]:
            say(f"stopping self at {where} [{stages}]")
            os.kill(os.getpid(), signal.SIGSTOP)
            state["stop"] = time.monotonic() + float(ENV("STOP_EVERY", "20"))
            say("continued")

    return probe


def jump_clock(after_s, *by_s):
    """Set this process's clock forward or back, once in `after_s`; its monotonic clock goes on."""
    real, real_ns = time.time, time.time_ns
    for seconds in by_s:
        time.sleep(after_s)
        time.time = lambda by=seconds: real() + by
        time.time_ns = lambda by=seconds: real_ns() + int(by * 1e9)
        say(f"clock jumped by {seconds:+g} s")


def main():
    name, partitions = os.environ["NAME"], int(ENV("PARTITIONS", "4"))
    settings = load_settings(
        bootstrap=ENV("BOOTSTRAP", "127.0.0.1:30300"),
        group=name,
        topic_prefix=ENV("PREFIX", f"{name}-"),
        instance_id=ENV("INSTANCE"),
        partitions=partitions,
        session_s=float(ENV("SESSION", "12")),
        batch_s=float(ENV("BATCH_S", "20")),
        pace_s=float(ENV("PACE", "0")),
        data_dir=Path(tempfile.gettempdir()) / "elowire-fault-tests",
        log_format="json",
        log_level=ENV("LOG_LEVEL", "INFO"),
    )
    configure(settings)
    app.METADATA_S = float(ENV("METADATA", str(app.METADATA_S)))
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    mutate(ENV("MUTATION", ""))
    if jump := ENV("CLOCK_JUMP"):
        threading.Thread(target=jump_clock, args=map(float, jump.split(",")), daemon=True).start()
    told = Told()
    try:
        app.run_processor(
            settings, KINDS[ENV("STAGES", "toy")].stages(settings), observer=told, probe=chaos()
        )
    finally:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        say(f"ended records={told.records} peak={peak}MB cpu={time.process_time():.2f}")


if __name__ == "__main__":
    main()
