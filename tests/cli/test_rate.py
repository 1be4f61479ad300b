"""`elowire rate`: the shape that programs read, the table that people read, and how it fails."""

from __future__ import annotations

import json

import pytest

EVENT = {"event", "edition", "players", "warnings"}
PLAYER = {
    *("player_id", "name", "rating", "k", "games", "points", "expected", "sum_change", "change", "live"),
    *("predicted", "performance", "initial", "rated_games", "refused_games"),
}
GAME = {
    *("round", "opponent_id", "opponent_rating", "points", "difference", "counted_difference", "expectancy"),
    *("delta", "change"),
}


def test_an_event_has_the_shape_of_the_contract(elowire, events):
    done = elowire("rate", events / "us-championship-2025.json", "--format", "json")
    report = done.json()
    first = report["players"][0]

    assert done.status == 0
    assert set(report) == EVENT
    assert set(first) >= PLAYER
    assert set(first["rated_games"][0]) == GAME
    assert (first["player_id"], first["rating"], first["k"], first["games"]) == ("2020009", 2789, 10, 11)
    assert (first["points"], first["live"], first["predicted"]) == ("8", "2797.3", 2797)
    assert (report["edition"], report["warnings"]) == ("2025-10", [])


def test_a_period_has_the_shape_of_the_contract(elowire, cases):
    (first, *_) = elowire("rate", cases / "fide-published-periods.json", "--format", "json").json()

    assert set(first) == {
        *(
            "id",
            "base_rating",
            "k_list",
            "k_used",
            "games",
            "total",
            "rounded_change",
            "new_rating",
            "events",
        ),
    }
    assert set(first["events"][0]) == {"own_rating", "sum_change", "change", "games"}
    assert set(first["events"][0]["games"][0]) == GAME - {"round", "opponent_id"}


def test_a_results_csv_counts_the_assumed_k(elowire, events):
    report = elowire(
        "rate", events / "womens-world-rapid-2024.csv", "--time-control", "rapid", "--format", "json"
    ).json()
    assumed = [player for player in report["players"] if player["k_reason"] == "assumed"]

    assert sum(player["games"] for player in report["players"]) == 2 * 605
    assert report["event"]["time_control"] == "rapid"
    assert report["warnings"][0].startswith(f"K is assumed for {len(assumed)} of 110 players")


@pytest.mark.parametrize(("edition", "publishable"), [("2003", 0), ("2014-07", 37), ("2024-03", 37)])
def test_the_swiss_open_shows_rated_refused_and_first_ratings(elowire, events, edition, publishable):
    report = elowire("rate", events / "swiss-open-2005.trf", "--edition", edition, "--format", "json").json()
    players = report["players"]
    reasons = {game["reason"] for player in players for game in player["refused_games"]}

    assert (report["edition"], len(players)) == (edition, 284)
    assert reasons == {"forfeit", "bye", "unplayed", "unrated-opponent"}
    assert sum(player["initial"] is not None for player in players) == 138
    assert sum(player["initial"]["publishable"] for player in players if player["initial"]) == publishable
    assert players[280]["player_id"] == "rank:281"
    assert any("line 4, column 5" in warning for warning in report["warnings"])


def test_the_table_names_what_was_not_rated(elowire, events):
    done = elowire("rate", events / "swiss-open-2005.trf", "--format", "table")

    assert done.status == 0
    assert "5 unrated-opponent, forfeit" in done.out
    assert "note: adjusted: line 4, column 5" in done.out


def test_a_pipe_gets_json(elowire, events):
    assert elowire("rate", events / "us-championship-2025.json").json()["edition"] == "2025-10"


def test_stated_facts_count_for_more_than_the_file(elowire, events):
    report = elowire(
        "rate", events / "us-championship-2025.json", "--edition", "2022-01", "--rated-in", "2026-01",
        "--time-control", "blitz", "--starts-on", "2022-10-12", "--format", "json",
    ).json()  # fmt: skip

    assert (report["edition"], report["event"]["rating_period"]) == ("2022-01", "2026-01")
    assert (report["event"]["time_control"], report["event"]["starts_on"]) == ("blitz", "2022-10-12")


def test_a_refused_line_leaves_the_rest_rated_and_ends_with_status_1(elowire, events, tmp_path):
    lines = (events / "womens-world-rapid-2024.csv").read_text().splitlines()
    lines[300] = lines[300][:20]
    path = tmp_path / "half.csv"
    path.write_text("\n".join(lines))
    done = elowire("rate", path, "--time-control", "rapid", "--format", "json")

    assert done.status == 1
    assert sum(player["games"] for player in done.json()["players"]) == 2 * 604
    assert f"{path}: line 301: has" in done.err


FAILURES = [
    pytest.param("event.csv", "", "line 1: the file is empty", id="empty-csv"),
    pytest.param("event.csv", "round,white\n1,2\n", "line 1: the header lacks", id="half-csv"),
    pytest.param("event.json", '{"name": "x", "games"', "half-written", id="half-json"),
    pytest.param("event.trf", "012 Open\n", "lines that begin with 001", id="trf-without-players"),
    pytest.param(
        "event.doc", "x", "ends in .doc; expected an event as .trf, .csv, .pgn or .json", id="ending"
    ),
]


@pytest.mark.parametrize(("name", "text", "words"), FAILURES)
def test_a_file_that_cannot_be_rated_is_one_sentence_with_its_place(elowire, tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    done = elowire("rate", path)

    assert (done.status, done.out) == (1, "")
    assert done.err.count("\n") == 1
    assert done.err.startswith(f"elowire: {path}: ")
    assert words in done.err


CONDITIONS = [
    pytest.param([], "give --starts-on or --edition", id="no-date"),
    pytest.param(["--starts-on", "1999-05-01"], "give --edition", id="before-all-editions"),
    pytest.param(
        ["--starts-on", "2010-05-01", "--time-control", "rapid"], "not rated on 2010-05-01", id="no-rapid"
    ),
]


@pytest.mark.parametrize(("flags", "words"), CONDITIONS)
def test_missing_facts_name_the_flag_that_states_them(elowire, tmp_path, flags, words):
    path = tmp_path / "event.csv"
    path.write_text(
        "round,white_fide_id,white_rating,black_fide_id,black_rating,result\n1,1,2000,2,2000,1-0\n"
    )
    done = elowire("rate", path, *flags)

    assert done.status == 1
    assert words in done.err


def test_an_unknown_edition_in_a_period_is_said(elowire, cases, tmp_path):
    (case, *_) = json.loads((cases / "fide-published-periods.json").read_bytes())
    path = tmp_path / "periods.json"
    path.write_text(json.dumps([case | {"edition": "2023"}]))
    done = elowire("rate", path)

    assert done.status == 1
    assert "'2023' is not an edition" in done.err


def test_a_round_robin_with_unrated_players_strengthens_the_rated_until_2021(elowire, tmp_path):
    players = [("1", 2400), ("2", 2300), ("3", 2200), ("4", None)]
    games = [("1", "2"), ("3", "4"), ("1", "3"), ("2", "4"), ("1", "4"), ("2", "3")]
    event = {
        "name": "Round robin",
        "time_control": "standard",
        "start": "2018-03-01",
        "end": "2018-03-05",
        "system": "round robin",
        "players": [{"fide_id": name, "published_rating": rating or 0} for name, rating in players],
        "games": [
            {"round": n // 2 + 1, "white": white, "black": black, "result": "1/2-1/2"}
            for n, (white, black) in enumerate(games)
        ],
    }
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))
    old = elowire("rate", path, "--format", "json").json()["players"]
    new = elowire("rate", path, "--edition", "2022-01", "--format", "json").json()["players"]

    # All draws: Ra is the rated average, and half points give Ru = Ra = 2300 with nothing to correct.
    assert [player["games"] for player in old] == [3, 3, 3, 3]
    assert [game["opponent_rating"] for game in old[1]["rated_games"]] == [2400, 2300, 2200]
    assert old[3]["initial"]["ru"] == 2300
    assert [player["games"] for player in new] == [2, 2, 2, 3]
    assert new[0]["refused_games"] == [{"round": 3, "opponent_id": "4", "reason": "unrated-opponent"}]


def test_a_round_robin_with_an_unplayed_game_is_rated_as_a_swiss(elowire, tmp_path):
    event = {
        "name": "Round robin",
        "time_control": "standard",
        "start": "2018-03-01",
        "end": "2018-03-05",
        "system": "round robin",
        "players": [
            {"fide_id": n, "published_rating": rating} for n, rating in ((1, 2400), (2, 2300), (3, 0))
        ],
        "games": [
            {"round": 1, "white": 1, "black": 3, "result": "1/2-1/2"},
            {"round": 2, "white": 2, "black": 3, "result": "1/2-1/2"},
            {"round": 3, "white": 1, "black": 2, "result": "+--"},
        ],
    }
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))
    first = elowire("rate", path, "--format", "json").json()["players"][0]

    assert (first["games"], first["points"], first["total_points"]) == (0, "0", "1.5")
    assert [game["reason"] for game in first["refused_games"]] == ["unrated-opponent", "forfeit"]
