"""Rules and alerts speak of what exists, and each alert fires and is silent when it should."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from elowire.runtime.settings import Settings
from tests.deploy.exposed import exposed
from tests.deploy.queries import CASES, DEPLOY, alerts, expressions, loaded, recorded, unknown

PROMETHEUS = DEPLOY / "prometheus"
SEVERITIES = {"page", "ticket", "none"}
# Fires by itself for ever: there is no case in which it may be silent.
ALWAYS = {"ElowireWatchdog"}


def promtool(*arguments):
    """Run promtool, which `make test-deploy` installs where it can; gives status and what it said."""
    program = shutil.which("promtool")
    assert program, "promtool is missing: install the package prometheus of your system"
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def cases():
    return [case for path in sorted(CASES.glob("*.yml")) for case in loaded(path)["tests"]]


def test_every_name_in_every_query_is_exposed():
    metrics, own = exposed(), recorded()

    assert [line for at, query in expressions().items() for line in unknown(at, query, metrics, own)] == []


@pytest.mark.parametrize(
    ("query", "finding"),
    [
        ("rate(elowire_processor_gmes_total[5m])", "no service exposes elowire_processor_gmes_total"),
        ('elowire_processor_lag_records{topics="x"}', "has no label topics"),
        ('elowire_processor_sides_total{outcome="ratd"}', "never says outcome='ratd'"),
        ('elowire_processor_sides_total{outcome=~"rated|forfeits"}', "never says outcome='forfeits'"),
        ('elowire_processor_delay_seconds_bucket{le="1"}', "never says le='1'"),
        ("sum by (reasons) (elowire_processor_dead_letters_total)", "has the label reasons"),
        ("elowire:games_rated:rate1m", "no service exposes elowire:games_rated:rate1m"),
    ],
)
def test_a_wrong_name_is_found(query, finding):
    (line,) = unknown("query", query, exposed(), recorded())

    assert finding in line


def test_the_configuration_and_the_rules_are_valid():
    status, said = promtool("check", "config", PROMETHEUS / "prometheus.yml")
    assert status == 0, said
    status, said = promtool("check", "rules", *sorted((PROMETHEUS / "rules").glob("*.yml")))
    assert status == 0, said


def test_each_alert_fires_and_is_silent_as_its_cases_say():
    status, said = promtool("test", "rules", *sorted(CASES.glob("*.yml")))

    assert status == 0, said


def test_a_wrong_case_is_found(tmp_path):
    shutil.copytree(PROMETHEUS, tmp_path / "prometheus")
    kafka = tmp_path / "prometheus" / "tests" / "kafka.yml"
    kafka.write_text(
        kafka.read_text().replace("exp_alerts: []", "exp_alerts: [{exp_labels: {severity: page}}]")
    )

    assert promtool("test", "rules", kafka)[0] != 0


def test_every_alert_has_a_case_that_fires_and_one_that_is_silent():
    fires, silent = set(), set()
    for case in cases():
        for one in case["alert_rule_test"]:
            (fires if one["exp_alerts"] else silent).add(one["alertname"])

    assert fires == alerts().keys()
    assert silent == alerts().keys() - ALWAYS


def test_every_alert_says_how_urgent_it_is_what_happened_and_where_to_read_on():
    for name, rule in alerts().items():
        assert rule["labels"]["severity"] in SEVERITIES, name
        assert rule["annotations"].keys() == {"summary", "description", "runbook_url"}, name
        assert rule["annotations"]["runbook_url"] == f"deploy/README.md#{name.lower()}"


def test_every_alert_has_its_section_in_the_runbook():
    sections = re.findall(r"^### (Elowire\w+)$", (DEPLOY / "README.md").read_text(), re.MULTILINE)

    assert sorted(sections) == sorted(alerts())


def test_the_targets_are_the_admin_ports():
    said = loaded(PROMETHEUS / "targets" / "elowire.yml")
    fields = Settings.model_fields

    assert {group["labels"]["component"]: group["targets"] for group in said} == {
        name: [f"{fields['host'].default}:{fields[f'{name}_admin_port'].default}"]
        for name in ("ingest", "processor", "ticker", "dispatch")
    }
