"""Each reproduction shows its fault. One that does not any more is news: see README.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from elowire.runtime.embedded.broker import EmbeddedKafka
from tests.ports import free_port

pytestmark = pytest.mark.broker

FOLDER = Path(__file__).parent
PATIENCE_S = 240
SHOWS = 0


@pytest.fixture(scope="module")
def kafka(tmp_path_factory):
    with EmbeddedKafka(tmp_path_factory.mktemp("kafka"), free_port()) as broker:
        yield broker.bootstrap


def reproduce(script, bootstrap):
    """Run a reproduction; returns its exit code, the figures of its last line, and all that it said."""
    done = subprocess.run(
        [sys.executable, FOLDER / script, bootstrap],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    figures = {name: int(number) for name, number in re.findall(r"([a-z][a-z ]*) (\d+)", last)}
    return done.returncode, figures, done.stdout + done.stderr


def test_an_update_that_the_broker_refused_is_lost_and_its_offset_is_committed(kafka):
    code, figures, said = reproduce("refused_record.py", kafka)

    assert code == SHOWS, said
    assert figures["committed"] == figures["events"] == 20
    assert figures["in the changelog"] <= 18


def test_events_are_committed_that_no_agent_has_seen(kafka):
    code, figures, said = reproduce("never_seen.py", kafka)

    assert code == SHOWS, said
    assert figures["never seen"] > 0


def test_a_worker_that_keeps_its_partitions_reads_its_own_changelog_again(kafka):
    code, _, said = reproduce("own_tail.py", kafka)

    assert code == SHOWS, said
