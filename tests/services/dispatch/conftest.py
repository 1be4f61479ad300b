from __future__ import annotations

import pytest

from tests.services.dispatch.sending import Receiver


@pytest.fixture
def make_receiver(tmp_path):
    """Start receivers, each in a process of its own; whatever is left of them at the end is killed."""
    started = []

    def make(**more):
        started.append(Receiver(tmp_path / "receivers", **more))
        return started[-1]

    yield make
    for one in started:
        one.kill()


@pytest.fixture
def receiver(make_receiver):
    return make_receiver()
