"""How often somebody may ask: an allowance that fills up again with time, one for each name.

Pure: the time is an argument, in seconds of a clock that never goes back.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

MOST_NAMES = 10_000
"""Names remembered; who has not asked for longest is forgotten first."""


class Allowance(NamedTuple):
    """At most `burst` at once, and `per_s` a second in the long run."""

    burst: int
    per_s: float


class Rates:
    """What is left of everybody's allowance."""

    def __init__(self, allowance: Allowance) -> None:
        self._allowance = allowance
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, name: str, now: float) -> float:
        """Return 0 when `name` may ask now, else how many seconds later; takes nothing away."""
        left = self._now(name, now)
        return 0.0 if left >= 1 else (1 - left) / self._allowance.per_s

    def take(self, name: str, now: float) -> float:
        """Take one from the allowance of `name`; returns as `wait_s` does, and takes only when that is 0."""
        wait = self.wait_s(name, now)
        if not wait:
            self._left[name] = (self._now(name, now) - 1, now)
            self._left.move_to_end(name)
            if len(self._left) > MOST_NAMES:
                self._left.popitem(last=False)
        return wait

    def _now(self, name: str, now: float) -> float:
        left, then = self._left.get(name, (float(self._allowance.burst), now))
        return min(float(self._allowance.burst), left + (now - then) * self._allowance.per_s)
