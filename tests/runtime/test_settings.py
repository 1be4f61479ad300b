"""Settings come from the environment or from flags, are checked once, and name what is wrong."""

from __future__ import annotations

import os

import pytest
from pydantic import ValidationError

from elowire.runtime.settings import InvalidSettingsError, load_settings


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """An environment without any setting of this machine."""
    for name in [name for name in os.environ if name.startswith("ELOWIRE_")]:
        monkeypatch.delenv(name)


def test_the_addresses_of_the_contract_are_the_defaults():
    settings = load_settings()
    assert settings.bootstrap == "127.0.0.1:29092"
    assert settings.host == "127.0.0.1"
    assert (settings.kafka_port, settings.ticker_port, settings.ingest_port) == (29092, 8080, 8081)
    assert settings.dispatch_port == 8082
    assert (
        settings.ingest_admin_port,
        settings.processor_admin_port,
        settings.ticker_admin_port,
        settings.dispatch_admin_port,
    ) == (9101, 9102, 9103, 9104)
    assert settings.partitions == 12


def test_the_environment_sets_and_a_flag_wins(monkeypatch):
    monkeypatch.setenv("ELOWIRE_TICKER_PORT", "18080")
    monkeypatch.setenv("ELOWIRE_INGEST_PORT", "18081")
    settings = load_settings(ingest_port=28081, bootstrap=None)
    assert (settings.ticker_port, settings.ingest_port) == (18080, 28081)
    assert settings.bootstrap == "127.0.0.1:29092"


def test_every_wrong_variable_is_named(monkeypatch):
    monkeypatch.setenv("ELOWIRE_TICKER_PORT", "90000")
    monkeypatch.setenv("ELOWIRE_SESSION_S", "soon")
    with pytest.raises(InvalidSettingsError, match=r"ELOWIRE_TICKER_PORT: .*65535; ELOWIRE_SESSION_S: "):
        load_settings()


def test_a_setting_that_does_not_exist_is_a_fault_of_the_caller():
    with pytest.raises(TypeError, match="no such setting: speed"):
        load_settings(speed=1)


def test_settings_do_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        load_settings().ticker_port = 1
