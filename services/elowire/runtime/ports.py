"""Whether a TCP port can be listened on."""

from __future__ import annotations

import socket


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
