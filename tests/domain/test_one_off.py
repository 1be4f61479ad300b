"""Adjustments of whole lists."""

from __future__ import annotations

import pytest

from elowire.domain import OneOff, TimeControl, adjusted

STANDARD, RAPID, BLITZ = TimeControl.STANDARD, TimeControl.RAPID, TimeControl.BLITZ


@pytest.mark.parametrize("time_control", list(TimeControl))
@pytest.mark.parametrize(
    ("rating", "after"),
    [(1000, 1400), (1500, 1700), (1700, 1820), (1950, 1970), (1999, 1999), (1501, 1701), (1502, 1701)],
)
def test_2024_03_below_2000_four_tenths_of_what_is_missing(time_control, rating, after):
    found = adjusted(rating, period="2024-03", time_control=time_control)

    assert found == (rating, after, OneOff.COMPRESSION)


@pytest.mark.parametrize("rating", [2000, 2400])
def test_2024_03_from_2000_nothing(rating):
    assert adjusted(rating, period="2024-03", time_control=STANDARD) == (rating, rating, None)


@pytest.mark.parametrize(
    ("time_control", "rating", "standard", "after"),
    [
        (RAPID, 2283, 2732, 2632),
        (BLITZ, 2283, 2732, 2632),
        (RAPID, 2599, 2700, 2600),
        (RAPID, 2600, 2700, None),
        (RAPID, 2650, 2600, None),
        (RAPID, 2283, None, None),
        (STANDARD, 2283, 2732, None),
    ],
)
def test_2022_10_more_than_100_below_standard(time_control, rating, standard, after):
    found = adjusted(rating, period="2022-10", time_control=time_control, standard=standard)

    assert found.after == (rating if after is None else after)
    assert found.one_off is (None if after is None else OneOff.TOWARDS_STANDARD)


@pytest.mark.parametrize("period", ["2022-09", "2022-11", "2024-02", "2024-04"])
def test_other_lists_adjust_nothing(period):
    assert adjusted(1500, period=period, time_control=RAPID, standard=1900) == (1500, 1500, None)
