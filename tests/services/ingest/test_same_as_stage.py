"""A file rated offline and its records, shuffled, through the tournament stage give the same figures."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime

import pytest

from elowire.contracts.topics import partition_of
from elowire.domain import TimeControl
from elowire.ingest.feed import feed_of
from elowire.ingest.offline import rate_event
from elowire.ingest.offline_rows import event_row
from elowire.ingest.readers.files import read_event
from elowire.processor.stage import Record
from elowire.processor.tournament import TournamentStage
from tests.services.ingest.line_figures import figures_of

NOW = datetime(2025, 10, 25, tzinfo=UTC)
PARTITIONS = 12


def lines_of(report, seed):
    """The last line of every entrant, by entrant id, after records in any order and batches of any size."""
    feed = feed_of(report, time=NOW, finish=True)
    records = [*feed.opening, *feed.games, *feed.closing]
    chance = random.Random(seed)
    chance.shuffle(records)
    stage = TournamentStage(partitions=PARTITIONS)
    partition = partition_of(records[0].key, PARTITIONS)
    table, index, lines = {}, stage.new_index(), {}
    source = [Record(r.topic, partition, n, 0, r.key, r.value, r.headers) for n, r in enumerate(records)]
    while source:
        size = chance.randint(1, 200)
        batch, source = source[:size], source[size:]
        effects = stage.apply(batch, table, index, partition)
        table.update(effects.puts)
        for emit in effects.emits:
            if emit.topic == "tournament-ratings":
                line = json.loads(emit.value)
                lines[line["entrant_id"]] = line
    return lines


EVENTS = [
    pytest.param("events/us-championship-2025.json", None, id="us-championship"),
    pytest.param("events/womens-world-rapid-2024.csv", None, id="womens-world-rapid"),
    pytest.param("events/swiss-open-2005.trf", "2003", id="swiss-open-2003"),
    pytest.param("events/swiss-open-2005.trf", "2014-07", id="swiss-open-2014-07"),
    pytest.param("events/swiss-open-2005.trf", "2022-01", id="swiss-open-2022-01"),
    pytest.param("events/swiss-open-2005.trf", "2024-03", id="swiss-open-2024-03"),
    pytest.param("trf/generated-swiss.trf", None, id="generated-swiss"),
]


def same(report):
    lines = lines_of(report, seed=2005)
    players = event_row(rate_event(report))["players"]
    assert {player["player_id"] for player in players} == set(lines)
    for player in players:
        assert figures_of(player) == figures_of(lines[player["player_id"]]), player["player_id"]


@pytest.mark.parametrize(("path", "edition"), EVENTS)
def test_real_and_generated_events(events, path, edition):
    same(
        read_event(events.parent / path).stated(
            edition=edition, time_control=None if "events" in path else TimeControl.STANDARD
        )
    )


ROUND_ROBINS = [
    *(pytest.param(edition, False, id=edition) for edition in ("2009-07", "2014-07", "2017-07", "2022-01")),
    *(
        pytest.param(edition, True, id=f"{edition}-with-a-forfeit")
        for edition in ("2009-07", "2014-07", "2017-07", "2024-03")
    ),
]


@pytest.mark.parametrize(("edition", "unplayed"), ROUND_ROBINS)
def test_round_robins_with_unrated_players(tmp_path, edition, unplayed):
    ratings = [2600, 2500, None, 2400, None, 2150, 2300, None, None, 2300]
    chance = random.Random(9)
    pairs = [(white, black) for white in range(10) for black in range(white)]
    games = [
        {"white": white + 1, "black": black + 1, "result": chance.choice(["1-0", "0-1", "1/2-1/2"])}
        for white, black in pairs
    ]
    if unplayed:
        games[7]["result"] = "+--"
    event = {
        "name": "Round robin",
        "time_control": "standard",
        "start": "2025-10-12",
        "end": "2025-10-24",
        "edition": edition,
        "system": "round-robin",
        "players": [
            {"fide_id": n, "published_rating": rating or 0} for n, rating in enumerate(ratings, start=1)
        ],
        "games": games,
    }
    path = tmp_path / "round-robin.json"
    path.write_text(json.dumps(event))

    same(read_event(path))


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param({"rounds": 4}, id="decided-after-three-of-four"),
        pytest.param({"rounds": 4, "match_games": 6}, id="arranged-for-six"),
        pytest.param({}, id="of-a-length-nobody-says"),
        pytest.param({"rounds": 4, "match_waived": True}, id="waived"),
    ],
)
@pytest.mark.parametrize("ratings", [(2400, 2500), (2400, None)])
def test_matches(tmp_path, facts, ratings):
    results = ["1-0", "0-1", "1-0", "0-1"]
    event = {
        "name": "Match",
        "time_control": "standard",
        "start": "2025-10-12",
        "end": "2025-10-24",
        "players": [
            {"fide_id": n, "published_rating": rating or 0} for n, rating in enumerate(ratings, start=1)
        ],
        "games": [
            {"white": 1 + n % 2, "black": 2 - n % 2, "result": result, "round": n + 1}
            for n, result in enumerate(results)
        ],
        **facts,
    }
    path = tmp_path / "match.json"
    path.write_text(json.dumps(event))

    same(read_event(path))
