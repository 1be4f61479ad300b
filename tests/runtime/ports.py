"""Ports of this folder's brokers: below those that the system gives out, and another row for each process."""

from __future__ import annotations

import os

# pytest-xdist names its processes gw0, gw1 and so on.
FIRST = 30200 + 100 * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
BROKER, STARTER, REFUSALS, ADMIN = FIRST, FIRST + 10, FIRST + 30, FIRST + 50
