"""The test suite's own settings fail on a planted offence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import settings

from tests.project.guards import ROOT

OFFENCES = {
    "domain/test_socket.py": """
import socket
def test_socket():
    socket.socket()
""",
    "runtime/test_outside.py": """
import socket
def test_outside():
    with socket.socket() as line:
        line.settimeout(1)
        line.connect(("192.0.2.1", 80))
def test_loopback():
    with socket.socket() as door, socket.socket() as line:
        door.bind(("127.0.0.1", 0))
        door.listen()
        line.connect(door.getsockname())
""",
    "domain/test_warning.py": """
import warnings
def test_warning():
    warnings.warn("old", DeprecationWarning)
""",
    "domain/test_mark.py": """
import pytest
@pytest.mark.brocker
def test_mark(): ...
""",
    "domain/test_ids.py": """
import pytest
@pytest.mark.parametrize("k", [10, 20], ids=["same", "same"])
def test_ids(k): ...
""",
    "stages/test_coroutine.py": """
import asyncio
async def test_coroutine():
    await asyncio.sleep(0)
""",
}


def pytest_in(tree, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "COLUMNS": "300"},
    )

    return done.stdout + done.stderr


@pytest.fixture
def tree(tmp_path):
    """A tree with the project's configuration and no test."""
    (tmp_path / "tests").mkdir()
    for name in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / name, tmp_path / name)

    return tmp_path


def test_every_strictness_of_the_suite_bites(tree):
    for path, source in OFFENCES.items():
        (tree / "tests" / path).parent.mkdir(exist_ok=True)
        (tree / "tests" / path).write_text(source)

    printed = pytest_in(tree, "--continue-on-collection-errors")

    for expected in (
        "FAILED tests/domain/test_socket.py::test_socket - pytest_socket.SocketBlockedError",
        "FAILED tests/runtime/test_outside.py::test_outside - pytest_socket.SocketConnectBlockedError",
        "FAILED tests/domain/test_warning.py::test_warning - DeprecationWarning: old",
        "'brocker' not found in `markers` configuration option",
        "Duplicate parametrization IDs detected",
    ):
        assert expected in printed
    assert "3 failed, 2 passed, 2 errors" in printed


def test_ci_repeats_the_same_examples():
    assert settings.get_profile("ci").derandomize


def test_each_profile_of_the_property_tests_searches_longer_than_the_one_before():
    searched = [settings.get_profile(name).max_examples for name in ("dev", "ci", "deep")]

    assert searched == sorted(set(searched))


def test_a_branch_that_no_test_takes_fails_the_domain(tree):
    (tree / "rating.py").write_text("def cap(d):\n    if d > 400:\n        d = 400\n    return d\n")
    (tree / "tests" / "test_cap.py").write_text(
        "from rating import cap\n\ndef test_cap():\n    assert cap(500) == 400\n"
    )
    options = subprocess.run(
        [str(shutil.which("make")), "--print-data-base", "--dry-run", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    coverage = next(line for line in options.splitlines() if line.startswith("COVERAGE := "))

    printed = pytest_in(tree, "--cov=rating", *coverage.split()[2:])

    assert "FAIL Required test coverage of 100% not reached" in printed
    assert "2->4" in printed
