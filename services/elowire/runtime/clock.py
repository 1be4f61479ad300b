"""The only module that reads the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def now() -> datetime:
    """Return the present moment in UTC, with microseconds."""
    return datetime.now(UTC)


def now_ms() -> int:
    """Return the present moment in milliseconds since 1970, as Kafka writes it."""
    return time.time_ns() // 1_000_000


def wall() -> float:
    """Return the present moment in seconds since 1970."""
    return time.time()


def monotonic() -> float:
    """Seconds of a clock that never goes back, for durations and deadlines."""
    return time.monotonic()
