"""Why a cluster cannot be reached: the clients say only that they could not, so it is asked once more."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING

from aiokafka.conn import create_conn
from aiokafka.errors import (
    AuthenticationFailedError,
    KafkaError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)

from elowire.runtime.kafka_records import KafkaUnreachableError
from elowire.runtime.security import Cluster, address_of, connection
from elowire.runtime.settings import InvalidSettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANSWER_S = 5.0


async def unreachable(cluster: Cluster) -> KafkaUnreachableError:
    """Return the fault of a cluster that could not be reached, with the broker's own reason if it has one.

    Raises `InvalidSettingsError` where a setting is to blame.
    """
    address = address_of(cluster)
    arguments = connection(cluster)
    del arguments["bootstrap_servers"]
    for one in address.split(","):
        host, _, port = one.strip().rpartition(":")
        if not host or not port.isdecimal():
            continue
        if (refusal := await _refusal(host, int(port), arguments)) is not None:
            return KafkaUnreachableError.refused(one.strip(), *refusal)

    return KafkaUnreachableError.at(address)


async def _refusal(host: str, port: int, arguments: Mapping[str, object]) -> tuple[str, str] | None:
    """Return why a broker that is there does not let us in, and what to do; None when none is there."""
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), _ANSWER_S)
        writer.close()
    except (OSError, TimeoutError):
        return None
    try:
        connected = await create_conn(host, port, request_timeout_ms=int(_ANSWER_S * 1000), **arguments)
    except InvalidSettingsError:
        raise
    except (OSError, KafkaError, TimeoutError, ValueError) as fault:
        return _explained(fault)
    connected.close()
    if arguments.get("sasl_mechanism") == "OAUTHBEARER":
        # The broker says so in a message of its own (RFC 7628, 3.2.2) that the client does not read.
        return "the token was refused", "Check that ELOWIRE_KAFKA_TOKEN_COMMAND prints one for this cluster"

    return None


def _explained(fault: Exception) -> tuple[str, str]:
    match fault:
        case ssl.SSLCertVerificationError():
            advice = "Name the authority that signed it in ELOWIRE_KAFKA_CA_FILE"
            if "match" in fault.verify_message.lower():
                advice = "Use an address that stands in the certificate"
            return f"its certificate is not to be trusted ({fault.verify_message})", advice
        case ssl.SSLError():
            return (
                f"TLS failed ({fault.reason})",
                "Check ELOWIRE_KAFKA_SECURITY_PROTOCOL and the certificates",
            )
        case UnsupportedSaslMechanismError():
            return "it does not offer this SASL mechanism", "Check ELOWIRE_KAFKA_SASL_MECHANISM"
        case SaslAuthenticationFailed() | AuthenticationFailedError():
            return "authentication failed", "Check ELOWIRE_KAFKA_USERNAME and the password or token"
        case ValueError():
            # aiokafka reads SCRAM's error answer as data.
            return "authentication failed", "Check ELOWIRE_KAFKA_USERNAME and the password or token"
        case _:
            return (
                f"it ended the connection ({type(fault).__name__})",
                "Check ELOWIRE_KAFKA_SECURITY_PROTOCOL, and ELOWIRE_KAFKA_CERT_FILE if it asks for one",
            )
