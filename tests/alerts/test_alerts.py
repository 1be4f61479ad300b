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
    within_s: int = FIRES_S


ANOTHER_TICKER = Fault(outside.another_release, ("ElowireTwoReleases",))
A_SLOW_TICKER = Fault(inside.a_slow_ticker, ("ElowireTickerBehind",))
# Minutes pass until they fire, so they are broken first, all at once.
SLOW = (
    Fault(outside.an_old_list, ("ElowireRatingListOld",)),
    ANOTHER_TICKER,
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
        inside.a_flood_and_a_slow_processor,
        ("ElowireProcessorBehind", "ElowireLateFast", "ElowireLateSlow"),
        within_s=300,
    ),
    # After the flood, of whose batches many must be late; before the slow ticker, whose way is cut off later.
    Fault(inside.a_long_recovery, ("ElowireRecoveryLong",)),
    A_SLOW_TICKER,
    Fault(inside.sleeping_watchers, ("ElowireWatchersLost",)),
    Fault(inside.a_slow_kafka, ("ElowireKafkaSlow",)),
    Fault(
        inside.kafka_is_silent,
        ("ElowireProcessorStuck", "ElowireKafkaAway"),
        of={"ElowireKafkaAway": "ingest"},
    ),
    Fault(inside.a_full_processor, ("ElowireMemory",)),
    Fault(inside.workers_that_stand_still, ("ElowireRebalancing", "ElowireLeaseLost")),
)
# The other ticker must have heard nothing for five minutes.
LAST = Fault(inside.a_page_that_stands_still, ("ElowireTickerStale",), within_s=400)
ALWAYS = ("ElowireWatchdog",)


def test_every_alert_is_brought_about():
    named = [name for fault in (*SLOW, *QUICK, LAST) for name in fault.alerts]

    assert sorted([*named, *ALWAYS]) == sorted(alerts())


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


class Watch:
    """Breaks, and waits for alerts; prints a row of the README's table for each."""

    def __init__(self, site, timeline, capsys_off):
        self.site, self.timeline, self._capsys_off = site, timeline, capsys_off
        self._lasting = ExitStack()
        self._begun = {}

    def begin(self, faults):
        """Break these, until `mend`."""
        for fault in faults:
            self._begun[fault.break_] = time.monotonic()
            self._lasting.enter_context(fault.break_(self.site))

    def mend(self):
        """Mend what was begun."""
        self._lasting.close()

    def broken(self, fault):
        """Break, wait for the alerts, mend."""
        since = time.monotonic()
        with fault.break_(self.site):
            self.fires(fault, since)

    def fires(self, fault, since=None):
        """Wait until each alert of the fault was seen pending and then firing."""
        since = self._begun[fault.break_] if since is None else since
        deadline = time.monotonic() + fault.within_s
        missing = [problem for name in fault.alerts if (problem := self._seen(fault, name, since, deadline))]
        assert missing == []

    def say(self, line):
        with self._capsys_off():
            print(line, flush=True)

    def _seen(self, fault, name, since, deadline):
        """Say what is missing of one alert, None where nothing is."""
        of = fault.of.get(name)
        while (firing := self.timeline.first("firing", name, since, of)) is None:
            if time.monotonic() > deadline:
                return f"{name}: {self.timeline.state(name, of)} after {time.monotonic() - since:.0f} s"
            time.sleep(0.1)
        pending = self.timeline.first("pending", name, since, of)
        said = "-" if pending is None else f"{pending:.0f}"
        self.say(f"| {name} | {fault.break_.__doc__} | {said} | {firing:.0f} |")
        # Without `for` it fires at once: Prometheus never says that it is pending.
        if "for" in alerts()[name] and (pending is None or pending >= firing):
            return f"{name}: fired and was not pending before"
        return None


@pytest.fixture(scope="module")
def watch(site, request):
    """What lasts is broken already, as far as this run has a test of it."""
    names = " ".join(one.name for one in request.session.items)
    chosen = [fault for fault in SLOW if f"[{name_of(fault)}]" in names]
    needing = test_nothing_new_on_the_page.__name__, name_of(A_SLOW_TICKER)
    if any(name in names for name in needing) and ANOTHER_TICKER not in chosen:
        chosen.append(ANOTHER_TICKER)
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with Timeline(site.prometheus) as timeline:
        watch = Watch(site, timeline, capture.global_and_fixture_disabled)
        wait_until(lambda: timeline.state("ElowireWatchdog") == "firing", QUIET_S, "the watchdog fires")
        try:
            watch.begin(chosen)
            yield watch
        finally:
            watch.mend()


def name_of(fault):
    return fault.break_.__name__


@pytest.mark.parametrize("fault", QUICK, ids=name_of)
def test_it_fires_while_it_is_broken(watch, fault):
    watch.broken(fault)


@pytest.mark.parametrize("fault", SLOW, ids=name_of)
def test_it_fires_in_the_long_run(watch, fault):
    watch.fires(fault)


def test_nothing_new_on_the_page(watch):
    watch.broken(LAST)


def test_all_are_calm_when_all_is_mended(watch):
    watch.mend()
    mended = time.monotonic()
    left = alerts().keys() - set(ALWAYS)

    def loud():
        return [name for name in left if watch.timeline.state(name) != "inactive"]

    wait_until(lambda: not loud(), CALM_S, lambda: f"calm: {loud()}")
    watch.say(f"all calm {time.monotonic() - mended:.0f} s after the last repair")
