"""Runs the command line in this process, as a terminal's user would: arguments in, status and text out."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from elowire.cli import main

DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def elowire(monkeypatch, capsys):
    """The command line; ends with its exit status like a process does."""

    def run(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["elowire", *map(str, arguments)])
        status: object = 0
        try:
            main()
        except SystemExit as ended:
            status = ended.code or 0
        out, err = capsys.readouterr()
        return Done(int(status), out, err)

    return run


@pytest.fixture
def events() -> Path:
    """Real events."""
    return DATA / "events"


@pytest.fixture
def cases() -> Path:
    """Figures published by FIDE."""
    return DATA / "cases"
