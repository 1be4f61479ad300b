"""Tables 8.1.1 and 8.1.2, row by row against the Handbook."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from elowire.domain import PERFORMANCE, PROBABILITY, hundredths, rating_difference, score_probability

CASES = Path(__file__).parent.parent / "data" / "cases"


def rows(name):
    with (CASES / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


PD_ROWS = rows("pd_table.csv")
DP_ROWS = rows("dp_table.csv")


@pytest.mark.parametrize("row", PD_ROWS, ids=lambda row: f"8.1.2-from-{row['d_min']}")
def test_score_probability_of_the_printed_row(row):
    first, last = int(row["d_min"]), int(row["d_max"] or 4000)
    higher, lower = hundredths(row["pd_higher"]), hundredths(row["pd_lower"])

    assert {score_probability(d) for d in range(first, last + 1)} == {higher}
    if first > 0:
        assert {score_probability(-d) for d in range(first, last + 1)} == {lower}
    else:
        assert [score_probability(-d) for d in (1, 2, 3)] == [lower] * 3


@pytest.mark.parametrize("row", DP_ROWS, ids=lambda row: f"8.1.1-p-{row['p']}")
def test_rating_difference_of_the_printed_row(row):
    assert rating_difference(hundredths(row["p"])) == int(row["dp"])


def test_8_1_the_tables_have_no_row_more_than_the_handbook():
    assert len(PROBABILITY) == len(PD_ROWS) == 51
    assert len(PERFORMANCE) == len(DP_ROWS) == 101


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (0, 50), (3, 50), (4, 51), (10, 51), (11, 52), (206, 76), (207, 77), (391, 91), (392, 92),
        (-3, 50), (-4, 49), (-344, 12), (-345, 11), (735, 99), (736, 100), (-735, 1), (-736, 0),
    ],
)  # fmt: skip
def test_8_1_2_edges_confirmed_on_fides_calculator(difference, expected):
    assert score_probability(difference) == expected


def test_8_1_2_both_sides_add_up_to_one():
    assert {score_probability(d) + score_probability(-d) for d in range(801)} == {100}


@pytest.mark.parametrize("p", range(1, 100))
def test_8_1_1_every_dp_lies_in_the_row_of_its_own_p(p):
    assert score_probability(rating_difference(p)) == p


@pytest.mark.parametrize("p", [-1, 101])
def test_8_1_1_refuses_a_score_that_cannot_be(p):
    with pytest.raises(ValueError, match="expected a fractional score from 0 to 100 hundredths"):
        rating_difference(p)
