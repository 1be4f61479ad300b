"""Performance by four methods, and what it is read against."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elowire.domain import NORMS, Performance, on_course, performance_of
from elowire.domain.performance import _true_performance

FIVE = [1851, 2457, 1989, 2379, 2407]


def test_the_true_performance_of_two_and_a_half_out_of_three_is_2792():
    """Computed from the definition; the 2785 printed beside it belongs to a normal curve."""
    assert performance_of([2400, 2500, 2600], 250) == Performance(2773, 2767, 2792, 2500)


def test_ratings_beyond_the_tabled_curve_are_worked_out():
    """Computed: against equals, half the points are worth the opponents' rating."""
    assert performance_of([9000, 9000], 100) == Performance(9000, 9000, 9000, 9000)


def test_four_out_of_five():
    """Official: 2551; computed: the rest."""
    assert performance_of(FIVE, 400) == Performance(2457, 2457, 2551, 2217)


@pytest.mark.parametrize(
    ("points", "expected"),
    [(500, Performance(3017, 2617, "inf", 2217)), (0, Performance(1417, 1817, "-inf", 2217))],
)
def test_full_and_zero_scores(points, expected):
    assert performance_of(FIVE, points) == expected


def test_fifty_percent_is_the_average():
    assert performance_of([2400, 2400], 100) == Performance(2400, 2400, 2400, 2400)


def test_no_game_no_performance():
    assert performance_of([], 0) is None


@pytest.mark.parametrize(("opponents", "points"), [([2000], 150), ([2000], -50), ([], 50)])
def test_impossible_points_are_refused(opponents, points):
    with pytest.raises(
        ValueError, match=f"{points} hundredths of points: expected 0 to {100 * len(opponents)}"
    ):
        performance_of(opponents, points)


@pytest.mark.parametrize(
    ("fide", "average", "titles"),
    [
        (2600, 2380, ("GM", "IM", "WGM", "WIM")),
        (2599, 2380, ("IM", "WGM", "WIM")),
        (2600, 2379, ("IM", "WGM", "WIM")),
        (2450, 2230, ("IM", "WGM", "WIM")),
        (2449, 2230, ("WGM", "WIM")),
        (2400, 2180, ("WGM", "WIM")),
        (2250, 2030, ("WIM",)),
        (2249, 2030, ()),
        (2700, 2029, ()),
    ],
)
def test_b_01_1_4_8_on_course_for(fide, average, titles):
    assert on_course(Performance(fide, fide, fide, average)) == titles


def test_b_01_1_4_8_thresholds():
    assert [(norm.title, norm.performance, norm.opponents_average) for norm in NORMS] == [
        ("GM", 2600, 2380),
        ("IM", 2450, 2230),
        ("WGM", 2400, 2180),
        ("WIM", 2250, 2030),
    ]


@given(st.lists(st.integers(1000, 2900), min_size=1, max_size=12), st.data())
def test_the_true_performance_is_that_rating_which_expects_the_score(opponents, data):
    points = data.draw(st.integers(1, len(opponents) * 2 - 1)) * 50
    found = performance_of(opponents, points)

    assert found is not None
    assert isinstance(found.true, int)

    def expected(rating):
        return sum(100 / (1 + 10 ** ((opponent - rating) / 400)) for opponent in opponents)

    assert expected(found.true - 0.5) <= points + 1e-6
    assert expected(found.true + 0.5) >= points - 1e-6
    assert performance_of(sorted(opponents), points) == found


@pytest.mark.parametrize("guess", range(-30_000, 30_001, 1500))
def test_true_performance_is_the_same_wherever_the_search_begins(guess):
    opponents, points = (2400, 2512, 2301, 2650), 250
    figures = performance_of(opponents, points)

    assert figures is not None
    assert _true_performance(opponents, points, guess) == figures.true
