"""First ratings under every edition: qualification, average, half points, draws, limit, pool and floor."""

from __future__ import annotations

import csv
import json
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from elowire.domain import (
    FirstEvent,
    InitialReason,
    System,
    disregarded,
    edition_by_id,
    hundredths,
    initial_rating,
    is_delisted,
    is_late_entry,
)

CASES = Path(__file__).parent.parent / "data" / "cases"
W9 = [(1902, 50), (1877, 50), (1884, 100), (2012, 0), (1832, 100)]
PUBLISHABLE, TOO_FEW_GAMES, BELOW_FLOOR = (
    InitialReason.PUBLISHABLE,
    InitialReason.TOO_FEW_GAMES,
    InitialReason.BELOW_FLOOR,
)
NO_GAMES, TOO_FEW_POINTS, TOO_FEW_OPPONENTS = (
    InitialReason.NO_GAMES,
    InitialReason.TOO_FEW_POINTS,
    InitialReason.TOO_FEW_OPPONENTS,
)


def average(rating, games, points, **facts):
    return FirstEvent.of_average(rating, games=games, points=points, **facts)


def ru(edition, *events, **facts):
    return initial_rating(events, edition_by_id(edition), **facts)


def calculator_rows():
    with (CASES / "initial-rating.csv").open(newline="", encoding="utf-8") as file:
        return [pytest.param(row, id=f"8.2-{row['id']}") for row in csv.DictReader(file)]


@pytest.mark.parametrize("row", calculator_rows())
def test_fides_calculator(row):
    """Official under the rule of 2022, computed under that of 2024."""
    event = average(int(row["Rc"]), int(row["N"]), hundredths(row["W"]))
    now = ru("2025-10", event)

    assert ru("2022-01", event).ru == int(row["calculator_ru_rule2022"])
    assert (now.ra, now.dp, now.ru) == (
        hundredths(row["current_rule2024_Ra"]),
        int(row["current_dp"]),
        int(row["current_Ru"]),
    )


def test_w9_2024_8_2_first_rating_of_december_2025():
    """Official: the rating that FIDE published."""
    case = json.loads((CASES / "first-rating.json").read_text(encoding="utf-8"))
    games = [(game["opp"], int(game["score"] * 100)) for game in case["games"]]
    found = ru("2025-10", FirstEvent.of_games(games))

    assert games == W9
    assert (found.ra, found.p, found.dp, found.ru) == (187243, 57, 50, case["published_first_rating"])
    assert (found.games, found.points, found.publishable, found.reason) == (5, 300, True, PUBLISHABLE)
    assert found.article == "B.02 8.2"


@pytest.mark.parametrize(
    ("edition", "expected", "publishable"),
    [
        ("2003", 1914, False),
        ("2009-draft", 1916, False),
        ("2009-07", 1914, False),
        ("2011-07", 1916, False),
        ("2013-07", 1916, False),
        ("2014-07", 1916, True),
        ("2017-07", 1921, True),
        ("2022-01", 1921, True),
        ("2024-03", 1922, True),
    ],
)
def test_w9_8_23_same_games_under_the_other_editions(edition, expected, publishable):
    """Computed, but for 1921, which FIDE still prints beside the games."""
    found = ru(edition, FirstEvent.of_games(W9))

    assert (found.ru, found.publishable) == (expected, publishable)
    assert found.reason is (PUBLISHABLE if publishable else TOO_FEW_GAMES)
    if edition != "2024-03":
        assert (found.ra, found.dp, found.half_points) == (190140, None, 1)


@pytest.mark.parametrize(
    ("edition", "expected"), [("2009-07", 1829), ("2014-07", 1829), ("2022-01", 1829), ("2024-03", 1822)]
)
def test_w9_8_24_two_points_instead_of_three(edition, expected):
    found = ru(edition, average(Fraction(9507, 5), 5, 200))

    assert found.ru == expected
    assert found.dp == (-50 if edition == "2024-03" else -72)


@pytest.mark.parametrize(
    ("edition", "expected", "dp"),
    [("2003", 2000, 0), ("2014-07", 2000, 0), ("2022-01", 2000, 0), ("2024-03", 1933, 0)],
)
def test_8_22_fifty_percent_is_the_average(edition, expected, dp):
    found = ru(edition, average(2000, 4, 200))

    assert (found.ru, found.dp, found.half_points) == (expected, dp, 0)


def test_2009_draft_8_34_three_events_pooled():
    """Official: the worked example, 26210 / 12 = 2184.17 and one half point at 15 make 2199."""
    events = [average(2220, 3, 100), average(2150, 5, 250), average(2200, 4, 300)]
    found = ru("2009-draft", *events)

    assert (found.games, found.points, found.ra, found.half_points, found.ru) == (12, 650, 218417, 1, 2199)
    assert found.article == "B.02 8.23, B.02 8.3"
    assert ru("2009-07", *events).ru == 2197


@pytest.mark.parametrize(("points", "p", "expected"), [(200, 38, 1713), (400, 63, 1895), (600, 88, 2136)])
def test_2024_8_2_p_of_half_a_hundredth_goes_up(points, p, expected):
    """Computed: six games and the two draws make p = .375, .625 and .875."""
    found = ru("2024-03", average(1800, 6, points))

    assert (found.p, found.ru) == (p, expected)


def test_2024_8_2_a_later_zero_makes_p_of_an_eighth():
    zero = average(1800, 5, 0, ends_on=date(2024, 6, 1))
    found = ru("2024-03", average(1800, 1, 50, ends_on=date(2024, 5, 1)), zero)

    assert (found.games, found.p, found.dp) == (6, 19, -251)


@pytest.mark.parametrize(
    ("rating", "points", "expected", "reason"),
    [
        (2400, 300, 2200, PUBLISHABLE),
        (2600, 500, 2200, PUBLISHABLE),
        (1300, 100, 1285, BELOW_FLOOR),
        (1453, 100, 1394, BELOW_FLOOR),
        (1460, 100, 1399, BELOW_FLOOR),
        (1461, 100, 1400, PUBLISHABLE),
    ],
)
def test_2024_8_2_limit_of_2200_and_floor_of_1400(rating, points, expected, reason):
    found = ru("2024-03", average(rating, 5, points))

    assert (found.ru, found.reason) == (expected, reason)
    assert found.publishable == (reason is PUBLISHABLE)


def test_2022_8_2_has_no_limit():
    assert ru("2022-01", average(2400, 5, 500)).ru == 2500


@pytest.mark.parametrize(
    ("edition", "games", "reason"),
    [
        ("2003", 8, TOO_FEW_GAMES),
        ("2003", 9, PUBLISHABLE),
        ("2011-07", 8, TOO_FEW_GAMES),
        ("2011-07", 9, PUBLISHABLE),
        ("2014-07", 4, TOO_FEW_GAMES),
        ("2014-07", 5, PUBLISHABLE),
        ("2024-03", 4, TOO_FEW_GAMES),
        ("2024-03", 5, PUBLISHABLE),
    ],
)
def test_7_games_to_publish(edition, games, reason):
    found = ru(edition, average(2000, games, games * 50))

    assert found.reason is reason
    assert found.ru is not None


# edition, rated opponents, points of the first event: why it does not count
FIRST = [
    pytest.param("2003", 5, 50, TOO_FEW_POINTS, id="2003-8.21-half-a-point"),
    pytest.param("2003", 5, 100, None, id="2003-8.21-one-point"),
    pytest.param("2003", 1, 100, None, id="2003-8.21-one-opponent"),
    pytest.param("2009-draft", 5, 50, TOO_FEW_POINTS, id="2009-draft-8.21-less-than-one-point"),
    pytest.param("2009-07", 2, 200, TOO_FEW_OPPONENTS, id="2009-8.21-two-rated-opponents"),
    pytest.param("2009-07", 3, 50, TOO_FEW_POINTS, id="2009-8.21-less-than-one-point"),
    pytest.param("2009-07", 3, 100, None, id="2009-8.21-three-and-one"),
    pytest.param("2011-07", 2, 200, TOO_FEW_OPPONENTS, id="2011-8.21-two-rated-opponents"),
    pytest.param("2014-07", 5, 0, TOO_FEW_POINTS, id="2014-8.21-zero"),
    pytest.param("2014-07", 1, 50, None, id="2014-8.21-half-a-point"),
    pytest.param("2017-07", 5, 0, TOO_FEW_POINTS, id="2017-8.21-zero"),
    pytest.param("2022-01", 5, 0, TOO_FEW_POINTS, id="2022-8.2-zero"),
    pytest.param("2024-03", 5, 0, TOO_FEW_POINTS, id="2024-8.2-zero"),
    pytest.param("2025-10", 5, 50, None, id="2025-8.2-half-a-point"),
    pytest.param("2025-10", 0, 0, NO_GAMES, id="2025-8.2-no-rated-opponents"),
]


@pytest.mark.parametrize(("edition", "opponents", "points", "reason"), FIRST)
def test_first_event(edition, opponents, points, reason):
    event = average(2000, opponents, points)
    found = ru(edition, event)

    assert disregarded(event, edition_by_id(edition)) is reason
    if reason is not None:
        assert (found.games, found.ru, found.publishable, found.reason) == (0, None, False, reason)
    else:
        assert found.ru is not None


@pytest.mark.parametrize("edition", ["2011-07", "2014-07", "2024-03"])
def test_8_21_a_later_event_counts_whatever_its_score(edition):
    good = average(2000, 5, 250, ends_on=date(2024, 5, 1))
    bad = average(2000, 4, 0, ends_on=date(2024, 6, 1))

    assert ru(edition, good, bad).games == 9
    assert ru(edition, bad, good).games == 9
    assert ru(edition, good, bad._replace(ends_on=date(2024, 4, 1))).games == 5
    assert ru(edition, good, bad._replace(ends_on=None)).games == 5


def test_8_21_of_several_reasons_the_last_that_says_something_is_given():
    bad = average(2000, 4, 0, ends_on=date(2024, 4, 1))
    nothing = average(2000, 0, 0, ends_on=date(2024, 5, 1))

    assert ru("2024-03", bad, nothing).reason is TOO_FEW_POINTS
    assert ru("2024-03").reason is NO_GAMES
    assert (ru("2024-03").points, ru("2024-03").half_points) == (0, 0)


# edition, last days of the two events: games in the pool
POOLS = [
    pytest.param("2024-03", "2024-05-31", "2026-06-01", 5, 10, id="2024-7.1-26-months"),
    pytest.param("2024-03", "2024-05-31", "2026-07-01", 5, 5, id="2024-7.1-27-months"),
    pytest.param("2014-07", "2014-08-15", "2016-09-15", 5, 10, id="2014-8.3-26-months"),
    pytest.param("2014-07", "2014-08-15", "2016-10-15", 5, 5, id="2014-8.3-27-months"),
    pytest.param("2003", "2003-01-15", "2004-12-31", 5, 10, id="2003-8.3-same-and-next-seven-lists"),
    pytest.param("2003", "2003-04-30", "2005-03-31", 5, 10, id="2003-8.3-seven-lists-later"),
    pytest.param("2003", "2003-03-31", "2005-01-01", 5, 5, id="2003-8.3-eight-lists-later"),
    pytest.param("2009-draft", "2009-09-30", "2011-10-31", 5, 10, id="2009-draft-8.3-thirteen-lists"),
    pytest.param("2009-draft", "2009-09-30", "2011-11-30", 5, 5, id="2009-draft-8.3-fourteen-lists"),
    pytest.param("2009-07", "2009-09-30", "2011-10-31", 5, 10, id="2009-8.3-thirteen-lists"),
    pytest.param("2009-07", "2009-09-30", "2011-11-30", 5, 5, id="2009-8.3-fourteen-lists"),
]


@pytest.mark.parametrize(("edition", "early", "late", "games", "pooled"), POOLS)
def test_pool(edition, early, late, games, pooled):
    events = [average(2000, games, 250, ends_on=date.fromisoformat(day)) for day in (late, early)]

    assert ru(edition, *events).games == pooled


def test_8_3_an_event_without_a_day_is_in_every_pool():
    assert ru("2024-03", average(2000, 3, 100), average(2000, 3, 100, ends_on=date(2024, 5, 1))).games == 6


def test_2009_draft_8_3_results_below_the_floor_are_ignored():
    low = average(1150, 5, 250, ends_on=date(2009, 7, 20))
    good = average(1400, 9, 450, ends_on=date(2009, 8, 20))

    assert ru("2009-draft", low).reason is BELOW_FLOOR
    assert ru("2009-draft", low._replace(opponents_total=Fraction(6000))).games == 5
    assert ru("2009-draft", low, good).games == 9
    assert ru("2009-draft", good, low._replace(ends_on=date(2009, 9, 1))).games == 9
    assert ru("2009-07", low, good).games == 14
    assert ru("2009-draft", good, average(0, 0, 0, ends_on=date(2009, 9, 1))).games == 9


@pytest.mark.parametrize(
    ("edition", "expected"),
    [("2003", 1920), ("2009-draft", 1928), ("2014-07", 1928), ("2017-07", 1928), ("2022-01", 1920)],
)
def test_8_25_round_robin_below_half_takes_n_of_n_plus_1(edition, expected):
    event = average(2000, 9, 350, system=System.ROUND_ROBIN)

    assert ru(edition, event).ru == expected
    assert ru(edition, event._replace(system=System.SWISS)).ru == 1920


def test_8_25_a_pool_with_a_swiss_is_not_a_round_robin():
    events = [average(2000, 5, 200, system=System.ROUND_ROBIN), average(2000, 4, 150)]

    assert ru("2014-07", *events).ru == 1920


def test_8_2_the_day_of_the_list_decides_on_the_floor():
    event = average(1100, 9, 450, ends_on=date(2012, 6, 15))

    assert ru("2011-07", event).reason is BELOW_FLOOR
    assert ru("2011-07", event, day=date(2012, 7, 1)).reason is PUBLISHABLE


@pytest.mark.parametrize(
    ("edition", "rating", "day", "delisted"),
    [
        ("2003", 1800, date(2005, 1, 1), True),
        ("2003", 1801, date(2005, 1, 1), False),
        ("2024-03", 1399, date(2025, 1, 1), True),
        ("2024-03", 1400, date(2025, 1, 1), False),
        ("2011-07", 1000, date(2012, 6, 1), True),
        ("2011-07", 1000, date(2012, 7, 1), False),
    ],
)
def test_7_below_the_floor_a_player_is_unrated_again(edition, rating, day, delisted):
    assert is_delisted(rating, edition_by_id(edition), day) is delisted


@pytest.mark.parametrize(("first_list", "late"), [(None, False), ("2025-10", True), ("2025-11", False)])
def test_8_4_on_a_list_before_an_older_event_is_rated(first_list, late):
    assert is_late_entry(first_list, "2025-11") is late


def test_8_3_an_event_without_a_game_that_counts_leaves_the_window_alone():
    good = average(2000, 5, 250, ends_on=date(2020, 1, 1))

    assert ru("2024-03", good, average(2000, 0, 0, ends_on=date(2026, 1, 1))).games == 5
