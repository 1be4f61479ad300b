"""How clients get into a secured cluster: TLS, SASL, and where their secrets come from.

Secrets come from files or the environment. They are read when a connection is made, so that a file may be
replaced while the service runs, and they stand in no message, no `repr` and no command line.
"""

from __future__ import annotations

import asyncio
import shlex
import ssl
import subprocess
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aiokafka.abc import AbstractTokenProvider

from elowire.runtime import clock
from elowire.runtime.settings import InvalidSettingsError, Settings

if TYPE_CHECKING:
    from pathlib import Path

Cluster = Settings | str
"""Where Kafka is and how to get in: settings, or the bare address of a cluster without security."""

TOKEN_COMMAND_S = 30.0
TOKEN_KEPT_S = 30.0


def address_of(cluster: Cluster) -> str:
    """Return the bootstrap address."""
    return cluster if isinstance(cluster, str) else cluster.bootstrap


def is_secured(cluster: Cluster) -> bool:
    """Whether the cluster asks who a client is."""
    return not isinstance(cluster, str) and cluster.kafka_security_protocol != "PLAINTEXT"


def connection(cluster: Cluster) -> dict[str, Any]:
    """Return what every Kafka client is built with: address, protocol, credentials (aiokafka's arguments).

    Raises `InvalidSettingsError` naming the variable whose file cannot be used.
    """
    if isinstance(cluster, str):
        return {"bootstrap_servers": cluster}
    protocol = cluster.kafka_security_protocol
    arguments: dict[str, Any] = {"bootstrap_servers": cluster.bootstrap, "security_protocol": protocol}
    if protocol.endswith("SSL"):
        arguments["ssl_context"] = _tls(cluster)
    if protocol.startswith("SASL"):
        arguments["sasl_mechanism"] = cluster.kafka_sasl_mechanism
        if cluster.kafka_token_command is not None and cluster.kafka_sasl_mechanism == "OAUTHBEARER":
            arguments["sasl_oauth_token_provider"] = _token_of(cluster.kafka_token_command.get_secret_value())
        else:
            arguments["sasl_plain_username"] = cluster.kafka_username
            arguments["sasl_plain_password"] = _password(cluster)

    return arguments


def without_security(settings: Settings, bootstrap: str) -> Settings:
    """Return the settings for a broker of our own on this machine, whatever a cluster elsewhere asks for."""
    return settings.model_copy(update={"bootstrap": bootstrap, "kafka_security_protocol": "PLAINTEXT"})


class CommandToken(AbstractTokenProvider):  # type: ignore[misc]  # aiokafka has no types
    """OAUTHBEARER tokens (RFC 6750) from a command that prints one; each is used for `TOKEN_KEPT_S`.

    The command must give tokens that are good for a minute or more.
    """

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)
        self._lock = threading.Lock()
        self._token = ""
        self._until = float("-inf")

    async def token(self) -> str:
        """Return a token. Raises `InvalidSettingsError` if the command gives none."""
        # In a thread: clients of several event loops share one provider.
        return await asyncio.to_thread(self._fresh)

    def _fresh(self) -> str:
        with self._lock:
            if clock.monotonic() >= self._until:
                self._token = self._ask()
                self._until = clock.monotonic() + TOKEN_KEPT_S
            return self._token

    def _ask(self) -> str:
        try:
            done = subprocess.run(  # noqa: S603 - the operator's own command
                self._command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TOKEN_COMMAND_S,
                check=False,
                encoding="utf-8",
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as fault:
            # Neither the command nor what it printed: both may hold secrets.
            raise InvalidSettingsError(
                f"ELOWIRE_KAFKA_TOKEN_COMMAND: {type(fault).__name__}, expected a token within "
                f"{TOKEN_COMMAND_S:g} s. Run the command by hand"
            ) from None
        token = done.stdout.strip()
        if done.returncode or not token:
            raise InvalidSettingsError(
                f"ELOWIRE_KAFKA_TOKEN_COMMAND: it ended with {done.returncode} and "
                f"{'a' if token else 'no'} token, expected 0 and a token. Run the command by hand"
            )

        return token


@lru_cache(8)
def _token_of(command: str) -> CommandToken:
    return CommandToken(command)


def _tls(settings: Settings) -> ssl.SSLContext:
    """Return a context that checks the broker's certificate and its name, and shows ours if there is one."""
    try:
        context = ssl.create_default_context(cafile=settings.kafka_ca_file)
    except (OSError, ssl.SSLError) as fault:
        raise _unusable("KAFKA_CA_FILE", settings.kafka_ca_file, fault) from None
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if settings.kafka_cert_file is not None:
        key_password = _secret_in("KAFKA_KEY_PASSWORD_FILE", settings.kafka_key_password_file)
        try:
            context.load_cert_chain(
                settings.kafka_cert_file,
                settings.kafka_key_file,
                # Without one OpenSSL would ask for it on the terminal.
                password=key_password or "",
            )
        except (OSError, ssl.SSLError) as fault:
            raise _unusable("KAFKA_CERT_FILE", settings.kafka_cert_file, fault) from None

    return context


def _password(settings: Settings) -> str:
    if settings.kafka_password is not None:
        return settings.kafka_password.get_secret_value()

    return _secret_in("KAFKA_PASSWORD_FILE", settings.kafka_password_file) or ""


def _secret_in(name: str, path: Path | None) -> str | None:
    """Return what a file holds, without the line's end that editors put there."""
    if path is None:
        return None
    try:
        secret = path.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as fault:
        raise _unusable(name, path, fault) from None
    if not secret:
        raise InvalidSettingsError(f"ELOWIRE_{name}: {path} is empty, expected the secret")

    return secret


def _unusable(name: str, path: Path | None, fault: Exception) -> InvalidSettingsError:
    why = fault.strerror if isinstance(fault, OSError) and fault.strerror else type(fault).__name__

    return InvalidSettingsError(f"ELOWIRE_{name}: cannot use {path}: {why}")
