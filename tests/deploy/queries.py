"""The queries of rules and boards, and what is wrong with their names. Each finding is a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import promql_parser
import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = DEPLOY / "prometheus" / "rules"
CASES = DEPLOY / "prometheus" / "tests"
BOARDS = DEPLOY / "grafana" / "dashboards"
# What targets say of themselves, and what Prometheus makes by itself.
OF_TARGETS = {"job", "instance", "component"}
OF_PROMETHEUS = {"up": set(), "ALERTS": {"alertname", "alertstate", "severity"}}


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def rules(folder: Path = RULES) -> list[dict[str, Any]]:
    return [
        rule
        for path in sorted(folder.glob("*.yml"))
        for group in loaded(path)["groups"]
        for rule in group["rules"]
    ]


def alerts() -> dict[str, dict[str, Any]]:
    return {rule["alert"]: rule for rule in rules() if "alert" in rule}


def recorded() -> dict[str, str]:
    return {rule["record"]: rule["expr"] for rule in rules() if "record" in rule}


def boards() -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text()) for path in sorted(BOARDS.glob("*.json"))}


def panels(board: dict[str, Any]) -> list[dict[str, Any]]:
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def expressions() -> dict[str, str]:
    """Every query of rules and boards, by where it stands."""
    found = {rule.get("alert") or rule["record"]: rule["expr"] for rule in rules()}
    for name, board in boards().items():
        for panel in panels(board):
            for target in panel["targets"]:
                found[f"{name}: {panel['title']} {target['refId']}"] = target["expr"]
        for annotation in board["annotations"]["list"]:
            found[f"{name}: {annotation['name']}"] = annotation["expr"]

    return found


def nodes(expression: str) -> list[Any]:
    """Every part of a query, depth first. Raises ValueError for one that Prometheus would not take."""
    found: list[Any] = []
    promql_parser.walk(promql_parser.parse(expression), found.append)

    return found


def selectors(expression: str) -> list[Any]:
    return [node for node in nodes(expression) if isinstance(node, promql_parser.VectorSelector)]


def unknown(where, expression, metrics, own):
    """Names, labels and words that nothing exposes. `metrics`: name -> Metric; `own`: recorded names."""
    found, labels = [], OF_TARGETS | {"le"}
    for selector in selectors(expression):
        name = selector.name
        if name in own:
            labels |= _kept(own[name])
            continue
        if name in OF_PROMETHEUS:
            known, words = OF_PROMETHEUS[name] | OF_TARGETS, {}
        elif name in metrics:
            known, words = metrics[name].labels | OF_TARGETS, metrics[name].words
        else:
            found.append(f"{where}: no service exposes {name}")
            continue
        labels |= known
        for matcher in selector.matchers.matchers:
            if matcher.name not in known:
                found.append(f"{where}: {name} has no label {matcher.name}")
            elif matcher.name in words:
                found += [
                    f"{where}: {name} never says {matcher.name}={word!r}"
                    for word in matcher.value.split("|")
                    if word not in words[matcher.name]
                ]
    if found:
        return found

    return [
        f"{where}: nothing in the query has the label {label}" for label in sorted(_kept(expression) - labels)
    ]


def _kept(expression: str) -> set[str]:
    """Labels that the aggregations of a query keep."""
    return {
        label
        for node in nodes(expression)
        if isinstance(node, promql_parser.AggregateExpr) and node.modifier is not None
        for label in node.modifier.labels
    }
