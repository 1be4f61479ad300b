"""What holds for every test: how far it may reach over the network, and how long properties are searched."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SUITE = Path(__file__).parent
CLOSED = {"contracts", "domain", "project", "stages"}
LOOPBACK = ["127.0.0.1", "::1", "localhost"]

# A shell starts background jobs with SIGINT ignored, and what they start inherits that: no test of Ctrl-C
# could work there.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("dev", deadline=None, max_examples=100)
settings.register_profile("ci", deadline=None, max_examples=300, derandomize=True, print_blob=True)
settings.register_profile(
    "deep",
    deadline=None,
    max_examples=5_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Open the loopback address to the suites that run services, and every address to the broker's set-up."""
    for item in items:
        folder = item.path.relative_to(SUITE).parts[0]
        if item.get_closest_marker("broker"):
            item.add_marker(pytest.mark.enable_socket)
        elif folder not in CLOSED:
            item.add_marker(pytest.mark.allow_hosts(LOOPBACK))
