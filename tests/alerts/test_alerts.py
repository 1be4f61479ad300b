"""Every alert on the real thing: what it is for happens to `elowire up`, and Prometheus is watched.

The rules are the shipped ones, ten times as fast (`tests/deploy/watching.py`). Minutes: `make test-alerts`.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, ExitStack
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.alerts import inside, outside
from tests.alerts.installation import Installation
from tests.alerts.timeline import Timeline
from tests.broker.acceptance.programs import wait_until
from tests.deploy.queries import alerts
from tests.deploy.watching import Watching

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

pytestmark = pytest.mark.broker
FIRES_S, CALM_S, QUIET_S = 180, 420, 30


class Fault(NamedTuple):
    """What is broken, by a function; `alerts` must fire, one in `of` for that component."""

    break_: Callable[[Installation], AbstractContextManager[None]]
    alerts: tuple[str, ...]
    of: Mapping[str, str] = MappingProxyType({})


# Minutes pass until they fire, so they are broken first, all at once.
SLOW = (
    Fault(outside.an_old_list, ("ElowireRatingListOld",)),
    Fault(outside.another_release, ("ElowireTwoReleases",)),
    Fault(
        outside.dead_webhooks, ("ElowireWebhooksFailing", "ElowireWebhooksLate", "ElowireWebhooksOverflow")
    ),
    Fault(outside.a_receiver_leaves, ("ElowireWebhookDisabled",)),
    Fault(outside.strangers_play, ("ElowireUnidentifiedEntrants",)),
    Fault(outside.a_broadcast_is_gone, ("ElowireBroadcastAlarm",)),
    Fault(outside.unsigned_requests, ("ElowireIngestRefuses",)),
    Fault(outside.few_files, ("ElowireFilesOpen",)),
    Fault(outside.a_wrong_next_list, ("ElowireUnexplainedDifferences",)),
    Fault(outside.finished_too_early, ("ElowireIncompleteFinish",)),
)
# One after the other, each mended before the next.
QUICK = (
    Fault(outside.poison_records, ("ElowireDeadLetters",)),
    Fault(outside.two_things_under_one_revision, ("ElowireRevisionConflicts",)),
    Fault(outside.unreadable_outputs, ("ElowireUnreadableRecords",)),
    Fault(outside.a_foreign_write, ("ElowireForeignWrites",)),
    Fault(inside.the_processor_stops, ("ElowireNoProcessor", "ElowireServiceDown")),
    Fault(inside.a_service_dies_again_and_again, ("ElowireRestarting",)),
    Fault(
        inside.a_flood_and_a_slow_processor, ("ElowireProcessorBehind", "ElowireLateFast", "ElowireLateSlow")
    ),
    Fault(inside.a_slow_ticker, ("ElowireTickerBehind",)),
    Fault(inside.sleeping_watchers, ("ElowireWatchersLost",)),
    Fault(inside.a_slow_kafka, ("ElowireKafkaSlow",)),
    Fault(
        inside.kafka_is_silent,
        ("ElowireProcessorStuck", "ElowireKafkaAway"),
        of={"ElowireKafkaAway": "ingest"},
    ),
    Fault(inside.a_long_recovery, ("ElowireRecoveryLong",)),
    Fault(inside.workers_that_stand_still, ("ElowireRebalancing", "ElowireLeaseLost")),
)
LAST = (Fault(inside.a_page_that_stands_still, ("ElowireTickerStale",)),)
ALWAYS = ("ElowireWatchdog",)
NOT_HERE = {
    "ElowireMemory": "1.6 GiB in one service are the state of more than two million players",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alerts")
    site = Installation(folder)
    with site.door:
        try:
            site.start()
            site.prometheus = Watching(folder, site.ports)
            yield site
            site.prometheus.stop()
        finally:
            site.stop()


def test_every_alert_is_brought_about_or_it_is_said_why_not():
    named = [name for fault in (*SLOW, *QUICK, *LAST) for name in fault.alerts]

    assert sorted([*named, *ALWAYS, *NOT_HERE]) == sorted(alerts())


class Watch:
    """Waits for alerts; `missing` says which were not seen as they should be, `rows` what was."""

    def __init__(self, timeline):
        self.timeline, self.missing, self.rows = timeline, [], []

    def fires(self, fault, since):
        """Wait until each alert of the fault was seen pending and then firing."""
        deadline = time.monotonic() + FIRES_S
        for name in fault.alerts:
            of = fault.of.get(name)
            while (firing := self.timeline.first("firing", name, since, of)) is None:
                if time.monotonic() > deadline:
                    self.missing.append(f"{name}: {self.timeline.state(name, of)} after {FIRES_S} s")
                    break
                time.sleep(0.1)
            else:
                self._row(fault, name, self.timeline.first("pending", name, since, of), firing)

    def _row(self, fault, name, pending, firing):
        # Without `for` it fires at once: Prometheus never says that it is pending.
        if "for" in alerts()[name] and (pending is None or pending >= firing):
            self.missing.append(f"{name}: fired and was not pending before")
        said = "-" if pending is None else f"{pending:.0f}"
        self.rows.append(f"| {name} | {fault.break_.__doc__} | {said} | {firing:.0f} |")
        print(self.rows[-1], flush=True)

    def broken(self, fault, site):
        """Break, wait for the alerts, mend."""
        since = time.monotonic()
        with fault.break_(site):
            self.fires(fault, since)


def test_each_alert_is_pending_then_firing_and_calm_again(site, capsys):
    with capsys.disabled(), Timeline(site.prometheus) as timeline:
        watch = Watch(timeline)
        wait_until(lambda: timeline.state("ElowireWatchdog") == "firing", QUIET_S, "the watchdog fires")
        with ExitStack() as slow:
            begun = []
            for fault in SLOW:
                begun.append((fault, time.monotonic()))
                slow.enter_context(fault.break_(site))
            for fault in QUICK:
                watch.broken(fault, site)
            for fault, since in begun:
                watch.fires(fault, since)
            for fault in LAST:
                watch.broken(fault, site)
        mended = time.monotonic()
        left = alerts().keys() - set(ALWAYS)
        wait_until(
            lambda: all(timeline.state(name) == "inactive" for name in left),
            CALM_S,
            lambda: f"calm: {[name for name in left if timeline.state(name) != 'inactive']}; {watch.missing}",
        )
        print(f"all calm {time.monotonic() - mended:.0f} s after the last repair")

    assert watch.missing == []
