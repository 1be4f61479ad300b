"""Ports for the programs that tests start."""

from __future__ import annotations

import fcntl
import itertools
import os
import socket
import tempfile
from contextlib import suppress
from pathlib import Path

# Below what the system gives to outgoing connections, which could take a port between its choice and its use.
_FIRST, _END, _BLOCK = 20_000, 30_000, 250
_claims = []


def claim_block() -> range:
    """A block of ports that is this process's own until it ends.

    Test runs beside each other would else find the same port free, and both use it.
    """
    blocks = list(range(_FIRST, _END, _BLOCK))
    start = os.getpid() % len(blocks)
    for first in blocks[start:] + blocks[:start]:
        claim = (Path(tempfile.gettempdir()) / f"elowire-test-ports-{first}").open("ab")
        with suppress(BlockingIOError):
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _claims.append(claim)
            return range(first, first + _BLOCK)
        claim.close()
    raise RuntimeError(f"{len(blocks)} test processes have all ports between {_FIRST} and {_END}")


_candidates = itertools.cycle(claim_block()[::5])


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
