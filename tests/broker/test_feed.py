"""`elowire feed` on a real broker: what it says it sent is in the topics, once it has ended."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from elowire.contracts.envelope import decode
from elowire.contracts.topics import GAME_RESULTS, TOURNAMENT_EVENTS, partition_of
from elowire.runtime.kafka import read_all
from elowire.runtime.settings import child_environment
from tests.broker.acceptance.topics import make_empty

pytestmark = pytest.mark.broker

EVENTS = Path(__file__).parents[1] / "data" / "events"
PARTITIONS = 12


@pytest.fixture
def cluster(kafka):
    """Address of a cluster with the product's topics, empty, whatever ran before."""
    make_empty(kafka, partitions=PARTITIONS)
    return kafka


def feed(cluster, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "elowire", "feed", *map(str, arguments), "--bootstrap", cluster],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=child_environment(),
    )


def command(cluster, data, *arguments):
    """Run another command beside the feeding ones; it must do its work."""
    done = subprocess.run(
        [sys.executable, "-m", "elowire", *map(str, arguments), "--bootstrap", cluster, "--data", str(data)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=child_environment(),
    )
    assert done.returncode == 0, done.stderr


def records_of(cluster, tournament_id):
    async def read():
        names = [TOURNAMENT_EVENTS.name, GAME_RESULTS.name]
        return [record async for batch in read_all(cluster, names) for record in batch]

    return [record for record in asyncio.run(read()) if record.key == tournament_id.encode()]


def events_of(records):
    return [decode(record.topic, record.key, record.value, record.headers) for record in records]


def test_a_championship_is_in_the_topics_when_the_command_ends(cluster):
    done = feed(cluster, EVENTS / "us-championship-2025.json", "--tournament", "us-once", "--finish")
    records = records_of(cluster, "us-once")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["sent"] == {"tournaments": 2, "entrants": 12, "games": 66}
    assert len(records) == 80
    assert {record.partition for record in records} == {partition_of(b"us-once", PARTITIONS)}
    assert {event.data.tournament_id for event in events_of(records)} == {"us-once"}


def test_the_same_file_twice_sends_the_same_events_again(cluster):
    for _ in range(2):
        assert feed(cluster, EVENTS / "us-championship-2025.json", "--tournament", "us-twice").returncode == 0
    events = events_of(records_of(cluster, "us-twice"))

    assert len(events) == 2 * 79
    assert len({(event.event_id, event.data) for event in events}) == 79


def test_a_refused_line_is_said_and_the_rest_is_sent(cluster, tmp_path):
    lines = (EVENTS / "womens-world-rapid-2024.csv").read_text().splitlines()
    lines[7] = lines[7].replace("1/2-1/2", "2-0")
    path = tmp_path / "rapid.csv"
    path.write_text("\ufeff" + "\r\n".join(lines).replace(",", ";"))
    done = feed(cluster, path, "--tournament", "rapid", "--time-control", "rapid", "--format", "table")

    assert done.returncode == 1
    assert f"{path}: refused: line 8, result: is '" in done.stderr
    assert "sent 1 tournament, 110 entrants, 604 games; 1 adjusted; 1 refused" in done.stdout
    assert len(records_of(cluster, "rapid")) == 1 + 110 + 604


def test_lines_of_cloudevents_keep_their_ids_and_a_broken_one_is_named(cluster, tmp_path):
    data = {
        "tournament_id": "lines",
        "game_id": "r1-1-2",
        "revision": 7,
        "status": "played",
        "white": {"player_id": "1"},
        "black": {"player_id": "2"},
        "result": "1-0",
    }
    event = {
        "specversion": "1.0",
        "id": "mine-1",
        "source": "arbiter",
        "type": "elowire.game-result.v1",
        "time": "2025-10-12T17:30:00Z",
        "data": data,
    }
    path = tmp_path / "events.jsonl"
    path.write_text(
        f"{json.dumps(event)}\n{json.dumps(event)[:50]}\n{json.dumps(event | {'id': 'mine-2'})}\n"
    )
    done = feed(cluster, path)
    events = events_of(records_of(cluster, "lines"))

    assert done.returncode == 1
    assert "refused: line 2: not-json" in done.stderr
    assert [(one.event_id, one.source, one.data.revision) for one in events] == [
        ("mine-1", "arbiter", 7),
        ("mine-2", "arbiter", 7),
    ]


def test_one_file_that_cannot_be_read_does_not_stop_the_next(cluster, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"games": [')
    done = feed(cluster, broken, EVENTS / "us-championship-2025.json", "--tournament", "us-beside")

    assert done.returncode == 1
    assert "half-written" in done.stderr
    assert len(records_of(cluster, "us-beside")) == 79


def test_what_an_operator_corrected_stays_until_he_releases_it_and_then_files_go_on(cluster, tmp_path):
    data, file = tmp_path / "data", tmp_path / "one.csv"
    facts = (
        "--tournament",
        "held",
        "--time-control",
        "standard",
        "--starts-on",
        "2025-10-12",
        "--data",
        data,
    )

    def fed(result, revision):
        file.write_text(
            "game_id,round,white_fide_id,black_fide_id,white_rating,black_rating,result\n"
            f"g1,1,101,102,2400,2400,{result}\ng2,1,103,104,2400,2400,1-0\n"
        )
        done = feed(cluster, file, *facts, "--revision", revision)
        assert done.returncode == 0, done.stderr
        (row,) = json.loads(done.stdout)
        return row["held_by_corrections"]

    def result():
        games = [one.data for one in events_of(records_of(cluster, "held")) if hasattr(one.data, "game_id")]
        return max((game.revision, str(game.result)) for game in games if game.game_id == "g1")[1]

    correct = ("correct", "g1", "--tournament", "held", "--why", "a test")
    assert (fed("1-0", 0), result()) == (0, "1-0")
    command(cluster, data, *correct, "--result", "1/2-1/2")
    assert (fed("0-1", 1), result()) == (1, "1/2-1/2")
    # Not even with the greatest revision that a file can state.
    assert (fed("1-0", 2**53), result()) == (1, "1/2-1/2")
    assert (fed("0-1", 2), result()) == (1, "1/2-1/2")
    command(cluster, data, *correct, "--release")
    assert result() == "1-0"
    assert (fed("0-1", 2**53), result()) == (0, "1-0")


def test_after_a_release_a_newer_file_counts(cluster, tmp_path):
    data, file = tmp_path / "data", tmp_path / "one.csv"
    facts = ("--tournament", "freed", "--time-control", "standard", "--starts-on", "2025-10-12")
    correct = ("correct", "g1", "--tournament", "freed", "--why", "a test")
    for revision, result, then in ((0, "1-0", "--result=1/2-1/2"), (1, "1-0", "--release"), (2, "0-1", None)):
        file.write_text(
            "game_id,round,white_fide_id,black_fide_id,white_rating,black_rating,result\n"
            f"g1,1,101,102,2400,2400,{result}\n"
        )
        assert feed(cluster, file, *facts, "--data", data, "--revision", revision).returncode == 0
        if then:
            command(cluster, data, *correct, then)
    games = [one.data for one in events_of(records_of(cluster, "freed")) if hasattr(one.data, "game_id")]
    revisions = [game.revision for game in games]

    assert [str(game.result) for game in games] == ["1-0", "1/2-1/2", "1-0", "0-1"]
    assert revisions == sorted(set(revisions))


def test_facts_stated_for_events_that_carry_their_own_are_refused(cluster, tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text("{}\n")
    done = feed(cluster, path, "--finish")

    assert done.returncode == 1
    assert "--finish has no meaning" in done.stderr


def test_speed_holds_games_back(cluster):
    started = time.monotonic()
    done = feed(cluster, EVENTS / "us-championship-2025.json", "--tournament", "us-slow", "--speed", 20)

    assert done.returncode == 0
    assert time.monotonic() - started > 65 / 20


def test_no_broker_is_one_sentence(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text("{}\n")
    done = feed("127.0.0.1:30599", path)

    assert done.returncode == 1
    assert done.stderr.startswith("elowire: no Kafka broker answers at 127.0.0.1:30599.")
    assert "elowire up" in done.stderr
