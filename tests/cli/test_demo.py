"""`elowire demo` as a user starts it: the real thing, without a terminal, and nothing is left of it."""

from __future__ import annotations

import json
import shutil
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest

import elowire
from tests.broker.acceptance.programs import Program, gone, living

pytestmark = pytest.mark.broker
DEMO_S = 180
PACKAGE = Path(elowire.__file__).parent


@pytest.fixture
def usual_ports():
    """The ports that `elowire up` uses, all in use."""
    with ExitStack() as held:
        for port in (8080, 8081, 9101, 9102, 9103, 9104, 29092):
            # Whoever has it already does as well.
            with suppress(OSError):
                held.enter_context(socket.create_server(("127.0.0.1", port)))
        yield


@pytest.mark.usefixtures("usual_ports")
def test_without_a_terminal_it_ends_with_12_of_12_and_leaves_nothing(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    demo = Program(tmp_path, "demo", TMPDIR=temporary)
    try:
        demo.until("live page: http://127.0.0.1:")
        family = living(demo.family())
        kinds = {process.name() for process in family}
        listening = {
            connection.laddr.ip.removeprefix("::ffff:")
            for process in family
            for connection in process.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
        }
        status = demo.ends(DEMO_S)
        gone(demo.family(), 1)
    finally:
        demo.end()
    lines = [line.rstrip() for line in demo.out.splitlines()]

    assert status == 0, demo.out + demo.err
    assert (demo.err, list(temporary.iterdir())) == ("", [])
    assert "java" in kinds
    assert listening == {"127.0.0.1"}
    assert lines[-1] == "12 of 12 equal to FIDE's list of November 2025"
    assert next(line for line in lines if line.startswith("round")).startswith("round  1: 6 games rated")
    assert sum(line.endswith("✓ equal") for line in lines) == 12
    wrong = next(line for line in lines if "a wrong result goes out" in line)
    right = next(line for line in lines if "it is corrected" in line)
    assert (wrong.partition("; ")[2], right.partition("; ")[2]) == (
        "live now FIDE 2020009 2781.6, FIDE 5202213 2766.6",
        "live now FIDE 2020009 2786.6, FIDE 5202213 2761.6",
    )
    assert "\x1b" not in demo.out


def test_one_rating_that_differs_is_shown_and_ends_with_status_1(tmp_path):
    # A copy of the package whose list has another figure for one player: FIDE's is 2795.
    copy = tmp_path / "package" / "elowire"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    path = copy / "cli" / "data" / "us-championship-2025.json"
    facts = json.loads(path.read_bytes())
    facts["players"][0]["next_list_rating"] = 2794
    path.write_text(json.dumps(facts))
    demo = Program(tmp_path, "demo", PYTHONPATH=copy.parent)
    try:
        status = demo.ends(DEMO_S)
    finally:
        demo.end()

    assert (status, "differs by -1" in demo.out) == (1, True)
    assert "11 of 12 equal to FIDE's list of November 2025" in demo.out
    assert demo.err == "elowire: 1 of 12 ratings differ from FIDE's list; the table above says which\n"


def test_ctrl_c_in_the_middle_leaves_nothing(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    demo = Program(tmp_path, "demo", TMPDIR=temporary)
    try:
        demo.until("live page: ")
        status = demo.ask_to_stop(2)
        gone(demo.family(), 1)
    finally:
        demo.end()

    assert status == 130
    assert "Traceback" not in demo.err
    assert list(temporary.iterdir()) == []
