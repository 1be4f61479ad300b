"""A cluster with TLS, logins and permissions: who is let in, and what the others are told."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys

import httpx
import psutil
import pytest

from elowire.contracts.topics import CATALOGUE
from elowire.runtime import topics
from elowire.runtime.kafka import (
    ConfirmedProducer,
    KafkaForbiddenError,
    KafkaUnreachableError,
    OutRecord,
    TopicMissingError,
    read_all,
)
from elowire.runtime.settings import InvalidSettingsError, load_settings
from tests.broker.acceptance.programs import DATA, Program, is_ready, run, wait_until
from tests.broker.secured import add_users, allow, secured_kafka, unsigned_token
from tests.ports import free_ports, is_free

# The Kafka client leaves a TLS connection that was refused to the garbage collector, which warns of it later.
pytestmark = [
    pytest.mark.broker,
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <(function _SelectorTransport.__del__|socket.socket fd)"
        ":pytest.PytestUnraisableExceptionWarning"
    ),
]
PARTITIONS = 2
SERVICES = ("ingest", "processor", "ticker", "dispatch", "operator")
WRONG = "wrong-secret-of-a-test"
SETTLED_S = 90


def four_ports():
    """Four free ports in a row: the broker's controller takes the one after its own."""
    for first in range(31130, 31200, 4):
        found = range(first, first + 4)
        if all(is_free(port) for port in found):
            return found
    raise AssertionError("no four free ports in a row")


@pytest.fixture(scope="module")
def secured(tmp_path_factory):
    """A secured broker with all topics, a user for each service, and the permissions that Elowire lists."""
    with secured_kafka(tmp_path_factory.mktemp("secured"), four_ports()) as broker:
        listed = json.loads(run("topics", "acls", "--format", "json").stdout)

        async def prepare():
            await add_users(broker, "admin", "stranger", *(f"elowire-{name}" for name in SERVICES))
            await allow(broker, listed, lambda service: f"elowire-{service}")

        asyncio.run(prepare())
        applied = run("topics", "apply", **user_of(broker, "elowire-operator"))
        assert applied.returncode == 0, applied.stderr
        yield broker


def user_of(secured, name, **more):
    """The environment of a service that logs in as `name`, its password in a file."""
    file = secured.certificates.ca.with_name("password")
    file.write_text(secured.password + "\n")
    return {
        "ELOWIRE_BOOTSTRAP": secured.sasl,
        "ELOWIRE_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
        "ELOWIRE_KAFKA_CA_FILE": secured.certificates.ca,
        "ELOWIRE_KAFKA_USERNAME": name,
        "ELOWIRE_KAFKA_PASSWORD_FILE": file,
        "ELOWIRE_PARTITIONS": PARTITIONS,
        **more,
    }


def settings_of(secured, **changes):
    given = {
        "bootstrap": secured.sasl,
        "kafka_security_protocol": "SASL_SSL",
        "kafka_ca_file": secured.certificates.ca,
        "kafka_username": "admin",
        "kafka_password": secured.password,
    }
    return load_settings(**{**given, **changes})


def as_user(secured, name):
    return settings_of(secured, kafka_username=name)


def token_command(token):
    return shlex.join([sys.executable, "-c", f"print({token!r})"])


WAYS = {
    "scram": lambda _: {},
    "plain": lambda _: {"kafka_sasl_mechanism": "PLAIN", "kafka_username": "plain"},
    "token": lambda _: {
        "kafka_sasl_mechanism": "OAUTHBEARER",
        "kafka_token_command": token_command(unsigned_token("token")),
    },
    "certificate": lambda secured: {
        "bootstrap": secured.mutual,
        "kafka_security_protocol": "SSL",
        "kafka_cert_file": secured.certificates.client,
    },
    "certificate and key apart": lambda secured: {
        "bootstrap": secured.mutual,
        "kafka_security_protocol": "SSL",
        "kafka_cert_file": secured.certificates.client.with_suffix(".crt"),
        "kafka_key_file": secured.certificates.client.with_suffix(".key"),
    },
}


@pytest.mark.parametrize("way", WAYS)
async def test_every_way_in_writes_and_reads(secured, way):
    settings = settings_of(secured, **WAYS[way](secured))
    async with ConfirmedProducer(settings) as producer:
        await producer.send_all([OutRecord("rating-lists", way.encode(), b"written")])
    found = [r async for records in read_all(settings, ["rating-lists"]) for r in records]
    assert (way.encode(), b"written") in [(r.key, r.value) for r in found]


REFUSED = {
    "wrong password": (
        lambda _: {"kafka_password": WRONG},
        "authentication failed. Check ELOWIRE_KAFKA_USERNAME",
    ),
    "wrong plain password": (
        lambda _: {"kafka_sasl_mechanism": "PLAIN", "kafka_username": "plain", "kafka_password": WRONG},
        "authentication failed. Check ELOWIRE_KAFKA_USERNAME",
    ),
    "unknown user": (lambda _: {"kafka_username": "nobody"}, "authentication failed"),
    "wrong token": (
        lambda _: {"kafka_sasl_mechanism": "OAUTHBEARER", "kafka_token_command": token_command(WRONG)},
        "the token was refused. Check that ELOWIRE_KAFKA_TOKEN_COMMAND",
    ),
    "untrusted authority": (
        lambda secured: {"kafka_ca_file": secured.certificates.stranger},
        "get local issuer certificate). Name the authority that signed it in ELOWIRE_KAFKA_CA_FILE",
    ),
    "authority of the system": (lambda _: {"kafka_ca_file": None}, "its certificate is not to be trusted"),
    "another name": (
        lambda secured: {"bootstrap": secured.sasl.replace("127.0.0.1", "localhost")},
        "certificate is not valid for 'localhost'",
    ),
    "no TLS": (
        lambda _: {"kafka_security_protocol": "PLAINTEXT"},
        "it ended the connection (KafkaConnectionError). Check ELOWIRE_KAFKA_SECURITY_PROTOCOL",
    ),
    "TLS to a plain port": (
        lambda secured: {"bootstrap": secured.plain},
        "Check ELOWIRE_KAFKA_SECURITY_PROTOCOL",
    ),
    "no client certificate": (
        lambda secured: {"bootstrap": secured.mutual, "kafka_security_protocol": "SSL"},
        "ELOWIRE_KAFKA_CERT_FILE if it asks for one",
    ),
}


@pytest.mark.parametrize("why", REFUSED)
async def test_who_is_not_let_in_hears_why_and_no_secret(secured, why, caplog):
    changes, said = REFUSED[why]
    settings = settings_of(secured, **changes(secured))
    with pytest.raises(KafkaUnreachableError) as refused:
        await topics.plan(settings)
    with pytest.raises(KafkaUnreachableError):
        await read_all(settings, ["rating-lists"]).__anext__()
    told = f"{refused.value} {refused.value!r} {settings!r} {caplog.text}"
    assert said in str(refused.value)
    assert WRONG not in told
    assert secured.password not in told


async def test_a_token_command_that_fails_is_named_and_what_it_printed_is_not(secured):
    command = shlex.join([sys.executable, "-c", f"import sys; print({WRONG!r}); sys.exit(3)"])
    settings = settings_of(secured, kafka_sasl_mechanism="OAUTHBEARER", kafka_token_command=command)
    with pytest.raises(InvalidSettingsError, match="it ended with 3 and a token, expected 0") as refused:
        await topics.plan(settings)
    assert WRONG not in str(refused.value)


# Permissions.


async def test_who_may_not_write_there_is_refused_by_name(secured):
    async with ConfirmedProducer(as_user(secured, "elowire-ingest")) as producer:
        with pytest.raises(TopicMissingError, match="let this user see it"):
            await producer.send_all([OutRecord("live-ratings", b"1", b"forged")])
    # The operator sees the topic.
    async with ConfirmedProducer(as_user(secured, "elowire-operator")) as producer:
        with pytest.raises(
            KafkaForbiddenError, match=r"not allow this user to write to topic live-ratings\. Grant"
        ):
            await producer.send_all([OutRecord("live-ratings", b"1", b"forged")])


async def test_who_may_write_nowhere_is_told_so_at_once(secured):
    with pytest.raises(KafkaForbiddenError, match="to write to any topic"):
        await ConfirmedProducer(as_user(secured, "elowire-ticker")).__aenter__()


async def test_who_may_only_write_cannot_read(secured):
    with pytest.raises(KafkaForbiddenError, match="to read topic rating-lists"):
        async for _ in read_all(as_user(secured, "elowire-ingest"), ["rating-lists"]):
            pass


async def test_a_stranger_sees_no_topic(secured):
    with pytest.raises(TopicMissingError, match=r"or let this user see it \(`elowire topics acls`\)"):
        await read_all(as_user(secured, "stranger"), ["live-ratings"]).__anext__()


async def test_only_the_operator_may_create_topics(secured):
    topic = CATALOGUE[0]
    other = type(topic)(name="another", key="any", types=(), purpose="A test's own.")
    for name in ("elowire-processor", "elowire-operator"):
        with pytest.raises(topics.TopicRefusedError, match="another was not created"):
            await topics.apply(as_user(secured, name), [other])


@pytest.mark.parametrize(
    ("user", "said"),
    [
        ("elowire-ticker", "or let this user see it (`elowire topics acls`)"),
        ("stranger", "no topic elowire-players-changelog"),
    ],
)
def test_a_processor_without_permissions_ends_with_the_reason(secured, user, said, tmp_path):
    done = run(
        "processor",
        **user_of(secured, user, ELOWIRE_DATA_DIR=tmp_path, ELOWIRE_LOG_FORMAT="json"),
        ELOWIRE_PROCESSOR_ADMIN_PORT=free_ports(1)[0],
    )
    assert done.returncode == 70
    assert said in json.loads(done.stderr.splitlines()[-1])["reason"]


def test_a_processor_with_a_wrong_password_ends_with_the_reason(secured, tmp_path):
    file, data = tmp_path / "password", tmp_path / "data"
    file.write_text(WRONG)
    done = run(
        "processor",
        **user_of(secured, "elowire-processor", ELOWIRE_KAFKA_PASSWORD_FILE=file, ELOWIRE_DATA_DIR=data),
        ELOWIRE_LOG_FORMAT="json",
        ELOWIRE_PROCESSOR_ADMIN_PORT=free_ports(1)[0],
    )
    assert done.returncode == 70
    assert "authentication failed" in json.loads(done.stderr.splitlines()[-1])["reason"]
    assert WRONG not in done.stdout + done.stderr


# The whole product, everybody with the least that is listed.


@pytest.fixture(scope="module")
def services(secured, tmp_path_factory):
    """A processor and a ticker, each logged in as itself."""
    folder = tmp_path_factory.mktemp("services")
    ports = dict(zip(("processor", "ticker", "ticker_admin"), free_ports(3), strict=True))
    programs = {
        name: Program(
            folder / name,
            name,
            **user_of(secured, f"elowire-{name}", ELOWIRE_DATA_DIR=folder / name / "data"),
            ELOWIRE_LOG_LEVEL="DEBUG",
            ELOWIRE_PROCESSOR_ADMIN_PORT=ports["processor"],
            ELOWIRE_TICKER_PORT=ports["ticker"],
            ELOWIRE_TICKER_ADMIN_PORT=ports["ticker_admin"],
        )
        for name in ("processor", "ticker")
    }
    try:
        for program, port in (
            (programs["processor"], ports["processor"]),
            (programs["ticker"], ports["ticker_admin"]),
        ):
            wait_until(lambda port=port: is_ready(port), 120, lambda program=program: program.err)
        yield programs, ports
    finally:
        for program in programs.values():
            program.end()


def test_results_become_ratings_under_least_privilege(secured, services):
    programs, ports = services
    fed = run(
        *("feed", DATA / "events" / "us-championship-2025.json", "--finish"),
        **user_of(secured, "elowire-ingest"),
    )
    assert fed.returncode == 0, fed.stdout + fed.stderr

    def shown():
        answer = httpx.get(
            f"http://127.0.0.1:{ports['ticker']}/v1/live-ratings?time_control=standard", timeout=5
        )
        return answer.status_code == 200 and len(answer.content) > 500

    wait_until(shown, SETTLED_S, lambda: programs["processor"].err + programs["ticker"].err)

    def equal():
        done = run("verify", **user_of(secured, "elowire-operator"))
        said = json.loads(done.stdout)
        return done.returncode == 0 and not said["lag"] and said

    assert wait_until(equal, SETTLED_S, "verified")["players"] > 5


def test_no_secret_shows_in_logs_or_command_lines(secured, services):
    programs, _ = services
    for program in programs.values():
        family = program.family()
        shown = " ".join(part for process in family for part in process.cmdline())
        assert secured.password not in shown + program.out + program.err
    environment = psutil.Process(programs["processor"].pid).environ()
    assert secured.password not in environment.values()
    assert os.environ.get("ELOWIRE_KAFKA_PASSWORD") is None
