"""A broker that asks who one is: TLS, SCRAM, PLAIN, OAUTHBEARER, client certificates, and permissions.

Besides the secured listeners it has a plain one on loopback, whose nameless user may do everything: tests
make users and permissions there.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import shutil
import subprocess
import time
from contextlib import contextmanager
from typing import NamedTuple

from aiokafka.protocol.admin import CreateAclsRequest
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.types import (
    CompactArray,
    CompactBytes,
    CompactString,
    Int8,
    Int16,
    Int32,
    Schema,
    TaggedFields,
)

from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.kafka import admin_client

HOST = "127.0.0.1"
EVERYTHING = ("admin", "plain", "token", "CN=client")
"""Users who may do everything: one for each way in."""
_SCRAM_SHA_512 = 2
_ROUNDS = 4096
_TYPES = {"topic": 2, "group": 3}
_OPERATIONS = {"Read": 3, "Write": 4, "Create": 5, "Delete": 6, "Describe": 8, "DescribeConfigs": 10}
_LITERAL = _ALLOW = 3


class Certificates(NamedTuple):
    """PEM files: an authority, what it signed for broker and client, and an authority that nobody knows."""

    ca: object
    broker: object
    client: object
    stranger: object


class Secured(NamedTuple):
    """A running secured broker: addresses, files, and the passwords of users."""

    plain: str
    sasl: str
    mutual: str
    certificates: Certificates
    password: str


def make_certificates(folder):
    """Sign a certificate for 127.0.0.1 alone, and one for a client."""
    for authority in ("ca", "stranger"):
        _openssl(
            folder,
            *("req", "-x509", "-days", "2", "-subj", f"/CN={authority}", "-out", f"{authority}.pem"),
            *_key(authority),
            *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        )
    for name, subject, alternative in (
        ("broker", "broker", f"IP:{HOST}"),
        ("client", "client", "DNS:client"),
    ):
        (folder / f"{name}.ext").write_text(
            f"subjectAltName={alternative}\nbasicConstraints=CA:FALSE\n"
            "subjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"
        )
        _openssl(folder, "req", "-new", "-subj", f"/CN={subject}", "-out", f"{name}.csr", *_key(name))
        _openssl(
            folder,
            *("x509", "-req", "-days", "2", "-in", f"{name}.csr", "-out", f"{name}.crt"),
            *("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", f"{name}.ext"),
        )
        both = (folder / f"{name}.key").read_text() + (folder / f"{name}.crt").read_text()
        (folder / f"{name}.pem").write_text(both)

    return Certificates(*(folder / f"{name}.pem" for name in Certificates._fields))


def _key(name):
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key")


def _openssl(folder, *arguments):
    program = shutil.which("openssl")
    assert program, "the test makes certificates with openssl: install it"
    subprocess.run([program, *arguments], cwd=folder, check=True, capture_output=True)


@contextmanager
def secured_kafka(folder, ports):
    """Run a secured broker on four consecutive free ports."""
    certificates = make_certificates(folder)
    plain, controller, sasl, mutual = ports
    listeners = {"PLAINTEXT": plain, "SECURE": sasl, "MUTUAL": mutual}
    password = secrets.token_hex(16)
    modules = "org.apache.kafka.common.security"
    properties = {
        "listeners": _listed({**listeners, "CONTROLLER": controller}),
        "advertised.listeners": _listed(listeners),
        "listener.security.protocol.map": (
            "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL,MUTUAL:SSL"
        ),
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(certificates.broker),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(certificates.ca),
        "listener.name.mutual.ssl.client.auth": "required",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512,PLAIN,OAUTHBEARER",
        "listener.name.secure.scram-sha-512.sasl.jaas.config": f"{modules}.scram.ScramLoginModule required;",
        "listener.name.secure.plain.sasl.jaas.config": (
            f'{modules}.plain.PlainLoginModule required user_plain="{password}";'
        ),
        # Without settings for a token server the broker takes unsigned tokens: good enough to test a client.
        "listener.name.secure.oauthbearer.sasl.jaas.config": (
            f'{modules}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";'
        ),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": ";".join(f"User:{name}" for name in ("ANONYMOUS", *EVERYTHING)),
    }
    with EmbeddedKafka(folder / "data", plain, properties=properties) as broker:
        yield Secured(broker.bootstrap, f"{HOST}:{sasl}", f"{HOST}:{mutual}", certificates, password)


def _listed(listeners):
    return ",".join(f"{name}://{HOST}:{port}" for name, port in listeners.items())


def unsigned_token(subject):
    """Return a bearer token that nobody signed (RFC 7519, section 6)."""
    now = int(time.time())
    parts = ({"alg": "none"}, {"sub": subject, "iat": now - 10, "exp": now + 3600, "scope": "kafka"})
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]

    return ".".join([*encoded, ""])


class _ScramResponse(Response):
    API_KEY, API_VERSION = 51, 0
    FLEXIBLE_VERSION = True
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "results",
            CompactArray(
                ("user", CompactString("utf-8")),
                ("error_code", Int16),
                ("error_message", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _ScramStruct(RequestStruct):
    API_KEY, API_VERSION = 51, 0
    FLEXIBLE_VERSION = True
    RESPONSE_TYPE = _ScramResponse
    SCHEMA = Schema(
        (
            "deletions",
            CompactArray(("name", CompactString("utf-8")), ("mechanism", Int8), ("tags", TaggedFields)),
        ),
        (
            "upsertions",
            CompactArray(
                ("name", CompactString("utf-8")),
                ("mechanism", Int8),
                ("iterations", Int32),
                ("salt", CompactBytes),
                ("salted_password", CompactBytes),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _AlterScram(Request[_ScramStruct]):
    """AlterUserScramCredentials (KIP-554), which aiokafka does not have."""

    API_KEY = 51

    def __init__(self, upsertions):
        self._upsertions = upsertions

    def build(self, request_struct_class):
        return request_struct_class([], self._upsertions, {})


async def _send(admin, request):
    return await admin._send_to_controller(request)  # noqa: SLF001 - aiokafka has neither users nor permissions


async def add_users(secured, *names):
    """Make SCRAM users who all have the broker's password."""
    upsertions = []
    for name in names:
        salt = secrets.token_bytes(16)
        salted = hashlib.pbkdf2_hmac("sha512", secured.password.encode(), salt, _ROUNDS)
        upsertions.append((name, _SCRAM_SHA_512, _ROUNDS, salt, salted, {}))
    async with admin_client(secured.plain) as admin:
        answer = await _send(admin, _AlterScram(upsertions))
    assert [result[1] for result in answer.results] == [0] * len(names), answer


async def allow(secured, acls, user_of):
    """Grant permissions as `elowire topics acls` lists them."""
    async with admin_client(secured.plain) as admin:
        for acl in acls:
            answer = await _send(
                admin,
                CreateAclsRequest(
                    _TYPES[acl["resource"]],
                    acl["name"],
                    _LITERAL,
                    f"User:{user_of(acl['service'])}",
                    "*",
                    _OPERATIONS[acl["operation"]],
                    _ALLOW,
                ),
            )
            assert [result[0] for result in answer.creation_responses] == [0], answer
