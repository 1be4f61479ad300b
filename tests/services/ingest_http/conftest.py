from __future__ import annotations

import pytest

from tests.services.ingest_http.door import open_door


@pytest.fixture
async def door(tmp_path):
    """A door with one source, `club`, whose secret the client knows."""
    async with open_door(tmp_path) as opened:
        yield opened
