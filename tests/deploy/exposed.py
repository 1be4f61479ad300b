"""What the services really expose: metrics, their labels, and the words that labels have from the start."""

from __future__ import annotations

from dataclasses import dataclass, field

from prometheus_client.parser import text_string_to_metric_families

from elowire.dispatch.schedule import Outcome
from elowire.dispatch.service_metrics import DispatchMetrics
from elowire.ingest.service_metrics import IngestMetrics
from elowire.runtime.metrics import ProcessorMetrics, Registry
from elowire.ticker.metrics import TickerMetrics

SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}
# Words that a series gets when something happens first, by metric and label.
LATER = {
    ("elowire_dispatch_attempts_total", "outcome"): {outcome.value for outcome in Outcome},
    ("elowire_ingest_unidentified_entrants", "counts_as"): {"nobody", "local"},
    ("elowire_ingest_requests_total", "outcome"): {
        *("accepted", "repeated", "busy"),
        *("400", "401", "404", "408", "409", "413", "415", "422", "429", "500", "503"),
    },
    ("elowire_ticker_mover_points", "time_control"): {"standard", "rapid", "blitz"},
}


@dataclass
class Metric:
    """One name as queries have it: labels beside those of the target, and what they are known to say."""

    labels: set[str] = field(default_factory=set)
    words: dict[str, set[str]] = field(default_factory=dict)


def registries():
    """A registry of every service, by the name of its component; nothing runs."""
    made = {name: Registry(name) for name in ("ingest", "processor", "ticker", "dispatch")}
    ProcessorMetrics(made["processor"])
    IngestMetrics(made["ingest"], None, None, None)
    TickerMetrics(made["ticker"], None, None, None)
    DispatchMetrics(made["dispatch"], None, None)

    return made


def exposed():
    """Every metric that any service has, by name."""
    found = {}
    for registry in registries().values():
        for family in text_string_to_metric_families(registry.exposition().decode()):
            for suffix in SUFFIXES.get(family.type, ("",)):
                found.setdefault(family.name + suffix, Metric())
            for sample in family.samples:
                metric = found.setdefault(sample.name, Metric())
                for label, word in sample.labels.items():
                    metric.labels.add(label)
                    metric.words.setdefault(label, set()).add(word)
        for name, labels in _declared(registry).items():
            if name in found:
                found[name].labels |= labels
    for (name, label), words in LATER.items():
        found[name].words[label] = words | found[name].words.get(label, set())

    return found


def _declared(registry):
    """Labels of metrics that have no series yet, which the text format does not show."""
    return {
        name: set(getattr(metric, "_labelnames", ()))
        for metric, names in registry._registry._collector_to_names.items()  # noqa: SLF001 - shown nowhere else
        for name in names
    }
