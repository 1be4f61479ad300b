from __future__ import annotations

import pytest

from elowire.ingest.book import FILE
from elowire.ingest.book_load import Arrival, load
from elowire.ingest.lists.files import inspect, read_list
from elowire.ingest.readers.report import Findings
from tests.services.ingest_http.door import open_door
from tests.services.lists.made_up import written


@pytest.fixture
async def door(tmp_path):
    """A door with one source, `club`, whose secret the client knows."""
    async with open_door(tmp_path) as opened:
        yield opened


@pytest.fixture
def load_list(tmp_path):
    """Load players into the door's rating book."""

    def loading(players, rating_list="2026-10", revision=1000):
        path = tmp_path / "players_list.txt"
        path.write_text("".join(written(players, "combined")))
        file, findings = inspect(path), Findings()
        lines = read_list(file, rating_list=rating_list, time_control=None, findings=findings)
        arrival = Arrival(rating_list, file.classes(None), revision, path.name)
        load(tmp_path / FILE, arrival, lines, lambda *_: [])

    return loading
