"""`elowire sources`: secrets in a file of their owner, shown once, rotated with an overlap."""

from __future__ import annotations

import json
import stat
import subprocess
import sys

import pytest

from elowire.ingest.sources import SourcesError, read_sources
from elowire.runtime.settings import child_environment


@pytest.fixture
def sources(tmp_path):
    """Run `elowire sources ...`; gives the finished process."""

    def run(*arguments):
        return subprocess.run(
            [
                sys.executable,
                "-m",
                "elowire",
                "sources",
                *map(str, arguments),
                "--data",
                str(tmp_path / "data"),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=child_environment(),
        )

    run.path = tmp_path / "data" / "sources.json"
    return run


def test_a_secret_is_shown_once_and_kept_for_its_owner_alone(sources):
    added = sources("add", "club-desk", "--format", "table")
    listed = sources("list", "--format", "table")
    secret = added.stdout.strip()

    assert secret.startswith("whsec_")
    assert "shown once" in added.stderr
    assert secret in sources.path.read_text()
    assert stat.S_IMODE(sources.path.stat().st_mode) == 0o600
    assert "club-desk" in listed.stdout
    assert secret.removeprefix("whsec_") not in listed.stdout + listed.stderr
    assert secret.removeprefix("whsec_") not in repr(read_sources(sources.path))


def test_a_rotation_keeps_the_one_before_for_a_while(sources):
    first = json.loads(sources("add", "club").stdout)["secret"]
    second = json.loads(sources("rotate", "club", "--overlap-hours", "1").stdout)["secret"]
    both = json.loads(sources("list").stdout)[0]["secrets"]
    third = json.loads(sources("rotate", "club", "--overlap-hours", "0").stdout)["secret"]
    alone = json.loads(sources("list").stdout)[0]["secrets"]

    assert len({first, second, third}) == 3
    assert (both, alone) == (2, 1)
    assert first not in sources.path.read_text()


def test_a_broadcast_has_a_tournament_and_no_secret(sources):
    facts = ("--tournament", "open", "--starts-on", "2025-10-12", "--ends-on", "2025-10-20")
    added = sources("add", "round", "--stream", "https://example.org/round.pgn", *facts)
    sources("add", "file", "--poll", "games.pgn", "--tournament", "other", "--every", 5)
    rows = {row["name"]: row for row in json.loads(sources("list").stdout)}

    assert added.returncode == 0, added.stderr
    assert (rows["round"]["kind"], rows["round"]["tournament"]) == ("stream", "open")
    assert rows["file"]["address"].endswith("/games.pgn")
    assert "no secret" in sources("rotate", "round").stderr
    assert sources("remove", "round").returncode == 0
    assert [row["name"] for row in json.loads(sources("list").stdout)] == ["file"]


REFUSED = [
    pytest.param(["remove", "nobody"], "no source 'nobody' (known: none yet)", id="unknown"),
    pytest.param(["add", "x", "--tournament", "open"], "--stream or --poll", id="tournament-alone"),
    pytest.param(["add", "x", "--stream", "https://a/"], "--tournament ID", id="no-tournament"),
    pytest.param(
        ["add", "x", "--stream", "file.pgn", "--tournament", "t"], "https://", id="stream-of-a-file"
    ),
    pytest.param(
        ["add", "x", "--stream", "https://a/", "--poll", "b", "--tournament", "t"], "not with both", id="both"
    ),
    pytest.param(
        ["add", "x", "--poll", "b", "--tournament", "t", "--starts-on", "2025-10-12"],
        "together",
        id="half-days",
    ),
    pytest.param(
        ["add", "x", "--poll", "b", "--tournament", "t", "--starts-on", "soon"], "YYYY-MM-DD", id="no-day"
    ),
    pytest.param(["add", "x", "--poll", "b", "--tournament", "a b"], "tournament_id", id="tournament-id"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_what_makes_no_sense_is_one_sentence(sources, arguments, words):
    done = sources(*arguments)

    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_name_that_is_none_is_wrong_usage(sources):
    done = sources("add", "Club Desk")

    assert done.returncode == 2
    assert "'Club Desk' is no name" in done.stderr


def test_a_name_is_taken_once(sources):
    sources("add", "club")

    assert "there is a source 'club' already" in sources("add", "club").stderr


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{", "the file"),
        ('{"layout": 2}', "layout"),
        ('{"sources": [{"kind": "webhook"}]}', "name"),
        ('{"sources": [{"kind": "webhook", "name": "A B", "secrets": []}]}', "sources.0.webhook.name"),
    ],
    ids=["half", "layout", "source", "bad-name"],
)
def test_a_file_that_is_broken_is_refused_and_not_overwritten(sources, text, word):
    sources("add", "club")
    sources.path.write_text(text)
    done = sources("add", "other")

    assert done.returncode == 1
    assert word in done.stderr
    assert sources.path.read_text() == text


def test_a_broken_secret_is_refused_without_being_quoted(sources):
    secret = json.loads(sources("add", "club").stdout)["secret"]
    sources.path.write_text(sources.path.read_text().replace(secret, secret[:-9]))

    with pytest.raises(SourcesError) as refused:
        read_sources(sources.path)

    assert secret[7:20] not in str(refused.value)
    assert "secret" in str(refused.value)
