"""What `make` promises: its steps in order, named, and a clear word where Python is too old."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.project.guards import ROOT

ORDER = [
    "lint: format",
    "lint: rules",
    "lint: imports",
    "lint: types",
    "test: domain",
    "test: contracts",
    "test: stages",
    "test: real processes",
    "test: all steps passed",
]


MAKE = str(shutil.which("make"))


def test_the_steps_of_make_test_are_named_and_go_from_cheap_to_dear():
    planned = subprocess.run(
        [MAKE, "--dry-run", "test"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout

    places = [planned.index(f'"{step}"') for step in ORDER]

    assert places == sorted(places)


def test_a_python_that_is_too_old_is_named_with_what_to_do(tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("make", "sh"):
        (programs / name).symlink_to(shutil.which(name))
    old = programs / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.18"\nexit 1\n')
    old.chmod(0o755)
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    done = subprocess.run(
        [MAKE, "setup"],
        cwd=tmp_path,
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "Elowire needs Python 3.11, 3.12 or 3.13, and 'python3' is: Python 3.9.18." in done.stderr
    assert "make setup PYTHON=/path/to/python3.12" in done.stderr


@pytest.mark.parametrize("line", ["set -euo pipefail", "make test"])
def test_ci_runs_the_same_gate(line):
    assert line in (ROOT / ".ci" / "run").read_text()
