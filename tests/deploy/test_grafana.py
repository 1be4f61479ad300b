"""The boards: as code, with stable ids, and any data source."""

from __future__ import annotations

import json
import math
import re

import pytest

from tests.deploy.exposed import exposed
from tests.deploy.queries import DEPLOY, alerts, boards, expressions, loaded, panels, selectors
from tests.deploy.test_on_a_real_prometheus import EMPTY_AFTER_THE_DEMO

PROVISIONING = DEPLOY / "grafana" / "provisioning"
UIDS = {"broadcast": "elowire-broadcast", "pipeline": "elowire-pipeline"}
WIDTH = 24


def test_the_boards_keep_their_addresses():
    assert {name: board["uid"] for name, board in boards().items()} == UIDS


@pytest.mark.parametrize("name", UIDS)
def test_a_board_takes_any_prometheus(name):
    board = boards()[name]
    (variable,) = board["templating"]["list"]
    sources = [panel["datasource"] for panel in panels(board)]
    sources += [target["datasource"] for panel in panels(board) for target in panel["targets"]]

    assert (variable["type"], variable["query"], variable["name"]) == (
        "datasource",
        "prometheus",
        "datasource",
    )
    assert {json.dumps(source) for source in sources} == {'{"type": "prometheus", "uid": "${datasource}"}'}
    assert "id" not in board


@pytest.mark.parametrize("name", UIDS)
def test_every_panel_says_what_it_shows_and_stands_alone(name):
    taken = set()
    for panel in boards()[name]["panels"]:
        at = panel["gridPos"]
        place = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not place & taken, panel["title"]
        assert at["x"] + at["w"] <= WIDTH, panel["title"]
        taken |= place
        if panel["type"] != "row":
            assert panel["description"].endswith("."), panel["title"]
            assert panel["targets"], panel["title"]
    ids = [panel["id"] for panel in boards()[name]["panels"]]
    assert len(ids) == len(set(ids))


def test_grafana_finds_the_boards_and_prometheus():
    (provider,) = loaded(PROVISIONING / "dashboards" / "elowire.yml")["providers"]
    (source,) = loaded(PROVISIONING / "datasources" / "prometheus.yml")["datasources"]
    grafana = loaded(DEPLOY.parent / "docker-compose.yml")["services"]["grafana"]

    assert f"./deploy/grafana/dashboards:{provider['options']['path']}:ro" in grafana["volumes"]
    assert source["url"] == "$PROMETHEUS_URL"
    assert grafana["environment"]["PROMETHEUS_URL"] == "http://prometheus:9090"


# Where a panel's lines stand, the alert that begins there.
LINES = {
    "Backlog takes": ("ElowireProcessorBehind", 30),
    "Late batches": ("ElowireLateFast", 0.144),
    "Outputs and changelog, 99 of 100": ("ElowireKafkaSlow", 5),
    "Records that readers have still to read": ("ElowireTickerBehind", 1000),
    "Oldest delivery": ("ElowireWebhooksLate", 300),
    "Memory": ("ElowireMemory", 0.8 * 2147483648),
    "Age of the rating list": ("ElowireRatingListOld", 40 * 86400),
}


@pytest.mark.parametrize(("title", "alert", "at"), [(title, *where) for title, where in LINES.items()])
def test_a_line_stands_where_the_alert_begins(title, alert, at):
    [panel] = [one for board in boards().values() for one in panels(board) if one["title"] == title]
    said = re.findall(r"> ([\d.* ]*\d)", alerts()[alert]["expr"])
    limits = [math.prod(map(float, product.split("*"))) for product in said]

    assert at in [step["value"] for step in panel["fieldConfig"]["defaults"]["thresholds"]["steps"]]
    assert at in limits


def test_a_panel_that_may_be_empty_says_why():
    """Sources, lists, rapid and blitz: what nobody has sent cannot be shown."""
    may = {
        panel["title"]: panel["fieldConfig"]["defaults"]["noValue"]
        for board in boards().values()
        for panel in panels(board)
        if "noValue" in panel["fieldConfig"]["defaults"]
    }

    assert may.keys() >= EMPTY_AFTER_THE_DEMO


def test_what_the_services_count_is_looked_at():
    """What neither board nor alert uses would not be missed; these few serve closer looks."""
    used = {selector.name for query in expressions().values() for selector in selectors(query)}
    parts = ("_bucket", "_count", "_sum", "")
    own = {name for name in exposed() if name.startswith("elowire_") and not name.endswith("_created")}
    stems = {name.removesuffix("_bucket").removesuffix("_count").removesuffix("_sum") for name in own}

    assert {stem for stem in stems if not {f"{stem}{part}" for part in parts} & used} == {
        "elowire_dispatch_attempts_under_way",
        "elowire_dispatch_enqueued_deliveries_total",
        "elowire_dispatch_known_events_total",
        "elowire_ingest_events_total",
        "elowire_processor_inputs_total",
        "elowire_processor_recovery_records_total",
        "elowire_ticker_players",
    }
