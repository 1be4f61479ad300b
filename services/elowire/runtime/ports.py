"""TCP ports: whether one can be listened on, and some that can."""

from __future__ import annotations

import socket
from contextlib import ExitStack


def why_taken(host: str, port: int) -> str | None:
    """Return the system's reason why nobody can listen on a port, None where somebody can."""
    with socket.socket() as probe:
        # As Java and our servers bind: connections of an earlier program that are still closing do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as fault:
            return fault.strerror or str(fault)

    return None


def free_ports(host: str, count: int) -> list[int]:
    """Return ports, all different, on which nobody listens now."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind((host, 0))

        return [probe.getsockname()[1] for probe in probes]
