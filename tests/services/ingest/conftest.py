"""Where the files of these tests are."""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture
def events() -> Path:
    """Real events."""
    return DATA / "events"


@pytest.fixture
def cases() -> Path:
    """Figures published by FIDE, and the tables."""
    return DATA / "cases"


@pytest.fixture
def trf() -> Path:
    """Tournament reports of another program."""
    return DATA / "trf"
