"""Ports for the programs that tests start."""

from __future__ import annotations

import itertools
import os
import socket

# Below what the system gives to outgoing connections, which could take a port between its choice and its use.
# Each of pytest-xdist's processes (gw0, gw1 and so on) has ports of its own, and tries them in turn.
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 4  # noqa: TID251 - not a setting
_candidates = itertools.cycle(range(20_000 + 2_500 * _WORKER, 22_500 + 2_500 * _WORKER, 5))
for _ in range(os.getpid() % 500):
    next(_candidates)  # test runs beside each other begin at different places


def free_ports(count: int) -> list[int]:
    """Ports that nobody has, all different; the next one after each is free as well."""
    free = (port for port in _candidates if is_free(port) and is_free(port + 1))

    return list(itertools.islice(free, count))


def free_port() -> int:
    """A port that nobody has."""
    return free_ports(1)[0]


def is_free(port: int) -> bool:
    """Whether a program could listen here now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
