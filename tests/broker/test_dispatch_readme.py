"""The README of dispatch as a new user follows it: `elowire up`, its lines, its receiver, a game."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from elowire import dispatch
from tests.broker.acceptance.programs import Program, surroundings, wait_until
from tests.ports import free_ports

pytestmark = pytest.mark.broker
README = Path(dispatch.__file__).parent / "README.md"
ROOT_README = Path(dispatch.__file__).parents[3] / "README.md"
NAMES = (
    "KAFKA_PORT",
    "TICKER_PORT",
    "INGEST_PORT",
    "DISPATCH_PORT",
    "PROCESSOR_ADMIN_PORT",
    "TICKER_ADMIN_PORT",
    "INGEST_ADMIN_PORT",
    "DISPATCH_ADMIN_PORT",
)


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)


def test_a_subscription_a_receiver_and_a_game(tmp_path):
    (receiver_port,) = free_ports(1)
    ports = dict(zip(NAMES, free_ports(len(NAMES)), strict=True))
    environment = {f"ELOWIRE_{name}": port for name, port in ports.items()}
    environment |= {
        "ELOWIRE_DATA_DIR": tmp_path / "data",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }
    (opening,) = [line for line in README.read_text().splitlines() if line.endswith(" elowire up")]
    opened = dict(one.split("=") for one in opening.split()[:-2])
    program = Program(tmp_path / "said", "up", **environment, **opened)
    environment["ELOWIRE_BOOTSTRAP"] = f"127.0.0.1:{ports['KAFKA_PORT']}"

    def said(command):
        done = subprocess.run(
            ["/bin/sh", "-eu", "-c", command.replace("127.0.0.1:9000", f"127.0.0.1:{receiver_port}")],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=tmp_path,
            env=surroundings(**environment),
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    add, try_out = blocks(README, "sh")
    (source,) = blocks(README, "python")
    heard = tmp_path / "heard"
    receiver = None
    try:
        program.until("ready; stop with Ctrl-C")
        said(add)
        (tmp_path / "receiver.py").write_text(source.replace("9000", str(receiver_port)))
        with heard.open("wb") as stream:
            receiver = subprocess.Popen(
                [sys.executable, "receiver.py"], cwd=tmp_path, stdout=stream, stderr=subprocess.DEVNULL
            )
        tested = said(f"sleep 1; {try_out}")
        (tmp_path / "match.jsonl").write_text(blocks(ROOT_README, "json")[0])
        said("elowire feed match.jsonl")
        wait_until(lambda: "elowire.live-rating.v1" in heard.read_text(), 30, lambda: program.err[-2000:])
    finally:
        program.end()
        if receiver is not None:
            receiver.kill()
            receiver.wait()

    assert "delivered" in tested
    test, *changes = heard.read_text().splitlines()
    assert "elowire.webhook-test.v1" in test
    assert any("'live': '2843.5'" in line for line in changes)
    assert all("1503014" in line for line in changes)
    assert "whsec_" not in program.out + program.err
