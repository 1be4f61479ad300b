"""The US Championship 2025 through Kafka: the live table after every round, and what is left in the end."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime

import pytest

from elowire.ingest.feed import feed_of
from elowire.ingest.readers.files import read_event
from tests.broker.acceptance.programs import feed, wait_until
from tests.broker.acceptance.topics import live, read, send, settle

pytestmark = pytest.mark.broker
ROUNDS = range(1, 12)
ROUND_S = 60
NOW = datetime(2025, 10, 24, tzinfo=UTC)


@pytest.fixture(scope="module")
def event(events):
    return json.loads((events / "us-championship-2025.json").read_bytes())


@pytest.fixture(scope="module")
def table(cases, event):
    """Computed: the live ratings after each round, the event alone: round -> FIDE id -> "2797.3"."""
    rows = list(csv.DictReader((cases / "us-championship-2025-live.csv").read_text().splitlines()))
    ids = [str(player["fide_id"]) for player in event["players"]]
    return {number: {ids[int(row["player"]) - 1]: row[f"r{number}"] for row in rows} for number in ROUNDS}


@pytest.fixture(scope="module")
def processor(processors):
    return processors()


def test_the_table_after_every_round(processor, event, table, tmp_path):
    path = tmp_path / "us-championship-2025.json"
    bootstrap = processor.bootstrap

    def shown():
        return {player_id: value["standard"]["live"] for player_id, value in live(bootstrap).items()}

    for number in ROUNDS:
        # The file grows as the organiser's does: what was fed before comes again.
        games = [game for game in event["games"] if game["round"] <= number]
        assert len(games) == 6 * number
        path.write_text(json.dumps({**event, "games": games}))
        records = feed_of(read_event(path), time=NOW)
        send(bootstrap, [*records.opening, *records.games])
        wait_until(
            lambda number=number: shown() == table[number],
            ROUND_S,
            lambda number=number: f"round {number}: {shown()} is {table[number]}",
        )
    (sent,) = feed(bootstrap, path, "--finish")
    settle(processor)
    final = live(bootstrap)

    assert sent["sent"] == {"tournaments": 2, "entrants": 12, "games": 66}
    assert {player_id: value["standard"]["live"] for player_id, value in final.items()} == table[11]
    assert {player_id: value["version"] for player_id, value in final.items()} == dict.fromkeys(final, 11)
    assert {value["standard"]["pending_games"] for value in final.values()} == {11}
    # Official: FIDE's K·ΣΔR of each player.
    assert {player_id: value["standard"]["change"] for player_id, value in final.items()} == {
        str(player["fide_id"]): player["k_times_sum"] for player in event["players"]
    }
    assert read(bootstrap, "dead-letters") == []
