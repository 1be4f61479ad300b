"""Compose: valid by the specification, closed to the network, in order of health, and true to the code."""

from __future__ import annotations

import copy
import re
import stat

import pytest
import yaml
from compose_spec import PyCompose

from elowire.cli import COMMANDS
from elowire.contracts.access import Service
from elowire.runtime.embedded.jars import KAFKA_VERSION
from elowire.runtime.embedded.properties import OFFSETS_KEPT_DAYS
from elowire.runtime.settings import Settings
from tests.deploy.composed import LAYERS, ROOT, composed
from tests.deploy.queries import loaded

OURS = ("processor", "ingest", "ticker", "dispatch")
FIELDS = Settings.model_fields
# Variables of compose files themselves, which no service reads.
OF_FILES = {"ELOWIRE_IMAGE", "ELOWIRE_CLUSTER_ID", "ELOWIRE_GRAFANA_PASSWORD_FILE"}


def valid(document):
    """Raise ValueError for what compose would not take, with the defaults of its variables."""
    text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", yaml.safe_dump(document, width=1000))
    read = PyCompose.from_yaml(text)
    for check in (read.validate, read.validate_networks, read.validate_secrets, read.validate_volumes):
        check()
    for name, service in document["services"].items():
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            if not source.startswith((".", "/")) and source not in document["volumes"]:
                raise ValueError(f"services.{name}.volumes: {source} is not declared")


@pytest.fixture(params=LAYERS, ids=lambda name: name or "base")
def whole(request):
    """The compose file with each of its layers."""
    return composed(*LAYERS[request.param])


def test_it_follows_the_specification(whole):
    valid(whole)


@pytest.mark.parametrize(
    "offence",
    [
        {"memlimit": "1g"},
        {"volumes": ["nowhere-data:/data"]},
        {"depends_on": {"topics": {"condition": "healthy"}}},
        {"secrets": ["unknown"]},
    ],
    ids=lambda offence: next(iter(offence)),
)
def test_what_the_specification_forbids_is_found(offence):
    broken = copy.deepcopy(composed())
    broken["services"]["kafka"] |= offence

    with pytest.raises(ValueError, match=r".+"):
        valid(broken)


def test_everybody_waits_for_somebody_who_exists(whole):
    services = whole["services"]
    for name, service in services.items():
        for other, how in service.get("depends_on", {}).items():
            assert other in services, name
            once = services[other].get("restart") == "no"
            assert how["condition"] == ("service_completed_successfully" if once else "service_healthy")
    assert all("topics" in services[name]["depends_on"] for name in OURS)


def test_nothing_listens_beyond_this_machine(whole):
    for name, service in whole["services"].items():
        for port in service.get("ports", ()):
            assert re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port), f"{name}: {port}"
        assert service.get("network_mode") is None


def test_every_container_is_closed_and_bounded(whole):
    for name, service in whole["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["init"] is True, name
        assert service["mem_limit"], name
        assert service["cpus"], name
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name
        assert "privileged" not in service, name
        assert not any("docker.sock" in volume for volume in service.get("volumes", ())), name
        # Ours have their user from the image.
        assert "build" in service or not service["user"].startswith(("0", "root")), name
        assert "healthcheck" in service, name


def test_images_are_named_with_their_version(whole):
    images = {service["image"] for service in whole["services"].values()}

    assert f"apache/kafka:{KAFKA_VERSION}" in images
    assert all(re.search(r":(v?\d+\.\d+\.\d+|-elowire:local\})$", image) for image in images), images


def test_there_is_no_password_in_any_file(whole):
    for name, service in whole["services"].items():
        for variable, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|SECRET|TOKEN", variable):
                assert str(value).startswith("/run/secrets/"), f"{name}: {variable}"
    assert "secrets/" in (ROOT / ".gitignore").read_text().split()


def test_variables_commands_and_ports_exist_in_the_code(whole):
    for name, service in whole["services"].items():
        if "build" not in service:
            continue
        assert service["command"][0].replace("-", "_") in COMMANDS
        for variable in service["environment"]:
            assert variable.removeprefix("ELOWIRE_").lower() in FIELDS, f"{name}: {variable}"
        if name not in OURS:
            continue
        assert service["command"] == [name]
        assert service["healthcheck"]["test"] == [
            "CMD",
            "elowire-ready",
            str(FIELDS[f"{name}_admin_port"].default),
        ]
        wanted = FIELDS.get(f"{name}_port")
        assert [port.split(":")[2] for port in service.get("ports", ())] == (
            [] if wanted is None else [str(wanted.default)]
        )
        # SIGTERM, then a batch, a revoke and the commit.
        assert int(service["stop_grace_period"].rstrip("s")) > FIELDS["batch_s"].default + 4


def test_variables_of_the_files_are_explained():
    files = [ROOT / "docker-compose.yml", *sorted((ROOT / "deploy" / "compose").glob("*.yml"))]
    used = set(re.findall(r"\$\{(\w+)", "".join(path.read_text() for path in files)))
    explained = set(re.findall(r"^(\w+)=", (ROOT / "deploy/compose/example.env").read_text(), re.MULTILINE))

    assert used - OF_FILES <= {f"ELOWIRE_{name.upper()}" for name in FIELDS}
    assert explained <= used
    assert used >= OF_FILES


def test_defaults_of_the_files_are_those_of_the_code():
    for variable, value in composed()["services"]["topics"]["environment"].items():
        if found := re.fullmatch(r"\$\{(\w+):-(.+)\}", str(value)):
            assert found[1] == variable
            assert found[2] == str(FIELDS[variable.removeprefix("ELOWIRE_").lower()].default)


def test_kafka_takes_our_largest_records_and_keeps_positions():
    kafka = composed()["services"]["kafka"]["environment"]

    assert kafka["KAFKA_MESSAGE_MAX_BYTES"] == 5 << 20
    assert kafka["KAFKA_OFFSETS_RETENTION_MINUTES"] == OFFSETS_KEPT_DAYS * 24 * 60
    assert kafka["KAFKA_AUTO_CREATE_TOPICS_ENABLE"] == "false"


def test_three_brokers_have_three_of_everything():
    services = composed(*LAYERS["three-brokers"])["services"]
    brokers = {name: service for name, service in services.items() if service["image"].startswith("apache/")}
    assert {name: one["environment"]["KAFKA_NODE_ID"] for name, one in brokers.items()} == {
        "kafka": 1,
        "kafka-2": 2,
        "kafka-3": 3,
    }
    voters = ",".join(f"{one['environment']['KAFKA_NODE_ID']}@{name}:9093" for name, one in brokers.items())
    for name, broker in brokers.items():
        environment = broker["environment"]
        assert environment["KAFKA_CONTROLLER_QUORUM_VOTERS"] == voters
        assert environment["KAFKA_ADVERTISED_LISTENERS"].startswith(f"INSIDE://{name}:9092,")
        assert (
            environment["KAFKA_DEFAULT_REPLICATION_FACTOR"],
            environment["KAFKA_MIN_INSYNC_REPLICAS"],
        ) == (
            3,
            2,
        )
        assert len(broker["volumes"]) == len(broker["ports"]) == 1
        assert f"{name}:9092" in broker["healthcheck"]["test"]
    assert len({tuple(one["volumes"]) for one in brokers.values()}) == len(brokers)
    for name in ("topics", *OURS):
        environment = services[name]["environment"]
        assert environment["ELOWIRE_BOOTSTRAP"].split(",") == [f"{broker}:9092" for broker in brokers]
        assert (environment["ELOWIRE_REPLICATION_FACTOR"], environment["ELOWIRE_MIN_INSYNC"]) == (3, 2)


def test_by_tls_every_service_is_somebody_of_its_own():
    services = composed(*LAYERS["tls"])["services"]

    kafka = services["kafka"]
    listeners = dict(one.split("://") for one in kafka["environment"]["KAFKA_LISTENERS"].split(","))
    assert kafka["ports"] == []
    # Whoever is inside Kafka's container may do everything; nobody outside comes in without a certificate.
    assert "User:ANONYMOUS" in kafka["environment"]["KAFKA_SUPER_USERS"]
    assert {name for name, at in listeners.items() if not at.startswith("127.0.0.1:")} == {"TLS"}
    assert kafka["environment"]["KAFKA_CONTROLLER_QUORUM_VOTERS"] == f"1@{listeners['CONTROLLER']}"
    for name in ("topics", *OURS):
        who = Service.OPERATOR.value if name == "topics" else Service(name).value
        given = services[name]["secrets"]
        assert {one["source"]: one["target"] for one in given if isinstance(one, dict)} == {
            f"{who}-certificate": "certificate",
            f"{who}-key": "key",
        }
        assert services[name]["environment"]["ELOWIRE_KAFKA_SECURITY_PROTOCOL"] == "SSL"


def test_prometheus_is_told_where_the_services_are():
    services = composed()["services"]
    groups = loaded(ROOT / "deploy" / "compose" / "targets" / "elowire.yml")

    assert {group["labels"]["component"]: group["targets"] for group in groups} == {
        name: [f"{name}:{FIELDS[f'{name}_admin_port'].default}"] for name in OURS
    }
    mounted = [volume.split(":")[0] for volume in services["prometheus"]["volumes"] if volume.startswith(".")]
    assert all((ROOT / path).exists() for path in mounted), mounted
    assert services["prometheus"]["profiles"] == services["grafana"]["profiles"] == ["observability"]


def test_the_health_check_of_the_image_can_be_run():
    assert (ROOT / "deploy" / "ready.py").stat().st_mode & stat.S_IXUSR
