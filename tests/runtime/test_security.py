"""What clients are built with, which settings cannot work, and that secrets stay where they are."""

from __future__ import annotations

import ast
import json
import os
import ssl
import sys
from pathlib import Path

import pytest

from elowire.processor.credentials import credentials_of
from elowire.runtime import logs
from elowire.runtime.logs import get_logger
from elowire.runtime.security import CommandToken, connection, is_secured, without_security
from elowire.runtime.settings import InvalidSettingsError, load_settings

WORDS = "open sesame of a test"
SECRET = WORDS.replace(" ", "-")
SASL = {"kafka_security_protocol": "SASL_SSL", "kafka_username": "ana"}
SERVICES = Path(__file__).parents[2] / "services" / "elowire"


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """An environment without any setting of this machine."""
    for name in [name for name in os.environ if name.startswith("ELOWIRE_")]:
        monkeypatch.delenv(name)


def test_an_address_alone_is_a_cluster_without_security():
    assert connection("127.0.0.1:29092") == {"bootstrap_servers": "127.0.0.1:29092"}
    assert connection(load_settings()) == {
        "bootstrap_servers": "127.0.0.1:29092",
        "security_protocol": "PLAINTEXT",
    }
    assert not is_secured("127.0.0.1:29092")
    assert credentials_of(load_settings()) is None


def test_tls_checks_the_certificate_and_its_name():
    context = connection(load_settings(kafka_security_protocol="SSL"))["ssl_context"]
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-512"])
def test_the_password_comes_from_a_file_that_may_change(mechanism, tmp_path):
    file = tmp_path / "password"
    file.write_text(f"{SECRET}\n")
    settings = load_settings(**SASL, kafka_sasl_mechanism=mechanism, kafka_password_file=file)
    assert connection(settings)["sasl_plain_password"] == SECRET
    file.write_text(SECRET[::-1])
    assert connection(settings)["sasl_plain_password"] == SECRET[::-1]
    credentials = credentials_of(settings)
    assert (credentials.username, credentials.password) == ("ana", SECRET[::-1])
    assert (credentials.mechanism.value, credentials.protocol.value) == (mechanism, "SASL_SSL")


def test_the_password_may_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("ELOWIRE_KAFKA_PASSWORD", SECRET)
    assert connection(load_settings(**SASL))["sasl_plain_password"] == SECRET


async def test_a_token_is_asked_for_once_in_a_while(tmp_path):
    asked = tmp_path / "asked"
    code = f"open({str(asked)!r}, 'a').write('x'); print({SECRET!r})"
    provider = CommandToken(f'{sys.executable} -c "{code}"')
    assert [await provider.token() for _ in range(3)] == [SECRET] * 3
    assert asked.read_text() == "x"


@pytest.mark.parametrize("command", ["/nowhere/at/all", sys.executable + " -c pass", "false"])
async def test_a_command_without_a_token_is_told(command):
    with pytest.raises(InvalidSettingsError, match="ELOWIRE_KAFKA_TOKEN_COMMAND: "):
        await CommandToken(command).token()


UNWORKABLE = {
    "no user": (
        {"kafka_security_protocol": "SASL_SSL"},
        "ELOWIRE_KAFKA_USERNAME: expected for SCRAM-SHA-512",
    ),
    "no password": (SASL, "ELOWIRE_KAFKA_PASSWORD_FILE: expected for SCRAM-SHA-512"),
    "two passwords": (
        SASL | {"kafka_password": SECRET, "kafka_password_file": "x"},
        "ELOWIRE_KAFKA_PASSWORD_FILE: expected for SCRAM-SHA-512, this or ELOWIRE_KAFKA_PASSWORD",
    ),
    "no command": (SASL | {"kafka_sasl_mechanism": "OAUTHBEARER"}, "ELOWIRE_KAFKA_TOKEN_COMMAND: expected"),
    "a password in the clear": (
        SASL
        | {
            "kafka_security_protocol": "SASL_PLAINTEXT",
            "kafka_sasl_mechanism": "PLAIN",
            "kafka_password": SECRET,
        },
        "ELOWIRE_KAFKA_SECURITY_PROTOCOL: PLAIN sends its secret as it is, expected SASL_SSL",
    ),
    "a key alone": (
        {"kafka_key_file": "x"},
        "ELOWIRE_KAFKA_CERT_FILE: expected beside ELOWIRE_KAFKA_KEY_FILE",
    ),
    "an unknown mechanism": (SASL | {"kafka_sasl_mechanism": "GSSAPI"}, "ELOWIRE_KAFKA_SASL_MECHANISM: "),
}


@pytest.mark.parametrize("why", UNWORKABLE)
def test_settings_that_cannot_work_are_refused_by_name(why):
    given, said = UNWORKABLE[why]
    with pytest.raises(InvalidSettingsError) as refused:
        load_settings(**given)
    assert str(refused.value).startswith(said)
    assert SECRET not in f"{refused.value!r} {refused.value.__cause__!r} {refused.value.__context__}"


@pytest.mark.parametrize(
    ("variable", "setting"),
    [
        ("KAFKA_CA_FILE", {"kafka_security_protocol": "SSL"}),
        ("KAFKA_CERT_FILE", {"kafka_security_protocol": "SSL"}),
        ("KAFKA_PASSWORD_FILE", SASL),
    ],
)
def test_a_file_that_cannot_be_read_is_named(variable, setting, tmp_path):
    settings = load_settings(**setting, **{variable.lower(): tmp_path / "missing"})
    with pytest.raises(
        InvalidSettingsError, match=rf"ELOWIRE_{variable}: cannot use .*missing: No such file"
    ):
        connection(settings)


def test_an_empty_password_file_is_no_password(tmp_path):
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(InvalidSettingsError, match=r"ELOWIRE_KAFKA_PASSWORD_FILE: .* is empty"):
        connection(load_settings(**SASL, kafka_password_file=tmp_path / "empty"))


def test_settings_show_no_secret():
    settings = load_settings(**SASL, kafka_password=SECRET, kafka_token_command=f"print {SECRET}")
    assert SECRET not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    assert SECRET not in repr(credentials_of(settings))


@pytest.mark.parametrize("log_format", ["json", "text"])
def test_a_traceback_in_the_log_shows_no_local_variables(log_format, capsys):
    logs.configure(load_settings(log_format=log_format))
    password = SECRET
    try:
        raise ValueError("a cause")  # noqa: TRY301 - the traceback is the point
    except ValueError:
        get_logger("elowire.test").exception("it failed", length=len(password))
    told = capsys.readouterr().err
    assert "a cause" in told
    assert SECRET not in told
    if log_format == "json":
        assert json.loads(told)["event"] == "it failed"


def test_the_broker_of_this_machine_is_asked_nothing():
    settings = without_security(load_settings(**SASL, kafka_password=SECRET), "127.0.0.1:1")
    assert connection(settings) == {"bootstrap_servers": "127.0.0.1:1", "security_protocol": "PLAINTEXT"}


# A client that is given an address instead of the settings would knock without its credentials.

CLIENTS = {
    "ConfirmedProducer",
    "admin_client",
    "apply",
    "end_offsets",
    "follow",
    "plan",
    "read_all",
    "span_reader",
}
MAKERS = {"AIOKafkaAdminClient", "AIOKafkaConsumer", "AIOKafkaProducer"}
OF_THE_MACHINE = {"runtime/embedded/ready.py"}


def unsecured(tree):
    """Lines that make a client from an address alone."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        addressed = any(isinstance(one, ast.Attribute) and one.attr == "bootstrap" for one in call.args)
        named = any(word.arg == "bootstrap_servers" for word in call.keywords)
        if (name in CLIENTS and addressed) or (name in MAKERS and named):
            yield call.lineno


def test_no_client_of_the_product_is_made_from_an_address():
    found = [
        f"{path}:{line}"
        for file in SERVICES.rglob("*.py")
        if (path := file.relative_to(SERVICES).as_posix()) not in OF_THE_MACHINE
        for line in unsecured(ast.parse(file.read_text("utf-8")))
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    ["kafka.read_all(settings.bootstrap, topics)", "AIOKafkaConsumer(bootstrap_servers=settings.bootstrap)"],
)
def test_the_guard_bites(code):
    assert [*unsecured(ast.parse(code))] == [1]
