"""Whole events and periods give FIDE's published figures."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from elowire.ingest.offline import rate_event
from elowire.ingest.offline_rows import event_row, period_row
from elowire.ingest.readers.files import read_ratable


@pytest.fixture
def championship(events):
    return json.loads((events / "us-championship-2025.json").read_bytes())


@pytest.fixture
def rated(events):
    row = event_row(rate_event(read_ratable(events / "us-championship-2025.json")))
    return {player["player_id"]: player for player in row["players"]}


def test_all_132_changes_of_the_2025_us_championship(championship, rated):
    changes = {
        (game["round"], player_id, game["opponent_id"]): game["delta"]
        for player_id, player in rated.items()
        for game in player["rated_games"]
    }
    expected = {}
    for game in championship["games"]:
        white, black = str(game["white"]), str(game["black"])
        change = Decimal(game["white_change"])
        expected[game["round"], white, black] = change
        # All gaps are below 400 and both sides read one table row, so that the changes mirror.
        expected[game["round"], black, white] = -change

    assert len(expected) == 132
    assert {key: Decimal(value) for key, value in changes.items()} == expected


def test_the_12_sums_of_the_2025_us_championship(championship, rated):
    for player in championship["players"]:
        line = rated[str(player["fide_id"])]

        assert line["sum_change"] == player["sum_change"]
        assert line["change"] == player["k_times_sum"]
        assert Decimal(line["points"]) == Decimal(player["points"])
        assert line["k_reason"] == "entrant"


def test_changes_of_the_event_and_the_others_of_its_period_give_the_november_list(championship, rated):
    for player in championship["players"]:
        others = sum(Decimal(event["k_times_sum"]) for event in player["other_events"])
        total = Decimal(rated[str(player["fide_id"])]["change"]) + others

        assert str(total) == player["period_total"]
        assert player["published_rating"] + total.quantize(1, "ROUND_HALF_UP") == player["next_list_rating"]


def test_published_periods_come_out_equal(cases):
    path = cases / "fide-published-periods.json"
    published = {case["id"]: case for case in json.loads(path.read_bytes())}
    rows = [period_row(case) for case in read_ratable(path)]

    assert [row["id"] for row in rows] == list(published)
    for row in rows:
        case = published[row["id"]]
        assert row["total"] == case["total"]
        assert row["new_rating"] == case["published"][case["rating_period"]]
        for mine, event in zip(row["events"], case["events"], strict=True):
            assert row["k_used"] == event["k_used"]
            assert (mine["sum_change"], mine["change"]) == (event["sum_change"], event["k_times_sum"])
            assert [Decimal(game["delta"]) for game in mine["games"]] == [
                Decimal(game["change"]) for game in event["games"]
            ]


def test_outcome_fields_of_a_period_are_never_read(cases, tmp_path):
    document = json.loads((cases / "fide-published-periods.json").read_bytes())
    before = [period_row(case) for case in read_ratable(cases / "fide-published-periods.json")]
    for case in document:
        del case["published"][case["rating_period"]], case["total"], case["note"]
        for event in case["events"]:
            del event["k_used"], event["sum_change"], event["k_times_sum"]
            for game in event["games"]:
                del game["change"], game["capped_on_page"]
    stripped = tmp_path / "stripped.json"
    stripped.write_text(json.dumps(document))

    assert [period_row(case) for case in read_ratable(stripped)] == before


def test_base_rating_counts_for_more_than_the_list_before(cases, tmp_path):
    case = json.loads((cases / "fide-published-periods.json").read_bytes())[0]
    path = tmp_path / "case.json"
    path.write_text(json.dumps([case | {"base_rating": 2800}]))

    (row,) = [period_row(read) for read in read_ratable(path)]

    assert (row["base_rating"], row["new_rating"]) == (2800, 2797)
