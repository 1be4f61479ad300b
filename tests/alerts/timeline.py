"""When each alert changed its state, as a real Prometheus told it."""

from __future__ import annotations

import threading
import time
from collections import defaultdict

LOOK_S = 0.25
ORDER = ("inactive", "pending", "firing")


class Timeline:
    """Asks Prometheus for its alerts all the time. `changes`: (alert, component) -> [(when, state), ...]."""

    def __init__(self, prometheus):
        self._prometheus = prometheus
        self._over = threading.Event()
        self.changes = defaultdict(list)
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def state(self, alert, component=None):
        """The state now: the most urgent one where several services have the alert."""
        return max(
            (self.changes[key][-1][1] for key in self._keys(alert, component)),
            key=ORDER.index,
            default="inactive",
        )

    def first(self, state, alert, since, component=None):
        """Seconds from `since` to the first time that the alert was seen in this state, None before that."""
        found = [
            when - since
            for key in self._keys(alert, component)
            for when, seen in self.changes[key]
            if seen == state and when >= since
        ]
        return min(found, default=None)

    def _keys(self, alert, component):
        return [key for key in list(self.changes) if key[0] == alert and component in {None, key[1]}]

    def _look(self):
        while not self._over.wait(LOOK_S):
            found = self._prometheus.get("alerts")
            if found is None:
                continue
            now, states = time.monotonic(), {}
            for one in found["alerts"]:
                key = one["labels"]["alertname"], one["labels"].get("component", "")
                states[key] = max(states.get(key, "inactive"), one["state"], key=ORDER.index)
            for key in states.keys() | self.changes.keys():
                state = states.get(key, "inactive")
                if not self.changes[key] or self.changes[key][-1][1] != state:
                    self.changes[key].append((now, state))
