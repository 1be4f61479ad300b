"""What the help says of addresses is what the settings have, and all of it can be read."""

from __future__ import annotations

import re

import pytest
import typer

from elowire.cli import command_line
from elowire.runtime.settings import Settings

COMMAND = typer.main.get_command(command_line())
PORTS = [name for name in Settings.model_fields if name.endswith("_port")]


def option(command, name):
    [found] = [one for one in COMMAND.commands[command].params if one.name == name]
    return found


@pytest.mark.parametrize("name", PORTS)
def test_up_says_the_variable_and_the_default_of_each_port(name):
    assert option("up", name).help.endswith(
        f"[env: ELOWIRE_{name.upper()}; default: {Settings.model_fields[name].default}]"
    )


@pytest.mark.parametrize("name", ["data", "bootstrap", "host"])
def test_up_says_the_variable_and_the_default_of_the_rest(name):
    assert re.search(r"\[env: ELOWIRE_[A-Z_]+; default: [^]]+\]$", option("up", name).help)


def test_feed_says_where_it_sends_to():
    assert f"[env: ELOWIRE_BOOTSTRAP; default: {Settings.model_fields['bootstrap'].default}" in (
        option("feed", "bootstrap").help
    )


@pytest.mark.parametrize("command", ["live", "watch", "explain"])
def test_readers_of_the_ticker_say_where_they_look(command):
    host, port = (Settings.model_fields[name].default for name in ("host", "ticker_port"))

    assert f"[env: ELOWIRE_HOST, ELOWIRE_TICKER_PORT; default: http://{host}:{port}]" in (
        option(command, "ticker").help
    )


def every_command(command=COMMAND, words=()):
    for name, one in getattr(command, "commands", {}).items():
        yield from every_command(one, (*words, name))
    if not hasattr(command, "commands"):
        yield words, command


def test_help_prints_the_variables_of_every_command(elowire, monkeypatch):
    """Brackets are markup to Rich, which leaves out what it does not know: [env: NAME] too."""
    monkeypatch.setenv("COLUMNS", "300")
    seen = 0
    for words, command in every_command():
        named = {name for one in command.params for name in re.findall(r"\[env: [^]]+\]", one.help or "")}
        if named:
            said = elowire(*words, "--help").out
            assert [name for name in named if name not in said] == [], words
            seen += len(named)
    assert seen > 30
