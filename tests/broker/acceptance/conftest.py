"""Processors on the session's broker, each with topics of its own."""

from __future__ import annotations

import itertools

import pytest

from tests.broker.acceptance.programs import DATA, Processor
from tests.broker.acceptance.topics import make_empty

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def processors(embedded_kafka, tmp_path_factory):
    """Start a processor on empty topics: `processors(prefix="a-")`; it ends with the module."""
    started = []

    def start(*, prefix="", largest=None):
        make_empty(embedded_kafka.bootstrap, prefix=prefix, largest=largest)
        folder = tmp_path_factory.mktemp("processor")
        group = f"acceptance-{next(_numbers)}"
        started.append(Processor(folder, embedded_kafka.bootstrap, prefix=prefix, group=group))
        return started[-1].ready()

    yield start
    for processor in started:
        processor.end()


@pytest.fixture(scope="module")
def events():
    """Real events."""
    return DATA / "events"


@pytest.fixture(scope="module")
def cases():
    """Figures published by FIDE, and figures computed from the tables."""
    return DATA / "cases"
