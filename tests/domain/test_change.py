"""One game: D, the cap on it, PD and ΔR, under every edition."""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path

import pytest

from elowire.domain import (
    GameChange,
    TimeControl,
    article_of,
    edition_by_id,
    has_one_upgrade,
    hundredths,
    rate_game,
    upgraded,
)

CASES = Path(__file__).parent.parent / "data" / "cases"
STANDARD, RAPID, BLITZ = TimeControl.STANDARD, TimeControl.RAPID, TimeControl.BLITZ


def single_games():
    with (CASES / "single-game.csv").open(newline="", encoding="utf-8") as file:
        return [pytest.param(row, id=f"2025-8.3.1-{row['id']}") for row in csv.DictReader(file)]


def change(own, opponent, points, edition, time_control=STANDARD, **facts):
    return rate_game(
        own=own,
        opponent=opponent,
        points=points,
        edition=edition_by_id(edition),
        time_control=time_control,
        **facts,
    )


@pytest.mark.parametrize("row", single_games())
def test_w11_fides_calculator(row):
    """Official: with everybody capped, as the calculator has it; computed: under the rule in force."""
    own, opponent, points, k = int(row["own"]), int(row["opp"]), hundredths(row["score"]), int(row["K"])

    assert change(own, opponent, points, "2024-03").delta * k == hundredths(row["calculator_change"])
    assert change(own, opponent, points, "2025-10").delta * k == hundredths(row["current_rules_change"])


# edition, own, opponent: counted difference, PD
CAPS = [
    pytest.param("2003", 2400, 2000, 350, 89, id="2003-8.54-350-points"),
    pytest.param("2003", 2350, 2000, 350, 89, id="2003-8.54-exactly-350"),
    pytest.param("2003", 2000, 2400, -350, 11, id="2003-8.54-350-points-underdog"),
    pytest.param("2009-07", 2700, 2200, 400, 92, id="2009-8.54-400-points"),
    pytest.param("2009-draft", 2200, 2700, -400, 8, id="2009-draft-8.54-400-points-underdog"),
    pytest.param("2017-07", 2700, 2299, 400, 92, id="2017-8.54-401"),
    pytest.param("2022-01", 2000, 1063, 400, 92, id="2022-8.3.1-a-game-that-stands-alone"),
    pytest.param("2024-03", 2700, 2200, 400, 92, id="2024-8.3.1-cap-for-everyone"),
    pytest.param("2025-10", 2700, 2200, 500, 96, id="2025-8.3.1-no-cap-from-2650"),
    pytest.param("2025-10", 2650, 2000, 650, 99, id="2025-8.3.1-2650-itself-is-exempt"),
    pytest.param("2025-10", 2649, 2000, 400, 92, id="2025-8.3.1-2649-is-capped"),
    pytest.param("2025-10", 2400, 2813, -400, 8, id="2025-8.3.1-W1-the-other-side-is-capped"),
    pytest.param("2025-10", 2813, 2400, 413, 93, id="2025-8.3.1-W1-favourite"),
]


@pytest.mark.parametrize(("edition", "own", "opponent", "counted", "expectancy"), CAPS)
def test_cap(edition, own, opponent, counted, expectancy):
    rated = change(own, opponent, 50, edition)

    assert rated == GameChange(own - opponent, counted, expectancy, 50 - expectancy)


@pytest.mark.parametrize("time_control", [RAPID, BLITZ])
def test_2025_rb_has_no_exemption_from_2650(time_control):
    assert change(2700, 2200, 100, "2025-10", time_control).counted_difference == 400


@pytest.mark.parametrize(
    ("starts_on", "one_upgrade"),
    [(date(2022, 3, 1), False), (date(2022, 9, 30), False), (date(2022, 10, 1), True), (None, True)],
)
def test_2022_rb_one_upgrade_begins_in_october(starts_on, one_upgrade):
    assert has_one_upgrade(edition_by_id("2022-01"), RAPID, starts_on) is one_upgrade
    assert has_one_upgrade(edition_by_id("2022-01"), STANDARD, starts_on)


def test_before_2012_rapid_follows_the_edition_named():
    assert change(2400, 2000, 100, "2003", RAPID).counted_difference == 350


def test_capped_decides_against_the_edition():
    assert change(2700, 2100, 50, "2022-01", capped=False).counted_difference == 600
    assert change(2700, 2100, 50, "2025-10", capped=True).counted_difference == 400


def test_2022_8_3_1_the_reading_for_underdogs_is_one_field(monkeypatch):
    """Were only favourites limited to one upgrade, the underdog's other games would stay capped."""
    edition = edition_by_id("2022-01")
    assert not edition.cap.underdog_always
    assert change(1500, 2100, 0, "2022-01", capped=False).counted_difference == -600

    cap = type(edition.cap)(scope=edition.cap.scope, underdog_always=True)
    monkeypatch.setattr("elowire.domain.change.difference_cap", lambda *_: cap)
    assert change(1500, 2100, 0, "2022-01", capped=False).counted_difference == -400
    assert change(2100, 1500, 0, "2022-01", capped=False).counted_difference == 600


@pytest.mark.parametrize(
    ("differences", "index"),
    [
        ([], None),
        ([400, -400, 0], None),
        ([401], 0),
        ([937, 701, 587, 128], 0),
        ([450, 500, 600, 50], 2),
        ([-450, 410], 0),
        ([-600, 600], 1),
        ([500, 500], 0),
    ],
)
def test_2022_8_3_1_the_greatest_difference_is_upgraded(differences, index):
    assert upgraded(differences) == index


def tournament(own, games, edition, time_control=STANDARD):
    named = edition_by_id(edition)
    chosen = upgraded([own - opponent for opponent, _ in games])
    one = has_one_upgrade(named, time_control)

    return [
        change(own, opponent, points, edition, time_control, capped=place == chosen if one else None).delta
        for place, (opponent, points) in enumerate(games)
    ]


W7 = [(1063, 100), (1299, 100), (1413, 100), (1872, 50), (1851, 0), (1427, 100), (1682, 100)]


def test_w7_2022_8_3_1_one_game_of_the_tournament():
    """Official: a calculation of FIDE that the player quoted."""
    deltas = tournament(2000, W7, "2022-01", RAPID)

    assert deltas == [8, 1, 2, -17, -70, 2, 13]
    assert sum(deltas) * 20 == -1220
    assert sum(tournament(2000, W7, "2024-03", RAPID)) * 20 == -840


def test_2022_8_3_1_a_later_game_takes_the_cap_from_an_earlier_one():
    assert tournament(2000, [(1550, 100)], "2022-01") == [8]
    assert tournament(2000, [(1550, 100), (1400, 100)], "2022-01") == [6, 8]


W15 = [(2250, 100), (2200, 100), (2100, 50), (2650, 100)]


@pytest.mark.parametrize(
    ("edition", "total"),
    [("2003", 26), ("2009-07", 17), ("2017-07", 17), ("2022-01", 11), ("2024-03", 17), ("2025-10", 5)],
)
def test_w15_one_event_across_editions(edition, total):
    """Computed."""
    assert sum(tournament(2700, W15, edition)) == total


@pytest.mark.parametrize("opponent", range(2022, 2030))
def test_8_1_2_a_win_of_1892_gains_13_6_at_k_20(opponent):
    assert change(1892, opponent, 100, "2014-07").delta * 20 == 1360
    assert change(1892, opponent, 100, "2014-07").delta * 40 == 2720


def test_8_1_2_equal_players_at_k_10():
    assert change(2400, 2400, 100, "2014-07").delta * 10 == 500


@pytest.mark.parametrize(
    ("edition", "opponent", "time_control", "article"),
    [
        ("2014-07", 2300, STANDARD, "B.02 8.1b"),
        ("2014-07", 1900, STANDARD, "B.02 8.54, B.02 8.1b"),
        ("2025-10", 2300, STANDARD, "B.02 8.1.2"),
        ("2025-10", 1900, STANDARD, "B.02 8.3.1, B.02 8.1.2"),
        ("2025-10", 1900, BLITZ, "B.02 RB 7, B.02 8.1.2"),
    ],
)
def test_article_of_a_change(edition, opponent, time_control, article):
    rated = change(2400, opponent, 100, edition, time_control)

    assert article_of(rated, edition_by_id(edition), time_control) == article
