"""Settings of a service: the only module that reads the environment."""

from __future__ import annotations

import os
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal, Self

from platformdirs import user_cache_path, user_data_path
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

Port = Annotated[int, Field(ge=1, le=65535)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


def _networks(said: object) -> object:
    """Read networks as people write them: "10.1.0.0/16, fd12::/48"."""
    if not isinstance(said, str):
        return said
    found = []
    for text in filter(None, (part.strip() for part in said.split(","))):
        try:
            found.append(ip_network(text))
        except ValueError as fault:
            raise ValueError(
                f"{fault}; expected networks with commas between them, such as 10.1.0.0/16,fd12::/48"
            ) from None
    return tuple(found)


Networks = Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(_networks)]


class InvalidSettingsError(ValueError):
    """A setting has a value that cannot be used; the message names each variable and what is wrong."""


class Settings(BaseSettings):
    """What an operator may set; each field can be given as ``ELOWIRE_<NAME>`` in the environment.

    Ports are TCP ports on `host`; names ending in ``_s`` are seconds. Those of ``kafka_security_protocol``
    and ``kafka_sasl_mechanism`` are Kafka's own words; files are PEM, those of passwords hold nothing else.
    ``ticker_cors_origins`` are the origins (`https://club.example`, several with commas, or `*`) whose pages
    may read the ticker; ``ticker_token``, or the only line of ``ticker_token_file``, opens its operator page.
    A processor stops when more than ``dead_letter_limit`` records (0: no limit) were refused within a minute
    and they are more than ``dead_letter_share`` of the records of that minute.
    Dispatch posts to public addresses by https; ``dispatch_allowed_networks`` and ``dispatch_allow_http``
    open more, ``dispatch_ca_file`` adds authorities whose certificates are good, ``dispatch_places`` is how
    many requests may be under way to one receiver; its log is kept for ``dispatch_keep_days``.
    """

    model_config = SettingsConfigDict(
        env_prefix="ELOWIRE_", frozen=True, extra="ignore", hide_input_in_errors=True
    )

    bootstrap: Annotated[str, Field(min_length=1)] = "127.0.0.1:29092"
    kafka_port: Port = 29092
    host: str = "127.0.0.1"
    ticker_port: Port = 8080
    ingest_port: Port = 8081
    dispatch_port: Port = 8082
    ingest_admin_port: Port = 9101
    processor_admin_port: Port = 9102
    ticker_admin_port: Port = 9103
    dispatch_admin_port: Port = 9104
    data_dir: Path = Field(default_factory=lambda: user_data_path("elowire", appauthor=False))
    cache_dir: Path = Field(default_factory=lambda: user_cache_path("elowire", appauthor=False))

    partitions: Annotated[int, Field(ge=1, le=1000)] = 12
    replication_factor: Annotated[int, Field(ge=1, le=10)] = 1
    min_insync: Annotated[int, Field(ge=1, le=10)] = 1

    topic_prefix: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{0,100}$")] = ""
    group: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,200}$")] = "elowire"
    instance_id: str | None = None
    session_s: Seconds = 12.0
    batch_s: Seconds = 20.0
    pace_s: Annotated[float, Field(ge=0, le=1)] = 0.0

    kafka_security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    kafka_ca_file: Path | None = None
    kafka_cert_file: Path | None = None
    kafka_key_file: Path | None = None
    kafka_key_password_file: Path | None = None
    kafka_sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-512", "OAUTHBEARER"] = "SCRAM-SHA-512"
    kafka_username: str | None = None
    kafka_password: SecretStr | None = None
    kafka_password_file: Path | None = None
    kafka_token_command: SecretStr | None = None

    ticker_cors_origins: Annotated[
        str, Field(pattern=r"^(\*|https?://[^\s,*]+(,\s*https?://[^\s,*]+)*)?$")
    ] = ""
    ticker_token: SecretStr | None = None
    ticker_token_file: Path | None = None
    dispatch_allow_http: bool = False
    dispatch_allowed_networks: Networks = ()
    dispatch_ca_file: Path | None = None
    dispatch_token: SecretStr | None = None
    dispatch_token_file: Path | None = None
    dispatch_timeout_s: Annotated[float, Field(ge=1, le=60)] = 20.0
    dispatch_places: Annotated[int, Field(ge=1, le=16)] = 4
    dispatch_keep_days: Annotated[int, Field(ge=1, le=365)] = 30

    dead_letter_limit: Annotated[int, Field(ge=0)] = 1_000
    dead_letter_share: Annotated[float, Field(ge=0, lt=1)] = 0.5

    log_format: Literal["auto", "json", "text"] = "auto"
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    @model_validator(mode="after")
    def _can_log_in(self) -> Self:
        """Refuse what cannot work, or would show a secret to the network."""
        protocol, mechanism = self.kafka_security_protocol, self.kafka_sasl_mechanism
        if self.kafka_key_file is not None and self.kafka_cert_file is None:
            raise ValueError("ELOWIRE_KAFKA_CERT_FILE: expected beside ELOWIRE_KAFKA_KEY_FILE")
        if not protocol.startswith("SASL"):
            return self
        if mechanism != "SCRAM-SHA-512" and protocol == "SASL_PLAINTEXT":
            raise ValueError(
                f"ELOWIRE_KAFKA_SECURITY_PROTOCOL: {mechanism} sends its secret as it is, expected SASL_SSL"
            )
        if mechanism == "OAUTHBEARER":
            if self.kafka_token_command is None:
                raise ValueError("ELOWIRE_KAFKA_TOKEN_COMMAND: expected, it prints the token for OAUTHBEARER")
        elif not self.kafka_username:
            raise ValueError(f"ELOWIRE_KAFKA_USERNAME: expected for {mechanism}")
        elif (self.kafka_password is None) == (self.kafka_password_file is None):
            raise ValueError(
                f"ELOWIRE_KAFKA_PASSWORD_FILE: expected for {mechanism}, this or ELOWIRE_KAFKA_PASSWORD"
            )

        return self


def load_settings(**overrides: object) -> Settings:
    """Return the settings of the environment; an override that is not None wins over it.

    Raises `InvalidSettingsError` naming each variable, its value's fault and nothing secret.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    unknown = given.keys() - Settings.model_fields.keys()
    if unknown:
        raise TypeError(f"no such setting: {', '.join(sorted(unknown))}")
    try:
        return Settings(**given)  # type: ignore[arg-type]  # pydantic checks the values
    except ValidationError as fault:
        lines = [
            f"ELOWIRE_{str(error['loc'][0]).upper()}: {error['msg'].removeprefix('Value error, ')}"
            if error["loc"]
            else error["msg"].removeprefix("Value error, ")
            for error in fault.errors(include_input=False, include_url=False)
        ]
        raise InvalidSettingsError("; ".join(lines)) from None


def child_environment(**changes: str) -> dict[str, str]:
    """Return the environment for a child process: this one's, with `changes`."""
    return {**os.environ, **changes}
