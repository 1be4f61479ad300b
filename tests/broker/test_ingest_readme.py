"""The README of ingest as a new user follows it: `elowire up`, its shell lines, and the rating moves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from elowire import ingest
from tests.broker.acceptance.programs import Program, surroundings, wait_until
from tests.ports import free_ports

pytestmark = pytest.mark.broker
README = Path(ingest.__file__).parent / "README.md"
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


def shell_lines():
    return "\n".join(re.findall(r"^```sh\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL))


def test_a_signed_game_from_curl_moves_the_rating_and_an_operator_corrects_it(tmp_path):
    ports = dict(zip(NAMES, free_ports(len(NAMES)), strict=True))
    environment = {f"ELOWIRE_{name}": port for name, port in ports.items()}
    environment |= {
        "ELOWIRE_DATA_DIR": tmp_path / "data",
        "ELOWIRE_BOOTSTRAP": f"127.0.0.1:{ports['KAFKA_PORT']}",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }
    up = {name: value for name, value in environment.items() if name != "ELOWIRE_BOOTSTRAP"}
    program = Program(tmp_path / "said", "up", **up)

    def said(command):
        done = subprocess.run(
            ["/bin/sh", "-eu", "-c", command],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=tmp_path,
            env=surroundings(**environment),
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def change():
        address = f"http://127.0.0.1:{ports['TICKER_PORT']}/v1/players/1503014"
        answer = httpx.get(address, timeout=5)
        return answer.json()["standard"]["change"] if answer.status_code == 200 else None

    try:
        program.until("ready; stop with Ctrl-C")
        answered = said(shell_lines().replace("127.0.0.1:8081", f"127.0.0.1:{ports['INGEST_PORT']}"))
        assert json.loads(answered) == {
            "accepted": 4,
            "held_by_corrections": 0,
            "with_facts_of_list": 0,
            "repeated": False,
        }
        # 2839 against 2802: 0.55 is expected, so that a win is worth 10 x 0.45.
        wait_until(lambda: change() == "4.50", 30, lambda: f"{change()} {program.err[-2000:]}")
        said("elowire correct 1.1 --tournament club-open --result 0-1 --why 'wrong way round'")
        wait_until(lambda: change() == "-5.50", 30, change)
        listed = json.loads(said("elowire correct --list --format json"))
        said("elowire correct 1.1 --tournament club-open --release --why 'it was right'")
        wait_until(lambda: change() == "4.50", 30, change)
        said("elowire entrants merge 2016192 24116068 --why 'one player, two ids'")
        said("elowire sources rotate club-desk && elowire sources list && elowire sources remove club-desk")
        nobody = httpx.post(f"http://127.0.0.1:{ports['INGEST_PORT']}/v1/events", content=b"{}", timeout=5)
    finally:
        program.end()

    assert [(one["id"], one["says"], one["why"]) for one in listed] == [
        ("1.1", "played 0-1", "wrong way round")
    ]
    assert (nobody.status_code, "elowire sources add NAME" in nobody.json()["detail"]) == (401, True)
    assert "whsec_" not in program.out + program.err
