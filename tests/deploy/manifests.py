"""Kubernetes resources that follow from the code; `make manifests` writes them.

Topics come from the catalogue, users from the permissions, rules from deploy/prometheus.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import yaml

from elowire.contracts.access import Service, acls
from elowire.contracts.topics import CATALOGUE, DEFAULT_PARTITIONS

ROOT = Path(__file__).parents[2]
KUBERNETES = ROOT / "deploy" / "kubernetes"
CLUSTER = {"strimzi.io/cluster": "kafka"}
REPLICAS, MIN_INSYNC = 3, 2
HEAD = "# Made by `make manifests` from {source}.\n"


def topics() -> list[dict[str, Any]]:
    """One KafkaTopic for each topic of the catalogue."""
    return [
        {
            "apiVersion": "kafka.strimzi.io/v1",
            "kind": "KafkaTopic",
            "metadata": {"name": topic.name, "labels": CLUSTER},
            "spec": {
                "topicName": topic.name,
                "partitions": DEFAULT_PARTITIONS,
                "replicas": REPLICAS,
                "config": topic.config(min_insync=MIN_INSYNC),
            },
        }
        for topic in CATALOGUE
    ]


def users() -> list[dict[str, Any]]:
    """One KafkaUser for each service, with the least that it must be allowed."""
    allowed: dict[Service, dict[tuple[str, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for acl in acls():
        allowed[acl.service][acl.resource, acl.name].append(acl.operation)

    return [
        {
            "apiVersion": "kafka.strimzi.io/v1",
            "kind": "KafkaUser",
            "metadata": {"name": f"elowire-{service}", "labels": CLUSTER},
            "spec": {
                "authentication": {"type": "tls"},
                "authorization": {
                    "type": "simple",
                    "acls": [
                        {
                            "resource": {"type": kind, "name": name, "patternType": "literal"},
                            "operations": operations,
                        }
                        for (kind, name), operations in resources.items()
                    ],
                },
            },
        }
        for service, resources in allowed.items()
    ]


def rules() -> list[dict[str, Any]]:
    """The rules of deploy/prometheus as one resource."""
    files = sorted((ROOT / "deploy" / "prometheus" / "rules").glob("*.yml"))
    groups = [group for path in files for group in yaml.safe_load(path.read_text())["groups"]]

    return [
        {
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "PrometheusRule",
            "metadata": {"name": "elowire", "namespace": "elowire"},
            "spec": {"groups": groups},
        }
    ]


def manifests() -> dict[Path, str]:
    """Every file that follows from the code, with its text."""
    strimzi = KUBERNETES / "overlays" / "strimzi"
    made = {
        strimzi / "topics.yaml": ("the catalogue of topics", topics()),
        strimzi / "users.yaml": ("the permissions of each service", users()),
        KUBERNETES / "components" / "monitoring" / "rules.yaml": ("deploy/prometheus/rules", rules()),
    }

    return {
        path: HEAD.format(source=source)
        + yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, width=1000)
        for path, (source, documents) in made.items()
    }


class _Dumper(yaml.SafeDumper):
    """Lists stand further in than their key, and nothing is written as a reference."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002 - see the base
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - see the base
        return True


if __name__ == "__main__":
    for path, text in manifests().items():
        path.write_text(text)
