"""`elowire rate` where the event decides, not the game: matches, late entries, round robins, completeness."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "data" / "cases"
WHITE, DRAW, BLACK = "1-0", "1/2-1/2", "0-1"


def event(players, games, **facts):
    """An event of 2025; players as id -> rating (0 unrated) or facts, games as (white, black, result)."""
    return {
        "name": "Event",
        "time_control": "standard",
        "start": "2025-10-12",
        "end": "2025-10-24",
        "players": [
            {"fide_id": name, **(more if isinstance(more, dict) else {"published_rating": more, "k": 10})}
            for name, more in players.items()
        ],
        "games": [
            {"round": number, "white": white, "black": black, "result": result}
            for number, (white, black, result) in enumerate(games, 1)
        ],
        **facts,
    }


@pytest.fixture
def rate(elowire, tmp_path):
    """Rates an event; gives the report and its players by id."""

    def run(document, *options):
        path = tmp_path / "event.json"
        path.write_text(json.dumps(document))
        done = elowire("rate", path, "--format", "json", *options)
        assert done.status == 0, done.err
        report = done.json()
        return report, {player["player_id"]: player for player in report["players"]}

    return run


def refused(player):
    return [(game["round"], game["reason"]) for game in player["refused_games"]]


# Four wins of a match over six games: after the fourth, 4 of 6 points decide it.
SIX = [(1, 2, WHITE), (2, 1, BLACK), (1, 2, WHITE), (2, 1, BLACK), (1, 2, DRAW), (2, 1, WHITE)]
PAIR = {1: 2500, 2: 2500}


@pytest.mark.parametrize(
    ("facts", "options"),
    [
        pytest.param({"system": "match", "rounds": 6}, [], id="rounds"),
        pytest.param({"system": "match", "match_games": 6}, [], id="match-games"),
        pytest.param({"rounds": 6}, [], id="two-players"),
        pytest.param({"system": "match"}, ["--match-games", "6"], id="stated"),
    ],
)
def test_6_games_after_a_match_is_decided_are_refused_to_both(rate, facts, options):
    report, players = rate(event(PAIR, SIX, **facts), *options)

    assert refused(players["1"]) == refused(players["2"]) == [(5, "decided-match"), (6, "decided-match")]
    # Four wins against an equal: 4 times 0.50, K 10.
    assert (players["1"]["change"], players["2"]["change"]) == ("20.00", "-20.00")
    assert (players["1"]["games"], players["1"]["total_points"]) == (4, "4.5")
    assert not [warning for warning in report["warnings"] if "decision" in warning]


@pytest.mark.parametrize(
    ("facts", "options"),
    [({"match_waived": True}, []), ({}, ["--match-waived"])],
    ids=["in-the-file", "stated"],
)
def test_6_unless_the_rule_is_waived(rate, facts, options):
    _, players = rate(event(PAIR, SIX, system="match", rounds=6, **facts), *options)

    assert refused(players["1"]) == []
    assert players["1"]["change"] == "15.00"


def test_6_a_match_of_unknown_length_is_rated_and_that_is_said(rate):
    report, players = rate(event(PAIR, SIX, system="match"))

    assert refused(players["1"]) == []
    assert any("--match-games states it" in warning for warning in report["warnings"])


def test_6_the_order_of_play_is_that_of_the_rounds(rate):
    document = event(PAIR, SIX, rounds=6)
    document["games"].reverse()
    _, players = rate(document)

    assert sorted(refused(players["1"])) == [(5, "decided-match"), (6, "decided-match")]


def test_6_a_forfeit_brings_points_and_a_game_outside_the_rating_none(rate):
    """Computed: 1 + forfeit 1 + ½ of 4 decide after the third game; the unrated one does not."""
    document = event(PAIR, [(1, 2, WHITE), (2, 1, "--+"), (1, 2, DRAW), (1, 2, WHITE)], match_games=4)
    _, players = rate(document)
    assert refused(players["1"]) == [(2, "forfeit"), (4, "decided-match")]

    document["games"][1] = {"round": 2, "white": 2, "black": 1, "result": BLACK, "rated": False}
    _, players = rate(document)
    assert refused(players["1"]) == [(2, "not-rated-game")]


def test_6_every_pair_of_a_knockout_is_a_match_of_its_own(rate):
    players = {1: 2500, 2: 2500, 3: 2500, 4: 2500}
    games = [(1, 2, WHITE), (1, 2, WHITE), (3, 4, WHITE), (3, 4, BLACK), (1, 2, WHITE), (3, 4, WHITE)]
    document = event(players, games, system="match", match_games=3, rounds=9)
    _, rated = rate(document)

    assert (refused(rated["1"]), refused(rated["3"])) == ([(5, "decided-match")], [])


def test_6_a_match_with_an_unrated_player_is_rated_for_nobody(rate):
    for edition in ("2003", "2009-draft", "2017-07", "2025-10"):
        _, players = rate(event({1: 2000, 2: 0}, SIX, system="match", rounds=6, edition=edition))

        assert (players["1"]["games"], players["2"]["games"]) == (0, 0)
        assert {reason for player in players.values() for _, reason in refused(player)} == {
            "unrated-opponent"
        }
        assert players["2"]["initial"]["ru"] is None
        assert players["2"]["initial"]["reason"] == "no-games-against-rated-opponents"


# Player 3 was unrated on 12 October and is on the list of October or November with 1900.
def late(entered_list):
    player = {"published_rating": 0, "k": 40, "entered_list": entered_list, "entered_rating": 1900}
    return event({1: 2000, 2: 1900, 3: player}, [(1, 3, BLACK), (2, 3, DRAW), (1, 2, DRAW)], system="swiss")


@pytest.mark.parametrize("edition", ["2003", "2014-07", "2024-03"])
def test_8_4_who_entered_the_list_before_the_rating_is_rated_alone(rate, edition):
    report, players = rate(late("2025-11"), "--rated-in", "2025-12", "--edition", edition)

    # Own change with the current rating: 1 - .36 (100 points below) and ½ - .50, K 40.
    assert (players["3"]["rating"], players["3"]["entered_list"]) == (1900, "2025-11")
    assert (players["3"]["sum_change"], players["3"]["change"]) == ("0.64", "25.60")
    assert players["3"]["initial"] is None
    # For the opponents an unrated player.
    assert refused(players["1"]) == [(1, "unrated-opponent")]
    assert any("is on the list of 2025-11 before it is rated" in note for note in report["warnings"])


def test_8_4_who_enters_with_this_very_event_is_unrated_in_it(rate):
    _, players = rate(late("2025-11"))

    assert (players["3"]["rating"], players["3"]["entered_list"]) == (None, None)
    assert players["3"]["initial"]["games"] == 2


def test_8_4_late_entry_leaves_a_round_robin_until_2021_as_it_was(rate):
    """The opponents' changes use the Ru that the player would have got."""
    document = late("2025-11") | {"system": "round-robin"}
    _, players = rate(document, "--rated-in", "2025-12", "--edition", "2014-07")
    for player in document["players"]:
        player.pop("entered_list", None)
    _, unrated = rate(document, "--rated-in", "2025-12", "--edition", "2014-07")

    assert players["1"] == unrated["1"]
    assert players["3"]["change"] == "25.60"


SCORES = {"A": 8, "B": 7, "C": 7, "D": 6, "E": 6, "F": 4, "G": 3, "H": 2, "I": 1, "J": 1}
RATINGS = {"A": 2600, "B": 2500, "C": 0, "D": 2400, "E": 0, "F": 2150, "G": 2300, "H": 0, "I": 0, "J": 2300}


def example(edition):
    """The worked example of the draft of 2009 as games: a table of results with these very scores.

    The best takes wins from the last and gives one to each of the next where the score asks for it.
    """
    left = dict(SCORES)
    names = list(SCORES)
    games = []
    while names:
        names.sort(key=lambda name: -left[name])
        first, *others = names
        wins = left[first]
        # The first beats the weakest; who beats the first is the strongest of the rest.
        losers = others[len(others) - wins :]
        for other in others:
            beaten = other in losers
            games.append((first, other, WHITE if beaten else BLACK))
            left[other] -= not beaten
        names = others
    ids = {name: number for number, name in enumerate(SCORES, 1)}
    players = {
        ids[name]: {"published_rating": rating, "name": name, "games_played": 100}
        for name, rating in RATINGS.items()
    }
    return event(
        players, [(ids[a], ids[b], result) for a, b, result in games], system="round robin", edition=edition
    )


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["player", "rating", "points"])
        writer.writerows([name, RATINGS[name] or "u", points] for name, points in SCORES.items())
    return path


# Rules sheet: printed for the draft and for 2003, computed for 2009-07.
CHANGES = {
    "2009-draft": {"A": "12.80", "B": "10.40", "D": "12.00", "F": "43.50", "G": "-36.30", "J": "-96.30"},
    "2009-07": {"A": "6.20", "B": "5.00", "D": "5.80", "F": "21.60", "G": "-18.60", "J": "-48.60"},
    "2003": {"A": "8.90", "B": "7.00", "D": "8.70", "F": "28.95", "G": "-13.05", "J": "-43.05"},
}
FIRST = {
    "2009-draft": {"C": 2423, "E": 2393, "H": 2144, "I": 2006},
    "2009-07": {"C": 2411, "E": 2386, "H": 2144, "I": 2006},
    "2003": {"C": 2411, "E": 2386, "H": 2128, "I": 1997},
}


@pytest.mark.parametrize("edition", CHANGES)
def test_8_25_rate_and_round_robin_agree_on_all_ten_players(rate, elowire, table, edition):
    report, players = rate(example(edition))
    figures = elowire("round-robin", table, "--edition", edition, "--format", "json").json()
    named = {player["name"]: player for player in players.values()}

    assert {name: named[name]["change"] for name in CHANGES[edition]} == CHANGES[edition]
    assert {name: named[name]["initial"]["ru"] for name in FIRST[edition]} == FIRST[edition]
    assert (figures["rar"], figures["dpa"], figures["ra"]) == ("2375.00", "29.50", 2348)
    for line in figures["players"]:
        player = named[line["player"]]
        counted = player["initial"] or player
        assert (counted["points"], counted["games"]) == (line["points"], 9)
        assert (player["expected"], player["change"]) == (line["expected"], line["change"])
    assert report["event"]["completeness"] == "complete"


def test_2003_8_2_by_the_opponents_average_no_game_has_figures_of_its_own(rate):
    _, players = rate(example("2003"))
    first = next(player for player in players.values() if player["name"] == "A")

    assert first["opponents_average"] == {"rc": 2320, "rc_new": 2373}
    assert {game["expectancy"] for game in first["rated_games"]} == {None}
    assert first["predicted"] == 2609


def test_2003_6_a_round_robin_with_an_unplayed_game_is_rated_game_by_game(rate):
    document = example("2003")
    document["games"][0]["result"] = "+--"
    _, players = rate(document)
    third = next(player for player in players.values() if player["name"] == "D")

    assert third["opponents_average"] is None
    assert None not in {game["expectancy"] for game in third["rated_games"]}


FOUR = {1: 2000, 2: 2000, 3: 2000, 4: 2000}
ALL = [(a, b, DRAW) for a in FOUR for b in FOUR if a < b]


@pytest.mark.parametrize(
    ("games", "facts", "expected", "completeness", "words"),
    [
        pytest.param(ALL, {"system": "round-robin"}, 6, "complete", None, id="round-robin"),
        pytest.param(
            ALL[:5], {"system": "round-robin"}, 6, "fewer-games-than-expected",
            "5 games where a round robin of all players has 6", id="round-robin-game-missing",
        ),
        pytest.param(
            ALL, {"expected_games": 7}, 7, "fewer-games-than-expected", "6 games where expected_games says 7",
            id="too-few",
        ),
        pytest.param(
            ALL, {"expected_games": 5, "system": "round-robin"}, 5, "more-games-than-expected",
            "6 games where expected_games says 5", id="too-many",
        ),
        pytest.param(ALL, {"expected_games": 6}, 6, "complete", None, id="stated"),
        pytest.param(
            ALL, {"system": "swiss"}, None, "expected-games-not-said",
            "6 games; how many there must be is not stated", id="not-stated",
        ),
    ],
)  # fmt: skip
def test_completeness_is_said_and_holds_nothing_up(rate, games, facts, expected, completeness, words):
    report, players = rate(event(FOUR, games, **facts))
    said = [warning for warning in report["warnings"] if " games" in warning]

    assert (report["event"]["games"], report["event"]["expected_games"]) == (len(games), expected)
    assert report["event"]["completeness"] == completeness
    assert [warning.startswith(words) for warning in said] == ([] if words is None else [True])
    assert sum(player["games"] for player in players.values()) == 2 * len(games)


def test_2003_6_too_few_rated_players_of_a_round_robin_are_said(rate):
    document = event({1: 2000, 2: 2000, 3: 2000, 4: 0}, ALL, system="round-robin", edition="2014-07")
    report, _ = rate(document)

    assert any(note.startswith("3 of 4 players are rated, too few") for note in report["warnings"])


@pytest.mark.parametrize(("rated_in", "late"), [("2026-01", False), ("2026-02", True)])
def test_9_a_report_that_missed_the_third_list_is_said(rate, rated_in, late):
    """The event ends in October: the lists of November, December and January are the three."""
    report, _ = rate(event(FOUR, ALL, system="round-robin"), "--rated-in", rated_in)

    assert any("such a report is not rated (B.02 9)" in note for note in report["warnings"]) is late


def test_b_01_1_4_8_on_course_for_belongs_to_standard_chess(rate, elowire, tmp_path):
    games = [(1, 2, WHITE), (1, 3, WHITE), (1, 4, WHITE), (2, 3, DRAW)]
    document = event({1: 2400, 2: 2400, 3: 2500, 4: 2380}, games, system="swiss")
    _, players = rate(document)
    assert players["1"]["on_course"] == ["GM", "IM", "WGM", "WIM"]
    shown = elowire("rate", tmp_path / "event.json", "--format", "table").out
    assert "On course for" in shown
    assert "a norm asks for more than these (B.01)" in shown

    _, rapid = rate(document, "--time-control", "rapid")
    assert rapid["1"]["on_course"] == []
