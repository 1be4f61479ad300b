"""Metrics: every use of prometheus_client. Names are ``elowire_<service>_<noun>_<unit>``.

A service makes one `Registry`, its metrics on it, and hands it to the admin server. Hot paths do not touch
metrics per record: they count in plain integers and report once per batch.
"""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from elowire.contracts.dead_letters import DeadLetterReason
from elowire.contracts.vocabulary import ReconciliationVerdict
from elowire.domain import Completeness, Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONTENT_TYPE = CONTENT_TYPE_LATEST
# From half a millisecond (an idle broker on the same machine) to the time budget of a batch.
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20)
# From a record that passes at once to a backlog of a day.
DELAYS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600, 86_400)
_NOUN = re.compile(r"[a-z]+(_[a-z]+)*")


class Registry:
    """The metrics of one service, with those of its process, collector and release."""

    def __init__(self, service: str) -> None:
        self.service = service
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        GCCollector(registry=self._registry)
        release = Gauge(
            "elowire_build_info", "The release that runs.", ["service", "release"], registry=self._registry
        )
        release.labels(service, version("elowire")).set(1)

    def counter(self, noun: str, documentation: str, labels: Sequence[str] = ()) -> Counter:
        """A number that only grows; Prometheus sees it with ``_total`` at the end."""
        return Counter(self._name(noun), documentation, labels, registry=self._registry)

    def gauge(self, noun: str, documentation: str, labels: Sequence[str] = ()) -> Gauge:
        """A number that goes up and down; the noun ends in its unit where it has one."""
        return Gauge(self._name(noun), documentation, labels, registry=self._registry)

    def seconds(
        self,
        noun: str,
        documentation: str,
        labels: Sequence[str] = (),
        buckets: Sequence[float] = SECONDS,
    ) -> Histogram:
        """A distribution of durations; ``_seconds`` is added to the noun."""
        return Histogram(
            self._name(f"{noun}_seconds"), documentation, labels, registry=self._registry, buckets=buckets
        )

    def exposition(self) -> bytes:
        """Everything in Prometheus' text format (`CONTENT_TYPE`)."""
        return generate_latest(self._registry)

    def _name(self, noun: str) -> str:
        if not _NOUN.fullmatch(noun):
            raise ValueError(f"a metric's noun is lower case words joined by underscores, not {noun!r}")
        return f"elowire_{self.service}_{noun}"


def replace_all(gauge: Gauge, values: Mapping[tuple[str, ...], float]) -> None:
    """Set a labelled gauge to exactly `values` (labels -> number): what is gone is not shown any more."""
    gauge.clear()
    for labels, value in values.items():
        gauge.labels(*labels).set(value)


class ProcessorMetrics:
    """The processor's figures. Its methods are called once per batch, recovery or poll, never per record."""

    # Words of a batch's counts that begin so are one metric with the rest of the word as its label.
    _FAMILIES = ("side_", "dead_letter_", "input_", "reconciled_", "finished_")

    def __init__(self, registry: Registry) -> None:
        self._batches = registry.counter("batches", "Batches that are durable.")
        self._records = registry.counter("records", "Source records in durable batches.", ["topic"])
        self._sides = registry.counter(
            "sides", "Sides of games taken into ledgers: rated, or the refusal.", ["outcome"]
        )
        self._dead_letters = registry.counter("dead_letters", "Records refused.", ["reason"])
        self._inputs = registry.counter(
            "inputs", "Input events: new, or why they changed nothing.", ["verdict"]
        )
        self._reconciliations = registry.counter(
            "reconciliations", "Predictions compared with a list.", ["verdict"]
        )
        self._finished = registry.counter(
            "finished_tournaments",
            "Times a tournament was finished: complete, or how its games differ from those expected.",
            ["games"],
        )
        self._effects = registry.counter(
            "effects", "What else batches did: corrections, annulments, live_ratings, rerouted.", ["effect"]
        )
        self._lag = registry.gauge("lag_records", "Records not yet processed.", ["topic", "partition"])
        self._keys = registry.gauge("state_keys", "Keys in the tables of this process.", ["stage"])
        self._phases = registry.gauge("partitions", "Partitions of this process by phase.", ["phase"])
        self._decide = registry.seconds("decide", "Time to decide over a batch.")
        self._delay = registry.seconds(
            "delay", "Age of a batch's oldest source record when the batch is durable.", buckets=DELAYS
        )
        self._barrier = registry.seconds("barrier", "Time until Kafka acknowledged a batch.", ["barrier"])
        self._recovery = registry.seconds(
            "recovery", "Time to read the tables.", buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
        )
        self._recovered = registry.counter("recovery_records", "Changelog records read by recoveries.")
        self._remaining = registry.gauge("recovery_remaining_records", "Changelog records still to read.")
        self._repaired = registry.counter("repaired_keys", "Keys written again after a foreign write.")
        self._foreign = registry.counter("foreign_writes", "Times another process wrote our changelog.")
        self._lease_losses = registry.counter("lease_losses", "Batches dropped because the lease was lost.")
        # A series that begins at one has no increase: the first of its kind would go unnoticed.
        for refusal in ("rated", *Refusal):
            self._sides.labels(refusal)
        for reason in DeadLetterReason:
            self._dead_letters.labels(reason)
        for verdict in ReconciliationVerdict:
            self._reconciliations.labels(verdict)
        for found in Completeness:
            self._finished.labels(found)
        for effect in ("live_ratings", "corrections", "annulments", "rerouted"):
            self._effects.labels(effect)

    def batch(
        self,
        *,
        records: Mapping[str, int],
        counts: Mapping[str, int],
        decide_s: float,
        outputs_s: float,
        changelog_s: float,
        delay_s: float | None = None,
    ) -> None:
        """Take a durable batch: records by topic, what the stages counted, and seconds of each step.

        `delay_s` is how old its oldest source record has become, None for a batch that had none.
        """
        self._batches.inc()
        for topic, number in records.items():
            self._records.labels(topic).inc(number)
        counters = self._sides, self._dead_letters, self._inputs, self._reconciliations, self._finished
        families = dict(zip(self._FAMILIES, counters, strict=True))
        for word, number in counts.items():
            family = next((prefix for prefix in self._FAMILIES if word.startswith(prefix)), None)
            if family is None:
                self._effects.labels(word).inc(number)
            else:
                families[family].labels(word.removeprefix(family)).inc(number)
        self._decide.observe(decide_s)
        self._barrier.labels("outputs").observe(outputs_s)
        self._barrier.labels("changelog").observe(changelog_s)
        if delay_s is not None:
            self._delay.observe(delay_s)

    def lag(self, records: Mapping[tuple[str, int], int]) -> None:
        """Set the lag in records of this process's partitions: topic, partition -> records."""
        replace_all(self._lag, {(topic, str(number)): lag for (topic, number), lag in records.items()})

    def state_keys(self, keys: Mapping[str, int]) -> None:
        """Set the number of keys in memory: stage -> keys."""
        replace_all(self._keys, {(stage,): number for stage, number in keys.items()})

    def phases(self, partitions: Mapping[str, int]) -> None:
        """Set the number of partitions in each phase."""
        replace_all(self._phases, {(phase,): number for phase, number in partitions.items()})

    def recovering(self, remaining: int) -> None:
        """Set how many changelog records the recovery has still to read."""
        self._remaining.set(remaining)

    def recovered(self, *, seconds: float, records: int, repaired: int = 0) -> None:
        """Take a recovery that is complete."""
        self._recovery.observe(seconds)
        self._recovered.inc(records)
        self._repaired.inc(repaired)
        self._remaining.set(0)

    def lease_lost(self) -> None:
        """Count a batch that was dropped because the partitions are not ours any more."""
        self._lease_losses.inc()

    def foreign_write(self) -> None:
        """Count another process's write to our changelog."""
        self._foreign.inc()
