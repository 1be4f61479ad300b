"""Which list rates an event."""

from __future__ import annotations

from datetime import date

import pytest

from elowire.domain import (
    first_day,
    is_late_report,
    list_in_force,
    month_number,
    next_period,
    previous_period,
    rating_period,
)


@pytest.mark.parametrize(
    ("ends_on", "period"),
    [
        ("2025-10-24", "2025-11"),
        ("2025-10-31", "2025-11"),
        ("2025-12-30", "2026-01"),
        ("2005-07-31", "2005-08"),
    ],
)
def test_an_event_is_rated_in_the_month_after_its_end(ends_on, period):
    assert rating_period(date.fromisoformat(ends_on)) == period


def test_neighbours():
    assert next_period("2025-12") == "2026-01"
    assert previous_period("2026-01") == "2025-12"
    assert list_in_force(date(2025, 10, 31)) == "2025-10"
    assert first_day("2026-01") == date(2026, 1, 1)
    assert first_day("2025-12") == date(2025, 12, 1)
    assert month_number("2026-01") - month_number("2025-11") == 2


@pytest.mark.parametrize("text", ["2025-13", "2025-00", "2025-1", "202501", "2025-11-01", ""])
def test_another_text_is_refused(text):
    with pytest.raises(ValueError, match="is not a rating period: expected year and month, such as 2025-11"):
        next_period(text)


@pytest.mark.parametrize(("rated_in", "late"), [("2025-11", False), ("2026-01", False), ("2026-02", True)])
def test_9_a_report_that_misses_the_third_list_is_late(rated_in, late):
    assert is_late_report(date(2025, 10, 24), rated_in) is late
