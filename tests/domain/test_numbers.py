"""Exact decimals in and out, and the two ways to treat a half."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elowire.domain import Halves, decimal_text, hundredths, points_text, tenths_text
from elowire.domain.numbers import nearest, nearest_hundredth, round_hundredths


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 50),
        ("-2.60", -260),
        ("8", 800),
        ("+0.07", 7),
        ("-0.05", -5),
        ("2797.30", 279730),
        ("007", 700),
    ],
)
def test_decimals_are_read_exactly(text, value):
    assert hundredths(text) == value


@pytest.mark.parametrize(
    "text", ["", ".5", "1.", "1.234", "1e3", "½", "٣", " 1", "1,5", "--1", "nan", "1" * 10]
)
def test_other_texts_are_refused_and_named(text):
    with pytest.raises(ValueError, match="is not a decimal: expected digits with at most two places"):
        hundredths(text)


@pytest.mark.parametrize(("value", "text"), [(830, "8.30"), (-5, "-0.05"), (0, "0.00"), (-260, "-2.60")])
def test_decimal_text(value, text):
    assert decimal_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (279730, "2797.3"), (279735, "2797.4"), (279734, "2797.3"), (-5, "-0.1"), (-4, "0.0"), (-15, "-0.2"),
        (-104, "-1.0"), (995, "10.0"),
    ],
)  # fmt: skip
def test_live_ratings_show_tenths_with_a_half_away_from_zero(value, text):
    assert tenths_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(50, "0.5"), (100, "1"), (0, "0"), (150, "1.5"), (1000, "10"), (25, "0.25")]
)
def test_points_text(value, text):
    assert points_text(value) == text


@pytest.mark.parametrize(
    ("value", "up", "away"),
    [(250, 3, 3), (249, 2, 2), (-250, -2, -3), (-251, -3, -3), (-249, -2, -2), (-1750, -17, -18), (0, 0, 0)],
)
def test_halves(value, up, away):
    assert round_hundredths(value, Halves.UP) == up
    assert round_hundredths(value, Halves.AWAY_FROM_ZERO) == away


def test_nearest_takes_a_half_up():
    assert [nearest(Fraction(n, 2)) for n in (-3, -1, 1, 3)] == [-1, 0, 1, 2]
    assert [nearest(Fraction(n, 4)) for n in (-1, 1, 3)] == [0, 0, 1]
    assert nearest_hundredth(Fraction(3, 8)) == 38
    assert nearest_hundredth(Fraction(2)) == 200


@given(st.integers(-(10**8), 10**8))
def test_reading_what_was_written_is_identity(value):
    assert hundredths(decimal_text(value)) == value
    assert hundredths(points_text(value)) == value
