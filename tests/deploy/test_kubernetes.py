"""Kubernetes: rendered by kubectl itself, valid by its schemas, closed, and true to the code."""

from __future__ import annotations

import copy
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from elowire.cli import COMMANDS
from elowire.contracts.access import acls
from elowire.contracts.topics import CATALOGUE
from elowire.runtime.settings import Settings
from tests.deploy.manifests import KUBERNETES, ROOT, manifests, rules
from tests.deploy.queries import alerts, recorded

OVERLAYS = ("plain", "strimzi")
OURS = ("processor", "ingest", "ticker", "dispatch")
FIELDS = Settings.model_fields
VERSION = "1.33"
# Resources of operators, whose schemas are not Kubernetes' own.
OF_OPERATORS = {"KafkaTopic", "KafkaUser", "PodMonitor", "PrometheusRule"}
KUBECTL = Path(sys.executable).parent / "kubectl"


@cache
def _rendered(overlay):
    done = subprocess.run(
        [KUBECTL, "kustomize", KUBERNETES / "overlays" / overlay],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr

    return tuple(yaml.safe_load_all(done.stdout))


def rendered(overlay):
    return copy.deepcopy(_rendered(overlay))


@pytest.fixture(params=OVERLAYS)
def resources(request):
    """Everything that an overlay gives to a cluster."""
    return rendered(request.param)


def of_kind(resources, *kinds):
    return {one["metadata"]["name"]: one for one in resources if one["kind"] in kinds}


def pods(resources):
    """Pod specifications by the name of what makes them."""
    return {
        name: one["spec"]["template"]["spec"]
        for name, one in of_kind(resources, "StatefulSet", "Deployment", "Job").items()
    }


def validate(resource):
    kubernetes_validate.validate(resource, VERSION, strict=True)


def test_every_resource_is_valid(resources):
    for resource in resources:
        if resource["kind"] not in OF_OPERATORS:
            validate(resource)


def test_what_is_not_valid_is_found():
    broken = of_kind(rendered("plain"), "StatefulSet")["processor"]
    broken["spec"]["replica"] = 3

    with pytest.raises(kubernetes_validate.ValidationError, match="replica"):
        validate(broken)


def test_everything_lives_in_one_namespace(resources):
    for one in resources:
        assert one["kind"] == "Namespace" or one["metadata"]["namespace"] == "elowire", one["metadata"]


def test_what_follows_from_the_code_is_fresh_or_make_manifests_makes_it_so():
    for path, text in manifests().items():
        assert path.read_text() == text, path


def test_strimzi_has_every_topic_and_every_permission():
    resources = rendered("strimzi")
    topics = of_kind(resources, "KafkaTopic")
    granted = {
        (user.removeprefix("elowire-"), operation, one["resource"]["type"], one["resource"]["name"])
        for user, resource in of_kind(resources, "KafkaUser").items()
        for one in resource["spec"]["authorization"]["acls"]
        for operation in one["operations"]
    }

    assert {name: one["spec"]["config"]["cleanup.policy"] for name, one in topics.items()} == {
        topic.name: topic.cleanup.value for topic in CATALOGUE
    }
    assert granted == {(acl.service.value, acl.operation, acl.resource, acl.name) for acl in acls()}


def test_the_operator_has_the_rules_of_the_repository(resources):
    found = of_kind(resources, "PrometheusRule")["elowire"]["spec"]["groups"]
    names = {rule.get("alert") or rule["record"] for group in found for rule in group["rules"]}

    assert found == rules()[0]["spec"]["groups"]
    assert names == alerts().keys() | recorded().keys()


def test_pods_are_closed_and_bounded(resources):
    for name, pod in pods(resources).items():
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["runAsUser"] == 10001, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert pod["automountServiceAccountToken"] is False, name
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name
            assert "memory" in container["resources"]["limits"], name
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}, name
            mounts = {mount["name"] for mount in container["volumeMounts"]}
            claims = (
                of_kind(resources, "StatefulSet")
                .get(name, {})
                .get("spec", {})
                .get("volumeClaimTemplates", ())
            )
            volumes = {volume["name"] for volume in pod["volumes"]}
            assert mounts == volumes | {claim["metadata"]["name"] for claim in claims}, name


def test_liveness_never_asks_whether_others_are_well(resources):
    for name, pod in pods(resources).items():
        if name not in OURS:
            continue
        (container,) = pod["containers"]
        assert container["livenessProbe"]["httpGet"] == {"path": "/livez", "port": "admin"}
        assert container["startupProbe"]["httpGet"] == {"path": "/livez", "port": "admin"}
        assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "admin"}
        assert pod["terminationGracePeriodSeconds"] > FIELDS["batch_s"].default + 4


def test_commands_variables_and_ports_exist_in_the_code(resources):
    settings = of_kind(resources, "ConfigMap")["elowire"]["data"]
    for variable in settings:
        assert variable.removeprefix("ELOWIRE_").lower() in FIELDS, variable
    for name, pod in pods(resources).items():
        (container,) = pod["containers"]
        assert container["args"][0].replace("-", "_") in COMMANDS
        for variable in container.get("env", ()):
            assert variable["name"].removeprefix("ELOWIRE_").lower() in FIELDS
        if name not in OURS:
            continue
        assert container["args"] == [name]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        expected = {"admin": FIELDS[f"{name}_admin_port"].default}
        if f"{name}_port" in FIELDS:
            expected["http"] = FIELDS[f"{name}_port"].default
        assert ports == expected


def test_a_worker_keeps_its_name(resources):
    processor = of_kind(resources, "StatefulSet")["processor"]
    (container,) = processor["spec"]["template"]["spec"]["containers"]

    assert container["env"] == [
        {"name": "ELOWIRE_INSTANCE_ID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    ]
    assert processor["spec"]["podManagementPolicy"] == "Parallel"
    assert processor["spec"]["replicas"] <= FIELDS["partitions"].default


def test_selectors_find_their_pods(resources):
    labels = {
        name: one["spec"]["template"]["metadata"]["labels"]
        for name, one in of_kind(resources, "StatefulSet", "Deployment").items()
    }
    for kind in ("Service", "PodDisruptionBudget"):
        found = of_kind(resources, kind)
        assert found.keys() == set(OURS)
        for name, one in found.items():
            selector = one["spec"]["selector"]
            wanted = selector if kind == "Service" else selector["matchLabels"]
            assert wanted.items() <= labels[name].items(), f"{kind} {name}"
    assert all(
        one["spec"]["maxUnavailable"] == 1 for one in of_kind(resources, "PodDisruptionBudget").values()
    )


def test_the_network_is_closed_but_for_what_is_named(resources):
    policies = of_kind(resources, "NetworkPolicy")
    closed = policies["elowire-closed"]["spec"]
    scraped = {
        port["port"] for rule in policies["elowire-monitoring"]["spec"]["ingress"] for port in rule["ports"]
    }
    clients = {
        port["port"] for rule in policies["elowire-clients"]["spec"]["ingress"] for port in rule["ports"]
    }

    assert sorted(closed["policyTypes"]) == ["Egress", "Ingress"]
    assert "ingress" not in closed
    assert scraped == {FIELDS[f"{name}_admin_port"].default for name in OURS}
    assert clients == {FIELDS[f"{name}_port"].default for name in ("ticker", "ingest", "dispatch")}


def test_broker_and_network_agree(resources):
    address = of_kind(resources, "ConfigMap")["elowire"]["data"]["ELOWIRE_BOOTSTRAP"]
    open_ports = {
        port["port"]
        for policy in of_kind(resources, "NetworkPolicy").values()
        for rule in policy["spec"].get("egress", ())
        for port in rule["ports"]
    }

    assert int(address.rpartition(":")[2]) in open_ports


def test_with_strimzi_every_service_is_somebody_of_its_own():
    resources = rendered("strimzi")
    for name, pod in pods(resources).items():
        secrets = {volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}
        assert secrets == {"kafka-cluster-ca-cert", f"elowire-{name}"}
        assert f"elowire-{name}" in of_kind(resources, "KafkaUser")


def test_the_pod_monitor_looks_where_the_rules_expect(resources):
    monitor = of_kind(resources, "PodMonitor")["elowire"]["spec"]
    (endpoint,) = monitor["podMetricsEndpoints"]
    (label,) = endpoint["relabelings"]
    (chosen,) = monitor["selector"]["matchExpressions"]

    assert monitor["jobLabel"] == "app.kubernetes.io/name"
    assert monitor["selector"]["matchLabels"] == {"app.kubernetes.io/name": "elowire"}
    assert label["targetLabel"] == "component"
    assert endpoint["port"] == "admin"
    assert sorted(chosen["values"]) == sorted(OURS)


def test_the_image_has_the_version_of_the_project(resources):
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    for pod in pods(resources).values():
        assert [container["image"] for container in pod["containers"]] == [f"elowire:{version}"]


def test_the_memory_limit_is_that_of_the_alert_and_of_compose(resources):
    limits = {pods(resources)[name]["containers"][0]["resources"]["limits"]["memory"] for name in OURS}
    compose = (ROOT / "docker-compose.yml").read_text()

    assert limits == {"2Gi"}
    assert str(2 << 30) in alerts()["ElowireMemory"]["expr"]
    assert len(re.findall(r"mem_limit: 2g", compose)) == len(OURS)
