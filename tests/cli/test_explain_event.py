"""`elowire explain --file`: the same explanation of an event without a broker."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.test_rate_rules import DRAW, WHITE, event, example

MOVED = "2373 with opponents beyond the limit brought to it."


@pytest.fixture
def explain(elowire, tmp_path):
    """Explains a player of an event given as a document."""

    def run(document, player, *options):
        path = tmp_path / "event.json"
        path.write_text(json.dumps(document))
        return elowire("explain", player, "--file", path, *options)

    return run


def test_2025_10_8_3_every_hundredth_of_a_real_event(elowire, events):
    """Official: +8.3 for eleven games at K 10."""
    path = events / "us-championship-2025.json"
    (rating,) = elowire("explain", 2020009, "--file", path, "--format", "json").json()["ratings"]
    spoken = elowire("explain", 2020009, "--file", path, "--plain").out
    table = elowire("explain", 2020009, "--file", path, "--format", "table").out

    assert (rating["change"], rating["change_without_games"], rating["k_reason"]) == (
        "8.30",
        "0.00",
        "entrant",
    )
    (period,) = rating["periods"]
    assert (len(period["games"]), period["sum_change"], period["edition"]) == (11, "0.83", "2025-10")
    assert (
        "Round 1: one point with White against 24125890, rated 2661, with an own rating of 2789. "
        "The difference is 128; the row 122 to 129 of the table expects 0.67. "
        "1 less 0.67 is 0.33, times K 10 is 3.30. B.02 8.1.2, edition 2025-10." in spoken
    )
    assert "K is 10: as the tournament's entry gives it (B.02 8.3.3)." in spoken
    assert spoken.rstrip().endswith("The next list: 2789 +8 = 2797.")
    assert "122-129" in table


def test_the_colours_of_the_file_are_said(elowire, events):
    path = events / "us-championship-2025.json"
    (rating,) = elowire("explain", 2020009, "--file", path, "--format", "json").json()["ratings"]
    (period,) = rating["periods"]
    table = elowire("explain", 2020009, "--file", path, "--format", "table").out
    spoken = elowire("explain", 2020009, "--file", path, "--plain").out
    said = [
        "white" if game["white"] == 2020009 else "black"
        for game in json.loads(path.read_text())["games"]
        if 2020009 in {game["white"], game["black"]}
    ]

    assert [game["colour"] for game in period["games"]] == said
    assert re.search(r"24125890 +2661 +w 1 ", table)
    assert "Round 1: one point with White against 24125890" in spoken


def test_a_game_that_does_not_count_has_its_colour_too(explain):
    document = event({1: 2000, 2: 1900, 3: 1800}, [(1, 2, WHITE), (3, 1, DRAW)])
    document["games"][1]["rated"] = False
    (rating,) = explain(document, 1, "--format", "json").json()["ratings"]

    assert [game["colour"] for game in rating["periods"][0]["games"]] == ["white"]
    assert [game["colour"] for game in rating["refused_games"]] == ["black"]


@pytest.mark.parametrize("edition", ["2003", "2014-07", "2022-01"])
def test_a_stated_edition_is_the_one_that_is_named(elowire, events, edition):
    path = events / "swiss-open-2005.trf"
    arguments = ["explain", "9100001", "--file", path, "--edition", edition, "--format", "json"]
    (rating,) = elowire(*arguments).json()["ratings"]

    assert {game["edition"] for period in rating["periods"] for game in period["games"]} == {edition}


def test_2003_8_25_a_round_robin_is_explained_by_the_average(explain):
    """Official: the handbook's example, A."""
    spoken = explain(example("2003"), 1, "--plain").out
    shown = explain(example("2003"), 1, "--format", "table").out
    given = explain(example("2003"), 1, "--format", "json").json()

    said = [
        "The round robin is rated by the average of the opponents: Rc is 2320, " + MOVED,
        "The difference is 227; the row 226 to 235 of the table expects 7.11 of 9 games.",
        "8 less 7.11 is 0.89, times K 10 is 8.90. B.02 8.25, B.02 8.1b, edition 2003.",
    ]
    assert given["by_average"] == said
    assert all(sentence in spoken and sentence in shown for sentence in said)
    assert "comes from no game" not in spoken


def test_2003_8_25_below_the_average_the_difference_is_said_with_minus(explain):
    """Official: F is 2150 against 2359."""
    spoken = explain(example("2003"), 6, "--plain").out

    assert "The difference is minus 209; the row 207 to 215 of the table expects 2.07 of 9 games." in spoken


def test_2009_07_8_25_below_half_a_round_robin_adds_a_share_of_dp(explain):
    """Official in the draft of 2009: H, 2342 - 220·9/10 = 2144."""
    spoken = explain(example("2009-07"), 8, "--plain").out

    assert (
        "p is 0.22; in table 8.1.1 that is dp -220, of which a round robin adds 9/10 to the average."
        in spoken
    )
    assert "The first rating Ru is 2144." in spoken


def test_what_does_not_count_is_said_with_its_article(explain):
    document = example("2009-07")
    document["games"][0]["result"] = "+--"
    first = document["games"][0]["white"]
    spoken = explain(document, first, "--plain").out

    assert "does not count: forfeit (B.02 5)." in spoken


def test_an_event_without_days_is_explained_under_the_edition_that_is_stated(elowire, tmp_path):
    path = tmp_path / "open.csv"
    path.write_text(
        "round,white_fide_id,white_rating,black_fide_id,black_rating,result\n1,1,2000,2,2000,1-0\n1,3,2000,4,2000,1-0\n"
    )
    done = elowire("explain", 1, "--file", path, "--edition", "2024-03", "--plain")

    assert done.status == 0
    assert "1 less 0.50 is 0.50, times K 20 is 10.00. B.02 8.1.2, edition 2024-03." in done.out
    assert "K is 20: assumed, because a fact that could change it is not known (B.02 8.3.3)." in done.out


@pytest.mark.parametrize(
    ("player", "name", "words"),
    [
        (99, "event.json", "no player 99; expected an id of the file such as 1, 2, 3"),
        (1, "none.json", "none.json"),
    ],
)
def test_who_is_not_in_the_file_and_a_file_that_is_not_there(elowire, tmp_path, player, name, words):
    (tmp_path / "event.json").write_text(json.dumps(example("2003")))
    done = elowire("explain", player, "--file", tmp_path / name)

    assert (done.status, done.out) == (1, "")
    assert words in done.err
