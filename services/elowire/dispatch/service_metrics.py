"""Dispatch's figures for the admin port, taken once per beat and never per delivery."""

from __future__ import annotations

from collections import Counter

from elowire.dispatch.feed import Progress
from elowire.dispatch.sender import Sender
from elowire.dispatch.store import Store
from elowire.dispatch.subscriptions import State
from elowire.runtime.metrics import Registry, replace_all

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60)


class DispatchMetrics:
    """Reads what the feed and the sender count in plain integers, and how long the queue is."""

    def __init__(self, registry: Registry, store: Store, progress: Progress) -> None:
        self._store, self._progress = store, progress
        self._connected = registry.gauge("connected", "1 while Kafka answers, else 0.")
        self._lag = registry.gauge("lag_records", "Records not read yet.")
        self._subscriptions = registry.gauge("subscriptions", "Subscriptions by state.", ["state"])
        self._failing = registry.gauge("failing_subscriptions", "Active ones whose last attempt failed.")
        self._waiting = registry.gauge(
            "queued_deliveries", "Deliveries that wait, by the state of their subscription.", ["state"]
        )
        self._oldest = registry.gauge(
            "oldest_queued_seconds", "How long the oldest delivery of an active subscription has waited."
        )
        self._under_way = registry.gauge("attempts_under_way", "Requests without an answer yet.")
        self._queued = registry.counter(
            "enqueued_deliveries", "Deliveries queued, by kind of event.", ["kind"]
        )
        self._known = registry.counter("known_events", "Events that were no news, by kind.", ["kind"])
        self._overflowed = registry.counter("overflowed_deliveries", "Deliveries that found the queue full.")
        self._refused = registry.counter("refused_records", "Records that could not be read.")
        self._attempts = registry.counter("attempts", "Attempts by outcome.", ["outcome"])
        self._disabled = registry.counter("disabled_subscriptions", "Subscriptions disabled by failures.")
        self._seconds = registry.seconds("attempt", "Time of an attempt.", buckets=_SECONDS)
        self._told: dict[str, Counter[str]] = {"queued": Counter(), "known": Counter(), "attempts": Counter()}
        self._told_numbers = (0, 0, 0)

    def took(self, seconds: float) -> None:
        """Take the time of an attempt."""
        self._seconds.observe(seconds)

    def take(self, sender: Sender, now_ms: int) -> None:
        """Bring the metrics up to date."""
        progress = self._progress
        self._connected.set(progress.fault is None)
        self._lag.set(progress.behind)
        self._under_way.set(len(sender))
        self._look(now_ms)
        for name, counter, counted in (
            ("queued", self._queued, progress.queued),
            ("known", self._known, progress.known),
            ("attempts", self._attempts, sender.outcomes),
        ):
            for word, number in (counted - self._told[name]).items():
                counter.labels(word).inc(number)
            self._told[name] = Counter(counted)
        numbers = (progress.overflowed, progress.refused, sender.disabled)
        counters = (self._overflowed, self._refused, self._disabled)
        for counter, number, before in zip(counters, numbers, self._told_numbers, strict=True):
            counter.inc(number - before)
        self._told_numbers = numbers

    def _look(self, now_ms: int) -> None:
        with self._store.reading() as connection:
            subscriptions = dict(
                connection.execute("SELECT state, COUNT(*) FROM subscription GROUP BY state").fetchall()
            )
            (failing,) = connection.execute(
                "SELECT COUNT(*) FROM subscription WHERE state = 'active' AND failures > 0"
            ).fetchone()
            waiting = connection.execute(
                "SELECT subscription.state, COUNT(*), MIN(delivery.id) FROM delivery "
                "JOIN subscription ON subscription.id = delivery.subscription "
                "WHERE delivery.state = 'queued' GROUP BY subscription.state"
            ).fetchall()
            oldest = {state: number for state, _, number in waiting}.get("active")
            created_ms = now_ms
            if oldest is not None:
                (created_ms,) = connection.execute(
                    "SELECT created_ms FROM delivery WHERE id = ?", (oldest,)
                ).fetchone()
        none = {(state.value,): 0.0 for state in State}
        replace_all(self._subscriptions, none | {(state,): n for state, n in subscriptions.items()})
        replace_all(self._waiting, none | {(state,): n for state, n, _ in waiting})
        self._failing.set(failing)
        self._oldest.set((now_ms - created_ms) / 1000)
