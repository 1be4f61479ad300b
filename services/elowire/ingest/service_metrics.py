"""Ingest's figures for the admin port, taken once per beat and never per request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime

from elowire.ingest.entrants_store import count_nobodies
from elowire.ingest.http_guard import Guard
from elowire.ingest.service_intake import Intake
from elowire.ingest.service_outbox import Outbox
from elowire.runtime.metrics import Registry, replace_all


class IngestMetrics:
    """Reads what the guard, the intake and the followers count in plain integers."""

    def __init__(self, registry: Registry, guard: Guard, intake: Intake, outbox: Outbox) -> None:
        self._guard, self._intake, self._outbox = guard, intake, outbox
        self._requests = registry.counter(
            "requests", "Requests by outcome: accepted, repeated, busy, or the status.", ["outcome"]
        )
        self._events = registry.counter("events", "Events by what became of them.", ["outcome"])
        self._connected = registry.gauge("connected", "1 while Kafka answers, else 0.")
        self._unidentified = registry.gauge(
            "unidentified_entrants",
            "Entrants who are nobody yet, or somebody of their event alone (local), as /entrants lists them.",
            ["counts_as"],
        )
        self._alarms = registry.gauge(
            "broadcast_alarm", "1 while a broadcast that we follow is not as it should be.", ["source"]
        )
        self._newest = registry.gauge(
            "newest_event_seconds",
            "Time of the newest event that a source sent, since 1970.",
            ["kind", "source"],
        )
        self._list = registry.gauge(
            "newest_list_seconds", "First day of the newest list in the rating book, since 1970.", ["list"]
        )
        self._told: dict[str, Counter[str]] = {"requests": Counter(), "events": Counter()}

    def take(self, alarms: Mapping[str, str | None], newest: Mapping[str, float]) -> None:
        """Bring the metrics up to date.

        `alarms` says of every broadcast what is wrong, or None; `newest` when its newest event was sent.
        """
        self._connected.set(self._outbox.fault is None)
        without, local = count_nobodies(self._intake.store)
        replace_all(self._unidentified, {("nobody",): float(without), ("local",): float(local)})
        replace_all(self._alarms, {(name,): float(alarm is not None) for name, alarm in alarms.items()})
        heard: dict[tuple[str, ...], float] = {
            (kind, name): at
            for kind, of_kind in (("webhook", self._guard.newest.copy()), ("broadcast", newest))
            for name, at in of_kind.items()
        }
        replace_all(self._newest, heard)
        newest_list = self._intake.newest_list
        replace_all(self._list, {} if newest_list is None else {(newest_list,): _first_day(newest_list)})
        for name, counter, counted in (
            ("requests", self._requests, self._guard.outcomes),
            ("events", self._events, self._intake.outcomes),
        ):
            for word, number in (counted - self._told[name]).items():
                counter.labels(word).inc(number)
            self._told[name] = Counter(counted)


def _first_day(rating_list: str) -> float:
    """Return the time at which a list (`YYYY-MM`) comes into force, in seconds since 1970."""
    return datetime.strptime(f"{rating_list}-01", "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
