"""A finish says whether the games are those that were expected; nothing waits for them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from elowire.contracts.envelope import input_record
from elowire.processor.stage import Record
from elowire.processor.tournament import TournamentStage
from tests.oracle.events import entrant, game, tournament

NOW = datetime(2025, 10, 24, tzinfo=UTC)


def finished(*events):
    """What the stage counts when all events come in one batch."""
    records = [
        input_record(event, event_id=f"e{number}", source="test", time=NOW)
        for number, event in enumerate(events)
    ]
    source = [Record(r.topic, 0, n, 0, r.key, r.value, r.headers) for n, r in enumerate(records)]
    stage = TournamentStage(partitions=1)
    counts = stage.apply(source, {}, stage.new_index(), 0).counts
    return [word.removeprefix("finished_") for word in counts if word.startswith("finished_")]


PLAYERS = [entrant(str(n), 2400) for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("facts", "games", "said"),
    [
        ({"expected_games": 2}, 2, "complete"),
        ({"expected_games": 3}, 2, "fewer-games-than-expected"),
        ({"expected_games": 1}, 2, "more-games-than-expected"),
        ({}, 2, "expected-games-not-said"),
        ({"system": "round-robin"}, 3, "complete"),
        ({"system": "round-robin"}, 2, "fewer-games-than-expected"),
    ],
)
def test_a_finish_compares_the_games_with_those_expected(facts, games, said):
    pairs = [("1", "2"), ("2", "3"), ("3", "1")][:games]
    played = [game(f"g{n}", *pair, round=n + 1) for n, pair in enumerate(pairs)]

    assert finished(tournament(status="finished", **facts), *PLAYERS, *played) == [said]


def test_a_running_tournament_says_nothing():
    assert finished(tournament(expected_games=3), *PLAYERS, game("g", "1", "2")) == []
