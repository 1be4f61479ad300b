"""The boards: as code, with stable ids, and any data source."""

from __future__ import annotations

import json

import pytest

from tests.deploy.exposed import exposed
from tests.deploy.queries import DEPLOY, boards, expressions, loaded, panels, selectors

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
