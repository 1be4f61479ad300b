"""`expect`, `performance`, `initial-rating` and `round-robin` on official figures and computed ones."""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "data" / "cases"


def rows(name):
    with (CASES / name).open(newline="") as stream:
        return [pytest.param(row, id=row["id"]) for row in csv.DictReader(stream)]


@pytest.mark.parametrize("row", rows("single-game.csv"))
def test_single_games_of_fides_calculator_under_the_rules_in_force(elowire, row):
    done = elowire(
        "expect", "--own", row["own"], "--opponent", row["opp"], "--points", row["score"], "--k", row["K"],
        "--edition", "2025-10", "--format", "json",
    )  # fmt: skip

    assert done.status == 0
    assert Decimal(done.json()["change"]) == Decimal(row["current_rules_change"])


def test_expect_gives_what_the_contract_names(elowire):
    done = elowire("expect", "--own", 2813, "--opponent", 2400, "--points", 1, "--k", 10, "--format", "json")

    assert done.json() == {
        "difference": 413,
        "counted_difference": 413,
        "expectancy": "0.93",
        "delta": "0.07",
        "change": "0.70",
    }


def test_expect_without_points_gives_the_expectancy_alone(elowire):
    figures = elowire("expect", "--own", 2400, "--opponent", 2813, "--format", "json").json()

    assert (figures["counted_difference"], figures["expectancy"], figures["change"]) == (-400, "0.08", None)


PERFORMANCES = [
    # Seeds' example: the printed 2785 belongs to a normal curve, the logistic definition gives 2792.
    pytest.param("2400,2500,2600", "2.5", [2773, 2767, 2792, 2500], id="two-and-a-half-of-three"),
    pytest.param("1851,2457,1989,2379,2407", "4", [2457, 2457, 2551, 2217], id="four-of-five"),
    pytest.param("2400,2500", "2", [3250, 2850, "inf", 2450], id="full-score"),
    pytest.param("2400,2500", "0", [1650, 2050, "-inf", 2450], id="zero-score"),
]


@pytest.mark.parametrize(("opponents", "points", "figures"), PERFORMANCES)
def test_performance(elowire, opponents, points, figures):
    done = elowire("performance", "--opponents", opponents, "--points", points, "--format", "json")

    assert done.json() == dict(zip(["fide", "linear", "true", "opponents_average"], figures, strict=True))


@pytest.mark.parametrize("row", rows("initial-rating.csv"))
def test_first_ratings_of_fides_calculator(elowire, row):
    arguments = [
        "initial-rating",
        "--average",
        row["Rc"],
        "--games",
        row["N"],
        "--points",
        row["W"],
        "--format",
        "json",
    ]
    old = elowire(*arguments, "--edition", "2022-01").json()
    new = elowire(*arguments, "--edition", "2024-03").json()

    assert old["ru"] == int(row["calculator_ru_rule2022"])
    assert new["ra"] == row["current_rule2024_Ra"]
    assert (new["dp"], new["ru"]) == (int(row["current_dp"]), int(row["current_Ru"]))


def test_the_newcomer_whom_fide_published_in_december_2025(elowire, cases):
    case = json.loads((cases / "first-rating.json").read_bytes())
    opponents = ",".join(str(game["opp"]) for game in case["games"])
    done = elowire(
        "initial-rating", "--opponents", opponents, "--points", 3, "--edition", "2025-10", "--format", "json"
    )
    figures = done.json()

    assert figures["ru"] == case["published_first_rating"]
    assert (figures["games"], figures["points"], figures["ra"], figures["p"], figures["dp"]) == (
        5,
        "3",
        "1872.43",
        "0.57",
        50,
    )
    assert (figures["publishable"], figures["reason"]) == (True, "publishable")


def test_four_games_are_too_few_to_publish(elowire):
    figures = elowire(
        "initial-rating",
        "--opponents",
        "1800,1800,1800,1800",
        "--points",
        2,
        "--edition",
        "2024-03",
        "--format",
        "json",
    ).json()

    assert (figures["ru"], figures["publishable"], figures["reason"]) == (1800, False, "too-few-games")


def test_older_editions_call_the_average_rc(elowire):
    figures = elowire(
        "initial-rating",
        "--average",
        "2000",
        "--games",
        9,
        "--points",
        5,
        "--edition",
        "2009-07",
        "--format",
        "json",
    ).json()

    assert (figures["rc"], figures["ru"]) == ("2000.00", 2013)


TABLE = """player,rating,points
A,2600,8
B,2500,7
C,u,7
D,2400,6
E,u,6
F,2150,4
G,2300,3
H,u,2
I,u,1
J,2300,1
"""
DRAFT = {
    "A": {"p": "0.89", "dp": 351, "expected": "7.36", "change": "12.80"},
    "B": {"p": "0.78", "dp": 220, "expected": "6.48", "change": "10.40"},
    "C": {"rc": 2348, "ru": 2423, "rc_new": 2348, "ru_new": 2423},
    "D": {"p": "0.67", "dp": 125, "expected": "5.40", "change": "12.00"},
    "E": {"rc": 2348, "ru": 2393, "rc_new": 2348, "ru_new": 2393},
    "F": {"p": "0.44", "dp": -43, "expected": "2.55", "change": "43.50"},
    "G": {"p": "0.33", "dp": -125, "expected": "4.21", "change": "-36.30"},
    "H": {"p": "0.22", "dp": -220, "rc": 2348, "ru": 2150, "rc_new": 2342, "ru_new": 2144},
    "I": {"p": "0.11", "dp": -351, "rc": 2348, "ru": 2032, "rc_new": 2322, "ru_new": 2006},
    "J": {"p": "0.11", "dp": -351, "expected": "4.21", "change": "-96.30"},
}
OF_2009 = {
    "A": {"change": "6.20"},
    "B": {"change": "5.00"},
    "C": {"ru": 2411},
    "D": {"change": "5.80"},
    "E": {"ru": 2386},
    "F": {"change": "21.60"},
    "G": {"change": "-18.60"},
    "H": {"ru": 2150, "ru_new": 2144},
    "I": {"ru": 2032, "ru_new": 2006},
    "J": {"change": "-48.60"},
}


@pytest.mark.parametrize(
    ("edition", "figures"),
    [
        pytest.param("2009-draft", DRAFT, id="2009-draft-official"),
        pytest.param("2009-07", OF_2009, id="2009-07-computed"),
    ],
)
def test_the_round_robin_of_the_regulations(elowire, tmp_path, edition, figures):
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    report = elowire("round-robin", path, "--edition", edition, "--format", "json").json()

    assert (report["rar"], report["dpa"], report["ra"]) == ("2375.00", "29.50", 2348)
    lines = {line["player"]: line for line in report["players"]}
    for player, expected in figures.items():
        assert {name: lines[player][name] for name in expected} == expected, player


BROKEN_TABLES = [
    pytest.param("", "line 1: the file is empty", id="empty"),
    pytest.param("player,rating\nA,2400\n", "line 1: the header lacks points", id="no-points"),
    pytest.param("player,rating,points\nA,2400,1\n", "line 2: has fewer than two players", id="one-player"),
    pytest.param("player,rating,points\nA,24x0,1\nB,u,0\n", "line 2, rating", id="rating"),
    pytest.param("player,rating,points\nA,,1\nB,u,0\n", "line 2, rating: is empty", id="no-rating"),
    pytest.param("player,rating,points\nA,2400,1\nB,u,0.3\n", "line 3, points", id="third-of-a-point"),
    pytest.param("player,rating,points\nA,2400,1\nA,u,0\n", "line 3, player: names A again", id="twice"),
    pytest.param("player,rating,points\nA,2400,1\nB,u\n", "line 3: has 2 fields where 3", id="half-line"),
    pytest.param("player,rating,points\nA,u,1\nB,u,0\n", "does not qualify", id="nobody-rated"),
]


@pytest.mark.parametrize(("text", "words"), BROKEN_TABLES)
def test_a_table_that_cannot_be_used_names_its_place(elowire, tmp_path, text, words):
    path = tmp_path / "table.csv"
    path.write_text(text)
    done = elowire("round-robin", path, "--edition", "2014-07")

    assert done.status == 1
    assert words in done.err
    assert str(path) in done.err


def test_editions_since_2022_have_no_round_robin_method(elowire, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    done = elowire("round-robin", path, "--edition", "2024-03")

    assert (done.status, "no round-robin method" in done.err) == (1, True)


WRONG_USAGE = [
    pytest.param(["expect", "--own", "0", "--opponent", "2400"], "--own", id="rating-zero"),
    pytest.param(
        ["expect", "--own", "2400", "--opponent", "2400", "--points", "2"], "--points", id="two-points"
    ),
    pytest.param(
        ["expect", "--own", "2400", "--opponent", "2400", "--edition", "2023"], "2024-03", id="edition"
    ),
    pytest.param(["expect", "--own", "2400"], "--opponent", id="no-opponent"),
    pytest.param(["performance", "--opponents", "2400,x", "--points", "1"], "--opponents", id="opponent"),
    pytest.param(["performance", "--opponents", "2400", "--points", "1.5"], "--points", id="more-than-all"),
    pytest.param(["initial-rating", "--points", "3"], "--average", id="nobody"),
    pytest.param(
        ["initial-rating", "--average", "x", "--games", "3", "--points", "1"], "--average", id="average"
    ),
    pytest.param(["rate"], "file", id="no-file"),
    pytest.param(["rate", "x.csv", "--starts-on", "1 May"], "--starts-on", id="day"),
    pytest.param(["rate", "x.csv", "--rated-in", "May"], "--rated-in", id="month"),
    pytest.param(["rate", "x.csv", "--time-control", "fast"], "--time-control", id="time-control"),
    pytest.param(["nosuch"], "nosuch", id="command"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG_USAGE)
def test_wrong_usage_ends_with_status_2_and_names_the_option(elowire, arguments, words):
    done = elowire(*arguments)

    assert done.status == 2
    assert words in done.err


@pytest.mark.parametrize(
    "command", ["expect", "rate", "feed", "performance", "initial-rating", "round-robin"]
)
def test_help_has_an_example(elowire, command):
    done = elowire(command, "--help")

    assert done.status == 0
    assert f"Example: elowire {command}" in " ".join(done.out.split())


NORMS = [
    pytest.param("2380,2380,2380,2380,2380,2380,2380,2380,2380", "7", ["GM", "IM", "WGM", "WIM"], id="GM"),
    pytest.param(
        "2379,2379,2379,2379,2379,2379,2379,2379,2379", "7", ["IM", "WGM", "WIM"], id="average-2379"
    ),
    pytest.param("2101,2101,2101,2101,2101", "3.5", ["WIM"], id="WIM"),
    pytest.param("2000,2000", "2", [], id="none"),
]


@pytest.mark.parametrize(("opponents", "points", "titles"), NORMS)
def test_b_01_1_4_8_thresholds_are_information_that_is_asked_for(elowire, opponents, points, titles):
    """Computed: 7 of 9 is .78, dp 220, so that 2380 gives 2600; .70 is dp 149."""
    arguments = ["performance", "--opponents", opponents, "--points", points, "--norms"]
    shown = elowire(*arguments, "--format", "table").out

    assert elowire(*arguments, "--format", "json").json()["on_course"] == titles
    assert "On course for" in shown
    assert (", ".join(titles) or "none") in shown
