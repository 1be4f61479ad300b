"""What the real Prometheus of the tests is given: the shipped rules, ten times as fast and else the same."""

from __future__ import annotations

import re

import promql_parser
import yaml

from tests.deploy.queries import RULES, nodes
from tests.deploy.test_prometheus import promtool
from tests.deploy.watching import FASTER, shortened

SHIPPED = {path.name: path.read_text() for path in sorted(RULES.glob("*.yml"))}
UNITS_S = {"s": 1, "m": 60, "h": 3_600}


def rules(text):
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


def held_s(rule):
    """Seconds that an alert must hold."""
    said = rule.get("for", "0s")
    if said.endswith("ms"):
        return int(said[:-2]) / 1_000
    return int(said[:-1]) * UNITS_S[said[-1]]


def windows_s(rule):
    return [
        node.range.total_seconds()
        for node in nodes(rule["expr"])
        if isinstance(node, promql_parser.MatrixSelector)
    ]


def test_a_duration_and_a_window_are_divided_and_a_name_and_a_threshold_are_not():
    rule = "expr: elowire:ratio5m > 300 and sum(increase(x[10m])) > 40 * 86400\nfor: 1h\n"

    assert shortened(rule, 10) == (
        "expr: elowire:ratio5m > 300 and sum(increase(x[60000ms])) > 40 * 86400\nfor: 360000ms\n"
    )


def test_every_rule_is_there_and_every_time_in_it_is_a_tenth():
    times = 0
    for text in SHIPPED.values():
        for before, after in zip(rules(text), rules(shortened(text)), strict=True):
            assert held_s(after) * FASTER == held_s(before), before
            assert [one * FASTER for one in windows_s(after)] == windows_s(before), before
            times += len(windows_s(before)) + ("for" in before)
    assert times == sum(len(re.findall(r"\bfor: \d|\[\d", text)) for text in SHIPPED.values()) > 40


def test_nothing_else_differs():
    plain = re.compile(r"\d+(ms|[smh])\b")
    for text in SHIPPED.values():
        assert plain.sub("TIME", shortened(text)) == plain.sub("TIME", text)


def test_prometheus_takes_them(tmp_path):
    for name, text in SHIPPED.items():
        (tmp_path / name).write_text(shortened(text))
    status, said = promtool("check", "rules", *sorted(tmp_path.glob("*.yml")))

    assert status == 0, said
