"""Settings of a service: the only module that reads the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_cache_path, user_data_path
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

Port = Annotated[int, Field(ge=1, le=65535)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class InvalidSettingsError(ValueError):
    """A setting has a value that cannot be used; the message names each variable and what is wrong."""


class Settings(BaseSettings):
    """What an operator may set; each field can be given as ``ELOWIRE_<NAME>`` in the environment.

    Ports are TCP ports on `host`; names ending in ``_s`` are seconds.
    """

    model_config = SettingsConfigDict(env_prefix="ELOWIRE_", frozen=True, extra="ignore")

    bootstrap: Annotated[str, Field(min_length=1)] = "127.0.0.1:29092"
    kafka_port: Port = 29092
    host: str = "127.0.0.1"
    ticker_port: Port = 8080
    ingest_port: Port = 8081
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

    log_format: Literal["auto", "json", "text"] = "auto"
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"


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
            f"ELOWIRE_{str(error['loc'][0]).upper()}: {error['msg']}"
            for error in fault.errors(include_input=False, include_url=False)
        ]
        raise InvalidSettingsError("; ".join(lines)) from None


def child_environment(**changes: str) -> dict[str, str]:
    """Return the environment for a child process: this one's, with `changes`."""
    return {**os.environ, **changes}
