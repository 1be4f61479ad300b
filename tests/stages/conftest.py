"""Tournaments rest here after a few games of others, as in production after a country's weekend."""

from __future__ import annotations

import pytest

from elowire.processor import tournament_index


@pytest.fixture(autouse=True)
def short_generations(monkeypatch):
    """Links are made, kept, let go and made again within a stream of a few hundred games."""
    monkeypatch.setattr(tournament_index, "GENERATION", 30)
