"""The operator's guide: every command, target, file, variable, panel and anchor in it exists."""

from __future__ import annotations

import re
import shlex

import pytest
import typer

from elowire.cli import command_line
from elowire.contracts.dead_letters import DeadLetterReason
from elowire.contracts.topics import CATALOGUE
from elowire.runtime.settings import Settings
from tests.deploy.queries import DEPLOY, alerts, boards

README = DEPLOY / "README.md"
ROOT = DEPLOY.parent
COMMAND = typer.main.get_command(command_line())
# A figure in the guide, and where the code says it.
DAYS = 86_400_000


def quoted(text):
    """Lines of code blocks and words in backticks."""
    blocks = re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))

    return [line for block in blocks for line in block.splitlines()] + inline


def commands(text):
    return [line for line in quoted(text) if re.match(r"elowire [a-z]", line)]


def wrong(line):
    """What is wrong with a command, or None."""
    _, *words = shlex.split(line)
    command = COMMAND
    while words and hasattr(command, "commands"):
        word = words.pop(0)
        if word not in command.commands:
            return f"{line}: there is no command {word}"
        command = command.commands[word]
    known = {option for parameter in command.params for option in parameter.opts}
    unknown = [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]
    if unknown:
        return f"{line}: no option {', '.join(unknown)}"
    if "--reason" in words and "replay" in line:
        reason = words[words.index("--reason") + 1]
        if reason not in {one.value for one in DeadLetterReason}:
            return f"{line}: no reason {reason}"

    return None


def test_every_command_exists():
    found = commands(README.read_text())

    assert len(found) > 30
    assert [fault for line in found if (fault := wrong(line))] == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("elowire topic plan", "no command topic"),
        ("elowire topics plan --dry-run", "no option --dry-run"),
        ("elowire dead-letters replay --all --reason not-jason", "no reason not-jason"),
    ],
)
def test_a_wrong_command_is_found(line, fault):
    assert fault in wrong(line)


def test_every_target_and_file_exists():
    text = README.read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)) | {"test-deploy"}
    files = {path for path in re.findall(r"\bdeploy/[\w./-]+", text) if "secrets" not in path}

    assert set(re.findall(r"`make ([a-z-]+)`", text)) <= targets
    assert [path for path in files if not (ROOT / path).exists()] == []
    assert [path for path in re.findall(r"-f (\S+\.yml)", text) if not (ROOT / path).exists()] == []


def test_every_variable_and_topic_exists():
    text = README.read_text()
    topics = {
        word
        for word in quoted(text)
        if re.fullmatch(r"[a-z]+-(ratings|games|events|lists|letters|results)", word)
    }

    assert {
        name.lower() for name in re.findall(r"ELOWIRE_([A-Z_]+[A-Z])", text)
    } <= Settings.model_fields.keys()
    assert topics <= {topic.name for topic in CATALOGUE}


def test_every_anchor_leads_somewhere():
    text = README.read_text()
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}

    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors
    assert {name.lower() for name in alerts()} <= anchors


def test_panels_that_are_named_are_on_a_board():
    titles = {panel["title"] for board in boards().values() for panel in board["panels"]}
    named = {"Backlog takes", "The slowest partitions", "Changelog records still to read", "Barriers"}
    text = README.read_text()

    assert all(name in text for name in named)
    assert named <= titles


def test_what_is_kept_how_long_is_what_the_catalogue_says():
    kept = {topic.name: (topic.retention_ms or 0) // DAYS for topic in CATALOGUE}
    line = next(line for line in README.read_text().splitlines() if "are kept 30 days" in line)

    assert (kept["player-events"], kept["dead-letters"], kept["rated-games"]) == (30, 90, 400)
    assert (kept["reconciliations"], kept["tournament-ratings"]) == (400, 30)
    assert [int(days) for days in re.findall(r"\b(\d+)\b", line)] == [30, 90, 400, 30]


def test_exact_figures_are_those_of_the_code():
    text, fields = README.read_text(), Settings.model_fields

    assert f"session of {fields['session_s'].default:g} s" in text
    assert f"{fields['batch_s'].default:g} s (`ELOWIRE_BATCH_S`)" in text
    assert f"Partitions: {fields['partitions'].default} by default" in text
