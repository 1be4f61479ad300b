"""A real Prometheus looks at `elowire up`: panels have something to show, alerts fire without a processor."""

from __future__ import annotations

import itertools
import json
import signal

import pytest

from tests.broker.acceptance.programs import DATA, Program, feed, living, run, wait_until
from tests.deploy.watching import COMPONENTS, Watching, empty_panels, shows
from tests.ports import free_ports

pytestmark = pytest.mark.broker
EVENT = DATA / "events" / "us-championship-2025.json"
LIST = DATA / "lists" / "players_list.txt"
PORTS = {
    f"{name}_port": f"ELOWIRE_{name.upper()}_PORT"
    for name in (
        *("kafka", "ticker", "ingest", "dispatch"),
        *("processor_admin", "ticker_admin", "ingest_admin", "dispatch_admin"),
    )
}
WAIT_S = 60
# Nobody has sent a signed request: there is nothing to show until somebody does, and the panel says so.
EMPTY = {"Freshness by source"}
# The demo is one event of standard chess that no source sends, and FIDE's next list settles all of it.
EMPTY_AFTER_THE_DEMO = EMPTY | {
    "Rating points won or lost, standard",
    "Rating points won or lost, rapid",
    "Rating points won or lost, blitz",
    "Age of the rating list",
}
AT_THE_END = EMPTY_AFTER_THE_DEMO - EMPTY


@pytest.fixture
def ports():
    return dict(zip(PORTS, free_ports(len(PORTS)), strict=True))


@pytest.fixture
def up(tmp_path, ports):
    """`elowire up` with a list, a rated championship and its correction."""
    environment = {PORTS[name]: port for name, port in ports.items()} | {"ELOWIRE_LOG_FORMAT": "json"}
    data = tmp_path / "data"
    program = Program(tmp_path / "said", "up", "--data", data, **environment)
    try:
        program.until("ready; stop with Ctrl-C")
        program.bootstrap = f"127.0.0.1:{ports['kafka_port']}"
        program.data = data
        yield program
    finally:
        program.end()


@pytest.fixture
def watching(tmp_path, ports):
    prometheus = Watching(tmp_path, ports)
    yield prometheus
    prometheus.stop()


def processor_of(program):
    (found,) = [one for one in program.family() if one.is_running() and one.cmdline()[-1:] == ["processor"]][
        -1:
    ]
    return found


def one_more_fact(up, revision):
    """The first game is annulled, and played again with the next revision."""
    event = json.loads(EVENT.read_bytes())
    if revision % 2:
        event["games"][0]["status"] = "annulled"
    path = up.data.parent / EVENT.name
    path.write_text(json.dumps(event))
    feed(up.bootstrap, path, "--revision", str(revision))


def test_every_panel_shows_something_and_alerts_fire_when_the_processor_stops(up, watching):
    where = ("--data", up.data, "--bootstrap", up.bootstrap)
    loaded = run("lists", "load", LIST, "--list", "2025-10", "--accept-doubts", *where)
    assert loaded.returncode == 0, loaded.stderr
    feed(up.bootstrap, EVENT)
    for time_control in ("rapid", "blitz"):
        feed(up.bootstrap, EVENT, "--tournament", time_control, "--time-control", time_control)
    wait_until(
        lambda: watching.result('elowire_processor_sides_total{outcome="rated"} >= 360'),
        WAIT_S,
        lambda: f"rated games in Prometheus: {up.err[-1000:]}",
    )
    # A rate looks back for half a minute here: on a slow machine feeding has taken longer than that.
    revisions = itertools.count(1)
    empty = set(empty_panels(watching, EMPTY))

    def still_empty():
        one_more_fact(up, next(revisions))
        empty.intersection_update(empty_panels(watching, EMPTY, empty))
        return empty

    wait_until(lambda: not still_empty(), WAIT_S, lambda: f"panels with figures: {empty}")
    calm = watching.states()

    # Stopped, not killed: `elowire up` would start it again. It answers nobody from now on.
    processor = processor_of(up)
    processor.send_signal(signal.SIGSTOP)
    seen = []

    def fires():
        state = watching.states().get("ElowireNoProcessor")
        if state and state not in seen[-1:]:
            seen.append(state)
        return state == "firing"

    try:
        wait_until(fires, WAIT_S, lambda: f"the alert fires: {watching.states()}")
        down = watching.states()
    finally:
        processor.send_signal(signal.SIGCONT)
    wait_until(
        lambda: "ElowireNoProcessor" not in watching.states(),
        WAIT_S,
        lambda: f"calm again: {watching.states()}",
    )

    assert {name for name in calm if name.startswith("ElowireWebhook")} == set()
    assert not {"ElowireServiceDown", "ElowireNoProcessor", "ElowireKafkaAway"} & calm.keys()
    assert calm["ElowireWatchdog"] == "firing"
    assert seen == ["pending", "firing"]
    assert down["ElowireServiceDown"] in {"pending", "firing"}
    assert "ElowireTickerBehind" not in down


def admin_ports(program):
    """The admin port of each service that a program has started, None before all are there."""
    ports = {}
    for one in living(program.family()):
        words = one.cmdline()[1:]
        if words[:2] == ["-m", "elowire"] and words[2] in COMPONENTS:
            name = f"{words[2]}_admin_port"
            ports[name] = one.environ()[f"ELOWIRE_{name.upper()}"]
    return ports if len(ports) == len(COMPONENTS) else None


def empty_titles(prometheus):
    return {panel.partition(": ")[2] for panel in empty_panels(prometheus)}


def test_every_panel_shows_something_after_the_demo(tmp_path):
    demo = Program(tmp_path / "said", "demo", "--keep", ELOWIRE_LOG_FORMAT="json")
    try:
        # Before the first game, since a counter that has stopped growing has no rate.
        ports = wait_until(lambda: admin_ports(demo), WAIT_S, "four services")
        prometheus = Watching(tmp_path, ports)
        try:
            empty = set(empty_panels(prometheus, EMPTY_AFTER_THE_DEMO))

            def still_empty():
                empty.intersection_update(empty_panels(prometheus, EMPTY_AFTER_THE_DEMO, empty))
                return empty

            # While it plays: a rate of what has ended is gone after half a minute.
            wait_until(lambda: not still_empty(), 2 * WAIT_S, lambda: f"panels with figures: {empty}")
            demo.until("still serving")
            wait_until(lambda: empty_titles(prometheus) >= AT_THE_END, WAIT_S, "panels without figures")
        finally:
            prometheus.stop()
    finally:
        demo.end()


def test_a_panel_of_which_grafana_draws_nothing_is_found():
    assert not shows(None)
    assert not shows([])
    assert not shows([{"value": [0, "NaN"]}])
    assert shows([{"value": [0, "NaN"]}, {"value": [0, "0"]}])
